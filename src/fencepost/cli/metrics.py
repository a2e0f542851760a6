"""fencepost metrics: what there is, what a metric means, what a signature says."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Any, get_args

from fencepost.cli.options import Arguments
from fencepost.cli.outputs import say_notes
from fencepost.metrics import METRICS
from fencepost.metrics.coefficients import COEFFICIENTS
from fencepost.metrics.registry import Metric, Recipe, broken_plugins, find, parse, plugins
from fencepost.metrics.signature import OTHER, READ, Context, Signature, version_notes
from fencepost.model.reading_lines import describe_units
from fencepost.options import (
    OPTIONS,
    SIGNATURE_FIELDS,
    Chance,
    Method,
    consensus_of,
    options_of,
    rule_of,
    write_columns,
)
from fencepost.report.grid import ARROWS
from fencepost.report.text import fit, folded, reflowed, terminal_width, write_table
from fencepost.scoring.comparisons import OVER_RUNS


def run(args: Arguments) -> int:
    """List, or explain."""
    if args.metric is None and args.markdown:
        print(fit(markdown_list(), sys.stdout))
    elif args.metric is None:
        _list()
    elif "|" in args.metric:
        _explain_signature(args.metric)
    elif ".py:" in args.metric:
        _explain(parse(args.metric).metric)
    else:
        _explain(find(args.metric.partition(":")[0].partition("(")[0]))
    return 0


OF_SEGMENTS = ("alpha_U", "gamma")  # coefficients that compare no two segmentations

# What metrics count, and which commands take them.
INPUTS = {
    "pairs": "of segmentations (fencepost score, agree, edits)",
    "words": "of words against segmented references (fencepost resegment)",
}
OF_ANNOTATORS = "of all annotators of a text (fencepost agree)"


def _list() -> None:
    every = {**METRICS, **plugins()}.values()
    for input, what in INPUTS.items():
        rows = [
            [one.name, ", ".join(one.aliases), ARROWS[one.better], first_sentence(one)]
            for one in every
            if one.input == input
        ]
        print(f"{what}:\n" if input == "pairs" else f"\n{what}:\n")
        write_table(["metric", "short", "", "what it measures"], rows, sys.stdout, left=4)
    named = f"coefficients {OF_ANNOTATORS}: {', '.join(COEFFICIENTS)}"
    print("\n" + folded(named, terminal_width(sys.stdout), rest="  "))
    print("\nfencepost metrics NAME explains a metric or a coefficient")
    print("settings are written windowdiff:k=5,pad=lamprier")
    say_notes(broken_plugins())


def markdown_list() -> str:
    """The table of metrics in the README."""
    lines = ["| name | short | better | from | what it measures |", "|---|---|---|---|---|"]
    for one in METRICS.values():
        cells = [f"`{one.name}`", ", ".join(f"`{a}`" for a in one.aliases), one.better, one.cite]
        lines.append(f"| {' | '.join([*cells, first_sentence(one)])} |")
    return "\n".join(lines)


def first_sentence(metric: Metric[Any]) -> str:
    """The line a docstring opens with."""
    return metric.doc.partition("\n")[0]


def _explain(metric: Metric[Any]) -> None:
    low, high = metric.recipe().limits
    width = terminal_width(sys.stdout)
    facts = [
        f"from {metric.cite}",
        f"range {low:g} to {high:g}, {metric.better} is better, "
        + ("symmetric" if metric.symmetric else "not symmetric")
        + ("; tables show percentages" if metric.percent else ""),
        *([f"counts: {', '.join(metric.recipe().counts)}"] if metric.counts else []),
        INPUTS.get(metric.input, OF_ANNOTATORS),
    ]
    lines = [
        f"{metric.name} ({', '.join(dict.fromkeys([metric.title, *metric.aliases]))})",
        "",
        reflowed(_plain(metric.doc), width),
        "",
        *(folded(fact, width, rest="  ") for fact in facts),
    ]
    if metric.params:
        lines += ["", "settings:"]
        for name, param in metric.params.items():
            default = param.show(param.check(name, metric.defaults[name]))
            about = f"{name} = {default}: {param.help} ({param.accepts()})"
            lines.append(folded(about, width, first="  ", rest="    "))
    for tool in metric.presets:
        recipe = metric.recipe(like=tool)
        lines.append(f"  like {tool}: {recipe.signature()}")
    print(fit("\n".join(lines), sys.stdout))


def _plain(doc: str) -> str:
    """A docstring without the marks that only Sphinx and doctest need."""
    text = doc.replace(".. math:: ", "    ").replace("``", "").replace("\\|", "|")
    return re.sub(r" +# doctest: .*", "", text).strip()


def _explain_signature(text: str) -> None:
    signature = Signature(text.strip())
    if "nrefs" in signature.fields:
        _explain_peer(signature)
        return
    recipe, context = signature.recipe, signature.context
    if context.coefficient in OF_SEGMENTS:  # whatever metric a signature began with
        recipe = find(context.coefficient).recipe()
    lines = [f"{recipe.metric.written}: {first_sentence(recipe.metric)}"]
    for name, value in recipe.settings.items():
        param = recipe.metric.params[name]
        lines.append(f"  {name} is {param.show(value)}: {param.meaning(value)}")
    over = context.group and ("document" if context.group == "document" else "group")
    over = over or ("segment" if recipe.metric.input == "words" else "text")
    for name, value in context.written(recipe.metric.params).items():
        meaning = _meaning(name.removeprefix(READ).removeprefix(OTHER), value)
        said = meaning.replace("{over}", f"{over}s").replace("{one}", over)
        lines.append(f"  {name} is {value}" + (f": {said}" if said else ""))
    lines += [f"  {note}" for note in version_notes(signature)]
    lines += [f"  {note}" for note in _not_in_one_command(context)]
    _print_folded(lines, command(recipe, context))


def _explain_peer(signature: Signature) -> None:
    """Say which metric a signature of sacrebleu is of, and how to get one of ours."""
    metric = find(signature.metric.lower().rstrip("+"))
    lines = [f"{metric.name} as sacrebleu signs it: {first_sentence(metric)}"]
    lines += [f"  {name} is {value}" for name, value in signature.fields.items()]
    _print_folded(lines, f"fencepost resegment REF -i HYP -m {metric.name}")


def _print_folded(lines: list[str], command: str) -> None:
    """Print what a signature is of, what its fields mean, and the command that repeats it."""
    width = terminal_width(sys.stdout)
    first, *fields = lines
    said = [folded(first, width, rest="  ")]
    said += [folded(line.strip(), width, first="  ", rest="    ") for line in fields]
    print(fit("\n".join([*said, "", command]), sys.stdout))


# What fields with free values mean; those of the others stand in the options' declarations.
FREE = {
    "against": "the system that others were compared with",
    "group": "whole groups of texts were resampled and swapped; GROUPS is the field of the records "
    "or the CSV file (text,group) of that name",
    "runs": "values are means over this number of runs of a system",
    "draws": "random boundaries for each text",
    "seed": "of the random numbers",
    "interval": "what 95% intervals are over, and how they were made",
    "segments": "the mark with which segments begin",
    "tok": "how words were found: --tokenizer",
    "refs": "references for each segment",
    "costs": "of a substitution, an insertion and a deletion while aligning",
    "folds": "each of this number of parts of the texts was scored with the threshold that is best "
    "for the others",
    "levels": "boundaries of level {value} and of coarser levels counted, without types",
    "ignored": "tokens or lines that match {value} were no units",
    "tiers": "names of tiers follow the pattern {value}",
}


def _meaning(name: str, value: str) -> str:
    """What a field of the context means; its option's help, where no meaning is declared."""
    if (name, value) == ("group", "document"):
        return "whole documents were resampled and swapped"
    meanings = SIGNATURE_FIELDS.get(name, {})
    if "+" in value and set(value.split("+")) <= meanings.keys():
        return "; ".join(meanings[one] for one in value.split("+"))
    if name == "units":
        return "; ".join(map(describe_units, value.split("+")))
    if name == "threshold":
        return _threshold(value)
    if name == "tuned":
        metric, _, data = value.partition("@")
        return f"fencepost tune found it: the best by {metric} on the references {data}"
    if name in FREE and value not in meanings:
        return FREE[name].replace("{value}", value)
    options = [one for one in OPTIONS if one.signature == name]
    known = meanings.get(value) or meanings.get(value.partition(",")[0])
    return known or (options[0].help if options and not meanings else "")


