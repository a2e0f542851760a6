"""Many reference/hypothesis pairs laid flat: what kernels read."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.model.checks import (
    MAX_UNITS,
    Ints,
    Kinds,
    Positions,
    SegmentationError,
    Weights,
    as_integers,
    as_weights,
    check_columns,
    check_weights,
    frozen,
    offsets_of,
    owned,
    refuse_probabilities,
)
from fencepost.model.segmentation import Segmentation

if TYPE_CHECKING:
    from fractions import Fraction

# What a metric sees of a text: distinct places before its end, without or with their weights;
# kinds before its end, as types or as the levels of a hierarchy; or kinds with those at the end of
# the text. Only those that see weights take probabilities.
View = Literal["positions", "weights", "kinds", "levels", "kinds+end"]

NO_KINDS: Kinds = np.empty(0, dtype=np.int32)
NO_WEIGHTS: Weights = np.empty(0)
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")


@dataclass(frozen=True, eq=False)
class Column:
    """The boundaries of many texts end to end: text i owns ``values[offsets[i]:offsets[i + 1]]``.

    ``kinds``, if any, are boundary types: indexes from 0 into the vocabulary of the Pairs.
    ``weights``, if any, have a number above 0 and at most 1 for each boundary: its probability, or
    the share of annotators who set it. Without them every boundary has weight 1. The arrays cannot
    be changed: any that the caller could still change are copied.
    """

    values: Positions
    offsets: Ints
    kinds: Kinds | None = None
    weights: Weights | None = None

    def __post_init__(self) -> None:
        for name in ("values", "offsets", "kinds", "weights"):
            array = getattr(self, name)
            if isinstance(array, np.ndarray):  # a list is for the check to convert
                object.__setattr__(self, name, frozen(array))

    @classmethod
    def own(
        cls,
        values: Positions,
        offsets: Ints,
        kinds: Kinds | None = None,
        weights: Weights | None = None,
    ) -> Column:
        """Wrap arrays that were made here and that nobody else holds, without copies."""
        made = cls.__new__(cls)
        arrays = {"values": values, "offsets": offsets, "kinds": kinds, "weights": weights}
        for name, array in arrays.items():
            object.__setattr__(made, name, None if array is None else owned(array))
        return made

    @classmethod
    def from_masses(cls, masses: Any, offsets: Any) -> tuple[Column, Ints]:
        """Columns of boundaries, and units, from segment sizes laid end to end."""
        sizes = as_integers(masses, "masses")
        bounds = as_integers(offsets, "offsets")
        if len(bounds) < 1 or bounds[0] != 0 or bounds[-1] != len(sizes):
            raise SegmentationError(
                f"offsets must run from 0 to {len(sizes)}, the number of masses"
            )
        empty = bounds[1:] <= bounds[:-1]  # compared, since differences can wrap around
        if empty.any():
            raise SegmentationError(
                f"text {int(np.argmax(empty))}: masses are empty; a text has at least one segment"
            )
        counts = np.diff(bounds)
        if (sizes < 1).any() or (sizes > MAX_UNITS).any():
            at = int(np.argmax((sizes < 1) | (sizes > MAX_UNITS)))
            text = int(np.searchsorted(bounds, at, side="right")) - 1
            raise SegmentationError(
                f"text {text}: segment sizes must be at least 1 (and at most 2^40), "
                f"found {sizes[at]}"
            )
        if float(sizes.sum(dtype=np.float64)) > 2.0**62:
            raise SegmentationError("the texts together must have fewer than 2^62 units")
        ends = np.cumsum(sizes)
        before = np.concatenate(([0], ends))[bounds[:-1]]
        units = ends[bounds[1:] - 1] - before
        if (units > MAX_UNITS).any():
            text = int(np.argmax(units > MAX_UNITS))
            raise SegmentationError(
                f"text {text}: a text has at most 2^40 units, found {units[text]}"
            )
        inner = np.ones(len(sizes), dtype=bool)
        inner[bounds[1:] - 1] = False
        cuts = (ends - np.repeat(before, counts))[inner]
        return cls.own(cuts, bounds - np.arange(len(bounds))), owned(units)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Ints:
        """How many boundaries each text has."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def is_certain(self) -> bool:
        """Whether every boundary is certain."""
        return self.weights is None or not (self.weights < 1).any()

    @property
    def row_weights(self) -> Weights:
        """The weight of each boundary, 1 where none are given."""
        return np.ones(len(self.values)) if self.weights is None else self.weights

    def segmentation(
        self, row: int, units: int, names: tuple[str, ...] | None = None
    ) -> Segmentation:
        """Return one text as a person holds it, with types where their ``names`` are given."""
        own = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        cuts = self.values[own].astype(np.int64)
        if self.kinds is None or names is None:
            weights = None if self.weights is None else self.weights[own]
            return Segmentation._trusted(units, cuts, weights=weights)
        return Segmentation._trusted(units, cuts, self.kinds[own] + np.int32(1), names)

    def take(self, index: Ints) -> Column:
        """The texts that ``index`` names, in its order; a text may be taken several times."""
        kinds = NO_KINDS if self.kinds is None else self.kinds
        weights = NO_WEIGHTS if self.weights is None else self.weights
        values, offsets, kinds, weights = _core.take_rows(
            self.values, self.offsets, kinds, weights, index
        )
        return Column.own(
            values,
            offsets,
            None if self.kinds is None else kinds,
            None if self.weights is None else weights,
        )

    def keep(self, cuts: npt.NDArray[np.bool_]) -> Column:
        """The same texts with these boundaries only."""
        offsets = np.concatenate(([0], np.cumsum(cuts)))[self.offsets]
        kinds = None if self.kinds is None else self.kinds[cuts]
        weights = None if self.weights is None else self.weights[cuts]
        return Column.own(self.values[cuts], offsets, kinds, weights)

    def with_kinds(self, kinds: Kinds | None) -> Column:
        """Return the same boundaries and weights with other types, or without types."""
        return Column.own(self.values, self.offsets, kinds, self.weights)

    def at_threshold(self, threshold: float) -> Column:
        """Return the boundaries whose weight is at least ``threshold``, as certain ones."""
        kept = self if self.weights is None else self.keep(self.weights >= threshold)
        return Column.own(kept.values, kept.offsets, kept.kinds)


