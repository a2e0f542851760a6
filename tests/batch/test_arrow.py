"""Arrow batches in, rows of counts out: the same numbers as one pair at a time."""

import json
import pickle
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from batch_layouts import LAYOUTS, VALUES, batch_of
from fencepost.batch.arrow import count_batches, count_columns, plan_of
from fencepost.batch.columns import read_batch
from fencepost.batch.totals import Totals
from fencepost.formats.intervals import segment
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.values import stretch_of
from fencepost.metrics.registry import Metric
from strategies import fitting, random_pairs
from strategies import texts as some_texts
from support import PAIR_METRICS

every_metric = pytest.mark.parametrize("metric", PAIR_METRICS.values(), ids=PAIR_METRICS)


def plan_for(encoding: str, metrics: Any, **more: Any) -> fp.Plan:
    settings = {"flags": "last"} if encoding == "flags" else {}
    return fp.Plan(
        "gold", "sys", encoding=encoding, metrics=metrics, text="id", units="n", **settings, **more
    )


def one_by_one(metric: Metric[Any, Any], pair: Any) -> list[float]:
    ref, hyp = pair
    recipe = metric.recipe()
    counts = recipe.count(fp.Pairs.from_segmentations([ref], [hyp], vocabulary=ref.kind_names))
    return counts[0].tolist()


def rows_of(batches: Any, plan: fp.Plan) -> list[list[float]]:
    (names,) = count_columns(plan)[0]
    return [[row[name] for name in names] for batch in batches for row in batch.to_pylist()]


@every_metric
@given(data=st.data(), pairs=some_texts(max_size=6))
def test_batches_in_any_layout_equal_one_pair_at_a_time(metric, data, pairs):
    pairs = fitting(metric.sees, pairs)
    typed = pairs[0][0].kinds is not None
    encoding = data.draw(st.sampled_from(["positions"] if typed else [*VALUES, "spans"]))
    value = data.draw(st.sampled_from(VALUES.get(encoding, ("int32",))))
    if typed:
        value = "int32"
    layout = data.draw(st.sampled_from(LAYOUTS))
    names = pairs[0][0].kind_names
    kinds = {"kinds": {"gold": "gold_types", "sys": "sys_types"}, "kind_names": names}
    plan = plan_for(encoding, [metric.recipe()], **(kinds if typed else {}))
    batch = batch_of(pairs, encoding, layout, value)
    size = data.draw(st.integers(1, len(pairs)))
    parts = [batch[i : i + size] for i in range(0, len(batch), size)]
    wanted = [one_by_one(metric, pair) for pair in pairs]
    assert rows_of(fp.score_batches(parts, plan), plan) == wanted


@every_metric
def test_many_rows_equal_one_pair_at_a_time(metric):
    pairs = fitting(metric.sees, random_pairs(5, 400, (1, 40)))
    plan = plan_for("masses", [metric.recipe()])
    batch = batch_of(pairs, "masses", "large_list", "int32")
    made = rows_of(fp.score_batches(batch, plan), plan)
    assert made == [one_by_one(metric, pair) for pair in pairs]


def test_the_positions_are_not_copied():
    pairs = list(random_pairs(1, 50))
    for layout, value in (("list", "int32"), ("large_list", "int64"), ("sliced", "int32")):
        batch = batch_of(pairs, "positions", layout, value)
        read = read_batch(batch, plan_for("positions", "pk"))
        for name, column in (("gold", read.pairs[0].ref), ("sys", read.pairs[0].hyp)):
            child = batch.column(name)
            first = child.offsets[0].as_py()
            address = child.values.buffers()[1].address + first * column.values.itemsize
            assert column.values.__array_interface__["data"][0] == address
            assert not column.values.flags.writeable


@pytest.mark.parametrize("encoding", [*VALUES, "spans"])
def test_every_library_with_arrow_streams_can_be_scored(encoding):
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pairs = list(random_pairs(3, 30))
    plan = plan_for(encoding, ["windowdiff", "B"])
    batch = batch_of(pairs, encoding, "list", "int64")
    table = pa.table(batch)
    wanted = pa.Table.from_batches(fp.score_batches(table, plan)).to_pylist()
    relation = duckdb.from_arrow(table)
    for given_form in (pl.from_arrow(table), relation, table.to_reader(), iter([batch]), batch):
        found = pa.Table.from_batches(fp.score_batches(given_form, plan)).to_pylist()
        assert found == wanted
    if encoding != "spans":
        frame = table.to_pandas()
        assert pa.Table.from_batches(fp.score_batches(frame, plan)).to_pylist() == wanted


