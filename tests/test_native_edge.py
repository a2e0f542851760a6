"""The native module refuses arrays of a wrong shape or type in one sentence; it never crashes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fencepost as fp
from fencepost import _core

NO_KINDS, NO_WEIGHTS = np.empty(0, np.int32), np.empty(0)
FLAGS = np.empty(0, np.uint8)


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def keys(*values: int) -> Any:
    return np.array(values, dtype=np.uint64)


def words(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


# Two texts of 10 and 6 units; every call below is right as it stands.
ROWS = {
    "ref": ints(3, 5, 2),
    "ref_offsets": ints(0, 2, 3),
    "hyp": ints(4),
    "hyp_offsets": ints(0, 1, 1),
    "units": ints(10, 6),
    "ref_kinds": NO_KINDS,
    "hyp_kinds": NO_KINDS,
    "ref_weights": NO_WEIGHTS,
    "hyp_weights": NO_WEIGHTS,
}
DRAWN = {"n_t": 2, "matching": 0, "draws": 5, "seed": 1}
PRICES = {
    "deletion": ints(4),
    "insertion": ints(4),
    "substitution": ints(0),
    "moving": ints(2),
    "reach": 3,
}
EDITS = {"n_t": 2, "matching": 0, "prices": ints(0), "kinds": 1}
HAMMING = {"ref_alone": 2, "hyp_alone": 2, "per_unit": 1, "reach": 4}
ALIGNED = {"weight": 0, "threshold": 0.0, "closeness": 4, "ties": 0, "globally": False}
ALIGNMENT = {**ALIGNED, "scoring": 0, "directed": False}
NOT_ASKED = {"given": np.empty((0, 4))}
WIDTH = {"rule": "auto-half-up", "k": 1, "in_units": False}
# "a cat" and "b" as tokens.
TOKENS = {
    "texts": ("a cat", "b"),
    "offsets": ints(0, 2, 3),
    "starts": ints(0, 2, 0),
    "ends": ints(1, 5, 1),
}
CLASSES = np.zeros(0x110000, np.uint16)
STEPS = {
    "hyp_offsets": ints(0, 1, 1),
    "order": ints(0),
    "step_offsets": ints(0, 2, 3),
    "ends": ints(0, 1, 0),
}
CALLS: dict[str, dict[str, Any]] = {
    "window_diff": {"k": ints(2, 2), "pad": "none", "weighted": False},
    "pk": {"k": ints(2, 2), "pad": "lamprier"},
    "pk_prime": {"k": ints(2, 2), "pad": "segeval"},
    "c_seg": {"k": ints(2, 2)},
    "winpr": {"k": ints(2, 2)},
    "matches_within": {"tolerance": ints(1, 1), "ends": False},
    "weighted_matches": {"tolerance": ints(1, 1), "ends": True},
    "weighted_b_counts": {"n_t": 2},
    "sections": {"tolerance": ints(1, 1)},
    "boundary_agreement": {},
    "hamming": HAMMING,
    "covering": {},
    "s_counts": EDITS,
    "b_counts": EDITS,
    "edit_list": EDITS,
    "align_counts": {**ALIGNMENT, **NOT_ASKED},
    "align_list": {**ALIGNED, **NOT_ASKED},
    "flexible_counts": PRICES,
    "flexible_list": PRICES,
    "ranking_counts": {"levels": 1, "transitive": True, "window": 0},
    "rank_counts": {"tolerance": ints(1, 1), "lines": True},
    "brier_counts": {},
    "bin_counts": {"bins": 3},
    "expected_windows": {"k": ints(2, 2), "pad": "none", "by_presence": False},
    "expected_b": DRAWN,
    "sweep_matches": {**STEPS, "tolerance": ints(1, 1), "with_ends": False},
    "sweep_pk": {**STEPS, "k": ints(2, 2), "pad": "none"},
    "sweep_pk_prime": {**STEPS, "k": ints(2, 2), "pad": "lamprier"},
    "sweep_c_seg": {**STEPS, "k": ints(2, 2)},
    "sweep_window_diff": {**STEPS, "k": ints(2, 2), "pad": "segeval", "weighted": True},
    "window_widths": {"units": ints(10, 6), "segments": ints(3, 2), **WIDTH},
    "single_pk": {**WIDTH, "pad": "none"},
    "single_pk_prime": {**WIDTH, "pad": "none"},
    "single_c_seg": WIDTH,
    "single_window_diff": {**WIDTH, "pad": "none", "weighted": False},
    "single_level_window_diff": {**WIDTH, "pad": "none"},
    "single_winpr": WIDTH,
    "single_ranking": {"transitive": False, "window": 2},
    "single_rank": {"numerator": 1, "denominator": 0, "lines": False},
    "single_brier": {},
    "single_bins": {"bins": 3},
    "single_expected_windows": {**WIDTH, "pad": "none", "by_presence": True},
    "single_expected_b": DRAWN,
    "single_matches": {"numerator": 1, "denominator": 20, "ends": True},
    "single_sections": {"numerator": 1, "denominator": 20},
    "single_agreement": {},
    "single_hamming": HAMMING,
    "single_covering": {},
    "single_s": {"n_t": 2, "matching": 0},
    "single_b": {"n_t": 2, "matching": 0},
    "single_alignment": ALIGNMENT,
    "single_flexible": {
        "deletion": 4,
        "insertion": 4,
        "substitution": 0,
        "moving": 2,
        "reach": 3,
    },
    "falling_order": {"weights": np.array([0.5, 0.25, 1.0]), "offsets": ints(0, 2, 3)},
    "running_sums": {
        "before": np.array([0.25, 0.5, 1.0]),
        "after": np.array([0.5, 0.25, 1.0]),
        "order": ints(0, 2, 1),
        "ends": ints(1, 3),
    },
    "random_places": {"offsets": ints(0, 2, 3), "units": ints(10, 6), "keys": keys(1, 2)},
    "preferred_places": {
        "offsets": ints(0, 2, 3),
        "units": ints(10, 6),
        "distribution": ints(0, 1),
        "limits": np.array([[2**63], [2**62]], dtype=np.uint64),
        "keys": keys(1, 2),
    },
    "shuffle_kinds": {"offsets": ints(0, 2, 3), "kinds": words(0, 1, 0), "keys": keys(1, 2)},
    "random_boundaries": {
        "places": ints(9, 5),
        "distribution": ints(0, 1),
        "limits": np.array([[2**63], [2**62]], dtype=np.uint64),
        "keys": keys(1, 2),
    },
    "unitizing_sums": {
        "ends": ints(4, 10, 10, 3, 6, 6),
        "offsets": ints(0, 2, 3, 5, 6),
        "categories": words(0, 1, 0, 0, 1, 1),
        "texts": ints(0, 2, 4),
    },
    "alignment_disorder": {
        "ends": ints(4, 10, 10, 3, 6, 6),
        "offsets": ints(0, 2, 3, 5, 6),
        "texts": ints(0, 2, 4),
    },
    "take_rows": {
        "values": ints(3, 5, 2),
        "offsets": ints(0, 2, 3),
        "kinds": NO_KINDS,
        "weights": NO_WEIGHTS,
        "index": ints(1, 0, 1),
    },
    "add_rows": {"counts": np.ones((3, 2)), "groups": ints(0, 1, 0), "count": 2},
    "fixed_sum": {"values": np.array([0.5, 0.25])},
    "products": {"rows": np.ones((3, 2))},
    "row_hashes": {"values": ints(3, 5, 2), "offsets": ints(0, 2, 3)},
    "first_wrong_row": {
        "values": ints(3, 5, 2),
        "offsets": ints(0, 2, 3),
        "units": ints(10, 6),
    },
    "cuts_of_sizes": {"sizes": ints(3, 5, 2), "offsets": ints(0, 2, 3)},
    "cuts_of_marks": {
        "marks": ints(0, 1, 0),
        "mask": np.ones(3, np.uint8),
        "offsets": ints(0, 2, 3),
        "mark": 1,
    },
    "cuts_of_spans": {
        "starts": ints(0, 4, 0),
        "ends": ints(4, 6, 3),
        "offsets": ints(0, 2, 3),
        "units": ints(6, 3),
        "gaps": 0,
        "overlap": 0,
    },
    "resamples": {"seed": 1, "first": 0, "count": 2, "texts": 3},
    "tosses": {"seed": 1, "first": 0, "count": 2, "texts": 3},
    "resegment": {
        "hyp": words(0, 1, 2, 0),
        "hyp_offsets": ints(0, 3, 4),
        "words": words(0, 1, 2, 0),
        "reference_offsets": ints(0, 1, 3, 4),
        "segment_offsets": ints(0, 1, 2, 3),
        "document_offsets": ints(0, 2, 3),
        "breaks": FLAGS,
        "forbidden": FLAGS,
        "marks": FLAGS,
        "vocabulary": 3,
        "ties": 0,
        "costs": (1, 1, 1),
        "peer_row": False,
        "integers": False,
        "plain": False,
        "ambiguity": True,
        "alignment": True,
        "memory": 1 << 20,
    },
    "used_pages": {"texts": ("a cat", "b")},
    "split_texts": {"texts": ("a cat", "b"), "classes": CLASSES, "rule": "words"},
    "number_tokens": TOKENS,
    "cut_places": {**TOKENS, "classes": CLASSES},
    "scan_json_lines": {
        "data": b'{"id": "a", "x": [5, 5]}\n',
        "form": "",
        "id": "id",
        "field": "x",
        "units": "units",
    },
    "scan_rows": {
        "data": b"a,5,5\n",
        "form": "",
        "delimiter": ",",
        "text": True,
        "coder": False,
        "header": False,
    },
    "scan_number_lines": {"data": b"5 5 1\n", "form": "sizes", "named": False},
    "scan_table": {
        "data": b"a,5 5\n",
        "form": "",
        "delimiter": ",",
        "header": False,
        "columns": (2, 0, -1, 1, -1),
    },
    "flat_numbers": {"lists": [[5, 5], [1]]},
    "windows_of_marks": {
        "ref": "0100",
        "hyp": [0, 1, 0, 0],
        "boundary": "1",
        "k": 2,
        "pk": True,
        "weighted": False,
    },
    "windows_of_cuts": {"ref": ints(3, 5), "hyp": ints(2), "units": 10, "k": 2, "pk": False},
    "windows_of_texts": {
        "ref": [5, 5],
        "hyp": (4, 6),
        "format": "mass",
        "k": -1,
        "pk": True,
        "padded": False,
    },
    "edits_of_texts": {"a": [1, 1, 2], "b": (1, 2, 2), "format": "position", "n_t": 2},
    "edit_lists_of_texts": {"a": "0100", "b": "0010", "format": "nltk", "n_t": 2},
    "sizes_of_labels": {"labels": ["a", "a", "b"]},
    "sizes_of_marks": {"text": "0010", "boundary": "1"},
    "labels_of_sizes": {"sizes": [2, 1]},
    "marks_of": {"text": [0, 1, 0], "boundary": 1},
    "shift_distance": {"ref": [1, 4], "hyp": [2], "insert": 2.0, "remove": 2.0, "shift": 1.0},
}
ON_ROWS = list(CALLS)[: list(CALLS).index("window_widths")]
ARRAYS = [
    (name, key)
    for name, arguments in {"Rows64": ROWS, **CALLS}.items()
    for key, value in arguments.items()
    if isinstance(value, np.ndarray)
]


def call(name: str, **changed: Any) -> Any:
    """Call a function of the module with the right arguments, except for those changed."""
    if name in ("Rows64", "Rows32"):
        return getattr(_core, name)(**(ROWS | changed))
    rows = {"rows": _core.Rows64(**ROWS)} if name in ON_ROWS else {}
    return getattr(_core, name)(**rows, **(CALLS[name] | changed))


def argument(name: str, key: str) -> Any:
    return (ROWS if name == "Rows64" else CALLS[name])[key]


@pytest.mark.parametrize("name", CALLS)
def test_the_right_call_works(name: str) -> None:
    assert call(name) is not None


def test_every_function_is_called_here() -> None:
    """A new function of the module must be added to CALLS."""
    functions = {name for name in dir(_core) if callable(getattr(_core, name)) and name[0] != "_"}
    classes = {"Rows32", "Rows64", "Single", "PlainTexts", "JsonTexts"}
    assert functions - classes - {"build", "set_threads", "get_threads", "keep_memory"} == set(
        CALLS
    )


WRONG_TYPES: dict[str, Callable[[Any], Any]] = {
    "floats": lambda a: a.astype(np.float32),
    "narrow": lambda a: a.astype(np.int16),
    "byte order": lambda a: a.astype(
        a.dtype.newbyteorder(">" if sys.byteorder == "little" else "<")
    ),
    "not contiguous": lambda a: np.repeat(a, 2, axis=0)[::2],
    "one dimension more": lambda a: a[None],
    "no dimension": lambda a: np.array(5, a.dtype),
    "objects": lambda a: a.astype(object),
    "list": lambda a: a.tolist(),
    "none": lambda _: None,
}


def is_wrong(array: Any, wrong: str) -> bool:
    """Tell whether the change shows: one number is always contiguous, one byte has no order."""
    unchanged = {"not contiguous": len(array) < 2, "byte order": array.dtype.itemsize == 1}
    return not unchanged.get(wrong, False)


@pytest.mark.parametrize(
    ("name", "key", "wrong"),
    [(n, k, wrong) for n, k in ARRAYS for wrong in WRONG_TYPES if is_wrong(argument(n, k), wrong)],
)
def test_wrong_arrays_are_refused(name: str, key: str, wrong: str) -> None:
    right = argument(name, key)
    with pytest.raises((TypeError, ValueError)):
        call(name, **{key: WRONG_TYPES[wrong](right)})


# Arrays that decide themselves how many there are, so that more of them are right.
FREE = {
    ("take_rows", "index"),
    ("take_rows", "offsets"),
    ("random_boundaries", "limits"),
    ("preferred_places", "limits"),
    ("Rows64", "hyp_kinds"),
    ("Rows64", "hyp_weights"),
    ("fixed_sum", "values"),
    ("products", "rows"),
    ("row_hashes", "offsets"),
    ("cuts_of_sizes", "offsets"),
    ("cuts_of_marks", "offsets"),
    ("falling_order", "offsets"),
    ("running_sums", "order"),
    ("running_sums", "ends"),
}
ANY_LENGTH = {
    ("running_sums", "ends"),
    ("take_rows", "index"),
    ("fixed_sum", "values"),
    ("products", "rows"),
    ("windows_of_cuts", "ref"),
    ("windows_of_cuts", "hyp"),
}


@pytest.mark.parametrize(("name", "key"), [one for one in ARRAYS if one not in FREE])
def test_too_long_arrays_are_refused(name: str, key: str) -> None:
    right = argument(name, key)
    more = right[-1:] if len(right) else np.zeros((1, *right.shape[1:]), right.dtype)
    longer = np.concatenate([right, more])
    with pytest.raises(ValueError, match="must"):
        call(name, **{key: longer})


@pytest.mark.parametrize(
    ("name", "key"),
    [(n, k) for n, k in ARRAYS if len(argument(n, k)) and (n, k) not in ANY_LENGTH],
)
def test_too_short_arrays_are_refused(name: str, key: str) -> None:
    with pytest.raises(ValueError, match="must"):
        call(name, **{key: argument(name, key)[:-1]})


@pytest.mark.parametrize(("name", "key"), ARRAYS)
def test_read_only_arrays_are_fine(name: str, key: str) -> None:
    frozen = argument(name, key).copy()
    frozen.flags.writeable = False
    assert call(name, **{key: frozen}) is not None


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        (
            "Rows64",
            {"ref_offsets": ints(1, 2, 3)},
            "ref_offsets must run from 0 to 3, found 1 to 3",
        ),
        (
            "Rows64",
            {"hyp_offsets": ints(0, 1, 2)},
            "hyp_offsets must run from 0 to 1, found 0 to 2",
        ),
        ("Rows64", {"units": ints(10)}, "ref_offsets must have length 2, found 3"),
        ("Rows64", {"ref_kinds": words(0)}, "ref_kinds must be empty or have length 3, found 1"),
        (
            "Rows64",
            {"ref_weights": np.ones(2)},
            "ref_weights must be empty or have length 3, found 2",
        ),
        ("window_diff", {"pad": "both"}, "pad must be none, lamprier or segeval, found both"),
        ("b_counts", {"n_t": 0}, "n_t must be at least 1, found 0"),
        ("s_counts", {"kinds": 2}, "prices must have length 4, found 1"),
        ("edit_list", {"kinds": 2**60}, "too many"),
        ("edit_list", {"kinds": 0}, "kinds must be at least 1, found 0"),
        ("s_counts", {"matching": 3}, "matching must be from 0 to 2, found 3"),
        ("single_s", {"matching": -1}, "matching must be from 0 to 2, found -1"),
        ("align_counts", {"weight": 6}, "weight must be from 0 to 5, found 6"),
        ("align_counts", {"weight": 5}, "rows must have length 1, found 2"),
        ("align_counts", {"given": np.empty((1, 4))}, "given must have length 0, found 1"),
        ("align_counts", {"given": np.empty((0, 3))}, "a row of given must have length 4, found 3"),
        ("align_list", {"closeness": 6}, "closeness must be from 0 to 5, found 6"),
        ("align_list", {"ties": 4}, "ties must be from 0 to 3, found 4"),
        ("single_alignment", {"weight": 5}, "weight must be from 0 to 4, found 5"),
        ("align_counts", {"scoring": -1}, "scoring must be from 0 to 2, found -1"),
        ("hamming", {"reach": -1}, "reach must be at least 0, found -1"),
        ("bin_counts", {"bins": 0}, "bins must be from 1 to 1048576, found 0"),
        ("expected_b", {"draws": 0}, "draws must be at least 1, found 0"),
        ("ranking_counts", {"levels": 0}, "levels must be at least 1, found 0"),
        ("ranking_counts", {"window": -1}, "window must be at least 0, found -1"),
        ("flexible_counts", {"deletion": ints()}, "must be at least 1, found 0"),
        ("window_widths", {"rule": "half"}, "no rule for the width of windows is called half"),
        ("window_widths", {"segments": ints(3, 0)}, "segments must be at least 1, found 0"),
        ("single_matches", {"denominator": 2**41}, "denominator must be from 0 to"),
        ("single_sections", {"numerator": -1}, "numerator must be from 0 to"),
        ("sections", {"tolerance": ints(1)}, "tolerance must have length 2, found 1"),
        ("single_b", {"n_t": 0}, "n_t must be at least 1, found 0"),
        ("single_pk", {"pad": "both"}, "pad must be none, lamprier or segeval, found both"),
        ("random_places", {"offsets": ints(0, 2, -1)}, "the last offset must be at least 0"),
        ("random_places", {"offsets": ints(0, 4, 3)}, "offsets must rise by at least 0"),
        ("random_places", {"units": ints(2, 6)}, "to draw must be from 0 to 1, found 2"),
        ("random_places", {"units": ints(-5, 6)}, "to draw must be from 0 to 0, found 2"),
        ("preferred_places", {"distribution": ints(0, 2)}, "from 0 to below 2, found 2"),
        ("preferred_places", {"limits": np.empty((2, 0), np.uint64)}, "at least 1, found 0"),
        ("shuffle_kinds", {"offsets": ints(0, 4, 3)}, "offsets must rise by at least 0"),
        ("random_boundaries", {"distribution": ints(0, 2)}, "from 0 to below 2, found 2"),
        ("random_boundaries", {"limits": np.empty((2, 0), np.uint64)}, "at least 1, found 0"),
        ("random_boundaries", {"places": ints(9, -5)}, "places must be at least 0, found -5"),
        ("unitizing_sums", {"offsets": ints(0, 2, 2, 5, 6)}, "offsets must rise by at least 1"),
        ("unitizing_sums", {"texts": ints(0, 1, 4)}, "texts must rise by at least 2"),
        ("alignment_disorder", {"offsets": ints(0, 2, 2, 5, 6)}, "offsets must rise by at least"),
        ("alignment_disorder", {"texts": ints(0, 1, 4)}, "texts must rise by at least 2"),
        ("take_rows", {"index": ints(0, 2)}, "index must be from 0 to below 2, found 2"),
        ("take_rows", {"index": ints(-1)}, "index must be from 0 to below 2, found -1"),
        ("take_rows", {"offsets": ints(0, 9, 3)}, "offsets must not fall, found 9 and 3 in row 1"),
        ("take_rows", {"offsets": ints()}, "offsets must have at least one number"),
        ("add_rows", {"groups": ints(0, 2, 0)}, "groups must be from 0 to below 2, found 2"),
        ("add_rows", {"groups": ints(0, -1, 0)}, "groups must be from 0 to below 2, found -1"),
        ("add_rows", {"count": 2**62}, "too many"),
        ("fixed_sum", {"values": np.array([1e15])}, "values must add up to less"),
        ("fixed_sum", {"values": np.array([np.nan])}, "values must add up to less"),
        ("row_hashes", {"offsets": ints(0, 4, 3)}, "offsets must rise by at least 0"),
        ("cuts_of_sizes", {"offsets": ints(0, 4, 3)}, "offsets must rise by at least 0"),
        ("cuts_of_marks", {"mark": 3}, "mark must be from 0 to 2, found 3"),
        ("cuts_of_spans", {"gaps": 3}, "gaps must be from 0 to 2, found 3"),
        ("resamples", {"count": 2**40, "texts": 2**40}, "too many"),
        ("resegment", {"vocabulary": 2}, "hyp must be from 0 to below 2, found 2"),
        ("resegment", {"words": words(0, -1, 2, 0)}, "words must be from 0 to below 3, found -1"),
        ("resegment", {"segment_offsets": ints(0, 2, 2, 3)}, "segment_offsets must rise by at"),
        (
            "resegment",
            {"document_offsets": ints(0, 0, 3)},
            "document_offsets must rise by at least 1",
        ),
        ("resegment", {"hyp_offsets": ints(0, 9, 4)}, "hyp_offsets must rise by at least 0"),
        ("resegment", {"marks": np.zeros(2, np.uint8)}, "marks must be empty or have length 3"),
        ("resegment", {"ties": 3}, "ties must be from 0 to 2, found 3"),
        ("resegment", {"costs": (1, 0, 1)}, "costs must be from 1 to"),
        ("resegment", {"hyp_offsets": ints()}, "hyp_offsets must have at least one number"),
        ("used_pages", {"texts": ("a", 3)}, "texts must be str, found another type in text 1"),
        ("split_texts", {"rule": "lines"}, "rule must be words, whitespace, characters or"),
        ("number_tokens", {"texts": ("a cat",)}, "offsets must have length 2, found 3"),
        ("number_tokens", {"texts": ("a ca", "b")}, "ends must be from 2 to 4, found 5"),
        ("number_tokens", {"starts": ints(0, 2, -1)}, "starts must be at least 0, found -1"),
        ("number_tokens", {"offsets": ints(0, 4, 3)}, "offsets must rise by at least 0"),
        ("cut_places", {"ends": ints(1, 1, 1)}, "ends must be from 2 to 5, found 1"),
        ("scan_rows", {"delimiter": ""}, "delimiter must have length 1, found 0"),
        ("scan_table", {"delimiter": ",,"}, "delimiter must have length 1, found 2"),
        ("scan_table", {"columns": (0, 0, 0, 0, 0)}, "number of columns must be at least 1"),
        ("scan_table", {"columns": (2, 0, -1, -1, -1)}, "column of values must be from 0 to 1"),
        ("scan_table", {"columns": (2, 0, 2, 1, -1)}, "a column must be from -1 to 1, found 2"),
        ("scan_table", {"columns": (2, 0, -1, 1, 1)}, "columns must differ, found 1 twice"),
        ("scan_number_lines", {"form": "lines"}, "form must be sizes, marks, bits or empty"),
        ("windows_of_cuts", {"ref": ints(5, 3)}, "a cut must be from 6 to 9, found 3"),
        ("windows_of_cuts", {"hyp": ints(10)}, "a cut must be from 1 to 9, found 10"),
        ("windows_of_cuts", {"k": 10}, "k must be at least 1 and below 10, found 10"),
        ("edits_of_texts", {"n_t": 0}, "n_t must be at least 1, found 0"),
        ("edit_lists_of_texts", {"n_t": 0}, "n_t must be at least 1, found 0"),
    ],
)
def test_the_sentence_says_what_was_found_and_what_is_expected(
    name: str, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call(name, **changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"ref": b"0100"},
        {"ref": "01000"},
        {"boundary": "11"},
        {"boundary": ""},
        {"boundary": None},
        {"ref": range(4)},
        {"ref": None},
        *({"k": k} for k in (0, 5, -1, 2.0, None, 2**70)),
    ],
    ids=repr,
)
def test_marks_that_are_odd_are_left_to_python(changed: dict[str, Any]) -> None:
    assert call("windows_of_marks") == 2
    assert call("windows_of_marks", **changed) is None


# One prepared counter serves all calls with its settings.


def long_text(segments: int, seed: int) -> list[int]:
    cuts = sorted(random.Random(seed).sample(range(1, 10**7), segments - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, 10**7], strict=True)]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timer signals")
def test_a_signal_in_the_middle_of_a_pair_may_score_another_one() -> None:
    ref, hyp, *others = (long_text(size, seed) for seed, size in enumerate((900, 900, 700, 950)))
    expected, other = (fp.expected_windowdiff(*pair).value for pair in ((ref, hyp), others))
    found: list[float] = []
    before = signal.signal(
        signal.SIGALRM, lambda *_: found.append(fp.expected_windowdiff(*others).value)
    )
    try:
        for _ in range(20):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            assert fp.expected_windowdiff(ref, hyp).value == expected
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert set(found) == {other}


def test_threads_that_score_pairs_with_one_recipe_do_not_meet() -> None:
    pairs = [([5, 5 + i, 1, 3], [5 + i, 4, 1, 4]) for i in range(8)]
    expected = [fp.boundary_similarity(*pair).value for pair in pairs]
    found: dict[int, set[float]] = {}

    def work(number: int) -> None:
        found[number] = {fp.boundary_similarity(*pairs[number]).value for _ in range(500)}

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(pairs))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == {i: {value} for i, value in enumerate(expected)}


NOT_PLAIN = [
    [],
    [0],
    [5, -5],
    [2**70],
    [2**62, 2**62],
    [1.0, 9.0],
    [True, 9],
    [None],
    [[10]],
    "10",
    b"10",
    None,
    10,
    {10},
    range(1, 5),
    np.array([10.0]),
    np.array([[10]]),
    np.array(10),
    np.array([10], dtype=">i8"),
    np.array([10, 0, 10, 0])[::2],
    np.array([10], dtype=object),
    np.array([10], dtype="m8[s]"),
    np.ma.MaskedArray([10], [False]),
    [1] * 1001,
]


@pytest.mark.parametrize("text", NOT_PLAIN, ids=lambda text: repr(text)[:20])
@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("single")])
def test_a_text_that_is_not_plain_is_not_counted(name: str, text: Any) -> None:
    single = call(name)
    assert single.counts([10], [4, 6], fp.Segmentation) is not None
    assert single.counts(text, [10], fp.Segmentation) is None
    assert single.counts([10], text, fp.Segmentation) is None
    assert single.counts([10], [9], fp.Segmentation) is None  # other units


def test_a_plain_text_has_many_forms() -> None:
    sizes = [5, 5, 1, 3]
    forms = (sizes, tuple(sizes), np.array(sizes), fp.Segmentation.from_masses(sizes))
    counts = {call("single_s").counts(form, [5, 4, 1, 4], fp.Segmentation) for form in forms}
    assert counts == {(2, 1, 1, 0, 0, 0, 0, 0, 13)}
    typed = fp.Segmentation.from_marks(["", ",", "", "."])
    assert call("single_s").counts(typed, [2, 2], fp.Segmentation) is None
    assert call("single_s").counts(forms[-1], sizes, int) is None  # another class


def test_no_rows_at_all() -> None:
    empty_columns = NO_KINDS, NO_KINDS, NO_WEIGHTS, NO_WEIGHTS
    rows = _core.Rows64(ints(), ints(0), ints(), ints(0), ints(), *empty_columns)
    for name in ON_ROWS:
        empty = {key: ints() for key in ("k", "tolerance") if key in CALLS[name]}
        if name.startswith("sweep_"):
            empty |= {key: value[:0] for key, value in STEPS.items()}
            empty |= {"hyp_offsets": ints(0), "step_offsets": ints(0)}
        counts = getattr(_core, name)(rows, **(CALLS[name] | empty))
        first = counts[1] if isinstance(counts, tuple) else counts
        assert first.shape[0] == 0, name


def test_narrow_rows_are_checked_like_wide_ones() -> None:
    narrow = ROWS | {"ref": words(3, 5, 2), "hyp": words(4)}
    assert _core.Rows32(**narrow) is not None
    with pytest.raises(ValueError, match="ref_offsets must have length 3, found 2"):
        _core.Rows32(**(narrow | {"ref_offsets": ints(0, 3)}))
    with pytest.raises(TypeError):
        _core.Rows32(**ROWS)


@pytest.mark.parametrize("name", [n for n in CALLS if n.startswith("scan")])
@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\r\n", b"{", b'{"id": "a", "x": [', b"\x00", b"1" * 5000, b'"', b","]
)
def test_scanners_survive_any_bytes(name: str, data: bytes) -> None:
    found = call(name, data=data)
    assert found is None or found.count >= 0
    for cut in range(len(CALLS[name]["data"])):  # every beginning of a right file
        found = call(name, data=CALLS[name]["data"][:cut])
        assert found is None or found.count >= 0


def test_json_texts_can_be_asked_again() -> None:
    texts = _core.JsonTexts(b'{"d1": [5, 5], "d2": [4, 6]}', "", [], False)
    assert texts.next(1).count == 1
    assert texts.next(1).count == 1
    assert texts.done
    assert texts.next(1) is None
    broken = _core.JsonTexts(b'{"d1": [5, ', "", [], False)
    assert broken.next(1) is None
    assert broken.next(1) is None


@pytest.mark.parametrize(
    "lists", [[5], [[5.0]], [[True]], [[2**64]], [(5,)], [None], [[None]], [[[5]]]]
)
def test_lists_that_are_not_whole_numbers_are_left_to_python(lists: list[Any]) -> None:
    assert _core.flat_numbers(lists) is None


def test_shapes_are_not_checked_by_assertions_alone() -> None:
    """A module in another process, so that a crash would be seen as one."""
    code = (
        "import numpy as np; from fencepost import _core\n"
        "i = lambda *v: np.array(v, dtype=np.int64)\n"
        "none, no = np.empty(0, np.int32), np.empty(0)\n"
        "for offsets in (i(), i(0), i(0, 10**12), i(-5, 3), i(0, 3, 3)):\n"
        "    try:\n"
        "        _core.Rows64(i(1, 2, 3), offsets, i(), i(0, 0), i(10), none, none, no, no)\n"
        "    except ValueError:\n"
        "        print('refused')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["refused"] * 5
