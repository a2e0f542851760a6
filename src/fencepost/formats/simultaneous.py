"""Logs of simultaneous systems: SimulEval's instances and simulstream's steps, with delays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from fencepost.formats.catalogue import endings_of
from fencepost.formats.fields import as_list, as_name, as_number, as_text
from fencepost.formats.intervals import words_of
from fencepost.formats.json_objects import first_fields, json_objects
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.registry import Format
from fencepost.formats.values import shown
from fencepost.model.documents import Stream, StreamSet, TimedWord

# SimulEval.


def read_simuleval(text: str, reading: Reading) -> StreamSet:
    """One JSON object per document: ``prediction``, ``delays``, ``elapsed`` (ms), ``source``.

    There is one delay per word, or per character (all of them, or all but spaces). The document is
    named by ``source`` if that is a file; else documents go by ``index``.

    SimulEval's ``elapsed`` adds all computing since the start of the recording; here a word gets
    its own computing only, as ``omnisteval --fix_simuleval_emission_ca`` has it. Where ``elapsed``
    minus ``delays`` falls it is no such total, and is taken as it is; where it stays the same, too.
    """
    records = list(json_objects(text, reading))
    units = _units(records, reading)
    totals = _has_totals(records)
    names = [_name(record) for _, record in records]
    if None in names:
        names = [None] * len(names)
    _check_unique(zip(names, (number for number, _ in records), strict=True), reading)
    streams = [
        _simuleval_stream(record, name, units, totals)
        for (_, record), name in zip(records, names, strict=True)
    ]
    notes = (f"{reading.name}: {_NOT_TOTALS}",) if totals is False else ()
    if not any(names):
        order = [
            as_number(record.get("index", place), reading.at(number), '"index"')
            for place, (number, record) in enumerate(records)
        ]
        streams = [streams[place] for place in sorted(range(len(order)), key=order.__getitem__)]
    return StreamSet(tuple(streams), notes=notes)


_NOT_TOTALS = (
    '"elapsed" minus "delays" falls within a document, so "elapsed" was taken as the time of each '
    "word, not as SimulEval's total of all computing"
)


def _name(record: dict[str, Any]) -> str | None:
    source = record.get("source")
    if isinstance(source, list) and source and isinstance(source[0], str):
        return source[0].strip() or None
    # Of systems that translate text, the source is a sentence.
    if isinstance(source, str) and re.fullmatch(r"\S+|.*\.\w{2,4}", source.strip()):
        return source.strip()
    return None


# What delays may be delays of: words (to SimulEval, a no-break space is part of one), characters
# with spaces, or characters without.
_WORDS = re.compile(r"\S+")
_UNITS = (_WORDS, re.compile(r"[^ ]+"), re.compile(r".", re.DOTALL), re.compile(r"\S"))


def _units(records: Sequence[tuple[int, dict[str, Any]]], reading: Reading) -> re.Pattern[str]:
    """Return what the delays are delays of: the first unit that fits all documents."""
    misfits: dict[re.Pattern[str], str] = {}
    for number, record in records:
        where = reading.at(number)
        if "prediction" not in record:
            raise FormatError(
                f'{where}: an instance of SimulEval has a "prediction", found {shown(list(record))}'
            )
        text = as_text(record["prediction"], where, '"prediction"')
        for key in ("delays", "elapsed"):
            if record.get(key) is None:
                continue
            values = as_list(record[key], where, f'"{key}"')
            for value in values:
                as_number(value, where, f'each of "{key}"')
            for unit in _UNITS:
                if len(unit.findall(text)) != len(values):
                    misfits.setdefault(
                        unit,
                        f'{where}: "{key}" has {len(values)} values for {len(text.split())} words '
                        f'({len(text)} characters) of "prediction"; one for each is needed',
                    )
    fitting = [unit for unit in _UNITS if unit not in misfits]
    if not fitting:
        raise FormatError(misfits[_WORDS])
    return fitting[0]


def _has_totals(records: Sequence[tuple[int, dict[str, Any]]]) -> bool | None:
    """Return whether ``elapsed`` has totals of computing; None where it shows no computing."""
    steps = [
        (after - after_delay) - (before - before_delay)
        for _, record in records
        if record.get("delays") is not None and record.get("elapsed") is not None
        for (before, before_delay), (after, after_delay) in pairwise(
            zip(map(float, record["elapsed"]), map(float, record["delays"]), strict=True)
        )
    ]
    # Times are milliseconds; what floats add below a thousandth is no computing.
    if any(step < -1e-3 for step in steps):
        return False
    return True if any(step > 1e-3 for step in steps) else None


def _own_computing(delays: Sequence[float], totals: Sequence[float]) -> list[float]:
    """Return when each word came out if computing before it had cost no time.

    That is its delay and what was computed since the word before, and never before that word.

    >>> _own_computing([1000, 2000, 2000], [1500, 2600, 2700])
    [1500, 2100, 2100]
    """
    found = list(totals[:1])
    for place in range(1, len(totals)):
        computed = (totals[place] - delays[place]) - (totals[place - 1] - delays[place - 1])
        found.append(max(delays[place] + computed, found[-1]))
    return found


def _simuleval_stream(
    record: dict[str, Any], name: str | None, units: re.Pattern[str], totals: bool | None
) -> Stream:
    text: str = record["prediction"]
    delays, elapsed = (
        None if record.get(key) is None else [float(value) / 1000 for value in record[key]]
        for key in ("delays", "elapsed")
    )
    if delays is None and elapsed is None:
        return Stream(name, text)
    if totals and delays is not None and elapsed is not None:
        elapsed = _own_computing(delays, elapsed)
    words = [
        TimedWord(
            *found.span(),
            delay=None if delays is None else delays[place],
            elapsed=None if elapsed is None else elapsed[place],
        )
        for place, found in enumerate(units.finditer(text))
        if not found[0].isspace()
    ]
    return Stream(name, text, words=tuple(words))


def _check_unique(documents: Iterable[tuple[str | None, int]], reading: Reading) -> None:
    """Refuse a name that comes again; documents come with their lines."""
    seen: dict[str, int] = {}
    for name, line in documents:
        if name is None:
            continue
        if name in seen:
            raise FormatError(
                f"{reading.at(line)}: a document called {name} begins on line {seen[name]} already"
            )
        seen[name] = line


# simulstream.


_STEP_FIELDS = {"generated_tokens", "metadata", "model_loading_time"}  # of any first line


@dataclass(frozen=True)
class _Recording:
    """What was said so far: tokens, and when each was said or last changed."""

    name: str | None
    line: int
    tokens: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)


def read_simulstream(text: str, reading: Reading) -> StreamSet:
    """One JSON object per step; the text is what remains when tokens taken back are gone.

    ``{"id", "metadata": {"wav_name"}}`` names a recording; ``{"id", "total_audio_processed",
    "computation_time", "generated_tokens", "deleted_tokens"}`` is a step, times in seconds. A
    word's delay is the delay of the last step that changed it, its elapsed time adds the
    computation of this step. How tokens make a text is seen from their marks, or said with
    ``--tokens``: ``spm`` (▁ begins or ends a word), ``bytes`` (Ġ does), ``words`` or ``pieces``
    (nothing between them).
    """
    steps = list(json_objects(text, reading))
    kind = _kind(
        [
            token
            for number, step in steps
            if "generated_tokens" in step
            for token in _tokens(step, "generated_tokens", reading.at(number))
        ],
        reading,
    )
    recordings: list[_Recording] = []
    current: dict[str, _Recording] = {}
    for number, step in steps:
        client = repr(step.get("id"))
        if "metadata" in step or ("id" in step and client not in current):
            current[client] = _Recording(_wav_name(step, reading.at(number)), number)
            recordings.append(current[client])
        if "metadata" not in step and "id" in step:
            _apply(step, current[client], kind, reading.at(number))
    _check_unique([(one.name, one.line) for one in recordings], reading)
    return StreamSet(tuple(_simulstream_stream(one, kind) for one in recordings))


def _wav_name(step: dict[str, Any], where: str) -> str | None:
    metadata = step.get("metadata")
    given = metadata.get("wav_name") if isinstance(metadata, dict) else None
    return None if given is None else as_name(given, where, '"wav_name"')


def _tokens(step: dict[str, Any], key: str, where: str) -> list[str]:
    given = as_list(step.get(key), where, f'"{key}"')
    return [as_text(token, where, f'"{key}"') for token in given]


def _apply(step: dict[str, Any], to: _Recording, kind: _Kind, where: str) -> None:
    new, old = (_tokens(step, key, where) for key in ("generated_tokens", "deleted_tokens"))
    delay = as_number(step.get("total_audio_processed"), where, '"total_audio_processed"')
    elapsed = delay + as_number(step.get("computation_time"), where, '"computation_time"')
    if old:
        kept = len(to.tokens) - len(old)
        if kept < 0 or to.tokens[kept:] != old:
            raise FormatError(
                f'{where}: "deleted_tokens" are {shown(old)}, but what was said ends in '
                f"{shown(to.tokens[max(kept, 0) :])}"
            )
        del to.tokens[kept:], to.delays[kept:], to.elapsed[kept:]
        if kind.cuts_word(to.tokens, old):
            # The word before it lost its end, so it is another word from now on.
            to.delays[-1], to.elapsed[-1] = delay, elapsed
    to.tokens.extend(new)
    to.delays.extend([delay] * len(new))
    to.elapsed.extend([elapsed] * len(new))


@dataclass(frozen=True)
class _Kind:
    """A way of writing tokens: what each adds to the text, and the marks between words."""

    decode: Callable[[Sequence[str]], list[str]]
    is_mark: Callable[[str], bool]  # of a character
    words: bool = False  # every token is a word

    def cuts_word(self, kept: Sequence[str], deleted: Sequence[str]) -> bool:
        """Return whether the last word of ``kept`` went on in ``deleted``."""
        end = next((token[-1] for token in reversed(kept) if token), "")
        start = next((token[0] for token in deleted if token), "")
        if self.words or not end or not start:
            return False
        return not self.is_mark(end) and not self.is_mark(start)


def _with_spaces(tokens: Sequence[str]) -> list[str]:
    return [token if place == 0 else f" {token}" for place, token in enumerate(tokens)]


def _byte_alphabet() -> dict[str, int]:
    """The letters that stand for bytes in byte-level vocabularies (GPT-2 and its heirs).

    Printable bytes stand for themselves, the others follow from U+0100 on in their order.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(byte): byte for byte in plain} | {
        chr(0x100 + place): byte for place, byte in enumerate(others)
    }


