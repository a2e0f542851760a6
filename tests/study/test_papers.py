"""What every line of every reproduction says of itself: source, basis, threshold."""

from collections import Counter

import pytest

from fencepost.study.papers import KEYS, Run, find
from fencepost.study.papers.base import COLUMNS, SOURCES, claim

FAST = Run(fast=True)


def test_numbers_that_are_not_printed_are_counted_apart():
    section_5 = find("diaz2022").table(FAST, "figure 13")
    assert Counter(row["source"] for row in section_5) == {"authors' CSV": 4 + 33, "words": 4}
    estimates = find("pevzner2002").table(FAST, "estimates")
    assert sum(row["source"] == "arithmetic" for row in estimates) == 12
    assert {row["source"] for row in find("matusov2005").table(FAST, "toy")} == {"ours"}


def test_a_threshold_of_ours_is_named_in_the_note_and_marked_as_chosen():
    line = claim("it is small", 0.004, True, "of ten trials", threshold=".01")
    assert (line.note, line.threshold) == ("of ten trials; threshold .01, chosen", "chosen")
    assert claim("it is smaller", "yes", True).threshold == ""


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_every_line_says_where_its_number_comes_from_and_how_it_was_judged(key):
    for row in find(key).table(FAST).rows:
        assert tuple(row) == COLUMNS
        assert row["source"] in SOURCES
        assert (row["bound"] is not None) <= (row["threshold"] != "")
        assert (row["source"] == "words") <= (row["printed"] is None)
        assert (row["tried"] is not None) <= (row["basis"] == "fitted")
