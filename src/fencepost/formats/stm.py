"""STM (NIST's segment time marks): every line is a turn, a segment of the references or a break."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fencepost.formats.catalogue import endings_of
from fencepost.formats.fields import as_span, filled_lines
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.segment_rows import name_channels, rows_in_time, rows_to_streams
from fencepost.formats.turns import Turn, by_speaker, corpus_of_turns
from fencepost.formats.values import shown
from fencepost.model.corpus import Corpus
from fencepost.model.documents import SegmentRow, SegmentRows, StreamSet
from fencepost.wording import plural

IGNORED = "ignore_time_segment_in_scoring"
# Fields are divided by blanks and tabs; a no-break space may be part of a name.
FIELD_SPACE = re.compile(r"[ \t]+")


def read_stm_turns(text: str, reading: Reading) -> Corpus:
    """Lines are segments in the order of time, words are units; a recording is a text.

    ``--tiers speakers`` reads every speaker alone. Of alternatives the first is
    read; lines that are marked as not to be scored are ignored, and so are labels before the words
    (``<o,f0,male>``, ``<F0_M>``, or any in angle brackets that all lines have).
    """
    apart = by_speaker(reading, otherwise=False)
    ends: dict[str, float] = {}
    turns = []
    for row in rows_in_time(_read_rows(text, reading).rows):
        words = alternatives(row.text)[0].split()
        if not words:
            _check_end(text, row.line, reading)
            continue
        name = row.document or reading.stem
        lane = f"{name}\n{row.speaker}" if apart else name
        start, end = row.start or 0.0, row.end or 0.0
        if not apart and start < ends.get(lane, -math.inf) - 1e-9:
            raise FormatError(
                f"{reading.at(row.line)}: the turn of {row.speaker} starts at {start:g}, while "
                f"another of {name} lasts until {ends[lane]:g}: --tiers speakers reads each "
                "speaker alone"
            )
        ends[lane] = max(end, ends.get(lane, end))
        turns.append(Turn(name, row.speaker or "", words))
    return corpus_of_turns(turns, reading, apart, usual=False)


def read_stm_references(text: str, reading: Reading) -> SegmentRows:
    """Alternatives ``{ a / b }`` are references: all first ones, all second ones, and so on."""
    found = _read_rows(text, reading)
    rows = tuple(replace(row, texts=alternatives(row.text)) for row in found.rows)
    return replace(found, rows=rows)


def read_stm_streams(text: str, reading: Reading) -> StreamSet:
    """A stream of words is a recording, or a channel of it where it has several.

    Line ends are breaks.
    """
    return rows_to_streams(_read_rows(text, reading), reading.name)


def _read_rows(text: str, reading: Reading) -> SegmentRows:
    """Return ``file channel speaker start end [<label>] text``; ;; begins a comment.

    A label is in angle brackets and has a comma, is <o>, <na> or like <F0_M>, or is named in a
    comment ``;; LABEL "M"``; where all texts begin with such words, these are labels too. Any other
    is text. Segments that are marked as not to be scored are ignored, and a note says how many.
    """
    rows = []
    ignored = 0
    labels = _labels(text)
    for number, line in filled_lines(text, comment=";;"):
        parts = _fields(line)
        if len(parts) < 5:
            raise FormatError(
                f"{reading.at(number)}: STM has file, channel, speaker, start and end before the "
                f"text, found {shown(line)}"
            )
        name, channel, speaker, start, end = parts[:5]
        words = _without_label("".join(parts[5:]).strip(), labels)
        if words.casefold() == IGNORED:
            ignored += 1
            continue
        first, last = as_span(start, end, reading.at(number))
        row = SegmentRow((words,), number, start=first, end=last, speaker=speaker, recording=name)
        rows.append((row, channel))
    note = f"{reading.name}: ignored {plural(ignored, 'segment')} marked {IGNORED}"
    return SegmentRows(name_channels(rows), (note,) if ignored else ())


def _fields(line: str) -> list[str]:
    return FIELD_SPACE.split(line.strip(), maxsplit=5)


def _check_end(text: str, line: int, reading: Reading) -> None:
    """A last line without words and without a line end has lost both."""
    if not text.endswith(("\n", "\r")) and line == len(split_lines(text)):
        raise FormatError(f"{reading.at(line)}: the file ends before the words; is it cut short?")


_SOUNDS = {"unk", "sil", "noise", "s", "laugh", "breath"}  # in angle brackets, but said


def _labels(text: str) -> set[str]:
    """Return labels without a comma: those that comments name, and those all texts begin with."""
    named = re.findall(r'^[^\S\n]*;;\s*LABEL\s+"([^"]+)"', text, re.MULTILINE | re.IGNORECASE)
    rows = [_fields(line) for _, line in filled_lines(text, comment=";;")]
    texts = [parts[5].split() for parts in rows if len(parts) > 5]
    first = {words[0].casefold() for words in texts}
    inside = {word.casefold() for words in texts for word in words[1:]}
    bracketed = all(re.fullmatch(r"<[^<>]+>", word) for word in first)
    if bracketed and not first & inside and not {word[1:-1] for word in first} & _SOUNDS:
        named += [word[1:-1] for word in first]
    return {name.casefold() for name in named}


def _without_label(text: str, labels: set[str]) -> str:
    found = re.match(r"<([^<>\s]+)>(?:\s+|$)", text)
    if not found:
        return text
    label = found[1].casefold()
    known = "," in label or label in ("o", "na") or re.fullmatch(r"f\d_[mf]", label)
    return text[found.end() :] if known or label in labels else text


def alternatives(text: str) -> tuple[str, ...]:
    """The readings of a text with alternatives, as many as the largest group has; @ is no word.

    >>> alternatives("i've { um / uh / @ } seen { it / that }")
    ("i've um seen it", "i've uh seen that", "i've seen that")
    >>> alternatives("{then / than}")
    ('then', 'than')
    >>> alternatives("a { b")
    ('a { b',)
    """
    words = _apart(text).split()
    if "{" not in words:
        return (text,)
    parsed, rest = _parse(words, 0, inside=False)
    if parsed is None or rest != len(words):
        return (text,)
    size = _largest(parsed)
    return tuple(" ".join(_choose(parsed, number)) for number in range(size))


def _apart(text: str) -> str:
    """Braces around alternatives as words of their own; other braces are parts of words."""
    opened: list[tuple[int, bool]] = []  # where, and whether a / stands alone behind it
    around: set[int] = set()
    for found in re.finditer(r"(?<![^\s{])\{|(?<!\S)/(?!\S)|\}(?![^\s}])", text):
        if found[0] == "{":
            opened.append((found.start(), False))
        elif opened and found[0] == "/":
            opened[-1] = opened[-1][0], True
        elif opened:
            begin, divided = opened.pop()
            around |= {begin, found.start()} if divided else set()
    return "".join(f" {char} " if i in around else char for i, char in enumerate(text))


# A word, or a group: the list of its alternatives, each of them a list of the same.
_Parsed = list[Any]


def _parse(words: list[str], place: int, inside: bool) -> tuple[_Parsed | None, int]:
    found: _Parsed = []
    while place < len(words):
        word = words[place]
        if inside and word in ("/", "}"):
            break
        if word == "{":
            options = []
            while place < len(words) and words[place] in ("{", "/"):
                option, place = _parse(words, place + 1, inside=True)
                if option is None:
                    return None, place
                options.append(option)
            if place == len(words) or len(options) < 2:
                return None, place
            found.append(options)
        else:
            found.append(word)
        place += 1
    return found, place


def _largest(parsed: _Parsed) -> int:
    sizes = [
        max(len(item), *(_largest(option) for option in item))
        for item in parsed
        if isinstance(item, list)
    ]
    return max(sizes, default=1)


def _choose(parsed: _Parsed, number: int) -> Iterator[str]:
    for item in parsed:
        if isinstance(item, list):
            yield from _choose(item[min(number, len(item) - 1)], number)
        elif item != "@":
            yield item


STM = Format(
    "stm",
    endings_of("stm"),
    "NIST's STM: file, channel, speaker, start, end, words; a line is a segment",
    "talk 1 anna 0.0 1.2 so we went\ntalk 1 ben 1.2 2.5 and then",
    read_stm_turns,
    timed=True,
    takes=("tiers", "ignore_tokens"),
    references=read_stm_references,
    streams=read_stm_streams,
)
