"""docs/agents.md: its worked example runs, its studies are valid, its table is that of the code."""

import re
import sys
from pathlib import Path

import pytest

from mirrorcraft.agents import (
    AGENTS,
    CONFIGURATIONS,
    adam,
    causes,
    dependencies,
    history,
    react,
    reflexion,
    voyager,
    xenon,
)
from mirrorcraft.study.models import read_trajectory
from mirrorcraft.study.plan import parse_study
from mirrorcraft.study.run import run_study
from mirrorcraft.study.store import read_run

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_worked_example_plays_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (code,) = blocks("python")
    study = blocks("toml")[-1]
    (tmp_path / "reminded.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        progress = run_study(study, parse_study(study, "docs", AGENTS), tmp_path / "run", workers=1)
    finally:
        sys.modules.pop("reminded", None)
    assert (progress.done, progress.faults) == (2, 0)
    vanilla, mirror = read_run(tmp_path / "run").episodes
    assert vanilla.score == 100
    assert mirror.usage is not None
    assert mirror.usage.account is not None
    assert mirror.usage.account["mechanisms"]["surprises"] > 0
    last = read_trajectory(tmp_path / "run", mirror.spec.id)[-1]["messages"][-1]["content"]
    assert "SURPRISES:\n- " in last


@pytest.mark.parametrize("study", blocks("toml"))
def test_every_study_in_it_is_one(study: str):
    assert parse_study(study, "docs", AGENTS).agents


def test_its_table_names_every_configuration_with_the_limits_of_the_code():
    table = TEXT.split("## The seven configurations")[1].split("\n## ")[0]
    rows = {m[1]: m[0] for m in re.findall(r"^(\| `(\w+)` \|.*)$", table, re.MULTILINE)}
    assert rows.keys() == CONFIGURATIONS.keys()
    limits = {
        "direct": [f"{history.EFFECTS} effects"],
        "react": [f"{react.TRACE} transitions"],
        "react_rules": [f"{react.TRACE} transitions"],
        "reflexion": [f"{reflexion.LESSONS} lessons", f"{reflexion.REVIEWS} reviews", f"{reflexion.RETENTION} actions"],
        "voyager": [f"{voyager.MACRO_LENGTH} actions", f"{voyager.LIBRARY} programs", f"{voyager.RETRIEVED} retrieved", f"{voyager.REPAIRS} repairs"],
        "xenon": [f"{dependencies.NODES} nodes", f"{xenon.MEMORY} entries", f"{xenon.RETRIEVED} retrieved", f"{xenon.FAILURES} failures"],
        "adam": [f"{causes.NODES} nodes", f"{adam.MEMORY} entries", f"{adam.PROBES} probes", f"last {adam.NO_PROBES_IN_LAST} actions"],
    }  # fmt: skip
    for name, texts in limits.items():
        assert all(text in rows[name] for text in texts), name
