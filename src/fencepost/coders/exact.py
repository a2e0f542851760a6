"""The expected flexible similarity without simulation, for coders who draw every place."""

from __future__ import annotations

import math

from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import Null
from fencepost.coders.expected import expected_cost
from fencepost.metrics.flexible import Prices
from fencepost.metrics.registry import Recipe
from fencepost.model.checks import MetricError


def expected_similarity(recipe: Recipe, seen: Annotations, null: Null) -> float:
    """The expected S_f, from the finite chain of states that savings move through."""
    if not recipe.metric.kind_costs or recipe.divisor is None:
        raise MetricError(
            "an exact expectation is known for S_f (norm=units) only; leave exact away"
        )
    if null.shares is None or null.own is None:
        raise MetricError("shuffled places have no exact expectation; use chance=bernoulli")
    prices = Prices.of(seen.pairs(), recipe.settings["costs"], recipe.settings["symmetric"])
    lengths: dict[tuple[int, int], list[int]] = {}
    both = null.own[seen.first].tolist(), null.own[seen.second].tolist()
    units = seen.units[seen.first].tolist()
    for a, b, own in zip(*both, units, strict=True):
        lengths.setdefault((a, b), []).append(own)
    cost = math.fsum(
        expected_cost(prices, null.shares[a], null.shares[b], own)
        for (a, b), own in lengths.items()
    )
    return float(1 - cost / sum(units))
