"""Reading and writing: one file for each family of formats, and the list of them."""

from __future__ import annotations

import gc
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fencepost.compression import pack, pieces, unpack
from fencepost.files import open_input, unreadable, write_whole
from fencepost.formats.catalogue import FORMATS as FORMATS
from fencepost.formats.catalogue import by_content, name_by_ending, names_giving
from fencepost.formats.files import PARQUET_SIGN, decode_bytes, place_of, read_decoded
from fencepost.formats.intervals import NESTED
from fencepost.formats.options import (
    COLUMNS,
    EmptyFileError,
    FormatError,
    Reading,
    WordsOnlyError,
    flag_of,
    split_lines,
)
from fencepost.formats.registry import Format, ending_of
from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import ONLY, Corpus
from fencepost.options import find_option
from fencepost.plugins import declared
from fencepost.wording import listed

if TYPE_CHECKING:
    from fencepost.model.documents import SegmentRows, StreamSet

WORDS = ("references", "streams")  # what re-segmentation reads

PLAIN = ("json", "jsonl", "tsv", "lines")  # formats with a fast way to read plain files

# Of a file's start: formats that are known by their content are known by less, and a plain file
# that goes on otherwise is not read quickly.
HEAD = 1 << 19


def read(
    path: str | Path,
    format: str | None = None,
    *,
    path_pattern: str | None = None,
    idle: set[str] | None = None,
    **choices: Any,
) -> Corpus:
    """Read a file, or a folder of files with one text each, as a Corpus.

    The format follows from the name's ending and the content unless it is given. Choices say what a
    file leaves open: ``columns={"text": "doc", "ref": "gold"}`` which column or field is what,
    ``coders=["anna", "ben"]`` only these annotators, ``without=["notes"]`` not these columns;
    ``flags="last"|"first"``, ``encoding="labels"``, ``units="seconds:0.1"``, ``tiers="coders"``,
    ``gaps="join"``, ``overlap="start"``, ``snap=True``, ``levels="1"``, ``threshold=0.5`` (or a
    file of :func:`tune`), ``probabilities=True`` (keep them). ``field``, ``id_field`` and
    ``units_field`` are the columns ``ref``, ``text`` and ``units``. ``path_pattern`` says what the
    paths of the files in a folder mean: ``"{coder}/{text}.TextGrid"``. A choice that does not apply
    to such a file is refused, or added to ``idle`` where that is given.
    """
    return _at_threshold(
        lambda **own: _read(path, format, path_pattern=path_pattern, **own), idle, choices
    )


def _at_threshold(
    make: Callable[..., Corpus], idle: set[str] | None, choices: dict[str, Any]
) -> Corpus:
    """Read; where a threshold is no plain number, probabilities are read first."""
    given = choices.get("threshold")
    wrong = find_option("threshold", "read").wrong(given)
    if given is None or wrong or isinstance(given, (int, float)):
        return make(idle=idle, **choices)
    from fencepost.scoring.threshold import Threshold

    threshold = Threshold.parse(given)
    own: set[str] | None = None if idle is None else set()
    try:
        corpus = make(idle=own, **{**choices, "threshold": None, "probabilities": True})
    except FormatError as error:
        raise FormatError(str(error).replace("--probabilities", "--threshold")) from None
    if idle is not None:
        idle |= {"threshold" if name == "probabilities" else name for name in own or ()}
    return threshold.apply(corpus)


def _read(
    path: str | Path,
    format: str | None = None,
    *,
    path_pattern: str | None = None,
    idle: set[str] | None = None,
    **choices: Any,
) -> Corpus:
    place = place_of(path)
    if format:
        _check_gives(find_format(format), place.name)  # before the file is opened
    try:
        if place.is_dir():
            from fencepost.formats.folders import read_folder

            skip = choices.get("empty") == "skip"
            choices |= {"empty": "error"}  # of a folder, it is about whole files
            return read_folder(
                place, path_pattern, lambda file: read(file, format, idle=idle, **choices), skip
            )
        if path_pattern is not None:
            raise FormatError(f"{path} is a file; a pattern of paths is for a folder")
        reading = Reading(place.name, path=str(path), **choices)
        with open_input(place, FormatError) as stream:
            quick = _read_quickly(stream, format, reading, idle)
            if quick is not None:
                return _of_field(quick, reading)
            stream.seek(0)
            data = stream.read()
    except OSError as error:
        raise unreadable(path, error, FormatError) from None
    return _read_all(data, reading, format, idle)


