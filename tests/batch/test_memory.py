"""Memory of a run is bounded by bytes, however long texts are; numbers and parts stay the same."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fencepost as fp
from fencepost.batch import runs as runs_module
from fencepost.batch import shards as shards_module
from fencepost.batch.arrow import count_batches
from fencepost.batch.shards import bytes_per_row, divided
from strategies import random_pairs
from support import PEAK, python

resource = pytest.importorskip("resource", reason="only some systems tell their memory")
MEGABYTE = 2**20


def spans_of(texts: int, chunks: int) -> pa.Array:
    starts = np.tile(np.arange(chunks) * 256, texts)
    ends = pa.StructArray.from_arrays([pa.array(starts), pa.array(starts + 256)], ["start", "end"])
    return pa.LargeListArray.from_arrays(np.arange(0, texts * chunks + 1, chunks), ends)


def flags_of(texts: int, units: int) -> pa.Array:
    marks = np.tile(np.arange(units) % 97 == 0, texts).astype(np.int64)
    return pa.LargeListArray.from_arrays(np.arange(0, texts * units + 1, units), pa.array(marks))


TABLES = {
    "spans": (lambda texts: spans_of(texts, 100), 6, {}),
    "flags": (lambda texts: flags_of(texts, 2000), 1, {"flags": "last"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("encoding", TABLES)
def test_long_texts_take_no_more_memory_than_short_ones(encoding, tmp_path):
    """Decoded, the texts take 0.6 and 1.6 GB; a file has a few MB of them."""
    made, systems, settings = TABLES[encoding]
    column = made(50_000)
    names = [f"s{i}" for i in range(systems)]
    table = pa.table({"gold": column, **dict.fromkeys(names, column)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=50_000)
    program = f"""
import fencepost as fp
plan = fp.Plan("gold", {names}, encoding={encoding!r}, metrics=["windowdiff", "B"], **{settings})
fp.score_files({str(tmp_path / "t.parquet")!r}, plan, threads=2)
print(peak())
"""
    assert int(python(PEAK + program, timeout=120)) < 500 * MEGABYTE


def table_of(count: int) -> pa.Table:
    pairs = list(random_pairs(3, count, (2, 60)))
    names = pa.array([f"d{i}" for i in range(count)])
    return pa.table(
        {
            "id": names.dictionary_encode(),
            "gold": [list(ref.masses) for ref, _ in pairs],
            "a": [list(hyp.masses) for _, hyp in pairs],
        }
    )


@pytest.mark.parametrize("rows", [64, 1 << 16])
def test_small_batches_give_the_same_numbers_and_parts(tmp_path, monkeypatch, rows):
    pq.write_table(table_of(500), tmp_path / "t.parquet", row_group_size=400)
    plan = fp.Plan("gold", "a", encoding="masses", text="id", metrics=["windowdiff", "B"])
    for module in (shards_module, runs_module):
        monkeypatch.setattr(module, "BATCH_ROWS", rows)
    tables, parts = [], []
    for number, size in enumerate((1 << 24, 1000)):
        monkeypatch.setattr(shards_module, "BATCH_BYTES", size)
        folder = tmp_path / str(number)
        tables.append(fp.score_files(tmp_path / "t.parquet", plan, save=folder))
        parts.append({one.name: one.read_bytes() for one in folder.glob("part-*")})
    assert tables[0].rows == tables[1].rows and tables[0].facts == tables[1].facts
    assert parts[0] == parts[1] and len(parts[0]) == 2
    groups = [pq.ParquetFile(one).num_row_groups for one in sorted((tmp_path / "1").glob("part-*"))]
    assert groups == [-(-400 // rows), -(-100 // rows)]


@pytest.mark.parametrize(
    ("columns", "bytes_each"),
    [
        ({"g": pa.array([[1, 2, 3]] * 10, pa.list_(pa.int64()))}, 24),
        ({"g": pa.array([[1, 0, 1, 1]] * 10, pa.list_(pa.int8()))}, 4),
        ({"g": pa.array([[True] * 8] * 10)}, 8),  # bits, which take less
        ({"g": spans_of(10, 5), "h": flags_of(10, 100)}, 80 + 800),
        ({"n": pa.array([7] * 10, pa.int32())}, 4),
    ],
)
def test_metadata_tell_the_bytes_of_a_decoded_row(columns, bytes_each, tmp_path):
    pq.write_table(pa.table({**columns, "other": ["x" * 50] * 10}), tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    assert bytes_per_row(file, 0, list(columns)) == bytes_each
    assert bytes_per_row(file, 0, ["other"]) >= 5


def test_batches_that_are_given_are_divided_too(monkeypatch):
    monkeypatch.setattr(shards_module, "BATCH_BYTES", 1000)
    table = table_of(300)
    plan = fp.Plan("gold", "a", encoding="masses", text="id", metrics="B")
    (batch,) = table.combine_chunks().to_batches()
    pieces = list(divided(batch.select(["gold", "a"])))
    assert len(pieces) > 5 and max(piece.nbytes for piece in pieces) <= 2000
    assert pa.Table.from_batches(pieces) == table.select(["gold", "a"])
    counted = pa.Table.from_batches(fp.score_batches(batch, plan)).to_pylist()
    monkeypatch.undo()
    (whole,) = fp.score_batches(batch, plan)
    assert counted == whole.to_pylist()
    rows = batch.to_pylist()
    rows[250]["a"] = [1]
    monkeypatch.setattr(shards_module, "BATCH_BYTES", 1000)
    with pytest.raises(fp.SegmentationError, match=r"row 251 \(d250\)"):
        list(count_batches(pa.RecordBatch.from_pylist(rows), plan))


def test_one_long_text_stays_whole():
    row = pa.record_batch({"g": pa.array([[1] * (1 << 23)])})
    assert [len(piece) for piece in divided(row)] == [1]
