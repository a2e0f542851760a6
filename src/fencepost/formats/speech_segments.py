"""The segmentation that IWSLT gives beside plain references: recording, offset and duration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fencepost.formats.fields import as_name, as_number, as_span
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.records import load_json
from fencepost.formats.seglst import name_or_none
from fencepost.formats.values import shown
from fencepost.model.documents import SegmentRow
from fencepost.wording import needs


def read_speech_segments(text: str, reading: Reading) -> list[SegmentRow]:
    """Return one row per segment of a YAML or JSON list, without texts.

    A segment has ``wav, offset, duration``, and ``speaker_id`` or ``speaker`` if it is known.
    """
    entries = _load_yaml(text, reading)
    if not isinstance(entries, list) or not entries:
        raise FormatError(
            f"{reading.name}: a segmentation is a list of segments with wav, offset and duration, "
            f"found {shown(entries)}"
        )
    return [_row(entry, n, reading) for n, entry in enumerate(entries, start=1)]


def _load_yaml(text: str, reading: Reading) -> Any:
    if text.lstrip().startswith("[{"):
        try:
            return load_json(text, reading)
        except FormatError:
            pass  # a YAML list may begin like this too
    yaml = needs("yaml", reading.name)
    # The C loader reads a test set in seconds instead of minutes; both are safe.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_plain(yaml.parse(text, Loader=loader), reading)
        made = loader(text)
        try:
            node = made.get_single_node()
            _check_values(node, reading)
            return None if node is None else made.construct_document(node)
        finally:
            made.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = reading.at(mark.line + 1) if mark is not None else reading.name
        problem = getattr(error, "problem", None) or getattr(error, "reason", "cannot be read")
        raise FormatError(f"{where}: not YAML: {problem}") from None
    except FormatError:
        raise
    except (RecursionError, ValueError) as error:
        raise FormatError(f"{reading.name}: not a segmentation: {error}") from None


MAX_DEPTH = 20  # of lists in lists; the C loader calls itself for each, until its stack ends


def _check_plain(events: Iterable[Any], reading: Reading) -> None:
    """Raise FormatError for YAML nested too deeply, and for aliases, which can grow without end."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind.endswith(("SequenceStartEvent", "MappingStartEvent"))
        depth -= kind.endswith(("SequenceEndEvent", "MappingEndEvent"))
        if depth > MAX_DEPTH or kind == "AliasEvent":
            where = reading.at(event.start_mark.line + 1)
            wrong = f"*{event.anchor}" if kind == "AliasEvent" else f"{depth} levels"
            raise FormatError(
                f"{where}: expected a list of segments without aliases and deep nesting, found "
                f"{wrong:.40}; write each segment in full"
            )


_TAG = "tag:yaml.org,2002:"
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*|[0-9]*\.[0-9]*(?:[eE][-+]?[0-9]+)?)")


def _check_values(node: Any, reading: Reading) -> None:
    """Raise FormatError for a name that is given twice, and for numbers that YAML 1.1 reads oddly.

    It has 1:30 as 90, 010 as 8 and 1_000 as 1000, where YAML 1.2 has texts and 10.
    """
    waiting = [] if node is None else [node]
    while waiting:
        node = waiting.pop()
        where = reading.at(node.start_mark.line + 1)
        if node.id == "scalar":
            number = node.tag in (f"{_TAG}int", f"{_TAG}float")
            digits = re.search(r"\d", node.value) is not None  # .inf and .nan have none
            if number and digits and not _DECIMAL.fullmatch(node.value):
                raise FormatError(
                    f"{where}: {node.value!r:.40} is not the same number to all programs; write a "
                    "decimal number, or a text in quotation marks"
                )
        elif node.id == "sequence":
            waiting += node.value
        else:
            seen: set[str] = set()
            for name, value in node.value:
                at = reading.at(name.start_mark.line + 1)
                if name.id != "scalar" or name.tag == f"{_TAG}merge":
                    shown = "<<" if name.id == "scalar" else "a list or mapping"
                    raise FormatError(f"{at}: {shown} names nothing of a segment")
                if name.value in seen:
                    raise FormatError(f"{at}: {name.value!r:.40} is given twice in one segment")
                seen.add(name.value)
                waiting.append(value)


def _row(entry: Any, number: int, reading: Reading) -> SegmentRow:
    where = f"{reading.name}, segment {number}"
    if not isinstance(entry, dict):
        raise FormatError(f"{where}: expected wav, offset and duration, found {shown(entry)}")
    for key in ("wav", "offset", "duration"):
        if entry.get(key) is None:
            raise FormatError(f'{where}: "{key}" is missing, found {shown(entry)}')
    wav = as_name(entry["wav"], where, '"wav"')
    offset = as_number(entry["offset"], where, '"offset"')
    duration = as_number(entry["duration"], where, '"duration"')
    start, end = as_span(offset, offset + duration, where)
    speaker = "speaker_id" if entry.get("speaker_id") is not None else "speaker"
    return SegmentRow(
        (),
        number,
        wav,
        None,
        start,
        end,
        name_or_none(entry, speaker, where),
        recording=wav,
    )
