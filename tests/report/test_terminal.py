"""Drawings in a terminal: as wide as it is, coloured unless NO_COLOR says no."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files

import pytest

import support
from fencepost.report.terminal import OwnStyles, Terminal, inert
from fencepost.report.text import cell_len
from support import signatures_in

pty = pytest.importorskip("pty", reason="pseudo-terminals are Unix's")

COLOUR = re.compile("\x1b\\[[0-9;]*m")


def read_to_the_end(terminal):
    """What programs wrote to the other side, which is an error to read once they ended."""
    out = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            return out
        if not part:
            return out
        out += part


def in_terminal(words, columns, folder=None, code=0, err=False, **environment):
    """What a command writes to a terminal of so many columns: output, or errors and notes."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    done = subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.DEVNULL if err else theirs,
        stderr=theirs if err else subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        cwd=str(folder or files("fencepost") / "data"), env={**env, **environment},
    )  # fmt: skip
    os.close(theirs)
    out = read_to_the_end(ours)
    os.close(ours)
    assert done.wait() == code
    return out.decode("utf-8").replace("\r", "")


EDITS = ["-m", "fencepost", "edits", "gold.jsonl", "-i", "hasty.jsonl", "--text", "kitchen"]


@pytest.mark.slow
def test_edits_are_coloured_on_a_terminal():
    out = in_terminal(EDITS, 80)
    assert COLOUR.search(out)
    piped = subprocess.run([sys.executable, *EDITS], cwd=str(files("fencepost") / "data"),
                           capture_output=True, encoding="utf-8", check=True).stdout  # fmt: skip
    assert not COLOUR.search(piped)
    plain = [line.rstrip() for line in COLOUR.sub("", out).splitlines()]
    assert plain == [line.rstrip() for line in piped.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["score", "gold.jsonl", "-i", "hasty.jsonl", "--columns", "ref=ref,paper=x"], 2),
        (["score", "gold.jsonl", "-i", "hasty.jsonl", "--gap", "9", "--volume", "loud"], 2),
        (["agree", "stargazers.json", "--csv"], 0),
        (["reproduce", "nothing"], 2),
    ],
)
def test_errors_and_notes_are_as_wide_as_the_terminal_and_one_line_elsewhere(words, code):
    program = ["-m", "fencepost", *words]
    wide = {
        columns: in_terminal(program, columns, code=code, err=True, TERM="dumb")
        for columns in (50, 80)
    }
    piped = subprocess.run([sys.executable, *program], cwd=str(files("fencepost") / "data"),
                           capture_output=True, encoding="utf-8", check=False).stderr  # fmt: skip
    assert max(map(len, piped.splitlines())) > 80
    for columns, shown in wide.items():
        out = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|.*(reading|comparing) .*\n", "", shown)
        assert max(map(len, out.splitlines())) <= columns
        assert out.split() == piped.split()


@pytest.mark.slow
def test_no_color_is_obeyed():
    assert not re.search("\x1b\\[[0-9;]*3[0-9]m", in_terminal(EDITS, 80, NO_COLOR="1"))


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_strips_are_wrapped_to_the_terminal(columns):
    out = COLOUR.sub("", in_terminal(EDITS, columns))
    strips = [line for line in out.splitlines() if re.match(r"(gold|hasty) +\d", line)]
    assert strips and max(map(len, strips)) <= columns


def widest(out):
    """The widest line; signatures are copied and stay whole."""
    return max(cell_len(line) for line in out.splitlines() if "|fencepost:" not in line)


