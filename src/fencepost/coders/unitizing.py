"""Agreement on segments as units of a continuum, from neighbouring fields: alpha_U and gamma."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fencepost import _core
from fencepost.blocks import map_blocks
from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import Null, SegmentSizes, draw, keys_of
from fencepost.coders.coefficients import Coefficient, boundary_categories
from fencepost.metrics.registry import Values
from fencepost.model.checks import Ints, Kinds, MetricError
from fencepost.model.pairs import NO_KINDS, Column, View
from fencepost.statistics.resampling import ExactColumns, Weights

MAX_UNITS_OF_ALPHA = 2**32  # the cubes of longer segments do not fit
DRAWS_OF_ALPHA = 50  # of annotators at random, for one sentence with three digits
GAMMA_DRAWS = 30  # as Mathet et al. (2015) take
LEFT_OUT_GAMMA_DRAWS = 10  # where one annotator after the other is left out
MAX_SEGMENTS_OF_GAMMA = 4000  # of an annotator in a text: a matrix of their squares must fit
MAX_WORK_OF_GAMMA = 4_000_000_000  # steps of alignments, beyond which it must be asked for
BATCH_SEGMENTS = 200_000  # segments aligned at a time


def _segments(column: Column, units: Ints) -> tuple[Ints, Ints]:
    """Return where the segments of every row end, and the offsets of rows."""
    sizes = SegmentSizes.of(column, units)
    ends = np.cumsum(sizes.sizes)
    before = np.concatenate(([0], ends))[sizes.offsets[:-1]]
    return ends - np.repeat(before, np.diff(sizes.offsets)), sizes.offsets


def _bounds(annotations: Annotations, draws: int = 1) -> Ints:
    """Return the first row of every text and speaker, draw after draw, and the end."""
    items = np.bincount(annotations.item)
    return np.concatenate(([0], np.cumsum(np.tile(items, draws))))


def _by_text(annotations: Annotations, rows: Values, draws: int = 1) -> Values:
    """Return sums over the speakers of each text: draws x texts x numbers."""
    first = np.flatnonzero(np.diff(annotations.item, prepend=-1))
    texts = len(annotations.texts)
    which = (annotations.text[first] + np.arange(draws)[:, None] * texts).ravel()
    added = _core.add_rows(np.ascontiguousarray(rows, dtype=np.float64), which, draws * texts)
    return np.asarray(added, dtype=np.float64).reshape(draws, texts, -1)


# alpha_U.


@dataclass(frozen=True)
class AlphaU(Coefficient):
    """Krippendorff's alpha for unitizing (1995; 2004, section 11.6): 1 - D_o / D_e.

    Segments differ by the squared distances of their ends. Texts are added as these squares are:
    each with the disagreement of an annotator with the mean of the others, times annotators.
    """

    sums: Values  # texts x (observed, expected, annotators times squared units)

    @classmethod
    def of(cls, annotations: Annotations) -> AlphaU:
        """Compare all segments; where boundaries have types, those of a type are one category."""
        if int(annotations.units.max()) >= MAX_UNITS_OF_ALPHA:
            raise MetricError(
                f"alpha_U is for texts of fewer than 2^32 units, found {annotations.units.max()}; "
                "measure in larger units"
            )
        return cls(ExactColumns(_unitized(annotations, annotations.column, 1)[0]).rounded)

    @staticmethod
    def drawn(annotations: Annotations, null: Null, seed: int) -> float:
        """Return the mean alpha_U of annotators who annotate at random."""
        sees: View = "positions" if annotations.vocabulary is None else "kinds+end"
        keys = keys_of(annotations, seed)
        column = draw(annotations, sees, null, keys, range(DRAWS_OF_ALPHA))
        drawn = _unitized(annotations, column, DRAWS_OF_ALPHA)
        sums = np.array([ExactColumns(one).rounded.sum(axis=0) for one in drawn])
        return float(_less(sums[:, 0], sums[:, 1]).mean())

    def _parts(self, weights: Weights) -> tuple[Values, Values, Values]:
        observed, expected, whole = (weights @ self.sums).T
        return observed, expected, whole

    def observed(self, weights: Weights) -> Values:
        """Return 1 - D_o, which can be below 0."""
        observed, _, whole = self._parts(weights)
        return _less(observed, whole)

    def expected(self, weights: Weights) -> Values:
        """Return 1 - D_e, which can be below 0."""
        _, expected, whole = self._parts(weights)
        return _less(expected, whole)

    def value(self, weights: Weights) -> Values:
        """Return alpha_U; NaN where no two segments can differ."""
        observed, expected, _ = self._parts(weights)
        return _less(observed, expected)

    def limits(self, expected: float) -> tuple[float, float]:
        """Return its range: disagreement has no end."""
        return -math.inf, 1.0


def _unitized(annotations: Annotations, column: Column, draws: int) -> Values:
    """Return what alpha_U adds up: draws x texts x 3."""
    units, bounds = np.tile(annotations.units, draws), _bounds(annotations, draws)
    ends, offsets = _segments(column, units)
    typed = replace(annotations, column=column)
    both = _core.unitizing_sums(ends, offsets, _categories(typed, offsets), bounds)
    weight = np.diff(bounds) * units[bounds[:-1]].astype(np.float64) ** 2
    return _by_text(annotations, np.column_stack((both, weight)), draws)


def _less(part: Values, whole: Values) -> Values:
    """Return 1 less a ratio; NaN of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, 1 - part / whole, np.nan)


