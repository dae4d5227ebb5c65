"""What all tests share."""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("mirrorcraft.testing.contract")

# No deadlines: the first call of a kernel compiles it, and machines are shared.
settings.register_profile("mirrorcraft", deadline=None, print_blob=True)
settings.load_profile("mirrorcraft")
