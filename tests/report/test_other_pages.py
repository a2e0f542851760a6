"""Pages of agree, resegment and probe, and of any table."""

import json

import pytest

import fencepost as fp
from fencepost.report.html import Page, render
from fencepost.report.html.coders import agreement_page
from fencepost.report.html.views import Text, edit_recipe, make_views, ribbon_recipe
from fencepost.report.strips import offset_bars
from pages import data_in
from reader import Reader, agreement_of, results_of, run, typed

# The command, and any table.


def test_the_command_writes_a_page_and_says_so(tmp_path):
    target = tmp_path / "report.html"
    done = run("score", "gold.jsonl", "-i", "hasty.jsonl", "--html", str(target))
    assert done.returncode == 0
    assert done.stderr.startswith(f"written: {target} (")
    html = target.read_text(encoding="utf-8")
    assert "fencepost score gold.jsonl -i hasty.jsonl --html" in html
    assert f"fencepost {fp.__version__}" in html
    assert "Let it rest for an hour." in html


@pytest.mark.parametrize("target", ["-", "gold.jsonl", "no/such/folder/page.html", "."])
def test_a_page_that_cannot_be_written_is_refused_first(target):
    done = run("score", "gold.jsonl", "-i", "hasty.jsonl", "--html", target)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr and done.stderr.startswith("fencepost: ")


def test_any_table_can_be_a_page():
    table = fp.Table(("card", "value", "signature"),
                     ({"card": "<b>x</b>", "value": 0.5, "signature": "b|n_t:2"},))  # fmt: skip
    html = render(Page.of(table, title="a card", lead="one metric"))
    assert "&lt;b&gt;x&lt;/b&gt;" in html and "b|n_t:2" in html and "0.500" in html
    assert Reader(html).wrong == []


# Distributions.


def test_offsets_are_to_the_nearest_boundary():
    ref = [fp.Segmentation(30, [10, 20])]
    hyp = [fp.Segmentation(30, [9, 10, 16, 29])]
    assert {name: n for name, n in offset_bars(ref, hyp) if n} == {
        "−1": 1, "0": 1, "−4": 1, "≥6": 1,
    }  # fmt: skip


def test_a_text_without_partners_is_no_error():
    seg = fp.Segmentation.from_masses([5, 5])
    text = Text("alone", "", [("a", seg)], [])
    views = make_views([text], edit_recipe([]), ribbon_recipe([]))
    assert json.loads(views.inside["items"][0])["p"] == [] and views.rest == []


# The pages of the other commands.


def agreed(tmp_path, *more):
    target = tmp_path / "agree.html"
    done = run("agree", "stargazers.json", "--html", str(target), *more)
    assert done.returncode == 0, done.stderr
    return target.read_text(encoding="utf-8")


def sound(html):
    """A page without loose ends; its reader."""
    reader = Reader(html)
    ids = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert reader.wrong == [] and reader.open == [] and len(ids) == len(set(ids))
    return reader


def test_coders_are_compared_with_each_other(tmp_path):
    html = agreed(tmp_path)
    reader = sound(html)
    text = "".join(reader.texts)
    for title in (
        "Where annotators differ",
        "Where annotators set boundaries",
        "Every two annotators",
        "Segment sizes",
    ):
        assert title in text
    data = data_in(html)["texts"]
    assert data["heat"] is True and len(data["items"][0]["p"]) == 21
    assert data["names"] == list("1234567")


def test_edits_between_coders_are_those_of_b(tmp_path):
    data = data_in(agreed(tmp_path))["texts"]
    item = data["items"][0]
    segs = [fp.Segmentation(item["n"], cuts) for _, cuts in item["l"]]
    for a, b, match, near, missing, extra, _ in item["p"]:
        edits = fp.boundary_similarity(segs[a], segs[b]).edits
        assert match == [e.ref for e in edits if e.what == "match"]
        assert near == [p for e in edits if e.what == "transposition" for p in (e.ref, e.hyp)]
        assert missing == [e.ref for e in edits if e.side == "ref"]
        assert extra == [e.hyp for e in edits if e.side == "hyp"]


def test_places_to_adjudicate_open_their_text(tmp_path):
    places = data_in(agreed(tmp_path))["tables"]["differences"]
    columns = ["text", "after", "boundaries", "annotators", "pairs apart", "set by", "not set by"]
    assert places["cols"] == columns and places["sorts"] == [[None, 4, False]]
    for row, opened in zip(places["rows"], places["open"], strict=True):
        assert opened == [row[0], row[1]]
        cut, coders = row[2], row[3]
        assert row[4] == pytest.approx(2 * cut * (coders - cut) / (coders * (coders - 1)), abs=1e-6)
    apart = [row[4] for row in places["rows"]]
    assert apart == sorted(apart, reverse=True)


def test_places_where_kinds_divide_coders_come_before_those_where_one_stands_alone():
    page = agreement_of({"t": typed(
        20, a={5: "minor", 9: "minor", 14: "major"}, b={5: "major", 9: "minor", 14: "minor"},
        c={9: "major", 14: "minor"}, d={9: "major", 14: "minor"},
    )})  # fmt: skip
    rows = data_in(render(page))["tables"]["differences"]["rows"]
    # 5: minor, major, none, none; 9: two and two; 14: one of four alone
    assert [(row[1], row[4]) for row in rows] == [
        (5, pytest.approx(5 / 6, abs=1e-6)), (9, pytest.approx(4 / 6, abs=1e-6)), (14, 0.5)
    ]  # fmt: skip


