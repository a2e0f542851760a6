"""The pages of the papers: examples are run, and every page answers the same seven questions."""

import doctest
import re
from pathlib import Path

import pytest

from fencepost.study.papers import KEYS
from fencepost.study.papers.base import SOURCES

FOLDER = Path(__file__).parent.parent / "docs" / "papers"
PAGES = {key: (FOLDER / f"{key}.md").read_text(encoding="utf-8") for key in KEYS}
HEADINGS = ["The problem", "What it contributes", "The formula", "A worked example",
            "Found when recomputed", "Where it is used", "Left open"]  # fmt: skip
MAX_WORDS = 25


@pytest.mark.parametrize("key", KEYS)
def test_the_worked_example_gives_what_the_page_says(key):
    blocks = re.findall(r"```python\n(.*?)```", PAGES[key], re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, key, f"{key}.md", 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted >= 3 and result.failed == 0


@pytest.mark.parametrize("key", KEYS)
def test_every_page_answers_the_same_questions(key):
    assert re.findall(r"^## (.*)$", PAGES[key], re.MULTILINE) == HEADINGS
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"[{key}]({key}.md)" in index


@pytest.mark.parametrize("key", KEYS)
def test_what_was_found_is_counted_by_source(key):
    found = PAGES[key].partition("<!-- found -->\n")[2].partition("<!-- /found -->")[0]
    assert f"fencepost reproduce {key}" in found
    rows = [line.strip("| ").split(" | ") for line in found.splitlines() if line.startswith("| ")]
    assert rows[0] == ["source", "equal", "within", "measured", "differs", "not reproduced"]
    assert {row[0] for row in rows[1:]} - {"all"} <= set(SOURCES.values())


@pytest.mark.parametrize("key", KEYS)
def test_sentences_are_short(key):
    prose = re.sub(r"```.*?```|<!-- found -->.*?<!-- /found -->", "", PAGES[key], flags=re.DOTALL)
    lines = [line for line in prose.splitlines() if line and line[0] not in "#| "]
    for line in lines:
        text = re.sub(r"`[^`]*`", "code", line)
        for sentence in re.split(r"(?<=[.:;])\s+", text):
            assert len(sentence.split()) <= MAX_WORDS, sentence


@pytest.mark.parametrize("key", KEYS)
def test_links_lead_somewhere(key):
    for target in re.findall(r"\]\(([^)#]+\.md)\)", PAGES[key]):
        assert (FOLDER / target).is_file(), target
