"""Matusov et al. (2005): Table 4 to the word, and the paper's claims on a corpus made for them.

The systems' outputs and the human judgements behind Figures 1 to 3 and Tables 2 and 3 are not
public. So what these show is measured on a synthetic corpus of the same sizes, where the right
boundaries and the quality of every system are known.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import accumulate
from typing import Any

import numpy as np

from fencepost.model.words import SegmentsBy
from fencepost.statistics.ranks import kendall, kendall_interval, pearson
from fencepost.streams.alignment import Ties
from fencepost.streams.resegmentation import Resegmentation, resegment
from fencepost.streams.scoring import score_stream
from fencepost.study.papers.base import (
    Line,
    Paper,
    Run,
    absent,
    alike,
    claim,
    same,
)

PAPER = Paper("matusov2005")
NUMBERS = PAPER.numbers
PRINTED = NUMBERS["systems"]  # Tables 2 and 3, systems A to D
NOT_PUBLIC = "the systems' outputs are not public; what they show is measured on a synthetic corpus"
NO_SACREBLEU = "BLEU is sacrebleu's, which is not installed: pip install 'fencepost[mt]'"
NAMES = {"wer": "WER", "per": "PER", "bleu": "BLEU", "nist": "NIST"}


# Table 4, and an example small enough to count by hand.


def _segments(ties: Ties = "rwth") -> tuple[Resegmentation, list[str]]:
    found = resegment(NUMBERS["references"], NUMBERS["original"], case="keep", ties=ties)
    # A segment that was made of two lines keeps the line end between them.
    return found, [" ".join(text.split()) for text in found.segments]


@PAPER.item("Table 4")
def _table_4(run: Run) -> Iterator[Line]:
    found, segments = _segments()
    for place, (text, ours) in enumerate(zip(NUMBERS["automatic"], segments, strict=True), start=1):
        yield alike(f"segment {place}", text, ours)
    rules: tuple[Ties, ...] = ("earliest", "latest")
    other = [rule for rule in rules if _segments(rule)[1] == NUMBERS["automatic"]]
    yield claim(
        "among equally good segmentations the paper's follows from its order of preference alone",
        "yes" if not other else ", ".join(other),
        not other,
        "boundaries at the earliest or the latest of all optimal places give others",
    )
    free = [[int(place) for place in own] for own in found.ambiguity.places]
    yield claim(
        "edits / words of the chosen references",
        f"{found.distance} / {found.reference_words}",
        (found.distance, found.reference_words) == (12, 19),
        f"boundaries can stand after words {', '.join(map(str, free))} at the same cost",
    )
    error = score_stream(found, "segmentation_error_rate")
    yield claim("segmentation error rate", error.value, error.value == 14 / 25, "14 of 25 words")


@PAPER.item("Toy", source="ours")
def _toy(run: Run) -> Iterator[Line]:
    refs = [["the cat sat", "a cat sat down"], ["on the mat", "upon the mat"]]
    found = resegment(refs, "the cat sat down on a mat")
    fewest, most = found.ambiguity.as_wer
    yield claim("edits", float(found.distance), found.distance == 2)
    yield claim(
        "AS-WER", found.as_wer.value, found.as_wer.value == 2 / 6,
        f"{fewest:.4f} to {most:.4f} over all optima: the references tie at different lengths",
    )  # fmt: skip
    yield claim("AS-PER", _value(found, "per"), _value(found, "per") == 2 / 7)
    yield claim("AS-NIST", _value(found, "nist"), round(_value(found, "nist"), 4) == 3.3671)
    if find_spec("sacrebleu") is None:
        yield absent("AS-BLEU", None, NO_SACREBLEU)
    else:
        yield claim("AS-BLEU", _value(found, "bleu"), round(_value(found, "bleu"), 2) == 64.35)


def _value(found: Resegmentation, metric: str, segments: SegmentsBy = "found") -> float:
    # On found segments WER is what the aligner counted.
    if (metric, segments) == ("wer", "found"):
        return found.as_wer.value
    return score_stream(found, f"{metric}:segments={segments}").value


# What the printed tables say themselves.


@PAPER.item("Tables 2 and 3")
def _tables_2_and_3(run: Run) -> Iterator[Line]:
    for name, row in PRINTED.items():
        yield absent(f"{name} of A, B, C, D", ", ".join(map(str, row)), NOT_PUBLIC)
    for name in ("WER", "PER", "BLEU", "NIST"):
        tau = kendall(PRINTED[name], PRINTED[f"AS-{name}"])
        yield claim(f"as printed: {name} and AS-{name} rank alike (Kendall)", tau, tau == 1,
                    source="arithmetic")  # fmt: skip
    worst = max(PRINTED["Segmentation ER"])
    yield claim("as printed: segmentation ER is below 10%", worst, worst < 10, source="arithmetic")
    slope = _slope(PRINTED["WER"], PRINTED["Segmentation ER"])
    yield claim(
        "as printed: points of segmentation ER for each point of WER", slope, 0 < slope < 0.5,
        "least squares over four systems; B has more of it than C, whose WER is higher",
        threshold="0 to .5", source="arithmetic",
    )  # fmt: skip
    for printed, name in ((6, "BLEU doc. level"), (15, "BLEU")):
        b, d = PRINTED[name][1], PRINTED[name][3]
        yield same(f"{name}: how far D is below B, in %", printed, 100 * (b - d) / b, 0,
                   source="arithmetic")  # fmt: skip


def _slope(x: Any, y: Any) -> float:
    """Of the least squares line."""
    a, b = np.asarray(x) - np.mean(x), np.asarray(y) - np.mean(y)
    return float(a @ b / (a @ a))


# A corpus with known boundaries.


@dataclass(frozen=True)
class Size:
    """How large a synthetic corpus is, and how bad its systems are."""

    segments: int
    references: int
    error_rates: tuple[float, ...]  # one system each
    mean_length: float


def _close_pairs(*rates: float) -> tuple[float, ...]:
    """Two systems at each rate that are so much alike that chance can exchange them."""
    return tuple(rate + more for rate in rates for more in (0.0, 0.005))


# Table 1: TC-STAR, whose four systems have a WER of 37% to 48%, and BTEC CE with its twenty (and 16
# references, which would take long and change nothing).
TC_STAR = Size(2643, 2, (0.36, 0.39, 0.40, 0.46), 7.8)
BTEC = Size(500, 4, _close_pairs(*(0.20 + 0.04 * i for i in range(10))), 7.3)
SMALL_TC_STAR = Size(400, 2, TC_STAR.error_rates, 7.8)
SMALL_BTEC = Size(120, 2, tuple(0.20 + 0.05 * i for i in range(8)), 7.3)


class Generator:
    """Draws a corpus: frequent and rare words, phrases that come back, references, systems."""

    types = 2000
    phrases = 40
    phrase_share = 0.3  # of segments that hold one of them
    synonyms = 3  # for each word

    def __init__(self, seed: int, size: Size) -> None:
        self.draw = random.Random(f"matusov2005 {seed} {size}")
        self.size = size
        self.words = [f"w{i}" for i in range(self.types)]
        # Zipf's law, flattened at the top.
        self.limits = list(accumulate(1 / (rank + 3) for rank in range(self.types)))
        self.repeated = [self._some(self.draw.randint(3, 5)) for _ in range(self.phrases)]

    def _some(self, count: int) -> list[str]:
        return self.draw.choices(self.words, cum_weights=self.limits, k=count)

    def segment(self) -> list[str]:
        """Words of their own, and now and then a phrase from the list."""
        spread = round(self.size.mean_length / 2)
        length = self.draw.randint(spread, round(2 * self.size.mean_length) - spread)
        if self.draw.random() >= self.phrase_share:
            return self._some(length)
        phrase = self.draw.choice(self.repeated)
        own = self._some(max(1, length - len(phrase)))
        place = self.draw.randint(0, len(own))
        return [*own[:place], *phrase, *own[place:]]

    def paraphrase(self, words: list[str]) -> list[str]:
        """Another translation: synonyms, and words more or less."""
        made = []
        for word in words:
            kind = self.draw.random()
            if kind < 0.2:
                made.append(f"{word}s{self.draw.randrange(self.synonyms)}")
            elif kind < 0.25:
                made += [word, *self._some(1)]
            elif kind >= 0.3:
                made.append(word)
        return made or words[:1]

    def translate(self, words: list[str], rate: float) -> list[str]:
        """A system's output: substitutions, deletions, insertions and exchanged neighbours."""
        made: list[str] = []
        for word in words:
            kind = self.draw.random() / rate
            if kind < 0.5:
                made += self._some(1)
            elif 0.7 <= kind < 0.9:
                made += [word, *self._some(1)]
            elif 0.9 <= kind < 1 and made:
                made.insert(len(made) - 1, word)
            elif kind >= 0.7:
                made.append(word)
        return made


