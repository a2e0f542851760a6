"""Counts at every threshold at once are those of each threshold by itself, to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost import Segmentation, _core
from fencepost.metrics.registry import parse
from fencepost.model.pairs import Column, Pairs
from fencepost.model.steps import Steps
from oracle import sweep as plain

SWEPT = (
    "F", "F:tolerance=1", "F:tolerance=4,ends=include", "P:tolerance=50%", "R:tolerance=2",
    "pk", "pk:k=2", "pk:k=5,pad=lamprier", "pk:pad=segeval", "pk:k=auto-nltk", "pk_prime",
    "c_seg:k=3", "windowdiff", "windowdiff:k=1", "windowdiff:k=4,pad=lamprier",
    "windowdiff:weighted=yes,k=3", "windowdiff:pad=segeval,k=2", "windowdiff:k=corpus",
    "windowdiff:window=units,k=3", "windowdiff:k=auto-segeval", "windowdiff:k=400",
    "pk:k=auto-segeval", "windowdiff:k=auto-nltk",
)  # fmt: skip


@st.composite
def likely(draw: Any) -> tuple[list[Segmentation], list[plain.Likely]]:
    """A few texts, the probabilities of some or all positions, with ties and empty texts."""
    refs, texts = [], []
    for _ in range(draw(st.integers(1, 4))):
        units = draw(st.integers(1, 24))
        places = st.sets(st.integers(1, max(1, units - 1)), max_size=units - 1)
        every = draw(st.booleans())
        found = set(range(1, units)) if every else draw(places)
        steps = draw(st.sampled_from([2, 5, 1000]))
        weight = st.integers(1, steps).map(lambda n, steps=steps: n / steps)
        refs.append(Segmentation(units, sorted(draw(places))))
        texts.append((units, {place: draw(weight) for place in sorted(found)}))
    return refs, texts


def pairs_of(
    refs: list[Segmentation], texts: list[plain.Likely], wide: bool = True
) -> tuple[Pairs, np.ndarray]:
    """All positions that have a probability as boundaries, and the probabilities."""
    hyps = [plain.above(text, 0) for text in texts]
    weights = [weight for _, own in texts for _, weight in sorted(own.items())]
    pairs = Pairs.from_segmentations(refs, hyps)
    if not wide:
        ref, hyp = (
            Column.own(one.values.astype(np.int32), one.offsets) for one in (pairs.ref, pairs.hyp)
        )
        pairs = Pairs._trusted(ref, hyp, pairs.units)
    return pairs, np.array(weights, dtype=np.float64)


@pytest.mark.slow
@given(likely(), st.booleans())
def test_every_step_has_the_counts_of_its_threshold(drawn: Any, wide: bool) -> None:
    refs, texts = drawn
    pairs, weights = pairs_of(refs, texts, wide)
    steps = Steps.by_threshold(weights, pairs.hyp.offsets)
    thresholds = [math.inf, *plain.thresholds(texts)]
    each = plain.pairs_at(refs, texts, thresholds)
    reached = [np.bincount(steps.rows[steps.keys <= -t], minlength=len(refs)) for t in thresholds]
    at = np.concatenate([steps.bounds[:-1] + own - 1 for own in reached])
    for recipe in map(parse, SWEPT):
        counts = recipe.metric.sweep(pairs, steps, **recipe.settings)  # type: ignore[misc]
        assert counts[at].tolist() == recipe.count(each).tolist(), str(recipe)


@given(likely(), st.floats(0.1, 30))
def test_the_best_positions_are_added_one_by_one(drawn: Any, rate: float) -> None:
    _, texts = drawn
    pairs, weights = pairs_of([Segmentation(units, []) for units, _ in texts], texts)
    steps = Steps.by_number(weights, pairs.hyp.offsets, 100, pairs.units)
    kept = pairs.hyp.keep(steps.cut_keys <= rate)
    for row, text in enumerate(texts):
        number = sum((n + 0.5) * (100 / text[0]) <= rate for n in range(text[0]))
        own = kept.segmentation(row, text[0])
        assert own == plain.best(text, number)


@given(likely(), st.floats(0.01, 1))
def test_what_is_kept_is_at_least_as_probable(drawn: Any, threshold: float) -> None:
    refs, texts = drawn
    pairs, weights = pairs_of(refs, texts)
    steps = Steps.by_threshold(weights, pairs.hyp.offsets)
    assert ((steps.cut_keys <= -threshold) == (weights >= threshold)).all()
    assert steps.distinct.tolist() == [-one for one in plain.thresholds(texts)]


def test_a_long_chain_of_near_misses_moves_up() -> None:
    """Each boundary could match two of the reference; the last one comes first."""
    n = 2000
    ref = Segmentation(10 * n + 20, range(10, 10 * n + 10, 10))
    text = (ref.units, {15 + 10 * i: (i + 1) / n for i in range(n)})
    pairs, weights = pairs_of([ref], [text])
    steps = Steps.by_threshold(weights, pairs.hyp.offsets)
    for metric in ("F:tolerance=5", "F:tolerance=25"):
        recipe = parse(metric)
        counts = recipe.metric.sweep(pairs, steps, **recipe.settings)  # type: ignore[misc]
        at = (1.0, 0.5, 1 / n)
        own = [int(np.searchsorted(steps.keys, -one, side="right")) - 1 for one in at]
        assert counts[own].tolist() == recipe.count(plain.pairs_at([ref], [text], at)).tolist()


@given(st.lists(st.floats(-1e9, 1e9) | st.floats(-1e-9, 1e-9), max_size=40))
def test_sums_are_rounded_once(values: list[float]) -> None:
    """Every value replaces none, then each is taken away again."""
    none, order = np.full(len(values), np.nan), np.arange(len(values))
    ends = np.arange(len(values) + 1)
    sums, texts = _core.running_sums(none, np.array(values), order, ends)
    assert sums.tolist() == [math.fsum(values[:end]) for end in ends]
    assert texts.tolist() == ends.tolist()
    both = np.concatenate((none, values)), np.concatenate((values, none))
    there_and_back = np.concatenate((order, order + len(values)))
    sums, texts = _core.running_sums(*both, there_and_back, np.array([2 * len(values)]))
    assert (sums.tolist(), texts.tolist()) == ([0.0], [0])
