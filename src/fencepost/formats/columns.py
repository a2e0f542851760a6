"""JSON lines of segment sizes, read straight into columns: a gigabyte needs little more than them.

Only what is plain is read here; for anything else the general reader starts anew, so that there is
one place that knows every form and every error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fencepost import _core
from fencepost.checks import Ints
from fencepost.corpus import Corpus, Key
from fencepost.formats.base import FormatError, Reading
from fencepost.formats.records import field_of, load_json
from fencepost.segmentation import Segmentation
from fencepost.streams.packed import pieces

PIECE = 1 << 23
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class _Part:
    """The columns of one piece of the file."""

    first: int  # the number of its first text
    cuts: Ints
    offsets: Ints
    units: Ints
    lines: Ints
    ids: bytes  # names, end to end; none where lines are numbered
    id_offsets: Ints

    def names(self) -> list[str]:
        """The names of the texts, or their numbers."""
        if not self.ids:
            return [str(self.first + row + 1) for row in range(len(self.units))]
        text = self.ids.decode("utf-8")
        places = list(pairwise(self.id_offsets.tolist()))
        if len(text) == len(self.ids):
            return [text[a:b] for a, b in places]
        return [self.ids[a:b].decode("utf-8") for a, b in places]


class Columns(Mapping[Key, Segmentation]):
    """Texts by one coder as columns; a Segmentation is made when it is asked for."""

    def __init__(self, parts: list[_Part]) -> None:
        self._parts = parts
        self._firsts = [part.first for part in parts]
        self._count = sum(len(part.units) for part in parts)

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The number of each text; made when the first is asked for by its name."""
        names = (name for part in self._parts for name in part.names())
        return {name: row for row, name in enumerate(names)}

    def _find(self, key: Any) -> tuple[_Part, int]:
        if not isinstance(key, tuple) or len(key) != 3 or key[1:] != ("", "1"):
            raise KeyError(key)
        row = self._rows[key[0]]
        part = self._parts[bisect_right(self._firsts, row) - 1]
        return part, row - part.first

    def __getitem__(self, key: Key) -> Segmentation:
        part, row = self._find(key)
        start, end = part.offsets[row : row + 2].tolist()
        return Segmentation._trusted(int(part.units[row]), part.cuts[start:end])

    def __iter__(self) -> Iterator[Key]:
        return (Key(text, "", "1") for part in self._parts for text in part.names())

    def __len__(self) -> int:
        return self._count

    def line(self, key: Key) -> int:
        """The line of a text."""
        part, row = self._find(key)
        return int(part.lines[row])

    @property
    def nbytes(self) -> int:
        """The bytes of the segmentations' columns."""
        return sum(a.nbytes for p in self._parts for a in (p.cuts, p.offsets, p.units))


class _Sources(Mapping[Key, str]):
    """File and line of each text."""

    def __init__(self, columns: Columns, reading: Reading) -> None:
        self._columns = columns
        self._reading = reading

    def __getitem__(self, key: Key) -> str:
        return self._reading.at(self._columns.line(key))

    def __iter__(self) -> Iterator[Key]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def read_columns(path: Path, reading: Reading) -> Corpus | None:
    """The file as columns, or None where it is not plain enough for that."""
    if reading.encoding not in (None, "masses") or reading.threshold is not None:
        return None
    if reading.units is not None or reading.flags is not None:
        return None
    parts: list[_Part] = []
    hashes: list[Ints] = []
    line = named = count = 0
    rising = True
    field = None
    with path.open("rb") as stream:
        for piece in _whole_lines(stream, path.name):
            field = field or _field(piece, reading)
            found: Any = None
            if field is not None:
                found = _core.size_lines(piece, reading.id_field, field, reading.units_field)
            if found is None:
                return None
            cuts, offsets, units, lines, ids, id_offsets, lines_read, with_id, rises = found
            lines += line
            part = _Part(count, cuts, offsets, units, lines, ids, id_offsets)
            own = _hashes(part, with_id)
            if own is None:
                return None
            parts.append(part)
            hashes.append(own)
            line += lines_read
            named += with_id
            count += len(units)
            rising = rising and rises
    if (
        not count
        or named not in (0, count)
        or rising  # sizes, or numbers of segments? The general reader asks, and notes the answer
        or (not named and reading.id_field != "id")
    ):
        return None
    if named and not _all_differ(np.concatenate(hashes)):
        return None
    columns = Columns(parts)
    return Corpus(columns, sources=_Sources(columns, reading), name=reading.stem, column=field)


def _hashes(part: _Part, named: int) -> Ints | None:
    """A number for each name; None where a name is not one."""
    if not named:
        return np.empty(0, dtype=np.int64)
    if named != len(part.units):
        return None
    try:
        names = part.names()
    except UnicodeDecodeError:
        return None
    if not all(map(str.strip, names)):
        return None
    return np.fromiter(map(hash, names), np.int64, len(names))


def _all_differ(hashes: Ints) -> bool:
    """Whether no two names are the same; two that only seem so go to the general reader too."""
    hashes.sort()
    return not bool((hashes[1:] == hashes[:-1]).any())


def _whole_lines(stream: Any, name: str) -> Iterator[bytes]:
    """The file in pieces that end where a line ends."""
    rest = b""
    first = True
    for piece in pieces(stream, name, PIECE):
        if first:
            piece = piece.removeprefix(BOM)
            first = False
        cut = piece.rfind(b"\n") + 1
        if not cut:
            rest += piece
            continue
        yield rest + piece[:cut]
        rest = piece[cut:]
    if rest:
        yield rest


def _field(piece: bytes, reading: Reading) -> str | None:
    """The field that the first line is about; None where the general reader must look."""
    head = next((line for line in piece.split(b"\n", 1000)[:1000] if line.strip()), b"")
    try:
        return field_of([(1, load_json(head.decode("utf-8"), reading, 1))], reading)
    except (FormatError, UnicodeDecodeError):
        return None
