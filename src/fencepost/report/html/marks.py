"""Short marks for kinds of boundaries: no two alike, and a shape beside each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import commonprefix

MAX_LETTERS_IN_FULL = 4  # of a name that is its own mark
MAX_LETTERS_OF_MARK = 3  # of a mark that is the beginning of a name

# Eight shapes within a square of ten, centred: none of them is that of an edit (open diamond,
# plus, square). With more kinds than shapes, colours go on in another order.
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",  # circle
    "M0 -4.5L4.5 3.5H-4.5z",  # triangle
    "M0 4.5L4.5 -3.5H-4.5z",  # triangle upside down
    "M-4.5 -2H4.5V2H-4.5z",  # bar
    "M-4 -4H4L-4 4H4z",  # hourglass
    "M-4 3A4 4 0 0 1 4 3z",  # half moon
    "M-4 -4L0 -1L4 -4V4H-4z",  # crown
    "M0 -5L1.4 -1.6L5 -1.2L2.2 1.1L3 4.6L0 2.7L-3 4.6L-2.2 1.1L-5 -1.2L-1.4 -1.6z",  # star
)
# None is the colour of an edit. For drawings without a style sheet; pages have a light and a dark
# set (--k0 to --k7).
COLOURS = (
    "#0072b2", "#5b3fa0", "#7a7200", "#003f5c", "#0b86a0", "#5c3a2e", "#111827", "#8e6fd0"
)  # fmt: skip


def colour_of(number: int) -> int:
    """Return the number of its colour."""
    return (number + number // len(SHAPES)) % len(COLOURS)


def short_marks(names: Sequence[str]) -> list[str]:
    """Return a mark per name: a short name itself, else as little as tells it apart.

    >>> short_marks(["L-L%", "L-H%", "intermediate", "intonational", "minor", "major"])
    ['L-L%', 'L-H%', 'ie', 'io', 'mi', 'ma']
    """
    taken = {name for name in names if len(name) <= MAX_LETTERS_IN_FULL}
    marks = []
    for number, name in enumerate(names):
        others = [other for other in names if other != name]
        if len(name) <= MAX_LETTERS_IN_FULL:
            marks.append(name)
            continue
        mark = next(one for one in _marks(name, others, number) if one not in taken)
        taken.add(mark)
        marks.append(mark)
    return marks


def _marks(name: str, others: Sequence[str], number: int) -> Iterator[str]:
    """Yield possible marks, best first: a beginning, two signs that tell it apart, a number."""
    for size in range(1, MAX_LETTERS_OF_MARK + 1):
        if not any(other.startswith(name[:size]) for other in others):
            yield name[:size]
    common = [commonprefix([name, other]) for other in others]  # noqa: RUF071 - these are no paths
    shared = max(map(len, common), default=0)
    if shared < len(name):
        yield name[0] + name[shared]
    for count in range(len(others) + 2):
        yield f"{name[0]}{number + 1 + count}"
