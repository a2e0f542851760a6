"""fencepost agree as a user runs it: every form of output, every file beside it, every error."""

import csv
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

import fencepost as fp
import support
from support import parts_of, signatures_in

STARGAZERS = str(files("fencepost") / "data" / "stargazers.json")
THREE = {
    "d1": {"anna": [5, 5, 4], "boris": [5, 4, 5], "clara": [4, 6, 4]},
    "d2": {"anna": [6, 6], "boris": [6, 6], "clara": [12]},
    "d3": {"anna": [3, 4, 5], "clara": [3, 5, 4]},
    "d4": {"boris": [2, 2]},
}
NAMES = ("anna", "boris", "clara")
QUICK = ("--draws", "20", "--resamples", "50")
CODERS = ("--draws", "20", "--interval", "coders")


def run(*words, **settings):
    return support.run("agree", *words, env={"COLUMNS": "80"}, **settings)


def ok(*words, columns=80, **settings):
    return support.ok("agree", *words, notes=True, env={"COLUMNS": str(columns)}, **settings)


def refused(*words, code, **settings):
    return support.refused(code, "agree", *words, env={"COLUMNS": "80"}, **settings)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "three.json").write_text(json.dumps(THREE))
    for name in NAMES:
        own = {text: coders[name] for text, coders in THREE.items() if name in coders}
        (tmp_path / f"{name}.json").write_text(json.dumps(own))
    (tmp_path / "machine.json").write_text('{"d1": [5, 9], "d2": [6, 6], "d3": [3, 9]}')
    (tmp_path / "copy.json").write_text('{"d1": [5, 5, 4], "d2": [6, 6], "d3": [3, 4, 5]}')
    return tmp_path


# What a person sees first.


def test_the_stargazers():
    out = ok(STARGAZERS)
    table = fp.agreement(fp.read(STARGAZERS))
    read = "stargazers.json: segment sizes by text and annotator\n"
    assert out.startswith(f"{read}1 text, 7 annotators, 21 pairs, 49 boundaries\n\n")
    assert ok(STARGAZERS, "-q") == out.removeprefix(read)
    for label, row in zip(
        ("kappa, B", "alpha, exact positions", r"pi\*, S \(fournier2012\)"), table, strict=True
    ):
        numbers = " +".join(f"{row[c]:.3f}" for c in ("value", "observed", "expected"))
        assert re.search(rf"^{label} +{numbers}", out, re.MULTILINE)
        assert parts_of(row["signature"]) in map(parts_of, signatures_in(out))
    reached = f"{table.facts['random_pi']:.3f}"
    assert (
        f"  pi* is not 0 for random annotators: with as many boundaries they reach {reached}\n"
        in out
    )
    assert "95% interval" not in out
    assert "note: one text: no interval over texts; --interval coders shows the influence of" in out
    assert f"data: stargazers {table.facts['fingerprint']}" in out
    assert all(len(line) <= 80 for line in out.splitlines() if "|" not in line)


def test_a_small_file_with_missing_annotations(folder):
    done = run(folder / "three.json")
    out = done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    annotators = "3 annotators (2 to 3 per text, 1 of 9 annotations missing)"
    read, *first = out.split("\n\n")[0].splitlines()
    assert read == "three.json: segment sizes by text and annotator"
    assert " ".join(first) == f"3 texts, {annotators}, 7 pairs, 12 boundaries"
    assert all(len(line) <= 80 for line in out.splitlines() if "|" not in line)
    assert "interval  " not in out
    assert "note: 3 texts: too few for an interval over texts, which takes 5" in out
    assert re.search(r"^annotator +anna +boris +clara$", out, re.MULTILINE)
    assert re.search(r"^texts +3 +2 +3$", out, re.MULTILINE)
    assert re.search(r"^boundaries +5 +3 +4$", out, re.MULTILINE)
    assert "note: chance shuffles positions: permuting all segment sizes would leave 48% of" in out
    assert out.count("\nnote: ") == 3


def test_several_files_are_several_coders(folder):
    one = ok(folder / "three.json", *QUICK, "-q")
    files = [folder / f"{name}.json" for name in NAMES]
    several = ok(*files, *QUICK, "-q")
    names = ", ".join(file.name for file in files)
    read = f"{names}: segment sizes by text; matched by name\n"
    assert ok(*files, *QUICK) == read + several
    same = [line for line in one.splitlines() if not line.startswith("data:")]
    assert same == [line for line in several.splitlines() if not line.startswith("data:")]


def test_all_notes_are_on_the_page(folder):
    path = folder / "empty.json"
    path.write_text('{"d": {"a": [5], "b": [5]}, "e": {"a": [7], "b": [7]}, "f": {"a": [3]}}')
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nnote: ") == len(fp.agreement(fp.read(str(path))).notes) > 2
    assert "note: no annotator set a boundary, so agreement is undefined (pi* = 1" in done.stdout
    assert re.search(r"^kappa, B +– +1\.000 +1\.000", done.stdout, re.MULTILINE)


def test_every_method_of_intervals_is_described():
    said = " ".join(run("--help").stdout.split())
    assert "t (bootstrap-t and Student's t, the default), percentile, bca, normal (the" in said


def test_groups_of_coders_are_said_on_the_first_line(folder):
    texts = {
        f"g{g} t{t}": {f"g{g} c{c}": [3 + c % 2, 6, 3 - c % 2] for c in range(6 if g < 2 else 5)}
        for g in range(5)
        for t in range(2)
    }
    (folder / "groups.json").write_text(json.dumps(texts))
    out = ok(folder / "groups.json", *QUICK, "-q")
    first = "10 texts, 27 annotators (in 5 groups, 5 to 6 per text), 120 pairs, 108 boundaries"
    assert " ".join(out.split("\n\n")[0].splitlines()) == first
    del texts["g4 t1"]["g4 c0"]
    (folder / "groups.json").write_text(json.dumps(texts))
    out = ok(folder / "groups.json", *QUICK)
    assert "27 annotators (in 5 groups, 4 to 6 per text, 1 of 54" in out


def test_standard_input(folder):
    out = ok("-", *QUICK, stdin=json.dumps(THREE))
    assert out.startswith("stdin: segment sizes by text and annotator\n3 texts, 3 annotators")


def test_the_worst_texts_are_named_where_there_are_enough(folder):
    path = folder / "six.json"
    texts = {f"t{i}": {"a": [5, 5], "b": [5, 5], "c": [5, 5]} for i in range(6)}
    texts["t3"] = {"a": [1, 9], "b": [5, 5], "c": [10]}
    path.write_text(json.dumps(texts))
    out = ok(path, *QUICK)
    assert re.search(
        r"^look first at t3 \(B 0\.000; c set no boundary\): --html", out, re.MULTILINE
    )
    long = {f"a text with a rather long name {text}": own for text, own in texts.items()}
    long["another text with a long name"] = texts["t3"]
    path.write_text(json.dumps(long))
    (line,) = re.findall(r"^look first at(?:.*\n)*?.*--differences$", ok(path, *QUICK), re.M)
    assert max(map(len, line.splitlines())) <= 80


def test_no_text_is_named_where_all_annotators_agree(folder):
    path = folder / "six.json"
    path.write_text(json.dumps({f"t{i}": {"a": [5, 5], "b": [5, 5]} for i in range(6)}))
    assert "look first" not in ok(path, *QUICK)


# Everything.


def test_all_has_every_coefficient_and_every_table(folder):
    out = ok(folder / "three.json", "--all", *QUICK)
    table = fp.agreement(THREE, all=True, draws=20, resamples=50)
    assert len(table) == 17
    assert {*support.signatures_in(out)} == {str(row["signature"]) for row in table}
    hearst, share = table.rows[-3], table.rows[-4]
    assert re.search(rf"^majority, exact positions +{share['value']:.3f} ", out, re.MULTILINE)
    numbers = f"{hearst['value']:.3f} .* {hearst['observed']:.3f} +{hearst['expected']:.3f}$"
    assert re.search(rf"^kappa with majority \(Hearst\) +{numbers}", out, re.MULTILINE)
    assert re.search(r"^B +anna +boris +clara$", out, re.MULTILINE)
    assert re.search(r"^without +kappa, B +change$", out, re.MULTILINE)
    assert "jackknife over annotators: " in out
    assert re.search(r"^as a system, by text +Pk +WindowDiff +F +B$", out, re.MULTILINE)
    ceiling = table.part("ceiling").where(coder="anna").column("value")
    assert re.search(r"^anna +" + " +".join(f"{v:.3f}" for v in ceiling) + "$", out, re.MULTILINE)


def test_json_has_everything(folder):
    text = ok(folder / "three.json", "--json", "-i", folder / "machine.json", *QUICK)
    data = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert data["schema"] == 1
    assert data["facts"]["pairs"] == 7
    assert data["facts"]["missing"] == 1
    table = fp.agreement(THREE, all=True, draws=20, resamples=50)
    assert [row["signature"] for row in data["rows"]] == table.column("signature")
    for row, own in zip(data["rows"], table, strict=True):
        assert row["value"] == pytest.approx(own["value"], abs=1e-12)
    for part in ("texts", "coders", "matrix", "without", "ceiling", "differences"):
        assert len(data[part]) == len(table.part(part)) > 0
    assert data["types"] == []
    assert {row["text"] for row in data["consensus"]} == {"d1", "d2", "d3"}
    assert [row["coefficient"] for row in data["systems"]] == ["kappa", "alpha", "pi*"]
    assert data["against-consensus"][0]["system"] == "machine"
    assert "kappa boundary_similarity shuffle" in data["jackknife"]
    first = "1 text (d4) ignored: not in every system"
    assert list(data["notes"]) == [first, *table.notes]


def test_json_has_null_and_not_nan_where_there_is_no_number(folder):
    (folder / "empty.json").write_text('{"d": {"a": [5], "b": [5]}, "e": {"a": [7], "b": [7]}}')
    data = json.loads(
        ok(folder / "empty.json", "--json", *QUICK),
        parse_constant=lambda name: pytest.fail(f"{name} is not JSON"),
    )
    assert data["rows"][0]["value"] is None


def test_json_with_too_few_humans_says_so_instead_of_the_table(folder):
    data = json.loads(
        ok(folder / "anna.json", folder / "clara.json", "-i", folder / "machine.json", "--json",
           *QUICK)
    )  # fmt: skip
    assert "takes three annotators" in data["systems"]["note"]


PLAIN_TABLES = {
    "agreement": 3, "texts": 9, "coders": 3, "matrix": 3, "without": 9, "ceiling": 16,
    "differences": 7, "consensus": 3, "systems": 3, "against-consensus": 1,
}  # fmt: skip


@pytest.mark.parametrize("table", PLAIN_TABLES)
def test_every_table_as_csv(folder, table):
    out = ok(
        folder / "three.json", "-i", folder / "machine.json", "--csv", "--table", table, *QUICK
    )
    found = support.csv_rows(out)
    assert len(found) == PLAIN_TABLES[table]
    assert all(None not in row and None not in row.values() for row in found)
    if table == "agreement":
        assert [row["coefficient"] for row in found] == ["kappa", "alpha", "pi*"]


@pytest.mark.parametrize("table", ["types", "contrasts", "confusions", "operations"])
def test_tables_of_kinds_as_csv(folder, table):
    (folder / "talk.csv").write_text(
        "text,speaker,token,an1,an2,an3\n"
        'd,A,one,.,.,","\n'
        'd,A,two,",",,.\n'
        'd,A,three,,",",\n'
        "d,A,four,,,\n"
        "d,A,five,.,.,.\n"
    )
    out = ok(folder / "talk.csv", "-m", "Sf", "--csv", "--table", table, *QUICK)
    assert support.csv_rows(out)


def test_markdown_and_latex_and_a_file(folder):
    target = folder / "out.md"
    assert ok(folder / "three.json", "--markdown", "-o", target, *CODERS) == ""
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "| coefficient | value | 95% interval\\* | observed | by chance | chance |"
    table = fp.agreement(THREE, draws=20, interval="coders")
    labels = ("kappa, B", "alpha, exact positions", "pi*, S (fournier2012)")
    said = ("shuffled", "", "formula")
    cells = [
        [label, f"{row['value']:.3f}", f"{row['low']:.3f} to {row['high']:.3f}",
         f"{row['observed']:.3f}", f"{row['expected']:.3f}", how]
        for label, row, how in zip(labels, table, said, strict=True)
    ]  # fmt: skip
    assert lines[1] == "|---|---:|---:|---:|---:|---|"
    assert lines[2:5] == [f"| {' | '.join(row)} |".replace("*", "\\*") for row in cells]
    signatures = table.column("signature")
    facts = table.facts
    size = f"{facts['units']} units, {facts['places']} potential boundaries"
    below = [
        "three.json: segment sizes by text and annotator",
        "3 texts, 3 annotators (2 to 3 per text, 1 of 9 annotations missing), 7 pairs, "
        "12 boundaries",
        "kappa is 0 for annotators who set as many boundaries at random positions",
        "pi* is not 0 for random annotators: with as many boundaries they reach "
        f"{facts['random_pi']:.3f}",
        "* for other annotators and these texts",
        f"data: three {facts['fingerprint']}; {size}",
        *(f"note: {note}" for note in table.notes),
    ]
    assert [*map(parts_of, signatures_in("\n".join(lines)))] == [*map(parts_of, signatures)]
    assert lines[5] == "" and lines[6].startswith("`...|") and lines[10] == ""
    assert lines[11:] == [f"{line}  ".replace("*", "\\*") for line in below]
    out = ok(folder / "three.json", "--latex", *CODERS)
    tabular, comments = out.split("\n\n")
    assert tabular.startswith("% \\usepackage{booktabs}\n\\begin{tabular}{lrrrrl}\n")
    assert tabular.endswith(r"\end{tabular}")
    for row in cells:
        assert " & ".join(row).replace("-", "$-$") + r" \\" in tabular.splitlines()
    assert [*map(parts_of, signatures_in(comments))] == [*map(parts_of, signatures)]
    assert comments.splitlines()[4:] == [f"% {one}" for one in below]
    plain = folder / "out.txt"
    assert ok(folder / "three.json", "-o", plain, *QUICK) == ""
    assert plain.read_text(encoding="utf-8") == ok(folder / "three.json", *QUICK)


# Files beside the output.


def test_places_as_csv_and_json(folder):
    done = run(folder / "three.json", "--differences", folder / "p.csv", *QUICK)
    assert done.returncode == 0
    assert "p.csv (7 differences)" in done.stderr
    with (folder / "p.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    shares = [float(row["disagreement"]) for row in found]
    assert shares == sorted(shares, reverse=True)
    assert next(row for row in found if row["text"] == "d1") == {
        "text": "d1", "stream": "", "position": "4", "left": "", "right": "", "boundaries": "1",
        "coders": "3", "set_by": "clara", "not_set_by": "anna; boris", "kinds": "",
        "disagreement": "0.6666666666666667", "decision": "",
    }  # fmt: skip
    ok(folder / "three.json", "--differences", folder / "p.json", *QUICK)
    data = json.loads((folder / "p.json").read_text(encoding="utf-8"))
    assert [(row["text"], row["position"]) for row in data["rows"]] == [
        (row["text"], int(row["position"])) for row in found
    ]


def test_places_show_the_words_where_they_are_known(folder):
    units = ["One.", "Two, and more.", "Three.", "Four."]
    for name, own in (("a", [1, 3]), ("b", [2, 2])):
        record = {"id": "d", "units": units, "ref": own}
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    ok(folder / "a.jsonl", folder / "b.jsonl", "--differences", folder / "p.csv", *QUICK)
    with (folder / "p.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [(row["position"], row["left"], row["right"]) for row in found] == [
        ("1", "One.", "Two, and more."),
        ("2", "Two, and more.", "Three."),
    ]


def test_the_consensus_is_written_and_read_back(folder):
    done = run(folder / "three.json", "--consensus", folder / "c.json", *QUICK)
    assert done.returncode == 0
    said = "c.json (3 of 3 optimal, 0 found by search, 0 by the most similar annotator)"
    assert said in done.stderr
    agreed = fp.consensus(THREE).corpus
    back = fp.read(str(folder / "c.json"))
    assert {t: back[t, "consensus"].masses for t in back.texts} == {
        t: agreed[t, "consensus"].masses for t in agreed.texts
    }
    # As a reference of fencepost score it gives what is printed beside a segmenter.
    machine = fp.read(str(folder / "machine.json"))
    row = fp.score(back, machine, metrics=["B"], baselines=False)[0]
    out = ok(folder / "three.json", "-i", folder / "machine.json", *QUICK)
    assert re.search(rf"^machine +{row['value']:.3f} +\d", out, re.MULTILINE)


# Who is who.

EVERY_FORM = [(), ("--all",), ("--json",), ("--csv",), ("--markdown",), ("--latex",),
              ("--csv", "--table", "differences"), ("--csv", "--table", "matrix"),
              ("--csv", "--table", "consensus"), ("--csv", "--table", "without")]  # fmt: skip


@pytest.mark.parametrize("form", EVERY_FORM, ids=" ".join)
def test_anonymized_no_coder_is_named_anywhere(folder, form):
    beside = ("--differences", folder / "p.csv", "--consensus", folder / "c.json")
    done = run(folder / "three.json", "--anonymize", *form, *beside, *QUICK)
    assert done.returncode == 0
    written = [(folder / name).read_text(encoding="utf-8") for name in ("p.csv", "c.json")]
    for text in (done.stdout, done.stderr, *written):
        assert not any(name in text for name in NAMES)


@pytest.mark.parametrize("form", EVERY_FORM, ids=" ".join)
def test_anonymized_no_coder_is_named_where_each_has_a_file(folder, form):
    files = [folder / f"{name}.json" for name in NAMES]
    beside = ("--differences", folder / "p.csv", "--consensus", folder / "c.json")
    done = run(*files, "--anonymize", "-i", folder / "machine.json", *form, *beside, *QUICK)
    assert done.returncode == 0
    written = [(folder / name).read_text(encoding="utf-8") for name in ("p.csv", "c.json")]
    for text in (done.stdout, done.stderr, *written):
        assert not any(name in text for name in NAMES)


def test_anonymized_numbers_are_the_same(folder):
    named, letters = (
        json.loads(ok(folder / "three.json", "--json", *QUICK, *more))
        for more in ((), ("--anonymize",))
    )
    for row, own in zip(named["rows"], letters["rows"], strict=True):
        assert row["signature"] == own["signature"]
        assert row["value"] == pytest.approx(own["value"], abs=1e-12)
    # A file may be a name.
    read = ["annotations: segment sizes by text and annotator"]
    assert named["facts"].pop("reading_lines") == [read[0].replace("annotations", "three.json")]
    assert letters["facts"].pop("reading_lines") == read
    assert letters["facts"] == {**named["facts"], "corpus": "annotations"}
    for part in ("coders", "ceiling"):
        values = [sorted(row["value"] for row in data[part]) for data in (named, letters)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)
    assert {row["coder"] for row in letters["coders"]} == {"coder A", "coder B", "coder C"}


def test_rename_by_coder_and_by_text(folder):
    (folder / "names.csv").write_text("coder,name\nanna,Zoe\n")
    out = ok(folder / "three.json", "--rename", folder / "names.csv", *QUICK)
    assert re.search(r"^annotator +Zoe +boris +clara$", out, re.MULTILINE)
    # The same person under another name in one text.
    (folder / "names.csv").write_text("text,coder,name\nd3,clara,boris\n")
    out = ok(folder / "three.json", "--rename", folder / "names.csv", *QUICK)
    assert re.search(r"^texts +3 +3 +2$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("coder,name\nnobody,Zoe\n", "line 2: no annotator 'nobody'; there is anna, boris, clara"),
        ("text,coder,name\nd3,boris,Zoe\n", "line 2: no annotator 'boris' of d3"),
        ("who,name\nanna,Zoe\n", "must name the columns coder,name"),
        ("", "must name the columns coder,name (or text,coder,name), found nothing"),
        ("coder,name\nanna,\n", "line 2: a coder or a name is missing"),
        ("coder,name\nanna,boris\n", "would stand for two coders"),
    ],
)
def test_names_that_cannot_be(folder, names, message):
    (folder / "names.csv").write_text(names)
    said = refused(folder / "three.json", "--rename", folder / "names.csv", code=1)
    assert message in said


# Segmenters.


def test_segmenters_side_by_side(folder):
    systems = (folder / "machine.json", folder / "copy.json")
    out = ok(folder / "three.json", "-i", *systems, *QUICK, columns=120)
    table = fp.segmenters(THREE, {path.stem: fp.read(str(path)) for path in systems}, draws=20)
    for row in table:
        label = {"kappa": "kappa, B", "alpha": "alpha, exact positions",
                 "pi*": r"pi\*, S \(fournier2012\)"}[row["coefficient"]]  # fmt: skip
        numbers = f"{row['humans']:.3f} +{row['with_system']:.3f} +"
        changes = " +".join(
            re.escape(f"{row[what]:+.3f}") for what in ("joined_change", "human_change")
        )
        between = re.escape(f"{row['human_lowest']:+.3f} to {row['human_highest']:+.3f}")
        pattern = rf"^{row['system']} +{label} +{numbers}{changes} +{between}$"
        assert re.search(pattern, out, re.MULTILINE), (pattern, out)
    assert len(table) == 6
    assert "against the consensus" in out
    note = "note: 1 text (d4) ignored: not in every system\n"
    assert table.notes == (note.removeprefix("note: ").strip(),)
    assert note in out


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",), ("--all",)], ids=" ".join)
@pytest.mark.parametrize(
    ("system", "message"),
    [
        (
            '{"d1": [5, 10]}',
            "d1: three has 14 units (three.json, d1, anna), bad 15 (bad.json, d1). Boundaries can "
            "only be compared",
        ),
        (
            '{"elsewhere": [5]}',
            "bad has none of the 4 texts of three (d1, d2, d3 and 1 more)",
        ),
        ('{"d1": {"x": [14], "y": [14]}}', "bad"),
    ],
)
def test_a_segmenter_that_does_not_fit_is_said_before_any_output(folder, form, system, message):
    (folder / "bad.json").write_text(system)
    assert message in refused(folder / "three.json", "-i", folder / "bad.json", *form, code=1)


def test_two_humans_are_too_few_for_the_segmenter_test(folder):
    out = ok(folder / "anna.json", folder / "clara.json", "-i", folder / "machine.json", *QUICK)
    assert "takes three annotators, found 2" in out


# Settings.


def test_the_interval_over_coders(folder):
    out = ok(folder / "three.json", "--interval", "coders", *QUICK)
    for row in fp.agreement(THREE, interval="coders", draws=20):
        assert f"{row['low']:.3f} to {row['high']:.3f}" in out
        assert parts_of(row["signature"]) in map(parts_of, signatures_in(out))


@pytest.mark.parametrize(("like", "metric"), [("segeval", "B"), ("fournier2012", "S")])
def test_like(folder, like, metric):
    out = ok(folder / "three.json", "--like", like, *QUICK, columns=120)
    for row in fp.agreement(THREE, like=like, resamples=50):
        digits = 4 if row["coefficient"] == "bias" else 3
        label = rf"{re.escape(row['coefficient'])}, {metric} \({like}\)"
        assert re.search(rf"^{label} +{row['value']:.{digits}f} ", out, re.MULTILINE)


def test_chance_metrics_and_switches(folder):
    out = ok(folder / "three.json", "--chance", "shuffle", "bernoulli", "-m", "S", "A", *QUICK)
    assert len(re.findall(r"^(kappa|pi), [SA] ", out, re.MULTILINE)) == 8
    assert len(re.findall(r"  (shuffled|random rate)$", out, re.MULTILINE)) == 8
    errors = [
        error
        for metric in "SA"
        for error in fp.agreement(
            THREE, metric=metric, chance=["shuffle", "bernoulli"], draws=20, intervals=False
        ).column("standard_error")
    ]
    said = f"  standard error of simulated chance: {min(errors):.4f} to {max(errors):.4f}\n"
    assert said in out and "±" not in out
    switches = ("--counting", "segments", "--pooling", "mean-of-rates", "--weighting", "units")
    out = ok(folder / "three.json", "--chance", "fournier2012", "-m", "S", *switches, *QUICK)
    of_formula = {"counting:segments", "pooling:mean-of-rates", "weighting:units"}
    assert [of_formula <= parts_of(one) for one in signatures_in(out)] == [True] * 3
    rows = json.loads(ok(folder / "three.json", "--coefficient", "pi*", "alpha", "--json", *QUICK))[
        "rows"
    ]
    same = fp.agreement(THREE, coefficient=["pi*", "alpha"], intervals=False, draws=20)
    assert [(r["coefficient"], r["value"]) for r in rows] == [
        (r["coefficient"], r["value"]) for r in same
    ]
    out = ok(folder / "three.json", "--coefficient", "kappa", "pi", "--chance", "shuffle", *QUICK)
    assert re.findall(r"^(\S+), B .*  (\S+)$", out, re.MULTILINE) == [
        ("kappa", "shuffled"), ("pi", "shuffled")]  # fmt: skip
    other = ok(folder / "three.json", "--seed", "7", *QUICK)
    assert "|seed:7|" in other
    none = ok(folder / "three.json", "--no-intervals", "--draws", "20")
    assert "95% interval" not in none
    assert "resamples must be a whole number from 20" in run(THREE, "--resamples", "0").stderr


# Bad input.


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"d": {"anna": [5]}}, "x.json has one annotator only (anna); agreement needs two, and the "
         "text d has one"),
        ({"d": {"anna": [5, 5], "boris": [5, 6]}}, "d: anna has 10 units (x.json, d, anna) and "
         "boris 11 (x.json, d, boris)"),
        ({"d": {"anna": [5]}, "e": {"boris": [5]}}, "no text of x.json was segmented by two "
         "annotators"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_said(folder, texts, message):
    (folder / "x.json").write_text(json.dumps(texts))
    for form in ((), ("--json",), ("--csv",), ("--all",)):
        assert message in refused(folder / "x.json", *form, code=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--chance", "dice"), "invalid choice: 'dice'"),
        (("--like", "nltk"), "invalid choice: 'nltk'"),
        (("--table", "texts"), "--table goes with --csv"),
        (("--csv", "--table", "nothing"), "invalid choice: 'nothing'"),
        (("--csv", "--table", "systems"), "needs systems: -i SYSTEM"),
        (("--csv", "--table", "confusions"), "goes with -m Sf or SfB"),
        (("--draws", "-3"), "draws must be a whole number from 2 to 1,000,000, found -3"),
        (("--resamples", "-1"), "resamples must be a whole number from 20 to 1,000,000, found -1"),
        (
            ("--chance", "two-category"),
            "the chance two-category does not apply to boundary_similarity",
        ),
        (("-m", "pk"), "needs a symmetric similarity"),
        (("-m", "Bee"), 'no metric "Bee"'),
        (("--json", "--csv"), "not allowed with"),
        (("--differences", "three.json"), "would overwrite the input file three.json"),
        (("--consensus", "three.json"), "would overwrite the input file three.json"),
        (("-o", "three.json"), "would overwrite the input file three.json"),
        (("--rename", "none.csv"), "none.csv cannot be read"),
        (("--like", "segeval", "--chance", "shuffle"), "--like chooses the coefficients"),
        (("--like", "segeval", "--all"), "--like chooses the coefficients"),
        (("--chance", "shuffle", "--all"), "--all shows every chance"),
        (("--coefficient", "pi", "--all"), "--all shows every coefficient: remove --coefficient"),
        (("--coefficient", "delta"), "invalid choice: 'delta'"),
        (("--coefficient", "pi", "--chance", "uniform"), "no coefficient pi with chance uniform"),
        (("--coefficient", "kappa", "--counting", "cuts"), "--counting is for the formula"),
        (("--metrics", "B"), "unrecognized arguments: --metrics"),
        (("--confusions",), "--confusions goes with -m Sf or SfB"),
        (("--counting", "cuts", "--chance", "shuffle"), "--counting is for the formula"),
        (("--pooling", "pooled", "--chance", "bernoulli"), "--pooling is for the formula"),
        (("--weighting", "units", "--chance", "shuffle"), "--weighting is for the formula"),
        (("--counting", "cuts", "-m", "Sf"), "--counting is for the formula"),
        (("--differences", "x.csv", "--consensus", "x.csv"), "cannot both be x.csv"),
        (("--differences", "x.csv", "--consensus", "./x.csv"), "cannot both be"),
        (("--differences", "x.csv", "-o", "x.csv"), "x.csv"),
        (("--resamples", "1"), "resamples must be a whole number from 20 to 1,000,000, found 1"),
    ],
)
def test_options_that_cannot_be_have_exit_code_2(folder, words, message):
    done = run("three.json", *words, cwd=folder)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((folder / "three.json").read_text()) == THREE


@pytest.mark.parametrize("option", ["--differences", "--consensus"])
@pytest.mark.parametrize("path", ["three.json", "./three.json", "none/x.json"])
def test_a_file_that_cannot_be_written_is_said_before_any_output(folder, option, path):
    said = refused("three.json", option, path, *QUICK, cwd=folder, code=2)
    assert (
        "would overwrite the input file three.json" in said or f"{path} cannot be written" in said
    )
    assert json.loads((folder / "three.json").read_text()) == THREE


def test_texts_of_one_unit(folder):
    (folder / "one.json").write_text('{"t": {"a": [1], "b": [1], "c": [1]}}')
    for form in ((), ("--json",), ("--markdown",), ("--latex",), ("--csv",)):
        assert "nan" not in ok(folder / "one.json", *form, *QUICK).lower()


@pytest.mark.parametrize("more", [("--all",), ("-i", "s.json")], ids=" ".join)
def test_changes_that_are_undefined_are_no_numbers(folder, more):
    (folder / "one.json").write_text('{"t": {"a": [1], "b": [1], "c": [1]}}')
    (folder / "s.json").write_text('{"t": [1]}')
    assert "nan" not in ok("one.json", *more, *QUICK, cwd=folder).lower()


def test_files_that_cannot_be_read(folder):
    assert "cannot be read" in refused(folder / "none.json", code=1)
    (folder / "broken.json").write_text('{"d": ')
    assert "not JSON" in refused(folder / "broken.json", code=1)
    assert "required" in refused(code=2)


def test_the_pages_of_all_annotators_in_one_run(folder):
    pages = folder / "pages"
    done = run(folder / "three.json", "--html-per-coder", pages, *QUICK)
    assert done.returncode == 0
    assert f"written: {pages} (3 pages)" in done.stderr
    assert sorted(page.name for page in pages.iterdir()) == [f"{name}.html" for name in NAMES]
    for page in pages.iterdir():
        text = page.read_text(encoding="utf-8")
        assert "only you" in text and "others, not you" in text
        assert "missing: only in the first strip" not in text


@pytest.mark.parametrize("name", ["ann.html", "ann.rest.json"])
@pytest.mark.parametrize("option", ["", "--rename"])
def test_the_page_of_an_annotator_overwrites_no_input(folder, option, name):
    pages = folder / "pages"
    pages.mkdir()
    (pages / name).write_text('{"t1": {"ann": [2, 3], "ben": [1, 4]}}')
    words = (pages / name,)
    if option == "--rename":
        words = (folder / "two.json", option, pages / name)
        (folder / "two.json").write_text((pages / name).read_text())
        (pages / name).write_text("coder,name\nann,ann\nben,b\n")
    before = (pages / name).read_text()
    given = (*words, "--from", "json", "--html-per-coder", pages, *QUICK)
    said = refused(*given, code=2)
    assert f"--html-per-coder would overwrite the input file {name}" in said
    assert (pages / name).read_text() == before
    assert [one.name for one in pages.iterdir()] == [name]


def test_a_consensus_of_several_speakers_counts_texts(folder):
    rows = [f"t{t},{s},w{i},{'.' if i == 2 else ''},{'.' if i == 2 else ''}"
            for t in range(2) for s in "AB" for i in range(5)]  # fmt: skip
    (folder / "talk.csv").write_text("\n".join(["text,speaker,token,an1,an2", *rows, ""]))
    words = ("--consensus", folder / "agreed.csv", "--consensus-by", "majority", *QUICK)
    done = run(folder / "talk.csv", *words)
    assert "(boundaries of the majority in 2 texts)" in done.stderr


def test_the_page_has_the_verdicts_as_the_table_does(folder):
    page = folder / "page.html"
    out = ok(folder / "three.json", "-i", folder / "machine.json", "--html", page, *QUICK)
    text = page.read_text(encoding="utf-8")
    shown = text[text.index("Is a system as good as an annotator?</h2>") :].partition("</table>")[0]
    (row,) = re.findall(r"^machine +(\d.*undecided.*)$", out, re.MULTILINE)
    assert set(re.split(r" {2,}", row)) - {"–"} <= set(re.findall(r">([^<>]+)<", shown))
    assert "compared with the same others" in shown and "p_equivalent" not in shown


def test_a_majority_without_a_consensus_is_refused(folder):
    words = (folder / "three.json", "--consensus-by", "majority", *QUICK)
    assert "add --consensus FILE" in refused(*words, code=2)
    ok(*words, "--csv", "--table", "consensus")


def test_speakers_have_a_table_of_their_own_among_all_and_are_mentioned_without(folder):
    marks = {"A": "010100", "B": "001010"}
    rows = [f"t{t},{s},w{i},{'.' * (marks[s][i] == '1')},{'.' * (i == 1 + t % 2)}"
            for t in range(3) for s in "AB" for i in range(6)]  # fmt: skip
    talk = folder / "talk.csv"
    talk.write_text("\n".join(["text,speaker,token,an1,an2", *rows, ""]))
    assert "agreement on each speaker alone: --all" in ok(talk, *QUICK)
    out = ok(talk, "--all", *QUICK)
    assert "speaker alone" not in out
    first = next(r for r in fp.agreement(fp.read(str(talk)), all=True, draws=20).part("speakers")
                 if r["coefficient"] == "alpha" and r["stream"] == "B")  # fmt: skip
    assert re.search(rf"^B +alpha, exact positions +{first['value']:.3f}", out, re.MULTILINE)
    assert "speaker" not in ok(folder / "three.json", *QUICK)


def test_the_majority_is_a_consensus_by_name(folder):
    target = folder / "agreed.json"
    done = run(folder / "three.json", "--consensus", target, "--consensus-by", "majority", *QUICK)
    assert "(boundaries of the majority in 3 texts)" in done.stderr
    agreed = fp.consensus(THREE, consensus_by="majority").corpus
    assert fp.read(str(target)).entries.keys() == agreed.entries.keys()
    shared = {text: own for text, own in THREE.items() if len(own) > 1}
    for text, own in shared.items():
        cuts = [fp.Segmentation.from_masses(sizes).cuts for sizes in own.values()]
        every = sorted({place for places in cuts for place in places})
        wanted = [p for p in every if 2 * sum(p in places for places in cuts) > len(cuts)]
        assert list(agreed[text, "consensus"].cuts) == wanted


def test_a_margin_is_for_systems(folder):
    said = refused(folder / "three.json", "--margin", "0.1", code=2)
    assert "add -i SYSTEM" in said
    out = ok(folder / "three.json", "-i", folder / "machine.json", "--markdown", *QUICK)
    assert "| system | to annotators | annotators | difference |" in out


LONG_TEXTS = {f"d{i}": {"a": [2**31 - i, 2**31 + i], "b": [2**31 - 2 * i, 2**31 + 2 * i],
                        "c": [2**31, 2**31]} for i in range(6)}  # fmt: skip


def test_everything_is_printed_of_texts_of_four_billion_units(folder):
    """All but what draws every position: that alone would take hours."""
    (folder / "long.json").write_text(json.dumps(LONG_TEXTS))
    out = ok(folder / "long.json", "--all", "--draws", "20")
    said = " ".join(out.split())
    assert "alpha_U is skipped: it is for texts of fewer than 2^32 units" in said
    assert "chance bernoulli is skipped: drawing each position of such long texts takes" in said
    assert "chance:bernoulli" not in out and "coefficient:gamma" in out
    rows = fp.agreement(fp.Corpus.from_dict(LONG_TEXTS), coefficient="kappa", draws=20)
    assert f"{rows[0]['value']:.3f}" in out


def test_everything_has_the_random_rate_where_texts_are_short(folder):
    out = ok(folder / "three.json", "--all", *QUICK)
    assert "chance:bernoulli" in out and "bernoulli is skipped" not in " ".join(out.split())


def test_everything_of_the_sample_dialogue_is_printed_to_its_end():
    """Annotators with boundary types and one without any boundary; its notes are the last lines."""
    sample = Path(__file__).parent.parent / "samples" / "talk.csv"
    out = ok(sample, "--all", *QUICK)
    assert "data: talk" in out and "note: " in out.split("data: talk")[1]
    for part in ("pi*", "kappa", "majority", "alpha_U", "gamma", "as a system"):
        assert part in out, part
    whole = json.loads(ok(sample, "--all", "--json", *QUICK))
    assert len(whole["rows"]) > 10
