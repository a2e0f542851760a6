"""Scores of a training loop: counts are added batch by batch, in one process or in many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from fencepost.batch.columns import NO_MASK, Side, marks_to_cuts
from fencepost.batch.plan import check_recipe
from fencepost.batch.totals import Cell
from fencepost.metrics.edit import check_typed
from fencepost.metrics.registry import Metric, Recipe
from fencepost.metrics.score import Score, pair_of
from fencepost.metrics.signature import Context
from fencepost.model.checks import FencepostError, SegmentationError, owned
from fencepost.model.pairs import Pairs
from fencepost.options import Flags
from fencepost.scoring.count import asked_for, check_like

Average = Literal["macro", "micro"]


class AverageScore(Score[Any]):
    """A score over texts: ``n`` of them have a value, and ``undefined`` have none."""

    n: int
    undefined: int

    @classmethod
    def over(cls, cell: Cell | None, recipe: Recipe, context: Context) -> AverageScore:
        """Return the score of what was added up; None if no text was."""
        value, counts = math.nan, [0] * len(recipe.counts)
        if cell is not None:
            value = cell.value(recipe, 0, context.avg)
            counts = cell.sums(0).tolist()
        named = dict(zip(recipe.counts, counts, strict=True))
        made = cls(value, named, recipe.signature(context))
        made.n, made.undefined = (0, 0) if cell is None else (cell.n, cell.undefined)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        made, given = AverageScore, (self.value, self.counts, str(self.signature))
        return made, given, {"n": self.n, "undefined": self.undefined}

    def __repr__(self) -> str:
        score = super().__repr__().removeprefix("Score(").removesuffix(")")
        return f"AverageScore({score}, n={self.n}, undefined={self.undefined})"


class Accumulator:
    """Adds up the counts of pairs; ``compute`` gives the score of each metric so far.

    ``update`` takes one pair, or a batch of marks of 0 and 1 (texts x units) for both sides. A
    ``mask`` of the same shape has zeros where there are no units (padding, parts of words). Marks
    are arrays of numpy, tensors of torch, or anything with ``__dlpack__`` or ``__array__``;
    ``flags`` says whether a 1 marks the last or the first unit of a segment. Accumulators pickle,
    and ``merge`` puts together what several processes have.

    >>> import fencepost as fp
    >>> scores = fp.Accumulator(["windowdiff", "B"], flags="last")
    >>> scores.update([5, 5], [4, 6])
    >>> scores.update([[0, 0, 1, 0, 0, 0]], [[0, 1, 0, 0, 0, 0]], mask=[[1, 1, 1, 1, 1, 0]])
    >>> {name: round(score, 3) for name, score in scores.compute().items()}
    {'windowdiff': 0.393, 'boundary_similarity': 0.5}
    """

    def __init__(
        self,
        metrics: str
        | Metric[Any]
        | Recipe
        | Iterable[str | Metric[Any] | Recipe | Callable[..., float]]
        | None = None,
        *,
        flags: Flags | None = None,
        average: Average | None = None,
        like: str | None = None,
        types: str | Sequence[str] | None = None,
    ) -> None:
        if flags not in (None, "last", "first"):
            raise FencepostError(f"flags must be last or first, found {flags!r}")
        recipes, chosen = asked_for(metrics, like, types, average)
        if chosen == "both":
            raise FencepostError(
                "an Accumulator has one average, macro or micro, found 'both'; make one for each"
            )
        for recipe in recipes:
            check_recipe(recipe)
        self.recipes, self.average = tuple(recipes), chosen
        self.flags, self.like, self.types = flags, like, types
        self.reset()

    def reset(self) -> None:
        """Forget all pairs."""
        self.texts = 0
        self._marks = False  # whether batches of marks were added
        self._typed = False  # whether some text had boundary types
        self._cells: list[Cell] = []

    def update(self, ref: Any, hyp: Any, mask: Any = None) -> None:
        """Add one pair of segmentations, or a batch of marks."""
        marks = _as_marks(ref, "the reference", self.flags)
        if marks is None:
            if mask is not None:
                raise SegmentationError("a mask goes with a batch of marks, texts x units")
            self.add(pair_of(ref, hyp))
            return
        if self.flags is None:
            raise SegmentationError(
                "marks do not say what a 1 is: Accumulator(..., flags='last') where it ends a "
                "segment, flags='first' where it starts one"
            )
        other = _as_marks(hyp, "the hypothesis", self.flags)
        kept = None if mask is None else _as_marks(mask, "the mask", self.flags)
        for what, one in (("hypothesis", other), ("mask", kept)):
            if (one is None and (what != "mask" or mask is not None)) or (
                one is not None and one.shape != marks.shape
            ):
                shape = None if one is None else one.shape
                raise SegmentationError(
                    f"the {what} must have the shape of the reference, {marks.shape}, found {shape}"
                )
        if kept is not None and kept.view(f"u{kept.itemsize}").max(initial=0) > 1:
            raise SegmentationError(
                "the mask must be 0 (no unit) or 1; if it numbers the texts that are packed into "
                "a row, give each text a row"
            )
        flat = NO_MASK if kept is None else (kept.ravel() != 0).view(np.uint8)
        left, right = (self._side(one, flat) for one in (marks, other))
        assert left.units is not None
        self._marks = True
        self.add(Pairs._trusted(left.column, right.column, owned(left.units)))

    def _side(self, marks: Any, mask: Any) -> Side:
        rows, units = marks.shape
        offsets = np.arange(rows + 1, dtype=np.int64) * units
        return marks_to_cuts(
            marks.ravel(), mask, offsets, str(self.flags), lambda row: f"text {row} of the batch"
        )

    def add(self, pairs: Pairs) -> None:
        """Add many pairs that are columns already."""
        if self.like is not None:
            check_like(self.recipes, self.like, pairs, lambda rows: f"text {rows[0]} of the batch")
        new = [Cell.of(recipe, [recipe.count(pairs)]) for recipe in self.recipes]
        self._typed |= pairs.vocabulary is not None
        self._add(new, len(pairs))

    def _add(self, new: list[Cell], texts: int) -> None:
        for mine, theirs in zip(self._cells, new, strict=False):
            mine.add(theirs)
        self._cells = self._cells or new
        self.texts += texts

    def merge(self, other: Accumulator) -> Accumulator:
        """Add the pairs of another accumulator with the same metrics; return this one."""
        if not isinstance(other, Accumulator) or self._settings != other._settings:
            raise FencepostError("only accumulators with the same metrics and settings are merged")
        self._add([Cell.from_plain(one.plain()) for one in other._cells], other.texts)
        self._marks |= other._marks
        self._typed |= other._typed
        return self

    @property
    def _settings(self) -> tuple[Any, ...]:
        return self.recipes, self.flags, self.average, self.like

    def compute(self) -> dict[str, AverageScore]:
        """Return the score of each metric, over its ``n`` texts with a value; NaN over none.

        Texts on which the metric is ``undefined`` are ignored.
        """
        if self.texts:
            check_typed(self.types, [() if self._typed else None])
        reading = (("flags", str(self.flags)),) if self._marks else ()
        context = Context(reading=reading, avg=self.average)
        names = [recipe.name for recipe in self.recipes]
        made: dict[str, AverageScore] = {}
        for at, recipe in enumerate(self.recipes):
            name = str(recipe) if names.count(recipe.name) > 1 else recipe.name
            cell = self._cells[at] if self._cells else None
            made[name] = AverageScore.over(cell, recipe, context)
        return made

    def __repr__(self) -> str:
        return f"<Accumulator of {', '.join(map(str, self.recipes))}: {self.texts} texts>"


def _as_marks(given: Any, what: str, flags: Flags | None) -> Any:
    """Return a batch of marks as an array of whole numbers; None for anything else."""
    if isinstance(given, (str, bytes, dict)) or hasattr(given, "cuts"):
        return None
    if hasattr(given, "detach"):  # a tensor that belongs to a graph, or to another device
        given = given.detach().cpu()
        if "bfloat16" in str(given.dtype):  # which numpy does not have
            given = given.float()
    is_list = isinstance(given, (list, tuple))
    if is_list:
        if not given or not isinstance(given[0], (list, tuple, np.ndarray)):
            return None
        try:
            found = np.array(given)
        except ValueError:
            raise SegmentationError(
                f"{what} has rows of different lengths; pad them, and mark what is padding in mask="
            ) from None
    elif hasattr(given, "__array__"):
        found = np.asarray(given)
    elif hasattr(given, "__dlpack__"):
        found = np.from_dlpack(given)
    else:
        return None
    if found.ndim != 2:
        if found.ndim == 1 and (is_list or (flags is None and isinstance(given, np.ndarray))):
            return None  # segment sizes
        if found.ndim == 1:
            raise SegmentationError(
                f"{what} has one dimension, and marks are texts x units: one text is marks[None]; "
                "segment sizes are a list (marks.tolist())"
            )
        raise SegmentationError(f"{what} must be texts x units, found {found.ndim} dimensions")
    if found.dtype.kind == "b" or found.dtype in (np.int8, np.uint8):
        return np.ascontiguousarray(found).view(np.uint8)
    if found.dtype in (np.int32, np.int64):
        return np.ascontiguousarray(found)
    is_number = found.dtype.kind in "iuf"
    with np.errstate(invalid="ignore"):  # NaN is refused below
        whole = found.astype(np.int64) if is_number else None
    if whole is None or (whole != found).any():
        raise SegmentationError(
            f"{what} must be marks of 0 and 1, found {found.dtype} with other values; "
            "probabilities become marks with > threshold"
        )
    return whole
