"""A stream of words gets the boundaries that fit segmented references best (matusov2005)."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from fencepost.metrics.score import Score
from fencepost.metrics.signature import Signature
from fencepost.model.checks import Ints
from fencepost.model.corpus import Corpus, Key
from fencepost.model.documents import ReferenceDocument, ReferenceSet, Segment, Stream, StreamSet
from fencepost.model.segmentation import Segmentation
from fencepost.options import Missing
from fencepost.scoring.tables import Table
from fencepost.streams.alignment import StreamAlignment, Streams, Ties, align
from fencepost.streams.documents import Pair, Piece, StreamError, pair
from fencepost.streams.measures import reference_counts
from fencepost.streams.outputs import to_table, write_pieces
from fencepost.streams.tokens import Case, Punctuation, Tokens, number, tokenizer

Prefer = Literal["breaks"]
PAUSE = 0.5  # seconds without a word that count as a break
_SENTENCE_END = re.compile(r"[.?!…。！？।؟۔][\"'”’»)\]]*\s*$")


def resegment(
    references: Any,
    hypothesis: Any,
    *,
    tokenizer: Any = "words",
    ties: Ties = "rwth",
    prefer: Prefer | None = None,
    case: Case = "fold",
    punctuation: Punctuation = "keep",
    costs: tuple[int, int, int] = (1, 1, 1),
    like: Literal["mwersegmenter"] | None = None,
    missing: Missing = "error",
) -> Resegmentation:
    """Cut a hypothesis so that its segments are nearest to those of the references.

    ``references`` are segments: a text each, or several texts (None where a reference lacks the
    segment); or a dict of such lists by document; or what ``read_references`` read. The
    ``hypothesis`` is a text, a list of lines (its own boundaries), a dict of either by document,
    or what ``read_streams`` read. The sum of edits over all segments, each against its best
    reference, is the least there is; ``ties`` says which of equals is taken (see
    :func:`fencepost.streams.alignment.align`), ``prefer="breaks"`` that a place where the
    hypothesis itself breaks (a line end, a pause, the end of a sentence) comes first.

    >>> import fencepost as fp
    >>> found = fp.resegment(["a b", "c d"], "c d")
    >>> found.segments, found.distance, found.as_wer.value
    (['', 'c d'], 2, 0.5)
    """
    make = _tokenizer(tokenizer, case, punctuation)
    references_given, streams_given = _references(references), _streams(hypothesis)
    pairs = pair(references_given, streams_given, missing)
    for document in (one.document for one in pairs):
        if not document.segments:
            raise StreamError(f"document {document.id or 1} has no segments")
    if not isinstance(costs, (list, tuple)) or len(costs) != 3:
        raise StreamError(f"costs must be three whole numbers from 1 to 10,000, found {costs!r}")
    settings = _Settings(ties, prefer, tuple(costs), like, make.fields)
    streams = make.many([one.stream.text for one in pairs], streams_given.name)
    texts = [
        text
        for one in pairs
        for segment in one.document.segments
        for text in segment.references
        if text is not None
    ]
    return Resegmentation(pairs, streams, make.many(texts, references_given.name), settings)


def _tokenizer(given: Any, case: Case, punctuation: Punctuation) -> Any:
    return tokenizer(given, case=case, punctuation=punctuation)


# What people give.


def _references(given: Any) -> ReferenceSet:
    if isinstance(given, ReferenceSet):
        return given
    documents: list[ReferenceDocument] = []
    place = 0
    for name, segments in _by_document(given, "the references"):
        if isinstance(segments, (str, bytes)) or not isinstance(segments, Iterable):
            raise StreamError(
                "references are a list of segments, each a text or a list of texts, found "
                f"{type(segments).__name__}; files are read with read_references"
            )
        made = []
        for segment in segments:
            made.append(Segment(_texts(segment, place + 1), place=place))
            place += 1
        documents.append(ReferenceDocument(name, tuple(made)))
    return ReferenceSet(tuple(documents))


def _texts(segment: Any, place: int) -> tuple[str | None, ...]:
    several = isinstance(segment, (list, tuple))
    texts = tuple(segment) if several else (segment,)
    if (
        not texts
        or segment is None
        or not all(text is None or isinstance(text, str) for text in texts)
    ):
        raise StreamError(
            f"segment {place}: a reference is a text (or None), found {segment!r:.60}"
        )
    if all(text is None for text in texts):
        raise StreamError(f"segment {place} has no reference; an empty segment is an empty text")
    return texts


def _streams(given: Any) -> StreamSet:
    if isinstance(given, StreamSet):
        return given
    streams = []
    for name, one in _by_document(given, "the hypothesis"):
        if isinstance(one, Stream):
            streams.append(one)
        elif isinstance(one, str):
            streams.append(Stream(name, one))
        elif isinstance(one, Sequence) and all(isinstance(line, str) for line in one):
            lengths = [len(line) + 1 for line in one]
            breaks = tuple(np.cumsum(lengths[:-1]).tolist()) if len(one) > 1 else ()
            streams.append(Stream(name, "\n".join(one), breaks))
        else:
            raise StreamError(
                f"a hypothesis is a text or a list of lines, found {type(one).__name__}"
            )
    return StreamSet(tuple(streams))


def _by_document(given: Any, what: str) -> list[tuple[str | None, Any]]:
    if isinstance(given, Mapping):
        if not given:
            raise StreamError(f"{what} {'are' if what == 'the references' else 'is'} empty")
        return [(str(name), one) for name, one in given.items()]
    return [(None, given)]


@dataclass(frozen=True)
class _Settings:
    ties: Ties
    prefer: Prefer | None
    costs: tuple[int, ...]
    like: Literal["mwersegmenter"] | None
    tokens: Mapping[str, str]

    def fields(self) -> dict[str, str]:
        """What the signature tells."""
        made: dict[str, str] = {"ties": self.ties}
        if self.prefer:
            made["prefer"] = self.prefer
        if self.costs != (1, 1, 1):
            made["costs"] = ",".join(map(str, self.costs))
        if self.like:
            made["like"] = self.like
        return {**made, **self.tokens}


@dataclass(frozen=True)
class Ambiguity:
    """Which boundaries are certain, and where the others may stand in another optimum.

    Boundaries are those between two segments of a document, all documents one after the other.
    """

    places: list[Ints]
    as_wer: tuple[float, float]  # the range over all optima

    @property
    def certain(self) -> int:
        """How many boundaries have one place only."""
        return sum(len(own) == 1 for own in self.places)

    def __len__(self) -> int:
        return len(self.places)


class Resegmentation:
    """The segments that were found, and everything that follows from them.

    Words are counted within each document. What is known of a stream (spacing, times, delays)
    stays with its words: ``pieces`` has it segment by segment.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        streams: Sequence[Tokens],
        references: Sequence[Tokens],
        settings: _Settings,
    ) -> None:
        self.pairs = list(pairs)
        self.tokens = list(streams)
        self.settings = settings
        self._references = list(references)
        self._columns, self._which = self._lay_out()
        self.alignment = self._align()

    # The words as numbers, and the alignment.

    def _lay_out(self) -> tuple[Streams, list[list[int]]]:
        """All documents as columns; and which references each segment has."""
        which = [
            [i for i, text in enumerate(segment.references) if text is not None]
            for segment in self._segments
        ]
        columns, _ = number([*(t.words for t in self.tokens), *(t.words for t in self._references)])
        documents = len(self.tokens)
        of_document = [len(one.document.segments) for one in self.pairs]
        empty = np.empty(0, dtype=np.int32)
        return Streams(
            np.concatenate([empty, *columns[:documents]]),
            _offsets([len(t) for t in self.tokens]),
            np.concatenate([empty, *columns[documents:]]),
            _offsets([len(t) for t in self._references]),
            _offsets([len(own) for own in which]),
            _offsets(of_document),
            breaks=self._breaks() if self.settings.prefer else None,
            forbidden=self._forbidden(),
        ), which

    def _breaks(self) -> Any:
        """A flag for each position: the hypothesis ends a line or a sentence, or is silent."""
        parts = []
        for one, tokens in zip(self.pairs, self.tokens, strict=True):
            flags = np.zeros(len(tokens) + 1, dtype=np.uint8)
            flags[np.searchsorted(tokens.starts, one.stream.breaks)] = 1
            after_each = [*tokens.starts.tolist(), None][1:] if len(tokens) else []
            gaps = zip(tokens.ends.tolist(), after_each, strict=True)
            for place, (end, following) in enumerate(gaps, start=1):
                if _SENTENCE_END.search(one.stream.text[max(0, end - 2) : following]):
                    flags[place] = 1
            for word, after in pairwise(one.stream.words):
                silent = word.end is not None and after.start is not None
                if silent and (after.start or 0) - (word.end or 0) >= PAUSE:
                    flags[np.searchsorted(tokens.starts, after.first)] = 1
            parts.append(flags)
        return np.concatenate(parts)

    def _forbidden(self) -> Any:
        """A flag for each position inside a word; nothing where there is none."""
        if not any(tokens.inside.any() for tokens in self.tokens):
            return None
        return np.concatenate([np.append(t.inside, False) for t in self.tokens]).astype(np.uint8)

    def _align(self, **more: Any) -> StreamAlignment:
        s = self.settings
        costs: Any = s.costs
        return align(self._columns, ties=s.ties, prefer=s.prefer, costs=costs, like=s.like, **more)

    # The result in numbers.

    @property
    def _segments(self) -> list[Segment]:
        return [segment for one in self.pairs for segment in one.document.segments]

    @property
    def documents(self) -> list[str | None]:
        """The document of each segment."""
        return [one.document.id for one in self.pairs for _ in one.document.segments]

    @property
    def distance(self) -> int:
        """dL: what all edits cost together; their number, unless costs were given."""
        return int(self.alignment.distance.sum())

    @property
    def edits(self) -> int:
        """The number of edits."""
        a = self.alignment
        return int(a.substitutions.sum() + a.insertions.sum() + a.deletions.sum())

    @property
    def reference_words(self) -> int:
        """N^: the words of the chosen references."""
        return int(self.alignment.words.sum())

    @property
    def as_wer(self) -> Score:
        """Edits / N^; 1 for an empty hypothesis, undefined where no reference has a word."""
        a = self.alignment
        counts = {
            "substitutions": int(a.substitutions.sum()),
            "insertions": int(a.insertions.sum()),
            "deletions": int(a.deletions.sum()),
            "edits": self.edits,
            "distance": self.distance,
            "reference_words": self.reference_words,
        }
        refs = reference_counts([segment.references for segment in self._segments])
        signature = Signature.build("as_wer", {**self.settings.fields(), "refs": refs})
        words = self.reference_words
        return Score(self.edits / words if words else math.nan, counts, signature)

    @property
    def boundaries(self) -> list[int]:
        """After which word each segment but the last of its document ends."""
        return [int(end) for end in self.alignment.ends[self._inner]]

    @property
    def _inner(self) -> Ints:
        """The segments that another one follows."""
        keep = np.ones(len(self.alignment.ends), dtype=bool)
        keep[self.alignment.document_offsets[1:] - 1] = False
        return np.flatnonzero(keep)

    @property
    def chosen(self) -> list[int]:
        """Which reference each segment was compared with, from 1, as the files number them."""
        picked = self.alignment.chosen.tolist()
        return [own[i] + 1 for own, i in zip(self._which, picked, strict=True)]

    @cached_property
    def ambiguity(self) -> Ambiguity:
        """All places where each boundary can stand in an optimum, and the range of AS-WER."""
        found = self._align(ambiguity=True)
        assert found.fewest_words is not None
        assert found.most_words is not None
        most, fewest = int(found.most_words.sum()), int(found.fewest_words.sum())
        low = self.edits / most if most else math.nan
        high = self.edits / fewest if fewest else math.nan
        return Ambiguity([found.places(i) for i in self._inner.tolist()], (low, high))

    @cached_property
    def operations(self) -> list[list[tuple[str, int | None, int | None]]]:
        """The alignment: for each segment (operation, word of the hypothesis, of the reference)."""
        found = self._align(alignment=True)
        rows = [found.operations(i) for i in range(len(found.ends))]
        return [
            [(what, None if h < 0 else h, None if r < 0 else r) for what, h, r in own]
            for own in rows
        ]

    # The result in words.

    @cached_property
    def pieces(self) -> list[Piece]:
        """Every segment with its text, its place in the stream and what is known of its words."""
        a = self.alignment
        starts, ends, chosen = a.starts.tolist(), a.ends.tolist(), self.chosen
        made: list[Piece] = []
        for one, tokens in zip(self.pairs, self.tokens, strict=True):
            cuts = tokens.cuts().tolist()
            cuts[0], cuts[-1] = 0, len(one.stream.text)
            count = len(one.document.segments)
            for k, segment in enumerate(one.document.segments):
                i = len(made)
                first = 0 if k == 0 else cuts[starts[i]]
                last = cuts[-1] if k == count - 1 else cuts[ends[i]]
                start, end = one.stream.trimmed(first, max(first, last))
                made.append(
                    Piece(
                        one.document.id, k + 1, segment, one.stream.text[start:end], start, end,
                        starts[i], ends[i], chosen[i], segment.references[chosen[i] - 1] or "",
                        int(a.substitutions[i]), int(a.insertions[i]), int(a.deletions[i]),
                        one.stream.inside(start, end),
                    )
                )  # fmt: skip
        return made

    @property
    def segments(self) -> list[str]:
        """The text of every segment, as it was written."""
        return [piece.text for piece in self.pieces]

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of every segment, as they were compared."""
        return self._cut(self.alignment.starts, self.alignment.ends)

    def _cut(self, starts: Ints, ends: Ints) -> list[list[str]]:
        of_document = np.repeat(np.arange(len(self.pairs)), np.diff(self._columns.document_offsets))
        return [
            self.tokens[d].words[a:b]
            for d, a, b in zip(of_document.tolist(), starts.tolist(), ends.tolist(), strict=True)
        ]

    @cached_property
    def reference_tokens(self) -> list[list[list[str] | None]]:
        """The words of every segment's references; None where there is no such reference."""
        made: list[list[list[str] | None]] = []
        at = 0
        for segment, own in zip(self._segments, self._which, strict=True):
            row: list[list[str] | None] = [None] * len(segment.references)
            for i in own:
                row[i] = self._references[at].words
                at += 1
            made.append(row)
        return made

    @property
    def reference_texts(self) -> list[tuple[str | None, ...]]:
        """The texts of every segment's references."""
        return [segment.references for segment in self._segments]

    @property
    def words_in(self) -> int:
        """How many words the hypothesis has."""
        return sum(map(len, self.tokens))

    @property
    def words_out(self) -> int:
        """How many words stand in the texts of the segments: the same, or something was lost."""
        found = 0
        pieces = iter(self.pieces)
        for one, tokens in zip(self.pairs, self.tokens, strict=True):
            own = [next(pieces) for _ in one.document.segments]
            starts = np.searchsorted(tokens.starts, [piece.start for piece in own])
            ends = np.searchsorted(tokens.starts, [piece.end for piece in own])
            found += int((ends - starts).sum())
        return found

    @property
    def empty_segments(self) -> int:
        """Segments that got no word."""
        return sum(not words for words in self.words)

    # Its own boundaries.

    def given(self) -> list[list[str]] | None:
        """The words of the hypothesis' own segments, if each document has as many as references."""
        parts: list[list[str]] = []
        for one, tokens in zip(self.pairs, self.tokens, strict=True):
            places = np.searchsorted(tokens.starts, one.stream.breaks).tolist()
            if len(places) + 1 != len(one.document.segments):
                return None
            parts += [tokens.words[a:b] for a, b in pairwise([0, *places, len(tokens)])]
        return parts

    def given_texts(self) -> list[str] | None:
        """The same as texts."""
        texts: list[str] = []
        for one in self.pairs:
            if len(one.stream.breaks) + 1 != len(one.document.segments):
                return None
            bounds = [0, *one.stream.breaks, len(one.stream.text)]
            texts += [one.stream.text[a:b].strip() for a, b in pairwise(bounds)]
        return texts

    def segmentations(self) -> tuple[Corpus, Corpus]:
        """The found boundaries and the hypothesis' own, both over the words of the hypothesis.

        With them windowdiff, B or A score an automatic segmenter against references that have
        other words: the first is the reference, the second what the segmenter did.
        """
        found: dict[Key, Segmentation] = {}
        own: dict[Key, Segmentation] = {}
        tokens: dict[tuple[str, str], list[str]] = {}
        offsets = self.alignment.document_offsets.tolist()
        for number_, (one, read) in enumerate(zip(self.pairs, self.tokens, strict=True)):
            if not len(read):
                continue  # no words, no places
            key = Key(one.document.id or str(number_ + 1), "", "1")
            ends = self.alignment.ends[offsets[number_] : offsets[number_ + 1]]
            found[key] = _places(ends, len(read))
            own[key] = _places(np.searchsorted(read.starts, one.stream.breaks), len(read))
            tokens[key.text, ""] = [one.stream.text[a:b] for a, b in read.spans]
        return (
            Corpus.from_entries(found, tokens, name="references", unit="word"),
            Corpus.from_entries(own, tokens, name="own", unit="word"),
        )

    @property
    def has_breaks(self) -> bool:
        """Whether the hypothesis has any boundary of its own."""
        return any(one.stream.breaks for one in self.pairs)

    def table(self) -> Table:
        """One row a segment."""
        return to_table(self.pieces)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> int:
        """Write the segments as text, jsonl or omnisteval (by the ending); returns the lines."""
        return write_pieces(self.pieces, path, format)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from fencepost.report.html.notebook import resegmentation_html

        return resegmentation_html(self)

    def __str__(self) -> str:
        """AS-WER, the segments with the most errors, and which boundaries are certain."""
        from fencepost.report.segments import draw_resegmentation
        from fencepost.report.text import fit, terminal_width

        return fit(draw_resegmentation(self, terminal_width(sys.stdout)))

    def __repr__(self) -> str:
        return (
            f"<Resegmentation of {self.words_in} words into {len(self.alignment.ends)} segments: "
            f"{self.distance} edits, AS-WER {self.as_wer.value:.4f}>"
        )


def _offsets(sizes: Iterable[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(list(sizes), dtype=np.int64))).astype(np.int64)


def _places(ends: Any, words: int) -> Segmentation:
    """Boundaries inside a text; empty segments have none of their own."""
    inner = np.unique(np.asarray(ends, dtype=np.int64))
    return Segmentation(words, inner[(inner > 0) & (inner < words)].tolist())
