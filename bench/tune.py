"""Every threshold of 10^6 probabilities, counted in one pass, beside one threshold at a time."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from bench.table import Results
from bench.timing import best, shown
from fencepost.metrics.registry import Recipe, parse
from fencepost.model.pairs import Column, Pairs
from fencepost.model.steps import Steps
from fencepost.scoring.curves import Curve, certain, with_hyp

POSITIONS, SEGMENT, LIMIT = 1_000_000, 100, 2.0  # k is half a segment: 50; seconds for all metrics
METRICS = ("boundary_f:tolerance=2", "pk", "windowdiff")


def _pairs(texts: int) -> Pairs:
    """Texts of equal length in which no two positions have the same probability."""
    rng = np.random.default_rng(12345)
    size = POSITIONS // texts
    offsets = np.arange(texts + 1) * size
    marks = np.flatnonzero(rng.random(POSITIONS) < 1 / SEGMENT)
    ref = Column(marks % size + 1, np.searchsorted(marks, offsets))
    weights = (rng.permutation(POSITIONS) + 1) / (POSITIONS + 1)
    hyp = Column(np.tile(np.arange(1, size + 1), texts), offsets, weights=weights)
    return Pairs(ref, hyp, np.full(texts, size + 1))


def _sweep(pairs: Pairs, recipes: list[Recipe], average: str) -> list[np.ndarray]:
    assert pairs.hyp.weights is not None
    every = certain(pairs)
    steps = Steps.by_threshold(pairs.hyp.weights, pairs.hyp.offsets)
    rows = np.arange(len(pairs))
    curves = [Curve.of(recipe, every, steps, rows, len(pairs)) for recipe in recipes]
    return [curve.at_each(average) for curve in curves]


def run(results: Results) -> None:
    """One text of 10^6 positions, and many; means of texts, and pooled counts."""
    recipes = [parse(name) for name in METRICS]
    named = ", ".join(METRICS)
    print(f"{POSITIONS:,} thresholds: {named} (k about 50), at most {LIMIT:g} s:")
    for texts in (1, 1_000, 20_000):
        pairs = _pairs(texts)
        for average in ("macro", "micro"):
            took, _ = best(partial(_sweep, pairs, recipes, average), seconds=0.1)
            cells = results.at_most(f"sweep, {texts} texts, {average}", took, LIMIT, "s")
            print(f"  {texts:>6,} texts, {average}: {' '.join(cells)}")
        weights = pairs.hyp.weights
        assert weights is not None
        half = with_hyp(pairs, pairs.hyp.at_threshold(0.5))
        began = time.process_time()
        for recipe in recipes:
            recipe.value(recipe.count(half))
        one = time.process_time() - began
        print(f"  {texts:>6,} texts, one threshold by itself: {shown(one)}; a million of them "
              f"{one * POSITIONS / 3600:,.0f} h")  # fmt: skip
    print(flush=True)
