"""A seeded campaign of malformed files and options against every command: ``make hostile``.

Each case runs in a fork of one warmed process, with limits on time and memory. It must end in a
result or in one sentence, leave its inputs as they were, and write no sign that a terminal obeys.
What is refused prints nothing, and a run that goes on says what it would have said.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from growing import GROWING

if TYPE_CHECKING:
    from fencepost.options import Option

SAMPLES = Path(__file__).parent / "samples"
SECONDS, MEMORY = 10, 1 << 30  # that a case may take: of processor time, and bytes
SMALL = 1_000_000  # bytes of a file that must not be refused because it needs more memory
NO_MEMORY = "the memory does not suffice"  # how a command says that it does not get any
HANGING = 300  # seconds after which a case waits for something that never comes
FINE = (0, 1, 2, 3)  # exit codes: done, bad data, bad usage, a gate was missed

# What is put into names, texts and cells.
NASTY = (
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b1A",
    "../../outside",
    "/etc/passwd",
    "=1+1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "\\input{/etc/passwd}",
    "[red]x[/red]",
    "%s%n",
    "{0}",
    "\u202egpj",
    "\ufffe",
    "a\u2028b",
    "nan",
    "-0",
    "\u0661",
    "é" * 3000,
)
NUMBERS = (
    "-1",
    "0",
    "1e999",
    "-1e999",
    "1.5",
    "NaN",
    "Infinity",
    "null",
    "true",
    '"5"',
    "[]",
    "{}",
    "9" * 400,
    "9223372036854775807",
    "9223372036854775808",
    "4294967296",
    "-2147483649",
    "1e18",
    "00",
    "0x10",
    "",
    " ",
    "1_000",
    "9" * 5000,
)
PIECES = (
    "[",
    "{",
    '{"a":',
    "<a>",
    "(",
    "\n",
    " ",
    "\t",
    "\r",
    "0 ",
    "1,",
    "a ",
    "a\n",
    '"',
    "\\",
    "&",
    "==========\n",
    "@a:\tb \n",
    "*A:\tb .\n",
    "<!--",
    "|",
    "- ",
    ";;\n",
    "\u3000",
    "0",
    "1\t2\n",
    "[[",
    "-->\n",
    ".\n",
    ": ",
    "#\n",
    "<eol>",
    "a",
    '[{"a":',
)


# Files to begin with.


@cache
def seeds() -> dict[str, bytes]:
    """Return well-formed files by name: samples, an example per format, results, tables."""
    from fencepost.formats import FORMATS, find_format
    from fencepost.formats.catalogue import endings_of

    found = {path.name: path.read_bytes() for path in sorted(SAMPLES.iterdir())}
    for name in FORMATS:
        endings = endings_of(name) or (f".{name}",)
        found[f"example-{name}{endings[0]}"] = find_format(name).example.encode()
    return found | GOOD | _results()


def _results() -> dict[str, bytes]:
    """Return saved counts, results and tables that options read."""
    import fencepost as fp
    from fencepost.scoring.counts import save

    rng = random.Random(1)
    texts = json.loads(GOOD["texts.json"])
    others = {name: _moved(sizes, rng) for name, sizes in texts.items()}
    table = fp.score(
        texts, {"ours": others, "theirs": texts}, metrics=["pk", "windowdiff", "B", "F"]
    )
    made = {
        "result.json": table.to_json().encode(),
        "group.csv": b"text,group\n" + b"".join(b"d%d,g%d\n" % (i, i % 3) for i in range(8)),
        "rename.csv": b"coder,name\nanna,A\nben,B\n",
        "costs.csv": b"kind,.,?,none\n.,1,0.5,0\n?,0.5,1,0\nnone,0,0,1\n",
        "segments.yaml": b"- {wav: a.wav, offset: 0, duration: 1.5}\n" * 3,
        "docids.txt": b"a\na\na\n",
        "words.txt": b"we start with the weather\nit will rain\n\nin the north tomorrow\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in ("counts.csv", "counts.parquet"):
            save(table.part("counts"), Path(folder, name))
            made[name] = Path(folder, name).read_bytes()
        made["threshold.json"] = _written(
            Path(folder),
            "probable.jsonl",
            "tune IN -i IN -m B --flags last --quiet -o OUT",
            "t.json",
        )
        made["words-counts.csv"] = _written(
            Path(folder), "refs.txt", "resegment IN -i IN --quiet --save OUT", "w.csv"
        )
    return made


def _written(folder: Path, name: str, command: str, out: str) -> bytes:
    """Return the file that a command writes."""
    from fencepost.cli import main

    places = {"IN": str(folder / name), "OUT": str(folder / out)}
    Path(places["IN"]).write_bytes(GOOD[name])
    words = [places.get(word, word) for word in command.split()]
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        assert main(words) == 0
    return Path(places["OUT"]).read_bytes()


def _moved(sizes: list[int], rng: random.Random) -> list[int]:
    return sizes if rng.random() < 0.3 else [sizes[0] + sizes[1], *sizes[2:]]


REFS = "we start with the weather\nit will rain\nin the north tomorrow\n"
GOOD = {
    "good.json": b'{"d1": [5, 5], "d2": [3, 4, 5], "d3": [2, 2, 2, 2], "d4": [9], "d5": [4, 1]}',
    "coders.json": b'{"d1": {"anna": [5, 5], "ben": [4, 6]}, "d2": {"anna": [12], "ben": [7, 5]}}',
    "refs.txt": REFS.encode(),
    "kinds.csv": b"token,anna,ben\na,,\nb,.,.\nc,,\nd,?,.\ne,,\n",
    "levels.csv": b"token,anna,ben\na,,\nb,1,2\nc,,\nd,2,2\ne,,\nf,1,1\ng,,\n",
    "systems.json": b"""{"ours": {"d1": [5, 5], "d2": [3, 4, 5], "d3": [4, 4], "d4": [9],
  "d5": [5]},
 "theirs": {"d1": [4, 6], "d2": [7, 5], "d3": [2, 2, 4], "d4": [8, 1], "d5": [5]}}""",
    "probable.jsonl": b"".join(
        b'{"id": "d%d", "file": "f%d", "ref": [0, 0, 1, 0, 1], "hyp": [0.1, 0.3, 0.8, 0.2, %s]}\n'
        % (i, i % 2, last)
        for i, last in enumerate((b"0.9", b"0.4", b"0.75", b"1", b"0.5", b"0.65"))
    ),
    "records.jsonl": b"".join(
        b'{"id": "d%d", "file": "f%d", "ref": [5, %d], "hyp": [4, %d]}\n' % (i, i % 2, i + 2, i + 3)
        for i in range(6)
    ),
    "chunks.json": b'[{"text": "It rained all day. "}, {"text": "We left."}]',
    "texts.json": json.dumps({f"d{i}": [i % 4 + 1, 2, 5] for i in range(8)}).encode(),
    "raw.txt": b"It rained all day. We left.",
    "talks.json": b"""[{"text": "a", "speaker": "F", "ref": [5, 5]},
 {"text": "a", "speaker": "G", "ref": [3, 4]}, {"text": "b", "speaker": "F", "ref": [2, 6]},
 {"text": "b", "speaker": "G", "ref": [9]}]""",
}


# Ways to spoil a file. Each takes bytes and a source of randomness.


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def move_piece(data: bytes, rng: random.Random) -> bytes:
    """Delete, repeat or move a piece."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((1, 4, 40, 400)))
    put = rng.randrange(len(data) + 1)
    way = rng.randrange(3)
    rest = data[:start] + data[end:] if way != 1 else data
    return rest if way == 0 else rest[:put] + data[start:end] + rest[put:]


