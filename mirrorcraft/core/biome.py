"""World-generation specs (kind "biome"): terrain, ores, ecology, runtime; checked when read."""

from collections.abc import Collection
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mirrorcraft.core.data import named_file, names_in, read_json, rules_dir
from mirrorcraft.core.errors import BiomeError
from mirrorcraft.core.task import Task
from mirrorcraft.core.validated import validated

Count = Annotated[int, Field(ge=0, le=128)]
Rarity = Annotated[int, Field(ge=1, le=10_000)]
Height = Annotated[int, Field(ge=-192, le=384)]
BlockY = Annotated[int, Field(ge=-64, le=319)]
PathName = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]  # it becomes the name of a file
Chance = Annotated[float, Field(ge=0, le=1)]


class Spec(BaseModel):
    """Base of the models: unknown fields are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Odds(NamedTuple):
    """How often a feature is tried in a chunk.

    Attributes:
        rarity: one try in so many goes ahead.
        tries: how often it is tried in a chunk.
        more: probability of one try more.
    """

    rarity: int
    tries: int
    more: float


class Placed(Spec):
    """Something tried in each chunk: ``count`` times, or ``{times: weight}`` for two neighbours."""

    count: Count | dict[Count, Annotated[int, Field(ge=1, le=1000)]] = 1
    rarity: Rarity = 1

    @model_validator(mode="after")
    def _counts_are_neighbours(self) -> "Placed":
        if isinstance(self.count, dict):
            keys = sorted(self.count)
            if not keys or keys != list(range(keys[0], keys[0] + len(keys))) or len(keys) > 2:
                raise ValueError("count needs one or two neighbouring counts with weights")
        return self

    @property
    def odds(self) -> Odds:
        """The same as an expected chance."""
        if isinstance(self.count, int):
            return Odds(self.rarity, self.count, 0.0)
        low = min(self.count)
        more = self.count.get(low + 1, 0)
        return Odds(self.rarity, low, more / sum(self.count.values()))


class Noise(Spec):
    """One noise of the terrain, as ``<namespace>:<id>``; the name is part of the seed."""

    id: PathName
    weight: Chance
    first_octave: int = Field(ge=-12, le=0)
    amplitudes: tuple[float, ...] = Field(min_length=1, max_length=8)


class Patch(Spec):
    """A top block other than grass, where ``minecraft:surface`` noise lies in a closed interval."""

    block: str
    low: float = Field(ge=-2, le=2)
    high: float = Field(ge=-2, le=2)


class Terrain(Spec):
    """Density = gradient(y) + the weighted noises, times ``scale``; solid where it is positive.

    Attributes:
        sea_level: water fills empty columns below this y.
        gradient: y where the vertical gradient is 1, and y where it is -1.
        scale: factor of the blended density, before the squeeze.
        noises: summed in this order.
        patches: first match wins; else grass.
    """

    sea_level: BlockY
    gradient: tuple[BlockY, BlockY]
    scale: float = Field(gt=0, le=1)
    noises: tuple[Noise, Noise]
    patches: tuple[Patch, ...]

    @model_validator(mode="after")
    def _gradient_falls(self) -> "Terrain":
        if not self.gradient[0] < self.gradient[1]:
            raise ValueError("gradient needs its first y below its second")
        return self


class Ore(Placed):
    """An ore feature: veins of ``block`` in stone and of ``deepslate`` in deepslate and tuff.

    Attributes:
        id: name of the placement; part of the seed of its veins.
        block: what replaces stone, granite, diorite and andesite.
        deepslate: what replaces deepslate and tuff; the same as ``block`` when left out.
        size: the game's vein size parameter, not a number of blocks.
        y: inclusive range of the origin's height.
        trapezoid: the height is the mean of two draws' range (a triangle) instead of uniform.
        discard: chance that a block beside air is left out.
    """

    id: PathName
    block: str
    deepslate: str | None = None
    size: int = Field(ge=1, le=64)
    y: tuple[Height, Height]
    trapezoid: bool = False
    discard: Chance = 0.0

    @model_validator(mode="after")
    def _range_rises(self) -> "Ore":
        if self.y[0] > self.y[1]:
            raise ValueError("y needs its lower end first")
        return self


class Resources(Spec):
    """Ores: the spec's own bands, and the names of the vanilla placements that it keeps."""

    bands: tuple[Ore, ...]
    retained: tuple[str, ...]


class Placement(Placed):
    """A feature of ``vanilla/features.json`` (or a landmark) with its own odds.

    Attributes:
        feature: which feature.
        id: name of this placement, part of its seed; the feature's name when left out.
    """

    feature: str
    id: PathName | Literal[""] = ""

    @property
    def name(self) -> str:
        """The id, or the feature's name."""
        return self.id or self.feature


class Creature(Spec):
    """A passive animal that chunks are populated with, in groups of ``group`` animals."""

    entity: str
    weight: int = Field(ge=1, le=100)
    group: tuple[Annotated[int, Field(ge=1, le=8)], Annotated[int, Field(ge=1, le=8)]]


