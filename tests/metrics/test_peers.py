"""The other tools beside ours: identical where they are right, and a test where they are not.

segeval 2.0.11 takes the hypothesis first. NLTK 3.10.4 reads strings of marks, one for each place
between units. Both are run here; nothing of them is rebuilt.
"""

import decimal
import warnings
from decimal import Decimal
from importlib.metadata import version
from typing import Any

import numpy as np
import pytest

import fencepost as fp
from fencepost import Segmentation
from fencepost.model.checks import MetricError, SegmentationError
from strategies import random_pairs

with warnings.catch_warnings():
    # Old escapes in old docstrings; newer Pythons warn when they compile them.
    warnings.simplefilter("ignore", category=SyntaxWarning)
    warnings.simplefilter("ignore", category=DeprecationWarning)
    import segeval
    from nltk.metrics.segmentation import ghd, pk, windowdiff
    from segeval import BoundaryFormat


def test_the_versions_are_those_the_tests_speak_of():
    assert version("segeval") == "2.0.11"
    assert version("nltk") == "3.10.4"


def sample(count: int, units: tuple[int, int] = (3, 40), seed: int = 2012) -> list[Any]:
    """Pairs with a cut on at least one side: without one segeval has no answer."""
    found = random_pairs(seed, 2 * count, units=units)
    return [pair for pair in found if len(pair[0].cuts) or len(pair[1].cuts)][:count]


def masses(pair: Any) -> tuple[list[int], list[int]]:
    """Hypothesis first, as segeval wants it."""
    ref, hyp = pair
    return list(hyp.masses), list(ref.masses)


def kind_sets(seg: Segmentation) -> tuple[frozenset[int], ...]:
    """segeval's boundary strings: the kinds at each place."""
    found: list[set[int]] = [set() for _ in range(seg.units - 1)]
    kinds = seg.kinds if seg.kinds is not None else np.ones(len(seg.cuts), dtype=int)
    for place, kind in zip(seg.cuts.tolist(), kinds.tolist(), strict=True):
        found[place - 1].add(kind)
    return tuple(frozenset(kinds) for kinds in found)


# segeval: windows.

WINDOWS = [(fp.pk, segeval.pk), (fp.windowdiff, segeval.window_diff)]


@pytest.mark.parametrize(("ours", "theirs"), WINDOWS)
def test_segeval_windows_of_its_own_width(ours, theirs):
    compared = 0
    for pair in sample(300):
        k = max(2, round(Decimal(pair[0].units) / len(pair[0].masses) / 2))
        if k < pair[0].units:
            assert ours(*pair, like="segeval").value == float(theirs(*masses(pair)))
            compared += 1
    assert compared > 250


@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize(("ours", "theirs"), WINDOWS)
def test_segeval_windows_of_a_given_width(ours, theirs, k):
    for pair in sample(100, units=(8, 40)):
        assert ours(*pair, k=k).value == float(theirs(*masses(pair), window_size=k))


