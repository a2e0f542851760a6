"""What a metric is: counts that add up, a function from counts to a value, and declared facts."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import numpy.typing as npt

from fencepost.metrics.bounds import Bounds, Stated, ends_of
from fencepost.metrics.helptext import (
    SEGMENTATIONS,
    TEXTS,
    WORDS,
    Sides,
    public_doc,
    public_signature,
)
from fencepost.metrics.score import E, Score, pair_of
from fencepost.metrics.settings import Param, Presets, Settings, Stops
from fencepost.metrics.signature import NAMES, NO_CONTEXT, OTHER, READ, READING, Context, Signature
from fencepost.metrics.single import Single
from fencepost.metrics.tally import Tally
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.edits import Edge, Edit
from fencepost.model.levels import Order, said_order
from fencepost.model.pairs import Pairs, View
from fencepost.model.segmentation import Segmentable, Segmentation
from fencepost.model.words import Words, WordSegments
from fencepost.options import DEFAULT_METRICS
from fencepost.plugins import declared, load, load_all

P = ParamSpec("P")
In = TypeVar("In", Pairs, Words)  # what a metric counts
Input: TypeAlias = Literal["pairs", "words", "annotators"]
Counts: TypeAlias = npt.NDArray[Any]  # int64, or float64 where a formula needs it
Values: TypeAlias = npt.NDArray[np.float64]
Edits: TypeAlias = tuple[Edit | Edge, ...]
Windows: TypeAlias = tuple[int, list[int]]  # their width in positions, and where they begin
Range: TypeAlias = tuple[float, float]
Drawn: TypeAlias = Literal["edits", "edges", "windows", "sides"]


class Declared(NamedTuple):
    """The settings of a metric."""

    params: Mapping[str, Param]
    defaults: Settings
    presets: Mapping[str, Settings]
    stops: Stops  # texts for which the tools of presets have no number
    types: Mapping[str, Any]  # of the settings, and of ``like``


class _Doc:
    """The docstring of a metric with its settings; that of the class where there is no metric."""

    def __get__(self, made: Metric[Any] | None, _: object) -> str:
        if made is None:
            return (
                "A metric of the registry: call it on two segmentations, or hand it to ``score``."
            )
        _, defaults, presets, _, types = made.declared
        return public_doc(made.name, made.doc, types, made.params, defaults, presets, made.sides)


@dataclass(frozen=True, eq=False, repr=False)
class Metric(Generic[P, E]):  # noqa: D101 - the docstring is made for each metric
    __doc__ = _Doc()

    name: str
    title: str
    cite: str
    counts: tuple[str, ...] | Callable[..., tuple[str, ...]]  # of the settings, where they matter
    better: Literal["lower", "higher"]
    range: Range | Callable[..., Range]  # of the settings, where they matter
    symmetric: bool
    sees: View
    aliases: Mapping[str, Settings]  # short names, with the settings they stand for
    function: Callable[..., Any]
    value: Callable[..., Values]
    edits: Callable[..., list[tuple[E, ...]]] | None = None
    undefined: Callable[..., str] | None = None
    # Of the settings, where they matter.
    no_value: str | Callable[..., str] = "one unit, or no window fits"
    tally: Callable[..., Tally] | None = None
    notes: Callable[..., Sequence[str]] | None = None
    facts: Callable[..., Sequence[str]] | None = None
    order: Callable[..., Order | bool] | None = None
    error: Callable[..., Values] | None = None
    certain: str = ""
    windows: Callable[..., Windows] | None = None
    drawn: Drawn = "sides"
    divisor: str | Callable[..., str | None] | None = None
    reach: Callable[..., int] | None = None
    kind_costs: bool = False
    chances: tuple[str, ...] = ()
    single: Callable[..., Any] | None = None
    sweep: Callable[..., Counts] | None = None
    bins: Callable[..., Sequence[float]] | None = None
    weighted: Callable[..., Counts] | None = None
    bounds: Callable[..., Bounds] | None = None
    input: Input = "pairs"
    unit: str = ""
    percent: bool = False
    detail: Callable[..., str] | None = None
    peer: Callable[..., str] | None = None
    lines: bool = False
    unspaced: str = ""
    additive: bool = True
    origin: str = ""  # of others than fencepost's own: a file, a package, or a module
    version: str = ""  # of that package, or the digest of that file
    wraps: Any = None  # the plain function that this is made from
    _singles: dict[Hashable, Single] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", self.name)
        object.__setattr__(self, "__wrapped__", self.function)  # doctest finds the source here
        object.__setattr__(self, "__module__", self.function.__module__)

    # What follows is read from the function when it is first asked for: type hints are slow, and
    # a command needs those of a few metrics only.

    @cached_property
    def declared(self) -> Declared:
        """The settings as the function's signature declares them."""
        return _declared(self.function)

    @property
    def params(self) -> Mapping[str, Param]:
        """What each setting accepts."""
        return self.declared.params

    @property
    def defaults(self) -> Settings:
        """The value of each setting that is not given."""
        return self.declared.defaults

    @property
    def presets(self) -> Mapping[str, Settings]:
        """The settings of other tools."""
        return self.declared.presets

    @cached_property
    def doc(self) -> str:
        """What the function's docstring says."""
        return inspect.getdoc(self.function) or ""

    @cached_property
    def _value_takes(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.value).parameters)

    @property
    def __signature__(self) -> inspect.Signature:
        return public_signature(self.declared.types, self.defaults, self.sides)

    @property
    def sides(self) -> Sides:
        """What a call takes, as its help says it."""
        if self.input == "pairs":
            return SEGMENTATIONS
        return WORDS if self.peer is None else TEXTS

    def __call__(
        self, ref: Segmentable, hyp: Segmentable, *args: P.args, **settings: P.kwargs
    ) -> Score[E]:
        """Score one hypothesis against one reference; a bare list is masses."""
        if args:
            pairs = self.input == "pairs"
            taken = "two segmentations" if pairs else "references and hypotheses"
            example = f": {self.name}(ref, hyp, k=5)" if pairs else ""
            raise MetricError(f"{self.name} takes {taken}; settings go by name{example}")
        if self.input == "words":
            return self._score_words(self.recipe(**settings), ref, hyp)
        try:
            single = self._singles[_key(settings) if settings else ()]
        except (KeyError, TypeError):  # new settings, or some that cannot be kept
            single = self._prepare(settings)
        counts = single.counts(ref, hyp, Segmentation)
        if counts is not None:
            try:
                value = single.value(*counts)
            except ZeroDivisionError:
                value = math.nan
            if value == value:  # else the general way says why it is undefined
                return Score.of_pair(value, single, counts, ref, hyp)
        return self._score(single, ref, hyp)

    def _score_words(self, recipe: Recipe, references: Any, hypotheses: Any) -> Score[E]:
        """The value over all segments, whose counts are added."""
        texts = self.peer is not None  # other tools find words by themselves
        read = WordSegments.from_texts if texts else WordSegments.from_words
        words = read(references, hypotheses)
        return recipe.pooled(words, Context(refs=words.reference_counts()))

    def _prepare(self, settings: Mapping[str, Any]) -> Single:
        """The recipe of these settings, prepared; kept if they always mean the same."""
        single = Single(self.recipe(**settings))
        if all(self.params[key].lasting(value) for key, value in settings.items() if key != "like"):
            if len(self._singles) >= MAX_KEPT_RECIPES:
                self._singles.clear()
            self._singles[_key(settings) if settings else ()] = single
        return single

    def _score(self, single: Single, ref: Segmentable, hyp: Segmentable) -> Score[E]:
        """The general way, for any segmentations."""
        recipe = single.recipe
        pairs = pair_of(ref, hyp)
        counts = recipe.count(pairs)
        value = float(recipe.value(counts)[0])
        if math.isnan(value) and self.undefined is not None:
            reason = self.undefined(pairs.view(self.sees), **recipe.settings)
            if reason:
                raise MetricError(f"{self.name}: {reason}")
        named = dict(zip(recipe.counts, counts[0].tolist(), strict=True))
        return Score(value, named, single.signature, recipe.explain(pairs), pairs)

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
                    + did_you_mean(key, self.params)
                )
        chosen.update(settings)
        checked = {key: self.params[key].check(key, value) for key, value in chosen.items()}
        if self.wraps is not None and "better" in settings:  # declared, so nothing was inferred
            sure = replace(self, better=checked["better"], notes=None)
            sure.__dict__["declared"] = self.declared._replace(defaults=checked)
            return Recipe(sure, checked)
        return Recipe(self, checked)

    @property
    def is_own(self) -> bool:
        """Whether it is fencepost's, not a user's or a package's."""
        return self.function.__module__.startswith("fencepost.")

    @property
    def written(self) -> str:
        """The name as the command line takes it: with its file, where it is from one."""
        return f"{self.origin}:{self.name}" if self.origin.endswith(".py") else self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self.function is other.function

    def __hash__(self) -> int:
        return hash(self.function)

    def __reduce__(self) -> tuple[Any, ...]:
        return find, (self.name, self.origin)

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

    def signature(self, context: Context = NO_CONTEXT) -> Signature:
        """The signature, known before anything is scored; ``context`` adds all but the recipe."""
        fields = self.written()
        if self.metric.origin:
            version = f"@{self.metric.version}" if self.metric.version else ""
            fields["from"] = self.metric.origin + version
        fields |= context.written(self.metric.params)
        return Signature.build(self.name, fields, context.fencepost, (self, context))

    def __hash__(self) -> int:
        return hash((self.metric, *self.written().values()))

    def __str__(self) -> str:
        """The recipe as the command line takes it: ``windowdiff:k=5,pad=none``."""
        written = {key: value.replace(",", COMMA) for key, value in self.written().items()}
        settings = ",".join(f"{key}={value}" for key, value in written.items())
        return self.metric.written + (f":{settings}" if settings else "")

    @property
    def no_value(self) -> str:
        """What the texts without a value have in common, for notes."""
        said = self.metric.no_value
        return said if isinstance(said, str) else said(**self.settings)

    @property
    def counts(self) -> tuple[str, ...]:
        """The names of the counts."""
        declared = self.metric.counts
        return declared(**self.settings) if callable(declared) else declared

    def bounds(self, counts: Counts, stated: Stated) -> dict[str, tuple[Values, Values]]:
        """The least and the greatest that counts can be in texts of which this is stated."""
        declared = self.metric.bounds
        if declared is None:
            return {}
        columns = dict(zip(self.counts, counts.T.astype(np.float64), strict=True))
        known = {"settings": self.settings, **self.settings, **columns}
        known |= {"columns": columns, "stated": stated}
        taken = inspect.signature(declared).parameters
        found = declared(**{name: known[name] for name in taken})
        return {name: ends_of(bound, len(counts)) for name, bound in found.items()}

    @cached_property
    def is_whole(self) -> bool:
        """Whether all counts are whole numbers, as in the smallest pair."""
        if self.metric.peer is not None:  # another tool's counts
            return False
        given: Pairs | Words
        try:
            if self.metric.input == "pairs":
                given = pair_of([1, 1], [2])
            else:
                given = WordSegments.from_words([[["a"]]], [["a"]])
            return self.count(given).dtype.kind == "i"
        except FencepostError:  # settings for other texts
            return False

    @property
    def title(self) -> str:
        """The metric's title, with what a setting adds to it."""
        params = self.metric.params
        return self.metric.title + "".join(params[k].title(v) for k, v in self.settings.items())

    @property
    def unit(self) -> str:
        """The unit of the numbers in tables; nothing for a share or a score without one."""
        return "%" if self.metric.percent else self.metric.unit

    @property
    def digits(self) -> int:
        """How many digits behind the point people read: percentages and points have fewer."""
        return 2 if self.metric.input == "words" else 3

    @property
    def needs_lines(self) -> bool:
        """Whether it measures the lines that a stream of words has by itself."""
        return self.metric.lines or self.settings.get("segments") == "given"

    def check_input(self, given: Input) -> None:
        """Raise MetricError if the metric counts something else."""
        if self.metric.input == given:
            return
        if self.metric.input == "annotators":
            raise MetricError(
                f"{self.name} is a coefficient of agreement between annotators, not a metric of "
                f"two {'segmentations' if given == 'pairs' else 'streams of words'}: fencepost "
                f"agree FILE --coefficient {self.name} (fp.agreement(corpus, "
                f"coefficient={self.name!r}))"
            )
        if given == "pairs":
            raise MetricError(
                f"{self.name} measures words against segmented references: fencepost resegment "
                f"REF -i HYP -m {self.name} (fp.score_streams)"
            )
        raise MetricError(
            f"{self.name} compares segmentations, not words: fencepost score REF -i HYP "
            f"-m {self.name} (fp.score)"
        )

    @property
    def tells(self) -> bool:
        """Whether there may be notes or facts about texts."""
        declared = self.metric.notes, self.metric.facts, self.metric.order
        return any(one is not None for one in declared)

    def tally(self, pairs: Pairs) -> Tally:
        """Return what notes and facts are made of; tallies of parts of the texts add up."""
        seen = pairs.view(self.metric.sees)
        made = self.metric.tally
        return Tally.of(seen) if made is None else made(seen, **self.settings)

    def notes(self, tally: Tally) -> Sequence[str]:
        """Return what a reader of a table of these texts should know."""
        return self.metric.notes(tally, **self.settings) if self.metric.notes else ()

    def facts(self, tally: Tally) -> list[str]:
        """Return what settings come to in these texts: widths of windows, the order of types."""
        declared, names = self.metric.facts, tally.names or ()
        order = self.order(names)
        said = [] if isinstance(order, bool) else [said_order(names, order)]
        return said + list(declared(tally, **self.settings) if declared else ())

    def count(self, given: Pairs | Words) -> Counts:
        """One row of counts for each pair, or for each segment of words."""
        if isinstance(given, Pairs):
            self.check_input("pairs")
            given = given.view(self.metric.sees)
        else:
            self.check_input("words")
        with _told(self.metric):
            counts = np.asarray(self.metric.function(given, **self.settings))
        if not self.metric.is_own:
            _check_counts(counts, len(given) if isinstance(given, Pairs) else None, self)
        return _fitting(counts, self.name)

    def value(self, counts: Counts) -> Values:
        """The value of each row of counts; NaN where it is undefined."""
        counts = np.asarray(counts)
        columns = dict(zip(self.counts, counts.T, strict=True))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"), _told(self.metric):
            made = np.asarray(self.value_of({**columns, "counts": counts}), dtype=np.float64)
        return made if self.metric.is_own else _finite(made, self.name)

    def shown(self, counts: Counts) -> Values:
        """The values as tables show them: percentages of what is declared as one."""
        return 100 * self.value(counts) if self.metric.percent else self.value(counts)

    @property
    def limits(self) -> Range:
        """The least and the greatest value that the metric can have with these settings."""
        declared = self.metric.range
        return declared(**self.settings) if callable(declared) else declared

    @property
    def range(self) -> Range:
        """The least and the greatest value that tables can show."""
        low, high = self.limits
        return (100 * low, 100 * high) if self.metric.percent else (low, high)

    def value_of(self, columns: Mapping[str, Any]) -> Any:
        """What the metric's formula makes of these columns, and of the settings it takes."""
        taken = self.metric._value_takes
        known = {"settings": self.settings, **self.settings, **columns}
        if "columns" in taken:
            known["columns"] = [columns[name] for name in self.counts]
        return self.metric.value(**{key: known.get(key) for key in taken})

    def pooled(self, words: Words, context: Context) -> Score[Any]:
        """The score over all segments of words, whose counts are added."""
        total = add_counts(self.count(words))
        named = dict(zip(self.counts, total.tolist(), strict=True))
        return Score(float(self.value(total[None, :])[0]), named, self.signature(context))

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

    def order(self, names: Sequence[str] | None) -> Order | bool:
        """The order by which types of these names are ranked or priced; see ``metric``."""
        declared = self.metric.order
        return False if declared is None or not names else declared(names, **self.settings)

    def edits(self, pairs: Pairs) -> list[Edits]:
        """The edits of each pair."""
        if self.metric.edits is None:
            raise MetricError(f"{self.name} keeps no edits; S, B and A do")
        return self.metric.edits(pairs.view(self.metric.sees), **self.settings)

    def explain(self, pairs: Pairs) -> Callable[[], tuple[Any, ...]] | None:
        """What lists the edits of the first pair; None for a metric that keeps none."""
        return partial(_first_edits, self, pairs) if self.metric.edits else None