def test_rows_with_nulls_have_no_counts_and_others_keep_theirs():
    pairs = list(random_pairs(7, 6, (5, 20)))
    gold = [list(ref.masses) for ref, _ in pairs]
    sys = [list(hyp.masses) for _, hyp in pairs]
    whole = pa.table({"gold": gold, "sys": sys, "other": gold})
    plan = fp.Plan("gold", ["sys", "other"], encoding="masses", metrics="pk")
    wanted = pa.Table.from_batches(fp.score_batches(whole, plan)).to_pylist()
    gold[1] = sys[3] = None
    holes = pa.table({"gold": gold, "sys": sys, "other": whole["other"]})
    found = pa.Table.from_batches(fp.score_batches(holes, plan)).to_pylist()
    assert set(found[1].values()) == {None}
    assert found[3]["sys.pk.windows"] is None and found[3]["other.pk.windows"] is not None
    for row in (0, 2, 4, 5):
        assert found[row] == wanted[row]


def test_a_null_row_may_have_values_of_its_own():
    values = pa.array([5, 5, 9, 9, 9, 3, 4], pa.int32())
    offsets = pa.array([0, 2, 5, 7], pa.int32())
    gold = pa.ListArray.from_arrays(offsets, values, mask=pa.array([False, True, False]))
    table = pa.table({"gold": gold, "sys": [[4, 6], [1], [3, 4]]})
    rows = pa.Table.from_batches(
        fp.score_batches(table, fp.Plan("gold", "sys", encoding="masses", metrics="pk"))
    ).to_pylist()
    assert [row["units"] for row in rows] == [10, None, 7]


def test_columns_of_any_build_are_read():
    plain = {"gold": [[5, 5], None, [3, 4]], "sys": [[4, 6], [7], [3, 4]], "id": ["x", "y", "z"]}
    plan = fp.Plan("gold", "sys", encoding="masses", metrics=["pk", "B"], text="id")
    wanted = pa.Table.from_batches(fp.score_batches(pa.table(plain), plan)).to_pylist()
    gold = pa.array(plain["gold"])
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), gold)  # whose dictionary has a null
    views = pa.array(plain["sys"], pa.large_list_view(pa.int64()))
    runs = pa.RunEndEncodedArray.from_arrays([1, 2, 3], pa.array(plain["id"]))
    for changed in (
        {"gold": coded},
        {"sys": views},
        {"id": runs},
        {"id": pa.array(plain["id"], pa.string_view())},
        {"id": pa.array([b"x", b"y", b"z"])},
    ):
        found = list(fp.score_batches(pa.table(plain | changed), plan))
        read = [
            {**row, "text": w["text"]} for row, w in zip(found[0].to_pylist(), wanted, strict=True)
        ]
        assert read == wanted


def test_a_column_of_nothing_but_nulls_has_no_scores():
    plan = fp.Plan("gold", "sys", encoding="spans", metrics="pk", text="id")
    empty = pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string()))
    spans = pa.array([[{"start": 0, "end": 5}]])
    for columns in (
        {"gold": pa.nulls(1), "sys": spans, "id": empty},
        {"gold": spans, "sys": pa.nulls(1), "id": pa.nulls(1)},
    ):
        (row,) = pa.Table.from_batches(fp.score_batches(pa.table(columns), plan)).to_pylist()
        assert set(row.values()) == {None}


def test_a_name_that_is_null_is_hashed_alike_in_a_dictionary():
    names = pa.array(["x", None, "y"])
    column = pa.array([[5], [4], [3]])
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="covering", text="id")
    made = []
    for own in (names, names.dictionary_encode()):
        totals = Totals.for_plan(plan)
        table = pa.table({"id": own, "gold": column, "sys": column})
        for counted in count_batches(table, plan):
            totals.add(counted)
        assert (totals.texts, totals.skipped) == (2, 1)  # a text without a name has no score
        made.append(totals.table(plan).facts["fingerprint"])
    assert made[0] == made[1]


