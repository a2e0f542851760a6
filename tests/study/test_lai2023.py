"""Lai et al. (2023), reproduced; most of it needs the texts, which are not part of the project."""

import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from fencepost.study.papers import find
from fencepost.study.papers.base import Run
from fencepost.study.papers.lai2023 import (
    FILE,
    MATRICES,
    NUMBERS,
    OPERATIONS,
    operations,
    package_count,
    package_counter,
    read_texts,
)

PAPER = find("lai2023")
DATA = os.environ.get("FENCEPOST_DATA")
needs_the_texts = pytest.mark.skipif(
    not DATA, reason=f"set FENCEPOST_DATA to the folder that holds {FILE}"
)


@cache
def lines(item, data=DATA, fast=True):
    run = Run(data=Path(data) if data else None, fast=fast)
    return [line for _, line in PAPER.lines(run, item)]


def verdicts(item):
    return Counter(line.verdict for line in lines(item))


def test_figure_2():
    least, unmoved, left = lines("figure 2", None)
    assert (least.printed, least.ours, least.verdict) == (3.5, 3.5, "equal")
    assert (unmoved.printed, unmoved.ours, unmoved.verdict) == (5, 5.0, "equal")
    assert (left.printed, left.ours, left.verdict, left.basis) == (4.5, 4.5, "equal", "fitted")


@pytest.mark.parametrize("item", ["figure 4", "figure 5", "figure 6", "section 4.4", "segsimflex"])
def test_without_the_texts_a_sentence_says_where_to_get_them(item, tmp_path):
    for folder in (None, tmp_path):
        (line,) = lines(item, folder)
        assert line.verdict == "not reproduced"
        assert "nccu/boundary_strings.csv" in line.note
        assert "--data or FENCEPOST_DATA" in line.note


def test_the_shares_behind_figure_6_are_whole_numbers_of_operations_that_add_up():
    stored = NUMBERS["figure_6"]
    for kind, whole in OPERATIONS.items():
        own = [stored[what][kind] * whole for what in ("match", "del", "tr")]
        assert all(abs(count - round(count)) < whole * 1e-7 for count in own)
    for change, share in stored["substitution"].items():
        kind = "--" if change.startswith("--") else change[0]
        count = share * OPERATIONS[kind]
        assert abs(count - round(count)) < OPERATIONS[kind] * 1e-7
    # The confusion of falls and continuations is the same number seen from both.
    assert round(stored["substitution"][".->,"] * 1895) == 721
    assert round(stored["substitution"][",->."] * 1543) == 721


@needs_the_texts
def test_figure_4():
    # Text 036 is not there. S_f^B of text 009 differs: the package counts edits twice. Under the
    # identity text 004 is drawn with the marks of 009.
    assert verdicts("figure 4") == {"within": 20, "differs": 4, "not reproduced": 4}
    differ = {line.where: line for line in lines("figure 4") if line.verdict == "differs"}
    assert [where[:10] for where in differ if where < "009"] == ["004: S_f, ", "004: S_f^B"]
    assert [where[:10] for where in differ if where >= "009"] == ["009: S_f^B"] * 2
    drawn = NUMBERS["figure_4"]
    assert (drawn["004"]["SI"], drawn["004"]["SBI"]) == (drawn["009"]["SI"], drawn["009"]["SBI"])
    assert {line.source for line in lines("figure 4")} == {"drawing"}


@needs_the_texts
def test_text_004_with_the_long_dash_read_as_truncation():
    by_name = {line.where: line for line in lines("figure 4")}
    assert round(by_name["004: S_f, M' as run"].ours, 4) == 0.9531
    assert round(by_name["004: S_f^B, M' as run"].ours, 4) == 0.7700


