"""CoNLL-U: sentences as segments, or marks in the last column, as DISRPT's ``Seg=B-seg``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading, first_line, split_lines
from fencepost.segmentation import Segmentation

DISRPT = ("Seg", "BeginSeg")
_ID = re.compile(r"(\d+)(?:(-|\.)(\d+))?\Z")


@dataclass
class _Document:
    tokens: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # tokens with which sentences begin
    marks: list[dict[str, str]] = field(default_factory=list)


def read_conllu(text: str, reading: Reading) -> Corpus:
    """Words are units; a document (``# newdoc id``) is a text, or the file is one.

    Segments follow from ``Seg=B-seg`` (or ``BeginSeg=Yes``) in the last column where it is there,
    otherwise sentences are segments; ``--ref-field`` (``--hyp-field``) sentences, or the name of
    another mark, chooses. A mark that begins with B begins a segment; other values are labels of
    segments, and change where a segment ends.
    """
    documents = _documents(text, reading)
    found = {name for one in documents.values() for marks in one.marks for name in marks}
    field = reading.field or next((name for name in DISRPT if name in found), "sentences")
    if field != "sentences" and field not in found:
        raise FormatError(
            f"{reading.name}: no mark {field}= in the last column; there are "
            f"{', '.join(sorted(found)) or 'none'}, and sentences"
        )
    entries = {
        Key(name, "", "1"): _segmentation(document, field, reading)
        for name, document in documents.items()
    }
    return Corpus(
        entries,
        tokens={(name, ""): document.tokens for name, document in documents.items()},
        sources={
            Key(name, "", "1"): reading.at(document.lines[0])
            for name, document in documents.items()
        },
        reading={"segments": field},
        name=reading.stem,
        unit="token",
        anonymous=list(documents) == [reading.stem],
        column=reading.field,
    )


def _documents(text: str, reading: Reading) -> dict[str, _Document]:
    documents: dict[str, _Document] = {}
    current: _Document | None = None
    last = 0  # the number of the last word of the sentence
    blank = True
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            last, blank = 0, True
            continue
        if line.startswith("#"):
            new = re.match(r"#\s*newdoc(?:\s+id)?\s*(?:=\s*(.*\S))?\s*$", line)
            if new:
                name = new[1] or f"{reading.stem} {len(documents) + 1}"
                if name in documents:
                    raise FormatError(f"{reading.at(number)}: the document {name} is given twice")
                current = documents[name] = _Document()
            continue
        if current is None:
            current = documents[reading.stem] = _Document()
        last = _add(current, line, last, blank, reading.at(number), number)
        blank = False
    empty = next((name for name, one in documents.items() if not one.tokens), None)
    if not documents or empty is not None:
        raise FormatError(f"{reading.name}: {empty or 'the file'} has no words")
    return documents


def _add(document: _Document, line: str, last: int, first: bool, where: str, number: int) -> int:
    cells = line.split("\t")
    if len(cells) != 10:
        raise FormatError(
            f"{where}: a word has 10 columns with tabs between them, found {len(cells)}"
        )
    id = _ID.match(cells[0])
    if not id:
        raise FormatError(f"{where}: the first column is the number of a word, found {cells[0]!r}")
    if id[2]:
        return last  # several words written as one, or an empty node: its words have lines too
    if int(id[1]) != last + 1:
        raise FormatError(f"{where}: word {id[1]} follows word {last}; is a line missing?")
    if last == 0:
        document.starts.append(len(document.tokens))
    document.tokens.append(cells[1])
    document.lines.append(number)
    document.marks.append(
        {}
        if cells[9] == "_"
        else dict(part.split("=", 1) for part in cells[9].split("|") if "=" in part)
    )
    return last + 1


def _segmentation(document: _Document, field: str, reading: Reading) -> Segmentation:
    if field == "sentences":
        return Segmentation(len(document.tokens), document.starts[1:])
    values = [marks.get(field, "") for marks in document.marks]
    begins = {"BeginSeg": "Yes"}.get(field)
    starts = [
        place for place, value in enumerate(values) if value == begins or re.match(r"B(-|$)", value)
    ]
    if not starts and begins is None and any(values):
        labels = [value or None for value in values]
        return Segmentation.from_labels(labels)
    known = re.compile(r"[BIOES](-.*)?|Yes|No|_|")
    for place, value in enumerate(values):
        if not known.fullmatch(value):
            raise FormatError(
                f"{reading.at(document.lines[place])}: {field}={value} among marks that begin with "
                "B (begins a segment), I or O"
            )
    return Segmentation(len(values), [place for place in starts if place])


def _looks_like(text: str) -> bool:
    words = re.search(r"^(?!#)\S.*$", text, re.MULTILINE)
    cells = words.group().split("\t") if words else first_line(text).split("\t")
    return len(cells) == 10 and bool(_ID.match(cells[0]))


CONLLU = Format(
    "conllu",
    (".conllu", ".conll", ".tok"),
    "CoNLL-U: sentences, or marks in the last column (DISRPT's Seg=B-seg)",
    "# newdoc id = d1\n1\tso\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg\n2\twe\t_\t_\t_\t_\t_\t_\t_\tSeg=O\n"
    "3\twent\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg",
    read_conllu,
    _looks_like,
    sure=True,
)
