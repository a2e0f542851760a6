"""Agreement between annotators: observed similarity, what chance would give, and coefficients."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.checks import Ints, MetricError
from fencepost.corpus import CoderPair, Corpus
from fencepost.metrics.base import Counts, Recipe, Values, as_recipe
from fencepost.pairs import Column, Pairs
from fencepost.result import Table
from fencepost.scoring import add_counts

# How annotators would annotate at random, and the coefficient that follows:
#   shuffle        every coder keeps the number of cuts of every text; places are drawn afresh
#   bernoulli      every place is drawn independently: with each coder's own proportions of kinds
#                  (Cohen's kappa), and with those of both together (Scott's pi)
#   uniform        every kind, and none, equally likely (Bennett's S)
#   uniform-kinds  the pooled proportion of none, kinds equally likely (lai2023, section 3.3)
CHANCES = ("shuffle", "bernoulli", "uniform", "uniform-kinds")
Chance = Literal["shuffle", "bernoulli", "uniform", "uniform-kinds"]

COLUMNS = (
    "coefficient",
    "metric",
    "value",
    "low",
    "high",
    "observed",
    "expected",
    "standard_error",
    "chance",
    "signature",
)
BATCH_CUTS = 4_000_000  # boundaries drawn at a time: some 100 MB

Limits = npt.NDArray[np.uint64]


def agreement(
    corpus: Any,
    *,
    metric: Any = "B",
    chance: Chance | Sequence[Chance] = "shuffle",
    draws: int = 400,
    seed: int = 12345,
    exact: bool = False,
) -> Table:
    """Similarity of annotators beyond what they would have by chance.

    The coefficient is (observed - expected) / (1 - expected). Observed is the value of the counts
    of all pairs of coders over all texts together; expected is its mean over ``draws`` simulated
    annotations, with its standard error. Draws are seeded and the same for any number of threads.
    ``exact`` computes the expectation of S_f instead, for chances other than shuffling.

    >>> import fencepost as fp
    >>> texts = {"a": {"x": [5, 5, 4], "y": [5, 4, 5]}, "b": {"x": [6, 6], "y": [6, 6]}}
    >>> corpus = fp.Corpus.from_dict(texts)
    >>> row = fp.agreement(corpus, metric="B")[0]
    >>> row["coefficient"], round(row["observed"], 3)
    ('kappa', 0.833)
    """
    recipe = as_recipe(metric, None)
    if not recipe.metric.symmetric or recipe.metric.better != "higher":
        raise MetricError(
            f"agreement needs a symmetric similarity such as B, S, A or Sf; {recipe.name} is not"
        )
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 2:
        raise MetricError(f"draws must be a whole number from 2 up, found {draws!r}")
    chances = [chance] if isinstance(chance, str) else list(chance)
    for one in chances:
        if one not in CHANCES:
            raise MetricError(f"chance must be one of {', '.join(CHANCES)}, found {one!r}")
    plan = _Plan.of(Corpus.from_given(corpus, "corpus"), recipe)
    observed = _value(recipe, plan.pairs)
    rows = []
    for name, coefficient, null in _nulls(plan, chances):
        if exact:
            mean, error = _exact(recipe, plan, null), 0.0
            more = {"chance": f"{name},exact", "coefficient": coefficient}
        else:
            values = _expected(recipe, plan, null, draws, seed)
            mean = math.fsum(values.tolist()) / len(values)
            error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
            more = {"chance": f"{name},{draws}", "coefficient": coefficient, "seed": str(seed)}
        value = (observed - mean) / (1 - mean) if mean < 1 else math.nan
        more |= dict(plan.corpus.reading)
        cells = (coefficient, recipe.name, value, None, None, observed, mean, error, name)
        rows.append(dict(zip(COLUMNS, (*cells, recipe.signature(**more)), strict=True)))
    return Table(COLUMNS, tuple(rows), name="agreement", facts=plan.facts())


@dataclass(frozen=True)
class _Plan:
    """All pairs of coders over all texts and streams, as one Pairs."""

    corpus: Corpus
    recipe: Recipe
    rows: list[CoderPair]
    pairs: Pairs

    @classmethod
    def of(cls, corpus: Corpus, recipe: Recipe) -> _Plan:
        rows, pairs = corpus.pair_coders()
        return cls(corpus, recipe, rows, pairs.view(recipe.metric.sees))

    @property
    def last_places(self) -> Ints:
        """The last place where a boundary may stand, for each row."""
        end = self.recipe.metric.sees == "kinds+end"
        return self.pairs.units - (0 if end else 1)

    def facts(self) -> dict[str, Any]:
        texts = {text for text, *_ in self.rows}
        coders = {coder for row in self.rows for coder in row[2:]}
        return {
            "texts": len(texts),
            "coders": len(coders),
            "pairs": len(self.rows),
            "units": sum(
                {
                    (r[0], r[1]): int(u) for r, u in zip(self.rows, self.pairs.units, strict=True)
                }.values()
            ),
            "unit": self.corpus.unit,
            "boundaries": sum(
                len(s.cuts) for k, s in self.corpus.entries.items() if k.text in texts
            ),
            "corpus": self.corpus.name,
            "fingerprint": self.corpus.fingerprint(),
        }


def _value(recipe: Recipe, pairs: Pairs) -> float:
    return float(recipe.value(add_counts(recipe.count(pairs))[None, :])[0])


# Null distributions: what is drawn for each side of each row.


@dataclass(frozen=True)
class _Null:
    """Either shuffled places (limits None), or independent draws from distributions by coder."""

    limits: Limits | None = None
    shares: Values | None = None  # the probabilities themselves: none, kind 0, kind 1, ...
    first: Ints | None = None  # the distribution of each row's two coders
    second: Ints | None = None


def _nulls(plan: _Plan, chances: Iterable[str]) -> Iterator[tuple[str, str, _Null]]:
    for chance in chances:
        if chance == "shuffle":
            yield chance, "kappa", _Null()
        elif chance == "bernoulli":
            yield chance, "kappa", _by_coder(plan)
            yield chance, "pi", _same_for_all(plan, _pooled(plan))
        elif chance == "uniform":
            kinds = plan.pairs.kind_count
            yield chance, "bennett", _same_for_all(plan, np.full(kinds + 1, 1 / (kinds + 1)))
        else:
            none = _pooled(plan)[0]
            kinds = plan.pairs.kind_count
            shares = np.concatenate(([none], np.full(kinds, (1 - none) / kinds)))
            yield chance, "modified bennett", _same_for_all(plan, shares)


def _counts_by_coder(plan: _Plan) -> tuple[list[str], Values, Values]:
    """Places, and boundaries of each kind, of every coder over all texts and streams.

    A coder counts once for each text, however many others annotated it.
    """
    coders = list(dict.fromkeys(coder for row in plan.rows for coder in row[2:]))
    places = np.zeros(len(coders))
    kinds = np.zeros((len(coders), plan.pairs.kind_count))
    seen: set[tuple[str, str, str]] = set()
    last = plan.last_places
    for number, (text, stream, a, b) in enumerate(plan.rows):
        for coder, column in ((a, plan.pairs.ref), (b, plan.pairs.hyp)):
            if (text, stream, coder) in seen:
                continue
            seen.add((text, stream, coder))
            own = slice(int(column.offsets[number]), int(column.offsets[number + 1]))
            found = (
                np.zeros(own.stop - own.start, dtype=np.int64)
                if column.kinds is None
                else column.kinds[own]
            )
            kinds[coders.index(coder)] += np.bincount(found, minlength=kinds.shape[1])
            places[coders.index(coder)] += last[number]
    return coders, places, kinds


def _by_coder(plan: _Plan) -> _Null:
    coders, places, kinds = _counts_by_coder(plan)
    shares = kinds / np.maximum(places, 1)[:, None]
    shares = np.column_stack((1 - shares.sum(axis=1), shares))
    number = {coder: i for i, coder in enumerate(coders)}
    first = np.array([number[row[2]] for row in plan.rows], dtype=np.int64)
    second = np.array([number[row[3]] for row in plan.rows], dtype=np.int64)
    return _Null(_limits(shares), shares, first, second)


def _pooled(plan: _Plan) -> Values:
    _, places, kinds = _counts_by_coder(plan)
    shares = kinds.sum(axis=0) / max(float(places.sum()), 1.0)
    return np.concatenate(([1 - shares.sum()], shares))


def _same_for_all(plan: _Plan, shares: Values) -> _Null:
    zero = np.zeros(len(plan.rows), dtype=np.int64)
    return _Null(_limits(shares[None, :]), shares[None, :], zero, zero)


def _limits(shares: Values) -> Limits:
    """Cumulative probabilities in steps of 2^-64, the last left out."""
    cumulated = np.clip(np.cumsum(shares, axis=1)[:, :-1], 0.0, 1.0)
    steps = [[min(int(x * 2**64), 2**64 - 1) for x in row] for row in cumulated.tolist()]
    return np.array(steps, dtype=np.uint64)


def _exact(recipe: Recipe, plan: _Plan, null: _Null) -> float:
    """The expected S_f, from the finite chain of states that savings move through."""
    from fencepost.expectation import expected_cost
    from fencepost.metrics.flexible import Prices

    if recipe.name != "flexible_similarity" or recipe.settings["norm"] != "units":
        raise MetricError(
            "an exact expectation is known for S_f (norm=units) only; leave exact away"
        )
    if null.shares is None or null.first is None or null.second is None:
        raise MetricError("shuffled places have no exact expectation; use chance=bernoulli")
    prices = Prices.of(plan.pairs, recipe.settings["costs"], recipe.settings["symmetric"])
    lengths: dict[tuple[int, int], list[int]] = {}
    for a, b, units in zip(
        null.first.tolist(), null.second.tolist(), plan.pairs.units.tolist(), strict=True
    ):
        lengths.setdefault((a, b), []).append(units)
    cost = math.fsum(
        expected_cost(prices, null.shares[a], null.shares[b], own)
        for (a, b), own in lengths.items()
    )
    return 1 - cost / float(plan.pairs.units.sum())


# Drawing.


def _expected(recipe: Recipe, plan: _Plan, null: _Null, draws: int, seed: int) -> Values:
    """The value of each draw."""
    rows = len(plan.rows)
    keys = [
        np.array(
            [_key(seed, text, stream, coder) for text, stream, coder in _sides(plan, side)],
            dtype=np.uint64,
        )
        for side in (2, 3)
    ]
    cuts = max(1, len(plan.pairs.ref.values) + len(plan.pairs.hyp.values))
    at_once = int(np.clip(BATCH_CUTS // cuts, 1, draws))
    sums: list[Counts] = []
    for start in range(0, draws, at_once):
        count = min(at_once, draws - start)
        pairs = _draw(plan, null, keys, start, count)
        counts = recipe.count(pairs).reshape(count, rows, -1)
        sums.append(np.array([add_counts(one) for one in counts]))
    return recipe.value(np.concatenate(sums))


def _sides(plan: _Plan, side: int) -> Iterator[tuple[str, str, str]]:
    return ((row[0], row[1], row[side]) for row in plan.rows)


def _key(seed: int, *names: str) -> int:
    """A number of its own for every coder of every text: other texts do not change its draws."""
    digest = hashlib.blake2b(repr((seed, *names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _draw(plan: _Plan, null: _Null, keys: list[Any], start: int, count: int) -> Pairs:
    """``count`` draws of every row, one draw after the other, as one Pairs."""
    steps = (np.arange(start, start + count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))[
        :, None
    ]
    units = np.tile(plan.pairs.units, count)
    columns = []
    for column, own, shares in zip(
        (plan.pairs.ref, plan.pairs.hyp), keys, (null.first, null.second), strict=True
    ):
        number = (own[None, :] ^ steps).ravel()
        if null.limits is None or shares is None:
            columns.append(_shuffled(column, np.tile(plan.last_places, count), number, count))
        else:
            offsets, values, kinds = _core.random_boundaries(
                np.tile(plan.last_places, count), np.tile(shares, count), null.limits, number
            )
            columns.append(Column(values, offsets, None if column.kinds is None else kinds))
    return Pairs._trusted(columns[0], columns[1], units, plan.pairs.vocabulary)


def _shuffled(column: Column, last: Ints, keys: Any, count: int) -> Column:
    sizes = np.tile(column.counts, count)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    values = _core.random_places(offsets, last + 1, keys)
    if column.kinds is None:
        return Column(values, offsets)
    # Another stream than the places', so that kinds do not follow them.
    kinds = _core.shuffle_kinds(offsets, np.tile(column.kinds, count), keys ^ np.uint64(1))
    return Column(values, offsets, kinds)
