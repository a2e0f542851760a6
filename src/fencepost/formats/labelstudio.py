"""Label Studio's JSON export: tasks with annotations by several people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading
from fencepost.formats.intervals import (
    Stretch,
    between_words,
    grid,
    grid_size,
    on_grid,
    said_units,
    segment,
    snapped,
    words_of,
)
from fencepost.formats.records import load_json
from fencepost.formats.values import kind_of
from fencepost.segmentation import Segmentation


def read_labelstudio(text: str, reading: Reading) -> Corpus:
    """Regions are segments: stretches of characters, of paragraphs, or of seconds of a recording.

    A task is a text, the person who completed an annotation a coder. Annotations that were
    cancelled are missing, predictions are no coder's. Characters are units unless ``--units words``
    counts words, paragraphs where regions are of paragraphs; recordings need ``--units
    seconds:0.1``. ``--gaps`` says what unlabelled stretches are; ``--snap`` ignores white space
    around a cut.
    """
    tasks = load_json(text, reading)
    if isinstance(tasks, dict):
        tasks = [tasks]
    if not isinstance(tasks, list) or not tasks:
        raise FormatError(f"{reading.name}: expected a list of tasks, found {kind_of(tasks)}")
    entries: dict[Key, Segmentation] = {}
    sources: dict[Key, str] = {}
    tokens: dict[tuple[str, str], list[str]] = {}
    used: dict[str, str] = {}
    names: set[str] = set()
    for number, task in enumerate(tasks, start=1):
        name, content = _task(task, number, reading)
        if name in names:
            raise FormatError(f"{reading.name}, task {number}: the task {name} is given twice")
        names.add(name)
        for annotation in _annotations(task, f"{reading.name}, task {name}"):
            coder = _coder(annotation, f"{reading.name}, task {name}")
            key = Key(name, "", coder)
            where = f"{reading.name}, task {name}, annotation {annotation.get('id')} by {coder}"
            if key in entries:
                raise FormatError(
                    f"{where}: this person annotated the task before; keep one of the two"
                )
            entries[key], rules, words = _annotation(annotation, content, reading, where)
            sources[key] = where
            used |= rules
            if words is not None:
                tokens[name, ""] = words
    if not entries:
        raise FormatError(f"{reading.name}: no task has an annotation that was not cancelled")
    return Corpus(
        entries, tokens=tokens, sources=sources, reading=used, name=reading.stem, unit=_unit(used)
    )


def _unit(used: Mapping[str, str]) -> str:
    return {"chars": "character", "words": "word", "paragraphs": "paragraph"}.get(
        used.get("units", ""), "unit"
    )


def _task(task: Any, number: int, reading: Reading) -> tuple[str, Any]:
    """The name of a task, and its text or its paragraphs."""
    where = f"{reading.name}, task {number}"
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise FormatError(
            f'{where}: a task has "data" and "annotations", found {kind_of(task)}; export from '
            "Label Studio as JSON (not JSON-MIN)"
        )
    data = task["data"]
    name = data.get(reading.id_field, task.get("id"))
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip():
        raise FormatError(f"{where}: no id, found {kind_of(name)}")
    fields = [reading.units_field] if reading.units_field != "units" else ["text", "dialogue"]
    content = next((data[f] for f in fields if isinstance(data.get(f), (str, list))), None)
    if content is None:
        content = next((v for v in data.values() if isinstance(v, list)), None)
    return str(name), content


def _annotations(task: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    found = task.get("annotations", task.get("completions"))
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise FormatError(
            f'{where}: "annotations" must be a list of objects, found {kind_of(found)}'
        )
    return [one for one in found if not one.get("was_cancelled")]


def _coder(annotation: Mapping[str, Any], where: str) -> str:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    if isinstance(who, bool) or not isinstance(who, (str, int)) or not str(who).strip():
        raise FormatError(
            f'{where}, annotation {annotation.get("id")}: "completed_by" must say who made it, '
            f"found {kind_of(who)}"
        )
    return str(who)


def _annotation(
    annotation: Mapping[str, Any], content: Any, reading: Reading, where: str
) -> tuple[Segmentation, dict[str, str], list[str] | None]:
    result = annotation.get("result")
    if not isinstance(result, list):
        raise FormatError(f'{where}: "result" must be a list, found {kind_of(result)}')
    found = [one for one in result if isinstance(one, dict) and _is_region(one)]
    regions = list({_place(one): one for one in found}.values())
    length = max((one.get("original_length") or 0 for one in regions), default=0)
    if isinstance(content, list):
        stretches = [_region(one, where, paragraphs=True) for one in regions]
        words = [_said(paragraph) for paragraph in content]
        seg, used = segment(stretches, len(content), reading, where)
        return seg, {**used, "units": "paragraphs"}, words
    stretches = [_region(one, where) for one in regions]
    step = grid(reading)
    if step is not None:
        if not length:
            raise FormatError(f'{where}: "original_length" does not say how long the recording is')
        units = grid_size(step, 0.0, length, where)
        seg, used = segment(stretches, units, reading, where, on_grid(step))
        return seg, {**used, **said_units(reading)}, None
    if not isinstance(content, str):
        raise FormatError(
            f"{where}: the task has no text; a recording needs --units seconds:0.1, a text in "
            "another field --units-field NAME"
        )
    return _of_text(stretches, content, reading, where)


def _of_text(
    stretches: list[Stretch], content: str, reading: Reading, where: str
) -> tuple[Segmentation, dict[str, str], list[str] | None]:
    for one in stretches:
        if one.end > len(content):
            raise FormatError(
                f"{one.where}: the region ends at {one.end:g}, the text has {len(content)} "
                "characters"
            )
    if reading.units == "words":
        words = words_of(content)
        place = between_words(words)
        seg, used = segment(stretches, len(words), reading, where, place)
        return seg, {**used, "units": "words"}, [content[a:b] for a, b in words]
    if reading.units not in (None, "chars"):
        raise FormatError(f"{where}: a text has --units chars or words, found {reading.units!r}")
    used = {"units": "chars"}
    put = int
    if reading.snap:
        used["snap"] = "space"
        seg, rules = segment(
            stretches, len(content), reading, where, lambda p: snapped(int(p), content)
        )
    else:
        seg, rules = segment(stretches, len(content), reading, where, put)
    return seg, {**used, **rules}, list(content)


def _place(one: Mapping[str, Any]) -> str:
    """Choices about a region repeat its id and its place."""
    value = one["value"]
    return json.dumps([one.get("id", id(one)), value["start"], value["end"]])


def _is_region(one: Mapping[str, Any]) -> bool:
    value = one.get("value")
    return isinstance(value, dict) and "start" in value and "end" in value


def _region(one: Mapping[str, Any], where: str, paragraphs: bool = False) -> Stretch:
    value = one["value"]
    where = f"{where}, region {one.get('id')}"
    offsets = value.get("globalOffsets")
    if isinstance(offsets, dict) and not paragraphs:
        value = offsets
    ends = []
    for name in ("start", "end"):
        given = value.get(name)
        if paragraphs and isinstance(given, str) and given.isdigit():
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, (int, float)) or given < 0:
            raise FormatError(f'{where}: "{name}" must be a number from 0, found {kind_of(given)}')
        ends.append(given)
    start, end = ends
    if end < start:
        raise FormatError(f"{where}: it ends at {end:g}, before it starts at {start:g}")
    return Stretch(start, end + paragraphs, where)  # paragraphs are counted from first to last


def _said(paragraph: Any) -> str:
    if isinstance(paragraph, dict):
        paragraph = paragraph.get("text", paragraph)
    return paragraph if isinstance(paragraph, str) else json.dumps(paragraph, ensure_ascii=False)


LABELSTUDIO = Format(
    "labelstudio",
    (),
    "Label Studio's JSON export: a task is a text, who completed an annotation a coder",
    '[{"id": 7, "data": {"text": "It rained. We left."}, "annotations": [\n'
    '  {"id": 1, "completed_by": 3, "result": [\n'
    '    {"id": "a", "value": {"start": 0, "end": 11, "labels": ["S"]}},\n'
    '    {"id": "b", "value": {"start": 11, "end": 19, "labels": ["S"]}}]}]}]',
    read_labelstudio,
    lambda text: (
        text.lstrip().startswith("[") and '"data"' in text and '"annotations"' in text[:1_000_000]
    ),
    sure=True,
)
