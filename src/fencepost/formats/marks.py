"""What one cell of a column means: a mark, a number, no boundary, or not annotated."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from itertools import pairwise
from typing import Any, Literal

from fencepost.formats.options import FormatError

Flags = Literal["first", "last"]

# As R, pandas, JSON and spreadsheets write a value that is not there.
NOT_ANNOTATED = frozenset({"NA", "<NA>", "N/A", "#N/A", "NaN", "nan", "null", "NULL"})
NO_BOUNDARY = frozenset({"", "-"})  # among x marks and boundary types

ZERO_ONE, B_I, X = "0/1", "B/I", "x/empty"
PROBABILITIES = "probabilities"  # marks by --threshold, or kept
KEEP_OR_CUT = "give --probabilities (to keep them) or --threshold 0.5 (to make boundaries)"
# A column of marks has cells of one family.
FAMILIES: dict[str, dict[str, int]] = {
    ZERO_ONE: {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "0,0": 0, "1,0": 1},
    "true/false": {"false": 0, "true": 1, "False": 0, "True": 1, "FALSE": 0, "TRUE": 1},
    "y/n": {"n": 0, "y": 1, "N": 0, "Y": 1},
    "yes/no": {"no": 0, "yes": 1, "No": 0, "Yes": 1, "NO": 0, "YES": 1},
    X: {"x": 1, "X": 1, "-": 0, "": 0},
    B_I: {"B": 1, "I": 0},
}
# B-topic, I, O, E, S: with O, E or S a person must declare that B and S start segments.
BEGINS = re.compile(r"[BIOES](-.*)?")

# Columns that are never an annotator's, whatever they hold.
EXTRA_COLUMNS = (
    "speaker", "date", "time", "timestamp", "start", "end", "duration", "n_words",
    "note", "notes", "comment", "comments", "remark", "remarks",
)  # fmt: skip
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")


def cell_of(value: Any) -> str:
    """Return a value of JSON or Parquet as a table would show it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


def family_of(cells: Collection[str]) -> str | None:
    """Return the family of marks to which all cells belong; None where there is none.

    Ones alone are no marks (they may be segment 1), nor are empty cells alone.
    """
    distinct = set(cells)
    for name, family in FAMILIES.items():
        if distinct <= family.keys() and _shows(distinct, name):
            return name
    return None


def _shows(cells: Collection[str], name: str) -> bool:
    """Whether the cells have the value that proves a family: a 0, an x, any other word."""
    family = FAMILIES[name]
    wanted = {ZERO_ONE: 0, X: 1}.get(name)
    return any(cell and (wanted is None or family[cell] == wanted) for cell in cells)


def are_ones(cells: Collection[str]) -> bool:
    """Whether every cell is a 1: marks beside columns of marks, else segment 1."""
    return bool(cells) and all(FAMILIES[ZERO_ONE].get(cell) == 1 for cell in cells)


