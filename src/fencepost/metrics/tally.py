"""What notes and facts of metrics are made of: numbers about the references that add up."""

from __future__ import annotations

from typing import NamedTuple

from fencepost.model.checks import Ints
from fencepost.model.pairs import Pairs


class Tally(NamedTuple):
    """Numbers about texts; those of two parts of the texts make the numbers of both.

    ``least``, ``most`` and ``ones`` are about one size of each text, such as the width of a
    window; texts whose size is 0 have none.
    """

    texts: int = 0
    units: int = 0
    segments: int = 0  # of the references
    least: int = 0  # 0 where no text has a size
    most: int = 0
    ones: int = 0  # texts whose size is 1
    names: tuple[str, ...] | None = None  # of boundary types

    @classmethod
    def of(cls, pairs: Pairs, sizes: Ints | None = None) -> Tally:
        """Return the numbers of these texts."""
        found = pairs.units[:0] if sizes is None else sizes[sizes > 0]
        return cls(
            len(pairs),
            int(pairs.units.sum()),
            int(pairs.ref.counts.sum()) + len(pairs),
            int(found.min()) if len(found) else 0,
            int(found.max(initial=0)),
            int((found == 1).sum()),
            None if pairs.vocabulary is None else tuple(pairs.vocabulary),
        )

    def plus(self, other: Tally) -> Tally:
        """Return the numbers of both parts of the texts."""
        return Tally(
            self.texts + other.texts,
            self.units + other.units,
            self.segments + other.segments,
            min(self.least or other.least, other.least or self.least),
            max(self.most, other.most),
            self.ones + other.ones,
            other.names if self.names is None else self.names,
        )
