"""The data of the text view: strips of each text, the edits between them, and what fits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fencepost.metrics.alignment import LABELS, alignment_similarity
from fencepost.metrics.base import Recipe
from fencepost.metrics.edit import boundary_similarity
from fencepost.pairs import Pairs, merge_vocabularies, untyped
from fencepost.report.html.safe import safe, script_json
from fencepost.report.html.svg import COLOURS, lanes, said_edits, what_of
from fencepost.result import Edge, Edit
from fencepost.segmentation import Segmentation

WHATS = tuple(COLOURS)  # match, near, missing, extra, kind
MOST_LANES = 8  # below the first of a text, in a drawing without script
AT_ONCE = 1000  # texts whose edits are in memory together
ROOM = 8_000_000  # bytes for texts; the rest of a page of 10 MB is for tables and drawings


@dataclass(frozen=True)
class Text:
    """One text (or one stream of it): its segmentations by name, and which to compare."""

    text: str
    stream: str
    lanes: Sequence[tuple[str, Segmentation]]
    pairs: Sequence[tuple[int, int]]
    words: Sequence[str] | None = None

    @property
    def title(self) -> str:
        """What people call it."""
        return f"{self.text}, {self.stream}" if self.stream else self.text


@dataclass(frozen=True)
class Views:
    """What the page holds, what it has no room for, and drawings of the worst without script.

    Items are JSON already: a large corpus is never held as lists of numbers.
    """

    inside: dict[str, Any]
    rest: list[str]
    drawn: list[tuple[str, str]]
    values: list[float]  # of each text: the mean over its pairs
    confusions: Mapping[tuple[str, str], int]  # which kind meets which; empty without kinds

    @property
    def note(self) -> str:
        """What a reader should know if not every text is on the page."""
        if not self.rest:
            return ""
        count = len(self.inside["items"])
        return (
            f"{count} of {count + len(self.rest)} texts are on this page, the worst and the best; "
            "the others are in a file beside it"
        )


def edit_recipe(recipes: Sequence[Recipe]) -> Recipe:
    """The first recipe that lists edits; B where none does."""
    for recipe in recipes:
        if recipe.metric.edits is not None and recipe.name != "alignment_similarity":
            return recipe
    return boundary_similarity.recipe()


def ribbon_recipe(recipes: Sequence[Recipe]) -> Recipe:
    """A as it was asked for, or as it is by default."""
    own = [recipe for recipe in recipes if recipe.name == "alignment_similarity"]
    return own[0] if own else alignment_similarity.recipe()


def make_views(
    texts: Sequence[Text],
    recipe: Recipe,
    ribbons: Recipe,
    *,
    unit: str = "unit",
    room: int = ROOM,
    drawn: int = 3,
    base: str | None = None,
    heat: bool = False,
) -> Views:
    """Compare what is to be compared and lay it out for the script, some texts at a time."""
    names = _Numbers()
    kinds = _kinds(texts)
    costs: dict[str, float] = {}
    confusions: dict[tuple[str, str], int] = {}
    items: list[str] = []
    means: list[float] = []
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        pairs = _pairs(some, kinds)
        edits, values = _edits(recipe, pairs)
        edges = ribbons.edits(pairs) if len(pairs) else []
        at = 0
        for number, text in enumerate(some, start=start):
            span = slice(at, at + len(text.pairs))
            at = span.stop
            if kinds:
                _add_confusions(confusions, edits[span])
            means.append(_mean(values[span]))
            coded = [
                [a, b, *_coded(own, kinds, costs), _ribbons(edge)]
                for (a, b), own, edge in zip(text.pairs, edits[span], edges[span], strict=True)
            ]
            items.append(script_json(_item(number, text, means[-1], coded, names, kinds)))
    order = sorted(range(len(items)), key=lambda i: (_worst(means[i]), i))
    inside, rest = _fit([items[i] for i in order], room)
    data = {
        "unit": safe(unit),
        "metric": safe(recipe.metric.title),
        "signature": str(recipe.signature()),
        "ribbon": str(ribbons.signature()),
        "names": [safe(name) for name in names.all],
        "kinds": [safe(name) for name in kinds],
        "costs": costs,
        "labels": list(LABELS),
        "base": None if base is None else safe(base),
        "heat": heat,
        "left": len(rest),
        "items": inside,
    }
    pictures = [_picture(texts[i], recipe, kinds) for i in order[:drawn]]
    return Views(data, rest, pictures, means, confusions)


def _item(
    number: int,
    text: Text,
    mean: float,
    coded: list[Any],
    names: _Numbers,
    kinds: tuple[str, ...],
) -> dict[str, Any]:
    """One text as the script reads it."""
    return {
        "i": number,
        "t": safe(text.title),
        "k": safe(text.text),
        "n": text.lanes[0][1].units,
        "v": None if math.isnan(mean) else round(mean, 6),
        "l": [_lane(names(name), seg, kinds) for name, seg in text.lanes],
        "p": coded,
        **({"w": [safe(word) for word in text.words]} if text.words else {}),
    }


class _Numbers:
    """Names by number, in the order they are first met."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        return self.all.setdefault(name, len(self.all))


