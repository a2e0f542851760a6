"""Segmented references, and streams of words whose true boundaries are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fencepost.model.checks import Ints, offsets_of
from fencepost.study.simulate.randomness import (
    SEED,
    Draws,
    SimulationError,
    Values,
    below,
    check,
    check_number,
)
from fencepost.study.simulate.sizes import sizes_of
from fencepost.study.simulate.texts import choose, flat


@dataclass(frozen=True, eq=False)
class WordStreams:
    """Segmented references and a stream of words whose true boundaries are known.

    Words are numbers, flat: segment s of all documents owns ``words[r][offsets[r][s]:...]`` in
    reference r and the words of the hypothesis up to ``ends[s]``; document d owns the segments
    ``documents[d]:documents[d + 1]``. The properties have them as :func:`fencepost.resegment` takes
    them.
    """

    words: tuple[Ints, ...]  # of each reference
    offsets: tuple[Ints, ...]  # of the segments in each reference
    stream: Ints
    ends: Ints  # of the segments in the stream, over all documents
    documents: Ints  # where the segments of each document begin

    def __len__(self) -> int:
        return len(self.documents) - 1

    def __repr__(self) -> str:
        return (
            f"<WordStreams: {len(self)} documents, {len(self.ends)} segments, "
            f"{len(self.words)} references, {len(self.stream)} words>"
        )

    @property
    def references(self) -> dict[str, list[tuple[str, ...]]]:
        """The texts of every segment by document: one for each reference."""
        parts = [_texts(*one) for one in zip(self.words, self.offsets, strict=True)]
        segments = list(zip(*parts, strict=True))
        return {name: segments[own] for name, own in self._documents()}

    @property
    def pieces(self) -> dict[str, list[str]]:
        """The words of the hypothesis by document, divided at the true boundaries."""
        pieces = _texts(self.stream, np.append(0, self.ends))
        return {name: pieces[own] for name, own in self._documents()}

    @property
    def streams(self) -> dict[str, str]:
        """The words of the hypothesis by document, without boundaries."""
        return {name: " ".join(filter(None, own)) for name, own in self.pieces.items()}

    @property
    def true_ends(self) -> dict[str, list[int]]:
        """After which word of its document each segment truly ends."""
        starts = np.append(0, self.ends)[self.documents]
        return {
            name: (self.ends[own] - start).tolist()
            for (name, own), start in zip(self._documents(), starts, strict=False)
        }

    def _documents(self) -> list[tuple[str, slice]]:
        bounds = self.documents.tolist()
        return [
            (str(d), slice(first, last))
            for d, (first, last) in enumerate(pairwise(bounds), start=1)
        ]


def _texts(words: Ints, offsets: Ints) -> list[str]:
    spelled = [f"w{word}" for word in words.tolist()]
    bounds = offsets.tolist()
    return [" ".join(spelled[a:b]) for a, b in pairwise(bounds)]


def streams(
    documents: int = 1,
    *,
    segments: int = 50,
    sizes: Any = "uniform:5-20",
    words: int = 1000,
    references: int = 1,
    vary: float = 0.2,
    substitute: float = 0.0,
    insert: float = 0.0,
    delete: float = 0.0,
    reorder: float = 0.0,
    distance: int = 3,
    repeat: float = 0.0,
    phrase: int = 3,
    seed: int = SEED,
) -> WordStreams:
    """References, and a stream of words with errors whose true boundaries are known.

    Words come from a vocabulary of so many ``words``; word r is drawn with a weight of 1/(r + 3),
    so some are frequent. With probability ``repeat`` a segment begins with the last ``phrase``
    words of the segment before it, which makes the boundary hard to find. Further ``references``
    replace a share ``vary`` of the first one's words.

    In the hypothesis a word of the first reference is deleted, or another replaces it (``delete``,
    ``substitute``); ``insert`` is the probability of a further word before it; with ``reorder`` it
    goes up to ``distance`` words away. Words never leave their segment.

    >>> from fencepost import simulate
    >>> made = simulate.streams(segments=3, sizes="fixed:4", delete=1.0)
    >>> made, made.true_ends, made.streams
    (<WordStreams: 1 documents, 3 segments, 1 references, 0 words>, {'1': [0, 0, 0]}, {'1': ''})
    >>> made = simulate.streams(segments=4, sizes="fixed:5", repeat=1.0, seed=2)
    >>> first, second, *_ = made.pieces["1"]
    >>> first.split()[-3:] == second.split()[:3]
    True
    """
    rates = {"delete": delete, "substitute": substitute, "insert": insert, "reorder": reorder,
             "repeat": repeat, "vary": vary}  # fmt: skip
    check("streams", documents=documents, segments=segments, words=words, references=references,
          distance=distance, phrase=phrase, **rates)  # fmt: skip
    number, count, chosen = int(documents), int(segments), sizes_of(sizes)
    check_number("words", number * count * chosen.mean * (references + 1))
    if delete + substitute > 1 + 1e-12:
        raise SimulationError(
            f"a word is deleted or substituted: the rates add up to {delete + substitute:g}, "
            "which must be at most 1"
        )
    draws = Draws.of(seed, "streams", number)
    starts = np.arange(number + 1, dtype=np.int64) * count
    masses = chosen.draw(draws.uniform("size", *flat(starts)))
    offsets = offsets_of(masses)
    # Words are numbered by document, so that more documents change none of them.
    document, place = flat(offsets[starts])

    def drawn(what: str) -> Values:
        return draws.uniform(what, document, place)

    first = _zipf(drawn("word"), words)
    first = _repeated(first, offsets, draws, starts, repeat, int(phrase))
    others = []
    for one in range(2, int(references) + 1):
        other = _other(first, drawn(f"varied {one}"), words)
        others.append(np.where(drawn(f"vary {one}") < vary, other, first))
    stream, ends = _noisy(first, offsets, drawn, words, rates, int(distance))
    return WordStreams((first, *others), (offsets,) * (1 + len(others)), stream, ends, starts)


def _zipf(drawn: Values, words: int) -> Ints:
    """Word numbers from 1; number r has a weight of 1/(r + 3)."""
    weights = 1 / (np.arange(1, words + 1) + 3.0)
    return choose(drawn, weights / weights.sum()).astype(np.int64) + 1


def _other(given: Ints, drawn: Values, words: int) -> Ints:
    """Any other word, equally likely."""
    return np.asarray((given + below(drawn, words - 1)) % words + 1)


def _repeated(
    words: Ints, offsets: Ints, draws: Draws, starts: Ints, rate: float, phrase: int
) -> Ints:
    """Some segments begin with the words that end the one before.

    A phrase that was itself repeated is passed on as it then stands: every word follows the
    places it comes from back to the first of them.
    """
    document, number = flat(starts)
    again = (draws.uniform("repeat", document, number) < rate) & (number > 0)
    sizes = np.diff(offsets)
    length = np.minimum(phrase, np.minimum(sizes, np.roll(sizes, 1))) * again
    segment, inside = flat(offsets)
    origin = np.arange(len(words)) - np.where(inside < length[segment], length[segment], 0)
    while (further := origin[origin] != origin).any():
        origin = np.where(further, origin[origin], origin)
    return np.asarray(words[origin])


def _noisy(
    first: Ints,
    offsets: Ints,
    drawn: Callable[[str], Values],
    words: int,
    rates: Mapping[str, float],
    distance: int,
) -> tuple[Ints, Ints]:
    """The stream, and where its segments end."""
    segment, inside = flat(offsets)
    action = drawn("action")
    kept = action >= rates["delete"]
    wrong = kept & (action < rates["delete"] + rates["substitute"])
    spoken = np.where(wrong, _other(first, drawn("substitute"), words), first)
    # The order of speaking: a word that moves goes behind the one it lands on.
    far = below(drawn("far"), 2 * distance) - distance
    far = np.where(far >= 0, far + 1, far)
    size = np.diff(offsets)[segment]
    target = np.clip(inside + far, 0, size - 1) + np.where(far > 0, 0.5, -0.5)
    when = np.where(drawn("reorder") < rates["reorder"], target, inside.astype(np.float64))
    more = drawn("insert") < rates["insert"]
    extra = _zipf(drawn("inserted")[more], words)
    all_words = np.concatenate((spoken[kept], extra))
    all_segments = np.concatenate((segment[kept], segment[more]))
    all_times = np.concatenate((when[kept], inside[more] - 0.25))
    order = np.lexsort((all_times, all_segments))
    ends = np.cumsum(np.bincount(all_segments, minlength=len(offsets) - 1))
    return all_words[order], ends.astype(np.int64)
