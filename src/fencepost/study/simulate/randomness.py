"""Random numbers that depend on the seed, the text and the place alone; and checks of settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import FencepostError, Ints
from fencepost.options import MAX_MADE, complaints
from fencepost.statistics.randomness import GOLDEN, Keys, digest, mix

Values = npt.NDArray[np.float64]

SEED = 12345


class SimulationError(FencepostError):
    """Nothing can be made with these settings."""


def key_of(*what: object) -> np.uint64:
    """A key of its own for these things."""
    return np.uint64(digest(repr(what).encode()))


@dataclass(frozen=True)
class Draws:
    """A key for each row; rows are the texts, or the copies of each text one after the other."""

    keys: Keys

    @classmethod
    def of(cls, seed: int, what: str, texts: int, copies: int = 1) -> Draws:
        """Keys for so many texts, or for so many copies of each."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise SimulationError(f"seed must be a whole number, found {seed!r}")
        text = mix(mix(np.arange(1, texts + 1, dtype=np.uint64) * GOLDEN ^ key_of(int(seed), what)))
        copy = np.arange(1, copies + 1, dtype=np.uint64) * GOLDEN
        return cls(mix(text[:, None] ^ mix(copy)[None, :]).ravel())

    def stream(self, what: str) -> Keys:
        """Other keys, for another purpose."""
        return mix(self.keys ^ key_of(what))

    def uniform(self, what: str, row: Ints, number: Ints) -> Values:
        """Numbers in [0, 1): the ``number``-th of each ``row``, multiples of 2^-53."""
        raw = mix(self.stream(what)[row] + (number + 1).astype(np.uint64) * GOLDEN)
        return np.asarray((raw >> np.uint64(11)) * 2.0**-53)


def below(drawn: Values, bound: Ints | int) -> Ints:
    """Whole numbers from 0 to bound - 1, each as likely as the others (to 2^-53)."""
    return np.asarray(np.minimum((drawn * bound).astype(np.int64), np.maximum(bound, 1) - 1))


def normal(first: Values, second: Values) -> Values:
    """Standard normal numbers (Box & Muller 1958, as in pevzner2002)."""
    return np.asarray(np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second))


# Checks of what people give.


def check(function: str, **given: Any) -> None:
    """Raise SimulationError for a value that the options of a function do not accept."""
    lists = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in given.items()}
    for wrong in complaints(f"simulate.{function}", lists):
        raise SimulationError(wrong)


def check_number(what: str, number: float) -> None:
    """Raise SimulationError for more texts, boundaries or words than can be made at once."""
    if number > MAX_MADE:
        raise SimulationError(
            f"{number:,.0f} {what} are too many: at most {MAX_MADE:,} are made at once"
        )


def as_number(name: str, value: Any, most: int) -> int:
    """A whole number from 1 up, or an error that says what was found."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not 1 <= value <= most:
        raise SimulationError(f"{name} must be a whole number from 1 to {most:,}, found {value!r}")
    return int(value)
