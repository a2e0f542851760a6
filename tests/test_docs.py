"""Pages under docs/ whose examples are run from top to bottom, beside the files that they show."""

import json
import re

import pytest

import fencepost as fp
from page_runner import DOCS, PAGES, Example, Page
from pictures import DIGESTS, SHOWN, digest, digests, drawn, plots, visible
from support import DATA


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_prints_what_it_says(path, tmp_path):
    page = Page(tmp_path)
    with plots() as saved:
        page.run(path.read_text(encoding="utf-8"))
    assert page.ran
    for one in page.ran:
        assert "Traceback (most" not in one.want, f"{one.source} fails on the page"
        assert one.agrees, (
            f"{one.source}\n\nthe page:\n{one.want}\nnow:\n{one.got}\n"
            f"if that is right: python tests/page_runner.py {path} writes it into the page"
        )
    noted = json.loads(DIGESTS.read_text(encoding="utf-8"))
    for name, shows in digests(path.relative_to(DOCS).as_posix(), tmp_path, saved).items():
        assert noted[name] == shows, f"docs/pictures/{name} shows something old: make pictures"


def test_what_a_picture_shows_is_told_from_how_it_is_made():
    page = '<p class="{}">Pk {}</p><svg><path d="M{} 2"/></svg><script>{}</script><style>{}</style>'
    plain = digest(visible(page.format("a", "0.1234567", 1, "x", "y")))
    assert plain == digest(visible(page.format("b", "0.12345671", 1, "z", "w")))
    assert plain != digest(visible(page.format("a", "0.1235", 1, "x", "y")))
    assert plain != digest(visible(page.format("a", "0.1234567", 2, "x", "y")))
    data = '<script type="application/json">{"value": %s}</script>'
    assert digest(visible(data % 0.5)) != digest(visible(data % 0.6))


def test_what_a_plot_shows_is_its_numbers_and_words():
    figure = pytest.importorskip("matplotlib.figure")

    def plotted(values, title="Pk"):
        made = figure.Figure()
        axes = made.add_subplot()
        axes.plot([1, 2, 3], values, label="system")
        axes.fill_between([1, 2, 3], values, 0)
        axes.legend()
        axes.set_title(title)
        return digest(drawn(made))

    assert plotted([0.1, 0.2, 0.3]) == plotted([0.1, 0.2, 0.3])
    assert len({plotted([0.1, 0.2, 0.3]), plotted([0.1, 0.2, 0.4]), plotted([1, 2, 3], "B")}) == 3


def test_pictures_are_made_by_a_command_and_shown():
    there = {path.name for path in (DOCS / "pictures").glob("*.png")}
    assert [*json.loads(DIGESTS.read_text(encoding="utf-8"))] == [one.name for one in SHOWN]
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


def test_the_finer_tables_that_a_page_names_are_there():
    page = (DOCS / "agreement.md").read_text(encoding="utf-8")
    listed = page.partition("finer tables behind the first:")[2].partition(".")[0]
    named = re.findall(r"`(\w+)`", listed)
    table = fp.agreement({"a": {"x": [2, 3], "y": [3, 2]}})
    assert len(named) >= 9 and {*named} <= {*table.parts}


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


