"""Write docs/findings.md from the declared findings: python tests/findings_page.py."""

from pathlib import Path

from fencepost.cli.findings import markdown
from fencepost.study.findings import FINDINGS

PAGE = Path(__file__).parent.parent / "docs" / "findings.md"
HEAD = """# Findings

Where a printed number, a sentence of a paper or another tool's output is wrong. Each finding has a proof of a few lines, which the tests run. A finding about a tool holds for the version that it names.

    fencepost findings                  what there is
    fencepost findings equation-12      one of them
    fencepost findings --run            all proofs; lines of tools that are not installed are not run

What was reproduced as printed, and that is most of it, is in [the five papers, recomputed](reproduce.md). This page is made from `src/fencepost/study/findings`.

"""  # noqa: E501


def page() -> str:
    """Return the whole page."""
    return f"{HEAD}{markdown(FINDINGS)}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
