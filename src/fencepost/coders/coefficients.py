"""Coefficients of agreement: short functions of counts that add up over texts and coders.

Every estimate answers one question: with these texts, each so many times, what is observed, and
what would chance give? The whole corpus, one text and a resample are weights of texts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fencepost import _core
from fencepost.blocks import map_blocks
from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import Null, bundle_starts, draw, kinds_by_row
from fencepost.metrics.registry import Counts, Recipe, Values
from fencepost.model.checks import Ints, Kinds
from fencepost.model.pairs import Column
from fencepost.options import Counting, Pooling, Weighting
from fencepost.statistics.randomness import Keys
from fencepost.statistics.resampling import Weights

LEFT_OUT_DRAWS = 60  # whose counts are kept by coder, for influences
BATCH_CUTS = 150_000  # boundaries compared at a time: they stay in the cache
BATCH_VALUES = 16_384  # values of weighted sums at a time, for the same reason
BATCH_PRODUCTS = 250_000  # multiplications per matrix product: more would wake numpy's threads
PRODUCT_COLUMNS = 32  # columns of such a product, at least


def beyond_chance(observed: Values, expected: Values) -> Values:
    """(observed - expected) / (1 - expected); undefined where chance leaves nothing to reach."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)


class Coefficient:
    """Observed and expected agreement of weighted texts, one number for each row of weights."""

    def observed(self, weights: Weights) -> Values:
        """Return what the annotators reached; NaN for a coefficient that is about chance alone."""
        return np.full(len(weights), np.nan)

    def expected(self, weights: Weights) -> Values:
        """Return what chance would reach; NaN for one without a correction for chance."""
        return np.full(len(weights), np.nan)

    def value(self, weights: Weights) -> Values:
        """Return the coefficient."""
        return beyond_chance(self.observed(weights), self.expected(weights))

    def rough(self, draws: int) -> Coefficient:
        """Return the same from fewer draws, where it is simulated: enough for influences."""
        return self

    def limits(self, expected: float) -> tuple[float, float]:
        """Return the least and the greatest value that it can have."""
        least = 0.0 if math.isnan(expected) else -expected / (1 - expected) if expected < 1 else -1
        return least, 1.0

    def without(self, coder: int) -> Coefficient | None:
        """Return the coefficient of all other coders; None if it must be made from their rows."""
        return None


@dataclass(frozen=True)
class OnSomeTexts(Coefficient):
    """A coefficient that was made from some of the texts only."""

    own: Coefficient
    texts: Ints

    def observed(self, weights: Weights) -> Values:
        """Return what was reached in these texts."""
        return self.own.observed(weights[:, self.texts])

    def expected(self, weights: Weights) -> Values:
        """Return what chance would reach in these texts."""
        return self.own.expected(weights[:, self.texts])

    def value(self, weights: Weights) -> Values:
        """Return the coefficient of these texts."""
        return self.own.value(weights[:, self.texts])


# Similarities of every two annotators, added up.


def _add(total: Counts, counts: Counts, index: Ints, size: int) -> Counts:
    """Add rows of counts to those rows of a total that they belong to; without rows it is zero.

    A batch belongs to few texts, so only the part of the total that it reaches is touched.
    """
    low, high = (int(index.min()), int(index.max()) + 1) if len(index) else (0, 0)
    added = _core.add_rows(counts, index - low, high - low)
    if not len(total):
        total = np.zeros((size, added.shape[1]), dtype=added.dtype)
    total[low:high] += added
    return total


