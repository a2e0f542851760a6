"""Write what was found into the pages of docs: python tests/papers_tables.py all.json DATE.

The file is that of ``fencepost reproduce all --json -o all.json``, and the date is its day.
"""

import json
import sys
from pathlib import Path
from typing import Any

from fencepost.report.papers import off_counts
from fencepost.study.papers import KEYS
from fencepost.study.papers.base import SOURCES
from fencepost.study.papers.summary import VERDICTS, by_source, reasons

DOCS = Path(__file__).parent.parent / "docs"
HEAD = f" | {' | '.join(VERDICTS)} |\n|---|" + "---|" * len(VERDICTS)


def cells(row: dict[str, Any]) -> str:
    """The counts of one row."""
    return " | ".join(str(row[name] or "") for name in VERDICTS) + " |"


def block(key: str, rows: list[dict[str, Any]], date: str) -> str:
    """The command with its date, and verdicts by source."""
    lines = [f"`fencepost reproduce {key}` on {date}: {len(rows)} numbers and claims.", ""]
    lines.append(f"| source{HEAD}")
    for row in by_source(rows).rows:
        name = "all" if row["source"] is None else SOURCES[row["source"]]
        lines.append(f"| {name} | {cells(row)}")
    return "\n".join(lines) + "\n"


def overview(rows: list[dict[str, Any]], date: str) -> str:
    """Verdicts by paper, and why lines differ."""
    lines = [f"`fencepost reproduce all` on {date} (seed 12345, with both data sets):", ""]
    lines.append(f"| paper{HEAD}")
    lines += [
        f"| {row['paper']} | {cells(row)}" for row in by_source(rows).rows if not row["source"]
    ]
    lines += ["", "What differs, and why:", ""]
    for row in reasons(rows).rows:
        lines.append(f"* {row['paper']}, {row['item']} ({off_counts(row)}): {row['reason']}")
    return "\n".join(lines) + "\n"


def replace(page: Path, text: str) -> None:
    """Put the text between the two marks of the page."""
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- found -->\n")
    after = rest.partition("<!-- /found -->")[2]
    page.write_text(f"{before}<!-- found -->\n{text}<!-- /found -->{after}", encoding="utf-8")


def main(path: str, date: str) -> None:
    """Fill the block of each page."""
    rows = json.loads(Path(path).read_text(encoding="utf-8"))["rows"]
    replace(DOCS / "reproduce.md", overview(rows, date))
    for key in KEYS:
        own = [row for row in rows if row["paper"] == key]
        replace(DOCS / "papers" / f"{key}.md", block(key, own, date))


if __name__ == "__main__":
    main(*sys.argv[1:])
