"""A run says what fp.score says of the same texts, also where their rows are not kept."""

from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost.batch import runs as runs_module
from fencepost.batch import totals as totals_module
from fencepost.metrics.registry import parse
from fencepost.metrics.tally import Tally
from fencepost.model.pairs import Pairs
from fencepost.options import read_names
from strategies import random_pairs
from support import run

METRICS = ["pk", "windowdiff", "F", "B", "windowdiff:k=3"]


def texts():
    """Texts with windows of several widths, some of 1, and some without any."""
    pairs = list(random_pairs(4, 60, (2, 40)))
    gold = [list(ref.masses) for ref, _ in pairs] + [[1], [1], [2]]
    return {"gold": gold, "a": [list(hyp.masses) for _, hyp in pairs] + [[1], [1], [1, 1]]}


def both(tmp_path, metrics, few, monkeypatch, least=1, **settings):
    """Return the table of fp.score and that of a run whose rows are kept or not."""
    if not few:
        for module in (runs_module, totals_module):
            monkeypatch.setattr(module, "NORMAL_ABOVE_TEXTS", 20)
    found = texts()
    keep = [i for i, sizes in enumerate(found["gold"]) if sum(sizes) >= least]
    found = {name: [own[i] for i in keep] for name, own in found.items()}
    pq.write_table(pa.table(found), tmp_path / "t.parquet", row_group_size=10)
    alone = fp.score(found["gold"], {"a": found["a"]}, metrics=metrics, baselines=False, **settings)
    plan = fp.Plan("gold", "a", encoding="masses", metrics=metrics, **settings)
    return alone, fp.score_files(tmp_path / "t.parquet", plan, threads=2)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("average", ["macro", "both"])
def test_a_run_notes_what_score_notes(tmp_path, monkeypatch, few, average):
    alone, whole = both(tmp_path, METRICS, few, monkeypatch, average=average)
    assert whole.facts["settings"] == alone.facts["settings"] != []
    assert any("k from 1 to" in fact for fact in whole.facts["settings"])
    about_intervals = [note for note in alone.notes if note not in whole.notes]
    assert all("interval" in note for note in about_intervals) and not (few and about_intervals)
    said = " ".join(whole.notes)
    assert "are undefined on 2 texts (one unit, or no window fits), ignored for all" in said
    assert "k is 1 in " in said and f"of {len(texts()['gold'])} texts" in said
    assert [row["undefined"] for row in whole] == [row["undefined"] for row in alone]


@pytest.mark.parametrize("few", [True, False])
def test_a_run_says_which_convention_is_not_known(tmp_path, monkeypatch, few):
    alone, whole = both(tmp_path, ["pk", "F"], few, monkeypatch, least=9, like="nltk")
    note = "no nltk convention is known for boundary_f: its own default is used"
    assert note in whole.notes and note in alone.notes


def test_the_systems_that_cause_undefined_texts_are_named(tmp_path, monkeypatch):
    (tmp_path / "m.py").write_text(
        "def share(ref, hyp):\n"
        "    return len(ref.cuts) / len(hyp.cuts) if len(hyp.cuts) else float('nan')\n"
    )
    rows = {"gold": [[5, 5]] * 30, "a": [[4, 6]] * 27 + [[10]] * 3, "b": [[4, 6]] * 30}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet", row_group_size=7)
    metric = f"{tmp_path / 'm.py'}:share:better=higher"
    plan = fp.Plan("gold", ["a", "b"], encoding="masses", metrics=[metric])
    notes = []
    for limit in (10_000, 20):
        for module in (runs_module, totals_module):
            monkeypatch.setattr(module, "NORMAL_ABOVE_TEXTS", limit)
        notes.append(fp.score_files(tmp_path / "t.parquet", plan).notes)
    said = "share is undefined on 3 texts, ignored for all systems because of a"
    assert all(said in own for own in notes)


def test_undefined_texts_are_in_the_plain_output_of_many_texts(tmp_path):
    rows = {"gold": [[5, 5]] * 11_000 + [[1]] * 1000, "a": [[4, 6]] * 11_000 + [[1]] * 1000}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet", row_group_size=5000)
    asked = ("--columns", "ref=gold,hyp=a", "--encoding", "masses", "-m", "windowdiff", "--strict")
    done = run("score", "t.parquet", *asked, "--save", "saved", cwd=tmp_path)
    assert done.returncode == 0
    note = "windowdiff is undefined on 1000 texts (one unit, or no window fits), ignored for all"
    assert note in " ".join(done.stdout.split()) and "; k 3" in done.stdout
    again = run("score", "t.parquet", *asked, "--save", "saved", "--resume", cwd=tmp_path)
    assert again.stdout == done.stdout


def test_rows_that_a_system_lacks_have_no_part_in_notes():
    table = pa.table({"gold": [[1, 1], [1, 1], [9, 9]], "a": [[1, 1], None, [9, 9]]})
    frame = fp.score_frame(table, "gold", "a", encoding="masses", metrics="pk")
    assert frame["nulls"].to_pylist() == [1]
    totals = totals_module.Totals.for_plan(plan := fp.Plan("gold", ["a"], encoding="masses",
                                                           metrics="pk"))  # fmt: skip
    for counted in runs_module.count_batches(table, plan):
        totals.add(counted)
    assert "k is 1 in 1 of 2 texts" in " ".join(totals.table(plan).notes)


