"""Smelting against a naive furnace that ticks as the game's does, and the traps of fuel, station and room."""

from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import oracle
from stage import Stage

from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.layout import SLOTS

VANILLA = Rulebook.vanilla("1.19")
STATIONS = ("furnace", "blast_furnace", "smoker")


@dataclass
class Furnace:
    """A furnace that ticks; the feeder puts one fuel in whenever the game would eat one.

    Attributes:
        rules: what cooks, and how long fuels burn.
        station: furnace, blast_furnace or smoker.
        pockets: what the feeder owns.
        lit: ticks that the fire still burns.
        made: what has come out, and not been taken.
    """

    rules: Rulebook
    station: str
    pockets: dict[str, int]
    lit: int = 0
    progress: int = 0
    clock: int = 0
    made: dict[str, int] = field(default_factory=dict)

    def cook(self, item: str, want: int, order: list[str]) -> int:
        """Tick until ``want`` items are done, the output is full, or no fire burns and none can be lit.

        Returns how many were done.
        """
        recipe = self.rules.cook(self.station, item)
        assert recipe
        done, faster = 0, 1 if self.station == "furnace" else 2
        stack = self.rules.items[recipe.result].stack
        want = min(want, self.pockets[item])
        self.progress = 0
        while done < want and self.made.get(recipe.result, 0) + recipe.count <= stack:
            if self.lit == 0:
                kept = {item: want - done}
                fuel = next((f for f in order if self.pockets.get(f, 0) > kept.get(f, 0)), None)
                if fuel is None:
                    break
                self.pockets[fuel] -= 1
                self.lit = self.rules.fuels[fuel] // faster
            self.clock += 1
            self.lit -= 1
            self.progress += 1
            if self.progress == recipe.cookingtime:
                self.progress = 0
                self.pockets[item] -= 1
                self.made[recipe.result] = self.made.get(recipe.result, 0) + recipe.count
                done += 1
        return done

    def rest(self, ticks: int) -> None:
        self.clock += ticks
        self.lit = max(0, self.lit - ticks)


FUELS = ["coal", "charcoal", "oak_log", "birch_log", "oak_planks", "spruce_planks", "coal_block",
         "stick", "oak_slab"]  # fmt: skip
INPUTS = {
    "furnace": ["raw_iron", "oak_log", "cobblestone", "sand", "beef", "iron_hoe"],
    "blast_furnace": ["raw_iron", "raw_gold", "iron_ore", "iron_hoe"],
    "smoker": ["beef", "potato"],
}
counts = st.integers(1, 8)


def kitchen(suite: str, station: str) -> Stage:
    """Return a stage with a station beside the body."""
    stage = Stage(suite).room().own(**{station: 1})
    assert stage.act("place", block=station).outcome.ok
    return stage


orders = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 6), st.integers(1, 200)), min_size=1, max_size=4
)


@given(
    suite=st.sampled_from(["vanilla", "M01", "M03", "M05"]),
    station=st.sampled_from(STATIONS),
    fuels=st.dictionaries(st.sampled_from(FUELS), st.integers(1, 5), max_size=4),
    inputs=st.lists(st.integers(1, 7), min_size=6, max_size=6),
    orders=orders,
)
@example("vanilla", "furnace", {}, [5, 7, 1, 1, 1, 1], [(1, 4, 1), (1, 2, 1)])
@settings(max_examples=80)
def test_a_station_does_what_the_naive_furnace_does(
    suite: str,
    station: str,
    fuels: dict[str, int],
    inputs: list[int],
    orders: list[tuple[int, int, int]],
):
    stage = kitchen(suite, station)
    menu = INPUTS[station]
    owned = dict(zip(menu, inputs, strict=False)) | fuels
    stage.own(**owned)
    twin = Furnace(stage.rules, station, dict(stage.inventory))
    order = [stage.names.items[i] for i in stage.tables.fuels[: stage.tables.n_fuels]]
    for which, want, pause in orders:
        item = menu[which % len(menu)]
        if not stage.inventory.get(item):
            continue
        start = twin.clock
        done = twin.cook(item, want, order)
        outcome = stage.act("smelt", input=item, station=station, count=want).outcome
        assert (outcome.result["processed"], outcome.ticks) == (done, twin.clock - start)
        for made, n in twin.made.items():
            twin.pockets[made] = twin.pockets.get(made, 0) + n
        twin.made.clear()
        assert stage.inventory == {i: n for i, n in twin.pockets.items() if n}
        expected = None if done == want else Reason.PARTIAL if done else Reason.NO_FUEL
        assert outcome.reason == expected
        stage.act("wait", ticks=pause)
        twin.rest(pause)


