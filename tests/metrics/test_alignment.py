"""A: the kernel sweeps over both sides once, the oracle compares all segments with all."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Segmentation
from fencepost.model.checks import MetricError
from oracle import alignment as oracle
from strategies import pairs, random_pairs

A = fp.alignment_similarity
ULP = Fraction(1, 2**53)
WEIGHTS = ["jaccard", "dice", "overlap", "rand"]
weights = st.sampled_from(WEIGHTS)
thresholds = st.sampled_from([None, 0.0, 0.1, 0.2, 0.25, 1 / 3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
CLOSENESS = ["intersect", *WEIGHTS]
TIES = ["jaccard", "jaccard-right", "left", "right"]
aims = st.fixed_dictionaries(
    {"closeness": st.sampled_from(CLOSENESS), "ties": st.sampled_from(TIES)}
)
scorings = st.sampled_from(["mean", "best", "fan-out"])
once = st.fixed_dictionaries({"weight": weights, "edges": st.just("once"), "scoring": scorings})
directed = st.fixed_dictionaries(
    {
        "weight": weights | st.just("intersect"),
        "edges": st.just("directed"),
        "scoring": st.just("mean"),
    }
)
modes = st.builds(lambda mode, aim: {**mode, **aim}, once | directed, aims)


# Each weight is one correctly rounded quotient, at most 2^-53 off. Their sum is exact but for the
# last rounding, and the mean is one more division of a number not larger than 1.
@given(pairs(max_units=16), modes, thresholds)
def test_a_is_the_formula_for_all_weights_edges_scorings_closenesses_and_ties(
    pair, mode, threshold
):
    chosen = {**mode, "threshold": threshold}
    score = A(*pair, **chosen)
    parts = list(oracle.weights_and_divisors(pair, **chosen))
    assert score.counts["edges"] == sum(divisor for _, divisor in parts)
    exact = oracle.alignment_similarity([pair], **chosen)
    assert abs(Fraction(score.value) - exact) <= 4 * ULP


@given(pairs(min_units=30, max_units=90), modes)
def test_longer_texts_are_no_different(pair, mode):
    exact = oracle.alignment_similarity([pair], **mode)
    assert abs(Fraction(A(*pair, **mode).value) - exact) <= 4 * ULP


@given(pairs(max_units=16), st.sampled_from([*WEIGHTS, "intersect"]), aims)
def test_edges_are_listed_once_with_spans_weights_and_labels(pair, weight, aim):
    edges = A(*pair, weight=weight, edges="directed", **aim).edits
    ref, hyp = (oracle.segments(side) for side in pair)
    aligned = oracle.edges_once(pair, **aim)
    labels = oracle.labels(pair, aligned)
    assert [(e.ref, e.hyp) for e in edges] == aligned
    for e in edges:
        p, q = ref[e.ref], hyp[e.hyp]
        assert e.ref_span == (p.start - 1, p.stop - 1)
        assert e.hyp_span == (q.start - 1, q.stop - 1)
        assert e.weight == float(oracle.weigh(weight, p, q, None))
        assert e.label == labels[e.ref, e.hyp]


@given(pairs(max_units=16), thresholds)
def test_the_edges_add_up_to_the_counts(pair, threshold):
    score = A(*pair, threshold=threshold)
    assert score.counts["edges"] == len(score.edits)
    # 64 bits of the sum are kept before the last rounding.
    exact = sum(Fraction(e.weight) for e in score.edits)
    assert abs(Fraction(score.counts["weight"]) - exact) <= ULP * max(1, exact)


@given(pairs(max_units=16), weights, st.sampled_from(["mean", "best", "fan-out"]))
def test_symmetric_weights_give_the_same_score_both_ways(pair, weight, scoring):
    there, back = (A(*p, weight=weight, scoring=scoring) for p in (pair, reversed(pair)))
    assert there.counts == back.counts


@given(pairs(max_units=16))
def test_no_edge_crosses_another_and_every_segment_has_one(pair):
    edges = A(*pair).edits
    for one, other in itertools.pairwise(edges):
        assert one.ref <= other.ref
        assert one.hyp <= other.hyp
    assert {e.ref for e in edges} == set(range(len(pair[0].masses)))
    assert {e.hyp for e in edges} == set(range(len(pair[1].masses)))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.data())
def test_a_coarsening_scores_the_number_of_its_segments_by_that_of_the_reference(masses, data):
    ref = Segmentation.from_masses(masses)
    kept = data.draw(st.sets(st.sampled_from(ref.cuts.tolist()))) if len(masses) > 1 else []
    hyp = Segmentation(ref.units, sorted(kept))
    segments = len(kept) + 1
    score = A(ref, hyp)
    assert score.counts["edges"] == len(masses)
    # Every weight is rounded, the sum of each merged segment's weights is 1.
    assert abs(Fraction(score.value) - Fraction(segments, len(masses))) <= 2 * ULP


# The global alignment, which is ours.


@given(pairs(max_units=10), once, thresholds)
def test_the_global_alignment_is_the_best_of_all_that_reach_every_segment(pair, mode, threshold):
    chosen = {**mode, "threshold": threshold, "alignment": "global"}
    score = A(*pair, **chosen)
    aligned = oracle.global_edges(pair, mode["weight"], threshold)
    assert [(e.ref, e.hyp) for e in score.edits] == aligned
    labels = oracle.labels(pair, aligned)
    assert [e.label for e in score.edits] == [labels[edge] for edge in aligned]
    assert abs(Fraction(score.value) - oracle.alignment_similarity([pair], **chosen)) <= 4 * ULP


@given(pairs(min_units=30, max_units=200), weights)
def test_the_global_alignment_is_never_below_that_of_closest_segments(pair, weight):
    best = A(*pair, weight=weight, alignment="global")
    for closeness in CLOSENESS:
        assert best.value >= A(*pair, weight=weight, closeness=closeness).value - 1e-12
    assert best.counts == A(*reversed(pair), weight=weight, alignment="global").counts
    ref, hyp = (Segmentation(seg.units, seg.units - seg.cuts[::-1]) for seg in pair)
    assert A(ref, hyp, weight=weight, alignment="global").value == pytest.approx(best.value)


def test_the_global_alignment_prefers_the_small_move_of_figure_16_to_the_deletion():
    r, deleted, moved = [1, 8, 1], [9, 1], [3, 6, 1]
    assert A(r, moved).value < A(r, deleted).value
    best = A(r, moved, alignment="global")
    assert best.value > A(r, deleted, alignment="global").value
    assert [(e.ref, e.hyp) for e in best.edits] == [(0, 0), (1, 1), (2, 2)]


# Functions of two segments.


def containment(p, q):
    """The larger part that is common, as a fraction that floats have exactly."""
    return len(set(p) & set(q)) / 64


@given(pairs(max_units=16), once, st.sampled_from(TIES))
def test_a_function_of_two_segments_can_say_what_is_close_and_what_an_edge_weighs(pair, mode, ties):
    chosen = {**mode, "weight": containment, "closeness": containment, "ties": ties}
    score = A(*pair, **chosen)
    exact = oracle.alignment_similarity([pair], **chosen)
    assert abs(Fraction(score.value) - exact) <= 4 * ULP
    aligned = oracle.edges_once(pair, containment, ties)
    assert [(e.ref, e.hyp) for e in score.edits] == aligned


def test_a_function_with_a_direction_is_asked_from_both_sides():
    def of_first(p, q):
        return len(set(p) & set(q)) / len(p)

    for pair in random_pairs(53, 40):
        for named in ({"edges": "directed", "weight": "intersect"}, {"closeness": "intersect"}):
            own = {key: of_first if value == "intersect" else value for key, value in named.items()}
            assert A(*pair, **own).value == A(*pair, **named).value
            assert A(*pair, **own).edits == A(*pair, **named).edits


def test_the_signature_names_a_function_and_a_digest_of_its_code():
    recipe = A.recipe(closeness=containment)
    assert "|closeness:containment@" in recipe.signature()
    assert fp.parse(recipe.signature()) == recipe
    assert recipe != A.recipe(closeness=lambda p, q: 1.0)
    texts = {f"t{n}": pair for n, pair in enumerate(random_pairs(59, 5, (5, 20)))}
    refs, hyps = ({key: pair[side] for key, pair in texts.items()} for side in (0, 1))
    table = fp.score(refs, hyps, metrics=[recipe])
    mean = sum(A(*pair, closeness=containment).value for pair in texts.values()) / 5
    assert table[0]["value"] == pytest.approx(mean)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"weight": lambda p, q: 2}, "lambda@.* must return a number from 0 to 1, found 2.0 for"),
        ({"closeness": lambda p, q: float("nan")}, "must return a finite number, found nan"),
        ({"closeness": lambda p: 0}, r"failed on range\(0, 3\) and range\(0, 2\): TypeError"),
        ({"closeness": "nearest"}, "closeness must be intersect or .* or a Python function"),
        ({"alignment": "global", "ties": "left"}, "closeness and ties do not apply"),
        ({"alignment": "global", "closeness": "rand"}, "closeness and ties do not apply"),
        ({"alignment": "global", "edges": "directed"}, 'it needs edges="once"'),
    ],
)  # fmt: skip
def test_what_a_function_or_a_setting_cannot_be_is_refused(settings, why):
    with pytest.raises(MetricError, match=why):
        A([3, 3], [2, 4], **settings)


# Extremes.


def test_empty_and_one_sided_texts():
    for weight in WEIGHTS:
        assert A([9], [9], weight=weight).value == 1.0
        assert A([1], [1], weight=weight).value == 1.0
    assert A([4, 5], [9]).value == 0.5
    assert A([9], [4, 5]).value == 0.5


def test_a_threshold_turns_light_edges_into_hard_mistakes():
    # Weights 1, 4/5, 1/5, 1/4, 3/4; those of 3/4 stay.
    assert A([5, 5, 1, 3], [5, 4, 1, 4], threshold=0.75).value == pytest.approx(2.55 / 5)
    assert [e.weight for e in A([5, 5, 1, 3], [5, 4, 1, 4], threshold=0.75).edits] == [
        1.0, 0.8, 0.0, 0.0, 0.75,
    ]  # fmt: skip


@pytest.mark.parametrize("weight", WEIGHTS)
def test_an_edge_that_weighs_exactly_the_threshold_counts(weight):
    # 1/3, 2/5, 3/5, 7/10 and their likes are not binary numbers: rounding must not decide.
    for n in range(2, 25):
        for cut in range(1, n):
            exact = oracle.weigh(weight, range(1, n + 1), range(1, cut + 1), None)
            written = float(exact)
            edges = A([n], [cut, n - cut], weight=weight, threshold=written).edits
            assert edges[0].weight == written


def test_the_left_most_rule_is_not_mirror_invariant_and_the_right_most_is_its_mirror():
    # The middle segment of [2, 2, 2] overlaps 3 and 2 by one unit each, and goes to the left.
    assert A([3, 2, 1], [2, 2, 2]).value == 0.5
    assert A([1, 2, 3], [2, 2, 2]).value == 11 / 24
    assert A([1, 2, 3], [2, 2, 2], ties="jaccard-right").value == 0.5


def test_ties_in_overlap_go_to_the_larger_jaccard_and_then_to_the_left():
    # The reference's middle segment overlaps both neighbours by 2; the second one is shorter.
    assert (1, 1) in [(e.ref, e.hyp) for e in A([3, 4, 2], [5, 4]).edits]
    assert [(e.ref, e.hyp) for e in A([2, 4, 3], [4, 5]).edits] == [(0, 0), (1, 0), (2, 1)]


@pytest.mark.parametrize(
    ("ref", "hyp", "labels"),
    [
        ([5, 5], [5, 5], ["match", "match"]),
        ([5, 5], [4, 6], ["shift", "shift"]),
        ([6], [3, 3], ["split", "split"]),
        ([3, 3], [6], ["merge", "merge"]),
        ([5, 5, 1, 3], [5, 4, 1, 4], ["match", "split", "split", "merge", "merge"]),
        ([1, 8, 1], [3, 6, 1], ["mixed", "mixed", "mixed", "match"]),
    ],
)
def test_labels_say_what_happened_to_a_segment(ref, hyp, labels):
    assert [e.label for e in A(ref, hyp).edits] == labels


# Settings that do not go together.


def test_a_weight_with_a_direction_needs_directed_edges():
    with pytest.raises(MetricError, match='"intersect" has a direction: it needs edges="directed"'):
        A([3, 3], [2, 4], weight="intersect")


@pytest.mark.parametrize("scoring", ["best", "fan-out"])
def test_scorings_without_direction_need_edges_counted_once(scoring):
    with pytest.raises(MetricError, match=f'scoring "{scoring}" looks at edges without direction'):
        A([3, 3], [2, 4], edges="directed", scoring=scoring)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_threshold_outside_0_to_1_is_refused(threshold):
    with pytest.raises(MetricError, match="threshold must be a number from 0 to 1"):
        A([3, 3], [2, 4], threshold=threshold)


def test_directed_edges_count_every_segment():
    for ref, hyp in random_pairs(43, 50):
        segments = len(ref.masses) + len(hyp.masses)
        assert A(ref, hyp, edges="directed").counts["edges"] == segments
        assert A(ref, hyp, edges="directed", weight="intersect").value > 0


@pytest.mark.slow
def test_a_million_segments_are_one_sweep():
    rng = np.random.default_rng(47)
    masses = rng.integers(1, 9, size=1_000_000)
    ref = Segmentation.from_masses(masses)
    assert A(ref, ref).counts == {"weight": 1_000_000.0, "edges": 1_000_000.0}
    halves = Segmentation.from_masses(np.repeat(masses, 2))
    doubled = Segmentation.from_masses(2 * masses)
    assert A(doubled, halves).counts == {"weight": 1_000_000.0, "edges": 2_000_000.0}
    best = A(doubled, halves, alignment="global")
    assert best.counts == {"weight": 1_000_000.0, "edges": 2_000_000.0}


def mean_of_divided_edges(pair: Any) -> Fraction:
    """The other reading of fan-out: each edge's own weight is divided, and the mean taken."""
    parts = list(oracle.weights_and_divisors(pair, "jaccard", "once", None, "fan-out"))
    return sum((w / divisor for w, divisor in parts), Fraction(0)) / len(parts)


def test_fan_out_divides_the_sum_because_dividing_each_edge_would_reward_the_mixture():
    # Figure 9 of diaz2022: two right segments and a mixture of four, or three merged pairs. A
    # score that punishes segments with many alignments must prefer the pairs.
    r, mixture, merged = ([2] * 6, [2, 2, 8], [4, 4, 4])
    texts = [tuple(Segmentation.from_masses(m) for m in (r, h)) for h in (mixture, merged)]
    assert A(*texts[0], scoring="fan-out").value < A(*texts[1], scoring="fan-out").value
    assert mean_of_divided_edges(texts[0]) > mean_of_divided_edges(texts[1])
