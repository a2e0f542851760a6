"""doctor, --version, demo, completion: what helps a person before their first file."""

import json
import os
import re
import select
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.cli import COMMANDS, doctor
from fencepost.cli.options import LISTS
from fencepost.study.papers import find
from fencepost.study.papers.base import Line, Paper
from support import DATA, ok, run


def test_without_a_command_the_help_is_printed():
    assert ok() == ok("--help")
    assert [part for part in ("everyday", "study", "help") if f"\n{part}\n" in ok()] == [
        "everyday", "study", "help",
    ]  # fmt: skip


def test_version_with_v_names_what_an_error_report_needs():
    lines = ok("--version", "-v").splitlines()
    assert lines[0] == f"fencepost {fp.__version__}"
    python = ".".join(map(str, sys.version_info[:3]))
    assert lines[1].startswith(f"python    {python} on ")
    assert re.fullmatch(r"compiled  by \w+ .+; instructions in use: [\w -]+", lines[2])
    assert f"threads   {fp.set_threads()} " in lines[3]
    assert any("arrow: pyarrow" in line and "missing" not in line for line in lines)


def test_an_extra_that_is_not_installed_is_named_with_the_way_to_get_it(monkeypatch):
    from importlib import metadata

    known = metadata.version

    def without(name: str) -> str:
        if name == "matplotlib":
            raise metadata.PackageNotFoundError
        return known(name)

    monkeypatch.setattr(metadata, "version", without)
    assert "plot: matplotlib missing (pip install 'fencepost[plot]')" in ok("--version", "-v")


def test_doctor_compares_printed_numbers_and_threads():
    out = ok("doctor")
    equal, all_ = map(int, re.search(r"(\d+) of (\d+) numbers printed in 5 papers", out).groups())
    assert equal == all_ >= 200
    assert re.search(r"(\d+) of \1 metrics have the same counts", out)
    assert "wrong" not in out


def test_doctor_fails_where_a_number_is_another_one(monkeypatch):
    paper = find("lai2023")

    def wrong(run):
        yield Line("here", 0.5, 0.4, "differs")

    monkeypatch.setattr(doctor, "find", lambda name: _with(find(name), paper, wrong))
    done = run("doctor")
    assert done.returncode == 1
    assert "wrong: lai2023, Figure 2, here: printed 0.5, found 0.4" in done.stdout
    assert "Do not trust numbers of this installation" in done.stdout


def _with(paper: Paper, other: Paper, run) -> Paper:
    if paper is not other:
        return paper
    return replace(paper, runs=dict.fromkeys(paper.runs, run))


def test_doctor_fails_where_threads_change_counts(monkeypatch):
    recipe = fp.parse("pk")
    answers = iter([1, 2])

    class Unsteady:
        metric = recipe.metric

        def count(self, pairs):
            return [next(answers)]

    monkeypatch.setattr(doctor, "_recipes", lambda: [Unsteady()])
    done = run("doctor")
    assert done.returncode == 1
    assert "wrong: pk: other counts with several threads" in done.stdout


def test_demo_says_where_its_files_are():
    assert str(DATA) in ok("demo")


def test_demo_copies_its_files_once(tmp_path):
    out = ok("demo", "--copy", tmp_path / "new")
    names = sorted(path.name for path in DATA.iterdir())
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == names
    for line in re.findall(r"^  fencepost (.+)$", out, re.MULTILINE):  # what it proposes works
        ok(*line.split(), cwd=tmp_path / "new")
    again = run("demo", "--copy", tmp_path / "new")
    assert again.returncode == 2
    assert "would be overwritten: give another folder" in again.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_is_a_script_of_its_shell(shell, tmp_path):
    script = tmp_path / f"fencepost.{shell}"
    script.write_text(ok("completion", shell), encoding="utf-8")
    for command in COMMANDS:
        assert command in script.read_text(encoding="utf-8")
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed, so it cannot read the script")
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


