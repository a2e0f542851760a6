"""Two tables joined by the names of texts give what one table of both gives."""

import random
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost.batch.runs import MANIFEST
from strategies import random_pairs
from support import run

PLAN = fp.Plan("gold", ["a", "b"], encoding="masses", text="id", metrics=["windowdiff", "B"])
SKIPPING = fp.Plan(
    "gold", ["a", "b"], encoding="masses", text="id", metrics=["windowdiff", "B"], missing="skip"
)


def whole(count: int, seed: int = 3, numbers: bool = False) -> pa.Table:
    pairs = list(random_pairs(seed, count, (2, 40)))
    return pa.table(
        {
            "id": [i if numbers else f"d{i:05d}" for i in range(count)],
            "gold": [list(ref.masses) for ref, _ in pairs],
            "a": [list(hyp.masses) for _, hyp in pairs],
            "b": [list(ref.masses) for ref, _ in pairs],
        }
    )


def write(table: pa.Table, folder: Path, files: int, rows: int) -> str:
    """Write a table in several files with row groups of this size."""
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-len(table) // files)
    for number in range(files):
        part = table.slice(number * size, size)
        pq.write_table(part, folder / f"{number:03d}.parquet", row_group_size=rows)
    return str(folder / "*.parquet")


def facts(table: fp.Table) -> list[object]:
    keys = ("fingerprint", "fingerprints", "texts", "units", "reference_cuts")
    return [table.rows, [table.facts[key] for key in keys]]


