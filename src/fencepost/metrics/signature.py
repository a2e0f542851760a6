"""Everything that changes a number: the context of a recipe, and the line of text for both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fencepost._version import VERSION
from fencepost.model.checks import MetricError
from fencepost.options import SIGNATURE_FIELDS

if TYPE_CHECKING:
    from fencepost.metrics.registry import Recipe

# Before fields that would be taken for something else: A has a setting threshold, and so has the
# reading of probabilities (reading.threshold:0.5); a metric may have a setting seed (context.seed).
READ, OTHER = "reading.", "context."


class Context(NamedTuple):
    """What a number depends on besides the metric and its settings; "" says nothing.

    Fields have the names that signatures use.

    >>> Context(reading=(("flags", "last"),), avg="macro", bs="t,1000", seed="7").fields()
    {'flags': 'last', 'avg': 'macro', 'bs': 't,1000', 'seed': '7'}
    """

    chance: str = ""  # agreement: which chance, and how many draws
    counting: str = ""
    pooling: str = ""
    weighting: str = ""
    coefficient: str = ""
    reading: tuple[tuple[str, str], ...] = ()  # how files were read (see in_order)
    missing: str = ""  # what became of texts without a partner
    avg: str = ""  # macro or micro
    refs: str = ""  # "mean" over several references
    folds: str = ""  # tune: parts of the texts, each scored with the threshold of the others
    runs: str = ""  # how many runs of one system were averaged
    interval: str = ""  # agreement: what was resampled, and how
    bs: str = ""  # scores: how intervals were made
    group: str = ""  # which texts were resampled together
    test: str = ""
    against: str = ""  # the system that others were compared with
    pairs: str = ""  # "all" where every two systems were compared
    adjust: str = ""
    draws: str = ""  # of random boundaries for each text
    seed: str = ""
    fencepost: str = VERSION  # that wrote the signature

    def fields(self) -> dict[str, str]:
        """All that is said, by name, in the order of a signature; without the version."""
        return self.written({})

    def written(self, settings: Mapping[str, Any]) -> dict[str, str]:
        """The fields as a signature names them beside a metric with these settings."""
        made: dict[str, str] = {}
        for name in self._order():
            if name == "reading":
                for key, value in self.reading:
                    clear = key in READING and key not in settings
                    made[key if clear else READ + key] = value
            elif getattr(self, name):
                made[OTHER + name if name in settings else name] = getattr(self, name)
        return made

    def _order(self) -> list[str]:
        """Names of fields; groups and the seed follow what first used them."""
        order: list[str] = []
        for name in ORDER:
            order.append(name)
            if name == "chance" and "," in self.chance and not self.chance.endswith(",exact"):
                order.append("seed")
            if name == "bs" and self.bs:
                order += ["group", "seed"] if "," in self.bs else ["group"]
        return list(dict.fromkeys([*order, *LATE]))


def in_order(choices: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return choices of reading in the order of their declarations, names of others behind them.

    Which file or system needed a choice first does not show.

    >>> in_order({"overlap": "start", "gaps": "join"})
    (('gaps', 'join'), ('overlap', 'start'))
    """
    places = {name: place for place, name in enumerate(SIGNATURE_FIELDS)}
    return tuple(sorted(choices.items(), key=lambda one: (places.get(one[0], len(places)), one)))


NO_CONTEXT = Context()
LATE = ("group", "draws", "seed")  # unless something before them used them
NAMES = frozenset(Context._fields) - {"reading"}
# What readers note down about files; formats of installed packages may add other names.
READING = frozenset(SIGNATURE_FIELDS) - NAMES
ORDER = tuple(name for name in Context._fields if name not in (*LATE, "fencepost"))


