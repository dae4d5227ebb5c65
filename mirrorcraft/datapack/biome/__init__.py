"""Biome packs: a world-generation spec compiled to a 1.19 datapack."""

from mirrorcraft.datapack.biome.build import biome_id, build_biome

__all__ = ["biome_id", "build_biome"]
