"""A sweep over a chunker's settings, and the gate of docs/batch.md that holds it in a build."""

import csv
import io
import random
import re
import shlex
from functools import partial
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fencepost as fp
from oracle import boundary as oracle
from support import run

PAGE = Path(__file__).parents[2] / "docs" / "batch.md"


def spans(units: int, size: int, overlap: int) -> list[dict[str, int]]:
    """Return the chunks of a chunker: this many characters, some of them in the chunk before."""
    made = [{"start": 0, "end": min(size, units)}]
    while made[-1]["end"] < units:
        start = made[-1]["end"] - overlap
        made.append({"start": start, "end": min(start + size, units)})
    return made


def document(rng: random.Random, number: int) -> dict[str, object]:
    units = rng.randint(1500, 4000)
    ends = [0, *sorted(rng.sample(range(1, units), 4)), units]
    sections = [{"start": a, "end": b} for a, b in pairwise(ends)]
    own = {"c256": spans(units, 256, 32), "c512": spans(units, 512, 0)}
    return {"id": f"d{number}", "chars": units, "sections": sections, **own}


@pytest.fixture
def documents(tmp_path, monkeypatch):
    rng = random.Random(4)
    rows = [document(rng, number) for number in range(40)]
    (tmp_path / "docs").mkdir()
    for part in range(2):
        table = pa.Table.from_pylist(rows[part * 20 : part * 20 + 20])
        pq.write_table(table, tmp_path / "docs" / f"{part}.parquet", row_group_size=7)
    monkeypatch.chdir(tmp_path)
    return rows


def command(begin: str, nth: int = 0) -> list[str]:
    """Return a command of the page, with what it leaves out as the one before has it."""
    found = re.findall(r"^(?:\$|- run:) fencepost (.*)$", PAGE.read_text(encoding="utf-8"), re.M)
    words = [shlex.split(line) for line in found if line.startswith(begin)]
    full = words[0]
    chosen = words[nth]
    if "..." in chosen:
        columns = full[full.index("--columns") : full.index("-m")]
        at = chosen.index("...")
        chosen = [*chosen[:at], *columns, *chosen[at + 1 :]]
    return chosen


def starts(chunks: list[dict[str, int]]) -> list[int]:
    """Return where chunks that overlap begin: the rule of --overlap start."""
    return [one["start"] for one in chunks[1:]]


def test_the_sweep_of_the_page_is_what_the_formulas_give(documents):
    done = run(*command("score 'docs"), "--csv")
    assert done.returncode == 0, done.stderr
    rows = {(r["system"], r["metric"]): r for r in csv.DictReader(io.StringIO(done.stdout))}
    assert [system for system, _ in rows][::3] == ["c256", "c512"]
    formulas = {
        "sections_cut": partial(oracle.sections_cut, tolerance=20),
        "sections_joined": partial(oracle.sections_joined, tolerance=20),
        "boundary_f": partial(oracle.boundary_f, tolerance="5%"),
    }
    for (system, metric), row in rows.items():
        pairs = [
            [fp.Segmentation(one["chars"], starts(one[name])) for name in ("sections", system)]
            for one in documents
        ]
        wanted = sum(formulas[metric]([pair]) for pair in pairs) / len(pairs)
        assert float(row["value"]) == pytest.approx(float(wanted), rel=1e-12)


def test_the_gate_of_the_page_holds_a_build(documents):
    assert run(*command("score 'docs", 1)).returncode == 0
    assert Path("baseline.parquet").is_file()
    passed = run(*command("score 'docs", 2))
    assert passed.returncode == 0 and passed.stderr == "", passed.stderr
    worse = [one | {"c512": spans(one["chars"], 200, 0)} for one in documents]
    pq.write_table(pa.Table.from_pylist(worse[:20]), "docs/0.parquet")
    pq.write_table(pa.Table.from_pylist(worse[20:]), "docs/1.parquet")
    failed = run(*command("score 'docs", 2))
    assert failed.returncode == 3
    assert "c512" in failed.stderr and "c256" not in failed.stderr
    step = [word.replace("hyp=ours", "hyp=c512") for word in command("score 'docs", 3)]
    assert run(*step).returncode == 3
    again = run("score", "--counts", "baseline.parquet", "--csv")
    assert again.returncode == 0 and "sections_cut" in again.stdout


def test_one_file_of_counts_is_for_few_texts_and_no_resume(documents, monkeypatch):
    full = command("score 'docs", 1)
    refused = run(*full, "--resume")
    assert refused.returncode == 2 and "--save DIR" in refused.stderr
    monkeypatch.setattr("fencepost.batch.totals.NORMAL_ABOVE_TEXTS", 10)
    many = run(*full)
    assert many.returncode == 1 and "--save DIR has no limit" in many.stderr
    plan = fp.Plan("sections", "c256", encoding="spans", overlap="start")
    with pytest.raises(fp.FencepostError, match="must be a folder"):
        fp.score_files("docs/*.parquet", plan, save="x.parquet")
