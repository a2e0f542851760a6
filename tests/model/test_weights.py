"""Probabilities of boundaries: one more column, carried wherever cuts go, and never ignored."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Corpus, Segmentation, SegmentationError
from fencepost.model.corpus import CorpusBuilder, Key
from fencepost.model.pairs import Column, Pairs
from strategies import weighted

S = Segmentation
SOFT = S.from_probabilities([0.1, 0.9, 0, 1])


@given(weighted())
def test_probabilities_lead_back_to_the_same_text(seg):
    assert S.from_probabilities(seg.probabilities) == seg
    assert S.from_probabilities(list(seg.probabilities), units=seg.units) == seg
    for mark, numbers in (("last", [*seg.probabilities, 1]), ("first", [0, *seg.probabilities])):
        assert S.from_probabilities(numbers, mark=mark) == seg
    others = [pickle.loads(pickle.dumps(seg))]
    if len(seg.cuts) <= 10:
        others.append(eval(repr(seg), {"Segmentation": S}))
    for other in others:
        assert other == seg
        assert hash(other) == hash(seg)


@given(weighted(), st.floats(0.01, 1))
def test_a_threshold_keeps_what_is_at_least_as_probable(seg, threshold):
    kept = np.flatnonzero(seg.probabilities >= threshold) + 1
    assert seg.at_threshold(threshold) == S(seg.units, kept)


@pytest.mark.parametrize("wrong", [0, -1, 2, 1.0001, float("nan"), float("inf"), True, None, "0.5",
                                   "11/100", "dev.json", [0.5]])  # fmt: skip
def test_a_threshold_is_a_number_from_above_0_to_1(wrong):
    corpus = Corpus.from_dict({"d": SOFT})
    for one in (SOFT, corpus, S(5, [2]), Corpus.from_dict({"d": [2, 3]})):
        with pytest.raises(SegmentationError, match="above 0 and at most 1, found") as caught:
            one.at_threshold(wrong)
        assert ("fp.read(path, threshold=...)" in str(caught.value)) == isinstance(wrong, str)


@pytest.mark.parametrize("number", [1, np.float32(0.5), np.float64(0.5), np.int64(1)])
def test_a_threshold_may_be_any_number_type(number):
    corpus = Corpus.from_dict({"d": SOFT}).at_threshold(number)
    assert corpus["d"] == SOFT.at_threshold(float(number)) == SOFT.at_threshold(number)
    assert corpus.source.choices == {"threshold": f"{float(number):g}"}


def test_what_is_certain_has_no_weights():
    assert S(5, [2, 3], weights=[1, 1]) == S(5, [2, 3])
    assert S.from_probabilities([0, 1, 1, 0]) == S.from_bits("0110")
    assert S.from_bits("0110").probabilities.tolist() == [0, 1, 1, 0]
    assert S.from_probabilities([], units=1) == S(1, [])
    assert S.from_probabilities([1], mark="last").units == 1


def test_texts_differ_by_weights():
    assert S(5, [2], weights=[0.5]) != S(5, [2])
    assert S(5, [2], weights=[0.5]) != S(5, [2], weights=[0.25])
    assert {S(5, [2], weights=[0.5])} == {S(5, [2], weights=[0.5])}


def test_a_text_with_probabilities_shows_them():
    assert repr(SOFT) == "Segmentation(units=5, cuts=[1, 2, 4], weights=[0.1, 0.9, 1.0])"
    assert str(SOFT) == "1|10%  2|90%  3      4|100% 5"


@pytest.mark.parametrize("form", ["masses", "bits", "labels", "flags()"])
def test_a_form_without_probabilities_is_refused(form):
    with pytest.raises(
        SegmentationError, match=r"needs boundaries\. Read it with --threshold 0\.5"
    ):
        eval(f"seg.{form}", {"seg": SOFT})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0.5, 1.5], "probabilities must be numbers from 0 to 1; number 2 is 1.5"),
        ([-0.1], "probabilities must be numbers from 0 to 1; number 1 is -0.1"),
        (np.array([0.5, np.nan]), "number 2 is nan"),
        ([float("inf")], "number 1 is inf"),
        ([0.5, None], "number 2 is None"),
        (["0.5"], "number 1 is '0.5'"),
        ([True], "number 1 is True"),
        ("0.5", "probabilities must be a list of numbers from 0 to 1, found str '0.5'"),
        (0.5, "found float 0.5"),
        (np.ma.array([0.5], mask=[True]), "found MaskedArray"),
        ([[0.5]], "number 1 is [0.5]"),
    ],
)
def test_what_is_no_probability_is_refused_with_its_number(given, message):
    with pytest.raises(SegmentationError) as error:
        S.from_probabilities(given)
    assert message in str(error.value)


def test_a_different_number_of_probabilities_is_refused():
    with pytest.raises(SegmentationError, match="2 probabilities are given for the 3 positions of"):
        S.from_probabilities([0.1, 0.2], units=4)
    with pytest.raises(SegmentationError, match="2 probabilities are given for 4 units"):
        S.from_probabilities([0.1, 0.2], units=4, mark="last")
    with pytest.raises(SegmentationError, match="a text has at least one unit"):
        S.from_probabilities([], mark="first")
    with pytest.raises(SegmentationError, match="2 boundaries need as many weights, found 1"):
        S(5, [1, 2], weights=[0.5])
    with pytest.raises(
        SegmentationError, match="weight of the boundary after unit 2 must be above 0"
    ):
        S(5, [1, 2], weights=[0.5, 0])
    with pytest.raises(SegmentationError, match="types or probabilities, not both"):
        S(5, [1], [1], weights=[0.5])
    with pytest.raises(SegmentationError, match="a threshold must be above 0 and at most 1"):
        SOFT.at_threshold(0)


def corpus(*segs):
    return Corpus.from_dict({f"t{i}": seg for i, seg in enumerate(segs)})


@given(st.lists(weighted(), min_size=1, max_size=5))
def test_a_corpus_carries_probabilities(segs):
    made = corpus(*segs)
    assert [made[text] for text in made] == segs
    assert Corpus.from_arrow(made.to_arrow()).entries == made.entries
    taken = made.take(np.arange(len(segs))[::-1].copy())
    assert [taken[text] for text in taken] == segs[::-1]
    assert taken.fingerprint() == made.fingerprint()
    assert pickle.loads(pickle.dumps(made)).entries == made.entries
    assert made.at_threshold(0.5).entries == {
        k: s.at_threshold(0.5) for k, s in made.entries.items()
    }


def test_a_fingerprint_tells_probabilities_apart_and_leaves_certain_texts_as_they_are():
    hard, soft, other = S(5, [2, 3]), S(5, [2, 3], weights=[0.5, 1]), S(5, [2, 3], weights=[0.4, 1])
    assert len({corpus(seg).fingerprint() for seg in (hard, soft, other)}) == 3
    certain = corpus(hard).with_cuts(Column(np.array([2, 3]), np.array([0, 2]), None, np.ones(2)))
    assert certain.fingerprint() == corpus(hard).fingerprint()
    assert certain["t0"] == hard


def test_certain_and_uncertain_rows_stand_beside_each_other():
    made = Corpus.from_dict({"d": {"anna": S(5, [2]), "model": SOFT}})
    assert made["d", "anna"].weights is None
    assert made["d", "model"] == SOFT
    assert made.by("anna")["d"] == S(5, [2])
    assert not made.by("anna").has_probabilities
    assert made.has_probabilities


def test_types_of_one_annotator_stand_beside_probabilities_of_another():
    builder = CorpusBuilder()
    typed = S(5, [2, 5], [1, 2], ["a", "b"])
    builder.add(Key("d", "", "anna"), typed)
    builder.add(Key("d", "", "model"), SOFT)
    made = builder.build()
    assert made["d", "anna"] == typed
    assert made["d", "model"] == SOFT


def test_pairs_show_weights_to_those_that_ask_and_refuse_the_others():
    pairs = Pairs.from_segmentations([S(5, [2]), S(3, [1])], [SOFT, S(3, [2])])
    seen = pairs.view("weights")
    assert seen.hyp.weights.tolist() == [0.1, 0.9, 1.0, 1.0]
    assert seen.ref.weights is None
    assert pickle.loads(pickle.dumps(pairs)).hyp.weights.tolist() == [0.1, 0.9, 1.0, 1.0]
    for view in ("positions", "kinds", "levels", "kinds+end"):
        with pytest.raises(SegmentationError, match="the hypothesis has probabilities"):
            pairs.view(view)


def test_pairs_check_weights():
    column = Column(np.array([1]), np.array([0, 1]))
    for weights in ([0.0], [1.5], [np.nan], [0.5, 0.5]):
        soft = Column(column.values, column.offsets, None, np.array(weights))
        with pytest.raises(SegmentationError, match="weight"):
            Pairs(column, soft, np.array([3]))


def test_a_column_of_weights_cannot_be_changed():
    weights = np.array([0.5])
    column = Column(np.array([1]), np.array([0, 1]), None, weights)
    weights[0] = 7
    assert column.weights.tolist() == [0.5]
    with pytest.raises(ValueError, match="read-only"):
        column.weights[0] = 0.1


def test_metrics_of_boundaries_refuse_probabilities_with_the_way_out():
    for call in (
        lambda: fp.pk(S(5, [2]), SOFT),
        lambda: fp.score([S(5, [2])], [SOFT], metrics="B"),
    ):
        with pytest.raises(SegmentationError) as error:
            call()
        for way in ("--threshold 0.5", "fencepost tune", "average_precision"):
            assert way in str(error.value)
