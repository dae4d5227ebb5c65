"""What the record sees of an action on a server: advancements that the server confirms, and changed rules that were met."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mirrorcraft.core.action import Checked
from mirrorcraft.core.encounters import Encounters, Event
from mirrorcraft.core.ids import full, strip
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.sim.loot_tables import DYES


def holds(rcon: Rcon, player: str, advancement: str, done: bool) -> bool:
    """Return whether the server knows an advancement and says that a player has, or has not, completed it.

    Raises:
        Fault: the server does not answer.
    """
    value = "true" if done else "false"
    selector = f"@a[name={player},advancements={{{full(advancement)}={value}}}]"
    return rcon.ask(f"execute if entity {selector}")


class ServerAudit:
    """Both halves of the audit for one episode.

    Args:
        rcon: a connection to the server.
        player: the body's name.
        rules: the rules of the episode.
    """

    def __init__(self, rcon: Rcon, player: str, rules: Rulebook):
        self._rcon, self._player, self._rules = rcon, player, rules
        self._encounters = Encounters(Rulebook.vanilla(rules.version), rules)
        self.done: set[str] = set()

    def gained(self, told: Iterable[str]) -> tuple[str, ...]:
        """Return the advancements completed since the last call, in the order of the rulebook.

        Args:
            told: full ids of all that the client was told; each new one is confirmed by a command.

        Raises:
            Fault: the server does not answer.
        """
        names = {strip(name) for name in told} - self.done
        new = [name for name in self._rules.advancements if name in names]
        confirmed = tuple(n for n in new if holds(self._rcon, self._player, n, True))
        self.done.update(confirmed)
        return confirmed

    def met(self, action: Checked, events: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return the changed rules that an action met, by what the body saw happen."""
        if not self._rules.changes:
            return ()
        found: dict[str, None] = {}
        for event in _events(action, events):
            found.update(dict.fromkeys(self._encounters.of(event)))
        return tuple(found)


def _events(action: Checked, events: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    """Yield what the body reports as the events of ``core.encounters``."""
    for event in events:
        match event["kind"]:
            case "craft":
                yield Event("craft", action.args["grid"])
            case "cook":
                yield Event("cook", action.args["station"], event["input"])
            case "break":
                levels = {n: event["levels"].get(n, 0) for n in ("fortune", "silk_touch")}
                enchantments = tuple((n, level) for n, level in levels.items() if level)
                yield Event("break", event["block"], event["tool"], enchantments)
            case "kill":
                colour = event["variant"]
                variant = None if colour is None else DYES[colour]
                yield Event("kill", event["entity"], variant, min(event["looting"], 3))
