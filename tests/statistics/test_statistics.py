"""Intervals and tests of count rows: against scipy, the formulas written slowly, and promises."""

import doctest
import itertools
import math
from pathlib import Path
from statistics import NormalDist
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fencepost as fp
import fencepost.statistics.intervals
import fencepost.statistics.tests
from fencepost.options import Method
from fencepost.statistics import resampling as own
from fencepost.statistics.intervals import (
    CONSTANT,
    COUNT_STEP,
    TOO_FEW,
    UNDEFINED,
    Interval,
    _gradient,
    intervals,
    method_for,
    normal_interval,
    weighted_interval,
)
from fencepost.statistics.ranks import kendall, kendall_interval, pearson_interval
from fencepost.statistics.resampling import Estimate
from fencepost.statistics.student import quantile, two_sided, upper_tail
from fencepost.statistics.tests import (
    adjusted,
    equivalence,
    over_runs,
    paired_bootstrap,
    randomization,
    swap,
)

MOST = 0.975  # the wider of two intervals covers a little more than 95%


def ratio(sums):
    return sums[:, 0] / sums[:, 1]  # not known to be a mean: no bound for texts with one value


def f_value(sums):
    return 2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1] + sums[:, 2])


def mean_of(values, **more):
    values = np.asarray(values, dtype=float)
    return Estimate(np.column_stack((values, np.ones(len(values)))), own.ratio, **more)


RNG = np.random.default_rng(8)
SKEWED = RNG.beta(1, 6, size=30)
COUNTS = np.column_stack((RNG.integers(0, 9, 30), RNG.integers(10, 60, 30))).astype(float)


# Weights.


def test_a_row_of_weights_is_the_same_whatever_stands_before_it():
    every = own.resamples(5, 40, 300)
    assert (own.resamples(5, 40, 100, 150) == every[150:250]).all()
    coins = own.tosses(5, 130, 300)
    assert (own.tosses(5, 130, 100, 150) == coins[150:250]).all()
    assert set(np.unique(coins)) == {0.0, 1.0}
    assert (own.resamples(6, 40, 300) != every).any()


def test_coins_are_fair_and_independent():
    coins = own.tosses(1, 70, 4000) - 0.5
    assert np.abs(coins.mean(axis=0)).max() < 4 * 0.5 / math.sqrt(4000)
    together = coins.T @ coins / 4000 * 4
    np.fill_diagonal(together, 0)
    assert np.abs(together).max() < 4.5 / math.sqrt(4000)


def test_weights_have_the_moments_of_a_multinomial():
    texts, count = 9, 40_000
    weights = own.resamples(3, texts, count)
    covariance = np.cov(weights.T)
    wanted = np.full((texts, texts), -1 / texts)
    np.fill_diagonal(wanted, 1 - 1 / texts)
    assert np.abs(covariance - wanted).max() < 6 / math.sqrt(count)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**12),
            st.floats(-1, 1, allow_subnormal=False).map(lambda x: round(x, 15)),
            st.integers(0, 10**6).map(lambda i: i * 1e-15),
        ),
        min_size=2,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_weighted_sums_do_not_depend_on_the_order(rows, random):
    columns = np.array(rows)
    weights = own.resamples(1, len(rows), 8)
    order = list(range(len(rows)))
    random.shuffle(order)
    first = own.ExactColumns(columns).added(weights)
    again = own.ExactColumns(columns[order]).added(weights[:, order])
    assert (first == again).all()
    slow = [[math.fsum(w * c for w, c in zip(row, col, strict=True)) for col in columns.T]
            for row in weights]  # fmt: skip
    scale = np.abs(columns).max(axis=0) * len(rows)
    assert (np.abs(first - slow) <= scale * 2.0**-45).all()
    assert (first[:, 0] == np.array(slow)[:, 0]).all()  # counts stay whole


# Intervals beside scipy and beside the formulas.


def scipy_interval(rows, function, method):
    found = stats.bootstrap(
        (np.arange(len(rows)),),
        lambda index, axis=-1: function(
            rows[index].sum(axis=-2).reshape(-1, rows.shape[1])
        ).reshape(index.shape[:-1]),
        n_resamples=40_000,
        method=method,
        rng=np.random.default_rng(3),
    )
    return found.confidence_interval.low, found.confidence_interval.high


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("rows", "function"),
    [(np.column_stack((SKEWED, np.ones(30))), ratio), (COUNTS, ratio)],
    ids=["macro", "micro"],
)
def test_intervals_are_those_of_scipy(method, rows, function):
    found = intervals([Estimate(rows, function)], method=method, count=40_000)[0]
    wanted = scipy_interval(rows, function, method)
    # Two bootstraps of 40,000: a quantile is known to about 1% of the width.
    width = wanted[1] - wanted[0]
    assert (found.low, found.high) == pytest.approx(wanted, abs=0.025 * width)
    assert found.method == method


def ends(values, level):
    """The quantiles of 1 in R + 1 and so on, between two values where it falls between them."""
    ordered, place = sorted(values), (len(values) + 1) * level
    k, part = math.floor(place), place - math.floor(place)
    low = ordered[k - 1] + part * (ordered[k] - ordered[k - 1])
    high = ordered[-k] + part * (ordered[-k - 1] - ordered[-k])
    return low, high


def hull(value, t, error, influence):
    """The wider of two at either end: quantiles of t, and Student's t."""
    n, away = len(influence), influence - influence.mean()
    kurtosis = n * (away**4).sum() / (away**2).sum() ** 2
    freedom = min(n - 1, max(1, 3 * n / kurtosis - 1))
    margin = stats.t.ppf(0.975, freedom) * error
    low, high = ends(t, 0.025)
    return min(value - high * error, value - margin), max(value - low * error, value + margin)


def held(spread, error, n):
    """A resample's standard error, mixed with half a text's worth of the sample's variance."""
    return math.sqrt(((n - 1) * spread**2 + 0.5 * error**2) / (n - 0.5))


@pytest.mark.parametrize(
    "values", [SKEWED[:12], np.array([1.0] * 9 + [0.4, 0.7]), RNG.normal(0, 1, 40)]
)
def test_the_default_interval_of_a_mean_is_its_formula(values):
    count, seed, n = 2000, 7, len(values)
    error = values.std(ddof=1) / math.sqrt(n)
    t = []
    for weights in own.resamples(seed, n, count):
        drawn = np.repeat(values, weights.astype(int))
        spread = held(drawn.std(ddof=1) / math.sqrt(n), error, n)
        t.append((drawn.mean() - values.mean()) / spread)
    wanted = hull(values.mean(), t, error, values)
    found = intervals([mean_of(values)], seed=seed, count=count)[0]
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-6)
    assert found.method == "t"


