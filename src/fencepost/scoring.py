"""The walk: references times hypotheses times metrics, into one table."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.checks import Ints, MetricError, SegmentationError
from fencepost.corpus import Corpus, is_masses
from fencepost.metrics.base import (
    Counts,
    Metric,
    Recipe,
    Values,
    as_recipe,
    known_presets,
    parse_signature,
)
from fencepost.pairs import Column, Pairs
from fencepost.result import Table
from fencepost.segmentation import Segmentation

DEFAULT_METRICS = ("pk", "windowdiff", "boundary_f", "boundary_similarity")
COLUMNS = (
    "system",
    "reference",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "undefined",
    "average",
    "signature",
)
NO_BOUNDARIES, RANDOM_PLACES = "no boundaries", "random places"
BASELINES = (NO_BOUNDARIES, RANDOM_PLACES)
MEAN_OF_REFERENCES = "mean of references"
DRAWS = 20  # of random places for each text

Average = Literal["macro", "micro", "both"]
Missing = Literal["error", "skip", "whole"]
Item = tuple[str, str]  # text and stream


def score(
    refs: Any,
    hyps: Any,
    *,
    metrics: Iterable[str | Metric[Any] | Recipe | Callable[..., float]] | str | None = None,
    like: str | None = None,
    average: Average | None = None,
    missing: Missing = "error",
    baselines: bool = True,
    seed: int = 12345,
) -> Table:
    """Score hypotheses against references, text by text, and average.

    ``refs`` is a dict ``{text: Segmentation or masses}``, a list of texts, or a Corpus; several
    references of a text are a list, a dict by coder, or the coders of the Corpus. ``hyps`` is the
    same with one segmentation a text, or ``{system: the same}``. Metrics are names
    (``"windowdiff:k=5"``), metrics, or functions of two Segmentations.

    Macro averages the values of texts (the default), micro the counts; a whole signature among the
    metrics brings its own average. A text that is undefined for one system
    is left out for all; ``undefined`` says how many. With several references each has its rows,
    and so has their mean. ``baselines`` adds a hypothesis without boundaries and one with the
    reference's number of cuts at random places (mean of 20 draws, seeded).

    >>> import fencepost as fp
    >>> table = fp.score({"d1": [5, 5], "d2": [3, 4, 5]}, {"d1": [4, 6], "d2": [4, 3, 2, 3]},
    ...                  metrics=["windowdiff", "B"], baselines=False)
    >>> [(row["metric"], round(row["value"], 3), row["n"]) for row in table]
    [('windowdiff', 0.343, 2), ('boundary_similarity', 0.5, 2)]
    """
    recipes = _recipes(metrics, like)
    average = average or _average_of(metrics)
    _check_choices(average, missing, like, seed)
    for recipe in recipes:
        if average != "macro" and not recipe.metric.additive:
            raise MetricError(
                f"{recipe.name} is a plain function without counts: it can be averaged over texts "
                "(macro), not pooled (micro)"
            )
    reference = Corpus.from_given(refs, "references")
    systems = _systems(hyps)
    plan = _plan(reference, systems, missing)
    context = {
        **_reading(reference, systems),
        **({} if missing == "error" else {"missing": missing}),
    }
    table = _Scoring(plan, recipes, average, baselines, seed, context).table()
    if like is not None:
        strangers = [r.name for r in recipes if like not in r.metric.presets]
        if strangers:
            note = (
                f"no {like} convention is known for {', '.join(strangers)}: its own default is used"
            )
            table = _with_notes(table, [note])
    return table


def _check_choices(average: str, missing: str, like: str | None, seed: int) -> None:
    if average not in ("macro", "micro", "both"):
        raise MetricError(f"average must be macro, micro or both, found {average!r}")
    if missing not in ("error", "skip", "whole"):
        raise MetricError(f"missing must be error, skip or whole, found {missing!r}")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise MetricError(f"seed must be a whole number, found {seed!r}")
    if like is not None and like not in known_presets():
        raise MetricError(f"no preset {like!r}; there are {', '.join(known_presets())}")


def _recipes(metrics: Any, like: str | None) -> list[Recipe]:
    if metrics is None:
        metrics = DEFAULT_METRICS
    elif isinstance(metrics, (str, Metric, Recipe)) or callable(metrics):
        metrics = [metrics]
    recipes = [as_recipe(one, like) for one in metrics]
    if not recipes:
        raise MetricError("no metric is given")
    return list({recipe.signature(): recipe for recipe in recipes}.values())


def _average_of(metrics: Any) -> Average:
    """The average that signatures among the metrics ask for; macro where none does."""
    given = (
        [metrics]
        if isinstance(metrics, str)
        else list(metrics)
        if isinstance(metrics, (list, tuple))
        else []
    )
    found = {
        parse_signature(one)[1].get("avg", "macro")
        for one in given
        if isinstance(one, str) and "|" in one
    }
    if len(found) > 1:
        raise MetricError("the signatures differ in avg; score them one by one")
    return cast(Average, found.pop()) if found else "macro"


# Who is compared with whom.


@dataclass(frozen=True)
class _Plan:
    """The texts to score, the references by coder, and each system's segmentations."""

    texts: list[str]
    references: dict[str, dict[Item, Segmentation]]
    systems: dict[str, dict[Item, Segmentation]]
    corpus: Corpus
    notes: list[str]