def _bytes(tokens: Sequence[str]) -> list[str]:
    """A character whose bytes are in several tokens comes out with the last of them."""
    letters = _byte_alphabet()
    found = []
    pending = b""
    for token in tokens:
        # What is outside of this alphabet (an added token) is text.
        pending += b"".join(
            bytes([letters[sign]]) if sign in letters else sign.encode("utf-8") for sign in token
        )
        try:
            found.append(pending.decode("utf-8"))
            pending = b""
        except UnicodeDecodeError as error:
            whole = error.start if error.reason == "unexpected end of data" else len(pending)
            found.append(pending[:whole].decode("utf-8", errors="replace"))
            pending = pending[whole:]
    if pending:
        found[-1] += pending.decode("utf-8", errors="replace")
    return found


_KINDS = {
    "spm": _Kind(
        lambda tokens: [token.replace("▁", " ") for token in tokens],
        lambda sign: sign == "▁" or sign.isspace(),
    ),
    "bytes": _Kind(_bytes, lambda sign: sign in "ĠĊ" or sign.isspace()),
    "words": _Kind(_with_spaces, str.isspace, words=True),
    "pieces": _Kind(list, str.isspace),
}


def _kind(tokens: Sequence[str], reading: Reading) -> _Kind:
    if reading.tokens is not None:
        return _KINDS[reading.tokens]
    if any("▁" in token for token in tokens):
        return _KINDS["spm"]
    if any("Ġ" in token for token in tokens):
        return _KINDS["bytes"]
    if any(token[:1].isspace() or token[-1:].isspace() for token in tokens):
        return _KINDS["pieces"]
    if len(tokens) > 1:
        raise FormatError(
            f"{reading.name}: no token has a mark where words begin or end (▁, Ġ or a space), so "
            "tokens may be words or parts of words. Give --tokens words (a space between them) or "
            "--tokens pieces (nothing between them)"
        )
    return _KINDS["pieces"]


