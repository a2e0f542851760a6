"""Tuned thresholds as people read them: the table, what it shows, and the curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fencepost.metrics.registry import Recipe
from fencepost.report.grid import ARROWS, Cell, headers, shown_cell
from fencepost.scoring.tables import Table, rows_to_table
from fencepost.study.probing.base import Curve
from fencepost.wording import number_of_digits

X_LABELS = {
    "": "threshold",
    "100": "most probable positions per 100 units",
    "text": "most probable positions per text",
}


def shown_table(table: Table) -> Table:
    """Return the rows with what belongs together in one cell."""
    names = metric_titles(table)
    what = {"": "threshold", "100": "positions/100", "text": "positions/text"}[table.facts["per"]]
    cells = [
        [Cell(row[value], row[low], row[high], digits=row["signature"].recipe.digits)
         for value, low, high in (("value", "low", "high"),
                                  ("cross_validated", "cross_low", "cross_high"))]
        for row in table.rows
    ]  # fmt: skip
    bounds = any(cell.is_asymmetric for own in cells for cell in own)
    ends = any(row["threshold_low"] is not None for row in table.rows)
    rows = []
    for row, (fitted, cross) in zip(table.rows, cells, strict=True):
        recipe = row["signature"].recipe
        rows.append({
            "system": row["system"],
            "metric": f"{names[recipe]} {ARROWS[recipe.metric.better]}",
            f"{what}{' [95%]' * ends}": _threshold(row),
            "score here": shown_cell(fitted, bounds),
            "cross-validated": shown_cell(cross, bounds) if cross.value is not None else "–",
        })  # fmt: skip
    return rows_to_table(rows, name="tune")


def metric_titles(table: Table) -> dict[Recipe, str]:
    """Return the title of each metric, with settings where one is there twice."""
    recipes = list(dict.fromkeys(row["signature"].recipe for row in table.rows))
    return dict(zip(recipes, headers([(one, "") for one in recipes]), strict=True))


def _threshold(row: Mapping[str, Any]) -> str:
    said = number_of_digits(row["threshold"])
    if row["threshold_low"] is None:
        return said
    return f"{said} [{row['threshold_low']:.3g}, {row['threshold_high']:.3g}]"


def how_tuned(table: Table) -> list[str]:
    """Return what the columns are, one line each."""
    facts = table.facts
    mean = "mean over texts" if table[0]["average"] == "macro" else "counts of all texts pooled"
    what = "threshold" if not facts["per"] else "number"
    lines = []
    if any(row["threshold_low"] is not None for row in table.rows):
        over = facts["resampled"]
        lines.append(
            f"[95%] of the {what}: what is best in {facts['resamples']:,} resamples of {over}s, "
            f"seed {facts['seed']}"
        )
    interval = any(row["low"] is not None for row in table.rows)
    lines.append(f"score here: {mean}{' with the 95% interval' * interval}, by the best {what}")
    if facts["folds"]:
        lines.append(
            f"cross-validated: each of {facts['folds']} parts of the texts by the {what} that is "
            "best for the others; expect this of new texts"
        )
    return lines


def curves(table: Table) -> dict[str, dict[str, Curve]]:
    """Return the curve of each system for each metric, with at most 300 points each."""
    titles = {recipe.signature(): title for recipe, title in metric_titles(table).items()}
    points = table.part("points")
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in points.rows:
        if math.isfinite(row["value"]):
            title = titles[row["signature"].recipe.signature()]
            own = found.setdefault(title, {}).setdefault(row["system"], [])
            own.append((row["threshold"], row["value"]))
    per = table.facts["per"]
    label = X_LABELS[per]
    return {
        title: {
            system: Curve(title, label, *zip(*_stairs(sorted(own), bool(per)), strict=True))
            for system, own in systems.items()
        }
        for title, systems in found.items()
    }


def _stairs(points: list[tuple[float, float]], to_right: bool) -> list[tuple[float, float]]:
    """Return the corners: a value holds down to the next threshold, or up to the next number."""
    if to_right:
        pairs = pairwise([*points, points[-1]])
        return [corner for (x, y), (end, _) in pairs for corner in ((x, y), (end, y))]
    pairs = pairwise([(0.0, 0.0), *points])
    return [corner for (start, _), (x, y) in pairs for corner in ((start, y), (x, y))]


def best_points(table: Table) -> dict[tuple[str, str], tuple[float, float]]:
    """Return where the best value of each curve is, by metric and system."""
    titles = metric_titles(table)
    return {
        (titles[row["signature"].recipe], row["system"]): (row["threshold"], row["value"])
        for row in table.rows
    }
