"""Reading: JSON lines of segment sizes beside parsers of the same lines, and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.table import Results, show
from bench.timing import best, shown

SHAPES = ((10, 100), (100, 100), (1000, 100), (100, 1000))  # segments a text, megabytes
PEERS = ("json.loads", "orjson.loads", "pyarrow")


def run(results: Results) -> None:
    """At least twice as fast as json.loads, in at most 3 times the bytes of the arrays."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for segments, megabytes in SHAPES:
            path = Path(folder) / "sizes.jsonl"
            write(path, segments, megabytes)
            ours, memory, *peers = measured(path)
            ratio = peers[0] / ours
            what = f"{megabytes:,} MB, {segments} a text"
            rows.append([what, shown(ours), *map(shown, peers), f"{ratio:.1f}", f"{memory:.2f}"])
            if ratio < 2:
                results.missed.append(f"JSON lines, {what}: {ratio:.1f} times json.loads")
            if memory > 3:
                results.missed.append(f"JSON lines, {what}: {memory:.1f} times the arrays")
    print("Reading JSON lines with segment sizes (ours checks and counts them, the others parse):")
    show(("size", "fp.read", *PEERS, "faster than json", "peak memory / arrays"), rows)


def write(path: Path, segments: int, megabytes: int) -> None:
    """Lines {"id": "d1", "ref": [5, 13, ...]}."""
    rng = np.random.default_rng(7)
    block = [rng.integers(1, 50, segments).tolist() for _ in range(max(1, 100_000 // segments))]
    texts = [json.dumps(one) for one in block]
    size = number = 0
    with path.open("w", encoding="utf-8") as stream:
        while size < megabytes * 1_000_000:
            for text in texts:
                number += 1
                size += stream.write(f'{{"id": "d{number}", "ref": {text}}}\n')


def measured(path: Path) -> list[float]:
    """Seconds of fp.read, its peak beyond the start over the arrays, and seconds of the peers."""
    out = subprocess.run(
        [sys.executable, "-m", "bench.formats", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return list(map(float, out.stdout.split()))


def _measure(path: str) -> None:
    """In a process of its own, so that the peak is that of reading."""
    import orjson
    import pyarrow.json as arrow

    import fencepost as fp
    import fencepost.formats
    from bench.memory import _peak

    before = _peak()
    corpus = fp.read(path)
    memory = (_peak() - before) / corpus.entries.nbytes  # type: ignore[attr-defined]
    del corpus
    ours, _ = best(lambda: fp.read(path), seconds=0, runs=1)
    block = arrow.ReadOptions(use_threads=False, block_size=1 << 23)
    columns, _ = best(lambda: arrow.read_json(path, read_options=block).num_rows, seconds=0, runs=1)
    lines = Path(path).read_bytes().splitlines()
    peers = [parse_time(loads, lines) for loads in (json.loads, orjson.loads)]
    print(ours, memory, *peers, columns)


def parse_time(loads: Callable[[bytes], object], lines: list[bytes]) -> float:
    """Seconds to parse the lines and let go of them."""
    return best(lambda: [loads(line) is None for line in lines], seconds=0, runs=1)[0]


if __name__ == "__main__":
    _measure(sys.argv[1])
