"""Rules for several references of a text: each of them, their mean, or the closest one."""

from __future__ import annotations

import numpy as np

from fencepost.metrics.registry import Counts, Recipe
from fencepost.metrics.signature import Context
from fencepost.model.checks import Ints, MetricError
from fencepost.model.join import BASELINES, HUMAN_CEILING, RANDOM_BOUNDARIES, Join, RowNames, paired
from fencepost.model.pairs import Pairs
from fencepost.options import ReferenceRule
from fencepost.scoring.counts import Rows
from fencepost.scoring.walk import Batch, Walk, add_rows, random_places


def walk(
    rule: ReferenceRule,
    joined: Join,
    recipes: list[Recipe],
    baselines: bool,
    seed: int,
    context: Context,
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
    context = context._replace(refs=rule)
    kind = Closest if rule == "best" else Walk
    return kind(joined, recipes, baselines, seed, context)


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

    def look(self, coder: str, pairs: Pairs) -> None:
        """Note what the metrics have to say about each annotator."""
        for own in self.joined.coders:
            super().look(own, self.joined.pairs(None, own))

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