def ratio_with_spread(drawn):
    """A ratio of sums, and its standard error from the residuals."""
    n = len(drawn)
    value = drawn[:, 0].sum() / drawn[:, 1].sum()
    residual = (drawn[:, 0] - value * drawn[:, 1]) / drawn[:, 1].sum()
    return value, math.sqrt((residual**2).sum() * n / (n - 1))


def left_out(rows):
    """What each text adds to a ratio of sums, n - 1 times what it changes when it is left out."""
    whole = rows[:, 0].sum() / rows[:, 1].sum()
    without = [np.delete(rows, i, axis=0).sum(axis=0) for i in range(len(rows))]
    return (len(rows) - 1) * np.array([whole - a / b for a, b in without])


def test_the_default_interval_of_a_ratio_has_the_standard_errors_of_its_residuals():
    rows, count, seed = COUNTS[:15], 1000, 2
    n = len(rows)
    value, error = ratio_with_spread(rows)
    influence = left_out(rows)
    jackknife = influence.std(ddof=1) / math.sqrt(n)
    t = []
    for weights in own.resamples(seed, n, count):
        again, spread = ratio_with_spread(np.repeat(rows, weights.astype(int), axis=0))
        t.append((again - value) / held(spread, error, n))
    found = intervals([Estimate(rows, ratio)], seed=seed, count=count, method="t")[0]
    wanted = hull(value, t, jackknife, influence)
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-6)


def test_uneven_texts_stretch_the_default_interval_of_pooled_counts_alone():
    rows = COUNTS[:15]
    sizes = rows[:, 1]
    plain, uneven, even = Estimate(rows, ratio), *(
        Estimate(rows, ratio, sizes=one) for one in (sizes, np.full(15, 7.0))
    )  # fmt: skip
    shares = [size / sum(sizes) for size in sizes]
    effective = 1 / sum(share**2 for share in shares)
    wanted = math.sqrt(1 + 2 * (15 / effective - 1) / math.sqrt(effective))
    assert wanted > 1.01
    for method in get_args(Method):
        one, other, same = intervals([plain, uneven, even], count=500, method=method)
        assert same == one
        by = wanted if method == "t" else 1.0
        assert other.low - plain.value == pytest.approx(by * (one.low - plain.value))
        assert other.high - plain.value == pytest.approx(by * (one.high - plain.value))


def with_runs(values):
    """A mean over texts (rows) and runs (columns)."""
    rows = np.stack((values, np.ones_like(values)), axis=2).reshape(len(values), -1)
    return Estimate(rows, own.ratio, runs=values.shape[1])


def test_the_variance_over_texts_and_runs_is_that_of_a_crossed_design():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.5, 0.1, (12, 3)), rng.normal(0.4, 0.1, (12, 4))
    a += [0.0, 0.2, -0.1]
    texts = (a.mean(axis=1) - b.mean(axis=1)).var(ddof=1) / 12
    total, uncertain = texts, 0.0
    for values in (a, b):
        n, runs = values.shape
        between = values.mean(axis=0).var(ddof=1) / runs
        rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        shared = (rest**2).sum() / ((n - 1) * (runs - 1)) / (n * runs)
        total += between - shared
        uncertain += between**2 / (runs - 1) + shared**2 / ((n - 1) * (runs - 1))
    both = [with_runs(a), with_runs(b)]
    away = (a.mean(axis=1) - b.mean(axis=1)) - (a.mean() - b.mean())
    freedom = min(11, 3 * (away**2).sum() ** 2 / (away**4).sum() - 1)
    freedom = total**2 / (uncertain + texts**2 / freedom)
    t = (a.mean() - b.mean()) / math.sqrt(total)
    test = over_runs(*both)
    assert not test.exact
    assert test.freedom == pytest.approx(freedom)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    found = intervals(both, [(0, 1)], method="normal")[2]
    margin = stats.t.ppf(0.975, freedom) * math.sqrt(total)
    middle = a.mean() - b.mean()
    assert (found.low, found.high) == pytest.approx((middle - margin, middle + margin))


@pytest.mark.slow
@pytest.mark.parametrize("runs", [3, 5])
def test_two_systems_with_equal_means_over_runs_differ_in_one_of_twenty_cases(runs):
    rng, texts, times = np.random.default_rng(runs), 30, 2000
    found = {0.0: 0, 0.03: 0}
    for apart in found:
        for _ in range(times):
            text = rng.normal(0.5, 0.1, (texts, 1))
            both = [
                with_runs(
                    text
                    + rng.normal(0, 0.03, (texts, 1))
                    + rng.normal(0, apart, runs)
                    + rng.normal(0, 0.05, (texts, runs))
                )
                for _ in range(2)
            ]
            found[apart] += over_runs(*both).p <= 0.05
    assert all(0.03 <= count / times <= 0.07 for count in found.values()), found


def test_bca_of_groups_leaves_out_whole_groups():
    gold = {f"d{i}": [3 + i % 4, 5, 4] for i in range(24)}
    moved = {t: [a + (i % 3 == 0), b - (i % 3 == 0) + (i % 5 == 0), c - (i % 5 == 0)]
             for i, (t, (a, b, c)) in enumerate(gold.items())}  # fmt: skip
    group = {text: f"g{i % 7}" for i, text in enumerate(gold)}
    settings = {"metrics": "pk", "group": group, "method": "bca", "resamples": 1000}
    for average in ("macro", "micro"):
        table = fp.score(gold, {"a": moved}, average=average, baselines=False, **settings)
        counts = table.part("counts").rows
        names = sorted(set(group.values()))
        kept = ("value", None) if average == "macro" else ("disagreeing", "windows")
        sums = np.array([
            [sum(1 if c is None else r[c] for r in counts if r["group"] == g) for c in kept]
            for g in names
        ])  # fmt: skip
        value = sums[:, 0].sum() / sums[:, 1].sum()
        drawn = own.resamples(12345, 7, 1000).astype(int)
        values = np.array([np.repeat(sums, times, axis=0).sum(axis=0) for times in drawn])
        values = values[:, 0] / values[:, 1]
        without = np.array([
            np.delete(sums, g, axis=0)[:, 0].sum() / np.delete(sums, g, axis=0)[:, 1].sum()
            for g in range(7)
        ])  # fmt: skip
        normal, away = NormalDist(), without.mean() - without
        acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
        bias = normal.inv_cdf((values < value - 1e-12).mean()
                              + (np.abs(values - value) <= 1e-12).mean() / 2)  # fmt: skip
        both = (bias + normal.inv_cdf(level) for level in (0.025, 0.975))
        levels = [normal.cdf(bias + z / (1 - acceleration * z)) for z in both]
        wanted = np.quantile(values, levels)
        row = table[0]
        assert row["value"] == pytest.approx(value, abs=1e-12)
        assert (row["low"], row["high"]) == pytest.approx(wanted, abs=1e-7)


