"""What files hold stays data: no code runs, no file is named, no other program obeys it."""

import ast
import csv
import importlib.metadata
import io
import json
import re
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import fencepost as fp
from fencepost.report.markup import to_csv
from fencepost.scoring.tables import Table
from pages import HOSTILE
from support import ok, put, run, run_apart

ROOT = Path(__file__).parent.parent
SOURCES = sorted(Path(fp.__file__).parent.rglob("*.py"))


# Code.

RUNS_CODE = {"eval", "exec", "compile", "__import__"}
UNSAFE = {"pickle", "marshal", "shelve", "dill", "subprocess", "code", "runpy", "imp"}


def test_no_setting_or_file_is_run_or_unpickled():
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called in RUNS_CODE or called in ("os.system", "os.popen", "yaml.unsafe_load"):
                    found.add((path.name, called))
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [alias.name for alias in node.names]
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                found |= {(path.name, name) for name in names if name.split(".")[0] in UNSAFE}
    # One formula is compiled: that of a metric of ours, with names c0, c1, ... and numbers.
    assert found == {("single.py", "exec")}


def test_a_setting_is_never_code(tmp_path):
    put(tmp_path, "g.json", {"d1": [5, 5]})
    for metric in ("WD:k=__import__('os').mkdir('x')", "Sf:costs=open('x','w')", "F:tolerance={1}"):
        done = run("score", "g.json", "-i", "g.json", "-m", metric, cwd=tmp_path)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["g.json"]


def test_only_a_file_that_the_command_names_is_run(tmp_path):
    # A signature in a file of counts names code too; it is not looked for beside the counts.
    put(tmp_path, "own.py", "print('run')\ndef close(ref, hyp):\n    return 1.0\n")
    put(tmp_path, "g.json", {"d1": [5, 5], "d2": [4, 6]})
    given = ("score", "g.json", "-i", "g.json", "-m", "own.py:close", "--save", "c.csv")
    assert run(*given, cwd=tmp_path).returncode == 0
    put(tmp_path, "own.py", "open('ran', 'w')\n")
    assert run_apart("score", "--counts", "c.csv", cwd=tmp_path).returncode == 0
    assert run_apart("diff", "c.csv", "c.csv", cwd=tmp_path).returncode == 0
    assert run_apart("score", "g.json", "-i", "g.json", "--gate", "c.csv", cwd=tmp_path).returncode
    assert not (tmp_path / "ran").exists()
    put(tmp_path, "own.py", "raise SystemExit('no')\n")
    done = run("score", "g.json", "-i", "g.json", "-m", "own.py:close", cwd=tmp_path)
    said = "own.py ended the program (SystemExit: no) when it was loaded; put what is to run alone"
    assert done.returncode == 2 and said in done.stderr


# XML and YAML.

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "lol"}">' for i in range(10))
XML = {
    "bomb": (f"<!DOCTYPE a [{LAUGHS}]>", "&l9;"),
    "quadratic": (f'<!DOCTYPE a [<!ENTITY l "{"x" * 50_000}">]>', "&l;" * 10_000),
    "file": ('<!DOCTYPE a [<!ENTITY l SYSTEM "{secret}">]>', "&l;"),
    "parameter": ('<!DOCTYPE a [<!ENTITY % l SYSTEM "{secret}"> %l;]>', "x"),
    "dtd": ('<!DOCTYPE a SYSTEM "{secret}">', "x"),
}
FILES = {
    "x.eaf": "{head}<ANNOTATION_DOCUMENT><TIME_ORDER/><TIER TIER_ID='a'><ANNOTATION>"
    "<ALIGNABLE_ANNOTATION><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION>"
    "</ANNOTATION></TIER></ANNOTATION_DOCUMENT>",
    "x.xml": "{head}<dataset id='d'><doc id='a'><ref translator='A'><p><seg id='1'>{value}</seg>"
    "</p></ref></doc></dataset>",
    "x.sgm": "{head}<refset setid='s' refid='r'><doc docid='a'><seg id='1'>{value}</seg></doc>"
    "</refset>",
    "x.html": "{head}<h1>{value}</h1><p>a b</p><h2>c</h2><p>d</p>",
    "x.md": "{head}\n# {value}\na\n# b\nc\n",
}


