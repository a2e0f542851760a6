"""Rezonator's files (.rez): JSON whose nodes are units, their entries and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fencepost.formats.catalogue import endings_of
from fencepost.formats.line_numbers import LineNumbers
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.records import from_json
from fencepost.formats.registry import Format
from fencepost.formats.turns import Turn, by_speaker, corpus_of_turns
from fencepost.formats.values import expect, is_name, kind_of
from fencepost.model.checks import is_number
from fencepost.model.corpus import Corpus

WORD_TAGS = ("word", "text", "transcript", "token")
SPEAKER_TAGS = ("speaker", "participant", "Participant", "Speaker")
ZERO = "<0>"  # Rezonator's sign for what was not said


def read_rezonator(text: str, reading: Reading) -> Corpus:
    """Units (such as intonation units) are segments, tokens are units, every speaker is read alone.

    The text of a token is the tag that the file displays (``displayTokenField``), or its tag
    ``word`` (or text, transcript); ``--columns units=NAME`` names another. The speaker of a unit is
    the tag that the file names (``participantField``), or speaker, participant. Tokens without a
    word and zeros, ``<0>``, were not said and are ignored. ``--tiers one`` reads all speakers
    as one. ``--ignore-tokens`` ignores other tokens.
    """
    return from_json(text, reading, _corpus)


def _corpus(data: Any, reading: Reading, lines: LineNumbers) -> Corpus:
    file = _file(data, lines)
    units = [(id, node) for id, node in file.nodes.items() if _type(node) == "unit"]
    if not units:
        raise FormatError(f"{file.where()}: no node of type unit")
    tag = _word_tag(file, reading)
    apart = by_speaker(reading, otherwise=True)
    speaker_tag = _speaker_tag(file, [node for _, node in units])
    seen: dict[float, str] = {}
    for id, unit in units:
        order = unit.get("unitSeq")
        expect(is_number(order), file.where(id, "unit"), '"unitSeq" must be a number', order)
        if seen.setdefault(order, id) != id:
            raise FormatError(
                f'{file.where(id, "unit")}: "unitSeq" {order:g} is also the number of {seen[order]}'
            )
    units.sort(key=lambda pair: pair[1]["unitSeq"])
    owner: dict[str, str] = {}
    turns = [
        Turn(
            reading.stem,
            _speaker(id, unit, file, speaker_tag)
            if apart
            else str(_tags(unit).get(speaker_tag or "")),
            list(_words(id, unit, file, tag, owner)),
        )
        for id, unit in units
    ]
    _refuse_lost(file, owner)
    return corpus_of_turns(turns, reading, apart)


@dataclass(frozen=True)
class _File:
    """The nodes by their ids, and what else the file says of itself."""

    root: Mapping[str, Any]
    nodes: Mapping[str, Any]
    lines: LineNumbers

    def where(self, id: str | None = None, what: str = "") -> str:
        """The place of a node, or of all of them."""
        if id is None:
            return self.lines.at("ROOT", 0, "nodeMap")
        return self.lines.at("ROOT", 0, "nodeMap", id, said=f"{what} {id}")


def _file(data: Any, lines: LineNumbers) -> _File:
    root = data.get("ROOT") if isinstance(data, dict) else None
    first = root[0] if isinstance(root, list) and root else None
    nodes = first.get("nodeMap") if isinstance(first, dict) else None
    if isinstance(first, dict) and isinstance(nodes, dict):
        return _File(first, nodes, lines)
    if isinstance(first, dict) and any("grid" in name.lower() for name in first):
        raise FormatError(
            f"{lines.at('ROOT', 0)}: this file was saved by an old version of Rezonator (it has "
            "grids and no nodes); open and save it with a current Rezonator"
        )
    raise FormatError(
        f'{lines.at("ROOT", 0, "nodeMap")}: a Rezonator file has "ROOT"[0]."nodeMap", found '
        + ("none" if nodes is None else kind_of(nodes))
    )


def _type(node: Any) -> str:
    return str(node.get("type", "")) if isinstance(node, dict) else ""


def _tags(node: Mapping[str, Any]) -> Mapping[str, Any]:
    tags = node.get("tagMap")
    return tags if isinstance(tags, dict) else {}


def _word_tag(file: _File, reading: Reading) -> str:
    known = {tag for node in file.nodes.values() if _type(node) == "token" for tag in _tags(node)}
    displayed = file.root.get("displayTokenField")
    wanted = [*([displayed] if isinstance(displayed, str) else []), *WORD_TAGS]
    if reading.units_field != "units":
        wanted = [reading.units_field]
    found = next((tag for tag in wanted if tag in known), None)
    if found is None:
        raise FormatError(
            f"{file.where()}: tokens have no tag {' or '.join(wanted)}; there are "
            f"{', '.join(sorted(known)) or 'none'}: --columns units=NAME says which has the words"
        )
    return found


def _speaker_tag(file: _File, units: list[Mapping[str, Any]]) -> str | None:
    """The tag that the file says holds the speakers, if its units have it; or a usual one."""
    known = {tag for unit in units for tag in _tags(unit)}
    named = file.root.get("participantField")
    wanted = [*([named] if isinstance(named, str) else []), *SPEAKER_TAGS]
    return next((tag for tag in wanted if tag in known), None)


def _speaker(id: str, unit: Mapping[str, Any], file: _File, tag: str | None) -> str:
    """Whose a unit is; where others have a speaker, none is no answer, but an empty one is."""
    named = _tags(unit).get(tag) if tag is not None else unit.get("participantID") or ""
    if named != "" and not is_name(named):
        found = "it has none" if named is None else f"found {kind_of(named)}"
        raise FormatError(
            f'{file.where(id, "unit")}: the tag "{tag or "participantID"}" must name the speaker, '
            f"{found}; --tiers one reads all speakers as one"
        )
    return str(named)


def _words(
    id: str, unit: Mapping[str, Any], file: _File, tag: str, owner: dict[str, str]
) -> Iterator[str]:
    """The words of a unit; each token of the file is in one unit, once."""
    entries: Any = unit.get("entryList")
    where = file.where(id, "unit")
    expect(isinstance(entries, list), where, '"entryList" must be a list', entries)
    for name in entries:
        entry = file.nodes.get(name) if isinstance(name, str) else None
        token_id = entry.get("token") if isinstance(entry, dict) else None
        token = file.nodes.get(token_id) if isinstance(token_id, str) else None
        if not isinstance(token, dict) or not isinstance(token_id, str):
            raise FormatError(f"{where}: the entry {name!r:.40} or its token is not in the file")
        if token_id in owner:
            other = owner[token_id]
            raise FormatError(
                f"{where}: the token {token_id} is "
                + ("listed twice" if other == id else f"also in unit {other}")
            )
        owner[token_id] = id
        word = _word(token, tag, file, token_id)
        if word not in ("", ZERO):
            yield word


def _word(token: Mapping[str, Any], tag: str, file: _File, id: str) -> str:
    word = _tags(token).get(tag)
    if not isinstance(word, str) and not is_number(word):
        found = "it has none" if tag not in _tags(token) else f"found {kind_of(word)}"
        raise FormatError(f'{file.where(id, "token")}: the tag "{tag}" must be a word, {found}')
    return str(word).strip()


def _refuse_lost(file: _File, owner: Mapping[str, str]) -> None:
    lost = [id for id, node in file.nodes.items() if _type(node) == "token" and id not in owner]
    if lost:
        raise FormatError(
            f"{file.where(lost[0], 'token')}: {len(lost)} token{'s'[: len(lost) > 1]} belong to no "
            f"unit ({', '.join(lost[:3])}); is the file complete?"
        )


REZONATOR = Format(
    "rezonator",
    endings_of("rezonator"),
    "Rezonator's units of tokens; every speaker is read alone",
    '{"ROOT": [{"nodeMap": {\n'
    '  "u1": {"type": "unit", "unitSeq": 1, "entryList": ["e1", "e2"],\n'
    '    "tagMap": {"speaker": "A"}},\n'
    '  "u2": {"type": "unit", "unitSeq": 2, "entryList": ["e3"], "tagMap": {"speaker": "A"}},\n'
    '  "e1": {"type": "entry", "unit": "u1", "token": "t1"},\n'
    '  "e2": {"type": "entry", "unit": "u1", "token": "t2"},\n'
    '  "e3": {"type": "entry", "unit": "u2", "token": "t3"},\n'
    '  "t1": {"type": "token", "tagMap": {"word": "so"}},\n'
    '  "t2": {"type": "token", "tagMap": {"word": "we"}},\n'
    '  "t3": {"type": "token", "tagMap": {"word": "went"}}}}]}',
    read_rezonator,
    lambda text: '"ROOT"' in text[:200] and '"nodeMap"' in text[:100_000],
    sure=True,
    takes=("tiers", "ignore_tokens"),
    roles=("units",),
)