def _categories(annotations: Annotations, offsets: Ints) -> Kinds:
    """Return the category of every segment: the types of the boundary that ends it, or none."""
    if len(annotations.vocabulary or ()) < 2:
        return NO_KINDS
    row, _, kinds = boundary_categories(annotations)
    found = np.zeros(int(offsets[-1]), dtype=np.int32)
    first = np.flatnonzero(np.diff(row, prepend=-1))
    nth = np.arange(len(row)) - np.repeat(first, np.diff(np.append(first, len(row))))
    found[offsets[:-1][row] + nth] = kinds + 1
    return found


# Gamma.


@dataclass(frozen=True)
class Gamma(Coefficient):
    """Gamma of Mathet, Widlöcher & Métivier (2015), by positions: 1 - disorder / expected disorder.

    Disorder is that of the best alignment of all annotators' segments; expected is its mean where
    annotators annotate at random, and keep their numbers of segments.
    """

    sums: Values  # texts x (disorder, a bound below the least possible, mean number of segments)
    drawn: Values  # draws x texts: disorder

    @classmethod
    def of(cls, annotations: Annotations, null: Null, draws: int, seed: int) -> Gamma:
        """Align the annotators of every text, as they are and at random."""
        most = int(annotations.column.counts.max()) + 1
        if most > MAX_SEGMENTS_OF_GAMMA:
            raise MetricError(
                f"gamma is for annotators with up to {MAX_SEGMENTS_OF_GAMMA} segments in a text, "
                f"found {most}; use kappa, or divide the texts"
            )
        found = _disorder(annotations, annotations.column, 1)
        _, offsets = _segments(annotations.column, annotations.units)
        bounds = _bounds(annotations)
        mean = np.add.reduceat(np.diff(offsets), bounds[:-1]) / np.diff(bounds)
        sums = np.column_stack((found[0], _by_text(annotations, mean[:, None])[0]))
        keys = keys_of(annotations, seed)
        at_once = max(1, BATCH_SEGMENTS // int(offsets[-1]))

        def count(numbers: range) -> Values:
            column = draw(annotations, "positions", null, keys, numbers)
            return _disorder(annotations, column, len(numbers))[:, :, 0]

        every = range(draws)
        blocks = [every[start : start + at_once] for start in range(0, draws, at_once)]
        drawn = np.concatenate(list(map_blocks(count, blocks)))
        return cls(ExactColumns(sums).rounded, ExactColumns(drawn.T).rounded.T)

    def observed(self, weights: Weights) -> Values:
        """Return 1 less the disorder per segment of an annotator, which can be below 0."""
        disorder, _, segments = (weights @ self.sums).T
        return _less(disorder, segments)

    def expected(self, weights: Weights) -> Values:
        """Return the same of annotators at random."""
        return _less(self._expected(weights), weights @ self.sums[:, 2])

    def _expected(self, weights: Weights) -> Values:
        return np.asarray((weights @ self.drawn.T).mean(axis=1))

    def value(self, weights: Weights) -> Values:
        """Return gamma; NaN where chance leaves no disorder."""
        return _less(weights @ self.sums[:, 0], self._expected(weights))

    def rough(self, draws: int) -> Gamma:
        """Return the same from the first draws."""
        return replace(self, drawn=self.drawn[:draws])

    def limits(self, expected: float) -> tuple[float, float]:
        """Return its range: disorder has no end."""
        return -math.inf, 1.0

    def standard_error(self) -> float:
        """Return the standard error of the simulated expected value."""
        values = self.drawn.sum(axis=1) / self.sums[:, 2].sum()
        return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0

    @property
    def highest(self) -> float | None:
        """What gamma could be with better alignments; None where all are known to be the best."""
        found, bound, _ = self.sums.sum(axis=0)
        if found <= bound * (1 + 1e-9):
            return None
        return float(1 - bound / self.drawn.mean(axis=0).sum())


def left_out(annotations: Annotations) -> dict[str, str]:
    """Return which of both are too much for a table of everything, and why."""
    found = {}
    if int(annotations.units.max()) >= MAX_UNITS_OF_ALPHA:
        found["alpha_U"] = "alpha_U is skipped: it is for texts of fewer than 2^32 units"
    # To align an annotator's n segments with all of a text takes n paths through n rows of these.
    own = annotations.column.counts + 1.0
    every = np.bincount(annotations.item, own)[annotations.item]
    if GAMMA_DRAWS * (own**2 * every).sum() > MAX_WORK_OF_GAMMA:
        found["gamma"] = (
            f"gamma is skipped: texts have up to {int(own.max()):,} segments, and its time grows "
            'with their cubes; in Python fp.agreement(corpus, coefficient="gamma")'
        )
    return found


def _disorder(annotations: Annotations, column: Column, draws: int) -> Values:
    """Return disorder and its bound: draws x texts x 2."""
    ends, offsets = _segments(column, np.tile(annotations.units, draws))
    rows = _core.alignment_disorder(ends, offsets, _bounds(annotations, draws))
    return _by_text(annotations, rows, draws)
