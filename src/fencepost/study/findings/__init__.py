"""Findings: where a printed number or another tool's output is wrong, each with its proof."""

from fencepost.study.findings import papers, tools
from fencepost.study.findings.base import Finding, Outcome, named

FINDINGS = (*papers.FINDINGS, *tools.FINDINGS)


def find(name: str) -> Finding:
    """Return the finding of this name."""
    return named(FINDINGS, name)


__all__ = ["FINDINGS", "Finding", "Outcome", "find"]
