"""Runs over files: the same numbers in any number of threads, saved, killed and resumed."""

import gzip
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fencepost as fp
from fencepost.batch import runs as runs_module
from fencepost.batch import shards as shards_module
from fencepost.batch.runs import MANIFEST
from strategies import random_pairs

PLAN = fp.Plan(
    "gold", ["a", "b"], encoding="masses", text="id", metrics=["windowdiff", "B"], average="both"
)


def table_of(seed: int, count: int) -> pa.Table:
    pairs = list(random_pairs(seed, count, (2, 40)))
    return pa.table(
        {
            "id": [f"{seed}-{i}" for i in range(count)],
            "gold": [list(ref.masses) for ref, _ in pairs],
            "a": [list(hyp.masses) for _, hyp in pairs],
            "b": [list(ref.masses) for ref, _ in pairs],
            "other": list(range(count)),
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files of 300 texts in row groups of 100."""
    for seed in range(3):
        pq.write_table(table_of(seed, 300), tmp_path / f"f{seed}.parquet", row_group_size=100)
    return tmp_path


def plain_score(tables) -> fp.Table:
    whole = pa.concat_tables(tables).to_pydict()
    sides = [dict(zip(whole["id"], whole[name], strict=True)) for name in ("gold", "a", "b")]
    return fp.score(
        sides[0], {"a": sides[1], "b": sides[2]}, metrics=list(PLAN.recipes), average="both",
        baselines=False,
    )  # fmt: skip


def rows_of(table: fp.Table) -> list[dict]:
    return [{k: v for k, v in row.items() if k != "reference"} for row in table]


def test_a_run_over_files_is_the_table_of_score(folder):
    wanted = plain_score([table_of(seed, 300) for seed in range(3)])
    for threads in (1, 3):
        found = fp.score_files(str(folder / "*.parquet"), PLAN, threads=threads)
        assert rows_of(found) == rows_of(wanted)
        assert found.facts["fingerprint"] == wanted.facts["fingerprint"]
        assert found.facts["fingerprints"] == wanted.facts["fingerprints"]


@pytest.mark.slow
def test_above_10000_texts_values_are_those_of_score_and_intervals_close(tmp_path):
    table = pa.concat_tables([table_of(seed, 3000) for seed in range(4)])
    pq.write_table(table, tmp_path / "big.parquet", row_group_size=5000)
    wanted = plain_score([table])
    found = fp.score_files(tmp_path / "big.parquet", PLAN)
    for row, other in zip(rows_of(found), rows_of(wanted), strict=True):
        assert row["signature"] == other["signature"] and row["n"] == other["n"]
        assert row["value"] == other["value"]
        if other["low"] is None:
            assert row["low"] is None
            continue
        # A mean has the same interval but for rounding; pooled counts are taken as linear.
        allowed = 1e-9 if row["average"] == "macro" else 1 / row["n"]
        for end in ("low", "high"):
            margin = abs(other[end] - other["value"])
            assert abs(row[end] - other[end]) <= max(allowed * margin * 5, 1e-15)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_json_lines_are_read_like_parquet(folder, ending, monkeypatch):
    monkeypatch.setattr(shards_module, "JSON_SHARD", 1777)  # shards end inside of lines
    monkeypatch.setattr(shards_module, "JSON_BLOCK", 999)
    wanted = fp.score_files(str(folder / "*.parquet"), PLAN)
    for seed in range(3):
        lines = "".join(json.dumps(row) + "\n" for row in table_of(seed, 300).to_pylist())
        data = lines.removesuffix("\n").encode()
        path = folder / f"f{seed}.{ending}"
        path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    found = fp.score_files(str(folder / f"*.{ending}"), PLAN)
    assert rows_of(found) == rows_of(wanted)


def test_every_encoding_is_read_from_json_lines(tmp_path):
    row = {"n": 5, "m": [2, 3], "p": [2], "f": [0, 1, 0, 0, 1], "b": [0, 1, 0, 0]}
    row |= {"s": [{"start": 0, "end": 2}, {"start": 2, "end": 5}], "q": [[0, 2], [2, 5]]}
    row |= {f"{name}2": row[name] for name in "mpfbsq"}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    kinds = {"m": "masses", "p": "positions", "f": "flags", "b": "bits", "s": "spans", "q": "spans"}
    for name, encoding in kinds.items():
        plan = fp.Plan(
            name, f"{name}2", encoding=encoding, metrics="boundary_f", units="n",
            flags="last" if name == "f" else None,
        )  # fmt: skip
        table = fp.score_files(tmp_path / "x.jsonl", plan)
        assert table[0]["value"] == 1 and table.facts["reference_cuts"] == 1


GOOD = '{"id": "d", "gold": [5, 5], "a": [4, 6]}\n'


def run_json(folder: Path, lines: str | bytes, encoding: str = "masses", **more) -> fp.Table:
    path = folder / "x.jsonl"
    path.write_bytes(lines if isinstance(lines, bytes) else lines.encode())
    plan = fp.Plan("gold", "a", encoding=encoding, metrics="windowdiff:k=2", **more)
    return fp.score_files(path, plan, threads=1)


@pytest.mark.parametrize(
    "lines",
    [
        '{"gold": [5]}\n' + GOOD,
        '{"id": null, "gold": null, "a": null}\n' + GOOD,
        "\n \r\n" + GOOD.replace("\n", "\r\n") + '\n{"gold": null}',
    ],
)
def test_json_lines_without_a_field_have_a_null(tmp_path, lines):
    table = run_json(tmp_path, lines, text="id")
    assert table.facts["texts"] == 1 and table[0]["value"] == 0.25
    assert "1 row of 2 has a null and has no score" in table.notes


def test_json_lines_of_spans_and_marks_are_what_the_first_value_is(tmp_path):
    lines = '{"gold": null, "a": []}\n{"gold": [[0, 5]], "a": [{"start": 0, "end": 5, "n": 1}]}\n'
    with pytest.raises(fp.SegmentationError, match=r"row 2, gold: a span has no end"):
        run_json(tmp_path, '{"gold": [{"start": 0}], "a": [[0, 5]]}'.join(["{}\n", ""]), "spans")
    assert run_json(tmp_path, lines.replace("[]", "null"), "spans")[0]["n"] == 1
    marks = '{"gold": [false, true, true], "a": [0, 1, 1]}\n'
    assert run_json(tmp_path, marks, "flags", flags="last")[0]["value"] == 0


@pytest.mark.parametrize("shard", [1, 7, 40, 1000])
@pytest.mark.parametrize("block", [3, 50, 1000])
def test_errors_of_json_lines_name_row_and_line_of_the_file(tmp_path, monkeypatch, shard, block):
    monkeypatch.setattr(shards_module, "JSON_SHARD", shard)
    monkeypatch.setattr(shards_module, "JSON_BLOCK", block)
    before = GOOD * 3 + "\n" + GOOD.replace("\n", " \r\n") + " \n" + GOOD * 2
    wrong = GOOD.replace("6", "7")
    with pytest.raises(fp.SegmentationError, match=r"x\.jsonl: row 7: gold has 10 units and a 11"):
        run_json(tmp_path, before + wrong + GOOD)
    for line, why in {
        "nonsense\n": "",
        '{"gold": [5.5], "a": [4]}\n': "",
        '{"gold": ["5"], "a": [4]}\n': ": a value in gold must be a number, found a text",
    }.items():
        with pytest.raises(fp.FencepostError, match=re.escape("cannot be read: line 9") + ".*"
                           + re.escape(why)):  # fmt: skip
            run_json(tmp_path, before + line + GOOD)
    with pytest.raises(fp.FencepostError, match=r"line 1 must be a JSON object.*found \[1,2\]"):
        run_json(tmp_path, "[1,2]\n" + GOOD)


def test_addresses_name_files_too(folder):
    wanted = fp.score_files(str(folder / "*.parquet"), PLAN)
    found = fp.score_files(f"file://{folder}/*.parquet", PLAN)
    assert rows_of(found) == rows_of(wanted)


# Saved runs.


def part(folder: Path, number: int) -> Path:
    return sorted(folder.glob("part-*"))[number]


def parts_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*"))}


def test_a_saved_run_has_the_rows_that_score_batches_gives(folder, tmp_path):
    saved = tmp_path / "saved"
    fp.score_files(str(folder / "*.parquet"), PLAN, save=saved)
    rows = [pq.read_table(path) for path in sorted(saved.glob("part-*"))]
    tables = [table_of(seed, 300) for seed in range(3)]
    wanted = pa.Table.from_batches(fp.score_batches(pa.concat_tables(tables), PLAN))
    assert pa.concat_tables(rows).to_pylist() == wanted.to_pylist()
    assert len(rows) == 9 and not list(saved.glob(".*"))


@pytest.mark.slow
def test_a_run_that_was_stopped_anywhere_goes_on_to_the_same_result(folder, tmp_path):
    whole, saved = tmp_path / "whole", tmp_path / "saved"
    wanted = fp.score_files(str(folder / "*.parquet"), PLAN, save=whole)
    fp.score_files(str(folder / "*.parquet"), PLAN, save=saved)
    manifest = (saved / MANIFEST).read_bytes()
    lines = manifest.splitlines(keepends=True)
    cut = b"".join(lines[:4]) + lines[4][: len(lines[4]) // 2]  # a kill in the middle of a line
    for content in (cut, lines[0], b"".join(lines[:6])):
        (saved / MANIFEST).write_bytes(content)
        part(saved, 1).unlink()  # noted, but not there
        found = fp.score_files(str(folder / "*.parquet"), PLAN, save=saved, resume=True, threads=2)
        assert rows_of(found) == rows_of(wanted)
        assert parts_of(saved) == parts_of(whole)


def _replaced(path, old, new):
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def _other_counts(path):
    table = pq.read_table(path)
    name = next(n for n in table.column_names if pa.types.is_int64(table.schema.field(n).type))
    at = table.column_names.index(name)
    pq.write_table(table.set_column(at, name, pa.array([1] * len(table), pa.int64())), path)


@pytest.mark.parametrize("changed", [
    lambda saved: _other_counts(part(saved, 2)),
    lambda saved: part(saved, 2).write_bytes(b""),
    lambda saved: part(saved, 1).write_bytes(
        part(saved, 2).read_bytes()),
    lambda saved: _replaced(saved / MANIFEST, b'"texts": ', b'"texts": 9'),
    lambda saved: _replaced(saved / MANIFEST, b'"part": "part-000000-000001', b'"part": "part-1'),
    lambda saved: _replaced(saved / MANIFEST, b'{"part": "part-', b'["part": "part-'),
])  # fmt: skip
def test_a_shard_that_was_changed_is_counted_again(folder, tmp_path, changed):
    saved, paths = tmp_path / "saved", str(folder / "*.parquet")
    wanted = fp.score_files(paths, PLAN, save=saved)
    rows = [pq.read_table(saved / name) for name in parts_of(saved)]
    changed(saved)
    found = fp.score_files(paths, PLAN, save=saved, resume=True)
    assert rows_of(found) == rows_of(wanted)
    assert [pq.read_table(saved / name) for name in parts_of(saved)] == rows


@pytest.mark.slow
def test_a_killed_process_is_resumed(tmp_path):
    table = table_of(1, 400)
    pq.write_table(pa.concat_tables([table] * 60), tmp_path / "x.parquet", row_group_size=400)
    code = (
        "import fencepost as fp, sys, time\n"
        "from fencepost.batch import runs\n"
        "count = runs.count_batches\n"
        "def slow(*given):\n"
        "    time.sleep(0.05)\n"
        "    return count(*given)\n"
        "runs.count_batches = slow\n"
        f"plan = fp.Plan.from_json({PLAN.to_json()!r})\n"
        f"fp.score_files({str(tmp_path / 'x.parquet')!r}, plan, save={str(tmp_path / 's')!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    manifest = tmp_path / "s" / MANIFEST
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if manifest.exists() and manifest.read_bytes().count(b"\n") > 5:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = manifest.read_bytes().count(b"\n") - 1
    assert 5 <= finished < 60
    found = fp.score_files(tmp_path / "x.parquet", PLAN, save=tmp_path / "s", resume=True)
    wanted = fp.score_files(tmp_path / "x.parquet", PLAN)
    assert rows_of(found) == rows_of(wanted)
    assert len(parts_of(tmp_path / "s")) == 60


def test_a_folder_with_another_run_is_not_touched(folder, tmp_path):
    saved = tmp_path / "saved"
    paths = str(folder / "*.parquet")
    fp.score_files(paths, PLAN, save=saved)
    before = parts_of(saved)
    with pytest.raises(fp.FencepostError, match="--resume"):
        fp.score_files(paths, PLAN, save=saved)
    other = fp.Plan("gold", "a", encoding="masses", metrics="pk")
    with pytest.raises(fp.FencepostError, match="another plan"):
        fp.score_files(paths, other, save=saved, resume=True)
    with pytest.raises(
        fp.FencepostError, match=r"has the counts of .*f1\.parquet, which is not among the files"
    ):
        fp.score_files(
            [folder / "f0.parquet", folder / "f2.parquet"], PLAN, save=saved, resume=True
        )
    assert parts_of(saved) == before


def test_a_metric_file_that_was_edited_is_not_mixed_with_what_was_counted(folder, tmp_path):
    """The counts of the old function and the new one would be added up."""
    source, saved = tmp_path / "my.py", tmp_path / "saved"
    code = "def diff(ref, hyp):\n    return float(abs(len(ref.cuts) - len(hyp.cuts)))\n"
    source.write_text(code, encoding="utf-8")

    def plan() -> fp.Plan:
        return fp.Plan("gold", "a", encoding="masses", metrics=f"{source}:diff", text="id")

    first = plan()
    written, pickled = first.to_json(), pickle.dumps(first)
    assert fp.Plan.from_json(written) == first == pickle.loads(pickled)
    wanted = fp.score_files(str(folder / "*.parquet"), first, save=saved)
    manifest = (saved / MANIFEST).read_bytes()
    (saved / MANIFEST).write_bytes(b"".join(manifest.splitlines(keepends=True)[:3]))
    source.write_text(code.replace("abs", "2 * abs"), encoding="utf-8")
    with pytest.raises(fp.MetricError, match=r"my\.py has changed \(\w{8}, now \w{8}\) since"):
        fp.score_files(str(folder / "*.parquet"), plan(), save=saved, resume=True)
    for read in (lambda: fp.Plan.from_json(written), lambda: pickle.loads(pickled)):
        with pytest.raises(fp.MetricError, match="since the plan was made"):
            read()
    source.write_text(code, encoding="utf-8")
    again = fp.score_files(str(folder / "*.parquet"), plan(), save=saved, resume=True)
    assert rows_of(again) == rows_of(wanted)


@pytest.mark.slow
def test_a_repaired_file_and_a_changed_one_are_counted_when_a_run_is_resumed(folder, tmp_path):
    saved, paths = tmp_path / "saved", str(folder / "*.parquet")
    data = (folder / "f1.parquet").read_bytes()
    (folder / "f1.parquet").write_bytes(data[:1000])
    first = fp.score_files(paths, PLAN, save=saved)
    assert first.facts["texts"] == 600 and len(parts_of(saved)) == 6
    (folder / "f1.parquet").write_bytes(data)
    kept = parts_of(saved)
    repaired = fp.score_files(paths, PLAN, save=saved, resume=True)
    assert rows_of(repaired) == rows_of(fp.score_files(paths, PLAN))
    assert len(parts_of(saved)) == 9 and kept.items() <= parts_of(saved).items()
    # Fewer row groups: the parts of all others must go.
    pq.write_table(table_of(9, 150), folder / "f1.parquet", row_group_size=100)
    changed = fp.score_files(paths, PLAN, save=saved, resume=True)
    assert rows_of(changed) == rows_of(fp.score_files(paths, PLAN))
    rows = pa.concat_tables([pq.read_table(path) for path in sorted(saved.glob("part-*"))])
    assert rows["text"].to_pylist() == [
        f"{seed}-{i}" for seed, count in ((0, 300), (9, 150), (2, 300)) for i in range(count)
    ]


@pytest.mark.slow
def test_a_file_that_breaks_later_keeps_its_parts_and_has_no_part_in_the_result(folder, tmp_path):
    saved, paths = tmp_path / "saved", str(folder / "*.parquet")
    fp.score_files(paths, PLAN, save=saved)
    before, path = parts_of(saved), folder / "f1.parquet"
    data, stamp = path.read_bytes(), path.stat()
    path.write_bytes(b"PAR1")
    broken = fp.score_files(paths, PLAN, save=saved, resume=True)
    assert broken.facts["texts"] == 600 and parts_of(saved) == before
    path.write_bytes(data)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert fp.score_files(paths, PLAN, save=saved, resume=True).facts["texts"] == 900
    assert parts_of(saved) == before


@pytest.mark.slow
def test_more_files_can_be_counted_into_a_saved_run(folder, tmp_path):
    saved, paths = tmp_path / "saved", str(folder / "*.parquet")
    fp.score_files([folder / "f0.parquet", folder / "f2.parquet"], PLAN, save=saved)
    found = fp.score_files(paths, PLAN, save=saved, resume=True)
    assert rows_of(found) == rows_of(fp.score_files(paths, PLAN))
    assert len(parts_of(saved)) == 9


def test_results_never_replace_what_a_folder_has(folder, tmp_path):
    """Parts of Spark and of others have names like ours; inputs may be in the folder."""
    paths = str(folder / "*.parquet")
    inputs = {path: path.read_bytes() for path in folder.glob("*.parquet")}
    with pytest.raises(fp.FencepostError, match="is not empty, and has no run of fencepost"):
        fp.score_files(paths, PLAN, save=folder)
    other = tmp_path / "other"
    other.mkdir()
    table = table_of(0, 300)
    pq.write_table(table, other / "part-000000.parquet")
    for resume in (False, True):
        with pytest.raises(fp.FencepostError, match="is not empty"):
            fp.score_files(str(other / "*"), PLAN, save=other, resume=resume)
    assert pq.read_table(other / "part-000000.parquet") == table
    assert {path: path.read_bytes() for path in inputs} == inputs


@pytest.mark.parametrize("pattern", ["**/*.parquet", "**/*.jsonl", ""])
def test_results_are_never_read_as_inputs(folder, tmp_path, pattern):
    saved = folder / "saved"
    if pattern.endswith("jsonl"):
        lines = "".join(json.dumps(row) + "\n" for row in table_of(1, 30).to_pylist())
        (folder / "x.jsonl").write_text(lines, encoding="utf-8")
    first = fp.score_files(str(folder / pattern), PLAN, save=saved)
    again = fp.score_files(str(folder / pattern), PLAN, save=saved, resume=True)
    assert rows_of(again) == rows_of(first) and again.facts["files"] == first.facts["files"]
    with pytest.raises(fp.FencepostError, match="where no inputs are read"):
        fp.score_files([folder / "f0.parquet", part(saved, 0)], PLAN, save=saved, resume=True)


@pytest.mark.slow
def test_intervals_depend_on_texts_that_were_scored_and_on_no_order(tmp_path, monkeypatch):
    """Of a file that breaks in its second row group, the first may be counted before others."""
    monkeypatch.setattr(runs_module, "NORMAL_ABOVE_TEXTS", 700)
    monkeypatch.setattr("fencepost.batch.totals.NORMAL_ABOVE_TEXTS", 700)
    pq.write_table(table_of(5, 1000), tmp_path / "bad.parquet", row_group_size=600)
    data = bytearray((tmp_path / "bad.parquet").read_bytes())
    column = pq.ParquetFile(tmp_path / "bad.parquet").metadata.row_group(1).column(1)
    at = column.dictionary_page_offset or column.data_page_offset
    data[at : at + 60] = b"\xff" * 60
    found = []
    for bad, good in (("a", "b"), ("b", "a")):
        place = tmp_path / bad
        place.mkdir()
        (place / f"{bad}.parquet").write_bytes(data)
        pq.write_table(table_of(6, 300), place / f"{good}.parquet")
        pq.write_table(table_of(7, 200), place / "c.parquet")
        for threads in (1, 2):
            paths = sorted(map(str, place.glob("*")))
            for order in (paths, paths[::-1]):
                one = fp.score_files(order, PLAN, threads=threads)
                assert one.facts["texts"] == 500 and one.facts["broken_files"]
                found.append(rows_of(one))
        saved = place / "saved"
        fp.score_files(paths, PLAN, threads=1, save=saved)
        found.append(rows_of(fp.score_files(paths, PLAN, save=saved, resume=True)))
    assert all(rows == found[0] for rows in found)


@pytest.mark.slow
def test_sums_do_not_depend_on_the_order_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr("fencepost.batch.totals.NORMAL_ABOVE_TEXTS", 100)
    for seed in range(12):
        pq.write_table(table_of(seed, 40 + seed), tmp_path / f"f{seed}.parquet")
    paths = sorted(map(str, tmp_path.glob("*.parquet")))
    wanted = rows_of(fp.score_files(paths, PLAN))
    for order in (paths[::-1], paths[5:] + paths[:5], paths[::2] + paths[1::2]):
        assert rows_of(fp.score_files(order, PLAN)) == wanted


def test_shards_are_found_from_any_folder(folder, tmp_path, monkeypatch):
    """Workers of a cluster have working directories of their own."""
    monkeypatch.chdir(folder)
    lines = "".join(json.dumps(row) + "\n" for row in table_of(1, 30).to_pylist())
    (folder / "x.jsonl").write_text(lines, encoding="utf-8")
    shards = [shards_module.shards_of(path, PLAN.columns(), 0)[0]
              for path in ("f0.parquet", "x.jsonl")]  # fmt: skip
    monkeypatch.chdir("/")
    for shard, texts in zip(shards, (100, 30), strict=True):
        totals = runs_module.score_shard(shard, PLAN, None).totals
        assert totals is not None and totals.texts == texts


@pytest.mark.slow
def test_folders_are_the_data_files_in_them(folder, tmp_path):
    wanted = fp.score_files(str(folder / "*.parquet"), PLAN)
    spark = tmp_path / "spark" / "out.parquet"  # as Spark writes them
    (spark / "day=1").mkdir(parents=True)
    for seed, name in enumerate(("part-00000-x.snappy.parquet", "day=1/p.parquet", "q.parquet")):
        (spark / name).write_bytes((folder / f"f{seed}.parquet").read_bytes())
    for name in ("_SUCCESS", ".part-00000-x.snappy.parquet.crc", "day=1/.p.parquet.crc"):
        (spark / name).write_bytes(b"")
    given = (spark, f"{spark}/", str(tmp_path / "spark" / "*"), f"file://{spark}")
    for one in given:
        found = fp.score_files(one, PLAN)
        assert rows_of(found) == rows_of(wanted) and found.facts["files"] == 3
    (tmp_path / "none").mkdir()
    with pytest.raises(fp.FencepostError, match="none is a folder without data files"):
        fp.score_files(tmp_path / "none", PLAN)


def test_one_file_by_two_names_is_given_twice(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "link.parquet").symlink_to(folder / "f0.parquet")
    for other in ("./f0.parquet", str(folder / "f0.parquet"), "link.parquet", "f*.parquet",
                  f"file://{folder}/f0.parquet"):  # fmt: skip
        with pytest.raises(fp.FencepostError, match=r"f0\.parquet.* is given twice"):
            fp.score_files(["f0.parquet", other], PLAN)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"gold": 5, "a": [5]}\n', "line 1: gold must be a list, found a number"),
        ('{"gold": "5", "a": 5}\n', "line 1: gold must be a list, found a text"),
        (GOOD + '{"gold": [5, 5], "a": 5}\n', "line 2: a must be a list, found a number"),
        ('{"gold": [true], "a": [1]}\n', "line 1: a value in gold must be a number, found boolean"),
        ('{"gold": [1], "a": [1.5]}\n', "line 1: values must be whole numbers, found 1.5"),
        ("[" * 100_000 + "]" * 100_000 + "\n", "line 1 is nested too deeply"),
        ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}\n", "line 1 is nested too deeply"),
    ],
)
def test_json_lines_of_another_shape_are_one_sentence(tmp_path, lines, message):
    with pytest.raises(fp.FencepostError, match=message):
        run_json(tmp_path, lines)
    with pytest.raises(fp.FencepostError, match=r"cannot be read|nested"):
        run_json(tmp_path, lines.replace("[5]", "[[0, 5]]"), "spans")


def test_a_field_that_is_not_read_may_be_nested_deeply(tmp_path):
    deep = '{"gold": [5, 5], "a": [4, 6], "x": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    assert run_json(tmp_path, GOOD + deep)[0]["n"] == 2


# What can go wrong.


def test_a_corrupt_file_is_named_and_the_rest_goes_on(folder):
    good = fp.score_files([folder / "f0.parquet", folder / "f2.parquet"], PLAN)
    path = folder / "f1.parquet"
    whole = path.read_bytes()
    middle = len(whole) // 2
    # The end of a Parquet file is its table of contents; the middle is data.
    in_the_middle = whole[: middle - 300] + b"x" * 600 + whole[middle + 300 :]
    for broken in (whole[:middle], b"PAR1", in_the_middle):
        path.write_bytes(broken)
        found = fp.score_files(str(folder / "*.parquet"), PLAN)
        assert rows_of(found) == rows_of(good)
        assert "1 file of 3 skipped" in found.notes
        assert any("f1.parquet cannot be read" in note for note in found.notes)
        with pytest.raises(fp.FencepostError, match=r"f1\.parquet cannot be read"):
            fp.score_files(str(folder / "*.parquet"), PLAN, strict=True)


def test_a_line_that_is_not_json_makes_a_corrupt_file(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"gold": [5], "a": [5]}\n', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"gold": [5], "a": [5]}\n{"gold": [5', encoding="utf-8")
    plan = fp.Plan("gold", "a", encoding="masses", metrics="covering")
    table = fp.score_files(str(tmp_path / "*.jsonl"), plan)
    assert table[0]["n"] == 1 and any("b.jsonl cannot be read" in note for note in table.notes)


def test_a_wrong_row_stops_the_run_with_file_and_row(folder):
    bad = table_of(5, 150).to_pydict()
    bad["a"][120] = [1]
    pq.write_table(pa.table(bad), folder / "g.parquet", row_group_size=100)
    with pytest.raises(fp.SegmentationError, match=r"g\.parquet: row 121 \(5-120\): gold has"):
        fp.score_files(str(folder / "*.parquet"), PLAN)


def test_nulls_are_counted_and_noted(folder):
    holes = table_of(7, 50).to_pydict()
    holes["a"][3] = holes["gold"][4] = None
    pq.write_table(pa.table(holes), folder / "h.parquet")
    table = fp.score_files(folder / "h.parquet", PLAN)
    assert table.facts["texts"] == 48
    assert "2 rows of 50 have a null and have no score" in table.notes


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("none/*.parquet", "no file is called"),
        ([], "no file is given"),
        ("x.csv", "batch runs read .parquet and .jsonl files"),
        ("missing.parquet", "no file could be read: missing.parquet: no such file"),
        (["x.jsonl", "x.jsonl"], "x.jsonl is given twice"),
    ],
)
def test_what_cannot_be_a_run_is_refused(files, message):
    with pytest.raises(fp.FencepostError, match=re.escape(message)):
        fp.score_files(files, PLAN)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"resume": True}, "name its folder with --save DIR"),
        ({"threads": 0}, "threads must be at least 1, found 0"),
        ({"plan": {"ref": "gold", "colour": "a"}}, "a plan has ref, hyp and encoding.*colour"),
        ({"plan": None}, "a plan is an fp.Plan or its JSON, found NoneType"),
    ],
)
def test_settings_of_a_run_that_mean_nothing_are_refused(folder, settings, message):
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_files(str(folder / "*.parquet"), **{"plan": PLAN, **settings})


def test_a_missing_column_is_refused_before_anything_is_counted(folder):
    plan = fp.Plan("gold", "c512", encoding="masses", metrics="pk")
    with pytest.raises(fp.FencepostError, match=r"f0\.parquet: no column c512; there are .*ref=N"):
        fp.score_files(str(folder / "*.parquet"), plan)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a disk that is always full")
def test_a_full_disk_gives_one_sentence_and_nothing_that_a_resume_trusts(
    folder, tmp_path, monkeypatch
):
    saved, paths = tmp_path / "saved", str(folder / "*.parquet")
    monkeypatch.setattr(runs_module, "part_name", lambda shard: "/dev/full")
    with pytest.raises(fp.FencepostError, match="cannot be written: No space left"):
        fp.score_files(paths, PLAN, save=saved, threads=1)
    monkeypatch.undo()
    found = fp.score_files(paths, PLAN, save=saved, resume=True)
    assert rows_of(found) == rows_of(fp.score_files(paths, PLAN))


def test_a_folder_that_cannot_be_written_gives_one_sentence(folder, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(fp.FencepostError, match="cannot be written"):
        fp.score_files(str(folder / "*.parquet"), PLAN, save=tmp_path / "file")
    with pytest.raises(fp.FencepostError, match="cannot be written"):
        fp.score_files(str(folder / "*.parquet"), PLAN, save=tmp_path / "no" / "such")


def test_a_damaged_page_is_told_by_its_checksum(tmp_path):
    table, path = table_of(0, 300), tmp_path / "f0.parquet"
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    column = pq.ParquetFile(path).metadata.row_group(0).column(2)
    assert column.path_in_schema == "a.list.element"
    data = bytearray(path.read_bytes())
    data[column.data_page_offset + column.total_compressed_size - 8] ^= 1  # a size, one more
    path.write_bytes(data)
    assert pq.read_table(path)["a"] != table["a"]  # which pyarrow takes as it is
    with pytest.raises(fp.FencepostError, match=r"f0\.parquet cannot be read: .*CRC"):
        fp.score_files(path, PLAN)
    with pytest.raises(fp.FencepostError, match=r"f0\.parquet: not a Parquet file.*CRC"):
        fp.read(path, encoding="masses", columns={"ref": "a", "text": "id"})


@pytest.mark.parametrize("before", [0, 3])
def test_lines_that_are_no_text_are_named(tmp_path, before):
    line = b'{"id": "d%d", "gold": [5], "a": [5], "b": [5]}\n'
    lines = b"".join(line % number for number in range(before))
    (tmp_path / "t.jsonl").write_bytes(lines + line.replace(b"d%d", b"caf\xe9"))
    message = f"t.jsonl cannot be read: line {before + 1} is not UTF-8 text: byte 0xe9; save"
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_files(tmp_path / "t.jsonl", PLAN)


def test_spans_that_end_early_lead_to_the_column_of_units(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"gold": [[0, 4], [4, 9]], "sys": [[0, 8]]}\n')
    plan = fp.Plan("gold", "sys", encoding="spans", metrics="B")
    with pytest.raises(fp.SegmentationError, match=r"gold has 9 units and sys 8.*units=NAME"):
        fp.score_files(tmp_path / "t.jsonl", plan)


def slow_start(monkeypatch):
    """Make the shards of the first file end last."""
    score = runs_module.score_shard

    def slow(shard, *given):
        time.sleep(0.3 if shard.number[0] == 0 else 0)
        return score(shard, *given)

    monkeypatch.setattr(runs_module, "score_shard", slow)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_of_several_errors_the_first_is_told(folder, monkeypatch, threads):
    for seed in range(3):
        rows = table_of(seed, 300).to_pylist()
        rows[150 + seed]["a"] = [1]
        pq.write_table(pa.Table.from_pylist(rows), folder / f"f{seed}.parquet", row_group_size=100)
    slow_start(monkeypatch)
    with pytest.raises(fp.SegmentationError, match=r"f0\.parquet: row 151 \(0-150\): gold has"):
        fp.score_files(folder, PLAN, threads=threads)


def test_broken_files_are_told_in_their_order(folder, monkeypatch):
    for seed in range(3):
        path = folder / f"f{seed}.parquet"
        data = path.read_bytes()
        if seed < 2:
            path.write_bytes(data[:4] + bytes(2000) + data[2004:])
    slow_start(monkeypatch)
    for threads in (1, 4):
        with pytest.raises(fp.FencepostError, match=r"f0\.parquet cannot be read"):
            fp.score_files(folder, PLAN, strict=True, threads=threads)
        table = fp.score_files(folder, PLAN, threads=threads)
        assert [Path(one).name for one in table.facts["broken_files"]] == [
            "f0.parquet",
            "f1.parquet",
        ]


def test_a_folder_is_of_one_run_at_a_time(folder, tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    saved, score = tmp_path / "saved", runs_module.score_shard
    files = str(folder / "*.parquet")
    wanted = fp.score_files(files, PLAN)

    def meanwhile(shard, *given):
        monkeypatch.setattr(runs_module, "score_shard", score)
        for resume in (True, False):
            with pytest.raises(fp.FencepostError, match=r"another run saves into .*saved at this"):
                fp.score_files(files, PLAN, save=saved, resume=resume)
        assert fp.score_files(files, PLAN, save=tmp_path / "other").rows == wanted.rows
        return score(shard, *given)

    monkeypatch.setattr(runs_module, "score_shard", meanwhile)
    assert fp.score_files(files, PLAN, save=saved, threads=1).rows == wanted.rows
    with pytest.raises(fp.FencepostError, match="has the results of a run"):
        fp.score_files(files, PLAN, save=saved)
    assert fp.score_files(files, PLAN, save=saved, resume=True).rows == wanted.rows
