"""fencepost reproduce: which items are chosen, how numbers are shown, and pictures of curves."""

import json
import sys

import pytest

from fencepost.cli import main
from fencepost.report.figures import draw_papers
from fencepost.report.papers import as_printed, first_lines, verdict
from fencepost.scoring.tables import Table
from fencepost.study.papers import KEYS, find
from fencepost.study.papers.base import COLUMNS, TO_DATA, PaperError, Run
from fencepost.study.papers.summary import by_source, reasons
from support import csv_rows


def reproduce(capsys, *words):
    code = main(["reproduce", *words])
    return code, *capsys.readouterr()


def row(**cells):
    usual = {"printed": None, "ours": None, "verdict": "equal", "basis": "checked", "note": ""}
    return {**dict.fromkeys(COLUMNS), **usual, **cells}


@pytest.mark.parametrize(
    ("paper", "wanted", "names"),
    [
        ("matusov2005", "table 2", ["Tables 2 and 3", "Table 2, synthetic"]),
        ("matusov2005", "Tables 2 and 3", ["Tables 2 and 3"]),
        ("pevzner2002", "table 2", ["Table 2"]),
        ("fournier2012", "figure 5", ["Figure 5"]),
        ("fournier2012", "figure 3", ["Figures 3-8"]),
        ("diaz2022", "figure 1", ["Figures 1 and 2"]),
        ("lai2023", "section", ["Section 4.4"]),
        ("diaz2022", "figure 13", ["Figure 13"]),
        ("diaz2022", "appendix", ["Appendix A"]),
        ("lai2023", "section 4.4", ["Section 4.4"]),
    ],
)
def test_an_item_is_found_by_whole_words_and_numbers(paper, wanted, names):
    assert [item.name for item in find(paper).chosen(wanted)] == names


@pytest.mark.parametrize("wanted", ["figure 99", "", " "])
def test_an_item_that_is_not_there_is_an_error(wanted):
    with pytest.raises(PaperError, match="there is Table 1, Table 2"):
        find("pevzner2002").chosen(wanted)


def test_every_item_is_found_by_its_own_name():
    for key in KEYS:
        for item in find(key).items:
            assert item in find(key).chosen(item.name)


def test_papers_without_the_item_are_left_out_and_named(capsys):
    code, out, err = reproduce(capsys, "all", "--item", "figure 10", "--csv")
    assert code == 0
    assert {line["paper"] for line in csv_rows(out)} == {"diaz2022"}
    assert "no item 'figure 10' in pevzner2002, fournier2012, lai2023, matusov2005" in err
    code, out, err = reproduce(capsys, "all", "--item", "figure 99")
    assert (code, out) == (1, "") and "no paper has an item 'figure 99'" in err


@pytest.mark.parametrize("option", ["--item", "--plot", "--html"])
def test_options_of_a_paper_need_one(capsys, option):
    code, out, err = reproduce(capsys, option, "x.png")
    assert (code, out) == (2, "") and f"{option} needs a paper" in err


# Data.


@pytest.mark.parametrize("folder", [".", "moonstone"])
def test_data_lie_in_their_folder_or_are_named_directly(tmp_path, folder):
    path = tmp_path / "moonstone" / "moonstone_masses.json"
    path.parent.mkdir()
    path.write_text("{}")
    assert Run(data=tmp_path / folder).file("moonstone/moonstone_masses.json") == path
    assert Run(data=tmp_path / folder).file("nccu/boundary_strings.csv") is None