def _systems(hyps: Any) -> dict[str, Corpus]:
    if isinstance(hyps, Mapping) and hyps and all(_is_system(v) for v in hyps.values()):
        named = {str(name): Corpus.from_given(one, str(name)) for name, one in hyps.items()}
    else:
        corpus = Corpus.from_given(hyps, "hypothesis")
        named = {corpus.name if isinstance(hyps, Corpus) else "hypothesis": corpus}
    for name, corpus in named.items():
        if name in BASELINES:
            raise SegmentationError(f"a system cannot be named {name!r}: that is a baseline")
        if len(corpus.coders) > 1:
            raise SegmentationError(
                f"{name} has segmentations by {_listed(corpus.coders)} and a system has one for "
                "each text; choose one, or give each as a system of its own"
            )
    return named


def _is_system(value: Any) -> bool:
    if isinstance(value, (Corpus, Mapping)):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and not is_masses(value)


def _plan(reference: Corpus, systems: dict[str, Corpus], missing: Missing) -> _Plan:
    if not reference.texts:
        raise SegmentationError(f"{reference.name} has no texts")
    reference.check_streams()
    units = _units(reference)
    texts = reference.texts
    known = set(texts)
    chosen: dict[str, dict[Item, Segmentation]] = {}
    left_out: dict[str, None] = {}
    for name, corpus in systems.items():
        if corpus.anonymous and reference.anonymous and len(corpus.texts) == 1 == len(texts):
            # Files of one text each, without a name of its own: they are meant for each other.
            corpus = systems[name] = corpus.renamed(texts[0])
        given = corpus.of(corpus.coders[0]) if corpus.coders else {}
        lacking = [item for item in units if item not in given]
        surplus = list(dict.fromkeys(text for text, _ in given if text not in known))
        if lacking and missing == "error":
            raise SegmentationError(_lacks(name, reference, lacking, given))
        if surplus and missing != "skip":
            raise SegmentationError(
                f"{name} has {_texts(surplus)} that {reference.name} lacks. "
                "Leave them out with --missing skip (missing='skip')"
            )
        if missing == "skip":
            left_out.update(dict.fromkeys(text for text, _ in lacking))
        whole = {item: _uncut(units[item], reference) for item in lacking}
        chosen[name] = {**given, **(whole if missing == "whole" else {})}
    kept = [text for text in texts if text not in left_out]
    if not kept:
        raise SegmentationError(f"no text of {reference.name} has a partner in every system")
    references = {coder: reference.of(coder) for coder in reference.coders}
    notes = [f"{_texts(list(left_out))} left out: not every system has them"] if left_out else []
    notes += [
        note
        for name, corpus in systems.items()
        for note in _check_units(reference, units, name, corpus, chosen[name], set(kept))
    ]
    for coder, own in references.items():
        done = len({text for text, _ in own} - set(left_out))
        if done < len(kept):
            notes.append(f"{coder} has {done} of the {len(kept)} texts")
    return _Plan(kept, references, chosen, reference.where(kept), notes)


