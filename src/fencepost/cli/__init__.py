"""The command line: one file per command, arguments made from the declared options."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence

from fencepost._command import STOPPED, stop_by_exception, stop_no_more

COMMANDS = {
    "look": "show what a file holds and how it is read, without scoring it",
    "score": "score hypotheses against references",
    "agree": "measure agreement between annotators",
    "edits": "draw where two segmentations differ",
    "tune": "find the best threshold of probabilities on a development set",
    "diff": "explain why numbers differ between two results",
    "resegment": "segment a stream of words like its references, and score it",
    "convert": "turn one format into another",
    "reproduce": "recompute the numbers of a paper, and show both side by side",
    "findings": "list wrong numbers of papers and tools, with proofs to run",
    "simulate": "generate references, errors, annotators and streams of words",
    "probe": "show how a metric behaves: a report card",
    "metrics": "list metrics; explain a metric or a signature",
    "formats": "list the formats of files, with an example of each",
    "demo": "score a small bundled example",
    "doctor": "check this installation: what is there, and numbers of the papers",
    "completion": "print the completion script of a shell",
}
PARTS = {
    "simulate references": "texts with segments of random sizes",
    "simulate errors": "hypotheses with the errors of pevzner2002 and fournier2012",
    "simulate coders": "annotators who set boundaries at random",
    "simulate typed": "noisy copies of boundaries with types",
    "simulate stream": "segmented references and a stream of words",
}

_DESCRIPTION = """Measure segmentations.

everyday
  fencepost look FILE [FILE ...]
  fencepost score REF [REF2 ...] -i HYP [HYP ...] [-m pk windowdiff F B]
  fencepost agree FILE [FILE ...] [-m B]
  fencepost edits REF -i HYP [--text ID] [--worst N]
  fencepost tune DEV -i PROBS [-m B] [-o threshold.json]
  fencepost diff BEFORE AFTER
  fencepost resegment REF [REF2 ...] -i HYP [-m bleu] [-o out.txt]
  fencepost convert IN OUT

study
  fencepost reproduce [PAPER]
  fencepost findings [NAME ...] [--run]
  fencepost simulate references|errors|coders|typed|stream ... -o FILE
  fencepost probe METRIC|FILE.py:NAME ... [--against METRIC ...]

help
  fencepost COMMAND --help
  fencepost --version -v
  fencepost metrics [NAME|SIGNATURE]
  fencepost formats [NAME]
  fencepost demo [--copy DIR]
  fencepost doctor
  fencepost completion bash|zsh|fish
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0 done, 1 bad data, 2 bad usage, 3 a gate was missed."""
    try:
        if argv is None:
            _take_over()
        _prepare_streams()
        if not (sys.stdout.isatty() or sys.stderr.isatty()):
            return _main(argv)
        from fencepost.report.terminal import guarded_terminals

        with guarded_terminals():
            return _main(argv)
    except KeyboardInterrupt:
        print("fencepost: stopped", file=sys.stderr)  # nothing is imported any more
        return STOPPED
    finally:
        if argv is None:  # the process ends: its modules need not be searched for garbage
            stop_no_more()
            gc.freeze()


def _take_over() -> None:
    """Prepare a process that is ours."""
    stop_by_exception()
    gc.set_threshold(50_000)  # modules that are made need not be searched for garbage


def _main(argv: Sequence[str] | None) -> int:
    if argv is None:
        _end_on_sigterm()
        from fencepost.files import keep_pipes

        keep_pipes()
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _give_up_stdout()  # the reader (head, less) has gone
        return 0
    except ImportError as error:
        return _fail(error, 1)
    except MemoryError:
        return _fail(
            "the memory does not suffice: fencepost look FILE shows the units of each text, which "
            "may be far too many. Correct the file, or give fewer texts at once",
            1,
        )
    except OSError as error:
        _give_up_stdout()
        return _fail(f"the output cannot be written: {error.strerror}", 1)
    except Exception as error:  # ours are imported only when one is raised: start-up stays short
        from fencepost.cli.options import UsageError
        from fencepost.model.checks import FencepostError, MetricError

        if not isinstance(error, FencepostError):
            raise
        return _fail(error, 2 if isinstance(error, (MetricError, UsageError)) else 1)


def _run(argv: Sequence[str]) -> int:
    """Import the command that is asked for, and run it."""
    if argv[:1] == ["--version"]:
        from fencepost._version import VERSION

        if argv[1:] in (["-v"], ["--verbose"]):
            from fencepost.cli.about import about_lines

            print("\n".join(about_lines()))
        else:
            print(f"fencepost {VERSION}")
        return 0
    command = argv[0] if argv else ""
    if command not in COMMANDS:
        return _list_commands("fencepost", COMMANDS, argv)
    parts = {name: help for name, help in PARTS.items() if name.startswith(f"{command} ")}
    if parts:
        command = " ".join(argv[:2])
        if command not in parts:
            return _list_commands(f"fencepost {argv[0]}", parts, argv[1:])
    from importlib import import_module

    from fencepost.cli.options import parse_arguments
    from fencepost.cli.outputs import check_files, held_output

    rest = argv[command.count(" ") + 1 :]
    args = parse_arguments(command, {**COMMANDS, **PARTS}[command], rest)
    check_files(args)
    with held_output():
        code: int = import_module(f"fencepost.cli.{argv[0]}").run(args)
    return code


def _prepare_streams() -> None:
    """Let streams that whoever started us has closed lead nowhere; let no letter end a command."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - for good
    from fencepost.files import UNENCODABLE

    change = getattr(sys.stdout, "reconfigure", None)
    if change is not None:
        change(errors=UNENCODABLE)


def _list_commands(program: str, commands: Mapping[str, str], argv: Sequence[str]) -> int:
    """Print the commands there are, or what is wrong with the given one."""
    if argv[:1] in (["-h"], ["--help"]) or (not argv and commands is COMMANDS):
        from fencepost.report.text import folded, terminal_width

        width = terminal_width(sys.stdout)
        rows = "".join(
            folded(f"  {name.rpartition(' ')[2]:<12}{what}", width, rest=" " * 14) + "\n"
            for name, what in commands.items()
        )
        about = _DESCRIPTION if commands is COMMANDS else f"{COMMANDS['simulate']}\n"
        print(f"usage: {program} COMMAND ...\n\n{about}\ncommands\n{rows}", end="")
        return 0
    names = [name.rpartition(" ")[2] for name in commands]
    if not argv:
        return _fail(f"COMMAND missing: {', '.join(names)} ({program} --help)", 2)
    from fencepost.metrics.registry import did_you_mean

    close = did_you_mean(argv[0], names).removeprefix("; ")
    meant = f"{close} ({program} --help lists all)" if close else f"choose from {', '.join(names)}"
    return _fail(f"no command {argv[0]!r}: {meant}", 2)


def _end_on_sigterm() -> None:
    """Let SIGTERM unwind the program, so that files that are not whole are removed."""
    import signal

    def stop(number: int, _: object) -> None:
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, stop)


def _give_up_stdout() -> None:
    from fencepost.cli.outputs import give_up_stdout

    give_up_stdout()


def _fail(error: object, code: int) -> int:
    from fencepost.cli.outputs import say

    say(f"fencepost: {error}")
    return code