@pytest.mark.parametrize("bad", XML)
@pytest.mark.parametrize("name", FILES)
def test_entities_are_not_followed(tmp_path, name, bad):
    secret = put(tmp_path, "secret.txt", "the secret")
    head, value = (part.replace("{secret}", secret.as_uri()) for part in XML[bad])
    declared = "<?xml version='1.0'?>" if name in ("x.eaf", "x.xml") else ""
    path = put(tmp_path, name, declared + FILES[name].format(head=head, value=value))
    for command in (["look", path], ["resegment", path, "-i", path], ["convert", path, "-", "--to",
                     "jsonl"]):  # fmt: skip
        done = run(*command)
        assert done.returncode in (0, 1, 2)
        assert len(done.stdout) < 1_000_000 and "the secret" not in done.stdout + done.stderr
        # Sets of mteval have a DOCTYPE, for which nothing is fetched.
        if (name == "x.eaf" or (name == "x.xml" and bad != "dtd")) and done.returncode == 0:
            pytest.fail("XML with entities was read")


# Files are written where the command says.

PATHS = ["../../x", "..", ".", "/etc/x", "a/b", "a\\b", "C:x", "nul\x00", "x" * 300, "A", "a",
         "~root", "-rf", "é" * 200, "x.rest", "\u202egpj"]  # fmt: skip


def test_names_of_annotators_name_no_file_outside_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    put(tmp_path, "in/c.json", {f"d{i}": {name: [5, i + 1] for name in PATHS} for i in range(2)})
    done = run("agree", "in/c.json", "--html-per-coder", "in/pages", "--draws", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "in" / "pages").iterdir())
    assert len({page.name.lower() for page in pages}) == len(PATHS)
    assert all(page.name.endswith(".html") and page.name[0] not in ".-~" for page in pages)
    written = {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*")}
    assert written == {("in",), ("in", "c.json"), ("in", "pages")}


def test_names_of_texts_name_no_file(tmp_path):
    put(tmp_path, "g.json", {name: [5, 5] for name in PATHS})
    put(tmp_path, "ref.tsv", "document\ttext\n" + "".join(f"{p}\ta b\n" for p in PATHS[:6]))
    commands = (
        "score g.json -i g.json --per-text --save c.csv -o o.txt --html p.html",
        "convert g.json x.jsonl",
        "simulate errors g.json -o e.json",
        "resegment ref.tsv -i ref.tsv -o r.jsonl --html r.html",
    )
    for command in commands:
        assert run(*command.split(), cwd=tmp_path).returncode == 0, command
    names = {path.name for path in tmp_path.rglob("*")}
    assert names == {"g.json", "ref.tsv", "c.csv", "o.txt", "p.html", "x.jsonl", "e.json",
                     "r.jsonl", "r.html"}  # fmt: skip


# Spreadsheets.

FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "-x"]


def _cells(text):
    rows = list(csv.reader(io.StringIO(text)))
    return [(column, cell) for row in rows for column, cell in zip(rows[0], row, strict=True)]


def test_no_cell_of_a_report_is_a_formula(tmp_path):
    texts = {name: [5, 5, i + 1] for i, name in enumerate(FORMULAS)}
    put(tmp_path, "g.json", texts)
    put(tmp_path, "=h.json", {name: [5, 4, 2 + i] for i, name in enumerate(FORMULAS)})
    coders = {t: {name: [5, 5] if i % 2 else [4, 6] for i, name in enumerate(FORMULAS)}
              for t in FORMULAS[:3]}  # fmt: skip
    put(tmp_path, "c.json", coders)
    put(tmp_path, "words.tsv", "document\ttext\n=d\t=1+1 a b\n-e\t@x y\n")
    put(tmp_path, "f.csv", "text,group\n" + "".join(f'"{t}",{FORMULAS[0]}\n' for t in FORMULAS))
    commands = (
        ["score", "g.json", "-i", "=h.json", "--csv"],
        ["score", "g.json", "-i", "=h.json", "--csv", "--table", "per-text"],
        ["agree", "c.json", "--draws", "2", "--csv", "--table", "coders"],
        ["agree", "c.json", "--draws", "2", "--csv", "--table", "places"],
        ["agree", "c.json", "--draws", "2", "-q", "--differences", "d.csv"],
        ["resegment", "words.tsv", "-i", "words.tsv", "--csv", "--table", "segments"],
    )
    seen = 0
    for command in commands:
        done = run(*command, cwd=tmp_path)
        if command[-2] == "--table" and "invalid" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "d.csv").read_text() if "d.csv" in command else done.stdout
        for column, cell in _cells(text):
            acts = cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert not acts or re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell), (command, column, cell)
            seen += cell.startswith("'")
    assert seen > 20


