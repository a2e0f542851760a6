"""Drawings that need no script: strips with edits, heat maps, matrices, histograms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

from fencepost.model.edits import Edge, Edit
from fencepost.model.levels import Ladder
from fencepost.model.pairs import merge_vocabularies
from fencepost.model.segmentation import Segmentation
from fencepost.report.html import marks
from fencepost.report.html.safe import safe
from fencepost.report.strips import (
    BLUE,
    COLOURS,
    SORTS,
    Bars,
    edge_in_words,
    edit_in_words,
    edits_in_words,
    ends_of,
    pair_in_words,
    segments_in_words,
    sort_of,
    types_at,
)
from fencepost.wording import clip, plural

# In notebooks, whose paper may be white or black: what is filled has an outline that shows on both.
SHADES = 0.5, 0.22
OUTLINE: dict[str, Any] = {"stroke": "currentColor", "stroke_opacity": 0.6, "stroke_width": 0.8}
MAX_SHADED_COLUMNS = 400  # of a drawing; in longer texts several positions share a column
MAX_SHAPES = 120  # edits or segments of a strip; more are drawn as thin lines
GRAIN_PIXELS = 3  # between those thin lines on a page
FLAG_PIXELS = 13  # above a strip, for the types of its boundaries
BAND_PIXELS = 7  # beside a strip, for the segments of each coarser level
MAX_NAMED_PLACES = 12  # positions of a share that the title of a heat map lists
LETTER_PIXELS = 6.5  # width of a letter, on the safe side


def element(tag: str, content: str = "", **attributes: object) -> str:
    """Return one element; attributes are escaped, the content must be already.

    >>> element("text", safe_text("a<b"), x=1, class_="name")
    '<text x="1" class="name">a&lt;b</text>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def safe_text(text: object) -> str:
    """Return other people's text, escaped for the content of an element."""
    return escape(safe(text), quote=False)


