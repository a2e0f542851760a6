"""Columns with one cell per token: boundary types after tokens, or marks of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from fencepost.formats.marks import (
    BEGINS,
    EXTRA_COLUMNS,
    FAMILIES,
    KEEP_OR_CUT,
    NO_BOUNDARY,
    NOT_ANNOTATED,
    PROBABILITIES,
    ZERO_ONE,
    X,
    are_ones,
    are_probabilities,
    begins,
    counts_segments,
    family_of,
    find_odd,
    flags_of_columns,
    is_date,
    level_columns,
    mark_value,
    number_of,
)
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.writing import UNTYPED
from fencepost.model.corpus import Item, Key
from fencepost.wording import number_of_digits

TYPES, ONES, IGNORED = "types", "ones", "ignored"
B_STARTS = "B, I, O, E, S"  # marks only with --flags
MIN_ROWS_FOR_INDEX = 5  # numbers or words in every one of fewer rows may be boundary types


def is_type(name: str) -> bool:
    """Whether a column that holds this name and empty cells is read as boundary types.

    Ones beside empty cells are a type, since no 0 shows that they are marks.
    """
    number = number_of(name)
    if name in NOT_ANNOTATED or name in NO_BOUNDARY or is_date(name) or name == UNTYPED:
        return False
    if number is not None:
        return number != 0 and isinstance(number, int)
    is_mark = any(name in family for family in FAMILIES.values())
    return BEGINS.fullmatch(name) is None and not is_mark


def is_word_per_token(cells: Sequence[str]) -> bool:
    """Whether every token of several has a word, such as its part of speech, and no boundary type.

    Somebody who sets a boundary after every token must be chosen (``--coders``).
    """
    return len(cells) >= MIN_ROWS_FOR_INDEX and all(cell[:1].isalpha() for cell in cells)


class Cell(NamedTuple):
    """A cell and its line."""

    value: str
    line: Any  # its number, or where it is in words


@dataclass(frozen=True)
class TokenColumn:
    """What one annotator has for the tokens of each text and speaker."""

    name: str
    items: Mapping[Item, Sequence[Cell]]
    reading: Reading
    is_chosen: bool = False  # somebody said that it is an annotator's

    @cached_property
    def cells(self) -> list[Cell]:
        """Return all cells but those that are not annotated."""
        every = (cell for cells in self.items.values() for cell in cells)
        return [cell for cell in every if cell.value not in NOT_ANNOTATED]

    @cached_property
    def filled(self) -> list[Cell]:
        """Return the cells that hold something."""
        return [cell for cell in self.cells if cell.value not in NO_BOUNDARY]

    def judge(self) -> str:
        """Return the family of marks, or TYPES, ONES or IGNORED, whatever other columns hold."""
        distinct = {cell.value for cell in self.filled}
        is_extra = self.name.lower() in EXTRA_COLUMNS and not self.is_chosen
        if not self.cells or is_extra:
            return IGNORED
        is_full = len(self.filled) == len(self.cells)
        family = family_of(distinct)
        if family == X or (is_full and family is not None):
            return str(family)
        if is_full and are_ones(distinct):
            return ONES
        if is_full and begins(distinct):
            return self._judge_begins(distinct)
        numbers = [number_of(value) for value in distinct]
        real = [number for number in numbers if number is not None]
        if is_full and real and len(real) == len(numbers) and are_probabilities(real):
            return self._judge_probabilities()
        self._refuse_odd(family)
        if is_full:
            self._refuse_numbers()
        return IGNORED if self._is_other(distinct) else TYPES

    def _refuse_numbers(self) -> None:
        """Raise FormatError for numbers of segments, and for a few words among numbers."""
        runs = [[number_of(cell.value) for cell in own] for own in self.items.values()]
        numbers = [number for run in runs for number in run if number is not None]
        odd = next((c for c in self.cells if number_of(c.value) is None), None)
        if odd is not None and 2 * len(numbers) > len(self.cells):
            raise FormatError(
                f"{self._at(odd)}: {self.name} holds numbers, but {odd.value!r} here; correct it"
            )
        counted = [counts_segments([n for n in run if n is not None]) for run in runs]
        # An index of the tokens counts them, too: it is another column.
        repeated = len(set(numbers)) < len(numbers) / len(runs)
        if odd is None and numbers and all(counted) and repeated:
            raise FormatError(
                f"{self._at(self.cells[0])}: {self.name} has the number of its segment for each "
                "token. Tables of tokens have types after tokens: read it with --from units "
                "--columns words=TOKENS, which names the column of tokens"
            )

    def _judge_begins(self, distinct: set[str]) -> str:
        if self.reading.flags is None:
            raise FormatError(
                f"{self._at(self.filled[0])}: {self.name} has {', '.join(sorted(distinct))}, which "
                "look like marks of which B begins a segment: add --flags first (B and S start a "
                "segment, I, O and E go on)"
            )
        return B_STARTS

    def _judge_probabilities(self) -> str:
        if self.reading.probabilities:
            raise FormatError(
                f"{self._at(self.filled[0])}: {self.name} holds probabilities, and tables of "
                "tokens have boundary types. Read it with --from units --columns words=TOKENS, "
                "which names the column of tokens"
            )
        if self.reading.threshold is None:
            raise FormatError(
                f"{self._at(self.filled[0])}: {self.name} holds probabilities: {KEEP_OR_CUT}, with "
                "--flags"
            )
        return PROBABILITIES

    def _is_other(self, distinct: set[str]) -> bool:
        """Whether the cells are times, dates, an index, or a word of every token."""
        if not self.is_chosen and is_word_per_token([cell.value for cell in self.cells]):
            return True
        numbers = [number_of(cell.value) for cell in self.filled]
        real = [number for number in numbers if number is not None]
        if not distinct or len(real) < len(numbers):
            return bool(distinct) and all(map(is_date, distinct))
        counted = all(after - before == 1 for before, after in pairwise(real))
        is_index = len(real) == len(self.cells) >= MIN_ROWS_FOR_INDEX and counted
        return is_index or not all(isinstance(number, int) for number in real)

    def _refuse_odd(self, family: str | None) -> None:
        """Raise FormatError where all but a few cells are marks; an empty cell is odd too."""
        odd = None
        zeros = {value for value, mark in FAMILIES.get(family or "", {}).items() if not mark}
        if family is not None and any(cell.value in zeros for cell in self.filled):
            odd = next(cell for cell in self.cells if cell.value in NO_BOUNDARY)
        elif len(self.filled) == len(self.cells):
            found = find_odd([cell.value for cell in self.cells])
            if found is not None:
                odd, family = self.cells[found[0]], found[1]
        if odd is not None:
            what = repr(odd.value) if odd.value else "an empty cell"
            raise FormatError(
                f"{self._at(odd)}: {self.name} has marks ({family}), but {what} here; correct it"
            )

    def _at(self, cell: Cell) -> str:
        return self.reading.at(cell.line)

    def annotated(self) -> dict[Item, list[str]]:
        """Return the cells of each text that was annotated; raise FormatError where a part was."""
        found = {}
        for item, cells in self.items.items():
            missing = [cell.value in NOT_ANNOTATED for cell in cells]
            if any(missing) and not all(missing):
                first = cells[missing.index(True)]
                raise FormatError(
                    f"{self._at(first)}: {self.name} has {first.value} here, which means not "
                    f"annotated, but other cells in {item[0]}. Leave cells without a boundary "
                    'empty; in R: write.csv(..., na = "")'
                )
            if not any(missing):
                found[item] = [cell.value for cell in cells]
        return found


class Boundaries(NamedTuple):
    """The type of the boundary after each token, by text, speaker and annotator."""

    after: dict[Key, list[str]]
    choices: dict[str, str]
    ignored: list[str]
    typed: bool


def read_columns(columns: Sequence[TokenColumn], reading: Reading) -> Boundaries:
    """Return the boundaries of all annotators; raise FormatError where columns are not alike."""
    kinds = {column.name: column.judge() for column in columns}
    marked = [name for name, kind in kinds.items() if kind not in (TYPES, ONES, IGNORED)]
    for column in columns:
        kind = kinds[column.name]
        if kind == ONES:
            kinds[column.name] = ZERO_ONE if marked or reading.flags else TYPES
        elif kind == TYPES and marked:
            _check_extra(column, marked[0])
            kinds[column.name] = IGNORED
    ignored = [name for name, kind in kinds.items() if kind == IGNORED]
    read = {column.name: column.annotated() for column in columns if column.name not in ignored}
    if not any(read.values()):
        raise FormatError(
            f"{reading.at(1)}: no column for an annotator: {', '.join(kinds)} hold no boundaries"
        )
    if level_columns(list(read)):
        raise FormatError(
            f"{reading.at(1)}: {', '.join(read)} look like levels of one annotator, which tables "
            f"of tokens cannot have. Choose one: --columns ref={next(iter(read))}, or call the "
            "column of tokens unit and add --levels kinds"
        )
    typed = TYPES in kinds.values()
    choices: dict[str, str] = {}
    if not typed:
        first = next(iter(columns[0].items.values()))[0]
        read, choices = _marks_to_types(read, kinds, reading, reading.at(first.line))
    after = {
        Key(*item, name): ["" if cell in NO_BOUNDARY else cell for cell in cells]
        for name, own in read.items()
        for item, cells in own.items()
    }
    return Boundaries(after, choices, ignored, typed)


def _check_extra(column: TokenColumn, marked: str) -> None:
    """Raise FormatError for boundary types beside marks; words in every cell are no types."""
    if column.filled and len(column.filled) < len(column.cells):
        first = column.filled[0]
        raise FormatError(
            f"{column.reading.at(first.line)}: {column.name} holds boundary types ({first.value}), "
            f"but {marked} holds marks. Ignore it with --without {column.name}, or choose columns: "
            f"--columns ref={marked}"
        )


def _marks_to_types(
    read: Mapping[str, Mapping[Item, list[str]]],
    kinds: Mapping[str, str],
    reading: Reading,
    where: str,
) -> tuple[dict[str, dict[Item, list[str]]], dict[str, str]]:
    """Return boundaries without types after tokens, and the choices that were made."""
    marks = {
        name: {item: _values(cells, kinds[name], reading) for item, cells in own.items()}
        for name, own in read.items()
    }
    if reading.keeps_signs:
        raise FormatError(
            f"{where}: --like nltk takes strings of 0 and 1, and marks of tokens are none. Add "
            "--flags last or --flags first for strings with one sign between two tokens"
        )
    flags = reading.flags or flags_of_columns(
        {name: (kinds[name], list(own.values())) for name, own in marks.items()}, where
    )
    choices = {"flags": str(flags)}
    if PROBABILITIES in kinds.values():
        choices["threshold"] = number_of_digits(reading.threshold)
    after = {
        name: {item: _after(own, flags) for item, own in items.items()}
        for name, items in marks.items()
    }
    return after, choices


def _values(cells: Sequence[str], kind: str, reading: Reading) -> list[int]:
    if kind == PROBABILITIES:
        return [int((number_of(cell) or 0.0) >= reading.threshold) for cell in cells]
    return [mark_value(cell, None if kind == B_STARTS else kind) for cell in cells]


def _after(marks: Sequence[int], flags: str) -> list[str]:
    """Return UNTYPED for each token that is the last of its segment, as marks say it."""
    last = marks if flags == "last" else [*marks[1:], 0]
    return [UNTYPED if mark else "" for mark in last]
