"""fencepost convert: one format into another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fencepost.cli.common import UsageError, add_reading, format_name, read_only, say_notes
from fencepost.formats import for_writing, left_out, write, written
from fencepost.model.corpus import Corpus
from fencepost.report.text import fit
from fencepost.wording import plural


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", metavar="IN", help="file or folder to read (- is stdin)")
    parser.add_argument(
        "target", metavar="OUT", help="file to write; its ending says the format (- is stdout)"
    )
    parser.add_argument(
        "--to", metavar="FORMAT", type=format_name, help="output format (default: by the ending)"
    )
    parser.add_argument(
        "--ref-field", metavar="NAME", help="field, column, tier or annotator to read"
    )
    add_reading(parser)
    parser.set_defaults(hyps=[], refs=[])


def run(args: argparse.Namespace) -> int:
    """Read, write, and say what was written and what was left out."""
    source = Path(args.source)
    if args.target == "-" and args.to is None:
        raise UsageError("standard output has no ending: say the format with --to")
    if args.source != "-" and source.exists() and source.resolve() == Path(args.target).resolve():
        raise UsageError(f"{args.target} would overwrite the input")
    corpus = read_only(args.source, args, args.ref_field)
    format = for_writing(corpus, args.target, args.to)
    if args.target == "-":
        sys.stdout.buffer.write(written(corpus, args.target, args.to))
        sys.stdout.flush()
    else:
        write(corpus, args.target, args.to)
    told = sys.stderr if args.target == "-" else sys.stdout
    print(fit(f"written: {args.target} ({_counted(corpus)})", told), file=told)
    say_notes(left_out(corpus, format, Path(args.target).name))
    return 0


def _counted(corpus: Corpus) -> str:
    """How much there is, and how it was read."""
    cuts = sum(len(seg.cuts) for seg in corpus.entries.values())
    counts = ", ".join(
        plural(n, what)
        for n, what in ((len(corpus.texts), "text"), (len(corpus.coders), "coder"), (cuts, "cut"))
    )
    return counts + "".join(f"; {key} {value}" for key, value in corpus.source.choices.items())
