"""Reading what a command is given: references, hypotheses, costs."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencepost.cli.options import Arguments, UsageError
from fencepost.files import read_whole
from fencepost.formats import MEANT_FOR, read, read_bytes
from fencepost.metrics.registry import Recipe, parse
from fencepost.model.corpus import Corpus, Key
from fencepost.model.join import words_that_differ
from fencepost.model.reading_lines import FileRead, reading_lines
from fencepost.options import Columns, find_option, gather_columns, options_of, write_columns
from fencepost.report.text import working

if TYPE_CHECKING:
    from fencepost.metrics.costs import Costs

SYSTEMS_BY_TEXT = "segment sizes by system and text"


class Inputs:
    """The files of one command, read as its options say."""

    def __init__(self, args: Arguments) -> None:
        self.args = args
        self._idle: set[str] | None = None  # options that no file so far had a use for
        self._read: list[FileRead] = []
        self._hypothesis: Corpus | None = None  # the first, or the only file of a command

    def columns(self, path: str, side: str = "ref") -> Columns:
        """Return the columns of a file by role: its own, those of its side, those of all files."""
        args = self.args
        try:
            columns = gather_columns(vars(args), options_of(args.command))
        except ValueError as error:
            raise UsageError(str(error)) from None
        if side == "hyp" and args.hyps:
            columns |= args.hyp_columns or {}
        own = getattr(path, "columns", {})
        wrong = find_option("columns", command=args.command).wrong(own)
        if wrong:
            raise UsageError(f"{path}: {wrong}")
        columns |= own
        if not hasattr(args, "hyps") and "hyp" in columns:
            raise UsageError(
                f"fencepost {args.command} reads one segmentation: --columns ref=NAME; --coders "
                "chooses several annotators"
            )
        return columns

    def read(self, path: str, field: str | None = None, side: str = "ref") -> Corpus:
        """Read one file, a folder, or - for standard input; ``field`` has the segmentation."""
        columns = self.columns(path, side)
        columns = {role: name for role, name in columns.items() if role not in ("ref", "hyp")}
        choices = {
            name: value
            for name, value in self.args.of("read").items()
            if find_option(name, "read").spells is None
        }
        choices |= {"columns": columns | ({side: field} if field else {}), "default_field": side}
        if side == "hyp":
            choices.pop("coders", None)  # which are those of the references
        format, pattern = choices.pop("format"), choices.pop("path_pattern")
        if side == "hyp" and self.args.hyps:
            format = self.args.hyp_format or format
        idle: set[str] = set()
        with working(f"reading {path}"):
            if path == "-":
                corpus = read_bytes(self._stdin, "stdin", format, idle=idle, **choices)
            else:
                own = pattern if Path(path).is_dir() else None
                corpus = read(path, format, path_pattern=own, idle=idle, **choices)
        if pattern is not None and not Path(path).is_dir():
            idle.add("path_pattern")
        self._check_strangers(corpus, choices)
        self._idle = idle if self._idle is None else idle & self._idle
        self._read.append(self._as_shown(FileRead.of(corpus), path))
        if self._hypothesis is None and (side == "hyp" or not hasattr(self.args, "hyps")):
            self._hypothesis = corpus
        return corpus

    def _check_strangers(self, corpus: Corpus, choices: dict[str, Any]) -> None:
        """Raise UsageError for metrics that another tool lacks, where its strings were read."""
        like = choices.get("like")
        if like is None or choices["encoding"] or "encoding" not in corpus.source.choices:
            return
        for name in self.args.metrics or ():
            metric = parse(name).metric
            if like not in metric.presets:
                raise UsageError(
                    f"{corpus.source.file}: --like {like} reads 0/1 per unit as strings with one "
                    f"sign per position, which {metric.title} would take for other units. Score "
                    f"{name} without --like, or declare --flags"
                )

    def _as_shown(self, read: FileRead, path: str) -> FileRead:
        """Return what is said of a file: what options use, without names that are not shown."""
        args = self.args
        if getattr(args, "anonymize", False) and path not in args.hyps:
            return read.anonymous("annotations" if args.command == "agree" else "reference")
        if getattr(args, "rename", None):
            return read.anonymous()
        # The field of groups, asked for or in a signature, is read from the records later.
        used = {getattr(args, "group", None), getattr(args, "signed_group", None)}
        left = tuple(name for name in read.source.ignored if name not in used)
        return read._replace(source=replace(read.source, ignored=left))

    def reading_lines(self) -> list[str]:
        """Return how the files were read: one line for all files that were read alike."""
        return reading_lines(self._read)

    @cached_property
    def _stdin(self) -> bytes:
        """Standard input, which can be read once; both sides may be in it."""
        return sys.stdin.buffer.read()

    def only(self, path: str) -> Corpus:
        """Read the only file of a command."""
        corpus = self.read(path, self.columns(path).get("ref"))
        self.check_idle()
        return corpus

    def check_idle(self) -> None:
        """Raise UsageError for options of reading that apply to none of the files.

        What a signature brings along is compared with the files later, in its own words.
        """
        signed = "".join(getattr(self.args, "signature", None) or ())
        idle = {name for name in self._idle or () if f"|{name}:" not in signed}
        if not idle:
            return
        # What values are comes before what they are for, and last is how they are written.
        first = ("probabilities", "threshold")
        name, _, role = min(
            idle, key=lambda one: (one not in first, one == "encoding", one)
        ).partition(".")
        if name == "probabilities" and self.args.command == "tune":  # which asks for them itself
            raise UsageError(
                f"no file holds probabilities{self._about_sizes()}. fencepost tune finds their "
                "threshold: give a hypothesis with numbers from 0 to 1, one per position or one "
                "per unit"
            )
        flag = find_option(name, command=self.args.command).flag
        if name == "without":
            raise UsageError(f"{flag} {role}: no file has a column or annotator of this name")
        said = f"{flag} {role}=..." if role else flag
        why = f": no file holds {MEANT_FOR[name]}" if name in MEANT_FOR else " to what was read"
        why += self._about_sizes() if name in first else ""
        raise UsageError(f"{said} does not apply{why}; remove it, or choose the format with --from")

    def _about_sizes(self) -> str:
        """Return what to add about whole numbers of a hypothesis that are no probabilities."""
        from fencepost.formats.built import about_sizes

        return "" if self._hypothesis is None else about_sizes(self._hypothesis)

    def references(self) -> Corpus:
        """Read all reference files as one corpus; with several files each is an annotator."""
        args = self.args
        if args.hyps.count("-") + args.refs.count("-") > 1:
            raise UsageError("- is standard input, which only one file can be")
        fields = [self.columns(path).get("ref") for path in args.refs]
        parts = [self.read(path, field) for path, field in zip(args.refs, fields, strict=True)]
        if len(parts) == 1:
            (field,) = fields
            both_here = not args.hyps and field is not None
            return parts[0].described(name=field) if both_here else parts[0]
        names = names_of(args.refs)
        entries: dict[Key, Any] = {}
        tokens: dict[tuple[str, str], Any] = {}
        notes = list(parts[0].source.notes)
        single = all(len(part.texts) == 1 for part in parts)
        for name, part in zip(names, parts, strict=True):
            several = len(part.coders) > 1
            for key, seg in part.entries.items():
                coder = f"{name} {key.coder}" if several else name
                text = parts[0].texts[0] if single else key.text
                entries[key._replace(text=text, coder=coder)] = seg
            own = part.renamed(parts[0].texts[0]).tokens if single else part.tokens
            notes += words_that_differ(tokens, own, (names[0], name), parts[0].unit)
            tokens = {**own, **tokens}
        return parts[0].with_entries(entries, tokens, name=" + ".join(names), notes=tuple(notes))

    def systems(self, reference: Corpus) -> dict[str, Corpus]:
        """Read hypotheses by system: files after -i, or fields of the file of the reference."""
        args = self.args
        if not args.hyps:
            if len(args.refs) != 1:
                raise UsageError(self._no_hypothesis())
            fields = self._hyp_fields(args.refs[0])
            corpora = {(f or "hyp"): self.read(args.refs[0], f, "hyp") for f in fields}
            columns = {corpus.source.field for corpus in corpora.values()}
            if None in columns or (fields == [None] and columns == {reference.source.field}):
                # A file without named fields has one side only, or annotators.
                first, *others = reference.coders
                way = f"; or compare annotators: --columns ref={first},hyp={''.join(others[:1])}"
                raise UsageError(self._no_hypothesis() + (way if others else ""))
            return {name: c.described(name=name) for name, c in corpora.items()}
        systems = {}
        for name, path in zip(names_of(args.hyps), args.hyps, strict=True):
            fields = self._hyp_fields(path)
            for field in fields:
                label = name if len(fields) == 1 else f"{name} {field}"
                corpus = self.read(path, field, "hyp")
                inner = _inner_systems(corpus, reference)
                if inner:  # what a file by text and annotator looks like is by system and text
                    source = corpus.described(shape=SYSTEMS_BY_TEXT).source
                    self._read[-1] = FileRead(source)
                systems.update(inner or {label: corpus.described(name=label)})
        return systems

    def _no_hypothesis(self) -> str:
        """Return what to do where there are references alone: the command again, and -i."""
        files = [shlex.quote(getattr(one, "given", one)) for one in self.args.refs] or ["REF"]
        command = f"fencepost {self.args.command} {' '.join(files)} -i HYP"
        return f"no hypothesis: give files after -i: {command}"

    def _hyp_fields(self, path: str) -> list[str | None]:
        """Return the columns of systems in a file; none is named where they are not."""
        named = self.columns(path, "hyp").get("hyp")
        fields: list[str | None] = named if isinstance(named, list) else [named]
        if len(set(fields)) < len(fields):
            raise UsageError(f"--columns {write_columns({'hyp': fields})}: a column is named twice")
        return fields

    def with_costs(self, recipes: list[Recipe]) -> list[Recipe]:
        """Return the recipes with the costs of --costs or --learn-costs, where they have costs."""
        costs: Any = self.args.costs
        if costs is None and self.args.learn_costs is None:
            return recipes
        if costs is not None and self.args.learn_costs is not None:
            raise UsageError("--costs and --learn-costs exclude each other: give one of the two")
        from fencepost.metrics.costs import NAMED, Costs

        taken = [one for one in recipes if {"costs", "substitution"} & one.metric.params.keys()]
        if not taken:
            raise UsageError("--costs is for metrics with costs of types: -m Sf, SfB, B or S")
        if costs is None:
            from fencepost.coders.annotations import Annotations

            pairs = Annotations.of(self.read(self.args.learn_costs)).pairs()
            costs = Costs.from_confusions(
                (pairs.segmentation(row, "ref"), pairs.segmentation(row, "hyp"))
                for row in range(len(pairs))
            )
        elif costs not in NAMED:
            # Two similarities of a pair need a metric that has a direction.
            directed = all(one.settings.get("symmetric") is False for one in taken)
            costs = Costs.read(costs, symmetric=not directed)
        else:
            costs = NAMED[costs]()
        if costs.kinds is None and any("costs" in one.metric.params for one in taken):
            taken = [one for one in taken if "costs" in one.metric.params]  # B has rules of its own
        return [_with_costs(one, costs) if one in taken else one for one in recipes]


def _with_costs(recipe: Recipe, costs: Costs) -> Recipe:
    """Return a recipe with these costs; B and S have the prices of substitutions alone."""
    settings = recipe.settings
    if "costs" in recipe.metric.params:
        return recipe.metric.recipe(**{**settings, "costs": costs})
    if settings["substitution"] != "auto" or settings["types"] is not None:
        raise UsageError(
            f"--costs has prices of substitutions for {recipe.metric.name}, and so have its "
            "settings (substitution, --types): give one of the two"
        )
    prices = costs.substitutions()
    if prices is None:
        raise UsageError(
            f"--costs {costs.name} has no prices for {recipe.metric.name}, which needs prices "
            "of single types: a square CSV or JSON; --types declares an order"
        )
    return recipe.metric.recipe(**{**settings, "substitution": prices})


def _inner_systems(corpus: Corpus, reference: Corpus) -> dict[str, Corpus]:
    """The systems of a file {system: {text: sizes}}, where other files have texts."""
    if len(corpus.coder_names) < 2:
        return {}
    texts = set(reference.texts)
    if not set(corpus.coders) <= texts or set(corpus.texts) & texts:
        return {}
    return corpus.by_text()


def names_of(paths: Sequence[str]) -> list[str]:
    """Return the names that systems are given, or short names of their files.

    These are without folder and ending, unless that makes two the same.
    """
    given = [getattr(p, "system", None) for p in paths]
    short = [name or ("stdin" if p == "-" else Path(p).stem)
             for name, p in zip(given, paths, strict=True)]  # fmt: skip
    if len(set(short)) == len(short):
        return short
    longer = [name or p.rstrip("/") for name, p in zip(given, paths, strict=True)]
    if len(set(longer)) < len(longer):
        twice = next(p for p in longer if longer.count(p) > 1)
        raise UsageError(f"{twice} is given twice")
    return longer


def read_csv(path: str) -> list[dict[str, str]]:
    """Return the rows of a small table that goes with the files, by the names of its columns."""
    import csv

    data = read_whole(path, UsageError)
    try:
        text = io.StringIO(data.decode("utf-8-sig"), newline="")
        return list(csv.DictReader(text))
    except (UnicodeDecodeError, csv.Error):
        raise UsageError(f"{path} cannot be read: not a CSV in UTF-8") from None
