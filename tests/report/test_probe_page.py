"""The page of a report card: everything the card knows, drawn, and readable without script."""

import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import fencepost as fp
from fencepost.report.cards import shown_figure
from fencepost.report.html import render
from fencepost.report.html.charts import _bends
from fencepost.report.html.probe import drawn_pair, probe_page
from fencepost.study.probing import Answer, Card
from fencepost.study.probing.base import Measured
from pages import HOSTILE
from reader import Reader
from support import parts_of, signatures_in

pytestmark = pytest.mark.slow  # whole report cards


@pytest.fixture(scope="module")
def one():
    return fp.probe("windowdiff")


@pytest.fixture(scope="module")
def several():
    return fp.probe("windowdiff", ["pk", "B", "A"])


class Cells(HTMLParser):
    """The texts of all cells of the first table, a list a row."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(html[html.index("<table") : html.index("</table>")])

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def test_every_property_has_its_verdict_figure_and_threshold(one):
    rows = Cells(render(probe_page(one))).rows
    by_name = {answer.asked.name: answer for answer in one}
    for name, answer in by_name.items():
        (row,) = [r for r in rows if r[0].startswith(name + answer.asked.asks)]
        assert answer.asked.figure in row[0]
        said = answer.asked.threshold.said.replace("<=", "≤").replace(">=", "≥")
        assert row[1].replace("\xa0", " ") == f"holds if {said}"
        assert row[2] == f"WindowDiff {answer.verdict}{shown_figure(answer)}"


def test_metrics_stand_beside_each_other_and_not_below(several):
    rows = Cells(render(probe_page(several))).rows
    assert [cell.split(" ")[0] for cell in rows[0]] == [
        "property", "holds", "WindowDiff", "Pk", "B", "A"
    ]  # fmt: skip
    applying = [answer for answer in several[0] if answer.measured.applies]
    assert sum(len(row) == 6 for row in rows[1:]) == len(applying)
    (triangle,) = [row for row in rows if row[0].startswith("triangle inequality")]
    assert triangle[-1] == "A no0.000149"  # and not 0.000, which would hold


def test_counter_examples_are_drawn_once_with_all_their_scores(several):
    html = render(probe_page(several))
    article = re.search(r'<article id="is-symmetric">.*?</article>', html, re.DOTALL)[0]
    shown = several["windowdiff"]["symmetric"].example
    assert [s.ref.masses for s in shown] == [
        s.ref.masses for s in several["pk"]["symmetric"].example
    ]
    assert article.count("<svg xmlns") == len(shown) == 2
    values = [several[m]["symmetric"].example[0].value for m in ("windowdiff", "pk")]
    assert "WindowDiff {:.3f}, Pk {:.3f}".format(*values) in article
    assert "reference, 1 segment; hypothesis, 2 segments; 1 extra" in article
    assert "reference 3, hypothesis 1 2" not in html  # no text in place of a drawing


def test_every_no_has_its_finding(one):
    html = render(probe_page(one))
    for answer in one:
        if answer.verdict == "no" and answer.measured.detail:
            assert f"<bdi>{answer.measured.detail}</bdi>" in html


def test_all_curves_are_drawn_with_their_bands(several):
    html = render(probe_page(several))
    section = re.search(r'<section id="curves".*?</section>', html, re.DOTALL)[0]
    curves = several[0].curves
    names = {name for card in several for name in card.curves}
    assert section.count("<figure>") == len(names) > len(curves)  # by k, and by n_t
    bands = sum(bool(c.half) and not c.labels for card in several for c in card.curves.values())
    assert section.count('fill-opacity="0.2"') == bands > 0
    assert section.count('<ul class="keys">') == 1
    near = curves["near misses"]
    assert f"near misses. WindowDiff, {near.x_label}, loss: 0: 0".lower() in section.lower()


def test_signature_seed_and_command_stand_once(several):
    html = render(probe_page(several, "fencepost probe windowdiff"))
    shown = signatures_in("".join(Reader(html).texts))
    assert [*map(parts_of, shown)] == [parts_of(card.signature) for card in several]
    assert html.count("seed 12345") == 1
    assert html.count("fencepost probe windowdiff") == 1


def test_rank_correlations_are_a_square(several):
    html = render(probe_page(several))
    section = re.search(r'<section id="ranks".*?</section>', html, re.DOTALL)[0]
    tau = several.correlations.rows[0]["tau"]
    assert section.count(f"<bdi>{tau:.3f}</bdi>") >= 2
    assert "over 560 hypotheses" in section


def test_a_page_is_small_and_the_same_every_time(one, several):
    """All of it counts: style, drawings, words and tables; it has no data beside them."""
    assert len(render(probe_page(one)).encode()) < 110_000
    html = render(probe_page(several))
    assert len(html.encode()) < 180_000
    assert html == render(probe_page(fp.probe("WD", ["pk", "B", "A"])))


def test_a_page_without_script_allows_none(one):
    html = render(probe_page(one))
    assert "<script" not in html and "script-src &#39;none&#39;" in html


def test_numbers_of_units_do_not_run_together(several):
    """In strips of any length there are at least 15 pixels from one number to the next."""
    drawings = [several["windowdiff"]["prefers what people prefer"].example[0]]
    drawings += several["windowdiff"]["symmetric"].example
    for shown in drawings:
        for svg in (drawn_pair(shown), drawn_pair(shown, page=False)):
            for group in re.findall(r'<g text-anchor="middle" font-size="9">(.*?)</g>', svg):
                places = [float(x) for x in re.findall(r'x="([\d.]+)"', group)]
                assert all(b - a >= 15 for a, b in pairwise(places))


def test_curves_keep_their_bends():
    straight = [(float(x), 2.0 * x) for x in range(50)]
    assert _bends(straight) == [straight[0], straight[-1]]
    bent = [*straight, *((50.0 + x, 100.0) for x in range(50))]
    assert _bends(bent) == [bent[0], bent[50], bent[-1]]
    wave = [(float(x), 30 * math.sin(x / 9)) for x in range(200)]
    kept = _bends(wave)
    xs, ys = zip(*kept, strict=True)
    assert all(abs(np.interp(x, xs, ys) - y) <= 0.1 + 1e-9 for x, y in wave)


def test_names_and_findings_of_others_stay_text():
    page = probe_page(fp.probe("pk", [lambda a, b: float(a == b)], properties=["symmetric"]))
    assert "&lt;lambda&gt;" in render(page)
    card = fp.probe("pk", properties=["symmetric"])
    answer = card["symmetric"]
    measured = Measured(answer.figure, HOSTILE[0], answer.example)
    hostile = Card(
        HOSTILE[2], HOSTILE[1], "lower", card.signature,
        (Answer(answer.asked, measured, "no"),), 1,
    )  # fmt: skip
    for html in (render(probe_page(hostile)), hostile._repr_html_()):
        for word in ("<script>document", "<img", "<svg onload"):
            assert word not in html


def test_the_command_writes_the_page(tmp_path):
    path = tmp_path / "card.html"
    words = ["-m", "fencepost", "probe", "pk", "B", "--properties", "symmetric", "--html", path]
    done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert f"written: {path}" in done.stderr
    html = path.read_text(encoding="utf-8")
    assert html.count('role="columnheader"') == 4
    assert "--properties symmetric --html" in html


def test_a_card_shows_itself_in_a_notebook(one, several):
    html = one._repr_html_()
    assert html.count("<tr>") == len(one.answers) + 1
    assert html.count("<svg") == sum(len(answer.example) for answer in one)
    assert "<script" not in html and 'class="mark' not in html
    apart = re.sub("<(br|code)", r"\n<\1", several._repr_html_())
    shown = signatures_in("".join(Reader(apart).texts))
    assert parts_of(several[3].signature) in [*map(parts_of, shown)]
