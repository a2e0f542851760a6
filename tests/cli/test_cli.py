"""The command line: real commands, every form of output, exit codes, errors without traceback."""

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.metrics.signature import Signature
from support import (
    PAIR_METRICS,
    csv_rows,
    ok,
    parts_of,
    refused,
    run,
    run_apart,
    signatures_in,
)

DATA = str(files("fencepost") / "data")
GOLD, CAREFUL, HASTY = (f"{DATA}/{name}.jsonl" for name in ("gold", "careful", "hasty"))


SYSTEMS = {name: fp.read(f"{DATA}/{name}.jsonl", field="hyp") for name in ("careful", "hasty")}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gold.json").write_text('{"d1": [5, 5], "d2": [3, 4, 5], "d3": [8]}')
    (tmp_path / "ours.json").write_text('{"d1": [4, 6], "d2": [3, 4, 5], "d3": [8]}')
    (tmp_path / "lacking.json").write_text('{"d1": [4, 6]}')
    return tmp_path


def test_demo_scores_the_bundled_example_with_signatures():
    out = ok("demo")
    assert "\n3 texts, 37 sentences, 7 gold boundaries\n" in out
    read = "gold.jsonl (ref), careful.jsonl, hasty.jsonl (hyp): one record per text: 0/1 per\n"
    assert f"{read}  sentence, 1 = last sentence of a segment; matched by id\n" in out
    names = ["pk", "windowdiff", "boundary_f", "boundary_similarity", "alignment_similarity"]
    assert [Signature(one).metric for one in signatures_in(out)][:5] == names
    assert "near miss" in out


def test_plain_table_agrees_with_the_library():
    out = ok("score", GOLD, "-i", CAREFUL, HASTY, "-m", "pk", "B")
    table = fp.score(
        fp.read(GOLD),
        SYSTEMS,
        metrics=["pk", "B"],
    )
    for system in ("careful", "hasty", "no boundaries", "random boundaries"):
        values = table.where(system=system).column("value")
        expected = "  +".join(rf"{v:.3f}" for v in values)
        assert re.search(rf"^{system} +{expected}$", out, re.MULTILINE)
    assert all(len(line) <= 80 for line in out.splitlines())


def test_many_metrics_turn_the_table_instead_of_running_over():
    out = ok("score", GOLD, "-i", CAREFUL, "-m", *PAIR_METRICS)
    table = out.split("\n\n")[1]
    assert all(len(line) <= 80 for line in table.splitlines())
    assert table.splitlines()[0].split() == ["careful", "no", "boundaries", "random", "boundaries"]


def test_json_has_a_schema_and_everything():
    data = json.loads(ok("score", GOLD, "-i", CAREFUL, "--json", "--per-text"))
    assert data["schema"] == 1
    assert data["facts"]["fingerprint"] == fp.read(GOLD).fingerprint()
    assert {row["system"] for row in data["rows"]} == {
        "careful",
        "no boundaries",
        "random boundaries",
    }
    assert len(data["per-text"]) == 3 * 4


def test_csv_is_exactly_one_tidy_table():
    rows = csv_rows(ok("score", GOLD, "-i", CAREFUL, "--csv", "--no-intervals"))
    assert [r["metric"] for r in rows[:4]] == [
        "pk",
        "windowdiff",
        "boundary_f",
        "boundary_similarity",
    ]
    exact = fp.score(fp.read(GOLD), SYSTEMS["careful"]).column("value")
    assert [float(r["value"]) for r in rows] == exact
    texts = list(
        csv.DictReader(
            io.StringIO(
                ok("score", GOLD, "-i", CAREFUL, "--csv", "--table", "per-text", "--no-intervals")
            )
        )
    )
    assert {r["text"] for r in texts} == {"garden", "harbour", "kitchen"}


