"""Diaz & Ouyang (2022): the figures, the human judgements, and section 5 in full."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np

from fencepost import metrics
from fencepost.metrics.registry import parse
from fencepost.model.segmentation import Segmentation
from fencepost.study.papers.base import (
    Drawing,
    Line,
    Paper,
    PaperError,
    Run,
    absent,
    alike,
    claim,
    same,
)
from fencepost.study.probing.judgements import DIAZ2022
from fencepost.study.probing.misbehaviours import (
    EQUAL,
    KINDS,
    Kind,
    compare,
    moves,
    references_of,
)

PAPER = Paper("diaz2022")
NUMBERS = PAPER.numbers
METRICS = ("windowdiff", "B", "A")
ABOUT = {
    "cross-boundary": "Figure 13",
    "constant-cost": "Figure 14",
    "vanishing": "Figure 15",
}


# What is compared: similarities, the larger the better.

SIMILARITIES = {"A": "A", "B": "B", "1 - WD": "windowdiff:k=2"}


def similarity(metric: str, ref: Any, hyp: Any) -> float:
    """The value of a metric, or 1 less it where lower is better."""
    recipe = parse(metric)
    value = recipe.metric(ref, hyp, **recipe.settings).value
    return float(value if recipe.metric.better == "higher" else 1 - value)


def preferred(metric: str, ref: Any, h1: Any, h2: Any) -> str:
    """The hypothesis more like the reference; "tie" where they are equal but for rounding."""
    first, second = (similarity(metric, ref, hyp) for hyp in (h1, h2))
    if abs(first - second) < EQUAL:
        return "tie"
    return "H1" if first > second else "H2"


# Sections 3, 4 and 6: figures.


def _figure(run: Run, name: str) -> Iterator[Line]:
    for row in NUMBERS["figures"][name]:
        for shown, metric in SIMILARITIES.items():
            ours = similarity(metric, row["ref"], row["hyp"])
            yield same(f"{shown} of ({row['pair']})", row[shown], ours, 2)


DOGS = Segmentation.from_masses([3, 3])  # Dogs are cute | Very fast cars
ABOUT_DOGS = {"h1": Segmentation(6, []), "h2": Segmentation(6, [4])}


@PAPER.item("Figures 1 and 2")
def _figures_1_and_2(run: Run) -> Iterator[Line]:
    def bits(seg: Segmentation) -> str:
        return "".join("01"[place in seg.cuts] for place in range(1, seg.units))

    yield alike("Figure 1: Q", "00100", bits(DOGS), "S is Dogs are cute | Very fast cars")
    for (name, hyp), agreed in zip(ABOUT_DOGS.items(), (4, 3), strict=True):
        ours = sum(a == b for a, b in zip(bits(DOGS), bits(hyp), strict=True))
        note = "h1 has no boundary, h2 has it one unit to the right"
        yield same(f"positions of 5 where {name} agrees with S", agreed, ours, 0, note)
    for shown, metric in SIMILARITIES.items():
        ours_is = preferred(metric, DOGS, *ABOUT_DOGS.values())
        note = "the paper says h2 of people; of metrics it says nothing here"
        yield claim(f"closer to S, by {shown}", ours_is, True, note, source="ours")


@PAPER.drawing("Figures 1 and 2")
def _dogs(run: Run) -> Iterator[Drawing]:
    for name, hyp in ABOUT_DOGS.items():
        about = "Dogs are cute | Very fast cars"
        yield Drawing(f"Figure 2, {name}", about, texts=(DOGS, hyp), names=("S", name))


# In h3 half of the first segment is right and half of the second is missing; in h4 4/5 of the third
# is right and 1/4 of the fourth is missing. So the moved boundary is between 1 and 2 units in h3,
# and between 4 and 4 in h4.
FIGURE_3 = {"r": [1, 2, 4, 4], "h3": [2, 1, 4, 4], "h4": [1, 2, 5, 3]}


@PAPER.item("Figure 3")
def _figure_3(run: Run) -> Iterator[Line]:
    r, h3, h4 = FIGURE_3.values()
    note = "the four sizes follow from these four fractions"
    parts = {
        "h3: correct elements of the first segment": ("1/2", Fraction(r[0], h3[0])),
        "h3: missing elements of the second segment": ("1/2", Fraction(r[1] - h3[1], r[1])),
        "h4: correct elements of the third segment": ("4/5", Fraction(r[2], h4[2])),
        "h4: missing elements of the fourth segment": ("1/4", Fraction(r[3] - h4[3], r[3])),
    }
    for what, (printed, ours) in parts.items():
        yield alike(what, printed, str(ours), note, basis="fitted")
    for shown, metric in {"B": "B", "WindowDiff, padded,": "WD:pad=lamprier"}.items():
        ours_is = preferred(metric, r, h3, h4)
        yield claim(f"{shown} cannot tell h3 from h4", ours_is, ours_is == "tie")
    ours_is = preferred("A", r, h3, h4)
    yield claim("h4 is closer to r than h3, by A", ours_is, ours_is == "H2")


@PAPER.drawing("Figure 3")
def _shifted(run: Run) -> Iterator[Drawing]:
    r, *others = (Segmentation.from_masses(sizes) for sizes in FIGURE_3.values())
    for name, hyp in zip(("h3", "h4"), others, strict=True):
        about = "a boundary one unit to the right"
        yield Drawing(f"Figure 3, {name}", about, texts=(r, hyp), names=("r", name))


@PAPER.item("Figure 9")
def _figure_9(run: Run) -> Iterator[Line]:
    once, directed = (
        [similarity(f"A:edges={edges}", [2] * 6, hyp) for hyp in ([2, 2, 8], [4, 4, 4])]
        for edges in ("once", "directed")
    )
    yield absent(
        "A of both",
        0.58,
        "no sizes are given, and with six equal segments no kind of edges gives .58 to both: "
        f"counted once A is {once[0]:.3f} and {once[1]:.3f} (3/6 whatever the sizes are), directed "
        f"edges have {directed[0]:.3f} and {directed[1]:.3f} and do not tie",
    )
    wanted = {
        "A cannot tell h1 from h2": ("A", "tie"),
        "B cannot tell h1 from h2": ("B", "tie"),
        "the heaviest edge of each segment favours h1": ("A:scoring=best", "H1"),
        "a penalty that grows with the edges of a segment favours h2": ("A:scoring=fan-out", "H2"),
    }
    for what, (metric, expected) in wanted.items():
        ours = preferred(metric, [2] * 6, [2, 2, 8], [4, 4, 4])
        yield claim(what, ours, ours == expected, "with six segments of equal size")


@PAPER.item("Section 6", source="ours")
def _section_6(run: Run) -> Iterator[Line]:
    """Another closeness, or a global alignment, is said to be what favours moves over deletions."""
    r, deleted, moved = [1, 8, 1], [9, 1], [3, 6, 1]
    for settings in ("", ":closeness=jaccard", ":closeness=dice", ":closeness=overlap",
                     ":closeness=rand", ":ties=right", ":alignment=global"):  # fmt: skip
        first, second = (similarity(f"A{settings}", r, hyp) for hyp in (deleted, moved))
        closer = "h2, the move by two units," if second > first else "h0, the deletion,"
        yield claim(f"Figure 16, h0 and h2 by A{settings}", f"{first:.3f} and {second:.3f}", True,
                    f"{closer} is closer")  # fmt: skip


# Appendix A: people.


@PAPER.item("Appendix A")
def _appendix(run: Run) -> Iterator[Line]:
    """All six people took the same hypothesis for closer."""
    people = {one.name: {"first": "H1", "second": "H2"}[one.preferred] for one in DIAZ2022}

    def preferences(metric: str) -> dict[str, str]:
        return {o.name: preferred(metric, o.reference, o.first, o.second) for o in DIAZ2022}

    for name, ours in preferences("A").items():
        yield alike(f"{name}: people, and A", people[name], ours)
    for what, metric in {"B": "B", "WindowDiff, padded, k 2,": "WD:k=2,pad=lamprier"}.items():
        for name, ours in preferences(metric).items():
            yield claim(f"{name}: {what} cannot tell", ours, ours == "tie")
    for one, ours in zip(DIAZ2022, preferences("windowdiff").values(), strict=True):
        theirs = people[one.name]
        k = one.reference.units - metrics.windowdiff(one.reference, one.reference).counts["windows"]
        agrees = f"agrees: k {k} is wide enough to see how far the cut went"
        yield claim(
            f"{one.name}: WindowDiff at its own k ({k}) prefers",
            ours,
            True,
            "a measurement of ours, the paper has k 2 alone; WindowDiff at its own k "
            + (agrees if ours == theirs else f"does not agree with people, who prefer {theirs}"),
            source="ours",
        )


# Section 5: every reference of 5 to 20 units.

Counts = tuple[int, int, int, int]  # references, and those that WindowDiff, B and A fail on


@cache
def quantify(units: int) -> dict[Kind, dict[int, Counts]]:
    """For each error and number of segments: references, and those that each metric fails on.

    A failure is a pair of hypotheses that the metric scores equal.
    """
    if not isinstance(units, int) or not 3 <= units <= 20:
        raise PaperError(f"references are counted from 3 to 20 units, found {units!r}")
    found: dict[Kind, dict[int, Counts]] = {kind: {} for kind in KINDS}
    for segments in range(2, units):
        # Half the mean segment, a half rounded to the even number: the authors' k, not ours.
        k = max(1, round(units / (2 * segments)))
        recipes = [parse(metric) for metric in (f"windowdiff:k={k},pad=lamprier", "B", "A")]
        total = np.zeros((len(KINDS), 4), dtype=np.int64)
        for codes in references_of(units, segments):
            for row, told in zip(
                total, compare(recipes, KINDS, codes, units).values(), strict=True
            ):
                row += [len(codes), *told.affected(len(codes)).sum(axis=1)]
        for kind, (references, *failed) in zip(KINDS, total.tolist(), strict=True):
            found[kind][segments] = (references, failed[0], failed[1], failed[2])
    return found


@cache
def authors_table() -> dict[tuple[str, int, int], Counts]:
    """What the authors' simulation found by error, units and segments; the figures draw it."""
    path = files("fencepost.study.papers") / "data" / "diaz2022_section5.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        (row["error"], int(row["n"]), int(row["m"])): (
            int(row["references"]), int(row["windowdiff"]), int(row["B"]), int(row["A"])
        )
        for row in csv.DictReader(lines)
    }  # fmt: skip


