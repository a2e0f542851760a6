"""Numbers of Lai et al. (2023) and of their R package segsimflex, and the exact optimum."""

import csv
import json
import os
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import fencepost as fp
from fencepost import Corpus, Costs, Pairs, Segmentation
from fencepost.coders.annotations import Annotations
from fencepost.coders.expected import expected_cost
from fencepost.metrics.flexible import Prices
from oracle import flexible as oracle

PAPER = json.loads(Path(__file__).with_name("lai2023.json").read_text())
COSTS = {
    "identity": Costs.identity(),
    "as_authors_ran": Costs.lai2023_as_run(),
    "as_in_prose": Costs.lai2023(),
}
RULES = {"mean": True, "t2": False}
TEXTS = sorted({row["text"] for row in PAPER["texts"]})
Streams = dict[str, tuple[Segmentation, Segmentation]]

every_cell = pytest.mark.parametrize(
    "row", PAPER["texts"], ids=lambda row: f"{row['text']} {row['matrix']}"
)
needs_the_texts = pytest.mark.skipif(
    not os.environ.get("FENCEPOST_DATA"),
    reason="the texts are not part of the project: set FENCEPOST_DATA to the folder that holds "
    "nccu/boundary_strings.csv",
)


def annotation(marks: str) -> Segmentation:
    return Segmentation.from_marks([mark.strip() for mark in marks])