def test_a_difference_is_resampled_text_by_text():
    other = SKEWED + 0.1 + RNG.normal(0, 0.01, 30)
    pair = intervals([mean_of(other), mean_of(SKEWED)], [(0, 1)])[2]
    alone = intervals([mean_of(other - SKEWED)])[0]
    assert (pair.low, pair.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert pair.high - pair.low < 0.02  # though the systems' own intervals are wider
    assert 0.05 < pair.low < 0.1 < pair.high


@pytest.mark.slow
def test_with_many_texts_all_methods_say_the_same():
    values = np.random.default_rng(4).beta(2, 5, 3000)
    found = [intervals([mean_of(values)], method=m, count=4000)[0] for m in get_args(Method)]
    width = found[0].high - found[0].low
    for one in found:
        assert (one.low, one.high) == pytest.approx((found[0].low, found[0].high), abs=0.06 * width)
    student = stats.t.interval(0.95, 2999, values.mean(), stats.sem(values))
    assert (found[-1].low, found[-1].high) == pytest.approx(student, abs=1e-6)


def test_the_method_follows_from_the_number_of_texts():
    chosen = [method_for(n) for n in (5, 9, 10, 99, 100, 10_000, 10_001)]
    assert chosen == ["t", "t", "t", "t", "t", "t", "normal"]
    assert method_for(5, "bca") == "bca"


@pytest.mark.parametrize("n", [5, 6, 9])
def test_very_few_texts_have_an_interval_too(n):
    values = np.random.default_rng(n).beta(2, 5, n)
    found = intervals([mean_of(values, bounds=(0, 1))])[0]
    assert found.method == "t"
    assert 0 <= found.low < values.mean() < found.high <= 1


def test_an_interval_stays_within_what_a_metric_can_be():
    values = [1.0] * 8 + [0.2, 0.3]
    found = intervals([mean_of(values, bounds=(0, 1))])[0]
    assert found.high == 1.0
    assert found.low > 0


@pytest.mark.parametrize("method", ["t", "normal", "percentile", "bca"])
def test_an_interval_is_cut_at_the_range_and_never_excludes_its_value(method):
    values = np.array([0.0] * 8 + [0.2, 0.3])
    free = intervals([mean_of(values)], method=method)[0]
    for low, high in ((0.0, 1.0), (0.02, 0.06), (-9.0, 9.0), (0.5, 0.7), (-0.3, 0.01)):
        found = intervals([mean_of(values, bounds=(low, high))], method=method)[0]
        assert found.low == min(values.mean(), max(low, free.low))
        assert found.high == max(values.mean(), min(high, free.high))
    assert free.low < 0.02 or method != "normal"


def test_where_there_is_no_interval_a_reason_is_given():
    assert intervals([mean_of([0.1, 0.2, 0.3, 0.4])]) == [Interval.none(TOO_FEW)]
    assert intervals([mean_of([0.3] * 20)]) == [Interval.none(CONSTANT)]
    assert intervals([mean_of([0.3] * 20)], method="normal") == [Interval.none(CONSTANT)]
    rows = np.zeros((10, 2))
    rows[0] = 1, 2  # undefined without the first text
    with np.errstate(invalid="ignore"):
        assert intervals([Estimate(rows, ratio)]) == [Interval.none(UNDEFINED)]
        assert intervals([Estimate(rows, ratio)], method="normal") == [Interval.none(UNDEFINED)]
        rows[1] = 1, 3  # undefined without both, as every tenth resample is
        assert intervals([Estimate(rows, ratio)]) == [Interval.none(UNDEFINED)]
        assert intervals([Estimate(rows, ratio)], method="normal")[0].low is not None
    none = normal_interval(math.nan, 10, np.array([math.nan]), np.array([[math.nan]]), None, (0, 1))
    assert none == Interval.none(UNDEFINED)
    # Rounding may leave a variance just below 0.
    same = normal_interval(0.3, 10, np.array([3.0]), np.array([[0.9 - 1e-12]]), None, (0, 1))
    assert same == Interval.none(CONSTANT)
    assert intervals([]) == []


def test_one_odd_text_has_an_interval_on_both_sides():
    # A third of all resamples lack it and do not vary at all.
    found = intervals([mean_of([0.5] * 9 + [0.9])])[0]
    assert found.method == "t"
    assert found.low < 0.5 < 0.54 < found.high


@pytest.mark.parametrize("metric", ["A", "covering", "boundary_agreement", "B", "F", "WD"])
def test_pooled_counts_of_mostly_perfect_texts_keep_an_interval_near_their_value(metric):
    gold = {f"d{i}": [5, 6, 4, 7] for i in range(20)}
    hyp = {**gold, "d3": [6, 5, 11], "d4": [22]}
    row = fp.score(gold, hyp, metrics=metric, average="micro", baselines=False)[0]
    assert row["low"] <= row["value"] <= row["high"]
    assert row["high"] - row["low"] < 0.6  # and not all of the range


def test_texts_with_one_value_have_a_bound_from_their_number_and_the_range():
    found = intervals([mean_of([1.0] * 10, bounds=(0, 1))])[0]
    # With a share q of other texts, ten without one of them have the chance (1 - q)^10.
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 10)), 1.0)
    assert (found.method, found.why) == ("t", CONSTANT)
    middle = intervals([mean_of([0.25] * 10, bounds=(0, 1))])[0]
    share = 1 - 0.025 ** (1 / 10)
    assert (middle.low, middle.high) == pytest.approx((0.25 - 0.25 * share, 0.25 + 0.75 * share))
    same = intervals([mean_of(SKEWED, bounds=(0, 1))] * 2, [(0, 1)])[2]
    assert -same.low == same.high == pytest.approx(1 - 0.025 ** (1 / 30))
    assert intervals([mean_of([0.3] * 20)])[0] == Interval.none(CONSTANT)  # no range


@pytest.mark.parametrize("texts", [99, 100, 101])
def test_there_is_no_step_at_a_hundred_texts(texts):
    values = np.random.default_rng(5).beta(1, 4, 101)[:texts]
    found = intervals([mean_of(values)], count=4000)[0]
    student = stats.t.interval(0.95, texts - 1, values.mean(), stats.sem(values))
    assert found.method == "t"
    assert found.low >= student[0] - 1e-9 - 0.1 * (student[1] - student[0])
    assert 1 <= (found.high - found.low) / (student[1] - student[0]) < 1.15