@pytest.mark.slow
@given(data=st.data())
def test_a_join_is_the_table_of_both(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("join")
    table = whole(60, numbers=data.draw(st.booleans()))
    order = data.draw(st.sampled_from(["sorted", "same", "within row groups"]))
    if order == "same":
        table = table.take(random.Random(1).sample(range(60), 60))
    sizes = [data.draw(st.integers(7, 40)) for _ in range(2)]
    files = [data.draw(st.integers(1, 4)) for _ in range(2)]
    ref, hyp = table.select(["id", "gold"]), table.select(["b", "id", "a"])
    if order == "within row groups":  # 30 rows each, in one row group or cut where it may be cut
        sizes[1], files[1] = 30, 2
        hyp = hyp.take([*random.Random(2).sample(range(30), 30), *range(30, 60)])
    if data.draw(st.booleans()):
        hyp = hyp.set_column(1, "id", hyp["id"].dictionary_encode())
    one = write(table, folder / "one", files[0], sizes[0])
    left = write(ref, folder / "ref", files[0], sizes[0])
    right = write(hyp, folder / "hyp", files[1], sizes[1])
    threads = data.draw(st.integers(1, 2))
    found = fp.score_files(left, PLAN, hyp=right, threads=threads)
    assert facts(found) == facts(fp.score_files(one, PLAN))


@pytest.fixture
def tables(tmp_path):
    table = whole(200)
    ref = write(table.select(["id", "gold"]), tmp_path / "ref", 5, 30)
    hyp = write(table.select(["id", "a", "b"]), tmp_path / "hyp", 3, 50)
    return table, ref, hyp, tmp_path


def test_every_system_may_have_a_table_and_names_of_its_own(tables):
    table, ref, _, folder = tables
    a = pa.table({"doc": table["id"], "chunks": table["a"]})
    b = pa.table({"chunks": table["b"], "id": table["id"]})
    given_tables = [
        fp.Hypotheses(write(a, folder / "a", 1, 70), {"a": "chunks"}, text="doc"),
        fp.Hypotheses(write(b, folder / "b", 2, 20), {"b": "chunks"}),
    ]
    found = fp.score_files(ref, PLAN, hyp=given_tables)
    assert facts(found) == facts(fp.score_files(write(table, folder / "one", 5, 30), PLAN))
    with pytest.raises(fp.FencepostError, match="each system is in one table"):
        fp.score_files(ref, PLAN, hyp=given_tables[0])


def test_texts_without_a_partner_are_refused_or_skipped_as_score_does(tables):
    table, ref, _, folder = tables
    lacking = table.filter([i % 50 != 7 for i in range(200)])
    more = pa.concat_tables([lacking, whole(3).set_column(0, "id", [["e1", "e2", "e3"]])])
    hyp = write(more.select(["id", "a", "b"]), folder / "fewer", 2, 40)
    with pytest.raises(fp.SegmentationError, match=r"199 rows and the reference 200.*missing skip"):
        fp.score_files(ref, PLAN, hyp=hyp)
    found = fp.score_files(ref, SKIPPING, hyp=hyp)
    sides = [
        dict(zip(one["id"].to_pylist(), one[name].to_pylist(), strict=True))
        for one, name in ((table, "gold"), (more, "a"), (more, "b"))
    ]
    wanted = fp.score(
        sides[0], {"a": sides[1], "b": sides[2]}, metrics=list(PLAN.recipes), missing="skip",
        baselines=False,
    )  # fmt: skip
    shown = ("system", "value", "low", "high", "n", "signature")
    assert [[row[k] for k in shown] for row in found] == [[row[k] for k in shown] for row in wanted]
    assert "4 rows of 200 have a null or no partner and have no score" in found.notes
    assert any("the reference has 200 rows" in note and "199" in note for note in found.notes)
    same_number = write(
        pa.concat_tables([lacking, whole(4).set_column(0, "id", [["e1", "e2", "e3", "e4"]])]),
        folder / "other", 2, 40,
    )  # fmt: skip
    with pytest.raises(fp.SegmentationError, match=r"lacks 1 text of the reference \(d00007\)"):
        fp.score_files(ref, PLAN, hyp=same_number, threads=1)


def test_a_row_group_may_meet_nothing_at_all(tables):
    table, ref, _, folder = tables
    hyp = write(table.select(["id", "a", "b"]).slice(150), folder / "end", 1, 40)
    assert fp.score_files(ref, SKIPPING, hyp=hyp).facts["texts"] == 50


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(random.Random(5).sample(range(len(table)), len(table)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (shuffled, "in another order than the reference .*ORDER BY id"),
        (lambda t: shuffled(t).slice(1), "199 rows and the reference 200, and row groups share"),
        (lambda t: t.set_column(0, "id", [["d00000", *t["id"].to_pylist()[:-1]]]),
         "d00000 is the name of two rows"),
        (lambda t: t.set_column(0, "id", [[None, *t["id"].to_pylist()[1:]]]), "lacks 1 text"),
        (lambda t: t.set_column(0, "id", [list(range(200))]), "'d00000' in the reference, 0 in"),
        (lambda t: t.rename_columns(["id", "a", "c"]), "no column b; there are id, a, c"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_refused(tables, change, message):
    table, ref, _, folder = tables
    changed = change(table.select(["id", "a", "b"]))
    hyp = write(changed, folder / "changed", 2, 40)
    plan = SKIPPING if len(changed) < 200 else PLAN
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_files(ref, plan, hyp=hyp, threads=1)


def test_a_join_needs_names_and_row_groups(tables):
    _, ref, hyp, folder = tables
    with pytest.raises(fp.FencepostError, match="--columns text=NAME"):
        fp.score_files(ref, fp.Plan("gold", "a", encoding="masses"), hyp=hyp)
    (folder / "x.jsonl").write_text('{"id": "d", "a": [3]}\n', encoding="utf-8")
    plan = fp.Plan("gold", "a", encoding="masses", text="id")
    with pytest.raises(fp.FencepostError, match=r"x\.jsonl: tables are joined row group"):
        fp.score_files(ref, plan, hyp=folder / "x.jsonl")
    with pytest.raises(fp.FencepostError, match="another name"):
        fp.score_files(ref, fp.Plan("gold", "id", encoding="masses", text="id"), hyp=hyp)


def test_broken_files_are_named(tables):
    _, ref, hyp, folder = tables
    broken = folder / "hyp" / "001.parquet"
    data = broken.read_bytes()
    broken.write_bytes(data[:100] + b"x" * 300 + data[400:])
    found = fp.score_files(ref, PLAN, hyp=hyp)
    assert any("hyp/001.parquet cannot be read" in note for note in found.notes)
    with pytest.raises(fp.FencepostError, match=r"hyp/001\.parquet cannot be read"):
        fp.score_files(ref, PLAN, hyp=hyp, strict=True)
    broken.write_bytes(b"PAR1")
    with pytest.raises(fp.FencepostError, match=r"hyp/001\.parquet cannot be read"):
        fp.score_files(ref, PLAN, hyp=hyp)
    broken.write_bytes(data)
    (folder / "ref" / "000.parquet").write_bytes(b"PAR1")
    with pytest.raises(fp.FencepostError, match=r"ref/000\.parquet cannot be read"):
        fp.score_files(ref, PLAN, hyp=hyp)


def test_a_join_is_saved_and_resumed_with_the_files_of_both_sides(tables):
    _, ref, hyp, folder = tables
    saved = folder / "saved"
    wanted = fp.score_files(ref, PLAN, hyp=hyp, save=saved)
    manifest = saved / MANIFEST
    lines = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join(lines[:4]))
    found = fp.score_files(ref, PLAN, hyp=hyp, save=saved, resume=True)
    assert facts(found) == facts(wanted)
    # What meets another file than before is counted again.
    changed = folder / "hyp" / "000.parquet"
    table = pq.read_table(changed)
    name = next(one for one in table.column_names if one != "id")
    other = table.set_column(table.column_names.index(name), name, [_whole(table[name])])
    pq.write_table(other, changed, row_group_size=50)
    found = fp.score_files(ref, PLAN, hyp=hyp, save=saved, resume=True)
    assert facts(found) == facts(fp.score_files(ref, PLAN, hyp=hyp)) != facts(wanted)


def _whole(column):
    """One segment for each text."""
    return pa.array([[sum(sizes)] for sizes in column.to_pylist()])


# The command.


def test_the_command_joins_patterns(tables):
    table, ref, hyp, folder = tables
    columns = ("--columns", "ref=gold,hyp=a,text=id", "--encoding", "masses", "-m", "B")
    done = run("score", ref, "-i", hyp, *columns, "--csv")
    assert done.returncode == 0, done.stderr
    plan = fp.Plan("gold", "hyp", encoding="masses", text="id", metrics="B")
    one = table.select(["id", "gold", "a"]).rename_columns(["id", "gold", "hyp"])
    (row,) = fp.score_files(write(one, folder / "one", 5, 30), plan)
    assert str(row["value"]) in done.stdout and "\nhyp,gold," in done.stdout
    named = run("score", ref, "-i", f"ours={hyp}", *columns)
    text = " ".join(named.stdout.split())
    assert f"joined by id with {hyp}, one row per text: gold is the reference, ours the" in text
    both = run("score", ref, "-i", hyp, "--columns", "ref=gold,hyp=a,hyp=b,text=id", *columns[2:])
    assert "hyp a" in both.stdout and "hyp b" in both.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--missing", "whole"), "--missing whole does not apply"),
        (("--columns", "ref=gold,hyp=a"), "--columns text=NAME"),
    ],
)
def test_the_command_says_what_a_join_lacks(tables, options, message):
    _, ref, hyp, _ = tables
    columns = ("--columns", "ref=gold,hyp=a,text=id", "--encoding", "masses")
    done = run("score", ref, "-i", hyp, *columns, *options)
    assert done.returncode in (1, 2) and message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_pattern_without_a_folder_needs_a_name(tables, monkeypatch):
    _, ref, _, folder = tables
    monkeypatch.chdir(folder / "hyp")
    done = run("score", ref, "-i", "*.parquet", "--columns", "ref=gold,text=id")
    assert done.returncode == 2 and "Name it: -i NAME=*.parquet" in done.stderr


@pytest.mark.parametrize("more", [(), ("--missing", "whole"), ("--missing", "skip")])
def test_patterns_that_the_shell_has_seen_are_refused_with_the_quoted_command(
    tables, monkeypatch, more
):
    _, ref, hyp, folder = tables
    monkeypatch.chdir(folder)
    files = [
        sorted(str(path.relative_to(folder)) for path in Path(one).parent.glob("*.parquet"))
        for one in (ref, hyp)
    ]
    assert min(map(len, files)) > 1
    columns = ("--columns", "ref=gold,hyp=a,text=id", "--encoding", "masses", "-m", "B")
    done = run("score", *files[0], "-i", *files[1], *columns, *more)
    assert done.returncode == 2 and done.stdout == "" and "--missing" not in done.stderr
    command = done.stderr.partition("Quote their patterns: ")[2].strip()
    words = shlex.split(command)[1:]
    assert words == [
        "score", str(Path(ref).relative_to(folder)), "-i", str(Path(hyp).relative_to(folder)),
        *columns,
    ]  # fmt: skip
    again = run(*words)
    assert again.returncode == 0 and "200 texts" in again.stdout


def test_annotators_and_systems_in_tables_of_their_own_are_read_as_before(tmp_path):
    table = whole(30)
    for name, column in (("anna", "gold"), ("ben", "b"), ("x", "a"), ("y", "b")):
        one = table.select(["id", column]).rename_columns(["id", "ref"])
        pq.write_table(one, tmp_path / f"{name}.parquet")
    asked = ("--encoding", "masses", "-m", "B", "--columns", "text=id,ref=ref,hyp=ref")
    both = ("anna.parquet", "ben.parquet", "-i", "x.parquet", "y.parquet")
    done = run("score", *both, *asked, cwd=tmp_path)
    assert done.returncode == 0 and "human ceiling" in done.stdout
    # Annotators may have different texts, where each system has all of them.
    for name, rows in (("anna", slice(0, 15)), ("ben", slice(15, 30))):
        own = pq.read_table(tmp_path / f"{name}.parquet")[rows]
        pq.write_table(own, tmp_path / f"{name}.parquet")
    done = run("score", *both, *asked, cwd=tmp_path)
    assert done.returncode == 0 and "anna has 15 of the 30 texts" in done.stdout


@pytest.mark.parametrize("sides", [("folder", "folder"), ("folder", "pattern"), ("file", "folder")])
def test_folders_of_parquet_files_are_runs_on_either_side(tables, sides, tmp_path):
    table, ref, hyp, _ = tables
    one = table.select(["id", "gold"])
    pq.write_table(one, tmp_path / "gold.parquet", row_group_size=20)
    given = {
        ("folder", 0): str(Path(ref).parent), ("folder", 1): str(Path(hyp).parent),
        ("pattern", 1): hyp, ("file", 0): str(tmp_path / "gold.parquet"),
    }  # fmt: skip
    columns = ("--columns", "ref=gold,hyp=a,text=id", "--encoding", "masses", "-m", "B", "--csv")
    done = run("score", given[sides[0], 0], "-i", given[sides[1], 1], *columns)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run("score", ref, "-i", hyp, *columns).stdout