class Signature(str):
    """Everything that changes a number, in one line: ``windowdiff|k:5|pad:none|fencepost:0.2.0``.

    It is rendered from a recipe and a context, which it carries; one that comes as text is parsed
    when they are asked for.

    >>> s = Signature("windowdiff|k:5|pad:none|avg:micro|fencepost:0.2.0")
    >>> s.metric, s.fields["k"], s.recipe.settings["k"], s.context.avg
    ('windowdiff', '5', 5, 'micro')
    """

    _made: tuple[Recipe, Context] | None

    def __new__(cls, text: str, made: tuple[Recipe, Context] | None = None) -> Signature:
        """Take a text; ``made`` is what it was rendered from."""
        self = super().__new__(cls, text)
        self._made = made or getattr(text, "_made", None)
        return self

    @classmethod
    def build(
        cls,
        metric: str,
        fields: Mapping[str, str],
        version: str = VERSION,
        made: tuple[Recipe, Context] | None = None,
    ) -> Signature:
        """Join a metric's name and its fields; the version comes last."""
        parts = [metric, *(f"{_escaped(k, ':')}:{_escaped(v)}" for k, v in fields.items())]
        return cls("|".join([*parts, *([f"fencepost:{version}"] if version else [])]), made)

    @property
    def metric(self) -> str:
        """The name in front."""
        return self.split("|", 1)[0]

    @property
    def fields(self) -> dict[str, str]:
        """The settings as they are written, the version included."""
        found: dict[str, str] = {}
        if "..." in self.split("|"):
            raise MetricError(
                f"{self}: this is what several signatures share; expected one signature. Write one "
                "of the lines below it instead of ..."
            )
        for part in self.split("|")[1:]:
            name, _, value = part.partition(":")
            name = _plain(name)
            if name in found:
                raise MetricError(f"{name} is given twice in the signature {self}; give it once")
            found[name] = _plain(value)
        return found

    @property
    def recipe(self) -> Recipe:
        """The metric and its settings."""
        return self._parsed()[0]

    @property
    def context(self) -> Context:
        """How texts were read and combined."""
        return self._parsed()[1]

    def _parsed(self) -> tuple[Recipe, Context]:
        if self._made is None:
            from fencepost.metrics.registry import parse_signature

            self._made = parse_signature(self)
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return Signature, (str(self), self._made)


def _escaped(text: str, more: str = "") -> str:
    for sign in "%|" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def _plain(text: str) -> str:
    return text.replace("%7C", "|").replace("%3A", ":").replace("%25", "%")


MAX_WHOLE = 2  # signatures that are printed whole; of more, common parts are printed once
SHARED = ", where ... is one of"  # behind the common part, above the lines that go into it


def signature_lines(signatures: Iterable[str]) -> list[str]:
    """Return signatures for people, one per line; what three or more have in common comes once.

    The common part has "..." where each indented line goes; both together are a signature.

    >>> names = ["pk|k:auto", "windowdiff|k:auto", "covering"]
    >>> signature_lines(f"{name}|avg:macro|fencepost:0.2.0" for name in names)[:2]
    ['...|avg:macro|fencepost:0.2.0, where ... is one of', '  pk|k:auto']
    """
    every = list(dict.fromkeys(map(str, signatures)))
    ours = [one for one in every if "|fencepost:" in one]
    if len(ours) <= MAX_WHOLE:
        return every
    by_metric: dict[str, list[str]] = {}
    for one in ours:
        by_metric.setdefault(one.partition("|")[0], []).append(one)
    apart = [line for group in by_metric.values() for line in _with_common_part(group)]
    together = _with_common_part(ours)
    shorter = min(together, apart, key=lambda lines: sum(map(len, lines)))
    return [*shorter, *(one for one in every if one not in ours)]  # sacrebleu's own, unchanged


def _with_common_part(signatures: Sequence[str]) -> list[str]:
    parts = [one.split("|") for one in signatures]
    common = [part for part in parts[0] if all(part in other for other in parts)]
    own = ["|".join(part for part in one if part not in common) for one in parts]
    if not all(own):  # one of them is all that they have in common
        return list(signatures)
    start = next((i for i, part in enumerate(parts[0]) if part not in common), len(parts[0]))
    template = "|".join([*parts[0][:start], "...", *(p for p in parts[0][start:] if p in common)])
    return [f"{template}{SHARED}", *(f"  {one}" for one in own)]


def version_notes(signature: Signature) -> list[str]:
    """Sentences about what a signature was written with, where that is another version here."""
    notes = []
    version, metric = signature.context.fencepost, signature.recipe.metric
    if version not in ("", VERSION):
        notes.append(f"the signature was written by fencepost {version}; this is {VERSION}")
    origin, _, version = signature.fields.get("from", "").partition("@")
    if version not in ("", metric.version):
        notes.append(
            f"the signature was written with {origin} {version}; here it is {metric.version}"
        )
    return notes
