"""The page of tuned thresholds: the table, a curve for each metric, and the folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fencepost.metrics.signature import signature_lines
from fencepost.report.html.charts import Series, lines, sample
from fencepost.report.html.page import Lines, Made, Page, Section, Sheet, fill
from fencepost.report.tuning import best_points, curves, how_tuned, shown_table
from fencepost.scoring.tables import Table
from fencepost.wording import listed, number_of_digits

MAX_NAMES = 8  # of the texts of a fold
WIDTH_PIXELS = 340  # of a drawing: a phone shows it without scrolling


def tune_page(table: Table, lead: str, last: Sequence[str], command: str = "") -> Page:
    """Return the page of a table of ``tune``; ``lead`` says what was read."""
    sheet = Sheet.of(shown_table(table), plain=True, left=2)
    signatures = signature_lines(str(row["signature"]) for row in table.rows)
    sections = [
        Section("tuned", "Best on these texts", [sheet], ". ".join(how_tuned(table)) + "."),
        Section("curves", "At every threshold", [Made(_drawn(table))], CURVES),
    ]
    if len(table.part("folds")):
        parts = table.part("folds")
        rows = [{**row, "texts": listed(row["texts"], MAX_NAMES)} for row in parts.rows]
        folds = Sheet.of(Table(parts.columns, tuple(rows), "folds"), plain=True, left=2)
        sections.append(Section("folds", "Parts of the texts", [folds], FOLDS))
    sections.append(Section("signatures", "Signatures", [Lines([*signatures, *last])]))
    return Page(
        "Tuned thresholds", lead, sections, command, notes=table.notes, styles=("charts.css",)
    )


CURVES = "A flat top says that the exact threshold matters little."
FOLDS = "What is best without each part, and the score of the other parts there."


def _drawn(table: Table) -> str:
    drawn: list[tuple[str, str]] = []
    best = best_points(table)
    names: list[str] = []
    for title, systems in curves(table).items():
        names += [name for name in systems if name not in names]
        series = [Series(names.index(name), name, curve) for name, curve in systems.items()]
        tops = "; ".join(
            f"{name} {best[title, name][1]:.3f} at {number_of_digits(best[title, name][0])}"
            for name in systems
        )
        drawn.append((lines(series, title, f"{title} at every threshold. Best: {tops}",
                            WIDTH_PIXELS), f"best: {tops}"))  # fmt: skip
    keys: list[Any] = [(sample(number), name) for number, name in enumerate(names)]
    return fill("tune.html", drawn=drawn, keys=keys if len(keys) > 1 else [])
