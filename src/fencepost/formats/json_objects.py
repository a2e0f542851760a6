"""Objects of JSON files with words: one per line, and the fields that a file is known by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fencepost.formats.fields import filled_lines
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.records import load_json
from fencepost.formats.values import shown


def json_objects(text: str, reading: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield one JSON object per line, with the number of the line."""
    for number, line in filled_lines(text):
        value = load_json(line, reading, number)
        if not isinstance(value, dict):
            raise FormatError(f"{reading.at(number)}: expected a JSON object, found {shown(value)}")
        yield number, value


def first_fields(text: str) -> set[str] | None:
    """Return the field names of the first JSON object; None where the text begins with none."""
    found = re.match(r"\s*+(?:\[\s*+)?(?=\{)", text)
    if found is None:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return None
    return set(value)
