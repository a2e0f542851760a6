"""Every threshold by itself: keep what is at least as probable, then count as for any text."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost import Segmentation
from fencepost.model.pairs import Pairs

Likely = tuple[int, dict[int, float]]  # units, and the probability of each position


def above(text: Likely, threshold: float) -> Segmentation:
    """The boundaries of one threshold."""
    units, weights = text
    return Segmentation(units, sorted(p for p, weight in weights.items() if weight >= threshold))


def best(text: Likely, number: int) -> Segmentation:
    """The most probable positions; of equal ones the left-most."""
    units, weights = text
    order = sorted(weights, key=lambda place: (-weights[place], place))
    return Segmentation(units, sorted(order[:number]))


def thresholds(texts: Iterable[Likely]) -> list[float]:
    """All different probabilities, falling."""
    return sorted({weight for _, weights in texts for weight in weights.values()}, reverse=True)


def pairs_at(refs: list[Segmentation], texts: list[Likely], at: Iterable[float]) -> Pairs:
    """All texts at the first threshold, then all texts at the next."""
    hyps = [[above(text, threshold) for text in texts] for threshold in at]
    return Pairs.from_segmentations(refs * len(hyps), [hyp for own in hyps for hyp in own])
