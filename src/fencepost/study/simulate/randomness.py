"""Random numbers that depend on the seed, the text and the place alone; and checks of settings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import FencepostError, Ints

Values = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]

SEED = 12345
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class SimulationError(FencepostError):
    """Nothing can be made with these settings."""


# Random numbers. The n-th number of a row is mix(key + n * GOLDEN), as in random.hpp.


def mix(keys: Keys) -> Keys:
    """The mixing step of SplitMix64."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def digest(*what: object) -> np.uint64:
    """Eight bytes that stand for these things."""
    data = hashlib.blake2b(repr(what).encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(data, "little"))


@dataclass(frozen=True)
class Dice:
    """A key for each row; rows are the texts, or the copies of each text one after the other."""

    keys: Keys

    @classmethod
    def of(cls, seed: int, what: str, texts: int, copies: int = 1) -> Dice:
        """Keys for so many texts, or for so many copies of each."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise SimulationError(f"seed must be a whole number, found {seed!r}")
        text = mix(mix(np.arange(1, texts + 1, dtype=np.uint64) * GOLDEN ^ digest(int(seed), what)))
        copy = np.arange(1, copies + 1, dtype=np.uint64) * GOLDEN
        return cls(mix(text[:, None] ^ mix(copy)[None, :]).ravel())

    def stream(self, what: str) -> Keys:
        """Other keys, for another purpose."""
        return mix(self.keys ^ digest(what))

    def roll(self, what: str, row: Ints, number: Ints) -> Values:
        """Numbers in [0, 1): the ``number``-th of each ``row``, multiples of 2^-53."""
        raw = mix(self.stream(what)[row] + (number + 1).astype(np.uint64) * GOLDEN)
        return np.asarray((raw >> np.uint64(11)) * 2.0**-53)


def below(rolled: Values, bound: Ints | int) -> Ints:
    """Whole numbers from 0 to bound - 1, each as likely as the others (to 2^-53)."""
    return np.asarray(np.minimum((rolled * bound).astype(np.int64), np.maximum(bound, 1) - 1))


def normal(first: Values, second: Values) -> Values:
    """Standard normal numbers (Box & Muller 1958, as in pevzner2002)."""
    return np.asarray(np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second))


# Checks of what people give.


def as_share(name: str, value: Any) -> float:
    """A probability, or an error that says what was found."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise SimulationError(f"{name} is a probability from 0 to 1, found {value!r}")
    if not 0 <= value <= 1:
        raise SimulationError(f"{name} is a probability from 0 to 1, found {value}")
    return float(value)


def as_number(name: str, value: Any, least: int = 1) -> int:
    """A whole number, or an error that says what was found."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise SimulationError(f"{name} must be a whole number from {least} up, found {value!r}")
    return int(value)
