"""A over ever longer texts: the cost is linear."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import fencepost as fp
from bench.table import Results, show_growth
from bench.timing import best_each
from fencepost.model.checks import Ints

LARGEST = 10_000_000


def run(results: Results) -> None:
    """Double the text up to 10^7 segments; each time may cost 2.3 times as much at most."""
    rng = np.random.default_rng(1)
    ref, hyp = (np.cumsum(rng.integers(1, 50, LARGEST)) for _ in range(2))
    sizes = [LARGEST >> halvings for halvings in range(7, -1, -1)]
    recipe = fp.alignment_similarity.recipe()
    tables = [_one(ref[: segments - 1], hyp[: segments - 1]) for segments in sizes]
    times = best_each([lambda one=one: recipe.value(recipe.count(one)) for one in tables])
    show_growth("A, one pair, mean segment 25", sizes, times, "segments")
    worst = max(after / before for before, after in pairwise(times))
    if worst > 2.3:
        results.missed.append(f"A: doubling the text cost {worst:.2f} times, target 2.3")


def _one(ref: Ints, hyp: Ints) -> fp.Pairs:
    bounds = np.array([0, len(ref)])
    units = max(ref[-1], hyp[-1]) + 25
    return fp.Pairs(fp.Column(ref, bounds), fp.Column(hyp, bounds), np.array([units]))