def read_bytes(
    data: bytes,
    name: str,
    format: str | None = None,
    *,
    idle: set[str] | None = None,
    **choices: Any,
) -> Corpus:
    """Read what a file of this name holds, compressed or not."""
    return _at_threshold(lambda **own: _read_bytes(data, name, format, **own), idle, choices)


def _read_bytes(
    data: bytes, name: str, format: str | None, *, idle: set[str] | None = None, **choices: Any
) -> Corpus:
    reading = Reading(name, **choices)
    quick = _read_quickly(io.BytesIO(data), format, reading, idle)
    if quick is not None:
        return _of_field(quick, reading)
    return _read_all(data, reading, format, idle)


def _read_quickly(
    stream: IO[bytes], format: str | None, reading: Reading, idle: set[str] | None
) -> Corpus | None:
    """A plain file as columns; None where the general readers must look."""
    chosen = find_format(format) if format else by_ending(reading.name)
    if format is None and chosen is not None and chosen.name in PLAIN:
        if any(one.sure for one in plugins().values()):
            return None  # they may want to see the whole text
        head = next(pieces(stream, reading.name, HEAD, reading.unpack_limit), b"")
        stream.seek(0)
        chosen = _guess(head.decode("utf-8-sig", "ignore"), reading) if head.strip() else None
    if chosen is None or chosen.idle(reading):
        return None
    from fencepost.formats.scan import read_plain

    return read_plain(stream, reading, chosen.name)


def _read_all(
    data: bytes, reading: Reading, format: str | None, idle: set[str] | None = None
) -> Corpus:
    name = reading.name
    data = unpack(data, name, reading.unpack_limit)
    chosen = find_format(format) if format else _by_bytes(data, reading)
    make = chosen.read_bytes if chosen is not None else None
    if chosen is None or make is None:
        return _read_text(decode_bytes(data, name), reading, format, idle)
    if not data.strip():
        raise EmptyFileError(f"{name} is empty")
    with _no_collection():
        return _read_as(chosen, partial(make, data), reading, idle)


def read_text(text: str, name: str, format: str | None = None, **choices: Any) -> Corpus:
    """Read what a file of this name holds."""
    return _read_text(text, Reading(name, **choices), format)


def _read_text(
    text: str, reading: Reading, format: str | None, idle: set[str] | None = None
) -> Corpus:
    chosen = find_format(format) if format else _guess(text, reading)
    _check_gives(chosen, reading.name)
    if not text.strip():
        raise EmptyFileError(f"{reading.name} is empty")
    assert chosen.read is not None
    with _no_collection():
        return _read_as(chosen, partial(chosen.read, text), reading, idle)


class WordsFile(NamedTuple):
    """A file of references or streams: its text, how to read it, and its format."""

    text: str
    reading: Reading
    format: Format

    @property
    def name(self) -> str:
        """The name of the file, for messages."""
        return str(self.reading.name)

    def references(self) -> SegmentRows:
        """Read its segments; an empty file has none."""
        from fencepost.model.documents import SegmentRows

        read = self.format.references
        return read(self.text, self.reading) if read and self.text else SegmentRows(())

    def streams(self) -> StreamSet:
        """Read its streams; an empty file has none."""
        from fencepost.model.documents import StreamSet

        read = self.format.streams
        return read(self.text, self.reading) if read and self.text else StreamSet(())


def open_words(
    path: str | os.PathLike[str], wanted: str, format: str | None = None, **choices: Any
) -> WordsFile:
    """Open a file of ``references`` or ``streams``; - is standard input.

    The format follows from the ending and the content unless it is given. Other options are those
    of ``read_references`` or ``read_streams``.
    """
    reading = Reading(str(path), function=f"read_{wanted}", **choices)
    name, text = read_decoded(path, reading.unpack_limit)
    reading = reading.replace(name=name, path=name)
    chosen = find_format(format) if format else _guess_words(text, reading)
    _check_gives(chosen, name, wanted)
    return WordsFile(text, reading, chosen)


