"""Pages for the tests: small, hostile and large corpora, and what is read back from a page."""

import json
import random
import re
from typing import Any

import fencepost as fp
from fencepost.model.corpus import Corpus, Key
from fencepost.report.html import render
from fencepost.report.html.scores import score_page

HOSTILE = [
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "\"'><svg onload=alert(1)>",
    "{{ 7 * 7 }} {% raw %} ${1} `x`",
    "javascript:alert(1)",
    "\u202egnitset\u202c \u2067isolate",
    "nul\x00 escape\x1b[31m bell\x07 line\u2028end\x85",
    "half \ud800 a pair",
    "<!-- --> ]]> <style>*{display:none}</style>",
    "&lt;b&gt; &amp; <b>bold</b>",
]


def made(
    masses: dict[str, Any], words: Any = None, name: str = "gold", unit: str = "sentence"
) -> Corpus:
    """A corpus of masses by text, with the words of its units."""
    entries = {Key(t, "", "1"): fp.Segmentation.from_masses(m) for t, m in masses.items()}
    tokens = {(t, ""): words(t, e.units) for (t, *_), e in entries.items()} if words else {}
    return Corpus.from_entries(entries, tokens=tokens, name=name, unit=unit)


def page_of(reference: Corpus, systems: dict[str, Corpus], metrics: Any = None, **more: Any) -> Any:
    """The page of a score."""
    table = fp.score(reference, systems, metrics=metrics)
    return score_page(table, reference, systems, **more)


def hostile_page() -> str:
    """A page on which everything that people can name is hostile."""
    bad = HOSTILE
    texts = {f"{i} {word}": [3, 4, 3] for i, word in enumerate(bad)}
    gold = made(texts, lambda _, units: [bad[i % len(bad)] for i in range(units)], bad[0])
    systems = {f"{word} {i}": made({t: [4, 3, 3] for t in texts}) for i, word in enumerate(bad)}
    return render(page_of(gold, systems, lead=bad[1], command=bad[2], data=bad[3], how=bad[4]))


def large(texts: int, units: int, systems: int, seed: int = 1) -> tuple[Corpus, dict[str, Corpus]]:
    """Random segmentations with about a cut for every ten units."""
    rng = random.Random(seed)

    def some() -> fp.Segmentation:
        places = sorted(rng.sample(range(1, units), max(1, units // 10)))
        return fp.Segmentation(units, places)

    def corpus(name: str) -> Corpus:
        return Corpus.from_entries({Key(f"d{i}", "", "1"): some() for i in range(texts)}, name=name)

    return corpus("gold"), {f"s{i}": corpus(f"s{i}") for i in range(systems)}


def data_in(html: str) -> Any:
    """The data that a page gives its script."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])
