"""What a file holds, without scoring it: ``fencepost look`` and ``fp.look``."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fencepost.formats import by_ending, find_format, open_words, read
from fencepost.formats.options import WordsOnlyError
from fencepost.formats.registry import ending_of
from fencepost.metrics.edit import check_typed
from fencepost.model.corpus import ONLY, Corpus
from fencepost.model.hashing import Hashes, mix, row_hashes
from fencepost.model.levels import Order, is_level, levels_of
from fencepost.model.reading_lines import FileRead, reading_lines
from fencepost.options import UNPACK_LIMIT, gather_columns, options_for, write_columns
from fencepost.report.drawing import draw_segmentations
from fencepost.report.text import fit, folded, printable, write_table
from fencepost.streams.inputs import describe, read_references, read_streams
from fencepost.wording import listed, plural

MAX_DRAWN = 8  # annotators in the drawing of the first text
MAX_TYPES = 12  # boundary types that are counted one by one
MIN_BOUNDARIES_TO_COMPARE = 4  # with fewer, likeness and difference may be accidents


@dataclass(frozen=True)
class Annotator:
    """What one annotator (or the file, where none is named) did."""

    name: str
    texts: int
    boundaries: int
    median: float  # of the sizes of segments, in units
    smallest: int
    largest: int


@dataclass(frozen=True)
class Look:
    """What a file holds; ``print`` shows it, ``plain()`` has it as plain values.

    Files of words alone (CTM, logs, plain text) have no annotators; ``summary`` counts what they
    hold.
    """

    file: str
    reading_lines: tuple[str, ...]
    format: str
    why: str  # how the format was found, and how it was decided what a 1 marks
    summary: str
    texts: int
    units: int
    unit: str
    boundaries: int
    annotators: tuple[Annotator, ...] = ()
    types: Mapping[str, int] | None = None
    tenths: tuple[int, ...] = ()  # of probabilities: the positions from 0 to .1, .1 to .2, ...
    mean: float | None = None  # of the probabilities of all positions
    leveled: bool = False  # whether the order of types was declared, the coarsest first
    drawing: str = ""  # of the first text
    odd: tuple[str, ...] = ()  # what a person should look at before scoring
    next: tuple[str, ...] = ()  # commands for such a file

    def plain(self) -> dict[str, Any]:
        """Return everything but the drawing as plain values, for JSON; levels from the coarsest."""
        made = asdict(self)
        del made["drawing"], made["leveled"]
        return made

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def text(self, width: int = 80) -> str:
        """Return all of it as lines of at most this width, where names are not longer."""
        out = io.StringIO()
        for line in self.reading_lines:
            out.write(_folded(line, width))
        if self.format:
            out.write(_folded(f"  format {self.format}: {self.why}", width))
        out.write(_folded(self.summary, width))
        self._write_annotators(out, width)
        if self.drawing:
            out.write(f"\n{self.drawing}\n")
        if self.odd or self.next:
            out.write("\n")
        for one in self.odd:
            out.write(_folded(f"look at: {one}", width))
        for number, command in enumerate(self.next):
            out.write(f"{'next: ' if not number else '      '}{command}\n")
        return out.getvalue()

    def _write_annotators(self, out: io.StringIO, width: int) -> None:
        if [one.name for one in self.annotators] == [ONLY]:
            one = self.annotators[0]
            unit = self.unit if one.largest == 1 else f"{self.unit}s"
            sizes = f"{_range(one)} {unit}, median {one.median:g}"
            out.write(_folded(f"segments of {sizes}", width))
        elif self.annotators:
            heads = ["annotator", "texts", "boundaries", "median size", "range"]
            rows = [
                [one.name, str(one.texts), str(one.boundaries), f"{one.median:g}", _range(one)]
                for one in self.annotators
            ]
            out.write("\n")
            write_table(heads, rows, out)
        if self.mean is not None:
            out.write(_folded(_chances_in_words(self.tenths, self.mean), width))
        if self.types is not None:
            out.write(_folded(_types_in_words(self.types, self.leveled), width))


def _types_in_words(types: Mapping[str, int], declared: bool) -> str:
    """Say how many boundaries have each type; numbers and ordered types are levels."""
    numbers = bool(types) and all(map(is_level, types))
    if declared or numbers:
        order = list(types) if declared else levels_of(list(types))
        levels = [f"{name} ({plural(types[name], 'boundary', 'boundaries')})" for name in order]
        return f"levels from coarse to fine: {listed(levels, MAX_TYPES)}"
    return f"boundary types: {listed([f'{n} {count}' for n, count in types.items()], MAX_TYPES)}"


def _range(one: Annotator) -> str:
    return f"{one.smallest} to {one.largest}" if one.smallest < one.largest else str(one.largest)


def _folded(line: str, width: int) -> str:
    return folded(printable(line), width, rest="  ") + "\n"


def look(given: Any, format: str | None = None, *, types: Order = None, **choices: Any) -> Look:
    """Return what a file, a folder or a corpus holds, without scoring it.

    ``format`` and ``choices`` are the arguments of ``fp.read``. Anything that ``fp.score`` takes
    for one side can be looked at, too. ``types`` orders boundary types that are levels, from the
    finest to the coarsest: "section<chapter".

    >>> print(look({"d1": [5, 5], "d2": [3, 4, 5]}))
    2 texts, 22 units, 3 boundaries
    segments of 3 to 5 units, median 5
    <BLANKLINE>
    d1: 10 units
     1  2  3  4  5│ 6  7  8  9 10
    """
    if not isinstance(given, (str, os.PathLike)):
        return look_at(Corpus.from_given(given, "corpus"), types=types)
    try:
        corpus = read(Path(given), format, **choices)
    except WordsOnlyError:
        return look_at_words(given, format)
    return look_at(corpus, os.fspath(given), format, choices, types=types)


def look_at(
    corpus: Corpus,
    path: str = "",
    format: str | None = None,
    choices: Mapping[str, Any] | None = None,
    width: int = 80,
    types: Order = None,
) -> Look:
    """Return what a corpus holds; ``path``, ``format`` and ``choices`` say how it was read."""
    source = corpus.source
    check_typed(types, [corpus.kind_names])
    if types is not None:
        corpus.levels(types)  # an error where a boundary type is not among them
    soft = corpus.has_probabilities
    seen = corpus.view("weights" if soft else "positions")
    likely = (
        seen.take(np.flatnonzero(np.isin(seen.coder_codes, _uncertain(seen)))) if soft else seen
    )
    tenths, mean = _chances(likely) if soft else ((), None)
    return Look(
        file=source.file,
        reading_lines=tuple(reading_lines([FileRead.of(corpus)])),
        format=source.format if path else "",
        why=_why(source.format, path, format) + _why_flags(corpus, choices) if path else "",
        summary=_summary(corpus, likely),
        texts=len(corpus.text_names),
        units=int(corpus.units[corpus.item_rows].sum()),
        unit=corpus.unit,
        boundaries=len(seen.column.values),
        annotators=() if soft else tuple(_annotators(seen)),
        types=_types(corpus, types),
        tenths=tenths,
        mean=mean,
        leveled=types is not None,
        drawing=_drawing(corpus, width, types),
        odd=tuple(_odd(corpus, seen)),
        next=tuple(_commands(corpus, path, format, {**(choices or {}), "types": types}))
        if path
        else (),
    )


def look_at_words(
    path: str | os.PathLike[str], format: str | None = None, unpack_limit: int = UNPACK_LIMIT
) -> Look:
    """Return what a file of words holds, which ``fencepost resegment`` reads."""
    chosen = find_format(format) if format else _words_format(path, unpack_limit)
    shown = shlex.quote(os.fspath(path))
    commands: tuple[str, ...] = (f"fencepost resegment REF -i {shown}",)
    if "references" in chosen.gives:
        references = read_references(path, format=chosen.name, unpack_limit=unpack_limit)
        texts = [segment.references[0] or "" for segment in references.segments]
        sources, documents = references.sources, len(references)
        counted = describe(references)
        commands = (f"fencepost resegment {shown} -i HYP", *commands)
    else:
        streams = read_streams(path, format=chosen.name, unpack_limit=unpack_limit)
        texts = [one.text for one in streams]
        sources, documents = streams.sources, len(streams)
        counted = plural(documents, "document")
    words = sum(len(text.split()) for text in texts)
    return Look(
        file=sources[0].file,
        reading_lines=tuple(reading_lines([FileRead(one) for one in sources])),
        format=chosen.name,
        why=_why(chosen.name, os.fspath(path), format),
        summary=f"{counted}, {plural(words, 'word')} between spaces; no segmentations to compare",
        texts=documents,
        units=words,
        unit="word",
        boundaries=0,
        next=commands,
    )


def _words_format(path: str | os.PathLike[str], unpack_limit: int) -> Any:
    """Return the format of a file that has references, streams, or both."""
    try:
        return open_words(path, "references", unpack_limit=unpack_limit).format
    except WordsOnlyError:
        return open_words(path, "streams", unpack_limit=unpack_limit).format


def _why(name: str, path: str, asked: str | None) -> str:
    if asked is not None:
        return "given with --from"
    ending = ending_of(path)
    found = by_ending(path, "segmentations", "references", "streams") if ending else None
    if found is not None and found.name == name:
        return f"by its ending {ending}"
    return "by its content"


def _why_flags(corpus: Corpus, choices: Mapping[str, Any] | None) -> str:
    """Say why a 1 marks the last or the first unit, where no option says it."""
    flags = corpus.source.choices.get("flags")
    if flags is None or (choices or {}).get("flags") is not None:
        return ""
    here, there = ("ends", "begin") if flags == "last" else ("begins", "end")
    return (
        f"; marks are on {flags} {corpus.unit}s, because every text {here} with a mark and some "
        f"{there} without one"
    )


def _summary(corpus: Corpus, seen: Corpus) -> str:
    texts = plural(len(corpus.text_names), "text")
    items = len(corpus.item_rows)
    if corpus.has_streams:
        texts += f" ({items} speaker tracks)"
    units = plural(int(corpus.units[corpus.item_rows].sum()), corpus.unit)
    parts = [texts, units]
    coders = len(corpus.coder_names)
    if corpus.coders != [ONLY]:
        whole = items * coders
        parts.append(f"{plural(coders, 'annotator')} ({len(corpus)} of {whole} annotations)")
    if seen.has_probabilities:
        positions = int((seen.units - 1).sum())
        parts.append(f"probabilities at {plural(positions, 'position')}")
    else:
        parts.append(plural(len(seen.column.values), "boundary", "boundaries"))
    return ", ".join(parts)


def _uncertain(corpus: Corpus) -> list[int]:
    """Return the codes of the annotators who have a boundary that is not certain."""
    rows = np.repeat(np.arange(len(corpus.column)), corpus.column.counts)
    return np.unique(corpus.coder_codes[rows[corpus.column.row_weights < 1]]).tolist()  # type: ignore[no-any-return]


def _chances(seen: Corpus) -> tuple[tuple[int, ...], float]:
    """Return how many positions have a probability in each tenth, and the mean probability."""
    weights = seen.column.row_weights
    tenths = np.bincount(np.minimum((weights * 10).astype(int), 9), minlength=10)
    positions = int((seen.units - 1).sum())
    tenths[0] += positions - len(weights)
    return tuple(tenths.tolist()), float(weights.sum()) / max(positions, 1)


def _chances_in_words(tenths: Sequence[int], mean: float) -> str:
    """Say the mean, the boundaries to be expected, and how probabilities are distributed."""
    counts = [f"{n / 10:g}-{(n + 1) / 10:g}: {count}" for n, count in enumerate(tenths) if count]
    return (
        f"mean probability {mean:.3g}, so about {mean * sum(tenths):.3g} boundaries; positions by "
        f"probability {', '.join(counts)}"
    )


def _annotators(seen: Corpus) -> list[Annotator]:
    counts = np.diff(seen.column.offsets)
    found = []
    for code, name in enumerate(seen.coders):
        rows = np.flatnonzero(seen.coder_codes == code)
        sizes = _sizes(seen, rows)
        found.append(
            Annotator(
                name,
                len(np.unique(seen.text_codes[rows])),
                int(counts[rows].sum()),
                float(np.median(sizes)),
                int(sizes.min()),
                int(sizes.max()),
            )
        )
    return found


def _sizes(seen: Corpus, rows: Any) -> Any:
    """Return the sizes of all segments in these rows."""
    own = seen.column.take(np.asarray(rows, dtype=np.int64))
    ends = np.insert(own.values.astype(np.int64), own.offsets[1:], seen.units[rows])
    starts = own.offsets[:-1] + np.arange(len(rows))
    before = np.concatenate([[0], ends[:-1]])
    before[starts] = 0
    return ends - before


def _types(corpus: Corpus, types: Order) -> dict[str, int] | None:
    if corpus.kind_names is None or corpus.column.kinds is None:
        return None
    counts = np.bincount(corpus.column.kinds, minlength=len(corpus.kind_names))
    found = {name: int(counts[i]) for i, name in enumerate(corpus.kind_names)}
    return found if types is None else {name: found.get(name, 0) for name in corpus.levels(types)}


def _drawing(corpus: Corpus, width: int, types: Order) -> str:
    """The first text (its first speaker) by all annotators; its beginning, if it is long."""
    first = np.flatnonzero(corpus.item_codes == 0)
    keys = [corpus.key(int(row)) for row in first]
    text, speaker, _ = keys[0]
    units = int(corpus.units[first[0]])
    title = f"{text}, {speaker}" if speaker else text
    drawn = [
        ("" if corpus.coders == [ONLY] else key.coder, corpus.segmentation(int(row)))
        for key, row in list(zip(keys, first, strict=True))[:MAX_DRAWN]
    ]
    strips = draw_segmentations(drawn, width, types)
    return f"{printable(title)}: {plural(units, corpus.unit)}\n{strips}"


# What is odd.


def _odd(corpus: Corpus, seen: Corpus) -> list[str]:
    if corpus.has_probabilities:
        return _different_units(corpus)
    counts = np.diff(seen.column.offsets)
    potential = seen.units - 1
    found = _different_units(corpus)
    none = np.flatnonzero((counts == 0) & (potential > 0))
    if len(none):
        found.append(f"no boundary in {_rows_in_words(seen, none)}")
    full = np.flatnonzero((counts == potential) & (potential > 1))
    if len(full):
        found.append(f"every position is a boundary in {_rows_in_words(seen, full)}")
    found += _far_more(seen, counts, potential)
    return found + _duplicates(corpus, seen, counts)


def _different_units(corpus: Corpus) -> list[str]:
    """Texts whose annotators have different numbers of units, so that they cannot be compared."""
    most = np.zeros(len(corpus.item_rows), dtype=np.int64)
    np.maximum.at(most, corpus.item_codes, corpus.units)
    rows = np.flatnonzero(corpus.units != most[corpus.item_codes])
    if not len(rows):
        return []
    key = corpus.key(int(rows[0]))
    way = ""
    if corpus.source.by_name:
        way = "; sizes are by text and then by annotator, so the names may be the other way round"
    return [f"annotators of {key.text} have different numbers of {corpus.unit}s{way}"]


def _rows_in_words(corpus: Corpus, rows: Any) -> str:
    keys = [corpus.key(int(row)) for row in rows[:4]]
    several = corpus.coders != [ONLY]
    names = [
        k.text + (f" ({k.stream})" if k.stream else "") + (f" by {k.coder}" if several else "")
        for k in keys
    ]
    names += [""] * (len(rows) - len(names))
    share = f"{len(rows)} of {plural(len(corpus), 'segmentation')}"
    return f"{share}: {listed(names)}"


def _far_more(seen: Corpus, counts: Any, potential: Any) -> list[str]:
    """Annotators with more than twice the boundaries per position of all others together."""
    coders = len(seen.coder_names)
    if coders < 2:
        return []
    cuts = np.bincount(seen.coder_codes, counts, coders)
    places = np.bincount(seen.coder_codes, potential, coders)
    found = []
    for code, name in enumerate(seen.coders):
        other_cuts, other_places = cuts.sum() - cuts[code], places.sum() - places[code]
        if cuts[code] < MIN_BOUNDARIES_TO_COMPARE:
            continue
        if cuts[code] * other_places > 2 * other_cuts * places[code]:
            found.append(f"{name} set more than twice as many boundaries as the others")
    return found


def _duplicates(corpus: Corpus, seen: Corpus, counts: Any) -> list[str]:
    """Texts that have the same words; where words are not known, the same boundaries."""
    if corpus.words is not None:
        rows = corpus.item_rows[np.asarray(corpus.words.sizes) > 0]
        hashes, what = corpus.words.hashes[np.asarray(corpus.words.sizes) > 0], corpus.unit + "s"
    else:
        rows = np.flatnonzero(counts >= MIN_BOUNDARIES_TO_COMPARE)
        hashes, what = _boundary_hashes(seen)[rows], "boundaries"
    groups: dict[int, dict[str, None]] = {}  # a dict, as all texts of a file may be the same
    for row, one in zip(rows.tolist(), hashes.tolist(), strict=True):
        text = corpus.text_names[int(corpus.text_codes[row])]
        groups.setdefault(one, {})[text] = None
    same = [list(names) for names in groups.values() if len(names) > 1]
    return [f"the same {what} in {listed(names, 4, ' and ')}" for names in same[:3]]


def _boundary_hashes(seen: Corpus) -> Hashes:
    """64 bits for what a row says: its annotator, its units and its boundaries."""
    own = mix(seen.units.astype(np.uint64) + mix(seen.coder_codes.astype(np.uint64)))
    return np.asarray(mix(own + row_hashes(seen.column.values, seen.column.offsets)))


# What to do next.


def _commands(
    corpus: Corpus, path: str, format: str | None, choices: Mapping[str, Any]
) -> list[str]:
    """The commands that measure agreement or score, with the options that reading needed."""
    source = corpus.source
    if corpus.has_probabilities:
        return _commands_of_probabilities(corpus, path, choices)
    options = {"format": format, **choices}
    columns = gather_columns(choices, options_for("read").values())
    if len(corpus.coder_names) > 1:
        (ref, hyp), share_all = _pair(corpus)
        pair = {**columns, "ref": corpus.coders[ref], "hyp": corpus.coders[hyp]}
        kept = {name: value for name, value in options.items() if name != "coders"}
        if _show_too_little(corpus.view("positions"), [ref, hyp]):
            kept["flags"] = source.choices.get("flags")
        agree = _command("agree", path, options)
        # With the column of boundaries given, no role is left for annotators.
        if "ref" in columns:
            return [agree]
        score = _command("score", path, kept, pair)
        return [agree, score if share_all else f"{score} --missing skip"]
    if source.field == "ref" and "hyp" in source.ignored:
        return [_command("score", path, options)]
    commands = [f"{_command('score', path, options)} -i HYP"]
    if source.format == "separated" and not len(corpus.column.values):
        # One segment per line, or words without any: both are read from plain text.
        commands += [f"fencepost resegment {shlex.quote(path)} -i HYP"]
    return commands


def _commands_of_probabilities(corpus: Corpus, path: str, choices: Mapping[str, Any]) -> list[str]:
    """The commands that score and tune, with the file's own reference where it has one."""
    source = corpus.source
    meant = f" --encoding {choices['encoding']}" if choices.get("encoding") else ""
    flags = f" --flags {source.choices['flags']}" if "flags" in source.choices else ""
    given, names = f"REF -i {shlex.quote(path)}", corpus.coders
    soft = [names[code] for code in _uncertain(corpus)]
    certain = [name for name in names if name not in soft]
    if len(certain) == 1:
        named = gather_columns(choices, options_for("read").values())
        columns = write_columns({**named, "ref": certain[0], "hyp": soft})
        given = f"{shlex.quote(path)} --columns {shlex.quote(columns)}"
    elif len(names) > 1 or source.field:
        column = soft[0] if len(names) > 1 else source.field
        given = f"REF -i {shlex.quote(f'{path}:hyp={column}')}"
    given += f" --probabilities{meant}{flags} -m"
    return [f"fencepost score {given} average_precision brier", f"fencepost tune {given} B"]


