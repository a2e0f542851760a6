"""Intervals of agreement for other texts and other annotators: a jackknife over both.

Texts and annotators are drawn from populations, so the value has a variance from either. Leaving
out one text at a time estimates the part of texts, and what texts and annotators have together;
leaving out one annotator at a time the part of annotators, and the same again; leaving out both
at once what was counted twice (Owen 2007 calls the sum of the three the pigeonhole variance).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fencepost.coders.coefficients import LEFT_OUT_DRAWS, Coefficient
from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints
from fencepost.statistics.intervals import t_975
from fencepost.statistics.resampling import Weights

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_CODERS = 3  # for an interval over annotators: two of them leave nothing when one is left out
APPROXIMATE_BELOW_CODERS = 5  # below so many an interval over annotators comes with a warning
MAX_TEXT_GROUPS = 100  # texts are left out in so many groups where there are more


@dataclass(frozen=True)
class Spread:
    """The standard error of a coefficient, its parts, and Student's degrees of freedom."""

    error: float
    of_texts: float
    of_coders: float
    freedom: float

    @classmethod
    def of(cls, estimate: Coefficient, others: Sequence[Coefficient], ranks: Ints) -> Spread | None:
        """Return the spread over texts and coders; None where a value is undefined.

        ``others`` are the coefficients without each coder, on the same texts; ``ranks`` are those
        of the texts by their names.
        """
        weights = left_out(ranks)
        whole, *by_text = estimate.rough(LEFT_OUT_DRAWS).value(weights).tolist()
        left = np.array([other.value(weights) for other in others])
        by_coder, both = left[:, 0], left[:, 1:]
        together = both - by_coder[:, None] - np.array(by_text) + whole
        if np.isnan(together).any():
            return None
        n, m = len(by_text), len(by_coder)
        of_texts = (n - 1) / n * _squares(np.array(by_text))
        of_coders = (m - 1) / m * _squares(by_coder)
        shared = (n - 1) / n * (m - 1) / m * float((together**2).sum())
        # Never less than the larger part: the difference of estimates could be.
        total = max(of_texts + of_coders - shared, of_texts, of_coders)
        if not total > 0:
            return cls(0.0, 0.0, 0.0, math.inf)
        freedom = total**2 / (of_texts**2 / (n - 1) + of_coders**2 / (m - 1))
        # Few annotators tell little of how annotators differ, however many texts there are.
        freedom = min(freedom, float(m - 1))
        return cls(math.sqrt(total), math.sqrt(of_texts), math.sqrt(of_coders), freedom)

    @property
    def margin(self) -> float:
        """Half of the 95% interval, by Student's t: Satterthwaite's degrees, at most coders - 1."""
        return t_975(self.freedom) * self.error


def left_out(ranks: Ints) -> Weights:
    """Return weights of all texts, and without each text, or each group of many texts, in turn.

    Groups go by the ranks of names, so that the order of a file changes nothing.
    """
    groups = min(len(ranks), MAX_TEXT_GROUPS)
    kept = ranks[None, :] % groups != np.arange(groups)[:, None]
    return np.concatenate((np.ones((1, len(ranks))), kept.astype(np.float64)))


def _squares(values: Values) -> float:
    return float(((values - values.mean()) ** 2).sum())
