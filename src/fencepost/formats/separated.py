"""Plain text with one unit per line and a separator line between segments, as Choi's files have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from fencepost.formats.built import built_from_words, join_parts
from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.turns import ignored, word_filter
from fencepost.formats.writing import check_holds, check_units, known_words, numbers
from fencepost.model.corpus import ONLY, Corpus, Key
from fencepost.model.levels import is_level
from fencepost.model.segmentation import Segmentation
from fencepost.wording import clip

EQUALS = re.compile(r"\s*={5,}.*$")  # a title may follow, as in Wiki-727K
HEADING = re.compile(r"\s*={5,}\s*,\s*(?P<level>[1-9]\d?)\s*,.*$")
NUMBERED = re.compile(r"\s*={2,}\s*(?P<level>[1-9]\d?)\s*={2,}\s*$")  # ==== 3 ====
ANY_NUMBER = re.compile(r"\s*={2,}\s*[+-]?\d+(?:[.,]\d+)*\s*={2,}\s*$")  # ==== 0 ====, too
# Headings that lost a part: = = =, ==== 2, 2 ====, ==== Food.
BROKEN = re.compile(r"(?=[^=]*=[^=]*=)(?:=[=\s\d.,:;#-]*|[=\s\d.,:;#-]*=)\Z|={4}|.*={4}\Z")
SPACED_RULE = re.compile(r"([*_~#+-])(?:\s*\1){2,}\Z")
RULE = re.compile(r"\s*([=*_~#+-])\1{2,}\s*$")
LINE = "=" * 10

Piece = str | int  # a unit, or the level of a heading


def find_separator(lines: list[str]) -> re.Pattern[str] | None:
    """What divides, if any line does: lines of equal signs before all others."""
    for pattern in (EQUALS, RULE):
        if any(pattern.match(line) for line in lines):
            return pattern
    return None


def has_separator(text: str, reading: Reading) -> bool:
    """Whether the line that was said to stand between segments is there."""
    mark = reading.separator
    return mark is not None and any(line.strip() == mark.strip() for line in split_lines(text))


def read_separated(text: str, reading: Reading) -> Corpus:
    """One text: units on lines of their own, segments divided by ``==========`` or empty lines.

    If there is a line of equal signs, only those divide; if there is none, but a line of three or
    more ``-``, ``*``, ``_``, ``~``, ``#`` or ``+``, only those. ``--separator MARK`` names another
    line, and ``--separator ""`` says that empty lines divide. A separator before the first unit or
    after the last one divides nothing. ``--ignore-tokens`` ignores lines. With headings that have
    levels, use ``wiki``.
    """
    keep = word_filter(reading)
    lines = [line for line in split_lines(text) if not line.strip() or keep(line)]
    if reading.separator is None:
        _refuse_numbered(text, reading)
    divides = _divider(lines, reading)
    segments: list[list[str]] = [[]]
    for line in lines:
        if divides(line):
            segments.append([])
        elif line.strip():
            segments[-1].append(line.strip())
    filled = [segment for segment in segments if segment]
    if not filled:
        raise FormatError(f"{reading.name} has no text, only lines that divide")
    shape = _shape([line for line in lines if divides(line)], lines) if filled[1:] else ""
    return _corpus(*join_parts(filled), "line", reading, ignored(reading), shape)


def _shape(dividers: list[str], lines: list[str]) -> str:
    """Return what divides in this file, and that empty lines do not where others do."""
    mark = clip(dividers[0].strip(), 20)
    empty = mark and any(not line.strip() for line in lines)
    return (
        f"one unit per line, {mark or 'an empty line'} between segments; "
        f"{'empty lines are ignored; ' if empty else ''}the file is one text"
    )


def _refuse_numbered(text: str, reading: Reading) -> None:
    """Raise FormatError for ``==== 3 ====`` beside other lines that divide: it would be a unit."""
    for number, line in enumerate(split_lines(text), start=1):
        if ANY_NUMBER.match(line):
            raise FormatError(
                f"{reading.at(number)}: {line.strip()!r} may be a heading with a level or a unit, "
                "and other lines divide too; write every heading with its level, or name the line "
                "that divides with --separator MARK"
            )


def _divider(lines: list[str], reading: Reading) -> Callable[[str], bool]:
    """What says of a line whether it stands between segments."""
    found = find_separator(lines)
    mark = reading.separator
    if mark is None and found is not None:
        return lambda line: found.match(line) is not None
    mark = (mark or "").strip()
    other = next((line.strip() for line in lines if found and found.match(line)), None)
    if other is not None and not any(line.strip() == mark for line in lines):
        raise FormatError(f"{reading.name}: no line is {mark!r}, but {other!r:.40} looks like it")
    return lambda line: line.strip() == mark


def _corpus(
    seg: Segmentation,
    units: list[str],
    unit: str,
    reading: Reading,
    choices: dict[str, str],
    shape: str = "",
) -> Corpus:
    found = {Key(reading.stem, "", ONLY): (seg, units)}
    return built_from_words(found, reading, unit, choices=choices, shape=shape)


def read_wiki(text: str, reading: Reading) -> Corpus:
    """One text with headings ``========,2,Title.`` between segments: their levels are types.

    The type of a boundary is the level of the heading behind it, 1 before 2 before 3. Where several
    headings stand together the highest counts. ``--levels 2`` sets boundaries at levels 1 and 2
    only and keeps no types, ``--levels all`` at all levels. Headings may also be ``==== 2 ====``;
    as such a number may be a level or count the segments, ``--levels`` must say what it is.

    Every other line is a sentence: lines before the first heading but one (the preface) and lines
    that replace a list (``***LIST***.``) too, which the loader of Koshorek et al. (2018) ignores.
    ``--ignore-tokens '^[*]{3}LIST'`` ignores the lists; the preface is the first segment. Titles
    are not kept: a file that is written has ``-`` instead.
    """
    form = _heading_form(text, reading)
    example = "==== 2 ====" if form is NUMBERED else "========,2,Title."
    return corpus_of_headings(
        _wiki_pieces(text, form, reading),
        "sentence",
        reading,
        f"one sentence per line, headings {example} between segments",
        declared=form is NUMBERED,  # a number may count the segments, so levels are declared
    )


def _wiki_pieces(text: str, form: re.Pattern[str], reading: Reading) -> Iterator[Piece]:
    """Give the sentences, and the levels of headings."""
    keep = word_filter(reading)
    for number, line in enumerate(split_lines(text), start=1):
        if not keep(line):
            continue
        heading = form.match(line)
        if heading:
            yield int(heading["level"])
        elif form is NUMBERED:
            _refuse_broken(line.strip(), reading.at(number))
            if line.strip():
                yield line.strip()
        elif EQUALS.match(line):
            raise FormatError(
                f"{reading.at(number)}: a heading is ========,LEVEL,TITLE, found "
                f"{line.strip()[:40]!r}: give it a level from 1 to 99, or read the file without "
                "levels: --from separated"
            )
        elif line.strip():
            yield line.strip()


def _refuse_broken(line: str, where: str) -> None:
    """Raise FormatError for a line that looks like ==== 3 ==== without some part of it."""
    is_rule = SPACED_RULE.match(line) is not None
    is_titled = line.startswith("==") and line.endswith("==")  # ==== Food ====, or ====
    if not (is_rule or is_titled or BROKEN.match(line)):
        return
    raise FormatError(
        f"{where}: a heading is ==== LEVEL ====, found {line[:40]!r}: give it a level from 1 to 99"
        + (f", or remove it, here or with --ignore-tokens '^{re.escape(line[0])}'" * is_rule)
    )


def corpus_of_headings(
    pieces: Iterable[Piece], unit: str, reading: Reading, shape: str, declared: bool = False
) -> Corpus:
    """Return the only text of a file with headings, whose levels are types or chosen by --levels.

    ``declared`` says that levels are read only because the reader asked for them.
    """
    keep = word_filter(reading)
    units: list[str] = []
    cuts: dict[int, int] = {}  # the level of the heading after so many units
    for piece in pieces:
        if isinstance(piece, str):
            units += [piece] if keep(piece) else []
        else:
            cuts[len(units)] = min(piece, cuts.get(len(units), piece))
    if not units:
        raise FormatError(f"{reading.name} has no text, only headings")
    inner = {place: level for place, level in cuts.items() if 0 < place < len(units)}
    levels = reading.levels or "kinds"
    used = {"levels": levels} if levels != "kinds" or declared else {}
    used |= ignored(reading)
    if levels == "kinds":
        seg = Segmentation.from_levels(inner, len(units))
        shape += "" if used.get("levels") else ", whose levels are boundary types"
    else:
        last = max(inner.values(), default=1) if levels == "all" else int(levels)
        seg = Segmentation(len(units), [place for place, level in inner.items() if level <= last])
    return _corpus(seg, units, unit, reading, used, shape)


def _heading_form(text: str, reading: Reading) -> re.Pattern[str]:
    """Return the form of the headings: with a title, or a number between equal signs."""
    numbered = [(n, line) for n, line in enumerate(split_lines(text), 1) if ANY_NUMBER.match(line)]
    if not numbered:
        return HEADING
    for number, line in numbered:
        if not NUMBERED.match(line):
            _refuse_broken(line.strip(), reading.at(number))
    first = numbered[0]
    if reading.levels is None:
        raise FormatError(
            f"{reading.at(first[0])}: {first[1].strip()!r} has a number, which may be a level or "
            "count the segments: --levels kinds (levels as boundary types), --levels all (a "
            "boundary at every such line) or --levels 2 (at levels 1 and 2)"
        )
    return NUMBERED


def write_separated(corpus: Corpus) -> str:
    """The only text, one unit per line; numbers stand for units that are not known.

    A text of one segment has the line at its top: without one, a unit such as --- would divide.
    """
    check_holds(corpus, "separated")
    seg, units = _only(corpus, "separated")
    top = "" if len(seg.masses) > 1 else f"{LINE}\n"
    return top + _written(seg, units, lambda place: LINE)


def write_wiki(corpus: Corpus) -> str:
    """The only text with a heading before every segment; a Corpus has no titles."""
    check_holds(corpus, "wiki", "kinds")
    seg, units = _only(corpus, "wiki")
    odd = next((name for name in seg.kind_names or () if not _is_heading_level(name)), None)
    if seg.kinds is None or odd is not None:
        raise FormatError(
            "wiki text has the levels 1 to 99 as boundary types, and this text has "
            + ("none" if odd is None else repr(odd))
            + "; tokens and jsonl have any, separated none"
        )
    level: dict[int, str] = {}
    for place, name in seg.named_cuts:
        if place in level or place == seg.units:
            raise FormatError(
                f"wiki text has one heading after unit {place}, and before a unit; jsonl holds more"
            )
        level[place] = name
    heading = [f"========,{level.get(place, 0)},-." for place in range(seg.units)]
    return "========,1,preface.\n" + _written(seg, units, lambda place: heading[place])


def _is_heading_level(name: str) -> bool:
    return is_level(name) and len(name) <= 2


def _only(corpus: Corpus, format: str) -> tuple[Segmentation, list[str]]:
    """The only segmentation, and its units or their numbers."""
    ((key, seg),) = corpus.entries.items()
    item = key.text, key.stream
    check_units(corpus, format)
    return seg, known_words(corpus, item, seg.units, format, _is_line) or numbers(seg.units)


def _is_line(unit: str) -> bool:
    return split_lines(unit) == [unit.strip()] and not EQUALS.match(unit)


def _written(seg: Segmentation, units: list[str], line: Callable[[int], str]) -> str:
    lines = []
    ends = set(accumulate(seg.masses[:-1]))
    for place, unit in enumerate(units):
        if place in ends:
            lines.append(line(place))
        lines.append(unit)
    return "\n".join(lines) + "\n"


def looks_like_wiki(text: str) -> bool:
    """A heading of Wiki-727K, or lines of equal signs that are all headings with numbers.

    A heading of Wiki-727K that lacks its level is the reader's to refuse: without levels the file
    would be another.
    """
    lines = split_lines(text)
    dividing = [line for line in lines if EQUALS.match(line) or ANY_NUMBER.match(line)]
    if any(map(HEADING.match, dividing)):
        return True
    return bool(dividing) and all(map(ANY_NUMBER.match, dividing))


WIKI = Format(
    "wiki",
    endings_of("wiki"),
    "Wiki-727K: one sentence per line, headings `========,2,Title.` between segments, whose levels "
    "are boundary types",
    "========,1,preface.\nCats sleep.\nThey purr.\n========,2,Food.\nThey eat.",
    read_wiki,
    looks_like_wiki,
    write_wiki,
    sure=True,
    keeps=("kinds", "words"),
    numbered=True,
    takes=("levels", "ignore_tokens"),
)
SEPARATED = Format(
    "separated",
    endings_of("separated"),
    "one unit per line, ========== (or ---, ###, --separator) or an empty line between segments; "
    "the file is one text",
    "The cat sat.\nIt slept.\n==========\nDogs bark.",
    read_separated,
    lambda text: find_separator(split_lines(text)) is not None,
    write_separated,
    keeps=("words",),
    numbered=True,
    takes=("separator", "ignore_tokens"),
)
