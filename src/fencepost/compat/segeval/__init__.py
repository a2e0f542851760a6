"""A drop-in for segeval 2.0: its names, arguments, defaults, types and exceptions, our kernels.

    import fencepost.compat.segeval as segeval

Every call returns segeval's number, its quirks included, or raises. Values are ``Decimal`` where
segeval's are. Mind the order of arguments: segeval takes the hypothesis first. Names are also where
segeval has them, such as ``segeval.util.SegmentationMetricError``.

What differs on purpose:

* Segment sizes below 1 raise SegmentationMetricError; segeval turns a leading 0 into a boundary at
  the end of the text.
* Types of boundaries are whole numbers up to 256; segeval compares larger ones by their identity.
* More than 8 types that differ at one position raise; segeval tries all their permutations.
* Files can be read; segeval's readers stop on Python 3.11 and later (mode "rU").
* The samples of Kazantseva & Szpakowicz (2012), and those made from them, are not part of this
  package; HEARST_1997_STARGAZER is.
"""

from __future__ import annotations

import copy
import csv
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from itertools import combinations, pairwise, permutations
from operator import index
from typing import Any, NamedTuple

import numpy as np

from fencepost import _core
from fencepost.model.checks import Ints

__version__ = "2.0.11"  # of the segeval whose numbers these are
LARGEST_TYPE = 256  # up to here Python has one object for each number, as segeval's code needs
MOST_TYPES_AT_ONE_POSITION = 8
MOST_WINDOW = 255  # segeval's check of the window compares larger numbers by identity, and fails
LARGEST_NUMBER = 1 << 40  # of units, of a window and of n_t, for the kernels
NO_TYPES = frozenset[int]()


class SegmentationMetricError(Exception):
    """Raised for input that a metric cannot compare."""


class DataIOError(Exception):
    """Raised for a file that is not as expected."""

    def __init__(self, message: str, exception: BaseException | None = None) -> None:
        super().__init__(message, exception)


class BoundaryFormat:
    """The ways to write a segmentation."""

    position = "position"
    mass = "mass"
    sets = "sets"
    nltk = "nltk"


class Average:
    """How classes of a confusion matrix are averaged."""

    micro = 0
    macro = 1


class Field:
    """Names in segeval's JSON."""

    segmentation_type = "segmentation_type"
    items = "items"


class Addition(NamedTuple):
    """A boundary that only one side has: ``side`` is "a" or "b"."""

    type: Any
    side: str


class Substitution(NamedTuple):
    """A boundary with another type on the other side."""

    type_a: Any
    type_b: Any


class Transposition(NamedTuple):
    """A boundary that is elsewhere on the other side, with the numbers of both positions."""

    start: int
    end: int
    type: Any


# Ways to write a segmentation.


def convert_positions_to_masses(positions: Iterable[Any]) -> tuple[int, ...]:
    """Return segment sizes from the segment of each unit.

    >>> convert_positions_to_masses([1, 1, 1, 2, 2])
    (3, 2)
    """
    return _core.sizes_of_labels(positions)


def convert_masses_to_positions(masses: Iterable[int]) -> tuple[int, ...]:
    """Return the segment of each unit, from 1 on.

    >>> convert_masses_to_positions([3, 2])
    (1, 1, 1, 2, 2)
    """
    labels = _core.labels_of_sizes(masses)
    if labels is not None:
        return labels
    return tuple(n for n, size in enumerate(masses, 1) for _ in range(size))