class Systems:
    """The systems of a corpus with their streams cut anew; values are computed when asked for."""

    def __init__(self, seed: int, size: Size) -> None:
        make = Generator(seed, size)
        references = []
        for _ in range(size.segments):
            segment = make.segment()
            others = (make.paraphrase(segment) for _ in range(size.references - 1))
            references.append([segment, *others])
        texts = [[" ".join(words) for words in own] for own in references]
        self.size = size
        self.found = []
        for rate in size.error_rates:
            lines = [" ".join(make.translate(make.draw.choice(own), rate)) for own in references]
            self.found.append(resegment(texts, lines, tokenizer="whitespace"))
        self._values: dict[tuple[str, SegmentsBy], list[float]] = {}

    def __getitem__(self, key: tuple[str, SegmentsBy]) -> list[float]:
        """The values of a measure on found, given or whole documents' segments."""
        if key not in self._values:
            self._values[key] = [_value(found, *key) for found in self.found]
        return self._values[key]

    @cached_property
    def segmentation_errors(self) -> list[float]:
        """The segmentation error rate of every system."""
        name = "segmentation_error_rate"
        return [score_stream(found, name).value for found in self.found]

    @property
    def about(self) -> str:
        """How much there is of everything."""
        s = self.size
        return f"{len(s.error_rates)} systems, {s.segments} segments, {s.references} references"


