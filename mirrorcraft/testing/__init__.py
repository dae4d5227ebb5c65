"""For people who write suites and backends: proofs, Hypothesis strategies, and the contract of a Backend.

``prove`` holds a manifest, a pack or a rulebook to everything that a suite should keep. ``testing.strategies`` makes
manifests, rulebooks, grids and actions for tests of one's own; ``testing.contract.BackendContract`` is what every world
must do. Hypothesis and pytest come with the extra: ``pip install 'mirrorcraft[testing]'``.
"""

from mirrorcraft.testing.claims import CLAIMS, Claim, Finding
from mirrorcraft.testing.proof import Proof, prove

__all__ = ["CLAIMS", "Claim", "Finding", "Proof", "prove"]
