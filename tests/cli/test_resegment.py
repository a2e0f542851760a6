"""fencepost resegment as a user runs it: what it prints and writes, and every way to go wrong."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

import fencepost as fp
import support
from fencepost._version import VERSION
from fencepost.streams import resegmentation
from fencepost.streams.alignment import align
from fencepost.streams.inputs import read_references, read_streams
from fencepost.streams.scoring import score_stream
from support import csv_rows, parts_of, signatures_in

# Table 4 of Matusov et al. (2005).
FIRST = """\
that only leaves me
to invite Mister Barroso
but as soon as possible
they put to us
a motion on whether Parliament
"""
SECOND = """\
the only thing left for me to do
is to invite Mr Barroso
but as soon as possible
a proposal
on which the Parliament
"""
FOUND = """\
I can only but that
as soon as possible invite Mister Barroso
but that as soon as possible we propose
a proposal
on which Parliament
"""
MANUAL = """\
I can only but that as soon as possible
invite Mister Barroso
but that as soon as possible
we propose
a proposal on which Parliament
"""
REFS = list(zip(FIRST.splitlines(), SECOND.splitlines(), strict=True))
BOTH = ("ref1.txt", "ref2.txt")
READ = "ties:rwth|tok:words|case:fold|punct:keep|norm:nfkc|refs:2"
AS_WER = f"as_wer|{READ}|fencepost:{VERSION}"
BLEU = f"bleu|tokenize:13a|lowercase:no|smooth_method:exp|{READ}|fencepost:{VERSION}"
THEIRS = f"BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:{sacrebleu.__version__}"


FINGERPRINTS = "data: references b64834e0, hyp 6d86f11a"


def run(*words, **settings):
    return support.run("resegment", *words, env={"COLUMNS": "80"}, **settings)


def ok(*words, **settings):
    return support.ok("resegment", *words, env={"COLUMNS": "80"}, **settings)


def refused(code, *words, **settings):
    return support.refused(code, "resegment", *words, env={"COLUMNS": "80"}, **settings)


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "ref1.txt": FIRST,
        "ref2.txt": SECOND,
        "hyp.txt": " ".join(FOUND.split()) + "\n",
        "manual.txt": MANUAL,
        "found.txt": FOUND,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def put(tmp_path):
    """Write files into the folder: name with _ for the dot, and content."""

    def write(**files):
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            (tmp_path / ".".join(name.rsplit("_", 1))).write_bytes(data)
        return tmp_path

    return write


def as_wer(out):
    """What the line of AS-WER says: percent, edits, words; its interval may stand between."""
    line = r"^AS-WER +(\S+) +(?:±\S+ +|\[[^]]+\] +)?(\d+) edits? / (\d+) words"
    found = re.search(line, out, re.MULTILINE)
    return found[1], int(found[2]), int(found[3])


def written(folder, name="out.txt"):
    return (folder / name).read_text(encoding="utf-8")


# What a person sees.


SEGMENTS = """\

segment  edits  hypothesis | reference chosen
      1    4/4  I can only but that | that only leaves me
      2    4/4  as soon as possible invite M… | to invite Mister Barroso
      3    3/5  but that as soon as possible… | but as soon as possible
      5    1/4  on which Parliament | on which the Parliament
