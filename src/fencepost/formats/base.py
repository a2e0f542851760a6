"""What a format is: a name, a way to read a Corpus from bytes, and where possible to write one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal

from fencepost.checks import FencepostError
from fencepost.corpus import Corpus
from fencepost.streams.packed import unpacked

# What a Corpus has besides sizes; a file of a format keeps it or not.
KEEPS = {
    "texts": "names of texts",
    "coders": "names of coders",
    "speakers": "speakers",
    "kinds": "kinds",
    "words": "words",
    "choices": "how the input was read",
}
ENCODINGS = ("masses", "bits", "flags", "positions", "labels", "spans", "times")
UNITS = re.compile(r"words|chars|text|words:.+|seconds:(?P<step>\d+(?:\.\d+)?)")


class FormatError(FencepostError):
    """A file that cannot be read; the message names the file and the line."""


@dataclass(frozen=True)
class Reading:
    """Choices a person can make about how a file is to be understood."""

    name: str  # the file's own name, for messages
    flags: Literal["last", "first"] | None = None
    encoding: str | None = None  # one of ENCODINGS, where the values themselves do not tell
    field: str | None = None  # of JSON records: which one holds the segmentation
    default_field: str = "ref"
    id_field: str = "id"
    units_field: str = "units"
    ignore_tokens: str | None = None  # a regular expression: words or lines to leave out
    threshold: float | None = None  # a probability from here up is a boundary
    units: str | None = None  # words:TIER, seconds:0.1, words, chars, text: what is counted
    tiers: str | None = None  # coders, speakers, one, or {speaker}@{coder}; "except a, b" after it
    gaps: Literal["segment", "join"] | None = None  # stretches that belong to no segment
    overlap: Literal["start", "end"] | None = None  # where segments that overlap are cut
    snap: bool = False  # white space around a cut is ignored
    levels: str | None = None  # of headings and captions: kinds, all, or the lowest that counts
    raw: str | None = None  # the text itself, for lists of its sentences
    separator: str | None = None  # the line between segments; "" is an empty line

    def __post_init__(self) -> None:
        _check(self)

    @property
    def made(self) -> set[str]:
        """The choices that differ from what is usual."""
        usual = {name: one.default for name, one in self.__dataclass_fields__.items()}
        kept = usual.keys() - {"name", "default_field"}
        return {name for name in kept if getattr(self, name) != usual[name]}

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        name = unpacked(self.name)
        head, dot, _ = name.rpartition(".")
        return head if dot and head else name

    def at(self, line: int | None) -> str:
        """Where: the file, and the line if there is one."""
        return self.name if line is None else f"{self.name}, line {line}"


def _check(reading: Reading) -> None:
    """Refuse choices that no file could have."""
    for name, given, known in (
        ("flags", reading.flags, ("last", "first")),
        ("gaps", reading.gaps, ("segment", "join")),
        ("overlap", reading.overlap, ("start", "end")),
    ):
        if given is not None and given not in known:
            raise FormatError(f"{name} {_are(name)} {' or '.join(known)}, found {given!r}")
    threshold: Any = reading.threshold
    if threshold is not None:
        number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
        if not number or not 0 < threshold <= 1:
            raise FormatError(f"a threshold is above 0 and at most 1, found {threshold!r}")
    if reading.units is not None:
        found = UNITS.fullmatch(str(reading.units))
        if not found or (found["step"] and float(found["step"]) <= 0):
            raise FormatError(
                "units are words:TIER (the intervals of a tier), seconds:0.1 (a grid), words, "
                f"chars or text (words of the labels), found {reading.units!r}"
            )
    levels = reading.levels
    if levels is not None and not re.fullmatch(r"kinds|all|[1-9]\d?", str(levels)):
        raise FormatError(
            "levels are kinds (every level is a kind of boundary), all (no kinds) or the last that "
            f"counts, such as 1; found {levels!r}"
        )
    separator = reading.separator
    if separator is not None and len(split_lines(str(separator))) > 1:
        raise FormatError(f"a separator is one line, found {separator!r:.40}")
    if reading.tiers is not None:
        _check_tiers(str(reading.tiers).partition(" except ")[0])


def _check_tiers(tiers: str) -> None:
    if tiers in ("coders", "speakers", "one"):
        return
    named = re.findall(r"\{([^{}]*)\}", tiers)
    if not named or set(named) - {"speaker", "coder"} or len(set(named)) < len(named):
        example = re.fullmatch(r"\w+?([^\w\s]+|_)\w+", tiers)
        raise FormatError(
            "tiers are coders, speakers, one, or a pattern of their names with {speaker} and "
            f"{{coder}}, such as {{speaker}}@{{coder}}; found {tiers!r}"
            + (f", for which it is {{speaker}}{example[1]}{{coder}}" if example else "")
        )


def _are(name: str) -> str:
    return "are" if name.endswith("s") else "is"


# Choices that matter to files with values in named fields, and to files with tiers.
VALUES = ("flags", "encoding", "threshold", "units", "gaps", "overlap", "snap")
RECORDS = ("id_field", "units_field", *VALUES)
TIERS = ("units", "tiers", "gaps", "overlap", "ignore_tokens")
OPTIONS = {"encoding": "--as"}  # where a choice is not called as its option is


def option_of(choice: str) -> str:
    """A choice of reading as the command line has it."""
    return OPTIONS.get(choice, f"--{choice.replace('_', '-')}")


@dataclass(frozen=True)
class Format:
    """A family of files."""

    name: str
    endings: tuple[str, ...]
    help: str
    example: str
    read: Callable[[str, Reading], Corpus]
    looks_like: Callable[[str], bool] = field(default=lambda text: False)
    write: Callable[[Corpus], str] | None = None
    sure: bool = False  # what it looks like is enough, whatever the file is called
    choices: Mapping[str, Any] = field(default_factory=dict)  # that the example needs
    read_bytes: Callable[[bytes, Reading], Corpus] | None = None  # of files that are no text
    write_bytes: Callable[[Corpus], bytes] | None = None
    # Writers for endings under which files look different: commas in a .csv, tabs in a .tsv.
    write_as: Mapping[str, Callable[[Corpus], str]] = field(default_factory=dict)
    keeps: Collection[str] | None = None  # which of KEEPS is read again as it was written
    unnamed_as: Collection[str] = ()  # endings of files whose own name is that of the text
    numbered: bool = False  # numbers are written for words that are not known
    timed: bool = False  # its segments have times, which a Corpus has not
    takes: Collection[str] | None = None  # choices of reading that can matter; None: any

    @property
    def writable(self) -> bool:
        """Whether a Corpus can become such a file."""
        return self.write is not None or self.write_bytes is not None

    def idle(self, reading: Reading) -> set[str]:
        """Choices that were made and can say nothing about such a file."""
        if self.takes is None:
            return set()
        return reading.made - {*self.takes, "field"}  # where there are none, it is a coder

    def kept(self, name: str) -> Collection[str] | None:
        """Which of KEEPS a file of this name gives back; None where the format does not say."""
        if self.keeps is None or ending_of(name) not in self.unnamed_as:
            return self.keeps
        return [what for what in self.keeps if what != "texts"]

    def written(self, corpus: Corpus, name: str) -> bytes:
        """The content of a file of this name."""
        if self.write_bytes is not None:
            return self.write_bytes(corpus)
        make = self.write_as.get(ending_of(name), self.write)
        assert make is not None
        return make(corpus).encode("utf-8")


def ending_of(name: str) -> str:
    """The ending that says what a file holds: .csv of talk.CSV.gz."""
    return PurePath(unpacked(name)).suffix.lower()


def split_lines(text: str) -> list[str]:
    """Lines end with \\n, \\r\\n or \\r; other signs that break a line on paper are text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def first_line(text: str) -> str:
    """The first line with something on it."""
    found = re.search(r"\S[^\r\n]*", text)
    return found.group() if found else ""


