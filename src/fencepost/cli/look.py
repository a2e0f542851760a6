"""fencepost look: what files hold, without scoring them."""

from __future__ import annotations

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments
from fencepost.cli.outputs import output, write_json
from fencepost.formats.options import WordsOnlyError
from fencepost.report.look import Look, look_at, look_at_words
from fencepost.report.text import fit, terminal_width


def run(args: Arguments) -> int:
    """Read every file by itself, and show what is in it."""
    inputs = Inputs(args)
    with output(args) as stream:
        width = terminal_width(stream)
        found = [_look(args, inputs, path, width) for path in args.files]
        inputs.check_idle()
        if args.form == "json":
            files = [one.plain() for one in found]
            write_json({"schema": 1, "table": "look", "files": files}, stream)
        else:
            stream.write(fit("\n".join(one.text(width) for one in found), stream))
    return 0


def _look(args: Arguments, inputs: Inputs, path: str, width: int) -> Look:
    try:
        corpus = inputs.read(path, inputs.columns(path).get("ref"))
    except WordsOnlyError:
        if path == "-":  # which can be read only once
            raise
        return look_at_words(path, args.format, args.unpack_limit)
    choices = args.of("read") | {"columns": inputs.columns(path)}
    return look_at(corpus, path, choices.pop("format"), choices, width, args.types)
