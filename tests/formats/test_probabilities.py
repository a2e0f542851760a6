"""Files with a probability per position or per unit: kept, thresholded, or refused."""

import json
import shlex
from pathlib import Path

import pytest

import fencepost as fp
import support
from fencepost import Segmentation
from fencepost.formats import FormatError

UNITS = ["a", "b", "c", "d"]
GIVEN = [0.1, 0.9, 0.25]
KEPT = Segmentation.from_probabilities(GIVEN)


def read(tmp_path, name, content, **options):
    path = tmp_path / name
    if isinstance(content, str):
        path.write_text(content)
    else:
        lines = content if isinstance(content, list) else [content]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return fp.read(path, **options)


def record(hyp, units=UNITS):
    return {"id": "d1", "units": units, "hyp": hyp}


HYP = {"columns": {"hyp": "hyp"}, "probabilities": True}


def test_a_list_per_position_is_kept(tmp_path):
    made = read(tmp_path, "x.jsonl", record(GIVEN), **HYP)
    assert made["d1"] == KEPT
    assert made.source.choices == {"probabilities": "kept"}
    assert made.source.shape == "one record per text: probability per position"


@pytest.mark.parametrize(("flags", "given"), [("last", [*GIVEN, 0.3]), ("first", [0.7, *GIVEN])])
def test_a_list_per_unit_is_kept_with_flags(tmp_path, flags, given):
    made = read(tmp_path, "x.jsonl", record(given), flags=flags, **HYP)
    assert made["d1"] == KEPT
    assert made.source.choices == {"probabilities": "kept", "flags": flags}
    said = f"probability per {{unit}} that it is the {flags} of a segment"
    assert said in made.source.shape


def test_a_list_per_unit_may_prove_what_it_is_about_as_marks_do(tmp_path):
    made = read(tmp_path, "x.jsonl", record([*GIVEN, 1.0]), **HYP)
    assert made["d1"] == KEPT
    assert made.source.choices["flags"] == "last"


def test_a_list_without_units_needs_a_declaration(tmp_path):
    with pytest.raises(FormatError) as error:
        read(tmp_path, "x.jsonl", {"id": "d1", "hyp": GIVEN}, **HYP)
    for way in ("line 1", "3 probabilities", "--encoding bits", "--flags last", "--flags first"):
        assert way in str(error.value)
    made = read(tmp_path, "x.jsonl", {"id": "d1", "hyp": GIVEN}, encoding="bits", **HYP)
    assert made["d1"] == KEPT


def test_a_json_file_by_text_and_annotator_is_kept(tmp_path):
    given = {"d1": {"m1": GIVEN, "m2": [0.5, 0.5, 0.5]}}
    made = read(tmp_path, "x.json", json.dumps(given), encoding="bits", probabilities=True)
    assert made["d1", "m1"] == KEPT
    assert made["d1", "m2"].weights.tolist() == [0.5, 0.5, 0.5]


SHEET = "text,unit,gold,model\nd1,1,0,0.1\nd1,2,1,0.9\nd1,3,0,0.25\nd1,4,1,0.3\n"


def test_a_column_of_a_sheet_is_kept_beside_marks(tmp_path):
    made = read(tmp_path, "x.csv", SHEET, flags="last", probabilities=True)
    assert made["d1", "model"] == KEPT
    assert made["d1", "gold"] == Segmentation(4, [2])
    alone = read(tmp_path, "x.csv", SHEET, flags="last", **HYP | {"columns": {"hyp": "model"}})
    assert alone["d1"] == KEPT


def test_a_parquet_column_is_kept(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = arrow.table({"id": ["d1"], "units": [UNITS], "hyp": [GIVEN]})
    parquet.write_table(rows, tmp_path / "x.parquet")
    assert fp.read(tmp_path / "x.parquet", **HYP)["d1"] == KEPT


def test_a_threshold_still_makes_boundaries(tmp_path):
    made = read(tmp_path, "x.jsonl", record(GIVEN), columns={"hyp": "hyp"}, threshold=0.5)
    assert made["d1"] == KEPT.at_threshold(0.5)


def test_marks_of_the_other_side_stay_what_they_are(tmp_path):
    made = read(tmp_path, "x.jsonl", record([0, 1, 0]), encoding="bits", columns={"hyp": "hyp"},
                idle=set(), probabilities=True)  # fmt: skip
    assert made["d1"] == Segmentation(4, [2])
    assert "probabilities" not in made.source.choices


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.jsonl", json.dumps(record(GIVEN))), ("x.csv", SHEET)],
)
def test_without_a_declaration_both_options_are_offered(tmp_path, name, content):
    with pytest.raises(FormatError) as error:
        read(tmp_path, name, content, columns={"hyp": "hyp" if name == "x.jsonl" else "model"})
    assert "--probabilities" in str(error.value)
    assert "--threshold 0.5" in str(error.value)


