"""SciCrafter: a redstone laboratory in which to find out how circuits work, and to build with it."""
