"""Shards: pieces of Parquet and JSON-lines files that are read by themselves, batch by batch."""

from __future__ import annotations

import fnmatch
import glob
import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

from fencepost.batch.plan import Plan
from fencepost.model.checks import FencepostError
from fencepost.wording import clip, listed, needs

BATCH_ROWS = 1 << 16  # rows in memory at a time, at most
BATCH_BYTES = 1 << 24  # decoded bytes in memory at a time, at most
JSON_SHARD = 1 << 26  # bytes of a shard of JSON lines
JSON_BLOCK = 1 << 23  # bytes that are parsed at a time
PACKED = (".gz", ".zst", ".bz2", ".lz4")  # a packed file is read from its start: one shard


class Stamp(NamedTuple):
    """What a resumed run compares to tell whether a file has changed."""

    size: int
    time: int  # 0 where it is not known
    tag: str = ""  # what a store says of it besides: an ETag, a checksum, a version

    @property
    def is_certain(self) -> bool:
        """Whether a changed file has another stamp; a size alone does not tell."""
        return bool(self.time or self.tag)


class Shard(NamedTuple):
    """A row group of a Parquet file, or a range of bytes of a file of JSON lines."""

    number: tuple[int, int]  # that of its file in the run, and its own in the file
    path: str  # as it was given, for messages
    is_json: bool
    part: int  # the row group, or the first byte
    end: int  # the first byte behind it; -1 for the end of the file
    first_row: int  # rows of the file before it, for messages; -1 where they are not counted yet
    size: int  # rows or bytes: what progress is measured in
    stamp: Stamp
    names: tuple[Any, Any] | None = None  # the least and the greatest name of a text, if known
    meets: tuple[Any, ...] = ()  # rows of other tables, in a run that joins tables
    place: str = ""  # where the file is, from whatever folder it is read: workers have others


class BrokenFileError(FencepostError):
    """A file that cannot be read; the other files can."""


def locate(path: str) -> tuple[Any, str]:
    """Return the file system of a path or address, and the path in it."""
    fs = needs("pyarrow.fs", "a batch run")
    if "://" not in path:
        return fs.LocalFileSystem(), os.path.abspath(path)
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(path)
        return found
    except needs("pyarrow").ArrowInvalid:
        pass
    try:
        made, inner = needs("fsspec", path).core.url_to_fs(path)
    except ValueError as error:
        raise FencepostError(f"{path} cannot be read: {error}") from None
    return fs.PyFileSystem(fs.FSSpecHandler(made)), inner


def place_of(path: str) -> str:
    """Return where a file is: its absolute path, or its address."""
    return path if "://" in path else os.path.abspath(path)


def real_place(path: str) -> str:
    """Return what two names of one file have in common."""
    if "://" not in path:
        return os.path.realpath(path)
    if path.startswith("file:///"):
        return os.path.realpath(unquote(path.removeprefix("file://")))
    return path


