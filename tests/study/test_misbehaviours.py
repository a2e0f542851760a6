"""The three misbehaviours of Diaz & Ouyang (2022), searched for with any metric."""

import random
from itertools import groupby
from math import comb

import numpy as np
import pytest

import fencepost as fp
from fencepost.metrics.functions import from_function
from fencepost.model.checks import MetricError
from fencepost.study.papers.diaz2022 import authors_table
from fencepost.study.probing.misbehaviours import KINDS, compare, references_of, search
from oracle import misbehaviours as oracle

METRICS = {
    "B": fp.boundary_similarity.recipe(),
    "A": fp.alignment_similarity.recipe(),
}


def code(masses: list[int]) -> int:
    ends = [sum(masses[: i + 1]) for i in range(len(masses) - 1)]
    return sum(1 << (end - 1) for end in ends)


def found_in(texts: list[list[int]]) -> list[dict[str, tuple[bool, ...]]]:
    """For each reference and kind: whether padded WindowDiff, B and A score a pair equal."""
    (units,), (segments,) = {sum(text) for text in texts}, {len(text) for text in texts}
    k = max(1, round(units / (2 * segments)))  # a half to the even number, as the authors have it
    recipes = [fp.windowdiff.recipe(k=k, pad="lamprier"), *METRICS.values()]
    told = compare(recipes, KINDS, np.array([code(text) for text in texts]), units)
    affected = {kind: own.affected(len(texts)).T.tolist() for kind, own in told.items()}
    return [{kind: tuple(affected[kind][row]) for kind in KINDS} for row in range(len(texts))]


def by_segments(texts: list[list[int]]) -> list[list[list[int]]]:
    return [list(own) for _, own in groupby(sorted(texts, key=len), key=len)]


@pytest.mark.slow
@pytest.mark.parametrize("units", range(3, 9))
def test_what_fractions_find_in_every_small_reference(units):
    for texts in by_segments(list(oracle.references(units))):
        for masses, found in zip(texts, found_in(texts), strict=True):
            assert found == oracle.equal_pairs(masses), masses


@pytest.mark.slow
@pytest.mark.parametrize("units", [9, 11, 13, 16])
def test_what_fractions_find_in_larger_references(units):
    draw = random.Random(units)
    every = by_segments([masses for masses in oracle.references(units) if len(masses) < 8])
    # As many references with something in them as without.
    found = [(m, own) for texts in every for m, own in zip(texts, found_in(texts), strict=True)]
    some = [(m, own) for m, own in found if any(map(any, own.values()))]
    assert some
    for masses, own in [*draw.sample(some, min(8, len(some))), *draw.sample(found, 8)]:
        assert own == oracle.equal_pairs(masses), masses


def test_references_are_complete_and_in_the_order_of_their_cuts():
    for units, segments in ((7, 3), (18, 9)):
        found = np.concatenate(list(references_of(units, segments))).tolist()
        assert len(found) == comb(units - 1, segments - 1)
        cuts = [tuple(p for p in range(units) if one >> p & 1) for one in found]
        assert cuts == sorted(set(cuts))


# The search with any metric.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METRICS)
def test_the_search_counts_what_the_authors_counted(name, kind):
    found = search(METRICS[name], kind)
    rows = [row for (error, n, _), row in authors_table().items() if error == kind and n <= 10]
    assert found.affected == sum(row[1 + "WBA".index(name)] for row in rows)
    assert found.references == sum(2 ** (units - 1) - 2 for units in range(3, 11))
    assert (found.example is None) == (found.affected == 0)
    assert found.affected <= found.possible <= found.references


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_is_what_it_says(kind):
    example = search(METRICS["B"], kind).example
    values = [fp.boundary_similarity(example.reference, h) for h in (example.h1, example.h2)]
    assert [value.value for value in values] == [example.value] * 2
    better, worse = (
        fp.alignment_similarity(example.reference, h) for h in (example.h1, example.h2)
    )
    assert better.value > worse.value


def test_the_smallest_example_has_the_fewest_units_then_segments():
    found = search(METRICS["B"], "vanishing").example
    assert (found.reference, found.h1, found.h2, found.value) == ((3, 5), (5, 3), (6, 2), 0.0)
    assert search(METRICS["B"], "vanishing", 7).affected == 0


def test_possible_is_the_same_for_all_metrics():
    by_kind = {
        kind: {search(recipe, kind, 9).possible for recipe in METRICS.values()} for kind in KINDS
    }
    assert all(len(counts) == 1 for counts in by_kind.values())


@pytest.mark.slow
def test_a_metric_that_says_nothing_fails_wherever_it_can():
    def constant(ref, hyp):
        return 0.5

    def undefined(ref, hyp):
        return float("nan")

    for kind in KINDS:
        found = search(from_function(constant).recipe(), kind)
        assert found.affected == found.possible > 0
        assert found.share == found.affected / found.references
        assert search(from_function(undefined).recipe(), kind).affected == 0


@pytest.mark.parametrize("largest", [2, 13, 5.0, True, "9"])
def test_sizes_that_cannot_be_searched_are_refused(largest):
    with pytest.raises(MetricError, match="from 3 to 12 units"):
        search(METRICS["B"], "vanishing", largest)


def test_unknown_kinds_are_refused():
    with pytest.raises(MetricError, match="constant-cost, cross-boundary, vanishing"):
        search(METRICS["B"], "vanish")