def test_runs_are_averaged_and_widen_the_interval_by_their_differences():
    rng = np.random.default_rng(2)
    text, run = rng.normal(0, 0.01, 60), np.array([-0.2, 0.0, 0.2])
    values = 0.5 + text[:, None] + run
    one = with_runs(values)
    assert one.value == pytest.approx(values.mean())
    over_texts = intervals([one], over_runs=False)[0]
    plain = intervals([mean_of(values.mean(axis=1))])[0]
    assert (over_texts.low, over_texts.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    both = intervals([one])[0]
    assert both.high - both.low > 10 * (over_texts.high - over_texts.low)


def test_intervals_do_not_depend_on_threads():
    estimates = [mean_of(SKEWED), Estimate(COUNTS, ratio)]
    threads = fp.set_threads()
    found = []
    try:
        for n in (1, 2, 5):
            fp.set_threads(n)
            found.append(
                [
                    intervals(estimates, [(0, 1)], method=method, count=3000)
                    for method in ("t", "percentile", "bca")
                ]
                + [randomization(estimates, [(0, 1)], count=3000)]
            )
    finally:
        fp.set_threads(threads)
    assert found[0] == found[1] == found[2]


# Student's t.


@pytest.mark.parametrize("freedom", [1, 1.3, 2, 3.7, 9, 30, 199.5, 200, 1e4])
def test_students_t_is_that_of_scipy(freedom):
    for tail in (0.05, 0.025, 0.005):
        assert quantile(freedom, tail) == pytest.approx(stats.t.isf(tail, freedom), rel=1e-7)
    for t in (-3.0, 0.0, 0.1, 2.5, 40.0):
        assert upper_tail(t, freedom) == pytest.approx(stats.t.sf(t, freedom), rel=1e-8)
        assert two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(abs(t), freedom), rel=1e-8)


@pytest.mark.parametrize("freedom", [200, 201, 500, 10_000])
def test_many_degrees_of_freedom_have_eight_digits(freedom):
    for tail in (0.05, 0.025, 0.005):
        assert quantile(freedom, tail) == pytest.approx(stats.t.isf(tail, freedom), rel=5e-9)


# Families of comparisons.


def plain_step_down(columns):
    """Step-down min-p of sign flips, all of them, as Westfall and Young write it."""
    n = len(columns)
    reached = np.array([np.abs(signs @ columns) for signs in itertools.product((1, -1), repeat=n)])
    shares = np.array([
        [(reached[:, k] >= row[k] - 1e-9).mean() for k in range(columns.shape[1])]
        for row in reached
    ])  # fmt: skip
    order = np.argsort(shares[0], kind="stable")
    result, before = {}, 0.0
    for at, k in enumerate(order):
        least = shares[:, order[at:]].min(axis=1)
        before = max(before, float((least <= shares[0, k] + 1e-9).mean()))
        result[int(k)] = before
    return [result[k] for k in range(columns.shape[1])]


def test_step_down_min_p_is_its_definition():
    rng = np.random.default_rng(1)
    shared = rng.normal(0.4, 1, (9, 1))
    values = shared + rng.normal(0, 0.5, (9, 4)) + [0.0, 0.8, -0.3, 0.2]
    zero = mean_of(np.zeros(9))
    estimates = [*(mean_of(one) for one in values.T), zero]
    swaps = swap(estimates, [(k, 4) for k in range(4)])
    found, least = swaps.step_down()
    assert all(test.exact for test in swaps.tests())
    assert found == pytest.approx(plain_step_down(values))
    assert least >= 2 / 2**9
    plain = [test.p for test in swaps.tests()]
    assert all(p <= q <= h + 1e-12 for p, q, h in
               zip(plain, found, adjusted(plain, "holm"), strict=True))  # fmt: skip


def test_equal_comparisons_count_once_in_min_p():
    values = np.random.default_rng(3).normal(1, 1, 7)
    estimates = [mean_of(np.abs(values)), mean_of(np.zeros(7))]
    found, least = swap(estimates, [(0, 1)] * 5).step_down()
    assert found == [2 / 2**7] * 5 and least == 2 / 2**7
    assert adjusted([2 / 2**7] * 5, "holm")[0] > 0.05


def test_random_swaps_of_a_family_are_those_of_each_comparison():
    rng = np.random.default_rng(6)
    estimates = [mean_of(rng.normal(0.1, 1, 40)) for _ in range(3)]
    pairs = [(0, 2), (1, 2)]
    both = swap(estimates, pairs, count=500)
    assert both.tests() == [randomization(estimates, [pair], count=500)[0] for pair in pairs]
    assert swap(estimates, pairs[:1], count=500).step_down()[0] == [both.tests()[0].p]


@pytest.mark.slow
def test_min_p_keeps_the_level_of_a_family_of_which_some_differ():
    rng, times, wrong = np.random.default_rng(2), 800, 0
    for seed in range(times):
        values = rng.normal(0, 1, (12, 1)) + rng.normal(0, 1, (12, 4))
        values[:, :2] += 1.5
        estimates = [*(mean_of(one) for one in values.T), mean_of(np.zeros(12))]
        p = swap(estimates, [(k, 4) for k in range(4)], seed=seed, count=499).step_down()[0]
        wrong += min(p[2:]) <= 0.05
    assert wrong / times < 0.07


def test_equivalence_is_two_one_sided_t_tests():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.5, 0.1, 40), rng.normal(0.5, 0.1, 40)
    both = [mean_of(a, bounds=(0, 1)), mean_of(b, bounds=(0, 1))]
    for margin in (0.01, 0.05, 0.1):
        above = stats.ttest_1samp(a - b, -margin, alternative="greater").pvalue
        below = stats.ttest_1samp(a - b, margin, alternative="less").pvalue
        # Degrees of freedom are a little fewer where the kurtosis is above a normal one.
        assert equivalence(*both, margin) == pytest.approx(max(above, below), abs=0.001)
    # Texts without any difference: the chance of ten such texts if one in two differed by 1.
    same = [mean_of([0.3] * 10, bounds=(0, 1))] * 2
    assert equivalence(*same, 0.5) == pytest.approx(0.5**10)
    assert math.isnan(equivalence(mean_of([0.3] * 10), mean_of([0.3] * 10), 0.5))


# The promise: 95% is 95%.

