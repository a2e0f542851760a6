"""fencepost metrics: what there is, what a metric means, what a signature says."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from typing import Any

from fencepost.cli.common import say_notes
from fencepost.metrics import METRICS
from fencepost.metrics.registry import (
    Metric,
    Recipe,
    broken_plugins,
    find,
    parse,
    parse_signature,
    plugins,
    version_note,
)
from fencepost.metrics.signature import Signature
from fencepost.report.text import ARROWS, fit, write_table
from fencepost.statistics.intervals import METHODS
from fencepost.streams.measures import MEASURES, Measure, segmentation_error_rate


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME|SIGNATURE", help="explain this metric or signature"
    )

    parser.add_argument("--markdown", action="store_true", help="the list as a Markdown table")


def run(args: argparse.Namespace) -> int:
    """List, or explain."""
    if args.name is None and args.markdown:
        print(fit(markdown_list(), sys.stdout))
    elif args.name is None:
        _list()
    elif _measure(args.name):
        _explain_measure(args.name)
    elif "|" in args.name:
        _explain_signature(args.name)
    elif ".py:" in args.name:
        _explain(parse(args.name).metric)
    else:
        _explain(find(args.name.partition(":")[0].partition("(")[0]))
    return 0


def _measure(text: str) -> str | None:
    """The measure of word streams that a name or a signature is about, if any."""
    start = re.split(r"[|:]", text, maxsplit=1)[0].lower()
    start = start.removeprefix("as_").removeprefix("as-").removesuffix("_chopped")
    return {"chrf2": "chrf"}.get(start, start) if start in (*MEASURES, "seger", "chrf2") else None


def _explain_measure(text: str) -> None:
    name = _measure(text) or ""
    if name == "seger":
        lines = [_plain(segmentation_error_rate.__doc__ or "")]
    elif isinstance(MEASURES[name], Measure):
        lines = [f"{name}: {_plain(MEASURES[name].__doc__ or '')}"]
    else:
        lines = [f"{name}: {MEASURES[name].title} as sacrebleu computes it, on found segments"]
    for key, value in Signature(text).fields.items() if "|" in text else ():
        meaning = MEASURE_FIELDS.get(key)
        lines.append(f"  {key} is {value}" + (f": {meaning}" if meaning else ""))
    lines += ["", f"fencepost resegment REF -i HYP -m {name if name != 'seger' else 'wer'}"]
    print(fit("\n".join(lines), sys.stdout))


MEASURE_FIELDS = {
    "ties": "which of equally good boundaries was taken",
    "prefer": "what came before the rule for ties",
    "costs": "of a substitution, an insertion and a deletion while aligning",
    "reading": "which of several references counts (rate: lowest error rate; count: fewest errors)",
    "level": "what was taken as one segment",
    "tok": "how words were found",
    "case": "whether case was compared",
    "punct": "whether punctuation was compared",
    "norm": "how characters were brought together",
    "refs": "references for each segment",
}


def _list() -> None:
    rows = [
        [one.name, ", ".join(one.aliases), ARROWS[one.better], first_sentence(one)]
        for one in {**METRICS, **plugins()}.values()
    ]
    write_table(["metric", "short", "", "what it measures"], rows, sys.stdout, left=4)
    print(f"\nof word streams (fencepost resegment): {', '.join(MEASURES)}, seger")
    print("fencepost metrics NAME explains one; settings are written windowdiff:k=5,pad=lamprier")
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
    low, high = metric.range
    lines = [
        f"{metric.name} ({', '.join(dict.fromkeys([metric.title, *metric.aliases]))})",
        "",
        _plain(metric.doc),
        "",
        f"from {metric.cite}",
        f"range {low:g} to {high:g}, {metric.better} is better, "
        + ("symmetric" if metric.symmetric else "not symmetric"),
        f"counts: {', '.join(metric.counts)}",
    ]
    if metric.params:
        lines += ["", "settings:"]
        for name, param in metric.params.items():
            default = param.show(param.check(name, metric.defaults[name]))
            lines.append(f"  {name} = {default}: {param.help} ({param.accepts()})")
    for tool in metric.presets:
        recipe = metric.recipe(like=tool)
        lines.append(f"  like {tool}: {recipe.signature()}")
    print(fit("\n".join(lines), sys.stdout))


def _plain(doc: str) -> str:
    """A docstring without the marks that only Sphinx and doctest need."""
    text = doc.replace(".. math:: ", "    ").replace("``", "").replace("\\|", "|")
    return re.sub(r" +# doctest: .*", "", text).strip()


def _explain_signature(text: str) -> None:
    recipe, context = parse_signature(text)
    lines = [f"{recipe.name}: {first_sentence(recipe.metric)}"]
    for name, value in recipe.settings.items():
        param = recipe.metric.params[name]
        lines.append(f"  {name} is {param.show(value)}: {param.help}")
    over = "groups" if "group" in context else "texts"
    said = {
        "avg": {"macro": "the mean of the values of texts", "micro": "counts of all texts pooled"},
        "refs": {"mean": "the mean over several references"},
        "flags": {
            "last": "a 1 marked the last unit of a segment",
            "first": "a 1 marked the first unit of a segment",
        },
        "gaps": {
            "segment": "stretches of no segment were segments of their own",
            "join": "stretches of no segment belonged to the one before",
        },
        "overlap": {
            "start": "segments that overlap were cut where the later one starts",
            "end": "segments that overlap were cut where the earlier one ends",
        },
        "snap": {"space": "white space around a cut was ignored"},
        "tiers": {
            "one": "all speakers of a text were one stream",
            "speakers": "every speaker of a text was a stream",
        },
        "missing": {
            "skip": "texts without a partner were left out",
            "whole": "missing texts counted as unsegmented",
        },
        "coefficient": {
            "kappa": "(observed - chance) / (1 - chance), each coder's own numbers of cuts",
            "pi": "(observed - chance) / (1 - chance), the same for all coders",
            "pi*": "multi-pi by a formula: the rate of cutting is the same for all coders",
            "kappa*": "multi-kappa by a formula: each coder's own rate of cutting",
            "bias": "expected pi* less expected kappa*",
            "alpha": "Krippendorff's alpha of decisions at exact places",
            "majority": "decisions that agree with the majority at their place",
            "hearst": "the mean kappa of each coder with the majority",
        },
        "chance": {
            "shuffle": "coders keep their numbers of cuts, places are drawn",
            "bernoulli": "coders keep their rates of cutting",
            "uniform": "every kind, and none, equally likely",
            "uniform-kinds": "the pooled rate of no cut, kinds equally likely",
            "fournier2012": "the paper's formula: both coders cut",
            "two-category": "both coders cut, or neither",
            "krippendorff": "two decisions drawn from all",
        },
        "counting": {
            "cuts": "chance from the cuts of each coder",
            "segments": "chance from the segments of each coder",
        },
        "pooling": {
            "pooled": "rates over all places together",
            "mean-of-rates": "the mean of the rates of every coder and text",
        },
        "weighting": {
            "places": "texts weigh by their places, as counts add up",
            "mass": "texts weigh by their units (equation 6)",
            "printed": "texts weigh as equation 12 is printed",
        },
        "interval": {},
        "runs": {},
        "bs": {
            "t": f"95% intervals by the bootstrap-t over {over}",
            "percentile": f"95% intervals by percentiles of resampled {over}",
            "bca": "95% intervals by percentiles, corrected for bias and acceleration",
            "normal": "95% intervals by the standard error",
        },
        "group": {
            context.get("group", ""): "whole groups of texts were resampled and swapped; GROUPS "
            "is the field of the records or the CSV file (text,group) of that name"
        },
        "test": {
            "randomization": f"p by swapping the two systems in every {over[:-1]} or not",
            "bootstrap": f"p by resampled {over}",
        },
        "against": {context.get("against", ""): "the system that others were compared with"},
        "pairs": {"all": "every two systems were compared"},
        "adjust": {
            "holm": "p adjusted by Holm's method over so many comparisons",
            "bh": "p adjusted by Benjamini and Hochberg's method over so many comparisons",
            "none": "p not adjusted",
        },
    }
    for key, meanings in said.items():
        if key in context:
            value = context[key]
            meaning = meanings.get(value) or meanings.get(value.partition(",")[0])
            lines.append(f"  {key} is {context[key]}" + (f": {meaning}" if meaning else ""))
    if "draws" in context:
        lines.append(
            f"  random places, {context['draws']} draws a text, seed {context.get('seed')}"
        )
    note = version_note(context)
    if note:
        lines.append(f"  {note}")
    between = "coefficient" in context  # of coders, not of a system and a reference
    start = "fencepost agree FILE" if between else "fencepost score REF -i HYP"
    options = _agreement_options(context) if between else _options(context)
    lines += ["", f"{start} -m '{command(recipe)}'" + options]
    print(fit("\n".join(lines), sys.stdout))


def command(recipe: Recipe) -> str:
    """The metric as the command line takes it."""
    written = recipe.written()
    return recipe.name + (":" + ",".join(f"{k}={v}" for k, v in written.items()) if written else "")


def _options(context: dict[str, str]) -> str:
    names = {"avg": "--average", "flags": "--flags", "missing": "--missing"}
    for name in ("threshold", "gaps", "overlap", "levels", "tiers", "as"):
        names[name] = f"--{name}"
    options = "".join(f" {names[k]} {v}" for k, v in context.items() if k in names)
    step = re.fullmatch(r"([\d.]+)s", context.get("units", ""))
    options += f" --units seconds:{step[1]}" if step else ""
    options += " --snap" if "snap" in context else ""
    options += " --group GROUPS" if "group" in context else ""  # the field, or the file's path
    method, _, rest = context.get("bs", "").partition(",")
    count, _, over = rest.partition(",")
    options += f" --resample {over}" if over else f" --method {method}" if method else ""
    options += f" --resamples {count}" if count else ""
    if "test" in context:
        options += f" --paired {context['test'].partition(',')[0]}"
        options += f" --baseline {shlex.quote(context['against'])}" if "against" in context else ""
        options += " --all-pairs" if "pairs" in context else ""
        options += f" --adjust {context['adjust'].partition(',')[0]}"
    return options + (f" --seed {context['seed']}" if "seed" in context else "")


def _agreement_options(context: dict[str, str]) -> str:
    """What makes the same coefficient again; alpha and the majority depend on no chance."""
    options = ""
    if context["coefficient"] in ("majority", "hearst"):
        options = " --all"
    elif context["coefficient"] != "alpha":
        chance, _, draws = context["chance"].partition(",")
        options = f" --chance {chance}"
        options += " --exact" if draws == "exact" else f" --draws {draws}" if draws else ""
    for key in ("counting", "pooling", "weighting", "flags"):
        if key in context:
            options += f" --{key} {context[key]}"
    over, _, how = context.get("interval", "").partition(",")
    method, _, resamples = how.partition(",")
    options += f" --interval {over}" if over else ""
    options += f" --method {method}" if method in METHODS else ""
    options += f" --resamples {resamples}" if resamples else ""
    return options + (f" --seed {context['seed']}" if "seed" in context else "")
