"""ELAN's annotation files (.eaf): XML with tiers of annotations between time slots."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fencepost.corpus import Corpus
from fencepost.formats.base import Format, FormatError, Reading
from fencepost.formats.intervals import Stretch
from fencepost.formats.tiers import Tier, corpus_of_tiers
from fencepost.streams.rows import needs


def parse_xml(text: str, reading: Reading) -> Any:
    """The root of an XML file; entities and external references are refused."""
    tree = needs("defusedxml.ElementTree", reading.name)
    common = needs("defusedxml.common", reading.name)
    try:
        return tree.fromstring(text.lstrip("\ufeff").encode("utf-8"))
    except common.DefusedXmlException as error:
        raise FormatError(
            f"{reading.name}: XML with entities is not read ({type(error).__name__})"
        ) from None
    except tree.ParseError as error:
        line, column = getattr(error, "position", (1, 0))
        said = str(error).partition(":")[0]
        raise FormatError(f"{reading.at(line)}: not XML: {said} (column {column + 1})") from None
    except (ValueError, LookupError) as error:  # an encoding that does not exist
        raise FormatError(f"{reading.at(1)}: not XML: {error}") from None


def read_elan(text: str, reading: Reading) -> Corpus:
    """ELAN's tiers: annotations are segments; --units says what is counted.

    Time slots without a time lie evenly between those that have one, and so do the parts of an
    annotation on a tier that depends on another.
    """
    root = parse_xml(text, reading)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise FormatError(
            f"{reading.name}: an ELAN file is an ANNOTATION_DOCUMENT, found <{root.tag}>"
        )
    slots = _slots(root, reading)
    annotations: dict[str, tuple[float, float]] = {}
    tiers = []
    pending = []
    for element in root.findall("TIER"):
        name = element.get("TIER_ID")
        if not name:
            raise FormatError(f"{reading.name}: a tier has no TIER_ID")
        if element.find("ANNOTATION/REF_ANNOTATION") is not None:
            pending.append((name, element))
            continue
        tiers.append(_aligned(name, element, slots, annotations, reading))
    tiers += _dependent(pending, annotations, reading)
    if not tiers:
        raise FormatError(f"{reading.name} has no tiers")
    filled = [tier for tier in tiers if tier.stretches]
    if not filled:
        raise FormatError(f"{reading.name} has no annotations")
    last = max(stretch.end for tier in filled for stretch in tier.stretches)
    return corpus_of_tiers(filled, 0.0, last, reading)


def _slots(root: Any, reading: Reading) -> dict[str, float]:
    """Seconds of the time slots; those without a time lie evenly between their neighbours."""
    given: list[tuple[str, float | None]] = []
    for slot in root.findall("TIME_ORDER/TIME_SLOT"):
        name, value = slot.get("TIME_SLOT_ID"), slot.get("TIME_VALUE")
        if not name or (value is not None and not value.strip().isdigit()):
            raise FormatError(
                f"{reading.name}, time slot {name}: TIME_VALUE must be milliseconds, "
                f"found {value!r}"
            )
        given.append((name, None if value is None else int(value) / 1000))
    known = [i for i, (_, value) in enumerate(given) if value is not None]
    if given and (not known or known[0] != 0 or known[-1] != len(given) - 1):
        raise FormatError(f"{reading.name}: the first and the last time slot need a TIME_VALUE")
    found = {name: value for name, value in given if value is not None}
    for left, right in pairwise(known):
        a, b = given[left][1] or 0.0, given[right][1] or 0.0
        for i in range(left + 1, right):
            found[given[i][0]] = a + (b - a) * (i - left) / (right - left)
    if len(found) < len(given):
        raise FormatError(f"{reading.name}: a TIME_SLOT_ID is given twice")
    return found


def _value(element: Any) -> str:
    return (element.findtext("ANNOTATION_VALUE") or "").strip()


def _aligned(
    name: str,
    tier: Any,
    slots: Mapping[str, float],
    annotations: dict[str, tuple[float, float]],
    reading: Reading,
) -> Tier:
    found = []
    for one in tier.findall("ANNOTATION/ALIGNABLE_ANNOTATION"):
        id = one.get("ANNOTATION_ID")
        where = f"{reading.name}, tier {name}, annotation {id}"
        times = [slots.get(one.get(f"TIME_SLOT_REF{i}", "")) for i in (1, 2)]
        start, end = times
        if start is None or end is None:
            raise FormatError(f"{where}: its time slots are not in TIME_ORDER")
        if end < start:
            raise FormatError(f"{where}: it ends at {end:g}, before it starts at {start:g}")
        if not id or id in annotations:
            raise FormatError(f"{where}: the ANNOTATION_ID is missing or given twice")
        annotations[id] = start, end
        found.append(Stretch(start, end, where, _value(one)))
    return Tier(name, tuple(sorted(found, key=lambda s: (s.start, s.end))))


def _dependent(
    pending: list[tuple[str, Any]],
    annotations: dict[str, tuple[float, float]],
    reading: Reading,
) -> list[Tier]:
    """Tiers whose annotations have the time of a parent, or an even part of it."""
    tiers = []
    while pending:
        ready = [
            (name, tier)
            for name, tier in pending
            if all(
                one.get("ANNOTATION_REF") in annotations
                for one in tier.findall("ANNOTATION/REF_ANNOTATION")
            )
        ]
        if not ready:
            name, tier = pending[0]
            lost = next(
                one
                for one in tier.findall("ANNOTATION/REF_ANNOTATION")
                if one.get("ANNOTATION_REF") not in annotations
            )
            raise FormatError(
                f"{reading.name}, tier {name}, annotation {lost.get('ANNOTATION_ID')}: there is no "
                f"annotation {lost.get('ANNOTATION_REF')!r} that it could depend on"
            )
        for name, tier in ready:
            tiers.append(_divided(name, tier, annotations, reading))
            pending.remove((name, tier))
    return tiers


def _divided(
    name: str, tier: Any, annotations: dict[str, tuple[float, float]], reading: Reading
) -> Tier:
    children: dict[str, list[Any]] = {}
    for one in tier.findall("ANNOTATION/REF_ANNOTATION"):
        children.setdefault(one.get("ANNOTATION_REF"), []).append(one)
    found = []
    for parent, own in children.items():
        start, end = annotations[parent]
        for number, one in enumerate(_in_order(own)):
            id = one.get("ANNOTATION_ID")
            where = f"{reading.name}, tier {name}, annotation {id}"
            if not id or id in annotations:
                raise FormatError(f"{where}: the ANNOTATION_ID is missing or given twice")
            step = (end - start) / len(own)
            span = start + number * step, start + (number + 1) * step
            annotations[id] = span
            found.append(Stretch(*span, where, _value(one)))
    return Tier(name, tuple(sorted(found, key=lambda s: (s.start, s.end))))


def _in_order(annotations: list[Any]) -> list[Any]:
    """Each after the one it names as the previous; as they stand where they name none."""
    after = {one.get("PREVIOUS_ANNOTATION"): one for one in annotations}
    if len(after) < len(annotations):
        return annotations
    ordered, previous = [], None
    while previous in after:
        one = after.pop(previous)
        ordered.append(one)
        previous = one.get("ANNOTATION_ID")
    return ordered if not after else annotations


EXAMPLE = """<ANNOTATION_DOCUMENT>
  <TIME_ORDER>
    <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/>
    <TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="1200"/>
    <TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="2500"/>
  </TIME_ORDER>
  <TIER TIER_ID="an1">
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
      <ANNOTATION_VALUE>so we went</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts3">
      <ANNOTATION_VALUE>and then</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
  </TIER>
</ANNOTATION_DOCUMENT>"""

ELAN = Format(
    "elan",
    (".eaf",),
    "ELAN's tiers of annotations",
    EXAMPLE,
    read_elan,
    lambda text: "<ANNOTATION_DOCUMENT" in text[:2000],
    sure=True,
    choices={"units": "seconds:0.1"},
)