def _simulstream_stream(one: _Recording, kind: _Kind) -> Stream:
    parts = kind.decode(one.tokens)
    whole = "".join(parts)
    text = whole.strip()
    skipped = len(whole) - len(whole.lstrip())
    ends = list(accumulate(map(len, parts), initial=-skipped))[1:]
    words = []
    token = 0
    for first, last in words_of(text):
        # The token that ends the word is the last one that changed it.
        while ends[token] < last:
            token += 1
        words.append(TimedWord(first, last, delay=one.delays[token], elapsed=one.elapsed[token]))
    return Stream(one.name, text, words=tuple(words))


SIMULEVAL = Format(
    "simuleval",
    endings_of("simuleval"),
    "logs of SimulEval, JSON lines: prediction, delays, elapsed, source",
    '{"prediction": "so we", "delays": [1000, 2000], "elapsed": [1100, 2250]}',
    looks_like=lambda text: "prediction" in (first_fields(text) or ()),
    sure=True,
    streams=read_simuleval,
)

SIMULSTREAM = Format(
    "simulstream",
    endings_of("simulstream"),
    "logs of simulstream, JSON lines: generated_tokens, deleted_tokens, total_audio_processed",
    '{"id": 1, "metadata": {"wav_name": "talk.wav"}}\n'
    '{"id": 1, "total_audio_processed": 2.0, "computation_time": 0.5, '
    '"generated_tokens": ["▁so", "▁we"], "deleted_tokens": []}\n'
    '{"id": 1, "total_audio_processed": 4.0, "computation_time": 0.4, '
    '"generated_tokens": ["▁they"], "deleted_tokens": ["▁we"]}',
    looks_like=lambda text: bool(_STEP_FIELDS & (first_fields(text) or set())),
    sure=True,
    takes=("tokens",),
    streams=read_simulstream,
)
