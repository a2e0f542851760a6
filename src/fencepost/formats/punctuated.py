"""Transcripts whose punctuation marks are the boundaries: ``F: word word , word .``"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fencepost.formats.built import built
from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.turns import by_speaker, pattern_of, said_choices
from fencepost.model.corpus import Corpus, CorpusBuilder, Key
from fencepost.model.segmentation import Segmentation

_SPEAKER = re.compile(r"\s*(?P<name>[^\s:][^:\t]{0,30}?)\s*:(?=\s|$)")
MARK = re.compile(r"[^\w\s]+\Z")


def read_punctuated(text: str, reading: Reading) -> Corpus:
    """A line a turn: the speaker, a colon, words, and marks that stand alone between spaces.

    A mark is the kind of boundary after the word before it. Speakers are streams (``--tiers one``
    puts all into one). ``--ignore-tokens`` leaves words or marks out.
    """
    apart = by_speaker(reading, otherwise=True)
    left_out = pattern_of(reading)
    words: dict[str, list[str]] = {}
    marks: dict[str, list[str]] = {}
    speakers: set[str] = set()
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        found = _SPEAKER.match(line)
        if not found:
            raise FormatError(
                f"{reading.at(number)}: a turn begins with the speaker and a colon, found "
                f"{line.strip()[:40]!r}"
            )
        speakers.add(found["name"])
        stream = found["name"] if apart else ""
        own, after = words.setdefault(stream, []), marks.setdefault(stream, [])
        for token in line[found.end() :].split():
            if left_out and left_out.search(token):
                continue
            if not MARK.match(token):
                own.append(token)
                after.append("")
            elif not own:
                raise FormatError(
                    f"{reading.at(number)}: the mark {token!r} has no word of {found['name']} "
                    "before it"
                )
            elif after[-1] not in ("", token):
                raise FormatError(
                    f"{reading.at(number)}: two marks after {own[-1]!r}, {after[-1]!r} and "
                    f"{token!r}; a place has one"
                )
            else:
                after[-1] = token
    return _corpus(words, marks, reading, said_choices(reading, not apart and len(speakers) > 1))


def _corpus(
    words: dict[str, list[str]],
    marks: dict[str, list[str]],
    reading: Reading,
    choices: dict[str, str],
) -> Corpus:
    names = list(dict.fromkeys(mark for own in marks.values() for mark in own if mark))
    filled = [stream for stream, own in words.items() if own]
    if not filled:
        raise FormatError(f"{reading.name} has no words")
    builder = CorpusBuilder()
    for stream in filled:
        seg = Segmentation.from_marks(marks[stream], names)
        builder.add(Key(reading.stem, stream, "1"), seg, words[stream])
    return built(builder, reading, choices=choices, unit="word", nameless=True)


def looks_punctuated(text: str) -> bool:
    """Every line has a speaker, and most end with a mark that stands alone."""
    lines = [line for line in split_lines(text) if line.strip()]
    if not lines or not all(_SPEAKER.match(line) for line in lines):
        return False
    ended = sum(bool(MARK.match(line.split()[-1])) for line in lines)
    return 2 * ended > len(lines)


def write_punctuated(corpus: Corpus) -> str:
    """A line for each speaker of the only text."""
    if len(corpus.texts) != 1 or len(corpus.coders) != 1:
        raise FormatError(
            f"a punctuated transcript is one text by one coder, and there are "
            f"{len(corpus.texts)} texts and {len(corpus.coders)} coders; write each to a file, or "
            "all to tokens or jsonl"
        )
    lines = []
    for key, seg in corpus.entries.items():
        words = corpus.tokens.get((key.text, key.stream))
        if words is None or len(words) != seg.units or seg.kinds is None:
            raise FormatError(
                f"{key.text}: a punctuated transcript needs the words and the kinds of boundaries; "
                "tokens and jsonl do without"
            )
        named = _SPEAKER.fullmatch(f"{key.stream}:")
        if not named or named["name"] != key.stream or len(split_lines(key.stream)) != 1:
            raise FormatError(
                f"{key.text}: {key.stream!r} cannot stand before a colon as a speaker; tokens and "
                "jsonl do without"
            )
        lines.append(" ".join([f"{key.stream}:", *_line(words, seg, key)]))
    return "\n".join(lines) + "\n"


def _line(words: Sequence[str], seg: Segmentation, key: Key) -> list[str]:
    tokens = []
    for word, mark in zip(words, seg.marks, strict=True):
        if word.split() != [word] or MARK.match(word):
            raise FormatError(
                f"{key.text}: {word!r:.60} would not be read as a word again; jsonl can hold it"
            )
        tokens.append(word)
        if not isinstance(mark, str) or (mark and not MARK.fullmatch(mark)):
            raise FormatError(
                f"{key.text}: {mark!r} after {word!r} is no punctuation mark; jsonl can hold it"
            )
        if mark:
            tokens.append(mark)
    return tokens


PUNCTUATED = Format(
    "punctuated",
    endings_of("punctuated"),
    "a line a turn, `F: word word , word .`: marks are kinds of boundaries, a speaker a stream",
    "F: so we went , and then .\nM: did you ?",
    read_punctuated,
    looks_punctuated,
    write_punctuated,
    keeps=("speakers", "kinds", "words"),
    takes=("tiers", "ignore_tokens"),
)
