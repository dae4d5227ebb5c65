"""The laboratory over MCP: five tools on standard input and output, for any agent that speaks it."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from mirrorcraft.core.errors import InputError, MirrorcraftError
from mirrorcraft.tracks.circuits.laboratory import Laboratory

_INSTRUCTIONS = """{description}

Build inside {region}; the floor under it is stone. Palette: {palette}. You may press the button
{trials} times. What you get back is raw changes of state; whether the task is done is for you to
judge. The build that stands at the end is the one that counts."""


def make_server(lab: Laboratory) -> Any:
    """Return an ``MCPServer`` with the five tools of a laboratory.

    Raises:
        InputError: the package ``mcp`` is not installed.
    """
    try:
        from mcp.server import MCPServer
    except ImportError:
        raise InputError(
            "mcp", "", None, "the extra circuits: pip install 'mirrorcraft[circuits]'"
        ) from None
    task = lab.task
    server = MCPServer(
        "mirrorcraft-circuits",
        instructions=_INSTRUCTIONS.format(
            description=task.task_description,
            region=task.world,
            palette=", ".join(task.allowed_blocks),
            trials=task.trials,
        ),
        log_level="WARNING",
    )
    for tool in (
        lab.get_block_state,
        lab.get_event_stream,
        lab.scan_redstone_area,
        lab.set_block,
        lab.activate_button,
    ):
        server.add_tool(
            _told(tool),
            name=tool.__name__.replace("_", "-"),
            description=str(inspect.getdoc(tool)).partition("\n\nRaises:")[0],
        )
    return server


def _told(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose complaints reach the client as the answer of a call that failed."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except MirrorcraftError as e:
            raise ToolError(str(e)) from None

    return call
