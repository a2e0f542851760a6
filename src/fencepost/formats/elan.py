"""ELAN's annotation files (.eaf): XML with tiers of annotations between time slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import TreeBuilder

from fencepost.formats.catalogue import endings_of
from fencepost.formats.intervals import Stretch
from fencepost.formats.options import TIERS, FormatError, Reading
from fencepost.formats.registry import Format
from fencepost.formats.tiers import Tier, corpus_of_tiers
from fencepost.formats.values import as_whole
from fencepost.model.corpus import Corpus
from fencepost.wording import needs

LINE = " line"  # of an element, among its attributes: no name in a file can hold a space
_ALIGNED, _DEPENDENT = "ALIGNABLE_ANNOTATION", "REF_ANNOTATION"


def parse_xml(text: str, reading: Reading, *, doctype: bool = False) -> Any:
    """The root of an XML file; entities and external references are refused.

    So is a DOCTYPE, unless files of the format usually have one: nothing is fetched for it.
    """
    tree = needs("defusedxml.ElementTree", reading.name)
    common = needs("defusedxml.common", reading.name)
    builder = _Numbered()
    parser = tree.XMLParser(target=builder, forbid_dtd=not doctype)
    builder.position = parser.parser
    try:
        parser.feed(text.lstrip("\ufeff").encode("utf-8"))
        return parser.close()
    except common.DefusedXmlException as error:
        what = "a DOCTYPE" if isinstance(error, common.DTDForbidden) else "entities"
        raise FormatError(
            f"{reading.at(parser.parser.CurrentLineNumber)}: XML with {what} is not read "
            f"({type(error).__name__}); remove that part"
        ) from None
    except tree.ParseError as error:
        line, column = getattr(error, "position", (1, 0))
        said = str(error).partition(":")[0]
        raise FormatError(f"{reading.at(line)}: not XML: {said} (column {column + 1})") from None
    except (ValueError, LookupError) as error:  # an encoding that does not exist
        raise FormatError(f"{reading.at(1)}: not XML: {error}") from None


class _Numbered(TreeBuilder):
    """Builds the tree of an XML file, with the line of every element among its attributes."""

    position: Any = None  # the parser, which knows the line it has come to

    def start(self, tag: str, attributes: dict[str, str], /) -> Any:
        """An element begins."""
        return super().start(tag, {**attributes, LINE: str(self.position.CurrentLineNumber)})


@dataclass(frozen=True)
class _Annotation:
    """An annotation as its tier has it, and where that is."""

    element: Any
    id: str
    where: str

    def get(self, name: str) -> str:
        """An attribute, or nothing."""
        return str(self.element.get(name, ""))

    @property
    def aligned(self) -> bool:
        """Whether it has time slots of its own, not those of another annotation."""
        return bool(self.element.tag == _ALIGNED)

    @property
    def value(self) -> str:
        """What it says."""
        return (self.element.findtext("ANNOTATION_VALUE") or "").strip()


def read_elan(text: str, reading: Reading) -> Corpus:
    """ELAN's tiers: annotations are segments, also those without a value; --units says what counts.

    Time slots without a time lie evenly between those that have one, along the annotations of a
    tier that follow each other. So do the parts of an annotation on a tier that depends on
    another. ``--levels kinds`` makes the value of an annotation the type of the boundary at its
    end.
    """
    root = parse_xml(text, reading)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise FormatError(
            f"{_at(root, reading)}: an ELAN file is an ANNOTATION_DOCUMENT, found <{root.tag}>"
        )
    _check_unit(root, reading)
    found = _tiers(root, reading)
    slots = _slots(root, reading)
    _spread([found[name] for name in _parents_first(root, found)], slots)
    spans: dict[str, tuple[float, float]] = {}
    aligned, dependent = [], {}
    for name, own in found.items():
        if own and not own[0].aligned:
            dependent[name] = own
        else:
            aligned.append(_aligned(name, own, slots, spans))
    parents = _parents(root)
    tiers = [
        replace(tier, parent=parents[tier.name])
        for tier in (*aligned, *_dependent(dependent, spans))
    ]
    if not tiers:
        raise FormatError(f"{reading.name} has no tiers")
    if not any(tier.stretches for tier in tiers):
        raise FormatError(f"{reading.name} has no annotations")
    last = max(stretch.end for tier in tiers for stretch in tier.stretches)
    return corpus_of_tiers(tiers, 0.0, last, reading)


def _check_unit(root: Any, reading: Reading) -> None:
    """Raise FormatError for times that are no milliseconds, such as frames of a video."""
    header = root.find("HEADER")
    unit = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if unit != "milliseconds":
        raise FormatError(
            f"{_at(header, reading)}: TIME_UNITS must be milliseconds, found {unit!r:.40}; save "
            "the file with ELAN again, which writes milliseconds"
        )


def _at(element: Any, reading: Reading) -> str:
    return reading.at(int(element.get(LINE)))


def _tiers(root: Any, reading: Reading) -> dict[str, list[_Annotation]]:
    """The annotations of each tier, every one with an id of its own."""
    tiers: dict[str, list[_Annotation]] = {}
    seen: set[str] = set()
    for element in root.findall("TIER"):
        name = element.get("TIER_ID")
        if not name or name in tiers:
            said = f"two tiers are called {name!r}; rename one" if name else "a tier has no TIER_ID"
            raise FormatError(f"{_at(element, reading)}: {said}")
        tiers[name] = []
        for one in _annotations(element, name, reading):
            if not one.id or one.id in seen:
                raise FormatError(f"{one.where}: the ANNOTATION_ID is missing or given twice")
            if tiers[name] and one.aligned != tiers[name][0].aligned:
                raise FormatError(
                    f"{one.where}: a tier has {_ALIGNED}s or {_DEPENDENT}s, and this one has both"
                )
            seen.add(one.id)
            tiers[name].append(one)
    return tiers


def _annotations(tier: Any, name: str, reading: Reading) -> Iterator[_Annotation]:
    for holder in tier.findall("ANNOTATION"):
        if [child.tag for child in holder] not in ([_ALIGNED], [_DEPENDENT]):
            raise FormatError(
                f"{_at(holder, reading)}, tier {name}: an ANNOTATION holds one {_ALIGNED} or "
                f"{_DEPENDENT}, found {', '.join(child.tag for child in holder) or 'nothing'}"
            )
        id = holder[0].get("ANNOTATION_ID") or ""
        where = f"{_at(holder[0], reading)}, tier {name}, annotation {id}"
        yield _Annotation(holder[0], id, where)


def _slots(root: Any, reading: Reading) -> dict[str, float | None]:
    """Seconds of the time slots; None where a slot has no time."""
    found: dict[str, float | None] = {}
    for slot in root.findall("TIME_ORDER/TIME_SLOT"):
        name, value = slot.get("TIME_SLOT_ID"), slot.get("TIME_VALUE")
        where = f"{_at(slot, reading)}, time slot {name}"
        if value is not None and not (value.isascii() and value.strip().isdigit()):
            raise FormatError(f"{where}: TIME_VALUE must be milliseconds, found {value[:40]!r}")
        if not name or name in found:
            raise FormatError(f"{where}: the TIME_SLOT_ID is missing or given twice")
        found[name] = None if value is None else as_whole(value.strip(), where) / 1000
    return found


def _parents(root: Any) -> dict[str, str | None]:
    """The tier that each tier depends on."""
    return {tier.get("TIER_ID"): tier.get("PARENT_REF") for tier in root.findall("TIER")}


def _parents_first(root: Any, tiers: Mapping[str, Any]) -> list[str]:
    """Tiers in an order in which none comes before the one that it divides further."""
    parents = _parents(root)
    depth: dict[str, int] = {}
    for name in tiers:
        way = {name: None}  # up to a tier whose depth is known, the top, or round in a circle
        last = name
        while last not in depth and (above := parents.get(last)) and above not in way:
            last = above
            way[last] = None
        below = depth.get(last, 1)
        for number, one in enumerate(reversed(way)):
            depth.setdefault(one, below + number)
    return sorted(tiers, key=depth.__getitem__)


def _spread(tiers: Sequence[Sequence[_Annotation]], slots: dict[str, float | None]) -> None:
    """Give slots without a time one: evenly, along annotations that follow each other.

    The order of all slots in the file says little: those of other tiers stand among them.
    """
    for own in tiers:
        nowhere: set[str] = set()  # slots that lead to none with a time
        ends = {a.get("TIME_SLOT_REF1"): a.get("TIME_SLOT_REF2") for a in own if a.aligned}
        for start in [slot for slot in ends if slots.get(slot) is not None]:
            chain = [start]
            while chain[-1] in ends and (len(chain) == 1 or slots.get(chain[-1], 0) is None):
                if chain[-1] in nowhere or len(chain) > len(ends) + 1:
                    break  # as was found before, or round in a circle
                chain.append(ends[chain[-1]])
            first, last = slots.get(chain[0]), slots.get(chain[-1])
            if first is not None and last is not None:
                for number, slot in enumerate(chain[1:-1], start=1):
                    slots[slot] = first + (last - first) * number / (len(chain) - 1)
            else:
                nowhere.update(chain[1:])


def _aligned(
    name: str,
    annotations: Sequence[_Annotation],
    slots: Mapping[str, float | None],
    spans: dict[str, tuple[float, float]],
) -> Tier:
    found = []
    for one in annotations:
        start, end = (_time(one, one.get(f"TIME_SLOT_REF{i}"), slots) for i in (1, 2))
        if end < start:
            raise FormatError(f"{one.where}: it ends at {end:g}, before it starts at {start:g}")
        spans[one.id] = start, end
        found.append(Stretch(start, end, one.where, one.value))
    return _as_tier(name, found)


def _time(one: _Annotation, slot: str, slots: Mapping[str, float | None]) -> float:
    if slot not in slots:
        raise FormatError(f"{one.where}: its time slots are not in TIME_ORDER ({slot or 'none'})")
    time = slots[slot]
    if time is None:
        raise FormatError(
            f"{one.where}: the time slot {slot} has no TIME_VALUE, and the annotations before and "
            "after this one do not lead to slots that have one"
        )
    return time


def _as_tier(name: str, stretches: list[Stretch]) -> Tier:
    ordered = sorted(stretches, key=lambda s: (s.start, s.end))
    return Tier(name, tuple(ordered), unlabelled="segments")


def _dependent(
    pending: dict[str, list[_Annotation]], spans: dict[str, tuple[float, float]]
) -> list[Tier]:
    """Tiers whose annotations have the time of a parent, or an even part of it."""
    lost = {name: _lost(own, spans) for name, own in pending.items()}
    waiting: dict[str, list[str]] = {}  # tiers, by an annotation that they depend on
    for name, parents in lost.items():
        for parent in parents:
            waiting.setdefault(parent, []).append(name)
    order = {name: number for number, name in enumerate(pending)}
    tiers = []
    ready = [name for name, parents in lost.items() if not parents]
    while ready:
        found: list[str] = []
        for name in ready:
            own = pending.pop(name)
            tiers.append(_divided(name, own, spans))
            for one in own:
                for other in waiting.get(one.id, ()):
                    lost[other].discard(one.id)
                    found += [other] * (not lost[other])
        ready = sorted(found, key=order.__getitem__)
    if pending:
        first = next(
            a for a in next(iter(pending.values())) if a.get("ANNOTATION_REF") not in spans
        )
        raise FormatError(
            f"{first.where}: there is no annotation {first.get('ANNOTATION_REF')!r} that it "
            "could depend on"
        )
    return tiers


def _lost(own: Sequence[_Annotation], spans: Mapping[str, Any]) -> set[str]:
    """The annotations that these depend on and that have no time yet."""
    return {parent for one in own if (parent := one.get("ANNOTATION_REF")) not in spans}


def _divided(
    name: str, annotations: Sequence[_Annotation], spans: dict[str, tuple[float, float]]
) -> Tier:
    children: dict[str, list[_Annotation]] = {}
    for one in annotations:
        children.setdefault(one.get("ANNOTATION_REF"), []).append(one)
    found = []
    for parent, own in children.items():
        start, end = spans[parent]
        step = (end - start) / len(own)
        for number, one in enumerate(_in_order(own)):
            spans[one.id] = start + number * step, start + (number + 1) * step
            found.append(Stretch(*spans[one.id], one.where, one.value))
    return _as_tier(name, found)


def _in_order(annotations: list[_Annotation]) -> list[_Annotation]:
    """Each after the one it names as the previous; as they stand where they name none."""
    after = {one.get("PREVIOUS_ANNOTATION"): one for one in annotations}
    if len(after) < len(annotations):
        return annotations
    ordered: list[_Annotation] = []
    previous = ""
    while previous in after:
        ordered.append(after.pop(previous))
        previous = ordered[-1].id
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
    endings_of("elan"),
    "ELAN's tiers of annotations",
    EXAMPLE,
    read_elan,
    lambda text: "<ANNOTATION_DOCUMENT" in text[:2000],
    sure=True,
    choices={"units": "seconds:0.1"},
    timed=True,
    takes=TIERS,
)
