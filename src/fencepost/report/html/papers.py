"""The page of a reproduction: verdicts, reasons, printed numbers beside ours, figures redrawn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fencepost.report.cards import b_edits
from fencepost.report.html import svg
from fencepost.report.html.charts import Series, lines, sample
from fencepost.report.html.page import Made, Page, Section, fill
from fencepost.report.papers import (
    Row,
    by_item,
    counted,
    first_lines,
    off_counts,
    ours,
    printed,
    verdict,
)
from fencepost.scoring.tables import Table
from fencepost.study.papers.base import SOURCES, Drawing, Paper, Run
from fencepost.study.papers.summary import OFF, VERDICTS, by_source, reasons
from fencepost.study.probing.base import Curve, Shown

WIDTH_PIXELS = 340  # of a drawing: a phone shows it without scrolling
MAX_COLUMNS = 9  # of a paper's table that is laid out as a table again
MIN_FILLED = 0.6  # share of the cells of such a table
MAX_OPEN_LINES = 24  # of an item; further lines that agree are behind a click
BETWEEN_COMMAS = r", (?![^(]*\))"  # but not at commas between brackets
INTRO = (
    "equal: our number has the printed digits. within: it is inside a bound, which a note states. "
    "measured: a claim in words, with the number that supports it. differs: neither. "
    "not reproduced: it cannot be computed from what is printed or at hand."
)


@dataclass(frozen=True)
class Line:
    """One number or claim as the page shows it."""

    where: str
    printed: str
    ours: str
    verdict: str
    off: bool
    look: str
    note: str = ""  # the anchor of its note
    number: int = 0  # of that note


class Grid(NamedTuple):
    """Lines of a paper's table, laid out as a table again; None where a cell is empty."""

    columns: list[str]
    rows: list[tuple[str, list[Line | None]]]


@dataclass(frozen=True)
class Item:
    """A table or figure of the paper with all its lines, drawings and notes."""

    name: str
    what: str
    anchor: str
    counted: str
    sources: str
    grid: Grid | None
    open: list[Line]
    closed: list[Line]
    closed_counted: str
    notes: list[tuple[str, str]]
    drawings: list[Any] = field(default_factory=list)


def papers_page(
    papers: Sequence[Paper], table: Table, run: Run, item: str | None = None, command: str = ""
) -> Page:
    """Return the page of these papers' lines; ``item`` is what was asked for."""
    rows = list(table.rows)
    summary = fill("papers.html", part="summary", rows=by_source(rows).rows, verdicts=VERDICTS,
                   off=OFF, sources=SOURCES)  # fmt: skip
    sections = [Section("summary", "Verdicts", [Made(summary)], INTRO)]
    why = [(row, _anchor(row["paper"], row["item"]), off_counts(row)) for row in reasons(rows).rows]
    if why:
        made = Made(fill("papers.html", part="reasons", rows=why))
        sections.append(Section("reasons", "What differs, and why", [made]))
    groups = by_item(rows)
    for paper in papers:
        drawn: dict[str, list[Drawing]] = {}
        for one, drawing in paper.drawings(run, item):
            drawn.setdefault(one.name, []).append(drawing)
        items = [_item(paper.key, one.name, one.what, groups[paper.key, one.name],
                       drawn.get(one.name, [])) for one in paper.chosen(item)]  # fmt: skip
        made = Made(fill("papers.html", part="paper", items=items))
        sections.append(Section(paper.key, paper.key, [made], paper.cite))
    title = "The papers recomputed" if papers[1:] else f"{papers[0].key} recomputed"
    lead = f"{len(rows):,} numbers and claims: {counted(rows)}\nseed {run.seed}"
    lead += "; a part of the sizes (--fast)" if run.fast else ""
    return Page(title, lead, sections, command, styles=("charts.css", "papers.css"))


def _anchor(paper: str, item: str) -> str:
    return re.sub("[^a-z0-9]+", "-", f"{paper} {item}".lower())


