"""Scores: references times hypotheses times metrics, counted and put into one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from fencepost.blocks import on_cluster
from fencepost.metrics import METRICS
from fencepost.metrics.edit import check_typed, with_types
from fencepost.metrics.registry import (
    Metric,
    Recipe,
    as_recipe,
    default_metrics,
    known_presets,
)
from fencepost.metrics.signature import Context, Signature, in_order
from fencepost.model.checks import Ints, MetricError, SegmentationError, refuse_probabilities
from fencepost.model.corpus import Corpus
from fencepost.model.join import BASELINES, Join, how_read, join, named_systems
from fencepost.model.levels import common_levels
from fencepost.model.pairs import Pairs
from fencepost.options import (
    RESAMPLES,
    SEED,
    Adjustment,
    Average,
    ConsensusBy,
    Method,
    Missing,
    Paired,
    ReferenceRule,
    Resample,
    complaints,
)
from fencepost.scoring.counts import CountRows, from_rows, load
from fencepost.scoring.references import walk
from fencepost.scoring.sides import check_comparable, check_orders
from fencepost.scoring.summary import (
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
    reference_rule: ReferenceRule = "each",
    consensus_by: ConsensusBy = "similarity",
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
    same with one segmentation per text, or ``{system: the same}``. Metrics are names
    (``"windowdiff:k=5"``), metrics, or functions of two Segmentations. ``types`` is the order of
    boundary types for B and S, ``"minor<major"``; without it numbers are as far apart as their
    values, and other names equally far.

    Macro averages the values of texts (the default), micro the counts; a whole signature among the
    metrics brings its own average. A text that is undefined for one system is skipped for all;
    ``undefined`` says how many. With several references each has its rows, and so has their mean.
    ``reference_rule`` "mean" gives the mean alone; "best" takes the closest annotator of each text;
    "consensus" takes what its annotators agree on (``consensus_by`` "similarity" to all of them by
    B, or "majority"); "weighted" takes all boundaries, weighted by the share of annotators who set
    them (P, R, F, B). ``baselines`` adds a hypothesis without boundaries and one with the
    reference's number of boundaries at random positions (mean of 20 draws, seeded); with several
    references also the human ceiling: each annotator scored against the others by the same rule,
    averaged.

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
    recipes, average = asked_for(metrics, like, types, average, needs_typed=by != LEVEL)
    choices = Choices(
        average, intervals, method, resamples, seed, paired, baseline, all_pairs, adjust, resample,
        margin,
    )  # fmt: skip
    check_choices(choices)
    given = {
        "missing": missing, "baselines": baselines, "reference_rule": reference_rule,
        "consensus_by": consensus_by,
    }  # fmt: skip
    for wrong in complaints("score", given):
        raise MetricError(wrong)
    reference = Corpus.from_given(refs, "references")
    systems = named_systems(hyps)
    check_typed(types, (one.kind_names for one in (reference, *systems.values())))
    check_probabilities(recipes, reference, systems.values())
    check_orders(recipes, (reference, *systems.values()))
    levels = _levels((reference, *systems.values()), recipes, types) if by == LEVEL else []
    check_comparable(recipes, reference, systems.values())
    joined = join(reference, systems, missing)
    context = Context(
        reading=in_order(how_read((reference, *systems.values()))),
        missing="" if missing == "error" else missing,
    )
    if like is not None:
        _check_tool(joined, recipes, like)
    if consensus_by != "similarity" and reference_rule != "consensus":
        raise MetricError(
            f"--consensus-by {consensus_by} (consensus_by={consensus_by!r}) is about the consensus "
            "of annotators: add --reference-rule consensus (reference_rule='consensus')"
        )
    made = walk(reference_rule, joined, recipes, baselines, seed, context, consensus_by)
    counts = made.counts()
    counts = with_groups(_with_runs(counts, runs), group)
    about = (*_about_types(joined, recipes), *_about_tuning(joined))
    counts = replace(counts, notes=(*counts.notes, *about, *about_like(recipes, like)))
    with on_cluster(dask):
        table = score_counts_with(counts, choices, None if by in (SPEAKER, LEVEL) else by)
    if by not in (SPEAKER, LEVEL):
        return table
    alone = {key: value for key, value in vars(alone_choices(choices)).items() if value is not None}
    settings = {**given, "metrics": recipes, "runs": runs, "group": group, **alone}
    finer = partial(_by_speaker, reference, systems, settings)
    if by == LEVEL:
        finer = partial(_by_level, reference, systems, settings, levels, table)
    return replace(table, parts={**table.parts, "by-group": finer})


def check_probabilities(
    recipes: Iterable[Recipe], reference: Corpus, systems: Iterable[Corpus]
) -> None:
    """Raise SegmentationError for probabilities where boundaries are needed.

    The boundaries of the reference are counted, and baselines have as many.
    """
    if reference.has_probabilities:
        raise SegmentationError(
            f"the reference {reference.source.file or reference.name} has probabilities, and "
            "score compares with certain boundaries. Read it with --threshold 0.5 "
            "(threshold=0.5, .at_threshold(0.5)); fp.brier(ref, hyp) takes shares of annotators"
        )
    blind = [recipe.name for recipe in recipes if recipe.metric.sees != "weights"]
    for corpus in systems:
        if blind and corpus.has_probabilities:
            verb = "needs" if len(blind) == 1 else "need"
            said = f"{listed(blind, last=' and ')} {verb}"
            raise refuse_probabilities(corpus.source.file or corpus.name, said)


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
        raise no_level_alone(recipes, "windowdiff")
    return common_levels(corpora, types)


def no_level_alone(recipes: Sequence[Recipe], flat: str) -> MetricError:
    """Return the error for metrics of whole hierarchies alone, where levels are asked for.

    ``flat`` is a metric to add.
    """
    names = listed([recipe.metric.title for recipe in recipes], last=" and ")
    verbs = "compares whole hierarchies and has" if len(recipes) == 1 else (
        "compare whole hierarchies and have"
    )  # fmt: skip
    return MetricError(
        f"by='level' (--by level): {names} {verbs} no value on one level; add a metric of flat "
        f"segmentations, such as -m {flat}"
    )


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
    for system, coder in product(joined.systems, joined.coders):
        rows = joined.reference_rows(coder)

        def which(found: Ints, rows: Ints = rows, system: str = system) -> str:
            first = joined.reference.text_names[joined.reference.text_codes[rows[found[0]]]]
            return f"{plural(len(found), 'text')} of {system}, first {first}"

        check_like(recipes, like, joined.pairs(system, coder, rows), which)


def check_like(
    recipes: Iterable[Recipe], like: str, pairs: Pairs, which: Callable[[Ints], str]
) -> None:
    """Raise MetricError for pairs for which the other tool has no number.

    ``which`` says which texts these rows are.
    """
    for recipe in recipes:
        if like not in recipe.metric.declared.stops:
            continue
        why, mask = recipe.metric.declared.stops[like]
        found = np.flatnonzero(mask(pairs.view(recipe.metric.sees), **recipe.settings))
        if len(found):
            raise MetricError(
                f"{like} has no {recipe.metric.title} for {which(found)}: {why}. Remove such "
                "texts, or score without like"
            )


def about_like(recipes: Sequence[Recipe], like: str | None) -> list[str]:
    """Return a note on metrics that have no convention of the other tool."""
    strangers = [r.name for r in recipes if like is not None and like not in r.metric.presets]
    if not strangers:
        return []
    return [f"no {like} convention is known for {', '.join(strangers)}: its own default is used"]


def _about_types(joined: Join, recipes: Sequence[Recipe]) -> list[str]:
    """Return a note on metrics that see no boundary types, where boundaries have different ones."""
    corpora = (joined.reference, *joined.systems.values())
    return about_types((name for one in corpora for name in one.kind_names or ()), recipes)


def about_types(types: Iterable[str], recipes: Sequence[Recipe]) -> list[str]:
    """Return a note on metrics that see no boundary types, where there are these types."""
    names = list(dict.fromkeys(types))
    blind = [r.name for r in recipes if r.metric.sees in ("positions", "weights")]
    if len(names) < 2 or not blind:
        return []
    ignore = "ignores" if len(blind) == 1 else "ignore"
    said = listed(list(dict.fromkeys(blind)), last=" and ")
    seeing = [one.name for one in METRICS.values() if one.sees not in ("positions", "weights")]
    return [f"{said} {ignore} the boundary types ({listed(names)}); {listed(seeing)} compare them"]


def _about_tuning(joined: Join) -> list[str]:
    """Return a note on systems whose threshold was tuned on these very references."""
    data = joined.reference.fingerprint()
    own = [
        name
        for name, corpus in joined.systems.items()
        if corpus.source.choices.get("tuned", "").endswith(f"@{data}")
    ]
    if not own:
        return []
    return [
        f"the threshold of {listed(own)} was tuned on these references, so this score is too good: "
        "score other texts, or take the cross-validated score of fencepost tune"
    ]


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
    check_average(counts.recipes, choices.average)
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


def asked_for(
    metrics: Any, like: str | None, types: Any, average: Any, *, needs_typed: bool = True
) -> tuple[list[Recipe], Average]:
    """Return the recipes and the average that are asked for; raise MetricError for invalid ones.

    Whole signatures among the metrics bring their average, unless another is given. Every door to
    scores begins here, so that all of them refuse the same. ``types`` must be of use to a metric
    where it ``needs_typed``.
    """
    if like is not None and like not in known_presets():
        raise MetricError(f"no preset {like!r}; there are {', '.join(known_presets())}")
    given = metrics if metrics is None else listed_metrics(metrics)
    recipes = with_types(recipes_of(given, like), types, required=needs_typed)
    chosen = average or average_in(given or ()) or "macro"
    for wrong in complaints("score", {"average": chosen}):
        raise MetricError(wrong)
    check_average(recipes, chosen)
    return recipes, chosen


def check_average(recipes: Iterable[Recipe], average: Average) -> None:
    """Raise MetricError for plain functions, whose values cannot be pooled."""
    for recipe in recipes:
        if average != "macro" and not recipe.metric.additive:
            raise MetricError(
                f"{recipe.name} is a plain function without counts: it can be averaged over texts "
                "(macro), not pooled (micro)"
            )


def listed_metrics(metrics: Any) -> list[Any]:
    """Return one metric, or several, as a list."""
    alone = isinstance(metrics, (str, Metric, Recipe)) or callable(metrics)
    return [metrics] if alone else list(metrics)


def recipes_of(metrics: Any, like: str | None) -> list[Recipe]:
    """Return the recipes of whatever ``score`` takes for metrics; None means the usual ones."""
    given = default_metrics(like) if metrics is None else listed_metrics(metrics)
    recipes = [as_recipe(one, like) for one in given]
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


def average_in(metrics: Iterable[Any]) -> Average | None:
    """Return the average that signatures among the metrics ask for; None where none does."""
    return average_of([Signature(one) for one in metrics if isinstance(one, str) and "|" in one])


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
            f"the signatures differ in avg ({', '.join(sorted(averages))}): give signatures of "
            "both "
            "averages for every metric, or score them one by one"
        )
    return cast(Average, averages.pop()) if averages else None
