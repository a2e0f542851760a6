"""Metrics of words in segments, against one or more references: WER, PER, NIST (matusov2005)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from fencepost import _core
from fencepost.metrics.bounds import Bounds, Stated
from fencepost.metrics.registry import Counts, Values, metric
from fencepost.metrics.settings import Choice
from fencepost.model.checks import Ints
from fencepost.model.words import SegmentsBy, Words, WordSegments, take
from fencepost.wording import plural

Formula = Literal["count", "rate", "equation1"]

CITE = "Matusov, Leusch, Bender & Ney (2005)"
NO_FLAGS = np.empty(0, dtype=np.uint8)
COLUMN_BYTES = 32 * 2**20  # of the kernel's columns of costs


class _Segments(Choice):
    """Which segments are measured; it is part of a metric's title."""

    def title(self, value: Any) -> str:
        """Return what a title adds for segments other than those that were found."""
        shown = {"given": ", own lines", "document": ", documents", "chopped": ", chopped",
                 "chopped-mean": ", equal pieces"}  # fmt: skip
        return shown.get(value, "")

    def conventions(self) -> tuple[str, ...]:
        """None: these are different segments, not conventions for the same ones."""
        return ()


SEGMENTS = _Segments(
    "which segments of the hypothesis are measured",
    quiet=True,
    choices=("found", "given", "document", "chopped", "chopped-mean"),
    meanings={
        "found": "the segments that the alignment found",
        "given": "the hypothesis' own lines",
        "document": "every document as one segment",
        "chopped": "the words divided in proportion to the references' lengths",
        "chopped-mean": "the words divided into pieces of the references' mean length",
    },
)
READING = Choice(
    "which of several references counts",
    choices=("count", "rate", "equation1"),
    meanings={
        "count": "the reference with the fewest errors, and its length",
        "rate": "the reference with the lowest error rate",
        "equation1": "the fewest errors, over the length of the reference with the lowest rate",
    },
)


# Errors per reference, and which reference counts.


def edit_columns(pairs: WordSegments) -> Ints:
    """Return substitutions, insertions and deletions for each reference and its segment.

    The two are a document of one segment with one reference: the aligner's kernel counts them.
    """
    references = len(pairs.owners)
    each = np.arange(references + 1, dtype=np.int64)
    hyp, hyp_offsets = take(pairs.hyp, pairs.hyp_offsets, pairs.owners)
    vocabulary = max(int(column.max(initial=-1)) for column in (pairs.hyp, pairs.words)) + 1
    segments, *_ = _core.resegment(
        hyp, hyp_offsets, pairs.words, pairs.reference_offsets, each, each,
        NO_FLAGS, NO_FLAGS, NO_FLAGS,
        vocabulary=vocabulary, ties=0, costs=(1, 1, 1), peer_row=False, integers=False,
        plain=False, ambiguity=False, alignment=False, memory=COLUMN_BYTES,
    )  # fmt: skip
    return segments[:, 2:5]


def _least(pairs: WordSegments, key: Values | Ints) -> Ints:
    """Return the reference with the least key in each segment; of equals the first."""
    order = np.lexsort((np.arange(len(key)), key, pairs.owners))
    return order[pairs.segment_offsets[:-1]]


def _choose(pairs: WordSegments, errors: Ints, reading: str) -> tuple[Ints, Ints]:
    """Return whose errors and whose length count in each segment."""
    # An empty reference has no rate; its errors count as if it had one word.
    rate = _least(pairs, errors / np.maximum(pairs.reference_lengths, 1))
    if reading == "rate":
        return rate, rate
    fewest = _least(pairs, errors)
    return fewest, (fewest if reading == "count" else rate)


def _share(errors: Any, words: Any) -> Any:
    return np.where(words > 0, errors / words, math.nan)


def _error_rate(substitutions: Any, insertions: Any, deletions: Any, reference_words: Any) -> Any:
    return _share(substitutions + insertions + deletions, reference_words)


def _aligned_rate(edits: Any, reference_words: Any) -> Any:
    return _share(edits, reference_words)


def _as_wer_detail(edits: float, distance: float, reference_words: float, **_: Any) -> str:
    # Counts that were saved beside those of other metrics can come back as 12.0.
    if not reference_words:
        return "undefined: no reference has a word"
    made = f"{plural(round(edits), 'edit')} / {reference_words:.0f} words of the references chosen"
    return made if distance == edits else f"{made}; cost {distance:.0f}"