def _item(
    paper: str, name: str, what: str, rows: list[Row], drawings: Sequence[Drawing]
) -> Item:  # fmt: skip
    anchor = _anchor(paper, name)
    notes = list(dict.fromkeys(row["note"] for row in rows if row["note"]))
    numbers = {note: (number, f"{anchor}-note-{number}") for number, note in enumerate(notes, 1)}
    shown = {id(row): _line(row, numbers) for row in rows}
    grid, others = _grid(rows, shown)
    first = first_lines(others, MAX_OPEN_LINES)
    rest = [row for row in others if all(row is not one for one in first)]
    sources = Counter(SOURCES[row["source"]] for row in rows)
    said = [f"{source} ({n})" if len(sources) > 1 else source for source, n in sources.items()]
    return Item(
        name, what, anchor, _counted(rows), "; ".join(said), grid,
        [shown[id(row)] for row in first], [shown[id(row)] for row in rest], counted(rest),
        [(at, note) for note, (_, at) in numbers.items()], [_drawn(one) for one in drawings],
    )  # fmt: skip


def _counted(rows: list[Row]) -> str:
    fitted = sum(row["basis"] == "fitted" for row in rows)
    return counted(rows) + (f"; {fitted} fitted: the recipe was chosen on them" if fitted else "")


def _line(row: Row, numbers: dict[str, tuple[int, str]]) -> Line:
    number, note = numbers.get(row["note"], (0, ""))
    look = f"v-{row['verdict'].split()[0]}"
    return Line(row["where"], printed(row), ours(row), verdict(row), row["verdict"] in OFF, look,
                note, number)  # fmt: skip


Cells = dict[tuple[str, str], Row]


def _grid(rows: list[Row], shown: dict[int, Line]) -> tuple[Grid | None, list[Row]]:
    """Lay lines such as "chapter 20, pi*_S" out in rows and columns; return the other lines too."""
    every = [_cells(rows, split) for split in (_at_first_comma, _at_last_comma, _at_of)]
    cells = max(every, key=_density)
    if not _density(cells):
        return None, rows
    names, columns = _axes(cells)

    def at(name: str, column: str) -> Line | None:
        row = cells.get((name, column))
        return None if row is None else shown[id(row)]

    grid = Grid(columns, [(name, [at(name, column) for column in columns]) for name in names])
    laid = {id(row) for row in cells.values()}
    return grid, [row for row in rows if id(row) not in laid]


def _at_first_comma(where: str) -> list[str]:
    return re.split(BETWEEN_COMMAS, where, maxsplit=1)


def _at_last_comma(where: str) -> list[str]:
    *first, last = re.split(BETWEEN_COMMAS, where)
    return [", ".join(first), last] if first else [where]


def _at_of(where: str) -> list[str]:
    return where.split(" of ", 1)[::-1]  # "A of (r, h1)": the pair is the row


def _cells(rows: list[Row], split: Callable[[str], list[str]]) -> Cells:
    """Return lines with a printed number by the two parts of their names."""
    named = ((split(row["where"]), row) for row in rows if isinstance(row["printed"], (int, float)))
    return {(parts[0], parts[1]): row for parts, row in named if len(parts) == 2}


def _axes(cells: Cells) -> tuple[list[str], list[str]]:
    names, columns = (list(dict.fromkeys(key[axis] for key in cells)) for axis in (0, 1))
    return names, columns


def _density(cells: Cells) -> float:
    """Return the share of the grid that is filled; 0 where a list is easier to read."""
    names, columns = _axes(cells)
    if len(names) < 2 or not 1 < len(columns) <= MAX_COLUMNS:
        return 0.0
    share = len(cells) / (len(names) * len(columns))
    wide = 0.8 if len(columns) > len(names) else 1.0  # long tables are easier to read than wide
    return share * wide if share > MIN_FILLED else 0.0


def _drawn(drawing: Drawing) -> tuple[str, list[tuple[str, str]], str, str]:
    """Return a figure as a drawing, the key of its lines, its title, and what it shows."""
    if drawing.texts is not None:
        one = Shown(*drawing.texts, float("nan"), drawing.names)
        made = svg.strips(*drawing.texts, b_edits(one), drawing.names, WIDTH_PIXELS, page=True)
        return made, [], drawing.title, drawing.about
    series = []
    for number, (name, points) in enumerate(drawing.lines.items()):
        x, y = zip(*sorted(points), strict=True)
        series.append(Series(number, name, Curve(name, drawing.x_label, x, y)))
    label = f"{drawing.title}: {drawing.about}. " + "; ".join(
        f"{one.name} from {one.curve.y[0]:.3g} to {one.curve.y[-1]:.3g}" for one in series
    )
    keys = [(sample(one.number), one.name) for one in series]
    made = lines(series, drawing.title, label, WIDTH_PIXELS)
    return made, keys, drawing.title, drawing.about
