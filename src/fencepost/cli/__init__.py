"""The command line: one file a command, arguments built from the registries."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "score": "score hypotheses against references",
    "agree": "measure agreement between annotators",
    "edits": "draw where two segmentations differ",
    "diff": "say why numbers moved between two results",
    "resegment": "cut a stream of words like segmented references, and score it",
    "convert": "turn one format into another",
    "reproduce": "recompute what a paper printed, and set ours beside it",
    "simulate": "make up references, errors, coders and word streams",
    "probe": "show how a metric behaves: a report card",
    "metrics": "list metrics; explain a metric or a signature",
    "formats": "list the formats of files, with an example of each",
    "demo": "score a small bundled example",
}

_DESCRIPTION = """Measure segmentations.

everyday
  fencepost score REF [REF2 ...] -i HYP [HYP ...] [-m pk windowdiff F B]
  fencepost agree FILE [FILE ...] [-m B]
  fencepost edits REF -i HYP [--text ID] [--worst N]
  fencepost diff BEFORE AFTER
  fencepost resegment REF [REF2 ...] -i HYP [-m bleu] [-o out.txt]
  fencepost convert IN OUT

study
  fencepost reproduce [PAPER]
  fencepost simulate references|errors|coders|typed|stream ... -o FILE
  fencepost probe METRIC|FILE.py:NAME ... [--against METRIC ...]

help
  fencepost metrics [NAME|SIGNATURE]
  fencepost formats [NAME]
  fencepost demo
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0 done, 1 bad data, 2 bad usage, 3 a gate was missed."""
    from fencepost.cli.common import UsageError
    from fencepost.model.checks import FencepostError, MetricError

    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for good
    try:
        args = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except (MetricError, UsageError) as error:
        return _fail(error, 2)
    except FencepostError as error:
        return _fail(error, 1)
    except ImportError as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        return _fail("stopped", 130)
    except BrokenPipeError:
        _give_up_stdout()  # the reader (head, less) has gone
        return 0
    except OSError as error:
        _give_up_stdout()
        return _fail(f"the output cannot be written: {error.strerror}", 1)


def _give_up_stdout() -> None:
    """Let what is still in the buffer go nowhere, also at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(error: object, code: int) -> int:
    from fencepost.report.text import fit

    print(fit(f"fencepost: {error}", sys.stderr), file=sys.stderr)
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """One sentence and the way to the help, instead of the whole usage."""
        print(f"fencepost: {message} ({self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; only the command that is asked for is imported."""
    import importlib

    from fencepost.metrics.signature import VERSION

    parser = _Parser(
        prog="fencepost",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="fencepost COMMAND ...",
    )
    parser.add_argument("--version", action="version", version=f"fencepost {VERSION}")
    commands = parser.add_subparsers(
        metavar="COMMAND", required=True, parser_class=_Parser, prog="fencepost"
    )
    for name, help in COMMANDS.items():
        one = commands.add_parser(name, help=help, description=help)
        if name in argv:
            module = importlib.import_module(f"fencepost.cli.{name}")
            module.add(one)
            one.set_defaults(run=module.run)
    return parser