class Pairs:
    """Flat columns of references and hypotheses over the same units; row i is one pair.

    One pair is a ``Pairs`` of length 1; a million pairs are the same type. Positions are 32 or 64
    bits wide, whatever they came as. ``keys`` name the rows in errors and tables.

    >>> import numpy as np
    >>> from fencepost import Column, Pairs
    >>> ref = Column(np.array([5, 3]), np.array([0, 1, 2]))
    >>> hyp = Column(np.array([4]), np.array([0, 1, 1]))
    >>> pairs = Pairs(ref, hyp, np.array([10, 6]))
    >>> len(pairs), pairs.ref.counts.tolist(), pairs.hyp.counts.tolist()
    (2, [1, 1], [1, 0])
    """

    def __init__(
        self,
        ref: Column,
        hyp: Column,
        units: Any,
        *,
        vocabulary: Sequence[str] | None = None,
        keys: Sequence[Hashable] | None = None,
    ) -> None:
        sizes = frozen(as_integers(units, "units"))  # before the check, so that it stays checked
        if vocabulary is not None and len(set(vocabulary)) != len(vocabulary):
            raise SegmentationError(
                f"the names of a vocabulary must differ from each other, found {tuple(vocabulary)}"
            )
        columns = []
        for side, column in (("reference", ref), ("hypothesis", hyp)):
            if (column.kinds is None) != (vocabulary is None):
                raise SegmentationError(
                    f"the {side} column has {'no ' if column.kinds is None else ''}kinds and the "
                    f"vocabulary is {'missing' if vocabulary is None else 'given'}"
                )
            values = _positions(column.values)
            offsets = as_integers(column.offsets, "offsets")
            kinds: Any = None if column.kinds is None else as_integers(column.kinds, "kinds")
            check_columns(values, offsets, sizes, kinds, len(vocabulary or ()), _name(side, keys))
            kinds = None if kinds is None else kinds.astype(np.int32)
            weights = None if column.weights is None else as_weights(column.weights, "weights")
            check_weights(weights, values, offsets, _name(side, keys))
            columns.append(Column.own(values, offsets, kinds, weights))  # copied where it was given
        self._set(
            ref=columns[0], hyp=columns[1], units=sizes,
            vocabulary=tuple(vocabulary) if vocabulary else None, keys=keys, mixed=False,
        )  # fmt: skip

    ref: Column
    hyp: Column
    units: Ints
    vocabulary: tuple[str, ...] | None
    keys: Sequence[Hashable] | None
    mixed: bool  # kinds on one side only

    def _set(self, **columns: Any) -> None:
        for name, value in columns.items():
            object.__setattr__(self, name, value)
        self._views: dict[View, Pairs] = {}
        self._rows: _core.Rows32 | _core.Rows64 | None = None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse changes: kernels trust what was checked. What starts with _ is made on demand."""
        if not name.startswith("_"):
            raise AttributeError(f"Pairs do not change; make new ones instead of setting {name}")
        object.__setattr__(self, name, value)

    @classmethod
    def _trusted(
        cls,
        ref: Column,
        hyp: Column,
        units: Ints,
        vocabulary: tuple[str, ...] | None = None,
        keys: Sequence[Hashable] | None = None,
        mixed: bool = False,
    ) -> Pairs:
        """Wrap columns that passed the check already."""
        self = cls.__new__(cls)
        self._set(
            ref=ref, hyp=hyp, units=owned(units), vocabulary=vocabulary, keys=keys, mixed=mixed
        )
        return self

    @classmethod
    def from_masses(
        cls, ref: tuple[Any, Any], hyp: tuple[Any, Any], keys: Sequence[Hashable] | None = None
    ) -> Pairs:
        """From segment sizes laid end to end, with offsets: one pair of arrays for each side.

        >>> pairs = Pairs.from_masses(([5, 5, 4, 2], [0, 2, 4]), ([4, 6, 6], [0, 2, 3]))
        >>> pairs.units.tolist(), pairs.ref.values.tolist(), pairs.hyp.values.tolist()
        ([10, 6], [5, 4], [4])
        """
        ref_column, units = Column.from_masses(*ref)
        hyp_column, hyp_units = Column.from_masses(*hyp)
        _same_units(units, hyp_units, keys)
        return cls._trusted(ref_column, hyp_column, units, keys=keys)

    @classmethod
    def from_segmentations(
        cls,
        refs: Sequence[Segmentation],
        hyps: Sequence[Segmentation],
        keys: Sequence[Hashable] | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> Pairs:
        """From two equally long lists; types are merged by name (a task's types may be given)."""
        if len(refs) != len(hyps):
            raise SegmentationError(
                f"{len(refs)} references cannot pair with {len(hyps)} hypotheses"
            )
        units = np.array([s.units for s in refs], dtype=np.int64)
        _same_units(units, np.array([s.units for s in hyps], dtype=np.int64), keys)
        typed = {s.kinds is not None for s in (*refs, *hyps)}
        names: tuple[str, ...] | None = None
        if typed == {True, False}:
            # Only places are comparable then; metrics that look at kinds refuse the mixture.
            refs, hyps = [untyped(s) for s in refs], [untyped(s) for s in hyps]
        elif True in typed:
            own = merge_vocabularies([s.kind_names or () for s in (*refs, *hyps)])
            names = tuple(dict.fromkeys((*(vocabulary or ()), *own)))
        columns = flatten(refs, names), flatten(hyps, names)
        return cls._trusted(*columns, units, names, keys, mixed=len(typed) == 2)

    def __len__(self) -> int:
        return len(self.units)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.ref, self.hyp, self.units, self.vocabulary, self.keys, self.mixed)
        return Pairs._trusted, parts

    @property
    def kind_count(self) -> int:
        """The number of boundary types of the task; 1 where boundaries have no types."""
        return max(1, len(self.vocabulary or ()))

    @property
    def rows(self) -> _core.Rows32 | _core.Rows64:
        """The columns as the kernels take them."""
        if self._rows is None:
            wide = self.ref.values.dtype != np.int32 or self.hyp.values.dtype != np.int32
            make: Any = _core.Rows64 if wide else _core.Rows32
            dtype = np.int64 if wide else np.int32
            self._rows = make(
                np.ascontiguousarray(self.ref.values, dtype=dtype),
                np.ascontiguousarray(self.ref.offsets),
                np.ascontiguousarray(self.hyp.values, dtype=dtype),
                np.ascontiguousarray(self.hyp.offsets),
                np.ascontiguousarray(self.units),
                NO_KINDS if self.ref.kinds is None else np.ascontiguousarray(self.ref.kinds),
                NO_KINDS if self.hyp.kinds is None else np.ascontiguousarray(self.hyp.kinds),
                NO_WEIGHTS if self.ref.weights is None else np.ascontiguousarray(self.ref.weights),
                NO_WEIGHTS if self.hyp.weights is None else np.ascontiguousarray(self.hyp.weights),
            )
        return self._rows

    def view(self, sees: View) -> Pairs:
        """The pairs as a metric sees them; made once."""
        if sees != "weights":
            for side, column in (("reference", self.ref), ("hypothesis", self.hyp)):
                if not column.is_certain:
                    raise refuse_probabilities(f"the {side}")
        if sees not in ("positions", "weights") and self.mixed:
            raise SegmentationError(
                "one side has boundary types and the other has none, so types cannot be "
                "compared; give both sides types, or neither"
            )
        if self.vocabulary is None or sees == "kinds+end":
            return self
        if sees not in self._views:
            names = self.vocabulary if sees not in ("positions", "weights") else None
            ref, hyp = (visible(c, self.units, sees) for c in (self.ref, self.hyp))
            self._views[sees] = Pairs._trusted(ref, hyp, self.units, names, self.keys)
        return self._views[sees]

    def segmentation(self, row: int, side: Literal["ref", "hyp"]) -> Segmentation:
        """One side of one row as a person holds it."""
        column = self.ref if side == "ref" else self.hyp
        return column.segmentation(row, int(self.units[row]), self.vocabulary)