def _number(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else safe(value)


def drawing(width: float, height: float, label: str, content: Iterable[str]) -> str:
    """Return an SVG with a sentence for those who cannot see it."""
    title = element("title", safe_text(label) or " ")
    return element(
        "svg",
        title + "".join(content),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        font_family="system-ui, sans-serif",
        font_size=11,
        fill="currentColor",
    )


# Strips. Between two of them are edits, A's edges, or shares by which positions are shaded.

Between: TypeAlias = Sequence[Edit | Edge] | Mapping[int, float]


def strips(
    ref: Segmentation,
    hyp: Segmentation,
    between: Between,
    names: tuple[str, str] = ("ref", "hyp"),
    width: int = 760,
    *,
    said: str = "",
    page: bool = False,
) -> str:
    """Draw two segmentations over each other, with the edits (or edges, or shades) between them."""
    if not isinstance(between, Mapping):
        said = edits_in_words(between)
    label = f"{pair_in_words(ref, hyp, names)}; {said}"
    rows: list[tuple[str, Segmentation, Between]] = [(names[0], ref, ()), (names[1], hyp, between)]
    kinds = () if page else kinds_of(ref, hyp)
    return lanes(
        rows, label, kinds, width, page=page, ladder=Ladder.of([ref, hyp] if kinds else [])
    )


def one_strip(seg: Segmentation, width: int = 760) -> str:
    """Draw one segmentation: its segments, and the types of its boundaries."""
    label = f"{plural(seg.units, 'unit')}, {segments_in_words(seg)}"
    kinds = kinds_of(seg)
    return lanes([("", seg, ())], label, kinds, width, page=False, ladder=Ladder.of([seg]))


def kinds_of(*segs: Segmentation) -> tuple[str, ...]:
    """Return all boundary types of these; nothing where one has no types: then positions count."""
    named = [seg.kind_names for seg in segs if seg.kind_names is not None]
    return merge_vocabularies(named) if len(named) == len(segs) else ()


def lanes(
    rows: Sequence[tuple[str, Segmentation, Between]],
    label: str,
    kinds: Sequence[str] = (),
    width: int = 760,
    *,
    page: bool = True,
    ladder: Ladder | None = None,
) -> str:
    """Draw several segmentations of a text, each but the first with its edits against the first.

    A ``page`` has a style sheet and little room: shapes of a sort are one path, without colours.
    Elsewhere every segment and edit is an element that says what it is. The first segmentation is
    repeated, thin, above the third and later ones: the two that are compared stand together.
    With a ``ladder`` every coarser level is a band beside the strip, away from the other strip;
    without one boundary types are shapes above it.
    """
    margin = _margin(name for name, _, _ in rows)
    x = _Scale(rows[0][1].units, margin, width)
    types = _Types(kinds, ladder)
    parts, y = [_ruler(x, width)], 16.0
    for number, (name, seg, between) in enumerate(rows):
        if number > 1:
            y += 8
            above = _Types((), ladder)
            parts.append(_strip(rows[0][1], x, y, "", above, 6, page))
            y += 6 + above.room
        if number:
            parts.append(_between(between, x, y + 1, y + 28, kinds, page))
            y += 29
        parts.append(_strip(seg, x, y, name, types, 18, page, down=number > 0))
        y += 18 + types.room
    if ladder is not None and not page:
        parts.append(_level_legend(ladder, margin, y + 6))
        y += 6 + BAND_PIXELS * len(ladder.rungs) + 6
    return drawing(width, y + 4, label, parts)


@dataclass(frozen=True)
class _Types:
    """How boundary types are drawn: as levels where there is a ladder, else with shapes."""

    kinds: Sequence[str]
    ladder: Ladder | None

    @property
    def room(self) -> float:
        """What they need beside a strip."""
        if self.ladder is not None:
            return BAND_PIXELS * (len(self.ladder.rungs) - 1)
        return FLAG_PIXELS if self.kinds else 0


def rung_lines(ladder: Ladder) -> list[tuple[str, float, float]]:
    """Return the name of each rung, the height and the thickness of its boundaries."""
    count = len(ladder.rungs)
    return [
        (name, BAND_PIXELS * (count - rung), ladder.thickness(rung))
        for rung, name in enumerate(ladder.labels)
    ]


def _level_legend(ladder: Ladder, left: float, y: float) -> str:
    """Draw a boundary of every level beside its name, the coarsest first."""
    bottom = y + BAND_PIXELS * len(ladder.rungs)
    parts, x = [], left + 2
    for name, high, thick in rung_lines(ladder):
        line = f"M{x:g} {bottom - high:g}V{bottom:g}"
        parts.append(element("path", d=line, stroke="currentColor", stroke_width=thick))
        parts.append(element("text", safe_text(name), x=x + 6, y=bottom - 1, font_size=9))
        x += 22 + LETTER_PIXELS * len(name)
    return "".join(parts)


class _Scale:
    """From a place in the text to a place on the drawing."""

    def __init__(self, units: int, margin: float, width: float) -> None:
        self.units, self.margin = units, margin
        self.step = (width - margin - 6) / max(1, units)

    def __call__(self, place: float) -> float:
        return self.margin + place * self.step


def _margin(names: Iterable[str]) -> float:
    """Return the room for these names at the left of a drawing."""
    return min(140.0, 12 + LETTER_PIXELS * max(map(len, names)))


def _ruler(x: _Scale, width: float) -> str:
    """Draw numbers of units, far enough from each other to be read."""
    step = _round_up(max(1.0, 34 / x.step))
    last = width - LETTER_PIXELS * len(str(x.units)) / 2
    ticks = "".join(
        element("text", str(u), x=round(min(x(u), last), 1), y=10)
        for u in range(step, x.units + 1, step)
    )
    return element("g", ticks, text_anchor="middle", font_size=9) if ticks else ""


def _round_up(least: float) -> int:
    """Return the next of 1, 2, 5, 10, 20, 50, ..."""
    size = 10 ** math.floor(math.log10(least))
    return int(next(k * size for k in (1, 2, 5, 10) if k * size >= least - 1e-9))


def _name(name: str, y: float, margin: float) -> str:
    return element("text", _fitted(name, margin - 8), x=0, y=y, class_="name")


def _fitted(name: str, room: float) -> str:
    """Return a name in so many pixels, and as a title where it is shortened."""
    shown = clip(name, max(1, int(room / LETTER_PIXELS)))
    return (element("title", safe_text(name)) if shown != name else "") + safe_text(shown)


def _strip(
    seg: Segmentation,
    x: _Scale,
    y: float,
    name: str,
    types: _Types,
    high: float,
    page: bool,
    *,
    down: bool = False,
) -> str:
    parts = []
    if types.ladder is None and types.kinds:
        parts.append(_flags(seg, x, y, types.kinds, page))
    if types.ladder is None or not down:
        y += types.room
    if name:
        parts.append(_name(name, y + 13, x.margin))
    parts.append(_segments(ends_of(seg), x, y, high, page))
    if types.ladder is not None:
        parts.append(_bands(seg, x, y, types.ladder, high, page, down))
    return "".join(parts)


def _bands(
    seg: Segmentation, x: _Scale, y: float, ladder: Ladder, high: float, page: bool, down: bool
) -> str:
    """Draw the segments of the coarser levels beside a strip, and every boundary through them."""
    reached, last = ladder.reached(seg), len(ladder.rungs) - 1
    bands, lines = [], []
    for rung in range(last + 1):
        away = (last - rung) * BAND_PIXELS
        if away:
            ends = [0, *(place for place, top in reached.items() if top <= rung), seg.units]
            at = y + high + away - BAND_PIXELS + 1 if down else y - away
            bands.append(_segments(ends, x, at, BAND_PIXELS - 1, page))  # with a gap between
        top, bottom = (y, y + high + away) if down else (y - away, y + high)
        d = "".join(f"M{x(p):.1f} {top:g}V{bottom:g}" for p, own in reached.items() if own == rung)
        if d:
            width = ladder.thickness(rung) / (2 if len(reached) > MAX_SHAPES else 1)
            stroke = None if page else "currentColor"  # a page has a style sheet
            lines.append(element("path", d=d, stroke=stroke, stroke_width=width, class_="rung"))
    return "".join([*bands, *reversed(lines)])


def _segments(ends: Sequence[int], x: _Scale, y: float, high: float, page: bool) -> str:
    """Draw the segments between these ends in two shades; very many as lines at their ends."""
    parts = []
    if len(ends) > MAX_SHAPES:
        whole = f"M{x(0):.1f} {y:g}H{x(ends[-1]):.1f}v{high:g}H{x(0):.1f}z"
        parts.append(element("path", d=whole, fill=BLUE, fill_opacity=SHADES[1], class_="seg1",
                             **({} if page else OUTLINE)))  # fmt: skip
        parts.append(_thin([x(place) for place in ends[1:-1]], y, y + high, BLUE, page))
    elif page:
        for odd in (0, 1):
            d = "".join(
                f"M{x(a):.1f} {y:g}H{max(x(a) + 0.5, x(b) - 1):.1f}v{high:g}H{x(a):.1f}z"
                for a, b in list(pairwise(ends))[odd::2]
            )
            parts.append(element("path", d=d, class_=f"seg{odd}") if d else "")
    else:
        for number, (a, b) in enumerate(pairwise(ends)):
            said = element("title", f"{a + 1} to {b} ({plural(b - a, 'unit')})")
            parts.append(
                element("rect", said, x=x(a), y=y, width=max(0.5, x(b) - x(a) - 1), height=high,
                        fill=BLUE, fill_opacity=SHADES[number % 2], **OUTLINE)
            )  # fmt: skip
    return "".join(parts)


def _flags(seg: Segmentation, x: _Scale, y: float, kinds: Sequence[str], page: bool) -> str:
    """Above each boundary the shape of its type, and beside it the mark where there is room."""
    if seg.kinds is None or len(seg.cuts) > MAX_SHAPES:
        return ""
    number = {kind: i for i, kind in enumerate(kinds)}
    short = marks.short_marks(kinds)
    shown = [
        (x(place) + 9 * i, number[name])
        for place, names in types_at(seg).items()
        for i, name in enumerate(names)
    ]
    parts = []
    for (where, kind), (end, _) in zip_longest(shown, shown[1:], fillvalue=(math.inf, 0)):
        parts.append(_glyph(kind, where, y + 6, "" if page else kinds[kind]))
        if where + 6 + LETTER_PIXELS * len(short[kind]) < end - 5:
            parts.append(element("text", safe_text(short[kind]), x=round(where + 6, 1), y=y + 9.5))
    return element("g", "".join(parts), font_size=9, class_="kinds") if parts else ""


def _glyph(kind: int, x: float, y: float, said: str) -> str:
    """Draw the shape of a boundary type; a page has each shape once and uses it again."""
    colour, shape = marks.colour_of(kind), kind % len(marks.SHAPES)
    if not said:
        return element("use", href=f"#kind-{shape}", x=round(x, 1), y=y, class_=f"k{colour}")
    return element("path", element("title", safe_text(said)), d=marks.SHAPES[shape],
                   transform=f"translate({x:.1f} {y:g})", fill=marks.COLOURS[colour],
                   **OUTLINE)  # fmt: skip


def _between(
    between: Between, x: _Scale, top: float, bottom: float, kinds: Sequence[str], page: bool
) -> str:
    if isinstance(between, Mapping):
        return _shades(between, x, top)
    edges = [_ribbon(edge, x, top, bottom) for edge in between if isinstance(edge, Edge)]
    edits = [edit for edit in between if isinstance(edit, Edit)]
    return "".join(edges) + _edits(edits, x, top, bottom, kinds, page)


def _edits(
    edits: Sequence[Edit], x: _Scale, top: float, bottom: float, kinds: Sequence[str], page: bool
) -> str:
    """Draw one path per sort on a page, elsewhere one per edit; numbers if there is room."""
    by_sort = {sort: [edit for edit in edits if sort_of(edit) == sort] for sort in SORTS}
    middle = (top + bottom) / 2
    if len(edits) > MAX_SHAPES:
        spans = {"missing": (top, middle), "extra": (middle, bottom)}
        return "".join(
            _thin([x(edit.end) for edit in own], *spans.get(sort, (top, bottom)), COLOURS[sort],
                  page, sort)
            for sort, own in by_sort.items()
        )  # fmt: skip
    parts = []
    for sort, own in by_sort.items():
        outlines = [_outline(edit, x, top, bottom) for edit in own]
        if page:
            parts.append(element("path", d="".join(outlines), class_=f"ed {sort}") if own else "")
            continue
        fill = COLOURS[sort] if sort == "kind" else "none"
        for edit, d in zip(own, outlines, strict=True):
            line = element("path", d=d, stroke=COLOURS[sort], stroke_width=1.6, fill=fill)
            title = element("title", safe_text(edit_in_words(edit)))
            parts.append(element("g", title + line, class_=f"edit {sort}"))
    return "".join([*parts, *_labels(edits, x, middle, kinds, page)])


def _shades(shares: Mapping[int, float], x: _Scale, top: float) -> str:
    """Draw positions darker by their share; in a long text several of them share a column."""
    step = -(-x.units // MAX_SHADED_COLUMNS)
    columns: dict[int, float] = {}
    for place, share in shares.items():
        columns[place // step] = max(share, columns.get(place // step, 0.0))
    parts = []
    for column, share in columns.items():
        start = max(x(0), x(column * step - 0.5))
        end = min(x(x.units), x((column + 1) * step - 0.5))
        parts.append(element("rect", x=start, y=top, width=end - start, height=26,
                             fill=COLOURS["missing"], fill_opacity=0.7 * share))  # fmt: skip
    return "".join(parts)


def _outline(edit: Edit, x: _Scale, top: float, bottom: float) -> str:
    """Return the path of an edit: a line, a diamond, a plus, an arrow, a square."""
    sort, middle = sort_of(edit), (top + bottom) / 2
    at = x(edit.ref if edit.ref is not None else edit.end)
    if sort == "match":
        return f"M{at:.1f} {top:g}V{bottom:g}"
    if sort == "missing":
        return f"M{at:.1f} {top:g}V{middle - 5:g}l5 5l-5 5l-5 -5l5 -5"
    if sort == "extra":
        return f"M{at:.1f} {bottom:g}V{middle - 5:g}M{at - 4:.1f} {middle:g}h8"
    if sort == "kind":
        return f"M{at:.1f} {top:g}V{bottom:g}M{at - 4:.1f} {middle - 4:g}h8v8h-8z"
    assert edit.hyp is not None
    end = x(edit.hyp)
    return f"M{at:.1f} {top:g}L{end:.1f} {bottom:g}m-3 -5l3 5l3 -5"


def _labels(
    edits: Sequence[Edit], x: _Scale, middle: float, kinds: Sequence[str], page: bool
) -> list[str]:
    """Return how far, and which type for which, beside an edit that has room at its right."""
    short = dict(zip(kinds, marks.short_marks(kinds), strict=True))
    found = sorted(edits, key=lambda e: e.start)
    parts = []
    for e, after in zip_longest(found, found[1:]):
        sort = sort_of(e)
        said = str(e.end - e.start) if sort == "near" else ""
        if kinds and e.side is None and e.ref_kind != e.hyp_kind:
            said += f" {short[e.ref_kind or '']}→{short[e.hyp_kind or '']}"
        end = math.inf if after is None else x(after.start) - 6
        if said and x(e.end) + 7 + LETTER_PIXELS * len(said) < end:
            parts.append(element("text", safe_text(said.strip()), x=round(x(e.end) + 7, 1),
                                 y=middle + 3, class_=f"edit {sort}",
                                 fill=None if page else COLOURS[sort]))  # fmt: skip
    return parts


def _thin(
    places: Sequence[float], top: float, bottom: float, colour: str, page: bool,
    class_: str | None = None,
) -> str:  # fmt: skip
    """Draw lines at these places, one for all that fall onto the same grain of pixels."""
    grain = GRAIN_PIXELS if page else 0.5
    columns = dict.fromkeys(round(place / grain) * grain for place in places)
    path = "".join(f"M{column:g} {top:g}V{bottom:g}" for column in columns)
    return element("path", d=path, stroke=colour, stroke_width=0.7, class_=class_) if path else ""


def _ribbon(edge: Edge, x: _Scale, top: float, bottom: float) -> str:
    a, b = map(x, edge.ref_span)
    c, d = map(x, edge.hyp_span)
    return element(
        "path", element("title", safe_text(edge_in_words(edge))),
        d=f"M{a:.1f} {top}H{b - 1:.1f}L{d - 1:.1f} {bottom}H{c:.1f}z", fill=BLUE,
        fill_opacity=0.15 + 0.4 * edge.weight, class_=f"ribbon {edge.label}",
    )  # fmt: skip


# Heat maps and matrices.


def heat_rows(rows: Sequence[tuple[str, int, Mapping[int, float]]], width: int = 760) -> list[str]:
    """Return one drawing per text, so that as many are shown as there is room for."""
    margin = _margin(name for name, _, _ in rows)
    made = []
    for name, units, shares in rows:
        x = _Scale(units, margin, width)
        parts = [_name(name, 12, margin)]
        parts.append(
            element("rect", x=x(0), y=0, width=x(units) - x(0), height=16, fill="none",
                    stroke="currentColor", stroke_opacity=0.3)
        )  # fmt: skip
        wide = max(2.0, x.step * 0.9)
        by_share: dict[float, list[int]] = {}
        for place, share in _heaviest(shares, units, 250):
            by_share.setdefault(share, []).append(place)
        for share, places in sorted(by_share.items()):
            some = ", ".join(map(str, places[:MAX_NAMED_PLACES]))
            some += " …" if len(places) > MAX_NAMED_PLACES else ""
            said = f"{share:.0%} of the annotators have a boundary after {some}"
            path = "".join(f"M{x(place):.1f} 0v16" for place in places)
            parts.append(
                element("path", element("title", said), d=path, stroke=BLUE, stroke_width=wide,
                        stroke_opacity=round(share, 3), class_="heat")
            )  # fmt: skip
        made.append("".join(parts))
    return made


def heat_map(rows: Sequence[str], width: int = 760) -> str:
    """Rows of :func:`heat_rows` below each other (fournier2012, Figure 11)."""
    parts = [
        element("g", row, transform=f"translate(0 {4 + 20 * i})") for i, row in enumerate(rows)
    ]
    label = "share of annotators with a boundary at each position, one row per text; darker is more"
    return drawing(width, 8 + 20 * len(rows), label, parts)


def _heaviest(shares: Mapping[int, float], units: int, most: int) -> list[tuple[int, float]]:
    """Return the places to draw: of those that fall onto one column the heaviest."""
    kept: dict[int, tuple[int, float]] = {}
    for place, share in sorted(shares.items()):
        column = place * most // units if units > most else place
        if column not in kept or kept[column][1] < share:
            kept[column] = place, share
    return list(kept.values())


MAX_TITLED_CELLS = 100  # of a matrix: each says its own numbers; more are drawn in few bytes
MAX_NUMBERED_CELLS = 700  # cells with numbers; in larger ones colours alone
COLOUR_LEVELS = 8  # of colour, in those drawn in few bytes


def matrix(
    names: Sequence[str],
    values: Mapping[tuple[int, int], float],
    label: str,
    across: Sequence[str] | None = None,
    digits: int = 2,
) -> str:
    """Draw a square (or ``across`` other names) of numbers on colours; darker is higher.

    Of a large square that is the same on both sides of its diagonal the lower half is drawn.
    """
    others = list(across if across is not None else names)
    margin = round(min(150.0, 14 + LETTER_PIXELS * max(map(len, names))))
    known = {at: v for at, v in values.items() if v == v}
    top = max(known.values(), default=1.0) or 1.0
    large = len(known) > MAX_TITLED_CELLS
    if large and across is None and all(known.get((j, i)) == v for (i, j), v in known.items()):
        known = {(i, j): v for (i, j), v in known.items() if i > j}
    numbers = len(known) <= MAX_NUMBERED_CELLS
    cell, high, head = (46.0, 26.0, 22.0) if numbers else (12.0, 12.0, 4.0)
    parts = []
    for j, name in enumerate(others if numbers else ()):
        x = margin + cell * (j + 0.5)
        parts.append(element("text", _fitted(name, cell), x=x, y=14, text_anchor="middle"))
    for i, name in enumerate(names):
        if numbers or i % 2 == 0:  # names take more room than small cells
            parts.append(_name(name, head + high * (i + 0.5) + 4, margin))

    def shown(value: float) -> str:
        return f"{value:.{digits}f}" if digits else f"{value:g}"

    if not large:
        for (i, j), value in known.items():
            x, y = margin + cell * j, head + high * i
            said = element("title", safe_text(f"{names[i]}, {others[j]}: {value:.4g}"))
            strength = min(1.0, max(0.0, value / top))
            parts.append(element("rect", said, x=x, y=y, width=cell - 2, height=high - 2, fill=BLUE,
                                 fill_opacity=round(0.08 + 0.45 * strength, 3),
                                 class_="bar"))  # fmt: skip
            parts.append(element("text", shown(value), x=x + cell / 2 - 1, y=y + 16,
                                 text_anchor="middle"))  # fmt: skip
    else:
        parts += _packed_cells(known, top, margin, head, cell, high)
        if numbers:
            texts = (
                element(
                    "text", shown(value), x=margin + cell * (j + 0.5) - 1, y=head + high * i + 16
                )
                for (i, j), value in known.items()
            )
            parts.append(element("g", "".join(texts), text_anchor="middle"))
    return drawing(margin + cell * len(others) + 4, head + high * len(names) + 4, label, parts)


def _packed_cells(
    values: Mapping[tuple[int, int], float], top: float, margin: float, head: float, cell: float,
    high: float,
) -> list[str]:  # fmt: skip
    """Return all cells of one level of colour as one path of thick lines."""
    levels: dict[int, list[str]] = {}
    for (i, j), value in values.items():
        level = round(min(1.0, max(0.0, value / top)) * COLOUR_LEVELS)
        x, y = margin + cell * j, head + high * (i + 0.5) - 1
        levels.setdefault(level, []).append(f"M{x:g} {y:g}h{cell - 1:g}")
    most = 0.45 if cell > 20 else 0.85  # numbers must stay legible
    return [
        element("path", d="".join(own), stroke=BLUE, stroke_width=high - 1,
                stroke_opacity=round(0.08 + most * level / COLOUR_LEVELS, 3), class_="cells")
        for level, own in sorted(levels.items())
    ]  # fmt: skip


# Histograms.


def histograms(
    panels: Sequence[tuple[str, Bars]],
    mark: str | None = None,
    width: int = 250,
) -> list[str]:
    """Return panels with the same bars and the same axis, so that they can be compared by eye."""
    most = max((n for _, bars in panels for _, n in bars), default=1) or 1
    step = _round_up(max(1.0, most / 4))
    ticks = list(range(0, most + step, step))
    return [_histogram(name, bars, ticks, mark, width) for name, bars in panels]


def _histogram(name: str, bars: Bars, ticks: Sequence[int], mark: str | None, width: int) -> str:
    """Draw one panel: bars with counts at the left and names below, as many as can be read."""
    margin, floor, tall = 8 + 5.5 * len(str(ticks[-1])), 94, 70
    step = (width - margin - 4) / max(1, len(bars))
    longest = max((len(text) for text, _ in bars), default=1)
    every = max(1, math.ceil((5.4 * longest + 6) / step))
    parts = [element("text", _fitted(name, 0.85 * width), x=4, y=12, font_weight="bold")]
    heights = [floor - tall * tick / ticks[-1] for tick in ticks]
    grid = "".join(f"M{margin:g} {y:g}H{width - 4}" for y in heights)
    parts.append(element("path", d=grid, stroke="currentColor", stroke_opacity=0.15))
    counts = "".join(
        element("text", str(tick), x=margin - 3, y=y + 3)
        for tick, y in zip(ticks, heights, strict=True)
    )
    parts.append(element("g", counts, text_anchor="end", font_size=9))
    for colour, marked in ((BLUE, False), (COLOURS["kind"], True)):
        d = "".join(
            f"M{margin + i * step:.1f} {floor}v-{tall * n / ticks[-1]:.1f}"
            f"h{max(1.0, step - 1.5):.1f}v{tall * n / ticks[-1]:.1f}z"
            for i, (text, n) in enumerate(bars)
            if n and (text == mark) == marked
        )
        if d:
            parts.append(element("path", d=d, fill=colour, fill_opacity=0.85,
                                 class_="bar exact" if marked else "bar"))  # fmt: skip
    names = "".join(
        element("text", safe_text(text), x=round(margin + (i + 0.5) * step - 0.75, 1), y=107)
        for i, (text, _) in enumerate(bars)
        if i % every == 0
    )
    parts.append(element("g", names, text_anchor="middle", font_size=9) if names else "")
    said = ", ".join(f"{text}: {n}" for text, n in bars if n)
    return drawing(width, 112, f"{name}; {said}", parts)
