"""Markdown and HTML: paragraphs are units, headings are boundaries, and their levels are types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from fencepost.formats.catalogue import endings_of
from fencepost.formats.options import Reading, split_lines
from fencepost.formats.registry import Format
from fencepost.formats.separated import Piece, corpus_of_headings
from fencepost.model.corpus import Corpus

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t].*)?$")
UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")  # makes the paragraph above it a heading
RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
INDENTED = re.compile(r"(?: {4}| {0,3}\t)\s*\S")  # code, where no paragraph is above it

OPENED = re.compile(r"<[/a-zA-Z]")

# Elements inside of a paragraph; any other element begins or ends one.
INLINE = frozenset(
    re.findall(
        r"\w+",
        "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd "
        "label mark math meter nobr output picture progress q ruby rb rp rt s samp select small "
        "source span strike strong sub sup svg time tt u var wbr",
    )
)
# Elements whose content no reader of the page sees as its text.
UNSEEN = frozenset({"head", "script", "style", "template", "noscript", "title", "textarea"})


def read_markdown(text: str, reading: Reading) -> Corpus:
    """One text: paragraphs are units, and the level of a heading is the type of its boundary.

    Headings are ``# Title`` to ``###### Title``, or a paragraph with ``===`` (level 1) or ``---``
    (level 2) below. Lines without an empty line between them are one paragraph, a block of code
    between fences too. Comments, rules (``***``) and a block of ``---`` lines at the top of the
    file (its data) are no units. Where several headings stand together the highest counts; what
    is before the first heading is a segment of its own. ``--levels 2`` reads levels 1 and 2 only
    and no types, ``--levels all`` reads all.
    """
    return corpus_of_headings(
        _markdown_pieces(text), "paragraph", reading, "Markdown: paragraphs, headings between them"
    )


def _markdown_pieces(text: str) -> Iterator[Piece]:
    """Give the paragraphs, and the levels of headings."""
    lines = split_lines(_without_comments(text))
    block: list[str] = []
    fence, is_code = "", False
    for line in lines[_length_of_data(lines) :]:
        bar = FENCE.match(line)
        if fence:
            block.append(line)
            if bar is not None and bar[1].startswith(fence) and not bar[2].strip():
                fence = ""
            continue
        opens = bar is not None and not ("`" in bar[1] and "`" in bar[2])
        is_indented = (is_code or not block) and INDENTED.match(line) is not None
        underline = None if is_code or not block else UNDERLINE.match(line)
        if underline is not None:
            block = []
            yield 1 if underline[1] else 2
            continue
        heading = None if is_indented else ATX.match(line)
        if opens or heading is not None or is_code != is_indented or _is_break(line):
            if block:
                yield _joined(block)
            block = []
        if heading is not None:
            yield len(heading[1])
        elif not _is_break(line) or opens or is_indented:
            block.append(line)
        fence = bar[1] if opens and bar is not None else ""
        is_code = bool(block) and (opens or is_indented)
    if block:
        yield _joined(block)


def _without_comments(text: str) -> str:
    """Leave the line ends of comments only. A comment that is never closed is text."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*parts, text[at:]])


def _is_break(line: str) -> bool:
    """Tell whether a line ends a paragraph and belongs to none: it is empty, or a rule."""
    return not line.strip() or RULE.match(line) is not None


def _length_of_data(lines: list[str]) -> int:
    """Return how many lines at the top are data of the file, between two lines ``---``."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "..."))
    return next(ends, -1) + 1


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def read_html(text: str, reading: Reading) -> Corpus:
    """One text: blocks of text are units, and the level of a heading is the type of its boundary.

    Headings are ``<h1>`` to ``<h6>``. A unit is the text of a paragraph, a list's entry, a table's
    cell or another element that is not part of a line (``<b>``, ``<a>`` and the like);
    scripts, styles and the head of the page are no text. Where several headings stand together the
    highest counts; what is before the first heading is a segment of its own. ``--levels 2`` reads
    levels 1 and 2 only and no types, ``--levels all`` reads all.
    """
    page = _Page()
    page.feed(_without_last_tag(text))
    page.close()
    page.end_block()
    return corpus_of_headings(
        iter(page.pieces), "paragraph", reading, "HTML: blocks of text, headings between them"
    )


def _without_last_tag(text: str) -> str:
    """Remove a tag that is never closed at the end of a page: it is no text, as in browsers."""
    end = text.rfind(">") + 1
    opened = OPENED.search(text, end)
    return text if opened is None else text[: opened.start()]


class _Page(HTMLParser):
    """Collects blocks of text, and the levels of headings."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[Piece] = []
        self._words: list[str] = []
        self._unseen: list[str] = []  # open elements that have no text to be seen
        self._heading = ""  # the element of the heading that is open

    # What is never closed hides the rest of the page, as in browsers. HTMLParser would take it for
    # text and search the rest for its end again and again, or raise an AssertionError.

    def parse_comment(self, i: int, report: bool = True) -> int:
        """Return the end of a comment."""
        end = super().parse_comment(i, report)
        return end if end >= 0 else len(self.rawdata)

    def parse_html_declaration(self, i: int) -> int:
        """Return the end of ``<!...>``."""
        try:
            end = super().parse_html_declaration(i)
        except AssertionError:  # <![ and no name
            end = self.parse_bogus_comment(i)
        return end if end >= 0 else len(self.rawdata)

    def parse_pi(self, i: int) -> int:
        """Return the end of ``<?...>``."""
        end = super().parse_pi(i)
        return end if end >= 0 else len(self.rawdata)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a block."""
        if tag in UNSEEN:
            self._unseen.append(tag)
        elif tag == "body":
            self._unseen = []  # the end of the head need not be written
        if tag == "br":
            self._words.append(" ")
        if tag in INLINE:
            return
        self.end_block()
        if re.fullmatch("h[1-6]", tag):
            self._heading = tag
            self.pieces.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        """End a block."""
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
        if tag not in INLINE:
            self.end_block()
        if tag == self._heading:
            self._heading = ""

    def handle_data(self, data: str) -> None:
        """Add words to the block."""
        if not self._unseen:
            self._words.append(data)

    def end_block(self) -> None:
        """Give the block that ends here, unless it is empty or the title of a heading."""
        block = " ".join("".join(self._words).split())
        if block and not self._heading:
            self.pieces.append(block)
        self._words = []


_TAKES = ("levels", "ignore_tokens")

MARKDOWN = Format(
    "markdown",
    endings_of("markdown"),
    "Markdown: paragraphs are units, headings `## Title` boundaries, and their levels are boundary "
    "types",
    "# Cats\n\nCats sleep.\n\n## Food\n\nThey eat.\n\nThey drink.\n\n# Dogs\n\nDogs bark.",
    read_markdown,
    takes=_TAKES,
)
HTML = Format(
    "html",
    endings_of("html"),
    "HTML: blocks of text are units, headings `<h1>` to `<h6>` boundaries, and their levels are "
    "boundary types",
    "<h1>Cats</h1><p>Cats sleep.</p><h2>Food</h2><p>They eat.</p><h1>Dogs</h1><p>Dogs bark.</p>",
    read_html,
    takes=_TAKES,
)