def _word_bounds(
    stated: Stated, reference_words: Values, columns: Mapping[str, Values],
    settings: Mapping[str, Any],
) -> Bounds:  # fmt: skip
    """The only reference of a segment has the words that its row states.

    A reference's words are substituted or deleted at most once, if the errors and the length that
    count are of one reference.
    """
    bounds: dict[str, Any] = {}
    if stated.own and settings.get("segments") != "document":
        bounds["reference_words"] = stated.units
    if "substitutions" in columns and settings.get("reading") != "equation1":
        bounds["substitutions"] = (0, reference_words - columns["deletions"])
    return bounds


def _aligned_bounds(
    stated: Stated,
    substitutions: Values,
    insertions: Values,
    deletions: Values,
    edits: Values,
    reference_words: Values,
    columns: Mapping[str, Values],
    settings: Mapping[str, Any],
) -> Bounds:
    """Edits are of three sorts, and each costs 1 or more."""
    return {
        **_word_bounds(stated, reference_words, columns, settings),
        "edits": substitutions + insertions + deletions,
        "distance": (edits, np.where(edits > 0, math.inf, 0)),
    }


def _nist_bounds(stated: Stated, hypothesis_words: Values, settings: Mapping[str, Any]) -> Bounds:
    """A segment of n words has n grams of one word, n - 1 of two, and so on."""
    bounds: dict[str, Any] = {}
    if settings["segments"] != "document":
        for order in range(1, NIST_ORDER + 1):
            bounds[f"ngrams{order}"] = np.maximum(hypothesis_words - order + 1, 0)
        if stated.own:
            bounds["reference_words"] = stated.units
    return bounds


@metric(
    input="words",
    title="AS-WER",
    cite=f"{CITE}, section 3",
    counts=("substitutions", "insertions", "deletions", "edits", "distance", "reference_words"),
    value=_aligned_rate,
    bounds=_aligned_bounds,
    better="lower",
    range=(0.0, math.inf),
    percent=True,
    detail=_as_wer_detail,
)
def as_wer(words: Words) -> Counts:
    r"""Word error rate of a stream of words under the segments that fit its references best.

    .. math:: AS\text{-}WER = \frac{1}{\hat N} \sum_k \min_r d_L(E_k, \tilde E_{rk})

    d_L is the number of substitutions, insertions and deletions. It is the least over all ways to
    divide the words E into segments E_k and to choose a reference r for each; N^ is the length of
    the references chosen. 0 is perfect, an empty hypothesis has 1; undefined where the references
    chosen have no words. Known weakness: N^ depends on the rule for ties where references differ in
    length.

    >>> as_wer([[["a", "b"]], [["c", "d"]]], [[], ["c", "d"]]).value
    0.5
    """
    found = words.aligned_edits()
    if found is None:
        pairs = words.under("found")
        edits = edit_columns(pairs)
        chosen, _ = _choose(pairs, edits.sum(axis=1), "count")
        edits, lengths = edits[chosen], pairs.reference_lengths[chosen]
        return np.column_stack((edits, edits.sum(axis=1), edits.sum(axis=1), lengths))
    edits = found[:, :3]
    return np.column_stack((edits, edits.sum(axis=1), found[:, 3:]))


@metric(
    input="words",
    title="WER",
    cite=f"{CITE}, equation 1 and section 4",
    counts=("substitutions", "insertions", "deletions", "reference_words"),
    value=_error_rate,
    bounds=_word_bounds,
    better="lower",
    range=(0.0, math.inf),
    percent=True,
)
def wer(
    words: Words,
    *,
    reading: Annotated[Formula, READING] = "rate",
    segments: Annotated[SegmentsBy, SEGMENTS] = "found",
) -> Counts:
    r"""Word error rate over segments, each against its best reference.

    .. math:: WER = \frac{1}{N^*} \sum_k \min_r d_L(E_k, \tilde E_{rk})

    The paper can be read in three ways. ``rate``: each segment takes the reference of the lowest
    d/N (section 4). ``count``: it takes the reference of the fewest edits, and its length, as
    AS-WER does. ``equation1``: the fewest edits, over the length of the reference of the lowest
    rate. An empty reference counts as rate d/1, of equal references the first is taken. 0 is
    perfect; undefined where the chosen references have no words. Known weakness: it punishes
    another order of words.

    >>> wer([["the cat sat".split(), "a cat sat down".split()]], ["the cat sat down".split()]).value
    0.25
    """
    pairs = words.under(segments)
    edits = edit_columns(pairs)
    errors, lengths = _choose(pairs, edits.sum(axis=1), reading)
    return np.column_stack((edits[errors], pairs.reference_lengths[lengths]))


