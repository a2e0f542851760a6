"""Every coder's cuts of every text as one column, and every two coders who share a text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from fencepost.model.checks import Ints, SegmentationError
from fencepost.model.corpus import Corpus, Key
from fencepost.model.pairs import Column, Pairs, View, flatten, untyped, visible


class CoderPair(NamedTuple):
    """Two coders of one stream of one text."""

    text: str
    stream: str
    first: str
    second: str


@dataclass(frozen=True, eq=False)
class Annotations:
    """One row for each segmentation of a text that two or more coders did.

    Rows of one text (and stream) stand together. ``first`` and ``second`` are the rows of every
    two coders of a text; nothing is copied until pairs are counted, a batch at a time.

    >>> from fencepost import Corpus
    >>> corpus = Corpus.from_dict({"a": {"x": [5, 5], "y": [4, 6], "z": [10]}})
    >>> both = Annotations.of(corpus)
    >>> [(pair.first, pair.second) for pair in both.rows()]
    [('x', 'y'), ('x', 'z'), ('y', 'z')]
    """

    corpus: Corpus
    keys: Sequence[Key]
    column: Column
    units: Ints  # of each row
    vocabulary: tuple[str, ...] | None
    mixed: bool  # some coders gave kinds, others did not
    texts: list[str]
    coders: list[str]
    item: Ints  # the number of each row's text and stream
    text: Ints  # the number of each row's text
    coder: Ints  # the number of each row's coder
    first: Ints
    second: Ints
    sees: View | None = None  # which view of the boundaries the column is

    @classmethod
    def of(cls, corpus: Corpus) -> Annotations:
        """Lay a corpus flat; an error where there is nothing to compare."""
        if not corpus.entries:
            raise SegmentationError(f"{corpus.name} holds no segmentations")
        coders = corpus.coders
        if len(coders) < 2:
            raise SegmentationError(
                f"{corpus.name} has one coder only ({', '.join(coders)}); agreement needs "
                "two: give several files, one a coder, or one file with several coders"
            )
        corpus.check_streams()
        by_item: dict[tuple[str, str], list[Key]] = {}
        for key in corpus.entries:
            by_item.setdefault((key.text, key.stream), []).append(key)
        order = {coder: i for i, coder in enumerate(coders)}
        shared = [own for own in by_item.values() if len(own) > 1]
        groups = [sorted(own, key=lambda key: order[key.coder]) for own in shared]
        if not groups:
            raise SegmentationError(
                f"no text of {corpus.name} was annotated by two coders; agreement is measured on "
                "texts that two or more share (are they named alike?)"
            )
        return cls._from_groups(corpus, groups, coders)

    @classmethod
    def _from_groups(
        cls, corpus: Corpus, groups: list[list[Key]], order: Sequence[str]
    ) -> Annotations:
        keys = [key for own in groups for key in own]
        segs = [corpus.entries[key] for key in keys]
        units = np.array([seg.units for seg in segs], dtype=np.int64)
        sizes = np.array([len(own) for own in groups], dtype=np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        _same_units(corpus, keys, units, np.repeat(starts[:-1], sizes))
        typed = {seg.kinds is not None for seg in segs}
        mixed = len(typed) == 2
        names = corpus.kind_names if typed == {True} else None
        if mixed:  # only places are comparable then; metrics that look at kinds refuse
            segs = [untyped(seg) for seg in segs]
        texts = list(dict.fromkeys(key.text for key in keys))
        known = {key.coder for key in keys}
        coders = [coder for coder in order if coder in known]
        number_of_text = {name: i for i, name in enumerate(texts)}
        number_of_coder = {name: i for i, name in enumerate(coders)}
        first, second = _every_two(starts)
        return cls(
            corpus,
            keys,
            _narrow(flatten(segs, names), units),
            units,
            names,
            mixed,
            texts,
            coders,
            np.repeat(np.arange(len(groups)), sizes),
            np.array([number_of_text[key.text] for key in keys], dtype=np.int64),
            np.array([number_of_coder[key.coder] for key in keys], dtype=np.int64),
            first,
            second,
        )

    def __len__(self) -> int:
        return len(self.keys)

    def view(self, sees: View) -> Annotations:
        """As a metric sees them (see ``Pairs.view``)."""
        if sees != "positions" and self.mixed:
            raise SegmentationError(
                "some coders have kinds of boundaries and others have none, so kinds cannot be "
                "compared; give all of them kinds, or none"
            )
        if self.vocabulary is None or sees == "kinds+end":
            return self
        names = self.vocabulary if sees == "kinds" else None
        column = visible(self.column, self.units, sees)
        return replace(self, column=column, vocabulary=names, sees=sees)

    def among(self, coders: Collection[str]) -> Annotations:
        """Only these coders, and the texts that two or more of them did."""
        numbers = [i for i, coder in enumerate(self.coders) if coder in coders]
        keep = np.isin(self.coder, numbers)
        keep &= np.bincount(self.item[keep], minlength=int(self.item.max()) + 1)[self.item] > 1
        if not keep.any():
            raise SegmentationError(f"{', '.join(coders)} share no text with each other")
        return self._only(keep)

    def of_kind(self, name: str) -> Annotations:
        """Only the boundaries of one kind."""
        assert self.vocabulary is not None
        assert self.column.kinds is not None
        kept = self.column.kinds == self.vocabulary.index(name)
        row = np.repeat(np.arange(len(self)), self.column.counts)[kept]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(self)))))
        values = self.column.values[kept]
        column = Column(values, offsets, np.zeros(len(values), dtype=np.int32))
        return replace(self, column=column, vocabulary=(name,))

    def _only(self, keep: Any) -> Annotations:
        """These rows, with everything numbered anew."""
        number = np.cumsum(keep) - 1
        both = keep[self.first] & keep[self.second]
        item = np.unique(self.item[keep], return_inverse=True)[1]
        texts, text = np.unique(self.text[keep], return_inverse=True)
        coders, coder = np.unique(self.coder[keep], return_inverse=True)
        return replace(
            self,
            keys=list(compress(self.keys, keep.tolist())),
            column=self.column.take(np.flatnonzero(keep)),
            units=self.units[keep],
            texts=[self.texts[i] for i in texts],
            coders=[self.coders[i] for i in coders],
            item=item.astype(np.int64),
            text=text.astype(np.int64),
            coder=coder.astype(np.int64),
            first=number[self.first[both]],
            second=number[self.second[both]],
        )

    def rows(self) -> list[CoderPair]:
        """The names of every pair."""
        keys = self.keys
        return [
            CoderPair(keys[a].text, keys[a].stream, keys[a].coder, keys[b].coder)
            for a, b in zip(self.first.tolist(), self.second.tolist(), strict=True)
        ]

    def pairs(self, at: slice = slice(None), column: Column | None = None) -> Pairs:
        """These pairs as a Pairs; ``column`` puts other cuts of the same rows in their place.

        Rows of a longer column repeat these rows, draw after draw, and so do pairs.
        """
        column = self.column if column is None else column
        draws = len(column) // len(self)
        first, second = self.first, self.second
        if draws != 1:
            steps = np.repeat(np.arange(draws) * len(self), len(first))
            first, second = np.tile(first, draws) + steps, np.tile(second, draws) + steps
        first, second = first[at], second[at]
        own = first % len(self) if draws != 1 else first
        made = Pairs._trusted(
            column.take(first),
            column.take(second),
            self.units[own],
            self.vocabulary,
            _Items(self.keys, own),
        )
        made.mixed = self.mixed
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

    def facts(self) -> dict[str, Any]:
        """What a reader should know about the data."""
        items = np.unique(self.item, return_index=True)[1]
        done = _first_of(self.text, self.coder)
        a_text = np.bincount(self.text[done])
        groups = self.groups()
        sizes = [np.bincount(own, minlength=len(self.coders)) for own in groups]
        return {
            "texts": len(self.texts),
            "streams": len(items),
            "coders": len(self.coders),
            "groups": int((sizes[0] > 0).sum()),
            "coders_per_text": [int(a_text.min()), int(a_text.max())],
            "annotations": len(done),
            "missing": int(sizes[0] @ sizes[1]) - len(done),
            "pairs": len(self.first),
            "units": int(self.units[items].sum()),
            "unit": self.corpus.unit,
            "places": int((self.units - 1).sum()),
            "boundaries": len(self.column.values),
            "left_out": len(self.corpus.texts) - len(self.texts),
            "corpus": self.corpus.name,
            "fingerprint": self.corpus.fingerprint(),
        }

    def groups(self) -> tuple[Ints, Ints]:
        """Return the group of each text and of each coder: groups share no annotation."""
        coder = np.arange(len(self.coders))
        while True:  # a step for each link of the longest chain of texts with coders in common
            text = np.full(len(self.texts), len(self.coders))
            np.minimum.at(text, self.text, coder[self.coder])
            after = coder.copy()
            np.minimum.at(after, self.coder, text[self.text])
            if (after == coder).all():
                return text, coder
            coder = after


class _Items(Sequence[str]):
    """What each pair is called in messages, written only when one is needed."""

    def __init__(self, keys: Sequence[Key], rows: Ints) -> None:
        self.keys, self.rows = keys, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        key = self.keys[int(self.rows[index])]
        return f"{key.text}, {key.stream}" if key.stream else key.text


def _narrow(column: Column, units: Ints) -> Column:
    """Places in 32 bits where they fit: pairs are copied, and half as much is copied faster."""
    if int(units.max()) >= 2**31:
        return column
    return replace(column, values=column.values.astype(np.int32))


def _first_of(text: Ints, coder: Ints) -> Ints:
    """The first row of every text and coder: streams of a text count once."""
    codes = text * (int(coder.max()) + 1) + coder
    return np.asarray(np.unique(codes, return_index=True)[1], dtype=np.int64)


def _every_two(starts: Ints) -> tuple[Ints, Ints]:
    """Rows of every two of each group: (0, 1), (0, 2), (1, 2), ... from each start."""
    sizes = np.diff(starts)
    shapes = {int(n): np.triu_indices(int(n), 1) for n in np.unique(sizes)}
    firsts = [shapes[int(n)][0] + start for n, start in zip(sizes, starts[:-1], strict=True)]
    seconds = [shapes[int(n)][1] + start for n, start in zip(sizes, starts[:-1], strict=True)]
    return np.concatenate(firsts).astype(np.int64), np.concatenate(seconds).astype(np.int64)


def _same_units(corpus: Corpus, keys: Sequence[Key], units: Ints, firsts: Ints) -> None:
    wrong = units != units[firsts]
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    key, other = keys[row], keys[int(firsts[row])]
    item = f"{key.text}, {key.stream}" if key.stream else key.text
    raise SegmentationError(
        f"{item}: {other.coder} has {units[firsts[row]]} {corpus.unit}s and {key.coder} "
        f"{units[row]}; agreement is measured on the same units"
    )
