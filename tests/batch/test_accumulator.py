"""Counts of a training loop add up to the scores of all texts, in whatever pieces they come."""

import math
import pickle

import numpy as np
import pytest

import fencepost as fp
from fencepost.batch.columns import NO_MASK, marks_to_cuts
from strategies import random_pairs
from support import PAIR_METRICS

METRICS = ["pk", "windowdiff", "boundary_f", "B", "A"]


def flags_of(seg: fp.Segmentation, width: int) -> list[int]:
    return [*map(int, seg.flags("last")), *[1] * (width - seg.units)]


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_pairs_one_by_one_give_the_scores_of_all(average):
    pairs = list(random_pairs(2, 60, (2, 30)))
    scores = fp.Accumulator(METRICS, average=average)
    for ref, hyp in pairs:
        scores.update(ref, hyp)
    refs, hyps = ({str(i): p[side] for i, p in enumerate(pairs)} for side in (0, 1))
    table = fp.score(refs, hyps, metrics=METRICS, average=average, baselines=False, intervals=False)
    assert [float(one) for one in scores.compute().values()] == table.column("value")
    assert [one.signature for one in scores.compute().values()] == table.column("signature")


@pytest.mark.parametrize("metric", PAIR_METRICS.values(), ids=PAIR_METRICS)
def test_batches_of_marks_equal_pairs(metric):
    pairs = list(random_pairs(4, 40, (1, 50)))
    ref, hyp = (np.array([flags_of(p[side], 50) for p in pairs]) for side in (0, 1))
    mask = np.array([[1] * p[0].units + [0] * (50 - p[0].units) for p in pairs])
    one, many = fp.Accumulator(metric), fp.Accumulator(metric, flags="last")
    for pair in pairs:
        one.update(*pair)
    many.update(ref[:25], hyp[:25], mask[:25] == 1)
    many.update(ref[25:].astype(bool), hyp[25:].astype(np.float32), mask[25:])
    (a,), (b,) = one.compute().values(), many.compute().values()
    assert a.counts == b.counts
    assert a.value == b.value or math.isnan(a.value)


def test_the_mask_takes_units_out_of_the_middle_of_a_text():
    marks, mask = [[0, 1, 0, 0, 1, 0]], [[1, 0, 1, 1, 1, 1]]
    scores = fp.Accumulator("boundary_f", flags="last")
    scores.update(marks, marks, mask=mask)
    other = fp.Accumulator("boundary_f")
    other.update([4, 1], [4, 1])
    assert scores.compute()["boundary_f"].counts == other.compute()["boundary_f"].counts


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64])
def test_marks_are_cut_as_one_would_by_hand(kind):
    rng = np.random.default_rng(8)
    for width in (1, 7, 8, 9, 16, 31, 64, 100):
        marks = (rng.random((30, width)) < rng.random((30, 1)) ** 2).astype(kind)
        mask = (rng.random((30, width)) < 0.8).astype(np.uint8)
        mask[:, 0] = 1
        offsets = np.arange(31, dtype=np.int64) * width
        for given_mask in (mask, NO_MASK):
            side = marks_to_cuts(marks.ravel(), given_mask.ravel(), offsets, "last", str)
            for row in range(30):
                kept = marks[row][mask[row] == 1] if len(given_mask) else marks[row]
                wanted = [i + 1 for i in range(len(kept) - 1) if kept[i]]
                ends = side.column.offsets[row : row + 2]
                assert side.column.values[slice(*ends)].tolist() == wanted
                assert side.units is not None and side.units[row] == len(kept)


def test_what_the_mask_takes_out_may_have_any_value():
    scores = fp.Accumulator("windowdiff", flags="last")
    scores.update([[0, 1, 0, -100]], [[1, 0, 0, 7]], mask=[[1, 1, 1, 0]])
    other = fp.Accumulator("windowdiff", flags="last")
    other.update([[0, 1, 0]], [[1, 0, 0]])
    assert scores.compute() == other.compute()


def test_a_one_can_mark_the_first_unit():
    scores = fp.Accumulator("windowdiff", flags="first")
    scores.update([[1, 0, 0, 1, 0, 0]], [[1, 0, 1, 0, 0, 0]])
    assert float(scores.compute()["windowdiff"]) == float(fp.windowdiff([3, 3], [2, 4]))
    assert "flags:first" in scores.compute()["windowdiff"].signature


def test_accumulators_pickle_and_merge_as_if_one_had_seen_all():
    pairs = list(random_pairs(6, 30, (3, 30)))
    whole = fp.Accumulator(METRICS)
    parts = [fp.Accumulator(METRICS) for _ in range(3)]
    for i, pair in enumerate(pairs):
        whole.update(*pair)
        parts[i % 3].update(*pair)
    merged = fp.Accumulator(METRICS)
    for part in reversed(parts):
        merged.merge(pickle.loads(pickle.dumps(part)))
    assert merged.texts == whole.texts == 30
    assert merged.compute() == whole.compute()
    before = parts[0].compute()
    merged.update(*pairs[0])
    assert parts[0].compute() == before  # what was merged is not shared


