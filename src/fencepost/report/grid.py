"""From tidy rows to the grid people read: a line a system, a column a metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from fencepost.metrics.registry import Recipe
from fencepost.metrics.signature import Signature
from fencepost.model.join import BASELINES, HUMAN_CEILING
from fencepost.scoring.summary import MEAN_OF_REFERENCES
from fencepost.scoring.tables import Table
from fencepost.wording import plural

ARROWS = {"lower": "↓", "higher": "↑"}
SIMPLE_BASELINES = {*BASELINES} - {HUMAN_CEILING}  # which have no line per annotator
MAX_ASYMMETRY = 0.1  # print [low, high], not ±, if an end is off by 10% of the half-width


class Cell(NamedTuple):
    """A value, its interval, and a mark where it differs significantly."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    mark: str = ""
    best: bool = False  # of all systems in its column
    digits: int = 3  # behind the point

    @property
    def is_asymmetric(self) -> bool:
        """Whether the value is so far from the middle that ± would mislead."""
        if self.value is None or self.low is None or self.high is None:
            return False
        aside = abs(self.value - (self.low + self.high) / 2)
        return aside > max(MAX_ASYMMETRY * (self.high - self.low) / 2, 0.5 * 0.1**self.digits)


Kind = Literal["system", "ceiling", "baseline", "reference"]  # in the order of lines


class Line(NamedTuple):
    """A system, the human ceiling, a simple baseline, or a system against one reference of many."""

    label: str
    cells: tuple[Cell, ...]
    kind: Kind = "system"


class Grid(NamedTuple):
    """Headers, and lines of a label and cells."""

    headers: tuple[str, ...]
    better: tuple[str, ...]
    lines: tuple[Line, ...]
    signatures: tuple[str, ...]
    marks: str = ""  # what the marks mean

    @property
    def titles(self) -> list[str]:
        """The headers with an arrow each for the better end."""
        return [f"{h} {ARROWS[b]}" for h, b in zip(self.headers, self.better, strict=True)]

    @property
    def has_intervals(self) -> bool:
        """Whether any cell has an interval."""
        return any(cell.low is not None for line in self.lines for cell in line.cells)

    @property
    def has_bounds(self) -> bool:
        """Whether intervals are shown with both ends: where one of them is not symmetric."""
        return any(cell.is_asymmetric for line in self.lines for cell in line.cells)


ColumnKey = tuple[Recipe, str]  # what a column is about: a recipe and an average


def is_of_scores(table: Table) -> bool:
    """Tell whether a table has scores of systems, which people read as systems by metrics.

    One with groups of texts has several rows per system and metric, and is shown row by row.
    """
    needed = {"system", "reference", "metric", "average", "signature"}
    return needed <= {*table.columns} and "group" not in table.columns and len(table) > 0


class Readable(NamedTuple):
    """What people read of a table row by row, and below it."""

    columns: list[str]
    cells: list[list[str]]
    below: list[str]  # what is the same in all rows
    signatures: list[str]


def readable(table: Table) -> Readable:
    """Return the columns that differ, values with three digits; the rest stands below.

    Columns in which nothing stands are left to CSV and JSON.
    """
    rows = table.rows
    kept = [c for c in table.filled if any(row.get(c) != "" for row in rows)]
    signed = [c for c in kept if c.endswith("signature")]  # a table of tune has two
    several = len(rows) > 1
    same = [c for c in kept[1:] if several and len({shown(row.get(c)) for row in rows}) == 1]
    apart = {*same, *signed}
    columns = [c for c in kept if c not in apart]
    if not columns:
        columns, signed = kept or list(table.columns), []
    cells = [[shown(row.get(c)) for c in columns] for row in rows]
    below = [f"{c}: {shown(rows[0].get(c))}" for c in same if c not in signed]
    found = [str(row[c]) for c in signed for row in rows if row.get(c)]
    return Readable(columns, cells, below, list(dict.fromkeys(found)))


