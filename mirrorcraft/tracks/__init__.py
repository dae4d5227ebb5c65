"""Tracks: benchmarks of other papers that are played in this house."""
