"""Every option of a command or of a Python function, declared once.

An option has one name: ``all_pairs`` in Python is ``--all-pairs`` on the command line, and
``baselines=False`` is ``--no-baselines``. The command line, the checks of the Python functions,
the fields of signatures and the tables in docs/ are made from the declarations below. A new option
is one declaration here and its use in the reader or function that it reaches.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, get_args

# Choices that Python functions take; type checkers see the same words as the command line.
Flags = Literal["last", "first"]
Gaps = Literal["segment", "join"]
Overlap = Literal["start", "end"]
Encoding = Literal["masses", "bits", "flags", "positions", "labels", "spans", "times"]
Missing = Literal["error", "skip", "whole"]
Average = Literal["macro", "micro", "both"]
Method = Literal["t", "percentile", "bca", "normal"]
Paired = Literal["randomization", "bootstrap"]
Adjustment = Literal["minp", "holm", "bh", "none"]
Resample = Literal["texts", "texts+runs"]
Interval = Literal["both", "texts", "coders"]
Chance = Literal[
    "sizes", "inner-sizes", "shuffle", "positions", "bernoulli", "uniform", "uniform-types",
    "fournier2012", "two-category",
]  # fmt: skip
CoefficientName = Literal[
    "kappa", "pi", "bennett", "modified bennett", "pi*", "kappa*", "bias", "alpha", "majority",
    "hearst", "alpha_U", "gamma",
]  # fmt: skip
ReferenceRule = Literal["each", "mean", "best", "consensus", "weighted"]
BestPositions = Literal["per-100", "per-text"]
TunedAverage = Literal["macro", "micro"]
ConsensusBy = Literal["similarity", "majority"]
Counting = Literal["cuts", "segments"]
Pooling = Literal["pooled", "mean-of-rates"]
Weighting = Literal["positions", "units", "printed"]

SEED = 12345
MAX_SEED = 2**64 - 1
MAX_DISTANCE = 10**9  # units or words by which simulated errors are off
MAX_MADE = 10**8  # texts, segments, boundaries or words that are simulated at once
UNPACK_LIMIT = 256  # MB that a compressed file may hold
RESAMPLES = 10_000  # of texts, for intervals and tests of scores
RESAMPLES_OF_AGREEMENT = 1000
RESAMPLES_OF_STREAMS = 1000  # as sacrebleu has it; values of its metrics are slower to compute
RESAMPLES_OF_TUNING = 1000  # each is tuned again
FOLDS = 5  # parts of the texts in a cross-validation
DEFAULT_METRICS = ("pk", "windowdiff", "boundary_f", "boundary_similarity")


class FormatName(str):
    """The name of a format, of fencepost or of an installed package."""


# What a column of a table, or a field of records, can be: --columns ROLE=NAME.
ROLES: Mapping[str, str] = {
    "text": "the name of the text (or id=)",
    "unit": "the number of a unit, or the unit itself, where a row is a unit",
    "words": "the units themselves, where a row is a unit; the text of a chunk",
    "units": "the units of a text, or how many it has, where a row is a text",
    "coder": "the annotator of a row (or annotator=)",
    "speaker": "the speaker of a row",
    "ref": "the segmentation, of the reference where there are two sides",
    "hyp": "the segmentation of a system; several are several systems",
    "start": "where a segment starts, where a row is a segment",
    "end": "where it ends",
    "raw": "the text itself, of which spans count characters",
    "duration": "the length of a recording in seconds",
    "ref_types": "a list of boundary types beside the positions of ref= (docs/batch.md)",
    "hyp_types": "the same for hyp=; several in the order of the systems",
}
_OTHER_ROLES = {"id": "text", "annotator": "coder"}  # other words for two roles
_SEVERAL = ("hyp", "hyp_types")  # roles that several columns can have

Columns = dict[str, Any]  # a name by role; several of _SEVERAL


def parse_columns(text: str) -> Columns:
    """Return the names of columns by role; what is wrong with them is for the check to say.

    >>> parse_columns("text=doc,ref=anna,hyp=ben,hyp=carla")
    {'text': 'doc', 'ref': 'anna', 'hyp': ['ben', 'carla']}
    """
    found: dict[str, list[str]] = {}
    for part in re.split(r",(?=\w+=)", text):
        role, _, name = part.partition("=")
        role = role.strip()
        found.setdefault(_OTHER_ROLES.get(role, role), []).append(name.strip())
    return {role: names if len(names) > 1 else names[0] for role, names in found.items()}


def write_columns(columns: Mapping[str, Any]) -> str:
    """Return what ``parse_columns`` reads."""
    pairs = [
        (role, one)
        for role, name in columns.items()
        for one in (name if isinstance(name, (list, tuple)) else [name])
    ]
    return ",".join(f"{role}={name}" for role, name in pairs)


def gather_columns(given: Mapping[str, Any], options: Iterable[Option]) -> Columns:
    """Return the names of columns by role, of ``columns`` and of options that spell one role.

    Raise ValueError where the two say different things.
    """
    named: Columns = dict(given.get("columns") or {})
    columns: Columns = {_OTHER_ROLES.get(role, role): name for role, name in named.items()}
    for one in options:
        name = given.get(one.name)
        role = one.spells
        if role is None or not name:
            continue
        if isinstance(name, list) and len(name) == 1:
            (name,) = name
        if columns.setdefault(role, name) != name:
            said = write_columns({role: columns[role]})
            raise ValueError(f"--columns {said} and {one.flag} {name} differ: give one of the two")
    return columns


class TextFile(str):
    """A file, with the columns that are its own if it is given any: sheet.csv:ref=anna,text=doc.

    >>> TextFile("sheet.csv:ref=anna,text=doc").columns
    {'ref': 'anna', 'text': 'doc'}
    """

    columns: Columns
    given: str  # with the columns

    def __new__(cls, text: str) -> TextFile:
        """Take a path, or PATH:ROLE=NAME,...; a file that is called so is a path."""
        found = re.fullmatch(rf"(.+?):((?:{'|'.join((*ROLES, *_OTHER_ROLES))})=.*)", text)
        if found and os.path.exists(text):
            found = None
        self = super().__new__(cls, found[1] if found else text)
        self.columns = parse_columns(found[2]) if found else {}
        self.given = text
        return self


class SystemFile(TextFile):
    """The file of a system, after its name if it is given one: BERT=bert.jsonl.

    >>> SystemFile("BERT=bert.jsonl:hyp=preds"), SystemFile("BERT=bert.jsonl").system
    ('bert.jsonl', 'BERT')
    """

    system: str | None

    def __new__(cls, text: str) -> SystemFile:
        """Take what a TextFile takes, or NAME=PATH; a file that is called so is a path."""
        plain = TextFile(text)
        name, equals, path = plain.partition("=")
        named = bool(name and equals and path) and not os.path.exists(plain)
        self = str.__new__(cls, path if named else plain)
        self.system, self.columns, self.given = name if named else None, plain.columns, text
        return self


A_FORMAT = "format"  # as an ending: that of any format that can be written


class Option(NamedTuple):
    """One choice a person can make: its name, what it accepts, who takes it, where it is noted."""

    name: str  # in Python; the flag is the same with dashes
    help: str
    commands: tuple[str, ...] = ()  # commands that take it
    functions: tuple[str, ...] = ()  # Python functions that take it; "read" has all reading options
    type: Callable[[str], Any] = str  # bool makes a switch, which takes no value
    default: Any = None
    choices: tuple[str, ...] = ()
    low: float | None = None  # the least and the greatest number allowed
    high: float | None = None
    check: Callable[[Any], str | None] | None = None  # what a value must be, if this one is not
    metavar: str | tuple[str, ...] | None = None
    nargs: str | int | None = None
    const: Any = None  # the value of a flag that is given without one
    short: str | None = None  # -m
    given: str | None = None  # the flag, where it cannot be the name
    positional: bool = False
    required: bool = False
    section: str | None = None  # heading in --help
    alternatives: str | None = None  # options of which only one can be given share this word
    file: Literal["in", "out", "code"] | None = (
        None  # a file to read, to write, to run functions of
    )
    folder: bool = False  # a file to write may be a folder
    endings: tuple[str, ...] = ()  # of a file to write, where its ending says what it is
    signature: str | None = None  # the field of signatures that has its value
    meanings: Mapping[str, str] = {}  # of the values of that field
    restore: Callable[[str], Any] | None = None  # the value from that field, where it is all of it
    spells: str | None = None  # the role that --columns has for the same thing

    @property
    def flag(self) -> str:
        """How the command line writes it."""
        if self.positional:
            return str(self.metavar or self.name)
        if self.given is not None:
            return self.given
        dashed = self.name.replace("_", "-")
        return f"--no-{dashed}" if self.type is bool and self.default is True else f"--{dashed}"

    def wrong(self, value: Any) -> str | None:
        """Return one sentence about a value that the option does not accept; None if it does."""
        if value is None:
            return None
        several = isinstance(value, (list, tuple)) and self.nargs is not None
        return next(filter(None, map(self._wrong, value if several else [value])), None)

    def _wrong(self, value: Any) -> str | None:
        must = None
        if self.type is bool:
            must = None if isinstance(value, bool) else "True or False"
        elif self.choices:
            known = isinstance(value, str) and value in self.choices
            must = None if known else _either(self.choices)
        elif self.type in (int, float):
            must = self._wrong_number(value)
        elif self.check is not None:
            must = self.check(value)
        return must and f"{self.name} must be {must}, found {value!r:.60}"

    def _wrong_number(self, value: Any) -> str | None:
        kind = Integral if self.type is int else Real  # those of numpy, too
        low, high = self.low, self.high
        number = isinstance(value, kind) and not isinstance(value, bool)
        if number and (low is None or value >= low) and (high is None or value <= high):
            return self.check(value) if self.check is not None else None
        must = "a whole number" if self.type is int else "a number"
        upper = " up" if high is None else f" to {_said(high)}"
        return must + ("" if low is None else f" from {_said(low)}{upper}")


def _said(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


# What values must be, where a list of words or a range does not say it.


def parse_threshold(text: str) -> float | str:
    """Return a number as such; the check tells what else a threshold can be."""
    try:
        return float(text)
    except ValueError:
        return text


def _check_threshold(value: Any) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return None if 0 < value <= 1 else _A_THRESHOLD
    if isinstance(value, (str, os.PathLike)):
        number = re.fullmatch(r"(\d+(?:\.\d+)?)/(100|text)", str(value))
        if float(number[1]) > 0 if number else os.path.exists(value):
            return None
        if not re.match(r"[-+]?[\d.]+(/|$)", str(value)):
            return f"{_A_THRESHOLD} (there is no file {value})"
    return _A_THRESHOLD


_A_THRESHOLD = (
    "a number above 0 and at most 1, a file of fencepost tune, or a number of the most probable "
    "positions such as 3/100 or 4/text"
)


def _check_units(value: Any) -> str | None:
    found = re.fullmatch(
        r"words|chars|text|lines|(words|sentences):.+|seconds:(?P<step>\d+(?:\.\d+)?)", str(value)
    )
    if found and (found["step"] is None or float(found["step"]) > 0):
        return None
    return (
        "words:TIER (the intervals of a tier), sentences:FIELD (a list), seconds:0.1 (a grid of "
        "seconds, with decimals instead of 1e-3), "
        "words, chars, lines or text (words of the labels)"
    )


def _check_levels(value: Any) -> str | None:
    if re.fullmatch(r"kinds|all|nested|[1-9]\d?", str(value)):
        return None
    return (
        "kinds (every level is a boundary type), all (no types), the last level that counts, such "
        "as 1, or nested (segments inside others: their depth is the level)"
    )


def _check_types(value: Any) -> str | None:
    names = [name.strip() for name in str(value).split("<")]
    if len(names) > 1 and all(names) and len(set(names)) == len(names):
        return None
    return 'different names from the least to the greatest, such as "minor<major"'


def _check_columns(value: Any) -> str | None:
    if isinstance(value, Mapping):
        names = [
            one
            for role, name in value.items()
            for one in (name if role in _SEVERAL and isinstance(name, (list, tuple)) else [name])
        ]
        roles = {_OTHER_ROLES.get(role, role) for role in value}
        if roles <= ROLES.keys() and all(isinstance(name, str) and name for name in names):
            return None
        several = [role for role, name in value.items() if isinstance(name, (list, tuple))]
        if several and several != ["hyp"]:
            role = next(one for one in several if one != "hyp")
            return f"one column for {role}; only hyp may have several (hyp=a,hyp=b)"
    return (
        f"ROLE=NAME such as text=doc,ref=gold; roles are {', '.join(ROLES)} (columns of one file "
        "follow its name: FILE:ROLE=NAME)"
    )


def write_names(names: Iterable[str]) -> str:
    """Return names as one field of a signature.

    >>> write_names([",", "a b"]), read_names("%2C,a b")
    ('%2C,a b', [',', 'a b'])
    """
    return ",".join(name.replace("%", "%25").replace(",", "%2C") for name in names)


def read_names(text: str) -> list[str]:
    """Return the names that :func:`write_names` wrote."""
    return [name.replace("%2C", ",").replace("%25", "%") for name in text.split(",")]


def _check_names(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "a list of names"


def _check_separator(value: Any) -> str | None:
    return None if not re.search(r"[\r\n].", str(value), re.DOTALL) else "one line"


def _check_tiers(value: Any) -> str | None:
    tiers = str(value).partition(" except ")[0]
    if tiers in ("coders", "speakers", "one"):
        return None
    named = re.findall(r"\{([^{}]*)\}", tiers)
    if named and not set(named) - {"speaker", "coder"} and len(set(named)) == len(named):
        return None
    parts = re.fullmatch(r"\w+?([^\w\s]+|_)\w+", tiers)
    return (
        "coders, speakers, one, or a pattern of tier names with {speaker} and {coder}, such as "
        "{speaker}@{coder}" + (f" (for {tiers!r}: {{speaker}}{parts[1]}{{coder}})" if parts else "")
    )


def rule_of(field: str) -> str | None:
    """Return the rule for several references; their mean is beside each of them by default."""
    rule = field.partition(",")[0]
    return rule if rule in get_args(ReferenceRule) and rule != "mean" else None


def consensus_of(field: str) -> str | None:
    """Return how the consensus of several references was made; None for another rule."""
    rule, _, by = field.partition(",")
    return by if rule == "consensus" and by else None


def _numbers(field: str) -> tuple[int, ...]:
    """Return (3, 2, 2) for 3,2,2."""
    return tuple(int(part) for part in field.split(","))


def _seconds(field: str) -> str:
    """Return seconds:0.1 for 0.1s, as signatures write a grid; other units as they are."""
    return re.sub(r"^([\d.]+)s$", r"seconds:\1", field)


# The declarations, in the order in which --help lists them.


def _of(
    commands: str, section: str | None, *options: Option, functions: str = ""
) -> tuple[Option, ...]:
    """The options with the commands and functions that take them, and their heading."""
    taken, reached = tuple(commands.split(", ")), tuple(filter(None, functions.split(", ")))
    return tuple(
        one._replace(
            commands=one.commands or taken,
            functions=one.functions or reached,
            section=one.section or section,
        )
        for one in options
    )


_BOTH_SIDES = "score, edits, tune"  # commands that read references and hypotheses
_ONE_SIDE = "agree, look, convert, probe, simulate errors, simulate typed, simulate coders"
_FILES = f"{_BOTH_SIDES}, {_ONE_SIDE}"
_CORPORA = "simulate references, simulate errors, simulate coders, simulate typed"
_WITH_TABLES = "score, edits, diff, agree, resegment, probe, reproduce, tune"

OPTIONS: tuple[Option, ...] = (
    *_of(
        _BOTH_SIDES, None,
        Option("refs", "reference file; several files are several references", commands=("score",),
            metavar="REF", nargs="*", positional=True, default=[], file="in", type=TextFile),
        Option("refs", "reference file; several files are several references", commands=("edits",),
            metavar="REF", nargs="+", positional=True, file="in", type=TextFile),
        Option("refs", "reference file of the development set", commands=("tune",), metavar="DEV",
            nargs="+", positional=True, file="in", type=TextFile),
        Option("hyps", "hypothesis files, one per system (- is standard input); BERT=file.jsonl "
            "names the system, and file.jsonl:hyp=preds,text=key the columns of one file",
            short="-i", metavar="HYP", nargs="+", default=[], file="in",
            type=SystemFile),
    ),
    *_of(
        "agree", None,
        Option("refs", "annotations; several files are several annotators", metavar="FILE",
            nargs="+", positional=True, file="in", type=TextFile),
        Option("hyps", "systems: agreement with and without each of them (fournier2012, section "
            "3.4); BERT=file.jsonl names the system", short="-i", metavar="SYSTEM", nargs="+",
            default=[], file="in", type=SystemFile),
    ),
    *_of(
        "look", None,
        Option("files", "files or folders to look at (- is standard input)", metavar="FILE",
            nargs="+", positional=True, file="in", type=TextFile),
    ),
    *_of(
        "diff", None,
        Option("before", "the first result: a file of score --save, or of score --json",
            metavar="BEFORE", positional=True, file="in"),
        Option("after", "the second result: a file of score --save, or of score --json",
            metavar="AFTER", positional=True, file="in"),
    ),
    *_of(
        "convert", None,
        Option("source", "file or folder to read (- is standard input)", metavar="IN",
            positional=True, file="in", type=TextFile),
        Option("target", "file to write; its ending is the format (- is standard output)",
            metavar="OUT", positional=True, file="out", endings=(A_FORMAT,)),
        Option("to", "output format (default: by the ending)", metavar="FORMAT", type=FormatName),
    ),
    *_of(
        "resegment", None,
        Option("refs", "references: one segment per line; several files are several references",
            metavar="REF", nargs="*", positional=True, default=[], file="in"),
        Option("hyps", "hypotheses: one stream of words per file, one file per system (- is "
            "standard input); NAME=FILE names the system", short="-i", metavar="HYP", nargs="+",
            default=[], file="in", type=SystemFile),
        Option("metrics", "beside AS-WER: {measures}, with settings if needed (wer:reading=count, "
            "bleu:tokenize=zh); or metrics of segmentations (windowdiff, B, A) for the boundaries "
            "of the hypothesis itself", short="-m", metavar="METRIC", nargs="+", default=[],
            file="code"),
    ),
    *_of(
        "score", None,
        Option("metrics",
            f"metrics, with settings if needed: WD:k=5 (default: {' '.join(DEFAULT_METRICS)})",
            functions=("score",), short="-m", metavar="METRIC", nargs="+", file="code"),
        Option("like", "conventions of another tool: {presets}; with nltk, 0/1 per unit is read "
            "as its strings", functions=("score", "read"), metavar="TOOL"),
        Option("signature", "score with exactly these recipes", metavar="SIG", nargs="+",
            commands=("score", "resegment"), file="code"),
        Option("average", "mean over texts (macro, default), pooled counts (micro), or both",
            functions=("score", "score_counts"), choices=get_args(Average), signature="avg",
            meanings={"macro": "the mean of the values of texts",
            "micro": "counts of all texts pooled"}),
        Option("reference_rule", "several annotators of a text: each of them and their mean (each, "
            "the default); the mean alone; the closest annotator of each text (best); what they "
            "agree on (consensus); or all boundaries weighted by the share of annotators who set "
            "them (weighted: precision, recall, F, B); the human ceiling follows the same rule",
            functions=("score",), choices=get_args(ReferenceRule), default="each",
            signature="refs", restore=rule_of, meanings={
            "mean": "the mean over several references",
            "best": "the closest annotator of each text",
            "weighted": "boundaries weighted by the share of annotators of a text who set them"}),
        Option("consensus_by", "the consensus of annotators: the segmentation most similar to all "
            "by B (default), or boundaries that more than half of them set", ("score",),
            functions=("score",), choices=get_args(ConsensusBy), default="similarity",
            signature="refs", restore=consensus_of, meanings={
            "consensus,similarity": "the segmentation most similar to all annotators of a text by "
            "B (consensus)",
            "consensus,majority": "boundaries that more than half of the annotators of a text set "
            "(consensus)"}),
        Option("conventions", "the same data with every known convention, in one table", type=bool,
            default=False),
        Option("per_text", "add a table of the single texts", type=bool, default=False),
        Option("baselines", "no rows for simple baselines and the human ceiling",
            functions=("score",), type=bool, default=True),
        Option("gate", "exit with code 3 if a system is worse than this; in score also a file of "
            "--save: significantly worse than saved", metavar="METRIC=VALUE|COUNTS",
            nargs="+", default=[], commands=("score", "resegment"),
            file="in"),
        Option("anonymize", "show annotators as coder A, coder B, ...", type=bool, default=False),
    ),
    *_of(
        "tune", None,
        Option("metrics", "metrics to be best by, with settings if needed (default: "
            f"{' '.join(DEFAULT_METRICS)})", short="-m", metavar="METRIC", nargs="+",
            file="code"),
        Option("average", "mean over texts (macro, default), or pooled counts (micro)",
            choices=get_args(TunedAverage), default="macro", signature="avg"),
        Option("best_positions", "instead of a threshold, tune how many of the most probable "
            "positions are boundaries: per 100 units, or per text",
            choices=get_args(BestPositions)),
        Option("folds", f"parts of the texts in the cross-validation (default {FOLDS})", type=int,
            default=FOLDS, low=2, high=1000, metavar="N", signature="folds"),
        functions="tune",
    ),
    *_of(
        "edits", None,
        Option("metric", "S, B (default) or A, with settings if needed: B:n_t=3", short="-m",
            default="B"),
        Option("text", "only these texts", metavar="ID", nargs="+"),
        Option("worst", "the N texts with the worst score (default 3)", type=int, metavar="N",
            low=1, high=1_000_000),
    ),
    *_of(
        "probe", None,
        Option("metrics", "metrics with settings, or functions of two segmentations; several are "
            "compared", metavar="METRIC|FILE.py:NAME", nargs="*", positional=True, default=[],
            file="code"),
        Option("against", "compare with these metrics", functions=("probe",), metavar="METRIC",
            nargs="+", file="code"),
        Option("list", "explain each property and when it holds", type=bool, default=False),
        Option("properties", "only these properties or families of properties: {families}",
            functions=("probe",), metavar="NAME", nargs="+"),
        Option("corpus", "rank correlation over these texts, with errors added by error models, "
            "instead of random texts", functions=("probe",), metavar="FILE", file="in"),
        Option("preferences", "people's preferences beside the preferences of diaz2022: "
            "reference,first,second,preferred", functions=("probe",), metavar="CSV", default=(),
            file="in"),
        Option("seed", "seed of the random texts", functions=("probe",), type=int, default=SEED,
            low=0, high=MAX_SEED),
        Option("largest", "all texts of up to N units are tried, 5 to 12 (default 10)",
             functions=("probe",), type=int, default=10, low=5, high=12, metavar="N"),
    ),
    *_of(
        "reproduce", None,
        Option("papers", "{papers}, or all; without a name the papers are listed", metavar="PAPER",
            nargs="*", positional=True, default=[]),
        Option("item", 'only this table or figure ("table 2")', metavar="NAME"),
        Option("data", "folder of the corpora (default FENCEPOST_DATA)", metavar="DIR"),
        Option("seed", "seed of what is random", type=int, default=SEED, low=0, high=MAX_SEED),
        Option("fast", "smaller sizes: seconds instead of minutes", type=bool, default=False),
        Option("all_lines", "print every number", type=bool, default=False),
    ),
    *_of(
        "findings", None,
        Option("findings", "explain these findings (default: list all)", metavar="NAME",
            nargs="*", positional=True, default=[]),
        Option("run", "run the proofs; exit with code 1 if one fails", type=bool, default=False),
        Option("markdown", "all findings as Markdown", type=bool, default=False),
    ),
    *_of(
        "probe, reproduce, tune", None,
        Option("plot", "draw the curves, as .png, .svg or .pdf (needs matplotlib)", metavar="FILE",
            file="out", endings=(".png", ".svg", ".pdf")),
    ),
    *_of(
        "simulate references", None,
        Option("texts", "number of texts (default 10)", type=int, default=10, metavar="N", low=1,
            high=MAX_MADE),
        Option("sizes", "uniform:15-35 (default), geometric:25, fixed:25, or sizes to draw from: "
            "3,5,8", default="uniform:15-35"),
        Option("segments", "segments per text (default 100)", type=int, metavar="N", low=1,
            high=MAX_MADE, alternatives="length"),
        Option("units", "units per text", type=int, metavar="N", low=1, high=2**40,
            alternatives="length"),
        Option("types", "boundary types with weights: comma=3,period=1",
            metavar="NAME[=WEIGHT],..."),
        functions="simulate.references",
    ),
    *_of(
        "simulate errors", None,
        Option("ref", "the references (- is standard input)", metavar="REF", positional=True,
            file="in"),
        Option("model", "{models}", functions=("simulate.errors",), default="FNP1", metavar="NAME"),
        Option("p", "probability of an error (default 0.5)", functions=("simulate.errors",),
            type=float, default=0.5, short="-p", low=0, high=1),
        Option("spread", "of FP2, in segment sizes (default 0.25)", functions=("simulate.errors",),
            type=float, default=0.25, low=1e-6, high=1e6),
        Option("distance", "of NM and FPN, in units (default 1)", functions=("simulate.errors",),
            type=int, default=1, low=1, high=MAX_DISTANCE),
    ),
    *_of(
        "simulate typed", None,
        Option("ref", "references with boundary types: a table of tokens", metavar="REF",
            positional=True, file="in"),
        *(
            Option(name, what, functions=("simulate.typed",), type=float, default=0.0,
                   metavar="RATE", low=0, high=high)
            for name, what, high in (
                ("substitute", "share of boundaries that get another type", 1),
                ("move", "share of boundaries that are moved", 1),
                ("delete", "share of boundaries that are removed", 1),
                ("insert", "new boundaries per boundary", 1000),
            )
        ),
        Option("distance", "how far a boundary is moved at most (default 1)",
            functions=("simulate.typed",), type=int, default=1, low=1, high=MAX_DISTANCE),
    ),
    *_of(
        "simulate errors, simulate typed", None,
        Option("copies", "hypotheses per text (default 1): systems in json, annotators elsewhere",
            type=int, default=1, metavar="N", low=1, high=1_000_000),
        functions="simulate.errors, simulate.typed",
    ),
    *_of(
        "simulate coders", None,
        Option("like", "keep the texts, annotators and numbers of boundaries of this file",
            metavar="FILE", nargs="?", positional=True, file="in"),
        *(
            Option(name, f"{what} (default {default})", functions=("simulate.coders",), type=int,
                   default=default, metavar="N", low=1, high=high)
            for name, what, default, high in (
                ("texts", "number of texts", 10, MAX_MADE),
                ("units", "units per text", 100, 2**40),
                ("coders", "number of annotators", 5, 1_000_000),
            )
        ),
        Option("rate", "boundaries per position, one rate for all or one per annotator",
            functions=("simulate.coders",), type=float, nargs="+", low=0, high=1,
            alternatives="amount"),
        Option("boundaries", "boundaries per text, one number for all or one per annotator",
            functions=("simulate.coders",), type=int, nargs="+", low=0, high=MAX_MADE,
            alternatives="amount"),
    ),
    *_of(
        "simulate stream", None,
        *(
            Option(name, f"{what} (default {default})", functions=("simulate.streams",), type=int,
                   default=default, metavar=metavar, low=low, high=high)
            for name, what, default, metavar, low, high in (
                ("documents", "number of documents", 1, "N", 1, MAX_MADE),
                ("segments", "segments per document", 50, "N", 1, MAX_MADE),
                ("words", "size of the vocabulary", 1000, "N", 2, 10_000_000),
                ("references", "number of references", 1, "N", 1, 1000),
                ("distance", "how far a word moves at most", 3, None, 1, MAX_DISTANCE),
                ("phrase", "words of a repeated phrase", 3, None, 1, MAX_DISTANCE),
            )
        ),
        Option("sizes", "of segments, in words (default uniform:5-20)",
            functions=("simulate.streams",), default="uniform:5-20"),
        *(
            Option(name, f"{what} (default {default})", functions=("simulate.streams",),
                   type=float, default=default, metavar="RATE", low=0, high=1)
            for name, what, default in (
                ("vary", "share of words that differ in further references", 0.2),
                ("substitute", "share of words that are replaced", 0.0),
                ("insert", "share of words that get a further word before them", 0.0),
                ("delete", "share of words that are removed", 0.0),
                ("reorder", "share of words that move inside their segment", 0.0),
                ("repeat", "share of segments that begin with the end of the segment before", 0.0),
            )
        ),
    ),
    *_of(
        f"{_CORPORA}, simulate stream", None,
        Option("seed", f"default {SEED}", type=int, default=SEED, low=0, high=MAX_SEED),
        functions="simulate.references, simulate.errors, simulate.coders, simulate.typed, "
        "simulate.streams",
    ),
    *_of(
        _CORPORA, None,
        Option("output", "write to this file instead of standard output", short="-o",
            metavar="FILE", file="out", endings=(A_FORMAT,)),
        Option("to", "format (default: by the ending; json on standard output)", metavar="FORMAT",
            type=FormatName),
    ),
    *_of(
        "simulate stream", None,
        Option("output", "name of the files, without ending", short="-o", metavar="FILE",
            required=True, file="out"),
    ),
    *_of(
        "metrics", None,
        Option("metric", "explain this metric or signature", metavar="NAME|SIGNATURE", nargs="?",
            positional=True),
        Option("markdown", "the list as a Markdown table", type=bool, default=False),
    ),
    *_of(
        "formats", None,
        Option("format", "explain this format", metavar="NAME", nargs="?", positional=True),
        Option("markdown", "all formats as Markdown", type=bool, default=False),
    ),
    *_of(
        "demo", None,
        Option("copy", "copy the files of the examples into this folder", metavar="DIR"),
    ),
    *_of(
        "completion", None,
        Option("shell", "the shell: bash, zsh or fish", choices=("bash", "zsh", "fish"),
            positional=True),
    ),
    # How files are read: the options of fp.read.
    *_of(
        _FILES, "reading",
        Option("format", "input format: {formats} (default: by name and content; fencepost formats "
            "explains each)", given="--from", metavar="FORMAT", type=FormatName),
        Option("flags", "what a 1 marks where each unit has a 0 or 1: the last or the first unit "
            "of a segment", choices=get_args(Flags), signature="flags", restore=str, meanings={
            "last": "a 1 marked the last unit of a segment",
            "first": "a 1 marked the first unit of a segment"}),
        Option("encoding", "what the values of a segmentation are, where the file does not tell",
            choices=get_args(Encoding), signature="encoding", restore=str, meanings={
            "masses": "values were segment sizes",
            "bits": "values were 0/1 between two units",
            "flags": "values were 0/1 per unit",
            "positions": "values were positions of boundaries",
            "labels": "values were one label per unit, a segment ends where it changes",
            "spans": "values were the start and end of segments",
            "times": "values were times in seconds"}),
        Option("columns", "which column or field is what: text=doc,ref=gold,hyp=lstm,hyp=bert; "
            "roles are {roles} (docs/formats.md). Of one file only: FILE:ROLE=NAME,...",
            metavar="ROLE=NAME,...", type=parse_columns, check=_check_columns),
        Option("without", "columns, fields or annotators to ignore", metavar="NAME", nargs="+",
            check=_check_names),
        Option("id_field", "the same as --columns text=NAME", metavar="NAME", spells="text"),
        Option("units_field", "the same as --columns units=NAME", metavar="NAME", spells="units"),
        Option("ignore_tokens", "ignore these tokens (pauses, brackets), or these lines of plain "
            "text", metavar="REGEX", signature="ignored", restore=str),
        Option("threshold", "the least probability that is a boundary; the file that fencepost "
            "tune wrote; or how many of the most probable positions are boundaries: 3/100 (per 100 "
            "units), 4/text", type=parse_threshold, metavar="P|FILE|N/100|N/text",
            check=_check_threshold, signature="threshold", restore=parse_threshold, file="in"),
        Option("probabilities", "keep the probability of a boundary at each position, for metrics "
            "of probabilities", type=bool, default=False, signature="probabilities", restore=bool,
            meanings={"kept": "values were probabilities, and were kept"}),
        Option("tiers", "what tiers are: coders, speakers, one (all speakers together), or a "
            "pattern of their names such as {speaker}@{coder}", metavar="WHO", check=_check_tiers,
            signature="tiers", restore=str, meanings={
            "one": "all speakers of a text were read as one",
            "speakers": "every speaker of a text was read alone"}),
        Option("path_pattern", "what the paths in a folder mean: {coder}/{text}.TextGrid",
            metavar="PATTERN"),
        Option("gaps", "units between two segments: a segment of their own, or part of the segment "
            "before", choices=get_args(Gaps), signature="gaps", restore=str, meanings={
            "segment": "units between two segments were a segment of their own",
            "join": "units between two segments belonged to the segment before"}),
        Option("overlap", "boundary of segments that overlap: where the later segment starts, or "
            "where the earlier ends", choices=get_args(Overlap), signature="overlap", restore=str,
            meanings={"start": "segments that overlap were divided where the later one starts",
            "end": "segments that overlap were divided where the earlier one ends"}),
        Option("snap", "ignore white space around a boundary, where the file has the text",
            type=bool, default=False, signature="snap", restore=bool, meanings={
            "space": "white space around a boundary was ignored"}),
        Option("levels", "of headings, captions and boundary types: kinds (levels are boundary "
            "types, default), all (no types), or the last level that counts; of tiers and "
            "regions: kinds (labels are boundary types); of segments with a start and an end: "
            "nested (segments lie inside others, and their depth is the level of their "
            "boundaries)", metavar="LEVELS", check=_check_levels,
            signature="levels", restore=str, meanings={
            "kinds": "levels or labels were boundary types",
            "nested": "segments lay inside others, and depths were the levels of boundaries",
            "all": "boundaries of all levels counted, without types"}),
        Option("separator", 'the line between segments of plain text ("" is an empty line; '
            "default: rules such as ==========, ---, ### if there are any, otherwise empty lines)",
            metavar="MARK", check=_check_separator),
        Option("empty", "texts without units: refuse (error, default), or skip", choices=("error",
            "skip"), default="error", signature="empty_texts", restore=str, meanings={
            "skip": "texts without units were skipped"}),
        Option("raw", "the text itself, for lists of its sentences or chunks", metavar="FILE",
            file="in"),
        functions="read",
    ),
    *_of(
        f"{_FILES}, resegment", "reading",
        Option("unpack_limit", f"the most that a compressed file may hold, in MB (default "
            f"{UNPACK_LIMIT})", functions=("read", "read_references", "read_streams"), type=int,
            default=UNPACK_LIMIT, low=1, high=100_000_000, metavar="MB"),
    ),
    *_of(
        _FILES.replace(", simulate coders", ""), "reading",
        Option("units", "what is counted where files have times or offsets: words:TIER, "
            "sentences:FIELD (a list of the sentences), seconds:0.1, words, chars, lines, text "
            "(words of the labels)", metavar="UNITS",
            check=_check_units, signature="units", restore=_seconds),
        Option("coders", "only these annotators", metavar="NAME", nargs="+", check=_check_names),
        functions="read",
    ),
    *_of(
        _ONE_SIDE, "reading",
        Option("field", "field, column, tier or annotator to read, if there are several: the same "
            "as --columns ref=NAME", metavar="NAME", spells="ref"),
        functions="read",
    ),
    *_of(
        _BOTH_SIDES, "reading",
        Option("ref_field", "the same as --columns ref=NAME", metavar="NAME", spells="ref"),
        Option("hyp_field", "the same as --columns hyp=NAME; several are several systems",
            metavar="NAME", nargs="+", spells="hyp"),
        Option("hyp_columns", "columns of the hypotheses, where they differ from --columns",
            commands=("score", "edits", "agree", "tune"), metavar="ROLE=NAME,...",
            type=parse_columns, check=_check_columns),
        Option("hyp_format", "format of the hypotheses, if it differs from --from",
            commands=("score", "edits", "agree", "tune"), given="--hyp-from", metavar="FORMAT",
            type=FormatName),
        Option("missing", "texts without a partner: refuse (error, default), skip, or count as "
            "unsegmented (whole; in resegment: as an empty hypothesis)",
            commands=("score", "edits", "tune", "resegment"),
            functions=("score", "tune", "resegment"), choices=get_args(Missing), default="error",
            signature="missing", restore=str, meanings={
            "skip": "texts without a partner were skipped",
            "whole": "missing texts counted as unsegmented, missing documents as empty"}),
    ),
    *_of(
        "resegment", "reading",
        Option("format", "format of the references: {reference_formats}",
            functions=("read_references",), given="--from", metavar="FORMAT"),
        Option("hyp_format", "format of the hypotheses: {stream_formats}", given="--hyp-from",
            metavar="FORMAT"),
        Option("docids", "the document of each reference line", functions=("read_references",),
            metavar="FILE", file="in"),
        Option("hyp_docids", "the document of each hypothesis line", metavar="FILE", file="in"),
        Option("segments", "recording, offset and duration of each reference line",
            functions=("read_references",), metavar="YAML", file="in"),
        Option("source", "the source sentence of each line", functions=("read_references",),
            metavar="FILE", file="in"),
        Option("lines", "what a line of a plain hypothesis is: a break, or a document",
            functions=("read_streams",), choices=("breaks", "documents")),
        Option("tokens", "what tokens of a simulstream log are, where their marks do not show it",
            functions=("read_streams",), choices=("spm", "bytes", "words", "pieces")),
        Option("system", "which system of a set", functions=("read_streams",), metavar="NAME"),
    ),
    *_of(
        "resegment", "words",
        Option("tokenizer", "words (default), whitespace, characters, a tokenizer of sacrebleu, or "
            "a SentencePiece model", default="words", metavar="NAME|MODEL", signature="tok",
            restore=str),
        Option("case", "ignore case (fold, default), or keep it", choices=("fold", "keep"),
            default="fold", signature="case", restore=str, meanings={
            "fold": "words were aligned without regard to case",
            "keep": "words were aligned with case"}),
        Option("punctuation", "compare punctuation unless only one side has any (auto, default), "
            "always (keep), or never (remove)", choices=("auto", "keep", "remove"),
            default="auto", signature="punct", restore=str, meanings={
            "keep": "words were aligned with punctuation",
            "remove": "words were aligned without punctuation"}),
        functions="resegment",
    ),
    *_of(
        "resegment", "alignment",
        Option("ties", "which of equally good boundaries: the rule of the RWTH tool (default), the "
            "first, or the last position", choices=("rwth", "earliest", "latest"), default="rwth",
            signature="ties", restore=str, meanings={
            "rwth": "of equally good boundaries, the one that the RWTH tool takes",
            "earliest": "of equally good boundaries, the first",
            "latest": "of equally good boundaries, the last"}),
        Option("prefer", "among optima, boundaries where the hypothesis breaks",
            choices=("breaks",), signature="prefer", restore=str),
        Option("costs", "cost of each edit while aligning, whole numbers from 1 to 10,000",
            type=int, nargs=3, metavar=("SUB", "INS", "DEL"), default=(1, 1, 1), low=1, high=10_000,
            signature="costs", restore=_numbers),
        Option("like", "charge leading empty segments as mwerSegmenter and mweralign do, for old "
            "numbers", choices=("mwersegmenter",), signature="like", restore=str),
        Option("ambiguity", "do not look which boundaries are certain", type=bool, default=True),
        functions="resegment",
    ),
    *_of(
        "resegment", "contrast",
        Option("document", "also score whole documents as segments", type=bool, default=False),
        Option("chop", "also divide in proportion to the references", type=bool, default=False),
        Option("human", "correlate with judgements: columns system,question,...", metavar="CSV",
            file="in"),
    ),
    # Agreement, intervals and tests.
    *_of(
        "agree", "coefficients",
        Option("metric", "symmetric similarities: B (default), S, A, F, Sf, SfB; in Python one",
            functions=("agreement",), short="-m", metavar="METRIC", nargs="+", file="code"),
        Option("chance", "only these models of chance, with kappa and pi (default: sizes, with "
            "alpha and the formula; for Sf and SfB bernoulli, uniform, uniform-types)",
            functions=("agreement",), choices=get_args(Chance), nargs="+", signature="chance",
            meanings={
            "sizes": "annotators keep their segment sizes, in random order",
            "inner-sizes": "annotators keep the sizes between boundaries, in random order",
            "shuffle": "annotators keep their numbers of boundaries, positions are random",
            "positions": "as shuffle, at positions that annotators prefer in the other texts",
            "bernoulli": "annotators keep their rates of boundaries",
            "uniform": "every boundary type, and none, equally likely",
            "uniform-types": "the pooled rate of no boundary, types equally likely",
            "fournier2012": "the formula of the paper: both annotators set a boundary",
            "two-category": "both annotators set a boundary, or neither",
            "krippendorff": "two decisions drawn from all",
            "krippendorff1995": "every segment could be anywhere in the text"}),
        Option("coefficient", "only these coefficients, each with the first chance that has it "
            "(or with --chance, --like); --all has every coefficient, and excludes this",
            functions=("agreement",), choices=get_args(CoefficientName), nargs="+",
            signature="coefficient", meanings={
            "kappa": "(observed - chance) / (1 - chance), the numbers of boundaries of each "
            "annotator",
            "pi": "(observed - chance) / (1 - chance), the same for all annotators",
            "pi*": "multi-pi by a formula: the rate of boundaries is the same for all annotators",
            "kappa*": "multi-kappa by a formula: each annotator has a rate of boundaries",
            "bias": "expected pi* less expected kappa*",
            "alpha": "Krippendorff's alpha of decisions at exact positions",
            "majority": "decisions that agree with the majority at their position",
            "hearst": "the mean kappa of each annotator with the majority",
            "alpha_U": "Krippendorff's alpha for unitizing (1995): squared distances of segments' "
            "ends",
            "gamma": "gamma of Mathet, Widlöcher & Métivier (2015): disorder of the best alignment "
            "of segments, by positions alone"}),
        Option("all", "every coefficient and every table", functions=("agreement",), type=bool,
            default=False),
        Option("like", "the formula with the settings of another tool", functions=("agreement",),
            choices=("fournier2012", "segeval")),
        Option("counting", "formula: what is counted (boundaries: cuts)", functions=("agreement",),
            choices=get_args(Counting), signature="counting", meanings={
            "cuts": "chance from the boundaries of each annotator",
            "segments": "chance from the segments of each annotator"}),
        Option("pooling", "formula: rates of boundaries (pooled)", functions=("agreement",),
            choices=get_args(Pooling), signature="pooling", meanings={
            "pooled": "rates over all positions together",
            "mean-of-rates": "the mean of the rates of every annotator and text"}),
        Option("weighting", "formula: weights of texts (positions)", functions=("agreement",),
            choices=get_args(Weighting), default="positions", signature="weighting", meanings={
            "positions": "texts weigh by their positions, as counts add up",
            "units": "texts weigh by their units (equation 6)",
            "printed": "texts weigh as equation 12 is printed"}),
        Option("draws", "simulated annotations (default 400; fewer for millions of pairs)",
            functions=("agreement", "segmenters"), type=int, low=2, high=1_000_000),
        Option("exact", "the exact expectation of Sf instead of a simulation",
            functions=("agreement",), type=bool, default=False),
        Option("confusions", "which boundary types were taken for which", type=bool, default=False),
    ),
    *_of(
        "agree", "intervals",
        Option("interval", "95% interval for other texts and other annotators (default), for other "
            "texts with these annotators, or for other annotators with these texts",
            choices=get_args(Interval), default="both", signature="interval", meanings={
            "both": "95% intervals by a jackknife over texts and annotators",
            "coders": "95% intervals by a jackknife over annotators"}),
        Option("resamples", "--interval texts: resamples of the bootstrap (default "
            f"{RESAMPLES_OF_AGREEMENT})", type=int, default=RESAMPLES_OF_AGREEMENT, low=20,
            high=1_000_000),
        functions="agreement",
    ),
    *_of(
        "tune", "intervals",
        Option("group", "keep texts together that belong together, in folds and in resamples: a "
            "field of the records, or a CSV file text,group", metavar="FIELD|FILE",
            signature="group", file="in"),
        Option("resamples", "resamples of the texts, each tuned again, for the interval of the "
            f"threshold (default {RESAMPLES_OF_TUNING})", type=int, default=RESAMPLES_OF_TUNING,
            low=100, high=1_000_000),
        Option("intervals", "no intervals", type=bool, default=True),
        Option("seed", "seed of the folds and of the resamples", type=int, default=SEED, low=0,
            high=MAX_SEED,
            signature="seed", restore=int),
        functions="tune",
    ),
    *_of(
        "score, agree, resegment", "intervals",
        Option("intervals", "no intervals",
            functions=("score", "score_counts", "score_files", "agreement", "score_streams"),
            type=bool, default=True),
        Option("method", "of 95% intervals: t (bootstrap-t and Student's t, the default), "
            "percentile, bca, normal (the standard error; the default above 10,000 texts)",
            functions=("score", "score_counts", "score_files", "agreement", "score_streams"),
            choices=get_args(Method), signature="bs", meanings={
            "t": "95% intervals by the bootstrap-t and Student's t over {over}",
            "percentile": "95% intervals by percentiles of resampled {over}",
            "bca": "95% intervals by percentiles, corrected for bias and acceleration",
            "normal": "95% intervals by the standard error"}),
        Option("seed", "seed of the random baseline, simulations, intervals and tests",
            functions=("score", "score_counts", "score_files", "agreement", "segmenters",
                "score_streams"),
            type=int, default=SEED, low=0, high=MAX_SEED, signature="seed", restore=int),
    ),
    *_of(
        "resegment", "intervals",
        Option("resamples", f"resamples of intervals and tests (default {RESAMPLES_OF_STREAMS})",
            functions=("score_streams",), type=int, default=RESAMPLES_OF_STREAMS, low=100,
            high=10_000_000),
        Option("group", "resample documents that belong together as a whole: a CSV file text,group "
            "with a row per document (default: every document is resampled by itself)",
            functions=("score_streams",), metavar="FILE", signature="group", file="in"),
        Option("by", "add a table: every document by itself", choices=("document",)),
        Option("save", "write the rows of counts (.csv or .parquet)", metavar="FILE", file="out",
            endings=(".csv", ".parquet")),
        Option("counts", "read rows of counts instead of words", metavar="FILE", file="in"),
    ),
    *_of(
        "agree", "coefficients",
        Option("by", "add a table: agreement on every level by itself, where boundary types are "
            "the levels of a hierarchy, 1 the coarsest", choices=("level",)),
    ),
    *_of(
        "score", "intervals",
        Option("by", "add a table: every part of the texts by itself, with intervals. Parts are a "
            "field of the records, a CSV file text,group, group (the groups of --group), "
            "speaker, or "
            "level (boundary types are the levels of a hierarchy, 1 the coarsest)",
            functions=("score", "score_counts"), metavar="FIELD|FILE|group|speaker|level",
            file="in"),
        Option("resamples", f"resamples of intervals and tests (default {RESAMPLES})",
            functions=("score", "score_counts", "score_files"), type=int, default=RESAMPLES,
            low=100, high=10_000_000),
        Option("group", "resample texts that belong together as a whole: a field of the records, "
            "or a CSV file text,group", functions=("score", "score_counts"), metavar="FIELD|FILE",
            signature="group", file="in"),
        Option("runs", "systems A, B, ... are one system with several seeds", functions=("score",),
            nargs="+", metavar="SYSTEM=A,B,...", signature="runs"),
        Option("resample", "what intervals and tests are about where a system has several runs: "
            "other texts and other runs (default), or other texts with these runs",
            functions=("score", "score_counts"), choices=get_args(Resample), default="texts+runs"),
        Option("save", "write the rows of counts: .csv or .parquet; of many files, also a folder",
            metavar="FILE|DIR", file="out", folder=True),
        Option("counts", "read rows of counts instead of texts; -m FILE.py:NAME names the file of "
            "a metric that they need, and runs it", metavar="FILE", file="in"),
    ),
    *_of(
        "score", "many files (docs/batch.md)",
        Option("resume", "go on with the run that --save DIR holds", type=bool, default=False),
        Option("strict", "stop at a file that cannot be read (default: note it, score the rest)",
            type=bool, default=False),
        Option("type_names", "all boundary types, where --columns ref_types= and hyp_types= name "
            "columns of types (default: the types that --types orders)", metavar="TYPE", nargs="+",
            default=[], signature="type-names", restore=read_names),
    ),
    *_of(
        "score, agree", "cluster (docs/batch.md)",
        Option("dask", "use a Dask cluster: the address of its scheduler, or local. Workers score "
            "many files, and draw the resamples and simulated annotations of others",
            functions=("score", "score_counts", "agreement"), metavar="ADDRESS"),
    ),
    *_of(
        "score, resegment", "comparisons (docs/statistics.md)",
        Option("paired", "compare the systems text by text: by randomization (default) or "
            "bootstrap", choices=get_args(Paired), nargs="?", const="randomization",
            signature="test", meanings={
            "randomization": "p by swapping the two systems in every {one} or not",
            "bootstrap": "p by resampled {over}",
            "satterthwaite": "p by Student's t over {over} and runs"}),
        Option("baseline", "compare with this system (default: the first)", metavar="SYSTEM",
            signature="against"),
        Option("all_pairs", "compare every two systems", type=bool, default=False,
            signature="pairs", meanings={"all": "every two systems were compared"}),
        Option("margin", "differences up to this do not matter: adds to each comparison whether it "
            "is equivalent, better, worse or undecided", metavar="DIFFERENCE", type=float, low=0,
            high=1e12),
        Option("adjust", "p for several comparisons: minp (step-down min-p on shared swaps, the "
            "default of randomization tests), Holm (the default of others), Benjamini-Hochberg, "
            "or none", choices=get_args(Adjustment), signature="adjust", meanings={
            "minp": "p adjusted by step-down min-p over this number of comparisons",
            "holm": "p adjusted by Holm's method over this number of comparisons",
            "bh": "p adjusted by Benjamini and Hochberg's method over this number of comparisons",
            "none": "p not adjusted"}),
        functions="score, score_counts, score_streams",
    ),
    *_of(
        "score, edits, agree", "boundary types",
        Option("types", 'the order of boundary types for B and S: "minor<major" (default: numbers '
            "by their values, other names equally far apart)", metavar="A<B<...",
            commands=("score", "edits", "agree", "look", "tune"), check=_check_types,
            functions=("score", "agreement", "look", "tune")),
        Option("costs", "similarities of boundary types for Sf, and 1 - similarity as the price of "
            "a substitution for B and S: a square CSV or JSON, identity, positions, lai2023, "
            "lai2023-as-run; if a pair has two similarities: -m Sf:symmetric=no",
            metavar="FILE|NAME", file="in"),
        Option("learn_costs", "learn the similarities from experts' annotations of the same texts",
            metavar="FILE", file="in"),
    ),
    *_of(
        "agree", "annotators",
        Option("margin", "with -i: differences of similarity up to this do not matter; tells "
            "whether a system is equivalent to an annotator", metavar="DIFFERENCE", type=float,
            low=0, high=1e12),
        Option("differences", "write every difference between annotators, one per row",
            metavar="FILE", file="out"),
        Option("consensus", "write one agreed segmentation per text", metavar="FILE", file="out",
            endings=(A_FORMAT,)),
        Option("consensus_by", "the agreed segmentation: the most similar to all annotators "
            "(default), or boundaries that more than half of them set", functions=("consensus",),
            choices=get_args(ConsensusBy), default="similarity"),
        Option("anonymize", "show annotators as coder A, coder B, ...", type=bool, default=False),
        Option("rename", "names of annotators: columns coder,name or text,coder,name",
            metavar="CSV", file="in"),
        Option("coder", "with --html: the page of one annotator among the others", metavar="NAME"),
        Option("html_per_coder", "write the page of each annotator into this folder",
            metavar="DIR", file="out", folder=True),
    ),
    # What is written.
    *_of(
        "resegment", "output",
        Option("show", "draw the alignment of the N segments with the most errors", type=int,
            default=0, metavar="N", low=0, high=1_000_000),
    ),
    *_of(
        _WITH_TABLES, "output",
        *(
            Option("form", what, given=f"--{name}", const=name, alternatives="form")
            for name, what in (
                ("json", "JSON"),
                ("csv", "one tidy table as CSV"),
                ("markdown", "Markdown"),
                ("latex", "LaTeX"),
            )
        ),
    ),
    *_of(
        "score, agree, resegment", "output",
        Option("form", "sentences for a paper: figures, intervals, tests, method and version",
            given="--sentence", const="sentence", alternatives="form"),
    ),
    *_of(
        "look", "output",
        Option("form", "JSON", given="--json", const="json"),
        Option("output", "write to this file instead of standard output", short="-o",
            metavar="FILE", file="out"),
    ),
    *(
        Option("table", "which table --csv writes", (command,), choices=tables, section="output")
        for command, tables in {
            "score": ("scores", "per-text", "by-group", "comparisons", "rankings", "counts",
                "reliability"),
            "edits": ("edits",),
            "diff": ("diff", "texts"),
            "agree": (
                "agreement", "texts", "coders", "matrix", "without", "types", "levels", "speakers",
                "ceiling", "differences", "consensus", "verdicts", "systems",
                "against-consensus", "contrasts", "confusions", "operations",
            ),
            "resegment": ("scores", "documents", "comparisons", "rankings", "counts", "segments",
                          "ambiguity", "boundaries", "correlation", "statistics"),
            "tune": ("tune", "folds", "curve"),
            "probe": ("cards", "grid", "curves", "correlations"),
        }.items()
    ),
    *_of(
        "score, edits, agree, resegment, convert, probe, tune", "output",
        Option("quiet", "do not print how the files were read", short="-q", type=bool,
            default=False),
    ),
    *_of(
        "score, edits, diff, agree, probe, reproduce", "output",
        Option("output", "write to this file instead of standard output", short="-o",
            metavar="FILE", file="out"),
    ),
    *_of(
        "resegment", "output",
        Option("write", "the segments: text, one segment per line; .jsonl with offsets and times",
            short="-o", metavar="FILE", file="out"),
        Option("omnisteval", "JSON lines that omnisteval scores for latency", metavar="FILE",
            file="out"),
        Option("unit", "of its delays (default: the unit of the log)", choices=("word", "char")),
    ),
    *_of(
        "tune", "output",
        Option("write", "write the threshold, for score --threshold FILE", short="-o",
            metavar="FILE", file="out", functions=("tune",)),
    ),
    *_of(
        "score, agree, resegment, probe, reproduce, tune", "output",
        Option("html", "also write one self-contained page for the browser", metavar="FILE",
            file="out"),
    ),
)  # fmt: skip


# Fields of signatures that no option sets: what a file had, or what was computed.
_FOUND: Mapping[str, Mapping[str, str]] = {
    "norm": {"nfkc": "characters that Unicode calls compatible were the same (NFKC)"},
    "repeats": {"dropped": "repeated captions were removed"},
    "empty": {"missing": "an empty tier was no annotation"},
    "unannotated": {"missing": "a text without regions was no annotation"},
    "offsets": {"utf-16": "offsets counted UTF-16 code units"},
    "places": {"found": "positions were found by searching for the texts of the segments"},
    "segments": {},
    "draws": {},
    "tuned": {},
    "fencepost": {},
}

# Every field of a signature that is no setting of the metric, with the meanings of its values.
SIGNATURE_FIELDS: Mapping[str, Mapping[str, str]] = {
    **{
        name: {
            key: said
            for one in OPTIONS
            if one.signature == name
            for key, said in one.meanings.items()
        }
        for name in dict.fromkeys(one.signature for one in OPTIONS)
        if name is not None
    },
    **_FOUND,
}


def options_of(command: str) -> list[Option]:
    """The options of a command, in the order of its help."""
    return [one for one in OPTIONS if command in one.commands]


def options_for(function: str) -> dict[str, Option]:
    """The options that a Python function takes, by name."""
    return {one.name: one for one in OPTIONS if function in one.functions}


def find_option(name: str, function: str = "", command: str = "") -> Option:
    """The option of this name that a function or a command takes."""
    return next(
        one
        for one in OPTIONS
        if one.name == name
        and (not function or function in one.functions)
        and (not command or command in one.commands)
    )


def complaints(function: str, given: Mapping[str, Any]) -> Iterable[str]:
    """Sentences about the values that a function does not accept."""
    known = options_for(function)
    return filter(None, (known[name].wrong(value) for name, value in given.items()))
