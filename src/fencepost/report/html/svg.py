"""Drawings that need no script: strips with edits, heat maps, matrices, histograms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from fencepost.model.edits import Edge, Edit
from fencepost.model.pairs import merge_vocabularies
from fencepost.model.segmentation import Segmentation
from fencepost.report.html import marks
from fencepost.report.html.safe import safe

# Okabe and Ito's colours, which colour-blind people can tell apart; every kind of edit has a
# shape of its own beside. On a page the style sheet may choose others by class.
COLOURS = {
    "match": "#6b7280",
    "near": "#a05e00",
    "missing": "#d55e00",
    "extra": "#a6457f",
    "kind": "#00805c",
}
BLUE = "#0072b2"
# In notebooks, whose paper may be white or black: what is filled has an outline that shows on both.
SHADES = 0.5, 0.22
OUTLINE: dict[str, Any] = {"stroke": "currentColor", "stroke_opacity": 0.6, "stroke_width": 0.8}
MOST_UNITS_NUMBERED = 60
MOST_SHADED = 400  # columns of a drawing that are shaded one by one
MOST_DRAWN = 120  # edits or segments of a lane that are drawn one by one; more are thin lines
GRAIN = 3  # pixels between those thin lines on a page
FLAGS = 13  # pixels above a strip for the kinds of its cuts
WIDE = 6.5  # pixels of a letter, on the safe side


def element(tag: str, content: str = "", **attributes: object) -> str:
    """One element; attributes are escaped, the content must be already.

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
    """Other people's text, escaped for the content of an element."""
    return escape(safe(text), quote=False)


