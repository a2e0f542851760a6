"""Tables with a row for each unit and a column for each coder: segment numbers, labels or marks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from fencepost.formats.advice import MARKS, NAMES, ONES, WHOLE, is_in_blocks, kind_of_column
from fencepost.formats.built import built_from_decoded, describe_values
from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import (
    CODER_COLUMNS,
    TEXT_COLUMNS,
    UNIT_COLUMNS,
    WORDS_COLUMNS,
    Sheet,
    sheet_of,
)
from fencepost.formats.files import PARQUET_SIGN, decode_bytes
from fencepost.formats.intervals import NESTED
from fencepost.formats.marks import (
    EXTRA_COLUMNS,
    PROBABILITIES,
    ZERO_ONE,
    flags_of_columns,
    level_columns,
    levels_in_cells,
)
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format, join_rows
from fencepost.formats.sheets import Kind, SheetColumn, choose_columns
from fencepost.formats.tokens import header_of, rows_of_texts, table_of
from fencepost.formats.values import Value, as_whole, decode
from fencepost.formats.writing import (
    check_columns,
    check_holds,
    check_units,
    is_cell,
    known_words,
)
from fencepost.model.corpus import ONLY, Corpus, Item, Key
from fencepost.model.segmentation import Segmentation
from fencepost.wording import number_of_digits

_WHOLE = re.compile(r"[+-]?[0-9]+\Z")


def read_units(text: str, reading: Reading) -> Corpus:
    """One row per unit: text if there are several, unit (its number or itself), a column per coder.

    Cells hold the number or label of the unit's segment, or marks such as 0 and 1 (``--flags``, or
    ``--encoding labels``). A coder whose cells are all empty or NA did not annotate the text. Each
    column is judged alone; columns that hold something else are ignored. Columns such as level1 and
    level2 are levels of one annotator, anna_level1 and anna_level2 of anna, and so are cells 0, 1
    and 2 (0 for no boundary, 1 the coarsest); ``--levels`` reads them. A table may also have one
    row per unit and annotator, with a column that names the annotator. ``--columns`` says which
    column is what where their names do not. Without a column for the units, ``--from units`` says
    that rows are units in their order.
    """
    header, rows, unread = table_of(text, reading)
    columns = {name: [cells[i].strip() for _, cells in rows] for i, name in enumerate(header)}
    return from_columns(columns, [number for number, _ in rows], reading, unread)


def read_unit_bytes(data: bytes, reading: Reading) -> Corpus:
    """Read a Parquet table with a row per unit, or the bytes of a text."""
    from fencepost.formats.records import from_unit_records
    from fencepost.formats.tables import parquet_records

    if not data.startswith(PARQUET_SIGN):
        return read_units(decode_bytes(data, reading.name), reading)
    records, _, unread = parquet_records(data, reading)
    return from_unit_records(records, reading, unread)


def from_columns(
    columns: Mapping[str, Sequence[str]],
    lines: Sequence[Any],
    reading: Reading,
    unread: Sequence[str] = (),
) -> Corpus:
    """Columns of cells; the lines are those of the rows, ``unread`` names columns left before."""
    wanted = {"unit": UNIT_COLUMNS, "words": WORDS_COLUMNS, "coder": CODER_COLUMNS}
    sheet = sheet_of(columns, lines, reading, wanted)
    unit_column = sheet.names.get("unit", "")
    index = _index_columns(unit_column, columns)
    if "text" not in sheet.names:
        _refuse_unknown_texts(sheet, columns, index, reading)
    if not sheet.coders:
        raise FormatError(f"{reading.at(1)}: no column for a coder")
    lines, units = sheet.lines, sheet.units
    for line, name, unit in zip(lines, sheet.texts, units or sheet.texts, strict=True):
        if not name or not unit:
            raise FormatError(f"{reading.at(line)}: the name of the text or the unit is empty")
    texts = rows_of_texts(sheet.texts, lines, reading)
    tokens: dict[Item, Sequence[str]] = {}
    before: str | None = None
    for text, rows in texts.items():
        if units and _check_numbers(units[rows], lines[rows], reading, before):
            tokens[text, ""] = units[rows]
        before = units[rows.stop - 1] if units else None
        if sheet.words and any(sheet.words[rows]):
            tokens[text, ""] = sheet.words[rows]
    in_cells = reading.levels not in (None, NESTED) and not level_columns(list(sheet.coders))
    numbers = [number for rows in texts.values() for number in range(1, rows.stop - rows.start + 1)]
    cells = []
    for coder, own in sheet.coders.items():
        own_lines, own_texts, own_numbers = lines, texts, None
        if coder in sheet.rows:
            own_lines, own_numbers = (sheet.part(coder, column) for column in (lines, numbers))
            own_texts = rows_of_texts(sheet.part(coder, sheet.texts), own_lines, reading)
        parts = levels_in_cells({coder: own}, own_texts.values()) if in_cells else {coder: own}
        cells += [
            SheetColumn(name, one, own_lines, own_texts, reading, sheet.is_chosen, own_numbers)
            for name, one in parts.items()
        ]
    read, ignored = choose_columns(cells, (*UNIT_COLUMNS, *WORDS_COLUMNS, *index), reading)
    values, made, choices = _decode_columns(read, list(texts), reading)
    if reading.keeps_signs and "encoding" in choices:
        tokens = {}  # a sign more or less than there are units
    levels = level_columns(list(read))
    if levels:
        values, made = _join_levels(values, made, levels, reading)
        choices["levels"] = reading.levels
    left = {*ignored, *sheet.ignored}
    named = unit_column.lower() in ("paragraph", "sentence", "line", "utterance", "turn")
    return built_from_decoded(
        values,
        made,
        reading,
        tokens,
        choices=choices,
        field=sheet.field,
        id_field=sheet.names.get("text"),
        shape=_shape(choices, sheet.names, {str(kind.marks) for _, kind in read.values()}),
        idle=() if levels else ("levels",),
        unit=unit_column.lower() if named else "unit",
        naming="own" if "text" in sheet.names else "file",
        ignored=(*unread, *(name for name in columns if name in left)),
    )


def _join_levels(
    values: Mapping[Key, Value],
    made: Sequence[Segmentation],
    levels: Mapping[str, tuple[str, int]],
    reading: Reading,
) -> tuple[dict[Key, Value], list[Segmentation]]:
    """Return one segmentation per text and annotator; the type of a boundary is its first level."""
    if reading.levels in (None, NESTED):
        first = next(iter(values.values()))
        raise FormatError(
            f"{first.where}: {', '.join(levels)} look like levels of one annotator: --levels kinds "
            "(the level is the type of a boundary), --levels all (no types) or --levels 1 (level 1 "
            "only). Columns of annotators need other names"
        )
    last = int(reading.levels) if reading.levels.isdigit() else max(n for _, n in levels.values())
    joined: dict[Key, tuple[Value, dict[int, int]]] = {}
    columns = dict(zip(values, made, strict=True))
    _check_nested(columns, values, levels, last)
    for (key, value), seg in zip(values.items(), made, strict=True):
        coder, level = levels[key.coder]
        coder = coder or ONLY
        _, cuts = joined.setdefault(key._replace(coder=coder), (value, {}))
        if level <= last:
            cuts |= {cut: min(level, cuts.get(cut, level)) for cut in seg.cuts.tolist()}
    typed = reading.levels == "kinds"
    made = [
        Segmentation.from_levels(cuts, value.units or 0)
        if typed
        else Segmentation(value.units or 0, sorted(cuts))
        for value, cuts in joined.values()
    ]
    return {key: value for key, (value, _) in joined.items()}, made


def _check_nested(
    columns: Mapping[Key, Segmentation],
    values: Mapping[Key, Value],
    levels: Mapping[str, tuple[str, int]],
    last: int,
) -> None:
    """Raise FormatError for a boundary of one level that the next finer column does not have."""
    order = sorted(levels, key=levels.__getitem__)  # by annotator, then by level
    finer = {
        one: other
        for one, other in pairwise(order)
        if levels[one][0] == levels[other][0] and levels[other][1] <= last
    }
    for key, seg in columns.items():
        other = finer.get(key.coder)
        below = columns.get(key._replace(coder=other)) if other else None
        lacking = sorted(set(seg.cuts.tolist()) - set(below.cuts.tolist())) if below else []
        if lacking:
            raise FormatError(
                f"{values[key].where}: levels are not nested in the text {key.text}: {key.coder} "
                f"has a boundary after unit {lacking[0]}, and {other} has none there. Set it in "
                f"{other} too (labels that start anew in each segment of {key.coder} need other "
                f"names), or read {key.coder} alone: --levels {levels[key.coder][1]}"
            )


def _shape(choices: Mapping[str, str], names: Mapping[str, str], families: Set[str]) -> str:
    """What a row is and which columns say so, for the line that says how the file was read."""
    encoding = choices.get("encoding", "flags" if "flags" in choices else "labels")
    values = describe_values(encoding, choices, " or ".join(sorted(families)))
    noun = "column" if len(names) == 1 else "columns"
    row = "{unit} and annotator" if "coder" in names else "{unit}"
    said = f" ({noun} {', '.join(names.values())})" if names else ""
    return f"one row per {row}{said}; {{annotators}} ({values})"


def _index_columns(unit_column: str, columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns before the units that have another whole number in every row."""
    before = list(columns)[: list(columns).index(unit_column)] if unit_column else []
    return [
        name.lower()
        for name in before
        if len(set(columns[name])) == len(columns[name]) and all(map(_WHOLE.match, columns[name]))
    ]


