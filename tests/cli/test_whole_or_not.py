"""What cannot be written is refused at once, and no error follows half an output."""

import json
import sys

import pytest

import fencepost.report.figures
import fencepost.report.html
from fencepost.cli import COMMANDS, PARTS
from fencepost.cli.outputs import held_output, say
from fencepost.model.checks import FencepostError
from fencepost.options import OPTIONS, options_of
from support import ok, put, refused, run

# Whatever these files are called, they are what their option says.
ANY_ENDING = {"output", "html", "differences", "write", "omnisteval", "html_per_coder"}
TARGETS = [
    (command, one)
    for command in (*COMMANDS, *PARTS)
    for one in options_of(command)
    if one.file == "out" and one.endings
]


@pytest.mark.parametrize(("command", "option"), TARGETS, ids=lambda one: getattr(one, "name", one))
def test_an_ending_that_cannot_be_is_refused_before_anything_is_read(command, option, tmp_path):
    """There is no input, and that is not what the sentence is about."""
    others = [
        word
        for one in options_of(command)
        if one is not option
        for word in ([] if one.positional else [one.short or one.flag]) + ["5"]
        if (one.positional and one.nargs not in ("*", "?")) or one.required
    ]
    named = [] if option.positional else [option.short or option.flag]
    said = refused(2, *command.split(), *others, *named, "x.exe", cwd=tmp_path)
    assert said.startswith(" ".join([*named, "x.exe: "])) and option.endings[0].strip(".") in said
    assert not [*tmp_path.iterdir()]


def test_every_output_declares_its_endings():
    of_score = {("save", ("score",))}  # a folder, where it scores many files
    assert {
        one.name
        for one in OPTIONS
        if one.file == "out" and not one.endings and (one.name, one.commands) not in of_score
    } == ANY_ENDING


def test_counts_of_score_have_an_ending_too(tmp_path):
    put(tmp_path, "a.json", {"d": [5, 5]})
    said = refused(2, "score", "a.json", "-i", "a.json", "--save", "x.exe", cwd=tmp_path)
    assert "--save x.exe.csv" in said


def test_a_format_that_is_named_needs_no_ending(tmp_path):
    put(tmp_path, "a.json", {"d": [5, 5]})
    ok("convert", "a.json", "x.exe", "--to", "json", cwd=tmp_path)
    said = refused(2, "convert", "a.json", "y.exe", cwd=tmp_path)
    assert "--to json" in said
    said = refused(2, "agree", "a.json", "--consensus", "y.exe", cwd=tmp_path)
    assert "--to" not in said


LATE = {  # with a page or a picture, which fails when everything else is done
    "score a.json -i a.json --html p.html": "write_html",
    "agree c.json --draws 2 --html p.html": "write_html",
    "resegment w.txt -i w.txt --html p.html": "write_html",
    "probe pk --properties symmetric --html p.html": "write_html",
    "tune p.jsonl -i p.jsonl --flags last -m B --html p.html": "write_html",
    "reproduce diaz2022 --fast --html p.html": "write_html",
    "probe pk --plot p.png": "save",
    "tune p.jsonl -i p.jsonl --flags last -m B --plot p.png": "save",
    "reproduce diaz2022 --fast --plot p.png": "save",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", LATE)
def test_a_late_error_follows_no_output(command, tmp_path, monkeypatch):
    def fail(*_):
        raise FencepostError("it cannot be drawn")

    if "--plot" in command:
        pytest.importorskip("matplotlib")
    put(tmp_path, "a.json", {"d": [5, 5], "e": [4, 6]})
    put(tmp_path, "c.json", {"d": {"anna": [5, 5], "ben": [4, 6]}})
    put(tmp_path, "w.txt", "a b\nc d\n")
    rows = [{"id": f"{i}", "ref": [0, 1, 0, 1], "hyp": [0.1, 0.8, i / 10, 0.9]} for i in range(5)]
    put(tmp_path, "p.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    words = command.split()
    target = fencepost.report.html if LATE[command] == "write_html" else fencepost.report.figures
    monkeypatch.setattr(target, LATE[command], fail)
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("fencepost: it cannot be drawn\n")


@pytest.mark.parametrize("field", ["speaker", "level", "file"])
def test_a_table_that_cannot_be_is_refused_before_the_report(field, tmp_path):
    put(tmp_path, "a.json", {"d": [5, 5], "e": [4, 6]})
    command = ["score", "a.json", "-i", "a.json", "--by", field, "--save", "c.csv", "-o", "o.txt"]
    refused(2 if field == "speaker" else 1, *command[:-4], cwd=tmp_path)
    refused(2 if field == "speaker" else 1, *command, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_output_and_sentences_keep_their_order(capfd):
    say("before")
    with held_output():
        print("one")
        say("between")
        sys.stdout.buffer.write(b"two\n")
        with held_output():
            print("three")
        assert capfd.readouterr() == ("", "before\n")
    assert capfd.readouterr() == ("one\ntwo\nthree\n", "between\n")
    with pytest.raises(FencepostError), held_output():
        _say_and_fail()
    assert capfd.readouterr() == ("", "written\n")


def _say_and_fail():
    print("one")
    say("written")
    raise FencepostError("no")
