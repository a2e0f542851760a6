"""Peak memory of a call beyond its input, each in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

import fencepost as fp
from bench.table import Results, show
from fencepost import _core

MEAN = 25
SIZES = (500_000, 1_000_000, 2_000_000)


def run(_: Results) -> None:
    """Bytes a cut at growing sizes: a constant is O(cuts). Edits may take O(cuts * n_t)."""
    rows = []
    for name, settings in (
        ("windowdiff", {}),
        ("windowdiff", {"k": 100_000}),
        ("pk", {}),
        ("boundary_f", {"tolerance": 2}),
        ("generalized_hamming", {}),
        ("covering", {}),
        ("boundary_similarity", {"n_t": 2}),
        ("boundary_similarity", {"n_t": 5}),
        ("segmentation_similarity", {"n_t": 20}),
        ("boundary_similarity", {"n_t": 5, "matching": "greedy"}),
        ("alignment_similarity", {}),
        ("alignment_similarity", {"scoring": "fan-out"}),
        ("edits of B", {"n_t": 2}),
        ("edits of B", {"n_t": 20}),
        ("edges of A", {}),
    ):
        shown = ", ".join(f"{key} {value}" for key, value in settings.items())
        per_cut = [f"{_measured(name, segments, settings):.1f}" for segments in SIZES]
        rows.append([f"{name}{', ' * bool(shown)}{shown}", *per_cut])
    print(f"Peak memory beyond the input, bytes a cut (both sides' cuts), mean segment {MEAN}:")
    show(("what", *(f"{n:,} segments" for n in SIZES)), rows)


def _measured(name: str, segments: int, settings: dict[str, object]) -> float:
    order = json.dumps([name, segments, settings])
    run = subprocess.run(
        [sys.executable, "-m", "bench.memory", order], capture_output=True, text=True, check=True
    )
    return float(run.stdout)


def peak() -> int:
    """The most bytes this process has held at once.

    Linux adds to ru_maxrss what the parent held when it started the child, so the process's own
    record is read there.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _grown(name: str, segments: int, settings: dict[str, object]) -> float:
    """Bytes a cut that one call adds to the peak."""
    fp.set_threads(1)
    columns = []
    for seed in (1, 2):
        places = np.random.default_rng(seed).integers(1, 2 * MEAN, segments - 1)
        np.cumsum(places, out=places)  # no second array: the peak must be the input itself
        columns.append(fp.Column(places, np.array([0, len(places)])))
    units = np.array([max(c.values[-1] for c in columns) + MEAN])
    pairs = fp.Pairs._trusted(*columns, units)
    rows = pairs.rows
    before = peak()
    if name == "edits of B":
        _core.edit_list(rows, settings["n_t"], False, np.zeros(1, dtype=np.int64), 1)
    elif name == "edges of A":
        _core.align_list(rows, 0, 0.0)
    else:
        fp.METRICS[name].recipe(**settings).count(pairs)
    return (peak() - before) / (2 * (segments - 1))


if __name__ == "__main__":
    print(_grown(*json.loads(sys.argv[1])))
