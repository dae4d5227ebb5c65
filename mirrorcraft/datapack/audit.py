"""The audit of a finished biome pack: every file is read again and held against the spec it carries."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mirrorcraft.core.biome import BiomeSpec, Ore, vanilla_features
from mirrorcraft.core.biome_check import TERRAIN, WORLD_BOTTOM
from mirrorcraft.core.errors import InputError
from mirrorcraft.core.ids import full, strip
from mirrorcraft.core.overlay_files import MCMETA
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack.biome.build import LOAD_TAG, METADATA, PRESET_TAG, SETUP, build_biome
from mirrorcraft.datapack.biome.features import LAKE
from mirrorcraft.datapack.biome.terrain import WORLD_HEIGHT
from mirrorcraft.datapack.biome.vanilla import STEPS, worldgen
from mirrorcraft.datapack.pack import PACK_FORMAT

Files = Mapping[str, Any]
_PATH = re.compile(r"data/([a-z0-9_.-]+)/([a-z0-9_./-]+)\.(json|mcfunction)")
# Kinds of resources by folder, with how many a pack holds at least.
_KINDS = {
    "worldgen/world_preset": 1,
    "worldgen/biome": 1,
    "worldgen/noise_settings": 1,
    "worldgen/density_function": 3,
    "worldgen/noise": 2,
    "worldgen/configured_feature": 1,
    "worldgen/placed_feature": 1,
    "dimension": 1,
    "functions": 1,
    "tags/worldgen/world_preset": 1,
    "tags/functions": 1,
}
# The types that the compiler writes; any other is a slip of the pen.
_TYPES = {
    "worldgen/density_function": "add mul y_clamped_gradient cache_2d noise",
    "worldgen/noise_settings": "noise shifted_noise squeeze mul interpolated blend_density sequence "
    "condition block vertical_gradient above_preliminary_surface stone_depth water noise_threshold",
    "worldgen/configured_feature": "ore lake simple_state_provider",
    "worldgen/placed_feature": "count weighted_list rarity_filter in_square height_range uniform "
    "trapezoid heightmap surface_water_depth_filter block_predicate_filter matching_fluids "
    "would_survive random_offset biome",
    "worldgen/world_preset": "overworld the_nether the_end noise fixed multi_noise",
    "dimension": "overworld noise fixed",
}
# Keys whose text is the id of a resource, by the kind of file they stand in.
_DENSITY = {"argument", "argument1", "argument2", "shift_x", "shift_z"}
_REFERENCES = {
    "worldgen/placed_feature": {"feature": "worldgen/configured_feature"},
    "worldgen/density_function": {
        "noise": "worldgen/noise",
        **dict.fromkeys(_DENSITY, "worldgen/density_function"),
    },
    "worldgen/world_preset": {"settings": "worldgen/noise_settings", "biome": "worldgen/biome"},
}
_REFERENCES["dimension"] = _REFERENCES["worldgen/world_preset"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a pack.

    Attributes:
        file: path in the pack.
        place: path inside the file; empty for the file as a whole.
        problem: what was found, and what was expected.
    """

    file: str
    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}{': ' + self.place if self.place else ''}: {self.problem}"

    def to_json(self) -> dict[str, str]:
        """Return the finding as JSON."""
        return asdict(self)


def audit_biome_pack(files: Files) -> tuple[Finding, ...]:
    """Return all that is wrong with a biome pack; nothing for a sound one.

    Checks the pack format, kinds and paths of files, types, block and entity ids, references,
    the order of features, ore bands, noise settings, set-up function, and the carried spec.

    Args:
        files: path to content: JSON values, or the text of a function.
    """
    return tuple(_Audit(files).run())


