"""Every option is declared once, under one name in Python and on the command line."""

from collections import Counter

from fencepost.metrics.signature import NAMES, READING
from fencepost.options import OPTIONS, SIGNATURE_FIELDS


def test_a_command_takes_every_option_once():
    flags = Counter((command, one.flag) for one in OPTIONS for command in one.commands)
    assert [pair for pair, times in flags.items() if times > 1] == []


def test_fields_of_signatures_come_from_the_declarations():
    assert set(SIGNATURE_FIELDS) == NAMES | READING
