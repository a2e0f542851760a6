"""The page of ``fencepost score``: systems against references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.corpus import Corpus
from fencepost.metrics.base import Recipe, parse_signature
from fencepost.pairs import Pairs, untyped
from fencepost.report.grid import pivot, shown_cell
from fencepost.report.html import svg
from fencepost.report.html.page import Figure, Lines, Page, Section, Sheet
from fencepost.report.html.views import (
    ROOM,
    Text,
    Views,
    edit_recipe,
    make_views,
    offset_bars,
    ribbon_recipe,
    size_bars,
)
from fencepost.report.text import ARROWS
from fencepost.result import Table
from fencepost.segmentation import Segmentation

MOST_ROWS = 5000  # of the table of texts
MOST_SYSTEMS = 16  # in a matrix and among the histograms


def score_page(
    table: Table,
    reference: Corpus,
    systems: Mapping[str, Corpus],
    *,
    lead: str = "",
    data: str = "",
    how: str = "",
    command: str = "",
    room: int = ROOM,
) -> Page:
    """A page of a table that :func:`fencepost.score` made from these corpora."""
    recipes = _recipes(table)
    per_text = table.part("per-text")
    texts = _texts(reference, systems, list(dict.fromkeys(per_text.column("text"))))
    recipe = edit_recipe(recipes)
    views = make_views(texts, recipe, ribbon_recipe(recipes), unit=reference.unit, room=room)
    sections = [
        Section("summary", "Summary", _summary(table, how, data)),
        Section(
            "texts",
            "Texts",
            [views],
            f"Worst first by {recipe.metric.title}: {recipe.signature()}",
        ),
        Section("per-text", "Every text", [_per_text(per_text, recipes, texts, views)]),
        *_distributions(texts, reference, systems, views),
    ]
    who = ", ".join(systems) if len(systems) <= 4 else f"{len(systems)} systems"
    return Page(
        f"{who} against {reference.name}", lead, sections, command, views.inside,
        rest=views.rest, notes=[*table.notes, *([views.note] if views.rest else [])],
    )  # fmt: skip


def _recipes(table: Table) -> list[Recipe]:
    found: dict[str, Recipe] = {}
    for row in table.rows:
        recipe = parse_signature(row["signature"])[0]
        found.setdefault(str(recipe.signature()), recipe)
    return list(found.values())


# The summary.


def _summary(table: Table, how: str, data: str) -> list[Any]:
    grid = pivot(table)
    columns = [f"{h} {ARROWS[b]}" for h, b in zip(grid.headers, grid.better, strict=True)]
    rows: list[list[Any]] = []
    best: dict[tuple[int, int], bool] = {}
    for number, line in enumerate(grid.lines):
        for i, cell in enumerate(line.cells):
            if cell.best:
                best[number, i + 1] = True
        rows.append([line.label, *(shown_cell(cell, bounds=True) for cell in line.cells)])
    sheet = Sheet("scores", ["", *columns], rows, plain=True, best=best, caption=how)
    return [sheet, Lines([line for line in (grid.marks, *grid.signatures, data) if line])]


# The texts.


def _texts(reference: Corpus, systems: Mapping[str, Corpus], kept: Sequence[str]) -> list[Text]:
    wanted = set(kept)
    hyps = {name: corpus.of(corpus.coders[0]) for name, corpus in systems.items()}
    for name, corpus in systems.items():
        alone = len(corpus.texts) == 1 == len(reference.texts)
        if corpus.anonymous and reference.anonymous and alone:
            # Files of one text each, without a name of its own, were scored as partners.
            hyps[name] = {(reference.texts[0], s): seg for (_, s), seg in hyps[name].items()}
    refs = {_named(reference, coder): reference.of(coder) for coder in reference.coders}
    made = []
    for item in reference.items:
        if item[0] not in wanted:
            continue
        own = [(name, segs[item]) for name, segs in refs.items() if item in segs]
        theirs = []
        for name in systems:
            seg = hyps[name].get(item)
            theirs.append((name, seg if seg is not None else _whole(own[0][1])))
        count = len(own)
        pairs = [(a, count + b) for a in range(count) for b in range(len(theirs))]
        made.append(Text(*item, [*own, *theirs], pairs, reference.tokens.get(item)))
    return made


def _named(reference: Corpus, coder: str) -> str:
    """A reference's name: the file's, where its only coder has none."""
    return reference.name if len(reference.coders) == 1 and coder == "1" else coder


def _whole(seg: Segmentation) -> Segmentation:
    """A text that a system lacks, counted as unsegmented."""
    kinds: list[int] | None = None if seg.kind_names is None else []
    return Segmentation(seg.units, [], kinds, seg.kind_names)


def _per_text(
    table: Table, recipes: Sequence[Recipe], texts: Sequence[Text], views: Views
) -> Sheet:
    """A row a text, a column a system; metrics are groups of columns."""
    systems = list(dict.fromkeys(table.column("system")))
    references = list(dict.fromkeys(table.column("reference")))
    titles = _titles(recipes)
    cells: dict[str, dict[tuple[str, str, str], float]] = {}
    for row in table.rows:
        key = str(row["signature"]), row["system"], row["reference"]
        cells.setdefault(row["text"], {})[key] = row["value"]
    units: dict[str, int] = {}
    for text in texts:
        units[text.text] = units.get(text.text, 0) + text.lanes[0][1].units
    value: dict[str, float] = {}
    for text, own in zip(texts, views.values, strict=True):
        value[text.text] = min(own, value.get(text.text, math.inf))
    order = sorted(cells, key=lambda text: _last(value[text]))[:MOST_ROWS]
    wide = [
        (signature, system, coder)
        for signature in titles
        for system in systems
        for coder in references
    ]
    several = len(references) > 1
    columns = ["text", "units", *(f"{s} / {r}" if several else s for _, s, r in wide)]
    rows = [[text, units[text], *(cells[text].get(key) for key in wide)] for text in order]
    caption = "" if len(order) == len(cells) else (
        f"the worst {len(order)} of {len(cells)} texts; all of them: --csv --table per-text"
    )  # fmt: skip
    groups = [None, None, *(titles[signature] for signature, _, _ in wide)]
    opens = [(text, None) for text in order]
    return Sheet("per-text", columns, rows, groups, opens, caption=caption)


def _last(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _titles(recipes: Sequence[Recipe]) -> dict[str, str]:
    """Metrics by signature; settings are added where one stands twice."""
    titles = [f"{r.metric.title} {ARROWS[r.metric.better]}" for r in recipes]
    return {
        str(r.signature()): title
        if titles.count(title) == 1
        else f"{title} {','.join(f'{k}={v}' for k, v in r.written().items())}"
        for r, title in zip(recipes, titles, strict=True)
    }


# Distributions and matrices.


def _distributions(
    texts: Sequence[Text], reference: Corpus, systems: Mapping[str, Corpus], views: Views
) -> list[Section]:
    names = list(systems)[:MOST_SYSTEMS]
    lanes = [dict(text.lanes) for text in texts]
    first = _named(reference, reference.coders[0])
    have = [own for own in lanes if first in own]
    refs = [own[first] for own in have]
    sizes = [svg.histogram(size_bars(refs), first)]
    sizes += [svg.histogram(size_bars([own[n] for own in have]), n) for n in names]
    offsets = [
        svg.histogram(offset_bars(refs, [own[n] for own in have]), n, mark="0") for n in names
    ]
    made = [
        Section("sizes", "Segment sizes", [Figure("".join(sizes))],
                f"How many segments have how many {reference.unit}s."),
        Section("offsets", "How far off", [Figure("".join(offsets))],
                f"Each boundary of a system by its distance, in {reference.unit}s, from the "
                f"nearest boundary of {first}: 0 is exact, + is too late."),
    ]  # fmt: skip
    if len(names) > 1:
        caption = f"{views.inside['metric']} between every two, pooled over texts"
        figure = _between([first, *names], have, views, caption)
        made.append(Section("systems", "Systems among each other", [figure]))
    if views.confusions:
        figure = confusion_figure(views.confusions)
        made.append(Section("kinds", "Kinds taken for each other", [figure],
                            "The reference's kind down, the system's across; near misses meet "
                            "the boundary they were moved to."))  # fmt: skip
    return made


def _between(
    names: Sequence[str], have: Sequence[Mapping[str, Segmentation]], views: Views, caption: str
) -> Figure:
    recipe = parse_signature(views.inside["signature"])[0]
    values: dict[tuple[int, int], float] = {}
    kinds = bool(views.inside["kinds"])
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if i < j:
                both = [[own[n] if kinds else untyped(own[n]) for own in have] for n in (a, b)]
                counts = recipe.count(Pairs.from_segmentations(both[0], both[1]))
                value = float(recipe.value(counts.sum(axis=0)[None, :])[0])
                values[i, j] = values[j, i] = value
    return Figure(svg.matrix(names, values, caption), caption)


def confusion_figure(counts: Mapping[tuple[str, str], int]) -> Figure:
    """Which kinds meet which, as a square."""
    names = sorted({n for pair in counts for n in pair}, key=lambda n: (n == "none", n))
    values = {
        (i, j): float(counts[a, b])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if (a, b) in counts
    }
    return Figure(svg.matrix(names, values, "which kinds meet which", digits=0))
