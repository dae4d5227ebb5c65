"""Deterministic samplers of specifications: a seed and the selected tasks give a valid spec or manifest."""

from mirrorcraft.core.sample.biome import sample_biome
from mirrorcraft.core.sample.mirror import sample_mirror

__all__ = ["sample_biome", "sample_mirror"]
