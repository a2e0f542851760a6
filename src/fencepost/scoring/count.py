"""The walk: references times hypotheses times metrics, into rows of counts and one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from fencepost import _core
from fencepost.blocks import on_cluster
from fencepost.metrics import METRICS
from fencepost.metrics.edit import check_typed, with_types
from fencepost.metrics.registry import (
    Counts,
    Metric,
    Recipe,
    as_recipe,
    default_metrics,
    known_presets,
)
from fencepost.metrics.signature import Context, Signature
from fencepost.model.checks import Ints, MetricError, offsets_of
from fencepost.model.corpus import Corpus, Item
from fencepost.model.hashing import blake2b
from fencepost.model.join import (
    BASELINES,
    HUMAN_CEILING,
    RANDOM_BOUNDARIES,
    Join,
    coverage,
    how_read,
    join,
    named_systems,
)
from fencepost.model.join import paired as paired_rows
from fencepost.model.levels import common_levels
from fencepost.model.pairs import Column, Pairs
from fencepost.options import (
    RESAMPLES,
    SEED,
    Adjustment,
    Average,
    Method,
    Missing,
    Paired,
    Resample,
    complaints,
)
from fencepost.scoring.counts import CountRows, Rows, from_rows, load
from fencepost.scoring.summary import (
    DRAWS,
    TOTAL,
    Choices,
    alone_choices,
    by_parts,
    summarize,
)
from fencepost.scoring.tables import Table
from fencepost.wording import listed, plural

SPEAKER, LEVEL = "speaker", "level"  # parts that are not texts: a table of each is scored apart


def score(
    refs: Any,
    hyps: Any,
    *,
    metrics: Iterable[str | Metric[Any] | Recipe | Callable[..., float]] | str | None = None,
    like: str | None = None,
    types: str | Sequence[str] | None = None,
    average: Average | None = None,
    missing: Missing = "error",
    baselines: bool = True,
    seed: int = SEED,
    intervals: bool = True,
    method: Method | None = None,
    resamples: int = RESAMPLES,
    paired: Paired | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    adjust: Adjustment | None = None,
    group: Mapping[str, Any] | None = None,
    runs: Mapping[str, Sequence[str]] | None = None,
    resample: Resample = "texts+runs",
    margin: float | None = None,
    by: Mapping[str, Any] | str | None = None,
    dask: Any = None,
) -> Table:
    """Score hypotheses against references, text by text, and average.

    ``refs`` is a dict ``{text: Segmentation or masses}``, a list of texts, or a Corpus; several
    references of a text are a list, a dict by coder, or the coders of the Corpus. ``hyps`` is the
    same with one segmentation a text, or ``{system: the same}``. Metrics are names
    (``"windowdiff:k=5"``), metrics, or functions of two Segmentations. ``types`` is the order of
    boundary types for B and S, ``"minor<major"``; without it numbers are as far apart as their
    values, and other names equally far.

    Macro averages the values of texts (the default), micro the counts; a whole signature among the
    metrics brings its own average. A text that is undefined for one system
    is left out for all; ``undefined`` says how many. With several references each has its rows,
    and so has their mean. ``baselines`` adds a hypothesis without boundaries and one with the
    reference's number of boundaries at random positions (mean of 20 draws, seeded); with several
    references also the human ceiling: each annotator scored against the others, averaged.

    ``low`` and ``high`` are the 95% interval over texts, from 5 texts on: by default the wider
    of the bootstrap-t and Student's t, above 10,000 texts by the standard error; ``method`` is
    "t", "normal", "percentile" or "bca"; ``intervals=False`` for none. ``paired`` compares the
    systems with ``baseline`` (the first, or "no boundaries") or ``all_pairs``, by
    "randomization" or "bootstrap"; ``part("comparisons")`` has the differences with intervals
    and p, adjusted by "minp", "holm", "bh" or "none" over all comparisons of the table. With a
    ``margin`` it also says which differences are too small to matter. ``group`` gives each text
    a group, and groups are resampled instead of texts. ``runs`` names systems that are one system
    with several seeds: ``{"bert": ["bert1", "bert2"]}``; they are averaged, and intervals and
    tests are about other runs too, or with ``resample="texts"`` about these very runs. ``by``
    gives each text a part (its source), or is "speaker", or "level" where boundary types are the
    levels of a hierarchy (1 the coarsest; other names as ``types`` orders them):
    ``part("by-group")`` has the scores of each part alone; without it, of each group. ``dask`` is
    the address of a Dask scheduler, ``"local"`` or a client, whose workers draw the resamples; it
    changes no number.

    >>> import fencepost as fp
    >>> table = fp.score({"d1": [5, 5], "d2": [3, 4, 5]}, {"d1": [4, 6], "d2": [4, 3, 2, 3]},
    ...                  metrics=["windowdiff", "B"], baselines=False)
    >>> [(row["metric"], round(row["value"], 3), row["n"]) for row in table]
    [('windowdiff', 0.343, 2), ('boundary_similarity', 0.5, 2)]
    """
    recipes = with_types(recipes_of(metrics, like), types, required=by != LEVEL)
    choices = Choices(
        average or _average_of(metrics), intervals, method, resamples, seed, paired, baseline,
        all_pairs, adjust, resample, margin,
    )  # fmt: skip
    check_choices(choices)
    for wrong in complaints("score", {"missing": missing, "baselines": baselines}):
        raise MetricError(wrong)
    if like is not None and like not in known_presets():
        raise MetricError(f"no preset {like!r}; there are {', '.join(known_presets())}")
    reference = Corpus.from_given(refs, "references")
    systems = named_systems(hyps)
    check_typed(types, (reference, *systems.values()))
    levels = _levels((reference, *systems.values()), recipes, types) if by == LEVEL else []
    joined = join(reference, systems, missing)
    context = Context(
        reading=tuple(how_read((reference, *systems.values())).items()),
        missing="" if missing == "error" else missing,
    )
    if like is not None:
        _check_tool(joined, recipes, like)
    counts = _Walk(joined, recipes, baselines, seed, context).counts()
    counts = with_groups(_with_runs(counts, runs), group)
    counts = replace(counts, notes=(*counts.notes, *_about_types(joined, recipes)))
    strangers = [r.name for r in recipes if like is not None and like not in r.metric.presets]
    if strangers:
        note = f"no {like} convention is known for {', '.join(strangers)}: its own default is used"
        counts = replace(counts, notes=(*counts.notes, note))
    with on_cluster(dask):
        table = score_counts_with(counts, choices, None if by in (SPEAKER, LEVEL) else by)
    if by not in (SPEAKER, LEVEL):
        return table
    alone = {key: value for key, value in vars(alone_choices(choices)).items() if value is not None}
    settings = {"metrics": recipes, "missing": missing, "baselines": baselines, "runs": runs,
                "group": group, **alone}  # fmt: skip
    finer = partial(_by_speaker, reference, systems, settings)
    if by == LEVEL:
        finer = partial(_by_level, reference, systems, settings, levels, table)
    return replace(table, parts={**table.parts, "by-group": finer})


def _by_speaker(
    reference: Corpus, systems: Mapping[str, Corpus], settings: Mapping[str, Any]
) -> Table:
    """Return the scores of each speaker alone: every text with this speaker's boundaries only."""
    if not reference.has_streams:
        raise MetricError("by='speaker' (--by speaker): no text of the reference has speakers")

    def only(corpus: Corpus, name: str) -> Corpus:
        own = [code for code, one in enumerate(corpus.stream_names) if one == name]
        return corpus.take(np.flatnonzero(np.isin(corpus.stream_codes, own)))

    return by_parts(
        {
            name: _score_parts(reference, systems, settings, partial(only, name=name))
            for name in reference.stream_names
        }
    )


