"""Datapacks of a few files, for tests."""

from typing import Any

from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.datapack import Datapack

VANILLA = Rulebook.vanilla("1.19")
MCMETA = {"pack": {"pack_format": 10, "description": "a test"}}
DIAMONDS = {
    "type": "minecraft:block",
    "pools": [{"rolls": 1, "entries": [{"type": "minecraft:item", "name": "minecraft:diamond"}]}],
}
DIRT = "loot_tables/blocks/dirt.json"


def pack(files: dict[str, Any], name: str = "pack", **mcmeta: Any) -> Datapack:
    """A pack of files of the game's namespace; a path with a colon names another."""
    places = {}
    for path, content in files.items():
        namespace, _, inner = path.rpartition(":")
        places[f"data/{namespace or 'minecraft'}/{inner}"] = content
    return Datapack({"pack.mcmeta": {**MCMETA, **mcmeta}, **places}, name)


def under(files: dict[str, Any], **mcmeta: Any) -> Rulebook:
    return VANILLA.overlay(pack(files, **mcmeta))


def hiding(*paths: str) -> dict[str, Any]:
    return {"block": [{"namespace": "^minecraft$", "path": path} for path in paths]}


def shapeless(result: str, *items: str, **more: Any) -> dict[str, Any]:
    parts = [{"tag": i[1:]} if i[0] == "#" else {"item": i} for i in items]
    return {"type": "crafting_shapeless", "ingredients": parts, "result": {"item": result, **more}}


def smelting(result: Any, item: str, **more: Any) -> dict[str, Any]:
    return {"type": "minecraft:smelting", "ingredient": {"item": item}, "result": result, **more}


def dropping(*entries: dict[str, Any], **pool: Any) -> dict[str, Any]:
    return {"type": "minecraft:block", "pools": [{"rolls": 1, "entries": list(entries), **pool}]}


def item(name: str, *functions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "item", "name": name, "functions": list(functions), **more}
