"""Folders, plug-ins, and the commands: formats, convert, and options of reading in score."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fencepost as fp
from fencepost import formats
from fencepost.cli.formats import markdown
from fencepost.formats import FORMATS, FormatError
from fencepost.formats.base import Format
from fencepost.metrics.base import parse_signature

SAMPLES = Path(__file__).parent / "samples"
DOCS = Path(__file__).parent.parent / "docs" / "formats.md"


def run(*arguments, stdin=None, cwd=SAMPLES):
    return subprocess.run(
        [sys.executable, "-m", "fencepost", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1"},
    )


def said(done):
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


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
    assert corpus.reading == {"units": "text"}
    done = run("agree", study, "--path", "{coder}/{text}.TextGrid", "--units", "seconds:1")
    assert said(done)[0].startswith("2 texts, 2 coders"), said(done)


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
    done = run("agree", "a.jsonl", "b.jsonl", "--ref-field", "gold", "--json", cwd=tmp_path)
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
    assert fp.read(tmp_path).reading == {"flags": "first+last"}


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


# Plug-ins.


class Point:
    def __init__(self, name, loaded):
        self.name, self.loaded = name, loaded

    def load(self):
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


@pytest.fixture
def plug(monkeypatch):
    def plug(*points):
        monkeypatch.setattr(formats, "_entry_points", lambda: points)
        formats.plugins.cache_clear()

    yield plug
    formats.plugins.cache_clear()


def read_dots(text, reading):
    return fp.Corpus.from_dict({reading.stem: [len(part) for part in text.strip().split("|")]})


DOTS = Format("dots", (".dots",), "dots and bars", "..|.", read_dots)


def test_a_package_can_bring_a_format(plug, tmp_path):
    plug(Point("dots", DOTS))
    path = tmp_path / "x.dots"
    path.write_text("...|..")
    assert fp.read(path)["x", "1"].masses == (3, 2)
    assert fp.read(path, "dots")["x", "1"].masses == (3, 2)
    with pytest.raises(FormatError, match=r"no format 'nope'; there are json, .*, dots"):
        fp.read(path, "nope")


@pytest.mark.parametrize(
    ("loaded", "words"),
    [
        (RuntimeError("no luck"), "dots cannot be loaded: no luck"),
        (3, "must be a fencepost.formats.base.Format, found int"),
        (Format("json", (), "", "", read_dots), "two formats are called json"),
    ],
)
def test_a_package_that_brings_none_is_named(plug, tmp_path, loaded, words):
    plug(Point("dots", loaded))
    (tmp_path / "x.dots").write_text("..")
    with pytest.raises(FormatError, match=words):
        fp.read(tmp_path / "x.dots")


# Commands.


def test_formats_are_listed_with_examples():
    out, err = said(run("formats"))
    assert err == ""
    for one in FORMATS.values():
        assert f"\n{one.name}" in f"\n{out}" and one.help in out
    assert "<TAB>" in out
    out, _ = said(run("formats", "textgrid"))
    assert "--units seconds:0.1" in out and "``" not in out
    done = run("formats", "nope")
    assert done.returncode == 1 and "no format 'nope'" in said(done)[1]


def test_the_page_of_formats_is_the_registry():
    page = DOCS.read_text(encoding="utf-8")
    sections = page.partition("checked by the tests -->\n\n")[2]
    assert sections == markdown() + "\n"


def test_convert_writes_what_the_ending_says(tmp_path):
    out = tmp_path / "talk.json.gz"
    done = run("convert", "talk.TextGrid", out, "--units", "words:words", "--tiers", "coders")
    assert said(done) == (f"written: {out} (1 text, 3 coders, 5 cuts; units words)\n", "")
    assert json.loads(gzip.decompress(out.read_bytes()))["talk"]["björn"] == [2, 1, 3]
    table = tmp_path / "talk.csv"
    assert run("convert", "dialogue.txt", table).returncode == 0
    assert fp.read(table).entries == fp.read(SAMPLES / "dialogue.txt").entries
    assert run("convert", "masses.json", tmp_path / "x", "--to", "units").returncode == 0
    assert (tmp_path / "x").read_text(encoding="utf-8").startswith("text,unit,anna,björn\n")
    done = run("convert", "-", tmp_path / "y.tsv", stdin=gzip.compress(b'{"a": [3, 4]}'))
    assert (tmp_path / "y.tsv").read_text() == "text\tcoder\tmasses\na\t1\t3\t4\n", said(done)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nope.json", "x.json"], 1, "nope.json cannot be read"),
        (["masses.json", "x.docx"], 1, "the ending names no format; give one of json"),
        (["masses.json", "masses.json"], 2, "would overwrite the input"),
        (["masses.json", "x.TextGrid"], 1, "textgrid cannot be written"),
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
    assert done.returncode == 1 and "system: not JSON" in said(done)[1]


def test_choices_are_in_the_signature_and_read_back():
    found = rows("marks.jsonl", "-i", "probabilities.jsonl", "--threshold", "0.5", "--flags",
                 "last", "--hyp-field", "probs", "-m", "pk")  # fmt: skip
    assert "|threshold:0.5|" in found[0]["signature"]
    assert parse_signature(found[0]["signature"])[1]["threshold"] == "0.5"
    for arguments, words in (
        (("chunks.json", "-i", "chunks.json"), "|overlap:start|"),
        (("chunks.json", "-i", "chunks.json", "--overlap", "end"), "|overlap:end|"),
        (("film.srt", "-i", "film.srt", "--levels", "1"), "|levels:1|"),
        (("talk.eaf", "-i", "talk.eaf", "--units", "seconds:0.1", "--gaps", "join", "--ref-field",
          "anna", "--hyp-field", "anna"), "|units:0.1s|gaps:join|"),
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
    assert done.returncode == 1 and "give --threshold 0.5" in said(done)[1]
    # Sizes on one side are none of its business.
    assert (
        rows("marks.jsonl", "-i", "marks.jsonl", "--threshold", "0.5", "-m", "pk")[0]["value"] >= 0
    )


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
