"""Faults put into kernels and scanners one at a time: the stand-alone tests must find each.

``python tests/native/mutants.py`` prints how many were found, and each that was not. Every mutant is
made in a copy of ``cpp/``; one file of the stand-alone tests is compiled with it, and its targets run.
"""

# ruff: noqa: E501 - lines of C++ as they stand

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "native" / "plain"


class Mutant(NamedTuple):
    """A change of the source, and the file of tests and the target that should notice."""

    path: str
    old: str
    new: str
    tests: str
    target: str


MUTANTS = [
    Mutant(
        "kernels/window.hpp",
        "seen += std::min(left - before, w.k);\n        before = left;\n        r +=",
        "seen += std::min(left - before, w.k + 1);\n        before = left;\n        r +=",
        "window",
        "windows",
    ),
    Mutant(
        "kernels/window.hpp",
        "return {k, 1 - k, units - 1};",
        "return {k, 1 - k, units};",
        "window",
        "windows",
    ),
    Mutant(
        "kernels/window.hpp",
        "2 * rest == denominator && quotient % 2 == 1",
        "2 * rest == denominator && quotient % 2 == 0",
        "window",
        "windows",
    ),
    Mutant(
        "kernels/window.hpp",
        "const bool one_entered = entered > went;",
        "const bool one_entered = entered >= went + 1 + (w.k > 3);",
        "window",
        "windows",
    ),
    Mutant(
        "kernels/boundary.hpp",
        "joined += left_missed || right_missed;",
        "joined += right_missed;",
        "boundary",
        "boundaries",
    ),
    Mutant(
        "kernels/boundary.hpp",
        "if (hyp.end(h) == ref.end(r)) ++h;",
        "++h;",
        "boundary",
        "boundaries",
    ),
    # The order of edits with one left end.
    Mutant(
        "kernels/edit.hpp",
        "return {left, static_cast<Index>(e.op), std::max(e.ref, e.hyp), e.ref_kind, e.hyp_kind};",
        "return {left, 0, std::max(e.ref, e.hyp), e.ref_kind, e.hyp_kind};",
        "edit",
        "edits",
    ),
    # More than seven one-sided boundaries with types before a substitution.
    Mutant(
        "kernels/edit.hpp",
        "        while (i < a_.size() && j < b_.size()) {\n            if (a_[i].place",
        "        while (i < a_.size() && j < b_.size() && i + j < 8) {\n            if (a_[i].place",
        "edit",
        "edits",
    ),
    Mutant("kernels/edit.hpp", "if (x.te != y.te) return x.te < y.te;", "", "edit", "edits"),
    Mutant(
        "kernels/edit.hpp",
        "if (better(sum, best_[i]) || (none && !better(best_[i], sum)))",
        "if (better(sum, best_[i]))",
        "edit",
        "edits",
    ),
    Mutant(
        "kernels/matching.hpp",
        "return x.distance != y.distance ? x.distance > y.distance : x.left > y.left;",
        "return x.distance > y.distance;",
        "edit",
        "edits",
    ),
    Mutant(
        "kernels/matching.hpp",
        "const bool pair = !other.beats(paired);",
        "const bool pair = paired.beats(other);",
        "edit",
        "edits",
    ),
    Mutant(
        "kernels/flexible.hpp",
        "static constexpr Index edit = -1;",
        "static constexpr Index edit = 1;",
        "flexible",
        "flexible",
    ),
    Mutant(
        "kernels/alignment.hpp",
        "const bool closer = o.common > t.common || (o.common == t.common && other < t.size);",
        "const bool closer = o.common > t.common;",
        "alignment",
        "alignment",
    ),
    Mutant(
        "kernels/alignment.hpp",
        "of_ref.mutual |= r_aims && h_aims;",
        "of_ref.mutual |= h_aims;",
        "alignment",
        "alignment",
    ),
    Mutant(
        "kernels/hierarchy.hpp",
        "q = end == p.units ? end : end - s_.window + 1;",
        "q = end == p.units ? end : end - s_.window + 2;",
        "hierarchy",
        "hierarchy",
    ),
    Mutant(
        "kernels/random.hpp",
        "if (!taken.insert(place).second) taken.insert(place = static_cast<V>(j));",
        "taken.insert(place);",
        "random",
        "random",
    ),
    Mutant(
        "kernels/sums.hpp",
        "constexpr double steps = 0x1p80, most = 0x1p46;",
        "constexpr double steps = 0x1p80, most = 0x1p48;",
        "columns",
        "columns",
    ),
    Mutant(
        "support/gather.hpp",
        "if (first < 0 || last < first || last > offsets",
        "if (first < 0 || last > offsets",
        "columns",
        "columns",
    ),
    Mutant(
        "parsing/lists.hpp",
        "if (cut <= before || cut >= units[row])",
        "if (cut < before || cut >= units[row])",
        "lists",
        "lists",
    ),
    Mutant(
        "parsing/plain.hpp",
        "return length > 0 && length <= 18 && (length == 1 || *begin != '0');",
        "return length > 0 && (length == 1 || *begin != '0');",
        "scanners",
        "scanners",
    ),
    Mutant(
        "parsing/plain.hpp",
        "at_ - begin + 1 + std::countr_zero(eight) / 8",
        "at_ - begin + 1 + std::countr_zero(eight) / 16",
        "scanners",
        "scanners",
    ),
    Mutant(
        "streams/stream_bits.hpp",
        "while (above <= static_cast<Index>(2 * length) && w > 0)",
        "while (above <= static_cast<Index>(length) / 2 && w > 0)",
        "streams",
        "streams",
    ),
    Mutant(
        "streams/stream.hpp",
        "op = cells.deletion(i, j) ? StreamOp::deletion : cells.insertion(i, j)",
        "op = cells.insertion(i, j) ? StreamOp::insertion : cells.deletion(i, j)",
        "streams",
        "streams",
    ),
    Mutant(
        "streams/tokens.hpp",
        "while (is(at, kLink) && is(at + 1, kLetter))",
        "if (is(at, kLink) && is(at + 1, kLetter))",
        "tokens",
        "tokens",
    ),
    Mutant(
        "support/parallel.hpp",
        "if (!failure) failure = std::current_exception();",
        "failure = std::current_exception();",
        "threads",
        "threads",
    ),
]


