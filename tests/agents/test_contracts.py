"""The schemas that endpoints may hold a model to: what fits them is an action or object that is used."""

import json
from typing import Any

import pytest
from asking import Episode, prior
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mirrorcraft.agents import CONFIGURATIONS
from mirrorcraft.agents.contracts import CONTRACTS, kind_of
from mirrorcraft.agents.model import ModelSettings, chat_body
from mirrorcraft.agents.replies import read_action, read_object
from mirrorcraft.core.action import SKILLS
from mirrorcraft.core.rulebook import Rulebook

VANILLA = Rulebook.vanilla()


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return what fits a schema of the few kinds that are used."""
    if "anyOf" in schema:
        return st.one_of([instances(s) for s in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "array":
        low, high = schema["minItems"], schema["maxItems"]
        return st.lists(instances(schema["items"]), min_size=low, max_size=min(high, low + 3))
    if kind == "object":
        parts = {k: instances(s) for k, s in schema["properties"].items()}
        needed = {k: parts.pop(k) for k in schema["required"]}
        return st.fixed_dictionaries(needed, optional=parts)
    ids = st.sampled_from(["oak_log", "stick", "cow", "furnace", "x"])
    plain: dict[str, st.SearchStrategy[Any]] = {
        "string": ids,
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return plain[kind]


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a value fits a schema."""
    return Draft202012Validator(schema).is_valid(value)


@settings(max_examples=300)
@given(st.one_of([instances(CONTRACTS[k]) for k in ("skill", "thought", "subgoal")]))
def test_every_action_that_fits_is_a_usable_one(reply: Any):
    chosen = read_action(json.dumps(reply), VANILLA)
    empty = reply["skill"] == "craft_grid" and not any(c for r in reply["args"]["grid"] for c in r)
    assert (chosen.action is None) == empty
    assert chosen.stage == (None if empty else "strict")


@given(st.sampled_from(sorted(CONTRACTS)).flatmap(lambda k: instances(CONTRACTS[k])))
def test_everything_that_fits_is_an_object(reply: Any):
    assert read_object(json.dumps(reply)).value == reply


def test_every_skill_can_be_chosen():
    calls = CONTRACTS["skill"]["anyOf"]
    assert {c["properties"]["skill"]["const"] for c in calls} == set(SKILLS)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_prompt_has_a_contract_that_the_offline_model_keeps(name: str):
    for call in Episode(name, prior(), suite="M01").play().agent.trajectory():
        kind = kind_of(call["messages"][0]["content"])
        assert kind is not None
        assert fits(CONTRACTS[kind], json.loads(call["reply"])), call["reply"]


@pytest.mark.parametrize("mode", ["json_object", "json_schema", "json_object_schema"])
def test_json_modes_ask_in_the_form_of_the_endpoint(mode: Any):
    asked = Episode("react", prior()).play(1).agent.trajectory()[0]["messages"]
    form = chat_body(ModelSettings(model="m", json_mode=mode), asked)["response_format"]
    schema = CONTRACTS["thought"]
    assert (
        form
        == {
            "json_object": {"type": "json_object"},
            "json_schema": {
                "type": "json_schema",
                "json_schema": {"name": "thought", "schema": schema, "strict": False},
            },
            "json_object_schema": {"type": "json_object", "schema": schema},
        }[mode]
    )
    own = ({"role": "system", "content": "Say something."}, {"role": "user", "content": "now"})
    form = chat_body(ModelSettings(model="m", json_mode=mode), own)["response_format"]
    assert form == {"type": "json_object"}