def insert(data: bytes, rng: random.Random) -> bytes:
    put = rng.randrange(len(data) + 1)
    what = rng.choice(
        (
            rng.randbytes(rng.choice((1, 4, 64))),
            b"\0",
            b"\xff\xfe",
            b"\xed\xa0\x80",
            b"\\ud800",
            b"\r",
            b"\xef\xbb\xbf",
            b"\x1b[2J",
            b"\\u001b[2J",
            b"\x85",
            rng.choice(NASTY).encode(),
        )
    )
    return data[:put] + what + data[put:]


def shuffle_lines(data: bytes, rng: random.Random) -> bytes:
    """Drop, double or shuffle lines; keys and rows are given twice this way."""
    lines = data.splitlines(keepends=True) or [b""]
    way, at = rng.randrange(3), rng.randrange(len(lines))
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[at])
    else:
        rng.shuffle(lines)
    return b"".join(lines)


def swap_number(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?", data))
    if not found:
        return insert(data, rng)
    for one in sorted(rng.sample(found, min(len(found), rng.choice((1, 1, 3)))), key=_start)[::-1]:
        data = data[: one.start()] + rng.choice(NUMBERS).encode() + data[one.end() :]
    return data


def _start(found: re.Match[bytes]) -> int:
    return found.start()


def swap_word(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"[A-Za-z_]+", data))
    if not found:
        return insert(data, rng)
    one = rng.choice(found)
    word = rng.choice((*NASTY, "", " ", rng.choice(found)[0].decode()))
    if rng.random() < 0.5:  # as JSON writes it
        word = json.dumps(word)[1:-1]
    return data[: one.start()] + word.encode() + data[one.end() :]


def swap_type(data: bytes, rng: random.Random) -> bytes:
    """Put a value of another type somewhere into JSON, JSON lines, or a cell of a table."""
    text = data.decode("utf-8", "replace")
    values = (
        None,
        True,
        -1,
        0,
        1.5,
        10**30,
        "",
        "x",
        [],
        {},
        [[]],
        {"": {}},
        [None],
        ["1", 1],
        {"id": 5},
        rng.choice(NASTY),
    )
    for whole in (text, rng.choice(text.splitlines() or [""])):
        try:
            made = json.loads(whole)
        except (ValueError, RecursionError):
            continue
        spoilt = _replaced(made, rng, rng.choice(values))
        return text.replace(whole, json.dumps(spoilt, ensure_ascii=rng.random() < 0.5), 1).encode()
    return swap_number(data, rng)


def _replaced(node: Any, rng: random.Random, value: Any) -> Any:
    if isinstance(node, (list, dict)) and node and rng.random() < 0.8:
        key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if isinstance(node, dict) and rng.random() < 0.2:
            node[str(value)] = node.pop(key)
        else:
            node[key] = _replaced(node[key], rng, value)
        return node
    return value