DRAW = {
    "70% perfect": (
        lambda rng, size: np.where(rng.random(size) < 0.7, 1.0, 1 - rng.beta(2, 5, size)),
        1 - 0.3 * 2 / 7,
    ),
    "70% ties": (
        lambda rng, size: np.where(rng.random(size) < 0.7, 0.0, rng.normal(0.1, 0.15, size)),
        0.03,
    ),
    "normal": (lambda rng, size: rng.normal(0.4, 0.1, size), 0.4),
    "exponential": (lambda rng, size: rng.exponential(1, size), 1.0),
    "30% zeros, else Beta(1, 9)": (
        lambda rng, size: rng.beta(1, 9, size) * (rng.random(size) >= 0.3),
        0.7 * 0.1,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("texts", [20, 50])
@pytest.mark.parametrize("name", DRAW)
def test_default_intervals_cover_what_they_promise(name, texts):
    # Many experiments share their resamples: each is an estimate of the same call.
    draw, truth = DRAW[name]
    values = draw(np.random.default_rng(texts), (2400, texts))
    covered = 0
    for seed, block in enumerate(np.split(values, 60)):
        found = intervals([mean_of(one) for one in block], seed=seed, count=399)
        covered += sum(one.method == "t" and one.low <= truth <= one.high for one in found)
    least = 0.93 if texts == 20 and "ties" in name else 0.935
    assert least <= covered / 2400 <= (0.99 if "perfect" in name else MOST)


@pytest.mark.slow
@pytest.mark.parametrize("texts", [20, 50])
def test_default_intervals_of_pooled_counts_cover_too(texts):
    rng = np.random.default_rng(texts)
    covered = 0
    for seed in range(60):
        places = rng.integers(20, 200, (30, texts))
        wrong = rng.binomial(places, rng.beta(2, 6, places.shape))
        found = intervals(
            [Estimate(np.column_stack(c).astype(float), ratio)
             for c in zip(wrong, places, strict=True)],
            seed=seed, count=399,
        )  # fmt: skip
        covered += sum(one.low <= 0.25 <= one.high for one in found)
    assert 0.935 <= covered / 1800 <= MOST


def long_and_hard(rng, size):
    """Draw wrong places and all places of texts of which long ones are harder."""
    z = rng.normal(0, 1, size)
    places = np.ceil(100 * np.exp(z))
    rate = np.clip(rng.beta(2, 6, size) * np.exp(0.3 * z), 0, 1)
    return rng.binomial(places.astype(int), rate).astype(float), places


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "least"), [(10, 0.90), (20, 0.93), (50, 0.94)])
def test_default_intervals_of_pooled_counts_cover_where_long_texts_are_harder(texts, least):
    wrong, places = long_and_hard(np.random.default_rng(99), 1_000_000)
    truth = wrong.sum() / places.sum()
    rng = np.random.default_rng(texts)
    covered = 0
    for seed in range(40):
        drawn = zip(*long_and_hard(rng, (40, texts)), strict=True)
        each = [Estimate(np.column_stack(one), ratio, sizes=one[1]) for one in drawn]
        covered += sum(
            one.low <= truth <= one.high for one in intervals(each, seed=seed, count=399)
        )
    assert covered / 1600 >= least


@pytest.mark.slow
def test_percentiles_cover_less_as_the_note_says():
    draw, truth = DRAW["normal"]
    values = draw(np.random.default_rng(1), (2000, 10))
    covered = sum(
        one.low <= truth <= one.high
        for k, block in enumerate(np.split(values, 20))
        for one in intervals([mean_of(v) for v in block], seed=k, count=1000, method="percentile")
    )
    assert 0.87 <= covered / 2000 <= 0.91


# Tests.


def all_flips(differences):
    found = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(s >= found - 1e-12 for s in sums) / len(sums)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_few_texts_are_flipped_in_every_way(differences):
    one = mean_of(np.array(differences) / 3 + 0.5)
    other = mean_of(np.full(len(differences), 0.5))
    test = randomization([one, other], [(0, 1)])[0]
    assert test.exact
    assert test.p == pytest.approx(all_flips(differences), abs=1e-12)


def test_equal_systems_have_p_of_one():
    test = randomization([mean_of(SKEWED), mean_of(SKEWED)], [(0, 1)])[0]
    assert (test.p, test.exact) == (1.0, True)


@pytest.mark.parametrize("texts", [10, 40])
def test_flipped_signs_are_scipys_permutation_test(texts):
    rng = np.random.default_rng(texts)
    a = rng.beta(2, 5, texts)
    b = np.clip(a + rng.normal(0.03, 0.08, texts), 0, 1)
    found = randomization([mean_of(a), mean_of(b)], [(0, 1)], count=50_000)[0]
    wanted = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=50_000, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert found.exact == (texts == 10)
    error = 0 if found.exact else 5 * math.sqrt(found.p / 50_000)
    assert found.p == pytest.approx(wanted.pvalue, abs=error + 1e-9)


