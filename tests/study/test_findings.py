"""Findings: every proof holds, the page is current, and the command says what it did."""

import re
from dataclasses import replace

import pytest

import findings_page
from fencepost.cli.findings import markdown
from fencepost.study.findings import FINDINGS, Finding, find, papers
from support import run


@pytest.mark.slow
@pytest.mark.parametrize("one", FINDINGS, ids=lambda one: one.name)
def test_a_proof_holds(one):
    if one.data and one.missing():
        pytest.skip(one.missing())
    found = one.run()
    assert found.verdict == "holds", found.why


def test_names_are_unique():
    names = [one.name for one in FINDINGS]
    assert len(set(names)) == len(names) >= 20


@pytest.mark.parametrize("one", FINDINGS, ids=lambda one: one.name)
def test_a_claim_is_one_sentence_that_can_be_read(one):
    assert re.search(r"[.]$", one.claim) and not re.search(r"[.] [A-Z]", one.claim)
    for sentence in re.split(r"(?<=[.;:]) ", f"{one.claim} {one.right}"):
        assert len(sentence.split()) <= 25, sentence


def test_a_proof_compares_something():
    for one in FINDINGS:
        outputs = [line for line in one.lines.splitlines() if not line.startswith((">>>", "..."))]
        assert outputs, one.name


def test_the_page_is_made_from_the_findings():
    assert findings_page.PAGE.read_text(encoding="utf-8") == findings_page.page(), "run make docs"


def test_without_a_name_all_are_listed():
    done = run("findings")
    assert done.returncode == 0
    assert all(f"{one.name}: {one.about}\n" in done.stdout for one in FINDINGS)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_one_is_explained_with_its_proof():
    done = run("findings", "equation-12")
    assert done.stdout.startswith("equation-12: Fournier & Inkpen (2012)\n\nEquation 12 as printed")
    assert "\n    printed 1.25\n" in done.stdout


def test_a_proof_is_run():
    done = run("findings", "equation-12", "type-order", "--run")
    assert done.returncode == 0
    assert done.stdout.endswith(
        "finding      proof\nequation-12  holds\ntype-order   holds\n"
    )  # fmt: skip


def test_a_proof_that_fails_is_shown(monkeypatch):
    wrong = Finding("wrong", "a tool", "It is.", "none", "It is not.", ">>> 1 + 1\n3")
    monkeypatch.setattr("fencepost.cli.findings.FINDINGS", (wrong,))
    done = run("findings", "--run")
    assert done.returncode == 1
    assert "wrong    fails" in done.stdout and "Expected:\n    3\nGot:\n    2" in done.stdout
    assert done.stderr == "1 proof of 1 failed\n"


def test_a_proof_without_its_tool_or_data_is_not_run(monkeypatch):
    monkeypatch.delenv("FENCEPOST_DATA", raising=False)
    done = run("findings", "chapter-20", "--run")
    assert done.returncode == 0
    assert "chapter-20  not run  needs moonstone/moonstone_masses.json" in done.stdout
    absent = Finding("x", "y", "z.", "", "", ">>> import no_such_tool", needs=("no_such_tool",))
    assert absent.run().why == "needs pip install no_such_tool"


def test_without_a_tool_our_lines_are_run():
    proof = """
        >>> from no_such_tool.metrics import pk
        >>> import math
        >>> theirs, ours = pk(1), 2
        >>> theirs, math.nan
        (1, nan)
        >>> print(ours)
        2
        >>> math.floor(2.5)
        {}
        """
    one = Finding("x", "y", "z.", "", "", proof.format(2), needs=("no_such_tool",))
    found = one.run()
    assert found.verdict == "holds"
    assert found.why == "fencepost's lines; the others need pip install no_such_tool"
    assert replace(one, proof=proof.format(3)).run().verdict == "fails"


def test_an_unknown_name_is_refused():
    done = run("findings", "nothing")
    assert done.returncode == 2
    assert "no finding 'nothing': choose from fournier2012-chance, " in done.stderr


def test_markdown_is_all_or_nothing():
    assert run("findings", "--markdown").stdout == markdown(FINDINGS) + "\n"
    assert run("findings", "--markdown", "--run").returncode == 2
    assert find("equation-12") in papers.FINDINGS