@pytest.mark.parametrize("layout", ["string", "large_string", "dictionary"])
def test_names_that_are_no_text_are_one_sentence(layout):
    offsets = pa.array([0, 1, 2, 4], pa.int32()).buffers()[1]
    data = [None, offsets, pa.py_buffer(b"aba\xe9")]
    bad = pa.Array.from_buffers(pa.string(), 3, data)
    names = {
        "string": bad,
        "large_string": bad.cast(pa.large_string()),
        "dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), bad),
    }[layout]
    table = pa.table({"id": names, "gold": [[5]] * 3, "sys": [[5]] * 3})
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk", text="id")
    with pytest.raises(fp.SegmentationError, match="row 3: id is not UTF-8 text: byte 0xe9"):
        list(fp.score_batches(table, plan))
    types = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), bad)
    table = pa.table({"n": [5] * 3, "gold": [[2]] * 3, "sys": [[2]] * 3, "g": types, "s": types})
    plan = fp.Plan(
        "gold", "sys", encoding="positions", units="n", metrics="B", kind_names=["a", "b"],
        kinds={"gold": "g", "sys": "s"},
    )  # fmt: skip
    with pytest.raises(fp.SegmentationError, match="row 3, gold: g is not UTF-8 text"):
        list(fp.score_batches(table, plan))


@pytest.mark.parametrize("names", [["a", "b", "a"], ["a", "", "b"], [1, 2, 1]])
@pytest.mark.parametrize("layout", ["list", "dictionary"])
def test_a_text_has_a_name_of_its_own(names, layout):
    column = pa.array(names)
    column = column.dictionary_encode() if layout == "dictionary" else column
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk", text="id")
    table = pa.table({"id": column, "gold": [[5]] * 3, "sys": [[5]] * 3})
    message = r"row 3 \(.\): row 1 \(.\) has this name too|row 2 .*: the text has no name"
    with pytest.raises(fp.SegmentationError, match=message):
        list(fp.score_batches(table, plan))
    # A text that is null has no score, and no name that matters.
    table = table.set_column(2, "sys", pa.array([[5], None, None]))
    assert len(list(fp.score_batches(table, plan))) == 1


def test_frames_of_polars_may_have_nulls_beside_texts():
    polars = pytest.importorskip("polars")
    types = [["p", "q"], ["p"]]
    frame = polars.DataFrame(
        {"n": [10, 10], "g": [[2, 5], [3]], "gt": types, "h": [None, [3]], "ht": types}
    )
    plan = fp.Plan(
        "g", "h", encoding="positions", units="n", metrics="B", kind_names=["p", "q"],
        kinds={"g": "gt", "h": "ht"},
    )  # fmt: skip
    (batch,) = fp.score_batches(frame, plan)
    (wanted,) = fp.score_batches(frame.to_arrow(), plan)
    assert batch.to_pylist() == wanted.to_pylist()
    names = polars.Series("id", ["a", None, "b"]).cast(polars.Categorical)
    frame = polars.DataFrame({"id": names, "g": [[5, 5]] * 3, "h": [[4, 6], [5, 5], [10]]})
    plan = fp.Plan("g", "h", encoding="masses", metrics="windowdiff", text="id")
    (batch,) = fp.score_batches(frame, plan)
    assert batch.column("text").to_pylist() == ["a", None, "b"]
    assert batch.column("units").to_pylist() == [10, None, 10]
    (row,) = fp.score_frame(frame, "g", "h", encoding="masses", metrics="B", text="id").to_dicts()
    assert (row["n"], row["nulls"]) == (2, 1)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": [[1]], "gold": [[5]], "sys": [[5]]}, "names of texts are texts or whole numbers"),
        ({"id": [b"\xff"], "gold": [[5]], "sys": [[5]]}, "found binary; choose another column"),
    ],
)
def test_names_of_other_kinds_are_refused(columns, message):
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk", text="id")
    with pytest.raises(fp.SegmentationError, match=message):
        list(fp.score_batches(pa.table(columns), plan))