def merge_vocabularies(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return all names once, in an order that depends on the names alone.

    Numbers are in numerical order, other names in that of the alphabet. This says nothing about
    which types are near each other: metrics price types by name.

    >>> merge_vocabularies([("10", "9"), ("2", "9")])
    ('2', '9', '10')
    >>> merge_vocabularies([("verse", "line"), ("line", "chapter")])
    ('chapter', 'line', 'verse')
    """
    names = sorted({name for own in lists for name in own})
    numbers = {name: number_of(name) for name in names}
    if None in numbers.values():
        return tuple(names)
    return tuple(sorted(names, key=lambda name: (numbers[name], name)))


def number_of(name: str) -> int | Fraction | None:
    """Return the number that a boundary type is called by (2, -1 or 0.5); None for other names."""
    if not _NUMBER.fullmatch(name):
        return None
    if "." not in name:
        return int(name)
    from fractions import Fraction  # few texts have such types, and it is slow to import

    return Fraction(name)


def _positions(values: Any) -> Positions:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype == np.int32:
        return values
    return as_integers(values, "cuts")


def _name(side: str, keys: Sequence[Hashable] | None) -> Any:
    return lambda row: f"{side} of text {row if keys is None else keys[row]}"


def _same_units(ref: Ints, hyp: Ints, keys: Sequence[Hashable] | None) -> None:
    if len(ref) != len(hyp):
        raise SegmentationError(f"{len(ref)} references cannot pair with {len(hyp)} hypotheses")
    if (ref != hyp).any():
        row = int(np.argmax(ref != hyp))
        text = (
            "" if keys is None and len(ref) == 1 else f"text {row if keys is None else keys[row]}: "
        )
        raise SegmentationError(
            f"{text}the reference has {ref[row]} units and the hypothesis {hyp[row]}; boundaries "
            "can only be compared on the same units. If the words differ (recognition, "
            "translation), align the texts first"
        )


def untyped(seg: Segmentation) -> Segmentation:
    """The places alone."""
    return seg if seg.kinds is None else Segmentation._trusted(seg.units, seg.places)


def flatten(segs: Sequence[Segmentation], vocabulary: tuple[str, ...] | None) -> Column:
    """Return the cuts of many texts end to end; kinds are numbered by the vocabulary.

    A text without kinds gets the first, which whoever knows that it has none does not look at.
    """
    if len(segs) == 1 and vocabulary is None:  # the common single call, without copies
        offsets = np.array([0, len(segs[0].cuts)], dtype=np.int64)
        return Column.own(segs[0].cuts, offsets, weights=segs[0].weights)
    offsets = offsets_of([len(s.cuts) for s in segs])
    values = np.concatenate([s.cuts for s in segs]) if segs else np.empty(0, dtype=np.int64)
    weights = None
    if any(s.weights is not None for s in segs):
        weights = np.concatenate(
            [np.ones(len(s.cuts)) if s.weights is None else s.weights for s in segs]
        )
    if vocabulary is None:
        return Column.own(values, offsets, weights=weights)
    number = {name: i for i, name in enumerate(vocabulary)}
    maps = {
        names: np.array([number[n] for n in names], dtype=np.int32)
        for names in {s.kind_names or () for s in segs}
    }
    kinds = [
        np.zeros(len(s.cuts), np.int32)
        if s.kinds is None
        else maps[s.kind_names or ()][s.kinds - 1]
        for s in segs
    ]
    flat = np.concatenate(kinds).astype(np.int32) if kinds else NO_KINDS
    # The merged vocabulary can order the kinds of one place anew.
    order = np.lexsort((flat, values, np.repeat(np.arange(len(segs)), np.diff(offsets))))
    weights = None if weights is None else weights[order]
    return Column.own(values[order], offsets, flat[order], weights)


def relabelled(column: Column, names: tuple[str, ...], vocabulary: tuple[str, ...]) -> Column:
    """Return the column with its kinds numbered by another vocabulary, which has all its names."""
    if names == vocabulary or column.kinds is None:
        return column
    number = {name: i for i, name in enumerate(vocabulary)}
    kinds = np.array([number[name] for name in names], dtype=np.int32)[column.kinds]
    row = np.repeat(np.arange(len(column)), column.counts)
    order = np.lexsort((kinds, column.values, row))  # the kinds of one position come in order
    weights = None if column.weights is None else column.weights[order]
    return Column.own(column.values[order], column.offsets, kinds[order], weights)


def visible(column: Column, units: Ints, sees: View) -> Column:
    """Leave out the end of the text; for places alone, repeats too."""
    row_of = np.repeat(np.arange(len(units)), column.counts)
    keep = column.values < units[row_of]
    alone = sees in ("positions", "weights")
    if alone:
        keep[1:] &= (np.diff(column.values) != 0) | (np.diff(row_of) != 0)
    seen = column.keep(keep)
    return seen.with_kinds(None) if alone else seen
