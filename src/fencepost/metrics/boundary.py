"""Metrics that compare cuts, or the segments between them, one by one."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from fencepost import _core
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.registry import Counts, Values, metric
from fencepost.metrics.settings import Choice, Number, Param, Presets
from fencepost.metrics.tally import Tally
from fencepost.model.checks import Ints, MetricError
from fencepost.model.pairs import Pairs
from fencepost.model.steps import Steps

if TYPE_CHECKING:
    from fractions import Fraction


class Tolerance(Param):
    """How far apart two cuts may be and still match: units, or a share of the mean segment."""

    def check(self, name: str, value: Any) -> int | str:
        """Accept whole numbers from 0 up and percentages such as "5%"."""
        if isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?%", value.strip()):
            return value.strip()
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 0:
            return int(value)
        raise self.refuse(name, value)

    def accepts(self) -> str:
        """Say both forms."""
        return (
            'a whole number of units from 0 up, or a share of the mean reference segment like "5%"'
        )

    def sensible(self, segment: int) -> range:
        """Return 0 to less than half the mean segment, beyond which the next boundary is nearer."""
        return range(max(1, segment // 2))


def _share_of(percentage: str) -> Fraction:
    from fractions import Fraction  # slow to import, and few tolerances are shares

    return Fraction(percentage.removesuffix("%")) / 100


def tolerances(pairs: Pairs, tolerance: int | str) -> Ints:
    """Return the tolerance of each text in units; a share is rounded down."""
    if isinstance(tolerance, int):
        return np.full_like(pairs.units, min(tolerance, 2**40))
    share = _share_of(tolerance)
    segments = pairs.ref.counts + 1
    if share.denominator * int(segments.max(initial=1)) >= 2**62 or share.numerator >= 2**20:
        raise MetricError(f"tolerance {tolerance} has too many digits")
    return (pairs.units * share.numerator) // (segments * share.denominator)


def small_units_note(tally: Tally, reach: int, what: str) -> list[str]:
    """Return a sentence if units are so small that near misses vanish."""
    mean = tally.units / max(tally.segments, 1)
    if mean <= 200 or reach >= mean / 100:
        return []
    return [
        f"the mean reference segment has {mean:.0f} units and {what} is {reach}: almost no near "
        f"miss counts as one; use larger units, or a larger {what}"
    ]


def _tally(pairs: Pairs, *, tolerance: int | str, **_: Any) -> Tally:
    return Tally.of(pairs, tolerances(pairs, tolerance))


def _notes(tally: Tally, **_: Any) -> list[str]:
    return small_units_note(tally, tally.most, "tolerance")


def _matched(pairs: Pairs, tolerance: int | str, ends: str) -> Counts:
    return _core.matches_within(pairs.rows, tolerances(pairs, tolerance), ends == "include")


def _swept_matches(
    pairs: Pairs, steps: Steps, *, tolerance: int | str, ends: str, **_: Any
) -> Counts:
    within = tolerances(pairs, tolerance)
    return _core.sweep_matches(pairs.rows, *steps.columns, within, ends == "include")


def _weighted(pairs: Pairs, *, tolerance: int | str, ends: str, **_: Any) -> Counts:
    if not isinstance(tolerance, int):
        raise MetricError(
            f"tolerance {tolerance} is a share of the mean reference segment, and a reference with "
            "weights has no segments; give the tolerance in units"
        )
    return _core.weighted_matches(pairs.rows, tolerances(pairs, tolerance), ends == "include")


def tolerance_of_one(tolerance: int | str) -> tuple[int, int] | None:
    """Return units and 0, or a share of the mean reference segment; None if it has many digits."""
    if isinstance(tolerance, int):
        return min(tolerance, 2**40), 0
    share = _share_of(tolerance)
    if share.denominator > 2**40 or share.numerator >= 2**20:
        return None
    return share.numerator, share.denominator


def _single_matches(tolerance: int | str, ends: str, **_: Any) -> _core.Single | None:
    within = tolerance_of_one(tolerance)
    return within and _core.single_matches(*within, ends == "include")


def _single_sections(tolerance: int | str) -> _core.Single | None:
    within = tolerance_of_one(tolerance)
    return within and _core.single_sections(*within)


def share(part: Values, whole: Values, nothing: Values) -> Values:
    """part/whole, 1 where there is nothing to find on either side, 0 where one side has nothing."""
    return np.where(nothing, 1.0, np.where(whole == 0, 0.0, part / whole))


_TOLERANCE = Tolerance("distance up to which two boundaries match")
_ENDS = Choice(
    "whether the end of the text is a boundary",
    choices=("exclude", "include"),
    quiet=True,
    meanings={
        "exclude": "the end of the text is no boundary",
        "include": "the end of the text is a boundary on both sides",
    },
)
BETA = Number("weight of recall against precision", high=1e6, quiet=True)


def _match_bounds(stated: Stated, tp: Values, ends: str) -> Bounds:
    """The reference's boundaries are found or not, and no side has more than there are positions.

    Every speaker's part has an end.
    """
    least, most = stated.boundaries()
    places = stated.most_boundaries()
    if ends == "include":
        least, most, places = (
            end + np.where(stated.alone, 1, stated.units) for end in (least, most, places)
        )
    return {"tp": (0, most), "fn": stated.exactly(least - tp, most - tp), "fp": (0, places - tp)}


# What precision, recall and F declare alike.
_OF_MATCHES: dict[str, Any] = {
    "cite": "van Rijsbergen (1979), Information Retrieval; one-to-one matching within a tolerance",
    "counts": ("tp", "fp", "fn"),
    "better": "higher",
    "tally": _tally,
    "notes": _notes,
    "single": _single_matches,
    "weighted": _weighted,
    "bounds": _match_bounds,
    "sweep": _swept_matches,
}


@metric(
    title="precision",
    aliases=("P", "precision"),
    value=lambda tp, fp, fn: share(tp, tp + fp, tp + fp + fn == 0),
    **_OF_MATCHES,
)
def boundary_precision(
    pairs: Pairs,
    *,
    tolerance: Annotated[int | str, _TOLERANCE] = 0,
    ends: Annotated[str, _ENDS] = "exclude",
) -> Counts:
    r"""Share of the hypothesis' boundaries that match a boundary of the reference.

    .. math:: P = \frac{TP}{TP + FP}

    TP is the largest number of one-to-one pairs of boundaries at most ``tolerance`` apart. 1 is
    perfect, 0 is worst; 1 where neither side has a boundary, 0 where only one has. Known weakness:
    a hypothesis with one certain boundary is perfect; read it beside recall.

    >>> from fencepost import boundary_precision
    >>> boundary_precision([3, 4, 5], [4, 3, 2, 3], tolerance=1).counts
    {'tp': 2, 'fp': 1, 'fn': 0}
    """
    return _matched(pairs, tolerance, ends)


@metric(
    title="recall",
    aliases=("R", "recall"),
    value=lambda tp, fp, fn: share(tp, tp + fn, tp + fp + fn == 0),
    **_OF_MATCHES,
)
def boundary_recall(
    pairs: Pairs,
    *,
    tolerance: Annotated[int | str, _TOLERANCE] = 0,
    ends: Annotated[str, _ENDS] = "exclude",
) -> Counts:
    r"""Share of the reference's boundaries that match a boundary of the hypothesis.

    .. math:: R = \frac{TP}{TP + FN}

    TP is the largest number of one-to-one pairs of boundaries at most ``tolerance`` apart. 1 is
    perfect, 0 is worst; 1 where neither side has a boundary, 0 where only one has. Known weakness:
    a hypothesis with boundaries everywhere is perfect; read it beside precision.

    >>> from fencepost import boundary_recall
    >>> boundary_recall([3, 4, 5], [4, 3, 2, 3]).value
    0.5
    """
    return _matched(pairs, tolerance, ends)


def _f_value(tp: Values, fp: Values, fn: Values, beta: float) -> Values:
    b2 = beta * beta
    return share((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp, tp + fp + fn == 0)


@metric(
    title="F",
    aliases=("F", "F1"),
    value=_f_value,
    symmetric=True,
    **_OF_MATCHES,
)
def boundary_f(
    pairs: Pairs,
    *,
    tolerance: Annotated[int | str, _TOLERANCE] = 0,
    beta: Annotated[float, BETA] = 1.0,
    ends: Annotated[str, _ENDS] = "exclude",
) -> Counts:
    r"""Weighted harmonic mean of boundary precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2)\, TP}{(1 + \beta^2)\, TP + \beta^2 FN + FP}

    TP is the largest number of one-to-one pairs of boundaries at most ``tolerance`` apart; FP and
    FN are the boundaries left over. 1 is perfect, 0 is worst; 1 where neither side has a boundary,
    0 where only one has. Symmetric at beta 1 with a tolerance in units. Known weakness: with
    tolerance 0 a near miss counts as two errors.

    >>> from fencepost import boundary_f
    >>> boundary_f([3, 4, 5], [4, 3, 2, 3]).counts
    {'tp': 1, 'fp': 2, 'fn': 1}
    >>> boundary_f([3, 4, 5], [4, 3, 2, 3], tolerance=1).value
    0.8
    """
    return _matched(pairs, tolerance, ends)


@metric(
    title="boundary agreement",
    cite="Diaz & Ouyang (2022), section 1",
    counts=("agreeing", "places"),
    value=lambda agreeing, places: agreeing / places,
    bounds=lambda stated, places: {"places": stated.positions, "agreeing": (0, places)},
    better="higher",
    symmetric=True,
    divisor="places",
    reach=lambda: 0,
    single=_core.single_agreement,
)
def boundary_agreement(pairs: Pairs) -> Counts:
    r"""Share of the positions on which both sides agree: boundary or none.

    .. math:: \frac{|\{p : p \in R \Leftrightarrow p \in H\}|}{N - 1}

    N is the number of units, R and H are the two sets of boundaries. 1 is perfect, 0 is worst;
    undefined for a text of one unit. Known weakness: most positions have no boundary, so a
    hypothesis without any scores high.

    >>> from fencepost import Segmentation, boundary_agreement
    >>> ref = Segmentation.from_bits("00100")
    >>> boundary_agreement(ref, Segmentation.from_bits("00000")).value
    0.8
    >>> boundary_agreement(ref, Segmentation.from_bits("00010")).value
    0.6
    """
    return _core.boundary_agreement(pairs.rows)


# Costs are kept as whole numbers, so that sums do not depend on order and ties are ties.
NANO = 10**9


def _hamming_costs(insert: float, delete: float, shift: float) -> tuple[int, int, int, int]:
    add, remove, move = (round(cost * NANO) for cost in (insert, delete, shift))
    return add, remove, move, (add + remove) // move if move else 2**41


def _single_hamming(insert: float, delete: float, shift: float) -> _core.Single:
    # Short texts are far from the limits that the function below checks.
    add, remove, move, reach = _hamming_costs(insert, delete, shift)
    return _core.single_hamming(add, remove, move, min(reach, 2**41))


def _hamming_bounds(stated: Stated, insert: float, delete: float) -> Bounds:
    """At most, all boundaries of the reference are inserted and all others are deleted."""
    edits = insert * stated.boundaries()[1] + delete * stated.most_boundaries()
    return {
        "texts": stated.exactly(1, np.where(stated.alone, 1, stated.units)),
        "nanocost": (0, (edits + 1) * NANO),  # a cost is rounded to billionths
    }


@metric(
    title="generalized Hamming distance",
    aliases=("ghd",),
    cite="Bookstein, Kulyukin & Raita (2002), Information Retrieval 5",
    counts=("nanocost", "texts"),
    value=lambda nanocost, texts: nanocost / NANO / texts,
    better="lower",
    range=(0.0, math.inf),
    symmetric=True,
    single=_single_hamming,
    bounds=_hamming_bounds,
)
def generalized_hamming(
    pairs: Pairs,
    *,
    insert: Annotated[float, Number("cost of a boundary that must be inserted", high=1e6)] = 2.0,
    delete: Annotated[float, Number("cost of a boundary that must be deleted", high=1e6)] = 2.0,
    shift: Annotated[float, Number("cost of moving a boundary by one unit", high=1e6)] = 1.0,
    like: Annotated[str | None, Presets(nltk={"insert": 2.0, "delete": 2.0, "shift": 1.0})] = None,
) -> Counts:
    r"""Least cost of turning the hypothesis' boundaries into the reference's.

    .. math:: D_{ij} = \min(D_{i-1,j} + c_{ins},\; D_{i,j-1} + c_{del},\;
              D_{i-1,j-1} + c_{shift} |r_i - h_j|)

    r_i and h_j are the boundaries of reference and hypothesis. 0 is perfect; there is no worst.
    Counts are kept in billionths of a cost (``nanocost``); over several texts the value is the cost
    a text. Symmetric where insertions and deletions cost the same. Known weakness: it grows with
    the length of the text, so texts of different length cannot be compared.

    >>> from fencepost import generalized_hamming
    >>> generalized_hamming([3, 4, 5], [4, 3, 2, 3]).value
    3.0
    """
    add, remove, move, reach = _hamming_costs(insert, delete, shift)
    if len(pairs.ref.values) * add + len(pairs.hyp.values) * remove >= 2**62:
        raise MetricError(
            "insert and delete are too large for so many boundaries; use smaller costs"
        )
    return _core.hamming(pairs.rows, add, remove, move, min(reach, 2**41))


@metric(
    title="covering",
    cite="Arbelaez et al. (2011), IEEE TPAMI 33(5)",
    counts=("covered", "units"),
    value=lambda covered, units: covered / units,
    bounds=lambda stated, units: {
        "units": stated.exactly(stated.units, stated.units),
        "covered": (0, units),
    },
    better="higher",
    single=_core.single_covering,
)
def covering(pairs: Pairs) -> Counts:
    r"""How well each reference segment is covered by its best hypothesis segment.

    .. math:: C = \frac{1}{N} \sum_{r} |r| \max_{h} \frac{|r \cap h|}{|r \cup h|}

    r and h run over the segments of reference and hypothesis, N is the number of units. 1 is
    perfect; it is always above 0. Known weakness: one hypothesis segment may cover many reference
    segments; it is not symmetric.

    >>> from fencepost import covering
    >>> round(covering([5, 5], [4, 6]), 4)
    0.8167
    """
    return _core.covering(pairs.rows)


def _section_bounds(stated: Stated, sections: Values) -> Bounds:
    """Sections are one more than boundaries, in every speaker's part."""
    least, most = stated.boundaries()
    parts = np.where(stated.alone, 1, stated.units)
    return {
        "sections": stated.exactly(least + 1, most + parts),
        "cut": (0, sections),
        "joined": (0, np.where(sections > 1, sections, 0)),
    }


