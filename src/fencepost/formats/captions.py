"""Captions: SRT and WebVTT, and text with ``<eol>`` and ``<eob>`` between the words."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.turns import Marked, corpus_of_marks
from fencepost.formats.values import as_whole
from fencepost.formats.writing import check_holds, is_spaceless, marks_of, needed_words
from fencepost.model.corpus import Corpus, Item

EOB, EOL = "eob", "eol"
NAMES = (EOB, EOL)
_STAMP = r"(?:([0-9]+):)?([0-5]?[0-9]):([0-5]?[0-9])[.,]([0-9]{1,3})"
_TIMES = re.compile(rf"\s*{_STAMP}\s*-->\s*{_STAMP}(?:\s+\S.*)?\s*\Z")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|</?[0-9:.]*>|\{\\[^{}]*\}")
_CUT_TAG = re.compile(r"<(?:/[A-Za-z]*|[A-Za-z][^<>]*|[0-9]+:[0-9:.]*)?\Z")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]*)>|</v>")


@dataclass(frozen=True)
class _Chunk:
    """Lines that stand together, and the number of the first."""

    number: int
    lines: list[str]
    closed: bool = True  # something follows, if only an empty line

    @property
    def name(self) -> str:
        """The number or name that stands before the times, if one does."""
        return "" if "-->" in self.lines[0] or len(self.lines) == 1 else self.lines[0].strip()

    @property
    def timed(self) -> bool:
        """Whether it begins as a caption does."""
        return any("-->" in line for line in self.lines[:2])


@dataclass(frozen=True)
class _Block:
    """A caption: the lines of its words, by one speaker if speakers are apart."""

    line: int
    start: float
    lines: list[list[str]]
    speaker: str = ""


def read_srt(text: str, reading: Reading) -> Corpus:
    """Words are units; a block ends with the type ``eob``, a line inside it with ``eol``.

    ``--levels 1`` reads blocks as segments without types, ``--levels all`` lines too. Tags of style
    (<i>) are ignored. An empty line inside a caption is none where the numbers of the captions show
    that it goes on. Captions that roll, so that each begins with the line with which the one before
    ended (as YouTube makes them), are read once.
    """
    chunks = _joined(_chunks(split_lines(text), cues=False))
    return _corpus([one for chunk in chunks for one in _blocks(chunk, reading)], reading)


def read_vtt(text: str, reading: Reading) -> Corpus:
    """WebVTT, read as SRT is; notes, styles and regions are ignored.

    Only an empty line ends a cue, a line of spaces does not. Entities are decoded: &amp; is &.
    ``--tiers speakers`` reads each speaker alone whom <v Name> names.
    """
    lines = split_lines(text)
    if not re.match(r"WEBVTT(\s|$)", lines[0].lstrip("\ufeff") if lines else ""):
        raise FormatError(f"{reading.at(1)}: a WebVTT file begins with WEBVTT")
    blocks = []
    for chunk in _chunks(lines, cues=True):
        if chunk.number == 1 or re.match(r"(NOTE|STYLE|REGION)\b", chunk.lines[0].strip()):
            continue
        blocks += _blocks(chunk, reading, html.unescape)
    return _corpus(blocks, reading)


def _chunks(lines: Sequence[str], cues: bool) -> list[_Chunk]:
    """Lines between empty ones.

    Among the ``cues`` of WebVTT a line of spaces is not empty, and times begin another cue also
    where no empty line is before them.
    """
    found: list[_Chunk] = []
    closed = True  # the next line begins another
    for number, line in enumerate(lines, start=1):
        if not line.strip() and (closed or not cues or not line):
            closed = True
        elif closed or (cues and "-->" in line and _full(found[-1])):
            found.append(_Chunk(number, [line]))
            closed = False
        else:
            found[-1].lines.append(line)
    if not closed:
        found[-1] = replace(found[-1], closed=False)
    return found


def _joined(chunks: Sequence[_Chunk]) -> list[_Chunk]:
    """Captions with an empty line inside, where numbers prove that none is missing behind it."""
    found: list[_Chunk] = []
    after = _names_after(chunks)
    for place, chunk in enumerate(chunks):
        text = not chunk.timed and not chunk.lines[0].strip().isdigit()
        if text and found and _consecutive(found[-1].name, after[place]):
            before = found[-1]
            gap = [""] * (chunk.number - before.number - len(before.lines))
            found[-1] = replace(before, lines=[*before.lines, *gap, *chunk.lines])
        else:
            found.append(chunk)
    return found


def _names_after(chunks: Sequence[_Chunk]) -> list[str]:
    """The name of the caption that follows each chunk."""
    found: list[str] = []
    name = ""
    for chunk in reversed(chunks):
        found.append(name)
        name = chunk.name if chunk.timed else name
    return found[::-1]


def _consecutive(first: str, second: str) -> bool:
    numbers = [int(name) for name in (first, second) if re.fullmatch(r"[0-9]{1,9}", name)]
    return len(numbers) == 2 and numbers[1] == numbers[0] + 1


def _full(chunk: _Chunk) -> bool:
    """Whether times cannot belong to these lines, as they do to the name of a cue."""
    if chunk.timed:  # a number behind its text may be text, or the name of the next cue
        return not chunk.lines[-1].strip().isdigit()
    return chunk.number == 1 or len(chunk.lines) > 1


def _blocks(chunk: _Chunk, reading: Reading, decode: Callable[[str], str] = str) -> list[_Block]:
    """A caption; one for each speaker where speakers are apart."""
    at = int(len(chunk.lines) > 1 and "-->" not in chunk.lines[0])  # a number or name before it
    number, lines = chunk.number + at, chunk.lines[at + 1 :]
    where = reading.at(number)
    start = _start(chunk.lines[at], where)
    lost = next((i for i, line in enumerate(lines, 1) if _TIMES.match(line)), None)
    if lost is not None:
        raise FormatError(
            f"{reading.at(number + lost)}: an empty line is missing before these times"
        )
    if not chunk.closed and (not lines or _CUT_TAG.search(lines[-1])):
        said = "inside a tag" if lines else "after these times"
        raise FormatError(
            f"{reading.at(number + len(lines))}: the file ends {said}; is it cut short?"
        )
    if reading.tiers != "speakers":
        return [_Block(number, start, _words(lines, decode))]
    return [
        _Block(number, start, words, speaker)
        for speaker, own in _voices("\n".join(lines), where)
        if (words := _words(own.split("\n"), decode))
    ]


def _start(line: str, where: str) -> float:
    found = _TIMES.match(line)
    if not found:
        raise FormatError(
            f"{where}: a caption begins with its times, 00:00:01,000 --> 00:00:02,500, found "
            f"{line.strip()[:40]!r}; if this belongs to the caption above, take the empty line out"
        )
    start, end = (_seconds(found.groups()[i : i + 4], where) for i in (0, 4))
    if end < start:
        raise FormatError(f"{where}: the caption ends before it starts")
    return start


def _seconds(parts: Sequence[str | None], where: str) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    whole = as_whole(hours, where) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + int(fraction.ljust(3, "0")) / 1000


def _words(lines: Sequence[str], decode: Callable[[str], str]) -> list[list[str]]:
    """The words of each line that has some."""
    found = (decode(_TAG.sub("", line)).split() for line in lines)
    return [words for words in found if words]


def _voices(text: str, where: str) -> list[tuple[str, str]]:
    """What each speaker says in a cue: <v Name> begins, </v> or another one ends."""
    before, *rest = _VOICE.split(text)
    found = [(rest[i] or "", rest[i + 1]) for i in range(0, len(rest), 2)]
    for speaker, said in [("", before), *found]:
        if not speaker.strip() and _words([said], str):
            raise FormatError(
                f"{where}: --tiers speakers, but no <v Name> says who speaks here; without it all "
                "captions are read as one speaker's"
            )
    return [(html.unescape(speaker).strip(), said) for speaker, said in found]


def _corpus(blocks: Sequence[_Block], reading: Reading) -> Corpus:
    for before, after in pairwise(blocks):
        if after.start < before.start:
            raise FormatError(
                f"{reading.at(after.line)}: this caption starts before the one above it; captions "
                "stand in the order of time: sort them"
            )
    used = {}
    if reading.tiers != "speakers" and _rolls(blocks):
        blocks, used = _unrolled(blocks), {"repeats": "dropped"}
    streams: dict[Item, tuple[list[str], list[str]]] = {}
    for block in blocks:
        for number, line in enumerate(block.lines, start=1):
            words, marks = streams.setdefault((reading.stem, block.speaker), ([], []))
            words += line
            marks += [""] * (len(line) - 1) + [EOB if number == len(block.lines) else EOL]
    if not streams:
        raise FormatError(f"{reading.name} has no captions with words")
    return _by_levels(streams, reading, used)


def _repeated(before: _Block, after: _Block) -> bool:
    """Whether a caption begins with the last line of the one before it, or with more of it."""
    if not before.lines or not after.lines:
        return False
    last = before.lines[-1]
    return after.lines[0][: len(last)] == last


def _rolls(blocks: Sequence[_Block]) -> bool:
    """Whether captions roll up: half of them or more repeat a line, some to show the next one.

    A caption that says again what the one before said is no sign: people do repeat themselves.
    """
    pairs = list(pairwise([block for block in blocks if block.lines]))
    again = [after for before, after in pairs if _repeated(before, after)]
    return 2 * len(again) >= len(pairs) and any(len(block.lines) > 1 for block in again)


def _unrolled(blocks: Sequence[_Block]) -> list[_Block]:
    """Every line once, in the caption that shows it first; a line that grows is the longer one."""
    filled = [block for block in blocks if block.lines]
    found = [replace(block, lines=list(block.lines)) for block in filled[:1]]
    for before, after in pairwise(filled):
        lines = after.lines
        if _repeated(before, after):
            found[-1].lines[-1] = lines[0]
            lines = lines[1:]
        if lines:
            found.append(replace(after, lines=list(lines)))
    return found


def _by_levels(streams: Marked, reading: Reading, used: Mapping[str, str]) -> Corpus:
    """Words and the marks after them, by text and speaker; ``--levels`` says which marks count."""
    levels = reading.levels or "kinds"
    if levels == "kinds":
        return corpus_of_marks(streams, NAMES, reading, dict(used))
    wanted = (EOB,) if levels == "1" else NAMES
    corpus = corpus_of_marks(
        {
            item: (words, [mark if mark in wanted else "" for mark in marks])
            for item, (words, marks) in streams.items()
        },
        NAMES,
        reading,
        {**used, "levels": levels},
    )
    return corpus.view("positions")


def read_tagged(text: str, reading: Reading) -> Corpus:
    """Words with ``<eol>`` at the end of a line of a caption and ``<eob>`` at the end of a block.

    ``--levels`` as for SRT. Every line of the file is a text of its own where there are several.
    """
    lines = [(n, line) for n, line in enumerate(split_lines(text), start=1) if line.strip()]
    if re.search(r"(?<!\S)<(?:e|eo|eol|eob)?\Z", text):
        raise FormatError(
            f"{reading.at(lines[-1][0])}: the file ends inside a tag; is it cut short?"
        )
    streams: dict[Item, tuple[list[str], list[str]]] = {}
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
        streams[str(order) if len(lines) > 1 else reading.stem, ""] = words, marks
    if not streams:
        raise FormatError(f"{reading.name} has no captions")
    return _by_levels(streams, reading, {})


def write_tagged(corpus: Corpus) -> str:
    """One text per line."""
    check_holds(corpus, "tagged", "texts", "kinds")
    lines = []
    for number, (key, seg) in enumerate(corpus.entries.items(), start=1):
        if len(corpus.entries) > 1 and key.text != str(number):
            raise FormatError(
                f"tagged captions are one text per line and have no names; {key.text} would be "
                f"{number}; tokens hold names"
            )
        words = needed_words(corpus, (key.text, ""), seg.units, "tagged", _is_word)
        if seg.kind_names is None or set(seg.kind_names) - set(NAMES):
            raise FormatError(
                f"{key.text}: tagged captions have the boundary types eol and eob only; jsonl "
                "holds others"
            )
        tags = [f"<{mark}>" if mark else "" for mark in marks_of(seg, key, "tagged")]
        tokens = [token for both in zip(words, tags, strict=True) for token in both if token]
        lines.append(" ".join(tokens))
    return "\n".join(lines) + "\n"


def _is_word(word: str) -> bool:
    return is_spaceless(word) and not re.search(r"<eo[lb]>", word)


SRT = Format(
    "srt",
    endings_of("srt"),
    "captions: a block is a segment, lines inside it end with boundaries of another type",
    "1\n00:00:01,000 --> 00:00:02,500\nSo we went\nto the sea.\n\n"
    "2\n00:00:03,000 --> 00:00:04,000\nIt rained.",
    read_srt,
    lambda text: (
        re.match(r"\s*\d+\s*\n\s*\d+:\d\d:\d\d,\d+\s*-->", text.replace("\r\n", "\n")) is not None
    ),
    sure=True,
    timed=True,
    takes=("levels", "tiers"),
)
VTT = Format(
    "vtt",
    endings_of("vtt"),
    "WebVTT captions, as SRT",
    "WEBVTT\n\n00:01.000 --> 00:02.500\nSo we went\nto the sea.\n\n"
    "00:03.000 --> 00:04.000\nIt rained.",
    read_vtt,
    lambda text: re.match(r"WEBVTT(\s|$)", text) is not None,
    sure=True,
    timed=True,
    takes=("levels", "tiers"),
)
TAGGED = Format(
    "tagged",
    endings_of("tagged"),
    "captions as text, `so we went <eol> to the sea <eob>`",
    "So we went <eol> to the sea. <eob> It rained. <eob>",
    read_tagged,
    # Words of records may hold it too.
    lambda text: "<eob>" in text[:100_000] and not text.lstrip().startswith(("{", "[")),
    write_tagged,
    sure=True,
    keeps=("kinds", "words"),
    takes=("levels",),
)
