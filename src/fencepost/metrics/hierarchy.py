"""Metrics of hierarchical segmentations: the T-measure, the L-measure, WindowDiff over levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from fencepost import _core
from fencepost.metrics.boundary import BETA
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.edit import TypeOrder
from fencepost.metrics.registry import Counts, Values, metric
from fencepost.metrics.settings import Flag, Whole
from fencepost.metrics.window import PAD, K, undefined_windows, width_rule, widths
from fencepost.model.levels import Order, levels_of
from fencepost.model.pairs import Column, Pairs, relabelled


def declared_order(names: Sequence[str], *, types: Order, **_: Any) -> Order:
    """Return the order of levels: the declared one, or None for that of their numbers."""
    return types


class Window(Whole):
    """A number of units around a unit, or None for the whole text."""

    def check(self, name: str, value: Any) -> int | None:  # type: ignore[override]
        """Accept None and whole numbers from 1 up."""
        return None if value is None else super().check(name, value)

    def show(self, value: Any) -> str:
        """Write the number, or that there is none."""
        return "none" if value is None else str(value)

    def meaning(self, value: Any) -> str:
        """Return which units are compared."""
        return "units of the whole text are compared" if value is None else self.help

    def accepts(self) -> str:
        """Say both forms."""
        return f"{super().accepts()}, or none for the whole text"


def by_level(pairs: Pairs, types: str | None) -> Pairs:
    """Return the pairs with levels as their kinds, 0 the coarsest; each position has one.

    A position with boundaries of several levels has the coarsest of them, which includes the
    others. Texts without boundary types have one level.
    """
    if pairs.vocabulary is None:
        return pairs
    levels = levels_of(pairs.vocabulary, types, find=partial(_first_boundary_of, pairs))
    ref, hyp = (_coarsest(relabelled(side, pairs.vocabulary, levels))
                for side in (pairs.ref, pairs.hyp))  # fmt: skip
    return Pairs._trusted(ref, hyp, pairs.units, levels, pairs.keys)


def _first_boundary_of(pairs: Pairs, kind: str) -> str:
    """Return the side, text and position of the first boundary of a type; "" where there is none.

    A single pair has no name.
    """
    assert pairs.vocabulary is not None
    number = pairs.vocabulary.index(kind)
    for side, column in (("reference", pairs.ref), ("hypothesis", pairs.hyp)):
        if column.kinds is None:
            continue
        found = np.flatnonzero(column.kinds == number)
        if len(found):
            row = int(np.searchsorted(column.offsets, found[0], side="right")) - 1
            text = "" if pairs.keys is None else f" of text {pairs.keys[row]}"
            return f"{side}{text}, after unit {column.values[found[0]]}"
    return ""


def _coarsest(column: Column) -> Column:
    """Return the first boundary of each position, which is the coarsest."""
    row = np.repeat(np.arange(len(column)), column.counts)
    first = (np.diff(column.values, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
    return column if first.all() else column.keep(first)


def at_level(pairs: Pairs, level: int) -> Pairs:
    """Return the boundaries of the coarsest levels up to this one, counted from 0, without types.

    ``pairs`` are those of :func:`by_level`.
    """
    ref, hyp = (
        side if side.kinds is None else side.keep(side.kinds <= level)
        for side in (pairs.ref, pairs.hyp)
    )
    flat = Column.own(ref.values, ref.offsets), Column.own(hyp.values, hyp.offsets)
    return Pairs._trusted(flat[0], flat[1], pairs.units, None, pairs.keys)


def _f(
    ref_shares: Values, ref_units: Values, hyp_shares: Values, hyp_units: Values, beta: float
) -> Values:
    """Return the harmonic mean of precision and recall.

    One of the two can be 0 where the other is undefined: the mean is 0 then, whatever the other
    would be. It is undefined where both are, or where the other is above 0.
    """
    b2 = beta * beta
    # (1 + b2) P R / (b2 P + R) with P = hyp_shares / hyp_units and R = ref_shares / ref_units.
    divisor = b2 * hyp_shares * ref_units + ref_shares * hyp_units
    mean = (1 + b2) * ref_shares * hyp_shares / divisor
    no_precision = hyp_shares + (hyp_units == 0) == 0
    no_recall = ref_shares + (ref_units == 0) == 0
    return np.where(no_precision, 0.0, np.where(no_recall, 0.0, mean))


_TRANSITIVE = Flag(
    "units are ranked by any number of levels (the full T-measure)",
    no="units are ranked by exactly one level (the reduced T-measure)",
)
_WINDOW = Window("this many units before a unit, and one less after it, are compared", low=1,
                 quiet=True)  # fmt: skip
LEVELS = TypeOrder(
    "the order of levels that are not numbers, from the finest to the coarsest", quiet=True
)


def _share_bounds(stated: Stated, ref_units: Values, hyp_units: Values) -> Bounds:
    return {
        "ref_units": (0, stated.units),
        "hyp_units": (0, stated.units),
        "ref_shares": (0, ref_units),
        "hyp_shares": (0, hyp_units),
    }


def _level_bounds(stated: Stated, windows: Values, k: int | str, pad: str) -> Bounds:
    """Windows are those of all levels; their widths depend on boundaries that no row states."""
    least, most = stated.windows(windows, k, pad)
    if stated.types:
        least, most = 0, stated.types * (1 if pad == "none" else 3) * (stated.units + 1)
    return {"windows": (least, most), "differing": (0, windows)}


# What precision, recall and F of the T-measure and the L-measure declare alike.
_ALIKE: dict[str, Any] = {
    "counts": ("ref_shares", "ref_units", "hyp_shares", "hyp_units"),
    "better": "higher",
    "sees": "levels",
    "no_value": "no boundary ranks units by nearness",
    "order": declared_order,
    "bounds": _share_bounds,
}
_OF_T: dict[str, Any] = {
    "cite": "McFee, Nieto & Bello (2015), ISMIR",
    "single": lambda transitive, window, **_: _core.single_ranking(transitive, window or 0),
    **_ALIKE,
}
_OF_L: dict[str, Any] = {
    "cite": "McFee, Nieto, Farbood & Bello (2017), Frontiers in Psychology 8",
    "single": lambda **_: _core.single_ranking(True, 0),
    **_ALIKE,
}
_PRECISION: dict[str, Any] = {
    "value": lambda hyp_shares, hyp_units: hyp_shares / hyp_units,
}
_RECALL: dict[str, Any] = {
    "value": lambda ref_shares, ref_units: ref_shares / ref_units,
}


def _rank(pairs: Pairs, types: str | None, transitive: bool, window: int | None) -> Counts:
    leveled = by_level(pairs, types)
    return _core.ranking_counts(leveled.rows, leveled.kind_count, transitive, window or 0)


@metric(title="T precision", **_PRECISION, **_OF_T)
def t_precision(
    pairs: Pairs,
    *,
    transitive: Annotated[bool, _TRANSITIVE] = False,
    window: Annotated[int | None, _WINDOW] = None,
    types: Annotated[Any, LEVELS] = None,
) -> Counts:
    r"""Share of the hypothesis' rankings of units by nearness that the reference has too.

    .. math:: P = \frac{1}{|Q|} \sum_{q \in Q}
              \frac{|\{(i, j): h_{qi} > h_{qj}, r_{qi} > r_{qj}\}|}{|\{(i, j): h_{qi} > h_{qj}\}|}

    h_qi is the number of levels at which the hypothesis has units q and i in one segment, r_qi
    the same of the reference; Q has the units q for which there is a pair to divide by. The levels
    of a side are the levels that its boundaries in this text have. The reduced T-measure counts
    pairs with h_qi = h_qj + 1 only, the full one (``transitive``) all. 1 is perfect, 0 is worst;
    undefined where the hypothesis ranks nothing (mir_eval returns 0). The value over texts is the
    mean over all units in Q. Known weakness: a hypothesis with one certain boundary can be perfect;
    read it beside recall.

    >>> from fencepost import Segmentation, t_precision
    >>> ref = Segmentation(6, [2, 4], [2, 1], ["1", "2"])
    >>> t_precision(ref, Segmentation(6, [4], [1], ["1", "2"]), transitive=True).value
    1.0
    """
    return _rank(pairs, types, transitive, window)


@metric(title="T recall", **_RECALL, **_OF_T)
def t_recall(
    pairs: Pairs,
    *,
    transitive: Annotated[bool, _TRANSITIVE] = False,
    window: Annotated[int | None, _WINDOW] = None,
    types: Annotated[Any, LEVELS] = None,
) -> Counts:
    r"""Share of the reference's rankings of units by nearness that the hypothesis has too.

    .. math:: R = \frac{1}{|Q|} \sum_{q \in Q}
              \frac{|\{(i, j): r_{qi} > r_{qj}, h_{qi} > h_{qj}\}|}{|\{(i, j): r_{qi} > r_{qj}\}|}

    r_qi is the number of levels at which the reference has units q and i in one segment, h_qi
    the same of the hypothesis; Q has the units q for which there is a pair to divide by. The levels
    of a side are the levels that its boundaries in this text have. The reduced T-measure counts
    pairs with r_qi = r_qj + 1 only, the full one (``transitive``) all. 1 is perfect, 0 is worst;
    undefined where the reference ranks nothing (mir_eval returns 0). The value over texts is the
    mean over all units in Q. Known weakness: further levels and boundaries in the hypothesis can
    cost nothing; read it beside precision.

    >>> from fencepost import Segmentation, t_recall
    >>> ref = Segmentation(6, [2, 4], [2, 1], ["1", "2"])
    >>> round(t_recall(ref, Segmentation(6, [4], [1], ["1", "2"]), transitive=True), 3)
    0.833
    """
    return _rank(pairs, types, transitive, window)


@metric(title="T", aliases={"T": {}, "T_full": {"transitive": True}}, value=_f, symmetric=True,
        **_OF_T)  # fmt: skip
def t_f(
    pairs: Pairs,
    *,
    beta: Annotated[float, BETA] = 1.0,
    transitive: Annotated[bool, _TRANSITIVE] = False,
    window: Annotated[int | None, _WINDOW] = None,
    types: Annotated[Any, LEVELS] = None,
) -> Counts:
    r"""T-measure: how alike two hierarchies rank units by nearness.

    .. math:: F_\beta = \frac{(1 + \beta^2)\, P R}{\beta^2 P + R}, \quad
              R = \frac{1}{|Q|} \sum_{q \in Q} \frac{|\{(i, j): r_{qi} > r_{qj}, h_{qi} > h_{qj}\}|}
              {|\{(i, j): r_{qi} > r_{qj}\}|}

    r_qi is the number of levels at which the reference has units q and i in one segment, h_qi
    the same of the hypothesis; Q has the units q for which there is a pair to divide by, and P is
    R with the sides exchanged. The levels of a side are the levels that its boundaries in this
    text have. The reduced T-measure counts pairs with r_qi = r_qj + 1 only, the full one
    (``transitive``) all. ``window`` compares units near q alone. Levels are numbers, 1 the
    coarsest, or names in the order of ``types``, the coarsest last. 1 is perfect, 0 is worst;
    undefined where P or R is, and the other is not 0 (mir_eval returns 0). The value over texts has
    the means over all units in Q. Known weakness: it ranks units, so it has no flat counterpart,
    and a boundary between long segments counts more than one between short ones.

    >>> from fencepost import Segmentation, t_f
    >>> ref = Segmentation(6, [2, 4], [2, 1], ["1", "2"])
    >>> hyp = Segmentation(6, [2, 4], [1, 2], ["1", "2"])
    >>> round(t_f(ref, hyp), 3), round(t_f(ref, hyp, transitive=True), 3)
    (0.333, 0.667)
    """
    return _rank(pairs, types, transitive, window)


@metric(title="L precision", **_PRECISION, **_OF_L)
def l_precision(pairs: Pairs, *, types: Annotated[Any, LEVELS] = None) -> Counts:
    r"""Share of the hypothesis' rankings of units, by any number of levels, that are right.

    .. math:: P = \frac{1}{|Q|} \sum_{q \in Q}
              \frac{|\{(i, j): h_{qi} > h_{qj}, r_{qi} > r_{qj}\}|}{|\{(i, j): h_{qi} > h_{qj}\}|}

    h_qi is the deepest level at which units q and i of the hypothesis have one label, r_qi the
    same of the reference; here every segment is its own label, so this is the full T precision
    over the whole text. Q has the units q for which there is a pair to divide by. 1 is perfect, 0
    is worst; undefined where the hypothesis ranks nothing (mir_eval returns 0). The value over
    texts is the mean over all units in Q. Known weakness: one certain boundary can be perfect;
    read it beside recall.

    >>> from fencepost import Segmentation, l_precision
    >>> ref = Segmentation(6, [2, 4], [2, 1], ["1", "2"])
    >>> l_precision(ref, Segmentation(6, [4], [1], ["1", "2"])).value
    1.0
    """
    return _rank(pairs, types, True, None)


@metric(title="L recall", **_RECALL, **_OF_L)
def l_recall(pairs: Pairs, *, types: Annotated[Any, LEVELS] = None) -> Counts:
    r"""Share of the reference's rankings of units, by any number of levels, that were found.

    .. math:: R = \frac{1}{|Q|} \sum_{q \in Q}
              \frac{|\{(i, j): r_{qi} > r_{qj}, h_{qi} > h_{qj}\}|}{|\{(i, j): r_{qi} > r_{qj}\}|}

    r_qi is the deepest level at which units q and i of the reference have one label, h_qi the
    same of the hypothesis; here every segment is its own label, so this is the full T recall over
    the whole text. Q has the units q for which there is a pair to divide by. 1 is perfect, 0 is
    worst; undefined where the reference ranks nothing (mir_eval returns 0). The value over texts
    is the mean over all units in Q. Known weakness: further boundaries in the hypothesis can cost
    nothing; read it beside precision.

    >>> from fencepost import Segmentation, l_recall
    >>> ref = Segmentation(6, [2, 4], [2, 1], ["1", "2"])
    >>> round(l_recall(ref, Segmentation(6, [4], [1], ["1", "2"])), 3)
    0.833
    """
    return _rank(pairs, types, True, None)


@metric(title="L", aliases=("L",), value=_f, symmetric=True, **_OF_L)
def l_f(
    pairs: Pairs,
    *,
    beta: Annotated[float, BETA] = 1.0,
    types: Annotated[Any, LEVELS] = None,
) -> Counts:
    r"""L-measure: how alike two hierarchies rank units by nearness, over all levels.

    .. math:: F_\beta = \frac{(1 + \beta^2)\, P R}{\beta^2 P + R}, \quad
              R = \frac{1}{|Q|} \sum_{q \in Q} \frac{|\{(i, j): r_{qi} > r_{qj}, h_{qi} > h_{qj}\}|}
              {|\{(i, j): r_{qi} > r_{qj}\}|}

    r_qi is the deepest level at which units q and i of the reference have one label, h_qi the
    same of the hypothesis; Q has the units q for which there is a pair to divide by, and P is R
    with the sides exchanged. Segmentations have no labels of segments, so every segment is its
    own label, and this is the full T-measure over the whole text. 1 is perfect, 0 is worst;
    undefined where P or R is, and the other is not 0 (mir_eval returns 0). The value over texts
    has the means over all units in Q. Known weakness: as of the T-measure, a boundary between
    long segments counts more than one between short ones.

    >>> from fencepost import Segmentation, l_f
    >>> ref = Segmentation(6, [2, 4], [2, 1], ["1", "2"])
    >>> round(l_f(ref, Segmentation(6, [2, 4], [1, 2], ["1", "2"])), 3)
    0.667
    """
    return _rank(pairs, types, True, None)


@metric(
    title="WindowDiff over levels",
    aliases=("WDL",),
    cite="ours, after Pevzner & Hearst (2002), Computational Linguistics 28(1)",
    counts=("differing", "windows"),
    value=lambda differing, windows: differing / windows,
    better="lower",
    sees="levels",
    undefined=undefined_windows,
    order=declared_order,
    bounds=_level_bounds,
    single=lambda k, pad, **_: _core.single_level_window_diff(*width_rule(k), pad),
)
def level_windowdiff(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    pad: Annotated[str, PAD] = "none",
    types: Annotated[Any, LEVELS] = None,
) -> Counts:
    r"""Mean over levels of WindowDiff, each level as a flat segmentation.

    .. math:: WD_L = \frac{1}{L} \sum_{l=1}^{L} \frac{1}{N-k_l} \sum_{i=0}^{N-k_l-1}
              [\, R_{l,i} \ne H_{l,i} \,]

    L is the number of levels that the texts as a whole have, N of units; R_l,i and H_l,i are the
    boundaries of level l and all coarser levels in the window (i, i+k_l]. k_l is half the mean
    reference segment of that level. A level without windows is ignored. 0 is perfect, 1 is worst;
    undefined for a text of one unit. One level is plain WindowDiff. Texts are pooled by their
    windows. This mean is a construction of ours: Carroll (2010) builds a hierarchical measure on
    the error of Beeferman et al. (1999), and we know no more than its abstract. Known weakness: a
    boundary that is missing at a coarse level only counts there alone, one that is missing
    altogether at every level; and it inherits WindowDiff's.

    >>> from fencepost import Segmentation, level_windowdiff
    >>> ref = Segmentation(12, [3, 6, 9], [2, 1, 2], ["1", "2"])
    >>> hyp = Segmentation(12, [3, 6, 9], [2, 2, 1], ["1", "2"])
    >>> round(level_windowdiff(ref, hyp), 3)
    0.333
    """
    leveled = by_level(pairs, types)
    flat = (at_level(leveled, level) for level in range(leveled.kind_count))
    counts = np.array([_core.window_diff(one.rows, widths(one, k), pad, False) for one in flat])
    differing, windows = counts[:, :, 0], counts[:, :, 1]  # by level and text
    levels, total = (windows > 0).sum(axis=0), windows.sum(axis=0)
    # The mean times all windows, in whole numbers up to the division: one level has its counts.
    parts = differing * total / np.maximum(levels * windows, 1)
    return np.column_stack((np.minimum(parts.sum(axis=0), total), total.astype(np.float64)))
