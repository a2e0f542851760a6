"""Systems beside each other: metrics of re-segmented words as rows of counts, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fencepost.formats.groups import Groups
from fencepost.metrics.registry import Metric, Recipe, add_counts, as_recipe
from fencepost.metrics.score import Score
from fencepost.model.checks import MetricError
from fencepost.model.documents import ReferenceSet, StreamSet
from fencepost.model.hashing import blake2b
from fencepost.model.words import SegmentsBy
from fencepost.options import (
    RESAMPLES_OF_STREAMS,
    SEED,
    Adjustment,
    Method,
    Missing,
    Paired,
)
from fencepost.scoring.count import check_choices, with_groups
from fencepost.scoring.counts import CountRows, Rows
from fencepost.scoring.summary import COLUMNS, Choices, by_group_table, summarize
from fencepost.scoring.tables import Table
from fencepost.streams.documents import StreamError, counted_as_empty, skip_unshared
from fencepost.streams.given import as_references, as_streams
from fencepost.streams.punctuation import Compared, settle_punctuation
from fencepost.streams.resegmentation import NO_LINES, Resegmentation, resegment

SEGMENTS: tuple[SegmentsBy, ...] = ("found", "given", "document", "chopped", "chopped-mean")
USUAL = ("as_wer", "per", "bleu", "nist")
# Beside those of fp.score: the unit of values and bounds, which segments were measured, what the
# value is made of, and the signature that sacrebleu prints for it.
STREAM_COLUMNS = (*COLUMNS[:6], "unit", *COLUMNS[6:-1], "segments", "detail", "sacrebleu",
                  COLUMNS[-1])  # fmt: skip
BY_DOCUMENT = "document"


def score_streams(
    references: Any,
    systems: Mapping[str, Any],
    *,
    metrics: Iterable[str | Metric[Any] | Recipe] | str = USUAL,
    segments: Sequence[SegmentsBy] | SegmentsBy = ("found", "given"),
    intervals: bool = True,
    method: Method | None = None,
    resamples: int = RESAMPLES_OF_STREAMS,
    seed: int = SEED,
    paired: Paired | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    adjust: Adjustment | None = None,
    margin: float | None = None,
    group: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Table:
    """Score the words of systems against segmented references: the paper's Tables 2 and 3.

    ``systems`` are hypotheses by name, as :func:`resegment` takes them (or what it returned);
    ``settings`` are the settings of :func:`resegment`. Metrics are names with settings
    (``"bleu:tokenize=zh"``). ``segments`` says on which segments they are measured: ``found``, the
    hypothesis' own lines (``given``, where there are as many as references), each ``document`` as
    one, ``chopped`` in proportion to the references, or pieces of equal length (``chopped-mean``).

    Counts of all segments are added up. ``low`` and ``high`` are the 95% interval over documents,
    or over segments where there is one document; ``group`` gives each document a group, and these
    are resampled instead. Error rates are percentages, as ``unit`` says. ``part("documents")`` has
    the documents one by one; ``paired`` is as in :func:`score`.

    >>> refs = ["the cat sat", "on the mat"]
    >>> for row in score_streams(refs, {"a": "the cat on a mat"}, metrics="as_wer"):
    ...     print(row["system"], row["metric"], round(row["value"], 1), row["unit"])
    a as_wer 33.3 %
    """
    if not isinstance(systems, Mapping) or not systems:
        found_instead = "an empty one" if isinstance(systems, Mapping) else type(systems).__name__
        raise StreamError(f"systems are a dict of hypotheses by name, found {found_instead}")
    choices = Choices(
        "micro",
        intervals,
        method,
        resamples,
        seed,
        paired,
        baseline,
        all_pairs,
        adjust,
        margin=margin,
    )
    check_choices(choices)
    ready = {name: one for name, one in systems.items() if isinstance(one, Resegmentation)}
    streams = {
        name: replace(as_streams(one), name=name)
        for name, one in systems.items()
        if name not in ready
    }
    notes: list[str] = []
    if settings and not streams:
        raise StreamError(
            f"{min(settings)} is a setting of the alignment, and all systems are aligned already"
        )
    if streams:
        aligned = align_systems(as_references(references), streams, **settings)
        ready |= aligned.systems
        notes = [*aligned.notes, *([aligned.punctuation] if aligned.punctuation else [])]
    found = {name: ready[name] for name in systems}
    recipes = recipes_on(_as_recipes(metrics), segments, found)
    counts = count_streams(found, recipes, notes=notes)
    return stream_table(counts_by_group(counts, group, found), choices)


class Aligned(NamedTuple):
    """Systems that were aligned alike, with the references that all of them have."""

    systems: dict[str, Resegmentation]
    references: ReferenceSet
    notes: list[str]
    punctuation: str | None  # why it is not compared, where that was found out


def align_systems(
    references: ReferenceSet,
    systems: Mapping[str, StreamSet],
    *,
    punctuation: Compared = "auto",
    missing: Missing = "error",
    **settings: Any,
) -> Aligned:
    """Align every system on the same documents, and with the same words compared.

    A document that one system lacks is skipped for all (``missing="skip"``), and one system
    without punctuation decides for all.
    """
    notes = [*references.notes, *(note for one in systems.values() for note in one.notes)]
    if missing == "skip":
        references, systems, skipped = skip_unshared(references, systems)
        notes += skipped
    if missing == "whole":
        notes += [note for one in systems.values() for note in counted_as_empty(references, one)]
    tokenizer = settings.get("tokenizer", "words")
    settled, why = settle_punctuation(punctuation, tokenizer, references, list(systems.values()))
    found = {
        name: resegment(references, one, punctuation=settled, missing=missing, **settings)
        for name, one in systems.items()
    }
    return Aligned(found, references, notes, why)


def _as_recipes(metrics: Any) -> list[Recipe]:
    several = not isinstance(metrics, (str, Metric, Recipe))
    recipes = [as_recipe(one, None) for one in (metrics if several else [metrics])]
    for recipe in recipes:
        recipe.check_input("words")
    if not recipes:
        raise MetricError("no metric is given")
    return recipes


def recipes_on(
    recipes: Sequence[Recipe],
    segments: Sequence[SegmentsBy] | SegmentsBy,
    systems: Mapping[str, Resegmentation],
) -> list[Recipe]:
    """Return the recipes for each of these segmentations that some system has.

    A recipe that names its segments is taken as it is, or refused where no system has them.
    """
    wanted = [segments] if isinstance(segments, str) else list(segments)
    for one in wanted:
        if one not in SEGMENTS:
            raise MetricError(f"segments are {', '.join(SEGMENTS)}, found {one!r}")
    made: list[Recipe] = []
    for recipe in recipes:
        if recipe.settings.get("segments") != "found":
            if not any(_offers(one, recipe) for one in systems.values()):
                raise MetricError(f"{recipe.name}: {NO_LINES}")
            made.append(recipe)
            continue
        made += [recipe.metric.recipe(**{**recipe.settings, "segments": one}) for one in wanted]
    offered = [r for r in made if any(_offers(one, r) for one in systems.values())]
    if not offered:
        raise MetricError(f"{recipes[0].name}: {NO_LINES}")
    return list(dict.fromkeys(offered))


def _offers(found: Resegmentation, recipe: Recipe) -> bool:
    """Whether a system has the segments that a recipe measures."""
    return found.has_own_lines or not recipe.needs_lines


def count_streams(
    systems: Mapping[str, Resegmentation], recipes: Sequence[Recipe], notes: Iterable[str] = ()
) -> CountRows:
    """Return the counts of every recipe, system and segment."""
    first = next(iter(systems.values()))
    for name, one in systems.items():
        if one.reference_texts != first.reference_texts:
            raise StreamError(f"{name} was aligned with other references than the systems before")
    rows: dict[tuple[int, str, str], Rows] = {}
    for number, recipe in enumerate(recipes):
        for name, one in systems.items():
            if _offers(one, recipe):
                cut = one.under(recipe.settings.get("segments", "found"))
                rows[number, name, REFERENCE] = Rows(recipe.count(one), cut.rows)
    documents = first.documents
    several = len(first.pairs) > 1
    context = first.context()
    size = len(documents)
    about = {
        "unit": "word",
        "reference": REFERENCE,
        "fingerprint": _fingerprint(first.reference_texts),
        "fingerprints": {
            name: _fingerprint([pair.stream.text for pair in one.pairs])
            for name, one in systems.items()
        },
        "settings": [],
    }
    every = dict.fromkeys([*notes, *(note for one in systems.values() for note in one.notes)])
    return CountRows(
        [_segment_name(one, number) for one, number in _numbered(first)],
        (REFERENCE,),
        {name: (name,) for name in systems},
        tuple(recipes),
        rows,
        first.chosen_words,
        {REFERENCE: np.zeros(size, dtype=np.int64)},
        context._replace(group=BY_DOCUMENT) if several else context,
        tuple(str(one) for one in documents) if several else None,
        about,
        tuple(every),
    )


REFERENCE = "references"


def _numbered(found: Resegmentation) -> list[tuple[str | None, int]]:
    return [
        (one.document.id, number)
        for one in found.pairs
        for number in range(1, len(one.document.segments) + 1)
    ]


def documents_of(counts: CountRows) -> tuple[str, ...]:
    """Return the document of each segment, from the segments' names."""
    return tuple(name.rpartition(":")[0] for name in counts.texts)


