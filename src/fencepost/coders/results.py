"""All tables about the agreement on one corpus, each computed when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from fencepost.coders import agreement
from fencepost.coders.confusions import confusions, contrasts, operations
from fencepost.coders.consensus import Consensus, consensus
from fencepost.coders.segmenters import against_consensus, same_texts, segmenters, verdicts
from fencepost.metrics.registry import Recipe
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import merge_vocabularies
from fencepost.options import ConsensusBy
from fencepost.scoring.facts import facts_of_types
from fencepost.scoring.summary import TOTAL
from fencepost.scoring.tables import Table

PARTS = ("texts", "coders", "matrix", "without", "types", "speakers", "ceiling", "differences")
OF_SYSTEMS = ("verdicts", "systems", "against-consensus")
OF_COSTS = {"contrasts": contrasts, "confusions": confusions, "operations": operations}


class Results:
    """The agreement of annotators by one or more metrics, and of systems with them.

    ``settings`` are those of :func:`fencepost.agreement`; a metric whose paper has its own kinds
    of chance is computed with them unless ``settings`` name others.
    """

    def __init__(
        self,
        corpus: Corpus,
        recipes: Sequence[Recipe],
        systems: Mapping[str, Corpus],
        settings: Mapping[str, Any],
        reading_lines: Sequence[str] = (),
        margin: float | None = None,
        consensus_by: ConsensusBy = "similarity",
        by: str | None = None,
    ) -> None:
        self.corpus, self.recipes, self.systems = corpus, recipes, systems
        self.settings, self.margin, self.consensus_by = settings, margin, consensus_by
        self.by = by  # "level" where levels are wanted by themselves
        self.reading_lines = list(reading_lines)  # how the files were read
        self.notes = same_texts(corpus, systems)[2] if systems else ()
        self._made: dict[str, Table] = {}

    @property
    def with_costs(self) -> Recipe | None:
        """The first metric that has costs of confusing boundary types."""
        return next((recipe for recipe in self.recipes if recipe.metric.kind_costs), None)

    @cached_property
    def tables(self) -> list[Table]:
        """One table per metric."""
        return [
            agreement(self.corpus, metric=recipe, **self._settings_for(recipe))
            for recipe in self.recipes
        ]

    def _settings_for(self, recipe: Recipe) -> dict[str, Any]:
        given = self.settings
        own = None if given.get("like") else recipe.metric.chances or None
        chance = given.get("chance") or own
        usual = not (chance or given.get("like") or given.get("coefficient"))
        everything = usual and bool(given.get("all"))
        return {
            **given,
            "chance": chance,
            "all": everything,
            "headline": usual and not everything,
        }

    @cached_property
    def table(self) -> Table:
        """The coefficients of all metrics; those that do not depend on the metric once."""
        first = self.tables[0]
        rows = {str(row["signature"]): row for part in self.tables for row in part.rows}
        notes = dict.fromkeys([*self.notes, *(note for part in self.tables for note in part.notes)])
        read = {name: corpus.fingerprint() for name, corpus in self.systems.items()}
        facts: dict[str, Any] = {}
        if self.reading_lines:
            facts["reading_lines"] = self.reading_lines
        facts |= {**first.facts, "fingerprints": read} if read else first.facts
        recipes = dict.fromkeys(row["signature"].recipe for row in rows.values())
        facts["settings"] = [*facts_of_types(recipes, self._vocabulary), *self._beside_systems()]
        return Table(first.columns, tuple(rows.values()), "agreement", tuple(notes), facts)

    @property
    def _vocabulary(self) -> tuple[str, ...] | None:
        return None if self.corpus.is_mixed else self.corpus.vocabulary

    def _beside_systems(self) -> list[str]:
        """Return what is different with the types of systems, whom the first metric compares."""
        own = [self._vocabulary, *(one.vocabulary for one in self.systems.values())]
        if not all(own):
            return []
        alone, both = (
            facts_of_types(self.recipes[:1], merge_vocabularies([one or () for one in sides]))
            for sides in (own[:1], own)
        )
        return [f"{fact} beside systems" for fact in both if fact not in alone]

    @cached_property
    def consensus(self) -> Consensus:
        """The agreed segmentations."""
        return consensus(self.corpus, metric=self.recipes[0], consensus_by=self.consensus_by)

    def names(self) -> list[str]:
        """Return the names of all tables that there are."""
        names = [*PARTS, *(["levels"] if self.by == "level" else []), "consensus"]
        names += OF_SYSTEMS if self.systems else ()
        return names + list(OF_COSTS if self.with_costs else ())

    def part(self, name: str) -> Table:
        """Return one of the tables, with the rows of all metrics."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def first(self, name: str) -> Table:
        """Return one of PARTS for the first metric."""
        return self.tables[0].part(name)

    def _make(self, name: str) -> Table:
        if name == "agreement":
            return self.table
        if name in PARTS or name == "levels":
            return self._of_all_metrics(name)
        if name == "consensus":
            return self.consensus.table
        if name == "verdicts":
            metric = self.recipes[0]
            return verdicts(self.corpus, self.systems, metric=metric, margin=self.margin)
        if name == "systems":
            drawn = {key: self.settings[key] for key in ("draws", "seed") if key in self.settings}
            return segmenters(self.corpus, self.systems, metric=self.recipes[0], **drawn)
        if name == "against-consensus":
            metric, by = self.recipes[0], self.consensus_by
            return against_consensus(self.corpus, self.systems, metric=metric, consensus_by=by)
        recipe = self.with_costs
        assert recipe is not None
        return OF_COSTS[name](self.corpus, **recipe.settings)

    def _of_all_metrics(self, name: str) -> Table:
        """Return the rows of every metric; those that do not depend on it once."""
        made = [table.part(name) for table in self.tables]
        if len(made) == 1:
            return made[0]
        rows = {json.dumps(row, default=str): row for part in made for row in part.rows}
        if name == "levels":
            rows = _total_last(rows)
        facts: dict[str, Any] = {}
        if name == "without":
            facts = {"jackknife": {k: v for p in made for k, v in p.facts["jackknife"].items()}}
        return Table(made[0].columns, tuple(rows.values()), name, facts=facts)


def _total_last(rows: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return rows of several metrics by their level, those of the whole below all levels."""
    order = list(dict.fromkeys(row["level"] for row in rows.values() if row["level"] != TOTAL))
    place = {level: number for number, level in enumerate([*order, TOTAL])}
    return dict(sorted(rows.items(), key=lambda item: place[item[1]["level"]]))
