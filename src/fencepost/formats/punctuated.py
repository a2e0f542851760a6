"""Transcripts whose punctuation marks are the boundaries: ``F: word word , word .``"""

from __future__ import annotations

import re

from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.turns import by_speaker, corpus_of_marks, said_choices, word_filter
from fencepost.formats.writing import check_holds, is_spaceless, marks_of, needed_words
from fencepost.model.corpus import Corpus, Item

_SPEAKER = re.compile(r"\s*(?P<name>[^\s:][^:\t]{0,30}?)\s*:(?=\s|$)")
MARK = re.compile(r"[^\w\s]+\Z")


def read_punctuated(text: str, reading: Reading) -> Corpus:
    """One turn per line: the speaker, a colon, words, and marks between spaces.

    A mark is the type of the boundary after the word before it. Every speaker is
    read alone (``--tiers one`` reads all as one). ``--ignore-tokens`` ignores words or marks.
    """
    apart = by_speaker(reading, otherwise=True)
    keep = word_filter(reading)
    streams: dict[Item, tuple[list[str], list[str]]] = {}
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
        item = reading.stem, found["name"] if apart else ""
        own, after = streams.setdefault(item, ([], []))
        for token in filter(keep, line[found.end() :].split()):
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
                    f"{token!r}; a position has one"
                )
            else:
                after[-1] = token
    filled = {item: both for item, both in streams.items() if both[0]}
    if not filled:
        raise FormatError(f"{reading.name} has no words")
    names = list(dict.fromkeys(mark for _, marks in filled.values() for mark in marks if mark))
    choices = said_choices(reading, not apart and len(speakers) > 1)
    return corpus_of_marks(filled, names, reading, choices)


def looks_punctuated(text: str) -> bool:
    """Every line has a speaker, and most end with a mark that stands alone."""
    lines = [line for line in split_lines(text) if line.strip()]
    if not lines or not all(_SPEAKER.match(line) for line in lines):
        return False
    ended = sum(bool(MARK.match(line.split()[-1])) for line in lines)
    return 2 * ended > len(lines)


def write_punctuated(corpus: Corpus) -> str:
    """A line for each speaker of the only text."""
    check_holds(corpus, "punctuated", "speakers", "kinds")
    lines = []
    for key, seg in corpus.entries.items():
        item = key.text, key.stream
        words = needed_words(corpus, item, seg.units, "a punctuated transcript", _is_word)
        named = _SPEAKER.fullmatch(f"{key.stream}:")
        if not named or named["name"] != key.stream or len(split_lines(key.stream)) != 1:
            raise FormatError(
                f"{key.text}: {key.stream!r} cannot be a speaker before a colon; tokens and jsonl "
                "do without"
            )
        marks = marks_of(seg, key, "a punctuated transcript")
        odd = next((mark for mark in marks if mark and not MARK.fullmatch(mark)), None)
        if odd is not None or seg.kinds is None:
            found = "there are boundaries without a type" if odd is None else f"found {odd!r}"
            raise FormatError(
                f"{key.text}: a punctuated transcript has a punctuation mark at each boundary, "
                f"{found}; tokens and jsonl can hold it"
            )
        tokens = [token for both in zip(words, marks, strict=True) for token in both if token]
        lines.append(" ".join([f"{key.stream}:", *tokens]))
    return "\n".join(lines) + "\n"


def _is_word(word: str) -> bool:
    return is_spaceless(word) and not MARK.match(word)


PUNCTUATED = Format(
    "punctuated",
    endings_of("punctuated"),
    "one turn per line, `F: word word , word .`: marks are boundary types, every speaker is read "
    "alone",
    "F: so we went , and then .\nM: did you ?",
    read_punctuated,
    looks_punctuated,
    write_punctuated,
    keeps=("speakers", "kinds", "words"),
    takes=("tiers", "ignore_tokens"),
)