def _number(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else safe(value)


def drawing(width: float, height: float, label: str, content: Iterable[str]) -> str:
    """An SVG with a sentence for those who cannot see it."""
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


def what_of(edit: Edit) -> str:
    """match, near, missing, extra or kind: what people see of an edit."""
    if edit.side is not None:
        return "missing" if edit.side == "ref" else "extra"
    if edit.start != edit.end:
        return "near"  # with another kind as well it is still one, as in the terminal
    return "match" if edit.ref_kind == edit.hyp_kind else "kind"


# Strips.


def strips(
    ref: Segmentation,
    hyp: Segmentation,
    edits: Sequence[Edit | Edge],
    names: tuple[str, str] = ("ref", "hyp"),
    width: int = 760,
) -> str:
    """Two segmentations over each other, with the edits (or A's ribbons) between them."""
    margin = _margin(names)
    x = _Scale(ref.units, margin, width)
    kinds = _kinds_of(ref, hyp)
    flags = FLAGS if kinds else 0
    top, bottom = 26 + flags, 56 + flags
    parts = [_strip(ref, x, 4, names[0], margin, kinds), _strip(hyp, x, bottom + 2, names[1],
             margin, kinds)]  # fmt: skip
    if edits and isinstance(edits[0], Edge):
        parts += [_ribbon(e, x, top, bottom) for e in edits if isinstance(e, Edge)]
        said = f"{len(edits)} aligned pair{'s' * (len(edits) != 1)} of segments"
    else:
        own = [e for e in edits if isinstance(e, Edit)]
        parts.append(_edits(own, x, top, bottom))
        said = said_edits(own)
    label = f"{said_pair(ref, hyp, names)}; {said}"
    return drawing(width, 82 + 2 * flags, label, parts)


def shaded(
    ref: Segmentation,
    hyp: Segmentation,
    shares: Mapping[int, float],
    said: str,
    width: int = 760,
) -> str:
    """Two segmentations over each other; between them places are darker by their share."""
    names = ("ref", "hyp")
    margin = _margin(names)
    x = _Scale(ref.units, margin, width)
    parts = [_strip(ref, x, 4, names[0], margin, ()), _strip(hyp, x, 58, names[1], margin, ())]
    step = -(-ref.units // MOST_SHADED)  # places that share a column in a long text
    columns: dict[int, float] = {}
    for place, share in shares.items():
        columns[place // step] = max(share, columns.get(place // step, 0.0))
    for column, share in columns.items():
        start = max(x(0), x(column * step - 0.5))
        end = min(x(ref.units), x((column + 1) * step - 0.5))
        parts.append(element("rect", x=start, y=28, width=end - start, height=26,
                             fill=COLOURS["missing"], fill_opacity=0.7 * share))  # fmt: skip
    return drawing(width, 82, f"{said_pair(ref, hyp, names)}; {said}", parts)


def one_strip(seg: Segmentation, width: int = 760) -> str:
    """One segmentation: its segments, and the kinds of its cuts."""
    x = _Scale(seg.units, 4, width)
    kinds = _kinds_of(seg)
    parts = [_strip(seg, x, 4, "", 4, kinds)]
    return drawing(
        width, 30 + (FLAGS if kinds else 0), f"{_counted(seg.units, 'unit')}, {_cuts(seg)}", parts
    )


def _kinds_of(*segs: Segmentation) -> tuple[str, ...]:
    """The kinds of cuts that all of these name; none where one has no kinds."""
    named = [seg.kind_names for seg in segs if seg.kind_names is not None]
    return merge_vocabularies(named) if len(named) == len(segs) else ()


def lanes(
    rows: Sequence[tuple[str, Segmentation, Sequence[Edit]]],
    label: str,
    kinds: Sequence[str] = (),
    width: int = 760,
) -> str:
    """Several segmentations of a text, each but the first with its edits against the first.

    For pages, whose style sheet has the colours, and therefore small. The first is repeated, thin,
    above each of the others, so that the two that are compared always stand together.
    """
    margin = _margin([name for name, _, _ in rows])
    x = _Scale(rows[0][1].units, margin, width)
    parts, y = [_ruler(x, width)], 16.0
    for number, (name, seg, edits) in enumerate(rows):
        if number > 1:
            y += 8
            parts.append(_packed(rows[0][1], x, y, "", margin, (), 6))
            y += 6
        if number:
            parts.append(_packed_edits(edits, x, y + 1, y + 28, kinds))
            y += 29
        parts.append(_packed(seg, x, y, name, margin, kinds, 18))
        y += 18 + (FLAGS if kinds else 0)
    return drawing(width, y + 4, label, parts)


def said_pair(ref: Segmentation, hyp: Segmentation, names: tuple[str, str]) -> str:
    """How many segments both sides have, in words."""
    return f"{names[0]}, {_cuts(ref)}; {names[1]}, {_cuts(hyp)}"


def said_edits(edits: Sequence[Edit]) -> str:
    """How many edits of each sort, in words."""
    found = [what_of(edit) for edit in edits]
    one = {"near": "near miss", "kind": "other kind"}
    many = {"match": "matches", "near": "near misses", "kind": "other kinds"}
    counts = {what: found.count(what) for what in COLOURS}
    said = (f"{n} {(one if n == 1 else many).get(what, what)}" for what, n in counts.items() if n)
    return ", ".join(said) or "no cuts"


def _cuts(seg: Segmentation) -> str:
    return _counted(len(seg.places) + 1, "segment")


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _margin(names: Sequence[str]) -> float:
    return min(140.0, 12 + 6.5 * max(map(len, names)))


class _Scale:
    """From a place in the text to a place on the drawing."""

    def __init__(self, units: int, margin: float, width: float) -> None:
        self.units, self.margin = units, margin
        self.step = (width - margin - 6) / max(1, units)

    def __call__(self, place: float) -> float:
        return self.margin + place * self.step


def _clipped(name: str, room: float) -> str:
    most = max(1, int(room / 6.5))
    return name if len(name) <= most else name[: most - 1] + "…"


def _ruler(x: _Scale, width: float) -> str:
    """Numbers of units, far enough from each other to be read."""
    step = _round_up(max(1.0, 34 / x.step))
    ticks = range(step, x.units + 1, step)
    return element(
        "g",
        "".join(
            element("text", str(u), x=round(min(x(u), width - WIDE * len(str(u)) / 2), 1), y=10)
            for u in ticks
        ),
        text_anchor="middle", font_size=9,
    ) if ticks else ""  # fmt: skip


def _round_up(least: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50, ..."""
    size = 10 ** math.floor(math.log10(least))
    return int(next(k * size for k in (1, 2, 5, 10) if k * size >= least - 1e-9))


def _packed(
    seg: Segmentation, x: _Scale, y: float, name: str, margin: float, kinds: Sequence[str],
    high: float,
) -> str:  # fmt: skip
    """A strip in few bytes: every other segment in one path."""
    parts = []
    if kinds:
        parts.append(_flags(seg, x, y, kinds, packed=True))
        y += FLAGS
    if name:
        parts.append(_name(name, y + 13, margin))
    bounds = [0, *seg.places.tolist(), seg.units]
    if len(bounds) > MOST_DRAWN:
        parts.append(element("path", d=f"M{x(0):.1f} {y:g}H{x(seg.units):.1f}v{high:g}H{x(0):.1f}z",
                             fill=BLUE, fill_opacity=0.18, class_="seg1"))  # fmt: skip
        parts.append(_thin([x(p) for p in bounds[1:-1]], y, y + high, BLUE, GRAIN))
        return "".join(parts)
    for odd in (0, 1):
        d = "".join(
            f"M{x(a):.1f} {y:g}H{max(x(a) + 0.5, x(b) - 1):.1f}v{high:g}H{x(a):.1f}z"
            for a, b in list(pairwise(bounds))[odd::2]
        )
        if d:
            parts.append(element("path", d=d, class_=f"seg{odd}"))
    return "".join(parts)


def _name(name: str, y: float, margin: float) -> str:
    shown = _clipped(name, margin - 8)
    full = element("title", safe_text(name)) if shown != name else ""
    return element("text", full + safe_text(shown), x=0, y=y, class_="name")


def _strip(
    seg: Segmentation, x: _Scale, y: float, name: str, margin: float, kinds: Sequence[str]
) -> str:
    parts = []
    if kinds:
        parts.append(_flags(seg, x, y, kinds))
        y += FLAGS
    if name:
        parts.append(_name(name, y + 14, margin))
    bounds = [0, *seg.places.tolist(), seg.units]
    if len(bounds) <= MOST_DRAWN:
        for number, (a, b) in enumerate(pairwise(bounds)):
            said = element("title", f"{a + 1} to {b} ({_counted(b - a, 'unit')})")
            parts.append(
                element(
                    "rect", said, x=x(a), y=y, width=max(0.5, x(b) - x(a) - 1), height=20,
                    fill=BLUE, fill_opacity=SHADES[number % 2], **OUTLINE,
                )
            )  # fmt: skip
    else:
        wide = x(seg.units) - x(0)
        parts.append(element("rect", x=x(0), y=y, width=wide, height=20, fill=BLUE,
                             fill_opacity=SHADES[1], **OUTLINE))  # fmt: skip
        parts.append(_thin([x(place) for place in bounds[1:-1]], y, y + 20, BLUE))
    if seg.units <= MOST_UNITS_NUMBERED:
        every = 1 if x.step >= 16 else _round_up(max(1.0, 24 / x.step))  # with air between them
        shown = [u for u in range(1, seg.units + 1) if u % every == 0]
        numbers = [element("text", str(u), x=x(u - 0.5), y=y + 14) for u in shown]
        parts.append(element("g", "".join(numbers), text_anchor="middle", font_size=9))
    return "".join(parts)


def _flags(
    seg: Segmentation, x: _Scale, y: float, kinds: Sequence[str], packed: bool = False
) -> str:
    """Above each cut the shape of its kind, and beside it the mark where there is room."""
    if seg.kinds is None or seg.kind_names is None or len(seg.cuts) > MOST_DRAWN:
        return ""
    number = {kind: i for i, kind in enumerate(kinds)}
    short = marks.short_marks(kinds)
    at: dict[float, list[int]] = {}
    for place, kind in zip(seg.cuts.tolist(), seg.kinds.tolist(), strict=True):
        at.setdefault(x(place), []).append(number[seg.kind_names[kind - 1]])
    shown = [(where + 9 * i, kind) for where, own in at.items() for i, kind in enumerate(own)]
    ends = [where for where, _ in shown[1:]] + [math.inf]
    parts = []
    for (where, kind), end in zip(shown, ends, strict=True):
        parts.append(_glyph(kind, where, y + 6, "" if packed else kinds[kind]))
        if where + 6 + WIDE * len(short[kind]) < end - 5:
            parts.append(element("text", safe_text(short[kind]), x=round(where + 6, 1), y=y + 9.5))
    return element("g", "".join(parts), font_size=9, class_="kinds") if parts else ""


def _glyph(kind: int, x: float, y: float, said: str) -> str:
    """The shape of a kind; on a page it stands once and is used again."""
    colour = marks.colour_of(kind)
    if not said:
        return element("use", href=f"#kind-{kind % len(marks.SHAPES)}", x=round(x, 1), y=y,
                       class_=f"k{colour}")  # fmt: skip
    return element("path", element("title", safe_text(said)), d=marks.shape_of(kind),
                   transform=f"translate({x:.1f} {y:g})", fill=marks.COLOURS[colour],
                   **OUTLINE)  # fmt: skip


def _packed_edits(
    edits: Sequence[Edit], x: _Scale, top: float, bottom: float, kinds: Sequence[str]
) -> str:
    """Edits in few bytes: a path for each sort, numbers and kinds where there is room."""
    middle = (top + bottom) / 2
    if len(edits) > MOST_DRAWN:
        spans = {"missing": (top, middle), "extra": (middle, bottom)}
        return "".join(
            _thin([x(e.end) for e in edits if what_of(e) == what],
                  *spans.get(what, (top, bottom)), colour, GRAIN, what)
            for what, colour in COLOURS.items()
        )  # fmt: skip
    parts = []
    for what in COLOURS:
        d = "".join(_outline(e, x, top, bottom) for e in edits if what_of(e) == what)
        if d:
            parts.append(element("path", d=d, class_=f"ed {what}"))
    parts += _labels(edits, x, middle, kinds)
    return "".join(parts)


def _outline(edit: Edit, x: _Scale, top: float, bottom: float) -> str:
    """The path of an edit: a line, a diamond, a plus, an arrow, a square."""
    what, middle = what_of(edit), (top + bottom) / 2
    at = x(edit.ref if edit.ref is not None else edit.end)
    if what == "match":
        return f"M{at:.1f} {top:g}V{bottom:g}"
    if what == "missing":
        return f"M{at:.1f} {top:g}V{middle - 5:g}l5 5l-5 5l-5 -5l5 -5"
    if what == "extra":
        return f"M{at:.1f} {bottom:g}V{middle - 5:g}M{at - 4:.1f} {middle:g}h8"
    if what == "kind":
        return f"M{at:.1f} {top:g}V{bottom:g}M{at - 4:.1f} {middle - 4:g}h8v8h-8z"
    assert edit.hyp is not None
    end = x(edit.hyp)
    return f"M{at:.1f} {top:g}L{end:.1f} {bottom:g}m-3 -5l3 5l3 -5"


def _labels(
    edits: Sequence[Edit], x: _Scale, middle: float, kinds: Sequence[str]
) -> list[str]:  # fmt: skip
    """How far, and which kind for which, to the right of an edit that has nothing beside it."""
    short = dict(zip(kinds, marks.short_marks(kinds), strict=True))
    found = sorted(edits, key=lambda e: e.start)
    parts = []
    for e, after in zip(found, [*found[1:], None], strict=True):
        what = what_of(e)
        said = str(e.end - e.start) if what == "near" else ""
        if e.side is None and e.ref_kind != e.hyp_kind:
            said += f" {short[e.ref_kind or '']}→{short[e.hyp_kind or '']}"
        end = math.inf if after is None else x(after.start) - 6
        if said and x(e.end) + 7 + WIDE * len(said) < end:
            parts.append(element("text", safe_text(said.strip()), x=round(x(e.end) + 7, 1),
                                 y=middle + 3, class_=f"edit {what}"))  # fmt: skip
    return parts


def _edits(edits: Sequence[Edit], x: _Scale, top: float, bottom: float) -> str:
    if len(edits) <= MOST_DRAWN:
        return "".join(_edit(edit, x, top, bottom) for edit in edits)
    middle = (top + bottom) / 2
    spans = {"missing": (top, middle), "extra": (middle, bottom)}
    return "".join(
        _thin([x(e.end) for e in edits if what_of(e) == what], *spans.get(what, (top, bottom)), c)
        for what, c in COLOURS.items()
    )


def _thin(
    places: Sequence[float], top: float, bottom: float, colour: str, grain: float = 0.5,
    class_: str | None = None,
) -> str:  # fmt: skip
    """Lines at these places, one for all that fall onto the same ``grain`` of a pixel."""
    columns = dict.fromkeys(round(place / grain) * grain for place in places)
    path = "".join(f"M{column:g} {top:g}V{bottom:g}" for column in columns)
    return element("path", d=path, stroke=colour, stroke_width=0.7, class_=class_) if path else ""


def _edit(edit: Edit, x: _Scale, top: float, bottom: float) -> str:
    what = what_of(edit)
    colour = COLOURS[what]
    middle = (top + bottom) / 2
    places = [x(p) if p is not None else 0.0 for p in (edit.ref, edit.hyp)]
    at = places[0] if edit.ref is not None else places[1]
    title = element("title", safe_text(said_edit(edit)))

    def line(path: str, dashes: str | None = None) -> str:
        return element("path", d=path, stroke=colour, stroke_width=1.6, fill="none",
                       stroke_dasharray=dashes)  # fmt: skip

    if what == "match":
        shapes = line(f"M{at:.1f} {top}V{bottom}")
    elif what == "missing":
        shapes = line(f"M{at:.1f} {top}V{middle - 5}", "2 2")
        shapes += line(f"M{at:.1f} {middle - 5}l5 5l-5 5l-5 -5z")
    elif what == "extra":
        shapes = line(f"M{at:.1f} {bottom}V{middle - 4}M{at - 4:.1f} {middle}h8")
    else:
        ref, hyp = places
        shapes = line(f"M{ref:.1f} {top}L{hyp:.1f} {bottom}")
        if what == "near":
            tip = bottom - 5
            shapes += line(f"M{hyp - 3:.1f} {tip}L{hyp:.1f} {bottom}L{hyp + 3:.1f} {tip}")
            shapes += element("text", str(edit.end - edit.start), x=max(ref, hyp) + 3, y=middle + 3,
                              fill=colour, font_size=10)  # fmt: skip
        else:
            shapes += element("rect", x=(ref + hyp) / 2 - 4, y=middle - 4, width=8, height=8,
                              fill=colour)  # fmt: skip
    return element("g", title + shapes, class_=f"edit {what}")


def said_edit(edit: Edit) -> str:
    """One edit in words."""
    what = what_of(edit)
    cost = f", cost {edit.cost:g}"
    typed = f", {edit.ref_kind} → {edit.hyp_kind}" if edit.ref_kind != edit.hyp_kind else ""
    if what == "near":
        return f"near miss: {edit.ref} → {edit.hyp}{typed}{cost}"
    if what == "kind":
        return f"other kind: {edit.ref_kind} → {edit.hyp_kind} at {edit.ref}{cost}"
    return f"{what} after {edit.start}{f', {edit.kind}' if edit.kind else ''}{cost}"


def _ribbon(edge: Edge, x: _Scale, top: float, bottom: float) -> str:
    a, b = map(x, edge.ref_span)
    c, d = map(x, edge.hyp_span)
    said = (
        f"{edge.label}: {edge.ref_span[0] + 1} to {edge.ref_span[1]} with "
        f"{edge.hyp_span[0] + 1} to {edge.hyp_span[1]}, weight {edge.weight:.3f}"
    )
    return element(
        "path", element("title", safe_text(said)),
        d=f"M{a:.1f} {top}H{b - 1:.1f}L{d - 1:.1f} {bottom}H{c:.1f}z", fill=BLUE,
        fill_opacity=0.15 + 0.4 * edge.weight, class_=f"ribbon {edge.label}",
    )  # fmt: skip


# Heat maps and matrices.


def heat_rows(rows: Sequence[tuple[str, int, Mapping[int, float]]], width: int = 760) -> list[str]:
    """A drawing each, so that as many are shown as there is room for."""
    margin = _margin([name for name, _, _ in rows])
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
            said = f"{share:.0%} of the coders cut after {_some(places)}"
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
    label = "share of coders who cut at each place, a row a text; darker is more"
    return drawing(width, 8 + 20 * len(rows), label, parts)


def _some(places: Sequence[int], most: int = 12) -> str:
    return ", ".join(map(str, places[:most])) + (" …" if len(places) > most else "")


def _heaviest(shares: Mapping[int, float], units: int, most: int) -> list[tuple[int, float]]:
    """The places to draw: of those that fall onto one column the heaviest."""
    kept: dict[int, tuple[int, float]] = {}
    for place, share in sorted(shares.items()):
        column = place * most // units if units > most else place
        if column not in kept or kept[column][1] < share:
            kept[column] = place, share
    return list(kept.values())


FEW_CELLS = 100  # of a matrix: each says its own numbers; more are drawn in few bytes
MOST_NUMBERS = 700  # cells with numbers; in larger ones colours alone
LEVELS = 8  # of colour, in those drawn in few bytes


def matrix(
    names: Sequence[str],
    values: Mapping[tuple[int, int], float],
    label: str,
    across: Sequence[str] | None = None,
    digits: int = 2,
) -> str:
    """A square (or ``across`` other names) of numbers on colours; darker is higher.

    Of a large square that is the same on both sides of its diagonal the lower half is drawn.
    """
    others = list(across if across is not None else names)
    margin = round(min(150.0, 14 + WIDE * max(map(len, names))))
    known = {at: v for at, v in values.items() if v == v}
    top = max(known.values(), default=1.0) or 1.0
    large = len(known) > FEW_CELLS
    if large and across is None and all(known.get((j, i)) == v for (i, j), v in known.items()):
        known = {(i, j): v for (i, j), v in known.items() if i > j}
    numbers = len(known) <= MOST_NUMBERS
    cell, high, head = (46.0, 26.0, 22.0) if numbers else (12.0, 12.0, 4.0)
    parts = []
    for j, name in enumerate(others if numbers else ()):
        parts.append(
            element("text", element("title", safe_text(name)) + safe_text(_clipped(name, cell)),
                    x=margin + cell * (j + 0.5), y=14, text_anchor="middle")
        )  # fmt: skip
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
    """All cells of one level of colour as one path of thick lines."""
    levels: dict[int, list[str]] = {}
    for (i, j), value in values.items():
        level = round(min(1.0, max(0.0, value / top)) * LEVELS)
        x, y = margin + cell * j, head + high * (i + 0.5) - 1
        levels.setdefault(level, []).append(f"M{x:g} {y:g}h{cell - 1:g}")
    most = 0.45 if cell > 20 else 0.85  # numbers must stay legible
    return [
        element("path", d="".join(own), stroke=BLUE, stroke_width=high - 1,
                stroke_opacity=round(0.08 + most * level / LEVELS, 3), class_="cells")
        for level, own in sorted(levels.items())
    ]  # fmt: skip


# Histograms.


def histograms(
    panels: Sequence[tuple[str, Sequence[tuple[str, int]]]],
    mark: str | None = None,
    width: int = 250,
) -> list[str]:
    """Panels with the same bars and the same axis, so that they can be compared by eye."""
    most = max((n for _, bars in panels for _, n in bars), default=1) or 1
    step = _round_up(max(1.0, most / 4))
    ticks = list(range(0, most + step, step))
    return [_histogram(name, bars, ticks, mark, width) for name, bars in panels]


def _histogram(
    name: str, bars: Sequence[tuple[str, int]], ticks: Sequence[int], mark: str | None, width: int
) -> str:
    """One panel: bars with counts at the left and names below, as many as can be read."""
    margin, floor, tall = 8 + 5.5 * len(str(ticks[-1])), 94, 70
    step = (width - margin - 4) / max(1, len(bars))
    longest = max((len(text) for text, _ in bars), default=1)
    every = max(1, math.ceil((5.4 * longest + 6) / step))
    parts = [
        element("text", element("title", safe_text(name)) + safe_text(_clipped(name, 0.85 * width)),
                x=4, y=12, font_weight="bold")
    ]  # fmt: skip
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
