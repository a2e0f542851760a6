"""Tables with named columns: a row for each text, or text and coder; CSV and Parquet."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import (
    CODER_COLUMNS,
    ID_COLUMNS,
    declared,
    is_row_per_unit,
    known,
)
from fencepost.formats.line_numbers import LineNumbers
from fencepost.formats.lines import SIZE_COLUMNS
from fencepost.formats.marks import NOT_ANNOTATED, number_of
from fencepost.formats.options import RECORD_ROLES, RECORDS, FormatError, Reading
from fencepost.formats.records import from_records, from_unit_records, load_json, located
from fencepost.formats.registry import Format, join_rows
from fencepost.formats.values import as_whole
from fencepost.formats.writing import check_filled, check_names, sizes_by_key
from fencepost.model.corpus import Corpus
from fencepost.scoring import counts

_NUMBERS = re.compile(r"[+-]?[0-9]+(?:[\s,;]+[+-]?[0-9]+)*\Z")
_REAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_REALS = re.compile(rf"{_REAL}(?:[\s,;]+{_REAL})+\Z")
_ARRAY = re.compile(rf"\[\s*{_REAL}(?:\s+{_REAL})*\s*\]\Z")


def read_table(text: str, reading: Reading) -> Corpus:
    """A header with names; a column for the text, one for the segmentation (ref, hyp or a field).

    A cell holds what a field of JSON lines holds: ``5 5 1 3``, ``[5, 5, 1, 3]``, ``0010011``. A
    column coder (annotator) names the coder of a row.
    """
    from fencepost.formats.tokens import table_of
    from fencepost.formats.unit_rows import read_units

    if reading.columns.keys() & {"unit", "words"}:
        return read_units(text, reading)
    header, rows, unread = table_of(text, reading)
    names = {*ID_COLUMNS, *CODER_COLUMNS}
    names |= {str(reading.columns.get(role)).lower() for role in ("text", "coder", "speaker")}
    strings = _columns_of_strings(header, [cells for _, cells in rows], names)
    strings -= {reading.units_field} - names  # texts of 10 and 11 units: no strings of marks
    records = [
        (
            reading.at(number),
            {
                name: _cell(cell.strip(), name in strings, number, reading)
                for name, cell in zip(header, cells, strict=True)
            },
        )
        for number, cells in rows
    ]
    return _corpus(records, header, reading, unread)


def _columns_of_strings(
    header: Sequence[str], rows: Sequence[Sequence[str]], names: set[str]
) -> set[str]:
    """Columns whose cells are names (042 is not 42) or strings of 0 and 1, which are no numbers."""
    named = {n for n in header if n.lower() in names}
    cells = {name: [row[i].strip() for row in rows] for i, name in enumerate(header)}
    filled = {n: [c for c in own if c and c not in NOT_ANNOTATED] for n, own in cells.items()}
    return named | {name for name, own in filled.items() if own and _are_marks(own)}


def _are_marks(cells: Sequence[str]) -> bool:
    """Strings of 0 and 1; among long ones a string with another digit is wrong, and no size."""
    if all(re.fullmatch(r"[01]{2,}", cell) for cell in cells):
        return True
    long = all(re.fullmatch(r"\d{5,}", cell) for cell in cells)
    return long and any(re.fullmatch(r"[01]+", cell) for cell in cells)


def _cell(cell: str, string: bool, line: int, reading: Reading) -> Any:
    if string:
        return cell
    if cell.startswith("[") and cell.endswith("]"):
        if _ARRAY.match(cell):  # as numpy prints it, without commas
            cell = re.sub(r"\s+", ",", re.sub(r"(?<=\d)\.(?!\d)", ".0", cell[1:-1].strip()))
            return load_json(f"[{cell}]", reading, line)
        return load_json(cell, reading, line)
    if _NUMBERS.match(cell):
        return [as_whole(word, reading.at(line)) for word in re.split(r"[\s,;]+", cell)]
    if _REALS.match(cell):
        try:
            return [float(word) for word in re.split(r"[\s,;]+", cell)]
        except ValueError:  # 1.2.3 4
            return cell
    return None if cell in NOT_ANNOTATED else cell or None


def _corpus(
    records: Sequence[tuple[str, dict[str, Any]]],
    header: Sequence[str],
    reading: Reading,
    unread: Sequence[str] = (),
) -> Corpus:
    coder, _, field = columns_of(header, reading)
    speaker = reading.columns.get("speaker")
    duration = reading.columns.get("duration", "duration")
    for _, record in records:
        units = record.get(reading.units_field)
        if isinstance(units, list) and len(units) == 1 and isinstance(units[0], int):
            record[reading.units_field] = units[0]
        length = record.get(duration)
        if isinstance(length, list) and len(length) == 1:
            record[duration] = length[0]
        elif isinstance(length, str) and number_of(length) is not None:
            record[duration] = number_of(length)
        for name in (coder, speaker, reading.columns.get("text")):
            if name and isinstance(record.get(name), list):
                record[name] = " ".join(map(str, record[name]))
    own = reading.with_columns(**{reading.default_field: field})
    return from_records(records, own, coder, unread, "one row per {text}: {values}", table=True)


def columns_of(
    header: Sequence[str], reading: Reading
) -> tuple[str | None, str | None, str | None]:
    """The columns of the coder, of the text's name, and of the segmentation where they tell it."""
    coder = declared("coder", header, reading) or known(header, CODER_COLUMNS)
    id_field = declared("text", header, reading) or known(header, ID_COLUMNS)
    field = reading.field
    if field is None and reading.default_field not in header:
        field = known(header, SIZE_COLUMNS)
    return coder, id_field, field


