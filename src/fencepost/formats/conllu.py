"""CoNLL-U: sentences as segments, or marks in the last column, as DISRPT's ``Seg=B-seg``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fencepost.formats.built import built
from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format, first_line
from fencepost.formats.values import as_whole
from fencepost.formats.writing import check_holds, needed_words
from fencepost.model.corpus import ONLY, Corpus, CorpusBuilder, Key
from fencepost.model.segmentation import Segmentation

DISRPT = ("Seg", "BeginSeg")
_ID = re.compile(r"([0-9]+)(?:(-|\.)([0-9]+))?\Z")
_NEW = re.compile(r"#\s*newdoc(?:[\s_]+id)?\s*(?:=(.*))?$")  # an empty id is none
_KNOWN = re.compile(r"[BIOES](-.*)?|Yes|No|_|")
_CONNECTIVE = re.compile(r"[BI]-conn", re.IGNORECASE)


@dataclass
class _Document:
    tokens: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # tokens with which sentences begin
    marks: list[dict[str, str]] = field(default_factory=list)


def read_conllu(text: str, reading: Reading) -> Corpus:
    """Words are units; a document (``# newdoc id``) is a text, or the file is one.

    Segments follow from ``Seg=B-seg`` (or ``BeginSeg=Yes``) in the last column where it is there,
    otherwise sentences are segments; ``--columns ref=sentences`` (``hyp=``), or the name of another
    mark, chooses. A mark that begins with B begins a segment; other values are labels of segments,
    and change where a segment ends. Words without the mark begin no segment, unless others say so
    with O: then every word has one. A mark of several words written as one (3-4) belongs to the
    first. Connectives (``Seg=B-Conn``) are no segments.
    """
    documents = _documents(text, reading)
    found = {name for one in documents.values() for marks in one.marks for name in marks}
    field = reading.field or next((name for name in DISRPT if name in found), "sentences")
    if field != "sentences" and field not in found:
        raise FormatError(
            f"{reading.name}: no mark {field}= in the last column; there are "
            f"{', '.join(sorted(found)) or 'none'}, and sentences"
        )
    if reading.field is None and field == "sentences" and "Conn" in found:
        _refuse_connectives(documents, reading)
    builder = CorpusBuilder()
    for name, document in documents.items():
        seg = _segmentation(document, field, reading)
        builder.add(Key(name, "", ONLY), seg, document.tokens, reading.at(document.lines[0]))
    return built(
        builder,
        reading,
        choices={"segments": field},
        unit="token",
        naming="file" if list(documents) == [reading.stem] else "own",
        field=reading.field,
    )


def _documents(text: str, reading: Reading) -> dict[str, _Document]:
    documents: dict[str, _Document] = {}
    current: _Document | None = None
    sentence = _Sentence()
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            sentence = _Sentence()
            continue
        if line.startswith("#"):
            new = _NEW.match(line)
            if new:
                name = (new[1] or "").strip() or f"{reading.stem} {len(documents) + 1}"
                if name in documents:
                    raise FormatError(f"{reading.at(number)}: the document {name} is given twice")
                current = documents[name] = _Document()
            continue
        if current is None:
            current = documents[reading.stem] = _Document()
        _add(current, line, sentence, reading.at(number), number)
    empty = next((name for name, one in documents.items() if not one.tokens), None)
    if not documents or empty is not None:
        raise FormatError(f"{reading.name}: {empty or 'the file'} has no words")
    if not text.endswith(("\n", "\r")):
        _check_end(text, reading)
    return documents


@dataclass
class _Sentence:
    last: int = 0  # the number of its last word
    together: dict[str, str] = field(default_factory=dict)  # marks of the range that begins next


def _add(document: _Document, line: str, sentence: _Sentence, where: str, number: int) -> None:
    cells = line.split("\t")
    id = _ID.match(cells[0])
    if not id:
        raise FormatError(
            f"{where}: the first column is the number of a word, found {cells[0][:40]!r}"
        )
    if id[2]:  # several words written as one, or an empty node: its words have lines too
        if id[2] == "-":
            sentence.together = _of_range(cells, as_whole(id[1], where), sentence.last, where)
        return
    if len(cells) != 10:
        raise FormatError(
            f"{where}: a word has 10 columns with tabs between them, found {len(cells)}"
        )
    if as_whole(id[1], where) != sentence.last + 1:
        raise FormatError(f"{where}: word {id[1]} follows word {sentence.last}; is a line missing?")
    if sentence.last == 0:
        document.starts.append(len(document.tokens))
    document.tokens.append(cells[1])
    document.lines.append(number)
    document.marks.append(_with(sentence.together, _marks(cells[9]), where))
    sentence.last += 1
    sentence.together = {}


def _marks(cell: str) -> dict[str, str]:
    """The marks of a word; one that is given twice keeps both values, with | between them."""
    found: dict[str, dict[str, None]] = {}
    for part in cell.split("|"):
        name, equals, value = part.partition("=")
        if equals:
            found.setdefault(name, {})[value] = None
    return {name: "|".join(values) for name, values in found.items()}


def _of_range(cells: list[str], first: int, last: int, where: str) -> dict[str, str]:
    """What a range says of where segments begin; it may have fewer columns than a word."""
    marks = _marks(cells[-1]) if len(cells) > 2 else {}
    found = {name: value for name, value in marks.items() if name in DISRPT}
    if found and first != last + 1:
        raise FormatError(
            f"{where}: {cells[0]} has a mark and follows word {last}; it stands before its words"
        )
    return found


def _with(together: Mapping[str, str], own: dict[str, str], where: str) -> dict[str, str]:
    for name, value in together.items():
        if _begins(name, value) and not _begins(name, own.get(name, value)):
            raise FormatError(
                f"{where}: {name}={own[name]}, but the words written as one that begin here have "
                f"{name}={value}"
            )
    return {**together, **own}


def _check_end(text: str, reading: Reading) -> None:
    """A last line without a line end may be cut inside its last mark."""
    lines = split_lines(text)
    last = re.split(r"[\t|]", lines[-1])[-1]
    if lines[-1].startswith("#"):
        return
    parts = {part for line in lines[:-1] for part in line.split("\t")[-1].split("|")}
    if last not in parts and any(part.startswith(last) for part in parts):
        raise FormatError(
            f"{reading.at(len(lines))}: the file ends with {last!r}, which begins like other marks "
            "and is none of them; is it cut short?"
        )


def _refuse_connectives(documents: Mapping[str, _Document], reading: Reading) -> None:
    """A file of connectives without sentences has no segmentation."""
    if all(len(one.starts) == 1 for one in documents.values()):
        raise FormatError(
            f"{reading.name}: Conn= marks connectives, which are no segments, and there is neither "
            "Seg= nor an empty line between sentences; --columns ref=sentences (hyp=) reads "
            "each document as one"
        )


def _begins(field: str, value: str) -> bool:
    return value == {"BeginSeg": "Yes"}.get(field) or re.match(r"B(-|$)", value) is not None


def _segmentation(document: _Document, field: str, reading: Reading) -> Segmentation:
    if field == "sentences":
        return Segmentation(len(document.tokens), document.starts[1:])
    values = [marks.get(field, "") for marks in document.marks]
    for place, value in enumerate(values):
        _refuse_value(value, field, reading.at(document.lines[place]))
    starts = [place for place, value in enumerate(values) if _begins(field, value)]
    if not starts and field != "BeginSeg" and any(values):
        labels = [value or None for value in values]
        return Segmentation.from_labels(labels)
    for line, said in _wrong(document, values, field):
        raise FormatError(f"{reading.at(line)}: {said}")
    return Segmentation(len(values), [place for place in starts if place])


def _refuse_value(value: str, field: str, where: str) -> None:
    if _CONNECTIVE.fullmatch(value):
        raise FormatError(
            f"{where}: {field}={value} marks connectives, which are no segments; --columns "
            "ref=sentences (hyp=) reads sentences"
        )
    if "|" in value:
        both = " and ".join(f"{field}={one}" for one in value.split("|"))
        raise FormatError(f"{where}: the word has {both}; a word has one")


def _wrong(document: _Document, values: list[str], field: str) -> Iterator[tuple[int, str]]:
    """Lines whose mark cannot stand among marks that begin with B, I or O."""
    outside = "O" in values
    for line, marks, value in zip(document.lines, document.marks, values, strict=True):
        if marks.get(field) == "":
            yield line, f"{field}= has no value"
        elif not _KNOWN.fullmatch(value):
            yield line, f"{field}={value} among marks that begin with B (begins a segment), I or O"
        elif outside and field not in marks:
            yield line, f"no {field}= here, where other words that begin no segment have {field}=O"


def write_conllu(corpus: Corpus) -> str:
    """Words with ``Seg=B-seg`` at the start of each segment, as DISRPT has it."""
    check_holds(corpus, "conllu", "texts")
    lines: list[str] = []
    for key, seg in corpus.entries.items():
        words = needed_words(corpus, (key.text, ""), seg.units, "conllu", _is_word)
        if key.text != key.text.strip() or not key.text or len(split_lines(key.text)) != 1:
            raise FormatError(f"{key.text!r:.60} cannot name a document in CoNLL-U; jsonl holds it")
        lines.append(f"# newdoc id = {key.text}")
        starts = {0, *seg.cuts.tolist()}
        for place, word in enumerate(words):
            mark = "B-seg" if place in starts else "O"
            lines.append("\t".join([str(place + 1), word, *"_" * 7, f"Seg={mark}"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _is_word(word: str) -> bool:
    return bool(word) and not re.search(r"[\t\r\n]", word)


def _looks_like(text: str) -> bool:
    words = re.search(r"^(?!#)\S.*$", text, re.MULTILINE)
    cells = words.group().split("\t") if words else first_line(text).split("\t")
    return len(cells) == 10 and bool(_ID.match(cells[0]))


CONLLU = Format(
    "conllu",
    endings_of("conllu"),
    "CoNLL-U: sentences, or marks in the last column (DISRPT's Seg=B-seg)",
    "# newdoc id = d1\n1\tso\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg\n2\twe\t_\t_\t_\t_\t_\t_\t_\tSeg=O\n"
    "3\twent\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg",
    read_conllu,
    _looks_like,
    sure=True,
    write=write_conllu,
    keeps=("texts", "words"),
    takes=(),
)
