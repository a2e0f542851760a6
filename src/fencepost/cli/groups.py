"""Which texts belong together: from a table of texts and groups, or a field of the records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fencepost.checks import FencepostError


class Groups(dict[str, str]):
    """The group of each text, and what the groups are called in signatures."""

    name: str = "given"


def read_groups(given: str, references: Sequence[str], id_field: str) -> Groups:
    """Groups from a CSV file (text,group), or from a field of the references' JSON records."""
    if Path(given).is_file():
        groups = _from_table(given)
        groups.name = Path(given).stem
        return groups
    groups = Groups()
    for path in references:
        for record in _records(path):
            if given in record and id_field in record:
                groups[str(record[id_field])] = _plain(record[given], given, path)
    if not groups:
        raise FencepostError(
            f"--group {given}: no such file, and no record of {', '.join(references) or 'a file'} "
            f"has a field {given!r} beside {id_field!r}; a table of groups is a CSV file with the "
            "columns text,group"
        )
    groups.name = given
    return groups


def _from_table(path: str) -> Groups:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FencepostError(f"{path} cannot be read as a table of groups: {error}") from None
    columns = list(rows[0]) if rows else []
    if "text" not in columns or "group" not in columns:
        raise FencepostError(
            f"{path} needs the columns text,group; found {', '.join(map(str, columns)) or 'none'}"
        )
    groups = Groups()
    for line, row in enumerate(rows, start=2):
        text = str(row["text"] or "")
        if text in groups:
            raise FencepostError(f"{path}, line {line}: {text} has a group already")
        groups[text] = str(row["group"] or "")
    return groups


def _records(path: str) -> list[dict[str, Any]]:
    """The records of JSON lines, or of a JSON list; none from other files."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return []
    try:
        whole = json.loads(text)
        found = whole if isinstance(whole, list) else [whole]
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return []
    return [one for one in found if isinstance(one, dict)]


def _plain(value: Any, field: str, path: str) -> str:
    if isinstance(value, (str, int, float)):
        return str(value)
    raise FencepostError(f"{path}: the group in {field!r} must be a name or a number")
