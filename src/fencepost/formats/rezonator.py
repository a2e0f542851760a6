"""Rezonator's files (.rez): JSON whose nodes are units, their entries and tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fencepost.corpus import Corpus
from fencepost.formats.base import Format, FormatError, Reading
from fencepost.formats.records import load_json
from fencepost.formats.turns import Turn, by_speaker, corpus_of_turns
from fencepost.formats.values import kind_of

WORD_TAGS = ("word", "text", "transcript", "token")
SPEAKER_TAGS = ("speaker", "participant", "Participant", "Speaker")


def read_rezonator(text: str, reading: Reading) -> Corpus:
    """Units (such as intonation units) are segments, tokens are units, speakers are streams.

    The text of a token is its tag ``word`` (or text, transcript); ``--units-field`` names another.
    ``--tiers one`` puts all speakers into one stream. ``--ignore-tokens`` leaves tokens out.
    """
    nodes = _nodes(load_json(text, reading), reading)
    units = [(id, node) for id, node in nodes.items() if _type(node) == "unit"]
    if not units:
        raise FormatError(f"{reading.name} has no node of type unit")
    tag = _word_tag(nodes, reading)
    seen: dict[int, str] = {}
    for id, unit in units:
        order = unit.get("unitSeq")
        where = f"{reading.name}, unit {id}"
        if isinstance(order, bool) or not isinstance(order, (int, float)):
            raise FormatError(f'{where}: "unitSeq" must be a number, found {kind_of(order)}')
        if seen.setdefault(int(order), id) != id:
            raise FormatError(f'{where}: "unitSeq" {order:g} is also that of {seen[int(order)]}')
    units.sort(key=lambda pair: pair[1]["unitSeq"])
    owner: dict[str, str] = {}
    turns = [
        Turn(reading.stem, _speaker(unit), _words(id, unit, nodes, tag, owner, reading))
        for id, unit in units
    ]
    _refuse_lost(nodes, owner, reading)
    return corpus_of_turns(turns, reading, by_speaker(reading, otherwise=True))


def _nodes(data: Any, reading: Reading) -> Mapping[str, Any]:
    root = data.get("ROOT") if isinstance(data, dict) else None
    first = root[0] if isinstance(root, list) and root else None
    nodes = first.get("nodeMap") if isinstance(first, dict) else None
    if not isinstance(nodes, dict):
        raise FormatError(f'{reading.name}: a Rezonator file has "ROOT"[0]."nodeMap", found none')
    return nodes


def _type(node: Any) -> str:
    return str(node.get("type", "")) if isinstance(node, dict) else ""


def _tags(node: Mapping[str, Any]) -> Mapping[str, Any]:
    tags = node.get("tagMap")
    return tags if isinstance(tags, dict) else {}


def _word_tag(nodes: Mapping[str, Any], reading: Reading) -> str:
    known = {tag for node in nodes.values() if _type(node) == "token" for tag in _tags(node)}
    wanted = WORD_TAGS if reading.units_field == "units" else (reading.units_field,)
    found = next((tag for tag in wanted if tag in known), None)
    if found is None:
        raise FormatError(
            f"{reading.name}: tokens have no tag {' or '.join(wanted)}; there are "
            f"{', '.join(sorted(known)) or 'none'}: --units-field names the one with the words"
        )
    return found


def _speaker(unit: Mapping[str, Any]) -> str:
    tags = _tags(unit)
    named = next((str(tags[tag]) for tag in SPEAKER_TAGS if tags.get(tag)), None)
    return named or str(unit.get("participantID") or "")


def _words(
    id: str,
    unit: Mapping[str, Any],
    nodes: Mapping[str, Any],
    tag: str,
    owner: dict[str, str],
    reading: Reading,
) -> list[str]:
    where = f"{reading.name}, unit {id}"
    entries = unit.get("entryList")
    if not isinstance(entries, list):
        raise FormatError(f'{where}: "entryList" must be a list, found {kind_of(entries)}')
    words = []
    for name in entries:
        entry = nodes.get(name) if isinstance(name, str) else None
        token_id = entry.get("token") if isinstance(entry, dict) else None
        token = nodes.get(token_id) if isinstance(token_id, str) else None
        if not isinstance(token, dict) or not isinstance(token_id, str):
            raise FormatError(f"{where}: the entry {name!r} or its token is not in the file")
        if owner.setdefault(token_id, id) != id:
            raise FormatError(f"{where}: the token {token_id} is also in unit {owner[token_id]}")
        words.append(str(_tags(token).get(tag, "")).strip())
    return words


def _refuse_lost(nodes: Mapping[str, Any], owner: Mapping[str, str], reading: Reading) -> None:
    lost = [id for id, node in nodes.items() if _type(node) == "token" and id not in owner]
    if lost:
        raise FormatError(
            f"{reading.name}: {len(lost)} token{'s'[: len(lost) > 1]} belong to no unit "
            f"({', '.join(lost[:3])}); is the file complete?"
        )


REZONATOR = Format(
    "rezonator",
    (".rez",),
    "Rezonator's units of tokens; a speaker is a stream",
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
)