@dataclass(frozen=True)
class Sums:
    """Counts of all pairs, added by text and by the two coders; a layer for each draw."""

    by_text: Counts  # draws x texts x counts
    by_pair: Counts  # draws x pairs of coders x counts
    by_coder: Counts  # some draws x texts x coders x counts: pairs that a coder is part of

    @classmethod
    def drawn(
        cls,
        annotations: Annotations,
        recipe: Recipe,
        null: Null,
        draws: int,
        keys: tuple[Keys, Keys],
    ) -> Sums:
        """Return the counts of ``draws`` annotations at random; ``keys_of`` makes the keys."""
        at_once = max(1, BATCH_CUTS // _cuts_of_pairs(annotations))

        def count(numbers: range) -> Sums:
            column = draw(annotations, recipe.metric.sees, null, keys, numbers)
            return cls.of(annotations, recipe, column, max(0, LEFT_OUT_DRAWS - numbers.start))

        every = range(draws)
        blocks = [every[start : start + at_once] for start in range(0, draws, at_once)]
        parts = list(map_blocks(count, blocks))
        joined = zip(*((p.by_text, p.by_pair, p.by_coder) for p in parts), strict=True)
        return cls(*(np.concatenate(each) for each in joined))

    @classmethod
    def of(cls, annotations: Annotations, recipe: Recipe, column: Column, some: int = 1) -> Sums:
        """Count every two coders, a batch at a time; a longer column has several draws.

        Only ``some`` of these draws are added up by coder as well.
        """
        draws, every = len(column) // len(annotations), len(annotations.first)
        texts, pairs = len(annotations.texts), len(annotations.coder_pairs[0])
        coders, some = len(annotations.coders), min(some, draws)
        share = max(1, every * BATCH_CUTS // _cuts_of_pairs(annotations))
        by_text = by_pair = by_coder = np.zeros((0, 0), dtype=np.int64)
        for start in range(0, draws * every, share):
            layer, pair = np.divmod(np.arange(start, min(start + share, draws * every)), every)
            counts = recipe.count(annotations.pairs(pair, column, layer))
            counts = np.ascontiguousarray(counts)
            text = annotations.text[annotations.first[pair]] + layer * texts
            both = annotations.coder_pairs[2][pair] + layer * pairs
            by_text = _add(by_text, counts, text, draws * texts)
            by_pair = _add(by_pair, counts, both, draws * pairs)
            if len(by_coder) and layer[0] >= some:
                continue
            early = layer < some
            own, text = np.ascontiguousarray(counts[early]), text[early] * coders
            for rows in (annotations.first, annotations.second):
                who = text + annotations.coder[rows[pair[early]]]
                by_coder = _add(by_coder, own, who, some * texts * coders)
        width = by_text.shape[1]
        return cls(
            by_text.reshape(draws, texts, width),
            by_pair.reshape(draws, pairs, width),
            by_coder.reshape(some, texts, coders, width),
        )

    def few(self, draws: int) -> Sums:
        """Return the first draws only."""
        return Sums(self.by_text[:draws], self.by_pair[:draws], self.by_coder[:draws])

    def without(self, coder: int) -> Sums:
        """Return the counts of the texts without one coder, of the draws that tell coders apart."""
        own = self.by_coder[:, :, coder]
        return replace(self, by_text=self.by_text[: len(own)] - own)


def _cuts_of_pairs(annotations: Annotations) -> int:
    """Return the number of boundaries in all pairs, and one for each pair itself."""
    counts = annotations.column.counts
    both = counts[annotations.first].sum() + counts[annotations.second].sum()
    return int(both) + len(annotations.first)


def _weighted(recipe: Recipe, sums: Counts, weights: Weights) -> Values:
    """Return the value of weighted sums, for every row of weights and every layer of ``sums``."""
    some = weights.any(axis=0)
    weights, sums = weights[:, some], sums[:, some]  # single texts need no others
    draws, texts, width = sums.shape
    flat = np.ascontiguousarray(sums.transpose(1, 2, 0), dtype=np.float64).reshape(texts, -1)
    values = np.empty((len(weights), draws))
    step = max(1, BATCH_VALUES // max(1, draws))
    for start in range(0, len(weights), step):
        at = slice(start, start + step)
        added = _products(weights[at], flat).reshape(-1, width, draws).transpose(1, 0, 2)
        values[at] = recipe.value(added.reshape(width, -1).T).reshape(-1, draws)
    return values


def _products(weights: Weights, flat: Values) -> Values:
    """Return ``weights @ flat`` in pieces too small for numpy's threads, which would only wait."""
    texts, width = flat.shape
    rows = max(1, min(len(weights), BATCH_PRODUCTS // max(1, texts * PRODUCT_COLUMNS)))
    columns = max(PRODUCT_COLUMNS, BATCH_PRODUCTS // max(1, rows * texts))
    added = np.empty((len(weights), width))
    for start in range(0, len(weights), rows):
        for first in range(0, width, columns):
            at = slice(start, start + rows), slice(first, first + columns)
            added[at] = weights[at[0]] @ flat[:, at[1]]
    return added


@dataclass(frozen=True)
class OfPairs(Coefficient):
    """Any symmetric similarity of every two annotators."""

    recipe: Recipe
    found: Sums

    def observed(self, weights: Weights) -> Values:
        """Return the value of all counts of all pairs together."""
        return _weighted(self.recipe, self.found.by_text, weights)[:, 0]

    def without(self, coder: int) -> Coefficient | None:
        """Return the same without the pairs of one coder."""
        return replace(self, found=self.found.without(coder))


@dataclass(frozen=True)
class Simulation(OfPairs):
    """Chance by annotators who annotate at random: kappa or pi, as the draws were made."""

    drawn: Sums

    def expected(self, weights: Weights) -> Values:
        """Return the mean over draws."""
        return np.asarray(_weighted(self.recipe, self.drawn.by_text, weights).mean(axis=1))

    def standard_error(self) -> float:
        """Return the standard error of the simulated expected value."""
        one = np.ones((1, self.found.by_text.shape[1]))
        values = _weighted(self.recipe, self.drawn.by_text, one)[0]
        return float(np.std(values, ddof=1)) / math.sqrt(len(values))

    def rough(self, draws: int) -> Simulation:
        """Return the same from the first draws."""
        return replace(self, drawn=self.drawn.few(draws))

    def without(self, coder: int) -> Simulation:
        """Return the same without the pairs of one coder, from a few draws."""
        found, drawn = self.found.without(coder), self.drawn.without(coder)
        return replace(self, found=found, drawn=drawn)

    def among(self, pairs: Ints) -> float:
        """Return the coefficient from these pairs of annotators alone, by the same draws."""
        one = np.ones((1, len(pairs)))
        observed = _weighted(self.recipe, self.found.by_pair[:, pairs], one)[:, 0]
        expected = _weighted(self.recipe, self.drawn.by_pair[:, pairs], one).mean(axis=1)
        return float(beyond_chance(observed, expected)[0])


@dataclass(frozen=True)
class Known(OfPairs):
    """An expectation that is known, and the same for all texts."""

    known: float

    def expected(self, weights: Weights) -> Values:
        """Return the same for all."""
        return np.full(len(weights), self.known)


# The formula of fournier2012, and the two categories of exact positions.


@dataclass(frozen=True)
class Rates:
    """How often annotators set boundaries of each type (or segments), and at how many positions."""

    cuts: Values  # texts x coders x kinds
    places: Values  # texts x coders
    rates: Values  # texts x coders x kinds: the sum of an annotation's own rates
    annotations: Values  # texts x coders
    shared: Values  # texts x pairs of coders: places both annotated
    pairs: tuple[Ints, Ints]
    taken: Values  # 1 for each pair of coders, 0 for those of a coder who is left out

    @classmethod
    def of(cls, annotations: Annotations, counting: Counting, last: Ints) -> Rates:
        """Return the rates of every coder in every text; segments are one more than cuts."""
        kinds = kinds_by_row(annotations).astype(np.float64)
        if counting == "segments":
            kinds = kinds + 1
        places = last.astype(np.float64)
        texts, coders = len(annotations.texts), len(annotations.coders)
        own = annotations.text * coders + annotations.coder
        rates: Values = kinds / np.maximum(places, 1)[:, None]
        ones, others, which = annotations.coder_pairs
        pair = annotations.text[annotations.first] * len(ones) + which
        add = _core.add_rows
        return cls(
            add(kinds, own, texts * coders).reshape(texts, coders, -1),
            add(places[:, None], own, texts * coders).reshape(texts, coders),
            add(rates, own, texts * coders).reshape(texts, coders, -1),
            np.bincount(own, minlength=texts * coders).reshape(texts, coders).astype(np.float64),
            add(places[annotations.first][:, None], pair, texts * len(ones)).reshape(texts, -1),
            (ones, others),
            np.ones(len(ones)),
        )

    def pooled(self, weights: Weights, pooling: Pooling) -> Values:
        """Return the rate of each type over all coders (equation 8), per row of weights."""
        if pooling == "mean-of-rates":
            rates, own = self.rates.sum(axis=1), self.annotations.sum(axis=1)
            return np.asarray((weights @ rates) / (weights @ own)[:, None])
        cuts = weights @ self.cuts.sum(axis=1)
        return np.asarray(cuts / np.maximum(weights @ self.places.sum(axis=1), 1)[:, None])

    def without(self, coder: int) -> Rates:
        """Return the rates of all others, in texts that two or more of them did."""
        others = np.arange(self.places.shape[1]) != coder
        kept = others & ((self.annotations[:, others] > 0).sum(axis=1) > 1)[:, None]
        pairs = (self.pairs[0] != coder) & (self.pairs[1] != coder)
        return replace(
            self, cuts=self.cuts * kept[:, :, None], places=self.places * kept,
            rates=self.rates * kept[:, :, None], annotations=self.annotations * kept,
            taken=self.taken * pairs,
        )  # fmt: skip

    def by_coder(self, weights: Weights) -> Values:
        """Return the rate of each type of every coder (equation 11)."""
        texts, coders, kinds = self.cuts.shape
        cuts = (weights @ self.cuts.reshape(texts, -1)).reshape(len(weights), coders, kinds)
        return np.asarray(cuts / np.maximum(weights @ self.places, 1)[:, :, None])


@dataclass(frozen=True)
class Formula(OfPairs):
    """Chance by a formula from the annotators' rates of boundaries: multi-pi and multi-kappa.

    With two annotators these are Scott's pi and Cohen's kappa. fournier2012 takes the probability
    that both set a boundary (equations 7, 10, 13, 15); the two categories of exact positions add
    the probability that neither does.
    """

    rates: Rates
    coefficient: Literal["pi*", "kappa*"]
    pooling: Pooling = "pooled"
    both_categories: bool = False

    def without(self, coder: int) -> Formula:
        """Return the same without one coder."""
        found, rates = self.found.without(coder), self.rates.without(coder)
        return replace(self, found=found, rates=rates)

    def expected(self, weights: Weights) -> Values:
        """Return the paper's A_e."""
        if self.coefficient == "pi*":
            rate = self.rates.pooled(weights, self.pooling)
            chance = (rate**2).sum(axis=1)
            none = (1 - rate.sum(axis=1)) ** 2
        else:
            rate = self.rates.by_coder(weights)
            first, second = (rate[:, own] for own in self.rates.pairs)
            both = (first * second).sum(axis=2)
            neither = (1 - first.sum(axis=2)) * (1 - second.sum(axis=2))
            shared = (weights @ self.rates.shared) * self.rates.taken
            share = shared / np.maximum(shared.sum(axis=1, keepdims=True), 1)
            # Laid out by row: the order of additions must not depend on where numpy puts arrays.
            chance = np.multiply(both, share, order="C").sum(axis=1)
            none = np.multiply(neither, share, order="C").sum(axis=1)
            # Shares may add up to a little less than 1; what is certain for all pairs is certain.
            each = both + neither if self.both_categories else both
            certain = ((each == 1) | (shared == 0)).all(axis=1) & shared.any(axis=1)
            chance, none = np.where(certain, 1.0, chance), np.where(certain, 0.0, none)
        return np.asarray(chance + none if self.both_categories else chance)


@dataclass(frozen=True)
class ItemWeighted(Coefficient):
    """Values of single pairs, weighted by the sizes of texts as fournier2012 prints it.

    ``mass`` is equation 6; ``printed`` is equation 12 to the letter, which divides by one unit
    a text less than it multiplies with, and can exceed 1.
    """

    formula: Formula
    sums: Values  # texts x (weighted values, weights)

    @classmethod
    def of(cls, formula: Formula, annotations: Annotations, weighting: Weighting) -> ItemWeighted:
        """Weigh every pair of coders of every text."""
        values = formula.recipe.value(formula.recipe.count(annotations.pairs()))
        units = annotations.units[annotations.first].astype(np.float64)
        rows = np.column_stack((units * values, units - (weighting == "printed")))
        rows = np.ascontiguousarray(rows)[~np.isnan(values)]
        text = annotations.text[annotations.first][~np.isnan(values)]
        return cls(formula, _core.add_rows(rows, text, len(annotations.texts)))

    def observed(self, weights: Weights) -> Values:
        """Return the weighted mean of the pairs' values."""
        above, below = (weights @ self.sums).T
        return _share(above, below)

    def expected(self, weights: Weights) -> Values:
        """Return what the formula gives."""
        return self.formula.expected(weights)


@dataclass(frozen=True)
class Bias(Coefficient):
    """Annotator bias (Artstein and Poesio 2008): expected pi* less expected kappa*."""

    pi: Formula
    kappa: Formula

    def without(self, coder: int) -> Bias:
        """Return the bias of the others."""
        return Bias(self.pi.without(coder), self.kappa.without(coder))

    def value(self, weights: Weights) -> Values:
        """Return equation 16."""
        return self.pi.expected(weights) - self.kappa.expected(weights)

    def limits(self, expected: float) -> tuple[float, float]:
        """Return its range."""
        return -1.0, 1.0


# Decisions at every position.


@dataclass(frozen=True)
class Decisions:
    """What all annotators decided at all positions, added up: alpha and the majority follow.

    A decision is a set of types, mostly none. ``disagreeing`` is, for every position, the number
    of ordered pairs of coders who decided differently over the number of coders less one.
    """

    disagreeing: Values  # texts
    categories: Values  # texts x categories: decisions of each
    with_majority: Values  # texts: decisions that are the most frequent one at their place
    of_three: Values  # texts: 1 where three coders or more decided
    own: Values  # texts x coders x categories: decisions of each coder
    differing: Values  # texts x coders: decisions of others, at all positions, that differ

    @classmethod
    def of(cls, annotations: Annotations) -> Decisions:
        """Count all decisions; the end of a text is not one."""
        seen = annotations.view("positions" if annotations.mixed else "kinds")
        texts = len(seen.texts)
        row, place, category = boundary_categories(seen)
        item = seen.item[row]
        coders = np.bincount(seen.item)  # of each text and stream
        text_of = seen.text[np.unique(seen.item, return_index=True)[1]]
        # Every position with a boundary, and how often each category was chosen there.
        width = int(seen.units.max()) + 1
        at, which = np.unique(item * width + place, return_inverse=True)
        kinds = int(category.max(initial=0)) + 1
        cells, votes = np.unique(which * kinds + category, return_counts=True)
        where = cells // kinds
        m = coders[at // width].astype(np.float64)
        none = m - np.bincount(where, weights=votes, minlength=len(at))
        squares = np.bincount(where, weights=votes.astype(float) ** 2, minlength=len(at)) + none**2
        most = none.copy()
        np.maximum.at(most, where, votes)
        text = text_of[at // width]
        places = np.bincount(seen.text, weights=seen.units - 1, minlength=texts)
        uncut = places - np.bincount(text, weights=m, minlength=texts)
        decided = np.zeros((texts, kinds + 1))
        np.add.at(decided, (text[where], cells % kinds + 1), votes)
        decided[:, 0] = uncut + np.bincount(text, weights=none, minlength=texts)
        disagreeing = np.bincount(text, weights=(m**2 - squares) / (m - 1), minlength=texts)
        most = np.bincount(text, weights=most, minlength=texts)
        agreeing = (uncut + most).astype(np.float64)
        three = np.bincount(seen.text, minlength=texts) > 2 * np.bincount(text_of, minlength=texts)
        # The same by coder: its own decisions, and those of others that differ from them.
        who = seen.text[row] * len(seen.coders) + seen.coder[row]
        size = texts * len(seen.coders)
        own = np.zeros((size, kinds + 1))
        np.add.at(own, (who, category + 1), 1.0)
        every = seen.text * len(seen.coders) + seen.coder
        own[:, 0] = np.bincount(every, weights=seen.units - 1, minlength=size) - own.sum(axis=1)
        cell = np.searchsorted(cells, which * kinds + category)
        cut = np.bincount(at // width, weights=m - none, minlength=len(coders))[seen.item]
        differing = np.bincount(every, weights=cut, minlength=size).astype(np.float64)
        differing += np.bincount(who, weights=none[which] - votes[cell], minlength=size)
        return cls(
            disagreeing.astype(np.float64), decided, agreeing, three.astype(np.float64),
            own.reshape(texts, -1, kinds + 1), differing.reshape(texts, -1),
        )  # fmt: skip

    def without(self, coder: int) -> Decisions:
        """Return the decisions of all others, in texts that two or more of them did."""
        here = self.own.sum(axis=2) > 0
        before, after = here.sum(axis=1), np.delete(here, coder, axis=1).sum(axis=1)
        pairs = self.disagreeing * (before - 1) - 2 * self.differing[:, coder]
        left = after > 1
        disagreeing = np.where(left, pairs / np.maximum(after - 1, 1), 0.0)
        categories = (self.categories - self.own[:, coder]) * left[:, None]
        return replace(self, disagreeing=disagreeing, categories=categories)


def boundary_categories(seen: Annotations) -> tuple[Ints, Ints, Ints]:
    """Return row, position and category of every boundary; types at one position are one."""
    column = seen.column
    row, starts = bundle_starts(column)
    places = column.values[starts].astype(np.int64)
    if column.kinds is None or not len(row):
        return row, places, np.zeros(len(row), dtype=np.int64)
    return row[starts], places, _sets(column.kinds, starts)


def _sets(kinds: Kinds, starts: Ints) -> Ints:
    """Return a number for each set of kinds at one position, the same for the same kinds."""
    sizes = np.diff(starts, append=len(kinds))
    number = np.zeros(len(starts), dtype=np.int64)
    for nth in range(int(sizes.max())):  # seldom more than one kind at a position
        own = np.where(sizes > nth, kinds[np.minimum(starts + nth, len(kinds) - 1)] + 1, 0)
        number = np.unique(number * (int(kinds.max()) + 2) + own, return_inverse=True)[1]
    return number


def _share(part: Values, whole: Values) -> Values:
    """Return a share; NaN of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


@dataclass(frozen=True)
class Alpha(Coefficient):
    """Krippendorff's alpha of nominal decisions at exact positions: 1 - D_o / D_e."""

    decisions: Decisions

    def without(self, coder: int) -> Alpha:
        """Return alpha of the others."""
        return Alpha(self.decisions.without(coder))

    def observed(self, weights: Weights) -> Values:
        """1 - D_o: the share of paired decisions that are the same."""
        total = (weights @ self.decisions.categories).sum(axis=1)
        return _share(total - weights @ self.decisions.disagreeing, total)

    def expected(self, weights: Weights) -> Values:
        """1 - D_e: the same for two decisions drawn from all, without putting one back."""
        each = weights @ self.decisions.categories
        total = each.sum(axis=1)
        same = (each * (each - 1)).sum(axis=1)
        return _share(same, total * (total - 1))


@dataclass(frozen=True)
class WithMajority(Coefficient):
    """Hearst (1997): the mean kappa of each annotator with what most annotators decided.

    Kappa is that of Siegel and Castellan (1988) for two categories. The majority has a boundary
    where more than half of a text's annotators have one.
    """

    same: Values  # texts x coders: places where coder and majority agree
    cuts: Values  # texts x coders: cuts of the coder and of the majority together
    places: Values  # texts x coders

    @classmethod
    def of(cls, annotations: Annotations) -> WithMajority:
        """Count each coder beside the majority."""
        seen = annotations.view("positions")
        row, place, _ = boundary_categories(seen)
        width = int(seen.units.max()) + 1
        _, which, votes = np.unique(
            seen.item[row] * width + place, return_inverse=True, return_counts=True
        )
        wanted = 2 * votes[which] > np.bincount(seen.item)[seen.item[row]]
        both = np.bincount(row[wanted], minlength=len(seen))
        own = seen.column.counts
        # The majority's cuts in a row's text: each counted once for every coder who made it.
        agreed = np.bincount(
            seen.item[row], weights=wanted / votes[which], minlength=int(seen.item.max()) + 1
        )[seen.item].round()
        last = seen.units - 1
        rows = np.column_stack((last - own - agreed + 2 * both, own + agreed, last))
        texts, coders = len(seen.texts), len(seen.coders)
        sums = _core.add_rows(
            np.ascontiguousarray(rows, dtype=np.float64), seen.text * coders + seen.coder,
            texts * coders,
        ).reshape(texts, coders, 3)  # fmt: skip
        same, cuts, places = np.moveaxis(sums.astype(np.float64), 2, 0)
        return cls(same, cuts, places)

    def _of_coders(self, weights: Weights) -> tuple[Values, Values]:
        """Return observed and expected agreement of every coder."""
        places = weights @ self.places
        rate = _share(weights @ self.cuts, 2 * places)
        return _share(weights @ self.same, places), rate**2 + (1 - rate) ** 2

    def observed(self, weights: Weights) -> Values:
        """Return the mean over coders."""
        return _mean(self._of_coders(weights)[0])

    def expected(self, weights: Weights) -> Values:
        """Return the mean over coders."""
        return _mean(self._of_coders(weights)[1])

    def value(self, weights: Weights) -> Values:
        """Return the mean of the coders' kappas."""
        return _mean(beyond_chance(*self._of_coders(weights)))


def _mean(values: Values) -> Values:
    """Return the row means of what is defined."""
    known = ~np.isnan(values)
    return _share(np.where(known, values, 0).sum(axis=1), known.sum(axis=1))


@dataclass(frozen=True)
class Majority(Coefficient):
    """The share of decisions that agree with the majority there (Gale et al. 1992)."""

    decisions: Decisions

    def observed(self, weights: Weights) -> Values:
        """Return the share of Passonneau and Litman (1993); of a tie one half agrees.

        Two annotators have no majority: texts that only two have segmented do not count.
        """
        counted = weights * self.decisions.of_three
        total = (counted @ self.decisions.categories).sum(axis=1)
        return _share(counted @ self.decisions.with_majority, total)

    def value(self, weights: Weights) -> Values:
        """Return the share itself."""
        return self.observed(weights)
