"""What the body's source may not hold, and that its parts are where the design says."""

import json
import re

import pytest

from mirrorcraft.core.action import SKILLS
from mirrorcraft.server.bot import DEADLINES
from mirrorcraft.server.node import BODY, SQUID

SOURCES = [p for p in BODY.rglob("*.js") if "node_modules" not in p.parts]
# A body that read rules could play by them without having found out; one that crafts by recipe knows them.
FORBIDDEN = (
    r"bot\.craft", "recipe", r"loot(?!ing)", "datapack", "declare_recipes", "recipesFor", "recipesAll", "creative",
    r"bot\.chat", "minecraft-data", "suite", "mirror",
)  # fmt: skip


@pytest.mark.parametrize("word", FORBIDDEN)
def test_the_body_never_touches(word):
    hits = [p.name for p in SOURCES if re.search(word, p.read_text(), re.IGNORECASE)]
    assert hits == []


def test_every_skill_has_a_file_of_its_own_and_a_deadline():
    files = {p.stem for p in (BODY / "skills").glob("*.js")} - {"index"}
    assert files == set(SKILLS) == set(DEADLINES)


def test_the_lock_names_no_host():
    lock = json.loads((BODY / "package-lock.json").read_text())
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
    pinned = json.loads((BODY / "package.json").read_text())["dependencies"]
    assert all(re.fullmatch(r"[\d.]+", version) for version in pinned.values())
    assert lock["packages"][""]["dependencies"] == pinned


@pytest.mark.parametrize("folder", [BODY, SQUID], ids=["body", "squid"])
def test_every_script_says_in_its_first_line_what_it_holds(folder):
    for script in folder.rglob("*.js"):
        assert script.read_text().startswith("// "), script
