"""fencepost simulate: made-up references, errors, coders and word streams, written to files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fencepost.cli.common import UsageError, add_reading, read_only
from fencepost.compression import pack
from fencepost.formats import FORMATS, find_format, write
from fencepost.model.corpus import Corpus
from fencepost.model.pairs import Pairs
from fencepost.study import simulate
from fencepost.study.simulate.texts import made_corpus, one_each
from fencepost.study.simulate.words import WordStreams


def add(parser: argparse.ArgumentParser) -> None:
    """Declare what can be made."""
    kinds = parser.add_subparsers(metavar="WHAT", dest="what", required=True)
    for name, help, declare in (
        ("references", "texts with segments of random sizes", _add_references),
        ("errors", "hypotheses with the errors of pevzner2002 and fournier2012", _add_errors),
        ("coders", "coders who cut at random", _add_coders),
        ("typed", "noisy copies of boundaries with kinds", _add_typed),
        ("stream", "segmented references and a stream of words", _add_stream),
    ):
        # Coders have --units of their own, a number, which takes the place of the reader's.
        clash = "resolve" if name == "coders" else "error"
        one = kinds.add_parser(name, help=help, description=help, conflict_handler=clash)
        declare(one)
        one.add_argument("--seed", type=int, default=simulate.SEED, help="default %(default)s")
        where = "name of the files, without ending" if name == "stream" else "write there"
        one.add_argument("-o", "--output", metavar="FILE", required=name == "stream", help=where)
        if name != "stream":
            able = [form.name for form in FORMATS.values() if form.write]
            one.add_argument(
                "--to", choices=able, help="format (default: by the ending; json on stdout)"
            )


def _add_references(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--texts", type=int, default=10, metavar="N", help="default %(default)s")
    parser.add_argument(
        "--sizes", default="uniform:15-35",
        help="uniform:15-35 (default), geometric:25, fixed:25, or sizes to draw from: 3,5,8",
    )  # fmt: skip
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--segments", type=int, metavar="N", help="of each text (default 100)")
    size.add_argument("--units", type=int, metavar="N", help="of each text")
    parser.add_argument(
        "--kinds", metavar="NAME[=WEIGHT],...", help="kinds of boundaries: comma=3,period=1"
    )


def _add_errors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ref", metavar="REF", help="the references (- is stdin)")
    parser.add_argument(
        "--model", default="FNP1", metavar="NAME",
        help="; ".join(f"{name}: {what}" for name, what in simulate.MODELS.items()),
    )  # fmt: skip
    parser.add_argument("-p", "--p", type=float, default=0.5, help="probability (default 0.5)")
    parser.add_argument("--spread", type=float, default=0.25, help="of FP2, in segment sizes")
    parser.add_argument("--distance", type=int, default=1, help="of NM and FPN, in units")
    _add_copies(parser)


def _add_typed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ref", metavar="REF", help="references with kinds: a table of tokens")
    for name, what in (
        ("substitute", "cuts that get another kind"),
        ("move", "cuts that are moved"),
        ("delete", "cuts that are dropped"),
        ("insert", "new cuts for each cut"),
    ):
        parser.add_argument(f"--{name}", type=float, default=0.0, metavar="RATE", help=what)
    parser.add_argument("--distance", type=int, default=1, help="how far a cut may be moved")
    _add_copies(parser)


def _add_copies(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--copies",
        type=int,
        default=1,
        metavar="N",
        help="hypotheses for each text: systems in json, coders elsewhere",
    )
    add_reading(parser)


def _add_coders(parser: argparse.ArgumentParser) -> None:
    add_reading(parser)
    parser.set_defaults(units=None)
    parser.add_argument(
        "like", nargs="?", metavar="FILE", help="keep texts, coders and numbers of cuts of this"
    )
    parser.add_argument("--texts", type=int, default=10, metavar="N", help="default %(default)s")
    parser.add_argument(
        "--units", dest="length", type=int, default=100, metavar="N", help="default %(default)s"
    )
    parser.add_argument("--coders", type=int, default=5, metavar="N", help="default %(default)s")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--rate", type=float, nargs="+", help="of cuts at each place, for all or for each coder"
    )
    how.add_argument("--cuts", type=int, nargs="+", help="of each text, for all or for each coder")


def _add_stream(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=1, metavar="N")
    parser.add_argument("--segments", type=int, default=50, metavar="N", help="of each document")
    parser.add_argument("--sizes", default="uniform:5-20", help="of segments, in words")
    parser.add_argument("--words", type=int, default=1000, metavar="N", help="of the vocabulary")
    parser.add_argument("--references", type=int, default=1, metavar="N")
    for name, default, what in (
        ("vary", 0.2, "words that differ in further references"),
        ("substitute", 0.0, "words that are replaced"),
        ("insert", 0.0, "words with a further one before them"),
        ("delete", 0.0, "words that are left out"),
        ("reorder", 0.0, "words that move inside their segment"),
        ("repeat", 0.0, "segments that begin with the end of the one before"),
    ):
        parser.add_argument(f"--{name}", type=float, default=default, metavar="RATE", help=what)
    parser.add_argument("--distance", type=int, default=3, help="how far a word may move")
    parser.add_argument("--phrase", type=int, default=3, help="words of a repeated phrase")


def run(args: argparse.Namespace) -> int:
    """Make it and write it."""
    if args.what == "stream":
        return _write_stream(args)
    make = {"references": _references, "errors": _errors, "coders": _coders, "typed": _typed}
    corpus = make[args.what](args)
    if args.output not in (None, "-"):
        _keep_input(args)
    form = _form(args, corpus)
    if args.what in ("errors", "typed"):
        if form == "jsonl" and len(corpus.coders) == 1:
            _put(_hyp_records(corpus), args.output)
            return 0
        if form == "json" and len(corpus.coders) > 1 and len(corpus.texts) > 1:
            corpus = _by_system(corpus)
    if args.output in (None, "-"):
        made = find_format(form or "json")
        sys.stdout.write(made.write(corpus) if made.write else "")
    else:
        write(corpus, args.output, args.to)
    return 0


def _form(args: argparse.Namespace, corpus: Corpus) -> str | None:
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
    if output is None or output == "-":
        sys.stdout.write(text)
        return
    try:
        Path(output).write_bytes(pack(text.encode(), Path(output).name))
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from None


def _keep_input(args: argparse.Namespace) -> None:
    given = getattr(args, "ref", None) or getattr(args, "like", None)
    if given not in (None, "-") and Path(given).resolve() == Path(args.output).resolve():
        raise UsageError(f"-o {args.output} would overwrite the input file")


def _references(args: argparse.Namespace) -> Corpus:
    segments = 100 if args.segments is None and args.units is None else args.segments
    made = simulate.references(
        args.texts, sizes=args.sizes, segments=segments, units=args.units,
        kinds=_kinds(args.kinds), seed=args.seed,
    )  # fmt: skip
    return made


def _kinds(given: str | None) -> dict[str, float] | None:
    if given is None:
        return None
    kinds: dict[str, float] = {}
    for part in given.split(","):
        name, _, weight = part.strip().partition("=")
        try:
            kinds[name] = float(weight or 1)
        except ValueError:
            raise UsageError(f"--kinds {part.strip()}: {weight!r} is no weight") from None
        if not name:
            raise UsageError(f"--kinds {given}: a kind has no name; write comma=3,period=1")
    return kinds


def _errors(args: argparse.Namespace) -> Corpus:
    source = one_each(read_only(args.ref, args))
    pairs = simulate.errors(
        source, args.model, args.p, copies=args.copies, spread=args.spread,
        distance=args.distance, seed=args.seed,
    )  # fmt: skip
    return _hypotheses(source, pairs, args.copies)


def _typed(args: argparse.Namespace) -> Corpus:
    source = one_each(read_only(args.ref, args))
    pairs = simulate.typed(
        source, substitute=args.substitute, move=args.move, delete=args.delete,
        insert=args.insert, distance=args.distance, copies=args.copies, seed=args.seed,
    )  # fmt: skip
    return _hypotheses(source, pairs, args.copies)


def _hypotheses(source: Corpus, pairs: Pairs, copies: int) -> Corpus:
    coders = tuple(str(i) for i in range(1, copies + 1))
    return made_corpus(pairs.hyp, pairs.units, pairs.vocabulary, coders, source.text_names)


def _coders(args: argparse.Namespace) -> Corpus:
    if args.like is not None:
        if args.rate is not None or args.cuts is not None:
            raise UsageError("a FILE keeps its own numbers of cuts: leave --rate and --cuts out")
        return simulate.shuffled_corpus(read_only(args.like, args), seed=args.seed)
    rate = _one_or_each(args.rate)
    if args.cuts is None and rate is None:
        rate = 0.1
    made = simulate.coders(
        args.texts, units=args.length, coders=args.coders, rate=rate,
        cuts=_one_or_each(args.cuts), seed=args.seed,
    )  # fmt: skip
    return made


def _one_or_each(values: Sequence[Any] | None) -> Any:
    return values[0] if values is not None and len(values) == 1 else values


def _write_stream(args: argparse.Namespace) -> int:
    rates = ("vary", "substitute", "insert", "delete", "reorder", "repeat")
    made = simulate.streams(
        args.documents, segments=args.segments, sizes=args.sizes, words=args.words,
        references=args.references, distance=args.distance, phrase=args.phrase, seed=args.seed,
        **{name: getattr(args, name) for name in rates},
    )  # fmt: skip
    for ending, lines in _files(made).items():
        try:
            Path(f"{args.output}.{ending}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"{args.output}.{ending} cannot be written: {error.strerror}"
            ) from None
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
