"""From the flat row of ``kernels.looking`` to what people and agents read: names, words, an Observation."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

from mirrorcraft.core.action import ENCHANT_OPTIONS, Checked
from mirrorcraft.core.data import body
from mirrorcraft.core.encounters import Event
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.layout import NONE, Code, EventKind, Station
from mirrorcraft.sim.loot_tables import DYES

REASONS: dict[int, Reason | None] = {
    c: None if c is Code.OK else Reason(c.name.lower()) for c in Code
}
DISTANCES = [round(sqrt(d), 1) for d in range(64 * 64)]
WORN_SLOTS = ("head", "chest", "legs", "feet")
STATIONS = body()["stations"]


def rounded(d2: int) -> float:
    """Return a distance in blocks, to 0.1, from its square."""
    return DISTANCES[d2] if d2 < len(DISTANCES) else round(sqrt(d2), 1)


class Names:
    """The names behind the simulator's integers, in the order of a Rulebook's ids (the same for all its mirrors)."""

    def __init__(self, rules: Rulebook):
        self.items, self.blocks, self.entities = (
            list(rules.items),
            list(rules.blocks),
            list(rules.entities),
        )
        self.enchantments, self.advancements = list(rules.enchantments), list(rules.advancements)
        self.item = {name: i for i, name in enumerate(self.items)}
        self.block = {name: i for i, name in enumerate(self.blocks)}
        self.entity = {name: i for i, name in enumerate(self.entities)}

    def item_or_none(self, i: int) -> str | None:
        """Return an item's name, None for NONE."""
        return None if i == NONE else self.items[i]


class Reading:
    """One row, read in order. Attributes are those of ``kernels.looking.look``, with names in place of integers."""

    __slots__ = (
        "code", "detail", "number", "made_item", "made_count", "left", "tick", "x", "y", "z", "level", "alive", "hand",
        "worn", "gained", "used", "searched", "delta", "broken", "collected", "events", "inventory", "drops", "facilities",
        "enchantments", "entities", "targets",
    )  # fmt: skip

    def __init__(self, row: list[int], names: Names):
        (self.code, self.detail, self.number, self.made_item, self.made_count, self.left, self.tick, self.x, self.y,
         self.z, self.level, self.alive, self.hand) = row[:13]  # fmt: skip
        self.worn, self.gained, self.used, self.searched = row[13:17], row[17], row[18], row[19]
        items, blocks = names.items, names.blocks
        n = 20
        touched, n = _entries(row, n, 3)
        self.delta = {items[i]: now - was for i, was, now in touched if now != was}
        broken, n = _entries(row, n, 2)
        self.broken = {blocks[b]: count for b, count in broken}
        collected, n = _entries(row, n, 2)
        self.collected = {items[i]: count for i, count in collected}
        events, n = _entries(row, n, 5)
        self.events = list(events)
        inventory, n = _entries(row, n, 2)
        self.inventory = {items[i]: count for i, count in inventory}
        drops, n = _entries(row, n, 2)
        self.drops = {items[i]: rounded(d) for i, d in drops}
        facilities, n = _entries(row, n, 2)
        self.facilities = {STATIONS[s]: rounded(d) for s, d in facilities}
        enchantments, n = _entries(row, n, 2)
        self.enchantments = {names.enchantments[e]: level for e, level in enchantments}
        entities, n = _entries(row, n, 3)
        self.entities = {
            names.entities[e]: {"count": c, "nearest": rounded(d)} for e, c, d in entities
        }
        targets, n = _entries(row, n, 2)
        self.targets = {blocks[b]: rounded(d) for b, d in targets}


def _entries(row: list[int], n: int, width: int) -> tuple[Iterator[tuple[int, ...]], int]:
    """Return the entries of the list that starts at ``n``, and where the next one starts."""
    end = n + 1 + row[n] * width
    flat = iter(row[n + 1 : end])
    return zip(*[flat] * width, strict=True), end


def result_of(action: Checked, r: Reading, names: Names) -> dict[str, Any]:
    """Return what a skill reports, all of it read from the world after the action."""
    args = action.args
    match action.skill:
        case "mine":
            result: dict[str, Any] = {"broken": r.broken, "collected": r.collected}
        case "attack":
            result = {
                "killed": {args["target"]: r.number} if r.number else {},
                "collected": r.collected,
            }
        case "craft_grid":
            result = {"item": names.item_or_none(r.made_item), "count": r.made_count}
        case "smelt":
            made = names.item_or_none(r.made_item)
            result = {
                "processed": r.number,
                "output": {made: r.made_count} if made and r.made_count else {},
            }
            if r.left:
                result["left_in_station"] = {made: r.left}
        case "enchant":
            result = {"item": names.item_or_none(r.made_item), "enchantments": r.enchantments}
        case "collect":
            result = {"collected": r.collected}
        case "prepare_access" | "ascend":
            result = {"changed" if action.skill == "prepare_access" else "rise": r.made_count}
        case _:
            result = {}
    return result


def detail_of(action: Checked, r: Reading, names: Names, rules: Rulebook) -> str | None:
    """Return a sentence on why an action was refused, from public facts of the game and the agent's own arguments."""
    args = action.args
    match Code(r.code):
        case Code.NEEDS_TOOL:
            block = rules.blocks[args["block"]]
            tools = " or ".join(block.tools) or "special tool"
            return f"{args['block']} drops nothing without a {block.tier or 'wooden'} {tools} or better"
        case Code.MISSING_ITEM:
            return f"not enough {names.items[r.detail]} in the inventory"
        case Code.NEEDS_TABLE:
            return f"no crafting_table within {body()['station_radius']} blocks"
        case Code.NEEDS_STATION | Code.STATION_UNREACHABLE:
            station = args.get(
                "station", "enchanting_table" if action.skill == "enchant" else "crafting_table"
            )
            near = "within" if r.code == Code.NEEDS_STATION else "can be reached within"
            return f"no {station} {near} {body()['station_radius']} blocks"
        case Code.NO_LAPIS:
            return f"the {args['option']} offer takes {ENCHANT_OPTIONS.index(args['option']) + 1} lapis_lazuli"
        case Code.NEEDS_LEVEL:
            return f"the offer asks for level {r.detail}"
        case _:
            return None


def events_of(action: Checked, r: Reading, names: Names) -> Iterator[Event]:
    """Yield what the evaluator compares with vanilla."""
    for kind, a, b, c, _ in r.events:
        if kind == EventKind.CRAFT:
            yield Event("craft", action.args["grid"])
        elif kind == EventKind.COOK:
            yield Event("cook", Station(a + Station.FURNACE).name.lower(), names.items[b])
        elif kind == EventKind.BREAK:
            levels = {"fortune": c & 15, "silk_touch": c >> 4}
            enchantments = tuple((name, level) for name, level in levels.items() if level)
            yield Event("break", names.blocks[a], names.item_or_none(b), enchantments)
        else:
            entity = names.entities[a]
            yield Event("kill", entity, DYES[b] if entity == "sheep" else None, c)