@cache
def make_systems(seed: int, size: Size) -> Systems:
    """The same systems for every item of a run."""
    return Systems(seed, size)


def _tc_star(run: Run) -> Systems:
    return make_systems(run.seed, SMALL_TC_STAR if run.fast else TC_STAR)


def _btec(run: Run) -> Systems:
    return make_systems(run.seed, SMALL_BTEC if run.fast else BTEC)


def _measures(*wanted: str) -> list[str]:
    return [name for name in wanted if name != "bleu" or find_spec("sacrebleu") is not None]


def _without_bleu() -> Iterator[Line]:
    if find_spec("sacrebleu") is None:
        yield absent("BLEU", None, NO_SACREBLEU)


def interval(values: Callable[[list[int]], float], systems: int, seed: int) -> tuple[float, float]:
    """95% of a value when systems are drawn with replacement, 1,000 times."""
    draw = random.Random(f"systems {seed}")
    drawn: list[float] = []
    while len(drawn) < 1000:
        rows = [draw.randrange(systems) for _ in range(systems)]
        if len(set(rows)) > 1:
            drawn.append(values(rows))
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return low, high


# Figures 1 to 3: as well as with manual boundaries.


@PAPER.item("Figures 1 and 2, synthetic")
def _figures_1_and_2(run: Run) -> Iterator[Line]:
    s = _btec(run)
    yield absent(
        "correlation with adequacy and fluency", None,
        "drawn without numbers, and the judgements are not public; here the rate of errors that a "
        "system was made with stands for both",
    )  # fmt: skip
    for name in _measures("wer", "per", "bleu", "nist"):
        yield _follows_quality(s, name, run.seed, pearson, "Pearson", "follows quality")
    yield from _without_bleu()


@PAPER.item("Figure 3, synthetic")
def _figure_3(run: Run) -> Iterator[Line]:
    s = _btec(run)
    yield absent(
        "correlation with people", None,
        "drawn without numbers; here the rate of errors that a system was made with stands for "
        "their judgement",
    )  # fmt: skip
    measures = _measures("wer", "per", "bleu", "nist")
    for name in measures:
        tau = kendall(s[name, "found"], s[name, "given"])
        low, high = kendall_interval(s[name, "found"], s[name, "given"], seed=run.seed)
        yield claim(
            f"{NAMES[name]} and AS-{NAMES[name]} rank systems alike (Kendall)",
            tau,
            low > 0.8,
            f"{s.about}; 95% of draws of systems in {low:.3f} to {high:.3f}",
            threshold="all of these above .8",
        )
    for name in measures:
        yield _follows_quality(s, name, run.seed, kendall, "Kendall", "ranks by quality")
    yield from _without_bleu()


