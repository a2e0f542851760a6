"""fencepost score of many files, as people run it."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from strategies import random_pairs
from support import run

COLUMNS = ("--columns", "ref=gold,hyp=c256,hyp=c512,text=id", "--encoding", "masses")


@pytest.fixture
def pattern(tmp_path):
    for seed in range(2):
        pairs = list(random_pairs(seed, 40, (5, 40)))
        table = pa.table(
            {
                "id": [f"{seed}-{i}" for i in range(40)],
                "gold": [list(ref.masses) for ref, _ in pairs],
                "c256": [list(hyp.masses) for _, hyp in pairs],
                "c512": [list(ref.masses) for ref, _ in pairs],
            }
        )
        pq.write_table(table, tmp_path / f"f{seed}.parquet", row_group_size=25)
    return str(tmp_path / "*.parquet")


def test_the_table_of_a_run_has_a_row_per_hypothesis_column(pattern):
    done = run("score", pattern, *COLUMNS, "-m", "windowdiff", "B")
    assert done.returncode == 0, done.stderr
    first = "2 files, one row per text: gold is the reference, c256 and c512 the systems\n"
    assert done.stdout.startswith(first)
    assert "80 texts" in done.stdout and "c512" in done.stdout
    assert "windowdiff|k:auto-half-up|pad:none|avg:macro|bs:t,10000|seed:12345" in done.stdout


def test_a_saved_run_resumes_to_the_same_json(pattern, tmp_path):
    saved = str(tmp_path / "saved")
    first = run("score", pattern, *COLUMNS, "-m", "B", "--json", "--save", saved)
    assert first.returncode == 0, first.stderr
    refused = run("score", pattern, *COLUMNS, "-m", "B", "--json", "--save", saved)
    assert refused.returncode == 1 and "--resume" in refused.stderr
    again = run("score", pattern, *COLUMNS, "-m", "B", "--json", "--save", saved, "--resume")
    assert again.stdout == first.stdout
    assert json.loads(first.stdout)["rows"][1]["value"] == 1


def test_a_pattern_without_quotes_is_a_run_too(pattern, tmp_path):
    files = [str(tmp_path / f"f{seed}.parquet") for seed in range(2)]
    wanted = run("score", pattern, *COLUMNS, "-m", "B")
    assert run("score", *files, *COLUMNS, "-m", "B").stdout == wanted.stdout
    one_side = run("score", *files, "--columns", "ref=gold,text=id", "-m", "B")
    assert one_side.returncode == 2 and "no hypothesis" in one_side.stderr


def test_a_broken_file_is_named_and_the_exit_code_says_so(pattern, tmp_path):
    (tmp_path / "f1.parquet").write_bytes(b"PAR1nothing")
    done = run("score", pattern, *COLUMNS, "-m", "B")
    assert done.returncode == 1
    assert "40 texts" in done.stdout and "f1.parquet cannot be read" in " ".join(
        done.stdout.split()
    )
    stopped = run("score", pattern, *COLUMNS, "-m", "B", "--strict")
    assert stopped.returncode == 1 and stopped.stdout == ""
    assert "f1.parquet cannot be read" in stopped.stderr


def test_gates_hold_runs_too(pattern):
    assert run("score", pattern, *COLUMNS, "-m", "B", "--gate", "B=0").returncode == 0
    assert run("score", pattern, *COLUMNS, "-m", "B", "--gate", "B=0.99").returncode == 3
    # Saved counts are read before a run that may take hours.
    done = run("score", pattern, *COLUMNS, "-m", "B", "--gate", "none.parquet")
    assert done.returncode == 1 and done.stdout == "" and "none.parquet cannot" in done.stderr
    done = run("score", pattern, *COLUMNS, "-m", "B", "--gate", "none.json")
    assert done.returncode == 2 and ".csv or .parquet" in done.stderr


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["t", "u", "t"], "row 3 (t): row 1 (t) has this name too"),
        (["t", "", "u"], "row 2 (): the text has no name"),
    ],
)
def test_texts_have_names_of_their_own_as_in_single_files(tmp_path, names, message):
    column = [[5, 5], [3, 4], [6]]
    pq.write_table(pa.table({"id": names, "gold": column, "a": column}), tmp_path / "x.parquet")
    options = ("--encoding", "masses", "-m", "B", "--columns")
    for path in ("x*.parquet", "x.parquet"):
        done = run("score", path, *options, "ref=gold,hyp=a,text=id", cwd=tmp_path)
        assert done.returncode == 1 and done.stdout == ""
        assert path == "x.parquet" or (message in done.stderr and "text=NAME" in done.stderr)
    assert run("score", "x*.parquet", *options, "ref=gold,hyp=a", cwd=tmp_path).returncode == 0


def test_two_files_have_no_name_in_common(tmp_path):
    for number in range(2):
        rows = {"id": ["a", f"b{number}"], "gold": [[5, 5]] * 2, "sys": [[4, 6]] * 2}
        pq.write_table(pa.table(rows), tmp_path / f"{number}.parquet")
    asked = ("--columns", "ref=gold,hyp=sys,text=id", "--encoding", "masses", "-m", "B")
    done = run("score", "*.parquet", *asked, cwd=tmp_path)
    assert done.returncode == 1 and "a is the name of 2 texts (column id)" in done.stderr


@pytest.mark.slow
def test_a_terminal_shows_a_bar_with_rate_and_time_left(tmp_path):
    pty = pytest.importorskip("pty")
    column = pa.array([[5, 5], [3, 4]] * 5000)
    table = pa.table({"gold": column, "a": column})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1000)
    master, terminal = pty.openpty()
    command = ["score", str(tmp_path / "*.parquet"), "--columns", "ref=gold,hyp=a"]
    command += ["--encoding", "masses", "-m", "B", "--csv"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, "-m", "fencepost", *command],
        stdout=subprocess.PIPE, stderr=terminal, env=environment, text=True,
    ) as process:  # fmt: skip
        os.close(terminal)
        shown = b""
        with suppress(OSError):  # the end of a terminal is an error
            while part := os.read(master, 65536):
                shown += part
        table_of_scores = process.communicate()[0]
    os.close(master)
    assert process.returncode == 0 and table_of_scores.startswith("system,")
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    assert re.search(r"100% 10,000 texts, [0-9,]+ per second 0:00:00", plain)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--columns", "ref=gold,hyp=c256"), "--encoding masses, positions, bits, flags or spans"),
        ((*COLUMNS, "--per-text"), "--per-text does not apply"),
        ((*COLUMNS, "--html", "x.html"), "--html does not apply"),
        ((*COLUMNS, "-m", "pk:k=corpus"), "depends on all texts together"),
        (("--columns", "ref=gold,hyp=c256,start=s", "--encoding", "masses"), "--columns start="),
    ],
)
def test_what_batches_cannot_do_is_refused(pattern, options, message):
    done = run("score", pattern, *options)
    assert done.returncode == 2 and message in done.stderr


def test_a_single_file_is_a_run_only_when_it_is_asked_for(pattern, tmp_path):
    """Small files have baselines; --save DIR is of runs and was a CSV of that name."""
    one = str(tmp_path / "f0.parquet")
    plain = run("score", one, *COLUMNS, "-m", "B")
    assert plain.returncode == 0 and "no boundaries" in plain.stdout
    saved = tmp_path / "saved"
    done = run("score", one, *COLUMNS, "-m", "B", "--save", saved)
    assert done.returncode == 2 and f"--save {saved}.csv" in done.stderr
    assert "with --strict, one file is a run too" in done.stderr and not saved.exists()
    done = run("score", one, *COLUMNS, "-m", "B", "--save", saved, "--strict")
    assert done.returncode == 0 and (saved / "manifest.jsonl").exists(), done.stderr
    assert "no boundaries" not in done.stdout
    done = run("score", "g.json", "-i", "h.json", "--save", "counts.txt")
    assert done.returncode == 2 and "--save writes .csv or .parquet" in done.stderr
    assert "--strict" not in done.stderr


def test_a_folder_of_parquet_files_is_a_run(pattern, tmp_path):
    wanted = run("score", pattern, *COLUMNS, "-m", "B").stdout
    (tmp_path / "_SUCCESS").write_bytes(b"")
    (tmp_path / ".f0.parquet.crc").write_bytes(b"")
    assert run("score", tmp_path, *COLUMNS, "-m", "B").stdout == wanted
    assert run("score", f"{tmp_path}*", *COLUMNS, "-m", "B").stdout == wanted


def test_outputs_take_the_place_of_no_input(pattern, tmp_path):
    one = tmp_path / "f1.parquet"
    before = one.read_bytes()
    for flag in ("--save", "-o"):
        done = run("score", pattern, *COLUMNS, "-m", "B", flag, one)
        assert done.returncode == 2 and f"{flag} would overwrite the input file" in done.stderr
    done = run("score", pattern, *COLUMNS, "-m", "B", "--save", tmp_path)
    assert done.returncode == 1 and "is not empty" in done.stderr
    assert one.read_bytes() == before


def test_a_gate_says_which_saved_texts_were_not_scored(pattern, tmp_path):
    base = tmp_path / "base.csv"
    assert run("score", pattern, *COLUMNS, "-m", "B", "--save", base).returncode == 0
    whole = run("score", pattern, *COLUMNS, "-m", "B", "--gate", base)
    assert whole.returncode == 0 and whole.stderr == ""
    table = pq.read_table(tmp_path / "f1.parquet")
    pq.write_table(table.slice(6), tmp_path / "f1.parquet")
    for files in ([pattern], [tmp_path / "f0.parquet"]):
        done = run("score", *files, *COLUMNS, "-m", "B", "--gate", base)
        lacking = 6 if files == [pattern] else 40
        assert done.returncode == 0
        assert f"{lacking} of 80 saved texts are not scored here (1-0, 1-1, 1-2" in done.stderr
        assert f"and {80 - lacking} are compared" in done.stderr


@pytest.mark.parametrize("option", ["--save", "--gate"])
def test_what_is_for_few_texts_is_refused_before_all_are_counted(
    pattern, tmp_path, monkeypatch, option
):
    from fencepost.batch import runs

    base = tmp_path / "base.csv"
    assert run("score", pattern, *COLUMNS, "-m", "B", "--save", base).returncode == 0
    counted = []
    count = runs.count_batches
    monkeypatch.setattr(runs, "count_batches", lambda *given: counted.append(1) or count(*given))
    monkeypatch.setattr(runs, "NORMAL_ABOVE_TEXTS", 10)
    monkeypatch.setattr(runs, "AHEAD", 1)
    monkeypatch.setattr(runs._core, "get_threads", lambda: 1)
    done = run("score", pattern, *COLUMNS, "-m", "B", option, base)
    assert (
        done.returncode == 1 and f"{option} {base}" in done.stderr and "up to 10,000" in done.stderr
    )
    assert len(counted) < 4 and done.stdout == ""


def test_every_gate_says_what_it_finds(pattern, tmp_path):
    base = str(tmp_path / "base.csv")
    assert run("score", pattern, *COLUMNS, "-m", "B", "--save", base).returncode == 0
    turned = ("--columns", "ref=gold,hyp=c512,text=id", "--encoding", "masses", "-m", "B")
    worse = pq.read_table(tmp_path / "f0.parquet").to_pylist()
    for row in worse:
        row["c512"] = [sum(row["gold"])]
    pq.write_table(pa.Table.from_pylist(worse), tmp_path / "f0.parquet")
    done = run("score", pattern, *turned, "--gate", base, "B=0.99")
    assert done.returncode == 3
    assert "c512 has boundary_similarity" in done.stderr and "worse than 1.000" in done.stderr
    assert "below 0.99" in done.stderr


def test_diff_says_what_to_give_instead_of_the_folder_of_a_run(pattern, tmp_path):
    saved = str(tmp_path / "saved")
    assert run("score", pattern, *COLUMNS, "-m", "B", "--save", saved).returncode == 0
    for given in ((saved, saved), (str(tmp_path / "saved"), "none.csv")):
        done = run("diff", *given)
        assert done.returncode == 1 and "--resume (with --json -o FILE.json" in done.stderr
    file = str(tmp_path / "scores.json")
    again = (*COLUMNS, "-m", "B", "--save", saved, "--resume", "--json", "-o", file)
    assert run("score", pattern, *again).returncode == 0
    assert run("diff", file, file).stdout == "all numbers are the same\n"


# Signatures given back.

READINGS = {
    "masses": ("--encoding", "masses"),
    "positions": ("--encoding", "positions"),
    "bits": ("--encoding", "bits"),
    "flags": ("--encoding", "flags", "--flags", "last"),
    "first": ("--encoding", "flags", "--flags", "first"),
    "join": ("--encoding", "spans", "--gaps", "join", "--overlap", "start"),
    "segment": ("--encoding", "spans", "--gaps", "segment", "--overlap", "start"),
}


@pytest.fixture
def readings(tmp_path):
    """A file for each way of reading, with the same 20 texts."""
    for name, asked in READINGS.items():
        lines = []
        for i, (ref, hyp) in enumerate(random_pairs(5, 20, (12, 30))):
            row = {"id": f"d{i}", "n": ref.units}
            for side, seg in (("gold", ref), ("sys", hyp)):
                ends = [0, *seg.cuts.tolist(), seg.units]
                row[side] = {
                    "masses": list(seg.masses),
                    "positions": seg.cuts.tolist(),
                    "bits": [int(one) for one in seg.bits],
                    "flags": [
                        int(one) for one in seg.flags("first" if name == "first" else "last")
                    ],
                    "spans": [[a, b] for a, b in pairwise(ends)],
                }[asked[1]]
            if asked[1] == "spans":
                row["sys"] = [[0, 5], [7, ref.units]]
            lines.append(json.dumps(row) + "\n")
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    return tmp_path


def scored(readings, name, *more, alone=False):
    asked = ("--columns", "ref=gold,hyp=sys,text=id,units=n", *READINGS[name])
    run_or_not = ("--no-baselines",) if alone else ("--strict",)
    return run("score", f"{name}.jsonl", *asked, *run_or_not, *more, cwd=readings)


def signature_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"][0]["signature"]


@pytest.mark.parametrize("alone", [False, True])
def test_a_signature_is_kept_to_by_the_same_run_and_by_no_other(readings, alone):
    signatures = {
        name: signature_of(scored(readings, name, "-m", "B", "--json", alone=alone))
        for name in READINGS
    }
    plain = scored(readings, "masses", "-m", "B", alone=alone).stdout
    again = scored(readings, "masses", "--signature", signatures["masses"], alone=alone)
    assert again.stdout == plain
    for name in READINGS:
        for signed, signature in signatures.items():
            done = scored(readings, name, "--signature", signature, "--json", alone=alone)
            if signature == signatures[name]:
                assert signature_of(done) == signature
                continue
            assert done.returncode in (1, 2) and done.stdout == "", (name, signed)
            field = signature.partition("optimal|")[2].partition("|avg")[0].partition(":")[0]
            odd = field or signatures[name].partition("optimal|")[2].partition(":")[0]
            assert "the signature" in done.stderr and odd in done.stderr


def test_what_a_signature_brings_is_what_a_run_can_do(pattern):
    def given(signature, *more):
        return run("score", pattern, *COLUMNS, "--signature", signature, *more, "--json")

    usual = run("score", pattern, *COLUMNS, "-m", "B", "--json")
    signature = signature_of(usual)
    assert given(signature).stdout == usual.stdout
    other = signature.replace("bs:t,10000|seed:12345", "bs:percentile,2000|seed:7")
    assert signature_of(given(other)) == other
    settings = ("--method", "percentile", "--resamples", "2000", "--seed", "7")
    assert given(other).stdout == run(
        "score", pattern, *COLUMNS, "-m", "B", *settings, "--json"
    ).stdout  # fmt: skip
    bare = given(signature.replace("bs:t,10000|seed:12345|", ""))
    assert json.loads(bare.stdout)["rows"][0]["low"] is None
    micro = signature.replace("avg:macro", "avg:micro")
    assert signature_of(given(micro)) == micro
    for odd, said in (
        (signature.replace("|bs", "|refs:best|bs"), "asks for --reference-rule best, which does"),
        (signature.replace("|fence", "|test:bootstrap|fence"), "asks for --paired bootstrap"),
        (signature.replace("|bs", "|group:talk|bs"), "says group:talk, and a run over many files"),
        (signature.replace("|bs", "|threshold:0.5|bs"), "asks for --threshold 0.5, which does"),
    ):
        done = given(odd)
        assert done.returncode == 2 and said in done.stderr


def test_resamples_are_for_few_texts_in_a_run(tmp_path, monkeypatch):
    rows = {"gold": [[5, 5]] * 6000, "a": [[4, 6]] * 3000 + [[5, 5]] * 3000}
    for number in range(2):
        pq.write_table(pa.table(rows), tmp_path / f"{number}.parquet")
    asked = ("--columns", "ref=gold,hyp=a", "--encoding", "masses", "-m", "B")
    assert run("score", "0*.parquet", *asked, "--method", "t", cwd=tmp_path).returncode == 0
    done = run("score", "*.parquet", *asked, "--method", "t", cwd=tmp_path)
    assert done.returncode == 1 and "up to 10,000 in a run, and there are more" in done.stderr
    for method in ((), ("--method", "normal")):
        done = run("score", "*.parquet", *asked, *method, cwd=tmp_path)
        assert "|bs:normal|" in done.stdout
    assert "bs:" not in run("score", "*.parquet", *asked, "--no-intervals", cwd=tmp_path).stdout
    done = run("score", "*.parquet", *asked, "--no-intervals", "--method", "t", cwd=tmp_path)
    assert done.returncode == 2 and "--no-intervals removes them" in done.stderr