def double_key(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb'"[^"\n]*"\s*:\s*[^,{}\[\]\n]+', data))
    if not found:
        return shuffle_lines(data, rng)
    one = rng.choice(found)
    return data[: one.end()] + b", " + one[0] + data[one.end() :]


def nest(data: bytes, rng: random.Random) -> bytes:
    """Go 100,000 levels deep, closed or not, alone or inside the file."""
    opened, closed = rng.choice(
        (
            ("[", "]"),
            ('{"a":', "}"),
            ("<a>", "</a>"),
            ("(", ")"),
            ("- ", ""),
            ('[{"a":', "}]"),
            ("{a: ", "}"),
            ("[[", "]]"),
        )
    )
    deep = opened * 100_000 + rng.choice(("", "1" + closed * 100_000))
    put = rng.choice((0, rng.randrange(len(data) + 1), len(data)))
    return rng.choice((deep.encode(), data[:put] + deep.encode() + data[put:]))


def repeat(data: bytes, rng: random.Random) -> bytes:
    """Repeat a sign, a line or the file itself up to 300 kB."""
    piece = rng.choice((*PIECES, *PIECES, None))
    whole = data if piece is None else piece.encode()
    long = whole * (300_000 // max(1, len(whole)))
    put = rng.randrange(len(data) + 1)
    return rng.choice((long, data + long, long + data, data[:put] + long + data[put:]))


def recode(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace").replace("a", rng.choice(("a", "é", "日", "\U0001f600")))
    encoding = rng.choice(
        (
            "utf-16",
            "utf-16-le",
            "utf-16-be",
            "utf-32",
            "latin-1",
            "cp1252",
            "utf-7",
            "cp500",
            "shift_jis",
            "utf-8-sig",
        )
    )
    return text.encode(encoding, "replace")


def pack(data: bytes, rng: random.Random) -> bytes:
    packed = rng.choice(
        (
            gzip.compress(data, mtime=0),
            _zstd(data),
            b"BZh91AY" + data,
            b"PK\x03\x04",
            gzip.compress(gzip.compress(data, mtime=0), mtime=0),
        )
    )
    return rng.choice((packed, truncate(packed, rng), flip_bits(packed, rng), packed + data))


def bomb(data: bytes, rng: random.Random) -> bytes:
    """A small file that unpacks to gigabytes."""
    return _bombs()[rng.randrange(len(_bombs()))]


@cache
def _bombs() -> list[bytes]:
    zeros = b"0 " * (1 << 23)
    return [gzip.compress(zeros, mtime=0) * 150, _zstd(zeros) * 150]


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


def empty(data: bytes, rng: random.Random) -> bytes:
    return rng.choice(
        (
            b"",
            b"\n",
            b" \n\n",
            b"\xef\xbb\xbf",
            b"\0" * 100,
            b"[]",
            b"{}",
            b"null",
            b"0",
            b'""',
            data.splitlines(keepends=True)[0] if data else b"",
        )
    )


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    truncate,
    flip_bits,
    move_piece,
    insert,
    shuffle_lines,
    swap_number,
    swap_word,
    swap_type,
    double_key,
    nest,
    repeat,
    recode,
    pack,
    empty,
)

# Gentle ways: most files can still be read, and a wrong number is not found by its form.


def change_digit(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"\d", data))
    if not found:
        return change_letter(data, rng)
    one = rng.choice(found)
    return data[: one.start()] + b"%d" % rng.randrange(10) + data[one.end() :]


def change_letter(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"[A-Za-z]", data))
    if not found:
        return data + b"\n"
    one = rng.choice(found)
    return (
        data[: one.start()] + rng.choice((b"a", b"Z", b"\xc3\xa9", b"", b"_")) + data[one.end() :]
    )


def exchange_numbers(data: bytes, rng: random.Random) -> bytes:
    """Put two numbers in each other's place."""
    found = list(re.finditer(rb"\d+(?:\.\d+)?", data))
    if len(found) < 2:
        return change_letter(data, rng)
    one, other = sorted(rng.sample(found, 2), key=_start)
    middle = data[one.end() : other.start()]
    return data[: one.start()] + other[0] + middle + one[0] + data[other.end() :]


def change_blanks(data: bytes, rng: random.Random) -> bytes:
    """Other ends of lines, blanks behind them, a mark of the order of bytes, no last line end."""
    way = rng.randrange(5)
    if way == 0:
        return data.replace(b"\n", b"\r\n")
    if way == 1:
        return data.replace(b"\n", b" \n", rng.randrange(1, 4))
    if way == 2:
        return b"\xef\xbb\xbf" + data
    return data.rstrip(b"\n") if way == 3 else data + b"\n\n"


def cut_lines(data: bytes, rng: random.Random) -> bytes:
    """Keep the first lines only."""
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: rng.randrange(len(lines) + 1)])


def as_it_is(data: bytes, rng: random.Random) -> bytes:
    """Leave the file: the place, the format that is named, or the output is the matter."""
    return data


