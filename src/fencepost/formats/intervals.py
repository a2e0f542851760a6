"""From stretches (of characters, tokens or seconds) to segmentations of whole units."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from fencepost.formats.options import FormatError, Reading
from fencepost.model.checks import MAX_UNITS
from fencepost.model.segmentation import Segmentation
from fencepost.wording import plural

NESTED = "nested"  # of --levels: segments may lie inside others, and depths are levels
NESTED_HINT = (
    "If one lies inside the other: --levels nested (their depth is the level of their boundaries)"
)
SLACK = 1e-3  # tools round the times of segments and recordings to milliseconds


# From the ends of a gap, in units, to what to do about it; None: one of the rules for gaps.
GapHint = Callable[[int, int], str | None]


class Stretch(NamedTuple):
    """A segment from ``start`` up to ``end``, as a file has it."""

    start: float
    end: float
    where: str
    label: str = ""


def segment(
    stretches: Sequence[Stretch],
    units: int,
    reading: Reading,
    where: str,
    place: Callable[[float], int] = int,
    overlap: str | None = None,
    gap_hint: GapHint | None = None,
) -> tuple[Segmentation, dict[str, str]]:
    """The cuts that stretches make in a text of so many units, and the rules that were needed.

    ``place`` turns what the file counts into units. Stretches that cover each other are cut where
    the later one starts (``start``) or the earlier one ends (``end``); ``overlap`` is the rule
    where the person gave none, and without one they are refused. What no stretch covers is a
    segment of its own (``segment``) or belongs to the one before it (``join``; at the start of
    the text, to the one after it). ``gap_hint`` knows a better way out where no rule was given.
    With ``--levels nested`` stretches may lie inside each other (see ``nested_segments``).
    """
    if reading.levels == NESTED:
        return nested_segments(stretches, units, reading, where, place, gap_hint)
    cuts: set[int] = set()
    used: dict[str, str] = {}
    end = 0
    last: Stretch | None = None
    for one in sorted(stretches, key=lambda s: (s.start, s.end)):
        first, stop = _placed(one, units, place, reading)
        if stop == first:
            continue  # no word lies in it
        if last is not None and first < end:
            used["overlap"] = _overlap(one, last, first <= place(last.start), reading, overlap)
            cuts.add(first if used["overlap"] == "start" else end)
        elif first > end:
            _gap(end, first, cuts, used, reading, one.where, hint=gap_hint)
        else:
            cuts.add(first)
        end, last = max(end, stop), one
    if end < units:
        behind = last.where if last else where
        _gap(end, units, cuts, used, reading, behind, at_end=True, hint=gap_hint)
    return Segmentation(units, sorted(c for c in cuts if 0 < c < units)), used


@dataclass
class _Open:
    """A segment in which the next one may lie, at first the text; ``one`` is that of the file."""

    level: int
    first: int
    stop: int
    one: Stretch | None = None
    covered: int = 0  # up to where segments inside it go


def nested_segments(
    stretches: Sequence[Stretch],
    units: int,
    reading: Reading,
    where: str,
    place: Callable[[float], int] = int,
    gap_hint: GapHint | None = None,
) -> tuple[Segmentation, dict[str, str]]:
    """Return the boundaries of segments inside others, with their depths as levels.

    A segment that lies in no other has level 1, those inside it level 2, and so on; one that is
    the whole text has no boundary, and no level. Where boundaries of several levels meet, the
    coarsest counts. What no segment inside a segment covers follows the rule for gaps, as what no
    segment of the text covers does. Segments that cross each other raise FormatError.
    """
    if reading.overlap is not None:
        raise FormatError(
            f"{where}: --overlap divides segments that cross, and nested ones (--levels nested) do "
            "not: remove one of the two options"
        )
    used = {"levels": NESTED}
    cuts: dict[int, int] = {}  # the level of each
    opened = [_Open(0, 0, units)]

    def set_cut(cut: int, level: int) -> None:
        if 0 < cut < units:
            cuts[cut] = min(level, cuts.get(cut, level))

    def leave_gap(own: _Open, end: int, here: str, at_end: bool = False) -> None:
        found: set[int] = set()
        level = own.level + 1
        _gap(own.covered, end, found, used, reading, here, at_end, gap_hint, level, own.first)
        for cut in found:
            set_cut(cut, level)

    def close() -> None:
        own = opened.pop()
        alone = own.covered == own.first and own.one is not None  # with no segment inside it
        if own.covered < own.stop and not alone:
            leave_gap(own, own.stop, own.one.where if own.one else where, at_end=True)

    placed = [(*_placed(one, units, place, reading), one) for one in stretches]
    for first, stop, one in sorted(placed, key=lambda own: (own[0], -own[1])):
        if stop == first:
            continue  # no word lies in it
        while first >= opened[-1].stop:
            close()
        outer = opened[-1]
        _check_nested(one, first, stop, outer)
        if outer.level == 0 and outer.one is None and stop - first == units:
            outer.one = one
            continue
        if first > outer.covered:
            leave_gap(outer, first, one.where)
        else:
            set_cut(first, outer.level + 1)
        outer.covered = stop
        opened.append(_Open(outer.level + 1, first, stop, one, first))
    while opened:
        close()
    return Segmentation.from_levels(cuts, units), used


def _check_nested(one: Stretch, first: int, stop: int, outer: _Open) -> None:
    """Raise FormatError for a segment that leaves the one it begins in, or is the same twice."""
    other = outer.one
    if other is None:
        return
    before = f" ({other.where})" if other.where != one.where else ""
    if stop > outer.stop:
        raise FormatError(
            f"{one.where}: the segment from {one.start:g} to {one.end:g} crosses the one from "
            f"{other.start:g} to {other.end:g}{before}: nested segments (--levels nested) lie "
            "inside each other or apart. Correct one of the two, or read segments that overlap "
            "without levels: --overlap start instead of --levels nested"
        )
    if (first, stop, one.label) == (outer.first, outer.stop, other.label):
        raise FormatError(
            f"{one.where}: the segment from {one.start:g} to {one.end:g} is given twice{before}; "
            "of two that are the same, --levels nested needs different labels: remove one of them"
        )


def segment_text(
    stretches: Sequence[Stretch],
    text: str,
    reading: Reading,
    where: str,
    overlap: str | None = None,
    data: Mapping[str, Any] | None = None,
) -> tuple[Segmentation, dict[str, str], list[str]]:
    """The cuts that stretches of characters make in a text, the rules needed, and the units.

    Units are those of ``text_scale``. ``--snap`` ignores white space around a boundary.
    """
    scale = text_scale(stretches, text, reading, where, data=data)
    seg, used = segment(
        stretches, len(scale.units), reading, where, scale.place, overlap, scale.gap_hint
    )
    return seg, {**used, "snap": "space"} if reading.snap else used, scale.units


class TextScale(NamedTuple):
    """The units of a text, how many of them are before a character, and a hint about gaps."""

    units: list[str]
    place: Callable[[float], int]
    gap_hint: GapHint | None = None


# What units of a text are called, by the value of --units.
TEXT_UNITS = {"chars": "character", "words": "word", "lines": "line", "sentences": "sentence"}


def text_unit(units: str | None) -> str:
    """Return what the units of a text are called; ``unit`` where they have no name."""
    return TEXT_UNITS.get((units or "").partition(":")[0], "unit")


def text_scale(
    stretches: Sequence[Stretch],
    text: str,
    reading: Reading,
    where: str,
    words: Sequence[tuple[int, int]] | None = None,
    data: Mapping[str, Any] | None = None,
) -> TextScale:
    """Return the units that stretches of characters are counted in; they must be in the text.

    These are characters, or with ``--units words`` words, which begin and end where ``words``
    says, or at white space; or lines; or the sentences that a field of ``data`` lists.
    """
    for one in stretches:
        if one.end > len(text):
            raise FormatError(
                f"{one.where}: the segment ends at {one.end:g}, the text has {len(text)} characters"
            )
    kind, _, field = (reading.units or "chars").partition(":")
    if kind not in TEXT_UNITS or bool(field) != (kind == "sentences"):
        raise FormatError(
            f"{where}: a text has --units chars, words, lines or sentences:FIELD, found "
            f"{reading.units!r}"
        )
    if kind != "chars" and reading.snap:
        raise FormatError(
            f"{where}: --snap ignores white space, which --units {reading.units} does not count; "
            "remove one of the two"
        )
    if kind == "words":
        spans = words_of(text) if words is None else words
        return TextScale([text[begin:end] for begin, end in spans], between_words(spans))
    if kind != "chars":
        spans = lines_of(text) if kind == "lines" else find_sentences(text, data, field, where)
        units = [text[begin:end] for begin, end in spans]
        return TextScale(units, partial(_between_sentences, spans=spans, where=where))
    if reading.snap:
        return TextScale(list(text), partial(snapped, text=text))
    return TextScale(list(text), int, partial(_hint_about_space, text=text))


def lines_of(text: str) -> list[tuple[int, int]]:
    """Return where lines with something on them start and end, without white space around them."""
    return [match.span() for match in re.finditer(r"\S(?:[^\r\n]*\S)?", text)]


def find_sentences(
    text: str, data: Mapping[str, Any] | None, field: str, where: str
) -> list[tuple[int, int]]:
    """Return where the sentences that a field lists are in the text; they must be all of it."""
    given = (data or {}).get(field)
    if not isinstance(given, list) or not all(
        isinstance(one, str) and one.strip() for one in given
    ):
        raise FormatError(f'{where}: no field "{field}" with the list of the sentences of the text')
    spans, end = [], 0
    for number, sentence in enumerate(map(str.strip, given), start=1):
        start = text.find(sentence, end)
        if start < 0 or text[end:start].strip():
            raise FormatError(
                f'{where}: sentence {number} of "{field}" is {sentence!r:.50}, but the text goes '
                f"on with {text[end:].strip()!r:.50}"
            )
        end = start + len(sentence)
        spans.append((start, end))
    if text[end:].strip():
        raise FormatError(f'{where}: no sentence of "{field}" has {text[end:].strip()!r:.50}')
    return spans


def _between_sentences(place: float, spans: Sequence[tuple[int, int]], where: str) -> int:
    """Return the number of sentences before a character, which must not be inside one."""
    before = bisect_right(spans, place, key=lambda span: span[1])
    if before < len(spans) and spans[before][0] < place:
        raise FormatError(
            f"{where}: a segment starts or ends at character {place:g}, inside unit {before + 1}; "
            "--units words or chars can have boundaries there"
        )
    return before


# Labels as boundary types: the label of a segment is the type of the boundary at its end.
Types = dict[int, Stretch]  # the stretch or point whose label counts, by position


def check_levels(reading: Reading, *, nested: bool = False) -> bool:
    """Return whether labels are asked for as boundary types; they have no other levels."""
    if reading.levels not in (None, "kinds", *([NESTED] if nested else [])):
        raise FormatError(
            f"{reading.name}: labels have no levels: --levels kinds makes them boundary types, "
            f"found --levels {reading.levels}"
        )
    return bool(reading.levels == "kinds")


def types_of_segments(
    seg: Segmentation, stretches: Sequence[Stretch], reading: Reading, place: Callable[[float], int]
) -> Types:
    """Return the segment that ends at each boundary, the end of the text included."""
    filled = [one for one in stretches if place(one.start) < place(one.end)]
    filled.sort(key=lambda one: (one.start, one.end))
    starts = [place(one.start) for one in filled]
    ends = {place(one.end): one for one in filled}
    types: Types = {}
    for cut in (*seg.cuts.tolist(), seg.units):
        before = bisect_left(starts, cut) - 1
        in_gap = before < 0 or (reading.gaps == "segment" and place(filled[before].end) < cut)
        if cut in ends:
            types[cut] = ends[cut]
        elif not in_gap:  # a segment that the next one cuts short, or that a gap belongs to
            types[cut] = filled[before]
        elif cut < seg.units:
            raise FormatError(
                f"{reading.name}: a segment of --gaps segment ends after unit {cut}, and has no "
                "label for --levels kinds; --gaps join makes it part of the segment before"
            )
    return types


def add_types(found: Mapping[Any, tuple[Segmentation, Types]]) -> dict[Any, Segmentation]:
    """Return segmentations whose boundaries have the labels as types.

    The order of the names does not depend on the order of the file: numbers by their value, other
    names by the alphabet.
    """
    for _, types in found.values():
        for one in types.values():
            if not one.label.strip():
                raise FormatError(f"{one.where}: no label, which --levels kinds needs")
    names = {one.label.strip() for _, types in found.values() for one in types.values()}
    numbered = all(re.fullmatch(r"\d{1,9}", name) for name in names)
    order = sorted(names, key=lambda name: (int(name) if numbered else 0, name))
    number = {name: i for i, name in enumerate(order, start=1)}
    return {
        key: Segmentation(
            seg.units,
            sorted(types),
            [number[types[cut].label.strip()] for cut in sorted(types)],
            order,
        )
        for key, (seg, types) in found.items()
    }


def _hint_about_space(start: int, end: int, text: str) -> str | None:
    """Return the way out of a gap of white space, which nobody means as a segment."""
    if not text[start:end].isspace():
        return None
    return "this is white space: --snap ignores it around boundaries, --units words counts words"


def _placed(
    one: Stretch, units: int, place: Callable[[float], int], reading: Reading
) -> tuple[int, int]:
    """The units from which and up to which a stretch goes; it must lie inside the text."""
    first, stop = place(one.start), place(one.end)
    if first < 0 or stop > units or one.end < one.start:
        raise FormatError(
            f"{one.where}: a segment from {one.start:g} to {one.end:g} does not lie inside the "
            f"text, which has {units} units"
        )
    step = grid(reading)
    if stop == first and step is not None and one.end > one.start:
        raise FormatError(
            f"{one.where}: the segment from {one.start:g} to {one.end:g} is shorter than half a "
            f"unit of --units seconds:{step:g}; take smaller ones"
        )
    return first, stop


def _overlap(
    one: Stretch, last: Stretch, same: bool, reading: Reading, otherwise: str | None
) -> str:
    """The rule for a stretch that covers the one before it, if both do not start together."""
    before = f" ({last.where})" if last.where != one.where else ""
    if same:
        raise FormatError(
            f"{one.where}: two segments start at {one.start:g}{before}; each start is one "
            f"segment's. {NESTED_HINT}"
        )
    rule = reading.overlap or otherwise
    if rule is None:
        raise FormatError(
            f"{one.where}: the segment that starts at {one.start:g} overlaps the one before"
            f"{before}, which ends at {last.end:g}: --overlap start (where the later one "
            "starts) or --overlap end (where the earlier one ends)"
        )
    return rule


def _gap(
    start: int,
    end: int,
    cuts: set[int],
    used: dict[str, str],
    reading: Reading,
    where: str,
    at_end: bool = False,
    hint: GapHint | None = None,
    level: int = 0,
    first: int = 0,
) -> None:
    """Apply the rule for gaps to one inside what begins at ``first``; ``level`` is for errors."""
    if reading.gaps is None:
        place = "after the last segment" if at_end else "before this segment"
        rules = "--gaps segment (a segment of its own) or --gaps join (part of the segment before)"
        better = hint(start, end) if hint is not None else None
        raise FormatError(
            f"{where}: {plural(end - start, 'unit')} {place} {'is' if end - start == 1 else 'are'} "
            f"in no segment{f' of level {level}' if level else ''}: {better or rules}"
        )
    used["gaps"] = reading.gaps
    if reading.gaps == "segment":
        cuts.update((start, end))
    elif start > first and not at_end:
        cuts.add(end)


def grid(reading: Reading) -> float | None:
    """The step of ``--units seconds:0.1``."""
    found = re.fullmatch(r"seconds:(.+)", reading.units or "")
    return float(found[1]) if found else None


class Scale(NamedTuple):
    """What the units of a recording are, and how many of them are before a time."""

    units: int
    place: Callable[[float], int]
    first: float = 0.0  # the time at which the recording begins
    last: float = math.inf
    step: float | None = None  # of a grid


def grid_scale(step: float, first: float, last: float, where: str) -> Scale:
    """Units of ``step`` seconds; a time belongs to the nearest line of the grid, halves go up.

    Times beyond any text stay beyond it, also where dividing by the step would give infinity.
    """
    far = 2.0**53

    def place(time: float) -> int:
        return math.floor(min(max((time - first) / step + 0.5 + 1e-9, -far), far))

    units = place(last)
    if units < 1:
        raise FormatError(
            f"{where}: {last - first:g} seconds are less than one unit of --units seconds:{step:g}"
        )
    if units > MAX_UNITS:
        raise FormatError(f"{where}: {last - first:g} seconds have too many units of {step:g}")
    return Scale(units, place, first, last, step)


def word_scale(words: Sequence[tuple[float, float]]) -> Scale:
    """Words as units, from when to when each was said."""
    return Scale(len(words), between_words(words))


def cut_at(points: Sequence[Stretch], scale: Scale, reading: Reading) -> Segmentation:
    """The cuts at points of time; the ends of the recording are no boundaries."""
    places = types_of_points(points, scale, reading)
    return Segmentation(scale.units, sorted(place for place in places if place < scale.units))


def types_of_points(points: Sequence[Stretch], scale: Scale, reading: Reading) -> Types:
    """Return the point of each position, the end of the recording included, but not its start."""
    cuts: Types = {}
    at_end: Types = {}
    for point in points:
        time, position = point.start, scale.place(point.start)
        if position > scale.units:
            raise FormatError(f"{point.where}: the time {time:g} lies outside the recording")
        if not 0 < position < scale.units:
            inside = scale.first + SLACK < time < scale.last - SLACK
            if inside and scale.step is not None:  # a coarse grid would move it to an end
                raise FormatError(
                    f"{point.where}: the boundary at {time:g} is less than half a unit of --units "
                    f"seconds:{scale.step:g} from {'the start' if position <= 0 else 'the end'} of "
                    "the recording; take smaller ones"
                )
            if position == scale.units:
                at_end = {position: point}
            continue
        if position in cuts:
            raise FormatError(
                f"{point.where}: the boundaries at {cuts[position].start:g} and {time:g} are the "
                f"same position in units of --units {reading.units}"
            )
        cuts[position] = point
    return {**cuts, **at_end}


def between_words(words: Sequence[tuple[float, float]]) -> Callable[[float], int]:
    """A time as the number of words whose middle lies before it."""
    middles = [(start + end) / 2 for start, end in words]
    return lambda time: bisect_left(middles, time)


def said_units(reading: Reading) -> dict[str, str]:
    """What was counted, for the signature: a grid, or the words of which tier."""
    step = grid(reading)
    if step is not None:
        return {"units": f"{step:g}s"}
    return {"units": reading.units} if reading.units else {}


def snapped(place: float, text: str) -> int:
    """A cut inside or beside white space lies behind it, so that both sides of it are the same."""
    place = int(place)
    if not text[:place].strip():
        return 0
    if place < len(text) and (text[place].isspace() or text[place - 1].isspace()):
        while place < len(text) and text[place].isspace():
            place += 1
        if place == len(text):
            return place
    return place


def words_of(text: str) -> list[tuple[int, int]]:
    """Where the words of a text start and end."""
    return [match.span() for match in re.finditer(r"\S+", text)]
