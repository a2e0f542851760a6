"""The rows of a corpus that share a text with another annotator's, and every two of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, starmap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import Ints, SegmentationError, refuse_probabilities
from fencepost.model.corpus import ONLY, Corpus, Key
from fencepost.model.join import RowNames, item_name, read_at
from fencepost.model.pairs import Column, Pairs, View, visible
from fencepost.statistics.resampling import ranks_of_names


class CoderPair(NamedTuple):
    """Two coders of one stream of one text."""

    text: str
    stream: str
    first: str
    second: str


@dataclass(frozen=True, eq=False)
class Annotations:
    """One row for each segmentation of a text that two or more coders did.

    Rows of one text (and stream) are neighbours, in the order of coders. ``first`` and ``second``
    are the rows of every two coders of a text; pairs are copied when they are counted, a batch at
    a time.

    >>> from fencepost import Corpus
    >>> corpus = Corpus.from_dict({"a": {"x": [5, 5], "y": [4, 6], "z": [10]}})
    >>> both = Annotations.of(corpus)
    >>> [(pair.first, pair.second) for pair in both.rows()]
    [('x', 'y'), ('x', 'z'), ('y', 'z')]
    """

    corpus: Corpus
    row: Ints  # of the corpus, for each row here; the other columns are as long
    column: Column
    units: Ints
    vocabulary: tuple[str, ...] | None
    mixed: bool  # some coders gave boundary types, others did not
    texts: list[str]
    coders: list[str]
    item: Ints  # the number of each row's text and stream
    text: Ints  # the number of each row's text
    coder: Ints  # the number of each row's coder
    sees: View | None = None  # which view of the boundaries the column is

    @classmethod
    def of(cls, corpus: Corpus) -> Annotations:
        """Return the annotations of a corpus; an error where there is nothing to compare."""
        if not len(corpus):
            raise SegmentationError(f"{corpus.name} holds no segmentations")
        if len(corpus.coder_names) < 2:
            named = "".join(f" ({name})" for name in corpus.coders if name != ONLY)
            raise SegmentationError(
                f"{corpus.source.file or corpus.name} has one annotator only{named}; agreement "
                "needs two, and the text "
                f"{item_name(corpus.items[0])} has one: give several files, one per annotator, or "
                "one file with several annotators"
            )
        if corpus.has_probabilities:
            raise refuse_probabilities(corpus.source.file or corpus.name, "agreement needs")
        corpus.check_streams()
        item = corpus.item_codes
        shared = np.flatnonzero(np.bincount(item)[item] > 1)
        if not len(shared):
            raise SegmentationError(
                f"no text of {corpus.source.file or corpus.name} was segmented by two "
                "annotators; agreement is measured on texts that two or more share (are they named "
                "alike?)"
            )
        rows = shared[np.lexsort((corpus.coder_codes[shared], item[shared]))]
        typed = np.full(1, corpus.vocabulary is not None)
        if corpus.typed is not None:
            typed = np.unique(corpus.typed[rows])
        column, units = corpus.column.take(rows), corpus.units[rows]
        if corpus.vocabulary is not None and not typed.all():  # only positions are comparable
            column = visible(column, units, "positions")
        names = corpus.vocabulary if typed.all() else None
        return cls._of_rows(corpus, rows, column, units, names, len(typed) > 1)

    @classmethod
    def _of_rows(
        cls, corpus: Corpus, rows: Ints, column: Column, units: Ints,
        vocabulary: tuple[str, ...] | None, mixed: bool,
    ) -> Annotations:  # fmt: skip
        """Number texts, items and coders in the order of the corpus."""
        items = np.unique(corpus.item_codes[rows], return_inverse=True)[1]
        texts, text = np.unique(corpus.text_codes[rows], return_inverse=True)
        coders, coder = np.unique(corpus.coder_codes[rows], return_inverse=True)
        made = cls(
            corpus, rows, column, units, vocabulary, mixed,
            list(corpus.text_names.take(texts)), list(corpus.coder_names.take(coders)),
            items.astype(np.int64), text.astype(np.int64), coder.astype(np.int64),
        )  # fmt: skip
        made._check_units()
        return made

    def _check_units(self) -> None:
        """Refuse a text whose annotators have different numbers of units."""
        firsts = self._starts[self.item]
        wrong = self.units != self.units[firsts]
        if wrong.any():
            row = int(np.argmax(wrong))
            key, other = self.key(row), self.key(int(firsts[row]))
            places = [read_at(self.corpus, int(self.row[one])) for one in (firsts[row], row)]
            raise SegmentationError(
                f"{item_name((key.text, key.stream))}: {other.coder} has "
                f"{self.units[firsts[row]]} {self.corpus.unit}s{places[0]} and {key.coder} "
                f"{self.units[row]}{places[1]}; agreement is measured on the same units"
            )

    def __len__(self) -> int:
        return len(self.row)

    def key(self, row: int) -> Key:
        """Return the names of a row."""
        return self.corpus.key(int(self.row[row]))

    def view(self, sees: View) -> Annotations:
        """Return the annotations as a metric sees them (see ``Pairs.view``)."""
        if sees != "positions" and self.mixed:
            raise SegmentationError(
                "some annotators have boundary types and others have none, so types cannot be "
                "compared; give all of them types, or none"
            )
        if self.vocabulary is None or sees == "kinds+end":
            return self
        names = self.vocabulary if sees != "positions" else None
        column = visible(self.column, self.units, sees)
        return replace(self, column=column, vocabulary=names, sees=sees)

    def among(self, coders: Collection[str]) -> Annotations:
        """Return only these coders, and the texts that two or more of them did."""
        keep = np.isin(self.coder, [i for i, name in enumerate(self.coders) if name in coders])
        keep &= np.bincount(self.item[keep], minlength=int(self.item.max()) + 1)[self.item] > 1
        kept = np.flatnonzero(keep)
        if not len(kept):
            raise SegmentationError(f"{', '.join(coders)} share no text with each other")
        column = self.column.take(kept)
        return self._of_rows(
            self.corpus, self.row[kept], column, self.units[kept], self.vocabulary, self.mixed
        )

    def streams(self) -> list[str]:
        """Return the names of all speakers."""
        codes = np.unique(self.corpus.stream_codes[self.row])
        return list(self.corpus.stream_names.take(codes))

    def of_stream(self, name: str) -> Annotations:
        """Return only the tracks of one speaker."""
        own = self.corpus.stream_codes[self.row] == self.corpus.stream_names.find(name)
        kept = np.flatnonzero(own)
        return self._of_rows(
            self.corpus, self.row[kept], self.column.take(kept), self.units[kept],
            self.vocabulary, self.mixed,
        )  # fmt: skip

    def of_kind(self, name: str) -> Annotations:
        """Return only the boundaries of one type."""
        assert self.vocabulary is not None
        assert self.column.kinds is not None
        kept = self.column.keep(self.column.kinds == self.vocabulary.index(name))
        column = Column.own(kept.values, kept.offsets, np.zeros(len(kept.values), dtype=np.int32))
        return replace(self, column=column, vocabulary=(name,))

    def items(self) -> list[range]:
        """Return the rows of every text and stream."""
        return list(starmap(range, pairwise([*self._starts.tolist(), len(self)])))

    # Every two coders of a text.

    @cached_property
    def ranks(self) -> Ints:
        """The rank of each text by its name, which weights of texts go by."""
        return ranks_of_names(self.texts)

    @cached_property
    def _starts(self) -> Ints:
        """The first row of every item."""
        return np.flatnonzero(np.diff(self.item, prepend=-1))

    @cached_property
    def _two(self) -> tuple[Ints, Ints]:
        """Rows of every two of each item: (0, 1), (0, 2), (1, 2), ... from its first."""
        sizes = np.bincount(self.item)
        ends = np.cumsum(sizes * (sizes - 1) // 2)
        first, second = np.empty((2, int(ends[-1])), dtype=np.int64)
        for size in np.unique(sizes).tolist():
            own = sizes == size
            both = np.triu_indices(size, 1)
            at = (ends[own] - len(both[0]))[:, None] + np.arange(len(both[0]))
            first[at], second[at] = (self._starts[own][:, None] + one for one in both)
        return first, second

    @property
    def first(self) -> Ints:
        """The row of the first coder of every pair."""
        return self._two[0]

    @property
    def second(self) -> Ints:
        """The row of the second coder of every pair."""
        return self._two[1]

    def rows(self) -> list[CoderPair]:
        """Return the names of every pair."""
        keys = [self.key(row) for row in range(len(self))]
        return [
            CoderPair(keys[a].text, keys[a].stream, keys[a].coder, keys[b].coder)
            for a, b in zip(self.first.tolist(), self.second.tolist(), strict=True)
        ]

    def pairs(
        self, at: slice | Ints = slice(None), column: Column | None = None, draw: int | Ints = 0
    ) -> Pairs:
        """Return these pairs; ``column`` has other boundaries of the same rows.

        A longer column repeats the rows, draw after draw: then ``draw`` is that of each pair.
        """
        column = self.column if column is None else column
        first, second = self.first[at], self.second[at]
        made = Pairs._trusted(
            column.take(first + draw * len(self)),
            column.take(second + draw * len(self)),
            self.units[first],
            self.vocabulary,
            RowNames(self.corpus, self.row[first]),
            self.mixed,
        )
        if self.sees is not None:
            made._views[self.sees] = made  # it is one already
        return made

    @cached_property
    def coder_pairs(self) -> tuple[Ints, Ints, Ints]:
        """The two coders of every two who share a text; and for every pair, which two it is."""
        a, b = self.coder[self.first], self.coder[self.second]
        coders = len(self.coders)
        code = np.minimum(a, b) * coders + np.maximum(a, b)
        found = np.bincount(code, minlength=coders * coders) > 0
        codes = np.flatnonzero(found)
        return codes // coders, codes % coders, (np.cumsum(found) - 1)[code]

    # What a reader should know about the data.

    def facts(self) -> dict[str, Any]:
        """Return the size of the data in numbers."""
        # Streams of a text count once.
        done = np.unique(self.text * len(self.coders) + self.coder) // len(self.coders)
        per_text = np.bincount(done)
        sizes = [np.bincount(own, minlength=len(self.coders)) for own in self._groups()]
        return {
            "texts": len(self.texts),
            "streams": len(self._starts),
            "coders": len(self.coders),
            "groups": int((sizes[0] > 0).sum()),
            "coders_per_text": [int(per_text.min()), int(per_text.max())],
            "annotations": len(done),
            "missing": int(sizes[0] @ sizes[1]) - len(done),
            "pairs": len(self.first),
            "units": int(self.units[self._starts].sum()),
            "unit": self.corpus.unit,
            "places": int((self.units - 1).sum()),
            "boundaries": len(self.column.values),
            "left_out": len(self.corpus.text_names) - len(self.texts),
            "corpus": self.corpus.name,
            "fingerprint": self.corpus.fingerprint(),
        }

    def _groups(self) -> tuple[Ints, Ints]:
        """Return the group of each text and of each coder: groups share no annotation."""
        coder: npt.NDArray[np.int64] = np.arange(len(self.coders))
        while True:  # one step per link of the longest chain of texts with coders in common
            text = np.full(len(self.texts), len(self.coders))
            np.minimum.at(text, self.text, coder[self.coder])
            after = coder.copy()
            np.minimum.at(after, self.coder, text[self.text])
            if (after == coder).all():
                return text, coder
            coder = after
