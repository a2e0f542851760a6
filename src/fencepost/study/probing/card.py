"""The report card of a metric, and several of them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from fencepost.metrics.signature import Signature
from fencepost.scoring.tables import Table
from fencepost.study.probing.base import Answer, Curve, Example, ProbeError

COLUMNS = ("metric", "family", "property", "figure", "verdict", "threshold", "detail", "example",
           "asks", "measures", "signature")  # fmt: skip
CURVE_COLUMNS = ("metric", "property", "curve", "x_label", "x", "loss", "low", "high")


@dataclass(frozen=True)
class Card:
    """Every property of one metric: a figure, a verdict by a stated threshold, what shows it.

    ``card["symmetric"].verdict`` asks for one property; ``print(card)`` shows all.
    """

    metric: str
    title: str
    better: str
    signature: Signature
    answers: tuple[Answer, ...]
    seed: int

    @property
    def heading(self) -> str:
        """The metric's title, with the settings that are not the default, or its file."""
        if ".py:" in self.metric:
            return self.metric
        _, _, settings = self.metric.partition(":")
        return f"{self.title} {settings}".strip()

    def __getitem__(self, name: str) -> Answer:
        for answer in self.answers:
            if answer.asked.name == name:
                return answer
        names = ", ".join(answer.asked.name for answer in self.answers)
        raise KeyError(f"no property {name!r}; there is {names}")

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One plain dict for each property."""
        return [
            {
                "metric": self.metric,
                "family": answer.asked.family,
                "property": answer.asked.name,
                "figure": answer.figure,
                "verdict": answer.verdict,
                "threshold": answer.asked.threshold.said,
                "detail": answer.measured.detail,
                "example": written(answer.example) or None,
                "asks": answer.asked.asks,
                "measures": answer.asked.figure,
                "signature": str(self.signature),
            }
            for answer in self.answers
        ]

    def table(self) -> Table:
        """The properties as a tidy table."""
        return Table(COLUMNS, tuple(self.rows), name="card", facts={"seed": self.seed})

    @property
    def curves(self) -> dict[str, Curve]:
        """How the loss moves with distance, place, size and number of errors."""
        return {curve.name: curve for answer in self.answers for curve in answer.measured.curves}

    def __str__(self) -> str:
        """Draw the card, with the smallest counter-examples."""
        from fencepost.report.cards import draw_card

        return draw_card(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.probe import card_html

        return card_html(self)


@dataclass(frozen=True)
class Cards(Sequence[Card]):
    """The cards of several metrics, and how alike they rank the same hypotheses."""

    cards: tuple[Card, ...]
    correlations: Table = field(compare=False)

    def __len__(self) -> int:
        return len(self.cards)

    @overload
    def __getitem__(self, which: int | str) -> Card: ...

    @overload
    def __getitem__(self, which: slice) -> Sequence[Card]: ...

    def __getitem__(self, which: int | str | slice) -> Card | Sequence[Card]:
        if not isinstance(which, str):
            return self.cards[which]
        for card in self.cards:
            if which in (card.metric, card.heading):
                return card
        raise KeyError(f"no card of {which!r}; there is {', '.join(c.metric for c in self.cards)}")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One plain dict for each property of each metric."""
        return [row for card in self.cards for row in card.rows]

    def table(self) -> Table:
        """All cards as one tidy table."""
        facts = {"seed": self.cards[0].seed}
        return Table(COLUMNS, tuple(self.rows), name="card", facts=facts)

    @property
    def curves(self) -> dict[str, dict[str, Curve]]:
        """The curves of each metric."""
        return {card.metric: card.curves for card in self.cards}

    def __str__(self) -> str:
        """Draw the table of properties by metrics, and the rank correlations."""
        from fencepost.report.cards import draw_cards

        return draw_cards(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.probe import card_html

        return card_html(self)


def written(example: Example) -> str:
    """A counter-example in one line: sizes of both texts and the score.

    >>> from fencepost.study.probing.base import Shown
    >>> from fencepost import Segmentation
    >>> ref, hyp = (Segmentation.from_masses(m) for m in ([2, 4], [1, 1, 4]))
    >>> written((Shown(ref, hyp, 0.0),))
    'reference 2 4, hypothesis 1 1 4: 0'
    """
    parts = []
    for one in example:
        ref, hyp = (" ".join(map(str, text.masses)) for text in (one.ref, one.hyp))
        value = "undefined" if math.isnan(one.value) else f"{one.value:.6g}"
        parts.append(f"{one.names[0]} {ref}, {one.names[1]} {hyp}: {value}")
    return "; ".join(parts)


def curve_table(cards: Sequence[Card]) -> Table:
    """The points of all curves, one a row; ``low`` and ``high`` where they are means."""
    rows = [
        dict(zip(CURVE_COLUMNS, (card.metric, a.asked.name, c.name, c.x_label, *point),
                 strict=True))
        for card in cards for a in card for c in a.measured.curves
        for point in zip(c.x, c.y, *(c.band or ([None] * len(c.x),) * 2), strict=True)
    ]  # fmt: skip
    if not rows:
        raise ProbeError("none of these properties has a curve")
    return Table(CURVE_COLUMNS, tuple(rows), name="curves")
