"""Manifests of changed physics."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracks.circuits.random_builds import random_build
from tracks.circuits.twin import differs_from_twin

from mirrorcraft.core.data import rules_dir
from mirrorcraft.core.errors import ManifestError
from mirrorcraft.tracks.circuits import physics
from mirrorcraft.tracks.circuits.physics import Physics, physics_for


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "mirror"}, "kind"),
        ({"changes": []}, "changes"),
        ({"changes": [{"id": "a", "rule": "gravity", "value": 2}]}, "changes"),
        ({"changes": [{"id": "a", "rule": "dust_decay", "value": 16}]}, "1 to 15"),
        ({"changes": [{"id": "a", "rule": "dust_decay", "value": 1}]}, "unlike the game's"),
        ({"changes": [{"id": "a", "rule": "torch_gt", "value": n} for n in (3, 4)]}, "once"),
        ({"changes": [{"id": "a", "rule": "conductors", "value": ["dirt"]}]}, "changes"),
    ],
)
def test_a_malformed_manifest_says_where_and_what(change, message):
    good = {
        "schema_version": "1.0",
        "kind": "redstone",
        "id": "X",
        "title": "x",
        "game_version": "1.19",
        "changes": [{"id": "a", "rule": "dust_decay", "value": 3}],
    }
    assert physics.checked(good, "x").physics().dust_decay == 3
    with pytest.raises(ManifestError, match=message):
        physics.checked({**good, **change}, "x")


def test_a_rule_sheet_has_a_sentence_for_each_change():
    for suite in physics.suites():
        changes = physics.RedstoneManifest.load(suite).changes
        assert len(physics.describe(physics_for(suite))) == len(changes)
    assert physics.describe(Physics()) == []


@given(seed=st.integers(0, 1 << 40))
def test_a_drawn_manifest_is_one_and_depends_on_its_seed_alone(seed):
    drawn = physics.sample(seed)
    assert (
        physics.checked(json.loads(drawn.model_dump_json()), "x") == drawn == physics.sample(seed)
    )
    assert 1 <= len(physics.describe(drawn.physics())) <= 3


def test_drawn_rules_differ_and_the_plain_twin_goes_by_them_too():
    rules = [physics.sample(seed).physics() for seed in range(12)]
    assert len(set(rules)) > 9
    assert [n for n, own in enumerate(rules) if differs_from_twin(random_build(n), own)] == []


def test_the_published_schema_is_that_of_the_manifests():
    published = rules_dir() / "schema" / "redstone.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == physics.json_schema()
