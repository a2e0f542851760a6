"""Pages in a real browser: Debian's chromium, headless, driven by Playwright.

Screenshots for people are written to the folder that FENCEPOST_SCREENSHOTS names.
"""

import os
import random
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.report.html import render, write_html
from fencepost.report.html.coders import agreement_page
from fencepost.report.html.marks import short_marks
from fencepost.report.html.papers import papers_page
from fencepost.report.html.probe import probe_page
from fencepost.report.html.words import resegment_page
from fencepost.scoring.tables import Table
from fencepost.study.papers import Run, find
from fencepost.study.probing import PROPERTIES
from pages import HOSTILE, hostile_page, large, made, page_of
from reader import results_of
from support import put, run

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
if BROWSER is None:
    pytest.skip("no browser is installed (Debian: apt-get install chromium), so no page is opened",
                allow_module_level=True)  # fmt: skip
pytestmark = pytest.mark.browser
playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed, so no page is opened"
)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        # Containers run as root, where chromium's own sandbox refuses to work.
        one = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield one
        one.close()


class Opened:
    """A page in the browser, and everything it said or asked for."""

    def __init__(self, browser, path, **settings):
        self.context = browser.new_context(
            **{"viewport": {"width": 1200, "height": 900}, **settings}
        )
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.url = f"file://{path}"
        self.page.goto(self.url)
        if settings.get("java_script_enabled", True):
            self.page.wait_for_selector("html[data-ready=yes]", state="attached")

    def check(self):
        """Nothing was said on the console, nothing was asked for but the page itself."""
        assert self.said == []
        assert self.asked == [self.url]

    def column(self, sheet, number):
        cells = self.page.locator(f"[data-sheet={sheet}] tbody tr > :nth-child({number})")
        return cells.all_inner_texts()

    def shoot(self, name):
        folder = os.environ.get("FENCEPOST_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


@pytest.fixture
def open_page(browser, tmp_path):
    opened = []

    def go(html, **settings):
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        opened.append(Opened(browser, path, **settings))
        return opened[-1]

    yield go
    for one in opened:
        one.context.close()


@pytest.fixture(scope="module")
def small():
    rng = random.Random(5)
    words = ["the", "harbour", "freezes", "over", "every", "winter", "and", "ferries", "stop"]

    def sentences(text, units):
        return [f"{text}: {' '.join(rng.sample(words, 6))}." for _ in range(units)]

    gold = made({f"d{i}": [4, 5, 3, 6, 4] for i in range(1, 13)}, sentences)
    ours = made({f"d{i}": [4, 4, 4, 6 + i % 3, 4 - i % 3] for i in range(1, 13)}, name="ours")
    theirs = made({f"d{i}": [9, 3, 2, 4, 4] for i in range(1, 13)}, name="theirs")
    return render(page_of(gold, {"ours": ours, "theirs": theirs}, metrics=["WD", "B", "A"],
                          lead="12 texts", command="fencepost score"))  # fmt: skip


def test_a_table_is_sorted_by_its_headers(open_page, small):
    one = open_page(small)
    head = one.page.locator("[data-sheet=per-text] thead th")
    assert head.all_inner_texts() == ["text", "units", "mean", "ours", "theirs"]
    rising = [float(v) for v in one.column("per-text", 3)]
    assert rising == sorted(rising) and len(rising) == 12
    assert head.nth(2).get_attribute("aria-sort") == "ascending"  # from the start
    head.nth(2).locator("button").click()
    falling = [float(v) for v in one.column("per-text", 3)]
    assert falling == sorted(rising, reverse=True)
    assert head.nth(2).get_attribute("aria-sort") == "descending"
    one.page.keyboard.press("Enter")  # the header keeps the focus
    assert [float(v) for v in one.column("per-text", 3)] == rising
    head.nth(0).locator("button").click()
    assert one.column("per-text", 1)[:3] == ["d1", "d2", "d3"]  # as people count
    one.check()


def test_a_table_is_searched_and_shows_another_metric(open_page, small):
    one = open_page(small)
    box = one.page.locator("[data-sheet=per-text]")
    before = one.column("per-text", 3)
    box.locator("select").select_option("WindowDiff ↓")
    assert one.column("per-text", 3) != before
    worst = [float(v) for v in one.column("per-text", 3)]
    assert worst == sorted(worst, reverse=True)  # this one is better when lower
    assert box.locator("thead th").nth(2).get_attribute("aria-sort") == "descending"
    box.locator("input[type=search]").fill("d11")
    assert one.column("per-text", 1) == ["d11"]
    assert box.locator(".tools output").inner_text() == "1 of 12 rows"
    box.locator("tbody button").click()
    assert one.page.locator("#text option:checked").inner_text().startswith("d11 ")
    one.check()


def test_errors_are_filtered_by_kind(open_page, small):
    one = open_page(small)
    stage = one.page.locator("#stage")
    assert stage.locator(".e.missing path").count() > 0
    one.page.locator("#filters input[value=missing]").uncheck()
    assert stage.locator(".e.missing").count() == 0
    assert stage.locator(".e.near path").count() > 0
    for what in ("near", "extra", "kind", "match"):
        box = one.page.locator(f"#filters input[value={what}]")
        if box.is_visible():
            box.uncheck()
    assert "Nothing to show" in one.page.locator("#detail").inner_text()
    one.check()


def test_texts_without_the_wanted_error_are_left_out(open_page):
    gold = made({"a": [5, 5], "b": [5, 5], "c": [5, 5]})
    system = made({"a": [4, 6], "b": [10], "c": [5, 5]})
    one = open_page(render(page_of(gold, {"s": system})))
    assert one.page.locator("#text option").count() == 3
    one.page.locator("#filters input[value=missing]").uncheck()
    one.page.locator("#filters input[value=extra]").uncheck()
    assert [t[0] for t in one.page.locator("#text option").all_inner_texts()] == ["a"]
    one.check()


def test_keys_go_from_error_to_error_and_zoom(open_page, small):
    one = open_page(small)
    stage, detail, reach = (one.page.locator(f"#{i}") for i in ("stage", "detail", "range"))
    stage.focus()
    one.page.keyboard.press("ArrowRight")
    first = detail.inner_text()
    assert "after sentence" in first and "cost" in first
    one.page.keyboard.press("ArrowRight")
    assert detail.inner_text() != first
    one.page.keyboard.press("ArrowLeft")
    assert detail.inner_text() == first
    assert stage.locator(".mark").count() == 1
    assert one.page.locator("#words .here").count() > 0
    whole = reach.inner_text()
    one.page.keyboard.press("+")
    assert reach.inner_text() != whole
    one.page.keyboard.press("0")
    assert reach.inner_text() == whole
    title = one.page.locator("#text option:checked").inner_text()
    one.page.keyboard.press("n")
    assert one.page.locator("#text option:checked").inner_text() != title
    one.page.keyboard.press("p")
    assert one.page.locator("#text option:checked").inner_text() == title
    one.check()


def test_zoom_by_buttons_wheel_and_drag(open_page):
    gold, systems = large(2, 500, 2)
    one = open_page(render(page_of(gold, systems)))
    reach = one.page.locator("#range")
    assert reach.inner_text() == "units 1 to 500 of 500"
    for _ in range(4):
        one.page.locator("#in").click()
    close = reach.inner_text()
    assert close != "units 1 to 500 of 500"
    assert one.page.locator("#stage .number").count() > 20
    one.page.locator("#right").click()
    assert reach.inner_text() != close
    box = one.page.locator("#stage").bounding_box()
    one.page.mouse.move(box["x"] + 600, box["y"] + 40)
    one.page.mouse.down()
    before = reach.inner_text()
    one.page.mouse.move(box["x"] + 300, box["y"] + 40, steps=5)
    one.page.mouse.up()
    assert reach.inner_text() != before
    one.page.locator("#all").click()
    assert reach.inner_text() == "units 1 to 500 of 500"
    one.check()


def test_pointing_at_an_edit_says_what_it_is(open_page, small):
    one = open_page(small)
    one.page.locator("#stage").scroll_into_view_if_needed()
    shape = one.page.locator("#stage .e.near path").first.bounding_box()
    one.page.mouse.move(shape["x"] + shape["width"], shape["y"] + shape["height"] - 2)
    assert "near miss by" in one.page.locator("#detail").inner_text()
    one.check()


def test_what_is_said_of_an_edit_stands_beside_it(open_page, small):
    one = open_page(small)
    tip = one.page.locator("#tip")
    assert not tip.is_visible()
    one.page.locator("#stage").scroll_into_view_if_needed()
    path = one.page.locator("#stage .e.missing path").last.bounding_box()
    x, y = path["x"] + path["width"] / 2, path["y"] + path["height"] / 2
    one.page.mouse.move(x, y)
    assert "missing after sentence" in tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] <= x <= box["x"] + box["width"]
    assert 0 < box["y"] - y < 60  # below it: neither on it nor on the sentences above the strips
    one.page.mouse.move(2, 2)
    assert not tip.is_visible()
    one.page.keyboard.press("ArrowRight")
    assert tip.is_visible() and tip.inner_text() in one.page.locator("#detail").inner_text()
    one.check()


