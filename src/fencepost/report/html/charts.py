"""Curves and bars as SVG: a line, a dash and a mark of its own for each series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fencepost.report.html.svg import drawing, element, safe_text
from fencepost.study.probing.base import Curve

# Okabe and Ito's colours; a page's style sheet has others for dark paper, by class.
COLOURS = ("#0072b2", "#c44900", "#00795a", "#a1357a", "#8a6100", "#2b7bb0")
DASHES = (None, "6 3", "2 2", "8 3 2 3")
MARKS = (  # outlines from the point they mark
    "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",  # a disc
    "m-2.7-2.7h5.4v5.4h-5.4z",  # a square
    "m0-3.6l3.4 6.2h-6.8z",  # a triangle
    "m0-3.8l3.4 3.8l-3.4 3.8l-3.4-3.8z",  # a diamond
)
HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 210.0, 44.0, 12.0, 26.0, 38.0
MAX_MARKED_POINTS = 16  # points of a line that have a mark each
MAX_NAMED_TICKS = 11  # points that are named below the axis one by one


@dataclass(frozen=True)
class Series:
    """A curve of one metric; the number chooses its look."""

    number: int
    name: str
    curve: Curve

    @property
    def look(self) -> dict[str, Any]:
        """Colour and dashes: six colours, then other dashes."""
        dash = DASHES[(self.number + self.number // len(COLOURS)) % len(DASHES)]
        return {
            "stroke": COLOURS[self.number % len(COLOURS)],
            "stroke_dasharray": dash,
            "class_": f"series s{self.number % len(COLOURS)}",
        }

    @property
    def fill(self) -> dict[str, Any]:
        """The same colour for marks, bars and bands."""
        number = self.number % len(COLOURS)
        return {"fill": COLOURS[number], "class_": f"filled f{number}"}

    @property
    def mark(self) -> str:
        """The outline of its marks."""
        return MARKS[self.number % len(MARKS)]


class _Axes:
    """From values to places on the drawing, with both axes drawn."""

    def __init__(self, x: Sequence[float], y: Sequence[float], width: float) -> None:
        self.width = width
        self.low_x, self.high_x = min(x), max(x)
        self.ticks_y = nice(min(0.0, *y), max(y), 4)
        self.low_y, self.high_y = self.ticks_y[0], self.ticks_y[-1]

    def x(self, value: float) -> float:
        wide = self.width - LEFT - RIGHT
        return LEFT + wide * (value - self.low_x) / ((self.high_x - self.low_x) or 1)

    def y(self, value: float) -> float:
        high = HEIGHT - TOP - BOTTOM
        return HEIGHT - BOTTOM - high * (value - self.low_y) / (self.high_y - self.low_y)

    def drawn(self, ticks: Sequence[tuple[float, str]], title: str, x_label: str) -> list[str]:
        right = self.width - RIGHT
        parts = [element("text", safe_text(title), x=LEFT, y=14, font_weight="bold")]
        heights = [(value, self.y(value)) for value in self.ticks_y]
        rules = "".join(f"M{_point(LEFT, y)}H{right:g}" for value, y in heights if value)
        parts += [_rule(rules, 0.18), _rule(f"M{_point(LEFT, self.y(0))}H{right:g}", 0.55)]
        named = (element("text", f"{v:g}", x=LEFT - 5, y=round(y + 3.5, 1)) for v, y in heights)
        parts.append(element("g", "".join(named), text_anchor="end", font_size=10))
        below = (
            element("text", safe_text(name), x=round(place, 1), y=HEIGHT - BOTTOM + 15.0)
            for place, name in ticks
        )
        parts.append(element("g", "".join(below), text_anchor="middle", font_size=10))
        if not x_label:
            return parts
        parts.append(element("text", safe_text(x_label), x=(LEFT + right) / 2,
                             y=HEIGHT - 6, text_anchor="middle"))  # fmt: skip
        return parts


def _rule(path: str, strength: float) -> str:
    return element("path", d=path, stroke="currentColor", stroke_opacity=strength)


def nice(low: float, high: float, steps: int) -> list[float]:
    """Round numbers that reach from below the lowest to above the highest value.

    >>> nice(0, 0.34, 4)
    [0.0, 0.1, 0.2, 0.3, 0.4]
    """
    if not high > low:
        high = low + 1.0
    rough = (high - low) / steps
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= rough * (1 - 1e-9))
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]


def lines(series: Sequence[Series], title: str, label: str, width: int = 340) -> str:
    """Draw lines over a scale, with bands where the curves have them."""
    axes = _Axes([x for one in series for x in one.curve.x], _heights(series), width)
    own = sorted({x for one in series for x in one.curve.x})
    short = len(own) <= MAX_NAMED_TICKS and all(len(f"{x:g}") <= 4 for x in own)
    named = own if short else nice(own[0], own[-1], 5)
    ticks = [(axes.x(x), f"{x:g}") for x in named if axes.low_x <= x <= axes.high_x]
    parts = axes.drawn(ticks, title, series[0].curve.x_label)
    parts += [_band(one, axes) for one in series]
    parts += [_line(one, axes) for one in series]
    return drawing(width, HEIGHT, label, parts)


def _heights(series: Sequence[Series]) -> list[float]:
    """Return everything that has to fit: points, and the ends of their intervals."""
    values = [y for one in series for y in one.curve.y]
    values += [y for one in series for side in one.curve.band or () for y in side]
    return [y for y in values if math.isfinite(y)] or [0.0]


def _band(one: Series, axes: _Axes) -> str:
    if one.curve.band is None:
        return ""
    low, high = one.curve.band
    both = [p for p in zip(one.curve.x, low, high, strict=True) if math.isfinite(p[1])]
    there = "L".join(_point(axes.x(x), axes.y(b)) for x, _, b in both)
    back = "L".join(_point(axes.x(x), axes.y(a)) for x, a, _ in reversed(both))
    path = f"M{there}L{back}z"
    return element("path", d=path, fill_opacity=0.2, **one.fill) if len(both) > 1 else ""


def _point(x: float, y: float) -> str:
    """Return a place in few bytes: tenths of a pixel, where there are any."""
    return " ".join(f"{value:.1f}".removesuffix(".0") for value in (x, y))


def _bends(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Without the points that lie on the line between those that stay, to a tenth of a pixel."""
    if len(points) < 3:
        return points
    (x0, y0), (x1, y1) = points[0], points[-1]
    slope = (y1 - y0) / ((x1 - x0) or 1)
    off = [abs(y - y0 - slope * (x - x0)) for x, y in points]
    far = max(range(1, len(points) - 1), key=off.__getitem__)
    if off[far] <= 0.1 or x0 == x1:  # in a line that only falls, or rises, nothing is off
        return [points[0], points[-1]]
    return [*_bends(points[: far + 1])[:-1], *_bends(points[far:])]


