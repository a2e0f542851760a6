"""The page of ``fencepost score``: systems against references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from fencepost.metrics.registry import Recipe
from fencepost.metrics.signature import signature_lines
from fencepost.model.corpus import Corpus
from fencepost.model.join import Join, join
from fencepost.model.levels import Order
from fencepost.model.pairs import Pairs, untyped
from fencepost.model.segmentation import Segmentation
from fencepost.report.grid import ARROWS, headers, pivot, shown_cell
from fencepost.report.html import svg
from fencepost.report.html.page import Figure, Lines, Page, Section, Sheet, count_fitting
from fencepost.report.html.views import (
    MAX_TEXTS_BYTES,
    Text,
    Views,
    edit_recipe,
    make_views,
    mean_of_known,
    pooled_value,
    ribbon_recipe,
    undefined_last,
)
from fencepost.report.strips import Bars, offset_bars, size_panels
from fencepost.scoring.tables import Table

MAX_SYSTEMS = 40  # in a matrix
MAX_FIGURE_BYTES = 14_500  # of the histograms of a section


def score_page(
    table: Table,
    reference: Corpus,
    systems: Mapping[str, Corpus],
    *,
    lead: str = "",
    data: str = "",
    how: str = "",
    command: str = "",
    more: Sequence[Section] = (),
    room: int = MAX_TEXTS_BYTES,
    types: Order = None,
) -> Page:
    """Return a page of a table that :func:`fencepost.score` made from these corpora.

    ``more`` are sections that follow the summary: the differences between systems. ``types`` is
    the order of boundary types, where it is declared.
    """
    recipes = list(dict.fromkeys(row["signature"].recipe for row in table.rows))
    per_text = table.part("per-text")
    joined = _joined(table, reference, systems)
    texts = _texts(joined, list(dict.fromkeys(per_text.column("text"))))
    recipe = edit_recipe(recipes)
    views = make_views(
        texts, recipe, ribbon_recipe(recipes), unit=reference.unit, room=room, types=types
    )
    sections = [
        Section("summary", "Summary", _summary(table, how, data)),
        *more,
        Section(
            "texts",
            "Texts",
            [views],
            f"Worst first by {_over(recipe.metric.title, reference, systems)}: "
            f"{recipe.signature()}",
        ),
        Section("per-text", "Every text", [_per_text(per_text, recipes, texts, recipe)]),
        *_distributions(texts, joined, views, recipe),
    ]
    who = ", ".join(systems) if len(systems) <= 4 else f"{len(systems)} systems"
    return views.page(f"{who} against {reference.name}", lead, sections, command, table.notes)


def _over(title: str, reference: Corpus, systems: Mapping[str, Corpus]) -> str:
    """Return the value by which texts are sorted, in words."""
    over = [("systems", len(systems)), ("references", len(reference.coders))]
    said = " and ".join(what for what, count in over if count > 1)
    return f"{title}, the mean over {said}" if said else title


# The summary.


def _summary(table: Table, how: str, data: str) -> list[Any]:
    grid = pivot(table)
    rows = [
        [line.label, *(shown_cell(cell, bounds=True) for cell in line.cells)] for line in grid.lines
    ]
    best = {
        (number, i)
        for number, line in enumerate(grid.lines)
        for i, cell in enumerate(line.cells, start=1)
        if cell.best
    }
    if grid.has_intervals:
        over = " over groups" if table.facts.get("groups") else ""
        how = "; ".join([*([how] if how else []), f"[low, high] is the 95% interval{over}"])
    sheet = Sheet("scores", ["", *grid.titles], rows, plain=True, best=best, caption=how)
    return [
        sheet,
        Lines([line for line in (grid.marks, *signature_lines(grid.signatures), data) if line]),
    ]


# The texts.


def _joined(table: Table, reference: Corpus, systems: Mapping[str, Corpus]) -> Join:
    """Return the join of the table: its signatures say how missing texts counted."""
    missing: Any = table.rows[0]["signature"].context.missing or "error"
    return join(reference, systems, missing)


def _texts(joined: Join, kept: Sequence[str]) -> list[Text]:
    """Return every text and speaker that was scored, references before systems."""
    reference, wanted = joined.reference, set(kept)
    names = [joined.name_of(coder) for coder in joined.coders]
    made = []
    order = np.argsort(reference.item_codes, kind="stable")
    bounds = np.searchsorted(reference.item_codes[order], np.arange(len(reference.item_rows) + 1))
    for item, (first, last) in zip(reference.items, pairwise(bounds.tolist()), strict=True):
        if item[0] not in wanted:
            continue
        rows = order[first:last].tolist()
        own = [(names[reference.coder_codes[row]], reference.segmentation(row)) for row in rows]
        theirs = [(name, joined.hypothesis(name, rows[0])) for name in joined.systems]
        count = len(own)
        pairs = [(a, count + b) for a in range(count) for b in range(len(theirs))]
        made.append(Text(*item, [*own, *theirs], pairs, reference.tokens.get(item)))
    return made


def _per_text(
    table: Table, recipes: Sequence[Recipe], texts: Sequence[Text], recipe: Recipe
) -> Sheet:
    """Return one row per text, one column per system; metrics are groups, worst texts first."""
    systems = list(dict.fromkeys(table.column("system")))
    references = list(dict.fromkeys(table.column("reference")))
    names = headers([(one, "") for one in recipes])
    titles = {
        one: f"{name} {ARROWS[one.metric.better]}" for one, name in zip(recipes, names, strict=True)
    }
    if recipe in titles:  # the one by which the text view is sorted
        titles = {recipe: titles[recipe], **titles}
    cells: dict[str, dict[tuple[Recipe, str, str], float]] = {}
    for row in table.rows:
        key = row["signature"].recipe, row["system"], row["reference"]
        cells.setdefault(row["text"], {})[key] = row["value"]
    units: dict[str, int] = {}
    for text in texts:
        units[text.text] = units.get(text.text, 0) + text.lanes[0][1].units
    wide = [(system, coder) for system in systems for coder in references]
    several = len(references) > 1
    columns, groups = ["text", "units"], list[str | None]([None, None])
    rows: dict[str, list[Any]] = {text: [text, units[text]] for text in cells}
    sorts: dict[str | None, tuple[int, bool]] = {}
    for one, title in titles.items():
        sorts[title] = len(columns), one.metric.better == "higher"
        mean = ["mean"] if len(wide) > 1 else []
        columns += [*mean, *(f"{s} / {r}" if several else s for s, r in wide)]
        groups += [title] * (len(mean) + len(wide))
        for name, own in rows.items():
            found = [cells[name].get((one, *key)) for key in wide]
            own += [mean_of_known(found), *found] if mean else found
    column, up = next(iter(sorts.values()))
    order = sorted(rows, key=lambda text: undefined_last(rows[text][column], up))
    return Sheet(
        "per-text", columns, [rows[text] for text in order], groups,
        opens=[(text, None) for text in order], sorts=sorts, whole="--csv --table per-text",
    )  # fmt: skip


# Distributions and matrices.


def _distributions(
    texts: Sequence[Text], joined: Join, views: Views, recipe: Recipe
) -> list[Section]:
    names = list(joined.systems)
    reference = joined.reference
    lanes = [dict(text.lanes) for text in texts]
    first = joined.name_of(joined.coders[0])
    have = [own for own in lanes if first in own]
    refs = [own[first] for own in have]
    sizes = size_panels([(first, refs), *((n, [own[n] for own in have]) for n in names)])
    offsets = [(n, offset_bars(refs, [own[n] for own in have])) for n in names]
    made = [
        Section("sizes", "Segment sizes", [panels_figure(sizes, "systems")],
                f"How many segments have how many {reference.unit}s."),
        Section("offsets", "How far off", [panels_figure(offsets, "systems", mark="0")],
                f"Each boundary of a system by its distance, in {reference.unit}s, from the "
                f"nearest boundary of {first}: 0 is exact, + is too late."),
    ]  # fmt: skip
    metric = views.inside["metric"]
    if len(names) > 1:
        made.append(Section("systems", "Systems among each other",
                            _between([first, *names], have, views, recipe)))  # fmt: skip
    if views.confusions:
        intro = (f"Each edit of {metric} pairs a boundary of the reference (its type is the row) "
                 "with one of the system (the column); none: it has no partner. Near misses meet "
                 "the boundary they were moved to.")  # fmt: skip
        figure = confusion_figure(views.confusions)
        made.append(Section("kinds", "Types taken for each other", [figure], intro))
    return made


def panels_figure(
    panels: Sequence[tuple[str, Bars]],
    what: str,
    mark: str | None = None,
    elsewhere: str = "a page of fewer shows theirs",
) -> Figure:
    """Return histograms beside each other, as many as there is room for."""
    drawn = svg.histograms(panels, mark)
    kept = count_fitting(map(len, drawn), MAX_FIGURE_BYTES)
    left = f"the first {kept} of {len(drawn)} {what}; {elsewhere}" if kept < len(drawn) else ""
    return Figure("".join(drawn[:kept]), left)


def _between(
    names: Sequence[str],
    have: Sequence[Mapping[str, Segmentation]],
    views: Views,
    recipe: Recipe,
) -> list[Any]:
    values: dict[tuple[int, int], float] = {}
    kinds = bool(views.inside["kinds"])
    segs = [[own[n] if kinds else untyped(own[n]) for own in have] for n in names[:MAX_SYSTEMS]]
    for i, one in enumerate(segs):
        for j, other in enumerate(segs[:i]):
            counts = recipe.count(Pairs.from_segmentations(one, other))
            values[i, j] = values[j, i] = pooled_value(recipe, counts)
    caption = f"{recipe.metric.title} between every two, pooled over texts"
    if len(segs) < len(names):
        caption += f"; the first {len(segs)} of {len(names)}: a page of fewer shows the others"
    return matrix_blocks("systems", names[: len(segs)], values, caption)


def matrix_blocks(
    name: str,
    names: Sequence[str],
    values: Mapping[tuple[int, int], float],
    caption: str,
    whole: str = "",
    most: int = 60,
) -> list[Any]:
    """Return a matrix (of the first ``most``), and where it is large, a table of every two."""
    if len(names) > most:
        caption += f"; the first {most} of {len(names)}, all of them in the table"
    drawn = {(i, j): v for (i, j), v in values.items() if max(i, j) < most}
    figure = Figure(svg.matrix(names[:most], drawn, caption), caption)
    if len(values) <= svg.MAX_TITLED_CELLS:
        return [figure]
    rows: list[list[Any]] = [[names[i], names[j], v] for (i, j), v in values.items() if i < j]
    rows.sort(key=lambda row: undefined_last(row[2]))
    return [figure, Sheet(f"{name}-pairs", ["first", "second", "value"], rows,
                          sorts={None: (2, True)}, whole=whole)]  # fmt: skip


def confusion_figure(counts: Mapping[tuple[str, str], int]) -> Figure:
    """Return which boundary types meet which, as a square."""
    names = sorted({n for pair in counts for n in pair}, key=lambda n: (n == "none", n))
    values = {
        (i, j): float(counts[a, b])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if (a, b) in counts
    }
    return Figure(svg.matrix(names, values, "which types meet which", digits=0))
