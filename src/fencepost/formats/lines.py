"""Tables and plain lines with one text each: sizes, bit strings, labels, words with bars."""

from __future__ import annotations

import re
from collections.abc import Callable

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading
from fencepost.formats.values import Value, decode
from fencepost.segmentation import Segmentation

WHOLE = re.compile(r"[+-]?\d+$")


def read_tsv(text: str, reading: Reading) -> Corpus:
    """Segment sizes in columns: text, coder (if there is one), sizes; a header is understood.

    segeval's own layout has the header ``Coder  Masses``: its file is one text.
    """
    separator = "\t" if "\t" in text else ","
    rows = [
        (number, [cell.strip() for cell in line.split(separator)])
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    if not rows:
        raise FormatError(f"{reading.name} has no rows")
    header = [cell.lower() for cell in rows[0][1]]
    has_header = any(header[1:]) and not any(WHOLE.match(cell) for cell in header[1:])
    if has_header and header[0] == "coder":
        return _sizes(rows[1:], reading, lambda cells: (reading.stem, cells[0], cells[1:]))
    if has_header and header[0] not in ("text", "item", "id", "document", "doc"):
        number, cells = rows[0]
        raise FormatError(
            f"{reading.at(number)}: segment lengths must be whole numbers, found {cells[-1]!r} in "
            f"column {len(cells)} (a header starts with text or coder)"
        )
    with_coder = (
        "coder" in header[:2] if has_header else not WHOLE.match("".join(header[1:2]) or "1")
    )
    if with_coder:
        return _sizes(rows[has_header:], reading, lambda cells: (cells[0], cells[1], cells[2:]))
    return _sizes(rows[has_header:], reading, lambda cells: (cells[0], "1", cells[1:]))


Cells = list[str]


def _sizes(
    rows: list[tuple[int, Cells]],
    reading: Reading,
    split: Callable[[Cells], tuple[str, str, Cells]],
) -> Corpus:
    keys: list[Key] = []
    seen: set[Key] = set()
    values: list[Value] = []
    for number, cells in rows:
        text, coder, sizes = split(cells)
        words = [word for cell in sizes for word in cell.split()]
        for word in words:
            if not WHOLE.match(word):
                column = next(i for i, cell in enumerate(cells, start=1) if word in cell.split())
                raise FormatError(
                    f"{reading.at(number)}: segment lengths must be whole numbers, found {word!r} "
                    f"in column {column}"
                )
        key = Key(text, "", coder)
        if key in seen:
            raise FormatError(f"{reading.at(number)}: {text} by {coder} is given twice")
        seen.add(key)
        keys.append(key)
        values.append(Value([int(word) for word in words], reading.at(number)))
    return _corpus(keys, values, reading, "masses")


def read_lines(text: str, reading: Reading) -> Corpus:
    """One text a line, with its id before a tab if it has one.

    ``00100`` is a bit string, ``5 5 1 3`` are sizes (or 0/1 marks), ``a a b`` labels with
    ``--as labels``, ``the cat | sat`` words with bars between segments.
    """
    keys: list[Key] = []
    values: list[Value] = []
    words: dict[tuple[str, str], list[str]] = {}
    seen: set[Key] = set()
    bars = "|" in text
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, tab, rest = line.partition("\t")
        name, content = (name.strip(), rest.strip()) if tab else (str(len(keys) + 1), line.strip())
        key = Key(name, "", "1")
        if key in seen:
            raise FormatError(f"{reading.at(number)}: the text {name} is given twice")
        seen.add(key)
        keys.append(key)
        if bars:
            words[name, ""] = [word for part in content.split("|") for word in part.split()]
        values.append(Value(_content(content, bars, reading, number), reading.at(number)))
    if not keys:
        raise FormatError(f"{reading.name} has no texts")
    return _corpus(keys, values, reading, "marks", words)


def _content(
    content: str, bars: bool, reading: Reading, number: int
) -> str | list[int] | list[str]:
    if bars:
        try:
            return list(Segmentation.from_text(content).masses)
        except ValueError as error:
            raise FormatError(f"{reading.at(number)}: {error}") from None
    if set(content) <= {"0", "1"} and reading.encoding in (None, "bits", "flags"):
        return content
    parts = content.replace(",", " ").split()
    if reading.encoding == "labels":
        return parts
    for part in parts:
        if not WHOLE.match(part):
            raise FormatError(
                f"{reading.at(number)}: expected 0/1 marks, segment sizes, or words with | between "
                f"segments; found {part!r:.40}"
            )
    return [int(part) for part in parts]


def _corpus(
    keys: list[Key],
    values: list[Value],
    reading: Reading,
    what: str,
    words: dict[tuple[str, str], list[str]] | None = None,
) -> Corpus:
    made, choices = decode(values, reading, what)
    return Corpus(
        dict(zip(keys, made, strict=True)),
        tokens=words or {},
        sources={key: value.where for key, value in zip(keys, values, strict=True)},
        reading=choices,
        name=reading.stem,
        unit="word" if words else "unit",
    )


def looks_like_lines(text: str) -> bool:
    """Every line is marks, numbers, or words with bars."""
    lines = [line.partition("\t")[2] or line for line in text.splitlines() if line.strip()]
    numbers = all(re.fullmatch(r"[\d\s,]+", line) for line in lines)
    return bool(lines) and (numbers or any("|" in line for line in lines))


def write_tsv(corpus: Corpus) -> str:
    """Text, coder, sizes."""
    lines = ["text\tcoder\tmasses"]
    for key, seg in corpus.entries.items():
        if seg.kinds is not None:
            raise FormatError(f"{key.text}: masses cannot hold kinds of boundaries")
        lines.append("\t".join([key.text, key.coder, *map(str, seg.masses)]))
    return "\n".join(lines) + "\n"


TSV = Format(
    "tsv",
    (".tsv", ".csv"),
    "segment sizes in columns: text, coder if there is one, sizes; segeval's Coder/Masses too",
    "text\tcoder\tmasses\nd1\tan1\t5\t5\t1\t3",
    read_tsv,
    write=write_tsv,
)
LINES = Format(
    "lines",
    (".bits", ".masses"),
    "one text a line: bit string, sizes, labels (--as labels) or words with | between segments",
    "d1\t0000100001100",
    read_lines,
    looks_like_lines,
)