def _check_gives(chosen: Format, name: str, wanted: str = "segmentations") -> None:
    """Raise FormatError with a way out where files of this format cannot give what is wanted."""
    if wanted in chosen.gives:
        return
    gives = listed(chosen.gives, last=" and ")
    if wanted == "segmentations":
        way_out = "fencepost resegment reads them"
    else:
        way_out = f"{', '.join(names_giving(wanted))} give {wanted}"
        if chosen.gives == ("segmentations",):
            way_out = f"fencepost score reads them; {way_out}"
    raise WordsOnlyError(
        f"{name}: files of the format {chosen.name} give {gives}, not {wanted}; {way_out}"
    )


def _read_as(
    chosen: Format,
    make: Callable[[Reading], Corpus],
    reading: Reading,
    idle: set[str] | None,
) -> Corpus:
    """What a reader makes, by choices that it knows; others are refused, or noted in ``idle``."""
    useless = chosen.idle(reading)
    if reading.levels == NESTED:  # whatever has segments with two ends may have them nested
        spans = "gaps" in (chosen.takes or ("gaps",))
        useless = useless - {"levels"} if spans else useless | {"levels"}
    late = useless & {"levels"}  # whatever turns out to have boundary types may have levels
    _refuse_idle(chosen, useless - late, reading, idle)
    corpus = make(reading.without_idle(useless))
    if late and corpus.kind_names is not None and reading.levels != NESTED:
        corpus = _of_levels(corpus, reading)
    else:
        _refuse_idle(chosen, late, reading, idle)
    unused = _unused(chosen, corpus, reading) - useless
    if idle is not None:
        idle |= unused
    elif unused:
        name = min(unused)
        holds = MEANT_FOR.get(name, "records or columns with names")
        raise FormatError(
            f"{reading.name}: {flag_of(name, reading)} does not apply: the file holds no {holds}"
            f"{_about_sizes(corpus, name)}; remove it"
        )
    corpus = _of_coders(_of_field(corpus, reading), reading, idle)
    source = corpus.source
    # Readers of other packages may know neither.
    return corpus.described(
        format=chosen.name, file=source.file or reading.name, shape=source.shape or chosen.help
    )


def _about_sizes(corpus: Corpus, option: str) -> str:
    """Return what to add about whole numbers where probabilities were declared."""
    if option not in ("probabilities", "threshold"):
        return ""
    from fencepost.formats.built import about_sizes

    return about_sizes(corpus)


def _refuse_idle(
    chosen: Format, useless: set[str], reading: Reading, idle: set[str] | None
) -> None:
    """Raise FormatError for choices that the format does not take, or note them in ``idle``."""
    if idle is not None:
        idle |= useless
    elif useless:
        raise FormatError(
            f"{reading.name}: {flag_of(min(useless), reading)} does not apply to files of the "
            f"format {chosen.name}; remove it"
        )


def _of_levels(corpus: Corpus, reading: Reading) -> Corpus:
    """Return the levels that are asked for, of boundary types that a reader found by itself."""
    if reading.levels == "kinds":
        return corpus
    if reading.levels == "all":
        choices = {**corpus.source.choices, "levels": "all"}
        return corpus.view("positions").described(choices=choices)
    try:
        return corpus.at(reading.levels)
    except SegmentationError as error:
        raise FormatError(str(error)) from None


# What options are for. The first two stand in the choices of every corpus that they were used for.
MEANT_FOR = {
    "flags": "marks of units, such as 0 and 1",
    "threshold": "probabilities",
    "probabilities": "probabilities",
    "units": "segments with a start and an end, or times",
    "gaps": "segments with a start and an end",
    "overlap": "segments with a start and an end",
    "levels": "levels, such as columns level1 and level2, or nested segments",
    "encoding": "values whose meaning is open",
    "snap": "segments with a start and an end in a text",
}