def test_a_column_that_is_there_twice_is_refused():
    column = pa.array([[5]])
    table = pa.Table.from_arrays([column, column, column], names=["gold", "sys", "sys"])
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk")
    with pytest.raises(fp.SegmentationError, match="sys: the name of two columns"):
        list(fp.score_batches(table, plan))


def test_a_frame_that_is_no_table_of_columns_is_refused():
    frame = pytest.importorskip("pandas").DataFrame({"gold": [[5], "x"], "sys": [[5], [5]]})
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk")
    with pytest.raises(fp.SegmentationError, match="this DataFrame cannot be read as Arrow"):
        list(fp.score_batches(frame, plan))


# Spans.


@given(st.data())
def test_spans_with_gaps_and_overlaps_are_cut_as_files_are(data):
    units = data.draw(st.integers(1, 12))
    ends = st.tuples(st.integers(0, units), st.integers(0, units)).map(sorted)
    spans = data.draw(st.lists(ends, min_size=1, max_size=5))
    gaps = data.draw(st.sampled_from([None, "segment", "join"]))
    overlap = data.draw(st.sampled_from([None, "start", "end"]))
    reading = Reading("a file", gaps=gaps, overlap=overlap)
    try:
        stretches = [stretch_of(ends, "here") for ends in spans]
        wanted, used = segment(stretches, units, reading, "here")
    except FormatError:
        wanted, used = None, {}
    rows = [[{"start": a, "end": b} for a, b in spans]]
    kind = pa.list_(pa.struct({"start": pa.int64(), "end": pa.int64()}))
    table = pa.record_batch(
        {"n": [units], "gold": pa.array(rows, kind), "sys": pa.array(rows, kind)}
    )
    plan = fp.Plan(
        "gold", "sys", encoding="spans", units="n", gaps=gaps, overlap=overlap, metrics="pk"
    )
    if wanted is None:
        with pytest.raises(fp.SegmentationError):
            read_batch(table, plan)
    else:
        batch = read_batch(table, plan)
        assert batch.pairs[0].segmentation(0, "ref") == wanted
        assert batch.used == used


def test_spans_may_be_pairs():
    pairs = [[[0, 3], [3, 5]]]
    inner = (pa.list_(pa.int64(), 2), pa.list_(pa.int32()), pa.list_view(pa.int64()))
    for kind in map(pa.list_, inner):
        batch = pa.record_batch({"gold": pa.array(pairs, kind), "sys": pa.array(pairs, kind)})
        read = read_batch(batch, fp.Plan("gold", "sys", encoding="spans", metrics="pk"))
        assert read.pairs[0].segmentation(0, "ref") == fp.Segmentation(5, [3])


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([{"start": 0, "end": None}], r"row 2 \(x\), gold: a span has no end"),
        ([[None, 5]], r"row 2 \(x\), gold: a span has no start"),
        ([[0, 3, 5]], r"row 2 \(x\), gold: a span is a start and an end, found \[0, 3, 5\]"),
        (
            [{"start": 0, "end": 5}, {"start": 5, "end": 5}],
            r"row 2 \(x\), gold: span 2 is no inter",
        ),
        ([[3, 0], [0, 5]], r"row 2 \(x\), gold: span 1 is no interval \[start, end\)"),
        ([{"begin": 0, "end": 5}], "column gold: spans are structs of start and end, or pairs"),
        ([{"start": 0.5, "end": 5.0}], "column gold: starts and ends of spans are whole numbers"),
        ([0, 5], "column gold: spans are structs of start and end, or pairs"),
    ],
)
def test_what_is_no_span_is_refused(spans, message):
    right = {dict: {"start": 0, "end": 5}, list: [0, 5], int: 0}[type(spans[0])]
    if isinstance(right, dict):
        right = dict(zip(spans[0], right.values(), strict=True))
    table = pa.table({"id": ["w", "x"], "gold": [[right], spans], "sys": [[[0, 5]], [[0, 5]]]})
    plan = fp.Plan("gold", "sys", encoding="spans", text="id", metrics="pk")
    with pytest.raises(fp.SegmentationError, match=message):
        list(fp.score_batches(table, plan))


