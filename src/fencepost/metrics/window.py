"""Metrics that slide a window over both segmentations and compare the two views."""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, Any

import numpy as np

from fencepost import _core
from fencepost.metrics.bounds import Bound, Bounds, Stated
from fencepost.metrics.registry import Counts, Values, Windows, metric
from fencepost.metrics.settings import Choice, Flag, Number, Param, Presets
from fencepost.metrics.tally import Tally
from fencepost.model.checks import Ints, MetricError
from fencepost.model.pairs import Pairs
from fencepost.model.steps import Steps

# How "auto" and its relatives are written in a signature.
RULES = ("auto-half-up", "corpus-half-up", "auto-segeval", "auto-nltk", "auto-fournier2012")
MEANINGS = {
    "auto-half-up": "half the mean reference segment of each text, a half rounded up",
    "corpus-half-up": "half the mean segment of all references, a half rounded up: the same width "
    "in all texts",
    "auto-segeval": "segeval's rule: half the mean reference segment of each text, a half rounded "
    "to the even number, at least 2",
    "auto-nltk": "NLTK's rule: the positions of each text divided by twice its reference "
    "boundaries, a half rounded to the even number",
    "auto-fournier2012": "the rule of Fournier and Inkpen (2012): half the mean reference segment "
    "of each text, a half rounded up, at least 2",
}
SHORT = {"auto": "auto-half-up", "corpus": "corpus-half-up"}


