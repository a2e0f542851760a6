"""Reading: plain files beside parsers of the same data as JSON lines, and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import fencepost as fp
from bench.table import Results, show
from bench.timing import best, shown

SHAPES = ((10, 100), (100, 100), (1000, 100), (100, 1000))  # segments a text, megabytes
PEERS = ("json.loads", "orjson.loads", "pyarrow")

Text = tuple[str, list[int]]  # its name and sizes


def run(results: Results) -> None:
    """At least twice as fast as json.loads, in at most 3 times the bytes of the arrays."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for segments, megabytes in SHAPES:
            path = Path(folder) / "sizes.jsonl"
            write(path, _records(texts(segments, megabytes)))
            ours, memory, *peers = measured(path)
            ratio = peers[0] / ours
            what = f"{megabytes:,} MB, {segments} a text"
            rows.append([what, shown(ours), *map(shown, peers), f"{ratio:.1f}", f"{memory:.2f}"])
            _judge(results, f"JSON lines, {what}", ratio, memory)
        print("Reading JSON lines with segment sizes (ours checks and counts them, others parse):")
        show(("size", "fp.read", *PEERS, "faster than json", "peak memory / arrays"), rows)
        _run_forms(results, Path(folder))


def _run_forms(results: Results, folder: Path) -> None:
    """Every plain form; sizes must meet the targets, other forms are larger for the same cuts."""
    rows = []
    for what, name, lines, same, target in FORMS:
        path, peer = folder / name, folder / "same.jsonl"
        write(path, lines(texts(100, 10)))
        write(peer, same(texts(100, 10)))
        ours, memory, loads, *_ = measured(path, peer)
        ratio = loads / ours
        rows.append([what, shown(ours), shown(loads), f"{ratio:.1f}", f"{memory:.2f}"])
        if target:
            _judge(results, what, ratio, memory)
    print("Reading plain files beside json.loads of the same data as JSON lines:")
    show(("form", "fp.read", "json.loads", "faster", "peak memory / arrays"), rows)


def _judge(results: Results, what: str, ratio: float, memory: float) -> None:
    if ratio < 2:
        results.missed.append(f"{what}: {ratio:.1f} times json.loads")
    if memory > 3:
        results.missed.append(f"{what}: {memory:.1f} times the arrays")