# Plans.


def test_a_plan_is_json_and_pickles():
    costs = fp.Costs.from_dict({("p", "q"): 0.5, ("p", "none"): 0.25})
    plan = fp.Plan(
        "gold", ["a", "b"], encoding="positions", units="n", average="both",
        metrics=[
            "windowdiff:k=5", fp.flexible_similarity.recipe(costs=costs),
            fp.boundary_similarity.recipe(substitution={("p", "q"): 0.25}),
        ],
        kinds={"gold": "g", "a": "ta", "b": "tb"}, kind_names=["p", "q"],
    )  # fmt: skip
    written = json.dumps(json.loads(plan.to_json()))
    assert len(written) < 1000
    for again in (fp.Plan.from_json(written), pickle.loads(pickle.dumps(plan))):
        assert again == plan
        assert again.signatures() == plan.signatures()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"ref": "a"}', '{"metrics": [], "colour": 1}'])
def test_what_is_no_plan_is_refused(text):
    with pytest.raises(fp.FencepostError, match="not a plan that to_json has written"):
        fp.Plan.from_json(text)


def test_the_signature_is_that_of_score():
    refs, hyps = {"a": [5, 5], "b": [3, 4]}, {"a": [4, 6], "b": [3, 4]}
    metrics = ["pk", "windowdiff:k=3", "B"]
    table = fp.score(refs, hyps, metrics=metrics, baselines=False, intervals=False)
    plan = fp.Plan("gold", "sys", encoding="masses", metrics=metrics)
    assert plan.signatures() == table.column("signature")


def test_what_was_counted_carries_its_plan():
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk")
    (batch,) = fp.score_batches(pa.table({"gold": [[5]], "sys": [[5]]}), plan)
    assert plan_of(batch.schema) == plan


POSITIONS = {"encoding": "positions", "units": "n"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"encoding": "positions"}, "--columns units=NAME"),
        ({"encoding": "flags"}, 'flags="last"'),
        (
            {"encoding": "masses", "text": "id", "missing": "no"},
            "error or skip",
        ),
        ({"encoding": "masses", "flags": "last"}, "remove it"),
        ({"encoding": "sizes"}, "encoding must be masses, positions, bits, flags or spans"),
        ({"encoding": "masses", "metrics": "windowdiff:k=corpus"}, "depends on all texts together"),
        ({"encoding": "masses", "metrics": "bleu"}, "measures words"),
        ({"encoding": "masses", "kinds": {"gold": "t"}}, "--encoding positions"),
        ({**POSITIONS, "kinds": {"gold": "t"}}, "need a column for gold, sys, found gold"),
        ({**POSITIONS, "kinds": ["t", "u"]}, "kinds= gives each column its column of types"),
        ({**POSITIONS, "kinds": {"gold": "t", "sys": "u"}}, "need their names.*--type-names"),
        ({**POSITIONS, "kind_names": ["a"]}, "no column of types is: --columns"),
        ({**POSITIONS, "kind_names": ["a", "a"]}, "must differ from each other, found a, a"),
        ({**POSITIONS, "kind_names": "ab"}, "must be a list of names, found 'ab'"),
        ({"encoding": "masses", "average": "mean"}, "macro, micro or both"),
    ],
)
def test_a_plan_that_cannot_be_counted_is_refused(settings, message):
    with pytest.raises(fp.FencepostError, match=message):
        fp.Plan("gold", "sys", **settings)


