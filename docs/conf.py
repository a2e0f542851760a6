"""The documentation site: python -m sphinx -W docs docs/_build/html (make docs)."""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.lexers.special import TextLexer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference_pages

import fencepost

project = "fencepost"
author = "The fencepost authors"
version = release = fencepost.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 80
# Nothing is loaded from elsewhere: fonts are the system's, formulas are MathML.
html_theme = "furo"
html_title = "fencepost"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
templates_path: list[str] = []


# Words in formulas (TP, info) are upright; commands, subscripts, text and environments stay.
WORD = re.compile(r"(?<![\\a-zA-Z])(?<!_\{)(?<!text\{)(?<!begin\{)(?<!end\{)([a-zA-Z]{2,})")

# docutils puts the subscript of a letter with an accent below it; a thin space keeps it beside it.
ACCENT = re.compile(r"\\(tilde|bar|hat) (\w)(?=_)")


def mathml(formula: str, block: bool) -> str:
    """Return a formula as MathML."""
    formula = ACCENT.sub(r"{\\\1 \2\\,}", WORD.sub(r"\\mathrm{\1}", formula))
    return str(tex2mathml(formula, as_block=block))


def inline_math(self: Any, node: nodes.Node) -> None:
    """Write a formula inside a sentence."""
    self.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def block_math(self: Any, node: nodes.Node) -> None:
    """Write a formula of its own."""
    self.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def collect_links(app: Any, tree: nodes.document, page: str) -> None:
    """Remember links to other sites; FILE:ROLE=NAME and {speaker}@{coder} only look like links."""
    for node in list(tree.findall(nodes.reference)):
        target = node.get("refuri", "")
        if target.startswith(("http:", "https:")):
            app.external_links.setdefault(target, set()).add(page)
        elif target.lower().startswith(("file:", "mailto:")):
            node.replace_self(nodes.Text(node.astext()))


def write_links(app: Any, error: Exception | None) -> None:
    """List links to other sites in external-links.txt: a build fetches nothing to check them."""
    if error is None and app.builder.format == "html":
        lines = [
            f"{to}  {', '.join(sorted(on))}\n" for to, on in sorted(app.external_links.items())
        ]
        (Path(app.outdir) / "external-links.txt").write_text("".join(lines), encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Write the reference from the registries, then build."""
    app.external_links = {}
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    app.add_lexer("csv", TextLexer)
    app.connect("builder-inited", lambda app: reference_pages.write(Path(app.srcdir) / "reference"))
    app.connect("doctree-resolved", collect_links)
    app.connect("build-finished", write_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
