"""Rules for several references of a text: each, mean, best, consensus, weighted."""

from __future__ import annotations

import numpy as np

from fencepost.metrics import METRICS
from fencepost.metrics.registry import Counts, Recipe, as_recipe
from fencepost.metrics.signature import Context
from fencepost.model.checks import Ints, MetricError, Positions
from fencepost.model.corpus import Corpus
from fencepost.model.join import BASELINES, HUMAN_CEILING, RANDOM_BOUNDARIES, Join, RowNames, paired
from fencepost.model.pairs import Column, Pairs
from fencepost.options import ConsensusBy, ReferenceRule
from fencepost.scoring.consensus import Annotators, majority, shares
from fencepost.scoring.counts import Rows
from fencepost.scoring.walk import Batch, Walk, add_rows, random_places
from fencepost.wording import listed


def walk(
    rule: ReferenceRule,
    joined: Join,
    recipes: list[Recipe],
    baselines: bool,
    seed: int,
    context: Context,
    by: ConsensusBy = "similarity",
) -> Walk:
    """Return the walk that counts by a rule, which its signatures name."""
    if rule == "each":
        return Walk(joined, recipes, baselines, seed, context)
    if len(joined.coders) < 2:
        raise MetricError(
            f"--reference-rule {rule} (reference_rule={rule!r}) combines several annotators, and "
            f"{joined.reference.name} has one; give one file per annotator, one file with several "
            "annotators, or no rule"
        )
    if np.bincount(joined.reference.item_codes).max() < 2:
        raise MetricError(
            f"--reference-rule {rule} (reference_rule={rule!r}) combines the annotators of a text, "
            f"and no text of {joined.reference.name} has two (are they named alike?)"
        )
    if rule == "consensus":
        context = context._replace(refs=f"{rule},{by}")
        return Agreed(joined, recipes, baselines, seed, context, by)
    kinds: dict[str, type[Walk]] = {"mean": Walk, "best": Closest, "weighted": Weighted}
    return kinds[rule](joined, recipes, baselines, seed, context._replace(refs=rule))


class OneReference(Walk):
    """All annotators of a text make one reference together."""

    name: str  # of the reference, in tables

    def __init__(
        self, joined: Join, recipes: list[Recipe], baselines: bool, seed: int, context: Context
    ) -> None:
        super().__init__(joined, recipes, baselines, seed, context)
        self.references = {self.name: self.name}

    def has_ceiling(self, shared: Ints) -> bool:
        """Whether any text has two annotators."""
        return len(shared) > 0

    def cuts(self) -> dict[str, Ints]:
        """Return the boundaries of all annotators in each text."""
        counts = self.corpus.view("positions").column.counts
        found = np.bincount(self.corpus.text_codes, counts, len(self.joined.texts))
        return {self.name: found.astype(np.int64)}

    def others(self) -> tuple[Ints, Ints]:
        """Return the rows of every two annotators of a text: one of them, and another one."""
        both = [self.joined.rows_of_others(coder) for coder in self.joined.coders]
        one, other = (np.concatenate(rows) for rows in zip(*both, strict=True))
        return one, other

    def random(self) -> Pairs:
        """Return random boundaries, draw after draw, for every text and speaker.

        Each draw has as many as one of the annotators, who take turns.
        """
        items = self.corpus.item_codes
        size = np.bincount(items)
        first = np.cumsum(size) - size
        turn = first + np.arange(self.draws)[:, None] % size
        rows = np.argsort(items, kind="stable")[turn.ravel()]
        keys = np.array(self.keys(self.corpus.item_rows), dtype=np.uint64)
        drawn = (keys + np.arange(self.draws, dtype=np.uint64)[:, None]).ravel()
        return random_places(self.joined.pairs(None, "", rows), drawn.tolist(), 1)


