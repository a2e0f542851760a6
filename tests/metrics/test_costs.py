"""Costs of confusing and moving kinds: every way to make them, and everything that is not costs."""

import gc
import itertools
import json
import math
import pickle
import random
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost import Costs, MetricError, Segmentation
from fencepost.metrics.costs import MADE, MAX_KEPT_COSTS, CostsError, CostsWarning
from strategies import KINDS, alone, typed
from support import run

# Two kinds: similarities of p, q and no boundary, and what moving costs by itself.
SQUARE = [[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]]
GIVEN = {("p", "q"): 0.5, ("p", "none"): 0.25}
MOVING = {"q": 0.1}
COSTS = Costs.from_matrix(["p", "q"], SQUARE, moving=MOVING)
PLAIN = Costs.from_matrix(["p", "q"], SQUARE)

CSV = """\
kind,p,q,none,move
p,1,0.5,0.25,
q,0.5,1,0,0.1
none,0.25,0,1,
"""
JSON = {"p": {"q": 0.5, "none": 0.25}, "q": {"move": 0.1}}


def frame(**more: Any) -> dict[str, Any]:
    """Columns of a data frame; the first has the names."""
    columns = {"p": [1.0, 0.5, 0.25], "q": [0.5, 1.0, 0.0], "none": [0.25, 0.0, 1.0]}
    return {"kind": ["p", "q", "none"], **columns, **more}


def text(written: str) -> Segmentation:
    return Segmentation.from_marks(["" if mark == "_" else mark for mark in written])


# Ways to make them.


def test_a_matrix_has_no_boundary_in_its_last_row_and_column():
    assert COSTS.kinds == ("p", "q")
    assert COSTS.similarity.tolist() == SQUARE
    # Half of deleting p, which is 0.75; and what is given for q.
    assert COSTS.moving.tolist() == [0.375, 0.1]


def test_identity_makes_all_kinds_different():
    square, moving = Costs.identity().for_kinds(["p", "q"])
    assert square.tolist() == np.eye(3).tolist()
    assert moving.tolist() == [0.5, 0.5]


def test_positions_make_all_kinds_alike_and_unlike_no_boundary():
    square, moving = Costs.positions().for_kinds(["p", "q"])
    assert square.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert moving.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("costs", "kinds"), [(Costs.lai2023(), ".,?+;"), (Costs.lai2023_as_run(), ",.?+;")]
)
def test_the_matrix_of_lai2023_comes_with_both_orders_of_its_first_kinds(costs, kinds):
    # The numbers are those of tests/golden/lai2023.json.
    assert costs.kinds == tuple(kinds)
    assert costs.similarity[0].tolist() == [1, 0.5, 0.25, 0.25, 1, 0]
    assert costs.similarity[4].tolist() == [1] * 6
    assert costs.moving.tolist() == [0.5, 0.375, 0.5, 0.375, 0]


def test_a_dict_gives_pairs_of_kinds_and_the_rest_is_different():
    assert Costs.from_dict(GIVEN, moving=MOVING) == COSTS
    assert Costs.from_dict(GIVEN) == PLAIN
    turned = {(b, a): value for (a, b), value in GIVEN.items()}
    assert Costs.from_dict(turned) == PLAIN
    assert Costs.from_dict({**GIVEN, **turned}) == PLAIN
    assert Costs.from_dict({**GIVEN, ("q", "q"): 1, ("none", "none"): 1}) == PLAIN


def test_a_dict_of_moving_costs_alone_names_its_kinds_too():
    costs = Costs.from_dict({}, moving={"p": 0.25})
    assert costs.kinds == ("p",)
    assert costs.similarity.tolist() == [[1, 0], [0, 1]]
    assert costs.moving.tolist() == [0.25]


def test_a_dict_can_give_other_values_in_the_other_direction():
    given = {("p", "q"): 0.5, ("q", "p"): 0.25, ("none", "p"): 0.75}
    costs = Costs.from_dict(given, symmetric=False)
    assert costs.similarity.tolist() == [[1, 0.5, 0], [0.25, 1, 0], [0.75, 0, 1]]
    assert costs.moving.tolist() == [0.5, 0.5]  # half of deleting, not of inserting


def test_a_frame_of_pandas_has_names_as_its_index_or_first_column():
    first_column = pd.DataFrame(frame())
    assert Costs.from_frame(first_column) == PLAIN
    assert Costs.from_frame(first_column.set_index("kind")) == PLAIN
    assert Costs.from_frame(pd.DataFrame(SQUARE, ["p", "q", "none"], ["p", "q", "none"])) == PLAIN


