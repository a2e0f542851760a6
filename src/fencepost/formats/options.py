"""Choices a person can make about how a file is to be understood."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from fencepost.compression import unpacked
from fencepost.model.checks import FencepostError

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


def split_lines(text: str) -> list[str]:
    """Lines end with \\n, \\r\\n or \\r; other signs that break a line on paper are text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
