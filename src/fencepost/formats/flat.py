"""Texts as flat columns: a Segmentation, a source or a list of words is made when asked for."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from fencepost.model.checks import Ints
from fencepost.model.corpus import Key
from fencepost.model.segmentation import Segmentation

ONLY = "1"  # the coder where a file names none


@dataclass
class Part:
    """The columns of one piece of a file."""

    first: int  # the number of its first text
    cuts: Ints
    offsets: Ints
    units: Ints
    lines: Ints  # none where texts are known by their names
    ids: bytes  # names, end to end; none where texts are numbered
    id_offsets: Ints
    coders: list[str]
    coder_of: Ints  # a place in `coders`, -1 for a text without; none where no text has one
    words: bytes  # lists of units as they stand in the file, end to end
    word_offsets: Ints
    title: str | None = None  # the one text that all are about

    def __len__(self) -> int:
        return len(self.units)

    def names(self) -> list[str]:
        """The names of the texts, or their numbers."""
        if self.title is not None:
            return [self.title] * len(self)
        if not self.ids:
            return [str(self.first + row + 1) for row in range(len(self))]
        places = list(pairwise(self.id_offsets.tolist()))
        if self.ids.isascii():
            text = self.ids.decode("ascii")
            return [text[a:b] for a, b in places]
        return [self.ids[a:b].decode("utf-8") for a, b in places]

    def by(self) -> list[str]:
        """The coders of the texts."""
        if not self.coders:
            return [ONLY] * len(self)
        named = [*self.coders, ONLY]  # -1 is the last
        return [named[coder] for coder in self.coder_of.tolist()]


class Columns(Mapping[Key, Segmentation]):
    """Texts by name and coder as columns."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self._firsts = [part.first for part in parts]
        self._count = sum(map(len, parts))

    @cached_property
    def _rows(self) -> dict[Key, int]:
        """The number of each text; made when the first is asked for by its name."""
        return {key: row for row, key in enumerate(self)}

    def find(self, key: Any) -> tuple[Part, int]:
        """The part a text is in, and its row there."""
        row = self._rows[key]
        part = self._parts[bisect_right(self._firsts, row) - 1]
        return part, row - part.first

    def __getitem__(self, key: Key) -> Segmentation:
        part, row = self.find(key)
        return _segmentation(part, row)

    def __iter__(self) -> Iterator[Key]:
        for part in self._parts:
            for text, coder in zip(part.names(), part.by(), strict=True):
                yield Key(text, "", coder)

    def __len__(self) -> int:
        return self._count

    def words(self) -> Iterator[tuple[str, int, Part]]:
        """The texts that have words: name, row, part."""
        for part in self._parts:
            if part.words:
                ends = part.word_offsets.tolist()
                for row, name in enumerate(part.names()):
                    if ends[row + 1] > ends[row]:
                        yield name, row, part

    @property
    def nbytes(self) -> int:
        """The bytes of the segmentations' columns."""
        return sum(a.nbytes for p in self._parts for a in (p.cuts, p.offsets, p.units))

    @property
    def word_bytes(self) -> int:
        """The bytes of the texts' words."""
        return sum(len(part.words) for part in self._parts)


def _segmentation(part: Part, row: int) -> Segmentation:
    start, end = part.offsets[row : row + 2].tolist()
    return Segmentation._trusted(int(part.units[row]), part.cuts[start:end])


class Words(Mapping[tuple[str, str], list[str]]):
    """The units of each text, kept as the JSON they are in the file."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @cached_property
    def _places(self) -> dict[tuple[str, str], tuple[int, Part]]:
        return {(name, ""): (row, part) for name, row, part in self._columns.words()}

    def __getitem__(self, item: tuple[str, str]) -> list[str]:
        row, part = self._places[item]
        start, end = part.word_offsets[row : row + 2].tolist()
        words: list[str] = json.loads(part.words[start:end])
        return words

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Sources(Mapping[Key, str]):
    """Where each text was read: ``at`` says it of a line, or of names where there are no lines."""

    def __init__(self, columns: Columns, name: str, at: Callable[[int], str]) -> None:
        self._columns = columns
        self._name = name
        self._at = at

    def __getitem__(self, key: Key) -> str:
        part, row = self._columns.find(key)
        if len(part.lines):
            return self._at(int(part.lines[row]))
        coded = len(part.coder_of) and part.coder_of[row] >= 0
        return f"{self._name}, {key[0]}" + (f", {key[2]}" if coded else "")

    def __iter__(self) -> Iterator[Key]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
