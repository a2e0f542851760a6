"""What a metric is: counts that add up, a function from counts to a value, and declared facts."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import numpy.typing as npt

from fencepost.metrics.helptext import public_doc, public_signature
from fencepost.metrics.score import E, Score
from fencepost.metrics.settings import Param, Presets, Settings
from fencepost.metrics.signature import VERSION, Signature
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.edits import Edge, Edit
from fencepost.model.pairs import Pairs, View
from fencepost.model.segmentation import Segmentable, Segmentation, as_segmentation
from fencepost.options import SIGNATURE_FIELDS
from fencepost.plugins import declared, load, load_all

P = ParamSpec("P")
Counts: TypeAlias = npt.NDArray[Any]  # int64, or float64 where a formula needs it
Values: TypeAlias = npt.NDArray[np.float64]
Edits: TypeAlias = tuple[Edit | Edge, ...]
Windows: TypeAlias = tuple[int, list[int]]  # their width in positions, and where they begin
Drawn: TypeAlias = Literal["edits", "edges", "windows", "sides"]


@dataclass(frozen=True, eq=False)
class Metric(Generic[P, E]):
    """A metric of the registry: call it on two segmentations, or hand it to ``score``."""

    name: str
    title: str
    cite: str
    counts: tuple[str, ...]
    better: Literal["lower", "higher"]
    range: tuple[float, float]
    symmetric: bool
    sees: View
    aliases: Mapping[str, Settings]  # short names, with the settings they stand for
    family: str
    doc: str
    params: Mapping[str, Param]
    defaults: Settings
    presets: Mapping[str, Settings]
    function: Callable[..., Any]
    value: Callable[..., Values]
    edits: Callable[..., list[tuple[E, ...]]] | None = None
    undefined: Callable[..., str] | None = None
    notes: Callable[..., Sequence[str]] | None = None
    facts: Callable[..., Sequence[str]] | None = None
    windows: Callable[..., Windows] | None = None
    drawn: Drawn = "sides"
    divisor: str | Callable[..., str | None] | None = None
    reach: Callable[..., int] | None = None
    kind_costs: bool = False
    chances: tuple[str, ...] = ()
    additive: bool = True
    types: Mapping[str, Any] = field(default_factory=dict)  # of the settings, and of ``like``
    _value_takes: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        doc = public_doc(self.name, self.doc, self.types, self.params, self.defaults, self.presets)
        object.__setattr__(self, "__doc__", doc)
        object.__setattr__(self, "__name__", self.name)
        object.__setattr__(self, "__wrapped__", self.function)  # doctest finds the source here
        object.__setattr__(self, "__module__", self.function.__module__)
        signature = public_signature(self.types, self.defaults)
        object.__setattr__(self, "__signature__", signature)
        object.__setattr__(self, "_value_takes", tuple(inspect.signature(self.value).parameters))

    def __call__(
        self, ref: Segmentable, hyp: Segmentable, *args: P.args, **settings: P.kwargs
    ) -> Score[E]:
        """Score one hypothesis against one reference; a bare list is masses."""
        if args:
            raise MetricError(
                f"{self.name} takes two segmentations; settings go by name: "
                f"{self.name}(ref, hyp, k=5)"
            )
        recipe = self.recipe(**settings)
        pairs = Pairs.from_segmentations(
            [as_segmentation(ref, "the reference")], [as_segmentation(hyp, "the hypothesis")]
        )
        counts = recipe.count(pairs)
        value = float(recipe.value(counts)[0])
        if math.isnan(value) and self.undefined is not None:
            reason = self.undefined(pairs.view(self.sees), **recipe.settings)
            if reason:
                raise MetricError(f"{self.name}: {reason}")
        explain = partial(_first_edits, recipe, pairs) if self.edits else None
        named = dict(zip(self.counts, counts[0].tolist(), strict=True))
        return Score(value, named, recipe.signature(), explain, pairs)

    def recipe(self, **settings: Any) -> Recipe:
        """This metric with these settings; ``like`` fills in another tool's."""
        like = settings.pop("like", None)
        chosen = dict(self.defaults)
        if like is not None:
            if not isinstance(like, str) or like not in self.presets:
                known = ", ".join(self.presets) or "none"
                raise MetricError(f"{self.name} has no preset {like!r}; it has: {known}")
            chosen.update(self.presets[like])
        for key in settings:
            if key not in self.params:
                raise MetricError(
                    f"{self.name} has no setting {key!r}; it has {', '.join(self.params) or 'none'}"
                    + _did_you_mean(key, self.params)
                )
        chosen.update(settings)
        checked = {key: self.params[key].check(key, value) for key, value in chosen.items()}
        return Recipe(self, checked)

    def __reduce__(self) -> tuple[Any, ...]:
        return find, (self.name,)

    def __repr__(self) -> str:
        return f"<metric {self.name}>"


