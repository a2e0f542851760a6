"""Measures of re-segmented words against their references: counts that add, and their value."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fencepost.metrics.registry import Counts, Values
from fencepost.metrics.score import Score
from fencepost.metrics.signature import Signature
from fencepost.model.checks import Ints, MetricError
from fencepost.scoring.count import add_counts
from fencepost.scoring.tables import Table
from fencepost.streams.edits import edit_columns
from fencepost.streams.tokens import number

Words: TypeAlias = Sequence[Hashable]  # one segment
Segments: TypeAlias = Sequence[Words]
# The references of each segment; None where a reference lacks the segment.
References: TypeAlias = Sequence[Sequence[Words | None]]
Texts: TypeAlias = Sequence[str]
TextReferences: TypeAlias = Sequence[Sequence[str | None]]

Formula = Literal["count", "rate", "equation1"]
Level = Literal["segment", "document"]

CITE = "Matusov, Leusch, Bender & Ney (2005)"


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure of segments of words: call it, or take its counts and add them."""

    name: str
    title: str
    cite: str
    better: Literal["lower", "higher"]
    columns: tuple[str, ...]
    function: Callable[..., Counts]
    formula: Callable[[Counts], Values]

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", inspect.getdoc(self.function))
        object.__setattr__(self, "__wrapped__", self.function)  # doctest finds the source here
        object.__setattr__(self, "__module__", self.function.__module__)
        object.__setattr__(self, "__name__", self.name)

    def __call__(
        self,
        hypotheses: Segments,
        references: References,
        *,
        level: Level = "segment",
        documents: Sequence[Hashable] | None = None,
        name: str | None = None,
        fields: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> Score:
        """The value over all segments.

        ``level="document"`` first puts each document's segments together (all of them, if
        ``documents`` does not name one for each segment). ``name`` and ``fields`` (how words
        were made and compared) go into the signature.
        """
        _check_choice("level", level, get_args(Level))
        check(hypotheses, references)
        refs = reference_counts(references)
        if level == "document":
            hypotheses, references = as_documents(hypotheses, references, documents)
        chosen = self.settings(**settings)
        total = add_counts(self.function(hypotheses, references, **chosen))
        value = float(self.value(total[None, :])[0])
        more = {"level": level} if level == "document" else {}
        written = {**{k: str(v) for k, v in chosen.items()}, **more, **(fields or {}), "refs": refs}
        counts = dict(zip(self.columns, total.tolist(), strict=True))
        return Score(value, counts, Signature.build(name or self.name, written))

    def settings(self, **given: Any) -> dict[str, Any]:
        """All settings, those not given at their default."""
        parameters = list(inspect.signature(self.function).parameters.values())[2:]
        known = {one.name: one.default for one in parameters}
        for key in given:
            if key not in known:
                raise MetricError(
                    f"{self.name} has no setting {key!r}; it has {', '.join(known) or 'none'}"
                )
        return {**known, **given}

    def count(self, hypotheses: Segments, references: References, **settings: Any) -> Counts:
        """One row of counts for each segment."""
        check(hypotheses, references)
        return self.function(hypotheses, references, **self.settings(**settings))

    def value(self, counts: Counts) -> Values:
        """The value of each row of counts; NaN where it is undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.formula(np.asarray(counts)), dtype=np.float64)

    def __repr__(self) -> str:
        return f"<measure {self.name}>"


def measure(
    *,
    title: str,
    cite: str,
    better: Literal["lower", "higher"],
    columns: tuple[str, ...],
    value: Callable[[Counts], Values],
) -> Callable[[Callable[..., Counts]], Measure]:
    """Declare a measure: the function counts, ``value`` reads rows of counts."""

    def declare(function: Callable[..., Counts]) -> Measure:
        return Measure(function.__name__, title, cite, better, columns, function, value)

    return declare


# Input.


def check(hypotheses: Any, references: Any, *, texts: bool = False) -> None:
    """Refuse what is not one hypothesis and at least one reference for each segment."""
    _check_list("the hypotheses", hypotheses)
    _check_list("the references", references)
    if len(hypotheses) != len(references):
        raise MetricError(
            f"{len(hypotheses)} hypothesis segments need as many reference segments, "
            f"found {len(references)}; if their boundaries differ, use fencepost resegment"
        )
    if not len(hypotheses):
        raise MetricError("there is no segment to measure")
    for place, (hypothesis, own) in enumerate(zip(hypotheses, references, strict=True), start=1):
        _check_segment(f"hypothesis of segment {place}", hypothesis, texts)
        _check_list(f"references of segment {place}", own)
        if all(reference is None for reference in own):
            raise MetricError(f"segment {place} has no reference; an empty one is written as such")
        for reference in own:
            if reference is not None:
                _check_segment(f"reference of segment {place}", reference, texts)


def _check_list(what: str, given: Any) -> None:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise MetricError(f"{what}: expected a list, found {type(given).__name__} {given!r:.60}")


def _check_segment(what: str, given: Any, texts: bool) -> None:
    if texts:
        if not isinstance(given, str):
            raise MetricError(
                f"{what}: expected its text, found {type(given).__name__} {given!r:.60}"
            )
    elif isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise MetricError(
            f"{what}: expected a list of words, found {type(given).__name__} {given!r:.60}; "
            "make tokens of it first"
        )


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise MetricError(f"{name} must be {' or '.join(choices)}, found {value!r}")


def reference_counts(references: Sequence[Sequence[Any]]) -> str:
    """How many references segments have, as a signature says it: "2", or "1-4"."""
    sizes = {sum(reference is not None for reference in own) for own in references}
    return str(min(sizes)) if len(sizes) == 1 else f"{min(sizes)}-{max(sizes)}"


def as_documents(
    hypotheses: Segments, references: References, documents: Sequence[Hashable] | None = None
) -> tuple[list[Any], list[list[Any]]]:
    """Each document's segments put together, as if it were one segment.

    Document r of the references has the r-th reference of each segment, or the first one where
    there is no r-th: the paper lets the same translation stand in several references.

    >>> as_documents([["a"], ["b"]], [[["a"], ["x"]], [["c"], None]])
    ([['a', 'b']], [[['a', 'c'], ['x', 'c']]])
    """
    names = [None] * len(hypotheses) if documents is None else list(documents)
    if len(names) != len(hypotheses):
        raise MetricError(f"{len(hypotheses)} segments need as many documents, found {len(names)}")
    rows: dict[Hashable, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return (
        [_together([hypotheses[row] for row in own]) for own in rows.values()],
        [_reference_documents([references[row] for row in own]) for own in rows.values()],
    )


def _reference_documents(references: References) -> list[Any]:
    size = max(map(len, references))
    filled = []
    for own in references:
        first = next(reference for reference in own if reference is not None)
        padded = [*own, *[None] * (size - len(own))]
        filled.append([first if reference is None else reference for reference in padded])
    return [_together(list(column)) for column in zip(*filled, strict=True)]


def _together(parts: list[Any]) -> Any:
    if isinstance(parts[0], str):
        return " ".join(parts)
    return [word for part in parts for word in part]


# WER and PER.


@dataclass(frozen=True)
class _Flat:
    """Every reference that is there, segment after segment."""

    segment: Ints  # which segment each belongs to
    length: Ints
    words: list[Words]

    @classmethod
    def of(cls, references: References) -> _Flat:
        found = [(k, ref) for k, own in enumerate(references) for ref in own if ref is not None]
        words = [reference for _, reference in found]
        return cls(
            np.array([segment for segment, _ in found], dtype=np.int64),
            np.array([len(reference) for reference in words], dtype=np.int64),
            words,
        )

    def choose(self, distance: Ints, reading: str) -> tuple[Ints, Ints]:
        """Whose distance and whose length count, for each segment; of equals the first."""
        # An empty reference has no rate; its errors count as if it had one word.
        rate = self._least(distance / np.maximum(self.length, 1))
        if reading == "rate":
            return rate, rate
        fewest = self._least(distance)
        return fewest, (fewest if reading == "count" else rate)

    def _least(self, key: Values | Ints) -> Ints:
        order = np.lexsort((np.arange(len(key)), key, self.segment))
        _, first = np.unique(self.segment[order], return_index=True)
        return order[first]


def _error_rate(counts: Counts) -> Values:
    errors, words = counts[:, :-1].sum(axis=1), counts[:, -1]
    return np.where(words > 0, errors / words, math.nan)


_READINGS = get_args(Formula)


@measure(
    title="WER",
    cite=f"{CITE}, equation 1 and section 4",
    better="lower",
    columns=("substitutions", "insertions", "deletions", "reference_words"),
    value=_error_rate,
)
def wer(hypotheses: Segments, references: References, *, reading: Formula = "rate") -> Counts:
    r"""Word error rate over segments, each against its best reference.

    .. math:: WER = \frac{1}{N^*} \sum_k \min_r d_L(E_k, \tilde E_{rk})

    The paper can be read in three ways. ``rate``: each segment takes the reference of the lowest
    d/N (section 4). ``count``: it takes that of the fewest edits, and its length, as AS-WER does.
    ``equation1``: the fewest edits, over the length of the reference of the lowest rate. An empty
    reference counts as rate d/1, of equal references the first is taken. 0 is perfect; undefined
    where the chosen references have no words. Known weakness: it punishes another order of words.

    >>> wer(["the cat sat down".split()], [["the cat sat".split(), "a cat sat down".split()]]).value
    0.25
    """
    _check_choice("reading", reading, _READINGS)
    flat = _Flat.of(references)
    columns, _ = number([*hypotheses, *flat.words])
    own, others = columns[: len(hypotheses)], columns[len(hypotheses) :]
    edits = edit_columns([own[segment] for segment in flat.segment.tolist()], others)
    errors, lengths = flat.choose(edits.sum(axis=1), reading)
    return np.column_stack((edits[errors], flat.length[lengths]))


@measure(
    title="PER",
    cite=f"{CITE}, section 2.2",
    better="lower",
    columns=("errors", "reference_words"),
    value=_error_rate,
)
def per(hypotheses: Segments, references: References, *, reading: Formula = "rate") -> Counts:
    r"""Position-independent error rate over segments, each against its best reference.

    .. math:: d_{PER} = \tfrac12 \Big( |I - N| + \sum_e |n_e - \tilde n_e| \Big)

    n are the counts of a word e, I and N the lengths; this is max(I, N) minus the words in
    common. The readings are those of WER. 0 is perfect; undefined where the chosen references
    have no words. Known weakness: word order does not count, so long segments look too good.

    >>> per(["on a mat".split()], [["a mat on it".split()]]).value
    0.25
    """
    _check_choice("reading", reading, _READINGS)
    flat = _Flat.of(references)
    bags = [Counter(words) for words in hypotheses]
    common = np.array(
        [
            (bags[segment] & Counter(words)).total()
            for segment, words in zip(flat.segment.tolist(), flat.words, strict=True)
        ],
        dtype=np.int64,
    )
    sizes = np.array([len(words) for words in hypotheses], dtype=np.int64)[flat.segment]
    distance = np.maximum(sizes, flat.length) - common
    errors, lengths = flat.choose(distance, reading)
    return np.column_stack((distance[errors], flat.length[lengths]))


# NIST.

NIST_ORDER = 5
_NIST_BETA = math.log(0.5) / math.log(1.5) ** 2


def _nist_value(counts: Counts) -> Values:
    info, total = counts[:, :NIST_ORDER], counts[:, NIST_ORDER : 2 * NIST_ORDER]
    score = np.where(total > 0, info / np.maximum(total, 1), 0.0).sum(axis=1)
    ratio = np.minimum(1.0, counts[:, -2] / counts[:, -1])
    penalty = np.where(ratio > 0, np.exp(_NIST_BETA * np.log(ratio) ** 2), 0.0)
    return np.where(counts[:, -1] > 0, score * penalty, math.nan)


@measure(
    title="NIST",
    cite="Doddington (2002); mteval-v13a",
    better="higher",
    columns=(
        *(f"information{n}" for n in range(1, NIST_ORDER + 1)),
        *(f"ngrams{n}" for n in range(1, NIST_ORDER + 1)),
        "hypothesis_words",
        "reference_words",
    ),
    value=_nist_value,
)
def nist(hypotheses: Segments, references: References) -> Counts:
    r"""NIST: the information of matched n-grams for each n-gram of the hypothesis, n = 1 to 5.

    .. math:: \sum_{n=1}^5 \frac{\sum info(matches)}{\#ngrams}
        \cdot e^{\beta \ln^2 \min(1, L_{sys} / \bar L_{ref})}, \quad
        info(w_1..w_n) = \log_2 \frac{\#(w_1..w_{n-1})}{\#(w_1..w_n)}

    An n-gram matches as often as it occurs in one reference of its segment. Counts in info are
    over all references, the mean length of a segment's references is its length, and beta makes
    the penalty 0.5 at a ratio of 2/3. Higher is better, without an upper end; undefined where the
    references have no words. Known weakness: values depend on the references' own statistics,
    so they compare only on the same references.

    >>> round(nist([["a", "b"]], [[["a", "b"], ["a", "c"]]]).value, 4)
    2.5
    """
    flat = _Flat.of(references)
    grams = [_ngrams(words) for words in flat.words]
    info = _information(grams, int(flat.length.sum()))
    of_segment = np.searchsorted(flat.segment, np.arange(len(hypotheses) + 1)).tolist()
    rows = []
    for segment, words in enumerate(hypotheses):
        first, last = of_segment[segment], of_segment[segment + 1]
        row = _nist_row(words, grams[first:last], info)
        rows.append([*row, len(words), float(flat.length[first:last].mean())])
    return np.array(rows, dtype=np.float64)


Grams: TypeAlias = list[Counter[tuple[Hashable, ...]]]


def _ngrams(words: Words) -> Grams:
    """How often each n-gram occurs, order by order."""
    return [
        Counter(zip(*(words[start:] for start in range(order)), strict=False))
        for order in range(1, NIST_ORDER + 1)
    ]


def _information(references: Sequence[Grams], words: int) -> list[dict[Any, float]]:
    counts: Grams = [Counter() for _ in range(NIST_ORDER)]
    for grams in references:
        for total, own in zip(counts, grams, strict=True):
            total.update(own)
    before: list[Mapping[Any, int]] = [{(): words}, *counts]
    return [
        {gram: math.log2(shorter[gram[:-1]] / count) for gram, count in own.items()}
        for shorter, own in zip(before, counts, strict=False)
    ]


def _nist_row(
    words: Words, references: Sequence[Grams], info: Sequence[Mapping[Any, float]]
) -> list[float]:
    matched, totals = [], []
    for order, own in enumerate(_ngrams(words)):
        most: Counter[tuple[Hashable, ...]] = Counter()
        for grams in references:
            most |= grams[order]
        matched.append(math.fsum(count * info[order][gram] for gram, count in (own & most).items()))
        totals.append(float(own.total()))
    return [*matched, *totals]


# Segmentation error rate.


def segmentation_error_rate(
    found: Segments, given: Segments, *, fields: Mapping[str, str] | None = None
) -> Score:
    """WER, segment by segment, between the same words under two segmentations.

    ``given`` are the segments that are right, or were there before. The rate is over all words.
    0 says that all boundaries are the same; undefined where there are no words.

    >>> segmentation_error_rate([["a"], ["b", "c"]], [["a", "b"], ["c"]]).counts["words"]
    3
    """
    check(found, [[words] for words in given])
    _check_same_words(found, given)
    columns, _ = number([*found, *given])
    edits = edit_columns(columns[: len(found)], columns[len(found) :]).sum(axis=0)
    words = sum(map(len, found))
    names = ("substitutions", "insertions", "deletions", "words")
    counts = dict(zip(names, [*edits.tolist(), words], strict=True))
    value = int(edits.sum()) / words if words else math.nan
    return Score(value, counts, Signature.build("seger", fields or {}))


def _check_same_words(found: Segments, given: Segments) -> None:
    left = [word for words in found for word in words]
    right = [word for words in given for word in words]
    if left == right:
        return
    part = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    raise MetricError(
        "the segmentation error rate compares two segmentations of the same words; they part at "
        f'word {part + 1}: "{_some(left, part)}" / "{_some(right, part)}"'
    )


def _some(words: list[Hashable], place: int) -> str:
    return " ".join(map(str, words[place : place + 4])) or "(the end)"


# BLEU, chrF and TER are sacrebleu's.


@dataclass(frozen=True, eq=False)
class SacrebleuMeasure:
    """A measure that sacrebleu computes from texts; its signature is sacrebleu's, unchanged."""

    name: str
    title: str
    better: Literal["lower", "higher"]
    class_name: str

    def __call__(
        self,
        hypotheses: Texts,
        references: TextReferences,
        *,
        level: Level = "segment",
        documents: Sequence[Hashable] | None = None,
        **settings: Any,
    ) -> Score:
        """The value over all segments; settings are those of sacrebleu's own class."""
        _check_choice("level", level, get_args(Level))
        check(hypotheses, references, texts=True)
        if level == "document":
            hypotheses, references = as_documents(hypotheses, references, documents)
        metric = self._metric(settings)
        counts = self._statistics(metric, hypotheses, references)
        score = metric._aggregate_and_compute(counts)
        total = add_counts(np.array(counts)).tolist()
        named = dict(zip(_statistic_names(self.name, metric, len(total)), total, strict=True))
        return Score(score.score, named, f"{score.name}|{metric.get_signature()}")

    def count(self, hypotheses: Texts, references: TextReferences, **settings: Any) -> Counts:
        """One row of sacrebleu's statistics for each segment."""
        check(hypotheses, references, texts=True)
        return np.array(self._statistics(self._metric(settings), hypotheses, references))

    def value(self, counts: Counts, **settings: Any) -> Values:
        """The value of each row of statistics."""
        metric = self._metric(settings)
        rows = [metric._compute_score_from_stats(row.tolist()).score for row in np.asarray(counts)]
        return np.array(rows, dtype=np.float64)

    def _metric(self, settings: Mapping[str, Any]) -> Any:
        try:
            import sacrebleu
        except ImportError:
            raise MetricError(
                f"{self.title} needs sacrebleu, which is not installed: pip install 'fencepost[mt]'"
            ) from None
        try:
            return getattr(sacrebleu, self.class_name)(**settings)
        except Exception as error:  # a wrong setting fails there in several ways
            raise MetricError(
                f"sacrebleu's {self.title} refuses {dict(settings)}: {error}"
            ) from None

    def _statistics(
        self, metric: Any, hypotheses: Texts, references: TextReferences
    ) -> list[list[Any]]:
        """Counts of each segment. sacrebleu wants a list for each reference, with None in it."""
        size = max(map(len, references))
        columns = zip(*([*own, *[None] * (size - len(own))] for own in references), strict=True)
        found: list[list[Any]] = metric._extract_corpus_statistics(
            list(hypotheses), [list(column) for column in columns]
        )
        return found

    def __repr__(self) -> str:
        return f"<measure {self.name}>"


def _statistic_names(name: str, metric: Any, size: int) -> list[str]:
    if name == "ter":
        return ["edits", "reference_words"]
    if name == "bleu":
        orders = range(1, metric.max_ngram_order + 1)
        lengths = ["hypothesis_words", "reference_words"]
        return [*lengths, *(f"matches{n}" for n in orders), *(f"ngrams{n}" for n in orders)]
    sides = ("hypothesis", "reference", "matches")
    return [f"{side}{order}" for order in range(1, size // 3 + 1) for side in sides]


bleu = SacrebleuMeasure("bleu", "BLEU", "higher", "BLEU")
chrf = SacrebleuMeasure("chrf", "chrF", "higher", "CHRF")
ter = SacrebleuMeasure("ter", "TER", "lower", "TER")

MEASURES: Mapping[str, Measure | SacrebleuMeasure] = {
    one.name: one for one in (wer, per, nist, bleu, chrf, ter)
}


# For contrast, and to describe a corpus.


def chop(words: int, references: References, *, by: Literal["segment", "mean"] = "segment") -> Ints:
    """Boundaries of a stream cut in proportion to the references' lengths, without alignment.

    ``by="segment"`` gives each segment the share that the mean length of its references has;
    ``by="mean"`` gives all segments the same share. From 0 to ``words``; halves are rounded up.

    >>> chop(6, [[["a", "b"]], [["c"], ["c", "d", "e"]], [[]]]).tolist()
    [0, 3, 6, 6]
    """
    _check_choice("by", by, ("segment", "mean"))
    if isinstance(words, bool) or not isinstance(words, (int, np.integer)) or words < 0:
        raise MetricError(f"words must be a whole number from 0 up, found {words!r}")
    check([[]] * len(references), references)
    shares = [_mean_length(own) for own in references]
    if by == "mean" or not any(shares):
        shares = [Fraction(1)] * len(references)
    total = sum(shares)
    ends, reached = [0], Fraction(0)
    for share in shares:
        reached += share
        ends.append(math.floor(int(words) * reached / total + Fraction(1, 2)))
    return np.array(ends, dtype=np.int64)


def _there(references: Sequence[Words | None]) -> list[Words]:
    return [reference for reference in references if reference is not None]


def _mean_length(references: Sequence[Words | None]) -> Fraction:
    lengths = list(map(len, _there(references)))
    return Fraction(sum(lengths), len(lengths))


def corpus_statistics(
    references: References, systems: Mapping[str, Segments] | None = None
) -> Table:
    """What Table 1 of the paper says of a corpus.

    Segments; systems and their running words, as a mean over systems; references for each
    segment; all words of all references, and the mean length of a reference segment.

    >>> row = corpus_statistics([[["a", "b"], ["c"]], [["d"], None]])[0]
    >>> row["segments"], row["references"], row["reference_words"]
    (2, '1-2', 4)
    """
    check([[]] * len(references), references)
    lengths = [len(reference) for own in references for reference in _there(own)]
    running = [sum(map(len, segments)) for segments in (systems or {}).values()]
    row = {
        "segments": len(references),
        "systems": len(running),
        "running_words": sum(running) / len(running) if running else math.nan,
        "references": reference_counts(references),
        "reference_words": sum(lengths),
        "mean_length": sum(lengths) / len(lengths),
        "empty_segments": sum(not any(map(len, _there(own))) for own in references),
    }
    return Table(tuple(row), (row,), name="corpus statistics")
