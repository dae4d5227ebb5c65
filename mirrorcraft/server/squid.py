"""The squid kind of server: flying-squid, which plays by our datapacks through the scripts in ``squid/``."""

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import mirrorcraft.sim as sim
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import build
from mirrorcraft.server.node import SQUID, find_node, node_environment, pinned
from mirrorcraft.server.process import ServerProcess
from mirrorcraft.sim.tables import ON_GROUND, ON_GROUND_TAGS, members

_START_SECONDS = 30


class SquidServer(ServerProcess):
    """A server in Node for a world that lies in ``folder / "world"``; see ``ServerProcess``.

    It writes nothing back to the save. Its luck depends on ``seed`` alone.

    Args:
        folder: where it runs.
        seed: of all draws of the server.
        ticks: game ticks in a second. The body lives in real time: more than 20 only make stations cook faster.
    """

    kind = "squid"
    version = f"flying-squid {pinned('flying-squid')}"

    def __init__(self, folder: Path, seed: int, ticks: int = 20):
        super().__init__(folder, _START_SECONDS)
        self._seed, self._ticks = seed, ticks

    def prepare(self) -> None:
        """Write the settings that the script reads."""
        base, facts = _vanilla_files()
        settings = {
            "port": self.port,
            "rconPort": self.rcon_port,
            "rconPassword": self.password,
            "save": str(self.level),
            "base": str(base),
            "facts": str(facts),
            "seed": str(self._seed),
            "ticks": self._ticks,
        }
        path = self.folder / "squid.json"
        path.touch(mode=0o600)  # it holds the password
        path.write_text(json.dumps(settings), encoding="utf-8")

    def command(self) -> list[str]:
        """Return the command line."""
        heap = "--max-old-space-size=400"
        return [find_node(), heap, str(SQUID / "server.js"), str(self.folder / "squid.json")]

    def environment(self) -> dict[str, str]:
        """Return the environment, in which Node finds the packages."""
        return node_environment()

    def is_ready(self, line: str) -> bool:
        """Return whether the script says that players can join."""
        return '"ready"' in line and "ready" in _event(line)

    def trouble(self, line: str) -> str | None:
        """Return the error that the script reports in a line."""
        error = _event(line).get("error")
        if error is None:
            return None
        advice = "; start it again" if "EADDRINUSE" in error else ""
        return f"{error.splitlines()[0]}{advice}"


def _event(line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


@cache
def _vanilla_files() -> tuple[Path, Path]:
    """Return the game's own rules as a datapack, and the facts of the version, made once in the cache.

    Mojang's jar brings both; this server has nothing of its own.
    """
    rules = Rulebook.vanilla("1.19")
    nothing = rules.replace(recipes={}, loot={}, advancements={}, item_tags={}, block_tags={})
    pack = build(rules, since=nothing)
    place = sim.CACHE_DIR / "squid"
    place.mkdir(parents=True, exist_ok=True)
    base = place / f"vanilla-{pack.digest[:16]}.zip"
    if not base.is_file():
        pack.write_zip(base)
    facts = place / f"facts-{pack.digest[:16]}.json"
    with tempfile.NamedTemporaryFile("w", dir=place, delete=False, encoding="utf-8") as file:
        json.dump(_facts(rules), file)
    os.replace(file.name, facts)
    return base, facts


def _facts(rules: Rulebook) -> dict[str, Any]:
    return {
        "items": {name: item._asdict() for name, item in rules.items.items()},
        "blocks": {name: block._asdict() for name, block in rules.blocks.items()},
        "entities": {name: entity._asdict() for name, entity in rules.entities.items()},
        "fuels": dict(rules.fuels),
        "other_recipes": list(rules.other_recipes),
        "on_ground": [
            *members(rules, "blocks", (f"#{tag}" for tag in ON_GROUND_TAGS)),
            *ON_GROUND,
        ],
    }
