"""Runs over files: beside pyarrow alone, by threads, by size, on Dask; and a training loop."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import fencepost as fp
from bench.child import Child
from bench.data import many
from bench.table import Results, show
from bench.timing import best_of_calls

PLAN = fp.Plan("gold", "sys", encoding="positions", units="n", metrics=["windowdiff", "B"])
FILES = 10  # of 10^6 pairs of 60 units
ROWS = 1_000_000
FLAT = 1.25  # times as much memory for ten times as many pairs, at most
DASK = 1.25  # times as long as threads, at most
END_TO_END = 10  # seconds for 10^6 texts, at most
TURNS = 4  # of runs that are timed by the clock
THREADS = 2  # of a run and of pyarrow beside it
BESIDE = 3  # times as long as pyarrow, at most


def run(results: Results) -> None:
    """Print the targets of docs/batch.md; every run is a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write(folder)
        child = Child(place)
        rows = [*_beside_pyarrow(results, child, folder), *_engines(results, folder)]
        rows += _json_lines(results, child, folder)
    rows.append(_update(results))
    print(f"Runs over files, {FILES} x 10^6 pairs of 60 units, WindowDiff and B, counts written:")
    show(("what", "found", "at most", ""), rows)


def _write(folder: Path) -> None:
    pairs = many(ROWS)
    sides = [
        pa.ListArray.from_arrays(
            pa.array(one.offsets.astype(np.int32)), pa.array(one.values.astype(np.int32))
        )
        for one in (pairs.ref, pairs.hyp)
    ]
    units = pa.array(pairs.units.astype(np.int32))
    table = pa.table({"n": units, "gold": sides[0], "sys": sides[1]})
    counts = pa.Table.from_batches(fp.score_batches(table.slice(0, 1 << 16), PLAN))
    pq.write_table(counts, folder / "counts")
    for number in range(FILES):
        pq.write_table(table, folder / f"f{number}.parquet", row_group_size=125_000)
    with (folder / "x.jsonl").open("w", encoding="utf-8") as file:
        for row in table.to_pylist():
            file.write(json.dumps(row) + "\n")


def _beside_pyarrow(results: Results, child: Child, folder: Path) -> list[list[str]]:
    """All files by as many threads on either side, and one file for its memory."""
    one, every = folder / "f0.parquet", folder / "f*.parquet"
    ours = ["-m", "bench.runs", "ours", str(every), str(folder / "saved")]
    peer = ["-m", "bench.runs", "peer", str(folder), str(folder / "counts")]
    start = ["-m", "bench.runs", "start"]
    big, alone, empty = child.best(ours, peer, start, runs=2)
    small = child.run("-m", "bench.runs", "ours", str(one), str(folder / "saved"))
    work = big.cpu - empty.cpu
    processor = work / (alone.cpu - empty.cpu)
    clock = (big.wall - empty.wall) / (alone.wall - empty.wall)
    grown = big.peak / small.peak
    pair = work / (FILES * ROWS)
    what = f"{FILES} x 10^6 pairs, {THREADS} threads: read, score, write / pyarrow reads and writes"
    return [
        [f"{what}, processor time",
         *results.at_most("a run beside pyarrow", processor, BESIDE, "times")],
        [f"{what}, by the clock",
         *results.at_most("a run beside pyarrow by the clock", clock, BESIDE, "times")],
        ["memory at 10^7 pairs", *results.at_most("memory", big.peak / 2**20, 500, "MB")],
        ["memory at 10^7 over that at 10^6",
         *results.at_most("memory at 10^7 over that at 10^6", grown, FLAT, "times")],
        ["processor time of a pair", f"{pair * 1e9:.0f} ns", "", ""],
        ["so 10^9 pairs on one core", f"{pair * 1e9 / 60:.1f} min", "", ""],
    ]  # fmt: skip


def _engines(results: Results, folder: Path) -> list[list[str]]:
    """By the clock, the best of some turns, as others use the machine; without clusters' start."""
    files = str(folder / "f*.parquet")

    def wait(**settings: Any) -> float:
        began = time.perf_counter()
        fp.score_files(files, PLAN, **settings)
        return time.perf_counter() - began

    turns = range(TURNS)
    by_threads = [(wait(threads=1), wait(threads=2)) for _ in turns]
    one, two = map(min, zip(*by_threads, strict=True))
    rows = [["two threads against one", f"{one / two:.2f} times", "", ""]]
    try:
        import distributed
    except ImportError:
        why = "distributed is not installed (pip install 'fencepost[dask]')"
        limit = results.not_measured("Dask / threads", why, DASK, "times")
        return [*rows, [f"two Dask workers / two threads: {why}", *limit]]
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with local as cluster, distributed.Client(cluster) as client:
        wait(dask=client)  # workers import what they need
        beside = [(wait(dask=client), wait(threads=2)) for _ in turns]
    workers, threads = map(min, zip(*beside, strict=True))
    limit = results.at_most("Dask / threads", workers / threads, DASK, "times")
    return [*rows, ["two Dask workers / two threads", *limit]]


def _json_lines(results: Results, child: Child, folder: Path) -> list[list[str]]:
    found = {}
    for name, path in (("JSON lines", "x.jsonl"), ("Parquet", "f0.parquet")):
        command = ["-m", "fencepost", "score", f"{folder}/{path[:-1]}?", "--columns",
                   "ref=gold,hyp=sys,units=n", "--encoding", "positions"]  # fmt: skip
        found[name] = child.run(*command)
    return [
        [f"10^6 texts of {name}, the command, 4 metrics, {what}",
         *results.at_most(f"10^6 texts of {name}, {what}", took, END_TO_END, "s")]
        for name, cost in found.items()
        for what, took in (("processor time", cost.cpu), ("by the clock", cost.wall))
    ]  # fmt: skip


def _update(results: Results) -> list[str]:
    rng = np.random.default_rng(0)
    ref, hyp = (np.asarray(rng.random((64, 512)) < 0.05, dtype=np.int64) for _ in range(2))
    scores = fp.Accumulator(["windowdiff", "B"], flags="last")
    took = best_of_calls(lambda: scores.update(ref, hyp)) * 1e6
    limit = results.at_most("Accumulator.update", took, 200, "us")
    return ["Accumulator.update of 64 x 512 marks, WindowDiff and B", *limit]


# What the processes do.


def _peer(folder: str, template: str) -> None:
    """Read the columns and write as many rows of counts, with pyarrow alone."""
    (counts,) = pq.read_table(template).combine_chunks().to_batches()

    def copy(given: tuple[Path, int]) -> None:
        path, group = given
        file = pq.ParquetFile(path)
        with pq.ParquetWriter(f"{path}.{group}.peer", counts.schema) as writer:
            for batch in file.iter_batches(1 << 16, row_groups=[group], use_threads=False):
                writer.write_batch(counts.slice(0, len(batch)))

    files = sorted(Path(folder).glob("f*.parquet"))
    groups = [(path, i) for path in files for i in range(pq.ParquetFile(path).num_row_groups)]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(copy, groups))


if __name__ == "__main__":
    fp.set_threads(1)
    what, *given = sys.argv[1:]
    if what == "ours":
        shutil.rmtree(given[1], ignore_errors=True)
        fp.score_files(given[0], PLAN, threads=THREADS, save=given[1])
    elif what == "peer":
        _peer(*given)
