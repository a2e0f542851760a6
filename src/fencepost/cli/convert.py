"""fencepost convert: one format into another."""

from __future__ import annotations

import sys
from pathlib import Path

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.cli.outputs import say_notes, write_reading
from fencepost.formats import for_writing, write, written
from fencepost.formats.writing import left_out
from fencepost.model.corpus import Corpus
from fencepost.report.text import fit
from fencepost.wording import plural


def run(args: Arguments) -> int:
    """Read, write, and say what was written and what was left out."""
    if args.target == "-" and args.to is None:
        raise UsageError("standard output has no ending: give the format with --to")
    inputs = Inputs(args)
    corpus = inputs.only(args.source)
    format = for_writing(corpus, args.target, args.to)
    if args.target == "-":
        sys.stdout.buffer.write(written(corpus, args.target, args.to))
        sys.stdout.flush()
    else:
        write(corpus, args.target, args.to)
    told = sys.stderr if args.target == "-" else sys.stdout
    write_reading(args, inputs.reading_lines(), told)
    print(fit(f"written: {args.target} ({_counted(corpus)})", told), file=told)
    say_notes(left_out(corpus, format, Path(args.target).name))
    return 0


def _counted(corpus: Corpus) -> str:
    """How much there is, and how it was read."""
    counts = (
        plural(len(corpus.texts), "text"),
        plural(len(corpus.coders), "annotator"),
        plural(len(corpus.view("positions").column.values), "boundary", "boundaries"),
    )
    return ", ".join(counts) + "".join(
        f"; {key} {value}" for key, value in corpus.source.choices.items()
    )
