"""Curves as pictures, where matplotlib is installed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fencepost.checks import FencepostError
from fencepost.probing.base import Curve
from fencepost.probing.card import Card


def figure_class() -> Any:
    """matplotlib's Figure, or a sentence that says how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'fencepost[plot]'"
        ) from None
    return Figure


def draw_curves(cards: Sequence[Card]) -> Any:
    """A figure with one picture for each curve and one line for each metric."""
    make = figure_class()
    names = list(dict.fromkeys(name for card in cards for name in card.curves))
    if not names:
        raise FencepostError("none of these properties has a curve to draw")
    columns = min(3, len(names))
    lines = math.ceil(len(names) / columns)
    drawn = make(figsize=(4.2 * columns, 3.2 * lines), layout="constrained")
    axes = drawn.subplots(lines, columns, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=False):
        for card in cards:
            if name in card.curves:
                _line(ax, card.curves[name], card.heading)
    for ax in axes[len(names) :]:
        ax.remove()
    axes[0].legend(fontsize="small")
    return drawn


def _line(ax: Any, curve: Curve, label: str) -> None:
    ax.plot(curve.x, curve.y, marker="." if len(curve.x) < 40 else "", label=label)
    ax.set_title(curve.name, fontsize="medium")
    ax.set_xlabel(curve.x_label)
    ax.set_ylabel("loss")
    ax.set_ylim(bottom=0)


def write_curves(cards: Sequence[Card], path: str) -> None:
    """Draw into a file; its ending says the form (png, svg, pdf)."""
    drawn = draw_curves(cards)
    endings = drawn.canvas.get_supported_filetypes()
    ending = Path(path).suffix[1:].lower()
    if ending not in endings:
        raise FencepostError(f"{path}: a plot ends in .png, .svg or .pdf, found {ending!r}")
    try:
        drawn.savefig(path)
    except OSError as error:
        raise FencepostError(f"{path} cannot be written: {error.strerror}") from None
