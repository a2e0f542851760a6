"""Pages as files: what stands in them, what is escaped, how large they are, the same every time."""

import base64
import hashlib
import io
import json
import math
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

import fencepost as fp
from fencepost.report.drawing import write_edits
from fencepost.report.html import Page, render, write_html
from fencepost.report.html.marks import COLOURS, SHAPES, colour_of, short_marks
from fencepost.report.html.page import _part
from fencepost.report.html.safe import safe
from fencepost.report.html.scores import score_page
from fencepost.report.html.words import resegment_page
from fencepost.report.strips import edit_in_words, sort_of
from pages import HOSTILE, data_in, hostile_page, large, made, page_of
from reader import DATA, Reader, agreement_of, run, typed
from support import parts_of, signatures_in


@pytest.fixture(scope="module")
def gold():
    return made({"d1": [5, 5], "d2": [3, 4, 5]}, lambda t, n: [f"{t} says {i}." for i in range(n)])


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
    text = "".join(Reader(html).texts)
    shown = [*map(parts_of, signatures_in(text))]
    for row in table:
        assert f"{row['value']:.3f}" in text
        if row["system"] in systems:
            assert parts_of(row["signature"]) in shown
    assert "data: gold 1234" in text


def test_intervals_are_shown_where_the_table_has_them(gold, systems):
    table = fp.score(gold, systems, metrics=["B"], baselines=False)
    rows = tuple({**row, "low": 0.125, "high": 0.875} for row in table.rows)
    html = render(score_page(replace(table, rows=rows), gold, systems, how="mean over texts"))
    assert "[0.125, 0.875]" in html
    assert "mean over texts; [low, high] is the 95% interval" in html