def test_keys_work_without_a_click_and_leave_fields_alone(open_page, small):
    one = open_page(small)
    chosen = one.page.locator("#text option:checked")
    first = chosen.inner_text()
    one.page.keyboard.press("ArrowRight")
    assert one.page.locator("#stage .mark").count() == 1
    assert one.page.evaluate(
        "(r => r.top < innerHeight && r.bottom > 0)(document.getElementById('stage')"
        ".getBoundingClientRect())"
    )
    one.page.keyboard.press("n")
    second = chosen.inner_text()
    assert second != first
    one.page.locator("#in").click()  # a button of the view has the focus
    one.page.keyboard.press("p")
    assert chosen.inner_text() == first
    find = one.page.locator("[data-sheet=per-text] input[type=search]")
    find.press_sequentially("n0")
    find.press("ArrowLeft")
    assert find.input_value() == "n0" and chosen.inner_text() == first
    one.page.locator("#order").focus()
    one.page.keyboard.press("p")
    assert chosen.inner_text() == first
    one.check()


# Where shapes and labels are, in pixels.

PLACES = """() => [...document.querySelectorAll('#stage svg text, #stage svg use, '
    + '#stage .e.missing path:not(.dash), #stage .e.kind rect')]
    .map(e => [e.tagName, e.getAttribute('class'), e.textContent, e.getBoundingClientRect()])
    .map(([tag, name, text, r]) => [`${tag} ${name} ${text}`, r.left, r.top, r.right, r.bottom])"""


