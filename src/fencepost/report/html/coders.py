"""The page of ``fencepost agree``: annotators among each other, or one of them among the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.coders.confusions import ALL_STREAMS
from fencepost.coders.results import OF_SYSTEMS, Results
from fencepost.metrics.registry import Recipe
from fencepost.metrics.signature import signature_lines
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus
from fencepost.model.levels import Order
from fencepost.model.pairs import untyped
from fencepost.model.segmentation import Segmentation
from fencepost.report.agreement import (
    VERDICT_COLUMNS,
    about_intervals,
    about_verdicts,
    about_zero,
    by_level,
    crossed,
    data_line,
    lead,
    readable,
    readable_verdicts,
)
from fencepost.report.html import svg
from fencepost.report.html.page import Figure, Lines, Page, Section, Sheet, count_fitting
from fencepost.report.html.scores import confusion_figure, matrix_blocks, panels_figure
from fencepost.report.html.views import (
    MAX_TEXTS_BYTES,
    Text,
    Views,
    edit_recipe,
    make_views,
    ribbon_recipe,
    undefined_last,
)
from fencepost.report.strips import cut_shares, size_panels, types_at
from fencepost.scoring.summary import ABOUT_LEVELS
from fencepost.scoring.tables import Table

MORE_TITLES = {
    "without": "Without each annotator",
    "ceiling": "Each annotator as a system",
    "types": "Every boundary type",
}
SYSTEM_TITLES = {
    "verdicts": "Is a system as good as an annotator?",
    "systems": "Systems among annotators",
    "against-consensus": "Systems against the consensus",
}
MAX_CODERS = 10  # annotators of a text of which every two are compared
MAX_PAIRS = 10_000  # pairs of all texts together, where a text has more annotators
HEAT_MAP_BYTES = 10_000
MAX_PLAIN_ROWS = 25  # rows of a table that is shown as a whole


def agreement_page(
    results: Results,
    *,
    command: str = "",
    coder: str | None = None,
    all_tables: bool = False,
    confusions: bool = False,
    room: int = MAX_TEXTS_BYTES,
    types: Order = None,
) -> Page:
    """Return the page of ``fencepost agree``.

    ``coder`` makes it the page of one annotator: texts, differences and comparisons that this
    person took part in. ``confusions`` adds the types that each speaker's annotators confused.
    ``types`` is the order of boundary types, where it is declared.
    """
    corpus, table = results.corpus, results.table
    texts = _texts(corpus, coder)
    recipe = edit_recipe(results.recipes)
    views = make_views(
        texts, recipe, ribbon_recipe(results.recipes), unit=corpus.unit, room=room, base=coder,
        heat=True, pooled=True, types=types,
    )  # fmt: skip
    first = results.recipes[0].metric.title
    signatures = signature_lines(str(row["signature"]) for row in table.rows)
    sections = [
        Section("summary", "Summary", [
            _coefficients(results), _coders(results.first("coders"), coder, first),
            Lines([*about_zero(results), *about_intervals(results), *signatures,
                   data_line(table.facts)]),
        ], "" if coder is None else f"The numbers above and the coefficients are about all "
           f"{len(corpus.coders)} annotators; what follows them is about {coder}."),
        Section("texts", "Texts", [views], _about_texts(recipe, texts, coder)),
        Section("differences", "Where annotators differ",
                [_differences(results.first("differences"), texts, coder)],
                "The most divided positions first: of every two annotators, how many did not do "
                "the same (a boundary or none, and of which type). A click opens the position in "
                "its text."
                if coder is None else
                f"The positions where most of the others did not do what {coder} did come first. A "
                "click opens the position in its text."),
        Section("heat", "Where annotators set boundaries", [_heat_map(texts, views)],
                "The share of annotators who set a boundary at each position, one row per text: "
                "the fuller the colour, the more (Fournier and Inkpen 2012, Figure 11)."),
        Section("matrix", "Every two annotators", _matrix(results.first("matrix"), coder, first)),
        Section("per-text", "Every text", [_per_text(results.first("texts"), texts)],
                "" if coder is None else f"The agreement of all annotators of a text, {coder} "
                "being one of them."),
        Section("sizes", "Segment sizes", [_sizes(texts, coder)],
                f"How many segments have how many {corpus.unit}s."),
        *_levels(results),
        *_types(results, recipe, texts, views, coder),
        *_systems(results),
    ]  # fmt: skip
    if results.with_costs is not None:
        sheets = _contrasts(results, confusions)
        sections.append(Section("contrasts", "Positions and types", sheets))
    if all_tables and coder is None:
        sections += [
            Section(f"all-{name}", title, [Sheet.of(results.part(name))])
            for name, title in MORE_TITLES.items()
            if len(results.part(name))
        ]
    title = f"Agreement on {corpus.name}"
    if coder is not None:
        title = f"{coder} among {len(corpus.coders) - 1} other annotators"
    about = "\n".join([*results.reading_lines, lead(table.facts)])
    return views.page(title, about, sections, command, table.notes)


def _levels(results: Results) -> list[Section]:
    """Return the section of every level by itself, where it is asked for."""
    if not results.by:
        return []
    sheet = Sheet.of(by_level(results), plain=True, caption=ABOUT_LEVELS)
    return [Section("levels", "Every level", [sheet])]


def _types(
    results: Results, recipe: Recipe, texts: Sequence[Text], views: Views, coder: str | None
) -> list[Section]:
    """Return the section of types that meet: those of S_f, where it was asked for."""
    if not views.confusions:
        return []
    found, title = views.confusions, recipe.metric.title
    if results.with_costs is not None and coder is None:
        every = results.part("confusions").where(stream=ALL_STREAMS)
        found, title = {(row["first"], row["second"]): row["count"] for row in every}, "S_f"
    intro = _about_confusions(title, texts, coder)
    return [Section("kinds", "Types taken for each other", [confusion_figure(found)], intro)]


def _systems(results: Results) -> list[Section]:
    """Return the sections of systems among annotators."""
    sections = []
    for name in OF_SYSTEMS if results.systems else ():
        intro = ""
        try:
            sheet = Sheet.of(results.part(name))
        except SegmentationError:  # too few annotators: the text output says so
            continue
        if name == "verdicts":
            rows = [list(row.values()) for row in readable_verdicts(results)]
            sheet = Sheet(name, list(VERDICT_COLUMNS), rows, plain=True).without_empty_columns()
            intro = about_verdicts(results)
        sections.append(Section(name, SYSTEM_TITLES[name], [sheet], intro))
    return sections


def _contrasts(results: Results, confusions: bool) -> list[Sheet]:
    """Return what S_f gives with types and without, and if wanted each speaker's confusions."""
    sheets = [Sheet.of(results.part("contrasts"), plain=True)]
    table = results.part("confusions")
    streams = [stream for stream in dict.fromkeys(table.column("stream")) if stream != ALL_STREAMS]
    if confusions and len(streams) > 1:
        for stream in streams:
            columns, rows = crossed(table, stream)
            sheets.append(Sheet(f"confusions-{stream}", columns, rows, plain=True))
    return sheets


