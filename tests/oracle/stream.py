"""Re-segmentation (Matusov et al. 2005) as a table of all cells, and by trying every boundary."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement

Words = Sequence[int]
Segments = Sequence[Sequence[Words]]  # by segment, by reference
Costs = tuple[int, int, int]  # substitution, insertion, deletion
Sum = tuple[int, int, int]  # cost, substitutions between a word and a mark, minus breaks
INFINITE = 10**15


@dataclass(frozen=True)
class Found:
    """Where each segment ends, which reference it was compared with, and the edits."""

    ends: list[int]
    chosen: list[int]
    counts: list[tuple[int, int, int]]  # substitutions, insertions, deletions
    steps: list[list[tuple[str, int, int]]] = field(default_factory=list)


def edit_distance(hyp: Words, ref: Words, costs: Costs = (1, 1, 1)) -> int:
    """The textbook."""
    substitution, insertion, deletion = costs
    row = [i * insertion for i in range(len(hyp) + 1)]
    for word in ref:
        before, row = row, [row[0] + deletion]
        for i, own in enumerate(hyp, 1):
            slanted = before[i - 1] + (0 if own == word else substitution)
            row.append(min(before[i] + deletion, row[i - 1] + insertion, slanted))
    return row[-1]


def columns(hyp: Words, segments: Segments) -> list[list[int]]:
    """By number of segments, then of words: the least cost of the first ones, at unit costs."""
    found = [list(range(len(hyp) + 1))]
    for references in segments:
        ends = []
        for ref in references:
            row = found[-1]
            for word in ref:
                before, row = row, [row[0] + 1]
                for i, own in enumerate(hyp, 1):
                    row.append(min(before[i] + 1, row[-1] + 1, before[i - 1] + (own != word)))
            ends.append(row)
        found.append([min(values) for values in zip(*ends, strict=True)])
    return found


def by_cells(
    hyp: Words,
    segments: Segments,
    costs: Costs = (1, 1, 1),
    forbidden: Sequence[bool] | None = None,
    breaks: Sequence[bool] | None = None,
    peer_row: bool = False,
) -> Found:
    """The whole table, then back by the rule of the RWTH tool.

    At each cell a deletion if it is no worse than the other two, else an insertion if it is no
    worse than a substitution, else the diagonal; the first of equal references. A segment begins
    at the last place it may. Breaks count less than any cost: costs are multiplied.
    """
    scale = 1 if breaks is None else len(segments) + 1
    substitution, insertion, deletion = (cost * scale for cost in costs)
    size = len(hyp)
    # end[k][i]: the first k segments with the first i words, if segment k - 1 may end there.
    end = [[0] + [INFINITE] * size]
    tables: list[list[list[list[int]]]] = []  # by segment, reference, reference word, row
    for k, references in enumerate(segments):
        start = list(end[k])
        for i in range(1, size + 1):
            start[i] = min(start[i], start[i - 1] + insertion)
        tables.append([])
        for ref in references:
            table = [start]
            for word in ref:
                last, column = table[-1], [table[-1][0] + deletion]
                for i in range(1, size + 1):
                    slanted = last[i - 1] + (0 if hyp[i - 1] == word else substitution)
                    column.append(min(last[i] + deletion, column[i - 1] + insertion, slanted))
                table.append(column)
            tables[k].append(table)
        column = [min(table[-1][i] for table in tables[k]) for i in range(size + 1)]
        if peer_row:
            column[0] = end[k][0] + (max(map(len, references)) + 1) * deletion
        for i in range(size + 1):
            if breaks is not None and breaks[i]:
                column[i] -= 1
            if forbidden is not None and forbidden[i] and 0 < i < size:
                column[i] = INFINITE
        end.append(column)

    found = Found([], [], [], [])
    i = size
    for k in range(len(segments) - 1, -1, -1):
        values = [table[-1][i] for table in tables[k]]
        chosen = 0 if peer_row and i == 0 else values.index(min(values))
        table, ref = tables[k][chosen], segments[k][chosen]
        found.ends.append(i)
        found.chosen.append(chosen)
        j, steps = len(ref), []
        while j > 0 or (i > 0 if k == 0 else end[k][i] != table[0][i]):
            if j == 0:
                step = "insertion"
            elif i == 0:
                step = "deletion"
            else:
                slanted = table[j - 1][i - 1] + (0 if hyp[i - 1] == ref[j - 1] else substitution)
                inserted, deleted = table[j][i - 1] + insertion, table[j - 1][i] + deletion
                if deleted <= inserted and deleted <= slanted:
                    step = "deletion"
                elif inserted <= slanted:
                    step = "insertion"
                else:
                    step = "match" if hyp[i - 1] == ref[j - 1] else "substitution"
            steps.append(
                (
                    step,
                    -1 if step == "deletion" else i - 1,
                    -1 if step == "insertion" else j - 1,
                )
            )
            i -= step != "deletion"
            j -= step != "insertion"
        found.steps.append(steps[::-1])
        names = [step for step, _, _ in steps]
        found.counts.append(
            (names.count("substitution"), names.count("insertion"), names.count("deletion"))
        )
    return Found(found.ends[::-1], found.chosen[::-1], found.counts[::-1], found.steps[::-1])


class Every:
    """All best boundaries of a small case, one by one."""

    def __init__(
        self,
        hyp: Words,
        segments: Segments,
        costs: Costs = (1, 1, 1),
        forbidden: Sequence[bool] | None = None,
    ):
        self.hyp, self.segments, self.costs = tuple(hyp), segments, costs
        size = len(hyp)
        self.open = [
            i for i in range(size + 1) if i in (0, size) or forbidden is None or not forbidden[i]
        ]
        self.distances = lru_cache(None)(self._distances)
        self.rest = lru_cache(None)(self._rest)
        self.cost = self.rest(0, 0)

    def _distances(self, k: int, first: int, last: int) -> list[int]:
        return [edit_distance(self.hyp[first:last], ref, self.costs) for ref in self.segments[k]]

    def _ends(self, k: int, first: int) -> list[int]:
        if k == len(self.segments) - 1:
            return [len(self.hyp)]
        return [i for i in self.open if i >= first]

    def _rest(self, k: int, first: int) -> int:
        """The least cost of segments k and after, with the words from ``first`` on."""
        if k == len(self.segments):
            return 0
        return min(
            min(self.distances(k, first, last)) + self.rest(k + 1, last)
            for last in self._ends(k, first)
        )

    def optima(self, k: int = 0, first: int = 0) -> Iterator[tuple[int, ...]]:
        """The ends of all segments, in every way that is best."""
        if k == len(self.segments):
            yield ()
            return
        for last in self._ends(k, first):
            least = min(self.distances(k, first, last)) + self.rest(k + 1, last)
            if least == self.rest(k, first):
                for more in self.optima(k + 1, last):
                    yield (last, *more)

    def references(self, ends: Sequence[int]) -> list[list[int]]:
        """By segment, the references that are as near as the nearest."""
        found = []
        for k, (first, last) in enumerate(zip([0, *ends], ends, strict=False)):
            distances = self.distances(k, first, last)
            found.append([r for r, d in enumerate(distances) if d == min(distances)])
        return found

    def words(self, ends: Sequence[int]) -> tuple[int, int]:
        """The fewest and the most reference words that these boundaries can be compared with."""
        sizes = [
            [len(self.segments[k][r]) for r in chosen]
            for k, chosen in enumerate(self.references(ends))
        ]
        return sum(map(min, sizes)), sum(map(max, sizes))


def plus(one: Sum, other: Sum) -> Sum:
    """Both sums, key by key."""
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


class Keys:
    """All keys in their order, as tuples: cost, substitutions between word and mark, breaks."""

    def __init__(
        self,
        hyp: Words,
        segments: Segments,
        costs: Costs = (1, 1, 1),
        forbidden: Sequence[bool] | None = None,
        breaks: Sequence[bool] | None = None,
        marks: Collection[int] = (),
    ):
        self.hyp, self.segments, self.marks, self.breaks = hyp, segments, marks, breaks
        self.substitution, inserted, deleted = costs
        self.insertion, self.deletion = (inserted, 0, 0), (deleted, 0, 0)
        size = len(hyp)
        self.open = [
            i in (0, size) or forbidden is None or not forbidden[i] for i in range(size + 1)
        ]

    def diagonal(self, own: int, word: int) -> Sum:
        """What it adds to put one word for another."""
        if own == word:
            return 0, 0, 0
        return self.substitution, int((own in self.marks) != (word in self.marks)), 0

    def boundary(self, i: int) -> Sum:
        """What it adds to end a segment at position i."""
        return 0, 0, -1 if self.breaks is not None and self.breaks[i] else 0

    def table(self, start: Sequence[Sum], ref: Words) -> list[list[Sum]]:
        """By number of reference words, then of hypothesis words: the least sum from ``start``."""
        table = [list(start)]
        for word in ref:
            last, column = table[-1], [plus(table[-1][0], self.deletion)]
            for i, own in enumerate(self.hyp, 1):
                slanted = plus(last[i - 1], self.diagonal(own, word))
                left, above = plus(last[i], self.deletion), plus(column[i - 1], self.insertion)
                column.append(min(left, above, slanted))
            table.append(column)
        return table

    def by_cells(self) -> Found:
        """The rule of the RWTH tool at every cell of the whole table."""
        size, never = len(self.hyp), (INFINITE, 0, 0)
        end = [[(0, 0, 0)] + [never] * size]
        tables = []
        for k, references in enumerate(self.segments):
            start = list(end[k])
            for i in range(1, size + 1):
                start[i] = min(start[i], plus(start[i - 1], self.insertion))
            tables.append([self.table(start, ref) for ref in references])
            least = [min(table[-1][i] for table in tables[k]) for i in range(size + 1)]
            end.append(
                [
                    plus(least[i], self.boundary(i)) if self.open[i] else never
                    for i in range(size + 1)
                ]
            )
        ends, chosen, counts, steps = [], [], [], []
        i = size
        for k in range(len(self.segments) - 1, -1, -1):
            values = [table[-1][i] for table in tables[k]]
            ends.append(i)
            chosen.append(values.index(min(values)))
            i, own = self.back(tables[k][chosen[-1]], self.segments[k][chosen[-1]], end[k], i)
            names = [step for step, _, _ in own]
            counts.append(
                (names.count("substitution"), names.count("insertion"), names.count("deletion"))
            )
            steps.append(own)
        return Found(ends[::-1], chosen[::-1], counts[::-1], steps[::-1])

    def back(
        self, table: list[list[Sum]], ref: Words, before: Sequence[Sum], i: int
    ) -> tuple[int, list[tuple[str, int, int]]]:
        """From the end of a segment to its start, and the steps."""
        j, steps = len(ref), []
        while j > 0 or before[i] != table[0][i]:
            if j == 0:
                step = "insertion"
            elif i == 0 or table[j][i] == plus(table[j - 1][i], self.deletion):
                step = "deletion"
            elif table[j][i] == plus(table[j][i - 1], self.insertion):
                step = "insertion"
            else:
                step = "match" if self.hyp[i - 1] == ref[j - 1] else "substitution"
            heard, read = step != "deletion", step != "insertion"
            steps.append((step, i - 1 if heard else -1, j - 1 if read else -1))
            i, j = i - heard, j - read
        return i, steps[::-1]

    def distances(self, k: int, first: int, last: int) -> list[Sum]:
        """By reference: the least sum of these words against it."""
        part = Keys(
            self.hyp[first:last],
            [],
            (self.substitution, self.insertion[0], self.deletion[0]),
            marks=self.marks,
        )
        start = [(n * self.insertion[0], 0, 0) for n in range(last - first + 1)]
        return [part.table(start, ref)[-1][-1] for ref in self.segments[k]]

    def every(self) -> dict[tuple[int, ...], Sum]:
        """The least sum of all boundaries that may be, one by one."""
        size = len(self.hyp)
        allowed = [i for i in range(size + 1) if self.open[i]]
        distances = lru_cache(None)(self.distances)
        found = {}
        for inner in combinations_with_replacement(allowed, len(self.segments) - 1):
            total = (0, 0, 0)
            for k, (first, last) in enumerate(zip((0, *inner), (*inner, size), strict=True)):
                total = plus(total, min(distances(k, first, last)))
            for i in inner:
                total = plus(total, self.boundary(i))
            found[(*inner, size)] = total
        return found
