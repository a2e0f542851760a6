"""How the cost grows with the units, with k, and with the number of cuts."""

from __future__ import annotations

import numpy as np

import fencepost as fp
from bench.data import Ints, copied, cuts
from bench.table import Results, show_growth
from bench.timing import best


def run(_: Results) -> None:
    """WindowDiff and Pk are flat in units and k; everything is linear in cuts."""
    ref, hyp = _pair(100_000, 25)
    units = 2_500_000
    longer = [units * 8**step for step in range(5)]
    widths = [2 * 8**step for step in range(6)]
    for metric in (fp.windowdiff, fp.pk):
        name = f"{metric.name}, 10^5 segments"
        times = [_seconds(metric, _table(ref, hyp, n), k=13) for n in longer]
        show_growth(f"{name}, k 13: flat", longer, times, "units")
        spread = [_table(ref * (n // units), hyp * (n // units), n) for n in longer]
        times = [_seconds(metric, pairs) for pairs in spread]
        show_growth(f"{name} spread over the text, k auto: flat", longer, times, "units")
        times = [_seconds(metric, _table(ref, hyp, units), k=k) for k in widths]
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
        times = [_seconds(metric, _table(*_pair(n, 25), n * 25), **settings) for n in sizes]
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


def _seconds(metric: fp.metrics.base.Metric, pairs: fp.Pairs, **settings: int) -> float:
    recipe = metric.recipe(**settings)
    return best(lambda: recipe.value(recipe.count(pairs)), seconds=0.3)[0]
