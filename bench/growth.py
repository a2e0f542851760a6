"""How the cost grows with the units, with k, and with the number of cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import fencepost as fp
from bench.data import Ints, copied, cuts
from bench.table import Results, show_growth
from bench.timing import best_each
from fencepost.metrics.registry import Metric


def run(_: Results) -> None:
    """WindowDiff and Pk are flat in units and k; everything is linear in cuts."""
    ref, hyp = _pair(100_000, 25)
    units = 2_500_000
    longer = [units * 8**step for step in range(5)]
    widths = [2 * 8**step for step in range(6)]
    for metric in (fp.windowdiff, fp.pk):
        name = f"{metric.name}, 10^5 segments"
        times = _times(metric, [_table(ref, hyp, n) for n in longer], k=13)
        show_growth(f"{name}, k 13: flat", longer, times, "units")
        spread = [_table(ref * (n // units), hyp * (n // units), n) for n in longer]
        times = _times(metric, spread)
        show_growth(f"{name} spread over the text, k auto: flat", longer, times, "units")
        one = _table(ref, hyp, units)
        times = best_each([_call(metric, one, k=k) for k in widths])
        show_growth(f"{name}, 2.5 * 10^6 units: flat", widths, times, "k")
    for metric, settings in (
        (fp.windowdiff, {}),
        (fp.pk, {}),
        (fp.boundary_similarity, {"n_t": 2}),
        (fp.boundary_similarity, {"n_t": 5}),
        (fp.segmentation_similarity, {"n_t": 2}),
        (fp.segmentation_similarity, {"n_t": 5}),
    ):
        sizes = [10_000 * 2**step for step in range(7)]
        times = _times(metric, [_table(*_pair(n, 25), n * 25) for n in sizes], **settings)
        with_settings = "".join(f", {key} {value}" for key, value in settings.items())
        show_growth(f"{metric.name}{with_settings}: linear", sizes, times, "segments")


def _pair(segments: int, mean: int) -> tuple[Ints, Ints]:
    reference = cuts(segments, mean, seed=1)
    return reference, copied(reference, segments * mean, seed=2)


def _table(ref: Ints, hyp: Ints, units: int) -> fp.Pairs:
    return fp.Pairs(
        fp.Column(ref, np.array([0, len(ref)])),
        fp.Column(hyp, np.array([0, len(hyp)])),
        np.array([units]),
    )


def _call(metric: Metric[Any, Any], pairs: fp.Pairs, **settings: int) -> Callable[[], object]:
    recipe = metric.recipe(**settings)
    return lambda: recipe.value(recipe.count(pairs))


def _times(metric: Metric[Any, Any], tables: Sequence[fp.Pairs], **settings: int) -> list[float]:
    return best_each([_call(metric, pairs, **settings) for pairs in tables])
