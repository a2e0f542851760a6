"""Drawings for papers: functions that take matplotlib Axes, draw on them and return them.

They set no global state, and choose neither figures nor fonts: ``pip install 'fencepost[plot]'``,
then ``fig, ax = plt.subplots(); fencepost.plot.strips(ax, ref, hyp)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fencepost.corpus import Corpus
from fencepost.metrics.edit import boundary_similarity
from fencepost.report.html.svg import BLUE, COLOURS, what_of
from fencepost.report.html.views import offset_bars, size_bars
from fencepost.result import Edit, Score, Table
from fencepost.segmentation import Segmentable, Segmentation, as_segmentation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A second way to tell kinds of edits apart, for those who see no colours and for print.
MARKERS = {"match": "|", "near": ">", "missing": "D", "extra": "P", "kind": "s"}
LIGHT = "#9cc7e6", "#d3e5f2"


def strips(
    ax: Axes,
    ref: Segmentable,
    hyp: Segmentable | Mapping[str, Segmentable],
    *,
    names: tuple[str, str] = ("reference", "hypothesis"),
    score: Score | None = None,
) -> Axes:
    """A reference above one or more hypotheses, with the edits of B between them.

    ``hyp`` may be several by name. ``score`` brings the edits of another metric (S, S_f, B with
    other settings) for a single hypothesis.
    """
    first = as_segmentation(ref, "the reference")
    several = hyp if isinstance(hyp, Mapping) else {names[1]: hyp}
    others = {name: as_segmentation(one, name) for name, one in several.items()}
    _strip(ax, first, 0.0)
    for number, other in enumerate(others.values(), start=1):
        found = score if score is not None else boundary_similarity(first, other)
        _between(ax, [e for e in found.edits if isinstance(e, Edit)], float(number))
        _strip(ax, other, float(number))
    ax.set_yticks(range(len(others) + 1), [names[0], *others])
    ax.set_ylim(len(others) + 0.35, -0.35)
    ax.set_xlim(0, first.units)
    ax.set_xlabel("units")
    return ax


def _strip(ax: Axes, seg: Segmentation, y: float) -> None:
    bounds = [0, *seg.places.tolist(), seg.units]
    spans = [(a, b - a) for a, b in pairwise(bounds)]
    colours = [LIGHT[i % 2] for i in range(len(spans))]
    ax.broken_barh(spans, (y - 0.2, 0.4), facecolors=colours, edgecolors="white", linewidth=0.8)


def _between(ax: Axes, edits: Sequence[Edit], y: float) -> None:
    for edit in edits:
        what = what_of(edit)
        colour = COLOURS[what]
        if edit.ref is not None and edit.hyp is not None:
            ax.annotate("", (edit.hyp, y - 0.2), (edit.ref, y - 0.8),
                        arrowprops={"arrowstyle": "->" if what == "near" else "-",
                                    "color": colour, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
            if what == "near":
                ax.text(edit.end, y - 0.5, f" {edit.end - edit.start}", color=colour, va="center")
        if what in ("missing", "extra", "kind"):
            fill = "none" if what == "missing" else colour
            ax.plot([edit.start], [y - 0.5], MARKERS[what], color=colour, markerfacecolor=fill)


def heat_map(ax: Axes, corpus: Corpus, text: str, stream: str = "") -> Axes:
    """How many coders cut at each place of a text (fournier2012, Figure 11)."""
    own = [s for k, s in corpus.entries.items() if (k.text, k.stream) == (text, stream)]
    if not own:
        raise KeyError(f"{corpus.name} has no text {text!r}")
    counts = np.zeros(own[0].units - 1)
    for seg in own:
        inner = seg.places[seg.places < seg.units]
        counts[inner - 1] += 1
    extent = (0.5, own[0].units - 0.5, 0.0, 1.0)
    ax.imshow(counts[None, :] / len(own), aspect="auto", cmap="Blues", vmin=0, vmax=1,
              extent=extent, interpolation="nearest")  # fmt: skip
    ax.set_yticks([])
    ax.set_ylabel(text)
    ax.set_xlabel("after unit")
    return ax


def matrix(ax: Axes, table: Table, *, first: str = "first", second: str = "second",
           value: str = "value", symmetric: bool = True) -> Axes:  # fmt: skip
    """Two columns of names against each other: every two coders, or every two systems."""
    rows = list(dict.fromkeys(table.column(first)))
    columns = list(dict.fromkeys(table.column(second)))
    if symmetric:
        rows = columns = list(dict.fromkeys([*rows, *columns]))
    square = np.full((len(rows), len(columns)), np.nan)
    for row in table.rows:
        i, j = rows.index(row[first]), columns.index(row[second])
        square[i, j] = row[value]
        if symmetric:
            square[j, i] = row[value]
    ax.imshow(square, cmap="Blues", vmin=0)
    top = np.nanmax(square) if np.isfinite(square).any() else 1.0
    for i, j in np.argwhere(np.isfinite(square)).tolist():
        dark = square[i, j] > 0.6 * top
        ax.text(j, i, f"{square[i, j]:.3g}", ha="center", va="center",
                color="white" if dark else "black")  # fmt: skip
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    return ax


def confusion(ax: Axes, table: Table, stream: str = "all") -> Axes:
    """Which kinds were taken for which: the table of :func:`fencepost.confusions`."""
    own = table.where(stream=stream) if "stream" in table.columns else table
    matrix(ax, own, value="count", symmetric=False)
    ax.set_ylabel("first")
    ax.set_xlabel("second")
    return ax


def offsets(ax: Axes, refs: Sequence[Segmentable], hyps: Sequence[Segmentable],
            most: int = 6, **bars: Any) -> Axes:  # fmt: skip
    """How far each hypothesis' cut is from the nearest reference's: 0 is exact, + is too late."""
    counted = offset_bars([as_segmentation(s) for s in refs], [as_segmentation(s) for s in hyps],
                          most)  # fmt: skip
    return _bars(ax, counted, "distance to the nearest boundary", "boundaries", bars)


def sizes(ax: Axes, segs: Sequence[Segmentable], **bars: Any) -> Axes:
    """How many segments have which size."""
    counted = size_bars([as_segmentation(s) for s in segs])
    return _bars(ax, counted, "units", "segments", bars)


def _bars(
    ax: Axes, counted: Sequence[tuple[str, int]], x: str, y: str, settings: Mapping[str, Any]
) -> Axes:
    ax.bar(range(len(counted)), [n for _, n in counted], **{"color": BLUE, **settings})
    ax.set_xticks(range(len(counted)), [name for name, _ in counted])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def curves(
    ax: Axes,
    x: Sequence[float],
    series: Mapping[
        str, Sequence[float] | tuple[Sequence[float], Sequence[float], Sequence[float]]
    ],
) -> Axes:
    """Lines over x, with bands where a series is (values, low, high): what simulations give."""
    styles = ("-", "--", "-.", ":")
    for number, (name, given) in enumerate(series.items()):
        band = isinstance(given, tuple) and len(given) == 3 and not np.isscalar(given[0])
        values: Any = given[0] if band else given
        (line,) = ax.plot(x, values, styles[number % len(styles)], label=name)
        if band:
            ax.fill_between(x, given[1], given[2], color=line.get_color(), alpha=0.2, linewidth=0)
    ax.legend()
    return ax


def card(ax: Axes, table: Table, *, label: str = "metric", value: str = "value") -> Axes:
    """Values as points on lines of their own, with intervals where ``low`` and ``high`` are."""
    names = [str(row[label]) for row in table.rows]
    for y, row in enumerate(table.rows):
        if row.get("low") is not None and row.get("high") is not None:
            ax.plot([row["low"], row["high"]], [y, y], color=BLUE, linewidth=2)
        ax.plot([row[value]], [y], "o", color=BLUE)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel(value)
    return ax