def _kinds(texts: Sequence[Text]) -> tuple[str, ...]:
    """The kinds of boundaries; none where some segmentations have no kinds: then places count."""
    all_of = [seg for text in texts for _, seg in text.lanes]
    if any(seg.kind_names is None for seg in all_of):
        return ()
    return merge_vocabularies([seg.kind_names or () for seg in all_of])


def _pairs(texts: Sequence[Text], kinds: tuple[str, ...]) -> Pairs:
    sides: tuple[list[Segmentation], list[Segmentation]] = [], []
    for text in texts:
        for pair in text.pairs:
            for side, lane in zip(sides, pair, strict=True):
                seg = text.lanes[lane][1]
                side.append(seg if kinds else untyped(seg))
    return Pairs.from_segmentations(*sides, vocabulary=kinds or None)


def _edits(recipe: Recipe, pairs: Pairs) -> tuple[list[tuple[Edit, ...]], list[float]]:
    if not len(pairs):
        return [], []
    listed = [tuple(edit for edit in own if isinstance(edit, Edit)) for own in recipe.edits(pairs)]
    values: list[float] = recipe.value(recipe.count(pairs)).tolist()
    return listed, values


def _lane(name: int, seg: Segmentation, kinds: tuple[str, ...]) -> list[Any]:
    cuts = seg.cuts.tolist()
    if not kinds or seg.kinds is None or seg.kind_names is None:
        return [name, seg.places.tolist()]
    number = {kind: i + 1 for i, kind in enumerate(kinds)}
    return [name, cuts, [number[seg.kind_names[kind - 1]] for kind in seg.kinds.tolist()]]


def _coded(edits: Sequence[Edit], kinds: tuple[str, ...], costs: dict[str, float]) -> list[Any]:
    """Matches, near misses (both places), missing, extra; with kinds, six numbers an edit."""
    if kinds:
        number: dict[str | None, int] = {None: 0, **{kind: i + 1 for i, kind in enumerate(kinds)}}
        flat: list[Any] = []
        for e in edits:
            flat += [WHATS.index(what_of(e)), e.ref or 0, e.hyp or 0, number[e.ref_kind],
                     number[e.hyp_kind], round(e.cost, 6)]  # fmt: skip
        return [None, flat, None, None]
    match: list[int] = []
    near: list[int] = []
    missing: list[int] = []
    extra: list[int] = []
    for e in edits:
        ref, hyp = e.ref, e.hyp
        if ref is None:
            assert hyp is not None
            extra.append(hyp)
            costs.setdefault("extra", e.cost)
        elif hyp is None:
            missing.append(ref)
            costs.setdefault("missing", e.cost)
        elif ref == hyp:
            match.append(ref)
        else:
            near += ref, hyp
            costs.setdefault(f"near{abs(ref - hyp)}", e.cost)
    return [match, near, missing, extra]


