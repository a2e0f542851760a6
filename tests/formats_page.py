"""Write the reference part of docs/formats.md from the registry: python tests/formats_page.py."""

from pathlib import Path

from fencepost.cli.formats import markdown
from fencepost.formats import FORMATS

PAGE = Path(__file__).parent.parent / "docs" / "formats.md"
MARK = "<!-- made by fencepost formats --markdown, checked by the tests -->\n\n"


def page() -> str:
    """Return the page as it stands, with its reference part made anew."""
    head, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return head + mark + markdown(FORMATS.values()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