def test_markdown_and_latex_mark_the_best_system():
    markdown = ok("score", GOLD, "-i", CAREFUL, HASTY, "-m", "pk", "--markdown", "--no-intervals")
    assert "| careful | **0.067** |" in markdown
    assert "`pk|k:auto-half-up|pad:none|flags:last|avg:macro|" in markdown
    latex = ok(
        "score", GOLD, "-i", CAREFUL, HASTY, "-m", "pk", "c_seg", "--latex", "--no-intervals"
    )
    assert r"careful & \textbf{0.067}" in latex
    assert r"C\_seg $\downarrow$" in latex


def test_output_goes_to_a_file(tmp_path):
    target = tmp_path / "out.json"
    assert ok("score", GOLD, "-i", CAREFUL, "--json", "-o", str(target)) == ""
    assert json.loads(target.read_text())["schema"] == 1


def test_settings_aliases_and_presets_are_understood():
    out = ok(
        "score",
        GOLD,
        "-i",
        CAREFUL,
        "-m",
        "WD:k=3,pad=lamprier",
        "windowdiff(k=2)",
        "f:tolerance=1",
    )
    shown = signatures_in(out)
    fields = ({"k:3", "pad:lamprier"}, {"k:2", "pad:none"}, {"tolerance:1"})
    assert all(own <= parts_of(one) for own, one in zip(fields, shown, strict=True))
    assert "pk|k:auto-segeval|" in ok("score", GOLD, "-i", CAREFUL, "-m", "pk", "--like", "segeval")


def test_a_signature_scores_under_exactly_that_recipe():
    first = ok(
        "score",
        GOLD,
        "-i",
        HASTY,
        "-m",
        "WD:k=3,pad=lamprier",
        "--average",
        "micro",
        "--csv",
        "--no-baselines",
        "--no-intervals",
    )
    row = csv_rows(first)[0]
    again = ok(
        "score",
        GOLD,
        "-i",
        HASTY,
        "--signature",
        row["signature"],
        "--csv",
        "--no-baselines",
        "--no-intervals",
    )
    assert again == first


def test_a_signature_of_another_version_is_noted():
    out = ok(
        "score",
        GOLD,
        "-i",
        HASTY,
        "--signature",
        "pk|k:3|pad:none|flags:last|avg:macro|fencepost:0.0.9",
    )
    assert "note: the signature was written by fencepost 0.0.9" in out


def test_conventions_put_every_known_one_side_by_side():
    data = json.loads(
        ok("score", GOLD, "-i", CAREFUL, HASTY, "-m", "pk", "B", "--conventions", "--json")
    )
    labels = {(r["metric"], r["convention"]) for r in data["rows"]}
    assert {("pk", f"like {tool}") for tool in ("segeval", "nltk", "fournier2012")} <= labels
    assert {
        ("pk", "k=corpus-half-up"),
        ("pk", "pad=lamprier"),
        ("boundary_similarity", "like segeval"),
    } <= labels
    for row in data["rows"]:
        recipe = fp.parse(row["signature"])
        table = fp.score(
            fp.read(GOLD),
            SYSTEMS[row["system"]],
            metrics=[recipe],
            average=row["average"],
            baselines=False,
        )
        assert table[0]["value"] == row["value"]
    plain = ok("score", GOLD, "-i", CAREFUL, "-m", "pk", "--conventions")
    assert re.search(r"^pk +like nltk +macro +3 +0\.074$", plain, re.MULTILINE)


def test_gate_exits_with_3_when_worse():
    assert run("score", GOLD, "-i", CAREFUL, "--gate", "WD=0.3", "B=0.5").returncode == 0
    done = run("score", GOLD, "-i", CAREFUL, HASTY, "--gate", "windowdiff=0.3")
    assert done.returncode == 3
    assert done.stderr == "fencepost: gate: hasty has windowdiff 0.505, above 0.3\n"
    assert "WindowDiff" in done.stdout
    done = run("score", GOLD, "-i", HASTY, "--gate", "B=0.5")
    assert done.returncode == 3


def test_several_reference_files_are_several_references(folder):
    out = ok(
        "score",
        f"{folder}/gold.json",
        f"{folder}/ours.json",
        "-i",
        f"{folder}/gold.json",
        "-m",
        "B",
        "--json",
        "--no-baselines",
    )
    rows = json.loads(out)["rows"]
    assert [r["reference"] for r in rows] == ["gold", "ours", "mean of references"]
    assert rows[0]["value"] == 1.0
    assert rows[1]["value"] == (0.5 + 1 + 1) / 3
    assert rows[2]["value"] == (0.75 + 1 + 1) / 3


