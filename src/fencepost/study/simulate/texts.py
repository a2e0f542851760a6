"""Made-up texts as corpora, and references with segments of random sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import Ints, Kinds, Positions, offsets_of, owned
from fencepost.model.corpus import ONLY, Corpus
from fencepost.model.pairs import Column
from fencepost.model.source import Source
from fencepost.model.strings import Strings
from fencepost.study.simulate.randomness import (
    SEED,
    Draws,
    SimulationError,
    Values,
    check,
    check_number,
)
from fencepost.study.simulate.sizes import Sizes, sizes_of

Mask = npt.NDArray[np.bool_]


def made_corpus(
    column: Column,
    units: Ints,
    vocabulary: tuple[str, ...] | None = None,
    coders: Sequence[str] = (ONLY,),
    names: Strings | None = None,
) -> Corpus:
    """Return columns that were made here as a corpus; the coders of a text stand together."""
    texts = len(units) // len(coders)
    every = np.arange(texts, dtype=np.int64), np.arange(len(coders), dtype=np.int64)
    return Corpus(
        column,
        owned(units),
        texts=(np.repeat(every[0], len(coders)), names or Strings.numbers(texts)),
        coders=(np.tile(every[1], texts), Strings.of(coders)),
        vocabulary=vocabulary,
        source=Source(name="simulated"),
    )


def one_each(source: Any) -> Corpus:
    """Return a corpus with one segmentation for each text, or raise SimulationError."""
    corpus = Corpus.from_given(source, "the reference")
    if not len(corpus):
        raise SimulationError(f"{corpus.name} holds no segmentations")
    if len(corpus.coder_names) > 1:
        raise SimulationError(
            f"one segmentation per text is needed, and {corpus.name} has "
            f"{len(corpus.coder_names)} coders; choose one of them"
        )
    if corpus.has_streams:
        raise SimulationError(f"{corpus.name} has several speakers per text, who are not simulated")
    if corpus.is_mixed:
        raise SimulationError("some texts have boundary types and others have none")
    return corpus


class Block(NamedTuple):
    """Some rows of a corpus: their cuts and units."""

    column: Column
    units: Ints

    @classmethod
    def repeated(cls, corpus: Corpus, copies: int) -> Block:
        """Return every row several times, one after the other."""
        rows = np.repeat(np.arange(len(corpus)), copies)
        return cls(corpus.column.take(rows), corpus.units[rows])


def flat(offsets: Ints) -> tuple[Ints, Ints]:
    """The row of each value, and its number in the row."""
    counts = np.diff(offsets)
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(offsets[:-1], counts)


def kept_of(values: Positions, keep: Mask, offsets: Ints) -> Column:
    """A column without the values that are not kept."""
    return Column.own(values[keep], offsets_of(keep)[offsets])


def codes_of(row: Ints, place: Positions, units: Ints, kinds: int = 1) -> tuple[Ints, int]:
    """Row and place as one number, in the same order."""
    stride = int(units.max(initial=0)) + 1
    if stride * (len(units) + 1) * kinds >= 2**62:
        raise SimulationError(
            f"{len(units)} texts of up to {stride - 1} units are too many at once; make them in "
            "parts"
        )
    return np.asarray(row * stride + place), stride


def sorted_column(row: Ints, place: Ints, units: Ints) -> Column:
    """A column from cuts in any order; a place named twice is one cut."""
    codes, stride = codes_of(row, place, units)
    rows, places = np.divmod(np.unique(codes), stride)
    return Column.own(places, offsets_of(np.bincount(rows, minlength=len(units))))


def segments_of(column: Column, units: Ints) -> tuple[Ints, Ints, Ints]:
    """Row, start and end of every segment; the segments of a text stand together."""
    counts = column.counts
    row, _ = flat(column.offsets)
    ends = np.empty(len(column.values) + len(units), dtype=np.int64)
    ends[np.arange(len(row)) + row] = column.values
    last = column.offsets[1:] + np.arange(len(units))
    ends[last] = units
    starts = np.empty_like(ends)
    starts[1:] = ends[:-1]
    starts[column.offsets[:-1] + np.arange(len(units))] = 0
    return np.repeat(np.arange(len(units)), counts + 1), starts, ends


# References.


def references(
    texts: int = 1,
    *,
    sizes: Any = "uniform:15-35",
    segments: int | None = None,
    units: int | None = None,
    types: Mapping[str, float] | Sequence[str] | None = None,
    seed: int = SEED,
) -> Corpus:
    """References with segments of random sizes, each drawn independently.

    ``sizes`` is :func:`uniform`, :func:`geometric`, :func:`fixed` or :func:`given`, or the same
    in words (``"uniform:15-35"``, both ends included; a list is drawn from). ``segments`` is the
    number of segments of a text; with ``units`` its length is given instead, and its last segment
    ends there. ``types`` gives every boundary a type, by weight: ``{"comma": 3, "period": 1}``; a
    list gives all the same.

    >>> from fencepost import simulate
    >>> simulate.references(2, sizes="uniform:2-9", segments=5, seed=7).units.tolist()
    [30, 32]
    >>> simulate.references(1, sizes="fixed:4", units=10).segmentation(0)
    Segmentation(units=10, cuts=[4, 8])
    """
    check("references", texts=texts, segments=segments, units=units)
    number, chosen = int(texts), sizes_of(sizes)
    if (segments is None) == (units is None):
        raise SimulationError("a text has so many segments or so many units: give one of the two")
    each = float(segments) if segments is not None else float(units or 0) / chosen.mean
    check_number("segments", number * max(each, 1))
    draws = Draws.of(seed, "references", number)
    if segments is not None:
        offsets = np.arange(number + 1, dtype=np.int64) * int(segments)
        masses = chosen.draw(draws.uniform("size", *flat(offsets)))
        column, lengths = Column.from_masses(masses, offsets)
    else:
        lengths = np.full(number, int(units or 0), dtype=np.int64)
        column = _until(lengths, chosen, draws)
    if types is None:
        return made_corpus(column, lengths)
    names, weights = _weights(types)
    drawn = choose(draws.uniform("kind", *flat(column.offsets)), weights)
    return made_corpus(Column.own(column.values, column.offsets, drawn), lengths, names)


def _until(units: Ints, sizes: Sizes, draws: Draws) -> Column:
    """Segments until every text is full."""
    block = int(1.25 * int(units[0]) / sizes.mean) + 16
    parts: list[Ints] = []
    done = np.zeros(len(units), dtype=np.int64)
    while (done < units).any():
        first = block * len(parts)
        row = np.repeat(np.arange(len(units)), block)
        number = np.tile(np.arange(first, first + block), len(units))
        drawn = sizes.draw(draws.uniform("size", row, number)).reshape(len(units), block)
        parts.append(done[:, None] + np.cumsum(np.minimum(drawn, units[:, None]), axis=1))
        done = parts[-1][:, -1]
    ends = np.concatenate(parts, axis=1)
    inside = ends < units[:, None]
    return Column.own(ends[inside], offsets_of(inside.sum(axis=1)))


def _weights(types: Mapping[str, float] | Sequence[str]) -> tuple[tuple[str, ...], Values]:
    weights = dict(types) if isinstance(types, Mapping) else dict.fromkeys(types, 1.0)
    values = np.array(list(weights.values()), dtype=np.float64)
    whole = not isinstance(types, (str, bytes)) and all(isinstance(one, str) for one in weights)
    if not whole or not len(values) or not np.isfinite(values).all() or (values < 0).any():
        raise SimulationError(f"types are names with weights from 0 up, found {types!r}")
    if not values.sum():
        raise SimulationError("at least one boundary type needs a weight above 0")
    return tuple(weights), values / values.sum()


def choose(drawn: Values, shares: Values) -> Kinds:
    """An index for each number, as likely as its share."""
    limits = np.cumsum(shares)[:-1]
    return np.searchsorted(limits, drawn, side="right").astype(np.int32)
