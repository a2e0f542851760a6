"""Corpora as Arrow tables, which share the memory of their cuts, and back as checked copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fencepost.model.checks import (
    Ints,
    SegmentationError,
    Weights,
    as_integers,
    as_weights,
    check_columns,
    check_weights,
)
from fencepost.model.corpus import ONLY, Corpus
from fencepost.model.pairs import NO_KINDS, Column, merge_vocabularies
from fencepost.model.source import Source
from fencepost.model.strings import Strings
from fencepost.wording import listed, needs

if TYPE_CHECKING:
    import pyarrow

NEEDED = ("text", "units", "cuts")
KNOWN = ("text", "stream", "coder", "units", "cuts", "kinds", "weights")


def table_of(corpus: Corpus) -> pyarrow.Table:
    """Return the columns text, stream, coder, units and cuts, and kinds and weights if any."""
    arrow = needs("pyarrow", "to_arrow")
    if corpus.is_mixed:
        raise SegmentationError(
            "some segmentations have boundary types and others have none; a table has one sort of "
            "column: choose the coders that have types, or corpus.view('positions')"
        )
    columns: dict[str, Any] = {
        "text": _names(arrow, corpus.text_codes, corpus.text_names),
        "stream": _names(arrow, corpus.stream_codes, corpus.stream_names),
        "coder": _names(arrow, corpus.coder_codes, corpus.coder_names),
        "units": arrow.array(corpus.units),
        "cuts": _lists(arrow, corpus.column.offsets, arrow.array(corpus.column.values)),
    }
    if corpus.column.kinds is not None:
        names = arrow.array(corpus.vocabulary)
        kinds = arrow.DictionaryArray.from_arrays(arrow.array(corpus.column.kinds), names)
        columns["kinds"] = _lists(arrow, corpus.column.offsets, kinds)
    if corpus.column.weights is not None:
        weights = arrow.array(corpus.column.weights)
        columns["weights"] = _lists(arrow, corpus.column.offsets, weights)
    return arrow.table(columns)


def _names(arrow: Any, codes: Ints, names: Strings) -> Any:
    """Names as a dictionary: each is written once, rows hold its number."""
    numbers = arrow.array(np.ascontiguousarray(codes, dtype=np.int32))
    return arrow.DictionaryArray.from_arrays(numbers, arrow.array(list(names), arrow.string()))


def _lists(arrow: Any, offsets: Ints, values: Any) -> Any:
    return arrow.LargeListArray.from_arrays(arrow.array(offsets), values)


def corpus_of(table: Any, name: str) -> Corpus:
    """Return the corpus of a table with columns text, units and cuts."""
    arrow = needs("pyarrow", "from_arrow")
    given = table if isinstance(table, arrow.Table) else arrow.table(table)
    lacking = [column for column in NEEDED if column not in given.column_names]
    if lacking:
        raise SegmentationError(
            f"{name}: a table of segmentations has the columns text, units and cuts (and stream, "
            f"coder, kinds, weights if need be); {listed(lacking)} is not there, but "
            f"{listed(given.column_names, 8)}"
        )
    parts = {column: _one_piece(arrow, given, column) for column in KNOWN
             if column in given.column_names}  # fmt: skip
    for column, part in parts.items():
        if part.null_count:
            row = part.is_null().to_pylist().index(True)
            raise SegmentationError(f"{name}: {column} of row {row + 1} is null")
    values, offsets = _flat(arrow, parts["cuts"], "cuts", name)
    units = as_integers(parts["units"].to_numpy(zero_copy_only=False), "units")
    kinds, vocabulary = _kinds(arrow, parts.get("kinds"), values, offsets, name)
    texts = _codes(parts["text"])
    check_columns(
        values, offsets, units, kinds, len(vocabulary or ()),
        lambda row: f"{name}, row {row + 1}",
    )  # fmt: skip
    weights = _weights(arrow, parts.get("weights"), offsets, name)
    check_weights(weights, values, offsets, lambda row: f"{name}, row {row + 1}")
    corpus = Corpus(
        Column(values, offsets, kinds, weights),
        units,
        texts=texts,
        streams=_codes(parts["stream"]) if "stream" in parts else None,
        coders=_codes(parts["coder"]) if "coder" in parts else None,
        vocabulary=vocabulary,
        source=Source(name=name, format="arrow", field="cuts"),
    )
    _check_once(corpus)
    return corpus


def _one_piece(arrow: Any, table: Any, column: str) -> Any:
    """A column in one piece; only a column in several is copied."""
    found = table.column(column)
    return (
        found.chunk(0)
        if found.num_chunks == 1
        else arrow.concat_arrays(found.chunks or [arrow.array([], found.type)])
    )


def _flat(arrow: Any, lists: Any, column: str, name: str) -> tuple[Any, Ints]:
    """The values of a list column and where each row begins, from 0."""
    if not (arrow.types.is_list(lists.type) or arrow.types.is_large_list(lists.type)):
        raise SegmentationError(f"{name}: {column} must hold lists, found {lists.type}")
    values = lists.flatten()
    offsets = lists.offsets.to_numpy().astype(np.int64)
    if column != "cuts":
        return values, offsets - offsets[0]
    if not arrow.types.is_integer(values.type) or values.null_count:
        raise SegmentationError(f"{name}: cuts must be whole numbers, found {values.type}")
    numbers = values.to_numpy(zero_copy_only=values.type in (arrow.int32(), arrow.int64()))
    if numbers.dtype not in (np.int32, np.int64):
        numbers = as_integers(numbers, "cuts")
    return numbers, offsets - offsets[0]


def _kinds(
    arrow: Any, lists: Any, cuts: Any, offsets: Ints, name: str
) -> tuple[Any, tuple[str, ...] | None]:
    """The numbers of the boundary types beside the cuts, and their names."""
    if lists is None:
        return None, None
    values, own = _flat(arrow, lists, "kinds", name)
    if not np.array_equal(own, offsets):
        row = int(np.argmax(np.diff(own) != np.diff(offsets)))
        raise SegmentationError(f"{name}: row {row + 1} needs one kind for each of its boundaries")
    coded = values if arrow.types.is_dictionary(values.type) else values.dictionary_encode()
    if coded.null_count:
        row = int(np.searchsorted(own, coded.is_null().to_pylist().index(True), side="right"))
        raise SegmentationError(f"{name}: a kind of row {row} is null; every boundary needs a kind")
    listed_names = [str(one) for one in coded.dictionary.to_pylist()]
    names = merge_vocabularies([listed_names])
    number = np.array([names.index(one) for one in listed_names], dtype=np.int32)
    kinds = number[coded.indices.to_numpy(zero_copy_only=False)] if len(coded) else NO_KINDS
    # Types of one cut may come in any order: a dictionary has the first type met first.
    starts = np.ones(len(kinds), dtype=bool)
    starts[1:] = np.diff(cuts) != 0
    starts[offsets[:-1][np.diff(offsets) > 0]] = True
    return kinds[np.lexsort((kinds, np.cumsum(starts)))], names


def _weights(arrow: Any, lists: Any, offsets: Ints, name: str) -> Weights | None:
    """The weights beside the cuts."""
    if lists is None:
        return None
    values, own = _flat(arrow, lists, "weights", name)
    if not np.array_equal(own, offsets):
        row = int(np.argmax(np.diff(own) != np.diff(offsets)))
        raise SegmentationError(
            f"{name}: row {row + 1} needs one weight for each of its boundaries"
        )
    if not arrow.types.is_floating(values.type) or values.null_count:
        raise SegmentationError(f"{name}: weights must be numbers, found {values.type}")
    return as_weights(values.to_numpy(), f"{name}: weights")


def _codes(strings: Any) -> tuple[Ints, Strings]:
    """A number for each name, in the order names are first met."""
    return Strings.of(str(one) for one in strings.to_pylist()).codes()


def _check_once(corpus: Corpus) -> None:
    """Refuse two rows for the same text, stream and coder."""
    width = len(corpus.coder_names)
    codes = corpus.item_codes.astype(np.int64) * width + corpus.coder_codes
    found, first = np.unique(codes, return_index=True)
    if len(found) < len(codes):
        row = int(np.setdiff1d(np.arange(len(codes)), first)[0])
        key = corpus.key(row)
        by = "" if key.coder == ONLY else f" by {key.coder}"
        raise SegmentationError(f"{corpus.name}, row {row + 1}: {key.text}{by} is given twice")
