"""Logs of simultaneous systems: SimulEval's instances and simulstream's steps, with delays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.streams.documents import Stream, StreamError, TimedWord
from fencepost.streams.fields import File, as_list, as_name, as_number, as_text, json_objects, short

Spans = list[tuple[int, int]]

# SimulEval.


def read_simuleval(file: File) -> list[Stream]:
    """One JSON object a document: ``prediction``, ``delays``, ``elapsed`` (ms), ``source``, ...

    There is one delay for each word, or for each character (all of them, or all but spaces). The
    document is named by ``source`` if that is a file; else documents go by ``index``.
    """
    records = list(json_objects(file))
    unit = _unit(records, file)
    names = [_name(record) for _, record in records]
    if None in names:
        names = [None] * len(names)
    _check_unique(names, file)
    streams = [
        _simuleval_stream(record, name, unit, file.at(number))
        for (number, record), name in zip(records, names, strict=True)
    ]
    if any(names):
        return streams
    order = [
        as_number(record.get("index", place), file.at(number), '"index"')
        for place, (number, record) in enumerate(records)
    ]
    return [streams[place] for place in sorted(range(len(order)), key=order.__getitem__)]


def _name(record: dict[str, Any]) -> str | None:
    source = record.get("source")
    if isinstance(source, list) and source and isinstance(source[0], str):
        return source[0].strip() or None
    # Of systems that translate text, the source is a sentence.
    if isinstance(source, str) and re.fullmatch(r"\S+|.*\.\w{2,4}", source.strip()):
        return source.strip()
    return None


def _words(text: str) -> Spans:
    return [match.span() for match in re.finditer(r"\S+", text)]


def _characters(text: str) -> Spans:
    return [(place, place + 1) for place in range(len(text))]


def _letters(text: str) -> Spans:
    return [match.span() for match in re.finditer(r"\S", text)]


_UNITS: tuple[Callable[[str], Spans], ...] = (_words, _characters, _letters)


def _unit(records: Sequence[tuple[int, dict[str, Any]]], file: File) -> Callable[[str], Spans]:
    """What the delays are delays of: the first unit that fits all documents."""
    misfits: dict[Callable[[str], Spans], str] = {}
    for number, record in records:
        where = file.at(number)
        if "prediction" not in record:
            raise StreamError(
                f'{where}: an instance of SimulEval has a "prediction", found {short(list(record))}'
            )
        text = as_text(record["prediction"], where, '"prediction"')
        for key in ("delays", "elapsed"):
            if record.get(key) is None:
                continue
            size = len(as_list(record[key], where, f'"{key}"'))
            for unit in _UNITS:
                if len(unit(text)) != size:
                    misfits.setdefault(
                        unit,
                        f'{where}: "{key}" has {size} values for {len(_words(text))} words '
                        f'({len(text)} characters) of "prediction"; one for each is needed',
                    )
    fitting = [unit for unit in _UNITS if unit not in misfits]
    if not fitting:
        raise StreamError(misfits[_words])
    return fitting[0]


def _simuleval_stream(
    record: dict[str, Any], name: str | None, unit: Callable[[str], Spans], where: str
) -> Stream:
    text: str = record["prediction"]
    columns = {
        key: [as_number(value, where, f'each of "{key}"') / 1000 for value in record[key]]
        for key in ("delays", "elapsed")
        if record.get(key) is not None
    }
    if not columns:
        return Stream(name, text)
    spans = unit(text)
    nothing = [None] * len(spans)
    words = zip(spans, columns.get("delays", nothing), columns.get("elapsed", nothing), strict=True)
    return Stream(
        name,
        text,
        words=tuple(
            TimedWord(first, last, delay=delay, elapsed=elapsed)
            for (first, last), delay, elapsed in words
            if not text[first:last].isspace()
        ),
    )


def _check_unique(names: Sequence[str | None], file: File) -> None:
    for name, times in Counter(names).items():
        if name is not None and times > 1:
            raise StreamError(f"{file.name} has {times} documents called {name}")


# simulstream.


@dataclass(frozen=True)
class _Recording:
    """What was said so far: tokens, and when each was said or last changed."""

    name: str | None
    tokens: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)


def read_simulstream(file: File) -> list[Stream]:
    """A JSON object a step; the text is what stands when tokens taken back are gone.

    ``{"id", "metadata": {"wav_name"}}`` names a recording; ``{"id", "total_audio_processed",
    "computation_time", "generated_tokens", "deleted_tokens"}`` is a step, times in seconds. A
    word's delay is that of the last step that changed it, its elapsed time adds the computation
    of this step. How tokens make a text is seen from their marks, or said with ``tokens``: ``spm``
    (▁ begins a word), ``bytes`` (Ġ does), ``words`` or ``pieces`` (nothing between them).
    """
    steps = list(json_objects(file))
    kind = _kind(
        [
            token
            for number, step in steps
            if "generated_tokens" in step
            for token in _tokens(step, "generated_tokens", file.at(number))
        ],
        file,
    )
    recordings: list[_Recording] = []
    current: dict[str, _Recording] = {}
    for number, step in steps:
        client = repr(step.get("id"))
        if "metadata" in step or ("id" in step and client not in current):
            current[client] = _Recording(_wav_name(step, file.at(number)))
            recordings.append(current[client])
        if "metadata" not in step and "id" in step:
            _apply(step, current[client], kind, file.at(number))
    _check_unique([one.name for one in recordings], file)
    return [_simulstream_stream(one, kind) for one in recordings]


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
            raise StreamError(
                f'{where}: "deleted_tokens" are {short(old)}, but what was said ends in '
                f"{short(to.tokens[max(kept, 0) :])}"
            )
        del to.tokens[kept:], to.delays[kept:], to.elapsed[kept:]
        if kept and not kind.begins(old[0]):
            # The word before it lost its end, so it is another word from now on.
            to.delays[-1], to.elapsed[-1] = delay, elapsed
    to.tokens.extend(new)
    to.delays.extend([delay] * len(new))
    to.elapsed.extend([elapsed] * len(new))


@dataclass(frozen=True)
class _Kind:
    """A way of writing tokens: what each adds to the text, and which begin a word."""

    decode: Callable[[Sequence[str]], list[str]]
    begins: Callable[[str], bool]


def _spm(tokens: Sequence[str]) -> list[str]:
    return [token.replace("▁", " ") for token in tokens]


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
    "spm": _Kind(_spm, lambda token: token.startswith("▁")),
    "bytes": _Kind(_bytes, lambda token: token[:1] in ("Ġ", "Ċ")),
    "words": _Kind(_with_spaces, lambda token: True),
    "pieces": _Kind(list, lambda token: token[:1].isspace()),
}


def _kind(tokens: Sequence[str], file: File) -> _Kind:
    if file.tokens is not None:
        if file.tokens not in _KINDS:
            raise StreamError(f"tokens are {', '.join(_KINDS)}, found {short(file.tokens)}")
        return _KINDS[file.tokens]
    if any("▁" in token for token in tokens):
        return _KINDS["spm"]
    if any("Ġ" in token for token in tokens):
        return _KINDS["bytes"]
    if any(token[:1].isspace() or token[-1:].isspace() for token in tokens):
        return _KINDS["pieces"]
    if len(tokens) > 1:
        raise StreamError(
            f"{file.name}: no token has a mark where words begin (▁, Ġ or a space), so it is not "
            "clear whether they are words or parts of them: say tokens words (spaces between "
            "them) or pieces (nothing between them)."
        )
    return _KINDS["pieces"]


def _simulstream_stream(one: _Recording, kind: _Kind) -> Stream:
    parts = kind.decode(one.tokens)
    whole = "".join(parts)
    text = whole.strip()
    skipped = len(whole) - len(whole.lstrip())
    ends = []
    place = -skipped
    for part in parts:
        place += len(part)
        ends.append(place)
    words = []
    token = 0
    for first, last in _words(text):
        # The token that ends the word is the last one that changed it.
        while ends[token] < last:
            token += 1
        words.append(TimedWord(first, last, delay=one.delays[token], elapsed=one.elapsed[token]))
    return Stream(one.name, text, words=tuple(words))
