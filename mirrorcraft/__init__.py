"""Paired evaluation of agents in Minecraft worlds whose rules silently change."""

__version__ = "0.1.0"
