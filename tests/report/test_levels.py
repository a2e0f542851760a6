"""Drawings of hierarchies: the coarser a boundary, the taller and thicker it is."""

import io
import json
import re

import pytest

import fencepost as fp
from fencepost.model.levels import MAX_RUNGS, Ladder
from fencepost.report.drawing import draw_edits, draw_segmentations, write_drawing
from fencepost.report.html import render
from fencepost.report.text import fit
from pages import page_of
from support import run

REF = fp.Segmentation(9, [2, 4, 5, 7], [2, 1, 3, 2], ["1", "2", "3"])
HYP = fp.Segmentation(9, [2, 4, 6], [2, 2, 1], ["1", "2", "3"])
NAMED = fp.Segmentation(6, [2, 4], [1, 2], ["section", "chapter"])
SEVERAL = fp.Segmentation(6, [2, 2], [1, 2], ["1", "2"])


def test_printed_boundaries_are_as_tall_as_their_levels_are_coarse():
    assert str(REF).splitlines() == [
        "level 1           |",
        "level 2     |     |        |",
        "level 3 1  2| 3  4| 5| 6  7| 8  9",
        "",
        "the taller a line, the coarser its level: 1, 2, 3",
    ]


def test_a_long_text_is_printed_in_lines_of_one_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    seg = fp.Segmentation(30, [3, 20], [1, 2], ["1", "2"])
    blocks = str(seg).split("\n\n")
    assert len(blocks) == 5
    assert all(len(block.splitlines()) == 2 for block in blocks[:-1])
    assert max(map(len, str(seg).splitlines()[:-1])) <= 40


def test_types_that_are_no_levels_are_printed_as_before():
    assert str(NAMED) == "1        2section 3        4chapter 5        6"
    assert str(SEVERAL) == "1   212 3   4   5   6"


def test_strips_have_a_line_per_level_and_a_legend():
    assert draw_segmentations([("a", REF), ("b", HYP)]).splitlines() == [
        "   level 1            │",
        "   level 2      │     │        │",
        "a  level 3  1  2│ 3  4│ 5│ 6  7│ 8  9",
        "   level 1                  │",
        "   level 2      │     │     │",
        "b  level 3  1  2│ 3  4│ 5  6│ 7  8  9",
        "",
        "the taller a line, the coarser its level: 1, 2, 3",
    ]


def test_a_reference_grows_upwards_and_a_hypothesis_downwards():
    edits = fp.boundary_similarity(REF, HYP).edits
    lines = draw_edits(REF, HYP, edits, ("ref", "hyp")).splitlines()
    heads = [line[:13].strip() for line in lines if "level" in line[:13]]
    assert heads == ["level 1", "level 2", "ref  level 3", "hyp  level 3", "level 2", "level 1"]
    column = 13 + 3 * 4 - 1  # of the boundary after unit 4: level 1 above, level 2 below
    assert [line[column : column + 1] for line in lines[:7]] == ["│", "│", "│", "×", "│", "│", " "]
    assert lines[-1] == "the taller a line, the coarser its level: 1, 2, 3"


def test_drawings_of_levels_need_no_more_than_ascii():
    class Plain(io.StringIO):
        encoding = "ascii"

    drawn = draw_edits(REF, HYP, fp.boundary_similarity(REF, HYP).edits)
    plain = fit(drawn, Plain())
    assert plain.isascii() and "?" not in plain
    assert plain.count("|") == drawn.count("│")


def test_edits_keep_their_colours_and_levels_have_none(monkeypatch):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    write_drawing(draw_edits(REF, HYP, fp.boundary_similarity(REF, HYP).edits), out)
    coloured = [line for line in out.getvalue().splitlines() if "\x1b" in line]
    assert len(coloured) == 1 and "×" in coloured[0]


def test_declared_names_are_levels_too():
    ladder = Ladder.of([NAMED], "section<chapter")
    assert ladder.rungs == ("chapter", "section")
    assert ladder.reached(NAMED) == {2: 1, 4: 0}
    drawn = draw_segmentations([("", NAMED)], types="section<chapter").splitlines()
    assert [line[:8] for line in drawn[:2]] == ["chapter ", "section "]
    assert drawn[0].index("│") == drawn[1].rindex("│")


@pytest.mark.parametrize("types", [None, "section", "section<part"])
def test_names_without_an_order_of_all_are_no_levels(types):
    assert Ladder.of([NAMED], types) is None


def test_positions_with_several_types_are_no_levels():
    assert Ladder.of([SEVERAL]) is None


def test_very_many_levels_share_the_last_line():
    names = [str(n) for n in range(1, 10)]
    seg = fp.Segmentation(10, range(1, 10), range(1, 10), names)
    ladder = Ladder.of([seg])
    assert ladder.labels[-1] == "level 6 to 9"
    assert len(ladder.rungs) == MAX_RUNGS
    assert [ladder.reached(seg)[n] for n in range(1, 10)] == [0, 1, 2, 3, 4, 5, 5, 5, 5]
    assert ladder.thickness(0) > ladder.thickness(1) > ladder.thickness(5) == 1


def test_only_levels_that_are_there_have_a_line():
    seg = fp.Segmentation(6, [2, 4], [4, 2], ["1", "2", "3", "4"])
    assert draw_segmentations([("", seg)]).splitlines()[0].startswith("level 2")
    flat = fp.Segmentation(6, [3], [2], ["1", "2"])
    assert str(flat).splitlines()[-1] == "all boundaries are of level 2"


def test_one_level_is_a_level_too():
    flat = fp.Segmentation(6, [3], [1], ["1"])
    assert str(flat).splitlines()[0] == "level 1 1  2  3| 4  5  6"