@cache
def texts() -> dict[str, Streams]:
    """The two annotators of every speaker of every text."""
    path = Path(os.environ["FENCEPOST_DATA"], "nccu", "boundary_strings.csv")
    found: dict[tuple[str, str], dict[str, Segmentation]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            own = found.setdefault((row["text"], row["speaker"]), {})
            own[row["annotator"]] = annotation(row["boundaries"])
    return {
        text: {who: (own["1"], own["2"]) for (of, who), own in found.items() if of == text}
        for text in TEXTS
    }


def counted(text: str, **settings: object) -> dict[str, int]:
    """The counts of all speakers together."""
    recipe = fp.flexible_similarity.recipe(**settings)
    counts = recipe.count(Pairs.from_segmentations(*zip(*texts()[text].values(), strict=True)))
    return dict(zip(recipe.metric.counts, counts.sum(axis=0).tolist(), strict=True))


# What needs no texts.


@pytest.mark.parametrize("case", PAPER["small_cases"], ids=lambda case: f"{case['a']}|{case['b']}")
@pytest.mark.parametrize("symmetric", [True, False])
def test_small_cases(case, symmetric):
    pair = annotation(case["a"]), annotation(case["b"])
    for both in (pair, pair[::-1]):
        score = fp.flexible_similarity(*both, symmetric=symmetric)
        assert score.counts["nanocost"] == case["cost"] * 10**9
        assert score.counts["edits"] == case["edits"]
        assert score.counts["matches"] == 0
        assert len(score.edits) == case["edits"]


@pytest.mark.parametrize("name", ["as_in_prose", "as_authors_ran"])
def test_the_matrix_of_section_4_2(name):
    *kinds, none = PAPER["matrix"]["kinds"][name]
    assert none == "none"
    given = Costs.from_matrix(kinds, PAPER["matrix"]["values"])
    assert COSTS[name] == given
    deleting = [1 - row[-1] for row in PAPER["matrix"]["values"][:-1]]
    assert COSTS[name].moving.tolist() == [cost / 2 for cost in deleting]


def test_the_authors_ran_it_with_comma_and_period_exchanged():
    prose, run = COSTS["as_in_prose"], COSTS["as_authors_ran"]
    exchanged = [{",": ".", ".": ","}.get(kind, kind) for kind in prose.kinds]
    assert run == Costs.from_matrix(exchanged, prose.similarity)
    assert run != prose


# The five texts: two annotators, two or three speakers.


@needs_the_texts
@every_cell
@pytest.mark.parametrize("rule", RULES)
def test_cost_edits_and_both_similarities_of_a_text(row, rule):
    cost, edits_and_matches, s_f, s_f_b = row[rule]
    chosen = {"costs": COSTS[row["matrix"]], "symmetric": RULES[rule]}
    counts = counted(row["text"], **chosen)
    assert counts["nanocost"] == cost * 10**9
    assert counts["edits"] + counts["matches"] == edits_and_matches
    assert counts["units"] == row["N"]
    # All costs are sixteenths, so the quotient alone is rounded.
    for norm, whole, golden in (("units", row["N"], s_f), ("edits", edits_and_matches, s_f_b)):
        recipe = fp.flexible_similarity.recipe(**chosen, norm=norm)
        refs, hyps = (
            {(row["text"], who): pair[side] for who, pair in texts()[row["text"]].items()}
            for side in (0, 1)
        )
        (scored,) = fp.score(refs, hyps, metrics=[recipe], baselines=False).rows
        assert scored["value"] == float(1 - Fraction(cost) / whole)
        assert abs(scored["value"] - golden) <= 2**-53


@needs_the_texts
@every_cell
def test_the_record_of_a_text_adds_up_to_its_cost(row):
    recipe = fp.flexible_similarity.recipe(costs=COSTS[row["matrix"]])
    pairs = Pairs.from_segmentations(*zip(*texts()[row["text"]].values(), strict=True))
    steps = [step for own in recipe.edits(pairs) for step in own]
    assert sum(Fraction(step.cost) for step in steps) == Fraction(row["mean"][0])
    assert len(steps) == row["mean"][1]


@needs_the_texts
@pytest.mark.parametrize("text", TEXTS)
def test_figure_4_as_drawn(text):
    # No printed numbers: read off the coordinates of the authors' drawing.
    drawn = PAPER["published_figure_4"][text]
    for letter, matrix in (("I", "identity"), ("M", "as_authors_ran")):
        for norm, name in (("units", f"S{letter}"), ("edits", f"SB{letter}")):
            recipe = fp.flexible_similarity.recipe(costs=COSTS[matrix], norm=norm)
            counts = counted(text, costs=COSTS[matrix])
            (value,) = recipe.value([list(counts.values())])
            # The package counts two or four edits of text 009 twice, which S_f^B divides by.
            bound = 0.001 if (text, norm) == ("009", "edits") else 0.0001
            assert abs(value - drawn[name]) < bound


# Beside the R package.


class RightHand(oracle.Prices):
    """A move costs what the boundary that stands further right costs, as in segsimflex."""

    def pair(self, p, a, q, b):
        return self.step(a if p > q else b) * abs(p - q) + self.change(a, b)


# Where the R package's cost is not ours: by mean, by t2, and R's. With the identity, where moving
# costs the same for all kinds, there is no such text.
OTHER_COSTS = {
    ("001", "as_authors_ran"): (259.375, 259.5, 259.25),
    ("009", "as_authors_ran"): (340.875, 340.875, 341.125),
    ("009", "as_in_prose"): (312.9375, 313.0, 312.75),
}


@needs_the_texts
@every_cell
def test_costs_are_those_of_the_r_package_in_all_cells_but_three(row):
    cell = row["text"], row["matrix"]
    ours = [
        counted(row["text"], costs=COSTS[row["matrix"]], symmetric=symmetric)["nanocost"] / 10**9
        for symmetric in RULES.values()
    ]
    r = row["R"][0]
    assert (*ours, r) == OTHER_COSTS.get(cell, (r, r, r))


@needs_the_texts
@every_cell
def test_what_differs_is_which_of_two_kinds_says_the_cost_of_a_move(row):
    # With the right-hand boundary's cost the exact optimum is the R package's cost everywhere.
    prices = RightHand(COSTS[row["matrix"]], symmetric=False)
    streams = [oracle.recursion(pair, prices) for pair in texts()[row["text"]].values()]
    cost, edits, matches = (sum(column) for column in zip(*streams, strict=True))
    assert cost == Fraction(row["R"][0])
    # It counts some edits of text 009 twice.
    twice = {("009", "identity"): 2, ("009", "as_authors_ran"): 4, ("009", "as_in_prose"): 4}
    assert row["R"][1] - (edits + matches) == twice.get((row["text"], row["matrix"]), 0)


# Chance. Each simulated expectation may be off by three standard errors; .003 is what the authors'
# own simulation and their pruned optimum are allowed.

DRAWS = 400


def corpus(text: str) -> Corpus:
    return Corpus.from_dict(
        {(text, who): {"1": first, "2": second} for who, (first, second) in texts()[text].items()}
    )


def kappa(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected)


@needs_the_texts
@pytest.mark.parametrize(
    ("text", "metric"),
    [("001", "Sf"), ("049", "Sf"), ("001", "SfB"), ("009", "SfB"), ("049", "SfB")],
)
def test_kappas_are_the_authors_where_theirs_are_sound(text, metric):
    stored = PAPER["kappa_as_stored_by_the_authors"]["values"][text][metric == "SfB"]
    row = fp.agreement(corpus(text), metric=metric, chance="bernoulli", draws=DRAWS)[0]
    error = 3 * row["standard_error"] / (1 - row["expected"])
    assert row["coefficient"] == "kappa"
    assert abs(row["value"] - stored) < error + 0.003


@pytest.mark.slow
@needs_the_texts
@pytest.mark.parametrize("text", TEXTS)
def test_the_other_kappas_take_the_last_speakers_proportions_for_all(text):
    stored = PAPER["kappa_as_stored_by_the_authors"]["values"][text][0]
    whole = corpus(text)
    names = whole.kind_names
    last = list(texts()[text].values())[-1]
    shares = [
        np.array([seg.marks.count(kind) / seg.units for kind in ("", *names)]) for seg in last
    ]
    pairs = Annotations.of(whole).pairs()
    prices = Prices.of(pairs, Costs.identity(), True)
    units = pairs.units.tolist()
    expected = 1 - expected_cost(prices, *shares, units) / sum(units)
    observed = fp.agreement(whole, metric="Sf", chance="bernoulli", draws=2)[0]["observed"]
    assert abs(kappa(observed, expected) - stored) < 0.003


@pytest.mark.slow
@needs_the_texts
@pytest.mark.parametrize("text", PAPER["exact_chance_identity"]["values"])
def test_the_exact_expectation_under_the_identity(text):
    row = fp.agreement(corpus(text), metric="Sf", chance="bernoulli", exact=True)[0]
    assert round(row["expected"], 6) == PAPER["exact_chance_identity"]["values"][text]
