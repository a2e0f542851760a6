"""What callers give for one side of a comparison, read as rows: text, speaker, annotator, sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from fencepost.model.checks import SegmentationError, table_name
from fencepost.model.segmentation import Segmentation


class Given(NamedTuple):
    """One segmentation as it was given: whose it is, and segment sizes or a Segmentation."""

    text: str
    stream: str  # "" for a text with one speaker
    coder: str
    value: Any  # not checked yet


def rows(given: Any, name: str) -> Iterator[Given]:
    """Yield the segmentations of what ``fp.score`` takes for one side, in the order given.

    ``given`` is a mapping ``{text: value}`` or ``{(text, stream): value}``, a pandas Series with
    texts as its index, a list of texts (called "1", "2", ...), or a single segmentation (text
    "1"). A value is one segmentation, ``{coder: segmentation}``, or a list of segmentations
    (coders "1", "2", ...).

    >>> [tuple(row) for row in rows({"d1": {"anna": [5, 5], "ben": [4, 6]}, "d2": [7]}, "texts")]
    [('d1', '', 'anna', [5, 5]), ('d1', '', 'ben', [4, 6]), ('d2', '', '1', [7])]
    """
    for key, value in _texts(given, name):
        text, stream = _text_and_stream(key)
        if isinstance(value, Segmentation) or is_sizes(value):
            yield Given(text, stream, "1", value)
            continue
        refuse_table(value, f"text {text}")
        for coder, one in _by_coder(value):
            yield Given(text, stream, str(coder), one)


def is_sizes(given: Any) -> bool:
    """Return whether this is a flat column of numbers: the segment sizes of one text."""
    if isinstance(given, (list, tuple)):  # the first is enough: checks look at all of them
        return not given or isinstance(given[0], (int, float, np.number))
    if isinstance(given, np.ndarray):
        return given.ndim == 1 and given.dtype != object
    if hasattr(given, "to_numpy") and not table_name(given):
        values = given.to_numpy()
        return is_sizes(values) or (len(values) > 0 and is_sizes(values[:1].tolist()))
    return False


def items_of(given: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return keys with their values of a mapping or a column with an index; otherwise None."""
    if isinstance(given, Mapping):
        return given.items()
    with_index = hasattr(given, "index") or hasattr(given, "keys")
    if not with_index or not callable(getattr(given, "items", None)):
        return None
    if table_name(given) or is_sizes(given):
        return None
    return given.items()  # type: ignore[no-any-return]  # a pandas Series, for one


def holds_texts(given: Any) -> bool:
    """Return whether this can be all texts of a system: a mapping or a list of segmentations."""
    if isinstance(given, (list, tuple)):
        return bool(given) and not is_sizes(given)
    return bool(table_name(given)) or items_of(given) is not None


def _texts(given: Any, name: str) -> Iterable[tuple[Any, Any]]:
    """Return the texts by name; texts of a list are numbered from 1."""
    refuse_table(given, name)
    by_name = items_of(given)
    if by_name is not None:
        return by_name
    if isinstance(given, Segmentation) or (is_sizes(given) and len(given)):
        return [("1", given)]
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise SegmentationError(
            f"{name}: give a dict {{text: sizes}}, a list of segmentations or a Corpus, found "
            f"{type(given).__name__}; files are read with fp.read"
        )
    return ((str(number), one) for number, one in enumerate(given, start=1))


def _by_coder(value: Any) -> Iterable[tuple[Any, Any]]:
    by_name = items_of(value)
    if by_name is not None:
        return by_name
    if isinstance(value, (list, tuple)):
        return ((str(number), one) for number, one in enumerate(value, start=1))
    return [("1", value)]


def _text_and_stream(key: Any) -> tuple[str, str]:
    if not isinstance(key, tuple):
        return str(key), ""
    if len(key) != 2:
        raise SegmentationError(f"a text is named by its id or by (id, speaker), found {key!r}")
    return str(key[0]), str(key[1])


_RIGHT_CALL = {
    "pandas": "give one column per side, with the texts as its index: "
    "frame.set_index('text')['sizes']",
    "polars": "read a DataFrame (of a LazyFrame: frame.collect()) with fp.Corpus.from_arrow(frame)",
    "pyarrow": "read a whole table with fp.Corpus.from_arrow(table)",
}


def refuse_table(given: Any, name: str) -> None:
    """Raise SegmentationError for a frame or an Arrow column, with the call that reads it."""
    found = table_name(given)
    if found:
        library = type(given).__module__.partition(".")[0]
        raise SegmentationError(
            f"{name}: found {found}, expected segmentations by text; {_RIGHT_CALL[library]}"
        )
