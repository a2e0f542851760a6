"""Segments inside others are a hierarchy: how deep one lies is the level of its boundaries."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost.formats.intervals import Stretch, segment
from fencepost.formats.options import Reading
from support import run

NESTED = [(0, 60), (0, 20), (20, 60), (60, 100), (60, 75), (75, 100), (75, 80), (80, 100)]
LEVELS = {20: "2", 60: "1", 75: "2", 80: "3"}


@st.composite
def trees(draw, most=24):
    """Units, and segments that lie inside each other or apart, in any order."""
    units = draw(st.integers(2, most))
    found = []

    def fill(start, end, depth):
        ends = sorted(draw(st.sets(st.integers(start, end), max_size=4)))
        for a, b in pairwise(ends):
            if (a, b) != (start, end) and draw(st.booleans()):
                found.append((a, b))
                if depth < 4 and b - a > 1:
                    fill(a, b, depth + 1)

    fill(0, units, 0)
    whole = [(0, units)] if draw(st.booleans()) else []
    return units, draw(st.permutations(found + whole))


def levels_of(units, spans):
    """For every end of a segment, one more than the number of segments around it, at least."""
    spans = [span for span in spans if span != (0, units)]
    found = {}
    for a, b in spans:
        depth = sum(c <= a and b <= d for c, d in spans)
        for place in {a, b} - {0, units}:
            found[place] = min(depth, found.get(place, depth))
    return found


@given(trees())
def test_levels_are_depths(tree):
    units, spans = tree
    reading = Reading("x.json", levels="nested", gaps="segment")
    seg, used = segment([Stretch(a, b, "here") for a, b in spans], units, reading, "here")
    assert used["levels"] == "nested"
    assert {place: int(name) for place, name in seg.named_cuts} == levels_of(units, spans)
    assert [int(name) for name in seg.kind_names] == sorted(set(levels_of(units, spans).values()))


@given(trees())
def test_segments_of_one_level_are_those_read_without_levels(tree):
    units, spans = tree
    outer = [(a, b) for a, b in spans
             if not any(c <= a and b <= d for c, d in spans if (c, d) != (a, b))]  # fmt: skip
    stretches = [Stretch(a, b, "here") for a, b in outer]
    for gaps in ("segment", "join"):
        nested, _ = segment(stretches, units, Reading("x", levels="nested", gaps=gaps), "here")
        flat, _ = segment(stretches, units, Reading("x", gaps=gaps), "here")
        assert nested.cuts.tolist() == flat.cuts.tolist()
        assert nested.kind_names == ("1",)[: len(nested.cuts)]


def chunks(path, spans, texts=("x",)):
    lines = [json.dumps({"doc_id": t, "start": a, "end": b}) for t in texts for a, b in spans]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_chunks_inside_chunks_have_levels(tmp_path):
    corpus = fp.read(chunks(tmp_path / "c.jsonl", NESTED, ("x", "y")), levels="nested")
    assert dict(corpus["x"].named_cuts) == dict(corpus["y"].named_cuts) == LEVELS
    assert corpus.levels() == ("1", "2", "3")
    assert corpus.at(1)["x"].masses == (60, 40)
    assert corpus.source.choices["levels"] == "nested"


def test_a_segment_of_the_whole_text_is_no_level(tmp_path):
    path = chunks(tmp_path / "c.jsonl", [(0, 100), *NESTED])
    assert dict(fp.read(path, levels="nested")["x"].named_cuts) == LEVELS


@pytest.mark.parametrize("record", [
    {"ref": [[0, 20], [0, 10], [10, 20], [20, 30]]},
    {"spans": [{"start": a, "end": b} for a, b in [(0, 20), (0, 10), (10, 20), (20, 30)]]},
])  # fmt: skip
def test_records_hold_nested_spans(tmp_path, record):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"id": "d1", **record}) + "\n", encoding="utf-8")
    seg = fp.read(path, levels="nested")["d1"]
    assert seg.named_cuts == [(10, "2"), (20, "1")]


def test_spans_of_words_are_nested_by_the_words_in_them(tmp_path):
    path = tmp_path / "r.jsonl"
    row = {"id": "d", "text": "abc def ghi", "ref": [[0, 7], [0, 3], [4, 7], [8, 11]]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert fp.read(path, levels="nested", units="words")["d"].named_cuts == [(1, "2"), (2, "1")]
    with pytest.raises(fp.FencepostError, match=r"level 2.*white space.*--snap"):
        fp.read(path, levels="nested")


def labelled(path, *regions):
    """A task of Label Studio: words in ten characters each."""
    result = [
        {"id": str(n), "type": "labels", "value": {"start": a, "end": b, "labels": [label]}}
        for n, (a, b, label) in enumerate(regions)
    ]
    task = {"id": 7, "data": {"text": "nineteen. " * 6},
            "annotations": [{"id": 1, "completed_by": 3, "result": result}]}  # fmt: skip
    path.write_text(json.dumps([task]), encoding="utf-8")
    return path


def test_regions_inside_regions_have_levels(tmp_path):
    path = labelled(tmp_path / "t.json", (0, 10, "s"), (10, 40, "s"), (0, 40, "c"), (40, 60, "c"))
    seg = fp.read(path, levels="nested", units="words")["7", "3"]
    assert seg.named_cuts == [(1, "2"), (4, "1")]


def test_regions_of_one_place_differ_in_their_labels(tmp_path):
    regions = (0, 30, "c"), (0, 30, "s"), (0, 10, "p"), (10, 30, "p"), (30, 60, "c")
    seg = fp.read(labelled(tmp_path / "t.json", *regions), levels="nested", units="words")["7", "3"]
    assert seg.named_cuts == [(1, "3"), (3, "1")]
    twice = labelled(tmp_path / "u.json", (0, 30, "c"), (0, 30, "c"), (30, 60, "c"))
    with pytest.raises(fp.FencepostError, match=r"u.json, line 1, task 7.*from 0 to 30 is given t"):
        fp.read(twice, levels="nested", units="words")


def test_segments_that_cross_are_refused_with_their_positions(tmp_path):
    path = chunks(tmp_path / "c.jsonl", [*NESTED, (50, 70)], ("x", "y"))
    said = run("look", path.name, "--levels", "nested", cwd=tmp_path)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.count("\n") == 1
    assert "c.jsonl, line 9, text x: the segment from 50 to 70 crosses the one from 20 to 60 " in (
        said.stderr
    )
    assert "--levels nested" in said.stderr


def test_spans_of_a_record_that_cross_are_refused_with_their_text(tmp_path):
    path = tmp_path / "r.jsonl"
    rows = [{"id": "d1", "ref": [[0, 5], [5, 9]]}, {"id": "d2", "ref": [[0, 5], [3, 9]]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = r"r.jsonl, line 2, text d2: span 2: the segment from 3 to 9 crosses the one from 0 to 5 "
    with pytest.raises(fp.FencepostError, match=said):
        fp.read(path, levels="nested")


def test_gaps_inside_a_segment_follow_the_rule_for_gaps(tmp_path):
    path = chunks(tmp_path / "c.jsonl", [(0, 50), (50, 100), (10, 30), (35, 50)])
    with pytest.raises(fp.FencepostError, match=r"line 3, text x: 10 units before.*of level 2"):
        fp.read(path, levels="nested")
    own = fp.read(path, levels="nested", gaps="segment")["x"]
    assert own.named_cuts == [(10, "2"), (30, "2"), (35, "2"), (50, "1")]
    joined = fp.read(path, levels="nested", gaps="join")["x"]
    assert joined.named_cuts == [(35, "2"), (50, "1")]


def test_nested_is_never_guessed(tmp_path):
    path = chunks(tmp_path / "c.jsonl", NESTED)
    with pytest.raises(fp.FencepostError, match=r"two segments start at 0.*--levels nested"):
        fp.read(path)
    with pytest.raises(fp.FencepostError, match="remove one of the two options"):
        fp.read(path, levels="nested", overlap="start")


@pytest.mark.parametrize(("name", "content"), [
    ("sizes.jsonl", '{"id": "d", "ref": [5, 4]}\n'),
    ("a.md", "One.\n\n# A\n\nTwo.\n"),
    ("a.csv", "text,sentence,a_level1,a_level2\nt,1,0,0\nt,2,1,1\nt,3,0,1\nt,4,0,0\nt,5,1,1\n"),
])  # fmt: skip
def test_nested_is_refused_where_no_segment_has_two_ends(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(fp.FencepostError, match="levels"):
        fp.read(tmp_path / name, levels="nested")


def test_nested_segments_are_scored_by_level(tmp_path):
    chunks(tmp_path / "gold.jsonl", NESTED)
    chunks(tmp_path / "auto.jsonl", [(0, 60), (0, 20), (20, 60), (60, 100)])
    done = run("score", "gold.jsonl", "-i", "auto.jsonl", "--levels", "nested", "-m", "B", "T",
               "--by", "level", cwd=tmp_path)  # fmt: skip
    assert done.stderr == ""
    rows = [line.split() for line in done.stdout.splitlines() if line[:5].strip() in ("1", "2")]
    assert [row[:3] for row in rows] == [["1", "auto", "1"], ["2", "auto", "1"]]
    assert rows[0][3] == "1.000"
    assert "levels:nested" in done.stdout


def test_a_segment_in_which_no_unit_begins_makes_no_overlap():
    spans = [Stretch(0, 3, "a"), Stretch(1.5, 1.6, "b"), Stretch(3, 5, "c")]
    seg, used = segment(spans, 5, Reading("x.json"), "x.json", place=math.ceil)
    assert (seg.masses, used) == ((3, 2), {})
    with pytest.raises(fp.FencepostError, match="overlap"):
        segment([*spans, Stretch(1, 2.1, "d")], 5, Reading("x.json"), "x.json", place=math.ceil)
