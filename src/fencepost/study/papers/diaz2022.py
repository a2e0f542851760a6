"""Diaz & Ouyang (2022): the figures, the human judgements, and section 5 in full."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import product

import numpy as np

from fencepost import _core
from fencepost.metrics.alignment import alignment_similarity as a_score
from fencepost.metrics.edit import boundary_similarity as b_score
from fencepost.metrics.window import windowdiff
from fencepost.model.segmentation import Segmentable
from fencepost.scoring.tables import Table
from fencepost.study.papers.base import (
    Item,
    Line,
    Paper,
    PaperError,
    Run,
    Verdict,
    absent,
    claim,
    same,
)
from fencepost.study.probing.base import Preference
from fencepost.study.probing.judgements import DIAZ2022
from fencepost.study.probing.misbehaviours import EQUAL, KINDS, Kind, moves

Masses = tuple[int, ...]
Printed = tuple[float, float, float]

# The figures show no numbers of units. These masses stand in the authors' public example code;
# A, B (k=1 in the paper, which is n_t 2) and 1 - WD (k=2) are printed to two digits.
FIGURES: dict[str, list[tuple[str, Masses, Masses, Printed]]] = {
    "Figure 10": [
        ("r, h1", (5, 5, 1, 3), (7, 3, 1, 3), (0.83, 0.50, 0.67)),
        ("r, h2", (5, 5, 1, 3), (5, 4, 1, 4), (0.60, 0.50, 0.67)),
    ],
    "Figure 11": [
        ("r, h1", (2, 2, 5, 5), (2, 2, 4, 6), (0.91, 0.83, 0.83)),
        ("r, h2", (2, 2, 5, 5), (3, 1, 5, 5), (0.79, 0.83, 0.83)),
    ],
    "Figure 12": [
        ("h1a, h1b", (9, 5, 1), (5, 9, 1), (0.70, 0.33, 0.69)),
        ("h2a, h2b", (8, 6, 1), (5, 9, 1), (0.76, 0.33, 0.69)),
        ("h3a, h3b", (8, 6, 1), (6, 8, 1), (0.83, 0.33, 0.69)),
        ("h4a, h4b", (7, 7, 1), (6, 8, 1), (0.91, 0.75, 0.85)),
        ("h5a, h5b", (7, 7, 1), (7, 7, 1), (1.0, 1.0, 1.0)),
    ],
    "Figure 16": [
        ("r, h0", (1, 8, 1), (9, 1), (0.67, 0.50, 0.88)),
        ("r, h1", (1, 8, 1), (2, 7, 1), (0.79, 0.75, 0.88)),
        ("r, h2", (1, 8, 1), (3, 6, 1), (0.58, 0.33, 0.62)),
    ],
}

METRICS = ("windowdiff", "B", "A")
ABOUT = {
    "cross-boundary": "Figure 13",
    "constant-cost": "Figure 14",
    "vanishing": "Figure 15",
}


# What is compared: similarities, the larger the better.


def _a(ref: Segmentable, hyp: Segmentable) -> float:
    return a_score(ref, hyp).value


def _b(ref: Segmentable, hyp: Segmentable) -> float:
    return b_score(ref, hyp).value


def _one_minus_wd(ref: Segmentable, hyp: Segmentable) -> float:
    return 1 - windowdiff(ref, hyp, k=2).value


def _padded(ref: Segmentable, hyp: Segmentable) -> float:
    return 1 - windowdiff(ref, hyp, k=2, pad="lamprier").value


def _own_k(ref: Segmentable, hyp: Segmentable) -> float:
    return 1 - windowdiff(ref, hyp).value


def _best(ref: Segmentable, hyp: Segmentable) -> float:
    return a_score(ref, hyp, scoring="best").value


def _fan_out(ref: Segmentable, hyp: Segmentable) -> float:
    return a_score(ref, hyp, scoring="fan-out").value


Similarity = Callable[[Segmentable, Segmentable], float]


def preferred(similarity: Similarity, ref: Segmentable, h1: Segmentable, h2: Segmentable) -> str:
    """The hypothesis more like the reference; "tie" where they are equal but for rounding."""
    first, second = similarity(ref, h1), similarity(ref, h2)
    if abs(first - second) < EQUAL:
        return "tie"
    return "H1" if first > second else "H2"


# Sections 3, 4 and 6: figures.


def _figure(name: str) -> Callable[[Run], Iterator[Line]]:
    metrics = {"A": _a, "B": _b, "1 - WD": _one_minus_wd}

    def lines(run: Run) -> Iterator[Line]:
        for pair, ref, hyp, printed in FIGURES[name]:
            for (metric, similarity), number in zip(metrics.items(), printed, strict=True):
                yield same(f"{metric} of ({pair})", number, similarity(ref, hyp), 2)

    return lines


def _figure_9(run: Run) -> Iterator[Line]:
    yield absent(
        "A of both",
        0.58,
        "no sizes are given, and none fit: three segments that merge six have A = 3/6 whatever "
        "their sizes are; .58 follows from edges counted once for each direction",
    )
    wanted = {
        "A cannot tell h1 from h2": (_a, "tie"),
        "B cannot tell h1 from h2": (_b, "tie"),
        "the heaviest edge of each segment favours h1": (_best, "H1"),
        "a penalty that grows with the edges of a segment favours h2": (_fan_out, "H2"),
    }
    for what, (similarity, expected) in wanted.items():
        ours = preferred(similarity, (2,) * 6, (2, 2, 8), (4, 4, 4))
        yield claim(what, ours, ours == expected, "with six segments of equal size")


# Appendix A: people.


def _appendix(run: Run) -> Iterator[Line]:
    """All six people took the same hypothesis for closer."""
    people = {"first": "H1", "second": "H2"}
    for one in DIAZ2022:
        ours, theirs = _prefers(_a, one), people[one.preferred]
        yield Line(f"{one.name}: people, and A", theirs, ours, _verdict(ours == theirs))
    for what, similarity in {"B": _b, "WindowDiff, padded, k 2,": _padded}.items():
        for one in DIAZ2022:
            ours = _prefers(similarity, one)
            yield claim(f"{one.name}: {what} cannot tell", ours, ours == "tie")
    for one in DIAZ2022:
        ours, theirs = _prefers(_own_k, one), people[one.preferred]
        k = one.reference.units - windowdiff(one.reference, one.reference).counts["windows"]
        agrees = f"agrees: k {k} is wide enough to see how far the cut went"
        yield claim(
            f"{one.name}: WindowDiff at its own k ({k}) prefers",
            ours,
            True,
            "a measurement of ours, the paper has k 2 alone; WindowDiff at its own k "
            + (agrees if ours == theirs else f"does not agree with people, who prefer {theirs}"),
        )


def _prefers(similarity: Similarity, one: Preference) -> str:
    return preferred(similarity, one.reference, one.first, one.second)


def _verdict(equal: bool) -> Verdict:
    return "equal" if equal else "differs"


# Section 5: every reference of 5 to 20 units.


@cache
def quantify(units: int) -> dict[Kind, dict[int, tuple[int, int, int, int]]]:
    """For each error and number of segments: references, and those that each metric fails on.

    A failure is a pair of hypotheses that the metric scores exactly equal (in whole numbers).
    """
    if not isinstance(units, int) or not 3 <= units <= 20:
        raise PaperError(f"references are counted from 3 to 20 units, found {units!r}")
    flags = _core.misbehaviours(units)
    segments = np.ones(len(flags), dtype=np.int64)
    for place in range(units - 1):
        segments += (np.arange(len(flags)) >> place) & 1
    found: dict[Kind, dict[int, tuple[int, int, int, int]]] = {}
    for error, kind in enumerate(KINDS):
        columns = [np.bincount(segments, minlength=units + 1)]
        for metric in range(len(METRICS)):
            failed = (flags >> (len(METRICS) * error + metric)) & 1 == 1
            columns.append(np.bincount(segments[failed], minlength=units + 1))
        found[kind] = {
            m: (int(columns[0][m]), int(columns[1][m]), int(columns[2][m]), int(columns[3][m]))
            for m in range(2, units)
        }
    return found


def curves(largest: int = 20) -> Table:
    """Figures 13 to 15 as tidy rows: the share of references that each metric fails on."""
    columns = ("error", "units", "segments", "metric", "references", "failed", "share")
    rows = []
    for kind in KINDS:
        for units in range(5, largest + 1):
            for segments, (references, *failed) in quantify(units)[kind].items():
                for metric, count in zip(METRICS, failed, strict=True):
                    cells = (kind, units, segments, metric, references, count, count / references)
                    rows.append(dict(zip(columns, cells, strict=True)))
    return Table(columns, tuple(rows), name="misbehaviours")


@cache
def authors_table() -> dict[tuple[str, int, int], tuple[int, int, int, int]]:
    """What the authors' simulation found by error, units and segments; the figures draw it."""
    path = files("fencepost.study.papers") / "data" / "diaz2022_section5.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        (row["error"], int(row["n"]), int(row["m"])): (
            int(row["references"]), int(row["windowdiff"]), int(row["B"]), int(row["A"])
        )
        for row in csv.DictReader(lines)
    }  # fmt: skip


def _section_5(kind: Kind) -> Callable[[Run], Iterator[Line]]:
    def lines(run: Run) -> Iterator[Line]:
        largest = 10 if run.fast else 20
        for units in range(5, largest + 1):
            run.progress(f"diaz2022, {ABOUT[kind]}, {units} of {largest} units")
            quantify(units)
        yield from _totals(kind, largest)
        yield from _CLAIMS[kind](largest)
        for units in range(5, largest + 1):
            for segments, ours in quantify(units)[kind].items():
                printed = authors_table()[kind, units, segments]
                yield Line(
                    f"n {units}, m {segments}: references, WD, B, A",
                    _cells(printed),
                    _cells(ours),
                    _verdict(printed == ours),
                )

    return lines


def _cells(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{count:,}" for count in counts)


def _totals(kind: Kind, largest: int) -> Iterator[Line]:
    ours = [own for n in range(5, largest + 1) for own in quantify(n)[kind].values()]
    theirs = [v for (error, n, _), v in authors_table().items() if error == kind and n <= largest]
    for i, name in enumerate(("references", "WindowDiff fails", "B fails", "A fails")):
        printed, found = (sum(row[i] for row in rows) for rows in (theirs, ours))
        note = "the authors' table, n 5 to {largest}; ours counts equal fractions, theirs floats"
        yield same(name, printed, found, 0, note.format(largest=largest))


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
        if any(move.soft and move.distance == 2 for move in moves(sizes[:1], sum(sizes)))
    )[1]
    yield claim(
        "the smallest neighbours with a soft move over 2 units have 5 and 3",
        " and ".join(map(str, sorted(smallest, reverse=True))),
        sorted(smallest) == [3, 5],
    )
    yield _falls_below_3("cross-boundary", largest)


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


PAPER = Paper(
    "diaz2022",
    "Diaz & Ouyang (2022), An Alignment-Based Approach to Text Segmentation Similarity Scoring",
    (
        Item("Figure 9", "two hypotheses that no metric tells apart", _figure_9),
        Item("Figure 10", "a cut that crosses another one", _figure("Figure 10")),
        Item("Figure 11", "moves over the same distance", _figure("Figure 11")),
        Item("Figure 12", "moves beyond what a metric sees", _figure("Figure 12")),
        Item("Figure 13", "cross-boundary errors, every reference", _section_5("cross-boundary")),
        Item("Figure 14", "constant-cost errors, every reference", _section_5("constant-cost")),
        Item("Figure 15", "vanishing errors, every reference", _section_5("vanishing")),
        Item("Figure 16", "where A itself is odd", _figure("Figure 16")),
        Item("Appendix A", "which of two hypotheses people prefer", _appendix),
    ),
)