def overlapping(page):
    """Labels and shapes that lie over each other by more than a pixel."""
    found = page.evaluate(PLACES)
    return [
        (one[0], other[0])
        for i, one in enumerate(found)
        for other in found[:i]
        if min(one[3], other[3]) - max(one[1], other[1]) > 1
        and min(one[4], other[4]) - max(one[2], other[2]) > 1
        and not one[0].split()[0] == other[0].split()[0] == "use"  # neighbours may touch
    ]


def typed_page(names, units=40):
    """Coders who set boundaries of several kinds close to each other."""
    rng = random.Random(8)
    texts = {}
    for text in ("call01", "call02"):
        base = {
            p: rng.randrange(len(names)) for p in sorted(rng.sample(range(1, units), units // 4))
        }
        texts[text] = {}
        for coder in ("Maria", "Jonas", "Wei"):
            cuts = {min(units - 1, p + rng.choice([0, 0, 0, 1])): rng.choice([k, k, 0])
                    for p, k in base.items() if rng.random() < 0.9}  # fmt: skip
            places = sorted(cuts)
            texts[text][coder] = fp.Segmentation(
                units, places, [cuts[p] + 1 for p in places], names
            )
    corpus = fp.Corpus.from_dict(texts)
    return render(agreement_page(results_of(corpus, "Sf")))


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("names", [("H-", "L-H%", "L-L%"), ("intermediate", "intonational")])
def test_labels_do_not_cover_each_other(open_page, names, width):
    one = open_page(typed_page(names), viewport={"width": width, "height": 900})
    marks = one.page.locator("#stage .kindname")
    shown = set()
    for key in ("0", "+", "+", "Shift+ArrowRight", "Shift+ArrowRight", "n", "+"):
        one.page.keyboard.press(key)
        assert overlapping(one.page) == []
        shown |= set(marks.all_text_contents())
    assert shown == set(short_marks(names))
    legend = one.page.locator(".kinds-legend li").all_inner_texts()
    assert [text.split()[-1] for text in legend] == list(names)
    titles = one.page.locator("#stage use title").all_text_contents()
    assert titles and {title.partition(" after ")[0] for title in titles} <= set(names)
    one.shoot(f"kinds-{len(names)}-{width}")
    one.check()


def test_nothing_is_drawn_outside_the_strips(open_page, small):
    one = open_page(small)
    outside = """() => {
        const hole = document.querySelector('#hole rect');
        const svg = document.querySelector('#stage svg');
        const left = svg.getBoundingClientRect().left + hole.x.baseVal.value;
        const right = left + hole.width.baseVal.value;
        const moving = document.querySelector('#stage .moving');
        const wanted = '.e path, .e text, .e rect, use, .kindname, .heat';
        const shapes = [...moving.querySelectorAll(wanted)];
        const far = r => r.right < left - 1 || r.left > right + 1;
        return [moving.getAttribute('clip-path'),
                [...svg.children].filter(e => e.matches('.e, use, rect')).length, shapes.length,
                shapes.map(e => e.getBoundingClientRect()).filter(far).length];
    }"""
    for key in (*["ArrowRight"] * 4, "+", "+", "+", "Shift+ArrowLeft", "Shift+ArrowRight"):
        one.page.keyboard.press(key)
        clip, loose, drawn, off = one.page.evaluate(outside)
        assert clip == "url(#hole)" and loose == 0 and off == 0
        assert drawn > 0
    one.check()


def test_the_type_of_a_boundary_at_the_end_of_a_text_is_drawn_whole(open_page):
    whole = {name: fp.Segmentation(6, [1, 3, 6], [1, 2, 2], (",", ".")) for name in ("a", "b")}
    one = open_page(render(agreement_page(results_of(fp.Corpus.from_dict({"t": whole}), "Sf"))))
    flag, label = (one.page.locator(f"#stage {what}").last for what in ("use", ".kindname"))
    strips = one.page.evaluate("""() => {
        const hole = document.querySelector('#hole rect');
        const left = document.querySelector('#stage svg').getBoundingClientRect().left;
        return left + hole.x.baseVal.value + hole.width.baseVal.value;
    }""")
    assert flag.locator("title").text_content() == ". after 6"
    for shape in (flag.bounding_box(), label.bounding_box()):
        assert shape["x"] + shape["width"] <= strips
    one.check()


def test_every_system_is_drawn_below_the_reference_it_is_compared_with(open_page, small):
    one = open_page(small)
    rows = one.page.evaluate("""() => [...document.querySelectorAll('#stage rect.a, #stage rect.b')]
        .map(r => [r.y.baseVal.value, r.height.baseVal.value, r.x.baseVal.value])""")
    strips = {}
    for y, high, x in rows:
        strips.setdefault((y, high), []).append(x)
    high = [own[1] for own in sorted(strips)]
    assert high == [20, 20, 6, 20]  # reference, ours, the reference again, theirs
    whole, _, thin, _ = (strips[own] for own in sorted(strips))
    assert thin == whole
    one.check()


def test_long_names_stay_in_their_columns(open_page):
    name = "wiki_727k_train_000001_history_of_the_european_coal_and_steel_community.txt"
    gold = made({f"{i}{name}": [5, 5] for i in range(4)})
    system = made({f"{i}{name}": [4, 6] for i in range(4)})
    page = render(page_of(gold, {f"{name}-{i}": system for i in range(2)}))
    for width in (1280, 390):
        one = open_page(page, viewport={"width": width, "height": 900})
        over = one.page.evaluate("""() => [...document.querySelectorAll('table tr')].flatMap(row =>
            [...row.cells].filter(c => c.nextElementSibling).map(c => [
                Math.max(...[c, ...c.querySelectorAll('*')]
                    .map(e => e.getBoundingClientRect().right)),
                c.nextElementSibling.getBoundingClientRect().left]))
            .filter(([right, left]) => right > left + 1)""")
        assert over == []
        cut = one.page.evaluate("""() => [...document.querySelectorAll('figure svg')].flatMap(svg =>
            [...svg.querySelectorAll('text')].map(t => t.getBoundingClientRect().right
            - svg.getBoundingClientRect().right)).filter(by => by > 1)""")
        assert cut == []
        one.check()


def test_ticks_of_histograms_can_be_told_apart(open_page):
    gold, systems = large(3, 900, 2)
    one = open_page(render(page_of(gold, systems)))
    gaps = one.page.evaluate("""() => [...document.querySelectorAll('#sizes svg, #offsets svg')]
        .flatMap(svg => { const own = [...svg.querySelectorAll('g:last-of-type text')]
            .map(t => t.getBoundingClientRect());
          return own.slice(1).map((r, i) => r.left - own[i].right); })""")
    assert len(gaps) > 10 and min(gaps) > 2
    one.check()


def test_segments_can_be_read_on_a_phone(open_page):
    rng = random.Random(2)
    words = ["harbour", "freezes", "over", "every", "winter", "ferries"]
    lines = [" ".join(rng.choices(words, k=18)) for _ in range(8)]
    found = fp.resegment(
        lines, " ".join(rng.choice([w, w, w, "x"]) for w in " ".join(lines).split())
    )
    page = render(resegment_page({"asr": found}, [["AS-WER", "1"]]))
    one = open_page(page, viewport={"width": 390, "height": 844})
    rows = one.page.locator("[data-sheet=segments] tbody tr")
    assert rows.count() == 8
    assert max(rows.nth(i).bounding_box()["height"] for i in range(8)) < 250
    said = rows.first.locator("td.long").first.bounding_box()
    assert said["x"] + 100 < 390  # what was said is seen without scrolling
    one.check()


def test_segments_beside_the_page_can_be_opened(browser, tmp_path):
    lines = [f"a b c d e f {i}" for i in range(60)]
    found = fp.resegment(lines, " ".join(line.replace("c", "x") for line in lines))
    page = resegment_page({"asr": found}, [["AS-WER", "1"]], room=6_000)
    written = write_html(tmp_path / "r.html", page)
    assert [path.name for path in written] == ["r.html", "r.rest.json"]
    one = Opened(browser, written[0])
    said = one.page.locator("#segment-count")
    assert not said.inner_text().endswith("of 60 segments")
    one.page.locator("#rest input").set_input_files(str(written[1]))
    playwright.expect(said).to_contain_text("of 60 segments")
    playwright.expect(one.page.locator("#rest output")).to_contain_text("60 segments are shown")
    one.check()
    one.context.close()


def test_ribbons_and_the_list_of_edits(open_page, small):
    one = open_page(small)
    assert one.page.locator("#stage [class^=r]").count() == 0
    one.page.locator("#ribbons").check()
    assert one.page.locator("#stage path[class^=r]").count() > 5
    one.page.locator("#list summary").click()
    rows = one.page.locator("#list tbody tr")
    rows.first.wait_for()  # the list is filled when it has opened, a moment after the click
    shown = one.page.locator("#filters output").all_inner_texts()
    assert rows.count() == sum(map(int, shown))
    one.check()


def test_the_best_can_come_first(open_page, small):
    one = open_page(small)

    def values():
        texts = one.page.locator("#text option").all_inner_texts()
        return [float(text.partition("(")[2].rstrip(")")) for text in texts]

    assert values() == sorted(values())
    one.page.locator("#order").select_option("best")
    assert values() == sorted(values(), reverse=True)
    one.check()


def test_without_script_the_numbers_and_the_worst_texts_are_there(open_page, small):
    one = open_page(small, java_script_enabled=False)
    assert "windowdiff|k:" in one.page.locator("#summary").inner_text()
    assert one.page.locator("#summary tbody tr").count() == 4
    assert one.page.locator("#texts figure svg").count() == 3
    assert one.page.locator("#texts figure svg").first.is_visible()
    assert not one.page.locator("#view").is_visible()
    legend = one.page.locator("#texts .noscript .legend")
    assert legend.is_visible() and "near miss, and by how many units" in legend.inner_text()
    assert legend.locator("svg use").count() == 4
    assert "every" in one.page.locator("#texts .run").first.inner_text()
    assert len(one.column("per-text", 1)) == 12
    one.shoot("score-noscript")
    one.check()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_it_fits_wide_and_narrow_in_light_and_dark(open_page, small, scheme, width):
    one = open_page(small, color_scheme=scheme, viewport={"width": width, "height": 900})
    overflow = one.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0
    paper = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 29)")
    one.page.locator("#stage").focus()
    one.page.keyboard.press("ArrowRight")
    one.page.locator("#ribbons").check()
    one.shoot(f"score-{scheme}-{width}")
    one.check()


def test_everything_to_use_has_a_name(open_page, small):
    one = open_page(small)
    nameless = one.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, [role=region], [role=group],'
           + ' [role=img]')].filter(e => e.checkVisibility()).filter(e =>
           !(e.innerText || '').trim() && !e.ariaLabel && !(e.labels && e.labels.length)
           && !e.querySelector('title')).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    one.check()


