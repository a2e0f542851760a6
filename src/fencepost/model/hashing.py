"""Hashes of rows of columns: whole columns at once, without a Python object for a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import Ints

try:  # hashlib loads OpenSSL, which takes longer than scoring a few texts
    from _blake2 import blake2b as blake2b
except ImportError:  # pragma: no cover - another Python than CPython
    from hashlib import blake2b as blake2b

Hashes = npt.NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
BLOCK = 1 << 20  # values at a time


def mix(keys: Hashes) -> Hashes:
    """Return the keys after the mixing step of SplitMix64 (Steele, Lea & Flood 2014)."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def row_hashes(values: npt.NDArray[Any], offsets: Ints) -> Hashes:
    """Return 64 bits for each row: the sum of its values, each mixed with its place in the row.

    Rows of equal content have equal hashes, wherever they stand.
    """
    found = np.empty(len(offsets) - 1, dtype=np.uint64)
    first = 0
    while first < len(found):
        # At least one row, and as many as fit into a block.
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1
        last = min(max(last, first + 1), len(found))
        own = offsets[first : last + 1] - offsets[first]
        part = values[offsets[first] : offsets[last]].astype(np.uint64)
        place = np.arange(len(part), dtype=np.uint64) - np.repeat(
            own[:-1].astype(np.uint64), np.diff(own)
        )
        sums = np.zeros(len(part) + 1, dtype=np.uint64)
        np.cumsum(mix(part + (place + np.uint64(1)) * GOLDEN), out=sums[1:])
        length = np.diff(own).astype(np.uint64)  # tells "" from a row of zeros
        found[first:last] = mix(sums[own[1:]] - sums[own[:-1]] + length)
        first = last
    return found


def first_met(codes: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the first row of every code, and codes numbered in the order they are first met."""
    found, first, number = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(found), dtype=np.int64)
    rank[order] = np.arange(len(found))
    return np.asarray(first[order], dtype=np.int64), rank[number]
