"""The page of ``fencepost agree``: annotators among each other, or one of them among the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fencepost.corpus import Corpus
from fencepost.metrics.base import Recipe
from fencepost.report.html import svg
from fencepost.report.html.page import Figure, Lines, Page, Section, Sheet
from fencepost.report.html.scores import confusion_figure
from fencepost.report.html.views import (
    ROOM,
    Text,
    edit_recipe,
    make_views,
    ribbon_recipe,
    size_bars,
)
from fencepost.result import Table
from fencepost.segmentation import Segmentation

MOST_COMPARED = 10  # coders of a text of whom every two are compared
MOST_PLACES = 5000
MOST_HEAT = 60
MOST_CODERS = 30


def agreement_page(
    corpus: Corpus,
    table: Table,
    coefficients: Sequence[Sequence[Any]],
    recipes: Sequence[Recipe],
    *,
    lead: str = "",
    data: str = "",
    command: str = "",
    coder: str | None = None,
    more: Sequence[Section] = (),
    notes: Sequence[str] = (),
    room: int = ROOM,
) -> Page:
    """A page of a table that :func:`fencepost.agreement` made from this corpus.

    ``coefficients`` are its rows as people read them; ``coder`` makes it the page of one
    annotator: texts, places and comparisons that this person took part in.
    """
    texts = _texts(corpus, coder)
    recipe = edit_recipe(recipes)
    views = make_views(
        texts, recipe, ribbon_recipe(recipes), unit=corpus.unit, room=room, base=coder, heat=True
    )
    signatures = dict.fromkeys(str(row["signature"]) for row in table.rows)
    sections = [
        Section("summary", "Summary", [
            _coefficients(coefficients), _coders(table, coder),
            Lines([line for line in (*_about_random(table), *signatures, data) if line]),
        ]),
        Section("texts", "Texts", [views], f"Least agreement first by {recipe.metric.title}: "
                f"{recipe.signature()}. The row above the strips shows how many coders cut where."),
        Section("places", "Where coders differ", [_places(table.part("places"), coder)]),
        Section("heat", "Where coders cut", [Figure(_heat_map(texts))],
                "The share of coders who put a boundary at each place, a row a text: the fuller "
                "the colour, the more (Fournier and Inkpen 2012, Figure 11)."),
        Section("matrix", "Every two coders", [_matrix(table, coder)]),
        Section("per-text", "Every text", [_per_text(table, texts)]),
        Section("sizes", "Segment sizes", [_sizes(texts)],
                f"How many segments have how many {corpus.unit}s."),
    ]  # fmt: skip
    if views.confusions:
        intro = "How often the first coder's kind meets the second's."
        figure = confusion_figure(views.confusions)
        sections.append(Section("kinds", "Kinds taken for each other", [figure], intro))
    who = f"{coder} among {len(corpus.coders) - 1} other coders" if coder else f"{corpus.name}"
    notes = [*notes, *([views.note] if views.rest else [])]
    return Page(
        who if coder else f"Agreement on {corpus.name}", lead, [*sections, *more], command,
        views.inside, rest=views.rest, notes=notes,
    )  # fmt: skip


def _about_random(table: Table) -> list[str]:
    """The published pi* needs its own zero beside it."""
    random = table.facts.get("random_pi")
    if random is None:
        return []
    return [f"pi* is not 0 for random coders: with as many cuts they reach {random:.3f}"]


def _texts(corpus: Corpus, coder: str | None) -> list[Text]:
    lanes: dict[tuple[str, str], list[tuple[str, Segmentation]]] = {}
    for key, seg in corpus.entries.items():
        lanes.setdefault((key.text, key.stream), []).append((key.coder, seg))
    made = []
    for item, own in lanes.items():
        if coder is not None:
            own.sort(key=lambda lane: lane[0] != coder)
            if own[0][0] != coder:
                continue
        if len(own) > 1:
            one_side = coder is not None or len(own) > MOST_COMPARED
            firsts = range(1) if one_side else range(len(own))
            pairs = [(a, b) for a in firsts for b in range(a + 1, len(own))]
            made.append(Text(*item, own, pairs, corpus.tokens.get(item)))
    return made


def _coefficients(rows: Sequence[Sequence[Any]]) -> Sheet:
    columns = ["", "value", "95% interval", "observed", "by chance", "chance"]
    return Sheet("agreement", columns, rows, plain=True).without_empty_columns()


def _coders(table: Table, coder: str | None) -> Sheet:
    rows = [
        [row["coder"], str(row["texts"]), str(row["boundaries"]), f"{row['rate']:.3f}",
         f"{row['value']:.3f}"]
        for row in table.part("coders")
        if coder in (None, row["coder"])
    ]  # fmt: skip
    columns = ["coder", "texts", "cuts", "cuts a place", "similarity with others"]
    return Sheet("coders", columns, rows, plain=True)


def _places(table: Table, coder: str | None) -> Sheet:
    """The list for adjudication: most divided first; for one coder, where few did the same."""
    rows = list(table.rows)
    if coder is not None:
        rows = [row for row in rows if coder in _who(row)]
    rows.sort(key=lambda row: _apart(row, coder))
    count = len(rows)
    rows = rows[:MOST_PLACES]
    wanted = ["text", "stream", "place", "left", "right", "cut", "coders", "cut_by", "not_cut_by",
              "kinds"]  # fmt: skip
    kept = [c for c in wanted if any(row[c] not in (None, "") for row in rows)]
    names = {"place": "after", "cut_by": "cut by", "not_cut_by": "not cut by"}
    title = [f"{row['text']}, {row['stream']}" if row["stream"] else row["text"] for row in rows]
    caption = "" if count == len(rows) else f"{len(rows)} of {count} places; all: --places FILE"
    return Sheet(
        "places", [names.get(c, c) for c in kept], [[row[c] for c in kept] for row in rows],
        opens=[(t, row["place"]) for t, row in zip(title, rows, strict=True)], caption=caption,
    )  # fmt: skip


def _who(row: dict[str, Any]) -> set[str]:
    return set(f"{row['cut_by']}; {row['not_cut_by']}".split("; "))


def _apart(row: dict[str, Any], coder: str | None) -> float:
    """How little agreed: nearest to one half first; for one coder the share on the same side."""
    share = row["cut"] / row["coders"]
    if coder is None:
        return float(abs(share - 0.5))
    return float(share if coder in row["cut_by"].split("; ") else 1 - share)


def _heat_map(texts: Sequence[Text]) -> str:
    rows = []
    for text in texts[:MOST_HEAT]:
        counts: dict[int, int] = {}
        for _, seg in text.lanes:
            for place in seg.places.tolist():
                counts[place] = counts.get(place, 0) + 1
        shares = {place: n / len(text.lanes) for place, n in counts.items()}
        rows.append((text.title, text.lanes[0][1].units, shares))
    return svg.heat_map(rows)


def _matrix(table: Table, coder: str | None) -> Figure | Sheet:
    part = table.part("matrix")
    names = list(dict.fromkeys([*part.column("first"), *part.column("second")]))
    if len(names) > MOST_CODERS and coder is None:
        return Sheet.of(part)
    number = {name: i for i, name in enumerate(names)}
    values = {}
    for row in part.rows:
        a, b = number[row["first"]], number[row["second"]]
        values[a, b] = values[b, a] = row["value"]
    label = "similarity of every two coders, over the texts they share"
    if coder is not None:
        others = [n for n in names if n != coder and (number[coder], number[n]) in values]
        own = {(0, j): values[number[coder], number[n]] for j, n in enumerate(others)}
        return Figure(svg.matrix([coder], own, label, across=others), label)
    return Figure(svg.matrix(names, values, label), label)


def _per_text(table: Table, texts: Sequence[Text]) -> Sheet:
    """Every coefficient of every text."""
    shown = {text.text for text in texts}
    part = [row for row in table.part("texts") if row["text"] in shown]
    names = list(dict.fromkeys((row["coefficient"], row["metric"], row["chance"]) for row in part))
    cells: dict[str, dict[Any, Any]] = {}
    for row in part:
        own = cells.setdefault(row["text"], {"pairs": row["pairs"], "cuts": row["boundaries"]})
        own[row["coefficient"], row["metric"], row["chance"]] = row
    several = len({name[0] for name in names}) < len(names)
    columns = ["text", "pairs", "cuts"]
    for coefficient, metric, chance in names:
        title = f"{coefficient} ({metric}, {chance})" if several else coefficient
        columns += [title, f"observed, {title}"]
    rows = [
        [text, own["pairs"], own["cuts"],
         *(own[name][c] for name in names for c in ("value", "observed"))]
        for text, own in cells.items()
    ]  # fmt: skip
    return Sheet("per-text", columns, rows, opens=[(text, None) for text in cells])


def _sizes(texts: Sequence[Text]) -> Figure:
    segs: dict[str, list[Segmentation]] = {}
    for text in texts:
        for name, seg in text.lanes:
            segs.setdefault(name, []).append(seg)
    shown = list(segs.items())[:MOST_CODERS]
    return Figure("".join(svg.histogram(size_bars(own), name) for name, own in shown))