def test_the_caption_says_of_intervals_what_the_cells_show(tmp_path):
    target = tmp_path / "report.html"
    gold, systems = large(12, 40, 1)
    for name, corpus in {"gold": gold, **systems}.items():
        masses = {t: corpus[t, "1"].masses for t in corpus.texts}
        (tmp_path / f"{name}.json").write_text(json.dumps(masses), encoding="utf-8")
    done = run("score", "gold.json", "-i", "s0.json", "--html", str(target), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    html = target.read_text(encoding="utf-8")
    assert re.search(r"0\.\d{3}\S* \[0\.\d{3}, [01]\.\d{3}\]", html)
    assert "[low, high] is the 95% interval" in html and "±" not in html


def test_every_text_opens_as_it_is_sorted(gold, systems):
    html = render(page_of(gold, systems, metrics=["pk", "WD", "B"]))
    table = data_in(html)["tables"]["per-text"]
    assert table["cols"][:5] == ["text", "units", "mean", "ours", "theirs"]
    assert table["groups"][2] == "B ↑"  # what the text view is sorted by is shown first
    assert table["sorts"] == [["B ↑", 2, True], ["Pk ↓", 5, False], ["WindowDiff ↓", 8, False]]
    means = [row[2] for row in table["rows"]]
    assert means == sorted(means)
    for row in table["rows"]:
        assert row[2] == pytest.approx((row[3] + row[4]) / 2, abs=1e-6)
    assert "Worst first by B, the mean over systems" in html
    assert re.search(r'<th scope="col" class="num" aria-sort="ascending">mean</th>', html)


def test_the_command_and_the_versions_stand_at_the_foot(gold, systems):
    html = render(page_of(gold, systems, command="fencepost score x"))
    foot = " ".join(
        "".join(Reader(html[html.index("<footer>") : html.index("</footer>")]).texts).split()
    )
    python = ".".join(map(str, sys.version_info[:3]))
    for part in ("fencepost score x", f"fencepost {fp.__version__}", f"Python {python}", "numpy ",
                 "jinja2 ", "This page loads nothing and sends nothing."):  # fmt: skip
        assert part in foot


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
    assert data["kinds"] == ["major", "minor"]
    flat = data["items"][0]["p"][0][3]
    edits = [flat[i : i + 6] for i in range(0, len(flat), 6)]
    assert edits == [[4, 3, 3, 2, 1, 0.5], [1, 6, 7, 1, 1, 0.5]]
    text = " ".join("".join(Reader(html).texts).split())
    assert "a boundary of the reference (its type is the row) with one of the system" in text
    assert drawn(html, "kinds") == {"minor, major: 1", "major, major: 1"}


def drawn(html, section):
    """What the cells of a matrix say."""
    part = re.search(rf'<section id="{section}".*?</section>', html, re.DOTALL)[0]
    return set(re.findall(r"<rect[^>]*><title>(.*?)</title></rect>", part))


def test_a_moved_boundary_of_another_kind_is_a_near_miss_as_in_the_terminal():
    ref, hyp = (typed(10, it=own)["it"] for own in ({3: "minor"}, {4: "major"}))
    (edit,) = fp.flexible_similarity(ref, hyp).edits
    out = io.StringIO()
    write_edits([edit], None, ("ref", "sys"), out)
    assert out.getvalue().splitlines()[1].startswith("3 → 4  near miss minor → major  ")
    assert sort_of(edit) == "near"
    assert edit_in_words(edit) == f"near miss: 3 → 4, minor → major, cost {edit.cost:g}"
    page = page_of(
        fp.Corpus.from_dict({"d": ref}), {"sys": fp.Corpus.from_dict({"d": hyp})}, ["Sf"]
    )
    assert data_in(render(page))["texts"]["items"][0]["p"][0][3][:5] == [1, 3, 4, 2, 1]


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


@pytest.mark.slow
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


def beside_the_data(html):
    """The bytes of a page without what its script reads."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    return len(html.encode()) - len(data[1].encode())


@pytest.mark.slow
def test_what_stands_beside_the_data_of_a_score_is_small(gold, systems):
    assert beside_the_data(render(page_of(gold, systems))) < 150_000
    reference, many = large(30, 300, 12)
    words = {(f"d{i}", ""): ["harbour"] * 300 for i in range(30)}
    with_words = fp.Corpus.from_entries(reference.entries, tokens=words, name=reference.name)
    page = page_of(with_words, many, metrics=["pk", "WD", "F", "B", "S", "A"])
    assert beside_the_data(render(page)) < 150_000


@pytest.mark.slow
@pytest.mark.parametrize("coders", [7, 12, 60])
def test_what_stands_beside_the_data_of_an_agreement_is_small(coders):
    rng = random.Random(coders)
    given = {
        f"chapter {t}": {
            f"annotator {c:02}": fp.Segmentation(60, sorted(rng.sample(range(1, 60), 8)))
            for c in range(coders)
        }
        for t in range(8)
    }
    html = render(agreement_of(given))
    assert beside_the_data(html) < 150_000
    text = " ".join("".join(Reader(html).texts).split())
    assert (f"of the {coders - 1} that are compared with it; with JavaScript all" in text) == (
        coders > 12
    )
    assert (f"of {coders} annotators; --coder NAME begins with the panel of any" in text) == (
        coders > 12
    )
    pairs = data_in(html)["tables"].get("matrix-pairs")
    assert (pairs is None) == (coders == 7)
    assert pairs is None or pairs["all"] == coders * (coders - 1) // 2
    data = data_in(html)["texts"]
    assert len(data["items"][0]["p"]) == (
        coders - 1 if coders == 60 else coders * (coders - 1) // 2
    )
    assert ("--coder NAME makes the page of any other" in text) == (coders == 60)


def test_what_stands_beside_the_data_of_a_resegmentation_is_small():
    rng = random.Random(4)
    words = ["harbour", "ferry", "winter", "ice", "the", "a", "freezes", "over"]
    lines = [" ".join(rng.choices(words, k=30)) for _ in range(300)]
    spoken = " ".join(rng.choice([w, w, w, "storm"]) for line in lines for w in line.split())
    found = fp.resegment(lines, spoken)
    page = resegment_page({"asr": found}, [["AS-WER", "1"]], room=200_000)
    html = render(page, "r.rest.json")
    assert beside_the_data(html) < 150_000
    inside = data_in(html)["words"]["systems"][0]["segments"]
    beside = [json.loads(own) for own in page.rest_words]
    assert len(inside) + len(beside) == 300 and len(beside) > 50
    assert min(own["e"] for own in inside) >= max(own["e"] for own in beside)
    assert f"{len(beside)} segments with the fewest errors do not fit on this page" in html


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


@pytest.mark.slow
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
    assert side["texts"] == rest and side["words"] == []


@pytest.mark.slow
def test_a_page_of_a_large_corpus_stays_below_its_limit():
    gold, systems = large(300, 2000, 3)
    page = page_of(gold, systems, room=1_000_000)
    assert page.rest
    assert len(render(page).encode()) < 1_500_000


@pytest.mark.slow
def test_a_long_table_keeps_to_its_room_and_says_so():
    rows = tuple({"text": f"text {i} " + "x" * 50, "value": i / 7} for i in range(50_000))
    html = render(Page.of(fp.Table(("text", "value"), rows, name="long")))
    assert len(html.encode()) < 600_000
    table = data_in(html)["tables"]["long"]
    assert table["all"] == 50_000 and 4_000 < len(table["rows"]) < 50_000


@pytest.mark.slow
def test_a_table_of_many_texts_says_where_all_of_them_are():
    gold, systems = large(2500, 12, 5)
    html = render(page_of(gold, systems))
    kept = len(data_in(html)["tables"]["per-text"]["rows"])
    assert kept < 2500
    said = f"The first {kept:,} of 2,500 rows are on this page; all of them: --csv --table per-text"
    assert said in html


@pytest.mark.slow
def test_many_systems_and_dense_texts_stay_below_the_limit():
    gold, systems = large(40, 3000, 16)
    page = page_of(gold, systems, metrics=["pk", "WD", "F", "B", "S", "A"], room=100_000)
    assert len(render(page).encode()) < 1_000_000


@pytest.mark.slow
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


# Kinds.


def test_marks_are_as_short_as_they_can_be():
    assert short_marks(["L-L%", "L-H%", "H-"]) == ["L-L%", "L-H%", "H-"]
    assert short_marks([",", "--", ".", "?"]) == [",", "--", ".", "?"]
    assert short_marks(["intermediate", "intonational", "word"]) == ["ie", "io", "word"]
    assert short_marks(["phrase", "phrases", "sentence"]) == ["p1", "ps", "s"]


@given_any(st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=40))
def test_no_two_kinds_have_the_same_mark(names):
    marks = short_marks(names)
    assert len(set(marks)) == len(names) == len(marks)
    assert all(len(mark) <= max(4, len(name)) for mark, name in zip(marks, names, strict=True))


def test_no_two_kinds_are_drawn_alike():
    looks = [(i % len(SHAPES), colour_of(i)) for i in range(64)]
    assert len(set(looks)) == 64


def test_kinds_have_a_legend_and_stand_in_the_text_without_script():
    names = ("intermediate", "intonational")
    segs = [fp.Segmentation(8, [3, 5], kinds, names) for kinds in ([1, 2], [2, 2])]
    corpora = [fp.Corpus.from_dict({"d": seg}) for seg in segs]
    words = {("d", ""): [f"w{i}" for i in range(1, 9)]}
    html = render(
        page_of(
            corpora[0].with_entries(corpora[0].entries, words, name="gold"),
            {"sys": corpora[1]},
            ["B"],
        )
    )
    part = html[html.index('<ul class="legend kinds-legend"') :]
    legend = "".join(Reader(part[: part.index("</ul>") + 5]).texts).split()
    assert legend == ["ie", "intermediate", "io", "intonational"]
    static = html[html.index('<div class="noscript">') :]
    text = " ".join("".join(Reader(static[: static.index("</section>")]).texts).split())
    for said in ("near miss, and by how many units", "missing: only in the first strip",
                 "extra: only in the strip below", "same position, other type"):  # fmt: skip
        assert said in text
    run = "w1 w2 w3 │ gold intermediate │ sys intonational w4 w5 │ gold intonational"
    assert run in text
    assert "ie→io" in text


# Figures.


def test_the_heat_map_shows_the_share_of_coders_at_every_place():
    page = agreement_of({"t": {"a": [5, 5], "b": [5, 5], "c": [4, 6], "d": [5, 3, 2]}})
    part = re.search(r'<section id="heat".*?</section>', render(page), re.DOTALL)[0]
    found = re.findall(
        r'<path d="([^"]*)"[^>]*stroke-opacity="([^"]*)"[^>]*><title>(.*?)</title>', part
    )
    assert [(opacity, said) for _, opacity, said in found] == [
        ("0.25", "25% of the annotators have a boundary after 4, 8"),
        ("0.75", "75% of the annotators have a boundary after 5"),
    ]
    places = [[float(x) for x in re.findall(r"M([\d.]+)", d)] for d, _, _ in found]
    (four, eight), (five,) = places
    assert eight - four == pytest.approx(4 * (five - four), abs=0.3)


def test_a_heat_map_of_many_texts_keeps_the_most_divided_and_says_so():
    given = {f"t{i}": {"a": [5, 5], "b": [5, 5] if i else [2, 8]} for i in range(300)}
    html = render(agreement_of(given))
    part = re.search(r'<section id="heat".*?</section>', html, re.DOTALL)[0]
    count = part.count('class="name"')
    assert 20 < count < 300 and re.search(r">(t\d+)<", part)[1] == "t0"
    assert f"the {count} of 300 texts with the least agreement; the others in the text view" in part


def test_sizes_are_drawn_in_the_same_bars_on_the_same_axis():
    page = agreement_of(
        {"t": {"a": [1] * 30, "b": [30], "a very long name of a coder, which is cut off": [15, 15]}}
    )
    part = re.search(r'<section id="sizes".*?</section>', render(page), re.DOTALL)[0]
    panels = part.split("<svg")[1:]
    assert len(panels) == 3
    ticks = [re.findall(r">([\d-]+)</text>", panel) for panel in panels]
    assert ticks[0] == ticks[1] == ticks[2]
    assert ticks[0][:4] == ["0", "10", "20", "30"] and "1-2" in ticks[0]
    assert ">a very long name of a coder, wh…<" in panels[2]
    assert "<title>a very long name of a coder, which is cut off</title>" in panels[2]


def test_kinds_are_counted_as_the_terminal_counts_them(tmp_path):
    rng = random.Random(3)
    lines = ["text,speaker,token,Maria,Jonas,Wei"]
    for text in ("c1", "c2"):
        for i in range(60):
            own = [rng.choice([",", ".", "?", "", "", "", ""]) for _ in range(3)]
            lines.append(",".join([text, "AB"[i // 20 % 2], f"w{i}", *(f'"{k}"' for k in own)]))
    (tmp_path / "talk.csv").write_text("\n".join(lines), encoding="utf-8")
    done = run("agree", "talk.csv", "-m", "B", "Sf", "--confusions", "--html", "p.html",
               "--draws", "4", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "p.html").read_text(encoding="utf-8")
    rows = fp.confusions(fp.read(str(tmp_path / "talk.csv"))).where(stream="all")
    assert drawn(html, "kinds") == {f"{r['first']}, {r['second']}: {r['count']}" for r in rows}
    assert "Each edit of S_f, over all pairs of annotators" in html
    head, *table = re.search(r"all speakers: first .*?\n\n", done.stdout, re.DOTALL)[0].split("\n")[
        :4
    ]
    assert "none" in head
    comma = next(r["count"] for r in rows if (r["first"], r["second"]) == (",", ","))
    assert table[0].split()[:2] == [",", str(comma)]


def test_a_text_has_one_number_on_the_page(tmp_path):
    given = {
        "t": {"a": [5, 5, 5], "b": [4, 6, 5], "c": [15]},
        "u": {"a": [3, 7], "b": [3, 7], "c": [10]},
    }
    page = agreement_of(given)
    data = data_in(render(page))
    table = data["tables"]["per-text"]
    column = table["cols"].index("observed, kappa")
    assert table["sorts"] == [[None, column, True]]
    shown = {item["t"]: item["v"] for item in data["texts"]["items"]}
    assert shown == {row[0]: row[column] for row in table["rows"]}
    assert [row[0] for row in table["rows"]] == [item["t"] for item in data["texts"]["items"]]


def test_pages_of_agreement_name_their_metric_and_whom_numbers_are_of():
    given = {"t": {"a": [5, 5, 5], "b": [4, 6, 5], "c": [15]}}
    html = render(agreement_of(given, metric="S"))
    assert (
        "S with others" in html and "S of every two annotators, over the texts they share" in html
    )
    html = render(agreement_of(given, coder="b"))
    assert "The numbers above and the coefficients are about all 3 annotators" in html
    assert "B with b" in html and "The agreement of all annotators of a text, b being one" in html


def test_references_of_a_score_can_be_anonymous(tmp_path):
    given = {"d": {"Adalbert": [5, 5], "Benno": [4, 6]}}
    (tmp_path / "Cleo.json").write_text(json.dumps(given), encoding="utf-8")
    (tmp_path / "sys.json").write_text(json.dumps({"d": [5, 5]}), encoding="utf-8")
    done = run("score", "Cleo.json", "-i", "sys.json", "--anonymize", "--html", "p.html",
               "--per-text", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "p.html").read_text(encoding="utf-8")
    for name in ("Adalbert", "Benno", "Cleo"):
        assert name not in html and name not in done.stdout
    assert data_in(html)["texts"]["names"] == ["coder A", "coder B", "sys"]
    assert "sys" in html and "coder B" in done.stdout


def section_of(html, name):
    found = re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)
    return " ".join("".join(Reader(found[0]).texts).split())


def test_a_page_has_the_differences_that_the_command_prints(tmp_path):
    target = tmp_path / "report.html"
    done = run("score", "gold.jsonl", "-i", "careful.jsonl", "hasty.jsonl", "--paired", "--html",
               str(target))  # fmt: skip
    said = section_of(target.read_text(encoding="utf-8"), "differences")
    assert "difference p p (min-p) win/tie/loss" in said  # three texts have no interval
    lines = [line for line in done.stdout.splitlines() if line.startswith("hasty  B ")]
    assert len(lines) == 2 and all(" ".join(line.split()) in said for line in lines)
    assert "against careful; paired randomization" in said
    assert "Kendall's tau of the rankings" in said


def test_a_page_has_the_contrasts_and_the_kinds_of_every_stream(tmp_path):
    rows = ["text,annotator,speaker,boundaries"]
    for coder, marks in {"x": "a b a ", "y": "a a b "}.items():
        rows += [f'd{t},{coder},{who},"{marks}"' for t in (1, 2) for who in "AB"]
    (tmp_path / "talk.csv").write_text("\n".join(rows), encoding="utf-8")
    target = tmp_path / "talk.html"
    done = run("agree", "talk.csv", "-m", "B", "Sf", "--confusions", "--html", str(target),
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = section_of(target.read_text(encoding="utf-8"), "contrasts")
    for measure in ("typed", "positions", "align first, type later", "match percentage"):
        (line,) = [one for one in done.stdout.splitlines() if one.startswith(f"{measure}  ")]
        assert " ".join(line.split()) in said
    assert "A: first \\ second" in said and "B: first \\ second" in said


def test_texts_and_coders_add_up_to_the_boundaries_of_the_first_line():
    def kinds(*cuts):
        return fp.Segmentation(9, cuts, [1] * len(cuts), ("a",))

    given = {"t": {"x": kinds(3, 9), "y": kinds(3, 6, 9)}, "u": {"x": kinds(4), "y": kinds(5, 9)}}
    corpus = fp.Corpus.from_dict(given)
    for metric, count in (("B", 5), ("Sf", 8)):
        table = fp.agreement(corpus, metric=metric, intervals=False, draws=5)
        assert table.facts["boundaries"] == count
        assert sum(table.part("coders").column("boundaries")) == count
        first = table.rows[0]["coefficient"]
        texts = [r for r in table.part("texts") if r["coefficient"] == first]
        assert sum(row["boundaries"] for row in texts) == count


def test_sentences_without_script_are_numbered_and_called_sentences():
    def sentences(text, units):
        return [f"Sentence {u} of {text} says that the harbour froze again." for u in range(units)]

    gold = made({"d1": [40, 40, 40]}, sentences)
    html = render(page_of(gold, {"s": made({"d1": [38, 42, 40]})}))
    run_of = re.search(r'<p class="run">.*?</p>', html, re.DOTALL)[0]
    assert re.search(r"sentences 1 to \d+ of 120; with JavaScript", html)
    assert '<span class="u line"><span class="n">2</span><bdi>Sentence 1 of' in run_of
    words = made({"d1": [40, 40]}, lambda text, units: ["ice"] * units, unit="word")
    html = render(page_of(words, {"s": made({"d1": [38, 42]})}))
    assert '<p class="run"><span class="u"><bdi>ice ice' in html


def lab(colour):
    """CIE L*a*b*, in which distances are about those that people see."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_no_kind_has_the_colour_of_an_edit():
    css = _part("page.css")
    light, dark = (dict(re.findall(r"--(\w+):(#\w{6})", part)) for part in css.split("@media")[:2])
    for colours, paper in ((light, "#ffffff"), (dark, dark["paper"])):
        for k in range(8):
            own = colours[f"k{k}"]
            assert contrast(own, paper) >= 3
            others = [colours[w] for w in ("match", "near", "missing", "extra", "kind")]
            others += [colours[f"k{j}"] for j in range(8) if j != k]
            assert min(math.dist(lab(own), lab(other)) for other in others) > 18
    assert tuple(light[f"k{k}"] for k in range(8)) == COLOURS


@pytest.mark.parametrize("paper", ["#ffffff", "#111111"])
def test_strips_of_notebooks_show_on_any_paper(paper):
    """Beside its fill every segment has an outline in the colour of the text."""
    ink = "#000000" if paper == "#ffffff" else "#ffffff"
    html = fp.Segmentation.from_masses([3, 4])._repr_html_()
    rects = re.findall(r"<rect[^>]*>", html)
    assert len(rects) == 2

    def over(colour, share):
        both = zip(*(bytes.fromhex(c[1:]) for c in (colour, paper)), strict=True)
        return "#" + bytes(round(a * share + b * (1 - share)) for a, b in both).hex()

    for rect in rects:
        assert 'stroke="currentColor"' in rect
        share = float(re.search(r'stroke-opacity="([\d.]+)"', rect)[1])
        assert contrast(over(ink, share), paper) >= 3


def test_one_of_a_thing_is_said_in_the_singular():
    html = fp.boundary_similarity([1, 5], [1, 5])._repr_html_()
    assert "; 1 match<" in html and "(1 unit)" in html and "(5 units)" in html


def test_row_headers_that_are_numbers_stand_below_their_header():
    table = fp.Table(("place", "coders"), ({"place": 3, "coders": 2}, {"place": 12, "coders": 1}))
    html = render(Page.of(table))
    assert '<th scope="col" class="num">place' in html
    assert '<th scope="row" class="num"><bdi>3' in html
