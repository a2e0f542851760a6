"""No line that a command prints for people is wider than the terminal, of 80 or 60 columns."""

import json
import re
import shutil

import pytest

import fencepost as fp
from fencepost.cli import COMMANDS, PARTS
from fencepost.formats import FORMATS
from fencepost.metrics.signature import Signature
from fencepost.model.join import BASELINES
from fencepost.report.text import cell_len
from fencepost.study.findings import FINDINGS
from fencepost.study.papers import KEYS
from support import DATA, parts_of, run, signatures_in

COLUMNS = (80, 60)
ALONE = [name for name in {**COMMANDS, **PARTS} if not any(p.startswith(f"{name} ") for p in PARTS)]

# The exceptions: what is copied as a whole stays on one line.
COPIED = re.compile(
    r"(?:like \S+: +|\w+: )?\S+\|\S+(?:, where \.\.\. is one of)?"  # a signature
    r"|(\$ )?fencepost .+"  # a command
    r"|written: .+|(?:\S+ )*\S*/\S{40,}.*"  # a path
)
CODE = re.compile(r" {4}|>>> |\.\.\. ")  # formulas, examples of files, proofs, doctests
SHOW_CODE = ("metrics", "formats", "findings")


def too_wide(out: str, command: str = "", columns: int = 80) -> list[str]:
    """Return the lines that are wider than the terminal and are not copied as a whole."""
    if command in SHOW_CODE:
        out = re.sub(r"(?m)^>>> .*\n(.+\n)*", "", out)  # an example and what it prints
    return [
        line
        for line in out.splitlines()
        if cell_len(line) > columns
        and not COPIED.fullmatch(line.strip())
        and not (command in SHOW_CODE and CODE.match(line))
    ]


LISTS = {
    "help": [],
    "--help": ["--help"],
    "simulate --help": ["simulate", "--help"],
    **{f"{name} --help": [*name.split(), "--help"] for name in ALONE},
    "--version -v": ["--version", "-v"],
    "metrics": ["metrics"],
    **{f"metrics {name}": ["metrics", name] for name in fp.METRICS},
    "formats": ["formats"],
    **{f"formats {name}": ["formats", name] for name in FORMATS},
    "reproduce": ["reproduce"],
    "findings": ["findings"],
    **{f"findings {one.name}": ["findings", one.name] for one in FINDINGS},
    "demo": ["demo"],
    "demo --copy": ["demo", "--copy", "{folder}/copied"],
    "doctor": ["doctor"],
}

