"""A: align every segment with the one it overlaps most on the other side, and weigh the edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.costs import short_digest
from fencepost.metrics.registry import Counts, Values, metric
from fencepost.metrics.settings import Choice, Number
from fencepost.model.checks import MetricError
from fencepost.model.edits import Edge, Label
from fencepost.model.pairs import Pairs

WEIGHTS = ("jaccard", "dice", "overlap", "rand", "intersect")
GIVEN = len(WEIGHTS)  # the kernel's number of a function
SCORINGS = ("mean", "best", "fan-out")
TIES = ("jaccard", "jaccard-right", "left", "right")
LABELS: tuple[Label, ...] = ("match", "shift", "split", "merge", "mixed")

SegmentFunction = Callable[[range, range], float]
# Functions in use, by what a signature calls them, so that it can be read back.
FUNCTIONS: WeakValueDictionary[str, Any] = WeakValueDictionary()


def _name_of(function: Any) -> str:
    """Return the name of a function and a digest of its code, as a signature writes them."""
    code = getattr(function, "__code__", None)
    plain = repr(function) if code is None else [code.co_code.hex(), repr(code.co_consts)]
    return f"{getattr(function, '__name__', 'function').strip('<>')}@{short_digest(plain)}"


class OfSegments(Choice):
    """A named function of two segments, or a Python function of them, for study."""

    def check(self, name: str, value: Any) -> Any:
        """Accept a name, a function, or what a signature calls a function that is in use."""
        if isinstance(value, str) and value in FUNCTIONS:
            return FUNCTIONS[value]
        if not callable(value):
            return super().check(name, value)
        FUNCTIONS[_name_of(value)] = value
        return value

    def lasting(self, value: Any) -> bool:
        """Keep recipes with a name alone: a function lives as long as somebody uses it."""
        return isinstance(value, str) and value in self.choices

    def show(self, value: Any) -> str:
        """Write the name, with a digest of the code if it is a function."""
        return _name_of(value) if callable(value) else str(value)

    def accepts(self) -> str:
        """Say both forms."""
        return f"{super().accepts()}, or a Python function of two segments (ranges of units)"


@dataclass(frozen=True)
class _Kernel:
    """The settings as the kernel takes them."""

    weight: str | SegmentFunction
    edges: str
    threshold: float | None
    scoring: str
    closeness: str | SegmentFunction
    ties: str
    alignment: str

    def __post_init__(self) -> None:
        if self.weight == "intersect" and self.edges != "directed":
            raise MetricError('the weight "intersect" has a direction: it needs edges="directed"')
        if self.edges == "directed" and self.scoring != "mean":
            raise MetricError(
                f'scoring "{self.scoring}" looks at edges without direction: it needs edges="once"'
            )
        if self.alignment == "global":
            if self.edges == "directed":
                raise MetricError(
                    'alignment="global" has edges without direction: it needs edges="once"'
                )
            if (self.closeness, self.ties) != ("intersect", "jaccard"):
                raise MetricError(
                    'alignment="global" looks for the largest mean weight: closeness and ties do '
                    "not apply; remove them, or choose a weight"
                )

    @property
    def functions(self) -> bool:
        """Whether a Python function is among them."""
        return callable(self.weight) or callable(self.closeness)

    @property
    def chosen(self) -> dict[str, Any]:
        """Return what counting and listing share."""
        number = {name: n for n, name in enumerate(WEIGHTS)}
        return {
            "weight": number.get(self.weight, GIVEN),  # type: ignore[arg-type]
            "threshold": self.threshold or 0.0,
            "closeness": number.get(self.closeness, GIVEN),  # type: ignore[arg-type]
            "ties": TIES.index(self.ties),
            "globally": self.alignment == "global",
        }

    @property
    def counting(self) -> dict[str, Any]:
        """Return what counting takes besides."""
        return {"scoring": SCORINGS.index(self.scoring), "directed": self.edges == "directed"}

    def each(self, pairs: Pairs) -> list[tuple[Any, npt.NDArray[np.float64]]]:
        """Return rows for the kernel with what functions say about them.

        All rows at once, or one by one if a function must be asked.
        """
        if not self.functions:
            return [(pairs.rows, np.empty((0, 4)))]
        return [self._asked(pairs, row) for row in range(len(pairs))]

    def _asked(self, pairs: Pairs, row: int) -> tuple[Any, npt.NDArray[np.float64]]:
        """Ask the functions about every overlap of one pair, from both sides."""
        functions = (self.closeness, False), (self.weight, True)
        sides = [pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp")]
        spans = [
            [range(a, b) for a, b in pairwise([0, *seg.cuts.tolist(), seg.units])] for seg in sides
        ]
        overlaps = [
            (p, q) for p in spans[0] for q in spans[1] if p.start < q.stop and q.start < p.stop
        ]
        asked = [
            [
                _ask(function, *two, bounded)
                for function, bounded in functions
                for two in (o, o[::-1])
            ]
            for o in overlaps
        ]
        one = Pairs.from_segmentations(sides[:1], sides[1:])
        return one.rows, np.array(asked, dtype=np.float64)


def _ask(function: str | SegmentFunction, p: range, q: range, bounded: bool) -> float:
    """Return what a function says about two segments; 0 for a name, which the kernel knows."""
    if isinstance(function, str):
        return 0.0
    try:
        value = float(function(p, q))
    except Exception as error:  # a user's function may fail in any way; say where
        raise MetricError(
            f"{_name_of(function)} failed on {p} and {q}: {type(error).__name__}: {error}"
        ) from error
    if not (0 <= value <= 1 if bounded else math.isfinite(value)):
        wanted = "a number from 0 to 1" if bounded else "a finite number"
        raise MetricError(
            f"{_name_of(function)} must return {wanted}, found {value!r} for {p} and {q}"
        )
    return value


def _edges(pairs: Pairs, **settings: Any) -> list[tuple[Edge, ...]]:
    kernel = _Kernel(**settings)
    listed: list[tuple[Edge, ...]] = []
    for rows, given in kernel.each(pairs):
        offsets, numbers, weights = _core.align_list(rows, **kernel.chosen, given=given)
        edges = [
            Edge(ref, hyp, (ref_start, ref_end), (hyp_start, hyp_end), w, LABELS[label])
            for (ref, hyp, ref_start, ref_end, hyp_start, hyp_end, label), w in zip(
                numbers.tolist(), weights.tolist(), strict=True
            )
        ]
        listed += [tuple(edges[a:b]) for a, b in pairwise(offsets.tolist())]
    return listed


def _single(**settings: Any) -> Any:
    """Return the native counter of single pairs; None if a function must be asked."""
    kernel = _Kernel(**settings)
    if kernel.functions:
        return None
    return _core.single_alignment(**kernel.chosen, **kernel.counting)


def _bounds(stated: Stated, edges: Values, scoring: str) -> Bounds:
    """Every segment has an edge, and no more edges than segments are found."""
    least, most = stated.boundaries()
    parts = np.where(stated.alone, 1, stated.units)
    segments = most + stated.most_boundaries() + 2 * parts
    return {
        "edges": stated.exactly(least + 1, math.inf if scoring == "fan-out" else segments),
        "weight": (0, edges),
    }


_WEIGHT = OfSegments("weight of an edge between two segments (g in the paper)", choices=WEIGHTS)
_CLOSENESS = OfSegments(
    "how close a segment is to another one (c in the paper); each is aligned with its closest",
    choices=("intersect", "jaccard", "dice", "overlap", "rand"),
    quiet=True,
    meanings={
        "intersect": "the closest segment has the largest part of it",
        "jaccard": "the closest segment has the largest Jaccard index",
        "dice": "the closest segment has the largest Dice coefficient (as jaccard orders them)",
        "overlap": "the closest segment has the largest overlap coefficient",
        "rand": "the closest segment has the largest Rand index",
    },
)
_TIES = Choice(
    "which of two equally close segments is taken",
    choices=TIES,
    quiet=True,
    meanings={
        "jaccard": "of equally close segments, the larger Jaccard index, then the left-most",
        "jaccard-right": "of equally close segments, the larger Jaccard index, then the right-most",
        "left": "of equally close segments, the left-most",
        "right": "of equally close segments, the right-most",
    },
)
_ALIGNMENT = Choice(
    "each segment with its closest one, or all together for the largest mean weight (ours)",
    choices=("closest", "global"),
    quiet=True,
    meanings={
        "closest": "each segment is aligned with its closest one",
        "global": "of all alignments in which every segment has an edge, the largest mean weight",
    },
)
_EDGES = Choice(
    "an edge found from both sides counts once, or as two directed edges",
    choices=("once", "directed"),
    meanings={
        "once": "an edge found from both sides counts once",
        "directed": "an edge found from both sides counts as two",
    },
)
_THRESHOLD = Number(
    "edges lighter than this count 0",
    high=1.0,
    optional=True,
    quiet=True,
    without="every edge counts, however light",
)
_SCORING = Choice(
    "from edges to a score",
    choices=SCORINGS,
    quiet=True,
    meanings={
        "mean": "the mean weight of the edges",
        "best": "the mean over segments of their heaviest edge",
        "fan-out": "edges of segments with many edges weigh more in the divisor",
    },
)


@metric(
    title="A",
    aliases=("A",),
    cite="Diaz & Ouyang (2022), CoNLL",
    counts=("weight", "edges"),
    value=lambda weight, edges: weight / edges,
    better="higher",
    symmetric=True,
    edits=_edges,
    drawn="edges",
    bounds=_bounds,
    single=_single,
)
def alignment_similarity(
    pairs: Pairs,
    *,
    weight: Annotated[Any, _WEIGHT] = "jaccard",
    edges: Annotated[str, _EDGES] = "once",
    threshold: Annotated[float | None, _THRESHOLD] = None,
    scoring: Annotated[str, _SCORING] = "mean",
    closeness: Annotated[Any, _CLOSENESS] = "intersect",
    ties: Annotated[str, _TIES] = "jaccard",
    alignment: Annotated[str, _ALIGNMENT] = "closest",
) -> Counts:
    r"""Mean weight of the edges that align each segment with its closest one.

    .. math:: A = \frac{1}{|E|} \sum_{(p, q) \in E} g(p, q), \quad
              g(p, q) = \frac{|p \cap q|}{|p \cup q|}

    E has an edge from every segment p, on either side, to its closest segment q of the other side.
    That is the q with the largest closeness c(p, q), the share of p that q has (then the larger
    Jaccard index, then the left-most). 1 is perfect; it is always above 0. ``edges="once"`` counts
    an edge found from both sides once, as the paper's figures do; ``"directed"`` follows its text.
    ``weight`` (g) and ``closeness`` (c) are ``jaccard``, ``dice``, ``overlap``, ``rand`` (Rand
    index of {p, rest} and {q, rest} on the units of p and q), ``intersect`` (as a weight with
    directed edges), or a Python function of two segments, each a range of units.

    ``alignment="global"`` is a construction of ours, where the paper says only "such as Maximum
    Spanning Tree" (which would have all overlaps): of all alignments of overlapping segments in
    which every segment has an edge, the one with the largest A. A mirrored text has the same value.
    Other scorings: ``best`` is the mean over segments of the heaviest edge at each; ``fan-out``
    punishes mixtures of many segments: an edge counts 2^(d-1) times in the divisor, d the number of
    edges at its busier end. Known weakness: ties go to the left, so a mirrored text can score
    differently; cutting one small segment off is cheap, and moving its boundary can cost more than
    deleting it (the paper's Figure 16).

    >>> from fencepost import alignment_similarity
    >>> a = alignment_similarity([5, 5, 1, 3], [5, 4, 1, 4])
    >>> round(a, 2)
    0.6
    >>> for e in a.edits:
    ...     print(e.ref, e.hyp, e.weight, e.label)
    0 0 1.0 match
    1 1 0.8 split
    1 2 0.2 split
    2 3 0.25 merge
    3 3 0.75 merge
    >>> round(alignment_similarity([1, 8, 1], [3, 6, 1], alignment="global"), 2)
    0.69
    """
    kernel = _Kernel(weight, edges, threshold, scoring, closeness, ties, alignment)
    counted = [
        _core.align_counts(rows, **kernel.chosen, **kernel.counting, given=given)
        for rows, given in kernel.each(pairs)
    ]
    return np.concatenate(counted) if counted else np.empty((0, 2))