def found(mutant: Mutant, runs: int) -> bool | None:
    """Return whether the tests end with a failure; None where the source has changed."""
    source = (ROOT / "cpp" / mutant.path).read_text(encoding="utf-8")
    if source.count(mutant.old) != 1:
        return None
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "cpp"
        shutil.copytree(ROOT / "cpp", copy)
        changed = source.replace(mutant.old, mutant.new)
        (copy / mutant.path).write_text(changed, encoding="utf-8")
        made, program = f"{folder}/mutant.o", f"{folder}/native"
        flags = ["-std=c++20", "-O0", "-pthread", f"-I{copy}", f"-I{HERE}"]
        subprocess.run(["g++", *flags, "-c", HERE / f"{mutant.tests}.cpp", "-o", made], check=True)
        others = [one for one in BUILD.glob("*.o") if one.stem not in (mutant.tests, "fuzz")]
        subprocess.run(["g++", "-pthread", made, *others, "-o", program], check=True)
        command = [program, "--files", HERE / "corpus", "--runs", str(runs), mutant.target]
        try:
            ran = subprocess.run(command, capture_output=True, timeout=300)
        except subprocess.TimeoutExpired:
            return True
        return ran.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40_000, help="random inputs for each mutant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("numbers", type=int, nargs="*", help="of mutants, from 1")
    args = parser.parse_args()
    subprocess.run(["make", "-s", "-C", str(HERE), f"BUILD={BUILD}"], check=True)
    chosen = [MUTANTS[n - 1] for n in args.numbers] or MUTANTS
    killed = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for mutant, dead in zip(
            chosen, pool.map(lambda m: found(m, args.runs), chosen), strict=True
        ):
            killed += bool(dead)
            if not dead:
                what = "is no longer in the source" if dead is None else "was not found"
                print(f"{mutant.path}: {mutant.old!r} -> {mutant.new!r} {what}", flush=True)
    print(f"{killed} of {len(chosen)} mutants of C++ found")
    return 0 if killed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
