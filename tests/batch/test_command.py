"""fencepost score of many files, as people run it."""

import json

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
