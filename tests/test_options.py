"""Every option is declared once, under one name in Python and on the command line."""

import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import fencepost as fp
import options_page
from fencepost import formats, options
from fencepost.cli import main
from fencepost.cli import score as score_command
from fencepost.cli.options import make_parser, parse_arguments
from fencepost.formats.catalogue import CATALOGUE
from fencepost.formats.registry import Format
from fencepost.metrics.signature import NAMES, READING
from fencepost.model.corpus import CorpusBuilder, Key
from fencepost.options import OPTIONS, SIGNATURE_FIELDS, Option, options_of
from support import put, refused

ROOT = Path(__file__).parent.parent
COMMANDS = sorted({command for one in OPTIONS for command in one.commands})
FUNCTIONS = sorted({function for one in OPTIONS for function in one.functions})
# All functions that people call, but for the metrics, and Table's own makers.
PUBLIC = {
    *(name for name in fp.__all__ if inspect.isfunction(getattr(fp, name))),
    *(f"simulate.{name}" for name in fp.simulate.__all__
      if inspect.isfunction(getattr(fp.simulate, name))),
} - {*fp.METRICS, "metric"}  # fmt: skip
# A command that reads and writes needs two words for what each function calls its format.
FORMATS = {"format": "--from", "hyp_format": "--hyp-from"}


def function_of(name):
    room, _, own = name.rpartition(".")
    return getattr(getattr(fp, room) if room else fp, own)


def test_a_command_takes_every_option_once():
    flags = Counter((command, one.flag) for one in OPTIONS for command in one.commands)
    assert [pair for pair, times in flags.items() if times > 1] == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_option_has_one_name_and_one_default(function):
    parameters = inspect.signature(function_of(function)).parameters
    for one in OPTIONS:
        if function not in one.functions:
            continue
        start = "--no-" if one.type is bool and one.default else "--"
        assert one.flag == FORMATS.get(one.name, start + one.name.replace("_", "-"))
        if function == "read" and one.name not in parameters:
            assert "choices" in parameters  # which are the declared options
            continue
        assert one.name in parameters
        if not function.startswith("simulate."):  # whose amounts are small on the command line
            assert parameters[one.name].default == one.default, one.name


def test_every_other_parameter_is_what_a_function_works_on():
    declared = {name: {one.name for one in OPTIONS if name in one.functions} for name in PUBLIC}
    others = {
        name: set(inspect.signature(function_of(name)).parameters) - declared[name]
        for name in PUBLIC
    }
    assert {*FUNCTIONS} <= PUBLIC
    assert others == {
        "read": {"path", "choices", "idle"},
        "score": {"refs", "hyps"},
        "score_counts": {"counts"},
        "tune": {"refs", "hyps"},
        "agreement": {"corpus", "headline"},
        "consensus": {"corpus", "metric"},
        "operations": {"corpus", "settings"},
        "confusions": {"corpus", "settings"},
        "contrasts": {"corpus", "settings"},
        "write": {"corpus", "path", "format"},  # --to
        "parse": {"text"},
        "set_threads": {"count"},
        "segmenters": {"corpus", "systems", "metric"},
        "probe": {"metric"},
        "resegment": {"references", "hypothesis"},
        # Its settings are those of resegment; metrics and segments are -m, --document and --chop.
        "score_streams": {
            "references",
            "systems",
            "metrics",
            "segments",
            "settings",
        },
        "read_references": {"paths"},
        "read_streams": {"path", "references", "format", "docids"},  # of hypotheses: --hyp-docids
        "look": {"given", "format", "choices"},
        "simulate.references": set(),
        "simulate.coders": set(),
        "simulate.streams": set(),
        "simulate.errors": {"reference"},
        "simulate.typed": {"reference"},
        "simulate.uniform": {"low", "high"},
        "simulate.geometric": {"mean"},
        "simulate.fixed": {"size"},
        "simulate.given": {"sizes"},
        "simulate.sizes_of": {"text"},
        "simulate.shuffled": {"source", "copies", "seed"},
        "simulate.shuffled_corpus": {"corpus", "seed"},
        # Without a command.
        "power": {"given", "difference", "metric", "systems", "average", "power", "alpha",
                  "simulate", "texts", "times", "seed"},
        "score_batches": {"batches", "plan"},
        "score_frame": {"df", "ref", "hyp", "encoding", "metrics", "like", "types", "average",
                        "text", "units", "flags", "gaps", "overlap", "kinds", "kind_names",
                        "by_text"},
        "score_files": {"files", "plan", "hyp", "save", "resume", "strict", "threads", "progress",
                        "dask"},
    }  # fmt: skip


