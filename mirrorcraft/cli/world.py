"""The commands ``world build|show|export|import|pack``."""

import json
import time
from pathlib import Path
from typing import Any

from mirrorcraft.cli.files import write_asked
from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.errors import UnknownNameError
from mirrorcraft.core.world import World


def build(worlds: list[str], as_json: bool) -> int:
    """Make worlds ready in the cache, and print what each is."""
    from mirrorcraft.sim.voxels import digest, open_world

    rows: list[dict[str, Any]] = []
    for name in worlds or World.names():
        world, begun = World.load(name), time.perf_counter()
        voxels = open_world(world)
        took = time.perf_counter() - begun
        rows.append(
            {
                "world": name,
                "biome": world.biome,
                "seed": world.seed,
                "spawn": list(world.spawn),
                "animals": int(voxels.n_mobs),
                "digest": digest(voxels),
                "elapsed_s": round(took, 3),
            }
        )
        if not as_json:
            row = rows[-1]
            print(f"{name:16} {row['animals']:4} animals  {row['digest'][:16]}  {took:.2f} s")
    if as_json:
        print(json.dumps(rows, indent=1))
    return 0


def show(world: str, out: str | None, section: int | None) -> int:
    """Draw a world, or a save, as an SVG: from above, or cut along ``z = section``."""
    from mirrorcraft.saves.picture import draw_map, draw_section

    voxels, named, biome = _opened(world)
    if section is None:
        picture, kind = draw_map(voxels, named, biome), "map"
    else:
        picture, kind = draw_section(voxels, named, biome, section), f"section-{section}"
    path = Path(out or f"{named.id}-{kind}.svg")
    write_asked(path, picture)
    print(path)
    return 0


def export(world: str, out: str, packs: list[str]) -> int:
    """Write a world as a save of the 1.19 game."""
    from mirrorcraft.saves.anvil import export_world
    from mirrorcraft.sim.voxels import open_world

    named = World.load(world)
    spec = BiomeSpec.load(named.biome)
    export_world(open_world(named), named, spec, Path(out), packs=[Path(p) for p in packs])
    print(out)
    return 0


def import_(save: str, out: str | None, as_json: bool) -> int:
    """Read a save into a world of the simulator, and say what is in it."""
    from mirrorcraft.core.rulebook import Rulebook
    from mirrorcraft.saves.anvil import import_save
    from mirrorcraft.saves.level import read_level
    from mirrorcraft.sim.voxels import digest

    voxels, level = import_save(Path(save)), read_level(Path(save))
    names = list(Rulebook.vanilla("1.19").blocks)
    kinds = [names[k] for k in voxels.kinds if k >= 0]
    if out is not None:
        write_asked(Path(out), voxels.tobytes())
    row = {
        "save": save,
        "name": level.name,
        "spawn": list(level.spawn),
        "animals": int(voxels.n_mobs),
        "kinds": kinds,
        "digest": digest(voxels),
        "written": out,
    }
    if as_json:
        print(json.dumps(row, indent=1))
    else:
        print(f"{level.name}: spawn {level.spawn}, {row['animals']} animals, {row['digest'][:16]}")
        print(", ".join(kinds))
    return 0


def pack(biome: str, out: str) -> int:
    """Write the datapack that makes the 1.19 game generate a biome's worlds."""
    from mirrorcraft.datapack.biome import build_biome

    spec = BiomeSpec.load(biome) if not biome.endswith(".json") else _spec(Path(biome))
    build_biome(spec).write_zip(out)
    print(out)
    return 0


def _spec(path: Path) -> BiomeSpec:
    from mirrorcraft.core.data import read_json
    from mirrorcraft.core.errors import BiomeError

    return BiomeSpec.parse(read_json(path, BiomeError), path)


def _opened(world: str) -> tuple[Any, World, BiomeSpec]:
    """Return the voxels, name and biome of a world by name, or of the save in a folder."""
    from mirrorcraft.saves.anvil import import_save
    from mirrorcraft.saves.level import read_level
    from mirrorcraft.sim.voxels import open_world

    if world in World.names():
        named = World.load(world)
        return open_world(named), named, BiomeSpec.load(named.biome)
    if not (Path(world) / "level.dat").is_file():
        raise UnknownNameError("world or save", world, World.names())
    level = read_level(Path(world))
    named = World(Path(world).name, "plains", level.seed, level.spawn)
    return import_save(Path(world)), named, BiomeSpec.load("plains")
