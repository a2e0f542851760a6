"""Plain tables: what was compared, what it took, and whether the target was met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.timing import shown


@dataclass
class Results:
    """Comparisons with a peer; remembers which targets were missed."""

    rows: list[list[str]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def add(self, what: str, size: str, peer: float, ours: float, target: int = 0) -> None:
        """Add one comparison; a target is the least ratio, 0 for none."""
        ratio = peer / ours
        verdict = ("met" if ratio >= target else "MISSED") if target else ""
        if verdict == "MISSED":
            self.missed.append(f"{what}, {size}: {ratio:,.0f} times, target {target:,}")
        goal = f"{target:,}" if target else ""
        times = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
        self.rows.append([what, size, shown(peer), shown(ours), times, goal, verdict])

    def at_most(self, what: str, found: float, most: float, unit: str) -> list[str]:
        """Return the cells of a limit: what was found, the most it may be, and the verdict."""
        if found > most:
            self.missed.append(f"{what}: {found:,.3g} {unit}, at most {most:,g}")
        return [f"{found:,.3g} {unit}", f"{most:,g}", "met" if found <= most else "MISSED"]

    def not_measured(self, what: str, why: str, most: float, unit: str) -> list[str]:
        """Return the cells of a limit that nothing was measured for, which counts as missed."""
        self.missed.append(f"{what}: not measured, {why}; at most {most:,g} {unit}")
        return ["not measured", f"{most:,g}", "MISSED"]

    def show(self) -> None:
        """Print the comparisons since the last time."""
        show(("what", "size", "peer", "ours", "ratio", "target", ""), self.rows)
        self.rows.clear()


def show(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    for row in (columns, *rows):
        cells = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())
    print(flush=True)


def show_growth(title: str, sizes: Sequence[int], times: Sequence[float], per: str) -> None:
    """Print times over sizes, each with its ratio to the one before."""
    rows = []
    for i, (size, took) in enumerate(zip(sizes, times, strict=True)):
        grew = f"{took / times[i - 1]:.2f}" if i else ""
        rows.append([f"{size:,}", shown(took), grew])
    print(f"{title}:")
    show((per, "time", "ratio"), rows)
