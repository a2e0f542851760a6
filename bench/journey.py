"""The whole journey a user makes: the command line, from files to printed numbers."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import fencepost as fp
from bench.agreement import UNITS as CODED_UNITS
from bench.agreement import positions
from bench.child import Child
from bench.data import many
from bench.table import Results, show
from bench.timing import shown

TEXTS, MILLION = 100_000, 1_000_000
UNITS, SEGMENTS = 80, 8
SHARED = 0.6  # of the reference's boundaries, which the hypothesis has too
TYPES = (".", ",", "?")
BLOCK = 100_000  # texts that are drawn at once

TIMES_ORJSON = 4.0  # without intervals; twice that with them
MILLION_SECONDS = 15.0
TIMES_COLUMNS = 3.0  # peak memory, of columns and count rows
ALL_TABLES_SECONDS = 1.0
START_SECONDS = 0.060  # beyond import numpy

READ_WITH_ORJSON = """
import sys, orjson
for path in sys.argv[1:]:
    with open(path, "rb") as lines:
        for line in lines:
            orjson.loads(line)
"""


def run(results: Results) -> None:
    """Measure score of 2 x 100,000 texts, agree, and the start of the command line."""
    with tempfile.TemporaryDirectory() as folder:
        child = Child(f"{folder}/compiled")
        _run_start(results, child, Path(folder))
        _run_score(results, child, Path(folder))
        _run_agree(results, child, Path(folder))


def run_million(results: Results, texts: int = MILLION) -> None:
    """Measure score of 2 x 10^6 texts with its default settings: time and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        child = Child(f"{folder}/compiled")
        few = _score(*_write_pair(Path(folder), 3))
        command = _score(*_write_pair(Path(folder), texts))
        before = child.best(few, runs=1)[0]
        cost = child.run(*command)
        columns, counts, rows = _array_bytes(few, texts)
    arrays = columns + counts
    beyond = cost.peak - before.peak
    size = f"2 x {texts:,} texts"
    most = MILLION_SECONDS * texts / MILLION
    print(f"fencepost score of {size} of {SEGMENTS} segments, default settings:")
    print(f"  columns: {columns / 1e6:,.0f} MB (boundaries, offsets and units, int64, both sides)")
    print(f"  count rows: {counts / 1e6:,.0f} MB, of {rows} rows of the table (metric and system)")
    print(f"  peak: {cost.peak / 1e6:,.0f} MB, {beyond / 1e6:,.0f} MB beyond a score of 3 texts")
    table = [
        [
            "processor time",
            shown(cost.cpu),
            *results.at_most(f"score, {size}", cost.cpu, most, "s"),
        ],
        [
            "peak memory / columns and count rows",
            f"{beyond / 1e6:,.0f} MB",
            *results.at_most(f"score, {size}: memory", beyond / arrays, TIMES_COLUMNS, "times"),
        ],
    ]
    show(("what", "all in all", "figure", "at most", ""), table)


def _run_start(results: Results, child: Child, folder: Path) -> None:
    """A command that does nothing, and one that does little, beside import numpy."""
    commands = {
        "fencepost --version": ["-m", "fencepost", "--version"],
        "fencepost score of 3 texts": _score(*_write_pair(folder, 3)),
    }
    numpy, *ours = child.best(["-c", "import numpy"], *commands.values(), runs=9)
    rows = [["python -c 'import numpy'", shown(numpy.cpu), shown(numpy.wall), "", "", ""]]
    for what, cost in zip(commands, ours, strict=True):
        beyond = 1e3 * (cost.cpu - numpy.cpu)
        verdict = results.at_most(f"start, {what}", beyond, 1e3 * START_SECONDS, "ms")
        rows.append([what, shown(cost.cpu), shown(cost.wall), *verdict])
    print("Start of the command line, judged by processor time beyond import numpy:")
    show(("command", "processor", "wall clock", "beyond", "at most", ""), rows)


def _run_score(results: Results, child: Child, folder: Path) -> None:
    """Two files of JSON lines, beside orjson on the same bytes; both without Python's start."""
    paths = _write_pair(folder, TEXTS)
    plain = [*_score(*paths), "-m", "pk", "windowdiff", "F", "B", "--no-baselines"]
    start = child.best(["-c", "pass"], runs=5)[0].cpu
    orjson, *ours = (
        cost.cpu - start
        for cost in child.best(
            ["-c", READ_WITH_ORJSON, *paths], [*plain, "--no-intervals"], plain, runs=2
        )
    )
    rows = []
    cases = (("no intervals", TIMES_ORJSON), ("with intervals", 2 * TIMES_ORJSON))
    for (what, most), took in zip(cases, ours, strict=True):
        verdict = results.at_most(f"score, {what} / orjson", took / orjson, most, "times")
        per_text = f"{took / TEXTS * 1e6:.1f} us"
        rows.append([what, shown(took), shown(orjson), per_text, *verdict])
    megabytes = sum(Path(path).stat().st_size for path in paths) / 1e6
    print(f"fencepost score of 2 x {TEXTS:,} texts ({megabytes:.0f} MB of JSON lines, {SEGMENTS}")
    print("segments each), Pk, WindowDiff, F and B without baselines, beside orjson parsing each")
    print("line; processor time beyond Python's start:")
    show(("score", "ours", "orjson", "per text", "ratio", "at most", ""), rows)


