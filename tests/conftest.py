"""What all tests share."""

from hypothesis import settings

# No deadlines: the first call of a kernel compiles it, and machines are shared.
settings.register_profile("mirrorcraft", deadline=None, print_blob=True)
settings.load_profile("mirrorcraft")
