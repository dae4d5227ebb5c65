"""The contract of a language model, its settings, and models that need no network."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from mirrorcraft.agents.contracts import CONTRACTS, kind_of
from mirrorcraft.core.errors import InputError, MirrorcraftError

Messages = tuple[
    Mapping[str, str], ...
]  # {"role": "system" | "user" | "assistant", "content": text}


class ContextTooLong(Exception):
    """The model says that a request does not fit its context; asking again in the same words is no use."""


class ModelRefused(MirrorcraftError):
    """The endpoint will not serve these requests at all: wrong key, unknown model, malformed setting."""


class ModelSettings(BaseModel):
    """What is asked of which model (paper v1, appendix E, for the first three defaults).

    Attributes:
        model: the name that the endpoint knows; None for agents without a model.
        base_url: the endpoint, such as ``https://api.openai.com/v1``; ``offline`` answers in this process.
        temperature: sampling temperature.
        max_tokens: output tokens a reply may have.
        json_mode: what the endpoint is to hold replies to: ``json_object``; or the schema of the prompt, as
            ``json_schema`` (OpenAI) or in the field ``schema`` of a ``json_object`` (llama.cpp and others).
        reasoning: ``off`` asks the providers that are known to think to leave it out; ``default`` asks nothing.
        extra_body: further fields of every request, for what a provider alone understands.
        api_key_env: the environment variable with the key; loopback endpoints do without.
        timeout_s: for one request.
        attempts: how often a request is sent before the endpoint counts as down.
        backoff_s: the first pause after a failure; it doubles with each further one.
        longest_wait_s: a Retry-After beyond it counts as down.
        in_flight: requests that this process may have open at once.
        requests_per_minute: shared by all processes of this machine; None for no limit.
        context_chars: characters of a request beyond which it is compacted before it is sent.
        max_calls: model calls an episode may make.
        max_tokens_total: input and output tokens an episode may use.
        max_cost_usd: what an episode may cost; needs a known price.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model: str | None = None
    base_url: str | None = None
    temperature: float = Field(default=0.7, ge=0, le=2)
    max_tokens: int = Field(default=2048, ge=1)
    json_mode: Literal["off", "json_object", "json_schema", "json_object_schema"] = "off"
    reasoning: Literal["off", "default"] = "off"
    extra_body: dict[str, Any] = Field(default_factory=dict)
    api_key_env: str = "OPENAI_API_KEY"
    timeout_s: float = Field(default=120.0, gt=0)
    attempts: int = Field(default=8, ge=1)
    backoff_s: float = Field(default=0.5, ge=0)
    longest_wait_s: float = Field(default=120.0, ge=0)
    in_flight: int = Field(default=8, ge=1)
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    context_chars: Annotated[int, Field(ge=1000)] | None = None
    max_calls: Annotated[int, Field(ge=1)] | None = None
    max_tokens_total: Annotated[int, Field(ge=1)] | None = None
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None