def _run_agree(results: Results, child: Child, folder: Path) -> None:
    """A hundred annotators with default settings; every table of two small studies."""
    many, few = (100, 1000), (5, 12)  # annotators, texts
    sizes = _write_annotations(folder / "few.json", *few)
    types = _write_types(folder / "types.csv", *few)
    plain, typed = child.best(_agree(sizes, "--all"), _agree(types, "--all"))
    hundred = child.run(*_agree(_write_annotations(folder / "many.json", *many)))
    rows = []
    for what, (coders, texts), cost, most in (
        ("agree", many, hundred, None),
        ("agree --all", few, plain, ALL_TABLES_SECONDS),
        ("agree --all, boundary types", few, typed, ALL_TABLES_SECONDS),
    ):
        size = f"{coders} annotators x {texts:,} texts"
        pairs = texts * coders * (coders - 1) // 2
        times = [shown(cost.cpu), shown(cost.wall), shown(cost.cpu / pairs)]
        verdict = results.at_most(f"{what}, {size}", cost.cpu, most, "s") if most else [""] * 3
        rows.append([what, size, f"{pairs:,}", *times, *verdict])
    print(f"fencepost agree of texts of {CODED_UNITS} units (JSON of sizes by text and annotator;")
    print("a table of tokens for boundary types), judged by processor time:")
    header = ("command", "size", "pairs", "processor", "wall clock", "per pair", "figure")
    show((*header, "at most", ""), rows)


def _agree(path: str, *options: str) -> list[str]:
    return ["-m", "fencepost", "agree", path, *options]


def _score(reference: str, hypothesis: str) -> list[str]:
    return ["-m", "fencepost", "score", reference, "-i", hypothesis]


def _write_pair(folder: Path, texts: int) -> tuple[str, str]:
    """Write a reference and a hypothesis as JSON lines; return their paths."""
    paths = [folder / f"{side}{texts}.jsonl" for side in ("ref", "hyp")]
    rng = np.random.default_rng(14)
    with paths[0].open("w") as reference, paths[1].open("w") as hypothesis:
        for first in range(0, texts, BLOCK):
            numbers = range(first, min(first + BLOCK, texts))
            keys = rng.random((len(numbers), UNITS - 1), dtype=np.float32)
            drawn = _lowest(keys)
            reference.writelines(_records("ref", numbers, drawn))
            keys = rng.random(keys.shape, dtype=np.float32)
            again = np.where(rng.random(drawn.shape) < SHARED, -1, 1)  # -1 is always drawn
            np.put_along_axis(keys, drawn, again, axis=1)
            hypothesis.writelines(_records("hyp", numbers, _lowest(keys)))
    return str(paths[0]), str(paths[1])


def _lowest(keys: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    """Return where the lowest keys of each row are: as many as a text has boundaries."""
    return np.sort(np.argpartition(keys, SEGMENTS - 1, axis=1)[:, : SEGMENTS - 1], axis=1)


def _records(field: str, numbers: range, drawn: npt.NDArray[np.intp]) -> Iterator[str]:
    sizes = np.diff(drawn + 1, axis=1, prepend=0, append=UNITS).tolist()
    for number, own in zip(numbers, sizes, strict=True):
        yield f'{{"id": "text{number}", "{field}": {own}}}\n'


def _write_annotations(path: Path, coders: int, texts: int) -> str:
    """Write {text: {coder: sizes}}; return its path."""
    found: dict[str, dict[str, list[int]]] = {}
    for text, coder, places, units in positions(coders, texts):
        sizes = np.diff(places, prepend=0, append=units).tolist()
        found.setdefault(text, {})[coder] = sizes
    path.write_text(json.dumps(found), encoding="utf-8")
    return str(path)


def _write_types(path: Path, coders: int, texts: int) -> str:
    """Write the same boundaries with types as a table of tokens; return its path."""
    rng = np.random.default_rng(14)
    marks: dict[str, list[list[str]]] = {}  # of each text, a list per annotator
    for text, _, places, units in positions(coders, texts):
        own = [""] * units
        for place in (*places, units):
            own[place - 1] = TYPES[rng.integers(len(TYPES))]
        marks.setdefault(text, []).append(own)
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["text", "token", *(f"c{coder}" for coder in range(coders))])
        for text, columns in marks.items():
            for number, row in enumerate(zip(*columns, strict=True)):
                table.writerow([text, f"w{number}", *row])
    return str(path)


def _array_bytes(few: list[str], texts: int) -> tuple[int, int, int]:
    """Return the bytes of the columns and of the count rows, and how many rows the table has.

    Which metrics and systems (with baselines) the default settings have, the table itself says.
    """
    columns = 2 * 8 * (texts * (SEGMENTS - 1) + (texts + 1) + texts)
    out = subprocess.run(
        [sys.executable, *few, "--json"], capture_output=True, text=True, check=True
    )
    rows = json.loads(out.stdout)["rows"]
    one = many(1)
    counts = sum(fp.METRICS[row["metric"]].recipe().count(one).nbytes for row in rows)
    return columns, counts * texts, len(rows)
