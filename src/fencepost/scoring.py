"""The walk: references times hypotheses times metrics, into one table."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.checks import Ints, MetricError, SegmentationError
from fencepost.corpus import Corpus, is_masses
from fencepost.metrics.base import Counts, Metric, Recipe, Values, as_recipe, known_presets
from fencepost.pairs import Pairs
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
    average: Average = "macro",
    missing: Missing = "error",
    baselines: bool = True,
    seed: int = 12345,
) -> Table:
    """Score hypotheses against references, text by text, and average.

    ``refs`` is a dict ``{text: Segmentation or masses}``, a list of texts, or a Corpus; several
    references of a text are a list, a dict by coder, or the coders of the Corpus. ``hyps`` is the
    same with one segmentation a text, or ``{system: the same}``. Metrics are names
    (``"windowdiff:k=5"``), metrics, or functions of two Segmentations.

    Macro averages the values of texts, micro the counts. A text that is undefined for one system
    is left out for all; ``undefined`` says how many. With several references each has its rows,
    and so has their mean. ``baselines`` adds a hypothesis without boundaries and one with the
    reference's number of cuts at random places (mean of 20 draws, seeded).

    >>> import fencepost as fp
    >>> table = fp.score({"d1": [5, 5], "d2": [3, 4, 5]}, {"d1": [4, 6], "d2": [4, 3, 2, 3]},
    ...                  metrics=["windowdiff", "B"], baselines=False)
    >>> [(row["metric"], round(row["value"], 3), row["n"]) for row in table]
    [('windowdiff', 0.343, 2), ('boundary_similarity', 0.5, 2)]
    """
    _check_choices(average, missing, like, seed)
    recipes = _recipes(metrics, like)
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
                f"{name} has {len(corpus.coders)} segmentations of a text "
                f"({', '.join(corpus.coders[:3])}); a system has one. Several systems are given as "
                "{system: texts}"
            )
    return named


def _is_system(value: Any) -> bool:
    if isinstance(value, (Corpus, Mapping)):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and not is_masses(value)


def _plan(reference: Corpus, systems: dict[str, Corpus], missing: Missing) -> _Plan:
    texts = reference.texts
    if not texts:
        raise SegmentationError(f"{reference.name} has no texts")
    reference.check_streams()
    references = {coder: reference.of(coder) for coder in reference.coders}
    items = set(reference.items)
    chosen: dict[str, dict[Item, Segmentation]] = {}
    keep = set(texts)
    for name, corpus in systems.items():
        given = corpus.of(corpus.coders[0]) if corpus.coders else {}
        if set(reference.texts) != set(corpus.texts) and len(texts) == 1 == len(corpus.texts):
            given = {(texts[0], stream): seg for (_, stream), seg in given.items()}
        lacking = sorted({text for text, _ in items - set(given)}, key=texts.index)
        surplus = list(dict.fromkeys(text for text, _ in given if text not in set(texts)))
        if lacking and missing == "error":
            raise SegmentationError(_lacks(name, reference.name, lacking, texts))
        if surplus and missing != "skip":
            raise SegmentationError(
                f"{name} has {_texts(surplus)} that {reference.name} lacks. "
                "Leave them out with missing skip (--missing skip)"
            )
        if missing == "skip":
            keep -= set(lacking)
        units = {
            (text, stream): seg.units
            for own in references.values()
            for (text, stream), seg in own.items()
        }
        whole = {item: Segmentation(units[item], []) for item in items - set(given)}
        chosen[name] = {**given, **(whole if missing == "whole" else {})}
    kept = [text for text in texts if text in keep]
    if not kept:
        raise SegmentationError(f"no text of {reference.name} has a partner in every system")
    notes = [
        note
        for name, corpus in systems.items()
        for note in _check_units(reference, references, name, corpus, chosen[name], kept)
    ]
    return _Plan(kept, references, chosen, reference.where(kept), notes)


def _texts(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{len(names)} text{'s' * (len(names) > 1)} ({shown})"


def _lacks(name: str, reference: str, lacking: Sequence[str], texts: Sequence[str]) -> str:
    shown = ", ".join(lacking[:3]) + (", ..." if len(lacking) > 3 else "")
    return (
        f"{name} lacks {len(lacking)} of the {len(texts)} texts in {reference} ({shown}). "
        "Leave them out with missing skip (--missing skip), or count them as unsegmented with "
        "missing whole (--missing whole)"
    )


def _check_units(
    reference: Corpus,
    references: Mapping[str, Mapping[Item, Segmentation]],
    name: str,
    corpus: Corpus,
    given: Mapping[Item, Segmentation],
    texts: Sequence[str],
) -> list[str]:
    """Refuse texts of different length, saying where they part; note words that differ."""
    kept = set(texts)
    for own in references.values():
        for item, seg in own.items():
            if item[0] in kept and item in given and seg.units != given[item].units:
                raise SegmentationError(
                    _parting(reference, name, corpus, item, seg.units, given[item].units)
                )
    differing = [
        text
        for (text, stream), words in reference.tokens.items()
        if text in kept and list(corpus.tokens.get((text, stream), words)) != list(words)
    ]
    if not differing:
        return []
    return [
        f"{_texts(differing)} read differently in {reference.name} and {name}, "
        f"though they have the same number of {reference.unit}s"
    ]


def _parting(
    reference: Corpus, name: str, corpus: Corpus, item: Item, ref_units: int, hyp_units: int
) -> str:
    text = item[0] + (f", {item[1]}" if item[1] else "")
    unit = reference.unit
    start = f"{text}: {reference.name} has {ref_units} {unit}s, {name} {hyp_units}"
    ours, theirs = reference.tokens.get(item), corpus.tokens.get(item)
    if ours and theirs:
        same = sum(1 for _ in _common_start(ours, theirs))
        shown = [f'"{w[same]}"' if same < len(w) else "the end" for w in (ours, theirs)]
        start += f"; they part at {unit} {same + 1}: {shown[0]} / {shown[1]}"
    return (
        f"{start}. Boundaries can only be compared on the same units; if the words differ "
        "(recognition, translation), align the texts first"
    )


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
        self.averages = ("macro", "micro") if average == "both" else (average,)
        self.context = dict(context)
        self.seed = seed
        self.number = {text: i for i, text in enumerate(plan.texts)}
        self.systems = [*plan.systems, *(BASELINES if baselines else ())]
        self.rows: list[dict[str, Any]] = []
        self.details: list[tuple[str, str, Recipe, Ints, Values]] = []
        self.notes: dict[str, None] = dict.fromkeys(plan.notes)
        self.facts: dict[str, None] = {}

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
            facts={**_facts(self.plan), "settings": list(self.facts)},
            parts={"per-text": partial(_per_text, self.plan.texts, list(self.details))},
        )

    def _score(self, recipe: Recipe, pairs: Mapping[tuple[str, str], Pairs]) -> None:
        references = list(self.plan.references)
        for coder in references:
            first = pairs[self.systems[0], coder].view(recipe.metric.sees)
            for hook, into in (
                (recipe.metric.notes, self.notes),
                (recipe.metric.facts, self.facts),
            ):
                into.update(dict.fromkeys(hook(first, **recipe.settings)) if hook else {})
        found = {key: self._count(recipe, one, key[0]) for key, one in pairs.items()}
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
                    self.details.append((system, coder, recipe, found[key].texts, values[key]))
            if len(references) > 1:
                self._add_mean(recipe, system, found, values, defined)

    def _pairs(self, system: str, coder: str) -> Pairs:
        refs = self.plan.references[coder]
        items = [item for item in refs if item[0] in self.number]
        segs = [refs[item] for item in items]
        vocabulary = self.plan.corpus.kind_names
        if system == RANDOM_PLACES:
            items, segs, hyps = _random(items, segs, self.seed)
        elif system == NO_BOUNDARIES:
            hyps = [
                Segmentation._trusted(
                    s.units, s.cuts[:0], None if s.kinds is None else s.kinds[:0], s.kind_names
                )
                for s in segs
            ]
        else:
            own = self.plan.systems[system]
            items = [item for item in items if item in own]
            segs = [refs[item] for item in items]
            hyps = [own[item] for item in items]
        return Pairs.from_segmentations(
            segs, hyps, keys=[item[0] for item in items], vocabulary=vocabulary
        )

    def _count(self, recipe: Recipe, pairs: Pairs, system: str) -> _Rows:
        """Count all pairs at once, then add the streams of each text (and each draw) together."""
        counts = recipe.count(pairs)
        texts = np.array([self.number[str(key)] for key in pairs.keys or ()], dtype=np.int64)
        if system == RANDOM_PLACES:
            draw = np.repeat(np.arange(DRAWS), len(texts) // DRAWS)
            return _add_rows(counts, draw * len(self.plan.texts) + texts, len(self.plan.texts))
        return _add_rows(counts, texts, len(self.plan.texts))

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
            coder,
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


def _random(
    items: list[Item], segs: list[Segmentation], seed: int
) -> tuple[list[Item], list[Segmentation], list[Segmentation]]:
    """DRAWS hypotheses a text with the reference's number of cuts at random places."""
    units = np.array([s.units for s in segs], dtype=np.int64)
    wanted = np.array(
        [min(int((s.cuts < s.units).sum()), s.units - 1) for s in segs], dtype=np.int64
    )
    base = np.array([_key(item, seed) for item in items], dtype=np.uint64)
    hyps: list[Segmentation] = []
    offsets = np.concatenate(([0], np.cumsum(wanted)))
    for draw in range(DRAWS):
        places = _core.random_places(offsets, units, base + np.uint64(draw))
        for i, seg in enumerate(segs):
            cuts = places[offsets[i] : offsets[i + 1]]
            kinds = None if seg.kinds is None else seg.kinds[: len(cuts)].copy()
            hyps.append(Segmentation._trusted(seg.units, cuts, kinds, seg.kind_names))
    return items * DRAWS, segs * DRAWS, hyps


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