def _score_parts(
    reference: Corpus,
    systems: Mapping[str, Corpus],
    settings: Mapping[str, Any],
    part: Callable[[Corpus], Corpus],
) -> Table:
    """Score a part of every corpus."""
    own = {system: part(corpus) for system, corpus in systems.items()}
    return score(part(reference), own, **settings)


def _levels(corpora: Sequence[Corpus], recipes: Sequence[Recipe], types: Any) -> list[str]:
    """Return the levels that ``by="level"`` scores; an error where there is nothing to score."""
    if all(recipe.metric.sees == "levels" for recipe in recipes):
        names = listed([recipe.metric.title for recipe in recipes], last=" and ")
        raise MetricError(
            f"by='level' (--by level): {names} compare whole hierarchies and have no value on one "
            "level; add a metric of flat segmentations, such as -m windowdiff"
        )
    return common_levels(corpora, types)


def _by_level(
    reference: Corpus,
    systems: Mapping[str, Corpus],
    settings: Mapping[str, Any],
    levels: Sequence[str],
    whole: Table,
) -> Table:
    """Return the scores of each level as a flat segmentation, and of the whole as their total."""
    order = list(reversed(levels))
    flat = [one for one in settings["metrics"] if one.metric.sees != "levels"]
    scored = {
        name: _score_parts(
            reference,
            systems,
            {**settings, "metrics": flat},
            lambda corpus, name=name: corpus.at(name, order),  # type: ignore[misc]
        )
        for name in levels
    }
    return by_parts({**scored, TOTAL: whole})


