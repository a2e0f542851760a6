"""Files of speech with times: STM, CTM, SegLST, tables, and the IWSLT segmentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fencepost.streams.documents import StreamError
from fencepost.streams.fields import (
    File,
    Row,
    as_name,
    as_number,
    as_span,
    as_text,
    json_objects,
    parse_json,
    short,
)
from fencepost.wording import needs

# STM and CTM (NIST's sclite).

_IGNORED = "ignore_time_segment_in_scoring"


def read_stm(file: File) -> list[Row]:
    """``file channel speaker start end [<label>] text``; lines that begin with ;; are comments.

    A label is in angle brackets and has a comma, is <o>, <na> or like <F0_M>, or is named in a
    comment ``;; LABEL "M"``; where all texts begin with such words, these are labels too. Any other
    is text. Segments that are marked as not to be scored are left out, and a note says how many.
    """
    rows = []
    ignored = 0
    named = _labels(file)
    for number, line in file.filled(comment=";;"):
        parts = line.split(maxsplit=5)
        if len(parts) < 5:
            raise StreamError(
                f"{file.at(number)}: STM has file, channel, speaker, start and end before the "
                f"text, found {short(line)}"
            )
        name, channel, speaker, start, end = parts[:5]
        text = _without_label(parts[5].strip() if len(parts) > 5 else "", named)
        if text.casefold() == _IGNORED:
            ignored += 1
            continue
        first, last = as_span(start, end, file.at(number))
        rows.append(
            Row((text,), number, f"{name}\n{channel}", None, first, last, speaker, recording=name)
        )
    if ignored:
        file.notes.append(f"{file.name}: {ignored} segments are marked {_IGNORED} and left out")
    return _channels(rows)


def read_stm_references(file: File) -> list[Row]:
    """STM whose alternatives ``{ a / b }`` make references: all first ones, all second ones..."""
    return [replace(row, texts=alternatives(row.text)) for row in read_stm(file)]


_SOUNDS = {"unk", "sil", "noise", "s", "laugh", "breath"}  # in angle brackets, but said


def _labels(file: File) -> set[str]:
    """Labels without a comma: those that comments name, and those all texts begin with."""
    named = re.findall(r'^\s*;;\s*LABEL\s+"([^"]+)"', file.text, re.MULTILINE | re.IGNORECASE)
    rows = [line.split() for _, line in file.filled(comment=";;")]
    texts = [words[5:] for words in rows if len(words) > 5]
    first = {words[0].casefold() for words in texts}
    inside = {word.casefold() for words in texts for word in words[1:]}
    bracketed = all(re.fullmatch(r"<[^<>]+>", word) for word in first)
    if bracketed and not first & inside and not {word[1:-1] for word in first} & _SOUNDS:
        named += [word[1:-1] for word in first]
    return {name.casefold() for name in named}


def _without_label(text: str, named: set[str]) -> str:
    found = re.match(r"<([^<>\s]+)>(?:\s+|$)", text)
    if not found:
        return text
    label = found[1].casefold()
    known = "," in label or label in ("o", "na") or re.fullmatch(r"f\d_[mf]", label)
    return text[found.end() :] if known or label in named else text


def _channels(rows: list[Row]) -> list[Row]:
    """A document is a file, or a channel of it where a file has several."""
    names = {row.document or "" for row in rows}
    files = Counter(name.partition("\n")[0] for name in names)
    several = {name for name, channels in files.items() if channels > 1}
    return [
        replace(row, document=row.document.replace("\n", "/") if name in several else name)
        for row in rows
        if row.document is not None and (name := row.document.partition("\n")[0])
    ]


def alternatives(text: str) -> tuple[str, ...]:
    """The readings of a text with alternatives, as many as the largest group has; @ is no word.

    >>> alternatives("i've { um / uh / @ } seen { it / that }")
    ("i've um seen it", "i've uh seen that", "i've seen that")
    >>> alternatives("{then / than}")
    ('then', 'than')
    >>> alternatives("a { b")
    ('a { b',)
    """
    words = _apart(text).split()
    if "{" not in words:
        return (text,)
    parsed, rest = _parse(words, 0, inside=False)
    if parsed is None or rest != len(words):
        return (text,)
    size = _largest(parsed)
    return tuple(" ".join(_choose(parsed, number)) for number in range(size))


def _apart(text: str) -> str:
    """Braces around alternatives as words of their own; other braces are parts of words."""
    opened: list[tuple[int, bool]] = []  # where, and whether a / stands alone behind it
    around: set[int] = set()
    for found in re.finditer(r"(?<![^\s{])\{|(?<!\S)/(?!\S)|\}(?![^\s}])", text):
        if found[0] == "{":
            opened.append((found.start(), False))
        elif opened and found[0] == "/":
            opened[-1] = opened[-1][0], True
        elif opened:
            begin, divided = opened.pop()
            around |= {begin, found.start()} if divided else set()
    return "".join(f" {char} " if i in around else char for i, char in enumerate(text))


# A word, or a group: the list of its alternatives, each of them a list of the same.
_Parsed = list[Any]


def _parse(words: list[str], place: int, inside: bool) -> tuple[_Parsed | None, int]:
    found: _Parsed = []
    while place < len(words):
        word = words[place]
        if inside and word in ("/", "}"):
            break
        if word == "{":
            options = []
            while place < len(words) and words[place] in ("{", "/"):
                option, place = _parse(words, place + 1, inside=True)
                if option is None:
                    return None, place
                options.append(option)
            if place == len(words) or len(options) < 2:
                return None, place
            found.append(options)
        else:
            found.append(word)
        place += 1
    return found, place


def _largest(parsed: _Parsed) -> int:
    sizes = [
        max(len(item), *(_largest(option) for option in item))
        for item in parsed
        if isinstance(item, list)
    ]
    return max(sizes, default=1)


def _choose(parsed: _Parsed, number: int) -> Iterator[str]:
    for item in parsed:
        if isinstance(item, list):
            yield from _choose(item[min(number, len(item) - 1)], number)
        elif item != "@":
            yield item


def read_ctm(file: File) -> list[Row]:
    """``file channel start duration word [confidence [type [speaker]]]``; ;; begins a comment.

    Of alternatives between <ALT_BEGIN>, <ALT> and <ALT_END> the first is read, and a note says how
    many there were.
    """
    rows = []
    choices = 0
    option = 0  # of the alternatives we are in: 0 is none
    begun = 0
    for number, line in file.filled(comment=";;"):
        parts = line.split()
        _check_ctm(parts, file.at(number))
        mark = parts[4].upper()
        if mark == "<ALT_BEGIN>" and not option:
            option, begun, choices = 1, number, choices + 1
        elif mark == "<ALT>" and option:
            option += 1
        elif mark == "<ALT_END>" and option:
            option = 0
        elif option <= 1 and not (option and mark == "@"):
            rows.append(_timed_word(parts, number, file))
    if option:
        raise StreamError(f"{file.at(begun)}: <ALT_BEGIN> has no <ALT_END>")
    if choices:
        file.notes.append(
            f"{file.name}: {choices} places have alternatives; the first of each was read"
        )
    return _channels(rows)


def _check_ctm(parts: list[str], where: str) -> None:
    if len(parts) < 5:
        raise StreamError(
            f"{where}: CTM has file, channel, start, duration and word, found "
            f"{short(' '.join(parts))}"
        )
    if len(parts) > 5 and parts[5].upper() != "NA":
        # A word with a space in it would lose its second half.
        as_number(parts[5], where, "the confidence after the word (field 6)")


def _timed_word(parts: list[str], number: int, file: File) -> Row:
    start = as_number(parts[2], file.at(number), "the start")
    length = as_number(parts[3], file.at(number), "the duration")
    first, last = as_span(start, start + length, file.at(number))
    return Row(
        (parts[4],),
        number,
        f"{parts[0]}\n{parts[1]}",
        None,
        first,
        last,
        parts[7] if len(parts) > 7 else None,
        recording=parts[0],
    )


# SegLST (MeetEval, CHiME).


def read_seglst(file: File) -> list[Row]:
    """A JSON list (or lines) of ``session_id, speaker, start_time, end_time, words``."""
    if not file.text.lstrip().startswith("["):
        return [_seglst_row(item, n, file.at(n)) for n, item in json_objects(file)]
    items = parse_json(file.text, file.name)
    return [
        _seglst_row(item, n, f"{file.name}, segment {n}") for n, item in enumerate(items, start=1)
    ]


def _seglst_row(item: Any, number: int, where: str) -> Row:
    if not isinstance(item, dict) or "words" not in item:
        raise StreamError(
            f'{where}: a segment of SegLST is an object with "words", found {short(item)}'
        )
    words = item["words"]
    if isinstance(words, list):
        words = " ".join(as_text(word, where, '"words"') for word in words)
    start = end = None
    if item.get("start_time") is not None and item.get("end_time") is not None:
        start, end = as_span(item["start_time"], item["end_time"], where)
    return Row(
        (as_text(words, where, '"words"'),),
        number,
        _optional(item, "session_id", where),
        _optional(item, "segment_id", where),
        start,
        end,
        _optional(item, "speaker", where),
        recording=_optional(item, "session_id", where),
    )


def _optional(item: Mapping[str, Any], key: str, where: str) -> str | None:
    return None if item.get(key) is None else as_name(item[key], where, f'"{key}"')


# Tables.

COLUMNS = {
    "text": ("text", "words", "word", "transcript", "transcription", "sentence", "reference",
             "hypothesis", "prediction"),
    "document": ("document", "doc", "doc_id", "docid", "session", "session_id", "recording", "wav",
                 "audio", "file"),
    "id": ("id", "segment", "segment_id", "utterance", "utterance_id", "utt_id"),
    "start": ("start", "start_time", "begin", "offset"),
    "end": ("end", "end_time", "stop"),
    "duration": ("duration", "dur"),
    "speaker": ("speaker", "speaker_id"),
    "source": ("source", "src"),
    "delay": ("delay",),
    "elapsed": ("elapsed",),
}  # fmt: skip


def read_tsv(file: File) -> list[Row]:
    """Cells between tabs as they stand, under a header that names them; times are seconds.

    ``text`` must be there; ``document, id, start, end`` (or ``duration``), ``speaker``,
    ``source``, ``delay`` and ``elapsed`` may be. The other names that are known are in COLUMNS.
    """
    lines = file.filled()
    number, header = next(lines, (1, ""))
    columns = _columns(header.split("\t"), file.at(number))
    width = len(header.split("\t"))
    rows = []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != width:
            raise StreamError(
                f"{file.at(number)}: {len(cells)} cells under a header of {width}; there is no tab "
                "inside a cell"
            )
        rows.append(_table_row({role: cells[at] for role, at in columns.items()}, number, file))
    return rows


def _columns(header: list[str], where: str) -> dict[str, int]:
    names = [name.strip().casefold() for name in header]
    found: dict[str, int] = {}
    for role, known in COLUMNS.items():
        places = [place for place, name in enumerate(names) if name in known]
        if len(places) > 1:
            raise StreamError(
                f"{where}: {' and '.join(header[place].strip() for place in places)} could both be "
                f"the {role}; rename one of them"
            )
        if places:
            found[role] = places[0]
    if "text" not in found:
        raise StreamError(
            f"{where}: no column of the header is called text (or {', '.join(COLUMNS['text'][1:])})"
            f", found {', '.join(names)}"
        )
    return found


def _table_row(cells: dict[str, str], number: int, file: File) -> Row:
    where = file.at(number)
    given = {role: cell.strip() for role, cell in cells.items() if cell.strip()}
    start = end = None
    if "start" in given:
        start = as_number(given["start"], where, "the start")
        end = start
        if "end" in given:
            end = as_number(given["end"], where, "the end")
        elif "duration" in given:
            end = start + as_number(given["duration"], where, "the duration")
        start, end = as_span(start, end, where)
        if "end" not in given and "duration" not in given:
            end = None
    delay, elapsed = (
        as_number(given[role], where, f"the {role}") if role in given else None
        for role in ("delay", "elapsed")
    )
    document = given.get("document")
    return Row(
        (cells["text"],),
        number,
        document,
        given.get("id"),
        start,
        end,
        given.get("speaker"),
        given.get("source"),
        delay,
        elapsed,
        document,
    )


# The segmentation that IWSLT gives beside plain references.


def read_segments(file: File) -> list[Row]:
    """A YAML (or JSON) list of ``wav, offset, duration`` and ``speaker_id`` or ``speaker``."""
    entries = _load_yaml(file)
    if not isinstance(entries, list) or not entries:
        raise StreamError(
            f"{file.name}: a segmentation is a list of segments with wav, offset and duration, "
            f"found {short(entries)}"
        )
    return [_segments_row(entry, n, file) for n, entry in enumerate(entries, start=1)]


def _load_yaml(file: File) -> Any:
    if file.text.lstrip().startswith("[{"):
        try:
            return parse_json(file.text, file.name)
        except StreamError:
            pass  # a YAML list may begin like this too
    yaml = needs("yaml", f"{file.name}")
    # The C loader reads a test set in seconds instead of minutes; both are safe.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(file.text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = file.at(mark.line + 1) if mark is not None else file.name
        problem = getattr(error, "problem", None) or getattr(error, "reason", "cannot be read")
        raise StreamError(f"{where}: not YAML: {problem}") from None
    except (RecursionError, ValueError) as error:
        raise StreamError(f"{file.name}: not a segmentation: {error}") from None


def _segments_row(entry: Any, number: int, file: File) -> Row:
    where = f"{file.name}, segment {number}"
    if not isinstance(entry, dict):
        raise StreamError(f"{where}: expected wav, offset and duration, found {short(entry)}")
    for key in ("wav", "offset", "duration"):
        if entry.get(key) is None:
            raise StreamError(f'{where}: "{key}" is missing, found {short(entry)}')
    wav = as_name(entry["wav"], where, '"wav"')
    offset = as_number(entry["offset"], where, '"offset"')
    duration = as_number(entry["duration"], where, '"duration"')
    start, end = as_span(offset, offset + duration, where)
    speaker = "speaker_id" if entry.get("speaker_id") is not None else "speaker"
    return Row(
        (),
        number,
        wav,
        None,
        start,
        end,
        _optional(entry, speaker, where),
        recording=wav,
    )
