"""Pages as files: what stands in them, what is escaped, how large they are, the same every time."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from typing import ClassVar

import pytest

import fencepost as fp
from fencepost.metrics.base import parse
from fencepost.report.html import Page, render, write_html
from fencepost.report.html.coders import agreement_page
from fencepost.report.html.safe import safe
from fencepost.report.html.scores import score_page
from fencepost.report.html.views import Text, edit_recipe, make_views, offset_bars, ribbon_recipe
from pages import HOSTILE, data_in, hostile_page, large, made, page_of

DATA = str(files("fencepost") / "data")


class Reader(HTMLParser):
    """Tags, attributes and the text between tags."""

    VOID: ClassVar = {"meta", "input", "link", "br", "path", "rect", "use"}

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.texts, self.wrong = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def gold():
    return made({"d1": [5, 5], "d2": [3, 4, 5]}, lambda t, n: [f"{t} says {i}." for i in range(n)])


@pytest.fixture(scope="module")
def systems():
    return {"ours": made({"d1": [4, 6], "d2": [3, 9]}), "theirs": made({"d1": [10], "d2": [12]})}


def run(*words, cwd=DATA):
    command = [sys.executable, "-m", "fencepost", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False)


def test_a_page_is_well_formed_and_names_its_parts(gold, systems):
    reader = Reader(render(page_of(gold, systems)))
    assert reader.wrong == [] and reader.open == []
    ids = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {attrs["href"][1:] for tag, attrs in reader.tags if tag == "a"}
    assert links <= set(ids)
    assert {"summary", "texts", "per-text", "sizes", "offsets", "systems"} <= set(ids)
    assert ("html", {"lang": "en"}) in reader.tags


def test_the_summary_stands_in_the_page_itself(gold, systems):
    table = fp.score(gold, systems)
    html = render(page_of(gold, systems, data="data: gold 1234"))
    text = " ".join("".join(Reader(html).texts).split())
    for row in table:
        assert f"{row['value']:.3f}" in text
        if row["system"] in systems:
            assert str(row["signature"]) in text
    assert "data: gold 1234" in text


def test_intervals_are_shown_where_the_table_has_them(gold, systems):
    table = fp.score(gold, systems, metrics=["B"], baselines=False)
    rows = tuple({**row, "low": 0.125, "high": 0.875} for row in table.rows)
    page = score_page(replace(table, rows=rows), gold, systems)
    assert "[0.125, 0.875]" in render(page)


def test_edits_on_the_page_are_those_of_the_metric(gold, systems):
    data = data_in(render(page_of(gold, systems)))["texts"]
    assert data["names"] == ["gold", "ours", "theirs"]
    found = {}
    for item in data["items"]:
        for a, b, match, near, missing, extra, _ in item["p"]:
            lanes = [data["names"][item["l"][i][0]] for i in (a, b)]
            found[item["t"], *lanes] = match, near, missing, extra
    assert found == {
        ("d1", "gold", "ours"): ([], [5, 4], [], []),
        ("d1", "gold", "theirs"): ([], [], [5], []),
        ("d2", "gold", "ours"): ([3], [], [7], []),
        ("d2", "gold", "theirs"): ([], [], [3, 7], []),
    }
    assert data["costs"] == {"near1": 0.5, "missing": 1.0}
    assert data["items"][0]["w"][0] == f"{data['items'][0]['t']} says 0."


def test_ribbons_are_the_edges_of_a(gold, systems):
    data = data_in(render(page_of(gold, systems, metrics=["A", "B"])))["texts"]
    item = next(i for i in data["items"] if i["t"] == "d1")
    score = fp.alignment_similarity([5, 5], [4, 6])
    flat = [n for e in score.edits for n in (e.ref, e.hyp, data["labels"].index(e.label),
                                             round(e.weight * 1000))]  # fmt: skip
    assert item["p"][0][6] == flat


def test_worst_texts_come_first(gold, systems):
    items = data_in(render(page_of(gold, systems)))["texts"]["items"]
    values = [item["v"] for item in items]
    assert values == sorted(values)


def test_kinds_are_coded_with_their_names():
    names = ("minor", "major")
    ref = {"d": fp.Segmentation(10, [3, 6], [1, 2], names)}
    hyp = {"d": fp.Segmentation(10, [3, 7], [2, 2], names)}
    gold, system = fp.Corpus.from_dict(ref), fp.Corpus.from_dict(hyp)
    html = render(page_of(gold, {"sys": system}, metrics=["B"]))
    data = data_in(html)["texts"]
    assert data["kinds"] == ["minor", "major"]
    flat = data["items"][0]["p"][0][3]
    edits = [flat[i : i + 6] for i in range(0, len(flat), 6)]
    assert edits == [[4, 3, 3, 1, 2, 0.5], [1, 6, 7, 2, 2, 0.5]]
    assert "Kinds taken for each other" in html


def test_several_references_are_lanes_and_bases():
    gold = fp.Corpus.from_dict({"d": {"an1": [5, 5], "an2": [4, 6]}})
    system = fp.Corpus.from_dict({"d": [5, 5]})
    item = data_in(render(page_of(gold, {"sys": system})))["texts"]["items"][0]
    assert len(item["l"]) == 3
    assert [pair[:2] for pair in item["p"]] == [[0, 2], [1, 2]]


# Safety.


def test_the_policy_lets_only_this_style_and_this_script_work(gold, systems):
    html = render(page_of(gold, systems))
    reader = Reader(html)
    policy = next(a["content"] for t, a in reader.tags if a.get("http-equiv"))
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'" and rules["base-uri"] == "'none'"
    assert rules["form-action"] == "'none'"
    assert "unsafe" not in policy and "http" not in policy and "data:" not in policy
    parts = {"style-src": r"<style>(.*?)</style>", "script-src": r"<script>(.*)</script>"}
    for name, pattern in parts.items():
        inside = re.search(pattern, html, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_no_element_asks_for_anything_outside(gold, systems):
    reader = Reader(render(page_of(gold, systems)))
    for tag, attrs in reader.tags:
        assert tag not in {"link", "iframe", "object", "embed", "img", "base", "form"}
        assert "src" not in attrs and "style" not in attrs
        assert attrs.get("href", "#").startswith("#")
        assert not [name for name in attrs if name.startswith("on")]


def test_hostile_names_and_words_stay_text():
    html = hostile_page()
    reader = Reader(html)
    assert reader.wrong == [] and reader.open == []
    tags = [tag for tag, _ in reader.tags]
    assert tags.count("script") == 2 and tags.count("style") == 1
    assert "img" not in tags and "b" not in tags
    assert not [a for _, a in reader.tags for name in a if name.startswith("on")]
    assert "{{ 7 * 7 }}" in html and "49 {% raw" not in html
    assert not set(html) & set("\x00\x1b\x07\x85\u202e\u2067\u2028\ud800")
    words = data_in(html)["texts"]["items"][0]["w"]
    assert words[0] == HOSTILE[0]
    assert words[5] == "·gnitset· ·isolate"


def test_letters_that_scripts_need_are_kept():
    joined = "क्\u200dष \u200fعربي 👩\u200d🚀 e\u0301"
    assert safe(joined) == joined


# Size and sameness.


def test_what_stands_beside_the_data_is_small(gold, systems):
    html = render(page_of(gold, systems))
    assert len(html.encode()) - len(str(data_in(html))) < 150_000


def test_the_same_input_gives_the_same_bytes(tmp_path):
    words = ["score", "gold.jsonl", "-i", "careful.jsonl", "hasty.jsonl", "--html"]
    pages = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        done = run(*words, "page.html", cwd=_with_data(tmp_path / folder))
        assert done.returncode == 0
        pages.append((tmp_path / folder / "page.html").read_bytes())
    assert pages[0] == pages[1]


def _with_data(folder):
    for name in ("gold.jsonl", "careful.jsonl", "hasty.jsonl"):
        (folder / name).write_bytes((files("fencepost") / "data" / name).read_bytes())
    return folder


def test_a_large_corpus_keeps_the_worst_and_the_best_inside(tmp_path):
    gold, systems = large(60, 400, 2)
    whole = page_of(gold, systems)
    page = page_of(gold, systems, room=60_000)
    assert list(whole.rest) == []
    inside, rest = (list(map(json.loads, own)) for own in (page.texts["items"], page.rest))
    assert 0 < len(inside) < 60 and len(inside) + len(rest) == 60
    order = [json.loads(item)["i"] for item in whole.texts["items"]]
    places = [order.index(item["i"]) for item in inside]
    assert places[0] == 0 and places[-1] == 59  # the worst and the best of all
    gaps = [b - a for a, b in pairwise(places)]
    assert sum(gap > 1 for gap in gaps) == 1
    written = write_html(tmp_path / "report.html", page)
    assert [path.name for path in written] == ["report.html", "report.rest.json"]
    html = written[0].read_text(encoding="utf-8")
    assert "report.rest.json" in html
    assert f"{len(inside)} of 60 texts are on this page" in html
    side = json.loads(written[1].read_text(encoding="utf-8"))
    assert side["texts"] == rest


def test_a_page_of_a_large_corpus_stays_below_its_limit():
    gold, systems = large(300, 2000, 3)
    page = page_of(gold, systems, room=1_000_000)
    assert page.rest
    assert len(render(page).encode()) < 1_500_000


def test_a_long_table_keeps_to_its_room_and_says_so():
    rows = tuple({"text": f"text {i} " + "x" * 50, "value": i / 7} for i in range(50_000))
    html = render(Page.of(fp.Table(("text", "value"), rows, name="long")))
    assert len(html.encode()) < 600_000
    table = data_in(html)["tables"]["long"]
    assert table["all"] == 50_000 and 4_000 < len(table["rows"]) < 50_000


def test_many_systems_and_dense_texts_stay_below_the_limit():
    gold, systems = large(40, 3000, 16)
    page = page_of(gold, systems, metrics=["pk", "WD", "F", "B", "S", "A"], room=100_000)
    assert len(render(page).encode()) < 1_000_000


@pytest.mark.parametrize("words", [
    ("agree", "stargazers.json"),
    ("resegment", "speech.ref1.txt", "speech.ref2.txt", "-i", "speech.hyp.txt"),
])  # fmt: skip
def test_other_pages_are_the_same_every_time(tmp_path, words):
    target, pages = tmp_path / "page.html", []
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "fencepost", *words, "--html", str(target)]
        subprocess.run(command, cwd=DATA, check=True, capture_output=True,
                       env={**os.environ, "PYTHONHASHSEED": seed})  # fmt: skip
        pages.append(target.read_bytes())
    assert pages[0] == pages[1]


def test_colours_of_words_stand_out_in_light_and_dark():
    css = (files("fencepost.report.html") / "page.css").read_text(encoding="utf-8")
    light, dark = (dict(re.findall(r"--([a-z]+):(#[0-9a-f]{3,6})", block))
                   for block in re.findall(r":root\{(.*?)\}", css)[:2])  # fmt: skip
    for colours in (light, {**light, **dark}):
        for name in ("ink", "soft", "link", "match", "near", "missing", "extra", "kind"):
            assert contrast(colours[name], colours["paper"]) >= 4.5, name


def contrast(one, other):
    """The ratio of WCAG 2: 4.5 is what text needs."""

    def light(colour):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


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
    for title in ("Where coders differ", "Where coders cut", "Every two coders", "Segment sizes"):
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
    places = data_in(agreed(tmp_path))["tables"]["places"]
    assert places["cols"] == ["text", "after", "cut", "coders", "cut by", "not cut by"]
    for row, opened in zip(places["rows"], places["open"], strict=True):
        assert opened == [row[0], row[1]]
    shares = [abs(row[2] / row[3] - 0.5) for row in places["rows"]]
    assert shares == sorted(shares)


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
    assert done.returncode == 2 and "no coder 'nobody'; there is 1, 2" in done.stderr


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
    assert [name for name in first] == [f"coder {letter}" for letter in "ABCDE"]


def test_kinds_do_not_tell_the_order_of_the_file():
    def page(order):
        segs = {"x": fp.Segmentation(9, [3], [1], ("minor", "major")),
                "y": fp.Segmentation(9, [3], [1], ("major", "minor")),
                "z": fp.Segmentation(9, [5], [2], ("major", "minor"))}  # fmt: skip
        corpus = fp.Corpus.from_dict({"t": {name: segs[name] for name in order}}).anonymized()
        table = fp.agreement(corpus, metric="B", draws=4, resamples=0)
        return render(agreement_page(corpus, table, [], [parse("B")]))

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
    assert data_in(html)["tables"]["ambiguity"]["rows"] == [[3, 14, "13 14", 2]]


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


# Notebooks.


def static(html):
    """The reader of a piece without script, style sheet or anything from outside."""
    reader = Reader(html)
    assert reader.wrong == [] and reader.open == []
    for tag, attrs in reader.tags:
        assert tag not in {"script", "style", "link", "img"}
        assert not [name for name in attrs if name.startswith("on") or name == "src"]
    return reader


def test_a_segmentation_is_a_strip():
    seg = fp.Segmentation(14, [5, 10], [1, 2], ("<i>", "b"))
    reader = static(seg._repr_html_())
    assert [tag for tag, _ in reader.tags].count("rect") == 3
    assert "14 units, 3 segments" in reader.texts and "<i" in reader.texts


def test_a_score_draws_its_edits():
    text = "".join(static(fp.boundary_similarity([5, 5, 4], [4, 6, 2, 2])._repr_html_()).texts)
    assert "near miss: 5 → 4, cost 0.5" in text and "extra after 12, cost 1" in text
    assert "boundary_similarity|n_t:2" in text and "0.5000" in text
    assert "svg" not in dict(static(fp.pk([5, 5], [4, 6])._repr_html_()).tags)
    ribbons = "".join(static(fp.alignment_similarity([5, 5], [4, 6])._repr_html_()).texts)
    assert "match" in ribbons or "shift" in ribbons


def test_a_table_is_a_table():
    rows = tuple({"system": "<b>", "value": 0.5, "low": None} for _ in range(60))
    reader = static(fp.Table(("system", "value", "low"), rows)._repr_html_())
    assert [tag for tag, _ in reader.tags].count("tr") == 51
    text = "".join(reader.texts)
    assert "<b>" in text and "low" not in text and "the first 50 of 60 rows" in text


def test_a_resegmentation_shows_its_words():
    found = fp.resegment(["a <b> c", "d e"], "a x c d e f")
    text = "".join(static(found._repr_html_()).texts)
    assert "AS-WER" in text and "segment 1" in text and "<" in text


@pytest.mark.parametrize("units", [1, 100_000])
def test_drawings_of_any_length_stay_small(units):
    seg = fp.Segmentation(units, range(1, units, 7) if units > 1 else [])
    other = fp.Segmentation(units, range(3, units, 5) if units > 3 else [])
    assert len(seg._repr_html_()) < 60_000
    assert len(fp.boundary_similarity(seg, other)._repr_html_()) < 200_000