def split_rows(text: str, reading: Reading) -> list[tuple[int, list[str]]]:
    """The rows of a table with the numbers of their lines; cells as they stand, no empty rows."""
    first = first_line(text)
    delimiter = next((sign for sign in "\t,;" if sign in first), ",")
    # A quotation mark left open takes the empty line at the end.
    reader = csv.reader([*split_lines(text), ""], delimiter=delimiter)
    rows: list[tuple[int, list[str]]] = []
    before = 0
    try:
        for row in reader:
            if reader.line_num > before + 1:
                raise FormatError(
                    f"{reading.at(before + 1)}: a quotation mark opens here and does not close on "
                    'this line; a row is one line, and a cell that is a quotation mark is """"'
                )
            before = reader.line_num
            if any(cell.strip() for cell in row):
                rows.append((before, row))
    except csv.Error as error:
        raise FormatError(f"{reading.at(before + 1)}: not a table: {error}") from None
    return rows


def join_rows(rows: Iterable[Sequence[object]], delimiter: str) -> str:
    """A table as text; cells are quoted where they must be."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def check_cells(names: Iterable[str], what: str, way: str) -> None:
    """Refuse names that a table would give back changed."""
    for name in names:
        if not name or name != name.strip() or re.search(r"[\r\n]", name):
            raise FormatError(
                f"{what} {name!r:.60} cannot be a cell of a table, which is one line without space "
                f"around it; {way} can hold it"
            )