def test_both_sides_may_sit_in_one_file(tmp_path):
    path = tmp_path / "both.jsonl"
    path.write_text('{"id": "a", "gold": [5, 5], "m1": [4, 6], "m2": [10]}\n')
    out = ok(
        "score",
        str(path),
        "--ref-field",
        "gold",
        "--hyp-field",
        "m1",
        "m2",
        "-m",
        "B",
        "--json",
        "--no-baselines",
    )
    assert [(r["system"], r["value"]) for r in json.loads(out)["rows"]] == [
        ("m1", 0.5),
        ("m2", 0.0),
    ]
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"id": "a", "ref": [5, 5], "hyp": [4, 6]}\n')
    assert json.loads(ok("score", str(plain), "-m", "B", "--json"))["rows"][0]["value"] == 0.5


def test_stdin_is_a_file_too(folder):
    text = (folder / "ours.json").read_text()
    out = ok("score", f"{folder}/gold.json", "-i", "-", "-m", "B", "--json", stdin=text)
    assert json.loads(out)["rows"][0]["system"] == "stdin"


def test_flags_are_said_or_asked_for(tmp_path):
    (tmp_path / "g.jsonl").write_text('{"id": "a", "ref": [0, 1, 0, 0]}')
    (tmp_path / "h.jsonl").write_text('{"id": "a", "hyp": [0, 1, 0, 0]}')
    done = run("score", f"{tmp_path}/g.jsonl", "-i", f"{tmp_path}/h.jsonl")
    assert done.returncode == 1
    assert "--flags last" in done.stderr
    out = ok("score", f"{tmp_path}/g.jsonl", "-i", f"{tmp_path}/h.jsonl", "--flags", "first")
    assert "0/1 per unit, 1 = first unit\n  of a segment; matched by id\n1 text, 4 units" in out
    assert "flags:first" in out


def test_text_files_with_separators(tmp_path):
    (tmp_path / "ref.txt").write_text("a\nb\n==========\nc\nd\n")
    (tmp_path / "hyp.txt").write_text("a\nb\nc\n==========\nd\n")
    out = ok(
        "score", f"{tmp_path}/ref.txt", "-i", f"{tmp_path}/hyp.txt", "-m", "B", "--no-baselines"
    )
    assert re.search(r"^hyp +0\.500$", out, re.MULTILINE)


def test_edits_draw_near_misses_matches_and_additions():
    read = "gold.jsonl (ref), hasty.jsonl (hyp): one record per text: 0/1 per sentence, 1 =\n"
    out = ok("edits", GOLD, "-i", HASTY, "--text", "garden")
    assert out.startswith(f"{read}  last sentence of a segment; matched by id\n\ngarden: ")
    out = ok("edits", GOLD, "-i", HASTY, "--text", "garden", "--quiet")
    lines = out.splitlines()
    assert lines[0].startswith("garden: 12 sentences, gold 3 segments, hasty 4 segments")
    assert lines[2].index("│") == lines[3].index("╰")
    assert lines[4].index("│") == lines[3].index("╮")
    assert "3 → 4  near miss  0.5" in out
    assert "1 match, 1 near miss, 0 missing, 1 extra; cost 1.5 of 3" in out


def test_edits_show_the_worst_texts_first():
    out = ok("edits", GOLD, "-i", CAREFUL, HASTY, "--worst", "2")
    table = fp.score(fp.read(GOLD), SYSTEMS, metrics="B")
    worst = sorted(table.part("per-text"), key=lambda r: r["value"])[:2]
    assert re.findall(r"^(\w+): ", out, re.MULTILINE) == [r["text"] for r in worst]


def test_edits_of_a_are_edges_with_labels():
    out = ok("edits", GOLD, "-i", HASTY, "-m", "A", "--text", "harbour")
    assert re.search(r"^4-7 +3-10 +merge +0\.500", out, re.MULTILINE)


