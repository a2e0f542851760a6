"""Signatures given back: what they ask for, and whether a table keeps to it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence, Set
from typing import Any

from fencepost.cli.common import UsageError
from fencepost.cli.groups import Groups, read_groups
from fencepost.cli.scorepage import is_compared
from fencepost.metrics.registry import Recipe, parse, parse_signature, version_note
from fencepost.metrics.signature import Signature
from fencepost.model.checks import FencepostError
from fencepost.scoring.count import BASELINES, DEFAULT_METRICS, average_of
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import METHODS
from fencepost.statistics.resampling import RESAMPLES


def check_signature(text: str, table: Table) -> list[str]:
    """Refuse data that cannot be scored under exactly the recipe that was asked for.

    What follows from the data and the other systems, not from the recipe, is said.
    """
    about_intervals = (
        "fencepost", "bs", "group", "test", "against", "pairs", "adjust", "seed"
    )  # fmt: skip
    fields = Signature(text.strip()).fields
    wanted = {k: v for k, v in fields.items() if k not in about_intervals}
    own = [row["signature"] for row in table.rows if row["system"] not in BASELINES]
    if "comparisons" in table.parts:
        own += table.part("comparisons").column("signature")
    if not any(wanted.items() <= signature.fields.items() for signature in own):
        odd = {k: v for k, v in wanted.items() if own[0].fields.get(k) != v}
        missing = ", ".join(f"{k}:{v}" for k, v in odd.items())
        raise FencepostError(
            f"these files cannot be scored so: the signature says {missing}, they give {own[0]}"
        )
    notes = []
    if "test" in fields and not {"against", "pairs"} & set(fields) and is_compared(table):
        against = table.part("comparisons").facts["against"]
        said = f"all are compared with {against}" if against else "every two are compared"
        notes.append(f"the signature does not say which systems were compared: here {said}")
    if "adjust" in fields and "comparisons" in table.parts:
        family = table.part("comparisons").facts["family"]
        how, _, size = fields["adjust"].partition(",")
        if how != "none" and size != str(family):
            notes.append(
                f"the signature adjusts p over {size} comparisons, here there are {family}: "
                "adjusted p are other ones"
            )
    method = fields.get("bs", "").partition(",")[0]
    same = [s.fields for s in own if wanted.items() <= s.fields.items() and "bs" in s.fields]
    if method and all(one["bs"].partition(",")[0] != method for one in same):
        notes.append(f"the signature has intervals by {method}, which these texts do not allow")
    return notes


def asked(args: argparse.Namespace) -> tuple[list[Recipe], Any, Any, list[str]]:
    """Recipes and how to combine texts, from -m or from signatures."""
    if not args.signature:
        names = args.metrics or DEFAULT_METRICS
        return [parse(name) for name in names], args.average or "macro", args.missing, []
    if args.metrics or args.like or args.conventions:
        raise UsageError(
            "--signature says all about the metric; leave -m, --like and --conventions away"
        )
    recipes, notes = [], []
    contexts: list[dict[str, str]] = []
    for text in args.signature:
        recipe, context = parse_signature(text)
        recipes.append(recipe)
        contexts.append(context)
        notes += [note for note in [version_note(context)] if note]
    _averaged_as(list(zip(recipes, contexts, strict=True)), args)
    for field, option in (
        ("missing", "missing"),
        ("flags", "flags"),
        ("threshold", "threshold"),
        ("gaps", "gaps"),
        ("overlap", "overlap"),
        ("levels", "levels"),
        ("tiers", "tiers"),
        ("as", "encoding"),
        ("seed", "seed"),
    ):
        values = {c[field] for c in contexts if field in c}
        if len(values) > 1:
            raise UsageError(
                f"the signatures differ in {field} ({', '.join(sorted(values))}); "
                "score them one by one"
            )
        if values:
            value = values.pop()
            given = getattr(args, option)
            unsaid = {"missing": "error", "seed": 12345}.get(option)
            if str(given) not in (str(unsaid), value):
                name = field if field == "as" else option
                raise UsageError(f"the signature says {field}:{value}, --{name} says {given}")
            typed = {"seed": int, "threshold": float}.get(field, str)
            setattr(args, option, typed(value))
    notes += _resampled_as(contexts, args)
    notes += _tested_as(contexts, args)
    return recipes, args.average or "macro", args.missing, notes


def _averaged_as(
    signed: Sequence[tuple[Recipe, Mapping[str, str]]], args: argparse.Namespace
) -> None:
    """The average as the signatures say; both, where they are those of both."""
    average = average_of(signed)
    if average and args.average not in (None, average):
        raise UsageError(f"the signature says avg:{average}, --average says {args.average}")
    args.average = average or args.average


def _resampled_as(contexts: Sequence[Mapping[str, str]], args: argparse.Namespace) -> list[str]:
    """Intervals as the signatures say: bs:t,10000."""
    parts = [c["bs"].split(",") for c in contexts if "bs" in c]
    methods = {part[0] for part in parts}
    if methods == {"t", "percentile"}:
        methods -= {"percentile"}  # to which the bootstrap-t gives way by itself
    method = _one_of(methods, "bs")
    over = _one_of({",".join(part[2:]) for part in parts}, "bs")
    if args.no_intervals and method:
        raise UsageError(f"the signature says bs:{method}, --no-intervals leaves them out")
    if over:
        _bring(args, "resample", over, "texts")
    elif method:
        if method not in METHODS:
            raise UsageError(f"the signature says bs:{method}, which is no method of intervals")
        _bring(args, "method", method)
    tests = [c["test"].split(",") for c in contexts if "test" in c]
    counts = {part[1] for part in (*parts, *tests) if len(part) > 1 and part[1] != "exact"}
    count = _one_of(counts, "the number of resamples")
    if count:
        if not count.isdigit():
            raise UsageError(f"the signature says {count!r} resamples, which is no number")
        _bring(args, "resamples", int(count), RESAMPLES)
    groups = {c.get("group", "") for c in contexts if "bs" in c or "test" in c}
    args.signed_group = _one_of(groups, "group") if groups else None
    # Tables have intervals unless they are left out; a bare recipe says nothing of them.
    of_tables = all("avg" in c and "fencepost" in c for c in contexts)
    if parts or not of_tables or args.no_intervals or args.method or args.resample != "texts":
        return []
    args.no_intervals = True
    return ["the signature has no intervals (no bs), so there are none here; --method adds them"]


def _tested_as(contexts: Sequence[Mapping[str, str]], args: argparse.Namespace) -> list[str]:
    """Comparisons as the signatures say: test:randomization,10000, against:bert, adjust:holm,4."""
    test = _one_of({c["test"].partition(",")[0] for c in contexts if "test" in c}, "test")
    adjust = _one_of({c["adjust"].partition(",")[0] for c in contexts if "adjust" in c}, "adjust")
    if test:
        _bring(args, "paired", test)
    if adjust:
        _bring(args, "adjust", adjust)
    against = _one_of({c["against"] for c in contexts if "against" in c}, "against")
    pairs = _one_of({c["pairs"] for c in contexts if "pairs" in c}, "pairs")
    if (against or args.baseline is not None) and (pairs or args.all_pairs):
        raise UsageError(
            f"against {against or args.baseline} or every two systems: the signatures and options "
            "ask for both comparisons"
        )
    args.all_pairs = args.all_pairs or bool(pairs)
    if args.baseline is None:
        args.baseline = against or None
    elif against and args.baseline != against:  # files may have other names than they had
        return [f"the signature compares with {against}, here it is {args.baseline}"]
    return []


def _one_of(values: Set[str], field: str) -> str:
    """The one value that signatures agree on; nothing where none has any."""
    if len(values) > 1:
        said = ", ".join(sorted(value or "none" for value in values))
        raise UsageError(f"the signatures differ in {field} ({said}); score them one by one")
    return next(iter(values), "")


def _bring(args: argparse.Namespace, option: str, value: Any, unsaid: Any = None) -> None:
    """Set an option as the signature says, unless another value is asked for."""
    given = getattr(args, option)
    if given not in (unsaid, value):
        raise UsageError(f"the signature says {value}, --{option} says {given}")
    setattr(args, option, value)


def groups_of(args: argparse.Namespace) -> Groups | None:
    """The groups asked for; those of the signature, if there is one."""
    signed = getattr(args, "signed_group", None)
    if args.group:
        groups = read_groups(args.group, args.refs, args.id_field)
        if signed == "":
            raise UsageError(
                "the signature resamples texts, --group resamples groups: one of the two"
            )
        if signed not in (None, "given", groups.name):  # those of Python are called given
            raise UsageError(f"the signature says group:{signed}, --group says {args.group}")
        return groups
    if not signed:
        return None
    try:
        return read_groups(signed, args.refs, args.id_field)
    except FencepostError:
        raise UsageError(
            f"the signature says group:{signed}: whole groups of texts were resampled, and these "
            "files do not have them; give them with --group FILE, a CSV file text,group"
        ) from None