class Closest(OneReference):
    """Every hypothesis against that annotator of the text who is best for it by the metric."""

    name = "closest annotator"

    def batch(self, system: str, coder: str) -> Batch:
        """Return the texts of one system beside all of their annotations."""
        corpus, texts = self.corpus, len(self.joined.texts)
        rows: Ints = np.arange(len(corpus), dtype=np.int64)
        if system == HUMAN_CEILING:  # each annotator is a draw of a hypothesis
            own, rows = self.others()
            pairs = paired(corpus, rows, corpus, own)
            groups = corpus.coder_codes[own].astype(np.int64) * texts + corpus.text_codes[own]
        elif system == RANDOM_BOUNDARIES:
            pairs, rows, draw = self._beside_random(rows)
            groups = draw * texts + corpus.text_codes[rows]
        else:
            pairs = self.joined.pairs(None if system in BASELINES else system, coder, rows)
            groups = corpus.text_codes[rows].astype(np.int64)
        return Batch(pairs, groups, corpus.coder_codes[rows].astype(np.int64))

    def look(self, system: str, coder: str, pairs: Pairs) -> None:
        """Note what the metrics have to say about each annotator."""
        for own in self.joined.coders:
            beside = None if system in BASELINES else system
            super().look(system, own, self.joined.pairs(beside, own))

    def _beside_random(self, rows: Ints) -> tuple[Pairs, Ints, Ints]:
        """Return every draw beside all annotators of its text, their rows, and the draws."""
        drawn, plain = self.random(), self.joined.pairs(None, "", rows)
        rows, draw = np.tile(rows, self.draws), np.repeat(np.arange(self.draws), len(rows))
        met = draw * len(self.corpus.item_rows) + self.corpus.item_codes[rows]
        pairs = Pairs._trusted(
            plain.ref.take(rows), drawn.hyp.take(met), plain.units[rows], plain.vocabulary,
            RowNames(self.corpus, rows), plain.mixed,
        )  # fmt: skip
        return pairs, rows, draw

    def count(self, recipe: Recipe, batch: Batch) -> Rows:
        """Return the counts of the closest annotator of each text and draw.

        Of equally close ones it is the one with the least counts, whatever their order.
        """
        assert batch.annotators is not None
        coders, texts = len(self.corpus.coder_names), len(self.joined.texts)
        each = add_rows(recipe.count(batch.pairs), batch.groups * coders + batch.annotators, 2**62)
        return _closest(recipe, each.counts, each.texts // coders, texts)


def _closest(recipe: Recipe, counts: Counts, groups: Ints, texts: int) -> Rows:
    """Return the best row of each group."""
    values = recipe.value(counts)
    worse = values if recipe.metric.better == "lower" else -values
    order = np.lexsort((*counts.T[::-1], worse, groups))  # what is undefined comes last
    first = order[np.flatnonzero(np.diff(groups[order], prepend=-1))]
    return Rows(counts[first], groups[first] % texts)


class Combined(OneReference):
    """Every hypothesis against one reference that all annotators make; each against the others'.

    Rules say in ``combine`` how annotations become one.
    """

    def __init__(
        self, joined: Join, recipes: list[Recipe], baselines: bool, seed: int, context: Context
    ) -> None:
        super().__init__(joined, recipes, baselines, seed, context)
        items = self.corpus.item_codes
        found = self.combine(np.arange(len(items)), items, len(self.corpus.item_rows))
        self.one = self.seen.take(self.corpus.item_rows).with_cuts(found)

    @property
    def seen(self) -> Corpus:
        """The annotations as they are combined."""
        return self.corpus

    def combine(self, rows: Ints, group: Ints, groups: int) -> Column:
        """Return one row of boundaries for each group of annotations."""
        raise NotImplementedError

    def batch(self, system: str, coder: str) -> Batch:
        """Return the texts of one system beside the reference of all, or of all others."""
        texts, rows = len(self.joined.texts), np.arange(len(self.one), dtype=np.int64)
        if system == HUMAN_CEILING:
            own, others = self._without_own()
            pairs = paired(others, np.arange(len(own)), self.corpus, own)
            draws = self.corpus.coder_codes[own].astype(np.int64) * texts
            return Batch(pairs, draws + self.corpus.text_codes[own])
        hyp = self.corpus if system in BASELINES else self.joined.systems[system]
        met = np.full(len(rows), -1) if system in BASELINES else self.joined.rows[system]
        pairs = paired(self.one, rows, hyp, met)
        if system != RANDOM_BOUNDARIES:
            return Batch(pairs, self.one.text_codes.astype(np.int64))
        draws = np.repeat(np.arange(self.draws), len(rows)) * texts
        return Batch(self.at_random(pairs), draws + np.tile(self.one.text_codes, self.draws))

    def at_random(self, pairs: Pairs) -> Pairs:
        """Return the reference of every text beside as many boundaries at random, per draw."""
        return random_places(pairs, self.keys(self.corpus.item_rows), self.draws)

    def _without_own(self) -> tuple[Ints, Corpus]:
        """Return the rows that share a text with others, and the reference the others make."""
        items = self.corpus.item_codes
        own = np.flatnonzero(np.bincount(items)[items] > 1)
        one, other = self.others()
        number = np.full(len(items), -1)
        number[own] = np.arange(len(own))
        return own, self.seen.take(own).with_cuts(self.combine(other, number[one], len(own)))


class Agreed(Combined):
    """Every hypothesis against the consensus of the annotators.

    The consensus is one for all metrics: the segmentation with the highest mean B to the
    annotators, or the boundaries that more than half of them set.
    """

    name = "consensus"

    def __init__(
        self,
        joined: Join,
        recipes: list[Recipe],
        baselines: bool,
        seed: int,
        context: Context,
        by: ConsensusBy,
    ) -> None:
        self.by = by
        super().__init__(joined, recipes, baselines, seed, context)
        empty = int((self.one.column.counts == 0).sum())
        if empty:
            whose = "text" if empty == 1 else "texts"
            self.notes[f"the consensus of {empty} {whose} has no boundary"] = None

    def combine(self, rows: Ints, group: Ints, groups: int) -> Column:
        """Return the consensus of each group."""
        corpus = self.corpus
        recipe = as_recipe("B", None)
        seen = corpus.view(recipe.metric.sees)  # refuses annotators with types and without
        if self.by == "majority":
            return majority(corpus.column, rows, group, groups)
        order = np.argsort(group, kind="stable")
        found = []
        for own in np.split(rows[order], np.cumsum(np.bincount(group, minlength=groups))[:-1]):
            units = int(corpus.units[own[0]])
            who = Annotators(recipe, seen.column.take(own), units, seen.vocabulary)
            found.append(who.agreed()[0])
        return _with_ends(_stacked(found), corpus, rows, group)


class Weighted(Combined):
    """Every hypothesis against all boundaries, weighted by the share of annotators who set them."""

    name = "all annotators"

    def __init__(
        self, joined: Join, recipes: list[Recipe], baselines: bool, seed: int, context: Context
    ) -> None:
        blind = [one.metric.title for one in recipes if one.metric.weighted is None]
        if blind:
            known = [one.title for one in METRICS.values() if one.weighted is not None]
            raise MetricError(
                f"{listed(blind, last=' and ')} cannot weigh boundaries; --reference-rule weighted "
                f"(reference_rule='weighted') is for {listed(known, 9, ' and ')}"
            )
        typed = [c for c in (joined.reference, *joined.systems.values()) if c.vocabulary]
        seeing = [one.metric.title for one in recipes if one.metric.sees != "positions"]
        if typed and seeing:
            raise MetricError(
                f"{typed[0].name} has boundary types, which {listed(seeing, last=' and ')} would "
                "compare, and weighted boundaries have none; use another rule, or F"
            )
        super().__init__(joined, recipes, baselines, seed, context)

    @property
    def seen(self) -> Corpus:
        """The positions of all boundaries."""
        return self.corpus.view("positions")

    def combine(self, rows: Ints, group: Ints, groups: int) -> Column:
        """Return all boundaries of each group with their shares."""
        return shares(self.seen.column, rows, group, groups)

    def at_random(self, pairs: Pairs) -> Pairs:
        """Return draws that have as many boundaries as one of the annotators, who take turns."""
        rows: Ints = np.tile(np.arange(len(pairs)), self.draws)
        return Pairs._trusted(
            pairs.ref.take(rows), self.random().view("positions").hyp, pairs.units[rows],
            None, pairs.keys,
        )  # fmt: skip

    def look(self, system: str, coder: str, pairs: Pairs) -> None:
        """Note what the metrics have to say about each annotator."""
        for own in self.joined.coders:
            beside = None if system in BASELINES else system
            super().look(system, own, self.joined.pairs(beside, own))

    def count(self, recipe: Recipe, batch: Batch) -> Rows:
        """Return weighted counts, added over the speakers of a text."""
        assert recipe.metric.weighted is not None
        counts = recipe.metric.weighted(batch.pairs.view("weights"), **recipe.settings)
        return add_rows(counts, batch.groups, len(self.joined.texts))


def _stacked(columns: list[Column]) -> Column:
    """Return the rows of several columns, one after the other."""
    offsets = np.concatenate(([0], np.cumsum([len(one.values) for one in columns])))
    kinds = [one.kinds for one in columns if one.kinds is not None]
    values: Positions = np.concatenate([one.values for one in columns])
    return Column.own(values, offsets, np.concatenate(kinds) if kinds else None)


def _with_ends(column: Column, corpus: Corpus, rows: Ints, group: Ints) -> Column:
    """Return a column with the majority's types at the ends of texts, which B does not see."""
    if column.kinds is None:
        return column
    whole = corpus.column
    ends = whole.keep(whole.values == np.repeat(corpus.units, whole.counts))
    more = majority(ends, rows, group, len(column))
    row = np.concatenate([np.repeat(np.arange(len(column)), one.counts) for one in (column, more)])
    order = np.argsort(row, kind="stable")  # an end comes after the other boundaries of its row
    values: Positions = np.concatenate([one.values for one in (column, more)])[order]
    kinds = [one.kinds for one in (column, more) if one.kinds is not None]
    return Column.own(values, column.offsets + more.offsets, np.concatenate(kinds)[order])
