"""The words of the benchmark: rules, tasks, worlds, actions, observations. No numba, no Node, no network."""
