"""What a file cannot keep of a corpus, so that nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.formats.options import Reading
from fencepost.formats.registry import Format
from fencepost.model.corpus import Corpus


def left_out(corpus: Corpus, format: Format, name: str, known: Iterable[Format]) -> list[str]:
    """A sentence for each thing that the file would not give back; kinds and speakers are refused.

    ``known`` are the formats that may be named as ways out.
    """
    keeps = format.kept(name)
    if keeps is None:  # a plug-in that does not say
        return []
    # Ways out: formats that keep no less than this one.
    able = [one for one in known if one.writable and set(keeps) <= set(one.keeps or ())]
    notes = []
    if corpus.tokens and "words" not in keeps:
        notes.append(f"words are left out; {_holding(able, 'words')} them")
    if format.numbered and any(item not in corpus.tokens for item in corpus.items):
        notes.append("the words are not known; numbers stand for them")
    coders, texts = corpus.coders, corpus.texts
    if "coders" not in keeps and coders != ["1"]:
        notes.append(f"the coder's name {coders[0]!r} is left out; {_holding(able, 'coders')} it")
    if "texts" not in keeps and len(texts) == 1 and texts != [Reading(name).stem]:
        notes.append(
            f"the text's name {texts[0]!r} is left out, the file's stands for it; "
            f"{_holding(able, 'texts')} it"
        )
    if corpus.source.choices and "choices" not in keeps:
        choices = ", ".join(f"{key} {value}" for key, value in corpus.source.choices.items())
        notes.append(
            f"how the input was read ({choices}) is left out, so later signatures will not say it; "
            f"{_holding(able, 'choices')} it"
        )
    return notes


def _holding(formats: Iterable[Format], what: str) -> str:
    names = [one.name for one in formats if what in (one.keeps or ())]
    return f"{', '.join(names)} hold{'s' * (len(names) == 1)}"
