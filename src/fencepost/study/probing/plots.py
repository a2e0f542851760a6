"""Pictures of curves, where matplotlib is installed: panels with one line for each metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fencepost.model.checks import FencepostError
from fencepost.study.probing.base import Curve
from fencepost.study.probing.card import Card


def panels(count: int) -> tuple[Any, list[Any]]:
    """A figure of so many panels, at most three in a row."""
    from fencepost.report.plots import figure_class

    make = figure_class()
    columns = min(3, count)
    lines = math.ceil(count / columns)
    drawn = make(figsize=(4.2 * columns, 3.2 * lines), layout="constrained")
    axes = drawn.subplots(lines, columns, squeeze=False).ravel()
    for ax in axes[count:]:
        ax.remove()
    return drawn, list(axes[:count])


def save(drawn: Any, path: str) -> None:
    """Draw into a file; its ending says the form (png, svg, pdf)."""
    ending = Path(path).suffix[1:].lower()
    if ending not in drawn.canvas.get_supported_filetypes():
        raise FencepostError(f"{path}: a plot ends in .png, .svg or .pdf, found {ending!r}")
    try:
        drawn.savefig(path)
    except OSError as error:
        raise FencepostError(f"{path} cannot be written: {error.strerror}") from None


def draw_curves(cards: Sequence[Card]) -> Any:
    """A figure with one panel for each curve and one line for each metric."""
    names = list(dict.fromkeys(name for card in cards for name in card.curves))
    if not names:
        raise FencepostError("none of these properties has a curve to draw")
    drawn, axes = panels(len(names))
    for ax, name in zip(axes, names, strict=True):
        _panel(ax, [(card.heading, card.curves[name]) for card in cards if name in card.curves])
    axes[0].legend(fontsize="small")
    return drawn


def _panel(ax: Any, own: Sequence[tuple[str, Curve]]) -> None:
    curve = own[0][1]
    if curve.labels:
        _bars(ax, own)
    else:
        for label, one in own:
            (line,) = ax.plot(one.x, one.y, marker="." if len(one.x) < 40 else "", label=label)
            if one.band:
                ax.fill_between(one.x, *one.band, color=line.get_color(), alpha=0.2, linewidth=0)
        ax.set_xlabel(curve.x_label)
    ax.set_title(curve.name, fontsize="medium")
    ax.set_ylabel("loss")
    # Only now: a limit that is set holds for all lines that follow.
    if not any(value < 0 for _, one in own for value in one.y):
        ax.set_ylim(bottom=0)


def _bars(ax: Any, own: Sequence[tuple[str, Curve]]) -> None:
    """Bars side by side, where the places are names and no scale."""
    width = 0.8 / len(own)
    for at, (label, curve) in enumerate(own):
        shift = (at - (len(own) - 1) / 2) * width
        ax.bar([x + shift for x in curve.x], curve.y, width, yerr=curve.half or None, label=label)
    ax.set_xticks(own[0][1].x, own[0][1].labels)


def write_curves(cards: Sequence[Card], path: str) -> None:
    """Draw the curves of these cards into a file."""
    save(draw_curves(cards), path)