def test_swapped_counts_are_scipys_permutation_test():
    rng = np.random.default_rng(6)
    a = rng.integers(0, 12, (11, 3)).astype(float)
    b = rng.integers(0, 12, (11, 3)).astype(float)

    def away(x, y, axis):
        # scipy swaps numbers of texts; their rows are looked up.
        rows = np.concatenate((a, b))
        pooled = [rows[v].sum(axis=-2).reshape(-1, 3) for v in (x, y)]
        return (f_value(pooled[0]) - f_value(pooled[1])).reshape(x.shape[:-1])

    numbers = np.arange(11), np.arange(11, 22)
    wanted = stats.permutation_test(
        numbers, away, permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    found = randomization([Estimate(a, f_value), Estimate(b, f_value)], [(0, 1)])[0]
    assert found.exact
    assert found.p == pytest.approx(wanted.pvalue, abs=1e-12)


def null_experiments(texts, ties, count, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.beta(2, 6, (2, count, texts))
    if ties:  # scores of few values, and systems that often agree
        a, b = np.round(a * 8) / 8, np.round(b * 8) / 8
        b = np.where(rng.random(b.shape) < 0.3, a, b)
    return a, b


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("texts", [8, 25])
def test_where_there_is_no_difference_p_is_rarely_small(texts, ties):
    count = 3000
    p = []
    a, b = null_experiments(texts, ties, count, 10 * texts + ties)
    for k in range(0, count, 50):
        estimates = [mean_of(v) for pair in zip(a[k : k + 50], b[k : k + 50], strict=True)
                     for v in pair]  # fmt: skip
        pairs = [(2 * i, 2 * i + 1) for i in range(50)]
        p += [test.p for test in randomization(estimates, pairs, seed=k, count=999)]
    for level in (0.01, 0.05, 0.1):
        error = math.sqrt(level * (1 - level) / count)
        assert np.mean(np.array(p) <= level) <= level + 3 * error
    if not ties:
        assert np.mean(np.array(p) <= 0.1) >= 0.1 - 4 * math.sqrt(0.09 / count)


@pytest.mark.slow
def test_where_there_is_no_difference_pooled_counts_find_none():
    rng = np.random.default_rng(3)
    p = []
    for k in range(40):
        wrong = rng.binomial(30, 0.2, (50, 20, 2)).astype(float)
        places = np.full((50, 20), 30.0)
        estimates = [Estimate(np.column_stack((wrong[i, :, s], places[i])), ratio)
                     for i in range(50) for s in (0, 1)]  # fmt: skip
        pairs = [(2 * i, 2 * i + 1) for i in range(50)]
        p += [test.p for test in randomization(estimates, pairs, seed=k, count=999)]
    for level in (0.01, 0.05, 0.1):
        assert np.mean(np.array(p) <= level) <= level + 3 * math.sqrt(level / 2000)


@pytest.mark.slow
def test_the_paired_bootstrap_finds_too_much_as_its_note_says():
    a, b = null_experiments(20, False, 2000, 5)
    p = []
    for k in range(0, 2000, 50):
        estimates = [mean_of(v) for pair in zip(a[k : k + 50], b[k : k + 50], strict=True)
                     for v in pair]  # fmt: skip
        pairs = [(2 * i, 2 * i + 1) for i in range(50)]
        p += [test.p for test in paired_bootstrap(estimates, pairs, seed=k, count=999)]
    assert 0.055 < np.mean(np.array(p) <= 0.05) < 0.11


def test_p_of_the_paired_bootstrap_is_from_1_of_all_resamples_to_1():
    rng = np.random.default_rng(8)
    a, b = rng.random(20), rng.random(20)
    far, same, near = paired_bootstrap(
        [mean_of(a), mean_of(a - 2), mean_of(b)], [(0, 1), (2, 2), (0, 2)], count=999
    )
    assert (far.p, same.p) == (1 / 1000, 1.0)  # 0 or all of 999 are as far; the data are, too
    assert 1 / 1000 <= near.p <= 1
    assert near.p * 1000 == pytest.approx(round(near.p * 1000))


def test_p_of_random_swaps_is_never_zero():
    a, b = np.full(30, 0.9), np.full(30, 0.1)
    test = randomization([mean_of(a), mean_of(b)], [(0, 1)], count=999)[0]
    assert (test.p, test.exact) == (1 / 1000, False)


# Families of tests, and rankings.


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_benjamini_hochberg_is_scipys(p):
    assert adjusted(p, "bh") == pytest.approx(stats.false_discovery_control(p), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_largest_of_what_stands_before_it(p):
    found = adjusted(p, "holm")
    for i, one in enumerate(p):
        before = [q for q in p if q <= one]
        steps = [min(1.0, q * sum(r >= q for r in p)) for q in before]
        assert found[i] == pytest.approx(max(steps), abs=1e-12)
    assert adjusted(p, "none") == p


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=9))
def test_kendalls_tau_is_scipys(pairs):
    x, y = zip(*pairs, strict=True)
    wanted = stats.kendalltau(x, y).statistic
    assert kendall(x, y) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


# Statistics of weights.


def test_a_statistic_of_weights_has_the_interval_of_the_same_sums():
    def of_weights(weights):
        return ratio(weights @ COUNTS)

    for method in get_args(Method):
        found = weighted_interval(of_weights, 30, seed=3, count=500, method=method)
        wanted = intervals([Estimate(COUNTS, ratio)], seed=3, count=500, method=method)[0]
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-6)
        assert found.method == method
    assert weighted_interval(of_weights, 4, seed=3, count=500) == Interval.none(TOO_FEW)


# How many texts are needed.


def test_power_is_that_of_the_normal_distribution():
    rng = np.random.default_rng(5)
    values = rng.normal(0.3, 0.2, 400)  # the mean does not matter
    found = fp.power(values, difference=0.05)
    sd = values.std(ddof=1)
    normal = NormalDist()
    plain = (normal.inv_cdf(0.975) + normal.inv_cdf(0.8)) ** 2 * sd**2 / 0.05**2
    assert plain <= found.texts <= plain + 3
    assert found.low < found.texts < found.high
    assert fp.power(values - 0.3, difference=-0.05).texts == found.texts
    assert "texts (from" in str(found)
    # As many texts do see such a difference in 80 of 100 cases.
    drawn = rng.normal(0.05, sd, (4000, found.texts))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(found.texts))
    seen = np.mean(np.abs(t) > stats.t.ppf(0.975, found.texts - 1))
    assert abs(seen - 0.8) < 0.03


def test_the_range_of_needed_texts_covers_the_true_number():
    rng = np.random.default_rng(6)
    wanted = fp.power(rng.normal(0, 0.2, 200_000), difference=0.05).texts
    found = [fp.power(rng.normal(0, 0.2, 25), difference=0.05) for _ in range(400)]
    assert np.mean([one.low <= wanted <= one.high for one in found]) > 0.9


@pytest.mark.slow
def test_power_by_simulation():
    def simulate(texts, seed):
        return np.random.default_rng(seed).normal(0.1, 0.2, texts)

    table = fp.power(simulate=simulate, texts=(10, 32), times=300, power=0.6)
    few, enough = table.rows
    assert few["power"] < 0.5 and not few["enough"]
    assert abs(enough["power"] - 0.8) < 0.08  # fp.power says 34 for .8
    assert enough["enough"]
    assert abs(enough["difference"] - 0.1) < 0.02
    assert not fp.power(simulate=simulate, texts=32, times=300, power=0.95)[0]["enough"]


@pytest.mark.slow
def test_power_of_two_simulated_systems_is_that_of_experiments_made_one_by_one():
    gold = fp.simulate.references(30, sizes="uniform:4-12", segments=8, seed=3)
    worse = {"a": {"model": "FN", "p": 0.2}, "b": {"model": "FN", "p": 0.35}}
    table = fp.power(gold, simulate=worse, metric="F", texts=(5, 15), times=200)
    none, some = table.rows
    assert none["power"] == 0  # 5 texts cannot reach .05
    corpus, found, away = gold, 0, []
    rng = np.random.default_rng(1)
    for k in range(60):
        chosen = rng.integers(0, 30, 15)
        refs = [corpus[str(i + 1), "1"] for i in chosen]
        texts = {f"t{i}": seg for i, seg in enumerate(refs)}
        systems = {}
        for name, settings in worse.items():
            pairs = fp.simulate.errors(texts, **settings, seed=1000 * k + ord(name))
            systems[name] = {f"t{i}": pairs.segmentation(i, "hyp") for i in range(15)}
        done = fp.score(texts, systems, metrics="F", paired="randomization", intervals=False,
                        baselines=False, resamples=500).part("comparisons")[0]  # fmt: skip
        found += done["p"] <= 0.05
        away.append(-done["difference"])  # b against a there
    error = math.sqrt(some["power"] * (1 - some["power"]) / 60) + some["standard_error"]
    assert abs(some["power"] - found / 60) < 3 * error
    assert some["difference"] == pytest.approx(np.mean(away), abs=3 * np.std(away) / math.sqrt(60))


@pytest.mark.slow
def test_the_example_in_the_docs_gives_what_it_says():
    page = Path(__file__).parents[2] / "docs" / "statistics.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert (result.failed, result.attempted > 3) == (0, True)