def test_fuels_burn_as_long_as_the_game_says():
    fuels = oracle("fuels_119.json")
    ticks = next(v for v in fuels.values() if isinstance(v, dict) and len(v) > 100)
    told = {name.removeprefix("minecraft:"): n for name, n in ticks.items()}
    assert all(VANILLA.fuels[name] == told[name] for name in FUELS)


@pytest.mark.parametrize("station", ["furnace", "blast_furnace"])
def test_one_coal_smelts_eight_in_either_station(station: str):
    stage = kitchen("vanilla", station).own(raw_iron=12, coal=1)
    ticks = 0
    for count, reason in ((6, None), (6, Reason.PARTIAL), (1, Reason.NO_FUEL)):
        outcome = stage.act("smelt", input="raw_iron", station=station, count=count).outcome
        assert outcome.reason == reason
        ticks += outcome.ticks
    assert stage.inventory == {"iron_ingot": 8, "raw_iron": 4}
    assert ticks == 8 * (200 if station == "furnace" else 100)


def test_the_fire_burns_on_while_the_body_does_other_things():
    stage = kitchen("vanilla", "furnace").own(raw_iron=2, coal=1)
    stage.act("smelt", input="raw_iron", count=1)
    for _ in range(6):
        stage.act("wait", ticks=200)
    assert stage.act("smelt", input="raw_iron", count=1).outcome.ok  # 200 ticks of it are left
    stage.own(raw_iron=1)
    assert stage.reason("smelt", input="raw_iron", count=1) == Reason.NO_FUEL


# ---- no room


def test_with_no_free_slot_the_output_stays_in_the_station_and_nothing_is_lost():
    stage = kitchen("vanilla", "furnace").own(raw_iron=64, coal=2).fill()
    assert int(stage.state.occupied) == SLOTS
    step = stage.act("smelt", input="raw_iron", count=3)
    assert step.outcome.reason == Reason.INVENTORY_FULL
    assert step.outcome.result["processed"] == 3
    assert step.outcome.result["left_in_station"] == {"iron_ingot": 3}
    assert "iron_ingot" not in step.outcome.delta
    assert stage.everything()["iron_ingot"] + stage.everything()["raw_iron"] == 64
    assert not step.audit.advancements


def test_what_was_left_in_a_station_is_taken_with_the_next_output():
    stage = kitchen("vanilla", "furnace").own(raw_iron=60, coal=9).fill()
    assert stage.reason("smelt", input="raw_iron", count=2) == Reason.INVENTORY_FULL
    assert stage.reason("smelt", input="raw_iron", count=2) == Reason.INVENTORY_FULL
    assert stage.everything()["iron_ingot"] == 4
    step = stage.lose(dirt=64).act("smelt", input="raw_iron", count=1)
    assert step.outcome.reason is None
    assert step.outcome.delta["iron_ingot"] == 5


def test_a_full_output_slot_stops_the_station_and_spends_nothing_more():
    stage = kitchen("M01", "furnace").own(raw_iron=60, coal=9).fill()
    done = [
        stage.act("smelt", input="raw_iron", count=6).outcome.result["processed"] for _ in range(4)
    ]
    assert done == [6, 6, 6, 3]  # three nuggets each: for three more than 63 there is no room
    step = stage.act("smelt", input="raw_iron", count=6)
    assert step.outcome.result["left_in_station"] == {"iron_nugget": 63}
    assert (step.outcome.ok, step.outcome.reason) == (False, Reason.INVENTORY_FULL)
    assert (step.outcome.delta, step.outcome.ticks) == ({}, 0)


