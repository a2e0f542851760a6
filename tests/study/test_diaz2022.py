"""Diaz & Ouyang (2022), reproduced: figures, judgements, and section 5 as far as 14 units."""

from collections import Counter

import pytest

from fencepost.study.papers import find
from fencepost.study.papers.base import PaperError, Run
from fencepost.study.papers.diaz2022 import authors_table, quantify
from fencepost.study.probing.judgements import DIAZ2022

PAPER = find("diaz2022")


def lines(item):
    return [line for _, line in PAPER.lines(Run(fast=True), item)]


@pytest.mark.parametrize(
    ("item", "numbers"),
    [("figure 10", 6), ("figure 11", 6), ("figure 12", 15), ("figure 16", 9)],
)
def test_a_figure_has_its_printed_digits(item, numbers):
    assert [line.verdict for line in lines(item)] == ["equal"] * numbers


def test_figure_9_cannot_be_reproduced_but_its_words_hold():
    first, *claims = lines("figure 9")
    assert (first.printed, first.ours, first.verdict) == (0.58, None, "not reproduced")
    assert [line.ours for line in claims] == ["tie", "tie", "H1", "H2"]
    assert {line.verdict for line in claims} == {"measured"}


def test_people_and_the_metrics():
    by_name = {line.where: line for line in lines("appendix")}
    assert [by_name[f"{name}: people, and A"].verdict for name in ("AT", "RTC", "VT")] == [
        "equal"
    ] * 3
    ties = [line for where, line in by_name.items() if where.endswith("cannot tell")]
    assert [line.ours for line in ties] == ["tie"] * 6
    own_k = {where: line for where, line in by_name.items() if "its own k" in where}
    assert [where.split("(")[1][0] for where in own_k] == ["3", "2", "4"]
    assert [line.verdict for line in own_k.values()] == ["measured"] * 3
    people = {one.name: {"first": "H1", "second": "H2"}[one.preferred] for one in DIAZ2022}
    agree = [line.ours == people[where.split(":")[0]] for where, line in own_k.items()]
    assert agree == [False, False, True]
    assert all("of ours" in line.note for line in own_k.values())


@pytest.mark.parametrize("item", ["figure 13", "figure 14", "figure 15"])
def test_section_5_is_the_authors_table_in_every_row(item):
    found = lines(item)
    rows = [line for line in found if line.where.startswith("n ")]
    assert len(rows) == sum(n - 2 for n in range(5, 11))
    assert Counter(line.verdict for line in found)["differs"] == 0
    assert {line.verdict for line in rows} == {"equal"}


@pytest.mark.slow
def test_b_fails_more_often_than_windowdiff_in_fifteen_rows():
    from fencepost.study.papers.diaz2022 import _vanishing_claims

    (line,) = (one for one in _vanishing_claims(20) if one.where.startswith("rows where B"))
    assert (line.ours, line.verdict) == ("153 of 168", "differs")
    assert "15 rows with long segments" in line.note


@pytest.mark.parametrize("units", range(5, 15))
def test_section_5_number_by_number(units):
    for kind, by_segments in quantify(units).items():
        for segments, counts in by_segments.items():
            assert counts == authors_table()[kind, units, segments]


def test_the_authors_table_has_the_totals_that_were_recomputed_in_fractions():
    table = authors_table()
    assert len(table) == 504
    totals = {
        kind: tuple(sum(row[i] for key, row in table.items() if key[0] == kind) for i in range(4))
        for kind in ("constant-cost", "cross-boundary", "vanishing")
    }
    assert totals == {
        "constant-cost": (1_048_528, 90_443, 90_443, 0),
        "cross-boundary": (1_048_528, 142_271, 142_271, 0),
        "vanishing": (1_048_528, 805_311, 156_197, 0),
    }


def test_the_drawn_shares_are_those_that_were_counted():
    drawings = [drawing for _, drawing in PAPER.drawings(Run(fast=True), "figure 14")]
    assert [drawing.title.split(", ")[1] for drawing in drawings] == ["n = 5", "n = 7", "n = 10"]
    counted = quantify(10)["constant-cost"]
    for metric, column in (("windowdiff", 1), ("B", 2), ("A", 3)):
        shares = [(10 / m, row[column] / row[0]) for m, row in counted.items()]
        assert drawings[2].lines[metric] == shares
    assert quantify(9)["constant-cost"][3] == (28, 2, 2, 0)


@pytest.mark.parametrize("units", [2, 21, 6.0])
def test_lengths_beyond_the_table_are_refused(units):
    with pytest.raises(PaperError, match="from 3 to 20 units"):
        quantify(units)


def test_every_line_is_told_once_and_the_table_is_complete():
    table = PAPER.table(Run(fast=True))
    names = [(row["item"], row["where"]) for row in table]
    assert len(names) == len(set(names))
    assert set(table.column("verdict")) == {"equal", "measured", "not reproduced"}  # to 10 units
    assert all(row["note"] for row in table if row["verdict"] in ("differs", "not reproduced"))