class _Audit:
    """One pack under audit; each method yields its findings."""

    def __init__(self, files: Files):
        self.files = files
        self.found: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}  # kind: id: path

    def run(self) -> Iterator[Finding]:
        yield from self._paths()
        yield from self._format()
        for path, kind in [(p, k) for k, found in self.found.items() for p in found.values()]:
            yield from self._nodes(path, kind, self.files[path], "")
        yield from self._tags()
        for path in self.found["worldgen/biome"].values():
            yield from _shaped(path, self._biome(path, self.files[path]))
        match self.files.get(METADATA):
            case {"spec": data}:
                yield from self._carried(data)
            case _:
                yield Finding(METADATA, "spec", "expected the spec that the pack was made from")

    def _carried(self, data: Any) -> Iterator[Finding]:
        """Check the spec that the pack carries, and the pack against it."""
        try:
            spec = BiomeSpec.parse(data, METADATA, ())
        except InputError as e:
            yield Finding(METADATA, e.place, str(e))
            return
        yield from self._against(spec)
        wanted = build_biome(spec)
        for path in sorted({*self.files, *wanted}):
            if self.files.get(path) != wanted.get(path):
                yield Finding(path, "", "not what the spec of the pack compiles to")

    def _paths(self) -> Iterator[Finding]:
        for path in self.files:
            if path in (MCMETA, METADATA):
                continue
            parts = _PATH.fullmatch(path)
            kind = parts and next((k for k in _KINDS if parts[2].startswith(k + "/")), None)
            if not parts or not kind:
                yield Finding(path, "", f"expected data/<namespace>/ and {' or '.join(_KINDS)}")
                continue
            self.found[kind][f"{parts[1]}:{parts[2].removeprefix(kind + '/')}"] = path
        for kind, least in _KINDS.items():
            if len(self.found[kind]) < least:
                yield Finding("", kind, f"{len(self.found[kind])} files; expected {least} or more")
        if len(self.found["worldgen/biome"]) > 1:
            yield Finding("", "worldgen/biome", "several biomes; expected one, for one everywhere")

    def _format(self) -> Iterator[Finding]:
        match self.files.get(MCMETA):
            case {"pack": {"pack_format": int(found), "description": str()}}:
                if found != PACK_FORMAT:
                    yield Finding(MCMETA, "pack.pack_format", f"{found}, not {PACK_FORMAT}")
            case _:
                yield Finding(MCMETA, "pack", "expected pack_format and description")

    # --- types, ids and references of one file

    def _nodes(self, path: str, kind: str, node: Any, place: str) -> Iterator[Finding]:
        """Check a value of a file and all values in it."""
        if isinstance(node, list):
            for i, child in enumerate(node):
                yield from self._nodes(path, kind, child, f"{place}[{i}]")
            return
        if not isinstance(node, dict):
            return
        for key, value in node.items():
            where = f"{place}.{key}".lstrip(".")
            if isinstance(value, str):
                problem = self._text(kind, place, key, value)
                if problem:
                    yield Finding(path, where, problem)
            else:
                yield from self._nodes(path, kind, value, where)

    def _text(self, kind: str, place: str, key: str, value: str) -> str:
        """Return what is wrong with a text under a key, or nothing."""
        if key == "Name" and strip(value) not in Rulebook.vanilla("1.19").blocks:
            return f"no block {value}"
        if key == "type" and kind in _TYPES and strip(value) not in _TYPES[kind].split():
            return f"no type {value} in a file of this kind"
        rows = _REFERENCES.get(kind, {})
        if kind == "worldgen/noise_settings":
            rows = _REFERENCES["worldgen/density_function"]
            if place == "noise_router":
                rows = {**rows, key: "worldgen/density_function"}
        if key in rows and not self._known(rows[key], value):
            return f"no {rows[key]} {value}"
        return ""

    def _known(self, kind: str, ident: str) -> bool:
        return ident in self.found[kind] or (
            ident.startswith("minecraft:") and strip(ident) in _vanilla(kind)
        )

    def _tags(self) -> Iterator[Finding]:
        for path, kind in ((PRESET_TAG, "worldgen/world_preset"), (LOAD_TAG, "functions")):
            match self.files.get(path):
                case {"values": [str(), *_] as values}:
                    for value in values:
                        if value not in self.found[kind]:
                            yield Finding(path, "values", f"no {kind} {value} in the pack")
                case _:
                    yield Finding(path, "values", "expected what the pack adds")

    def _biome(self, path: str, biome: Any) -> Iterator[Finding]:
        steps = biome.get("features", [])
        if len(steps) != len(STEPS):
            yield Finding(path, "features", f"{len(steps)} steps; expected {len(STEPS)}")
        for i, step in enumerate(steps):
            place = f"features[{i}]"
            for name in step:
                if not self._known("worldgen/placed_feature", name):
                    yield Finding(path, place, f"no worldgen/placed_feature {name}")
            for name in sorted({n for n in step if step.count(n) > 1}):
                yield Finding(path, place, f"{name} more than once; a step takes each feature once")
        for carver in biome.get("carvers", {}).get("air", []):
            if strip(carver) not in worldgen().carvers:
                yield Finding(path, "carvers.air", f"no carver {carver}")
        entities = Rulebook.vanilla("1.19").entities
        for category, rows in biome.get("spawners", {}).items():
            for row in rows:
                place = f"spawners.{category}"
                if strip(row["type"]) not in entities:
                    yield Finding(path, place, f"no entity {row['type']}")
                if not 1 <= row["minCount"] <= row["maxCount"] or row["weight"] < 1:
                    yield Finding(path, place, f"{row}: expected weight and counts from 1 up")

    # --- against the spec that the pack carries

    def _against(self, spec: BiomeSpec) -> Iterator[Finding]:
        root = f"data/{spec.namespace}/worldgen"
        for path in self.found["worldgen/biome"].values():
            yield from _shaped(path, _order(path, self.files[path], spec))
        for path in self.found["worldgen/noise_settings"].values():
            yield from _shaped(path, _settings(path, self.files[path], spec))
        for band in spec.resources.bands:
            path = f"{root}/configured_feature/{band.id}.json"
            yield from _shaped(path, self._vein(path, band))
            path = f"{root}/placed_feature/{band.id}.json"
            yield from _shaped(path, self._attempts(path, band, spec))
        for noise in spec.terrain.noises:
            path = f"{root}/noise/{noise.id}.json"
            wanted = {"firstOctave": noise.first_octave, "amplitudes": list(noise.amplitudes)}
            if self.files.get(path) != wanted:
                yield Finding(path, "", f"{self.files.get(path)}; the spec says {wanted}")
        yield from self._gradient(f"{root}/density_function/{TERRAIN}.json", spec)
        path = f"data/{spec.namespace}/functions/setup.mcfunction"
        lines = str(self.files.get(path, "")).splitlines()
        for command in SETUP:
            if command not in lines:
                yield Finding(path, "", f"without the line: {command}")

    def _gradient(self, path: str, spec: BiomeSpec) -> Iterator[Finding]:
        weights = [noise.weight for noise in spec.terrain.noises]
        match self.files.get(path):
            case {
                "argument1": {"from_y": low, "to_y": high, "from_value": 1, "to_value": -1},
                "argument2": {
                    "argument1": {"argument1": first},
                    "argument2": {"argument1": second},
                },
            }:
                if ((low, high), [first, second]) != (spec.terrain.gradient, weights):
                    yield Finding(path, "", "another gradient or other weights than the spec's")
            case _:
                yield Finding(path, "", "expected a gradient from 1 to -1 and two weighted noises")

    def _vein(self, path: str, band: Ore) -> Iterator[Finding]:
        match self.files.get(path):
            case {"type": "minecraft:ore", "config": {"size": size, "targets": [stone, deep]}}:
                blocks = [strip(target["state"]["Name"]) for target in (stone, deep)]
                if (size, *blocks) != (band.size, band.block, band.deepslate or band.block):
                    yield Finding(path, "config", "another size or block than the spec's")
            case _:
                yield Finding(path, "", "expected an ore with a size and two targets")

    def _attempts(self, path: str, band: Ore, spec: BiomeSpec) -> Iterator[Finding]:
        found = {strip(m["type"]): m for m in self.files[path]["placement"]}
        match found.get("height_range"):
            case {"height": {"min_inclusive": low, "max_inclusive": high}}:
                if (low, high) != tuple({"absolute": y} for y in band.y):
                    yield Finding(path, "placement", f"heights {low} to {high}, not {band.y}")
            case _:
                yield Finding(path, "placement", "expected a range of heights")
        attempts = found.get("count", {"count": 1})["count"]
        if isinstance(band.count, int) and attempts != band.count:
            yield Finding(path, "placement", f"count {attempts}, not {band.count}")
        ident = f"{spec.namespace}:{band.id}"
        steps = (self.files[p]["features"] for p in self.found["worldgen/biome"].values())
        if not any(ident in step for biome in steps for step in biome):
            yield Finding(path, "", "no biome places it")