def _refuse_unknown_texts(
    sheet: Sheet, columns: Mapping[str, Sequence[str]], index: Sequence[str], reading: Reading
) -> None:
    """Raise FormatError for a column that may name texts; all rows would be one text.

    Before the units, that is any column; behind them, one beside marks whose names or numbers
    follow in blocks; where no column has the units, every column but marks.
    """
    kinds = map(kind_of_column, sheet.coders.values())
    has_marks = any(kind == MARKS and family != ONES for kind, family in kinds)
    units = [name for role, name in sheet.names.items() if role in ("unit", "words")]
    is_before = True
    known = {*index, *UNIT_COLUMNS, *WORDS_COLUMNS, *EXTRA_COLUMNS}
    for name, cells in columns.items():
        is_before = is_before and name not in units
        chosen = sheet.is_chosen and (name in sheet.coders or name == sheet.field)
        is_mark = not units and kind_of_column(cells)[0] == MARKS
        if chosen or is_mark or name in sheet.names.values():
            continue
        if name.lower() in known:
            continue
        is_named = has_marks and kind_of_column(cells)[0] in (NAMES, WHOLE)
        if is_before or (is_named and is_in_blocks(cells)):
            where = "stands before the units" if is_before else "has blocks of the same"
            raise FormatError(
                f"{reading.at(1)}: {name} {where} and may name texts: --columns text={name}, or "
                f"--without {name} if it does not"
            )


