"""Columns of Arrow batches as cuts: positions are shared, all else is one native pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.batch.plan import Plan
from fencepost.batch.telling import Telling, telling_of_marks, telling_of_sizes
from fencepost.formats.intervals import NESTED_HINT, segment
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.values import stretch_of
from fencepost.model.checks import (
    Ints,
    SegmentationError,
    advising,
    as_integers,
    check_columns,
    owned,
)
from fencepost.model.pairs import NO_KINDS, Column, Pairs, merge_vocabularies
from fencepost.wording import listed, needs

Mask = npt.NDArray[np.bool_]
MARKS = {"bits": 0, "last": 1, "first": 2}  # as the native module numbers them
NO_MASK = np.empty(0, dtype=np.uint8)
NO_UNITS: Ints = np.empty(0, dtype=np.int64)


def batches_of(given: Any) -> Iterator[Any]:
    """Return the pyarrow batches of whatever speaks Arrow: a table, a frame, a stream, batches."""
    arrow = needs("pyarrow", "a batch run")
    if isinstance(given, arrow.RecordBatch):
        return iter([given])
    if hasattr(given, "__arrow_c_stream__"):
        try:
            return iter(arrow.RecordBatchReader.from_stream(given))
        except (arrow.ArrowException, TypeError) as error:  # a column of pandas holds several kinds
            raise SegmentationError(
                f"this {type(given).__name__} cannot be read as Arrow columns: {error}"
            ) from None
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, dict)):
        lazy = "; call its collect() first" if hasattr(given, "collect") else ""
        raise SegmentationError(
            "batches are Arrow record batches, or a table or frame with the Arrow stream "
            f"interface, found {type(given).__name__}{lazy}"
        )
    return (one for part in given for one in _each(arrow, part))


def _each(arrow: Any, part: Any) -> Iterable[Any]:
    if isinstance(part, arrow.RecordBatch):
        return [part]
    if hasattr(part, "__arrow_c_array__"):
        return [arrow.record_batch(part)]
    return batches_of(part)


class Side(NamedTuple):
    """The cuts of one column of a batch, its rows without nulls; and what was needed to read it."""

    column: Column
    units: Ints | None  # None for positions, whose units are a column
    used: dict[str, str]  # rules for gaps and overlaps
    telling: Telling = Telling()


class Batch(NamedTuple):
    """One batch as columns: rows in which nothing is null, and which of the batch they are."""

    rows: int
    names: Any  # the Arrow column of the texts' names; None where the plan names none
    units: Ints
    pairs: list[Pairs]  # of each system
    valid: list[Mask]  # of each system: rows of the batch that its pairs have
    used: dict[str, str]
    telling: list[Telling]  # of the reference, and of each system
    row_name: Callable[[int], str]  # what errors call a row


def read_batch(batch: Any, plan: Plan, first_row: int = 0) -> Batch:
    """Return the pairs of each system; errors name rows from ``first_row`` + 1 on."""
    lacking = [name for name in plan.columns() if name not in batch.schema.names]
    if lacking:
        raise SegmentationError(
            f"no column {listed(lacking, 5)} in this batch; there are "
            f"{listed(batch.schema.names, 12)}"
        )
    twice = [name for name in plan.columns() if batch.schema.names.count(name) > 1]
    if twice:
        raise SegmentationError(
            f"{listed(twice, 5)}: the name of two columns of this batch; give one another name"
        )
    return _Reader(batch, plan, first_row).read()


class _Reader:
    """Reads one batch; what is null in the reference is null for every system."""

    def __init__(self, batch: Any, plan: Plan, first_row: int) -> None:
        self.batch, self.plan, self.first_row = batch, plan, first_row
        self.arrow = needs("pyarrow")
        self.columns: dict[str, Any] = {}  # those that were decoded
        self.texts = None
        if plan.text is not None:
            self.texts = names_of(self.arrow, batch.column(plan.text))
            check_text(self.texts, lambda row: f"row {first_row + row + 1}", plan.text)

    def _decoded(self, name: str) -> Any:
        """Return a column of the batch as plain values."""
        if name not in self.columns:
            self.columns[name] = decoded(self.arrow, self.batch.column(name))
        return self.columns[name]

    def name(self, row: int) -> str:
        """Return what errors call a row of the batch."""
        text = None if self.texts is None else self.texts[row].as_py()
        number = f"row {self.first_row + row + 1}"
        return number if text is None else f"{number} ({text})"

    def read(self) -> Batch:
        """Return the pairs of each system."""
        plan, rows = self.plan, len(self.batch)
        shared = ~_nulls(self._decoded(plan.ref))
        units = None
        for name in filter(None, (plan.text, plan.units, plan.kinds.get(plan.ref))):
            shared &= ~_nulls(self._decoded(name))
        if plan.units is not None:
            units = self._numbers(plan.units, shared)
        pairs, valid = [], []
        used: dict[str, str] = {}
        telling: list[Telling] = []
        kept: dict[bytes, Side] = {}  # the reference, by the rows that a system has
        all_units = np.zeros(rows, dtype=np.int64)
        for system in plan.systems:
            here = shared & ~_nulls(self._decoded(system))
            if plan.kinds:
                here &= ~_nulls(self._decoded(plan.kinds[system]))
            own = None if units is None else units[here]
            key = here.tobytes()
            ref = kept.get(key) or self._side(plan.ref, here, own)
            kept[key] = ref
            hyp = self._side(system, here, own)
            used |= {**ref.used, **hyp.used}
            telling += [hyp.telling] if telling else [ref.telling, hyp.telling]
            sizes = self._same_units(ref, hyp, own, system, here)
            all_units[here] = sizes
            names = _Names(self, here)
            vocabulary = merge_vocabularies([plan.kind_names]) if plan.kinds else None
            pairs.append(Pairs._trusted(ref.column, hyp.column, sizes, vocabulary, names))
            valid.append(here)
        return Batch(rows, self.texts, all_units, pairs, valid, used, telling, self.name)

    def _numbers(self, name: str, valid: Mask) -> Ints:
        """Return a column of whole numbers; nulls, which no row of a pair has, are 1."""
        column = self._decoded(name)
        if not self.arrow.types.is_integer(column.type):
            raise SegmentationError(
                f"column {name} must have whole numbers, the units of each text, found "
                f"{column.type}"
            )
        numbers: Ints = column.fill_null(1).to_numpy(zero_copy_only=False).astype(np.int64)
        return numbers

    def _same_units(
        self, ref: Side, hyp: Side, units: Ints | None, system: str, here: Mask
    ) -> Ints:
        if ref.units is None or hyp.units is None:
            assert units is not None  # the plan requires it
            return units
        wrong = np.flatnonzero(ref.units != hyp.units)
        if len(wrong):
            row = int(wrong[0])
            raise SegmentationError(
                f"{self.name(int(np.flatnonzero(here)[row]))}: {self.plan.ref} has "
                f"{ref.units[row]} units and {system} {hyp.units[row]}; boundaries can only be "
                "compared on the same units" + self._why_units_differ()
            )
        return ref.units

    def _why_units_differ(self) -> str:
        """Return the way out for spans, which may end before their text does."""
        if self.plan.encoding != "spans" or self.plan.units is not None:
            return ""
        return (
            ". Spans that end before the text need the units of the text, in a column: --columns "
            "units=NAME (units= in the plan)"
        )

    # One column of lists.

    def _side(self, name: str, here: Mask, units: Ints | None) -> Side:
        values, offsets = self._flat(name, here)
        rows = np.flatnonzero(here)

        def where(row: int) -> str:
            return f"{self.name(int(rows[row]))}, {name}"

        if self.plan.encoding == "positions":
            return self._positions(name, values, offsets, units, here, where)
        if self.plan.encoding == "spans":
            return self._spans(name, values, offsets, units, where)
        if self.plan.encoding == "masses":
            sizes = self._integers(values, name)
            made = sizes_to_cuts(sizes, offsets, where)
            made = made._replace(telling=telling_of_sizes(sizes, offsets))
        else:
            marks = self._marks(values, name)
            mark = "bits" if self.plan.encoding == "bits" else str(self.plan.flags)
            made = marks_to_cuts(marks, NO_MASK, offsets, mark, where)
            made = made._replace(telling=telling_of_marks(marks))
        if units is not None and made.units is not None and not np.array_equal(made.units, units):
            row = int(np.argmax(made.units != units))
            raise SegmentationError(
                f"{where(row)}: {made.units[row]} units, but column {self.plan.units} has "
                f"{units[row]}"
            )
        return made

    def _flat(self, name: str, here: Mask) -> tuple[Any, Ints]:
        """Return the values of a list column and where each row that is here begins, from 0."""
        types, lists = self.arrow.types, self._decoded(name)
        if types.is_null(lists.type):  # no row has a value, so nothing told the type
            lists = lists.cast(self.arrow.list_(lists.type))
        found = _offsets(self.arrow, lists)
        if found is None:
            raise SegmentationError(f"column {name} must have lists, found {lists.type}")
        values, offsets = _without_views(self.arrow, found[0]), found[1]
        if not here.all():
            sizes = np.diff(offsets)
            if sizes[~here].any():  # a null may have values of its own
                kept = np.repeat(here, sizes)
                values = values.filter(self.arrow.array(kept))
            offsets = np.concatenate(([0], np.cumsum(sizes[here])))
        if values.null_count:
            row = _row_of(offsets, int(np.argmax(_nulls(values))))
            text = self.name(int(np.flatnonzero(here)[row]))
            raise SegmentationError(f"{text}: {name} has a null inside its list")
        return values, offsets

    def _integers(self, values: Any, name: str) -> Any:
        """Return whole numbers of 32 or 64 bits, without a copy where they are that already."""
        arrow = self.arrow
        if values.type in (arrow.int32(), arrow.int64()):
            return values.to_numpy(zero_copy_only=True)
        if len(values) and not arrow.types.is_integer(values.type):
            advice = "; batches take no probabilities, only boundaries made of them"
            raise SegmentationError(
                f"column {name} must have lists of whole numbers, found lists of {values.type}"
                + advice * arrow.types.is_floating(values.type)
            )
        return as_integers(values.to_numpy(zero_copy_only=False), name)

    def _marks(self, values: Any, name: str) -> Any:
        if values.type in (self.arrow.int8(), self.arrow.uint8()):
            return values.to_numpy(zero_copy_only=True).view(np.uint8)
        if self.arrow.types.is_boolean(values.type):
            return values.to_numpy(zero_copy_only=False).view(np.uint8)
        return self._integers(values, name)

    def _positions(
        self, name: str, values: Any, offsets: Ints, units: Ints | None, here: Mask,
        where: Callable[[int], str],
    ) -> Side:  # fmt: skip
        assert units is not None  # the plan requires it
        cuts = self._integers(values, name)
        if not self.plan.kinds:
            wrong = _core.first_wrong_row(cuts, offsets, np.ascontiguousarray(units))
            if wrong >= 0:
                _refuse_row(cuts, offsets, units, wrong, where)
            return Side(Column.own(cuts, offsets), None, {})
        kinds = self._kinds(self.plan.kinds[name], offsets, here, where)
        vocabulary = merge_vocabularies([self.plan.kind_names])
        # Types of one position may come in any order.
        order = np.lexsort((kinds, cuts, np.repeat(np.arange(len(units)), np.diff(offsets))))
        if (order[1:] < order[:-1]).any():
            kinds = kinds[order]
        with _advising_encodings():
            check_columns(cuts, offsets, units, kinds, len(vocabulary), where)
        return Side(Column.own(cuts, offsets, kinds), None, {})

    def _kinds(self, name: str, offsets: Ints, here: Mask, where: Callable[[int], str]) -> Any:
        """Return the numbers of the boundary types beside the cuts."""
        values, own = self._flat(name, here)
        if not np.array_equal(own, offsets):
            row = int(np.argmax(np.diff(own) != np.diff(offsets)))
            raise SegmentationError(f"{where(row)}: {name} needs one type for each position")
        if not len(values):
            return NO_KINDS
        coded = values
        if not hasattr(values, "dictionary"):
            if not (self.arrow.types.is_integer(values.type) or _is_text(self.arrow, values.type)):
                raise SegmentationError(
                    f"column {name} must have lists of boundary types, which are texts or whole "
                    f"numbers, found lists of {values.type}"
                )
            coded = values.dictionary_encode()
        check_text(coded, lambda value: where(_row_of(offsets, value)), name)
        vocabulary = merge_vocabularies([self.plan.kind_names])
        names = [str(one) for one in coded.dictionary.to_pylist()]
        number = np.array([vocabulary.index(n) if n in vocabulary else -1 for n in names], np.int32)
        kinds = number[coded.indices.to_numpy(zero_copy_only=False)]
        if (kinds < 0).any():
            at = int(np.argmax(kinds < 0))
            row = _row_of(offsets, at)
            raise SegmentationError(
                f"{where(row)}: the boundary type {names[int(coded.indices[at].as_py())]!r} is not "
                f"among {listed(self.plan.kind_names, 9)} (--type-names, kind_names=)"
            )
        return kinds

    def _spans(
        self, name: str, values: Any, offsets: Ints, units: Ints | None, where: Callable[[int], str]
    ) -> Side:
        starts, ends = self._ends(name, values, offsets, where)
        plan, own = self.plan, NO_UNITS if units is None else np.ascontiguousarray(units)
        gaps = {None: 0, "segment": 1, "join": 2}[plan.gaps]
        overlap = {None: 0, "start": 1, "end": 2}[plan.overlap]
        made, has_gaps, has_overlaps = _core.cuts_of_spans(
            starts, ends, offsets, own, gaps, overlap
        )
        cuts, bounds, sizes, wrong = made
        if wrong >= 0:
            at = slice(int(offsets[wrong]), int(offsets[wrong + 1]))
            spans = list(zip(starts[at].tolist(), ends[at].tolist(), strict=True))
            total = max([0, *(end for _, end in spans)]) if units is None else int(units[wrong])
            _refuse_spans(spans, total, plan, where(wrong))
        used = {"gaps": str(plan.gaps)} if has_gaps else {}
        used |= {"overlap": str(plan.overlap)} if has_overlaps else {}
        return Side(Column.own(cuts, bounds), owned(sizes), used)

    def _ends(
        self, name: str, values: Any, offsets: Ints, where: Callable[[int], str]
    ) -> tuple[Ints, Ints]:
        """Return the starts and ends of structs with these fields, or of pairs."""
        types, kind = self.arrow.types, values.type
        if not len(values):
            return NO_UNITS, NO_UNITS
        if types.is_struct(kind):
            fields = [kind.field(i).name for i in range(kind.num_fields)]
            pairs = fields.count("start") == fields.count("end") == 1
            both = [values.field(end) for end in ("start", "end")] if pairs else []
        else:
            both = self._pairs(values, offsets, where)
        if not both:
            raise SegmentationError(
                f"column {name}: spans are structs of start and end, or pairs of whole numbers, "
                f"found {kind}"
            )
        columns = []
        for end, one in zip(("start", "end"), both, strict=True):
            if one.null_count:
                row = _row_of(offsets, int(np.argmax(_nulls(one))))
                raise SegmentationError(f"{where(row)}: a span has no {end}")
            if not types.is_integer(one.type):
                raise SegmentationError(
                    f"column {name}: starts and ends of spans are whole numbers, found {one.type}"
                )
            columns.append(np.ascontiguousarray(self._integers(one, name), dtype=np.int64))
        return columns[0], columns[1]

    def _pairs(self, values: Any, offsets: Ints, where: Callable[[int], str]) -> list[Any]:
        """Return the first and second values of lists of two; none where these are no lists."""
        found = _offsets(self.arrow, values)
        if found is None:
            return []
        flat, own = found
        sizes = np.diff(own)
        if (sizes != 2).any():
            at = int(np.argmax(sizes != 2))
            raise SegmentationError(
                f"{where(_row_of(offsets, at))}: a span is a start and an end, found "
                f"{flat[int(own[at]) : int(own[at + 1])].to_pylist()}"
            )
        return [flat.take(self.arrow.array(own[:-1] + i)) for i in (0, 1)]


class _Names(Sequence[str]):
    """What errors call the rows of a pair, written only when one is needed."""

    def __init__(self, reader: _Reader, here: Mask) -> None:
        self.reader, self.here = reader, here

    def __len__(self) -> int:
        return int(self.here.sum())

    def __getitem__(self, index: Any) -> Any:
        return self.reader.name(int(np.flatnonzero(self.here)[index]))


def decoded(arrow: Any, column: Any) -> Any:
    """Return an Arrow column as plain values: no dictionary, no runs, no type of an extension."""
    if isinstance(column, arrow.ExtensionArray):
        column = column.storage
    if isinstance(column, arrow.RunEndEncodedArray):
        column = needs("pyarrow.compute").run_end_decode(column)
    column = _without_views(arrow, column)
    return column.dictionary_decode() if isinstance(column, arrow.DictionaryArray) else column


def names_of(arrow: Any, column: Any) -> Any:
    """Return the column of the texts' names; dictionaries stay, as they are hashed once."""
    is_coded = isinstance(column, arrow.DictionaryArray)
    return _without_views(arrow, column) if is_coded else decoded(arrow, column)


