"""From tidy rows to the grid people read: a line a system, a column a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.metrics.base import Recipe, parse_signature
from fencepost.result import Table
from fencepost.scoring import BASELINES, MEAN_OF_REFERENCES


@dataclass(frozen=True)
class Grid:
    """Headers, and lines of a label and cells; a cell is a value or None."""

    headers: tuple[str, ...]
    better: tuple[str, ...]
    lines: tuple[tuple[str, tuple[float | None, ...]], ...]
    signatures: tuple[str, ...]
    best: tuple[float | None, ...]  # the best value of a system in each column


def pivot(table: Table) -> Grid:
    """One column for each recipe and average; baselines and single references stand below."""
    columns: dict[tuple[str, str], tuple[Recipe, str]] = {}
    for row in table.rows:
        recipe, _ = parse_signature(row["signature"])
        columns.setdefault((str(recipe.signature()), row["average"]), (recipe, row["average"]))
    cells: dict[str, dict[tuple[str, str], float]] = {}
    signatures: dict[tuple[str, str], str] = {}
    several = len({row["reference"] for row in table.rows}) > 1
    for row in table.rows:
        label = row["system"]
        if several and row["reference"] != MEAN_OF_REFERENCES:
            label = f"{row['system']} / {row['reference']}"
        recipe, _ = parse_signature(row["signature"])
        key = (str(recipe.signature()), row["average"])
        cells.setdefault(label, {})[key] = row["value"]
        if row["system"] not in BASELINES and (not several or label == row["system"]):
            signatures.setdefault(key, row["signature"])
    labels = sorted(cells, key=lambda label: (" / " in label, label in BASELINES))
    labels = [
        label
        for label in labels
        if label.partition(" / ")[0] not in BASELINES or " / " not in label
    ]
    lines = tuple((label, tuple(cells[label].get(key) for key in columns)) for label in labels)
    recipes = list(columns.values())
    systems = [values for label, values in lines if label not in BASELINES and " / " not in label]
    best = tuple(
        _best([v[i] for v in systems], r.metric.better) for i, (r, _) in enumerate(recipes)
    )
    return Grid(
        tuple(_headers(recipes)),
        tuple(recipe.metric.better for recipe, _ in recipes),
        lines,
        tuple(signatures.get(key, "") for key in columns),
        best,
    )


def _headers(columns: Sequence[tuple[Recipe, str]]) -> list[str]:
    """Titles; settings are added where a metric stands twice, the average where both are there."""
    averages = len({average for _, average in columns}) > 1
    headers = []
    for recipe, average in columns:
        title = recipe.metric.title
        twins = [r for r, a in columns if r.name == recipe.name and a == average]
        if len(twins) > 1:
            common = set.intersection(*(set(r.written().items()) for r in twins))
            own = [f"{k}={v}" for k, v in recipe.written().items() if (k, v) not in common]
            title += " " + ",".join(own) if own else ""
        if averages:
            title += f" {average}"
        headers.append(title)
    return headers


def _best(values: Sequence[float | None], better: str) -> float | None:
    known = [v for v in values if v is not None and not math.isnan(v)]
    if len(known) < 2:
        return None
    return min(known) if better == "lower" else max(known)


def shown(value: Any, digits: int = 3) -> str:
    """A cell as text: three digits, a dash where nothing is defined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
    return str(value)
