"""The curves of the papers as pictures: one panel for each figure that is a curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fencepost.scoring.tables import Table
from fencepost.study.papers.base import Run
from fencepost.study.probing.plots import panels, save

Panel = Callable[[Any], None]


def _fournier2012(run: Run) -> list[Panel]:
    """Figures 5a, 5b and 5c."""
    from fencepost.study.papers.fournier2012 import curve_5a, curve_5b, curve_5c

    return [_lines(curve()) for curve in (curve_5a, curve_5b, curve_5c)]


def _lines(table: Table) -> Panel:
    """The first column across, all others as lines."""
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


CURVES: dict[str, Callable[[Run], list[Panel]]] = {
    "fournier2012": _fournier2012,
    "diaz2022": _diaz2022,
}


def draw(keys: Sequence[str], run: Run) -> Any:
    """A figure with the curves of those papers that have some."""
    drawing = [panel for key in keys if key in CURVES for panel in CURVES[key](run)]
    drawn, axes = panels(len(drawing))
    for panel, ax in zip(drawing, axes, strict=True):
        panel(ax)
    return drawn


__all__ = ["CURVES", "draw", "save"]