def test_a_data_variable_that_is_no_folder_is_said(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("FENCEPOST_DATA", str(tmp_path / "nowhere"))
    code, _, err = reproduce(capsys, "diaz2022", "--item", "figure 10")
    assert code == 0 and "nowhere, which is not a folder" in err
    code, _, err = reproduce(capsys, "diaz2022", "--item", "figure 10", "--data", str(tmp_path))
    assert (code, err) == (0, "")


# How numbers are shown.


@pytest.mark.parametrize(
    ("printed", "ours", "digits", "bound", "shown"),
    [
        (0.98, 0.980049, 4, 0.000512, ("0.9800", "0.98005", "0.00051")),
        (7, 7, 0, None, ("7", "7", "")),
        (7.0, 7.25, 0, 0.5, ("7", "7.2", "0.5")),
        (0.6888093, 0.69, None, 0.0032, ("0.6888093", "0.69000000", "0.0032")),
        (None, 0.000012345, None, None, ("", "1.234e-05", "")),
        ("H1", "H2", None, None, ("H1", "H2", "")),
    ],
)
def test_numbers_have_the_printed_digits_and_ours_one_more(printed, ours, digits, bound, shown):
    rows = (row(printed=printed, ours=ours, digits=digits, bound=bound),)
    (cells,) = as_printed(Table(COLUMNS, rows)).rows
    assert (cells["printed"], cells["ours"], cells["bound"]) == shown


def test_markdown_is_for_people_and_json_keeps_every_digit(capsys):
    _, out, _ = reproduce(capsys, "diaz2022", "--item", "figure 10", "--markdown")
    assert "| A of (r, h1) | 0.83 | 0.829 |" in out
    assert "digits" not in out
    _, out, _ = reproduce(capsys, "diaz2022", "--item", "figure 10", "--json")
    first = json.loads(out)["rows"][0]
    assert (first["printed"], first["digits"]) == (0.83, 2)
    assert len(repr(first["ours"])) > 8


def test_all_lines_that_differ_or_are_not_reproduced_are_shown():
    verdicts = ["not reproduced"] * 18 + ["equal"] * 8 + ["differs"] * 3
    rows = [row(verdict=verdict) for verdict in verdicts]
    assert [one["verdict"] for one in first_lines(rows)] == ["not reproduced"] * 18 + [
        "differs"
    ] * 3
    kept = [one["verdict"] for one in first_lines(rows[16:])]
    assert kept == ["not reproduced"] * 2 + ["equal"] * 7 + ["differs"] * 3


def test_a_bound_is_not_taken_for_the_difference():
    assert verdict(row(verdict="within", bound=0.0044)) == "within 0.0044"
    differs = row(verdict="differs", bound=0.0014, basis="fitted", tried=2)
    assert verdict(differs) == "differs, bound 0.0014 (fitted, 2 recipes tried)"


# The first table.


def test_the_first_table_counts_verdicts_by_paper_and_source():
    rows = [row(paper="a", source="paper"), row(paper="a", source="words", verdict="measured"),
            row(paper="b", source="paper", verdict="differs")]  # fmt: skip
    table = by_source(rows)
    assert [(r["paper"], r["source"], r["equal"], r["measured"], r["differs"]) for r in table] == [
        ("a", None, 1, 1, None), ("a", "paper", 1, None, None), ("a", "words", None, 1, None),
        ("b", None, None, None, 1), ("b", "paper", None, None, 1),
    ]  # fmt: skip


def test_the_output_begins_with_the_table_and_the_reasons(capsys):
    _, out, _ = reproduce(capsys, "diaz2022", "--item", "figure 9")
    lines = out.splitlines()
    assert lines[0].split() == ["equal", "within", "measured", "differs", "not", "reproduced"]
    assert lines[1].split() == ["diaz2022", "4", "1"]
    assert lines[2].split() == ["paper", "1"]
    assert "words:         said in the paper in words, without a number" in lines
    at = lines.index("what differs, and why")
    assert lines[at + 1].startswith("diaz2022, Figure 9 (1 of 5 not reproduced): The figure gives")
    assert max(map(len, lines[: at + 2])) <= 80
    _, out, _ = reproduce(capsys, "diaz2022", "--item", "figure 10")
    assert "what differs" not in out


def test_every_reason_is_a_sentence_about_an_item_of_its_paper():
    for key in KEYS:
        declared = find(key).numbers["reasons"]
        assert set(declared) <= {item.name for item in find(key).items}
        for reason in declared.values():
            assert reason[0].isupper() and reason.endswith(".") and ". " not in reason
            assert len(reason.split()) <= 25


def test_data_that_are_not_at_hand_are_the_reason(capsys, monkeypatch):
    monkeypatch.delenv("FENCEPOST_DATA", raising=False)
    table = find("fournier2012").table(Run(fast=True), "table 2")
    (why,) = reasons(list(table.rows))
    assert TO_DATA in why["reason"] and why["not reproduced"] == len(table) == why["lines"]
    assert find("fournier2012").reason("Figure 5", ["as noted", ""]) == "as noted"


def test_notes_stand_below_with_the_mark_of_their_lines(capsys):
    _, out, _ = reproduce(capsys, "diaz2022", "--item", "figure 9")
    lines = out.splitlines()
    assert any(line.rstrip().endswith("not reproduced [1]") for line in lines)
    assert sum(line.rstrip().endswith("measured [2]") for line in lines) == 4
    assert any(line.startswith("  [1] no sizes are given") for line in lines)
    assert any(line.startswith("  [2] with six segments") for line in lines)


# Pictures.


def test_the_curves_have_a_panel_each():
    pytest.importorskip("matplotlib")
    drawn = draw_papers([find(key) for key in KEYS], Run(fast=True))
    titles = [ax.get_title() for ax in drawn.axes]
    figures = ["fournier2012, Figure 5a", "fournier2012, Figure 5b", "fournier2012, Figure 5c"]
    figures += [f"diaz2022, Figure {n}" for n in (13, 14, 15) for _ in range(3)]  # three lengths
    assert [title.split(":")[0] for title in titles] == figures
    first = {line.get_label(): line for line in drawn.axes[0].lines}
    assert list(first) == ["S", "1-WD"]
    assert first["1-WD"].get_ydata()[7] == 0  # section 4.1: 7 false positives


def test_every_drawing_belongs_to_an_item_and_says_what_it_shows():
    for key in KEYS:
        paper = find(key)
        assert set(paper.drawn) <= {item.name for item in paper.items}
        for _, drawing in paper.drawings(Run(fast=True)):
            assert bool(drawing.lines) != (drawing.texts is not None)
            assert drawing.title and drawing.about


@pytest.mark.slow
def test_a_plot_is_written(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curves.svg"
    code, out, err = reproduce(capsys, "fournier2012", "--item", "figure 5", "--plot", str(path))
    assert (code, path.exists()) == (0, True)
    assert "curves.svg" in err and "fournier2012, Figure 5" in out


def test_a_paper_without_curves_and_a_missing_matplotlib_are_said(capsys, monkeypatch):
    code, out, err = reproduce(capsys, "lai2023", "--plot", "x.png")
    assert (code, out) == (2, "") and "lai2023 has no curves; fournier2012 and diaz2022" in err
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = reproduce(capsys, "fournier2012", "--plot", "x.png")
    assert (code, out) == (2, "") and "pip install 'fencepost[plot]'" in err
