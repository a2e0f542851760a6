"""Levels are read from headings, from columns, from nested spans, and from boundary types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import fencepost as fp
import support
from fencepost.formats import headings, read_text
from fencepost.formats.options import FormatError
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
