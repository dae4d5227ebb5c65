"""The conversation of one episode with its model: caps, compaction, repair, and the account of all of it."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from mirrorcraft.agents.model import (
    ContextTooLong,
    Messages,
    Model,
    ModelSettings,
    Reply,
    Usage,
)
from mirrorcraft.agents.pace import Purse
from mirrorcraft.agents.prices import Price
from mirrorcraft.agents.prompts import messages as filled
from mirrorcraft.agents.replies import STAGES, Chosen, read_action, read_object
from mirrorcraft.core.action import Registry
from mirrorcraft.core.data import body
from mirrorcraft.core.errors import InputError, MirrorcraftError

Render = Callable[[bool], Messages]  # from "compact?" to the messages of a request
# For caps, rather too few: prompts are full of JSON and ids, of which SmolLM2 makes a token each 3.2.
_CHARACTERS_A_TOKEN = 3
PREVIEW = 400  # characters of an unusable reply that the repair turn shows


class Stopped(Exception):
    """The policy has no further action: a cap of the episode is reached, or its replies stay unusable."""


class RunCapReached(MirrorcraftError):
    """The run has spent what it may; what is not played yet stays to be played."""


class Terms(NamedTuple):
    """What a conversation is bound to.

    Attributes:
        settings: the model's settings, with the caps of an episode.
        price: what the model costs, None if unknown.
        purse: the account of the run, or None.
        run_cap_usd: what the run may cost in all, or None.
    """

    settings: ModelSettings
    price: Price | None = None
    purse: Purse | None = None
    run_cap_usd: float | None = None


class Session:
    """Asks a model on behalf of one episode.

    Args:
        model: answers.
        terms: caps and prices.
        registry: the names of the game, to tell an action from none.

    Attributes:
        calls: every request and reply, JSON-ready, in order; the trajectory of the episode.
        used: actions used when a call is made; the agent keeps it.

    Raises:
        InputError: a cap on cost is set and the model's price is unknown.
    """

    def __init__(self, model: Model, terms: Terms, registry: Registry):
        capped = terms.settings.max_cost_usd is not None or terms.run_cap_usd is not None
        if capped and terms.price is None:
            expected = "a known price, since a cap on cost is set; see the price file"
            raise InputError("model", "price", terms.settings.model, expected)
        self.calls: list[dict[str, Any]] = []
        self.used = 0
        self.usage = Usage()
        self.stopped: str | None = None
        self.answered_by: str | None = None  # the model's id as the provider returned it
        self._model, self._terms, self._registry = model, terms, registry
        self._counts: Counter[str] = Counter()
        self._stages: Counter[str] = Counter()
        self._troubles: Counter[str] = Counter()
        self._purposes: Counter[str] = Counter()

    def ask(self, purpose: str, render: Render) -> str | None:
        """Return the model's reply, or None if the request stays too long even when compacted.

        Raises:
            Stopped: a cap of the episode is reached.
            RunCapReached: the cap of the run is reached.
        """
        limit = self._terms.settings.context_chars
        for compact in (False, True):
            messages = render(compact)
            size = sum(len(m["content"]) for m in messages)
            if limit is not None and size > limit:
                self._counts["compactions"] += not compact
                continue
            reserved = self._check_caps(size)
            started = time.perf_counter()
            try:
                reply = self._model.ask(messages)
                self._keep(purpose, messages, reply, started)
                return reply.text
            except ContextTooLong:
                self._keep(purpose, messages, None, started)
                self._counts["compactions"] += not compact
            finally:
                self._give_back(reserved)
        return None

    def action(self, purpose: str, render: Render) -> Chosen:
        """Return the next usable action, each unusable reply followed by one repair turn.

        Raises:
            Stopped: ``max_invalid_replies`` in a row were unusable after repair, or a cap is reached.
        """
        for _ in range(body()["max_invalid_replies"]):
            chosen = self.try_action(purpose, render)
            if chosen.action is not None:
                return chosen
        self.stop("unusable replies")

    def try_action(self, purpose: str, render: Render) -> Chosen:
        """Return the action of one reply and at most one repair turn; without action if both are unusable."""
        text, chosen = self.read(purpose, render)
        if chosen.action is None:
            repair = _repairing(render, text, chosen.problem)
            _, chosen = self.read(f"{purpose} repair", repair, again=True)
        if chosen.action is None:
            self.note_invalid()
        return chosen

    def read(self, purpose: str, render: Render, *, again: bool = False) -> tuple[str, Chosen]:
        """Return the text of one reply and the action in it; ``again`` counts the call as a repair turn.

        Raises:
            Stopped: the request stays too long; a repair turn that does is a reply without an action.
        """
        self._counts["repairs"] += again
        text = self.ask(purpose, render)
        if text is None and not again:
            self.stop("context length")  # the same words will not fit next time either
        if text is None:
            return "", Chosen(None, {}, None, "the request does not fit the model's context")
        chosen = read_action(text, self._registry)
        self._stages[chosen.stage or "unusable"] += 1
        return text, chosen

    def note_invalid(self) -> None:
        """Count a decision whose replies held no action, the repair turns included."""
        self._counts["invalid"] += 1

    def object(
        self,
        purpose: str,
        render: Callable[[bool, str | None], Messages],
        fits: Callable[[dict[str, Any]], bool],
    ) -> dict[str, Any] | None:
        """Return the JSON object of a reply that ``fits``, asking a second time if the first does not.

        Args:
            purpose: names the call in the record.
            render: from "compact?" and the unusable earlier reply (None at first) to the messages.
            fits: whether an object keeps to the contract.
        """
        unusable: str | None = None
        for _ in range(2):
            text = self.ask(purpose, lambda compact, bad=unusable: render(compact, bad))
            if text is None:
                return None
            read = read_object(text)
            fit = read.value is not None and fits(read.value)
            self._stages[read.stage if fit and read.stage else "unusable"] += 1
            if fit:
                return read.value
            self._counts["repairs"] += unusable is None
            unusable = text
        return None

    def stop(self, reason: str) -> NoReturn:
        """End the policy for a reason that the record names.

        Raises:
            Stopped: always.
        """
        self.stopped = reason
        raise Stopped(reason)

    def summary(self) -> dict[str, Any]:
        """Return the account of the conversation for the episode's record, JSON-ready."""
        price = self._terms.price
        return {
            "model": self.answered_by,
            "calls": len(self.calls),
            "purposes": dict(sorted(self._purposes.items())),
            "tokens": self.usage._asdict(),
            "cost_usd": None if price is None else round(price.cost(self.usage), 6),
            "price": None if price is None else price._asdict(),
            "stages": {s: self._stages[s] for s in (*STAGES, "unusable")},
            "repairs": self._counts["repairs"],
            "invalid": self._counts["invalid"],
            "compactions": self._counts["compactions"],
            "troubles": dict(sorted(self._troubles.items())),
            "stopped": self.stopped,
        }

    def _check_caps(self, size: int) -> float:
        """Refuse a call that could go over a cap: its prompt is estimated, its reply taken at full length.

        Returns what was reserved of the cap of the run, so that calls of other episodes reckon with it.
        """
        settings, price = self._terms.settings, self._terms.price
        coming = Usage(-(-size // _CHARACTERS_A_TOKEN), 0, settings.max_tokens)
        total = self.usage.plus(coming)
        if settings.max_calls is not None and len(self.calls) >= settings.max_calls:
            self.stop("max_calls")
        if (
            settings.max_tokens_total is not None
            and total.input + total.output > settings.max_tokens_total
        ):
            self.stop("max_tokens_total")
        if price is None:
            return 0.0
        if settings.max_cost_usd is not None and price.cost(total) > settings.max_cost_usd:
            self.stop("max_cost_usd")
        cap, purse = self._terms.run_cap_usd, self._terms.purse
        if cap is None or purse is None:
            return 0.0
        if not purse.reserve(price.cost(coming), cap):
            raise RunCapReached(
                f"the run has cost {purse.cost_usd:.4f} USD of the {cap:g} that it may; "
                "raise max_cost_usd of the study to go on"
            )
        return price.cost(coming)

    def _give_back(self, reserved: float) -> None:
        if self._terms.purse is not None and reserved:
            self._terms.purse.spend(-reserved)

    def _keep(self, purpose: str, messages: Messages, reply: Reply | None, started: float) -> None:
        call: dict[str, Any] = {
            "purpose": purpose,
            "used": self.used,
            "messages": [dict(m) for m in messages],
            "elapsed_s": round(time.perf_counter() - started, 4),
        }
        self._purposes[purpose] += 1
        if reply is None:
            self.calls.append(call | {"error": "context"})
            return
        self.usage = self.usage.plus(reply.usage)
        self._troubles.update(reply.troubles)
        self.answered_by = reply.model or self.answered_by
        if self._terms.purse is not None and self._terms.price is not None:
            self._terms.purse.spend(self._terms.price.cost(reply.usage))
        self.calls.append(
            call
            | {"reply": reply.text, "usage": list(reply.usage)}
            | {"troubles": dict(reply.troubles), "model": reply.model}
        )


def _repairing(render: Render, text: str, problem: str) -> Render:
    """Return the repair turn for an unusable reply to a request."""

    def repaired(compact: bool) -> Messages:
        system, user = (m["content"] for m in render(compact))
        fields = {
            "original_system": system,
            "original_user": user,
            "preview": text[:PREVIEW],
            "problem": problem,
        }
        return filled("repair", fields)

    return repaired
