"""Segmentation: every way in, every way back, and a sentence for everything that is neither."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Segmentation, SegmentationError
from strategies import KINDS, cuts, typed
from support import PAIR_METRICS

S = Segmentation


@st.composite
def untyped(draw: Any, max_units: int = 30) -> Segmentation:
    units = draw(st.integers(1, max_units))
    return S(units, draw(cuts(units)))


@st.composite
def with_kinds(draw: Any) -> Segmentation:
    return draw(typed(draw(st.integers(1, 8)), KINDS))


# There and back.


@pytest.mark.slow
@given(untyped())
def test_masses_bits_positions_flags_and_labels_lead_back_to_the_same_text(seg):
    assert S.from_masses(seg.masses) == seg
    assert S.from_bits(seg.bits) == seg
    assert S.from_positions(seg.cuts, seg.units) == seg
    assert S.from_flags(seg.flags(), mark="last") == seg
    assert S.from_flags(seg.flags("first"), mark="first") == seg
    assert S.from_labels(seg.labels) == seg
    ends = [*seg.cuts.tolist(), seg.units]
    assert S.from_spans(list(zip([0, *ends], ends, strict=False)), seg.units) == seg
    words = " ".join("w |" if flag else "w" for flag in seg.flags()[:-1]) + " w"
    assert S.from_text(words) == seg


@given(untyped())
def test_the_plain_forms_are_what_they_say(seg):
    assert sum(seg.masses) == seg.units
    assert all(size >= 1 for size in seg.masses)
    assert len(seg.bits) == seg.units - 1
    assert seg.bits.count("1") == len(seg.cuts) == len(seg.masses) - 1
    assert len(seg.flags()) == len(seg.labels) == seg.units
    assert seg.flags()[-1] == seg.flags("first")[0] == 1
    assert seg.labels[0] == 1
    assert seg.labels[-1] == len(seg.masses)
    for values in (seg.masses, seg.flags(), seg.labels):
        assert all(type(value) is int for value in values)


@given(with_kinds())
def test_marks_lead_back_to_the_same_kinds(seg):
    assert S.from_marks(seg.marks, kind_names=KINDS) == seg
    assert len(seg.marks) == seg.units


@given(with_kinds())
def test_kinds_do_not_matter_to_masses_and_bits(seg):
    places = {p for p in seg.cuts.tolist() if p < seg.units}
    plain = S(seg.units, sorted(places))
    assert seg.masses == plain.masses
    assert seg.bits == plain.bits
    assert seg.flags() == plain.flags()
    assert seg.labels == plain.labels
    assert seg.places.tolist() == plain.cuts.tolist()


@given(untyped() | with_kinds())
def test_equal_texts_have_equal_hashes_and_survive_pickling_and_copying(seg):
    for other in (pickle.loads(pickle.dumps(seg)), copy.copy(seg), copy.deepcopy(seg)):
        assert other == seg
        assert hash(other) == hash(seg)
    assert seg in {seg}
    assert seg != S(seg.units + 1, seg.cuts, seg.kinds, seg.kind_names)


@given(untyped() | with_kinds())
def test_the_repr_makes_the_same_text_again_if_it_is_short(seg):
    if len(seg.cuts) <= 10:
        assert eval(repr(seg), {"Segmentation": S}) == seg
    assert len(repr(seg)) < 250


def test_texts_differ_by_units_cuts_kinds_and_names():
    base = S(6, [3], [1], ["a", "b"])
    assert base == S(6, [3], [1], ("a", "b"))
    for other in (
        S(7, [3], [1], ["a", "b"]),
        S(6, [2], [1], ["a", "b"]),
        S(6, [3], [2], ["a", "b"]),
        S(6, [3], [1], ["a", "c"]),
        S(6, [3]),
        "segmentation",
        [3, 3],
    ):
        assert base != other


# Ways in, by example.


def test_each_constructor_by_example():
    expected = S(14, [5, 10, 11])
    assert S.from_masses([5, 5, 1, 3]) == expected
    assert S.from_masses((5, 5, 1, 3)) == expected
    assert S.from_masses(np.array([5, 5, 1, 3], dtype=np.uint8)) == expected
    assert S.from_masses(np.array([5, 5, 1, 3], dtype=object)) == expected
    assert S.from_bits("0000100001100") == expected
    assert S.from_bits([0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0]) == expected
    assert S.from_bits(np.array([c == "1" for c in "0000100001100"])) == expected
    assert S.from_flags("00001000011000", mark="last") == expected
    assert S.from_flags("00001000011001", mark="last") == expected
    assert S.from_flags("10000100001100", mark="first") == expected
    assert S.from_flags("00000100001100", mark="first") == expected
    assert S.from_positions([5, 10, 11], units=14) == expected
    assert S.from_labels([*"aaaaabbbbbaccc"]) == expected
    assert S.from_spans([(0, 5), (5, 10), (10, 11), (11, 14)]) == expected
    assert S.from_spans(np.array([[0, 5], [5, 10], [10, 11], [11, 14]]), units=14) == expected
    assert S.from_text("a b c d e | f g h i j | k | l m n") == expected
    assert S.from_text("a b c d e\nf g h i j\nk\nl m n", separator="\n") == expected
    assert S.from_masses(range(1, 4)) == S(6, [1, 3])


def test_a_text_of_one_unit_in_every_form():
    one = S(1, [])
    assert S.from_masses([1]) == one
    assert S.from_bits("") == one
    assert S.from_bits([]) == one
    assert S.from_flags([0], mark="last") == one
    assert S.from_flags([1], mark="first") == one
    assert S.from_labels(["x"]) == one
    assert S.from_spans([(0, 1)]) == one
    assert S.from_text("word") == one
    assert (one.masses, one.bits, one.flags(), one.labels) == ((1,), "", [1], [1])


def test_kinds_may_share_a_place_come_in_any_order_and_lie_at_the_end():
    seg = S(5, [3, 3, 5], [2, 1, 1], ["minor", "major"])
    assert seg.kinds.tolist() == [1, 2, 1]
    assert seg.marks == [(), (), ("minor", "major"), (), ("minor",)]
    assert S.from_marks(["", "", ["major", "minor"], "", "minor"], ["minor", "major"]) == seg
    assert S.from_marks(["", "", ",", "", "."]).marks == ["", "", ",", "", "."]
    assert S(5, [2], [3]).kind_names == ("1", "2", "3")
    assert S(5, [], [], KINDS).marks == [""] * 5
    assert S(1, [1], [1], KINDS).marks == ["low"]


def test_a_bare_list_is_masses_wherever_a_segmentation_is_wanted():
    assert fp.pk([3, 4, 5], (4, 3, 2, 3), k=2).value == 0.4
    assert fp.pk(np.array([3, 4, 5]), S.from_masses([4, 3, 2, 3]), k=2).value == 0.4


# Immutability.


def test_a_segmentation_does_not_change():
    seg = S(6, [3], [1], ["a"])
    for name, value in (("units", 7), ("cuts", [2]), ("kinds", None), ("new", 1)):
        with pytest.raises(AttributeError, match="does not change"):
            setattr(seg, name, value)
    with pytest.raises(AttributeError, match="does not change"):
        del seg.cuts
    for array in (seg.cuts, seg.kinds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2


def test_later_changes_to_the_input_do_not_reach_it():
    places = np.array([3, 5])
    kinds = np.array([1, 2], dtype=np.int32)
    view = places.view()
    view.flags.writeable = False
    made = [S(9, places), S(9, view), S(9, places, kinds), S(9, places[:]), S(9, view[::-1][::-1])]
    places[:] = [7, 8]
    kinds[:] = 1
    assert all(seg.cuts.tolist() == [3, 5] for seg in made)
    assert made[2].kinds.tolist() == [1, 2]
    assert places.flags.writeable and kinds.flags.writeable


# Shown to people.


def test_the_repr_is_short():
    assert repr(S(14, [5, 10, 11])) == "Segmentation(units=14, cuts=[5, 10, 11])"
    assert repr(S(5, [3, 5], [1, 2], [",", "."])) == (
        "Segmentation(units=5, cuts=[3, 5], kinds=[1, 2], kind_names=(',', '.'))"
    )
    assert repr(S.from_masses([1] * 100)) == (
        "Segmentation(units=100, cuts=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... 99 in all])"
    )


def test_print_draws_the_text():
    assert str(S.from_masses([2, 1, 2])) == "1  2| 3| 4  5"
    assert str(S.from_marks(["", ",", "", "."])) == "1  2, 3  4."
    for seg in (S(5000, [7]), S.from_masses([1] * 900), S(2**40, [2**39])):
        drawn = str(seg)
        assert all(len(line) <= 80 for line in drawn.splitlines())
        assert len(drawn) < 20_000


# What is not a segmentation, with what was found, where, and the way out.

BAD = [
    (lambda: S.from_masses([]), "masses are empty; a text has at least one segment"),
    (lambda: S.from_masses([3, 0, 2]), "at least 1; number 2 is 0"),
    (lambda: S.from_masses([3, -2]), "at least 1; number 2 is -2"),
    (lambda: S.from_masses([0, 1, 0, 1]), "look like 0/1 marks: use from_flags or from_bits"),
    (lambda: S.from_masses([3.0, 2.0]), r"masses must be whole numbers; number 1 is not: 3\.0"),
    (lambda: S.from_masses([3, 2.5]), r"masses must be whole numbers; number 2 is not: 2\.5"),
    (lambda: S.from_masses([0.1, 1.0]), r"is not: 0\.1; probabilities .* Segmentation\.from_proba"),
    (lambda: S.from_masses([3, math.nan]), "masses must be whole numbers; number 2 is not: nan"),
    (lambda: S.from_masses([math.inf]), "masses must be whole numbers; number 1 is not: inf"),
    (lambda: S.from_masses(np.array([np.nan])), "whole numbers; number 1 is not: nan"),
    (lambda: S.from_masses([None]), "whole numbers; number 1 is not: None"),
    (lambda: S.from_masses(["3", "4"]), "whole numbers; number 1 is not: '3'"),
    (lambda: S.from_masses([True, False]), "whole numbers; number 1 is not: True"),
    (lambda: S.from_masses([3, "x"]), "whole numbers; number 2 is not: 'x'"),
    (lambda: S.from_masses([2**63, -1]), "number 1 is too large"),
    (lambda: S.from_masses([[3, 4]]), "one flat list, found 2 levels of nesting"),
    (lambda: S.from_masses([[3], [4, 5]]), "one flat list, found a nested one"),
    (lambda: S.from_masses([[]]), "one flat list"),
    (lambda: S.from_masses(5), "masses must be a list of whole numbers, found int 5"),
    (lambda: S.from_masses("5 5"), "masses must be a list of whole numbers, found str '5 5'"),
    (lambda: S.from_masses(b"5 5"), "masses must be a list of whole numbers, found bytes"),
    (lambda: S.from_masses(None), "masses must be a list of whole numbers, found NoneType"),
    (lambda: S.from_masses({3, 4}), "masses must be a list of whole numbers, found set"),
    (lambda: S.from_masses(x for x in (3, 4)), "masses must be a list .* found generator"),
    (lambda: S.from_masses([2**70]), "number 1 is too large"),
    (lambda: S.from_masses([2**63]), "number 1 is too large"),
    (lambda: S.from_masses([-(2**70)]), "number 1 is too large"),
    (lambda: S.from_masses([2**40, 1]), r"the sum of the masses must be at most 2\^40"),
    (lambda: S.from_masses([2**62] * 4), r"the sum of the masses must be at most 2\^40"),
    (lambda: S.from_masses(np.array([1, 2], "datetime64[ns]")), "masses must be whole numbers"),
    (lambda: S.from_masses(np.array([1, 2], "timedelta64[s]")), "masses must be whole numbers"),
    (lambda: S.from_masses(np.array([1 + 0j])), "masses must be whole numbers"),
    (lambda: S(0, []), "units must be at least 1, found 0; an empty text has no segments"),
    (lambda: S(-3, []), "units must be at least 1, found -3"),
    (lambda: S(2.0, []), r"units must be a whole number, found float 2\.0"),
    (lambda: S(math.nan, []), "units must be a whole number, found float nan"),
    (lambda: S(True, []), "units must be a whole number, found bool True"),
    (lambda: S("9", []), "units must be a whole number, found str '9'"),
    (lambda: S(None, []), "units must be a whole number, found NoneType"),
    (lambda: S(2**41, []), r"units must be at most 2\^40"),
    (lambda: S(6, [0]), r"no boundary can lie after unit 0 in a text of 6 units \(1 to 5"),
    (lambda: S(6, [-1]), "no boundary can lie after unit -1 in a text of 6 units"),
    (
        lambda: S(6, [6]),
        "a boundary after unit 6 is the end of the text, which every segmentation has",
    ),
    (
        lambda: S(6, [7]),
        r"no boundary can lie after unit 7 in a text of 6 units \(1 to 5 are possible",
    ),
    (lambda: S(6, [2**50]), "no boundary can lie after unit"),
    (lambda: S(6, [2**70]), "cuts must be whole numbers; number 1 is too large"),
    (lambda: S(1, [1]), "the end of the text"),
    (lambda: S(1, [2]), r"in a text of 1 unit \(it has no position for one\)"),
    (
        lambda: S(6, [4, 2]),
        "positions of boundaries must be sorted, found 2 after 4; if these are segment sizes, use",
    ),
    (lambda: S(6, [2, 2]), "the boundary after unit 2 is given twice"),
    (lambda: S(6, [2.0]), r"cuts must be whole numbers; number 1 is not: 2\.0"),
    (lambda: S(6, [math.nan]), "cuts must be whole numbers; number 1 is not: nan"),
    (lambda: S(6, "24"), "cuts must be a list of whole numbers, found str"),
    (lambda: S(6, [[]]), "cuts must be one flat list"),
    (lambda: S(6, None), "cuts must be a list of whole numbers, found NoneType"),
    (lambda: S(6, [2], [1, 2]), "1 boundaries need as many kinds, found 2"),
    (lambda: S(6, [2], [0]), "kinds are small numbers from 1 up, found 0"),
    (
        lambda: S(6, [2], [3], ["a", "b"]),
        "kinds must be 1 to 2 .as many as kind_names., found 3",
    ),
    (lambda: S(6, [2], [-1], ["a"]), "kinds must be 1 to 1 .*, found -1"),
    (lambda: S(6, [2], [2**33], ["a"]), "kinds must be 1 to 1 .*, found 8589934592"),
    (lambda: S(6, [2], [20_000]), "kinds are small numbers from 1 up, found 20000"),
    (lambda: S(6, [2], [1.5], ["a"]), "kinds must be whole numbers; number 1 is not"),
    (lambda: S(6, [2], [1], ["a", "a"]), "kind_names must differ from each other"),
    (lambda: S(6, [2], [1], "ab"), "kind_names must be a list of names, found 'ab'"),
    (lambda: S(6, [2], [1], [""]), "kind_names must be a list of names"),
    (lambda: S(6, [2], [1], [3]), "kind_names must be a list of names"),
    (lambda: S(6, [2, 2], [1, 1], ["a"]), "the boundary after unit 2 is given twice"),
    (lambda: S(6, [7], [1], ["a"]), r"in a text of 6 units \(1 to 6 are possible\)"),
    (
        lambda: S(6, [4, 2], [1, 1], ["a"]),
        "positions of boundaries must be sorted, found 2 after 4",
    ),
    (lambda: S(6, [2], None, ["a"]), "1 boundaries need as many kinds, found 0"),
    (lambda: S.from_bits("0102"), "bits must be 0 and 1, found '2'"),
    (lambda: S.from_bits([0, 2]), "bits must be 0 and 1; number 2 is 2"),
    (lambda: S.from_bits([5, 5, 1, 3]), "number 1 is 5: use from_masses?"),
    (lambda: S.from_bits(5), "bits must be a list of whole numbers, found int"),
    (lambda: S.from_bits([0.0, 1.0]), "bits must be whole numbers; number 1 is not"),
    (lambda: S.from_bits(np.zeros((2, 2), bool)), "bits must be one flat list"),
    (lambda: S.from_flags("0101"), 'flags do not say what a 1 marks: give mark="last"'),
    (lambda: S.from_flags("0101", mark="end"), "flags do not say what a 1 marks"),
    (lambda: S.from_flags([], mark="last"), "flags are empty; a text has at least one unit"),
    (lambda: S.from_flags("", mark="last"), "flags are empty; a text has at least one unit"),
    (lambda: S.from_flags([0, 3], mark="last"), "flags must be 0 and 1; number 2 is 3"),
    (lambda: S.from_positions([5, 14], units=14), "boundary after unit 14 is the end of the text"),
    (lambda: S.from_positions([5, 4], units=14), "positions of boundaries must be sorted"),
    (lambda: S.from_labels([]), "labels are empty; a text has at least one unit"),
    (
        lambda: S.from_labels("aabb"),
        "labels must be a list with one label for each unit, found",
    ),
    (lambda: S.from_labels(7), "labels must be a list .* found int"),
    (lambda: S.from_labels(np.zeros((2, 2))), "labels must be one flat list, found 2 levels"),
    (lambda: S.from_labels([np.zeros(2), np.zeros(2)]), "labels must be values that are equal"),
    (lambda: S.from_marks([]), "units must be at least 1, found 0; an empty text"),
    (lambda: S.from_marks(",."), "marks must be a list with one entry for each unit, found str"),
    (lambda: S.from_marks([None]), "the mark after unit 1 must be text, found None"),
    (lambda: S.from_marks(["", 5]), "the mark after unit 2 must be text, found 5"),
    (lambda: S.from_marks(["", ["a", 5]]), "the mark after unit 2 must be text, found 5"),
    (
        lambda: S.from_marks(["", "x"], ["a"]),
        r"the boundary type 'x' is not among kind_names \('a',\)",
    ),
    (lambda: S.from_marks(["", ["a", "a"]]), "the boundary after unit 2 is given twice"),
    (lambda: S.from_spans([]), "spans are empty; a text has at least one segment"),
    (lambda: S.from_spans("0-5"), r"spans must be a list of \(start, end\), found str"),
    (
        lambda: S.from_spans([(0, 5), (6, 9)]),
        "span 2 starts at 6 and leaves a gap before it",
    ),
    (lambda: S.from_spans([(0, 5), (4, 9)]), "span 2 starts at 4 and overlaps the one before"),
    (lambda: S.from_spans([(1, 5)]), "span 1 starts at 1 and leaves a gap"),
    (lambda: S.from_spans([(0, 0)]), r"span 1 is empty: \(0, 0\)"),
    (lambda: S.from_spans([(0, 5, 9)]), r"span 1 must be \(start, end\), found \(0, 5, 9\)"),
    (lambda: S.from_spans([None]), r"span 1 must be \(start, end\), found None"),
    (lambda: S.from_spans([5]), r"span 1 must be \(start, end\), found 5"),
    (lambda: S.from_spans([(0, 2.5)]), "span 1 must be whole numbers"),
    (lambda: S.from_spans([(0, 5)], units=6), "the spans end at 5, the text has 6 units"),
    (lambda: S.from_text(""), "segment 1 of 1 has no words"),
    (lambda: S.from_text("a | | b"), "segment 2 of 3 has no words; '|' stands between segments"),
    (lambda: S.from_text("| a"), "segment 1 of 2 has no words"),
    (lambda: S.from_text(5), "text must be a string, found int"),
    (lambda: S.from_text("a b", separator=""), "separator must be a string"),
    (
        lambda: S(6, [3]).marks,
        r"this segmentation has no boundary types \(kinds\); use \.bits or \.flags\(\)",
    ),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message[:50] for _, message in BAD])
def test_what_is_not_a_segmentation_is_refused_with_a_sentence(make, message):
    message = message.replace("'|'", r"'\|'")
    with pytest.raises(SegmentationError, match=message) as error:
        make()
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


CALLS = [
    (("0101", "0101"), r"the reference is text; .* use Segmentation\.from_bits"),
    (([2, 2], "a b | c"), r"the hypothesis is text; .* use Segmentation\.from_text"),
    (([2, 0], [2, 2]), "the reference: segment sizes must be at least 1; number 2 is 0"),
    (([2, 2], [2, -2]), "the hypothesis: segment sizes must be at least 1; number 2 is -2"),
    (([], [2, 2]), "the reference: masses are empty"),
    ((None, [2, 2]), "the reference: masses must be a list of whole numbers, found NoneType"),
    (([2, 2], 4), "the hypothesis: masses must be a list of whole numbers, found int 4"),
    (([2, 2.5], [2, 2]), "the reference: masses must be whole numbers"),
    (([3, 4], [3, 5]), "the reference has 7 units and the hypothesis 8; boundaries can only be"),
]


@pytest.mark.parametrize("metric", PAIR_METRICS.values(), ids=PAIR_METRICS)
@pytest.mark.parametrize(("sides", "message"), CALLS, ids=[message[:45] for _, message in CALLS])
def test_a_metric_says_which_side_is_wrong(metric, sides, message):
    with pytest.raises(SegmentationError, match=message):
        metric(*sides)


def test_settings_go_by_name():
    with pytest.raises(fp.MetricError, match="settings go by name: pk"):
        fp.pk([2, 2], [2, 2], 1)


def test_all_errors_are_value_errors_of_one_family():
    assert issubclass(SegmentationError, fp.FencepostError)
    assert issubclass(fp.MetricError, fp.FencepostError)
    assert issubclass(fp.FencepostError, ValueError)


def test_boundary_types_are_compared_in_linear_time():
    compared = 0

    class Name(str):
        __slots__ = ()

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = [Name(f"type {i}") for i in range(2000)]
    made = S.from_marks([Name(name) for name in names], names)
    assert made.kinds.tolist() == list(range(1, 2001))
    assert compared < 20 * len(names)