def test_edits_as_csv_are_one_row_each():
    rows = csv_rows(ok("edits", GOLD, "-i", HASTY, "--text", "garden", "--csv"))
    assert [(r["what"], r["ref"], r["hyp"], r["cost"]) for r in rows] == [
        ("transposition", "3", "4", "0.5"),
        ("match", "7", "7", "0.0"),
        ("addition", "", "9", "1.0"),
    ]


def test_long_texts_are_wrapped_and_quiet_lines_left_out(tmp_path):
    (tmp_path / "g.json").write_text('{"d": [100, 100, 100]}')
    (tmp_path / "h.json").write_text('{"d": [100, 101, 99]}')
    out = ok("edits", f"{tmp_path}/g.json", "-i", f"{tmp_path}/h.json")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "without a disagreement are not shown" in out
    assert "╰───╮" in out


def test_metrics_lists_and_explains():
    out = ok("metrics")
    assert all(name in out for name in fp.METRICS)
    assert "Pevzner & Hearst (2002)" in ok("metrics", "WD")
    said = ok("metrics", "windowdiff|k:5|pad:none|flags:last|avg:micro|fencepost:0.1.0")
    assert "counts of all texts pooled" in said
    assert (
        "fencepost score REF -i HYP -m windowdiff:k=5,pad=none --flags last --average micro" in said
    )


def test_a_metric_from_a_file(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nimport fencepost as fp\n"
        "def closeness(ref, hyp):\n    'How close.'\n    return 1.0 if ref == hyp else 0.25\n"
        "@fp.metric(title='Halves', cite='me', counts=('a', 'b'), value=lambda a, b: a / b,\n"
        "           better='higher')\n"
        "def halves(pairs, *, width: int = 2):\n    'Half.'\n"
        "    return np.tile([1, width], (len(pairs), 1))\n"
        "def breaks(ref, hyp):\n    return 1 / 0\n"
        "x = 3\n"
    )
    out = ok(
        "score",
        GOLD,
        "-i",
        CAREFUL,
        "-m",
        f"{tmp_path}/mine.py:closeness",
        f"{tmp_path}/mine.py:halves:width=4",
        "--json",
        "--no-baselines",
    )
    rows = json.loads(out)["rows"]
    assert [(r["metric"], r["value"]) for r in rows] == [("closeness", 0.75), ("halves", 0.25)]
    assert rows[1]["signature"].startswith("halves|width:4|")
    done = run("score", GOLD, "-i", CAREFUL, "-m", f"{tmp_path}/mine.py:breaks")
    assert done.returncode == 2
    assert done.stderr.startswith("fencepost: breaks failed on text garden: ZeroDivisionError")
    assert (
        "has no 'closenes'; did you mean closeness?"
        in run("score", GOLD, "-i", CAREFUL, "-m", f"{tmp_path}/mine.py:closenes").stderr
    )
    assert (
        "neither a metric nor a function"
        in run("score", GOLD, "-i", CAREFUL, "-m", f"{tmp_path}/mine.py:x").stderr
    )


@pytest.mark.slow
def test_a_metric_from_an_installed_package(tmp_path):
    package = tmp_path / "site"
    (package / "plug-1.0.dist-info").mkdir(parents=True)
    (package / "plug-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n"
    )
    (package / "plug-1.0.dist-info" / "entry_points.txt").write_text(
        "[fencepost.metrics]\nsameness = plug:sameness\n"
    )
    (package / "plug.py").write_text(
        "def sameness(ref, hyp):\n    'Whether both are the same.'\n    return float(ref == hyp)\n"
    )
    env = {"PYTHONPATH": str(package)}
    out = ok("score", GOLD, "-i", CAREFUL, "-m", "sameness", "--json", "--no-baselines", env=env)
    assert json.loads(out)["rows"][0]["value"] == 2 / 3
    assert "Whether both are the same." in ok("metrics", env=env)


