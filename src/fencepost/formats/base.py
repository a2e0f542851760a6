"""What a format is: a name, a way to read a Corpus from bytes, and where possible to write one."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from fencepost.checks import FencepostError
from fencepost.corpus import Corpus

ENCODINGS = ("masses", "bits", "flags", "positions", "labels", "spans")


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
    ignore_tokens: str | None = None  # a regular expression, for tables of tokens

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        head, dot, _ = self.name.rpartition(".")
        return head if dot and head else self.name

    def at(self, line: int | None) -> str:
        """Where: the file, and the line if there is one."""
        return self.name if line is None else f"{self.name}, line {line}"


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


def split_lines(text: str) -> list[str]:
    """Lines end with \\n, \\r\\n or \\r; other signs that break a line on paper are text."""
    lines = re.split(r"\r\n|\n|\r", text)
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
