"""fencepost simulate: made-up references, errors, coders and word streams, written to files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fencepost.cli.inputs import Inputs
from fencepost.cli.options import Arguments, UsageError
from fencepost.compression import pack
from fencepost.files import UNENCODABLE, write_whole
from fencepost.formats import find_format, write, written
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Pairs
from fencepost.study import simulate
from fencepost.study.simulate.texts import made_corpus, one_each
from fencepost.study.simulate.words import WordStreams


def run(args: Arguments) -> int:
    """Make it and write it."""
    what = args.command.partition(" ")[2]
    if what == "stream":
        return _write_stream(args)
    make = {"references": _references, "errors": _errors, "coders": _coders, "typed": _typed}
    corpus = make[what](args)
    form = _form(args, corpus)
    if what in ("errors", "typed"):
        if form == "jsonl" and len(corpus.coders) == 1:
            _put(_hyp_records(corpus), args.output)
            return 0
        if form == "json" and len(corpus.coders) > 1 and len(corpus.texts) > 1:
            corpus = _by_system(corpus)
    if args.output in (None, "-"):
        _print(written(corpus, "-", form or "json"))
    else:
        write(corpus, args.output, args.to)
    return 0


def _form(args: Arguments, corpus: Corpus) -> str | None:
    """The format asked for; that of an ending only where hypotheses are written differently."""
    if args.to:
        return str(args.to)
    if args.output in (None, "-"):
        return "json" if corpus.kind_names is None else "tokens"
    suffixes = Path(args.output).suffixes[-2:]  # the last may be .gz
    return next((name for name in ("json", "jsonl") if f".{name}" in suffixes), None)


def _hyp_records(corpus: Corpus) -> str:
    """Records whose field is "hyp", where score looks for it."""
    form = find_format("jsonl")
    assert form.write is not None
    records = [json.loads(line) for line in form.write(corpus).splitlines()]
    renamed = [{"hyp" if k == "ref" else k: v for k, v in record.items()} for record in records]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in renamed)


def _by_system(corpus: Corpus) -> Corpus:
    """{system: {text: sizes}}, which score takes for several systems."""
    entries = {
        key._replace(text=f"copy {key.coder}", coder=key.text): seg
        for coder in corpus.coders
        for key, seg in corpus.entries.items()
        if key.coder == coder
    }
    return corpus.with_entries(entries, {})


def _put(text: str, output: str | None) -> None:
    data = text.encode("utf-8", UNENCODABLE)
    if output is None or output == "-":
        _print(data)
    else:
        write_whole(output, pack(data, Path(output).name), UsageError)


def _print(data: bytes) -> None:
    """Write a file to standard output: in UTF-8, whatever the terminal can show."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def _references(args: Arguments) -> Corpus:
    chosen = args.of("simulate.references") | {"types": _types(args.types)}
    if args.segments is None and args.units is None:
        chosen["segments"] = 100
    return simulate.references(**chosen)


def _types(given: str | None) -> dict[str, float] | None:
    if given is None:
        return None
    types: dict[str, float] = {}
    for part in given.split(","):
        name, _, weight = part.strip().partition("=")
        try:
            types[name] = float(weight or 1)
        except ValueError:
            raise UsageError(f"--types {part.strip()}: {weight!r} is no weight") from None
        if not name:
            raise UsageError(
                f"--types {given}: a boundary type has no name; write comma=3,period=1"
            )
    return types


def _errors(args: Arguments) -> Corpus:
    source = one_each(Inputs(args).only(args.ref))
    return _hypotheses(source, simulate.errors(source, **args.of("simulate.errors")), args.copies)


def _typed(args: Arguments) -> Corpus:
    source = one_each(Inputs(args).only(args.ref))
    return _hypotheses(source, simulate.typed(source, **args.of("simulate.typed")), args.copies)


def _hypotheses(source: Corpus, pairs: Pairs, copies: int) -> Corpus:
    coders = tuple(str(i) for i in range(1, copies + 1))
    return made_corpus(pairs.hyp, pairs.units, pairs.vocabulary, coders, source.text_names)


def _coders(args: Arguments) -> Corpus:
    if args.like is not None:
        if args.rate is not None or args.boundaries is not None:
            raise UsageError(
                "a FILE has its own numbers of boundaries: remove --rate and --boundaries"
            )
        return simulate.shuffled_corpus(Inputs(args).only(args.like), seed=args.seed)
    chosen = args.of("simulate.coders")
    chosen |= {name: _one_or_each(chosen[name]) for name in ("rate", "boundaries")}
    if args.boundaries is None and args.rate is None:
        chosen["rate"] = 0.1
    return simulate.coders(**chosen)


def _one_or_each(values: Sequence[Any] | None) -> Any:
    return values[0] if values is not None and len(values) == 1 else values


def _write_stream(args: Arguments) -> int:
    made = simulate.streams(**args.of("simulate.streams"))
    for ending, lines in _files(made).items():
        write_whole(f"{args.output}.{ending}", ("\n".join(lines) + "\n").encode(), UsageError)
    return 0


def _files(made: WordStreams) -> dict[str, list[str]]:
    """Plain lines for one document, tables with the document's name for several."""
    several = len(made) > 1
    ending = "tsv" if several else "txt"
    references, pieces, streams = made.references, made.pieces, made.streams
    count = len(made.words)
    parts: dict[str, list[tuple[str, str]]] = {
        f"ref{r + 1}" if count > 1 else "ref": [
            (name, own[r]) for name, segments in references.items() for own in segments
        ]
        for r in range(count)
    }
    parts["hyp"] = list(streams.items())
    parts["true"] = [(name, piece) for name, own in pieces.items() for piece in own]
    head = ["document\ttext"] if several else []
    return {
        f"{part}.{ending}": [
            *head, *(f"{name}\t{text}" if several else text for name, text in rows),
        ]
        for part, rows in parts.items()
    }  # fmt: skip
