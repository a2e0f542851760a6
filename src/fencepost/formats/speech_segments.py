"""The segmentation that IWSLT gives beside plain references: recording, offset and duration."""

from __future__ import annotations

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
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = reading.at(mark.line + 1) if mark is not None else reading.name
        problem = getattr(error, "problem", None) or getattr(error, "reason", "cannot be read")
        raise FormatError(f"{where}: not YAML: {problem}") from None
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
