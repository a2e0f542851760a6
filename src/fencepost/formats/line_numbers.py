"""Where things stand in a JSON file; lines are looked up only when something is wrong."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from fencepost.model.checks import FencepostError

Step = str | int  # the key of an object, or the number of an element of a list
Read = TypeVar("Read")

_SPACE = re.compile(r"[ \t\n\r]*")
_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|-?\d+', re.DOTALL)


def with_lines(read: Callable[[LineNumbers], Read], text: str, name: str) -> Read:
    """Return what ``read`` makes; if it refuses, ask it again with the file's line numbers.

    Files without a fault, nearly all of them, never pay for the numbers of their lines.
    """
    try:
        return read(LineNumbers(name))
    except FencepostError:
        return read(LineNumbers(name, text))


class LineNumbers:
    """How messages name the values of a JSON file: the file, the line, and what a person calls it.

    >>> lines = LineNumbers("x.json", '{"a": [5, 5],\\n "b": [5]}')
    >>> lines.at("b", said="b")
    'x.json, line 2, b'
    >>> LineNumbers("x.json").at("b", said="b")
    'x.json, b'
    """

    def __init__(self, name: str, text: str | None = None) -> None:
        self._name = name
        self._text = text
        self._known: dict[int, dict[Step, tuple[int, int]]] = {}

    def at(self, *path: Step, said: str = "") -> str:
        """The value under these keys; ``said`` is its name for a person."""
        where = self._name
        if self._text is not None:
            where += f", line {self._line(self._find(path))}"
        return f"{where}, {said}" if said else where

    def _find(self, path: tuple[Step, ...]) -> int:
        """Where a member begins; where there is none, what should have held it."""
        begin = value = self._skip(0)
        for step in path:
            if value not in self._known:
                self._known[value] = {key: (a, b) for key, a, b in self.members(value)}
            found = self._known[value].get(step)
            if found is None:
                break
            begin, value = found
        return begin

    def members(self, start: int) -> list[tuple[Step, int, int]]:
        """Of an object or a list: keys, and where each member and its value begin."""
        text = self._text or ""
        decode = json.JSONDecoder(parse_int=str).raw_decode
        named = text[start : start + 1] == "{"
        found: list[tuple[Step, int, int]] = []
        if text[start : start + 1] not in ("{", "["):
            return found
        place = self._skip(start + 1)
        try:
            while text[place] not in "]}":
                begin, key = place, len(found)
                if named:
                    key, place = decode(text, place)
                    place = self._skip(self._skip(place) + 1)  # over the colon
                found.append((key, begin, place))
                place = self._skip(decode(text, place)[1])
                if text[place] == ",":
                    place = self._skip(place + 1)
        except (ValueError, IndexError, RecursionError):
            pass  # what comes behind is no JSON: this much is known
        return found

    def _skip(self, place: int) -> int:
        found = _SPACE.match(self._text or "", place)
        return found.end() if found else place

    @cached_property
    def _ends(self) -> list[int]:
        return [match.end() for match in re.finditer(r"\r\n|\n|\r", self._text or "")]

    def _line(self, place: int) -> int:
        return bisect_right(self._ends, place) + 1

    def line_of_second(self, name: str) -> int:
        """The line on which an object has this key again."""
        waiting = [self._skip(0)]
        while waiting:
            members = self.members(waiting.pop())
            begins = [begin for key, begin, _ in members if key == name]
            if len(begins) > 1:
                return self._line(begins[1])
            waiting += [value for *_, value in reversed(members)]
        return 1

    def line_of_depth(self) -> int:
        """The line on which the innermost list or object opens."""
        depth = deepest = place = 0
        for match in _SIGNS.finditer(self._text or ""):
            sign = match.group()
            depth += (sign in "[{") - (sign in "]}")
            if depth > deepest:
                deepest, place = depth, match.start()
        return self._line(place)

    def line_of_digits(self, least: int) -> int:
        """The line of the first number with so many digits."""
        found = (m for m in _SIGNS.finditer(self._text or "") if m.group()[0] not in '"[{]}')
        return next((self._line(m.start()) for m in found if len(m.group()) >= least), 1)