def test_hostile_input_stays_text(open_page):
    one = open_page(hostile_page())
    assert one.page.title() != "broken"
    assert "<script>" in one.page.locator("#words").inner_text()
    one.page.locator("#stage").focus()
    for key in ("ArrowRight", "+", "n", "ArrowRight"):
        one.page.keyboard.press(key)
    one.page.locator("#list summary").click()
    one.page.locator("[data-sheet=per-text] tbody button").first.click()
    assert one.page.locator("main img, main script, main style").count() == 0
    assert one.page.title() != "broken"
    one.shoot("hostile")
    one.check()


def test_a_very_long_text_can_be_used(open_page):
    rng = random.Random(3)
    units = 100_000

    def some(share):
        return fp.Segmentation(units, sorted(rng.sample(range(1, units), int(units * share))))

    gold = fp.Corpus.from_dict({"long": some(0.1)})
    systems = {"a": fp.Corpus.from_dict({"long": some(0.1)})}
    one = open_page(render(page_of(gold, systems)))
    assert one.page.locator("#stage *").count() < 2000
    one.page.locator("#stage").focus()
    for key in ("ArrowRight", "+", "+", "+", "End", "-", "0", "ArrowLeft"):
        one.page.keyboard.press(key)
    assert "cost" in one.page.locator("#detail").inner_text()
    one.shoot("long")
    one.check()


