"""Runs over files: shards in threads or on a cluster, in bounded memory, saved and resumed."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from fencepost import _core
from fencepost._version import VERSION
from fencepost.batch.arrow import count_batches, from_batch, to_batch
from fencepost.batch.joins import Files, Hypotheses, Others, joined, others_of, skipped_notes
from fencepost.batch.plan import Plan, as_plan, changed_sources
from fencepost.batch.shards import (
    BATCH_ROWS,
    BrokenFileError,
    Shard,
    batches_of_shard,
    files_of,
    lines_before,
    place_of,
    shards_of,
)
from fencepost.batch.totals import Totals
from fencepost.files import write_whole, writing
from fencepost.model.checks import FencepostError, MetricError
from fencepost.model.hashing import blake2b
from fencepost.options import RESAMPLES, SEED, Method
from fencepost.scoring.count import check_choices
from fencepost.scoring.summary import Choices
from fencepost.scoring.tables import Table
from fencepost.statistics.intervals import NORMAL_ABOVE_TEXTS
from fencepost.wording import listed, needs, plural

Number = tuple[int, int]  # of a shard
MANIFEST = "manifest.jsonl"
UNFINISHED = re.compile(r"\.(part-|manifest\.jsonl\.).*\.part")  # what a kill left half written
AHEAD = 2  # shards for each thread that are waiting or done and not yet added


def score_files(
    files: Files,
    plan: Plan | str,
    *,
    hyp: Files | Hypotheses | Sequence[Hypotheses] | None = None,
    save: str | os.PathLike[str] | None = None,
    resume: bool = False,
    strict: bool = False,
    threads: int | None = None,
    progress: bool = False,
    dask: Any = None,
    intervals: bool = True,
    method: Method | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Table:
    """Score all texts of Parquet or JSON-lines files, in memory that does not grow with them.

    ``files`` are paths, patterns (``"big/*.parquet"``), folders or addresses (``s3://...``), taken
    in the order of their paths. Row groups are shards, which ``threads`` take in turn (all cores
    unless given). ``dask`` is the address of a scheduler, ``"local"``, or a client; workers must
    see the files. The numbers are the same for any number of threads and workers.

    ``hyp`` are files of another table with the hypotheses (or several, as :class:`Hypotheses`),
    joined with the reference by the plan's ``text``. Either every row group has a range of names of
    its own, as in sorted tables. Or both tables have the same texts in the same order.

    ``save`` names a new folder for the rows of counts, a Parquet file for each shard, with a
    manifest of those that are finished. ``resume=True`` goes on with a run that was stopped, and
    counts files that are new or have changed. A file that cannot be read is noted and skipped;
    with ``strict=True`` it is an error.

    The table is as from ``fp.score`` without baselines. Up to 10,000 texts, intervals are as in
    ``fp.score``, with the same settings; above, they follow from the standard error, by sums of
    values and their products, and other methods are refused.
    """
    made = as_plan(plan)
    choices = Choices(made.averaging, intervals, method, resamples, seed)
    return score_shards(
        files, made, hyp, save, resume, strict, threads, progress, dask, choices=choices
    )


def score_shards(
    files: Files,
    plan: Plan | str,
    hyp: Any = None,
    save: str | os.PathLike[str] | None = None,
    resume: bool = False,
    strict: bool = False,
    threads: int | None = None,
    progress: bool = False,
    dask: Any = None,
    few: str = "",
    choices: Choices | None = None,
) -> Table:
    """Do what ``score_files`` does.

    ``few`` is the error for more than 10,000 texts, where their rows of counts are needed: it is
    raised as soon as there are more. ``choices`` are how intervals are made.
    """
    made = as_plan(plan)
    choices = choices or Choices(made.averaging)
    check_choices(choices)
    if choices.method not in (None, "normal"):
        few = few or (
            f"method {choices.method} (--method, bs in a signature) resamples texts, up to "
            f"{NORMAL_ABOVE_TEXTS:,} in a run, and there are more; remove it for the standard error"
        )
    if save is not None and os.fspath(save).endswith((".csv", ".parquet")):
        raise FencepostError(
            f"save={os.fspath(save)!r} must be a folder: a run writes a file for each row group"
        )
    if resume and save is None:
        raise FencepostError(
            "resume goes on with a saved run: name its folder with --save DIR (save= in Python)"
        )
    if threads is not None and threads < 1:
        raise FencepostError(f"threads must be at least 1, found {threads}")
    with ExitStack() as opened:
        manifest = None
        if save is not None:
            manifest = opened.enter_context(closing(Manifest(Path(save), made, resume)))
        others = [] if hyp is None else others_of(hyp, made, save)
        run = _Run(made, manifest, strict, progress)
        return run.table(files_of(files, save), others, threads, dask, few, choices)


class Done(NamedTuple):
    """What a shard gave: totals, the sentence about a file that cannot be read, or an error.

    An error that stops the run is a value, too: a cluster prints what its workers raise.
    """

    totals: Totals | None
    broken: str = ""
    error: FencepostError | None = None


def score_shard(
    shard: Shard, plan: Plan, folder: str | None, stop: Callable[[], bool] = bool
) -> Done:
    """Count one shard, and write its rows if there is a folder; this is what workers run."""
    totals = Totals.for_plan(plan)
    counted = count_batches(batches_of_shard(shard, plan), plan, max(shard.first_row, 0))
    try:
        if folder is None:
            for one in counted:
                totals.add(one)
                if stop():
                    break
        else:
            _write_part(Path(folder, part_name(shard)), counted, plan, totals, stop)
    except BrokenFileError as error:
        return Done(None, str(error))
    except FencepostError as error:
        if shard.first_row < 0:  # the message shall have the number of the row in the file
            first = lines_before(shard, shard.part, rows=True)
            return score_shard(shard._replace(first_row=first), plan, None, stop)
        where = "" if shard.path in str(error) or (folder and folder in str(error)) else shard.path
        return Done(None, error=type(error)(f"{where}{': ' * bool(where)}{error}"))
    return Done(totals)


def part_name(shard: Shard) -> str:
    """Return the name of the file with the rows of a shard.

    Numbers keep parts in the order of files; the digest keeps two files apart whose numbers are the
    same because a run was resumed with more files.
    """
    digest = blake2b(shard.place.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    file, own = shard.number
    return f"part-{file:06d}-{own:06d}-{digest}.parquet"


PART = re.compile(r"part-\d{6,}-\d{6,}-[0-9a-f]{8}\.parquet")


def _write_part(
    path: Path, counted: Iterator[Any], plan: Plan, totals: Totals, stop: Callable[[], bool]
) -> None:
    """Write the rows whole, or not at all; an empty shard has no file."""
    parquet = needs("pyarrow.parquet")

    def counts() -> Iterator[Any]:
        for one in counted:
            totals.add(one)
            yield to_batch(one, plan)
            if stop():
                raise KeyboardInterrupt

    tables = _in_row_groups(counts())
    table = next(tables, None)
    if table is None:
        return
    with writing(path) as stream, parquet.ParquetWriter(stream, table.schema) as writer:
        while table is not None:
            writer.write_table(table)
            table = next(tables, None)


def _in_row_groups(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield tables of as many rows as batches of small rows have, whatever size these have."""
    of = needs("pyarrow").Table
    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += len(batch)
        while rows >= BATCH_ROWS:
            table = of.from_batches(held).combine_chunks()
            yield table.slice(0, BATCH_ROWS)
            rows -= BATCH_ROWS
            held = table.slice(BATCH_ROWS).to_batches()
    if rows:
        yield of.from_batches(held).combine_chunks()


class _Run:
    """One run: which shards are left, what was counted, and the manifest that keeps it."""

    def __init__(self, plan: Plan, manifest: Manifest | None, strict: bool, progress: bool) -> None:
        self.plan, self.manifest, self.strict, self.progress = plan, manifest, strict, progress
        # What is wrong with a file, by its path, and in which shard that was found.
        self.found_broken: dict[str, tuple[Number, str]] = {}

    def table(
        self,
        paths: Sequence[str],
        others: Sequence[Others],
        threads: int | None,
        dask: Any,
        few: str,
        choices: Choices,
    ) -> Table:
        """Score all shards, and return the table of all texts."""
        shards = self._shards(paths, others)
        kept = _KeptRows(shards)
        done: dict[Number, Totals] = {}
        if self.manifest is not None:
            done = self.manifest.start(shards, paths, self.broken, kept)
        left = [shard for shard in shards if shard.number not in done]
        files = [list(own) for _, own in groupby(shards, key=lambda shard: shard.path)]
        totals = Totals.for_plan(self.plan)
        self._collect(files, done, totals)
        with (
            _pace(self.progress, shards, left) as advance,
            closing(self._results(left, threads, dask)) as results,
        ):
            for shard, result in results:
                advance(shard, result.totals)
                if result.totals is None:
                    self._note_broken(shard.path, shard.number, result.broken)
                else:
                    done[shard.number] = result.totals
                    if kept.add(shard, result.totals.texts):
                        kept.drop(done)
                    elif not kept.needs(shard.path):
                        result.totals.kept = None
                    if few and not kept.needs(shard.path):
                        raise FencepostError(few)
                    if self.manifest is not None:
                        self.manifest.add(shard, result.totals)
                self._collect(files, done, totals)
        if self.broken and not totals.texts:
            raise FencepostError(f"no file could be read: {next(iter(self.broken.values()))}")
        names = listed([Path(path).name for path in paths])
        notes = [*self._notes(len(paths)), *skipped_notes(shards, others, self.plan)]
        table = totals.table(self.plan, names, notes, choices)
        facts = {**table.facts, "files": len(paths), "broken_files": list(self.broken)}
        return replace(table, facts=facts)

    def _collect(
        self, files: list[list[Shard]], done: dict[Number, Totals], totals: Totals
    ) -> None:
        """Add the files that are finished, in order: sums of products depend on it."""
        while files and all(s.number in done or s.path in self.found_broken for s in files[0]):
            for shard in files.pop(0):
                part = done.pop(shard.number, None)
                if part is not None and shard.path not in self.found_broken:
                    totals.merge(part)

    def _shards(self, paths: Sequence[str], others: Sequence[Others]) -> list[Shard]:
        """Return the shards of all files, in the order of their places.

        Whatever order files are given in, parts and sums are the same.
        """
        found: list[Shard] = []
        columns, text = self.plan.columns(), None
        if others:
            columns, text = self.plan.reference_columns(), self.plan.text
        order = {path: number for number, path in enumerate(sorted(paths, key=place_of))}
        for path in paths:
            try:
                found += shards_of(path, columns, order[path], text)
            except BrokenFileError as error:
                if others and self.plan.missing == "error":  # its texts would lack in the join
                    raise
                self._note_broken(path, (order[path], -1), str(error))
        return sorted(joined(found, others, self.plan), key=lambda shard: shard.number)

    @property
    def broken(self) -> dict[str, str]:
        """What is wrong with files, in their order, whichever was found first."""
        return {path: why for path, (_, why) in sorted(self.found_broken.items(), key=_by_number)}

    def _note_broken(self, path: str, number: Number, why: str) -> None:
        if self.strict:
            raise BrokenFileError(why)
        self.found_broken[path] = min((number, why), self.found_broken.get(path, (number, why)))

    def _notes(self, files: int) -> list[str]:
        if not self.found_broken:
            return []
        count = plural(len(self.broken), "file")
        return [f"{count} of {files} skipped", *self.broken.values()]

    def _results(
        self, shards: list[Shard], threads: int | None, dask: Any
    ) -> Generator[tuple[Shard, Done]]:
        if dask is not None:
            from fencepost.batch.engines import dask_results

            return dask_results(shards, self.plan, self._place, self.strict, dask)
        number = threads or _core.get_threads()
        return _in_threads(shards, self.plan, self._place, self.strict, number)

    @property
    def _place(self) -> str | None:
        return None if self.manifest is None else str(self.manifest.folder.resolve())


class _KeptRows:
    """Tells whose rows of counts can still be needed: those of a result of up to 10,000 texts.

    Whether a result has more is known of files that are whole, and of a file that has more by
    itself: what is counted of a file that breaks later must not decide about others.
    """

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.left = Counter(shard.path for shard in shards)  # shards that are not counted yet
        self.texts: Counter[str] = Counter()  # of each file
        self.whole = 0  # texts of whole files
        self.path_of = {shard.number: shard.path for shard in shards}

    def add(self, shard: Shard, texts: int) -> bool:
        """Note the texts of a shard that is counted; return whether rows kept so far may go."""
        before = self.needs(shard.path), self.whole
        self.left[shard.path] -= 1
        self.texts[shard.path] += texts
        if not self.left[shard.path]:
            self.whole += self.texts[shard.path]
        ended = before[0] and not self.needs(shard.path)
        return ended or before[1] <= NORMAL_ABOVE_TEXTS < self.whole

    def needs(self, path: str) -> bool:
        """Return whether the rows of this file may be needed."""
        return max(self.whole, self.texts[path]) <= NORMAL_ABOVE_TEXTS

    def drop(self, done: Mapping[Number, Totals]) -> None:
        """Forget rows that nobody needs any more."""
        for number, totals in done.items():
            if totals.kept is not None and not self.needs(self.path_of[number]):
                totals.kept = None


def in_turn(
    shards: Sequence[Shard],
    start: Callable[[Shard], Any],
    take: Callable[[Mapping[Any, Shard]], tuple[Any, Done]],
    most: int,
    strict: bool,
) -> Generator[tuple[Shard, Done]]:
    """Yield what shards gave, as they end; raise the error of the first shard that has one.

    ``start`` hands a shard to a worker, and ``take`` waits for one of those that were; ``most`` are
    with workers at a time. Which worker is faster does not show: behind an error, shards before it
    are waited for, as they may have another one.
    """
    waiting: dict[Any, Shard] = {}
    left = iter(shards)
    failed: tuple[Number, FencepostError] | None = None
    while True:
        while failed is None and len(waiting) < most and (shard := next(left, None)) is not None:
            waiting[start(shard)] = shard
        if failed is not None:
            waiting = {key: one for key, one in waiting.items() if one.number < failed[0]}
        if not waiting:
            break
        key, done = take(waiting)
        own = waiting.pop(key, None)
        if own is None:
            continue  # it was behind an error
        error = done.error or (BrokenFileError(done.broken) if strict and done.broken else None)
        if error is None:
            yield own, done
        else:
            failed = own.number, error
    if failed is not None:
        raise failed[1]


def _in_threads(
    shards: Sequence[Shard], plan: Plan, folder: str | None, strict: bool, threads: int
) -> Generator[tuple[Shard, Done]]:
    """Score shards in threads, each with one core; only a few are ahead of what is added."""
    stopped = threading.Event()
    before = _core.get_threads()
    _core.set_threads(1)
    pool = ThreadPoolExecutor(threads)

    def start(shard: Shard) -> Future[Done]:
        return pool.submit(score_shard, shard, plan, folder, stopped.is_set)

    def take(waiting: Mapping[Future[Done], Shard]) -> tuple[Future[Done], Done]:
        ended = wait(waiting, return_when=FIRST_COMPLETED).done
        first = min(ended, key=lambda future: waiting[future].number)
        return first, first.result()

    try:
        yield from in_turn(shards, start, take, AHEAD * threads, strict)
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)
        _core.set_threads(before)


