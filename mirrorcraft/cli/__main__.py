"""Runs the command line as ``python -m mirrorcraft.cli``."""

import sys

from mirrorcraft.cli import main

if __name__ == "__main__":  # spawned workers import this module under another name
    sys.exit(main())
