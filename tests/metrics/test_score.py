"""A score is a float that knows where it came from; a metric is found by whatever names it."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import fencepost as fp
from fencepost import MetricError, Score, Segmentation, Signature
from fencepost.metrics.registry import MAX_KEPT_RECIPES

SCORE = fp.windowdiff([5, 5], [4, 6], k=3)


# Score.


def test_a_score_is_a_float_everywhere():
    assert isinstance(SCORE, float)
    assert SCORE.value == SCORE == 2 / 7
    assert type(SCORE.value) is float
    assert f"{SCORE:.3f}" == "0.286"
    assert f"{SCORE:8.1%}" == "   28.6%"
    assert str(SCORE) == str(2 / 7)
    assert json.dumps({"score": SCORE}) == f'{{"score": {2 / 7!r}}}'
    assert np.array([SCORE, 1.0]).dtype == np.float64
    assert np.mean([SCORE, SCORE]) == 2 / 7
    assert SCORE + 1 == 2 / 7 + 1
    assert round(SCORE, 2) == 0.29
    assert sorted([0.5, SCORE, 0.1]) == [0.1, SCORE, 0.5]
    assert {SCORE: 1}[2 / 7] == 1


def test_a_score_knows_its_counts_signature_and_metric():
    assert SCORE.counts == {"differing": 2, "windows": 7}
    assert SCORE.signature == f"windowdiff|k:3|pad:none|fencepost:{fp.__version__}"
    assert SCORE.signature.fields["k"] == "3"
    assert SCORE.metric == SCORE.signature.metric == "windowdiff"
    assert repr(SCORE) == (
        f"Score(value={2 / 7!r}, counts={{'differing': 2, 'windows': 7}}, "
        f"signature='windowdiff|k:3|pad:none|fencepost:{fp.__version__}')"
    )


def test_scores_survive_pickling_and_copying():
    b = fp.boundary_similarity([5, 5, 1, 3], [5, 4, 1, 4])
    for again in (pickle.loads(pickle.dumps(b)), copy.copy(b), copy.deepcopy(b)):
        assert type(again) is Score
        assert (again, again.counts, again.signature) == (b, b.counts, b.signature)
        assert type(again.signature) is Signature
        assert again.edits == b.edits


def test_an_undefined_score_is_not_a_number():
    score = fp.pk([1], [1])
    assert math.isnan(score)
    assert score.counts == {"disagreeing": 0, "windows": 0}


def test_whatever_changes_the_number_is_in_the_signature():
    ref, hyp = Segmentation.from_masses([5, 5, 1, 3]), Segmentation.from_masses([5, 4, 1, 4])
    settings = [
        (
            fp.windowdiff,
            {"k": 2},
            {"k": 3},
            {"k": 2, "pad": "lamprier"},
            {"k": 2, "weighted": True},
        ),
        (fp.windowdiff, {"k": 3}, {"k": 3, "window": "units"}),
        (fp.boundary_f, {}, {"tolerance": 1}, {"beta": 2.0}, {"ends": "include"}),
        (fp.c_seg, {}, {"c_miss": 0.5}, {"c_fa": 0.5}, {"p_seg": 0.5}),
        (fp.generalized_hamming, {}, {"insert": 1.0}, {"delete": 1.0}, {"shift": 2.0}),
        (fp.boundary_similarity, {}, {"n_t": 3}, {"matching": "greedy"}),
        (fp.segmentation_similarity, {}, {"weights": "unit"}, {"w_sub": 0.5}, {"w_trp": 0.5}),
        (fp.alignment_similarity, {}, {"weight": "dice"}, {"edges": "directed"}),
        (fp.alignment_similarity, {}, {"threshold": 0.5}, {"scoring": "best"}),
    ]
    for metric, *variants in settings:
        signatures = {metric(ref, hyp, **variant).signature for variant in variants}
        assert len(signatures) == len(variants)
        for variant in variants:
            score = metric(ref, hyp, **variant)
            again = fp.parse(score.signature)
            assert again.metric is metric
            assert again.signature() == score.signature
            counts = again.count(fp.Pairs.from_segmentations([ref], [hyp]))
            assert again.value(counts)[0] == score.value


def test_a_number_in_a_signature_reads_back_to_the_last_bit():
    for number in (1 / 3, 0.1, 1e-9, 123456.789, 0.30000000000000004):
        recipe = fp.c_seg.recipe(c_miss=number)
        assert fp.parse(recipe.signature()).settings["c_miss"] == number


# Names of metrics.


@pytest.mark.parametrize(
    ("written", "metric", "settings"),
    [
        ("windowdiff", fp.windowdiff, {}),
        ("WD", fp.windowdiff, {}),
        ("wd", fp.windowdiff, {}),
        (" windowdiff ", fp.windowdiff, {}),
        ("windowdiff:k=5", fp.windowdiff, {"k": 5}),
        ("windowdiff(k=5)", fp.windowdiff, {"k": 5}),
        ("WD:k=5,pad=lamprier", fp.windowdiff, {"k": 5, "pad": "lamprier"}),
        ("WD:k=5, weighted=yes", fp.windowdiff, {"k": 5, "weighted": True}),
        ("windowdiff:like=segeval", fp.windowdiff, {"k": "auto-segeval"}),
        ("B:n_t=3,matching=greedy", fp.boundary_similarity, {"n_t": 3, "matching": "greedy"}),
        ("F:tolerance=5%", fp.boundary_f, {"tolerance": "5%"}),
        ("F1", fp.boundary_f, {}),
        ("S", fp.segmentation_similarity, {}),
        ("A:scoring=fan-out", fp.alignment_similarity, {"scoring": "fan-out"}),
        ("A:threshold=none", fp.alignment_similarity, {"threshold": None}),
        ("ghd:insert=4,delete=4,shift=2", fp.generalized_hamming, {"insert": 4.0, "shift": 2.0}),
        ("boundary-similarity", fp.boundary_similarity, {}),
    ],
)
def test_a_metric_is_read_from_its_written_form(written, metric, settings):
    recipe = fp.parse(written)
    assert recipe.metric is metric
    assert {key: recipe.settings[key] for key in settings} == settings


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("windowdif", 'no metric "windowdif"; did you mean windowdiff'),
        ("boundary_similarty", "did you mean boundary_similarity"),
        ("", "cannot read the metric ''"),
        (":", "cannot read the metric ':'"),
        ("wombat", 'no metric "wombat"'),
        ("windowdiff:k", "settings of windowdiff are written name=value, found 'k'"),
        ("windowdiff:kk=5", "windowdiff has no setting 'kk'; .* did you mean k"),
        ("windowdiff:k=wide", "k must be a whole number from 1 up"),
        ("windowdiff:k=0", "k must be a whole number from 1 up"),
        ("windowdiff:k=2.5", "k must be a whole number from 1 up"),
        ("windowdiff:pad=lampier", "pad must be none or lamprier"),
        ("windowdiff:like=segevl", "windowdiff has no preset 'segevl'; it has: segeval, nltk"),
        ("c_seg:like=nltk", "c_seg has no preset 'nltk'"),
        ("windowdiff|k:5|wombat:3", "windowdiff has no setting 'wombat'"),
        ("wombat|k:5", 'no metric "wombat"'),
        ("missing_file.py:metric", "no file missing_file.py"),
        (5, "a metric is written as text, found 5"),
        (None, "a metric is written as text, found None"),
    ],
)
def test_what_is_not_a_metric_is_refused_with_a_sentence(written, message):
    with pytest.raises(MetricError, match=message) as error:
        fp.parse(written)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [["none"], np.array(["none", "none"]), 3, True])
def test_a_choice_of_the_wrong_type_is_refused_like_a_wrong_one(value):
    with pytest.raises(MetricError, match="pad must be none or lamprier"):
        fp.windowdiff([3, 3], [2, 4], pad=value)
    with pytest.raises(MetricError, match="has no preset"):
        fp.windowdiff([3, 3], [2, 4], like=value)


def test_a_flag_may_be_written_as_on_the_command_line():
    scores = [fp.windowdiff([3, 3], [2, 4], weighted=given) for given in (True, "yes")]
    assert scores[0].signature == scores[1].signature
    assert fp.windowdiff([3, 3], [2, 4], weighted="no").signature != scores[0].signature


@pytest.mark.parametrize("weighted", [1, "true", None, np.array([True, False])])
def test_a_flag_is_yes_or_no(weighted):
    with pytest.raises(MetricError, match="weighted must be yes or no"):
        fp.windowdiff([3, 3], [2, 4], weighted=weighted)


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "2", 10**6])
def test_a_number_of_threads_that_is_none_is_refused(count):
    with pytest.raises(fp.FencepostError, match="the number of threads must be from 1 to 4096"):
        fp.set_threads(count)


def test_a_score_does_not_change_with_the_list_it_was_made_of():
    for make in (list, np.array):
        ref, hyp = make([5, 5, 1, 3]), make([5, 4, 1, 4])
        score, kept = fp.boundary_similarity(ref, hyp), fp.boundary_similarity(ref, hyp)
        before = kept.edits, kept.counts, kept.signature
        ref[0], hyp[0] = 500, 7
        assert (score.edits, score.counts, score.signature) == before


def test_what_a_score_knows_can_be_changed_by_its_owner_alone():
    one, two = fp.pk([5, 5], [4, 6]), fp.pk([5, 5], [4, 6])
    one.counts["windows"] = 0
    assert two.counts["windows"] > 0
    assert fp.pk([5, 5], [4, 6]).counts == two.counts


def test_a_loop_over_settings_does_not_fill_the_memory():
    for k in range(1, 1000):
        assert fp.windowdiff([1000, 1000], [999, 1001], k=k).counts["differing"] == 2
    assert len(fp.windowdiff._singles) <= MAX_KEPT_RECIPES
