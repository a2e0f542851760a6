"""The exact expected flexible similarity of two annotators who draw every boundary independently.

Reading both annotations from left to right, every boundary pays for its deletion or insertion when
it comes, and gets something back if it is later paired: the savings of a pair. What the future can
still save depends only on the recent boundaries and on how much worse it would be to leave each of
them free, so the best savings move through finitely many states, and start afresh where both
annotators have a boundary. The expectation follows from the distribution over these states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fencepost.coders.annotations import Annotations
from fencepost.coders.chance import Null
from fencepost.metrics.boundary import NANO
from fencepost.metrics.flexible import Prices
from fencepost.metrics.registry import Recipe, Values
from fencepost.model.checks import MetricError

MAX_STATES = 30_000  # some ten seconds; five kinds under the identity need 3,071
SETTLED_BELOW = 1e-12  # change of the distribution in one step

# A free boundary: how long ago it came, its kind, and what leaving it free has cost so far.
Free = tuple[int, int, int]
# The free boundaries of the first and of the second annotator, oldest first.
State = tuple[tuple[Free, ...], tuple[Free, ...]]
EMPTY: State = ((), ())


@dataclass(frozen=True)
class _Steps:
    """The chain: from which state to which, with what probability, and what each state saves."""

    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    probability: Values
    saved: Values  # expected savings of a step from each state


def expected_similarity(recipe: Recipe, seen: Annotations, null: Null) -> float:
    """Return the expected S_f of all pairs of annotators, each of whom draws every position."""
    if not recipe.metric.kind_costs or recipe.divisor is None:
        raise MetricError("an exact expectation is known for S_f (norm=units) only; remove exact")
    if null.shares is None or null.own is None:
        raise MetricError("shuffled positions have no exact expectation; use chance=bernoulli")
    prices = Prices.of(seen.pairs(), recipe.settings["costs"], recipe.settings["symmetric"])
    units = seen.units[seen.first].tolist()
    both = null.own[seen.first].tolist(), null.own[seen.second].tolist()
    lengths: dict[tuple[int, int], list[int]] = {}
    for a, b, own in zip(*both, units, strict=True):
        lengths.setdefault((a, b), []).append(own)
    cost = math.fsum(
        expected_cost(prices, null.shares[a], null.shares[b], own)
        for (a, b), own in lengths.items()
    )
    return float(1 - cost / sum(units))


def expected_cost(prices: Prices, first: Values, second: Values, lengths: Sequence[int]) -> float:
    """Return the expected cost over streams of these lengths.

    ``first`` and ``second`` are the probabilities of (none, kind 0, kind 1, ...) at every place.
    """
    kinds = len(prices.deletion)
    delete, insert = prices.deletion / NANO, prices.insertion / NANO
    change = prices.substitution.reshape(kinds, kinds) / NANO
    both = first[1:] @ change @ second[1:]
    alone = (first[1:] @ delete) * second[0] + first[0] * (second[1:] @ insert)
    savings = _expected_savings(_chain(prices, first, second), lengths)
    return float((both + alone) * sum(lengths) - savings)


def _expected_savings(steps: _Steps, lengths: Sequence[int]) -> float:
    """Return the sum over positions of what the state reached there is expected to save."""
    wanted = sorted(set(lengths))
    totals: dict[int, float] = {0: 0.0}
    now = np.zeros(len(steps.saved))
    now[0] = 1.0
    total, place, settled = 0.0, 0, False
    for length in wanted:
        while place < length and not settled:
            total += float(now @ steps.saved)
            after = np.bincount(
                steps.end, weights=now[steps.start] * steps.probability, minlength=len(now)
            )
            settled = float(np.abs(after - now).sum()) < SETTLED_BELOW
            now, place = after.astype(np.float64), place + 1
        rate = float(now @ steps.saved)
        totals[length] = total + rate * (length - place)
    return sum(totals[length] for length in lengths)


def _chain(prices: Prices, first: Values, second: Values) -> _Steps:
    """Return all states that can be reached from the empty one, and the steps between them."""
    if prices.reach >= 2**40:
        raise MetricError(
            "moving is free for some boundary types: no finite chain, so no exact expectation"
        )
    move = _Mover(prices)
    number = {EMPTY: 0}
    states = [EMPTY]
    start, end, probability, saved = [], [], [], []
    draws = [
        (a - 1, b - 1, float(first[a] * second[b]))
        for a in range(len(first))
        for b in range(len(second))
        if first[a] * second[b] > 0
    ]
    for index, state in enumerate(states):  # grows while it is read
        gain = 0.0
        for a, b, p in draws:
            after, won = move.step(state, a, b)
            if after not in number:
                if len(number) >= MAX_STATES:
                    raise MetricError(
                        f"more than {MAX_STATES} states: no exact expectation for these costs"
                    )
                number[after] = len(states)
                states.append(after)
            start.append(index)
            end.append(number[after])
            probability.append(p)
            gain += p * won
        saved.append(gain / NANO)
    return _Steps(np.array(start), np.array(end), np.array(probability), np.array(saved))


class _Mover:
    """Steps of the chain, in whole numbers."""

    def __init__(self, prices: Prices) -> None:
        n = len(prices.deletion)
        kinds, ages = range(n), range(prices.reach + 1)
        self.reach = prices.reach
        delete, insert = prices.deletion.tolist(), prices.insertion.tolist()
        change, moving = prices.substitution.tolist(), prices.moving.tolist()
        # saving[a][b][d]: what pairing a and b at distance d saves; at least 0.
        saving = self.saving = [
            [
                [
                    max(0, delete[a] + insert[b] - change[a * n + b] - moving[a * n + b] * d)
                    for d in ages
                ]
                for b in kinds
            ]
            for a in kinds
        ]
        # The most that a free boundary can still save from a given age on.
        self.hope_first = [[max(saving[a][b][d] for b in kinds) for d in ages] for a in kinds]
        self.hope_second = [[max(saving[a][b][d] for a in kinds) for d in ages] for b in kinds]

    def step(self, state: State, a: int, b: int) -> tuple[State, int]:
        """Return the state after one more position with kinds a and b (-1: none), and its gain."""
        if a >= 0 and b >= 0:
            return EMPTY, 0
        firsts, seconds = (tuple((age + 1, kind, lost) for age, kind, lost in own) for own in state)
        won = 0
        if b >= 0:
            firsts, won = self._arrive(firsts, lambda kind, age: self.saving[kind][b][age])
            seconds = (*((age, kind, lost + won) for age, kind, lost in seconds), (0, b, won))
        elif a >= 0:
            seconds, won = self._arrive(seconds, lambda kind, age: self.saving[a][kind][age])
            firsts = (*((age, kind, lost + won) for age, kind, lost in firsts), (0, a, won))
        return (self._prune(firsts, self.hope_first), self._prune(seconds, self.hope_second)), won

    def _prune(self, free: tuple[Free, ...], hope: list[list[int]]) -> tuple[Free, ...]:
        """Forget boundaries that no partner from the next place on can make a difference to.

        Pairing one must be able to beat what is lost without it and without all that came later:
        the loss of the next free boundary, or nothing for the last.
        """
        kept: list[Free] = []
        beaten = 0
        for age, kind, lost in reversed(free):
            if age < self.reach and hope[kind][age + 1] > lost - beaten:
                kept.append((age, kind, lost))
                beaten = lost
        return tuple(reversed(kept))

    @staticmethod
    def _arrive(
        free: tuple[Free, ...], saving: Callable[[int, int], int]
    ) -> tuple[tuple[Free, ...], int]:
        """Return the losses of free boundaries after a partner arrives, and the gain of savings.

        With W the best savings, -lost of the i-th free boundary is S(i-1) - W, the best without it
        and all after it; the last, S(n) - W, is 0.
        """
        before = [-lost for _, _, lost in free] + [0]
        best = before[0]
        after = [best]
        for i, (age, kind, _) in enumerate(free):
            best = max(best, before[i + 1], before[i] + saving(kind, age))
            after.append(best)
        won = after[-1]
        return tuple((age, kind, won - after[i]) for i, (age, kind, _) in enumerate(free)), won