# What a command does is in Python the work of these functions.
IN_PYTHON = {
    "score": ("score", "score_counts"),
    "agree": ("agreement", "consensus", "segmenters"),
    "tune": ("tune",),
    "resegment": ("resegment", "score_streams", "read_references", "read_streams"),
    "look": ("look",),
    "probe": ("probe",),
    "simulate references": ("simulate.references",),
    "simulate errors": ("simulate.errors",),
    "simulate coders": ("simulate.coders",),
    "simulate typed": ("simulate.typed",),
    "simulate stream": ("simulate.streams",),
}
# Options with the name of a parameter that is given in another way: systems, counts, and the
# metrics of resegment, which come beside AS-WER.
GIVEN_OTHERWISE = {"hyps", "counts"}
OTHER_DEFAULT = {("resegment", "metrics")}


@pytest.mark.parametrize("command", IN_PYTHON)
def test_an_option_is_declared_for_the_functions_that_have_its_name(command):
    for one in options_of(command):
        if one.positional or one.name in GIVEN_OTHERWISE or (command, one.name) in OTHER_DEFAULT:
            continue
        for function in IN_PYTHON[command]:
            taken = inspect.signature(function_of(function)).parameters
            assert one.name not in taken or one.functions, (one.name, function)


def test_fields_of_signatures_come_from_the_declarations():
    assert set(SIGNATURE_FIELDS) == NAMES | READING


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_every_option_and_fits_80_columns(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = make_parser(command, "what it does").format_help()
    for one in options_of(command):
        assert re.search(rf"(?<![\w-]){re.escape(one.flag)}(?![\w-])", text), one.flag
    assert max(map(len, text.splitlines())) <= 80
    assert "{" not in re.sub(r"\{(speaker|coder|text|[\w,+-]+)\}", "", text)  # all lists are filled


@pytest.mark.parametrize("command", ["score", "agree", "simulate errors"])
def test_arguments_do_not_change_after_parsing(command):
    words = ["x.json", *(["-i", "y.json"] if command == "score" else [])]
    args = parse_arguments(command, "", words)
    before = dict(vars(args))
    with pytest.raises(AttributeError, match="do not change after parsing"):
        args.seed = 7
    other = args.replace(seed=7)
    assert vars(args) == before and (other.seed, args.seed) == (7, 12345)


def test_values_are_checked_alike_in_python_and_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "x.json"
    path.write_text('{"a": [5, 5]}')
    for name, value in (("threshold", 2.0), ("flags", "middle"), ("levels", "x"), ("units", "m")):
        with pytest.raises(fp.FencepostError) as caught:
            fp.read(path, **{name: value})
        with pytest.raises(SystemExit):
            main(["convert", str(path), "-", "--to", "json", f"--{name}", str(value)])
        told = capsys.readouterr().err
        assert "invalid choice" in told if name == "flags" else str(caught.value) in told


@pytest.mark.parametrize("text", ["x", "1e3", "", "9" * 5000])
def test_what_is_no_whole_number_is_told_like_one_out_of_range(text, tmp_path):
    put(tmp_path, "x.json", {"a": [5, 5]})
    said = refused(2, "score", "x.json", "-i", "x.json", "--resamples", text, cwd=tmp_path)
    assert f"must be a whole number from 100 to 10,000,000, found {text!r:.60}" in said


# CONTRIBUTING: a new option is one declaration, and its use.


def test_a_declared_option_reaches_the_reader(monkeypatch, tmp_path, capsys):
    new = Option("volume", "how loud it is", ("convert",), ("read",), type=int, low=1)
    monkeypatch.setattr(options, "OPTIONS", (*OPTIONS, new))

    def read(text, reading):
        builder = CorpusBuilder()
        builder.add(Key("t", "", "1"), fp.Segmentation.from_masses([reading.volume, 1]))
        return builder.build()

    echo = Format("echo", (".echo",), "", "", read)
    monkeypatch.setattr(formats, "_loaded", lambda: ({"echo": echo}, {}))
    path, target = tmp_path / "x.echo", tmp_path / "x.json"
    path.write_text("x")
    assert fp.read(path, volume=3)["t"].masses == (3, 1)
    with pytest.raises(fp.FencepostError, match="volume must be a whole number from 1 up, found 0"):
        fp.read(path, volume=0)
    assert main(["convert", str(path), str(target), "--volume", "4"]) == 0
    assert "[4, 1]" in target.read_text()
    assert "how loud it is" in make_parser("convert", "").format_help()
    assert "--volume VOLUME" in options_page.page()
    with pytest.raises(SystemExit):
        main(["score", str(path), "--volume", "4"])
    assert "unrecognized arguments: --volume" in capsys.readouterr().err


def test_a_declared_option_reaches_the_function(monkeypatch, tmp_path):
    new = Option("patience", "how long to wait", ("score",), ("score",), type=float, default=1.0)
    monkeypatch.setattr(options, "OPTIONS", (*OPTIONS, new))
    seen = []

    def score(*sides, patience, **others):
        seen.append(patience)
        return fp.score(*sides, **others)

    monkeypatch.setattr(score_command, "score", score)
    path = tmp_path / "x.json"
    path.write_text('{"a": [5, 5]}')
    words = ["score", str(path), "-i", str(path), "-o", str(tmp_path / "out.txt")]
    assert main(words) == 0
    assert main([*words, "--patience", "2.5"]) == 0
    assert seen == [1.0, 2.5]


# What is written about options.


def test_the_page_of_options_is_made_from_the_declarations():
    written = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    assert written == options_page.page(), "run make docs"


def test_documents_name_options_that_there_are():
    known = {one.flag for one in OPTIONS} | {"--help", "--version"}
    known |= {"--strict"}  # of mypy
    known |= {"--times", "--widths", "--tests", "--families"}  # of bench/coverage.py
    known |= {"--resegmented", "--word"}  # of omnisteval
    pages = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    for path in [*pages, *(ROOT / "docs").rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        found = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*(?<!-)(?![\w-])", text))
        assert found <= known, path.name


def test_the_table_of_reading_options_has_their_fields_in_signatures():
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    table = text.partition("| option | says |")[2].partition("\n\n")[0]
    for one in OPTIONS:
        if "read" in one.functions and one.signature:
            row = next(line for line in table.splitlines() if line.startswith(f"| `{one.flag}"))
            assert f"`{one.signature}:" in row


# Starting quickly: what a command does not need is not imported.


def test_the_catalogue_of_formats_is_what_the_formats_say():
    for name, known in CATALOGUE.items():
        one = formats.FORMATS[name]
        assert (one.name, one.endings, one.sure) == (name, known.endings, bool(known.sign))
        assert one.gives == known.gives


def test_scoring_json_imports_no_other_reader_and_nothing_heavy(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"a": [5, 5], "b": [3, 4]}')
    code = (
        "import sys; from fencepost.cli import main\n"
        f"main(['score', {str(path)!r}, '-i', {str(path)!r}, '-o', {str(tmp_path / 'o')!r}])\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    readers = {
        f"fencepost.formats.{known.reader.partition('.')[0]}" for known in CATALOGUE.values()
    }
    expected = {"records", "lines", "chunks", "tables"}
    assert readers & loaded <= {f"fencepost.formats.{name}" for name in expected}
    heavy = {"rich", "importlib.metadata", "email", "hashlib", "statistics", "fractions", "html",
             "xml", "zipfile", "shutil", "fencepost.coders", "fencepost.streams",
             "fencepost.study", "fencepost.report.html"}  # fmt: skip
    assert not heavy & loaded


NUMBERS = [one for one in OPTIONS if one.type in (int, float)]


def test_every_option_with_a_number_has_limits():
    """So that none takes an hour or all memory, and so that an error can say them."""
    assert [one.name for one in NUMBERS if one.low is None or one.high is None] == []
    for one in NUMBERS:
        for value in (one.low, one.high):
            assert one.wrong([value] if one.nargs else value) is None


@pytest.mark.parametrize("value", ["99999999999999999999999", "-99999999999", "nan", "x"])
def test_numbers_beyond_their_limits_are_refused_with_them(value, capsys):
    for one in NUMBERS:
        for command in one.commands:
            words = [word for own in options_of(command) if own.positional and own.nargs != "*"
                     for word in ["file"]]  # fmt: skip
            several = [value] * (one.nargs if isinstance(one.nargs, int) else 1)
            with pytest.raises(SystemExit) as stopped:
                main(
                    [
                        *command.split(),
                        *words,
                        one.flag,
                        *several,
                        *(["-o", "x"] * ("stream" in command)),
                    ]
                )
            assert stopped.value.code == 2
            said = capsys.readouterr().err
            assert said.count("\n") == 1 and "Traceback" not in said
            if value[-1] == "9":
                low, high = (f"{end:,}" if isinstance(end, int) else f"{end:g}"
                             for end in (one.low, one.high))  # fmt: skip
                assert f"from {low} to {high}, found" in said, said


def test_numbers_of_numpy_are_numbers():
    assert Option("n", "", type=int, low=1, high=9).wrong(np.int64(3)) is None
    assert Option("n", "", type=float, low=0, high=1).wrong(np.float64(0.5)) is None
    assert Option("n", "", type=int, low=0, high=9).wrong(np.bool_(True)) is not None