# Every entry under "Numbers" of the changelog, by words of it, has its row in the page on versions.
ROWS = {
    "intervals of scores": "95% intervals of scores and differences are by one method",
    "intervals of pooled counts": "Default intervals of pooled counts",
    "pooled A, covering and boundary agreement": "Pooled A, covering and boundary agreement",
    "texts that all have one value": "Texts that all have one value have an interval",
    "ends of intervals": "Intervals are cut at the range of the metric",
    "order of texts in intervals and p": "Resamples and swaps go by the names of texts",
    "intervals of a run whose files break off": "where a file breaks in the middle",
    "quantiles of Student's t": "Quantiles of Student's t",
    "p of several comparisons": "p of several comparisons",
    "systems with several runs": "Where a system has several runs",
    "which system is best": "The metrics disagree about the best system",
    "infinite values of a user's function": "Infinite values of a user's function",
    "random boundaries, above 10,000 texts": "the baseline of random boundaries is drawn less",
    "standard error of expected B": "The standard error of expected B",
    "micro average of functions without counts": '`average="micro"` of a plain function',
    "averages in signatures of batches": "A signature among the metrics brings its average",
    "intervals of `agree`": "Intervals of `agree` are for other texts and other annotators",
    "degrees of freedom in `agree`": "degrees of freedom as annotators less one",
    "order of texts in `agree`": "Intervals of `agree` do not depend on the order",
    "kappa and pi in `agree`": "Kappa and pi in `agree` permute",
    "pi by shuffled positions": "pi by shuffled positions",
    "kappa* where chance agrees always": "kappa* of four or more annotators",
    "chance of alpha_U": "What random annotators reach by alpha_U",
    '`like="segeval"` in `agree`': "pair near misses nearest first, as segeval does",
    "`agree -i` of few texts": "no interval and no verdict of a system below 5 texts",
    "names of alpha_U and gamma in files": "Rows of alpha_U and gamma have these names",
    "0/1 under `--like nltk` and `segeval`": "give what the tool prints for the file",
    "one segmentation in a file, and no `-i`": "A file with one segmentation under a known name",
    "names of texts in `doc_id`, `key`, `title`": "Records whose names of texts are in",
    "what a 1 marks": "What a 1 marks is judged for each annotator",
    "columns of a sheet": "What a column means no longer depends on other columns",
    "0/1 in tables of tokens": "columns of 0 and 1 (or true/false",
    "numbers of segments in tables of tokens": "numbers of segments in a table of tokens (they",
    "strings of 0 and 1 that all end with 1": "Strings of 0 and 1 of which every one ends",
    "two words that come and go": "Two words that come and go",
    "HTML that is never closed": "What is never closed in an HTML page",
    "levels of a file": "declare the levels that some boundary in the file has",
    "damaged pages of Parquet files": "A damaged page of a Parquet file",
    "spans without length in batches": "Spans without length",
    "a column `units` in runs": "Runs over files take a column `units`",
    "reference boundaries above a table": "The number of reference boundaries above a table",
    "fingerprints in the data line": "The fingerprint in the data line",
    "B and scaled S with boundary types": "price boundary types by a declared order",
    "`--costs` beside B and S": "`--learn-costs` price the substitutions of B and S",
    'numbers as types under `like="segeval"`': "prices types that are numbers by their values",
    "the order of types": "Boundary types are numbered in one order",
    "numbers beside names as types": "Numbers on one side and names on the other",
    "reduced T-measure": "The reduced T-measure",
    "`resegment`, one side without punctuation": "compare without punctuation if only one side",
    "error rates of `resegment` in files": "Error rates in tables of `resegment`",
    "`-m wer` in `resegment`": "adds WER by the lowest rate",
    "equally good alignments": "Where several alignments cost the same",
    "`elapsed` of SimulEval logs": "`elapsed` of words from SimulEval logs",
    "delays in simulstream logs": "Words of simulstream logs",
    "CTM words with a no-break space": "A CTM word with a no-break space",
    "figures of report cards": "draw their texts and errors through `fp.simulate`",
    '"edges cost what the middle does"': '"edges cost what the middle does" includes misses',
    "cross-validated thresholds of `tune`": "Cross-validated scores and thresholds of folds",
    "`--threshold N/100`": "rounds half up exactly",
    "WindowDiff at thresholds, 2^31 units": "WindowDiff at every threshold",
    "a pair scored while a signal is handled": "scored while a signal is handled",
    "odd calls of NLTK's drop-in": "answers all calls that NLTK answers",
    "certain chance in segeval's drop-in": "raises where segeval divides by zero",
}


def test_every_number_that_changed_has_a_row_in_the_page_on_versions():
    changes = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = changes.partition("\n## ")[2].partition("\n## ")[0]
    entries = newest.partition("### Numbers\n")[2].partition("\n### ")[0].strip().split("\n- ")
    named = [[row for row, words in ROWS.items() if words in entry] for entry in entries]
    assert [entry[:80] for entry, rows in zip(entries, named, strict=True) if not rows] == []
    assert {row for rows in named for row in rows} == {*ROWS}
    page = (DOCS / "explanation" / "versions.md").read_text(encoding="utf-8")
    table = page.partition("## From 0.1 to 0.2")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()]
    assert [row for row in rows if row in ROWS] == [*ROWS]