def pivot(table: Table) -> Grid:
    """Return one column per recipe and average; baselines and single references are below."""
    columns = _columns(table)
    # By system and single reference.
    cells: dict[tuple[str, str | None], dict[ColumnKey, Cell]] = {}
    marks, meaning = _marks(table)
    several = len({row["reference"] for row in table.rows}) > 1
    for row in table.rows:
        single = row["reference"] if several and row["reference"] != MEAN_OF_REFERENCES else None
        if single is not None and row["system"] in SIMPLE_BASELINES:
            continue
        key = _column_key(row)
        mark = "" if single is not None else marks.get((*key, row["system"]), "")
        cell = Cell(row["value"], row["low"], row["high"], mark, digits=key[0].digits)
        cells.setdefault((row["system"], single), {})[key] = cell
    systems = [own for who, own in cells.items() if _kind(*who) == "system"]
    for key in columns:
        _mark_best(systems, key)
    lines = [
        Line(
            system if single is None else f"{system} / {single}",
            tuple(own.get(key, Cell()) for key in columns),
            _kind(system, single),
        )
        for (system, single), own in cells.items()
    ]
    return Grid(
        tuple(headers(columns)),
        tuple(recipe.metric.better for recipe, _ in columns),
        tuple(sorted(lines, key=lambda line: get_args(Kind).index(line.kind))),
        tuple(_signatures(table, columns, several)),
        meaning,
    )


def _columns(table: Table) -> list[ColumnKey]:
    """Return the columns in the order of the system that has most of them."""
    by_system: dict[str, dict[ColumnKey, None]] = {}
    for row in table.rows:
        by_system.setdefault(row["system"], {})[_column_key(row)] = None
    longest_first = sorted(by_system.values(), key=len, reverse=True)
    return list(dict.fromkeys(key for own in longest_first for key in own))


def _column_key(row: Mapping[str, Any]) -> ColumnKey:
    return row["signature"].recipe, row["average"]


def _kind(system: str, single: str | None) -> Kind:
    if single is not None:
        return "reference"
    if system == HUMAN_CEILING:
        return "ceiling"
    return "baseline" if system in BASELINES else "system"


# How intervals and tests were made. A number without them is told by a signature that has them.
_RESAMPLED = ("bs", "group", "test", "against", "pairs", "adjust", "seed")


def _signatures(table: Table, columns: Iterable[ColumnKey], several: bool) -> list[str]:
    """Return the signatures of a page, without those that another one includes."""
    rows = [
        row
        for row in table.rows
        if row["system"] not in BASELINES
        and (not several or row["reference"] == MEAN_OF_REFERENCES)
    ]
    if "comparisons" in table.parts:
        rows += table.part("comparisons").rows
    found: dict[ColumnKey, dict[Signature, None]] = {key: {} for key in columns}
    for row in rows:
        found[_column_key(row)][row["signature"]] = None
    # Another tool that computes a metric has a signature of its own, which follows ours.
    peers = {row["signature"].recipe: row["sacrebleu"] for row in rows if row.get("sacrebleu")}
    lines: dict[str, None] = {}
    for own in found.values():
        for signature in own:
            if not any(_tells(other, signature) for other in own):
                lines[signature] = None
                lines |= {peers[signature.recipe]: None} if signature.recipe in peers else {}
    return list(lines)


def _tells(other: Signature, one: Signature) -> bool:
    """Return whether a signature says all of another, and more about intervals and tests."""
    theirs, ours = other.context.fields(), one.context.fields()
    more = {k: v for k, v in theirs.items() if ours.get(k) != v}
    # A comparison is of two systems: where one of them has several runs, the other may have one.
    about = {*_RESAMPLED, "runs"} if other.context.test else {*_RESAMPLED}
    return bool(more) and set(more) <= about and ours.items() <= theirs.items()