def _pair(corpus: Corpus) -> tuple[tuple[int, int], bool]:
    """Return the first two annotators of the same texts, or the first two; and whether they are."""
    coders = range(min(len(corpus.coder_names), MAX_DRAWN))
    items = [frozenset(corpus.item_codes[corpus.coder_codes == one].tolist()) for one in coders]
    alike = [pair for pair in combinations(coders, 2) if items[pair[0]] == items[pair[1]]]
    return (alike[0], True) if alike else ((0, 1), False)


def _show_too_little(seen: Corpus, coders: Sequence[int]) -> bool:
    """Whether one of these annotators alone may not show what a 1 marks."""
    most = np.zeros(len(seen.coder_names), dtype=np.int64)
    np.maximum.at(most, seen.coder_codes, np.diff(seen.column.offsets))
    return bool((most[list(coders)] <= 1).any())


def _command(
    command: str, path: str, options: Mapping[str, Any], columns: Mapping[str, Any] | None = None
) -> str:
    """A command with these options of reading; ``columns`` are others than those that were read."""
    words, known = ["fencepost", command, path], options_for("read") | options_for("look")
    given = columns or gather_columns(options, known.values())
    if given:
        words += ["--columns", write_columns(given)]
    for name, value in options.items():
        option = known.get(name)
        if option is None or option.spells or name == "columns" or value in (option.default, ()):
            continue
        words += [option.flag]
        if option.type is not bool:
            words += list(value) if isinstance(value, (list, tuple)) else [str(value)]
    return fit(shlex.join(words))
