"""What is drawn of segmentations, computed once for terminals, pages, notebooks and plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from fencepost.model.edits import Edge, Edit
from fencepost.model.segmentation import Segmentation
from fencepost.wording import plural

Sort: TypeAlias = Literal["match", "near", "missing", "extra", "kind"]
# What can happen to a boundary, for one and for several of them.
SORTS: dict[Sort, tuple[str, str]] = {
    "match": ("match", "matches"),
    "near": ("near miss", "near misses"),
    "missing": ("missing", "missing"),
    "extra": ("extra", "extra"),
    "kind": ("other type", "other types"),
}
# Okabe and Ito's colours, which colour-blind people can tell apart; every sort of edit has a
# shape of its own beside. On a page the style sheet may choose others by class.
COLOURS: dict[Sort, str] = {
    "match": "#6b7280",
    "near": "#a05e00",
    "missing": "#d55e00",
    "extra": "#a6457f",
    "kind": "#00805c",
}
BLUE = "#0072b2"  # of segments, bars and heat maps
MAX_BARS = 16  # of a histogram of segment sizes


def sort_of(edit: Edit) -> Sort:
    """Return what people see of an edit: match, near, missing, extra or (another) kind."""
    if edit.side is not None:
        return "missing" if edit.side == "ref" else "extra"
    if edit.start != edit.end:
        return "near"  # with another kind as well it is still one
    return "match" if edit.ref_kind == edit.hyp_kind else "kind"


def count_sorts(edits: Sequence[Edit]) -> dict[Sort, int]:
    """Count the edits of each sort, in the order of SORTS."""
    found = Counter(map(sort_of, edits))
    return {sort: found[sort] for sort in SORTS}


def edits_in_words(edits: Sequence[Edit | Edge]) -> str:
    """Say how many edits of each sort there are, or how many edges."""
    if edits and isinstance(edits[0], Edge):
        return plural(len(edits), "aligned pair of segments", "aligned pairs of segments")
    counts = count_sorts([edit for edit in edits if isinstance(edit, Edit)])
    return ", ".join(plural(n, *SORTS[sort]) for sort, n in counts.items() if n) or "no cuts"


def edit_in_words(edit: Edit) -> str:
    """Say what one edit is, where, and what it costs."""
    sort, cost = sort_of(edit), f", cost {edit.cost:g}"
    typed = f", {edit.ref_kind} → {edit.hyp_kind}" if edit.ref_kind != edit.hyp_kind else ""
    if sort == "near":
        return f"near miss: {edit.ref} → {edit.hyp}{typed}{cost}"
    if sort == "kind":
        return f"other type: {edit.ref_kind} → {edit.hyp_kind} at {edit.ref}{cost}"
    return f"{sort} after {edit.start}{f', {edit.kind}' if edit.kind else ''}{cost}"


def edge_in_words(edge: Edge) -> str:
    """Say which segments (units from 1) an edge of A joins, and its weight."""
    (a, b), (c, d) = edge.ref_span, edge.hyp_span
    return f"{edge.label}: {a + 1} to {b} with {c + 1} to {d}, weight {edge.weight:.3f}"


def pair_in_words(ref: Segmentation, hyp: Segmentation, names: tuple[str, str]) -> str:
    """Say how many segments both sides have."""
    return f"{names[0]}, {segments_in_words(ref)}; {names[1]}, {segments_in_words(hyp)}"


def segments_in_words(seg: Segmentation) -> str:
    """Say how many segments there are."""
    return plural(len(seg.places) + 1, "segment")


# Where segments end, and which boundary types are where.


def ends_of(seg: Segmentation) -> list[int]:
    """Return 0, the positions of the boundaries, and the end of the text."""
    return [0, *seg.places.tolist(), seg.units]


def types_at(seg: Segmentation) -> dict[int, list[str]]:
    """Return the boundary types at each position that has a boundary."""
    found: dict[int, list[str]] = {}
    for place, name in seg.named_cuts:
        found.setdefault(place, []).append(name)
    return found


def cut_shares(segs: Sequence[Segmentation]) -> dict[int, float]:
    """Return the share of these segmentations that have a boundary at a position, where any has."""
    counts = Counter(place for seg in segs for place in seg.places.tolist())
    return {place: n / len(segs) for place, n in counts.items()}


def window_shares(width: int, starts: Sequence[int]) -> dict[int, float]:
    """Return for each position the share of the windows over it that begin at ``starts``."""
    covered = Counter(p for start in starts for p in range(start + 1, start + width + 1))
    return {place: n / width for place, n in sorted(covered.items())}


# Distributions, as names and heights of bars.

Bars: TypeAlias = list[tuple[str, int]]


def size_bars(segs: Sequence[Segmentation]) -> Bars:
    """Count the segments of each size, in at most 16 bars."""
    return size_panels([("", segs)])[0][1]


def size_panels(named: Sequence[tuple[str, Sequence[Segmentation]]]) -> list[tuple[str, Bars]]:
    """Count the segment sizes of several groups of segmentations in the same bars."""
    found = [(name, _sizes(segs)) for name, segs in named]
    top = max((int(sizes.max()) for _, sizes in found), default=1)
    step = -(-top // MAX_BARS)
    firsts = range(1, top + 1, step)
    names = [str(a) if step == 1 else f"{a}-{a + step - 1}" for a in firsts]
    return [
        (name, list(zip(names, np.bincount((own - 1) // step, minlength=len(names)).tolist(),
                        strict=True)))
        for name, own in found
    ]  # fmt: skip


def _sizes(segs: Sequence[Segmentation]) -> Any:
    return np.concatenate([np.asarray(seg.masses) for seg in segs]) if segs else np.array([1])


def offset_bars(refs: Sequence[Segmentation], hyps: Sequence[Segmentation], most: int = 6) -> Bars:
    """Count how far each boundary is from the nearest one of the reference; + is too late."""
    counts = np.zeros(2 * most + 1, dtype=np.int64)
    for ref, hyp in zip(refs, hyps, strict=True):
        own, theirs = ref.places, hyp.places
        if not len(own) or not len(theirs):
            continue
        after = own.searchsorted(theirs)
        right = own[np.minimum(after, len(own) - 1)]
        left = own[np.maximum(after - 1, 0)]
        nearest = np.where(np.abs(theirs - left) <= np.abs(right - theirs), left, right)
        off = np.minimum(np.maximum(theirs - nearest, -most), most)
        counts += np.bincount(off + most, minlength=2 * most + 1)
    return [(_signed(i - most, most), n) for i, n in enumerate(counts.tolist())]


def _signed(offset: int, most: int) -> str:
    if abs(offset) == most:
        return f"≤−{most}" if offset < 0 else f"≥{most}"
    return f"−{-offset}" if offset < 0 else f"+{offset}" if offset else "0"