def _is_text(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


def _without_views(arrow: Any, column: Any) -> Any:
    """Return texts as pyarrow can filter and decode them, which it cannot do with views.

    Frames of polars come with views, also as the values of a dictionary.
    """
    if isinstance(column, arrow.DictionaryArray):
        values = _without_views(arrow, column.dictionary)
        same = values is column.dictionary
        return column if same else arrow.DictionaryArray.from_arrays(column.indices, values)
    is_view = arrow.types.is_string_view(column.type)
    return column.cast(arrow.large_string()) if is_view else column


def check_text(column: Any, where: Callable[[int], str], name: str) -> None:
    """Raise SegmentationError for a text that is not UTF-8, which Arrow reads without a look."""
    arrow = needs("pyarrow")
    try:
        getattr(column, "dictionary", column).validate(full=True)
        return
    except arrow.ArrowInvalid:
        pass
    for row, one in enumerate(column):
        try:
            one.as_py()
        except UnicodeDecodeError as error:
            raise SegmentationError(
                f"{where(row)}: {name} is not UTF-8 text: byte {error.object[error.start]:#04x}; "
                "write the file in UTF-8"
            ) from None


def _offsets(arrow: Any, lists: Any) -> tuple[Any, Ints] | None:
    """Return the values of lists, and where each begins, from 0; None for anything else."""
    types, kind = arrow.types, lists.type
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        sizes = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        lists = arrow.LargeListArray.from_arrays(  # rows of a view may be in any order
            np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))), lists.flatten()
        )
    offsets: Ints
    if types.is_fixed_size_list(kind):
        rows = np.arange(lists.offset, lists.offset + len(lists) + 1, dtype=np.int64)
        offsets = rows * kind.list_size
    elif types.is_list(lists.type) or types.is_large_list(lists.type):
        offsets = lists.offsets.to_numpy().astype(np.int64)
    else:
        return None
    values = lists.values[int(offsets[0]) : int(offsets[-1])]
    return values, offsets - offsets[0]