@pytest.mark.slow
def test_simulated_power_does_not_depend_on_threads_and_knows_kinds_and_micro():
    gold = {f"t{i}": [4, 3 + i % 3, 5, 2] for i in range(9)}
    settings = {"a": {"model": "NM", "p": 0.2}, "b": {"model": "FNP2", "p": 0.4, "spread": 0.3}}
    threads, found = fp.set_threads(), []
    try:
        for n in (1, 2, 5):
            fp.set_threads(n)
            table = fp.power(gold, simulate=settings, metric="WD", average="micro",
                             texts=(8, 40), times=50)  # fmt: skip
            found.append(table.rows)
    finally:
        fp.set_threads(threads)
    assert found[0] == found[1] == found[2]
    again = fp.power(gold, simulate=settings, metric="WD", average="micro", texts=40, times=50)
    assert again.rows == found[0][1:]
    other = fp.power(gold, simulate=settings, metric="WD", texts=40, times=50, seed=2)
    assert other.rows != again.rows
    kinds = fp.simulate.references(9, sizes="uniform:4-9", segments=5, types=["p", "q"], seed=1)
    typed = {"a": {"substitute": 0.1}, "b": {"substitute": 0.1, "delete": 0.5}}
    row = fp.power(kinds, simulate=typed, metric="B", texts=20, times=50)[0]
    assert row["power"] > 0.8 and row["difference"] > 0


@pytest.mark.slow
def test_power_respects_the_randomization_test():
    pilot = [0.1, -0.05, 0.2, 0.0, 0.1, 0.15, -0.1, 0.05]
    for alpha, fewest in ((0.05, 6), (0.01, 8), (0.5, 2)):
        found = fp.power(pilot, difference=5, alpha=alpha)
        assert (found.texts, found.low, found.high) == (fewest, fewest, fewest)
        assert 2 / 2**fewest <= alpha < 2 / 2 ** (fewest - 1) or alpha == 0.5
    # Few texts: the number found does see the difference, and one less does not.
    deviation = np.std(pilot, ddof=1)
    for effect in (0.9, 1.3):
        n = fp.power(pilot, difference=effect * deviation).texts
        assert n <= 14
        reached = []
        for texts in (n - 1, n):
            drawn = np.random.default_rng(8).normal(effect, 1, (1500, texts))
            pairs = [(2 * k, 2 * k + 1) for k in range(100)]
            p = []
            for block in np.split(drawn, 15):
                both = [e for own_ in block for e in (mean_of(own_), mean_of(0 * own_))]
                p += [test.p for test in randomization(both, pairs)]
            reached.append(np.mean(np.array(p) <= 0.05))
        assert reached[0] < 0.83 and reached[1] > 0.77
    assert "at least 1,000,000" in str(fp.power(pilot, difference=0.05, alpha=1e-6))


@pytest.mark.slow
def test_power_says_when_a_pilot_says_too_little():
    with pytest.raises(fp.MetricError, match="comes from one text"):
        fp.power([0] * 20 + [0.3], difference=0.1)
    found = fp.power([0] * 20 + [0.3, 0.2], difference=0.1)
    assert "Only 2 of the 22 texts differ from the others" in str(found)
    assert "The pilot says too little about the variance" in str(found)
    assert not fp.power(np.random.default_rng(1).normal(0, 1, 30), difference=0.5).notes


TWELVE = {f"t{i}": [3, 3, 4] for i in range(12)}
THREE = {
    "a": {t: [3, 3, 4] if i % 3 else [2, 4, 4] for i, t in enumerate(TWELVE)},
    "b": {t: [3, 7] if i % 2 else [3, 3, 4] for i, t in enumerate(TWELVE)},
    "c": {t: [3, 7] if i % 5 else [4, 2, 4] for i, t in enumerate(TWELVE)},
}
QUICK = {"baselines": True, "resamples": 100, "intervals": False}


@pytest.mark.slow
def test_power_names_metrics_as_score_does():
    two = {name: THREE[name] for name in "ab"}
    table = fp.score(TWELVE, two, metrics=["pk:k=2", "pk:k=3", "F"], **QUICK)
    for name in ("pk:k=2", "pk(k=3)", "F", "boundary_f", fp.boundary_f):
        part = fp.score(TWELVE, two, metrics=name, **QUICK).part("per-text")
        values = [np.array(part.where(system=s).column("value")) for s in "ab"]
        wanted = fp.power(values[0] - values[1], difference=0.1)
        assert fp.power(table, metric=name, difference=0.1) == wanted
    with pytest.raises(fp.MetricError, match="say which of pk:k=2,pad=none, pk:k=3,pad=none"):
        fp.power(table, metric="pk", difference=0.1)
    with pytest.raises(fp.MetricError, match=r"no metric pk:k=9.*it has pk:k=2"):
        fp.power(table, metric="pk:k=9", difference=0.1)
    with pytest.raises(fp.MetricError, match="say which metric: pk:k=2"):
        fp.power(table, difference=0.1)
    with pytest.raises(fp.MetricError, match="systems are two of a, b, found"):
        fp.power(table, metric="F", systems=("a", "z"), difference=0.1)


def test_power_knows_runs_groups_and_micro():
    runs = fp.score(TWELVE, THREE, metrics="F", runs={"bc": ["b", "c"]}, **QUICK)
    part = runs.part("per-text")
    a, b, c = (np.array(part.where(system=s).column("value")) for s in "abc")
    wanted = fp.power(a - (b + c) / 2, difference=0.1)
    assert fp.power(runs, systems=("a", "bc"), difference=0.1).texts == wanted.texts
    with pytest.raises(fp.MetricError, match="systems are two of a, bc"):
        fp.power(runs, systems=("a", "b"), difference=0.1)
    group = {text: f"g{i // 2}" for i, text in enumerate(TWELVE)}
    two = {name: THREE[name] for name in "ac"}
    table = fp.score(TWELVE, two, metrics="F", group=group, **QUICK)
    found = fp.power(table, difference=0.1)
    # Groups of the same size: the variance is that of the groups' means.
    means = (a - c).reshape(6, 2).mean(axis=1)
    assert found.deviation == pytest.approx(means.std(ddof=1), abs=1e-9)
    assert (found.what, found.pilot) == ("group", 6)
    assert "groups (from" in str(found)
    micro = fp.power(fp.score(TWELVE, two, metrics="F", **QUICK), difference=0.1, average="micro")
    counts = [fp.score(TWELVE, two, metrics="F", **QUICK).part("counts").where(system=s).rows
              for s in "ac"]  # fmt: skip

    def pooled(rows):
        hits, missed, extra = (sum(r[k] for r in rows) for k in fp.boundary_f.counts)
        return 2 * hits / (2 * hits + missed + extra)

    def away(left_out):
        one, other = ([r for i, r in enumerate(rows) if i != left_out] for rows in counts)
        return pooled(one) - pooled(other)

    parts = np.array([11 * (away(None) - away(i)) for i in range(12)])
    assert micro.deviation == pytest.approx(parts.std(ddof=1), abs=1e-9)


