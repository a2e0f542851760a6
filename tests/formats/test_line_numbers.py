"""Refusals of JSON files name the line, and only refusals pay for it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost.formats import FormatError, read_text
from fencepost.formats.line_numbers import LineNumbers, with_lines
from fencepost.model.checks import is_number, is_whole

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**20) | st.text('a"\\\n[{,:}]é', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('a"\\ é', max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


def lines_of(data, line, found, path=()):
    """Writes JSON with a value or a key on each line, and notes the line of every path."""
    found[path] = line
    if not data or not isinstance(data, (dict, list)):
        return [json.dumps(data)]
    signs = "{}" if isinstance(data, dict) else "[]"
    written = [signs[0]]
    members = data.items() if isinstance(data, dict) else enumerate(data)
    for number, (key, value) in enumerate(members):
        start = line + len(written)
        own = lines_of(value, start, found, (*path, key))
        if isinstance(data, dict):
            own[0] = f"{json.dumps(key)} : {own[0]}"
        own[-1] += "," if number < len(data) - 1 else ""
        written += own
    return [*written, signs[1]]


@pytest.mark.slow
@given(values, st.sampled_from(["\n", "\r\n", "\r", "\n\t "]))
def test_every_value_of_a_file_has_its_line(data, end):
    found = {}
    text = end.join(lines_of(data, 1, found))
    assert json.loads(text) == data
    lines = LineNumbers("x.json", text)
    for path, line in found.items():
        assert lines.at(*path, said="it") == f"x.json, line {line}, it"
    assert LineNumbers("x.json").at(*max(found, key=len)) == "x.json"


def test_a_place_that_is_not_there_is_where_it_should_be():
    lines = LineNumbers("x.json", '\n{"a":\n [1,\n {"b": 2}]}')
    assert lines.at() == "x.json, line 2"
    assert lines.at("a", 1, "c") == "x.json, line 4"
    assert lines.at("b", 1) == "x.json, line 2"
    assert lines.at("a", 7) == "x.json, line 2"


def test_lines_are_looked_up_only_when_something_is_refused():
    asked = []

    def read(lines):
        asked.append(lines.at(1))
        if len(asked) == 3:
            raise FormatError(f"{lines.at(1)}: wrong")
        return len(asked)

    assert with_lines(read, "[1,\n2]", "x.json") == 1
    assert with_lines(read, "[1,\n2]", "x.json") == 2
    assert asked == ["x.json", "x.json"]
    assert with_lines(read, "[1,\n2]", "x.json") == 4
    assert asked[2:] == ["x.json", "x.json, line 2"]


SEGEVAL = '{"items": {\n"d1": {"an1": [5, 5],\n"an2": [4, "x"]}}}'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", '{\n"a":[5,5],\n"b":[5,"x"]\n}', "x.json, line 3, b: "),
        ("x.json", '{\n"a":{"an1":[5]},\n"b":{\n"an1": [5,\n"x"]}}', "x.json, line 4, b, an1: "),
        ("x.json", '{\n"a":[5,5],\n"b":{}}', "x.json, line 3, b: no coder"),
        ("x.json", '{\n"a":[5,5],\n" ":[3]}', 'x.json, line 3: "" is no name'),
        ("x.json", '{"a":{"b": [3],\n"c": 1,\n"b": [4]}}', 'line 3: "b" is given twice'),
        ("x.json", '{"a":\n[3],\n"b": [4,\n]}', "x.json, line 4: not JSON"),
        ("x.json", f'{{"a":\n["{"9" * 5000}",\n{"9" * 5000}]}}', "line 3: a number of 5000 digits"),
        ("x.json", '{"a":\n' + "[" * 99999, "x.json, line 2: not JSON that can be read: nested"),
        ("x.json", '\n"a"', "x.json, line 2: expected"),
        ("x.json", '[{"id": "a", "ref": [5]},\n\n{"id": "b"}]', 'line 3, record 2: no field "ref"'),
        ("x.json", '[{"id": "a", "ref": [5]},\n7]', "x.json, line 2, record 2: expected an object"),
        ("x.json", '[{"id": "a", "ref": [5]},\n{"id": "a", "ref": [5]}]', "line 2, .* given twice"),
        ("x.json", '{"a": {"an1": [5]},\n"b": [5]}', "line 2, b: no coder is named here, but in"),
        ("x.json", SEGEVAL, "x.json, line 3, d1, an2: "),
        ("x.json", '{"items": 3,\n"segmentation_type": "linear"}', "x.json, line 1"),
        ("x.sents", '["It rained.",\n"We left.",\n5]', "x.sents, line 3, sentence 3: "),
        ("x.sents", '{"d1": ["It rained."],\n"d2": []}', "x.sents, line 2, d2: expected a list"),
    ],
)
def test_refusals_name_the_line(name, text, said):
    with pytest.raises(FormatError, match=said):
        read_text(text, name)


def test_numbers_are_finite_and_no_truth_values():
    good = [0, -1, 1.5, 10**30, 1e299]
    odd = [True, False, math.nan, math.inf, -math.inf, 10**400, -(10**400), "5", None, [1], {}]
    assert all(map(is_number, good)) and not any(map(is_number, odd))
    assert [is_whole(one) for one in (3, 10**400, True, 3.0, "3")] == [True, True, *[False] * 3]