def _shaped(path: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of a file; one that lacks the form they are read from is a finding too."""
    try:
        yield from findings
    except (AttributeError, KeyError, TypeError) as e:
        yield Finding(path, "", f"another form than the game reads ({e!r})")


def _order(path: str, biome: Any, spec: BiomeSpec) -> Iterator[Finding]:
    """Yield vanilla features out of the base biome's order, which the game would call a cycle."""
    vanilla = worldgen().step_names(spec.base)
    for i, (names, step) in enumerate(zip(vanilla, biome["features"], strict=False)):
        kept = [name for name in step if name.startswith("minecraft:")]
        if kept != [full(name) for name in names if full(name) in kept]:
            yield Finding(path, f"features[{i}]", f"not in the order of {spec.base}: {kept}")


def _settings(path: str, settings: Any, spec: BiomeSpec) -> Iterator[Finding]:
    terrain = f"{spec.namespace}:{TERRAIN}"
    router = settings.get("noise_router", {})
    match router.get("final_density"):
        case {"argument": {"argument1": scale, "argument2": {"argument": {"argument": name}}}}:
            density = (scale, name)
        case _:
            density = None
    for place, found, wanted in (
        ("sea_level", settings.get("sea_level"), spec.terrain.sea_level),
        ("noise.min_y", settings.get("noise", {}).get("min_y"), WORLD_BOTTOM),
        ("noise.height", settings.get("noise", {}).get("height"), WORLD_HEIGHT),
        ("ore_veins_enabled", settings.get("ore_veins_enabled"), False),
        ("aquifers_enabled", settings.get("aquifers_enabled"), True),
        ("noise_router.final_density", density, (spec.terrain.scale, terrain)),
        (
            "noise_router.initial_density_without_jaggedness",
            router.get("initial_density_without_jaggedness"),
            terrain,
        ),
    ):
        if found != wanted:
            yield Finding(path, place, f"{found}; expected {wanted}")


def _vanilla(kind: str) -> Collection[str]:
    """Return the vanilla resources of a kind that a pack may refer to, without namespace."""
    facts = worldgen()
    if kind == "worldgen/placed_feature":
        return {name for base in facts.biomes for step in facts.step_names(base) for name in step}
    if kind == "worldgen/configured_feature":
        return {name for name in vanilla_features().names if name != LAKE}
    if kind == "worldgen/noise":
        return {*(a.noise for a in facts.aquifers.values()), *facts.climate, "surface"}
    if kind == "worldgen/density_function":
        return {*(f"overworld/{name}" for name in facts.fields), "shift_x", "shift_z"}
    return {"nether", "end"} if kind == "worldgen/noise_settings" else ()
