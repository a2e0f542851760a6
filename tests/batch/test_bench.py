"""The benchmark of runs says what it missed, and what it could not measure."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from strategies import random_pairs


@pytest.fixture
def runs(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from bench import runs

    return runs


@pytest.fixture
def results(runs):
    from bench.table import Results

    return Results()


class FakeChild:
    """Costs in the order of the calls, as (processor time, wait, bytes)."""

    def __init__(self, costs):
        from bench.child import Cost

        self.costs = [Cost(*one) for one in costs]

    def run(self, *command):
        return self.costs.pop(0)

    def best(self, *commands, runs=3):
        return [self.costs.pop(0) for _ in commands]


@pytest.mark.slow
def test_a_row_that_needs_dask_is_missed_where_dask_is_not_installed(
    runs, results, tmp_path, monkeypatch
):
    pairs = list(random_pairs(1, 20, (2, 30)))
    sides = {
        "gold": [p[0].cuts.tolist() for p in pairs],
        "sys": [p[1].cuts.tolist() for p in pairs],
    }
    table = pa.table({"n": [p[0].units for p in pairs], **sides})
    pq.write_table(table, tmp_path / "f0.parquet")
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setattr(runs, "TURNS", 1)
    rows = runs._engines(results, tmp_path)
    assert rows[-1][1:] == ["not measured", "1.25", "MISSED"]
    assert "pip install 'fencepost[dask]'" in rows[-1][0]
    (missed,) = results.missed
    assert missed.startswith("Dask / threads: not measured") and "fencepost[dask]" in missed


@pytest.mark.parametrize(("ten", "met"), [(125, True), (130, False)])
def test_memory_must_be_flat(runs, results, tmp_path, ten, met):
    small, big = (1.0, 1.0, 100 << 20), (10.0, 10.0, ten << 20)
    child = FakeChild([big, (5.0, 5.0, 1), (0.1, 0.1, 1), small])
    rows = runs._beside_pyarrow(results, child, tmp_path)
    assert ["met" if met else "MISSED"] == [row[3] for row in rows if "over" in row[0]]
    assert bool(results.missed) != met


def test_ten_seconds_are_also_by_the_clock(runs, results, tmp_path):
    runs._json_lines(results, FakeChild([(2.0, 11.0, 1), (2.0, 3.0, 1)]), tmp_path)
    (missed,) = results.missed
    assert "JSON lines, by the clock" in missed


@pytest.mark.parametrize(
    ("ours", "missed"), [((14.0, 14.0), 0), ((14.0, 16.0), 1), ((16.0, 16.0), 2)]
)
def test_a_run_is_held_beside_pyarrow_in_processor_time_and_by_the_clock(
    runs, results, tmp_path, ours, missed
):
    child = FakeChild([(*ours, 1 << 20), (5.0, 5.0, 1), (0.0, 0.0, 1), (1.0, 1.0, 1 << 20)])
    rows = runs._beside_pyarrow(results, child, tmp_path)
    assert len(results.missed) == missed
    assert (
        rows[0][1].startswith(f"{ours[0] / 5:.3g}") and "10 x 10^6 pairs, 2 threads" in rows[0][0]
    )


@pytest.mark.slow
def test_pyarrow_reads_and_writes_what_a_run_does(runs, tmp_path, monkeypatch):
    import fencepost as fp

    monkeypatch.setattr(runs, "FILES", 2)
    monkeypatch.setattr(runs, "ROWS", 3000)
    runs._write(tmp_path)
    runs._peer(str(tmp_path), str(tmp_path / "counts"))
    fp.score_files(str(tmp_path / "f*.parquet"), runs.PLAN, save=tmp_path / "saved")
    ours = sorted((tmp_path / "saved").glob("part-*"))
    peers = sorted(tmp_path.glob("*.peer"))
    assert len(ours) == len(peers) == 2
    for one, other in zip(ours, peers, strict=True):
        assert pq.read_schema(one) == pq.read_schema(other)
        assert pq.read_metadata(one).num_rows == pq.read_metadata(other).num_rows == 3000
