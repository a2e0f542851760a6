"""Is a system as good as an annotator? Its similarity to the annotators beside their own.

For each annotator, the system and that annotator are compared with the same others in the same
texts. The difference of the two, averaged over annotators, is 0 for a system that is like one of
them. Comparing with the same others keeps an outlier from making any system look human.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.coders.annotations import Annotations
from fencepost.coders.intervals import left_out
from fencepost.metrics.registry import Recipe, Values
from fencepost.model.checks import Ints
from fencepost.statistics.intervals import MIN_TEXTS_FOR_INTERVAL
from fencepost.statistics.student import quantile, upper_tail

EPSILON = (
    0.15  # of the alternative annotator test: what a system is cheaper by (skilled annotators)
)
LEVEL = 0.05
MIN_TEXTS_FOR_ALT_TEST = 30  # below, its t-tests of shares of texts do not hold
COLUMNS = (
    "system", "metric", "similarity", "annotators", "difference", "low", "high", "rank", "of",
    "margin", "p_equivalent", "verdict", "advantage", "winning_rate",
)  # fmt: skip


def verdict(
    annotations: Annotations, recipe: Recipe, names: Mapping[str, str], margin: float | None
) -> list[dict[str, Any]]:
    """Return one row per system; ``names`` are the coders that systems became.

    ``similarity`` is the system's with the annotators, ``annotators`` theirs with each other,
    ``difference`` the mean over annotators of the two compared with the same others. ``rank`` is
    1 for the most similar among annotators and system. ``p_equivalent`` is that of two one-sided
    tests against ``margin``. ``advantage`` and ``winning_rate`` are of the alternative annotator
    test (Calderon et al. 2025): the share of texts where the system is as similar to the others as
    an annotator, and the share of annotators that it beats (NaN below 30 texts). Below 5 texts
    there is no interval, and the verdict is undecided.
    """
    seen = annotations.view(recipe.metric.sees)
    counts = np.ascontiguousarray(recipe.count(seen.pairs()))
    pairs = _Counted(
        recipe, counts, recipe.value(counts), seen.text[seen.first], seen.coder[seen.first],
        seen.coder[seen.second], len(seen.texts), seen.ranks,
    )  # fmt: skip
    number = {name: i for i, name in enumerate(seen.coders)}
    systems = [number[name] for name in names.values()]
    people = [i for i in range(len(seen.coders)) if i not in systems]
    return [
        {"system": system, "metric": recipe.name, **pairs.row(number[name], people, margin)}
        for system, name in names.items()
    ]


@dataclass(frozen=True)
class _Counted:
    """Counts of every pair, with text and the two coders."""

    recipe: Recipe
    counts: npt.NDArray[Any]
    values: Values
    text: Ints
    first: Ints
    second: Ints
    texts: int
    ranks: Ints  # of texts, by their names

    def row(self, system: int, people: list[int], margin: float | None) -> dict[str, Any]:
        """Return what there is to say about one system."""
        weights = left_out(self.ranks)
        own = [self._beside(system, human, people) for human in people]
        sides = np.array([[self._value(weights, rows) for rows in pair] for pair in own])
        away = sides[:, 0] - sides[:, 1]  # annotators x (all texts, without each text)
        known = away[~np.isnan(away).any(axis=1)]
        mean = known.mean(axis=0) if len(known) else np.full(len(weights), math.nan)
        m, n = len(known), len(weights) - 1
        found = {"similarity": float(self._value(weights[:1], self._of(system, people))[0])}
        humans = np.isin(self.first, people) & np.isin(self.second, people)
        found["annotators"] = float(self._value(weights[:1], humans)[0])
        found["difference"] = float(mean[0])
        made: dict[str, Any] = {**found, "low": None, "high": None, **self._rank(system, people)}
        made |= {"margin": margin, "p_equivalent": None, "verdict": "undecided"}
        if m > 1 and self.texts >= MIN_TEXTS_FOR_INTERVAL:
            of_texts = (n - 1) / n * float(((mean[1:] - mean[1:].mean()) ** 2).sum())
            of_coders = float(known[:, 0].var(ddof=1)) / m
            made |= _decided(float(mean[0]), of_texts, n - 1, of_coders, m - 1, margin)
        return made | self._alt_test(own)

    def _of(self, one: int, others: list[int]) -> npt.NDArray[np.bool_]:
        """Return the pairs of one coder with others."""
        as_first = (self.first == one) & np.isin(self.second, others)
        return np.asarray(as_first | (self.second == one) & np.isin(self.first, others))

    def _beside(
        self, system: int, human: int, people: list[int]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return the pairs of system and of human with the same others in the same texts."""
        others = [one for one in people if one != human]
        two = self._of(system, others), self._of(human, others)
        both = np.ones(self.texts, dtype=bool)
        for rows in two:
            both &= np.bincount(self.text[rows], minlength=self.texts) > 0
        return two[0] & both[self.text], two[1] & both[self.text]

    def _value(self, weights: Values, rows: npt.NDArray[np.bool_]) -> Values:
        """Return the value of these pairs together, for each row of weights of texts."""
        added = _core.add_rows(np.ascontiguousarray(self.counts[rows]), self.text[rows], self.texts)
        return self.recipe.value(weights @ added.astype(np.float64))

    def _rank(self, system: int, people: list[int]) -> dict[str, int]:
        """Return the place of the system by similarity with all annotators other than oneself."""
        one = np.ones((1, self.texts))
        own = float(self._value(one, self._of(system, people))[0])
        others = [float(self._value(one, self._of(human, people))[0]) for human in people]
        better = sum(other > own for other in others)
        return {"rank": better + 1, "of": len(people) + 1}

    def _alt_test(
        self, own: list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]
    ) -> dict[str, float]:
        """Return advantage probability and winning rate, by mean similarities of single texts."""
        shares, ps = [], []
        for system, human in own:
            mine, theirs = self._by_text(system), self._by_text(human)
            known = ~np.isnan(mine) & ~np.isnan(theirs)
            wins, losses = mine[known] >= theirs[known], theirs[known] >= mine[known]
            if known.sum() < 2:
                continue
            shares.append(float(wins.mean()))
            ps.append(_p_below(losses.astype(np.float64) - wins, EPSILON))
        if not ps:
            return {"advantage": math.nan, "winning_rate": math.nan}
        enough = self.texts >= MIN_TEXTS_FOR_ALT_TEST
        won = float(_rejected(np.array(ps)).mean()) if enough else math.nan
        return {"advantage": float(np.mean(shares)), "winning_rate": won}

    def _by_text(self, rows: npt.NDArray[np.bool_]) -> Values:
        """Return the mean value of these pairs in each text."""
        rows = rows & ~np.isnan(self.values)
        sums = np.bincount(self.text[rows], weights=self.values[rows], minlength=self.texts)
        sizes = np.bincount(self.text[rows], minlength=self.texts)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.where(sizes > 0, sizes, np.nan))