def _unused(chosen: Format, corpus: Corpus, reading: Reading) -> set[str]:
    """Return the options that the format knows, but that nothing in this file is for."""
    known = {"flags", "threshold", "probabilities"} & set(
        chosen.takes or ()
    ) - corpus.source.choices.keys()
    idle = known | set(corpus.source.idle)
    if reading.levels == NESTED:
        idle = idle - {"levels"} | ({"levels"} - corpus.source.choices.keys())
    if corpus.source.by_name:  # texts by their names: nothing has a role
        idle |= {COLUMNS + role for role in reading.columns if role not in ("ref", "hyp")}
    return idle & reading.made


def _of_field(corpus: Corpus, reading: Reading) -> Corpus:
    """Where files have no fields, the field that a person names is a coder."""
    coder = reading.field
    if coder is None or corpus.source.field == coder:
        return corpus
    _check_coders([coder], corpus, reading, "no field and no coder")
    others = tuple(name for name in corpus.coders if name != coder)
    chosen = corpus.by(coder).rename_coders({(None, coder): ONLY})
    return chosen.described(field=coder, ignored=(*corpus.source.ignored, *others))


def _of_coders(corpus: Corpus, reading: Reading, idle: set[str] | None) -> Corpus:
    """Only the coders that are asked for, and without those that are not wanted."""
    _check_coders(reading.coders, corpus, reading, "no annotator")
    there = {*corpus.source.ignored, *corpus.coders}
    unknown = [name for name in reading.without if name not in there]
    if unknown and idle is None:
        columns = listed([*corpus.source.ignored, *corpus.coders], 12)
        raise FormatError(
            f"{reading.name}: no column or annotator {unknown[0]!r} to ignore; there are {columns}"
        )
    if idle is not None:
        idle |= {f"without.{name}" for name in unknown}
    kept, without, coders = set(reading.coders), set(reading.without), corpus.coders
    left = [name for name in coders if (kept and name not in kept) or name in without]
    if not left:
        return corpus
    if len(left) == len(coders):
        raise FormatError(f"{reading.name}: no annotator is left without {listed(left)}")
    codes = [corpus.coder_names.find(name) for name in left]
    rows = np.flatnonzero(~np.isin(corpus.coder_codes, codes))
    return corpus.take(rows).described(ignored=(*corpus.source.ignored, *left))


def _check_coders(wanted: Sequence[str], corpus: Corpus, reading: Reading, none: str) -> None:
    known = dict.fromkeys(corpus.coders)
    for coder in wanted:
        if coder not in known:
            there = ", ".join(known)
            raise FormatError(f"{reading.name}: {none} {coder!r}; the annotators are {there}")


