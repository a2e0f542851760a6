"""Random numbers that depend on a key alone, never on order or threads: SplitMix64, as in cpp."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the n-th number of a key is mix(key + n * GOLDEN)


def mix(keys: Keys) -> Keys:
    """Return the keys after the mixing step of SplitMix64."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def digest(data: bytes) -> int:
    """Return eight bytes that stand for these, as a whole number."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def limits(shares: npt.NDArray[np.float64]) -> Keys:
    """Return cumulated probabilities in steps of 2^-64, a row for each row, without the last."""
    cumulated = np.clip(np.cumsum(shares, axis=1)[:, :-1], 0.0, 1.0)
    steps = [[min(int(x * 2**64), 2**64 - 1) for x in row] for row in cumulated.tolist()]
    return np.array(steps, dtype=np.uint64)