def looks_like_table(text: str, reading: Reading) -> bool:
    """A header with a column for the text and one that holds segmentations, or the one asked for.

    Where only the segmentation is found, the table's reader says which column is missing.
    """
    from fencepost.formats.tokens import header_of

    header = header_of(text)
    if len(header) > 1 and reading.columns.keys() - {"ref", "hyp"}:
        return True
    if reading.field is not None and len(header) > 1 and reading.field.lower() in header:
        return True
    return bool({*ID_COLUMNS} & set(header)) and bool({"ref", "hyp"} & set(header))


def read_parquet(data: bytes, reading: Reading) -> Corpus:
    """The columns of a table of texts, of texts and coders, or of units (as ``units``)."""
    records, names, unread = parquet_records(data, reading)
    if is_row_per_unit(names) and "units" not in reading.columns:
        return from_unit_records(records, reading, unread)
    return _corpus(records, names, reading, unread)


def parquet_records(
    data: bytes, reading: Reading
) -> tuple[list[tuple[str, dict[str, Any]]], list[str], list[str]]:
    """Return the rows of a Parquet table, the columns that are read, and those that are not."""
    table = counts.read_parquet(data, reading.name, FormatError, reading.unpack_limit)
    names = list(table.column_names)
    if len({name.lower() for name in names}) < len(names):
        raise FormatError(f"{reading.name}: a column is there twice: {', '.join(names)}")
    if not table.num_rows:
        raise FormatError(f"{reading.name} has no rows")
    columns = {name: table.column(name).to_pylist() for name in names}
    names = [name for name in names if name not in reading.without]
    rows = [{name: columns[name][row] for name in names} for row in range(table.num_rows)]
    records = located(rows, LineNumbers(reading.name), "record")
    return records, names, [name for name in columns if name in reading.without]


def write_parquet(corpus: Corpus) -> bytes:
    """Columns id, coder, units and masses: whatever an id is, it names the text."""
    from fencepost.wording import needs

    arrow, parquet = needs("pyarrow", "Parquet"), needs("pyarrow.parquet", "Parquet")
    check_filled(corpus)
    rows = [(*key, sum(sizes), sizes) for key, sizes in sizes_by_key(corpus, "parquet")]
    text, _, coder, units, sizes = zip(*rows, strict=True)
    table = arrow.table(
        {
            "id": arrow.array(text, arrow.string()),
            "coder": arrow.array(coder, arrow.string()),
            "units": arrow.array(units, arrow.int64()),
            "masses": arrow.array(sizes, arrow.list_(arrow.int64())),
        }
    )
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def write_table(corpus: Corpus, delimiter: str = ",") -> str:
    """Columns id, coder and ref, with the sizes as a JSON list."""
    check_names(corpus)
    found = sizes_by_key(corpus, "table")
    rows = [(key.text, key.coder, json.dumps(sizes)) for key, sizes in found]
    return join_rows([("id", "coder", "ref"), *rows], delimiter)


def _no_text(text: str, reading: Reading) -> Corpus:
    raise FormatError(f"{reading.name}: a Parquet file is no text")


TABLE = Format(
    "table",
    endings_of("table"),
    "one row per text (and coder) with named columns: id, coder, ref, hyp, units",
    'id,ref,hyp\nd1,5 5 1 3,"[5, 9]"\nd2,7 7,"[14]"',
    read_table,
    write=write_table,
    write_as={".tsv": partial(write_table, delimiter="\t")},
    keeps=("texts", "coders"),
    takes=RECORDS,
    roles=RECORD_ROLES,
)
PARQUET = Format(
    "parquet",
    endings_of("parquet"),
    "a Parquet table: one row per text (and coder), or one row per unit with one column per coder",
    "columns id: string, coder: string, masses: list<int64>",
    _no_text,
    read_bytes=read_parquet,
    write_bytes=write_parquet,
    keeps=("texts", "coders"),
    takes=(*RECORDS, "levels"),  # of tables of units
    roles=RECORD_ROLES,
)
