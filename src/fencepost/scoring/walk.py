"""The walk: every system and baseline against every annotator, into rows of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fencepost import _core
from fencepost.metrics.registry import Counts, Recipe
from fencepost.metrics.signature import Context
from fencepost.model.checks import Ints, offsets_of
from fencepost.model.corpus import Item
from fencepost.model.hashing import blake2b
from fencepost.model.join import (
    BASELINES,
    HUMAN_CEILING,
    NO_BOUNDARIES,
    RANDOM_BOUNDARIES,
    Join,
    coverage,
    paired,
)
from fencepost.model.pairs import Column, Pairs
from fencepost.scoring.counts import CountRows, Rows
from fencepost.scoring.facts import SettingFacts
from fencepost.scoring.summary import DRAWS
from fencepost.wording import plural


class Batch(NamedTuple):
    """The pairs of one system and one reference, and which text (and draw) each belongs to."""

    pairs: Pairs
    groups: Ints  # draw * texts + text
    annotators: Ints | None = None  # of each pair: who, or how many, where a rule asks for it


class Walk:
    """Every system beside every annotator, who each are a reference of their own.

    Rules that make one reference of several annotators are subclasses (``scoring.references``).
    """

    def __init__(
        self,
        joined: Join,
        recipes: list[Recipe],
        baselines: bool,
        seed: int,
        context: Context,
    ) -> None:
        self.joined = joined
        self.corpus = joined.reference
        self.recipes = recipes
        self.context = context
        self.seed = seed
        self.draws = draws_for(len(joined.texts))
        self.notes: dict[str, None] = dict.fromkeys([*joined.notes, *coverage(self.corpus)])
        self.references = {joined.name_of(coder): coder for coder in joined.coders}
        self.systems = [*joined.systems, *(self._baselines() if baselines else ())]
        self.facts = SettingFacts()

    def _baselines(self) -> list[str]:
        """The rows below the systems; the ceiling only where annotators share texts."""
        items, texts = self.corpus.item_codes, len(self.joined.texts)
        shared = np.flatnonzero(np.bincount(items)[items] > 1)
        if not self.has_ceiling(shared):
            return [name for name in BASELINES if name != HUMAN_CEILING]
        met = np.count_nonzero(np.bincount(self.corpus.text_codes[shared]))
        if met < texts:
            said = (
                f"the human ceiling is over {met} of the {texts} texts: two annotators share them"
            )
            self.notes[said] = None
        return list(BASELINES)

    def has_ceiling(self, shared: Ints) -> bool:
        """Whether every annotator has one of the rows that share a text with another."""
        found = np.count_nonzero(np.bincount(self.corpus.coder_codes[shared]))
        return int(found) == len(self.joined.coders)

    def counts(self) -> CountRows:
        """Count everything with everything, one system and reference at a time."""
        rows: dict[tuple[int, str, str], Rows] = {}
        for system in self.systems:
            for reference, coder in self.references.items():
                batch = self.batch(system, coder)
                if system not in BASELINES or system == NO_BOUNDARIES:  # one speaks for all
                    self.look(system, coder, batch.pairs)
                for at, recipe in enumerate(self.recipes):
                    rows[at, system, reference] = self.count(recipe, batch)
        units, cuts = self._units(), self.cuts()
        about = {
            "unit": self.corpus.unit,
            "reference": self.corpus.name,
            "fingerprint": self.corpus.fingerprint(),
            "fingerprints": {name: self._fingerprint(name) for name in self.joined.systems},
            "settings": [*self.facts.sentences(), *self._errors(rows).sentences()],
            "annotators": len(self.joined.coders),
            "types": self._types(),
        }
        drawn = {"draws": str(self.draws), "seed": str(self.seed)}
        order = [(a, s, c) for a in range(len(self.recipes)) for s in self.systems for c in cuts]
        return CountRows(
            self.joined.texts,
            tuple(cuts),
            {system: (system,) for system in self.systems},
            tuple(self.recipes),
            {key: rows[key] for key in order},
            units,
            cuts,
            self.context,
            None,
            about,
            tuple(self.notes),
            drawn if RANDOM_BOUNDARIES in self.systems else {},
            self._speakers(),
        )

    def _types(self) -> int:
        """How many boundary types the corpora have together."""
        corpora = (self.corpus, *self.joined.systems.values())
        return len({name for one in corpora for name in one.vocabulary or ()})

    def _speakers(self) -> Ints | None:
        """How many speakers each text has; None where each has one."""
        items = self.corpus.text_codes[self.corpus.item_rows]
        speakers = np.bincount(items, minlength=len(self.joined.texts)).astype(np.int64)
        return None if (speakers <= 1).all() else speakers

    def _fingerprint(self, system: str) -> str:
        """The fingerprint of the texts of a system that were compared."""
        corpus, met = self.joined.systems[system], self.joined.rows[system]
        met = met[met >= 0]
        return (corpus if len(met) == len(corpus) else corpus.take(met)).fingerprint()

    def look(self, system: str, coder: str, pairs: Pairs) -> None:
        """Note what the metrics have to say about a system beside a reference."""
        whose = "the baselines" if system in BASELINES else system
        for recipe in filter(lambda recipe: recipe.tells, self.recipes):
            tally = recipe.tally(pairs)
            self.notes.update(dict.fromkeys(recipe.notes(tally)))
            self.facts.add(recipe.facts(tally), recipe.metric.title, whose, coder)

    def _errors(self, rows: Mapping[tuple[int, str, str], Rows]) -> SettingFacts:
        """Return the standard error of each system's printed number that is due to seeded draws.

        Annotators share the draws, and speakers their mean: the error of several is a bound.
        """
        found = SettingFacts()
        bounded = len(self.references) > 1 or self.corpus.has_streams
        for number, recipe in enumerate(self.recipes):
            drawn = [name for name, one in self.joined.systems.items() if one.has_probabilities]
            for system in drawn if recipe.metric.error else ():
                own = [rows[number, system, reference] for reference in self.references]
                fact = f"{plural(recipe.settings['draws'], 'draw')} per text"
                error = error_of_draws(recipe, own)
                if np.isfinite(error):
                    fact += f", standard error {'at most ' * bounded}{error:.2g}"
                found.add([fact], recipe.metric.title, system, "")
        return found

    def batch(self, system: str, coder: str) -> Batch:
        """Return the texts of one system beside those of one annotator."""
        if system == HUMAN_CEILING:  # each of the others is a draw of a hypothesis
            own, others = self.joined.rows_of_others(coder)
            pairs = paired(self.corpus, own, self.corpus, others)
            draws = self.corpus.coder_codes[others].astype(np.int64) * len(self.joined.texts)
            return Batch(pairs, draws + self.corpus.text_codes[own])
        own = self.joined.reference_rows(coder)
        pairs = self.joined.pairs(None if system in BASELINES else system, coder, own)
        texts = self.corpus.text_codes[own]
        if system != RANDOM_BOUNDARIES:
            return Batch(pairs, texts)
        draws = np.repeat(np.arange(self.draws), len(texts)) * len(self.joined.texts)
        drawn = random_places(pairs, self.keys(own), self.draws)
        return Batch(drawn, draws + np.tile(texts, self.draws))

    def count(self, recipe: Recipe, batch: Batch) -> Rows:
        """Return one row of counts per text and draw: those of its speakers are added."""
        return add_rows(recipe.count(batch.pairs), batch.groups, len(self.joined.texts))

    def keys(self, rows: Ints) -> list[int]:
        """A number of its own for every text, so that other texts do not change its draws."""
        texts = self.corpus.text_names.take(self.corpus.text_codes[rows])
        streams = self.corpus.stream_names[:]
        codes = self.corpus.stream_codes[rows].tolist()
        title, seed = self.corpus.title, self.seed
        return [_key((title(t), streams[s]), seed) for t, s in zip(texts, codes, strict=True)]

    def _units(self) -> Ints:
        """Units of each text."""
        first = self.corpus.item_rows
        units = np.bincount(
            self.corpus.text_codes[first], self.corpus.units[first], len(self.joined.texts)
        )
        return units.astype(np.int64)

    def cuts(self) -> dict[str, Ints]:
        """Return the boundaries of each reference in each text."""
        n = len(self.joined.texts)
        counts = self.corpus.view("positions").column.counts  # a type at the end divides nothing
        cuts = {}
        for reference, coder in self.references.items():
            own = self.joined.reference_rows(coder)
            found = np.bincount(self.corpus.text_codes[own], counts[own], n)
            cuts[reference] = found.astype(np.int64)
        return cuts


def error_of_draws(recipe: Recipe, references: Sequence[Rows]) -> float:
    """Return the standard error of the mean over texts of the mean over their references."""
    assert recipe.metric.error is not None
    texts = np.concatenate([own.texts for own in references])
    counts = np.concatenate([own.counts for own in references])
    errors = recipe.metric.error(*counts.T)
    times = np.bincount(texts)
    means = np.bincount(texts, weights=errors)[times > 0] / times[times > 0]
    return float(np.sqrt((means**2).sum()) / len(means))


def draws_for(texts: int) -> int:
    """Return how often random boundaries are drawn: less often where the texts are many."""
    return max(1, min(DRAWS, MOST_DRAWN // texts))


MOST_DRAWN = 200_000  # texts with random boundaries: their mean moves by less than .001 then


def add_rows(counts: Counts, groups: Ints, texts: int) -> Rows:
    """Add rows of the same group; groups are numbered draw * texts + text."""
    if not len(groups) or (np.diff(groups) > 0).all():  # one row for each, in order
        return Rows(counts, groups % texts)
    present, row_of = np.unique(groups, return_inverse=True)
    if len(present) == len(groups):
        return Rows(counts, groups % texts)
    summed = np.zeros((len(present), counts.shape[1]), dtype=counts.dtype)
    np.add.at(summed, row_of, counts)
    return Rows(summed, present % texts)


def random_places(pairs: Pairs, own: Sequence[int], draws: int) -> Pairs:
    """Every reference ``draws`` times, beside as many cuts of the same kinds at random."""
    ref = pairs.ref
    # With kinds, the end of a text is a place too. A place holds one cut.
    places = pairs.units - (1 if ref.kinds is None else 0)
    wanted = np.minimum(ref.counts, places)
    kept = np.arange(len(ref.values)) - np.repeat(ref.offsets[:-1], ref.counts)
    kinds = None if ref.kinds is None else ref.kinds[kept < np.repeat(wanted, ref.counts)]
    base = np.array(own, dtype=np.uint64)
    keys = (base[None, :] + np.arange(draws, dtype=np.uint64)[:, None]).ravel()
    offsets = offsets_of(np.tile(wanted, draws))
    values = _core.random_places(offsets, np.tile(places + 1, draws), keys)
    if kinds is not None:
        kinds = _core.shuffle_kinds(offsets, np.tile(kinds, draws), keys ^ np.uint64(1 << 63))
    sizes = offsets_of(np.tile(ref.counts, draws))
    tiled = None if ref.kinds is None else np.tile(ref.kinds, draws)
    return Pairs._trusted(
        Column.own(np.tile(ref.values, draws).astype(np.int64), sizes, tiled),
        Column.own(values, offsets, kinds),
        np.tile(pairs.units, draws),
        pairs.vocabulary,
        _Repeated(pairs.keys or ()),
    )


class _Repeated(Sequence[Any]):
    """The names of rows that are drawn several times."""

    def __init__(self, names: Sequence[Any]) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, row: Any) -> Any:
        return self._names[row % len(self._names)]


def _key(item: Item, seed: int) -> int:
    """A number that depends on the text's own name and the seed alone."""
    digest = blake2b(repr((item, seed)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") & (2**63 - 1)
