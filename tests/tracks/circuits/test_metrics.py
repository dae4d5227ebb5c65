"""Success, gaps and ratios, against the published tables."""

import json

import pytest
from oracle import SHARED

from mirrorcraft.tracks.circuits import metrics

PUBLISHED = SHARED / "spec" / "scicrafter" / "published_tables.json"


def test_the_published_gaps_are_recomputed():
    if not PUBLISHED.is_file():
        pytest.skip("the published tables are not beside the project")
    for told in json.loads(PUBLISHED.read_text())["gap_table"].values():
        rates = {
            "baseline": told["baseline"],
            "hint": told["with_hint"],
            "both": told["with_hint_scientist"],
        }
        gap = metrics.gaps(rates)
        assert gap is not None
        assert gap.identification == pytest.approx(told["delta_id"])
        assert gap.discovery == pytest.approx(told["delta_ds"])
        assert gap.application == pytest.approx(told["delta_app"])
        assert gap.baseline + gap.identification + gap.discovery + gap.application == pytest.approx(
            100
        )
        ratios = gap.ratios()
        found = [ratios[name] for name in ("identification", "discovery", "application")]
        assert found == pytest.approx(told["ratios_id_ds_app"], abs=0.0051)


def test_the_published_levels_average_to_the_published_rates():
    if not PUBLISHED.is_file():
        pytest.skip("the published tables are not beside the project")
    told = json.loads(PUBLISHED.read_text())
    means = {name: sum(row) / 5 for name, row in told["per_level_gemini"].items()}
    consolidation = told["consolidation_gemini"]
    gap = metrics.gaps(
        {
            "baseline": means["baseline"],
            "hint": means["hint"],
            "both": means["hint+scientist"],
            "both-default": consolidation["self_determined"],
        }
    )
    assert gap is not None
    assert gap == pytest.approx(metrics.Gaps(26.0, 26.5, 11.5, 6.0, 36.0))
    assert gap.ratios()["consolidation"] == pytest.approx(0.23, abs=0.005)


def test_a_gap_needs_its_conditions_and_a_ratio_its_baseline():
    assert metrics.gaps({"baseline": 10.0, "hint": 20.0}) is None
    gap = metrics.gaps({"baseline": 0.0, "hint": 20.0, "both": 30.0})
    assert gap is not None
    assert gap.ratios()["identification"] is None
