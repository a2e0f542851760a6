"""Figures of whole studies, where matplotlib is installed: curves of report cards and papers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fencepost.files import writing
from fencepost.model.checks import FencepostError
from fencepost.scoring.tables import Table
from fencepost.study.papers.base import Run
from fencepost.study.probing.base import Curve
from fencepost.study.probing.card import Card
from fencepost.wording import needs

Panel = Callable[[Any], None]
MAX_MARKED_POINTS = 40  # of a line; longer ones have no marks


def figure_class() -> Any:
    """Return matplotlib's Figure, or raise ImportError that says how to get it."""
    return needs("matplotlib.figure", "--plot").Figure


def draw_panels(panels: Sequence[Panel]) -> Any:
    """Return a figure with these panels, at most three in a row."""
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    drawn = figure_class()(figsize=(4.2 * columns, 3.2 * lines), layout="constrained")
    axes = drawn.subplots(lines, columns, squeeze=False).ravel()
    for ax in axes[len(panels) :]:
        ax.remove()
    for panel, ax in zip(panels, axes, strict=False):
        panel(ax)
    return drawn


def save(drawn: Any, path: str) -> None:
    """Draw into a file; its ending says the form (png, svg, pdf)."""
    ending = Path(path).suffix[1:].lower()
    if ending not in drawn.canvas.get_supported_filetypes():
        raise FencepostError(f"{path}: a plot ends in .png, .svg or .pdf, found {ending!r}")
    with writing(path) as stream:
        drawn.savefig(stream, format=ending)


# Report cards: a panel for each curve, a line for each metric.


def draw_cards(cards: Sequence[Card]) -> Any:
    """Return a figure with one panel for each curve and one line for each metric."""
    names = list(dict.fromkeys(name for card in cards for name in card.curves))
    if not names:
        raise FencepostError("none of these properties has a curve to draw")
    drawn = draw_panels([
        _curves([(card.heading, card.curves[name]) for card in cards if name in card.curves])
        for name in names
    ])  # fmt: skip
    drawn.axes[0].legend(fontsize="small")
    return drawn


def _curves(own: Sequence[tuple[str, Curve]]) -> Panel:
    def draw(ax: Any) -> None:
        curve = own[0][1]
        if curve.labels:
            _bars(ax, own)
        else:
            for label, one in own:
                mark = "." if len(one.x) < MAX_MARKED_POINTS else ""
                (line,) = ax.plot(one.x, one.y, marker=mark, label=label)
                if one.band:
                    colour = line.get_color()
                    ax.fill_between(one.x, *one.band, color=colour, alpha=0.2, linewidth=0)
            ax.set_xlabel(curve.x_label)
        ax.set_title(curve.name, fontsize="medium")
        ax.set_ylabel("loss")
        # Only now: a limit that is set holds for all lines that follow.
        if not any(value < 0 for _, one in own for value in one.y):
            ax.set_ylim(bottom=0)

    return draw


def _bars(ax: Any, own: Sequence[tuple[str, Curve]]) -> None:
    """Bars side by side, where the points are names and no scale."""
    width = 0.8 / len(own)
    for at, (label, curve) in enumerate(own):
        shift = (at - (len(own) - 1) / 2) * width
        ax.bar([x + shift for x in curve.x], curve.y, width, yerr=curve.half or None, label=label)
    ax.set_xticks(own[0][1].x, own[0][1].labels)


# Papers: a panel for each figure that is a curve.


def _fournier2012(run: Run) -> list[Panel]:
    """Figures 5a, 5b and 5c."""
    from fencepost.study.papers.fournier2012 import curve_5a, curve_5b, curve_5c

    return [_lines(curve()) for curve in (curve_5a, curve_5b, curve_5c)]


def _lines(table: Table) -> Panel:
    """Make a panel with the first column across and all others as lines."""
    across, *others = table.columns

    def draw(ax: Any) -> None:
        for name in others:
            ax.plot(table.column(across), table.column(name), label=name)
        ax.set_title(f"fournier2012, {table.name}", fontsize="medium")
        ax.set_xlabel(across)
        ax.legend(fontsize="small")

    return draw


def _diaz2022(run: Run) -> list[Panel]:
    """Figures 13 to 15: the share of references that a metric fails on, the longest in full."""
    from fencepost.study.papers.diaz2022 import ABOUT, curves

    largest = 10 if run.fast else 20
    table = curves(largest)
    return [_shares(table, kind, figure, largest) for kind, figure in ABOUT.items()]


def _shares(table: Table, kind: str, figure: str, largest: int) -> Panel:
    def draw(ax: Any) -> None:
        styles = {"windowdiff": "-", "B": "--", "A": ":"}  # curves that coincide stay visible
        for units in sorted({largest // 2, 3 * largest // 4, largest}):
            colour = ax.plot([], [])[0].get_color()
            for metric, style in styles.items():
                rows = [r for r in table.rows if (r["error"], r["units"], r["metric"])
                        == (kind, units, metric)]  # fmt: skip
                ax.plot([r["units"] / r["segments"] for r in rows], [r["share"] for r in rows],
                        style, color=colour, label=f"{metric}, n = {units}")  # fmt: skip
        ax.set_title(f"diaz2022, {figure}: {kind}", fontsize="medium")
        ax.set_xlabel("mean segment size n/m")
        ax.set_ylabel("share of references")
        ax.legend(fontsize="x-small")

    return draw


PAPERS: dict[str, Callable[[Run], list[Panel]]] = {
    "fournier2012": _fournier2012,
    "diaz2022": _diaz2022,
}


def draw_papers(keys: Sequence[str], run: Run) -> Any:
    """Return a figure with the curves of those papers that have some."""
    return draw_panels([panel for key in keys if key in PAPERS for panel in PAPERS[key](run)])
