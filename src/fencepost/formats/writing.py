"""What a file cannot hold of a corpus: it is refused, or said to be left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from fencepost.formats.catalogue import FORMATS
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format, check_cells
from fencepost.model.corpus import Corpus, Item, Key
from fencepost.model.join import item_name
from fencepost.model.segmentation import Segmentation
from fencepost.wording import first_double, listed

UNTYPED = "¦"  # a boundary without a type, where a file has no other marks


def check_holds(corpus: Corpus, format: str, *keeps: str) -> None:
    """Raise FormatError where a corpus has more than one file of this format can hold.

    ``keeps`` are "texts" and "coders" if there may be several, and "speakers" and "kinds".
    """
    for noun, names in (("text", corpus.texts), ("coder", corpus.coders)):
        if f"{noun}s" not in keeps and len(names) > 1:
            raise FormatError(
                f"{format} holds one {noun} per file, and there are {len(names)} "
                f"({listed(names)}); write each to a file, or all to jsonl"
            )
    spoken = next((key for key in corpus.entries if key.stream), None)
    if spoken is not None and "speakers" not in keeps:
        raise FormatError(
            f"{spoken.text}: {format} cannot hold the speaker {spoken.stream!r}; tokens and jsonl "
            "can"
        )
    if corpus.kind_names is not None and "kinds" not in keeps:
        raise FormatError(
            f"{_typed_text(corpus)}: {format} cannot hold boundary types; tokens and jsonl can"
        )


def _typed_text(corpus: Corpus) -> str:
    return next(key.text for key, seg in corpus.entries.items() if seg.kinds is not None)


def sizes_by_key(corpus: Corpus, format: str) -> Iterator[tuple[Key, list[int]]]:
    """Yield the segment sizes of each row of a corpus that has no more than sizes."""
    check_holds(corpus, format, "texts", "coders")
    for key, seg in corpus.entries.items():
        yield key, list(seg.masses)


# Where a file grows with the units of texts whose words are not known: about 3 GB are needed.
MAX_UNITS_AS_ROWS = 10_000_000
MAX_UNITS_AS_SIGNS = 100_000_000


def check_units(corpus: Corpus, format: str, most: int = MAX_UNITS_AS_ROWS) -> None:
    """Raise FormatError where a file with something for each unit would be too large to make."""
    known = corpus.tokens
    units = sum(
        seg.units for key, seg in corpus.entries.items() if (key.text, key.stream) not in known
    )
    if units > most:
        raise FormatError(
            f"{format} would have something for each of {units:,} units, which is too much (at "
            f"most {most:,}); .masses and .json have segment sizes"
        )


def check_filled(corpus: Corpus) -> None:
    """Raise FormatError for names without a character that can be seen."""
    if not all(name.strip() for name in (*corpus.texts, *corpus.coders)):
        raise FormatError("a text or a coder without a name cannot be written; give it one")


def check_names(corpus: Corpus) -> None:
    """Raise FormatError for names that would not be read again from the cells of a table."""
    check_cells(corpus.texts, "the text", "jsonl")
    check_cells(corpus.coders, "the coder", "jsonl")
    check_cells(filter(None, corpus.stream_names), "the speaker", "jsonl")


def check_columns(corpus: Corpus, table: str, *taken: str) -> None:
    """Raise FormatError for coders that cannot be columns, beside those that are ``taken``."""
    check_names(corpus)
    lower = [name.lower() for name in corpus.coders]
    twice = first_double(lower)
    for name in corpus.coders:
        if name.lower() in (*taken, twice) or "\t" in name:
            raise FormatError(
                f"the coder {name!r} cannot be a column of {table}, where case does not count and "
                f"{', '.join(taken[:3])} are taken; jsonl can hold it"
            )


def is_cell(word: str) -> bool:
    """Return whether a table gives a word back as it is: one line without space around it."""
    return word == word.strip() and not re.search(r"[\r\n]", word)


def is_spaceless(word: str) -> bool:
    """Return whether a word is read again from words with spaces between them."""
    return word.split() == [word]


def known_words(
    corpus: Corpus, item: Item, units: int, format: str, is_word: Callable[[str], bool]
) -> list[str] | None:
    """Return the units of a text, None where they are not known.

    Raise FormatError where there are not ``units`` of them, or where one is not ``is_word``: it
    would be read as something else.
    """
    words = corpus.tokens.get(item)
    if words is None:
        return None
    if len(words) != units:
        raise FormatError(
            f"{item_name(item)}: {len(words)} words are known of {units} units; jsonl can hold both"
        )
    odd = next((word for word in words if not is_word(word)), None)
    if odd is not None:
        raise FormatError(
            f"{item_name(item)}: the word {odd!r:.60} would not be read again from {format}; "
            "jsonl can hold it"
        )
    return list(words)


def needed_words(
    corpus: Corpus, item: Item, units: int, format: str, is_word: Callable[[str], bool]
) -> list[str]:
    """Return the units of a text as ``known_words``; raise FormatError where they are not known."""
    words = known_words(corpus, item, units, format, is_word)
    if words is None:
        raise FormatError(
            f"{item_name(item)}: {format} needs the words, which are not known; jsonl does without"
        )
    return words


def numbers(units: int) -> list[str]:
    """Return numbers that stand for units that are not known."""
    return [str(number) for number in range(1, units + 1)]


def marks_of(seg: Segmentation, key: Key, format: str) -> list[str]:
    """Return the type of boundary after each unit, or ""; UNTYPED for one without a type."""
    marks = [""] * seg.units
    for place, kind in seg.named_cuts:
        if marks[place - 1]:
            raise FormatError(
                f"{key.text} by {key.coder}: two boundaries after unit {place}; {format} holds "
                "one, jsonl any number"
            )
        marks[place - 1] = kind or UNTYPED
    return marks


def left_out(corpus: Corpus, format: Format, name: str) -> list[str]:
    """A sentence for each thing that a file of this name would not give back.

    Kinds and speakers that have no place in it are refused, not left out.
    """
    keeps = format.kept(name)
    if keeps is None:  # a plug-in that does not say
        return []
    # Ways out: formats that keep no less than this one.
    able = [one for one in FORMATS.values() if one.writable and set(keeps) <= set(one.keeps or ())]
    notes = []
    if corpus.tokens and "words" not in keeps:
        notes.append(f"words are not written; {_holding(able, 'words')} them")
    if format.numbered and any(item not in corpus.tokens for item in corpus.items):
        notes.append("the words are not known; numbers stand for them")
    coders, texts = corpus.coders, corpus.texts
    if "coders" not in keeps and coders != ["1"]:
        notes.append(
            f"the annotator's name {coders[0]!r} is not written; {_holding(able, 'coders')} it"
        )
    if "texts" not in keeps and len(texts) == 1 and texts != [Reading(name).stem]:
        notes.append(
            f"the text's name {texts[0]!r} is not written, the file's name replaces it; "
            f"{_holding(able, 'texts')} it"
        )
    idle = _idle_types(corpus) if "kinds" in keeps else []
    if idle and "choices" not in keeps:
        notes.append(
            f"the boundary types {listed(idle, 5)}, which no boundary has, are not written; "
            f"{_holding(able, 'choices')} them"
        )
    if corpus.source.choices and "choices" not in keeps:
        choices = ", ".join(f"{key} {value}" for key, value in corpus.source.choices.items())
        notes.append(
            f"how the input was read ({choices}) is not written, so later signatures will not "
            "say it; "
            f"{_holding(able, 'choices')} it"
        )
    return notes


def _idle_types(corpus: Corpus) -> list[str]:
    """Return declared types that no boundary has; prices by distance depend on them."""
    if corpus.vocabulary is None or corpus.column.kinds is None:
        return []
    used = set(corpus.column.kinds.tolist())
    return [name for number, name in enumerate(corpus.vocabulary) if number not in used]


def _holding(formats: Iterable[Format], what: str) -> str:
    names = [one.name for one in formats if what in (one.keeps or ())]
    return f"{', '.join(names)} hold{'s' * (len(names) == 1)}"
