"""Folders, plug-ins, and the commands: formats, convert, and options of reading in score."""

import gzip
import json
import os
import re
import sys
from pathlib import Path

import pytest

import fencepost as fp
import formats_page
import support
from fencepost import formats
from fencepost.formats import FORMATS, FormatError
from fencepost.metrics.signature import Signature
from fencepost.model.corpus import Key

SAMPLES = Path(__file__).parents[1] / "samples"
DOCS = Path(__file__).parents[2] / "docs" / "formats.md"


def run(*arguments, cwd=SAMPLES, **settings):
    return support.run(*arguments, cwd=cwd, **settings)


def said(done):
    return done.stdout, done.stderr


def rows(*arguments, stdin=None, cwd=SAMPLES):
    done = run("score", *arguments, "--json", stdin=stdin, cwd=cwd)
    assert done.returncode == 0, said(done)[1]
    return json.loads(said(done)[0])["rows"]


# Folders.


def grid(words):
    label = " ".join(words)
    return (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n1\n"IntervalTier"\n'
        f'"s"\n0\n2\n2\n0\n1\n"{label}"\n1\n2\n"{label}"\n'
    )


@pytest.fixture
def study(tmp_path):
    for coder, size in (("anna", 2), ("björn", 3)):
        (tmp_path / coder).mkdir()
        for text in ("one", "two"):
            words = ["a"] * (size if text == "one" else 2)
            (tmp_path / coder / f"{text}.TextGrid").write_text(grid(words), encoding="utf-8")
    (tmp_path / "README.md").write_text("not data")
    return tmp_path


def test_paths_name_coder_and_text(study):
    corpus = fp.read(study, path_pattern="{coder}/{text}.TextGrid", units="text")
    assert {tuple(key): seg.masses for key, seg in corpus.entries.items()} == {
        ("one", "", "anna"): (2, 2),
        ("two", "", "anna"): (2, 2),
        ("one", "", "björn"): (3, 3),
        ("two", "", "björn"): (2, 2),
    }
    assert corpus.source.choices == {"units": "text"}
    done = run("agree", study, "--path-pattern", "{coder}/{text}.TextGrid", "--units", "seconds:1")
    read, size = re.split(r"\n(?=\d)", said(done)[0])[:2]
    folded = read.replace("\n  ", " ")
    assert folded.endswith(": folder of 4 files; 1 tier; annotators anna, björn; units of 1 s")
    assert size.startswith("2 texts, 2 annotators"), said(done)


def test_paths_that_do_not_fit_are_refused(study):
    (study / "README.md").unlink()
    with pytest.raises(FormatError, match="has no files"):
        fp.read(study, units="text")
    with pytest.raises(FormatError, match=r"no file has a path like"):
        fp.read(study, path_pattern="{coder}/{text}.eaf")
    with pytest.raises(FormatError, match=r"a path is a pattern with \{text\}"):
        fp.read(study, path_pattern="{coder}/{name}.TextGrid")
    (study / "odd.TextGrid").write_text("x")
    with pytest.raises(FormatError, match=r"odd.TextGrid does not have a path like"):
        fp.read(study, path_pattern="{coder}/{text}.TextGrid", units="text")
    with pytest.raises(FormatError, match="is a file"):
        fp.read(study / "odd.TextGrid", path_pattern="{text}.TextGrid")


