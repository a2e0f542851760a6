"""Levels are read from headings, from columns, from nested spans, and from boundary types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import fencepost as fp
import support
from fencepost import Segmentation
from fencepost.formats import headings, read_text
from fencepost.formats.intervals import Stretch, segment
from fencepost.formats.options import FormatError, Reading
from support import put

SHEET = "text,unit,level1,level2\nd1,1,0,0\nd1,2,0,1\nd1,3,1,1\nd1,4,0,0\nd1,5,1,1\n"
WIKI = "A.\n========,1,X.\nB.\nC.\n========,3,Y.\nD.\n========,2,Z.\nE.\n"


def only(corpus):
    ((_, seg),) = corpus.entries.items()
    return seg


@pytest.mark.parametrize(
    ("text", "name", "more"),
    [(WIKI, "a.txt", {}), (WIKI.replace("========,", "==== ").replace(",X.", " ====")
      .replace(",Y.", " ====").replace(",Z.", " ===="), "a.txt", {"levels": "kinds"}),
     (SHEET, "a.csv", {"levels": "kinds", "flags": "last"})],
    ids=["wiki", "numbered", "columns"],
)  # fmt: skip
def test_a_level_is_what_reading_up_to_that_level_gives(text, name, more):
    corpus = read_text(text, name, **more)
    for level in corpus.levels():
        assert corpus.at(level) == read_text(text, name, **{**more, "levels": level})


def test_levels_of_columns_must_be_nested():
    torn = SHEET.replace("d1,3,1,1", "d1,3,1,0")
    with pytest.raises(FormatError) as caught:
        read_text(torn, "a.csv", levels="kinds", flags="last")
    assert str(caught.value).startswith(
        "a.csv, line 2, level1: levels are not nested in the text d1: level1 has a boundary after "
        "unit 3, and level2 has none there."
    )
    assert only(read_text(torn, "a.csv", levels="1", flags="last")).masses == (3, 2)
    # Each annotator has levels of their own.
    two = SHEET.replace("level1,level2", "a_level1,a_level2,b_level1,b_level2")
    rows = [f"{line},{end}" for line, end in zip(two.splitlines()[1:],
            ("1,1", "0,0", "0,1", "0,0", "1,1"), strict=True)]  # fmt: skip
    corpus = read_text("\n".join([two.splitlines()[0], *rows]), "a.csv", levels="kinds",
                       flags="last")  # fmt: skip
    assert corpus["d1", "b"].named_cuts == [(1, "1"), (3, "2")]


# Files whose boundaries are of levels 1 and 3, whatever else their headings or columns have.
ONE_AND_THREE = {
    "a.wiki.txt": ("========,2,preface.\nA.\n========,1,X.\nB.\n========,3,Y.\nC.\n"
                   "========,2,Z.\n", {}),
    "a.txt": ("==== 2 ====\nA.\n==== 1 ====\nB.\n==== 3 ====\nC.\n==== 2 ====\n",
              {"levels": "kinds"}),
    "a.md": ("## Title\n\nA.\n\n# X\n\nB.\n\n### Y\n\nC.\n\n## Z\n", {}),
    "a.html": ("<h2>Title</h2><p>A.<h1>X</h1><p>B.<h3>Y</h3><p>C.<h2>Z</h2>", {}),
    "a.csv": ("text,unit,level1,level2,level3\nd,1,1,1,1\nd,2,0,0,1\nd,3,1,1,1\n",
              {"levels": "kinds", "flags": "last"}),
    "b.csv": ("text,unit,anna\nd,1,1\nd,2,3\nd,3,0\n", {"levels": "kinds", "flags": "last"}),
    "c.csv": ("text,unit,anna,ben\nd,1,1,0\nd,2,0,3\nd,3,2,2\n",
              {"levels": "kinds", "flags": "last"}),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_AND_THREE)
def test_levels_are_those_that_a_boundary_inside_a_text_has(name, tmp_path):
    text, more = ONE_AND_THREE[name]
    put(tmp_path, name, text)
    corpus = fp.read(tmp_path / name, **more)
    assert corpus.levels() == ("1", "3")
    for key, seg in corpus.entries.items():
        assert set(seg.named_cuts) <= {(1, "1"), (2, "3")}, key


def test_depths_without_a_boundary_are_no_levels():
    wanted = ("1", "3")
    spans = [(0, 2, "a"), (2, 6, "a"), (2, 6, "b"), (2, 4, "c"), (4, 6, "c")]
    stretches = [Stretch(start, end, "x.json", label) for start, end, label in spans]
    seg, _ = segment(stretches, 6, Reading("x.json", levels="nested"), "x.json")
    assert seg.named_cuts == [(2, "1"), (4, "3")]
    assert seg.kind_names == wanted


def test_headings_of_level_2_alone_are_a_flat_segmentation(tmp_path):
    """The usual article of Wiki-727K: a preface, and sections of level 2."""
    gold = "========,1,preface.\nA.\nB.\n========,2,X.\nC.\nD.\n========,2,Y.\nE.\nF.\n"
    put(tmp_path, "gold.txt", gold)
    put(tmp_path, "hyp.txt", "A.\nB.\nC.\n========,2,X.\nD.\n========,2,Y.\nE.\nF.\n")
    ref, hyp = (fp.read(tmp_path / name) for name in ("gold.txt", "hyp.txt"))
    assert ref.levels() == hyp.levels() == ("2",)
    one, other = only(ref), only(hyp)
    flat = [Segmentation(seg.units, seg.places) for seg in (one, other)]
    assert fp.level_windowdiff(one, other).value == fp.windowdiff(*flat).value > 0
    for levels in ("Sf:costs=levels", "B"):
        metric = fp.parse(levels)
        typed = metric.metric(one, other, **metric.settings).value
        assert typed == metric.metric(*flat, **metric.settings).value
    done = support.run("score", "gold.txt", "-i", "hyp.txt", "-m", "WDL", "windowdiff", "-q",
                       cwd=tmp_path)  # fmt: skip
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("hyp ")]
    assert row[1] == row[2]


def test_skipped_levels_give_what_the_same_types_give_in_python(tmp_path):
    put(tmp_path, "g.md", "a\n\n# A\n\nb\n\n### B\n\nc\n")
    put(tmp_path, "h.md", "a\n\n### A\n\nb\n\n# B\n\nc\n")
    read = [only(fp.read(tmp_path / name)) for name in ("g.md", "h.md")]
    made = [Segmentation(3, [1, 2], kinds, ["1", "3"]) for kinds in ([1, 2], [2, 1])]
    assert read == made
    for metric in (fp.boundary_similarity, fp.level_windowdiff, fp.t_f, fp.l_f):
        assert repr(metric(*read).value) == repr(metric(*made).value)


def test_a_folder_has_the_levels_of_all_its_files(tmp_path):
    (tmp_path / "gold").mkdir()
    for name, level in (("a", 2), ("b", 4), ("c", 0)):
        heading = f"{'#' * level} T\n\n" if level else ""
        put(tmp_path / "gold", f"{name}.md", f"x\n\n{heading}y\n")
    corpus = fp.read(tmp_path / "gold")
    assert corpus.levels() == ("2", "4")
    assert [len(seg.cuts) for seg in corpus.entries.values()] == [1, 1, 0]


def test_a_file_without_a_boundary_has_no_level_and_is_scored(tmp_path):
    put(tmp_path, "g.md", "# Title\n\na\n\nb\n\nc\n")
    put(tmp_path, "h.md", "a\n\n# A\n\nb\n\n### B\n\nc\n")
    corpus = fp.read(tmp_path / "g.md")
    assert (corpus.levels(), only(corpus)) == ((), Segmentation(3, [], [], []))
    for ref, hyp in (("g.md", "h.md"), ("h.md", "g.md"), ("g.md", "g.md")):
        done = support.run("score", ref, "-i", hyp, "-m", "B", "S", "Sf:costs=levels", "T", "WDL",
                           "F", "--hyp-from", "markdown", cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
    looked = support.run("look", "g.md", cwd=tmp_path)
    assert looked.returncode == 0


@pytest.mark.parametrize("line", ["==== 0 ====", "==== 1.5 ====", "==== 100 ====", "== -1 =="])
@pytest.mark.parametrize("more", [{}, {"levels": "kinds"}, {"levels": "all"}])
def test_a_number_that_is_no_level_is_no_unit(line, more):
    for text in (f"A.\n{line}\nB.\n", f"A.\n==== 1 ====\nB.\n{line}\nC.\n"):
        with pytest.raises(FormatError, match=r"give it a level from 1 to 99") as caught:
            read_text(text, "a.txt", **more)
        assert f"found {line!r}" in str(caught.value)
    with pytest.raises(FormatError, match="may be a heading with a level or a unit"):
        read_text(f"A.\n{line}\nB.\n==========\nC.\n", "a.txt")


CELLS = "text,unit,a,b\nd1,1,0,0\nd1,2,2,0\nd1,3,1,2\nd1,4,0,3\nd1,5,1,0\nd1,6,0,1\n"


def test_cells_of_a_sheet_may_be_levels():
    corpus = read_text(CELLS, "a.csv", levels="kinds", flags="last")
    assert corpus["d1", "a"].named_cuts == [(2, "2"), (3, "1"), (5, "1")]
    assert corpus["d1", "b"].named_cuts == [(3, "2"), (4, "3")]
    for level in ("1", "2", "3"):
        flat = read_text(CELLS, "a.csv", levels=level, flags="last")
        for coder in ("a", "b"):
            assert flat["d1", coder] == corpus.at(level)["d1", coder]
    partly = CELLS.replace("d1,", "d2,") + "".join(f"d3,{n},NA,{n % 3}\n" for n in range(1, 7))
    assert read_text(partly, "a.csv", levels="kinds", flags="last")["d3", "b"].masses == (
        1,
        1,
        2,
        1,
        1,
    )
    with pytest.raises(FormatError) as caught:
        read_text(CELLS, "a.csv")
    assert str(caught.value) == (
        "a.csv, line 3: a has marks (0/1), but '2' here; correct it, or --levels kinds with "
        "--flags if numbers are levels of boundaries (0 for none, 1 the coarsest)"
    )
    # Numbers that count segments stay what they are.
    counted = "unit,a\n1,0\n2,0\n3,1\n4,1\n5,2\n"
    with pytest.raises(FormatError, match="--levels does not apply: the file holds no levels"):
        read_text(counted, "a.csv", levels="kinds")


def test_names_of_levels_beside_units_lead_to_a_table_of_tokens():
    sheet = "text,unit,anna\nd1,1,\nd1,2,section\nd1,3,part\nd1,4,\nd1,5,part\nd1,6,part\n"
    with pytest.raises(FormatError, match="--from tokens --columns words=NAME"):
        read_text(sheet, "a.csv", levels="kinds")
    corpus = read_text(sheet, "a.csv", format="tokens", columns={"words": "unit"})
    assert corpus["d1"].named_cuts == [(2, "section"), (3, "part"), (5, "part"), (6, "part")]


def test_levels_of_two_sides_may_be_in_one_sheet(tmp_path):
    put(tmp_path, "ab.csv", "text,unit,a_level1,a_level2,b_level2,b_level1\nd1,1,0,0,0,0\n"
        "d1,2,0,1,1,0\nd1,3,1,1,0,0\nd1,4,0,0,0,0\nd1,5,1,1,1,1\n")  # fmt: skip
    put(tmp_path, "a.csv", CELLS)
    command = ("score", "ab.csv", "--columns", "ref=a,hyp=b", "--flags", "last", "-m", "L")
    done = support.run(*command, "--levels", "kinds", cwd=tmp_path)
    assert done.returncode == 0
    assert "levels from coarse to fine 1, 2" in done.stdout
    ref = fp.Segmentation(5, [2, 3], [2, 1], ["1", "2"])
    hyp = fp.Segmentation(5, [2], [2], ["1", "2"])
    assert f"{fp.l_f(ref, hyp).value:.3f}" in done.stdout
    asked = support.run(*command, cwd=tmp_path)
    assert "a_level1, a_level2 look like levels of one annotator: --levels kinds" in asked.stderr
    missing = support.run("score", "ab.csv", "--columns", "ref=a,hyp=c", "--levels", "kinds",
                          "--flags", "last", cwd=tmp_path)  # fmt: skip
    assert "no column 'c'; there are a_level1" in missing.stderr
    cells = support.run("score", "a.csv", "--columns", "ref=a,hyp=b", "--levels", "kinds",
                        "--flags", "last", "-m", "L", cwd=tmp_path)  # fmt: skip
    assert "levels from coarse to fine 1, 2, 3" in cells.stdout


def test_boundary_types_of_any_file_are_read_up_to_a_level(tmp_path):
    seg = fp.Segmentation(6, [2, 4, 5], [2, 1, 3])
    corpus = fp.Corpus.from_dict({"d1": seg})
    path = tmp_path / "levels.jsonl"
    fp.write(corpus, path)
    assert only(fp.read(path, levels="kinds")) == seg
    assert only(fp.read(path, levels="2")) == seg.at(2)
    assert only(fp.read(path, levels="all")) == seg.at(3)
    assert fp.read(path, levels="2").source.choices == {"levels": "2"}
    with pytest.raises(FormatError, match=r"levels.jsonl: no level '4'; the levels are 1, 2, 3"):
        fp.read(path, levels="4")
    put(tmp_path, "flat.json", {"d1": [3, 3]})
    done = support.run("look", "flat.json", "--levels", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert "--levels does not apply" in done.stderr


def test_a_numbered_heading_needs_a_level():
    text = "A.\n==== 1 ====\nB.\n==== Food ====\nC.\n"
    with pytest.raises(FormatError) as caught:
        read_text(text, "a.txt", levels="kinds")
    assert str(caught.value) == (
        "a.txt, line 4: a heading is ==== LEVEL ====, found '==== Food ====': give it a level from "
        "1 to 99"
    )


@pytest.mark.parametrize(
    "line", ["====", "= = =", "---", "- - -", "***", "==== 2", "2 ====", "==== Food", "= 2 =",
             "====2", "Food ====", "==== 2 ==== Food",],
)  # fmt: skip
def test_a_line_like_a_broken_heading_is_no_sentence(line):
    text = f"a b\n==== 1 ====\nc d\n{line}\ne f\n==== 2 ====\ng\n"
    for levels in ("kinds", "all", "1"):
        with pytest.raises(FormatError) as caught:
            read_text(text, "s.txt", levels=levels)
        assert str(caught.value).startswith(
            f"s.txt, line 4: a heading is ==== LEVEL ====, found {line!r}: give it a level from 1 "
            "to 99"
        )
    if line == "---":
        assert str(caught.value).endswith(", or remove it, here or with --ignore-tokens '^\\-'")
        assert only(read_text(text, "s.txt", levels="1", ignore_tokens=r"^\-")).units == 4


@pytest.mark.parametrize(
    "line", ["a == b", "1 + 1 = 2", "x = 2 == y", "=== is strict equality.", "-- he said", "2 = 2",
             "= 42", "- one", "# one", "...", "* * a", "--", "2"],
)  # fmt: skip
def test_a_sentence_with_signs_stays_a_sentence(line):
    text = f"a b\n==== 1 ====\nc d\n{line}\ne f\n==== 2 ====\ng\n"
    assert only(read_text(text, "s.txt", levels="kinds")).masses == (1, 3, 1)


def test_files_with_separators_alone_have_no_broken_headings():
    for line in ("====", "==========", "---"):
        assert only(read_text(f"a\n{line}\nb\nc\n{line}\nd\n", "s.txt")).masses == (1, 2, 1)


MARKDOWN = """---
title: cats
---
Preface, on
two lines.