def test_numbers_of_a_report_stay_numbers():
    rows = ({"name": "=x", "value": -0.5, "count": -3, "text": "-7", "none": None},)
    table = Table(tuple(rows[0]), rows)
    assert to_csv(table) == "name,value,count,text,none\n'=x,-0.5,-3,-7,\n"


def test_saved_counts_and_converted_files_have_names_as_they_are(tmp_path):
    texts = {name: [5, 5] for name in FORMULAS if name.strip() == name}
    put(tmp_path, "g.json", texts)
    ok("score", "g.json", "-i", "g.json", "-q", "--save", "c.csv", cwd=tmp_path)
    found = json.loads(ok("score", "--counts", "c.csv", "--json", cwd=tmp_path))
    assert found["facts"]["texts"] == len(texts)
    with (tmp_path / "c.csv").open(newline="") as file:
        assert {row["text"] for row in csv.DictReader(file)} == {*texts}
    for target in ("x.jsonl", "x.tsv", "x.csv"):
        done = run("convert", "g.json", target, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert set(fp.read(tmp_path / target).texts) == {*texts}


# Markdown and LaTeX.


def _hostile(tmp_path):
    put(tmp_path, "g.json", {f"t{word}": [5, 5] for word in HOSTILE})
    nasty = [*HOSTILE, "[x](javascript:alert(1))", "![x](http://x.y/z)", "a|b", "`c`",
             "\\input{/x}", "$x$", "%x", "a\n\n# b"]  # fmt: skip
    systems = {word: {f"t{text}": [4, 6] for text in HOSTILE} for word in nasty}
    put(tmp_path, "h.json", systems)
    return "score", "g.json", "-i", "h.json", "-m", "pk", "--resamples", "100"


def test_names_do_nothing_in_markdown(tmp_path):
    text = ok(*_hostile(tmp_path), "--markdown", cwd=tmp_path, notes=True)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    tags = set(re.findall(r"<([a-z0-9]+)", html))
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "br", "strong", "code"}, tags


def test_names_do_nothing_in_latex(tmp_path):
    text = ok(*_hostile(tmp_path), "--latex", cwd=tmp_path, notes=True)
    known = {"begin", "end", "toprule", "midrule", "bottomrule", "textbf", "textbackslash",
             "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar",
             "textasciigrave", "downarrow", "uparrow", "pm", "par", "footnotesize", "usepackage",
             "times"}  # fmt: skip
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert set(re.findall(r"\\([A-Za-z]+)", "\n".join(lines))) <= known
    assert all("%" not in line.replace("\\%", "") for line in lines)
    assert all(line.count("$") % 2 == line.count("\\$") % 2 for line in lines)


# The page that says so.


def test_every_dependency_is_listed_with_its_versions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {}
    for extra, wanted in (("", project["dependencies"]), *project["optional-dependencies"].items()):
        if extra in ("test", "lint", "docs", "all"):
            continue
        for one in wanted:
            name, versions = re.match(r"([A-Za-z0-9_-]+)(?:\[\w+\])?(.*)", one).groups()
            if name != "fencepost":
                declared[name.lower()] = (versions, extra or "always")
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|", page, re.MULTILINE)
    listed = {name: (versions, needed) for name, versions, _, needed in rows if name != "package"}
    assert listed == declared
    assert re.search(r"\(versions of \d{1,2} [A-Z][a-z]+ 20\d\d\)", page)
    for name, _, tested, _ in rows:
        if re.fullmatch(r"[\d.]+", tested):
            assert importlib.metadata.version(name), name
