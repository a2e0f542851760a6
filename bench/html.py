"""A report of 1,000 texts, 200 units and 5 systems: how long it takes to write and to open."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.table import Results, show
from bench.timing import shown

TEXTS, UNITS, SYSTEMS = 1_000, 200, 5
MOST_WRITING, MOST_OPENING = 3.0, 1.0
FEW = 3


def run(results: Results) -> None:
    """The command's wall clock, then what a person waits for in headless chromium."""
    with tempfile.TemporaryDirectory() as folder:
        names = _write_corpora(Path(folder))
        page = Path(folder) / "report.html"
        command = [sys.executable, "-m", "fencepost", "score", names[0], "-i", *names[1:]]
        plain = min(_timed(command, folder) for _ in range(FEW))
        written = min(_timed([*command, "--html", str(page)], folder) for _ in range(FEW))
        size = page.stat().st_size
        rows = [
            ["score, without a page", shown(plain)],
            ["score --html, all in all", shown(written)],
            ["size of the page", f"{size / 1e6:.2f} MB"],
        ]
        if written - plain > MOST_WRITING:
            results.missed.append(f"writing a page: {shown(written - plain)}")
        rows += _opened(page, results)
    title = f"a page of {TEXTS:,} texts, {UNITS} units, {SYSTEMS} systems"
    show([title, "wall clock"], rows)


def _write_corpora(folder: Path) -> list[str]:
    rng = random.Random(1)
    names = []
    for name in ("gold", *(f"system{i}" for i in range(1, SYSTEMS + 1))):
        texts = {}
        for number in range(TEXTS):
            cuts = sorted(rng.sample(range(1, UNITS), UNITS // 10))
            texts[f"d{number:04}"] = [
                b - a for a, b in zip([0, *cuts], [*cuts, UNITS], strict=True)
            ]
        (folder / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")
        names.append(f"{name}.json")
    return names


def _timed(command: list[str], folder: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def _opened(page: Path, results: Results) -> list[list[str]]:
    browser = shutil.which("chromium")
    if browser is None:
        return [["opening", "no chromium here"]]
    from playwright.sync_api import sync_playwright

    paints, answers = [], []
    with sync_playwright() as started:
        one = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for _ in range(FEW):
            tab = one.new_page()
            tab.goto(f"file://{page}")
            tab.wait_for_selector("html[data-ready=yes]", state="attached")
            tab.locator("#stage").focus()
            tab.keyboard.press("ArrowRight")
            answers.append(tab.evaluate("performance.now()") / 1e3)
            paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            paints.append(tab.evaluate(paint) / 1e3)
            assert "cost" in tab.locator("#detail").inner_text()
            tab.close()
        one.close()
    if min(answers) > MOST_OPENING:
        results.missed.append(f"opening a page: {shown(min(answers))}")
    return [
        ["first paint of the summary", shown(min(paints))],
        ["the text view has answered a key", shown(min(answers))],
    ]
