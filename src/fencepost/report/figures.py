"""Figures of whole studies, where matplotlib is installed: curves of report cards and papers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fencepost.files import writing
from fencepost.model.checks import FencepostError
from fencepost.report.tuning import best_points, curves
from fencepost.scoring.tables import Table
from fencepost.study.papers.base import Drawing, Paper, Run
from fencepost.study.probing.base import Curve
from fencepost.study.probing.card import Card
from fencepost.wording import needs

Panel = Callable[[Any], None]
STYLES = ("-", "--", ":", "-.")  # so that curves that coincide stay visible
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
    """Draw into a file; its ending says the form."""
    with writing(path) as stream:
        drawn.savefig(stream, format=Path(path).suffix[1:].lower())


# Report cards: a panel for each curve, a line for each metric.


def draw_cards(cards: Sequence[Card]) -> Any:
    """Return a figure with one panel for each curve and one line for each metric."""
    names = list(dict.fromkeys(name for card in cards for name in card.curves))
    if not names:
        raise FencepostError("none of these properties has a curve to draw")
    drawn = draw_panels([
        _curves([(number, card) for number, card in enumerate(cards) if name in card.curves], name)
        for name in names
    ])  # fmt: skip
    # No panel need have all metrics, so the legend is collected from all of them.
    handles = {label: handle for ax in reversed(drawn.axes)
               for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}  # fmt: skip
    known = [card.heading for card in cards if card.heading in handles]
    drawn.axes[0].legend([handles[name] for name in known], known, fontsize="small")
    return drawn


def _colour(number: int) -> str:
    """A metric has one colour in all panels, also in those that lack other metrics."""
    return f"C{number % 10}"


def _curves(own: Sequence[tuple[int, Card]], name: str) -> Panel:
    def draw(ax: Any) -> None:
        curve = own[0][1].curves[name]
        if curve.labels:
            _bars(ax, own, name)
        else:
            for number, card in own:
                _line(ax, number, card.heading, card.curves[name])
            ax.set_xlabel(curve.x_label)
        ax.set_title(curve.name, fontsize="medium")
        ax.set_ylabel("loss")
        # Only now: a limit that is set holds for all lines that follow.
        if not any(value < 0 for _, card in own for value in card.curves[name].y):
            ax.set_ylim(bottom=0)

    return draw


def _line(ax: Any, number: int, label: str, curve: Curve) -> None:
    mark = "." if len(curve.x) < MAX_MARKED_POINTS else ""
    style, colour = STYLES[number % len(STYLES)], _colour(number)
    ax.plot(curve.x, curve.y, style, marker=mark, label=label, color=colour)
    if curve.band:
        ax.fill_between(curve.x, *curve.band, color=colour, alpha=0.2, linewidth=0)


def _bars(ax: Any, own: Sequence[tuple[int, Card]], name: str) -> None:
    """Bars side by side, where the points are names and no scale."""
    width = 0.8 / len(own)
    for at, (number, card) in enumerate(own):
        curve = card.curves[name]
        shift = (at - (len(own) - 1) / 2) * width
        ax.bar([x + shift for x in curve.x], curve.y, width, yerr=curve.half or None,
               label=card.heading, color=_colour(number))  # fmt: skip
    first = own[0][1].curves[name]
    ax.set_xticks(first.x, first.labels)


# Tuned thresholds: a panel for each metric, a line for each system.


def draw_tuning(table: Table) -> Any:
    """Return a figure with the curves of a table of ``tune``, the best point of each marked."""
    best = best_points(table)
    panels = [
        partial(_tuned, title=title, systems=systems, best=best)
        for title, systems in curves(table).items()
    ]
    drawn = draw_panels(panels)
    if len(set(table.column("system"))) > 1:
        drawn.axes[0].legend(fontsize="small")
    return drawn


def _tuned(
    ax: Any,
    title: str,
    systems: Mapping[str, Curve],
    best: Mapping[tuple[str, str], tuple[float, float]],
) -> None:
    for number, (name, curve) in enumerate(systems.items()):
        (line,) = ax.plot(curve.x, curve.y, STYLES[number % len(STYLES)], label=name)
        ax.plot(*best[title, name], "o", color=line.get_color())
        ax.set_xlabel(curve.x_label)
    ax.set_title(title, fontsize="medium")
    ax.set_ylim(bottom=0)


# Papers: a panel for each figure that has lines.


def has_curves(paper: Paper, item: str | None = None) -> bool:
    """Tell whether a paper (or one item of it) has a figure with lines; nothing is simulated."""
    quick = Run(fast=True)
    return any(drawing.lines for _, drawing in paper.drawings(quick, item))


def draw_papers(papers: Sequence[Paper], run: Run, item: str | None = None) -> Any:
    """Return a figure with the curves of these papers."""
    return draw_panels([
        partial(_lines, title=f"{paper.key}, {drawing.title}", drawing=drawing)
        for paper in papers
        for _, drawing in paper.drawings(run, item)
        if drawing.lines
    ])  # fmt: skip


def _lines(ax: Any, title: str, drawing: Drawing) -> None:
    for number, (name, points) in enumerate(drawing.lines.items()):
        x, y = zip(*points, strict=True)
        ax.plot(x, y, STYLES[number % len(STYLES)], label=name)
    ax.set_title(title, fontsize="medium")
    ax.set_xlabel(drawing.x_label)
    ax.legend(fontsize="small")
