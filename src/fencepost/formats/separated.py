"""Plain text with one unit a line and a separator line between segments, as Choi's files have."""

from __future__ import annotations

import re

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading, split_lines
from fencepost.segmentation import Segmentation

EQUALS = re.compile(r"\s*={5,}.*$")  # a title may follow, as in Wiki-727K
RULE = re.compile(r"\s*(=|-|\*|_|~)\1{2,}\s*$")


def find_separator(lines: list[str]) -> re.Pattern[str] | None:
    """What divides, if any line does: lines of equal signs before all others."""
    for pattern in (EQUALS, RULE):
        if any(pattern.match(line) for line in lines):
            return pattern
    return None


def read_separated(text: str, reading: Reading) -> Corpus:
    """One text: units on lines of their own, segments divided by ``==========`` or empty lines.

    If there is a line of equal signs, only those divide; if there is none, but a line of three or
    more ``-``, ``*``, ``_`` or ``~``, only those. A separator before the first unit or after the
    last one divides nothing.
    """
    lines = split_lines(text)
    separator = find_separator(lines)
    segments: list[list[str]] = [[]]
    for line in lines:
        if separator.match(line) if separator else not line.strip():
            segments.append([])
        elif line.strip():
            segments[-1].append(line.strip())
    filled = [segment for segment in segments if segment]
    if not filled:
        raise FormatError(f"{reading.name} has no text, only lines that divide")
    key = Key(reading.stem, "", "1")
    return Corpus(
        {key: Segmentation.from_masses([len(segment) for segment in filled])},
        tokens={(key.text, ""): [unit for segment in filled for unit in segment]},
        sources={key: reading.name},
        name=reading.stem,
        unit="line",
        anonymous=True,
    )


SEPARATED = Format(
    "separated",
    (".txt", ".ref", ".seg"),
    "one unit a line, ========== (or ---) or an empty line between segments; the file is one text",
    "The cat sat.\nIt slept.\n==========\nDogs bark.",
    read_separated,
    lambda text: find_separator(split_lines(text)) is not None,
)
