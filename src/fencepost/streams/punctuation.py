"""Whether punctuation is compared: only if both sides have it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from fencepost.model.documents import ReferenceSet, StreamSet
from fencepost.streams.documents import StreamError
from fencepost.streams.tokens import Punctuation, Tokenizer
from fencepost.wording import listed

Compared = Literal["auto", "keep", "remove"]

MARKS = ".,?!;:…。，、．？！；：।॥؟،؛۔።"
_IN_NUMBERS = re.compile(r"\d[.,:](?=\d)")  # 3.5 and 10:30 are words to a recogniser
FEWER_TIMES = 10  # a side with so many times fewer marks per character counts as one without


def marks_per_character(text: str) -> float:
    """Return how many marks such as . , ? ! a text has per character, without those in numbers.

    >>> marks_per_character("so we went."), marks_per_character("at 10:30")
    (0.09090909090909091, 0.0)
    """
    marks = sum(map(text.count, MARKS))
    if marks:
        marks -= len(_IN_NUMBERS.findall(text))
    return marks / max(len(text), 1)


def choose_punctuation(
    references: ReferenceSet, systems: Sequence[StreamSet]
) -> tuple[Punctuation, str | None]:
    """Return "remove" if only one side has punctuation, with a sentence about it; else "keep".

    A full stop that the other side cannot have would count as a missing word, and words would be
    aligned with it. Systems of one table are compared alike: one without punctuation decides.
    """
    written = marks_per_character(
        "".join(text for one in references.segments for text in one.references if text)
    )
    without: dict[str, float] = {}  # who has fewer marks, and how many
    for one in systems:
        text = "".join(stream.text for stream in one)
        own = marks_per_character(text)
        # A system that said nothing does not decide for the others.
        if text.strip() and min(own, written) * FEWER_TIMES < max(own, written):
            without[one.name if own < written else references.name] = min(own, written)
    if not without:
        return "keep", None
    verb = "have" if len(without) > 1 or "the references" in without else "has"
    few = "hardly any" if any(without.values()) else "none"
    names = listed(list(without), 5)
    return "remove", f"words are aligned without punctuation, because {names} {verb} {few}"


def settle_punctuation(
    asked: Compared, tokenizer: Any, references: ReferenceSet, systems: Sequence[StreamSet]
) -> tuple[Punctuation, str | None]:
    """Return what was asked for, or what both sides have; a Tokenizer brings its own choice."""
    if asked not in ("auto", "keep", "remove"):
        raise StreamError(f"punctuation must be auto, keep or remove, found {asked!r}")
    if isinstance(tokenizer, Tokenizer):
        if asked not in ("auto", tokenizer.punctuation):
            raise StreamError(
                f"the tokenizer was made with punctuation={tokenizer.punctuation!r}, found "
                f"punctuation={asked!r} beside it; give it to tokenizer(...)"
            )
        return tokenizer.punctuation, None
    return choose_punctuation(references, systems) if asked == "auto" else (asked, None)