1 other segment: -o FILE, or --csv --table segments
2 of 4 boundaries are certain; boundary 1 could equally well be after words 6 to
8, boundary 3 could equally well be after words 18 or 19
"""


def test_the_whole_output_on_table_4(folder):
    words = ("-m", "bleu", "-o", "out.txt", "--no-intervals")
    out = ok(*BOTH, "-i", "hyp.txt", *words, cwd=folder)
    assert out == (
        "ref1.txt, ref2.txt: plain text, one segment per line\n"
        "hyp.txt: plain text, one stream of words\n"
        "1 document, 5 segments, 2 references; 25 words in, 25 out, 0 empty segments\n"
        "\n"
        "AS-WER   63.16   12 edits / 19 words of the references chosen\n"
        "BLEU     24.86   60.0/35.0/20.0/9.1, BP 1.000\n"
        f"{SEGMENTS}{AS_WER}\n{BLEU}\n{THEIRS}\n{FINGERPRINTS}\n"
        "written: out.txt (5 lines, in the order of the references)\n"
    )
    assert written(folder) == FOUND


def test_the_whole_output_with_intervals(folder):
    out = ok(*BOTH, "-i", "hyp.txt", "-m", "bleu", cwd=folder)
    signed = f"|bs:t,1000|seed:12345|fencepost:{VERSION}"
    assert out == (
        "ref1.txt, ref2.txt: plain text, one segment per line\n"
        "hyp.txt: plain text, one stream of words\n"
        "1 document, 5 segments, 2 references; 25 words in, 25 out, 0 empty segments\n"
        "\n"
        "AS-WER   63.16  ±48.06 12 edits / 19 words of the references chosen\n"
        "BLEU     24.86  ±24.02 60.0/35.0/20.0/9.1, BP 1.000\n"
        "± half of the 95% interval over segments\n"
        f"{SEGMENTS}"
        f"{AS_WER.replace(f'|fencepost:{VERSION}', signed)}\n"
        f"{BLEU.replace(f'|fencepost:{VERSION}', signed)}\n{THEIRS}\n"
        f"{FINGERPRINTS}\n"
        "note: one document: intervals are over its segments, as if each stood alone\n"
        "note: 5 segments are few to resample: take the intervals as rough\n"
    )


def test_own_lines_are_scored_beside_what_was_found(folder):
    out = ok(*BOTH, "-i", "manual.txt", "-m", "per", "nist", "--no-intervals", cwd=folder)
    found = fp.resegment(REFS, MANUAL.splitlines())
    for title, metric, scale in (
        ("AS-WER", "as_wer", 100),
        ("WER, own lines", "wer:segments=given", 100),
        ("PER", "per", 100),
        ("PER, own lines", "per:segments=given", 100),
        ("NIST", "nist", 1),
        ("NIST, own lines", "nist:segments=given", 1),
    ):
        value = f"{scale * score_stream(found, metric).value:.2f}"
        assert re.search(rf"^{title} +{re.escape(value)}( |$)", out, re.MULTILINE)
    assert re.search(r"^segmentation ER +56\.00$", out, re.MULTILINE)
    assert f"segmentation_error_rate|{READ}|fencepost:{VERSION}" in signatures_in(out)


def test_metrics_have_their_name_with_and_without_as(folder):
    plain = ok(*BOTH, "-i", "hyp.txt", "-m", "bleu", "as_wer", cwd=folder)
    assert ok(*BOTH, "-i", "hyp.txt", "-m", "AS-BLEU", "AS-WER", cwd=folder) == plain
    assert plain.count("AS-WER ") == 1
    # Of its own: every segment takes the reference of the lowest rate, not of the fewest edits.
    both = ok(*BOTH, "-i", "hyp.txt", "-m", "wer", "-q", cwd=folder)
    assert re.findall(r"^(AS-WER|WER) ", both, re.M) == ["AS-WER", "WER"]


@pytest.mark.parametrize(("metric", "title"), [("chrf", "chrF"), ("ter", "TER")])
def test_sacrebleu_signs_its_metrics(folder, metric, title):
    out = ok(*BOTH, "-i", "hyp.txt", "-m", metric, "--no-intervals", cwd=folder)
    score = score_stream(fp.resegment(REFS, " ".join(FOUND.split())), metric)
    assert re.search(rf"^{title} +{score.value:.2f}$", out, re.MULTILINE)
    theirs = {"chrf": sacrebleu.CHRF, "ter": sacrebleu.TER}[metric]()
    expected = theirs.corpus_score(FOUND.splitlines(), [FIRST.splitlines(), SECOND.splitlines()])
    assert score.value == expected.score
    assert f"\n{score.signature}\n{expected.name}|{theirs.get_signature()}\n" in out


def grid(out):
    """The values of a table with systems as columns, by the title of the metric."""
    lines = out.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    rows = {"": lines[0].split()}
    for line in lines[1:]:
        title, *cells = re.split(r"\s{2,}", line)
        rows[title.strip(" ↓↑")] = [cell.split()[0] for cell in cells]
    return rows


def test_several_systems_make_one_table(folder):
    words = ("-m", "per", "bleu", "nist", "--no-intervals")
    out = ok(*BOTH, "-i", "hyp.txt", "manual.txt", *words, cwd=folder)
    first, _, rest = out.partition("\n\n")
    assert first.splitlines() == [
        "ref1.txt, ref2.txt: plain text, one segment per line",
        "hyp.txt, manual.txt: plain text, one stream of words",
        "1 document, 5 segments, 2 references; 2 systems",
    ]
    rows = grid(out)
    assert rows[""] == ["hyp", "manual"]
    assert rows["AS-WER"] == ["63.16", "63.16"]
    assert rows["segmentation ER"] == ["–", "56.00"]
    assert "\ncertain boundaries: hyp 2 of 4, manual 2 of 4\n" in out
    metrics = ["wer:segments=given", "per", "bleu", "nist"]
    scores = fp.score_streams(REFS, {"manual": MANUAL.splitlines()}, metrics=metrics)
    for title, metric in (("WER", "wer"), ("PER", "per"), ("BLEU", "bleu"), ("NIST", "nist")):
        row = scores.where(metric=metric, segments="given")[0]
        assert rows[f"{title}, own lines"] == ["–", f"{row['value']:.2f}"]
    assert all(len(line) <= 80 for line in rest.splitlines() if "|" not in line)
    assert AS_WER in signatures_in(out)


def test_whole_documents_and_chopping_for_contrast(folder):
    words = ("-m", "bleu", "--document", "--chop", "--no-intervals")
    out = ok(*BOTH, "-i", "hyp.txt", *words, cwd=folder)
    found = fp.resegment(REFS, " ".join(FOUND.split()))
    for metric, scale in (("wer", 100), ("bleu", 1)):
        for on in ("document", "chopped"):
            value = f"{scale * score_stream(found, f'{metric}:segments={on}').value:.2f}"
            title = f"{metric.upper()}, {'documents' if on == 'document' else on}"
            assert re.search(rf"^{title} +{re.escape(value)}( |$)", out, re.MULTILINE)
    starts = [one.partition("|ties:")[0] for one in signatures_in(out)]
    assert {"wer|reading:rate|segments:document", "wer|reading:rate|segments:chopped"} <= {*starts}


def test_own_boundaries_are_scored_by_metrics_of_segmentations(folder):
    out = ok(*BOTH, "-i", "manual.txt", "-m", "windowdiff", "B", "bleu", cwd=folder)
    found, own = fp.resegment(REFS, MANUAL.splitlines()).segmentations()
    scores = fp.score(found, {"manual": own}, metrics=["windowdiff", "B"], baselines=False)
    part = out.partition("own boundaries against the references' boundaries\n")[2]
    for title, row in zip(("WindowDiff", "B"), scores, strict=True):
        assert re.search(rf"^manual +{title} +{row['value']:.3f}$", part, re.MULTILINE)
        assert {*row["signature"].split("|")} in [{*one.split("|")} for one in signatures_in(part)]
    assert re.search(r"^BLEU +24\.86 ", out, re.MULTILINE)


def test_what_is_uncertain_is_said_with_the_range(put):
    folder = put(ref1_txt="the cat sat\non the mat\n", ref2_txt="a cat sat down\nupon the mat\n",
                 hyp_txt="the cat sat down on a mat\n")  # fmt: skip
    out = ok(*BOTH, "-i", "hyp.txt", cwd=folder)
    assert as_wer(out) == ("33.33", 2, 6)
    said = "0 of 1 boundary are certain; boundary 1 could equally well be after word 3"
    assert f"\n{said}\n" in out
    assert "\nAS-WER over all optima: 28.57 to 33.33\n" in out
    quiet = ok(*BOTH, "-i", "hyp.txt", "--no-ambiguity", cwd=folder)
    assert "certain" not in quiet
    assert "optima" not in quiet
    assert as_wer(quiet) == as_wer(out)


def test_empty_lines_of_references_are_counted_aloud(put):
    folder = put(ref1_txt="a b\n\n\nc\n", ref2_txt="a\nx\n\nc\n", hyp_txt="a b c\n")
    out = ok(*BOTH, "-i", "hyp.txt", cwd=folder)
    first = "1 document, 4 segments, 1 to 2 references; 3 words in, 3 out, 2 empty segments"
    assert out.splitlines()[2] == first
    assert "note: 1 of 4 segments lack some reference" in out
    assert "note: 1 of 4 segments are empty in all references" in out
    assert as_wer(out)[1:] == (1, 4)
    assert "|refs:1-2|" in out


# Other forms.


def no_nan(name):
    raise AssertionError(name)


def test_json_has_everything(folder):
    words = ("-m", "bleu", "B", "wer:segments=given", "seger", "--json")
    out = ok(*BOTH, "-i", "hyp.txt", "manual.txt", *words, cwd=folder)
    data = json.loads(out, parse_constant=no_nan)
    assert data["schema"] == 1
    expected = fp.score_streams(
        REFS, {"hyp": " ".join(FOUND.split()), "manual": MANUAL.splitlines()},
        metrics=["as_wer", "bleu", "wer:segments=given", "segmentation_error_rate"],
    )  # fmt: skip
    assert data["rows"] == expected.plain()["rows"]
    one = data["systems"]["hyp"]
    assert (one["distance"], one["reference_words"], one["as_wer"]) == (12, 19, 100 * (12 / 19))
    assert (one["words_in"], one["words_out"], one["empty_segments"]) == (25, 25, 0)
    assert [s["hypothesis"] for s in one["segments"]] == FOUND.splitlines()
    assert [s["chosen"] for s in one["segments"]] == [1, 1, 1, 2, 2]
    assert (one["certain_boundaries"], one["as_wer_range"]) == (2, [100 * (12 / 19)] * 2)
    places = [row["positions"] for row in data["ambiguity"] if row["system"] == "hyp"]
    assert places == ["5 6 7 8", "12", "18 19 20", "22"]
    assert {row["system"] for row in data["boundaries"]} == {"hyp", "manual"}
    quiet = json.loads(ok(*BOTH, "-i", "hyp.txt", "--json", "--no-ambiguity", cwd=folder))
    assert "ambiguity" not in quiet
    assert "as_wer_range" not in quiet["systems"]["hyp"]


@pytest.mark.parametrize(("ref", "hyp"), [("\n\n", "a\n"), ("\n\n", ""), ("a\n\n", "")])
def test_json_has_null_for_what_is_undefined(put, ref, hyp):
    folder = put(ref_txt=ref, hyp_txt=hyp)
    done = run("ref.txt", "-i", "hyp.txt", "-m", "per", "nist", "bleu", "--document", "--chop",
               "--json", cwd=folder)  # fmt: skip
    assert done.returncode == 0
    data = json.loads(done.stdout, parse_constant=no_nan)
    value = data["systems"]["hyp"]["as_wer"]
    assert value == (100.0 if ref.strip() else None)
    assert data["rows"][0]["value"] == value
    assert data["notes"]


def test_csv_is_one_tidy_table(folder):
    words = ("-i", "manual.txt", "found.txt", "--no-intervals", "--csv")

    def rows_of(*more):
        """The tables say which metrics disagree; nothing else stands beside them."""
        done = run(*BOTH, *words, *more, cwd=folder)
        assert done.returncode == 0
        note = r"(fencepost: note: the metrics disagree about the best system: [^\n]+\n)?"
        assert re.fullmatch(note, done.stderr)
        return csv_rows(done.stdout)

    rows = rows_of("-m", "bleu")
    assert [r["system"] for r in rows] == ["manual"] * 5 + ["found"] * 5
    assert float(rows[0]["value"]) == 100 * (12 / 19)
    assert {r["metric"]: r["unit"] for r in rows} == {
        "as_wer": "%", "bleu": "", "wer": "%", "segmentation_error_rate": "%",
    }  # fmt: skip
    assert rows == rows_of("-m", "bleu", "--table", "scores")
    rows = rows_of("--table", "ambiguity")
    assert [(r["after_segment"], r["position"], r["positions"], r["count"]) for r in rows[:4]] == [
        ("1", "5", "5 6 7 8", "4"),
        ("2", "12", "12", "1"),
        ("3", "20", "18 19 20", "3"),
        ("4", "22", "22", "1"),
    ]
    rows = rows_of("-m", "B", "--table", "boundaries")
    assert [(r["system"], r["metric"]) for r in rows] == [
        ("manual", "boundary_similarity"),
        ("found", "boundary_similarity"),
    ]
    assert float(rows[1]["value"]) == 1.0
    rows = rows_of("--table", "segments")[:5]
    assert {r["system"] for r in rows} == {"manual"}
    assert [" ".join(r["hypothesis"].split()) for r in rows] == FOUND.splitlines()
    assert [r["reference"] for r in rows] == [
        REFS[0][0], REFS[1][0], REFS[2][0], REFS[3][1], REFS[4][1],
    ]  # fmt: skip
    assert [r["edits"] for r in rows] == ["4", "4", "3", "0", "1"]


def test_markdown_and_latex(folder):
    out = ok(*BOTH, "-i", "hyp.txt", "--markdown", "--no-intervals", cwd=folder)
    assert out.splitlines()[:3] == ["| system | AS-WER ↓ |", "|---|---:|", "| hyp | 63.16 |"]
    assert f"`{AS_WER}`  " in out.splitlines()
    out = ok(*BOTH, "-i", "hyp.txt", "--latex", "--no-intervals", cwd=folder)
    assert out.startswith("% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n")
    assert f"% {AS_WER}" in out.splitlines()


# Files written.


def test_json_lines_have_offsets_into_the_stream(folder):
    out = ok(*BOTH, "-i", "manual.txt", "-o", "out.jsonl", cwd=folder)
    assert out.endswith("written: out.jsonl (5 lines, in the order of the references)\n")
    rows = [json.loads(line) for line in written(folder, "out.jsonl").splitlines()]
    text = MANUAL.rstrip("\n")
    assert [text[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]
    assert [" ".join(row["text"].split()) for row in rows] == FOUND.splitlines()
    assert [(row["first_token"], row["last_token"]) for row in rows] == [
        (0, 5), (5, 12), (12, 20), (20, 22), (22, 25),
    ]  # fmt: skip


def test_what_is_written_is_said_on_stderr_beside_other_forms(folder):
    done = run(*BOTH, "-i", "hyp.txt", "-o", "out.txt", "--json", cwd=folder)
    assert done.returncode == 0
    json.loads(done.stdout)
    assert done.stderr == "written: out.txt (5 lines, in the order of the references)\n"
    assert written(folder) == FOUND


def test_spacing_and_spelling_stay(put):
    folder = put(ref_txt="hello there\nwhat now\n", hyp_txt="HELLO,   There!\t «What\u00a0now?»\n")
    ok("ref.txt", "-i", "hyp.txt", "--punctuation", "remove", "-o", "out.txt", cwd=folder)
    assert written(folder) == "HELLO,   There!\n«What\u00a0now?»\n"


TALK = {
    "ref_txt": "a b\nc d e f\n",
    "seg_yaml": "- {wav: t.wav, offset: 1, duration: 2}\n- {wav: t.wav, offset: 3, duration: 4}\n",
    "hyp_log": json.dumps(
        {
            "prediction": "a b c d e",
            "source": ["x/t.wav"],
            "delays": [2000, 2500, 4000, 5000, 8000],
            "elapsed": [2100, 2600, 4100, 5100, 8100],
        }
    ),
}


@pytest.mark.slow
def test_omnisteval_scores_what_is_written_for_it(put):
    folder = put(**TALK)
    out = ok("ref.txt", "--segments", "seg.yaml", "-i", "hyp.log", "--omnisteval", "o.jsonl",
             "-o", "out.jsonl", cwd=folder)  # fmt: skip
    assert as_wer(out) == ("16.67", 1, 6)
    assert "written: o.jsonl (2 lines" in out
    assert "written: out.jsonl (2 lines" in out
    rows = [json.loads(line) for line in written(folder, "o.jsonl").splitlines()]
    assert [row["delays"] for row in rows] == [[1000, 1500], [1000, 2000, 5000]]
    times = [json.loads(line) for line in written(folder, "out.jsonl").splitlines()]
    assert [(row["start_time"], row["end_time"]) for row in times] == [(1, 3), (3, 7)]
    done = subprocess.run(
        [sys.executable, "-c", "from omnisteval.cli import main; main()", "longform",
         "--resegmented_hypothesis", "o.jsonl", "--word_level", "--output_folder", "scores"],
        capture_output=True, text=True, timeout=120, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    scores = dict(row.split("\t") for row in written(folder, "scores/scores.tsv").splitlines())
    # By hand: a word's lag is its delay less the time at which an even speaker would have said
    # it, and words come every 2000/2 and 4000/4 ms.
    first = (1000 + (1500 - 1000)) / 2
    second = (1000 + (2000 - 1000) + (5000 - 2000)) / 3
    assert float(scores["LongYAAL (CU)"]) == pytest.approx((first + second) / 2, abs=5e-5)


# Documents.


def test_documents_by_id_in_any_order(put):
    folder = put(ref_txt="a b\nx y\nc d\nz\n", ids_txt="p\nq\np\nq\n",
                 hyp_txt="x y z\na b\nc d\n", hids_txt="q\np\np\n")  # fmt: skip
    out = ok("ref.txt", "-i", "hyp.txt", "--docids", "ids.txt", "--hyp-docids", "hids.txt",
             "-o", "out.txt", cwd=folder)  # fmt: skip
    assert out.startswith(
        "ref.txt: plain text, one segment per line\n"
        "hyp.txt: plain text, documents by ids of lines\n"
        "2 documents, 4 segments, 1 reference; 7 words in, 7 out"
    )
    assert as_wer(out) == ("0.00", 0, 7)
    # In the order of the references' lines, which is not that of the documents.
    assert written(folder) == "a b\nx y\nc d\nz\n"
    # One line a document, in their order, needs no ids.
    put(hyp_txt="a b c d\nx y z\n")
    assert as_wer(ok("ref.txt", "-i", "hyp.txt", "--docids", "ids.txt", cwd=folder))[1] == 0


def test_a_document_on_one_side_only(put):
    folder = put(ref_txt="a b\nx y\n", ids_txt="p\nq\n", hyp_txt="a b\n", hids_txt="p\n",
                 more_txt="p\nr\n", hyp2_txt="a b\nx y\n")  # fmt: skip
    words = ("ref.txt", "--docids", "ids.txt")
    said = refused(1, *words, "-i", "hyp.txt", "--hyp-docids", "hids.txt", cwd=folder)
    assert said == (
        "hyp.txt lacks 1 of the 2 documents of ref.txt (q). Skip them with --missing skip, or "
        "count them as empty with --missing whole"
    )
    out = ok(*words, "-i", "hyp.txt", "--hyp-docids", "hids.txt", "--missing", "whole", cwd=folder)
    assert as_wer(out) == ("50.00", 2, 4)
    out = ok(*words, "-i", "hyp.txt", "--hyp-docids", "hids.txt", "--missing", "skip", cwd=folder)
    first = out.splitlines()[2]
    assert first.startswith("1 document, 1 segment, 1 reference; 2 words in, 2 out")
    assert as_wer(out) == ("0.00", 0, 2)
    assert "skipped 1 of 2 documents that hyp.txt lacks (q)" in out
    said = refused(1, *words, "-i", "hyp2.txt", "--hyp-docids", "more.txt", cwd=folder)
    assert "lacks 1 of the 2 documents of ref.txt (q)" in said
    assert "has 1 document that ref.txt lacks (r)" in said
    said = refused(1, *words, "-i", "hyp.txt", cwd=folder)
    assert said.startswith("hyp.txt has 1 line, ref.txt 2 documents.")
    said = refused(1, "ref.txt", "--docids", "hids.txt", "-i", "hyp.txt", cwd=folder)
    assert said == "hids.txt has 1 lines, ref.txt 2: each line needs the id of its document"


def test_systems_are_compared_on_the_documents_that_all_have(put):
    folder = put(ref_stm="p 1 s 0 1 a b\nq 1 s 0 1 x y\n", one_ctm="p 1 0 1 a\n",
                 two_ctm="p 1 0 1 b\nq 1 0 1 x\nr 1 0 1 z\n")  # fmt: skip
    words = ("ref.stm", "-i", "one.ctm", "two.ctm", "--missing", "skip")
    rows = csv_rows(run(*words, "--csv", "--table", "segments", cwd=folder).stdout)
    assert [(row["system"], row["document"]) for row in rows] == [("one", "p"), ("two", "p")]
    out = ok(*words, cwd=folder)
    assert "skipped 1 of 2 documents that one.ctm lacks (q)" in out
    assert "skipped 1 document of two.ctm that ref.stm lacks (r)" in out


# People's judgements.


@pytest.fixture
def judged(put):
    return put(
        ref_txt="a b c d\ne f g h\n",
        s1_txt="a b c d e f g h\n",
        s2_txt="a b c d e f x y\n",
        s3_txt="a b x y e z z z\n",
        s4_txt="z z z z z z z z\n",
        human_csv="system,adequacy,fluency\ns1,4,1\ns2,3,2\ns3,2,3\ns4,1,4\n",
    )


SYSTEMS = ("-i", "s1.txt", "s2.txt", "s3.txt", "s4.txt")


FEW = "fencepost: note: 4 systems: correlations are rough\n"


def test_measures_are_correlated_with_people(judged):
    out = ok("ref.txt", *SYSTEMS, "--human", "human.csv", cwd=judged)
    lines = out.splitlines()
    assert any(re.match(r"AS-WER +adequacy +kendall +1\.000 ", line) for line in lines)
    assert any(re.match(r"AS-WER +fluency +kendall +-1\.000 ", line) for line in lines)
    words = ("--human", "human.csv", "--csv", "--table", "correlation", "--no-intervals")
    done = run("ref.txt", *SYSTEMS, *words, cwd=judged)
    assert (done.returncode, done.stderr) == (0, FEW)
    rows = csv_rows(done.stdout)
    assert {(r["measure"], r["judgement"], r["coefficient"]) for r in rows} == {
        ("AS-WER", question, name)
        for question in ("adequacy", "fluency")
        for name in ("pearson", "kendall")
    }
    data = json.loads(ok("ref.txt", *SYSTEMS, "--human", "human.csv", "--json", cwd=judged))
    assert len(data["correlation"]) == 4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("system,adequacy\ns1,4\ns2,3\n", "human.csv has no judgement of s3, s4"),
        ("name,adequacy\ns1,4\n", "human.csv: the first line must name the columns system,adequ"),
        ("", "human.csv: the first line must name the columns system,adequacy,..."),
        ("system,a\ns1,4\ns2,x\ns3,1\ns4,2\n", "human.csv: a judgement is not a number"),
        ("system,a\ns1,4\ns2\ns3,1\ns4,2\n", "human.csv: a judgement is not a number"),
        (b"system,a\ns1,\xff\n", "human.csv cannot be read: not a CSV in UTF-8"),
    ],
)
def test_judgements_that_are_none(judged, put, content, sentence):
    put(human_csv=content)
    words = ("--human", "human.csv", "--csv", "--table", "correlation")
    assert refused(2, "ref.txt", *SYSTEMS, *words, cwd=judged).startswith(sentence)


# Settings.


def test_ties_decide_where_boundaries_stand(folder):
    places = {}
    for ties in ("rwth", "earliest", "latest"):
        words = ("--ties", ties, "--csv", "--table", "ambiguity", "--no-intervals")
        places[ties] = [
            int(row["position"]) for row in csv_rows(ok(*BOTH, "-i", "hyp.txt", *words, cwd=folder))
        ]
    assert places["rwth"] == [5, 12, 20, 22]
    for ties in ("earliest", "latest"):
        found = fp.resegment(REFS, " ".join(FOUND.split()), ties=ties)
        assert places[ties] == found.boundaries
    out = ok(*BOTH, "-i", "hyp.txt", "--ties", "latest", cwd=folder)
    assert "as_wer|ties:latest|" in out


def test_own_breaks_can_be_preferred(folder, put):
    # Every line ends at an optimal place.
    lines = (
        "I can only but that as soon\n"
        "as possible invite Mister Barroso\n"
        "but that as soon as possible\n"
        "we propose a proposal\n"
        "on which Parliament\n"
    )
    put(own_txt=lines)
    plain = ok(*BOTH, "-i", "own.txt", cwd=folder)
    out = ok(*BOTH, "-i", "own.txt", "--prefer", "breaks", "-o", "out.txt", cwd=folder)
    assert as_wer(out) == as_wer(plain) == ("63.16", 12, 19)
    (signature,) = [one for one in signatures_in(out) if one.startswith("as_wer|")]
    assert {"ties:rwth", "prefer:breaks"} <= parts_of(signature)
    assert written(folder) == lines
    assert re.search(r"^segmentation ER +0\.00$", out, re.MULTILINE)


def test_costs(put):
    folder = put(ref_txt="a b\nc\n", hyp_txt="a x c\n")
    out = ok("ref.txt", "-i", "hyp.txt", "--costs", "5", "1", "1", cwd=folder)
    assert as_wer(out) == ("66.67", 2, 3)
    assert "|costs:5,1,1|" in out
    # A substitution costs as much as a word missing and one too many.
    assert as_wer(ok("ref.txt", "-i", "hyp.txt", "--costs", "2", "1", "1", cwd=folder))[1] == 2
    assert as_wer(ok("ref.txt", "-i", "hyp.txt", cwd=folder)) == ("33.33", 1, 3)


def test_old_numbers(put):
    folder = put(ref_txt="a b\nc d\n", hyp_txt="c d\n")
    out = ok("ref.txt", "-i", "hyp.txt", "-o", "out.txt", cwd=folder)
    assert as_wer(out) == ("50.00", 2, 4)
    assert written(folder) == "\nc d\n"
    out = ok("ref.txt", "-i", "hyp.txt", "--like", "mwersegmenter", "-o", "out.txt", cwd=folder)
    assert as_wer(out) == ("75.00", 3, 4)
    assert written(folder) == "c\nd\n"
    assert "|like:mwersegmenter|" in out


@pytest.mark.parametrize(
    ("words", "edits", "total", "field"),
    [
        ((), 0, 4, "case:fold|punct:remove"),
        (("--punctuation", "keep"), 2, 6, "case:fold|punct:keep"),
        (("--case", "keep", "--punctuation", "keep"), 3, 6, "case:keep|punct:keep"),
        (("--punctuation", "remove"), 0, 4, "case:fold|punct:remove"),
        (("--tokenizer", "whitespace", "--punctuation", "keep"), 2, 4, "tok:whitespace|case:fold"),
        (("--tokenizer", "whitespace", "--punctuation", "remove"), 0, 4, "punct:remove"),
        (("--tokenizer", "characters", "--punctuation", "keep"), 2, 19, "tok:characters"),
        (("--tokenizer", "13a", "--punctuation", "keep"), 2, 6, "tok:13a"),
    ],
)
def test_words_and_how_they_are_compared(put, words, edits, total, field):
    folder = put(ref_txt="Hello there!\nhow goes?\n", hyp_txt="hello there how goes\n")
    out = ok("ref.txt", "-i", "hyp.txt", *words, cwd=folder)
    assert as_wer(out)[1:] == (edits, total)
    assert field in out


# Bad input: one sentence, no traceback.

NEEDED = "references and a hypothesis are needed: fencepost resegment REF -i HYP, or --counts FILE"


@pytest.mark.parametrize(
    ("code", "words", "sentence"),
    [
        (1, ("none.txt", "-i", "hyp.txt"), "none.txt cannot be read: No such file or directory"),
        (1, ("ref1.txt", "-i", "none.txt"), "none.txt cannot be read: No such file or directory"),
        (1, ("ref1.txt", "-i", "."), ". cannot be read: Is a directory"),
        (2, ("ref1.txt",), NEEDED),
        (2, ("-i", "hyp.txt"), NEEDED),
        (2, ("ref1.txt", "-i", "hyp.txt", "-m", "windowdif"), 'no metric "windowdif"; did'),
        (2, ("ref1.txt", "-i", "hyp.txt", "--ties", "x"), "argument --ties: invalid choice: 'x'"),
        (2, ("ref1.txt", "-i", "hyp.txt", "--costs", "1", "1"), "argument --costs: expected 3"),
        (2, ("ref1.txt", "-i", "hyp.txt", "--table", "segments"), "--table goes with --csv"),
        (2, ("ref1.txt", "-i", "hyp.txt", "--csv", "--table", "correlation"), "--table correlation "
            "needs judgements: --human FILE"),
        (2, ("ref1.txt", "-i", "hyp.txt", "manual.txt", "-o", "x"), "-o and --omnisteval write one "
            "system: give one file after -i"),
        (2, ("ref1.txt", "-i", "hyp.txt", "hyp.txt"), "hyp.txt is given twice"),
        (2, ("ref1.txt", "-i", "hyp.txt", "--costs", "0", "1", "1"),
            "--costs: costs must be a whole number from 1 to 10,000, found 0"),
        (1, ("ref1.txt", "-i", "hyp.txt", "--tokenizer", "x"), 'no tokenizer "x"; there are words'),
        (2, ("ref1.txt", "-i", "hyp.txt", "-o", "no/x.txt"), "-o no/x.txt cannot be written"),
        (1, ("ref1.txt", "-i", "hyp.txt", "--docids", "none"), "none cannot be read: No such file"),
        (1, ("ref1.txt", "-i", "hyp.txt", "--segments", "none"), "none cannot be read: No such"),
    ],
)  # fmt: skip
def test_errors_are_one_sentence(folder, code, words, sentence):
    assert refused(code, *words, cwd=folder).startswith(sentence)


@pytest.mark.parametrize("target", ["ref1.txt", "ref2.txt", "./hyp.txt", "linked.txt"])
@pytest.mark.parametrize("option", ["-o", "--omnisteval"])
def test_no_input_is_overwritten(folder, target, option):
    (folder / "linked.txt").symlink_to(folder / "hyp.txt")
    said = refused(2, *BOTH, "-i", "hyp.txt", option, target, cwd=folder)
    named = "hyp.txt" if target == "linked.txt" else target.removeprefix("./")
    assert said == f"{option} would overwrite the input file {named}"
    assert written(folder, "ref1.txt") == FIRST
    assert written(folder, "hyp.txt") == " ".join(FOUND.split()) + "\n"


@pytest.mark.parametrize("side", ["ref", "hyp"])
def test_bytes_that_are_not_utf8(put, side):
    files = {"ref_txt": "a\nb\n", "hyp_txt": "a\nb\n"}
    folder = put(**{**files, f"{side}_txt": b"fine\nbad \xff\n"})
    said = refused(1, "ref.txt", "-i", "hyp.txt", cwd=folder)
    sentence = "not UTF-8 text: byte 0xff at offset 9; save the file as UTF-8"
    assert said == f"{side}.txt, line 2: {sentence}"


def test_references_of_different_length(put):
    folder = put(ref1_txt="a\nb\n", ref2_txt="a\nb\nsome more\n", hyp_txt="a b\n")
    said = refused(1, *BOTH, "-i", "hyp.txt", cwd=folder)
    assert said.startswith('ref1.txt has 2 segments, ref2.txt 3; ref2.txt, line 3: "some more" is')


def test_empty_files(put):
    folder = put(ref_txt="a b\nc\n", hyp_txt="", blank_txt="\n\n")
    assert refused(1, "hyp.txt", "-i", "ref.txt", cwd=folder) == (
        "hyp.txt is empty: it has no segments"
    )
    out = ok("ref.txt", "-i", "hyp.txt", "-m", "per", "nist", "bleu", "-o", "out.txt", cwd=folder)
    assert "0 words in, 0 out, 2 empty segments" in out
    assert as_wer(out) == ("100.00", 3, 3)
    assert "note: hyp.txt is empty: 0 words" in out
    assert written(folder) == "\n\n"
    out = ok("blank.txt", "-i", "ref.txt", "-o", "out.txt", cwd=folder)
    assert re.search(r"^AS-WER +– +undefined: no reference has a word$", out, re.MULTILINE)
    assert "note: 2 of 2 segments are empty in all references" in out
    assert written(folder).split() == ["a", "b", "c"]


def test_chinese_between_spaces_is_refused(put):
    folder = put(
        ref_txt="这是第一句话今天\n今天天气很好\n", hyp_txt="这是第一句话今天今天天气很好\n"
    )
    words = ("ref.txt", "-i", "hyp.txt")
    said = refused(1, *words, "--tokenizer", "whitespace", cwd=folder)
    assert said.endswith(
        "is 100% Han characters with almost no spaces, so whitespace finds 1 word. "
        "Use --tokenizer words."
    )
    assert as_wer(ok(*words, cwd=folder)) == ("0.00", 0, 14)


@pytest.mark.parametrize("mark", ["</s>", "<s>", "\0", "a\0b"])
def test_marks_of_other_tools_lose_no_words(put, mark):
    folder = put(ref_txt=f"one {mark} two\nthree\n", hyp_txt=f"one {mark} two three\n")
    out = ok("ref.txt", "-i", "hyp.txt", "-o", "out.txt", cwd=folder)
    assert as_wer(out)[0] == "0.00"
    assert written(folder) == f"one {mark} two\nthree\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("hyp.log", b'{"prediction": "a b", "delays": [1]}\n'),
        ("hyp.log", b'{"prediction": '),
        ("hyp.ctm", b"t 1 0 x word\n"),
        ("hyp.json", b"[1, 2"),
        ("hyp.xml", b"<mteval><refset"),
        ("hyp.tsv", b"a\tb\n1\n"),
        ("hyp.csv", b"a,b\n"),
        ("hyp.txt", b"\xff\xfea\0b\0"),
        ("hyp.txt", b"caf\xe9\n"),
        ("hyp.yaml", b"- {wav: a}\n"),
    ],
)
def test_damaged_files_are_named(folder, name, content):
    (folder / name).write_bytes(content)
    for words in ((*BOTH, "-i", name), (name, "-i", "manual.txt")):
        assert name in refused(1, *words, cwd=folder)


def test_damaged_times_are_named(put):
    folder = put(**{**TALK, "seg_yaml": "- {wav: t.wav, offset: x, duration: 2}\n" * 2})
    assert "seg.yaml" in refused(
        1, "ref.txt", "--segments", "seg.yaml", "-i", "hyp.log", cwd=folder
    )
    put(seg_yaml="- {wav: t.wav, offset: 1, duration: 2}\n")
    said = refused(1, "ref.txt", "--segments", "seg.yaml", "-i", "hyp.log", cwd=folder)
    assert said.startswith("seg.yaml has 1 segments, ref.txt 2 lines")


def test_help_names_every_table_and_metric():
    out = ok("--help")
    tables = ("scores", "documents", "comparisons", "rankings", "counts", "segments", "ambiguity",
              "boundaries", "correlation", "statistics")  # fmt: skip
    for word in (*tables, *support.WORD_METRICS):
        assert word in out
    assert Path(sys.executable).name not in out


def test_stdin(folder):
    assert as_wer(ok(*BOTH, "-i", "-", stdin=FOUND, cwd=folder)) == ("63.16", 12, 19)


@pytest.mark.parametrize(
    "option", ["--docids", "--hyp-docids", "--segments", "--source", "--human"]
)
def test_files_beside_are_not_overwritten(put, option):
    segs = "- {wav: p, offset: 0, duration: 1}\n- {wav: p, offset: 1, duration: 1}\n"
    content = {"--segments": segs, "--human": "system,a\nhyp,1\n"}.get(option, "p\np\n")
    folder = put(ref_txt="a\nb\n", hyp_txt="a\nb\n", side_yaml=content)
    more = ("--docids", "side.yaml") if option == "--hyp-docids" else ()
    run("ref.txt", "-i", "hyp.txt", *more, option, "side.yaml", "-o", "side.yaml", cwd=folder)
    assert written(folder, "side.yaml") == content


def test_two_outputs_in_one_file(put):
    folder = put(**TALK)
    refused(
        2,
        "ref.txt",
        "--segments",
        "seg.yaml",
        "-i",
        "hyp.log",
        "-o",
        "o.jsonl",
        "--omnisteval",
        "o.jsonl",
        cwd=folder,
    )


def test_correlation_knows_that_errors_are_bad(judged):
    words = ("--document", "--chop", "--human", "human.csv", "--csv", "--table", "correlation",
             "--no-intervals")  # fmt: skip
    done = run("ref.txt", *SYSTEMS, *words, cwd=judged)
    assert (done.returncode, done.stderr) == (0, FEW)
    rows = csv_rows(done.stdout)
    for row in rows:
        if row["judgement"] == "adequacy" and row["coefficient"] == "kendall":
            assert float(row["value"]) == pytest.approx(1, abs=0.3), row["measure"]


def test_correlation_where_one_system_has_lines(judged, put):
    put(s1_txt="a b c d\ne f g h\n")
    ok("ref.txt", *SYSTEMS, "--human", "human.csv", cwd=judged)


def test_human_with_one_system_is_not_ignored(judged):
    refused(2, "ref.txt", "-i", "s1.txt", "--human", "nowhere.csv", cwd=judged)


def test_boundaries_of_an_empty_hypothesis(put):
    folder = put(ref_txt="a\nb\n", hyp_txt="")
    done = run("ref.txt", "-i", "hyp.txt", "-m", "B", cwd=folder)
    assert (done.returncode == 0) == bool(done.stdout), done


def test_inner_empty_lines_of_a_file_are_segments(put):
    folder = put(hyp_txt="a\n\nc\n")
    for given in (read_streams(folder / "hyp.txt"), ["a", "", "c"]):
        found = fp.resegment(["a", "b", "c"], given)
        assert found.under("given").texts[0] == ["a", "", "c"]
        assert found.under("given").lengths.tolist() == [1, 0, 1]


def test_segments_of_all_systems(folder):
    words = ("--csv", "--table", "segments", "--no-intervals")
    rows = csv_rows(ok(*BOTH, "-i", "hyp.txt", "manual.txt", *words, cwd=folder))
    assert len(rows) == 10
    assert [row["system"] for row in rows] == ["hyp"] * 5 + ["manual"] * 5


def test_chinese_names_the_file(put):
    folder = put(
        ref_txt="这是第一句话今天\n今天天气很好\n", hyp_txt="这是第一句话今天今天天气很好\n"
    )
    assert refused(
        1, "ref.txt", "-i", "hyp.txt", "--tokenizer", "whitespace", cwd=folder
    ).startswith("hyp.txt is")


def test_documents_of_one_segment(put):
    folder = put(ref_txt="a\nb\n", ids_txt="p\nq\n", hyp_txt="a\nb\n")
    assert "\n1 segment: no boundary" not in ok(
        "ref.txt", "-i", "hyp.txt", "--docids", "ids.txt", cwd=folder
    )


# Several systems, documents, intervals and saved counts.


@pytest.fixture
def talks(put):
    """Six documents of two segments; one system with few errors, one with many."""
    refs, ids, a, b = [], [], [], []
    for d, word in enumerate(("one", "two", "three", "four", "five", "six")):
        refs += [f"the {word} cat sat here", f"on a {word} mat"]
        ids += [f"d{d}"] * 2
        a.append(f"the {word} cat sat here on a {word}" + " mat" * (d % 2))
        b.append(f"the cat was here on {word}" + " mats" * (d % 3))
    groups = "text,group\n" + "".join(f"d{d},g{min(d, 4)}\n" for d in range(6))
    return put(
        ref_txt="\n".join(refs) + "\n", ids_txt="\n".join(ids) + "\n", a_txt="\n".join(a) + "\n",
        b_txt="\n".join(b) + "\n", groups_csv=groups,
    )  # fmt: skip


TALKS = ("ref.txt", "--docids", "ids.txt")
TWO = (*TALKS, "-i", "a.txt", "b.txt")


def test_systems_stand_in_one_grid_with_intervals_over_documents(talks):
    out = ok(*TWO, cwd=talks)
    first, _, rest = out.partition("\n\n")
    assert first.splitlines() == [
        "ref.txt: plain text, one segment per line",
        "a.txt, b.txt: plain text, one document per line",
        "6 documents, 12 segments, 1 reference; 2 systems",
    ]
    assert re.search(r"^ +AS-WER ↓", rest, re.MULTILINE)
    assert "counts of all segments pooled" in rest
    assert "interval over documents" in rest
    table = fp.score_streams(
        read_references(talks / "ref.txt", docids=talks / "ids.txt"),
        {n: _read(talks, n) for n in "ab"},
        metrics="as_wer",
    )
    for row in table:
        assert re.search(rf"^{row['system']} +{row['value']:.2f}\b", rest, re.MULTILINE)
        assert str(row["signature"]) in out.splitlines()
    rows = csv_rows(run(*TWO, "--csv", cwd=talks).stdout)
    assert [(r["system"], r["unit"]) for r in rows] == [("a", "%"), ("b", "%")]
    for mine, row in zip(rows, table, strict=True):
        assert [float(mine[c]) for c in ("value", "low", "high")] == [
            row[c] for c in ("value", "low", "high")
        ]


def _read(folder, name):
    refs = read_references(folder / "ref.txt", docids=folder / "ids.txt")
    return read_streams(folder / f"{name}.txt", references=refs)


def test_documents_by_themselves(talks):
    words = (*TWO, "-m", "per", "--by", "document", "--no-intervals")
    out = ok(*words, cwd=talks)
    rows = [line.split() for line in out.splitlines() if re.match(r"d\d ", line)]
    assert [(row[0], row[1]) for row in rows] == [(f"d{d}", s) for d in range(6) for s in "ab"]
    refs = (talks / "ref.txt").read_text().splitlines()
    for document, system, segments, as_wer_value, per_value in rows:
        d = int(document[1])
        line = (talks / f"{system}.txt").read_text().splitlines()[d]
        alone = fp.resegment(refs[2 * d : 2 * d + 2], line)
        assert segments == "2"
        assert as_wer_value == f"{100 * alone.as_wer.value:.2f}"
        assert per_value == f"{100 * score_stream(alone, 'per').value:.2f}"
    done = run(*words, "--csv", cwd=talks)
    table = csv_rows(done.stdout)
    assert list(table[0]) == ["document", "system", "metric", "value", "unit", "n", "signature"]
    assert len(table) == 6 * 2 * 2
    assert {row["unit"] for row in table} == {"%"}
    assert table == csv_rows(run(*words, "--csv", "--table", "documents", cwd=talks).stdout)
    data = json.loads(ok(*words, "--json", cwd=talks))
    assert [row["value"] for row in data["documents"]] == [float(row["value"]) for row in table]
    one = ok(*TALKS, "-i", "a.txt", "--by", "document", "--no-intervals", cwd=talks)
    assert re.search(r"^document +segments +AS-WER$", one, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("gate", ["as_wer=30", "AS-WER=30"])
def test_gates(talks, gate):
    good = run(*TALKS, "-i", "a.txt", "--gate", gate, cwd=talks)
    assert (good.returncode, good.stderr) == (0, "")
    done = run(*TWO, "--gate", gate, cwd=talks)
    assert done.returncode == 3
    assert re.fullmatch(r"fencepost: gate: b has as_wer \d\d\.\d\d, above 30\n", done.stderr)
    assert done.stdout == ok(*TWO, cwd=talks)
    done = run(*TWO, "-m", "bleu", "--gate", "bleu=99", cwd=talks)
    assert done.returncode == 3
    assert done.stderr.count("below 99") == 2
    said = refused(2, *TWO, "--gate", "bleu=3", cwd=talks)
    assert said == "--gate names bleu, which is not scored: add it to -m"


def test_comparisons_of_systems(talks):
    words = (*TWO, "-m", "per", "--paired", "--adjust", "bh", "--resamples", "300")
    out = ok(*words, cwd=talks)
    assert re.search(r"^b +AS-WER +\+\d+\.\d\d ", out, re.MULTILINE)
    assert "against a; paired randomization over documents, all swaps;" in out
    rows = csv_rows(run(*words, "--csv", "--table", "comparisons", cwd=talks).stdout)
    refs = read_references(talks / "ref.txt", docids=talks / "ids.txt")
    table = fp.score_streams(
        refs, {n: _read(talks, n) for n in "ab"}, metrics=["as_wer", "per"],
        paired="randomization", adjust="bh", resamples=300,
    )  # fmt: skip
    for mine, row in zip(rows, table.part("comparisons"), strict=True):
        assert mine["signature"] == row["signature"]
        for column in ("difference", "low", "high", "p", "p_adjusted"):
            assert float(mine[column]) == row[column]
    other = ok(*TWO, "--baseline", "b", cwd=talks)
    assert re.search(r"^a +AS-WER +-\d+\.\d\d ", other, re.MULTILINE)
    every = csv_rows(run(*TWO, "--all-pairs", "--csv", "--table", "comparisons", cwd=talks).stdout)
    assert [(row["system"], row["against"]) for row in every] == [("b", "a")]
    said = refused(2, *TWO, "--adjust", "bh", cwd=talks)
    assert said.startswith("--adjust is about the p of comparisons: add --paired")
    said = refused(2, *TWO, "--csv", "--table", "comparisons", cwd=talks)
    assert said.startswith("--table comparisons: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("-m", "per", "bleu", "nist"),
        ("-m", "per", "--paired", "--adjust", "bh", "--resamples", "300", "--seed", "7"),
        ("--document", "--chop", "--method", "percentile", "--ties", "latest"),
    ],
)
def test_signatures_bring_a_table_back(talks, words):
    out = ok(*TWO, *words, cwd=talks)
    assert all("group:document" in parts_of(one) for one in signatures_in(out))
    assert ok(*TWO, "--signature", *signatures_in(out), cwd=talks) == out


def test_signatures_that_files_cannot_follow_are_refused(talks):
    signed = signatures_in(ok(*TWO, cwd=talks))
    two = ("ref.txt", "ref.txt", *TWO[1:])
    said = refused(1, *two, "--signature", *signed, cwd=talks)
    assert said.startswith("these files cannot be scored so: the signature says refs:1, they give ")
    said = refused(2, *TWO, "--case", "keep", "--signature", *signed, cwd=talks)
    assert said == "the signature says case:fold, --case says keep"
    said = refused(2, *TWO, "-m", "per", "--signature", *signed, cwd=talks)
    assert said == "--signature has the metric and its settings in it: remove -m"
    lines = "wer|reading:rate|segments:given"
    said = refused(2, *TWO, "--signature", lines, cwd=talks)
    assert said.endswith("the hypothesis has no line of its own for each segment of the references")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",), ("--markdown",), ("--latex",)])
def test_saved_counts_give_the_same_output(talks, form, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    more = ("--paired", "--by", "document", "--resamples", "300", *form)
    metrics = ("-m", "per", "bleu", "nist", "--document", "--chop", "--no-ambiguity")
    kept = f"counts.{ending}"
    done = run(*TWO, *metrics, *more, "--save", kept, "-q", cwd=talks)
    again = run("--counts", kept, *more, cwd=talks)
    assert (done.returncode, again.returncode) == (0, 0)
    assert again.stderr == done.stderr
    if form == ("--json",):
        first, second = json.loads(done.stdout), json.loads(again.stdout)
        about_words = {"systems", "statistics"}
        assert len(first["facts"].pop("reading_lines")) == 2
        assert set(first) - set(second) == about_words
        assert {k: v for k, v in first.items() if k not in about_words} == second
    elif form:  # counts do not know how the files were read
        lines = [line for line in done.stdout.splitlines() if ".txt: plain text" not in line]
        assert again.stdout.splitlines() == lines
    else:  # what was read is said in other words
        assert again.stdout.partition("\n")[0] == "6 documents, 12 segments, 2 systems"
        assert again.stdout.partition("\n")[2] == done.stdout.partition("\n")[2]
    for table in ("documents", "comparisons", "counts", "rankings"):
        of = [
            run(*words, "--paired", "--resamples", "300", "--csv", "--table", table, cwd=talks)
            for words in ((*TWO, *metrics), ("--counts", kept))
        ]
        assert of[0].returncode == of[1].returncode == 0
        if table != "counts" or ending == "csv":
            assert of[0].stdout == of[1].stdout


def test_saved_counts_of_groups(talks):
    out = ok(*TWO, "--group", "groups.csv", "--save", "counts.csv", "--csv", notes=True, cwd=talks)
    assert "|group:groups|" in out
    assert ok("--counts", "counts.csv", "--csv", notes=True, cwd=talks) == out
    # The gate holds for them, too.
    assert run("--counts", "counts.csv", "--gate", "as_wer=30", cwd=talks).returncode == 3
    assert run("--counts", "counts.csv", "--gate", "as_wer=90", cwd=talks).returncode == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("ref.txt",), "remove REF"),
        (("-i", "a.txt"), "remove -i"),
        (("-m", "per"), "remove -m"),
        (("-o", "x"), "remove -o"),
        (("--show", "2"), "remove --show"),
        (("--html", "x.html"), "remove --html"),
        (("--document",), "remove --document"),
        (("--csv", "--table", "segments"), "--table segments needs the words, which --counts"),
    ],
)
def test_counts_have_no_words(talks, words, sentence):
    ok(*TWO, "--save", "counts.csv", cwd=talks)
    assert sentence in refused(2, "--counts", "counts.csv", *words, cwd=talks)


def test_counts_of_words_and_of_segmentations_are_told_apart(talks):
    ok(*TWO, "--save", "counts.csv", cwd=talks)
    said = support.refused(2, "score", "--counts", "counts.csv", cwd=talks)
    assert said == "counts.csv has counts of words: fencepost resegment --counts counts.csv"
    two = (support.DATA / "gold.jsonl", "-i", support.DATA / "hasty.jsonl")
    support.ok("score", *two, "-m", "B", "--save", "other.csv", notes=True, cwd=talks)
    said = refused(2, "--counts", "other.csv", cwd=talks)
    assert said == "other.csv has counts of segmentations: fencepost score --counts other.csv"


def test_groups_of_documents(talks):
    out = ok(*TWO, "--group", "groups.csv", cwd=talks)
    assert "over groups" in out
    assert all("group:groups" in parts_of(one) for one in signatures_in(out))
    plain = ok(*TWO, "--group", "document", cwd=talks)
    assert plain == ok(*TWO, cwd=talks)
    (talks / "groups.csv").write_text("text,group\nd0,x\n")
    said = refused(2, *TWO, "--group", "groups.csv", cwd=talks)
    assert said == "no group is given for document d1; every document needs one"
    said = refused(2, *TWO, "--group", "nowhere.csv", cwd=talks)
    assert said.startswith("--group nowhere.csv: no such file; it is a CSV file with the columns")


def test_a_missing_document_of_one_of_two_systems(talks, put):
    lines = (talks / "b.txt").read_text().splitlines()
    put(b_txt="\n".join(lines[:5]) + "\n", hids_txt="\n".join(f"d{d}" for d in range(5)) + "\n")
    words = (*TALKS, "-i", "b.txt", "--hyp-docids", "hids.txt", "--by", "document")
    assert "b.txt lacks 1 of the 6 documents" in refused(1, *words, cwd=talks)
    out = ok(*words, "--missing", "whole", cwd=talks)
    assert re.search(r"^d5 +2 +100\.00$", out, re.MULTILINE)
    assert "|missing:whole|" in out
    # Left out on both sides: what is there has the same numbers.
    skipped = ok(*words, "--missing", "skip", cwd=talks)
    assert "d5" not in {line.split(" ")[0] for line in skipped.splitlines()}
    for d in range(5):
        (row,) = re.findall(rf"^d{d} .*$", out, re.MULTILINE)
        assert row in skipped.splitlines()
    assert "|missing:skip|" in skipped
    assert "note: " in skipped


def test_systems_with_and_without_lines_and_one_that_is_silent(folder, put):
    put(silent_txt="")
    systems = ("-i", "manual.txt", "hyp.txt", "silent.txt")
    out = ok(*BOTH, *systems, "-m", "per", "bleu", "--no-intervals", cwd=folder)
    rows = grid(out)
    assert rows[""] == ["manual", "hyp", "silent"]
    assert rows["AS-WER"] == ["63.16", "63.16", "100.00"]
    assert rows["BLEU"] == ["24.86", "24.86", "0.00"]
    assert rows["segmentation ER"][:2] == ["56.00", "–"]
    assert "note: silent.txt is empty: 0 words" in out
    assert out.splitlines()[2] == "1 document, 5 segments, 2 references; 3 systems"


def test_nobody_has_the_lines_that_were_asked_for(folder):
    said = refused(2, *BOTH, "-i", "hyp.txt", "--signature", "segmentation_error_rate", cwd=folder)
    assert said == (
        "segmentation_error_rate: the hypothesis has no line of its own for each segment of the "
        "references"
    )


# Punctuation that only one side has.

WRITTEN = "Hello there, friend.\nHow goes it?\n"
SPOKEN = "hello there friend how goes it\n"


def test_punctuation_of_one_side_is_not_compared(put):
    folder = put(ref_txt=WRITTEN, hyp_txt=SPOKEN, full_txt=WRITTEN.replace("\n", " ") + "\n")
    one = ("ref.txt", "-i", "hyp.txt")
    out = ok(*one, cwd=folder)
    assert out.splitlines()[3] == "words are aligned without punctuation, because hyp.txt has none"
    assert as_wer(out) == ("0.00", 0, 6)
    removed = ok(*one, "--punctuation", "remove", cwd=folder)
    assert [line for line in out.splitlines() if "without punctuation" not in line] == (
        removed.splitlines()
    )
    assert as_wer(ok(*one, "--punctuation", "keep", cwd=folder)) == ("33.33", 3, 9)
    # Both sides have it: it is compared.
    out = ok("ref.txt", "-i", "full.txt", cwd=folder)
    assert as_wer(out) == ("0.00", 0, 9)
    assert "punct:keep" in out and "without punctuation" not in out
    # The other way round.
    out = ok("hyp.txt", "-i", "full.txt", cwd=folder)
    assert out.splitlines()[3] == "words are aligned without punctuation, because hyp.txt has none"
    # One of several systems decides for all.
    both = ("ref.txt", "-i", "full.txt", "hyp.txt", "--no-intervals")
    out = ok(*both, cwd=folder)
    assert out.splitlines()[3] == "words are aligned without punctuation, because hyp.txt has none"
    assert {"punct:remove" in one for one in signatures_in(out)} == {True}


@pytest.mark.parametrize("form", ["--json", "--csv", "--markdown", "--latex"])
def test_other_forms_say_why_punctuation_is_not_compared(put, form):
    folder = put(ref_txt=WRITTEN, hyp_txt=SPOKEN)
    done = run("ref.txt", "-i", "hyp.txt", form, "--no-intervals", cwd=folder)
    said = "words are aligned without punctuation, because hyp.txt has none"
    if form == "--json":
        assert json.loads(done.stdout)["notes"] == [said]
    elif form in ("--markdown", "--latex"):
        assert f"note: {said}" in done.stdout
        assert done.stderr == ""
    else:
        assert done.stderr == f"fencepost: note: {said}\n"


def test_metrics_of_own_lines_are_refused_where_there_are_none(folder):
    for metric in ("seger", "wer:segments=given"):
        said = refused(2, *BOTH, "-i", "hyp.txt", "-m", metric, cwd=folder)
        assert "the hypothesis has no line of its own for each segment" in said


def test_columns_keep_their_order_whatever_system_comes_first(folder):
    orders = []
    for systems in (("hyp.txt", "manual.txt"), ("manual.txt", "hyp.txt")):
        out = ok(*BOTH, "-i", *systems, "-m", "per", "--no-intervals", cwd=folder)
        orders.append([line.split("  ")[0] for line in out.splitlines() if line[:3].isupper()])
    assert orders[0] == orders[1]


def test_a_signature_without_intervals_brings_none_back(folder):
    plain = ok(*BOTH, "-i", "hyp.txt", "--no-intervals", cwd=folder)
    again = ok(*BOTH, "-i", "hyp.txt", "--signature", AS_WER, cwd=folder)
    assert again.splitlines()[:4] == plain.splitlines()[:4]
    assert "the signature has no intervals (no bs)" in again


def test_a_gate_of_the_wrong_kind_names_the_right_command(folder):
    said = refused(2, *BOTH, "-i", "hyp.txt", "--gate", "B=0.5", cwd=folder)
    assert "boundary_similarity compares segmentations, not words: fencepost score" in said


def test_a_stream_is_aligned_once(folder, monkeypatch):
    aligned = []

    def counting(streams, **settings):
        aligned.append(settings)
        return align(streams, **settings)

    monkeypatch.setattr(resegmentation, "align", counting)
    ok(*BOTH, "-i", "hyp.txt", "manual.txt", "-m", "wer", "bleu", "B", "--document", "--chop",
       "--html", "page.html", "--paired", "--by", "document", cwd=folder, notes=True)  # fmt: skip
    assert len(aligned) == 2  # one for each system
    assert all(one["ambiguity"] and one["alignment"] for one in aligned)