def _by_number(one: tuple[str, tuple[Number, str]]) -> Number:
    return one[1][0]


# What a folder has.


class Manifest:
    """The finished shards of a run, a line each; a line counts when its part is there.

    Lines and parts have checksums: what was changed since, by whomever, is counted again. So is a
    file that has changed, or that could not be read before.
    """

    def __init__(self, folder: Path, plan: Plan, resume: bool) -> None:
        """Read what a folder has; raise FencepostError for all but our own, and change nothing."""
        self.folder, self.plan, self.path = folder, plan, folder / MANIFEST
        self.lines: list[dict[str, Any]] = []
        self.head = {"schema": 4, "fencepost": VERSION, "plan": json.loads(plan.to_json())}
        self.lock: int | None = None
        try:
            if folder.is_dir():
                self._take()
            self._open(resume)
        except FencepostError:
            self.close()
            raise

    def _open(self, resume: bool) -> None:
        folder = self.folder
        try:
            names = [one.name for one in folder.iterdir()] if folder.exists() else []
        except OSError as error:
            raise self._unwritable(error) from None
        if MANIFEST in names and not resume:
            raise FencepostError(
                f"{folder} has the results of a run: go on with it (--resume, resume=True), or "
                "save into another folder"
            )
        if MANIFEST in names:
            self._read()
        elif any(not UNFINISHED.fullmatch(name) for name in names):
            raise FencepostError(
                f"{folder} is not empty, and has no run of fencepost that could be resumed: save "
                "into a new folder, so that nothing is overwritten"
            )

    def _take(self) -> None:
        """Keep other runs out of the folder, as long as this one goes on, however it ends."""
        try:
            import fcntl
        except ImportError:  # Windows has no such lock of a folder
            return
        self.close()
        with suppress(OSError):  # nor have all file systems
            self.lock = os.open(self.folder, os.O_RDONLY)
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.close()
                raise FencepostError(
                    f"another run saves into {self.folder} at this moment: wait until it has "
                    "ended, or save into another folder"
                ) from None

    def close(self) -> None:
        """Let other runs have the folder."""
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def _unwritable(self, error: OSError) -> FencepostError:
        return FencepostError(f"{self.folder} cannot be written: {error.strerror or error}")

    def _read(self) -> None:
        lines = self.path.read_bytes().split(b"\n")[:-1]  # behind the last line end is no line
        try:
            first = json.loads(lines[0]) if lines else self.head
        except (ValueError, RecursionError):
            first = None
        if first != self.head:
            self._refuse_sources(first, self.head)
            raise FencepostError(
                f"{self.folder} was saved with another plan or version of fencepost; resume with "
                "the same columns, metrics and settings, or save into another folder"
            )
        found = map(_checked_line, lines[1:])
        self.lines = [line for line in found if line is not None]

    def start(
        self, shards: Sequence[Shard], paths: Sequence[str], broken: Container[str], kept: _KeptRows
    ) -> dict[Number, Totals]:
        """Return the totals of shards that are finished, and let the folder have these alone.

        ``broken`` are the paths of files that cannot be read: what is saved of them stays.
        """
        wanted = {(shard.place, shard.part): shard for shard in shards}
        readable = {place_of(path): path not in broken for path in paths}
        lines: list[dict[str, Any]] = []
        found: dict[Number, tuple[Shard, dict[str, Any]]] = {}
        for line in self.lines:
            place, part, *_ = line["of"]
            if place not in readable:
                raise FencepostError(
                    f"{self.folder} has the counts of {place}, which is not among the files of "
                    "this run; resume with the same files, or save into another folder"
                )
            shard = wanted.get((place, part))
            same = shard is not None and line["of"] == _identity(shard) and _is_certain(shard)
            if readable[place] and not (same and self._has_part(line)):
                continue  # it is counted again
            if shard is not None and shard.number in found:
                continue
            lines.append(line)
            if shard is not None:
                found[shard.number] = shard, line
                kept.add(shard, line["totals"]["texts"])
        self.lines = lines
        done = {
            number: self._totals(line, kept.needs(shard.path))
            for number, (shard, line) in found.items()
        }
        self._clear()
        # Written anew, so that what a kill cut short is gone.
        rows = [json.dumps(self.head).encode() + b"\n", *map(_signed_line, self.lines)]
        write_whole(self.path, b"".join(rows))
        return done

    def _has_part(self, line: Mapping[str, Any]) -> bool:
        part = self.folder / line["part"]
        found = _sum(part) if part.exists() else ""
        return found == str(line["sum"])

    def _totals(self, line: Mapping[str, Any], with_rows: bool) -> Totals:
        totals = Totals.from_plain(self.plan, line["totals"])
        if with_rows:
            totals.kept = self._rows(self.folder / line["part"]) if line["sum"] else []
        return totals

    def _refuse_sources(self, first: Any, head: Mapping[str, Any]) -> None:
        """Say which metric has changed, where nothing else has: its counts would be mixed."""
        before, now = (one.get("plan") if isinstance(one, dict) else None for one in (first, head))
        if not (isinstance(before, dict) and isinstance(now, dict)):
            return
        sources = [one.get("sources", {}) for one in (before, now)]
        if {**before, "sources": 0} == {**now, "sources": 0}:
            changed = changed_sources(*sources)
            if changed:
                raise MetricError(
                    f"{changed} {self.folder} was saved, so its counts are of another metric; "
                    "save into another folder, or resume with the file as it was"
                )

    def _clear(self) -> None:
        """Make the folder, and remove what a killed run was about to write or did not note."""
        noted = {line["part"] for line in self.lines}
        try:
            self.folder.mkdir(exist_ok=True)
            if self.lock is None:
                self._take()
            names = [one.name for one in self.folder.iterdir()]
        except OSError as error:
            raise self._unwritable(error) from None
        for name in names:
            if UNFINISHED.fullmatch(name) or (PART.fullmatch(name) and name not in noted):
                with suppress(OSError):
                    (self.folder / name).unlink()

    def _rows(self, part: Path) -> list[Any]:
        from fencepost.batch.totals import whole_rows
        from fencepost.scoring.counts import read_parquet

        return [
            whole_rows(from_batch(one, self.plan)) for one in read_parquet(str(part)).to_batches()
        ]

    def add(self, shard: Shard, totals: Totals) -> None:
        """Note a finished shard: one line, on the disk before this returns."""
        part = self.folder / part_name(shard)
        line = {"part": part.name, "of": _identity(shard), "totals": totals.plain()}
        try:
            line["sum"] = _sum(part) if part.exists() else ""  # an empty shard has no part
            with self.path.open("ab") as file:
                file.write(_signed_line(line))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise FencepostError(
                f"{self.path} cannot be written: {error.strerror or error}"
            ) from None