def _decode_columns(
    read: Mapping[str, tuple[SheetColumn, Kind]], texts: Sequence[str], reading: Reading
) -> tuple[dict[Key, Value], list[Segmentation], dict[str, str]]:
    """Return values and segmentations by text and coder, in the order of the file."""
    found: dict[Key, Value] = {}
    for name, (column, kind) in read.items():
        for text, value in column.values(kind).items():
            found[Key(text, "", name)] = value
    first = next(iter(read.values()))[0]
    order = {text: number for number, text in enumerate(texts)}
    values = {key: found[key] for key in sorted(found, key=lambda key: order[key.text])}
    if all(kind.marks is None for _, kind in read.values()):
        own = reading.replace(encoding="labels", threshold=None, flags=None, probabilities=False)
        made, choices = decode(list(values.values()), own, "units")
        if reading.encoding == "labels" and any(kind.is_declared for _, kind in read.values()):
            choices["encoding"] = "labels"  # the cells alone would be read otherwise
        return values, made, choices
    if reading.keeps_signs:
        own = reading.replace(encoding="bits", threshold=None)
        signs = [replace(value, units=None) for value in values.values()]
        made, choices = decode(signs, own, "units")
        return values, made, {"encoding": "bits", **choices}
    is_zero_one = all(kind.marks == ZERO_ONE for _, kind in read.values())
    if is_zero_one and reading.flags is None and reading.encoding is None:
        _refuse_two_segments(values)
    mark = reading.flags or flags_of_columns(
        {
            name: (str(kind.marks), [v.given for v in column.values(kind).values()])
            for name, (column, kind) in read.items()
        },
        reading.at(first.lines[0]),
    )
    own = reading.replace(encoding="flags", flags=mark, threshold=None)
    made, choices = decode(list(values.values()), own, "units")
    if reading.threshold is not None and _have_probabilities(read):
        choices["threshold"] = number_of_digits(reading.threshold)
    return values, made, choices


