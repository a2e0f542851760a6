"""Boundary edit distance: S, B and B's precision, recall and F, all prices of one alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Annotated, Any
from weakref import WeakValueDictionary

import numpy as np

from fencepost import _core
from fencepost.metrics.boundary import BETA, share, small_units_note
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.costs import (
    check_types,
    how_to_declare,
    is_pair_of_names,
    numbers_of,
    short_digest,
)
from fencepost.metrics.registry import Counts, Recipe, Values, metric
from fencepost.metrics.settings import Choice, Number, Param, Presets, Whole
from fencepost.metrics.tally import Tally
from fencepost.model.checks import Ints, MetricError
from fencepost.model.edits import Edit, What
from fencepost.model.levels import MAX_LEVELS_SHOWN, Order
from fencepost.model.pairs import Pairs, number_of
from fencepost.wording import listed

if TYPE_CHECKING:
    from fractions import Fraction


# Prices of substitutions are whole numbers of parts of an edit, so that sums are exact. The parts
# divide by every number of kinds up to 20 (4 times the least common multiple of 1 to 20).
PARTS = 931_170_240
TE_PARTS = 2**30

# What the kernel counts; the last two are for S alone.
COLUMNS = (
    "matches",
    "missing",
    "extra",
    "transpositions",
    "distance",
    "substitutions",
    "substitution_parts",
    "te_parts",
    "places",
)
_B_COUNTS = COLUMNS[:-2]
# The kernel's numbers of edits; an addition is missing from the hypothesis or extra in it.
_OPS: tuple[What, ...] = ("match", "transposition", "substitution", "addition", "addition")


# Costs in use, by digest: a signature names them so, and is read back. Equal costs are one object
# here, so that the entry lives as long as anybody uses them.
MADE: WeakValueDictionary[str, SubstitutionCosts] = WeakValueDictionary()


class SubstitutionCosts(Mapping[tuple[str, str], float]):
    """Prices of substituting one kind by another, by name; the digest goes into the signature."""

    def __init__(self, costs: Mapping[tuple[str, str], float]) -> None:
        # A price has no direction, so neither has the digest.
        self._costs = {(min(pair), max(pair)): float(cost) for pair, cost in costs.items()}

    def __getitem__(self, pair: tuple[str, str]) -> float:
        return self._costs[pair]

    def __iter__(self) -> Any:
        return iter(self._costs)

    def __len__(self) -> int:
        return len(self._costs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubstitutionCosts) and self._costs == other._costs

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def digest(self) -> str:
        """Eight characters that identify these costs."""
        return short_digest(sorted([*pair, cost] for pair, cost in self._costs.items()))


# The rules by which substitutions are priced, and what each of them means.
RULES = {
    "auto": "ordinal where all types are numbers or types declares their order, otherwise nominal",
    "ordinal": "the distance of two types, divided by the largest - the smallest + 1",
    "nominal": "every two types are equally far apart: a substitution costs 1/2",
}


class Substitution(Param):
    """Prices of substitutions: by a rule, or given for each two types."""

    def check(self, name: str, value: Any) -> str | SubstitutionCosts:
        """Accept the name of a rule, or {("a", "b"): cost} with costs from 0 to 1."""
        if isinstance(value, SubstitutionCosts):
            return MADE.setdefault(value.digest, value)
        if isinstance(value, str) and value in RULES:
            return value
        if isinstance(value, str) and value in MADE:
            return MADE[value]
        if not isinstance(value, Mapping):
            raise self.refuse(name, value)
        for pair, cost in value.items():
            if not is_pair_of_names(pair):
                raise self.refuse(name, value)
            if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost <= 1:
                raise MetricError(
                    f"the cost of substituting {pair} must be from 0 to 1, found {cost!r}"
                )
            if value.get(pair[::-1], cost) != cost:
                raise MetricError(
                    f"the cost of substituting {pair} must be the same in both directions"
                )
        made = SubstitutionCosts(value)
        return MADE.setdefault(made.digest, made)

    def lasting(self, value: Any) -> bool:
        """Keep recipes with a name alone: given costs live as long as somebody uses them."""
        return isinstance(value, str) and value in RULES

    def show(self, value: Any) -> str:
        """Write the name, or the digest of given costs."""
        return value.digest if isinstance(value, SubstitutionCosts) else str(value)

    def meaning(self, value: Any) -> str:
        """Return what the rule means."""
        return RULES.get(value, self.help) if isinstance(value, str) else self.help

    def accepts(self) -> str:
        """Say both forms."""
        return f'{", ".join(RULES)} or costs for pairs of types: {{("a", "b"): 0.5}}'


class TypeOrder(Param):
    """The order of boundary types, from the least to the greatest: minor<major."""

    def check(self, name: str, value: Any) -> str | None:
        """Accept None, "minor<major", or a list of at least two different names."""
        if value is None:
            return None
        names = value.split("<") if isinstance(value, str) else value
        if not isinstance(names, Sequence) or not all(isinstance(one, str) for one in names):
            raise self.refuse(name, value)
        names = [one.strip() for one in names]
        if (
            len(names) < 2
            or len(set(names)) < len(names)
            or any(n == "" or "<" in n for n in names)
        ):
            raise self.refuse(name, value)
        return "<".join(names)

    def read(self, text: str) -> str | None:
        """Keep names as they are."""
        return None if text == "none" else text

    def show(self, value: Any) -> str:
        """Write the order, or that none is declared."""
        return "none" if value is None else str(value)

    def meaning(self, value: Any) -> str:
        """Return what an order means, or its absence."""
        return "no order of boundary types is declared" if value is None else self.help

    def with_order(self, value: Any, types: Any) -> Any:
        """Take the order."""
        return types

    def accepts(self) -> str:
        """Show an example."""
        return 'different names from the least to the greatest, such as "minor<major"'


def _prices(names: Sequence[str], substitution: str | SubstitutionCosts, types: str | None) -> Ints:
    """Return the square of prices in parts of an edit, row by row."""
    check_types(names)
    if types is not None and substitution not in ("auto", "ordinal"):
        given = substitution if isinstance(substitution, str) else "costs"
        raise MetricError(
            f"types {types} declares an order and substitution {given} uses none: remove one of "
            "the two"
        )
    if isinstance(substitution, SubstitutionCosts):
        square = _given_prices(names, substitution)
    elif _is_nominal(names, substitution, types):
        # Half an edit, as ordinal prices have it where there are two types.
        square = np.full((len(names), len(names)), PARTS // 2)
        np.fill_diagonal(square, 0)
    else:
        scale = _ranks(names, types) if types is not None else numbers_of(names)
        square = _ordinal_prices(names, scale)
    # Boundaries without types are of one type.
    return square.ravel() if names else np.zeros(1, dtype=np.int64)


def _is_nominal(names: Sequence[str], substitution: str | SubstitutionCosts, types: Order) -> bool:
    """Return whether a rule makes every two of these types equally far apart."""
    if substitution != "auto":
        return substitution == "nominal"
    return types is None and any(number_of(name) is None for name in names)


def _given_prices(names: Sequence[str], costs: SubstitutionCosts) -> Ints:
    square = np.zeros((len(names), len(names)), dtype=np.int64)
    for (i, a), (j, b) in permutations(enumerate(names), 2):
        cost = costs.get((min(a, b), max(a, b)))
        if cost is None:
            raise MetricError(f"no cost is given for substituting {a!r} by {b!r}")
        square[i, j] = round(cost * PARTS)
    return square


def _ordinal_prices(names: Sequence[str], scale: Mapping[str, int | Fraction]) -> Ints:
    """Return distances divided by largest - smallest + 1, so that each is below an addition."""
    span = max(scale.values(), default=0) - min(scale.values(), default=0) + 1
    value = np.array([scale[name] for name in names], dtype=object)  # numbers of any size
    return np.asarray(abs(value[:, None] - value) * PARTS // span, dtype=np.int64)


def _ranks(names: Sequence[str], types: str) -> dict[str, int | Fraction]:
    """Return the ranks of all declared types, whichever of them these texts have."""
    ranks: dict[str, int | Fraction] = {name: i for i, name in enumerate(types.split("<"))}
    for name in names:
        if name not in ranks:
            raise MetricError(
                f"the boundary type {name!r} is not in types {types}: give all types of these "
                f"texts ({', '.join(names)}) in their order"
            )
    return ranks


def with_types(recipes: Sequence[Recipe], types: Any, required: bool = True) -> list[Recipe]:
    """Return the recipes with a declared order of boundary types, where they can use one.

    MetricError if none of them can and it is ``required``; None declares nothing.
    """
    if types is None:
        return list(recipes)
    ordered = [_with_order(one, types) for one in recipes]
    if required and not any(ordered):
        raise MetricError(
            "types (--types) is the order of boundary types for B, S, B's precision, recall and F, "
            "metrics of levels (T, L, WDL) and Sf:costs=levels, and none of them is asked for: add "
            "-m B, or remove it"
        )
    return [new or one for new, one in zip(ordered, recipes, strict=True)]


def _with_order(recipe: Recipe, types: Any) -> Recipe | None:
    """Return the recipe with a declared order; None if no setting of it can use one."""
    params, settings = recipe.metric.params, recipe.settings
    changed = {key: params[key].with_order(value, types) for key, value in settings.items()}
    changed = {key: value for key, value in changed.items() if value is not None}
    return recipe.metric.recipe(**{**settings, **changed}) if changed else None


def check_typed(types: Any, names: Iterable[Sequence[str] | None]) -> None:
    """Raise MetricError if an order of boundary types is declared and no texts have any.

    ``names`` are those of each corpus, as in ``corpus.kind_names``.
    """
    if types is not None and all(own is None for own in names):
        raise MetricError(
            "types (--types) is the order of boundary types, and these texts have none: remove it, "
            "or read the types of their boundaries (fencepost formats lists formats with types)"
        )


def _settings(
    pairs: Pairs,
    n_t: int,
    matching: str,
    substitution: str | SubstitutionCosts,
    types: str | None,
) -> tuple[int, int, Ints, int]:
    """Return the settings as the kernels take them."""
    prices = _prices(pairs.vocabulary or (), substitution, types)
    return n_t, MATCHINGS.index(matching), prices, pairs.kind_count


def _list_edits(pairs: Pairs, settings: Any, cost_of: Any) -> list[tuple[Edit, ...]]:
    """Return edits of each row; ``cost_of(op, price, span, together)`` prices them.

    A transposition is priced by its span, and by how many boundaries each side moves in it.
    """
    offsets, rows = _core.edit_list(pairs.rows, *settings)
    names = pairs.vocabulary or ()

    def kind(number: int) -> str | None:
        return names[number] if number >= 0 else None

    def made(
        op: int, ref: int, hyp: int, ref_kind: int, hyp_kind: int, parts: int, *moved: int
    ) -> Edit:
        what = _OPS[op]
        cost = cost_of(what, parts / PARTS, *moved)
        return Edit(what, ref or None, hyp or None, cost, kind(ref_kind), kind(hyp_kind))

    known: dict[tuple[int, ...], Edit] = {}  # they never change: many texts can share one
    edits = []
    for row in map(tuple, rows.tolist()):
        edit = known.get(row)
        if edit is None:
            edit = known[row] = made(*row)
        edits.append(edit)
    return [tuple(edits[a:b]) for a, b in pairwise(offsets.tolist())]


def _b_edits(
    pairs: Pairs,
    *,
    n_t: int,
    matching: str,
    substitution: str | SubstitutionCosts,
    types: str | None,
    **_: Any,
) -> list[tuple[Edit, ...]]:
    def cost(what: str, price: float, span: int, together: int) -> float:
        return {"match": 0.0, "transposition": span / n_t, "substitution": price}.get(what, 1.0)

    return _list_edits(pairs, _settings(pairs, n_t, matching, substitution, types), cost)


def _s_edits(
    pairs: Pairs,
    *,
    n_t: int,
    weights: str,
    w_sub: float,
    w_trp: float,
    matching: str,
    substitution: str | SubstitutionCosts,
    types: str | None,
) -> list[tuple[Edit, ...]]:
    def cost(what: str, price: float, span: int, together: int) -> float:
        if what == "match":
            return 0.0
        if what == "transposition":
            b = 2 * together  # boundaries of both sides, which share the price of their window
            by_weights = {"te": b - float(b) ** (1 - span), "scaled": span / n_t, "unit": 1.0}
            return w_trp * by_weights[weights] / together
        return w_sub * (price if what == "substitution" and weights == "scaled" else 1.0)

    return _list_edits(pairs, _settings(pairs, n_t, matching, substitution, types), cost)


def _notes(
    tally: Tally,
    *,
    n_t: int,
    substitution: str | SubstitutionCosts,
    types: str | None,
    weights: str = "scaled",
    **_: Any,
) -> list[str]:
    notes = small_units_note(tally, n_t, "n_t")
    # Two types cost 1/2 under either rule, and S has prices of types only where it is scaled.
    names = tally.names or ()
    undeclared = substitution == "auto" and _is_nominal(names, substitution, types)
    if undeclared and len(names) > 2 and weights == "scaled":
        notes.append(
            "boundary types have no declared order, so every two of them are equally far apart; "
            f"if they have one, {how_to_declare(names)}"
        )
    return notes


def _order(
    names: Sequence[str], *, substitution: str | SubstitutionCosts, types: Order, **_: Any
) -> Order | bool:
    """Return the order by which substitutions are priced (see ``metric``)."""
    if isinstance(substitution, SubstitutionCosts):
        return True
    if len(names) < 2 or _is_nominal(names, substitution, types):
        return False
    return types


def _divided_types(tally: Tally, **settings: Any) -> list[str]:
    """Return the types that S divides by, where no other fact has them."""
    names = tally.names or ()
    if len(names) < 2 or not isinstance(_order(names, **settings), bool):
        return []
    return [f"boundary types {listed(names, MAX_LEVELS_SHOWN)}"]


def _reach(*, n_t: int, **_: Any) -> int:
    return n_t - 1


class NearMissLimit(Whole):
    """The limit n_t of near misses, in positions."""

    def sensible(self, segment: int) -> range:
        """Return 2 to half the mean segment, beyond which the next boundary is as near."""
        return range(2, max(2, segment // 2) + 1)


NEAR_MISS_LIMIT = NearMissLimit("boundaries up to n_t - 1 positions apart are near misses", low=1)
MATCHINGS = ("optimal", "greedy", "fournier2012")  # the kernel's numbers
PAIRING = Choice(
    "how near misses pair up: at the least cost, or nearest first as segeval does",
    choices=("optimal", "greedy"),
    meanings={
        "optimal": "near misses pair up at the least cost",
        "greedy": "near misses pair up nearest first, as in segeval",
    },
)
_MATCHING_OF_S = Choice(
    "how near misses pair up: at the least cost, nearest first as segeval does, or by windows",
    choices=MATCHINGS,
    meanings={
        **PAIRING.meanings,
        "fournier2012": "near misses are mirrored windows of up to n_t positions, as in the paper",
    },
)
_SUBSTITUTION = Substitution("prices of substituting boundary types", quiet=True)
_TYPES = TypeOrder(
    "the order of boundary types, by whose ranks substitutions are priced", quiet=True
)
_WEIGHTS = Choice(
    "price of a near miss: te (1 at distance 1, towards 2), unit (1), scaled (d/n_t)",
    choices=("te", "unit", "scaled"),
    meanings={
        "te": "a near miss costs 1 at distance 1, and towards 2 farther away",
        "unit": "a near miss costs 1",
        "scaled": "a near miss costs its distance divided by n_t",
    },
)
_W_SUB = Number("weight of additions and substitutions", high=1.0, quiet=True)
_W_TRP = Number("weight of transpositions", high=1.0, quiet=True)


def _without_boundaries(pairs: Pairs, **_: Any) -> Any:
    return pairs.ref.counts + pairs.hyp.counts == 0


_STOPS = {"segeval": ("it stops at texts without any boundary", _without_boundaries)}
_LIKE_S = Presets(
    stops=_STOPS,
    segeval={"weights": "scaled", "matching": "greedy", "substitution": "ordinal"},
    fournier2012={"weights": "te", "n_t": 2, "matching": "fournier2012"},
)
# segeval's types are numbers, which it prices by value.
_LIKE_B = Presets(stops=_STOPS, segeval={"matching": "greedy", "substitution": "ordinal"})


def _edit_bounds(stated: Stated, columns: Mapping[str, Values], n_t: int, matching: str) -> Bounds:
    """Every boundary of a side is in one edit or match.

    Windows of ``fournier2012`` are one transposition of several boundaries.
    """
    matches, moved, changed = (
        columns[name] for name in ("matches", "transpositions", "substitutions")
    )
    least, most = stated.boundaries(typed=True)
    windows = matching == "fournier2012"
    paired = matches + moved + changed
    return {
        "matches": (0, most),
        "missing": (0 if windows else np.maximum(least - paired, 0), most - paired),
        "extra": (0, stated.most_boundaries(typed=True) - paired),
        "transpositions": (0, most - matches - changed),
        "distance": (moved, moved * (stated.units if windows else n_t - 1)),
        "substitution_parts": (0, changed * PARTS),
    }


def _s_bounds(stated: Stated, columns: Mapping[str, Values], n_t: int, matching: str) -> Bounds:
    """As those of B; a transposition costs 1 to 2 edits, or as many as a window has boundaries."""
    moved, places = columns["transpositions"], columns["places"]
    least, most = stated.positions
    per_position = _common(places, most, stated)
    dearest: Any = 2 - 0.5 ** max(n_t - 2, 0)
    if matching == "fournier2012":
        dearest = 2 * stated.most_boundaries(typed=True)
    return {
        **_edit_bounds(stated, columns, n_t, matching),
        "te_parts": (TE_PARTS * moved, TE_PARTS * dearest * moved),
        "places": (least * per_position, most * per_position),
    }


def _common(places: Values, positions: Any, stated: Stated) -> float:
    """Return how many types a position has in most texts, which is the same in all."""
    use = stated.alone & (positions > 0)
    if stated.types == 0 or not use.any():
        return max(stated.types, 1)
    found, times = np.unique(places[use] // positions[use], return_counts=True)
    return float(min(max(found[times.argmax()], 1), stated.types))


def _s_value(
    missing: Values,
    extra: Values,
    transpositions: Values,
    distance: Values,
    te_parts: Values,
    substitutions: Values,
    substitution_parts: Values,
    places: Values,
    weights: str,
    n_t: int,
    w_sub: float,
    w_trp: float,
) -> Values:
    swaps = {"te": te_parts / TE_PARTS, "scaled": distance / n_t, "unit": transpositions}[weights]
    changes = substitution_parts / PARTS if weights == "scaled" else substitutions
    # Not 1 - cost/places: costs are short binary numbers, so this is rounded once.
    return (places - w_sub * (missing + extra + changes) - w_trp * swaps) / places


@metric(
    title="S",
    aliases=("S",),
    cite="Fournier & Inkpen (2012), NAACL-HLT",
    counts=COLUMNS,
    value=_s_value,
    better="higher",
    symmetric=True,
    sees="kinds",
    edits=_s_edits,
    notes=_notes,
    facts=_divided_types,
    order=_order,
    divisor="places",
    reach=_reach,
    bounds=_s_bounds,
    single=lambda n_t, matching, **_: _core.single_s(n_t, MATCHINGS.index(matching)),
)
def segmentation_similarity(
    pairs: Pairs,
    *,
    n_t: Annotated[int, NEAR_MISS_LIMIT] = 2,
    weights: Annotated[str, _WEIGHTS] = "te",
    w_sub: Annotated[float, _W_SUB] = 1.0,
    w_trp: Annotated[float, _W_TRP] = 1.0,
    matching: Annotated[str, _MATCHING_OF_S] = "optimal",
    substitution: Annotated[Any, _SUBSTITUTION] = "auto",
    types: Annotated[Any, _TYPES] = None,
    like: Annotated[str | None, _LIKE_S] = None,
) -> Counts:
    r"""Share of the possible boundaries that need no edit.

    .. math:: S = 1 - \frac{w_{sub} (A + S_u) + w_{trp} \sum te(d)}{t\,(N-1)},
              \quad te(d) = 2 - (1/2)^{d-1}

    A counts additions, S_u substitutions of types, d runs over transpositions (near misses) with
    their distance, t is the number of types and N of units. 1 is perfect, 0 is worst; undefined for
    a text of one unit. With ``weights="scaled"`` a substitution has the price it has in B. Equal to
    the 2012 paper at n_t 2. For larger n_t its own method is ``matching="fournier2012"``: it looks
    for windows of 2 to n_t positions, without overlap, in which one side is the mirror image of the
    other. All b differing boundaries of a window of n positions are one transposition of te(n, b) =
    b - (1/b)^(n-2). The windows with the most boundaries are kept; then (the paper leaves it open)
    then by least te, the fewest, the left-most. Known weakness: it divides by all positions, so
    sparse boundaries score high whatever they are; prefer B.

    >>> from fencepost import segmentation_similarity
    >>> s = segmentation_similarity([1, 2, 2, 3, 3, 1, 2], [1, 2, 1, 2, 6, 2])
    >>> round(s, 4), s.counts["transpositions"], s.counts["missing"] + s.counts["extra"]
    (0.6923, 1, 3)
    """
    return _core.s_counts(pairs.rows, *_settings(pairs, n_t, matching, substitution, types))


def _by_credit(whole: Callable[[Values, Values, Values, float], Values]) -> Callable[..., Values]:
    """Make a value: what is right about the boundaries, divided by a number of boundaries.

    Near misses and substitutions have credit in part. ``whole`` takes the boundaries that have a
    partner, the missing ones, the extra ones, and beta squared (0 for a metric without beta).
    """

    def value(
        matches: Values,
        missing: Values,
        extra: Values,
        transpositions: Values,
        distance: Values,
        substitutions: Values,
        substitution_parts: Values,
        n_t: int,
        beta: float | None,
    ) -> Values:
        # n_t times the credit is a whole number where no kinds are substituted: rounded once.
        kinds = substitutions - substitution_parts / PARTS
        credit = n_t * (matches + transpositions) - distance + n_t * kinds
        b2 = 0 if beta is None else beta * beta
        paired = matches + transpositions + substitutions
        divisor = n_t * whole(paired, missing, extra, b2)
        return share((1 + b2) * credit, divisor, paired + extra + missing == 0)

    return value


def _weighted(
    pairs: Pairs, *, n_t: int, matching: str, substitution: Any, types: str | None, **_: Any
) -> Counts:
    if matching != "optimal" or substitution != "auto" or types is not None:
        raise MetricError(
            "boundaries with weights have no types and are matched optimally: remove matching, "
            "substitution and types from the settings of B"
        )
    return _core.weighted_b_counts(pairs.rows, n_t)


# What B and its precision, recall and F declare alike.
_OF_B: dict[str, Any] = {
    "cite": "Fournier (2013), ACL",
    "counts": _B_COUNTS,
    "better": "higher",
    "sees": "kinds",
    "notes": _notes,
    "order": _order,
    "reach": _reach,
    "bounds": _edit_bounds,
    "single": lambda n_t, matching, **_: _core.single_b(n_t, MATCHINGS.index(matching)),
    "weighted": _weighted,
}


@metric(
    title="B",
    aliases=("B",),
    value=_by_credit(lambda paired, missing, extra, _: paired + missing + extra),
    symmetric=True,
    edits=_b_edits,
    **_OF_B,
)
def boundary_similarity(
    pairs: Pairs,
    *,
    n_t: Annotated[int, NEAR_MISS_LIMIT] = 2,
    matching: Annotated[str, PAIRING] = "optimal",
    substitution: Annotated[Any, _SUBSTITUTION] = "auto",
    types: Annotated[Any, _TYPES] = None,
    like: Annotated[str | None, _LIKE_B] = None,
) -> Counts:
    r"""Share of the boundaries that are right, near misses counted in part.

    .. math:: B = 1 - \frac{A + \sum d/n_t + \sum s}{A + T + S_u + M}

    M counts matches, A additions, T transpositions (near misses) with their distances d, S_u
    substitutions with their prices s. 1 is perfect, 0 is worst; 1 where neither side has a
    boundary. With the default n_t 2 a boundary one position off costs 0.5. Matches are taken first;
    given those, the pairing of near misses is the cheapest one (``matching="greedy"`` takes the
    nearest first, as segeval does). Boundary types that are numbers cost their difference /
    (largest - smallest + 1), names cost as much by their ranks in ``types="minor<major"``; names
    without an order cost 1/2. Known weakness: a boundary that is n_t positions off costs as much as
    any other, and short and long segments are treated alike (diaz2022).

    >>> from fencepost import boundary_similarity
    >>> b = boundary_similarity([5, 5, 1, 3], [5, 4, 1, 4])
    >>> b.value
    0.5
    >>> [(e.what, e.ref, e.hyp) for e in b.edits if e.what != "match"]
    [('addition', None, 9), ('addition', 11, None)]
    """
    return _core.b_counts(pairs.rows, *_settings(pairs, n_t, matching, substitution, types))


@metric(
    title="B precision",
    value=_by_credit(lambda paired, _, extra, __: paired + extra),
    edits=_b_edits,
    **_OF_B,
)
def b_precision(
    pairs: Pairs,
    *,
    n_t: Annotated[int, NEAR_MISS_LIMIT] = 2,
    matching: Annotated[str, PAIRING] = "optimal",
    substitution: Annotated[Any, _SUBSTITUTION] = "auto",
    types: Annotated[Any, _TYPES] = None,
) -> Counts:
    r"""Share of the hypothesis' boundaries that are right, near misses counted in part.

    .. math:: P = \frac{M + \sum (1 - d/n_t) + \sum (1 - s)}{|H|}

    M counts matches, d are the distances of near misses, s the prices of substituted types, H the
    hypothesis' boundaries. 1 is perfect, 0 is worst; 1 where neither side has a boundary, 0 where
    only one has. Known weakness: one certain boundary is perfect; read it beside recall. (segeval
    credits a near miss with its error instead, and swaps missing and extra boundaries.)

    >>> from fencepost import b_precision
    >>> b_precision([5, 5, 1, 3], [4, 6, 4]).value
    0.75
    """
    return _core.b_counts(pairs.rows, *_settings(pairs, n_t, matching, substitution, types))


@metric(
    title="B recall",
    value=_by_credit(lambda paired, missing, _, __: paired + missing),
    edits=_b_edits,
    **_OF_B,
)
def b_recall(
    pairs: Pairs,
    *,
    n_t: Annotated[int, NEAR_MISS_LIMIT] = 2,
    matching: Annotated[str, PAIRING] = "optimal",
    substitution: Annotated[Any, _SUBSTITUTION] = "auto",
    types: Annotated[Any, _TYPES] = None,
) -> Counts:
    r"""Share of the reference's boundaries that were found, near misses counted in part.

    .. math:: R = \frac{M + \sum (1 - d/n_t) + \sum (1 - s)}{|R|}

    M counts matches, d are the distances of near misses, s the prices of substituted types, R the
    reference's boundaries. 1 is perfect, 0 is worst; 1 where neither side has a boundary, 0 where
    only one has. Known weakness: a boundary everywhere is perfect; read it beside precision.

    >>> from fencepost import b_recall
    >>> b_recall([5, 5, 1, 3], [4, 6, 4]).value
    0.5
    """
    return _core.b_counts(pairs.rows, *_settings(pairs, n_t, matching, substitution, types))


@metric(
    title="B F",
    # (1 + b2) P R / (b2 P + R) with P = credit/|H| and R = credit/|R|.
    value=_by_credit(lambda paired, missing, extra, b2: b2 * (paired + missing) + (paired + extra)),
    symmetric=True,
    edits=_b_edits,
    **_OF_B,
)
def b_f(
    pairs: Pairs,
    *,
    n_t: Annotated[int, NEAR_MISS_LIMIT] = 2,
    beta: Annotated[float, BETA] = 1.0,
    matching: Annotated[str, PAIRING] = "optimal",
    substitution: Annotated[Any, _SUBSTITUTION] = "auto",
    types: Annotated[Any, _TYPES] = None,
) -> Counts:
    r"""Weighted harmonic mean of B precision and B recall.

    .. math:: F_\beta = \frac{(1 + \beta^2)\, c}{\beta^2 |R| + |H|},
              \quad c = M + \sum (1 - d/n_t) + \sum (1 - s)

    M counts matches, d are the distances of near misses, s the prices of substituted types, R and H
    the two sides' boundaries. 1 is perfect, 0 is worst; 1 where neither side has a boundary, 0
    where only one has. Known weakness: like B it takes no account of the size of segments.

    >>> from fencepost import b_f
    >>> b_f([5, 5, 1, 3], [4, 6, 4]).value
    0.6
    """
    return _core.b_counts(pairs.rows, *_settings(pairs, n_t, matching, substitution, types))
