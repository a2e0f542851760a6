"""Sentences for a paper: every figure is one of the table."""

import csv
import re

import pytest

from scored import GOLD, SYSTEMS
from support import ok, put

FIGURE = re.compile(r"[+-]?\d+\.\d+")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The systems of the tests of statistics, and annotators, as files."""
    made = tmp_path_factory.mktemp("sentences")
    coders = {t: {"anna": m, **{n: own[t] for n, own in SYSTEMS.items()}} for t, m in GOLD.items()}
    for name, content in {"gold": GOLD, "coders": coders, **SYSTEMS}.items():
        put(made, f"{name}.json", content)
    (made / "ref.txt").write_text("the cat sat\non the mat\nand slept\nall day\nlong\n")
    (made / "hyp.txt").write_text("the cat sat on a mat and slept all the day long\n")
    return made


def figures(text):
    """All figures but the version, which could be taken for one of a sentence."""
    return FIGURE.findall(re.sub(r"fencepost[: ]\d+\.\d+\.\d+", "", text))


@pytest.mark.parametrize(
    "words",
    [
        ("score", "gold.json", "-i", "a.json", "b.json", "-m", "B", "pk"),
        ("score", "gold.json", "-i", "a.json", "b.json", "c.json", "-m", "B", "--paired"),
        ("score", "gold.json", "-i", "a.json", "b.json", "c.json", "-m", "B", "--all-pairs",
         "--average", "both", "--adjust", "none"),
        ("score", "gold.json", "-i", "a.json", "b.json", "c.json", "--runs", "bc=b,c", "--paired"),
        ("score", "gold.json", "-i", "a.json", "b.json", "--no-intervals", "--margin", "0.1"),
        ("resegment", "ref.txt", "-i", "hyp.txt", "-m", "per"),
        ("agree", "coders.json"),
        ("agree", "coders.json", "-i", "a.json", "b.json", "--margin", "0.1"),
    ],
    ids=lambda words: " ".join(words[-3:]),
)  # fmt: skip
def test_every_figure_of_a_sentence_stands_in_the_table(folder, words):
    said = ok(*words, "--sentence", cwd=folder)
    assert said.count("\n") == 1 and said.endswith(".\n")
    assert re.search(r"[Cc]omputed with fencepost \d+\.\d+\.\d+", said)
    form = () if words[0] == "agree" else ("--markdown",)
    table = ok(*words, *form, cwd=folder)
    assert figures(said)
    assert set(figures(said)) <= set(figures(table))


def test_a_sentence_on_agreement_has_the_verdict_of_each_system(folder):
    words = ("agree", "coders.json", "-i", "a.json", "b.json", "--margin", "0.1")
    said = ok(*words, "--sentence", cwd=folder)
    table = ok(*words, "--csv", "--table", "verdicts", notes=True, cwd=folder)
    for row in csv.DictReader(table.splitlines()):
        assert re.search(
            rf"\b{row['system']} by [+-]{abs(float(row['difference'])):.3f} \(95% interval "
            rf"[^)]*\), rank {row['rank']} of {row['of']}, {row['verdict']} ",
            said,
        )
    assert "(margin of equivalence 0.1)." in said
