"""Texts become tokens that can be compared, each knowing its place in the original text."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.model.checks import FencepostError, Ints, offsets_of
from fencepost.model.words import number as as_numbers
from fencepost.streams.characters import UNSPACED, bits_of, count_letters, has_unspaced
from fencepost.wording import needs

Case = Literal["fold", "keep"]
Punctuation = Literal["keep", "remove"]
Spans: TypeAlias = list[tuple[int, int]]
Bools: TypeAlias = npt.NDArray[np.bool_]
Column: TypeAlias = npt.NDArray[np.int32]  # tokens as numbers
Places: TypeAlias = tuple[Ints, Ints, Ints]  # offsets by text; start and end of each token

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
        offsets = np.array([0, len(self.words)], dtype=np.int64)
        return _cuts((self.text,), offsets, self.starts, self.ends)

    def pieces(self, boundaries: Sequence[int] | Ints) -> list[str]:
        """The text of each segment as it was written, without the spaces around it.

        ``boundaries`` are numbers of tokens from 0 to all of them, one more than segments.
        """
        places = self.cuts()[np.asarray(boundaries, dtype=np.int64)].tolist()
        places[0], places[-1] = 0, len(self.text)
        return [self.text[a:b].strip() for a, b in pairwise(places)]


@dataclass(frozen=True, slots=True, eq=False)
class TokenColumns:
    """The tokens of many texts as columns; those of text t are ``offsets[t]:offsets[t + 1]``.

    ``ids`` are numbers into ``vocabulary``, which has each token as it is compared and is one
    object for all sides that were numbered together. ``starts`` and ``ends`` count characters of
    the token's own text; ``inside`` marks tokens that continue a word.
    """

    texts: Sequence[str]
    offsets: Ints
    ids: Column
    starts: Ints
    ends: Ints
    inside: Bools
    vocabulary: Sequence[str]

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, t: int) -> Tokens:
        t = range(len(self))[t]
        own = slice(self.offsets[t], self.offsets[t + 1])
        return Tokens(
            self.texts[t], self.words(t), self.starts[own], self.ends[own], self.inside[own]
        )

    def __iter__(self) -> Iterator[Tokens]:
        return (self[t] for t in range(len(self)))

    def words(self, t: int) -> list[str]:
        """The tokens of one text as they are compared."""
        own = self.ids[self.offsets[t] : self.offsets[t + 1]]
        return list(map(self.vocabulary.__getitem__, own.tolist()))

    def marks(self) -> Bools:
        """Which numbers of the vocabulary are punctuation only; symbols are not punctuation."""
        punctuation = _punctuation(self.vocabulary)
        only = (not form.strip(punctuation) for form in self.vocabulary)
        return np.fromiter(only, dtype=np.bool_, count=len(self.vocabulary))

    def cuts(self) -> Ints:
        """Where a boundary before each token cuts its text, and the text's end: all texts in a row.

        Those of text t begin at ``offsets[t] + t``; see :meth:`Tokens.cuts`.
        """
        return _cuts(tuple(self.texts), self.offsets, self.starts, self.ends)


def _cuts(texts: tuple[str, ...], offsets: Ints, starts: Ints, ends: Ints) -> Ints:
    return _core.cut_places(texts, offsets, starts, ends, bits_of(texts))


# Comparison.


def comparable(token: str, case: Case = "fold", punctuation: Punctuation = "keep") -> str:
    """A token as it is compared: NFKC, case folded, punctuation around it removed on request.

    >>> comparable("Straße"), comparable("ＦＵＬＬ", "keep"), comparable("«Oui!»", "fold", "remove")
    ('strasse', 'FULL', 'oui')
    """
    return _comparable([token], case, punctuation)[0]


def _comparable(tokens: list[str], case: Case, punctuation: Punctuation) -> list[str]:
    """Each token as it is compared. All tokens take a step together, if any of them needs it."""
    written = "".join(tokens)
    normal = written.isascii()
    if not normal and any(map(written.__contains__, map(chr, _UNSEEN))):
        tokens = [token.translate(_UNSEEN) for token in tokens]
    if not normal:
        tokens = list(map(_nfkc, tokens))
    if case == "fold":
        tokens = list(map(str.casefold, tokens))
        # Folding can undo the normal form, so it is made again.
        tokens = tokens if normal else list(map(_nfkc, tokens))
    if punctuation == "remove":
        marks = _punctuation(tokens)
        tokens = [token.strip(marks) for token in tokens]
    return tokens


_nfkc = partial(unicodedata.normalize, "NFKC")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u2060"))  # joiners that no reader compares


def _punctuation(tokens: Iterable[str]) -> str:
    """The characters of tokens that are punctuation to Unicode."""
    return "".join(c for c in set("".join(tokens)) if unicodedata.category(c)[0] == "P")


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
    rule: str | None = None  # of the native scanner, which finds the same as `find`
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
        """The tokens of each text."""
        columns = self.columns(texts, where=[where])[0]
        return [columns[t] for t in range(len(columns))]

    def columns(self, *sides: Sequence[str], where: Sequence[str] = ()) -> list[TokenColumns]:
        """The tokens of several lists of texts, numbered together by first appearance.

        ``where`` names each list in errors.

        >>> hyp, ref = tokenizer().columns(["A cat."], ["a dog", "The cat"])
        >>> hyp.ids.tolist(), ref.ids.tolist(), ref.offsets.tolist(), ref.vocabulary
        ([0, 1, 2], [0, 3, 4, 1], [0, 2, 4], ['a', 'cat', '.', 'dog', 'the'])
        """
        names = [*where, *["the text"] * (len(sides) - len(where))]
        for side, name in zip(sides, names, strict=True):
            _check_texts(side, name)
        texts = tuple(chain.from_iterable(sides))
        if self.rule:
            places = _core.split_texts(texts, bits_of(texts), self.rule)
        else:
            places = _in_each(texts, self._find_all(sides, names))
        ids, written = _core.number_tokens(texts, *places)
        forms = _comparable(written, self.case, self.punctuation)
        if not all(forms):
            ids, places = _without_empty(ids, places, forms)
        filled = list(filter(None, forms))
        (final,), vocabulary = as_numbers([filled]), list(dict.fromkeys(filled))
        inside = _inside(texts, *places[:2], whole_words=self.whole_words)
        read = TokenColumns(texts, places[0], final[ids], *places[1:], inside, vocabulary)
        made = _by_side(read, sides)
        if self.guarded and has_unspaced(texts):
            for one, name in zip(made, names, strict=True):
                _guard(one, self.name, name)
        return made

    def _find_all(self, sides: Sequence[Sequence[str]], names: Sequence[str]) -> Spans:
        """Where tokens stand in all texts put together, with line ends between them."""
        found: Spans = []
        base = 0
        for side, name in zip(sides, names, strict=True):
            try:
                found += _find_in_each(side, self.find, "text", base)
            except TokenError as error:
                raise TokenError(f"{name}: {error}") from None
            base += sum(map(len, side)) + len(side)
        return found


def _find_in_each(
    texts: Sequence[str], find: Callable[[str], Spans], part: str, base: int = 0
) -> Spans:
    """Where tokens stand in these texts, put together from ``base`` on with line ends between."""
    found: Spans = []
    for place, text in enumerate(texts, start=1):
        try:
            found += [(base + a, base + b) for a, b in find(text)]
        except TokenError as error:
            raise TokenError(f"{part} {place}: {error}" if len(texts) > 1 else error) from None
        base += len(text) + 1
    return found


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
            "find": partial(_find, name),
            "rule": name,
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


def _find(rule: str, text: str) -> Spans:
    _, starts, ends = _core.split_texts((text,), bits_of((text,)), rule)
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


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

    def find(line: str) -> Spans:
        tokens = [token.replace("▁", "") for token in split(line).split()]
        return find_again(line, tokens, name)

    return {
        "name": name,
        "find": lambda text: _find_in_each(text.split("\n"), find, "line"),
        "guarded": name in ("none", "13a", "intl"),
    }


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
                "pieces of the text in order and skips only spaces and punctuation"
            )
        found.append((start, end))
        place = end
    if _WORD.search(text, place):
        raise TokenError(
            f'the tokens of {name} end before "{text[place:].strip():.40}" (character '
            f"{place + 1}); a tokenizer skips only spaces and punctuation"
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
    if set(map(type, texts)) <= {str}:
        return
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            line = f", text {number}" if len(texts) > 1 else ""
            raise TokenError(f"{where}{line}: a text is a str, found {text!r:.60}")


def _bases(texts: Sequence[str]) -> Ints:
    """Where each text begins in all of them put together, with line ends between; and the end."""
    return offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)


def _in_each(texts: Sequence[str], spans: Spans) -> Places:
    """The places of tokens in each text, from those in all texts put together."""
    flat = np.fromiter(chain.from_iterable(spans), dtype=np.int64, count=2 * len(spans))
    starts, ends = flat[0::2], flat[1::2]
    bases = _bases(texts)
    offsets = np.searchsorted(starts, bases)
    own = np.repeat(bases[:-1], np.diff(offsets))
    return offsets, starts - own, ends - own


def _without_empty(ids: Column, places: Places, forms: list[str]) -> tuple[Column, Places]:
    """Leave out the tokens of which nothing is compared, and their numbers."""
    offsets, starts, ends = places
    full = np.array(list(map(bool, forms)))
    kept = full[ids]
    before = offsets_of(kept)
    return (np.cumsum(full) - 1)[ids[kept]], (before[offsets], starts[kept], ends[kept])


def _inside(texts: tuple[str, ...], offsets: Ints, starts: Ints, *, whole_words: bool) -> Bools:
    """Which tokens start inside a word."""
    if whole_words:
        return np.zeros(len(starts), dtype=np.bool_)
    word_offsets, first, last = _core.split_texts(texts, bits_of(texts), "spaced words")
    bases = _bases(texts)
    own = np.repeat(bases[:-1], np.diff(word_offsets))
    steps = np.zeros(bases[-1] + 1, dtype=np.int8)  # 1 where a word is entered, -1 where it ends
    steps[first + own + 1] += 1
    steps[last + own] -= 1
    places = starts + np.repeat(bases[:-1], np.diff(offsets))
    return np.cumsum(steps, dtype=np.int8)[places] > 0


def _by_side(read: TokenColumns, sides: Sequence[Sequence[str]]) -> list[TokenColumns]:
    made = []
    for first, last in pairwise(accumulate(map(len, sides), initial=0)):
        offsets = read.offsets[first : last + 1]
        own = slice(offsets[0], offsets[-1])
        made.append(
            TokenColumns(
                read.texts[first:last],
                offsets - offsets[0],
                read.ids[own],
                read.starts[own],
                read.ends[own],
                read.inside[own],
                read.vocabulary,
            )
        )
    return made


# More letters than this for each token, and the text was not divided into words.
_LONGEST = {"Han": 5, "Kana": 5, "Thai": 12, "Lao": 12, "Khmer": 12, "Burmese": 12}


def _guard(read: TokenColumns, name: str, where: str) -> None:
    """Refuse text of a script without spaces: a whole clause would count as one word."""
    text = "\n".join(read.texts)
    found = count_letters(text)
    letters, written = sum(found.values()), sum(map(len, text.split()))
    if not letters or letters < written / 4:
        return
    main = max(found, key=found.__getitem__)
    if letters <= _LONGEST[main] * _count_unspaced(read):
        return
    scripts = [script for script, own in found.items() if own >= letters / 10]
    words = len(read.ids)
    raise TokenError(
        f"{where} is {100 * letters // written}% {' and '.join(scripts)} characters with almost "
        f"no spaces, so {name} finds {words} word{'s'[: words != 1]}. Use --tokenizer words."
    )


def _count_unspaced(read: TokenColumns) -> int:
    """How many tokens have a letter of a script without spaces."""
    used = "".join(read.vocabulary)
    bits = bits_of((used,))
    letters = {character for character in set(used) if bits[ord(character)] & UNSPACED}
    has = np.array([not letters.isdisjoint(form) for form in read.vocabulary], dtype=np.bool_)
    return int(has[read.ids].sum())
