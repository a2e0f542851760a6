"""A score: a float that knows its counts, its edits and its signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from fencepost.metrics.signature import Signature
from fencepost.model.pairs import Pairs
from fencepost.model.segmentation import Segmentable, as_segmentation

# What a score is made of: Edit for S, B and S_f, Edge for A. Type checkers have stubs of
# typing_extensions, whether it is installed or not.
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    from fencepost.metrics.single import Numbers, Single

    E = TypeVarWithDefault("E", default=Any)
else:
    E = TypeVar("E")


MUTABLE = {list, np.ndarray}


def pair_of(ref: Segmentable, hyp: Segmentable) -> Pairs:
    """Make a Pairs of one reference and one hypothesis; a bare list is masses."""
    return Pairs.from_segmentations(
        [as_segmentation(ref, "the reference")], [as_segmentation(hyp, "the hypothesis")]
    )


class Score(float, Generic[E]):
    """A float that knows its counts, its edits and its signature; NaN means undefined."""

    # What a score of a single pair is made of: all else is found when it is asked for.
    _made: tuple[Single, Numbers, Segmentable, Segmentable]

    def __new__(
        cls,
        value: float,
        counts: Mapping[str, int | float],
        signature: str,
        explain: Callable[[], tuple[E, ...]] | None = None,
        pairs: Pairs | None = None,
    ) -> Score[E]:
        """Make a score; ``explain`` computes its edits when they are asked for.

        ``pairs`` holds the two segmentations, so that the score can draw itself.
        """
        self = super().__new__(cls, value)
        self.counts = dict(counts)
        self.signature = Signature(signature)
        self._explain = explain
        self._pairs = pairs
        return self

    @classmethod
    def of_pair(cls, value: float, single: Single, counts: Numbers, ref: Any, hyp: Any) -> Score[E]:
        """Make the score of a single pair; lists are copied, since their owner may change them."""
        self = float.__new__(cls, value)
        self._made = (
            single,
            counts,
            ref.copy() if type(ref) in MUTABLE else ref,
            hyp.copy() if type(hyp) in MUTABLE else hyp,
        )
        return self

    @cached_property
    def counts(self) -> dict[str, int | float]:
        """The counts behind the value, by name."""
        single, counts, _, _ = self._made
        return dict(zip(single.recipe.counts, counts, strict=True))

    @cached_property
    def signature(self) -> Signature:
        """Everything that changes the number, in one line."""
        return self._made[0].signature

    @cached_property
    def _pairs(self) -> Pairs | None:
        _, _, ref, hyp = self._made
        return pair_of(ref, hyp)

    @cached_property
    def _explain(self) -> Callable[[], tuple[E, ...]] | None:
        explain: Any = None if self._pairs is None else self._made[0].recipe.explain(self._pairs)
        return explain  # type: ignore[no-any-return]

    @property
    def value(self) -> float:
        """The plain number."""
        return float(self)

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.signature.metric

    @property
    def edits(self) -> tuple[E, ...]:
        """What the score is made of: edits of S and B, alignment edges of A."""
        if self._explain is None:
            raise AttributeError(f"{self.metric} keeps no edits; S, B and A do")
        return self._explain()

    def __reduce__(self) -> tuple[Any, ...]:
        return Score, (self.value, self.counts, str(self.signature), self._explain, self._pairs)

    def __repr__(self) -> str:
        signature = str(self.signature)
        return f"Score(value={self.value!r}, counts={self.counts!r}, signature={signature!r})"

    def __str__(self) -> str:
        return repr(self.value)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.notebook import score_html

        return score_html(self)
