"""From what a reader found to a Corpus that knows its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fencepost.formats.intervals import NESTED, text_unit
from fencepost.formats.marks import FAMILIES, ZERO_ONE, cell_of, family_of
from fencepost.formats.options import SPANS, FormatError, Reading
from fencepost.formats.values import (
    Value,
    decode,
    name_of_list,
    reading_of_sizes,
    said_encoding,
)
from fencepost.model.corpus import ONLY, Corpus, CorpusBuilder, Item, Key
from fencepost.model.join import item_name
from fencepost.model.segmentation import Segmentation
from fencepost.wording import listed, plural

Words = Mapping[Item, Sequence[str]]

# What the values of a segmentation are, for the line that says how a file was read.
VALUES_IN_WORDS = {
    "masses": "segment sizes",
    "bits": "0/1 between {unit}s, 1 = boundary",
    "flags": "{family} per {unit}",
    "positions": "positions of boundaries",
    "labels": "one label per {unit}, a segment ends where it changes",
    "spans": "start and end of segments",
    "times": "start and end of segments in seconds",
}


def describe_values(encoding: str, choices: Mapping[str, str], family: str = ZERO_ONE) -> str:
    """Return what values are, and what a 1 (x, B, ... in marks of another ``family``) means."""
    said = VALUES_IN_WORDS[encoding].replace("{family}", family)
    if "probabilities" in choices:
        mark = choices.get("flags")
        return (
            f"probability per {{unit}} that it is the {mark} of a segment"
            if mark
            else ("probability per position")
        )
    if "threshold" in choices:
        said = f"probabilities, 1 from {choices['threshold']} on"
        family = ZERO_ONE
    if "flags" in choices:
        mark = next((cell for cell, value in FAMILIES.get(family, {}).items() if value), "a mark")
        said += f", {mark} = {choices['flags']} {{unit}} of a segment"
    return said


def _family(values: Sequence[Value]) -> str:
    """Return the family of marks that values hold, by the first text that shows it."""
    cells = ({cell_of(one) for one in value.given} for value in values)
    return next((family for family in map(family_of, cells) if family), ZERO_ONE)


def _encoding_of(values: Sequence[Value], reading: Reading, choices: Mapping[str, str]) -> str:
    """Return how values that were decoded had been understood."""
    if "flags" in choices:
        return "flags"
    if reading.encoding is not None:
        return str(reading.encoding)
    given = next((value.given for value in values if value.given), "")
    if isinstance(given, str) or {"threshold", "probabilities"} & choices.keys():
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
    empty: Sequence[str] = (),
    **source: Any,
) -> Corpus:
    """Return the corpus of a column of values; ``what`` and ``sized`` are those of ``decode``.

    ``shape`` is that of ``Source``, with ``{values}`` where it says what the values are; ``empty``
    are texts without units, which were skipped.
    """
    column = list(values.values())
    if not column and empty:
        raise FormatError(f"{reading.name}: every text is empty")
    if _names_texts(reading, source.get("naming")):
        for key, value in values.items():
            if not value.where.endswith((f", {key.text}", f", {key.text}, {key.coder}")):
                value.where += f", text {key.text}"
    declared = reading.encoding
    reading = reading_of_sizes(column, reading)
    made, choices = decode(column, reading, what, sized, [key.coder for key in values])
    choices |= said_encoding(column, reading, what, sized)
    encoding = _encoding_of(column, reading, choices)
    family = _family(column) if encoding == "flags" else ZERO_ONE
    if reading.keeps_signs and "encoding" in choices:
        words = None  # a sign more or less than there are words
    known = {(key.text, key.stream): v.words for key, v in values.items() if v.words is not None}
    if encoding == "spans" and column[0].text is not None and column[0].units is None:
        source["unit"] = text_unit(choices.get("units", "chars"))
    return built_from_decoded(
        values,
        made,
        reading,
        {**(words or {}), **known},
        choices=choices | empty_choice(empty),
        notes=tuple(about_empty(empty)),
        shape=shape.replace("{values}", describe_values(encoding, choices, family)),
        idle=(
            *_idle_options(encoding, column),
            *(("encoding",) if declared != reading.encoding else ()),
        ),
        **source,
    )


def _names_texts(reading: Reading, naming: str | None) -> bool:
    """Whether errors say the text beside its line: spans that cross, and odd probabilities."""
    declared = reading.probabilities or reading.threshold is not None
    return reading.levels == NESTED or (declared and naming == "own")


def _idle_options(encoding: str, values: Sequence[Value]) -> tuple[str, ...]:
    """Return the options of segments with two ends that say nothing about these values."""
    if encoding == "spans":
        return ("levels",)
    given: Any = next((value.given for value in values if value.given), [])
    stretched = encoding == "times" and isinstance(given[0], (list, dict))
    unused = ("snap",) if stretched else SPANS if encoding != "times" else SPANS[1:]
    return (*unused, "levels")


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


def about_empty(names: Sequence[str]) -> list[str]:
    """Return the note on texts without units that were skipped."""
    if not names:
        return []
    were = "was" if len(names) == 1 else "were"
    return [f"{plural(len(names), 'empty text')} {were} skipped: {listed(names, 5)}"]


def empty_choice(names: Sequence[str]) -> dict[str, str]:
    """Return the choice that was made where empty texts were skipped."""
    return {"empty_texts": "skip"} if names else {}


def about_sizes(corpus: Corpus) -> str:
    """Return what to add where a file holds no probabilities but segment sizes, else nothing.

    Percentages are whole numbers, too.
    """
    if VALUES_IN_WORDS["masses"] not in corpus.source.shape:
        return ""
    for row in range(len(corpus)):
        sizes = corpus.segmentation(row).masses
        large = next((number for number, size in enumerate(sizes, 1) if size > 1), None)
        if large is not None:
            where, text = corpus.where_read(row), corpus.key(row).text
            if corpus.source.is_named and not where.endswith((f", {text}", f"text {text}")):
                where += f", text {text}"
            of = name_of_list(corpus.source.field or "masses")
            return (
                f", which are from 0 to 1: number {large} {of} is {sizes[large - 1]} ({where}); if "
                "these are percentages, divide them by 100"
            )
    return ""


def merged(readings: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Choices of several files; what differs is named with a plus between."""
    fields: dict[str, set[str]] = {}
    for reading in readings:
        for key, value in reading.items():
            fields.setdefault(key, set()).add(value)
    return {key: "+".join(sorted(values)) for key, values in fields.items()}
