"""A conversation of an engineer or scientist with a model: requests that fit, replies as tool calls."""

import json
from collections.abc import Iterable
from typing import Any

from mirrorcraft.agents.session import Session
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import strip
from mirrorcraft.tracks.circuits.blocks import PROPERTIES
from mirrorcraft.tracks.circuits.laboratory import Laboratory
from mirrorcraft.tracks.circuits.replies import TOOLS, Call, parse_calls


class Talk:
    """One conversation; the account of it, and the caps on it, are the session's.

    Args:
        session: asks the model.
        purpose: names the calls in the record.
        system: the system message, if there is one.
    """

    def __init__(self, session: Session, purpose: str, system: str | None = None):
        self._session, self._purpose = session, purpose
        self._messages = [{"role": "system", "content": system}] if system else []
        self._kept = (
            len(self._messages) + 1
        )  # what is never left out: the system message, the last word

    def say(self, text: str) -> None:
        """Say what the next reply is to answer."""
        self._messages.append({"role": "user", "content": text})

    def reply(self) -> str:
        """Return the model's reply; the oldest exchanges are left out once they no longer fit.

        Raises:
            Stopped: a cap is reached, or what was said last does not fit the model's context alone.
        """
        while True:
            text = self._session.ask(self._purpose, self._request)
            if text is not None:
                self._messages.append({"role": "assistant", "content": text})
                return text
            if len(self._messages) <= self._kept:
                self._session.stop("a request that does not fit the model's context")

    def calls(self) -> tuple[list[Call], str]:
        """Return the tool calls of the next reply, or none and a complaint to answer it with."""
        try:
            return parse_calls(self.reply()), ""
        except InputError as e:
            return [], complaint(str(e))

    def _request(self, compact: bool) -> tuple[dict[str, str], ...]:
        if compact:  # drop the older half of the exchanges, each a word of ours and a reply
            exchanges = (len(self._messages) - self._kept) // 2
            first = self._kept - 1
            del self._messages[first : first + 2 * -(-exchanges // 2)]
        return tuple(self._messages)


def complaint(text: str) -> str:
    """Return what a reply that cannot be used is answered with."""
    return json.dumps({"error": text})


_TOLD = ("power", "powered", "locked", "lit")  # properties that the world sets


def _palette(allowed: Iterable[str]) -> str:
    """Return the blocks of a palette with the properties that can be set, and no word of what they do."""
    lines = []
    for name in allowed:
        short = strip(name).replace("redstone_repeater", "repeater")
        for block in (short, "redstone_wall_torch") if short == "redstone_torch" else (short,):
            own = {k: v for k, v in PROPERTIES[block].items() if k not in _TOLD}
            listed = "; ".join(f"{key}: {', '.join(values)}" for key, values in own.items())
            lines.append(f"- minecraft:{block}" + (f" ({listed})" if listed else ""))
    return "\n".join(lines)


def terms(lab: Laboratory) -> dict[str, Any]:
    """Return what every prompt tells of a laboratory."""
    return {
        "region": lab.task.world,
        "palette": _palette(lab.task.allowed_blocks),
        "trials": lab.trials_left,
        "tools": "\n".join(f"- {name}: {text}" for name, text in TOOLS.items()),
    }