def _row_of(offsets: Ints, value: int) -> int:
    """Return the row that a value is in."""
    return int(np.searchsorted(offsets, value, side="right")) - 1


def _nulls(column: Any) -> Mask:
    if not column.null_count:
        return np.zeros(len(column), dtype=bool)
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False))


# Whole columns to cuts; what is wrong with a row is said by the code for one text.


def sizes_to_cuts(sizes: Any, offsets: Ints, where: Callable[[int], str]) -> Side:
    """Return the cuts of segment sizes."""
    cuts, bounds, units, wrong = _core.cuts_of_sizes(sizes, offsets)
    if wrong >= 0 and sizes.dtype != np.int64:  # the sum may need more than 32 bits
        return sizes_to_cuts(sizes.astype(np.int64), offsets, where)
    if wrong >= 0:
        own = sizes[offsets[wrong] : offsets[wrong + 1]]
        with _named(where(wrong)):
            Column.from_masses(own, np.array([0, len(own)]))
    return Side(Column.own(cuts, bounds), owned(units), {})


def marks_to_cuts(
    marks: Any, mask: Any, offsets: Ints, mark: str, where: Callable[[int], str]
) -> Side:
    """Return the cuts of marks of 0 and 1; marks whose mask is 0 are no units."""
    cuts, bounds, units, wrong = _core.cuts_of_marks(marks, mask, offsets, MARKS[mark])
    if wrong >= 0:
        at = slice(int(offsets[wrong]), int(offsets[wrong + 1]))
        own = marks[at][mask[at] != 0] if len(mask) else marks[at]
        odd = own[(own != 0) & (own != 1)]
        if len(odd):
            raise SegmentationError(f"{where(wrong)}: marks must be 0 or 1, found {odd[0]}")
        if len(mask) and at.start < at.stop:
            raise SegmentationError(
                f"{where(wrong)}: its mask is 0 everywhere, and a text has at least one unit; "
                "remove such rows: rows = mask.any(1); update(ref[rows], hyp[rows], mask[rows])"
            )
        raise SegmentationError(f"{where(wrong)}: no marks; a text has at least one unit")
    return Side(Column.own(cuts, bounds), owned(units), {})


