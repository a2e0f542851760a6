"""Options of reading apply or are refused; units of a text, empty texts, levels in columns."""

import json
import re
import shlex

import pytest

import fencepost as fp
from fencepost.formats import FormatError, read_text
from support import run

TEXT = "It rained all day. We left early.\nThen sun. Good."
SENTENCES = ["It rained all day.", "We left early.", "Then sun.", "Good."]
SPANS = [[0, 18], [19, 43], [44, 49]]
HYP = [[0, 33], [34, 49]]


def json_lines(records):
    return "".join(json.dumps(one) + "\n" for one in records)


def masses(corpus):
    return [list(seg.masses) for seg in corpus.entries.values()]


@pytest.mark.parametrize(
    "option",
    ["--units words", "--units seconds:1", "--gaps join", "--overlap end", "--snap",
     "--threshold 0.5", "--flags last"],
)  # fmt: skip
@pytest.mark.parametrize(
    "content", ['{"d": [5, 5]}', '{"id": "d", "ref": {"cuts": [5]}, "units": 10}'], ids=str
)
def test_an_option_that_changes_nothing_on_sizes_is_refused(tmp_path, option, content):
    name = "g.jsonl" if "cuts" in content else "g.json"
    (tmp_path / name).write_text(content)
    done = run("score", name, "-i", name, *option.split(), cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert f"{option.split()[0]} does not apply: no file holds" in done.stderr
    with pytest.raises(FormatError, match="does not apply"):
        read_text(content, name, units="words")


def record(**fields):
    return json.dumps({"id": "a", "text": TEXT, "ref": SPANS, "sents": SENTENCES, **fields})


def test_units_of_records_with_spans_are_characters_words_lines_or_sentences():
    assert masses(read_text(record(), "x.jsonl", snap=True)) == [[19, 25, 5]]
    assert masses(read_text(record(), "x.jsonl", units="words")) == [[4, 5, 1]]
    corpus = read_text(record(), "x.jsonl", units="sentences:sents")
    assert masses(corpus) == [[1, 2, 1]]
    assert corpus.unit == "sentence" and list(corpus.tokens["a", ""]) == SENTENCES
    assert masses(read_text(record(ref=HYP), "x.jsonl", units="lines")) == [[1, 1]]
    with pytest.raises(FormatError, match=r"character 18, inside unit 1; --units words or chars"):
        read_text(record(), "x.jsonl", units="lines")
    with pytest.raises(FormatError, match=r'--units words needs the text .* in a field "text"'):
        read_text('{"id": "a", "ref": [[0, 3], [3, 5]]}', "x.jsonl", units="words")
    with pytest.raises(FormatError, match="--snap ignores white space, which --units words does"):
        read_text(record(), "x.jsonl", units="words", snap=True)


def test_listed_sentences_must_be_the_text():
    for wrong in (["It rained all day."], SENTENCES[1:], [*SENTENCES, "More."], "It rained.", None):
        with pytest.raises(FormatError, match=r'"sents"'):
            read_text(record(sents=wrong), "x.jsonl", units="sentences:sents")


def test_label_studio_can_count_sentences():
    regions = [
        {"type": "labels", "value": {"start": start, "end": end, "labels": ["a"]}}
        for start, end in SPANS
    ]
    notes = [{"id": 5, "completed_by": 1, "result": regions}]
    task = {"id": 1, "data": {"text": TEXT, "sents": SENTENCES}, "annotations": notes}
    corpus = read_text(json.dumps([task]), "x.json", units="sentences:sents")
    assert masses(corpus) == [[1, 2, 1]] and corpus.unit == "sentence"
    assert corpus.source.choices["units"] == "sentences:sents"


SHEET = "unit,level1,level2\n1,0,0\n2,0,1\n3,1,1\n4,0,0\n5,1,1\n"


def test_columns_of_levels_are_no_annotators():
    with pytest.raises(FormatError, match="look like levels of one annotator: --levels kinds"):
        read_text(SHEET, "x.csv")
    (typed,) = read_text(SHEET, "x.csv", levels="kinds").entries.values()
    assert (typed.cuts.tolist(), list(typed.kind_names)) == ([2, 3], ["1", "2"])
    assert [typed.kind_names[kind - 1] for kind in typed.kinds] == ["2", "1"]
    assert masses(read_text(SHEET, "x.csv", levels="all")) == [[2, 1, 2]]
    assert masses(read_text(SHEET, "x.csv", levels="1")) == [[3, 2]]
    assert masses(read_text(SHEET, "x.csv", field="level1")) == [[3, 2]]
    both = SHEET.replace("level1", "anna_level1").replace("level2", "anna_level2")
    assert read_text(both, "x.csv", levels="all").coders == ["anna"]
    with pytest.raises(FormatError, match="--levels does not apply: the file holds no levels"):
        read_text(SHEET.replace("level1", "anna").replace("level2", "ben"), "x.csv", levels="1")
    with pytest.raises(FormatError, match="look like levels of one annotator, which tables of tok"):
        read_text(SHEET.replace("unit", "token"), "x.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", '{"a": [3, 2], "b": [], "c": [2, 2]}'),
        ("x.json", '{"a": {"x": [3, 2]}, "b": {"x": []}, "c": {"x": [2, 2]}}'),
        ("x.jsonl", json_lines([{"id": "a", "ref": [3, 2]}, {"id": "b", "ref": [], "units": []},
                                {"id": "c", "ref": [2, 2]}])),
    ],
)  # fmt: skip
def test_empty_texts_are_skipped_where_that_is_asked_for(tmp_path, name, content):
    with pytest.raises(FormatError, match="--empty skip"):
        read_text(content, name)
    corpus = read_text(content, name, empty="skip")
    assert corpus.texts == ["a", "c"] and masses(corpus) == [[3, 2], [2, 2]]
    (tmp_path / name).write_text(content)
    done = run("score", name, "-i", name, "--empty", "skip", "-m", "B", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 empty text was skipped: b" in done.stdout + done.stderr
    assert "empty_texts:skip" in done.stdout


def test_empty_files_of_a_folder_are_skipped_where_that_is_asked_for(tmp_path):
    (tmp_path / "1.ref").write_text("a b\n==========\nc d\n")
    (tmp_path / "2.ref").write_text("")
    with pytest.raises(FormatError, match=r"2\.ref is empty; --empty skip ignores empty files"):
        fp.read(tmp_path)
    corpus = fp.read(tmp_path, empty="skip")
    assert corpus.texts == ["1"] and corpus.source.choices["empty_texts"] == "skip"


PROBABILITIES = [{"id": n, "ref": [5, 3], "hyp": [0.1, 0.3, 0.2, 0.1, 0.9, 0.2, 0.3, 0.8]}
                 for n in "ab"]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("x.jsonl", record(hyp=HYP), "--units words"),
        ("x.jsonl", record(hyp=HYP), "--units sentences:sents"),
        ("x.jsonl", record(hyp=HYP), "--snap"),
        ("x.jsonl", record(hyp=HYP), "--gaps segment --units chars"),
        ("x.jsonl", json_lines(PROBABILITIES), "--threshold 0.25 --flags last"),
        ("x.csv", "text,unit,ref,hyp\n" + "".join(f"a,{n},{n > 2},{n > 3}\n" for n in range(1, 7)),
         "--flags first --ref-field ref --hyp-field hyp"),
    ],
)  # fmt: skip
def test_the_command_that_a_signature_gives_has_its_number(tmp_path, name, content, options):
    (tmp_path / name).write_text(content)
    first = run("score", name, *options.split(), "-m", "WD", "--no-intervals", "--json",
                cwd=tmp_path)  # fmt: skip
    assert first.returncode == 0, first.stderr
    row = json.loads(first.stdout)["rows"][0]
    said = run("metrics", row["signature"], cwd=tmp_path).stdout
    command = said.strip().splitlines()[-1]
    words = [word for word in shlex.split(command)[2:] if word not in ("REF", "-i", "HYP")]
    fields = re.findall(r"--(?:ref|hyp)-field \w+", options)
    again = run("score", name, *words, *" ".join(fields).split(), "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)["rows"][0]
    assert (found["value"], found["signature"]) == (row["value"], row["signature"])


def test_a_signature_explains_units_positions_levels_and_thresholds():
    said = run("metrics", "boundary_f|tolerance:0|units:0.1s|levels:2|threshold:0.5|places:found|"
               "encoding:labels|fencepost:0.1.0").stdout  # fmt: skip
    for meaning in ("units of 0.1 s", "level 2 and of coarser levels counted",
                    "at least 0.5 was a boundary", "found by searching", "one label per unit",
                    "--raw TEXT"):  # fmt: skip
        assert meaning in said
    said = run("metrics", "boundary_f|tolerance:0|units:paragraphs|fencepost:0.1.0").stdout
    assert "units are paragraphs" in said and "--units" not in said
