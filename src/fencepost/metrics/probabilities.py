"""Metrics of a hypothesis that gives probabilities: ranked, calibrated, and on average."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from fencepost import _core
from fencepost.metrics.boundary import Tolerance, tolerance_of_one, tolerances
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.edit import MATCHINGS, NEAR_MISS_LIMIT, PAIRING
from fencepost.metrics.registry import Counts, Values, metric
from fencepost.metrics.settings import Whole
from fencepost.metrics.window import (
    PAD,
    K,
    tally_widths,
    undefined_windows,
    width_facts,
    width_rule,
    widths,
)
from fencepost.model.checks import Ints, MetricError
from fencepost.model.pairs import Pairs

MAX_WINDOW_UNITS = 2**27  # of a text: the distribution of a window needs memory for each unit
MAX_WINDOW_CELLS = 2**28  # window width times the largest count of boundaries in it


def _check_reference(pairs: Pairs, name: str) -> None:
    """Raise MetricError where the reference is not certain."""
    if not pairs.ref.is_certain:
        raise MetricError(
            f"the reference has probabilities, and {name} compares a hypothesis' probabilities "
            "with "
            "certain boundaries. Take .at_threshold(0.5) of the reference, or fp.brier"
        )


_TOLERANCE = Tolerance("distance up to which two boundaries match")


def _single_rank(tolerance: int | str, lines: bool) -> _core.Single | None:
    within = tolerance_of_one(tolerance)
    return within and _core.single_rank(*within, lines)


_RANKED: dict[str, Any] = {"better": "higher", "sees": "weights"}


@metric(
    title="average precision",
    aliases=("AP",),
    cite="Salton & McGill (1983), Introduction to Modern Information Retrieval; matching ours",
    counts=("precisions", "boundaries"),
    value=lambda precisions, boundaries: precisions / boundaries,
    bounds=lambda stated, boundaries: {
        "boundaries": stated.boundaries(),
        "precisions": (0, boundaries),
    },
    single=lambda tolerance: _single_rank(tolerance, lines=False),
    **_RANKED,
)
def average_precision(pairs: Pairs, *, tolerance: Annotated[int | str, _TOLERANCE] = 0) -> Counts:
    r"""Mean precision over the thresholds at which boundaries are found, without a threshold.

    .. math:: AP = \sum_t (R_t - R_{t-1})\, P_t

    t runs over the distinct probabilities from the highest to the lowest; P_t and R_t are
    precision and recall of the positions at least that probable. A position without a probability
    has 0, and at 0 every position counts as a boundary. With a ``tolerance`` boundaries found are
    the largest one-to-one matching at each threshold. 1 is perfect, 0 is worst; undefined where
    the reference has no boundary. A hypothesis that knows nothing gets the share of positions that
    are boundaries. The value over texts (micro) is the mean over their boundaries, each ranked in
    its own text. At tolerance 0 it is scikit-learn's average_precision_score. Known weakness:
    it sees the order of probabilities alone, so that all of them may be far too high.

    >>> from fencepost import Segmentation, average_precision
    >>> ref = Segmentation.from_bits("0110")
    >>> hyp = Segmentation.from_probabilities([0.1, 0.9, 0.3, 0.5])
    >>> round(average_precision(ref, hyp), 3)
    0.833
    """
    _check_reference(pairs, "average_precision")
    return _core.rank_counts(pairs.rows, tolerances(pairs, tolerance), False)


@metric(
    title="PR AUC",
    aliases=("PR_AUC",),
    cite="Davis & Goadrich (2006), ICML",
    counts=("area", "boundaries"),
    value=lambda area, boundaries: area / boundaries,
    bounds=lambda stated, boundaries: {"boundaries": stated.boundaries(), "area": (0, boundaries)},
    single=lambda tolerance: _single_rank(tolerance, lines=True),
    **_RANKED,
)
def pr_auc(pairs: Pairs, *, tolerance: Annotated[int | str, _TOLERANCE] = 0) -> Counts:
    r"""Area under the curve of precision over recall, with the interpolation that can be reached.

    .. math:: AUC = \frac{1}{|R|} \sum_t \int_{TP_{t-1}}^{TP_t}
              \frac{x}{x + FP_{t-1} + h_t (x - TP_{t-1})}\, dx, \quad
              h_t = \frac{FP_t - FP_{t-1}}{TP_t - TP_{t-1}}

    t runs over the distinct probabilities from the highest to 0. TP_t and FP_t are true and false
    positives of the positions at least that probable, R the reference's boundaries. Between two
    thresholds false positives grow in step with true ones, as if equal probabilities were ordered
    at random (Davis & Goadrich 2006); a straight line between the points could not be reached.
    Average precision takes the precision at the end of each step instead. So it is larger where
    boundaries come one by one, and smaller where many positions are equally probable. With a
    ``tolerance`` boundaries found are the largest one-to-one matching. 1 is perfect, 0 is worst;
    undefined where the reference has no boundary. Texts are pooled by their boundaries. Known
    weakness: it sees the order of probabilities alone, so that all may be far too high.

    >>> from fencepost import Segmentation, pr_auc
    >>> ref = Segmentation.from_bits("0110")
    >>> hyp = Segmentation.from_probabilities([0.1, 0.9, 0.3, 0.5])
    >>> round(pr_auc(ref, hyp), 3)
    0.797
    """
    _check_reference(pairs, "pr_auc")
    return _core.rank_counts(pairs.rows, tolerances(pairs, tolerance), True)


@metric(
    title="Brier score",
    cite="Brier (1950), Monthly Weather Review 78(1)",
    counts=("squares", "positions"),
    value=lambda squares, positions: squares / positions,
    better="lower",
    symmetric=True,
    sees="weights",
    single=lambda: _core.single_brier(),
    bounds=lambda stated, positions: {"positions": stated.positions, "squares": (0, positions)},
)
def brier(pairs: Pairs) -> Counts:
    r"""Mean squared difference between the probability of a boundary and what happened.

    .. math:: BS = \frac{1}{N-1} \sum_{i=1}^{N-1} (h_i - r_i)^2

    h_i is the probability of a boundary at position i, r_i is 1 where the reference has one and 0
    elsewhere (or its own probability or share of annotators); N is the number of units. 0 is
    perfect, 1 is worst; undefined for a text of one unit. The best constant probability p, the
    share of boundaries, gets p (1 - p). Known weakness: boundaries are few, so a hypothesis
    without any is near 0; read it beside that baseline, and a near miss is two errors.

    >>> from fencepost import Segmentation, brier
    >>> ref = Segmentation.from_bits("0110")
    >>> round(brier(ref, Segmentation.from_probabilities([0.1, 0.9, 0.3, 0.5])), 3)
    0.19
    """
    return _core.brier_counts(pairs.rows)


_BINS = Whole("bins of equal width from 0 to 1; an edge belongs to the bin above", low=1, high=1000)


def bin_names(bins: int) -> tuple[str, ...]:
    """Return the counts of each bin: positions, the sum of probabilities, and boundaries."""
    kinds = ("positions", "probability", "boundaries")
    return tuple(f"{kind}_{number}" for number in range(1, bins + 1) for kind in kinds)


def _calibration(columns: Sequence[Any]) -> Any:
    """Return the mean difference of bins; sums and square roots can be followed by symbols."""
    gaps, total = 0.0, 0.0
    for positions, expected, found in zip(columns[0::3], columns[1::3], columns[2::3], strict=True):
        gaps = gaps + abs(expected - found)
        total = total + positions
    return gaps / total


def _bin_bounds(stated: Stated, columns: Mapping[str, Values], bins: int) -> Bounds:
    """All positions are in some bin, and boundaries of the reference can be probabilities."""
    positions, boundaries = (
        [columns[f"{kind}_{bin}"] for bin in range(1, bins + 1)]
        for kind in ("positions", "boundaries")
    )
    most = stated.boundaries()[1] - sum(boundaries)
    rest = [end - sum(positions) for end in stated.positions]
    found: dict[str, Any] = {}
    for bin, (size, own) in enumerate(zip(positions, boundaries, strict=True), start=1):
        found[f"positions_{bin}"] = stated.exactly(size + rest[0], size + rest[1])
        found[f"probability_{bin}"] = (size * (bin - 1) / bins, size * bin / bins)
        found[f"boundaries_{bin}"] = (0, np.minimum(size, own + most))
    return found


@metric(
    title="calibration error",
    aliases=("ECE",),
    cite="Naeini, Cooper & Hauskrecht (2015), AAAI",
    counts=lambda bins: bin_names(bins),
    value=lambda columns: _calibration(columns),
    better="lower",
    sees="weights",
    single=lambda bins: _core.single_bins(bins),
    bins=lambda bins: [edge / bins for edge in range(bins + 1)],
    bounds=_bin_bounds,
)
def calibration_error(pairs: Pairs, *, bins: Annotated[int, _BINS] = 10) -> Counts:
    r"""Mean difference between probabilities and the share of boundaries, by bins (ECE).

    .. math:: ECE = \sum_{b} \frac{n_b}{N-1} \left| \frac{1}{n_b} \sum_{i \in b} h_i
              - \frac{1}{n_b} \sum_{i \in b} r_i \right|

    Bin b has the n_b positions whose probability h_i is in the b-th of ``bins`` equal parts of 0
    to 1; r_i is 1 where the reference has a boundary. ``--table reliability`` shows the bins. 0 is
    perfect, 1 is worst; undefined for a text of one unit. One text has few positions per bin, so
    that its value is too high: pool texts (average micro). Known weakness: it depends on the bins,
    and a constant probability equal to the share of boundaries is perfect; read it beside AP.

    >>> from fencepost import Segmentation, calibration_error
    >>> ref = Segmentation.from_bits("0110")
    >>> hyp = Segmentation.from_probabilities([0.1, 0.9, 0.3, 0.5])
    >>> round(calibration_error(ref, hyp, bins=2), 3)
    0.25
    """
    return _core.bin_counts(pairs.rows, bins)


def _fitting_widths(pairs: Pairs, k: int | str) -> Ints:
    """Return the window widths, or raise MetricError where distributions would not fit."""
    width = widths(pairs, k)
    cells = width.astype(np.float64) * (np.minimum(width, pairs.ref.counts) + 1)
    large = (pairs.units > MAX_WINDOW_UNITS) | (cells > MAX_WINDOW_CELLS)
    if large.any():
        row = int(np.argmax(large))
        name = row if pairs.keys is None else pairs.keys[row]
        raise MetricError(
            f"text {name}: expected windows of {width[row]} units in {pairs.units[row]} units do "
            f"not fit into memory. Give a smaller k, and texts of at most {MAX_WINDOW_UNITS} units"
        )
    return width


def _expected_bounds(
    stated: Stated, columns: Mapping[str, Values], windows: Values, k: int | str, pad: str
) -> Bounds:
    errors = next(iter(columns))
    return {"windows": stated.windows(windows, k, pad), errors: (0, windows)}


_EXPECTED_WINDOWS: dict[str, Any] = {
    "better": "lower",
    "sees": "weights",
    "undefined": undefined_windows,
    "tally": tally_widths,
    "facts": width_facts,
    "bounds": _expected_bounds,
}


@metric(
    title="expected Pk",
    cite="ours, after Beeferman, Berger & Lafferty (1999), Machine Learning 34(1-3)",
    counts=("disagreeing", "windows"),
    value=lambda disagreeing, windows: disagreeing / windows,
    single=lambda k, pad: _core.single_expected_windows(*width_rule(k), pad, True),
    certain="pk",
    **_EXPECTED_WINDOWS,
)
def expected_pk(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    pad: Annotated[str, PAD] = "none",
) -> Counts:
    r"""Pk that hypotheses get on average if boundaries are drawn from the probabilities.

    .. math:: E[P_k] = \frac{1}{N-k} \sum_{i=0}^{N-k-1} \begin{cases}
              q_i & R_i > 0 \\ 1 - q_i & R_i = 0 \end{cases}, \quad
              q_i = \prod_{j=i+1}^{i+k} (1 - h_j)

    h_j is the probability of a boundary at position j, each drawn alone; q_i is the probability
    that window (i, i+k] has none, R_i the reference's boundaries in it, N the number of units.
    Exact: wrong by no more than (2k + 6) 2^-53. A certain hypothesis has its Pk. 0 is perfect, 1 is
    worst; undefined for a text of one unit. Known weakness: as Pk has, and it rewards certainty:
    probabilities near 0 and 1 vary less than those that say how sure they are.

    >>> from fencepost import Segmentation, expected_pk
    >>> hyp = Segmentation.from_probabilities([0, 0.5, 0, 0, 0])
    >>> expected_pk([2, 4], hyp, k=2).counts
    {'disagreeing': 1.0, 'windows': 4.0}
    """
    _check_reference(pairs, "expected_pk")
    return _core.expected_windows(pairs.rows, _fitting_widths(pairs, k), pad, True)


@metric(
    title="expected WindowDiff",
    cite="ours, after Pevzner & Hearst (2002), Computational Linguistics 28(1)",
    counts=("differing", "windows"),
    value=lambda differing, windows: differing / windows,
    single=lambda k, pad: _core.single_expected_windows(*width_rule(k), pad, False),
    certain="windowdiff",
    **_EXPECTED_WINDOWS,
)
def expected_windowdiff(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    pad: Annotated[str, PAD] = "none",
) -> Counts:
    r"""WindowDiff that hypotheses get on average if boundaries are drawn from the probabilities.

    .. math:: E[WD] = \frac{1}{N-k} \sum_{i=0}^{N-k-1} \left( 1 - \Pr[H_i = R_i] \right)

    H_i is the number of boundaries drawn in the window (i, i+k], each position j with its own
    probability h_j: a Poisson-binomial count. R_i is the reference's number, N the number of units.
    Exact: wrong by no more than (2k + 6) 2^-53. A certain hypothesis has its WindowDiff. 0 is
    perfect, 1 is worst; undefined for a text of one unit. Known weakness: as WindowDiff has, and it
    rewards certainty: probabilities near 0 and 1 vary less than those that say how sure they are.

    >>> from fencepost import Segmentation, expected_windowdiff
    >>> hyp = Segmentation.from_probabilities([0, 0.5, 0, 0.5, 0])
    >>> expected_windowdiff([2, 4], hyp, k=2).counts
    {'differing': 2.0, 'windows': 4.0}
    """
    _check_reference(pairs, "expected_windowdiff")
    return _core.expected_windows(pairs.rows, _fitting_widths(pairs, k), pad, False)


_DRAWS = Whole("hypotheses drawn for each text that is not certain", low=1, high=10**6)
_SEED = Whole("the seed of the draws", high=2**62)


def error_of_mean(similarity: Values, squares: Values, draws: Values) -> Values:
    """Return the standard error of each mean over draws; infinite for a single draw.

    >>> error_of_mean(np.array([3.0]), np.array([2.5]), np.array([4.0])).round(3).tolist()
    [0.144]
    """
    mean = similarity / draws
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(squares / draws - mean * mean, 0) / (draws - 1)
    return np.sqrt(np.where(draws > 1, variance, math.inf))


def _draw_bounds(
    stated: Stated, similarity: Values, draws: Values, settings: Mapping[str, Any]
) -> Bounds:
    """Similarities are from 0 to 1, so that their squares are no larger."""
    parts = np.where(stated.alone, 1, stated.units)
    return {
        "draws": stated.exactly(settings["draws"], settings["draws"] * parts),
        "similarity": (0, draws),
        "squares": (similarity**2 / np.maximum(draws, 1), similarity),
    }


def _expected_b(pairs: Pairs, *, n_t: int, matching: str, draws: int, seed: int) -> Counts:
    return _core.expected_b(pairs.rows, n_t, MATCHINGS.index(matching), draws, seed)


@metric(
    title="expected B",
    cite="ours, after Fournier (2013), ACL",
    counts=("similarity", "squares", "draws"),
    value=lambda similarity, squares, draws: similarity / draws,
    better="higher",
    sees="weights",
    error=error_of_mean,
    certain="boundary_similarity",
    bounds=_draw_bounds,
    single=lambda n_t, matching, draws, seed: _core.single_expected_b(
        n_t, MATCHINGS.index(matching), draws, seed
    ),
)
def expected_b(
    pairs: Pairs,
    *,
    n_t: Annotated[int, NEAR_MISS_LIMIT] = 2,
    matching: Annotated[str, PAIRING] = "optimal",
    draws: Annotated[int, _DRAWS] = 100,
    seed: Annotated[int, _SEED] = 0,
) -> Counts:
    r"""B that hypotheses get on average if boundaries are drawn from the probabilities.

    .. math:: E[B] \approx \frac{1}{D} \sum_{d=1}^{D} B(r, h^{(d)}), \quad
              \Pr[j \in h^{(d)}] = h_j

    h_j is the probability of a boundary at position j, each drawn alone; D is ``draws``. B is a
    ratio whose parts depend on each other, so its mean has no short formula: it is simulated. The
    draws depend on the text, its probabilities and the seed alone. Table and counts tell the
    standard error, sqrt((squares/D - (similarity/D)^2) / (D - 1)). A certain hypothesis has its B.
    1 is perfect, 0 is worst. Texts are pooled by their means. Known weakness: as B has, and it
    rewards certainty: probabilities near 0 and 1 vary less than those that say how sure they are.

    >>> from fencepost import Segmentation, expected_b
    >>> expected_b([5, 5], Segmentation(10, [5])).value
    1.0
    >>> 0.4 < expected_b([5, 5], Segmentation(10, [5], weights=[0.5])) < 0.6
    True
    """
    _check_reference(pairs, "expected_b")
    return _expected_b(pairs, n_t=n_t, matching=matching, draws=draws, seed=seed)
