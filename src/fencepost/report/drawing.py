"""Two segmentations over each other in a terminal, with the edits between them."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import IO

import numpy as np

from fencepost.model.edits import Edge, Edit
from fencepost.model.levels import Ladder, Order
from fencepost.model.segmentation import Segmentation
from fencepost.report.strips import SORTS, Sort, count_sorts, sort_of, types_at
from fencepost.report.terminal import OwnStyles
from fencepost.report.text import END, cell_len, fit, is_styled, printable, wrapped, write_table
from fencepost.wording import plural

SIGNS: dict[Sort, str] = {"match": "┆", "missing": "-", "extra": "+", "kind": "×"}
HEIGHTS = "▁▂▃▄▅▆▇█"  # of a bar at a boundary, by its probability
MIN_COLUMNS_FOR_WORDS = 24  # with fewer they stand on lines of their own
# How the signs of each sort are shown on a terminal: dim, yellow, bold red, magenta, green.
MAX_COLUMNS_OF_LEVEL = 12  # for the name of a level, left of its boundaries
STYLES = {"┆:": "2", "╰╮╭╯─": "33", "-": "1;31", "+": "35", "×": "32"}
BETWEEN_STRIPS = frozenset(" \n:\\/x").union(*STYLES)  # signs of edits, also in plain letters


def draw_edits(
    ref: Segmentation,
    hyp: Segmentation,
    edits: Sequence[Edit],
    names: tuple[str, str] = ("ref", "hyp"),
    width: int = 80,
    types: Order = None,
) -> str:
    """Strips of numbered units, reference above hypothesis, edits between them.

    A long text is wrapped; lines on which both sides agree are left out and counted. Boundaries
    with levels (numbers, or types in the order of ``types``) are the taller the coarser they are,
    those of the reference upwards and those of the hypothesis downwards.
    """
    ladder = Ladder.of([ref, hyp], types)
    cell = max(2, len(str(ref.units))) + 1
    names = (clip(names[0], max(8, width // 3)), clip(names[1], max(8, width // 3)))
    margin = max(map(cell_len, names)) + 2
    each = max(1, (width - margin - _rung_margin(ladder)) // cell)
    by_line: dict[int, list[Edit]] = {}
    for edit in edits:
        for line in range((edit.start - 1) // each, (edit.end - 1) // each + 1):
            by_line.setdefault(line, []).append(edit)
    blocks: list[str] = []
    count = -(-ref.units // each)
    loud = [n for n, own in by_line.items() if count == 1 or any(e.what != "match" for e in own)]
    quiet = count - len(loud) if count > 1 else 0
    for number in sorted(loud) if count > 1 else [0]:
        first, last = number * each + 1, min((number + 1) * each, ref.units)
        between = _edit_lines(by_line.get(number, []), first, last, cell)
        above, below = (_strip_lines(seg, ladder, first, last, cell) for seg in (ref, hyp))
        gap = " " * _rung_margin(ladder)
        lines = [*_labelled(names[0], above, margin),
                 *(" " * margin + gap + line for line in between),
                 *reversed(_labelled(names[1], below, margin))]  # fmt: skip
        blocks.append("\n".join(line.rstrip() for line in lines))
    if quiet:
        said = f"({plural(quiet, 'line')} without a disagreement are not shown)"
        blocks.append(wrapped(said, width))
    if ladder is not None:
        blocks.append(wrapped(printable(ladder.legend), width))
    return "\n\n".join(blocks)


def draw_segmentations(
    rows: Sequence[tuple[str, Segmentation]], width: int = 80, types: Order = None
) -> str:
    """Return strips of numbered units, one per name; of a long text, the units that fit a line.

    Boundaries with levels are the taller the coarser they are.
    """
    segs = [seg for _, seg in rows]
    ladder = Ladder.of(segs, types)
    names = [clip(printable(name), max(8, width // 3)) for name, _ in rows]
    margin = max(map(cell_len, names)) + 2 * any(names)
    units = max(seg.units for seg in segs)
    cell = max(2, len(str(units))) + 1
    each = max(1, (width - margin - _rung_margin(ladder) - 2) // cell)
    lines: list[str] = []
    for name, seg in zip(names, segs, strict=True):
        strip = _strip_lines(seg, ladder, 1, min(each, seg.units), cell)
        strip[-1] += " …" if seg.units > each else ""
        lines += [line.rstrip() for line in _labelled(name, strip, margin)]
    if ladder is not None:
        lines += ["", wrapped(printable(ladder.legend), width)]
    return "\n".join(lines)


def _rung_names(ladder: Ladder) -> list[str]:
    return [clip(printable(name), MAX_COLUMNS_OF_LEVEL) for name in ladder.labels]


def _rung_margin(ladder: Ladder | None) -> int:
    """Return the columns for the names of levels, left of a strip."""
    return 0 if ladder is None else max(map(cell_len, _rung_names(ladder))) + 1


def _strip_lines(
    seg: Segmentation, ladder: Ladder | None, first: int, last: int, cell: int
) -> list[str]:
    """Return the numbered units with their boundaries, and above them a line per coarser level."""
    if ladder is None:
        return [_strip(_marks(seg), first, last, cell)]
    reached, names, lines = ladder.reached(seg), _rung_names(ladder), []
    for rung, name in enumerate(names):
        ends = {place: "│" for place, top in reached.items() if top <= rung}
        drawn = _strip(ends, first, last, cell, numbers=rung == len(names) - 1)
        lines.append(f"{name}{' ' * (_rung_margin(ladder) - cell_len(name))}{drawn}")
    return lines


def _labelled(name: str, lines: Sequence[str], margin: int) -> list[str]:
    """Return the lines of a strip with its name before the last, that of the units."""
    first = f"{name}{' ' * (margin - cell_len(name))}"
    return [*(" " * margin + line for line in lines[:-1]), first + lines[-1]]


def write_drawing(drawing: str, out: IO[str]) -> None:
    """Write it; edits are coloured on a terminal (unless NO_COLOR), each sort in its own."""
    lines = fit(drawing, out).splitlines(keepends=True)
    if is_styled(out) and not os.environ.get("NO_COLOR"):
        lines = [
            OwnStyles(_coloured(line)) if set(line) <= BETWEEN_STRIPS else line for line in lines
        ]
    out.writelines(lines)


def _coloured(line: str) -> str:
    for signs, code in STYLES.items():
        line = re.sub(f"[{re.escape(signs)}]+", f"\x1b[{code}m\\g<0>{END}", line)
    return line


def _marks(seg: Segmentation) -> dict[int, str]:
    """Return a bar at each cut, as high as it is probable, or the first letter of its kind."""
    if seg.weights is not None:
        heights = np.minimum((seg.weights * len(HEIGHTS)).astype(int), len(HEIGHTS) - 1)
        return {p: HEIGHTS[h] for p, h in zip(seg.cuts.tolist(), heights.tolist(), strict=True)}
    return {
        place: "*" if len(names) > 1 else names[0][:1] or "│"
        for place, names in types_at(seg).items()
    }


def _strip(
    ends: Mapping[int, str], first: int, last: int, cell: int, *, numbers: bool = True
) -> str:
    units = range(first, last + 1)
    return "".join(f"{u if numbers else '':>{cell - 1}}{ends.get(u, ' ')}" for u in units)


def _edit_lines(edits: Sequence[Edit], first: int, last: int, cell: int) -> list[str]:
    """As few lines as hold all edits without overlap."""
    lines: list[list[str]] = [[" "] * ((last - first + 1) * cell)]
    taken: list[int] = [-1]  # the last column used on each line
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        left, right = ((p - first + 1) * cell - 1 for p in (edit.start, edit.end))
        row = next((i for i, end in enumerate(taken) if end < left), len(lines))
        if row == len(lines):
            lines.append([" "] * len(lines[0]))
            taken.append(-1)
        _place(lines[row], edit, left, right)
        taken[row] = right
    return ["".join(line) for line in lines]


def _place(line: list[str], edit: Edit, left: int, right: int) -> None:
    sort = sort_of(edit)
    marks = [SIGNS.get(sort, "")]
    if sort == "near":
        marks = ["─"] * (right - left + 1)
        marks[0], marks[-1] = ("╰", "╮") if edit.start == edit.ref else ("╭", "╯")
    for offset, mark in enumerate(marks):
        if 0 <= left + offset < len(line):
            line[left + offset] = mark


def write_edits(
    edits: Sequence[Edit],
    tokens: Sequence[str] | None,
    names: tuple[str, str],
    out: IO[str],
    width: int = 80,
) -> None:
    """Place, what, cost and the words around it; on lines of their own where it is narrow."""
    heads = ("after", "what", "cost")
    rows = []
    for edit in edits:
        where = f"{edit.ref} → {edit.hyp}" if edit.start != edit.end else str(edit.start)
        rows.append((where, _said(edit), f"{edit.cost:g}"))
    least = MIN_COLUMNS_FOR_WORDS if tokens else MIN_COLUMNS_FOR_WORDS // 2

    def around(room: int) -> list[str]:
        return [_around(edit, tokens, names, room) for edit in edits]

    _write_rows(heads, rows, "text", around, least, out, width)


def _write_rows(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str,
    texts: Callable[[int], list[str]],
    least: int,
    out: IO[str],
    width: int,
) -> None:
    """Write a table with texts in its last column; below the rows if there is too little room."""
    room = width - sum(max(map(len, column)) + 2 for column in zip(heads, *rows, strict=True))
    if room < least:
        write_narrow(heads, rows, texts(width - 2), out)
        return
    cells = [(*row, text) for row, text in zip(rows, texts(room), strict=True)]
    write_table([*heads, title], cells, out, left=len(heads) + 1)


MAX_ROW = 10_000  # columns of a row without its text, which stays whole on any terminal


def write_narrow(
    heads: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[str], out: IO[str]
) -> None:
    """Write a table whose last column has no room: each row's text is below it."""
    buffer = io.StringIO()
    write_table(heads, rows, buffer, left=len(heads), width=MAX_ROW)  # one line for each row
    head, *lines = buffer.getvalue().splitlines()
    parts = [head]
    for line, text in zip(lines, texts, strict=True):
        parts += [line, *([f"  {printable(text)}"] if text else [])]
    out.write(fit("\n".join(parts) + "\n", out))


