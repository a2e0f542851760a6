"""The documentation site: built without warnings, every link between pages right, no outside."""

import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import fencepost as fp

DOCS = Path(__file__).parent.parent / "docs"
TABLE_OF_CONTENTS = re.compile(r"```\{toctree\}\n(.*?)```", re.S)
LOADED = re.compile(r'<(?:script|img|link)\b[^>]*?\b(?:src|href)="((?:https?:)?//[^"]*)"')


def placed() -> set[Path]:
    """The pages that a table of contents names."""
    found = set()
    for path in DOCS.rglob("*.md"):
        for block in re.findall(
            r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.S
        ):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            found |= {(path.parent / f"{name}.md").resolve() for name in names}
    # The first page of the reference is made when the site is built.
    made = (DOCS / "reference_pages.py").read_text(encoding="utf-8")
    names = re.findall(r"^   \.\./(\w+)$", made, re.M)
    return found | {(DOCS / f"{name}.md").resolve() for name in names}


def test_every_page_has_its_place():
    """A page that is new needs a line in docs/howto/index.md or another table of contents."""
    pages = {path.resolve() for path in DOCS.rglob("*.md") if "_build" not in path.parts}
    assert pages - placed() == {(DOCS / "index.md").resolve()}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("sphinx", reason="needs pip install 'fencepost[docs]'")
    source = tmp_path_factory.mktemp("site") / "docs"
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("_build", "reference"))
    built = source.parent / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", source, built]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return built


@pytest.mark.slow
def test_the_site_is_built_without_warnings(site):
    pages = {path.stem for path in (site / "reference" / "metrics").glob("*.html")}
    assert pages == {"index", *fp.METRICS}
    assert (site / "external-links.txt").exists()


@pytest.mark.slow
def test_pages_load_nothing_from_elsewhere(site):
    wrong = {
        path.name: found
        for path in site.rglob("*.html")
        if (found := LOADED.findall(path.read_text(encoding="utf-8")))
    }
    assert wrong == {}


@pytest.mark.slow
def test_links_lead_to_pages_of_the_site_or_to_the_web(site):
    wrong = []
    for page in site.rglob("*.html"):
        for href in re.findall(r'\bhref="([^"]*)"', page.read_text(encoding="utf-8")):
            link = urlsplit(unescape(href))
            known = link.scheme in ("http", "https") if link.scheme else not link.netloc
            there = link.scheme or not link.path or (page.parent / unquote(link.path)).exists()
            if not (known and there):
                wrong.append(f"{page.relative_to(site)}: {href}")
    assert wrong == []


@pytest.mark.slow
def test_formulas_are_drawn(site):
    for name in fp.METRICS:
        page = (site / "reference" / "metrics" / f"{name}.html").read_text(encoding="utf-8")
        assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in page, name
        # Misread formulas: a subscript below a letter, and a fraction from \\tfrac12.
        assert not re.search(r"<munder(over)?>\s*<mi>[A-Za-z]</mi>", page), name
        assert not re.search(r"<mfrac[^>]*>\s*<mn>\d\d", page), name


@pytest.mark.slow
def test_every_page_can_be_reached(site):
    """Every page is in the tree at the side of the first page, or in that of a chapter."""
    reached = set()
    waiting = [site / "index.html"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        links = re.findall(r'href="([^":#?]+\.html)', page.read_text(encoding="utf-8"))
        waiting += [(page.parent / link).resolve() for link in links]
    assert {path.resolve() for path in site.rglob("*.html")} == {one.resolve() for one in reached}
