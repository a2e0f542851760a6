"""Every option is declared once, under one name in Python and on the command line."""

from collections import Counter

import pytest

import fencepost as fp
from fencepost import options
from fencepost.cli.options import make_parser, parse_arguments
from fencepost.formats.options import Reading
from fencepost.metrics.signature import NAMES, READING
from fencepost.options import OPTIONS, SIGNATURE_FIELDS, Option


def test_a_command_takes_every_option_once():
    flags = Counter((command, one.flag) for one in OPTIONS for command in one.commands)
    assert [pair for pair, times in flags.items() if times > 1] == []


def test_fields_of_signatures_come_from_the_declarations():
    assert set(SIGNATURE_FIELDS) == NAMES | READING


@pytest.fixture
def shift(monkeypatch):
    """The first of the two places of CONTRIBUTING: a declaration."""
    new = Option("shift_by", "move every boundary by so many units", ("convert",), ("read",),
                 type=int, default=0, low=0, high=3)  # fmt: skip
    monkeypatch.setattr(options, "OPTIONS", (*OPTIONS, new))


@pytest.mark.usefixtures("shift")
def test_a_new_option_is_in_the_help_and_is_parsed_and_checked(capsys):
    assert "--shift-by" in make_parser("convert", "").format_help()
    words = ["a.json", "b.json"]
    assert parse_arguments("convert", "", words).shift_by == 0
    assert parse_arguments("convert", "", [*words, "--shift-by", "2"]).shift_by == 2
    with pytest.raises(SystemExit):
        parse_arguments("convert", "", [*words, "--shift-by", "7"])
    assert "shift_by must be a whole number from 0 to 3, found 7" in capsys.readouterr().err


@pytest.mark.usefixtures("shift")
def test_a_new_option_reaches_the_reader_that_uses_it(tmp_path):
    # The second place: its use. A reader finds it under its name, from Python and commands alike.
    args = parse_arguments("convert", "", ["a.json", "b.json", "--shift-by", "2"])
    assert args.of("read")["shift_by"] == 2
    assert Reading("x.json", shift_by=2).shift_by == 2
    (tmp_path / "x.json").write_text('{"a": [3, 4]}')
    with pytest.raises(fp.FencepostError, match="shift_by must be a whole number"):
        fp.read(tmp_path / "x.json", shift_by=9)


def test_arguments_do_not_change_after_parsing():
    args = parse_arguments("convert", "", ["a.json", "b.json"])
    with pytest.raises(AttributeError, match="do not change after parsing"):
        args.form = "json"
    assert args.replace(flags="last").flags == "last" and args.flags is None


def test_an_option_of_a_function_has_its_name_on_the_command_line():
    # --from cannot be called by its name in Python, where it is a keyword.
    renamed = {one.name: one.given for one in OPTIONS if one.functions and one.given}
    assert renamed == {"format": "--from"}