def test_the_two_options_exclude_each_other(tmp_path):
    with pytest.raises(FormatError, match="give one of the two"):
        read(tmp_path, "x.jsonl", record(GIVEN), threshold=0.5, **HYP)


def test_the_option_is_refused_where_nothing_is_a_probability(tmp_path):
    with pytest.raises(FormatError, match="--probabilities"):
        read(tmp_path, "x.jsonl", record([2, 2]), **HYP)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0.1, 1.5, 0.2], 'x.jsonl, line 2, text d2: --probabilities is for probabilities from '
         '0 to 1; number 2 of "hyp" is the number 1.5'),
        ([0.1, -0.5, 0.2], "number 2"),
        ([0.1, 0.2, float("nan")], "number 3"),
        ([0.1, None, 0.2], "number 2"),
        ([0.1, "0.5", 0.2], 'number 2 of "hyp" is the text "0.5"'),
        ([0.1, 0.2], 'x.jsonl, line 2, text d2: "hyp" has 2 probabilities for a text of 4 units'),
        ([0.1] * 5, '"hyp" has 5 probabilities for a text of 4 units'),
    ],
)  # fmt: skip
def test_bad_probabilities_are_refused_with_file_line_and_number(tmp_path, given, message):
    with pytest.raises(FormatError) as error:
        read(tmp_path, "x.jsonl", [record(GIVEN), record(given) | {"id": "d2"}], **HYP)
    assert message in str(error.value)


@pytest.mark.parametrize("cell", ["1.5", "-0.1", "often", "NaN", ""])
def test_a_bad_cell_of_a_sheet_is_refused_with_its_line(tmp_path, cell):
    rows = "".join(f"d1,{n},0.{n % 9},{n % 2}\n" for n in range(1, 12))
    content = f"text,unit,model,gold\n{rows}d1,12,{cell},1\n"
    with pytest.raises(FormatError, match=r"x\.csv, line 13: model"):
        read(tmp_path, "x.csv", content, flags="last", probabilities=True)


def test_a_table_of_tokens_names_the_way(tmp_path):
    content = "text,token,model\n" + "".join(f"d1,w{n},0.{n}\n" for n in range(1, 5))
    with pytest.raises(FormatError, match="--from units --columns words=TOKENS"):
        read(tmp_path, "x.csv", content, flags="last", probabilities=True)


def test_metrics_of_boundaries_are_refused_on_the_command_line(tmp_path):
    (tmp_path / "x.jsonl").write_text(json.dumps(record(GIVEN) | {"ref": [2, 2]}) + "\n")
    ran = support.run(
        "score", str(tmp_path / "x.jsonl"), "-i", str(tmp_path / "x.jsonl"), "--probabilities"
    )
    assert ran.returncode == 1
    assert "x.jsonl has probabilities, and pk, windowdiff" in ran.stderr
    assert "--threshold 0.5" in ran.stderr


@pytest.mark.parametrize("option", [("--probabilities",), ("--threshold", "0.5"),
                                    ("--threshold", "1/text")])  # fmt: skip
