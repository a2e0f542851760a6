"""The one check of input, by whole columns; errors say what, where and the way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]  # of cuts: probabilities, or shares of annotators

# Beyond this, sums of distances over many cuts could leave 64 bits.
MAX_UNITS = 2**40


class FencepostError(ValueError):
    """Anything wrong with what fencepost was given; the message is one sentence for a person."""


class SegmentationError(FencepostError):
    """Not a segmentation, or two that cannot be compared."""


class MetricError(FencepostError):
    """No such metric or setting, or one that does not fit the text."""


Array = TypeVar("Array", bound=npt.NDArray[Any])


def frozen(array: Array) -> Array:
    """Return the array so that the caller cannot change it any more: mostly a copy.

    Checked data stays checked: kernels trust it. An array that is read-only may have writable
    views, or its owner may unlock it, so only memory that cannot change is shared: that of bytes.
    Arrow's arrays are read-only too, but many of them wrap a numpy array that can still be written.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    fixed = isinstance(base, bytes) and not array.flags.writeable
    return array if fixed else owned(array.copy())


def owned(array: Array) -> Array:
    """Freeze an array that was made here and that nobody else holds."""
    array.flags.writeable = False
    return array


def offsets_of(counts: npt.ArrayLike) -> Ints:
    """Return where each of so many values begins in a column, and where the last ones end."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)))


def is_whole(value: Any) -> bool:
    """Whether this is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether this is a number that can be reckoned with: no NaN, nothing endless, no True."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and -1e300 < value < 1e300  # compared exactly, whatever the number of digits


def as_threshold(value: Any) -> float:
    """Return a probability from which on positions are boundaries; an error for anything else."""
    number = value.item() if isinstance(value, np.generic) else value
    if is_number(number) and 0 < number <= 1:
        return float(number)
    way = ""
    if isinstance(value, str):
        way = (
            "; numbers per 100 units (11/100) or per text (3/text), and files of tune, are for "
            "reading: fp.read(path, threshold=...)"
        )
    raise SegmentationError(
        f"a threshold must be above 0 and at most 1, found {_short(value)}{way}"
    )


def as_integers(values: Any, what: str) -> Ints:
    """Return ``values`` as one column of int64, or say which of them is no whole number."""
    if not isinstance(values, (list, tuple, np.ndarray)):
        _refuse_many_texts(values, what)
    if hasattr(values, "to_numpy"):  # a pandas, polars or Arrow column
        values = values.to_numpy()
    if isinstance(values, np.ma.MaskedArray):
        raise SegmentationError(f"{what} must be whole numbers, found an array with a mask")
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
        raise SegmentationError(
            f"{what} must be a list of whole numbers, "
            f"found {type(values).__name__} {_short(values)}"
        )
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths inside
        raise SegmentationError(f"{what} must be one flat list, found a nested one") from None
    if array.ndim != 1:
        raise SegmentationError(
            f"{what} must be one flat list, found {array.ndim} levels of nesting"
        )
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind == "i":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "u" and array.max() <= MAX_UNITS:
        return array.astype(np.int64)
    # Look at the values as they were given: one float turns a whole array into floats.
    for position, value in enumerate(values):  # noqa: B007
        whole = isinstance(value, (int, np.integer)) and not isinstance(
            value, (bool, np.timedelta64)
        )
        if not whole or abs(int(value)) > MAX_UNITS:
            break
    else:  # whole numbers, kept as objects
        return array.astype(np.int64)
    value = value.item() if isinstance(value, np.generic) else value
    reason = "is too large" if whole else "is not"
    probable = what == "masses" and array.dtype.kind == "f" and (array >= 0).all()
    raise SegmentationError(
        f"{what} must be whole numbers; number {position + 1} {reason}: {_short(value)}"
        + "; probabilities of boundaries are Segmentation.from_probabilities([0.1, 0.8, ...])"
        * bool(probable and (array <= 1).all())
    )


