"""A: align every segment with the one it overlaps most on the other side, and weigh the edges."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from fencepost import _core
from fencepost.metrics.registry import Counts, metric
from fencepost.metrics.settings import Choice, Number
from fencepost.model.checks import MetricError
from fencepost.model.edits import Edge, Label
from fencepost.model.pairs import Pairs

WEIGHTS = ("jaccard", "dice", "overlap", "rand", "intersect")
SCORINGS = ("mean", "best", "fan-out")
LABELS: tuple[Label, ...] = ("match", "shift", "split", "merge", "mixed")


def _edges(
    pairs: Pairs, *, weight: str, edges: str, threshold: float | None, scoring: str
) -> list[tuple[Edge, ...]]:
    del edges, scoring  # they say how edges are counted, not which there are
    offsets, rows, weights = _core.align_list(pairs.rows, WEIGHTS.index(weight), threshold or 0.0)
    listed = [
        Edge(ref, hyp, (ref_start, ref_end), (hyp_start, hyp_end), w, LABELS[label])
        for (ref, hyp, ref_start, ref_end, hyp_start, hyp_end, label), w in zip(
            rows.tolist(), weights.tolist(), strict=True
        )
    ]
    return [tuple(listed[a:b]) for a, b in pairwise(offsets.tolist())]


def _kernel_settings(
    weight: str, edges: str, threshold: float | None, scoring: str
) -> tuple[int, int, bool, float]:
    if weight == "intersect" and edges != "directed":
        raise MetricError('the weight "intersect" has a direction: it needs edges="directed"')
    if edges == "directed" and scoring != "mean":
        raise MetricError(
            f'scoring "{scoring}" looks at edges without direction: it needs edges="once"'
        )
    return WEIGHTS.index(weight), SCORINGS.index(scoring), edges == "directed", threshold or 0.0


_WEIGHT = Choice("weight of an edge between two segments", choices=WEIGHTS)
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
    cite="Diaz & Ouyang (2022), EMNLP",
    counts=("weight", "edges"),
    value=lambda weight, edges: weight / edges,
    better="higher",
    symmetric=True,
    edits=_edges,
    drawn="edges",
    single=lambda **settings: _core.single_alignment(*_kernel_settings(**settings)),
)
def alignment_similarity(
    pairs: Pairs,
    *,
    weight: Annotated[str, _WEIGHT] = "jaccard",
    edges: Annotated[str, _EDGES] = "once",
    threshold: Annotated[float | None, _THRESHOLD] = None,
    scoring: Annotated[str, _SCORING] = "mean",
) -> Counts:
    r"""Mean weight of the edges that align each segment with its closest one.

    .. math:: A = \frac{1}{|E|} \sum_{(p, q) \in E} \frac{|p \cap q|}{|p \cup q|}

    E has an edge from every segment p, on either side, to the segment q of the other side with
    the largest overlap (then the larger Jaccard index, then the left-most). 1 is perfect; it is
    always above 0. ``edges="once"`` counts an edge found from both sides once, as the paper's
    figures do; ``"directed"`` follows its text. Other weights: ``dice``, ``overlap``, ``rand``
    (Rand index of {p, rest} and {q, rest} on the units of p and q) and, with directed edges,
    ``intersect``. Other scorings: ``best`` is the mean over segments of the heaviest edge at
    each; ``fan-out`` lets an edge count 2^(d-1) times in the divisor, d the number of edges at
    its busier end, so that mixtures of many segments are punished. Known weakness: ties go to the
    left, so a mirrored text can score differently; cutting one small segment off is cheap.

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
    """
    return _core.align_counts(pairs.rows, *_kernel_settings(weight, edges, threshold, scoring))