def boundary_string_from_masses(masses: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Return the set of boundary types at each position between units.

    >>> boundary_string_from_masses([2, 1])
    (frozenset(), frozenset({1}))
    """
    sizes = _sizes(masses)
    string = [NO_TYPES] * (sum(sizes) - 1)
    one, at = frozenset([1]), -1
    for size in sizes[:-1]:
        at += size
        string[at] = one
    return tuple(string)


def convert_nltk_to_masses(string: str, boundary_symbol: str = "1") -> tuple[int, ...]:
    """Return segment sizes from one mark for each position between units.

    >>> convert_nltk_to_masses("0010")
    (3, 2)
    """
    sizes = _core.sizes_of_marks(string, boundary_symbol)
    if sizes is not None:
        return sizes
    return tuple([len(part) + 1 for part in string.split(boundary_symbol)])


def _sizes(masses: Sequence[int]) -> list[int]:
    """Return segment sizes; raise for what is none."""
    try:
        sizes = list(map(index, masses[:]))
    except TypeError:
        raise TypeError(f"segment sizes are whole numbers, found {masses!r}") from None
    if sizes and min(sizes) < 1:
        raise SegmentationMetricError(f"segment sizes are at least 1, found {min(sizes)}")
    if sum(sizes) > LARGEST_NUMBER:
        raise SegmentationMetricError(f"a text has at most {LARGEST_NUMBER:,} units")
    return sizes


def _cuts_of_masses(masses: Sequence[int]) -> tuple[Ints, int]:
    """Return the positions of boundaries, and the number of units."""
    ends = np.cumsum(_sizes(masses), dtype=np.int64)
    return ends[:-1], int(ends[-1]) if len(ends) else 0


def _masses_of(segmentation: Any, boundary_format: str) -> Any:
    if boundary_format == BoundaryFormat.nltk:
        return convert_nltk_to_masses(segmentation)
    if boundary_format == BoundaryFormat.mass:
        return segmentation
    if boundary_format == BoundaryFormat.position:
        return convert_positions_to_masses(segmentation)
    raise SegmentationMetricError("Unsupported boundary format")


# Data sets.


class Dataset(defaultdict[str, dict[str, Any]]):
    """Segmentations by text and coder."""

    def __init__(
        self,
        item_coder_data: Mapping[str, dict[str, Any]] | None = None,
        properties: Mapping[str, Any] | None = None,
        boundary_types: Iterable[Any] | None = None,
        boundary_format: str = BoundaryFormat.mass,
    ) -> None:
        super().__init__(dict)
        self.update(item_coder_data or {})
        self.properties: dict[str, Any] = dict(properties or {})
        self.boundary_format = boundary_format
        self.boundary_types = {1} if boundary_types is None else set(boundary_types)
        self.coders = {coder for own in self.values() for coder in own}

    def __iadd__(
        self, other: Mapping[str, Mapping[str, Any]], prepend_item: Sequence[str] | None = None
    ) -> Dataset:
        """Add the segmentations of another data set."""
        for item, codings in other.items():
            name = ",".join([*(prepend_item or ()), item])
            own = self.setdefault(name, {})
            for coder, segmentation in codings.items():
                if coder in own:
                    raise DataIOError(f"item {name} has two segmentations by {coder}")
                self.coders.add(coder)
                own[coder] = segmentation
        return self

    def __add__(self, other: Mapping[str, Mapping[str, Any]]) -> Dataset:
        made = self.copy()
        made += other
        return made

    def copy(self) -> Dataset:
        """Return a copy that shares nothing."""
        return Dataset(
            copy.deepcopy(dict(self)), copy.deepcopy(self.properties), self.boundary_types,
            self.boundary_format,
        )  # fmt: skip

    def __deepcopy__(self, memo: Any) -> Dataset:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        given = (dict(self), self.properties, self.boundary_types, self.boundary_format)
        return Dataset, given


def input_linear_mass_json(filepath: str) -> Dataset:
    """Read segeval's JSON."""
    try:
        with open(filepath, encoding="utf-8") as file:
            data = json.load(file)
    except ValueError as error:
        raise DataIOError(f"{filepath} is not JSON", error) from error
    if Field.segmentation_type not in data:
        raise DataIOError(f"{filepath} has no entry 'segmentation_type'")
    if data[Field.segmentation_type] != "linear":
        found = data[Field.segmentation_type]
        raise DataIOError(f"{filepath}: segmentation_type must be 'linear', found {found!r}")
    if Field.items not in data:
        raise DataIOError(f"{filepath} has no entry 'items' with segmentations by item and coder")
    items = {
        item: {coder: tuple(masses) for coder, masses in codings.items()}
        for item, codings in data.pop(Field.items).items()
    }
    made = Dataset(items, data)
    made.coders = set()  # as segeval leaves it; agreement looks at the items then
    return made


def output_linear_mass_json(filepath: str, dataset: Dataset) -> None:
    """Write segeval's JSON; into output.json if the path is a folder."""
    data = {Field.segmentation_type: "linear", Field.items: dataset, **dataset.properties}
    path = os.path.join(filepath, "output.json") if os.path.isdir(filepath) else filepath
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, sort_keys=True, indent=4)


def input_linear_mass_tsv(filepath: str, delimiter: str = "\t") -> Dataset:
    """Read a table with one row per coder: the name, then segment sizes; the first row is names."""
    with open(filepath, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))[1:]
    name, ending = os.path.splitext(os.path.basename(filepath))
    made = Dataset({name or ending: {row[0]: tuple(map(int, row[1:])) for row in rows}})
    made.coders = set()
    return made


_READERS = {
    "tsv": ((".tsv", ".csv"), input_linear_mass_tsv),
    "json": ((".json", ".jsn"), input_linear_mass_json),
}


def load_nested_folders_dict(
    containing_dir: str,
    filetype: str,
    dataset: Dataset | None = None,
    prepend_item: Sequence[str] = (),
) -> Dataset:
    """Read all files of a folder and its folders, whose names are in the names of texts."""
    made = Dataset() if dataset is None else dataset
    endings, read = _READERS[filetype]
    folders = []
    for name in os.listdir(containing_dir):
        path = os.path.join(containing_dir, name)
        if os.path.isdir(path):
            folders.append((name, path))
        elif os.path.splitext(name)[1].lower() in endings:
            made.__iadd__(read(path), prepend_item)
    for name, path in folders:
        load_nested_folders_dict(path, filetype, made, [*prepend_item, name])
    return made


# Which pairs a call compares.


_PLAIN = (tuple, list, str)  # one segmentation, and nothing else