def _threshold(value: str) -> str:
    """What became a boundary: what had so much probability, or the most probable positions."""
    number, _, per = value.partition("/")
    if not per:
        return f"a probability of at least {value} was a boundary"
    what = "100 units" if per == "100" else per
    return f"the {number} most probable positions per {what} that are above 0 were boundaries"


def _not_in_one_command(context: Context) -> list[str]:
    """What a reader must know before the command is run."""
    notes = [
        f"the two sides were read in different ways ({name} {value}), which no option can repeat"
        for name, value in context.reading
        if _differs(name, value)
    ]
    if ("places", "found") in context.reading:
        notes.append("TEXT is the text in which the chunks were found")
    if context.runs:
        notes.append("SYSTEM=RUN,... are the names of the runs of each system")
    return notes


def _differs(name: str, value: str) -> bool:
    """Whether this joins the choices of two files, such as last+first."""
    option = next((one for one in OPTIONS if one.signature == name), None)
    if option is None or option.restore is None or not (option.choices or option.check):
        return False
    parts = map(option.restore, value.split("+")) if "+" in value else ()
    return any(parts) and not any(map(option.wrong, parts))


_TYPED_RUN = (
    "FILES --columns ref=REF,hyp=HYP,ref_types=REF_TYPES,hyp_types=HYP_TYPES,units=UNITS "
    "--encoding positions"
)


