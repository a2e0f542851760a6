"""A stream of words gets the boundaries that fit segmented references best (matusov2005)."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from fencepost.metrics.score import Score
from fencepost.metrics.signature import Context
from fencepost.metrics.words import as_wer
from fencepost.model.checks import Ints, MetricError, offsets_of
from fencepost.model.corpus import Corpus, Key
from fencepost.model.segmentation import Segmentation
from fencepost.model.words import SegmentsBy, Texts, WordSegments
from fencepost.options import Missing
from fencepost.scoring.tables import Table
from fencepost.streams.alignment import StreamAlignment, Streams, Ties, align
from fencepost.streams.chopping import chop
from fencepost.streams.documents import Pair, Piece, StreamError, pair
from fencepost.streams.given import as_references, as_streams
from fencepost.streams.outputs import to_table, write_pieces
from fencepost.streams.placement import misplaced
from fencepost.streams.punctuation import Compared, settle_punctuation
from fencepost.streams.tokens import Case, Tokenizer
from fencepost.streams.tokens import tokenizer as make_tokenizer

Prefer = Literal["breaks"]
NO_LINES = "the hypothesis has no line of its own for each segment of the references"
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
    punctuation: Compared = "auto",
    costs: tuple[int, int, int] = (1, 1, 1),
    like: Literal["mwersegmenter"] | None = None,
    missing: Missing = "error",
    ambiguity: bool = True,
) -> Resegmentation:
    """Segment a hypothesis so that its segments are nearest to the references' segments.

    ``references`` are segments: a text each, or several texts (None where a reference lacks the
    segment); or a dict of such lists by document; or what ``read_references`` read. The
    ``hypothesis`` is a text, a list of lines (its own boundaries), a dict of either by document,
    or what ``read_streams`` read. The sum of edits over all segments, each against its best
    reference, is the least there is; ``ties`` says which of equals is taken (see
    :func:`fencepost.streams.alignment.align`), ``prefer="breaks"`` that a position where the
    hypothesis itself breaks (a line end, a pause, the end of a sentence) comes first.

    ``punctuation="auto"`` compares punctuation unless only one side has any, and ``notes`` says so
    (:mod:`fencepost.streams.punctuation` has the rule). Without ``ambiguity`` the positions that
    would be as good for each boundary are not looked for.

    >>> import fencepost as fp
    >>> found = fp.resegment(["a b", "c d"], "c d")
    >>> found.segments, found.distance, found.as_wer.value
    (['', 'c d'], 2, 0.5)
    """
    if not isinstance(costs, (list, tuple)) or len(costs) != 3:
        raise StreamError(f"costs must be three whole numbers from 1 to 10,000, found {costs!r}")
    given, streams = as_references(references), as_streams(hypothesis)
    pairs = pair(given, streams, missing)
    for document in (one.document for one in pairs):
        if not document.segments:
            raise StreamError(f"document {document.id or 1} has no segments")
    notes = [*given.notes, *streams.notes]
    punctuation, why = settle_punctuation(punctuation, tokenizer, given, [streams])
    notes += [why] if why else []
    words = make_tokenizer(tokenizer, case=case, punctuation=punctuation)
    settings = Settings(ties, prefer, tuple(costs), like, words, ambiguity, missing)
    return Resegmentation(pairs, settings, (given.name, streams.name), notes)


@dataclass(frozen=True)
class Settings:
    """How streams are compared and aligned."""

    ties: Ties
    prefer: Prefer | None
    costs: tuple[int, ...]
    like: Literal["mwersegmenter"] | None
    tokenizer: Tokenizer
    ambiguity: bool
    missing: Missing

    def fields(self) -> dict[str, str]:
        """The fields of signatures that have these settings."""
        made: dict[str, str] = {"ties": self.ties}
        if self.prefer:
            made["prefer"] = self.prefer
        if self.costs != (1, 1, 1):
            made["costs"] = ",".join(map(str, self.costs))
        if self.like:
            made["like"] = self.like
        return {**made, **self.tokenizer.fields}


class Ambiguity:
    """Which boundaries are certain, and which positions would be as good for the others.

    Boundaries are those between two segments of a document, all documents one after the other.
    """

    def __init__(self, alignment: StreamAlignment, inner: Ints, as_wer: tuple[float, float]):
        self._alignment = alignment
        self._inner = inner
        self.as_wer = as_wer  # the range over all optima

    @cached_property
    def places(self) -> list[Ints]:
        """All positions of each boundary that are optimal."""
        return [self._alignment.places(i) for i in self._inner.tolist()]

    @property
    def counts(self) -> Ints:
        """The number of positions of each boundary."""
        return self._alignment.place_counts[self._inner]

    @property
    def certain(self) -> int:
        """How many boundaries have one position only."""
        return int((self.counts == 1).sum())

    def __len__(self) -> int:
        return len(self._inner)


class Resegmentation:
    """The segments that were found, and everything that follows from them.

    Words are counted within each document. What is known of the words (spacing, times, delays)
    stays with them: ``pieces`` has it segment by segment. Words are aligned once; all numbers,
    texts and pictures come from that one alignment.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        settings: Settings,
        names: tuple[str, str] = ("the references", "the hypothesis"),
        notes: Sequence[str] = (),
    ) -> None:
        self.pairs = list(pairs)
        self.settings = settings
        self.notes = list(notes)
        self._segments = [segment for one in self.pairs for segment in one.document.segments]
        self._which = [
            [i for i, text in enumerate(segment.references) if text is not None]
            for segment in self._segments
        ]
        texts = [text for one in self._segments for text in one.references if text is not None]
        streams = [one.stream.text for one in self.pairs]
        self.tokens, self._reference_columns = settings.tokenizer.columns(
            streams, texts, where=(names[1], names[0])
        )
        self._columns = self._lay_out()
        self.alignment = align(
            self._columns,
            ties=settings.ties,
            prefer=settings.prefer,
            costs=settings.costs,  # type: ignore[arg-type] # three, as was checked
            like=settings.like,
            ambiguity=settings.ambiguity,
            alignment=True,
        )
        self.notes += self._misplaced()

    def _lay_out(self) -> Streams:
        """All documents as columns of numbers."""
        hyp, references = self.tokens, self._reference_columns
        return Streams(
            hyp.ids,
            hyp.offsets,
            references.ids,
            references.offsets,
            offsets_of([len(own) for own in self._which]),
            offsets_of([len(one.document.segments) for one in self.pairs]),
            breaks=self._breaks() if self.settings.prefer else None,
            forbidden=self._forbidden(),
            marks=self.tokens.marks().astype(np.uint8),
        )

    def _misplaced(self) -> Iterator[str]:
        """Sentences about streams that fit another document's references better."""
        c = self._columns
        return misplaced(
            [one.document.id for one in self.pairs],
            c.hyp,
            c.hyp_offsets,
            c.words,
            c.reference_offsets[c.segment_offsets[c.document_offsets]],
            len(self.tokens.vocabulary),
        )

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
        if not self.tokens.inside.any():
            return None
        # Every document has one position more than words: its end, which is always allowed.
        ends = self.tokens.offsets[1:]
        return np.insert(self.tokens.inside.astype(np.uint8), ends, 0)

    # The result in numbers.

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
        return as_wer.recipe().pooled(self, self.context())

    def context(self) -> Context:
        """How words were made, compared and aligned, as signatures have it."""
        s = self.settings
        missing = "" if s.missing == "error" else s.missing
        refs = self._found.reference_counts()
        return Context(reading=tuple(s.fields().items()), missing=missing, refs=refs)

    @property
    def boundaries(self) -> list[int]:
        """After which word each segment but the last of its document ends."""
        ends: list[int] = self.alignment.ends[self.inner].tolist()
        return ends

    @cached_property
    def inner(self) -> Ints:
        """The segments that another one of their document follows."""
        keep = np.ones(len(self.alignment.ends), dtype=bool)
        keep[self.alignment.document_offsets[1:] - 1] = False
        return np.flatnonzero(keep)

    @cached_property
    def chosen(self) -> list[int]:
        """Which reference each segment was compared with, from 1, as the files number them."""
        picked = self.alignment.chosen.tolist()
        return [own[i] + 1 for own, i in zip(self._which, picked, strict=True)]

    @property
    def chosen_words(self) -> Ints:
        """The words of the reference chosen for each segment."""
        picked = self._columns.segment_offsets[:-1] + self.alignment.chosen
        lengths: Ints = np.diff(self._columns.reference_offsets)[picked]
        return lengths

    @cached_property
    def ambiguity(self) -> Ambiguity:
        """All positions of each boundary that are optimal, and the range of AS-WER."""
        a = self.alignment
        if a.fewest_words is None or a.most_words is None:
            raise StreamError("ambiguity was not asked for: resegment(..., ambiguity=True)")
        most, fewest = int(a.most_words.sum()), int(a.fewest_words.sum())
        low = self.edits / most if most else math.nan
        high = self.edits / fewest if fewest else math.nan
        return Ambiguity(a, self.inner, (low, high))

    def boundary_places(self) -> Iterator[tuple[Piece, list[int]]]:
        """Every boundary: the segment that ends there, and all positions that are optimal."""
        for i, places in zip(self.inner.tolist(), self.ambiguity.places, strict=True):
            yield self.pieces[i], places.tolist()

    def operations(self, segment: int) -> list[tuple[str, int | None, int | None]]:
        """The alignment of one segment: operation, word of the hypothesis, of the reference."""
        return [
            (what, None if h < 0 else h, None if r < 0 else r)
            for what, h, r in self.alignment.operations(segment)
        ]

    def aligned_words(self, segment: int) -> list[tuple[str, str, str]]:
        """One segment: operation, word of the reference, word of the hypothesis; "" for none."""
        reference, words = self.chosen_reference(segment), self.words[segment]
        first = self.pieces[segment].first_token
        return [
            (what, "" if r is None else reference[r], "" if h is None else words[h - first])
            for what, h, r in self.operations(segment)
        ]

    # What metrics of words count.

    @cached_property
    def _found(self) -> WordSegments:
        starts = np.repeat(self.tokens.offsets[:-1], np.diff(self._columns.document_offsets))
        return self._cut(
            np.append(0, self.alignment.ends + starts),
            lambda: (self.segments, self.reference_texts),
        )

    def _cut(self, hyp_offsets: Ints, make_texts: Any) -> WordSegments:
        """The words of the hypothesis in these segments, beside all references."""
        c = self._columns
        return WordSegments(
            c.hyp,
            hyp_offsets,
            c.words,
            c.reference_offsets,
            c.segment_offsets,
            np.array([i for own in self._which for i in own], dtype=np.int64),
            np.array([len(segment.references) for segment in self._segments]),
            c.document_offsets,
            np.arange(len(self._segments)),
            make_texts,
        )

    def under(self, segments: SegmentsBy) -> WordSegments:
        """Return the segments into which the hypothesis is divided in this way."""
        if segments == "found":
            return self._found
        if segments == "document":
            return self._found.documents()
        if segments in ("chopped", "chopped-mean"):
            return self._cut(*self._chopped("segment" if segments == "chopped" else "mean"))
        if not self.has_own_lines:
            raise MetricError(NO_LINES)
        bounds = [
            np.searchsorted(tokens.starts, one.stream.breaks) + first
            for one, tokens, first in zip(
                self.pairs, self.tokens, self.tokens.offsets[:-1].tolist(), strict=True
            )
        ]
        ends = zip(bounds, self.tokens.offsets[1:].tolist(), strict=True)
        return self._cut(
            np.concatenate([[0], *(np.append(own, end) for own, end in ends)]), self._own_texts
        )

    def regrouped(self) -> WordSegments:
        """Return the segments that were found, with the hypothesis' own lines as references."""
        own, size = self.under("given"), len(self._segments)
        each = np.arange(size + 1, dtype=np.int64)
        found = self._found
        return WordSegments(
            found.hyp, found.hyp_offsets, own.hyp, own.hyp_offsets, each,
            np.zeros(size, dtype=np.int64), np.ones(size, dtype=np.int64), found.document_offsets,
            found.rows,
        )  # fmt: skip

    def aligned_edits(self) -> Ints:
        """Return substitutions, insertions, deletions, cost and reference words of each segment."""
        a = self.alignment
        edits = np.column_stack((a.substitutions, a.insertions, a.deletions))
        return np.column_stack((edits, edits @ np.array(self.settings.costs), self.chosen_words))

    @cached_property
    def has_own_lines(self) -> bool:
        """Whether the hypothesis has as many lines as there are segments, in every document."""
        return all(len(one.stream.breaks) + 1 == len(one.document.segments) for one in self.pairs)

    def _own_texts(self) -> Texts:
        texts: list[str] = []
        for one in self.pairs:
            bounds = [0, *one.stream.breaks, len(one.stream.text)]
            texts += [one.stream.text[a:b].strip() for a, b in pairwise(bounds)]
        return texts, self.reference_texts

    def _chopped(self, by: Literal["segment", "mean"]) -> tuple[Ints, Any]:
        """Where the streams are cut in proportion to the references, and what makes the texts."""
        offsets = self._columns.document_offsets
        inside = [
            chop(len(tokens), self.reference_tokens[first:last], by=by)
            for tokens, (first, last) in zip(self.tokens, pairwise(offsets.tolist()), strict=True)
        ]
        starts = self.tokens.offsets[:-1].tolist()
        ends = np.concatenate(
            [[0], *(own[1:] + start for own, start in zip(inside, starts, strict=True))]
        )

        def texts() -> Texts:
            made = [tokens.pieces(own) for tokens, own in zip(self.tokens, inside, strict=True)]
            return [text for own in made for text in own], self.reference_texts

        return ends, texts

    # The result in words.

    @cached_property
    def _characters(self) -> tuple[list[int], list[int]]:
        """Where the text of each segment starts and ends in its stream, spaces included."""
        a = self.alignment
        document = np.repeat(np.arange(len(self.pairs)), np.diff(a.document_offsets))
        cuts = self.tokens.cuts()
        base = self.tokens.offsets[document] + document  # every document has one cut more
        starts, ends = cuts[base + a.starts], cuts[base + a.ends]
        # What stands before the first word and after the last one belongs to a segment too.
        starts[a.document_offsets[:-1]] = 0
        ends[a.document_offsets[1:] - 1] = [len(one.stream.text) for one in self.pairs]
        return starts.tolist(), np.maximum(starts, ends).tolist()

    @cached_property
    def segments(self) -> list[str]:
        """The text of every segment, as it was written."""
        starts, ends = self._characters
        texts = (one.stream.text for one in self.pairs for _ in one.document.segments)
        return [text[a:b].strip() for text, a, b in zip(texts, starts, ends, strict=True)]

    @cached_property
    def pieces(self) -> list[Piece]:
        """Every segment: its text, its position in the hypothesis, what is known of its words."""
        a = self.alignment
        columns = (
            *self._characters, a.starts.tolist(), a.ends.tolist(), self.chosen,
            a.substitutions.tolist(), a.insertions.tolist(), a.deletions.tolist(),
        )  # fmt: skip
        rows = zip(*columns, strict=True)
        made: list[Piece] = []
        for one in self.pairs:
            for number, segment in enumerate(one.document.segments, start=1):
                start, end, first, last, chosen, substituted, inserted, deleted = next(rows)
                start, end = one.stream.trimmed(start, end)
                made.append(
                    Piece(
                        one.document.id, number, segment, one.stream.text[start:end], start, end,
                        first, last, chosen, segment.references[chosen - 1] or "",
                        substituted, inserted, deleted, one.stream.inside(start, end),
                    )
                )  # fmt: skip
        return made

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of every segment, as they were compared."""
        known = self.tokens.vocabulary
        ids = self._found.hyp.tolist()
        return [[known[i] for i in ids[a:b]] for a, b in pairwise(self._found.hyp_offsets.tolist())]

    @cached_property
    def reference_tokens(self) -> list[list[list[str] | None]]:
        """The words of every segment's references; None where there is no such reference."""
        made: list[list[list[str] | None]] = []
        at = 0
        for segment, own in zip(self._segments, self._which, strict=True):
            row: list[list[str] | None] = [None] * len(segment.references)
            for i in own:
                row[i] = self._reference_columns.words(at)
                at += 1
            made.append(row)
        return made

    def chosen_reference(self, segment: int) -> list[str]:
        """The words of the reference that a segment was compared with."""
        at = int(self._columns.segment_offsets[segment] + self.alignment.chosen[segment])
        return self._reference_columns.words(at)

    @property
    def reference_texts(self) -> list[tuple[str | None, ...]]:
        """The texts of every segment's references."""
        return [segment.references for segment in self._segments]

    @property
    def words_in(self) -> int:
        """How many words the hypothesis has."""
        return len(self.tokens.ids)

    @property
    def words_out(self) -> int:
        """How many words the texts of the segments have: the same, or something was lost."""
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
        return int((self._found.lengths == 0).sum())

    # Its own boundaries.

    def segmentations(self) -> tuple[Corpus, Corpus]:
        """The found boundaries and the hypothesis' own, both over the words of the hypothesis.

        With them windowdiff, B or A score an automatic segmentation against references that have
        other words: the first is the reference, the second the automatic one.
        """
        found: dict[Key, Segmentation] = {}
        own: dict[Key, Segmentation] = {}
        tokens: dict[tuple[str, str], list[str]] = {}
        how = self.settings.fields()  # boundaries follow from the words and the alignment
        offsets = self.alignment.document_offsets.tolist()
        for number, (one, read) in enumerate(zip(self.pairs, self.tokens, strict=True)):
            if not len(read):
                continue  # no words, no positions
            key = Key(one.document.id or str(number + 1), "", "1")
            ends = self.alignment.ends[offsets[number] : offsets[number + 1]]
            found[key] = _inner_boundaries(ends, len(read))
            breaks = np.searchsorted(read.starts, one.stream.breaks)
            own[key] = _inner_boundaries(breaks, len(read))
            tokens[key.text, ""] = [one.stream.text[a:b] for a, b in read.spans]
        return (
            Corpus.from_entries(found, tokens, name="references", unit="word", choices=how),
            Corpus.from_entries(own, tokens, name="own", unit="word", choices=how),
        )

    @property
    def has_breaks(self) -> bool:
        """Whether the hypothesis has any boundary of its own."""
        return any(one.stream.breaks for one in self.pairs)

    def table(self) -> Table:
        """One row per segment."""
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
            f"{self.edits} edits, AS-WER {self.as_wer.value:.4f}>"
        )


def _inner_boundaries(ends: Any, words: int) -> Segmentation:
    """Boundaries inside a text; empty segments have none of their own."""
    inner = np.unique(np.asarray(ends, dtype=np.int64))
    return Segmentation(words, inner[(inner > 0) & (inner < words)].tolist())
