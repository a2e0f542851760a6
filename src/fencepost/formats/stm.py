"""STM (NIST's segment time marks): every line is a turn."""

from __future__ import annotations

import math

from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.turns import Turn, by_speaker, corpus_of_turns
from fencepost.model.corpus import Corpus
from fencepost.streams.documents import StreamError
from fencepost.streams.fields import File, in_time
from fencepost.streams.transcripts import alternatives, read_stm


def read_stm_turns(text: str, reading: Reading) -> Corpus:
    """Lines are segments in the order of time, words are units; a recording is a text.

    ``--tiers speakers`` makes every speaker a stream of their own. Of alternatives the first is
    read; lines that are marked as not to be scored are left out, and so are labels before the
    words (``<o,f0,male>``, ``<F0_M>``, or any in angle brackets that all lines have).
    """
    try:
        rows = read_stm(File(reading.name, text))
    except StreamError as error:
        raise FormatError(str(error)) from None
    apart = by_speaker(reading, otherwise=False)
    ends: dict[str, float] = {}
    turns = []
    for row in in_time(rows):
        words = alternatives(row.text)[0].split()
        if not words:
            _check_end(text, row.line, reading)
            continue
        name = row.document or reading.stem
        lane = f"{name}\n{row.speaker}" if apart else name
        start, end = row.start or 0.0, row.end or 0.0
        if not apart and start < ends.get(lane, -math.inf) - 1e-9:
            raise FormatError(
                f"{reading.at(row.line)}: the turn of {row.speaker} starts at {start:g}, while "
                f"another of {name} lasts until {ends[lane]:g}: --tiers speakers makes a stream of "
                "each speaker"
            )
        ends[lane] = max(end, ends.get(lane, end))
        turns.append(Turn(name, row.speaker or "", words))
    return corpus_of_turns(turns, reading, apart, usual=False)


def _check_end(text: str, line: int, reading: Reading) -> None:
    """A last line without words and without a line end has lost both."""
    if not text.endswith(("\n", "\r")) and line == len(split_lines(text)):
        raise FormatError(f"{reading.at(line)}: the file ends before the words; is it cut short?")


STM = Format(
    "stm",
    endings_of("stm"),
    "NIST's STM: file, channel, speaker, start, end, words; a line is a segment",
    "talk 1 anna 0.0 1.2 so we went\ntalk 1 ben 1.2 2.5 and then",
    read_stm_turns,
    timed=True,
    takes=("tiers", "ignore_tokens"),
)