LISTS = {
    "words": EDITS,
    "no words": ["-m", "fencepost", "edits", "words.json", "-i", "other.json"],
    "kinds": ["-m", "fencepost", "edits", "talk.csv", "--ref-field", "an1", "--hyp-field", "an2",
              "-m", "Sf"],
    "alignment": [*EDITS, "-m", "A"],
    "Chinese": ["-m", "fencepost", "edits", "wide.jsonl", "-i", "wide_hyp.jsonl", "--flags",
                "last"],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demonstration data, and texts with long names, no words, kinds, and wide letters."""
    made = tmp_path_factory.mktemp("data")
    shutil.copytree(str(files("fencepost") / "data"), made, dirs_exist_ok=True)
    name = "a-text-with-a-rather-long-name-of-its-own"
    (made / "words.json").write_text(json.dumps({name: [5, 4, 6]}), encoding="utf-8")
    (made / "other.json").write_text(json.dumps({name: [4, 5, 3, 3]}), encoding="utf-8")
    words = ["天气很好我们一起去公园散步吧" * 3] * 6
    for path, marks in (("wide", [0, 1, 0, 0, 1, 1]), ("wide_hyp", [1, 0, 0, 1, 0, 1])):
        key = "ref" if path == "wide" else "hyp"
        record = {"id": "d1", key: marks, "units": words}
        (made / f"{path}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    rows = ["text,speaker,token,an1,an2"]
    kinds = [
        ("question", ""),
        ("", "question"),
        ("comma", "period"),
        ("", ""),
        ("period", "period"),
    ]
    for i in range(30):
        one, other = kinds[i % 5]
        rows.append(f"call,{'AB'[i // 15]},token{i},{one},{other}")
    (made / "talk.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("words", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("columns", [40, 80, 160])
def test_everything_that_edits_writes_fits_the_terminal(folder, words, columns):
    out = COLOUR.sub("", in_terminal(words, columns, folder=folder))
    assert 30 <= widest(out) <= columns


@pytest.mark.slow
def test_a_wide_terminal_shows_more_of_the_words():
    narrow, wide = (COLOUR.sub("", in_terminal(EDITS, columns)) for columns in (80, 160))
    assert widest(wide) > 100
    assert len(wide) > 1.2 * len(narrow)


@pytest.mark.slow
def test_columns_holds_for_a_pipe_too():
    def piped(**environment):
        env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
        return subprocess.run([sys.executable, *EDITS], cwd=str(files("fencepost") / "data"),
                              env={**env, **environment}, capture_output=True, encoding="utf-8",
                              check=True).stdout  # fmt: skip

    assert piped() == piped(COLUMNS="80") == piped(COLUMNS="no number") == piped(COLUMNS="0")
    assert widest(piped(COLUMNS="50")) <= 50
    assert widest(piped(COLUMNS="150")) > 100


def printed(code, columns):
    return in_terminal(["-c", f"import fencepost as fp\n{code}"], columns)


SIGNATURE = re.compile(r" *\S+\|\S+(, where \.\.\. is one of)?")
SCORED = """
table = fp.score({f"d{i}": [4, 5, 3] for i in range(9)},
                 {"a-long-system-name": {f"d{i}": [4, 4, 4] for i in range(9)},
                  "other": {f"d{i}": [5, 4, 2 + i % 2, 1 - i % 2][: 4 - i % 2] for i in range(9)}})
"""


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("which", [
    "table", "table.part('per-text')", "table.where(metric='pk')",
    "fp.agreement({'d1': {'a': [5, 5], 'b': [4, 6]}, 'd2': {'a': [5, 5], 'b': [4, 6]}})",
    "fp.probe('pk', properties=['chance']).table().where(verdict='yes')",
])  # fmt: skip
def test_a_table_is_printed_as_wide_as_the_terminal(columns, which):
    out = printed(f"{SCORED}print({which})", columns)
    lines = [line for line in out.splitlines() if not SIGNATURE.fullmatch(line)]
    assert max(map(len, lines)) <= columns


@pytest.mark.slow
def test_scores_are_printed_as_systems_by_metrics():
    out = printed(f"{SCORED}print(table)", 90)
    head, *lines = out.splitlines()
    assert head.split() == ["Pk", "↓", "WindowDiff", "↓", "F", "↑", "B", "↑"]
    labels = [line.split("  ")[0] for line in lines[:8]]
    assert [label for label in labels if label] == [
        "a-long-system-name", "other", "no boundaries", "random", "boundaries"
    ]  # fmt: skip
    assert re.search(r"other +0\.\d{3} .*\n +\[0\.\d{3}, 0\.\d{3}\]", out)
    shown = [one.partition("|")[0] for one in signatures_in(out)]
    assert shown == ["pk", "windowdiff", "boundary_f", "boundary_similarity"]


@pytest.mark.slow
def test_scores_that_are_too_wide_are_turned_with_intervals_below():
    head, pk, interval, *rest = printed(f"{SCORED}print(table)", 80).splitlines()
    assert head.split() == ["a-long-system-name", "other", "no", "boundaries"]
    assert any(line.split() == ["random", "boundaries"] for line in rest)  # in a second block
    assert pk.startswith("Pk ↓  ")
    assert re.fullmatch(r"( +\[0\.\d{3}, 0\.\d{3}\])+ *", interval)
    assert interval.index("[") == pk.index("0.200")
    assert interval.rindex("[") == pk.index("0.256")
    assert "" not in rest[rest.index("") + 1 :][:5]  # no room is left for intervals there are not


@pytest.mark.slow
def test_what_is_the_same_in_all_rows_is_said_once():
    out = printed(f"{SCORED}print(table.part('per-text').where(metric='pk', system='other'))", 80)
    assert out.split()[:2] == ["text", "value"]
    assert out.count("other") == out.count("pk|k:") == 1


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80])
def test_a_resegmentation_is_printed_with_its_segments(columns):
    code = """
refs = [["that only leaves me", "to invite Mister Barroso", "but as soon as possible"]]
found = fp.resegment(refs[0], "I can only but that as soon as possible invite Mister Barroso")
print(found)
print(repr(found))
"""
    *lines, short = printed(code, columns).splitlines()
    assert lines[0].startswith("1 document, 3 segments, 1 reference")
    assert any(re.match(r"AS-WER +\d+\.\d\d ", line) for line in lines)
    assert [line.split()[0] for line in lines if re.match(r" +\d+ +\d+/\d+ ", line)] == list("123")
    assert any("boundaries are certain" in line or "boundary" in line for line in lines)
    assert lines[-1].startswith("as_wer|")
    assert max(len(line) for line in lines if "|fencepost:" not in line) <= columns
    assert short.startswith("<Resegmentation of ")


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["S", "B", "Sf", "SfB"])
def test_the_values_of_streams_add_up_to_that_of_their_text(folder, metric):
    out = COLOUR.sub("", in_terminal([*LISTS["kinds"][:-1], metric], 100, folder=folder))
    costs = re.findall(r"; cost ([\d.]+) of (\d+)$", out, re.MULTILINE)
    heads = re.findall(r"^call(, [AB])?: .* (-?[\d.]+)$", out, re.MULTILINE)
    assert [head[0] for head in heads] == ["", ", A", ", B"]
    for (cost, whole), (_, value) in zip(costs, heads[1:], strict=True):
        assert float(value) == pytest.approx(1 - float(cost) / int(whole), abs=0.0006)
    together = re.search(r"^together: cost (.*) = ([\d.]+) of (\d+); \S+ (-?[\d.]+)$", out,
                         re.MULTILINE)  # fmt: skip
    assert together[1] == " + ".join(f"{cost} of {whole}" for cost, whole in costs)
    assert float(together[2]) == sum(float(cost) for cost, _ in costs)
    assert int(together[3]) == sum(int(whole) for _, whole in costs)
    assert together[4] == heads[0][1]
    assert float(heads[0][1]) == pytest.approx(
        1 - float(together[2]) / int(together[3]), abs=0.0006
    )


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 120])
def test_a_segmentation_is_printed_as_wide_as_the_terminal(columns):
    code = "import fencepost as fp; print(fp.Segmentation(60, [10, 20]))"
    lines = in_terminal(["-c", code], columns).splitlines()
    assert columns - 6 <= max(map(len, lines)) <= columns


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 50, 60])
def test_scores_on_a_narrow_terminal_are_blocks(columns):
    out = printed(f"{SCORED}print(table)", columns)
    lines = [line for line in out.splitlines() if not SIGNATURE.fullmatch(line)]
    assert max(map(len, lines)) <= columns
    words = out.split()
    assert all(words.count(name) >= 1 for name in ("a-long-system-name", "other", "Pk", "B"))
    assert len(re.findall(r"0\.256|\[0\.256", out)) >= 1


# What a name or a text of a file could do to a terminal.

ACT = "\x1b]0;PWNED\x07\x1b[8m\x1b[1m\x9b2J\u202e\u2066"
OWN = re.compile("\x1b\\[(?:[0-9;]*m|2K|1A|\\?25[lh])")  # our styles, and those of the spinner


def hostile_files(folder):
    """Files whose names and content hold escape sequences."""
    sizes = {"d" + ACT: [5, 5], "e": [4, 6], **{f"t{i}": [3, 7] for i in range(5)}}
    named = {text: {"anna" + ACT: own, "ben": [5, 5]} for text, own in sizes.items()}
    (folder / "g.json").write_text(json.dumps(sizes, ensure_ascii=False))
    (folder / "n.json").write_text(json.dumps(named, ensure_ascii=False))
    (folder / f"s{ACT}.json").write_text(json.dumps(sizes, ensure_ascii=False))
    (folder / "x.json").write_text(json.dumps({"d" + ACT: [5, "x" + ACT]}))
    words = f"document\ttext\nd{ACT}\tso we{ACT} went\nd{ACT}\tand then\ne\tit rained\n"
    (folder / "r.tsv").write_text(words)
    (folder / "h.tsv").write_text(words.replace("went", "want"))
    (folder / "d[").mkdir()
    (folder / "d[/]a.json").write_text('{"d": [5, 5]}')


def on_both(words, folder, code=0):
    """What a command writes to a terminal, errors among it."""
    pid, ours = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm", COLUMNS="80")
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, [sys.executable, "-m", "fencepost", *words])
    out = read_to_the_end(ours)
    os.close(ours)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code, out
    return out.decode("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("look g.json", 0),
        ("look s.json", 0),
        ("look x.json", 1),
        ("look n.json", 0),
        ("look none.json", 1),
        ("score g.json -i s.json -m B WD --resamples 100", 0),
        ("score g.json -i s.json -m B --csv --per-text --resamples 100", 0),
        ("score g.json -i s.json -m B --json --resamples 100", 0),
        ("score g.json -i s.json -m nope", 2),
        ("edits g.json -i s.json", 0),
        ("convert g.json - --to tsv", 0),
        ("convert n.json - --to jsonl", 0),
        ("agree n.json --all --draws 20", 0),
        ("agree n.json --csv --table coders --draws 20", 0),
        ("resegment r.tsv -i h.tsv", 0),
        ("resegment r.tsv -i h.tsv -o -", 0),
    ],
)
def test_nothing_in_a_file_acts_on_a_terminal(tmp_path, words, code):
    hostile_files(tmp_path)
    out = on_both([f"s{ACT}.json" if w == "s.json" else w for w in words.split()], tmp_path, code)
    assert "PWNED" in out or code == 2 or "none.json" in words
    left = OWN.sub("", out)
    assert not set(left) & set("\x1b\x07\x9b\u202e\u2066"), left
    assert "\x1b[8m" not in out and "Traceback" not in out
    styles = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m"}
    if "edits" not in words:
        assert set(re.findall("\x1b\\[[0-9;]*m", out)) <= styles


@pytest.mark.slow
def test_a_name_with_brackets_is_no_markup(tmp_path):
    hostile_files(tmp_path)
    out = on_both(["look", "d[/]a.json"], tmp_path)
    assert "d[/]a.json" in out and "Traceback" not in out


@pytest.mark.slow
@pytest.mark.parametrize("words", ["convert g.json - --to tsv", "score g.json -i g.json -m B --csv"
                                   " --per-text --no-intervals"])  # fmt: skip
def test_files_and_pipes_keep_every_sign(tmp_path, words):
    hostile_files(tmp_path)
    done = subprocess.run([sys.executable, "-m", "fencepost", *words.split()], cwd=tmp_path,
                          capture_output=True, check=True)  # fmt: skip
    assert ("d" + ACT).encode() in done.stdout


def test_text_output_has_no_signs_that_turn_its_direction(tmp_path):
    hostile_files(tmp_path)
    out = support.ok("look", "g.json", cwd=tmp_path)
    assert not set(out) & set(ACT) & set("\x1b\x07\x9b\u202e\u2066")


def test_a_terminal_obeys_only_our_own_styles():
    out = io.StringIO()
    terminal = Terminal(out)
    terminal.write(f"a{ACT}\tb\n")
    terminal.writelines(["\r", OwnStyles("\x1b[1mbold\x1b[0m")])
    print(OwnStyles("\x1b[2mdim\x1b[0m"), file=terminal)
    terminal.buffer.write(f"c{ACT}\xff".encode("latin-1", "replace"))
    shown = inert(f"a{ACT}\tb\n") + "·\x1b[1mbold\x1b[0m\x1b[2mdim\x1b[0m\n"
    assert out.getvalue().startswith(shown)
    assert out.getvalue().count("\x1b") == 4