def _units(reference: Corpus) -> dict[Item, int]:
    """The number of units of each text and stream, which all references must agree on."""
    units: dict[Item, int] = {}
    first: dict[Item, str] = {}
    for key, seg in reference.entries.items():
        item = key.text, key.stream
        first.setdefault(item, key.coder)
        if units.setdefault(item, seg.units) != seg.units:
            raise SegmentationError(
                f"{_said(item)}: {first[item]} has {units[item]} {reference.unit}s and "
                f"{key.coder} {seg.units}; references must have the same units"
            )
    return units


def _uncut(units: int, reference: Corpus) -> Segmentation:
    names = reference.kind_names
    return Segmentation(units, [], None if names is None else [], names)


def _said(item: Item) -> str:
    return f"{item[0]}, {item[1]}" if item[1] else item[0]


def _listed(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _texts(names: Sequence[str]) -> str:
    return f"{len(names)} text{'s' * (len(names) > 1)} ({_listed(names)})"


def _lacks(
    name: str, reference: Corpus, lacking: Sequence[Item], given: Mapping[Item, Segmentation]
) -> str:
    there = {text for text, _ in given}
    for text, stream in lacking:
        if text in there:
            return f"{text}: {name} lacks the stream {stream!r}, which {reference.name} has"
    texts = list(dict.fromkeys(text for text, _ in lacking))
    return (
        f"{name} lacks {len(texts)} of the {len(reference.texts)} texts in {reference.name} "
        f"({_listed(texts)}). Leave them out with --missing skip (missing='skip'), or count them "
        "as unsegmented with --missing whole"
    )


def _check_units(
    reference: Corpus,
    units: Mapping[Item, int],
    name: str,
    corpus: Corpus,
    given: Mapping[Item, Segmentation],
    kept: set[str],
) -> list[str]:
    """Refuse texts of different length, saying where they part; note words that differ."""
    for item, count in units.items():
        if item[0] in kept and item in given and count != given[item].units:
            raise SegmentationError(
                _parting(reference, name, corpus, item, count, given[item].units)
            )
    differing = [
        item
        for item, words in reference.tokens.items()
        if item[0] in kept and list(corpus.tokens.get(item, words)) != list(words)
    ]
    if not differing:
        return []
    first = differing[0]
    place = _first_difference(reference.tokens[first], corpus.tokens[first], reference.unit)
    return [
        f"{_texts(list(dict.fromkeys(text for text, _ in differing)))} read differently in "
        f"{reference.name} and {name}, though they have the same number of {reference.unit}s; "
        f"{_said(first)}: they {place}"
    ]


def _parting(
    reference: Corpus, name: str, corpus: Corpus, item: Item, ref_units: int, hyp_units: int
) -> str:
    unit = reference.unit
    start = f"{_said(item)}: {reference.name} has {ref_units} {unit}s, {name} {hyp_units}"
    ours, theirs = reference.tokens.get(item), corpus.tokens.get(item)
    if ours and theirs:
        start += f"; they {_first_difference(ours, theirs, unit)}"
    return (
        f"{start}. Boundaries can only be compared on the same units; if the words differ "
        "(recognition, translation), use fencepost resegment"
    )


def _first_difference(ours: Sequence[str], theirs: Sequence[str], unit: str) -> str:
    """Where two texts part, and what stands before."""
    same = sum(1 for _ in _common_start(ours, theirs))
    shown = [f'"{w[same]}"' if same < len(w) else "the end" for w in (ours, theirs)]
    before = " ".join(ours[max(0, same - 4) : same])[-40:]
    context = f' (after "{before}")' if before else ""
    return f"part at {unit} {same + 1}: {shown[0]} / {shown[1]}{context}"


def _common_start(a: Sequence[str], b: Sequence[str]) -> Iterable[str]:
    for x, y in zip(a, b, strict=False):
        if x != y:
            return
        yield x


def _reading(reference: Corpus, systems: Mapping[str, Corpus]) -> dict[str, str]:
    """Choices made while reading, for the signature; both sides are named where they differ."""
    fields: dict[str, str] = {}
    for corpus in (reference, *systems.values()):
        for key, value in corpus.reading.items():
            known = fields.get(key, value)
            fields[key] = value if known == value else f"{known}+{value}"
    return fields


# The walk itself.


@dataclass(frozen=True)
class _Batch:
    """The pairs of one system and one reference, and which text (and draw) each belongs to."""

    pairs: Pairs
    groups: Ints  # draw * texts + text


@dataclass(frozen=True)
class _Rows:
    """Counts of one system against one reference: a row for each text, streams added."""

    counts: Counts
    texts: Ints  # index of each row's text in the plan


class _Scoring:
    def __init__(
        self,
        plan: _Plan,
        recipes: list[Recipe],
        average: Average,
        baselines: bool,
        seed: int,
        context: Mapping[str, str],
    ) -> None:
        self.plan = plan
        self.recipes = recipes
        self.averages: tuple[str, ...] = ("macro", "micro") if average == "both" else (average,)
        self.context = dict(context)
        self.seed = seed
        self.number = {text: i for i, text in enumerate(plan.texts)}
        self.systems = [*plan.systems, *(BASELINES if baselines else ())]
        self.rows: list[dict[str, Any]] = []
        self.details: list[tuple[str, str, Recipe, Ints, Values]] = []
        self.notes: dict[str, None] = dict.fromkeys(plan.notes)
        self.facts: dict[str, str] = {}  # a fact, and the title of the metric it is about

    def table(self) -> Table:
        pairs = {
            (system, coder): self._pairs(system, coder)
            for system in self.systems
            for coder in self.plan.references
        }
        for recipe in self.recipes:
            self._score(recipe, pairs)
        order = {system: i for i, system in enumerate(self.systems)}
        self.rows.sort(key=lambda row: order[row["system"]])
        return Table(
            COLUMNS,
            tuple(self.rows),
            notes=tuple(self.notes),
            facts={**_facts(self.plan), "settings": self._settings()},
            parts={"per-text": partial(_per_text, self.plan.texts, list(self.details))},
        )

    def _reference(self, coder: str) -> str:
        """A reference's name in tables: the file's, where its only coder has none."""
        unnamed = len(self.plan.references) == 1 and coder == "1"
        return self.plan.corpus.name if unnamed else coder

    def _settings(self) -> list[str]:
        """Facts about settings; each names its metric where they differ."""
        if len(self.facts) < 2 or len(set(self.facts.values())) < 2:
            return list(self.facts)
        return [f"{title}: {fact}" for fact, title in self.facts.items()]

    def _score(self, recipe: Recipe, pairs: Mapping[tuple[str, str], _Batch]) -> None:
        references = list(self.plan.references)
        for coder in references:
            first = pairs[self.systems[0], coder].pairs.view(recipe.metric.sees)
            if recipe.metric.notes:
                self.notes.update(dict.fromkeys(recipe.metric.notes(first, **recipe.settings)))
            if recipe.metric.facts:
                of = f" for {coder}" if len(references) > 1 else ""
                for fact in recipe.metric.facts(first, **recipe.settings):
                    self.facts.setdefault(fact + of, recipe.metric.title)
        found = {key: self._count(recipe, one) for key, one in pairs.items()}
        values = {key: recipe.value(one.counts) for key, one in found.items()}
        defined = {
            coder: ~np.any(
                [
                    _bad(found[s, coder], values[s, coder], len(self.plan.texts))
                    for s in self.systems
                ],
                axis=0,
            )
            for coder in references
        }
        for system in self.systems:
            for coder in references:
                key = system, coder
                use = defined[coder][found[key].texts]
                self._add_rows(
                    recipe,
                    system,
                    coder,
                    found[key].counts[use],
                    values[key][use],
                    found[key].texts,
                    use,
                )
                if system in self.plan.systems:
                    label = self._reference(coder)
                    self.details.append((system, label, recipe, found[key].texts, values[key]))
            if len(references) > 1:
                self._add_mean(recipe, system, found, values, defined)

    def _pairs(self, system: str, coder: str) -> _Batch:
        refs = self.plan.references[coder]
        own = self.plan.systems.get(system)
        items = [item for item in refs if item[0] in self.number and (own is None or item in own)]
        segs = [refs[item] for item in items]
        hyps = [own[item] for item in items] if own is not None else [_emptied(s) for s in segs]
        names = [_said(item) for item in items]
        pairs = Pairs.from_segmentations(segs, hyps, names, self.plan.corpus.kind_names)
        texts = np.array([self.number[text] for text, _ in items], dtype=np.int64)
        if system != RANDOM_PLACES:
            return _Batch(pairs, texts)
        draws = np.repeat(np.arange(DRAWS), len(texts)) * len(self.plan.texts)
        return _Batch(_random_places(pairs, items, self.seed), draws + np.tile(texts, DRAWS))

    def _count(self, recipe: Recipe, batch: _Batch) -> _Rows:
        """Count all pairs at once, then add the streams of each text (and each draw) together."""
        return _add_rows(recipe.count(batch.pairs), batch.groups, len(self.plan.texts))

    def _add_rows(
        self,
        recipe: Recipe,
        system: str,
        coder: str,
        counts: Counts,
        values: Values,
        texts: Ints,
        use: npt.NDArray[np.bool_],
    ) -> None:
        for average in self.averages:
            value = _macro(values) if average == "macro" else _micro(recipe, counts)
            n = len(np.unique(texts[use]))
            self.rows.append(
                self._row(recipe, system, coder, value, n, len(np.unique(texts)) - n, average)
            )

    def _add_mean(
        self,
        recipe: Recipe,
        system: str,
        found: Mapping[tuple[str, str], _Rows],
        values: Mapping[tuple[str, str], Values],
        defined: Mapping[str, npt.NDArray[np.bool_]],
    ) -> None:
        """Macro: mean over a text's references, then over texts. Micro: all counts pooled."""
        references = list(self.plan.references)
        texts = np.concatenate([found[system, c].texts for c in references])
        use = np.concatenate([defined[c][found[system, c].texts] for c in references])
        all_values = np.concatenate([values[system, c] for c in references])[use]
        all_counts = np.concatenate([found[system, c].counts for c in references])[use]
        n = len(np.unique(texts[use]))
        for average in self.averages:
            if average == "macro":
                value = _macro(_mean_by(texts[use], all_values))
            else:
                value = _micro(recipe, all_counts)
            undefined = len(np.unique(texts)) - n
            self.rows.append(
                self._row(recipe, system, MEAN_OF_REFERENCES, value, n, undefined, average)
            )

    def _row(
        self,
        recipe: Recipe,
        system: str,
        coder: str,
        value: float,
        n: int,
        undefined: int,
        average: str,
    ) -> dict[str, Any]:
        more = {**self.context, "avg": average}
        if coder == MEAN_OF_REFERENCES:
            more["refs"] = "mean"
        if system == RANDOM_PLACES:
            more |= {"draws": str(DRAWS), "seed": str(self.seed)}
        cells = (
            system,
            self._reference(coder),
            recipe.name,
            value,
            None,
            None,
            n,
            undefined,
            average,
            recipe.signature(**more),
        )
        return dict(zip(COLUMNS, cells, strict=True))


def _add_rows(counts: Counts, groups: Ints, texts: int) -> _Rows:
    """Add rows of the same group; groups are numbered draw * texts + text."""
    present, row_of = np.unique(groups, return_inverse=True)
    if len(present) == len(groups):
        return _Rows(counts, groups % texts)
    summed = np.zeros((len(present), counts.shape[1]), dtype=counts.dtype)
    np.add.at(summed, row_of, counts)
    return _Rows(summed, present % texts)


def _bad(rows: _Rows, values: Values, texts: int) -> npt.NDArray[np.bool_]:
    """Which texts have no value."""
    bad = np.zeros(texts, dtype=bool)
    bad[rows.texts[np.isnan(values)]] = True
    return bad


def _macro(values: Values) -> float:
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan


def _micro(recipe: Recipe, counts: Counts) -> float:
    return float(recipe.value(add_counts(counts)[None, :])[0]) if len(counts) else math.nan


def add_counts(counts: Counts) -> Counts:
    """The sum of count rows: exact, whatever their order."""
    if counts.dtype.kind == "i":
        return np.asarray(counts.sum(axis=0))
    return np.array([math.fsum(column.tolist()) for column in counts.T])


def _mean_by(groups: Ints, values: Values) -> Values:
    """The mean of each group's values."""
    order = np.argsort(groups, kind="stable")
    _, starts = np.unique(groups[order], return_index=True)
    return np.array([_macro(part) for part in np.split(values[order], starts[1:])])


def _emptied(seg: Segmentation) -> Segmentation:
    kinds = None if seg.kinds is None else seg.kinds[:0]
    return Segmentation._trusted(seg.units, seg.cuts[:0], kinds, seg.kind_names)


def _random_places(pairs: Pairs, items: Sequence[Item], seed: int) -> Pairs:
    """DRAWS times every reference, beside as many cuts of the same kinds at random places."""
    ref = pairs.ref
    # With kinds, the end of a text is a place too. A place holds one cut.
    places = pairs.units - (1 if ref.kinds is None else 0)
    wanted = np.minimum(ref.counts, places)
    kept = np.arange(len(ref.values)) - np.repeat(ref.offsets[:-1], ref.counts)
    kinds = None if ref.kinds is None else ref.kinds[kept < np.repeat(wanted, ref.counts)]
    base = np.array([_key(item, seed) for item in items], dtype=np.uint64)
    keys = (base[None, :] + np.arange(DRAWS, dtype=np.uint64)[:, None]).ravel()
    offsets = np.concatenate(([0], np.cumsum(np.tile(wanted, DRAWS))))
    values = _core.random_places(offsets, np.tile(places + 1, DRAWS), keys)
    if kinds is not None:
        kinds = _core.shuffle_kinds(offsets, np.tile(kinds, DRAWS), keys ^ np.uint64(1 << 63))
    sizes = np.concatenate(([0], np.cumsum(np.tile(ref.counts, DRAWS))))
    tiled = None if ref.kinds is None else np.tile(ref.kinds, DRAWS)
    return Pairs._trusted(
        Column(np.tile(ref.values, DRAWS).astype(np.int64), sizes, tiled),
        Column(values, offsets, kinds),
        np.tile(pairs.units, DRAWS),
        pairs.vocabulary,
        list(pairs.keys or ()) * DRAWS,
    )


def _key(item: Item, seed: int) -> int:
    """A number of its own for every text, so that other texts do not change its draws."""
    digest = hashlib.blake2b(repr((item, seed)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") & (2**63 - 1)


def _facts(plan: _Plan) -> dict[str, Any]:
    """What the lines above and below the table say about the data."""
    kept = set(plan.texts)
    units: dict[Item, int] = {}
    cuts = 0
    with_cuts: set[str] = set()
    for own in plan.references.values():
        for item, seg in own.items():
            if item[0] in kept:
                units[item] = seg.units
                cuts += len(seg.cuts)
                with_cuts |= {item[0]} if len(seg.cuts) else set()
    return {
        "texts": len(plan.texts),
        "units": sum(units.values()),
        "unit": plan.corpus.unit,
        "references": len(plan.references),
        "reference_cuts": cuts,
        "texts_without_cuts": len(kept - with_cuts),
        "reference": plan.corpus.name,
        "fingerprint": plan.corpus.fingerprint(),
        "reading": dict(plan.corpus.reading),
    }


def _per_text(texts: list[str], details: list[tuple[str, str, Recipe, Ints, Values]]) -> Table:
    rows = [
        {
            "text": texts[text],
            "system": system,
            "reference": coder,
            "metric": recipe.name,
            "value": value,
            "signature": signature,
        }
        for system, coder, recipe, numbers, values in details
        for signature in [recipe.signature()]
        for text, value in zip(numbers.tolist(), values.tolist(), strict=True)
    ]
    columns = ("text", "system", "reference", "metric", "value", "signature")
    return Table(columns, tuple(rows), name="per-text")


def _with_notes(table: Table, notes: Sequence[str]) -> Table:
    return replace(table, notes=(*table.notes, *notes))