# Cats

Cats `sleep`.
## Food
They eat:

```
# no heading
```

***

They drink.

### Milk
#hashtag

Dogs
====
Dogs bark.

And
---

Last.
<!-- # hidden

## hidden -->
"""
PAGE = """<!doctype html><head><title>T</title><style>h1 {}</style></head><body>
<p>Preface, on<br>two lines.<h1>Cats</h1><div>Cats <b>sleep</b>.</div><h2><a>Food</a> x</h2>
<p>They eat:<pre># no heading</pre><script>"<h1>"</script><ul><li>They drink.</ul>
<h3>Milk</h3>#hashtag<!-- <h1>no</h1> --><h1>Dogs</h1><p>Dogs &amp; bark.<h2>And</h2>Last."""


@pytest.mark.parametrize(("text", "name"), [(MARKDOWN, "a.md"), (PAGE, "a.html")])
def test_headings_of_markdown_and_html_are_levels(text, name, tmp_path):
    put(tmp_path, name, text)
    corpus = fp.read(tmp_path / name)
    assert corpus.source.format == {"a.md": "markdown", "a.html": "html"}[name]
    assert only(corpus).named_cuts == [(1, "1"), (2, "2"), (5, "3"), (6, "1"), (7, "2")]
    (words,) = corpus.tokens.values()
    assert [words[i] for i in (0, 4, 5, 7)] == [
        "Preface, on two lines.", "They drink.", "#hashtag", "Last."
    ]  # fmt: skip
    assert corpus.unit == "paragraph"
    for level in corpus.levels():
        assert corpus.at(level) == fp.read(tmp_path / name, levels=level)


# A line of each sort, without lists and quotations: there headings are parts of another block.
LINES = ["# a", "## b", "####### c", "#d", "   ### e", "    # f", "===", "---", "- - -", "***", "",
         "text", "```", "~~~~", "``` x", "`` y ``", "=== z"]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=12))
def test_headings_are_those_that_commonmark_has(lines):
    text = "\n".join(["start", "", *lines, "", "end"])
    tokens = MarkdownIt().parse(text)
    expected = [int(one.tag[1]) for one in tokens if one.type == "heading_open"]
    assert [
        piece for piece in headings._markdown_pieces(text) if not isinstance(piece, str)
    ] == expected


def test_a_file_of_headings_alone_has_no_text():
    for name, text in (("a.md", "# A\n\n## B\n"), ("a.html", "<h1>A</h1>")):
        with pytest.raises(FormatError, match=f"{name} has no text, only headings"):
            read_text(text, name)
