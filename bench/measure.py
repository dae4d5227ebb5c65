"""What every benchmark shares: repeat, take the median, name the machine, print one JSON line a figure."""

import json
import os
import platform
import statistics
from collections.abc import Callable
from functools import cache
from pathlib import Path


@cache
def machine() -> str:
    """The processor, its cores as this process may use them, and the Python."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{names[0] if names else platform.processor()}, {cores} cores, Python {platform.python_version()}"


def report(name: str, unit: str, values: list[float]) -> None:
    """Print the median, least and greatest of some measurements."""
    line = {
        "name": name,
        "value": round(statistics.median(values), 4),
        "unit": unit,
        "min": round(min(values), 4),
        "max": round(max(values), 4),
        "machine": machine(),
    }
    print(json.dumps(line), flush=True)


def measure(name: str, unit: str, once: Callable[[], float], repeats: int = 7) -> None:
    """Call ``once`` for a figure ``repeats`` times, after a call that warms up, and report them."""
    once()
    report(name, unit, [once() for _ in range(repeats)])