PAIR = ["score", "gold.json", "-i", "ours.json"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["simulate"], 2, "COMMAND"),
        (["scor"], 2, "no command 'scor': did you mean score? (fencepost --help lists all)"),
        (["simulate", "streams"], 2, "no command 'streams': did you mean stream?"),
        (["measure"], 2, "no command 'measure': choose from look, score"),
        (["findings", "nothing"], 2, "no finding 'nothing': choose from"),
        (["formats", "nothing"], 2, "no format 'nothing'; there are"),
        (["reproduce", "nothing"], 2, "no paper 'nothing'; there are"),
        (["score"], 2, "REF"),
        *(
            ([command, "gold.json"], 2, f"-i: fencepost {command} gold.json -i HYP")
            for command in ("score", "edits", "tune")
        ),
        (["edits", "gold.json:text=id"], 2, "-i: fencepost edits gold.json:text=id -i HYP"),
        (["score"], 2, "fencepost score REF -i HYP"),
        (["score", "none.json", "-i", "ours.json"], 1, "none.json cannot be read: No such file"),
        (["score", "gold.json", "-i", "lacking.json"], 1, "lacks 2 of the 3 texts in gold (d2,"),
        ([*PAIR, "-m", "windowdif"], 2, "did you mean windowdiff?"),
        ([*PAIR, "-m", "WD:size=3"], 2, "windowdiff has no setting 'size'"),
        ([*PAIR, "-m", "WD:k=0"], 2, "k must be"),
        ([*PAIR, "-m", "WD:k"], 2, "name=value"),
        ([*PAIR, "-m", ""], 2, "cannot read the metric"),
        ([*PAIR, "--like", "choi"], 2, "no preset 'choi'"),
        ([*PAIR, "--gate", "WD"], 2, "METRIC=VALUE"),
        ([*PAIR, "--gate", "A=0.5"], 2, "not scored"),
        ([*PAIR, "--signature", "pk|x:3"], 2, "pk has no setting 'x'"),
        ([*PAIR, "--signature", "pk|k:3", "-m", "B"], 2, "remove -m"),
        ([*PAIR, "ours.json"], 2, "ours.json is given twice"),
        ([*PAIR, "--table", "per-text"], 2, "--table goes with --csv"),
        ([*PAIR, "-o", "/nowhere/x"], 2, "cannot be written"),
        ([*PAIR, "-o", "gold.json"], 2, "would overwrite the input file gold.json"),
        ([*PAIR, "--conventions", "--gate", "WD=0.3"], 2, "--conventions shows one table, of all"),
        ([*PAIR, "--conventions", "--sentence"], 2, "remove --sentence"),
        ([*PAIR, "--conventions", "--like", "nltk"], 2, "remove --like"),
        ([*PAIR, "--conventions", "--by", "level"], 2, "remove --by"),
        ([*PAIR, "-m", "WD:k=5,k=6"], 2, "given k twice"),
        (["score", "gold.json", "--hyp-field", "a", "a"], 2, "named twice"),
        (["score", "-", "-i", "-"], 2, "only one file"),
        (["edits", "gold.json", "-i", "ours.json", "-m", "pk"], 2, "pk keeps no edits"),
        (["edits", "gold.json", "-i", "ours.json", "--text", "d9"], 1, "no text 'd9'"),
        (["edits", "gold.json", "-i", "ours.json", "--worst", "0"], 2, "from 1 to 1,000,000"),
        (["metrics", "nope"], 2, 'no metric "nope"'),
        (["score", "gold.json", "-i", "ours.json", "-m", "kappa"], 2,
         "kappa is a coefficient of agreement between annotators, not a metric"),
        (["metrics", "pk|k:x"], 2, "k must be"),
    ],
)  # fmt: skip
def test_bad_usage_and_bad_data_are_one_sentence(folder, words, code, message):
    done = run(*words, cwd=folder, stdin="")
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_what_a_page_writes_beside_it_overwrites_no_input(folder):
    (folder / "page.rest.json").write_text((folder / "ours.json").read_text())
    words = ("score", "gold.json", "-i", "page.rest.json", "--html", "page.html")
    said = refused(2, *words, cwd=folder)
    assert said == "--html would overwrite the input file page.rest.json"


