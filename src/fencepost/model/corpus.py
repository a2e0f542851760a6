"""Texts with their segmentations by one or more coders, as columns."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from fencepost.model.checks import (
    Ints,
    SegmentationError,
    as_threshold,
    owned,
    refuse_probabilities,
)
from fencepost.model.given import items_of, refuse_table, rows
from fencepost.model.hashing import blake2b, first_met, mix, row_hashes
from fencepost.model.levels import Order, find_level, is_kept, levels_of
from fencepost.model.pairs import Column, View, flatten, merge_vocabularies, relabelled, visible
from fencepost.model.segmentation import Segmentation, as_segmentation
from fencepost.model.source import Source
from fencepost.model.strings import Strings
from fencepost.wording import listed, number_of_digits, plural

if TYPE_CHECKING:
    import pyarrow

ONLY = "1"  # the coder where none is named
Item = tuple[str, str]  # text and stream
Name = TypeVar("Name")
Value = TypeVar("Value")


class Key(NamedTuple):
    """Whose segmentation of which stream of which text; stream "" is a text with only one."""

    text: str
    stream: str
    coder: str


class Corpus:
    """Segmentations by text, speaker (stream) and coder: one row each, laid flat in columns.

    The counts of all speakers of a text are added before it gets a value. A row has a text, a
    speaker and a coder (numbers into ``text_names``, ``stream_names`` and ``coder_names``), a
    number of ``units``, and boundaries in ``column``. Nothing in it can be changed. A
    ``Segmentation`` is made when one is asked for.

    >>> from fencepost import Corpus
    >>> c = Corpus.from_dict({"ch1": {"an1": [5, 5], "an2": [4, 6]}, "ch2": {"an1": [3, 3]}})
    >>> c
    <Corpus of 2 texts, 2 coders, 3 segmentations>
    >>> c["ch1", "an2"]
    Segmentation(units=10, cuts=[4])
    >>> c["ch2"]
    Segmentation(units=6, cuts=[3])
    """

    def __init__(
        self,
        column: Column,
        units: Ints,
        *,
        texts: tuple[Ints, Strings],
        streams: tuple[Ints, Strings] | None = None,
        coders: tuple[Ints, Strings] | None = None,
        vocabulary: tuple[str, ...] | None = None,
        typed: npt.NDArray[np.bool_] | None = None,
        words: Strings | None = None,
        source: Source = Source(),  # noqa: B008  (it is frozen)
    ) -> None:
        """Wrap checked columns: codes of texts, streams and coders, each with their names.

        Names are numbered in the order they are first met, and every name is met. ``typed`` says
        which rows have boundary types where only some have. ``words`` has a JSON list of units
        for each item (text and stream), empty where they are not known.
        """
        # One order of types, whatever a file or table has first: codes of types mean the same
        # in every corpus with these types.
        self.vocabulary = None if vocabulary is None else merge_vocabularies([vocabulary])
        self.column = relabelled(column, vocabulary or (), self.vocabulary or ())
        self.units = owned(units)
        self.text_codes, self.text_names = owned(texts[0]), texts[1]
        self.stream_codes, self.stream_names = streams or (_zeros(len(units)), _UNNAMED)
        self.coder_codes, self.coder_names = coders or (_zeros(len(units)), _ONE_CODER)
        self.typed = typed
        self.words = words
        self.source = source

    # Ways to make one.

    @classmethod
    def from_dict(cls, given: Mapping[Any, Any], name: str = "corpus") -> Corpus:
        """Return the corpus of ``{text: {coder: Segmentation or masses}}``.

        Texts may be ``(text, stream)``. One segmentation instead of the inner dict is coder "1";
        a list of several are coders "1", "2" and so on.
        """
        refuse_table(given, name)
        if items_of(given) is None:
            raise SegmentationError(f"a corpus is a dict of texts, found {type(given).__name__}")
        return cls.from_given(given, name)

    @classmethod
    def from_given(cls, given: Any, name: str) -> Corpus:
        """Return whatever ``fp.score`` takes for one side: a Corpus, a mapping, a list of texts."""
        if isinstance(given, Corpus):
            return given
        builder = CorpusBuilder()
        for text, stream, coder, value in rows(given, name):
            key = Key(text, stream, coder)
            builder.add(key, as_segmentation(value, _named(key)))
        # Texts of a list have numbers, which must not meet texts that someone named "2".
        return builder.build(name=name, naming="numbers" if items_of(given) is None else "own")

    @classmethod
    def from_entries(
        cls,
        entries: Mapping[Key, Segmentation],
        tokens: Mapping[Item, Sequence[str]] | None = None,
        **source: Any,
    ) -> Corpus:
        """Return the corpus of segmentations by key, with units by (text, speaker)."""
        builder = CorpusBuilder()
        for key, seg in entries.items():
            builder.add(Key(*key), seg)
        for item, own in (tokens or {}).items():
            builder.add_words(item, own)
        return builder.build(**source)

    @classmethod
    def from_arrow(cls, table: Any, name: str = "corpus") -> Corpus:
        """Return the corpus of an Arrow table (or anything pyarrow makes one of).

        Columns: ``text`` (strings), ``units`` (whole numbers) and ``cuts`` (lists of positions); if
        need be ``stream``, ``coder``, ``kinds`` (lists of boundary types, strings, beside the
        positions) and ``weights`` (lists of numbers above 0 and at most 1 beside the positions).
        The columns are copied, because memory behind a table can belong to somebody who changes it.
        """
        from fencepost.model.arrow import corpus_of

        return corpus_of(table, name)

    def to_arrow(self) -> pyarrow.Table:
        """Return the columns as an Arrow table, which shares the positions with this corpus."""
        from fencepost.model.arrow import table_of

        return table_of(self)

    @property
    def nbytes(self) -> int:
        """The bytes of positions, offsets, units and codes; names and words are not counted."""
        codes = (self.text_codes, self.stream_codes, self.coder_codes)
        own = self.column
        columns = (own.values, own.offsets, own.kinds, own.weights, self.units, *codes)
        return sum(one.nbytes for one in columns if one is not None and one.strides != (0,))

    # What it holds.

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the texts."""
        return iter(self.text_names)

    def __contains__(self, key: object) -> bool:
        """Tell whether a text, or a text by a coder, is there."""
        if isinstance(key, str):
            return self.text_names.find(key) >= 0
        known = isinstance(key, tuple) and len(key) in (2, 3)
        return known and self._full(key) in self._row_of  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.units)

    def __repr__(self) -> str:
        counts = (len(self.text_names), "text"), (len(self.coder_names), "coder")
        shown = [*counts, (len(self), "segmentation")]
        return "<Corpus of " + ", ".join(plural(*one) for one in shown) + ">"

    def __eq__(self, other: object) -> bool:
        """Compare what is in it and how it was understood, not where it was read."""
        if not isinstance(other, Corpus):
            return NotImplemented
        return (
            self.source == other.source
            and len(self) == len(other)
            and dict(self.entries) == dict(other.entries)
            and dict(self.tokens) == dict(other.tokens)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def texts(self) -> list[str]:
        """The texts in the order they were given."""
        return list(self.text_names)

    @property
    def coders(self) -> list[str]:
        """The coders in the order they are first met."""
        return list(self.coder_names)

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.source.name

    @property
    def unit(self) -> str:
        """What a text is made of: words, sentences, ..."""
        return self.source.unit

    @property
    def has_streams(self) -> bool:
        """Whether any text has named speakers."""
        return len(self.stream_names) > 1 or self.stream_names[:1] != [""]

    @cached_property
    def item_codes(self) -> Ints:
        """The number of each row's text and speaker, in the order they are first met."""
        if len(self.stream_names) <= 1:
            return np.asarray(self.text_codes)
        return np.asarray(self._item_rows[1])

    @cached_property
    def _item_rows(self) -> tuple[Ints, Ints]:
        """The first row of every item, and the number of each row's item."""
        codes = self.text_codes.astype(np.int64) * len(self.stream_names) + self.stream_codes
        return first_met(codes)

    @property
    def item_rows(self) -> Ints:
        """The first row of every text and speaker."""
        return self._item_rows[0]

    @property
    def items(self) -> list[Item]:
        """The (text, speaker) pairs in order."""
        rows = self.item_rows
        texts = self.text_names.take(self.text_codes[rows])
        streams = self.stream_names[:]
        return [
            (text, streams[code])
            for text, code in zip(texts, self.stream_codes[rows].tolist(), strict=True)
        ]

    @property
    def kind_names(self) -> tuple[str, ...] | None:
        """The boundary types of the task, all that any coder names; None without types."""
        return self.vocabulary

    @property
    def has_probabilities(self) -> bool:
        """Whether some boundaries are not certain: they have a weight below 1."""
        return not self.column.is_certain

    @property
    def _are_weighted(self) -> npt.NDArray[np.bool_]:
        """Which rows have a boundary that is not certain."""
        below = np.concatenate(([0], np.cumsum(self.column.row_weights < 1)))
        return np.asarray(np.diff(below[self.column.offsets]) > 0)

    @property
    def is_mixed(self) -> bool:
        """Whether some rows have boundary types and others have none."""
        return self.typed is not None

    def segmentation(self, row: int) -> Segmentation:
        """Return one row as a person holds it."""
        typed = self.typed is None or bool(self.typed[row])
        return self.column.segmentation(
            row, int(self.units[row]), self.vocabulary if typed else None
        )

    def key(self, row: int) -> Key:
        """Return the names of a row."""
        return Key(
            self.text_names[int(self.text_codes[row])],
            self.stream_names[int(self.stream_codes[row])],
            self.coder_names[int(self.coder_codes[row])],
        )

    def keys(self) -> Iterator[Key]:
        """Return the names of every row."""
        texts, streams, coders = self.texts, self.stream_names[:], self.coders
        codes = (self.text_codes, self.stream_codes, self.coder_codes)
        for text, stream, coder in zip(*(one.tolist() for one in codes), strict=True):
            yield Key(texts[text], streams[stream], coders[coder])

    @cached_property
    def _row_of(self) -> dict[Key, int]:
        """The row of each key; made when the first is asked for."""
        return {key: row for row, key in enumerate(self.keys())}

    def __getitem__(self, key: str | tuple[str, ...]) -> Segmentation:
        """Return ``corpus[text]``, ``corpus[text, coder]`` or ``corpus[text, stream, coder]``."""
        if isinstance(key, str):
            return self.segmentation(self._only_row(key))
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise KeyError(
                f"a segmentation is found by its text, or by text and coder, not by {key!r}; the "
                f"texts are {listed(self.text_names, 5)}"
            )
        full = self._full(key)
        if full not in self._row_of:
            raise KeyError(self._missing(full))
        return self.segmentation(self._row_of[full])

    @staticmethod
    def _full(key: tuple[str, ...]) -> Key:
        return Key(*key) if len(key) == 3 else Key(key[0], "", key[1])

    def _only_row(self, text: str) -> int:
        rows = np.flatnonzero(self.text_codes == self.text_names.find(text))
        if len(rows) == 1:
            return int(rows[0])
        if not len(rows):
            raise KeyError(f"{self.name} has no text {text!r}; there are {listed(self.texts, 5)}")
        one, more = self.key(int(rows[0])), len(rows) - 1
        example = ", ".join(repr(name) for name in one if name)
        raise KeyError(
            f"{text} has {len(rows)} segmentations: choose one with corpus[{example}], or {more} "
            "other"
        )

    def _missing(self, key: Key) -> str:
        known = self.text_names.find(key.text)
        if known < 0:
            there = f"there are the texts {listed(self.texts, 5)}"
        else:
            rows = np.flatnonzero(self.text_codes == known)
            own = [self.key(int(row)) for row in rows[:6]]
            there = "this text has segmentations of " + "; ".join(
                f"{one.stream} by {one.coder}" if one.stream else one.coder for one in own
            )
        return f"{self.name} has no segmentation of {_named(key)}; {there}"

    @property
    def entries(self) -> Mapping[Key, Segmentation]:
        """The segmentations by key: a view that makes each when it is asked for."""
        return _Lazy(lambda: self._row_of, self.segmentation)

    @property
    def sources(self) -> Mapping[Key, str]:
        """Where each segmentation was read, by key."""
        known = self.source.places is not None or self.source.lines is not None or self.source.file
        return _Lazy(lambda: self._row_of, self.where_read) if known else {}

    def where_read(self, row: int) -> str:
        """Return where a row was read, for messages."""
        key = self.key(row)
        return self.source.where(row, [key.text, *([key.coder] if key.coder != ONLY else [])])

    @property
    def tokens(self) -> Mapping[Item, Sequence[str]]:
        """The words or sentences themselves, by (text, speaker), where they are known."""
        if self.words is None:
            return {}
        words = self.words
        return _Lazy(lambda: self._worded_items, lambda item: list[str](json.loads(words[item])))

    @cached_property
    def _worded_items(self) -> dict[Item, int]:
        """The numbers of the items whose words are known."""
        known = [] if self.words is None else (self.words.sizes > 0).tolist()
        return {item: i for i, item in enumerate(self.items) if known[i]}

    def title(self, text: str) -> str:
        """Return a text's own name: none where it is only called as its file is.

        What must not change when a file gets another name (draws, fingerprints) depends on this
        name.
        """
        return "" if self.source.naming == "file" else text

    def view(self, sees: View, needed_by: str = "this view") -> Corpus:
        """Return the corpus as a metric sees it (see ``Pairs.view``).

        ``needed_by`` says in an error who needs boundaries where the corpus has probabilities.
        """
        if sees != "weights" and self.has_probabilities:
            raise refuse_probabilities(self.source.file or self.name, f"{needed_by} needs")
        if sees not in ("positions", "weights") and self.is_mixed:
            raise SegmentationError(
                "some segmentations have boundary types and others have none, so types cannot be "
                "compared; give all of them types, or none"
            )
        if self.vocabulary is None or sees == "kinds+end":
            return self
        names = self.vocabulary if sees not in ("positions", "weights") else None
        return self._changed(
            column=visible(self.column, self.units, sees), vocabulary=names, typed=None
        )

    def levels(self, types: Order = None) -> tuple[str, ...]:
        """Return the boundary types as levels, the coarsest first (see ``at``)."""
        if self.is_mixed:
            row = int(np.argmin(np.asarray(self.typed)))
            raise SegmentationError(
                f"{self.source.file or self.name}: {_named(self.key(row))} has no boundary types, "
                "so no levels, which others have; give all of them levels, or none"
            )
        return levels_of(
            self.vocabulary, types, self.source.file or self.name, self.first_boundary_of
        )

    def first_boundary_of(self, kind: str) -> str:
        """Return the text and position of the first boundary of a type; "" where there is none."""
        assert self.vocabulary is not None
        assert self.column.kinds is not None
        found = np.flatnonzero(self.column.kinds == self.vocabulary.index(kind))
        if not len(found):
            return ""
        row = int(np.searchsorted(self.column.offsets, found[0], side="right")) - 1
        return f"{_named(self.key(row))}, after {self.unit} {self.column.values[found[0]]}"

    def has_levels(self, types: Order = None) -> bool:
        """Return whether :meth:`levels` finds levels: all texts have types with an order."""
        try:
            return bool(self.levels(types))
        except SegmentationError:
            return False

    def at(self, level: int | str, types: Order = None) -> Corpus:
        """Return the flat corpus of one level: its boundaries and all of coarser levels.

        Levels are boundary types: whole numbers of which 1 is the coarsest, or names whose order
        ``types`` declares from the finest to the coarsest.

        >>> seg = Segmentation(6, [2, 4, 5], [2, 1, 3])
        >>> corpus = Corpus.from_dict({"d1": seg})
        >>> corpus.levels(), corpus.at(2)["d1"]
        (('1', '2', '3'), Segmentation(units=6, cuts=[2, 4]))
        """
        own = self.levels(types)
        last = find_level(level, own, self.source.file or self.name)
        assert self.vocabulary is not None
        assert self.column.kinds is not None
        flat = self.column.keep(is_kept(self.column.kinds, self.vocabulary, own, last))
        choices = {**self.source.choices, "levels": str(level)}
        return self._changed(
            column=visible(flat, self.units, "positions"),
            vocabulary=None,
            source=replace(self.source, choices=choices),
        )

    # The same with something changed.

    def _changed(self, **changes: Any) -> Corpus:
        fields: dict[str, Any] = {
            "column": self.column,
            "units": self.units,
            "texts": (self.text_codes, self.text_names),
            "streams": (self.stream_codes, self.stream_names),
            "coders": (self.coder_codes, self.coder_names),
            "vocabulary": self.vocabulary,
            "typed": self.typed,
            "words": self.words,
            "source": self.source,
            **changes,
        }
        return Corpus(fields.pop("column"), fields.pop("units"), **fields)

    def at_threshold(self, threshold: float) -> Corpus:
        """Return the boundaries whose weight is at least ``threshold``, as certain ones.

        >>> corpus = Corpus.from_dict({"d1": Segmentation.from_probabilities([0.2, 0.7])})
        >>> corpus.at_threshold(0.5)["d1"]
        Segmentation(units=3, cuts=[2])
        """
        least = as_threshold(threshold)
        choices = {**self.source.choices, "threshold": number_of_digits(least)}
        choices.pop("probabilities", None)
        return self._changed(
            column=self.column.at_threshold(least),
            source=replace(self.source, choices=choices),
        )

    def with_cuts(self, column: Column) -> Corpus:
        """Return the corpus with other boundaries in the same texts; they have been checked."""
        return self._changed(column=column)

    def described(self, **changes: Any) -> Corpus:
        """Return the corpus with other facts in its source: ``corpus.described(name="gold")``."""
        return self._changed(source=replace(self.source, **changes))

    def with_entries(
        self,
        entries: Mapping[Key, Segmentation],
        words: Mapping[Item, Sequence[str]] | None = None,
        **source: Any,
    ) -> Corpus:
        """Return other segmentations that were understood as these were."""
        made = Corpus.from_entries(entries, self.tokens if words is None else words)
        changes = {"lines": None, "places": None, **source}
        return made._changed(source=replace(self.source, **changes))

    def by_text(self) -> dict[str, Corpus]:
        """Return a corpus for each text, in which annotators are texts: {system: {text: ...}}."""
        order = np.argsort(self.text_codes, kind="stable")
        ends = np.cumsum(np.bincount(self.text_codes, minlength=len(self.text_names)))
        made = {}
        for name, which in zip(self.texts, np.split(order, ends[:-1]), strict=True):
            own = self.take(which)
            column, vocabulary, typed = own.column, own.vocabulary, own.typed
            if typed is not None and not typed.any():
                column, vocabulary, typed = Column.own(column.values, column.offsets), None, None
            if vocabulary is not None and column.kinds is not None:  # prices go by types in use
                used, kinds = np.unique(column.kinds, return_inverse=True)
                vocabulary = tuple(vocabulary[kind] for kind in used.tolist())
                column = Column.own(column.values, column.offsets, kinds.astype(np.int32))
            made[name] = own._changed(
                column=column,
                vocabulary=vocabulary,
                typed=typed,
                texts=(own.coder_codes, own.coder_names),
                coders=None,
                words=None,
                source=replace(own.source, name=name, lines=None, places=None),
            )
        return made

    def take(self, rows: Ints) -> Corpus:
        """Return these rows, in their order, with names numbered anew."""
        if len(rows) == len(self) and (rows == np.arange(len(self))).all():
            return self
        words = (
            None
            if self.words is None
            else self.words.take(self.item_codes[rows][first_met(self.item_codes[rows])[0]])
        )
        lines, places = self.source.lines, self.source.places
        source = replace(
            self.source,
            lines=None if lines is None else owned(lines[rows]),
            places=None if places is None else [places[row] for row in rows.tolist()],
        )
        return self._changed(
            column=self.column.take(np.asarray(rows, dtype=np.int64)),
            units=self.units[rows],
            texts=renumbered(self.text_codes[rows], self.text_names),
            streams=renumbered(self.stream_codes[rows], self.stream_names),
            coders=renumbered(self.coder_codes[rows], self.coder_names),
            typed=None if self.typed is None else self.typed[rows],
            words=words,
            source=source,
        )

    def where(self, texts: Iterable[str]) -> Corpus:
        """Return only these texts."""
        wanted = np.zeros(len(self.text_names) + 1, dtype=bool)  # the last is for unknown names
        wanted[[self.text_names.find(text) for text in texts]] = True
        wanted[-1] = False
        return self.take(np.flatnonzero(wanted[self.text_codes]))

    def by(self, coder: str) -> Corpus:
        """Return only the segmentations of one coder."""
        return self.take(np.flatnonzero(self.coder_codes == self.coder_names.find(coder)))

    def renamed(self, text: str) -> Corpus:
        """Return the corpus with its only text under another name."""
        return self._changed(texts=(self.text_codes, Strings.of([text])))

    def rename_coders(self, names: Mapping[tuple[str | None, str], str]) -> Corpus:
        """Return the corpus with other names of coders, by (text, coder), or (None, coder).

        Others keep theirs. Names may bring together what one person did under several.
        """
        new = [
            key._replace(
                coder=names.get((key.text, key.coder), names.get((None, key.coder), key.coder))
            )
            for key in self.keys()
        ]
        seen: set[Key] = set()
        for key in new:
            if key in seen:
                raise SegmentationError(f"{_named(key)} would stand for two coders")
            seen.add(key)
        return self._changed(coders=Strings.of(key.coder for key in new).codes())

    def anonymized(self, keep: str | None = None) -> Corpus:
        """Return coders as "coder A", "coder B", ..., in an order that names do not decide.

        Letters follow a digest of what each coder did. So a letter tells no more about a person
        than the boundaries themselves. One coder may ``keep`` its name.
        """
        others = [name for name in self.coders if name != keep]
        done: dict[str, list[bytes]] = {name: [] for name in others}
        for key, seg in self.entries.items():
            if key.coder != keep:
                done[key.coder].append(repr((key.text, key.stream)).encode() + _content(seg))
        digests = {name: blake2b(b"\n".join(sorted(own))) for name, own in done.items()}
        order = sorted(others, key=lambda name: digests[name].digest())
        free = (f"coder {_letters(i)}" for i in itertools.count())
        letters: dict[tuple[str | None, str], str] = {
            (None, name): letter
            for name, letter in zip(order, (one for one in free if one != keep), strict=False)
        }
        new = self.rename_coders(letters)
        # Texts keep their order; within a text the letters' order says nothing of the file's.
        rank = {name: i for i, name in enumerate(sorted(new.coders, key=lambda n: (len(n), n)))}
        ranks = np.array([rank[name] for name in new.coders], dtype=np.int64)
        rows = np.lexsort((ranks[new.coder_codes], new.item_codes))
        return new.take(rows).described(lines=None, places=None, file="")

    def check_streams(self) -> None:
        """Refuse a coder who annotated a text but not all of its speakers."""
        if not self.has_streams:
            return
        pairs = self.text_codes.astype(np.int64) * len(self.coder_names) + self.coder_codes
        rows, group = first_met(pairs)
        done = np.bincount(group)
        wanted = np.bincount(self.text_codes[self.item_rows], minlength=len(self.text_names))
        lacking = np.flatnonzero(done < wanted[self.text_codes[rows]])
        if not len(lacking):
            return
        first = self.key(int(rows[lacking[0]]))
        own = {key.stream for key in self.keys() if key[0::2] == (first.text, first.coder)}
        stream = next(s for text, s in self.items if text == first.text and s not in own)
        raise SegmentationError(
            f"text {first.text}: {first.coder} lacks the speaker {stream!r}, whom another "
            "annotator has; all speakers of a text belong together"
        )

    def fingerprint(self) -> str:
        """Return eight characters for texts and boundaries, by which two people see if theirs
        agree.

        Neither the order of texts, nor the names of coders, nor the name of a file that gives its
        text no name, changes it.
        """
        named = self.source.naming != "file"
        names = self.text_names.hashes[self.text_codes] if named else np.uint64(0)
        streams = self.stream_names.hashes[self.stream_codes]
        rows = mix(names + mix(streams + mix(self.units.astype(np.uint64))))
        rows = mix(rows + row_hashes(self.column.values, self.column.offsets))
        if self.vocabulary is not None and self.column.kinds is not None:
            kinds = Strings.of(self.vocabulary).hashes[self.column.kinds]
            typed = row_hashes(kinds, self.column.offsets)
            rows = mix(rows + (typed if self.typed is None else np.where(self.typed, typed, 0)))
        if self.column.weights is not None:
            bits = self.column.weights.view(np.uint64)
            weighted = row_hashes(bits, self.column.offsets)
            rows = np.where(self._are_weighted, mix(rows + weighted), rows)
        total = int(rows.sum(dtype=np.uint64))
        return blake2b(total.to_bytes(8, "little"), digest_size=4).hexdigest()


@dataclass(eq=False, repr=False)
class Rows:
    """A run of rows as columns, as a scanner of a file gives them."""

    texts: Strings
    cuts: Ints  # of all rows, end to end
    offsets: Ints
    units: Ints
    lines: Ints  # empty where rows are known by their names
    coders: Sequence[str]  # the names that `coder_of` numbers
    coder_of: Ints  # -1 for a row without a coder; empty where no row has one
    words: Strings  # a JSON list of units for each row, or nothing


class CorpusBuilder:
    """Collects the rows of a corpus: one by one, or whole columns at once.

    >>> builder = CorpusBuilder()
    >>> builder.add(Key("d1", "", "anna"), Segmentation.from_masses([2, 1]), ["a", "b", "c"])
    >>> corpus = builder.build(name="gold", unit="word")
    >>> corpus["d1"], corpus.tokens["d1", ""]
    (Segmentation(units=3, cuts=[2]), ['a', 'b', 'c'])
    """

    def __init__(self) -> None:
        self._rows: dict[Key, Segmentation] = {}
        self._words: dict[Item, Sequence[str]] = {}
        self._places: list[str] = []
        self._parts: list[Rows] = []

    def __contains__(self, key: Key) -> bool:
        return key in self._rows

    def add(
        self,
        key: Key,
        segmentation: Segmentation,
        words: Sequence[str] | None = None,
        where: str | None = None,
    ) -> None:
        """Add a segmentation, its units if they are known, and where it was read."""
        if key in self._rows:
            raise SegmentationError(f"{_named(key)} is given twice")
        self._rows[key] = segmentation
        if words is not None:
            self.add_words((key.text, key.stream), words)
        if where is not None:
            self._places.append(where)

    def add_words(self, item: Item, words: Sequence[str]) -> None:
        """Add the units of a text and speaker; of several lists the last stays."""
        self._words[item] = words

    def add_rows(self, rows: Rows) -> None:
        """Add many rows at once; their columns have been checked, and their keys differ."""
        self._parts.append(rows)

    def build(self, **source: Any) -> Corpus:
        """Return the corpus; ``Source`` has the keywords."""
        return self._from_parts(source) if self._parts else self._from_rows(source)

    def _from_rows(self, source: dict[str, Any]) -> Corpus:
        segs = list(self._rows.values())
        units = np.array([seg.units for seg in segs], dtype=np.int64)
        named = list(dict.fromkeys(s.kind_names for s in segs if s.kind_names is not None))
        vocabulary = merge_vocabularies(named) if named else None
        typed = np.array([seg.kinds is not None for seg in segs], dtype=bool)
        if self._places and len(self._places) == len(segs):
            source["places"] = self._places
        return Corpus(
            _narrow(flatten(segs, vocabulary), units),
            owned(units),
            texts=Strings.of(key.text for key in self._rows).codes(),
            streams=Strings.of(key.stream for key in self._rows).codes(),
            coders=Strings.of(key.coder for key in self._rows).codes(),
            vocabulary=vocabulary,
            typed=None if typed.all() or not typed.any() else owned(typed),
            words=self._all_words(),
            source=Source(**source),
        )

    def _all_words(self) -> Strings | None:
        """A JSON list for each item, in the order items are met."""
        items = dict.fromkeys((key.text, key.stream) for key in self._rows)
        if not any(item in self._words for item in items):
            return None
        return Strings.of(
            written_words(self._words[item]) if item in self._words else "" for item in items
        )

    def _from_parts(self, source: dict[str, Any]) -> Corpus:
        parts = self._parts
        units = np.concatenate([part.units for part in parts])
        names = Strings.join([part.texts for part in parts])
        coders = _joined_coders(parts) if any(len(part.coders) for part in parts) else None
        # Keys differ, so where no row has a coder every row is a text of its own.
        texts = names.codes() if coders else (np.arange(len(names), dtype=np.int64), names)
        words = None
        if any(part.words.data for part in parts):
            words = _words_by_item(Strings.join([part.words for part in parts]), *texts)
        if any(len(part.lines) for part in parts):
            source["lines"] = owned(np.concatenate([part.lines for part in parts]))
        return Corpus(
            _joined_columns(parts, units),
            owned(units),
            texts=texts,
            coders=coders,
            words=words,
            source=Source(**source),
        )


def _joined_coders(parts: Sequence[Rows]) -> tuple[Ints, Strings]:
    """The coders of all parts, numbered in the order they are met."""
    names = list(dict.fromkeys([*(name for part in parts for name in part.coders), ONLY]))
    number = {name: i for i, name in enumerate(names)}
    codes = []
    for part in parts:
        own = np.array([*(number[name] for name in part.coders), number[ONLY]], dtype=np.int64)
        # A row without a coder has -1, which is the last.
        codes.append(
            own[part.coder_of] if len(part.coder_of) else np.full(len(part.units), own[-1])
        )
    return renumbered(np.concatenate(codes), Strings.of(names))


def _words_by_item(words: Strings, codes: Ints, texts: Strings) -> Strings:
    """The units of each text; of those that rows of several coders have, the last."""
    if len(words) == len(texts):
        return words
    last = np.zeros(len(texts), dtype=np.int64)
    last[codes] = np.arange(len(codes))
    known = np.flatnonzero(words.sizes)
    last[codes[known]] = known
    return words.take(last)


def _joined_columns(parts: Sequence[Rows], units: Ints) -> Column:
    """The cuts of all parts; positions take 32 bits where they fit."""
    dtype = np.int32 if int(units.max(initial=0)) < 2**31 else np.int64
    values: Any = np.concatenate([one.cuts for one in parts], dtype=dtype, casting="unsafe")
    starts = np.cumsum([0, *(len(one.cuts) for one in parts)])
    offsets = [one.offsets[:-1] + start for one, start in zip(parts, starts, strict=False)]
    return Column.own(values, np.concatenate([*offsets, starts[-1:]]))


def _narrow(column: Column, units: Ints) -> Column:
    """Positions in 32 bits where they fit: rows are copied often, and half as much is faster."""
    if int(units.max(initial=0)) >= 2**31:
        return column
    values = column.values.astype(np.int32)
    return Column.own(values, column.offsets, column.kinds, column.weights)


def written_words(words: Sequence[str]) -> str:
    """Return the units of a text as they are kept: a JSON list."""
    return json.dumps(list(words), ensure_ascii=False, separators=(",", ":"))


class _Lazy(Mapping[Name, Value], Generic[Name, Value]):
    """Something of each row or item by its name, made when it is asked for."""

    def __init__(self, number: Callable[[], dict[Name, int]], make: Callable[[int], Value]) -> None:
        self._number, self._make = number, make

    def __getitem__(self, name: Any) -> Value:
        return self._make(self._number()[name])

    def __iter__(self) -> Iterator[Name]:
        return iter(self._number())

    def __len__(self) -> int:
        return len(self._number())

    def __repr__(self) -> str:
        return repr(dict(self))


_UNNAMED, _ONE_CODER = Strings.of([""]), Strings.of([ONLY])


def _zeros(count: int) -> Ints:
    """A column of zeros that takes no memory."""
    return np.broadcast_to(np.int64(0), (count,))


def renumbered(codes: Ints, names: Strings) -> tuple[Ints, Strings]:
    """Return codes and names without the names that are not met any more, in order of meeting."""
    rows, codes_met = first_met(codes)
    return owned(codes_met), names.take(np.asarray(codes[rows], dtype=np.int64))


def _content(seg: Segmentation) -> bytes:
    """What was cut, whoever did it."""
    kinds = [] if seg.kinds is None else [kind for _, kind in seg.named_cuts]
    weights = () if seg.weights is None else (seg.weights.tolist(),)
    return repr((seg.units, seg.cuts.tolist(), kinds, *weights)).encode()


def _letters(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _named(key: Key) -> str:
    stream = f", {key.stream}" if key.stream else ""
    return f"text {key.text}{stream} by coder {key.coder}"