def test_an_encoding_of_probabilities_leaves_a_reference_of_sizes(tmp_path, monkeypatch, option):
    """The way out that a list without units is given works beside segment sizes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.json").write_text('{"d1": [2, 2]}')
    (tmp_path / "hyp.jsonl").write_text(json.dumps({"id": "d1", "hyp": GIVEN}))
    done = support.run("score", "gold.json", "-i", "hyp.jsonl", *option, "--encoding", "bits",
                       "-m", "AP")  # fmt: skip
    assert "gold.json: segment sizes by text" in done.stdout
    assert "average_precision" in done.stdout
    alone = support.run("score", "gold.json", "-i", "gold.json", *option, "--encoding", "bits")
    assert f"{option[0]} does not apply" in alone.stderr


@pytest.mark.parametrize("option", [("--probabilities",), ("--threshold", "0.5")])
def test_too_few_probabilities_for_another_file_are_counted(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.json").write_text('{"d1": [2, 3]}')
    (tmp_path / "hyp.jsonl").write_text(json.dumps({"id": "d1", "hyp": GIVEN}))
    done = support.run("score", "gold.json", "-i", "hyp.jsonl", *option, "--encoding", "bits",
                       "-m", "AP")  # fmt: skip
    assert done.returncode == 1
    said = "d1: gold has 5 units (gold.json, d1), hyp 4 (hyp.jsonl, line 1, text d1). A text of 5 "
    assert said + "units takes 4 probabilities, one per position" in done.stderr
    assert "5, one per unit (--flags last or first)" in done.stderr


def test_what_looks_like_probabilities_among_marks_is_offered_both_options(tmp_path):
    with pytest.raises(FormatError, match=r"found 0\.1; these look like probabilities"):
        read(tmp_path, "x.jsonl", {"id": "d1", "hyp": GIVEN}, encoding="bits",
             columns={"hyp": "hyp"})  # fmt: skip


def test_the_commands_of_look_read_the_file_as_it_was_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hyp.json").write_text(json.dumps({"d1": GIVEN}))
    done = support.run("look", "hyp.json", "--probabilities", "--encoding", "bits")
    assert "score REF -i hyp.json --probabilities --encoding bits -m" in done.stdout
    assert "tune REF -i hyp.json --probabilities --encoding bits -m B" in done.stdout


def test_tune_without_probabilities_names_no_option_that_nobody_gave(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.json").write_text('{"d1": [2, 2], "d2": [1, 3]}')
    done = support.run("tune", "gold.json", "-i", "gold.json", "-m", "B")
    assert done.returncode == 2
    assert "no file holds probabilities" in done.stderr
    assert "--probabilities" not in done.stderr


def test_a_reference_of_probabilities_is_refused_whatever_the_metric(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.json").write_text(json.dumps({"d1": GIVEN}))
    for metric in ("brier", "AP", "B"):
        done = support.run("score", "x.json", "-i", "x.json", "--probabilities", "--encoding",
                           "bits", "-m", metric)  # fmt: skip
        assert "the reference x.json has probabilities" in done.stderr
        assert "--threshold 0.5" in done.stderr


def test_with_a_threshold_a_list_without_units_is_asked_about_as_without(tmp_path):
    with pytest.raises(FormatError, match="3 probabilities, but not what") as error:
        read(tmp_path, "x.jsonl", {"id": "d1", "hyp": GIVEN}, columns={"hyp": "hyp"}, threshold=0.5)
    assert "--encoding bits" in str(error.value)


def test_look_tells_the_reference_of_a_sheet_from_its_probabilities(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text(SHEET)
    done = support.run("look", "x.csv", "--probabilities", "--flags", "last")
    assert "probabilities at 3 positions" in done.stdout  # not those of gold
    assert "mean probability 0.417" in done.stdout
    printed = [line for line in done.stdout.splitlines() if "fencepost " in line]
    assert len(printed) == 2
    for line in printed:
        assert "x.csv --columns ref=gold,hyp=model --probabilities --flags last" in line
        again = support.run(*line.split("fencepost ")[1].split())
        assert again.returncode == 0, again.stderr


LONG = ["a", "b", "c", "d", "e"]
BOTH_FORMS = [
    {"id": "t1", "units": LONG, "ref": [2, 3], "p": [0.1, 0.7, 0.2, 0.3]},
    {"id": "t2", "units": LONG, "ref": [2, 3], "p": [0.1, 0.2, 0.3, 0.4, 0.5]},
]


@pytest.mark.parametrize(
    ("option", "noun"),
    [(("--probabilities",), "probabilities"), (("--threshold", "0.5"), "probabilities"),
     (("--probabilities", "--flags", "last"), "probabilities")],
)  # fmt: skip
def test_records_with_both_forms_are_told_apart(tmp_path, monkeypatch, option, noun):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "u.jsonl").write_text("".join(json.dumps(one) + "\n" for one in BOTH_FORMS))
    done = support.run("score", "u.jsonl", "-i", "b=u.jsonl:hyp=p", *option, "-m", "AP")
    assert done.returncode == 1
    assert (
        f'u.jsonl, line 2, text t2: "p" has 5 {noun} for 5 units, one per unit, but u.jsonl, line '
        "1, text t1: 4 for 5, one per position between two units; all texts need the same. Write "
        "one per position everywhere (without the last unit), or one per unit everywhere, "
        "with --flags last or --flags first"
    ) in done.stderr
    for drop, flags in ((1, ()), (0, ("--flags", "last"))):  # both ways lead to a score
        lists = [[0.1, 0.7, 0.2, 0.3, 0.9][: 5 - drop]] * 2
        content = [one | {"p": own} for one, own in zip(BOTH_FORMS, lists, strict=True)]
        (tmp_path / "v.jsonl").write_text("".join(json.dumps(one) + "\n" for one in content))
        right = support.run("score", "v.jsonl", "-i", "b=v.jsonl:hyp=p", "--probabilities", *flags,
                            "-m", "AP")  # fmt: skip
        assert right.returncode == 0


REF_SHEET = "text,unit,gold\nt1,1,0\nt1,2,1\nt1,3,0\nt1,4,1\nt2,1,0\nt2,2,1\nt2,3,1\n"
HYP_SHEET = "text,unit,prob\nt1,1,.2\nt1,2,.3\nt1,3,.2\nt1,4,.4\nt2,1,0.3\nt2,2,0.8\n"
SHEETS = ("score", "r.csv", "-i", "p.csv", "--flags", "last", "--probabilities", "-m", "AP")


def test_a_sheet_with_too_few_rows_names_file_line_and_the_rows_to_add(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(REF_SHEET)
    (tmp_path / "p.csv").write_text(HYP_SHEET)
    done = support.run(*SHEETS)
    assert done.returncode == 1
    assert done.stderr == (
        "fencepost: t2: r has 3 units (r.csv, line 6, gold), p 2 (p.csv, line 6, prob). A row is a "
        "unit with its probability: add 1 row of t2 in p.csv\n"
    )
    (tmp_path / "p.csv").write_text(HYP_SHEET + "t2,3,.9\n")
    assert support.run(*SHEETS).returncode == 0
    refused = support.run(*SHEETS, "--encoding", "bits").stderr
    assert "not bits: remove --encoding, and say with --flags last or --flags first" in refused


@pytest.mark.parametrize("cell", ["inf", "-inf", "1.5", "many"])
def test_an_odd_probability_of_a_sheet_has_its_text_and_unit(tmp_path, cell):
    content = HYP_SHEET.replace("0.8", cell)
    with pytest.raises(FormatError) as error:
        read(tmp_path, "p.csv", content, flags="last", probabilities=True)
    assert str(error.value) == (
        f"p.csv, line 7: prob holds probabilities from 0 to 1, but {cell!r} here (unit 2 of t2); "
        "correct it"
    )


def test_texts_of_one_unit_have_an_empty_list(tmp_path, monkeypatch):
    known = read(tmp_path, "x.jsonl", record([], units=["a"]), **HYP)
    declared = read(tmp_path, "y.jsonl", {"id": "d1", "hyp": []}, encoding="bits", **HYP)
    assert known["d1"] == declared["d1"] == Segmentation.from_probabilities([])
    with pytest.raises(FormatError, match="no position: --encoding bits; if it has no units: --e"):
        read(tmp_path, "z.jsonl", {"id": "d1", "hyp": []}, **HYP)


@pytest.mark.parametrize("option", [{"probabilities": True}, {"threshold": 0.5}])
def test_an_encoding_that_lengths_tell_too_is_not_in_the_signature(tmp_path, option):
    for given in ([0.0, 0.0, 0.0], [0.4, 0.5, 0.6], [0.1, 1.0, 0.0]):
        options = {"columns": {"hyp": "hyp"}, **option}
        made = read(tmp_path, "x.jsonl", record(given), encoding="bits", **options)
        assert "encoding" not in made.source.choices
        assert made["d1"] == read(tmp_path, "x.jsonl", record(given), **options)["d1"]


def test_the_command_that_tune_prints_can_be_pasted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {f"d{i}": [0, 1, 0, 0, 1, 0, 0, 1] for i in range(6)}
    lines = [json.dumps({"doc": name, "ref": marks}) for name, marks in texts.items()]
    Path("gold.jsonl").write_text("\n".join(lines), encoding="utf-8")
    lines = [
        json.dumps({"doc": name, "hyp": [0.1 + 0.7 * mark for mark in marks]})
        for name, marks in texts.items()
    ]
    Path("hyp.jsonl").write_text("\n".join(lines), encoding="utf-8")
    given = ["--flags", "last", "--columns", "text=doc"]
    done = support.run("tune", "gold.jsonl", "-i", "hyp.jsonl", "-m", "B", "-o", "t.json", *given)
    assert done.returncode == 0, done.stderr
    said = done.stdout.partition("written: t.json (fencepost ")[2].partition(")")[0]
    words = shlex.split(said.replace("REF", "gold.jsonl").replace("HYP", "hyp.jsonl"))
    assert set(given) <= set(words)
    again = support.run(*words, "-m", "B", "--no-intervals")
    assert again.returncode == 0, again.stderr
    assert "1.000" in again.stdout