CODE = "def f(ref, hyp):\n    return 1.0\n\n\nf.better = 'higher'\n"


@pytest.mark.parametrize("before", ["my.py", "./my.py", "link.py"])
@pytest.mark.parametrize(
    "words",
    [
        "score gold.json -i ours.json -m FILE:f -o my.py",
        "score gold.json -i ours.json -m B FILE:f:better=lower --save my.py",
        "score gold.json -i ours.json -m FILE:f --html my.py",
        "score gold.json -i ours.json -m FILE:f --gate FILE:f=1 -o my.py",
        "score gold.json -i ours.json --signature f|better:higher|from:FILE@0 -o my.py",
        "score --counts c.csv -m FILE:f -o my.py",
        "resegment gold.json -i ours.json -m FILE:f -o my.py",
        "tune gold.json -i ours.json -m FILE:f -o my.py",
        "agree gold.json -m FILE:f --consensus my.py",
        "probe FILE:f -o my.py",
        "probe FILE:f --html my.py",
        "probe pk --against FILE:f -o my.py",
    ],
)
def test_output_never_overwrites_the_code_of_a_metric(folder, words, before):
    (folder / "my.py").write_text(CODE)
    (folder / "link.py").symlink_to("my.py")
    said = refused(2, *words.replace("FILE", before).split(), cwd=folder)
    assert said.endswith("would overwrite the input file my.py")
    assert (folder / "my.py").read_text() == CODE


def test_missing_texts_can_be_skipped_or_counted_whole(folder):
    words = [
        "score",
        f"{folder}/gold.json",
        "-i",
        f"{folder}/lacking.json",
        "-m",
        "B",
        "--json",
        "--no-baselines",
    ]
    skip = json.loads(ok(*words, "--missing", "skip"))["rows"][0]
    assert (skip["n"], skip["value"]) == (1, 0.5)
    assert "missing:skip" in skip["signature"]
    whole = json.loads(ok(*words, "--missing", "whole"))["rows"][0]
    assert (whole["n"], whole["value"]) == (3, 0.5)


def test_undefined_texts_are_said(folder):
    out = ok("score", f"{folder}/gold.json", "-i", f"{folder}/ours.json", "-m", "pk:k=9")
    assert "note: pk is undefined on 1 text" in out
    data = json.loads(
        ok("score", f"{folder}/gold.json", "-i", f"{folder}/ours.json", "-m", "pk:k=50", "--json")
    )
    assert data["rows"][0]["value"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("score", GOLD, "-i", CAREFUL, HASTY),
        ("agree", GOLD, CAREFUL),
        ("metrics", "windowdiff"),
        ("score", GOLD),
        ("score", "missing.json", "-i", CAREFUL),
        ("--help",),
        (),
    ],
)
def test_commands_do_the_same_in_a_process_of_their_own(words):
    # Other tests run commands inside their own process, because starting one takes longer.
    assert run(*words) == run_apart(*words)


@pytest.mark.slow
def test_ascii_where_the_locale_is_not_unicode():
    out = run("demo", env={"PYTHONIOENCODING": "ascii"})
    assert out.returncode == 0
    assert out.stdout.isascii()
    assert "WindowDiff v" in out.stdout


def on_a_terminal(*words, env=None):
    """The command's output on a pseudo-terminal, with its colours."""
    chunks = []

    def read(fd):
        data = os.read(fd, 4096)
        chunks.append(data)
        return data

    saved = dict(os.environ)
    os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", **(env or {})})
    devnull = os.open(os.devnull, os.O_WRONLY)
    stdout = os.dup(1)
    os.dup2(devnull, 1)  # pty.spawn copies to our stdout
    try:
        pty.spawn([sys.executable, "-m", "fencepost", *words], read)
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(devnull)
        os.environ.clear()
        os.environ.update(saved)
    return b"".join(chunks).decode()