def _sum(part: Path) -> str:
    """Return the checksum of a file: not against forgers, but against damage and edits."""
    found = 0
    with part.open("rb") as file:
        while data := file.read(1 << 20):
            found = zlib.crc32(data, found)
    return f"{found:08x}-{part.stat().st_size}"


def _signed_line(line: Mapping[str, Any]) -> bytes:
    """Return a line of the manifest that ends with its own checksum."""
    plain = json.dumps(line).encode()
    return b"%b %08x\n" % (plain, zlib.crc32(plain))


def _checked_line(line: bytes) -> dict[str, Any] | None:
    """Return what a line of the manifest holds; None if it is not as it was written."""
    plain, _, given = line.rpartition(b" ")
    if given != b"%08x" % zlib.crc32(plain):
        return None
    found: dict[str, Any] = json.loads(plain)
    return found


def _is_certain(shard: Shard) -> bool:
    """Whether files that have changed would be noticed."""
    met = (group for one in shard.meets for group, _, _ in one.pieces)
    return shard.stamp.is_certain and all(map(_is_certain, met))


def _identity(shard: Shard) -> list[Any]:
    own = [shard.place, shard.part, shard.end, *shard.stamp]
    met = [[*_identity(group), a, b] for one in shard.meets for group, a, b in one.pieces]
    return [*own, met] if met else own


@contextmanager
def _pace(
    progress: bool, shards: Sequence[Shard], left: Sequence[Shard]
) -> Iterator[Callable[[Shard, Totals | None], None]]:
    """Show how far a run is, on stderr: a bar, texts per second, and the time left."""
    if not progress or not sys.stderr.isatty():
        yield lambda shard, totals: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.description}"),
    )
    from fencepost.report.terminal import raw

    console = Console(file=raw(sys.stderr))
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task("", total=sum(shard.size for shard in shards))
        bar.advance(task, sum(s.size for s in shards) - sum(s.size for s in left))
        began, texts = time.perf_counter(), 0

        def advance(shard: Shard, totals: Totals | None) -> None:
            nonlocal texts
            texts += totals.texts if totals is not None else 0
            rate = texts / max(time.perf_counter() - began, 1e-9)
            said = f"{texts:,} texts, {rate:,.0f} per second"
            bar.update(task, advance=shard.size, description=said)

        yield advance
