"""Takes the best of several runs, and says on which machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def best(
    call: Callable[[], T], *, seconds: float = 0.5, runs: int = 3, most: int = 200
) -> tuple[float, T]:
    """The shortest of at least ``runs`` runs, and of as many as fit into ``seconds``.

    The first run warms up and is not counted, unless it alone takes longer than ``seconds``.
    """
    began = time.perf_counter()
    value = call()
    first = time.perf_counter() - began
    times = [first] if first > seconds else []
    while len(times) < runs or (time.perf_counter() - began < seconds and len(times) < most):
        start = time.perf_counter()
        value = call()
        times.append(time.perf_counter() - start)
    return min(times), value


def best_of_calls(call: Callable[[], object], calls: int = 200) -> float:
    """The time of one small call, from loops of many."""
    took, _ = best(lambda: [call() for _ in range(calls)])
    return took / calls


def shown(seconds: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def machine() -> str:
    """The processor, and the versions of everything that is timed."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    packages = ("fencepost", "numpy", "nltk", "segeval")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}; "
        f"Python {platform.python_version()}, {versions}"
    )