def _check_tool(joined: Join, recipes: Sequence[Recipe], like: str) -> None:
    """Raise MetricError for texts for which the other tool has no number."""
    for recipe in recipes:
        if like not in recipe.metric.declared.stops:
            continue
        why, mask = recipe.metric.declared.stops[like]
        for system, coder in product(joined.systems, joined.coders):
            rows = joined.reference_rows(coder)
            pairs = joined.pairs(system, coder, rows).view(recipe.metric.sees)
            found = np.flatnonzero(mask(pairs, **recipe.settings))
            if len(found):
                text = joined.reference.text_names[joined.reference.text_codes[rows[found[0]]]]
                count = plural(len(found), "text")
                raise MetricError(
                    f"{like} has no {recipe.metric.title} for {count} of {system}, first {text}: "
                    f"{why}. Remove such texts, or score without like"
                )


def _about_types(joined: Join, recipes: Sequence[Recipe]) -> list[str]:
    """Return a note on metrics that see no boundary types, where boundaries have different ones."""
    corpora = (joined.reference, *joined.systems.values())
    names = list(dict.fromkeys(name for one in corpora for name in one.kind_names or ()))
    blind = [recipe.name for recipe in recipes if recipe.metric.sees == "positions"]
    if len(names) < 2 or not blind:
        return []
    ignore = "ignores" if len(blind) == 1 else "ignore"
    said = listed(list(dict.fromkeys(blind)), last=" and ")
    seeing = [one.name for one in METRICS.values() if one.sees != "positions"]
    return [f"{said} {ignore} the boundary types ({listed(names)}); {listed(seeing)} compare them"]


def score_counts(
    counts: str | Path | Table | CountRows,
    *,
    average: Average | None = None,
    seed: int = SEED,
    intervals: bool = True,
    method: Method | None = None,
    resamples: int = RESAMPLES,
    paired: Paired | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    adjust: Adjustment | None = None,
    group: Mapping[str, Any] | None = None,
    resample: Resample = "texts+runs",
    margin: float | None = None,
    by: Mapping[str, Any] | None = None,
    dask: Any = None,
) -> Table:
    """The table of :func:`score` again, from saved counts: averages, intervals and tests.

    ``counts`` is a file (``fencepost score --save counts.csv``), or ``table.part("counts")``.

    >>> import fencepost as fp
    >>> table = fp.score({"a": [5, 5], "b": [3, 4]}, {"a": [4, 6], "b": [3, 4]}, metrics="B")
    >>> fp.score_counts(table.part("counts")).rows == table.rows
    True
    """
    if isinstance(counts, Table):
        counts = from_rows(counts.rows, "the table of counts")
    elif not isinstance(counts, CountRows):
        counts = load(counts)
    usual: Average = "micro" if counts.of_words else "macro"
    choices = Choices(
        average or usual, intervals, method, resamples, seed, paired, baseline, all_pairs,
        adjust, resample, margin,
    )  # fmt: skip
    check_choices(choices)
    with on_cluster(dask):
        return score_counts_with(with_groups(counts, group), choices, by)