def as_weights(values: Any, what: str) -> Weights:
    """Return ``values`` as one column of numbers from 0 to 1, or say which of them is none."""
    if not isinstance(values, (list, tuple, np.ndarray)) and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    masked = isinstance(values, np.ma.MaskedArray)
    if masked or isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
        raise SegmentationError(
            f"{what} must be a list of numbers from 0 to 1, "
            f"found {type(values).__name__} {_short(values)}"
        )
    array: Any = values if isinstance(values, np.ndarray) else np.empty(0, dtype=object)
    flat = array.ndim == 1 and array.dtype.kind in "fiu"
    if flat and ((array >= 0) & (array <= 1)).all():
        return np.asarray(array, dtype=np.float64).copy()
    for number, value in enumerate(values, start=1):
        one = value.item() if isinstance(value, np.generic) else value
        if not is_number(one) or not 0 <= one <= 1:
            raise SegmentationError(
                f"{what} must be numbers from 0 to 1; number {number} is {_short(one)}"
            )
    return np.array([float(value) for value in values], dtype=np.float64)


def check_weights(
    weights: Weights | None, cuts: Positions, offsets: Ints, name: Callable[[int], str]
) -> None:
    """Refuse weights that are not one number above 0 and at most 1 for each cut.

    ``cuts`` and ``offsets`` have passed their check; ``name`` is as in ``check_columns``.
    """
    if weights is None:
        return
    if len(weights) != len(cuts):
        raise SegmentationError(
            f"{len(cuts)} boundaries need as many weights, found {len(weights)}"
        )
    wrong = ~((weights > 0) & (weights <= 1))
    if wrong.any():
        at = int(np.argmax(wrong))
        row = int(np.searchsorted(offsets, at, side="right")) - 1
        raise SegmentationError(
            f"{name(row)}: the weight of the boundary after unit {cuts[at]} must be above 0 and "
            "at most "
            f"1, found {weights[at]}"
        )


def refuse_probabilities(whose: str, needs: str = "this metric needs") -> SegmentationError:
    """Return the error for probabilities where boundaries are needed: no threshold is guessed."""
    return SegmentationError(
        f"{whose} has probabilities, and {needs} boundaries. Read it with --threshold 0.5 "
        "(threshold=0.5, .at_threshold(0.5)), find the best threshold with fencepost tune, or "
        "choose a metric of probabilities such as average_precision"
    )


def table_name(given: Any) -> str:
    """Return what to call a frame, a table or an Arrow column without numbers; "" for the rest.

    Only the type's name is looked at: libraries that nobody uses are not imported.
    """
    kind = type(given)
    library = kind.__module__.partition(".")[0]
    if library not in ("pandas", "polars", "pyarrow"):
        return ""
    if kind.__name__ in ("DataFrame", "LazyFrame", "Table", "RecordBatch"):
        return f"a {library} {kind.__name__}"
    numbers = str(getattr(given, "type", "int")).startswith(("int", "uint", "float", "double"))
    return "" if library != "pyarrow" or numbers else f"an Arrow column of {given.type}"


def _refuse_many_texts(values: Any, what: str) -> None:
    """Raise SegmentationError where many texts are given and one is expected."""
    found = table_name(values)
    if not found and hasattr(values, "index") and hasattr(values, "iloc") and len(values):
        first = values.iloc[0]  # a pandas Series
        found = "" if np.isscalar(first) else f"a Series of {type(first).__name__}s"
    if found:
        raise SegmentationError(
            f"{what} must be whole numbers of one text, found {found}; many texts are scored with "
            "fp.score(refs, hyps)"
        )


