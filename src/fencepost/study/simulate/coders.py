"""Coders who cut at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fencepost import _core
from fencepost.model.checks import offsets_of
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Column
from fencepost.study.simulate.noise import bernoulli
from fencepost.study.simulate.randomness import (
    SEED,
    Draws,
    SimulationError,
    check,
    check_number,
)
from fencepost.study.simulate.texts import Block, made_corpus, one_each


def coders(
    texts: int = 1,
    *,
    units: int,
    coders: int = 5,
    rate: float | Sequence[float] | None = None,
    boundaries: int | Sequence[int] | None = None,
    seed: int = SEED,
) -> Corpus:
    """Return annotators who set boundaries at random: with a ``rate``, or a number of them.

    ``rate`` is the probability of a boundary at every position. Both are one value for all
    annotators, or one for each. Positions are independent of each other, of other annotators and of
    the text; with ``boundaries`` all sets of that number of positions are equally likely.

    >>> from fencepost import simulate
    >>> found = simulate.coders(2, units=100, coders=3, boundaries=[4, 5, 6])
    >>> found, found.column.counts.tolist()
    (<Corpus of 2 texts, 3 coders, 6 segmentations>, [4, 5, 6, 4, 5, 6])
    """
    check("coders", texts=texts, units=units, coders=coders, rate=rate, boundaries=boundaries)
    number, size, people = int(texts), int(units), int(coders)
    if (rate is None) == (boundaries is None):
        raise SimulationError(
            "random annotators have a rate or a number of boundaries: give one of the two"
        )
    check_number("segmentations", number * people)
    draws = Draws.of(seed, "coders", number, people)
    lengths = np.full(number * people, size, dtype=np.int64)
    names = tuple(f"random {i}" for i in range(1, people + 1))
    if rate is not None:
        rates = [float(one) for one in _for_each("rate", rate, people)]
        check_number("boundaries", number * size * sum(rates))
        row, places, _ = bernoulli(lengths, np.tile(rates, number)[:, None], draws.keys)
        column = Column.own(places, offsets_of(np.bincount(row, minlength=len(lengths))))
    else:
        wanted = [int(one) for one in _for_each("boundaries", boundaries, people)]
        check_number("boundaries", number * sum(wanted))
        if max(wanted) > size - 1:
            raise SimulationError(
                f"{max(wanted)} boundaries do not fit: a text of {size} units has {size - 1} "
                "positions"
            )
        offsets = offsets_of(np.tile(np.array(wanted, dtype=np.int64), number))
        column = Column.own(_core.random_places(offsets, lengths, draws.keys), offsets)
    return made_corpus(column, lengths, coders=names)


def _for_each(name: str, value: Any, people: int) -> list[Any]:
    several = isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
    values = list(value) if several else [value] * people
    if len(values) != people:
        raise SimulationError(f"{people} coders need as many values of {name}, found {len(values)}")
    return values


def shuffled(source: Any, *, copies: int = 1, seed: int = SEED) -> Corpus:
    """The same numbers of boundaries at random positions, ``copies`` times for each row.

    >>> from fencepost import simulate
    >>> again = simulate.shuffled({"a": [5, 5, 5], "b": [20]}, copies=2)
    >>> again.column.counts.tolist()
    [2, 2, 0, 0]
    """
    texts = one_each(source)
    check("errors", copies=copies)
    many = Block.repeated(texts, copies)
    return made_corpus(_shuffled(texts, many, copies, seed), many.units)


def shuffled_corpus(corpus: Corpus, *, seed: int = SEED) -> Corpus:
    """All segmentations of a corpus with their numbers of boundaries at random positions.

    >>> from fencepost import Corpus, simulate
    >>> corpus = Corpus.from_dict({"a": {"x": [5, 5, 5], "y": [15]}, "b": {"x": [8, 2]}})
    >>> again = simulate.shuffled_corpus(corpus)
    >>> {key.text + key.coder: len(seg.cuts) for key, seg in again.entries.items()}
    {'ax': 2, 'ay': 0, 'bx': 1}
    """
    if not len(corpus):
        raise SimulationError(f"{corpus.name} holds no segmentations")
    drawn = _shuffled(corpus, Block.repeated(corpus, 1), 1, seed)
    return corpus.with_cuts(drawn).described(file="", lines=None, places=None)


def _shuffled(corpus: Corpus, rows: Block, copies: int, seed: int) -> Column:
    if corpus.vocabulary is not None:
        raise SimulationError("positions of boundaries with types are not shuffled here")
    draws = Draws.of(seed, "shuffled", len(corpus), copies)
    offsets = rows.column.offsets
    return Column.own(_core.random_places(offsets, rows.units, draws.keys), offsets)
