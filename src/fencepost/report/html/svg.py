"""Drawings that need no script: strips with edits, heat maps, matrices, histograms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise

from fencepost.report.html.safe import safe
from fencepost.result import Edge, Edit
from fencepost.segmentation import Segmentation

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
MOST_UNITS_NUMBERED = 60
MOST_DRAWN = 120  # edits or segments of a lane that are drawn one by one; more are thin lines


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
    if edit.ref_kind != edit.hyp_kind:
        return "kind"
    return "match" if edit.start == edit.end else "near"


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
    parts = [_strip(ref, x, 4, names[0], margin), _strip(hyp, x, 58, names[1], margin)]
    if edits and isinstance(edits[0], Edge):
        parts += [_ribbon(e, x, 26, 56) for e in edits if isinstance(e, Edge)]
        said = f"{len(edits)} aligned pairs of segments"
    else:
        own = [e for e in edits if isinstance(e, Edit)]
        parts.append(_edits(own, x, 26, 56))
        said = said_edits(own)
    label = f"{names[0]}, {_cuts(ref)}; {names[1]}, {_cuts(hyp)}; {said}"
    return drawing(width, 82, label, parts)


def one_strip(seg: Segmentation, width: int = 760) -> str:
    """One segmentation: its segments, and the kinds of its cuts."""
    x = _Scale(seg.units, 4, width)
    return drawing(width, 30, f"{seg.units} units, {_cuts(seg)}", [_strip(seg, x, 4, "", 4)])


def lanes(
    rows: Sequence[tuple[str, Segmentation, Sequence[Edit]]], label: str, width: int = 760
) -> str:
    """Several segmentations of a text; each but the first with its edits against the first."""
    margin = _margin([name for name, _, _ in rows])
    x = _Scale(rows[0][1].units, margin, width)
    parts, y = [], 4.0
    for number, (name, seg, edits) in enumerate(rows):
        if number:
            parts.append(_edits(edits, x, y, y + 26))
            y += 28
        parts.append(_strip(seg, x, y, name, margin))
        y += 24
    return drawing(width, y + 4, label, parts)


def said_edits(edits: Sequence[Edit]) -> str:
    """How many edits of each sort, in words."""
    found = [what_of(edit) for edit in edits]
    names = {"match": "matches", "near": "near misses", "kind": "other kinds"}
    counts = {what: found.count(what) for what in COLOURS}
    return ", ".join(f"{n} {names.get(what, what)}" for what, n in counts.items() if n) or "no cuts"


def _cuts(seg: Segmentation) -> str:
    return f"{len(seg.places) + 1} segments"


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


def _strip(seg: Segmentation, x: _Scale, y: float, name: str, margin: float) -> str:
    parts = []
    if name:
        shown = _clipped(name, margin - 8)
        parts.append(element("text", safe_text(shown), x=0, y=y + 14, class_="name"))
    bounds = [0, *seg.places.tolist(), seg.units]
    if len(bounds) <= MOST_DRAWN:
        for number, (a, b) in enumerate(pairwise(bounds)):
            said = element("title", f"{a + 1} to {b} ({b - a} units)")
            parts.append(
                element(
                    "rect", said, x=x(a), y=y, width=max(0.5, x(b) - x(a) - 1), height=20,
                    fill=BLUE, fill_opacity=0.34 if number % 2 == 0 else 0.18,
                    class_=f"seg{number % 2}",
                )
            )  # fmt: skip
    else:
        wide = x(seg.units) - x(0)
        parts.append(element("rect", x=x(0), y=y, width=wide, height=20, fill=BLUE,
                             fill_opacity=0.18, class_="seg1"))  # fmt: skip
        parts.append(_thin([x(place) for place in bounds[1:-1]], y, y + 20, BLUE))
    if seg.units <= MOST_UNITS_NUMBERED:
        parts += [
            element("text", str(u), x=x(u - 0.5), y=y + 14, text_anchor="middle", font_size=9)
            for u in range(1, seg.units + 1)
        ]
    return "".join([*parts, *_kind_names(seg, x, y)])


def _kind_names(seg: Segmentation, x: _Scale, y: float) -> list[str]:
    if seg.kinds is None or seg.kind_names is None or len(seg.cuts) > 100:
        return []
    marks = zip(seg.cuts.tolist(), seg.kinds.tolist(), strict=True)
    return [
        element("text", safe_text(seg.kind_names[kind - 1][:2]), x=x(place) - 2, y=y + 9,
                text_anchor="end", font_size=9, font_weight="bold", class_="kindname")
        for place, kind in marks
    ]  # fmt: skip


def _edits(edits: Sequence[Edit], x: _Scale, top: float, bottom: float) -> str:
    if len(edits) <= MOST_DRAWN:
        return "".join(_edit(edit, x, top, bottom) for edit in edits)
    middle = (top + bottom) / 2
    spans = {"missing": (top, middle), "extra": (middle, bottom)}
    return "".join(
        _thin([x(e.end) for e in edits if what_of(e) == what], *spans.get(what, (top, bottom)), c)
        for what, c in COLOURS.items()
    )


def _thin(places: Sequence[float], top: float, bottom: float, colour: str) -> str:
    """Lines at these places, one for all that fall onto the same half of a pixel."""
    columns = dict.fromkeys(round(place * 2) / 2 for place in places)
    path = "".join(f"M{column:g} {top:g}V{bottom:g}" for column in columns)
    return element("path", d=path, stroke=colour, stroke_width=0.7) if path else ""


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
    if what == "near":
        return f"near miss: {edit.ref} → {edit.hyp}{cost}"
    if what == "kind":
        moved = f"{edit.ref} → {edit.hyp}" if edit.ref != edit.hyp else f"{edit.ref}"
        return f"other kind: {edit.ref_kind} → {edit.hyp_kind} at {moved}{cost}"
    return f"{what} after {edit.start}{cost}"


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


def heat_map(rows: Sequence[tuple[str, int, Mapping[int, float]]], width: int = 760) -> str:
    """For each text how many coders cut at each place: darker is more (fournier2012, Figure 11)."""
    margin = _margin([name for name, _, _ in rows])
    parts = []
    for number, (name, units, shares) in enumerate(rows):
        y = 4 + 20 * number
        x = _Scale(units, margin, width)
        parts.append(element("text", safe_text(_clipped(name, margin - 8)), x=0, y=y + 12))
        parts.append(
            element("rect", x=x(0), y=y, width=x(units) - x(0), height=16, fill="none",
                    stroke="currentColor", stroke_opacity=0.3)
        )  # fmt: skip
        wide = max(2.0, x.step * 0.9)
        by_share: dict[float, list[int]] = {}
        for place, share in _heaviest(shares, units, 350):
            by_share.setdefault(share, []).append(place)
        for share, places in sorted(by_share.items()):
            said = f"{share:.0%} of the coders cut after {_some(places)}"
            path = "".join(f"M{x(place):.1f} {y}v16" for place in places)
            parts.append(
                element("path", element("title", said), d=path, stroke=BLUE, stroke_width=wide,
                        stroke_opacity=share, class_="heat")
            )  # fmt: skip
    label = "share of coders who cut at each place, a row a text; darker is more"
    return drawing(width, 8 + 20 * len(rows), label, parts)


def _some(places: Sequence[int], most: int = 20) -> str:
    return ", ".join(map(str, places[:most])) + (" …" if len(places) > most else "")


def _heaviest(shares: Mapping[int, float], units: int, most: int) -> list[tuple[int, float]]:
    """The places to draw: of those that fall onto one column the heaviest."""
    kept: dict[int, tuple[int, float]] = {}
    for place, share in sorted(shares.items()):
        column = place * most // units if units > most else place
        if column not in kept or kept[column][1] < share:
            kept[column] = place, share
    return list(kept.values())


def matrix(
    names: Sequence[str],
    values: Mapping[tuple[int, int], float],
    label: str,
    across: Sequence[str] | None = None,
    digits: int = 2,
) -> str:
    """A square (or ``across`` other names) of numbers on colours; darker is higher."""
    others = list(across if across is not None else names)
    margin = min(150.0, 14 + 6.5 * max(map(len, names)))
    cell, head = 46.0, 22.0
    known = [v for v in values.values() if v == v]
    top = max(known, default=1.0) or 1.0
    parts = []
    for j, name in enumerate(others):
        parts.append(
            element("text", element("title", safe_text(name)) + safe_text(_clipped(name, cell)),
                    x=margin + cell * (j + 0.5), y=14, text_anchor="middle")
        )  # fmt: skip
    for i, name in enumerate(names):
        y = head + 26 * i
        parts.append(element("text", safe_text(_clipped(name, margin - 8)), x=0, y=y + 17))
        for j, other in enumerate(others):
            value = values.get((i, j))
            if value is None or value != value:
                continue
            x = margin + cell * j
            said = element("title", safe_text(f"{name}, {other}: {value:.4g}"))
            strength = min(1.0, max(0.0, value / top))
            parts.append(
                element("rect", said, x=x, y=y, width=cell - 2, height=24, fill=BLUE,
                        fill_opacity=0.08 + 0.45 * strength)
            )  # fmt: skip
            shown = f"{value:.{digits}f}" if digits else f"{value:g}"
            parts.append(element("text", shown, x=x + cell / 2 - 1, y=y + 16, text_anchor="middle"))
    return drawing(margin + cell * len(others) + 4, head + 26 * len(names) + 4, label, parts)


# Histograms.


def histogram(
    bars: Sequence[tuple[str, int]], label: str, width: int = 240, mark: str | None = None
) -> str:
    """Bars with their names below; ``mark`` is drawn in another colour."""
    most = max((n for _, n in bars), default=1) or 1
    step = (width - 8) / max(1, len(bars))
    every = -(-len(bars) * 26 // width)
    parts = [element("text", safe_text(label), x=4, y=12, font_weight="bold")]
    for i, (name, count) in enumerate(bars):
        x, high = 4 + i * step, 70 * count / most
        said = element("title", safe_text(f"{name}: {count}"))
        parts.append(
            element("rect", said, x=x, y=94 - high, width=max(1.0, step - 1.5), height=high,
                    fill=COLOURS["kind"] if name == mark else BLUE, fill_opacity=0.75)
        )  # fmt: skip
        if i % every == 0:
            parts.append(
                element("text", safe_text(name), x=x + step / 2, y=107, text_anchor="middle",
                        font_size=9)
            )  # fmt: skip
    counts = ", ".join(f"{name}: {count}" for name, count in bars if count)
    return drawing(width, 112, f"{label}; {counts}", parts)