def test_look_names_levels_as_levels(tmp_path):
    (tmp_path / "a.md").write_text("One.\n\n# A\n\nTwo.\n\n## B\n\nThree.\n", encoding="utf-8")
    out = run("look", "a.md", cwd=tmp_path).stdout
    assert "levels from coarse to fine: 1 (1 boundary), 2 (1 boundary)" in out
    assert "level 1   │\nlevel 2  1│ 2│ 3\n" in out


def test_look_takes_the_order_of_names(tmp_path):
    rows = "text\ttoken\tboundary\nd\ta\t\nd\tb\tsection\nd\tc\tchapter\nd\td\t\n"
    (tmp_path / "k.tsv").write_text(rows, encoding="utf-8")
    out = run("look", "k.tsv", "--types", "section<chapter", cwd=tmp_path).stdout
    assert "levels from coarse to fine: chapter (1 boundary), section (1 boundary)" in out
    assert "next: fencepost score k.tsv --types 'section<chapter' -i HYP" in out
    drawn = [line for line in out.splitlines() if "│" in line]
    assert [line.count("│") for line in drawn] == [1, 2]
    assert out == f"{fp.look(tmp_path / 'k.tsv', types='section<chapter')}\n".replace(
        f"{tmp_path}/", ""
    )
    for order, said in (("a<b", "'chapter' is not in types a<b"), ("section<part", "'chapter' is")):
        done = run("look", "k.tsv", "--types", order, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"k.tsv: the boundary type {said}" in done.stderr
    (tmp_path / "flat.json").write_text('{"d": [3, 4]}', encoding="utf-8")
    assert "these texts have none" in run("look", "flat.json", "--types", "a<b",
                                          cwd=tmp_path).stderr  # fmt: skip


# Pages.


def data_of(html):
    part = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1]
    return json.loads(part)["texts"]


def test_the_page_knows_how_tall_and_thick_boundaries_are():
    page = page_of(fp.Corpus.from_dict({"d": REF}), {"sys": fp.Corpus.from_dict({"d": HYP})}, ["B"])
    html = render(page)
    data = data_of(html)
    assert data["rungs"] == sorted(data["rungs"], reverse=True)
    assert [data["kinds"][i] for i in sorted(range(3), key=data["reach"].__getitem__)] == [*"123"]
    legend = html[html.index('aria-label="Levels, from coarse to fine"') :]
    legend = legend[: legend.index("</ul>")]
    assert re.findall(r"<bdi>(.*?)</bdi>", legend) == ["level 1", "level 2", "level 3"]
    tops = [float(top) for top in re.findall(r'd="M4 ([\d.]+)V', legend)]
    widths = [float(width) for width in re.findall(r'stroke-width="([\d.]+)"', legend)]
    assert tops == sorted(tops) and tops[0] == 0
    assert widths == data["rungs"]


def lines_of(svg):
    """The x, top, bottom and thickness of every boundary."""
    found = []
    for tag in re.findall(r"<path[^>]*>", svg):
        if 'class="rung"' in tag:
            width = float(re.search(r'stroke-width="([\d.]+)"', tag)[1])
            for x, top, bottom in re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)", tag):
                found.append((float(x), float(top), float(bottom), width))
    return found


def test_static_drawings_have_taller_and_thicker_lines_for_coarser_levels():
    page = page_of(fp.Corpus.from_dict({"d": REF}), {"sys": fp.Corpus.from_dict({"d": HYP})}, ["B"])
    html = render(page)
    svg = re.search(r"<figure>.*?</figure>", html[html.index('<div class="noscript">') :], re.S)[0]
    lines = lines_of(svg)
    assert len(lines) == len(REF.cuts) + len(HYP.cuts)
    by_height = sorted(lines, key=lambda line: line[2] - line[1])
    assert [line[3] for line in by_height] == sorted(line[3] for line in lines)
    assert len({bottom - top for _, top, bottom, _ in lines}) == 3


def test_notebooks_draw_levels_with_a_legend():
    html = fp.boundary_similarity(REF, HYP)._repr_html_()
    assert len(lines_of(html)) == len(REF.cuts) + len(HYP.cuts)
    assert all(f"level {n}</text>" in html for n in (1, 2, 3))
    assert "level" not in NAMED._repr_html_()


def test_the_page_takes_a_declared_order():
    corpora = [fp.Corpus.from_dict({"d": NAMED}) for _ in range(2)]
    flat = data_of(render(page_of(corpora[0], {"sys": corpora[1]}, ["B"])))
    assert flat["rungs"] == []
    declared = page_of(corpora[0], {"sys": corpora[1]}, ["B"], types="section<chapter")
    data = data_of(render(declared))
    assert dict(zip(data["kinds"], data["reach"], strict=True)) == {"chapter": 0, "section": 1}


# Plots.


def test_plots_have_taller_and_thicker_lines_and_a_legend(tmp_path):
    figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
    from fencepost.report import plot

    ax = figure.Figure().subplots()
    plot.strips(ax, REF, HYP)
    lines = {}
    for one in ax.collections:
        if hasattr(one, "get_segments") and len(one.get_segments()):
            for (x, near), (_, far) in one.get_segments():
                lines[round(near), x] = round(abs(far - near), 9), one.get_linewidths()[0]
    assert sorted(x for side, x in lines if side == 0) == REF.cuts.tolist()
    assert lines[0, 4] > lines[0, 2] > lines[0, 5]  # levels 1, 2 and 3
    assert lines[1, 6] > lines[1, 4] == lines[1, 2] == lines[0, 2]
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["level 1", "level 2", "level 3"]
    ax.figure.savefig(tmp_path / "plot.svg")
    other = figure.Figure().subplots()
    plot.strips(other, NAMED, NAMED, types="section<chapter")
    named = [text.get_text() for text in other.get_legend().get_texts()]
    assert named == ["chapter", "section"]
