"""What a format is: a name, ways to read what its files give, and where possible to write them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from fencepost.compression import unpacked
from fencepost.files import csv_writer
from fencepost.formats.options import COLUMNS, FormatError, Reading, split_lines
from fencepost.model.corpus import Corpus

if TYPE_CHECKING:
    from fencepost.model.documents import SegmentRows, StreamSet

# What files can be read as. Commands that compare segmentations read the first; resegment reads
# references, and streams of words.
GIVES = ("segmentations", "references", "streams")

# What a Corpus has besides sizes; a file of a format keeps it or not.
KEEPS = {
    "texts": "names of texts",
    "coders": "names of annotators",
    "speakers": "speakers",
    "kinds": "boundary types",
    "words": "words",
    "choices": "how the input was read",
}


@dataclass(frozen=True, eq=False)
class Format:
    """A family of files."""

    name: str
    endings: tuple[str, ...]
    help: str
    example: str
    read: Callable[[str, Reading], Corpus] | None = None  # segmentations
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
    roles: Collection[str] = ()  # of columns, that --columns can name beside ref and hyp
    # For re-segmentation: segments of references, and the words of one system.
    references: Callable[[str, Reading], SegmentRows] | None = None
    streams: Callable[[str, Reading], StreamSet] | None = None

    @property
    def gives(self) -> tuple[str, ...]:
        """What its files can be read as: some of GIVES."""
        readers = (self.read or self.read_bytes, self.references, self.streams)
        return tuple(what for what, reader in zip(GIVES, readers, strict=True) if reader)

    @property
    def writable(self) -> bool:
        """Whether a Corpus can become such a file."""
        return self.write is not None or self.write_bytes is not None

    def idle(self, reading: Reading) -> set[str]:
        """Choices that were made and can say nothing about such a file."""
        if self.takes is None:
            return set()
        # Where there are no fields, the one that is asked for is a coder; like is about scores.
        known = {COLUMNS + one for one in ("ref", "hyp", *self.roles)}
        return reading.made - {*self.takes, *known, "like"}

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


def first_line(text: str) -> str:
    """The first line with something on it."""
    found = re.search(r"\S[^\r\n]*", text)
    return found.group() if found else ""


def delimiter_of(text: str) -> str:
    """What stands between the cells of a table, as its first line shows."""
    first = first_line(text)
    return next((sign for sign in "\t,;" if sign in first), ",")


def split_rows(text: str, reading: Reading) -> list[tuple[int, list[str]]]:
    """The rows of a table with the numbers of their lines; cells as they stand, no empty rows."""
    # A quotation mark left open takes the empty line at the end.
    reader = csv.reader([*split_lines(text), ""], delimiter=delimiter_of(text))
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
    csv_writer(buffer, delimiter).writerows(rows)
    return buffer.getvalue()


def check_cells(names: Iterable[str], what: str, way: str) -> None:
    """Refuse names that a table would give back changed."""
    for name in names:
        # A file that begins with a zero-width space would lose it, as its byte order mark.
        if not name.strip("\ufeff") or name != name.strip() or re.search(r"^\ufeff|[\r\n]", name):
            raise FormatError(
                f"{what} {name!r:.60} cannot be a cell of a table, which is one line without space "
                f"around it; {way} can hold it"
            )
