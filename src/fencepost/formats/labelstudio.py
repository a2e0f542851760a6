"""Label Studio's JSON export: tasks with annotations by several people."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any, NamedTuple

from fencepost.formats.built import built
from fencepost.formats.catalogue import endings_of
from fencepost.formats.columns import declared
from fencepost.formats.intervals import (
    GapHint,
    Stretch,
    Types,
    add_types,
    check_levels,
    grid,
    grid_scale,
    said_units,
    segment,
    text_scale,
    text_unit,
    types_of_segments,
    words_of,
)
from fencepost.formats.line_numbers import LineNumbers
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.records import from_json
from fencepost.formats.registry import Format
from fencepost.formats.values import as_whole, expect, is_name, kind_of, quoted
from fencepost.model.checks import is_number, is_whole
from fencepost.model.corpus import ONLY, Corpus, CorpusBuilder, Key
from fencepost.model.segmentation import Segmentation

# Results that say something about the whole task, or about two regions: they are no stretches.
OF_THE_TASK = {
    "choices", "datetime", "number", "pairwise", "ranker", "rating", "relation", "taxonomy",
    "textarea",
}  # fmt: skip
MARKS_HINT = "--flags last (a boundary after each region) or --flags first (before it)"
PREDICTIONS = "predictions"  # the field of a task, and the name by which it is asked for


class _Made(NamedTuple):
    """One annotation as a segmentation."""

    seg: Segmentation
    rules: dict[str, str]  # how it was read
    words: list[str] | None
    types: Types  # where labels are boundary types


class _Counted(NamedTuple):
    """What regions are counted in: characters, words, paragraphs or a grid of time."""

    stretches: list[Stretch]
    units: int
    place: Callable[[float], int]
    words: list[str] | None
    rules: dict[str, str]
    gap_hint: GapHint | None = None


@dataclass(frozen=True)
class _Task:
    """What is known of a task before its annotations are read."""

    name: str
    data: Mapping[str, Any]
    content: str | Sequence[Any] | None  # a text, or paragraphs
    length: float  # of a recording, in seconds; 0 where none is given


def read_labelstudio(text: str, reading: Reading) -> Corpus:
    """Regions are segments: stretches of characters, of paragraphs, or of seconds of a recording.

    A task is a text, the person who completed an annotation a coder. Annotations that were
    cancelled are missing. Predictions are no coder's: ``--columns hyp=predictions`` reads them as a
    system, or the name of a ``model_version``; a file that has nothing else is read so. Characters
    are units unless ``--units words`` counts words, ``--units lines`` lines, or ``--units
    sentences:FIELD`` the sentences that a field of the task lists; paragraphs where regions are of
    paragraphs; where such a region ends inside a paragraph, ``--units chars`` (or words) counts
    inside them. Recordings need ``--units seconds:0.1``. ``--gaps`` says what unlabelled stretches
    are, also where a person labelled nothing at all; ``--snap`` ignores white space around a
    boundary. Regions that mark boundaries, and not segments, need ``--flags last`` (a boundary
    after each region) or ``--flags first`` (before it). ``--levels kinds`` makes the label of a
    region the type of its boundary: the boundary at its end, where regions are segments. ``--levels
    nested`` reads regions inside regions: their depth is the level of their boundaries. Of HTML the
    text without tags counts. Where regions of a text (not of paragraphs) bring their own, it is
    compared; offsets that only fit it if signs such as emoji count as two (UTF-16) are read so.
    Tasks that nobody annotated are missing, which the signature says. JSON-MIN does not say which
    annotations were cancelled, and is refused.
    """
    return from_json(text, reading, _corpus)


def _corpus(data: Any, reading: Reading, lines: LineNumbers) -> Corpus:
    alone = isinstance(data, dict)
    tasks = [data] if alone else data
    filled = isinstance(tasks, list) and tasks != []
    expect(filled, lines.at(), "expected a list of tasks", tasks)
    made: dict[Key, _Made] = {}
    wheres: dict[Key, str] = {}
    used: dict[str, str] = {}
    unannotated: dict[str, str] = {}
    names: set[str] = set()
    typed = check_levels(reading, nested=True)
    field = _field(tasks, reading)
    for number, given in enumerate(tasks, start=1):
        path = () if alone else (number - 1,)
        where = lines.at(*path, said=f"task {number}")
        task = _task(given, where, reading)
        if task.name in names:
            raise FormatError(f"{where}: the task {task.name} is given twice")
        names.add(task.name)
        kept = _annotations(given, field, lines, path, task.name)
        if not kept:
            unannotated = {"unannotated": "missing"}
        task = _rendered(task, [one for _, one in kept], where)
        for which, annotation in kept:
            at = (*path, *which)
            coder = _coder(annotation, field, lines.at(*at, said=f"task {task.name}"))
            if field == PREDICTIONS and reading.field not in (None, PREDICTIONS, coder):
                continue
            said = f"task {task.name}, annotation {annotation.get('id')} by {coder}"
            where = lines.at(*at, said=said)
            key = Key(task.name, "", coder)
            if key in made:
                raise FormatError(
                    f"{where}: this person annotated the task before; keep one of the two"
                )
            regions = _regions(annotation, lines, at, said)
            made[key] = _annotation(regions, task, reading, where)
            wheres[key] = where
            used |= made[key].rules
    if not made:
        raise FormatError(f"{lines.at()}: no task has an annotation that was not cancelled")
    segs = {key: one.seg for key, one in made.items()}
    if typed:
        segs = add_types({key: (one.seg, one.types) for key, one in made.items()})
        used["levels"] = "kinds"
    builder = CorpusBuilder()
    for key, one in made.items():
        builder.add(_nameless(key, made, field), segs[key], one.words, wheres[key])
    choices = {**used, **unannotated}
    source = {"field": reading.field or PREDICTIONS} if field == PREDICTIONS else {}
    return built(builder, reading, choices=choices, unit=_unit(used), **source)


def _field(tasks: Sequence[Any], reading: Reading) -> str:
    """Return the field of tasks that is read: annotations, or predictions where they are meant."""
    objects = [task for task in tasks if isinstance(task, dict)]
    if not any(one.get(PREDICTIONS) for one in objects):
        return "annotations"
    lists = [own for own in (one.get(PREDICTIONS) for one in objects) if isinstance(own, list)]
    predictions = [one for own in lists for one in own if isinstance(one, dict)]
    models = {str(one.get("model_version")) for one in predictions}
    asked = reading.field == PREDICTIONS or reading.field in models
    alone = not any("annotations" in one or "completions" in one for one in objects)
    return PREDICTIONS if asked or alone else "annotations"


def _nameless(key: Key, made: Collection[Key], field: str) -> Key:
    """Return the key with no coder where it is the only model that predicted."""
    alone = field == PREDICTIONS and len({one.coder for one in made}) == 1
    return key._replace(coder=ONLY) if alone else key


def _unit(used: Mapping[str, str]) -> str:
    units = used.get("units", "")
    return "paragraph" if units == "paragraphs" else text_unit(units)


def _task(task: Any, where: str, reading: Reading) -> _Task:
    """The name of a task, and its text or its paragraphs."""
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        least = isinstance(task, dict) and {"annotation_id", "annotator"} <= set(task)
        raise FormatError(
            f"{where}: this is Label Studio's JSON-MIN, which does not say which annotations were "
            "cancelled: export as JSON instead"
            if least
            else f'{where}: a task has "data" and "annotations", found {kind_of(task)}; export '
            "from Label Studio as JSON"
        )
    data = task["data"]
    for role in ("text", "units"):
        declared(role, data, reading)
    name = data.get(reading.id_field, task.get("id"))
    expect(is_name(name), where, "no id", name)
    fields = [reading.units_field] if reading.units_field != "units" else ["text", "dialogue"]
    content = next((data[f] for f in fields if isinstance(data.get(f), (str, list))), None)
    if content is None and reading.units_field == "units":
        content = next((v for v in data.values() if _are_paragraphs(v)), None)
    if content is not None and (not content or not str(content).strip()):
        raise FormatError(f"{where}: the text of the task is empty")
    return _Task(str(name), data, content, _length(task, where))


def _are_paragraphs(given: Any) -> bool:
    return (
        isinstance(given, list)
        and bool(given)
        and all(isinstance(one, dict) and isinstance(one.get("text"), str) for one in given)
    )


class _Text(HTMLParser):
    """The text of a page, in whose characters Label Studio counts."""

    def __init__(self, line_break: str) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._break = line_break

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "br":
            self.parts.append(self._break)


def _without_tags(page: str, line_break: str) -> str:
    parser = _Text(line_break)
    parser.feed(page)
    parser.close()
    return "".join(parser.parts)


def _rendered(task: _Task, annotations: Sequence[Mapping[str, Any]], where: str) -> _Task:
    """A task whose regions are of HTML with the text that is seen; any other as it is.

    Whether a <br> counts differs between versions; the texts of the regions show it.
    """
    values = [
        one["value"]
        for annotation in annotations
        for one in _results(annotation)
        if isinstance(one, dict) and _is_of_a_page(one)
    ]
    if not values or not isinstance(task.content, str):
        return task
    with_breaks, without = (_without_tags(task.content, br) for br in ("\n", ""))
    if with_breaks == without:
        return replace(task, content=without)
    texts = [value for value in values if _text_of(value) is not None]
    for page in (with_breaks, without):
        if texts and all(_fits(value, page) for value in texts):
            return replace(task, content=page)
    raise FormatError(
        f"{where}: the text has <br>, and the regions do not show whether it counts as a "
        "character: "
        + ("their texts fit neither" if texts else 'they have no "text" to compare')
        + "; take it out of the text, or label the text without tags"
    )


def _is_of_a_page(one: Mapping[str, Any]) -> bool:
    value = one.get("value")
    if not isinstance(value, dict) or not isinstance(value.get("globalOffsets"), dict):
        return False
    return one.get("type") == "hypertextlabels" or isinstance(value.get("start"), str)


def _fits(value: Mapping[str, Any], page: str) -> bool:
    start, end = (value["globalOffsets"].get(name) for name in ("start", "end"))
    return is_whole(start) and is_whole(end) and start >= 0 and _agrees(value, start, end, page)


def _agrees(value: Mapping[str, Any], start: int, end: int, content: str) -> bool:
    """Whether a region brings along the text that is there, white space aside, or none."""
    own = _text_of(value)
    return own is None or (end <= len(content) and _seen(own) == _seen(content[start:end]))


def _text_of(value: Mapping[str, Any]) -> str | None:
    """The text that a region brings along; Label Studio can be told to leave it empty."""
    text = value.get("text")
    return text if isinstance(text, str) and text.strip() else None


def _seen(text: str) -> str:
    """What can be seen of a text; Label Studio writes the ends of lines as \\n inside regions."""
    return "".join(re.sub(r"\\[nr]", "", text).split())


def _results(annotation: Any) -> list[Any]:
    found = annotation.get("result") if isinstance(annotation, dict) else None
    return found if isinstance(found, list) else []


def _length(task: Mapping[str, Any], where: str) -> float:
    """How long the recording is, which any region of any annotation says."""
    annotations = task.get("annotations", task.get("completions"))
    longest = 0.0
    for annotation in annotations if isinstance(annotations, list) else []:
        for one in _results(annotation):
            given = one.get("original_length") if isinstance(one, dict) else None
            if given is not None:
                seconds = is_number(given) and given > 0
                expect(seconds, where, '"original_length" must be seconds', given)
                longest = max(longest, given)
    return longest


def _annotations(
    task: Mapping[str, Any], wanted: str, lines: LineNumbers, path: tuple[int, ...], name: str
) -> list[tuple[tuple[str, int], dict[str, Any]]]:
    """The annotations that were not cancelled, and where they stand in the task."""
    field = "completions" if wanted not in task and "completions" in task else wanted
    found: Any = task.get(field, [] if field == PREDICTIONS else None)
    said = f"task {name}"
    objects = isinstance(found, list) and all(isinstance(one, dict) for one in found)
    where = lines.at(*path, field, said=said)
    expect(objects, where, f'"{wanted}" must be a list of objects', found)
    kept = []
    for number, one in enumerate(found):
        flag = "skipped" if "skipped" in one else "was_cancelled"  # as versions before 1.0 say
        cancelled = one.get(flag, False)
        where = lines.at(*path, field, number, said=f"{said}, annotation {one.get('id')}")
        expect(isinstance(cancelled, bool), where, f'"{flag}" must be true or false', cancelled)
        if not cancelled:
            kept.append(((field, number), one))
    return kept


def _coder(annotation: Mapping[str, Any], field: str, where: str) -> str:
    if field == PREDICTIONS:
        return str(annotation.get("model_version") or PREDICTIONS)
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    where = f"{where}, annotation {annotation.get('id')}"
    expect(is_name(who), where, '"completed_by" must say who made it', who)
    return str(who)


@dataclass(frozen=True)
class _Region:
    """The ends of a region as the file has them."""

    value: Mapping[str, Any]
    where: str
    labels: tuple[str, ...] = ()


def _regions(
    annotation: Mapping[str, Any], lines: LineNumbers, path: tuple[str | int, ...], said: str
) -> list[_Region]:
    """The regions of an annotation, each once; choices about a region repeat its place."""
    result: Any = annotation.get("result")
    where = lines.at(*path, "result", said=said)
    expect(isinstance(result, list), where, '"result" must be a list', result)
    found: dict[str, _Region] = {}
    for number, one in enumerate(result):
        at = (*path, "result", number)
        where = lines.at(*at, said=said)
        expect(isinstance(one, dict), where, f"result {number + 1} must be an object", one)
        where = lines.at(*at, said=f"{said}, region {one.get('id')}")
        value = one.get("value")
        if one.get("type") == "relation" and value is None:
            continue
        expect(isinstance(value, dict), where, '"value" must be an object', value)
        if "start" not in value and "end" not in value and _is_of_the_task(one, value):
            continue
        missing = next((name for name in ("start", "end") if name not in value), None)
        if missing is not None:
            raise FormatError(
                f'{where}: a region of a text has "start" and "end", found no "{missing}" in '
                f"{kind_of(value)}"
            )
        ends = [value.get(n) for n in ("start", "startOffset", "end", "endOffset")]
        name = repr([one.get("id", number), *ends])
        before = found.get(name, _Region(value, where))
        found[name] = replace(before, labels=(*before.labels, *_labels(one, value)))
    return list(found.values())


def _labels(one: Mapping[str, Any], value: Mapping[str, Any]) -> list[str]:
    """Return the labels of a region, which are named as the type of the result is."""
    type = one.get("type")
    field = type if isinstance(type, str) and type.endswith("labels") else "labels"
    given = value.get(field)
    return [str(label) for label in given] if isinstance(given, list) else []


def _is_of_the_task(one: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    type = one.get("type")
    return type in OF_THE_TASK if isinstance(type, str) else bool(OF_THE_TASK & set(value))


def _annotation(regions: list[_Region], task: _Task, reading: Reading, where: str) -> _Made:
    if not regions and reading.gaps is None and reading.flags is None:
        raise FormatError(
            f"{where}: nothing is labelled: --gaps segment or --gaps join if that means one "
            "segment; an annotation that was not done is cancelled in Label Studio"
        )
    counted = _counted(regions, task, reading, where)
    if reading.flags is not None:
        return _of_marks(counted, reading)
    seg, used = segment(
        counted.stretches, counted.units, reading, where, counted.place, gap_hint=counted.gap_hint
    )
    types: Types = {}
    if reading.levels == "kinds":
        types = types_of_segments(seg, counted.stretches, reading, counted.place)
    # Signatures keep this order: characters are named before the rules for gaps.
    first = counted.rules.get("units") == "chars"
    rules = {**counted.rules, **used} if first else {**used, **counted.rules}
    return _Made(seg, rules, counted.words, types)


def _of_marks(counted: _Counted, reading: Reading) -> _Made:
    """Read regions that mark boundaries: one after the end of each, or before its start."""
    types: Types = {}
    for one in counted.stretches:
        position = counted.place(one.end if reading.flags == "last" else one.start)
        if position <= 0:
            continue
        if types.get(position, one).label != one.label:
            raise FormatError(
                f"{one.where}: two regions mark the boundary after unit {position}, "
                f"{types[position].label!r} and {one.label!r}"
            )
        types[position] = one
    cuts = sorted(position for position in types if position < counted.units)
    rules = {**counted.rules, "flags": str(reading.flags)}
    return _Made(Segmentation(counted.units, cuts), rules, counted.words, types)


def _counted(regions: list[_Region], task: _Task, reading: Reading, where: str) -> _Counted:
    """Return the regions as stretches, and the units that they are counted in."""
    if isinstance(task.content, list):
        return _of_paragraphs(regions, task, reading, where)
    step = grid(reading)
    if step is not None:
        if not task.length:
            raise FormatError(f'{where}: "original_length" does not say how long the recording is')
        scale = grid_scale(step, 0.0, task.length, where)
        stretches = [_stretch(one, *_ends(one), reading) for one in regions]
        return _Counted(stretches, scale.units, scale.place, None, said_units(reading))
    if not isinstance(task.content, str):
        raise FormatError(
            f"{where}: the task has no text in "
            + (f'"{reading.units_field}"' if reading.units_field != "units" else '"text"')
            + f"; its data has {quoted(task.data)}: a text in another field needs --columns units="
            "NAME, a recording --units seconds:0.1"
        )
    ends = [_ends(one, whole=True) for one in regions]
    places, offsets = _compared(regions, ends, task.content)
    stretches = [_stretch(one, *own, reading) for one, own in zip(regions, places, strict=True)]
    if reading.flags is None:
        _refuse_marks(stretches, task.content)
    counted = _of_text(stretches, task.content, words_of(task.content), reading, where, task.data)
    return counted._replace(rules={**counted.rules, **offsets})


def _refuse_marks(stretches: Sequence[Stretch], text: str) -> None:
    """Raise FormatError where no region has more than a character: segments are longer."""
    inside = [text[int(one.start) : int(one.end)] for one in stretches]
    covered = sum(map(len, inside)) >= len(text.strip())
    if stretches and not covered and all(len(part.strip()) <= 1 for part in inside):
        raise FormatError(
            f"{stretches[0].where}: no region of this annotation has more than one character, so "
            f"they mark boundaries and not segments: {MARKS_HINT}"
        )


def _compared(
    regions: Sequence[_Region], ends: Sequence[tuple[int, int]], content: str
) -> tuple[Sequence[tuple[int, int]], dict[str, str]]:
    """The places of regions in a text, checked against the texts that regions bring along.

    A browser counts in UTF-16, where an emoji is two; some versions write that down.
    """

    def wrong(places: Sequence[tuple[int, int]]) -> int | None:
        both = enumerate(zip(regions, places, strict=True))
        return next((n for n, (one, own) in both if not _agrees(one.value, *own, content)), None)

    odd = wrong(ends)
    if odd is None:
        return ends, {}
    units = _places_of_units(content)
    if all(0 <= place < len(units) for both in ends for place in both):
        shifted = [(units[start], units[end]) for start, end in ends]
        if wrong(shifted) is None:
            return shifted, {"offsets": "utf-16"}
    start, end = ends[odd]
    if end > len(content):
        return ends, {}  # which is refused for that
    raise FormatError(
        f"{regions[odd].where}: the region says that its text is "
        f"{regions[odd].value['text']!r:.50}, but characters {start} to {end} of the task are "
        f"{content[start:end]!r:.50}; was the text changed after it was labelled?"
    )


def _places_of_units(text: str) -> list[int]:
    """For every place in UTF-16 the place in characters, the end of the text included."""
    places = [n for n, char in enumerate(text) for _ in range(1 + (ord(char) > 0xFFFF))]
    return [*places, len(text)]


def _of_text(
    stretches: list[Stretch],
    content: str,
    words: list[tuple[int, int]],
    reading: Reading,
    where: str,
    data: Mapping[str, Any],
) -> _Counted:
    units, place, hint = text_scale(stretches, content, reading, where, words, data)
    rules = {"units": reading.units or "chars"}
    if reading.snap:
        rules["snap"] = "space"
    return _Counted(stretches, len(units), place, units, rules, hint)


def _of_paragraphs(regions: list[_Region], task: _Task, reading: Reading, where: str) -> _Counted:
    """Paragraphs are units where regions cover whole ones; or what is inside them is counted."""
    texts = [_said(paragraph, n, where) for n, paragraph in enumerate(task.content or ())]
    ends = [_paragraph_ends(one, texts) for one in regions]
    if reading.units is None:
        if reading.snap:
            raise FormatError(
                f"{where}: --snap does not apply to whole paragraphs; remove it, or count inside "
                "paragraphs with --units chars"
            )
        stretches = [
            _stretch(
                one, _border(start, texts, one.where), _border(end, texts, one.where, 1), reading
            )
            for one, (start, end) in zip(regions, ends, strict=True)
        ]
        return _Counted(stretches, len(texts), int, texts, {"units": "paragraphs"})
    before = [0, *accumulate(map(len, texts))]
    stretches = [
        _stretch(one, before[start[0]] + start[1], before[end[0]] + end[1], reading)
        for one, (start, end) in zip(regions, ends, strict=True)
    ]
    words = [
        (begin + a, begin + b)
        for begin, text in zip(before, texts, strict=False)
        for a, b in words_of(text)
    ]
    return _of_text(stretches, "".join(texts), words, reading, where, task.data)


Inside = tuple[int, int]  # the number of a paragraph, and of a character in it


def _paragraph_ends(region: _Region, texts: Sequence[str]) -> tuple[Inside, Inside]:
    """From which character of which paragraph to which; without offsets, whole paragraphs."""
    start, end = _ends(region, whole=True, digits=True)
    for name, given in (("start", start), ("end", end)):
        if given >= len(texts):
            raise FormatError(
                f'{region.where}: "{name}" is paragraph {given}, and there are {len(texts)}, '
                "counted from 0"
            )
    offsets = []
    for name, text, unsaid in (
        ("startOffset", texts[start], 0),
        ("endOffset", texts[end], len(texts[end])),
    ):
        given = region.value.get(name, unsaid)
        inside = is_whole(given) and 0 <= given <= len(text)
        must = f'"{name}" must be a position in the paragraph, from 0 to {len(text)}'
        expect(inside, region.where, must, given)
        offsets.append(given)
    return (start, offsets[0]), (end, offsets[1])


def _border(place: Inside, texts: Sequence[str], where: str, end: int = 0) -> int:
    """The number of paragraphs before an end of a region; white space around it is ignored.

    A paragraph of white space belongs to the region: it counts before its ``end`` only.
    """
    number, offset = place
    before, after = texts[number][:offset].strip(), texts[number][offset:].strip()
    if before and after:
        raise FormatError(
            f"{where}: the region {'ends' if end else 'begins'} inside paragraph {number} (at "
            f"character {offset} of {len(texts[number])}), so paragraphs cannot be counted: "
            "--units chars or --units words"
        )
    if not before and not after:
        return number + end
    return number + 1 if before else number


def _ends(region: _Region, whole: bool = False, digits: bool = False) -> tuple[Any, Any]:
    """Start and end, as numbers; paragraphs (``digits``) have theirs in quotation marks."""
    value = region.value
    offsets = value.get("globalOffsets")
    if isinstance(offsets, dict) and not digits:
        value = offsets
    ends = []
    for name in ("start", "end"):
        given: Any = value.get(name)
        if digits and isinstance(given, str) and re.fullmatch(r"[0-9]+", given):
            given = as_whole(given, region.where)
        fits = (is_whole(given) if whole else is_number(given)) and 0 <= given < 1e15
        kind = "whole number" if whole else "number"
        expect(fits, region.where, f'"{name}" must be a {kind} from 0', given)
        ends.append(given)
    return ends[0], ends[1]


def _stretch(region: _Region, start: float, end: float, reading: Reading) -> Stretch:
    """Return a region from ``start`` to ``end``; as a mark of a boundary it may be empty."""
    if end < start or (end == start and reading.flags is None):
        raise FormatError(
            f"{region.where}: the region starts at {start:g} and ends at {end:g}; it must hold "
            "something" + (f", unless it marks a boundary: {MARKS_HINT}" if end == start else "")
        )
    labels = tuple(dict.fromkeys(region.labels))
    if reading.levels == "kinds" and len(labels) > 1:
        raise FormatError(
            f"{region.where}: the labels {', '.join(labels)}, and a boundary has one type "
            "(--levels kinds)"
        )
    return Stretch(start, end, region.where, "".join(labels[:1]))


def _said(paragraph: Any, number: int, where: str) -> str:
    text = paragraph.get("text") if isinstance(paragraph, dict) else paragraph
    must = f'paragraph {number} must be a text or have a "text"'
    expect(isinstance(text, str), where, must, paragraph)
    return str(text)


def looks_like_labelstudio(text: str) -> bool:
    """A list of tasks with data and annotations or predictions, or of JSON-MIN's annotations."""
    start = text[:1_000_000]
    if not start.lstrip().startswith("["):
        return False
    tasks = '"data"' in text and ('"annotations"' in start or '"predictions"' in start)
    return tasks or ('"annotation_id"' in start and '"annotator"' in start)


LABELSTUDIO = Format(
    "labelstudio",
    endings_of("labelstudio"),
    "Label Studio's JSON export: a task is a text, who completed an annotation a coder",
    '[{"id": 7, "data": {"text": "It rained. We left."}, "annotations": [\n'
    '  {"id": 1, "completed_by": 3, "result": [\n'
    '    {"id": "a", "value": {"start": 0, "end": 11, "labels": ["S"]}},\n'
    '    {"id": "b", "value": {"start": 11, "end": 19, "labels": ["S"]}}]}]}]',
    read_labelstudio,
    looks_like_labelstudio,
    sure=True,
    takes=("units", "gaps", "overlap", "snap", "flags", "levels"),
    roles=("text", "units"),
)