def _decided(
    value: float, of_texts: float, texts: int, of_coders: float, coders: int, margin: float | None
) -> dict[str, Any]:
    """Return interval, equivalence test and verdict from two variances and their freedoms."""
    total = of_texts + of_coders
    if not total > 0:
        low = high = value
        p = 0.0 if margin is not None and abs(value) < margin else 1.0
    else:
        freedom = total**2 / (of_texts**2 / texts + of_coders**2 / coders)
        error = math.sqrt(total)
        half = quantile(freedom) * error
        low, high = value - half, value + half
        p = 1.0
        if margin is not None:  # the larger of two one-sided tests (Schuirmann 1987)
            p = upper_tail((margin - abs(value)) / error, freedom)
    limit = margin or 0.0
    words = "undecided"
    if margin is not None and p <= LEVEL:
        words = "equivalent"
    elif low > limit:
        words = "better"
    elif high < -limit:
        words = "worse"
    return {"low": low, "high": high, "p_equivalent": p if margin is not None else None,
            "verdict": words}  # fmt: skip


def _p_below(values: Values, limit: float) -> float:
    """Return p of Student's t-test that the mean is below a limit."""
    n, mean, error = len(values), float(values.mean()), float(values.std(ddof=1))
    if error == 0:
        return 0.0 if mean < limit else 1.0
    return upper_tail((limit - mean) / (error / math.sqrt(n)), n - 1)


def _rejected(ps: Values) -> npt.NDArray[np.bool_]:
    """Return which hypotheses are rejected by Benjamini and Yekutieli (2001)."""
    m = len(ps)
    order = np.argsort(ps, kind="stable")
    limits = np.arange(1, m + 1) / m * LEVEL / (1 / np.arange(1, m + 1)).sum()
    passed = np.flatnonzero(ps[order] <= limits)
    found = np.zeros(m, dtype=bool)
    found[order[: passed[-1] + 1 if len(passed) else 0]] = True
    return found
