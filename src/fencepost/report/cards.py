"""Report cards of metrics as text: verdicts, figures, and counter-examples drawn."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.metrics.edit import boundary_similarity
from fencepost.metrics.signature import signature_lines
from fencepost.model.edits import Edit
from fencepost.report.drawing import draw_edits
from fencepost.report.grid import ARROWS
from fencepost.report.text import folded, write_blocks, write_table
from fencepost.scoring.tables import Table
from fencepost.study.probing.base import Answer, Shown, Threshold
from fencepost.study.probing.card import Card, Cards


def draw_card(card: Card, width: int = 80) -> str:
    """Draw every property with its figure and threshold; below, the reason of each no."""
    out = io.StringIO()
    name = card.title if card.title == card.metric else f"{card.title} ({card.metric})"
    out.write(folded(f"{name}, {card.better} is better", width) + "\n\n")
    rows: list[list[str]] = []
    for answer in card.answers:
        family = answer.asked.family
        first = not rows or family != card.answers[len(rows) - 1].asked.family
        rows.append([family if first else "", *_cells(answer)])
    write_table(["", "", "holds", "figure", "holds if"], rows, out, left=3, width=width)
    for answer in card.answers:
        found = answer.measured
        if answer.verdict != "yes" and found.applies and (found.detail or answer.example):
            out.write("\n" + _reason(answer, width))
    out.write(_idle_families(list(card.answers), width))
    out.write(f"\n{card.signature}\n")
    asks = f"seed {card.seed}; what each property asks: fencepost probe --list"
    out.write(folded(asks, width))
    return out.getvalue()


def _cells(answer: Answer) -> list[str]:
    return [
        answer.asked.name,
        "–" if answer.verdict == "undefined" else answer.verdict,
        shown_figure(answer),
        answer.asked.threshold.said,
    ]


def figure(value: float) -> str:
    """Three digits are enough to judge by."""
    return "–" if math.isnan(value) else f"{value + 0.0:.3g}"  # no -0


def shown_figure(answer: Answer) -> str:
    """Three digits, or as many as it takes to be on the same side of the threshold."""
    return enough_digits(answer.figure, answer.asked.threshold)


def enough_digits(value: float, threshold: Threshold) -> str:
    """Return the figure so that whoever reads it comes to the verdict that it led to.

    >>> from fencepost.study.probing.base import Threshold
    >>> enough_digits(0.10004, Threshold("<= 0.1")), enough_digits(0.000149, Threshold("<= 0"))
    ('0.10004', '0.000149')
    """
    if not math.isfinite(value):
        return figure(value)
    shorter = (f"{value + 0.0:.{digits}g}" for digits in range(3, 17))
    return next((s for s in shorter if threshold.holds(float(s)) == threshold.holds(value)),
                repr(value))  # fmt: skip


def _reason(answer: Answer, width: int) -> str:
    """Draw what was found, and the smallest counter-example."""
    asked = answer.asked
    said = f"{asked.name}: {answer.verdict}. {answer.measured.detail}"
    lines = [folded(said, width, rest="  ") + "\n"]
    values = shown_values(answer.example)
    lines += [draw_shown(*both, width) for both in zip(answer.example, values, strict=True)]
    return "\n".join(lines)


def b_edits(one: Shown) -> Sequence[Edit]:
    """Return what to mark between two texts: the edits of boundary edit distance."""
    return boundary_similarity(one.ref, one.hyp).edits


def shown_values(example: Sequence[Shown]) -> list[str]:
    """Return what the metric says of each, with digits enough to tell different values apart."""
    values = [one.value for one in example]
    known = {value for value in values if not math.isnan(value)}
    digits = next((d for d in range(3, 12) if len({round(v, d) for v in known}) == len(known)), 12)
    return ["undefined" if math.isnan(value) else f"{value:.{digits}f}" for value in values]


def draw_shown(one: Shown, value: str, width: int = 80) -> str:
    """Two texts over each other, and what the metric says of them."""
    names = (one.names[0], f"{one.names[1]} {value}")
    drawn = draw_edits(one.ref, one.hyp, b_edits(one), names, width - 2)
    return "".join(f"  {line}".rstrip() + "\n" for line in drawn.split("\n"))


def _idle_families(answers: Sequence[Answer], width: int) -> str:
    """Return a line for each family of properties that do not apply, and why."""
    idle = [answer for answer in answers if not answer.measured.applies]
    families = dict.fromkeys((one.asked.family, one.measured.detail) for one in idle)
    said = (f"properties of {name} do not apply: {why}" for name, why in families)
    return "".join(f"\n{folded(one, width)}\n" for one in said)


def applying(cards: Sequence[Card]) -> list[int]:
    """Return which properties apply to one of these metrics at least; all if none does."""
    every = range(len(cards[0].answers))
    found = [at for at in every if any(card.answers[at].measured.applies for card in cards)]
    return found or [*every]


def draw_cards(cards: Cards, width: int = 80) -> str:
    """Properties by metrics, as many metrics at a time as fit; then the rank correlations."""
    out = io.StringIO()
    headers = ["", *(f"{card.heading} {ARROWS[card.better]}" for card in cards.cards)]
    first, shown = cards.cards[0].answers, applying(cards.cards)
    rows = [
        [first[at].asked.name, *(_cell(card.answers[at]) for card in cards.cards)] for at in shown
    ]
    write_blocks(headers, rows, out, width)
    out.write(_idle_families([one for at, one in enumerate(first) if at not in shown], width))
    out.write("\n")
    headings = {card.metric: card.heading for card in cards.cards}
    if len(cards.correlations):
        out.write(draw_correlations(cards.correlations, headings, width))
    out.write("\n" + "\n".join(signature_lines(card.signature for card in cards.cards)))
    return out.getvalue()


def _cell(answer: Answer) -> str:
    if answer.verdict == "undefined":
        return "–"
    return f"{shown_figure(answer)} {answer.verdict:<3}"


def draw_correlations(table: Table, headings: Mapping[str, str], width: int = 80) -> str:
    """Tau-b of each two metrics: over hypotheses, and over the means of error models."""
    out = io.StringIO()
    rows: list[list[Any]] = [
        [
            headings[row["metric"]],
            headings[row["other"]],
            figure(row["tau"]),
            figure(row["tau_of_models"]),
        ]
        for row in table.rows
    ]
    first = table.rows[0]
    asks = (
        f"Kendall's tau-b: do they rank {first['hypotheses']} hypotheses alike, "
        f"and {first['models']} error models?"
    )
    out.write(folded(asks, width) + "\n\n")
    write_table(["", "", "hypotheses", "models"], rows, out, left=2, width=width)
    return out.getvalue() + "".join(f"{folded(note, width)}\n" for note in table.notes)
