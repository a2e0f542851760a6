"""Every table of the package, and every finer table behind it, in every form that tables have."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import fencepost as fp
from fencepost.coders.consensus import consensus
from fencepost.coders.segmenters import against_consensus, verdicts
from fencepost.model.corpus import Key
from fencepost.report.markup import to_csv
from fencepost.scoring.diff import diff
from fencepost.streams.correlation import correlation
from fencepost.study.papers import find
from support import DATA, signatures_in

PLAIN = {"d": {"a": [5, 5], "b": [4, 6]}}
THREE = {text: {"a": [5, 5, 2], "b": [4, 6, 2], "c": [5, 7]} for text in ("d", "e")}


def typed(*names: str) -> dict[str, Any]:
    """Two annotators of six texts, with boundary types."""
    texts = {
        f"d{i}": {
            coder: fp.Segmentation(9, [2, at, 7], [1, 2, 1 + i % 2], names)
            for coder, at in (("a", 4), ("b", 5))
        }
        for i in range(6)
    }
    return texts


def corpus_of(given: dict[str, Any]) -> fp.Corpus:
    builder = fp.CorpusBuilder()
    for text, codings in given.items():
        for coder, seg in codings.items():
            seg = seg if isinstance(seg, fp.Segmentation) else fp.Segmentation.from_masses(seg)
            builder.add(Key(text, "", coder), seg)
    return builder.build()


def speakers() -> fp.Corpus:
    builder = fp.CorpusBuilder()
    for coder, at in (("a", 3), ("b", 4)):
        for speaker in ("X", "Y"):
            builder.add(Key("d", speaker, coder), fp.Segmentation(8, [at]))
    return builder.build()


def scores(**settings: Any) -> fp.Table:
    refs = {f"d{i}": [5, 5, 2 + i] for i in range(6)}
    hyps = {
        name: {text: [size, 10 - size, sizes[2]] for text, sizes in refs.items()}
        for name, size in (("one", 4), ("two", 6))
    }
    return fp.score(refs, hyps, **settings)


def probabilities() -> fp.Table:
    refs = {"a": [2, 2], "b": [1, 3], "c": [3, 1]}
    given = {"a": [0.1, 0.7, 0.2], "b": [0.6, 0.3, 0.1], "c": [0.2, 0.4, 0.9]}
    hyps = {text: fp.Segmentation.from_probabilities(p) for text, p in given.items()}
    return fp.tune(refs, hyps, metrics=["F", "pk"], resamples=100)


def streams(*hyps: str) -> fp.Table:
    references = fp.read_references([DATA / "speech.ref1.txt"])
    systems = {name: fp.read_streams(DATA / "speech.hyp.txt") for name in hyps}
    return fp.score_streams(references, systems, metrics=["as_wer", "per", "bleu"])


def compared() -> fp.Table:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("before.json", "after.json")]
        for path, seed in zip(paths, (1, 2), strict=True):
            path.write_text(scores(seed=seed).to_json(), encoding="utf-8")
        return diff(*map(str, paths))


def changes() -> fp.Table:
    gold = fp.simulate.references(10, segments=5, seed=1)
    settings = {"a": {"model": "FNP1", "p": 0.2}, "b": {"model": "FNP1", "p": 0.3}}
    table = fp.power(gold, simulate=settings, metric="pk", texts=(5, 8), times=5)
    assert isinstance(table, fp.Table)
    return table


def correlated() -> fp.Table:
    measured = {"wer": dict(zip("ABCD", (0.37, 0.40, 0.41, 0.48), strict=True))}
    return correlation(measured, {"adequacy": dict(zip("ABCD", (3.5, 3.1, 3.2, 2.4), strict=True))})


LEVELS = {text: fp.Segmentation(8, [2, 4, 6], [2, 1, 3]) for text in "abcde"}
TABLES: dict[str, Callable[[], fp.Table]] = {
    "agreement": lambda: fp.agreement(PLAIN),
    "agreement without intervals": lambda: fp.agreement(PLAIN, intervals=False),
    "agreement of three": lambda: fp.agreement(THREE, all=True),
    "agreement of types without order": lambda: fp.agreement(typed("x", "y")),
    "agreement of types": lambda: fp.agreement(typed("x", "y"), types="x<y"),
    "agreement of levels": lambda: fp.agreement(typed("1", "2")),
    "agreement of speakers": lambda: fp.agreement(speakers()),
    "agreement by Sf": lambda: fp.agreement(typed("x", "y"), metric="Sf"),
    "score": scores,
    "score, micro": lambda: scores(average="micro", metrics=["pk", "A", "Sf"]),
    "score, compared": lambda: scores(paired="randomization", metrics=["pk", "B"]),
    "score of groups": lambda: scores(group={f"d{i}": "xyz"[i // 2] for i in range(6)}),
    "score of parts": lambda: scores(by={f"d{i}": "xy"[i // 3] for i in range(6)}),
    "score of levels": lambda: fp.score(LEVELS, LEVELS, metrics=["B"], by="level"),
    "score of several references": lambda: fp.score(THREE, {"d": [6, 6], "e": [5, 7]}),
    "score without intervals": lambda: scores(intervals=False, baselines=False),
    "streams": lambda: streams("one"),
    "streams of two": lambda: streams("one", "two"),
    "re-segmentation": lambda: fp.resegment(["a b", "c d"], "a b d").table(),
    "tune": probabilities,
    "diff": compared,
    "power": changes,
    "consensus": lambda: consensus(corpus_of(THREE)).table,
    "segmenters": lambda: fp.segmenters(THREE, {"s": {"d": [6, 6], "e": [6, 6]}}),
    "verdicts": lambda: verdicts(THREE, {"s": {"d": [6, 6], "e": [6, 6]}}),
    "against the consensus": lambda: against_consensus(THREE, {"s": {"d": [6, 6], "e": [6, 6]}}),
    "operations": lambda: fp.operations(corpus_of(typed("x", "y"))),
    "confusions": lambda: fp.confusions(corpus_of(typed("x", "y"))),
    "contrasts": lambda: fp.contrasts(corpus_of(typed("x", "y"))),
    "card": lambda: fp.probe("B", largest=5).table(),
    "cards": lambda: fp.probe("B", against=["pk"], largest=5).table(),
    "correlation": correlated,
    "paper": lambda: find("matusov2005").table(),
    "nothing": lambda: fp.Table((), ()),
}


@cache
def table(name: str) -> fp.Table:
    return TABLES[name]()


def with_parts(found: fp.Table, name: str) -> Iterator[tuple[str, fp.Table]]:
    yield name, found
    for part in found.parts:
        yield from with_parts(found.part(part), f"{name} / {part}")


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_every_part_has_every_form(name, tmp_path):
    for title, one in with_parts(table(name), name):
        assert len(one.to_dicts()) == len(one), title
        assert len(json.loads(one.to_json(default=str))["rows"]) == len(one), title
        markdown, latex = one.to_markdown(), one.to_latex()
        if one.columns:
            assert markdown.startswith("| "), title
            assert r"\begin{tabular}" in latex, title
            check_readable(one, markdown, latex, title)
            assert to_csv(one).partition("\n")[0].count(",") == len(one.columns) - 1, title
        assert str(one).strip(), title
        one.to_html(tmp_path / "table.html")
        assert "</html>" in (tmp_path / "table.html").read_text(encoding="utf-8"), title
        assert one._repr_html_(), title


def check_readable(one: fp.Table, markdown: str, latex: str, title: str) -> None:
    """What people read has no empty column, and signatures below the rows, not in them."""
    head, _, *lines = markdown.partition("\n\n")[0].splitlines()
    rows = [re.split(r" (?<!\\)\| ", f" {line} ")[1:-1] for line in lines]
    signed = [str(row["signature"]) for row in one if row.get("signature")]
    if len(head.split(" | ")) > 1 and len(one):
        assert not any({*column} == {""} for column in zip(*rows, strict=True)), title
        unknown = [c for c in one.columns if all(row.get(c) is None for row in one)]
        assert not {*unknown} & {*head.replace("\\", "").strip("| ").split(" | ")}, title
    if signed and set(one.columns) != {"signature"}:
        assert not any("|fencepost:" in line.replace("\\", "") for line in lines), title
        for form in (markdown, latex):
            assert signatures_in(form.replace("\\_", "_")), title


def test_agreement_is_written_as_it_is_printed():
    found = table("agreement")
    head, _, *lines = found.to_markdown().splitlines()
    printed = [one.split()[0] for one in str(found).splitlines() if one]
    assert (
        head == "| coefficient | metric | value | observed | expected | standard_error | chance |"
    )
    assert [line.split(" | ")[0].strip("| ") for line in lines[:3]] == ["kappa", "alpha", r"pi\*"]
    assert {"kappa", "alpha", "pi*"} <= {*printed}


def test_a_table_of_documents_has_one_line_per_document():
    documents = streams("one").part("documents")
    assert documents.to_markdown().count("\n| ") >= len(documents)
    assert documents.to_latex().count(r"\\") == len(documents) + 1


def test_a_table_of_groups_keeps_all_of_its_rows():
    parts = table("score of parts").part("by-group")
    assert {row["group"] for row in parts} == {"x", "y"}
    assert parts.to_markdown().count("\n| ") == len(parts)


def test_texts_without_levels_have_no_rows_of_levels():
    assert len(fp.agreement(PLAIN, intervals=False).part("levels")) == 0
    assert {row["level"] for row in table("agreement of levels").part("levels")} >= {"1", "2"}
