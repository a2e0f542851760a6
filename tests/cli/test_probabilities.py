"""Probabilities on the command line: looked at, scored, saved, or refused in one sentence."""

import json

import pytest

from support import run

ROWS = [
    {"id": "t1", "units": list("abcdef"), "ref": [2, 4], "m": [0.1, 0.8, 0.2, 0.1, 0.3]},
    {"id": "t2", "units": list("abcde"), "ref": [3, 2], "m": [0.2, 0.6, 0.5, 0.1]},
    {"id": "t3", "units": list("abcdef"), "ref": [1, 2, 3], "m": [0.9, 0.1, 0.7, 0.2, 0.1]},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


def command(folder, *words):
    return run(*words, cwd=folder)


SCORE = ("score", "x.jsonl", "-i", "m=x.jsonl:hyp=m", "--probabilities", "-m")


def test_look_shows_mean_and_distribution(folder):
    done = command(folder, "look", "x.jsonl", "--columns", "ref=m", "--probabilities")
    assert done.returncode == 0, done.stderr
    assert "3 texts, 17 units, probabilities at 14 positions" in done.stdout
    assert "mean probability 0.35, so about 4.9 boundaries" in done.stdout
    assert " 1▁ 2▇ 3▂ 4▁ 5▃ 6" in done.stdout
    assert "fencepost tune REF -i x.jsonl:hyp=m --probabilities -m B" in done.stdout


def test_saved_counts_give_the_same_table(folder):
    words = (*SCORE, "AP", "brier", "ECE", "expected_pk", "expected_windowdiff", "--csv")
    first = command(folder, *words, "--save", "c.csv")
    again = command(folder, "score", "--counts", "c.csv", "--csv")
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    assert first.stdout == again.stdout


def test_the_data_line_has_the_error_of_draws(folder):
    done = command(folder, *SCORE, "expected_b")
    assert "100 draws per text, standard error 0.0" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*SCORE, "AP", "--html", "p.html"), "--html draws boundaries, and x.jsonl has"),
        ((*SCORE, "AP", "B"), "x.jsonl has probabilities, and boundary_similarity needs"),
        (("edits", "x.jsonl", "-i", "x.jsonl:hyp=m", "--probabilities"), "needs boundaries"),
        (
            ("convert", "x.jsonl", "o.json", "--columns", "ref=m", "--probabilities"),
            "o.json: the corpus has probabilities",
        ),
    ],
)
def test_what_has_no_place_is_refused_in_one_sentence(folder, words, message):
    done = command(folder, *words)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "--threshold 0.5" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "p.html").exists()


def test_agreement_refuses_them_with_the_file(folder):
    rows = ["text,unit,anna,model", "d,1,0,0.1", "d,2,1,0.9", "d,3,0,0.2", "d,4,1,0.3"]
    (folder / "s.csv").write_text("\n".join(rows) + "\n")
    done = command(folder, "agree", "s.csv", "--probabilities", "--flags", "last")
    assert done.returncode == 1
    assert "s.csv has probabilities, and agreement needs boundaries" in done.stderr
