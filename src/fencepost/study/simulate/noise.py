"""Copies of references with errors: those of the papers, and those of boundaries with kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fencepost import _core
from fencepost.model.checks import Ints, Kinds, offsets_of
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Column, Pairs
from fencepost.statistics.randomness import Keys, limits
from fencepost.study.simulate.randomness import (
    SEED,
    Draws,
    SimulationError,
    Values,
    below,
    check,
    check_number,
    normal,
)
from fencepost.study.simulate.texts import (
    Block,
    Mask,
    codes_of,
    flat,
    kept_of,
    one_each,
    segments_of,
    sorted_column,
)

MODELS = {
    "FN": "each boundary is missed",
    "FP1": "in each segment an extra boundary, at any inner position",
    "FP2": "for each boundary an extra one, at a normally distributed distance",
    "FP3": "extra boundaries anywhere in the text, as many as p times its segments",
    "FNP1": "FN and FP1",
    "FNP2": "FN and FP2",
    "FNP3": "FN and FP3",
    "FP4": "in each segment an extra boundary, at a normally distributed distance from one of "
    "its ends",
    "FNP4": "FN and FP4",
    "NM": "near misses: each boundary is moved by 1 to distance units",
    "FPN": "each boundary gets an extra one beside it, 1 to distance units away",
}
ALIASES = {"FP": "FP1", "FNP": "FNP1"}
CUTS_PER_BLOCK = 2**15  # cuts at a time


def errors(
    reference: Any,
    model: str = "FNP1",
    p: float = 0.5,
    *,
    copies: int = 1,
    spread: float = 0.25,
    distance: int = 1,
    seed: int = SEED,
) -> Pairs:
    """Hypotheses with random errors, each made with probability ``p``, beside their references.

    The models of pevzner2002, section 4: FN drops boundaries; FP1 puts a false boundary into a
    segment, at any position strictly inside it; FP2 puts one near a true boundary, at least one
    position away. Its distance is normally distributed, and the standard deviation is ``spread``
    times the mean size of the two segments there (the paper says no more than "the segment size").
    FP3 draws every position without a boundary with probability p * segments / units. FP4 is
    another reading of FP2, which fits Table 3 of the paper better: one false boundary for a
    segment, from either of its ends to either side, never on a true one. Its standard deviation is
    ``spread`` times the size of this segment. FNP1 to FNP4 drop boundaries too. Table 1 of both
    papers calls FP1 and FNP1 FP and FNP; fournier2012 uses no others. NM and FPN are near misses
    and false boundaries at the same ``distance`` (pevzner2002, section 4.3).

    The rows are ``copies`` hypotheses for the first reference, then for the second, and so on.

    >>> from fencepost import simulate
    >>> pairs = simulate.errors({"a": [5, 5, 5]}, "FN", p=1.0, copies=2)
    >>> len(pairs), pairs.ref.values.tolist(), pairs.hyp.values.tolist()
    (2, [5, 10, 5, 10], [])
    >>> simulate.errors([[9, 9]], "NM", p=1.0, distance=3, seed=1).hyp.values.tolist()
    [6]
    """
    model = ALIASES.get(model, model)
    if model not in MODELS:
        raise SimulationError(f"no error model {model!r}; there are {', '.join(MODELS)}")
    check("errors", p=p, spread=spread, distance=distance, copies=copies)
    made = Model(model, float(p), float(spread), int(distance))
    return spoil(one_each(reference), made, int(copies), seed)


@dataclass(frozen=True)
class Model:
    """An error model of ``MODELS`` and its settings.

    With ``exact`` every text has the same share of errors, rounded to a whole number from 1 up,
    instead of errors that are each made with probability ``p`` (all models but FP3).
    """

    name: str
    p: float
    spread: float = 0.25
    distance: int = 1
    exact: bool = False

    def chosen(self, drawn: Values, row: Ints, possible: Mask | bool = True) -> Mask:
        """Which of the things that are possible become errors; ``row`` is the text of each."""
        if not self.exact:
            return np.asarray((drawn < self.p) & possible)
        order = np.lexsort((drawn, ~np.broadcast_to(possible, drawn.shape), row))
        counts = np.bincount(row)
        rank = np.empty(len(row), dtype=np.int64)
        rank[order] = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
        return np.asarray((rank < np.maximum(1, np.rint(self.p * counts))[row]) & possible)


def spoil(source: Corpus, model: Model, copies: int = 1, seed: int = SEED) -> Pairs:
    """Return ``copies`` hypotheses with errors for each text, beside their references."""
    if source.vocabulary is not None:
        raise SimulationError("these error models know no boundary types; simulate.typed does")
    check_number("segments", copies * (len(source.column.values) + len(source)))
    texts = Block.repeated(source, copies)
    draws = Draws.of(seed, "errors", len(source.units), copies)
    parts = [_hypotheses(model, own, some) for own, some in _blocks(texts, draws)]
    values = np.concatenate([part.values for part in parts])
    hyp = Column.own(values, offsets_of(np.concatenate([part.counts for part in parts])))
    return Pairs._trusted(texts.column, hyp, texts.units)


def _blocks(texts: Block, draws: Draws) -> Iterator[tuple[Block, Draws]]:
    """Some rows at a time, so that what is computed stays in the cache."""
    offsets = texts.column.offsets
    bounds = np.searchsorted(offsets, np.arange(0, int(offsets[-1]), CUTS_PER_BLOCK), side="left")
    edges = np.unique(np.concatenate((bounds, [0, len(texts.units)])))
    for first, last in pairwise(edges.tolist()):
        own = slice(int(offsets[first]), int(offsets[last]))
        column = Column.own(texts.column.values[own], offsets[first : last + 1] - offsets[first])
        yield Block(column, texts.units[first:last]), Draws(draws.keys[first:last])


def _hypotheses(model: Model, texts: Block, draws: Draws) -> Column:
    """One for each row."""
    row, number = flat(texts.column.offsets)
    cuts = texts.column.values.astype(np.int64, copy=False)
    kept = np.ones(len(row), dtype=bool)
    if model.name.startswith("FN"):
        kept = ~model.chosen(draws.uniform("miss", row, number), row)
    if model.name == "FN":
        return kept_of(cuts, kept, texts.column.offsets)
    if model.name.endswith("1"):
        return _inside(texts, kept, model, draws)
    if model.name.endswith("3"):
        rows, places = _anywhere(texts, model.p, draws)
    elif model.name.endswith("4"):
        rows, places = _from_ends(texts, model, draws)
    else:
        hit = model.chosen(draws.uniform("add", row, number), row)
        near = _around if model.name.endswith("2") else _beside
        rows, places = row[hit], near(texts, model, draws)[hit]
        if model.name == "NM":
            kept = ~hit
    rows, places = np.concatenate((row[kept], rows)), np.concatenate((cuts[kept], places))
    return sorted_column(rows, places, texts.units)


def _inside(texts: Block, kept: Mask, model: Model, draws: Draws) -> Column:
    """FP1: between every two cuts there is at most one false cut, so the order is known."""
    row, starts, ends = segments_of(texts.column, texts.units)
    offsets = texts.column.offsets + np.arange(len(texts.units) + 1)
    number = np.arange(len(row)) - offsets[:-1][row]
    false = model.chosen(draws.uniform("add", row, number), row, ends - starts > 1)
    place = starts + 1 + below(draws.uniform("place", row, number), ends - starts - 1)
    cut_row, _ = flat(texts.column.offsets)
    cuts = len(cut_row)
    values = np.empty(cuts + len(row), dtype=np.int64)
    keep = np.empty(len(values), dtype=bool)
    at_false = 2 * np.arange(len(row)) - row
    at_cut = 2 * np.arange(cuts) + cut_row + 1
    values[at_false], keep[at_false] = place, false
    values[at_cut], keep[at_cut] = texts.column.values, kept
    return kept_of(values, keep, offsets + texts.column.offsets)


def _neighbours(texts: Block) -> tuple[Ints, Ints]:
    """For each cut the sizes of the segments before and after it."""
    _, starts, ends = segments_of(texts.column, texts.units)
    sizes = ends - starts
    cut_row, _ = flat(texts.column.offsets)
    before = np.arange(len(cut_row)) + cut_row
    return sizes[before], sizes[before + 1]


def _around(texts: Block, model: Model, draws: Draws) -> Ints:
    """FP2: a place near each cut; drawn again where it would be the cut or leave the text."""
    row, number = flat(texts.column.offsets)
    before, after = _neighbours(texts)
    cuts = texts.column.values.astype(np.int64)
    deviation = np.asarray(model.spread * (before + after) / 2, dtype=np.float64)
    return _near(texts, row, number, cuts, deviation, draws, lambda i, at: at != cuts[i])


def _near(
    texts: Block, row: Ints, number: Ints, cuts: Ints, deviation: Values, draws: Draws, fits: Any
) -> Ints:
    """A normally distributed place around each of these; drawn again until it fits in the text.

    ``fits(index, places)`` says which places of these numbers are allowed.
    """
    last = texts.units[row] - 1
    place = cuts.copy()
    left = np.arange(len(row))
    for attempt in range(64):  # a text of two units has no other place
        first = draws.uniform(f"near {attempt}", row[left], number[left])
        z = normal(first, draws.uniform(f"angle {attempt}", row[left], number[left]))
        found = cuts[left] + np.rint(z * deviation[left]).astype(np.int64)
        good = fits(left, found) & (found >= 1) & (found <= last[left])
        place[left[good]] = found[good]
        left = left[~good]
        if not len(left):
            break
    return place


def _from_ends(texts: Block, model: Model, draws: Draws) -> tuple[Ints, Ints]:
    """FP4: rows and places of false cuts, none where the reference has one."""
    row, starts, ends = segments_of(texts.column, texts.units)
    offsets = texts.column.offsets + np.arange(len(texts.units) + 1)
    number = np.arange(len(row)) - offsets[:-1][row]
    hit = model.chosen(draws.uniform("add", row, number), row)
    row, number, starts, ends = row[hit], number[hit], starts[hit], ends[hit]
    end = np.where(draws.uniform("end", row, number) < 0.5, starts, ends)
    true, stride = codes_of(flat(texts.column.offsets)[0], texts.column.values, texts.units)

    def is_false(index: Ints, places: Ints) -> Mask:
        codes = row[index] * stride + places
        at = np.minimum(np.searchsorted(true, codes), max(0, len(true) - 1))
        return np.asarray(true[at] != codes) if len(true) else np.ones(len(index), dtype=bool)

    deviation = np.asarray(model.spread * (ends - starts), dtype=np.float64)
    place = _near(texts, row, number, end, deviation, draws, is_false)
    found = (place >= 1) & (place < texts.units[row])
    found &= is_false(np.arange(len(row)), place)  # where no draw was good, there is none
    return row[found], place[found]


def _beside(texts: Block, model: Model, draws: Draws) -> Ints:
    """NM and FPN: a place close to each cut, inside the segment on one side of it.

    Where that segment is a single unit the place is the cut itself.
    """
    row, number = flat(texts.column.offsets)
    before, after = _neighbours(texts)
    length = 1 + below(draws.uniform("length", row, number), model.distance)
    left = draws.uniform("side", row, number) < 0.5
    reach = np.minimum(length, np.where(left, before, after) - 1)
    return np.asarray(texts.column.values + np.where(left, -reach, reach))


def _anywhere(texts: Block, p: float, draws: Draws) -> tuple[Ints, Ints]:
    """FP3: rows and places of false cuts, none where the reference has one."""
    rates = np.minimum(1.0, p * (texts.column.counts + 1) / texts.units)
    row, place, _ = bernoulli(texts.units, rates[:, None], draws.stream("anywhere"))
    codes, _ = codes_of(row, place, texts.units)
    own, _ = codes_of(flat(texts.column.offsets)[0], texts.column.values, texts.units)
    at = np.searchsorted(own, codes)
    true = np.zeros(len(codes), dtype=bool)
    there = at < len(own)
    true[there] = own[at[there]] == codes[there]
    return row[~true], place[~true]


def bernoulli(units: Ints, rates: Values, keys: Keys) -> tuple[Ints, Ints, Kinds]:
    """Row, place and kind of cuts at independent places; ``rates`` has a column for each kind."""
    shares, own = np.unique(rates, axis=0, return_inverse=True)
    every = np.column_stack((1 - shares.sum(axis=1), shares))
    offsets, places, kinds = _core.random_boundaries(
        units - 1, own.reshape(-1).astype(np.int64), limits(every), keys
    )
    return flat(offsets)[0], places, kinds


def typed(
    reference: Any,
    *,
    substitute: float = 0.0,
    move: float = 0.0,
    delete: float = 0.0,
    insert: float = 0.0,
    distance: int = 1,
    copies: int = 1,
    seed: int = SEED,
) -> Pairs:
    """Noisy copies of texts whose boundaries have types, beside their references.

    Each boundary is deleted, or gets another type (any other, equally likely), or is moved by 1 to
    ``distance`` units, or stays; the three rates add up to at most 1. ``insert`` is the number of
    new boundaries for each boundary of the reference, anywhere in the text, with the reference's
    shares of types. Boundaries of one type that meet at a position become one; a boundary at the
    end of a text is not moved.

    >>> from fencepost import simulate
    >>> gold = simulate.references(1, sizes="fixed:5", segments=4, types=["a", "b"], seed=3)
    >>> pairs = simulate.typed(gold, substitute=1.0)
    >>> gold.column.kinds.tolist(), pairs.hyp.kinds.tolist()
    ([0, 1, 1], [1, 0, 0])
    """
    check("typed", substitute=substitute, move=move, delete=delete, insert=insert,
          distance=distance, copies=copies)  # fmt: skip
    source = one_each(reference)
    if not source.vocabulary or source.column.kinds is None:
        raise SimulationError(
            "the reference has no boundary types; simulate references --types a,b makes some "
            "(types= in Python), and simulate.errors is for boundaries without types"
        )
    rates = [float(delete), float(substitute), float(move)]
    if sum(rates) > 1 + 1e-12:
        raise SimulationError(
            f"a boundary is deleted, substituted or moved: the rates add up to {sum(rates):g}, "
            "which "
            "must be at most 1"
        )
    reach, names = int(distance), source.vocabulary
    if substitute and len(names) < 2:
        raise SimulationError("with one boundary type only there is no other to substitute")
    check_number("boundaries", copies * (len(source.column.values) * (1 + insert) + len(source)))
    texts = Block.repeated(source, copies)
    draws = Draws.of(seed, "typed", len(source.units), copies)
    row, number = flat(texts.column.offsets)
    place, kind = texts.column.values.astype(np.int64), np.asarray(texts.column.kinds)
    action = np.searchsorted(np.cumsum(rates), draws.uniform("action", row, number), side="right")
    step = 1 + below(draws.uniform("other", row, number), max(1, len(names) - 1))
    other = (kind + step) % len(names)
    kind = np.where(action == 1, other, kind).astype(np.int32)
    place = np.where(action == 2, _moved(texts, reach, draws), place)
    stays = action != 0
    shares = np.bincount(np.asarray(source.column.kinds), minlength=len(names))
    room = np.maximum(1, texts.units - 1) * max(1, int(shares.sum()))
    share = insert * texts.column.counts[:, None] * shares[None, :] / room[:, None]
    if (share.sum(axis=1) > 1).any():
        raise SimulationError("insert asks for more boundaries than there are positions")
    new = bernoulli(texts.units, share, draws.stream("insert"))
    rows = np.concatenate((row[stays], new[0]))
    codes, stride = codes_of(rows, np.concatenate((place[stays], new[1])), texts.units, len(names))
    both = np.unique(codes * len(names) + np.concatenate((kind[stays], new[2])))
    codes, kinds = np.divmod(both, len(names))
    rows, places = np.divmod(codes, stride)
    offsets = offsets_of(np.bincount(rows, minlength=len(texts.units)))
    hyp = Column.own(places, offsets, kinds.astype(np.int32))
    return Pairs._trusted(texts.column, hyp, texts.units, names)


def _moved(texts: Block, distance: int, draws: Draws) -> Ints:
    """A place 1 to distance units from each cut, on the other side where the text ends."""
    row, number = flat(texts.column.offsets)
    place, last = texts.column.values.astype(np.int64), texts.units[row] - 1
    length = 1 + below(draws.uniform("length", row, number), distance)
    step = np.where(draws.uniform("side", row, number) < 0.5, -length, length)
    step = np.where((place + step < 1) | (place + step > last), -step, step)
    return np.where(place > last, place, np.clip(place + step, 1, np.maximum(last, 1)))
