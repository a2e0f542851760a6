"""Plain text with one unit a line and a separator line between segments, as Choi's files have."""

from __future__ import annotations

import re

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import Format, FormatError, Reading
from fencepost.segmentation import Segmentation

BAR = re.compile(r"\s*={5,}.*$")


def read_separated(text: str, reading: Reading) -> Corpus:
    """One text: units on lines of their own, segments divided by ``==========`` or empty lines.

    If there is a line of equal signs, only those divide; a separator before the first unit or
    after the last one divides nothing.
    """
    lines = text.splitlines()
    barred = any(BAR.match(line) for line in lines)
    segments: list[list[str]] = [[]]
    for line in lines:
        if BAR.match(line) if barred else not line.strip():
            segments.append([])
        elif line.strip():
            segments[-1].append(line.strip())
    filled = [segment for segment in segments if segment]
    if not filled:
        raise FormatError(f"{reading.name} has no text")
    key = Key(reading.stem, "", "1")
    return Corpus(
        {key: Segmentation.from_masses([len(segment) for segment in filled])},
        tokens={(key.text, ""): [unit for segment in filled for unit in segment]},
        sources={key: reading.name},
        name=reading.stem,
        unit="line",
    )


SEPARATED = Format(
    "separated",
    (".txt", ".ref", ".seg"),
    "one unit a line, ========== or an empty line between segments; the file is one text",
    "The cat sat.\nIt slept.\n==========\nDogs bark.",
    read_separated,
    lambda text: any(BAR.match(line) for line in text.splitlines()),
)