def test_power_from_a_table():
    gold = {f"t{i}": [3, 3, 4] for i in range(12)}
    a = {t: [3, 3, 4] if i % 3 else [2, 4, 4] for i, t in enumerate(gold)}
    b = {t: [3, 7] if i % 2 else [3, 3, 4] for i, t in enumerate(gold)}
    table = fp.score(gold, {"a": a, "b": b}, metrics=["B", "pk"])
    found = fp.power(table, metric="boundary_similarity", difference=0.1)
    part = table.part("per-text")
    values = [
        np.array(part.where(system=s, metric="boundary_similarity").column("value")) for s in "ab"
    ]
    assert found == fp.power(values[0] - values[1], difference=0.1)
    assert found.pilot == 12


SIMULATED = {"difference": None, "metric": "pk", "simulate": {"a": {"p": 0.1}, "b": {"p": 0.2}}}


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        ([0.1, 0.2, 0.1], {}, "3 texts tell too little about the variance"),
        ([0.1] * 9, {}, "the same in all texts"),
        ([0.1, math.nan] * 9, {}, "remove texts whose score is undefined"),
        ("differences", {}, "give a table of fp.score"),
        (None, {}, "give a table of fp.score"),
        ([0.1, 0.2] * 9, {"difference": 0}, "difference must be a number other than 0"),
        ([0.1, 0.2] * 9, {"power": 80}, "power must be a number between 0 and 1"),
        ([0.1, 0.2] * 9, {"alpha": 0}, "alpha must be a number between 0 and 1"),
        ([0.1, 0.2] * 9, {"difference": None}, "difference must be a number, found None"),
        ([0.1, 0.2] * 9, {"average": "both"}, "average must be macro or micro"),
        ([0.1, 0.2] * 9, {"average": "micro"}, "micro needs a table"),
        ([0.1], {"difference": None, "simulate": lambda n, seed: [0] * n}, "not both"),
        (None, {"difference": None, "simulate": lambda n, seed: [0]}, "must give 10 differences"),
        (None, {"difference": None, "simulate": lambda n, seed: "x"}, "10 texts failed"),
        (None, {"simulate": lambda n, seed: [0] * n}, "remove difference"),
        (TWELVE, {**SIMULATED, "times": 0}, "times must be a whole number from 1 up, found 0"),
        (TWELVE, {**SIMULATED, "texts": (0,)}, "a number of texts must be .* found 0"),
        (TWELVE, {**SIMULATED, "texts": "10"}, "texts must be a list of whole numbers"),
        (TWELVE, {**SIMULATED, "texts": ()}, "texts is an empty list"),
        (TWELVE, {**SIMULATED, "seed": 0.5}, "seed must be a whole number"),
        (TWELVE, {**SIMULATED, "metric": None}, "say which metric"),
        (None, SIMULATED, "give the reference"),
        (TWELVE, {**SIMULATED, "simulate": {"a": {}}}, "two systems with their settings"),
        (TWELVE, {**SIMULATED, "simulate": {"a": {"q": 1}, "b": {}}}, "model, p, .* found 'q'"),
    ],
)
def test_power_of_nothing_is_refused(given, settings, message):
    with pytest.raises(fp.MetricError, match=message):
        fp.power(given, **{"difference": 0.1, **settings})


# Many systems: in blocks, which change no number.


def many_systems(texts, systems=11):
    rng = np.random.default_rng(texts)
    gold = {f"t{i}": [int(n) for n in rng.integers(1, 9, 6)] for i in range(texts)}
    others = {}
    for number in range(systems):
        others[f"s{number}"] = {
            text: [int(n) for n in rng.permutation(sizes)] for text, sizes in gold.items()
        }
    return gold, others


@pytest.mark.slow
@pytest.mark.parametrize("texts", [5, 6, 9, 16])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"method": "percentile", "average": "both"},
        {"method": "bca"},
        {"paired": "randomization", "all_pairs": True},
        {"paired": "randomization", "average": "micro", "adjust": "holm"},
        {"paired": "bootstrap", "average": "both"},
        {"paired": "randomization", "runs": {"a": ["s0", "s1"], "b": ["s2", "s3"]}},
    ],
)
def test_blocks_of_systems_and_equal_resamples_change_no_digit(monkeypatch, texts, choices):
    gold, systems = many_systems(texts)

    def table(at_once, distinct):
        for module in (own, fencepost.statistics.tests, fencepost.statistics.intervals):
            for name, value in (("ESTIMATES_AT_ONCE", at_once), ("SWAPS_AT_ONCE", 7 * at_once),
                                ("MAX_TEXTS_FOR_DISTINCT", distinct)):  # fmt: skip
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, value)
        made = fp.score(gold, systems, metrics=["WD", "F", "B"], resamples=300, **choices)
        parts = [made.part("comparisons").to_json()] if "paired" in choices else []
        return [made.to_json(), *parts]

    assert table(3, 8) == table(10**6, 0) == table(2, 0) == table(10**6, 8)


def test_slopes_at_a_count_of_0_look_upwards_only():
    # x / (x + y) has the slopes y / (x + y)^2 and -x / (x + y)^2, also where x is 0.
    sums = np.array([[0.0, 5.0], [3.0, 5.0], [2.0, 0.0]])
    slopes = _gradient(lambda own: own[:, 0] / own.sum(axis=1), sums, np.array([1.0, 1.0]))
    x, y = sums.T
    wanted = np.column_stack([y, -x]) / (x + y)[:, None] ** 2
    assert slopes == pytest.approx(wanted, abs=COUNT_STEP)  # from one side, of its order


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, True, "0.9", None, math.nan])
def test_a_level_is_a_number_between_0_and_1(level):
    for interval in (pearson_interval, kendall_interval):
        with pytest.raises(fp.FencepostError, match="level must be a number between 0 and 1, f"):
            interval([1, 2, 3, 4], [1, 3, 2, 4], level=level)


@pytest.mark.parametrize("rows", [300, 2**16 - 1, 2**16, 2**16 + 7])
def test_swaps_that_reach_as_large_a_difference_are_counted_whatever_their_number(rows):
    reached = np.random.default_rng(rows).integers(0, 50, (rows, 2)).astype(float)
    found = fencepost.statistics.tests._as_large(reached)
    for column, counts in zip(reached.T, found.T, strict=True):
        above = np.cumsum(np.bincount(column.astype(int), minlength=50)[::-1])[::-1]
        assert counts.tolist() == above[column.astype(int)].tolist()