@contextmanager
def _no_collection() -> Iterator[None]:
    """Reading makes many objects and no cycles; a collector would walk over all, many times."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _by_bytes(data: bytes, reading: Reading) -> Format | None:
    """Files that are no text are known by their first bytes, or by their ending."""
    if data.startswith(PARQUET_SIGN):
        from fencepost.formats.chunks import looks_like_chunk_table

        chunks = reading.columns.keys() & {"start", "end"} or looks_like_chunk_table(data)
        return FORMATS["chunks" if chunks else "parquet"]
    found = by_ending(reading.name)
    return found if found is not None and found.read_bytes is not None else None


def write(corpus: Corpus, path: str | Path, format: str | None = None) -> None:
    """Write a Corpus; the format follows from the name's ending unless it is given.

    What a format cannot hold is refused. Words are not written where it cannot hold them, nor names
    where there is one text or one coder; ``fencepost.formats.writing.left_out`` lists them.
    ``jsonl`` holds everything.
    """
    place = place_of(path)
    data = written(corpus, place.name, format)
    write_whole(place, pack(data, place.name), FormatError)


def written(corpus: Corpus, name: str, format: str | None = None) -> bytes:
    """What a file of this name holds, before it is compressed."""
    chosen = for_writing(corpus, name, format)
    try:
        return chosen.written(corpus, name)
    except UnicodeEncodeError as error:
        raise FormatError(
            f"{name} cannot be written: {error.object[error.start]!r} does not exist in UTF-8"
        ) from None


def for_writing(corpus: Corpus, name: str, format: str | None = None) -> Format:
    """The format in which a file of this name is written."""
    if not isinstance(corpus, Corpus):
        raise FormatError(
            f"only a Corpus can be written, found {type(corpus).__name__}; Corpus.from_dict makes "
            "one"
        )
    if not len(corpus):
        raise FormatError("an empty corpus cannot be written: there is no segmentation in it")
    if corpus.has_probabilities:
        raise FormatError(
            f"{name}: the corpus has probabilities, and files are written with boundaries. Read it "
            "with --threshold 0.5 (corpus.at_threshold(0.5)), or keep it as corpus.to_arrow()"
        )
    chosen = find_format(format) if format else _by_ending_for(corpus, name)
    if chosen is None:
        raise FormatError(f"{name}: the ending names no format; give one of {_able()}")
    return _writable(chosen)


def _writable(chosen: Format) -> Format:
    if not chosen.writable:
        why = "a corpus holds no times" if chosen.timed else "fencepost only reads it"
        raise FormatError(f"{chosen.name} cannot be written: {why}; {_able()} can")
    return chosen


def _able() -> str:
    return ", ".join(name for name, one in {**FORMATS, **plugins()}.items() if one.writable)


def check_ending(path: str | Path) -> None:
    """Refuse a name whose ending is that of no format that can be written."""
    found = by_ending(place_of(path).name)
    if found is None:
        every = {**FORMATS, **plugins()}.values()
        able = ", ".join(end for one in every if one.writable for end in one.endings)
        raise FormatError(f"the ending names no format that can be written; {able} do")
    _writable(found)


def find_format(name: str) -> Format:
    """The format of this name, of fencepost or of an installed package."""
    if name in FORMATS:
        return FORMATS[name]
    more = plugins()
    if name in more:
        return more[name]
    if name in broken_plugins():
        raise FormatError(broken_plugins()[name])
    raise FormatError(f"no format {name!r}; there are {', '.join([*FORMATS, *more])}")


def format_names(*wanted: str) -> list[str]:
    """Names of formats that give some of this, and of installed packages, without loading them."""
    names = [*names_giving(*wanted), *(point.name for point in _entry_points())]
    return list(dict.fromkeys(names))


def _entry_points() -> Iterable[Any]:
    return declared("fencepost.formats")


def plugins() -> dict[str, Format]:
    """Formats that installed packages declare in the entry-point group ``fencepost.formats``."""
    return _loaded()[0]


def broken_plugins() -> dict[str, str]:
    """A sentence about each format of an installed package that cannot be loaded."""
    return _loaded()[1]


@cache
def _loaded() -> tuple[dict[str, Format], dict[str, str]]:
    points = list(_entry_points())
    if not points:
        return {}, {}
    from fencepost.formats.installed import load_formats

    return load_formats(points, FORMATS)


def _by_ending_for(corpus: Corpus, name: str) -> Format | None:
    """A .csv is a table of tokens where sizes cannot hold speakers or kinds."""
    found = by_ending(name)
    richer = corpus.kind_names is not None or corpus.has_streams
    return FORMATS["tokens"] if richer and found is FORMATS["tsv"] else found


def by_ending(name: str, *wanted: str) -> Format | None:
    """The format that the name's ending stands for, of those that give some of this."""
    wanted = wanted or ("segmentations",)
    ending = ending_of(name)
    own = name_by_ending(ending, *wanted)
    if own is not None or not ending:
        return None if own is None else FORMATS[own]
    more = (one for one in plugins().values() if ending in one.endings)
    return next((one for one in more if set(wanted) & set(one.gives)), None)


def _by_content(text: str, *wanted: str) -> Format | None:
    """The format that the content shows, whatever the file is called."""
    found = by_content(text, *wanted)
    more = (one for one in plugins().values() if one.sure and set(wanted) & set(one.gives))
    return found or next((one for one in more if one.looks_like(text)), None)


