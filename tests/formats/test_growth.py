"""Readers take time that grows with a file, not with its square: what was found, at sizes for which
a slip back would not end within a test run."""

import contextlib

import pytest

from fencepost import FencepostError
from fencepost.formats import FORMATS, find_format, read, read_bytes, read_text
from fencepost.formats.options import Reading
from growing import GROWING

MILLION = 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("growing", GROWING, ids=str)
def test_names_columns_and_depth_cost_as_much_each_as_the_first(growing):
    """A quadratic reader took up to a minute for 256 kB; none needs two seconds."""
    exponent, seconds = growing.exponent(96 * 1024)
    assert exponent < 1.6 or growing.exponent(512 * 1024)[0] < 1.6, (exponent, seconds)
    assert seconds < 5


def test_every_format_grows_by_something():
    assert {one.format for one in GROWING} == set(FORMATS) - {"parquet"}


@pytest.mark.parametrize("line", ["@anna: hello there\r\n@bob: hi\r\n", "@Lang:\tx  \n"])
def test_headers_without_a_begin_are_no_chat(line):
    assert not FORMATS["chat"].looks_like(line * 10_000)
    assert FORMATS["chat"].looks_like(line * 10_000 + "@Begin\n")


@pytest.mark.parametrize("sign", ["\n", " ", "\t", "\r", "\u3000", "\n "])
def test_white_space_is_no_chunk(sign):
    assert not FORMATS["chunks"].looks_like(sign * MILLION)
    assert FORMATS["chunks"].looks_like(sign * MILLION + '[{"start": 0, "end": 5}]')


def test_a_million_blank_lines_before_and_behind_an_stm_line():
    text = "\n" * MILLION + "talk 1 anna 0 1 hello there\n" + "\n" * MILLION
    assert read_text(text, "x.stm")["talk"].units == 2


def test_comments_that_never_close_are_one_error():
    references = FORMATS["set"].references
    assert references is not None
    with pytest.raises(FencepostError, match="outside of <seg>"):
        references("<refset>" + "<!--" * MILLION, Reading("x.sgm"))


def test_tags_that_are_never_closed_are_not_searched_for_others():
    references = FORMATS["set"].references
    assert references is not None
    text = "<p>" * 100_000 + "</hl>" * 100_000 + '<doc docid="a"><seg id="1">b</seg></doc>'
    rows = references(f'<refset refid="r">{text}</refset>', Reading("x.sgm")).rows
    assert [row.text for row in rows] == ["b"]


def test_bars_above_blank_lines():
    with pytest.raises(FencepostError, match=r"line 1: \| may stand between segments"):
        read_text("a|b c\nd\n" + "\n" * MILLION, "x.txt")


@pytest.mark.parametrize("name", [n for n in FORMATS if "segmentations" in find_format(n).gives])
@pytest.mark.parametrize("text", ["", " ", "\n", "\n\n \n", "\0", "\ufeff", "\ud800"])
def test_next_to_nothing_is_one_sentence_or_a_text(name, text):
    said = ""
    try:
        assert read_bytes(text.encode("utf-8", "surrogatepass"), "x", name).text_names
    except FencepostError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize("sign", [" ", "\t", " \n", "\r"])
def test_a_million_blanks_before_a_plain_line(sign, tmp_path):
    for text in (sign * MILLION, sign * MILLION + "\n3 4\n", "\n3 4\n" + sign * MILLION):
        path = tmp_path / "x.txt"
        path.write_text(text, encoding="utf-8", newline="")
        with contextlib.suppress(FencepostError):
            assert read(path, "lines").text_names


@pytest.mark.parametrize("format", ["markdown", "html"])
@pytest.mark.parametrize(
    "piece",
    ["<!--", "<![", "<!a", "<?", "<a ", "<a b=", "<a b='", '<a b="', "</a ", "</", "<a b='>"],
)
def test_a_page_of_tags_that_are_never_closed(format, piece):
    """Each took time for all of the rest of the page; ``<![`` was an AssertionError."""
    page = b"<p>a</p>" + piece.encode() * (MILLION // 4)
    said = None
    try:
        units = read_bytes(page, "x", format)["x"].units
    except FencepostError as error:
        said, units = str(error), 0
    assert units >= 1 or (said.startswith("x") and "\n" not in said)


@pytest.mark.parametrize("rest", ["<!-- b <p>c", "<![ b", "<!doctype b", "<? b", "<b b", "</p b"])
def test_what_is_never_closed_hides_the_rest_of_a_page(rest):
    assert read_text(f"<h1>t</h1><p>a</p><p>b</p>{rest}", "x.html")["x"].units == 2


def test_a_comment_that_is_never_closed_is_text_in_markdown():
    assert read_text("# t\n\na\n\n<!-- b\n\nc\n\n# u\n\nd", "x.md")["x"].units == 4
    assert read_text("# t\n\na\n\n<!-- b\n\nc\n-->\n\n# u\n\nd", "x.md")["x"].units == 2
