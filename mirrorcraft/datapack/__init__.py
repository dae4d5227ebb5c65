"""Datapacks of the 1.19 game: a pack as a value, packs built from a Rulebook, and the way back.

``Datapack.load`` and ``write_zip`` are the files; ``build`` writes what a rulebook changes; ``overlay`` reads any packs
into a rulebook, in the order in which a server loads them.
"""

from mirrorcraft.datapack.build import build, load_order, overlay
from mirrorcraft.datapack.pack import PACK_FORMAT, Datapack

__all__ = ["PACK_FORMAT", "Datapack", "build", "load_order", "overlay"]