def _guess(text: str, reading: Reading) -> Format:
    """The format of a file of segmentations."""
    name = reading.name
    found = by_ending(name)
    ending = None if found is None else found.name
    if ending in (None, "separated"):
        from fencepost.formats.separated import has_separator

        if has_separator(text, reading):
            return FORMATS["separated"]
    shown = _by_columns(text, reading) or _by_content(text, "segmentations")
    if shown is not None:
        return shown  # whatever the ending
    if ending == "json" and _first_line_is_object(text):
        return FORMATS["jsonl"]
    if ending == "tsv":
        from fencepost.formats.tables import looks_like_table

        if looks_like_table(text, reading):
            return FORMATS["table"]
    if found is not None and ending != "separated":
        return found
    found = _guess_plain(text, name) or found
    # A known file without segmentations: the error can name the command that reads it.
    found = found or by_ending(name, *WORDS) or _by_content(text, *WORDS)
    if found is None:
        raise FormatError(
            f"{name}: the format is not clear from the name or the content; say it with --from "
            f"({', '.join(format_names('segmentations'))})"
            + "".join(f"; {why}" for why in broken_plugins().values())
        )
    return found


def _by_columns(text: str, reading: Reading) -> Format | None:
    """The format of a table or of records whose columns have roles that say what a row is."""
    roles = reading.columns.keys()
    if "start" in roles or "end" in roles:
        return FORMATS["chunks"]
    if text.lstrip().startswith(("{", "[")) or not roles & {"unit", "words"}:
        return None
    from fencepost.formats.tokens import header_of

    return FORMATS["tokens" if "token" in header_of(text) else "units"]


def _guess_words(text: str, reading: Reading) -> Format:
    """The format of references or streams: plain text, where nothing shows another."""
    name = reading.name
    ending = ending_of(name)
    found = by_ending(name, *WORDS) or _by_content(text, *WORDS)
    if found is not None:
        return found
    if ending in (".yaml", ".yml"):
        raise FormatError(
            f"{name} has times but no texts; it goes with the references: --segments {name}"
        )
    if ending in (".json", ".jsonl", ".ndjson", ".log") and text.strip():
        from fencepost.formats.json_objects import first_fields

        fields = first_fields(text)
        if fields is not None:
            raise FormatError(
                f"{name}: JSON with {', '.join(sorted(fields)) or 'no fields'} is no known format: "
                "simulstream has generated_tokens, simuleval has prediction, seglst has words"
            )
        if ending != ".log" or text.lstrip().startswith(("{", "[")):
            return FORMATS["seglst"]  # which says what is wrong
    other = by_ending(name)
    # The words of captions would be read with their times; .tok may be plain text.
    if other is not None and other.sure and other.looks_like(text):
        return other
    return FORMATS["text"]


def _guess_plain(text: str, name: str) -> Format | None:
    """What is in a file whose ending says nothing: a wrong guess would be a wrong number."""
    from fencepost.formats.lines import looks_like_bars, mostly_numbers
    from fencepost.formats.separated import EQUALS

    lines = [line for line in split_lines(text) if line.strip()]
    if any(EQUALS.match(line) for line in lines):
        return FORMATS["separated"]
    if FORMATS["punctuated"].looks_like(text):
        return FORMATS["punctuated"]
    if FORMATS["json"].looks_like(text):
        return FORMATS["jsonl" if _first_line_is_object(text) else "json"]
    numbers, separated = mostly_numbers(lines), FORMATS["separated"].looks_like(text)
    if numbers and separated:
        raise FormatError(
            f"{name} has lines of numbers and separator lines: say --from lines (one text per "
            "line) or --from separated (one unit per line)"
        )
    if separated:
        return FORMATS["separated"]
    if numbers:
        return FORMATS["lines"]
    if "|" not in text:
        return None
    if looks_like_bars(text):
        return FORMATS["lines"]
    number = next(n for n, line in enumerate(split_lines(text), start=1) if "|" in line)
    empty = any(not line.strip() for line in split_lines(text.strip()))
    beside = "there are empty lines too" if empty else "most lines have no | between spaces"
    raise FormatError(
        f"{name}, line {number}: | may stand between segments or be part of the text, and "
        f"{beside}; say --from lines (one text per line, | between its segments) or --from "
        "separated (one unit per line)"
    )


def _first_line_is_object(text: str) -> bool:
    """JSON lines under a .json name: the first line closes, and another object follows."""
    lines = [line.strip() for line in split_lines(text) if line.strip()]
    return len(lines) > 1 and lines[0][0] + lines[0][-1] + lines[1][0] == "{}{"