def test_another_output_than_what_lies_in_the_station_is_not_begun():
    stage = kitchen("vanilla", "furnace").own(raw_iron=60, sand=60, coal=9).fill()
    stage.act("smelt", input="raw_iron", count=1)
    outcome = stage.act("smelt", input="sand", count=1).outcome
    assert (outcome.ok, outcome.reason, outcome.delta) == (False, Reason.INVENTORY_FULL, {})


def test_breaking_a_station_lets_its_output_fall():
    stage = kitchen("vanilla", "furnace").own(raw_iron=64, coal=2, wooden_pickaxe=1).fill()
    stage.act("smelt", input="raw_iron", count=2)
    step = stage.act("mine", block="furnace")
    assert step.outcome.reason == Reason.PICKUP_FAILED
    assert stage.everything()["iron_ingot"] == 2
    assert stage.everything()["furnace"] == 1
    assert step.observation.drops.keys() == {"iron_ingot", "furnace"}
    assert step.observation.facilities == {}


# ---- other refusals


@pytest.mark.parametrize(
    ("items", "station", "args", "reason"),
    [
        ({"raw_iron": 1}, "furnace", {"input": "raw_iron"}, Reason.NO_FUEL),
        ({"raw_iron": 1, "gravel": 5}, "furnace", {"input": "raw_iron"}, Reason.NO_FUEL),
        ({"oak_log": 1}, "furnace", {"input": "oak_log"}, Reason.NO_FUEL),
        ({"coal": 1}, "furnace", {"input": "raw_iron"}, Reason.MISSING_ITEM),
        ({"coal": 1, "dirt": 1}, "furnace", {"input": "dirt"}, Reason.NO_OUTPUT),
        ({"coal": 1, "sand": 1}, "blast_furnace",
         {"input": "sand", "station": "blast_furnace"}, Reason.NO_OUTPUT),
        ({"coal": 1, "raw_iron": 1}, "smoker",
         {"input": "raw_iron", "station": "smoker"}, Reason.NO_OUTPUT),
        ({"coal": 1, "raw_iron": 1}, "furnace",
         {"input": "raw_iron", "station": "smoker"}, Reason.NEEDS_STATION),
        ({"coal": 1, "raw_iron": 1}, "crafting_table", {"input": "raw_iron"},
         Reason.NEEDS_STATION),
    ],
)  # fmt: skip
def test_a_smelting_that_cannot_be_is_refused_and_takes_nothing(
    items: dict[str, int], station: str, args: dict[str, str], reason: Reason
):
    stage = kitchen("vanilla", station).own(**items)
    outcome = stage.act("smelt", **args).outcome
    assert (outcome.ok, outcome.reason, outcome.delta) == (False, reason, {})


def test_a_station_out_of_the_radius_is_needed_again():
    stage = kitchen("vanilla", "furnace").own(raw_iron=1, coal=1)
    assert stage.seen.facilities.keys() == {"furnace"}
    stage.state.x += 30
    assert stage.reason("smelt", input="raw_iron") == Reason.NEEDS_STATION
    assert stage.seen.facilities == {}


def test_three_nuggets_come_of_one_raw_iron_where_the_suite_says_so():
    stage = kitchen("M01", "furnace").own(raw_iron=2, coal=1)
    step = stage.act("smelt", input="raw_iron", count=2)
    assert step.outcome.delta == {"raw_iron": -2, "coal": -1, "iron_nugget": 6}
    assert step.outcome.result["output"] == {"iron_nugget": 6}
    assert step.audit.encounters == ("M01.raw_iron",)
    assert step.audit.advancements == ()