def test_texts_beside_the_page_can_be_opened(browser, tmp_path):
    gold, systems = large(40, 200, 2)
    page = page_of(gold, systems, room=30_000)
    written = write_html(tmp_path / "r.html", page)
    one = Opened(browser, written[0])
    inside = one.page.locator("#text option").count()
    assert 0 < inside < 40
    one.page.locator("#rest input").set_input_files(str(written[1]))
    playwright.expect(one.page.locator("#text option")).to_have_count(40)
    assert not one.page.locator("#rest label").is_visible()  # nothing more to offer
    assert one.page.locator("#rest output").inner_text().startswith("40 texts are shown now")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[]", encoding="utf-8")
    one.page.locator("#rest input").set_input_files(str(wrong))
    playwright.expect(one.page.locator("#rest output")).to_contain_text("not the file")
    one.check()
    one.context.close()


def command_page(tmp_path, *words):
    data = str(files("fencepost") / "data")
    target = tmp_path / "command.html"
    command = [sys.executable, "-m", "fencepost", *words, "--html", str(target)]
    subprocess.run(command, cwd=data, check=True, capture_output=True)
    return target.read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_coders_can_be_compared_with_any_of_them(open_page, tmp_path, scheme, width):
    html = command_page(tmp_path, "agree", "stargazers.json")
    one = open_page(html, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert one.page.locator("#base option").count() == 7
    assert one.page.locator("#stage .heat").count() > 5
    missing = one.page.locator("#filters .missing output").inner_text()
    one.page.locator("#base").select_option(label="4")
    assert one.page.locator("#filters .missing output").inner_text() != missing
    names = one.page.locator("#stage .name").evaluate_all("all => all.map(n => n.firstChild.data)")
    assert names == ["all annotators", "4", "1", "2", "3", "5", "6", "7"]
    one.page.locator("[data-sheet=differences] tbody button").first.click()
    assert one.page.locator("#detail").inner_text() != ""
    assert one.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    one.shoot(f"agree-{scheme}-{width}")
    one.check()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_words_are_filtered_by_what_happened_to_them(open_page, tmp_path, scheme, width):
    html = command_page(tmp_path, "resegment", "speech.ref1.txt", "speech.ref2.txt", "-i",
                        "speech.hyp.txt", "--punctuation", "remove")  # fmt: skip
    one = open_page(html, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert one.page.locator("#segments li").count() == 5
    one.page.locator("#operations input[value=I]").check()
    rows = one.page.locator("#segments li")
    assert 0 < rows.count() < 5
    assert all(rows.nth(i).locator(".step.I").count() for i in range(rows.count()))
    one.page.locator("#operations input[value=I]").uncheck()
    one.page.locator("#operations input[value=A]").check()
    assert one.page.locator("#segments .maybe").count() == rows.count() == 1
    one.page.locator("#operations input[value=A]").uncheck()
    one.page.locator("#segment-find").fill("weather")
    assert rows.count() == 1
    one.page.locator("#segment-find").fill("")
    assert one.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    one.shoot(f"resegment-{scheme}-{width}")
    one.check()


# The page of a report card.


@pytest.fixture(scope="module")
def cards():
    found = fp.probe("windowdiff", ["pk", "B", "A"])
    pages = {"one": render(probe_page(found[0])), "several": render(probe_page(found))}
    # Several cards have the properties that apply to one of the metrics at least.
    applying = [any(card.answers[at].measured.applies for card in found.cards)
                for at in range(len(PROPERTIES))]  # fmt: skip
    return pages, {"one": len(PROPERTIES), "several": sum(applying)}


@pytest.mark.parametrize("which", ["one", "several"])
@pytest.mark.parametrize(
    ("width", "scheme", "script"),
    [(1280, "light", True), (390, "dark", True), (1280, "dark", False), (390, "light", False)],
)
def test_the_card_is_there_at_any_width_with_and_without_script(
    open_page, cards, which, width, scheme, script
):
    pages, properties = cards
    one = open_page(pages[which], viewport={"width": width, "height": 900}, color_scheme=scheme,
                    java_script_enabled=script)  # fmt: skip
    rows = one.page.locator(".cards tbody tr:not(.family)")
    assert rows.count() == properties[which]
    assert rows.last.is_visible() and rows.last.locator(".asks").first.is_visible()
    assert rows.locator("td.verdict svg.mark").count() == rows.locator("td.verdict").count()
    assert one.page.locator("#curves figure svg").count() == {"one": 13, "several": 15}[which]
    assert one.page.locator("#reasons figure svg").first.is_visible()
    if script:  # nothing is cut off or scrolls sideways
        wide = "[...document.querySelectorAll('html, .cards .scroll')].map(e => e.scrollWidth)"
        assert max(one.page.evaluate(wide)) <= width
        right = "[...document.querySelectorAll('svg')].map(e => e.getBoundingClientRect().right)"
        assert max(one.page.evaluate(right)) <= width
    one.shoot(f"probe-{which}-{scheme}-{width}{'' if script else '-nojs'}")
    one.check()


def test_verdicts_differ_in_colour_and_in_shape(open_page, cards):
    one = open_page(cards[0]["one"])
    looks = {
        said: one.page.locator(f".cards td svg.mark.{said}").first.evaluate(
            "e => [getComputedStyle(e).color, e.querySelector('use').getAttribute('href')]"
        )
        for said in ("yes", "no")
    }
    assert looks["yes"][0] != looks["no"][0]
    assert looks["yes"][1] != looks["no"][1]


def test_only_what_differs_without_script(open_page, cards):
    one = open_page(cards[0]["several"], java_script_enabled=False)
    same = one.page.locator(".cards tr.same")
    assert same.count() and same.first.is_visible()
    one.page.locator(".differ").check()
    assert not same.first.is_visible()
    assert one.page.locator(".cards tbody tr:not(.family):not(.same)").first.is_visible()


def test_a_name_leads_to_what_is_behind_its_no(open_page, cards):
    one = open_page(cards[0]["one"])
    one.page.locator(".cards a[href='#is-symmetric']").click()
    assert one.page.locator("#is-symmetric svg").first.is_visible()


# The page of a reproduction.


@pytest.fixture(scope="module")
def papers():
    run, chosen = Run(fast=True), [find("fournier2012"), find("diaz2022")]
    rows = [row for paper in chosen for row in paper.table(run, "figure").rows]
    table = Table(tuple(rows[0]), tuple(rows), name="reproduction")
    return render(papers_page(chosen, table, run, "figure", "fencepost reproduce all"))


@pytest.mark.parametrize(
    ("width", "scheme", "script"),
    [(1280, "light", True), (390, "dark", True), (1280, "dark", False), (390, "light", False)],
)
def test_papers_are_there_at_any_width_with_and_without_script(
    open_page, papers, width, scheme, script
):
    one = open_page(papers, viewport={"width": width, "height": 900}, color_scheme=scheme,
                    java_script_enabled=script)  # fmt: skip
    assert one.page.locator(".verdicts tbody tr").first.is_visible()
    assert one.page.locator("#reasons li").first.is_visible()
    drawn = one.page.locator(".curves figure > svg")
    assert drawn.count() > 20 and all(svg.is_visible() for svg in drawn.all())
    if script:  # nothing is cut off; only wide tables scroll sideways, in their own box
        assert one.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        right = "[...document.querySelectorAll('figure svg')]" \
                ".map(e => e.getBoundingClientRect().right)"  # fmt: skip
        assert max(one.page.evaluate(right)) <= width
    one.shoot(f"papers-{scheme}-{width}{'' if script else '-nojs'}")
    one.check()


def test_a_note_opens_with_a_click_on_it_or_on_its_number(open_page, papers):
    one = open_page(papers)
    article = one.page.locator("#diaz2022-figure-9")
    note = article.locator("#diaz2022-figure-9-note-1")
    assert not note.is_visible()
    article.locator(".notes summary").click()
    assert note.is_visible() and "no sizes are given" in note.inner_text()
    article.locator(".notes summary").click()
    article.locator("sup a").first.click()
    note.wait_for(state="visible")


# What a second look at the pages found.


@pytest.fixture(scope="module")
def crowd():
    rng = random.Random(60)
    given = {
        f"chapter {t}": {
            f"annotator {c:02}": fp.Segmentation(60, sorted(rng.sample(range(1, 60), 6)))
            for c in range(60)
        }
        for t in range(2)
    }
    corpus = fp.Corpus.from_dict(given)
    return render(agreement_page(results_of(corpus, draws=20)))


def test_the_chosen_edit_and_its_sentence_are_always_on_the_screen(open_page, crowd):
    one = open_page(crowd)
    lanes = set()
    for _ in range(40):
        one.page.keyboard.press("ArrowRight")
        seen = one.page.evaluate("""() => {
            const box = id => document.getElementById(id).getBoundingClientRect();
            const [tip, detail, stage] = ["tip", "detail", "stage"].map(box);
            return [detail.top >= 0 && detail.bottom <= tip.top, tip.bottom <= innerHeight,
                    tip.top - 60 > detail.bottom, tip.top - stage.top];
        }""")
        assert seen[:3] == [True, True, True]
        lanes.add(round(seen[3]))
    assert len(lanes) > 10  # up and down through the coders
    one.check()


def test_annotators_have_differences_and_values_are_rounded_as_in_the_table(open_page):
    one_near_miss = {"a": fp.Segmentation(42, [2, 10, 14, 18, 22]),
                     "b": fp.Segmentation(42, [3, 30, 34, 38])}  # fmt: skip
    corpus = fp.Corpus.from_dict({"x": one_near_miss})
    assert fp.boundary_similarity(*one_near_miss.values()) == 0.0625
    one = open_page(render(agreement_page(results_of(corpus, draws=20))))
    assert one.page.locator("#text option").all_inner_texts() == [f"x ({0.0625:.3f})"]
    assert one.page.locator("#detail").inner_text().startswith("8 differences to go through")
    one.check()


def test_what_is_counted_is_what_keys_visit(open_page):
    gold = made({"a": [3, 3, 3, 3], "b": [5, 7], "c": [5, 7]})
    system = made({"a": [3, 3, 2, 4], "b": [5, 7], "c": [5, 3, 4]})
    one = open_page(render(page_of(gold, {"s": system})))
    said = {}
    for text in ("a", "b", "c"):
        label = next(t for t in one.page.locator("#text option").all_inner_texts() if t[0] == text)
        one.page.locator("#text").select_option(label=label)
        said[text] = one.page.locator("#detail").inner_text().split(":")[0]
    assert said == {"a": "1 error to go through", "b": "1 match to go through",
                    "c": "1 error to go through"}  # fmt: skip
    one.check()


def test_bars_are_those_of_dark_paper_in_the_dark(open_page, small):
    colours = []
    for scheme in ("light", "dark"):
        one = open_page(small, color_scheme=scheme)
        for section in ("sizes", "offsets"):
            bar = one.page.locator(f"#{section} .bar").first
            colours.append(bar.evaluate("e => getComputedStyle(e).fill"))
    assert colours[:2] == ["rgb(0, 114, 178)"] * 2
    assert colours[2:] == ["rgb(90, 169, 230)"] * 2


def test_differences_are_blocks_on_a_phone(open_page, crowd):
    one = open_page(crowd, viewport={"width": 390, "height": 844})
    row = one.page.locator("[data-sheet=differences] tbody tr").first
    cells = row.locator("td")
    for i in range(cells.count()):
        box = cells.nth(i).bounding_box()
        assert box["x"] + box["width"] <= 390
    assert row.locator("td[data-label='not set by']").is_visible()
    one.shoot("places_phone")
    wide = open_page(crowd)
    assert wide.page.locator("[data-sheet=differences] tr").nth(1).evaluate(
        "e => getComputedStyle(e).display") == "table-row"  # fmt: skip
    one.check()


def test_a_card_has_no_script_and_nothing_to_complain_about(open_page, cards):
    one = open_page(cards[0]["several"])
    assert one.page.locator("script").count() == 0
    assert one.page.locator("#reasons .legend li").count() == 4
    one.check()


def test_levels_are_as_tall_and_thick_as_they_are_coarse(open_page):
    names = ("1", "2", "3")
    ref = fp.Segmentation(40, [4, 9, 17, 26, 30], [2, 1, 3, 2, 3], names)
    hyp = fp.Segmentation(40, [4, 10, 17, 26], [2, 1, 2, 2], names)
    other = fp.Segmentation(40, [9, 26, 33], [1, 3, 3], names)
    systems = {name: fp.Corpus.from_dict({"d": seg}) for name, seg in (("a", hyp), ("b", other))}
    one = open_page(render(page_of(fp.Corpus.from_dict({"d": ref}), systems, ["B"])))
    for key in ("0", "+", "0"):
        one.page.keyboard.press(key)
        drawn = one.page.locator("#stage .rung").evaluate_all(
            "paths => paths.map(p => [p.querySelector('title').textContent, p.getAttribute('d'),"
            " +p.getAttribute('stroke-width')])"
        )
        heights = {}
        for level, d, thick in drawn:
            for part in d.split("M")[1:]:
                heights.setdefault(level, set()).add((float(part.partition("v")[2]), thick))
        full = {level: max(own) for level, own in heights.items()}
        assert full["1"] > full["2"] > full["3"]
        assert full["1"][1] > full["2"][1] > full["3"][1] == 1
    legend = one.page.locator(".kinds-legend li").all_inner_texts()
    assert [text.strip() for text in legend[1:]] == ["level 1", "level 2", "level 3"]
    one.shoot("levels")
    one.check()


@pytest.mark.parametrize("what", ["agree", "annotator", "resegment"])
def test_hostile_files_stay_text_on_every_page(open_page, tmp_path, what):
    words = [word for word in HOSTILE if "\n" not in word]
    coders = {word: {f"{name} {i}": [3 + i % 2, 4, 3 - i % 2] for i, name in enumerate(words[:4])}
              for word in words}  # fmt: skip
    put(tmp_path, "<img src=x>.json", coders)
    rows = [{"document": word, "text": f"{word} a"} for word in words for _ in range(2)]
    lines = "".join(f"{row['document']}\t{row['text']}\n" for row in rows)
    put(tmp_path, "<b>.tsv", "document\ttext\n" + re.sub("[\x00\r\x85\u2028\ud800]", "", lines))
    command = {
        "agree": ["agree", "<img src=x>.json", "--draws", "2", "--html", "page.html"],
        "annotator": ["agree", "<img src=x>.json", "--draws", "2", "--html-per-coder", "pages"],
        "resegment": ["resegment", "<b>.tsv", "-i", "<b>.tsv", "--html", "page.html"],
    }[what]
    done = run(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path = next((tmp_path / "pages").iterdir()) if what == "annotator" else tmp_path / "page.html"
    one = open_page(path.read_text(encoding="utf-8"))
    assert one.page.title() != "broken"
    assert one.page.locator("main img, main script, main style, main svg[onload]").count() == 0
    one.check()
