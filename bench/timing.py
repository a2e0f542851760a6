"""Takes the best of several runs, and says on which machine."""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def best(call: Callable[[], T], *, seconds: float = 0.5, runs: int = 3) -> tuple[float, T]:
    """The shortest of at least ``runs`` runs, and of as many as fit into ``seconds``.

    Processor time: what else the machine does would lengthen slow runs more than fast ones, and
    so speak against the slower tool. The first run warms up and does not count.
    """
    end = time.perf_counter() + seconds
    value = call()
    times: list[float] = []
    while len(times) < runs or (time.perf_counter() < end and len(times) < 200):
        start = time.process_time()
        value = call()
        times.append(time.process_time() - start)
    return min(times), value


def best_each(calls: Sequence[Callable[[], object]], rounds: int = 4) -> list[float]:
    """The best time of each, in several rounds over all, so that no burst hits one size alone."""
    times = [math.inf] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            times[i] = min(times[i], best(call, seconds=0.1, runs=2)[0])
    return times


def best_of_calls(call: Callable[[], object], calls: int = 200) -> float:
    """The time of one small call, from loops of many."""
    took, _ = best(lambda: [call() for _ in range(calls)])
    return took / calls


def shown(seconds: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= 0.9995 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def machine() -> str:
    """The processor, and the versions of everything that is timed."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    packages = ("fencepost", "numpy", "nltk", "segeval", "mweralign")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}; "
        f"Python {platform.python_version()}, {versions}"
    )
