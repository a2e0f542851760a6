"""References and hypotheses as people hold them in Python: texts, lists and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from fencepost.model.documents import ReferenceDocument, ReferenceSet, Segment, Stream, StreamSet
from fencepost.streams.documents import StreamError


def as_references(given: Any) -> ReferenceSet:
    """Return references from lists of segments, or as they were read."""
    if isinstance(given, ReferenceSet):
        return given
    documents: list[ReferenceDocument] = []
    place = 0
    for name, segments in _by_document(given, "the references"):
        if isinstance(segments, (str, bytes)) or not isinstance(segments, Iterable):
            raise StreamError(
                "references are a list of segments, each a text or a list of texts, found "
                f"{type(segments).__name__}; files are read with read_references"
            )
        segments = list(segments)
        _refuse_other_lists(segments)
        texts = (
            segments
            if _all_texts(segments)
            else [_texts(segment, place + k) for k, segment in enumerate(segments, start=1)]
        )
        made = [Segment(own, place=place + k) for k, own in enumerate(texts)]
        place += len(made)
        documents.append(ReferenceDocument(name, tuple(made)))
    return ReferenceSet(tuple(documents))


def _all_texts(segments: list[Any]) -> bool:
    """Whether every segment is a tuple of texts: the common case, told without a loop over it."""
    if set(map(type, segments)) != {tuple} or not all(segments):
        return False
    return set(map(type, chain.from_iterable(segments))) == {str}


def _refuse_other_lists(segments: list[Any]) -> None:
    """Raise StreamError for lists that are not the references of one segment each.

    Few lists that are longer than there are of them look like sacrebleu's layout, one list of
    lines per reference; lists of single words look like tokens. A tuple is always the references
    of one segment.
    """
    if not segments or not all(map(_is_list_of_texts, segments)):
        return
    sizes = set(map(len, segments))
    longest = max(sizes)
    if longest > len(segments) and longest > 1:
        count = f"{longest}" if len(sizes) == 1 else f"up to {longest}"
        raise StreamError(
            f"found {len(segments)} lists of {count} texts: if each list is one reference, as "
            "sacrebleu has them, give list(zip(*references)); if each list is one segment with "
            "several references, give [tuple(one) for one in references]"
        )
    words = all(text is None or len(text.split()) < 2 for own in segments for text in own)
    if words and len(sizes) > 1:
        raise StreamError(
            f"found {len(segments)} lists of single words: a reference is one text, so give "
            '[" ".join(words) for words in references]; references of one word go into tuples'
        )


def _is_list_of_texts(given: Any) -> bool:
    return isinstance(given, list) and all(one is None or isinstance(one, str) for one in given)


def _texts(segment: Any, place: int) -> tuple[str | None, ...]:
    texts = list(segment) if isinstance(segment, (list, tuple)) else [segment]
    if not texts or segment is None or not _is_list_of_texts(texts):
        raise StreamError(
            f"segment {place}: a reference is a text (or None), found {segment!r:.60}"
        )
    if all(text is None for text in texts):
        raise StreamError(f"segment {place} has no reference; an empty segment is an empty text")
    return tuple(texts)


def as_streams(given: Any) -> StreamSet:
    """Return the streams of one system from texts and lists of lines, or as they were read."""
    if isinstance(given, StreamSet):
        return given
    streams = []
    for name, one in _by_document(given, "the hypothesis"):
        if isinstance(one, Stream):
            streams.append(one)
        elif isinstance(one, str):
            streams.append(Stream(name, one))
        elif isinstance(one, Sequence) and all(isinstance(line, str) for line in one):
            lengths = [len(line) + 1 for line in one]
            breaks = tuple(np.cumsum(lengths[:-1]).tolist()) if len(one) > 1 else ()
            streams.append(Stream(name, "\n".join(one), breaks))
        else:
            raise StreamError(
                f"a hypothesis is a text or a list of lines, found {type(one).__name__}"
            )
    return StreamSet(tuple(streams))


def _by_document(given: Any, what: str) -> list[tuple[str | None, Any]]:
    if isinstance(given, Mapping):
        if not given:
            raise StreamError(f"{what} {'are' if what == 'the references' else 'is'} empty")
        return [(str(name), one) for name, one in given.items()]
    return [(None, given)]
