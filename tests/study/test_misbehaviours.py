"""The three misbehaviours of Diaz & Ouyang (2022): the kernel, and the search with any metric."""

import random
from functools import cache

import pytest

import fencepost as fp
from fencepost import _core
from fencepost.metrics.functions import from_function
from fencepost.model.checks import MetricError
from fencepost.study.probing.misbehaviours import KINDS, search
from oracle import misbehaviours as oracle

METRICS = {
    "B": fp.boundary_similarity.recipe(),
    "A": fp.alignment_similarity.recipe(),
}


@cache
def flags(units: int) -> list[int]:
    return _core.misbehaviours(units).tolist()


def mask(masses: list[int]) -> int:
    ends = [sum(masses[: i + 1]) for i in range(len(masses) - 1)]
    return sum(1 << (end - 1) for end in ends)


def by_kernel(masses: list[int]) -> dict[str, tuple[bool, ...]]:
    found = flags(sum(masses))[mask(masses)]
    return {
        kind: tuple(bool(found >> (3 * i + metric) & 1) for metric in range(3))
        for i, kind in enumerate(oracle.KINDS)
    }


@pytest.mark.slow
@pytest.mark.parametrize("units", range(3, 9))
def test_the_kernel_finds_what_fractions_find_in_every_small_reference(units):
    for masses in oracle.references(units):
        assert by_kernel(masses) == oracle.equal_pairs(masses), masses


@pytest.mark.slow
@pytest.mark.parametrize("units", [9, 11, 13, 16])
def test_the_kernel_finds_what_fractions_find_in_larger_references(units):
    draw = random.Random(units)
    every = [masses for masses in oracle.references(units) if len(masses) < 8]
    # As many references with something in them as without.
    some = [masses for masses in every if flags(units)[mask(masses)] & 0b111111]
    assert some
    for masses in [*draw.sample(some, min(8, len(some))), *draw.sample(every, 8)]:
        assert by_kernel(masses) == oracle.equal_pairs(masses), masses


def test_threads_change_nothing():
    before = _core.get_threads()
    try:
        _core.set_threads(1)
        one = _core.misbehaviours(13)
        _core.set_threads(4)
        assert (one == _core.misbehaviours(13)).all()
    finally:
        _core.set_threads(before)


# The search with any metric.


def counted(kind: str, metric: int, largest: int) -> int:
    """How many references the kernel finds."""
    bit = 3 * oracle.KINDS.index(kind) + metric
    return sum(found >> bit & 1 for units in range(3, largest + 1) for found in flags(units))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METRICS)
def test_the_search_agrees_with_the_kernel(name, kind):
    found = search(METRICS[name], kind)
    assert found.affected == counted(kind, "WBA".index(name), 10)
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
    for units in range(3, 8):
        assert not any(found >> 7 & 1 for found in flags(units))


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
