"""The rules of the tokenizers as regular expressions, text by text and token by token."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from fencepost.streams.characters import (
    APOSTROPHES_AND_HYPHENS,
    BLOCKS,
    HALFWIDTH_MARKS,
    JOINERS,
    OPENING,
)

Spans = list[tuple[int, int]]


@dataclass(frozen=True)
class Read:
    """What a tokenizer finds in a text."""

    words: list[str]
    spans: Spans
    inside: list[bool]
    cuts: list[int]


def read(rule: str, text: str, case: str = "fold", punctuation: str = "keep") -> Read:
    """Each token as it is compared, its place, and where a boundary before it cuts the text."""
    found = [(comparable(text[a:b], case, punctuation), (a, b)) for a, b in split(rule, text)]
    kept = [(word, span) for word, span in found if word]
    spans = [span for _, span in kept]
    inner = [a for a, b in split("spaced words", text) for a in range(a + 1, b)]
    inside = [rule == "characters" and start in inner for start, _ in spans]
    return Read([word for word, _ in kept], spans, inside, cuts(text, spans))


def split(rule: str, text: str) -> Spans:
    """[start, end) of each token."""
    return [found.span() for found in _pattern(rule).finditer(text)]


def comparable(token: str, case: str, punctuation: str) -> str:
    """A token as it is compared, step by step."""
    token = unicodedata.normalize("NFKC", token.replace("\u00ad", "").replace("\u2060", ""))
    if case == "fold":
        token = unicodedata.normalize("NFKC", token.casefold())
    if punctuation == "remove":
        while token and unicodedata.category(token[0])[0] == "P":
            token = token[1:]
        while token and unicodedata.category(token[-1])[0] == "P":
            token = token[:-1]
    return token


def cuts(text: str, spans: Spans) -> list[int]:
    """Where a boundary before each token cuts the text; the text's end comes last."""
    places = [start for start, _ in spans]
    for number in range(1, len(spans)):
        gap = text[spans[number - 1][1] : spans[number][0]]
        if gap and not gap.isspace():
            places[number] -= _opening(gap)
    return [*([0] if spans else []), *places[1:], len(text)]


def count_letters(text: str) -> dict[str, int]:
    """How many characters are letters of each script without spaces, or marks on them."""
    patterns = {script: f"[{_script(script)}][{_attached()}]*" for script in BLOCKS}
    return {script: sum(map(len, re.findall(p, text))) for script, p in patterns.items()}


def _ranges(codes: Iterable[int]) -> str:
    """The inside of a character class for these ascending code points."""
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in found)


@cache
def _classes() -> dict[str, str]:
    """Marks, invisible and opening characters: category by category."""
    # Beyond these planes there are Han characters, and private ones.
    codes = [*range(0x20000), *range(0xE0000, 0xE0200)]
    kinds = [unicodedata.category(chr(code)) for code in codes]
    pick = {"marks": ("Mn", "Mc", "Me"), "unseen": ("Cc", "Cf"), "opening": ("Ps", "Pi")}
    return {
        name: _ranges(code for code, kind in zip(codes, kinds, strict=True) if kind in wanted)
        for name, wanted in pick.items()
    }


@cache
def _script(name: str) -> str:
    """The letters of a script without spaces. Radicals count, digits and punctuation do not."""
    return _ranges(
        code
        for first, last in BLOCKS[name]
        for code in range(first, last + 1)
        if code >= 0x20000
        or unicodedata.category(chr(code)) in ("Lo", "Lm", "Nl")
        or 0x2E80 <= code <= 0x2FD5
    )


@cache
def _letters() -> str:
    return "".join(_script(name) for name in BLOCKS)


def _attached() -> str:
    return _classes()["marks"] + HALFWIDTH_MARKS + JOINERS


@cache
def _spaced_word() -> str:
    """Letters and digits with their marks, apostrophes and hyphens between them."""
    letter, attached = f"[^\\W_{_letters()}]", f"[{_attached()}]"
    run = f"{letter}+(?:{attached}+{letter}*)*"
    return f"{run}(?:[{re.escape(APOSTROPHES_AND_HYPHENS)}]{run})*"


@cache
def _pattern(rule: str) -> re.Pattern[str]:
    if rule == "whitespace":
        return re.compile(r"\S+")
    if rule == "spaced words":
        return re.compile(_spaced_word())
    attached = f"[{_attached()}]*"
    unseen = _classes()["unseen"]
    if rule == "characters":
        return re.compile(f"[^\\s{unseen}]{attached}")
    # A mark repeated (... or --) is one token, and so are signs that a joiner makes one picture.
    marks = f"[{_classes()['marks']}]*"
    sign = f"([^\\w\\s{unseen}]|_)\\1*{marks}(?:\u200d[^\\w\\s]{marks})*"
    return re.compile(f"{_spaced_word()}|[{_letters()}]{attached}|{sign}")


@cache
def _opening_marks() -> re.Pattern[str]:
    opens = _classes()["opening"] + OPENING
    # After a space: marks that open, or whatever is attached to what follows. Without one: marks
    # that open. A German closing mark counts as opening to Unicode, so the space decides.
    return re.compile(f"(?<=\\s)(?:[{opens}][{opens}\\s]*)?\\S*$|(?<!\\s)[{opens}]*$")


def _opening(gap: str) -> int:
    """How many characters at the end of a gap go with what follows it."""
    found = _opening_marks().search(gap)
    return len(gap) - found.start() if found else 0
