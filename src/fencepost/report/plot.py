"""Drawings for papers: functions that take matplotlib Axes, draw on them and return them.

They set no global state, and choose neither figures nor fonts: ``pip install 'fencepost[plot]'``,
then ``fig, ax = plt.subplots(); fencepost.report.plot.strips(ax, ref, hyp)``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fencepost.metrics.edit import boundary_similarity
from fencepost.metrics.score import Score
from fencepost.model.checks import FencepostError
from fencepost.model.corpus import Corpus
from fencepost.model.edits import Edge, Edit
from fencepost.model.join import BASELINES
from fencepost.model.levels import Ladder, Order
from fencepost.model.segmentation import Segmentable, Segmentation, as_segmentation
from fencepost.report.cards import enough_digits, figure
from fencepost.report.strips import (
    BLUE,
    COLOURS,
    Bars,
    Sort,
    cut_shares,
    ends_of,
    offset_bars,
    size_bars,
    sort_of,
    types_at,
)
from fencepost.scoring.tables import Table
from fencepost.study.probing import PROPERTIES, Card, Cards
from fencepost.study.probing.base import half_of_interval, mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A second way to tell kinds of edits apart, for those who see no colours and for print.
MARKERS = {"match": "|", "near": ">", "missing": "D", "extra": "P", "kind": "s"}
LIGHT = "#9cc7e6", "#d3e5f2"
DARK = "#0b3d60"  # of boundaries with levels
ROOM_FOR_LEGEND = 0.3  # below the strips, which are 1 apart
STYLES = ("-", "--", "-.", ":")
# Sign, colour and whether it is filled.
VERDICTS = {
    "yes": ("o", COLOURS["kind"], True),
    "no": ("D", COLOURS["missing"], False),
    "undefined": ("_", COLOURS["match"], False),
}
# Of tables the library makes: what stands across, up, and whose lines they are.
CURVES: dict[str, tuple[str, str, str | None]] = {
    "scores": ("system", "value", "metric"),
    "power": ("texts", "power", None),
    "curves": ("x", "loss", "metric"),
    "curve": ("threshold", "value", "metric"),
}
MAX_LETTERS_ACROSS = 20  # signs of all names below an axis that stand side by side


class PlotError(FencepostError):
    """What cannot be drawn."""


def strips(
    ax: Axes,
    ref: Segmentable,
    hyp: Segmentable | Mapping[str, Segmentable],
    *,
    names: tuple[str, str] = ("reference", "hypothesis"),
    score: Score | Mapping[str, Score] | None = None,
    types: Order = None,
) -> Axes:
    """Draw a reference above one or more hypotheses, with the edits of B between them.

    ``hyp`` may be several by name. ``score`` brings the edits of another metric (S, S_f, A, B
    with other settings): the score of the hypothesis, or of several by the same names. Boundary
    types that are levels (numbers, or names in the order of ``types``) get a band per level, and
    the coarser a boundary, the taller and thicker it is.
    """
    first = as_segmentation(ref, "the reference")
    several = hyp if isinstance(hyp, Mapping) else {names[1]: hyp}
    others = {name: as_segmentation(one, name) for name, one in several.items()}
    scores = _scores(first, others, score)
    ladder = Ladder.of([first, *others.values()], types)
    _strip(ax, first, 0.0, ladder)
    for number, (name, other) in enumerate(others.items(), start=1):
        for edit in scores[name].edits:
            if isinstance(edit, Edge):
                _ribbon(ax, edit, float(number))
            else:
                _edit(ax, edit, float(number))
        _strip(ax, other, float(number), ladder, down=True)
    if ladder is not None:
        _level_legend(ax, ladder)
    ax.set_yticks(range(len(others) + 1), [names[0], *others])
    below = 0.35 + (ROOM_FOR_LEGEND if ladder is not None else 0)
    ax.set_ylim(len(others) + below, -0.35)
    edge = 0.015 * first.units  # a cut after the last unit has a mark, too
    ax.set_xlim(-edge, first.units + edge)
    ax.set_xlabel("units")
    return ax


def _scores(
    first: Segmentation,
    others: Mapping[str, Segmentation],
    given: Score | Mapping[str, Score] | None,
) -> Mapping[str, Score]:
    """Return a score for each hypothesis, of these very texts."""
    if given is None:
        return {name: boundary_similarity(first, other) for name, other in others.items()}
    if isinstance(given, Score):
        if len(others) != 1:
            raise PlotError(
                f"one score has the edits of one hypothesis, and there are {len(others)}: "
                f"give one for each by name, score={{{', '.join(map(repr, others))}: ...}}"
            )
        given = dict.fromkeys(others, given)
    missing = [name for name in others if name not in given]
    if missing:
        raise PlotError(f"no score for {', '.join(missing)}; there is {', '.join(given) or 'none'}")
    for name, other in others.items():
        _check_score(given[name], first, other, name)
    return given


def _check_score(score: Score, first: Segmentation, other: Segmentation, name: str) -> None:
    if score._explain is None:
        raise PlotError(f"{score.metric} keeps no edits to draw; S, B, S_f and A do")
    pairs = score._pairs
    if pairs is None:
        return
    for side, seg in (("ref", first), ("hyp", other)):
        own = pairs.segmentation(0, "ref" if side == "ref" else "hyp")
        if own.units != seg.units or own.places.tolist() != seg.places.tolist():
            what = "reference" if side == "ref" else "hypothesis"
            raise PlotError(f"the score given for {name} is of another {what} than the one drawn")


def _strip(
    ax: Axes, seg: Segmentation, y: float, ladder: Ladder | None = None, *, down: bool = False
) -> None:
    if ladder is not None:
        _bands(ax, seg, y, ladder, down)
        return
    _segments(ax, ends_of(seg), y - 0.2, 0.4)
    if seg.kinds is not None:
        for place, kinds in types_at(seg).items():
            ax.text(place, y, " ".join(kinds), ha="right", va="center", fontsize="small")


def _segments(ax: Axes, ends: Sequence[int], y: float, high: float) -> None:
    spans = [(a, b - a) for a, b in pairwise(ends)]
    colours = [LIGHT[i % 2] for i in range(len(spans))]
    ax.broken_barh(spans, (y, high), facecolors=colours, edgecolors="white", linewidth=0.8)


def _bands(ax: Axes, seg: Segmentation, y: float, ladder: Ladder, down: bool) -> None:
    """Draw a band per level, the finest next to the other strip, and boundaries through them."""
    reached, count = ladder.reached(seg), len(ladder.rungs)
    high = 0.4 / count
    near, away = (y - 0.2, 1) if down else (y + 0.2, -1)  # the side of the other strip (y is down)
    for rung in range(count):
        far = near + away * high * (count - rung)
        ends = [0, *(place for place, top in reached.items() if top <= rung), seg.units]
        _segments(ax, ends, min(far, far - away * high), high)
        own = [place for place, top in reached.items() if top == rung]
        ax.vlines(own, near, far, colors=DARK, linewidths=ladder.thickness(rung), zorder=3)


def _level_legend(ax: Axes, ladder: Ladder) -> None:
    """Name the levels by their thickness, the coarsest first, below the last strip."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=DARK, linewidth=ladder.thickness(rung), label=name)
             for rung, name in enumerate(ladder.labels)]  # fmt: skip
    # Inside the axes: what is outside would be cut off in a file.
    ax.legend(handles=lines, loc="lower center", ncols=len(lines), frameon=False,
              fontsize="small", borderaxespad=0.1)  # fmt: skip


