"""From what a reader found to a Corpus that knows its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fencepost.formats.options import FormatError, Reading
from fencepost.formats.values import Value, decode, said_encoding
from fencepost.model.corpus import ONLY, Corpus, CorpusBuilder, Item, Key
from fencepost.model.join import item_name
from fencepost.model.segmentation import Segmentation

Words = Mapping[Item, Sequence[str]]

# What the values of a segmentation are, for the line that says how a file was read.
VALUES_IN_WORDS = {
    "masses": "segment sizes",
    "bits": "0/1 between {unit}s, 1 = boundary",
    "flags": "0/1 per {unit}",
    "positions": "positions of boundaries",
    "labels": "one label per {unit}, a segment ends where it changes",
    "spans": "start and end of segments",
    "times": "start and end of segments in seconds",
}


def describe_values(encoding: str, choices: Mapping[str, str]) -> str:
    """Return what values are, and what a 1 means."""
    said = VALUES_IN_WORDS[encoding]
    if "threshold" in choices:
        said = f"probabilities, 1 from {choices['threshold']} on"
    if "flags" in choices:
        said += f", 1 = {choices['flags']} {{unit}} of a segment"
    return said


def _encoding_of(values: Sequence[Value], reading: Reading, choices: Mapping[str, str]) -> str:
    """Return how values that were decoded had been understood."""
    if "flags" in choices:
        return "flags"
    if reading.encoding is not None:
        return str(reading.encoding)
    given = next((value.given for value in values if value.given), "")
    if isinstance(given, str) or "threshold" in choices:
        return "bits"
    if isinstance(given[0], str):
        return "labels"
    if isinstance(given[0], (list, dict)):
        return "times" if "units" in choices and "seconds" in str(reading.units) else "spans"
    # No size is 0.
    return "bits" if any(0 in value.given for value in values) else "masses"


def built(builder: CorpusBuilder, reading: Reading, **source: Any) -> Corpus:
    """Return the corpus of a file; the keywords are those of ``Source``."""
    return builder.build(name=reading.stem, file=reading.name, **source)


def join_parts(parts: Sequence[Sequence[str]]) -> tuple[Segmentation, list[str]]:
    """Return a segmentation whose segments have these units, and the units of all of them."""
    sizes = [len(part) for part in parts]
    return Segmentation.from_masses(sizes), [unit for part in parts for unit in part]


def built_from_words(
    found: Mapping[Key, tuple[Segmentation, Sequence[str] | None]],
    reading: Reading,
    unit: str = "word",
    **source: Any,
) -> Corpus:
    """Return the corpus of segmentations with their units, where these are known.

    Where the file's own name is that of the only text, the text has no other.
    """
    builder = CorpusBuilder()
    for key, (seg, words) in found.items():
        builder.add(key, seg, words)
    named = {key.text for key in found} != {reading.stem}
    return built(builder, reading, unit=unit, naming="own" if named else "file", **source)


def add_value(values: dict[Key, Value], key: Key, value: Value) -> None:
    """Add the value of a text and coder; raise FormatError where there is one already."""
    if key in values:
        by = "" if key.coder == ONLY else f" by {key.coder}"
        text = item_name((key.text, key.stream))
        raise FormatError(f"{value.where}: the text {text}{by} is given twice")
    values[key] = value


def built_from_values(
    values: Mapping[Key, Value],
    reading: Reading,
    what: str,
    words: Words | None = None,
    *,
    sized: bool = False,
    shape: str = "{values}",
    **source: Any,
) -> Corpus:
    """Return the corpus of a column of values; ``what`` and ``sized`` are those of ``decode``.

    ``shape`` is that of ``Source``, with ``{values}`` where it says what the values are.
    """
    column = list(values.values())
    made, choices = decode(column, reading, what, sized)
    choices |= said_encoding(column, reading, what, sized)
    said = describe_values(_encoding_of(column, reading, choices), choices)
    return built_from_decoded(
        values,
        made,
        reading,
        words,
        choices=choices,
        shape=shape.replace("{values}", said),
        **source,
    )


def built_from_decoded(
    values: Mapping[Key, Value],
    made: Iterable[Segmentation],
    reading: Reading,
    words: Words | None = None,
    **source: Any,
) -> Corpus:
    """Return the corpus of values that were decoded."""
    builder = CorpusBuilder()
    for (key, value), seg in zip(values.items(), made, strict=True):
        builder.add(key, seg, where=value.where)
    for item, own in (words or {}).items():
        builder.add_words(item, own)
    return built(builder, reading, **source)


def merged(readings: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Choices of several files; what differs is named with a plus between."""
    fields: dict[str, set[str]] = {}
    for reading in readings:
        for key, value in reading.items():
            fields.setdefault(key, set()).add(value)
    return {key: "+".join(sorted(values)) for key, values in fields.items()}
