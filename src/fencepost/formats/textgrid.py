"""Praat's TextGrid files, in the long and the short form of the text format."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fencepost.formats.catalogue import endings_of
from fencepost.formats.intervals import Stretch
from fencepost.formats.options import TIERS, FormatError, Reading
from fencepost.formats.registry import Format
from fencepost.formats.tiers import Tier, corpus_of_tiers
from fencepost.formats.values import as_finite
from fencepost.model.corpus import Corpus

# Praat reads strings, numbers that stand free, and flags; whatever else is there is for people.
_ITEM = re.compile(
    r'"(?P<text>(?:[^"]|"")*)"'
    r"|(?<!\S)(?P<number>[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?!\S)"
    r"|<(?P<flag>exists|absent)>"
    r'|(?P<open>")'
    r"|!.*"
)


@dataclass
class _Items:
    """The strings, numbers and flags of a file, one after the other."""

    text: str
    reading: Reading
    place: int = 0
    at: int = 0  # where the last one began
    line: int = 1  # the line of `counted`, up to which lines were counted
    counted: int = 0

    def _next(self, wanted: str) -> re.Match[str]:
        while True:
            found = _ITEM.search(self.text, self.place)
            if found is None:
                self.at = len(self.text.rstrip())
                raise FormatError(
                    f"{self.where}: the file ends where {_SAID[wanted]} should follow; is it cut "
                    "short?"
                )
            self.place, self.at = found.end(), found.start()
            if found.lastgroup is not None:
                break  # no comment
        if found.lastgroup != wanted:
            what = "a quotation mark that is not closed" if found["open"] else found.group()[:40]
            raise FormatError(f"{self.where}: expected {_SAID[wanted]}, found {what}")
        return found

    @property
    def where(self) -> str:
        """The file and the line of the last one."""
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.reading.at(self.line)

    def string(self) -> str:
        """A text in quotation marks, which are doubled inside it."""
        return self._next("text")["text"].replace('""', '"')

    def number(self) -> float:
        """A number."""
        return as_finite(self._next("number")["number"], self.where)

    def count(self, most: int) -> int:
        """How many follow."""
        number = self.number()
        if number != int(number) or not 0 <= number <= most:
            raise FormatError(f"{self.where}: expected how many follow, found {number:g}")
        return int(number)

    def flag(self) -> str:
        """<exists> or <absent>."""
        return self._next("flag")["flag"]

    def rest(self) -> bool:
        """Whether anything follows."""
        return any(found.lastgroup for found in _ITEM.finditer(self.text, self.place))


_SAID = {
    "text": "a text in quotation marks",
    "number": "a number",
    "flag": "<exists> or <absent>",
}


def read_textgrid(text: str, reading: Reading) -> Corpus:
    """Praat's tiers: intervals are segments, points are boundaries; --units names what is counted.

    Intervals without a label are no segments (``--gaps``), unless no interval of a tier has one. A
    tier without intervals is one that its coder did not annotate. ``--ignore-tokens`` ignores words
    (``sp``, ``{OOV}``). ``--levels kinds`` makes labels boundary types: the label of a point, or of
    the interval that ends at the boundary.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    items = _Items(text, reading)
    kind, what = items.string(), items.string()
    if kind not in ("ooTextFile", "ooTextFile short") or what != "TextGrid":
        raise FormatError(
            f'{items.where}: a TextGrid begins with "ooTextFile" and "TextGrid", found '
            f"{kind!r:.30} and {what!r:.30}"
        )
    first, last = items.number(), items.number()
    tiers = []
    if items.flag() == "exists":
        tiers = [_tier(items) for _ in range(items.count(len(text)))]
    if items.rest():
        raise FormatError(
            f"{items.where}: more follows than the numbers of tiers and intervals say"
        )
    if not tiers:
        raise FormatError(f"{reading.name} has no tiers")
    return corpus_of_tiers(tiers, first, last, reading)


def _tier(items: _Items) -> Tier:
    kind, name = items.string(), items.string()
    if kind not in ("IntervalTier", "TextTier"):
        raise FormatError(f"{items.where}: a tier is an IntervalTier or a TextTier, found {kind!r}")
    items.number(), items.number()
    count = items.count(len(items.text))
    found: list[Stretch] = []
    for _ in range(count):
        start = items.number()
        where = f"{items.where}, tier {name}"
        end = items.number() if kind == "IntervalTier" else start
        if end < start or (found and start < found[-1].start):
            raise FormatError(f"{where}: {start:g} to {end:g} is no interval after the one before")
        found.append(Stretch(start, end, where, items.string()))
    return Tier(name, tuple(found), points=kind == "TextTier")


EXAMPLE = """File type = "ooTextFile"
Object class = "TextGrid"

0
2.5
<exists>
1
"IntervalTier"
"an1"
0
2.5
2
0
1.2
"so we went"
1.2
2.5
"and then"
"""

TEXTGRID = Format(
    "textgrid",
    endings_of("textgrid"),
    "Praat's tiers of intervals or points, long or short text form",
    EXAMPLE,
    read_textgrid,
    lambda text: '"TextGrid"' in text[:200] and "ooTextFile" in text[:200],
    sure=True,
    choices={"units": "seconds:0.1"},
    timed=True,
    takes=TIERS,
)