def command(recipe: Recipe, context: Context) -> str:
    """The command that gives the number of a signature again."""
    if context.folds:
        return _tuning(recipe, context)
    between = bool(context.coefficient)  # of coders, not of a system and a reference
    command = "agree" if between else "score" if recipe.metric.input == "pairs" else "resegment"
    typed = "type-names" in dict(context.reading)  # a run over columns of boundary types
    files = "FILE" if between else _TYPED_RUN if typed else "REF -i HYP"
    words = [f"fencepost {command} {files}"]
    words += ["-m", shlex.quote(str(recipe))] if recipe.metric.input != "annotators" else []
    words += _reading_options(context, command)
    words += _agreement_options(context) if between else _score_options(context)
    return " ".join([*words, *([f"--seed {context.seed}"] if context.seed else [])])


def _tuning(recipe: Recipe, context: Context) -> str:
    """The command that cross-validates again."""
    words = [f"fencepost tune DEV -i HYP -m {shlex.quote(str(recipe))}"]
    words += _reading_options(context, "tune")
    words += [f"--missing {context.missing}"] if context.missing else []
    words += [f"--average {context.avg}"] if context.avg != "macro" else []
    words += ["--group GROUPS"] if context.group else []
    return " ".join([*words, f"--folds {context.folds}", f"--seed {context.seed}"])


def _reading_options(context: Context, command: str) -> list[str]:
    options = options_of("resegment" if command == "resegment" else "score")
    words = []
    for name, value in context.reading:
        option = next((one for one in options if one.signature == name), None)
        if name == "segments":
            sides = {"ref": value} if command == "agree" else {"ref": value, "hyp": value}
            words += ["--columns", shlex.quote(write_columns(sides))]
        if name == "places":
            words.append("--raw TEXT")
        if option is None or _differs(name, value):
            continue  # what a file shows by itself
        restored = option.restore(value) if option.restore else value
        if option.type is str and option.wrong(restored):
            continue  # units:paragraphs, which no option asks for
        parts = restored if isinstance(restored, (tuple, list)) else (restored,)
        said = " ".join(shlex.quote(str(part)) for part in parts)
        words.append(option.flag if option.type is bool else f"{option.flag} {said}")
    return words


def _score_options(context: Context) -> list[str]:
    words = [f"--missing {context.missing}"] if context.missing else []
    words += [f"--average {context.avg}"] if context.avg else []
    rule = rule_of(context.refs)
    words += [f"--reference-rule {rule}"] if rule else []
    by = consensus_of(context.refs)
    words += [f"--consensus-by {by}"] if by not in (None, "similarity") else []
    # The field, or the path of the file; documents are resampled by themselves.
    words += ["--group GROUPS"] if context.group not in ("", "document") else []
    if context.runs:
        runs = [",".join(["RUN"] * int(count)) for count in context.runs.split(",")]
        words += [f"--runs {' '.join(f'SYSTEM={names}' for names in runs)}"]
    method, *rest = context.bs.split(",")
    words += [f"--method {method}"] if method else []
    words += [f"--resample{'s' * part.isdigit()} {part}" for part in rest]
    of_table = context.avg or context.refs
    words += ["--no-intervals"] if of_table and not context.bs and not context.test else []
    if context.test:
        test = context.test.partition(",")[0]
        words += ["--paired" if test == OVER_RUNS else f"--paired {test}"]
        words += [f"--baseline {shlex.quote(context.against)}"] if context.against else []
        words += ["--all-pairs"] if context.pairs else []
        words += [f"--adjust {context.adjust.partition(',')[0]}"]
    return words


def _agreement_options(context: Context) -> list[str]:
    """What makes the same coefficient again; some bring their chance, or depend on none."""
    words = [f"--coefficient {shlex.quote(context.coefficient)}"]
    chance, _, draws = context.chance.partition(",")
    if chance in get_args(Chance):
        words += [f"--chance {chance}"]
        words += ["--exact"] if draws == "exact" else [f"--draws {draws}"] if draws else []
    for name in ("counting", "pooling", "weighting"):
        words += [f"--{name} {value}"] if (value := getattr(context, name)) else []
    over, _, how = context.interval.partition(",")
    method, _, resamples = how.partition(",")
    words += [f"--interval {over}"] if over else []
    words += [f"--method {method}"] if method in get_args(Method) else []
    return words + ([f"--resamples {resamples}"] if resamples else [])