def _texts(corpus: Corpus, coder: str | None) -> list[Text]:
    lanes: dict[tuple[str, str], list[tuple[str, Segmentation]]] = {}
    for key, seg in corpus.entries.items():
        lanes.setdefault((key.text, key.stream), []).append((key.coder, seg))
    every_two = sum(len(own) * (len(own) - 1) // 2 for own in lanes.values())
    made = []
    for item, own in lanes.items():
        if coder is not None:
            own.sort(key=lambda lane: lane[0] != coder)
            if own[0][0] != coder:
                continue
        if len(own) > 1:
            one_side = coder is not None or (len(own) > MAX_CODERS and every_two > MAX_PAIRS)
            firsts = range(1) if one_side else range(len(own))
            pairs = [(a, b) for a in firsts for b in range(a + 1, len(own))]
            made.append(Text(*item, own, pairs, corpus.tokens.get(item)))
    return made


def _is_whole(text: Text) -> bool:
    """Return whether every two annotators of a text are compared."""
    return len(text.pairs) == len(text.lanes) * (len(text.lanes) - 1) // 2


def _about_texts(recipe: Recipe, texts: Sequence[Text], coder: str | None) -> str:
    pairs = "every two annotators"
    limit = ""
    if coder is not None:
        pairs = f"{coder} with each of the others"
    elif not all(map(_is_whole, texts)):
        limit = (
            f" In texts with more than {MAX_CODERS} annotators the first is compared with each "
            f"of the others, as there are more than {MAX_PAIRS:,} pairs; --coder NAME makes the "
            "page of any other."
        )
    return (
        f"Least agreement first by {recipe.metric.title}, pooled over {pairs}: "
        f"{recipe.signature()}. The row above the strips shows how many "
        f"annotators set a boundary where.{limit}"
    )


def _about_confusions(title: str, texts: Sequence[Text], coder: str | None) -> str:
    who = "of the two, the annotator who comes first in the file"
    pairs = "all pairs of annotators"
    if coder is not None:
        who, pairs = coder, f"all pairs of {coder} with another annotator"
    elif not all(map(_is_whole, texts)):
        pairs = "the pairs that are compared under Texts"
    return (
        f"Each edit of {title}, over {pairs}, pairs a boundary of the first annotator ({who}; its "
        "type is the row) with one of the second (the column); none: it has no partner."
    )


def _coefficients(results: Results) -> Sheet:
    columns = ["", "value", "95% interval", "observed", "by chance", "chance"]
    rows = [list(row.values()) for row in readable(results)]
    return Sheet("agreement", columns, rows, plain=True).without_empty_columns()


def _coders(table: Table, coder: str | None, metric: str) -> Sheet:
    columns = ["annotator", "texts", "boundaries", "per position", f"{metric} with others"]
    rows = [
        [row["coder"], row["texts"], row["boundaries"], row["rate"], row["value"]]
        for row in table
        if coder in (None, row["coder"])
    ]
    plain = len(rows) <= MAX_PLAIN_ROWS
    return Sheet("coders", columns, rows, plain=plain, whole="--csv --table coders")


def _differences(table: Table, texts: Sequence[Text], coder: str | None) -> Sheet:
    """Return the list for adjudication: most divided first; for one, where few did the same."""
    labels = {(text.text, text.stream): _labels(text) for text in texts}
    rows = [row for row in table.rows if (row["text"], row["stream"]) in labels]
    apart = {
        id(row): _apart(labels[row["text"], row["stream"]], row["position"], coder) for row in rows
    }
    rows.sort(key=lambda row: -apart[id(row)])
    names = {"text": "text", "stream": "speaker", "position": "after", "left": "left",
             "right": "right", "boundaries": "boundaries", "coders": "annotators",
             "apart": "pairs apart" if coder is None else "others apart", "set_by": "set by",
             "not_set_by": "not set by", "kinds": "types"}  # fmt: skip
    kept = [c for c in names if c == "apart" or any(row[c] not in (None, "") for row in rows)]
    title = [f"{row['text']}, {row['stream']}" if row["stream"] else row["text"] for row in rows]
    return Sheet(
        "differences", [names[c] for c in kept],
        [[apart[id(row)] if c == "apart" else row[c] for c in kept] for row in rows],
        opens=[(t, row["position"]) for t, row in zip(title, rows, strict=True)],
        sorts={None: (kept.index("apart"), False)}, whole="--differences FILE", digits=2,
        stacked=True,
    )  # fmt: skip


def _labels(text: Text) -> list[tuple[str, dict[int, tuple[str, ...]]]]:
    """Return what each annotator did where: the types of boundaries at a position."""
    typed = all(seg.kind_names is not None for _, seg in text.lanes)
    return [
        (name, {place: tuple(sorted(own)) for place, own in
                types_at(seg if typed else untyped(seg)).items()})
        for name, seg in text.lanes
    ]  # fmt: skip


def _apart(
    labels: Sequence[tuple[str, Mapping[int, tuple[str, ...]]]], place: int, coder: str | None
) -> float:
    """Return the share of pairs who did not do the same there; for one, of the others."""
    did = [(name, own.get(place, ())) for name, own in labels]
    if coder is not None:
        mine = dict(did)[coder]
        return sum(other != mine for _, other in did) / max(1, len(did) - 1)
    same = sum(n * (n - 1) for n in Counter(other for _, other in did).values())
    return 1 - same / (len(did) * (len(did) - 1))


def _heat_map(texts: Sequence[Text], views: Views) -> Figure:
    """Return as many texts as there is room for, those with the least agreement first."""
    order = sorted(range(len(texts)), key=lambda i: (undefined_last(views.values[i]), i))
    rows = []
    for i in order[: HEAT_MAP_BYTES // 100]:
        segs = [seg for _, seg in texts[i].lanes]
        rows.append((texts[i].title, segs[0].units, cut_shares(segs)))
    drawn = svg.heat_rows(rows) if rows else []
    drawn = drawn[: count_fitting(map(len, drawn), HEAT_MAP_BYTES)]
    left = "" if len(drawn) == len(texts) else (
        f"the {len(drawn)} of {len(texts)} texts with the least agreement; the others in the text "
        "view, in the row of all annotators"
    )  # fmt: skip
    return Figure(svg.heat_map(drawn), left)


def _matrix(table: Table, coder: str | None, metric: str) -> list[Any]:
    names = list(dict.fromkeys([*table.column("first"), *table.column("second")]))
    number = {name: i for i, name in enumerate(names)}
    values = {}
    for row in table.rows:
        a, b = number[row["first"]], number[row["second"]]
        values[a, b] = values[b, a] = row["value"]
    label = f"{metric} of every two annotators, over the texts they share"
    if coder is not None:
        own = [(n, values[number[coder], number[n]]) for n in names
               if (number[coder], number[n]) in values]  # fmt: skip
        own.sort(key=lambda pair: undefined_last(pair[1]))
        sheet = Sheet("matrix-pairs", ["annotator", f"{metric} with {coder}"],
                      [list(pair) for pair in own], sorts={None: (1, True)},
                      caption="over the texts they share")  # fmt: skip
        return [sheet]
    return matrix_blocks("matrix", names, values, label, "--csv --table matrix")


def _per_text(table: Table, texts: Sequence[Text]) -> Sheet:
    """Return every coefficient of every text."""
    shown = {text.text for text in texts}
    part = [row for row in table if row["text"] in shown]
    names = list(dict.fromkeys((row["coefficient"], row["metric"], row["chance"]) for row in part))
    cells: dict[str, dict[Any, Any]] = {}
    for row in part:
        own = cells.setdefault(
            row["text"], {"pairs": row["pairs"], "boundaries": row["boundaries"]}
        )
        own[row["coefficient"], row["metric"], row["chance"]] = row
    several = len({name[0] for name in names}) < len(names)
    columns = ["text", "pairs", "boundaries"]
    for coefficient, metric, chance in names:
        title = f"{coefficient} ({metric}, {chance})" if several else coefficient
        columns += [title, f"observed, {title}"]
    rows = {
        text: [text, own["pairs"], own["boundaries"],
               *(own[name][c] for name in names for c in ("value", "observed"))]
        for text, own in cells.items()
    }  # fmt: skip
    # Observed agreement is known for every text; chance may leave nothing to reach in one.
    by = columns.index(f"observed, {columns[3]}") if names else 1
    order = sorted(rows, key=lambda text: undefined_last(rows[text][by]))
    return Sheet(
        "per-text", columns, [rows[text] for text in order], sorts={None: (by, True)},
        opens=[(text, None) for text in order], whole="--csv --table texts",
    )  # fmt: skip


def _sizes(texts: Sequence[Text], coder: str | None) -> Figure:
    segs: dict[str, list[Segmentation]] = {}
    for text in texts:
        for name, seg in text.lanes:
            segs.setdefault(name, []).append(seg)
    order = sorted(segs, key=lambda name: name != coder)
    everybody = [("all annotators", [seg for own in segs.values() for seg in own])]
    named = size_panels([(name, segs[name]) for name in order])
    whole = size_panels(everybody)  # on an axis of its own: there are many more of them
    figure = panels_figure(
        named, "annotators", elsewhere="--coder NAME begins with the panel of any"
    )
    if figure.caption:
        return Figure(svg.histograms(whole)[0] + figure.svg, figure.caption)
    return figure
