"""Whole episodes and whole studies, as a person would run them."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import measure, report

from mirrorcraft.agents import make
from mirrorcraft.core.episode import EpisodeSpec
from mirrorcraft.core.routes import forget
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.sim.backend import SimBackend
from mirrorcraft.study.loop import run_episode

EVERYTHING = (
    f"worlds = {list(World.names())}\ntasks = {list(Task.names())}\n"
    'schema_version = "1.0"\nrecord = "compact"\n'
)
MIRRORS = ["M01", "M02", "M03", "M04", "M05", "M06"]
# The paper's plan: 7,560 episodes with hidden rules and 1,080 with disclosed ones, offline agents in the models' place.
HIDDEN = f'name = "hidden"\nsuites = {["vanilla", *MIRRORS]}\n{EVERYTHING}' + "".join(
    f'[[agents]]\nname = "{a}"\nrepetitions = 12\n' for a in ("prior", "adaptive", "random")
)
DISCLOSED = f'name = "disclosed"\nsuites = {MIRRORS}\n{EVERYTHING}[[agents]]\nname = "planner"\ndisclosure = "disclosed"\nrepetitions = 6\n'


def cli(*words: str, cache: str | None = None) -> float:
    """Seconds that a command takes from start to end."""
    environment = os.environ | ({"MIRRORCRAFT_CACHE": cache} if cache else {})
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "mirrorcraft.cli", *words], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=environment)  # fmt: skip
    return time.perf_counter() - begun


def planner_episodes() -> None:
    """A planner's episode in each task, its own thinking and recording included."""
    backend = SimBackend()
    specs = [EpisodeSpec(w, s, t, "planner", None, Task.load(t).budget, "disclosed", 0)
             for w in World.names()[::3] for s in ("vanilla", "M04", "M05") for t in Task.names()]  # fmt: skip

    def once() -> float:
        forget()  # the answers of the pass before; within one, no two episodes are alike
        begun = time.process_time()
        for spec in specs:
            run_episode(spec, backend, make("planner"))
        return (time.process_time() - begun) / len(specs) * 1000

    measure("planner_episode_ms", "ms", once, 5)


def studies() -> None:
    """The built-in study with warm and with empty caches, and the paper's 8,640 episodes."""
    with tempfile.TemporaryDirectory() as folder:
        report("cli_help_s", "s", [cli("--help") for _ in range(9)])
        runs = iter(range(1000))
        report(
            "quick_study_s",
            "s",
            [cli("study", "--out", f"{folder}/{next(runs)}") for _ in range(3)],
        )
        report(
            "quick_study_cold_s",
            "s",
            [cli("study", "--out", f"{folder}/{next(runs)}", cache=f"{folder}/cold")],
        )
        for name, text in (("hidden", HIDDEN), ("disclosed", DISCLOSED)):
            Path(folder, f"{name}.toml").write_text(text)
        report("factorial_8640_s", "s", [sum(
            cli("study", f"{folder}/{name}.toml", "--out", f"{folder}/{name}-{k}") for name in ("hidden", "disclosed")
        ) for k in range(1)])  # fmt: skip


if __name__ == "__main__":
    planner_episodes()
    studies()