def test_folders_of_any_depth_are_part_of_a_texts_name(tmp_path):
    for name in ("3-5/0", "3-5/1", "6-8/deep/0"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.ref").write_text("a\nb\n==========\nc\n")
    found = fp.read(tmp_path, path_pattern="{folders}/{text}.ref")
    assert found.texts == ["3-5/0", "3-5/1", "6-8/deep/0"]
    with pytest.raises(
        FormatError, match=r"has no files; the folders in it .*\{folders\}/\{text\}"
    ):
        fp.read(tmp_path)


def test_what_elan_keeps_beside_its_files_is_passed_over(study):
    (study / "anna" / "one.pfsx").write_text("<preferences/>")
    (study / "anna" / "two.TextGrid").unlink()
    found = fp.read(study / "anna", units="text")
    assert found.texts == ["one"]


def test_another_name_of_the_file_gives_the_same_numbers(tmp_path):
    given = "unit,an1,an2\n1,1,1\n2,1,1\n3,2,1\n4,2,2\n5,3,2\n6,3,3\n7,4,3\n8,4,4\n"
    values = []
    for name in ("talk", "other"):
        file = tmp_path / f"{name}.csv"
        file.write_text(given)
        agreed = said(run("agree", file, "--json"))[0]
        scored = said(run("score", file, "-i", file, "--ref-field", "an1", "--hyp-field", "an2",
                          "--csv"))[0]  # fmt: skip
        values.append((json.loads(agreed)["rows"], scored.replace(name, "")))
    assert values[0] == values[1]
    assert values[0][0][0]["value"] is not None


def test_agree_reads_one_of_several_fields(tmp_path):
    lines = (
        '{"id": "d1", "gold": [2, 3], "other": [4, 1]}\n{"id": "d2", "gold": [5], "other": [5]}\n'
    )
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(lines)
    done = run("agree", "a.jsonl", "b.jsonl", "--field", "gold", "--json", cwd=tmp_path)
    assert done.returncode == 0, said(done)[1]
    assert json.loads(said(done)[0])["facts"]["boundaries"] == 2


def test_a_folder_of_unit_tables_holds_several_coders(tmp_path):
    (tmp_path / "ch1.csv").write_text("paragraph,an1,an2\n1,1,1\n2,1,2\n3,2,2\n")
    (tmp_path / "ch2.csv").write_text("paragraph,an1,an3\n1,1,1\n2,1,1\n")
    corpus = fp.read(tmp_path)
    assert corpus["ch1", "an2"].masses == (1, 2) and corpus["ch2", "an3"].masses == (2,)
    assert corpus.coders == ["an1", "an2", "an3"] and corpus.unit == "paragraph"


def test_what_differs_between_files_of_a_folder_is_in_the_signature(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"ref": [0, 0, 1]}\n')
    (tmp_path / "b.jsonl").write_text('{"ref": [1, 0, 0]}\n')
    assert fp.read(tmp_path).source.choices == {"flags": "first+last"}


@pytest.mark.skipif(
    not (Path(os.environ.get("FENCEPOST_DATA", "")) / "moonstone").is_dir()
    or "FENCEPOST_DATA" not in os.environ,
    reason="the Moonstone corpus is not ours to ship",
)
def test_the_moonstone_tables_read_to_its_masses():
    folder = Path(os.environ["FENCEPOST_DATA"]) / "moonstone"
    masses = json.loads((folder / "moonstone_masses.json").read_text())
    corpus = fp.read(folder / "segmentations")
    expected = masses.get("items", masses)
    found = {
        text: {k.coder: list(s.masses) for k, s in corpus.entries.items() if k.text == text}
        for text in corpus.texts
    }
    assert found == expected


# Plug-ins: packages as pip would install them, found on the path.


def install(folder, package, points, module):
    """A package with entry points, without pip."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    (folder / f"{package}.py").write_text(module)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of packages; what is installed there is seen at once, here and in commands."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    before = set(sys.modules)
    formats._loaded.cache_clear()
    yield folder
    formats._loaded.cache_clear()
    for name in set(sys.modules) - before:
        if name in ("dots", "ticks", "broken", "odd", "twice", "careless"):
            del sys.modules[name]


def documented(number=1):
    """A plug-in of the page, as it stands there."""
    page = DOCS.read_text(encoding="utf-8")
    return page.split("```python\n")[number].partition("```")[0]


DECLARED = "[fencepost.formats]\ndots = dots:DOTS\n"


def test_a_package_can_bring_a_format(site, tmp_path):
    install(site, "dots", DECLARED, documented())
    assert 'dots = "dots:DOTS"' in DOCS.read_text(encoding="utf-8")
    path = tmp_path / "x.dots"
    path.write_text("...|..")
    assert fp.read(path)["x", "1"].masses == (3, 2)
    assert fp.read(path, "dots")["x", "1"].masses == (3, 2)
    fp.write(fp.read(path), tmp_path / "y.dots")
    assert (tmp_path / "y.dots").read_text() == "...|..\n"
    first = str(fp.look(path)).splitlines()[0]
    assert first == f"x.dots: {formats.plugins()['dots'].help}"
    with pytest.raises(FormatError, match=r"no format 'nope'; there are json, .*, dots"):
        fp.read(path, "nope")
    with pytest.raises(FormatError, match=r"give one of json, .*, dots"):
        fp.write(fp.read(path), tmp_path / "x.docx")
    (tmp_path / "x.unknown").write_text("some words")
    with pytest.raises(FormatError, match=r"say it with --from \(json, .*, dots\)"):
        fp.read(tmp_path / "x.unknown")
    assert "..|." in said(run("formats"))[0]
    assert "## dots" in said(run("formats", "--markdown"))[0]
    assert "dots (default" in " ".join(said(run("convert", "--help"))[0].split())
    done = run("convert", path, "-", "--to", "json")
    assert said(done)[0] == '{\n"x": [3, 2]\n}\n'


def test_a_package_can_bring_a_format_of_streams(site, tmp_path):
    install(site, "ticks", "[fencepost.formats]\nticks = ticks:TICKS\n", documented(2))
    path = tmp_path / "x.ticks"
    path.write_text("0.5 so\n0.9 we\n")
    for format in (None, "ticks"):
        (stream,) = fp.read_streams(path, format=format)
        assert (stream.text, [word.start for word in stream.words]) == ("so we", [0.5, 0.9])
    (tmp_path / "ref.txt").write_text("so\nwe\n")
    assert "AS-WER" in said(run("resegment", tmp_path / "ref.txt", "-i", path))[0]
    gives = "x.ticks: files of the format ticks give streams, not"
    with pytest.raises(FormatError, match=f"{gives} references; tsv, stm"):
        fp.read_references(path)
    with pytest.raises(FormatError, match=f"{gives} segmentations; fencepost resegment reads them"):
        fp.read(path)
    path.write_text("0.5 so\nwe\n")
    with pytest.raises(FormatError, match=r"^x\.ticks, line 2: a line has seconds and a word$"):
        fp.read_streams(path)
    path.write_text("now so\n")
    with pytest.raises(FormatError, match="ticks of the package ticks failed: ValueError"):
        fp.read_streams(path)
    assert "gives streams" in said(run("formats", "ticks"))[0]


FINE = "from fencepost.formats.registry import Format\n"
BROKEN = [
    ("broken", "raise RuntimeError('no luck')", "cannot be loaded: RuntimeError: no luck"),
    ("broken", "import sys; sys.exit(3)", "cannot be loaded: SystemExit: 3"),
    ("broken", "MINE = 3", "it must be a fencepost.formats.registry.Format, found int"),
    ("broken", "", "cannot be loaded: AttributeError: .*MINE"),
    (
        "broken",
        f"{FINE}MINE = Format('other', (), '', '', None)",
        "called mine and its format other",
    ),
]


@pytest.mark.parametrize(("package", "module", "words"), BROKEN)
def test_a_broken_package_is_named_and_stops_nothing_else(site, tmp_path, package, module, words):
    install(site, package, f"[fencepost.formats]\nmine = {package}:MINE\n", module)
    install(site, "dots", DECLARED, documented())
    (tmp_path / "x.dots").write_text("...|..")
    assert fp.read(tmp_path / "x.dots")["x", "1"].masses == (3, 2)
    with pytest.raises(FormatError, match=f"the format mine of the package broken.*{words}"):
        fp.read(tmp_path / "x.dots", "mine")
    (tmp_path / "x.unknown").write_text("some words")
    with pytest.raises(FormatError, match=rf"say it with --from .*mine of the package.*{words}"):
        fp.read(tmp_path / "x.unknown")
    done = run("convert", "masses.json", tmp_path / "o.csv")
    assert (done.returncode, said(done)[1]) == (0, "")
    out, err = said(run("formats"))
    assert "dots" in out and err.startswith(
        "fencepost: note: the format mine of the package broken"
    )
    done = run("convert", "masses.json", tmp_path / "o.csv", "--from", "mine")
    assert done.returncode == 2 and "of the package broken" in said(done)[1]


def test_two_formats_of_one_name_are_one_too_many(site):
    fine = f"{FINE}MINE = Format('json', (), '', '', None)"
    install(site, "twice", "[fencepost.formats]\njson = twice:MINE\n", fine)
    assert formats.plugins() == {}
    assert "twice: two formats are called json" in formats.broken_plugins()["json"]
    assert fp.read(SAMPLES / "masses.json").coders == ["anna", "björn"]


def test_a_plug_in_that_fails_while_reading_is_named(site, tmp_path):
    module = f"{FINE}MINE = Format('mine', ('.mine',), '', '', lambda t, r: 1 / 0, "
    module += "looks_like=lambda t: 1 / 0, sure=True, write=lambda c: 3)"
    install(site, "careless", "[fencepost.formats]\nmine = careless:MINE\n", module)
    (tmp_path / "x.mine").write_text("x")
    failed = "the format mine of the package careless failed: ZeroDivisionError"
    with pytest.raises(FormatError, match=failed):
        fp.read(tmp_path / "x.mine")
    corpus = fp.read(SAMPLES / "wiki727.txt")  # what it looks like is asked of every plug-in
    with pytest.raises(FormatError, match="gave int where a str should be"):
        fp.write(corpus, tmp_path / "y.mine")


def test_a_broken_metric_is_named_and_stops_nothing_else(site):
    install(site, "broken", "[fencepost.metrics]\nmine = broken:MINE\n", "raise OSError('no luck')")
    why = "the metric mine of the package broken cannot be loaded: OSError: no luck"
    out, err = said(run("metrics"))
    assert "windowdiff" in out and err == f"fencepost: note: {why}\n"
    assert (
        rows("marks.jsonl", "-i", "marks.jsonl", "--hyp-field", "ref", "-m", "B")[0]["value"] == 1
    )
    done = run("metrics", "mine")
    assert done.returncode != 0 and why in said(done)[1]


# Commands.


def test_formats_are_listed_with_examples():
    out, err = said(run("formats"))
    assert err == ""
    for one in FORMATS.values():
        assert f"\n{one.name}" in f"\n{out}" and one.help in " ".join(out.split())
        whole = "".join(f"    {line}\n" for line in one.example.replace("\t", "<TAB>").splitlines())
        assert whole in f"{out}\n"
    assert "<TAB>" in out
    out, _ = said(run("formats", "textgrid"))
    assert "--units seconds:0.1" in out and "``" not in out
    done = run("formats", "nope")
    assert done.returncode == 2 and "no format 'nope'" in said(done)[1]


def test_the_page_of_formats_is_the_registry():
    assert DOCS.read_text(encoding="utf-8") == formats_page.page(), "run make docs"
    assert "\n## chunks\n" in formats_page.page()


def test_convert_writes_what_the_ending_says(tmp_path):
    out = tmp_path / "talk.json.gz"
    done = run("convert", "talk.TextGrid", out, "--units", "words:words", "--tiers", "coders")
    assert said(done) == (
        "talk.TextGrid: one tier per annotator; annotators anna, björn, clicks; units are\n"
        "  the intervals of words\n"
        f"written: {out} (1 text, 3 annotators, 5 boundaries; units words:words)\n",
        "fencepost: note: words are not written; jsonl, units, tokens hold them\n"
        "fencepost: note: how the input was read (units words:words) is not written, so later "
        "signatures will not say it; jsonl holds it\n",
    )
    assert json.loads(gzip.decompress(out.read_bytes()))["talk"]["björn"] == [2, 1, 3]
    table = tmp_path / "talk.csv"
    assert run("convert", "dialogue.txt", table).returncode == 0
    assert fp.read(table).entries == fp.read(SAMPLES / "dialogue.txt").entries
    assert run("convert", "masses.json", tmp_path / "x", "--to", "units").returncode == 0
    assert (tmp_path / "x").read_text(encoding="utf-8").startswith("text,unit,anna,björn\n")
    done = run("convert", "-", tmp_path / "y.tsv", stdin=gzip.compress(b'{"a": [3, 4]}'))
    assert (tmp_path / "y.tsv").read_text() == "text\tcoder\tmasses\na\t1\t3\t4\n", said(done)
    assert run("convert", "masses.json", tmp_path / "y.csv").returncode == 0
    assert b"anna,5 2\n" in (tmp_path / "y.csv").read_bytes()
    assert fp.read(tmp_path / "y.csv").entries == fp.read(SAMPLES / "sizes.csv").entries
    assert run("convert", "talk.csv", tmp_path / "y.tsv").returncode == 0
    assert (tmp_path / "y.tsv").read_text().startswith("text\tspeaker\ttoken\tan1\tan2\n")


def test_convert_writes_to_standard_output(tmp_path):
    done = run("convert", SAMPLES / "masses.json", "-", "--to", "tsv", cwd=tmp_path)
    assert said(done) == (
        "text\tcoder\tmasses\nharbour\tanna\t3\t2\t4\nharbour\tbjörn\t3\t6\nmarket\tanna\t5\t2\n",
        "masses.json: segment sizes by text and annotator\n"
        "written: - (2 texts, 2 annotators, 4 boundaries)\n",
    )
    assert list(tmp_path.iterdir()) == []
    done = run("convert", SAMPLES / "masses.json", "-")
    assert done.returncode == 2 and "give the format with --to" in said(done)[1]


def test_convert_says_what_is_left_out(tmp_path):
    (tmp_path / "a.json").write_text('{"d": {"anna": [2, 1]}}')

    def notes(source, target, *more):
        done = run("convert", source, target, *more, cwd=tmp_path)
        assert done.returncode == 0, said(done)
        return [line.removeprefix("fencepost: note: ") for line in said(done)[1].splitlines()]

    assert notes("a.json", "b.json") == []
    assert json.loads((tmp_path / "b.json").read_text()) == {"d": {"anna": [2, 1]}}
    assert notes("a.json", "b.jsonl") == []
    assert fp.read(tmp_path / "b.jsonl").coders == ["anna"]
    assert notes("a.json", "b.txt") == [
        "the words are not known; numbers stand for them",
        "the annotator's name 'anna' is not written; jsonl, units, tokens hold it",
        "the text's name 'd' is not written, the file's name replaces it; jsonl, units, "
        "tokens, conllu "
        "hold it",
    ]
    assert notes("a.json", "d.tsv", "--to", "tokens") == [
        "the words are not known; numbers stand for them"
    ]
    assert notes("a.json", "e.tsv", "--to", "segeval")[0].startswith(
        "the text's name 'd' is not written"
    )
    assert (tmp_path / "e.tsv").read_text() == "Coder\tMasses\nanna\t2\t1\n"
    assert notes("a.json", "d.bits")[0].startswith("the annotator's name 'anna' is not written")
    assert (tmp_path / "d.bits").read_text() == "d\t01\n"
    assert notes("a.json", "d.masses") and (tmp_path / "d.masses").read_text() == "d\t2 1\n"
    assert notes(SAMPLES / "sentences.sents", "s.json") == [
        "words are not written; jsonl, units, tokens hold them"
    ]


def test_choices_of_reading_are_signed_after_convert_too(tmp_path):
    options = ("--threshold", "0.5", "--flags", "last", "--field", "probs")
    done = run("convert", "probabilities.jsonl", tmp_path / "p.jsonl", *options)
    assert said(done)[1] == ""
    hyp = ("-i", tmp_path / "p.jsonl", "--hyp-field", "ref", "-m", "pk")
    signed = rows("marks.jsonl", *hyp)[0]["signature"]
    assert "|threshold:0.5|" in signed
    direct = ("-i", "probabilities.jsonl", *options[:4], "--hyp-field", "probs", "-m", "pk")
    assert rows("marks.jsonl", *direct)[0]["signature"] == signed


def test_conllu_is_written_as_disrpt_has_it(tmp_path):
    done = run("convert", "disrpt.tok", tmp_path / "d.conllu")
    assert done.returncode == 0
    back = fp.read(tmp_path / "d.conllu")
    first = fp.read(SAMPLES / "disrpt.tok")
    assert (back.entries, back.tokens) == (first.entries, first.tokens)
    lines = (tmp_path / "d.conllu").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# newdoc id = d1" and lines[1].endswith("\tSeg=B-seg")


def test_another_line_may_stand_between_segments(tmp_path):
    def masses(text, *more):
        (tmp_path / "x.txt").write_text(text)
        done = run("convert", tmp_path / "x.txt", "-", "--to", "json", *more)
        assert done.returncode == 0, said(done)
        return json.loads(said(done)[0])["x"]

    assert masses("a\nc\n###\ne\n") == [2, 1]
    assert masses("a\nc\n@@\n\ne\n", "--separator", "@@") == [2, 1]
    assert masses("a\nc\n@@\n\ne\n") == [3, 1]
    assert masses("a\n---\nc\n\ne\n", "--separator", "") == [3, 1]
    assert masses("a\n==========\nc\n%\ne\n", "--separator", "%") == [3, 1]
    done = run("convert", tmp_path / "x.txt", "-", "--to", "json", "--separator", "@")
    assert done.returncode == 1
    assert "x.txt: no line is '@', but '==========' looks like it" in said(done)[1]
    with pytest.raises(FormatError, match="separator must be one line"):
        fp.read(tmp_path / "x.txt", separator="a\nb")


def test_lists_of_wikipedia_are_sentences_or_left_out():
    text = "========,1,preface.\na.\n========,2,B.\n***LIST***.\nb.\n"
    assert formats.read_text(text, "x")["x", "1"].masses == (1, 2)
    without = formats.read_text(text, "x", ignore_tokens="^[*]{3}LIST")
    assert without["x", "1"].masses == (1, 1) and "ignored" in without.source.choices


@pytest.mark.parametrize(
    ("format", "text", "words"),
    [
        ("tokens", "text,token,x\nt1,a,\nt2,b,\nt1,c,\n",
         "x.csv, line 4: the text t1 is given twice, up to line 2"),
        ("units", "text,sentence,x\nt1,A cat.,1\nt2,It sat.,1\nt1,A dog.,1\n",
         "x.csv, line 4: the text t1 is given twice, up to line 2"),
        ("tokens", "text,token,x\nt1,a,\ntext,token,x\nt2,b,\n",
         "x.csv, line 3: the header is here again"),
        ("units", "text,sentence,x\nt1,A.,1\nText,Sentence,X\nt2,B.,1\n",
         "x.csv, line 3: the header is here again"),
        ("boundary-strings", "text,annotator,boundaries\nt,1,..\ntext,annotator,boundaries\n",
         "x.csv, line 3: the header is here again"),
        ("units", f"unit,x\n{'9' * 5000},1\n", "x.csv, line 2: a number of 5000 digits"),
    ],
)  # fmt: skip
def test_what_stands_twice_in_a_table_is_refused_with_its_line(format, text, words):
    for told in (format, None):
        with pytest.raises(FormatError, match=words):
            formats.read_text(text, "x.csv", told)


def test_numbers_of_segments_that_do_not_rise_by_one_are_declared():
    text = "unit,x\n1,1\n2,5\n3,1\n4,9\n"
    with pytest.raises(
        FormatError, match=r"no column .* x hold.* --columns ref=NAME --encoding lab"
    ):
        formats.read_text(text, "x.csv")
    corpus = formats.read_text(text, "x.csv", field="x", encoding="labels")
    assert corpus["x", "x"].masses == (1, 1, 1, 1)


def test_numbers_in_a_file_of_sizes_are_sizes():
    assert formats.read_text("a\t10\nb\t11\n", "x.masses")["a", "1"].masses == (10,)
    assert formats.read_text("a\t10\nb\t11\n", "x.bits")["a", "1"].masses == (1, 2)


def test_one_segment_with_a_rule_in_it_stays_one(tmp_path):
    corpus = fp.Corpus.from_entries(
        {Key("x", "", "1"): fp.Segmentation(3, [])}, {("x", ""): ["a", "---", "b"]}
    )
    fp.write(corpus, tmp_path / "x.txt")
    assert fp.read(tmp_path / "x.txt")["x", "1"].masses == (3,)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nope.json", "x.json"], 1, "nope.json cannot be read"),
        (["masses.json", "x.docx"], 2, "the ending names no format that can be written; .json"),
        (["masses.json", "masses.json"], 2, "would overwrite the input file masses.json"),
        (["masses.json", "x.TextGrid"], 2, "textgrid cannot be written"),
        (["talk.TextGrid", "x.json"], 1, "--units words:TIER"),
        (["masses.json", "x.json", "--from", "nope"], 2, "no format 'nope'"),
    ],
)
def test_convert_says_what_is_wrong(arguments, code, words):
    done = run("convert", *arguments)
    assert done.returncode == code and words in said(done)[1]
    assert "Traceback" not in said(done)[1]


def test_both_sides_may_have_formats_of_their_own(tmp_path):
    (tmp_path / "gold").write_text('{"a": [3, 2]}')
    (tmp_path / "system").write_text("a\t3 2\n")
    order = ("gold", "-i", "system", "--from", "json", "-m", "B")
    assert rows(*order, "--hyp-from", "lines", cwd=tmp_path)[0]["value"] == 1.0
    done = run("score", *order, cwd=tmp_path)
    assert done.returncode == 1 and "system, line 1: not JSON" in said(done)[1]


def test_choices_are_in_the_signature_and_read_back():
    found = rows("marks.jsonl", "-i", "probabilities.jsonl", "--threshold", "0.5", "--flags",
                 "last", "--hyp-field", "probs", "-m", "pk")  # fmt: skip
    assert "|threshold:0.5|" in found[0]["signature"]
    assert dict(Signature(found[0]["signature"]).context.reading)["threshold"] == "0.5"
    for arguments, words in (
        (("chunks.json", "-i", "chunks.json"), "|overlap:start|"),
        (("chunks.json", "-i", "chunks.json", "--overlap", "end"), "|overlap:end|"),
        (("film.srt", "-i", "film.srt", "--levels", "1"), "|levels:1|"),
        (("talk.eaf", "-i", "talk.eaf", "--units", "seconds:0.1", "--gaps", "join", "--ref-field",
          "anna", "--hyp-field", "anna"), "|gaps:join|units:0.1s|"),
    ):  # fmt: skip
        signature = rows(*arguments, "-m", "pk")[0]["signature"]
        assert words in signature
        out, err = said(run("metrics", signature))
        assert err == "" and "fencepost score REF -i HYP -m" in out


def test_a_signature_brings_its_choices_of_reading():
    signature = rows("chunks.json", "-i", "chunks.json", "--overlap", "end", "-m", "pk")[0][
        "signature"
    ]
    again = rows("chunks.json", "-i", "chunks.json", "--signature", signature)
    assert again[0]["signature"] == signature


def test_probabilities_ask_for_a_threshold():
    done = run("score", "marks.jsonl", "-i", "probabilities.jsonl", "--hyp-field", "probs")
    assert done.returncode == 1 and "--threshold 0.5 (to make boundaries)" in said(done)[1]
    # Marks on one side are none of its business; on both sides it has nothing to say.
    both = ("--hyp-field", "probs", "--threshold", "0.5", "--flags", "last", "-m", "pk")
    assert rows("marks.jsonl", "-i", "probabilities.jsonl", *both)[0]["value"] == 0
    done = run("score", "marks.jsonl", "-i", "marks.jsonl", "--threshold", "0.5")
    assert done.returncode == 2 and "--threshold does not apply" in said(done)[1]


def test_two_tables_are_joined_by_id(tmp_path):
    (tmp_path / "gold.csv").write_text("id,ref\na,3 2\nb,4 4\n")
    (tmp_path / "system.csv").write_text("id,hyp\nb,4 4\na,3 2\n")
    assert rows("gold.csv", "-i", "system.csv", "-m", "B", cwd=tmp_path)[0]["value"] == 1.0
    (tmp_path / "system.csv").write_text("id,hyp\nb,4 4\n")
    done = run("score", "gold.csv", "-i", "system.csv", cwd=tmp_path)
    assert done.returncode == 1 and "lacks 1 of the 2 texts in gold (a)" in said(done)[1]


def test_texts_that_part_are_shown_with_the_way_out(tmp_path):
    (tmp_path / "gold.sents").write_text("we went home\nit rained\n")
    (tmp_path / "asr.sents").write_text("we went home\nit rain\nnow\n")
    done = run("score", "gold.sents", "-i", "asr.sents", cwd=tmp_path)
    assert 'part at word 5: "rained" / "rain" (after "we went home it")' in said(done)[1]
    assert "use fencepost resegment" in said(done)[1]
    (tmp_path / "asr.sents").write_text("we went home\nit rain\n")
    done = run("score", "gold.sents", "-i", "asr.sents", cwd=tmp_path)
    assert done.returncode == 0
    assert 'part at word 5: "rained" / "rain"' in " ".join(said(done)[0].split())


def test_resegment_reads_compressed_files_too(tmp_path):
    (tmp_path / "ref.stm.gz").write_bytes(gzip.compress((SAMPLES / "talk.stm").read_bytes()))
    (tmp_path / "hyp.txt").write_text("so we went did you yes")
    done = run("resegment", tmp_path / "ref.stm.gz", "-i", tmp_path / "hyp.txt")
    assert done.returncode == 0 and "3 segments" in said(done)[0], said(done)


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        ("hearst1997.json", "HEARST_1997_STARGAZER"),
        ("hearst1997.tsv", "HEARST_1997_STARGAZER"),
        ("hearst1997_positions.csv", "HEARST_1997_STARGAZER"),
        ("complete_agreement.json", "COMPLETE_AGREEMENT"),
        ("large_disagreement.json", "LARGE_DISAGREEMENT"),
    ],
)
def test_segevals_own_files_give_segevals_numbers(name, sample):
    import segeval
    from segeval.data import samples

    corpus = fp.read(Path(segeval.__file__).parent / "data" / name)
    theirs = getattr(samples, sample)
    # Their samples and their files have the same texts under different names.
    for text, item in zip(sorted(corpus.texts), sorted(theirs), strict=True):
        own = theirs[item]
        assert {str(c): tuple(m) for c, m in own.items()} == {
            c: seg.masses for c in corpus.coders for seg in [corpus[text, c]]
        }
        first, *others = own
        for other in others:
            value = segeval.boundary_similarity(own[first], own[other])
            ours = fp.boundary_similarity(corpus[text, str(first)], corpus[text, str(other)])
            assert float(value) == pytest.approx(ours, abs=1e-12)


LONG = {
    "tokens": "a table of tokens",
    "units": "a table of units",
    "lines": "a bit string",
    "boundary-strings": "a string of boundaries",
    "separated": "separated",
    "wiki": "wiki",
}


@pytest.mark.parametrize("name", [*LONG, "json", "jsonl", "tsv", "table", "parquet", "segeval"])
def test_files_that_grow_with_the_units_are_refused_for_long_texts(tmp_path, name):
    (tmp_path / "long.json").write_text(json.dumps({"d": [2**31, 2**31]}))
    words = ("convert", "long.json", f"out.{name}", "--to", name)
    if name in LONG:
        said = support.refused(1, *words, cwd=tmp_path)
        assert said.startswith(f"{LONG[name]} would have something for each of 4,294,967,296 unit")
        assert said.endswith(".masses and .json have segment sizes")
        assert not (tmp_path / f"out.{name}").exists()
    else:
        support.ok(*words, cwd=tmp_path)
        assert (tmp_path / f"out.{name}").stat().st_size < 5000


def test_sizes_of_long_texts_are_written_as_masses(tmp_path):
    (tmp_path / "long.json").write_text(json.dumps({f"t{i}": [2**31, 2**31] for i in range(6)}))
    support.ok("convert", "long.json", "out.masses", cwd=tmp_path)
    assert (tmp_path / "out.masses").read_text().startswith("t0\t2147483648 2147483648\n")
