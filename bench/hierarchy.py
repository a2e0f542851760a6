"""The T-measure and the L-measure of one text with four levels, beside mir_eval."""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
from mir_eval import hierarchy

import fencepost as fp
from bench.memory import peak
from bench.table import Results, show
from bench.timing import best

UNITS, LEVELS, TARGET = 2000, ("1", "2", "3", "4"), 200
MEMORY_UNITS, UNITS_PER_BOUNDARY, BYTES_PER_BOUNDARY = (10_000_000, 40_000_000), 10, 64


def _text(rng: np.random.Generator, units: int) -> fp.Segmentation:
    """One boundary per ten units, finer levels more often."""
    places = np.flatnonzero(rng.random(units - 1) < 0.1) + 1
    kinds = rng.choice(4, size=len(places), p=[0.1, 0.2, 0.3, 0.4]) + 1
    return fp.Segmentation(units, places, kinds, LEVELS)


def _intervals(seg: fp.Segmentation) -> tuple[list[np.ndarray], list[list[str]]]:
    ends = [[0, *seg.at(level).cuts.tolist(), seg.units] for level in LEVELS]
    found = [np.array(list(pairwise(own)), dtype=float) for own in ends]
    return found, [[str(i) for i in range(len(own))] for own in found]


def run(results: Results) -> None:
    """One pair of 2,000 units; then the memory of far longer texts."""
    rng = np.random.default_rng(12345)
    ref, hyp = _text(rng, UNITS), _text(rng, UNITS)
    own = _intervals(ref), _intervals(hyp)
    cases = (
        ("T reduced", lambda: fp.t_f(ref, hyp),
         lambda: hierarchy.tmeasure(own[0][0], own[1][0], window=None, frame_size=1)),
        ("T full", lambda: fp.t_f(ref, hyp, transitive=True),
         lambda: hierarchy.tmeasure(own[0][0], own[1][0], True, None, 1)),
        ("L", lambda: fp.l_f(ref, hyp),
         lambda: hierarchy.lmeasure(*own[0], *own[1], frame_size=1)),
    )  # fmt: skip
    for name, mine, peer in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, expected = best(peer, seconds=0.1)
        ours, score = best(mine)
        assert abs(score - expected[2]) < 1e-9, (name, score, expected)
        results.add(f"{name} / mir_eval", "2,000 units, 4 levels", theirs, ours, TARGET)
    results.show()
    _show_memory(results)


def _show_memory(results: Results) -> None:
    """Print the peak memory of a call per boundary, which is a constant where memory is O(n)."""
    rows = []
    for name in ("t_f", "l_f"):
        for units in MEMORY_UNITS:
            found = _peak_per_boundary(name, units)
            what = f"{name}, {units:,} units"
            limit = results.at_most(f"{what}: peak memory", found, BYTES_PER_BOUNDARY, "bytes")
            rows.append([what, *limit])
    print("Peak memory of a call beyond its input, bytes per boundary of both sides:")
    show(("what", "found", "at most", ""), rows)


def _peak_per_boundary(name: str, units: int) -> float:
    order = [sys.executable, "-m", "bench.hierarchy", name, str(units)]
    return float(subprocess.run(order, capture_output=True, text=True, check=True).stdout)


def _grown(name: str, units: int) -> float:
    """Return the bytes per boundary that one call adds to the peak of this process."""
    fp.set_threads(1)
    columns = []
    for seed in (1, 2):  # no second array of this length: the peak must be the input itself
        rng = np.random.default_rng(seed)
        places = rng.integers(1, 2 * UNITS_PER_BOUNDARY, units // UNITS_PER_BOUNDARY)
        np.cumsum(places, out=places)
        kinds = rng.integers(0, len(LEVELS), len(places), dtype=np.int32)
        columns.append(fp.Column(places, np.array([0, len(places)]), kinds))
    length = np.array([max(one.values[-1] for one in columns) + 1])
    pairs = fp.Pairs._trusted(*columns, length, LEVELS)
    before = peak()
    fp.METRICS[name].recipe().count(pairs)
    return (peak() - before) / (2 * len(places))


if __name__ == "__main__":
    print(_grown(sys.argv[1], int(sys.argv[2])))