def test_the_places_of_one_coder_are_found_whatever_the_name():
    given = {"t": {"x; y": [5, 5], "x": [4, 6], "y": [5, 3, 2]}, "u": {"x": [5, 5], "y": [4, 6]}}
    page = agreement_of(given, coder="x; y")
    rows = data_in(render(page))["tables"]["differences"]["rows"]
    # after 4: x alone; after 5: both x; y and y, but not x; after 8: y alone
    assert [(row[1], row[4]) for row in rows] == [(4, 0.5), (5, 0.5), (8, 0.5)]
    assert {row[0] for row in rows} == {"t"}  # of u nothing: "x; y" was not there


def test_the_page_of_one_coder_names_no_other(tmp_path):
    rename = tmp_path / "Benno.csv"
    names = ["Adalbert", "Benno", "Cleo", "Dagny", "Evander", "Finnegan", "Gustav"]
    lines = [f"{i},{name}" for i, name in enumerate(names, start=1)]
    rename.write_text("\n".join(["coder,name", *lines]), encoding="utf-8")
    html = agreed(tmp_path, "--coder", "Cleo", "--anonymize", "--rename", str(rename))
    sound(html)
    data = data_in(html)["texts"]
    assert data["base"] == "Cleo" and data["names"][0] == "Cleo"
    assert sorted(data["names"][1:]) == [f"coder {letter}" for letter in "ABCDEF"]
    assert all(pair[0] == 0 for pair in data["items"][0]["p"])
    for name in names:
        assert (name in html) == (name == "Cleo")


def test_a_coder_needs_a_page_and_must_be_known(tmp_path):
    assert "add --html" in run("agree", "stargazers.json", "--coder", "1").stderr
    page = str(tmp_path / "x.html")
    done = run("agree", "stargazers.json", "--coder", "nobody", "--html", page)
    assert done.returncode == 2 and "no annotator 'nobody'; there is 1, 2" in done.stderr


def test_anonymized_corpora_may_keep_one_name():
    corpus = fp.Corpus.from_dict({"t": {"x": [5, 5], "A": [4, 6], "y": [3, 7]}})
    kept = corpus.anonymized(keep="A")
    assert sorted(kept.coders) == ["A", "coder A", "coder B"]
    assert kept["t", "A"] == corpus["t", "A"]
    again = fp.Corpus.from_dict({"t": {"coder A": [5, 5], "y": [3, 7]}}).anonymized(keep="coder A")
    assert sorted(again.coders) == ["coder A", "coder B"]


def test_letters_follow_neither_names_nor_the_file():
    done = {"Ada": [5, 5], "Ben": [4, 6], "Cy": [3, 7], "Dee": [2, 8], "Eve": [1, 9]}
    names, entries = list(done), list(done.values())

    def letters(order, people):
        """Which letter each of the segmentations gets."""
        given = {"t": {people[i]: entries[i] for i in order}}
        kept = fp.Corpus.from_dict(given).anonymized()
        assert list(kept.coders) == sorted(kept.coders)
        return {coder: kept["t", coder].masses for coder in kept.coders}

    first = letters(range(5), names)
    assert letters([4, 2, 0, 1, 3], names) == first
    assert letters(range(5), names[::-1]) == first  # the same names the other way round
    assert list(first) == [f"coder {letter}" for letter in "ABCDE"]


def test_kinds_do_not_tell_the_order_of_the_file():
    def page(order):
        segs = {"x": fp.Segmentation(9, [3], [1], ("minor", "major")),
                "y": fp.Segmentation(9, [3], [1], ("major", "minor")),
                "z": fp.Segmentation(9, [5], [2], ("major", "minor"))}  # fmt: skip
        corpus = fp.Corpus.from_dict({"t": {name: segs[name] for name in order}}).anonymized()
        return render(agreement_page(results_of(corpus)))

    assert page("xyz") == page("zxy")


def test_words_are_shown_above_each_other(tmp_path):
    target = tmp_path / "r.html"
    done = run("resegment", "speech.ref1.txt", "speech.ref2.txt", "-i", "speech.hyp.txt",
               "--punctuation", "remove", "--html", str(target))  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = target.read_text(encoding="utf-8")
    text = " ".join("".join(sound(html).texts).split())
    assert "22.73" in text and "3 of 4 boundaries are certain" in text
    segments = data_in(html)["words"]["systems"][0]["segments"]
    assert sum(own["e"] for own in segments) == 5
    fourth = next(own for own in segments if own["i"] == 3)
    assert fourth["o"].count("I") == 1 and "it" in fourth["h"] and "it" not in fourth["r"]
    for own in segments:
        assert own["e"] == sum(own["o"].count(what) for what in "SID")
        assert len(own["r"]) == sum(own["o"].count(what) for what in "MSD")
        assert len(own["h"]) == sum(own["o"].count(what) for what in "MSI")
    assert [own["i"] for own in segments if own["a"]] == [2]
    where = "… in the north ┆ of │ the south it …"
    assert data_in(html)["tables"]["ambiguity"]["rows"] == [[3, where, 14, "13 14", 2]]
    assert "edits 5" in text and "words of the references chosen 22" in text


def test_own_boundaries_of_a_stream_are_a_text_view(tmp_path):
    (tmp_path / "ref.txt").write_text("a b c\nd e f\n<g> h\n", encoding="utf-8")
    (tmp_path / "hyp.txt").write_text("a b\nc d e f\n<g> h\n", encoding="utf-8")
    done = run("resegment", "ref.txt", "-i", "hyp.txt", "--html", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    sound(html)
    item = data_in(html)["texts"]["items"][0]
    assert item["p"][0][2:6] == [[6], [3, 2], [], []]
    assert item["w"][6] == "<"
