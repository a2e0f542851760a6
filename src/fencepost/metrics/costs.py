"""What it costs to confuse kinds of boundaries with each other, or with none, and to move them."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from fencepost.files import read_whole
from fencepost.model.checks import MetricError
from fencepost.model.pairs import number_of

if TYPE_CHECKING:
    from fractions import Fraction

NONE = "none"  # the name of "no boundary" in dicts and files
Square = npt.NDArray[np.float64]


class CostsError(MetricError):
    """Not a matrix of similarities."""


class CostsWarning(UserWarning):
    """Costs that can surprise."""


def short_digest(plain: Any) -> str:
    """Return eight characters that stand for data that JSON can write."""
    import json

    from fencepost.model.hashing import blake2b

    return blake2b(json.dumps(plain).encode(), digest_size=4).hexdigest()


def is_pair_of_names(pair: object) -> bool:
    """Return whether this is a tuple of two names, as costs are given for."""
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(n, str) for n in pair)


def numbers_of(
    names: Sequence[str], instead: str = "choose substitution=nominal"
) -> dict[str, int | Fraction]:
    """Return the numbers that types are called by; MetricError for other names.

    ``instead`` is what else the reader can do.
    """
    values = {name: number for name in names if (number := number_of(name)) is not None}
    if len(values) < len(names):
        raise MetricError(
            "these boundary types have no order, which ordinal prices need: "
            f"{how_to_declare(names)}, or {instead}"
        )
    return values


def check_types(names: Sequence[str]) -> None:
    """Raise MetricError for more types than every two of them can have a price."""
    if len(names) > MAX_TYPES:
        raise MetricError(
            f"there are {len(names):,} boundary types, and every two of them have a price: at most "
            f"{MAX_TYPES:,} are allowed. Words or ids are no types: fencepost look FILE shows what "
            "was read. Metrics of positions do without types: -m pk windowdiff F"
        )


def how_to_declare(names: Sequence[str]) -> str:
    """Return a hint that cannot be pasted as it is: only the reader knows the order."""
    return f'declare it with --types "LEAST<...<GREATEST" (types= in Python) of {" ".join(names)}'


# Costs in use, by digest: a signature names them so, and is read back. The last ones that were made
# are kept although nobody holds them, for signatures of a moment ago.
MADE: WeakValueDictionary[str, Costs] = WeakValueDictionary()
MAX_KEPT_COSTS = 64
MAX_TYPES = 2_000  # of boundaries: S_f needs 200 MB for the square of their prices
_KEPT: deque[Costs] = deque(maxlen=MAX_KEPT_COSTS)


@dataclass(frozen=True, eq=False)
class Costs:
    """Similarities of boundary types and of "no boundary", and the cost of moving each type by one
    unit.

    ``similarity`` is square, within [0, 1], with 1 on the diagonal; its last row and column stand
    for no boundary. A substitution costs 1 - similarity, deleting or inserting a boundary likewise
    with "no boundary". Moving by one unit costs, by default, half of deleting.

    >>> costs = Costs.from_dict({("p", "q"): 0.5, ("p", "none"): 0.25})
    >>> costs  # doctest: +ELLIPSIS
    <Costs of 2 boundary types p, q: ...>
    >>> costs.similarity.tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.0], [0.25, 0.0, 1.0]]
    >>> costs.moving.tolist()
    [0.375, 0.5]
    """

    kinds: tuple[str, ...] | None  # None: whatever kinds there are, all different
    similarity: Square
    moving: npt.NDArray[np.float64]
    name: str

    def __post_init__(self) -> None:
        for field in ("similarity", "moving"):
            array = np.array(getattr(self, field), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, field, array)
        if not self.name:
            object.__setattr__(self, "name", self.digest)
        if self.kinds is not None and self.name == self.digest:
            _KEPT.append(MADE.setdefault(self.name, self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Costs, (self.kinds, self.similarity, self.moving, self.name)

    @classmethod
    def identity(cls) -> Costs:
        """Return costs by which a type is like itself and like nothing else; for any types."""
        return cls(None, np.eye(1), np.array([0.5]), "identity")

    @classmethod
    def positions(cls) -> Costs:
        """Return costs by which only positions matter; for any types."""
        return cls(None, np.ones((1, 1)), np.array([0.5]), "positions")

    @classmethod
    def levels(cls, order: str | None = None) -> Costs:
        """Return costs of ordered types: their distance / (largest - smallest + 1), as in B.

        A boundary that is a level too fine or too coarse costs less than a missing one. Without an
        order, types are numbers; names need one, ``"section<chapter<part"``.
        """
        if order is None:
            return cls(None, np.eye(1), np.array([0.5]), "levels")
        names = tuple(name.strip() for name in order.split("<"))
        if len(set(names)) < max(2, len(names)) or not all(names) or NONE in names:
            raise CostsError(
                f'levels are different names in order, such as "section<chapter", found {order!r}'
            )
        square = _by_distance(range(len(names)))
        return cls(names, square, _half_of_deleting(square), f"levels:{'<'.join(names)}")

    @classmethod
    def lai2023(cls) -> Costs:
        """Return the matrix of lai2023, section 4.2, as its prose says.

        Boundary types ``.`` (falling), ``,`` (continuing), ``?`` (rising), ``+`` (truncated) and
        ``;`` (unclassified, like everything). The authors ran it with comma and period exchanged:
        :meth:`lai2023_as_run`.
        """
        return cls(tuple(".,?+;"), _LAI2023, _half_of_deleting(_LAI2023), "lai2023")

    @classmethod
    def lai2023_as_run(cls) -> Costs:
        """Return the same numbers with comma and period exchanged, as the authors' figures need."""
        return cls(tuple(",.?+;"), _LAI2023, _half_of_deleting(_LAI2023), "lai2023-as-run")

    @classmethod
    def from_matrix(
        cls,
        kinds: Sequence[str],
        similarity: Any,
        *,
        moving: Mapping[str, float] | None = None,
        symmetric: bool = True,
    ) -> Costs:
        """From a square of similarities, its last row and column standing for no boundary.

        ``moving`` gives the cost of moving a type by one unit, where it is not half of deleting it.
        A matrix that is not symmetric must be said to be so with ``symmetric=False``.
        """
        names = tuple(kinds)
        if NONE in names:
            raise CostsError(f'a boundary type cannot be named "{NONE}": that means no boundary')
        if len(set(names)) != len(names) or not all(isinstance(n, str) and n for n in names):
            raise CostsError(f"kinds (boundary types) must be different names, found {names}")
        square = _square(names, similarity, symmetric)
        moves = _half_of_deleting(square)
        for kind, cost in (moving or {}).items():
            if kind not in names:
                raise CostsError(f"a moving cost is given for {kind!r}, which is not among {names}")
            if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost < 1e6:
                raise CostsError(f"the cost of moving {kind!r} must be from 0 up, found {cost!r}")
            moves[names.index(kind)] = float(cost)
        made = cls(names, square, moves, "")
        made._warn()
        return made

    @classmethod
    def from_dict(
        cls,
        similarity: Mapping[tuple[str, str], float],
        *,
        moving: Mapping[str, float] | None = None,
        symmetric: bool = True,
    ) -> Costs:
        """From ``{("p", "q"): 0.5, ("p", "none"): 0.25}``; what is not given is 0.

        Each pair counts in both directions unless ``symmetric=False``.
        """
        for pair in similarity:
            if not is_pair_of_names(pair):
                raise CostsError(
                    f"similarities are given for two boundary types each, found {pair!r}"
                )
        names = [n for n in dict.fromkeys(n for pair in similarity for n in pair) if n != NONE]
        names += [n for n in moving or {} if n not in names]
        number = {name: i for i, name in enumerate([*names, NONE])}
        square = np.eye(len(number))
        for (a, b), value in similarity.items():
            square[number[a], number[b]] = _number(value, f"{a!r} and {b!r}")
            if symmetric and (b, a) not in similarity:
                square[number[b], number[a]] = square[number[a], number[b]]
        return cls.from_matrix(names, square, moving=moving, symmetric=symmetric)

    @classmethod
    def from_frame(cls, frame: Any, *, symmetric: bool = True) -> Costs:
        """From a data frame: names as its index (or first column) and as its columns.

        A row and a column ``none`` stand for no boundary; a column ``move`` is optional.
        """
        if hasattr(frame, "to_pandas"):
            frame = frame.to_pandas()
        if not len(frame.columns):
            raise CostsError("the data frame: it is empty")
        if frame.index.dtype.kind in "iu":  # the names are a column
            frame = frame.set_index(frame.columns[0])
        rows = [[name, *values] for name, *values in frame.itertuples(name=None)]
        return cls._from_rows([str(c) for c in frame.columns], rows, "the data frame", symmetric)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, symmetric: bool = True) -> Costs:
        """From a file: a square CSV with names, or JSON ``{"p": {"q": 0.5, "move": 0.4}}``.

        Between the columns are commas, or semicolons or tabs, where numbers may have decimal
        commas, as Excel writes them in many countries.
        """
        import csv

        name = os.path.basename(path)
        try:
            text = read_whole(path, CostsError).decode("utf-8-sig")
            if text.lstrip().startswith("{"):
                return cls._from_json(text, name, symmetric)
            lines = _table(text)
        except (UnicodeDecodeError, csv.Error) as error:
            raise CostsError(f"{path} is not a table of costs in UTF-8: {error}") from None
        if not lines:
            raise CostsError(f"{name} is empty")
        return cls._from_rows([c.strip() for c in lines[0][1:]], lines[1:], name, symmetric)

    @classmethod
    def _from_json(cls, text: str, where: str, symmetric: bool) -> Costs:
        import json

        try:
            data = json.loads(text, object_pairs_hook=_different)
        except CostsError as error:
            raise CostsError(f"{where}: {error}") from None
        except (ValueError, RecursionError) as error:
            raise CostsError(f"{where}: not JSON that can be read: {error}") from None
        names = [n for n in data if n != NONE]
        columns = [*names, NONE]
        rows = []
        for name, own in data.items():
            if not isinstance(own, dict):
                raise CostsError(
                    f"{where}: {name!r} needs an object of similarities, found {own!r:.40}"
                )
        for name in columns:
            own = data.get(name, {})
            unknown = [k for k in own if k not in (*columns, "move")]
            if unknown:
                raise CostsError(
                    f"{where}: {name!r} names {unknown[0]!r}, which is no boundary type of the file"
                )
            values = [own.get(c, data.get(c, {}).get(name, float(c == name))) for c in columns]
            rows.append([name, *values, own.get("move", "")])
        return cls._from_rows([*columns, "move"], rows, where, symmetric)

    @classmethod
    def _from_rows(
        cls, columns: list[str], rows: list[list[Any]], where: str, symmetric: bool
    ) -> Costs:
        names = [str(row[0]).strip() for row in rows]
        kinds = [n for n in names if n != NONE]
        for what, found in (("row", names), ("column", columns)):
            if NONE not in found:
                raise CostsError(f'{where}: a {what} "{NONE}" for no boundary is missing')
            twice = [name for name in found if found.count(name) > 1]
            if twice:
                raise CostsError(f"{where}: a row or column {twice[0]!r} stands twice")
        for name, row in zip(names, rows, strict=True):
            if any(str(cell).strip() for cell in row[len(columns) + 1 :]):
                raise CostsError(
                    f"{where}: the row of {name!r} has {len(row) - 1} cells, "
                    f"the first line {len(columns)}"
                )
        odd = set(columns) - {"move"} ^ set(names)
        if odd:
            raise CostsError(
                f"{where}: rows and columns name different boundary types: {', '.join(sorted(odd))}"
            )
        cells = {
            (n, c): v
            for n, row in zip(names, rows, strict=True)
            for c, v in zip(columns, row[1:], strict=False)
        }
        order = [*kinds, NONE]
        square = [
            [_number(cells.get((a, b), ""), f"{where}: {a!r} and {b!r}") for b in order]
            for a in order
        ]
        moving = {
            kind: _number(cells[kind, "move"], f"{where}: moving {kind!r}", "up")
            for kind in kinds
            if str(cells.get((kind, "move"), "")).strip() not in ("", "nan", "None", "<NA>")
        }
        try:
            return cls.from_matrix(kinds, square, moving=moving, symmetric=symmetric)
        except CostsError as error:
            raise CostsError(f"{where}: {error}") from None

    @classmethod
    def from_confusions(cls, pairs: Iterable[tuple[Any, Any]], *, shrinkage: float = 0.0) -> Costs:
        """Learn similarities from pairs of expert segmentations of the same texts.

        s_ab = 2 n_ab / (n_a + n_b), over all positions. n_ab is how often one expert has a where
        the other has b (none included, both directions), n_a and n_b how often each occurs. The
        diagonal is 1. ``shrinkage`` pulls the rest towards 0 (1 gives the identity).
        """
        from fencepost.model.segmentation import as_segmentation

        if not isinstance(shrinkage, (int, float)) or not 0 <= shrinkage <= 1:
            raise CostsError(f"shrinkage must be from 0 to 1, found {shrinkage!r}")
        counts: Counter[tuple[str, str]] = Counter()
        names: dict[str, None] = {}
        for first, second in pairs:
            a, b = as_segmentation(first), as_segmentation(second)
            if a.units != b.units:
                raise CostsError(f"two experts' texts have {a.units} and {b.units} units")
            if a.kinds is None or b.kinds is None:
                raise CostsError(
                    "similarities are learned from boundary types; these segmentations have none"
                )
            names.update(dict.fromkeys((*(a.kind_names or ()), *(b.kind_names or ()))))
            counts.update(zip(_one_a_place(a), _one_a_place(b), strict=True))
        if not counts:
            raise CostsError("no pairs of segmentations to learn from")
        order = [*names, NONE]
        square = np.zeros((len(order), len(order)))
        for (x, y), n in counts.items():
            square[order.index(x), order.index(y)] += n
        both = square + square.T
        total = both.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            similarity = np.nan_to_num(2 * both / (total[:, None] + total[None, :]))
        similarity = np.minimum(similarity * (1 - shrinkage), 1.0)
        np.fill_diagonal(similarity, 1.0)
        return cls.from_matrix(list(names), similarity)

    @property
    def are_levels(self) -> bool:
        """Whether types are priced by their distance as levels, numbered or in a given order."""
        return self.name.partition(":")[0] == "levels"

    @cached_property
    def digest(self) -> str:
        """Eight characters that identify these costs, whatever the order of types."""
        if self.kinds is None:
            return self.name

        order = sorted(range(len(self.kinds)), key=lambda i: (self.kinds or ())[i])
        full = [*order, len(self.kinds)]
        plain = [
            [self.kinds[i] for i in order],
            self.similarity[np.ix_(full, full)].tolist(),
            self.moving[order].tolist(),
        ]
        return short_digest(plain)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Costs) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        if self.kinds is None:
            return f"<Costs {self.name}, for any boundary types>"
        return f"<Costs of {len(self.kinds)} boundary types {', '.join(self.kinds)}: {self.name}>"

    def for_kinds(self, names: Sequence[str]) -> tuple[Square, npt.NDArray[np.float64]]:
        """Return the square and the moving costs for these types, in their order."""
        n = len(names)
        if self.kinds is None:
            square = np.eye(n + 1)
            if self.name == "positions":
                square[:n, :n] = 1.0
            elif self.name == "levels":
                numbers = numbers_of(names, "choose other costs")
                square = _by_distance([numbers[name] for name in names])
            return square, np.full(n, 0.5)
        for name in names:
            if name not in self.kinds:
                raise CostsError(
                    f"the boundary type {name!r} is not in the costs, which know "
                    f"{', '.join(self.kinds)}"
                )
        order = [self.kinds.index(name) for name in names]
        full = [*order, len(self.kinds)]
        return self.similarity[np.ix_(full, full)], self.moving[order]

    def substitutions(self) -> dict[tuple[str, str], float] | None:
        """Return 1 - similarity of every two types, as B prices them; None for any types."""
        if self.kinds is None:
            return None
        prices = 1 - self.similarity
        names = list(enumerate(self.kinds))
        return {(a, b): float(prices[i, j]) for i, a in names for j, b in names if i < j}

    def _warn(self) -> None:
        cost = 1 - self.similarity
        names = self.kinds or ()
        dear = [
            f"{a} by {b}"
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i != j and cost[i, j] > cost[i, -1] + cost[-1, j] + 1e-12
        ]
        if dear:
            warnings.warn(
                f"substituting {', '.join(dear[:3])} costs more than deleting and inserting",
                CostsWarning,
                stacklevel=4,
            )


