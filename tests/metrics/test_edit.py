"""Boundary edit distance: one alignment by dynamic programming, the oracle tries every pairing."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import fencepost as fp
from fencepost import Edit, Pairs, Segmentation
from fencepost.metrics.edit import PARTS
from fencepost.model.checks import MetricError, SegmentationError
from oracle import edit as oracle
from strategies import KINDS, pairs, random_pairs, typed_pairs

EDITS = [fp.segmentation_similarity, fp.boundary_similarity]
EDITS += [fp.b_precision, fp.b_recall, fp.b_f]
every_edit_metric = pytest.mark.parametrize("metric", EDITS, ids=lambda m: m.name)

# Prices by a declared order, equal prices, and given ones. All are short decimals.
MATRIX = {("low", "middle"): 0.25, ("low", "high"): 1.0, ("middle", "high"): 0.1}
spans = st.integers(1, 14)
matchings = st.sampled_from(["optimal", "greedy"])
ORDER = "low<middle<high"
prices = st.sampled_from(
    [
        {},
        {"types": ORDER},
        {"types": "high<low<middle", "substitution": "ordinal"},
        {"substitution": "nominal"},
        {"substitution": MATRIX},
    ]
)
any_pairs = pairs() | typed_pairs()
numbered_pairs = typed_pairs(names=("-1", "0.5", "4"))
ULP = Fraction(1, 2**53)


def expected_counts(pair: Any, n_t: int, matching: str, **prices: Any) -> dict[str, Any]:
    sums = oracle.totals([pair], n_t, matching, **prices)
    return {
        "matches": sums.matches,
        "missing": sums.missing,
        "extra": sums.extra,
        "transpositions": len(sums.distances),
        "distance": sum(sums.distances),
        "substitutions": len(sums.prices),
        "substitution_parts": sum(sums.prices) * PARTS,
    }


def listed(edits: Any) -> list[tuple[Any, ...]]:
    return sorted(
        (e.what, e.ref or 0, e.hyp or 0, e.ref_kind or "", e.hyp_kind or "") for e in edits
    )


def expected_edits(one: oracle.Alignment) -> list[tuple[Any, ...]]:
    return sorted(
        [
            *(("match", p, p, kind, kind) for p, kind in one.matches),
            *(("transposition", a, b, kind, kind) for a, b, kind in one.transpositions),
            *(("substitution", p, p, a, b) for p, a, b in one.substitutions),
            *(("addition", p, 0, kind, "") for p, kind in one.missing),
            *(("addition", 0, p, "", kind) for p, kind in one.extra),
        ]
    )


# The alignment.


@given(any_pairs, spans, matchings, prices)
def test_counts_are_those_of_the_best_of_all_alignments(pair, n_t, matching, chosen):
    expected = expected_counts(pair, n_t, matching, **chosen)
    for metric in EDITS[1:]:
        score = metric(*pair, n_t=n_t, matching=matching, **chosen)
        assert score.counts == expected


@given(pairs(max_units=13), spans, matchings)
def test_edits_are_the_left_most_of_the_best_alignments(pair, n_t, matching):
    aligned = oracle.align(pair, n_t, matching, oracle.pricing([""]))
    score = fp.boundary_similarity(*pair, n_t=n_t, matching=matching)
    assert listed(score.edits) == expected_edits(aligned)


@st.composite
def chains(draw: Any) -> tuple[Segmentation, Segmentation]:
    """A few cuts at small distances, each on one side or on both: rich in ties."""
    sides: tuple[list[int], list[int]] = ([], [])
    place = 0
    steps = st.tuples(st.integers(1, 5), st.sampled_from("aabbx"))
    for gap, side in draw(st.lists(steps, max_size=9)):
        place += gap
        for cuts, name in zip(sides, "ab", strict=True):
            if side in (name, "x"):
                cuts.append(place)
    return Segmentation(place + 2, sides[0]), Segmentation(place + 2, sides[1])


@given(chains(), st.integers(2, 9), matchings)
def test_ties_go_to_the_fewest_edits_and_then_to_the_left(pair, n_t, matching):
    aligned = oracle.align(pair, n_t, matching, oracle.pricing([""]))
    score = fp.boundary_similarity(*pair, n_t=n_t, matching=matching)
    assert listed(score.edits) == expected_edits(aligned)
    assert score.counts == expected_counts(pair, n_t, matching)


@given(st.one_of(pairs(max_units=12), typed_pairs(max_units=7)), st.integers(1, 8))
def test_mirrored_windows_are_those_of_the_paper_s_description(pair, n_t):
    score = fp.segmentation_similarity(*pair, n_t=n_t, matching="fournier2012")
    price = oracle.pricing(sorted(set(oracle.kinds_of_task([pair]))))
    aligned = oracle.align(pair, n_t, "fournier2012", price)
    assert listed(score.edits) == expected_edits(aligned)
    assert score.counts["transpositions"] == len(aligned.windows)
    assert score.counts["distance"] == sum(n - 1 for n, _ in aligned.windows)
    exact = sum((oracle.te(n, b) for n, b in aligned.windows), Fraction(0))
    # Where b is no power of two te is rounded to a step of 2^-30.
    assert abs(Fraction(score.counts["te_parts"], 2**30) - exact) <= len(aligned.windows) * 2**-31
    cost = exact + score.counts["missing"] + score.counts["extra"] + score.counts["substitutions"]
    assert math.fsum(e.cost for e in score.edits) == pytest.approx(float(cost), abs=1e-12)


@given(st.one_of(pairs(max_units=30), typed_pairs()), st.sampled_from(["greedy", "fournier2012"]))
def test_at_n_t_2_all_matchings_are_one(pair, matching):
    one, two = (fp.segmentation_similarity(*pair, matching=how) for how in ("optimal", matching))
    assert (one.counts, one.edits) == (two.counts, two.edits)


def test_three_long_moves_are_fewer_edits_than_two_short_ones_and_two_additions():
    # At n_t 5: 3 * 4/5 is 2 * 1/5 + 2.
    score = fp.boundary_similarity(
        Segmentation(16, [1, 6, 11]), Segmentation(16, [5, 10, 15]), n_t=5
    )
    assert [(e.ref, e.hyp) for e in score.edits] == [(1, 5), (6, 10), (11, 15)]
    assert score.value == 1 / 5


@given(typed_pairs(), spans, matchings)
def test_edits_of_several_kinds_are_found_kind_by_kind(pair, n_t, matching):
    # Which kinds replace which can be a tie; everything else is one way only.
    aligned = oracle.align(pair, n_t, matching, oracle.pricing(list(KINDS)))
    edits = fp.boundary_similarity(*pair, n_t=n_t, matching=matching).edits
    for what in ("match", "transposition"):
        ours = [row for row in listed(edits) if row[0] == what]
        assert ours == [row for row in expected_edits(aligned) if row[0] == what]
    assert len(edits) == len(expected_edits(aligned))


@given(any_pairs, spans, matchings, prices)
def test_every_cut_is_in_exactly_one_edit(pair, n_t, matching, chosen):
    edits = fp.boundary_similarity(*pair, n_t=n_t, matching=matching, **chosen).edits
    for side, seg in zip(("ref", "hyp"), pair, strict=True):
        used = [(getattr(e, side), getattr(e, f"{side}_kind") or "") for e in edits]
        assert sorted(u for u in used if u[0] is not None) == sorted(oracle.boundaries(seg))
    for e in edits:
        if e.what == "transposition":
            assert 1 <= e.end - e.start < n_t
            assert e.ref_kind == e.hyp_kind
        elif e.what == "substitution":
            assert e.ref == e.hyp
            assert e.ref_kind != e.hyp_kind
        elif e.what == "match":
            assert (e.ref, e.ref_kind) == (e.hyp, e.hyp_kind)
        else:
            assert (e.side == "ref") == (e.hyp is None)


@given(any_pairs, spans, matchings, prices)
def test_the_edits_add_up_to_the_counts_and_to_b(pair, n_t, matching, chosen):
    score = fp.boundary_similarity(*pair, n_t=n_t, matching=matching, **chosen)
    edits = score.edits
    assert score.counts["matches"] == sum(e.what == "match" for e in edits)
    assert score.counts["missing"] == sum(e.side == "ref" for e in edits)
    assert score.counts["extra"] == sum(e.side == "hyp" for e in edits)
    assert score.counts["substitutions"] == sum(e.what == "substitution" for e in edits)
    moved = [e.end - e.start for e in edits if e.what == "transposition"]
    assert (score.counts["transpositions"], score.counts["distance"]) == (len(moved), sum(moved))
    if edits:
        # One rounding for each edit's cost and each step of the sum.
        cost = math.fsum(e.cost for e in edits)
        assert abs(score.value - (1 - cost / len(edits))) <= (len(edits) + 4) * 2**-53
    else:
        assert score.value == 1.0


@pytest.mark.parametrize("n_t", [3, 5, 8, 20, 1000])
def test_the_cost_is_the_least_on_long_texts_too(n_t):
    for ref, hyp in random_pairs(29, 25, units=(50, 250)):
        a, b = np.setdiff1d(ref.cuts, hyp.cuts), np.setdiff1d(hyp.cuts, ref.cuts)
        distance = abs(a[:, None] - b[None, :])
        # What a pair saves against two cuts left over; none beyond its reach.
        saved = np.where(distance < n_t, 2 * n_t - distance, 0)
        most = int(saved[linear_sum_assignment(saved, maximize=True)].sum())
        c = fp.boundary_similarity(ref, hyp, n_t=n_t).counts
        assert n_t * (c["missing"] + c["extra"]) + c["distance"] == n_t * (len(a) + len(b)) - most


@pytest.mark.slow
@pytest.mark.parametrize("names", [None, KINDS], ids=["plain", "typed"])
@pytest.mark.parametrize("n_t", [1, 2, 3, 4, 7, 50, 10_000])
def test_counts_and_edits_agree_on_long_texts(names, n_t):
    for ref, hyp in random_pairs(31, 25, units=(50, 400), names=names):
        for matching in ("optimal", "greedy"):
            score = fp.segmentation_similarity(ref, hyp, n_t=n_t, matching=matching)
            moved = [e.end - e.start for e in score.edits if e.what == "transposition"]
            assert score.counts["transpositions"] == len(moved)
            assert score.counts["distance"] == sum(moved)
            # 2 - (1/2)^(d-1) in steps of 2^-30, which is 2 from a distance of 32 on.
            assert score.counts["te_parts"] == sum(
                2**31 - (2**31 >> d if d < 32 else 0) for d in moved
            )
            assert score.counts["missing"] == sum(e.side == "ref" for e in score.edits)
            assert score.counts["extra"] == sum(e.side == "hyp" for e in score.edits)


@given(any_pairs, spans, matchings)
def test_the_alignment_is_the_same_from_both_sides(pair, n_t, matching):
    there = fp.boundary_similarity(*pair, n_t=n_t, matching=matching)
    back = fp.boundary_similarity(*reversed(pair), n_t=n_t, matching=matching)
    assert there.value == back.value
    assert there.counts["missing"] == back.counts["extra"]
    for name in ("matches", "transpositions", "distance", "substitutions", "substitution_parts"):
        assert there.counts[name] == back.counts[name]
    moved = [(e.start, e.end, e.kind) for e in there.edits if e.what == "transposition"]
    assert moved == [(e.start, e.end, e.kind) for e in back.edits if e.what == "transposition"]


@given(numbered_pairs, spans, matchings, st.sampled_from(["auto", "ordinal", "nominal"]))
def test_types_that_are_numbers_are_priced_by_their_values(pair, n_t, matching, rule):
    expected = expected_counts(pair, n_t, matching, substitution=rule)
    score = fp.boundary_similarity(*pair, n_t=n_t, matching=matching, substitution=rule)
    assert score.counts == expected


# Prices: B, its precision, recall and F.


@given(pairs(), spans, matchings)
def test_b_of_one_kind_is_the_correctly_rounded_quotient(pair, n_t, matching):
    for metric in EDITS[1:4]:
        exact = getattr(oracle, metric.name)([pair], n_t=n_t, matching=matching)
        assert metric(*pair, n_t=n_t, matching=matching).value == float(exact)


@given(pairs(), spans, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_b_f_of_one_kind_is_the_correctly_rounded_quotient(pair, n_t, beta):
    exact = oracle.b_f([pair], n_t=n_t, beta=beta)
    assert fp.b_f(*pair, n_t=n_t, beta=beta).value == float(exact)


@given(typed_pairs(), spans, matchings, prices)
def test_b_of_several_kinds_is_the_formula(pair, n_t, matching, chosen):
    chosen = {"n_t": n_t, "matching": matching, **chosen}
    for metric in EDITS[1:]:
        exact = getattr(oracle, metric.name)([pair], **chosen)
        # The two shares of an edit, their sum with whole numbers, and the quotient are rounded.
        assert abs(Fraction(metric(*pair, **chosen).value) - exact) <= 6 * ULP


# Prices: S.


@given(
    any_pairs,
    spans,
    st.sampled_from(["te", "unit", "scaled"]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    matchings,
    prices,
)
def test_s_is_the_formula(pair, n_t, weights, w_sub, w_trp, matching, given_prices):
    chosen = {
        "n_t": n_t,
        "weights": weights,
        "w_sub": w_sub,
        "w_trp": w_trp,
        "matching": matching,
        **given_prices,
    }
    exact = oracle.segmentation_similarity([pair], **chosen)
    score = fp.segmentation_similarity(*pair, **chosen)
    if exact is None:
        assert math.isnan(score.value)
    elif weights == "scaled":  # shares of an edit are rounded, their sum and the quotient too
        assert abs(Fraction(score.value) - exact) <= 6 * ULP
    else:  # costs are short binary numbers: the quotient alone is rounded
        assert score.value == float(exact)
        places = score.counts["places"]
        cost = sum(Fraction(e.cost) for e in score.edits)
        assert score.value == float(1 - cost / places)


def test_te_makes_a_near_miss_cost_1_and_a_far_one_almost_2():
    costs = []
    for d in range(1, 60):
        score = fp.segmentation_similarity(
            Segmentation(101, [20]), Segmentation(101, [20 + d]), n_t=100
        )
        (edit,) = score.edits
        costs.append(edit.cost)
        # te is kept in steps of 2^-30; from a distance of 32 on it is 2 to nine digits.
        bound = 0 if d < 32 else 2**-31
        assert abs((1 - score.value) * 100 - (2 - 0.5 ** (d - 1))) <= bound + 100 * 2**-53
    assert costs[0] == 1.0
    assert costs == sorted(costs)
    assert costs[-1] <= 2.0


def test_forgiven_near_misses_cost_nothing():
    score = fp.segmentation_similarity([6, 8], [7, 7], w_trp=0)
    assert score.value == 1.0
    assert score.counts["transpositions"] == 1


def test_the_kinds_of_the_task_make_the_places():
    one = Segmentation(6, [3], [1], ["a", "b", "c"])
    other = Segmentation(6, [3], [1], ["a", "d"])
    assert fp.segmentation_similarity(one, other).counts["places"] == 4 * 5
    assert fp.segmentation_similarity([3, 3], [3, 3]).counts["places"] == 5


# Extremes.


@every_edit_metric
@pytest.mark.parametrize("n_t", [1, 2, 5, 2**31 - 1])
def test_empty_and_one_sided_texts(metric, n_t):
    assert metric([9], [9], n_t=n_t).value == 1.0
    one_sided = 7 / 8 if metric is fp.segmentation_similarity else 0.0
    assert metric([4, 5], [9], n_t=n_t).value == one_sided
    assert metric([9], [4, 5], n_t=n_t).value == one_sided
    alone = metric([1], [1], n_t=n_t).value
    assert math.isnan(alone) if metric is fp.segmentation_similarity else alone == 1.0


@every_edit_metric
def test_kinds_at_the_end_of_the_text_are_not_compared(metric):
    with_end = Segmentation(6, [3, 6], [1, 2], KINDS)
    without = Segmentation(6, [3], [1], KINDS)
    assert metric(with_end, without).value == 1.0
    only_ends = Segmentation(1, [1], [1], KINDS), Segmentation(1, [1], [2], KINDS)
    value = metric(*only_ends).value
    assert math.isnan(value) if metric is fp.segmentation_similarity else value == 1.0


@every_edit_metric
def test_kinds_on_one_side_only_cannot_be_compared(metric):
    with pytest.raises(SegmentationError, match="one side has boundary types and the other"):
        metric(Segmentation(6, [3], [1], KINDS), Segmentation(6, [3]))


@every_edit_metric
@pytest.mark.parametrize("n_t", [0, -1, 2.0, math.nan, True, None, "2", 10**12])
def test_a_reach_that_is_none_is_refused(metric, n_t):
    with pytest.raises(MetricError, match="n_t must be a whole number from 1 to 2,147,483,647"):
        metric([3, 3], [2, 4], n_t=n_t)


@pytest.mark.parametrize("name", ["w_sub", "w_trp"])
@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan, "1", True, None])
def test_a_weight_outside_0_to_1_is_refused(name, weight):
    with pytest.raises(MetricError, match=f"{name} must be a number from 0 to 1"):
        fp.segmentation_similarity([3, 3], [2, 4], **{name: weight})


def test_a_nearest_first_search_ends_with_the_text_however_large_n_t_is():
    # Two cuts against one: somebody is always left over, whatever the distance.
    score = fp.boundary_similarity([2, 3, 5], [4, 6], n_t=2**31 - 1, matching="greedy")
    assert score.counts["transpositions"] == 1
    typed = [Segmentation(10, cuts, [1] * len(cuts), KINDS) for cuts in ([2, 5], [4])]
    assert fp.boundary_similarity(*typed, n_t=2**31 - 1, matching="greedy").counts["distance"] == 1


# Worked by hand.


def test_matching_first_is_a_rule_and_not_the_global_optimum():
    # Cuts {1, 2} and {2, 3}: two near misses would be cheaper than a match and two additions.
    score = fp.boundary_similarity([1, 1, 2], [2, 1, 1])
    assert score.value == 1 / 3
    assert score.edits == (
        Edit("addition", 1, None, 1.0),
        Edit("match", 2, 2, 0.0),
        Edit("addition", None, 3, 1.0),
    )


def test_nearest_first_can_end_up_dearer():
    a, b = [1, 3, 4], [3, 3, 2]
    greedy = fp.boundary_similarity(a, b, n_t=3, matching="greedy")
    optimal = fp.boundary_similarity(a, b, n_t=3)
    assert (greedy.counts["transpositions"], optimal.counts["transpositions"]) == (1, 2)
    assert greedy.value == 2 / 9
    assert optimal.value == 1 / 3


@pytest.mark.slow
def test_nearest_first_is_optimal_at_2_and_never_better_than_the_optimum():
    below = dict.fromkeys((2, 3, 5, 8), 0)
    for ref, hyp in random_pairs(37, 1500, units=(5, 40)):
        for n_t in below:
            greedy = fp.boundary_similarity(ref, hyp, n_t=n_t, matching="greedy").counts
            optimal = fp.boundary_similarity(ref, hyp, n_t=n_t).counts
            costs = [n_t * (c["missing"] + c["extra"]) + c["distance"] for c in (greedy, optimal)]
            assert costs[0] >= costs[1]
            below[n_t] += costs[0] > costs[1]
    assert below[2] == 0
    assert 0 < below[3] < below[5] < below[8]


def test_crossing_other_boundaries_is_allowed():
    # 3 moves to 6 over the match at 5.
    score = fp.boundary_similarity([3, 2, 5], [5, 1, 4], n_t=4)
    assert [(e.what, e.ref, e.hyp) for e in score.edits] == [
        ("transposition", 3, 6),
        ("match", 5, 5),
    ]


def test_kinds_move_apart_from_each_other():
    ref = Segmentation(9, [3, 3, 6], [1, 2, 3], KINDS)
    hyp = Segmentation(9, [3, 4, 6], [1, 2, 2], KINDS)
    score = fp.boundary_similarity(ref, hyp, types=ORDER)
    rows = [(e.what, e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.cost) for e in score.edits]
    assert rows == [
        ("match", 3, 3, "low", "low", 0.0),
        ("transposition", 3, 4, "middle", "middle", 0.5),
        ("substitution", 6, 6, "high", "middle", 1 / 3),
    ]
    assert score.value == pytest.approx(1 - (1 / 2 + 1 / 3) / 3, abs=2**-53)


def test_substitutions_cost_1_in_s_unless_scaled():
    ref, hyp = Segmentation(6, [3], [1], KINDS), Segmentation(6, [3], [2], KINDS)
    assert fp.segmentation_similarity(ref, hyp).value == 14 / 15
    assert fp.segmentation_similarity(ref, hyp, weights="unit").value == 14 / 15
    scaled = fp.segmentation_similarity(ref, hyp, weights="scaled", types=ORDER).value
    assert scaled == pytest.approx(1 - 1 / 45, abs=2 * 2**-53)
    assert fp.segmentation_similarity(ref, hyp, weights="scaled").value == 1 - 1 / 30


def test_a_given_price_may_make_kinds_equal_or_strangers():
    ref, hyp = Segmentation(6, [3], [1], KINDS), Segmentation(6, [3], [2], KINDS)
    for price in (0.0, 0.5, 1.0):
        given_prices = {("low", "middle"): price, ("low", "high"): 1.0, ("middle", "high"): 1.0}
        score = fp.boundary_similarity(ref, hyp, substitution=given_prices)
        assert score.value == 1 - price
        assert score.counts["substitutions"] == 1


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ({("low", "middle"): 0.5}, "no cost is given for substituting 'high' by 'low'"),
        ({("low", "middle"): 2}, "from 0 to 1, found 2"),
        ({("low", "middle"): -0.5}, "from 0 to 1, found -0.5"),
        ({("low", "middle"): math.nan}, "from 0 to 1, found nan"),
        ({("low", "middle"): 0.5, ("middle", "low"): 0.6}, "the same in both directions"),
        ({"low": 0.5}, "substitution must be"),
        ("ranked", "substitution must be"),
        (np.eye(3), "substitution must be"),
        (None, "substitution must be"),
    ],
)
def test_prices_that_are_none_are_refused(prices, message):
    ref, hyp = Segmentation(6, [3], [1], KINDS), Segmentation(6, [3], [2], KINDS)
    with pytest.raises(MetricError, match=message):
        fp.boundary_similarity(ref, hyp, substitution=prices)


def test_given_prices_enter_the_signature_by_a_digest():
    recipe = fp.boundary_similarity.recipe(substitution=MATRIX)
    digest = recipe.signature().fields["substitution"]
    assert len(digest) == 8 and int(digest, 16) >= 0
    other = fp.boundary_similarity.recipe(substitution={**MATRIX, ("low", "middle"): 0.3})
    assert other.signature() != recipe.signature()
    turned = {(b, a): price for (a, b), price in reversed(MATRIX.items())}
    for same in (turned, MATRIX | turned):
        assert fp.boundary_similarity.recipe(substitution=same) == recipe
        assert fp.boundary_similarity.recipe(substitution=same).signature() == recipe.signature()
    assert fp.parse(recipe.signature()) == recipe


def test_a_digest_of_prices_nobody_made_is_refused():
    with pytest.raises(MetricError, match="substitution must be"):
        fp.parse("boundary_similarity|n_t:2|matching:optimal|substitution:00000000")


def test_twelve_kinds_that_differ_at_one_place_are_paired_at_the_least_price():
    names = [f"{i:02}" for i in range(24)]
    rng = np.random.default_rng(41)
    for _ in range(20):
        a, b = (np.sort(rng.choice(24, size=12, replace=False)) for _ in range(2))
        score = fp.boundary_similarity(
            Segmentation(9, [4] * 12, a + 1, names), Segmentation(9, [4] * 12, b + 1, names)
        )
        only_a, only_b = np.setdiff1d(a, b), np.setdiff1d(b, a)
        cost = abs(only_a[:, None] - only_b[None, :])
        least = int(cost[linear_sum_assignment(cost)].sum())
        assert score.counts["matches"] == 12 - len(only_a)
        assert score.counts["substitutions"] == len(only_a)
        # 24 kinds do not divide the parts of an edit: each price is rounded down by less than 1.
        exact = Fraction(least * PARTS, 24)
        assert 0 <= exact - score.counts["substitution_parts"] < len(only_a) or not len(only_a)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(typed_pairs(max_units=5), min_size=2, max_size=4))
def test_a_task_knows_the_kinds_of_all_its_texts(texts):
    recipe = fp.boundary_similarity.recipe()
    together = recipe.count(Pairs.from_segmentations(*zip(*texts, strict=True)))
    for pair, row in zip(texts, together, strict=True):
        assert row.tolist() == list(expected_counts(pair, 2, "optimal").values())


def test_the_order_of_vocabularies_does_not_matter():
    # Kinds are merged by name, and the order they are merged in must not depend on the side.
    alphabets = [("x", "y"), ("z", "x"), ("y", "z", "x"), ("z",)]
    for first, second in itertools.product(alphabets, repeat=2):
        for i, j in itertools.product(range(len(first)), range(len(second))):
            a, b = Segmentation(6, [3], [i + 1], first), Segmentation(6, [3], [j + 1], second)
            assert fp.boundary_similarity(a, b).value == fp.boundary_similarity(b, a).value


@pytest.mark.parametrize("cost", [True, "0.5", None, -0.1, 1.1, float("nan")])
def test_the_cost_of_a_substitution_is_a_number_from_0_to_1(cost):
    with pytest.raises(MetricError, match=r"substituting .* must be from 0 to 1, found "):
        fp.boundary_similarity.recipe(substitution={("a", "b"): cost})
