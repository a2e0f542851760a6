"""What a person reads: no forbidden phrases, and no sentence of more than 25 words.

The strings are collected from the declarations (metrics, formats, options, findings), from the
syntax trees of the package (messages, notes), from public docstrings and from the pages.
"""

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import fencepost as fp
import fencepost.compat.nltk
import fencepost.compat.segeval
from fencepost import compat
from fencepost.cli import COMMANDS, PARTS
from fencepost.cli.formats import about
from fencepost.cli.options import filled
from fencepost.formats import FORMATS
from fencepost.options import OPTIONS, SIGNATURE_FIELDS
from fencepost.study.findings import FINDINGS

ROOT = Path(__file__).parent.parent
SOURCES = Path(inspect.getfile(fp)).parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts),
]
MAX_WORDS = 25

# What is not said, and what is said instead.
FORBIDDEN = {
    r"\bleav\w+ ([\w-]+ ){0,4}(away|out)\b|\bleft (away|out)\b": "ignore, skip, remove",
    r"\ba (row|line|column) an? \w+": "one row per token",
    r"\b(an?|one|several) (unit|text|segmentation|boundary|speaker)s? an? (unit|text|line)\b"
    r"|\bdeleting it\s+an? \w+": "per",
    r"\bplaces?\b(?! on)": "position, potential boundary",
    r"\b(that|those) of\b": "the noun again",
    r"\bsays nothing\b|\bnot none\b|\bnot un\w+": "the same without the negation",
    r"\bcuts?\b": "boundary, segment",
    r"\bitems?\b": "text",
    r"\bjudges\b|\b(a|the|one|each|every) judge\b": "annotator",
    r"\bfalse alarms?\b": "extra boundary",
    r"\bkinds?\b": "boundary type",
    r"\bstreams?\b": "speaker",
    r"\bsegmenters?\b": "system",
    r"\b(stretch|atom|hangs? on|goes by|is said)\b": "a plain word",
}

# What these words are in: names of the API and of options, and what other tools and papers say.
NAMES = re.compile(
    r"--levels kinds|\b(kinds|cuts|items|places)=|kinds \((\w+ )?boundary type"
    r"|\bkinds \((levels|labels|every level)|\(cuts\)|\(kinds\)|: cuts\)"
    r'|"cuts"|"items"|\'items\'|kind_names|and cuts \(and stream, coder, kinds, weights|--item NAME'
    r"|\bcuts (must be whole|cannot be X)|X units, X cuts|\bkinds (are small|must be|and weights)"
    r"|one kind for each|a kind of row"
    r"|needs a kind|as many kinds|the kind of the boundary after|named kinds"
    r"|(no|an) item\b|cut (short|off)|both kinds|place the boundaries|in Python: kinds"
    r"|sections cut"
    r"|\b(word|standard|Arrow) streams?|\bstreams? of words|[Gg]ives? (references and )?streams"
    r"|references and streams|simulate[. ]streams?|typed\|stream|\(stream\)|streams: the words"
)
# Notes on printed numbers have the words of their papers, and the drop-in has segeval's.
ELSEWHERE = ("study/papers/", "compat/segeval/")


def prose(page: str) -> str:
    """Return the text of a page without code, formulas, targets of links and signs of Markdown."""
    text = re.sub(r"^```.*?^```$", "\n", page, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->|\$\$.*?\$\$", "", text, flags=re.S)
    text = re.sub(r"``[^`]*(?:`[^`]+)*``|`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"(?m)^(    .*|\(.*\)=)$", "", text)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and list items of a text."""
    return re.split(r"\n\s*\n|\n(?=\s*(?:[*+-]|\d+\.) )", text)


def pages() -> Iterator[tuple[str, str]]:
    """Yield each paragraph, list item and table cell of the pages, with its page."""
    for path in PAGES:
        for block in paragraphs(prose(path.read_text("utf-8"))):
            for cell in block.split("|") if block.lstrip().startswith("|") else [block]:
                yield str(path.relative_to(ROOT)), " ".join(cell.split())


# A doctest, or a formula, in a docstring.
EXAMPLE = re.compile(r"(?m)^ *(>>>|\.\.\.) .*\n(.+\n?)*|^ *\.\. math::.*\n(?: {4,}.*\n)*")


def declared() -> Iterator[tuple[str, str]]:
    """Yield what is declared for people: metrics, formats, options, commands and findings."""
    for metric in fp.METRICS.values():
        yield f"metric {metric.name}", prose(EXAMPLE.sub("", metric.doc))
        for name, param in metric.params.items():
            yield f"metric {metric.name}, {name}", prose(f"{param.help} ({param.accepts()})")
    for format in FORMATS.values():
        yield f"format {format.name}", prose(f"{format.help}.\n\n{about(format)}")
    for option in OPTIONS:
        yield f"option {option.flag}", prose(filled(option.help))
    for field, meanings in SIGNATURE_FIELDS.items():
        for value, meaning in meanings.items():
            yield f"field {field}:{value}", meaning
    for command, what in {**COMMANDS, **PARTS}.items():
        yield f"command {command}", what
    for one in FINDINGS:
        yield f"finding {one.name}", prose("\n\n".join([one.about, one.claim, one.right]))


def messages() -> Iterator[tuple[str, str]]:
    """Yield the strings in the code that have several words, which are messages, without docs."""
    for path in sorted(SOURCES.rglob("*.py")):
        where = path.relative_to(SOURCES).as_posix()
        if where.startswith(ELSEWHERE):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        skipped = {
            id(part)
            for node in ast.walk(tree)
            if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            or isinstance(node, ast.Assert)
            for part in ast.walk(node)
        }
        inner = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
        for node in ast.walk(tree):
            if id(node) in skipped or id(node) in inner:
                continue
            if isinstance(node, ast.JoinedStr):
                parts = [v.value if isinstance(v, ast.Constant) else "X" for v in node.values]
                text = "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            else:
                continue
            if len(text.split()) > 2 and ">>> " not in text and not text.startswith(("{", "[")):
                yield f"{where}:{node.lineno}", text


def written_on(thing: Any) -> Iterator[tuple[str, str]]:
    """Yield the docstrings of a function or a class, and of the public members of a class."""
    yield "", inspect.getdoc(thing) or ""
    if not inspect.isclass(thing):
        return
    for name, member in vars(thing).items():
        if not name.startswith("_") and hasattr(member, "__doc__") and not inspect.isclass(member):
            own = member.func if isinstance(member, cached_property) else member
            if inspect.isroutine(own) or isinstance(own, property | classmethod | staticmethod):
                yield f".{name}", inspect.getdoc(own) or ""
    body = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0].body
    for field, doc in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr):
            yield f".{ast.unparse(field.target)}", inspect.cleandoc(doc.value.value)


