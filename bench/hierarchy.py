"""The T-measure and the L-measure of one text with four levels, beside mir_eval."""

from __future__ import annotations

import tracemalloc
import warnings
from itertools import pairwise

import numpy as np
from mir_eval import hierarchy

import fencepost as fp
from bench.table import Results
from bench.timing import best

UNITS, LEVELS, TARGET = 2000, ("1", "2", "3", "4"), 200


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
    """One pair of 2,000 units; then how much memory 100 times as many units take."""
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
    long = _text(rng, 100 * UNITS), _text(rng, 100 * UNITS)
    tracemalloc.start()
    fp.l_f(*long)
    print(f"L, 200,000 units: {tracemalloc.get_traced_memory()[1] / len(long[0].cuts):.0f} bytes "
          "per boundary at most\n")  # fmt: skip
    tracemalloc.stop()
