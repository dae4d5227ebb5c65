"""The prompt files: each is used, strict about its fields, and holds the contracts of the paper."""

import re

import pytest
from asking import Episode, prior
from oracle import SHARED

from mirrorcraft.agents import CONFIGURATIONS
from mirrorcraft.agents.prompts import FOLDER, messages, render
from mirrorcraft.core.action import SKILLS
from mirrorcraft.core.errors import InputError

# The JSON contracts and the labels of state that paper v2, section L, gives for each prompt.
CONTRACTS = {
    "direct": ["skill", "args"],
    "react": ["thought", "skill", "args"],
    "reflector": ["failure_type", "diagnosis", "next_subgoal", "avoid", "try", "expiry_condition"],
    "voyager": ["explain", "plan", "program", "name", "description", "subgoal", "success", "kind", "item", "target", "count", "facility", "distance", "actions"],
    "critic": ["reasoning", "success", "critique"],
    "xenon_initializer": ["root", "nodes", "item", "requirements", "count", "action_hint"],
    "xenon": ["thought", "subgoal", "skill", "args"],
    "adam_planner": ["subgoals", "target", "reason"],
    "adam": ["thought", "subgoal", "skill", "args"],
    "adam_discovery": ["edges", "sample_key", "causes", "type", "name", "count", "effects"],
    "repair": ["skill", "args"],
}  # fmt: skip
LABELS = """GOAL TASK TASK_STATE ACTION_BUDGET INVENTORY EQUIPPED EXPERIENCE CURRENT_CAPABILITIES
OBSERVED_FACILITIES NEARBY_TARGETS NEARBY_DROPS COMPLETED_ADVANCEMENTS NEARBY_ENTITIES POSITION CURRENT_PROGRESS
VERIFIED_ACTION_EFFECTS VANILLA_RECIPE_HYPOTHESES VANILLA_PRIOR_RULE""".split()
SOMETIMES = """CURRENT_BLOCKER BLOCKER_RULE AVAILABLE_FACILITY_FACT OWNED_UNPLACED_FACILITIES FACILITY_CONSTRAINT
ACTIONABLE_VERIFIED_TRANSFORMATIONS RECOVERY_CONSTRAINT UNUSED_OUTPUT_WARNING OUTPUT_USE_REQUIRED OUTPUT_USE_CHECK
LAST_ACTION_FEEDBACK STAGNATION_WARNING FORBIDDEN_EXACT_ACTION_UNTIL_STATE_CHANGES HARD_CONSTRAINT
BLOCKED_ACTION_PREREQUISITES FAILURE_CYCLE CYCLE_BREAK_REQUIRED STAGNATION_CYCLE NO_PROGRESS_CYCLE_BREAK_REQUIRED""".split()
DIRECT = """GOAL TASK TASK_ROUTE NEXT_UNFINISHED_MILESTONE ACTION_BUDGET INVENTORY EXPERIENCE CURRENT_CAPABILITIES
NEARBY_BLOCKS NEARBY_DROPS NEARBY_ENTITIES SURVIVAL LATEST_VERIFIED_RESULT STILL_BLOCKED_ACTIONS FAILURE_CYCLE
STAGNATION_CYCLE VERIFIED_ACTION_EFFECTS STATIC_VANILLA_RECIPE_HYPOTHESES""".split()


def source(name: str) -> str:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.sub(r'{% include "([^"]+)" %}', lambda m: source(m[1]), text)


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_prompt_asks_for_the_fields_of_its_contract_in_order(name: str):
    text = source(f"{name}.system.j2")
    contract = text[text.rfind("Reply with ONLY") :]
    keys = re.findall(r'"([a-z_]+)":', contract)
    assert [k for k in dict.fromkeys(keys) if k in CONTRACTS[name]] == CONTRACTS[name]


def test_the_observation_has_every_label_and_conditional_label():
    text = source("observation.j2")
    for label in LABELS + SOMETIMES:
        assert re.search(rf"\b{label}\b", text), label


def test_the_direct_state_has_its_own_labels():
    text = source("direct.user.j2")
    for label in DIRECT:
        assert re.search(rf"^{label}: ", text, re.MULTILINE), label


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_labels_stand_at_the_start_of_a_line_of_what_is_sent(name: str):
    episode = Episode(name, prior()).play(12)
    purpose = "program" if name == "voyager" else "action"
    labels = DIRECT if name == "direct" else LABELS
    for prompt in episode.prompts(purpose):
        for label in labels:
            assert re.search(rf"^{label}(:| \()", prompt, re.MULTILINE), label


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_action_prompt_describes_all_thirteen_skills(name: str):
    first = Episode(name, prior()).play(1).agent.trajectory()[-1]
    for skill in SKILLS:
        assert f"- {skill}(" in first["messages"][0]["content"]


@pytest.mark.parametrize("file", sorted(f.name for f in FOLDER.glob("*.j2")))
def test_a_field_that_is_missing_is_an_error_that_names_it(file: str):
    name = file.removesuffix(".j2")
    if "{{" not in source(file) and "{%" not in source(file):
        assert render(name, {})
        return
    with pytest.raises(InputError, match="is undefined"):
        render(name, {})


def prose(text: str) -> list[str]:
    """Return the words of a text without contracts, signatures of skills, and names."""
    text = re.sub(r"Reply with ONLY.*\}|\w+\([^)]*\)", " ", text)
    words = re.findall(r"[a-z0-9_']+", text.lower())
    return [w for w in words if "_" not in w and w not in SKILLS]


def runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def test_no_nine_words_in_a_row_are_those_of_the_papers():
    papers = [SHARED / "papers" / f"mirrorcraft-{v}.txt" for v in ("v1", "v2")]
    if not all(p.is_file() for p in papers):
        pytest.skip("the papers are not beside the project")
    theirs = set().union(*(runs(prose(p.read_text(encoding="utf-8")), 9) for p in papers))
    assert len(theirs) > 20_000
    for file in FOLDER.glob("*.j2"):
        ours = runs(prose(file.read_text(encoding="utf-8")), 9)
        assert not ours & theirs, file.name


def test_every_prompt_file_is_sent_by_some_configuration():
    seen: set[str] = set()
    included = {
        i for f in FOLDER.glob("*.j2") for i in re.findall(r'include "([^"]+)"', f.read_text())
    }
    python = "".join(f.read_text() for f in FOLDER.parent.glob("*.py"))
    for file in FOLDER.glob("*.j2"):
        name = file.name.split(".")[0]
        if file.name in included or f'"{name}"' in python:
            seen.add(file.name)
    assert {f.name for f in FOLDER.glob("*.j2")} == seen


def test_only_the_disclosed_configuration_is_told_that_rules_changed():
    for name in CONFIGURATIONS:
        episode = Episode(name, prior(), suite="M01").play(3)
        texts = " ".join(m["content"] for c in episode.agent.trajectory() for m in c["messages"])
        told = "RULES OF THIS WORLD HAVE CHANGED" in texts
        assert told == (name == "react_rules")
        sheet = episode.world.rules.describe()
        assert all(line in texts for line in sheet) == (name == "react_rules")


def test_a_pair_of_prompts_is_a_system_and_a_user_message():
    roles = [m["role"] for m in messages("critic", dict.fromkeys(("program", "start_state", "final_state", "execution", "check", "unreadable"), None))]  # fmt: skip
    assert roles == ["system", "user"]
