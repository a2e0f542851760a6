"""The formats there are: what files of each are known by, and where its reader is.

Readers are imported when a file of their format is read: a command that reads sizes from JSON need
not know how ELAN writes tiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fencepost.formats.registry import Format


class Known(NamedTuple):
    """What is known of a format before its reader is imported."""

    reader: str  # the module and the constant in it
    endings: tuple[str, ...] = ()
    # Found in every file that is known by its content; "" where the content is never enough.
    sign: str = ""
    gives: tuple[str, ...] = ("segmentations",)  # as the format itself says


_WORDS = ("references", "streams")

CATALOGUE: Mapping[str, Known] = {
    "json": Known("records.JSON", (".json",)),
    "jsonl": Known("records.JSONL", (".jsonl", ".ndjson")),
    "segeval": Known("records.SEGEVAL"),
    "tsv": Known("lines.TSV", (".tsv", ".csv"), gives=("segmentations", *_WORDS)),
    "lines": Known("lines.LINES", (".bits", ".masses")),
    "separated": Known("separated.SEPARATED", (".txt", ".ref", ".seg")),
    "wiki": Known("separated.WIKI", (), "=="),
    "markdown": Known("headings.MARKDOWN", (".md", ".markdown")),
    "html": Known("headings.HTML", (".html", ".htm")),
    "table": Known("tables.TABLE"),
    "parquet": Known("tables.PARQUET", (".parquet", ".pq")),
    "units": Known(
        "unit_rows.UNITTABLE",
        (),
        r"(?i)\A.*(paragraph|sentence|unit|line|utterance|position|index|turn)",
    ),
    "tokens": Known("tokens.TOKENS", (), r"(?i)\A.*token"),
    "boundary-strings": Known("tokens.BOUNDARY_STRINGS", (), r"(?i)\A.*boundaries"),
    "punctuated": Known("punctuated.PUNCTUATED"),
    "textgrid": Known("textgrid.TEXTGRID", (".textgrid",), "ooTextFile"),
    "elan": Known("elan.ELAN", (".eaf",), "<ANNOTATION_DOCUMENT"),
    "chat": Known("chat.CHAT", (".cha",), "@Begin"),
    "rezonator": Known("rezonator.REZONATOR", (".rez",), '"nodeMap"'),
    "conllu": Known("conllu.CONLLU", (".conllu", ".conll", ".tok"), "\t"),
    "labelstudio": Known("labelstudio.LABELSTUDIO", (), r"\A\s*\["),
    "chunks": Known("chunks.CHUNKS", (), r"\A(?:\s*[\[{]|.*start)"),
    "sentences": Known("chunks.SENTENCES", (".sents", ".sentences")),
    "srt": Known("captions.SRT", (".srt",), "-->"),
    "vtt": Known("captions.VTT", (".vtt",), "WEBVTT"),
    "tagged": Known("captions.TAGGED", (), "<eob>"),
    "stm": Known("stm.STM", (".stm",), gives=("segmentations", *_WORDS)),
    "ctm": Known("ctm.CTM", (".ctm",), gives=("streams",)),
    "text": Known("plain_text.TEXT", (".txt",), gives=_WORDS),
    "seglst": Known("seglst.SEGLST", (), '"words"', _WORDS),
    "simuleval": Known("simultaneous.SIMULEVAL", (), '"prediction"', ("streams",)),
    "simulstream": Known("simultaneous.SIMULSTREAM", (), r"\A\s*\{", ("streams",)),
    "set": Known("mteval.SET", (".sgm", ".sgml", ".xml"), r"\A\s*<", _WORDS),
}


class Formats(Mapping[str, "Format"]):
    """The formats of fencepost by name, imported when they are asked for."""

    def __getitem__(self, name: str) -> Format:
        module, _, constant = CATALOGUE[name].reader.partition(".")
        found: Format = getattr(import_module(f"fencepost.formats.{module}"), constant)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(CATALOGUE)

    def __len__(self) -> int:
        return len(CATALOGUE)

    def __contains__(self, name: object) -> bool:
        return name in CATALOGUE


FORMATS = Formats()


def endings_of(name: str) -> tuple[str, ...]:
    """Return the endings of files of a format."""
    return CATALOGUE[name].endings


def names_giving(*wanted: str) -> list[str]:
    """Return the names of the formats that give some of this."""
    return [name for name, known in CATALOGUE.items() if set(known.gives) & set(wanted)]


def name_by_ending(ending: str, *wanted: str) -> str | None:
    """Return the name of the format with this ending that gives some of this, if there is one."""
    return next((n for n in names_giving(*wanted) if ending in CATALOGUE[n].endings), None)


def by_content(text: str, *wanted: str) -> Format | None:
    """Return the format that the content alone shows, of those that give some of this."""
    start = text.lstrip()[:10_000]  # headers of tables are in the first line
    for name in names_giving(*wanted):
        sign = CATALOGUE[name].sign
        if not sign:
            continue
        if sign.startswith(("(?i)", "\\A")):
            maybe = re.match(sign, start) is not None
        else:
            maybe = sign in text
        if maybe and FORMATS[name].looks_like(text):
            return FORMATS[name]
    return None
