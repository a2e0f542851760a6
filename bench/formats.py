"""Reading: JSON lines of segment sizes beside json.loads over the same lines, and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench.table import Results, show
from bench.timing import best, shown

MEGABYTES = 100
SHAPES = (10, 100, 1000)  # segments a text


def run(results: Results) -> None:
    """At least twice as fast as json.loads, in at most 3 times the bytes of the arrays."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for segments in SHAPES:
            path = Path(folder) / f"{segments}.jsonl"
            write(path, segments)
            ours, theirs, memory = measured(path)
            ratio = theirs / ours
            rows.append(
                [f"{segments} a text", shown(ours), shown(theirs), f"{ratio:.1f}", f"{memory:.2f}"]
            )
            if ratio < 2:
                results.missed.append(
                    f"JSON lines, {segments} a text: {ratio:.1f} times json.loads"
                )
            if memory > 3:
                results.missed.append(
                    f"JSON lines, {segments} a text: {memory:.1f} times the arrays"
                )
    print(f"Reading {MEGABYTES} MB of JSON lines with segment sizes:")
    show(("segments", "fp.read", "json.loads", "faster", "peak memory / arrays"), rows)


def write(path: Path, segments: int, megabytes: int = MEGABYTES) -> None:
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


def measured(path: Path) -> tuple[float, float, float]:
    """Seconds of fp.read, of json.loads, and the peak beyond the start over the arrays."""
    out = subprocess.run(
        [sys.executable, "-m", "bench.formats", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    ours, theirs, memory = map(float, out.stdout.split())
    return ours, theirs, memory


def _measure(path: str) -> None:
    import fencepost as fp
    import fencepost.formats  # so that the peak is that of reading
    from bench.memory import _peak

    before = _peak()
    corpus = fp.read(path)
    memory = (_peak() - before) / corpus.entries.nbytes  # type: ignore[attr-defined]
    del corpus
    ours, _ = best(lambda: fp.read(path), runs=2)
    lines = Path(path).read_bytes().splitlines()
    theirs, _ = best(lambda: [json.loads(line) is None for line in lines], runs=2)
    print(ours, theirs, memory)


if __name__ == "__main__":
    _measure(sys.argv[1])