class _Call(NamedTuple):
    """A metric as segeval calls it: on one pair, or on all pairs of coders."""

    compare: Callable[..., Any]
    defaults: Mapping[str, Any]

    def __call__(self, args: Sequence[Any], given: Mapping[str, Any]) -> Any:
        settings = {**self.defaults, **given}
        if len(args) == 2 and type(args[0]) in _PLAIN and type(args[1]) in _PLAIN and all(args):
            del settings["permuted"]
            return self.compare(*args, **settings)
        dataset, hypothesis, reference = _sides(args, settings)
        if dataset:
            settings["boundary_format"] = dataset.boundary_format
            return self._pairs(dataset, None, settings)
        if hypothesis and reference:
            formats = [getattr(one, "boundary_format", None) for one in (hypothesis, reference)]
            if None in formats:
                settings.pop("permuted")
                return self.compare(hypothesis, reference, **settings)
            if formats[0] != formats[1]:
                raise SegmentationMetricError(
                    f"the data sets have different boundary formats: {formats[0]}, {formats[1]}"
                )
            settings["boundary_format"] = formats[0]
            return self._pairs(hypothesis, reference, settings)
        raise SegmentationMetricError(
            f"expected a hypothesis and a reference, or a data set, found {args!r}"
        )

    def _pairs(self, first: Any, second: Any, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the value of each pair of coders, by item and coders."""
        both_ways = settings.pop("permuted") and second is None
        found = {}
        for item in first:
            if second is None:
                own = other = first[item]
                pairs = list(combinations(own, 2))
            elif item in second:
                own, other = first[item], second[item]
                pairs = [(m, n) for m in own for n in other]
            else:
                continue
            if both_ways:
                pairs = [pair for m, n in pairs for pair in ((m, n), (n, m))]
            for m, n in pairs:
                found[f"{item},{m},{n}"] = self.compare(own[m], other[n], **settings)
        return found


def _sides(args: Sequence[Any], settings: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return data set, hypothesis and reference; those given by name leave the settings."""
    dataset = hypothesis = reference = None
    if len(args) == 2:
        hypothesis, reference = args
    elif len(args) == 1:
        dataset = args[0]
    elif not args:
        if "hypothesis" in settings and "reference" in settings:
            hypothesis, reference = settings.pop("hypothesis"), settings.pop("reference")
        elif "dataset" in settings:
            dataset = settings.pop("dataset")
        else:
            raise SegmentationMetricError(
                "expected a hypothesis and a reference, or a data set, found no argument"
            )
    hypothesis, reference = (
        (one,) if isinstance(one, int) else one for one in (hypothesis, reference)
    )
    return dataset, hypothesis, reference


# Metrics of windows.

_METRIC = {
    "boundary_format": BoundaryFormat.mass,
    "permuted": False,
    "one_minus": False,
    "return_parts": False,
}
_WINDOW = {**_METRIC, "window_size": None, "fnc_round": round, "permuted": True}


def compute_window_size(reference: Any, **kwargs: Any) -> int:
    """Return half the mean segment size of all segmentations of ``reference``, at least 2."""
    settings = {**_WINDOW, **kwargs}
    for unused in ("one_minus", "permuted", "window_size", "return_parts"):
        del settings[unused]
    return _width(reference, **settings)


def _width(reference: Any, boundary_format: str, fnc_round: Callable[[Decimal], float]) -> int:
    if boundary_format == BoundaryFormat.position:
        reference = convert_positions_to_masses(reference)
    if type(reference) not in (tuple, list):
        reference = list(_all_masses(reference))
    return _window_size(reference, fnc_round)


def _window_size(masses: Sequence[Any], fnc_round: Callable[[Decimal], float]) -> int:
    try:
        units = sum(masses)
    except TypeError:
        units = None
    if type(units) is not int:  # sizes that are text, or have decimals
        units = sum(map(Decimal, masses), Decimal(0))
    mean = Decimal(units) / len(masses) if masses else Decimal(0)
    return max(int(fnc_round(mean / 2)), 2)


def _all_masses(given: Any) -> Iterator[Any]:
    if hasattr(given, "items"):
        for inner in given.values():
            yield from _all_masses(inner)
    elif hasattr(given, "__iter__") and not isinstance(given, str):
        yield from given
    else:
        raise SegmentationMetricError("expected a segmentation, or segmentations by item and coder")


class _Units(NamedTuple):
    """One side of a window metric: its boundaries, and the segment of each unit if given."""

    cuts: Ints
    units: int
    labels: Sequence[Any] | None  # the caller's, which segeval compares by identity

    @classmethod
    def read(cls, given: Any, boundary_format: str) -> _Units:
        if boundary_format == BoundaryFormat.position:
            places = [i for i, (a, b) in enumerate(pairwise(given), 1) if a is not b]
            return cls(np.array(places, dtype=np.int64), len(given), given)
        return cls(*_cuts_of_masses(_masses_of(given, boundary_format)), None)

    def masses(self) -> Sequence[int]:
        """Return segment sizes, as the width of windows follows from them."""
        if self.labels is not None:
            return convert_positions_to_masses(self.labels)
        ends = [0, *self.cuts.tolist(), self.units]
        return [b - a for a, b in pairwise(ends)]

    def is_plain(self) -> bool:
        """Tell whether two units share a segment if and only if no boundary is between them."""
        return self.labels is None or len(set(map(id, self.labels))) == len(self.cuts) + 1


def _window_sides(
    hypothesis: Any, reference: Any, form: str, size: Any, fnc_round: Any
) -> tuple[_Units, _Units, int]:
    if form == BoundaryFormat.sets:
        raise SegmentationMetricError("Unsupported boundary format")
    ref, hyp = (_Units.read(one, form) for one in (reference, hypothesis))
    if ref.units != hyp.units:
        raise SegmentationMetricError(
            f"the reference has {ref.units} units and the hypothesis {hyp.units}"
        )
    return ref, hyp, _window_size(ref.masses(), fnc_round) if size is None else index(size)


def _plain_windows(
    hypothesis: Any, reference: Any, form: Any, size: Any, fnc_round: Any, pk: bool, padded: bool
) -> tuple[int, int, int] | None:
    """Count differing windows, all windows and their width at once; None for odd input."""
    if size is None:
        size = -1 if fnc_round is round else 0
    elif type(size) is not int or size > LARGEST_NUMBER:
        return None
    elif size < 0:
        size = 0
    if size == 0 or type(form) is not str or form == BoundaryFormat.sets:
        return None
    if padded and form == BoundaryFormat.position:
        for labels in (reference, hypothesis):
            ends = (*labels[:1], *labels[-1:])
            if type(labels) is not tuple or any(map(_is_zero, ends)):
                return None
    return _core.windows_of_texts(reference, hypothesis, form, size, pk, padded)


def _pk(
    hypothesis: Any, reference: Any, window_size: Any, one_minus: Any, boundary_format: Any,
    return_parts: Any, fnc_round: Any,
) -> Any:  # fmt: skip
    how = (boundary_format, window_size, fnc_round)
    counts = _plain_windows(hypothesis, reference, *how, True, False)
    differing, windows = counts[:2] if counts else _windows_of_pk(hypothesis, reference, *how)
    if return_parts:
        return differing, windows
    value = Decimal(differing) / windows if windows else 0
    return Decimal("1.0") - value if one_minus else value


def _windows_of_pk(
    hypothesis: Any, reference: Any, form: Any, size: Any, fnc_round: Any
) -> tuple[int, int]:
    ref, hyp, k = _window_sides(hypothesis, reference, form, size, fnc_round)
    if k < 0:
        raise IndexError(f"window_size is at least 0 (segeval's pk stops below), found {k}")
    windows = max(ref.units - k, 0)
    if not windows or k == 0:
        differing = 0
    elif ref.is_plain() and hyp.is_plain():
        differing = _core.windows_of_cuts(ref.cuts, hyp.cuts, ref.units, k, True)
    else:  # a segment that goes on later: its units agree, whatever is between them
        a, b = reference, hypothesis
        differing = sum((a[i] is a[i + k]) is not (b[i] is b[i + k]) for i in range(windows))
    return differing, windows


def _window_diff(
    hypothesis: Any, reference: Any, window_size: Any, one_minus: Any, boundary_format: Any,
    return_parts: Any, fnc_round: Any, lamprier_et_al_2007_fix: Any,
) -> Any:  # fmt: skip
    padded = lamprier_et_al_2007_fix is not False
    if padded and not lamprier_et_al_2007_fix:
        raise AssertionError("lamprier_et_al_2007_fix must be True or False")
    how = (boundary_format, window_size, fnc_round)
    counts = _plain_windows(hypothesis, reference, *how, False, padded)
    if counts is None or counts[2] > MOST_WINDOW:
        counts = _windows_of_diff(hypothesis, reference, padded, *how)
    differing, divisor = counts[:2]
    value = Decimal(differing) / divisor
    if one_minus:
        return Decimal("1.0") - value
    return (differing, divisor) if return_parts else value


def _windows_of_diff(
    hypothesis: Any, reference: Any, padded: bool, form: Any, size: Any, fnc_round: Any
) -> tuple[int, int, int]:
    ref, hyp, k = _window_sides(hypothesis, reference, form, size, fnc_round)
    if k < -1:  # a window of -1 has no unit, and segeval goes on
        raise AssertionError(f"segeval stops at windows below -1, found {k}")
    if padded:
        ref, hyp = _pad(ref, k), _pad(hyp, k)
    windows = ref.units - k
    if windows > 0 and k > MOST_WINDOW:
        raise AssertionError(f"segeval stops at windows wider than {MOST_WINDOW}, found {k}")
    differing = 0
    if windows > 0 and k > 0:
        differing = _core.windows_of_cuts(ref.cuts, hyp.cuts, ref.units, k, False)
    return differing, windows + padded, k


def _is_zero(label: object) -> bool:
    """Say what "label is 0" says in CPython: segeval compares by identity."""
    return type(label) is int and label == 0


def _pad(side: _Units, k: int) -> _Units:
    """Return a side between phantom segments of ``k`` units, at least 1."""
    size = max(k, 1)
    labels = side.labels
    if labels is not None and not isinstance(labels, tuple):
        raise TypeError(f"positions are a tuple here, as in segeval; found {type(labels).__name__}")
    first, last = (labels is None or not _is_zero(labels[end]) for end in (0, -1))
    ends = [side.cuts + size]
    cuts = np.concatenate([[size][:first], *ends, [size + side.units][:last]]).astype(np.int64)
    return _Units(cuts, side.units + 2 * size, None)


def pk(*args: Any, **kwargs: Any) -> Any:
    """Return Pk of hypothesis and reference, or of all pairs of coders of a data set.

    >>> pk([2, 3, 6], [2, 2, 7])
    Decimal('0.2222222222222222222222222222')
    """
    return _Call(_pk, _WINDOW)(args, kwargs)


def window_diff(*args: Any, **kwargs: Any) -> Any:
    """Return WindowDiff of hypothesis and reference, or of all pairs of coders of a data set.

    >>> window_diff([2, 3, 6], [2, 2, 7])
    Decimal('0.2222222222222222222222222222')
    """
    return _Call(_window_diff, {**_WINDOW, "lamprier_et_al_2007_fix": False})(args, kwargs)


# Weights of edits.


def weight_a(additions: Sequence[Any]) -> int:
    """Return the number of additions."""
    return len(additions)


def weight_s(substitutions: Sequence[Any], max_s: int, min_s: int = 1) -> int:
    """Return the number of substitutions."""
    return len(substitutions)


def weight_s_scale(substitutions: Sequence[Any], max_s: int, min_s: int = 1) -> Decimal:
    """Return the substitutions, each by the distance of its types."""
    return weight_t_scale(substitutions, max_s - min_s + 1)


def weight_t(transpositions: Sequence[Any], max_n: int) -> int:
    """Return the number of transpositions."""
    return len(transpositions)


def weight_t_scale(transpositions: Sequence[Any], max_n: int) -> Decimal:
    """Return the transpositions, each by its distance / ``max_n``."""
    distance = 0
    for one in transpositions:  # few, for which a generator would take longer
        distance += abs(one[0] - one[1])
    return Decimal(distance) / max_n


# Boundary edit distance.


class _Edits(NamedTuple):
    additions: list[Addition]
    substitutions: list[Substitution]
    transpositions: list[Transposition]
    matches: list[int]
    full_misses: list[int]
    boundaries: int
    positions: int
    types: frozenset[int]


def boundary_edit_distance(
    boundary_string_a: Sequence[frozenset[int]], boundary_string_b: Sequence[frozenset[int]],
    n_t: int = 2,
) -> tuple[list[Addition], list[Substitution], list[Transposition]]:  # fmt: skip
    """Return the additions, substitutions and transpositions between two strings of type sets.

    >>> a, b = boundary_string_from_masses([2, 3, 6]), boundary_string_from_masses([2, 2, 7])
    >>> boundary_edit_distance(a, b)
    ([], [], [Transposition(start=3, end=4, type=1)])
    """
    found = _edits_of_sets(boundary_string_a, boundary_string_b, n_t)
    return found.additions, found.substitutions, found.transpositions


def _edits_of_sets(a: Sequence[Any], b: Sequence[Any], n_t: int) -> _Edits:
    found = _plain_edits(a, b, BoundaryFormat.sets, n_t)
    if found is not None:
        return found
    types = NO_TYPES.union(*a, *b)
    for one in types:
        if not isinstance(one, int) or not -5 <= one <= LARGEST_TYPE:
            raise SegmentationMetricError(
                f"boundary types are whole numbers up to {LARGEST_TYPE}, found {one!r}"
            )
    return _typed_edits(a, b, n_t, types)


def _plain_edits(a: Any, b: Any, form: Any, n_t: Any) -> _Edits | None:
    """Return the edits of one type of boundaries, nearest first; None for odd input."""
    if type(n_t) is not int or not 0 < n_t <= LARGEST_NUMBER or type(form) is not str:
        return None
    found = _core.edit_lists_of_texts(a, b, form, n_t)
    if found is None:
        return None
    of_b, moves, matches, boundaries, units, kind = found
    sides = Addition(kind, "a"), Addition(kind, "b")
    return _Edits(
        [sides[one] for one in of_b], [], [Transposition(*ends, kind) for ends in moves],
        [kind] * matches, [kind] * (boundaries - 2 * matches), boundaries, units - 1,
        frozenset([kind]) if boundaries else NO_TYPES,
    )  # fmt: skip


def _typed_edits(a: Sequence[Any], b: Sequence[Any], n_t: int, types: frozenset[int]) -> _Edits:
    """Return the edits of several types: near misses first, what is left position by position."""
    if len(b) < len(a) > 1 < n_t:
        raise IndexError(f"the first text has {len(a)} positions, the second {len(b)}")
    both = list(zip(a, b, strict=False))
    left = {i: (set(x - y), set(y - x)) for i, (x, y) in enumerate(both) if x != y}
    transpositions: list[Transposition] = []
    moved: set[tuple[int, int]] = set()  # positions with the type that was moved there
    for reach in range(1, n_t):
        for start in left:
            end = start + reach
            if end not in left:
                continue
            (a_start, b_start), (a_end, b_end) = both[start], both[end]
            there = (a_start ^ b_start) & (a_end ^ b_end)
            for kind in there & (a_start ^ a_end) & (b_start ^ b_end):
                places = ((start, kind), (end, kind))
                if not moved.isdisjoint(places) or _substitutes(left, start, end, kind):
                    continue
                transpositions.append(Transposition(start, end, kind))
                moved.update(places)
                for at in (start, end):
                    for side in left[at]:
                        side.discard(kind)
    additions: list[Addition] = []
    substitutions: list[Substitution] = []
    for only_a, only_b in left.values():
        if only_a and only_b:
            paired = _pair_types(sorted(only_a), sorted(only_b))
            substitutions += {Substitution(*pair) for pair in paired}
            used = {one for pair in paired for one in pair}
            only_a, only_b = only_a - used, only_b - used
        additions += [Addition(one, "a") for one in only_a]
        additions += [Addition(one, "b") for one in only_b]
    return _Edits(
        additions, substitutions, transpositions, [one for x, y in both for one in x & y],
        [one for i in left for one in both[i][0] ^ both[i][1]],
        sum(map(len, a[: len(both)])) + sum(map(len, b[: len(both)])), len(b), types,
    )  # fmt: skip


def _substitutes(left: Mapping[int, tuple[set[int], set[int]]], i: int, j: int, kind: int) -> bool:
    """Tell whether a type is at two positions that both could have a substitution."""
    return all(kind in a | b and a and b for a, b in (left[i], left[j]))


def _pair_types(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Pair the types of one position at the least distance; the first such pairing in order."""
    if not a or not b:
        return []
    if len(a) == len(b):
        return list(zip(a, b, strict=True))  # sorted with sorted is cheapest
    if max(len(a), len(b)) > MOST_TYPES_AT_ONE_POSITION:
        raise SegmentationMetricError(
            f"more than {MOST_TYPES_AT_ONE_POSITION} boundary types differ at one position"
        )
    count = min(len(a), len(b))
    best, least = [], None
    for of_a in permutations(a, count) if len(a) > count else [tuple(a)]:
        for of_b in permutations(b, count):
            cost = sum(abs(x - y) for x, y in set(zip(of_a, of_b, strict=True)))
            if least is None or cost < least:
                best, least = list(zip(of_a, of_b, strict=True)), cost
    return best


# Similarity.

DEFAULT_WEIGHT = (weight_a, weight_s_scale, weight_t_scale)
_SIMILARITY = {
    **_METRIC,
    "n_t": 2,
    "boundary_types": None,
    "weight": DEFAULT_WEIGHT,
}
_STATISTICS = {k: v for k, v in _SIMILARITY.items() if k not in ("one_minus", "return_parts")}


def _edits(segs_a: Any, segs_b: Any, boundary_format: str, n_t: int) -> _Edits:
    found = _plain_edits(segs_a, segs_b, boundary_format, n_t)
    if found is not None:
        return found
    if boundary_format == BoundaryFormat.sets:
        if len(segs_a) != len(segs_b):
            _refuse_lengths(len(segs_a), len(segs_b))
        return _edits_of_sets(segs_a, segs_b, n_t)
    a, b = (
        boundary_string_from_masses(_masses_of(one, boundary_format)) for one in (segs_a, segs_b)
    )
    if len(a) != len(b):
        _refuse_lengths(len(a), len(b))
    return _edits_of_sets(a, b, n_t)


def _refuse_lengths(a: int, b: int) -> None:
    raise SegmentationMetricError(f"Segmentations differ in length ({a} != {b})")


def _weigh(found: _Edits, n_t: int, weight: Sequence[Callable[..., Any]]) -> Any:
    of_additions, of_substitutions, of_transpositions = weight
    return (
        of_additions(found.additions)
        + of_substitutions(found.substitutions, max(found.types), min(found.types))
        + of_transpositions(found.transpositions, n_t)
    )


def _statistics(
    segs_a: Any, segs_b: Any, boundary_types: Any, boundary_format: Any, n_t: Any, weight: Any
) -> dict[str, Any]:
    found = _edits(segs_a, segs_b, boundary_format, n_t)
    return {
        "count_edits": _weigh(found, n_t, weight),
        "additions": found.additions, "substitutions": found.substitutions,
        "transpositions": found.transpositions, "full_misses": found.full_misses,
        "boundaries_all": found.boundaries, "matches": found.matches,
        "pbs": found.positions * len(found.types), "boundary_types": found.types,
    }  # fmt: skip


def _share(kept: Any, whole: Any, one_minus: bool) -> Any:
    value = kept / whole if whole > 0 else 1
    return Decimal("1") - value if one_minus else value


def _plain_counts(a: Any, b: Any, form: Any, n_t: Any, weight: Any) -> Any:
    """Return matches, edits, their weight and units of one type of boundaries.

    None means odd input, texts without boundaries, or other weights.
    """
    if weight is not DEFAULT_WEIGHT or type(form) is not str:
        return None
    if type(n_t) is not int or not 0 < n_t <= LARGEST_NUMBER:
        return None
    counts = _core.edits_of_texts(a, b, form, n_t)
    if counts is None or not any(counts[:3]):
        return None
    matches, additions, transpositions, distance, units = counts
    return matches, additions + transpositions, additions + Decimal(distance) / n_t, units


def _boundary_similarity(
    segs_a: Any, segs_b: Any, boundary_types: Any, boundary_format: Any, n_t: Any, weight: Any,
    one_minus: Any, return_parts: Any,
) -> Any:  # fmt: skip
    if return_parts:
        found = _edits(segs_a, segs_b, boundary_format, n_t)
        return *_shares_of_b(found, n_t, weight), *found[:3]
    plain = _plain_counts(segs_a, segs_b, boundary_format, n_t, weight)
    if plain is not None:
        matches, count, edits, _ = plain
        return _share(count + matches - edits, count + matches, one_minus)
    found = _edits(segs_a, segs_b, boundary_format, n_t)
    return _share(*_shares_of_b(found, n_t, weight), one_minus)


def _shares_of_b(found: _Edits, n_t: int, weight: Any) -> tuple[Any, int]:
    edits = len(found.additions) + len(found.substitutions) + len(found.transpositions)
    whole = edits + len(found.matches)
    return whole - _weigh(found, n_t, weight), whole


def _segmentation_similarity(
    segs_a: Any, segs_b: Any, boundary_types: Any, boundary_format: Any, n_t: Any, weight: Any,
    one_minus: Any, return_parts: Any,
) -> Any:  # fmt: skip
    plain = _plain_counts(segs_a, segs_b, boundary_format, n_t, weight)
    if plain is not None:
        whole = plain[3] - 1
        kept = whole - plain[2]
    else:
        found = _edits(segs_a, segs_b, boundary_format, n_t)
        whole = found.positions * len(found.types) ** 2  # segeval multiplies by the types twice
        kept = whole - _weigh(found, n_t, weight)
    return (kept, whole) if return_parts else _share(kept, whole, one_minus)


def boundary_similarity(*args: Any, **kwargs: Any) -> Any:
    """Return B of two segmentations, or of all pairs of coders of a data set.

    >>> boundary_similarity([2, 3, 6], [2, 2, 7])
    Decimal('0.75')
    """
    return _Call(_boundary_similarity, _SIMILARITY)(args, kwargs)


def segmentation_similarity(*args: Any, **kwargs: Any) -> Any:
    """Return S of two segmentations, or of all pairs of coders of a data set.

    >>> segmentation_similarity([2, 3, 6], [2, 2, 7])
    Decimal('0.95')
    """
    return _Call(_segmentation_similarity, _SIMILARITY)(args, kwargs)


def boundary_statistics(*args: Any, **kwargs: Any) -> Any:
    """Return the edits of two segmentations with their counts, or of all pairs of coders."""
    return _Call(_statistics, _STATISTICS)(args, kwargs)


def _confusion_matrix(
    segs_a: Any, segs_b: Any, boundary_types: Any, boundary_format: Any, n_t: Any, weight: Any,
    one_minus: Any, return_parts: Any,
) -> ConfusionMatrix:  # fmt: skip
    found = _edits(segs_a, segs_b, boundary_format, n_t)
    _weigh(found, n_t, weight)  # stops where there is no boundary, as segeval does
    matrix = ConfusionMatrix()
    for one, count in Counter(found.matches).items():
        matrix[one][one] += count
    prices: dict[
        int, Any
    ] = {}  # of near misses by distance, for the weight that looks at nothing else
    for moved in found.transpositions:
        distance = moved.end - moved.start
        if distance not in prices or weight[2] is not weight_t_scale:
            prices[distance] = weight[2]([moved], n_t)
        matrix[moved.type][moved.type] += prices[distance]
    for hyp, ref in found.substitutions:
        matrix[hyp][ref] += 1
    for kind, side in found.additions:  # segeval takes side "a" for the reference here
        predicted, actual = (None, kind) if side == "a" else (kind, None)
        matrix[predicted][actual] += 1
    return matrix


def boundary_confusion_matrix(*args: Any, **kwargs: Any) -> Any:
    """Return the confusion matrix of boundary types, of one pair or of all pairs of coders."""
    return _Call(_confusion_matrix, _SIMILARITY)(args, kwargs)


# Confusion matrices.


# Neither class has a constructor of its own: a matrix is made as quickly as a dict.
class _Row(defaultdict[Any, Any]):
    """What a class was predicted for."""

    _matrix: ConfusionMatrix

    def __setitem__(self, key: Any, value: Any) -> None:
        self._matrix._known = None
        _set_item(self, key, value)


_set_item = dict.__setitem__


class ConfusionMatrix(dict[Any, Any]):
    """Counts as ``matrix[predicted][actual]``, 0 where nothing was counted."""

    # The classes; None after a count was set, not after one was read.
    _known: set[Any] | frozenset[Any] | None = frozenset()

    def __setitem__(self, key: Any, value: Any) -> None:
        raise AttributeError("set matrix[predicted][actual] instead")

    def __missing__(self, key: Any) -> _Row:
        row = _Row(int)
        row._matrix = self
        _set_item(self, key, row)
        return row

    def classes(self) -> set[Any]:
        """Return all classes, predicted and actual."""
        if self._known is None:
            self._known = {*self, *(actual for row in self.values() for actual in row)}
        elif not isinstance(self._known, set):
            self._known = set()
        return self._known


def _precision(matrix: ConfusionMatrix, one: Any, beta: Any) -> tuple[Any, Any]:
    row = matrix[one]
    return row[one], sum(row.values())


def _recall(matrix: ConfusionMatrix, one: Any, beta: Any) -> tuple[Any, Any]:
    return matrix[one][one], sum([row[one] for row in matrix.values()])


def _ratio(parts: tuple[Any, Any]) -> Decimal:
    if parts[0] == 0 and isinstance(parts[0], int):
        return Decimal(0)
    return Decimal(parts[0]) / Decimal(parts[1])


def _fmeasure(matrix: ConfusionMatrix, one: Any, beta: Any) -> tuple[Any, Any]:
    p, r = _ratio(_precision(matrix, one, beta)), _ratio(_recall(matrix, one, beta))
    square = Decimal(str(beta)) ** 2
    return (Decimal("1.0") + square) * p * r, square * p + r


def _of_class(
    parts: Callable[..., tuple[Any, Any]], matrix: ConfusionMatrix, kind: Any, beta: Any
) -> Any:
    found = parts(matrix, kind, beta)
    if parts is _fmeasure:
        return 0 if found[0] == 0 else Decimal(found[0]) / Decimal(found[1])
    return _ratio(found)


def _averaged(
    parts: Callable[..., tuple[Any, Any]], matrix: Any, one: Any, version: int, beta: Any
) -> Any:
    if not isinstance(matrix, ConfusionMatrix):
        return {label: _averaged(parts, own, one, version, beta) for label, own in matrix.items()}
    if one is not None:
        return _of_class(parts, matrix, one, beta)
    if version == Average.micro:
        kept = whole = 0
        for kind in matrix.classes():
            numerator, denominator = parts(matrix, kind, beta)
            kept += numerator
            whole += denominator
        return 0 if kept == 0 else Decimal(kept) / whole
    if version == Average.macro:
        return _mean([_of_class(parts, matrix, kind, beta) for kind in matrix.classes()])
    raise SegmentationMetricError("version must be Average.micro or Average.macro")


def precision(matrix: Any, classification: Any = None, version: int = Average.micro) -> Any:
    """Return the precision of one class, or of all on average."""
    return _averaged(_precision, matrix, classification, version, None)


def recall(matrix: Any, classification: Any = None, version: int = Average.micro) -> Any:
    """Return the recall of one class, or of all on average."""
    return _averaged(_recall, matrix, classification, version, None)


def fmeasure(
    matrix: Any, classification: Any = None, beta: Any = Decimal("1.0"),
    version: int = Average.micro,
) -> Any:  # fmt: skip
    """Return the F-measure of one class, or of all on average."""
    return _averaged(_fmeasure, matrix, classification, version, beta)


def _mean(values: Sequence[Any]) -> Any:
    return sum(values, Decimal(0)) / len(values) if values else 0


def summarize(pairs: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, int]:
    """Return mean, standard deviation, variance, standard error and number of values.

    >>> summarize({"a": Decimal(1), "b": Decimal(3)})
    (Decimal('2'), Decimal('1'), Decimal('1'), Decimal('0.7071067811865475244008443622'), 2)
    """
    values = list(pairs.values())
    mean = _mean(values)
    variance = sum(((value - mean) ** 2 for value in values), Decimal(0)) / len(values)
    deviation = variance.sqrt()
    return mean, deviation, variance, deviation / Decimal(len(values)).sqrt(), len(values)


# Agreement.


class _Agreement(NamedTuple):
    """What all pairs of coders have in common, and how many boundaries each coder has."""

    kept: list[Any]
    whole: list[Any]
    positions: list[int]
    boundaries: dict[str, list[list[int]]]  # of each coder, with the positions, pair by pair


def _agreement_settings(dataset: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    settings = {**_SIMILARITY, "fnc_compare": boundary_similarity, **given}
    for name in ("boundary_types", "boundary_format"):
        if hasattr(dataset, name):
            settings[name] = getattr(dataset, name)
    return settings


def _actual_agreement(dataset: Any, settings: Mapping[str, Any]) -> _Agreement:
    compare = settings["fnc_compare"]
    passed = {k: v for k, v in settings.items() if k != "fnc_compare"} | {"return_parts": True}
    if compare is boundary_similarity:
        compare = _shares_of_pair
    counted: dict[tuple[Any, Any], tuple[int, int, frozenset[Any]]] = {}
    form = settings["boundary_format"]
    known = getattr(dataset, "coders", None)
    coders = list({c: None for own in dataset.values() for c in own} if known is None else known)
    found = _Agreement([], [], [], {})
    for m, n in combinations(coders, 2):
        for item in dataset:
            a, b = dataset[item][m], dataset[item][n]
            kept, whole = compare(a, b, **passed)[:2]
            sides = []
            for coder, one in ((m, a), (n, b)):
                if (item, coder) not in counted:
                    counted[item, coder] = _boundaries_of(one, form)
                sides.append(counted[item, coder])
            positions = sides[0][1] * len(sides[0][2] | sides[1][2])
            found.kept.append(kept)
            found.whole.append(whole)
            found.positions.append(positions)
            for coder, side in zip((m, n), sides, strict=True):
                found.boundaries.setdefault(coder, []).append([side[0], positions])
    return found


def _shares_of_pair(segs_a: Any, segs_b: Any, **settings: Any) -> tuple[Any, int]:
    """Return the parts of B without its lists of edits, where nothing is odd."""
    names = settings.keys() - {"permuted", "return_parts", "one_minus", "boundary_types"}
    if names == {"boundary_format", "n_t", "weight"} and segs_a and segs_b:
        plain = _plain_counts(
            segs_a, segs_b, settings["boundary_format"], settings["n_t"], settings["weight"]
        )
        if plain is not None:
            matches, count, edits, _ = plain
            return count + matches - edits, count + matches
    kept, whole = boundary_similarity(segs_a, segs_b, **settings)[:2]
    return kept, whole


def _boundaries_of(segmentation: Any, boundary_format: str) -> tuple[int, int, frozenset[Any]]:
    """Return the boundaries, the positions, and the types that occur."""
    if boundary_format == BoundaryFormat.sets:
        return sum(map(len, segmentation)), len(segmentation), NO_TYPES.union(*segmentation)
    masses = _masses_of(segmentation, boundary_format)
    return len(masses) - 1, sum(masses) - 1, frozenset([1] if len(masses) > 1 else [])


def actual_agreement_linear(dataset: Any, **kwargs: Any) -> Any:
    """Return the observed agreement of all pairs of coders, their counts added up."""
    settings = _agreement_settings(dataset, kwargs)
    found = _actual_agreement(dataset, settings)
    if settings["return_parts"]:
        return tuple(found)
    return sum(found.kept) / sum(found.whole)


def _check_complete(dataset: Any, fewest: int) -> None:
    if fewest and any(len(own) < fewest for own in dataset.values()):
        raise Exception("Less than 2 coders specified.")
    if len({len(own) for own in dataset.values()}) != 1:
        raise Exception("Unequal number of items contained.")


def _beyond_chance(dataset: Any, kwargs: Mapping[str, Any], fewest: int, chance: Any) -> Any:
    settings = _agreement_settings(dataset, kwargs)
    _check_complete(dataset, fewest)
    found = _actual_agreement(dataset, settings)
    actual = Decimal(sum(found.kept)) / sum(found.whole)
    expected = chance(found)
    # Where chance alone agrees always this raises, also for those who ask for parts.
    value = (actual - expected) / (Decimal("1") - expected)
    return (actual, expected) if settings["return_parts"] else value


def _chance_of_pi(found: _Agreement) -> Decimal:
    shares = [
        Decimal(count) / positions for own in found.boundaries.values() for count, positions in own
    ]
    return (sum(shares, Decimal(0)) / len(shares)) ** 2


def _chance_of_kappa(found: _Agreement) -> Decimal:
    shares = [
        Decimal(sum(count for count, _ in own)) / sum(positions for _, positions in own)
        for own in found.boundaries.values()
    ]
    products = [a * b for a, b in combinations(shares, 2)]
    return sum(products, Decimal(0)) / len(products)


def fleiss_pi_linear(dataset: Any, **kwargs: Any) -> Any:
    """Return Fleiss' pi; with ``return_parts`` the observed and the expected agreement."""
    return _beyond_chance(dataset, kwargs, 0, _chance_of_pi)


def fleiss_kappa_linear(dataset: Any, **kwargs: Any) -> Any:
    """Return Fleiss' kappa; with ``return_parts`` the observed and the expected agreement."""
    return _beyond_chance(dataset, kwargs, 2, _chance_of_kappa)


def artstein_poesio_bias_linear(dataset: Any, **kwargs: Any) -> Any:
    """Return the annotator bias: expected agreement by pi, less expected agreement by kappa."""
    parts = {**kwargs, "return_parts": True}
    of_pi = fleiss_pi_linear(dataset, **parts)[1]
    of_kappa = fleiss_kappa_linear(dataset, **parts)[1]
    return (of_pi, of_kappa) if kwargs.get("return_parts") else of_pi - of_kappa


# Hearst (1997), seven judges of the article "Stargazers".
HEARST_1997_STARGAZER = Dataset(
    {"stargazer": {
        "1": (2, 3, 3, 1, 3, 6, 3),
        "2": (2, 8, 2, 4, 2, 3),
        "3": (2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1),
        "4": (2, 1, 4, 1, 1, 3, 1, 4, 3, 1),
        "5": (3, 2, 4, 3, 5, 4),
        "6": (2, 3, 4, 2, 2, 5, 3),
        "7": (2, 3, 2, 2, 3, 1, 3, 2, 3),
    }}
)  # fmt: skip
_NOT_HERE = ("KAZANTSEVA2012_G5", "KAZANTSEVA2012_G2", "COMPLETE_AGREEMENT", "LARGE_DISAGREEMENT",
             "HYPOTHESIS_STARGAZER")  # fmt: skip


_ROOMS = ("agreement", "compute", "data", "format", "ml", "similarity", "util", "window")


def __getattr__(name: str) -> Any:
    if name in _NOT_HERE:
        raise AttributeError(f"the sample {name} is not part of fencepost; segeval has it")
    if name in _ROOMS:  # imported when somebody asks, as segeval's are with its metrics
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "HEARST_1997_STARGAZER",
    "Average",
    "BoundaryFormat",
    "ConfusionMatrix",
    "Dataset",
    "Field",
    "actual_agreement_linear",
    "artstein_poesio_bias_linear",
    "boundary_confusion_matrix",
    "boundary_edit_distance",
    "boundary_similarity",
    "boundary_statistics",
    "boundary_string_from_masses",
    "compute_window_size",
    "convert_masses_to_positions",
    "convert_nltk_to_masses",
    "convert_positions_to_masses",
    "fleiss_kappa_linear",
    "fleiss_pi_linear",
    "fmeasure",
    "input_linear_mass_json",
    "input_linear_mass_tsv",
    "load_nested_folders_dict",
    "output_linear_mass_json",
    "pk",
    "precision",
    "recall",
    "segmentation_similarity",
    "summarize",
    "weight_a",
    "weight_s",
    "weight_s_scale",
    "weight_t",
    "weight_t_scale",
    "window_diff",
]
