"""The records of the simulator: VOXELS, a world; TABLES, what a Rulebook compiles to; STATE, what an episode changes.

A kernel takes one row of each: ``step(tables, voxels, state, action)``. Their dtypes are of ``np.record``, so that
``state.tick`` reads the same compiled or not; a snapshot is a copy, a digest is over the bytes. All capacities are
part of the dtype and therefore fixed: rules travel as data and nothing is compiled again for another Rulebook.
Kernels that Python calls take arrays of rows, not rows: to look at an ``np.record`` from outside is slow.
"""

from enum import IntEnum

import numpy as np

from mirrorcraft.sim.blocks import HEIGHT, SIDE

MAX_ITEMS, MAX_BLOCKS, MAX_ENTITIES, MAX_MOBS = 1280, 1024, 160, 192
MAX_RECIPES, MAX_INGREDIENTS, MAX_CANDIDATES = 1024, 1024, 16384
MAX_LOOT_TABLES, MAX_POOLS, MAX_DISTRIBUTIONS, MAX_LOOT_ROWS = 1152, 2048, 8192, 16384
MAX_ENCHANTMENTS, MAX_FUELS, MAX_SCAFFOLD = 48, 256, 32
TOOL_GROUPS, ENCHANT_CONTEXTS = (
    6,
    5,
)  # loot contexts: which tools a table asks for; none, fortune 1-3, silk touch
SLOTS, WORN = 36, 4
MAX_TOOLS = SLOTS + WORN  # things with a durability, each of which fills a slot or is worn
MAX_CHANGES = 5120  # changed blocks of one episode; beyond it the body finds every way blocked
HASH_SLOTS = 8192  # a power of two, so that chains stay short
MAX_STATIONS, MAX_DROPS, MAX_EVENTS, MAX_TOUCHED, MAX_REPORT = 48, 64, 128, 96, 24
TOOL_ENCHANTS = 4  # enchantments one item can have from an enchanting table
# Numbers that kernels are called with are numpy integers: numba compiles a kernel anew for every Python constant. For
# the same reason all single numbers in the records are of 64 bits.
LOG: int = np.int64(-2)  # pyright: ignore[reportAssignmentType]  # the block argument "log": any trunk
NONE: int = np.int64(-1)  # pyright: ignore[reportAssignmentType]


class Skill(IntEnum):
    """Skill codes, in the order of ``core.action.SKILLS``."""

    MINE = 0
    EXPLORE = 1
    PREPARE_ACCESS = 2
    CRAFT_GRID = 3
    SMELT = 4
    ATTACK = 5
    ENCHANT = 6
    PLACE = 7
    EQUIP = 8
    COLLECT = 9
    ASCEND = 10
    TRADE = 11
    WAIT = 12


class Code(IntEnum):
    """What a kernel answers; ``observe`` turns it into a Reason."""

    OK = 0
    PARTIAL = 1
    NOT_FOUND = 2
    BLOCKED = 3
    NEEDS_TOOL = 4
    NEEDS_TABLE = 5
    NEEDS_STATION = 6
    STATION_UNREACHABLE = 7
    MISSING_ITEM = 8
    NO_FUEL = 9
    NO_RESULT = 10
    NO_OUTPUT = 11
    NO_LAPIS = 12
    NEEDS_LEVEL = 13
    NOT_ENCHANTABLE = 14
    NOT_PLACEABLE = 15
    NO_SPOT = 16
    NOT_EQUIPPABLE = 17
    PICKUP_FAILED = 18
    INVENTORY_FULL = 19
    UNREACHABLE = 20
    OUT_OF_RANGE = 21
    NO_SCAFFOLD = 22
    NO_VILLAGER = 23
    NO_OFFER = 24


class EventKind(IntEnum):
    """What the kernels report to the evaluator (``core.encounters.Event``)."""

    CRAFT = 0
    COOK = 1
    BREAK = 2
    KILL = 3


class Station(IntEnum):
    """Kinds of placed station, in the order of ``rules/body.json``."""

    CRAFTING_TABLE = 0
    FURNACE = 1
    BLAST_FURNACE = 2
    SMOKER = 3
    ENCHANTING_TABLE = 4


class ToolClass(IntEnum):
    """Tool classes; a block's ``tools`` mask has bit ``1 << class``."""

    HAND = 0
    PICKAXE = 1
    AXE = 2
    SHOVEL = 3
    HOE = 4
    SWORD = 5
    SHEARS = 6


SECTION = 16  # sections of 16 x 16 x 16 cells, numbered along x, then z, then y
SECTIONS_XZ, SECTIONS_Y = SIDE // SECTION, HEIGHT // SECTION
N_SECTIONS = SECTIONS_XZ * SECTIONS_XZ * SECTIONS_Y
MAX_KINDS, MAX_CELLS = 64, 2_000_000

I1, I2, I4, I8, U1, U2, U4, U8, F4, F8 = "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8".split()


def _record(fields: list[tuple]) -> np.dtype:
    return np.dtype((np.record, np.dtype(fields, align=True)))


