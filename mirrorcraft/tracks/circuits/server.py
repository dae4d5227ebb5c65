"""The laboratory over MCP: five tools on standard input and output, for any agent that speaks it."""

from collections.abc import Callable
from typing import Any, TypeVar

from mirrorcraft.core.errors import InputError, MirrorcraftError
from mirrorcraft.tracks.circuits.laboratory import Laboratory

T = TypeVar("T")

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
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise InputError(
            "mcp", "", None, "the extra circuits: pip install 'mirrorcraft[circuits]'"
        ) from None

    def told(call: Callable[[], T]) -> T:
        try:
            return call()
        except MirrorcraftError as e:
            raise ToolError(str(e)) from None

    def get_block_state(x: int, y: int, z: int) -> dict[str, Any]:
        """Return the block of a cell and its properties."""
        return told(lambda: lab.get_block_state(x, y, z))

    def get_event_stream(since_tick: int = 0, limit: int = 200) -> list[dict[str, Any]]:
        """Return changes of block states from a tick on: tick, pos, block, from, to."""
        return told(lambda: lab.get_event_stream(since_tick, limit))

    def scan_redstone_area(
        center: list[int] | None = None, radius: int = 10
    ) -> list[dict[str, Any]]:
        """Return all blocks within a radius (at most 10) of a cell, that of the anchor by default."""
        return told(lambda: lab.scan_redstone_area(center, radius))

    def set_block(
        x: int,
        y: int,
        z: int,
        block: str,
        properties: dict[str, Any] | None = None,
        mode: str = "player",
    ) -> dict[str, Any]:
        """Set a block (air removes it); mode "dot" is for dust that joins nothing yet."""
        return told(lambda: lab.set_block(x, y, z, block, properties, mode))

    def activate_button() -> dict[str, Any]:
        """Press the one button: one verification trial. Returns all changes of state in the window."""
        return told(lab.activate_button)

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
    for tool in (get_block_state, get_event_stream, scan_redstone_area, set_block, activate_button):
        server.add_tool(tool, name=tool.__name__.replace("_", "-"))
    return server