TYPED = {"kinds": {"gold": "gt", "a": "at", "b": "bt"}, "encoding": "positions", "units": "n"}


def typed_texts(names, count=40):
    """Return the texts of a reference and two systems, one boundary per position."""
    rng = np.random.default_rng(11)

    def one(units):
        cuts = np.flatnonzero(rng.random(units - 1) < 0.3) + 1
        return fp.Segmentation(units, cuts, rng.integers(1, len(names) + 1, len(cuts)), names)

    sizes = {f"t{i}": int(rng.integers(1, 30)) for i in range(count)}
    return {side: {name: one(n) for name, n in sizes.items()} for side in ("gold", "a", "b")}


def typed_table(found, nulls):
    """Return the columns of typed texts; the first row groups have nothing but nulls."""
    lists, rows = pa.list_(pa.string()), len(found["gold"])
    table = {"id": pa.array([*found["gold"]])}
    table["n"] = pa.array([seg.units for seg in found["gold"].values()])
    for side, types in TYPED["kinds"].items():
        segs = list(found[side].values())
        names = [[seg.kind_names[kind - 1] for kind in seg.kinds] for seg in segs]
        hidden = [types == "bt" and i < nulls for i in range(rows)]
        table[side] = pa.array([seg.cuts.tolist() for seg in segs], pa.list_(pa.int32()))
        table[types] = pa.array(
            [None if no else own for no, own in zip(hidden, names, strict=True)], lists
        )
    return pa.table(table)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("nulls", [0, 16])
@pytest.mark.parametrize(
    ("names", "settings"),
    [
        ((",", ".", "?"), {"metrics": ["B", "S", "Sf", "F", "pk"]}),
        ((",", ".", "?"), {"metrics": ["B", "S", "T", "L"], "types": ",<.<?"}),
        (("1", "2", "10"), {"metrics": ["B", "S", "T", "L", "WDL", "B:n_t=8"]}),
        (("x",), {"metrics": ["B", "S", "Sf", "pk"]}),
    ],
)
def test_a_run_over_types_says_what_score_says(tmp_path, monkeypatch, few, nulls, names, settings):
    if not few:
        for module in (runs_module, totals_module):
            monkeypatch.setattr(module, "NORMAL_ABOVE_TEXTS", 20)
    found = typed_texts(names)
    pq.write_table(typed_table(found, nulls), tmp_path / "t.parquet", row_group_size=7)
    keep = [f"t{i}" for i in range(nulls, 40)]
    gold, a, b = ({name: found[side][name] for name in keep} for side in ("gold", "a", "b"))
    alone = fp.score(gold, {"a": a, "b": b}, baselines=False, intervals=False, **settings)
    plan = fp.Plan("gold", ["a", "b"], text="id", kind_names=names, **TYPED, **settings)
    whole = fp.score_files(tmp_path / "t.parquet", plan, threads=2, intervals=False)
    assert whole.facts["settings"] == alone.facts["settings"]
    about_nulls = [f"{nulls} rows of 40 have a null and have no score"] * bool(nulls)
    assert [note for note in whole.notes if note not in about_nulls] == [*alone.notes]
    assert {*about_nulls} <= {*whole.notes}
    assert whole.facts["fingerprints"] == alone.facts["fingerprints"]
    for mine, theirs in zip(whole.column("signature"), alone.column("signature"), strict=True):
        fields = {**mine.fields}
        assert set(read_names(fields.pop("type-names"))) == {*names}  # a file has what it has
        assert fields == theirs.fields and mine.metric == theirs.metric
    for name in ("value", "n", "undefined"):
        own = [np.nan if cell is None else cell for cell in alone.column(name)]
        np.testing.assert_array_equal(np.array(whole.column(name)), np.array(own), name)


@given(
    data=st.data(),
    typed=st.booleans(),
    metric=st.sampled_from(["pk", "B:n_t=8", "S", "F:tolerance=3"]),
)
def test_tallies_of_parts_are_the_tally_of_all(data, typed, metric):
    names = (",", ".", "?") if typed else None
    pairs = Pairs.from_segmentations(
        *zip(*random_pairs(data.draw(st.integers(0, 99)), 9, (1, 12), names), strict=True)
    )
    recipe = parse(metric)
    ends = sorted(data.draw(st.lists(st.integers(0, 9), max_size=4)))
    parts = [pairs_of(pairs, *ends_) for ends_ in pairwise([0, *ends, 9])]
    tallies = [recipe.tally(part) for part in parts]
    assert reduce(Tally.plus, tallies, Tally()) == recipe.tally(pairs)
    assert reduce(Tally.plus, reversed(tallies)) == recipe.tally(pairs)


def pairs_of(pairs, start, end):
    rows = np.arange(start, end)
    sides = pairs.ref.take(rows), pairs.hyp.take(rows)
    return Pairs._trusted(*sides, pairs.units[rows], pairs.vocabulary)