# A world as one row, read-only and shared by all episodes in it: a single file on disk, a single pointer in a kernel.
VOXELS = _record([
    ("blocks", "u2", (SIDE * SIDE * HEIGHT,)),  # block numbers by packed position
    # y of the feet of a body on the terrain of column [x + HALF, z + HALF]; trees, plants and snow layers do not
    # count, and in water it is the topmost water cell
    ("ground", "i2", (SIDE, SIDE)),
    ("kinds", "i2", (MAX_KINDS,)),  # block number of each searchable kind, -1 where there is none
    ("kind_of", "i1", (MAX_BLOCKS,)),  # the kind of a block number, or -1
    ("trunks", "u8"),  # bit k is set when kind k is a trunk
    # where blocks are: cells within their section, x << 8 | z << 4 | y, grouped by (kind, section), ascending; kind k
    # in section s is at cells[offsets[k, s]:offsets[k, s + 1]]; of a kind as common as stone no cells are listed
    ("cells", "u2", (MAX_CELLS,)),
    ("offsets", "i4", (MAX_KINDS, N_SECTIONS + 1)),
    ("sections", "u8", (N_SECTIONS,)),  # bit k is set when kind k occurs in the section
    ("n_mobs", "i8"),
    ("mobs", "i4", (MAX_MOBS, 5)),  # entity number, x, y, z of the feet, variant (a sheep's colour, else 0)
])  # fmt: skip

ACTION = _record([
    ("skill", I8),  # Skill
    ("target", I8),  # block, item or entity index; LOG; NONE
    ("number", I8),  # count, height, ticks or enchant option
    ("station", I8),  # Station, or NONE for the inventory grid
    # a grid, moved to the top left: cells at y * 3 + x, item index or NONE, and what it is made of
    ("mask", I8),  # bit y * 3 + x for every occupied cell
    ("width", I8),
    ("n_cells", I8),
    ("grid", I2, (9,)),
    ("n_needs", I8),  # different items in it, and how many of each
    ("need_item", I2, (9,)),
    ("need_count", I2, (9,)),
])  # fmt: skip

