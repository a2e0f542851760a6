"""Pages in a real browser: Debian's chromium, headless, driven by Playwright.

Screenshots for people are written to the folder that FENCEPOST_SCREENSHOTS names.
"""

import os
import random
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.report.html import render, write_html
from pages import hostile_page, large, made, page_of

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
if BROWSER is None:
    pytest.skip("no browser is installed (Debian: apt-get install chromium), so no page is opened",
                allow_module_level=True)  # fmt: skip
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
    head.nth(2).locator("button").click()
    rising = [float(v) for v in one.column("per-text", 3)]
    assert rising == sorted(rising) and len(rising) == 12
    assert head.nth(2).get_attribute("aria-sort") == "ascending"
    one.page.keyboard.press("Enter")  # the header keeps the focus
    falling = [float(v) for v in one.column("per-text", 3)]
    assert falling == sorted(rising, reverse=True)
    head.nth(0).locator("button").click()
    assert one.column("per-text", 1)[:3] == ["d1", "d2", "d3"]  # as people count
    one.check()


def test_a_table_is_searched_and_shows_another_metric(open_page, small):
    one = open_page(small)
    box = one.page.locator("[data-sheet=per-text]")
    before = one.column("per-text", 3)
    box.locator("select").select_option("B ↑")
    assert one.column("per-text", 3) != before
    box.locator("input[type=search]").fill("d11")
    assert one.column("per-text", 1) == ["d11"]
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
    shape = one.page.locator("#stage .e.near path").first.bounding_box()
    one.page.mouse.move(shape["x"] + shape["width"], shape["y"] + shape["height"] - 2)
    assert "near miss by" in one.page.locator("#detail").inner_text()
    one.check()


def test_ribbons_and_the_list_of_edits(open_page, small):
    one = open_page(small)
    assert one.page.locator("#stage [class^=r]").count() == 0
    one.page.locator("#ribbons").check()
    assert one.page.locator("#stage path[class^=r]").count() > 5
    one.page.locator("#list summary").click()
    rows = one.page.locator("#list tbody tr")
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
    assert names == ["all coders", "4", "1", "2", "3", "5", "6", "7"]
    one.page.locator("[data-sheet=places] tbody button").first.click()
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
