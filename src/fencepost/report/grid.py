"""From tidy rows to the grid people read: a line a system, a column a metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fencepost.metrics.base import Recipe, parse_signature
from fencepost.result import Table
from fencepost.scoring import BASELINES, MEAN_OF_REFERENCES


@dataclass(frozen=True)
class Cell:
    """A value, half of its interval, and a mark where it differs significantly."""

    value: float | None = None
    half: float | None = None
    mark: str = ""
    best: bool = False  # of all systems in its column


@dataclass(frozen=True)
class Grid:
    """Headers, and lines of a label and cells."""

    headers: tuple[str, ...]
    better: tuple[str, ...]
    lines: tuple[tuple[str, tuple[Cell, ...]], ...]
    signatures: tuple[str, ...]
    marks: str = ""  # what the marks mean

    @property
    def has_intervals(self) -> bool:
        """Whether any cell has an interval."""
        return any(cell.half is not None for _, cells in self.lines for cell in cells)


def pivot(table: Table) -> Grid:
    """One column for each recipe and average; baselines and single references stand below."""
    columns: dict[tuple[str, str], tuple[Recipe, str]] = {}
    for row in table.rows:
        recipe, _ = parse_signature(row["signature"])
        columns.setdefault((str(recipe.signature()), row["average"]), (recipe, row["average"]))
    cells: dict[str, dict[tuple[str, str], Cell]] = {}
    marks, meaning = _marks(table)
    signatures: dict[tuple[str, str], str] = {}
    several = len({row["reference"] for row in table.rows}) > 1
    for row in table.rows:
        label = row["system"]
        if several and row["reference"] != MEAN_OF_REFERENCES:
            label = f"{row['system']} / {row['reference']}"
        recipe, _ = parse_signature(row["signature"])
        key = (str(recipe.signature()), row["average"])
        mark = marks.get((row["metric"], *key, row["system"]), "") if label == row["system"] else ""
        cells.setdefault(label, {})[key] = Cell(row["value"], half_of(row), mark)
        if row["system"] not in BASELINES and (not several or label == row["system"]):
            signatures.setdefault(key, row["signature"])
    labels = sorted(cells, key=lambda label: (" / " in label, label in BASELINES))
    labels = [
        label
        for label in labels
        if label.partition(" / ")[0] not in BASELINES or " / " not in label
    ]
    recipes = list(columns.values())
    systems = [label for label in labels if label not in BASELINES and " / " not in label]
    for key, (recipe, _) in columns.items():
        _mark_best([cells[label] for label in systems], key, recipe.metric.better)
    return Grid(
        tuple(headers(recipes)),
        tuple(recipe.metric.better for recipe, _ in recipes),
        tuple((name, tuple(cells[name].get(key, Cell()) for key in columns)) for name in labels),
        tuple(signatures.get(key, "") for key in columns),
        meaning,
    )


def half_of(row: Mapping[str, Any]) -> float | None:
    """Half of the width of a row's interval."""
    low, high = row["low"], row["high"]
    return None if low is None or high is None else (high - low) / 2


def _marks(table: Table) -> tuple[dict[tuple[str, ...], str], str]:
    """A star for systems that differ from the baseline, or, among all pairs, from the best."""
    if "comparisons" not in table.parts:
        return {}, ""
    compared = table.part("comparisons")
    facts = compared.facts
    better = {}
    marks: dict[tuple[str, ...], str] = {}
    for row in compared.rows:
        recipe, _ = parse_signature(row["signature"])
        key = (row["metric"], str(recipe.signature()), row["average"])
        better[key] = recipe.metric.better
        if not facts["all_pairs"]:
            marks[(*key, row["system"])] = stars(row["p_adjusted"])
    if facts["all_pairs"]:
        for key, direction in better.items():
            marks |= _marks_against_best(compared, key, direction)
    than = "the best system" if facts["all_pairs"] else str(facts["against"])
    if not any(marks.values()):
        return {}, ""
    return marks, f"* differs from {than} at .05, ** at .01 ({said_family(facts)})"


def _marks_against_best(
    compared: Table, key: tuple[str, str, str], direction: str
) -> dict[tuple[str, ...], str]:
    own = [
        row
        for row in compared.rows
        if (row["metric"], row["average"]) == (key[0], key[2])
        and str(parse_signature(row["signature"])[0].signature()) == key[1]
    ]
    names = list(dict.fromkeys(n for row in own for n in (row["against"], row["system"])))
    sign = -1 if direction == "lower" else 1
    lead = dict.fromkeys(names, 0)  # how many systems each one is not worse than
    for row in own:
        lead[row["system"]] += sign * row["difference"] >= 0
        lead[row["against"]] += sign * row["difference"] <= 0
    best = max(names, key=lambda name: lead[name])
    return {
        (*key, other): stars(row["p_adjusted"])
        for row in own
        if best in (row["system"], row["against"])
        for other in [row["against"] if row["system"] == best else row["system"]]
    }


def stars(p: float) -> str:
    """The usual marks."""
    return "**" if p <= 0.01 else "*" if p <= 0.05 else ""


def said_family(facts: Mapping[str, Any]) -> str:
    """How p was adjusted, and over what."""
    count = f"{facts['family']} comparison{'s' * (facts['family'] != 1)} of this table"
    names = {"holm": "Holm", "bh": "Benjamini-Hochberg"}
    if facts["adjust"] == "none":
        return f"p not adjusted for the {count}"
    return f"{names[facts['adjust']]} over the {count}"


def headers(columns: Sequence[tuple[Recipe, str]]) -> list[str]:
    """Titles; settings are added where a metric stands twice, the average where both are there."""
    averages = len({average for _, average in columns}) > 1
    made = []
    for recipe, average in columns:
        title = recipe.metric.title
        twins = [r for r, a in columns if r.name == recipe.name and a == average]
        if len(twins) > 1:
            common = set.intersection(*(set(r.written().items()) for r in twins))
            own = [f"{k}={v}" for k, v in recipe.written().items() if (k, v) not in common]
            title += " " + ",".join(own) if own else ""
        if averages:
            title += f" {average}"
        made.append(title)
    return made


def _mark_best(
    lines: Sequence[dict[tuple[str, str], Cell]], key: tuple[str, str], better: str
) -> None:
    """Mark the best of several systems; all of them where they are tied."""
    known = {
        i: cell.value
        for i, line in enumerate(lines)
        for cell in [line.get(key, Cell())]
        if cell.value is not None and not math.isnan(cell.value)
    }
    if len(known) < 2:
        return
    best = min(known.values()) if better == "lower" else max(known.values())
    for i, value in known.items():
        if value == best:
            lines[i][key] = replace(lines[i][key], best=True)


def shown_cell(cell: Cell) -> str:
    """A value with half of its interval: 0.187 ±0.016."""
    return shown(cell.value) + ("" if cell.half is None else f" ±{cell.half:.3f}")


def shown(value: Any, digits: int = 3) -> str:
    """A cell as text: three digits, a dash where nothing is defined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
    return str(value)