def files_of(
    patterns: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    without: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Return the files that paths, patterns and folders name; patterns work in addresses too.

    ``without`` is the folder of results, which has no inputs.
    """
    given = [patterns] if isinstance(patterns, (str, os.PathLike)) else list(patterns)
    results = None if without is None else os.path.join(os.path.realpath(without), "")
    found: dict[str, str] = {}  # by place
    for one in [os.fspath(path) for path in given]:
        own = {real_place(path): path for path in _named_by(one)}
        inside = [place for place in own if results and place.startswith(results)]
        if inside and len(inside) == len(own):
            raise FencepostError(
                f"{one} is in the folder of the results, {without}, where no inputs are read; save "
                "into another folder"
            )
        own = {place: path for place, path in own.items() if place not in inside}
        twice = next((place for place in own if place in found), None)
        if twice is not None:
            other = f", also as {own[twice]}" if own[twice] != found[twice] else ""
            raise FencepostError(f"{found[twice]} is given twice{other}; name each file once")
        found |= own
    if not found:
        raise FencepostError("no file is given")
    return list(found.values())


def _named_by(given: str) -> list[str]:
    """Return the files of a path, a pattern or a folder, in order."""
    is_address = "://" in given
    if any(sign in given for sign in "*?[") and (is_address or not os.path.exists(given)):
        own = _matching(given) if is_address else _local_matching(given)
        if not own:
            raise FencepostError(f"no file is called {given}")
        return own
    return _files_in(given) or [given]


def _files_in(folder: str) -> list[str]:
    """Return the data files of a folder and the folders in it, as Spark writes them.

    Names that begin with _ or . are not data. An empty list is for what is no folder.
    """
    if "://" in folder:
        names = _below(folder)
    elif os.path.isdir(folder):
        pairs = [(at, name) for at, _, files in os.walk(folder) for name in files]
        names = [os.path.relpath(os.path.join(at, name), folder) for at, name in pairs]
    else:
        return []
    if names is None:
        return []
    data = [name for name in names if not re.search(r"(^|/)[_.]", name.replace(os.sep, "/"))]
    if not data:
        raise FencepostError(
            f"{folder} is a folder without data files (.parquet or .jsonl); names that begin with "
            "_ or . are none"
        )
    return [f"{folder.rstrip('/')}/{name}" for name in sorted(data)]


def _local_matching(pattern: str) -> list[str]:
    found = sorted(glob.glob(pattern, recursive=True))
    return [path for one in found for path in (_files_in(one) or [one])]


def _below(address: str) -> list[str] | None:
    """Return the files below a folder of a store; None for what is no folder."""
    fs = needs("pyarrow.fs", "a batch run")
    try:
        system, inner = locate(address)
        if system.get_file_info(inner).type != fs.FileType.Directory:
            return None
        infos = system.get_file_info(fs.FileSelector(inner, recursive=True))
    except (needs("pyarrow").ArrowException, OSError):  # it is named when it is read
        return None
    root = inner.rstrip("/") + "/"
    return [one.path.removeprefix(root) for one in infos if one.is_file]


def _matching(pattern: str) -> list[str]:
    folder = pattern[: pattern.rindex("/")]
    fs = needs("pyarrow.fs")
    with _naming(pattern):  # the store may not answer
        system, inner = locate(folder)
        infos = system.get_file_info(fs.FileSelector(inner, allow_not_found=True))
        kinds = {PurePosixPath(one.path).name: one.type for one in infos}
        found = []
        for name in sorted(fnmatch.filter(kinds, pattern.rpartition("/")[2])):
            path = f"{folder}/{name}"
            is_folder = kinds[name] == fs.FileType.Directory  # a list of a store tells, for nothing
            found += _files_in(path) if is_folder else [path]
    return found


def is_json(path: str) -> bool:
    """Tell whether a file has JSON lines by its name; raise FencepostError for neither."""
    plain = path
    for ending in PACKED:
        plain = plain.removesuffix(ending)
    if plain.endswith((".jsonl", ".ndjson")):
        return True
    if path.endswith(".parquet"):
        return False
    raise FencepostError(
        f"{path}: batch runs read .parquet and .jsonl files (also .jsonl.gz and .jsonl.zst)"
    )


def shards_of(path: str, columns: Sequence[str], nth: int, text: str | None = None) -> list[Shard]:
    """Return the shards of the nth file of a run; raise BrokenFileError if it cannot be read.

    ``text`` is the column of names by which tables are joined.
    """
    arrow = needs("pyarrow", "a batch run")
    json_lines, place = is_json(path), place_of(path)
    try:
        system, inner = locate(place)
        info = system.get_file_info(inner)
        if not info.is_file:
            raise BrokenFileError(_why_absent(path, system, inner))
        stamp = Stamp(info.size or 0, info.mtime_ns or 0, _tag(system, inner))
        if json_lines and text is not None:
            raise FencepostError(
                f"{path}: tables are joined row group by row group, which JSON lines do not have; "
                "write it as Parquet"
            )
        if json_lines:
            step = JSON_SHARD if not path.endswith(PACKED) else 1 << 62
            starts = range(0, max(stamp.size, 1), step)
            return [
                Shard((nth, i), path, True, at, -1 if at + step >= stamp.size else at + step,
                      -1 if at else 0, min(step, stamp.size - at), stamp, place=place)
                for i, at in enumerate(starts)
            ]  # fmt: skip
        with system.open_input_file(inner) as file:
            found = needs("pyarrow.parquet").ParquetFile(file)
            groups = [found.metadata.row_group(i) for i in range(found.num_row_groups)]
            _check_columns(path, found.schema_arrow.names, columns)
    except (arrow.ArrowInvalid, OSError) as error:
        raise BrokenFileError(f"{path} cannot be read: {_first_line(error)}") from None
    made, before = [], 0
    for i, group in enumerate(groups):
        names = None if text is None else _range_of(path, group, text)
        made.append(
            Shard((nth, i), path, False, i, 0, before, group.num_rows, stamp, names, place=place)
        )
        before += group.num_rows
    return made


# What stores that fsspec reads call the identity of a file.
TAGS = (
    "etag", "content-md5", "digest", "md5hash", "checksum", "sha", "version", "generation",
    "last-modified", "lastmodified", "last_modified", "updated", "modified", "created",
)  # fmt: skip


def _fsspec(system: Any) -> Any:
    """Return the file system of fsspec behind one of pyarrow, if there is one."""
    return getattr(getattr(system, "handler", None), "fs", None)


def has_numbers(path: str, name: str) -> bool:
    """Whether a file has a column of whole numbers with this name, as its first rows tell."""
    arrow, (system, inner) = needs("pyarrow"), locate(place_of(path))
    try:
        if is_json(path):
            shard = shards_of(path, (), 0)[0]
            with _opened(shard) as stream:
                at, block = next(_blocks(stream, shard), (0, b""))
            value = _first_values(shard, at, block, [name])[1].get(name)
            return isinstance(value, int) and not isinstance(value, bool)
        with system.open_input_file(inner) as file:
            schema = needs("pyarrow.parquet").ParquetFile(file).schema_arrow
    except (arrow.ArrowException, OSError, FencepostError):  # it is told when it is read
        return False
    return name in schema.names and arrow.types.is_integer(schema.field(name).type)


def _tag(system: Any, inner: str) -> str:
    store = _fsspec(system)
    if store is None:
        return ""
    known = {name.lower(): value for name, value in store.info(inner).items() if value}
    return "; ".join(f"{name} {known[name]}" for name in TAGS if name in known)


def _why_absent(path: str, system: Any, inner: str) -> str:
    """Return why there is no file; fsspec says so of a server that does not answer, too."""
    store = _fsspec(system)
    try:
        if store is not None:
            store.info(inner)
    except FileNotFoundError as error:
        cause = error.__cause__
        status = getattr(cause, "status", None)
        if status is not None and status not in (404, 410):
            said = f"{status} {getattr(cause, 'message', '')}".strip()
            return f"{path} cannot be read: the server says {said}"
        if isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError):
            said = _first_line(cause)
            return f"{path} cannot be read: the server does not answer ({said})"
    return f"{path}: no such file"


def _range_of(path: str, group: Any, column: str) -> tuple[Any, Any] | None:
    """Return the least and the greatest value of a column of a row group, if it has them."""
    for i in range(group.num_columns):
        one = group.column(i)
        if one.path_in_schema == column and one.statistics and one.statistics.has_min_max:
            try:
                return one.statistics.min, one.statistics.max
            except UnicodeDecodeError as error:
                raise FencepostError(
                    f"{path}: {column} is not UTF-8 text: byte {error.object[error.start]:#04x}; "
                    "write the file in UTF-8"
                ) from None
    return None


def _check_columns(path: str, names: Sequence[str], columns: Sequence[str]) -> None:
    lacking = [name for name in columns if name not in names]
    if lacking:
        raise FencepostError(
            f"{path}: no column {listed(lacking, 5)}; there are {listed(list(names), 12)}. "
            "--columns ref=NAME,hyp=NAME names columns (ref=, hyp= in Python)"
        )


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def batches_of_shard(shard: Shard, plan: Plan) -> Iterator[Any]:
    """Read a shard; raise BrokenFileError where its bytes are not what they should be."""
    if shard.meets:
        from fencepost.batch.joins import joined_batches

        return joined_batches(shard, plan)
    return _json_batches(shard, plan) if shard.is_json else row_group(shard, plan.columns())


def row_group(shard: Shard, columns: Sequence[str], beside: int = 0) -> Iterator[Any]:
    """Read columns of a row group, batch by batch.

    A batch has fewer rows where they are large; ``beside`` are bytes that each row meets elsewhere.
    """
    with _naming(shard.path):
        system, inner = locate(shard.place)
        with system.open_input_file(inner) as file:
            found = needs("pyarrow.parquet").ParquetFile(
                file, pre_buffer=False, page_checksum_verification=True
            )
            size = bytes_per_row(found, shard.part, columns) + beside
            yield from found.iter_batches(
                max(1, min(BATCH_ROWS, BATCH_BYTES // max(size, 1))),
                row_groups=[shard.part],
                columns=list(columns),
                use_threads=False,
            )


def bytes_per_row(file: Any, number: int, columns: Sequence[str]) -> int:
    """Return how many bytes a row of a row group has in these columns when it is decoded.

    Metadata count the values; on the disk, lists that are alike may take next to nothing.
    """
    group = file.metadata.row_group(number)
    leaves = [leaf for field in file.schema_arrow for leaf in _leaves(field.type)]
    total, rows = 0, int(group.num_rows)
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema.partition(".")[0] in columns:
            width = leaves[place] if len(leaves) == group.num_columns else WIDEST
            total += int(column.num_values * width if width else column.total_uncompressed_size)
    return total // max(rows, 1)


WIDEST = 8  # bytes of a number


def _leaves(kind: Any) -> list[int]:
    """Return the bytes of values inside a type, in the order of Parquet; 0 for texts."""
    if kind.num_fields:
        return [leaf for i in range(kind.num_fields) for leaf in _leaves(kind.field(i).type)]
    try:
        return [-(-kind.bit_width // 8)]
    except ValueError:  # its values have different lengths
        return [0]


def divided(batch: Any) -> Iterator[Any]:
    """Yield a batch in pieces of at most twice the bytes that are in memory at a time.

    A single row stays whole, and so does what its pieces would share.
    """
    size, middle = _bytes_of(batch), len(batch) // 2
    if size > 2 * BATCH_BYTES and middle:
        halves = batch.slice(0, middle), batch.slice(middle)
        if sum(map(_bytes_of, halves)) < 1.5 * size:
            yield from (piece for half in halves for piece in divided(half))
            return
    yield batch


def _bytes_of(batch: Any) -> int:
    """Return the bytes of the rows of a batch; of its whole buffers where pyarrow cannot tell."""
    try:
        return int(batch.nbytes)
    except needs("pyarrow").ArrowTypeError:  # pyarrow 18 and views
        return int(batch.get_total_buffer_size())


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Turn what is wrong with a file into an error with its name."""
    wrong = (needs("pyarrow").ArrowException, OSError)
    try:
        yield
    except wrong as error:
        raise BrokenFileError(f"{path} cannot be read: {_first_line(error)}") from None


# JSON lines.


def _json_batches(shard: Shard, plan: Plan) -> Iterator[Any]:
    options: Any = None
    with _naming(shard.path), _opened(shard) as stream:
        for at, block in _blocks(stream, shard):
            if block.isspace():
                continue
            _check_utf8(shard, at, block)
            if options is None:
                schema = _json_schema(shard, at, block, plan)
                options = needs("pyarrow.json").ParseOptions(
                    explicit_schema=schema, unexpected_field_behavior="ignore"
                )
            try:
                table = _parsed(block, options)
            except needs("pyarrow").ArrowInvalid as error:
                lines, why = _first_wrong_line(block, options, error)
                number = lines_before(shard, at) + lines + 1
                raise BrokenFileError(
                    f"{shard.path} cannot be read: line {number}: {why}"
                ) from None
            yield from table.combine_chunks().to_batches(max_chunksize=BATCH_ROWS)


def _check_utf8(shard: Shard, at: int, block: bytes) -> None:
    """Raise BrokenFileError for what is no text: pyarrow would take it as it is."""
    if block.isascii():
        return
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = lines_before(shard, at) + block.count(b"\n", 0, error.start) + 1
        raise BrokenFileError(
            f"{shard.path} cannot be read: line {line} is not UTF-8 text: byte "
            f"{block[error.start]:#04x}; save the file as UTF-8"
        ) from None


def _parsed(block: bytes, options: Any) -> Any:
    reader = needs("pyarrow.json")
    return reader.read_json(
        needs("pyarrow").BufferReader(block),
        read_options=reader.ReadOptions(use_threads=False, block_size=len(block) + 1),
        parse_options=options,
    )


def _first_wrong_line(block: bytes, options: Any, error: Exception) -> tuple[int, str]:
    """Return how many lines are before the first that cannot be parsed, and why it cannot."""
    lines = block.splitlines(keepends=True)
    good, bad = 0, len(lines)  # so many lines can be parsed, and so many cannot
    while bad - good > 1:
        middle = (good + bad) // 2
        part = b"".join(lines[good:middle])
        try:
            if not part.isspace():
                _parsed(part, options)
            good = middle
        except needs("pyarrow").ArrowInvalid as own:
            bad, error = middle, own
    return good, _why_unparsed(_first_line(error))


KINDS_OF_JSON = {"array": "a list", "object": "an object", "number": "a number", "string": "a text"}


def _why_unparsed(said: str) -> str:
    """Return what pyarrow says of a line, in words: it names fields by paths such as /gold/[]."""
    said = re.sub(r" in row \d+$", "", said).removeprefix("JSON parse error: ")
    if found := re.fullmatch(r"Column\(/(.*?)(/.*)?\) changed from (\w+) to (\w+)", said):
        field, inside, wanted, there = found.groups()
        what = f"a value in {field}" if inside else field
        wanted, there = (KINDS_OF_JSON.get(one, one) for one in (wanted, there))
        return f"{what} must be {wanted}, found {there}"
    if found := re.fullmatch(r"Failed to convert JSON to u?int\d+, couldn't parse:(.*)", said):
        return f"values must be whole numbers, found {found[1]}"
    return said


def lines_before(shard: Shard, end: int, rows: bool = False) -> int:
    """Count the lines of a file before a byte, for a message; or only the rows among them."""
    found = 0
    with _naming(shard.path), _opened(shard) as stream:
        whole = shard._replace(part=0, end=-1)
        for at, block in _blocks(stream, whole):
            part = block[: max(end - at, 0)]
            if not part:
                break
            if rows:
                found += sum(bool(line.strip()) for line in part.splitlines())
            else:
                found += part.count(b"\n")
    return found


def _opened(shard: Shard) -> Any:
    system, inner = locate(shard.place)
    packed = shard.path.endswith(PACKED)
    return system.open_input_stream(inner) if packed else system.open_input_file(inner)


def _blocks(stream: Any, shard: Shard) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines, block by block, and where each begins: all lines that begin here."""
    at, rest = shard.part, b""
    if at:  # the line that the byte before belongs to is of the shard before
        at -= 1
        stream.seek(at)
        while not rest:
            block = stream.read(JSON_BLOCK)
            cut = block.find(b"\n") + 1
            at += cut or len(block)
            rest = block[cut:] if cut else b""
            if not block or 0 <= shard.end <= at or (cut and not rest):
                break
        if 0 <= shard.end <= at:
            return
    while True:
        # The last line of the shard is the one that holds its last byte.
        last = rest.find(b"\n", max(0, shard.end - 1 - at)) if shard.end >= 0 else -1
        if last >= 0:
            yield at, rest[: last + 1]
            return
        block = stream.read(JSON_BLOCK)
        if not block:
            if rest.strip():
                yield at, rest
            return
        rest += block
        if len(block) < JSON_BLOCK:
            continue  # the end of the file, most likely; its last line may have no line end
        cut = rest.rfind(b"\n") + 1
        if cut and (shard.end < 0 or at + cut < shard.end):
            yield at, rest[:cut]
            at, rest = at + cut, rest[cut:]


def _json_schema(shard: Shard, at: int, block: bytes, plan: Plan) -> Any:
    """Return the types of the fields that are read; names, marks and spans as they come first."""
    arrow = needs("pyarrow")
    fields, found = _first_values(shard, at, block, plan.columns())
    if not shard.part:  # what a piece of a file lacks may be in another
        _check_columns(shard.path, fields, plan.columns())
    types: dict[str, Any] = {}
    for name in (plan.ref, *plan.systems):
        values = found.get(name)
        first = next(iter(values), None) if isinstance(values, list) else None
        value = arrow.int64()
        if plan.encoding == "spans":
            ends = {"start": arrow.int64(), "end": arrow.int64()}
            value = arrow.struct(ends) if isinstance(first, dict) else arrow.list_(arrow.int64())
        elif plan.encoding in ("bits", "flags"):
            value = arrow.bool_() if isinstance(first, bool) else arrow.int8()
        types[name] = arrow.list_(value)
    for name in plan.kinds.values():  # types may be called 1, 2, 3
        is_number = isinstance(next(iter(found.get(name) or ()), None), int)
        types[name] = arrow.list_(arrow.int64() if is_number else arrow.string())
    if plan.units is not None:
        types[plan.units] = arrow.int64()
    if plan.text is not None:
        is_number = isinstance(found.get(plan.text), int)
        types[plan.text] = arrow.int64() if is_number else arrow.string()
    return arrow.schema(types)


def _first_values(
    shard: Shard, at: int, block: bytes, columns: Sequence[str]
) -> tuple[list[str], dict[str, Any]]:
    """Return the fields of the first lines, and the first value of each that is not null."""
    fields: dict[str, None] = {}
    found: dict[str, Any] = {}
    for i, line in enumerate(io.BytesIO(block), start=1):
        if line.isspace():
            continue
        try:
            row = json.loads(line)
        except RecursionError:
            raise BrokenFileError(
                f"{shard.path} cannot be read: line {lines_before(shard, at) + i} is nested too "
                "deeply"
            ) from None
        except ValueError as error:
            why = f"line {lines_before(shard, at) + i} is not JSON: {getattr(error, 'msg', error)}"
            raise BrokenFileError(f"{shard.path} cannot be read: {why}") from None
        if not isinstance(row, dict):
            raise FencepostError(
                f"{shard.path}: line {lines_before(shard, at) + i} must be a JSON object with a "
                f"field for each column, found {clip(line.decode().strip(), 60)}"
            )
        fields |= dict.fromkeys(row)
        for name in columns:
            if found.get(name) in (None, []) and row.get(name) is not None:
                found[name] = row[name]
        if all(found.get(name) not in (None, []) for name in columns):
            break
    return list(fields), found
