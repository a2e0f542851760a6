"""The same data under every known convention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from fencepost.cli.options import Arguments
from fencepost.cli.outputs import write_other_form, write_reading, write_reading_below
from fencepost.cli.score_outputs import data_line, first_line
from fencepost.metrics.edit import with_types
from fencepost.metrics.registry import Recipe
from fencepost.model.checks import MetricError
from fencepost.model.corpus import Corpus
from fencepost.options import Missing
from fencepost.report.grid import shown
from fencepost.report.text import fit, folded, terminal_width, write_table
from fencepost.scoring.count import score
from fencepost.scoring.summary import MEAN_OF_REFERENCES
from fencepost.scoring.tables import Table, rows_to_table

OF_SCORES = ("system", "average", "value", "n", "undefined", "signature")


def conventions(recipe: Recipe) -> Iterator[tuple[str, Recipe]]:
    """The recipe as asked, other tools' presets, and every choice its settings leave open."""
    metric = recipe.metric
    yield "as asked", recipe
    for tool in metric.presets:
        (preset,) = with_types([metric.recipe(like=tool)], recipe.settings.get("types"))
        yield f"like {tool}", preset
    for name, param in metric.params.items():
        for value in param.conventions():
            yield (
                f"{name}={param.show(value)}",
                Recipe(metric, {**recipe.settings, name: param.check(name, value)}),
            )


def under_conventions(
    reference: Corpus, systems: dict[str, Corpus], recipes: list[Recipe], missing: Missing
) -> Table:
    """A row for each system, convention and average; settings that give the same count once."""
    rows: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    for recipe in recipes:
        recipe.check_input("pairs")
        seen: set[tuple[str, str]] = set()
        for label, variant in conventions(recipe):
            try:
                table = score(
                    reference,
                    systems,
                    metrics=[variant],
                    missing=missing,
                    baselines=False,
                    intervals=False,
                    average="both" if variant.metric.additive else "macro",
                )
            except MetricError:
                continue  # settings that do not go together
            facts = facts or dict(table.facts)
            for row in table.rows:
                if row["reference"] != MEAN_OF_REFERENCES and len(reference.coders) > 1:
                    continue
                if (row["system"], row["signature"]) not in seen:
                    seen.add((row["system"], row["signature"]))
                    own = {name: row[name] for name in OF_SCORES}
                    rows.append({"metric": row["metric"], "convention": label, **own})
    return rows_to_table(rows, name="conventions", facts=facts)


def write_conventions(args: Arguments, table: Table, stream: IO[str]) -> None:
    """Conventions by systems."""
    if args.form:
        write_other_form(args.form, table, stream)
        write_reading_below(args.form, table.facts.get("reading_lines", []), stream)
        return
    systems = list(dict.fromkeys(table.column("system")))
    lines: dict[str, dict[str, Any]] = {}
    labels: dict[str, tuple[str, str, str]] = {}
    for row in table.rows:
        lines.setdefault(row["signature"], {})[row["system"]] = row["value"]
        labels.setdefault(row["signature"], (row["metric"], row["convention"], row["average"]))
    write_reading(args, table.facts.get("reading_lines", []), stream)
    stream.write(fit(first_line(table) + "\n\n", stream))
    texts = {row["signature"]: str(row["n"]) for row in table.rows}
    rows = [
        [*labels[s], texts[s], *(shown(found.get(name)) for name in systems)]
        for s, found in lines.items()
    ]
    write_table(["metric", "convention", "average", "texts", *systems], rows, stream, left=3)
    data = folded(data_line(table), terminal_width(stream), rest="  ")
    stream.write(fit(f"\nsignatures: --conventions --json\n{data}\n", stream))
