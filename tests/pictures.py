"""Make the pictures of the tutorials anew: python tests/pictures.py [NAME ...] (make pictures).

Every tutorial is run; pages that its commands write are opened in Debian's chromium, and plots are
taken as they are.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from page_runner import Page

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures"


@dataclass(frozen=True)
class Picture:
    """A picture: the page whose commands make its source, and what of it is shown."""

    name: str
    page: str
    source: str
    width: int = 1000
    height: int = 620
    scroll: str = ""  # the element at the top
    keys: tuple[str, ...] = ()  # pressed before


SHOWN = (
    Picture("score.png", "tutorials/evaluate.md", "report.html"),
    Picture("score-text.png", "tutorials/evaluate.md", "report.html", scroll="#texts-title"),
    Picture("agree.png", "tutorials/agreement.md", "coders.html"),
    Picture(
        "agree-differences.png",
        "tutorials/agreement.md",
        "coders.html",
        scroll="#differences-title",
    ),
    Picture("types.png", "tutorials/types.md", "types.html", scroll="#texts-title"),
    Picture("words.png", "tutorials/resegment.md", "words.html", scroll="#by-word-title"),
    Picture("sweep.png", "tutorials/chunker.md", "sweep.png"),
    Picture("card.png", "tutorials/metric.md", "card.html", height=760),
    Picture("curves.png", "tutorials/metric.md", "curves.png"),
)


def make(names: list[str]) -> Iterator[str]:
    """Make the pictures of these names, or all; yield what was written."""
    from playwright.sync_api import sync_playwright

    wanted = [one for one in SHOWN if not names or one.name in names]
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for page in dict.fromkeys(one.page for one in wanted):
            with tempfile.TemporaryDirectory() as folder:
                Page(Path(folder)).run((DOCS / page).read_text(encoding="utf-8"))
                for one in (one for one in wanted if one.page == page):
                    target = PICTURES / one.name
                    source = Path(folder, one.source)
                    if source.suffix == ".html":
                        shoot(opened, one, source, target)
                    else:
                        shutil.copyfile(source, target)
                    yield f"{one.name}: {target.stat().st_size / 1000:.0f} kB"
        opened.close()


def shoot(browser: Any, one: Picture, source: Path, target: Path) -> None:
    """Take a picture of a page, from the element that is asked for."""
    page = browser.new_page(viewport={"width": one.width, "height": one.height})
    page.goto(source.as_uri())
    if one.scroll:
        page.locator(one.scroll).first.evaluate(
            "element => scrollTo(0, element.getBoundingClientRect().top + scrollY - 16)"
        )
    for key in one.keys:
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    page.screenshot(path=str(target))
    page.close()


if __name__ == "__main__":
    for line in make(sys.argv[1:]):
        print(line)
