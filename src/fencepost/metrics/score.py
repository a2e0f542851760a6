"""A score: a float that knows its counts, its edits and its signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fencepost.metrics.signature import Signature
from fencepost.model.pairs import Pairs

# What a score is made of: Edit for S, B and S_f, Edge for A. Type checkers have stubs of
# typing_extensions, whether it is installed or not.
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    E = TypeVarWithDefault("E", default=Any)
else:
    E = TypeVar("E")


class Score(float, Generic[E]):
    """A float that knows its counts, its edits and its signature; NaN means undefined."""

    counts: dict[str, int | float]
    signature: Signature
    _explain: Callable[[], tuple[E, ...]] | None
    _pairs: Pairs | None

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
