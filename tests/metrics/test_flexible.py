"""Flexible similarity: one exact alignment of typed boundaries, the oracle tries every pairing."""

import itertools
import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Costs, Edit, MetricError, Pairs, Segmentation, SegmentationError
from fencepost.coders.annotations import Annotations
from fencepost.metrics.costs import CostsError
from oracle import flexible as oracle
from strategies import KINDS, fitting, pairs, random_pairs
from support import PEAK, python

NANO = 10**9
ULP = Fraction(1, 2**53)
S_f = fp.flexible_similarity

# Random costs. They have at most two decimals, so that whole billionths hold them exactly.

shares = st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0])
steps = st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.6, 1.0, 3.0])


def made(similarity: Any, moving: Any = None, *, symmetric: bool = True) -> Costs:
    """Costs of the three kinds, whatever there is to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Costs.from_matrix(KINDS, similarity, moving=moving, symmetric=symmetric)


@st.composite
def costs(draw: Any, both_ways: bool | None = None) -> Costs:
    """Similarities and costs of moving, often other ones from b to a than from a to b."""
    size = len(KINDS) + 1
    square = np.eye(size)
    same_back = draw(st.booleans()) if both_ways is None else both_ways
    for i, j in itertools.combinations(range(size), 2):
        square[i, j] = draw(shares)
        square[j, i] = square[i, j] if same_back else draw(shares)
    moving = draw(st.dictionaries(st.sampled_from(KINDS), steps))
    return made(square, moving, symmetric=same_back)


@st.composite
def annotations(draw: Any, units: int, most: int = 5) -> Segmentation:
    """One boundary at a place, the end of the text included."""
    found = draw(st.dictionaries(st.integers(1, units), st.integers(1, 3), max_size=most))
    return Segmentation(units, sorted(found), [found[p] for p in sorted(found)], KINDS)


@st.composite
def two(draw: Any, max_units: int = 12, most: int = 5) -> tuple[Segmentation, Segmentation]:
    """Two annotators of one text."""
    units = draw(st.integers(1, max_units))
    return draw(annotations(units, most)), draw(annotations(units, most))


FREE_TO_DELETE = made([[1, 0, 0, 1], [0, 1, 0.5, 0], [0, 0.5, 1, 0.25], [1, 0, 0.25, 1]])
FREE_TO_MOVE = made(np.eye(4), dict.fromkeys(KINDS, 0))
EVERYTHING_ALIKE = made(np.ones((4, 4)))
some_costs = st.one_of(
    costs(),
    st.sampled_from([Costs.identity(), Costs.positions()]),
    st.sampled_from([FREE_TO_DELETE, FREE_TO_MOVE, EVERYTHING_ALIKE]),
)


def cost_of(score: Any) -> Fraction:
    return Fraction(score.counts["nanocost"], NANO)


def counted(score: Any) -> tuple[Fraction, int, int, int]:
    c = score.counts
    return cost_of(score), c["edits"], c["matches"], c["units"]


def text(written: str) -> Segmentation:
    """One character for each unit; an underscore is no boundary."""
    return Segmentation.from_marks(["" if mark == "_" else mark for mark in written])


# The alignment.


@given(two(), some_costs, st.booleans())
def test_the_recursion_finds_what_trying_everything_finds(pair, costs, symmetric):
    prices = oracle.Prices(costs, symmetric)
    assert oracle.recursion(pair, prices) == oracle.totals([pair], costs, symmetric)[:3]


@given(two(), some_costs, st.booleans())
def test_cost_and_edits_are_those_of_the_best_of_all_alignments(pair, costs, symmetric):
    for both in (pair, pair[::-1]):
        score = S_f(*both, costs=costs, symmetric=symmetric)
        assert counted(score) == oracle.totals([both], costs, symmetric)


@given(pairs(), st.booleans())
def test_boundaries_without_kinds_are_of_one_kind(pair, symmetric):
    for costs in (Costs.identity(), Costs.positions()):
        score = S_f(*pair, costs=costs, symmetric=symmetric)
        assert counted(score) == oracle.totals([pair], costs, symmetric)


@given(two(), some_costs, st.booleans())
def test_the_record_is_the_left_most_of_the_best_alignments(pair, costs, symmetric):
    for both in (pair, pair[::-1]):
        best = oracle.align(both, oracle.Prices(costs, symmetric))
        record = S_f(*both, costs=costs, symmetric=symmetric).edits
        expected = sorted(
            (
                Edit(s.what, s.ref, s.hyp, float(s.cost), s.ref_kind, s.hyp_kind)  # type: ignore[arg-type]
                for s in best
            ),
            key=lambda edit: edit.start,
        )
        assert list(record) == expected


@given(two(max_units=40, most=12), some_costs, st.booleans())
def test_every_boundary_is_in_exactly_one_operation(pair, costs, symmetric):
    record = S_f(*pair, costs=costs, symmetric=symmetric).edits
    for side, seg in zip(("ref", "hyp"), pair, strict=True):
        used = [(getattr(e, side), getattr(e, f"{side}_kind")) for e in record]
        assert sorted(u for u in used if u != (None, None)) == sorted(oracle.marks(seg).items())
    assert [e.start for e in record] == sorted({e.start for e in record})


@given(two(max_units=40, most=12), some_costs, st.booleans())
def test_every_operation_is_called_what_it_is(pair, costs, symmetric):
    for e in S_f(*pair, costs=costs, symmetric=symmetric).edits:
        same_place, same_kind = e.ref == e.hyp, e.ref_kind == e.hyp_kind
        if e.hyp is None:
            assert (e.what, e.side) == ("deletion", "ref")
        elif e.ref is None:
            assert (e.what, e.side) == ("insertion", "hyp")
        elif same_place:
            assert e.what == ("match" if same_kind else "substitution")
        else:
            assert e.what == ("move" if same_kind else "move+substitution")


@given(two(max_units=40, most=12), some_costs, st.booleans())
def test_operations_cost_what_the_prices_say_and_add_up_to_the_score(pair, costs, symmetric):
    score = S_f(*pair, costs=costs, symmetric=symmetric)
    prices = oracle.Prices(costs, symmetric)
    for e in score.edits:
        if e.ref is None or e.hyp is None:
            expected = prices.change(e.ref_kind or "none", e.hyp_kind or "none")
        else:
            expected = prices.pair(e.ref, e.ref_kind, e.hyp, e.hyp_kind)
        assert e.cost == float(expected)
    assert sum(round(Fraction(e.cost) * NANO) for e in score.edits) == score.counts["nanocost"]
    matches = sum(e.what == "match" for e in score.edits)
    assert score.counts["matches"] == matches
    assert score.counts["edits"] == len(score.edits) - matches


@given(two(max_units=40, most=12), some_costs)
def test_no_two_operations_cross(pair, costs):
    paired = [(e.ref, e.hyp) for e in S_f(*pair, costs=costs).edits if e.side is None]
    assert sorted(p for p, _ in paired) == [p for p, _ in sorted(paired)]
    assert [q for _, q in sorted(paired)] == sorted(q for _, q in paired)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(
    "moving", [{}, dict.fromkeys(KINDS, 0), {"low": 0.01, "middle": 0, "high": 2}]
)
def test_long_texts_agree_with_the_recursion_over_whole_blocks(moving, symmetric):
    square = [[1, 0.5, 0.25, 0], [0.5, 1, 0.5, 0.3], [0.25, 0.5, 1, 0.1], [0, 0.3, 0.1, 1]]
    costs = made(square, moving)
    for pair in fitting("kinds+end", random_pairs(41, 12, units=(50, 150), names=KINDS)):
        score = S_f(*pair, costs=costs, symmetric=symmetric)
        assert counted(score)[:3] == oracle.recursion(pair, oracle.Prices(costs, symmetric))
        assert sum(round(Fraction(e.cost) * NANO) for e in score.edits) == score.counts["nanocost"]


# Ties.


def test_a_boundary_is_moved_only_where_that_is_cheaper():
    near, far = (S_f(text("p" + "_" * d), text("_" * d + "p")) for d in (3, 4))
    assert [e.what for e in near.edits] == ["move"]
    assert [e.what for e in far.edits] == ["deletion", "insertion"]
    assert (cost_of(near), cost_of(far)) == (Fraction(3, 2), 2)


@pytest.mark.parametrize("denominator", [3, 7, 11, 13, 97, 999, 7919])
def test_moving_by_four_units_is_a_tie_whatever_deleting_costs(denominator):
    # A move costs half of deleting a unit; four of them are deleting and inserting, also where
    # decimals do not end.
    for numerator in range(1, min(denominator, 12)):
        costs = Costs.from_dict({("p", "none"): numerator / denominator})
        tie = S_f(text("p____"), text("____p"), costs=costs)
        assert [e.what for e in tie.edits] == ["deletion", "insertion"]
        assert tie.counts["edits"] == 2
        assert [e.what for e in S_f(text("p___"), text("___p"), costs=costs).edits] == ["move"]


def test_moving_between_kinds_that_are_alike_by_four_units_is_a_tie_too():
    for p, q in [(3, 7), (3, 11), (7, 13), (11, 97)]:
        given = {("p", "q"): 1, ("p", "none"): 1 / p, ("q", "none"): 1 / q}
        tie = S_f(text("p____"), text("____q"), costs=given)
        assert tie.counts["edits"] == 2
        assert S_f(text("p___"), text("___q"), costs=given).counts["edits"] == 1


def test_a_kind_that_is_free_to_delete_is_never_moved():
    score = S_f(text("p_"), text("_p"), costs={("p", "none"): 1})
    assert [(e.what, e.cost) for e in score.edits] == [("deletion", 0.0), ("insertion", 0.0)]
    assert score.counts == {"nanocost": 0, "edits": 2, "matches": 0, "units": 2}


def test_a_kind_that_is_free_to_move_is_moved_over_any_distance():
    far = [Segmentation(2**40, [place], [1], ["p"]) for place in (1, 2**40)]
    costs = Costs.from_dict({}, moving={"p": 0})
    (edit,) = S_f(*far, costs=costs).edits
    assert (edit.what, edit.ref, edit.hyp, edit.cost) == ("move", 1, 2**40, 0.0)


def test_costs_that_would_leave_64_bits_are_refused():
    far = [Segmentation(2**40, [place], [kind], ["p", "q"]) for place, kind in ((1, 1), (2**40, 2))]
    costs = Costs.from_dict({}, moving={"p": 999_999, "q": 0})
    with pytest.raises(CostsError, match="too large for a text of this length"):
        S_f(*far, costs=costs)


# The value.


@given(st.lists(two(), min_size=1, max_size=3), st.booleans())
def test_the_value_of_short_binary_costs_is_the_correctly_rounded_quotient(texts, symmetric):
    eighths = [[1, 0.5, 0.25, 0.25], [0.5, 1, 0.75, 0], [0.25, 0.75, 1, 0.5], [0.25, 0, 0.5, 1]]
    costs = made(eighths)
    for norm in ("units", "edits"):
        recipe = S_f.recipe(costs=costs, norm=norm, symmetric=symmetric)
        counts = recipe.count(Pairs.from_segmentations(*zip(*texts, strict=True)))
        exact = oracle.flexible_similarity(texts, costs=costs, norm=norm, symmetric=symmetric)
        assert float(recipe.value(counts.sum(axis=0, keepdims=True))[0]) == float(exact)


@given(two(), some_costs, st.booleans(), st.sampled_from(["units", "edits"]))
def test_the_value_is_the_formula(pair, costs, symmetric, norm):
    chosen = {"costs": costs, "symmetric": symmetric, "norm": norm}
    exact = oracle.flexible_similarity([pair], **chosen)
    # The cost, its difference from the whole and the quotient are rounded; the cost and the
    # whole are not above 24.
    assert abs(Fraction(S_f(*pair, **chosen).value) - exact) <= 50 * ULP


def test_figure_2_of_the_paper():
    a, b = (Segmentation.from_marks([m.strip() for m in line]) for line in ("p r q", "qr pr"))
    score = S_f(a, b)
    assert counted(score) == (Fraction(7, 2), 4, 0, 5)
    assert score.value == 0.3
    assert S_f(a, b, norm="edits").value == 0.125


def test_s_f_b_can_be_negative_and_stays_above_minus_1():
    assert S_f(text("p_"), text("_q"), norm="edits").value == -0.5


@given(two(), costs())
def test_the_value_is_at_most_1_and_at_least_0_or_minus_1(pair, costs):
    assert 0 <= S_f(*pair, costs=costs).value <= 1
    assert -1 < S_f(*pair, costs=costs, norm="edits").value <= 1


@pytest.mark.parametrize("norm", ["units", "edits"])
def test_no_boundary_on_either_side_is_perfect(norm):
    assert S_f(text("___"), text("___"), norm=norm).value == 1.0
    assert S_f([3], [3], norm=norm).value == 1.0
    assert S_f([1], [1], norm=norm).value == 1.0


def test_the_end_of_a_text_is_a_place():
    assert S_f(text("p"), text("q")).counts == {
        "nanocost": NANO,
        "edits": 1,
        "matches": 0,
        "units": 1,
    }
    assert S_f(text("__p"), text("__p")).counts["matches"] == 1


def test_which_moving_cost_counts_between_two_kinds():
    given = Costs.from_dict({("p", "q"): 0.9}, moving={"p": 0.1, "q": 0.4})
    a, b = text("p__"), text("_q_")
    assert cost_of(S_f(a, b, costs=given)) == Fraction(35, 100)
    assert cost_of(S_f(b, a, costs=given)) == Fraction(35, 100)
    assert cost_of(S_f(a, b, costs=given, symmetric=False)) == Fraction(50, 100)
    assert cost_of(S_f(b, a, costs=given, symmetric=False)) == Fraction(20, 100)


def test_an_asymmetric_matrix_reads_from_the_first_annotator_to_the_second():
    given = Costs.from_dict(
        {("p", "q"): 0.9, ("q", "p"): 0.2, ("p", "none"): 0.3, ("none", "p"): 0.6},
        symmetric=False,
    )
    p, q, nothing = text("p"), text("q"), text("_")
    assert cost_of(S_f(p, q, costs=given)) == Fraction(1, 10)
    assert cost_of(S_f(q, p, costs=given)) == Fraction(8, 10)
    assert cost_of(S_f(p, nothing, costs=given)) == Fraction(7, 10)
    assert cost_of(S_f(nothing, p, costs=given)) == Fraction(4, 10)


def test_boundaries_do_not_cross_though_that_could_be_cheaper():
    score = S_f(text("p__q_"), text("_qp__"))
    assert counted(score)[:2] == (3, 3)


def test_a_boundary_that_both_have_is_a_pair_even_where_that_is_dearer():
    # Moving both p to the neighbours would cost 1 in all; the places they share come first.
    score = S_f(text("pp_"), text("_pp"))
    assert [e.what for e in score.edits] == ["deletion", "match", "insertion"]


# Laws.


@given(annotations(units=12), costs(), st.booleans(), st.sampled_from(["units", "edits"]))
def test_identical_annotations_give_1(seg, costs, symmetric, norm):
    score = S_f(seg, seg, costs=costs, symmetric=symmetric, norm=norm)
    assert score.value == 1.0
    assert {e.what for e in score.edits} <= {"match"}


@given(two(max_units=30, most=10), costs(both_ways=True), st.sampled_from(["units", "edits"]))
def test_it_is_symmetric_where_the_costs_are(pair, costs, norm):
    there, back = (S_f(*both, costs=costs, norm=norm) for both in (pair, pair[::-1]))
    assert there.value == back.value
    assert there.counts == back.counts
    turned = {"deletion": "insertion", "insertion": "deletion"}
    mirrored = [
        Edit(turned.get(e.what, e.what), e.hyp, e.ref, e.cost, e.hyp_kind, e.ref_kind)  # type: ignore[arg-type]
        for e in there.edits
    ]
    assert list(back.edits) == mirrored


def single(kind: str) -> Segmentation:
    return Segmentation.from_marks([kind], KINDS)


def joined(first: Segmentation, between: str, second: Segmentation) -> Segmentation:
    """Two texts with one unit between them that ends in a boundary."""
    places = [p + first.units + 1 for p in second.cuts.tolist()]
    cuts = [*first.cuts.tolist(), first.units + 1, *places]
    kinds = [*first.kinds.tolist(), KINDS.index(between) + 1, *second.kinds.tolist()]
    return Segmentation(first.units + 1 + second.units, cuts, kinds, KINDS)


@given(two(), two(), costs(), st.booleans(), st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_blocks_on_both_sides_of_a_shared_place_add_up(left, right, costs, symmetric, a, b):
    chosen = {"costs": costs, "symmetric": symmetric}
    whole = S_f(joined(left[0], a, right[0]), joined(left[1], b, right[1]), **chosen)
    parts = [
        S_f(*left, **chosen),
        S_f(*right, **chosen),
        S_f(single(a), single(b), **chosen),
    ]
    for name in whole.counts:
        assert whole.counts[name] == sum(part.counts[name] for part in parts)


def widened(costs: Costs, like: float) -> Costs:
    """The same costs with one more kind, in front of the others."""
    size = len(KINDS) + 2
    square = np.full((size, size), like)
    square[0, 0] = 1
    square[1:, 1:] = costs.similarity
    moving = {"other": 0.01, **dict(zip(KINDS, costs.moving.tolist(), strict=True))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Costs.from_matrix(("other", *KINDS), square, moving=moving, symmetric=False)


@given(two(), costs(), st.booleans(), shares)
def test_a_kind_that_nobody_uses_changes_nothing(pair, costs, symmetric, like):
    score = S_f(*pair, costs=costs, symmetric=symmetric)
    more = widened(costs, like)
    same = S_f(*pair, costs=more, symmetric=symmetric)
    assert (same.value, same.counts, same.edits) == (score.value, score.counts, score.edits)
    named = [Segmentation(s.units, s.cuts, s.kinds + 1, ("other", *KINDS)) for s in pair]
    again = S_f(*named, costs=more, symmetric=symmetric)
    assert (again.value, again.counts, again.edits) == (score.value, score.counts, score.edits)


def test_a_kind_that_is_only_named_need_not_be_in_the_costs():
    costs = {("p", "q"): 0.5}
    bare = S_f(text("p_q"), text("_pq"), costs=costs)
    named = [Segmentation.from_marks(["p", "", "q"], ["p", "q", "x"]), text("_pq")]
    assert S_f(*named, costs=costs).counts == bare.counts


@given(two(max_units=30, most=10), costs(), st.booleans())
def test_it_never_costs_more_than_deleting_and_inserting_all(pair, costs, symmetric):
    # Where both have a boundary and no substitution is dearer than deleting and inserting.
    prices = oracle.Prices(costs, symmetric)
    a, b = (oracle.marks(seg) for seg in pair)
    dear = any(
        prices.change(x, y) > prices.change(x, "none") + prices.change("none", y)
        for x in KINDS
        for y in KINDS
    )
    everything = sum(prices.change(k, "none") for k in a.values()) + sum(
        prices.change("none", k) for k in b.values()
    )
    if not dear:
        assert cost_of(S_f(*pair, costs=costs, symmetric=symmetric)) <= everything


@given(two(max_units=20, most=8), costs(), st.booleans(), st.integers(1, 50))
def test_units_in_front_change_only_the_number_of_units(pair, costs, symmetric, more):
    score = S_f(*pair, costs=costs, symmetric=symmetric)
    later = [Segmentation(s.units + more, s.cuts + more, s.kinds, KINDS) for s in pair]
    shifted = S_f(*later, costs=costs, symmetric=symmetric)
    assert shifted.counts == {**score.counts, "units": score.counts["units"] + more}
    assert [(e.what, e.start, e.end, e.cost) for e in shifted.edits] == [
        (e.what, e.start + more, e.end + more, e.cost) for e in score.edits
    ]


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_an_annotator_who_is_always_late_by_as_much_costs_that_for_every_boundary(distance):
    places = np.arange(10, 1000, 10)
    early, late = (Segmentation(1000, p, [1] * len(p), ["p"]) for p in (places, places + distance))
    score = S_f(early, late)
    assert cost_of(score) == Fraction(distance, 2) * len(places)
    assert {e.what for e in score.edits} == {"move"}


@given(st.lists(two(), min_size=1, max_size=3), costs(), st.sampled_from(["units", "edits"]))
def test_streams_of_a_text_are_added(streams, costs, norm):
    recipe = S_f.recipe(costs=costs, norm=norm)
    refs, hyps = (
        {("talk", f"speaker {i}"): pair[side] for i, pair in enumerate(streams)} for side in (0, 1)
    )
    table = fp.score(refs, hyps, metrics=[recipe], baselines=False)
    (row,) = table.rows
    assert row["n"] == 1
    exact = oracle.flexible_similarity(streams, costs=costs, norm=norm)
    assert abs(Fraction(row["value"]) - exact) <= 100 * ULP
    counts = recipe.count(Pairs.from_segmentations(*zip(*streams, strict=True)))
    assert row["value"] == float(recipe.value(counts.sum(axis=0, keepdims=True))[0])


def test_texts_are_averaged_and_streams_are_not():
    refs = {("a", "F"): text("p_p_"), ("a", "M"): text("p"), ("b", "F"): text("p_")}
    hyps = {("a", "F"): text("p_p_"), ("a", "M"): text("q"), ("b", "F"): text("q_")}
    (row,) = fp.score(refs, hyps, metrics="Sf", baselines=False).rows
    assert (row["n"], row["value"]) == (2, (4 / 5 + 1 / 2) / 2)


# What it is called, and what it says.


def test_short_names_are_read():
    assert fp.parse("Sf") == S_f.recipe()
    assert fp.parse("SfB") == S_f.recipe(norm="edits")
    assert fp.parse("sfb:symmetric=no,costs=lai2023") == S_f.recipe(
        norm="edits", symmetric=False, costs="lai2023"
    )


def test_the_signature_names_the_costs_the_norm_and_the_rule_for_moves():
    version = f"fencepost:{fp.__version__}"
    start = "flexible_similarity|costs"
    assert S_f(text("p"), text("p")).signature == f"{start}:identity|norm:units|{version}"
    given = Costs.from_dict({("p", "q"): 0.5})
    score = S_f(text("p"), text("p"), costs=given, norm="edits", symmetric=False)
    assert score.signature == f"{start}:{given.digest}|norm:edits|symmetric:no|{version}"
    assert fp.parse(score.signature) == S_f.recipe(costs=given, norm="edits", symmetric=False)


def test_a_score_can_be_pickled_with_its_record():
    score = S_f(text("p_r_q"), text("qr_pr"), costs={("p", "q"): 0.5, ("r", "q"): 0.25})
    again = pickle.loads(pickle.dumps(score))
    assert (again.value, again.counts, again.edits) == (score.value, score.counts, score.edits)


@pytest.mark.parametrize("side", [0, 1])
def test_two_boundaries_at_one_place_are_refused_with_text_and_place(side):
    single, double = text("_p_q"), Segmentation.from_marks(["", ["p", "q"], "", "q"])
    pair = [single, double] if side else [double, single]
    name = ("reference", "hypothesis")[side]
    with pytest.raises(SegmentationError, match=f"^{name} of text 0: two boundaries after unit 2;"):
        S_f(*pair)
    many = Pairs.from_segmentations([single, pair[0]], [single, pair[1]], keys=["d1", "d2"])
    for ask in (S_f.recipe().count, S_f.recipe().edits):
        with pytest.raises(SegmentationError, match=f"{name} of text d2: two boundaries after"):
            ask(many)


@pytest.mark.parametrize("side", [0, 1])
def test_a_kind_that_the_costs_lack_is_refused_with_its_name_text_and_place(side):
    known, strange = text("_p_q"), text("_p_x")
    pair = [known, strange] if side else [strange, known]
    name = ("reference", "hypothesis")[side]
    with pytest.raises(CostsError) as error:
        S_f(*pair, costs={("p", "q"): 0.5})
    assert str(error.value) == (
        f"{name} of text 0: the boundary after unit 4 has the type 'x', which is not in the "
        "costs; they know p, q"
    )
    many = Pairs.from_segmentations([known, pair[0]], [known, pair[1]], keys=["d1", "d2"])
    recipe = S_f.recipe(costs={("p", "q"): 0.5})
    for ask in (recipe.count, recipe.edits):
        with pytest.raises(CostsError, match=rf"^{name} of text d2: .* after unit 4 .*'x'"):
            ask(many)


@pytest.mark.parametrize("costs", [None, "positions", {("p", "q"): 0.5}])
def test_a_boundary_of_a_kind_named_none_is_refused_with_text_and_place(costs):
    with pytest.raises(CostsError, match=r"^hypothesis of text 0: .* after unit 3 .*none"):
        S_f(text("_p_"), Segmentation.from_marks(["", "", "none"]), costs=costs)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["p", ["p", "q"], ""], "two boundaries after unit 2; "),
        (["p", "", "x"], "the boundary after unit 3 has the type 'x', which is not in the costs"),
        (["", "none", ""], "the boundary after unit 2 has the type 'none', which means no"),
    ],
)
def test_between_coders_the_speaker_is_named_too(wrong, message):
    corpus = fp.Corpus.from_dict(
        {
            ("talk", "F"): {"an": text("p_q"), "bo": text("_pq")},
            ("talk", "M"): {"an": text("p_q"), "bo": Segmentation.from_marks(wrong)},
        }
    )
    both = Annotations.of(corpus).pairs()
    with pytest.raises(fp.FencepostError) as error:
        S_f.recipe(costs={("p", "q"): 0.5}).count(both)
    assert str(error.value).startswith(f"hypothesis of text talk, M: {message}")


def test_boundaries_without_kinds_and_costs_of_named_kinds_do_not_fit():
    with pytest.raises(CostsError, match="the boundaries have no types"):
        S_f([3, 3], [2, 4], costs="lai2023")


@pytest.mark.parametrize("costs", [3, "wombat", ["p"], True])
def test_what_is_no_costs_is_refused_with_what_would_be_right(costs):
    with pytest.raises(MetricError, match=r"costs must be identity, positions, .*, a file"):
        S_f(text("p"), text("p"), costs=costs)


def test_costs_of_a_signature_from_elsewhere_are_asked_for():
    with pytest.raises(CostsError, match="the costs 0123abcd are not known here; give their file"):
        fp.parse(f"flexible_similarity|costs:0123abcd|norm:units|fencepost:{fp.__version__}")


# Size.

BLOCK = """
import numpy as np
from fencepost import Costs, Segmentation, flexible_similarity