class _named:  # noqa: N801 - reads like a function
    """Puts the name of a row in front of an error of one text."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, SegmentationError):
            raise SegmentationError(f"{self.name}: {str(error).removeprefix('text 0: ')}") from None


def _refuse_row(
    cuts: Any, offsets: Ints, units: Ints, row: int, where: Callable[[int], str]
) -> None:
    own = cuts[offsets[row] : offsets[row + 1]]
    ends = np.array([0, len(own)])
    with _advising_encodings():
        check_columns(own, ends, units[row : row + 1], None, 0, lambda _: where(row))


@contextmanager
def _advising_encodings() -> Iterator[None]:
    """Advise what a plan has where the check of one text advises a function."""
    try:
        yield
    except SegmentationError as error:
        said = advising(error, "--encoding masses (encoding='masses')")
        raise SegmentationError(said) from None


def _refuse_spans(spans: Sequence[tuple[int, int]], units: int, plan: Plan, where: str) -> None:
    """Raise the error that a file with these spans gets."""
    if not spans:
        raise SegmentationError(f"{where}: no spans; a text has at least one")
    reading = Reading(where, gaps=plan.gaps, overlap=plan.overlap)
    try:
        stretches = [
            stretch_of(ends, f"{where}: span {number}")._replace(where=where)
            for number, ends in enumerate(spans, start=1)
        ]
        segment(stretches, units, reading, where)
    except FormatError as error:
        # Batches have no levels.
        advice = "Remove one of the two, or score the file by itself with --levels nested"
        raise SegmentationError(str(error).replace(NESTED_HINT, advice)) from None