def find_odd(
    cells: Sequence[str], families: Collection[str] = tuple(FAMILIES)
) -> tuple[int, str] | None:
    """Return where the first odd cell is, and the family of all but a few cells.

    A few cells are one, or at most a tenth, and no more than a third of the others.
    """
    for name in families:
        family = FAMILIES[name]
        odd = [index for index, cell in enumerate(cells) if cell not in family]
        fit = len(cells) - len(odd)
        few = 0 < len(odd) <= max(1, len(cells) // 10) and fit >= 3 * len(odd)
        if few and _shows({cell for cell in cells if cell in family}, name):
            return odd[0], name
    return None


def number_of(cell: str) -> int | float | None:
    """Return the number that a cell is, with a decimal point or comma; None for other text.

    Whole numbers are exact, however they are written: numbers of segments may have many digits.

    >>> number_of("9007199254740993"), number_of("3,0"), number_of("2.5"), number_of("B")
    (9007199254740993, 3, 2.5, None)
    """
    if len(cell) < 16 and cell.isdecimal():
        return int(cell)
    if not re.fullmatch(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?", cell):
        return None
    number = float(cell.replace(",", "."))
    if not math.isfinite(number):
        return None
    if not number.is_integer():
        return number
    exact = _exact(cell)
    return int(exact) if exact == exact.to_integral_value() else number


def normal_number(cell: str) -> str:
    """Return the one way to write the number that a cell is.

    >>> normal_number("1,50"), normal_number("+100"), normal_number("1e2")
    ('1.5', '1E+2', '1E+2')
    """
    return str(_exact(cell).normalize(Context(prec=len(cell), Emin=MIN_EMIN, Emax=MAX_EMAX)))


def _exact(cell: str) -> Decimal:
    try:
        return Decimal(cell.replace(",", "."))
    except InvalidOperation:  # an exponent of twenty digits, below 0 or it would be infinite
        return Decimal(0)


def are_probabilities(numbers: Collection[float]) -> bool:
    """Whether numbers are from 0 to 1 and not all of them 0 or 1."""
    return all(0 <= one <= 1 for one in numbers) and any(0 < one < 1 for one in numbers)


def counts_segments(numbers: Sequence[float]) -> bool:
    """Whether numbers count the segments of a text, 1 1 2 2 3, from any whole number on.

    They are as ``number_of`` gives them.
    """
    whole = all(isinstance(one, int) for one in numbers)
    return whole and all(after - before in (0, 1) for before, after in pairwise(numbers))


def is_date(cell: str) -> bool:
    """Whether a cell is a day, such as 2024-05-31 or 31.5.24."""
    return _DATE.fullmatch(cell) is not None


def begins(labels: Collection[str]) -> bool:
    """Whether all labels are B, I, O, E or S, with or without a name behind a hyphen."""
    return any(one.startswith("B") for one in labels) and all(map(BEGINS.fullmatch, labels))


def mark_value(cell: str, family: str | None) -> int:
    """Return 1 for a mark and 0 for none; without a family, B and S start segments."""
    return int(cell[0] in "BS") if family is None else FAMILIES[family][cell]


def proven_flags(texts: Iterable[Sequence[Any]]) -> Flags | None:
    """Return which unit of a segment a 1 is, where all texts of one column prove it."""
    filled = [text for text in texts if len(text)]
    ends = all(int(text[-1]) == 1 for text in filled)
    starts = all(int(text[0]) == 1 for text in filled)
    if ends == starts:
        return None
    return "last" if ends else "first"


HOW_B_BEGINS = "--flags first (B begins a segment)"


def flags_of_columns(
    columns: dict[str, tuple[str, list[list[int]]]], where: str, per_position: str = ""
) -> Flags:
    """Return what a 1 means in columns of a sheet, each by its family and the marks of its texts.

    Raise FormatError where a column does not prove it, or two columns differ; ``per_position`` is
    a way out for marks that may be between units.
    """
    found: dict[Flags, str] = {}
    for name, (family, texts) in columns.items():
        proven = proven_flags(texts)
        if proven is None or (family == B_I and proven == "last"):
            way = "--flags last (a mark is the last unit of a segment) or --flags first (the first"
            raise FormatError(
                f"{where}: {name} has marks ({family}), but its texts neither all end with a mark "
                "nor all begin with one, or do both. Add "
                + (
                    HOW_B_BEGINS
                    if family == B_I and proven is None
                    else f"{way} unit){per_position}"
                )
                + f", or --without {name} if it is no annotator's"
                * (len(columns) > 1 and not level_columns(list(columns)))
            )
        found.setdefault(proven, name)
    if len(found) > 1:
        raise FormatError(
            f"{where}: every text of {found['last']} ends with a mark and every text of "
            f"{found['first']} begins with one. Add --flags last (a mark is the last unit of a "
            "segment) or --flags first (the first unit)"
        )
    return next(iter(found))


_LEVEL_CELL = re.compile(r"\d{1,2}")
_LEVEL = re.compile(r"(.*?)[ _.-]?(?:level|lvl|layer|depth)[ _.-]?(\d{1,2})", re.IGNORECASE)


def columns_of_levels(coder: str, names: Sequence[str]) -> list[str]:
    """Return the columns of an annotator's levels, the coarsest first: anna_level1, anna_level2."""
    found = {name: _LEVEL.fullmatch(name) for name in names}
    own = [(int(one[2]), name) for name, one in found.items() if one and one[1] == coder]
    return [name for _, name in sorted(own)]


def levels_in_cells(
    columns: Mapping[str, Sequence[str]], texts: Iterable[slice]
) -> dict[str, list[str]]:
    """Return columns of 0/1 per level for columns whose cells are levels, 0 for no boundary.

    anna with 0, 2 and 1 is anna_level1 and anna_level2; a boundary is one of all finer levels.
    Columns of marks, of other cells and of numbers that count segments stay as they are.
    """
    made: dict[str, list[str]] = {}
    rows = list(texts)
    for name, cells in columns.items():
        levels = [int(cell) if _LEVEL_CELL.fullmatch(cell) else None for cell in cells]
        known = [level for level in levels if level is not None]
        rest = {cell for cell, level in zip(cells, levels, strict=True) if level is None}
        deepest = max(known, default=0)
        counted = all(counts_segments([one or 0 for one in levels[text]]) for text in rows)
        if deepest < 2 or 0 not in known or counted or not rest <= NOT_ANNOTATED:
            made[name] = list(cells)
            continue
        for finest in range(1, deepest + 1):
            made[f"{name}_level{finest}"] = [
                cell if level is None else str(int(0 < level <= finest))
                for cell, level in zip(cells, levels, strict=True)
            ]
    return made


def level_columns(names: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Return the annotator and the level of columns such as level1, level2 or anna_level1.

    Nothing where other columns stand beside them, or no annotator has several.
    """
    found = {name: _LEVEL.fullmatch(name) for name in names}
    levels = {name: (one[1], int(one[2])) for name, one in found.items() if one}
    several = len(levels) > len({coder for coder, _ in levels.values()})
    return levels if several and len(levels) == len(names) else {}