def test_scores_say_over_how_many_texts_they_are():
    scores = fp.Accumulator(["windowdiff", "B"], flags="last")
    assert [(one.n, one.undefined) for one in scores.compute().values()] == [(0, 0), (0, 0)]
    scores.update([[0, 1, 0, 0], [0, 0, 0, 0]], [[0, 1, 0, 0]] * 2)
    scores.update([1], [1])  # no window fits
    other = pickle.loads(pickle.dumps(scores))
    found = scores.merge(other).compute()
    assert {name: (one.n, one.undefined) for name, one in found.items()} == {
        "windowdiff": (4, 2),
        "boundary_similarity": (6, 0),
    }
    again = pickle.loads(pickle.dumps(found["windowdiff"]))
    assert repr(again) == repr(found["windowdiff"]) and "n=4, undefined=2" in repr(again)
    table = fp.score([[2, 2], [4], [1]], [[2, 2], [2, 2], [1]], metrics="windowdiff")
    row = table.rows[0]
    assert (row["n"], row["undefined"]) == (2, 1)


def test_reset_forgets_everything():
    scores = fp.Accumulator("pk")
    scores.update([5, 5], [4, 6])
    scores.reset()
    assert scores.texts == 0 and math.isnan(scores.compute()["pk"])


class Tensor:
    """What torch offers of an array."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **settings):
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_tensors_come_in_by_dlpack():
    marks = np.array([[0, 1, 0, 0]], dtype=np.int64)
    scores = fp.Accumulator("boundary_f", flags="last")
    scores.update(Tensor(marks), Tensor(marks))
    assert scores.compute()["boundary_f"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1]], [[0, 1, 0]]), "the hypothesis must have the shape"),
        (([[0, 1]], [[0, 1]], [[1]]), "the mask must have the shape"),
        (([[0, 1], [0]], [[0, 1], [0]]), "rows of different lengths"),
        (([[0.2, 0.8]], [[0, 1]]), "probabilities become marks"),
        (([[0, 2]], [[0, 1]]), "text 0 of the batch: marks must be 0 or 1, found 2"),
        (([[0, 1]] * 2, [[0, 1]] * 2, [[1, 1], [0, 0]]), r"text 1 of .*mask is 0 .*mask.any\(1\)"),
        (([[0, -100]], [[0, 1]], [[0, 0]]), "text 0 of the batch: its mask is 0 everywhere"),
        ((np.zeros((1, 0)), np.zeros((1, 0))), "text 0 of the batch: no marks"),
        ((np.array([0, 1]), np.array([0, 1])), r"one text is marks\[None\]; segment sizes are a l"),
        ((np.array([1, 1]), np.array([1, 1])), r"the reference has one dimension"),
        ((Tensor(np.array([True, True])), [[1, 1]]), r"the reference has one dimension"),
        (([[1, 1]], np.array([1, 1])), r"the hypothesis has one dimension"),
        (([[0, -100]], [[0, 1]], [[1, 1]]), "found -100"),
        (([[np.nan, 1.0]], [[0, 1]]), "probabilities become marks"),
        (
            (np.array([["a"]]), np.array([["a"]])),
            "the reference must be marks of 0 and 1, found <U1",
        ),
        (([[0, 1]], [[0, 1]], [[2, 1]]), r"the mask must be 0 \(no unit\) or 1"),
        (([[0, 1]], [[0, 1]], np.array([[-1, 1]], np.int8)), "the mask must be 0"),
        (([5, 5], [5, 5], [[1]]), "a mask goes with a batch of marks"),
        ((np.zeros((2, 2, 2)), np.zeros((2, 2, 2))), "found 3 dimensions"),
    ],
)
def test_what_is_no_batch_of_marks_is_refused(arguments, message):
    with pytest.raises(fp.SegmentationError, match=message):
        fp.Accumulator("pk", flags="last").update(*arguments)


def test_sizes_may_be_arrays_where_no_marks_are_expected():
    scores = fp.Accumulator("windowdiff")
    scores.update(np.array([5, 5]), np.array([4, 6]))
    assert scores.compute()["windowdiff"] == fp.windowdiff([5, 5], [4, 6])
    with pytest.raises(fp.SegmentationError, match="the reference has one dimension"):
        scores.update(Tensor(np.array([5, 5])), Tensor(np.array([4, 6])))


def test_marks_need_their_meaning_and_merging_the_same_metrics():
    with pytest.raises(fp.SegmentationError, match="flags='last'"):
        fp.Accumulator("pk").update([[0, 1]], [[0, 1]])
    with pytest.raises(fp.FencepostError, match="same metrics"):
        fp.Accumulator("pk").merge(fp.Accumulator("B"))


@pytest.mark.parametrize("metric", ["windowdiff:k=corpus", "pk:k=corpus"])
def test_settings_that_depend_on_all_texts_are_refused(metric):
    with pytest.raises(fp.MetricError, match="depends on all texts together"):
        fp.Accumulator(metric)
