"""Pairs: flat columns, one check, one vocabulary, and what each metric sees of them."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Column, Pairs, Segmentation, SegmentationError, _core
from fencepost.model.pairs import merge_vocabularies
from strategies import KINDS, pairs, random_pairs, typed_pairs
from support import PAIR_METRICS

S = Segmentation


def column(values: Any, offsets: Any, kinds: Any = None) -> Column:
    return Column(*(None if a is None else np.array(a) for a in (values, offsets, kinds)))


GOOD = column([2], [0, 1])
GOOD_TYPED = column([2], [0, 1], [0])


# In and out.


def content(seg: Segmentation) -> tuple[Any, ...]:
    """Units, boundaries with the names of their types, and the names; these have no order."""
    names = seg.kind_names
    kinds = None if seg.kinds is None else [names[kind - 1] for kind in seg.kinds.tolist()]
    cuts = seg.cuts.tolist()
    named = cuts if kinds is None else sorted(zip(cuts, kinds, strict=True))
    return seg.units, named, None if names is None else sorted(names)


@given(st.lists(pairs(), min_size=1, max_size=6) | st.lists(typed_pairs(), min_size=1, max_size=6))
def test_rows_are_the_segmentations_they_were_made_from(texts):
    refs, hyps = zip(*texts, strict=True)
    batch = Pairs.from_segmentations(refs, hyps)
    assert len(batch) == len(texts)
    for row, (ref, hyp) in enumerate(texts):
        assert content(batch.segmentation(row, "ref")) == content(ref)
        assert content(batch.segmentation(row, "hyp")) == content(hyp)


@given(st.lists(pairs(), min_size=1, max_size=6))
def test_masses_laid_end_to_end_make_the_same_pairs(texts):
    def laid(side: int) -> tuple[list[int], list[int]]:
        masses = [pair[side].masses for pair in texts]
        sizes = [size for own in masses for size in own]
        return sizes, np.cumsum([0, *map(len, masses)]).tolist()

    made = Pairs.from_masses(laid(0), laid(1))
    refs, hyps = zip(*texts, strict=True)
    expected = Pairs.from_segmentations(refs, hyps)
    np.testing.assert_array_equal(made.units, expected.units)
    for one, other in ((made.ref, expected.ref), (made.hyp, expected.hyp)):
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.offsets, other.offsets)


def test_columns_of_any_width_are_taken_and_narrow_ones_stay_narrow():
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64):
        narrow = Column(np.array([5, 3], dtype), np.array([0, 1, 2]))
        batch = Pairs(narrow, narrow, np.array([10, 6]))
        assert isinstance(batch.rows, _core.Rows32 if dtype is np.int32 else _core.Rows64)
        assert fp.pk.recipe().count(batch)[:, 0].tolist() == [0, 0]


def test_mixed_widths_and_columns_with_strides_are_counted_alike():
    ref, hyp = np.array([5, 0, 3, 0]), np.array([4, 3], dtype=np.int32)
    batch = Pairs(Column(ref[::2], np.array([0, 1, 2])), Column(hyp, np.array([0, 1, 2])), [10, 6])
    counts = fp.boundary_f.recipe().count(batch)
    assert counts.tolist() == [[0, 1, 1], [1, 0, 0]]


def test_a_batch_survives_pickling():
    refs, hyps = zip(*random_pairs(3, 20, names=KINDS), strict=True)
    batch = Pairs.from_segmentations(refs, hyps, keys=[f"t{i}" for i in range(20)])
    again = pickle.loads(pickle.dumps(batch))
    assert (again.vocabulary, again.keys) == (batch.vocabulary, batch.keys)
    for row in range(20):
        assert again.segmentation(row, "ref") == batch.segmentation(row, "ref")
    mixed = Pairs.from_segmentations([S(6, [3], [1], ["a"])], [S(6, [3])])
    assert pickle.loads(pickle.dumps(mixed)).mixed


def test_no_texts_are_a_batch_too():
    batch = Pairs.from_segmentations([], [])
    assert len(batch) == 0
    for metric in PAIR_METRICS.values():
        recipe = metric.recipe()
        assert recipe.count(batch).shape == (0, len(recipe.counts))


# Memory: what the check has seen is what kernels read.

WRAPPING = [0, 2**63 - 1, -(2**63) + 1, 0]  # the differences of these wrap around to small numbers


@pytest.mark.parametrize("side", ["ref", "hyp"])
def test_offsets_that_wrap_around_are_refused(side):
    wild, good = column([], WRAPPING), column([], [0, 0, 0, 0])
    sides = (wild, good) if side == "ref" else (good, wild)
    with pytest.raises(SegmentationError, match="offsets must not go down"):
        Pairs(*sides, [6, 6, 6])
    with pytest.raises(SegmentationError, match="masses are empty"):
        Column.from_masses([], WRAPPING)


@pytest.mark.parametrize("index", [-1, 1, 2**62, -(2**63)])
def test_texts_that_do_not_exist_cannot_be_taken(index):
    with pytest.raises(ValueError, match=f"index must be from 0 to below 1, found {index}"):
        GOOD.take(np.array([0, index]))


@pytest.mark.parametrize("offsets", [[0, 2**62, 1], [0, -(2**62), 1], [0, 2**63 - 1, -(2**63), 1]])
def test_texts_cannot_be_taken_by_wild_offsets(offsets):
    """A Column is checked in Pairs; one that never was is still safe to take from."""
    with pytest.raises(ValueError, match="offsets must not fall"):
        column([2], offsets).take(np.arange(len(offsets) - 1))


def test_arrow_arrays_over_memory_that_can_be_written_are_copied():
    pa = pytest.importorskip("pyarrow")
    cuts, offsets, units = np.array([5, 4]), np.array([0, 1, 2]), np.array([10, 9])
    shared = [pa.array(one).to_numpy(zero_copy_only=True) for one in (cuts, offsets, units)]
    assert np.shares_memory(cuts, shared[0]) and not shared[0].flags.writeable
    made = Column(shared[0], shared[1])
    batch = Pairs(made, made, shared[2])
    for array in (cuts, offsets, units):
        array[:] = 2**62
    assert made.values.tolist() == [5, 4] and made.offsets.tolist() == [0, 1, 2]
    assert batch.units.tolist() == [10, 9]
    assert fp.boundary_f.recipe().count(batch).tolist() == [[1, 0, 0], [1, 0, 0]]


# Kinds.


def test_vocabularies_are_merged_by_name_whatever_comes_first():
    lists = [("b", "a"), ("a",), (), ("c",)]
    merged = {merge_vocabularies(order) for order in (lists, lists[::-1], [*lists[2:], *lists[:2]])}
    assert merged == {("a", "b", "c")}
    assert merge_vocabularies([("b", "a"), ("a",)]) == ("a", "b")
    assert merge_vocabularies([("b", "a"), ("a", "b")]) == ("a", "b")
    assert merge_vocabularies([("10", "9"), ("2",)]) == ("2", "9", "10")
    assert merge_vocabularies([("10", "-1", "0.5"), ("02",)]) == ("-1", "0.5", "02", "10")
    assert merge_vocabularies([("10", "9"), ("x",)]) == ("10", "9", "x")
    assert merge_vocabularies([]) == ()


def test_kinds_keep_their_names_in_a_merged_vocabulary():
    a = S(6, [2, 2, 4], [1, 2, 1], ["x", "z"])
    b = S(6, [2, 5], [1, 2], ["z", "y"])
    batch = Pairs.from_segmentations([a], [b])
    assert batch.vocabulary == ("x", "y", "z")
    assert batch.kind_count == 3
    for side, seg in (("ref", a), ("hyp", b)):
        assert batch.segmentation(0, side).marks == seg.marks or (
            [set(m) for m in batch.segmentation(0, side).marks] == [set(m) for m in seg.marks]
        )
    assert fp.boundary_similarity(a, b).counts["matches"] == 1  # z at 2


def test_the_vocabulary_of_a_task_comes_first():
    a, b = S(6, [2], [1], ["x"]), S(6, [2], [1], ["y"])
    batch = Pairs.from_segmentations([a], [b], vocabulary=["y", "w", "x"])
    assert batch.vocabulary == ("y", "w", "x")
    assert batch.ref.kinds.tolist() == [2]
    assert batch.hyp.kinds.tolist() == [0]
    assert fp.segmentation_similarity.recipe().count(batch)[0, -1] == 3 * 5


def test_cuts_without_kinds_are_of_one_kind():
    assert Pairs.from_segmentations([S(6, [2])], [S(6, [3])]).kind_count == 1


# Views.

TEXT = S(6, [2, 2, 4, 6], [1, 2, 2, 1], ["a", "b"])


def test_positions_are_distinct_places_before_the_end():
    view = Pairs.from_segmentations([TEXT, TEXT], [TEXT, TEXT]).view("positions")
    assert view.ref.values.tolist() == [2, 4, 2, 4]
    assert view.ref.offsets.tolist() == [0, 2, 4]
    assert view.ref.kinds is None
    assert view.vocabulary is None


def test_kinds_are_all_cuts_before_the_end():
    view = Pairs.from_segmentations([TEXT, TEXT], [TEXT, TEXT]).view("kinds")
    assert view.ref.values.tolist() == [2, 2, 4] * 2
    assert view.ref.kinds.tolist() == [0, 1, 1] * 2
    assert view.vocabulary == ("a", "b")


def test_kinds_with_the_end_are_everything():
    batch = Pairs.from_segmentations([TEXT], [TEXT])
    assert batch.view("kinds+end") is batch
    assert batch.ref.values.tolist() == [2, 2, 4, 6]


def test_a_view_is_made_once_and_plain_texts_need_none():
    batch = Pairs.from_segmentations([TEXT], [TEXT])
    assert batch.view("positions") is batch.view("positions")
    plain = Pairs.from_segmentations([S(6, [3])], [S(6, [2])])
    for sees in ("positions", "kinds", "kinds+end"):
        assert plain.view(sees) is plain


def test_places_next_to_each_other_in_two_texts_are_two_places():
    a, b = S(6, [3], [1], ["a"]), S(9, [3], [1], ["a"])
    view = Pairs.from_segmentations([a, b], [a, b]).view("positions")
    assert view.ref.values.tolist() == [3, 3]


@pytest.mark.slow
@given(st.lists(typed_pairs(), min_size=1, max_size=4))
def test_metrics_of_places_see_typed_texts_as_plain_ones(texts):
    plain = [tuple(S.from_masses(seg.masses) for seg in pair) for pair in texts]
    for metric in PAIR_METRICS.values():
        if metric.sees == "positions":
            counts = [
                metric.recipe().count(Pairs.from_segmentations(*zip(*batch, strict=True)))
                for batch in (texts, plain)
            ]
            np.testing.assert_array_equal(*counts)


def test_kinds_on_one_side_only_can_be_compared_by_place_alone():
    batch = Pairs.from_segmentations([TEXT], [S(6, [2, 4])])
    assert batch.mixed
    assert fp.boundary_f.recipe().count(batch).tolist() == [[2, 0, 0]]
    for sees in ("kinds", "kinds+end"):
        with pytest.raises(SegmentationError, match="give both sides types, or neither"):
            batch.view(sees)


# Bad columns never reach a kernel.

BAD = [
    ([9], [0, 1], "no boundary can lie after unit 9 in a text of 6 units"),
    ([0], [0, 1], "no boundary can lie after unit 0"),
    ([-4], [0, 1], "no boundary can lie after unit -4"),
    ([6], [0, 1], "a boundary after unit 6 is the end of the text"),
    ([3, 3], [0, 2], "the boundary after unit 3 is given twice"),
    ([4, 3], [0, 2], "positions of boundaries must be sorted, found 3 after 4"),
    ([2], [0, 5], "1 texts need 2 offsets from 0 to 1"),
    ([2], [0, 1, 1], "1 texts need 2 offsets from 0 to 1, found 3"),
    ([2], [1, 1], "offsets from 0 to 1"),
    ([2], [0, 0], "offsets from 0 to 1"),
    ([2], [0], "1 texts need 2 offsets"),
    ([2], [], "1 texts need 2 offsets"),
    ([2.0], [0, 1], "cuts must be whole numbers; number 1 is not: 2.0"),
    ([np.nan], [0, 1], "cuts must be whole numbers; number 1 is not: nan"),
    ([2], [0.0, 1.0], "offsets must be whole numbers"),
    ([[2]], [0, 1], "cuts must be one flat list"),
    ([2], [[0, 1]], "offsets must be one flat list"),
    ([2**50], [0, 1], "no boundary can lie after unit"),
]


@pytest.mark.parametrize(("values", "offsets", "message"), BAD)
@pytest.mark.parametrize("side", ["reference", "hypothesis"])
def test_a_bad_column_never_reaches_a_kernel(side, values, offsets, message):
    bad = column(values, offsets)
    sides = (bad, GOOD) if side == "reference" else (GOOD, bad)
    with pytest.raises(SegmentationError, match=message):
        Pairs(*sides, np.array([6]))


@pytest.mark.parametrize("side", ["reference", "hypothesis"])
def test_narrow_columns_are_checked_too(side):
    for values, offsets, message in BAD[:6]:
        bad = Column(np.array(values, dtype=np.int32), np.array(offsets))
        sides = (bad, GOOD) if side == "reference" else (GOOD, bad)
        with pytest.raises(SegmentationError, match=message) as error:
            Pairs(*sides, np.array([6]), keys=["d17"])
        assert str(error.value).startswith(f"{side} of text d17: ")


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ([1], "must be one of the 1 named kinds"),
        ([-1], "must be one of the 1 named kinds"),
        ([2**32], "must be one of the 1 named kinds"),
        ([-(2**32)], "must be one of the 1 named kinds"),
        ([0, 0], "1 boundaries need as many kinds, found 2"),
        ([], "1 boundaries need as many kinds, found 0"),
        ([0.5], "kinds must be whole numbers"),
    ],
)
def test_bad_kinds_never_reach_a_kernel(kinds, message):
    with pytest.raises(SegmentationError, match=message):
        Pairs(GOOD_TYPED, column([2], [0, 1], kinds), np.array([6]), vocabulary=["a"])


def test_kinds_of_one_place_are_sorted_and_differ():
    for kinds in ([1, 0], [0, 0]):
        with pytest.raises(SegmentationError, match="given twice"):
            Pairs(GOOD_TYPED, column([2, 2], [0, 2], kinds), [6], vocabulary=["a", "b"])


def test_offsets_that_go_down_in_the_middle_are_refused():
    good = column([1, 2, 3], [0, 1, 2, 3])
    with pytest.raises(SegmentationError, match="offsets must not go down"):
        Pairs(good, column([1, 2, 3], [0, 5, 2, 3]), [6, 6, 6])


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([0], "a text needs at least 1 unit"),
        ([-6], "a text needs at least 1 unit"),
        ([2**41], r"at most 2\^40"),
        ([6, 6], "2 texts need 3 offsets"),
        ([6.0], "units must be whole numbers"),
        ([], "0 texts need 1 offsets"),
        (6, "units must be a list of whole numbers"),
    ],
)
def test_units_that_are_none_are_refused(units, message):
    with pytest.raises(SegmentationError, match=message):
        Pairs(GOOD, GOOD, units)


def test_kinds_and_vocabulary_come_together():
    with pytest.raises(SegmentationError, match=r"reference column has kinds .* missing"):
        Pairs(GOOD_TYPED, GOOD_TYPED, [6])
    with pytest.raises(SegmentationError, match=r"reference column has no kinds .* given"):
        Pairs(GOOD, GOOD, [6], vocabulary=["a"])
    with pytest.raises(SegmentationError, match="hypothesis column has no kinds"):
        Pairs(GOOD_TYPED, GOOD, [6], vocabulary=["a"])
    with pytest.raises(SegmentationError, match="must differ from each other"):
        Pairs(GOOD_TYPED, GOOD_TYPED, [6], vocabulary=["a", "a"])


@pytest.mark.parametrize(
    ("ref", "hyp", "message"),
    [
        (([5, 5], [0, 2]), ([5, 6], [0, 2]), "has 10 units and the hypothesis 11"),
        (([5, 5], [0, 2]), ([5, 5], [0, 1, 2]), "1 references cannot pair with 2 hypotheses"),
        (([5, 0], [0, 2]), ([5], [0, 1]), "text 0: segment sizes must be at least 1"),
        (([5, 5], [0, 3]), ([5, 5], [0, 2]), "offsets must run from 0 to 2"),
        (([5, 5], [1, 2]), ([5, 5], [0, 2]), "offsets must run from 0 to 2"),
        (([5, 5], [0, 2, 2]), ([5, 5], [0, 1, 2]), "text 1: masses are empty"),
        (([5, 5], []), ([5, 5], [0, 2]), "offsets must run from 0 to 2"),
        (([2**41], [0, 1]), ([2**41], [0, 1]), r"at most 2\^40"),
        (([2**40] * 2, [0, 2]), ([2**40] * 2, [0, 2]), r"text 0: a text has at most 2\^40 units"),
        (([2.5], [0, 1]), ([2], [0, 1]), "masses must be whole numbers"),
    ],
)
def test_bad_masses_never_reach_a_kernel(ref, hyp, message):
    with pytest.raises(SegmentationError, match=message):
        Pairs.from_masses(ref, hyp)


def test_texts_of_different_length_are_named():
    a, b = S(6, [3]), S(7, [3])
    with pytest.raises(SegmentationError, match=r"^text 1: the reference has 6 units and the hyp"):
        Pairs.from_segmentations([a, a], [a, b])
    with pytest.raises(SegmentationError, match=r"^text d17: the reference has 6 units"):
        Pairs.from_segmentations([a, a], [a, b], keys=["d16", "d17"])
    with pytest.raises(SegmentationError, match="2 references cannot pair with 1 hypotheses"):
        Pairs.from_segmentations([a, a], [a])
