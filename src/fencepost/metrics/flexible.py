"""Flexible similarity: kinds of boundaries, with free costs for confusing and moving them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.metrics.boundary import NANO
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.costs import MADE, NAMED, NONE, Costs, CostsError, Square, check_types
from fencepost.metrics.registry import Counts, Values, metric
from fencepost.metrics.score import pair_of
from fencepost.metrics.settings import Choice, Flag, Param
from fencepost.model.checks import Ints, SegmentationError
from fencepost.model.edits import Edit, What
from fencepost.model.levels import Order
from fencepost.model.pairs import Column, Pairs

_STEPS: tuple[What, ...] = (
    "match",
    "substitution",
    "move",
    "move+substitution",
    "deletion",
    "insertion",
)


class CostsParam(Param):
    """Costs by name, as a dict, as a file, or as a Costs object."""

    def check(self, name: str, value: Any) -> Costs:
        """Accept Costs, names, dicts of similarities and paths of files."""
        if value is None:
            return Costs.identity()
        if isinstance(value, Costs):  # equal ones are one object: its digest is known while in use
            return MADE.setdefault(value.digest, value) if value.name == value.digest else value
        if isinstance(value, str) and value in NAMED:
            return NAMED[value]()
        if isinstance(value, str) and value.startswith("levels:"):
            return Costs.levels(value.removeprefix("levels:"))
        if isinstance(value, str) and value in MADE:
            return MADE[value]
        if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{8}", value):
            raise CostsError(f"the costs {value} are not known here; give their file or object")
        if isinstance(value, os.PathLike) or (
            isinstance(value, str) and value.lower().endswith((".csv", ".json"))
        ):
            return Costs.read(value)
        if isinstance(value, Mapping):
            return Costs.from_dict(value)
        if hasattr(value, "columns"):
            return Costs.from_frame(value)
        raise self.refuse(name, value)

    def lasting(self, value: Any) -> bool:
        """Keep recipes with named costs or a Costs object: dicts and files may change."""
        return (
            value is None or isinstance(value, Costs) or (isinstance(value, str) and value in NAMED)
        )

    def show(self, value: Any) -> str:
        """Write the name, or the digest of given costs."""
        return str(value.name)

    def read(self, text: str) -> str:
        """Keep names and paths as they are."""
        return text

    def with_order(self, value: Any, types: Any) -> Any:
        """Take the order where costs are those of levels."""
        if not value.are_levels:
            return None
        made = Costs.levels(types if isinstance(types, str) else "<".join(types))
        return made if value.name in ("levels", made.name) else None  # which has it already

    def accepts(self) -> str:
        """List the forms."""
        return f"{', '.join(NAMED)}, a file (.csv, .json), a dict of similarities or a Costs object"


class Prices(NamedTuple):
    """Whole-number prices, in billionths, for the kinds of one task, as the kernels take them."""

    deletion: Ints
    insertion: Ints
    substitution: Ints
    moving: Ints
    reach: int

    @classmethod
    def of(cls, pairs: Pairs, costs: Costs, symmetric: bool) -> Prices:
        """Return the prices of these costs for the kinds of these pairs."""
        costs = _without_levels(costs, pairs)
        square, move = _for_vocabulary(pairs.vocabulary or ("1",), costs)
        # Deleting is a multiple of 4 and moving of 2 billionths, so that half of a half is whole:
        # moving by 4 units is a tie with deleting and inserting, also where decimals do not end.
        price = 4 * np.rint((1 - square) * (NANO / 4)).astype(np.int64)
        delete, insert, change = price[:-1, -1].copy(), price[-1, :-1].copy(), price[:-1, :-1]
        step = 2 * np.rint(move * (NANO / 2)).astype(np.int64)
        if symmetric:
            moving = (step[:, None] + step[None, :]) // 2
        else:
            moving = np.broadcast_to(step[None, :], change.shape).copy()
        reach = _reach(delete[:, None] + insert[None, :] - change, moving)
        longest = int(pairs.units.max(initial=1))
        if int(moving.max(initial=0)) * min(reach, longest) >= 2**61:
            raise CostsError("moving costs are too large for a text of this length")
        return cls(delete, insert, change.ravel().copy(), moving.ravel().copy(), reach)


def _without_levels(costs: Costs, pairs: Pairs) -> Costs:
    """Return costs of levels as those of flat boundaries, where no boundary has a type.

    A level by itself has no types: no level can be mistaken for another, however they are named.
    """
    return Costs.identity() if costs.are_levels and pairs.vocabulary is None else costs


def _for_vocabulary(names: Sequence[str], costs: Costs) -> tuple[Square, Square]:
    """Similarities and moving costs in the order of a vocabulary; nobody uses kinds they lack."""
    check_types(names)
    known = [i for i, name in enumerate(names) if costs.kinds is None or name in costs.kinds]
    square, move = np.ones((len(names) + 1, len(names) + 1)), np.zeros(len(names))
    cells = [*known, len(names)]
    square[np.ix_(cells, cells)], move[known] = costs.for_kinds([names[i] for i in known])
    return square, move


def _reach(saved: Ints, moving: Ints) -> int:
    """Return the largest distance over which a move can be cheaper than deleting and inserting."""
    gains, steps = saved[saved > 0] - 1, moving[saved > 0]
    if not steps.all():
        return 2**41
    return min(int((gains // steps).max(initial=0)), 2**41)


def _check(pairs: Pairs, costs: Costs) -> None:
    """Raise an error for several boundaries at a position, and for types that have no price."""
    costs = _without_levels(costs, pairs)
    sides = (("reference", pairs.ref), ("hypothesis", pairs.hyp))
    typed = [(side, column, column.kinds) for side, column in sides if column.kinds is not None]
    for side, column, _ in typed:
        row_of = np.repeat(np.arange(len(column)), column.counts)
        twice = (np.diff(column.values) == 0) & (np.diff(row_of) == 0)
        if twice.any():
            raise SegmentationError(
                f"{_where(pairs, side, column, twice)}: two boundaries after unit "
                f"{column.values[np.argmax(twice)]}; flexible similarity takes one boundary per "
                "position (its types exclude each other)"
            )
    if costs.kinds is not None and pairs.vocabulary is None and "1" not in costs.kinds:
        raise CostsError(
            f"the boundaries have no types, but the costs are for {', '.join(costs.kinds)}; "
            "identity, positions and levels fit any boundaries"
        )
    names = pairs.vocabulary or ()
    known = names if costs.kinds is None else costs.kinds
    unpriced = [i for i, name in enumerate(names) if name not in known or name == NONE]
    for side, column, kinds in typed:
        wrong = np.isin(kinds, unpriced)
        if wrong.any():
            at = int(np.argmax(wrong))
            why = f"which is not in the costs; they know {', '.join(known)}"
            if names[kinds[at]] == NONE:
                why = "which means no boundary; give it another name"
            raise CostsError(
                f"{_where(pairs, side, column, wrong)}: the boundary after unit "
                f"{column.values[at]} has the type {names[kinds[at]]!r}, {why}"
            )


def _where(pairs: Pairs, side: str, column: Column, wrong: npt.NDArray[np.bool_]) -> str:
    """Return the side and the text of the first boundary that is wrong."""
    row = int(np.searchsorted(column.offsets, np.argmax(wrong), side="right")) - 1
    return f"{side} of text {row if pairs.keys is None else pairs.keys[row]}"


def _steps(pairs: Pairs, *, costs: Costs, norm: str, symmetric: bool) -> list[tuple[Edit, ...]]:
    del norm  # it says what the cost is divided by
    _check(pairs, costs)
    prices = Prices.of(pairs, costs, symmetric)
    offsets, rows = _core.flexible_list(pairs.rows, *prices)
    names = pairs.vocabulary

    def kind(number: int) -> str | None:
        return names[number] if names and number >= 0 else None

    steps = [
        Edit(_STEPS[op], ref or None, hyp or None, cost / NANO, kind(ref_kind), kind(hyp_kind))
        for op, ref, hyp, ref_kind, hyp_kind, cost in rows.tolist()
    ]
    return [tuple(steps[a:b]) for a, b in pairwise(offsets.tolist())]


def _value(nanocost: Values, edits: Values, matches: Values, units: Values, norm: str) -> Values:
    whole = units if norm == "units" else edits + matches
    return np.where(whole == 0, 1.0, (whole - nanocost / NANO) / whole)


def _order(names: Sequence[str], *, costs: Costs, **_: Any) -> Order | bool:
    """Return the order of types that costs of levels have (see ``metric``)."""
    if not costs.are_levels:
        return costs.kinds is not None or costs.name == "positions"
    return None if costs.kinds is None else costs.kinds


def _bounds(stated: Stated, matches: Values, edits: Values, units: Values) -> Bounds:
    """Every boundary is in one edit or match; a position has one, and the end may have one too."""
    ends = np.where(stated.alone, 1, stated.units) if stated.types else 0
    least, most = stated.boundaries()
    places = stated.units if stated.types else stated.most_boundaries()
    return {
        "units": stated.exactly(stated.units, stated.units),
        "matches": (0, most + ends),
        "edits": stated.exactly(np.maximum(least - matches, 0), most + ends + places - 2 * matches),
        "nanocost": (0, np.where(edits > 0, math.inf, 0)),
    }


def _single(costs: Costs, norm: str, symmetric: bool) -> _core.Single:
    del norm
    longest = pair_of([2**30], [2**30])  # what is right for it is right for all short texts
    _check(longest, costs)
    prices = Prices.of(longest, costs, symmetric)
    delete, insert, change, move = (int(of_kinds[0]) for of_kinds in prices[:4])
    return _core.single_flexible(delete, insert, change, move, prices.reach)


_COSTS = CostsParam("similarities of boundary types and costs of moving them")
_NORM = Choice(
    "what the cost is divided by: units, or edits and matches",
    choices=("units", "edits"),
    meanings={
        "units": "the cost is divided by the units of the text",
        "edits": "the cost is divided by edits and matches",
    },
)
_SYMMETRIC = Flag(
    "a move between boundary types costs the mean of the two",
    quiet=True,
    no="a move between boundary types costs what moving the second annotator's does",
)


@metric(
    title="S_f",
    aliases={"Sf": {}, "SfB": {"norm": "edits"}},
    cite="Lai et al. (2023)",
    counts=("nanocost", "edits", "matches", "units"),
    value=_value,
    better="higher",
    range=(-1.0, 1.0),
    symmetric=True,
    sees="kinds+end",
    edits=_steps,
    order=_order,
    divisor=lambda *, norm, **_: "units" if norm == "units" else None,
    kind_costs=True,
    bounds=_bounds,
    chances=("bernoulli", "uniform", "uniform-types"),
    single=_single,
)
def flexible_similarity(
    pairs: Pairs,
    *,
    costs: Annotated[Any, _COSTS] = None,
    norm: Annotated[str, _NORM] = "units",
    symmetric: Annotated[bool, _SYMMETRIC] = True,
) -> Counts:
    r"""How little it costs to turn one annotation into the other, boundary types included.

    .. math:: S_f = 1 - \frac{C}{N}, \quad S_f^B = 1 - \frac{C}{E + M}

    C is the least cost of substituting, deleting, inserting and moving boundaries, N the number of
    units (the end of a text is a position too), E the edits and M the matches. Where both
    annotators have a boundary, that is one pair. Moving a boundary costs half of deleting it,
    per unit, unless the costs say otherwise, and happens only where it is cheaper; moved and
    substituted is one edit. ``costs="levels"`` prices ordered types by their distance, as B does. 1
    is perfect; S_f with similarities in [0, 1] is at least 0 for one boundary per unit, S_f^B
    (``norm="edits"``) can be negative: ``p_`` against ``_q`` is -0.5. Known weakness: S_f divides
    by all units, so sparse boundaries score high; and boundaries never cross, though crossing could
    be cheaper where types come in opposite order.

    >>> from fencepost import Segmentation, flexible_similarity
    >>> a = Segmentation.from_marks(["p", "", "r", "", "q"])
    >>> b = Segmentation.from_marks(["q", "r", "", "p", "r"])
    >>> s = flexible_similarity(a, b)
    >>> s.counts
    {'nanocost': 3500000000, 'edits': 4, 'matches': 0, 'units': 5}
    >>> [(e.what, e.ref, e.hyp, e.cost) for e in s.edits]  # doctest: +NORMALIZE_WHITESPACE
    [('substitution', 1, 1, 1.0), ('move', 3, 2, 0.5),
     ('insertion', None, 4, 1.0), ('substitution', 5, 5, 1.0)]
    """
    _check(pairs, costs)
    return _core.flexible_counts(pairs.rows, *Prices.of(pairs, costs, symmetric))