@pytest.mark.slow
def test_segeval_pads_by_k_and_divides_by_one_window_too_many():
    # With k phantom units at both ends there are N + k windows; it divides by N + k + 1. The
    # windows that differ are those of k - 1 phantom units: the outermost hold no place.
    for pair in sample(200):
        units = pair[0].units
        for k in {1, 2, units // 2, units - 1} - {0}:
            settings = {"window_size": k, "lamprier_et_al_2007_fix": True}
            parts = segeval.window_diff(*masses(pair), return_parts=True, **settings)
            padded = fp.windowdiff(*pair, k=k, pad="lamprier").counts
            assert parts == (padded["differing"], padded["windows"] + 3)
            assert parts == (padded["differing"], units + k + 1)
            ours = fp.windowdiff(*pair, k=k, pad="segeval")
            assert tuple(ours.counts.values()) == parts
            assert ours.value == float(segeval.window_diff(*masses(pair), **settings))


@pytest.mark.slow
def test_segeval_windowdiff_stops_at_a_width_of_256():
    ref, hyp = [1000, 1000], [900, 1100]
    for k in (254, 255):
        assert fp.windowdiff(ref, hyp, k=k).value == float(
            segeval.window_diff(hyp, ref, window_size=k)
        )
    for k in (256, 257, 300):
        with pytest.raises(AssertionError):
            segeval.window_diff(hyp, ref, window_size=k)
        assert fp.windowdiff(ref, hyp, k=k).counts == {"differing": 200, "windows": 2000 - k}
        assert fp.pk(ref, hyp, k=k).value == float(segeval.pk(hyp, ref, window_size=k))


def test_segeval_loses_differences_in_position_input_beyond_segment_256():
    ref, hyp = [3] * 400, [2, 4] * 200

    def positions(sizes: list[int]) -> list[int]:
        # Numbers as they come from a file: equal, but not the same objects.
        return [int(str(i)) for i, size in enumerate(sizes, start=1) for _ in range(size)]

    right = fp.windowdiff(ref, hyp, k=2).value
    assert right == float(segeval.window_diff(hyp, ref, window_size=2))
    as_positions = segeval.window_diff(
        positions(hyp), positions(ref), window_size=2, boundary_format=BoundaryFormat.position
    )
    assert float(as_positions) < right - 0.1


def test_segeval_divides_zero_by_zero_where_the_window_is_the_text():
    with pytest.raises(decimal.InvalidOperation):
        segeval.window_diff([2, 2], [2, 2], window_size=4)
    with pytest.raises(MetricError, match="k must be less than the number of units"):
        fp.windowdiff([2, 2], [2, 2], k=4)


# segeval: edits of one kind.


@pytest.mark.slow
@pytest.mark.parametrize("n_t", [1, 2, 3, 5, 8])
def test_segeval_b_and_s_of_one_kind_edits_included(n_t):
    for pair in sample(200):
        ref, hyp = pair
        b = fp.boundary_similarity(*pair, n_t=n_t, like="segeval")
        s = fp.segmentation_similarity(*pair, n_t=n_t, like="segeval")
        sizes = list(ref.masses), list(hyp.masses)
        assert b.value == float(segeval.boundary_similarity(*sizes, n_t=n_t))
        # 1 - cost / places with the shares d/n_t rounded: one bit may differ.
        theirs = float(segeval.segmentation_similarity(*sizes, n_t=n_t))
        assert s.value == pytest.approx(theirs, abs=2 * 2**-53)
        additions, substitutions, moved = segeval.boundary_edit_distance(
            kind_sets(ref), kind_sets(hyp), n_t=n_t
        )
        assert substitutions == []
        assert b.counts["missing"] == sum(edit.side == "a" for edit in additions)
        assert b.counts["extra"] == sum(edit.side == "b" for edit in additions)
        ours = [(e.start, e.end) for e in b.edits if e.what == "transposition"]
        assert ours == sorted((edit.start + 1, edit.end + 1) for edit in moved)


def test_segeval_pairs_nearest_first_which_can_cost_more():
    a, b = [1, 3, 4], [3, 3, 2]
    assert round(segeval.boundary_similarity(a, b, n_t=3), 3) == Decimal("0.222")
    assert round(fp.boundary_similarity(a, b, n_t=3).value, 3) == 0.333


def test_segeval_crashes_without_any_cut():
    for metric in (segeval.boundary_similarity, segeval.segmentation_similarity):
        with pytest.raises(ValueError, match="empty sequence"):
            metric([9], [9])
    assert fp.boundary_similarity([9], [9], like="segeval").value == 1.0
    assert fp.segmentation_similarity([9], [9], like="segeval").value == 1.0


def test_segeval_accepts_a_segment_without_units():
    assert segeval.boundary_similarity([3, 0, 3], [3, 3]) == 1
    with pytest.raises(SegmentationError, match="at least 1; number 2 is 0"):
        fp.boundary_similarity([3, 0, 3], [3, 3])


def test_segeval_credits_a_near_miss_in_its_confusion_matrix_with_the_error():
    # At n_t 5 a cut one off has an error of .2; .8 of it is right. The matrix says .2.
    matrix = segeval.boundary_confusion_matrix([5, 5], [6, 4], n_t=5)
    assert matrix[1][1] == Decimal("0.2")
    assert fp.b_precision([5, 5], [6, 4], n_t=5).value == 0.8
    assert fp.b_recall([5, 5], [6, 4], n_t=5).value == 0.8


def test_segeval_swaps_missing_and_extra_cuts_in_its_confusion_matrix():
    # Rows are predicted, columns are true kinds. The hypothesis has a cut that the reference
    # has not: predicted 1, true none. With the hypothesis first it is filed the other way round.
    hyp, ref = [6, 4], [10]
    matrix = segeval.boundary_confusion_matrix(hyp, ref)
    assert (matrix[1][None], matrix[None][1]) == (0, 1)
    assert fp.b_precision(ref, hyp).counts["extra"] == 1
    assert fp.b_precision(ref, hyp).counts["missing"] == 0


# segeval: several kinds.


def typed_sample(count: int) -> list[Any]:
    """Pairs in which both the lowest and the highest kind occur, and no side is empty."""
    names = ("1", "2", "3")
    kept = []
    for pair in random_pairs(99, 10 * count, units=(3, 10), names=names):
        sides = []
        for seg in pair:
            inner = seg.cuts < seg.units
            sides.append(Segmentation(seg.units, seg.cuts[inner], seg.kinds[inner], names))
        used = {kind for seg in sides for kind in seg.kinds.tolist()}
        if {1, 3} <= used and all(len(seg.cuts) for seg in sides):
            kept.append(tuple(sides))
    return kept[:count]


def segeval_b(pair: Any, n_t: int = 2, kinds: tuple[int, ...] = (1, 2, 3)) -> float:
    sides = [kind_sets(seg) for seg in pair]
    settings = {"boundary_format": BoundaryFormat.sets, "boundary_types": set(kinds)}
    return float(segeval.boundary_similarity(*sides, n_t=n_t, **settings))


@pytest.mark.slow
def test_segeval_b_of_several_kinds_is_ours_but_for_transpositions_it_misses():
    # Where its search differs it has fewer transpositions of kinds that could have moved.
    same = other = 0
    for pair in typed_sample(400):
        ours = fp.boundary_similarity(*pair, like="segeval")
        theirs = segeval_b(pair)
        if abs(ours.value - theirs) <= 4 * 2**-53:
            same += 1
        else:
            other += 1
            _, _, moved = segeval.boundary_edit_distance(*(kind_sets(seg) for seg in pair), n_t=2)
            assert len(moved) < ours.counts["transpositions"]
    assert same > 9 * other


def test_segeval_prices_a_substitution_by_the_kinds_of_the_pair_and_not_of_the_task():
    pair = [Segmentation(5, [1], [kind], ("1", "2", "3")) for kind in (2, 3)]
    assert segeval_b(pair) == 0.5
    assert fp.boundary_similarity(*pair, like="segeval").value == pytest.approx(2 / 3, abs=2**-53)


def test_segeval_misses_a_transposition_of_another_kind():
    # Kind 2 moves from 1 to 2, kind 1 from 2 to 1 and from 4 to 3: three near misses, no more.
    names = ("1", "2")
    a = Segmentation(5, [1, 2, 4], [2, 1, 1], names)
    b = Segmentation(5, [1, 2, 3], [1, 2, 1], names)
    assert fp.boundary_similarity(a, b, like="segeval").value == 0.5
    assert segeval_b((a, b), kinds=(1, 2)) == 0.25


def test_segeval_divides_s_by_the_square_of_the_number_of_kinds():
    names = ("1", "2")
    a, b = (Segmentation(6, [3], [kind], names) for kind in (1, 2))
    settings = {"boundary_format": BoundaryFormat.sets, "boundary_types": {1, 2}}
    parts = segeval.segmentation_similarity(
        kind_sets(a), kind_sets(b), return_parts=True, **settings
    )
    assert parts[1] == 2 * 2 * 5
    assert fp.segmentation_similarity(a, b, like="segeval").counts["places"] == 2 * 5


# NLTK.


def bits(pair: Any) -> tuple[str, str]:
    return pair[0].bits, pair[1].bits


@pytest.mark.slow
def test_nltk_pk_of_its_own_width():
    compared = 0
    for pair in sample(500):
        marks = pair[0].bits
        k = round(len(marks) / (2 * max(marks.count("1"), 1)))
        if k >= 1:
            assert fp.pk(*pair, like="nltk").value == pk(*bits(pair))
            compared += 1
    assert compared > 400


@pytest.mark.parametrize("marks", ["0000", "00000", "000000", "0000000", "0" * 13])
def test_nltk_takes_half_the_text_where_the_reference_has_no_cut(marks):
    ref = Segmentation.from_bits(marks)
    for place in range(len(marks)):
        hyp = marks[:place] + "1" + marks[place + 1 :]
        ours = fp.pk(ref, Segmentation.from_bits(hyp), like="nltk")
        assert ours.value == pk(marks, hyp)


@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_nltk_windowdiff_counts_places_as_we_do(k, weighted):
    for pair in sample(200, units=(8, 40)):
        assert fp.pk(*pair, k=k).value == pk(*bits(pair), k)
        ours = fp.windowdiff(*pair, k=k, weighted=weighted).value
        assert ours == windowdiff(*bits(pair), k, weighted=weighted)


def test_nltk_windowdiff_of_its_own_width():
    # It has no width of its own for WindowDiff; the preset takes that of its Pk.
    for pair in sample(200):
        k = round((pair[0].units - 1) / (2 * max(len(pair[0].cuts), 1)))
        if k >= 1:
            assert fp.windowdiff(*pair, like="nltk").value == windowdiff(*bits(pair), k)


def test_nltk_finds_everything_right_where_its_width_rounds_to_0():
    assert pk("1111", "0000") == 0.0
    ref, hyp = (fp.Segmentation.from_bits(bits) for bits in ("1111", "0000"))
    assert fp.pk(ref, hyp, like="nltk").value == fp.windowdiff(ref, hyp, like="nltk").value == 0
    assert fp.pk([1], [1], like="nltk").value == pk("", "") == 0


def test_nltk_finds_everything_right_in_lists_of_ints():
    assert pk([0, 1, 0, 0], [1, 0, 0, 1], k=2) == 0.0
    assert windowdiff([0, 1, 0, 0], [1, 0, 0, 1], 2) == 0.0
    assert pk([5, 5, 1, 3], [5, 4, 1, 4], k=2) == 0.0
    ref, hyp = Segmentation.from_bits([0, 1, 0, 0]), Segmentation.from_bits([1, 0, 0, 1])
    assert fp.windowdiff(ref, hyp, k=2).value == windowdiff("0100", "1001", 2) == 2 / 3


def test_nltk_divides_by_zero_where_the_window_is_wider_than_the_text():
    with pytest.raises(ZeroDivisionError):
        pk("0100", "0100", 5)
    with pytest.raises(MetricError, match="k must be less than the number of units"):
        fp.pk(Segmentation.from_bits("0100"), Segmentation.from_bits("0100"), k=5)


# Its insertions put a cut into the hypothesis and its deletions take one out, as ours do.
@pytest.mark.parametrize(
    ("insert", "delete", "shift"),
    [(2, 2, 1), (4, 4, 2), (1, 1, 0.5), (3, 1, 1), (1, 3, 1), (5, 2, 0.25), (0.5, 7, 2)],
)
def test_nltk_ghd_with_any_costs(insert, delete, shift):
    for pair in sample(100, units=(3, 30)):
        ours = fp.generalized_hamming(*pair, insert=insert, delete=delete, shift=shift).value
        # Its costs are sums of short binary numbers: nothing is rounded on either side.
        assert ours == ghd(*bits(pair), insert, delete, shift)


def test_nltk_ghd_with_its_own_costs():
    for pair in sample(100, units=(3, 30)):
        assert fp.generalized_hamming(*pair, like="nltk").value == ghd(*bits(pair))


@pytest.mark.parametrize(("costs", "expected"), [((2, 2, 1), 3.0), ((4, 4, 2), 6.0)])
def test_nltk_ghd_of_the_worked_example(costs, expected):
    ref, hyp = Segmentation.from_masses([3, 4, 5]), Segmentation.from_masses([4, 3, 2, 3])
    assert ghd(ref.bits, hyp.bits, *costs) == expected


# Figures that both sides know.


def test_one_reference_two_widths():
    ref, hyp = "000001001000", "000100010000"
    pair = Segmentation.from_bits(ref), Segmentation.from_bits(hyp)
    assert pk(ref, hyp) == fp.pk(*pair, like="nltk").value == 0.4
    theirs = segeval.pk(*masses(pair))
    assert fp.pk(*pair, like="segeval").value == float(theirs) == 6 / 11