def _ribbons(edges: Sequence[Any]) -> list[int]:
    flat: list[int] = []
    for edge in edges:
        assert isinstance(edge, Edge)
        flat += edge.ref, edge.hyp, LABELS.index(edge.label), round(edge.weight * 1000)
    return flat


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def _worst(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _fit(items: list[str], room: int) -> tuple[list[str], list[str]]:
    """Worst first: two thirds of the room are for the worst, the rest for the best."""
    sizes = [len(item.encode("utf-8")) + 1 for item in items]
    if sum(sizes) <= room:
        return items, []
    kept: set[int] = set()
    for order, share in ((range(len(items)), 2 / 3), (range(len(items) - 1, -1, -1), 1 / 3)):
        left = room * share
        for i in order:
            if i in kept or sizes[i] > left:
                break
            left -= sizes[i]
            kept.add(i)
    inside = [item for i, item in enumerate(items) if i in kept]
    return inside, [item for i, item in enumerate(items) if i not in kept]


def _picture(text: Text, recipe: Recipe, kinds: tuple[str, ...]) -> tuple[str, str]:
    """A text without script: everything that is compared with its first lane."""
    first = text.pairs[0][0] if text.pairs else 0
    rows: list[tuple[str, Segmentation, Sequence[Edit]]] = [(*text.lanes[first], ())]
    said = []
    edits, _ = _edits(recipe, _pairs([text], kinds))
    for (a, b), own in zip(text.pairs, edits, strict=True):
        if a == first and len(rows) <= MOST_LANES:
            name, seg = text.lanes[b]
            rows.append((name, seg, own))
            said.append(f"{name}: {said_edits(own)}")
    label = f"{text.title}, {text.lanes[first][1].units} units; {'; '.join(said)}"
    return text.title, lanes(rows, label)


# Distributions.


def size_bars(segs: Sequence[Segmentation]) -> list[tuple[str, int]]:
    """How many segments have which size, in at most 16 bars."""
    sizes = np.concatenate([np.asarray(seg.masses) for seg in segs]) if segs else np.array([1])
    top = int(sizes.max())
    step = -(-top // 16)
    counts = np.bincount((sizes - 1) // step, minlength=-(-top // step))
    return [
        (str(i * step + 1) if step == 1 else f"{i * step + 1}-{(i + 1) * step}", int(n))
        for i, n in enumerate(counts)
    ]


def offset_bars(
    refs: Sequence[Segmentation], hyps: Sequence[Segmentation], most: int = 6
) -> list[tuple[str, int]]:
    """How far each cut is from the nearest one of the reference; + is too late."""
    counts = dict.fromkeys(range(-most, most + 1), 0)
    for ref, hyp in zip(refs, hyps, strict=True):
        own, theirs = ref.places, hyp.places
        if not len(own) or not len(theirs):
            continue
        after = np.searchsorted(own, theirs)
        right = own[np.minimum(after, len(own) - 1)]
        left = own[np.maximum(after - 1, 0)]
        nearest = np.where(np.abs(theirs - left) <= np.abs(right - theirs), left, right)
        for offset in np.clip(theirs - nearest, -most, most).tolist():
            counts[offset] += 1
    return [(_signed(offset, most), n) for offset, n in counts.items()]


def _signed(offset: int, most: int) -> str:
    if abs(offset) == most:
        return f"≤−{most}" if offset < 0 else f"≥{most}"
    return f"−{-offset}" if offset < 0 else f"+{offset}" if offset else "0"


def _add_confusions(counts: dict[tuple[str, str], int], edits: Sequence[Sequence[Edit]]) -> None:
    """How often a kind on the first side meets which on the second."""
    for own in edits:
        for e in own:
            pair = e.ref_kind or "none", e.hyp_kind or "none"
            counts[pair] = counts.get(pair, 0) + 1