@metric(
    input="words",
    title="PER",
    cite=f"{CITE}, section 2.2",
    counts=("errors", "reference_words"),
    value=lambda errors, reference_words: _share(errors, reference_words),
    bounds=_word_bounds,
    better="lower",
    range=(0.0, math.inf),
    aliases=("as_per",),
    percent=True,
)
def per(
    words: Words,
    *,
    reading: Annotated[Formula, READING] = "rate",
    segments: Annotated[SegmentsBy, SEGMENTS] = "found",
) -> Counts:
    r"""Position-independent error rate over segments, each against its best reference.

    .. math:: d_{PER} = \tfrac{1}{2} \left( |I - N| + \sum_e |n_e - \tilde n_e| \right)

    n are the counts of a word e, I and N the lengths; this is max(I, N) minus the words in common.
    The readings are the same as for WER. 0 is perfect; undefined where the chosen references have
    no words. Known weakness: word order does not count, so long segments look too good.

    >>> per([["a mat on it".split()]], ["on a mat".split()]).value
    0.25
    """
    pairs = words.under(segments)
    own, others = _grams(pairs)
    common = np.bincount(others.row, _shared(pairs, own, others), len(pairs.owners))
    sizes = pairs.lengths[pairs.owners]
    distance = np.maximum(sizes, pairs.reference_lengths) - common.astype(np.int64)
    errors, lengths = _choose(pairs, distance, reading)
    return np.column_stack((distance[errors], pairs.reference_lengths[lengths]))


@metric(
    input="words",
    title="segmentation ER",
    cite=f"{CITE}, section 4.3",
    counts=("substitutions", "insertions", "deletions", "hypothesis_words"),
    value=lambda substitutions, insertions, deletions, hypothesis_words: _share(
        substitutions + insertions + deletions, hypothesis_words
    ),
    bounds=lambda substitutions, insertions, hypothesis_words: {
        "substitutions": (0, hypothesis_words - insertions),
    },
    better="lower",
    range=(0.0, math.inf),
    aliases=("seger",),
    percent=True,
    lines=True,
)
def segmentation_error_rate(words: Words) -> Counts:
    r"""Word errors, segment by segment, between the same words under two segmentations.

    .. math:: \frac{1}{N} \sum_k d_L(E_k, E'_k)

    E_k are the segments that were found, E'_k the lines of the hypothesis itself, N all its words.
    0 says that all boundaries are the same; undefined where there are no words. Known weakness: a
    boundary that is off by one word costs two errors, whatever the length of the segments.

    >>> segmentation_error_rate([[["a", "b"]], [["c"]]], [["a"], ["b", "c"]]).value
    0.6666666666666666
    """
    pairs = words.regrouped()
    return np.column_stack((edit_columns(pairs), pairs.lengths))


# N-grams. A gram is numbered by its occurrence over both sides, order by order.


class _Counted:
    """How often each gram occurs in each row: of the hypotheses, or of all references."""

    def __init__(self, row: Ints, gram: Ints, grams: int) -> None:
        keys, times = np.unique(row * grams + gram, return_counts=True)
        self.row, self.gram, self.times = keys // grams, keys % grams, times


def _grams(pairs: WordSegments) -> tuple[_Counted, _Counted]:
    """Single words, counted on both sides."""
    size = 1 + max(int(column.max(initial=0)) for column in (pairs.hyp, pairs.words))
    own = np.repeat(np.arange(len(pairs)), pairs.lengths)
    others = np.repeat(np.arange(len(pairs.owners)), pairs.reference_lengths)
    return _Counted(own, pairs.hyp.astype(np.int64), size), _Counted(
        others, pairs.words.astype(np.int64), size
    )


def _shared(pairs: WordSegments, own: _Counted, others: _Counted) -> Ints:
    """For each gram of a reference, how often its segment has it, at most as often as itself."""
    grams = 1 + max(int(own.gram.max(initial=0)), int(others.gram.max(initial=0)))
    have = own.row * grams + own.gram
    want = pairs.owners[others.row] * grams + others.gram
    place = np.minimum(np.searchsorted(have, want), max(len(have) - 1, 0))
    if not len(have):
        return np.zeros(len(want), dtype=np.int64)
    return np.where(have[place] == want, np.minimum(own.times[place], others.times), 0)


NIST_ORDER = 5
_NIST_BETA = math.log(0.5) / math.log(1.5) ** 2


def _nist_value(counts: Counts) -> Values:
    info, total = counts[:, :NIST_ORDER], counts[:, NIST_ORDER : 2 * NIST_ORDER]
    score = np.where(total > 0, info / np.maximum(total, 1), 0.0).sum(axis=1)
    ratio = np.minimum(1.0, counts[:, -2] / counts[:, -1])
    penalty = np.where(ratio > 0, np.exp(_NIST_BETA * np.log(ratio) ** 2), 0.0)
    return np.where(counts[:, -1] > 0, score * penalty, math.nan)


