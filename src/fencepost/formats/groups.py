"""Which texts belong together: from a table of texts and groups, or a field of the records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fencepost.compression import unpack
from fencepost.files import read_whole
from fencepost.formats.columns import id_column
from fencepost.formats.files import PARQUET_SIGN, decode_bytes
from fencepost.formats.options import Reading, split_lines
from fencepost.formats.registry import split_rows
from fencepost.model.checks import FencepostError
from fencepost.scoring.counts import read_parquet


class Groups(dict[str, str]):
    """The group of each text, and what the groups are called in signatures."""

    name: str = "given"


def read_groups(given: str, references: Sequence[str], id_field: str | None) -> Groups:
    """Groups from a CSV file (text,group), or from a field of the references' records."""
    if Path(given).is_file():
        return _from_table(given)
    groups = Groups()
    for path in references:
        own = getattr(path, "columns", {}).get("text", id_field)
        for text, value in _values(path, given, own):
            group = _plain(value, given, path)
            if groups.setdefault(text, group) != group:
                raise FencepostError(
                    f"{path}: {text} is in the groups {groups[text]} and {group}; a text has one"
                )
    if not groups:
        raise FencepostError(
            f"--group {given}: no such file, and no record of {', '.join(references) or 'a file'} "
            f"has a field {given!r} beside {id_field or 'id'!r}; a table of groups is a CSV file "
            "with the columns text,group"
        )
    groups.name = given
    return groups


def _from_table(path: str) -> Groups:
    text = decode_bytes(read_whole(path), path)
    header, rows = _table(text, path)
    if "text" not in header or "group" not in header:
        raise FencepostError(
            f"{path} needs the columns text,group; found {', '.join(header) or 'none'}"
        )
    groups = Groups()
    groups.name = Path(path).stem
    for line, row in rows:
        text = row.get("text") or ""
        if text in groups:
            raise FencepostError(f"{path}, line {line}: {text} has a group already")
        groups[text] = row.get("group") or ""
    return groups


def _values(path: str, field: str, id_field: str | None) -> Iterator[tuple[str, Any]]:
    """Texts and what their records have in a field, whatever holds records."""
    records = _records(path)
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = {name: [record.get(name) for record in records] for name in names}
    own = id_field or id_column(columns, table=not path.endswith((".json", ".jsonl")))
    for number, record in enumerate(records, start=1):
        if record.get(field) is None:
            continue
        if own is None:
            yield str(number), record[field]  # as the readers call texts without a name
        elif record.get(own) is not None:
            yield str(record[own]), record[field]


def _records(path: str) -> list[dict[str, Any]]:
    """The records of JSON (a list, or one per line), CSV and Parquet; none from other files."""
    try:  # the file was unpacked within its limit when it was read
        data = unpack(read_whole(path), path, limit=None)
    except FencepostError:
        return []
    if data.startswith(PARQUET_SIGN):
        rows: list[dict[str, Any]] = read_parquet(data, path).to_pylist()
        return rows
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    if text.lstrip()[:1] in ("{", "["):
        return _json_records(text)
    return [row for _, row in _table(text, path)[1]]


def _json_records(text: str) -> list[dict[str, Any]]:
    try:
        whole = json.loads(text)
        found = whole if isinstance(whole, list) else [whole]
    except (ValueError, RecursionError):
        try:
            found = [json.loads(line) for line in split_lines(text) if line.strip()]
        except (ValueError, RecursionError):
            return []
    return [one for one in found if isinstance(one, dict)]


def _table(text: str, path: str) -> tuple[list[str], list[tuple[int, dict[str, Any]]]]:
    """The names of the columns, and the rows with their lines; an empty cell is None."""
    rows = split_rows(text, Reading(path))
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    return header, [
        (line, {name: cell.strip() or None for name, cell in zip(header, cells, strict=False)})
        for line, cells in rows[1:]
    ]


def _plain(value: Any, field: str, path: str) -> str:
    if isinstance(value, (str, int, float)):
        return str(value)
    raise FencepostError(f"{path}: the group in {field!r} must be a name or a number")
