"""Proofs find every planted fault, pass the six suites, and blame the fewest changes."""

import json
import time
from pathlib import Path

import pytest
from broken_suites import FAULTS, SOUND, broken, count, manifest, ore, result, served
from hypothesis import given, settings

from mirrorcraft.cli import main
from mirrorcraft.core.data import names_in
from mirrorcraft.core.errors import ManifestError, PackError, UnknownNameError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import build
from mirrorcraft.testing import CLAIMS, prove
from mirrorcraft.testing.strategies import manifests

# What is known of the six, as their rule sheets have it; each is a note, none a fault.
KNOWN = {
    "M02": {("conserved", "sugar_cane")},  # cane drops leather, and can be planted again
    "M04": {("encountered", "M04.coal_ore")},  # logs are fuel enough
}


def test_at_least_fifty_faults_are_planted_and_every_claim_is_broken():
    assert len(FAULTS) >= 50
    assert {fault.claim for fault in FAULTS.values()} == set(CLAIMS)


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str):
    claim, make = FAULTS[name]
    proof = prove(**make(), claims=[claim])
    assert not proof.ok
    assert any(finding.fault for finding in proof.of(claim))
    assert all(finding.text and finding.about for finding in proof.findings)


@pytest.mark.parametrize("suite", names_in("suites"))
def test_the_six_suites_pass_in_time_with_nothing_but_what_is_known(suite: str):
    start = time.process_time()
    proof = prove(suite)
    assert proof.ok, proof
    assert {(f.claim, f.about) for f in proof.findings} == KNOWN.get(suite, set())
    assert time.process_time() - start < 30


def test_vanilla_has_no_findings_at_all():
    assert prove(Rulebook.vanilla("1.19")).findings == ()


def test_what_the_faults_were_planted_in_is_sound():
    proof = prove(
        **served(lambda files: None), claims=["untouched", "declared", "conserved", "pack"]
    )
    assert proof.findings == ()


# The same examples on every run: a drop of three wide ranges has 65 ** 3 outcomes, and takes a minute by chance.
@given(manifests(max_changes=6))
@settings(max_examples=5, derandomize=True)
def test_any_manifest_does_what_it_declares_and_nothing_else(made: RuleManifest):
    assert prove(made, claims=["untouched", "declared", "pack"]).findings == ()


# --- shrinking


def test_the_changes_that_a_fault_does_not_take_are_not_blamed():
    loop = count("iron_ingot_from_iron_block", 10)
    found = prove(manifest(*SOUND[:2], loop, *SOUND[4:]), claims=["conserved"]).findings
    assert [finding.changes for finding in found] == [("F01.c2",)]


def test_a_loop_of_two_changes_blames_both():
    # Nine ingots still make a block and ten come back; but the block takes two recipes to get.
    first, second = (
        result("iron_block", "gold_block"),
        result("gold_ingot_from_gold_block", "iron_ingot", 10),
    )
    found = prove(manifest(count("stick", 2), first, second), claims=["conserved"]).findings
    assert [finding.changes for finding in found] == [("F01.c1", "F01.c2")]
    assert "9 iron_ingot -> 1 gold_block" in found[0].text


def test_a_loop_is_shown_without_conversions_that_it_does_not_take():
    found = prove(manifest(count("iron_ingot_from_iron_block", 10)), claims=["conserved"]).findings
    assert found[0].text == (
        "1 x craft 9 iron_ingot -> 1 iron_block; 1 x craft 1 iron_block -> 10 iron_ingot: "
        "all that went in is back, and 1 iron_ingot more"
    )


def test_two_causes_of_one_fault_leave_one_that_is_enough():
    both = [broken("removed", ore("lapis_ore")), broken("removed", ["obsidian"])]
    found = prove(manifest(*both), claims=["reachable"]).findings
    assert [finding.about for finding in found] == ["enchantment"]
    assert len(found[0].changes) == 1


# --- what can be proved, and how it is asked


def test_a_pack_is_proved_from_its_file(tmp_path: Path):
    rules = Rulebook.vanilla("1.19").apply(RuleManifest.load("M05"))
    build(rules).write_zip(tmp_path / "m05.zip")
    proof = prove(tmp_path / "m05.zip", claims=["untouched", "declared", "reachable", "pack"])
    assert proof.subject == "m05.zip"
    assert proof.ok, proof


def test_only_the_tasks_asked_for_must_be_possible():
    suite = manifest(broken("removed", ore("lapis_ore")))
    assert prove(suite, tasks=["diamond"], claims=["reachable"]).ok
    assert not prove(suite, tasks=["enchantment"], claims=["reachable"]).ok


def test_what_cannot_be_proved_at_all_is_an_error(tmp_path: Path):
    with pytest.raises(UnknownNameError, match="conserved"):
        prove("M01", claims=["beautiful"])
    with pytest.raises(UnknownNameError, match="dragon"):
        prove("M01", tasks=["dragon"])
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ManifestError, match=r"broken\.json"):
        prove(tmp_path / "broken.json")
    (tmp_path / "broken.zip").write_text("no zip")
    with pytest.raises(PackError, match=r"broken\.zip"):
        prove(tmp_path / "broken.zip")


def test_the_command_prints_a_counterexample_and_says_so_in_its_exit_code(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    bad = tmp_path / "bad.json"
    bad.write_text(manifest(count("iron_ingot_from_iron_block", 10)).to_json())
    assert main(["rules", "prove", str(bad), "--tasks", "iron_armor"]) == 1
    text = capsys.readouterr().out
    assert "FAULT  no loop of crafting, cooking or placing creates items" in text
    assert "1 iron_block -> 10 iron_ingot" in text
    assert main(["rules", "prove", str(bad), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["claims"]["conserved"]["holds"]
    assert told["claims"]["declared"]["holds"]
    assert told["findings"][0]["changes"] == ["F01.c0"]


def test_the_command_holds_a_manifest_against_the_pack_of_a_server(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    build(Rulebook.vanilla("1.19").apply(RuleManifest.load("M02"))).write_zip(tmp_path / "p.zip")
    assert main(["rules", "prove", "M05", "--pack", str(tmp_path / "p.zip")]) == 1
    assert "M05.furnace: recipe furnace should give 1 blast_furnace" in capsys.readouterr().out
