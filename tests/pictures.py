"""Make the pictures of the tutorials anew: python tests/pictures.py [NAME ...] (make pictures).

Every tutorial is run; pages that its commands write are opened in Debian's chromium, and plots are
taken as they are. What each picture shows is noted beside it as a digest, of the words and drawings
of a page or of the numbers of a plot: test_docs.py runs the tutorials and compares.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

from page_runner import Page

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures"
DIGESTS = PICTURES / "digests.json"  # of what each picture shows


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
    Picture("card.png", "tutorials/metric.md", "card.html", width=1060, height=760),
    Picture("curves.png", "tutorials/metric.md", "curves.png"),
)


class Visible(HTMLParser):
    """What a reader sees of a page: words, the data that a script draws, and drawings."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = False  # inside of a script or a style sheet
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where drawings are; what is named or linked is not seen."""
        named = dict(attrs)
        self._unseen = tag == "style" or (tag == "script" and "json" not in str(named.get("type")))
        self.parts += [f"{k}={v}" for k, v in attrs if k in ("d", "x", "y", "width", "height")]

    def handle_endtag(self, tag: str) -> None:
        """Look again."""
        self._unseen = False

    def handle_data(self, data: str) -> None:
        """Keep words."""
        if not self._unseen:
            self.parts += data.split()


def visible(html: str) -> str:
    """Return what a reader sees of a page, as one text."""
    return " ".join(Visible(html).parts)


def drawn(figure: Any) -> str:
    """Return the words and the numbers of a plot, as one text."""
    parts: list[Any] = []
    for axes in figure.axes:
        for artist in axes.get_children():
            for read in ("get_text", "get_xydata", "get_paths", "get_path"):
                found = getattr(artist, read, list)()
                many = found if isinstance(found, list) else [found]
                parts += [getattr(one, "vertices", one) for one in many]
        legend = axes.get_legend()
        parts += [one.get_text() for one in legend.get_texts()] if legend else []
        parts += [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
    return " ".join(str(one.tolist() if hasattr(one, "tolist") else one) for one in parts)


def digest(text: str) -> str:
    """Return a short digest of a text, whose numbers count to five digits."""
    rounded = re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda found: f"{float(found[0]) + 0.0:.5g}", text)
    return hashlib.sha256(rounded.encode()).hexdigest()[:16]


@contextmanager
def plots() -> Iterator[dict[str, str]]:
    """Note the digest of each plot that is saved meanwhile, by the name of its file."""
    from matplotlib.figure import Figure

    from fencepost.report import figures

    found: dict[str, str] = {}

    def noting(save: Any) -> Any:
        def noted(figure: Any, target: Any, **settings: Any) -> None:
            if isinstance(target, (str, Path)):  # our own files are streams, below their names
                found[Path(target).name] = digest(drawn(figure))
            save(figure, target, **settings)

        return noted

    with (
        mock.patch.object(figures, "save", noting(figures.save)),
        mock.patch.object(Figure, "savefig", noting(Figure.savefig)),
    ):
        yield found


def digests(page: str, folder: Path, saved: dict[str, str]) -> dict[str, str]:
    """Return the digest of each picture of a tutorial that was run in a folder."""
    return {
        one.name: digest(visible((folder / one.source).read_text(encoding="utf-8")))
        if one.source.endswith(".html")
        else saved[one.source]
        for one in SHOWN
        if one.page == page
    }


def make(names: list[str]) -> Iterator[str]:
    """Make the pictures of these names, or all; yield what was written."""
    from playwright.sync_api import sync_playwright

    wanted = [one for one in SHOWN if not names or one.name in names]
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for page in dict.fromkeys(one.page for one in wanted):
            with tempfile.TemporaryDirectory() as folder:
                with plots() as saved:
                    Page(Path(folder)).run((DOCS / page).read_text(encoding="utf-8"))
                shows = digests(page, Path(folder), saved)
                for one in (one for one in wanted if one.page == page):
                    target = PICTURES / one.name
                    source = Path(folder, one.source)
                    if source.suffix == ".html":
                        shoot(opened, one, source, target)
                    else:
                        shutil.copyfile(source, target)
                    note(one.name, shows[one.name])
                    yield f"{one.name}: {target.stat().st_size / 1000:.0f} kB"
        opened.close()


def note(name: str, shows: str) -> None:
    """Note what a picture shows now."""
    known = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    ordered = {one.name: known.get(one.name) for one in SHOWN} | {name: shows}
    DIGESTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


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
