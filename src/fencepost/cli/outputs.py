"""Writing what a command finds: to standard output, files and pages."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from fencepost.cli.options import Arguments, UsageError
from fencepost.files import UNENCODABLE, writing
from fencepost.model.checks import FencepostError
from fencepost.options import A_FORMAT, options_of
from fencepost.report.text import fit, folded, printable, terminal_width
from fencepost.wording import listed

if TYPE_CHECKING:
    from fencepost.report.html import Page
    from fencepost.scoring.tables import Table


def check_files(args: Arguments) -> None:
    """Raise UsageError, before anything is computed, if a file cannot be written."""
    written: dict[Path, str] = {}  # with the options that name them
    for one in options_of(args.command):
        value = getattr(args, one.name)
        for path in value if isinstance(value, list) else [value]:
            if one.file == "out" and path not in (None, "-"):
                place, flag = _resolved(path), one.short or one.flag
                if place in written:
                    raise UsageError(f"{written[place]} and {flag} cannot both be {path}")
                written[place] = flag
                if not (one.folder and place.is_dir()):
                    _check_target(Path(path), path if one.positional else f"{flag} {path}")
                if one.name == "html":  # what a page has no room for is written beside it
                    written[place.with_name(f"{place.stem}.rest.json")] = flag
    if getattr(args, "html", None) == "-":
        raise UsageError("--html writes a file, not standard output: --html report.html")
    check_no_input(args, written)
    folders = [_resolved(path) for path in _inputs(args) if path.is_dir()]
    for place, flag in written.items():
        inside = next((one for one in folders if one in place.parents), None)
        if inside is not None:
            raise UsageError(
                f"{flag} would write into the input folder {inside.name}, whose files are all "
                "read: choose another folder"
            )
    _check_endings(args)


def check_no_input(args: Arguments, written: Mapping[Path, str]) -> None:
    """Raise UsageError if one of these files, given with its option, is read by the command."""
    read = _inputs(args)
    for place, flag in written.items():
        if any(_same(place, other) for other in read):
            raise UsageError(f"{flag} would overwrite the input file {place.name}")


def _inputs(args: Arguments) -> list[Path]:
    """Return the files that a command reads, those with functions of the user among them."""
    found: list[Path] = []
    for one in options_of(args.command):
        value = getattr(args, one.name)
        for path in value if isinstance(value, list) else [value]:
            if one.file in (None, "out") or path in (None, (), "-") or isinstance(path, float):
                continue  # a threshold is a number or a file
            if one.file == "in":
                found.append(Path(path))
            found += map(Path, _CODE.findall(str(path)))
    return found


# The file of FILE.py:NAME, and of a signature's "from:FILE.py@digest".
_CODE = re.compile(r"(?:^|\|from:)([^|]+?\.py)(?=[:@|]|$)")


def _same(place: Path, other: Path) -> bool:
    if place == _resolved(other):
        return True
    try:
        return place.samefile(other)
    except OSError:  # one of them is not there, or a loop of links
        return False


def _resolved(path: str | Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve fails at a loop of links


def _check_target(path: Path, named: str) -> None:
    if "://" in named:
        raise UsageError(f"{named} cannot be written: name a file or folder of this machine")
    folder = _resolved(path).parent
    if not folder.is_dir():
        raise UsageError(f"{named} cannot be written: there is no folder {folder}")
    if path.is_dir():
        raise UsageError(f"{named} cannot be written: it is a folder")
    # A new file takes the place of an old one, so the folder must allow it too.
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UsageError(f"{named} cannot be written: permission denied")


def _check_endings(args: Arguments) -> None:
    """Refuse names whose ending says that the file cannot be made."""
    for one in options_of(args.command):
        path = getattr(args, one.name)
        if one.file != "out" or not one.endings or path in (None, "-"):
            continue
        flag = "" if one.positional else f"{one.short or one.flag} "
        if one.endings == (A_FORMAT,):
            can_be_named = hasattr(args, "to")
            if can_be_named and args.to:
                continue
            from fencepost.formats import check_ending

            try:
                check_ending(path)
            except FencepostError as error:
                more = ". Choose one of them, or name the format: --to json" * can_be_named
                raise UsageError(f"{flag}{path}: {error}{more}") from None
        elif not path.lower().endswith(one.endings):
            able, stem = listed(one.endings, last=" or "), Path(path).stem
            raise UsageError(
                f"{flag}{path}: expected a file that ends in {able}, found "
                f"{Path(path).suffix or 'no ending'}: {flag}{stem}{one.endings[0]}"
            )


class Held:
    """Standard output while a command runs: nobody sees half of what a later error refuses."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pieces: list[str | bytes | _Sentence] = []

    def write(self, text: str) -> int:
        """Keep a text."""
        self._pieces.append(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Keep several texts."""
        self._pieces += lines

    def flush(self) -> None:
        """Keep everything: it is written at the end."""

    @property
    def buffer(self) -> _HeldBytes:
        """What takes bytes of UTF-8."""
        return _HeldBytes(self._pieces)

    def holds(self, sentence: str) -> bool:
        """Keep a sentence for standard error, if there is output before it."""
        if self._pieces:
            self._pieces.append(_Sentence(sentence))
        return bool(self._pieces)

    def release(self, *, all: bool) -> None:
        """Write what was kept, in its order; without ``all``, the sentences only."""
        for piece in self._pieces:
            if isinstance(piece, _Sentence):
                self._write(None)
                say(piece.text)
            elif all:
                self._write(piece)
        self._write(None)

    def _write(self, piece: str | bytes | None) -> None:
        try:
            if isinstance(piece, str):
                self._stream.write(piece)
                return
            self._stream.flush()
            if piece is not None:
                self._stream.buffer.write(piece)
        except BrokenPipeError:  # head has seen enough; gates and other files still count
            give_up_stdout()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _HeldBytes:
    def __init__(self, pieces: list[Any]) -> None:
        self._pieces = pieces

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)


class _Sentence(NamedTuple):
    text: str


@contextmanager
def held_output() -> Iterator[None]:
    """Write to standard output when the block ends without an exception, and not before."""
    stream, held = sys.stdout, Held(sys.stdout)
    sys.stdout = cast("TextIO", held)
    done = False
    try:
        yield
        done = True
    finally:
        sys.stdout = stream
        held.release(all=done)


@contextmanager
def output(args: Arguments) -> Iterator[IO[str]]:
    """Open the file named by -o, or standard output."""
    if args.output in (None, "-"):
        choose_encoding(args)
        yield sys.stdout
        return
    with writing(args.output, UsageError, text=True) as stream:
        yield stream


def choose_encoding(args: Arguments) -> None:
    """Write forms for programs in UTF-8, as -o does: no locale may lose a letter of a name."""
    if getattr(args, "form", None) in ("json", "csv", "markdown", "latex"):
        change = getattr(sys.stdout, "reconfigure", None)
        if change is not None:
            change(encoding="utf-8", errors=UNENCODABLE)


def give_up_stdout() -> None:
    """Let what is still in the buffer go nowhere, also at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_reading(args: Arguments, lines: Iterable[str], stream: IO[str]) -> None:
    """Write how files were read, before anything else; --quiet leaves it to other outputs."""
    if args.quiet:
        return
    width = terminal_width(stream)
    for line in lines:
        stream.write(fit(folded(printable(line), width, rest="  ") + "\n", stream))


def write_reading_below(form: str, lines: Sequence[str], stream: IO[str]) -> None:
    """Write how files were read below a table for a paper; other forms have it in their facts."""
    from fencepost.report import markup

    if not lines:
        return
    if form == "markdown":
        stream.write("\n" + markup.lines_to_markdown(lines))
    elif form == "latex":
        stream.write("\n" + markup.lines_to_comments(lines))


def say_notes(notes: Iterable[str]) -> None:
    """Print notes that have no place in the output on standard error."""
    for note in notes:
        say(f"fencepost: note: {note}")


def say(sentence: str) -> None:
    """Print one line on standard error, whatever names and texts of files are in it.

    A terminal gets it in lines as wide as it is; what reads it otherwise can search for it.
    """
    if isinstance(sys.stdout, Held) and sys.stdout.holds(sentence):
        return
    line = _BREAKS.sub(" ", sentence)
    if len(line) > MAX_SENTENCE:
        line = f"{line[: MAX_SENTENCE // 2]} ... {line[-MAX_SENTENCE // 2 :]}"
    if sys.stderr.isatty():
        width = terminal_width(sys.stderr)
        line = "\n".join(
            part if part.startswith("  fencepost ") else folded(part, width, rest="  ")
            for part in line.split("\n")
        )
    with suppress(OSError):  # nobody listens
        print(fit(line, sys.stderr), file=sys.stderr)


MAX_SENTENCE = 3000  # characters, of which a file's content may be the most
# Breaks of lines, but for those before commands to paste, which errors list below each other.
_BREAKS = re.compile("[\n\r\v\f\x85\u2028\u2029]+(?!  fencepost )")


def write_json(made: Mapping[str, Any], stream: IO[str]) -> None:
    """Write an object in which null stands for what is undefined."""
    import json

    stream.write(json.dumps(made, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def write_other_form(form: str, table: Table, stream: IO[str]) -> None:
    """Write a tidy table as JSON, CSV, Markdown or LaTeX."""
    from fencepost.report import markup

    writers = {
        "json": lambda t: t.to_json(indent=1) + "\n",
        "csv": markup.to_csv,
        "markdown": markup.to_markdown,
        "latex": markup.to_latex,
    }
    stream.write(writers[form](table))


def command_line() -> str:
    """Return the command as it was given."""
    import shlex

    return shlex.join(["fencepost", *sys.argv[1:]])


def write_page(args: Arguments, page: Page) -> None:
    """Write the page of --html, and print where it is."""
    from fencepost.report.html import write_html

    for path in write_html(args.html, page):
        size = path.stat().st_size
        amount = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
        about = "" if path.suffix != ".json" else f", {page.beside} that do not fit"
        say(f"written: {path} ({amount}{about})")
