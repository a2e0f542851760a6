"""fencepost convert: one format into another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fencepost.cli.common import UsageError, add_reading, format_name, read_file
from fencepost.formats import write
from fencepost.report.text import fit


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", metavar="IN", help="file or folder to read (- is stdin)")
    parser.add_argument("target", metavar="OUT", help="file to write; its ending says the format")
    parser.add_argument(
        "--to", metavar="FORMAT", type=format_name, help="output format (default: by the ending)"
    )
    parser.add_argument(
        "--ref-field", metavar="NAME", help="field, column, tier or annotator to read"
    )
    add_reading(parser)
    parser.set_defaults(hyps=[], refs=[])


def run(args: argparse.Namespace) -> int:
    """Read, write, and say what was written."""
    source = Path(args.source)
    if args.source != "-" and source.exists() and source.resolve() == Path(args.target).resolve():
        raise UsageError(f"{args.target} would overwrite the input")
    corpus = read_file(args.source, args, args.ref_field, "ref")
    write(corpus, args.target, args.to)
    texts, coders = len(corpus.texts), len(corpus.coders)
    cuts = sum(len(seg.cuts) for seg in corpus.entries.values())
    counts = ", ".join(
        f"{n} {what}{'s' * (n != 1)}"
        for n, what in ((texts, "text"), (coders, "coder"), (cuts, "cut"))
    )
    read_as = "".join(f"; {key} {value}" for key, value in corpus.reading.items())
    print(fit(f"written: {args.target} ({counts}{read_as})", sys.stdout))
    return 0