# What both metrics of sections declare.
_OF_SECTIONS: dict[str, Any] = {
    "cite": "fencepost; chunkers and the sections of documents",
    "counts": ("cut", "joined", "sections"),
    "better": "lower",
    "tally": _tally,
    "notes": _notes,
    "single": _single_sections,
    "bounds": _section_bounds,
}


@metric(
    title="sections cut",
    value=lambda cut, joined, sections: cut / sections,
    **_OF_SECTIONS,
)
def sections_cut(pairs: Pairs, *, tolerance: Annotated[int | str, _TOLERANCE] = 0) -> Counts:
    r"""Share of the reference's segments (sections) with a boundary of the hypothesis inside.

    .. math:: \frac{|\{s : \exists h \in H,\; start(s) + t < h < end(s) - t\}|}{|S|}

    S are the segments of the reference, H the boundaries of the hypothesis, t is ``tolerance``:
    pieces of at most t units do not count. 0 is perfect, 1 is worst. Known weakness: two boundaries
    inside one section count once, and one segment for the whole text is perfect; read it beside
    ``sections_joined``.

    >>> from fencepost import sections_cut
    >>> sections_cut([300, 400, 500], [290, 310, 600]).counts
    {'cut': 2, 'joined': 3, 'sections': 3}
    >>> sections_cut([300, 400, 500], [290, 310, 600], tolerance="5%").counts
    {'cut': 1, 'joined': 2, 'sections': 3}
    """
    return _core.sections(pairs.rows, tolerances(pairs, tolerance))


@metric(
    title="sections joined",
    value=lambda cut, joined, sections: joined / sections,
    **_OF_SECTIONS,
)
def sections_joined(pairs: Pairs, *, tolerance: Annotated[int | str, _TOLERANCE] = 0) -> Counts:
    r"""Share of the reference's segments (sections) that the hypothesis joins with a neighbour.

    .. math:: \frac{|\{s : \exists b \in \{start(s), end(s)\} \cap R,\;
              \forall h \in H : |h - b| > t\}|}{|S|}

    S are the segments of the reference, R and H the boundaries of reference and hypothesis, t is
    ``tolerance``. Start and end of the text are no boundaries. 0 is perfect, 1 is worst. Known
    weakness: boundaries everywhere are perfect; read it beside ``sections_cut``.

    >>> from fencepost import sections_joined
    >>> sections_joined([3, 4, 5], [7, 5]).counts
    {'cut': 0, 'joined': 2, 'sections': 3}
    """
    return _core.sections(pairs.rows, tolerances(pairs, tolerance))