def _first_edits(recipe: Recipe, pairs: Pairs) -> tuple[Any, ...]:
    return recipe.edits(pairs)[0]


MAX_SCORE = 1e150  # of metrics of others, so that squares and their sums are numbers


@contextmanager
def _told(metric: Metric[Any]) -> Iterator[None]:
    """Say in one sentence what goes wrong in a function of somebody else, whatever that is."""
    try:
        yield
    except (FencepostError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # SystemExit among them
        if metric.is_own:
            raise
        raise MetricError(f"{metric.name} failed: {said_error(error)}") from error


def said_error(error: BaseException) -> str:
    """Return the name of an exception and what it says, if it says anything."""
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _check_counts(counts: Counts, rows: int | None, recipe: Recipe) -> None:
    """Raise MetricError for what are no rows of numbers, or too large ones."""
    names = recipe.counts
    rows = len(counts) if rows is None and counts.ndim else rows
    if counts.shape != (rows, len(names)) or counts.dtype.kind not in "biuf":
        raise MetricError(
            f"{recipe.name} must return a row of {len(names)} numbers ({', '.join(names)}) for "
            f"each of {rows} texts, found an array of {counts.dtype} with the shape {counts.shape}"
        )
    if counts.dtype.kind == "f" and (np.isfinite(counts) & (np.abs(counts) > MAX_SCORE)).any():
        raise _too_large_score(recipe.name, counts)


def _finite(made: Values, name: str) -> Values:
    """Return values with NaN for infinite ones, which no mean can have; refuse too large ones."""
    if (np.isfinite(made) & (np.abs(made) > MAX_SCORE)).any():
        raise _too_large_score(name, made)
    return np.where(np.isinf(made), math.nan, made)


def _too_large_score(name: str, found: Counts) -> MetricError:
    finite = found[np.isfinite(found)]
    largest = finite[int(np.argmax(np.abs(finite)))]
    return MetricError(
        f"{name} gave {largest:g}, which is too large to be averaged: give numbers from "
        f"{-MAX_SCORE:g} to {MAX_SCORE:g}"
    )


MAX_SUM = 2**62  # of the counts of all texts: sums are 64 bits wide, and do not wrap around


def _fitting(counts: Counts, name: str) -> Counts:
    """Return the counts, or raise MetricError if their sum over all texts is too large."""
    if counts.dtype.kind != "i" or not counts.size or int(counts.max()) * len(counts) < MAX_SUM:
        return counts
    if float(counts.sum(axis=0, dtype=np.float64).max()) >= MAX_SUM:
        raise MetricError(
            f"the counts of {name} add up to more than 2^62 in these texts, which is too large "
            "for 64 bits; score fewer texts at once"
        )
    return counts


def add_counts(counts: Counts) -> Counts:
    """The sum of count rows: exact, whatever their order; rounded once where it has no 64 bits."""
    if counts.dtype.kind == "i":
        largest = max(int(counts.max(initial=0)), -int(counts.min(initial=0)))
        if largest * len(counts) < 2**63:
            return np.asarray(counts.sum(axis=0))
        return np.array([float(sum(column.tolist())) for column in counts.T])
    return np.array([math.fsum(column.tolist()) for column in counts.T])


# Settings used for single pairs; a loop over k must not fill the memory.
MAX_KEPT_RECIPES = 256
COMMA = "%2C"  # in a value of a setting: B:types=%2C<.


def _key(settings: Mapping[str, Any]) -> Hashable:
    """Settings as a key; 1, 1.0 and True are equal, but not the same setting."""
    return (*settings.items(), *map(type, settings.values()))


def metric(
    *,
    title: str,
    cite: str,
    counts: tuple[str, ...] | Callable[..., tuple[str, ...]],
    value: Callable[..., Values],
    better: Literal["lower", "higher"],
    range: Range | Callable[..., Range] = (0.0, 1.0),
    symmetric: bool = False,
    sees: View = "positions",
    aliases: tuple[str, ...] | Mapping[str, Settings] = (),
    edits: Callable[..., list[tuple[E, ...]]] | None = None,
    undefined: Callable[..., str] | None = None,
    no_value: str | Callable[..., str] = "one unit, or no window fits",
    tally: Callable[..., Tally] | None = None,
    notes: Callable[..., Sequence[str]] | None = None,
    facts: Callable[..., Sequence[str]] | None = None,
    order: Callable[..., Order | bool] | None = None,
    error: Callable[..., Values] | None = None,
    certain: str = "",
    windows: Callable[..., Windows] | None = None,
    drawn: Drawn | None = None,
    divisor: str | Callable[..., str | None] | None = None,
    reach: Callable[..., int] | None = None,
    kind_costs: bool = False,
    chances: tuple[str, ...] = (),
    single: Callable[..., Any] | None = None,
    sweep: Callable[..., Counts] | None = None,
    bins: Callable[..., Sequence[float]] | None = None,
    weighted: Callable[..., Counts] | None = None,
    bounds: Callable[..., Bounds] | None = None,
    input: Input = "pairs",
    unit: str = "",
    percent: bool = False,
    detail: Callable[..., str] | None = None,
    peer: Callable[..., str] | None = None,
    lines: bool = False,
    unspaced: str = "",
) -> Callable[[Callable[Concatenate[In, P], Counts]], Metric[P, E]]:
    """Declare a metric: the function counts, the facts here say how to read the counts.

    ``value`` takes the columns of counts, and settings it needs, by name. ``edits`` lists what the
    counts are made of. ``undefined`` says why a single pair has no value, ``no_value`` what texts
    without one have in common. ``notes`` and ``facts`` tell what a reader of a whole table should
    know. Both take a ``Tally`` of its texts and the settings; ``tally`` makes the tally of pairs,
    where it needs more than their sizes. ``order`` gives, from the names of boundary types and the
    settings, the order by which types are ranked or priced: a declared one, None for the order of
    numbers, False where every two types are equally far apart, True where prices are given.
    ``error`` gives the standard error of the value of each row of counts, where counts are of
    seeded draws. ``certain`` names the metric that a score of probabilities is where all of them
    are 0 and 1.

    How others use it: ``drawn`` is what is drawn between two texts ("edits" where there are any,
    "edges" between segments, "windows" that differ, or the two "sides" alone); ``windows`` finds
    the windows of a pair that differ. ``divisor`` names the count a cost is divided by, if it
    depends on the text alone (a function of the settings may choose it). ``reach`` gives from the
    settings how many positions apart two boundaries can be and still be a near miss. ``kind_costs``
    says that confusing two boundary types has a price of its own, ``chances`` which models of
    chance its paper corrects agreement for. ``single`` makes the native counter of one pair from
    the settings, or None: then a single pair takes the same way as many. ``sweep`` counts pairs at
    every threshold of the hypothesis at once, a row for each of the ``Steps``; ``weighted`` counts
    pairs whose reference has weights, all counts times the same number.

    ``bins`` gives from the settings the edges of bins of probabilities, where counts are positions,
    the sum of probabilities, and boundaries of each bin. ``bounds`` says what counts can be, so
    that saved ones can be checked: it takes counts and settings by name (or all ``columns`` and
    ``settings``) and ``stated`` (what rows state of their texts), and returns the least and the
    greatest of counts.

    ``input`` is what the function counts: pairs of segmentations, or segments of words beside their
    references; coefficients of all annotators are explained alone. ``percent`` says that tables
    show the value times 100, ``unit`` names what they show. ``detail`` says in a few words what
    added counts are made of. ``peer`` renders the signature of another tool that computes the
    value, and reads texts itself; ``lines`` says that a hypothesis needs lines of its own,
    ``unspaced`` what to write for texts without spaces.
    """

    def declare(function: Callable[Concatenate[In, P], Counts]) -> Metric[P, E]:
        made: Metric[P, E] = Metric(
            name=function.__name__,
            title=title,
            cite=cite,
            counts=counts,
            better=better,
            range=range,
            symmetric=symmetric,
            sees=sees,
            aliases=aliases if isinstance(aliases, Mapping) else {alias: {} for alias in aliases},
            function=function,
            value=value,
            edits=edits,
            undefined=undefined,
            no_value=no_value,
            tally=tally,
            notes=notes,
            facts=facts,
            order=order,
            error=error,
            certain=certain,
            windows=windows,
            drawn=drawn or ("windows" if windows else "edits" if edits else "sides"),
            divisor=divisor,
            reach=reach,
            kind_costs=kind_costs,
            chances=chances,
            single=single,
            sweep=sweep,
            bins=bins,
            weighted=weighted,
            bounds=bounds,
            input=input,
            unit=unit,
            percent=percent,
            detail=detail,
            peer=peer,
            lines=lines,
            unspaced=unspaced,
            origin=_module_of(function),
        )
        if not function.__module__.startswith("fencepost."):
            _ = made.declared  # mistakes in the declaration are known at once
        return made

    return declare


def _plain(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _module_of(function: Callable[..., Any]) -> str:
    """Where a function is from; nothing for fencepost's own and for those of a script."""
    module = getattr(function, "__module__", None) or "__main__"
    return "" if module == "__main__" or module.startswith("fencepost.") else module


def _declared(function: Callable[..., Any]) -> Declared:
    """Params, defaults, presets and types from the function's own signature."""
    params: dict[str, Param] = {}
    defaults: dict[str, Any] = {}
    presets: dict[str, Settings] = {}
    stops: Stops = {}
    types: dict[str, Any] = {}
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        hint = hints.get(name, Any)
        types[name] = _plain(hint)
        extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        for extra in extras:
            if isinstance(extra, Presets):
                presets, stops = dict(extra.tools), extra.stops
        if name == "like":
            continue
        if name == "fencepost":
            raise TypeError(f"{function.__name__}: a setting cannot be called fencepost")
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"setting {name!r} of {function.__name__} needs a default")
        params[name] = next((e for e in extras if isinstance(e, Param)), Param("a setting"))
        defaults[name] = parameter.default
    return Declared(params, defaults, presets, stops, types)


# The registry. metrics/__init__.py fills it with one line a metric.


_own: dict[str, Metric[Any]] = {}  # fencepost's own, whose names no other may take
_others: dict[tuple[str, str], Metric[Any]] = {}  # by name and origin


def register(found: Iterable[Metric[Any]]) -> Mapping[str, Metric[Any]]:
    """Make fencepost's metrics findable by name and alias."""
    _own.update({one.name: one for one in found})
    return MappingProxyType(_own)


def find(name: str, origin: str = "") -> Metric[Any]:
    """The metric of this name or alias, in any case; plug-ins are asked last.

    ``origin`` is the file, package or module of a metric that is not fencepost's own.
    """
    if origin:
        return _find_other(name, origin)
    if found := _called(name, _own.values()) or _called(name, _others.values()):
        return found
    for point in _plugins():
        if name.lower() == point.name.lower():
            return _load(point)
    if found := _called(name, plugins().values()):  # by a short name, which only it knows
        return found
    from fencepost.metrics.coefficients import COEFFICIENTS

    known = next((key for key in COEFFICIENTS if key.lower() == name.lower()), None)
    if known is not None:
        return COEFFICIENTS[known]
    names = [*_own, *(alias for one in _own.values() for alias in one.aliases)]
    raise MetricError(
        f'no metric "{name}"{did_you_mean(name, names)} (fencepost metrics lists all)'
    )


def _called(name: str, metrics: Iterable[Metric[Any]]) -> Metric[Any] | None:
    """The metric with this name or short name; an error where there are several."""
    wanted = name.lower().replace("-", "_")
    found = list(
        dict.fromkeys(
            one
            for one in metrics
            if one.name in (name, wanted) or wanted in (alias.lower() for alias in one.aliases)
        )
    )
    if len(found) > 1:
        said = " or ".join(one.written for one in found)
        raise MetricError(f'several metrics are called "{name}": write {said}')
    return found[0] if found else None


def _find_other(name: str, origin: str) -> Metric[Any]:
    if origin.endswith(".py"):
        return _from_file(origin, name)
    if (name, origin) not in _others:
        for one in plugins().values():
            if (one.name, one.origin) == (name, origin):
                return one
        raise MetricError(
            f"{name} is a metric of {origin}, which is not here: install that package, or give "
            "the function itself"
        )
    return _others[name, origin]


def needs_file(signature: Signature) -> bool:
    """Return whether a metric is in a Python file that nobody has named yet.

    Signatures in data may name any file: it is not run for that.
    """
    origin = signature.fields.get("from", "").partition("@")[0]
    return origin.endswith(".py") and (signature.metric, origin) not in _others


def _plugins() -> Iterable[Any]:
    return declared("fencepost.metrics")


def _of_plugin(given: Any, point: Any) -> Metric[Any]:
    package = getattr(point, "dist", None)
    if package is None:
        return as_metric(given, "what it names")
    return as_metric(given, "what it names", package.name, package.version)


def _load(point: Any) -> Metric[Any]:
    try:
        return load(point, partial(_of_plugin, point=point))
    except FencepostError as error:
        raise MetricError(f"the metric {error}") from None


def plugins() -> dict[str, Metric[Any]]:
    """Metrics that installed packages declare in the entry-point group ``fencepost.metrics``."""
    return load_all(_plugins(), _of_plugin)[0]


def broken_plugins() -> list[str]:
    """A sentence about each metric of an installed package that cannot be loaded."""
    return [f"the metric {why}" for why in load_all(_plugins(), _of_plugin)[1].values()]


def as_metric(given: Any, what: str, origin: str = "", version: str = "") -> Metric[Any]:
    """A Metric as it is, a plain function wrapped; from then on it is found by its name.

    ``origin`` and ``version`` are those of its file or package; else its module is its origin.
    """
    from fencepost.metrics.functions import from_function

    if not callable(given):
        raise MetricError(f"{what} is neither a metric nor a function of two segmentations")
    name = given.name if isinstance(given, Metric) else getattr(given, "__name__", "function")
    if isinstance(given, Metric) and given is _own.get(name):
        return given
    key = name, origin or (given.origin if isinstance(given, Metric) else _module_of(given))
    known = _others.get(key)
    if known is not None and known.version == version and _is_unchanged(known, given):
        return known
    if name in _own:
        raise MetricError(f"{what}: fencepost has a metric {name} already; give yours another name")
    written = f"{origin}:{name}" if origin.endswith(".py") else name * bool(origin)
    made = given if isinstance(given, Metric) else from_function(given, written)
    _others[key] = replace(made, origin=key[1], version=version)
    return _others[key]


def _is_unchanged(known: Metric[Any], given: Any) -> bool:
    """Whether this is the metric that was given before, with the same declared direction."""
    if isinstance(given, Metric):
        return given == known
    declared = known.better if known.notes is None else None
    return known.wraps is given and getattr(given, "better", None) == declared


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


def _from_file(path: str, name: str) -> Metric[Any]:
    from fencepost.metrics.functions import from_file

    given, digest = from_file(path, name)
    return as_metric(given, f"{path}:{name}", path, digest)


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
        value = value.strip().replace(COMMA, ",")
        given[key] = param.read(value) if param else value
    return found.recipe(**given)


def parse_signature(text: str) -> tuple[Recipe, Context]:
    """The recipe of a signature, and the context: how texts were read and combined."""
    signature = Signature(text.strip())
    fields = signature.fields
    origin, _, _ = fields.pop("from", "").partition("@")
    found = find(signature.metric, origin)
    given: dict[str, Any] = {}
    context: dict[str, str] = {"fencepost": ""}
    reading: dict[str, str] = {}
    for key, value in fields.items():
        if key in found.params:
            given[key] = found.params[key].read(value)
        elif key.removeprefix(OTHER) in NAMES:
            context[key.removeprefix(OTHER)] = value
        elif key in READING or key.startswith(READ):
            reading[key.removeprefix(READ)] = value
        else:
            raise MetricError(
                f"{found.name} has no setting {key!r} (in the signature {text.strip()})"
            )
    return found.recipe(**given), Context(reading=tuple(reading.items()), **context)


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


def meant(
    given: str | Metric[Any] | Recipe | Callable[..., float], recipes: Sequence[Recipe]
) -> list[Recipe]:
    """The recipes among these that are meant: one as it is written, or all of a bare name.

    Of several recipes of one metric, a bare name means the one with its defaults, if it is there.
    """
    own = [one for one in recipes if given in (one.name, one.metric.written, one.metric)]
    if not own:
        wanted = as_recipe(given, None)
        if wanted in recipes:
            return [wanted]
        named = isinstance(given, Recipe) or (isinstance(given, str) and re.search("[:(|]", given))
        if named or wanted != wanted.metric.recipe():  # a short name may stand for settings
            return []
        own = [one for one in recipes if one.metric == wanted.metric]
    return [one for one in own if one == one.metric.recipe()] or own


def default_metrics(like: str | None) -> list[str]:
    """Return the metrics that are scored if none is named: of a tool, those that it has."""
    return [n for n in DEFAULT_METRICS if like is None or like in find(n).presets] or list(
        DEFAULT_METRICS
    )


def known_presets() -> list[str]:
    """The tools whose conventions some metric knows."""
    metrics = (*_own.values(), *_others.values())
    return list(dict.fromkeys(tool for one in metrics for tool in one.presets))


def did_you_mean(word: str, names: Iterable[Hashable]) -> str:
    """The end of a sentence about a name that is close to this word, if there is one."""
    import difflib

    close = difflib.get_close_matches(word.lower(), [str(n) for n in names], n=1)
    return f"; did you mean {close[0]}?" if close else ""
