"""A world of the game's own making becomes a save of ours. The game is a stand-in, which lays down a save that we wrote."""

import shutil
from pathlib import Path

import pytest
from java import java_that_generates, running

from mirrorcraft.core.biome import BiomeSpec
from mirrorcraft.core.errors import Fault, InputError, SaveError
from mirrorcraft.core.world import World
from mirrorcraft.saves.anvil import export_world, import_save
from mirrorcraft.server.generate import GeneratingServer, generate
from mirrorcraft.sim.voxels import digest, open_world


@pytest.fixture(scope="module")
def laid(tmp_path_factory) -> Path:
    """A save that the stand-in lays down in the place of what the game would generate: one of our own writing."""
    save = tmp_path_factory.mktemp("laid") / "save"
    world = World.load("plains-b")
    export_world(open_world(world), world, BiomeSpec.load(world.biome), save)
    return save


def generated(folder: Path, java: str, seed: int = 7) -> Path:
    jar = folder / "fake.jar"
    jar.write_bytes(b"no jar")
    out = folder / "out" / "save"
    spec = BiomeSpec.load("plains")
    generate(spec, seed, out, jar=jar, java=java, accept_eula=True, check=False)
    return out


def test_a_world_that_the_game_wrote_is_kept_and_can_be_imported(tmp_path, laid):
    """The game is a stand-in: it lays down a save of ours, after the pack and the commands were right."""
    commands = tmp_path / "commands"
    out = generated(tmp_path, java_that_generates(tmp_path, laid, commands))
    assert digest(import_save(out)) == digest(open_world(World.load("plains-b")))
    names = {p.relative_to(out).as_posix() for p in out.rglob("*")}
    assert "datapacks/plains.zip" in names
    assert not [n for n in names if n.startswith(("session.lock", "playerdata"))]
    given = commands.read_text().splitlines()[1:]
    assert "gamerule randomTickSpeed 0" in given
    rows = [line for line in given if line.startswith("forceload")]
    assert (rows[0], rows[-1]) == ("forceload add -96 -96 95 -96", "forceload add -96 80 95 80")
    assert given[-2:] == ["save-all flush", "stop"]
    assert len(rows) == 12
    assert running(tmp_path) == []


def test_the_game_generates_by_the_preset_and_the_seed(tmp_path):
    game = GeneratingServer(tmp_path, BiomeSpec.load("taiga"), -3, accept_eula=True)
    wanted = {"level-seed": "-3", "level-type": "abtaiga:benchmark_taiga", "level-name": "world"}
    assert wanted.items() <= game.properties().items()


def test_a_generated_world_is_kept_whole_or_not_at_all(tmp_path, laid):
    part = tmp_path / "part"
    shutil.copytree(laid, part)
    next((part / "region").glob("*.mca")).unlink()
    with pytest.raises(SaveError, match="in the box are missing"):
        generated(tmp_path, java_that_generates(tmp_path, part, tmp_path / "commands"))
    full = java_that_generates(tmp_path, laid, tmp_path / "commands", save_all="Saving failed")
    with pytest.raises(Fault, match="does not write the world: 'Saving failed'"):
        generated(tmp_path, full)
    refused = "No chunks were marked for force loading"
    with pytest.raises(Fault, match="does not load the chunks at z = -96"):
        generated(
            tmp_path,
            java_that_generates(tmp_path, laid, tmp_path / "commands", forceload=refused),
        )
    assert not (tmp_path / "out").exists()
    assert running(tmp_path) == []


def test_a_place_or_a_seed_that_cannot_be_is_told_before_anything_starts(tmp_path):
    (tmp_path / "out" / "save").mkdir(parents=True)
    with pytest.raises(SaveError, match="a free one; nothing is overwritten"):
        generated(tmp_path, "no java")
    with pytest.raises(InputError, match="a signed 64-bit integer"):
        generated(tmp_path, "no java", seed=1 << 63)