def test_a_frame_of_polars_has_names_in_its_first_column():
    assert Costs.from_frame(pl.DataFrame(frame())) == PLAIN


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("empty", [None, math.nan])
def test_a_frame_may_have_a_column_of_moving_costs_with_gaps(library, empty):
    columns = frame(move=[empty, 0.1, empty])
    assert Costs.from_frame(library.DataFrame(columns)) == COSTS


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_may_hold_its_rows_and_columns_in_any_order(library):
    made = library.DataFrame(
        {
            "": ["none", "q", "p"],
            "move": [None, 0.1, None],
            "q": [0.0, 1.0, 0.5],
            "none": [1.0, 0.0, 0.25],
            "p": [0.25, 0.5, 1.0],
        }
    )
    assert Costs.from_frame(made) == COSTS


def test_a_csv_file_is_square_with_names(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text(CSV)
    assert Costs.read(path) == COSTS
    assert Costs.read(str(path)) == COSTS
    without = "\n".join(line.rsplit(",", 1)[0] for line in CSV.splitlines())
    path.write_text(without)
    assert Costs.read(path) == PLAIN


def test_a_csv_file_may_have_spaces_blank_lines_quotes_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text(
        '\ufeff"", p ,"q",none, move\r\n\r\np, 1,0.5,0.25,\r\n"q",0.5,1,0, 0.1\r\n'
        " none ,0.25,0,1,\r\n,,,,\r\n",
        encoding="utf-8",
    )
    assert Costs.read(path) == COSTS


def test_a_csv_file_can_name_a_comma(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text('kind,".",",",none\n.,1,0.5,0\n",",0.5,1,0.25\nnone,0,0.25,1\n')
    costs = Costs.read(path)
    assert costs.kinds == (".", ",")
    assert costs.similarity.tolist() == [[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]]


@pytest.mark.parametrize("sign", [";", "\t"])
def test_a_csv_file_of_excel_may_have_semicolons_or_tabs_and_decimal_commas(tmp_path, sign):
    path = tmp_path / "costs.csv"
    path.write_text(
        "\n".join(line.replace(",", sign).replace(".", ",") for line in CSV.split("\n"))
    )
    assert "0,5" in path.read_text()
    assert Costs.read(path) == COSTS
    path.write_text(CSV.replace(",", sign))  # decimal points are as good
    assert Costs.read(path) == COSTS


def test_a_type_called_semicolon_is_no_separator(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("type,;,.,none\n;,1,0.5,0\n.,0.5,1,0.25\nnone,0,0.25,1\n")
    assert Costs.read(path).kinds == (";", ".")
    path.write_text('type;";";,;none\n";";1;0,5;0\n,;0,5;1;0,25\nnone;0;0,25;1\n')
    costs = Costs.read(path)
    assert costs.kinds == (";", ",")
    assert costs.similarity.tolist() == [[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]]


def test_a_json_file_gives_each_kind_what_it_is_like(tmp_path):
    path = tmp_path / "costs.json"
    path.write_text(json.dumps(JSON))
    assert Costs.read(path) == COSTS
    full = {
        "none": {"p": 0.25, "q": 0, "none": 1},
        "q": {"p": 0.5, "q": 1, "none": 0, "move": 0.1},
        "p": {"p": 1, "q": 0.5, "none": 0.25},
    }
    path.write_text(json.dumps(full, indent=2))
    assert Costs.read(path) == COSTS


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_file_that_is_not_symmetric_must_be_said_to_be_so(tmp_path, ending):
    path = tmp_path / f"costs.{ending}"
    if ending == "csv":
        path.write_text("kind,p,q,none\np,1,0.5,0\nq,0.25,1,0\nnone,0,0,1\n")
    else:
        path.write_text('{"p": {"q": 0.5}, "q": {"p": 0.25}}')
    with pytest.raises(CostsError) as error:
        Costs.read(path)
    assert str(error.value) == (
        f"costs.{ending}: 'p' and 'q' have two different similarities (0.5 and 0.25). "
        "If that is meant: -m Sf:symmetric=no --costs FILE, or symmetric=False in Python"
    )
    costs = Costs.read(path, symmetric=False)
    assert costs.similarity.tolist() == [[1, 0.5, 0], [0.25, 1, 0], [0, 0, 1]]


def test_a_frame_that_is_not_symmetric_must_be_said_to_be_so():
    made = pd.DataFrame([[1, 0.5, 0], [0.25, 1, 0], [0, 0, 1]], [*"pq", "none"], [*"pq", "none"])
    with pytest.raises(CostsError, match=r"^the data frame: 'p' and 'q' have two different simil"):
        Costs.from_frame(made)
    assert Costs.from_frame(made, symmetric=False).similarity[1, 0] == 0.25


def test_a_metric_takes_costs_in_all_these_forms(tmp_path):
    csv, js = tmp_path / "costs.csv", tmp_path / "COSTS.JSON"
    csv.write_text(CSV)
    js.write_text(json.dumps(JSON))
    frames = [library.DataFrame(frame(move=[None, 0.1, None])) for library in (pd, pl)]
    pair = text("p_q"), text("_pq")
    wanted = fp.flexible_similarity(*pair, costs=COSTS)
    for form in (csv, js, str(csv), str(js), *frames):
        score = fp.flexible_similarity(*pair, costs=form)
        assert (score.counts, score.signature) == (wanted.counts, wanted.signature)
    assert fp.flexible_similarity.recipe(costs=GIVEN).settings["costs"] == PLAIN
    assert fp.parse(f"Sf:costs={csv}").settings["costs"] == COSTS


# Learned from experts.


def one_place(units: int) -> st.SearchStrategy[Segmentation]:
    return typed(units, KINDS).map(alone)


def marks(seg: Segmentation) -> list[str]:
    """What stands after each unit."""
    names = seg.kind_names or ()
    found = dict(zip(seg.cuts.tolist(), [names[k - 1] for k in seg.kinds], strict=True))
    return [found.get(place, "none") for place in range(1, seg.units + 1)]


def learned(texts: list[tuple[Segmentation, Segmentation]]) -> dict[tuple[str, str], Fraction]:
    """2 n_ab / (n_a + n_b), written out."""
    met = [pair for a, b in texts for pair in zip(marks(a), marks(b), strict=True)]
    together = Counter(frozenset(pair) for pair in met)
    alone = Counter(kind for pair in met for kind in pair)
    similarity = {}
    for a, b in itertools.product([*KINDS, "none"], repeat=2):
        whole = alone[a] + alone[b]
        met_each_other = together[frozenset((a, b))]
        similarity[a, b] = Fraction(2 * met_each_other, whole) if whole else Fraction(0)
        if a == b:
            similarity[a, b] = Fraction(1)
    return similarity


experts = st.integers(1, 7).flatmap(lambda n: st.tuples(one_place(n), one_place(n)))


@pytest.mark.slow
@given(st.lists(experts, min_size=1, max_size=4), st.sampled_from([0, 0.0, 0.5, 1]))
def test_experts_teach_how_often_kinds_stand_for_each_other(texts, shrinkage):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        costs = Costs.from_confusions(texts, shrinkage=shrinkage)
    assert costs.kinds == KINDS
    expected = learned(texts)
    for (i, a), (j, b) in itertools.product(enumerate([*KINDS, "none"]), repeat=2):
        kept = 1 if a == b else 1 - Fraction(shrinkage)
        assert costs.similarity[i, j] == float(kept * expected[a, b])
    assert costs.moving.tolist() == [(1 - s) / 2 for s in costs.similarity[:-1, -1]]


@given(st.lists(experts, min_size=1, max_size=4), st.sampled_from([0.1, 0.25, 0.9]))
def test_shrinkage_pulls_towards_the_identity(texts, shrinkage):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        free, pulled = (Costs.from_confusions(texts, shrinkage=s) for s in (0, shrinkage))
    for i, j in itertools.permutations(range(4), 2):
        assert pulled.similarity[i, j] == free.similarity[i, j] * (1 - shrinkage)


def test_whole_confusion_is_full_similarity_and_full_shrinkage_the_identity():
    always = [(text("p_p"), text("q_q")), (text("qp"), text("pq"))]
    assert Costs.from_confusions(always).similarity.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert Costs.from_confusions(always, shrinkage=1).similarity.tolist() == np.eye(3).tolist()


@given(experts)
def test_the_order_of_experts_teaches_nothing(pair):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert Costs.from_confusions([pair]) == Costs.from_confusions([pair[::-1]])


@pytest.mark.parametrize("shrinkage", [-0.1, 1.1, math.nan, "half", None])
def test_shrinkage_outside_0_to_1_is_refused(shrinkage):
    with pytest.raises(CostsError, match="shrinkage must be from 0 to 1, found"):
        Costs.from_confusions([(text("p"), text("q"))], shrinkage=shrinkage)


def test_what_teaches_nothing_is_refused():
    with pytest.raises(CostsError, match="no pairs of segmentations to learn from"):
        Costs.from_confusions([])
    with pytest.raises(CostsError, match="two experts' texts have 2 and 3 units"):
        Costs.from_confusions([(text("p_"), text("p__"))])
    with pytest.raises(
        CostsError, match="learned from boundary types; these segmentations have none"
    ):
        Costs.from_confusions([(Segmentation(3, [1]), Segmentation(3, [2]))])
    with pytest.raises(CostsError, match="a position has several types"):
        Costs.from_confusions([(text("p"), Segmentation.from_marks([["p", "q"]]))])
    with pytest.raises(CostsError, match='a boundary type cannot be named "none"'):
        Costs.from_confusions([(text("p"), Segmentation.from_marks(["none"]))])


# What they are.


def permuted(order: list[int]) -> Costs:
    """COSTS of three kinds with the kinds in another order."""
    square = np.array([[1, 0.5, 0.25, 0], [0.1, 1, 0.3, 0.2], [0.7, 0, 1, 0.4], [0, 0.6, 0.5, 1]])
    moving = {"p": 0.1, "q": 0.2}
    full = [*order, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Costs.from_matrix(
            ["pqr"[i] for i in order], square[np.ix_(full, full)], moving=moving, symmetric=False
        )


def test_the_digest_does_not_depend_on_the_order_of_kinds():
    made = [permuted(list(order)) for order in itertools.permutations(range(3))]
    assert len({costs.digest for costs in made}) == 1
    assert len(set(made)) == 1
    assert made[0].kinds != made[-1].kinds


def test_costs_that_differ_anywhere_have_another_digest():
    squares = []
    for i, j in itertools.combinations(range(3), 2):
        square = np.array(SQUARE, dtype=float)
        square[i, j] = square[j, i] = 0.3
        squares.append(square)
    made = [
        PLAIN,
        COSTS,
        Costs.from_matrix(["p", "q"], SQUARE, moving={"p": 0.1}),
        Costs.from_matrix(["p", "r"], SQUARE),
        *(Costs.from_matrix(["p", "q"], square) for square in squares),
        Costs.identity(),
        Costs.positions(),
        Costs.lai2023(),
        Costs.lai2023_as_run(),
    ]
    assert len({costs.digest for costs in made}) == len(made)
    assert len(set(made)) == len(made)


def test_equal_costs_are_equal_however_they_were_made():
    again = Costs.from_dict(GIVEN, moving=MOVING)
    assert again == COSTS
    assert hash(again) == hash(COSTS)
    assert again is not COSTS
    assert COSTS != PLAIN
    assert COSTS != "costs"
    assert {COSTS: 1}[again] == 1
    assert Costs.identity() == Costs.identity()
    assert Costs.identity() != Costs.positions()


@pytest.mark.parametrize(
    "costs", [COSTS, Costs.identity(), Costs.positions(), Costs.lai2023(), permuted([2, 0, 1])]
)
def test_costs_can_be_pickled(costs):
    again = pickle.loads(pickle.dumps(costs))
    assert again == costs
    assert (again.kinds, again.name, again.digest) == (costs.kinds, costs.name, costs.digest)
    np.testing.assert_array_equal(again.similarity, costs.similarity)
    np.testing.assert_array_equal(again.moving, costs.moving)


def test_costs_do_not_change():
    given = np.array(SQUARE, dtype=float)
    costs = Costs.from_matrix(["p", "q"], given)
    given[0, 1] = 0.9
    assert costs == PLAIN
    for one in (costs, Costs.lai2023(), Costs.identity(), pickle.loads(pickle.dumps(costs))):
        for array in (one.similarity, one.moving):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0.5
        with pytest.raises(AttributeError):
            one.kinds = ("x",)
    assert Costs.lai2023().similarity[0, 1] == 0.5


def test_costs_show_their_name_or_their_digest():
    assert repr(Costs.identity()) == "<Costs identity, for any boundary types>"
    assert repr(COSTS) == f"<Costs of 2 boundary types p, q: {COSTS.digest}>"
    assert len(COSTS.digest) == 8
    assert COSTS.name == COSTS.digest
    assert Costs.lai2023().name == "lai2023"


@pytest.mark.parametrize("name", ["identity", "positions", "lai2023", "lai2023-as-run"])
def test_costs_with_a_name_are_found_by_it_and_the_signature_says_it(name):
    mark = Segmentation.from_marks(["."])
    signature = fp.flexible_similarity(mark, mark, costs=name).signature
    assert signature.fields["costs"] == name
    assert fp.parse(signature).settings["costs"].name == name
    assert fp.parse(f"Sf:costs={name}").signature() == signature


def test_the_signature_shows_the_digest_of_given_costs():
    signature = fp.flexible_similarity(text("p"), text("q"), costs=COSTS).signature
    assert signature.fields["costs"] == COSTS.digest
    assert fp.parse(signature).settings["costs"] == COSTS


def test_a_digest_is_known_as_long_as_anybody_could_ask_for_it():
    first, second = (Costs.from_dict({("p", "q"): 0.123}) for _ in range(2))
    signature = fp.flexible_similarity.recipe(costs=second).signature()
    del first
    assert fp.parse(signature).settings["costs"] == second
    del second
    assert fp.parse(signature).signature() == signature


def test_the_numbers_of_a_named_matrix_keep_the_name_they_were_given_under():
    same = Costs.from_matrix(Costs.lai2023().kinds, Costs.lai2023().similarity)
    assert same == Costs.lai2023()
    signature = fp.flexible_similarity.recipe(costs=same).signature()
    assert signature.fields["costs"] == same.digest
    assert fp.parse(signature).signature() == signature


def test_prices_come_in_the_order_that_is_asked_for():
    square, moving = COSTS.for_kinds(["q", "p"])
    assert square.tolist() == [[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]]
    assert moving.tolist() == [0.1, 0.375]
    with pytest.raises(
        CostsError, match="the boundary type 'x' is not in the costs, which know p, q"
    ):
        COSTS.for_kinds(["p", "x"])


# Warnings.


def test_a_substitution_dearer_than_deleting_and_inserting_is_warned_of():
    cheap = {("p", "none"): 0.75, ("q", "none"): 0.5}
    with pytest.warns(CostsWarning) as caught:
        Costs.from_dict(cheap)
    assert [str(w.message) for w in caught] == [
        "substituting p by q, q by p costs more than deleting and inserting"
    ]


def test_the_warning_names_the_direction_that_is_dear():
    with pytest.warns(CostsWarning, match="^substituting q by p costs more"):
        Costs.from_dict({("p", "q"): 1, ("q", "none"): 0.75, ("none", "p"): 0.75}, symmetric=False)


@pytest.mark.parametrize("like", [0.3, 0.30000000000000004])
def test_a_substitution_as_dear_as_deleting_and_inserting_is_not_warned_of(like):
    # 0.7 is 0.4 and 0.3, but not in floating point.
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        Costs.from_dict({("p", "q"): like, ("p", "none"): 0.6, ("q", "none"): 0.7})
    assert found == []


def test_every_way_in_warns(tmp_path):
    rows = [[1, 0, 0.75], [0, 1, 0.75], [0.75, 0.75, 1]]
    made = pd.DataFrame(rows, ["p", "q", "none"], ["p", "q", "none"])
    path = tmp_path / "costs.csv"
    made.to_csv(path)
    for make, source in (
        (Costs.from_frame, made),
        (Costs.read, path),
        (Costs.from_dict, {("p", "none"): 0.75, ("q", "none"): 0.75}),
        (Costs.from_confusions, [(text("p_q_"), text("_p_q"))]),
    ):
        with pytest.warns(CostsWarning, match="substituting p by q"):
            make(source)


def test_the_named_matrices_have_nothing_to_warn_of():
    for costs in (Costs.lai2023(), Costs.lai2023_as_run()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Costs.from_matrix(costs.kinds, costs.similarity) == costs


# Everything that is not costs.


def refused(make: Any, *given: Any, **settings: Any) -> str:
    with pytest.raises(CostsError) as error:
        make(*given, **settings)
    assert isinstance(error.value, MetricError)
    return str(error.value)


@pytest.mark.parametrize(
    ("square", "found"),
    [
        ([[1, 0], [0, 1]], "2 by 2"),
        ([[1, 0, 0], [0, 1, 0]], "2 by 3"),
        ([1, 0, 0], "3"),
        (np.eye(4), "4 by 4"),
        ([[[1]]], "1 by 1 by 1"),
    ],
)
def test_what_is_not_square_is_refused(square, found):
    message = refused(Costs.from_matrix, ["p", "q"], square)
    assert message == f"2 boundary types and no boundary need a square of 3 by 3, found {found}"


@pytest.mark.parametrize(
    "square", ["square", [[1, 0, 0], [0, 1]], [["a"] * 3] * 3, None, [[1, None, 0], [0, 1, 0]]]
)
def test_what_is_no_square_of_numbers_is_refused(square):
    assert "square of" in refused(Costs.from_matrix, ["p", "q"], square)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, -math.inf])
def test_a_similarity_outside_0_to_1_is_refused_with_its_kinds(value):
    square = np.array(SQUARE, dtype=float)
    square[0, 2] = square[2, 0] = value
    message = f"the similarity of 'p' and 'none' must be from 0 to 1, found {value:g}"
    assert refused(Costs.from_matrix, ["p", "q"], square) == message
    assert refused(Costs.from_dict, {**GIVEN, ("p", "none"): value}) == message
    made = pd.DataFrame(square, ["p", "q", "none"], ["p", "q", "none"])
    assert refused(Costs.from_frame, made) == f"the data frame: {message}"


def test_a_kind_that_is_not_like_itself_is_refused():
    square = np.array(SQUARE, dtype=float)
    square[1, 1] = 0.9
    message = "'q' must be like itself: 1, found 0.9"
    assert refused(Costs.from_matrix, ["p", "q"], square) == message
    assert refused(Costs.from_dict, {**GIVEN, ("q", "q"): 0.9}) == message
    square[1, 1], square[2, 2] = 1, 0
    assert (
        refused(Costs.from_matrix, ["p", "q"], square) == "'none' must be like itself: 1, found 0"
    )


def test_two_similarities_of_one_pair_must_be_meant():
    square = np.array(SQUARE, dtype=float)
    square[0, 1] = 0.75
    message = "'p' and 'q' have two different similarities (0.75 and 0.5). If that is meant: "
    assert message in refused(Costs.from_matrix, ["p", "q"], square)
    assert Costs.from_matrix(["p", "q"], square, symmetric=False).similarity[0, 1] == 0.75
    both = {("p", "q"): 0.5, ("q", "p"): 0.25}
    assert "'p' and 'q' have two different similarities" in refused(Costs.from_dict, both)


def test_a_kind_cannot_be_named_like_no_boundary():
    message = 'a boundary type cannot be named "none": that means no boundary'
    assert refused(Costs.from_matrix, ["p", "none"], np.eye(3)) == message
    assert "none" in refused(Costs.from_dict, {}, moving={"none": 0.5})


@pytest.mark.parametrize("kinds", [["p", "p"], ["p", ""], ["p", 3], ["p", None]])
def test_kinds_must_be_different_names(kinds):
    message = refused(Costs.from_matrix, kinds, SQUARE)
    assert message == f"kinds (boundary types) must be different names, found {tuple(kinds)}"


@pytest.mark.parametrize("cost", [-0.1, math.nan, math.inf, "0.5", None, True])
def test_a_moving_cost_must_be_a_number_from_0_up(cost):
    message = f"the cost of moving 'q' must be from 0 up, found {cost!r}"
    assert refused(Costs.from_matrix, ["p", "q"], SQUARE, moving={"q": cost}) == message
    assert refused(Costs.from_dict, GIVEN, moving={"q": cost}) == message


def test_a_moving_cost_of_an_unknown_kind_is_refused():
    message = refused(Costs.from_matrix, ["p", "q"], SQUARE, moving={"x": 0.5})
    assert message == "a moving cost is given for 'x', which is not among ('p', 'q')"


@pytest.mark.parametrize("key", ["p", "pq", ("p",), ("p", "q", "r"), 3, ("p", 3), None])
def test_a_dict_names_two_kinds_at_a_time(key):
    message = refused(Costs.from_dict, {("p", "q"): 0.5, key: 0.5})
    assert message == f"similarities are given for two boundary types each, found {key!r}"


@pytest.mark.parametrize("value", ["high", None, [0.5], ""])
def test_a_dict_has_numbers(value):
    message = refused(Costs.from_dict, {("p", "q"): value})
    assert message == f"'p' and 'q' must have a number from 0 to 1, found {value!r}"


# Files and frames, with their name in front.


def changed(old: str, new: str) -> str:
    assert old in CSV
    return CSV.replace(old, new)


BAD_FILES = [
    ("", "is empty"),
    ("\n\n", "is empty"),
    (changed("none,0.25,0,1,\n", ""), ': a row "none" for no boundary is missing'),
    (
        "kind,p,q\np,1,0.5\nq,0.5,1\nnone,0,0\n",
        ': a column "none" for no boundary is missing',
    ),
    (changed("q,0.5,1,0,0.1\n", ""), ": rows and columns name different boundary types: q"),
    (changed("q,0.5", "x,0.5"), ": rows and columns name different boundary types: q, x"),
    (changed("q,0.5", "p,0.5"), ": a row or column 'p' stands twice"),
    (changed("p,q,none,move", "p,p,none,move"), ": a row or column 'p' stands twice"),
    (changed("p,1,0.5", "p,1,high"), ": 'p' and 'q' must have a number from 0 to 1, found 'high'"),
    (changed("p,1,0.5", "p,1,"), ": 'p' and 'q' must have a number from 0 to 1, found ''"),
    (changed("none,0.25,0,1,", "none,0.25"), ": 'none' and 'q' must have a number from 0 to 1"),
    (changed("p,1,0.5", "p,1,1.5"), ": the similarity of 'p' and 'q' must be from 0 to 1, found 1"),
    (changed("p,1,0.5", "p,1,nan"), ": the similarity of 'p' and 'q' must be from 0 to 1, found n"),
    (changed("p,1,0.5", "p,0.9,0.5"), ": 'p' must be like itself: 1, found 0.9"),
    (changed("p,1,0.5", "p,1,0.4"), ": 'p' and 'q' have two different similarities (0.4 and 0.5)"),
    (changed(",0.1\n", ",-1\n"), ": the cost of moving 'q' must be from 0 up, found -1"),
    (changed(",0.1\n", ",slow\n"), ": moving 'q' must have a number"),
    (changed("q,0.5,1,0,0.1", "q,0,5,1,0,0.1"), ": the row of 'q' has 5 cells, the first line 4"),
    ("p;q;none\np;1;0\n", ': a row "none" for no boundary is missing'),
    ('{"p": {"q": 0.5}', ": not JSON that can be read: "),
    ('{"p": {"q": 0.5}} {}', ": not JSON that can be read: "),
    ('{"p": 0.5}', ": 'p' needs an object of similarities, found 0.5"),
    ('{"p": {}, "q": [1, 2]}', ": 'q' needs an object of similarities, found [1, 2]"),
    ('{"p": {}, "none": 3}', ": 'none' needs an object of similarities, found 3"),
    ('{"p": {"x": 0.5}}', ": 'p' names 'x', which is no boundary type of the file"),
    ('{"p": {"q": "high"}, "q": {}}', ": 'p' and 'q' must have a number from 0 to 1, found 'high'"),
    ('{"p": {"q": null}, "q": {}}', ": 'p' and 'q' must have a number from 0 to 1, found None"),
    ('{"p": {"q": 2}, "q": {}}', ": the similarity of 'p' and 'q' must be from 0 to 1, found 2"),
    (
        '{"p": {"q": NaN}, "q": {}}',
        ": the similarity of 'p' and 'q' must be from 0 to 1, found nan",
    ),
    ('{"p": {"p": 0.5}}', ": 'p' must be like itself: 1, found 0.5"),
    ('{"p": {"move": -1}}', ": the cost of moving 'p' must be from 0 up, found -1"),
    ('{"p": {"q": 0.5}, "q": {}, "p": {"q": 0.6}}', ": 'p' stands twice"),
    ('{"p": {"q": 0.5, "q": 0.6}, "q": {}}', ": 'q' stands twice"),
]


@pytest.mark.parametrize(("written", "message"), BAD_FILES, ids=range(len(BAD_FILES)))
def test_a_bad_file_is_refused_with_its_name_and_what_is_wrong(tmp_path, written, message):
    path = tmp_path / "mine.txt"
    path.write_text(written)
    found = refused(Costs.read, path)
    assert found.startswith("mine.txt")
    assert message in found


def test_a_file_that_cannot_be_read_is_refused_with_its_path(tmp_path):
    missing = tmp_path / "nowhere.csv"
    assert refused(Costs.read, missing).startswith(f"{missing} cannot be read: ")
    assert refused(Costs.read, tmp_path).startswith(f"{tmp_path} cannot be read: ")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("kind,é\n".encode("latin-1"))
    assert refused(Costs.read, latin).startswith(f"{latin} is not a table of costs in UTF-8: ")
    score = fp.flexible_similarity
    assert refused(score, text("p"), text("p"), costs=str(missing)).startswith(str(missing))


BAD_FRAMES = [
    (frame(p=["1", "high", "0.25"]), "'q' and 'p' must have a number from 0 to 1, found 'high'"),
    (frame(p=[1.0, None, 0.25]), "the similarity of 'q' and 'p' must be from 0 to 1, found nan"),
    (frame(kind=["p", "q", "x"]), 'a row "none" for no boundary is missing'),
    (frame(kind=["p", "p", "none"]), "a row or column 'p' stands twice"),
    (frame(kind=["p", "x", "none"]), "rows and columns name different boundary types: q, x"),
    (frame(x=[0.0, 0.0, 0.0]), "rows and columns name different boundary types: x"),
    (frame(move=[-1.0, 0.0, 0.0]), "the cost of moving 'p' must be from 0 up, found -1.0"),
    (frame(move=["slow", "0.1", ""]), "moving 'p' must have a number from 0 up, found 'slow'"),
    ({"kind": ["p", "none"], "p": [1, 0]}, 'a column "none" for no boundary is missing'),
    ({}, "it is empty"),
]


@pytest.mark.parametrize(("columns", "message"), BAD_FRAMES, ids=range(len(BAD_FRAMES)))
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_a_bad_frame_is_refused_with_what_is_wrong(library, columns, message):
    assert refused(Costs.from_frame, library.DataFrame(columns)) == f"the data frame: {message}"


def test_random_squares_make_costs_or_are_refused():
    # Nothing but CostsError, whatever the numbers are.
    rng = random.Random(3)
    values = [0, 0.5, 1, 1, 1, -1, 2, math.nan, "x", None, True]
    made = 0
    for _ in range(2000):
        a, b, c = (
            rng.choice(values[:5]) if rng.random() < 0.9 else rng.choice(values) for _ in "abc"
        )
        square = [[1, a, b], [a, 1, c], [b, c, rng.choice([1, 1, 1, 0])]]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                costs = Costs.from_matrix(["p", "q"], square)
        except CostsError:
            continue
        made += 1
        assert ((costs.similarity >= 0) & (costs.similarity <= 1)).all()
    assert 500 < made < 2000


TOKENS = "token,ref,hyp\nw1,a,c\nw2,,\nw3,b,\nw4,,a\nw5,c,b\n"
TYPE_SQUARE = ",a,b,c,none\na,1,0.5,0.25,0.2\nb,0.5,1,0.75,0\nc,0.25,0.75,1,0\nnone,0.2,0,0,1\n"


def score_tokens(folder, *words):
    (folder / "t.csv").write_text(TOKENS)
    done = run("score", "t.csv", "--ref-field", "ref", "--hyp-field", "hyp", "--no-baselines",
               "--no-intervals", "--json", *words, cwd=folder)  # fmt: skip
    return (
        [row["value"] for row in json.loads(done.stdout)["rows"]] if not done.returncode else done
    )


def test_a_file_of_costs_prices_the_substitutions_of_b(tmp_path):
    (tmp_path / "c.csv").write_text(TYPE_SQUARE)
    ref = Segmentation.from_marks(["a", "", "b", "", "c"])
    hyp = Segmentation.from_marks(["c", "", "", "a", "b"])
    prices = {("a", "b"): 0.5, ("a", "c"): 0.75, ("b", "c"): 0.25}
    by_costs, by_prices = (
        score_tokens(tmp_path, "-m", "B", "--costs", "c.csv"),
        fp.boundary_similarity(ref, hyp, substitution=prices),
    )
    assert by_costs == [by_prices.value] != score_tokens(tmp_path, "-m", "B")
    both = score_tokens(tmp_path, "-m", "Sf", "B", "--costs", "c.csv")
    assert both[1:] == by_costs
    twice = score_tokens(tmp_path, "-m", "B", "--costs", "c.csv", "--types", "a<b<c")
    assert twice.returncode == 2 and "give one of the two" in twice.stderr
    assert "has no prices" in score_tokens(tmp_path, "-m", "B", "--costs", "identity").stderr


def test_costs_with_a_direction_are_read_for_a_metric_with_a_direction(tmp_path):
    (tmp_path / "c.csv").write_text(TYPE_SQUARE.replace("b,0.5,1", "b,0.125,1"))
    refused = score_tokens(tmp_path, "-m", "Sf", "--costs", "c.csv")
    assert "-m Sf:symmetric=no --costs FILE" in refused.stderr
    costs = Costs.read(tmp_path / "c.csv", symmetric=False)
    ref = Segmentation.from_marks(["a", "", "b", "", "c"])
    hyp = Segmentation.from_marks(["c", "", "", "a", "b"])
    expected = fp.flexible_similarity(ref, hyp, costs=costs, symmetric=False).value
    assert score_tokens(tmp_path, "-m", "Sf:symmetric=no", "--costs", "c.csv") == [expected]


def test_costs_made_in_a_loop_are_released():
    for number in range(3 * MAX_KEPT_COSTS):
        fp.flexible_similarity.recipe(costs=Costs.from_dict({("a", "b"): number / 1000}))
    gc.collect()
    assert len(MADE) <= 2 * MAX_KEPT_COSTS  # tests before this one may hold some of their own


def test_costs_in_use_are_found_by_their_digest():
    costs = Costs.from_dict({("a", "b"): 0.123})
    ref, hyp = Segmentation(6, [2], [1], ["a"]), Segmentation(6, [3], [1], ["b"])
    score = fp.flexible_similarity(ref, hyp, costs=costs)
    for number in range(200):
        Costs.from_dict({("a", "b"): number / 1000 + 0.0005})
    again = fp.flexible_similarity(ref, hyp, costs=costs.digest)
    assert again.counts == score.counts and again.signature == score.signature


def test_texts_without_boundaries_are_alike_by_every_contrast_that_has_a_value():
    empty = fp.Corpus.from_dict({"t": {"a": [5], "b": [5]}})
    for norm in ("units", "edits"):
        values = {row["measure"]: row["value"] for row in fp.contrasts(empty, norm=norm)}
        alike = ("typed", "positions", "align first, type later")
        assert [values[name] for name in alike] == [1] * 3