def _said(edit: Edit) -> str:
    """Return what happened, in words: match, near miss, missing, extra, or one kind for another."""
    sort = sort_of(edit)
    what = "" if sort == "kind" else SORTS[sort][0]
    if edit.side is None and edit.ref_kind != edit.hyp_kind:
        return f"{what} {edit.ref_kind} → {edit.hyp_kind}".strip()
    return f"{what} {edit.kind}" if edit.kind is not None else what


def _around(edit: Edit, tokens: Sequence[str] | None, names: tuple[str, str], room: int) -> str:
    """Return the words before and after, in at most so many columns."""
    only = ""
    if edit.side:
        name = names[0] if edit.side == "ref" else names[1]
        only = f"({clip(name, max(4, room // 3))} only) "
    if not tokens:
        return only.strip()
    before = tokens[edit.start - 1]
    after = tokens[edit.end] if edit.end < len(tokens) else ""
    if edit.start == edit.end:
        one, other = shared_room([before, after], room - 3 - len(only))
        return f"{clip(before, one, tail=True)} │ {only}{clip(after, other)}".rstrip()
    between = " ".join(tokens[edit.start : edit.end])
    one, middle, other = shared_room([before, between, after], room - 6)
    parts = (clip(before, one, tail=True), clip(between, middle), clip(after, other))
    return " ╱ ".join(parts).rstrip(" ╱")


