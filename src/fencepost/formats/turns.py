"""Transcripts as turns: each is a segment of words, by a speaker if one is named.

CHAT, Rezonator and STM files come here; their own files only read the turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fencepost.formats.built import built
from fencepost.formats.options import FormatError, Reading
from fencepost.model.corpus import Corpus, CorpusBuilder, Key
from fencepost.model.segmentation import Segmentation


@dataclass(frozen=True)
class Turn:
    """Words that stand together."""

    text: str
    speaker: str
    words: Sequence[str]


@dataclass
class _Stream:
    words: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def by_speaker(reading: Reading, otherwise: bool) -> bool:
    """Whether every speaker is a stream of their own."""
    if reading.tiers in (None, "speakers", "one"):
        return otherwise if reading.tiers is None else reading.tiers == "speakers"
    raise FormatError(
        f"{reading.name}: --tiers speakers (each is a stream) or --tiers one (all in one), found "
        f"{reading.tiers!r}; a transcript is one coder's"
    )


def corpus_of_turns(
    turns: Sequence[Turn], reading: Reading, apart: bool, usual: bool = True
) -> Corpus:
    """A cut after every turn; with ``apart`` every speaker is a stream.

    ``usual`` is what the format does where the person does not say.
    """
    left_out = pattern_of(reading)
    streams: dict[tuple[str, str], _Stream] = {}
    speakers: dict[str, set[str]] = {}
    for turn in turns:
        words = [word for word in turn.words if not (left_out and left_out.search(word))]
        if words:
            speakers.setdefault(turn.text, set()).add(turn.speaker)
            stream = streams.setdefault((turn.text, turn.speaker if apart else ""), _Stream())
            stream.words += words
            stream.sizes.append(len(words))
    if not streams:
        raise FormatError(f"{reading.name} has no words")
    builder = CorpusBuilder()
    for item, stream in streams.items():
        seg = Segmentation.from_masses(stream.sizes)
        builder.add(Key(*item, "1"), seg, stream.words)
    several = any(len(own) > 1 for own in speakers.values())
    return built(
        builder,
        reading,
        choices=said_choices(reading, apart != usual and several),
        unit="word",
        nameless={text for text, _ in streams} == {reading.stem},
    )


def said_choices(reading: Reading, unusual: bool) -> dict[str, str]:
    """For the signature: tokens left out, and ``--tiers`` where it made other streams."""
    choices = ignored(reading)
    if unusual and reading.tiers is not None:
        choices["tiers"] = reading.tiers
    return choices


def pattern_of(reading: Reading) -> re.Pattern[str] | None:
    """The tokens that are left out."""
    if reading.ignore_tokens is None:
        return None
    try:
        return re.compile(reading.ignore_tokens)
    except re.error as error:
        raise FormatError(f"--ignore-tokens is not a regular expression: {error}") from None


def ignored(reading: Reading) -> dict[str, str]:
    """What was left out, for the signature."""
    return {} if reading.ignore_tokens is None else {"ignored": reading.ignore_tokens}
