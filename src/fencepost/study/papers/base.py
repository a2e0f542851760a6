"""What a reproduction is: printed numbers, the recipe, ours beside them, and a verdict."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from fencepost.model.checks import FencepostError
from fencepost.model.segmentation import Segmentation
from fencepost.scoring.tables import Table

# equal           our number has the printed digits
# within          it lies within a bound that is stated and derived
# differs         it does not, and the note says why
# not reproduced  it cannot be computed from what is printed or at hand, and the note says why
# measured        a claim in words, with the number that bears it out (or does not: differs)
Verdict = Literal["equal", "within", "differs", "not reproduced", "measured"]
# fitted: the recipe was chosen on these numbers, one of `tried` recipes; checked: it was not
Basis = Literal["checked", "fitted"]
# derived: the bound follows from something that the note names; chosen: it is ours, set after the
# first results had been seen; "": the line has no bound (an equality, or a plain comparison)
Threshold = Literal["", "derived", "chosen"]
# Where the number beside ours comes from.
Source = Literal[
    "paper", "words", "arithmetic", "authors' CSV", "authors' data", "R package", "drawing", "ours"
]
SOURCES: dict[Source, str] = {
    "paper": "printed in the paper",
    "words": "said in the paper in words, without a number",
    "arithmetic": "printed in the paper, and follows from other printed numbers",
    "authors' CSV": "not printed: the authors' table of counts behind a figure",
    "authors' data": "not printed: stored by the authors behind a figure without numbers",
    "R package": "not printed: what the authors' R package gives",
    "drawing": "not printed: read off the coordinates of the authors' drawing",
    "ours": "not in the paper: a measurement of ours beside it",
}

COLUMNS = ("paper", "item", "where", "printed", "ours", "verdict", "source", "basis", "tried",
           "bound", "threshold", "note", "digits")  # fmt: skip
TO_DATA = "name the folder that holds it with --data or FENCEPOST_DATA"


class PaperError(FencepostError):
    """A paper or an item that is not there."""


@cache
def printed_numbers(paper: str) -> dict[str, Any]:
    """Return the numbers of a paper; its ``source`` says where each of them is printed."""
    path = files("fencepost.study.papers") / "data" / f"{paper}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Line:
    """One printed number, or claim, and what we get."""

    where: str
    printed: float | str | None
    ours: float | str | None
    verdict: Verdict
    note: str = ""
    bound: float | None = None
    basis: Basis = "checked"
    digits: int | None = None  # printed behind the point, where the number alone does not tell
    source: Source = "paper"
    tried: int | None = None  # recipes tried, of a fitted line
    threshold: Threshold = ""


def same(
    where: str, printed: float, ours: float, digits: int, note: str = "", shown: bool = True,
    **more: Any,
) -> Line:  # fmt: skip
    """Equal to so many digits, or different; ``shown`` says that so many are printed."""
    equal = not math.isnan(ours) and f"{ours:.{digits}f}" == f"{printed:.{digits}f}"
    verdict: Verdict = "equal" if equal else "differs"
    return Line(where, printed, ours, verdict, note, digits=digits if shown else None, **more)


def alike(where: str, printed: float | str, ours: float | str, note: str = "", **more: Any) -> Line:
    """Equal as it stands, or different."""
    return Line(where, printed, ours, "equal" if printed == ours else "differs", note, **more)


def close(where: str, printed: float, ours: float, bound: float, note: str, **more: Any) -> Line:
    """Within a bound; the note says how it was derived, or ``threshold`` that it was chosen."""
    verdict: Verdict = "within" if abs(ours - printed) <= bound else "differs"
    return Line(where, printed, ours, verdict, note, bound, **{"threshold": "derived", **more})


def claim(
    where: str, ours: float | str, holds: bool, note: str = "", *, threshold: str = "",
    source: Source = "words",
) -> Line:  # fmt: skip
    """A claim in words, measured; ``threshold`` is what we demanded where words leave it open."""
    if threshold:
        note = "; ".join(filter(None, (note, f"threshold {threshold}, chosen")))
    verdict: Verdict = "measured" if holds else "differs"
    chosen: Threshold = "chosen" if threshold else ""
    return Line(where, None, ours, verdict, note, source=source, threshold=chosen)


def absent(where: str, printed: float | str | None, note: str, **more: Any) -> Line:
    """What cannot be reproduced, and why."""
    more = {"source": "words" if printed is None else "paper", **more}
    return Line(where, printed, None, "not reproduced", note, **more)


@dataclass(frozen=True)
class Run:
    """How a reproduction runs: the seed, where data lie, and whether a part is enough."""

    seed: int = 12345
    data: Path | None = None
    fast: bool = False  # a part of the sizes, for tests; verdicts on random numbers may be wider
    progress: Callable[[str], None] = field(default=lambda message: None)

    @classmethod
    def usual(cls) -> Run:
        """With the data that FENCEPOST_DATA names."""
        given = os.environ.get("FENCEPOST_DATA")
        return cls(data=Path(given) if given else None)

    def file(self, name: str) -> Path | None:
        """A file of the data folder, if it is there: in its own folder, or without one."""
        if self.data is None:
            return None
        places = (self.data / name, self.data / Path(name).name)
        return next((place for place in places if place.is_file()), None)


@dataclass(frozen=True)
class Drawing:
    """A figure of the paper, drawn anew: lines over one scale, or two texts above each other."""

    title: str
    about: str  # what is drawn, in our words
    x_label: str = ""
    lines: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    texts: tuple[Segmentation, Segmentation] | None = None
    names: tuple[str, str] = ("reference", "hypothesis")

    @classmethod
    def of_table(cls, title: str, about: str, table: Table) -> Drawing:
        """Return the first column of a table across, and all others as lines."""
        across, *others = table.columns
        x = table.column(across)
        lines = {name: list(zip(x, table.column(name), strict=True)) for name in others}
        return cls(title, about, across, lines)


Lines = Callable[[Run], Iterable[Line]]
Drawings = Callable[[Run], Iterable[Drawing]]


@dataclass(frozen=True)
class Item:
    """One table or figure: its name, what it shows, and the run that makes its lines."""

    name: str
    what: str
    run: Lines


@dataclass(frozen=True)
class Paper:
    """A paper and everything of it that is reproduced; its data file lists the items."""

    key: str
    runs: dict[str, Lines] = field(default_factory=dict)
    drawn: dict[str, Drawings] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, Any]:
        """What is printed, with its source."""
        return printed_numbers(self.key)

    @property
    def cite(self) -> str:
        """Authors, year and title."""
        return str(self.numbers["cite"])

    @property
    def items(self) -> tuple[Item, ...]:
        """All tables and figures, in the order of the paper."""
        return tuple(
            Item(name, what, self.runs[name]) for name, what in self.numbers["items"].items()
        )

    def item(self, name: str, source: Source | None = None) -> Callable[[Lines], Lines]:
        """Declare the function that makes the lines of this item, and their common source."""

        def declared(run: Lines) -> Lines:
            self.runs[name] = run
            if source is not None:
                self.runs[name] = lambda how: (replace(line, source=source) for line in run(how))
            return run

        return declared

    def drawing(self, name: str) -> Callable[[Drawings], Drawings]:
        """Declare the function that draws the figures of this item."""

        def declared(draw: Drawings) -> Drawings:
            self.drawn[name] = draw
            return draw

        return declared

    def drawings(self, run: Run, wanted: str | None = None) -> list[tuple[Item, Drawing]]:
        """Return the figures of all items, or of those that are wanted."""
        own = [item for item in self.chosen(wanted) if item.name in self.drawn]
        return [(item, drawing) for item in own for drawing in self.drawn[item.name](run)]

    def reason(self, item: str, notes: Sequence[str]) -> str:
        """Return in one sentence why lines of this item differ or are not reproduced.

        Data that are not at hand come first. Then there is a sentence in the paper's data file;
        without one, the first note of these lines has to do.
        """
        missing = next((note for note in notes if TO_DATA in note), None)
        declared: str | None = self.numbers.get("reasons", {}).get(item)
        return missing or declared or next(filter(None, notes), "")

    def chosen(self, wanted: str | None = None) -> tuple[Item, ...]:
        """All items, or those with all words and numbers of ``wanted`` in their names.

        "table 2" is in "Tables 2 and 3". Only where no name has them, ranges ("Figures 3-8")
        count, and then beginnings of names.
        """
        if wanted is None:
            return self.items
        words = _words(wanted)
        for matches in (
            lambda name: words <= _words(name),
            lambda name: words <= _words(name) | _between(name),
            lambda name: name.lower().startswith(wanted.lower().strip()),
        ):
            found = tuple(item for item in self.items if words and matches(item.name))
            if found:
                return found
        names = ", ".join(item.name for item in self.items)
        raise PaperError(f"{self.key} has no item {wanted!r}; there is {names}")

    def lines(self, run: Run, wanted: str | None = None) -> Iterator[tuple[Item, Line]]:
        """The lines of all items, or of those that are wanted."""
        for item in self.chosen(wanted):
            run.progress(f"{self.key}, {item.name}")
            for line in item.run(run):
                yield item, line

    def table(self, run: Run | None = None, wanted: str | None = None) -> Table:
        """All lines as a tidy table."""
        rows = []
        for item, line in self.lines(run or Run.usual(), wanted):
            cells = {"paper": self.key, "item": item.name, **vars(line)}
            rows.append({column: cells[column] for column in COLUMNS})
        return Table(COLUMNS, tuple(rows), name="reproduction")


def _words(name: str) -> set[str]:
    """Words and whole numbers, in the singular."""
    found = re.findall(r"\d+(?:\.\d+)*|[^\W\d]+", name.lower())
    return {word.removesuffix("s") for word in found}


def _between(name: str) -> set[str]:
    """The numbers of ranges such as 3-8."""
    ranges = re.findall(r"(\d+)-(\d+)", name)
    return {str(n) for low, high in ranges for n in range(int(low), int(high) + 1)}