@dataclass(frozen=True)
class Recipe:
    """A metric with all its settings: everything that makes the number but the data."""

    metric: Metric[Any]
    settings: Settings

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    def written(self) -> dict[str, str]:
        """The settings as the signature writes them."""
        shown = {}
        for key, value in self.settings.items():
            param = self.metric.params[key]
            if not (param.quiet and value == param.check(key, self.metric.defaults[key])):
                shown[key] = param.show(value)
        return shown

    def signature(self, **more: str) -> Signature:
        """The signature, known before anything is scored; ``more`` adds how texts were combined."""
        return Signature.build(self.name, {**self.written(), **more})

    def count(self, pairs: Pairs) -> Counts:
        """One row of counts for each pair."""
        counts = self.metric.function(pairs.view(self.metric.sees), **self.settings)
        return np.asarray(counts)

    def value(self, counts: Counts) -> Values:
        """The value of each row of counts; NaN where it is undefined."""
        columns = dict(zip(self.metric.counts, np.asarray(counts).T, strict=True))
        given = {key: columns.get(key, self.settings.get(key)) for key in self.metric._value_takes}
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.metric.value(**given), dtype=np.float64)

    @property
    def divisor(self) -> str | None:
        """The count that costs are divided by; None where that depends on the boundaries."""
        declared = self.metric.divisor
        return declared(**self.settings) if callable(declared) else declared

    @property
    def reach(self) -> int | None:
        """How many positions apart near misses can be; None where the metric states no limit."""
        return None if self.metric.reach is None else self.metric.reach(**self.settings)

    @property
    def separable(self) -> bool:
        """Whether boundaries out of each other's reach can be judged one by one."""
        return self.divisor is not None and self.reach is not None

    @property
    def two_categories(self) -> bool:
        """Whether every position is judged alone, as a boundary or none."""
        return self.separable and self.reach == 0 and self.metric.sees == "positions"

    def edits(self, pairs: Pairs) -> list[Edits]:
        """The edits of each pair."""
        if self.metric.edits is None:
            raise MetricError(f"{self.name} keeps no edits; S, B and A do")
        return self.metric.edits(pairs.view(self.metric.sees), **self.settings)


def _first_edits(recipe: Recipe, pairs: Pairs) -> tuple[Any, ...]:
    return recipe.edits(pairs)[0]


def metric(
    *,
    title: str,
    cite: str,
    counts: tuple[str, ...],
    value: Callable[..., Values],
    better: Literal["lower", "higher"],
    range: tuple[float, float] = (0.0, 1.0),
    symmetric: bool = False,
    sees: View = "positions",
    aliases: tuple[str, ...] | Mapping[str, Settings] = (),
    edits: Callable[..., list[tuple[E, ...]]] | None = None,
    undefined: Callable[..., str] | None = None,
    notes: Callable[..., Sequence[str]] | None = None,
    facts: Callable[..., Sequence[str]] | None = None,
    windows: Callable[..., Windows] | None = None,
    drawn: Drawn | None = None,
    divisor: str | Callable[..., str | None] | None = None,
    reach: Callable[..., int] | None = None,
    kind_costs: bool = False,
    chances: tuple[str, ...] = (),
) -> Callable[[Callable[Concatenate[Pairs, P], Counts]], Metric[P, E]]:
    """Declare a metric: the function counts, the facts here say how to read the counts.

    ``value`` takes the columns of counts, and settings it needs, by name. ``edits`` lists what
    the counts are made of, ``undefined`` says why a single pair has no value, ``notes`` and
    ``facts`` tell what a reader of a whole table should know.

    How others use it: ``drawn`` is what is drawn between two texts ("edits" where there are any,
    "edges" between segments, "windows" that differ, or the two "sides" alone); ``windows`` finds
    the windows of a pair that differ. ``divisor`` names the count a cost is divided by, if it
    depends on the text alone (a function of the settings may choose it). ``reach`` gives from the
    settings how many positions apart two boundaries can be and still be a near miss.
    ``kind_costs`` says that confusing two boundary types has a price of its own, ``chances``
    which kinds of chance its paper corrects agreement for.
    """

    def declare(function: Callable[Concatenate[Pairs, P], Counts]) -> Metric[P, E]:
        hints = get_type_hints(function, include_extras=True)
        params, defaults, presets = _settings_of(function, hints)
        return Metric(
            name=function.__name__,
            title=title,
            cite=cite,
            counts=counts,
            better=better,
            range=range,
            symmetric=symmetric,
            sees=sees,
            aliases=aliases if isinstance(aliases, Mapping) else {alias: {} for alias in aliases},
            family=function.__module__.rpartition(".")[2],
            doc=inspect.getdoc(function) or "",
            params=params,
            defaults=defaults,
            presets=presets,
            function=function,
            value=value,
            edits=edits,
            undefined=undefined,
            notes=notes,
            facts=facts,
            windows=windows,
            drawn=drawn or ("windows" if windows else "edits" if edits else "sides"),
            divisor=divisor,
            reach=reach,
            kind_costs=kind_costs,
            chances=chances,
            types={name: _plain(hints.get(name, Any)) for name in _settings(function)},
        )

    return declare


