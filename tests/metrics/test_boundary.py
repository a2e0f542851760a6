"""Boundary metrics: the kernel walks once from left to right, the oracle tries every pairing."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import fencepost as fp
from fencepost import Pairs, Segmentation
from fencepost.metrics.boundary import tolerances as tolerances_of
from fencepost.model.checks import MetricError
from oracle import boundary as oracle
from strategies import pairs, random_pairs

PRF = [fp.boundary_precision, fp.boundary_recall, fp.boundary_f]
tolerances = st.integers(0, 13) | st.sampled_from(["0%", "5%", "12.5%", "50%", "100%", "250%"])
ends = st.sampled_from(["exclude", "include"])

# Multiples of 1/1024 and their likes: nothing is lost on the way to whole billionths.
costs = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 7.25, 1000.0])


@given(pairs(), tolerances, ends)
def test_counts_are_those_of_the_largest_one_to_one_matching(pair, tolerance, ends):
    tp, fp_, fn = oracle.matched([pair], tolerance, ends)
    for metric in PRF:
        score = metric(*pair, tolerance=tolerance, ends=ends)
        assert score.counts == {"tp": tp, "fp": fp_, "fn": fn}
    assert fp.boundary_precision(*pair, tolerance=tolerance, ends=ends).value == float(
        oracle.boundary_precision([pair], tolerance=tolerance, ends=ends)
    )
    assert fp.boundary_recall(*pair, tolerance=tolerance, ends=ends).value == float(
        oracle.boundary_recall([pair], tolerance=tolerance, ends=ends)
    )


# With a beta whose square is a short binary number the only rounding is the last division.
@given(pairs(), tolerances, ends, st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 4.0]))
def test_f_is_the_weighted_harmonic_mean(pair, tolerance, ends, beta):
    exact = oracle.boundary_f([pair], tolerance=tolerance, beta=beta, ends=ends)
    assert fp.boundary_f(*pair, tolerance=tolerance, beta=beta, ends=ends).value == float(exact)


@pytest.mark.parametrize("tolerance", [1, 2, 5, 30])
def test_the_matching_is_the_largest_on_long_texts_too(tolerance):
    for ref, hyp in random_pairs(23, 40, units=(200, 600)):
        near = abs(ref.cuts[:, None] - hyp.cuts[None, :]) <= tolerance
        largest = 0
        if near.any():
            largest = int((maximum_bipartite_matching(csr_array(near)) >= 0).sum())
        assert fp.boundary_f(ref, hyp, tolerance=tolerance).counts["tp"] == largest


def test_no_cut_is_matched_twice():
    # Both hypothesis cuts are near the one reference cut: many-to-one would count two of one.
    score = fp.boundary_recall([5, 5], [4, 2, 4], tolerance=1)
    assert score.counts == {"tp": 1, "fp": 1, "fn": 0}


def test_nearest_first_would_miss_a_match():
    # Reference cuts 2 and 4, hypothesis 1 and 3, tolerance 1. Whoever takes the pair (2, 3) of
    # equals first leaves 1 and 4 alone; 1-2 and 3-4 both match.
    assert fp.boundary_f([2, 2, 2], [1, 2, 3], tolerance=1).counts["tp"] == 2


def test_the_worked_example():
    r, h = [3, 4, 5], [4, 3, 2, 3]
    assert fp.boundary_precision(r, h).value == 1 / 3
    assert fp.boundary_recall(r, h).value == 1 / 2
    assert fp.boundary_f(r, h).value == 0.4
    assert fp.boundary_precision(r, h, tolerance=1).value == 2 / 3
    assert fp.boundary_recall(r, h, tolerance=1).value == 1.0
    assert fp.boundary_f(r, h, tolerance=1).value == 0.8


def test_a_share_is_of_the_mean_reference_segment():
    ref, hyp = [20, 20, 20], [22, 18, 20]  # the cut is 2 off; the mean is 20
    assert fp.boundary_f(ref, hyp, tolerance="10%").counts["tp"] == 2
    assert fp.boundary_f(ref, hyp, tolerance="9.9%").counts["tp"] == 1


@pytest.mark.parametrize("metric", PRF, ids=lambda m: m.name)
def test_extremes_of_precision_recall_and_f(metric):
    assert metric([9], [9]).value == 1.0
    assert metric([1], [1]).value == 1.0
    assert metric([4, 5], [9]).value == 0.0
    assert metric([9], [4, 5]).value == 0.0
    assert metric([1], [1], ends="include").counts == {"tp": 1, "fp": 0, "fn": 0}


@pytest.mark.parametrize("tolerance", [-1, 1.0, math.nan, True, None, "5", "x%", "-5%", []])
def test_a_tolerance_that_is_none_is_refused(tolerance):
    with pytest.raises(MetricError, match="tolerance must be a whole number of units from 0 up"):
        fp.boundary_f([3, 3], [2, 4], tolerance=tolerance)


@pytest.mark.parametrize("beta", [-1.0, math.nan, math.inf, "1", True, 1e200])
@pytest.mark.parametrize("metric", [fp.boundary_f, fp.b_f], ids=lambda m: m.name)
def test_a_beta_that_gives_no_number_is_refused(metric, beta):
    with pytest.raises(MetricError, match="beta must be a number from 0"):
        metric([3, 3], [2, 4], beta=beta)


# Agreement on places.


@given(pairs())
def test_agreement_is_the_share_of_places_on_which_both_agree(pair):
    exact = oracle.boundary_agreement([pair])
    value = fp.boundary_agreement(*pair).value
    assert math.isnan(value) if exact is None else value == float(exact)


def test_the_opening_example_of_diaz2022():
    ref = Segmentation.from_bits("00100")
    assert fp.boundary_agreement(ref, Segmentation.from_bits("00000")).value == 4 / 5
    assert fp.boundary_agreement(ref, Segmentation.from_bits("00010")).value == 3 / 5


# Generalized Hamming distance.


@given(pairs(), costs, costs, costs)
def test_hamming_is_the_last_cell_of_the_table(pair, insert, delete, shift):
    exact = oracle.generalized_hamming([pair], insert=insert, delete=delete, shift=shift)
    score = fp.generalized_hamming(*pair, insert=insert, delete=delete, shift=shift)
    assert score.counts == {"nanocost": exact * 10**9, "texts": 1}
    assert score.value == float(exact)


@given(pairs(min_units=20, max_units=60), costs, costs, costs)
def test_hamming_of_longer_texts(pair, insert, delete, shift):
    exact = oracle.generalized_hamming([pair], insert=insert, delete=delete, shift=shift)
    score = fp.generalized_hamming(*pair, insert=insert, delete=delete, shift=shift)
    assert score.counts["nanocost"] == exact * 10**9


@pytest.mark.parametrize(("costs", "distance"), [((2, 2, 1), 3.0), ((4, 4, 2), 6.0)])
def test_hamming_doubles_with_its_costs(costs, distance):
    insert, delete, shift = costs
    score = fp.generalized_hamming(
        [3, 4, 5], [4, 3, 2, 3], insert=insert, delete=delete, shift=shift
    )
    assert score.value == distance


def test_missing_cuts_are_inserted_and_superfluous_ones_deleted():
    assert fp.generalized_hamming([2, 2, 2], [6], insert=3, delete=5).value == 6.0
    assert fp.generalized_hamming([6], [2, 2, 2], insert=3, delete=5).value == 10.0


def test_extremes_of_hamming():
    assert fp.generalized_hamming([1], [1]).value == 0.0
    assert fp.generalized_hamming([9], [9]).value == 0.0
    assert fp.generalized_hamming([4, 5], [9]).value == 2.0


def test_costs_that_would_leave_64_bits_are_refused_or_right():
    # 20,000 insertions at a million each are 2e10, 2e19 billionths: more than 64 bits hold.
    with pytest.raises(MetricError, match="too large"):
        fp.generalized_hamming([1] * 20_001, [20_001], insert=1e6)
    assert fp.generalized_hamming([1] * 20_001, [20_001], insert=1e3).value == 2e7


@pytest.mark.parametrize("shift", [1e-9, 0.0])
def test_far_moves_on_the_longest_text(shift):
    score = fp.generalized_hamming(
        Segmentation(2**40, [1]), Segmentation(2**40, [2**40 - 1]), shift=shift
    )
    assert score.value == min(4.0, shift * (2**40 - 2))


@pytest.mark.parametrize("name", ["insert", "delete", "shift"])
@pytest.mark.parametrize("cost", [-1, math.nan, math.inf, "2", True, 1e7])
def test_a_cost_that_is_none_is_refused(name, cost):
    with pytest.raises(MetricError, match=f"{name} must be a number from 0 to 1e\\+06"):
        fp.generalized_hamming([3, 3], [2, 4], **{name: cost})


# Covering.


@given(pairs())
def test_covering_takes_the_best_segment_for_each(pair):
    exact = oracle.covering([pair])
    score = fp.covering(*pair)
    assert score.counts["units"] == pair[0].units
    # Each weight and product is rounded once, the compensated sum and the quotient once more.
    assert abs(Fraction(score.value) - exact) <= 4 * Fraction(1, 2**53)


def test_extremes_of_covering():
    assert fp.covering([1], [1]).value == 1.0
    assert fp.covering([9], [9]).value == 1.0
    assert fp.covering([5, 5], [10]).value == 0.5
    assert fp.covering([10], [5, 5]).value == 0.5
    assert fp.covering([10], [2, 8]).value == 0.8


def test_covering_is_not_symmetric():
    assert fp.covering([5, 5], [2, 8]).value != fp.covering([2, 8], [5, 5]).value


# Advice.


@pytest.mark.parametrize(
    ("metric", "settings", "noted"),
    [
        (fp.boundary_f, {}, True),
        (fp.boundary_f, {"tolerance": 2}, True),
        (fp.boundary_f, {"tolerance": 3}, False),
        (fp.boundary_f, {"tolerance": "1%"}, True),  # 2 units: rounded down, under 1%
        (fp.boundary_f, {"tolerance": "5%"}, False),
        (fp.boundary_similarity, {}, True),
        (fp.boundary_similarity, {"n_t": 3}, False),
        (fp.segmentation_similarity, {}, True),
    ],
)
def test_a_note_warns_where_units_are_so_small_that_near_misses_vanish(metric, settings, noted):
    def notes(mean: int) -> Any:
        text = Segmentation.from_masses([mean, mean])
        recipe = metric.recipe(**settings)
        return recipe.notes(recipe.tally(Pairs.from_segmentations([text], [text])))

    assert bool(notes(250)) == noted
    assert notes(200) == []


def test_cuts_two_characters_late_are_almost_right_to_windows_and_all_wrong_to_cuts():
    rng = np.random.default_rng(0)
    masses = rng.integers(900, 1101, size=200)
    ref = Segmentation.from_masses(masses)
    late = Segmentation(ref.units, ref.cuts + 2)
    assert round(fp.windowdiff(ref, late).value, 3) == 0.004
    assert fp.boundary_similarity(ref, late).value == 0.0
    assert fp.boundary_f(ref, late).value == 0.0


# Sections, and what chunkers do to them.


@given(pairs(), tolerances)
def test_sections_are_cut_and_joined_as_the_definition_says(pair, tolerance):
    tau = oracle.reach(pair[0], tolerance)
    sections = oracle.segments(pair[0])
    counts = {
        "cut": sum(oracle.is_cut(s, pair[1], tau) for s in sections),
        "joined": sum(oracle.is_joined(s, *pair, tau) for s in sections),
        "sections": len(sections),
    }
    assert fp.sections_cut(*pair, tolerance=tolerance).counts == counts
    assert fp.sections_joined(*pair, tolerance=tolerance).counts == counts
    recipe = fp.sections_cut.recipe(tolerance=tolerance)
    flat = Pairs.from_segmentations([pair[0]] * 3, [pair[1]] * 3)
    assert recipe.count(flat).tolist() == [list(counts.values())] * 3


@given(pairs())
def test_all_boundaries_are_found_where_no_section_is_joined(pair):
    assert (fp.sections_joined(*pair).value == 0) == (fp.boundary_recall(*pair).counts["fn"] == 0)
    assert (fp.sections_cut(*pair).value == 0) == (fp.boundary_recall(*pair).counts["fp"] == 0)


@pytest.mark.parametrize("tolerance", ["1.0000001%", "0.0000000000000000001%", "104857600.1%"])
def test_a_share_with_too_many_digits_is_refused(tolerance):
    ref, hyp = [5, 5, 10], [5, 6, 9]
    one = Pairs.from_segmentations(*([Segmentation.from_masses(side)] for side in (ref, hyp)))
    with pytest.raises(MetricError, match=f"tolerance {tolerance} has too many digits"):
        fp.boundary_f(ref, hyp, tolerance=tolerance)
    with pytest.raises(MetricError, match="has too many digits"):
        fp.parse(f"F:tolerance={tolerance}").count(one)


def test_a_share_with_many_digits_counts_as_it_is_written():
    # 15.000001% of a mean segment of 20 units is a little more than 3 units.
    ref, hyp = [20, 20], [17, 23]
    assert fp.boundary_f(ref, hyp, tolerance="15%").value == 1
    assert fp.boundary_f(ref, hyp, tolerance="14.9999%").value == 0
    # Shares below 2^20 are exact: 59.9999% of 20 units are 11, 104857500% all that there are.
    for share, units in (("59.9999%", 11), ("60%", 12), ("104857500%", 20_971_500)):
        one = Pairs.from_segmentations(
            [Segmentation.from_masses(ref)], [Segmentation.from_masses(hyp)]
        )
        assert tolerances_of(one, share).tolist() == [units]
