"""The thirteen operators of a rule manifest: the fields of each, as pydantic models."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from mirrorcraft.core.ids import strip

MAX_COUNT = 64
WOOD = "{wood}"  # in a dropped item: the wood family of the broken block

NUMBER, RANGE = "<number>", "<range>"  # marks in pydantic's locations, never a field

Station = Literal["furnace", "blast_furnace", "smoker"]
SilkTouch = Literal["ignored", "keeps_vanilla"]


def _strip_namespace(name: str) -> str:
    return "#" + strip(name[1:]) if name.startswith("#") else strip(name)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _count_kind(value: Any) -> str:
    return RANGE if isinstance(value, (dict, CountRange)) else NUMBER


class Model(BaseModel):
    """What all parts of a manifest share: no unknown fields, no change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class CountRange(Model):
    """A count drawn evenly from ``min`` to ``max``, both included."""

    min: int = Field(ge=0, lt=MAX_COUNT, strict=True)
    max: int = Field(gt=0, le=MAX_COUNT, strict=True)

    @model_validator(mode="after")
    def _in_order(self) -> "CountRange":
        if self.min >= self.max:
            raise ValueError("min below max; write a plain integer where they are equal")
        return self


Name = Annotated[
    str, Field(strict=True, pattern=r"^#?[a-z0-9_.:/-]+$"), AfterValidator(_strip_namespace)
]
Item = Annotated[str, Field(strict=True, pattern=r"^[a-z0-9_.:-]+$"), AfterValidator(strip)]
DropItem = Annotated[str, Field(strict=True, pattern=r"^[a-z0-9_.:{}-]+$"), AfterValidator(strip)]
Names = Annotated[
    tuple[Name, ...],
    Field(min_length=1),
    BeforeValidator(
        _as_list, json_schema_input_type=Name | Annotated[list[Name], Field(min_length=1)]
    ),
]
Stations = Annotated[
    tuple[Station, ...],
    Field(min_length=1),
    BeforeValidator(
        _as_list, json_schema_input_type=Station | Annotated[list[Station], Field(min_length=1)]
    ),
]
Number = Annotated[int, Field(ge=1, le=MAX_COUNT, strict=True)]
Count = Annotated[
    Annotated[Number, Tag(NUMBER)] | Annotated[CountRange, Tag(RANGE)],
    Discriminator(_count_kind),
]


class Drop(Model):
    """One thing that drops."""

    item: DropItem
    """An item; ``{wood}`` stands for the wood family of the broken block."""
    count: Count = 1
    """How many: 1 to 64, or ``{"min", "max"}``."""


Drops = Annotated[tuple[Drop, ...], Field(min_length=1)]


class _Entry(Model):
    id: Annotated[str, Field(strict=True, pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
    """Name of the change, unique in the manifest; the rule id is ``<manifest>.<change>``."""


class _RecipeEntry(_Entry):
    recipes: Names
    """Crafting or smithing recipes by id; ``#tag`` means those whose result is in that item tag."""


class RecipeCount(_RecipeEntry):
    """A crafting recipe makes another number of its item."""

    op: Literal["recipe_count"]
    count: Number


class RecipeResult(_RecipeEntry):
    """A crafting or smithing recipe makes another item."""

    op: Literal["recipe_result"]
    result: Item
    count: Number = 1


class RecipeRemoved(_RecipeEntry):
    """A crafting or smithing recipe makes nothing."""

    op: Literal["recipe_removed"]


class _ProcessingEntry(_Entry):
    inputs: Names
    """Items put into the station, by id or ``#tag``."""
    stations: Stations
    """Where: ``furnace``, ``blast_furnace``, ``smoker``."""


class ProcessingResult(_ProcessingEntry):
    """What a station makes of an input that it processes in vanilla."""

    op: Literal["processing_result"]
    result: Item
    count: Number = 1


class ProcessingCount(_ProcessingEntry):
    """How many of its vanilla result a station makes of one input."""

    op: Literal["processing_count"]
    count: Number


class ProcessingAdded(_ProcessingEntry):
    """A station processes an input that it refuses in vanilla."""

    op: Literal["processing_added"]
    result: Item
    count: Number = 1
    experience: float = Field(default=0.1, ge=0, le=100, allow_inf_nan=False, strict=True)


class ProcessingRemoved(_ProcessingEntry):
    """A station refuses an input that it processes in vanilla."""

    op: Literal["processing_removed"]


class _BlockEntry(_Entry):
    blocks: Names
    """Blocks by id or ``#tag``. The tool that a block needs stays as in vanilla."""


class BlockDropsReplaced(_BlockEntry):
    """A block drops fixed things instead of its vanilla drops; Fortune has no effect on them."""

    op: Literal["block_drops_replaced"]
    drops: Drops
    silk_touch: SilkTouch = "ignored"
    """``keeps_vanilla``: a tool with Silk Touch still gets the block itself, and nothing else."""


class BlockDropsAdded(_BlockEntry):
    """A block drops fixed things beside its vanilla drops; Fortune has no effect on them."""

    op: Literal["block_drops_added"]
    drops: Drops
    silk_touch: SilkTouch = "ignored"
    """``keeps_vanilla``: a tool with Silk Touch gets the vanilla drops only."""


class BlockDropsRemoved(_BlockEntry):
    """A block drops nothing."""

    op: Literal["block_drops_removed"]


class _EntityEntry(_Entry):
    entities: Names
    """Entities by id."""


class EntityLootReplaced(_EntityEntry):
    """An entity drops fixed things instead of its vanilla loot; Looting has no effect on them."""

    op: Literal["entity_loot_replaced"]
    drops: Drops


class EntityLootAdded(_EntityEntry):
    """An entity drops fixed things beside its vanilla loot; Looting has no effect on them."""

    op: Literal["entity_loot_added"]
    drops: Drops
    base_counts: dict[Item, Count] = Field(default_factory=dict)
    """New counts of items of the vanilla loot, before Looting adds to them."""


class EntityLootRemoved(_EntityEntry):
    """An entity drops nothing."""

    op: Literal["entity_loot_removed"]


Entry = (
    RecipeCount
    | RecipeResult
    | RecipeRemoved
    | ProcessingResult
    | ProcessingCount
    | ProcessingAdded
    | ProcessingRemoved
    | BlockDropsReplaced
    | BlockDropsAdded
    | BlockDropsRemoved
    | EntityLootReplaced
    | EntityLootAdded
    | EntityLootRemoved
)
OPERATORS: dict[str, type[Model]] = {
    model.model_fields["op"].annotation.__args__[0]: model for model in Entry.__args__
}