class Width(Param):
    """The width k of a window: a number, or a rule that finds it from the references."""

    def check(self, name: str, value: Any) -> int | str:
        """Accept whole numbers from 1 up and the names of the rules."""
        if isinstance(value, str):
            rule = SHORT.get(value, value)
            if rule in RULES:
                return rule
        elif isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1:
            return int(value)
        raise self.refuse(name, value)

    def accepts(self) -> str:
        """Say both forms."""
        return "a whole number from 1 up, auto, corpus, " + ", ".join(RULES[2:])

    def meaning(self, value: Any) -> str:
        """Return which rule found the width, if one did."""
        return f"window width: {MEANINGS[value]}" if value in MEANINGS else "window width"

    def needs_all_texts(self, value: Any) -> bool:
        """One width for all texts follows from all of them."""
        return bool(value == "corpus-half-up")

    def conventions(self) -> tuple[str, ...]:
        """Return one width per text, or one for all; other tools' rules are presets."""
        return RULES[:2]

    def sensible(self, segment: int) -> range:
        """Return a quarter of the mean segment to all of it; the rules take half of it."""
        return range(max(1, segment // 4), segment + 1)


def width_rule(k: int | str, window: str = "boundaries") -> tuple[str, int, bool]:
    """Return the width as kernels take it: a rule or a number, and whether it counts units."""
    return (
        ("", min(k, 2**40), window == "units") if isinstance(k, int) else (k, 1, window == "units")
    )


def widths(pairs: Pairs, k: int | str, window: str = "boundaries") -> Ints:
    """Return the window width for each text, in positions; 0 where no window fits."""
    segments = pairs.ref.counts + 1
    if k == "corpus-half-up" and len(pairs):  # half the mean segment of all texts
        total = int(segments.sum())
        k = max(1, (int(pairs.units.sum()) + total) // (2 * total))
    return _core.window_widths(np.ascontiguousarray(pairs.units), segments, *width_rule(k, window))


def _check_products(pairs: Pairs, k: Ints, places: Any) -> Ints:
    """Return k, or raise MetricError where k times so many ``places`` is too large to count."""
    large = k.astype(np.float64) * places >= 2.0**62
    if large.any():
        row = int(np.argmax(large))
        name = row if pairs.keys is None else pairs.keys[row]
        raise MetricError(
            f"text {name}: counts of windows of {k[row]} units in a text of {pairs.units[row]} "
            "units do not fit into 64 bits; give a smaller k"
        )
    return k


def _differing(pairs: Pairs, by_presence: bool, **settings: Any) -> Windows:
    """Return the width of the first text's windows, and where those begin that differ.

    A window that begins at i holds the positions i + 1 to i + width. Windows that reach into
    padding are ignored.
    """
    width = int(widths(pairs, settings["k"], settings.get("window", "boundaries"))[0])
    if not width:
        return 0, []
    units = int(pairs.units[0])
    sides = []
    for side in ("ref", "hyp"):
        cuts = np.bincount(pairs.segmentation(0, side).places, minlength=units + 1)
        sums = np.cumsum(cuts)
        held = sums[width:units] - sums[: units - width]
        sides.append(held > 0 if by_presence else held)
    return width, np.flatnonzero(sides[0] != sides[1]).tolist()


# Pk asks whether a window holds a boundary, WindowDiff how many.
_by_presence = partial(_differing, by_presence=True)
_by_number = partial(_differing, by_presence=False)


def undefined_windows(pairs: Pairs, *, k: int | str, window: str = "boundaries", **_: Any) -> str:
    """Return why the first text has no window of this width."""
    units = int(pairs.units[0])
    if units == 1:
        return ""  # no window at all, whatever k: the score is NaN
    if window == "units" and k == 1:
        return "a window of 1 unit has no position for a boundary; give k at least 2"
    shown = k if isinstance(k, int) else f"k by the rule {k}"
    return f"k must be less than the number of units: k={shown}, the text has {units}"


def tally_widths(pairs: Pairs, *, k: int | str, window: str = "boundaries", **_: Any) -> Tally:
    """Return the tally of texts with the widths of their windows."""
    return Tally.of(pairs, widths(pairs, k, window))


def _notes(tally: Tally, *, k: int | str, window: str = "boundaries", **_: Any) -> list[str]:
    if not tally.ones or k == 1:
        return []
    texts = f"{tally.ones} of {tally.texts} texts" if tally.texts > 1 else "this text"
    k_is = 2 if window == "units" else 1
    return [f"k is {k_is} in {texts}, so Pk and WindowDiff do not forgive near misses there"]


def width_facts(tally: Tally, *, window: str = "boundaries", **_: Any) -> list[str]:
    """Return the widths that windows have."""
    if not tally.most:
        return []
    low, high = (width + (window == "units") for width in (tally.least, tally.most))
    return [f"k from {low} to {high}" if low < high else f"k {low}"]


K = Width("window width; auto is half the mean reference segment, rounded half up")
PAD = Choice(
    "phantom units at both ends, so that every position lies in k windows",
    choices=("none", "lamprier", "segeval"),
    meanings={
        "none": "no phantom units: positions near the ends of a text lie in fewer than k windows",
        "lamprier": "k - 1 phantom units at both ends, so that every position lies in k windows",
        "segeval": "k phantom units at both ends, and a divisor of one window more, as in segeval",
    },
)
_WINDOW = Choice(
    "what k counts: positions, or units (one more)",
    choices=("boundaries", "units"),
    quiet=True,
    meanings={
        "boundaries": "k counts positions",
        "units": "k counts units, one more than positions",
    },
)
_WEIGHTED = Flag("differences are added up", quiet=True, no="windows that differ are counted")
_TOOLS: dict[str, Any] = {
    "segeval": {"k": "auto-segeval"},
    "nltk": {"k": "auto-nltk"},
    "fournier2012": {"k": "auto-fournier2012", "window": "units"},
}


def _given_too_wide(pairs: Pairs, *, k: int | str, **_: Any) -> Any:
    return (widths(pairs, k) == 0) & isinstance(k, int)


def _as_wide_as_the_text(pairs: Pairs, *, k: int | str, **_: Any) -> Any:
    return (widths(pairs, k) == 0) & (pairs.units > 1)


_TOO_WIDE = ("its windows are wider than the text", _given_too_wide)
_DIVIDES = ("it divides 0 by 0 where the window is as wide as the text", _as_wide_as_the_text)
_LIKE_PK = Presets(stops={"nltk": _TOO_WIDE, "segeval": _TOO_WIDE}, **_TOOLS)
_LIKE_WD = Presets(stops={"nltk": _TOO_WIDE, "segeval": _DIVIDES}, **_TOOLS)


def _as_tools_count(counts: Counts, units: Ints, k: int | str, one_unit: bool) -> Counts:
    """Return 0 of 1 windows for texts without windows, which other tools print as 0.

    NLTK's window of width 0 differs nowhere, and segeval adds up no windows; ``one_unit`` where it
    does so for texts of one unit alone.
    """
    if k in ("auto-nltk", "auto-segeval"):
        empty = (counts[:, 1] == 0) & ((units == 1) | (k == "auto-nltk") | (not one_unit))
        counts[empty, 1] = 1
    return counts


def _tool_windows(
    stated: Stated, windows: Values, k: int | str, pad: str, window: str, one_unit: bool
) -> Bound:
    """Return how many windows there are, as tools count them."""
    ends = (np.column_stack(np.broadcast_arrays(0, end, stated.units))[:, :2] for end in
            stated.windows(windows, k, pad, window))  # fmt: skip
    units: Any = stated.units
    low, high = (_as_tools_count(end, units, k, one_unit)[:, 1] for end in ends)
    return stated.exactly(low, high)


# The same at every threshold of the hypothesis.


def _swept_pk(
    pairs: Pairs, steps: Steps, *, k: int | str, pad: str, window: str, **_: Any
) -> Counts:
    width = widths(pairs, k, window)
    counts = _core.sweep_pk(pairs.rows, *steps.columns, width, pad)
    return _as_tools_count(counts, pairs.units[steps.rows], k, one_unit=False)


def _swept_pk_prime(pairs: Pairs, steps: Steps, *, k: int | str, pad: str, window: str) -> Counts:
    return _core.sweep_pk_prime(pairs.rows, *steps.columns, widths(pairs, k, window), pad)


def _swept_windowdiff(
    pairs: Pairs, steps: Steps, *, k: int | str, pad: str, weighted: bool, window: str, **_: Any
) -> Counts:
    width = widths(pairs, k, window)
    if weighted:
        _check_products(pairs, width, pairs.ref.counts + pairs.hyp.counts)
    counts = _core.sweep_window_diff(pairs.rows, *steps.columns, width, pad, weighted)
    return _as_tools_count(counts, pairs.units[steps.rows], k, one_unit=True)


def _swept_c_seg(pairs: Pairs, steps: Steps, *, k: int | str, **_: Any) -> Counts:
    return _core.sweep_c_seg(pairs.rows, *steps.columns, widths(pairs, k))


@metric(
    title="Pk",
    cite="Beeferman, Berger & Lafferty (1999), Machine Learning 34(1-3)",
    counts=("disagreeing", "windows"),
    value=lambda disagreeing, windows: disagreeing / windows,
    better="lower",
    undefined=undefined_windows,
    tally=tally_widths,
    notes=_notes,
    facts=width_facts,
    windows=_by_presence,
    bounds=lambda stated, windows, k, pad, window: {
        "windows": _tool_windows(stated, windows, k, pad, window, one_unit=False),
        "disagreeing": (0, windows),
    },
    single=lambda k, pad, window: _core.single_pk(*width_rule(k, window), pad),
    sweep=_swept_pk,
)
def pk(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    pad: Annotated[str, PAD] = "none",
    window: Annotated[str, _WINDOW] = "boundaries",
    like: Annotated[str | None, _LIKE_PK] = None,
) -> Counts:
    r"""Share of windows whose two ends one side puts into one segment and the other does not.

    .. math:: P_k = \frac{1}{N-k} \sum_{i=0}^{N-k-1} [\, (R_i > 0) \ne (H_i > 0) \,]

    N is the number of units; R_i and H_i are the boundaries of reference and hypothesis in the
    window (i, i+k]. 0 is perfect, 1 is worst; undefined for a text of one unit. Known weakness: a
    missing boundary costs more than an extra one, and an extra boundary close to a true one costs
    nothing (Pevzner & Hearst 2002).

    >>> from fencepost import pk
    >>> pk([3, 4, 5], [4, 3, 2, 3], k=2).counts
    {'disagreeing': 4, 'windows': 10}
    """
    counts = _core.pk(pairs.rows, widths(pairs, k, window), pad)
    return _as_tools_count(counts, pairs.units, k, one_unit=False)


@metric(
    title="P'k",
    cite="Pevzner & Hearst (2002), Computational Linguistics 28(1)",
    counts=("penalty", "windows"),
    value=lambda penalty, windows: penalty / windows,
    better="lower",
    range=(0.0, 2.0),
    undefined=undefined_windows,
    tally=tally_widths,
    notes=_notes,
    facts=width_facts,
    windows=_by_presence,
    bounds=lambda stated, windows, k, pad, window: {
        "windows": stated.windows(windows, k, pad, window),
        "penalty": (0, 2 * windows),
    },
    single=lambda k, pad, window: _core.single_pk_prime(*width_rule(k, window), pad),
    sweep=_swept_pk_prime,
)
def pk_prime(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    pad: Annotated[str, PAD] = "none",
    window: Annotated[str, _WINDOW] = "boundaries",
) -> Counts:
    r"""Pk with extra boundaries counted twice.

    .. math:: P'_k = \frac{1}{N-k} \sum_{i=0}^{N-k-1} [R_i > 0, H_i = 0] + 2\,[R_i = 0, H_i > 0]

    N is the number of units; R_i and H_i are the boundaries of reference and hypothesis in the
    window (i, i+k]. 0 is perfect, 2 is worst; undefined for a text of one unit. Known weakness: it
    evens out Pk's leniency towards extra boundaries, but not its blindness to extra boundaries near
    true ones.

    >>> from fencepost import pk_prime
    >>> pk_prime([3, 4, 5], [4, 3, 2, 3], k=2).counts
    {'penalty': 7, 'windows': 10}
    """
    return _core.pk_prime(pairs.rows, widths(pairs, k, window), pad)


def _difference_range(k: int | str, weighted: bool, **_: Any) -> tuple[float, float]:
    """Return 0 to 1; to k where differences are added up, which without a number has no end."""
    return 0.0, 1.0 if not weighted else float(k) if isinstance(k, int) else math.inf


def _difference_bounds(
    stated: Stated, windows: Values, k: int | str, pad: str, window: str, weighted: bool
) -> Bounds:
    most = windows
    if weighted:  # a window of k positions holds as many boundaries
        width = k if isinstance(k, int) else stated.units
        most = windows * np.minimum(width, stated.units)
    return {
        "windows": _tool_windows(stated, windows, k, pad, window, one_unit=True),
        "differing": (0, most),
    }


@metric(
    title="WindowDiff",
    aliases=("WD",),
    cite="Pevzner & Hearst (2002), Computational Linguistics 28(1)",
    counts=("differing", "windows"),
    value=lambda differing, windows: differing / windows,
    better="lower",
    range=_difference_range,
    undefined=undefined_windows,
    tally=tally_widths,
    notes=_notes,
    facts=width_facts,
    windows=_by_number,
    bounds=_difference_bounds,
    single=lambda k, pad, weighted, window: _core.single_window_diff(
        *width_rule(k, window), pad, weighted
    ),
    sweep=_swept_windowdiff,
)
def windowdiff(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    pad: Annotated[str, PAD] = "none",
    weighted: Annotated[bool, _WEIGHTED] = False,
    window: Annotated[str, _WINDOW] = "boundaries",
    like: Annotated[str | None, _LIKE_WD] = None,
) -> Counts:
    r"""Share of windows that hold a different number of boundaries on the two sides.

    .. math:: WD = \frac{1}{N-k} \sum_{i=0}^{N-k-1} [\, R_i \ne H_i \,]

    N is the number of units; R_i and H_i are the boundaries of reference and hypothesis in the
    window (i, i+k]. 0 is perfect, 1 is worst; undefined for a text of one unit. ``weighted`` adds
    up \|R_i - H_i\| and reaches from 0 to k. Known weakness: an error near the ends of the text is
    seen by fewer than k windows and costs less; ``pad="lamprier"`` evens that out (k-1 phantom
    units at both ends; fournier2012 speaks of k).

    >>> from fencepost import windowdiff
    >>> score = windowdiff([5, 5], [4, 6], k=3)
    >>> score.counts
    {'differing': 2, 'windows': 7}
    >>> score.signature  # doctest: +ELLIPSIS
    'windowdiff|k:3|pad:none|fencepost:...'
    """
    width = widths(pairs, k, window)
    if weighted:  # every cut is counted in k windows
        _check_products(pairs, width, pairs.ref.counts + pairs.hyp.counts)
    counts = _core.window_diff(pairs.rows, width, pad, weighted)
    return _as_tools_count(counts, pairs.units, k, one_unit=True)


def _f(true: Values, found: Values, wanted: Values, windows: Values, share: Values) -> Values:
    """Return a share of true positives: 1 with nothing to find, 0 with cuts on one side only."""
    nothing = true + found + wanted == 0
    value = np.where(nothing, 1.0, np.where(true == 0, 0.0, share))
    return np.where(windows == 0, np.nan, value)


def _winpr(pairs: Pairs, k: int | str) -> Counts:
    width = widths(pairs, k)  # true negatives are positions in all windows: about k times the units
    return _core.winpr(pairs.rows, _check_products(pairs, width, pairs.units + width))


def _winpr_bounds(
    stated: Stated, tp: Values, fp: Values, fn: Values, windows: Values, k: int | str
) -> Bounds:
    """Every boundary is in k windows, and every window has k positions or phantoms."""
    fits = windows > 0
    width = np.where(fits, np.where(stated.alone, windows - stated.units + 2, stated.units), 0)
    least, most = stated.boundaries()
    rest = width * (windows - width + 1) - tp - fp - fn  # of all positions in all windows
    return {
        "windows": stated.windows(windows, k, "lamprier"),
        "tp": (0, width * most),
        "fn": stated.exactly(width * least - tp, width * most - tp),
        "fp": (0, width * stated.most_boundaries() - tp),
        "tn": stated.exactly(rest, np.where(stated.alone, rest, width * windows)),
    }


# What WinPR's precision, recall and F1 declare alike.
_OF_WINPR: dict[str, Any] = {
    "cite": "Scaiano & Inkpen (2012), NAACL-HLT",
    "counts": ("tp", "fp", "fn", "tn", "windows"),
    "better": "higher",
    "undefined": undefined_windows,
    "tally": tally_widths,
    "facts": width_facts,
    "windows": _by_number,
    "single": lambda k: _core.single_winpr(*width_rule(k)),
    "bounds": _winpr_bounds,
}


@metric(
    title="WinPR precision",
    value=lambda tp, fp, fn, windows: _f(tp, fp, fn, windows, tp / (tp + fp)),
    **_OF_WINPR,
)
def winpr_precision(pairs: Pairs, *, k: Annotated[int | str, K] = "auto") -> Counts:
    r"""Share of the hypothesis' boundaries, summed over windows, that the reference has too.

    .. math:: P = \frac{\sum_i \min(R_i, H_i)}{\sum_i H_i}

    R_i and H_i are the boundaries of reference and hypothesis in window i of k positions; k-1
    phantom units at both ends let every position count k times. 1 is perfect, 0 is worst; 1 where
    neither side has a boundary, 0 where only one has, undefined for a text of one unit. Known
    weakness: it inherits WindowDiff's dependence on k.

    >>> from fencepost import winpr_precision
    >>> winpr_precision([3, 4, 5], [4, 3, 2, 3], k=2).counts
    {'tp': 3, 'fp': 3, 'fn': 1, 'tn': 15, 'windows': 12}
    """
    return _winpr(pairs, k)


@metric(
    title="WinPR recall",
    value=lambda tp, fp, fn, windows: _f(tp, fp, fn, windows, tp / (tp + fn)),
    **_OF_WINPR,
)
def winpr_recall(pairs: Pairs, *, k: Annotated[int | str, K] = "auto") -> Counts:
    r"""Share of the reference's boundaries, summed over windows, that the hypothesis has too.

    .. math:: R = \frac{\sum_i \min(R_i, H_i)}{\sum_i R_i}

    R_i and H_i are the boundaries of reference and hypothesis in window i of k positions; k-1
    phantom units at both ends let every position count k times. 1 is perfect, 0 is worst; 1 where
    neither side has a boundary, 0 where only one has, undefined for a text of one unit. Known
    weakness: it inherits WindowDiff's dependence on k.

    >>> from fencepost import winpr_recall
    >>> winpr_recall([3, 4, 5], [4, 3, 2, 3], k=2).value
    0.75
    """
    return _winpr(pairs, k)


@metric(
    title="WinPR F1",
    value=lambda tp, fp, fn, windows: _f(tp, fp, fn, windows, 2 * tp / (2 * tp + fp + fn)),
    **_OF_WINPR,
)
def winpr_f(pairs: Pairs, *, k: Annotated[int | str, K] = "auto") -> Counts:
    r"""Harmonic mean of WinPR precision and recall.

    .. math:: F = \frac{2 \sum_i \min(R_i, H_i)}{\sum_i R_i + \sum_i H_i}

    R_i and H_i are the boundaries of reference and hypothesis in window i of k positions; k-1
    phantom units at both ends let every position count k times. 1 is perfect, 0 is worst; 1 where
    neither side has a boundary, 0 where only one has, undefined for a text of one unit. Known
    weakness: it inherits WindowDiff's dependence on k.

    >>> from fencepost import winpr_f
    >>> round(winpr_f([3, 4, 5], [4, 3, 2, 3], k=2), 3)
    0.6
    """
    return _winpr(pairs, k)


def _c_seg_value(
    missed: Values,
    present: Values,
    alarms: Values,
    absent: Values,
    c_miss: float,
    c_fa: float,
    p_seg: float,
) -> Values:
    # A part without its kind of window is left out.
    miss = np.where(present == 0, 0.0, missed / present)
    alarm = np.where(absent == 0, 0.0, alarms / absent)
    cost = c_miss * miss * p_seg + c_fa * alarm * (1 - p_seg)
    return np.where(present + absent == 0, np.nan, cost)


def _cost_bounds(stated: Stated, present: Values, absent: Values, k: int | str) -> Bounds:
    least, most = stated.windows(present + absent, k)
    return {
        "absent": (least - present, most - present),
        "missed": (0, present),
        "alarms": (0, absent),
    }


@metric(
    title="C_seg",
    cite="Topic Detection and Tracking evaluation (NIST 1998-2004)",
    counts=("missed", "present", "alarms", "absent"),
    value=_c_seg_value,
    better="lower",
    range=lambda c_miss, c_fa, p_seg, **_: (0.0, c_miss * p_seg + c_fa * (1 - p_seg)),
    undefined=undefined_windows,
    tally=tally_widths,
    facts=width_facts,
    windows=_by_presence,
    bounds=_cost_bounds,
    single=lambda k, **_: _core.single_c_seg(*width_rule(k)),
    sweep=_swept_c_seg,
)
def c_seg(
    pairs: Pairs,
    *,
    k: Annotated[int | str, K] = "auto",
    c_miss: Annotated[float, Number("cost of a missing boundary", high=1e6)] = 1.0,
    c_fa: Annotated[float, Number("cost of an extra boundary", high=1e6)] = 0.3,
    p_seg: Annotated[float, Number("prior of a boundary in a window", high=1.0)] = 0.3,
) -> Counts:
    r"""Detection cost: missing and extra boundaries over windows, weighted apart.

    .. math:: C_{seg} = C_{miss} P_{miss} P_{seg} + C_{fa} P_{fa} (1 - P_{seg})

    P_miss is a share of the windows with a reference boundary: those in which the hypothesis has
    none. P_fa is a share of the windows without one: those in which the hypothesis has one. A part
    without such windows is ignored. 0 is perfect, C_miss P_seg + C_fa (1 - P_seg) is worst;
    undefined for a text of one unit. Known weakness: like Pk it does not count boundaries within a
    window.

    >>> from fencepost import c_seg
    >>> c_seg([3, 4, 5], [4, 3, 2, 3], k=2).counts
    {'missed': 1, 'present': 4, 'alarms': 3, 'absent': 6}
    """
    return _core.c_seg(pairs.rows, widths(pairs, k))