@metric(
    input="words",
    title="NIST",
    cite="Doddington (2002); mteval-v13a",
    counts=(
        *(f"information{n}" for n in range(1, NIST_ORDER + 1)),
        *(f"ngrams{n}" for n in range(1, NIST_ORDER + 1)),
        "hypothesis_words",
        "reference_words",
    ),
    value=_nist_value,
    bounds=_nist_bounds,
    better="higher",
    range=(0.0, math.inf),
    aliases=("as_nist",),
)
def nist(words: Words, *, segments: Annotated[SegmentsBy, SEGMENTS] = "found") -> Counts:
    r"""Information of the matched n-grams for each n-gram of the hypothesis, n = 1 to 5.

    .. math:: \sum_{n=1}^5 \frac{\sum info(matches)}{\#ngrams}
        \cdot e^{\beta \ln^2 \min(1, L_{sys} / \bar L_{ref})}, \quad
        info(w_1..w_n) = \log_2 \frac{\#(w_1..w_{n-1})}{\#(w_1..w_n)}

    An n-gram matches as often as it occurs in one reference of its segment. Counts in info are over
    all references, and the mean length of a segment's references is its length. beta makes the
    penalty 0.5 at a ratio of 2/3. Resamples keep the weights of the whole test set. Higher is
    better, without an upper end; undefined where the references have no words. Known weakness:
    values depend on the references' own statistics, so they compare only on the same references.

    >>> round(nist([[["a", "b"], ["a", "c"]]], [["a", "b"]]).value, 4)
    2.5
    """
    pairs = words.under(segments)
    size = len(pairs)
    # Both sides end to end: first the segments, then all references, each a row.
    tokens = np.concatenate([pairs.hyp, pairs.words]).astype(np.int64)
    lengths = np.concatenate([pairs.lengths, pairs.reference_lengths])
    row = np.repeat(np.arange(len(lengths)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(tokens))  # words to the row's end
    gram, times = np.zeros(len(tokens), np.int64), np.array([float(len(pairs.words))])
    information, totals = [], []
    for order in range(1, NIST_ORDER + 1):
        starts = np.flatnonzero(left >= order)
        gram, times, info = _next_order(tokens, gram, times, starts, order, len(pairs.hyp))
        information.append(_matched(pairs, row[starts], gram[starts], info, size))
        totals.append(np.maximum(pairs.lengths - order + 1, 0).astype(np.float64))
    mean = np.bincount(pairs.owners, pairs.reference_lengths, size) / np.diff(pairs.segment_offsets)
    return np.column_stack([*information, *totals, pairs.lengths.astype(np.float64), mean])


def _next_order(
    tokens: Ints, shorter: Ints, times: Values, starts: Ints, order: int, own: int
) -> tuple[Ints, Values, Values]:
    """Return grams one word longer: their numbers by start, counts in references, information."""
    words = int(tokens.max(initial=0)) + 1
    keys, first, numbers = np.unique(
        shorter[starts] * words + tokens[starts + order - 1],
        return_index=True,
        return_inverse=True,
    )
    gram = np.full(len(tokens), -1, dtype=np.int64)
    gram[starts] = numbers
    counted = np.bincount(numbers[starts >= own], minlength=len(keys)).astype(np.float64)
    before = times[shorter[starts][first]] if len(keys) else np.zeros(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        info = np.where(counted > 0, np.log2(before / counted), 0.0)
    return gram, counted, info


def _matched(pairs: WordSegments, row: Ints, gram: Ints, info: Values, size: int) -> Values:
    """The information of each segment's matches: a gram counts as often as in one reference."""
    grams = max(len(info), 1)
    own = _Counted(row[row < size], gram[row < size], grams)
    others = _Counted(row[row >= size] - size, gram[row >= size], grams)
    keys = pairs.owners[others.row] * grams + others.gram
    order = np.argsort(keys, kind="stable")
    wanted, starts = np.unique(keys[order], return_index=True)
    if not len(wanted) or not len(own.row):
        return np.zeros(size)
    most = np.maximum.reduceat(others.times[order], starts)
    have = own.row * grams + own.gram
    place = np.minimum(np.searchsorted(wanted, have), len(wanted) - 1)
    times = np.where(wanted[place] == have, np.minimum(own.times, most[place]), 0)
    return np.bincount(own.row, times * info[own.gram], size).astype(np.float64)
