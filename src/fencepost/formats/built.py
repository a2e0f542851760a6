"""From what a reader found to a Corpus that knows its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fencepost.formats.options import Reading
from fencepost.formats.values import Value
from fencepost.model.corpus import Corpus, CorpusBuilder, Item, Key
from fencepost.model.segmentation import Segmentation


def built(
    builder: CorpusBuilder,
    reading: Reading,
    *,
    nameless: bool = False,
    numbered: bool = False,
    **source: Any,
) -> Corpus:
    """Return the corpus of a file; the keywords are those of ``Source``.

    ``nameless`` is a file that gives its one text no name of its own; the texts of a ``numbered``
    one are called by their numbers.
    """
    naming = "file" if nameless else "numbers" if numbered else "own"
    return builder.build(name=reading.stem, file=reading.name, naming=naming, **source)


def built_from_values(
    keys: Iterable[Key],
    made: Sequence[Segmentation],
    values: Sequence[Value],
    reading: Reading,
    words: Mapping[Item, Sequence[str]] | None = None,
    **source: Any,
) -> Corpus:
    """Return the corpus of a column of values that was decoded."""
    builder = CorpusBuilder()
    for key, seg, value in zip(keys, made, values, strict=True):
        builder.add(key, seg, where=value.where)
    for item, own in (words or {}).items():
        builder.add_words(item, own)
    return built(builder, reading, **source)


def merged(readings: Iterable[Any]) -> dict[str, str]:
    """Choices of several files; what differs is named with a plus between."""
    fields: dict[str, list[str]] = {}
    for reading in readings:
        for key, value in reading.items():
            known = fields.setdefault(key, [])
            known += [value] if value not in known else []
    return {key: "+".join(sorted(values)) for key, values in fields.items()}