GENTLE = (
    change_digit,
    change_digit,
    change_letter,
    exchange_numbers,
    change_blanks,
    cut_lines,
    shuffle_lines,
    as_it_is,
)

# What is put behind options.
ODD_VALUES = (
    *NASTY,
    *NUMBERS,
    "-",
    "--",
    "=",
    ",",
    ":",
    "|",
    "*",
    "yes",
    "None",
    "a=b",
    "a=b,c=d",
    "ref=,hyp=",
    "ref=ref,ref=hyp",
    "text=id,speaker=id",
    "x.py:f",
    "nowhere/x.py:f",
    "http://x/y",
    "d1",
    "anna",
    "ours",
    "1/3",
    "seconds:0",
    "seconds:1e-300",
    "text",
    "words:words",
)
ODD_METRICS = (
    "pk:k=-1",
    "pk:k=99999999999999999999",
    "pk:k=1/0",
    "windowdiff:k=2,k=3",
    "windowdiff:weighted=maybe",
    "B:n_t=2147483648",
    "B:n_t=-1",
    "B:weights=nan",
    "Sf:costs=costs.csv",
    "Sf:costs=nowhere.csv",
    "F:tolerance=1e9",
    "pk::",
    "pk:",
    ":k=2",
    "pk|k:auto",
    "pk|k:3|fencepost:0.2.0",
    "pk|k:3|pad:none|avg:macro|fencepost:9.9.9",
    "*",
    "PK",
    "bleu",
    "c_seg",
    "gamma",
)
ODD_INPUTS = ("good.json", "counts.csv", "result.json", "refs.txt", "nowhere", "OUT", "/dev/null",
              "a.json:ref=x", "x=good.json", "good.json:ref=,", "raw.txt")  # fmt: skip
ODD_OUTPUTS = ("OUT/x.exe", "OUT", "nowhere/x.csv", "good.json", "/dev/full", "OUT/x.csv", "-",
               "OUT/x", "OUT/x.json", "OUT/x.png", "OUT/.csv", "", "OUT/" + "n" * 300 + ".csv",
               "http://x/y.csv", "OUT/../counts.csv")  # fmt: skip


def odd_option(command: Sequence[str], rng: random.Random) -> list[str]:
    """Return an option that the command takes, with values that are right, at a limit or wrong."""
    from fencepost.options import options_of

    name = " ".join(command[:2]) if command[0] == "simulate" else command[0]
    able = [
        one
        for one in options_of(name)
        if not one.positional and one.name != "dask" and not {one.flag, one.short} & {*command}
    ]
    if not able:
        return [rng.choice(("--nothing", "-x", "--", "--help=1"))]
    one = rng.choice(able)
    flag = rng.choice((one.flag, one.short or one.flag))
    if one.type is bool or one.const is not None:
        return [f"{flag}=yes" if rng.random() < 0.1 else flag]
    count = one.nargs if isinstance(one.nargs, int) else 1 + (rng.random() < 0.2)
    return [flag, *(_value(one, rng) for _ in range(count))]