def public() -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes of the reference on Python, of rooms and of drop-ins too."""
    for name in fp.__all__:
        thing = getattr(fp, name)
        if callable(thing):
            yield f"fencepost.{name}", thing
    for room in (fp.simulate, fp.plot, compat.nltk, compat.segeval):
        yield room.__name__, room
        for name, thing in vars(room).items():
            own = getattr(thing, "__module__", None) or ""
            if callable(thing) and not name.startswith("_") and own.startswith(room.__name__):
                yield f"{room.__name__}.{name}", thing


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of public docstrings, without formulas, examples and code."""
    for name, thing in public():
        for member, doc in written_on(thing):
            for block in paragraphs(prose(EXAMPLE.sub("", doc))):
                yield f"{name}{member}", block


# In scripts a string or a template, in templates also the text between two tags.
STRINGS = r'"([^"\n]*)"|`([^`]*)`'
DRAWN = {".js": re.compile(STRINGS), ".html": re.compile(STRINGS + "|>([^<>]+)<")}
UNREAD = re.compile(r'//.*$|\$?\{[^{}\n]*\}|class="[^"]*"', re.M)


def drawn() -> Iterator[tuple[str, str]]:
    """Yield the words of HTML pages: strings of two words or more in their templates and script."""
    for path in sorted(SOURCES.rglob("report/html/*")):
        if path.suffix not in DRAWN:
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            for match in DRAWN[path.suffix].finditer(UNREAD.sub("X", line)):
                text = next(filter(None, match.groups()), "")
                if re.search(r"[A-Za-z]{2,}\s+[A-Za-z]{2,}", text):
                    yield f"{path.name}:{number}", text


TEXTS = {
    one.__name__: [(where, text) for where, text in one() if text.strip()]
    for one in (declared, messages, docstrings, pages, drawn)
}


@pytest.mark.parametrize("source", TEXTS)
def test_forbidden_phrases_are_not_used(source):
    assert len(TEXTS[source]) >= 50
    found = [
        f"{where}: {match[0]!r}, better {better}: {text[max(0, match.start() - 40) :][:90]!r}"
        for where, whole in TEXTS[source]
        for text in [NAMES.sub("NAME", whole)]
        for phrase, better in FORBIDDEN.items()
        for match in [re.search(phrase, text, re.IGNORECASE)]
        if match
    ]
    assert found == []


# Sentences. What follows a colon or a semicolon, and what is in brackets, is counted by itself, and
# a list of names as one word.


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, and the parts of those that colons and semicolons divide."""
    for inner in re.findall(r"\(([^()]*)\)", text):
        yield from sentences(inner)
    plain = re.sub(r"\([^()]*\)", "", text)
    short = re.sub(r"\b(al|e\.g|i\.e|etc|cf|pp|vs)\.", r"\1", plain)
    names = re.sub(r"(?:[\w.-]+, ){3,}[\w.-]+", "NAMES", short)
    yield from re.split(r"[.!?][*\"]*\s+|[:;]\s|\n\s*\n", names)


def words(sentence: str) -> int:
    """Return how many words a sentence has; signs alone are no words."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def prose_of_pages() -> Iterator[tuple[str, str]]:
    yield from pages()
    yield from docstrings()
    for option in OPTIONS:
        yield f"option {option.flag}", prose(filled(option.help))
    for command, what in {**COMMANDS, **PARTS}.items():
        yield f"command {command}", what
    for one in FINDINGS:
        yield f"finding {one.name}", one.claim


def test_sentences_are_counted_as_people_would():
    text = "One (two three) four: five; six. Seven e.g. eight, 9 - ten."
    assert list(map(words, sentences(text))) == [2, 2, 1, 1, 5]


def test_no_sentence_has_more_than_25_words():
    found = [
        f"{where}, {words(one)} words: {one[:70]}"
        for where, text in prose_of_pages()
        for one in sentences(text)
        if words(one) > MAX_WORDS
    ]
    assert found == []
