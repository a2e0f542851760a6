"""Columns of a sheet with one row per unit: what each holds, and whether it is an annotator's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from fencepost.formats.marks import (
    EXTRA_COLUMNS,
    KEEP_OR_CUT,
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
    is_date,
    mark_value,
    normal_number,
    number_of,
)
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.values import Value, refuse_begins, refuse_two_words

LEVELS_IN_CELLS = (
    "--levels kinds with --flags if numbers are levels of boundaries (0 for none, 1 the coarsest)"
)
MARKS, ONES, NUMBERS, LABELS, IGNORED = "marks", "ones", "segment numbers", "labels", "ignored"
B_STARTS = "B, I, O, E, S"  # marks only with --flags


class Kind(NamedTuple):
    """What a column holds."""

    name: str
    marks: str | None = None  # the family of marks
    is_declared: bool = False  # labels because --encoding labels was given


@dataclass(frozen=True)
class SheetColumn:
    """One column of a sheet, with the rows of each text."""

    name: str
    cells: Sequence[str]
    lines: Sequence[int]
    texts: Mapping[str, slice]
    reading: Reading
    is_chosen: bool = False  # somebody said that it is an annotator's
    numbers: Sequence[int] | None = None  # of the units in their texts, where some have no row

    def number(self, row: int, text: slice) -> int:
        """Return the number of the unit in a row."""
        return row - text.start + 1 if self.numbers is None else self.numbers[row]

    @cached_property
    def filled(self) -> list[tuple[int, str]]:
        """Rows and cells that hold something; NA holds nothing."""
        return [(n, c) for n, c in enumerate(self.cells) if c and c not in NOT_ANNOTATED]

    def judge(self, known: Sequence[str]) -> Kind:
        """Return what this column holds, whatever the others hold.

        ``known`` are names of columns that are not an annotator's. Raise FormatError for an odd
        cell among marks, and for probabilities without a threshold.
        """
        distinct = {cell for _, cell in self.filled}
        chosen = self.is_chosen
        if not distinct or (self.name.lower() in (*known, *EXTRA_COLUMNS) and not chosen):
            return Kind(IGNORED)
        family, is_labels = family_of(distinct), self.reading.encoding == "labels"
        if not is_labels and family is not None:
            return Kind(MARKS, family)
        if not is_labels and begins(distinct):
            return self._judge_begins()
        if are_ones(distinct):
            return Kind(ONES)
        numbers = [number_of(cell) for _, cell in self.filled]
        whole = [number for number in numbers if number is not None]
        if len(whole) == len(numbers):
            return self._judge_numbers(whole, is_labels, family is not None, chosen)
        if not is_labels:
            self._refuse_odd()
            if 2 * len(whole) > len(numbers):
                row, cell = self.filled[numbers.index(None)]
                self._refuse_no_number(row, cell, are_probabilities(whole))
        return self._judge_text(distinct, is_labels, chosen)

    def _refuse_no_number(self, row: int, cell: str, probable: bool) -> None:
        """Raise FormatError for a cell that is no number, in a column of numbers."""
        what = "probabilities from 0 to 1" if probable else "numbers"
        labels = ", or add --encoding labels if it is the label of a segment" * (not probable)
        raise FormatError(
            f"{self.reading.at(self.lines[row])}: {self.name} holds {what}, but {cell!r} here "
            f"({self._place(row)}); correct it{labels}"
        )

    def _place(self, row: int) -> str:
        """Return the text and the number of the unit in a row."""
        text, rows = next(
            (text, rows) for text, rows in self.texts.items() if rows.start <= row < rows.stop
        )
        return f"unit {self.number(row, rows)} of {text}"

    def _judge_begins(self) -> Kind:
        if self.reading.flags is None and self.reading.encoding != "flags":
            row = self.filled[0][0]
            where = f"{self.reading.at(self.lines[row])}, {self.name}"
            refuse_begins([Value([cell for _, cell in self.filled], where)])
        return Kind(MARKS, B_STARTS)

    def _judge_numbers(
        self, numbers: list[float], is_labels: bool, is_marks: bool, chosen: bool
    ) -> Kind:
        if are_probabilities(numbers):
            if self.reading.threshold is not None or self.reading.probabilities:
                return Kind(MARKS, PROBABILITIES)
            where = self.reading.at(self.lines[self.filled[0][0]])
            raise FormatError(
                f"{where}, {self.name}: these look like probabilities: {KEEP_OR_CUT}, with "
                f"--flags, or ignore it with --without {self.name}"
            )
        if self.reading.threshold is not None or self.reading.probabilities:
            self._refuse_outside(numbers, chosen)
        by_row = dict(zip((row for row, _ in self.filled), numbers, strict=True))
        runs = [
            [by_row[row] for row in range(rows.start, rows.stop) if row in by_row]
            for rows in self.texts.values()
        ]
        if all(map(counts_segments, runs)):
            return Kind(NUMBERS, is_declared=is_marks)
        if is_labels and (is_marks or chosen):
            return Kind(LABELS, is_declared=True)
        self._refuse_odd()
        same = [before == after for run in runs for before, after in pairwise(run)]
        # Numbers of segments with a wrong cell or a moved row still start at 0 or 1, without gaps.
        distinct = sorted(set(numbers))
        like_segments = any(same) and distinct[0] in (0, 1) and counts_segments(distinct)
        if not chosen and not like_segments and 2 * sum(same) <= len(same):
            return Kind(IGNORED)  # a number of words, a year: most neighbours differ
        if is_labels:
            return Kind(LABELS, is_declared=True)
        if self.reading.threshold is not None or self.reading.probabilities:
            self._refuse_percentages(numbers)
        raise FormatError(
            f"{self.reading.at(self.lines[self.filled[0][0]])}: {self.name} holds numbers that are "
            f"neither 0/1 nor numbers of segments that rise by 1. Add {self.what_numbers_may_be()}"
        )

    def _refuse_percentages(self, numbers: list[float]) -> None:
        """Raise FormatError for the first number outside 0 to 1, where none can be."""
        odd = next((at for at, number in enumerate(numbers) if not 0 <= number <= 1), None)
        if odd is not None:
            row, cell = self.filled[odd]
            raise FormatError(
                f"{self.reading.at(self.lines[row])}: {self.name} holds {cell} "
                f"({self._place(row)}), and probabilities are from 0 to 1; if these are "
                "percentages, divide them by 100"
            )

    @property
    def may_hold_levels(self) -> bool:
        """Whether the cells are small whole numbers with a 0 among them."""
        cells = {cell for _, cell in self.filled}
        return "0" in cells and all(re.fullmatch(r"[1-9]?\d", cell) for cell in cells)

    def what_numbers_may_be(self) -> str:
        """Return the options that read numbers, with what each gives; levels come first."""
        labels = "--encoding labels if each is the label of a unit"
        if not self.may_hold_levels:
            return labels
        marked = sum(cell != "0" for _, cell in self.filled)
        runs = (self.cells[rows] for rows in self.texts.values())
        segments = sum(1 + sum(a != b for a, b in pairwise(run)) for run in runs)
        return (
            f"{LEVELS_IN_CELLS}: {marked} of {len(self.filled)} units have a boundary; or {labels}:"
            f" {segments} segments"
        )

    def _refuse_outside(self, numbers: list[float], chosen: bool) -> None:
        """Raise FormatError for a number outside [0, 1] where all but a few are probabilities."""
        odd = [at for at, number in enumerate(numbers) if not 0 <= number <= 1]
        few = len(odd) <= max(1, len(numbers) // 10) and len(numbers) >= 4 * len(odd)
        parts = any(0 < number < 1 for number in numbers)
        if odd and parts and (few or chosen):
            row, cell = self.filled[odd[0]]
            raise FormatError(
                f"{self.reading.at(self.lines[row])}: {self.name} holds probabilities from 0 to 1, "
                f"but {cell!r} here ({self._place(row)}); correct it"
            )

    def _judge_text(self, distinct: set[str], is_labels: bool, chosen: bool) -> Kind:
        """Labels of segments are repeated; sentences, notes and dates are something else."""
        repeated = any(
            before == after and before in distinct
            for rows in self.texts.values()
            for before, after in pairwise(self.cells[rows])
        )
        if chosen or (repeated and len(distinct) > 1 and not all(map(is_date, distinct))):
            return Kind(LABELS, is_declared=is_labels and begins(distinct))
        return Kind(IGNORED)

    def _refuse_odd(self) -> None:
        rows = self.filled
        found = find_odd([cell for _, cell in rows])
        if found is None:  # among x marks, empty cells count
            rows = [(n, cell) for n, cell in enumerate(self.cells) if cell not in NOT_ANNOTATED]
            found = find_odd([cell for _, cell in rows], (X,))
        if found is None:
            return
        index, family = found
        row, cell = rows[index]
        levels = family == ZERO_ONE and re.fullmatch(r"[2-9]", cell) is not None
        raise FormatError(
            f"{self.reading.at(self.lines[row])}: {self.name} has marks ({family}), but {cell!r} "
            "here; correct it" + f", or {LEVELS_IN_CELLS}" * levels
        )

    def values(self, kind: Kind) -> dict[str, Value]:
        """Return the value of each text that was annotated."""
        found = {}
        for text, rows in self.texts.items():
            cells = self.cells[rows]
            if self._is_annotated(text, rows, kind):
                where = f"{self.reading.at(self.lines[rows.start])}, {self.name}"
                found[text] = Value(
                    [self._meaning(cell, kind) for cell in cells], where, len(cells)
                )
        return found

    def _meaning(self, cell: str, kind: Kind) -> float | str:
        if kind.marks == PROBABILITIES:
            probability = number_of(cell) or 0.0
            if self.reading.probabilities:
                return probability
            return int(probability >= self.reading.threshold)
        if kind.marks is not None:
            return mark_value(cell, None if kind.marks == B_STARTS else kind.marks)
        # 1 and 1.0 are one segment, and numbers that differ in the twentieth digit are two.
        return cell if number_of(cell) is None else normal_number(cell)

    def _is_annotated(self, text: str, rows: slice, kind: Kind) -> bool:
        """Whether the text was annotated; raise FormatError where a part of it was."""
        cells = self.cells[rows]
        missing = [cell in NOT_ANNOTATED or not cell for cell in cells]
        if kind.marks == X:
            if not any(cells):
                raise FormatError(
                    f"{self.reading.at(self.lines[rows.start])}: {self.name} has no x in {text}. "
                    "Write - in its cells if it is one segment, or NA if it was not annotated"
                )
            missing = [cell in NOT_ANNOTATED for cell in cells]
        if any(missing) and not all(missing):
            row = missing.index(True)
            what = cells[row] or "no value"
            number = self.number(rows.start + row, rows)
            raise FormatError(
                f"{self.reading.at(self.lines[rows][row])}: {self.name} has {what} here, but "
                f"others in {text} (this is unit {number}); an annotator has all units of a text "
                "or none" + self._what_empty_may_be(kind, cells[row])
            )
        return not any(missing)

    @staticmethod
    def _what_empty_may_be(kind: Kind, cell: str) -> str:
        """Return what to do where a cell that is not filled was meant to say something."""
        if kind.marks == ZERO_ONE or kind.name == ONES:
            return "; write 0 for no boundary"
        if kind.name == LABELS and not cell:
            return (
                ". If cells are types or levels of boundaries, and an empty cell is none: --from "
                "tokens --columns words=NAME (the column of units)"
            )
        return ""


def choose_columns(
    sheet: Sequence[SheetColumn], known: Sequence[str], reading: Reading
) -> tuple[dict[str, tuple[SheetColumn, Kind]], list[str]]:
    """Return the columns of annotators with their kinds, and the names of ignored columns."""
    if reading.encoding not in (None, "labels", "flags"):
        raise FormatError(
            f"{reading.name}: a column of units holds labels or 0/1 flags, not {reading.encoding}: "
            "remove --encoding, and say with --flags last or --flags first which unit of a segment "
            "a mark or a probability is of"
        )
    kinds = {column.name: (column, column.judge(known)) for column in sheet}
    marked = [name for name, (_, kind) in kinds.items() if kind.name == MARKS]
    if marked or reading.flags is not None or reading.encoding == "flags":
        for name, (column, kind) in kinds.items():
            if kind.name == ONES and reading.encoding != "labels":
                kinds[name] = column, Kind(MARKS, ZERO_ONE)
                marked.append(name)
    ignored = [name for name, (_, kind) in kinds.items() if kind.name == IGNORED]
    if marked:  # beside marks, other text says something about a unit
        ignored += [name for name, (_, kind) in kinds.items() if kind.name == LABELS]
    read = {name: found for name, found in kinds.items() if name not in ignored}
    _check_alike(read, marked, reading)
    for column, kind in read.values():
        if kind.name == LABELS and reading.encoding is None:
            for value in column.values(kind).values():
                refuse_two_words(value, column.name)
    if not read:
        if not any(column.filled for column in sheet):
            raise FormatError(f"{reading.at(sheet[0].lines[0])}: no coder has a value")
        raise FormatError(
            f"{reading.at(sheet[0].lines[0])}: no column for a coder: {', '.join(ignored)} hold "
            "neither marks nor numbers or labels of segments. " + _ways_to_choose(sheet, ignored)
        )
    return read, [column.name for column in sheet if column.name in ignored]


def _ways_to_choose(sheet: Sequence[SheetColumn], ignored: Sequence[str]) -> str:
    """Return what to do where no column is read by itself."""
    levels = next((one for one in sheet if one.name in ignored and one.may_hold_levels), None)
    if levels is not None:
        return f"{levels.name} has small numbers: add {levels.what_numbers_may_be()}" + (
            f" (with --columns ref={levels.name})"
        )
    return (
        "Choose one with --columns ref=NAME --encoding labels; types of boundaries after words are "
        "--from tokens"
    )


def _check_alike(
    read: Mapping[str, tuple[SheetColumn, Kind]], marked: Sequence[str], reading: Reading
) -> None:
    """Raise FormatError for numbers or labels where marks were declared, or stand beside."""
    other = next((one for one in read.values() if one[1].marks is None), None)
    if other is None:
        return
    column, kind = other
    row, cell = column.filled[0]
    if reading.encoding == "flags":
        raise FormatError(f"{reading.at(column.lines[row])}: flags are 0 and 1, found {cell!r}")
    if marked:
        raise FormatError(
            f"{reading.at(column.lines[row])}: {column.name} holds {kind.name}, but {marked[0]} "
            f"holds marks. Ignore it with --without {column.name}, or choose columns: --columns "
            f"ref={marked[0]}"
        )
