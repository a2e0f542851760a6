"""Systems beside each other: measures on found, given, chopped and whole documents' segments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from fencepost.checks import MetricError
from fencepost.result import Score, Table
from fencepost.streams.documents import ReferenceSet, StreamError
from fencepost.streams.measures import (
    MEASURES,
    Measure,
    chop,
    segmentation_error_rate,
)
from fencepost.streams.resegmentation import Resegmentation, resegment

Segmentation = Literal["found", "given", "document", "chopped"]
SEGMENTATIONS: tuple[Segmentation, ...] = ("found", "given", "document", "chopped")
USUAL = ("wer", "per", "bleu", "nist")
COLUMNS = ("system", "measure", "segmentation", "value", "detail", "signature")


def score_stream(found: Resegmentation, measure: str, on: Segmentation = "found") -> Score | None:
    """One measure of one system; None where it has no segments of this sort.

    On ``found`` segments ``wer`` is AS-WER itself; the others are the paper's AS-PER, AS-BLEU and
    AS-NIST. ``given`` are the hypothesis' own lines, if there are as many as references;
    ``document`` takes each document as one segment; ``chopped`` cuts it in proportion to the
    references' lengths.
    """
    if measure not in MEASURES:
        raise MetricError(f"no measure {measure!r}; there are {', '.join(MEASURES)}")
    if measure == "wer" and on == "found":
        return found.as_wer
    chosen = MEASURES[measure]
    texts = not isinstance(chosen, Measure)
    hypotheses = _segments(found, on, texts)
    if hypotheses is None:
        return None
    references: Any = found.reference_texts if texts else found.reference_tokens
    level: dict[str, Any] = {}
    if on == "document":
        level = {"level": "document", "documents": found.documents}
    if texts:
        return chosen(hypotheses, references, **level)
    names = {"found": f"as_{measure}", "chopped": f"{measure}_chopped"}
    more: dict[str, Any] = {"name": names.get(on, measure)}
    if isinstance(chosen, Measure):
        fields = found.settings.fields() if on == "found" else dict(found.settings.tokens)
        more["fields"] = fields
    return chosen(hypotheses, references, **level, **more)


def _segments(found: Resegmentation, on: Segmentation, texts: bool) -> Any:
    if on in ("found", "document"):
        return found.segments if texts else found.words
    if on == "given":
        return found.given_texts() if texts else found.given()
    starts, ends = _chopped(found)
    if not texts:
        return found._cut(starts, ends)
    return _texts_at(found, starts, ends)


def _chopped(found: Resegmentation) -> tuple[Any, Any]:
    offsets = found.alignment.document_offsets.tolist()
    bounds = [
        chop(len(tokens), found.reference_tokens[offsets[d] : offsets[d + 1]])
        for d, tokens in enumerate(found.tokens)
    ]
    return np.concatenate([b[:-1] for b in bounds]), np.concatenate([b[1:] for b in bounds])


def _texts_at(found: Resegmentation, starts: Any, ends: Any) -> list[str]:
    offsets = found.alignment.document_offsets.tolist()
    texts: list[str] = []
    for d, tokens in enumerate(found.tokens):
        own = slice(offsets[d], offsets[d + 1])
        texts += tokens.pieces([int(starts[own][0]), *ends[own].tolist()])
    return texts


def segmentation_error(found: Resegmentation) -> Score | None:
    """The segmentation error rate, where the hypothesis has its own segment for each reference."""
    given = found.given()
    if given is None:
        return None
    return segmentation_error_rate(found.words, given, fields=found.settings.fields())


def detail(score: Score, measure: str) -> str:
    """What a value is made of, in a few words."""
    c = score.counts
    if measure == "wer" and "distance" in c:
        return f"{c['distance']} edits / {c['reference_words']} words of the references chosen"
    if measure == "bleu":
        return _bleu_detail(c)
    return ""


def _bleu_detail(c: Mapping[str, Any]) -> str:
    orders = [n for n in range(1, 10) if f"matches{n}" in c]
    shares = [100 * c[f"matches{n}"] / c[f"ngrams{n}"] if c[f"ngrams{n}"] else 0 for n in orders]
    short = c["hypothesis_words"] < c["reference_words"] and c["hypothesis_words"] > 0
    brevity = math.exp(1 - c["reference_words"] / c["hypothesis_words"]) if short else 1.0
    return "/".join(f"{share:.1f}" for share in shares) + f", BP {brevity:.3f}"


def score_streams(
    references: Any,
    systems: Mapping[str, Any],
    *,
    measures: Sequence[str] = USUAL,
    segmentations: Sequence[Segmentation] = ("found", "given"),
    **settings: Any,
) -> Table:
    """All measures of all systems: the paper's Table 2 (and 3) in one call.

    Settings are those of :func:`resegment`. A system whose lines are the references' has
    ``given`` rows beside the found ones, and a segmentation error rate.

    >>> refs = ["the cat sat", "on the mat"]
    >>> for row in score_streams(refs, {"a": "the cat on a mat"}, measures=["wer"]):
    ...     print(row["system"], row["measure"], row["segmentation"], round(row["value"], 3))
    a wer found 0.333
    """
    if not isinstance(systems, Mapping) or not systems:
        raise StreamError("systems are a dict of hypotheses by name, found none")
    rows = []
    for name, given in systems.items():
        found = given if isinstance(given, Resegmentation) else _found(references, given, settings)
        rows += system_rows(name, found, measures, segmentations)
    return Table(COLUMNS, tuple(rows), name="scores")


def _found(references: ReferenceSet | Any, given: Any, settings: Mapping[str, Any]) -> Any:
    return resegment(references, given, **settings)


def system_rows(
    name: str,
    found: Resegmentation,
    measures: Sequence[str],
    segmentations: Sequence[Segmentation],
) -> list[dict[str, Any]]:
    """The rows of one system."""
    rows = []
    for measure in measures:
        for on in segmentations:
            value = score_stream(found, measure, on)
            if value is not None:
                cells = (name, measure, on, value.value, detail(value, measure), value.signature)
                rows.append(dict(zip(COLUMNS, cells, strict=True)))
    error = segmentation_error(found) if "given" in segmentations else None
    if error is not None:
        cells = (name, "seger", "found", error.value, "", error.signature)
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows
