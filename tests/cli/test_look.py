"""The line that says how files were read, and fencepost look."""

import json
import re
import shlex

import numpy as np
import pytest

import fencepost as fp
import support
from fencepost.formats import FORMATS, read_bytes
from fencepost.model.reading_lines import FileRead, describe, reading_lines
from fencepost.model.source import Source
from fencepost.report.look import Look, look_at
from formats.test_samples import EXPECTED
from support import DATA, SAMPLES, put, refused

SHEET = (
    "text,sentence,anna,ben,carla,n_words,date\n"
    "a,1,0,0,0,7,2020-01-01\na,2,0,1,1,7,2020-01-01\n"
    "a,3,0,0,1,7,2020-01-01\na,4,1,1,1,7,2020-01-01\n"
)


CORPUS = ("pk", "--against", "B", "--corpus", "gold.jsonl", "--properties", "laws")


def ok(*words, **settings):
    return support.ok("look", *words, **settings)


def first_lines(out):
    """The lines before the size of the data, unfolded."""
    return re.split(r"\n(?=\d)", out)[0].replace("\n  ", " ").splitlines()


# The reading line.


def test_files_that_were_read_alike_share_a_line():
    gold, ours = (
        FileRead(Source(file=file, field=field, shape="0/1 per {unit}", unit=unit, id_field="id"))
        for file, field, unit in (("g.jsonl", "ref", "sentence"), ("h.jsonl", "hyp", "unit"))
    )
    other = FileRead(Source(file="x.tsv", shape="one row per text", naming="numbers"))
    assert reading_lines([gold, ours, other]) == [
        "g.jsonl (ref), h.jsonl (hyp): 0/1 per sentence; matched by id",
        "x.tsv: one row per text; units are sentences; matched by line",
    ]
    assert reading_lines([FileRead(Source(shape="of no file"))]) == []


def test_what_both_sides_of_a_file_leave_is_ignored():
    ref, hyp = (
        FileRead(Source(file="t.csv", field=own, shape="rows", ignored=(other, "n")))
        for own, other in (("ref", "hyp"), ("hyp", "ref"))
    )
    assert reading_lines([ref, hyp]) == ["t.csv (ref, hyp): rows; ignored: n"]


def test_names_of_people_can_be_left_out():
    source = Source(file="anna.csv", field="anna", ignored=("ben",), shape="{annotators} (0/1)")
    line = describe(FileRead(source, ("anna", "ben")).anonymous("annotations"))
    assert line == "2 annotators (0/1)"
    many = describe(FileRead(source, tuple(f"a{i}" for i in range(12))))
    assert many.startswith("annotators a0, a1, a2, a3, a4, a5, a6, a7 and 4 more (0/1)")


def test_a_role_that_only_one_column_can_have_is_named(tmp_path):
    put(tmp_path, "t.csv", "text,token,anna,boris\nd,a,,\nd,b,x,y\n")
    said = refused(2, "look", "t.csv", "--columns", "coder=anna,coder=boris", cwd=tmp_path)
    assert said.startswith("--columns: columns must be one column for coder; only hyp may have")


def test_a_sheet_says_its_columns_and_what_it_ignores(tmp_path):
    put(tmp_path, "s.csv", SHEET.replace("date", "note").replace("2020-01-01", ""))
    corpus = fp.read(tmp_path / "s.csv", field="ben")
    assert reading_lines([FileRead.of(corpus)]) == [
        "s.csv (ben): one row per sentence (columns text, sentence); one annotator (0/1 per "
        "sentence, 1 = last sentence of a segment); ignored: anna, carla, n_words, note"
    ]


@pytest.mark.slow
def test_every_command_says_it_and_quiet_drops_it(tmp_path):
    texts = ("gold.jsonl", "-i", "hasty.jsonl")
    streams = ("speech.ref1.txt", "-i", "speech.hyp.txt")
    for words in (
        ("score", *texts), ("edits", *texts), ("agree", "stargazers.json"),
        ("resegment", *streams), ("convert", "gold.jsonl", tmp_path / "x.jsonl"),
        ("probe", *CORPUS), ("score", *texts, "--conventions"),
    ):  # fmt: skip
        loud = support.ok(*words, cwd=DATA, notes=True)
        quiet = support.ok(*words, "-q", cwd=DATA, notes=True)
        name = next(word for word in words if str(word).endswith((".jsonl", ".json", ".txt")))
        assert loud.startswith(name) and not quiet.startswith(name)
        assert loud.endswith(quiet)
        assert all(len(line) <= 80 for line in loud[: -len(quiet)].splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ("score", "gold.jsonl", "-i", "hasty.jsonl"),
        ("edits", "gold.jsonl", "-i", "hasty.jsonl"),
        ("agree", "stargazers.json"),
        ("resegment", "speech.ref1.txt", "-i", "speech.hyp.txt"),
        pytest.param(("probe", *CORPUS), marks=pytest.mark.slow),
    ],
)
def test_other_forms_have_the_line_too_also_if_quiet(words, tmp_path):
    lines = json.loads(support.ok(*words, "--json", "-q", cwd=DATA, notes=True))["facts"][
        "reading_lines"
    ]
    out = support.ok(*words, cwd=DATA, notes=True).replace("\n  ", " ")
    assert out.splitlines()[: len(lines)] == lines
    latex = support.ok(*words, "--latex", "-q", cwd=DATA, notes=True).splitlines()
    assert [line for line in latex if line.removeprefix("% ") in lines] == [f"% {x}" for x in lines]
    markdown = support.ok(*words, "--markdown", "-q", cwd=DATA, notes=True).replace("\\", "")
    assert all(line in markdown for line in lines)
    if words[0] != "edits":
        page = tmp_path / "page.html"
        support.ok(*words, "--html", page, "-q", cwd=DATA, notes=True)
        leads = re.findall(r'<p class="lead"><bdi>(.*?)</bdi>', page.read_text(encoding="utf-8"))
        assert leads[: len(lines)] == lines and len(leads) == len(lines) + 1


def test_several_references_and_one_file_for_both_sides(tmp_path):
    put(tmp_path, "t.csv", "id,ref,hyp,lang\nd1,3 3,6,en\nd2,2 4,2 4,en\n")
    out = support.ok("score", "t.csv", cwd=tmp_path)
    line = "t.csv (ref, hyp): one row per text: segment sizes; ignored: lang"
    assert out.splitlines()[0] == line
    put(tmp_path, "a.json", {"d": [3, 3]})
    put(tmp_path, "s.json", {"near": {"d": [3, 3]}, "far": {"d": [6]}})
    put(tmp_path, "r.json", {"d": [3, 3], "e": [6]})
    out = support.ok("score", "a.json", "-i", "r.json", "--missing", "skip", cwd=tmp_path)
    assert out.splitlines()[0] == "a.json, r.json: segment sizes by text; matched by name"


def test_a_field_of_groups_is_not_ignored(tmp_path):
    put(tmp_path, "t.csv", "id,ref,hyp,src,lang\nd1,3 3,6,x,en\nd2,2 4,2 4,y,en\n")
    out = support.ok("score", "t.csv", "--group", "src", cwd=tmp_path)
    assert out.splitlines()[0].endswith("; ignored: lang")


def test_anonymized_lines_have_no_names(tmp_path):
    put(tmp_path, "anna.csv", SHEET.replace(",n_words,date", "").replace(",7,2020-01-01", ""))
    out = support.ok("agree", "anna.csv", "--anonymize", "--draws", "20", cwd=tmp_path)
    assert out.startswith(
        "annotations: one row per sentence (columns text, sentence); 3 annotators"
    )
    assert not re.search("anna|ben|carla", out)
    put(tmp_path, "names.csv", "coder,name\nanna,A\nben,B\ncarla,C\n")
    words = ("agree", "anna.csv", "--rename", "names.csv", "--draws", "20")
    assert not re.search("ben|carla", support.ok(*words, cwd=tmp_path))


def test_texts_of_a_line_are_matched_by_line(tmp_path):
    put(tmp_path, "g.bits", "0010\n0100\n")
    put(tmp_path, "h.bits", "0010\n0001\n")
    out = support.ok("score", "g.bits", "-i", "h.bits", cwd=tmp_path)
    first = "g.bits, h.bits: one text per line: 0/1 between units, 1 = boundary; matched by line"
    assert first_lines(out) == [first]


def test_systems_by_text_are_not_called_annotators(tmp_path):
    put(tmp_path, "g.json", {"d": [3, 3], "e": [2, 2]})
    put(tmp_path, "s.json", {n: {"d": [3, 3], "e": [4]} for n in ("near", "far")})
    out = support.ok("score", "g.json", "-i", "s.json", cwd=tmp_path)
    assert first_lines(out)[1] == "s.json: segment sizes by system and text; matched by name"


# Looking.


def sample_looks():
    """Every sample with the choices that it is read with."""
    for name, format, choices, *_ in EXPECTED:
        data = (SAMPLES / name).read_bytes()
        yield name, format, choices, read_bytes(data, name, format, **choices)


def test_numbers_of_every_sample_are_those_of_the_corpus():
    for name, format, choices, corpus in sample_looks():
        found = look_at(corpus, name, format, choices)
        segs = dict(corpus.entries)
        assert found.texts == len(corpus.texts)
        assert found.boundaries == sum(len(seg.places) for seg in segs.values())
        by_item = {key[:2]: seg.units for key, seg in segs.items()}
        assert found.units == sum(by_item.values())
        assert [one.name for one in found.annotators] == corpus.coders
        for one in found.annotators:
            own = [seg for key, seg in segs.items() if key.coder == one.name]
            sizes = [size for seg in own for size in seg.masses]
            assert one.boundaries == sum(len(seg.places) for seg in own)
            assert (one.smallest, one.largest) == (min(sizes), max(sizes))
            assert one.median == np.median(sizes)
        if corpus.kind_names is not None:
            typed = sum(len(seg.kinds) for seg in segs.values() if seg.kinds is not None)
            assert found.types is not None and sum(found.types.values()) == typed
        printed = str(found)
        assert name in printed and found.summary.split(",")[0] in printed
        assert json.loads(json.dumps(found.plain()))["texts"] == found.texts


def test_every_sample_can_be_looked_at():
    for file in sorted(SAMPLES.iterdir()):
        done = support.run("look", file)
        assert done.returncode in (0, 1), file
        assert "Traceback" not in done.stderr
        if done.returncode == 0:
            assert done.stdout.startswith(file.name) and done.stderr == ""
        else:  # it must be said how it is to be read
            assert re.fullmatch(r"fencepost: [^\n]+\n", done.stderr), file


@pytest.mark.slow
def test_suggested_commands_work():
    for name, format, choices, corpus in sample_looks():
        if "default_field" in choices:
            continue
        for command in look_at(corpus, name, format, choices).next:
            words = shlex.split(command)[1:]
            if "HYP" in words:  # a file against itself
                words[words.index("HYP")] = name
                field = corpus.source.field
                words += [] if field is None else ["--hyp-field", field]
            more = {"agree": ("--draws", "20"), "score": ("--no-intervals",)}[words[0]]
            done = support.run(*words, *more, cwd=SAMPLES)
            assert done.returncode == 0, (command, done.stderr)


def test_a_sheet_is_shown_as_it_is_read(tmp_path):
    put(tmp_path, "s.csv", SHEET.replace(",n_words,date", "").replace(",7,2020-01-01", ""))
    assert ok("s.csv", cwd=tmp_path).splitlines() == [
        "s.csv: one row per sentence (columns text, sentence); annotators anna, ben,",
        "  carla (0/1 per sentence, 1 = last sentence of a segment)",
        "  format units: by its content; marks are on last sentences, because every text",
        "  ends with a mark and some begin without one",
        "1 text, 4 sentences, 3 annotators (3 of 3 annotations), 3 boundaries",
        "",
        "annotator  texts  boundaries  median size   range",
        "anna           1           0            4       4",
        "ben            1           1            2       2",
        "carla          1           2            1  1 to 2",
        "",
        "a: 4 sentences",
        "anna    1  2  3  4",
        "ben     1  2│ 3  4",
        "carla   1  2│ 3│ 4",
        "",
        "look at: no boundary in 1 of 3 segmentations: a by anna",
        "next: fencepost agree s.csv",
        "      fencepost score s.csv --columns ref=anna,hyp=ben --flags last",
    ]
    every = fp.look({"a": {"anna": [4], "carla": [1, 1, 1, 1]}}).odd
    assert any("every position is a boundary in 1 of 2 segmentations" in one for one in every)


def test_what_is_odd_is_said():
    calm, busy = [10, 10, 10], [2] * 15
    texts = {f"t{i}": {"anna": calm, "ben": [9, 11, 10], "carla": busy} for i in range(3)}
    odd = fp.look(texts).odd
    assert "carla set more than twice as many boundaries as the others" in odd
    assert "the same boundaries in t0, t1 and t2" in odd
    assert fp.look({"a": [4, 3], "b": [3, 4]}).odd == ()
    words = [f"w{i}" for i in range(7)]
    entries = {(name, "", "1"): fp.Segmentation.from_masses([4, 3]) for name in ("a", "b")}
    same = fp.Corpus.from_entries(entries, {("a", ""): words, ("b", ""): words}, unit="word")
    assert fp.look(same).odd == ("the same words in a and b",)
    many = fp.look({f"d{i}": [5] for i in range(9)}).odd
    assert many[0] == "no boundary in 9 of 9 segmentations: d0, d1, d2 and 6 more"


def test_boundary_types_and_speakers_are_counted():
    found = fp.look(SAMPLES / "talk.csv")
    assert found.types == {",": 1, ".": 2, "?": 1}
    assert "boundary types: , 1, . 2, ? 1\n" in str(found)
    assert found.summary.startswith("1 text (2 speaker tracks), 6 tokens")
    assert "t1, A: 4 tokens\nan1   1  2  3, 4.\n" in str(found)


def test_a_long_text_is_drawn_as_far_as_it_fits():
    drawn = fp.look({"d": {"anna": [30, 70], "ben": [50, 50]}}).drawing.splitlines()
    assert len(drawn) == 3 and all(len(line) <= 80 and line.endswith(" …") for line in drawn[1:])
    assert fp.look({"d": {f"a{i}": [2, 2] for i in range(20)}}).drawing.count("│") == 8


def test_why_a_file_has_its_format(tmp_path):
    assert fp.look(DATA / "gold.jsonl").why.startswith(
        "by its ending .jsonl; marks are on last sentences, because"
    )
    assert fp.look(SAMPLES / "wiki727.txt").why == "by its content"
    assert fp.look(SAMPLES / "nltk.bits", format="lines").why == "given with --from"
    put(tmp_path, "g.jsonl", '{"id": "a", "ref": [0, 1, 0, 0]}')
    assert "1 = " not in fp.look(tmp_path / "g.jsonl", flags="first").why
    assert fp.look({"a": [2, 3]}).format == ""


def test_files_of_words_name_resegment(tmp_path):
    put(tmp_path, "a.ctm", "talk 1 0.0 0.4 good\ntalk 1 0.5 0.4 morning\n")
    out = ok("a.ctm", cwd=tmp_path)
    assert "format ctm: by its ending .ctm\n" in out
    assert "1 document, 2 words between spaces; no segmentations to compare\n" in out
    assert out.endswith("next: fencepost resegment REF -i a.ctm\n")
    assert isinstance(fp.look(tmp_path / "a.ctm"), Look)
    words_only = [one for one in FORMATS.values() if "segmentations" not in one.gives]
    assert len(words_only) >= 5
    for one in words_only:
        name = f"x{one.endings[0] if one.endings else '.json'}"
        put(tmp_path, name, one.example)
        done = support.run("look", name, "--from", one.name, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), one.name
        assert f"format {one.name}: given with --from" in done.stdout
        assert "next: fencepost resegment " in done.stdout
    out = ok("speech.ref1.txt", cwd=DATA)
    assert out.endswith("      fencepost resegment speech.ref1.txt -i HYP\n")


def test_json_has_a_look_at_each_file(tmp_path):
    out = json.loads(ok("gold.jsonl", "stargazers.json", "--json", cwd=DATA))
    assert [one["file"] for one in out["files"]] == ["gold.jsonl", "stargazers.json"]
    gold, stars = out["files"]
    assert (gold["texts"], gold["units"], gold["boundaries"]) == (3, 37, 7)
    assert stars["annotators"][2] == {
        "name": "3", "texts": 1, "boundaries": 10, "median": 2.0, "smallest": 1, "largest": 3,
    }  # fmt: skip
    score = "fencepost score stargazers.json --columns ref=1,hyp=2"
    assert stars["next"] == ["fencepost agree stargazers.json", score]
    target = tmp_path / "out.txt"
    assert ok("gold.jsonl", "-o", target, cwd=DATA) == ""
    assert target.read_text(encoding="utf-8") == ok("gold.jsonl", cwd=DATA)


def test_options_of_reading_are_taken_and_repeated(tmp_path):
    out = ok("talk.TextGrid", "--units", "words:words", "--tiers", "coders", cwd=SAMPLES)
    assert "next: fencepost agree talk.TextGrid --tiers coders --units words:words\n" in out
    out = ok("units.tsv", "--field", "anna", cwd=SAMPLES)
    assert out.endswith("next: fencepost score units.tsv --columns ref=anna -i HYP\n")
    said = support.refused(2, "look", "gold.jsonl", "--tiers", "coders", cwd=DATA)
    assert said.startswith("--tiers does not apply to what was read")
    assert support.refused(1, "look", "no.json", cwd=tmp_path).endswith(
        "no.json cannot be read: No such file or directory"
    )


def test_standard_input_can_be_looked_at():
    out = ok("-", stdin='{"a": [3, 4]}')
    assert out.startswith("stdin: segment sizes by text\n  format json: by its content\n1 text")
