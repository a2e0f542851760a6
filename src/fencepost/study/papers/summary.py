"""Reproductions in one table: verdicts by paper and source, and why lines differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from fencepost.scoring.tables import Table
from fencepost.study.papers import find
from fencepost.study.papers.base import SOURCES, Verdict

VERDICTS: tuple[str, ...] = ("equal", "within", "measured", "differs", "not reproduced")
assert set(VERDICTS) == set(get_args(Verdict))
OFF = ("differs", "not reproduced")


def by_source(rows: Sequence[dict[str, Any]]) -> Table:
    """Count verdicts for each paper (source None) and for each source of its numbers."""
    found = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        own = [row for row in rows if row["paper"] == paper]
        sources = [source for source in SOURCES if any(row["source"] == source for row in own)]
        for source in (None, *sources):
            some = Counter(row["verdict"] for row in own if source in (None, row["source"]))
            counts = {verdict: some[verdict] or None for verdict in VERDICTS}
            found.append({"paper": paper, "source": source, **counts})
    return Table(("paper", "source", *VERDICTS), tuple(found), name="summary")


def reasons(rows: Sequence[dict[str, Any]]) -> Table:
    """Give the reason for each item with lines that differ or are not reproduced."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["paper"], row["item"]), []).append(row)
    found = []
    for (paper, item), own in groups.items():
        off = [row for row in own if row["verdict"] in OFF]
        if off:
            counts = {verdict: sum(row["verdict"] == verdict for row in off) for verdict in OFF}
            why = find(paper).reason(item, [row["note"] for row in off])
            found.append({"paper": paper, "item": item, "lines": len(own), **counts, "reason": why})
    return Table(("paper", "item", "lines", *OFF, "reason"), tuple(found), name="reasons")