def score_counts_with(
    counts: CountRows, choices: Choices, by: Mapping[str, Any] | str | None = None
) -> Table:
    """The table of these counts; ``by`` names a part of the texts for each of them."""
    if isinstance(by, str):
        raise MetricError(
            f"by is a part for each text, or 'speaker' or 'level' in fp.score; found {by!r}"
        )
    if counts.of_words and choices.average != "micro":
        raise MetricError(
            f"counts of words are added up over segments, found average={choices.average!r}; "
            "average='micro' is the only one"
        )
    for recipe in counts.recipes:
        if choices.average != "macro" and not recipe.metric.additive:
            raise MetricError(
                f"{recipe.name} is a plain function without counts: it can be averaged over texts "
                "(macro), not pooled (micro)"
            )
    return summarize(counts, choices, with_groups(counts, by).groups if by is not None else None)


def check_choices(choices: Choices) -> None:
    """Raise MetricError for invalid choices, and for choices that exclude each other."""
    for wrong in complaints("score_counts", vars(choices)):
        raise MetricError(wrong)
    if choices.method is not None and not choices.intervals:
        raise MetricError(f"method={choices.method!r} is of intervals, and intervals is False")
    if choices.adjust is not None and choices.paired is None:
        raise MetricError(
            f"adjust={choices.adjust!r} is about the p of comparisons, and none is asked for: "
            "paired='randomization'"
        )
    if choices.all_pairs and choices.baseline is not None:
        raise MetricError("all pairs are compared, or all systems with a baseline: one of the two")


def with_groups(counts: CountRows, group: Mapping[str, Any] | None) -> CountRows:
    """The counts with a group for each text."""
    if group is None:
        return counts
    lacking = [text for text in counts.texts if text not in group]
    if lacking:
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        raise MetricError(f"no group is given for {lacking[0]}{more}; every text needs one")
    groups = tuple(str(group[text]) for text in counts.texts)
    if not all(groups):
        empty = counts.texts[groups.index("")]
        raise MetricError(f"the group of {empty} is empty; every text needs one")
    name = str(getattr(group, "name", "given"))
    return replace(counts, groups=groups, context=counts.context._replace(group=name))


def _with_runs(counts: CountRows, runs: Mapping[str, Sequence[str]] | None) -> CountRows:
    """The counts with runs put together under the name of their system."""
    if not runs:
        return counts
    system_of: dict[str, str] = {}
    for system, own in runs.items():
        if isinstance(own, str) or len(own) < 1:
            raise MetricError(f"the runs of {system} are a list of names, found {own!r}")
        if system in counts.systems and system not in own:
            raise MetricError(f"{system} is a system of its own and cannot be the name of others")
        for run in own:
            if run not in counts.systems or run in BASELINES:
                known = ", ".join(s for s in counts.systems if s not in BASELINES)
                raise MetricError(f"no run {run!r} of {system}; there are {known}")
            if run in system_of:
                raise MetricError(f"{run} is given as a run twice")
            system_of[run] = str(system)
    systems: dict[str, tuple[str, ...]] = {}
    for name in counts.systems:
        system = system_of.get(name, name)
        systems[system] = (*systems.get(system, ()), name)
    return replace(counts, systems=systems)


