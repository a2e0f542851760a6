"""Sets of translated documents: mteval's SGML and the XML of mteval and WMT."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fencepost.streams.documents import StreamError
from fencepost.streams.fields import File, Row
from fencepost.wording import needs

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


def read_set_references(file: File) -> list[Row]:
    """The references of a set side by side, with their sources if they are there."""
    segs = _parts(file)
    found = _on_side(segs, "ref", file)
    names = list(dict.fromkeys(seg.name for seg in found))
    texts = {(seg.document, seg.id, seg.name): seg.text for seg in found}
    sources = {(seg.document, seg.id): seg.text for seg in segs if seg.side == "src"}
    places = {(seg.document, seg.id): seg.line for seg in reversed(found)}
    order = dict.fromkeys((seg.document, seg.id) for seg in found)
    return [
        Row(
            tuple(texts.get((document, number, name)) for name in names),
            places[document, number],
            document,
            number,
            source=sources.get((document, number)),
        )
        for document, number in order
    ]


def read_set_hypothesis(file: File) -> list[Row]:
    """The hypothesis of a set; of several systems, the one that was asked for."""
    found = _on_side(_parts(file), "hyp", file)
    systems = list(dict.fromkeys(seg.name for seg in found))
    wanted = file.system if file.system is not None else systems[0]
    if wanted not in systems or (file.system is None and len(systems) > 1):
        asked = f"no system {wanted}" if file.system else f"{len(systems)} systems"
        raise StreamError(
            f"{file.name} has {asked}; say which of them to read: {', '.join(systems)}"
        )
    return [Row((seg.text,), seg.line, seg.document, seg.id) for seg in found if seg.name == wanted]


def _on_side(segs: Sequence[_Seg], side: Side, file: File) -> list[_Seg]:
    found = [seg for seg in segs if seg.side in (side, None)]
    if not found:
        there = sorted({_SHOWN[seg.side] for seg in segs if seg.side})
        raise StreamError(
            f"{file.name} has no {_SHOWN[side]}, only {' and '.join(there) or 'no <seg> at all'}"
        )
    return found


def _parts(file: File) -> list[_Seg]:
    # A file that is called SGML need not be XML, even if it says so.
    sgml = file.name.lower().endswith((".sgm", ".sgml"))
    xml = not sgml and re.match(r"\s*(<\?xml|<dataset)", file.text) is not None
    segs: list[_Seg] = []
    counts: dict[tuple[Any, ...], int] = {}
    for place, number, text, line in _from_xml(file) if xml else _from_sgml(file):
        whose = (place.side, place.name, place.document)
        counts[whose] = counts.get(whose, 0) + 1
        segs.append(_Seg(*whose, number or str(counts[whose]), text.strip(), line))
    _check_unique(segs, file)
    return segs


def _check_unique(segs: Sequence[_Seg], file: File) -> None:
    seen: set[tuple[Any, ...]] = set()
    for seg in segs:
        key = (seg.side, seg.name, seg.document, seg.id)
        if key in seen:
            raise StreamError(
                f"{file.name}{_line(seg.line)}: seg {seg.id} of document {seg.document} is given "
                "twice; several references need different refid, sysid or translator"
            )
        seen.add(key)


def _line(line: int) -> str:
    return f", line {line}" if line else ""


_Found = Iterator[tuple[_Place, str | None, str, int]]

# SGML is not XML: signs like & stand as they are, and only these tags mean something.
_TAG = re.compile(
    r"<(/?)(srcset|refset|tstset|sysset|mteval|doc|seg|p|hl|poster|speaker)"
    r"((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))*)\s*/?>|<[!?][^>]*>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_SIGNS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def _from_sgml(file: File) -> _Found:
    text = file.text
    around: list[tuple[str, _Place]] = [("", _Place())]
    place, line, counted = 0, 1, 0

    def line_at(offset: int) -> int:
        nonlocal line, counted
        line, counted = line + text.count("\n", counted, offset), offset
        return line

    while found := _TAG.search(text, place):
        _check_nothing(text[place : found.start()], file, line_at(place))
        place = found.end()
        if found[2] is None:  # <!DOCTYPE ...>, a comment
            continue
        tag = found[2].lower()
        given = {
            match[1].lower(): _unescape(match[2] or match[3] or match[4] or "")
            for match in _ATTRIBUTE.finditer(found[3])
        }
        if found[1]:
            _close(around, tag)
        elif tag == "seg":
            end = _END.search(text, place)
            if end is None:
                raise StreamError(f"{file.at(line_at(found.start()))}: <seg> has no </seg>")
            inner = text[place : end.start()]
            if re.search(r"<seg[\s>]", inner, re.IGNORECASE):
                raise StreamError(f"{file.at(line_at(found.start()))}: <seg> inside a <seg>")
            yield around[-1][1], given.get("id"), _unescape(inner), line_at(found.start())
            place = end.end()
        else:
            around.append((tag, around[-1][1].inside(tag, given)))
    _check_nothing(text[place:], file, line_at(place))


def _close(around: list[tuple[str, _Place]], tag: str) -> None:
    """Leave the innermost such tag; SGML may leave out the ends of those inside it."""
    for depth in range(len(around) - 1, 0, -1):
        if around[depth][0] == tag:
            del around[depth:]
            return


def _check_nothing(text: str, file: File, line: int) -> None:
    if text.strip():
        line += text[: len(text) - len(text.lstrip())].count("\n")
        raise StreamError(
            f'{file.at(line)}: "{text.strip():.40}" stands outside of <seg>, so it belongs to no '
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


def _from_xml(file: File) -> _Found:
    parser = needs("defusedxml.ElementTree", file.name)
    common = needs("defusedxml.common", file.name)
    try:
        root = parser.fromstring(file.text)
    except parser.ParseError as error:
        raise StreamError(
            f"{file.at(error.position[0])}: not XML: {str(error).partition(':')[0]}"
        ) from None
    except common.DefusedXmlException:
        raise StreamError(
            f"{file.name} defines entities of its own, which could make it endless or read other "
            "files; it was not read"
        ) from None
    try:
        yield from _walk(root, _Place(), file)
    except RecursionError:
        raise StreamError(f"{file.name}: tags stand inside each other too deep") from None


def _walk(node: Any, place: _Place, file: File) -> _Found:
    tag = str(node.tag).rpartition("}")[2].lower()
    given = {key.lower(): value.strip() for key, value in node.attrib.items()}
    if tag == "seg":
        yield place, given.get("id"), "".join(node.itertext()), 0
        return
    inner = place.inside(tag, given)
    for text in (node.text, *(child.tail for child in node)):
        if text and text.strip():
            raise StreamError(
                f'{file.name}: "{text.strip():.40}" in document {inner.document} stands outside '
                "of <seg>, so it belongs to no segment"
            )
    for child in node:
        if isinstance(child.tag, str):
            yield from _walk(child, inner, file)
