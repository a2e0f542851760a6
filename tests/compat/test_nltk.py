"""The drop-in for NLTK beside NLTK itself, on random calls that both must answer alike."""

import importlib
import inspect
import random
from typing import Any

import numpy as np
import pytest

from fencepost.compat import nltk as ours

# The package's name is also the number of one of its functions.
theirs = importlib.import_module("nltk.metrics.segmentation")

LAYOUTS = {
    "string": str,
    "list": list,
    "tuple": tuple,
    "numbers": lambda marks: [int(mark) for mark in marks],
    "booleans": lambda marks: [mark == "1" for mark in marks],
}


def answer(function: Any, *args: Any) -> tuple[str, Any]:
    """The value with its type, or the name of the exception."""
    try:
        value = function(*args)
    except Exception as error:
        return type(error).__name__, None
    return type(value).__name__, value


def marks(random: random.Random, length: int) -> str:
    rate = random.choice([0.05, 0.3, 0.8])
    return "".join("01"[random.random() < rate] for _ in range(length))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_calls(layout):
    r = random.Random(layout)
    for _ in range(1500):
        length = r.choice([0, 1, 2, 5, 12, 40])
        other = length if r.random() < 0.97 else length + 1
        ref, hyp = (LAYOUTS[layout](marks(r, n)) for n in (length, other))
        boundary = r.choice(["1", "1", "1", "0", 1, True])
        k = r.choice([0, 1, 2, 3, length // 2, length, length + 1, length + 2, -1, 2.0])
        costs = r.choice([2.0, 1, 0.3]), r.choice([2.0, 0.7]), r.choice([1.0, 0.1, 0.3])
        for name, args in (
            ("windowdiff", (ref, hyp, k, boundary, r.random() < 0.5)),
            ("pk", (ref, hyp, r.choice([None, k]), boundary)),
            ("ghd", (ref, hyp, *costs, boundary)),
        ):
            assert answer(getattr(ours, name), *args) == answer(getattr(theirs, name), *args), args


def test_long_texts():
    r = random.Random(3)
    ref, hyp = marks(r, 5000), marks(r, 5000)
    assert ours.pk(ref, hyp) == theirs.pk(ref, hyp)
    assert ours.windowdiff(ref, hyp, 7) == theirs.windowdiff(ref, hyp, 7)
    assert ours.ghd(ref[:300], hyp[:300]) == theirs.ghd(ref[:300], hyp[:300])


def test_the_names_and_limits_are_nltks():
    assert ours.MAX_GHD_INPUT_LEN == theirs.MAX_GHD_INPUT_LEN
    with pytest.raises(ValueError, match=r"fencepost\.generalized_hamming"):
        ours.ghd("0" * 10_001, "0" * 10_001)


@pytest.mark.parametrize("name", ["windowdiff", "pk", "ghd"])
def test_arguments_have_nltks_names_and_defaults(name):
    taken = [
        [(one.name, one.default) for one in inspect.signature(function).parameters.values()]
        for function in (getattr(ours, name), getattr(theirs, name))
    ]
    assert taken[0] == taken[1]
    for module in (ours, theirs):
        with pytest.raises(TypeError, match="unexpected keyword"):
            getattr(module, name)("0100", "0010", windowsize=2)


def test_a_boundary_of_two_characters_is_counted_where_nltk_counts_it():
    # In the first window alone: no other window holds "11", whatever the texts are.
    for ref in ("1100000000", "0000000011"):
        found = ours.windowdiff(ref, "0000000000", 4, boundary="11")
        assert found == theirs.windowdiff(ref, "0000000000", 4, boundary="11")
        assert found == (1.0 if ref[:2] == "11" else 0.0)


class Text(str):
    """A class derived from str."""


ODD = {
    **LAYOUTS,
    "bytes": str.encode,
    "a byte array": lambda marks: bytearray(marks.encode()),
    "a derived string": Text,
    "numpy numbers": lambda marks: np.array([int(mark) for mark in marks], dtype=int),
    "floats": lambda marks: [float(mark) for mark in marks],
    "another alphabet": lambda marks: marks.replace("1", "é"),
    "an iterator": iter,
    "nothing": lambda marks: None,
}
BOUNDARIES = ["1", "11", "", b"1", b"", 49, 1, 1.0, True, None, "é"]


def test_random_calls_with_what_is_odd():
    r = random.Random(8)
    layouts = list(ODD.values())
    for _ in range(6000):
        length = r.choice([0, 1, 2, 5, 12, 40])
        other = length if r.random() < 0.97 else length + 1
        form = r.choice(layouts)
        forms = form, form if r.random() < 0.8 else r.choice(layouts)
        texts = [marks(r, n) for n in (length, other)]
        boundary = r.choice(BOUNDARIES)
        k = r.choice([0, 1, 2, length // 2, length, length + 1, -1, 2.0, None, True, "2",
                      np.int64(2), 2**70])  # fmt: skip
        weighted = r.choice([False, True, 0, 2, None])
        given = [form(text) for form, text in zip(forms, texts, strict=True)]
        again = [form(text) for form, text in zip(forms, texts, strict=True)]  # for iterators
        for name, *args in (
            ("windowdiff", k, boundary, weighted),
            ("pk", k, boundary),
            ("ghd", 2.0, 2.0, 1.0, boundary),
        ):
            found = answer(getattr(ours, name), *given, *args)
            assert found == answer(getattr(theirs, name), *again, *args), (name, texts, args)