@pytest.mark.slow
def test_a_terminal_gets_bold_and_no_color_turns_colours_off():
    out = on_a_terminal("score", GOLD, "-i", CAREFUL, HASTY)
    assert "\x1b[1m0.067" in out
    plain = on_a_terminal("score", GOLD, "-i", CAREFUL, HASTY, env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[\d*(;\d+)*3\dm", plain)
    assert "0.067" in plain


@pytest.mark.slow
def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m fencepost metrics | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.stderr == ""


@pytest.mark.slow
def test_ctrl_c_says_stopped_without_traceback(tmp_path):
    begun = tmp_path / "begun"
    (tmp_path / "slow.py").write_text(
        "import pathlib, time\ndef slow(ref, hyp):\n"
        f"    pathlib.Path({str(begun)!r}).touch()\n    time.sleep(30)\n    return 0.0\n"
    )
    words = ["score", GOLD, "-i", CAREFUL, "-m", f"{tmp_path}/slow.py:slow"]
    process = subprocess.Popen(
        [sys.executable, "-m", "fencepost", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not begun.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err == "fencepost: stopped\n"


def test_a_signature_that_the_files_cannot_follow_is_refused(folder):
    pair = ["score", f"{folder}/gold.json", "-i", f"{folder}/ours.json", "--signature"]
    for odd in ("refs:mean", "flags:last"):
        done = run(*pair, f"pk|k:3|pad:none|{odd}|avg:macro|fencepost:0.1.0")
        assert done.returncode == 1
        assert f"the signature says {odd}" in done.stderr
    done = run(
        *pair, "pk|k:3|pad:none|missing:skip|avg:macro|fencepost:0.1.0", "--missing", "whole"
    )
    assert done.returncode == 2
    assert "the signature says missing:skip, --missing says whole" in done.stderr


def test_systems_may_sit_in_one_file(folder):
    (folder / "both.json").write_text(
        '{"a": {"d1": [5, 5], "d2": [12], "d3": [8]}, "b": {"d1": [10], "d2": [12], "d3": [8]}}'
    )
    out = ok(
        "score",
        f"{folder}/gold.json",
        "-i",
        f"{folder}/both.json",
        "-m",
        "B",
        "--json",
        "--no-baselines",
    )
    assert [r["system"] for r in json.loads(out)["rows"]] == ["a", "b"]


def test_notes_reach_the_reader_in_every_form(folder):
    words = [
        "score",
        f"{folder}/gold.json",
        "-i",
        f"{folder}/lacking.json",
        "--missing",
        "skip",
        "-m",
        "B",
    ]
    for form in ("--markdown", "--latex"):
        done = run(*words, form)
        assert done.stderr == "" and "note: 2 texts (d2, d3) ignored" in done.stdout
    for form in ("--csv",):
        done = run(*words, form)
        assert done.returncode == 0
        assert "fencepost: note: 2 texts (d2, d3) ignored" in done.stderr
    assert "note: 2 texts (d2, d3) ignored" in ok(*words)


def test_references_that_lack_texts_are_said(folder):
    out = ok(
        "score",
        f"{folder}/gold.json",
        f"{folder}/lacking.json",
        "-i",
        f"{folder}/ours.json",
        "-m",
        "B",
        "--no-intervals",
    )
    assert "note: lacking has 1 of the 3 texts" in out
    assert "mean over a text's references, then over texts" in out


def test_single_texts_of_other_names_are_not_compared_in_silence(tmp_path):
    (tmp_path / "a.json").write_text('{"alpha": [5, 5]}')
    (tmp_path / "b.json").write_text('{"beta": [4, 6]}')
    done = run("score", f"{tmp_path}/a.json", "-i", f"{tmp_path}/b.json")
    assert done.returncode == 1
    assert "b has none of the 1 text of a (alpha), but beta" in done.stderr


def test_files_of_one_text_say_where_they_part(tmp_path):
    (tmp_path / "r.txt").write_text("one\ntwo\n==========\nthree\n")
    (tmp_path / "h.txt").write_text("one\ntoo\n==========\nthree\nfour\n")
    done = run("score", f"{tmp_path}/r.txt", "-i", f"{tmp_path}/h.txt")
    assert done.returncode == 1
    assert 'they part at line 2: "two" / "too"' in done.stderr


@pytest.mark.slow
def test_output_that_cannot_be_written_is_one_sentence(folder):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fencepost", "score", GOLD, "-i", CAREFUL],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        1,
        "fencepost: the output cannot be written: No space left on device\n",
    )
    closed = f"{sys.executable} -m fencepost metrics >&-"
    done = subprocess.run(["bash", "-c", closed], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_hides_no_missed_gate(folder):
    command = (
        f"{sys.executable} -m fencepost score {GOLD} -i {HASTY} --gate WD=0.01 --per-text | :; "
        "exit ${PIPESTATUS[0]}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "gate" in done.stderr and "Traceback" not in done.stderr


def test_signs_that_a_terminal_would_obey_are_not_passed_on(tmp_path):
    (tmp_path / "g.json").write_text(json.dumps({"a\x1b[31m\nb": [5, 5]}))
    out = ok("score", f"{tmp_path}/g.json", "-i", f"{tmp_path}/g.json", "--per-text")
    assert "\x1b" not in out
    assert "a·[31m·b" in out


def test_long_texts_are_drawn_line_by_line(tmp_path):
    (tmp_path / "g.json").write_text(json.dumps({"d": [20] * 5000}))
    (tmp_path / "h.json").write_text(json.dumps({"d": [19, 21] + [20] * 4998}))
    out = ok("edits", f"{tmp_path}/g.json", "-i", f"{tmp_path}/h.json")
    assert len(out) < 2000
    assert "4998 matches, 1 near miss" in out


def test_the_cost_of_edits_is_of_what_the_metric_divides_by(folder):
    pair = [f"{folder}/gold.json", "-i", f"{folder}/ours.json", "--text", "d1"]
    assert "cost 1 of 9" in ok("edits", *pair, "-m", "S")
    assert "cost 0.5 of 1" in ok("edits", *pair, "-m", "B")
    assert "cost 0.5 of 10" in ok("edits", *pair, "-m", "Sf")


def test_version_and_help():
    assert ok("--version") == f"fencepost {fp.__version__}\n"
    for command in ("score", "edits", "metrics", "demo"):
        assert command in ok("--help")
        assert "usage" in ok(command, "--help")


def test_systems_are_named_where_they_are_given(tmp_path):
    out = ok("score", GOLD, "-i", f"BERT={CAREFUL}", CAREFUL, "--csv", notes=True)
    assert {row["system"] for row in csv_rows(out)} >= {"BERT", "careful"}
    drawn = ok("edits", GOLD, "-i", f"A={CAREFUL}", "--text", "kitchen")
    assert "A 3 segments" in drawn
    done = run("score", GOLD, "-i", f"A={CAREFUL}", f"A={CAREFUL}")
    assert (done.returncode, done.stderr) == (2, "fencepost: A is given twice\n")
    # A file whose own name has the sign is a path.
    odd = tmp_path / "a=b.jsonl"
    odd.write_bytes(Path(CAREFUL).read_bytes())
    out = ok("score", GOLD, "-i", "a=b.jsonl", "--csv", cwd=tmp_path, notes=True)
    assert "a=b" in {row["system"] for row in csv_rows(out)}


def test_a_system_that_is_called_as_the_reference_leaves_both_fingerprints(tmp_path):
    for folder, sizes in (("gold", "[5, 5]"), ("bert", "[4, 6]")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "talks.json").write_text(f'{{"d1": {sizes}}}')
    out = ok("score", "gold/talks.json", "-i", "bert/talks.json", "-m", "B", cwd=tmp_path)
    assert len(re.search(r"data: talks (\w{8}), talks (\w{8})", out).groups()) == 2


@pytest.mark.parametrize("threads", ["0", "abc", "-1", "1.5", "99999"])
def test_a_wrong_number_of_threads_is_one_sentence_of_every_command(threads, tmp_path):
    for words in (["--version"], ["score", str(tmp_path / "*.parquet")]):
        done = run_apart(*words, env={"FENCEPOST_THREADS": threads})
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("fencepost: FENCEPOST_THREADS must be a whole number from 1")
        assert len(done.stderr.splitlines()) == 1
