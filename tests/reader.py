"""What tests read back from an HTML page."""

from html.parser import HTMLParser
from importlib.resources import files
from typing import ClassVar

import fencepost as fp
import support
from fencepost.coders.results import Results
from fencepost.metrics.registry import parse
from fencepost.report.html.coders import agreement_page

DATA = str(files("fencepost") / "data")


class Reader(HTMLParser):
    """Tags, attributes and the text between tags."""

    VOID: ClassVar = {"meta", "input", "link", "br", "path", "rect", "use"}

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.texts, self.wrong = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


def run(*words, cwd=DATA):
    return support.run(*words, cwd=cwd)


NAMES = ("minor", "major")


def typed(units, **cuts):
    """A text by several coders, as {place: kind}."""
    kinds = {name: [NAMES.index(kind) + 1 for kind in own.values()] for name, own in cuts.items()}
    return {
        name: fp.Segmentation(units, list(own), kinds[name], NAMES) for name, own in cuts.items()
    }


def agreement_of(given, metric="B", **more):
    """The page of a small agreement."""
    return agreement_page(results_of(fp.Corpus.from_dict(given), metric), **more)


def results_of(corpus, metric="B", draws=4):
    """The agreement on a corpus by a few draws, without intervals."""
    return Results(corpus, [parse(metric)], {}, {"draws": draws, "intervals": False})


def static(html):
    """The reader of a piece without script, style sheet or anything from outside."""
    reader = Reader(html)
    assert reader.wrong == [] and reader.open == []
    for tag, attrs in reader.tags:
        assert tag not in {"script", "style", "link", "img"}
        assert not [name for name in attrs if name.startswith("on") or name == "src"]
    return reader
