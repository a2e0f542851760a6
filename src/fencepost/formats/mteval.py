"""Sets of translated documents: mteval's SGML and the XML of mteval and WMT."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fencepost.formats.catalogue import endings_of
from fencepost.formats.elan import LINE, parse_xml
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format, ending_of
from fencepost.formats.segment_rows import rows_to_streams
from fencepost.model.documents import SegmentRow, SegmentRows, StreamSet

Side = Literal["src", "ref", "hyp"]


@dataclass(frozen=True, slots=True)
class _Seg:
    """One <seg>: whose it is, and where."""

    side: Side | None
    name: str  # of the reference or the system
    document: str | None
    id: str
    text: str
    line: int


# Which side a tag puts what is inside it on.
_SIDES: dict[str, Side] = {
    "srcset": "src", "src": "src", "refset": "ref", "ref": "ref",
    "tstset": "hyp", "sysset": "hyp", "hyp": "hyp",
}  # fmt: skip
_NAMES = ("refid", "sysid", "translator", "system")
_SHOWN = {"src": "sources", "ref": "references", "hyp": "hypotheses"}


@dataclass(frozen=True, slots=True)
class _Place:
    """What the tags around a <seg> say."""

    side: Side | None = None
    name: str = ""
    document: str | None = None

    def inside(self, tag: str, given: dict[str, str]) -> _Place:
        side = _SIDES.get(tag, self.side)
        name = next((given[key] for key in _NAMES if given.get(key)), self.name)
        document = self.document
        if tag == "doc":
            document = given.get("docid") or given.get("id") or document
        return _Place(side, name, document)


def read_set_references(text: str, reading: Reading) -> SegmentRows:
    """References of a set stand side by side, with their sources if the set has them.

    mteval's SGML and XML and the XML of WMT are read; SGML as it stands, so that ``&`` and ``<``
    may be text.
    """
    segs = _segs(text, reading)
    found = _on_side(segs, "ref", reading)
    names = list(dict.fromkeys(seg.name for seg in found))
    texts = {(seg.document, seg.id, seg.name): seg.text for seg in found}
    sources = {(seg.document, seg.id): seg.text for seg in segs if seg.side == "src"}
    places = {(seg.document, seg.id): seg.line for seg in reversed(found)}
    order = dict.fromkeys((seg.document, seg.id) for seg in found)
    return SegmentRows(
        tuple(
            SegmentRow(
                tuple(texts.get((document, number, name)) for name in names),
                places[document, number],
                document,
                number,
                source=sources.get((document, number)),
            )
            for document, number in order
        )
    )


def read_set_streams(text: str, reading: Reading) -> StreamSet:
    """A stream of words is a document of one system (``--system``, where a set has several)."""
    found = _on_side(_segs(text, reading), "hyp", reading)
    systems = list(dict.fromkeys(seg.name for seg in found))
    wanted = reading.system if reading.system is not None else systems[0]
    if wanted not in systems or (reading.system is None and len(systems) > 1):
        asked = f"no system {wanted}" if reading.system else f"{len(systems)} systems"
        raise FormatError(
            f"{reading.name} has {asked}; choose one with --system: {', '.join(systems)}"
        )
    rows = [
        SegmentRow((seg.text,), seg.line, seg.document, seg.id)
        for seg in found
        if seg.name == wanted
    ]
    return rows_to_streams(SegmentRows(tuple(rows)), reading.name)


def _on_side(segs: Sequence[_Seg], side: Side, reading: Reading) -> list[_Seg]:
    found = [seg for seg in segs if seg.side in (side, None)]
    if not found:
        there = sorted({_SHOWN[seg.side] for seg in segs if seg.side})
        raise FormatError(
            f"{reading.name} has no {_SHOWN[side]}, only {' and '.join(there)}"
            if there
            else f"{reading.name} has no <seg>, so it has no {_SHOWN[side]}"
        )
    return found


_START = re.compile(r"\s*(<\?xml|<!DOCTYPE|<(ref|tst|src)set\b|<mteval\b|<dataset\b)")


def _segs(text: str, reading: Reading) -> list[_Seg]:
    # A file that is called SGML need not be XML, even if it says so.
    sgml = ending_of(reading.name) in (".sgm", ".sgml")
    xml = not sgml and re.match(r"\s*(<\?xml|<dataset)", text) is not None
    segs: list[_Seg] = []
    counts: dict[tuple[Any, ...], int] = {}
    seen: set[tuple[Any, ...]] = set()
    for place, number, words, line in (_from_xml if xml else _from_sgml)(text, reading):
        whose = (place.side, place.name, place.document)
        counts[whose] = counts.get(whose, 0) + 1
        key = *whose, number or str(counts[whose])
        if key in seen:
            raise FormatError(
                f"{reading.at(line)}: seg {key[-1]} of document {place.document} is given twice; "
                "several references need different refid, sysid or translator"
            )
        seen.add(key)
        segs.append(_Seg(*key, words.strip(), line))
    return segs


_Found = Iterator[tuple[_Place, str | None, str, int]]

# SGML is not XML: signs like & stand as they are, and only these tags mean something.
_TAG = (
    r"<(/?)(srcset|refset|tstset|sysset|mteval|doc|seg|p|hl|poster|speaker)"
    r"((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))*)\s*/?>|<[!?][^>]*>"
)
_NEXT_TAG = re.compile(rf"\s*+(?:{_TAG})", re.IGNORECASE)
_ANY_TAG = re.compile(_TAG, re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_SIGNS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def _from_sgml(text: str, reading: Reading) -> _Found:
    around: list[tuple[str, _Place]] = [("", _Place())]
    depths: Counter[str] = Counter()  # of open tags
    place, line, counted = 0, 1, 0

    def line_at(offset: int) -> int:
        nonlocal line, counted
        line, counted = line + text.count("\n", counted, offset), offset
        return line

    # Tags are looked for where they must be, behind white space: a search for them would begin
    # again at every < of a file that closes none.
    while found := _NEXT_TAG.match(text, place):
        place = found.end()
        if found[2] is None:  # <!DOCTYPE ...>, a comment
            continue
        start, tag = found.start(1) - 1, found[2].lower()
        given = {
            match[1].lower(): _unescape(match[2] or match[3] or match[4] or "")
            for match in _ATTRIBUTE.finditer(found[3])
        }
        if found[1]:
            _close(around, depths, tag)
        elif tag == "seg":
            end = _END.search(text, place)
            if end is None:
                raise FormatError(f"{reading.at(line_at(start))}: <seg> has no </seg>")
            inner = text[place : end.start()]
            if re.search(r"<seg[\s>]", inner, re.IGNORECASE):
                raise FormatError(f"{reading.at(line_at(start))}: <seg> inside a <seg>")
            yield around[-1][1], given.get("id"), _unescape(inner), line_at(start)
            place = end.end()
        else:
            around.append((tag, around[-1][1].inside(tag, given)))
            depths[tag] += 1
    behind = _ANY_TAG.search(text, place, place + 1000)  # an error shows no more
    _check_nothing(text[place : behind.start() if behind else None], reading, line_at(place))


def _close(around: list[tuple[str, _Place]], depths: Counter[str], tag: str) -> None:
    """Leave the innermost such tag, if one is open; SGML may leave out the ends of those inside."""
    left = ""
    while depths[tag] and left != tag:
        left, _ = around.pop()
        depths[left] -= 1


def _check_nothing(text: str, reading: Reading, line: int) -> None:
    if text.strip():
        line += text[: len(text) - len(text.lstrip())].count("\n")
        raise FormatError(
            f'{reading.at(line)}: "{text.strip():.40}" is outside of <seg>, so it belongs to no '
            "segment"
        )


def _unescape(text: str) -> str:
    def sign(found: re.Match[str]) -> str:
        name = found[1]
        if name in _SIGNS:
            return _SIGNS[name]
        code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        half = 0xD800 <= code < 0xE000
        return found[0] if code > 0x10FFFF or half else chr(code)

    return _ENTITY.sub(sign, text)


def _from_xml(text: str, reading: Reading) -> _Found:
    try:
        yield from _walk(parse_xml(text, reading, doctype=True), _Place(), reading)
    except RecursionError:
        raise FormatError(f"{reading.name}: tags are nested too deeply") from None


def _walk(node: Any, place: _Place, reading: Reading) -> _Found:
    tag = str(node.tag).rpartition("}")[2].lower()
    line = int(node.get(LINE))
    given = {key.lower(): value.strip() for key, value in node.attrib.items()}
    if tag == "seg":
        yield place, given.get("id"), "".join(node.itertext()), line
        return
    inner = place.inside(tag, given)
    for text in (node.text, *(child.tail for child in node)):
        if text and text.strip():
            raise FormatError(
                f'{reading.at(line)}: "{text.strip():.40}" in document {inner.document} is outside '
                "of <seg>, so it belongs to no segment"
            )
    for child in node:
        yield from _walk(child, inner, reading)


SET = Format(
    "set",
    endings_of("set"),
    "sets of documents with <seg>: mteval's SGML or XML, and WMT's XML",
    '<mteval>\n<refset setid="news" refid="ref1"><doc docid="n1">\n'
    '<seg id="1">It rained.</seg>\n<seg id="2">We left.</seg>\n</doc></refset>\n'
    '<tstset setid="news" sysid="ours"><doc docid="n1">\n'
    '<seg id="1">It rained. We</seg>\n<seg id="2">left.</seg>\n</doc></tstset>\n</mteval>',
    looks_like=lambda text: _START.match(text) is not None,
    sure=True,
    takes=("system",),
    references=read_set_references,
    streams=read_set_streams,
)
