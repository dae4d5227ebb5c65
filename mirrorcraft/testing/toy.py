"""A tiny world without space: everything is at hand, the rules are those of a Rulebook, luck is counted draws."""

from collections.abc import Iterable, Mapping
from typing import Any

from mirrorcraft.core.action import SKILLS, Action, Refusal, check
from mirrorcraft.core.backend import Audit, Step
from mirrorcraft.core.data import body
from mirrorcraft.core.encounters import Encounters, Event
from mirrorcraft.core.loot import Distribution
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Ending, Outcome, Reason
from mirrorcraft.core.rng import uniform
from mirrorcraft.core.routes import NATURAL_BLOCKS, NATURAL_ENTITIES
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

Answer = tuple[bool, Reason | None, dict[str, Any]]


class ToyBackend:
    """Plays by the rules, in the plainest way; only space, time and wear are left out.

    Args:
        blocks: blocks that are always at hand, any number of each.
        entities: mobs that are always at hand.
    """

    def __init__(
        self, blocks: Iterable[str] = NATURAL_BLOCKS, entities: Iterable[str] = NATURAL_ENTITIES
    ):
        self.blocks, self.entities = tuple(blocks), tuple(entities)

    def reset(self, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        """Start an episode with empty pockets and return its first observation."""
        self.rules, self.task, self.seed = rules, task, seed
        self.have: dict[str, int] = {}
        self.placed: list[str] = []
        self.done: set[str] = set()
        self.used = self.draws = 0
        self.last: dict[str, Any] | None = None
        self.encounters = Encounters(Rulebook.vanilla(rules.version), rules)
        self.event: Event | None = None
        return self.observation()

    def step(self, action: Action) -> Step:
        """Play one action; the audit names the advancements gained and the changed rules met."""
        self.used += 1
        self.event = None
        before = dict(self.have)
        checked = check(action, self.rules)
        if isinstance(checked, Refusal):
            answer: Answer = False, checked.reason, {"detail": checked.detail}
        else:
            answer = getattr(self, "do_" + checked.skill)(**checked.args)
        self.have = {i: n for i, n in self.have.items() if n}
        items = sorted({*before, *self.have})
        delta = {i: self.have.get(i, 0) - before.get(i, 0) for i in items}
        outcome = Outcome(*answer, {i: n for i, n in delta.items() if n}, 20)
        new = [a for i, n in outcome.delta.items() if n > 0 for a in self.rules.triggered_by(i)]
        if action.skill == "enchant" and outcome.ok:
            new.append("story/enchant_item")
        self.done |= set(new)
        args = action.args if isinstance(checked, Refusal) else checked.args
        self.last = {"skill": action.skill, "args": dict(args), **outcome.as_dict()}
        over = self.used >= self.task.budget
        ending = Ending.GOAL if self.task.goal.id in self.done else Ending.BUDGET if over else None
        met = self.encounters.of(self.event) if self.event else ()
        return Step(self.observation(), outcome, Audit(tuple(new), met), ending)

    def observation(self) -> Observation:
        milestones = [{"id": m.id, "done": m.id in self.done} for m in self.task.milestones]
        return Observation(
            task={"id": self.task.id, "milestones": milestones},
            progress={"score": self.task.score(self.done), "done": sorted(self.done)},
            budget={"used": self.used, "left": self.task.budget - self.used},
            inventory=dict(sorted(self.have.items())),
            equipped={},
            experience={"level": 100},
            survival={"health": 20, "food": 20, "alive": True},
            position={"x": 0.5, "y": 64.0, "z": 0.5},
            biome="plains",
            targets=dict.fromkeys((*self.blocks, *self.placed), 3.0),
            drops={},
            entities={e: {"count": 4, "nearest": 5.0} for e in self.entities},
            facilities={s: 2.0 for s in self.placed if s in body()["stations"]},
            last=self.last,
            skills=SKILLS,
        )

    # ---- skills
    def do_mine(self, block: str, count: int) -> Answer:
        if block not in self.blocks and block not in self.placed:
            return False, Reason.NOT_FOUND, {}
        tool = next((t for t in (None, *self.have) if self.rules.harvestable(block, t)), "")
        if tool == "":
            return False, Reason.NEEDS_TOOL, {"detail": block}
        n = min(count, self.placed.count(block)) if block in self.placed else count
        self.event = Event("break", block, tool, ())
        collected = self.take_all(self.rules.drops(block, tool) for _ in range(n))
        for _ in range(n if block in self.placed else 0):
            self.placed.remove(block)
        reason = None if n == count else Reason.PARTIAL
        return True, reason, {"broken": {block: n}, "collected": collected}

    def do_attack(self, target: str, count: int) -> Answer:
        if target not in self.entities:
            return False, Reason.NOT_FOUND, {}
        self.event = Event("kill", target, None, 0)
        collected = self.take_all(self.rules.kill(target) for _ in range(count))
        return True, None, {"killed": {target: count}, "collected": collected}

    def do_craft_grid(self, station: str, grid: Any, count: int) -> Answer:
        cells = [c for row in grid for c in row if c]
        if any(self.have.get(c, 0) < cells.count(c) for c in cells):
            return False, Reason.MISSING_ITEM, {}
        if station == "crafting_table" and station not in self.placed:
            return False, Reason.NEEDS_TABLE, {}
        self.event = Event("craft", grid)
        made = self.rules.craft(grid)
        if made is None:
            return False, Reason.NO_RESULT, {}
        for cell in cells:
            self.have[cell] -= 1
        self.give({made.item: made.count})
        return True, None, {"item": made.item, "count": made.count}

    def do_smelt(self, input: str, station: str, count: int) -> Answer:
        if station not in self.placed:
            return False, Reason.NEEDS_STATION, {}
        if not self.have.get(input):
            return False, Reason.MISSING_ITEM, {}
        self.event = Event("cook", station, input)
        recipe = self.rules.cook(station, input)
        if recipe is None:
            return False, Reason.NO_OUTPUT, {}
        n, burning = 0, 0
        needed = recipe.cookingtime * (1 if station == "furnace" else 2)
        while n < count and self.have.get(input):
            self.have[input] -= 1
            while burning < needed and (fuel := self.next_fuel()):
                self.have[fuel] -= 1
                burning += self.rules.fuels[fuel]
            if burning < needed:
                self.have[input] += 1
                break
            burning -= needed
            n += 1
        made = {recipe.result: recipe.count * n} if n else {}
        self.give(made)
        reason = None if n == count else Reason.PARTIAL if n else Reason.NO_FUEL
        return n > 0, reason, {"processed": n, "output": made}

    def next_fuel(self) -> str | None:
        fuels = (i for name in body()["fuels"] for i in self.rules.expand((name,)))
        return next((f for f in fuels if self.have.get(f)), None)

    def do_place(self, block: str) -> Answer:
        puts = self.rules.items[block].block
        if not puts or not self.have.get(block):
            return False, Reason.MISSING_ITEM if puts else Reason.NOT_PLACEABLE, {}
        self.have[block] -= 1
        self.placed.append(puts)
        return True, None, {"placed": {puts: 1}}

    def do_enchant(self, item: str, option: str) -> Answer:
        if "enchanting_table" not in self.placed:
            return False, Reason.NEEDS_STATION, {}
        if not self.have.get(item) or not self.rules.items[item].enchantability:
            return False, Reason.NOT_ENCHANTABLE, {}
        price = ("lowest", "middle", "highest").index(option) + 1
        if self.have.get("lapis_lazuli", 0) < price:
            return False, Reason.NO_LAPIS, {}
        self.have["lapis_lazuli"] -= price
        return True, None, {}

    def do_equip(self, item: str) -> Answer:
        return bool(self.have.get(item)), None if self.have.get(item) else Reason.MISSING_ITEM, {}

    def do_ascend(self, height: int) -> Answer:
        return height == 0, None if height == 0 else Reason.NO_SCAFFOLD, {}

    def do_explore(self, target: str) -> Answer:
        found = target in (*self.blocks, *self.entities, "log")
        return found, None if found else Reason.NOT_FOUND, {}

    def do_prepare_access(self, target: str) -> Answer:
        found = target in (*self.blocks, *self.placed)
        return found, None if found else Reason.NOT_FOUND, {}

    def do_collect(self, item: str) -> Answer:
        return False, Reason.NOT_FOUND, {}  # what drops goes into the pockets at once

    def do_trade(self, give: str, get: str, count: int, **villager: str) -> Answer:
        return False, Reason.NO_VILLAGER, {}

    def do_wait(self, ticks: int) -> Answer:
        return True, None, {}

    # ---- luck and pockets
    def take_all(self, drops: Iterable[Distribution]) -> dict[str, int]:
        total: dict[str, int] = {}
        for distribution in drops:
            for item, n in self.draw(distribution).items():
                total[item] = total.get(item, 0) + n
        self.give(total)
        return dict(sorted(total.items()))

    def draw(self, distribution: Distribution) -> dict[str, int]:
        self.draws += 1
        luck = uniform(self.seed, self.draws, 0)
        for stacks, p in sorted(distribution.items()):
            luck -= float(p)
            if luck < 0:
                return dict(stacks)
        return dict(max(distribution))

    def give(self, items: Mapping[str, int]) -> None:
        for item, n in items.items():
            self.have[item] = self.have.get(item, 0) + n
