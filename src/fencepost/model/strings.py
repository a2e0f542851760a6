"""Many strings end to end as UTF-8, as an Arrow string column has them: decoded when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import overload

import numpy as np

from fencepost.model.checks import Ints, offsets_of, owned
from fencepost.model.hashing import Hashes, first_met, row_hashes


class Strings(Sequence[str]):
    """A sequence of strings as one run of bytes: string i is ``data[offsets[i]:offsets[i + 1]]``.

    A million names of texts need no Python object each; the usual question, whether two files
    name the same texts in the same order, is one comparison of bytes.

    >>> names = Strings.of(["d1", "d2", "d3"])
    >>> names[1], len(names), names.find("d3"), names.find("d9")
    ('d2', 3, 2, -1)
    """

    def __init__(self, data: bytes, offsets: Ints) -> None:
        self.data = data
        self.offsets = owned(offsets)

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        """Return the column of these strings."""
        encoded = [one.encode("utf-8", "surrogatepass") for one in strings]
        return cls(b"".join(encoded), offsets_of([len(one) for one in encoded]))

    @classmethod
    def numbers(cls, count: int) -> Strings:
        """Return "1", "2", ... for texts that have no names."""
        return cls.of(map(str, range(1, count + 1)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Decode one string, or those of a slice."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"string {index} of {len(self)}")
        index %= len(self)
        start, end = int(self.offsets[index]), int(self.offsets[index + 1])
        return self.data[start:end].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        ends = pairwise(self.offsets.tolist())
        if self.data.isascii():  # then characters are bytes, and one decoding serves all
            text = self.data.decode("ascii")
            return (text[a:b] for a, b in ends)
        return (self.data[a:b].decode("utf-8", "surrogatepass") for a, b in ends)

    def __eq__(self, other: object) -> bool:
        """Compare with another column, or with any sequence of strings."""
        if isinstance(other, Strings):
            return bool(self.data == other.data and np.array_equal(self.offsets, other.offsets))
        if isinstance(other, (list, tuple)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.data, len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} strings>"

    @property
    def sizes(self) -> Ints:
        """The number of bytes of each string."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def nbytes(self) -> int:
        """The bytes of the strings and of their offsets."""
        return len(self.data) + self.offsets.nbytes

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each string, made when the first is looked up; of equal ones the first."""
        return {one: i for i, one in reversed(list(enumerate(self)))}

    def find(self, string: str) -> int:
        """Return the number of a string, or -1."""
        return self._numbers.get(string, -1)

    def take(self, index: Ints) -> Strings:
        """Return the strings that ``index`` names, in its order."""
        if len(index) == len(self) and (index == np.arange(len(self))).all():
            return self
        sizes = self.sizes[index]
        offsets = offsets_of(sizes)
        # Byte j of the new run comes from the start of its string plus its place in it.
        at = np.repeat(self.offsets[index] - offsets[:-1], sizes) + np.arange(int(offsets[-1]))
        return Strings(np.frombuffer(self.data, dtype=np.uint8)[at].tobytes(), offsets)

    @cached_property
    def hashes(self) -> Hashes:
        """64 bits for each string; equal strings have equal ones."""
        return row_hashes(np.frombuffer(self.data, dtype=np.uint8), self.offsets)

    def match(self, other: Strings) -> Ints:
        """Return for each string its number in ``other``, whose strings differ; -1 for none."""
        if self == other:
            return np.arange(len(self), dtype=np.int64)
        found = np.full(len(self), -1, dtype=np.int64)
        if not len(other):
            return found
        order = np.argsort(other.hashes, kind="stable")
        ranked = other.hashes[order]
        at = np.minimum(np.searchsorted(ranked, self.hashes), len(other) - 1)
        here = ranked[at] == self.hashes
        found[here] = order[at[here]]
        if self.take(np.flatnonzero(here)) == other.take(found[here]):
            return found
        numbers = other._numbers  # two different strings with one hash: look at the strings
        return np.fromiter((numbers.get(one, -1) for one in self), np.int64, len(self))

    def codes(self) -> tuple[Ints, Strings]:
        """Return a number for each string, and the different strings in the order they are met."""
        rows, codes = first_met(self.hashes)
        different = self.take(rows)
        if len(rows) == len(self) or different.take(codes) == self:
            return owned(codes), different
        numbers: dict[str, int] = {}
        exact = (numbers.setdefault(one, len(numbers)) for one in self)
        return owned(np.fromiter(exact, np.int64, len(self))), Strings.of(numbers)

    @classmethod
    def join(cls, parts: Sequence[Strings]) -> Strings:
        """Return several columns as one, one behind the other."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *(len(part.data) for part in parts[:-1])])
        offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=True)]
        data = b"".join(part.data for part in parts)
        return cls(data, np.concatenate([*offsets, [len(data)]]).astype(np.int64))
