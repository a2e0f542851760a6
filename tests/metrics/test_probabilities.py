"""Scores of probabilities: equal to their formulas, to scikit-learn, and plain if certain."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
import oracle
from fencepost import MetricError, Segmentation
from fencepost.metrics.probabilities import error_of_mean
from fencepost.model.pairs import Pairs
from strategies import cuts, random_segmentation, weighted

S = Segmentation
RANKED = (fp.average_precision, fp.pr_auc)


@st.composite
def soft_pairs(draw, max_units=10):
    """A certain reference beside probabilities."""
    hyp = draw(weighted(max_units=max_units))
    return S(hyp.units, draw(cuts(hyp.units))), hyp


def soft(seed, units):
    rng = np.random.default_rng(seed)
    ref = random_segmentation(rng, units, 0.15)
    logits = rng.normal(size=units - 1) * 2 - 2 + 3 * np.isin(np.arange(1, units), ref.cuts)
    return ref, S.from_probabilities(1 / (1 + np.exp(-logits)))


def equal(value, exact, roundings=24):
    if exact is None:
        return math.isnan(value)
    return abs(Fraction(float(value)) - exact) <= roundings * Fraction(1, 2**53)


def pooled(metric, texts, **settings):
    recipe = metric.recipe(**settings)
    counts = recipe.count(Pairs.from_segmentations(*zip(*texts, strict=True)))
    return recipe.value(counts.sum(axis=0, keepdims=True))[0]


@given(st.lists(soft_pairs(), min_size=1, max_size=3), st.sampled_from([0, 1, 3, "30%"]))
def test_ranked_scores_are_those_of_their_formulas(texts, tolerance):
    for metric in RANKED:
        exact = getattr(oracle, metric.name)(texts, tolerance=tolerance)
        assert equal(pooled(metric, texts, tolerance=tolerance), exact, 60)


@given(st.lists(soft_pairs(), min_size=1, max_size=3), st.integers(1, 12))
def test_calibration_is_that_of_its_formulas(texts, bins):
    assert equal(pooled(fp.brier, texts), oracle.brier(texts))
    exact = oracle.calibration_error(texts, bins=bins)
    assert equal(pooled(fp.calibration_error, texts, bins=bins), exact)


@given(
    st.lists(soft_pairs(max_units=9), min_size=1, max_size=2),
    st.sampled_from(["auto", "corpus", 1, 2, 4]),
    st.sampled_from(["none", "lamprier", "segeval"]),
)
def test_expected_windows_are_those_of_all_outcomes(texts, k, pad):
    named = fp.expected_pk.recipe(k=k).settings["k"]
    for metric in (fp.expected_pk, fp.expected_windowdiff):
        exact = getattr(oracle, metric.name)(texts, k=named, pad=pad)
        assert equal(pooled(metric, texts, k=k, pad=pad), exact, 2 * 9 + 6)


@given(weighted(), st.data())
def test_the_brier_score_takes_shares_of_annotators_as_the_reference(hyp, data):
    ref = data.draw(weighted(min_units=hyp.units, max_units=hyp.units))
    if hyp.units > 1:
        assert equal(fp.brier(ref, hyp), oracle.brier([(ref, hyp)]))
        assert fp.brier(ref, hyp).value == fp.brier(hyp, ref).value


@given(soft_pairs(max_units=7))
def test_expected_b_is_within_its_error_of_the_mean_of_all_outcomes(pair):
    counts = fp.expected_b(*pair, draws=4000).counts
    mean = counts["similarity"] / 4000
    variance = counts["squares"] / 4000 - mean * mean
    # 5.5 standard errors, and one outcome that may not have come up at all.
    bound = 5.5 * math.sqrt(max(variance, 1e-3) / 3999)
    assert abs(mean - float(oracle.expected_b([pair]))) <= bound


@pytest.mark.parametrize("tied", [False, True])
def test_average_precision_is_that_of_scikit_learn(tied):
    metrics = pytest.importorskip("sklearn.metrics")
    for seed in range(60):
        ref, hyp = soft(seed, 2 + 7 * seed)
        numbers = hyp.probabilities.round(1) if tied else hyp.probabilities
        if len(ref.cuts):
            given = S.from_probabilities(numbers)
            theirs = metrics.average_precision_score([int(b) for b in ref.bits], numbers)
            assert fp.average_precision(ref, given).value == pytest.approx(theirs, rel=1e-12)


def test_the_brier_score_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    for seed in range(20):
        ref, hyp = soft(seed, 50)
        theirs = metrics.brier_score_loss([int(b) for b in ref.bits], hyp.probabilities)
        assert fp.brier(ref, hyp).value == pytest.approx(theirs, rel=1e-12)


def test_a_certain_hypothesis_has_the_metric_itself():
    rng = np.random.default_rng(4)
    for _ in range(50):
        units = int(rng.integers(2, 60))
        ref, hyp = (random_segmentation(rng, units, 0.2) for _ in range(2))
        assert fp.expected_pk(ref, hyp).value == fp.pk(ref, hyp).value
        assert fp.expected_windowdiff(ref, hyp).value == fp.windowdiff(ref, hyp).value
        assert fp.expected_b(ref, hyp).value == pytest.approx(fp.boundary_similarity(ref, hyp))


@pytest.mark.parametrize("metric", ["expected_pk", "expected_windowdiff"])
def test_long_windows_stay_exact(metric):
    """Dividing a position out of a window, as a running product would, loses all digits here."""
    units = 4000
    rng = np.random.default_rng(1)
    numbers = rng.choice([1e-9, 0.3, 1 - 2**-53, 1.0], size=units - 1)
    ref = S(units, np.flatnonzero(rng.random(units - 1) < 0.01) + 1)
    hyp, k = S.from_probabilities(numbers), 300
    found = getattr(fp, metric)(ref, hyp, k=k)
    exact = np.longdouble(0)
    marks = np.zeros(units, dtype=int)
    marks[ref.cuts] = 1
    for left in range(0, units - k, 37):  # a sample of windows, each from nothing
        counts = np.zeros(k + 1, dtype=np.longdouble)
        counts[0] = 1
        for h in numbers[left : left + k].astype(np.longdouble):
            counts[1:] = counts[1:] * (1 - h) + counts[:-1] * h
            counts[0] *= 1 - h
        r = int(marks[left + 1 : left + k + 1].sum())
        wrong = 1 - counts[r if metric == "expected_windowdiff" else 0]
        if r and metric == "expected_pk":
            wrong = counts[0]
        one = S(k + 1, [c - left for c in ref.cuts.tolist() if left < c <= left + k])
        own = getattr(fp, metric)(one, S.from_probabilities(numbers[left : left + k]), k=k)
        assert abs(np.longdouble(own.value) - wrong) <= (2 * k + 6) * np.longdouble(2) ** -53
        exact += wrong
    assert 0 <= found.value <= 1


def test_draws_depend_on_the_text_and_the_seed_alone():
    pairs = [soft(seed, 40) for seed in range(6)]
    recipe = fp.expected_b.recipe()
    together = recipe.count(Pairs.from_segmentations(*zip(*pairs, strict=True)))
    backwards = recipe.count(Pairs.from_segmentations(*zip(*pairs[::-1], strict=True)))
    np.testing.assert_array_equal(together, backwards[::-1])
    before = fp.set_threads(3)
    try:
        again = recipe.count(Pairs.from_segmentations(*zip(*pairs, strict=True)))
    finally:
        fp.set_threads(before)
    np.testing.assert_array_equal(together, again)
    other = fp.expected_b.recipe(seed=1).count(Pairs.from_segmentations(*zip(*pairs, strict=True)))
    assert (other[:, 0] != together[:, 0]).any()


def test_what_has_no_value_is_nan_or_says_why():
    soft_text = S.from_probabilities([0.2, 0.7])
    for metric in RANKED:
        assert math.isnan(metric(S(3, []), soft_text))
    for metric in (fp.brier, fp.calibration_error):
        assert math.isnan(metric(S(1, []), S(1, [])))
    with pytest.raises(MetricError, match="k must be less than the number of units"):
        fp.expected_pk(S(3, [1]), soft_text, k=3)


@pytest.mark.parametrize(
    "name", ["average_precision", "pr_auc", "expected_pk", "expected_windowdiff", "expected_b"]
)
def test_a_reference_with_probabilities_is_refused(name):
    text = S.from_probabilities([0.2, 0.7])
    with pytest.raises(MetricError, match=f"the reference has probabilities, and {name}"):
        getattr(fp, name)(text, S(3, [1]))


def test_windows_that_would_not_fit_into_memory_are_refused():
    huge = S(2**40, [5])
    with pytest.raises(MetricError, match="do not fit into memory"):
        fp.expected_pk(
            S(
                2**40,
                [2**30],
            ),
            S(2**40, [5], weights=[0.5]),
        )
    assert fp.brier(huge, S(2**40, [5], weights=[0.5])).value == 0.25 / (2**40 - 1)


def test_ranks_see_order_alone_and_calibration_sees_size():
    ref, hyp = soft(3, 200)
    halved = S.from_probabilities(hyp.probabilities / 2)
    for metric in RANKED:
        assert metric(ref, hyp).value == metric(ref, halved).value
    assert fp.brier(ref, hyp) != fp.brier(ref, halved)


def test_a_constant_probability_gets_the_share_of_boundaries():
    ref = S(11, [2, 5, 9])
    flat = S.from_probabilities([0.3] * 10)
    for metric in RANKED:
        assert metric(ref, flat).value == pytest.approx(0.3)
        assert metric(ref, S(11, [])).value == pytest.approx(0.3)
    assert fp.calibration_error(ref, flat).value == pytest.approx(0, abs=1e-15)
    assert fp.brier(ref, flat).value == pytest.approx(0.3 * 0.7)


def _batch(*masses):
    return fp.Pairs.from_segmentations(
        *[[fp.Segmentation.from_masses(one) for one in masses] for _ in range(2)]
    )


def test_the_widths_of_expected_windows_are_facts():
    def facts(pairs, k):
        recipe = fp.METRICS["expected_windowdiff"].recipe(k=k)
        return recipe.facts(recipe.tally(pairs))

    assert facts(_batch([4, 4], [10, 10]), k="auto-half-up") == ["k from 2 to 5"]
    assert facts(_batch([4, 4], [8, 8]), k=3) == ["k 3"]
    assert facts(_batch([1]), k="auto-half-up") == []


def test_draws_have_an_error_only_where_the_hypothesis_is_uncertain():
    recipe = fp.METRICS["expected_b"].recipe()
    sure = fp.Segmentation.from_masses([3, 3])
    unsure = fp.Segmentation.from_probabilities([0.1, 0.5, 0.9, 0.2, 0.3])
    counts = recipe.count(fp.Pairs.from_segmentations([sure, sure], [sure, unsure]))
    certain, drawn = recipe.metric.error(*counts.T)
    assert certain == 0 < drawn < 0.1


def test_windows_whose_distributions_do_not_fit_are_refused():
    text = fp.Segmentation(200_000, range(2, 200_000, 2))
    with pytest.raises(fp.MetricError, match="expected windows of 50000 units in 200000 units"):
        fp.expected_windowdiff(text, text, k=50_000)
    long = fp.Segmentation(2**27 + 1, [5])
    with pytest.raises(fp.MetricError, match="expected windows of 2 units in 134217729 units"):
        fp.parse("expected_pk:k=2").count(fp.Pairs.from_segmentations([long], [long]))


def test_rounding_below_a_variance_of_zero_is_no_error():
    error = error_of_mean(np.array([1.2]), np.array([0.36 - 1e-15]), np.array([4.0]))
    assert error.tolist() == [0.0]
