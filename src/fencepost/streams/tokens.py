"""Texts become tokens that can be compared, each knowing its place in the original text."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import FencepostError, Ints
from fencepost.wording import needs

Case = Literal["fold", "keep"]
Punctuation = Literal["keep", "remove"]
Spans: TypeAlias = list[tuple[int, int]]
Bools: TypeAlias = npt.NDArray[np.bool_]
Column: TypeAlias = npt.NDArray[np.int32]  # tokens as numbers

NAMES = ("words", "whitespace", "characters")
SACREBLEU = (
    "none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab",
    "spm", "flores101", "flores200", "spBLEU-1K",
)  # fmt: skip


class TokenError(FencepostError):
    """No such tokenizer, or one that does not fit the text."""


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a text: strings to compare, and [start, end) of each in the text itself.

    ``inside`` marks tokens that continue a word: no boundary may fall before them.
    """

    text: str
    words: list[str]
    starts: Ints
    ends: Ints
    inside: Bools

    def __len__(self) -> int:
        return len(self.words)

    @property
    def spans(self) -> Spans:
        """[start, end) of each token, as plain numbers."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    def cuts(self) -> Ints:
        """Where a boundary before each token cuts the text; the text's end comes last.

        What lies between two tokens (punctuation that is not compared) stays with the token
        before it; marks that open something go with the token after it.
        """
        places = np.append(self.starts, len(self.text))
        if not self.words:
            return places
        places[0] = 0
        for number in np.flatnonzero(self.starts[1:] > self.ends[:-1]).tolist():
            gap = self.text[self.ends[number] : self.starts[number + 1]]
            if not gap.isspace():
                places[number + 1] -= _opening(gap)
        return places

    def pieces(self, boundaries: Sequence[int] | Ints) -> list[str]:
        """The text of each segment as it was written, without the spaces around it.

        ``boundaries`` are numbers of tokens from 0 to all of them, one more than segments.
        """
        places = self.cuts()[np.asarray(boundaries, dtype=np.int64)].tolist()
        places[0], places[-1] = 0, len(self.text)
        return [self.text[a:b].strip() for a, b in pairwise(places)]


# Classes of characters. They are made once, from the Unicode tables that Python has.

# Scripts that are written without spaces between words, as blocks; their letters are tokens.
_BLOCKS = {
    "Han": ((0x2E80, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B),
            (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F)),
    "Thai": ((0x0E01, 0x0E7F),),
    "Lao": ((0x0E80, 0x0EFF),),
    "Khmer": ((0x1780, 0x17FF),),
    "Burmese": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
}  # fmt: skip
# More letters than this for each token, and the text was not divided into words.
_LONGEST = {"Han": 5, "Kana": 5, "Thai": 12, "Lao": 12, "Khmer": 12, "Burmese": 12}

_APOSTROPHES_AND_HYPHENS = "'’＇\\-‐‑"
_HALFWIDTH_MARKS = "\uff9e\uff9f"  # letters to Unicode, but half of ﾊﾞ and ﾊﾟ to readers
_JOINERS = "\u00ad\u200c\u200d\u2060"  # invisible, and a word goes on after them
_UNSEEN = str.maketrans("", "", "\u00ad\u2060")  # of these, those that no reader compares


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
        for first, last in _BLOCKS[name]
        for code in range(first, last + 1)
        if code >= 0x20000
        or unicodedata.category(chr(code)) in ("Lo", "Lm", "Nl")
        or 0x2E80 <= code <= 0x2FD5
    )


@cache
def _letters() -> str:
    return "".join(_script(name) for name in _BLOCKS)


@cache
def _spaced_word() -> str:
    """Letters and digits with their marks, apostrophes and hyphens between them."""
    letter, attached = f"[^\\W_{_letters()}]", f"[{_attached()}]"
    run = f"{letter}+(?:{attached}+{letter}*)*"
    return f"{run}(?:[{_APOSTROPHES_AND_HYPHENS}]{run})*"


def _attached() -> str:
    return _classes()["marks"] + _HALFWIDTH_MARKS + _JOINERS


@cache
def _pattern(name: str) -> re.Pattern[str]:
    if name == "whitespace":
        return re.compile(r"\S+")
    if name == "spaced words":
        return re.compile(_spaced_word())
    attached = f"[{_attached()}]*"
    unseen = _classes()["unseen"]
    if name == "characters":
        return re.compile(f"[^\\s{unseen}]{attached}")
    # A mark repeated (... or --) is one token, and so are signs that a joiner makes one picture.
    marks = f"[{_classes()['marks']}]*"
    sign = f"([^\\w\\s{unseen}]|_)\\1*{marks}(?:\u200d[^\\w\\s]{marks})*"
    return re.compile(f"{_spaced_word()}|[{_letters()}]{attached}|{sign}")


@cache
def _opening_marks() -> re.Pattern[str]:
    opens = _classes()["opening"] + "¿¡"
    # After a space: marks that open, or whatever is attached to what follows. Without one: marks
    # that open. A German closing mark counts as opening to Unicode, so the space decides.
    return re.compile(f"(?<=\\s)(?:[{opens}][{opens}\\s]*)?\\S*$|(?<!\\s)[{opens}]*$")


def _opening(gap: str) -> int:
    """How many characters at the end of a gap go with what follows it."""
    found = _opening_marks().search(gap)
    return len(gap) - found.start() if found else 0


# Comparison.


def comparable(token: str, case: Case = "fold", punctuation: Punctuation = "keep") -> str:
    """A token as it is compared: NFKC, case folded, punctuation around it removed on request.

    >>> comparable("Straße"), comparable("ＦＵＬＬ", "keep"), comparable("«Oui!»", "fold", "remove")
    ('strasse', 'FULL', 'oui')
    """
    token = unicodedata.normalize("NFKC", token.translate(_UNSEEN))
    if case == "fold":
        # Folding can undo the normal form, so it is made again.
        token = unicodedata.normalize("NFKC", token.casefold())
    if punctuation == "remove":
        first, last = 0, len(token)
        while first < last and unicodedata.category(token[first])[0] == "P":
            first += 1
        while first < last and unicodedata.category(token[last - 1])[0] == "P":
            last -= 1
        token = token[first:last]
    return token


# Tokenizers.


@dataclass(frozen=True)
class Tokenizer:
    """How texts become tokens and tokens are compared; made by :func:`tokenizer`.

    >>> t = tokenizer().tokens("Don't (please) 停车!")
    >>> t.words
    ["don't", '(', 'please', ')', '停', '车', '!']
    >>> t.pieces([0, 4, 7])
    ["Don't (please)", '停车!']
    """

    name: str
    find: Callable[[str], Spans]
    case: Case = "fold"
    punctuation: Punctuation = "keep"
    together: bool = False  # many texts may be read as one, with line ends between them
    whole_words: bool = False  # a token never ends inside a word
    guarded: bool = False  # it needs spaces between words

    @property
    def fields(self) -> dict[str, str]:
        """What stands in a signature: ``tok:words|case:fold|punct:keep|norm:nfkc``."""
        return {
            "tok": self.name,
            "case": self.case,
            "punct": self.punctuation,
            "norm": "nfkc",
        }

    def tokens(self, text: str, where: str = "the text") -> Tokens:
        """The tokens of one text; ``where`` names it in errors."""
        return self.many([text], where)[0]

    def many(self, texts: Sequence[str], where: str = "the text") -> list[Tokens]:
        """The tokens of each text, in one pass where the tokenizer allows it."""
        _check_texts(texts, where)
        joined = "\n".join(texts)
        try:
            spans = self.find(joined) if self.together else self._one_by_one(texts)
        except TokenError as error:
            raise TokenError(f"{where}: {error}") from None
        read = self._compare(joined, *_columns(spans))
        if self.guarded:
            _guard(joined, read.words, self.name, where)
        return _split(read, texts)

    def _one_by_one(self, texts: Sequence[str]) -> Spans:
        found: Spans = []
        base = 0
        for number, text in enumerate(texts, start=1):
            try:
                found += [(base + a, base + b) for a, b in self.find(text)]
            except TokenError as error:
                raise TokenError(f"text {number}: {error}" if len(texts) > 1 else error) from None
            base += len(text) + 1
        return found

    def _compare(self, text: str, starts: Ints, ends: Ints) -> Tokens:
        given = [text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        # Most tokens come many times: each different one is looked at once.
        keys = {one: comparable(one, self.case, self.punctuation) for one in set(given)}
        words = list(map(keys.__getitem__, given))
        if "" in keys.values():
            kept = np.array([bool(word) for word in words], dtype=np.bool_)
            words, starts, ends = [word for word in words if word], starts[kept], ends[kept]
        inside = np.zeros(len(words), np.bool_) if self.whole_words else _inside(text, starts)
        return Tokens(text, words, starts, ends, inside)


def tokenizer(
    given: str | Path | Callable[[str], list[str]] | Tokenizer = "words",
    *,
    case: Case = "fold",
    punctuation: Punctuation = "keep",
) -> Tokenizer:
    """A tokenizer by name, a SentencePiece model by path, or any function from str to list[str].

    ``words``: runs of letters and digits with inner apostrophes and hyphens; punctuation apart,
    a repeated mark together; one token for each Han, Kana, Thai, Lao, Khmer or Burmese letter,
    with its marks. ``whitespace``: what stands between Unicode spaces. ``characters``: each
    character that is not a space, with its marks. sacrebleu's tokenizers have sacrebleu's names.
    Whatever the tokens are, a boundary never falls inside what ``words`` calls a word.

    >>> tokenizer("whitespace", case="keep").fields
    {'tok': 'whitespace', 'case': 'keep', 'punct': 'keep', 'norm': 'nfkc'}
    """
    if isinstance(given, Tokenizer):
        return given
    _check_choice("case", case, get_args(Case))
    _check_choice("punctuation", punctuation, get_args(Punctuation))
    made = _named(given) if isinstance(given, (str, Path)) else _from_function(given)
    return Tokenizer(**made, case=case, punctuation=punctuation)


def _named(given: str | Path) -> dict[str, Any]:
    name = str(given)
    if name in NAMES:
        return {
            "name": name,
            "find": lambda text: [m.span() for m in _pattern(name).finditer(text)],
            "together": True,
            "whole_words": name != "characters",
            "guarded": name == "whitespace",
        }
    if name in SACREBLEU:
        return _from_sacrebleu(name)
    if isinstance(given, Path) or Path(name).suffix == ".model" or Path(name).is_file():
        return _from_sentencepiece(Path(name))
    raise TokenError(
        f'no tokenizer "{name}"; there are {", ".join(NAMES)}, sacrebleu\'s '
        f"({', '.join(SACREBLEU)}), and the path of a SentencePiece model"
    )


def _from_function(given: Any) -> dict[str, Any]:
    if not callable(given):
        raise TokenError(
            "a tokenizer is a name, the path of a SentencePiece model or a function from str to "
            f"list[str], found {given!r:.60}"
        )
    name = getattr(given, "__name__", type(given).__name__)

    def find(text: str) -> Spans:
        tokens = given(text)
        if isinstance(tokens, str) or not isinstance(tokens, Iterable):
            raise TokenError(
                f"the tokenizer {name} must return a list of str, found {tokens!r:.60}"
            )
        return find_again(text, list(tokens), name)

    return {"name": name, "find": find}


# 13a reads these as the characters they stand for.
_ENTITIES = {'"': "&quot;", "<": "&lt;", ">": "&gt;", "&": "&amp;"}


def _from_sacrebleu(name: str) -> dict[str, Any]:
    bleu = needs("sacrebleu", f"the tokenizer {name}")
    try:
        split = bleu.BLEU(tokenize=name).tokenizer
    except Exception as error:  # models that must be downloaded, packages that must be installed
        raise TokenError(
            f"sacrebleu cannot make its tokenizer {name}: {type(error).__name__}: {error}"
        ) from None

    def line_by_line(text: str) -> Spans:
        found: Spans = []
        base = 0
        for number, line in enumerate(text.split("\n"), start=1):
            tokens = [token.replace("▁", "") for token in split(line).split()]
            try:
                found += [(base + a, base + b) for a, b in find_again(line, tokens, name)]
            except TokenError as error:
                raise TokenError(f"line {number}: {error}") from None
            base += len(line) + 1
        return found

    needs_spaces = name in ("none", "13a", "intl")
    return {"name": name, "find": line_by_line, "together": True, "guarded": needs_spaces}


def _from_sentencepiece(path: Path) -> dict[str, Any]:
    package = needs("sentencepiece", f"the model {path}")
    if not path.is_file():
        raise TokenError(f"no SentencePiece model {path}")
    content = path.read_bytes()
    try:
        model = package.SentencePieceProcessor(model_proto=content)
    except Exception as error:
        raise TokenError(f"{path} is not a SentencePiece model: {error}") from None

    def find(text: str) -> Spans:
        # Pieces know their place. ▁ and other spaces are no part of what is compared.
        found: Spans = []
        for start, end in model.encode(text, return_type="offset_mapping")["offsets"]:
            span = _stripped(text, start, end)
            if span[0] < span[1]:
                found.append(span)
        return found

    # The content decides what the tokens are, not the path.
    return {"name": f"spm-{hashlib.sha256(content).hexdigest()[:8]}", "find": find}


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    surface = text[start:end]
    return end - len(surface.lstrip()), start + len(surface.rstrip())


def find_again(text: str, tokens: Sequence[str], name: str) -> Spans:
    """Where each token stands in the text; only spaces and punctuation may be left out."""
    found: Spans = []
    place = 0
    for number, token in enumerate(tokens, start=1):
        if not isinstance(token, str):
            raise TokenError(f"token {number} of the tokenizer {name} is {token!r:.60}, not a str")
        if not token:
            continue
        start, end = _next(text, token, place)
        # What is skipped must not be words: they would be lost.
        if start < 0 or (start > place and _WORD.search(text, place, start)):
            raise TokenError(
                f'token {number} of the tokenizer {name} is "{token:.40}", but the text goes on '
                f'with "{text[place:].strip():.40}" (character {place + 1}); a tokenizer returns '
                "pieces of the text in order and leaves out only spaces and punctuation"
            )
        found.append((start, end))
        place = end
    if _WORD.search(text, place):
        raise TokenError(
            f'the tokens of {name} end before "{text[place:].strip():.40}" (character '
            f"{place + 1}); a tokenizer leaves out only spaces and punctuation"
        )
    return found


_WORD = re.compile(r"[^\W_]")


def _next(text: str, token: str, place: int) -> tuple[int, int]:
    start = text.find(token, place)
    written = _ENTITIES.get(token)
    if written is not None:
        escaped = text.find(written, place)
        if escaped >= 0 and (start < 0 or escaped <= start):
            return escaped, escaped + len(written)
    return start, start + len(token)


# Helpers.


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise TokenError(f"{name} must be {' or '.join(choices)}, found {value!r}")


def _check_texts(texts: Sequence[str], where: str) -> None:
    if isinstance(texts, str):
        raise TokenError(f"{where}: expected a list of texts, found one text {texts!r:.60}")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            line = f", text {number}" if len(texts) > 1 else ""
            raise TokenError(f"{where}{line}: a text is a str, found {text!r:.60}")


def _columns(spans: Spans) -> tuple[Ints, Ints]:
    flat = np.fromiter(chain.from_iterable(spans), dtype=np.int64, count=2 * len(spans))
    return flat[0::2].copy(), flat[1::2].copy()


def _inside(text: str, starts: Ints) -> Bools:
    """Which tokens start inside a word."""
    first, last = _columns([m.span() for m in _pattern("spaced words").finditer(text)])
    if not len(first):
        return np.zeros(len(starts), np.bool_)
    word = np.searchsorted(first, starts, side="left") - 1  # the last one that starts before
    return (word >= 0) & (starts < last[np.maximum(word, 0)])


def _split(read: Tokens, texts: Sequence[str]) -> list[Tokens]:
    if len(texts) == 1:
        return [read]
    bases = np.cumsum([0, *(len(text) + 1 for text in texts)])
    edges = np.searchsorted(read.starts, bases).tolist()
    return [
        Tokens(
            text,
            read.words[a:b],
            read.starts[a:b] - base,
            read.ends[a:b] - base,
            read.inside[a:b],
        )
        for text, base, a, b in zip(texts, bases.tolist(), edges, edges[1:], strict=False)
    ]


def _guard(text: str, words: list[str], name: str, where: str) -> None:
    """Refuse text of a script without spaces: a whole clause would count as one word."""
    if text.isascii():
        return
    written = sum(map(len, text.split()))
    found = {script: _written(script, text) for script in _BLOCKS}
    letters = sum(found.values())
    if not letters or letters < written / 4:
        return
    letter = re.compile(f"[{_letters()}]")
    main = max(found, key=found.__getitem__)
    if letters <= _LONGEST[main] * sum(1 for word in words if letter.search(word)):
        return
    scripts = [script for script, own in found.items() if own >= letters / 10]
    raise TokenError(
        f"{where} is {100 * letters // written}% {' and '.join(scripts)} characters with almost "
        f"no spaces, so {name} finds {len(words)} word{'s'[: len(words) != 1]}. "
        "Use --tokenizer words."
    )


def _written(script: str, text: str) -> int:
    """How many characters of a text are letters of a script, or marks on them."""
    return sum(map(len, re.findall(f"[{_script(script)}][{_attached()}]*", text)))


def number(lists: Iterable[Sequence[Hashable]]) -> tuple[list[Column], int]:
    """Each list of tokens as a column of numbers, and how many different tokens there are.

    >>> columns, size = number([["a", "b", "a"], ["b", "c"]])
    >>> [column.tolist() for column in columns], size
    ([[0, 1, 0], [1, 2]], 3)
    """
    ids: defaultdict[Hashable, int] = defaultdict(count().__next__)
    columns = [
        np.fromiter(map(ids.__getitem__, words), dtype=np.int32, count=len(words))
        for words in lists
    ]
    return columns, len(ids)
