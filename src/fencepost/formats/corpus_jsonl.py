"""JSON lines that hold a whole corpus: coders, speakers, kinds, words and how it was read.

A segmentation is an object here, ``{"cuts": [3, 5], "kinds": [",", "."]}``, which no other form of
records has: nothing about it must be guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.formats.built import built, merged
from fencepost.formats.options import VALUES, FormatError, Reading
from fencepost.formats.values import expect, name_in, shown, words_in
from fencepost.formats.writing import check_filled
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import ONLY, Corpus, CorpusBuilder, Item, Key
from fencepost.model.segmentation import Segmentation

Record = tuple[str, Any]  # a JSON value, behind where it is
PARTS = ("cuts", "kinds", "kind_names", "units")


def from_cuts(records: Sequence[Record], field: str, reading: Reading) -> Corpus:
    """Records whose segmentations are objects; ``field`` names them."""
    builder = CorpusBuilder()
    tokens: dict[Item, list[str]] = {}
    readings: list[Mapping[str, str]] = []
    unit = "unit"
    for index, (where, record) in enumerate(records, start=1):
        value: Any = record.get(field) if isinstance(record, dict) else record
        whole = isinstance(value, dict) and isinstance(value.get("cuts"), list)
        expect(whole, where, f'"{field}" must be an object with "cuts", as others here are', value)
        number = str(index) if reading.id_field == "id" else None
        key = Key(
            name_in(record, reading.id_field, where, number),
            name_in(record, reading.columns.get("speaker", "speaker"), where, ""),
            name_in(record, reading.columns.get("coder", "coder"), where, ONLY),
        )
        if key in builder:
            raise FormatError(f"{where}: the text {key.text} by {key.coder} is given twice")
        words = _add_words(tokens, key, record.get(reading.units_field), where)
        builder.add(key, _segmentation(value, words, where), tokens.get(key[:2]), where)
        unit = name_in(record, "unit", where, unit)
        readings.append(_choices(record, where))
    shape = "one record per segmentation: positions of boundaries (cuts), types if there are any"
    return built(
        builder,
        reading,
        choices=merged(readings),
        unit=unit,
        field=field,
        id_field=reading.id_field,
        shape=shape,
        idle=VALUES,
    )


def _add_words(tokens: dict[Item, list[str]], key: Key, units: Any, where: str) -> Any:
    """How many units there are; where words are given, they are kept."""
    if not isinstance(units, list):
        return units
    words = words_in(units)
    if tokens.setdefault((key.text, key.stream), words) != words:
        raise FormatError(f"{where}: the words of {key.text} differ from a line above")
    return len(words)


def _segmentation(value: Mapping[str, Any], units: Any, where: str) -> Segmentation:
    unknown = next((name for name in value if name not in PARTS), None)
    if unknown is not None:
        raise FormatError(f"{where}: a segmentation has {', '.join(PARTS)}, found {shown(unknown)}")
    count = value.get("units", units)
    if count is None:
        raise FormatError(f'{where}: "units" must be the words of the text or their number')
    kinds, names = value.get("kinds"), value.get("kind_names")
    for what, given in (("kinds", kinds), ("kind_names", names)):
        listed = isinstance(given, list) and all(isinstance(kind, str) for kind in given)
        expect(given is None or listed, where, f'"{what}" must be a list of names', given)
    try:
        if kinds is None:
            return Segmentation(count, value["cuts"], kind_names=names)
        names = list(dict.fromkeys(kinds)) if names is None else names
        number = {name: i for i, name in enumerate(names, start=1)}
        lost = next((kind for kind in kinds if kind not in number), None)
        if lost is not None:
            raise FormatError(f'{where}: the boundary type {shown(lost)} is not among "kind_names"')
        return Segmentation(count, value["cuts"], [number[kind] for kind in kinds], names)
    except SegmentationError as error:
        raise FormatError(f"{where}: {str(error).removeprefix('segmentation: ')}") from None


def _choices(record: Mapping[str, Any], where: str) -> Mapping[str, str]:
    """How the input of the program that wrote this file was read."""
    given = record.get("reading", {})
    known = isinstance(given, dict) and all(isinstance(value, str) for value in given.values())
    expect(known, where, '"reading" must be an object of texts, such as {"flags": "last"}', given)
    choices: Mapping[str, str] = given
    return choices


def write_jsonl(corpus: Corpus) -> str:
    """Sizes where they say all there is, otherwise objects with cuts."""
    check_filled(corpus)
    make = _plain if _is_plain(corpus) else _whole
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in make(corpus))


def _is_plain(corpus: Corpus) -> bool:
    """One coder without a name, no speakers, no kinds, nothing chosen: sizes say it all."""
    spaced = any(" " in word for words in corpus.tokens.values() for word in list(words)[:3])
    return (
        corpus.coders == ["1"]
        and not corpus.source.choices
        and corpus.unit == ("sentence" if spaced else "unit")
        and all(
            not key.stream
            and seg.kinds is None
            and len(corpus.tokens.get((key.text, ""), ())) in (0, seg.units)
            for key, seg in corpus.entries.items()
        )
    )


def _plain(corpus: Corpus) -> list[dict[str, Any]]:
    return [
        {
            "id": key.text,
            "ref": list(seg.masses),
            "units": list(corpus.tokens.get((key.text, ""), ())) or seg.units,
        }
        for key, seg in corpus.entries.items()
    ]


def _whole(corpus: Corpus) -> list[dict[str, Any]]:
    records = []
    told: set[tuple[str, str]] = set()  # whose words were written
    for key, seg in corpus.entries.items():
        item = (key.text, key.stream)
        words = list(corpus.tokens.get(item, ())) if item not in told else []
        told.add(item)
        record: dict[str, Any] = {"id": key.text, "coder": key.coder, "ref": _object(seg)}
        if key.stream:
            record["speaker"] = key.stream
        if words and len(words) != seg.units:
            record["ref"]["units"] = seg.units
        record["units"] = words or seg.units
        if corpus.unit != "unit":
            record["unit"] = corpus.unit
        if corpus.source.choices:
            record["reading"] = dict(corpus.source.choices)
        records.append(record)
    return records


def _object(seg: Segmentation) -> dict[str, Any]:
    made: dict[str, Any] = {"cuts": seg.cuts.tolist()}
    if seg.kind_names is not None:
        made["kinds"] = [kind for _, kind in seg.named_cuts]
        made["kind_names"] = list(seg.kind_names)
    return made
