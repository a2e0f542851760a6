"""fencepost score of many files, batch by batch: 'big/*.parquet' --columns ref=gold,hyp=c256."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from fencepost.batch.joins import TYPES_OF_ONE_TABLE, Hypotheses
from fencepost.batch.plan import ENCODINGS, OF_ENCODING, Plan
from fencepost.batch.runs import score_shards
from fencepost.batch.shards import files_of, has_numbers, real_place
from fencepost.cli.gates import is_missed, is_worse_than_saved, read_gates, read_saved, split_gates
from fencepost.cli.inputs import Inputs, names_of
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import command_line, output
from fencepost.cli.score import write_scores
from fencepost.cli.signatures import check_signature
from fencepost.metrics.registry import Recipe
from fencepost.model.checks import FencepostError
from fencepost.options import Columns, options_of
from fencepost.scoring.counts import save
from fencepost.scoring.summary import Choices
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import NORMAL_ABOVE_TEXTS
from fencepost.wording import listed, plural

# What a run over batches takes; other options look at all texts together.
TAKEN = {
    "refs", "hyps", "hyp_columns", "missing", "columns", "ref_field", "hyp_field", "id_field",
    "units_field", "encoding", "flags", "gaps", "overlap", "metrics", "like", "signature", "types",
    "costs", "average", "save", "resume", "strict", "dask", "gate", "form", "table", "output",
    "quiet", "baselines", "intervals", "method", "resamples", "seed", "type_names",
}  # fmt: skip
UNITS = "units"  # the column of units where none is named
MEANINGS = {
    "masses": "segment sizes",
    "positions": "positions of boundaries",
    "bits": "a 0 or 1 per position between units",
    "flags": "a 0 or 1 per unit",
    "spans": "spans from a start to an end",
}


def run_files(args: Arguments, given: Arguments, recipes: list[Recipe], notes: list[str]) -> int:
    """Score, write; 1 if a file could not be read, 3 if a gate is missed.

    ``given`` are the arguments without what signatures brought.
    """
    _check_taken(args, given)
    inputs = Inputs(args)
    recipes = inputs.with_costs(recipes)
    limits, baselines = split_gates(args.gate)
    saved = read_saved(baselines)
    gates = read_gates(limits, recipes)
    others = _hypotheses(args, inputs)
    plan = _plan(args, inputs, recipes, others)
    as_file = bool(args.save) and args.save.endswith((".csv", ".parquet"))
    if as_file and args.resume:
        raise UsageError(f"--resume needs the folder of a run: --save DIR, found {args.save}")
    folder = None if as_file else args.save
    _check_outputs(args, others)
    table = score_shards(
        list(args.refs), plan, hyp=others or None, save=folder, resume=args.resume,
        strict=args.strict, progress=True, dask=args.dask,
        few=_too_many(args.save) if as_file else _too_many_compared(baselines),
        choices=Choices(plan.averaging, args.intervals, args.method, args.resamples, args.seed),
    )  # fmt: skip
    for text in args.signature or ():
        notes += check_signature(text, table)
    files, broken = table.facts["files"], table.facts["broken_files"]
    sides = f"{plan.ref} is the reference, {listed(plan.systems, 9, ' and ')} the " + (
        "system" if len(plan.systems) == 1 else "systems"
    )
    met = f", joined by {plan.text} with {listed([o.name for o in others], 9)}" if others else ""
    text = f"text, units in {plan.units}" if plan.units else "text"
    line = f"{plural(files, 'file')}{met}, one row per {text}: {sides} ({MEANINGS[plan.encoding]})"
    line += f", boundary types in {listed(list(plan.kinds.values()), 9)}" * bool(plan.kinds)
    facts = {"reading_lines": [line], **table.facts}
    table = replace(table, facts=facts, notes=(*dict.fromkeys(notes), *table.notes))
    with output(args) as stream:
        write_scores(args, table, stream)
    if as_file:
        _save_counts(table, args.save)
    worse = is_worse_than_saved(table, saved, args.average or "macro")
    missed = bool(gates) and is_missed(table, gates)  # each says what it finds
    return 3 if worse or missed else 1 if broken else 0


def _check_taken(args: Arguments, given: Arguments) -> None:
    """Refuse what looks at all texts together, whether it is asked for or in a signature."""
    for one in options_of("score"):
        value = getattr(args, one.name)
        if one.name in TAKEN or value == one.default:
            continue
        if getattr(given, one.name) != one.default:
            raise UsageError(
                f"{one.flag} does not apply to a run over many files; remove it, or score the "
                "files one by one"
            )
        raise UsageError(
            f"the signature asks for {one.flag} {value}, which does not apply to a run over many "
            "files; score the files one by one"
        )
    for name, fits in OF_ENCODING.items():
        value = getattr(args, name)
        if value is not None and getattr(given, name) is None and args.encoding not in (None, fits):
            raise UsageError(
                f"the signature says {name}:{value}, which is for --encoding {fits}, and "
                f"--encoding says {args.encoding}"
            )
    if getattr(args, "signed_group", None):
        raise UsageError(
            f"the signature says group:{args.signed_group}, and a run over many files resamples no "
            "groups; score the files one by one"
        )


def _check_outputs(args: Arguments, others: Sequence[Hypotheses]) -> None:
    """Refuse what would take the place of an input that a pattern names."""
    outputs = {"--save": args.save, "-o": args.output}
    written = [(flag, path) for flag, path in outputs.items() if path and os.path.isfile(path)]
    if written:
        given: list[Any] = [args.refs, *(one.files for one in others)]
        read = {real_place(path) for files in given for path in files_of(files)}
        for flag, path in written:
            if real_place(path) in read:
                raise UsageError(f"{flag} would overwrite the input file {path}")


def _too_many(path: str) -> str:
    return (
        f"--save {path} is for up to {NORMAL_ABOVE_TEXTS:,} texts, and there are more; --save DIR "
        "has no limit"
    )


def _too_many_compared(files: Sequence[str]) -> str:
    if not files:
        return ""
    return (
        f"--gate {files[0]} compares text by text, up to {NORMAL_ABOVE_TEXTS:,} texts, and there "
        "are more; give fewer files, or a limit (--gate METRIC=VALUE)"
    )


def _save_counts(table: Table, path: str) -> None:
    """Write the rows of counts as one file, which --gate and --counts read."""
    if "counts" not in table.parts:
        raise FencepostError(_too_many(path))
    save(table.part("counts"), path)


def quoted_command(refs: Sequence[str], hyps: Sequence[str]) -> str:
    """Return the command that was given, with a pattern in quotes for the files of each folder.

    What it says of missing texts is about files that were taken for annotators.
    """
    found = shlex.split(command_line())
    if "--missing" in found:
        at = found.index("--missing")
        del found[at : at + 2]
    for files in (refs, hyps):
        first = found.index(files[0])
        found[first : first + len(files)] = _patterns(files)
    return shlex.join(found)


def _patterns(files: Sequence[str]) -> list[str]:
    """Return a pattern for the files of each folder, in their order."""
    folders: dict[str, list[str]] = {}
    for path in files:
        folders.setdefault(os.path.dirname(path), []).append(os.path.basename(path))
    return [os.path.join(folder, _pattern(folder, names)) for folder, names in folders.items()]


def _pattern(folder: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    ending = names[0][names[0].index(".") :]
    every = {name for name in os.listdir(folder or ".") if name.endswith(ending)}
    if every == set(names):
        return f"*{ending}"
    alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*names, strict=False))
    return "".join(signs[0] for signs in alike) + f"*{ending}"


def _hypotheses(args: Arguments, inputs: Inputs) -> list[Hypotheses]:
    """Return the tables after -i, each with its systems, named as those of single files are."""
    made = []
    for name, path in zip(_names_of(args.hyps), args.hyps, strict=True):
        columns = inputs.columns(path, "hyp")
        _check_roles(columns)
        if {"ref_types", "hyp_types"} & columns.keys():
            raise UsageError(f"-i {path}: {TYPES_OF_ONE_TABLE}")
        given: Any = columns.get("hyp", "hyp")
        fields = given if isinstance(given, list) else [given]
        systems = {name if len(fields) == 1 else f"{name} {field}": field for field in fields}
        text: Any = columns.get("text")
        made.append(Hypotheses([str(path)], systems, text, str(path)))
    return made


def _names_of(paths: Sequence[str]) -> list[str]:
    """Return the names of systems; that of a pattern is its folder's, unless it is given one."""
    if not any(re.search(r"[*?\[]", Path(path).stem) for path in paths):
        return names_of(paths)
    names = [getattr(path, "system", None) or Path(path).parent.name for path in paths]
    for name, path in zip(names, paths, strict=True):
        if not name or names.count(name) > 1 or re.search(r"[*?\[]", name):
            raise UsageError(f"which system is -i {path}? Name it: -i NAME={path}")
    return names