def shared_room(texts: Sequence[str], room: int) -> list[int]:
    """Return the room of each: what one does not need of its share is for the others.

    >>> shared_room(["a", "a long text", "another one"], 19)
    [1, 9, 9]
    """
    wanted = [cell_len(text) for text in texts]
    given = [0] * len(texts)
    for left, i in enumerate(sorted(range(len(texts)), key=lambda i: wanted[i])):
        given[i] = max(1, min(wanted[i], room // (len(texts) - left)))
        room -= given[i]
    return given


def clip(text: str, size: int, tail: bool = False) -> str:
    """Return the beginning (or the end) of a text in at most so many columns, cut between words.

    >>> clip("went home in the rain", 12), clip("went home in the rain", 12, tail=True)
    ('went home …', '… the rain')
    """
    if cell_len(text) <= size:
        return text
    kept = ""
    words = text.split()
    for word in reversed(words) if tail else words:
        longer = f"{word} {kept}".strip() if tail else f"{kept} {word}".strip()
        if cell_len(longer) > size - 2:
            break
        kept = longer
    if not kept:  # one long word, or a script without spaces
        return _cut(text, size, tail)
    return f"… {kept}" if tail else f"{kept} …"


def _cut(text: str, size: int, tail: bool) -> str:
    kept = text[-size:] if tail else text[:size]
    while kept and cell_len(kept) > size - 1:
        kept = kept[1:] if tail else kept[:-1]
    return f"…{kept}" if tail else f"{kept}…"


def summary(edits: Sequence[Edit], whole: int) -> str:
    """Return how many of each, and what they cost."""
    counts = count_sorts(edits)
    order: tuple[Sort, ...] = ("match", "near", "kind", "missing", "extra")
    said = [plural(counts[sort], *SORTS[sort]) for sort in order if counts[sort] or sort != "kind"]
    return f"{', '.join(said)}; cost {sum(e.cost for e in edits):g} of {whole}"


def write_edges(
    edges: Sequence[Edge],
    tokens: Sequence[str] | None,
    names: tuple[str, str],
    out: IO[str],
    width: int = 80,
) -> None:
    """Write both segments (units from 1), label, weight and how they begin, for each edge."""
    heads = [*(clip(name, max(8, width // 4)) for name in names), "what", "weight"]
    rows = []
    for edge in edges:
        spans = [f"{start + 1}-{end}" for start, end in (edge.ref_span, edge.hyp_span)]
        rows.append((*spans, str(edge.label), f"{edge.weight:.3f}"))
    if not tokens:
        write_table(heads, rows, out, left=4)
        return

    def begins(room: int) -> list[str]:
        return [clip(tokens[edge.ref_span[0]], room) for edge in edges]

    _write_rows(heads, rows, "begins", begins, MIN_COLUMNS_FOR_WORDS, out, width)
