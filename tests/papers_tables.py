"""Write what was found into the pages of the papers: python tests/papers_tables.py all.json DATE.

The file is that of ``fencepost reproduce all --json -o all.json``, and the date is its day.
"""

import json
import sys
from pathlib import Path
from typing import Any

from fencepost.study.papers import KEYS
from fencepost.study.papers.base import SOURCES
from fencepost.study.papers.summary import VERDICTS, by_source

FOLDER = Path(__file__).parent.parent / "docs" / "papers"


def block(key: str, rows: list[dict[str, Any]], date: str) -> str:
    """The command with its date, and verdicts by source."""
    lines = [f"`fencepost reproduce {key}` on {date}: {len(rows)} numbers and claims.", ""]
    lines += [f"| source | {' | '.join(VERDICTS)} |", "|---|" + "---|" * len(VERDICTS)]
    for row in by_source(rows).rows:
        name = "all" if row["source"] is None else SOURCES[row["source"]]
        lines.append(f"| {name} | " + " | ".join(str(row[v] or "") for v in VERDICTS) + " |")
    return "\n".join(lines) + "\n"


def main(path: str, date: str) -> None:
    """Fill the block of each page."""
    rows = json.loads(Path(path).read_text(encoding="utf-8"))["rows"]
    for key in KEYS:
        page = FOLDER / f"{key}.md"
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- found -->\n")
        after = rest.partition("<!-- /found -->")[2]
        own = block(key, [row for row in rows if row["paper"] == key], date)
        page.write_text(f"{before}<!-- found -->\n{own}<!-- /found -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