def _segment_name(document: str | None, number: int) -> str:
    return str(number) if document is None else f"{document}:{number}"


def _fingerprint(texts: Sequence[Any]) -> str:
    """Eight characters that stand for texts: two people see whether they scored the same."""
    return blake2b(repr(list(texts)).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def counts_by_group(
    counts: CountRows, group: Mapping[str, Any] | None, systems: Mapping[str, Resegmentation]
) -> CountRows:
    """Return the counts with documents put into groups, which are then resampled together."""
    if group is None:
        return counts
    first = next(iter(systems.values()))
    names = {_segment_name(one, number): str(one) for one, number in _numbered(first)}
    lacking = sorted({one for one in names.values() if one not in group})
    if lacking:
        raise MetricError(f"no group is given for document {lacking[0]}; every document needs one")
    by_segment = Groups({name: str(group[one]) for name, one in names.items()})
    by_segment.name = str(getattr(group, "name", "given"))
    return with_groups(counts, by_segment)


def stream_table(counts: CountRows, choices: Choices) -> Table:
    """Return the table of these counts, with units and what values are made of."""
    table = summarize(counts, choices)
    documents = replace(counts, groups=documents_of(counts))
    parts: dict[str, Callable[[], Table]] = {
        **table.parts,
        "documents": partial(by_group_table, documents),
    }
    if "comparisons" in table.parts:
        parts["comparisons"] = partial(_with_units, table.part("comparisons"))
    rows = tuple(_with_details(row, counts) for row in table.rows)
    notes = list(table.notes)
    if counts.groups is None and any(row["low"] is not None for row in rows):
        notes.insert(0, "one document: intervals are over its segments, as if each stood alone")
    return replace(table, columns=STREAM_COLUMNS, rows=rows, notes=tuple(notes), parts=parts)


def _with_units(table: Table) -> Table:
    """Return comparisons with the unit of their differences."""
    at = table.columns.index("high") + 1
    columns = (*table.columns[:at], "unit", *table.columns[at:])
    rows = ({**row, "unit": row["signature"].recipe.unit} for row in table.rows)
    return replace(table, columns=columns, rows=tuple(rows))


def _with_details(row: Mapping[str, Any], counts: CountRows) -> dict[str, Any]:
    recipe: Recipe = row["signature"].recipe
    at = counts.recipes.index(recipe)
    total = add_counts(counts.rows[at, row["system"], row["reference"]].counts).tolist()
    detail, peer = recipe.metric.detail, recipe.metric.peer
    named = dict(zip(recipe.counts, total, strict=True))
    more = {
        "unit": recipe.unit,
        "segments": recipe.settings.get("segments", "found"),
        "detail": "" if detail is None else detail(**named),
        "sacrebleu": None if peer is None else peer(recipe, counts.context.refs),
    }
    return {name: more[name] if name in more else row[name] for name in STREAM_COLUMNS}


def score_stream(found: Resegmentation, metric: str | Recipe) -> Score:
    """Return one metric of one system over all its segments, as a share where it is an error rate.

    ``metric`` is a name with settings: ``"per"``, ``"bleu:segments=given"``.
    """
    recipe = as_recipe(metric, None)
    recipe.check_input("words")
    if not _offers(found, recipe):
        raise MetricError(f"{recipe.name}: {NO_LINES}")
    return recipe.pooled(found, found.context())
