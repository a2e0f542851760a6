"""Captions: SRT and WebVTT, and text with ``<eol>`` and ``<eob>`` between the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading, split_lines
from fencepost.segmentation import Segmentation

EOB, EOL = "eob", "eol"
NAMES = (EOB, EOL)
_STAMP = r"(?:(\d+):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})"
_TIMES = re.compile(rf"\s*{_STAMP}\s*-->\s*{_STAMP}(?:\s+\S.*)?\s*\Z")
_TAG = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")


@dataclass(frozen=True)
class _Block:
    line: int
    start: float
    lines: list[list[str]]


def read_srt(text: str, reading: Reading) -> Corpus:
    """Words are units; a block ends with the kind ``eob``, a line inside it with ``eol``.

    ``--levels 1`` reads blocks as segments without kinds, ``--levels all`` lines too. Tags of
    style (<i>) are left out.
    """
    blocks = []
    for number, chunk in _chunks(split_lines(text)):
        at = int(len(chunk) > 1 and chunk[0].strip().isdigit())  # a caption may have a number
        blocks.append(_block(chunk[at:], number + at, reading))
    return _corpus(blocks, reading)


def read_vtt(text: str, reading: Reading) -> Corpus:
    """WebVTT, read as SRT is; notes, styles and regions are left out."""
    lines = split_lines(text)
    if not re.match(r"WEBVTT(\s|$)", lines[0].lstrip("\ufeff") if lines else ""):
        raise FormatError(f"{reading.at(1)}: a WebVTT file begins with WEBVTT")
    blocks = []
    for order, (number, chunk) in enumerate(_chunks(lines)):
        head = chunk[0].strip()
        if order == 0 or re.match(r"(NOTE|STYLE|REGION)\b", head):
            continue
        at = 1 if "-->" not in head and len(chunk) > 1 else 0  # a cue may have a name
        blocks.append(_block(chunk[at:], number + at, reading))
    return _corpus(blocks, reading)


def _chunks(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Lines between empty ones, with the number of the first."""
    found: list[tuple[int, list[str]]] = []
    fresh = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            fresh = True
        elif fresh:
            found.append((number, [line]))
            fresh = False
        else:
            found[-1][1].append(line)
    return found


def _block(chunk: Sequence[str], number: int, reading: Reading) -> _Block:
    found = _TIMES.match(chunk[0])
    if not found:
        raise FormatError(
            f"{reading.at(number)}: a caption begins with its times, 00:00:01,000 --> "
            f"00:00:02,500, found {chunk[0].strip()[:40]!r}"
        )
    start, end = (_seconds(found.groups()[i : i + 4]) for i in (0, 4))
    if end < start:
        raise FormatError(f"{reading.at(number)}: the caption ends before it starts")
    lost = next((i for i, line in enumerate(chunk[1:], 1) if _TIMES.match(line)), None)
    if lost is not None:
        raise FormatError(
            f"{reading.at(number + lost)}: an empty line is missing before these times"
        )
    return _Block(number, start, [words for line in chunk[1:] if (words := _words(line))])


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _words(line: str) -> list[str]:
    return _TAG.sub("", line).split()


def _corpus(blocks: Sequence[_Block], reading: Reading) -> Corpus:
    for before, after in pairwise(blocks):
        if after.start < before.start:
            raise FormatError(
                f"{reading.at(after.line)}: this caption starts before the one above it; captions "
                "stand in the order of time"
            )
    filled = [block.lines for block in blocks if block.lines]
    if not filled:
        raise FormatError(f"{reading.name} has no captions with words")
    words: list[str] = []
    marks: list[str] = []
    for lines in filled:
        for line in lines:
            words += line
            marks += [""] * (len(line) - 1) + [EOL]
        marks[-1] = EOB
    return _made(words, marks, reading)


def _made(words: list[str], marks: list[str], reading: Reading) -> Corpus:
    levels = reading.levels or "kinds"
    if levels == "kinds":
        seg = Segmentation.from_marks(marks, NAMES)
    else:
        wanted = (EOB,) if levels == "1" else NAMES
        seg = Segmentation(
            len(marks), [i for i, mark in enumerate(marks[:-1], start=1) if mark in wanted]
        )
    key = Key(reading.stem, "", "1")
    return Corpus(
        {key: seg},
        tokens={(reading.stem, ""): words},
        sources={key: reading.name},
        reading={} if levels == "kinds" else {"levels": levels},
        name=reading.stem,
        unit="word",
        anonymous=True,
    )