class Usage(NamedTuple):
    """Tokens of one call or of many.

    Attributes:
        input: tokens of the prompt, cached ones included.
        cached: those of the prompt that the provider had in its cache.
        output: tokens of the reply.
    """

    input: int = 0
    cached: int = 0
    output: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum."""
        return Usage(*(a + b for a, b in zip(self, other, strict=True)))


class Reply(NamedTuple):
    """What a model answered.

    Attributes:
        text: the answer; may be anything, also empty.
        usage: its tokens.
        troubles: what went wrong before it came: kind of trouble to the number of attempts it broke.
        model: the id of the model as the provider returned it; None if it returned none.
    """

    text: str
    usage: Usage = Usage()
    troubles: Mapping[str, int] = {}
    model: str | None = None


class Model(Protocol):
    """Something that answers messages."""

    def ask(self, messages: Messages) -> Reply:
        """Return the answer to a request.

        Raises:
            ContextTooLong: the request does not fit the model's context.
            ModelRefused: the endpoint will never answer such requests.
            Fault: the endpoint is down, and stayed so through all attempts.
        """
        ...


def chat_body(settings: ModelSettings, messages: Messages) -> dict[str, Any]:
    """Return the JSON body of an OpenAI-compatible chat request; the key is never in it."""
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": [dict(m) for m in messages],
        "temperature": settings.temperature,
        # OpenAI's later models refuse the old name, and its earlier ones know the new one too.
        "max_completion_tokens" if _at(settings, _OPENAI) else "max_tokens": settings.max_tokens,
    }
    if settings.json_mode != "off":
        body["response_format"] = _format(settings.json_mode, messages[0]["content"])
    return body | _thinking(settings) | settings.extra_body


def _format(mode: str, system: str) -> dict[str, Any]:
    """Return the field that asks for JSON; a prompt without a known contract is asked for any object."""
    kind = kind_of(system)
    if mode == "json_object" or kind is None:
        return {"type": "json_object"}
    if mode == "json_schema":
        named = {"name": kind, "schema": CONTRACTS[kind], "strict": False}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object", "schema": CONTRACTS[kind]}


_OPENAI = "api.openai.com"
_NEVER_THINK = ("gpt-3", "gpt-4", "chatgpt")  # OpenAI's models that refuse the field about thinking
# How the providers that think by default are asked not to. Others get no such field: many refuse
# fields that they do not know, and ``extra_body`` is there for them.
_NO_THINKING: tuple[tuple[str, dict[str, Any]], ...] = (
    (_OPENAI, {"reasoning_effort": "none"}),
    ("generativelanguage.googleapis.com", {"reasoning_effort": "none"}),
    ("api.deepseek.com", {"thinking": {"type": "disabled"}}),
    ("openrouter.ai", {"reasoning": {"enabled": False}}),
)


def _thinking(settings: ModelSettings) -> dict[str, Any]:
    if settings.reasoning == "default":
        return {}
    if _at(settings, _OPENAI) and (settings.model or "").startswith(_NEVER_THINK):
        return {}
    return next((field for host, field in _NO_THINKING if _at(settings, host)), {})


def _at(settings: ModelSettings, host: str) -> bool:
    return host in (settings.base_url or "")


class ScriptedModel:
    """Gives the replies of a list, or those of a function of the messages; for tests.

    Args:
        replies: texts, Replies or exceptions to raise, in order; or a function from messages to one of them.

    Attributes:
        asked: the messages of every call.
    """

    def __init__(
        self,
        replies: Iterable[str | Reply | Exception] | Callable[[Messages], str | Reply | Exception],
    ):
        self.asked: list[Messages] = []
        self._function = replies if callable(replies) else None
        self._rest = iter(() if callable(replies) else replies)

    def ask(self, messages: Messages) -> Reply:
        self.asked.append(messages)
        answer = self._function(messages) if self._function else next(self._rest, None)
        if answer is None:
            raise InputError("script", f"reply {len(self.asked)}", None, "as many replies as calls")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        size = sum(len(m["content"]) for m in messages)
        return Reply(answer, Usage(tokens_of(size), 0, tokens_of(len(answer))))


class ReplayModel:
    """Answers from the trajectory of a stored episode, as long as it is asked the same.

    Args:
        calls: the model calls of a trajectory, each with ``messages``, ``reply`` and ``usage``.
    """

    def __init__(self, calls: Sequence[Mapping[str, Any]]):
        self._calls = list(calls)
        self._next = 0

    def ask(self, messages: Messages) -> Reply:
        place = f"call {self._next + 1}"
        if self._next >= len(self._calls):
            raise InputError("replay", place, "one more request", "no more than the stored ones")
        stored = self._calls[self._next]
        asked = [dict(m) for m in messages]
        if asked != stored["messages"]:
            raise InputError("replay", place, *_difference(asked, stored["messages"]))
        self._next += 1
        if stored.get("error") == "context":
            raise ContextTooLong
        return Reply(stored["reply"], Usage(*stored["usage"]), stored["troubles"], stored["model"])


def _difference(given: list[dict[str, str]], stored: list[dict[str, str]]) -> tuple[str, str]:
    """Return what is asked and what is stored, around the first character that differs."""
    a, b = json.dumps(given, ensure_ascii=False), json.dumps(stored, ensure_ascii=False)
    at = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    low = max(0, at - 30)
    return a[low : at + 30], f"the stored request, with {b[low : at + 30]!r} there"


def tokens_of(characters: int) -> int:
    """Return about how many tokens a text has: four characters each, as no tokenizer is at hand."""
    return -(-characters // 4)
