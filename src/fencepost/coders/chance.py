"""Annotators who annotate at random: drawn as columns, and counted like any others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fencepost import _core
from fencepost.coders.annotations import Annotations
from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints
from fencepost.model.pairs import Column, View
from fencepost.model.strings import Strings
from fencepost.statistics.randomness import GOLDEN, Keys, digest, limits, mix

# How annotators would annotate at random, and the coefficients that follow:
#   shuffle        every coder keeps the number of boundaries of every text, at random positions
#                  (kappa); or has the number of any coder of that text (pi)
#   bernoulli      every position is drawn independently: with each coder's own shares of types
#                  (kappa), or with those of all together (pi)
#   uniform        every kind, and none, equally likely (Bennett's S)
#   uniform-kinds  the pooled proportion of none, kinds equally likely (lai2023, section 3.3)
Simulated = Literal["shuffle", "bernoulli", "uniform", "uniform-kinds"]
SIMULATED: tuple[Simulated, ...] = ("shuffle", "bernoulli", "uniform", "uniform-kinds")


@dataclass(frozen=True)
class Null:
    """One way to annotate at random.

    Without ``shares`` positions are shuffled, and ``donors`` means that a coder takes over the
    number of boundaries of any coder. With them every position is drawn: ``shares`` are rows of
    probabilities (none, kind 0, kind 1, ...), ``own`` is the row of each annotation.
    """

    chance: Simulated
    coefficient: str
    donors: bool = False
    shares: Values | None = None
    own: Ints | None = None


def nulls(annotations: Annotations, sees: View, chances: Iterable[Simulated]) -> Iterator[Null]:
    """Yield every null distribution of these chances, with the coefficient it belongs to."""
    for chance in chances:
        if chance == "shuffle":
            yield Null(chance, "kappa")
            yield Null(chance, "pi", donors=True)
        elif chance == "bernoulli":
            yield Null(chance, "kappa", shares=_by_coder(annotations, sees), own=annotations.coder)
            yield _same_for_all(annotations, chance, "pi", _pooled(annotations, sees))
        elif chance == "uniform":
            kinds = _kinds(annotations)
            shares = np.full(kinds + 1, 1 / (kinds + 1))
            yield _same_for_all(annotations, chance, "bennett", shares)
        else:
            none, kinds = _pooled(annotations, sees)[0], _kinds(annotations)
            shares = np.concatenate(([none], np.full(kinds, (1 - none) / kinds)))
            yield _same_for_all(annotations, chance, "modified bennett", shares)


def last_places(annotations: Annotations, sees: View) -> Ints:
    """Return the last position where a boundary is allowed, for each annotation."""
    return annotations.units - (0 if sees == "kinds+end" else 1)


def _kinds(annotations: Annotations) -> int:
    return max(1, len(annotations.vocabulary or ()))


def kinds_by_row(annotations: Annotations) -> Ints:
    """Return how many boundaries of each type every annotation has."""
    column, kinds = annotations.column, _kinds(annotations)
    row = np.repeat(np.arange(len(column)), column.counts)
    kind = 0 if column.kinds is None else column.kinds
    found = np.bincount(row * kinds + kind, minlength=len(column) * kinds)
    return found.reshape(len(column), kinds).astype(np.int64)


def bundle_starts(column: Column) -> tuple[Ints, Ints]:
    """Return the row of every boundary, and which boundaries are the first at their position."""
    row = np.repeat(np.arange(len(column)), column.counts)
    new = (np.diff(column.values, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
    return row, np.flatnonzero(new)


def _by_coder(annotations: Annotations, sees: View) -> Values:
    coders = len(annotations.coders)
    places = last_places(annotations, sees)[:, None]
    cuts = _core.add_rows(kinds_by_row(annotations), annotations.coder, coders)
    given = _core.add_rows(places, annotations.coder, coders)
    shares = cuts / np.maximum(given, 1)
    return np.column_stack((1 - shares.sum(axis=1), shares))


def _pooled(annotations: Annotations, sees: View) -> Values:
    cuts = kinds_by_row(annotations).sum(axis=0)
    shares = cuts / max(1, int(last_places(annotations, sees).sum()))
    return np.concatenate(([1 - shares.sum()], shares))


def _same_for_all(
    annotations: Annotations, chance: Simulated, coefficient: str, shares: Values
) -> Null:
    own = np.zeros(len(annotations), dtype=np.int64)
    return Null(chance, coefficient, shares=shares[None, :], own=own)


# Drawing. A draw is a number of its own for every annotation: others do not change it.


def keys_of(annotations: Annotations, seed: int) -> tuple[Keys, Keys]:
    """Return a key for every annotation; and one for every coder of a text, whatever the stream.

    Coders are told apart by what they did, not by name: other names give the same numbers, and so
    does another name of the file.
    """
    corpus = annotations.corpus
    titles = [corpus.title(text) for text in annotations.texts]
    text = _digests(seed, "text", titles)[annotations.text]
    stream = _digests(seed, "stream", corpus.stream_names)[corpus.stream_codes[annotations.row]]
    whose = mix(mix(text) ^ _coders(annotations)[annotations.coder])
    return mix(whose ^ stream), whose


def _digests(seed: int, what: str, names: Iterable[str]) -> Keys:
    """Return eight bytes for each name."""
    return np.array([digest(repr((seed, what, name)).encode()) for name in names], dtype=np.uint64)


def _coders(annotations: Annotations) -> Keys:
    """Return eight bytes for everything a coder did; the second of two alike gets others."""
    items = _item_names(annotations)
    rank = np.empty(len(items), dtype=np.int64)
    rank[sorted(range(len(items)), key=items.__getitem__)] = np.arange(len(items))
    names = Strings(b"".join(items), np.cumsum([0, *map(len, items)]))
    order = np.lexsort((rank[annotations.item], annotations.coder))
    seen: dict[int, int] = {}
    digests = []
    for rows in np.split(order, np.cumsum(np.bincount(annotations.coder))[:-1]):
        own = names.take(annotations.item[rows])
        did = digest(_content(annotations.column.take(rows), own))
        digests.append(digest(f"{did} {seen.get(did, 0)}".encode()))
        seen[did] = seen.get(did, 0) + 1
    return np.array(digests, dtype=np.uint64)


def _item_names(annotations: Annotations) -> list[bytes]:
    """Return what each text and stream is called, in an unambiguous way."""
    keys = [annotations.key(int(row)) for row in np.unique(annotations.item, return_index=True)[1]]
    return [repr((annotations.corpus.title(key.text), key.stream)).encode() for key in keys]


def _content(column: Column, names: Strings) -> bytes:
    """Return the name, positions and types of every row, row after row."""
    parts = [(np.frombuffer(names.data, dtype=np.uint8), names.offsets)]
    parts.append((column.values.astype("<i8").view(np.uint8), 8 * column.offsets))
    if column.kinds is not None:
        parts.append((column.kinds.astype("<i4").view(np.uint8), 4 * column.offsets))
    sizes = [np.diff(offsets) for _, offsets in parts]
    found = np.empty(sum(len(data) for data, _ in parts), dtype=np.uint8)
    start = np.cumsum(sum(sizes)) - sum(sizes)
    for (data, offsets), size in zip(parts, sizes, strict=True):
        found[np.repeat(start - offsets[:-1], size) + np.arange(len(data))] = data
        start = start + size
    return found.tobytes()


def draw(
    annotations: Annotations, sees: View, null: Null, keys: tuple[Keys, Keys], draws: range
) -> Column:
    """Return all annotations at random, ``len(draws)`` times, one draw after the other."""
    steps = (np.arange(draws.start, draws.stop, dtype=np.uint64) * GOLDEN)[:, None]
    own = (keys[0][None, :] ^ steps).ravel()
    last = np.tile(last_places(annotations, sees), len(draws))
    if null.shares is not None and null.own is not None:
        row = np.tile(null.own, len(draws))
        offsets, values, kinds = _core.random_boundaries(last, row, limits(null.shares), own)
        return Column.own(values, offsets, None if annotations.column.kinds is None else kinds)
    row = np.tile(np.arange(len(annotations)), len(draws))
    if null.donors:
        row = _donors(annotations, keys[1], steps, row)
    return _shuffled(annotations.column.take(row), last, own)


def _donors(annotations: Annotations, whose: Keys, steps: Keys, row: Ints) -> Ints:
    """Return any coder's annotation of the same text instead of each row.

    Coders stand in the order of their keys: neither names nor the file's order matter.
    """
    order = np.lexsort((whose, annotations.item))
    sizes = np.bincount(annotations.item)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    item = annotations.item[row]
    chosen = (mix((whose[None, :] ^ steps).ravel()) >> np.uint64(33)) % sizes[item].astype(
        np.uint64
    )
    return np.asarray(order[starts[item] + chosen.astype(np.int64)])


def _shuffled(column: Column, last: Ints, keys: Any) -> Column:
    """Return as many boundaries at random positions; types at one position stay together."""
    if column.kinds is None:
        return Column.own(_core.random_places(column.offsets, last + 1, keys), column.offsets)
    row, starts = bundle_starts(column)
    bundles = np.diff(np.append(starts, len(row)))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row[starts], minlength=len(column)))))
    places = _core.random_places(offsets, last + 1, keys)
    # Another stream than the places', so that kinds do not follow them.
    order = _core.shuffle_kinds(
        offsets, np.arange(len(starts), dtype=np.int32), keys ^ np.uint64(1)
    )
    sizes = bundles[order]
    ends = np.concatenate(([0], np.cumsum(sizes)))
    within = np.arange(len(row)) - np.repeat(ends[:-1], sizes)
    kinds = column.kinds[np.repeat(starts[order], sizes) + within]
    return Column.own(np.repeat(places, sizes), column.offsets, kinds)
