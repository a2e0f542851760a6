"""Annotators who annotate at random: drawn as columns, and counted like any others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.coders.annotations import Annotations
from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints, MetricError
from fencepost.model.pairs import Column, View
from fencepost.model.strings import Strings
from fencepost.statistics.intervals import t_975
from fencepost.statistics.randomness import GOLDEN, Keys, digest, limits, mix

# How annotators would annotate at random, and the coefficients that follow:
#   sizes          every coder keeps the segment sizes of every text, in random order (kappa); or
#                  has the sizes of another coder of that text (pi)
#   inner-sizes    the same with the sizes between boundaries; what lies before the first and after
#                  the last boundary is split at random
#   shuffle        the same with the number of boundaries, at random positions
#   positions      the same with the number of boundaries, at positions that all coders prefer in
#                  the other texts
#   bernoulli      every position is drawn independently: with each coder's own shares of types
#                  (kappa), or with those of all together (pi)
#   uniform        every kind, and none, equally likely (Bennett's S)
#   uniform-types  the pooled proportion of none, kinds equally likely (lai2023, section 3.3)
Simulated = Literal[
    "sizes", "inner-sizes", "shuffle", "positions", "bernoulli", "uniform", "uniform-types"
]
SIMULATED: tuple[Simulated, ...] = get_args(Simulated)
MAX_UNCHANGED = 0.25  # of annotations that permuted sizes may leave as they are
MIN_TEXTS_FOR_POSITIONS = 20  # whose boundaries show which positions annotators prefer
MIN_TEXTS_FOR_EDGES = 5  # to tell whether texts begin and end like segments
TENTHS = 10  # parts of a text that have one preference each


@dataclass(frozen=True)
class Null:
    """One way to annotate at random.

    ``donors`` means that every coder takes over the sizes, or the number of boundaries, of another
    coder. ``shares`` are rows of probabilities: of the tenths of each text (positions), or of
    (none, kind 0, kind 1, ...) at every position, where ``own`` is the row of each annotation.
    """

    chance: Simulated
    coefficient: str
    donors: bool = False
    shares: Values | None = None
    own: Ints | None = None


def nulls(annotations: Annotations, sees: View, chances: Iterable[Simulated]) -> Iterator[Null]:
    """Yield every null distribution of these chances, with the coefficient it belongs to."""
    for chance in chances:
        if chance in ("sizes", "inner-sizes", "shuffle"):
            yield Null(chance, "kappa")
            yield Null(chance, "pi", donors=True)
        elif chance == "positions":
            shares = _preferences(annotations, sees)
            yield Null(chance, "kappa", shares=shares)
            yield Null(chance, "pi", donors=True, shares=shares)
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


class SizeChance(NamedTuple):
    """The chance that stands for permuted sizes in some data."""

    chance: Simulated
    unchanged: float = 0.0  # share of annotations that it leaves as they are
    why: str | None = None  # it is not "sizes"


def size_chance(annotations: Annotations) -> SizeChance:
    """Return the first of sizes, inner-sizes and shuffle that fits the data.

    All sizes can be exchanged where a text begins and ends like a segment. Where the first and last
    segments are of another length than the others, or where too many annotations have too few
    segments, the sizes between boundaries are permuted; where these are few or all equal, too,
    positions are shuffled. An annotation is unchanged with the probability that a permutation gives
    its own boundaries again; without boundaries it does not count, since no chance changes it.
    """
    sizes = SegmentSizes.of(annotations.column, annotations.units)
    some = annotations.column.counts > 0
    if not some.any():
        return SizeChance("sizes")
    apart = sizes.edges_differ(annotations.text)
    every, inner = (
        float(sizes.unchanged(least)[some].mean()) for least in (None, _least(annotations))
    )
    if every <= MAX_UNCHANGED and not apart:
        return SizeChance("sizes", every)
    stuck = (
        f"permuting all segment sizes would leave {every:.0%} of the annotations as they are (few "
        f"boundaries, or equal segments; at most {MAX_UNCHANGED:.0%} are allowed)"
    )
    if inner > MAX_UNCHANGED:
        return SizeChance("shuffle", 0.0, f"chance shuffles positions: {stuck}")
    if apart:
        stuck = "the first and last segments of texts differ in size from the others"
    why = "chance permutes the sizes between boundaries and splits the rest of a text at random: "
    return SizeChance("inner-sizes", inner, why + stuck)


def _least(annotations: Annotations) -> Ints:
    """Return for each annotation the smallest segment of its coder in any text with boundaries."""
    sizes = SegmentSizes.of(annotations.column, annotations.units)
    row = sizes.row
    several = np.diff(sizes.offsets)[row] > 1
    least = np.full(len(annotations.coders), int(annotations.units.max()))
    np.minimum.at(least, annotations.coder[row[several]], sizes.sizes[several])
    return least[annotations.coder]


def _preferences(annotations: Annotations, sees: View) -> Values:
    """Return for each text how boundaries of the other texts are spread over their tenths."""
    texts = len(annotations.texts)
    if texts < MIN_TEXTS_FOR_POSITIONS:
        raise MetricError(
            f"chance positions needs {MIN_TEXTS_FOR_POSITIONS} texts to find out which positions "
            f"annotators prefer; there are {texts}. Use the chance sizes"
        )
    row = np.repeat(np.arange(len(annotations)), annotations.column.counts)
    last = last_places(annotations, sees)[row]
    tenth = (annotations.column.values.astype(np.int64) - 1) * TENTHS // last
    code = annotations.text[row] * TENTHS + tenth
    found = np.bincount(code, minlength=texts * TENTHS).reshape(texts, TENTHS)
    others = found.sum(axis=0) - found + 0.5
    return np.asarray(others / others.sum(axis=1, keepdims=True))


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
    shares = np.tile(annotations.text if null.own is None else null.own, len(draws))
    if null.shares is not None and null.chance != "positions":
        offsets, values, kinds = _core.random_boundaries(last, shares, limits(null.shares), own)
        return Column.own(values, offsets, None if annotations.column.kinds is None else kinds)
    row = np.tile(np.arange(len(annotations)), len(draws))
    if null.donors:
        row = _donors(annotations, keys[1], steps)
    column = annotations.column.take(row)
    if null.chance in ("sizes", "inner-sizes"):
        least = _least(annotations)[row] if null.chance == "inner-sizes" else None
        sizes = SegmentSizes.of(column, np.tile(annotations.units, len(draws)))
        return _with_types(column, lambda _: sizes.permuted(own, least), own)
    if null.shares is None:
        return _with_types(column, lambda at: _core.random_places(at, last + 1, own), own)
    part = limits(null.shares)
    return _with_types(
        column, lambda at: _core.preferred_places(at, last + 1, shares, part, own), own
    )


def _donors(annotations: Annotations, whose: Keys, steps: Keys) -> Ints:
    """Return, draw after draw, another coder's annotation of the same text for each row.

    In each draw the coders of a text form a random circle, and each takes over from the next: none
    from itself, and no two from the same coder, who would agree with itself.
    """
    draws, rows = len(steps), len(annotations)
    item = (np.arange(draws)[:, None] * (annotations.item.max() + 1) + annotations.item).ravel()
    order = np.lexsort((mix((whose[None, :] ^ steps).ravel()), item))
    first = np.flatnonzero(np.diff(item[order], prepend=-1))
    after = np.arange(1, draws * rows + 1)
    after[np.append(first[1:], draws * rows) - 1] = first
    donors = np.empty(draws * rows, dtype=np.int64)
    donors[order] = order[after]
    return donors % rows


@dataclass(frozen=True)
class SegmentSizes:
    """The segment sizes of many rows, one row after the other."""

    sizes: Ints
    offsets: Ints
    last_open: npt.NDArray[np.bool_]  # rows whose last segment ends without a boundary

    @classmethod
    def of(cls, column: Column, units: Ints) -> SegmentSizes:
        """Return the sizes; boundaries of several types at one position are one."""
        row, starts = bundle_starts(column)
        row, places = row[starts], column.values[starts].astype(np.int64)
        cuts = np.bincount(row, minlength=len(column))
        marked = np.bincount(row, weights=places == units[row], minlength=len(column)) > 0
        offsets = np.concatenate(([0], np.cumsum(cuts + ~marked)))
        ends = np.repeat(units, np.diff(offsets))
        ends[np.arange(len(row)) + (offsets[:-1] - np.cumsum(cuts) + cuts)[row]] = places
        before = np.concatenate(([0], ends[:-1]))
        before[offsets[:-1]] = 0
        return cls(ends - before, offsets, ~marked)

    @property
    def row(self) -> Ints:
        """The row of each size."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def _edges(self) -> tuple[Ints, Ints, Ints]:
        """Rows with an open end and a boundary; their first and their last size."""
        rows = np.flatnonzero(self.last_open & (np.diff(self.offsets) > 1))
        return rows, self.offsets[rows], self.offsets[rows + 1] - 1

    def permuted(self, keys: Keys, least: Ints | None = None) -> Ints:
        """Return the boundaries between the same segments in random order, row after row.

        With ``least``, the size of each row's smallest possible segment, the first and the last
        size of a row share what they have together, and only sizes between them are exchanged.
        """
        row, sizes, moved = self.row, self.sizes.copy(), np.ones(len(self.sizes), dtype=bool)
        if least is not None:
            rows, first, last = self._edges
            moved[first] = moved[last] = False
            both, least = sizes[first] + sizes[last], least[rows]
            room = np.maximum(both - 2 * least + 1, 1).astype(np.uint64)
            # Another stream than that of the order.
            drawn = (mix(keys[rows] ^ np.uint64(2)) >> np.uint64(11)) % room
            sizes[first] = least + drawn.astype(np.int64)
            sizes[last] = both - sizes[first]
        offsets = np.concatenate(([0], np.cumsum(moved)))[self.offsets]
        every = np.arange(offsets[-1], dtype=np.int32)
        sizes[moved] = sizes[moved][_core.shuffle_kinds(offsets, every, keys)]
        ends = np.cumsum(sizes)
        starts = np.concatenate(([0], ends))[self.offsets[:-1]]
        inner = np.ones(len(ends), dtype=bool)
        inner[self.offsets[1:][self.last_open] - 1] = False
        return np.asarray((ends - starts[row])[inner])

    def unchanged(self, least: Ints | None = None) -> Values:
        """Return for each row the probability that ``permuted`` gives the same boundaries."""
        row, moved = self.row, np.ones(len(self.sizes), dtype=bool)
        shift = np.zeros(len(self.offsets) - 1)
        if least is not None:
            rows, first, last = self._edges
            moved[first] = moved[last] = False
            both = self.sizes[first] + self.sizes[last]
            shift[rows] = np.log(np.maximum(both - 2 * least[rows] + 1, 1))
        row, sizes = row[moved], self.sizes[moved]
        order = np.lexsort((sizes, row))
        row, sizes = row[order], sizes[order]
        new = (np.diff(sizes, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
        runs = np.diff(np.append(np.flatnonzero(new), len(row)))
        counts = np.bincount(row, minlength=len(shift))
        factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, counts.max() + 1)))))
        same = np.bincount(row[new], weights=factorials[runs], minlength=len(shift))
        return np.asarray(np.exp(same - factorials[counts] - shift))

    def edges_differ(self, text: Ints) -> bool:
        """Return whether first and last sizes are longer or shorter than others, at the 5% level.

        Student's t over texts, because the annotators of a text do not differ independently.
        """
        rows, first, last = self._edges
        count = np.diff(self.offsets)
        mean = np.add.reduceat(self.sizes, self.offsets[:-1]) / count
        away = self.sizes[first] + self.sizes[last] - 2 * mean[rows]
        by_text = np.bincount(text[rows], weights=away, minlength=int(text.max()) + 1)
        texts = int((np.bincount(text[rows]) > 0).sum())
        if texts < MIN_TEXTS_FOR_EDGES or not by_text.any():
            return False
        return bool(abs(by_text.sum()) > t_975(texts - 1) * math.sqrt(float((by_text**2).sum())))


def _with_types(column: Column, places: Callable[[Ints], Ints], keys: Keys) -> Column:
    """Return a column with other positions; types at one position stay together.

    ``places`` gets the offsets of positions and returns new ones for all rows.
    """
    if column.kinds is None:
        return Column.own(places(column.offsets), column.offsets)
    row, starts = bundle_starts(column)
    bundles = np.diff(np.append(starts, len(row)))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row[starts], minlength=len(column)))))
    # Another stream than the places', so that kinds do not follow them.
    order = _core.shuffle_kinds(
        offsets, np.arange(len(starts), dtype=np.int32), keys ^ np.uint64(1)
    )
    sizes = bundles[order]
    ends = np.concatenate(([0], np.cumsum(sizes)))
    within = np.arange(len(row)) - np.repeat(ends[:-1], sizes)
    kinds = column.kinds[np.repeat(starts[order], sizes) + within]
    return Column.own(np.repeat(places(offsets), sizes), column.offsets, kinds)
