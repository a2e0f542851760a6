"""The plan of a batch run: which columns are what, and what is counted; small, and written as JSON.

A plan goes to every worker. It is pickled, and written into what a run saves, so that a resumed
run can tell whether it goes on with the same work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast, get_args

from fencepost.metrics.costs import Costs
from fencepost.metrics.edit import MADE as MADE_SUBSTITUTIONS
from fencepost.metrics.edit import SubstitutionCosts, check_typed
from fencepost.metrics.registry import Metric, Recipe, parse
from fencepost.metrics.signature import Context, Signature, in_order
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.pairs import merge_vocabularies
from fencepost.options import Average, Encoding, Flags, Gaps, Overlap, write_names
from fencepost.scoring.count import asked_for
from fencepost.wording import listed

ENCODINGS = ("masses", "positions", "bits", "flags", "spans")  # what a list of a row can be
OF_ENCODING = {"flags": "flags", "gaps": "spans", "overlap": "spans"}  # choices for one of them


@dataclass(frozen=True)
class Plan:
    """What a batch run reads and counts.

    ``ref`` and ``hyp`` name columns of lists; every hypothesis column is a system. ``encoding``
    says what a list is, and has no default: ``"masses"`` (segment sizes), ``"positions"`` (needs
    ``units``, a column of the numbers of units), ``"bits"`` (a 0 or 1 per position between units),
    ``"flags"`` (a 0 or 1 per unit; needs ``flags="last"`` or ``"first"``) or ``"spans"`` (structs
    of ``start`` and ``end``, or pairs). ``text`` names the column of the texts' names.

    ``missing="skip"`` skips texts without a partner, where tables are joined by ``text``. ``kinds``
    gives columns of positions a column of boundary types, ``{"gold": "gold_types"}``, and
    ``kind_names`` are all types of the task (default: the types that ``types`` orders). One batch
    may not have all. ``metrics``, ``like``, ``types`` and ``average`` are as in ``fp.score``.

    >>> plan = Plan("gold", ["c256", "c512"], encoding="masses", metrics=["windowdiff", "B"])
    >>> Plan.from_json(plan.to_json()) == plan
    True
    >>> print(plan.signatures()[0])  # doctest: +ELLIPSIS
    windowdiff|k:auto-half-up|pad:none|avg:macro|fencepost:...
    """

    ref: str
    hyp: str | Sequence[str]
    encoding: Encoding = field(kw_only=True)
    metrics: str | Sequence[str | Metric[Any] | Recipe | Callable[..., float]] | None = field(
        default=None, kw_only=True
    )
    like: str | None = field(default=None, kw_only=True)
    types: str | Sequence[str] | None = field(default=None, kw_only=True)
    average: Average | None = field(default=None, kw_only=True)
    text: str | None = field(default=None, kw_only=True)
    units: str | None = field(default=None, kw_only=True)
    flags: Flags | None = field(default=None, kw_only=True)
    gaps: Gaps | None = field(default=None, kw_only=True)
    overlap: Overlap | None = field(default=None, kw_only=True)
    missing: Literal["error", "skip"] = field(default="error", kw_only=True)
    kinds: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    kind_names: Sequence[str] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Turn names into recipes, and refuse what cannot be counted batch by batch."""
        hyp = (self.hyp,) if isinstance(self.hyp, str) else _names("hyp", self.hyp)
        recipes, average = asked_for(self.metrics, self.like, self.types, self.average)
        kinds, kind_names = self._types()
        check_typed(self.types, [kind_names or None])
        changes: dict[str, Any] = {  # the order of types is in the recipes
            "hyp": hyp, "metrics": tuple(recipes), "average": average, "types": None,
            "kinds": kinds, "kind_names": kind_names,
        }  # fmt: skip
        for name, value in changes.items():
            object.__setattr__(self, name, value)
        self._check_columns()
        for recipe in self.recipes:
            check_recipe(recipe)

    def _types(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the columns of boundary types by the column beside them, and the types."""
        kinds, names, order = self.kinds, self.kind_names, self.types
        if not isinstance(kinds, Mapping) or not all(isinstance(n, str) for n in kinds.values()):
            raise FencepostError(
                'kinds= gives each column its column of types, kinds={"gold": "gold_types"}, '
                f"found {kinds!r}"
            )
        if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
            raise FencepostError(f"kind_names must be a list of names, found {names!r}")
        if len(set(names)) < len(names):
            raise FencepostError(
                f"kind_names must differ from each other, found {listed(list(names), 9)}"
            )
        if kinds and order is not None and not names:
            names = [one.strip() for one in (order.split("<") if isinstance(order, str) else order)]
        return dict(kinds), tuple(names)

    def _check_columns(self) -> None:
        for what in ("ref", "text", "units"):
            name = getattr(self, what)
            if not (isinstance(name, str) or (name is None and what != "ref")):
                raise FencepostError(f"{what} must be the name of a column, found {name!r}")
        for what, kind in (("flags", Flags), ("gaps", Gaps), ("overlap", Overlap)):
            value = getattr(self, what)
            if value is not None and value not in get_args(kind):
                raise FencepostError(
                    f"{what} must be {listed(get_args(kind), 9, ' or ')}, found {value!r}"
                )
        if not self.hyp or len(set(self.hyp)) < len(self.hyp) or self.ref in self.hyp:
            raise FencepostError(
                "there is one reference column, and each hypothesis is another column; found "
                f"{self.ref} and {listed(self.hyp, 9) or 'none'}"
            )
        if self.encoding not in ENCODINGS:
            raise FencepostError(
                f"encoding must be {listed(ENCODINGS, 9, ' or ')}, found {self.encoding!r}"
            )
        if self.missing not in ("error", "skip"):
            raise FencepostError(f"missing must be error or skip, found {self.missing!r}")
        if self.encoding == "positions" and self.units is None:
            raise FencepostError(
                "positions need the number of units of each text, in a column: --columns "
                "units=NAME (units= in the plan)"
            )
        if self.encoding == "flags" and self.flags is None:
            raise FencepostError(
                "flags, a 0 or 1 per unit, do not say what a 1 is: --flags last where it ends a "
                'segment, --flags first where it starts one (flags="last" in the plan)'
            )
        for name, fits in OF_ENCODING.items():
            if getattr(self, name) is not None and self.encoding != fits:
                raise FencepostError(
                    f"{name}={getattr(self, name)!r} is for encoding={fits!r}, found "
                    f"encoding={self.encoding!r}; remove it"
                )
        if self.kind_names and not self.kinds:
            raise FencepostError(
                "boundary types are named (--type-names, kind_names=), and no column of types is: "
                '--columns ref_types=NAME,hyp_types=NAME (kinds={"gold": "gold_types", ...})'
            )
        if not self.kinds:
            return
        if self.encoding != "positions":
            raise FencepostError(
                "boundary types are lists beside positions: --encoding positions "
                f"(encoding='positions'), found {self.encoding}"
            )
        if set(self.kinds) != {self.ref, *self.hyp}:
            raise FencepostError(
                f"boundary types (kinds=) need a column for {listed([self.ref, *self.hyp], 9)}, "
                f"found {listed(list(self.kinds), 9)}"
            )
        if not self.kind_names:
            raise FencepostError(
                "boundary types need their names, as a batch may not have all: --type-names TYPE "
                "TYPE ..., or --types with their order (kind_names= or types= in the plan)"
            )

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The metrics with their settings."""
        return cast(tuple[Recipe, ...], self.metrics)

    @property
    def averaging(self) -> Average:
        """The average, which a signature among the metrics may have brought."""
        assert self.average is not None  # it was filled in
        return self.average

    @property
    def systems(self) -> tuple[str, ...]:
        """The hypothesis columns."""
        return tuple(self.hyp)

    def columns(self) -> list[str]:
        """Return the columns that are read."""
        optional = [name for name in (self.text, self.units) if name is not None]
        return [*dict.fromkeys([*optional, self.ref, *self.systems, *self.kinds.values()])]

    def reference_columns(self) -> list[str]:
        """Return the columns that are read of the reference, where hypotheses have other tables."""
        return [name for name in self.columns() if name not in self.systems]

    def labels(self) -> list[str]:
        """Return what each metric is called in the names of columns of counts."""
        names = [recipe.name for recipe in self.recipes]
        return [
            str(recipe) if names.count(recipe.name) > 1 else recipe.name for recipe in self.recipes
        ]

    @property
    def is_unknown(self) -> bool:
        """Whether no lists of this encoding tell what they are, so that signatures name it.

        Lists beside lists of boundary types can be nothing but positions.
        """
        if self.kinds:
            return False
        return self.encoding == "positions" or (self.encoding == "bits" and self.units is None)

    def context(
        self, average: str = "macro", needed: Container[str] | None = None, **changes: str
    ) -> Context:
        """Return how texts are read and combined, as signatures have it.

        ``needed`` are choices without which texts could not be read. None means that no text was
        read yet: then all choices that may be needed are named.
        """
        chosen = {name: getattr(self, name) for name in ("flags", "encoding", "gaps", "overlap")}
        if needed is None:
            needed = ("gaps", "overlap", *(["encoding"] if self.is_unknown else ()))
        reading = {
            name: str(value)
            for name, value in chosen.items()
            if value is not None and (name == "flags" or name in needed)
        }
        if self.kinds:  # prices and divisors follow from all of them, also from those of no text
            reading["type-names"] = write_names(merge_vocabularies([self.kind_names]))
        missing = "" if self.missing == "error" else self.missing
        return Context(reading=in_order(reading), missing=missing, avg=average, **changes)

    def signatures(self) -> list[Signature]:
        """Return the signature of each metric, known before anything is scored.

        Rules for gaps and overlaps are in it where they are given; a table's signatures have them
        only where a text needed them. The encoding is in it where no lists would tell it.
        """
        average = "macro" if self.average == "both" else self.averaging
        return [recipe.signature(self.context(average)) for recipe in self.recipes]

    # As JSON.

    def to_json(self) -> str:
        """Return the plan as one line of JSON; costs are written out."""
        plain: dict[str, Any] = {
            "ref": self.ref, "hyp": self.hyp, "encoding": self.encoding, "average": self.average,
            "metrics": [_written(recipe) for recipe in self.recipes], "like": self.like,
            "text": self.text, "units": self.units, "flags": self.flags, "gaps": self.gaps,
            "overlap": self.overlap, "missing": "" if self.missing == "error" else self.missing,
            "kinds": dict(self.kinds), "kind_names": self.kind_names,
            "costs": [
                [one.kinds, one.similarity.tolist(), one.moving.tolist()]
                for one in self._values(Costs) if one.kinds is not None and one.name == one.digest
            ],
            "substitution": [
                [[*pair, cost] for pair, cost in one.items()]
                for one in self._values(SubstitutionCosts)
            ],
            "sources": self._sources(),
        }  # fmt: skip
        return json.dumps({key: value for key, value in plain.items() if value}, ensure_ascii=False)

    def _sources(self) -> dict[str, str]:
        """The digest of each file that metrics are from, and the version of each package."""
        metrics = [recipe.metric for recipe in self.recipes]
        return {one.origin: one.version for one in metrics if one.origin and one.version}

    def _values(self, kind: type) -> list[Any]:
        """Settings of the recipes that are objects of this kind."""
        return [
            value
            for recipe in self.recipes
            for value in recipe.settings.values()
            if isinstance(value, kind)
        ]

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan that :meth:`to_json` has written."""
        try:
            plain = {**json.loads(text)}  # a TypeError for anything but an object
            # Costs are found by their digest, as long as somebody holds them.
            held: list[object] = [
                Costs(tuple(kinds), square, moving, "")
                for kinds, square, moving in plain.pop("costs", [])
            ]
            for pairs in plain.pop("substitution", []):
                made = SubstitutionCosts({(a, b): cost for a, b, cost in pairs})
                held.append(MADE_SUBSTITUTIONS.setdefault(made.digest, made))
            plain["metrics"] = [parse(one) for one in plain["metrics"]]
            sources = {**plain.pop("sources", {})}
            plan = cls(plain.pop("ref"), plain.pop("hyp"), **plain)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            why = f"it has no {error.args[0]}" if isinstance(error, KeyError) else error
            raise FencepostError(f"this is not a plan that to_json has written: {why}") from None
        plan._check_sources(sources)
        return plan

    def _check_sources(self, before: Mapping[str, str]) -> None:
        changed = changed_sources(before, self._sources())
        if changed:
            raise MetricError(f"{changed} the plan was made; make the plan anew")

    # A worker may have another file under the same name.

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled."""
        return {**self.__dict__, "sources": self._sources()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled; raise MetricError if a metric is another here."""
        sources = state.pop("sources")
        self.__dict__.update(state)
        self._check_sources(sources)


def changed_sources(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return which file or package of metrics is another now: "my.py (...) has changed since"."""
    for origin, version in before.items():
        if now.get(origin, version) != version:
            return f"{origin} has changed ({version}, now {now[origin]}) since"
    return ""


def _names(what: str, given: Any) -> tuple[str, ...]:
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for name in names:
        if not isinstance(name, str):
            raise FencepostError(f"{what} must be names of columns, found {name!r}")
    return names


def check_recipe(recipe: Recipe) -> None:
    """Raise MetricError for what cannot be counted batch by batch."""
    recipe.check_input("pairs")
    for name, value in recipe.settings.items():
        if recipe.metric.params[name].needs_all_texts(value):
            raise MetricError(
                f"{recipe}: {name} depends on all texts together, which batches do not see; give "
                f"{name} a number, or use fp.score"
            )


def _written(recipe: Recipe) -> str:
    metric = recipe.metric
    if metric.wraps is not None and not metric.origin.endswith(".py"):
        raise MetricError(
            f"{recipe.name} is a function, which JSON cannot hold; put it into a file and give "
            f"the metric as my_metrics.py:{recipe.name}"
        )
    return str(recipe)


def as_plan(given: Plan | str | Mapping[str, Any]) -> Plan:
    """Return the plan of a Plan, of its JSON, or of a mapping of its fields."""
    if isinstance(given, Plan):
        return given
    if isinstance(given, str):
        return Plan.from_json(given)
    if isinstance(given, Mapping):
        names = [one.name for one in fields(Plan)]
        unknown = [name for name in given if name not in names]
        if unknown or not {"ref", "hyp", "encoding"} <= set(given):
            raise FencepostError(
                f"a plan has ref, hyp and encoding, and may have {listed(names[3:], 99)}; found "
                f"{listed(list(given), 20) or 'nothing'}"
            )
        return Plan(**given)
    raise FencepostError(f"a plan is an fp.Plan or its JSON, found {type(given).__name__}")