def _ribbon(ax: Axes, edge: Edge, y: float) -> None:
    """Two segments that A puts together; the heavier the fuller."""
    (a, b), (c, d) = edge.ref_span, edge.hyp_span
    ax.fill([a, b, d, c], [y - 0.8, y - 0.8, y - 0.2, y - 0.2], color=BLUE, linewidth=0,
            alpha=0.1 + 0.4 * edge.weight)  # fmt: skip


def _edit(ax: Axes, edit: Edit, y: float) -> None:
    sort = sort_of(edit)
    colour = COLOURS[sort]
    moved = edit.side is None and edit.start != edit.end
    if edit.ref is not None and edit.hyp is not None:
        ax.annotate("", (edit.hyp, y - 0.2), (edit.ref, y - 0.8),
                    arrowprops={"arrowstyle": "->" if moved else "-",
                                "color": colour, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    if moved:
        ax.text(edit.end, y - 0.5, f" {edit.end - edit.start}", color=colour, va="center")
    if edit.side is not None or edit.ref_kind != edit.hyp_kind:
        sign: Sort = sort if edit.side is not None else "kind"
        fill = "none" if sign == "missing" else COLOURS[sign]
        ax.plot([(edit.start + edit.end) / 2], [y - 0.5], MARKERS[sign], color=COLOURS[sign],
                markerfacecolor=fill, clip_on=False)  # fmt: skip


def heat_map(ax: Axes, corpus: Corpus, text: str, stream: str = "") -> Axes:
    """Draw how many annotators set a boundary at each position (fournier2012, Figure 11)."""
    own = [s for k, s in corpus.entries.items() if (k.text, k.stream) == (text, stream)]
    if not own:
        raise KeyError(f"{corpus.name} has no text {text!r}")
    shares = cut_shares(own)
    inner = np.array([[shares.get(place, 0.0) for place in range(1, own[0].units)]])
    extent = (0.5, own[0].units - 0.5, 0.0, 1.0)
    ax.imshow(inner, aspect="auto", cmap="Blues", vmin=0, vmax=1,
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
    known = square[np.isfinite(square)]
    top = known.max() if known.size else 1.0
    digits = 0 if (known == np.round(known)).all() else 2  # counts, or shares: the same in all
    for i, j in np.argwhere(np.isfinite(square)).tolist():
        dark = square[i, j] > 0.6 * top
        ax.text(j, i, f"{square[i, j]:.{digits}f}", ha="center", va="center",
                color="white" if dark else "black")  # fmt: skip
    _name_columns(ax, columns)
    ax.set_yticks(range(len(rows)), rows)
    return ax


def _name_columns(ax: Axes, names: Sequence[str]) -> None:
    """Names below the columns, turned where they would run into each other."""
    ax.set_xticks(range(len(names)), names)
    if sum(len(str(name)) + 1 for name in names) > MAX_LETTERS_ACROSS:
        for label in ax.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")


def confusion(ax: Axes, table: Table, stream: str = "all") -> Axes:
    """Draw which boundary types were confused: the table of :func:`fencepost.confusions`."""
    own = table.where(stream=stream) if "stream" in table.columns else table
    matrix(ax, own, value="count", symmetric=False)
    ax.set_ylabel("first")
    ax.set_xlabel("second")
    return ax


def offsets(ax: Axes, refs: Sequence[Segmentable], hyps: Sequence[Segmentable],
            most: int = 6, **bars: Any) -> Axes:  # fmt: skip
    """Draw how far boundaries are from the nearest of the reference: 0 is exact, + is too late."""
    counted = offset_bars([as_segmentation(s) for s in refs], [as_segmentation(s) for s in hyps],
                          most)  # fmt: skip
    return _bars(ax, counted, "distance to the nearest boundary", "boundaries", bars)


def sizes(ax: Axes, segs: Sequence[Segmentable], **bars: Any) -> Axes:
    """Draw how many segments have which size."""
    counted = size_bars([as_segmentation(s) for s in segs])
    return _bars(ax, counted, "units", "segments", bars)


def _bars(ax: Axes, counted: Bars, x: str, y: str, settings: Mapping[str, Any]) -> Axes:
    ax.bar(range(len(counted)), [n for _, n in counted], **{"color": BLUE, **settings})
    _name_columns(ax, [name for name, _ in counted])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.locator_params(axis="y", integer=True)  # these are counts
    return ax


Points: TypeAlias = Sequence[float] | npt.NDArray[np.float64]
Draws: TypeAlias = Sequence[Points]


def curves(
    ax: Axes,
    x: Sequence[float] | Table,
    series: Mapping[str, Points | Draws | tuple[Points, Points, Points]] | None = None,
    *,
    columns: tuple[str, str, str | None] | None = None,
) -> Axes:
    """Draw lines over x, with bands: what simulations give.

    A series is a value for each x; several draws for each x (then the line is their mean and the
    band its 95% interval); or a tuple of values, low and high. Instead of x and series a Table may
    be given: the scores of systems that were simulated with rising errors, the table of
    ``fp.power(simulate=...)``, or the points of a report card. Any other table needs ``columns``,
    the names of x, of y and (or None) of whose lines they are. Its bands are its columns low and
    high.
    """
    if isinstance(x, Table):
        return _table_curves(ax, x, columns)
    for number, (name, given) in enumerate((series or {}).items()):
        values, low, high = _with_band(given, len(x), name)
        _line(ax, number, name, x, values, low, high)
    if series:
        ax.legend()
    return ax


def _with_band(given: Any, count: int, name: str) -> tuple[Any, Any, Any]:
    if isinstance(given, tuple) and len(given) == 3 and not np.isscalar(given[0]):
        parts = [np.asarray(part, dtype=np.float64) for part in given]
    elif len(given) and not np.isscalar(given[0]):
        draws = [np.asarray(own, dtype=np.float64) for own in given]
        means, halves = (np.array([f(own) for own in draws]) for f in (mean, half_of_interval))
        parts = [means, means - halves, means + halves]
    else:
        parts = [np.asarray(given, dtype=np.float64)]
    if any(part.shape != (count,) for part in parts):
        raise PlotError(f"{name}: there are {count} positions on x, but {len(parts[0])} values")
    values, low, high = (*parts, None, None)[:3]
    return values, low, high


def _line(ax: Axes, number: int, name: str, x: Any, values: Any, low: Any, high: Any) -> None:
    (line,) = ax.plot(x, values, STYLES[number % len(STYLES)], label=name)
    if low is not None:
        ax.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)


def _table_curves(ax: Axes, table: Table, columns: tuple[str, str, str | None] | None) -> Axes:
    across, value, by = columns or CURVES.get(table.name, ("", "", None))
    for name in (across, value, *([by] if by else [])):
        if name not in table.columns:
            raise PlotError(
                f"the table has no column {name!r}; name x, y and whose lines they are: "
                f'columns=("texts", "power", None). It has {", ".join(table.columns)}'
            )
    shown = _without_baselines(table, across)
    lines: dict[str, list[Mapping[str, Any]]] = {}
    for row in shown:
        lines.setdefault(row[by] if by else value, []).append(row)
    names = [row[across] for row in shown]
    places = _places(names)
    for number, (name, rows) in enumerate(lines.items()):
        own = [places[str(row[across])] for row in rows]
        if len(set(own)) < len(own):
            raise PlotError(f"{name} has several values at one {across}: choose with table.where()")
        low, high = _table_band(rows, value)
        _line(ax, number, name, own, [row[value] for row in rows], low, high)
    if not _numbers(names):
        ax.set_xticks(list(places.values()), list(places))
    ax.set_xlabel(across)
    ax.set_ylabel(value)
    ax.legend()
    return ax


def _without_baselines(table: Table, across: str) -> list[Mapping[str, Any]]:
    """Baselines have no place on a scale: they are left out where systems are numbers."""
    rows: list[Mapping[str, Any]] = list(table.rows)
    own = [row for row in rows if across != "system" or row[across] not in BASELINES]
    return own if own and _numbers([row[across] for row in own]) else rows


def _numbers(values: Sequence[Any]) -> bool:
    try:
        return all(math.isfinite(float(value)) for value in values)
    except (TypeError, ValueError):
        return False


def _places(values: Sequence[Any]) -> dict[str, float]:
    """Return where to draw each: numbers (also as text) at their value, names side by side."""
    if _numbers(values):
        return {str(value): float(value) for value in values}
    return {name: float(i) for i, name in enumerate(dict.fromkeys(map(str, values)))}


def _table_band(rows: Sequence[Mapping[str, Any]], value: str) -> tuple[Any, Any]:
    if all(row.get("low") is not None and row.get("high") is not None for row in rows):
        return [row["low"] for row in rows], [row["high"] for row in rows]
    if all(row.get("standard_error") is not None for row in rows):
        halves = [1.96 * row["standard_error"] for row in rows]
        both = list(zip(rows, halves, strict=True))
        return [row[value] - h for row, h in both], [row[value] + h for row, h in both]
    return None, None


def card(ax: Axes, given: Card | Cards | Table) -> Axes:
    """Draw a report card, or several: for each property a mark of its verdict, and the figure.

    Figures of different properties have no common scale, so none is drawn: the mark says on
    which side of its threshold (beside the name) each one is. ``given`` is what ``fp.probe``
    gives, or its ``table()``.
    """
    table = given if isinstance(given, Table) else given.table()
    lacking = [n for n in ("metric", "property", "figure", "verdict") if n not in table.columns]
    if lacking:
        raise PlotError(f"no report card: the table has no column {lacking[0]!r}; see fp.probe")
    metrics = list(dict.fromkeys(table.column("metric")))
    properties = list(dict.fromkeys(table.column("property")))
    for row in table.rows:
        x, y = metrics.index(row["metric"]), properties.index(row["property"])
        sign, colour, fill = VERDICTS[row["verdict"]]
        ax.plot([x], [y], sign, color=colour, markerfacecolor=colour if fill else "none")
        ax.text(x + 0.1, y, f"{row['verdict']} {_figure(row)}", va="center", fontsize="small")
    said = {row["property"]: row["threshold"] for row in table.rows}
    ax.set_yticks(range(len(properties)), [f"{name} ({said[name]})" for name in properties])
    ax.set_ylim(len(properties) - 0.5, -0.5)
    ax.set_xlim(-0.3, len(metrics) - 0.2)
    for side in ax.spines.values():
        side.set_visible(False)  # figures may be longer than a column: nothing crosses them
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(metrics)), metrics)
    return ax


def _figure(row: Mapping[str, Any]) -> str:
    known = {one.name: one.threshold for one in PROPERTIES}
    if row["property"] not in known:
        return figure(row["figure"])
    return enough_digits(row["figure"], known[row["property"]])