costs = Costs.from_dict({("p", "q"): 0.5}, moving={"p": %r, "q": %r})

def pair(side):
    kinds = np.arange(side) %% 2 + 1
    return [
        Segmentation(2 * side + 2, np.arange(first, 2 * side + first, 2), own, ["p", "q"])
        for first, own in ((1, kinds), (2, kinds[::-1]))
    ]

small, large = pair(100), pair(10_000)
flexible_similarity(*small, costs=costs)
before = peak()
counts = flexible_similarity(*large, costs=costs).counts
print(peak() - before, counts["nanocost"], counts["edits"], counts["matches"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", [0, 0.0001])
def test_a_block_of_ten_thousand_boundaries_a_side_takes_memory_for_its_sides_only(step):
    pytest.importorskip("resource", reason="only some systems tell how much a process took")
    out = python(PEAK + BLOCK % (step, step), timeout=120)
    growth, nanocost, edits, matches = map(int, out.split())
    # Twenty thousand boundaries at 100 bytes are 2 megabytes; a byte for each pair would be 100.
    assert growth < 8 * 2**20
    assert matches == 0
    # Kinds take turns, and p always stands before q of the other side. With the first of one side
    # and the last of the other left over, all others meet their own kind one unit further left.
    moved = 9_999 * round(step * NANO)
    assert (nanocost, edits) == (2 * NANO + moved, 10_001)