def _one_a_place(seg: Any) -> list[str]:
    marks = seg.marks
    if any(isinstance(mark, tuple) for mark in marks):
        raise CostsError(
            "a position has several types; costs are learned from one boundary per position"
        )
    return [mark or NONE for mark in marks]


def _table(text: str) -> list[list[str]]:
    """Return the rows of a table; what is between columns shows in the first line.

    A boundary type may itself be called ``,`` or ``;``, so the sign must set ``none`` apart.
    """
    import csv

    lines = [line for line in text.splitlines() if line.strip()]
    for sign in ",;\t":
        rows = [row for row in csv.reader(lines, delimiter=sign) if any(map(str.strip, row))]
        if rows and NONE in map(str.strip, rows[0]):
            decimal_commas = sign != ","
            return [[c.strip() for c in rows[0]], *(_row(r, decimal_commas) for r in rows[1:])]
    return list(csv.reader(lines))


def _row(cells: list[str], decimal_commas: bool) -> list[str]:
    """Return the name of a row and its numbers, with points for decimal commas."""
    if not decimal_commas:
        return cells
    return [*cells[:1], *(re.sub(r"^(\s*\d+),(\d+\s*)$", r"\1.\2", cell) for cell in cells[1:])]


def _number(value: Any, where: str, high: str = "to 1") -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise CostsError(f"{where} must have a number from 0 {high}, found {value!r}") from None


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of a JSON file, whose names must differ."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise CostsError(f"{next(n for n in names if names.count(n) > 1)!r} stands twice")
    return made


