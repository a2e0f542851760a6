"""Errors in exact numbers, on one text at a time: what report cards measure with."""

from __future__ import annotations

import numpy as np

from fencepost.model.checks import Ints
from fencepost.model.segmentation import Segmentation

Rng = np.random.Generator


def draw(rng: Rng, segments: int, low: int, high: int) -> Segmentation:
    """A text of so many segments, each with low to high units, all sizes equally likely."""
    return Segmentation.from_masses(rng.integers(low, high + 1, size=segments))


def miss(rng: Rng, ref: Segmentation, count: int) -> Segmentation:
    """The text without so many of its cuts."""
    kept = rng.permutation(len(ref.cuts))[count:]
    return Segmentation(ref.units, np.sort(ref.cuts[kept]))


def add(rng: Rng, ref: Segmentation, count: int) -> Segmentation:
    """The text with one more cut inside each of so many of its segments."""
    ends = np.concatenate(([0], ref.cuts, [ref.units]))
    roomy = np.flatnonzero(np.diff(ends) > 1)
    chosen = rng.permutation(roomy)[:count]
    places = rng.integers(ends[chosen] + 1, ends[chosen + 1])
    return Segmentation(ref.units, np.sort(np.concatenate((ref.cuts, places))))


def move(rng: Rng, ref: Segmentation, count: int, most: int) -> Segmentation:
    """The text with so many cuts moved by up to ``most`` units, never onto or over another."""
    cuts: Ints = ref.cuts.copy()
    for at in rng.permutation(len(cuts))[:count].tolist():
        low = int(cuts[at - 1]) + 1 if at else 1
        high = int(cuts[at + 1]) - 1 if at + 1 < len(cuts) else ref.units - 1
        step = int(rng.integers(1, most + 1)) * (1 if rng.random() < 0.5 else -1)
        cuts[at] = min(max(int(cuts[at]) + step, low), high)
    return Segmentation(ref.units, cuts)


def scatter(rng: Rng, ref: Segmentation) -> Segmentation:
    """As many cuts as the text has, at random places."""
    places = rng.choice(ref.units - 1, size=len(ref.cuts), replace=False) + 1
    return Segmentation(ref.units, np.sort(places))


def even(ref: Segmentation) -> Segmentation:
    """As many segments as the text has, of equal sizes."""
    count = len(ref.cuts) + 1
    return Segmentation(ref.units, [i * ref.units // count for i in range(1, count)])


def a_quarter_wrong(rng: Rng, ref: Segmentation) -> Segmentation:
    """A quarter of the cuts missing, and as many extra ones inside other segments."""
    count = len(ref.cuts) // 4
    extra = add(rng, ref, count)
    lost = rng.permutation(len(ref.cuts))[:count]
    return Segmentation(ref.units, np.setdiff1d(extra.cuts, ref.cuts[lost]))


def with_cut(ref: Segmentation, place: int) -> Segmentation:
    """The text with a cut there."""
    return Segmentation(ref.units, sorted({*ref.cuts.tolist(), place}))


def without_cut(ref: Segmentation, place: int) -> Segmentation:
    """The text without the cut there."""
    return Segmentation(ref.units, [cut for cut in ref.cuts.tolist() if cut != place])
