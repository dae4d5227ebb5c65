"""Loot compiled for the kernels: for every pool and every context one distribution, to be met by one 64-bit draw.

``core.loot`` gives the exact distributions; nothing is interpreted a second time. A pool keeps a draw of its own, so
that a Mirror world that adds a pool leaves the luck of the vanilla pools alone.
"""

import json
from fractions import Fraction
from typing import Any

from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import strip
from mirrorcraft.core.loot import Distribution, LootContext, distribution
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.sim.layout import ENCHANT_CONTEXTS, MAX_LOOT_ROWS, MAX_POOLS, NONE, TOOL_GROUPS

ENCHANTS: tuple[dict[str, int], ...] = (
    {},
    {"fortune": 1},
    {"fortune": 2},
    {"fortune": 3},
    {"silk_touch": 1},
)
DYES = ("white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray", "light_gray", "cyan", "purple",
        "blue", "brown", "green", "red", "black")  # fmt: skip
# The simulated world keeps block ids, no block states; these are the states in which its blocks stand.
STANDING = {"half": "lower", "type": "bottom", "layers": "1", "age": "0", "part": "head", "candles": "1",
            "eggs": "1", "pickles": "1", "level": "0"}  # fmt: skip
RIPE = {"sweet_berry_bush": {"age": "3"}}
WHOLE = 1 << 64

_known: dict[tuple[str, ...], Distribution] = {}


def compile_loot(t, rules: Rulebook, items: dict[str, int]) -> None:
    """Fill the loot part of a TABLES row.

    Raises:
        InputError: a pool gives more than four kinds of item at once, or the loot is larger than the record.
    """
    _Compiler(t, rules, items).run()


class _Compiler:
    def __init__(self, t, rules: Rulebook, items: dict[str, int]):
        self.t, self.rules, self.items = t, rules, items
        self.groups = _tool_groups(rules)
        self.pools = self.rows = self.tables = 0
        self.table_of: dict[str, int] = {}
        self.rows_of: dict[tuple[Any, ...], int] = {}

    def run(self) -> None:
        t, rules = self.t, self.rules
        t.tool_group[:] = 0
        for group, names in enumerate(self.groups[1:], 1):
            for name in names:
                if name:
                    t.tool_group[self.items[name]] = group
        t.block_loot[:] = t.mob_loot[:] = NONE
        for i, name in enumerate(rules.blocks):
            if f"blocks/{name}" in rules.loot:
                t.block_loot[i] = self._table(f"blocks/{name}", self._block_contexts(name))
        for i, entity in enumerate(rules.entities.values()):
            if entity.category in ("creature", "ambient"):  # what peaceful worlds hold
                for variant, dye in enumerate(DYES):
                    name = (
                        f"{entity.loot}/{dye}"
                        if f"{entity.loot}/{dye}" in rules.loot
                        else entity.loot
                    )
                    if name in rules.loot:
                        t.mob_loot[i, variant] = self._table(name, MOB_CONTEXTS)
        t.pools_of[self.tables + 1 :] = self.pools

    def _block_contexts(self, block: str) -> list[LootContext]:
        """Return the contexts of breaking a block: each group of tools with each enchantment that loot asks for."""
        state = STANDING | RIPE.get(block, {})
        return [
            LootContext(
                tool=names[0] if names[0] or not level else ANY_TOOL,
                enchantments=level,
                state=state,
            )
            for names in self.groups
            for level in ENCHANTS
        ]

    def _table(self, name: str, contexts: list[LootContext]) -> int:
        if name in self.table_of:
            return self.table_of[name]
        number = self.table_of[name] = self.tables
        self.t.pools_of[number] = self.pools
        self.tables += 1
        table = self.rules.loot[name]
        for pool in table.get("pools", ()):
            single = {**table, "pools": [pool]}
            text = json.dumps(single, sort_keys=True)
            if self.pools == MAX_POOLS:
                raise InputError("<rulebook>", name, self.pools, f"at most {MAX_POOLS} loot pools")
            for c, context in enumerate(contexts):
                if not _asks(text, context):
                    context = contexts[0]
                self.t.pool_rows[self.pools, c] = self._rows(name, text, single, context)
            self.pools += 1
        self.t.pools_of[self.tables] = self.pools
        return number

    def _rows(self, name: str, text: str, table: dict[str, Any], context: LootContext) -> int:
        """Return the first row of a pool's distribution under a context, written once for equal pools."""
        key = (text, str(context))
        if key in self.rows_of:
            return self.rows_of[key]
        if (
            "minecraft:loot_table" in text or '"minecraft:tag"' in text
        ):  # what else it gives lies outside the text
            found = distribution(table, context, self.rules)
        elif key in _known:
            found = _known[key]
        else:
            found = _known[key] = distribution(table, context, self.rules)
        self.rows_of[key] = first = self.rows
        total = Fraction(0)
        outcomes = sorted(found.items())
        for stacks, p in outcomes:
            if len(stacks) > 4 or self.rows == MAX_LOOT_ROWS:
                raise InputError(
                    "<rulebook>", name, len(stacks), "pools of at most four kinds of item at once"
                )
            total += p
            row = self.rows
            self.t.row_threshold[row] = min(int(total * WHOLE), WHOLE - 1)
            for k, (item, count) in enumerate(stacks):
                self.t.row_items[row, k], self.t.row_counts[row, k] = self.items[item], count
            self.rows += 1
        self.t.row_last[self.rows - 1] = 1
        return first


ANY_TOOL = "wooden_hoe"  # stands for every tool that no loot condition names
MOB_CONTEXTS = [LootContext(looting=level) for level in range(4)] * 8
MOB_CONTEXTS = MOB_CONTEXTS[: TOOL_GROUPS * ENCHANT_CONTEXTS]


def _asks(text: str, context: LootContext) -> bool:
    """Return whether a pool can tell a context from the plain one."""
    if "minecraft:loot_table" in text:  # what the other table asks for is not in the text
        return True
    if context.looting:
        return "looting" in text
    if any(name in text for name in context.enchantments):
        return True
    return bool(context.tool) and context.tool != ANY_TOOL and "match_tool" in text


def _tool_groups(rules: Rulebook) -> list[list[Any]]:
    """Return the items that loot conditions tell apart, as groups; the first group, [None], is everything else."""
    asked: list[frozenset[str]] = []
    todo: list[Any] = [table for name, table in rules.loot.items() if name.startswith("blocks/")]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, dict):
            if strip(node.get("condition", "")) == "match_tool":
                predicate = node["predicate"]
                named = frozenset(strip(i) for i in predicate.get("items", ()))
                named |= (
                    rules.tag("items", strip(predicate["tag"]))
                    if "tag" in predicate
                    else frozenset()
                )
                if named and named not in asked:
                    asked.append(named)
            todo.extend(v for v in node.values() if isinstance(v, (dict, list)))
    by_answer: dict[tuple[bool, ...], list[Any]] = {}
    for name in sorted(frozenset().union(*asked)):
        by_answer.setdefault(tuple(name in named for named in asked), []).append(name)
    if len(by_answer) >= TOOL_GROUPS:
        raise InputError(
            "<rulebook>",
            "loot",
            len(by_answer),
            f"tools told apart in at most {TOOL_GROUPS - 1} groups",
        )
    return [[None], *by_answer.values()] + [[None]] * (TOOL_GROUPS - 1 - len(by_answer))