def _by_distance(values: Sequence[Any]) -> Square:
    """Return similarities of types on a scale; none of them is like no boundary."""
    span = max(values, default=0) - min(values, default=0) + 1
    square = np.eye(len(values) + 1)
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            square[i, j] = 1 - float(abs(a - b) / span)
    return square


def _half_of_deleting(square: Square) -> npt.NDArray[np.float64]:
    return np.asarray((1 - square[:-1, -1]) / 2)


def _square(names: tuple[str, ...], similarity: Any, symmetric: bool) -> Square:
    try:
        square = np.array(similarity, dtype=np.float64)
    except (TypeError, ValueError):
        raise CostsError("similarities must be a square of numbers") from None
    size = len(names) + 1
    if square.shape != (size, size):
        raise CostsError(
            f"{len(names)} boundary types and no boundary need a square of {size} by {size}, "
            f"found {' by '.join(map(str, square.shape))}"
        )
    labels = [*names, NONE]
    outside = ~((square >= 0) & (square <= 1))
    if outside.any():
        i, j = (int(x) for x in np.argwhere(outside)[0])
        raise CostsError(
            f"the similarity of {labels[i]!r} and {labels[j]!r} must be from 0 to 1, "
            f"found {square[i, j]:g}"
        )
    if (np.diag(square) != 1).any():
        i = int(np.argmax(np.diag(square) != 1))
        raise CostsError(f"{labels[i]!r} must be like itself: 1, found {square[i, i]:g}")
    if symmetric and (square != square.T).any():
        i, j = (int(x) for x in np.argwhere(square != square.T)[0])
        raise CostsError(
            f"{labels[i]!r} and {labels[j]!r} have two different similarities "
            f"({square[i, j]:g} and {square[j, i]:g}). If that is meant: -m Sf:symmetric=no "
            "--costs FILE, or symmetric=False in Python"
        )
    return square


# lai2023, section 4.2: falling, continuing, rising, truncated, unclassified, none.
_LAI2023: Square = np.array(
    [
        [1, 0.5, 0.25, 0.25, 1, 0],
        [0.5, 1, 0.5, 0.5, 1, 0.25],
        [0.25, 0.5, 1, 0.25, 1, 0],
        [0.25, 0.5, 0.25, 1, 1, 0.25],
        [1, 1, 1, 1, 1, 1],
        [0, 0.25, 0, 0.25, 1, 1],
    ]
)

NAMED = {
    "identity": Costs.identity,
    "positions": Costs.positions,
    "levels": Costs.levels,
    "lai2023": Costs.lai2023,
    "lai2023-as-run": Costs.lai2023_as_run,
}
