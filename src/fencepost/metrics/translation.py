"""BLEU, chrF and TER as sacrebleu computes them, from its own statistics of each segment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from fencepost.metrics.bounds import Bounds
from fencepost.metrics.registry import Counts, Recipe, Values, metric
from fencepost.metrics.settings import Choice, Flag, Number, Param, Whole
from fencepost.metrics.words import SEGMENTS
from fencepost.model.checks import MetricError
from fencepost.model.words import SegmentsBy, Texts, Words
from fencepost.wording import needs

# The adapter: all that is not public in sacrebleu is used here, and tests look whether the
# installed version still has it.


@lru_cache(maxsize=64)
def _peer(name: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    """Return sacrebleu's own object for these settings."""
    sacrebleu = needs("sacrebleu", name)
    try:
        return getattr(sacrebleu, name)(**dict(settings))
    except Exception as error:  # wrong settings and missing models fail there in several ways
        raise MetricError(f"sacrebleu's {name} refuses {dict(settings)}: {error}") from None


def peer(name: str, settings: Mapping[str, Any]) -> Any:
    """Return sacrebleu's own object; ``segments`` is a setting of ours."""
    return _peer(name, tuple((key, v) for key, v in settings.items() if key != "segments"))


def statistics(scorer: Any, texts: Texts) -> Counts:
    """Return sacrebleu's statistics of each segment."""
    hypotheses, references = texts
    size = max(map(len, references))
    # It wants one list for each reference, with None in it.
    columns = zip(*([*own, *[None] * (size - len(own))] for own in references), strict=True)
    rows = scorer._extract_corpus_statistics(list(hypotheses), [list(one) for one in columns])
    return np.array(rows)


def values(scorer: Any, counts: Counts) -> Values:
    """Return sacrebleu's score of each row of added statistics."""
    rows = [scorer._compute_score_from_stats(row.tolist()).score for row in np.asarray(counts)]
    return np.array(rows, dtype=np.float64)


def peer_signature(recipe: Recipe, refs: str) -> str:
    """Return the signature that sacrebleu prints for this recipe, with its name in front.

    ``refs`` is the number of references as our signatures have it: "2", or "1-4".
    """
    scorer = peer(_CLASSES[recipe.name], recipe.settings)
    scorer.num_refs = int(refs) if refs.isdigit() else -1  # -1 is "var" there
    nothing = scorer._compute_score_from_stats([0] * len(recipe.counts))
    return f"{nothing.name}|{scorer.get_signature()}"


_CLASSES = {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}


def _value(name: str) -> Any:
    def value(counts: Counts, settings: Mapping[str, Any]) -> Values:
        return values(peer(_CLASSES[name], settings), counts)

    return value


# The metrics. Settings and defaults are sacrebleu's.


def _bleu_counts(max_ngram_order: int = 4, **_: Any) -> tuple[str, ...]:
    orders = range(1, max_ngram_order + 1)
    lengths = ("hypothesis_words", "reference_words")
    return (*lengths, *(f"matches{n}" for n in orders), *(f"ngrams{n}" for n in orders))


def _bleu_bounds(columns: Mapping[str, Values], max_ngram_order: int) -> Bounds:
    """Longer n-grams are fewer, and no more of them match than there are."""
    bounds: dict[str, Any] = {}
    before = columns["hypothesis_words"]
    for order in range(1, max_ngram_order + 1):
        bounds[f"ngrams{order}"] = (0, before)
        before = columns[f"ngrams{order}"]
        bounds[f"matches{order}"] = (0, before)
    return bounds