def _have_probabilities(read: Mapping[str, tuple[SheetColumn, Kind]]) -> bool:
    return any(kind.marks == PROBABILITIES for _, kind in read.values())


def _refuse_two_segments(values: Mapping[Key, Value]) -> None:
    if all(value.given == sorted(value.given) for value in values.values()):
        where = next(iter(values.values())).where
        raise FormatError(
            f"{where}: 0 and then 1 may be the numbers of two segments (--encoding labels) or "
            "marks of single units (--flags last, --flags first)"
        )


def _check_numbers(
    units: Sequence[str], lines: Sequence[int], reading: Reading, before: str | None
) -> bool:
    """Whether the units are texts; numbers must count them, so that no row is missing.

    They start with 0 or 1, or go on from the unit ``before``, the last of another text.
    """
    if not all(_WHOLE.match(unit) for unit in units):
        return True
    wheres = [reading.at(line) for line in lines]
    numbers = [as_whole(unit, where) for unit, where in zip(units, wheres, strict=True)]
    starts = [0, 1, int(before) + 1] if before and _WHOLE.match(before) else [0, 1]
    first = numbers[0] if numbers[0] in starts else 1
    for number, (unit, where) in enumerate(zip(numbers, wheres, strict=True), start=first):
        if unit != number:
            raise FormatError(
                f"{where}: unit {unit} where {number} should follow; units are numbered from 1 (or "
                "0) in each text, or through the file, one per row"
            )
    return False


def write_units(corpus: Corpus, delimiter: str = ",") -> str:
    """The number of its segment for each unit."""
    check_holds(corpus, "a table of units", "texts", "coders")
    taken = (*UNIT_COLUMNS, *TEXT_COLUMNS, *WORDS_COLUMNS, *CODER_COLUMNS, *EXTRA_COLUMNS)
    check_columns(corpus, "a table of units", "token", *taken)
    check_units(corpus, "a table of units")
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


def _looks_like_units(text: str) -> bool:
    """A unit in one of the first two columns; beside an annotator's, in any column."""
    header = header_of(text)
    if len(header) < 2 or {"token", "boundaries"} & set(header):
        return False
    if {*CODER_COLUMNS} & set(header):
        return bool({*UNIT_COLUMNS} & set(header)) and not {"ref", "hyp"} & set(header)
    return bool({*UNIT_COLUMNS} & set(header[:2]))


UNITTABLE = Format(
    "units",
    endings_of("units"),
    "one row per unit and one column per coder: the number or label of the unit's segment",
    "paragraph,an1,an2\n1,1,1\n2,1,2\n3,2,2",
    read_units,
    _looks_like_units,
    write_units,
    sure=True,
    read_bytes=read_unit_bytes,
    write_as={".tsv": partial(write_units, delimiter="\t")},
    keeps=("texts", "coders", "words"),
    takes=("flags", "encoding", "threshold", "probabilities", "levels"),
    roles=("text", "unit", "words", "coder"),
)
