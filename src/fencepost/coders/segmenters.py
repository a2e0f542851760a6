"""Does a system agree with annotators as they agree with each other?

Fournier and Inkpen (2012), section 3.4: agreement with and without the segmenter. A drop alone says
little, since any coder may lower it; so the change stands beside the change when each human is
the one who joins, among the same number of coders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fencepost.coders.annotations import Annotations
from fencepost.coders.breakdowns import values_among
from fencepost.coders.consensus import consensus
from fencepost.coders.study import AgreementRow, Study
from fencepost.coders.verdict import COLUMNS as VERDICT
from fencepost.coders.verdict import verdict
from fencepost.metrics.registry import as_recipe
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus, Key
from fencepost.model.join import join, named_systems
from fencepost.options import ConsensusBy
from fencepost.scoring.count import score
from fencepost.scoring.tables import Table

COLUMNS = (
    "system", "coefficient", "metric", "chance", "humans", "with_system", "change",
    "human_change", "human_lowest", "human_highest", "joined_change", "joined_lowest",
    "joined_highest", "signature",
)  # fmt: skip
SPREAD = ("system", "metric", "consensus", "mean", "lowest", "highest", "spread", "signature")


def segmenters(
    corpus: Any, systems: Mapping[str, Any], *, metric: Any = "B", draws: int | None = None,
    seed: int = 12345,
) -> Table:  # fmt: skip
    """Return the agreement with and without each system, for several side by side.

    ``humans`` is the agreement of all annotators, ``with_system`` the agreement of annotators and
    system. ``human_change`` is what happens when each annotator in turn joins the others: the
    mean, the lowest and the highest; ``joined_change`` when the system joins these others instead.
    """
    humans, own, notes = same_texts(corpus, systems)
    everyone, names = _together(humans, own)
    study = Study(Annotations.of(everyone), as_recipe(metric, None), draws, seed)
    people = [name for name in study.annotations.coders if name not in names.values()]
    if len(people) < 3:
        raise SegmentationError(
            "comparing a system with annotators takes three annotators, found "
            f"{len(people)}: each of them is removed in turn"
        )
    rows = list(study.headline())
    of_system = {name: _changes(study, rows, people, name) for name in names.values()}
    made = [
        {
            "system": system,
            "coefficient": row.coefficient,
            "metric": row.recipe.name,
            "chance": row.chance,
            **of_system[name][number],
            "signature": row.signature(study.annotations.corpus),
        }
        for number, row in enumerate(rows)
        for system, name in names.items()
    ]
    return Table(COLUMNS, tuple(made), name="systems", notes=notes)


def verdicts(
    corpus: Any, systems: Mapping[str, Any], *, metric: Any = "B", margin: float | None = None
) -> Table:
    """Return whether each system is as similar to the annotators as they are to each other.

    See ``coders.verdict`` for the columns; ``margin`` is the largest difference that does not
    matter, for an equivalence test.
    """
    humans, own, notes = same_texts(corpus, systems)
    everyone, names = _together(humans, own)
    annotations = Annotations.of(everyone)
    if len(annotations.coders) - len(names) < 3:
        raise SegmentationError(
            "comparing a system with annotators takes three annotators: each of them is removed "
            "in turn"
        )
    rows = verdict(annotations, as_recipe(metric, None), names, margin)
    return Table(VERDICT, tuple(rows), name="verdicts", notes=notes)


def same_texts(
    corpus: Any, systems: Mapping[str, Any]
) -> tuple[Corpus, dict[str, Corpus], tuple[str, ...]]:
    """Return annotators and systems on the texts that all systems have, and notes."""
    humans = Corpus.from_given(corpus, "corpus")
    joined = join(humans, named_systems(systems), "skip")
    kept = {
        name: own.take(joined.rows[name][joined.rows[name] >= 0])
        for name, own in joined.systems.items()
    }
    return joined.reference, kept, tuple(joined.notes)


def _together(humans: Corpus, systems: Mapping[str, Corpus]) -> tuple[Corpus, dict[str, str]]:
    """Return annotators and systems as one corpus; and the coder each system became."""
    entries = dict(humans.entries)
    items = set(humans.items)
    names = {}
    for system, own in systems.items():
        names[system] = f"{system} (system)" if system in humans.coders else system
        for key, seg in own.entries.items():
            if (key.text, key.stream) in items:
                entries[Key(key.text, key.stream, names[system])] = seg
    return humans.with_entries(entries), names


def _changes(
    study: Study, rows: Sequence[AgreementRow], people: list[str], name: str
) -> list[dict[str, float]]:
    """Return what each coefficient gains or loses by one system, and by each annotator."""
    others = [[one for one in people if one != out] for out in people]
    humans = values_among(study, rows, people)
    with_system = values_among(study, rows, [*people, name])
    before = np.array([values_among(study, rows, group) for group in others])
    joined = np.array([values_among(study, rows, [*group, name]) for group in others]) - before
    return [
        {
            "humans": humans[i],
            "with_system": with_system[i],
            "change": with_system[i] - humans[i],
            **_spread("human", humans[i] - before[:, i]),
            **_spread("joined", joined[:, i]),
        }
        for i in range(len(rows))
    ]


def _spread(name: str, changes: Any) -> dict[str, float]:
    known = changes[~np.isnan(changes)]
    low, mean, high = (known.min(), known.mean(), known.max()) if len(known) else (np.nan,) * 3
    return {f"{name}_change": float(mean), f"{name}_lowest": float(low),
            f"{name}_highest": float(high)}  # fmt: skip


def against_consensus(
    corpus: Any,
    systems: Mapping[str, Any],
    *,
    metric: Any = "B",
    consensus_by: ConsensusBy = "similarity",
) -> Table:
    """Return each system's score against the consensus, beside its scores against annotators."""
    humans, own, _ = same_texts(corpus, systems)
    agreed = consensus(humans, metric=metric, consensus_by=consensus_by).corpus
    humans = humans.where(agreed.texts)
    settings: dict[str, Any] = {"metrics": [metric], "baselines": False, "intervals": False}
    rows = []
    for system, one in own.items():
        whole = score(agreed, {system: one.where(agreed.texts)}, **settings)[0]
        single = [
            score(coder, {system: one.where(coder.texts)}, **settings)[0]["value"]
            for coder in map(humans.by, humans.coders)
        ]
        rows.append(
            {
                "system": system,
                "metric": whole["metric"],
                "consensus": whole["value"],
                "mean": float(np.mean(single)),
                "lowest": float(np.min(single)),
                "highest": float(np.max(single)),
                "spread": float(np.std(single, ddof=1)) if len(single) > 1 else 0.0,
                "signature": whole["signature"],
            }
        )
    return Table(SPREAD, tuple(rows), name="against consensus")
