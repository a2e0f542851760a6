"""The data of the text view: strips of each text, the edits between them, and what fits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fencepost.metrics.alignment import LABELS, alignment_similarity
from fencepost.metrics.edit import boundary_similarity
from fencepost.metrics.registry import Recipe
from fencepost.model.edits import Edge, Edit
from fencepost.model.levels import Ladder, Order
from fencepost.model.pairs import Pairs, untyped
from fencepost.model.segmentation import Segmentation
from fencepost.report.html import marks
from fencepost.report.html.page import Page, Section
from fencepost.report.html.safe import safe, script_json
from fencepost.report.html.svg import kinds_of, lanes, rung_lines
from fencepost.report.strips import SORTS, Sort, edits_in_words, sort_of

SORT_NUMBERS = {sort: i for i, sort in enumerate(SORTS)}
MAX_STATIC_BYTES = 30_000  # of the texts that are drawn for readers without script
MAX_WORDS_BYTES = 3_500  # of those, for the words of a text
LABEL_NUMBERS = {label: i for i, label in enumerate(LABELS)}
SAMPLE_UNITS = 50  # units by which it is told whether they are words or sentences
LONG_UNIT_LETTERS = 18  # longer units, on average, are more than words
TEXTS_AT_ONCE = 1000  # whose edits are in memory together
MAX_TEXTS_BYTES = 8_000_000  # the rest of a page of 10 MB is for tables and drawings


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
class Kind:
    """A kind of boundary as it is drawn: its name, its mark, its shape and its colour."""

    name: str
    mark: str
    shape: int
    colour: int


Run: TypeAlias = tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str, str]]]


@dataclass(frozen=True)
class Picture:
    """A text for readers without script: drawn, what was left out, and its words with the cuts.

    ``run`` is a list of (units, cuts after them): a unit is (its number, its words), or several of
    them together without a number; a cut is (what, who, which kind).
    """

    title: str
    svg: str
    lanes_left: int = 0  # that had no room
    left_out: str = ""
    run: Sequence[Run] = ()


@dataclass(frozen=True)
class Views:
    """What the page holds, what it has no room for, and drawings of the worst without script.

    Items are JSON already: a large corpus is never held as lists of numbers.
    """

    inside: dict[str, Any]
    rest: list[str]
    drawn: list[Picture]
    kinds: list[Kind]
    ladder: list[tuple[str, float, float]]  # per level: name, height, thickness; empty without
    values: list[float]  # of each text: the mean over its pairs, or of their pooled counts
    confusions: Mapping[tuple[str, str], int]  # which kind meets which; empty without kinds

    def page(
        self, title: str, lead: str, sections: Sequence[Section], command: str,
        notes: Sequence[str],
    ) -> Page:  # fmt: skip
        """Return a page with these texts, and with a note if not every text is on it."""
        if self.rest:
            count = len(self.inside["items"])
            left_out = (
                f"{count} of {count + len(self.rest)} texts are on this page, the worst and the "
                "best; the others are in a file beside it"
            )
            notes = [*notes, left_out]
        return Page(title, lead, sections, command, self.inside, rest=self.rest, notes=notes)


def edit_recipe(recipes: Sequence[Recipe]) -> Recipe:
    """Return the first recipe that lists edits; B where none does."""
    for recipe in recipes:
        if recipe.metric.drawn == "edits":
            return recipe
    return boundary_similarity.recipe()


def ribbon_recipe(recipes: Sequence[Recipe]) -> Recipe:
    """Return A as it was asked for, or as it is by default."""
    own = [recipe for recipe in recipes if recipe.metric.drawn == "edges"]
    return own[0] if own else alignment_similarity.recipe()


def make_views(
    texts: Sequence[Text],
    recipe: Recipe,
    ribbons: Recipe,
    *,
    unit: str = "unit",
    room: int = MAX_TEXTS_BYTES,
    drawn: int = 3,
    base: str | None = None,
    heat: bool = False,
    pooled: bool = False,
    types: Order = None,
) -> Views:
    """Compare what is to be compared and lay it out for the script, some texts at a time.

    The value of a text is the mean over its pairs; ``pooled``, that of their counts together, as
    agreement has it. Boundary types that are numbers, or in the order of ``types``, are drawn as
    levels.
    """
    names = _Numbers()
    segs = [seg for text in texts for _, seg in text.lanes]
    kinds = kinds_of(*segs)
    ladder = Ladder.of(segs, types) if kinds else None
    costs: dict[str, float] = {}
    confusions: Counter[tuple[str, str]] = Counter()  # first side by second side
    items: list[str] = []
    means: list[float] = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        some = texts[start : start + TEXTS_AT_ONCE]
        pairs = _pairs(some, kinds)
        edits, counts = _edits(recipe, pairs)
        edges = ribbons.edits(pairs) if len(pairs) else []
        at = 0
        for number, text in enumerate(some, start=start):
            span = slice(at, at + len(text.pairs))
            at = span.stop
            if kinds:
                pairs_of_kinds = ((e.ref_kind, e.hyp_kind) for own in edits[span] for e in own)
                confusions.update((a or "none", b or "none") for a, b in pairs_of_kinds)
            means.append(_value(recipe, counts[span], pooled))
            coded = [
                [a, b, *_coded(own, kinds, costs), _ribbons(edge)]
                for (a, b), own, edge in zip(text.pairs, edits[span], edges[span], strict=True)
            ]
            items.append(script_json(_item(number, text, means[-1], coded, names, kinds)))
    order = sorted(range(len(items)), key=lambda i: (undefined_last(means[i]), i))
    inside, rest = _fit([items[i] for i in order], room)
    shown = _shown(kinds)
    data = {
        "unit": safe(unit),
        "metric": safe(recipe.metric.title),
        "signature": str(recipe.signature()),
        "ribbon": str(ribbons.signature()),
        "names": [safe(name) for name in names.all],
        "kinds": [safe(kind.name) for kind in shown],
        "marks": [safe(kind.mark) for kind in shown],
        "rungs": [ladder.thickness(rung) for rung in range(len(ladder.rungs))] if ladder else [],
        "reach": [ladder.rung_of(kind) for kind in kinds] if ladder else [],
        "costs": costs,
        "labels": list(LABELS),
        "base": None if base is None else safe(base),
        "heat": heat,
        "left": len(rest),
        "items": inside,
    }
    pictures = _pictures([texts[i] for i in order[:drawn]], recipe, kinds, ladder, unit)
    legend = rung_lines(ladder) if ladder else []
    return Views(data, rest, pictures, shown, legend, means, confusions)


def _pictures(
    texts: Sequence[Text],
    recipe: Recipe,
    kinds: tuple[str, ...],
    ladder: Ladder | None,
    unit: str,
) -> list[Picture]:
    """Draw the worst text as far as there is room, and others that fit as a whole."""
    made: list[Picture] = []
    room = MAX_STATIC_BYTES
    for text in texts:
        one = _picture(text, recipe, kinds, ladder, room, unit)
        if made and one.lanes_left:
            break
        made.append(one)
        room -= len(one.svg) + (MAX_WORDS_BYTES if one.run else 0)
    return made


def _shown(kinds: Sequence[str]) -> list[Kind]:
    """Return how each boundary type is drawn."""
    found = zip(kinds, marks.short_marks(kinds), strict=True)
    return [
        Kind(name, mark, i % len(marks.SHAPES), marks.colour_of(i))
        for i, (name, mark) in enumerate(found)
    ]


def _item(
    number: int,
    text: Text,
    mean: float,
    coded: list[Any],
    names: _Numbers,
    kinds: tuple[str, ...],
) -> dict[str, Any]:
    """Return one text as the script reads it."""
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


def _pairs(texts: Sequence[Text], kinds: tuple[str, ...]) -> Pairs:
    sides: tuple[list[Segmentation], list[Segmentation]] = [], []
    for text in texts:
        for pair in text.pairs:
            for side, lane in zip(sides, pair, strict=True):
                seg = text.lanes[lane][1]
                side.append(seg if kinds else untyped(seg))
    return Pairs.from_segmentations(*sides, vocabulary=kinds or None)


def _edits(recipe: Recipe, pairs: Pairs) -> tuple[list[tuple[Edit, ...]], Any]:
    """Return the edits of every pair, and what the recipe counts in it."""
    if not len(pairs):
        return [], np.zeros((0, 1))
    listed = [tuple(edit for edit in own if isinstance(edit, Edit)) for own in recipe.edits(pairs)]
    return listed, recipe.count(pairs)


def _value(recipe: Recipe, counts: Any, pooled: bool) -> float:
    if not len(counts):
        return math.nan
    return pooled_value(recipe, counts) if pooled else mean_of_known(recipe.value(counts).tolist())


def pooled_value(recipe: Recipe, counts: Any) -> float:
    """Return the value of all rows of counts together."""
    return float(recipe.value(counts.sum(axis=0)[None, :])[0])


def _lane(name: int, seg: Segmentation, kinds: tuple[str, ...]) -> list[Any]:
    if not kinds or seg.kinds is None:
        return [name, seg.places.tolist()]
    number = {kind: i + 1 for i, kind in enumerate(kinds)}
    cuts = seg.named_cuts
    return [name, [place for place, _ in cuts], [number[kind] for _, kind in cuts]]


def _coded(edits: Sequence[Edit], kinds: tuple[str, ...], costs: dict[str, float]) -> list[Any]:
    """Matches, near misses (both places), missing, extra; with kinds, six numbers an edit."""
    if kinds:
        number: dict[str | None, int] = {None: 0, **{kind: i + 1 for i, kind in enumerate(kinds)}}
        flat: list[Any] = []
        for e in edits:
            flat += [SORT_NUMBERS[sort_of(e)], e.ref or 0, e.hyp or 0, number[e.ref_kind],
                     number[e.hyp_kind], round(e.cost, 6)]  # fmt: skip
        return [None, flat, None, None]
    listed: dict[Sort, list[int]] = {"match": [], "near": [], "missing": [], "extra": []}
    for e in edits:
        sort = sort_of(e)
        listed[sort] += [e.start] if sort != "near" else [e.ref or 0, e.hyp or 0]
        if sort != "match":
            distance = str(e.end - e.start) if sort == "near" else ""
            costs.setdefault(sort + distance, e.cost)
    return list(listed.values())


def _ribbons(edges: Sequence[Any]) -> list[int]:
    flat: list[int] = []
    for edge in edges:
        assert isinstance(edge, Edge)
        flat += edge.ref, edge.hyp, LABEL_NUMBERS[edge.label], round(edge.weight * 1000)
    return flat


def mean_of_known(values: Sequence[float | None]) -> float:
    """Return the mean of the values that are defined; NaN where none is."""
    known = [value for value in values if value is not None and not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def undefined_last(value: float | None, upwards: bool = True) -> float:
    """Return a key for sorting by which undefined values come last."""
    if value is None or math.isnan(value):
        return math.inf
    return value if upwards else -value


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


def _picture(
    text: Text,
    recipe: Recipe,
    kinds: tuple[str, ...],
    ladder: Ladder | None,
    room: int,
    unit: str,
) -> Picture:
    """Draw what is compared with the first lane of a text, as much as there is room for."""
    first = text.pairs[0][0] if text.pairs else 0
    edits, _ = _edits(recipe, _pairs([text], kinds))
    others = [(b, own) for (a, b), own in zip(text.pairs, edits, strict=True) if a == first]
    words = MAX_WORDS_BYTES if text.words else 0
    count = len(others)
    while True:
        svg = _drawing(text, first, others[:count], kinds, ladder)
        if count <= 1 or len(svg) <= room - words:
            break
        count = max(1, min(count - 1, int(count * (room - words) / len(svg))))
    left_out = "" if count == len(others) else (
        f"{text.lanes[first][0]} and {count} of the {len(others)} that are compared with it; "
        "with JavaScript all of them"
    )  # fmt: skip
    run: list[Run] = []
    note = ""
    if words:
        run, done = _running(text, first, others[:count], kinds, words)
        if done < len(text.words or ()):
            note = f"{unit}s 1 to {done} of {len(text.words or ())}; with JavaScript all of them"
    said = "; ".join(filter(None, (left_out, note)))
    return Picture(text.title, svg, len(others) - count, said, run)


def _drawing(
    text: Text,
    first: int,
    others: Sequence[tuple[int, Sequence[Edit]]],
    kinds: tuple[str, ...],
    ladder: Ladder | None,
) -> str:
    rows: list[tuple[str, Segmentation, Sequence[Edit]]] = [(*text.lanes[first], ())]
    rows += [(*text.lanes[b], own) for b, own in others]
    said = [f"{text.lanes[b][0]}: {edits_in_words(own)}" for b, own in others]
    label = f"{text.title}, {text.lanes[first][1].units} units; {'; '.join(said)}"
    return lanes(rows, label, kinds, ladder=ladder)


def _running(
    text: Text,
    first: int,
    others: Sequence[tuple[int, Sequence[Edit]]],
    kinds: tuple[str, ...],
    room: int,
) -> tuple[list[Run], int]:
    """Return the words with every boundary named, and how many of them there is room for.

    Units that are longer than words have a line and a number each.
    """
    assert text.words is not None
    cuts: dict[int, list[tuple[str, str, str]]] = {}
    name, seg = text.lanes[first]
    for place, kind in (seg if kinds else untyped(seg)).named_cuts:
        cuts.setdefault(place, []).append(("base", name, kind))
    for b, own in others:
        for e in own:
            if e.hyp is not None:
                said = sort_of(e), text.lanes[b][0], e.hyp_kind or ""
                cuts.setdefault(e.hyp, []).append(said)
    some = text.words[:SAMPLE_UNITS]
    lines = sum(map(len, some)) > LONG_UNIT_LETTERS * len(some)
    run: list[Run] = []
    units: list[tuple[str, str]] = []
    for number, word in enumerate(text.words, start=1):
        units.append((str(number) if lines else "", word))
        room -= len(word.encode("utf-8", "replace")) + (60 if lines else 1)
        if number in cuts or number == len(text.words):
            room -= 30 + sum(70 + len(who) + len(kind) for _, who, kind in cuts.get(number, []))
            if room < 0 and run:
                return run, number - len(units)
            shown = units if lines else [("", " ".join(word for _, word in units))]
            run.append((shown, cuts.get(number, [])))
            units = []
    return run, len(text.words)
