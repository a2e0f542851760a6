"""fencepost score of many files, batch by batch: 'big/*.parquet' --columns ref=gold,hyp=c256."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fencepost.batch.plan import ENCODINGS, Plan
from fencepost.batch.runs import score_files
from fencepost.cli.gates import is_missed, is_worse_than_saved, read_gates, split_gates
from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import output
from fencepost.cli.score import write_scores
from fencepost.metrics.registry import Recipe
from fencepost.options import options_of
from fencepost.wording import listed, plural

# What a run over batches takes; other options look at all texts together.
TAKEN = {
    "refs", "columns", "ref_field", "hyp_field", "id_field", "units_field", "encoding", "flags",
    "gaps", "overlap", "metrics", "like", "signature", "types", "costs", "average", "save",
    "resume", "strict", "dask", "gate", "form", "table", "output", "quiet", "baselines",
}  # fmt: skip
MEANINGS = {
    "masses": "segment sizes",
    "positions": "positions of boundaries",
    "bits": "a 0 or 1 per position between units",
    "flags": "a 0 or 1 per unit",
    "spans": "spans from a start to an end",
}


def run_files(args: Arguments, recipes: list[Recipe], notes: list[str]) -> int:
    """Score, write; 1 if a file could not be read, 3 if a gate is missed."""
    if args.hyps:
        raise UsageError(
            "-i does not apply to a run over many files (a pattern, --resume, --strict, --dask). "
            "Its systems are columns: --columns ref=NAME,hyp=NAME"
        )
    for one in options_of("score"):
        if one.name not in TAKEN and getattr(args, one.name) != one.default:
            raise UsageError(
                f"{one.flag} does not apply to a run over many files; remove it, or score the "
                "files one by one"
            )
    inputs = Inputs(args)
    recipes = inputs.with_costs(recipes)
    limits, saved = split_gates(args.gate)
    gates = read_gates(limits, recipes)
    plan = _plan(args, inputs, recipes)
    table = score_files(
        list(args.refs), plan, save=args.save, resume=args.resume, strict=args.strict,
        progress=True, dask=args.dask,
    )  # fmt: skip
    files, broken = table.facts["files"], table.facts["broken_files"]
    sides = f"{plan.ref} is the reference, {listed(plan.systems, 9, ' and ')} the " + (
        "system" if len(plan.systems) == 1 else "systems"
    )
    line = f"{plural(files, 'file')}, one row per text: {sides} ({MEANINGS[plan.encoding]})"
    facts = {"reading_lines": [line], **table.facts}
    table = replace(table, facts=facts, notes=(*dict.fromkeys(notes), *table.notes))
    with output(args) as stream:
        write_scores(args, table, stream)
    worse = is_worse_than_saved(table, saved, args.average or "macro")
    if worse or (gates and is_missed(table, gates)):
        return 3
    return 1 if broken else 0


def _plan(args: Arguments, inputs: Inputs, recipes: list[Recipe]) -> Plan:
    columns = inputs.columns(args.refs[0])
    unknown = set(columns) - {"ref", "hyp", "text", "units"}
    if unknown:
        raise UsageError(
            f"--columns {min(unknown)}= does not apply to a run over many files: a row is a text, "
            "with ref=, hyp=, text= and units="
        )
    if args.encoding not in ENCODINGS:
        raise UsageError(
            "a run over many files needs to know what its lists are: --encoding "
            f"{listed(ENCODINGS, 9, ' or ')}"
        )
    hyp: Any = columns.get("hyp", "hyp")
    return Plan(
        columns.get("ref", "ref"), hyp, encoding=args.encoding, metrics=recipes,
        average=args.average or "macro", text=columns.get("text"), units=columns.get("units"),
        flags=args.flags, gaps=args.gaps, overlap=args.overlap, like=args.like, types=args.types,
    )  # fmt: skip