def _value(one: Option, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(ODD_VALUES).replace("\0", "")
    near = [one.low, one.low and one.low - 1, one.high and one.high + 1, one.default]
    likely = {
        "metrics": ODD_METRICS,
        "metric": ODD_METRICS,
        "like": ("pk", "nltk", "segeval", "x"),
    }
    of_files = {"in": ODD_INPUTS, "out": ODD_OUTPUTS, "code": ("x.py:f", "refs.txt:f")}
    able = (
        one.choices
        or likely.get(one.name)
        or (one.file and of_files[one.file])
        or [str(number) for number in near if number is not None]
        or ODD_VALUES
    )
    return rng.choice(list(able))


# What a path can be besides a file.
PLACES = (
    "fifo",
    "folder",
    "folder of it",
    "unreadable",
    "loop",
    "dangling",
    "bytes",
    "markup",
    "long",
    "escape",
    "stdin",
    "device",
)

# Commands: X is the spoilt file, behind the bar are files with which the command succeeds; other
# names are well-formed files (GOOD), and OUT is a folder.
COMMANDS = tuple(
    (tuple(words.split()), tuple(own.split()))
    for words, _, own in (
        line.partition("|")
        for line in """
look X | good.json coders_table.csv news.conllu film.srt
look X --units words:words --tiers coders | talk.eaf talk.TextGrid
look X X | good.json
look X --json | good.json marks.jsonl
look X --probabilities --flags last | probabilities.jsonl
score X -i X | good.json wiki727.txt choi.ref sentences.sents film.tagged.txt cats.md
score X --columns ref=anna,hyp=ben -m pk B Sf | kinds.csv levels.csv
score good.json -i X | good.json systems.json
score X -i good.json --missing skip | good.json
score X -i X --per-text --json | good.json table.csv
score X -i X --csv --table per-text | good.json wiki727.txt
score X -i X --latex | good.json
score X -i X --markdown | good.json
score X -i X --html OUT/page.html | good.json film.srt
score X -i X --save OUT/counts.csv -o OUT/scores.txt | good.json cats.html
score X -i X -m S A Sf winpr_f c_seg --average both | good.json cats.md
score X -i X --flags last | marks.jsonl
score X -i X --encoding masses | good.json
score X -i X --missing whole --empty skip | good.json
score good.json -i good.json --group X | group.csv
score kinds.csv --columns ref=anna,hyp=ben --costs X -m Sf | costs.csv
score texts.json -i ours=texts.json theirs=texts.json --gate X | counts.csv counts.parquet
score kinds.csv --columns ref=anna,hyp=ben --learn-costs X -m Sf | kinds.csv
score chunks.json -i chunks.json --from chunks --raw X | raw.txt
score --counts X | counts.csv counts.parquet
score --counts X --paired | counts.csv counts.parquet
resegment --counts X | words-counts.csv
agree X | coders.json masses.json talk.csv boundary_strings.csv
agree X --all | coders.json segeval.json coders_table.csv
agree X -i good.json | coders.json
agree X --differences OUT/d.csv --consensus OUT/c.json | coders.json paragraphs.csv
agree X --html OUT/page.html | coders.json levels.csv
agree coders.json --rename X | rename.csv
agree coders.json --html-per-coder OUT/pages --rename X | rename.csv
agree X --by level | levels.csv
agree X --sentence | coders.json
agree X --table coders --csv | coders.json
edits X -i X | good.json cats.html
edits X --columns ref=anna,hyp=ben | kinds.csv
edits good.json -i X | good.json
diff X X | counts.csv result.json
diff counts.csv X | counts.csv result.json counts.parquet
diff result.json X | result.json counts.csv
convert X OUT/x.json | good.json sentences.sents
convert X OUT/x.jsonl | good.json cats.md kinds.csv
convert X OUT/x.csv | good.json
convert X OUT/x.segeval.json --to segeval | good.json
convert X - --to tokens | good.json nltk.bits
convert X OUT/x.json.gz | good.json
convert X OUT/x.parquet | good.json
resegment X -i X | words.txt refs.txt
resegment refs.txt -i X | words.txt talk.stm
resegment X -i refs.txt | words.txt
resegment refs.txt -i X -o OUT/out.txt --html OUT/page.html | words.txt
resegment refs.txt -i refs.txt --docids X | docids.txt
resegment refs.txt -i refs.txt --segments X | segments.yaml
resegment refs.txt -i refs.txt --source X | refs.txt
resegment X -i X --save OUT/counts.csv --by document | refs.txt
simulate errors X | good.json
simulate typed X | cats.md
simulate coders X | good.json coders.json
simulate coders X -o OUT/s.json | coders.json
score X/* --encoding masses --columns ref=ref,hyp=hyp | records.jsonl
score X --columns ref=anna,hyp=ben --by level | levels.csv
score X -i X --by file --sentence | records.jsonl
score good.json -i X --paired --all-pairs --csv --table comparisons | systems.json
probe windowdiff --against pk --corpus X --largest 5 | good.json
tune X -i X --flags last | probable.jsonl
tune probable.jsonl -i X -m B --flags last --html OUT/page.html | probable.jsonl
tune X -i X --flags last --csv --table curve -o OUT/t.json -m F | probable.jsonl
score probable.jsonl -i probable.jsonl --flags last --threshold X | threshold.json
score X --strict --encoding masses --columns ref=ref,hyp=hyp --save OUT/run | records.jsonl
score records.jsonl --strict --encoding masses --columns ref=ref,hyp=hyp --save RUN --resume | run
score X -i X --columns text=text,speaker=speaker --by speaker --html OUT/page.html | talks.json
probe pk --properties chance --plot OUT/x.svg | good.json
simulate references --texts 2 -o OUT/x.json | good.json
simulate stream --documents 2 -o OUT/x | good.json
metrics pk | good.json
formats json | good.json
findings | good.json
""".strip().splitlines()
    )
)


@dataclass(frozen=True)
class Case:
    """One command on one spoilt input."""

    number: int
    command: tuple[str, ...]
    seed: str  # the file that was spoilt
    way: str
    place: str
    data: bytes
    name: str  # of the spoilt file
    encoding: str  # of standard output


def make_case(seed: int, number: int) -> Case:
    """Return a case; it follows from its number and the seed alone."""
    rng = random.Random(f"{seed}-{number}")
    names = sorted(seeds())
    # Files of the sort that the command reads, more often than others.
    template, own = rng.choice(COMMANDS)
    command = list(template)
    is_gentle = rng.random() < 0.6
    name = rng.choice(own if rng.random() < (0.9 if is_gentle else 0.4) else names)
    if "RUN" in command:
        name = "run"
    whole = data = seeds().get(name, b"")
    ways = [rng.choice(GENTLE)] if is_gentle else rng.choices(WAYS, k=rng.choice((1, 1, 2)))
    if rng.random() < 0.01:
        ways = [bomb]
    for way in ways:
        data = way(data, rng)
    if command[0] == "resegment" and {repeat, nest} & {*ways}:
        data = data[:60_000]  # words are aligned exactly: time is quadratic in their number
    place = "file" if rng.random() < 0.9 else rng.choice(PLACES)
    if place == "file" and "X/*" in command:
        place = "shelf"
    if name == "run":
        return Case(number, tuple(command), name, _named(ways), name, data, name, "utf-8")
    if rng.random() < (0.05 if is_gentle else 0.3) and "--counts" not in command:
        from fencepost.formats import FORMATS

        flag = "--to" if command[0] == "convert" and rng.random() < 0.3 else "--from"
        command = [*command, flag, rng.choice(list(FORMATS))]
    if rng.random() < 0.05:
        name = Path(name).stem + rng.choice((".json", ".csv", ".txt", ".parquet", ".eaf", "", ".x"))
    if "pack" in (way.__name__ for way in ways):
        name += rng.choice(("", ".gz", ".zst"))
    encoding = rng.choice(["utf-8"] * 8 + ["ascii", "latin-1"])
    if rng.random() < 0.3:
        command += odd_option(command, rng)
        if is_gentle and rng.random() < 0.7:
            ways, data = [as_it_is], whole
    return Case(number, tuple(command), name, _named(ways), place, data, name, encoding)


def _named(ways: Iterable[Callable[..., bytes]]) -> str:
    return "+".join(way.__name__ for way in ways)


def put_run(case: Case, folder: Path) -> None:
    """Save a run, keep what it says, and spoil one of its files."""
    from fencepost.cli import main

    rng = random.Random(f"run-{case.number}")
    words = [word for word in case.command if word != "--resume"]
    with open(folder / "said", "w", encoding="utf-8") as stream, redirect_stdout(stream):
        assert main(words) == 0
    path = rng.choice(sorted((folder / "RUN").iterdir()))
    data = path.read_bytes()
    for way in case.way.split("+"):
        data = globals()[way](data, rng)
    path.write_bytes(data)


def put_input(case: Case, folder: Path) -> tuple[str, bytes | None]:
    """Write the spoilt input; return the word that names it, and what is on standard input."""
    if case.place == "run":
        put_run(case, folder)
        return "", None
    path = folder / case.name
    if path.exists():
        path = folder / f"spoilt-{case.name}"
    named = {
        "bytes": "caf\udce9-\udcff" + path.suffix,
        "markup": "[bold red]x[red]" + path.suffix,
        "escape": "\x1b[31m\nx" + path.suffix,
        "long": "n" * 200 + path.suffix,
    }
    if case.place in named:
        path = folder / named[case.place]
    if case.place == "stdin":
        return "-", case.data
    if case.place == "fifo":
        os.mkfifo(path)
        threading.Thread(target=_feed, args=(path, case.data), daemon=True).start()
    elif case.place == "folder":
        path.mkdir()
    elif case.place == "folder of it":
        path.mkdir()
        (path / case.name).write_bytes(case.data)
        (path / "again").symlink_to(path)
        os.mkfifo(path / "pipe.json")
    elif case.place == "shelf":
        path.mkdir()
        (path / case.name).write_bytes(case.data)
    elif case.place == "loop":
        path.symlink_to(path)
    elif case.place == "dangling":
        path.symlink_to("nowhere")
    elif case.place == "device":
        return random.Random(case.number).choice(("/dev/null", "/proc/self/mem", "/dev/full")), None
    else:
        path.write_bytes(case.data)
        if case.place == "unreadable":
            path.chmod(0)
    return str(path.relative_to(folder)), None


def _feed(path: Path, data: bytes) -> None:
    with suppress(OSError):
        path.write_bytes(data)


# Running.


@dataclass
class Outcome:
    """How a case ended."""

    case: Case
    code: int  # of the exit, or minus the signal
    seconds: float
    memory: int
    fault: str  # what is wrong with that; empty if nothing is
    words: str = ""  # the end of standard error


def run_case(case: Case, folder: Path) -> Outcome:
    """Run a case in a fork of this process, and judge how it ended."""
    (folder / "OUT").mkdir(parents=True)
    for name, data in GOOD.items():
        (folder / name).write_bytes(data)
    for name in ("counts.csv", "result.json"):
        (folder / name).write_bytes(seeds()[name])
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _run_child(case, folder)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime  # other work on the machine does not count
    code = os.waitstatus_to_exitcode(status)
    said = (folder / "stderr").read_bytes() if (folder / "stderr").exists() else b""
    memory = usage.ru_maxrss * 1024
    fault = _fault(case, folder, code, said, seconds, memory)
    return Outcome(case, code, seconds, memory, fault, said.decode("utf-8", "replace")[-3000:])


def _run_child(case: Case, folder: Path) -> None:
    """Become the command: streams, limits and folder of its own; never return."""
    code = 70
    try:
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, signal.SIG_DFL)  # ends it wherever it is
        signal.setitimer(signal.ITIMER_PROF, SECONDS + 1)
        signal.setitimer(signal.ITIMER_REAL, HANGING)
        os.chdir(folder)
        word, given = put_input(case, folder)
        _replace_streams(given, case.encoding)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        from fencepost.cli import main

        words = [one.replace("X", word) if one[:1] == "X" else one for one in case.command]
        sys.argv = ["fencepost", *words]
        code = main()
        sys.stdout.flush()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _replace_streams(given: bytes | None, encoding: str) -> None:
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    if given is not None:
        Path("stdin").write_bytes(given)
    os.dup2(os.open("stdin" if given is not None else os.devnull, os.O_RDONLY), 0)
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 - for the life of the process
    sys.stdout = open(1, "w", encoding=encoding)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding=encoding, errors="backslashreplace")  # noqa: SIM115


