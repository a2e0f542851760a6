"""Signatures given back: what they ask for, and whether a table keeps to it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any, get_args

from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.score_outputs import is_compared
from fencepost.metrics.edit import with_types
from fencepost.metrics.registry import Recipe, default_metrics, parse
from fencepost.metrics.signature import Context, Signature, version_notes
from fencepost.model.checks import FencepostError
from fencepost.model.join import BASELINES
from fencepost.options import (
    Method,
    Resample,
    find_option,
    gather_columns,
    options_of,
)
from fencepost.scoring.comparisons import OVER_RUNS
from fencepost.scoring.count import average_in, average_of
from fencepost.scoring.tables import Table

if TYPE_CHECKING:
    from fencepost.formats.groups import Groups


def check_signature(text: str, table: Table) -> list[str]:
    """Refuse data that cannot be scored under exactly the recipe that was asked for.

    What follows from the data and the other systems, not from the recipe, is said.
    """
    asked = Signature(text)
    context = asked.context
    own = [row["signature"] for row in table.rows if row["system"] not in BASELINES]
    if "comparisons" in table.parts:
        own += table.part("comparisons").column("signature")
    same = [one for one in own if one.recipe == asked.recipe and not _differences(asked, one)]
    if not same:
        other = next((one for one in own if one.recipe == asked.recipe), own[0])
        said = " and ".join(_differences(asked, other)) or f"is of {asked.recipe}"
        raise FencepostError(
            f"these files cannot be scored so: the signature {said}, they give {own[0]}"
        )
    notes = []
    if context.test and not (context.against or context.pairs) and is_compared(table):
        against = table.part("comparisons").facts["against"]
        said = f"all are compared with {against}" if against else "every two are compared"
        notes.append(f"the signature does not say which systems were compared: here {said}")
    if context.adjust and "comparisons" in table.parts:
        family = table.part("comparisons").facts["family"]
        how, _, size = context.adjust.partition(",")
        if how != "none" and size != str(family):
            notes.append(
                f"the signature adjusts p over {size} comparisons, here there are {family}: "
                "adjusted p are other ones"
            )
    method = context.bs.partition(",")[0]
    found = {one.context.bs.partition(",")[0] for one in same if one.context.bs}
    if method and method not in found:
        notes.append(f"the signature has intervals by {method}, which these texts do not allow")
    return notes


def _differences(asked: Signature, found: Signature) -> list[str]:
    """What a signature says that another does not; that of a table says all about its reading."""
    wanted, there = _fixed(asked), _fixed(found)
    odd = [f"{key}:{value}" for key, value in wanted.items() if there.get(key) != value]
    said = [f"says {', '.join(odd)}"] if odd else []
    if _is_of_table(asked.context):
        read = dict(found.context.reading) | (
            {"missing": m} if (m := found.context.missing) else {}
        )
        more = [f"{key}:{read[key]}" for key in read if key in there and key not in wanted]
        said += [f"does not say {', '.join(more)}"] if more else []
    return said


def _is_of_table(context: Context) -> bool:
    """Whether a signature is from a table of scores, which have all that was done."""
    return bool((context.avg or context.refs) and context.fencepost)


def _fixed(signature: Signature) -> dict[str, str]:
    """The fields that do not follow from the number of texts and systems, as intervals do."""
    context = signature.context._replace(
        bs="", group="", test="", against="", pairs="", adjust="", seed=""
    )
    fields = {**signature.recipe.written(), **context.written(signature.recipe.metric.params)}
    fields.pop("tuned", None)  # how a threshold was found, which is not what was done with it
    return fields


def asked(given: Arguments) -> tuple[Arguments, list[Recipe], list[str]]:
    """Return the arguments as the signatures want them, the recipes, and notes."""
    if not given.signature:
        return _averaged(given), _recipes(given), []
    args = Namespace(**vars(given), signed_group=None)
    excluded = given.given("metrics", "like", "types", "conventions")
    if excluded:
        raise UsageError(
            f"--signature has the metric and its settings in it: remove {', '.join(excluded)}"
        )
    signed = [Signature(text.strip()) for text in args.signature]
    recipes = [one.recipe for one in signed]
    contexts = [one.context for one in signed]
    notes = [note for one in signed for note in version_notes(one)]
    if given.command == "score":
        _averaged_as(signed, args)
    said = [{**dict(one.reading), **one.fields()} for one in contexts]
    for one in options_of(given.command):
        if one.signature is None or one.restore is None:
            continue
        value = _one_of({fields[one.signature] for fields in said if one.signature in fields},
                        one.signature)  # fmt: skip
        restored = one.restore(value) if value else None
        if restored is not None and not one.wrong(restored):
            _bring(args, one.name, restored)
    notes += _resampled_as(contexts, args)
    notes += _tested_as(contexts, args)
    return given.replace(**vars(args)), recipes, notes


def _recipes(args: Arguments) -> list[Recipe]:
    """The metrics asked for; those of words depend on what the streams have."""
    if args.command != "score":
        return []
    recipes = [parse(name) for name in args.metrics or default_metrics(args.like)]
    return with_types(recipes, args.types, required=args.by != "level")


def _averaged(args: Arguments) -> Arguments:
    """The arguments with the average of signatures among the metrics, as ``fp.score`` has it."""
    if args.command != "score" or args.average or args.conventions:
        return args
    return args.replace(average=average_in(args.metrics or ()))


def _averaged_as(signed: Sequence[Signature], args: Namespace) -> None:
    """The average as the signatures say; both, where they are those of both."""
    average = average_of(signed)
    if average and args.average not in (None, average):
        raise UsageError(f"the signature says avg:{average}, --average says {args.average}")
    args.average = average or args.average


def _resampled_as(contexts: Sequence[Context], args: Namespace) -> list[str]:
    """Intervals as the signatures say: bs:t,10000."""
    parts = [c.bs.split(",") for c in contexts if c.bs]
    method = _one_of({part[0] for part in parts}, "bs")
    # What was resampled stands last, where it is not the default.
    runs = get_args(Resample)
    over = _one_of({part[-1] for part in parts if part[-1] in runs}, "bs")
    if not args.intervals and method:
        raise UsageError(f"the signature says bs:{method}, --no-intervals removes them")
    if over:
        _bring(args, "resample", over)
    if method:
        if method not in get_args(Method):
            raise UsageError(f"the signature says bs:{method}, which is no method of intervals")
        _bring(args, "method", method)
    tests = [c.test.split(",") for c in contexts if c.test]
    counts = {
        part[1] for part in (*parts, *tests) if len(part) > 1 and part[1] not in ("exact", *runs)
    }
    count = _one_of(counts, "the number of resamples")
    if count:
        if not count.isdigit():
            raise UsageError(f"the signature says {count!r} resamples, which is no number")
        _bring(args, "resamples", int(count))
    groups = {c.group for c in contexts if c.bs or c.test}
    args.signed_group = _one_of(groups, "group") if groups else None
    # Tables have intervals unless they are left out; a bare recipe says nothing of them.
    of_tables = all(map(_is_of_table, contexts))
    if parts or not of_tables or not args.intervals or args.method:
        return []
    args.intervals = False
    return ["the signature has no intervals (no bs), so there are none here; --method adds them"]


def _tested_as(contexts: Sequence[Context], args: Namespace) -> list[str]:
    """Comparisons as the signatures say: test:randomization,10000, against:bert, adjust:holm,4."""
    tests = {c.test.partition(",")[0] for c in contexts if c.test}
    test = _one_of(tests - {OVER_RUNS} or tests, "test")  # systems without runs are beside it
    adjust = _one_of({c.adjust.partition(",")[0] for c in contexts if c.adjust}, "adjust")
    if test:
        _bring(args, "paired", "randomization" if test == OVER_RUNS else test)
    if adjust:
        _bring(args, "adjust", adjust)
    against = _one_of({c.against for c in contexts if c.against}, "against")
    pairs = _one_of({c.pairs for c in contexts if c.pairs}, "pairs")
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


def _bring(args: Namespace, name: str, value: Any) -> None:
    """Set an option as the signature says, unless another value is asked for."""
    option, given = find_option(name, command=args.command), getattr(args, name)
    if given not in (option.default, value):
        raise UsageError(
            f"the signature says {option.signature or name}:{value}, {option.flag} says {given}"
        )
    setattr(args, name, value)


def _text_column(args: Arguments) -> str | None:
    """The column that names the texts of the references, if it is given."""
    name: str | None = gather_columns(vars(args), options_of(args.command)).get("text")
    return name


def groups_of(args: Arguments) -> Groups | None:
    """The groups asked for; those of the signature, if there is one."""
    signed = getattr(args, "signed_group", None)
    if not args.group and not signed:
        return None
    from fencepost.formats.groups import read_groups

    if args.group:
        groups = read_groups(args.group, args.refs, _text_column(args))
        if signed == "":
            raise UsageError(
                "the signature resamples texts, --group resamples groups: one of the two"
            )
        if signed not in (None, "given", groups.name):  # those of Python are called given
            raise UsageError(f"the signature says group:{signed}, --group says {args.group}")
        return groups
    try:
        return read_groups(str(signed), args.refs, _text_column(args))
    except FencepostError:
        raise UsageError(
            f"the signature says group:{signed}: whole groups of texts were resampled, and these "
            "files do not have them; give them with --group FILE, a CSV file text,group"
        ) from None