def _bleu_detail(hypothesis_words: float, reference_words: float, **counts: float) -> str:
    """Precisions of each order, and the brevity penalty."""
    orders = range(1, len(counts) // 2 + 1)
    shares = [
        100 * counts[f"matches{n}"] / counts[f"ngrams{n}"] if counts[f"ngrams{n}"] else 0.0
        for n in orders
    ]
    short = hypothesis_words < reference_words
    ratio = reference_words / hypothesis_words if hypothesis_words else math.inf
    brevity = math.exp(1 - ratio) if short else 1.0
    return "/".join(f"{share:.1f}" for share in shares) + f", BP {brevity:.3f}"


@metric(
    input="words",
    title="BLEU",
    cite="Papineni, Roukos, Ward & Zhu (2002); sacrebleu (Post 2018)",
    counts=_bleu_counts,
    value=_value("bleu"),
    better="higher",
    range=(0.0, 100.0),
    aliases=("as_bleu",),
    detail=_bleu_detail,
    bounds=_bleu_bounds,
    unspaced="bleu:tokenize=char (zh for Chinese, ja-mecab for Japanese)",
    peer=peer_signature,
)
def bleu(
    words: Words,
    *,
    tokenize: Annotated[str, Param("sacrebleu's tokenizer")] = "13a",
    lowercase: Annotated[bool, Flag("case is ignored", no="case is compared")] = False,
    smooth_method: Annotated[
        str, Choice("smoothing of counts of 0", choices=("exp", "floor", "add-k", "none"))
    ] = "exp",
    smooth_value: Annotated[
        float | None,
        Number(
            "the amount, for floor and add-k",
            high=1e6,
            optional=True,
            quiet=True,
            without="sacrebleu's",
        ),
    ] = None,
    max_ngram_order: Annotated[int, Whole("the longest n-grams", low=1, quiet=True)] = 4,
    effective_order: Annotated[
        bool, Flag("orders without a match are skipped", no="all orders count", quiet=True)
    ] = False,
    segments: Annotated[SegmentsBy, SEGMENTS] = "found",
) -> Counts:
    r"""Share of n-grams that a reference has too, with a penalty for short output.

    .. math:: BLEU = BP \cdot \exp\left( \tfrac{1}{4} \sum_{n=1}^4 \ln p_n \right)

    p_n is the share of the hypothesis' n-grams that occur in a reference of their segment. BP is
    the penalty where the hypothesis is shorter than the references. sacrebleu counts and computes
    it, and its own signature is printed beside ours. From 0 to 100, higher is better; 0 where
    sacrebleu says 0, never undefined. Known weakness: it depends on the tokenizer.

    >>> round(bleu([["the cat sat"]], ["the cat sat"], max_ngram_order=3).value, 1)
    100.0
    """
    settings = {
        "tokenize": tokenize,
        "lowercase": lowercase,
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
        "max_ngram_order": max_ngram_order,
        "effective_order": effective_order,
    }
    return statistics(peer("BLEU", settings), words.under(segments).texts)


def _chrf_counts(char_order: int = 6, word_order: int = 0, **_: Any) -> tuple[str, ...]:
    sides = ("hypothesis", "reference", "matches")
    return tuple(
        f"{side}{order}" for order in range(1, char_order + word_order + 1) for side in sides
    )


def _chrf_bounds(columns: Mapping[str, Values], char_order: int, word_order: int) -> Bounds:
    """No more n-grams match than either side has."""
    return {
        f"matches{n}": (0, np.minimum(columns[f"hypothesis{n}"], columns[f"reference{n}"]))
        for n in range(1, char_order + word_order + 1)
    }


@metric(
    input="words",
    title="chrF",
    cite="Popovic (2015); sacrebleu (Post 2018)",
    counts=_chrf_counts,
    value=_value("chrf"),
    better="higher",
    range=(0.0, 100.0),
    aliases=("as_chrf", "chrf2"),
    bounds=_chrf_bounds,
    peer=peer_signature,
)
def chrf(
    words: Words,
    *,
    char_order: Annotated[int, Whole("the longest n-grams of characters", low=1)] = 6,
    word_order: Annotated[int, Whole("the longest n-grams of words (2 is chrF++)")] = 0,
    beta: Annotated[int, Whole("weight of recall", low=1)] = 2,
    lowercase: Annotated[bool, Flag("case is ignored", no="case is compared", quiet=True)] = False,
    whitespace: Annotated[bool, Flag("spaces count", no="spaces are ignored", quiet=True)] = False,
    eps_smoothing: Annotated[
        bool, Flag("smoothing as in chrF's own script", no="no smoothing", quiet=True)
    ] = False,
    segments: Annotated[SegmentsBy, SEGMENTS] = "found",
) -> Counts:
    r"""F-score of the n-grams of characters that hypothesis and reference share.

    .. math:: chrF = (1 + \beta^2) \frac{P R}{\beta^2 P + R}

    P and R are the means over n of precision and recall of n-grams, and beta weighs recall.
    sacrebleu counts and computes it, and its own signature is printed beside ours. From 0 to 100,
    higher is better; 0 where sacrebleu says 0, never undefined. Known weakness: it rewards the
    right letters in the wrong words.

    >>> chrf([["the cat sat"]], ["the cat sat"]).value
    100.0
    """
    settings = {
        "char_order": char_order,
        "word_order": word_order,
        "beta": beta,
        "lowercase": lowercase,
        "whitespace": whitespace,
        "eps_smoothing": eps_smoothing,
    }
    return statistics(peer("CHRF", settings), words.under(segments).texts)


@metric(
    input="words",
    title="TER",
    cite="Snover et al. (2006); sacrebleu (Post 2018)",
    counts=("edits", "reference_words"),
    value=_value("ter"),
    better="lower",
    range=(0.0, math.inf),
    aliases=("as_ter",),
    unit="%",
    unspaced="ter:asian_support=yes,normalized=yes",
    peer=peer_signature,
)
def ter(
    words: Words,
    *,
    normalized: Annotated[bool, Flag("punctuation is split off", no="text as it is")] = False,
    no_punct: Annotated[
        bool, Flag("punctuation is removed", no="punctuation is compared", quiet=True)
    ] = False,
    asian_support: Annotated[
        bool, Flag("Asian characters are words", no="words are what spaces divide", quiet=True)
    ] = False,
    case_sensitive: Annotated[bool, Flag("case is compared", no="case is ignored")] = False,
    segments: Annotated[SegmentsBy, SEGMENTS] = "found",
) -> Counts:
    r"""Edits, moves of several words among them, for each word of the references.

    .. math:: TER = 100 \cdot \frac{\#edits}{\#reference\ words}

    An edit inserts, deletes or substitutes a word, or moves a run of words. sacrebleu counts and
    computes it, and its own signature is printed beside ours. A percentage, lower is better and 0
    is perfect; as sacrebleu says where references have no words, never undefined. Known weakness:
    the search for moves is greedy, so TER is not symmetric and not always the least.

    >>> ter([["the cat sat"]], ["the cat sat"]).value
    0.0
    """
    settings = {
        "normalized": normalized,
        "no_punct": no_punct,
        "asian_support": asian_support,
        "case_sensitive": case_sensitive,
    }
    return statistics(peer("TER", settings), words.under(segments).texts)