def _section_5(run: Run, kind: Kind) -> Iterator[Line]:
    largest = 10 if run.fast else 20
    for units in range(5, largest + 1):
        run.progress(f"diaz2022, {ABOUT[kind]}, {units} of {largest} units")
        quantify(units)
    yield from _totals(kind, largest)
    yield from _CLAIMS[kind](largest)
    for units in range(5, largest + 1):
        for segments, ours in quantify(units)[kind].items():
            where = f"n {units}, m {segments}: references, WD, B, A"
            theirs = _cells(authors_table()[kind, units, segments])
            yield alike(where, theirs, _cells(ours), source="authors' CSV")


def _cells(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{count:,}" for count in counts)


def _totals(kind: Kind, largest: int) -> Iterator[Line]:
    ours = [own for n in range(5, largest + 1) for own in quantify(n)[kind].values()]
    theirs = [v for (error, n, _), v in authors_table().items() if error == kind and n <= largest]
    for i, name in enumerate(("references", "WindowDiff fails", "B fails", "A fails")):
        printed, found = (sum(row[i] for row in rows) for rows in (theirs, ours))
        note = (
            f"the authors' table, n 5 to {largest}; ours counts values within 1e-12 of each "
            "other, theirs equal floats"
        )
        yield same(name, printed, found, 0, note, source="authors' CSV")


def _shares(kind: Kind, units: int, metric: int) -> dict[int, float]:
    return {m: row[1 + metric] / row[0] for m, row in quantify(units)[kind].items()}


def _always_equal(kind: Kind, largest: int) -> Line:
    rows = [row for n in range(5, largest + 1) for row in quantify(n)[kind].values()]
    equal = sum(wd == b for _, wd, b, _ in rows)
    return claim("WD and B behave alike", f"{equal} of {len(rows)} rows", equal == len(rows))


def _falls_below_3(kind: Kind, largest: int) -> Line:
    """From one m to the next the share of references falls, if both have short mean segments."""
    falls, tops = [], []
    for units in range(5, largest + 1):
        shares = _shares(kind, units, 0)
        if any(shares.values()):
            short = [m for m in shares if units / m < 3]
            falls.append(all(shares[m] >= shares[m + 1] for m in short[:-1]))
            tops.append(units / max(shares, key=shares.__getitem__))
    return claim(
        "errors decrease once the mean segment is below 3",
        f"at {sum(falls)} of {len(falls)} lengths",
        all(falls),
        f"the share is largest at a mean segment of {min(tops):.2f} to {max(tops):.2f}",
    )


def _cross_boundary_claims(largest: int) -> Iterator[Line]:
    yield _always_equal("cross-boundary", largest)
    two = sum(quantify(n)["cross-boundary"][2][1] for n in range(5, largest + 1))
    yield claim("no erroneous pair with m = 2", float(two), two == 0)
    smallest = min(
        (sum(sizes), sizes)
        for sizes in product(range(9, 0, -1), repeat=2)
        if _has_soft_move(sizes, 2)
    )[1]
    yield claim(
        "the smallest neighbours with a soft move over 2 units have 5 and 3",
        " and ".join(map(str, sorted(smallest, reverse=True))),
        sorted(smallest) == [3, 5],
    )
    yield _falls_below_3("cross-boundary", largest)


def _has_soft_move(sizes: tuple[int, ...], distance: int) -> bool:
    made = moves(np.array([1 << (sizes[0] - 1)]), sum(sizes))
    return bool((made.soft & (made.distance == distance)).any())


def _constant_cost_claims(largest: int) -> Iterator[Line]:
    yield _always_equal("constant-cost", largest)
    yield _falls_below_3("constant-cost", largest)


def _vanishing_claims(largest: int) -> Iterator[Line]:
    rows = {
        (n, m): row for n in range(5, largest + 1) for m, row in quantify(n)["vanishing"].items()
    }
    wd, b = (sum(row[i] for row in rows.values()) for i in (1, 2))
    yield claim("B makes fewer mistakes than WD", f"{b:,} and {wd:,}", b < wd, "in total")
    more = [(n, m) for (n, m), row in rows.items() if row[2] > row[1]]
    yield claim(
        "rows where B fails no more often than WD",
        f"{len(rows) - len(more)} of {len(rows)}",
        not more,
        f"not in {len(more)} rows with long segments, from n {more[0][0]}, m {more[0][1]} up, "
        "where k is wider than B's reach" if more else "",
    )  # fmt: skip
    tops = []
    for n in range(5, largest + 1):
        shares = _shares("vanishing", n, 0)
        tops.append(max(1, round(n / max(shares, key=shares.__getitem__) / 2)))
    alike = tops.count(1)
    what = "WD fails most where its k is 1"
    yield claim(what, f"at {alike} of {len(tops)} lengths", alike == len(tops))


_CLAIMS: dict[Kind, Callable[[int], Iterator[Line]]] = {
    "cross-boundary": _cross_boundary_claims,
    "constant-cost": _constant_cost_claims,
    "vanishing": _vanishing_claims,
}


# Figures drawn anew.


def _pairs(run: Run, name: str) -> Iterator[Drawing]:
    for row in NUMBERS["figures"][name]:
        texts = Segmentation.from_masses(row["ref"]), Segmentation.from_masses(row["hyp"])
        about = ", ".join(f"{shown} {row[shown]}" for shown in SIMILARITIES) + " as printed"
        names = tuple(row["pair"].split(", "))
        yield Drawing(f"{name}, ({row['pair']})", about, texts=texts, names=(names[0], names[1]))


@PAPER.drawing("Appendix A")
def _judged(run: Run) -> Iterator[Drawing]:
    for one in DIAZ2022:
        for name, hyp in (("H1", one.first), ("H2", one.second)):
            chosen = (name == "H1") == (one.preferred == "first")
            about = "preferred by all six people" if chosen else "preferred by nobody"
            texts, names = (one.reference, hyp), ("gold", name)
            yield Drawing(f"{one.name}, {name}", about, texts=texts, names=names)


def _failures(run: Run, kind: Kind) -> Iterator[Drawing]:
    """The share of references that a metric fails on, by mean segment size n/m."""
    largest = 10 if run.fast else 20
    for units in sorted({largest // 2, 3 * largest // 4, largest}):
        lines: dict[str, list[tuple[float, float]]] = {metric: [] for metric in METRICS}
        for segments, (references, *failed) in quantify(units)[kind].items():
            for metric, count in zip(METRICS, failed, strict=True):
                lines[metric].append((units / segments, count / references))
        about = f"share of all references of {units} units with such a pair, scored equal"
        title = f"{ABOUT[kind]}: {kind}, n = {units}"
        yield Drawing(title, about, "mean segment size n/m", lines)


for _name in NUMBERS["figures"]:
    PAPER.item(_name)(partial(_figure, name=_name))
    PAPER.drawing(_name)(partial(_pairs, name=_name))
for _kind in KINDS:
    PAPER.item(ABOUT[_kind])(partial(_section_5, kind=_kind))
    PAPER.drawing(ABOUT[_kind])(partial(_failures, kind=_kind))
