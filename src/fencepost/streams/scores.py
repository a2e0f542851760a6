"""Systems beside each other: measures on found, given, chopped and whole documents' segments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fencepost.metrics.score import Score
from fencepost.model.checks import MetricError
from fencepost.scoring.tables import Table
from fencepost.streams.documents import StreamError
from fencepost.streams.measures import MEASURES, Measure, chop, segmentation_error_rate
from fencepost.streams.resegmentation import Resegmentation, resegment
from fencepost.wording import plural

SegmentsBy = Literal["found", "given", "document", "chopped"]
SEGMENTATIONS: tuple[SegmentsBy, ...] = ("found", "given", "document", "chopped")
USUAL = ("wer", "per", "bleu", "nist")
COLUMNS = ("system", "measure", "segmentation", "value", "detail", "signature")


@dataclass(frozen=True)
class Wanted:
    """A measure with settings, as people write it: ``wer:reading=count``, ``bleu:tokenize=zh``."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    written: str = ""

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """Read a measure's name and settings."""
        name, _, rest = text.partition(":")
        short = name.strip().lower().removeprefix("as-").removeprefix("as_")
        if short not in MEASURES:
            raise MetricError(f"no measure {name!r}; there are {', '.join(MEASURES)}")
        settings = {}
        for part in filter(None, rest.split(",")):
            key, equals, value = part.partition("=")
            if not equals:
                raise MetricError(f"{text}: settings are written name=value")
            settings[key.strip()] = _setting(value.strip())
        return cls(short, settings, f"{short}:{rest}" if rest else short)


def _setting(text: str) -> Any:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() in known:
        return known[text.lower()]
    return int(text) if text.lstrip("-").isdigit() else text


def score_stream(
    found: Resegmentation, measure: str | Wanted, on: SegmentsBy = "found"
) -> Score | None:
    """One measure of one system; None where it has no segments of this sort.

    On ``found`` segments ``wer`` is AS-WER itself (another ``reading`` can be asked for); the
    others are the paper's AS-PER, AS-BLEU and AS-NIST. ``given`` are the hypothesis' own lines, if
    there are as many as references; ``document`` takes each document as one segment; ``chopped``
    cuts it in proportion to the references' lengths. Settings follow the name
    (``bleu:tokenize=zh``).
    """
    if on not in SEGMENTATIONS:
        raise MetricError(f"segmentations are {', '.join(SEGMENTATIONS)}, found {on!r}")
    wanted = Wanted.parse(measure) if isinstance(measure, str) else measure
    if wanted.name == "wer" and on == "found" and not wanted.settings:
        return found.as_wer
    chosen = MEASURES[wanted.name]
    texts = not isinstance(chosen, Measure)
    hypotheses = _segments(found, on, texts)
    if hypotheses is None:
        return None
    references: Any = found.reference_texts if texts else found.reference_tokens
    more: dict[str, Any] = dict(wanted.settings)
    if on == "document":
        more |= {"level": "document", "documents": found.documents}
    if not texts:
        names = {"found": f"as_{wanted.name}", "chopped": f"{wanted.name}_chopped"}
        fields = found.settings.fields() if on == "found" else dict(found.settings.tokens)
        more |= {"name": names.get(on, wanted.name), "fields": fields}
    return chosen(hypotheses, references, **more)


def _segments(found: Resegmentation, on: SegmentsBy, texts: bool) -> Any:
    if on in ("found", "document"):
        return found.segments if texts else found.words
    if on == "given":
        return found.given_texts() if texts else found.given()
    starts, ends = _chopped(found)
    return _texts_at(found, starts, ends) if texts else found._cut(starts, ends)


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
        return _wer_detail(c)
    return _bleu_detail(c) if measure == "bleu" else ""


def _wer_detail(c: Mapping[str, Any]) -> str:
    if not c["reference_words"]:
        return "undefined: no reference has a word"
    edits = plural(c["edits"], "edit")
    said = f"{edits} / {c['reference_words']} words of the references chosen"
    return said if c["distance"] == c["edits"] else f"{said}; cost {c['distance']}"


def _bleu_detail(c: Mapping[str, Any]) -> str:
    orders = [n for n in range(1, 10) if f"matches{n}" in c]
    shares = [100 * c[f"matches{n}"] / c[f"ngrams{n}"] if c[f"ngrams{n}"] else 0 for n in orders]
    words, wanted = c["hypothesis_words"], c["reference_words"]
    brevity = 1.0 if words >= wanted else math.exp(1 - wanted / words) if words else 0.0
    return "/".join(f"{share:.1f}" for share in shares) + f", BP {brevity:.3f}"


def score_streams(
    references: Any,
    systems: Mapping[str, Any],
    *,
    measures: Sequence[str] = USUAL,
    segmentations: Sequence[SegmentsBy] = ("found", "given"),
    **settings: Any,
) -> Table:
    """All measures of all systems: the paper's Table 2 (and 3) in one call.

    Settings are those of :func:`resegment`. A system whose lines are the references' has
    ``given`` rows beside the found ones, and a segmentation error rate. WER, PER and the
    segmentation error rate are shares of 1.

    >>> refs = ["the cat sat", "on the mat"]
    >>> for row in score_streams(refs, {"a": "the cat on a mat"}, measures=["wer"]):
    ...     print(row["system"], row["measure"], row["segmentation"], round(row["value"], 3))
    a wer found 0.333
    """
    if not isinstance(systems, Mapping) or not systems:
        raise StreamError("systems are a dict of hypotheses by name, found none")
    names = [measures] if isinstance(measures, str) else list(measures)
    on: Any = [segmentations] if isinstance(segmentations, str) else segmentations
    rows = []
    for name, given in systems.items():
        found = given if isinstance(given, Resegmentation) else None
        found = found or resegment(references, given, **settings)
        rows += system_rows(name, found, names, on)
    return Table(COLUMNS, tuple(rows), name="scores")


def system_rows(
    name: str,
    found: Resegmentation,
    measures: Sequence[str | Wanted],
    segmentations: Sequence[SegmentsBy],
) -> list[dict[str, Any]]:
    """The rows of one system."""
    rows = []
    for measure in measures:
        wanted = Wanted.parse(measure) if isinstance(measure, str) else measure
        for on in segmentations:
            value = score_stream(found, wanted, on)
            if value is not None:
                said = detail(value, wanted.name)
                cells = (name, wanted.written, on, value.value, said, value.signature)
                rows.append(dict(zip(COLUMNS, cells, strict=True)))
    error = segmentation_error(found) if "given" in segmentations else None
    if error is not None:
        cells = (name, "seger", "found", error.value, "", error.signature)
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows
