"""Lai et al. (2023): Figures 2, 4, 5 and 6, and what section 4.4 says about chance."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fencepost import _core
from fencepost.coders import agreement
from fencepost.coders.annotations import Annotations
from fencepost.coders.expected import expected_cost
from fencepost.metrics.costs import Costs
from fencepost.metrics.flexible import Prices, flexible_similarity
from fencepost.model.corpus import Corpus
from fencepost.model.edits import Edit
from fencepost.model.pairs import Column, Pairs
from fencepost.model.segmentation import Segmentation
from fencepost.statistics.randomness import limits
from fencepost.study.papers.base import (
    TO_DATA,
    Line,
    Paper,
    Run,
    absent,
    claim,
    close,
    same,
)

FILE = "nccu/boundary_strings.csv"
FILE_004 = "nccu/boundary_strings_004.csv"  # the long dash read as truncation
NOT_THERE = (
    f"the texts are not part of fencepost: {FILE} has the boundary strings of texts 001, 009, 016, "
    f"025 and 049, {FILE_004} those of 004, exported from the data of the R package segsimflex; "
    f"{TO_DATA}"
)
Streams = dict[str, tuple[Segmentation, Segmentation]]  # the two annotators of each speaker

PAPER = Paper("lai2023")
NUMBERS = PAPER.numbers
NOT_EXPORTED = "the text is in the authors' package, but was not exported from it"

MATRICES = {
    "identity": Costs.identity,
    "as_authors_ran": Costs.lai2023_as_run,
    "as_in_prose": Costs.lai2023,
}
NAMES = {
    "identity": "identity",
    "as_authors_ran": "M' as run",
    "as_in_prose": "M' as in the prose",
}


@cache
def read_texts(path: Path) -> dict[str, Streams]:
    """Every text's speakers; a character stands for a token, a space for no boundary after it."""
    found: dict[tuple[str, str], dict[str, Segmentation]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            own = found.setdefault((row["text"], row["speaker"]), {})
            own[row["annotator"]] = annotation(row["boundaries"])
    texts: dict[str, Streams] = {}
    for (text, speaker), own in found.items():
        texts.setdefault(text, {})[speaker] = own["1"], own["2"]
    return texts


def annotation(marks: str) -> Segmentation:
    """One character a token: its boundary's kind, or a space."""
    return Segmentation.from_marks([mark.strip() for mark in marks])


def _with_texts(
    lines: Callable[[dict[str, Streams], Run], Iterable[Line]],
) -> Callable[[Run], Iterator[Line]]:
    """Only if the texts are there; else one line says where to get them."""

    def checked(run: Run) -> Iterator[Line]:
        path, more = run.file(FILE), run.file(FILE_004)
        if path is None:
            yield absent("all texts", None, NOT_THERE)
        else:
            texts = read_texts(path) | (read_texts(more) if more else {})
            yield from lines(dict(sorted(texts.items())), run)

    return checked


@dataclass(frozen=True)
class Counted:
    """The counts of all speakers of a text together."""

    cost: float
    edits: int
    matches: int
    units: int

    @property
    def whole(self) -> int:
        """What S_f^B divides by."""
        return self.edits + self.matches

    @property
    def s_f(self) -> float:
        """1 - C/N."""
        return 1 - self.cost / self.units

    @property
    def s_f_b(self) -> float:
        """1 - C/(edits + matches)."""
        return 1 - self.cost / self.whole


def _pairs(streams: Streams) -> Pairs:
    first, second = zip(*streams.values(), strict=True)
    return Pairs.from_segmentations(first, second)


def count(streams: Streams, matrix: str, symmetric: bool = True) -> Counted:
    """The exact optimum of one text."""
    recipe = flexible_similarity.recipe(costs=MATRICES[matrix](), symmetric=symmetric)
    nano, edits, matches, units = recipe.count(_pairs(streams)).sum(axis=0).tolist()
    return Counted(nano / 10**9, edits, matches, units)


# Figure 2.


@PAPER.item("Figure 2")
def _figure_2(run: Run) -> Iterator[Line]:
    pair = annotation("p r q"), annotation("qr pr")
    score = flexible_similarity(*pair)
    yield same("the least cost", 3.5, score.counts["nanocost"] / 10**9, 1)
    kinds = ["p", "q", "r"]
    still = Costs.from_matrix(kinds, np.eye(4).tolist(), moving=dict.fromkeys(kinds, 10.0))
    unmoved = flexible_similarity(*pair, costs=still).counts["nanocost"] / 10**9
    yield same("without moving anything", 5, unmoved, 1)
    dear = Costs.from_matrix(kinds, np.eye(4).tolist(), moving={"p": 0.5, "q": 0.5, "r": 10.0})
    left = flexible_similarity(*pair, costs=dear, symmetric=False).counts["nanocost"] / 10**9
    yield same(
        "moving p to the left", 4.5, left, 1,
        "a branch that is not the least with these costs; it is if moving an r costs 10 and moves "
        "are priced by the second annotator's type (symmetric=False), as the paper prints it",
        basis="fitted", tried=4,
    )  # fmt: skip


# Figure 4, and the authors' package.


# The drawing is in hundredths of a point, 119.3 points for 1: half of one for the mark and for each
# end of the scale, .00008 together, and half of the fourth digit that was kept.
DRAWN_BOUND = 0.00013
DRAWN = (
    "not printed: read off the coordinates of the authors' drawing; bound: half a hundredth of its "
    "points for the mark and for the scale, and the rounding"
)


@PAPER.item("Figure 4", source="drawing")
@_with_texts
def _figure_4(texts: dict[str, Streams], run: Run) -> Iterator[Line]:
    for text, numbers in NUMBERS["figure_4"].items():
        for letter, matrix in (("I", "identity"), ("M", "as_authors_ran")):
            for name, key in (("S_f", f"S{letter}"), ("S_f^B", f"SB{letter}")):
                where = f"{text}: {name}, {NAMES[matrix]}"
                if text not in texts:
                    yield absent(where, numbers[key], NOT_EXPORTED)
                else:
                    yield _similarity(where, text, matrix, name, numbers[key], texts[text])


def _similarity(
    where: str, text: str, matrix: str, name: str, number: float, streams: Streams
) -> Line:
    ours = count(streams, matrix)
    value = ours.s_f if name == "S_f" else ours.s_f_b
    note = DRAWN
    if text == "004" and matrix == "identity":
        note += "; the drawing has the marks of text 009 here"
    elif text in NUMBERS["segsimflex"]:
        cost, whole = NUMBERS["segsimflex"][text][matrix]
        theirs = 1 - cost / (ours.units if name == "S_f" else whole)
        note += f"; segsimflex 0.1.3 gives {theirs:.6f}"
        if name != "S_f" and whole != ours.whole:
            note += f": it counts {whole} edits and matches where the optimum has {ours.whole}"
        elif cost != ours.cost:
            note += f": it charges other moving costs (see segsimflex, {text})"
    return close(where, number, value, DRAWN_BOUND, note, digits=4)


OF_PACKAGE = "not printed: the number of the authors' R package segsimflex 0.1.3"


@PAPER.item("segsimflex", source="R package")
@_with_texts
def _package(texts: dict[str, Streams], run: Run) -> Iterator[Line]:
    for text, cells in NUMBERS["segsimflex"].items():
        for matrix, (cost, whole) in cells.items():
            ours, second = (count(texts[text], matrix, rule) for rule in (True, False))
            where = f"{text}, {NAMES[matrix]}"
            rule = (
                f"the package charges the right-hand boundary's moving cost, ours the mean of the "
                f"two; the second annotator's, as the paper prints, costs {second.cost:g}"
            )
            own = package_count(texts[text], package_counter(MATRICES[matrix]()))
            twice = "it counts some edits twice"
            for what, theirs, best, counted, why in (
                ("cost", cost, ours.cost, own[0], rule),
                ("edits and matches", whole, ours.whole, own[1], twice),
            ):
                line = same(f"{where}: {what}", theirs, best, 4, OF_PACKAGE, shown=False)
                if line.verdict == "equal":
                    yield line
                    continue
                yield replace(line, note=f"{OF_PACKAGE}; {why}")
                yield same(f"{where}: {what}, counted as the package does", theirs, counted, 4,
                           f"{OF_PACKAGE}; {AS_PACKAGE}", basis="fitted", tried=3,
                           shown=False)  # fmt: skip


AS_PACKAGE = (
    "Algorithm 1 of the paper at the moving cost of the boundary on the right; a boundary that is "
    "moved and substituted counts twice if that uses up its list"
)
MARKS = ",.?+;"  # the kinds of the texts
PackageCounter = Callable[[str, str], tuple[float, int]]  # cost, and edits and matches


def package_counter(costs: Costs) -> PackageCounter:
    """Algorithm 1 with the package's count: no optimum, and fitted to its numbers of five texts.

    Lists hold no place where both have a boundary. Only the first boundary can move, onto the
    other list's first; where nothing else is left then, the package counts the move and the
    substitution, else both as one edit.
    """
    square, moving = costs.for_kinds(list(MARKS))
    change = {(a, b): float(a != b and 1 - square[i, j])
              for i, a in enumerate(MARKS + " ") for j, b in enumerate(MARKS + " ")}  # fmt: skip
    step = dict(zip(MARKS, moving.tolist(), strict=True))

    def trimmed(one: str, two: str) -> tuple[float, int]:
        lead = min(len(one) - len(one.lstrip()), len(two) - len(two.lstrip()))
        end = max(len(one.rstrip()), len(two.rstrip()))
        return part(one[lead:end], two[lead:end])

    @cache
    def part(one: str, two: str) -> tuple[float, int]:
        if not one.strip() or not two.strip():
            left = [change[pair] for pair in zip(one, two, strict=True) if pair != (" ", " ")]
            return sum(left), len(left)
        cost, edits = trimmed(one[1:], two[1:])
        stay = cost + change[one[0], two[0]], edits + 1
        mine = one[0] != " "  # the first annotator's boundary comes first
        other = two if mine else one
        at = len(other) - len(other.lstrip())
        kinds = (one[0], two[at]) if mine else (one[at], two[0])
        if mine:
            pieces = [trimmed(one[1:], two[1:at] + " " + two[at + 1 :])]
        else:
            pieces = [trimmed(one[1:at], two[1:at]), trimmed(one[at + 1 :], two[at + 1 :])]
        cost, edits = map(sum, zip(*pieces, strict=True))
        cost += at * step[other[at]] + change[kinds]
        edits += 2 if kinds[0] != kinds[1] and not edits else 1
        return (cost, edits) if cost < stay[0] else stay

    def whole(one: str, two: str) -> tuple[float, int]:
        cost, edits, start = 0.0, 0, 0
        for at, (a, b) in enumerate(zip(one, two, strict=True)):
            if a != " " != b:
                own = trimmed(one[start:at], two[start:at])
                cost, edits, start = cost + own[0] + change[a, b], edits + own[1] + 1, at + 1
        own = trimmed(one[start:], two[start:])
        return cost + own[0], edits + own[1]

    return whole


def package_count(streams: Streams, counter: PackageCounter) -> tuple[float, int]:
    """Cost, and edits and matches, of all speakers of a text as the package has them."""
    found = [counter(*(_string(seg) for seg in pair)) for pair in streams.values()]
    return sum(cost for cost, _ in found), sum(whole for _, whole in found)


def _string(seg: Segmentation) -> str:
    return "".join(str(mark or " ") for mark in seg.marks)


# Figure 5.

STORED_BY_AUTHORS = "not printed: the figure draws it, the number is stored by the authors"
AUTHORS_DRAWS = 100  # what their package draws unless told otherwise
CHANCE_BOUND = (
    "4 standard errors of a chance level of 100 draws, which is what the package draws unless told "
    "otherwise"
)


@dataclass(frozen=True)
class Agreed:
    """Cohen's kappa of one text, identity matrix."""

    kappa: float
    expected: float
    error: float  # three standard errors of the simulated expectation, as they show in kappa


def _corpus(text: str, streams: Streams) -> Corpus:
    return Corpus.from_dict(
        {(text, who): {"1": one, "2": two} for who, (one, two) in streams.items()}
    )


def _agreed(text: str, streams: Streams, metric: Literal["Sf", "SfB"], run: Run) -> Agreed:
    """The chance level of S_f is exact, that of S_f^B simulated."""
    chance: dict[str, Any] = {"exact": True}
    if metric == "SfB":
        chance = {"draws": 100 if run.fast else 1000, "seed": run.seed}
    row = agreement(_corpus(text, streams), metric=metric, chance="bernoulli", **chance)[0]
    error = 3 * (row["standard_error"] or 0.0) / (1 - row["expected"])
    return Agreed(row["value"], row["expected"], error)


@dataclass(frozen=True)
class Chance:
    """S_f and S_f^B of random annotations with the last speaker's proportions."""

    s_f: npt.NDArray[np.float64]
    s_f_b: npt.NDArray[np.float64]
    as_package: float  # the mean S_f^B with the package's count
    error: float  # its standard error

    @staticmethod
    def spread(values: npt.NDArray[np.float64], kappa: float) -> float:
        """Return the standard error of a kappa whose chance level has as many draws as theirs."""
        error = float(values.std(ddof=1)) / math.sqrt(AUTHORS_DRAWS)
        return error * (1 - kappa) / (1 - float(values.mean()))


def last_speaker_chance(text: str, streams: Streams, run: Run) -> Chance:
    """Draw all speakers' annotations from the proportions of the last one, as the package does."""
    draws = 100 if run.fast else 1000
    names = _corpus(text, streams).kind_names or ()
    units = np.array([one.units for one, _ in streams.values()] * draws, dtype=np.int64)
    some = draws // 10  # the package's count is slow: these show by how much it is off the optimum
    sides, marks = [], []
    for annotator, seg in enumerate(list(streams.values())[-1]):
        keys = np.random.default_rng([run.seed, annotator]).integers(
            0, 2**64, len(units), np.uint64
        )
        shares = limits(_proportions(seg, names)[None, :])
        offsets, places, kinds = _core.random_boundaries(units, np.zeros_like(units), shares, keys)
        sides.append(Column.own(places, offsets, kinds))
        marks.append(
            _strings(places, offsets, np.array(names)[kinds], units[: some * len(streams)])
        )
    pairs = Pairs._trusted(sides[0], sides[1], units, tuple(names))
    counted = flexible_similarity.recipe(costs=Costs.identity()).count(pairs)
    nano, edits, matches, tokens = counted.reshape(draws, len(streams), 4).sum(axis=1).T
    cost = nano / 10**9
    best = 1 - cost / (edits + matches)
    counter = package_counter(Costs.identity())
    own = np.array([counter(*pair) for pair in zip(*marks, strict=True)])
    theirs = own.reshape(some, len(streams), 2).sum(axis=1)
    off = 1 - theirs[:, 0] / theirs[:, 1] - best[:some]
    error = math.sqrt(best.var(ddof=1) / draws + off.var(ddof=1) / some)
    return Chance(1 - cost / tokens, best, float(best.mean() + off.mean()), error)


def _strings(
    places: npt.NDArray[Any], offsets: npt.NDArray[Any], marks: npt.NDArray[Any],
    units: npt.NDArray[np.int64],
) -> list[str]:  # fmt: skip
    """The first texts of columns, as many as have units given, one character a token."""
    ends, last = np.cumsum(units), offsets[len(units)]
    starts = np.repeat(ends - units, np.diff(offsets[: len(units) + 1]))
    flat = np.full(ends[-1], " ")
    flat[starts + places[:last] - 1] = marks[:last]
    return ["".join(text) for text in np.split(flat, ends[:-1])]


def last_speaker_kappa(text: str, streams: Streams) -> float:
    """Kappa of S_f with the chance of the last speaker's proportions, by exact expectation."""
    corpus = _corpus(text, streams)
    names = corpus.kind_names or ()
    last = list(streams.values())[-1]
    one, two = (_proportions(seg, names) for seg in last)
    pairs = Annotations.of(corpus).pairs()
    prices = Prices.of(pairs, Costs.identity(), True)
    units = pairs.units.tolist()
    expected = 1 - expected_cost(prices, one, two, units) / sum(units)
    return float(_kappa(count(streams, "identity").s_f, expected))


def _proportions(seg: Segmentation, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """How often no boundary, and each kind, follows a token."""
    marks = Counter(seg.marks)
    return np.array([marks[kind] / seg.units for kind in ("", *names)])


@PAPER.item("Figure 5", source="authors' data")
@_with_texts
def _figure_5(texts: dict[str, Streams], run: Run) -> Iterator[Line]:
    for text, stored in NUMBERS["figure_5"].items():
        drawn = last_speaker_chance(text, texts[text], run) if text in texts else None
        for name, metric, number in zip(("S_f", "S_f^B"), ("Sf", "SfB"), stored, strict=True):
            where = f"{text}: kappa of {name}, identity"
            if drawn is None:
                yield absent(where, number, f"{STORED_BY_AUTHORS}; {NOT_EXPORTED}")
                continue
            ours = _agreed(text, texts[text], metric, run)  # type: ignore[arg-type]
            values = drawn.s_f if name == "S_f" else drawn.s_f_b
            bound = 4 * Chance.spread(values, ours.kappa)
            derived = f"{STORED_BY_AUTHORS}; {CHANCE_BOUND}"
            line = close(where, number, ours.kappa, ours.error + bound,
                         derived + ", and three of ours" * bool(ours.error))  # fmt: skip
            if line.verdict == "differs":
                why = "the package takes the last speaker's proportions for all, see below"
                line = replace(line, note=f"{line.note}; {why}")
            yield line
            yield _by_last_speaker(where, number, bound, derived, text, texts[text], drawn)
    yield absent("kappas under M'", None, NO_KAPPAS)


NO_KAPPAS = (
    "not available: the authors store them beside those of the identity in a workspace file of "
    "theirs, of which only the latter are at hand, and the paper prints neither"
)


def _by_last_speaker(
    where: str,
    number: float,
    bound: float,
    derived: str,
    text: str,
    streams: Streams,
    drawn: Chance,
) -> Line:
    """The kappa with the last speaker's proportions for all; S_f by its exact expectation."""
    where += ", the last speaker's proportions"
    if "^B" not in where:
        kappa = last_speaker_kappa(text, streams)
        return close(where, number, kappa, bound, f"{derived}; exact expectation", basis="fitted",
                     tried=2)  # fmt: skip
    best = _kappa(count(streams, "identity").s_f_b, float(drawn.s_f_b.mean()))
    cost, whole = package_count(streams, package_counter(Costs.identity()))
    kappa = _kappa(1 - cost / whole, drawn.as_package)
    error = 3 * drawn.error * (1 - kappa) / (1 - drawn.as_package)
    note = (
        f"{derived}, and three of ours; {AS_PACKAGE}. That rule has the package's count of all "
        f"five texts under three matrices; the optimum's count gives {best:.4f}"
    )
    return close(f"{where} and edit count", number, kappa, bound + error, note, basis="fitted",
                 tried=4)  # fmt: skip


def _kappa(observed: float, chance: float) -> float:
    return (observed - chance) / (1 - chance)


# Figure 6.

KINDS = {",": ",", ".": ".", "?": "?", "--": "+"}  # as the paper writes them, as the texts do
STORED = ("009", "016", "025", "049")
# The fewest operations over which all shares, as stored, are whole numbers; these counts add up.
OPERATIONS = {",": 1543, ".": 1895, "?": 189, "--": 217}


def operations(texts: Mapping[str, Streams]) -> Counter[tuple[str, str, str]]:
    """How often each step meets each two kinds, whoever put them ("" stands for none).

    Steps between two kinds are found under both orders of the two.
    """
    recipe = flexible_similarity.recipe(costs=Costs.identity())
    found: Counter[tuple[str, str, str]] = Counter()
    for text in STORED:
        for steps in recipe.edits(_pairs(texts[text])):
            for step in steps:
                assert isinstance(step, Edit)
                kinds = step.ref_kind or "", step.hyp_kind or ""
                what = "del" if "" in kinds else step.what
                for pair in {kinds, kinds[::-1]}:
                    found[what, *pair] += 1
    return found


@PAPER.item("Figure 6")
@_with_texts
def _figure_6(texts: dict[str, Streams], run: Run) -> Iterator[Line]:
    found = operations(texts)
    ours_of = {kind: _all_of(found, mark) for kind, mark in KINDS.items()}
    stored = NUMBERS["figure_6"]
    moved = sum(n for (what, a, b), n in found.items() if what == "move+substitution" and a < b)

    def line(where: str, kind: str, share: float, ours: int, why: str) -> Line:
        theirs = round(share * OPERATIONS[kind])
        note = (
            f"{share:.4f} of {OPERATIONS[kind]} operations as stored by the authors, "
            f"{ours / ours_of[kind]:.4f} of {ours_of[kind]} here"
        )
        if why and theirs != ours and abs(theirs - ours) <= moved:
            return close(where, theirs, ours, moved, f"{note}; {why}", source="authors' data")
        note = note if theirs == ours or not why else f"{note}; {why}"
        return same(where, theirs, ours, 0, note, source="authors' data")

    for change, share in stored["substitution"].items():
        kind, other = change.split("->") if not change.startswith("--->") else ("--", change[4:])
        ours = found["substitution", KINDS[kind], KINDS[other]]
        yield line(f"{kind} for {other}", kind, share, ours, "")
    split = f"{moved} boundaries are moved and substituted, which the authors file elsewhere"
    for what, name in (("del", "deleted"), ("tr", "moved")):
        for kind, share in stored[what].items():
            mark = KINDS[kind]
            ours = found["del", mark, ""] if what == "del" else found["move", mark, mark]
            yield line(f"{kind} {name}", kind, share, ours, split)
    for kind, share in stored["match"].items():
        mark, theirs = KINDS[kind], round(share * OPERATIONS[kind])
        note = (
            f"{share:.4f} of {OPERATIONS[kind]} operations as stored by the authors: twice the "
            "matches of the last speaker of each text; all speakers together have "
            f"{found['match', mark, mark]}"
        )
        ours = 2 * sum(_matches(list(texts[text].values())[-1])[mark] for text in STORED)
        yield same(f"{kind} matched", theirs, ours, 0, note, source="authors' data",
                   basis="fitted", tried=2)  # fmt: skip
    yield from _figure_6_claims(found, ours_of)


def _matches(annotations: tuple[Segmentation, Segmentation]) -> Counter[str]:
    """How often both annotators of a speaker have the same kind at the same place."""
    both = zip(annotations[0].marks, annotations[1].marks, strict=True)
    return Counter(str(one) for one, two in both if one == two != "")


def _all_of(found: Counter[tuple[str, str, str]], mark: str) -> int:
    """The operations on a kind, without those that meet an unclassified boundary (;)."""
    return sum(n for (_, a, b), n in found.items() if a == mark and b != ";")


def _figure_6_claims(
    found: Counter[tuple[str, str, str]], whole: Mapping[str, int]
) -> Iterator[Line]:
    share = {k: found["match", m, m] / whole[k] for k, m in KINDS.items()}
    least = ", ".join(f"{k} {v:.3f}" for k, v in share.items())
    yield claim(
        "falls are matched less than half of the time",
        share["."],
        share["."] < 0.5,
        "counting all places where both annotators have a period, it is more than half",
    )
    rest = all(v < share["."] for k, v in share.items() if k != ".")
    yield claim("the other kinds are matched less than falls", least, rest)
    deleted = {k: found["del", m, ""] / whole[k] for k, m in KINDS.items()}
    most = max(deleted, key=deleted.__getitem__)
    yield claim(
        "continuations are deleted most, below 20%",
        f"{most} {deleted[most]:.3f}",
        most == "," and deleted[most] < 0.2,
    )
    falls = found["substitution", "?", "."] / whole["?"]
    yield claim(
        "appeals meet falls around 70% of the time", falls, abs(falls - 0.7) < 0.05,
        threshold="within .05 of it",
    )  # fmt: skip


# Section 4.4.


@PAPER.item("Section 4.4")
@_with_texts
def _section_4_4(texts: dict[str, Streams], run: Run) -> Iterator[Line]:
    for text, streams in texts.items():
        observed = count(streams, "identity")
        plain, by_edits = (_agreed(text, streams, m, run) for m in ("Sf", "SfB"))
        cost = (1 - plain.expected) * observed.units  # by chance
        whole = cost / (1 - by_edits.expected)  # edits and matches by chance
        yield claim(
            f"{text}: by chance there are more edits and matches than in the annotations",
            f"{whole:.0f} and {observed.whole}",
            whole > observed.whole,
        )
        same_whole = 1 - cost / observed.whole
        yield claim(
            f"{text}: so the chance level of S_f^B is inflated",
            by_edits.expected,
            by_edits.expected > same_whole,
            f"it would be {same_whole:.3f} over the annotations' own edits and matches",
        )
        yield claim(
            f"{text}: and its kappa is deflated",
            by_edits.kappa,
            by_edits.kappa + by_edits.error < plain.kappa - plain.error,
            f"kappa of S_f is {plain.kappa:.4f}; over one divisor, whichever it is, both kappas "
            "are 1 - C/C_chance, so this is all of the difference",
        )