def _settings(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)[1:]


def _plain(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _settings_of(
    function: Callable[..., Any], hints: Mapping[str, Any]
) -> tuple[dict[str, Param], dict[str, Any], dict[str, Settings]]:
    """Params, defaults and presets from the function's own signature."""
    params: dict[str, Param] = {}
    defaults: dict[str, Any] = {}
    presets: dict[str, Settings] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        hint = hints.get(name)
        extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        for extra in extras:
            if isinstance(extra, Presets):
                presets = dict(extra.tools)
        if name == "like":
            continue
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"setting {name!r} of {function.__name__} needs a default")
        params[name] = next((e for e in extras if isinstance(e, Param)), Param("a setting"))
        defaults[name] = parameter.default
    return params, defaults, presets


def from_function(function: Callable[[Segmentation, Segmentation], float]) -> Metric[Any]:
    """Wrap a plain function of two Segmentations; it can be averaged over texts, not pooled."""
    name = getattr(function, "__name__", "function")

    def one(pairs: Pairs, row: int) -> float:
        try:
            return float(function(pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp")))
        except Exception as error:  # a user's function may fail in any way; say where
            text = row if pairs.keys is None else pairs.keys[row]
            raise MetricError(
                f"{name} failed on text {text}: {type(error).__name__}: {error}"
            ) from error

    def each(pairs: Pairs) -> Counts:
        values = [one(pairs, row) for row in range(len(pairs))]
        return np.array(values, dtype=np.float64).reshape(-1, 1)

    each.__name__ = name
    each.__doc__ = inspect.getdoc(function) or "A function of two segmentations."
    made = metric(
        title=name,
        cite="a function given by the user",
        counts=("score",),
        value=lambda score: score,
        better="higher",
        range=(-math.inf, math.inf),
        sees="kinds+end",
    )(each)
    object.__setattr__(made, "additive", False)
    return made


# The registry. metrics/__init__.py fills it with one line a metric.


_registry: dict[str, Metric[Any]] = {}
_own: dict[str, Metric[Any]] = {}  # fencepost's own, whose names no plug-in may take


def register(found: Iterable[Metric[Any]]) -> Mapping[str, Metric[Any]]:
    """Make fencepost's metrics findable by name and alias."""
    _own.update({one.name: one for one in found})
    _registry.update(_own)
    return MappingProxyType(_own)


def find(name: str) -> Metric[Any]:
    """The metric of this name or alias, in any case; plug-ins are asked last."""
    wanted = name.lower().replace("-", "_")
    for one in _registry.values():
        if one.name in (name, wanted) or wanted in (alias.lower() for alias in one.aliases):
            return one
    for point in _plugins():
        if wanted == point.name.lower():
            return _load(point)
    names = [*_registry, *(alias for one in _registry.values() for alias in one.aliases)]
    raise MetricError(
        f'no metric "{name}"{_did_you_mean(name, names)} (fencepost metrics lists all)'
    )


def _plugins() -> Iterable[Any]:
    return declared("fencepost.metrics")


def _of_plugin(given: Any) -> Metric[Any]:
    return as_metric(given, "what it names")


def _load(point: Any) -> Metric[Any]:
    try:
        return load(point, _of_plugin)
    except FencepostError as error:
        raise MetricError(f"the metric {error}") from None


def plugins() -> dict[str, Metric[Any]]:
    """Metrics that installed packages declare in the entry-point group ``fencepost.metrics``."""
    return load_all(_plugins(), _of_plugin)[0]


def broken_plugins() -> list[str]:
    """A sentence about each metric of an installed package that cannot be loaded."""
    return [f"the metric {why}" for why in load_all(_plugins(), _of_plugin)[1].values()]


def as_metric(given: Any, what: str) -> Metric[Any]:
    """A Metric as it is, a plain function wrapped; from then on it is found by its name."""
    if not callable(given):
        raise MetricError(f"{what} is neither a metric nor a function of two segmentations")
    made = given if isinstance(given, Metric) else from_function(given)
    if _own.get(made.name, made) is not made:
        raise MetricError(
            f"{what}: fencepost has a metric {made.name} already; give yours another name"
        )
    _registry[made.name] = made
    return made


def parse(text: str) -> Recipe:
    """A recipe from its written form.

    ``windowdiff``, ``WD``, ``windowdiff:k=5,pad=lamprier``, ``windowdiff(k=5)``,
    ``windowdiff:like=segeval``, ``my_metrics.py:closeness`` or a whole signature.

    >>> parse("windowdiff:k=5").signature()  # doctest: +ELLIPSIS
    'windowdiff|k:5|pad:none|fencepost:...'
    """
    if not isinstance(text, str):
        raise MetricError(f"a metric is written as text, found {text!r}")
    text = text.strip()
    if "|" in text:
        return parse_signature(text)[0]
    file = re.fullmatch(r"(.+\.py):(\w+)(?:[:(](.*?)\)?)?", text)
    if file:
        return _with(_from_file(file[1], file[2]), file[3] or "")
    called = re.fullmatch(r"([^:()]+)(?:[:(](.*?)\)?)?", text)
    if not called:
        raise MetricError(f"cannot read the metric {text!r}; write windowdiff or windowdiff:k=5")
    name = called[1].strip()
    found = find(name)
    short = {alias.lower(): settings for alias, settings in found.aliases.items()}
    return _with(found, called[2] or "", short.get(name.lower(), {}))


def _with(found: Metric[Any], settings: str, preset: Settings | None = None) -> Recipe:
    given: dict[str, Any] = dict(preset or {})
    for part in filter(None, (part.strip() for part in settings.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise MetricError(
                f"settings of {found.name} are written name=value, found {part!r}: "
                f"{found.name}:{next(iter(found.params), 'name')}=..."
            )
        key = key.strip()
        if key in given and key not in (preset or {}):
            raise MetricError(f"{found.name} is given {key} twice: {settings}")
        param = found.params.get(key)
        given[key] = param.read(value.strip()) if param else value.strip()
    return found.recipe(**given)


# Fields of a signature that say how texts were read and combined, not what the metric is.
CONTEXT_FIELDS = tuple(SIGNATURE_FIELDS)


def parse_signature(text: str) -> tuple[Recipe, dict[str, str]]:
    """The recipe of a signature, and the fields that say how texts were read and combined."""
    signature = Signature(text.strip())
    found = find(signature.metric)
    given: dict[str, Any] = {}
    context: dict[str, str] = {}
    for key, value in signature.fields.items():
        if key in found.params:
            given[key] = found.params[key].read(value)
        elif key in CONTEXT_FIELDS:
            context[key] = value
        else:
            raise MetricError(
                f"{found.name} has no setting {key!r} (in the signature {text.strip()})"
            )
    return found.recipe(**given), context


def _from_file(path: str, name: str) -> Metric[Any]:
    import importlib.util
    from pathlib import Path

    if not Path(path).is_file():
        raise MetricError(f"no file {path}")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise MetricError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's file may fail in any way
        raise MetricError(f"{path} cannot be run: {type(error).__name__}: {error}") from None
    if not hasattr(module, name):
        names = [n for n in vars(module) if not n.startswith("_")]
        raise MetricError(f"{path} has no {name!r}{_did_you_mean(name, names)}")
    return as_metric(getattr(module, name), f"{path}:{name}")


def as_recipe(given: str | Metric[Any] | Recipe | Callable[..., float], like: str | None) -> Recipe:
    """A recipe from whatever names a metric; ``like`` applies where the metric knows it."""
    if isinstance(given, str):
        recipe = parse(given)
    elif isinstance(given, Recipe):
        recipe = given
    else:
        recipe = as_metric(given, repr(given)).recipe()
    if like is None or like not in recipe.metric.presets:
        return recipe
    own = {
        key: value
        for key, value in recipe.settings.items()
        if value != recipe.metric.params[key].check(key, recipe.metric.defaults[key])
    }
    return recipe.metric.recipe(like=like, **own)


def known_presets() -> list[str]:
    """The tools whose conventions some metric knows."""
    return list(dict.fromkeys(tool for one in _registry.values() for tool in one.presets))


def _did_you_mean(word: str, names: Iterable[Hashable]) -> str:
    import difflib

    close = difflib.get_close_matches(word.lower(), [str(n) for n in names], n=1)
    return f"; did you mean {close[0]}?" if close else ""


def version_note(context: Mapping[str, str]) -> str | None:
    """A sentence if a signature was written by another version."""
    other = context.get("fencepost")
    if other is None or other == VERSION:
        return None
    return f"the signature was written by fencepost {other}; this is {VERSION}"
