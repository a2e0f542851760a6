"""Window metrics: the kernel sweeps over cuts, the oracle looks into every window."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Pairs, Segmentation
from fencepost.model.checks import MetricError
from oracle import window as oracle
from strategies import pairs, random_pairs

WINDOWED = [fp.pk, fp.pk_prime, fp.windowdiff, fp.winpr_precision, fp.winpr_recall, fp.winpr_f]
WINDOWED += [fp.c_seg]
RULES = ["auto-half-up", "corpus-half-up", "auto-segeval", "auto-nltk", "auto-fournier2012"]

every_window_metric = pytest.mark.parametrize("metric", WINDOWED, ids=lambda m: m.name)
widths = st.integers(1, 14) | st.sampled_from(RULES)
paddings = st.sampled_from(["none", "lamprier", "segeval"])
window_units = st.sampled_from(["boundaries", "units"])


def batch(texts: Any) -> Pairs:
    return Pairs.from_segmentations(*zip(*texts, strict=True))


def value_and_counts(metric: Any, pair: Any, **settings: Any) -> tuple[float, list[int]]:
    """The value even where a single call would refuse (k as large as the text)."""
    recipe = metric.recipe(**settings)
    counts = recipe.count(batch([pair]))
    return float(recipe.value(counts)[0]), counts[0].tolist()


def check(value: float, exact: Fraction | None) -> None:
    if exact is None:
        assert math.isnan(value)
    else:
        assert value == float(exact)


# Against the formula. One division of whole numbers: the values must be equal, not close.


@given(pairs(), widths, paddings, window_units)
def test_pk_is_the_share_of_windows_that_disagree(pair, k, pad, window):
    value, _ = value_and_counts(fp.pk, pair, k=k, pad=pad, window=window)
    check(value, oracle.pk([pair], k=k, pad=pad, window=window))


@given(pairs(), widths, paddings, window_units)
def test_pk_prime_counts_false_alarms_twice(pair, k, pad, window):
    value, _ = value_and_counts(fp.pk_prime, pair, k=k, pad=pad, window=window)
    check(value, oracle.pk_prime([pair], k=k, pad=pad, window=window))


@given(pairs(), widths, paddings, window_units, st.booleans())
def test_windowdiff_is_the_share_of_windows_that_differ(pair, k, pad, window, weighted):
    settings = {"k": k, "pad": pad, "window": window, "weighted": weighted}
    value, _ = value_and_counts(fp.windowdiff, pair, **settings)
    check(value, oracle.windowdiff([pair], **settings))


@given(pairs(), widths)
def test_winpr_is_made_from_the_four_sums_of_the_paper(pair, k):
    sums = oracle.winpr([pair], k)
    for metric in (fp.winpr_precision, fp.winpr_recall, fp.winpr_f):
        value, counts = value_and_counts(metric, pair, k=k)
        assert counts == [sums.tp, sums.fp, sums.fn, sums.tn, sums.windows]
        check(value, getattr(oracle, metric.name)([pair], k=k))


costs = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])


@given(pairs(), widths, costs, costs, costs)
def test_c_seg_weighs_misses_and_false_alarms(pair, k, c_miss, c_fa, p_seg):
    settings = {"k": k, "c_miss": c_miss, "c_fa": c_fa, "p_seg": p_seg}
    value, _ = value_and_counts(fp.c_seg, pair, **settings)
    exact = oracle.c_seg([pair], **settings)
    if exact is None:
        assert math.isnan(value)
    else:  # two products of three numbers and their sum: 8 roundings of numbers up to 1
        assert abs(Fraction(value) - exact) <= 8 * Fraction(1, 2**53)


@given(pairs(min_units=30, max_units=150), st.integers(1, 40), paddings)
def test_longer_texts_are_no_different(pair, k, pad):
    for metric, formula in ((fp.pk, oracle.pk), (fp.windowdiff, oracle.windowdiff)):
        value, _ = value_and_counts(metric, pair, k=k, pad=pad)
        check(value, formula([pair], k=k, pad=pad))


# Widths.


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_for_k_over_all_small_references(rule):
    for units in range(1, 31):
        for segments in range(1, units + 1):
            ref = Segmentation.from_masses([*[1] * (segments - 1), units - segments + 1])
            k = oracle.width(ref, rule, [ref])
            _, (_, windows) = value_and_counts(fp.windowdiff, (ref, ref), k=rule)
            printed = rule == "auto-nltk" or (rule == "auto-segeval" and units == 1)
            assert windows == (units - k if 1 <= k < units else int(printed))


@given(st.lists(pairs(), min_size=1, max_size=5))
def test_one_width_for_a_corpus_comes_from_all_references_together(texts):
    recipe = fp.windowdiff.recipe(k="corpus")
    counts = recipe.count(batch(texts))
    units = sum(ref.units for ref, _ in texts)
    segments = sum(len(ref.masses) for ref, _ in texts)
    k = max(1, math.floor(Fraction(units, 2 * segments) + Fraction(1, 2)))
    assert counts[:, 1].tolist() == [max(0, ref.units - k) for ref, _ in texts]


@pytest.mark.parametrize(
    ("masses", "k"), [([5, 5], 3), ([4, 4], 2), ([1, 1, 1], 1), ([100], 50), ([2, 1], 1), ([2], 1)]
)
def test_auto_is_half_the_mean_segment_rounded_half_up_and_less_than_the_text(masses, k):
    score = fp.pk(masses, masses)
    assert score.counts["windows"] == sum(masses) - k
    assert score.signature == f"pk|k:auto-half-up|pad:none|fencepost:{fp.__version__}"


def test_each_tool_has_its_own_rule_for_the_same_reference():
    ref, hyp = Segmentation.from_bits("000001001000"), Segmentation.from_bits("000100010000")
    assert fp.pk(ref, hyp, like="nltk").value == 0.4
    assert fp.pk(ref, hyp, like="segeval").value == 6 / 11


def test_the_window_of_fournier2012_is_k_units_and_there_are_n_minus_k_plus_1():
    ref, hyp = [6, 8], [7, 7]  # half the mean is 3.5, k is 4: 4 units hold 3 places
    score = fp.windowdiff(ref, hyp, like="fournier2012")
    assert score.counts == {"differing": 2, "windows": 11}
    assert score.value == fp.windowdiff(ref, hyp, k=4, window="units").value


@every_window_metric
@pytest.mark.parametrize("k", [6, 7, 1000, 2**40, 10**30])
def test_a_window_as_wide_as_the_text_is_refused(metric, k):
    with pytest.raises(MetricError, match=rf"{metric.name}: k must be less than .*k={k}, .* has 6"):
        metric([3, 3], [2, 4], k=k)


@every_window_metric
def test_a_window_as_wide_as_the_text_is_undefined_in_a_batch(metric):
    recipe = metric.recipe(k=6)
    texts = [(Segmentation.from_masses(m), Segmentation.from_masses(m)) for m in ([3, 3], [4, 4])]
    values = recipe.value(recipe.count(batch(texts)))
    assert np.isnan(values).tolist() == [True, False]


def test_where_the_rule_of_nltk_rounds_to_no_window_at_all_it_prints_0():
    everywhere = Segmentation.from_bits("1111")  # 4 bits, 4 ones: half a place rounds to 0
    assert fp.pk(everywhere, Segmentation.from_bits("0000"), like="nltk").value == 0


def test_a_window_of_one_unit_is_refused():
    with pytest.raises(MetricError, match="has no position for a boundary; give k at least 2"):
        fp.windowdiff([3, 3], [2, 4], k=1, window="units")
    with pytest.raises(MetricError, match="k must be less than the number of units: k=9"):
        fp.windowdiff([3, 3], [2, 4], k=9, window="units")


@pytest.mark.parametrize("k", [0, -1, 2.0, 2.5, math.nan, True, None, "wide", "5", [3], "auto "])
def test_a_width_that_is_none_is_refused_with_what_would_be_right(k):
    with pytest.raises(MetricError, match=r"k must be a whole number from 1 up, .*auto.*corpus"):
        fp.windowdiff([3, 3], [2, 4], k=k)


def test_a_note_says_in_how_many_texts_k_is_1():
    texts = batch([(Segmentation.from_masses(m),) * 2 for m in ([1, 1, 1], [1, 2], [9, 9])])
    recipe = fp.pk.recipe()
    (note,) = recipe.notes(recipe.tally(texts))
    assert note.startswith("k is 1 in 2 of 3 texts, so Pk and WindowDiff")
    asked_for = fp.pk.recipe(k=1)
    assert asked_for.notes(asked_for.tally(texts)) == []


# Empty and extreme texts.


@every_window_metric
@pytest.mark.parametrize("k", ["auto", "corpus", 1, 5])
def test_a_text_of_one_unit_has_no_window(metric, k):
    assert math.isnan(metric([1], [1], k=k))


@every_window_metric
def test_without_any_cut_all_is_well(metric):
    assert metric([9], [9]).value == (1.0 if metric.better == "higher" else 0.0)


@pytest.mark.parametrize(
    ("metric", "without_hyp", "without_ref"),
    [
        # [4, 5], k 2: the 7 windows at 0..6 see the cut at 4 twice.
        (fp.pk, 2 / 7, 2 / 7),
        (fp.pk_prime, 2 / 7, 4 / 7),
        (fp.windowdiff, 2 / 7, 2 / 7),
        (fp.winpr_precision, 0.0, 0.0),
        (fp.winpr_recall, 0.0, 0.0),
        (fp.winpr_f, 0.0, 0.0),
        (fp.c_seg, 0.3, 0.3 * (2 / 7) * 0.7),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_cuts_on_one_side_only_follow_the_formula(metric, without_hyp, without_ref):
    assert metric([4, 5], [9], k=2).value == without_hyp
    assert metric([9], [4, 5], k=2).value == pytest.approx(without_ref, rel=4 * 2**-53)


def test_pk_prime_reaches_2_and_weighted_windowdiff_reaches_k():
    nothing, everything = [8], [1] * 8
    assert fp.pk_prime(nothing, everything, k=3).value == 2.0
    assert fp.windowdiff(nothing, everything, k=3).value == 1.0
    assert fp.windowdiff(nothing, everything, k=3, weighted=True).value == 3.0


@given(pairs(min_units=2), st.integers(1, 11))
def test_weighted_windowdiff_lies_between_plain_windowdiff_and_k(pair, k):
    plain, _ = value_and_counts(fp.windowdiff, pair, k=k)
    weighted, _ = value_and_counts(fp.windowdiff, pair, k=k, weighted=True)
    if not math.isnan(plain):
        assert plain <= weighted <= k


@given(st.integers(2, 30), st.data())
def test_with_padding_every_place_lies_in_exactly_k_windows(units, data):
    k = data.draw(st.integers(1, units - 1))
    place = data.draw(st.integers(1, units - 1))
    one, none = Segmentation(units, [place]), Segmentation(units, [])
    padded = fp.windowdiff(one, none, k=k, pad="lamprier")
    assert padded.counts == {"differing": k, "windows": units + k - 2}
    plain = fp.windowdiff(one, none, k=k)
    assert plain.counts["differing"] == min(place, k, units - place, units - k)


@given(pairs(min_units=2), st.integers(1, 11))
def test_the_sums_of_winpr_add_up_to_k_for_each_cut_and_each_place(pair, k):
    ref, hyp = pair
    if k < ref.units:
        c = fp.winpr_f(ref, hyp, k=k).counts
        assert c["tp"] + c["fp"] == k * len(hyp.cuts)
        assert c["tp"] + c["fn"] == k * len(ref.cuts)
        assert c["tp"] + c["fp"] + c["fn"] + c["tn"] == k * (ref.units - 1)


def test_a_window_wider_than_256_units():
    # segeval compares ints by identity and stops with an AssertionError here.
    ref, hyp = Segmentation.from_masses([1000, 1000]), Segmentation.from_masses([900, 1100])
    assert fp.windowdiff(ref, hyp, k=300).counts == {"differing": 200, "windows": 1700}


@pytest.mark.parametrize("units", [10**6, 2**31 - 1, 2**31, 2**40])
@pytest.mark.parametrize("k", [1, 10**3, 10**5])
def test_texts_of_any_length_are_counted_without_walking_through_them(units, k):
    half = units // 2
    ref, hyp = Segmentation(units, [half]), Segmentation(units, [half + 7])
    expected = {"differing": 2 * min(k, 7), "windows": units - k}
    assert fp.windowdiff(ref, hyp, k=k).counts == expected
    assert fp.pk(ref, hyp, k=k).counts == {
        "disagreeing": expected["differing"],
        "windows": units - k,
    }


@pytest.mark.parametrize("metric", [fp.winpr_precision, fp.winpr_recall, fp.winpr_f])
def test_sums_of_winpr_that_64_bits_cannot_hold_are_refused(metric):
    def texts(units):
        return Segmentation(units, [units // 2]), Segmentation(units, [units // 2 + 3])

    k, units = 2**29, 2**31
    c = metric(*texts(units), k=k).counts
    assert (c["tp"], c["fp"], c["fn"]) == (k - 3, 3, 3)
    assert c["tp"] + c["fp"] + c["fn"] + c["tn"] == k * (units - 1)
    with pytest.raises(MetricError, match=r"2147483648 units in a text of 8589934592 .* smaller k"):
        metric(*texts(2**33))
    assert metric(*texts(2**33), k=100).counts["tp"] == 97
    with pytest.raises(MetricError, match="add up to more than 2"):
        metric.recipe(k=2**30).count(batch([texts(2**31)] * 9))


def test_the_sweep_equals_a_count_by_prefix_sums_on_long_dense_texts():
    for seed, (ref, hyp) in enumerate(random_pairs(3, 12, units=(20_000, 60_000))):
        k = 1 + 37 * seed
        before = [
            np.concatenate(([0], np.cumsum(np.bincount(s.cuts, minlength=s.units + 1)[1:])))
            for s in (ref, hyp)
        ]
        r, h = (b[k : ref.units] - b[: ref.units - k] for b in before)
        assert fp.windowdiff(ref, hyp, k=k).counts["differing"] == int((r != h).sum())
        weighted = fp.windowdiff(ref, hyp, k=k, weighted=True)
        assert weighted.counts["differing"] == int(abs(r - h).sum())
        assert fp.pk(ref, hyp, k=k).counts["disagreeing"] == int(((r > 0) != (h > 0)).sum())


# Worked by hand: r = (3, 4, 5), h = (4, 3, 2, 3), k = 2; cuts 3, 7 and 4, 7, 9.


def test_the_worked_example():
    r, h = [3, 4, 5], [4, 3, 2, 3]
    assert fp.pk(r, h, k=2).value == 0.4
    assert fp.pk_prime(r, h, k=2).value == 0.7
    assert fp.windowdiff(r, h, k=2).value == 0.4
    assert fp.windowdiff(r, h, k=2, weighted=True).value == 0.4
    assert fp.windowdiff(r, h, k=2, pad="lamprier").counts == {"differing": 4, "windows": 12}
    assert fp.winpr_precision(r, h, k=2).value == 0.5
    assert fp.winpr_recall(r, h, k=2).value == 0.75
    assert fp.winpr_f(r, h, k=2).value == 0.6
    assert fp.winpr_f(r, h, k=2).counts == {"tp": 3, "fp": 3, "fn": 1, "tn": 15, "windows": 12}
    assert fp.c_seg(r, h, k=2).counts == {"missed": 1, "present": 4, "alarms": 3, "absent": 6}