@pytest.mark.slow
@needs_the_texts
def test_figure_5():
    by_name = {line.where: line for line in lines("figure 5", fast=False)}
    last = {where: line for where, line in by_name.items() if "last speaker" in where}
    assert [line.verdict for line in last.values()] == ["within"] * 10
    for where, line in last.items():
        assert abs(line.ours - line.printed) < (0.0018 if "^B" in where else 0.001)
        assert (line.basis, line.tried) == ("fitted", 4 if "^B" in where else 2)
    assert "not available" in by_name["kappas under M'"].note
    assert {line.threshold for line in last.values()} == {"derived"}
    own = {where: line for where, line in by_name.items() if where.endswith("identity")}
    differ = {where[:3] for where, line in own.items() if line.verdict == "differs"}
    assert differ == {"009", "016", "025"}
    for text in ("001", "049"):
        assert by_name[f"{text}: kappa of S_f, identity"].verdict == "within"
        assert by_name[f"{text}: kappa of S_f^B, identity"].verdict == "within"


@needs_the_texts
def test_figure_6_has_the_authors_substitutions_and_twice_the_last_speakers_matches():
    by_name = {line.where: line for line in lines("figure 6")}
    exchanged = [line for where, line in by_name.items() if " for " in where]
    assert [line.verdict for line in exchanged] == ["equal"] * 5
    matched = {w[:-8]: line for w, line in by_name.items() if w.endswith(" matched")}
    assert {kind: (line.printed, line.ours) for kind, line in matched.items()} == {
        ",": (496, 496), ".": (894, 894), "?": (26, 26), "--": (8, 8)
    }  # fmt: skip
    assert by_name["falls are matched less than half of the time"].verdict == "differs"


@needs_the_texts
def test_matches_are_the_places_where_both_annotators_have_the_kind():
    texts = read_texts(Path(DATA, FILE))
    found = operations(texts)
    both = Counter(
        one
        for text in ("009", "016", "025", "049")
        for first, second in texts[text].values()
        for one, two in zip(first.marks, second.marks, strict=True)
        if one == two != ""
    )
    assert {kind: found["match", kind, kind] for kind in both} == both


@pytest.mark.slow
@needs_the_texts
@pytest.mark.parametrize(
    ("item", "said"),
    [("figure 5", "stored by the authors"), ("figure 6", "stored by the authors"),
     ("segsimflex", "R package")],
)  # fmt: skip
def test_numbers_that_are_not_printed_say_where_they_come_from(item, said):
    found = lines(item, fast=item != "figure 5")
    assert all(said in line.note for line in found if line.printed is not None)


@pytest.mark.slow
@needs_the_texts
def test_section_4_4():
    assert verdicts("section 4.4") == {"measured": 18}


@needs_the_texts
def test_the_package_has_our_costs_in_all_cells_but_three():
    differ = [line for line in lines("segsimflex") if line.verdict == "differs"]
    assert sum(line.where.endswith("cost") for line in differ) == 3
    assert {line.where[:3] for line in differ if not line.where.endswith("cost")} == {"009"}
    assert all(line.note for line in differ)
    fitted = {line.where: line.verdict for line in lines("segsimflex") if line.basis == "fitted"}
    assert fitted == {f"{line.where}, counted as the package does": "equal" for line in differ}


@needs_the_texts
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("text", NUMBERS["segsimflex"])
def test_algorithm_1_with_the_packages_count_has_all_its_numbers(text, matrix):
    counter = package_counter(MATRICES[matrix]())
    found = package_count(read_texts(Path(DATA, FILE))[text], counter)
    assert list(found) == NUMBERS["segsimflex"][text][matrix]


@pytest.mark.parametrize(
    ("one", "two", "cost", "whole"),
    [
        ("p r q", "qr pr", 3.5, 4),  # Figure 2
        ("p    ", "    p", 2.0, 2),  # a tie: deleted and inserted
        ("p   ", "   p", 1.5, 1),
        ("p ", " q", 1.5, 2),  # moved and substituted uses up the list: twice
        ("p    q", " q    ", 2.5, 2),  # something is left: once
    ],
)
def test_the_packages_count_of_small_cases(one, two, cost, whole):
    marks = str.maketrans("pqr", ",.?")
    count = package_counter(MATRICES["identity"]())
    assert count(one.translate(marks), two.translate(marks)) == (cost, whole)
