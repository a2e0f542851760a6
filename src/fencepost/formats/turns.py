"""Transcripts as turns: each is a segment of words, by a speaker if one is named.

CHAT, Rezonator and STM files come here; their own files only read the turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fencepost.formats.built import built_from_words, join_parts
from fencepost.formats.options import FormatError, Reading
from fencepost.model.corpus import ONLY, Corpus, Item, Key
from fencepost.model.segmentation import Segmentation


@dataclass(frozen=True)
class Turn:
    """Words that stand together."""

    text: str
    speaker: str
    words: Sequence[str]


# The words of a text and speaker, and the type of boundary after each of them, or "".
Marked = Mapping[Item, tuple[list[str], list[str]]]


def by_speaker(reading: Reading, otherwise: bool) -> bool:
    """Return whether every speaker is read alone."""
    if reading.tiers in (None, "speakers", "one"):
        return otherwise if reading.tiers is None else reading.tiers == "speakers"
    raise FormatError(
        f"{reading.name}: --tiers speakers (each alone) or --tiers one (all as one), found "
        f"{reading.tiers!r}; a transcript is one coder's"
    )


def corpus_of_turns(
    turns: Sequence[Turn], reading: Reading, apart: bool, usual: bool = True
) -> Corpus:
    """Return a boundary after every turn; with ``apart`` every speaker is read alone.

    ``usual`` is what the format does where the person does not say.
    """
    keep = word_filter(reading)
    streams: dict[Key, list[list[str]]] = {}
    speakers: dict[str, set[str]] = {}
    for turn in turns:
        said = list(filter(keep, turn.words))
        if said:
            speakers.setdefault(turn.text, set()).add(turn.speaker)
            key = Key(turn.text, turn.speaker if apart else "", ONLY)
            streams.setdefault(key, []).append(said)
    if not streams:
        raise FormatError(f"{reading.name} has no words")
    several = any(len(own) > 1 for own in speakers.values())
    return built_from_words(
        {key: join_parts(parts) for key, parts in streams.items()},
        reading,
        choices=said_choices(reading, apart != usual and several),
    )


def corpus_of_marks(
    streams: Marked, names: Sequence[str], reading: Reading, choices: dict[str, str]
) -> Corpus:
    """Return the corpus of words with boundaries of these types after them."""
    return built_from_words(
        {
            Key(*item, ONLY): (Segmentation.from_marks(marks, names), words)
            for item, (words, marks) in streams.items()
        },
        reading,
        choices=choices,
    )


def said_choices(reading: Reading, unusual: bool) -> dict[str, str]:
    """For the signature: tokens left out, and ``--tiers`` where it made other streams."""
    choices = ignored(reading)
    if unusual and reading.tiers is not None:
        choices["tiers"] = reading.tiers
    return choices


def word_filter(reading: Reading) -> Callable[[str], bool]:
    """Return a function that tells whether ``--ignore-tokens`` keeps a word."""
    if reading.ignore_tokens is None:
        return lambda word: True
    try:
        pattern = re.compile(reading.ignore_tokens)
    except re.error as error:
        raise FormatError(f"--ignore-tokens is not a regular expression: {error}") from None
    return lambda word: pattern.search(word) is None


def ignored(reading: Reading) -> dict[str, str]:
    """What was left out, for the signature."""
    return {} if reading.ignore_tokens is None else {"ignored": reading.ignore_tokens}