@pytest.mark.parametrize(
    ("encoding", "gold", "sys", "message"),
    [
        ("masses", [5, 5], [4, 7], r"row 2 \(x\): gold has 10 units and sys 11"),
        ("masses", [5, 0], [5], r"row 2 \(x\), gold: segment sizes must be at least 1.*found 0"),
        ("masses", [5, None], [5], r"row 2 \(x\): gold has a null inside its list"),
        ("masses", [], [5], r"row 2 \(x\), gold: masses are empty"),
        ("positions", [3, 12], [3], r"row 2 \(x\), gold: no boundary can lie after unit 12"),
        ("positions", [3, 2], [3], r"row 2 \(x\), gold: .* sorted.*sizes: --encoding masses \("),
        ("bits", [0, 2], [0, 1], r"row 2 \(x\), gold: marks must be 0 or 1, found 2"),
        ("flags", [], [], r"row 2 \(x\), gold: no marks"),
    ],
)
def test_a_wrong_row_is_named(encoding, gold, sys, message):
    right = {"masses": [10], "positions": [], "bits": [0] * 9, "flags": [0] * 10}[encoding]
    columns = {"id": ["w", "x"], "gold": [right, gold], "sys": [right, sys]}
    if encoding == "positions":
        columns["n"] = [10, 10]
    plan = fp.Plan(
        "gold", "sys", encoding=encoding, text="id", metrics="pk",
        units="n" if encoding == "positions" else None,
        flags="last" if encoding == "flags" else None,
    )  # fmt: skip
    with pytest.raises(fp.SegmentationError, match=message):
        list(fp.score_batches(pa.table(columns), plan))


def test_an_undeclared_boundary_type_is_refused():
    table = pa.table({"n": [5], "gold": [[2]], "sys": [[2]], "g": [["p"]], "s": [["x"]]})
    plan = fp.Plan(
        "gold", "sys", encoding="positions", units="n", metrics="B", kind_names=["p", "q"],
        kinds={"gold": "g", "sys": "s"},
    )  # fmt: skip
    with pytest.raises(fp.SegmentationError, match="'x' is not among p, q"):
        list(fp.score_batches(table, plan))


def test_lists_of_other_things_and_missing_columns_are_refused():
    plan = fp.Plan("gold", "sys", encoding="masses", metrics="pk")
    for gold, message in (
        ([["a"]], "string$"),
        ([5], "must have lists"),
        ([[2.5]], "probabilities"),
    ):
        with pytest.raises(fp.SegmentationError, match=message):
            list(fp.score_batches(pa.table({"gold": gold, "sys": [[5]]}), plan))
    with pytest.raises(fp.SegmentationError, match="no column sys"):
        list(fp.score_batches(pa.table({"gold": [[5]]}), plan))
    with pytest.raises(fp.SegmentationError, match=r"found str$"):
        fp.score_batches("table.parquet", plan)
    lazy = pytest.importorskip("polars").LazyFrame({"gold": [[5]], "sys": [[5]]})
    with pytest.raises(fp.SegmentationError, match=r"found LazyFrame; call its collect\(\)"):
        fp.score_batches(lazy, plan)


def test_sizes_that_add_up_beyond_32_bits_are_read():
    big = pa.array([[2**31 - 1, 2**31 - 1]], pa.list_(pa.int32()))
    batch = pa.record_batch({"gold": big, "sys": big})
    read = read_batch(batch, fp.Plan("gold", "sys", encoding="masses", metrics="pk"))
    assert read.units.tolist() == [2**32 - 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"encoding": "flags", "flags": "x"}, "flags must be last or first, found 'x'"),
        ({"encoding": "spans", "gaps": "x"}, "gaps must be segment or join, found 'x'"),
        ({"encoding": "spans", "overlap": "x"}, "overlap must be start or end, found 'x'"),
        ({"encoding": ["masses"]}, "encoding must be masses"),
        ({"text": 5}, "text must be the name of a column, found 5"),
        ({"ref": None}, "ref must be the name of a column, found None"),
        ({"hyp": 5}, "hyp must be names of columns, found 5"),
        ({"hyp": ["a", 5]}, "hyp must be names of columns, found 5"),
    ],
)
def test_a_plan_has_only_values_that_there_are(settings, message):
    with pytest.raises(fp.FencepostError, match=message):
        fp.Plan(**{"ref": "gold", "hyp": "a", "encoding": "masses", "metrics": "B", **settings})


def test_nested_spans_are_refused_without_an_option_that_runs_lack():
    spans = pa.table({"gold": [[[0, 9]]], "a": [[[0, 9], [0, 4]]]})
    plan = fp.Plan("gold", "a", encoding="spans", metrics="B")
    with pytest.raises(fp.SegmentationError, match="two segments start at 0") as refused:
        list(fp.score_batches(spans, plan))
    assert "If one lies inside" not in str(refused.value)
    assert "score the file by itself with --levels nested" in str(refused.value)
