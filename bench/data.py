"""Texts drawn with fixed seeds, in the form that each tool wants."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import fencepost as fp

Ints = npt.NDArray[np.int64]


def cuts(segments: int, mean: int, seed: int) -> Ints:
    """The cuts of a text of ``segments`` segments, ``mean`` units each on average."""
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(segments * mean - 1, segments - 1, replace=False)) + 1


def copied(reference: Ints, units: int, seed: int) -> Ints:
    """A hypothesis: half the cuts are right, three in ten 1 to 4 places off, the rest anywhere."""
    rng = np.random.default_rng(seed)
    kind = rng.random(len(reference))
    off = rng.integers(1, 5, len(reference)) * rng.choice([-1, 1], len(reference))
    anywhere = rng.integers(1, units, len(reference))
    moved = np.where(kind < 0.5, reference, np.where(kind < 0.8, reference + off, anywhere))
    return np.unique(np.clip(moved, 1, units - 1))


def text(
    segments: int, mean: int, seed: int = 1, *, apart: bool = False
) -> tuple[fp.Segmentation, fp.Segmentation]:
    """A reference, and a hypothesis that was copied from it or, ``apart``, drawn by itself."""
    units = segments * mean
    ref = cuts(segments, mean, seed)
    hyp = cuts(segments, mean, seed + 1) if apart else copied(ref, units, seed + 1)
    return fp.Segmentation.from_positions(ref, units), fp.Segmentation.from_positions(hyp, units)


def column(pairs: int, units: int, segments: int, seed: int) -> fp.Column:
    """Many texts of the same size, cut at random."""
    rng = np.random.default_rng(seed)
    chunks = []
    for first in range(0, pairs, 100_000):
        order = rng.random((min(100_000, pairs - first), units - 1), dtype=np.float32)
        chosen = np.argpartition(order, segments - 1, axis=1)[:, : segments - 1]
        chunks.append(np.sort(chosen, axis=1) + 1)
    return fp.Column(np.concatenate(chunks).ravel(), np.arange(pairs + 1) * (segments - 1))


def many(pairs: int, units: int = 60, segments: int = 6, seed: int = 1) -> fp.Pairs:
    """A column of references and one of hypotheses."""
    return fp.Pairs(
        column(pairs, units, segments, seed),
        column(pairs, units, segments, seed + 1),
        np.full(pairs, units),
    )
