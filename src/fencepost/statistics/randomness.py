"""Random numbers that depend on a key alone, never on order or threads: SplitMix64, as in cpp."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fencepost.model.hashing import GOLDEN as GOLDEN  # the n-th number is mix(key + n * GOLDEN)
from fencepost.model.hashing import blake2b
from fencepost.model.hashing import mix as mix

Keys = npt.NDArray[np.uint64]


def digest(data: bytes) -> int:
    """Return eight bytes that stand for these, as a whole number."""
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def limits(shares: npt.NDArray[np.float64]) -> Keys:
    """Return cumulated probabilities in steps of 2^-64, a row for each row, without the last."""
    cumulated = np.clip(np.cumsum(shares, axis=1)[:, :-1], 0.0, 1.0)
    steps = [[min(int(x * 2**64), 2**64 - 1) for x in row] for row in cumulated.tolist()]
    return np.array(steps, dtype=np.uint64)