_OBEYED = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


def _fault(case: Case, folder: Path, code: int, said: bytes, seconds: float, memory: int) -> str:
    """Return what is wrong with the way a case ended; nothing is right."""
    if code == -signal.SIGALRM:
        return f"not ended after {HANGING} s"
    if code == -signal.SIGPROF or seconds > SECONDS:
        return f"more than {SECONDS} s"
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    if memory > MEMORY:
        return f"{memory / 1e6:.0f} MB"
    if b"Traceback" in said or code not in FINE:
        return f"exit {code}: {said.decode('utf-8', 'replace').strip().splitlines()[-1:]}"
    if b"Warning" in said:
        return "a warning of Python"
    if _OBEYED.search(said):
        return "standard error has signs that a terminal obeys"
    lines = [one for one in said.decode("utf-8", "replace").splitlines() if not _is_note(one)]
    if code in (1, 2) and (not lines or not lines[-1].startswith("fencepost: ")):
        return f"exit {code} without a sentence: {lines[-1:]}"
    if code in (1, 2) and len(lines) > 1:
        return f"{len(lines)} lines: {lines[:2]}"
    # The limit turns what would be too much into a refusal, which is right for large files alone.
    if NO_MEMORY.encode() in said and len(case.data) <= SMALL and not is_bomb(case):
        return f"a file of {len(case.data):,} bytes needs more than {MEMORY / 1e6:.0f} MB"
    written = (folder / "stdout").read_bytes()
    if code in (1, 2) and written and not _reports(case):
        return f"exit {code} after an output"
    if code == 0 and case.place == "run" and written != (folder / "said").read_bytes():
        return "a run that goes on says something else"
    for_people = case.command[0] != "convert" and not {"--json", "--csv"} & {*case.command}
    if for_people and _OBEYED.search(written):
        return "standard output has signs that a terminal obeys"
    if any(folder.rglob(".*.part")):
        return "a half-written file was left"
    asked = [word for flag, word in pairwise(case.command) if flag in _writing_flags()]
    for name, data in GOOD.items():
        is_output = name in asked and case.command.count(name) == 1
        if not is_output and (folder / name).read_bytes() != data:
            return "an input was changed"
    return ""


