"""The page of a report card: verdicts, what stands behind each no, curves, rank correlations."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.metrics.signature import signature_lines
from fencepost.report.cards import applying, b_edits, shown_figure, shown_values
from fencepost.report.grid import ARROWS
from fencepost.report.html import svg
from fencepost.report.html.charts import Series, bars, lines, sample
from fencepost.report.html.notebook import box, grid, small_code
from fencepost.report.html.page import Lines, Made, Page, Section, Sheet, fill
from fencepost.report.html.svg import element, safe_text
from fencepost.report.strips import COLOURS
from fencepost.study.probing.base import Answer, Curve, Example, Property, Shown
from fencepost.study.probing.card import Card, Cards

FAMILIES = {
    "laws": "Laws, on all pairs of small texts",
    "errors": "What one error costs, and what many do",
    "types": "Boundary types",
    "levels": "Levels of a hierarchy",
    "probabilities": "Probabilities of boundaries",
    "settings": "Settings",
    "texts": "Whether the same errors cost the same in other texts",
    "chance": "Systems that know nothing",
    "diaz2022": "Misbehaviours of diaz2022, sections 5 and 6",
    "people": "What people prefer",
}
INTRO = (
    "Each property is a claim. The figure says how the metric does, and “holds if” which figures "
    "mean yes. A no is not a fault: whether a near miss should weigh more in a small segment is "
    "for you to decide."
)
WIDTH_PIXELS = 340  # of a drawing: a phone shows it without scrolling
MAX_POINTS_READ_OUT = 12  # of a curve that are read out to those who cannot see it


@dataclass(frozen=True)
class Verdict:
    """One property of one metric as the page shows it."""

    metric: str
    said: str
    figure: str
    detail: str = ""
    example: Example = ()
    applies: bool = True


@dataclass(frozen=True)
class Line:
    """One property and the verdicts of all metrics."""

    asked: Property
    anchor: str
    verdicts: tuple[Verdict, ...]

    @property
    def holds_if(self) -> str:
        """The threshold with the signs people write."""
        return (
            self.asked.threshold.said.replace("<=", "≤").replace(">=", "≥").replace(" ", "\u00a0")
        )

    @property
    def same(self) -> bool:
        """Whether all metrics have the same verdict."""
        return len({one.said for one in self.verdicts}) == 1

    @property
    def open(self) -> tuple[Verdict, ...]:
        """Verdicts that have something behind them: a finding, or a counter-example."""
        found = (v for v in self.verdicts if v.said != "yes" and v.applies)
        return tuple(v for v in found if v.detail or v.example)

    @property
    def drawn(self) -> list[list[tuple[str, str]]]:
        """Counter-examples as drawings and what they score."""
        return [[(drawn_pair(one), said) for one, said in own] for own in self.examples if own]

    @property
    def examples(self) -> list[list[tuple[Shown, str]]]:
        """Counter-examples and what they score; metrics may share one."""
        shared: dict[Any, list[Verdict]] = {}
        for one in self.open:
            texts = tuple((s.ref.masses, s.hyp.masses, s.names) for s in one.example)
            shared.setdefault(texts, []).append(one)
        return [
            [(shown, _scored(own, at)) for at, shown in enumerate(own[0].example)]
            for own in shared.values()
        ]


def probe_page(found: Card | Cards, command: str = "", reading_lines: Sequence[str] = ()) -> Page:
    """Return the page of one card, or of several beside each other, and how a corpus was read."""
    cards = [found] if isinstance(found, Card) else list(found.cards)
    shown = applying(cards) if len(cards) > 1 else range(len(cards[0].answers))
    table = [_line(cards, at) for at in shown]
    sections = [
        Section("properties", "Properties", [Made(_matrix(cards, table))], INTRO),
        *_reasons(table),
        *_curves(cards),
        *(_ranks(found) if isinstance(found, Cards) and len(found.correlations) else []),
        Section("measured", "How it was measured", [Lines(_measured(cards))]),
    ]
    title = f"Report card: {', '.join(card.heading for card in cards)}"
    notes = found.correlations.notes if isinstance(found, Cards) else ()
    lead = "\n".join([*reading_lines, _lead(cards)])
    return Page(title, lead, sections, command, notes=notes, styles=("charts.css", "probe.css"))


def _lead(cards: Sequence[Card]) -> str:
    if len(cards) > 1:
        return f"{len(applying(cards))} properties of {len(cards)} metrics"
    card = cards[0]
    name = "" if card.title == card.metric else f"{card.metric}, "
    counts = {said: n for said, n in _counted(card).items() if n}
    said = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    return f"{name}{card.better} is better; {len(card.answers)} properties: {said}"


def _counted(card: Card) -> dict[str, int]:
    return {
        said: sum(answer.verdict == said for answer in card) for said in ("yes", "no", "undefined")
    }


def _measured(cards: Sequence[Card]) -> list[str]:
    return [*signature_lines(str(card.signature) for card in cards), f"seed {cards[0].seed}"]


# The table of properties by metrics.


def _line(cards: Sequence[Card], at: int) -> Line:
    asked = cards[0].answers[at].asked
    verdicts = tuple(_verdict(card, card.answers[at]) for card in cards)
    return Line(asked, "is-" + re.sub("[^a-z0-9]+", "-", asked.name), verdicts)


def _verdict(card: Card, answer: Answer) -> Verdict:
    return Verdict(card.heading, answer.verdict, shown_figure(answer), answer.measured.detail,
                   answer.example, answer.measured.applies)  # fmt: skip


def _scored(verdicts: Sequence[Verdict], at: int) -> str:
    """Return what each of these metrics says of the same texts."""
    return ", ".join(f"{one.metric} {shown_values(one.example)[at]}" for one in verdicts)


def drawn_pair(one: Shown, page: bool = True) -> str:
    """Two texts over each other, marked by the edits of boundary edit distance."""
    return svg.strips(one.ref, one.hyp, b_edits(one), one.names, WIDTH_PIXELS, page=page)


def _matrix(cards: Sequence[Card], table: Sequence[Line]) -> str:
    groups: dict[str, list[Line]] = {}
    for line in table:
        groups.setdefault(FAMILIES[line.asked.family], []).append(line)
    return fill(
        "probe.html",
        part="matrix",
        headings=[(card.heading, ARROWS[card.better], _counted(card)) for card in cards],
        groups=groups,
        differ=sum(not line.same for line in table),
        all=len(table),
    )


def _reasons(table: Sequence[Line]) -> list[Section]:
    behind = [line for line in table if line.open]
    if not behind:
        return []
    intro = "What was found where a property does not hold, with the smallest counter-example."
    made = Made(fill("probe.html", part="reasons", lines=behind))
    return [Section("reasons", "Behind each no", [made], intro)]


# Curves and rank correlations.


def _curves(cards: Sequence[Card]) -> list[Section]:
    names = list(dict.fromkeys(name for card in cards for name in card.curves))
    if not names:
        return []
    own = {name: [(i, card) for i, card in enumerate(cards) if name in card.curves]
           for name in names}  # fmt: skip
    drawn = [(_curve(those, name), _behind(those[0][1], name)) for name, those in own.items()]
    keys = [(sample(number), card.heading) for number, card in enumerate(cards)]
    made = Made(fill("probe.html", part="curves", drawn=drawn, keys=keys if cards[1:] else []))
    intro = "The loss, 0 for a perfect score"
    if any(curve.half for card in cards for curve in card.curves.values()):
        intro += "; bands and whiskers are 95% intervals of means over drawn texts"
    return [Section("curves", "Curves", [made], f"{intro}.")]


def _curve(cards: Sequence[tuple[int, Card]], name: str) -> str:
    """Return one drawing with a line (or bars) for each metric; a metric looks the same in all."""
    series = [Series(number, card.heading, card.curves[name]) for number, card in cards]
    curve = series[0].curve
    title = name[:1].upper() + name[1:]
    label = f"{title}. " + "; ".join(_read_out(one.name, one.curve) for one in series)
    return (bars if curve.labels else lines)(series, title, label, WIDTH_PIXELS)


def _behind(card: Card, name: str) -> str:
    """Return the property that rests on a curve."""
    return next(a.asked.name for a in card for c in a.measured.curves if c.name == name)


def _read_out(name: str, curve: Curve) -> str:
    """Return the curve in words: every point of a short one, both ends of a long one."""
    points = list(zip(curve.labels or [f"{x:g}" for x in curve.x], curve.y, strict=True))
    if len(points) > MAX_POINTS_READ_OUT:
        points = [points[0], points[-1]]
    said = ", ".join(f"{x}: {'undefined' if math.isnan(y) else f'{y:.3g}'}" for x, y in points)
    return f"{name}, {curve.x_label}, loss: {said}"


def _ranks(cards: Cards) -> list[Section]:
    """Return every two metrics, over single hypotheses and over the means of error models."""
    order = [card.metric for card in cards.cards]
    headings = [card.heading for card in cards.cards]
    first = cards.correlations.rows[0]
    said = {
        "tau": f"over {first['hypotheses']} hypotheses",
        "tau_of_models": f"over the means of {first['models']} error models",
    }
    sheets = []
    for column, words in said.items():
        square: list[list[Any]] = [[name, *[None] * len(order)] for name in headings]
        for row in cards.correlations.rows:
            i, j = order.index(row["metric"]), order.index(row["other"])
            square[i][j + 1] = square[j][i + 1] = row[column]
        sheets.append(Sheet(column, ("", *headings), square, plain=True, caption=words))
    intro = "Kendall's tau-b: 1 where two metrics rank the same hypotheses alike."
    return [Section("ranks", "Rank correlation", sheets, intro)]


# Notebooks, which have neither the page's style sheet nor its template.

MARKS = {
    "yes": ("✔", COLOURS["kind"]),
    "no": ("✘", COLOURS["missing"]),
    "undefined": ("–", COLOURS["match"]),
}


def card_html(found: Card | Cards) -> str:
    """Verdicts and figures as a table, and the counter-examples drawn below."""
    cards = [found] if isinstance(found, Card) else list(found.cards)
    table = [_line(cards, at) for at in range(len(cards[0].answers))]
    heads = ["property", "holds if", *(f"{c.heading} {ARROWS[c.better]}" for c in cards)]
    parts = [grid(heads, [_notebook_cells(line) for line in table])]
    for line in table:
        for example in line.examples:
            parts.append(
                element("div", element("b", safe_text(line.asked.name))) if example else ""
            )
            for shown, said in example:
                parts += [drawn_pair(shown, page=False), element("div", safe_text(said))]
    return box("".join([*parts, small_code(_measured(cards))]))


def _notebook_cells(line: Line) -> list[str]:
    cells = [
        element("span", safe_text(line.asked.name), title=line.asked.asks),
        safe_text(line.holds_if),
    ]
    for one in line.verdicts:
        sign, colour = MARKS[one.said]
        mark = element("span", sign, style=f"color:{colour}")
        cells.append(f"{mark} {one.said} {safe_text(one.figure)}")
    return cells