def as_count(value: Any, what: str) -> int:
    """Return ``value`` as an int of at least 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise SegmentationError(
            f"{what} must be a whole number, found {type(value).__name__} {_short(value)}"
        )
    if value < 1:
        empty = "; an empty text has no segments" if value == 0 else ""
        raise SegmentationError(f"{what} must be at least 1, found {value}{empty}")
    if value > MAX_UNITS:
        raise SegmentationError(f"{what} must be at most 2^40, found {value}")
    return int(value)


def check_columns(
    cuts: Positions,
    offsets: Ints,
    units: Ints,
    kinds: Kinds | None,
    kind_count: int,
    name: Callable[[int], str],
) -> None:
    """Refuse columns that are not segmentations; afterwards kernels trust them.

    ``name(row)`` says which text a row is ("reference of text d17").
    """
    rows = len(units)
    if len(offsets) != rows + 1 or offsets[0] != 0 or offsets[-1] != len(cuts):
        raise SegmentationError(
            f"{rows} texts need {rows + 1} offsets from 0 to {len(cuts)}, "
            f"found {len(offsets)}: {_short(offsets.tolist())}"
        )
    falling = offsets[1:] < offsets[:-1]  # compared, since differences of offsets can wrap around
    if falling.any():
        row = int(np.argmax(falling))
        raise SegmentationError(
            f"{name(row)}: offsets must not go down, found {offsets[row]} and {offsets[row + 1]}"
        )
    sizes = np.diff(offsets)
    if (units < 1).any() or (units > MAX_UNITS).any():
        row = int(np.argmax((units < 1) | (units > MAX_UNITS)))
        raise SegmentationError(
            f"{name(row)}: a text needs at least 1 unit (and at most 2^40), found {units[row]}"
        )
    if not len(cuts):
        return
    row_of = np.repeat(np.arange(rows), sizes)
    last_place = units[row_of] - (1 if kinds is None else 0)
    outside = (cuts < 1) | (cuts > last_place)
    if outside.any():
        at = int(np.argmax(outside))
        _refuse_outside(name(int(row_of[at])), int(cuts[at]), int(units[row_of[at]]), kinds)
    same_row = row_of[1:] == row_of[:-1]
    step = np.diff(cuts)
    if kinds is None:
        wrong = same_row & (step <= 0)
    else:
        if len(kinds) != len(cuts):
            raise SegmentationError(
                f"{len(cuts)} boundaries need as many kinds, found {len(kinds)}"
            )
        if (kinds < 0).any() or (kinds >= kind_count).any():
            at = int(np.argmax((kinds < 0) | (kinds >= kind_count)))
            raise SegmentationError(
                f"{name(int(row_of[at]))}: the kind of the boundary after unit {cuts[at]} "
                f"must be one of the {kind_count} named kinds"
            )
        wrong = same_row & ((step < 0) | ((step == 0) & (np.diff(kinds) <= 0)))
    if wrong.any():
        at = int(np.argmax(wrong))
        _refuse_order(name(int(row_of[at])), int(cuts[at]), int(cuts[at + 1]))


def _refuse_outside(where: str, cut: int, units: int, kinds: Kinds | None) -> None:
    if cut == units and kinds is None:
        raise SegmentationError(
            f"{where}: a boundary after unit {cut} is the end of the text, which every "
            "segmentation "
            f"has; boundaries lie after units 1 to {units - 1}"
        )
    last = units - 1 if kinds is None else units
    raise SegmentationError(
        f"{where}: no boundary can lie after unit {cut} in a text of {units} "
        f"unit{'s'[: units > 1]} "
        + (f"(1 to {last} are possible)" if last else "(it has no position for one)")
    )


def _refuse_order(where: str, first: int, second: int) -> None:
    if first == second:
        raise SegmentationError(f"{where}: the boundary after unit {first} is given twice")
    raise SegmentationError(
        f"{where}: positions of boundaries must be sorted, found {second} after {first}"
        + (f"; if these are segment sizes{_FROM_MASSES}" if second > 0 else "")
    )


_FROM_MASSES = ", use from_masses"


def advising(error: SegmentationError, way: str) -> str:
    """Return what an error says, for doors at which segment sizes are read in another way."""
    return str(error).replace(_FROM_MASSES, f": {way}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