def read_tagged(text: str, reading: Reading) -> Corpus:
    """Words with ``<eol>`` at the end of a line of a caption and ``<eob>`` at the end of a block.

    ``--levels`` as for SRT. Every line of the file is a text of its own where there are several.
    """
    lines = [(n, line) for n, line in enumerate(split_lines(text), start=1) if line.strip()]
    entries: dict[Key, Segmentation] = {}
    tokens: dict[tuple[str, str], list[str]] = {}
    corpus = None
    for order, (number, line) in enumerate(lines, start=1):
        words: list[str] = []
        marks: list[str] = []
        for token in re.findall(r"<eo[lb]>|(?:(?!<eo[lb]>)\S)+", line):
            if token not in ("<eol>", "<eob>"):
                words.append(token)
                marks.append("")
            elif not words or marks[-1]:
                raise FormatError(f"{reading.at(number)}: {token} has no word before it")
            else:
                marks[-1] = token[1:-1]
        if not words:
            raise FormatError(f"{reading.at(number)}: no words")
        corpus = _made(words, marks, reading)
        name = str(order) if len(lines) > 1 else reading.stem
        entries[Key(name, "", "1")] = next(iter(corpus.entries.values()))
        tokens[name, ""] = words
    if corpus is None:
        raise FormatError(f"{reading.name} has no captions")
    return Corpus(
        entries,
        tokens=tokens,
        sources=dict.fromkeys(entries, reading.name),
        reading=corpus.reading,
        name=reading.stem,
        unit="word",
        anonymous=len(lines) == 1,
    )


def write_tagged(corpus: Corpus) -> str:
    """A text a line."""
    if len(corpus.coders) > 1 or any(stream for _, stream in corpus.items):
        raise FormatError("tagged captions hold one coder and no speakers; tokens hold both")
    lines = []
    for number, (key, seg) in enumerate(corpus.entries.items(), start=1):
        if len(corpus.entries) > 1 and key.text != str(number):
            raise FormatError(
                f"tagged captions are a text a line and have no names; {key.text} would be {number}"
            )
        words = corpus.tokens.get((key.text, ""))
        kinds = seg.kind_names
        if words is None or kinds is None or set(kinds) - {EOL, EOB}:
            raise FormatError(
                f"{key.text}: tagged captions need the words and the kinds eol and eob only"
            )
        lines.append(" ".join(_tagged(list(words), seg, key)))
    return "\n".join(lines) + "\n"


def _tagged(words: list[str], seg: Segmentation, key: Key) -> list[str]:
    tokens = []
    for word, mark in zip(words, seg.marks, strict=True):
        if word.split() != [word] or re.search(r"<eo[lb]>", word):
            raise FormatError(f"{key.text}: {word!r} would not be read as a word again")
        if not isinstance(mark, str):
            raise FormatError(f"{key.text}: two boundaries after {word!r}; a place has one")
        tokens += [word, f"<{mark}>"] if mark else [word]
    return tokens


SRT = Format(
    "srt",
    (".srt",),
    "captions: a block is a segment, lines inside it are cuts of another kind",
    "1\n00:00:01,000 --> 00:00:02,500\nSo we went\nto the sea.\n\n"
    "2\n00:00:03,000 --> 00:00:04,000\nIt rained.",
    read_srt,
    lambda text: (
        re.match(r"\s*\d+\s*\n\s*\d+:\d\d:\d\d,\d+\s*-->", text.replace("\r\n", "\n")) is not None
    ),
    sure=True,
)
VTT = Format(
    "vtt",
    (".vtt",),
    "WebVTT captions, as SRT",
    "WEBVTT\n\n00:01.000 --> 00:02.500\nSo we went\nto the sea.\n\n"
    "00:03.000 --> 00:04.000\nIt rained.",
    read_vtt,
    lambda text: re.match(r"WEBVTT(\s|$)", text) is not None,
    sure=True,
)
TAGGED = Format(
    "tagged",
    (),
    "captions as text, `so we went <eol> to the sea <eob>`",
    "So we went <eol> to the sea. <eob> It rained. <eob>",
    read_tagged,
    lambda text: "<eob>" in text[:100_000],
    write_tagged,
    sure=True,
)