def _follows_quality(
    s: Systems, name: str, seed: int, correlate: Callable[[Any, Any], float], whose: str, what: str
) -> Line:
    errors = np.array(s.size.error_rates)
    found, given = np.array(s[name, "found"]), np.array(s[name, "given"])

    def gain(rows: list[int]) -> float:
        """How much closer to quality the automatic segmentation is for these systems."""
        own, by_hand = (abs(correlate(values[rows], errors[rows])) for values in (found, given))
        return own - by_hand

    low, high = interval(gain, len(errors), seed)
    by_hand, automatic = (abs(correlate(values, errors)) for values in (given, found))
    return claim(
        f"AS-{NAMES[name]} {what} at least as well as {NAMES[name]}",
        f"{automatic:.3f} and {by_hand:.3f}",
        high >= 0,
        f"{whose} with the systems' error rates; 95% of the differences in {low:.3f} to {high:.3f}",
        threshold="not all of these below 0",
    )


# Table 2: values hardly change, and boundaries are found even where many words are wrong.


@PAPER.item("Table 2, synthetic")
def _table_2(run: Run) -> Iterator[Line]:
    s = _tc_star(run)
    for name in _measures("wer", "per", "bleu", "nist"):
        tau = kendall(s[name, "found"], s[name, "given"])
        what = f"{NAMES[name]} and AS-{NAMES[name]} rank the systems alike (Kendall)"
        yield claim(what, tau, tau == 1, s.about)
    for name in _measures("per", "bleu", "nist"):
        changes = [abs(f / g - 1) for f, g in zip(s[name, "found"], s[name, "given"], strict=True)]
        yield claim(
            f"{NAMES[name]} hardly changes with automatic segmentation",
            max(changes),
            max(changes) < 0.05,
            "the largest change of a system's value, relative to it",
            threshold="below .05",
        )
    worst, wer = max(s.segmentation_errors), max(s["wer", "given"])
    yield claim(
        "segmentation ER is below 10% for all systems",
        worst,
        worst < 0.1,
        f"the largest; the worst system has a WER of {wer:.3f}",
    )
    yield from _without_bleu()


@PAPER.item("Segmentation ER, synthetic")
def _segmentation_error(run: Run) -> Iterator[Line]:
    s = _btec(run)
    wer, errors = np.array(s["wer", "given"]), np.array(s.segmentation_errors)
    slope = _slope(wer, errors)
    low, high = interval(lambda rows: _slope(wer[rows], errors[rows]), len(wer), run.seed)
    printed = _slope(PRINTED["WER"], PRINTED["Segmentation ER"])
    yield claim(
        "segmentation ER grows slowly with WER",
        slope,
        high < 0.5,
        f"points for each point of WER, {wer.min():.3f} to {wer.max():.3f}, {s.about}; 95% of "
        f"draws of systems in {low:.3f} to {high:.3f}; as printed it is {printed:.2f}",
        threshold="all of these below .5",
    )


# Section 2.2: cutting by length alone.


@PAPER.item("Chopping, synthetic")
def _chopping(run: Run) -> Iterator[Line]:
    s = _tc_star(run)
    given, found = np.array(s["per", "given"]), np.array(s["per", "found"])
    most = float(np.abs(found / given - 1).max())
    how: dict[str, SegmentsBy] = {
        "each reference's length": "chopped",
        "the mean length": "chopped-mean",
    }
    for what, segments in how.items():
        off = np.abs(np.array(s["per", segments]) / given - 1)
        yield claim(
            f"PER of pieces cut by {what} is a poor estimate",
            f"off by {off.min():.0%} to {off.max():.0%}",
            bool(off.min() > 5 * most),
            f"{s.about}; with automatic segmentation PER is off by at most {most:.1%}",
            threshold="five times that, for every system",
        )


# Table 3: whole documents as segments.


@PAPER.item("Table 3, synthetic")
def _table_3(run: Run) -> Iterator[Line]:
    s = _tc_star(run)
    for name in _measures("bleu", "nist"):
        whole, given, found = s[name, "document"], s[name, "given"], s[name, "found"]
        gains = [w / g - 1 for w, g in zip(whole, given, strict=True)]
        changes = [abs(f / g - 1) for f, g in zip(found, given, strict=True)]
        yield claim(
            f"document-level {NAMES[name]} overestimates",
            f"by {min(gains):.1%} to {max(gains):.1%}",
            min(gains) > max(changes),
            f"{s.about}; for every system by more than automatic segmentation changes any",
        )
        ours, theirs = ((values[0] - values[-1]) / values[0] for values in (whole, given))
        yield claim(
            f"document-level {NAMES[name]} underestimates how far the last system is behind",
            f"{ours:.1%} for {theirs:.1%}",
            ours < theirs,
        )
    yield from _without_bleu()