@cache
def _writing_flags() -> set[str | None]:
    from fencepost.options import OPTIONS

    return {flag for one in OPTIONS if one.file == "out" for flag in (one.flag, one.short)}


def _reports(case: Case) -> bool:
    """Tell whether a command prints what it finds wrong: files of a run, or a failed proof."""
    is_run = "X/*" in case.command and "--strict" not in case.command
    return is_run or case.command[0] == "findings"


def is_bomb(case: Case) -> bool:
    return "bomb" in case.way


def _is_note(line: str) -> bool:
    return line.startswith(("fencepost: note:", "fencepost: gate:", "written: ", "  fencepost "))


def run_cases(seed: int, numbers: range, jobs: int) -> Iterator[Outcome]:
    """Run cases in ``jobs`` processes; outcomes come as they end."""
    warm_up()
    root = Path(tempfile.mkdtemp(prefix="hostile-"))
    read, write = os.pipe()
    workers = []
    for job in range(jobs):
        child = os.fork()
        if child == 0:
            os.close(read)
            _work(seed, numbers[job::jobs], root / str(job), write)
        workers.append(child)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as stream:
            for line in stream:
                number, *rest = json.loads(line)
                yield Outcome(make_case(seed, number), *rest)
    finally:
        for child in workers:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
        shutil.rmtree(root, ignore_errors=True)


def _work(seed: int, numbers: range, folder: Path, write: int) -> None:
    try:
        for number in numbers:
            case = make_case(seed, number)
            made = run_case(case, folder)
            row = (number, made.code, made.seconds, made.memory, made.fault, made.words)
            os.write(write, json.dumps(row).encode() + b"\n")
            _remove(folder)
        os.close(write)
        signal.pause()
    except BaseException:
        import traceback

        traceback.print_exc()  # cases are missing then, which main() counts
    finally:
        os._exit(1)


def _remove(folder: Path) -> None:
    for path in folder.rglob("*"):
        if not path.is_symlink() and not stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR:
            path.chmod(0o700)
    shutil.rmtree(folder)


@cache
def warm_up() -> None:
    """Import what commands need, so that a fork begins with it."""
    import fencepost.cli.agree
    import fencepost.cli.convert
    import fencepost.cli.diff
    import fencepost.cli.edits
    import fencepost.cli.findings
    import fencepost.cli.formats
    import fencepost.cli.look
    import fencepost.cli.metrics
    import fencepost.cli.probe
    import fencepost.cli.resegment
    import fencepost.cli.score
    import fencepost.cli.simulate
    import fencepost.cli.tune
    import fencepost.report.html.coders
    import fencepost.report.html.scores  # noqa: F401
    from fencepost.formats import FORMATS, find_format

    for name in FORMATS:
        find_format(name)
    seeds()
    _bombs()
    for package in ("pyarrow.parquet", "pylangacq", "yaml", "defusedxml.ElementTree", "jinja2"):
        __import__(package)


# How time grows.

