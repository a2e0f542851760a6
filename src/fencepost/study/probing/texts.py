"""Drawn texts: whether segment sizes, length and density change the cost of the same errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from fencepost.metrics.registry import Values
from fencepost.model.segmentation import Segmentation
from fencepost.study.probing.base import (
    Curve,
    Measured,
    Property,
    Subject,
    at_most,
    declare,
    half_of_interval,
    mean,
)
from fencepost.study.simulate.counted import Rng, a_quarter_wrong, draw


def _means(
    subject: Subject, groups: Sequence[tuple[int, Callable[[Rng], Segmentation]]]
) -> tuple[Values, tuple[float, ...]]:
    """The mean loss of a quarter of errors in each group of texts, and half of its interval."""
    means, halves = [], []
    for number, (texts, make) in enumerate(groups):
        rng = subject.rng(f"{number}")
        refs = [make(rng) for _ in range(texts)]
        hyps = [a_quarter_wrong(rng, ref) for ref in refs]
        losses = subject.losses(refs, hyps)
        means.append(mean(losses))
        halves.append(half_of_interval(losses))
    return np.array(means), tuple(halves)


def _spread(
    subject: Subject,
    name: str,
    x_label: str,
    x: Sequence[int],
    groups: Sequence[tuple[int, Callable[[Rng], Segmentation]]],
) -> Measured:
    """The largest less the smallest mean loss, by their mean."""
    means, halves = _means(subject, groups)
    curve = Curve(name, x_label, tuple(map(float, x)), tuple(map(float, means)), half=halves)
    middle = float(means.mean())
    figure = float(means.max() - means.min()) / middle if middle > 0 else math.nan
    said = f"{x[0]}: {means[0]:.3g}, {x[-1]}: {means[-1]:.3g}"
    return Measured(figure, said, curves=(curve,))


@declare(
    "sizes may vary",
    "texts",
    "Does a quarter of errors cost the same whether segment sizes vary by 5 or by 20 around 25?",
    "(largest - smallest mean cost) / mean",
    at_most(0.1),
)
def variance(subject: Subject) -> Measured:
    """Sizes of 20-30, 15-35, 10-40 and 5-45 units, as pevzner2002 has them."""
    texts, cuts = (8, 32) if subject.plain else (40, 128)
    x = [5, 10, 15, 20]

    def of(half: int) -> Callable[[Rng], Segmentation]:
        return lambda rng: draw(rng, cuts + 1, 25 - half, 25 + half)

    groups = [(texts, of(half)) for half in x]
    return _spread(subject, "variance", "sizes vary by (mean 25)", x, groups)


@declare(
    "length does not matter",
    "texts",
    "Does a quarter of errors cost the same in texts of 16 cuts as in texts of 64 and more?",
    "(largest - smallest mean cost) / mean",
    at_most(0.1),
)
def length(subject: Subject) -> Measured:
    """Segments of 10 to 30 units, 16 to 256 cuts a text (to 64 for a plain function)."""
    budget = 256 if subject.plain else 4096
    x = [16, 32, 64] if subject.plain else [16, 32, 64, 128, 256]

    def of(cuts: int) -> Callable[[Rng], Segmentation]:
        return lambda rng: draw(rng, cuts + 1, 10, 30)

    groups = [(budget // cuts, of(cuts)) for cuts in x]
    return _spread(subject, "length", "cuts in the text", x, groups)


@declare(
    "density does not matter",
    "texts",
    "Does a quarter of errors cost the same with segments of 4 units on average as with 64?",
    "(largest - smallest mean cost) / mean",
    at_most(0.1),
)
def density(subject: Subject) -> Measured:
    """32 cuts a text, mean sizes from 4 to 64."""
    texts = 8 if subject.plain else 80
    x = [4, 8, 16, 32, 64]

    def of(size: int) -> Callable[[Rng], Segmentation]:
        return lambda rng: draw(rng, 33, size // 2, size + size // 2)

    return _spread(subject, "density", "mean segment size", x, [(texts, of(size)) for size in x])


PROPERTIES: tuple[Property, ...] = (variance, length, density)
