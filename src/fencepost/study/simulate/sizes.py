"""How large segments are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fencepost.model.checks import MAX_UNITS, Ints, as_integers
from fencepost.study.simulate.randomness import SimulationError, Values, as_number, below


@dataclass(frozen=True)
class Sizes:
    """How large segments are: a name, the mean, and a size for each number in [0, 1)."""

    name: str
    mean: float
    draw: Callable[[Values], Ints]


def uniform(low: int, high: int) -> Sizes:
    """From ``low`` to ``high``, both included, each as likely as the others."""
    low = as_number("the smallest size", low, MAX_UNITS)
    high = as_number("the largest size", high, MAX_UNITS)
    if low > high:
        raise SimulationError(f"sizes go from the smallest to the largest, found {low} to {high}")
    return Sizes(
        f"uniform:{low}-{high}", (low + high) / 2, lambda u: low + below(u, high - low + 1)
    )


def fixed(size: int) -> Sizes:
    """All alike."""
    size = as_number("the size", size, MAX_UNITS)
    return Sizes(f"fixed:{size}", size, lambda u: np.full(len(u), size, dtype=np.int64))


def geometric(mean: float) -> Sizes:
    """As if every position were a boundary with probability 1/mean."""
    number = isinstance(mean, (int, float, np.number)) and not isinstance(mean, bool)
    if not number or not 1 <= mean <= MAX_UNITS:
        raise SimulationError(f"the mean size is a number from 1 up, found {mean!r}")
    if mean == 1:
        return Sizes("geometric:1", 1.0, lambda u: np.ones(len(u), dtype=np.int64))
    rate = math.log1p(-1 / mean)
    return Sizes(
        f"geometric:{mean:g}", float(mean), lambda u: 1 + (np.log1p(-u) / rate).astype(np.int64)
    )


def given(sizes: Sequence[int]) -> Sizes:
    """Drawn from a list, each entry as likely as the others: sizes that were really found."""
    known = as_integers(sizes, "sizes")
    if not len(known) or known.min() < 1:
        raise SimulationError(f"sizes are whole numbers from 1 up, found {list(sizes)[:5]}")
    name = ",".join(map(str, known.tolist()))
    return Sizes(name, float(known.mean()), lambda u: known[below(u, len(known))])


MAX_DIGITS = 18  # of a size, which 64 bits hold
_FORMS = "uniform:15-35, geometric:25, fixed:25 or a list such as 3,5,8"


def sizes_of(text: Any) -> Sizes:
    """Sizes from the way they are written on the command line, or from a list.

    >>> from fencepost.study.simulate import sizes_of
    >>> sizes_of("uniform:15-35").mean, sizes_of("geometric:25").mean, sizes_of([2, 3, 4]).mean
    (25.0, 25.0, 3.0)
    """
    if isinstance(text, Sizes):
        return text
    if isinstance(text, (int, np.integer)) and not isinstance(text, bool):
        return fixed(int(text))
    if not isinstance(text, str):
        return given(text)
    if re.search(rf"\d{{{MAX_DIGITS + 1}}}", text):
        raise SimulationError(f"sizes have at most {MAX_DIGITS} digits, found {text[:40]!r}...")
    name, _, rest = text.partition(":")
    if name == "uniform" and (range_ := re.fullmatch(r"(\d+)(?:-|\.\.)(\d+)", rest)):
        return uniform(int(range_[1]), int(range_[2]))
    if name == "geometric" and re.fullmatch(r"\d+(\.\d+)?", rest):
        return geometric(float(rest))
    if name == "fixed" and rest.isdecimal():
        return fixed(int(rest))
    if re.fullmatch(r"\d+(\s*,\s*\d+)*", text):
        return given([int(one) for one in text.split(",")])
    raise SimulationError(f"sizes are {_FORMS}, found {text!r}")