SCORE = ["score", "gold.jsonl", "-i", "careful.jsonl", "hasty.jsonl"]
AGREE = ["agree", "stargazers.json", "--resamples", "50", "--draws", "20"]
SPEECH = ["speech.ref1.txt", "speech.ref2.txt", "-i", "speech.hyp.txt"]
OUTPUTS = {
    "look": ["look", "gold.jsonl"],
    "look of words": ["look", "speech.hyp.txt"],
    "look of annotators": ["look", "stargazers.json"],
    "score": SCORE,
    "score of many metrics": [*SCORE, "-m", "pk", "windowdiff", "F", "P", "R", "B", "A", "ghd"],
    "score --paired": [*SCORE, "--paired"],
    "score --all-pairs": [*SCORE, "--all-pairs", "-m", "pk", "B"],
    "score --per-text": [*SCORE, "--per-text"],
    "score --conventions": [*SCORE, "--conventions"],
    "score --like": [*SCORE, "--like", "segeval"],
    "score of long names": ["score", "big.json", "-i", "a_system_with_a_long_name.json",
                            "another_system_with_a_long_name.json", "--paired"],
    "score --baselines": ["score", "big.json", "-i", "a_system_with_a_long_name.json", "--average",
                          "both"],
    "agree": AGREE,
    "agree --all": [*AGREE, "--all"],
    "agree --differences": [*AGREE, "--differences", "5"],
    "agree -i": [*AGREE, "-i", "system.json"],
    "edits": ["edits", "gold.jsonl", "-i", "hasty.jsonl"],
    "diff": ["diff", "before.json", "after.json"],
    "tune": ["tune", "dev.jsonl", "-i", "probs.jsonl", "--flags", "last"],
    "tune of several": ["tune", "dev.jsonl", "-i", "probs.jsonl", "--flags", "last", "-m", "pk",
                        "B", "F"],
    "resegment": ["resegment", *SPEECH],
    "resegment of all metrics": ["resegment", *SPEECH, "-m", "bleu", "chrf", "ter", "wer", "per"],
    "resegment of all segments": ["resegment", *SPEECH, "--show", "2", "--document", "--chop"],
    "score --margin": ["score", "gold.jsonl", "-i", "llama3_70b_zero_shot_prompt_v2.jsonl",
                       "roberta_large_wikisection_s42.jsonl", "--paired", "--all-pairs",
                       "--margin", ".1"],
    "probe": ["probe", "pk"],
    "probe --list": ["probe", "--list"],
    "probe --against": ["probe", "B", "--against", "pk", "windowdiff"],
    "simulate": ["simulate", "references", "-o", "{folder}/made.json"],
    "convert": ["convert", "gold.jsonl", "{folder}/converted.json"],
    "metrics SIGNATURE": ["metrics", "pk|k:auto-half-up|pad:none|flags:last|avg:macro|bs:t|"
                          "test:randomization,10000|against:a|adjust:minp,4|fencepost:0.2.0"],
    "metrics SIGNATURE of agreement": ["metrics", "boundary_similarity|n_t:2|matching:optimal|"
                                       "chance:sizes,400|seed:12345|interval:both|fencepost:0.2.0"],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The bundled files, and what the commands above read besides."""
    made = tmp_path_factory.mktemp("widths")
    for columns in COLUMNS:
        (made / str(columns)).mkdir()
    shutil.copytree(DATA, made, dirs_exist_ok=True)

    def write(name: str, content: object) -> None:
        (made / name).write_text(json.dumps(content) + "\n", encoding="utf-8")

    stars = json.loads((made / "stargazers.json").read_text(encoding="utf-8"))
    items = stars.get("items", stars)
    write("system.json", {text: next(iter(own.values())) for text, own in items.items()})
    write("big.json", {f"d{i}": [4, 5, 3, 2 + i % 3] for i in range(9)})
    write("a_system_with_a_long_name.json", {f"d{i}": [4, 5, 5 + i % 3] for i in range(9)})
    write("another_system_with_a_long_name.json",
          {f"d{i}": [3, 6, 3, 2 + i % 3] for i in range(9)})  # fmt: skip
    for name, own in (("llama3_70b_zero_shot_prompt_v2", "careful"),
                      ("roberta_large_wikisection_s42", "hasty")):  # fmt: skip
        shutil.copy(made / f"{own}.jsonl", made / f"{name}.jsonl")
    write("dev.jsonl", {"id": "d1", "ref": [0, 1, 0, 0, 1, 0, 1]})
    write("probs.jsonl", {"id": "d1", "hyp": [0.1, 0.7, 0.3, 0.2, 0.6, 0.4, 0.9]})
    for name, hypothesis in (("before", "careful"), ("after", "hasty")):
        run("score", "gold.jsonl", "-i", f"{hypothesis}.jsonl", "-o", f"{name}.json", "--json",
            cwd=made)  # fmt: skip
    return made


def printed(words, folder, columns=80):
    words = [word.replace("{folder}", f"{folder}/{columns}") for word in words]
    done = run(*words, cwd=folder, env={"COLUMNS": str(columns)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("words", [*LISTS.values(), *OUTPUTS.values()], ids=[*LISTS, *OUTPUTS])
def test_no_line_is_wider_than_the_terminal(words, columns, folder):
    assert too_wide(printed(words, folder, columns), "".join(words[:1]), columns) == []


def test_what_is_copied_is_told_from_what_is_read():
    long = " ".join(["word"] * 20)
    signature = "|".join(["pk", *(f"field{i}:value" for i in range(12)), "fencepost:0.2.0"])
    assert too_wide(f"{long}\n{signature}\n    {long}\n") == [long, f"    {long}"]
    assert too_wide(f"{long}\n    {long}\n", "formats") == [long]
    assert too_wide("天气" * 21) == ["天气" * 21]


@pytest.mark.slow
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("paper", KEYS)
def test_the_numbers_of_a_paper_fit_the_terminal(paper, columns):
    env = {"COLUMNS": str(columns), "FENCEPOST_DATA": ""}
    out = run("reproduce", paper, "--fast", env=env).stdout
    assert out and too_wide(out, "", columns) == []


@pytest.mark.slow
@pytest.mark.parametrize("columns", COLUMNS)
def test_the_proofs_of_findings_fit_the_terminal(columns):
    done = run("findings", "--run", env={"COLUMNS": str(columns), "FENCEPOST_DATA": ""})
    assert done.returncode == 0 and too_wide(done.stdout, "", columns) == []


# Signatures: what several have in common is printed once.


def fields(signature):
    first, *others = signature.split("|")
    return first, *sorted(others)


@pytest.mark.parametrize("name", ["score", "score of many metrics", "agree", "agree --all"])
def test_common_parts_of_signatures_are_printed_once_and_can_be_put_back(name, folder):
    shown = signatures_in(printed(OUTPUTS[name], folder))
    made = json.loads(printed([*OUTPUTS[name], "--json"], folder))
    full = {row["signature"] for row in made["rows"] if row.get("system") not in BASELINES}
    assert {*map(fields, shown)} <= {*map(fields, full)}
    assert len(shown) == (3 if name == "agree" else len(full))  # JSON has all coefficients
    if len(shown) > 2:
        metrics = {Signature(one).metric for one in shown}  # each has its common part once
        assert printed(OUTPUTS[name], folder).count("fencepost:") <= max(3, len(metrics))
        explained = printed(["metrics", shown[-1]], folder)
        assert explained.startswith(Signature(shown[-1]).metric)


def test_two_signatures_are_printed_whole_and_three_with_what_they_share(folder):
    shared = ", where ... is one of"
    assert shared not in printed([*SCORE, "-m", "pk", "B"], folder)
    assert shared in printed([*SCORE, "-m", "pk", "B", "F"], folder)
    three = fp.score({"d": [5, 5]}, {"d": [4, 6]}, metrics=["pk", "B", "F"])
    for table in (three, three.part("per-text"), fp.agreement({"d": {"a": [5, 5], "b": [4, 6]}})):
        forms = [str(table), table.to_markdown(), table.to_latex()]
        assert all(shared in form.replace("`", "") for form in forms)
        whole = [*map(parts_of, dict.fromkeys(table.column("signature")))]
        for form in forms:
            assert {*map(parts_of, signatures_in(form))} <= {*whole}
            assert len(signatures_in(form)) == 3


@pytest.mark.parametrize("command", [["metrics"], [*SCORE, "--signature"]])
def test_the_common_part_of_signatures_alone_is_told_what_it_lacks(command, folder):
    common = "...|flags:last|avg:macro|fencepost:0.2.0"
    done = run(*command, common, cwd=folder)
    assert done.returncode == 2
    assert f"{common}: this is what several signatures share" in done.stderr
