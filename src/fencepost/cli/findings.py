"""fencepost findings: where a printed number or another tool's output is wrong, with proofs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from fencepost.cli.options import Arguments, UsageError, named
from fencepost.report.text import folded, terminal_width, wrapped, write_table
from fencepost.study.findings import FINDINGS, Finding, find
from fencepost.wording import plural


def run(args: Arguments) -> int:
    """List, explain, or run the proofs."""
    if args.markdown and (args.findings or args.run):
        raise UsageError("--markdown writes all findings: remove names and --run")
    chosen = [named(find, name) for name in dict.fromkeys(args.findings)] or FINDINGS
    if args.markdown:
        print(markdown(FINDINGS))
    elif args.run:
        return _run(chosen, explain=bool(args.findings))
    elif args.findings:
        print("\n\n".join(_explained(one) for one in chosen))
    else:
        _list()
    return 0


def _list() -> None:
    width = terminal_width(sys.stdout)
    for one in FINDINGS:
        print(folded(f"{one.name}: {one.about}", width, rest="  "))
        print(folded(one.claim, width, "    ", "    "))
    print("\nfencepost findings NAME explains one; --run runs the proofs")


def _explained(one: Finding) -> str:
    width = terminal_width(sys.stdout)
    proof = "\n".join(f"    {line}".rstrip() for line in one.lines.splitlines())
    prose = [one.claim, f"source: {one.source}", f"right: {one.right}"]
    title = folded(f"{one.name}: {one.about}", width, rest="  ")
    lines = [title, *(wrapped(text, width) for text in prose), proof]
    return "\n\n".join(lines)


def _run(chosen: Sequence[Finding], explain: bool) -> int:
    """Run the proofs and say of each whether it holds; return 1 if one fails."""
    rows = []
    failed = []
    for one in chosen:
        if explain:
            print(f"{_explained(one)}\n")
        found = one.run()
        rows.append([one.name, found.verdict, found.why if found.verdict != "fails" else ""])
        if found.verdict == "fails":
            failed.append(found)
    write_table(["finding", "proof", ""], rows, sys.stdout, left=3)
    for found in failed:
        print(f"\n{found.why}")
    if failed:
        print(f"{plural(len(failed), 'proof')} of {len(rows)} failed", file=sys.stderr)
    return 1 if failed else 0


def markdown(findings: Iterable[Finding]) -> str:
    """Return a section for every finding, for the documentation."""
    return "\n\n".join(map(_section, findings))


def _section(one: Finding) -> str:
    needs = [f"`pip install {name}`" for name in one.needs]
    needs += [f"`{one.data}` in the folder that `FENCEPOST_DATA` names"] if one.data else []
    told = f"\n\nThe proof needs {' and '.join(needs)}." if needs else ""
    return (
        f"## {one.name}\n\n*{one.about}.* {one.claim}\n\n"
        f"* Source: {_escaped(one.source)}\n* Right: {_escaped(one.right)}{told}\n\n"
        f"```python\n{one.lines.rstrip()}\n```"
    )


def _escaped(text: str) -> str:
    return text.replace("*", "\\*")