def texts(segments: int, megabytes: int) -> Iterator[Text]:
    """As many as make a file of JSON lines of this size."""
    rng = np.random.default_rng(7)
    block = [rng.integers(1, 50, segments).tolist() for _ in range(max(1, 100_000 // segments))]
    size = number = 0
    while size < megabytes * 1_000_000:
        for one in block:
            number += 1
            size += 4 * len(one) + 20
            yield f"d{number}", one


def write(path: Path, lines: Iterable[str]) -> None:
    """Lines as a file."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(lines)


def _records(given: Iterable[Text]) -> Iterator[str]:
    return (f'{{"id": "{name}", "ref": {sizes}}}\n' for name, sizes in given)


def _with_field(given: Iterable[Text]) -> Iterator[str]:
    """One line that is not plain: the general reader reads them all."""
    yield '{"id": "d", "ref": [5, 5], "note": "\\u00e9"}\n'
    yield from _records(given)


def _bits(sizes: list[int]) -> str:
    return "".join("0" * (size - 1) + "1" for size in sizes)[:-1]


def _bit_records(given: Iterable[Text]) -> Iterator[str]:
    return (f'{{"id": "{name}", "ref": "{_bits(sizes)}"}}\n' for name, sizes in given)


def _flag_records(given: Iterable[Text]) -> Iterator[str]:
    for name, sizes in given:
        yield f'{{"id": "{name}", "ref": [{", ".join(_bits(sizes) + "1")}]}}\n'


def _word_records(given: Iterable[Text]) -> Iterator[str]:
    for name, sizes in given:
        words = ", ".join(['"word"'] * sum(sizes))
        yield f'{{"id": "{name}", "ref": {sizes}, "units": [{words}]}}\n'


def _rows(given: Iterable[Text]) -> Iterator[str]:
    yield "text\tcoder\tmasses\n"
    yield from ("\t".join([name, "an1", *map(str, sizes)]) + "\n" for name, sizes in given)


def _bare_rows(given: Iterable[Text]) -> Iterator[str]:
    return (",".join([name, *map(str, sizes)]) + "\n" for name, sizes in given)


def _coder_rows(given: Iterable[Text]) -> Iterator[str]:
    yield "Coder\tMasses\n"
    yield from ("\t".join([name, *map(str, sizes)]) + "\n" for name, sizes in given)


def _table(given: Iterable[Text]) -> Iterator[str]:
    yield "id,coder,ref\n"
    yield from (f'{name},an1,"{sizes}"\n' for name, sizes in given)


def _number_lines(given: Iterable[Text]) -> Iterator[str]:
    return (" ".join(map(str, sizes)) + "\n" for _, sizes in given)


def _bit_lines(given: Iterable[Text]) -> Iterator[str]:
    return (f"{name}\t{_bits(sizes)}\n" for name, sizes in given)


def _object(given: Iterable[Text]) -> Iterator[str]:
    return _in_braces(f'"{name}": {sizes}' for name, sizes in given)


def _coder_object(given: Iterable[Text]) -> Iterator[str]:
    return _in_braces(f'"{name}": {{"an1": {sizes}}}' for name, sizes in given)


def _in_braces(entries: Iterable[str]) -> Iterator[str]:
    for number, entry in enumerate(entries):
        yield (", " if number else "{") + entry
    yield "}\n"


Writer = Callable[[Iterable[Text]], Iterator[str]]
# What it is, the file, how it is written, the same data as JSON lines, whether targets hold.
FORMS: tuple[tuple[str, str, Writer, Writer, bool], ...] = (
    ("JSON lines, sizes", "x.jsonl", _records, _records, True),
    ("JSON, sizes by text", "x.json", _object, _records, True),
    ("JSON, sizes by text and coder", "x.json", _coder_object, _records, True),
    ("TSV, text, coder, sizes", "x.tsv", _rows, _records, True),
    ("CSV, text, sizes, no header", "x.csv", _bare_rows, _records, True),
    ("TSV, segeval's Coder, Masses", "x.tsv", _coder_rows, _records, True),
    ("CSV table, id, coder, ref", "x.csv", _table, _records, True),
    ("lines, sizes", "x.masses", _number_lines, _records, True),
    ("lines, bit strings", "x.bits", _bit_lines, _bit_records, False),
    ("JSON lines, bit strings", "x.jsonl", _bit_records, _bit_records, False),
    ("JSON lines, 0/1 flags", "x.jsonl", _flag_records, _flag_records, True),
    ("JSON lines, sizes and words", "x.jsonl", _word_records, _word_records, False),
    ("JSON lines, general reader", "x.jsonl", _with_field, _records, False),
)


def measured(path: Path, peer: Path | None = None) -> list[float]:
    """Seconds of fp.read, its peak beyond the start over the arrays, and seconds of the peers."""
    out = subprocess.run(
        [sys.executable, "-m", "bench.formats", str(path), str(peer or path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return list(map(float, out.stdout.split()))


def _measure(path: str, same: str) -> None:
    """In a process of its own, so that the peak is that of reading."""
    import orjson
    import pyarrow.json as arrow

    import fencepost as fp
    import fencepost.formats
    from bench.memory import peak

    before = peak()
    corpus = fp.read(path)
    memory = (peak() - before) / _size(corpus)
    del corpus
    ours, _ = best(lambda: fp.read(path), seconds=0, runs=1)
    lines = Path(same).read_bytes().splitlines()
    peers = [parse_time(loads, lines) for loads in (json.loads, orjson.loads)]
    if path == same:  # a file of words is too much for its parser's blocks
        block = arrow.ReadOptions(use_threads=False, block_size=1 << 23)
        call = partial(arrow.read_json, path, read_options=block)
        peers.append(best(call, seconds=0, runs=1)[0])
    print(ours, memory, *peers)


def _size(corpus: fp.Corpus) -> int:
    """The bytes of cuts, offsets, units and codes, and of words as they stand in the file."""
    return corpus.nbytes + (0 if corpus.words is None else corpus.words.nbytes)


def parse_time(loads: Callable[[bytes], object], lines: list[bytes]) -> float:
    """Seconds to parse the lines and let go of them."""
    return best(lambda: [loads(line) is None for line in lines], seconds=0, runs=1)[0]


if __name__ == "__main__":
    _measure(sys.argv[1], sys.argv[2])
