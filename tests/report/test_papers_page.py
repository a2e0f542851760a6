"""The page of a reproduction: every line, printed beside ours, and figures drawn anew."""

import re

import pytest

import support
from fencepost.report.html import render
from fencepost.report.html.papers import papers_page
from fencepost.study.papers import Run, find
from fencepost.study.papers.base import COLUMNS
from pages import HOSTILE

FAST = Run(fast=True)


def page_of(key, item=None):
    paper = find(key)
    table = paper.table(FAST, item)
    return render(papers_page([paper], table, FAST, item)), table


def article(html, anchor):
    return re.search(rf'<article id="{anchor}">.*?</article>', html, re.DOTALL)[0]


def words(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_every_line_stands_on_the_page_with_printed_and_ours():
    html, table = page_of("pevzner2002", "table 3")
    own = article(html, "pevzner2002-table-3")
    for row in table:
        if row["verdict"] == "not reproduced":
            assert row["where"] in words(own).replace("&#39;", "'")
    # Those are never behind a click.
    opened = re.sub(r"<details.*?</details>", "", own, flags=re.DOTALL)
    missing = sum(row["verdict"] == "not reproduced" for row in table)
    assert missing == opened.count(">not reproduced<") > 12


def test_a_table_of_the_paper_is_a_table_again():
    html, _ = page_of("diaz2022", "figure 12")
    own = article(html, "diaz2022-figure-12")
    assert '<th scope="col">A</th><th scope="col">B</th><th scope="col">1 - WD</th>' in own
    assert "(h1a, h1b) 0.70 0.704 0.33 0.333 0.69 0.692" in words(own)
    html, table = page_of("fournier2012", "figure 5")
    assert 'class="grid"' not in article(html, "fournier2012-figure-5")  # claims are a list
    assert words(html).count("measured") >= sum(r["verdict"] == "measured" for r in table)


def test_columns_of_a_table_are_found_at_the_comma_that_fills_it():
    from fencepost.report.html.papers import _grid, _line

    usual = dict.fromkeys(COLUMNS)
    rows = [{**usual, "where": f"chapter {n}, {column}", "printed": 1.0, "ours": 1.0, "note": "",
             "verdict": "equal", "basis": "checked"}
            for n in (1, 2, 3) for column in ("S", "1-WD", "1-WD, deviation")]  # fmt: skip
    other = {**rows[0], "where": "in all (1, 2, 3)"}
    grid, rest = _grid([*rows, other], {id(row): _line(row, {}) for row in [*rows, other]})
    assert grid.columns == ["S", "1-WD", "1-WD, deviation"]
    assert [name for name, _ in grid.rows] == ["chapter 1", "chapter 2", "chapter 3"]
    assert rest == [other]


def test_figures_are_drawn_with_what_they_show():
    html, _ = page_of("fournier2012", "figure 5")
    own = article(html, "fournier2012-figure-5")
    assert own.count("<figure>") == 3
    assert "Figure 5c : one match and one full miss in a text of m units" in words(own)
    html, _ = page_of("diaz2022", "figure 16")
    own = article(html, "diaz2022-figure-16")
    assert own.count("<figure>") == 3 and "A 0.67, B 0.5, 1 - WD 0.88 as printed" in words(own)


def test_notes_are_behind_a_click_and_their_lines_point_to_them():
    html, table = page_of("diaz2022", "figure 9")
    own = article(html, "diaz2022-figure-9")
    notes = re.search(r'<details class="notes">.*?</details>', own, re.DOTALL)[0]
    for number, note in enumerate(dict.fromkeys(row["note"] for row in table), 1):
        assert note in words(notes)
        anchor = f"diaz2022-figure-9-note-{number}"
        assert f'id="{anchor}"' in notes and f'href="#{anchor}"' in own
    assert "What differs, and why" in html and "its .58 cannot be computed" in words(html)


def test_the_page_is_the_same_every_time_and_needs_no_script():
    html, _ = page_of("diaz2022", "figure 10")
    assert html == page_of("diaz2022", "figure 10")[0]
    assert "<script" not in html and "script-src &#39;none&#39;" in html


def test_what_others_wrote_stays_text():
    paper = find("diaz2022")
    table = paper.table(FAST, "figure 9")
    table.rows[0].update(where=HOSTILE[0], note=HOSTILE[1], ours=HOSTILE[2])
    html = render(papers_page([paper], table, FAST, "figure 9", HOSTILE[0]))
    for word in ("<script>document", "<img", "<svg onload"):
        assert word not in html


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path):
    path = tmp_path / "papers.html"
    done = support.run("reproduce", "diaz2022", "pevzner2002", "--item", "figure", "--fast",
                       "--html", str(path))  # fmt: skip
    assert done.returncode == 0 and "written:" in done.stderr
    html = path.read_text(encoding="utf-8")
    assert '<section id="diaz2022"' in html and '<section id="pevzner2002"' in html
    assert "(--fast)" in html and "<title>The papers recomputed</title>" in html
