"""Worlds as the real game keeps them: saves out and in, and pictures to look at."""