STEEP, TOO_STEEP = 1.4, 1.6  # exponents: measured again, a fault


def growth(kilobytes: int = 256) -> list[tuple[float, float, str, str]]:
    """Return the exponent of time over size, seconds, reader and piece, the worst first.

    Files are one piece repeated, alone and behind the format's example, and those of ``growing``.
    An exponent of 1 is linear; what takes less than 0.1 s is not measured again.
    """
    from fencepost.formats import FORMATS, find_format

    found = []
    for growing in GROWING:
        exponent, seconds = growing.exponent(kilobytes * 1024)
        if exponent > STEEP:
            exponent = min(exponent, growing.exponent(4 * kilobytes * 1024)[0])
        if seconds >= 0.1:
            found.append((exponent, seconds, growing.format, growing.what))
    for name in FORMATS:
        example = find_format(name).example
        for piece in PIECES:
            for front in ("", example):
                long = front + piece * (kilobytes * 1024 // len(piece.encode()))
                seconds = _time(name, long)
                if seconds < 0.1:
                    continue
                exponent = _exponent(name, front, piece, kilobytes)
                if exponent > STEEP:  # of long files, whose time is less of a chance
                    exponent = min(exponent, _exponent(name, front, piece, 4 * kilobytes))
                where = "" if not front else " behind the example"
                found.append((exponent, seconds, name, f"{piece!r}{where}"))
    return sorted(found, reverse=True)


def _exponent(name: str, front: str, piece: str, kilobytes: int) -> float:
    """Return the exponent of the time between a file of half the size and the whole."""
    half, whole = (
        min(_time(name, front + piece * (size * 512 // len(piece.encode()))) for _ in range(3))
        for size in (kilobytes, 2 * kilobytes)
    )
    return math.log2(whole / max(half, 1e-6))


def _time(name: str, text: str) -> float:
    """Return the time in which a format reads a text, or refuses it."""
    from fencepost import FencepostError
    from fencepost.formats import find_format, read_bytes
    from fencepost.formats.options import Reading

    data = text.encode()
    format = find_format(name)
    began = time.process_time()
    with suppress(FencepostError):
        format.looks_like(text)
        if "segmentations" in format.gives:
            read_bytes(data, "x", name)
        else:
            wanted = "references" if format.references else "streams"
            reader = format.references or format.streams
            assert reader is not None
            reader(text, Reading("x", function=f"read_{wanted}", **format.choices))
    return time.process_time() - began


# The report.

OF_MEMORY = "refused for its memory"


@dataclass
class Report:
    """What a campaign found."""

    outcomes: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    faults: list[Outcome] = field(default_factory=list)
    slowest: Outcome | None = None
    largest: Outcome | None = None

    def add(self, one: Outcome) -> None:
        names = {0: "a result", 1: "refused data", 2: "refused usage", 3: "a missed gate"}
        name = OF_MEMORY if NO_MEMORY in one.words else names.get(one.code, "")
        self.outcomes["a fault" if one.fault else name] += 1
        for way in one.case.way.split("+"):
            self.ways[way] += 1
        self.commands[one.case.command[0]] += 1
        if one.fault:
            self.faults.append(one)
        if self.slowest is None or one.seconds > self.slowest.seconds:
            self.slowest = one
        if self.largest is None or one.memory > self.largest.memory:
            self.largest = one


def told(one: Outcome) -> str:
    case = one.case
    return (
        f"case {case.number}: {' '.join(case.command)} ({case.name}, {case.way}, {case.place}): "
        f"{one.seconds:.1f} s, {one.memory / 1e6:.0f} MB, exit {one.code}"
    )


def listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="run one case and print what it says")
    parser.add_argument("--growth", type=int, default=256, metavar="KB", help="0 is none")
    given = parser.parse_args()
    first = 0 if given.only is None else given.only
    count = given.cases if given.only is None else 1
    report = Report()
    for one in run_cases(given.seed, range(first, first + count), given.jobs):
        report.add(one)
        if one.fault or given.only is not None:
            print(f"FAULT {one.fault[:300]}\n  {told(one)}", flush=True)
            if given.only is not None:
                print(one.words)
    assert report.slowest is not None and report.largest is not None
    assert sum(report.outcomes.values()) == count, "a part of the campaign has stopped"
    print(f"{count} inputs (seed {given.seed}): {listed(report.outcomes)}")
    print(f"refused because memory did not suffice: {report.outcomes[OF_MEMORY]} large files")
    print(f"commands: {listed(report.commands)}\nspoilt by: {listed(report.ways)}")
    print(f"slowest: {told(report.slowest)}\nlargest: {told(report.largest)}")
    kilobytes = given.growth if given.only is None else 0
    worst = growth(kilobytes) if kilobytes else []
    if kilobytes and not worst:
        print(f"growth: no reader takes 0.1 s for {kilobytes} kB of one repeated piece")
    for exponent, seconds, name, piece in worst[:5]:
        size = f"{seconds:.2f} s at {kilobytes} kB"
        print(f"growth: {name} reads {piece} in time n^{exponent:.2f} ({size})")
    return 1 if report.faults or any(one[0] > TOO_STEEP for one in worst) else 0


if __name__ == "__main__":
    sys.exit(main())