def _check_roles(columns: Columns) -> None:
    unknown = set(columns) - {"ref", "hyp", "text", "units", "ref_types", "hyp_types"}
    if unknown:
        raise UsageError(
            f"--columns {min(unknown)}= does not apply to a run over many files: a row is a text, "
            "with ref=, hyp=, text=, units=, ref_types= and hyp_types="
        )


def _plan(
    args: Arguments, inputs: Inputs, recipes: list[Recipe], others: Sequence[Hypotheses]
) -> Plan:
    columns: Any = inputs.columns(args.refs[0])
    _check_roles(columns)
    if args.missing == "whole" or (args.missing == "skip" and not others):
        raise UsageError(
            f"--missing {args.missing} does not apply to a run over many files; tables that are "
            "joined (-i) take --missing skip"
        )
    if args.encoding not in ENCODINGS:
        raise UsageError(
            "a run over many files needs to know what its lists are: --encoding "
            f"{listed(ENCODINGS, 9, ' or ')}"
        )
    ref = columns.get("ref", "ref")
    hyp = [name for one in others for name in one.columns or ()] or columns.get("hyp", "hyp")
    units = columns.get("units")
    # Single files have the units of a text in a column of that name, too.
    if units is None and has_numbers(files_of(args.refs)[0], UNITS):
        units = UNITS
    return Plan(
        ref, hyp, encoding=args.encoding, metrics=recipes,
        average=args.average or "macro", text=columns.get("text"), units=units,
        missing=args.missing, flags=args.flags, gaps=args.gaps, overlap=args.overlap,
        like=args.like, types=args.types, kinds=_types(columns, ref, hyp),
        kind_names=args.type_names,
    )  # fmt: skip


def _types(columns: Columns, ref: str, hyp: Any) -> dict[str, str]:
    """Return the column of boundary types beside each column of positions; none without types."""
    own: Any = columns.get("hyp_types", [])
    types, systems = ([one] if isinstance(one, str) else one for one in (own, hyp))
    if not types and "ref_types" not in columns:
        return {}
    if "ref_types" not in columns or len(types) != len(systems):
        raise UsageError(
            f"boundary types need a column for {ref} and for each of {listed(systems, 9)}: "
            f"--columns ref_types=NAME{',hyp_types=NAME' * len(systems)}, in the same order"
        )
    return {ref: columns["ref_types"], **dict(zip(systems, types, strict=True))}