def recipes_of(metrics: Any, like: str | None) -> list[Recipe]:
    """Return the recipes of whatever ``score`` takes for metrics; None means the usual ones."""
    if metrics is None:
        metrics = default_metrics(like)
    elif isinstance(metrics, (str, Metric, Recipe)) or callable(metrics):
        metrics = [metrics]
    recipes = [as_recipe(one, like) for one in metrics]
    if not recipes:
        raise MetricError("no metric is given")
    recipes = list(dict.fromkeys(recipes))
    if len({recipe.signature() for recipe in recipes}) < len(recipes):
        names = [recipe.name for recipe in recipes]
        twice = next(name for name in names if names.count(name) > 1)
        raise MetricError(
            f"two functions are called {twice}, so their numbers could not be told apart; give one "
            "another name (its __name__)"
        )
    return recipes


def _average_of(metrics: Any) -> Average:
    """The average that signatures among the metrics ask for; macro where none does."""
    given = (
        [metrics]
        if isinstance(metrics, str)
        else list(metrics)
        if isinstance(metrics, (list, tuple))
        else []
    )
    signed = [Signature(one) for one in given if isinstance(one, str) and "|" in one]
    return average_of(signed) or "macro"


def average_of(signed: Sequence[Signature]) -> Average | None:
    """The average of signatures; both where every metric has a signature of each."""
    found: dict[Recipe, set[str]] = {}
    for one in signed:
        found.setdefault(one.recipe, set()).add(one.context.avg)
    averages = set().union(*found.values()) - {""}
    if averages == {"macro", "micro"} and all(own == averages for own in found.values()):
        return "both"
    if len(averages) > 1:
        raise MetricError(
            f"the signatures differ in avg ({', '.join(sorted(averages))}): give those of both "
            "averages for every metric, or score them one by one"
        )
    return cast(Average, averages.pop()) if averages else None


# The walk itself.


class _Batch(NamedTuple):
    """The pairs of one system and one reference, and which text (and draw) each belongs to."""

    pairs: Pairs
    groups: Ints  # draw * texts + text


