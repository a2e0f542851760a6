"""What a character is to a tokenizer: bits for each code point, from the Unicode tables of Python.

A space is what ``str.isspace`` calls one, no-break spaces (U+00A0, U+2007, U+202F) included. The
word joiner (U+2060) and U+FEFF, once a no-break space without width, are invisible and no spaces.
"""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fencepost import _core

Bits: TypeAlias = npt.NDArray[np.uint16]

# Scripts that are written without spaces between words, as blocks; their letters are tokens.
BLOCKS = {
    "Han": ((0x2E80, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B),
            (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F)),
    "Thai": ((0x0E01, 0x0E7F),),
    "Lao": ((0x0E80, 0x0EFF),),
    "Khmer": ((0x1780, 0x17FF),),
    "Burmese": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
}  # fmt: skip
APOSTROPHES_AND_HYPHENS = "'’＇-‐‑"
HALFWIDTH_MARKS = "\uff9e\uff9f"  # letters to Unicode, but half of ﾊﾞ and ﾊﾟ to readers
JOINERS = "\u00ad\u200c\u200d\u2060"  # invisible, and a word goes on after them
OPENING = "¿¡"  # they open a sentence, though Unicode does not call them opening

# The bits, as in cpp/streams/tokens.hpp, which says what they are for.
SPACE, LETTER, UNSPACED, ATTACHED, MARK, SIGN, PICTURE, SEEN, LINK, OPENS = (
    1 << place for place in range(10)
)

_PAGE = 256  # code points that are looked up together, once one of them is met
_TABLE: Bits = np.zeros(0x110000, dtype=np.uint16)
_known: set[int] = set()


def bits_of(texts: tuple[str, ...]) -> Bits:
    """The bits of every code point that the texts have, in a table of all code points."""
    for page in _core.used_pages(texts).tolist():
        if page not in _known:
            codes = range(page * _PAGE, (page + 1) * _PAGE)
            _TABLE[codes.start : codes.stop] = [_bits(code) for code in codes]
            _known.add(page)
    return _TABLE


def has_unspaced(texts: tuple[str, ...]) -> bool:
    """Tell whether the texts have anything near a script without spaces."""
    pages = bits_of(texts).reshape(-1, _PAGE)[_core.used_pages(texts)]
    return bool((pages & UNSPACED).any())


def _bits(code: int) -> int:
    character = chr(code)
    kind = unicodedata.category(character)
    space, unseen, mark = character.isspace(), kind in ("Cc", "Cf"), kind[0] == "M"
    unspaced, letter = _is_unspaced(code, kind), character.isalnum()
    has = {
        SPACE: space,
        LETTER: letter and not unspaced,
        UNSPACED: unspaced,
        ATTACHED: mark or character in HALFWIDTH_MARKS or character in JOINERS,
        MARK: mark,
        SIGN: not (letter or space or unseen),
        PICTURE: not (letter or space or character == "_"),
        SEEN: not (space or unseen),
        LINK: character in APOSTROPHES_AND_HYPHENS,
        OPENS: kind in ("Ps", "Pi") or character in OPENING,
    }
    return sum(bit for bit, true in has.items() if true)


def _is_unspaced(code: int, kind: str) -> bool:
    """Tell letters of scripts without spaces. Radicals count, digits and punctuation do not."""
    if not any(first <= code <= last for blocks in BLOCKS.values() for first, last in blocks):
        return False
    return kind in ("Lo", "Lm", "Nl") or 0x2E80 <= code <= 0x2FD5 or code >= 0x20000


def count_letters(text: str) -> dict[str, int]:
    """How many characters of a text are letters of each script without spaces, or marks on them."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    bits = bits_of((text,))[codes]
    attached = (bits & ATTACHED) != 0
    places = np.arange(len(codes))
    counts = {}
    for script, blocks in BLOCKS.items():
        inside = sum(((codes >= first) & (codes <= last) for first, last in blocks), start=False)
        letter = inside & ((bits & UNSPACED) != 0)
        # The last character before each one that is not just attached to another.
        carrier = np.maximum.accumulate(np.where(letter | ~attached, places, 0))
        counts[script] = int(letter[carrier].sum())
    return counts
