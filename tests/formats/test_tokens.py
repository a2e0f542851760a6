"""Typed, multi-speaker input: token tables, boundary strings, costs on the command line."""

import json

import pytest

import fencepost as fp
from fencepost.coders.annotations import Annotations
from fencepost.formats import FormatError, read_text
from fencepost.model.corpus import Key
from support import csv_rows, run

TABLE = """text,speaker,token,an1,an2
t1,A,yes,.,.
t1,A,well,",",
t1,A,(.),,","
t1,A,no,.,?
t1,B,why,,
t1,B,not,?,?
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "talk.csv").write_text(TABLE)
    (tmp_path / "costs.csv").write_text(
        ',.,",",?,none,move\n.,1,.5,.25,0,\n",",.5,1,.5,.25,.1\n?,.25,.5,1,0,\nnone,0,.25,0,1,\n'
    )
    (tmp_path / "one.csv").write_text("speaker,token,mark\nA,a,\nA,b,.\n")
    (tmp_path / "two.csv").write_text("speaker,token,mark\nA,a,.\nA,b,.\n")
    return tmp_path


def test_a_token_table_gives_streams_coders_tokens_and_kinds():
    corpus = read_text(TABLE, "talk.csv")
    assert corpus.coders == ["an1", "an2"]
    assert corpus.items == [("t1", "A"), ("t1", "B")]
    assert corpus["t1", "A", "an1"].marks == [".", ",", "", "."]
    assert corpus["t1", "A", "an2"].marks == [".", "", ",", "?"]
    assert corpus.tokens["t1", "A"] == ["yes", "well", "(.)", "no"]
    assert corpus.kind_names == (",", ".", "?")


def test_ignored_tokens_hand_their_boundary_to_the_token_before():
    corpus = read_text(TABLE, "talk.csv", ignore_tokens=r"^\(")
    assert corpus["t1", "A", "an2"].marks == [".", ",", "?"]
    assert corpus.source.choices == {"ignored": r"^\("}
    score = fp.score(
        {("t1", "A"): corpus["t1", "A", "an1"]},
        {("t1", "A"): corpus["t1", "A", "an2"]},
        metrics="Sf",
        baselines=False,
    )
    assert score[0]["value"] == 2 / 3


@pytest.mark.parametrize("name", ["back.csv", "back.tsv"])
def test_streams_kinds_and_tokens_are_written_and_read_back(tmp_path, name):
    corpus = read_text(TABLE, "talk.csv")
    fp.write(corpus, tmp_path / name)
    back = fp.read(tmp_path / name)
    assert back.sources["t1", "A", "an1"] == f"{name}, line 2"
    assert back.described(name="talk", file=corpus.source.file) == corpus
    assert (back.tokens, back.kind_names) == (corpus.tokens, corpus.kind_names)
    # Words that a table must quote, a text without speakers, several texts.
    seg = fp.Segmentation.from_marks
    kinds = ("a;b", '"')
    given = fp.Corpus.from_entries(
        {
            Key("t,1", "", "x"): seg(["a;b", "", '"'], kinds),
            Key("t,1", "", "y"): seg(["", '"', ""], kinds),
            Key("u", "", "x"): seg(["", ""], kinds),
            Key("u", "", "y"): seg(["", "a;b"], kinds),
        },
        {("t,1", ""): ["one\ttwo", '"', "a b"], ("u", ""): ["\u00e9", "|"]},
        name="back",
        unit="token",
    )
    fp.write(given, tmp_path / name)
    assert fp.read(tmp_path / name).described(file="", format="") == given


def test_speakers_without_kinds_are_written_and_read_back(tmp_path):
    given = fp.Corpus.from_dict({("t", "A"): [2, 3], ("t", "B"): [4], ("u", "A"): [1, 1]})
    fp.write(given, tmp_path / "x.csv")
    assert fp.read(tmp_path / "x.csv").entries == given.entries


def test_who_did_not_annotate_a_text_has_not_done_so_in_the_file_either(tmp_path):
    seg = fp.Segmentation.from_marks
    own = {"x": seg([".", ""], (".",)), "y": seg(["", "."], (".",))}
    given = fp.Corpus.from_dict({"t": own, "u": {"x": own["x"]}})
    try:
        fp.write(given, tmp_path / "x.csv")
    except FormatError:
        return  # it may refuse; what it writes must be what there is
    assert fp.read(tmp_path / "x.csv").entries == given.entries


def test_two_boundaries_at_a_place_are_not_written(tmp_path):
    both = fp.Segmentation(3, [1, 1], [1, 2], (".", "?"))
    with pytest.raises(FormatError, match="t by x: two boundaries after unit 1"):
        fp.write(fp.Corpus.from_dict({"t": {"x": both}}), tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


def test_boundary_strings_are_one_character_a_token():
    text = 'text,annotator,speaker,boundaries\n1,a,F:," .,"\n1,b,F:,"  ?"\n'
    corpus = read_text(text, "strings.csv")
    assert corpus["1", "F:", "a"].marks == ["", ".", ","]
    assert corpus["1", "F:", "b"].marks == ["", "", "?"]


def test_tables_may_come_from_a_spreadsheet():
    expected = read_text("token,x\na,.\nb,\n", "f.csv")
    for text in (
        "token,x\r\na,.\r\nb,\r\n",
        "token,x,,\na,.,,\nb,,,\n",
        "token;x\na;.\nb;\n",
        'token\tx\n"a"\t.\nb\t\n',
        "text,token,x\n,a,.\n,b,\n",
    ):
        assert read_text(text, "f.csv") == expected


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        ("text,token\nt,a\n", {}, "no column for an annotator"),
        ("token,x,x\na,,\n", {}, "a column is there twice"),
        ("token,x\na,.,?\n", {}, "line 2: 3 cells under 2 column names"),
        ("token,x\na\n", {}, "line 2: 1 cell under 2 column names"),
        ("token,,x\na,,\n", {}, "line 1: column 2 has no name"),
        ("token,x\n", {}, "f.csv has no rows under its header"),
        ("text,token,x\nt,a,\n,b,\n", {}, 'line 3: the column "text" is empty here'),
        ('token,x\na,\n",.\nb,\n",.\n', {}, "line 3: a quotation mark opens here"),
        ('token,x\na,"', {}, "line 2: a quotation mark opens here"),
        (f"token,x\n{'a' * 200_000},\n", {}, "line 2: not a table: field larger"),
        ("text,annotator,boundaries\nt,a\n", {}, "line 2: 2 cells under 3 column names"),
        ("text,annotator,boundaries\nt,,x\n", {}, "line 2: a row needs a text and an annotator"),
        ("token,x\na,none\n", {}, r"line 2: .* cannot be named 'none' \(x, text f, token 1"),
        ("token,x\n(.),.\na,\n", {"ignore_tokens": r"\("}, "has no token before it"),
        ("token,x\na,?\n(.),.\n", {"ignore_tokens": r"\("}, "and '\\?' after the token before it"),
        ("token,x\na,?\n", {"ignore_tokens": "("}, "not a regular expression"),
        ("token,x\n(.),\n", {"ignore_tokens": r"\("}, "has no tokens"),
        ("token,x\na,.\n", {"field": "y"}, "no column 'y'; there are x"),
        ("annotator,boundaries\na,x\n", {}, 'a column "text" is missing'),
        ("text,annotator,boundaries\nt,a,\n", {}, "has no tokens"),
        ("text,annotator,boundaries\nt,a,x\nt,a,x\n", {}, "is given twice"),
    ],
)  # fmt: skip
def test_broken_tables_say_what_and_where(text, settings, message):
    with pytest.raises(FormatError, match=message):
        read_text(text, "f.csv", **settings)


def test_agree_shows_coefficients_contrasts_and_confusions(folder):
    done = run("agree", "talk.csv", "-m", "Sf", "--draws", "20", "--confusions", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "talk.csv: one row per token; annotators an1, an2 (the boundary type after a\n"
        "  token, or none)\n"
        "1 text (2 speaker tracks), 2 annotators, 2 pairs, 8 boundaries\n"
    )
    words = ["kappa, S_f", "pi, S_f", "bennett, S_f", "modified bennett, S_f", "positions",
             "align first, type later", "match percentage", "all speakers: first"]  # fmt: skip
    assert [word for word in words if word not in done.stdout] == []


def test_agree_as_json_has_everything_and_as_csv_one_table(folder):
    data = json.loads(
        run("agree", "talk.csv", "-m", "Sf", "--draws", "5", "--json", cwd=folder).stdout
    )
    assert [r["coefficient"] for r in data["rows"]] == [
        "kappa",
        "pi",
        "bennett",
        "modified bennett",
    ]
    assert {"contrasts", "confusions", "operations"} <= set(data)
    done = run(
        "agree",
        "talk.csv",
        "-m",
        "Sf",
        "--draws",
        "5",
        "--csv",
        "--table",
        "operations",
        cwd=folder,
    )
    rows = csv_rows(done.stdout)
    assert [(r["what"], r["token"]) for r in rows] == [
        ("match", "yes"), ("move", "well"), ("substitution", "no"), ("match", "not"),
    ]  # fmt: skip


def test_one_file_for_each_annotator(folder):
    done = run("agree", "one.csv", "two.csv", "-m", "Sf", "--draws", "5", "--json", cwd=folder)
    assert done.stderr == ""
    assert json.loads(done.stdout)["rows"][0]["observed"] == 0.5


def test_score_and_edits_choose_annotators_of_one_table(folder):
    sides = ["talk.csv", "--ref-field", "an1", "--hyp-field", "an2"]
    done = run("score", *sides, "-m", "Sf", "SfB", "--json", "--no-baselines", cwd=folder)
    assert [r["value"] for r in json.loads(done.stdout)["rows"]] == [0.75, 0.625]
    done = run("edits", *sides, "-m", "Sf", cwd=folder)
    assert "2 → 3  near miss ,  0.5" in done.stdout
    assert "4      . → ?        1" in done.stdout
    assert "1. 2, 3  4." in done.stdout


def test_costs_come_from_a_file_a_name_or_experts(folder):
    sides = [
        "talk.csv",
        "--ref-field",
        "an1",
        "--hyp-field",
        "an2",
        "-m",
        "Sf",
        "--json",
        "--no-baselines",
    ]
    named = json.loads(run("score", *sides, "--costs", "lai2023", cwd=folder).stdout)["rows"][0]
    # A comma moved by one (0.375), a period heard as a question (0.75), of 6 units.
    assert named["value"] == (6 - 0.375 - 0.75) / 6
    assert "|costs:lai2023|" in named["signature"]
    given = json.loads(run("score", *sides, "--costs", "costs.csv", cwd=folder).stdout)["rows"][0]
    assert given["value"] == (6 - 0.1 - 0.75) / 6
    learned = run("score", *sides, "--learn-costs", "talk.csv", cwd=folder)
    assert learned.stderr == ""
    corpus = fp.read(folder / "talk.csv")
    pairs = Annotations.of(corpus).pairs()
    costs = fp.Costs.from_confusions(
        [(pairs.segmentation(i, "ref"), pairs.segmentation(i, "hyp")) for i in range(2)]
    )
    assert f"|costs:{costs.name}|" in json.loads(learned.stdout)["rows"][0]["signature"]


SF = ["agree", "talk.csv", "-m", "Sf"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["score", "talk.csv", "--ref-field", "an1", "--hyp-field", "x"], 1, "no column 'x'"),
        (["score", "talk.csv"], 2, "no hypothesis"),
        (["agree", "talk.csv", "-m", "Sf", "--costs", "none.csv"], 2, "none.csv cannot be read"),
        (["agree", "talk.csv", "-m", "F", "--costs", "costs.csv"], 2, "is for metrics with costs"),
        ([*SF, "--costs", "a.csv", "--learn-costs", "b"], 2, "one of the two"),
        (["agree", "one.csv", "-m", "Sf"], 1, "one annotator only"),
        (["agree", "talk.csv", "-m", "WD"], 2, "needs a symmetric similarity"),
        (["agree", "talk.csv", "-m", "B", "--csv", "--table", "confusions"], 2, "goes with -m Sf"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_sentence(folder, words, code, message):
    done = run(*words, cwd=folder)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