class _Walk:
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
        self.systems = [*joined.systems, *(self._baselines() if baselines else ())]
        self.facts: dict[str, str] = {}  # a fact, and the title of the metric it is about

    def _baselines(self) -> list[str]:
        """The rows below the systems; a ceiling where every annotator shares a text with others."""
        items, texts = self.corpus.item_codes, len(self.joined.texts)
        shared = np.flatnonzero(np.bincount(items)[items] > 1)
        if np.count_nonzero(np.bincount(self.corpus.coder_codes[shared])) < len(self.joined.coders):
            return [name for name in BASELINES if name != HUMAN_CEILING]
        met = np.count_nonzero(np.bincount(self.corpus.text_codes[shared]))
        if met < texts:
            said = (
                f"the human ceiling is over {met} of the {texts} texts: two annotators share them"
            )
            self.notes[said] = None
        return list(BASELINES)

    def counts(self) -> CountRows:
        """Count everything with everything, one system and reference at a time."""
        rows: dict[tuple[int, str, str], Rows] = {}
        for number, system in enumerate(self.systems):
            for coder in self.joined.coders:
                batch = self._pairs(system, coder)
                if number == 0:
                    self._look(coder, batch.pairs)
                for at, recipe in enumerate(self.recipes):
                    key = at, system, self.joined.name_of(coder)
                    rows[key] = _add_rows(
                        recipe.count(batch.pairs), batch.groups, len(self.joined.texts)
                    )
        units, cuts = self._sizes()
        about = {
            "unit": self.corpus.unit,
            "reference": self.corpus.name,
            "fingerprint": self.corpus.fingerprint(),
            "fingerprints": {name: self._fingerprint(name) for name in self.joined.systems},
            "settings": self._settings(),
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
        )

    def _fingerprint(self, system: str) -> str:
        """The fingerprint of the texts of a system that were compared."""
        corpus, met = self.joined.systems[system], self.joined.rows[system]
        met = met[met >= 0]
        return (corpus if len(met) == len(corpus) else corpus.take(met)).fingerprint()

    def _settings(self) -> list[str]:
        """Facts about settings; each names its metric where they differ."""
        if len(self.facts) < 2 or len(set(self.facts.values())) < 2:
            return list(self.facts)
        return [f"{title}: {fact}" for fact, title in self.facts.items()]

    def _look(self, coder: str, pairs: Pairs) -> None:
        """What the metrics have to say about a reference."""
        of = f" for {coder}" if len(self.joined.coders) > 1 else ""
        for recipe in self.recipes:
            first = pairs.view(recipe.metric.sees)
            if recipe.metric.notes:
                self.notes.update(dict.fromkeys(recipe.metric.notes(first, **recipe.settings)))
            if recipe.metric.facts:
                for fact in recipe.metric.facts(first, **recipe.settings):
                    self.facts.setdefault(fact + of, recipe.metric.title)

    def _pairs(self, system: str, coder: str) -> _Batch:
        if system == HUMAN_CEILING:  # each of the others is a draw of a hypothesis
            own, others = self.joined.rows_of_others(coder)
            pairs = paired_rows(self.corpus, own, self.corpus, others)
            draws = self.corpus.coder_codes[others].astype(np.int64) * len(self.joined.texts)
            return _Batch(pairs, draws + self.corpus.text_codes[own])
        own = self.joined.reference_rows(coder)
        pairs = self.joined.pairs(None if system in BASELINES else system, coder, own)
        texts = self.corpus.text_codes[own]
        if system != RANDOM_BOUNDARIES:
            return _Batch(pairs, texts)
        draws = np.repeat(np.arange(self.draws), len(texts)) * len(self.joined.texts)
        drawn = _random_places(pairs, self._keys(own), self.draws)
        return _Batch(drawn, draws + np.tile(texts, self.draws))

    def _keys(self, rows: Ints) -> list[int]:
        """A number of its own for every text, so that other texts do not change its draws."""
        texts = self.corpus.text_names.take(self.corpus.text_codes[rows])
        streams = self.corpus.stream_names[:]
        codes = self.corpus.stream_codes[rows].tolist()
        title, seed = self.corpus.title, self.seed
        return [_key((title(t), streams[s]), seed) for t, s in zip(texts, codes, strict=True)]

    def _sizes(self) -> tuple[Ints, dict[str, Ints]]:
        """Units of each text, and cuts of each reference in it."""
        n = len(self.joined.texts)
        first = self.corpus.item_rows
        units = np.bincount(self.corpus.text_codes[first], self.corpus.units[first], n)
        counts = self.corpus.view("positions").column.counts  # a type at the end divides nothing
        cuts = {}
        for coder in self.joined.coders:
            own = self.joined.reference_rows(coder)
            found = np.bincount(self.corpus.text_codes[own], counts[own], n)
            cuts[self.joined.name_of(coder)] = found.astype(np.int64)
        return units.astype(np.int64), cuts


def draws_for(texts: int) -> int:
    """Return how often random boundaries are drawn: less often where the texts are many."""
    return max(1, min(DRAWS, MOST_DRAWN // texts))


MOST_DRAWN = 200_000  # texts with random boundaries: their mean moves by less than .001 then


def _add_rows(counts: Counts, groups: Ints, texts: int) -> Rows:
    """Add rows of the same group; groups are numbered draw * texts + text."""
    if not len(groups) or (np.diff(groups) > 0).all():  # one row for each, in order
        return Rows(counts, groups % texts)
    present, row_of = np.unique(groups, return_inverse=True)
    if len(present) == len(groups):
        return Rows(counts, groups % texts)
    summed = np.zeros((len(present), counts.shape[1]), dtype=counts.dtype)
    np.add.at(summed, row_of, counts)
    return Rows(summed, present % texts)


def _random_places(pairs: Pairs, own: Sequence[int], draws: int) -> Pairs:
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
