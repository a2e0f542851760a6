"""Damaged plain files: the scanners and the general readers say the same, or the same sentence.

A seeded campaign: plain files of every format that has a scanner, a few bytes of each changed.
``make fuzz`` runs it for as long as each fuzz target; a test runs the first inputs of it.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fencepost import formats
from fencepost.formats import FormatError, read_bytes, read_text
from fencepost.formats.files import decode_bytes
from fencepost.formats.options import Reading

# What is put in the place of something else: signs that mean something to one of the formats.
SIGNS = [
    b"0", b"1", b"5", b"10", b"01", b"-1", b"1.0", b"1e3", b"9999999999999", b"e", b"id", b"ref",
    b"units", b"null", b"true", b"\t", b",", b";", b" ", b"\n", b"\r\n", b"\r", b'"', b"[", b"]",
    b"{", b"}", b":", b"|", b"=", b"\\", b"\\u0041", b"\x00", b"\xc3\xa9", b"\xc2\xa0", b"\xff",
    b"\xe2\x80\x82", b"\xe3\x80\x80", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
]  # fmt: skip


@dataclass
class Tally:
    """What became of the inputs."""

    inputs: int = 0
    quick: int = 0  # read by a scanner
    refused: int = 0


def _texts(rng: random.Random) -> tuple[list[tuple[str, str, list[int]]], str]:
    """Names, coders and values of a few texts, all of one form."""
    form = rng.choice(["sizes", "sizes", "marks", "bits"])
    rows = []
    for number in range(rng.randint(1, 4)):
        if form == "sizes":
            values = [rng.randint(1, 30) for _ in range(rng.randint(1, 6))]
        else:
            values = [rng.randint(0, 1) for _ in range(rng.randint(2, 20))]
        rows.append((rng.choice(["d", "é", "text ", ""]) + str(number), f"an{number % 2}", values))
    return rows, form


def _joined(values: list[int], form: str, between: str) -> str:
    return ("" if form == "bits" else between).join(map(str, values))


def _table_rows(rng: random.Random) -> tuple[str, str]:
    rows, form = _texts(rng)
    mark, ending = rng.choice([("\t", ".tsv"), (",", ".csv"), (";", ".csv")])
    between = rng.choice([mark, " "])
    coders = rng.random() < 0.5
    lines = [mark.join(["text", *(["coder"] * coders), "masses"])] * rng.randint(0, 1)
    lines += [mark.join([t, *([c] * coders), _joined(v, form, between)]) for t, c, v in rows]
    return "\n".join(lines) + "\n", "x" + ending


def _number_lines(rng: random.Random) -> tuple[str, str]:
    rows, form = _texts(rng)
    named = rng.random() < 0.5
    between = rng.choice([" ", ",", ", "])
    lines = [
        f"{t}\t{_joined(v, form, between)}" if named else _joined(v, form, between)
        for t, _, v in rows
    ]
    return "\n".join(lines) + "\n", "x" + (".masses" if form == "sizes" else ".bits")


def _named_columns(rng: random.Random) -> tuple[str, str]:
    rows, form = _texts(rng)
    lines = ["id,coder,ref,units,note"]
    for t, c, v in rows:
        units = sum(v) if form == "sizes" else len(v) + 1
        value = _joined(v, form, rng.choice([" ", ", "]))
        value = f'"[{value}]"' if "," in value else value
        lines.append(f"{t},{c},{value},{units},{rng.choice(['', 'good', '1 2'])}")
    return "\n".join(lines) + "\n", "x.csv"


def _json(rng: random.Random) -> tuple[str, str]:
    rows, form = _texts(rng)
    nested = rng.random() < 0.5
    data: dict[str, Any] = {}
    for t, c, v in rows:
        own = _joined(v, form, "") if form == "bits" else v
        data[t] = {c: own} if nested else own
    if rng.random() < 0.3:
        data = {"items": data, "segmentation_type": "linear"}
    return json.dumps(data, ensure_ascii=False, indent=rng.choice([None, 1])), "x.json"


def _json_lines(rng: random.Random) -> tuple[str, str]:
    rows, form = _texts(rng)
    lines = []
    for t, _, v in rows:
        record: dict[str, Any] = {"id": t, "ref": _joined(v, form, "") if form == "bits" else v}
        if rng.random() < 0.3:
            record["units"] = sum(v) if form == "sizes" else len(v)
        if rng.random() < 0.3:
            record["x"] = rng.choice([None, [1, {"a": "b"}], 1.5, "é", True])
        lines.append(json.dumps(record, ensure_ascii=False))
    return "\n".join(lines) + "\n", "x.jsonl"


PLAIN = [_table_rows, _number_lines, _named_columns, _json, _json_lines]


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Change, drop, double or swap a few bytes, or cut the file short."""
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.choice([0, 1, 1, 2, 8]))
        how = rng.randint(0, 5)
        if how == 0:
            data = data[:at]
        elif how == 1:
            data = data[:at] + data[end:]
        elif how == 2:
            data = data[:end] + data[at:end] + data[end:]
        elif how == 3 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << rng.randint(0, 7)]) + data[at + 1 :]
        else:
            data = data[:at] + rng.choice(SIGNS) + data[end:]
    return data


def outcome(read: Callable[[], Any]) -> Any:
    """Everything that a reader says, or its sentence."""
    try:
        corpus = read()
    except FormatError as error:
        return str(error)
    return (
        dict(corpus.entries), list(corpus.entries), dict(corpus.sources), dict(corpus.tokens),
        dict(corpus.source.choices), corpus.source, corpus.source.shape, corpus.source.ignored,
        corpus.source.id_field,
    )  # fmt: skip


def check(seed: int, tally: Tally) -> None:
    """Raise AssertionError if both ways of reading input number ``seed`` differ."""
    rng = random.Random(seed)
    text, name = rng.choice(PLAIN)(rng)
    data = damaged(rng, text.encode("utf-8"))
    choices: dict[str, Any] = rng.choice(
        [{}, {}, {}, {"encoding": "masses"}, {"encoding": "bits"}, {"flags": "last"}]
    )
    found = outcome(lambda: read_bytes(data, name, None, **choices))
    expected = outcome(lambda: read_text(decode_bytes(data, name), name, None, **choices))
    assert found == expected, f"input {seed}: {name} {choices} {data!r}\n{found}\n{expected}"
    quick = formats._read_quickly(io.BytesIO(data), None, Reading(name), None)
    tally.inputs += 1
    tally.quick += quick is not None
    tally.refused += isinstance(found, str)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--inputs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    tally, faults = Tally(), Counter[str]()
    stop = time.monotonic() + args.seconds
    for seed in range(args.seed, args.seed + args.inputs):
        if time.monotonic() > stop:
            break
        try:
            check(seed, tally)
        except Exception as error:  # any other error is a fault, too
            faults[type(error).__name__] += 1
            print(f"{type(error).__name__}: {error}"[:2000])
    print(
        f"scanners beside general readers: {tally.inputs:,} files, {tally.quick:,} read by a "
        f"scanner, {tally.refused:,} refused, {sum(faults.values())} failed"
    )
    return 1 if faults or not tally.quick else 0


if __name__ == "__main__":
    sys.exit(main())
