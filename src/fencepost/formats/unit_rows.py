"""Tables with a row for each unit and a column for each coder: segment numbers, labels or marks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from fencepost.formats.built import built_from_decoded, describe_values
from fencepost.formats.catalogue import endings_of
from fencepost.formats.lines import TEXT_COLUMNS
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format, join_rows
from fencepost.formats.tokens import header_of, rows_of_texts, table_of
from fencepost.formats.values import Value, as_whole, decode, refuse_begins
from fencepost.formats.writing import check_columns, check_holds, is_cell, known_words
from fencepost.model.corpus import Corpus, Item, Key

UNIT_COLUMNS = ("paragraph", "sentence", "unit", "line", "utterance", "position", "index", "turn")
WORDS_COLUMNS = ("content", "words")  # the units themselves, beside their numbers
MARKS = {"0", "1"}
_WHOLE = re.compile(r"[+-]?\d+\Z")


def read_units(text: str, reading: Reading) -> Corpus:
    """One row per unit: text if there are several, unit (its number or itself), a column per coder.

    Cells hold the number or label of the unit's segment, or 0 and 1 (``--flags``, or
    ``--encoding labels``). A coder whose cells are all empty did not annotate the text.
    """
    header, rows = table_of(text, reading)
    lower = [name.lower() for name in header]
    return from_columns(
        lower[0] if lower[0] in UNIT_COLUMNS else _unit_column(lower, reading),
        {name: [cells[i].strip() for _, cells in rows] for i, name in enumerate(header)},
        [number for number, _ in rows],
        reading,
    )


def _unit_column(lower: Sequence[str], reading: Reading) -> str:
    found = next((name for name in lower if name in UNIT_COLUMNS), None)
    if found is None:
        raise FormatError(
            f"{reading.at(1)}: a column for the units is missing ({', '.join(UNIT_COLUMNS)}), "
            f"found {', '.join(lower)}"
        )
    return found


def from_columns(
    unit_column: str, columns: Mapping[str, Sequence[str]], lines: Sequence[int], reading: Reading
) -> Corpus:
    """Columns of cells; the lines are those of the rows."""
    text_column = next((n for n in columns if n.lower() in TEXT_COLUMNS), None)
    words_column = next((n for n in columns if n.lower() in WORDS_COLUMNS), None)
    aside = {
        unit_column,
        text_column and text_column.lower(),
        words_column and words_column.lower(),
    }
    coders = [name for name in columns if name.lower() not in aside]
    if reading.field is not None:
        if reading.field not in coders:
            raise FormatError(
                f"{reading.name}: no column {reading.field!r}; there are {', '.join(coders)}"
            )
        coders = [reading.field]
    if not coders:
        raise FormatError(f"{reading.at(lines[0] - 1)}: no column for a coder")
    units = next(values for name, values in columns.items() if name.lower() == unit_column)
    names = columns[text_column] if text_column else [reading.stem] * len(lines)
    values: dict[Key, Value] = {}
    tokens: dict[Item, Sequence[str]] = {}
    for line, name, unit in zip(lines, names, units, strict=True):
        if not name or not unit:
            raise FormatError(f"{reading.at(line)}: the name of the text or the unit is empty")
    for text, rows in rows_of_texts(names, lines, reading).items():
        if _check_numbers(units[rows], lines[rows], reading):
            tokens[text, ""] = units[rows]
        if words_column and any(columns[words_column][rows]):
            tokens[text, ""] = columns[words_column][rows]
        for coder in coders:
            cells = columns[coder][rows]
            if not any(cells):
                continue  # this coder did not annotate the text
            if not all(cells):
                raise FormatError(
                    f"{reading.at(lines[rows][cells.index('')])}: {coder} has no value here, but "
                    f"others in {text}; a coder annotates all units of a text or none"
                )
            where = f"{reading.at(lines[rows.start])}, {coder}"
            values[Key(text, "", coder)] = Value(cells, where, len(cells))
    if not values:
        raise FormatError(f"{reading.name}: no coder has a value")
    made, choices = decode(*_meaning(list(values.values()), reading), "units")
    if reading.encoding == "labels" and {c for v in values.values() for c in v.given} <= MARKS:
        choices["encoding"] = "labels"  # 0 and 1 alone would be marks
    named = unit_column in ("paragraph", "sentence", "line", "utterance", "turn")
    return built_from_decoded(
        values,
        made,
        reading,
        tokens,
        choices=choices,
        field=reading.field,
        ignored=tuple(n for n in columns if n.lower() not in aside and n not in coders),
        shape=_shape(choices, unit_column, text_column, words_column),
        unit=unit_column if named else "unit",
        naming="own" if text_column else "file",
    )


def _shape(choices: Mapping[str, str], unit: str, text: str | None, words: str | None) -> str:
    """What a row is and which columns say so, for the line that says how the file was read."""
    values = describe_values("flags" if "flags" in choices else "labels", choices)
    columns = [name for name in (text, unit, words) if name]
    noun = "column" if len(columns) == 1 else "columns"
    return f"one row per {{unit}} ({noun} {', '.join(columns)}); {{annotators}} ({values})"


def _meaning(values: list[Value], reading: Reading) -> tuple[list[Value], Reading]:
    """0 and 1 are marks, unless they are said to be labels; all else is labels of segments."""
    if reading.threshold is not None:
        given = [replace(v, given=[_number(c, v.where) for c in v.given]) for v in values]
        return given, reading.replace(encoding="flags")
    cells = {cell for value in values for cell in value.given}
    marked = cells <= MARKS and ("0" in cells or reading.flags is not None)
    if marked and reading.encoding is None and reading.flags is None:
        _refuse_two_segments(values)
    if reading.encoding == "flags" or (reading.encoding is None and marked):
        if not cells <= MARKS:
            raise FormatError(f"{reading.name}: flags are 0 and 1, found {min(cells - MARKS)}")
        marks = [replace(v, given=[int(cell) for cell in v.given]) for v in values]
        return marks, reading.replace(encoding="flags")
    if reading.encoding not in (None, "labels"):
        raise FormatError(
            f"{reading.name}: a column of units holds labels or 0/1 flags, not {reading.encoding}"
        )
    for value in values:
        _refuse_probabilities(value)
    if reading.encoding is None:
        refuse_begins(values)
    return values, reading.replace(encoding="labels")


def _refuse_two_segments(values: list[Value]) -> None:
    if all(list(value.given) == sorted(value.given) for value in values):
        raise FormatError(
            f"{values[0].where}: 0 and then 1 may be the numbers of two segments (--encoding "
            "labels) or marks of single units (--flags last, --flags first)"
        )


def _number(cell: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise FormatError(f"{where}: expected probabilities, found {cell!r}") from None


def _refuse_probabilities(value: Value) -> None:
    """Labels are anything that changes from segment to segment, but hardly 0.13."""
    if any(re.fullmatch(r"[01]?\.\d+", cell) for cell in value.given):
        raise FormatError(
            f"{value.where}: these look like probabilities: give --threshold 0.5 (and --flags)"
        )


def _check_numbers(units: Sequence[str], lines: Sequence[int], reading: Reading) -> bool:
    """Whether the units are texts; numbers must count them, so that no row is missing."""
    if not all(_WHOLE.match(unit) for unit in units):
        return True
    wheres = [reading.at(line) for line in lines]
    numbers = [as_whole(unit, where) for unit, where in zip(units, wheres, strict=True)]
    first = numbers[0]
    for number, (unit, where) in enumerate(zip(numbers, wheres, strict=True), start=first):
        if first not in (0, 1) or unit != number:
            raise FormatError(
                f"{where}: unit {unit} where {number} should follow; units are numbered from 1 (or "
                "0), one per row"
            )
    return False


def write_units(corpus: Corpus, delimiter: str = ",") -> str:
    """The number of its segment for each unit."""
    check_holds(corpus, "a table of units", "texts", "coders")
    taken = ("text", "unit", "content", "token", "coder", "annotator")
    check_columns(corpus, "a table of units", *taken, *UNIT_COLUMNS, *TEXT_COLUMNS, *WORDS_COLUMNS)
    words = bool(corpus.tokens)
    rows: list[list[object]] = [["text", "unit", *(["content"] if words else []), *corpus.coders]]
    for text, _ in corpus.items:
        units, columns = _columns(corpus, text)
        content = [_content(corpus, text, units)] if words else []
        cells = zip(range(1, units + 1), *content, *columns, strict=True)
        rows += [[text, *row] for row in cells]
    return join_rows(rows, delimiter)


def _columns(corpus: Corpus, text: str) -> tuple[int, list[list[int] | list[str]]]:
    """How many units the text has, and a column for each coder."""
    own = [corpus.entries.get(Key(text, "", coder)) for coder in corpus.coders]
    sizes = {seg.units for seg in own if seg is not None}
    if len(sizes) > 1:
        raise FormatError(
            f"{text}: coders have different numbers of units: {sorted(sizes)}; json can hold them"
        )
    units = sizes.pop()
    return units, [seg.labels if seg is not None else [""] * units for seg in own]


def _content(corpus: Corpus, text: str, units: int) -> list[str]:
    """The units themselves, or nothing where they are not known."""
    words = known_words(corpus, (text, ""), units, "a table of units", is_cell)
    if words is not None and not any(words):
        raise FormatError(f"{text}: units without a sign would not be known; jsonl can hold them")
    return words or [""] * units


UNITTABLE = Format(
    "units",
    endings_of("units"),
    "one row per unit and one column per coder: the number or label of the unit's segment",
    "paragraph,an1,an2\n1,1,1\n2,1,2\n3,2,2",
    read_units,
    lambda text: (
        len(header := header_of(text)) > 1
        and "token" not in header
        and bool(set(header[:2]) & set(UNIT_COLUMNS))
        and not {"coder", "annotator"} & set(header)
    ),
    write_units,
    sure=True,
    write_as={".tsv": partial(write_units, delimiter="\t")},
    keeps=("texts", "coders", "words"),
    takes=("flags", "encoding", "threshold"),
)