class Ecology(Spec):
    """What grows and lives on the terrain.

    Attributes:
        features: in the order in which they are placed.
        creatures: drawn by weight.
        creature_probability: chance that another group is placed in a chunk, drawn until it fails.
        frozen: snow covers the ground and water freezes.
    """

    features: tuple[Placement, ...]
    creatures: tuple[Creature, ...]
    creature_probability: Annotated[float, Field(ge=0, lt=1)]
    frozen: bool


class Runtime(Spec):
    """What the setup function of the world fixes."""

    difficulty: Literal["peaceful"]
    time: Literal["noon"]
    weather: Literal["clear"]


class BiomeSpec(Spec):
    """A world-generation specification: everything about a world but its seed.

    Attributes:
        id: name of the spec, such as ``snowy_plains``.
        title: the name shown to people.
        base: the vanilla biome it varies.
        namespace: of its noises and of its datapack.
    """

    schema_version: Literal["1.0"]
    kind: Literal["biome"]
    id: PathName
    title: str
    base: Literal["plains", "taiga", "snowy_plains", "jungle", "savanna"]
    namespace: str = Field(pattern=r"^[a-z0-9_.-]+$")
    terrain: Terrain
    resources: Resources
    ecology: Ecology
    runtime: Runtime

    @staticmethod
    @cache
    def load(name: str) -> "BiomeSpec":
        """Return the spec ``rules/biomes/<name>.json``.

        Raises:
            UnknownNameError: there is no such spec; the message lists those there are.
            BiomeError: the file breaks a rule; the message names file, place and limit.
        """
        path = named_file("biomes", name)
        return BiomeSpec.parse(read_json(path, BiomeError), path)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the specs there are, sorted."""
        return names_in("biomes")

    @staticmethod
    def parse(
        data: Any, source: object = "<json>", tasks: Collection[str] | None = None
    ) -> "BiomeSpec":
        """Return the spec in parsed JSON.

        Args:
            data: the parsed JSON.
            source: where it came from, for errors.
            tasks: the tasks that its world must hold the resources of; None is all of them.

        Raises:
            BiomeError: the spec breaks a rule; the message names ``source``, place and limit.
            UnknownNameError: there is no such task.
        """
        # Late: the checks need the models of this module.
        from mirrorcraft.core.biome_check import check

        spec = validated(BiomeSpec, data, source, BiomeError)
        check(spec, source, Task.names() if tasks is None else tasks)
        return spec

    @property
    def ores(self) -> tuple[Ore, ...]:
        """All ore placements in the game's order: the kept vanilla ones, then the bands."""
        return (
            *(vanilla_features().ores_by_id[n] for n in self.resources.retained),
            *self.resources.bands,
        )


class Disk(Spec):
    """A flat round deposit: ``block`` replaces ``into`` within ``radius`` and ``half_height``."""

    block: str
    into: tuple[str, ...]
    radius: tuple[int, int]
    half_height: int
    underwater: bool


class Plants(Spec):
    """A patch of plants: positions tried around an origin, one of ``blocks`` on each that suits.

    Attributes:
        blocks: which plants, with weights.
        tries: positions tried.
        on: what must lie below: ``soil``, ``grass``, ``solid``, ``water``, or ``shore``, which is
            soil or sand beside water.
        height: smallest and largest height in blocks; a range leans to the small end.
    """

    blocks: dict[str, int] = Field(min_length=1)
    tries: int
    xz_spread: int
    y_spread: int
    on: Literal["soil", "grass", "solid", "water", "shore"]
    height: tuple[int, int] = (1, 1)


class Tree(Spec):
    """A tree: how it is built, of what, and how much room it needs.

    Attributes:
        shape: builder in ``sim/trees.py``.
        height: base height and the two random additions.
        room: free radius below ``limit`` blocks, the limit, free radius above.
    """

    shape: Literal["blob", "fancy", "spruce", "pine", "bush", "mega", "acacia"]
    log: str
    leaves: str
    height: tuple[int, int, int]
    room: tuple[int, int, int]


class Grove(Spec):
    """A choice of trees: each but the last with its chance, asked in order; the last by default."""

    trees: tuple[str, ...]
    chances: tuple[Chance, ...]


class Features(Spec):
    """The vanilla 1.19 features that specs refer to by name."""

    ores: tuple[Ore, ...]
    disks: dict[str, Disk]
    plants: dict[str, Plants]
    trees: dict[str, Tree]
    groves: dict[str, Grove]
    landmarks: tuple[str, ...]

    @property
    def ores_by_id(self) -> dict[str, Ore]:
        """The ore placements by name."""
        return {ore.id: ore for ore in self.ores}

    @property
    def names(self) -> tuple[str, ...]:
        """Every feature that a placement may name, sorted."""
        return tuple(sorted((*self.disks, *self.plants, *self.groves, *self.landmarks)))


@cache
def vanilla_features() -> Features:
    """Return the vanilla features (``rules/biomes/vanilla/features.json``)."""
    path = rules_dir() / "biomes" / "vanilla" / "features.json"
    return validated(Features, read_json(path, BiomeError), path, BiomeError)
