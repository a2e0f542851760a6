"""Pairs of segmentations for hypothesis and for seeded loops, extremes included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fencepost import Segmentation
from fencepost.metrics.registry import Metric
from fencepost.metrics.settings import Choice, Flag
from fencepost.model.pairs import View

KINDS = ("low", "middle", "high")


@st.composite
def cuts(draw: Any, units: int) -> list[int]:
    """Places for cuts: some, none, or all there are."""
    everywhere = range(1, units)
    if units == 1:
        return []
    how = draw(st.sampled_from(["some", "some", "some", "some", "none", "all"]))
    if how != "some":
        return list(everywhere) if how == "all" else []
    return sorted(draw(st.sets(st.integers(1, units - 1))))


@st.composite
def pairs(draw: Any, min_units: int = 1, max_units: int = 12) -> tuple[Segmentation, Segmentation]:
    """Two segmentations of one text."""
    units = draw(st.integers(min_units, max_units))
    return tuple(Segmentation(units, draw(cuts(units))) for _ in range(2))  # type: ignore[return-value]


@st.composite
def typed(draw: Any, units: int, names: tuple[str, ...]) -> Segmentation:
    """A segmentation with several kinds at a place, the end of the text included."""
    one = st.tuples(st.integers(1, units), st.integers(1, len(names)))
    found = sorted(draw(st.sets(one, max_size=12)))
    return Segmentation(units, [p for p, _ in found], [k for _, k in found], names)


@st.composite
def typed_pairs(
    draw: Any, min_units: int = 1, max_units: int = 7, names: tuple[str, ...] = KINDS
) -> tuple[Segmentation, Segmentation]:
    """Two segmentations of one text with kinds."""
    units = draw(st.integers(min_units, max_units))
    return draw(typed(units, names)), draw(typed(units, names))


@st.composite
def weighted(draw: Any, min_units: int = 1, max_units: int = 12) -> Segmentation:
    """A segmentation with the probability of each boundary; some are equal, 0 or 1."""
    units = draw(st.integers(min_units, max_units))
    steps = st.integers(0, 8).map(lambda eighths: eighths / 8)
    number = steps | st.floats(0, 1)
    size = units - 1
    return Segmentation.from_probabilities(draw(st.lists(number, min_size=size, max_size=size)))


def alone(seg: Segmentation) -> Segmentation:
    """The first boundary of every place."""
    if seg.kinds is None:
        return seg
    _, first = np.unique(seg.cuts, return_index=True)
    return Segmentation(seg.units, seg.cuts[first], seg.kinds[first], seg.kind_names)


def numbered(seg: Segmentation) -> Segmentation:
    """The same with numbered levels as the names of kinds."""
    if seg.kinds is None or seg.kind_names is None:
        return seg
    names = [str(number) for number in range(1, len(seg.kind_names) + 1)]
    return Segmentation(seg.units, seg.cuts, seg.kinds, names)


def fitting(
    sees: View, pairs: Iterable[tuple[Segmentation, Segmentation]]
) -> list[tuple[Segmentation, Segmentation]]:
    """The pairs as a metric takes them.

    Those that see the end want one boundary per place, those that see levels want names of levels.
    """
    if sees == "levels":
        return [(numbered(ref), numbered(hyp)) for ref, hyp in pairs]
    if sees != "kinds+end":
        return list(pairs)
    return [(alone(ref), alone(hyp)) for ref, hyp in pairs]


def texts(max_size: int = 4) -> st.SearchStrategy[list[tuple[Segmentation, Segmentation]]]:
    """A few pairs together, all with kinds or none."""
    plain = st.lists(pairs(max_units=10), min_size=1, max_size=max_size)
    return plain | st.lists(typed_pairs(max_units=6), min_size=1, max_size=max_size)


def variants(metric: Metric[Any, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Settings of a metric that have a list of possible values; the others keep their default."""
    listed: dict[str, st.SearchStrategy[Any]] = {}
    for name, param in metric.params.items():
        if isinstance(param, Choice):
            listed[name] = st.sampled_from(param.choices)
        elif isinstance(param, Flag):
            listed[name] = st.booleans()
    return st.fixed_dictionaries(listed)


# For seeded loops, where many pairs are wanted at once.


def random_segmentation(
    rng: np.random.Generator, units: int, rate: float, names: tuple[str, ...] | None = None
) -> Segmentation:
    """Every place holds a cut (or each kind) with this probability."""
    if names is None:
        return Segmentation(units, np.flatnonzero(rng.random(units - 1) < rate) + 1)
    places, kinds = np.nonzero(rng.random((units, len(names))) < rate / len(names))
    return Segmentation(units, places + 1, kinds + 1, names)


def random_pairs(
    seed: int,
    count: int,
    units: tuple[int, int] = (1, 60),
    names: tuple[str, ...] | None = None,
) -> Iterator[tuple[Segmentation, Segmentation]]:
    """Pairs of all densities, from no cut at all to a cut everywhere."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size = int(rng.integers(units[0], units[1] + 1))
        rates = rng.choice([0.0, 0.05, 0.2, 0.5, 1.0], size=2, p=[0.05, 0.3, 0.4, 0.2, 0.05])
        yield (
            random_segmentation(rng, size, rates[0], names),
            random_segmentation(rng, size, rates[1], names),
        )
