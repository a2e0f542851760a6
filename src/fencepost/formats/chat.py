"""CHAT transcripts (.cha) of TalkBank and CHILDES, through pylangacq."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import FormatError, Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.turns import Turn, by_speaker, corpus_of_turns
from fencepost.model.corpus import Corpus
from fencepost.wording import needs

_MAIN = re.compile(r"\*[^\s:*]+:\t")
# Possessive: white space at the end of a header could be matched in several ways, and all of them
# would be tried, header by header, where no @Begin follows.
_START = re.compile(r"\s*+(?:@UTF8\s++)?(?:@\w++:[^\r\n]*+\s++)*+@Begin\b")
MAX_LISTED = 100  # languages or options in a header, and characters of one
_OWN = ("@Languages:", "@Options:")  # headers that change how utterances are read


def read_chat(text: str, reading: Reading) -> Corpus:
    """Utterances are segments, the words that were said are units, every speaker is read alone.

    Terminators, commas, fillers, repeated material and unintelligible words are no units, as
    pylangacq has it; the file's own ``@Options`` hold (with CA, utterances may lack terminators).
    ``--tiers one`` reads all speakers as one.
    """
    blocks = _utterances(text, reading)
    chat = needs("pylangacq", f"{reading.name} (CHAT)").CHAT
    headers = _headers(text, reading)
    turns = []
    with _without_panics():
        for number, speaker, lines in blocks:
            found = _parse(chat, headers, speaker, "\n".join(lines), reading.at(number))
            words = [token.word for token in found.tokens or []]
            said = [word for word in words if re.search(r"\w", word)]
            turns.append(Turn(reading.stem, speaker, said))
    return corpus_of_turns(turns, reading, by_speaker(reading, otherwise=True))


@contextmanager
def _without_panics() -> Iterator[None]:
    """Keep what a panic of pylangacq writes from standard error: its errors are told in our words.

    Whatever else was written meanwhile is written afterwards.
    """
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            held.seek(0)
            said = held.read()
            if b"panicked at" not in said:
                os.write(2, said)


def _utterances(text: str, reading: Reading) -> list[tuple[int, str, list[str]]]:
    """Main tiers with the numbers of their lines; a line that begins with a tab goes on."""
    lines = split_lines(text)
    heads = {line.strip() for line in lines if line.startswith("@")}
    for mark, place in (("@Begin", "begins"), ("@End", "ends")):
        if mark not in heads:
            raise FormatError(
                f"{reading.at(1 if mark == '@Begin' else len(lines))}: a CHAT file {place} with "
                f"{mark}, and there is none; is it cut short?"
            )
    found: list[tuple[int, str, list[str]]] = []
    inside = False  # a main tier, which a line with a tab continues
    for number, line in enumerate(lines, start=1):
        if line.startswith("*"):
            if not _MAIN.match(line):
                raise FormatError(
                    f"{reading.at(number)}: an utterance begins with *NAME: and a tab, found "
                    f"{line[:40]!r}"
                )
            found.append((number, line[1:].partition(":")[0], [line]))
            inside = True
        elif line.startswith("\t") and inside:
            found[-1][2].append(line)
        elif line.startswith(("@", "%")):
            inside = False
        elif line.strip() and not line.startswith("\t"):
            raise FormatError(
                f"{reading.at(number)}: a line begins with @, *, % or a tab, found {line[:40]!r}"
            )
    if not found:
        raise FormatError(f"{reading.name} has no utterances")
    return found


def _headers(text: str, reading: Reading) -> dict[str, str]:
    """The headers of a file that its utterances need; English where no language is named.

    They are read beside each utterance, so they are short: what they list is there once.
    """
    found = {"@Languages:": ["eng"]}
    at = {"@Languages:": 1}
    name = ""
    for number, line in enumerate(split_lines(text), start=1):
        if not line.startswith("\t"):
            name = next((own for own in _OWN if line.startswith(own)), "")
            if name:
                found[name], at[name] = [line.removeprefix(name)], number
        elif name:
            found[name].append(line)
    listed = {}
    for name, lines in found.items():
        words = list(dict.fromkeys(word.strip() for word in " ".join(lines).split(",")))
        if len(words) > MAX_LISTED or any(len(word) > MAX_LISTED for word in words):
            raise FormatError(
                f"{reading.at(at[name])}: {name} has at most {MAX_LISTED} words of at most "
                f"{MAX_LISTED} characters; is this header damaged?"
            )
        listed[name] = f"{name}\t{', '.join(words)}"
    return listed


def _parse(chat: Any, headers: Mapping[str, str], speaker: str, lines: str, where: str) -> Any:
    who = f"@Participants:\t{speaker} {speaker} Unidentified"
    named = [headers["@Languages:"], who, *(headers[n] for n in headers if n == "@Options:")]
    head = "\n".join(["@UTF8", "@Begin", *named])
    try:
        found = chat.from_strs([f"{head}\n{lines}\n@End\n"]).utterances()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # whatever pylangacq finds wrong; a panic of it is no Exception
        said = (str(error).splitlines() or [type(error).__name__])[0].rpartition(": ")[2]
        raise FormatError(f"{where}: not CHAT: {said}; found {lines[:50]!r}") from None
    if len(found) != 1:
        raise FormatError(f"{where}: not an utterance of CHAT: {lines[:50]!r}")
    return found[0]


CHAT = Format(
    "chat",
    endings_of("chat"),
    "CHAT transcripts of TalkBank: an utterance is a segment, every speaker is read alone",
    "@UTF8\n@Begin\n@Participants:\tCHI Eve Target_Child, MOT Mother\n"
    "*CHI:\tmore cookie .\n*MOT:\tyou want more ?\n*CHI:\tyes .\n@End\n",
    read_chat,
    lambda text: _START.match(text) is not None,
    sure=True,
    takes=("tiers", "ignore_tokens"),
)
