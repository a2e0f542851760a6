"""Two segmentations over each other in a terminal, with the edits between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO

from fencepost.report.text import console, fit
from fencepost.result import Edge, Edit
from fencepost.segmentation import Segmentation

MATCH, MISSING, EXTRA, SUBSTITUTED = "┆", "-", "+", "×"
STYLES = {"┆:": "dim", "╰╮╭╯─": "yellow", "-": "bold red", "+": "magenta", "×": "green"}


def draw_edits(
    ref: Segmentation,
    hyp: Segmentation,
    edits: Sequence[Edit],
    names: tuple[str, str] = ("ref", "hyp"),
    width: int = 80,
) -> str:
    """Strips of numbered units, reference above hypothesis, edits between them.

    A long text is wrapped; lines on which both sides agree are left out and counted.
    """
    cell = max(2, len(str(ref.units))) + 1
    margin = max(map(len, names)) + 2
    each = max(1, (width - margin) // cell)
    by_line: dict[int, list[Edit]] = {}
    for edit in edits:
        for line in range((edit.start - 1) // each, (edit.end - 1) // each + 1):
            by_line.setdefault(line, []).append(edit)
    blocks: list[str] = []
    count = -(-ref.units // each)
    loud = [n for n, own in by_line.items() if count == 1 or any(e.what != "match" for e in own)]
    quiet = count - len(loud) if count > 1 else 0
    marks = _marks(ref), _marks(hyp)
    for number in sorted(loud) if count > 1 else [0]:
        first, last = number * each + 1, min((number + 1) * each, ref.units)
        touching = by_line.get(number, [])
        lines = [_strip(marks[0], first, last, cell), *_edit_lines(touching, first, last, cell)]
        lines.append(_strip(marks[1], first, last, cell))
        labels = [names[0], *[""] * (len(lines) - 2), names[1]]
        blocks.append(
            "\n".join(
                f"{label:<{margin}}{line}".rstrip()
                for label, line in zip(labels, lines, strict=True)
            )
        )
    if quiet:
        blocks.append(f"({quiet} line{'s' * (quiet > 1)} without a disagreement left out)")
    return "\n\n".join(blocks)


def write_drawing(drawing: str, out: IO[str]) -> None:
    """Write it; edits are coloured on a terminal (unless NO_COLOR), each sort in its own."""
    if not out.isatty():
        out.write(fit(drawing, out))
        return
    from rich.text import Text

    for line in fit(drawing, out).splitlines():
        styled = Text(line)
        if line.startswith(" "):  # between two strips, which start with names
            for signs, style in STYLES.items():
                styled.highlight_regex(f"[{re.escape(signs)}]+", style)
        console(out).print(styled)


def _marks(seg: Segmentation) -> dict[int, str]:
    """A bar at each cut, or the first letter of its kind."""
    ends = dict.fromkeys(seg.places.tolist(), "│")
    if seg.kinds is not None and seg.kind_names is not None:
        for place, kind in zip(seg.cuts.tolist(), seg.kinds.tolist(), strict=True):
            ends[place] = seg.kind_names[kind - 1][:1] if ends.get(place, "│") == "│" else "*"
    return ends


def _strip(ends: dict[int, str], first: int, last: int, cell: int) -> str:
    return "".join(f"{u:>{cell - 1}}{ends.get(u, ' ')}" for u in range(first, last + 1))


def _edit_lines(edits: Sequence[Edit], first: int, last: int, cell: int) -> list[str]:
    """As few lines as hold all edits without overlap."""
    lines: list[list[str]] = [[" "] * ((last - first + 1) * cell)]
    taken: list[int] = [-1]  # the last column used on each line
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        left, right = (_column(p, first, cell) for p in (edit.start, edit.end))
        row = next((i for i, end in enumerate(taken) if end < left), len(lines))
        if row == len(lines):
            lines.append([" "] * len(lines[0]))
            taken.append(-1)
        _place(lines[row], edit, left, right)
        taken[row] = right
    return ["".join(line) for line in lines]


def _column(place: int, first: int, cell: int) -> int:
    return (place - first + 1) * cell - 1


def _place(line: list[str], edit: Edit, left: int, right: int) -> None:
    if edit.ref is not None and edit.hyp is not None and edit.ref != edit.hyp:
        marks = ["─"] * (right - left + 1)
        marks[0], marks[-1] = ("╰", "╮") if edit.ref < edit.hyp else ("╭", "╯")
    elif edit.side is not None:
        marks = [MISSING if edit.side == "ref" else EXTRA]
    else:
        marks = [MATCH if edit.what == "match" else SUBSTITUTED]
    for offset, mark in enumerate(marks):
        if 0 <= left + offset < len(line):
            line[left + offset] = mark


def edit_rows(
    edits: Sequence[Edit], tokens: Sequence[str] | None, names: tuple[str, str] = ("ref", "hyp")
) -> list[tuple[str, str, str, str]]:
    """Place, what, cost and the words around it, for each edit."""
    rows = []
    for edit in edits:
        moved = edit.start != edit.end
        place = f"{edit.ref} → {edit.hyp}" if moved else str(edit.start)
        rows.append((place, _said(edit), f"{edit.cost:g}", _around(edit, tokens, names)))
    return rows


def _said(edit: Edit) -> str:
    """What happened, in words: match, near miss, missing, extra, or one kind for another."""
    if edit.side is not None:
        what = "missing" if edit.side == "ref" else "extra"
    elif edit.start != edit.end:
        what = "near miss"
    else:
        what = "match" if edit.what == "match" else ""
    if edit.side is None and edit.ref_kind != edit.hyp_kind:
        return f"{what} {edit.ref_kind} → {edit.hyp_kind}".strip()
    return f"{what} {edit.kind}" if edit.kind is not None else what


def _around(edit: Edit, tokens: Sequence[str] | None, names: tuple[str, str]) -> str:
    only = f"({names[0] if edit.side == 'ref' else names[1]} only) " if edit.side else ""
    if not tokens:
        return only.strip()
    before = _clip(tokens[edit.start - 1], tail=True)
    after = _clip(tokens[edit.end]) if edit.end < len(tokens) else ""
    if edit.start == edit.end:
        return f"{before} │ {only}{after}".rstrip()
    between = _clip(" ".join(tokens[edit.start : edit.end]))
    return f"{before} ╱ {between} ╱ {after}".rstrip(" ╱")


def _clip(text: str, tail: bool = False, size: int = 24) -> str:
    if len(text) <= size:
        return text
    words = text.split()
    kept = words[-1] if tail else words[0]
    for word in words[-2::-1] if tail else words[1:]:
        longer = f"{word} {kept}" if tail else f"{kept} {word}"
        if len(longer) > size - 2:
            break
        kept = longer
    return f"… {kept[-size:]}" if tail else f"{kept[:size]} …"


def summary(edits: Sequence[Edit], whole: int) -> str:
    """How many of each, and what they cost."""
    parts = [
        (sum(e.what == "match" for e in edits), "match", "matches"),
        (sum(e.side is None and e.start != e.end for e in edits), "near miss", "near misses"),
        (sum(e.what == "substitution" for e in edits), "other kind", "other kinds"),
        (sum(e.side == "ref" for e in edits), "missing", "missing"),
        (sum(e.side == "hyp" for e in edits), "extra", "extra"),
    ]
    said = [f"{n} {one if n == 1 else many}" for n, one, many in parts if n or one != "other kind"]
    return f"{', '.join(said)}; cost {sum(e.cost for e in edits):g} of {whole}"


def edge_rows(
    edges: Sequence[Edge], tokens: Sequence[str] | None
) -> list[tuple[str, str, str, str, str]]:
    """Both segments (units from 1), label, weight and how they begin, for each edge."""
    rows = []
    for edge in edges:
        spans = [f"{start + 1}-{end}" for start, end in (edge.ref_span, edge.hyp_span)]
        begins = _clip(tokens[edge.ref_span[0]], size=40) if tokens else ""
        rows.append((spans[0], spans[1], str(edge.label), f"{edge.weight:.3f}", begins))
    return rows
