"""fencepost doctor: whether this installation gives the numbers that the papers print."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from fencepost._threads import set_threads
from fencepost.cli.about import about_lines
from fencepost.cli.options import Arguments
from fencepost.metrics import METRICS
from fencepost.metrics.registry import Recipe
from fencepost.model.pairs import Column, Pairs
from fencepost.report.text import fit, folded, terminal_width
from fencepost.study.papers import Run, find
from fencepost.wording import plural

# Items whose numbers follow from the paper alone: nothing is simulated, and no data are needed.
EXACT = {
    "pevzner2002": ("Figure 5", "Estimates"),
    "fournier2012": ("Figures 3-8", "Figure 5"),
    "diaz2022": ("Figures 1 and 2", "Figure 3", "Figure 10", "Figure 11", "Figure 12", "Figure 13",
                 "Figure 14", "Figure 15", "Figure 16", "Appendix A"),
    "lai2023": ("Figure 2",),
    "matusov2005": ("Table 4",),
}  # fmt: skip
TEXTS = 300  # of random pairs that every metric counts with one thread and with all


def run(args: Arguments) -> int:
    """Print what is installed and what was checked; exit with code 1 if a check fails."""
    print(fit("\n".join([*about_lines(), ""]), sys.stdout))
    equal, wrong = 0, []
    for name in EXACT:
        own, differing = _check_paper(name)
        equal += own
        wrong += differing
    metrics, unsteady = _check_threads()
    said = [
        f"{equal} of {equal + len(wrong)} numbers printed in {len(EXACT)} papers are equal",
        f"{metrics - len(unsteady)} of {plural(metrics, 'metric')} have the same counts with one "
        "thread and with several",
        *(f"wrong: {one}" for one in [*wrong, *unsteady]),
    ]
    if wrong or unsteady:
        said.append("Do not trust numbers of this installation. Install fencepost again.")
    width = terminal_width(sys.stdout)
    print(fit("\n".join(folded(one, width, rest="  ") for one in said), sys.stdout))
    return 1 if wrong or unsteady else 0


def _check_paper(name: str) -> tuple[int, list[str]]:
    """Count the printed numbers that are equal, and name the others."""
    paper = find(name)
    equal, wrong = 0, []
    for item in paper.items:
        if item.name not in EXACT[name]:
            continue
        for line in item.run(Run(fast=True)):
            if line.verdict == "equal":
                equal += 1
            elif line.verdict == "differs":
                wrong.append(
                    f"{name}, {item.name}, {line.where}: printed {line.printed}, found {line.ours}"
                )
    return equal, wrong


def _check_threads() -> tuple[int, list[str]]:
    """Compare the counts of each metric with one thread and with all; name those that differ."""
    pairs = _random_pairs()
    recipes = list(_recipes())
    threads = set_threads()
    try:
        set_threads(1)
        alone = [one.count(pairs) for one in recipes]
        set_threads(max(threads, 4))
        together = [one.count(pairs) for one in recipes]
    finally:
        set_threads()
    different = [
        f"{recipe.metric.name}: other counts with several threads"
        for recipe, one, other in zip(recipes, alone, together, strict=True)
        if not np.array_equal(one, other)
    ]
    return len(recipes), different


def _recipes() -> Iterator[Recipe]:
    for metric in METRICS.values():
        if metric.input == "pairs" and metric.sees == "positions":
            yield metric.recipe()


def _random_pairs() -> Pairs:
    """Return texts of 60 units with about 9 boundaries on each side, the same in every run."""
    rng = np.random.default_rng(20121)
    columns = []
    for _ in range(2):
        marks = rng.random((TEXTS, 59)) < 0.15
        offsets = np.concatenate(([0], np.cumsum(marks.sum(axis=1))))
        columns.append(Column(np.nonzero(marks)[1] + 1, offsets))
    return Pairs(columns[0], columns[1], np.full(TEXTS, 60))
