"""Pages under docs/ whose examples are run from top to bottom, beside the files that they show."""

import json

import pytest

from page_runner import DOCS, PAGES, Example, Page
from pictures import SHOWN
from support import DATA


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_prints_what_it_says(path, tmp_path):
    page = Page(tmp_path)
    page.run(path.read_text(encoding="utf-8"))
    assert page.ran
    for one in page.ran:
        assert one.agrees, (
            f"{one.source}\n\nthe page:\n{one.want}\nnow:\n{one.got}\n"
            f"if that is right: python tests/page_runner.py {path} writes it into the page"
        )


def test_pictures_are_made_by_a_command_and_shown():
    there = {path.name for path in (DOCS / "pictures").iterdir()}
    shown = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert there == {one.name for one in SHOWN}
    assert all(f"pictures/{name})" in shown for name in there)
    assert sum(path.stat().st_size for path in (DOCS / "pictures").iterdir()) < 2_000_000


def test_an_output_may_leave_lines_out():
    assert Example("", "a\n...\nd\n", "a\nb\nc\nd\n").agrees
    assert Example("", "a\n...\n", "a\n").agrees
    assert not Example("", "a\n...\nd\n", "a\nb\n").agrees
    assert not Example("", "a.\n", "ab\n").agrees


def test_a_command_may_take_several_lines(tmp_path):
    (tmp_path / "x.json").write_text("{}\n", encoding="utf-8")
    text = "```console\n$ cat \\\n>   x.json \\\n>   x.json\n{}\n{}\n```\n"
    page = Page(tmp_path)
    assert page.run(text) == text
    assert [one.got for one in page.ran] == ["{}\n{}\n"]


def test_outputs_are_written_anew(tmp_path):
    text = "`x.json`:\n\n```json\n{}\n```\n\n```console\n$ cat x.json\nold\n```\n"
    assert Page(tmp_path).run(text) == text.replace("old", "{}")
    assert Page(tmp_path).run("```python\n>>> 1 + 1\n3\n```\n") == "```python\n>>> 1 + 1\n2\n```\n"


def read_texts(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def test_probabilities_of_later_law_are_those_of_the_rule_on_the_bill_of_rights():
    """The page on probabilities computes those of the Bill of Rights itself."""
    seen = [
        (word.lower(), mark)
        for text in read_texts("rights.jsonl")
        for word, mark in zip(text["units"][1:], text["ref"], strict=True)
    ]
    share = sum(mark for _, mark in seen) / len(seen)
    for text in read_texts("later.jsonl"):
        assert len(text["units"]) == len(text["ref"]) + 1
        for word, given in zip(text["units"][1:], text["next_word"], strict=True):
            marks = [mark for one, mark in seen if one == word.lower()]
            assert given == round((sum(marks) + share) / (len(marks) + 1), 2)