Marks = dict[tuple[Recipe, str, str], str]  # by column and system


def _marks(table: Table) -> tuple[Marks, str]:
    """Return stars of systems that differ from the baseline, or, among all pairs, from the best."""
    if "comparisons" not in table.parts:
        return {}, ""
    compared = table.part("comparisons")
    facts = compared.facts
    marks: Marks = {}
    for row in compared.rows if not facts["all_pairs"] else ():
        marks[(*_column_key(row), row["system"])] = stars(row["p_adjusted"])
    for key in dict.fromkeys(map(_column_key, compared.rows)) if facts["all_pairs"] else ():
        marks |= _marks_against_best(compared, key)
    than = "the best system" if facts["all_pairs"] else str(facts["against"])
    if not any(marks.values()):
        return {}, ""
    return marks, f"* differs from {than} at .05, ** at .01 ({said_family(facts)})"


def _marks_against_best(compared: Table, key: ColumnKey) -> Marks:
    own = [row for row in compared.rows if _column_key(row) == key]
    names = list(dict.fromkeys(n for row in own for n in (row["against"], row["system"])))
    sign = -1 if key[0].metric.better == "lower" else 1
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
    """Return the usual marks."""
    return "**" if p <= 0.01 else "*" if p <= 0.05 else ""


def said_family(facts: Mapping[str, Any]) -> str:
    """Return how p was adjusted, and over what."""
    count = f"{plural(facts['family'], 'comparison')} of this table"
    names = {"minp": "step-down min-p", "holm": "Holm", "bh": "Benjamini-Hochberg"}
    if facts["adjust"] == "none":
        return f"p not adjusted for the {count}"
    return f"{names[facts['adjust']]} over the {count}"


def headers(columns: Sequence[tuple[Recipe, str]]) -> list[str]:
    """Return titles; with settings if a metric is there twice, with averages if both are."""
    averages = len({average for _, average in columns}) > 1
    made = []
    for recipe, average in columns:
        title = recipe.title
        twins = [r for r, a in columns if r.title == title and a == average]
        if len({r.metric for r in twins}) > 1:  # functions of one name, from several files
            title = recipe.metric.written
        elif len(twins) > 1:
            common = set.intersection(*(set(r.written().items()) for r in twins))
            own = [f"{k}={v}" for k, v in recipe.written().items() if (k, v) not in common]
            title += " " + ",".join(own) if own else ""
        if averages:
            title += f" {average}"
        made.append(title)
    return made


def _mark_best(lines: Sequence[dict[ColumnKey, Cell]], key: ColumnKey) -> None:
    """Mark the best of several systems; all of them where they are tied."""
    known = {
        i: cell.value
        for i, line in enumerate(lines)
        for cell in [line.get(key, Cell())]
        if cell.value is not None and not math.isnan(cell.value)
    }
    if len(known) < 2:
        return
    lower = key[0].metric.better == "lower"
    best = min(known.values()) if lower else max(known.values())
    for i, value in known.items():
        if value == best:
            lines[i][key] = lines[i][key]._replace(best=True)


def shown_cell(cell: Cell, bounds: bool) -> str:
    """Return a value with its mark and interval: 0.187 ±0.016, or 0.681* [0.359, 0.856]."""
    value = shown(cell.value, cell.digits) + cell.mark
    return " ".join(filter(None, (value, shown_interval(cell, bounds))))


def shown_interval(cell: Cell, bounds: bool) -> str:
    """Return both ends of an interval, or half of its width; nothing where there is none."""
    if cell.low is None or cell.high is None:
        return ""
    if bounds:
        return f"[{shown(cell.low, cell.digits)}, {shown(cell.high, cell.digits)}]"
    return f"±{(cell.high - cell.low) / 2:.{cell.digits}f}"


def shown(value: Any, digits: int = 3) -> str:
    """Return a cell as text: three digits, a dash where nothing is defined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
    return str(value)