MARGIN = ["--margin", "--markdown"]
FNPS = ["FNP1", "FNP2", "FNP3", "FNP4"]
_BASH = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(({count} - 1)); COMP_LINE="{words}"; COMP_POINT=${{#COMP_LINE}}
$(complete -p fencepost | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("fencepost sc", ["score"]),
        ("fencepost score --refer", ["--reference-rule"]),
        ("fencepost score --reference-rule be", ["best"]),
        ("fencepost score -m boundary_f", ["boundary_f"]),
        ("fencepost simulate ty", ["typed"]),
        ("fencepost --vers", ["--version"]),
        ("fencepost formats text", ["textgrid", "text"]),
        ("fencepost reproduce pev", ["pevzner2002"]),
        ("fencepost reproduce pevzner2002 lai", ["lai2023"]),
        ("fencepost findings nltk-d", ["nltk-default-k"]),
        ("fencepost metrics boundary_f", ["boundary_f"]),
        ("fencepost score --from labels", ["labelstudio"]),
        ("fencepost convert --to separ", ["separated"]),
        ("fencepost score --like nl", ["nltk"]),
        ("fencepost agree --like four", ["fournier2012"]),
        ("fencepost probe --against boundary_f", ["boundary_f"]),
        ("fencepost simulate errors --model FNP", FNPS),
        # An option after the files of -i, which takes several.
        ("fencepost score gold.jsonl -i gold.jsonl --pai", ["--paired"]),
        ("fencepost score gold.jsonl -i gold.jsonl ours.jsonl --html a.html --mar", MARGIN),
        ("fencepost tune gold.jsonl -i gold.jsonl --fol", ["--folds"]),
        ("fencepost resegment gold.jsonl -i gold.jsonl --tokeni", ["--tokenizer"]),
        ("fencepost agree gold.jsonl -i gold.jsonl --cha", ["--chance"]),
        ("fencepost score gold.jsonl -i go", ["gold.jsonl"]),
        ("fencepost score gold.jsonl -i gold.jsonl ou", ["ours.jsonl"]),
        # What the help of the command lists, and nothing else.
        ("fencepost score --from set", []),
        ("fencepost score --hyp-from c", ["chat", "conllu", "chunks"]),
        ("fencepost resegment --from set", ["set"]),
        ("fencepost resegment --hyp-from simul", ["simuleval", "simulstream"]),
        ("fencepost convert --to labels", []),
    ],
)
def test_bash_completes(words, wanted, tmp_path):
    script = tmp_path / "fencepost.bash"
    script.write_text(ok("completion", "bash"), encoding="utf-8")
    for name in ("gold.jsonl", "ours.jsonl", "--paired.txt"):
        (tmp_path / name).touch()
    code = _BASH.format(script=script, words=words, count=len(words.split()))
    done = subprocess.run(
        ["bash", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert [one.strip() for one in done.stdout.split("\n") if one.strip()] == wanted


def test_help_and_a_page_say_how_to_get_more():
    top = ok("--help")
    assert "fencepost COMMAND --help\n" in top and "fencepost --version -v\n" in top
    pages = Path(__file__).parents[2] / "docs" / "howto" / "commands.md"
    said = re.findall(r"fencepost completion (\w+) > \S+", pages.read_text(encoding="utf-8"))
    assert said == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_of_shells_have_the_lists_that_help_has(shell):
    script = ok("completion", shell).replace("\\", "")
    assert [name for name in LISTS if f"{{{name}}}" in script] == []
    assert shell == "bash" or "segeval, nltk, fournier2012" in script


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("fencepost sc", "score"),
        ("fencepost agree --consensus-", "--consensus-by"),
        ("fencepost --vers", "--version"),
        ("fencepost formats textg", "textgrid"),
        ("fencepost reproduce pev", "pevzner2002"),
        ("fencepost findings nltk-d", "nltk-default-k"),
        ("fencepost metrics boundary_s", "boundary_similarity"),
        ("fencepost score --from labels", "labelstudio"),
        ("fencepost score --like nl", "nltk"),
    ],
)
def test_fish_completes(words, wanted, tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed, so it cannot complete")
    script = tmp_path / "fencepost.fish"
    script.write_text(ok("completion", "fish"), encoding="utf-8")
    code = f"source {script}; complete -C '{words}'"
    done = subprocess.run(["fish", "-c", code], capture_output=True, text=True, check=True)
    assert wanted in [line.partition("\t")[0] for line in done.stdout.splitlines()]


_ZSH = """
fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D
zstyle ':completion:*' menu no; PROMPT='ready> '; unsetopt beep
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("fencepost resegm", "fencepost resegment"),
        ("fencepost formats textg", "fencepost formats textgrid"),
        ("fencepost reproduce pev", "fencepost reproduce pevzner2002"),
        ("fencepost findings nltk-d", "fencepost findings nltk-default-k"),
        ("fencepost score --from labels", "fencepost score --from labelstudio"),
        ("fencepost score --like nl", "fencepost score --like nltk"),
    ],
)
def test_zsh_completes(words, wanted, tmp_path):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed, so it cannot complete")
    (tmp_path / "_fencepost").write_text(ok("completion", "zsh"), encoding="utf-8")
    (tmp_path / ".zshrc").write_text(_ZSH.format(folder=tmp_path), encoding="utf-8")
    place = {"ZDOTDIR": str(tmp_path), "HOME": str(tmp_path), "TERM": "dumb", "PATH": os.defpath}
    ours, theirs = os.openpty()
    shell = subprocess.Popen(
        ["zsh", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=place, start_new_session=True
    )
    try:
        seen = _read_until(ours, "ready> ")
        os.write(ours, f"{words}\t".encode())
        seen = _read_until(ours, wanted)
        assert wanted in seen
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)
        os.close(theirs)


def _read_until(terminal: int, wanted: str) -> str:
    """What a terminal shows up to some text, or until nothing more comes for ten seconds."""
    seen = ""
    while wanted not in seen and select.select([terminal], [], [], 10)[0]:
        seen += os.read(terminal, 4096).decode(errors="replace")
    return seen


def test_tables_are_written_for_papers_and_for_the_browser(tmp_path):
    gold, system = {"d1": [5, 5], "d2": [3, 4, 5]}, {"d1": [4, 6], "d2": [3, 4, 5]}
    table = fp.score(gold, {"ours": system}, metrics=["B"], baselines=False)
    assert table.to_markdown().startswith("| system | B ↑ |\n|---|---:|\n| ours | ")
    assert r"\begin{tabular}{lr}" in table.to_latex()
    texts = table.part("per-text")
    assert texts.to_markdown().startswith("| text | value |\n|---|---:|\n| d1 | ")
    assert texts.to_latex().count(r"\\") == len(texts) + 1
    table.to_html(tmp_path / "scores.html", title="Ours")
    page = (tmp_path / "scores.html").read_text(encoding="utf-8")
    assert "<title>Ours</title>" in page
    assert json.dumps("d2") in page