def _line(one: Series, axes: _Axes) -> str:
    points = list(zip(one.curve.x, one.curve.y, strict=True))
    runs = [list(run) for known, run in groupby(points, lambda p: math.isfinite(p[1])) if known]
    placed = [[(axes.x(x), axes.y(y)) for x, y in run] for run in runs]
    path = "".join("M" + "L".join(_point(*p) for p in _bends(run)) for run in placed)
    parts = [element("path", d=path, fill="none", stroke_width=1.8, **one.look)] if path else []
    if len(points) < MAX_MARKED_POINTS and path:
        marks = [f"M{_point(*p)}{one.mark}" for run in placed for p in run]
        parts.append(element("path", d="".join(marks), **one.fill))
    return element("g", element("title", safe_text(one.name)) + "".join(parts))


def bars(series: Sequence[Series], title: str, label: str, width: int = 340) -> str:
    """Bars side by side where the places are names, with whiskers where there are intervals."""
    names = series[0].curve.labels
    axes = _Axes([0.0, float(len(names))], _heights(series), width)
    ticks = [(axes.x(i + 0.5), name) for i, name in enumerate(names)]
    parts = axes.drawn(ticks, title, "")
    wide = 0.8 / len(series)
    whiskers: list[str] = []
    for at, one in enumerate(series):
        own = []
        halves = one.curve.half or (math.nan,) * len(names)
        for i, (y, half) in enumerate(zip(one.curve.y, halves, strict=True)):
            if not math.isfinite(y):
                continue
            start = axes.x(i + 0.1 + at * wide)
            end = axes.x(i + 0.1 + (at + 1) * wide) - 1
            top, floor = sorted((axes.y(y), axes.y(0)))
            said = element("title", safe_text(f"{one.name}, {names[i]}: {y:.3g}"))
            own.append(element("rect", said, x=round(start, 1), y=round(top, 1),
                               width=round(end - start, 1),
                               height=round(max(1.0, floor - top), 1)))  # fmt: skip
            if math.isfinite(half):
                middle = (start + end) / 2
                whiskers.append(f"M{_point(middle, axes.y(y - half))}V{axes.y(y + half):.1f}")
        parts.append(element("g", "".join(own), fill_opacity=0.75, **one.fill) if own else "")
    parts += [_rule("".join(whiskers), 1)] if whiskers else []
    return drawing(width, HEIGHT, label, parts)


def sample(number: int) -> str:
    """Draw a piece of a series' line with its mark, for the key beside the drawings."""
    one = Series(number, "", Curve("", "", (), ()))
    return element(
        "svg",
        element("path", d="M0 7H30", fill="none", stroke_width=1.8, **one.look)
        + element("path", d=f"M15 7{one.mark}", **one.fill),
        viewBox="0 0 30 14", width=30, height=14, aria_hidden="true",
    )  # fmt: skip