STATE = _record([
    ("seed", U8), ("tick", I8), ("advancements", U8),
    ("x", I8), ("y", I8), ("z", I8),  # cell of the body's feet, in world coordinates
    ("level", I8), ("used", I8), ("alive", I8),
    ("hand", I8), ("worn", I4, (WORN,)),  # item index or NONE; the held item also counts in the inventory
    ("occupied", I8),  # slots in use, of SLOTS
    # outcome of the last action
    ("code", I8), ("detail", I8),  # Code, and what it is about (an item, a tool class, a level ...)
    ("n_events", I8), ("n_touched", I8), ("n_broken", I8), ("n_collected", I8),
    ("made_item", I8), ("made_count", I8), ("left_count", I8), ("number", I8),
    ("gained", U8),  # advancements new in this action
    ("events", I4, (MAX_EVENTS, 5)),
    ("touched", I2, (MAX_TOUCHED,)), ("before", I2, (MAX_TOUCHED,)),
    ("broken", I4, (MAX_REPORT, 2)), ("collected", I4, (MAX_REPORT, 2)),
    # inventory: a multiset, whose slots are counted (stacks are always merged)
    ("counts", I2, (MAX_ITEMS,)),
    ("n_owned", I8), ("owned", I2, (MAX_TOOLS,)),  # the items with a count, ascending
    ("n_tools", I8), ("tool_item", I2, (MAX_TOOLS,)), ("tool_damage", I2, (MAX_TOOLS,)),
    ("tool_enchants", U2, (MAX_TOOLS, TOOL_ENCHANTS)),  # (enchantment index + 1) << 4 | level; 0 = none
    # what differs from the shared world
    # the revision grows with every changed block; ``put_down`` counts those that are not air
    ("n_changes", I8), ("revision", I8), ("put_down", I8),
    ("change_pos", I4, (MAX_CHANGES,)), ("change_block", I2, (MAX_CHANGES,)),
    ("changed_columns", U8, (SIDE * SIDE // 64,)),  # a bit a column of the box
    ("hash_slots", I2, (HASH_SLOTS,)),  # index of the change + 1; 0 = free
    ("n_stations", I8), ("station_kind", I1, (MAX_STATIONS,)), ("station_pos", I4, (MAX_STATIONS,)),
    ("burn_end", I8, (MAX_STATIONS,)), ("out_item", I2, (MAX_STATIONS,)), ("out_count", I2, (MAX_STATIONS,)),
    ("n_drops", I8), ("drop_item", I2, (MAX_DROPS,)), ("drop_count", I2, (MAX_DROPS,)),
    ("drop_pos", I4, (MAX_DROPS,)), ("drop_tick", I8, (MAX_DROPS,)),
    ("dead", U1, (MAX_MOBS,)),
    ("visited", U8), ("heading", I8),
    ("enchant_count", I8),
])  # fmt: skip

TABLES = _record([
    # the body
    ("search_radius", I8), ("max_clear", I8), ("soft_ticks", I8), ("access_blocks", I8), ("access_ticks", I8),
    ("station_radius", I8), ("collect_radius", I8), ("explore_ticks", I8), ("drop_ticks", I8),
    ("blocks_per_tick", F8), ("strength", F8), ("haste", I8),
    ("n_fuels", I8), ("fuels", I2, (MAX_FUELS,)), ("n_scaffold", I8), ("scaffold", I2, (MAX_SCAFFOLD,)),
    # items
    ("n_items", I8), ("stack", I2, (MAX_ITEMS,)), ("durability", I2, (MAX_ITEMS,)), ("places", I2, (MAX_ITEMS,)),
    ("tool_class", I1, (MAX_ITEMS,)), ("tier", I1, (MAX_ITEMS,)), ("tool_speed", F4, (MAX_ITEMS,)),
    ("tool_group", I1, (MAX_ITEMS,)), ("slot", I1, (MAX_ITEMS,)), ("remainder", I2, (MAX_ITEMS,)),
    ("attack", F4, (MAX_ITEMS,)), ("attack_ticks", I2, (MAX_ITEMS,)), ("fuel", I4, (MAX_ITEMS,)),
    ("enchantability", I2, (MAX_ITEMS,)), ("enchants", U8, (MAX_ITEMS,)), ("advances", U8, (MAX_ITEMS,)),
    ("enchant_advances", U8), ("lapis", I8), ("air", I8), ("bookshelf", I8), ("book", I8), ("enchanted_book", I8),
    # blocks
    ("n_blocks", I8), ("hardness", I4, (MAX_BLOCKS,)),  # of 1/100; speeds are of 1/10
    ("shears_speed", I2, (MAX_BLOCKS,)), ("sword_speed", I2, (MAX_BLOCKS,)), ("requires_tool", U1, (MAX_BLOCKS,)),
    ("tools", U1, (MAX_BLOCKS,)), ("block_tier", I1, (MAX_BLOCKS,)), ("solid", U1, (MAX_BLOCKS,)),
    ("replaceable", U1, (MAX_BLOCKS,)), ("block_loot", I2, (MAX_BLOCKS,)), ("station_of", I1, (MAX_BLOCKS,)),
    ("trunk", U1, (MAX_BLOCKS,)), ("hidden", U1, (MAX_BLOCKS,)), ("needs_below", U1, (MAX_BLOCKS,)),
    # crafting: recipes in the order in which the game tries them
    ("n_recipes", I8), ("shaped", U1, (MAX_RECIPES,)), ("cells", I2, (MAX_RECIPES, 9)),
    ("mask", I2, (MAX_RECIPES,)), ("mirror_mask", I2, (MAX_RECIPES,)),
    ("result", I2, (MAX_RECIPES,)), ("result_count", I2, (MAX_RECIPES,)),
    ("only_item", I2, (MAX_INGREDIENTS,)), ("accepts", U1, (MAX_INGREDIENTS, MAX_ITEMS // 8)),
    ("candidates_of", I4, (MAX_ITEMS * 9 + 1,)), ("candidates", I2, (MAX_CANDIDATES,)),
    # processing, by station FURNACE, BLAST_FURNACE, SMOKER
    ("cook_result", I2, (3, MAX_ITEMS)), ("cook_count", I2, (3, MAX_ITEMS)), ("cook_ticks", I2, (3, MAX_ITEMS)),
    # loot: table -> pools -> one distribution a context -> rows with cumulative thresholds of a 64-bit draw
    ("pools_of", I4, (MAX_LOOT_TABLES + 1,)), ("pool_rows", I4, (MAX_POOLS, TOOL_GROUPS * ENCHANT_CONTEXTS)),
    ("row_threshold", U8, (MAX_LOOT_ROWS,)), ("row_last", U1, (MAX_LOOT_ROWS,)),
    ("row_items", I2, (MAX_LOOT_ROWS, 4)), ("row_counts", I2, (MAX_LOOT_ROWS, 4)),
    # entities
    ("n_entities", I8), ("health", F4, (MAX_ENTITIES,)), ("mob_loot", I2, (MAX_ENTITIES, 16)),
    # enchantments
    ("n_enchantments", I8), ("enchant_weight", I2, (MAX_ENCHANTMENTS,)), ("enchant_max", I1, (MAX_ENCHANTMENTS,)),
    ("min_cost", I2, (MAX_ENCHANTMENTS, 2)), ("max_cost", I2, (MAX_ENCHANTMENTS, 2)),
    ("excludes", U8, (MAX_ENCHANTMENTS,)),
    ("efficiency", I8), ("fortune", I8), ("silk_touch", I8), ("unbreaking", I8), ("sharpness", I8), ("looting", I8),
])  # fmt: skip


def rows(n: int, dtype: np.dtype) -> np.ndarray:
    """Return ``n`` zeroed rows of one of the records."""
    return np.zeros(n, dtype)


def one_row(record: np.record) -> np.ndarray:
    """Return a read-only array of the one row ``record``, sharing its memory: what kernels take for rules and worlds."""
    return np.ndarray((1,), record.dtype, buffer=record)
