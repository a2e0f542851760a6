"""One text with its cuts: what a person builds, prints and compares."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import (
    Ints,
    Kinds,
    SegmentationError,
    Weights,
    as_count,
    as_integers,
    as_threshold,
    as_weights,
    check_columns,
    check_weights,
    refuse_probabilities,
)
from fencepost.model.levels import Ladder, Order, find_level, is_kept, levels_of

MAX_UNITS_DRAWN = 1000  # when a segmentation is printed


class Segmentation:
    """A text of ``units`` units (words, sentences, ...) and the boundaries between them.

    ``cuts`` are the positions of boundaries: p is after unit p, so ``1 <= p <= units - 1``.
    ``kinds`` are boundary types, one whole number from 1 up for each boundary, named by
    ``kind_names``. With them several boundaries may share a position, and the end of the text (``p
    == units``) can have a type too. With ``weights`` each boundary has a number above 0 and at most
    1: its probability, or the share of annotators who set it. ``weights`` is None where every
    boundary is certain.

    >>> from fencepost import Segmentation
    >>> s = Segmentation.from_masses([5, 5, 1, 3])
    >>> s
    Segmentation(units=14, cuts=[5, 10, 11])
    >>> s.bits
    '0000100001100'
    >>> s == Segmentation.from_bits("0000100001100")
    True
    """

    units: int
    cuts: Ints
    kinds: Kinds | None
    kind_names: tuple[str, ...] | None
    weights: Weights | None

    def __init__(
        self,
        units: int,
        cuts: Sequence[int] | npt.NDArray[np.integer[Any]],
        kinds: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        kind_names: Sequence[str] | None = None,
        weights: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
    ) -> None:
        size = as_count(units, "units")
        places = as_integers(cuts, "cuts")
        numbers: Kinds | None = None
        names: tuple[str, ...] | None = None
        if kinds is not None or kind_names is not None:
            numbers, names = _kinds(places, kinds if kinds is not None else [], kind_names)
            if (np.diff(places) >= 0).all():  # kinds of one place may come in any order
                order = np.lexsort((numbers, places))
                places, numbers = places[order], numbers[order]
        check_columns(
            places,
            np.array([0, len(places)]),
            np.array([size]),
            None if numbers is None else numbers - 1,
            len(names or ()),
            lambda _: "segmentation",
        )
        own = None if weights is None else as_weights(weights, "weights")
        check_weights(own, places, np.array([0, len(places)]), lambda _: "segmentation")
        if own is not None and numbers is not None:
            raise SegmentationError(
                "kinds and weights are given; boundaries have types or probabilities, not both"
            )
        self._set(size, places, numbers, names, own)

    def _set(
        self,
        units: int,
        cuts: Ints,
        kinds: Kinds | None,
        kind_names: tuple[str, ...] | None,
        weights: Weights | None,
    ) -> None:
        if cuts.flags.writeable or not cuts.flags.owndata:  # somebody else could change them
            cuts = cuts.copy()
            cuts.flags.writeable = False
        if kinds is not None:
            kinds.flags.writeable = False
        if weights is not None and (weights.flags.writeable or not weights.flags.owndata):
            weights = weights.copy()
            weights.flags.writeable = False
        # One form for one thing: what is certain has no weights.
        certain = weights is None or not (weights < 1).any()
        object.__setattr__(self, "weights", None if certain else weights)
        object.__setattr__(self, "units", units)
        object.__setattr__(self, "cuts", cuts)
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "kind_names", kind_names)

    @classmethod
    def _trusted(
        cls,
        units: int,
        cuts: Ints,
        kinds: Kinds | None = None,
        kind_names: tuple[str, ...] | None = None,
        weights: Weights | None = None,
    ) -> Segmentation:
        """Wrap columns that passed the check already."""
        self = cls.__new__(cls)
        self._set(int(units), cuts, kinds, kind_names, weights)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a Segmentation does not change; make a new one instead of setting {name}"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Segmentation does not change; it keeps its {name}")

    # Constructors, one for each way people write segmentations down.

    @classmethod
    def from_masses(cls, masses: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Segmentation:
        """Segment sizes in order: ``[5, 5, 1, 3]``."""
        sizes = as_integers(masses, "masses")
        if not len(sizes):
            raise SegmentationError("masses are empty; a text has at least one segment")
        if sizes.min() < 1:
            at = int(np.argmax(sizes < 1))
            flags = set(sizes.tolist()) <= {0, 1}
            raise SegmentationError(
                f"segment sizes must be at least 1; number {at + 1} is {sizes[at]}"
                + ("; these look like 0/1 marks: use from_flags or from_bits" if flags else "")
            )
        if float(sizes.sum(dtype=np.float64)) > 2.0**40:
            as_count(sum(sizes.tolist()), "the sum of the masses")
        ends = sizes.cumsum()
        return cls._trusted(int(ends[-1]), ends[:-1])

    @classmethod
    def from_bits(cls, bits: str | Sequence[int] | npt.NDArray[np.integer[Any]]) -> Segmentation:
        """One mark for each position between units: ``"00100"`` is 6 units, a boundary after the
        3rd."""
        marks = _marks(bits, "bits")
        return cls._trusted(len(marks) + 1, np.flatnonzero(marks) + 1)

    @classmethod
    def from_flags(
        cls,
        flags: str | Sequence[int] | npt.NDArray[np.integer[Any]],
        mark: Literal["last", "first"] | None = None,
    ) -> Segmentation:
        """One mark for each unit; a 1 is the ``last`` or the ``first`` unit of a segment.

        The mark at the end of the text (``last``) or its start (``first``) is ignored: every text
        ends and starts there.
        """
        if mark not in ("last", "first"):
            raise SegmentationError(
                'flags do not say what a 1 marks: give mark="last" (the 1 ends a segment) '
                'or mark="first" (it starts one)'
            )
        marks = _marks(flags, "flags")
        if not len(marks):
            raise SegmentationError("flags are empty; a text has at least one unit")
        places = np.flatnonzero(marks[:-1]) + 1 if mark == "last" else np.flatnonzero(marks[1:]) + 1
        return cls._trusted(len(marks), places)

    @classmethod
    def from_probabilities(
        cls,
        probabilities: Sequence[float] | npt.NDArray[np.floating[Any]],
        units: int | None = None,
        mark: Literal["last", "first"] | None = None,
    ) -> Segmentation:
        """The probability of a boundary at each position: N-1 numbers for a text of N units.

        With ``mark`` there is a number for each unit, the probability that it is the ``last`` or
        the ``first`` unit of a segment; the number at the end (or start) of the text is ignored.

        >>> s = Segmentation.from_probabilities([0.1, 0.9, 0, 1])
        >>> s
        Segmentation(units=5, cuts=[1, 2, 4], weights=[0.1, 0.9, 1.0])
        >>> s.at_threshold(0.5)
        Segmentation(units=5, cuts=[2, 4])
        """
        numbers = as_weights(probabilities, "probabilities")
        if mark not in (None, "last", "first"):
            raise SegmentationError(
                "probabilities are one per position (mark=None), or one per unit: "
                f'mark="last" or mark="first", found mark={mark!r}'
            )
        size = len(numbers) + (mark is None)
        if units is not None and as_count(units, "units") != size:
            expected = f"{units} units" if mark else f"the {units - 1} positions of {units} units"
            raise SegmentationError(f"{len(numbers)} probabilities are given for {expected}")
        if not size:
            raise SegmentationError("probabilities are empty; a text has at least one unit")
        if mark is not None:
            numbers = numbers[:-1] if mark == "last" else numbers[1:]
        places = np.flatnonzero(numbers)
        return cls._trusted(size, places + 1, weights=numbers[places])

    @classmethod
    def from_positions(
        cls, positions: Sequence[int] | npt.NDArray[np.integer[Any]], units: int
    ) -> Segmentation:
        """Numbers of the units that end a segment, without the last one: ``[5, 10], units=14``."""
        return cls(units, positions)

    @classmethod
    def from_levels(cls, levels: Mapping[int, int], units: int) -> Segmentation:
        """The level of the boundary at each position, 1 the coarsest: ``{2: 2, 4: 1}, units=6``.

        The boundary types are the levels that some boundary has, and no others.

        >>> Segmentation.from_levels({2: 3, 4: 1}, units=6)
        Segmentation(units=6, cuts=[2, 4], kinds=[2, 1], kind_names=('1', '3'))
        """
        if not isinstance(levels, Mapping):
            raise SegmentationError(
                f"levels must be a dict of positions, found {type(levels).__name__}"
            )
        places = sorted(levels)
        own = as_integers([levels[place] for place in places], "levels")
        if len(own) and own.min() < 1:
            at = int(np.argmax(own < 1))
            raise SegmentationError(
                f"levels are whole numbers from 1 up; after unit {places[at]} it is {own[at]}"
            )
        names, kinds = np.unique(own, return_inverse=True)
        return cls(units, places, kinds + 1, list(map(str, names.tolist())))

    @classmethod
    def from_labels(cls, labels: Sequence[Hashable] | npt.NDArray[Any]) -> Segmentation:
        """A label for each unit; a new segment starts where the label changes."""
        if isinstance(labels, str) or not isinstance(labels, (Sequence, np.ndarray)):
            raise SegmentationError(
                f"labels must be a list with one label for each unit, found {type(labels).__name__}"
            )
        if isinstance(labels, np.ndarray) and labels.ndim != 1:
            raise SegmentationError(
                f"labels must be one flat list, found {labels.ndim} levels of nesting"
            )
        if not len(labels):
            raise SegmentationError("labels are empty; a text has at least one unit")
        try:
            masses = [sum(1 for _ in run) for _, run in groupby(labels)]
        except (TypeError, ValueError):  # arrays do not say whether they are equal
            raise SegmentationError(
                "labels must be values that are equal or not, one for each unit"
            ) from None
        return cls.from_masses(masses)

    @classmethod
    def from_marks(
        cls, marks: Sequence[str | Iterable[str]], kind_names: Sequence[str] | None = None
    ) -> Segmentation:
        """A boundary type, or nothing, after each unit, the last one included.

        ``["", "", ",", "", "."]`` has a comma after unit 3 and a full stop at the end. Several
        types after one unit are given as a list of names.

        >>> Segmentation.from_marks(["", "", ",", "", "."])
        Segmentation(units=5, cuts=[3, 5], kinds=[1, 2], kind_names=(',', '.'))
        """
        if isinstance(marks, str) or not isinstance(marks, Sequence):
            raise SegmentationError(
                f"marks must be a list with one entry for each unit, found {type(marks).__name__}"
            )
        places: list[int] = []
        found: list[str] = []
        for place, entry in enumerate(marks, start=1):
            several = isinstance(entry, Iterable) and not isinstance(entry, (str, bytes))
            for kind in entry if several else [entry]:
                if not isinstance(kind, str):
                    raise SegmentationError(
                        f"the mark after unit {place} must be text, found {kind!r}"
                    )
                if kind:
                    places.append(place)
                    found.append(kind)
        names = list(dict.fromkeys(found)) if kind_names is None else list(kind_names)
        number = {name: i for i, name in enumerate(names, start=1)}
        unknown = next((kind for kind in found if kind not in number), None)
        if unknown is not None:
            raise SegmentationError(
                f"the boundary type {unknown!r} is not among kind_names {tuple(names)}"
            )
        return cls(len(marks), places, [number[kind] for kind in found], names)

    @classmethod
    def from_spans(cls, spans: Sequence[tuple[int, int]], units: int | None = None) -> Segmentation:
        """Segments as ``[start, end)``, without gap or overlap: ``[(0, 5), (5, 14)]``."""
        if isinstance(spans, (str, bytes)) or not isinstance(spans, (Sequence, np.ndarray)):
            raise SegmentationError(
                f"spans must be a list of (start, end), found {type(spans).__name__}"
            )
        if not len(spans):
            raise SegmentationError("spans are empty; a text has at least one segment")
        expected = 0
        for number, span in enumerate(spans, start=1):
            pair = isinstance(span, (Sequence, np.ndarray)) and not isinstance(span, (str, bytes))
            if not pair or len(span) != 2:
                raise SegmentationError(f"span {number} must be (start, end), found {span!r}")
            start, end = as_integers(list(span), f"span {number}").tolist()
            if start != expected:
                what = "overlaps the one before" if start < expected else "leaves a gap before it"
                raise SegmentationError(
                    f"span {number} starts at {start} and {what}, which ends at {expected}"
                )
            if end <= start:
                raise SegmentationError(f"span {number} is empty: ({start}, {end})")
            expected = end
        if units is not None and as_count(units, "units") != expected:
            raise SegmentationError(f"the spans end at {expected}, the text has {units} units")
        return cls(expected, [int(end) for _, end in spans[:-1]])

    @classmethod
    def from_text(cls, text: str, separator: str = "|") -> Segmentation:
        """Words with a separator between segments: ``"a b | c"``."""
        if not isinstance(text, str):
            raise SegmentationError(f"text must be a string, found {type(text).__name__}")
        if not isinstance(separator, str) or not separator:
            raise SegmentationError(f"separator must be a string, not {separator!r}")
        sizes = [len(part.split()) for part in text.split(separator)]
        if 0 in sizes:
            raise SegmentationError(
                f"segment {sizes.index(0) + 1} of {len(sizes)} has no words; "
                f"{separator!r} stands between segments, not around them"
            )
        return cls.from_masses(sizes)

    # And back.

    @cached_property
    def places(self) -> Ints:
        """The different positions of boundaries before the end of the text, of any type."""
        if self.kinds is None:
            return self.cuts
        inner = np.unique(self.cuts)
        return inner[inner < self.units]

    @property
    def probabilities(self) -> Weights:
        """The probability of a boundary at each position: 0 where there is none, 1 where it is
        certain.

        >>> Segmentation.from_masses([2, 1]).probabilities.tolist()
        [0.0, 1.0]
        """
        found = np.zeros(self.units - 1)
        found[self.places - 1] = 1 if self.weights is None else self.weights
        return found

    def at_threshold(self, threshold: float) -> Segmentation:
        """Return the boundaries whose weight is at least ``threshold``, as certain ones."""
        least = as_threshold(threshold)
        if self.weights is None:
            return self
        return Segmentation._trusted(self.units, self.cuts[self.weights >= least])

    def _certain(self, form: str) -> Ints:
        """Return the places of cuts; SegmentationError where a form cannot have probabilities."""
        if self.weights is not None:
            raise refuse_probabilities("this segmentation", f".{form} needs")
        return self.places

    @property
    def masses(self) -> tuple[int, ...]:
        """Segment sizes in order."""
        self._certain("masses")
        return tuple(np.diff(self.places, prepend=0, append=self.units).tolist())

    @property
    def bits(self) -> str:
        """One mark for each position between units."""
        marks = np.zeros(self.units - 1, dtype=np.uint8)
        marks[self._certain("bits") - 1] = 1
        return (marks + ord("0")).tobytes().decode("ascii")

    def flags(self, mark: Literal["last", "first"] = "last") -> list[int]:
        """One mark for each unit; the text's own end (or start) is marked too."""
        marks = np.zeros(self.units, dtype=np.int64)
        self._certain("flags()")
        if mark == "last":
            marks[self.places - 1] = 1
            marks[-1] = 1
        else:
            marks[self.places] = 1
            marks[0] = 1
        return [int(m) for m in marks]

    @property
    def labels(self) -> list[int]:
        """The number of its segment, from 1, for each unit."""
        numbers = np.zeros(self.units, dtype=np.int64)
        numbers[self._certain("labels")] = 1
        return [int(n) for n in np.cumsum(numbers) + 1]

    @property
    def named_cuts(self) -> list[tuple[int, str]]:
        """Every position of a boundary with the name of its type, or "" without types."""
        names, numbers = self.kind_names, self.kinds
        kinds = [""] * len(self.cuts)
        if names is not None and numbers is not None:
            kinds = [names[number - 1] for number in numbers.tolist()]
        return list(zip(self.cuts.tolist(), kinds, strict=True))

    @property
    def marks(self) -> list[str] | list[tuple[str, ...]]:
        """The type of the boundary after each unit, or "" (tuples where a position has several)."""
        if self.kinds is None:
            raise SegmentationError(
                "this segmentation has no boundary types (kinds); use .bits or .flags()"
            )
        found: list[tuple[str, ...]] = [()] * self.units
        for place, kind in self.named_cuts:
            found[place - 1] += (kind,)
        if all(len(kinds) <= 1 for kinds in found):
            return [kinds[0] if kinds else "" for kinds in found]
        return found

    def at(self, level: int | str, types: Order = None) -> Segmentation:
        """Return the flat segmentation of one level: its boundaries and all of coarser levels.

        Levels are boundary types: whole numbers of which 1 is the coarsest, or names whose order
        ``types`` declares from the finest to the coarsest.

        >>> s = Segmentation.from_marks(["", "2", "", "1", "3", ""], kind_names=["1", "2", "3"])
        >>> s.at(1).masses, s.at(2).masses, s.at(3).masses
        ((4, 2), (2, 2, 2), (2, 2, 1, 1))
        """
        levels = levels_of(self.kind_names, types)
        last = find_level(level, levels)
        assert self.kinds is not None
        assert self.kind_names is not None
        kept = is_kept(self.kinds - 1, self.kind_names, levels, last) & (self.cuts < self.units)
        return Segmentation._trusted(self.units, np.unique(self.cuts[kept]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        kinds = None if self.kinds is None else self.kinds.tobytes()
        weights = None if self.weights is None else self.weights.tobytes()
        return self.units, self.cuts.tobytes(), kinds, self.kind_names, weights

    def __reduce__(self) -> tuple[Any, ...]:
        return Segmentation, (self.units, self.cuts, self.kinds, self.kind_names, self.weights)

    def __repr__(self) -> str:
        typed = ""
        if self.kinds is not None:
            typed = f", kinds={_first_values(self.kinds)}, kind_names={self.kind_names!r}"
        if self.weights is not None:
            typed = f", weights={_first_values(self.weights)}"
        return f"Segmentation(units={self.units}, cuts={_first_values(self.cuts)}{typed})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.notebook import segmentation_html

        return segmentation_html(self)

    def __str__(self) -> str:
        """Draw the text: numbered units with a bar at each cut, as wide as the terminal.

        Where types are levels (numbers, 1 the coarsest), the bars of coarser ones are taller.
        """
        ladder = Ladder.of([self])
        if ladder is None:
            rows = {"": self._ends()}
        else:
            reached = ladder.reached(self)
            rows = {
                f"{name} ": {place: "|" for place, top in reached.items() if top <= rung}
                for rung, name in enumerate(ladder.labels)
            }
        lines = _drawn(rows, self.units, columns_of(sys.stdout))
        lines += ["", ladder.legend] if ladder is not None else []
        if self.units > MAX_UNITS_DRAWN:
            lines.append(f"... {self.units} units, {len(self.cuts)} cuts")
        return "\n".join(lines)

    def _ends(self) -> dict[int, str]:
        """Return a bar, or the types, at each position with a cut; after it the probability."""
        if self.weights is not None:
            numbers = zip(self.cuts.tolist(), self.weights.tolist(), strict=True)
            return {place: f"|{percent(weight)}" for place, weight in numbers}
        return {
            place: "".join(kind for _, kind in own) or "|"
            for place, own in groupby(self.named_cuts, lambda cut: cut[0])
        }


Segmentable = Segmentation | Sequence[int] | npt.NDArray[np.integer[Any]]


def as_segmentation(given: Segmentable, what: str = "a segmentation") -> Segmentation:
    """A bare list is masses; anything else must be a Segmentation already."""
    if isinstance(given, Segmentation):
        return given
    if isinstance(given, str):
        marks = given and set(given) <= {"0", "1"}
        way = "Segmentation.from_bits" if marks else "Segmentation.from_text"
        raise SegmentationError(f"{what} is text; a bare list is segment sizes: use {way}")
    try:
        return Segmentation.from_masses(given)
    except SegmentationError as error:
        raise SegmentationError(f"{what}: {error}") from None


def percent(weight: float) -> str:
    """Return a probability as a percentage: 7%, 100%, and <1% for what would be 0.

    >>> percent(0.07), percent(1.0), percent(0.001)
    ('7%', '100%', '<1%')
    """
    return f"{weight:.0%}" if weight >= 0.005 else "<1%"


def _kinds(
    cuts: Ints, kinds: Sequence[int] | npt.NDArray[Any], names: Sequence[str] | None
) -> tuple[Kinds, tuple[str, ...]]:
    """Kinds, from 1 up, and their names."""
    numbers = as_integers(kinds, "kinds")
    if len(numbers) != len(cuts):
        raise SegmentationError(f"{len(cuts)} boundaries need as many kinds, found {len(numbers)}")
    largest = int(numbers.max(initial=0))
    if names is None:
        smallest = int(numbers.min(initial=1))
        if largest > 10_000 or smallest < 1:
            found = smallest if smallest < 1 else largest
            raise SegmentationError(f"kinds are small numbers from 1 up, found {found}")
        names = [str(n) for n in range(1, largest + 1)]
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise SegmentationError(f"kind_names must be a list of names, found {names!r}")
    if len(set(names)) != len(names):
        raise SegmentationError(f"kind_names must differ from each other, found {tuple(names)}")
    if len(numbers) and (int(numbers.min()) < 1 or largest > len(names)):
        bad = int(numbers[(numbers < 1) | (numbers > len(names))][0])
        raise SegmentationError(
            f"kinds must be 1 to {len(names)} (as many as kind_names), found {bad}"
        )
    return numbers.astype(np.int32), tuple(names)


def _marks(given: str | Sequence[int] | npt.NDArray[Any], what: str) -> npt.NDArray[np.int64]:
    if isinstance(given, str):
        wrong = next((c for c in given if c not in "01"), None)
        if wrong is not None:
            raise SegmentationError(f"{what} must be 0 and 1, found {wrong!r}")
        return np.frombuffer(given.encode("ascii"), dtype=np.uint8).astype(np.int64) - ord("0")
    if isinstance(given, (Sequence, np.ndarray)):
        array = np.asarray(given)
        if array.dtype == np.bool_ and array.ndim == 1:
            return array.astype(np.int64)
    marks = as_integers(given, what)
    if ((marks != 0) & (marks != 1)).any():
        at = int(np.argmax((marks != 0) & (marks != 1)))
        way = "from_masses" if (marks > 0).all() else "from_positions or from_labels"
        raise SegmentationError(
            f"{what} must be 0 and 1; number {at + 1} is {marks[at]}: use {way}?"
        )
    return marks


def columns_of(stream: IO[str] | None) -> int:
    """The width to draw in: what COLUMNS says, the terminal's, or 80 columns."""
    if stream is not None and stream.isatty():
        import shutil

        return shutil.get_terminal_size().columns  # which asks COLUMNS first
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given[:9]) > 0 else 80


def _drawn(rows: dict[str, dict[int, str]], units: int, columns: int) -> list[str]:
    """Return lines of numbered units; ends above them have a line per name, the last the units'."""
    width, margin = len(str(units)), max(map(len, rows))
    widest = max((len(end) for ends in rows.values() for end in ends.values()), default=1)
    each = max(1, (columns - margin) // (width + widest + 1))
    last = next(reversed(rows))
    lines: list[str] = []
    for first in range(1, min(units, MAX_UNITS_DRAWN) + 1, each):
        lines += [""] if lines and len(rows) > 1 else []
        shown = range(first, min(first + each, units + 1, MAX_UNITS_DRAWN + 1))
        for name, ends in rows.items():
            cells = (f"{u if name == last else '':>{width}}{ends.get(u, ''):<{widest}}"
                     for u in shown)  # fmt: skip
            lines.append(f"{name:<{margin}}{' '.join(cells)}".rstrip())
    return lines


def _first_values(values: npt.NDArray[Any]) -> str:
    shown = [str(v) for v in values[:10].tolist()]
    return "[" + ", ".join(shown) + (f", ... {len(values)} in all]" if len(values) > 10 else "]")
