"""Small changes of the code, and whether a test fails for each of them: ``make mutation``.

The changes are those of cosmic-ray: another operator, number or keyword. A seeded sample of them,
spread over the modules, is tried with the tests that cover the changed line. Changes inside
functions are made in a fork of one process that has collected all tests, in the code objects of
the functions that exist there. Changes of what is computed on import (constants, defaults,
declarations) are made in a copy of the package.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "mutation"
EQUIVALENT = HERE / "mutation_equivalent.json"
ROOMS = ("metrics", "scoring", "coders", "statistics", "streams", "formats/values.py",
         "model/join.py")  # fmt: skip
SHARE = 0.9  # of the mutants that are not equivalent, which must be killed
MAX_TESTS = 300  # quickest first, of a change that is tried in a copy of the package
# Nothing changes: annotations are never evaluated. Or all of it changes, and every test fails.
LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter", "ExceptionReplacer")


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the operator of cosmic-ray, which occurrence, and where."""

    file: str  # below the package
    operator: str
    occurrence: int
    line: int

    @property
    def path(self) -> Path:
        return package() / self.file

    @property
    def source(self) -> str:
        return changed_source(self)

    def lines(self) -> tuple[str, str]:
        """The changed lines, before and after."""
        old, new = read(self.path).splitlines(), self.source.splitlines()
        changed = [n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b]
        first, last = (changed[0], changed[-1]) if changed else (self.line - 1, self.line - 1)
        return tuple(" ".join(" ".join(t[first : last + 1]).split()) for t in (old, new))  # type: ignore[return-value]


@cache
def package() -> Path:
    import fencepost

    return Path(fencepost.__file__).parent


@cache
def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def compiled(source: str, path: str) -> CodeType:
    with warnings.catch_warnings(action="ignore"):  # a change may compare with "is"
        return compile(source, path, "exec")


@cache
def operators() -> dict[str, Any]:
    from cosmic_ray.operators.provider import OperatorProvider

    provider = OperatorProvider()
    return {name: provider[name] for name in provider if name not in LEFT_OUT}


@cache
def changed_source(one: Mutant) -> str:
    from cosmic_ray.mutating import mutate_code

    return str(mutate_code(read(one.path), operators()[one.operator](), one.occurrence))


# Which changes there are.


def files() -> list[Path]:
    found = []
    for room in ROOMS:
        place = package() / room
        found += sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return [path for path in found if path.name != "__init__.py" or len(read(path)) > 2000]


def mutants_of(path: Path) -> list[Mutant]:
    """All changes of a file, without those of annotations and of imports for type checkers."""
    from cosmic_ray.ast import ast_nodes, get_ast

    source = read(path)
    nodes = [node for node in ast_nodes(get_ast(source)) if _may_change(node)]
    silent = _silent(ast.parse(source))
    name = str(path.relative_to(package()))
    found = []
    for operator, make in operators().items():
        occurrence = 0
        for node in nodes:
            for (line, column), _ in make().mutation_positions(node):
                if not any(start <= (line, column) < end for start, end in silent):
                    found.append(Mutant(name, operator, occurrence, line))
                occurrence += 1
    return found


def _may_change(node: Any) -> bool:
    """Whether an operator can apply here; most of a tree are names and punctuation."""
    if hasattr(node, "children"):
        return True
    return node.type in ("number", "keyword") or (
        node.type == "operator" and node.value not in "()[]{},:.;=->"
    )


def _silent(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where nothing is evaluated: annotations, type aliases, and imports for type checkers."""
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            found += filter(None, [node.returns, *(one.annotation for one in arguments)])
        elif isinstance(node, ast.AnnAssign):
            found.append(node.annotation)
        elif _is_for_types(node):
            found.append(node)
    return [_span(node) for node in found]


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.dump(node.test)
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("TypeVar", "cast")


def _span(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def sample(count: int, seed: int, only: str = "") -> list[Mutant]:
    """Draw mutants from every file, by the square root of how many it has, families in turn."""
    rng = random.Random(seed)
    by_file = {path: mutants_of(path) for path in files() if only in str(path)}
    weights = {path: len(own) ** 0.5 for path, own in by_file.items()}
    total = sum(weights.values())
    drawn: list[Mutant] = []
    for path, own in by_file.items():
        families: dict[str, list[Mutant]] = defaultdict(list)
        for one in own:
            families[one.operator.partition("_")[0]].append(one)
        for family in families.values():
            rng.shuffle(family)
        turns = sorted(families)
        rng.shuffle(turns)
        wanted = min(len(own), max(3, round(count * weights[path] / total)))
        while wanted > 0 and any(families.values()):
            for name in turns:
                while families[name] and wanted > 0:
                    one = families[name].pop()
                    if _compiles(one):
                        drawn.append(one)
                        wanted -= 1
                        break
    return drawn


def _compiles(one: Mutant) -> bool:
    """Whether the change is Python, and another program than before."""
    try:
        return compiled(one.source, "x") != compiled(read(one.path), "x")
    except (SyntaxError, ValueError):
        return False


# Which code a change touches.


@cache
def changed_functions(one: Mutant) -> list[tuple[CodeType, CodeType]] | None:
    """The code of changed functions, before and after; None where the import itself changes."""
    old, new = (compiled(text, str(one.path)) for text in (read(one.path), one.source))
    found: list[tuple[CodeType, CodeType]] = []
    return found if _compare(old, new, found, inside=False) else None


def _compare(
    old: CodeType, new: CodeType, found: list[tuple[CodeType, CodeType]], inside: bool
) -> bool:
    """Collect functions that differ; whether nothing else does."""
    if old == new:
        return True
    inner = [
        [const for const in code.co_consts if isinstance(const, CodeType)] for code in (old, new)
    ]
    if inside:
        found.append((old, new))
    elif not _same_but_for_inner(old, new):
        return False
    if len(inner[0]) != len(inner[1]):
        return inside
    same = True
    for a, b in zip(*inner, strict=True):  # all of them are looked at
        same &= _compare(a, b, found, inside or _is_function(a))
    return same or inside


def _same_but_for_inner(old: CodeType, new: CodeType) -> bool:
    def plain(code: CodeType) -> tuple[Any, ...]:
        consts = [repr(one) for one in code.co_consts if not isinstance(one, CodeType)]
        return code.co_code, consts, code.co_names

    return plain(old) == plain(new)


def _is_function(code: CodeType) -> bool:
    return bool(code.co_flags & 0x2)  # CO_NEWLOCALS: classes and modules have none


def patch(changes: Sequence[tuple[CodeType, CodeType]]) -> int:
    """Give every function that exists with the old code the new one; returns how many."""
    import gc

    new_by_old = dict(changes)
    done = 0
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            made = new_by_old.get(function.__code__)
            if made is not None and function.__code__.co_filename == made.co_filename:
                function.__code__ = made
                done += 1
    return done


def lines_of_interest(one: Mutant) -> set[int]:
    """Lines whose tests could see a change on import: what uses the names that it binds."""
    tree = ast.parse(read(one.path))
    holder = next((s for s in tree.body if _holds(s, one.line)), None)
    if isinstance(holder, (ast.FunctionDef, ast.ClassDef)):
        return set(range(holder.lineno, (holder.end_lineno or 0) + 1))
    bound = {n.id for n in ast.walk(holder) if isinstance(n, ast.Name)} if holder else set()
    users = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and bound & {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    ]
    if not users:
        return set(range(1, len(read(one.path).splitlines()) + 1))
    return {line for node in users for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def _holds(statement: ast.stmt, line: int) -> bool:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    return first <= line <= (statement.end_lineno or first)


# Which tests cover a line.


class Mapper:
    """Notes which tests run which lines, and how long they take."""

    def __init__(self, wanted: dict[str, set[int]]) -> None:
        import coverage

        self.wanted = wanted
        self.coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[str(package() / name) for name in wanted]
        )
        self.seconds: Counter[str] = Counter()
        self.failed: set[str] = set()  # without any change, so that they tell nothing of one

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        began = time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.perf_counter() - began
            self.coverage.switch_context("")

    def pytest_sessionstart(self) -> None:
        self.coverage.start()

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        covering = {}
        for name, lines in self.wanted.items():
            by_line = data.contexts_by_lineno(str(package() / name))
            covering[name] = {
                line: sorted({*by_line.get(line, [])} - {"", *self.failed})
                for line in sorted(lines)
            }
        for name in sorted(self.failed):
            print(f"not used, since it fails while lines are traced: {name}")
        found = {"covering": covering, "seconds": self.seconds}
        (BUILD / "map.json").write_text(json.dumps(found), encoding="utf-8")


PYTEST = ["-q", "-p", "no:cacheprovider"]


def make_map(mutants: Sequence[Mutant], chosen: Sequence[str]) -> None:
    os.environ["HYPOTHESIS_PROFILE"] = "quick"  # a few examples show which lines a test runs
    wanted: dict[str, set[int]] = defaultdict(set)
    for one in mutants:
        wanted[one.file] |= {one.line} if changed_functions(one) else lines_of_interest(one)
    if pytest.main([*PYTEST, *chosen], plugins=[Mapper(wanted)]) not in (0, 1):
        raise SystemExit(1)


# Trying them.


@dataclass
class Tried:
    """A mutant, and the test that killed it; "" where it survived."""

    mutant: Mutant
    killer: str
    tests: int


class Runner:
    """Tries mutants in forks of a process that has collected all tests."""

    def __init__(self, work: Sequence[tuple[Mutant, list[str]]], jobs: int, seconds: Any) -> None:
        self.work, self.jobs, self.seconds = work, jobs, seconds
        self.tried: list[Tried] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items if not _has_threads(item)}
        running: dict[int, tuple[Mutant, int, int]] = {}
        for mutant, names in self.work:
            own = [items[name] for name in names if name in items]
            while len(running) >= self.jobs:
                self._collect(running)
            limit = 60 + int(10 * sum(self.seconds.get(item.nodeid, 1.0) for item in own))
            reader, writer = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reader)
                _be_mutant(mutant, own, writer, min(limit, 900))
            os.close(writer)
            running[pid] = mutant, reader, len(own)
        while running:
            self._collect(running)
        return True

    def _collect(self, running: dict[int, tuple[Mutant, int, int]]) -> None:
        pid, status = os.wait()
        mutant, reader, tests = running.pop(pid)
        with os.fdopen(reader) as stream:
            killer = stream.read()
        if os.WIFSIGNALED(status):
            killer = f"signal {signal.Signals(os.WTERMSIG(status)).name}"
        elif os.WEXITSTATUS(status) == 3:
            killer = killer or "error"
        self.tried.append(Tried(mutant, killer, tests))
        _say(self.tried[-1], len(self.tried), len(self.work))


def _has_threads(item: pytest.Item) -> bool:
    """Whether a test needs polars, whose threads do not come along into a fork: it would wait."""
    if item.path.name == "test_frames.py":
        return True
    return "polars" in inspect.getsource(item.function)  # type: ignore[attr-defined]


def _be_mutant(mutant: Mutant, items: list[pytest.Item], writer: int, limit: int) -> None:
    """Run tests until one fails, with the change made; ends the process."""
    from _pytest.runner import runtestprotocol

    code = 3
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.alarm(limit)
        changes = changed_functions(mutant)
        if changes and patch(changes) == 0:
            os.write(writer, b"not found: no function has this code")
            os._exit(3)
        code = 0
        for item, after in zip(items, [*items[1:], None], strict=True):
            reports = runtestprotocol(item, nextitem=after, log=False)
            if any(report.failed for report in reports):
                os.write(writer, item.nodeid.encode())
                code = 1
                break
    except BaseException as failed:  # the change broke pytest itself: a kill
        os.write(writer, f"{type(failed).__name__}".encode())
        code = 1
    os._exit(code)


def try_cold(mutant: Mutant, names: Sequence[str], seconds: Any) -> Tried:
    """Try a change of what happens on import, in a copy of the package."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "fencepost"
        shutil.copytree(package(), copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        for library in package().glob("*.so"):
            (copy / library.name).symlink_to(library)
        (copy / mutant.file).write_text(mutant.source, encoding="utf-8")
        chosen = sorted(names, key=lambda name: seconds.get(name, 1.0))[:MAX_TESTS]
        arguments = Path(folder) / "tests.txt"
        arguments.write_text("\n".join(chosen), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        limit = 120 + 10 * sum(seconds.get(name, 1.0) for name in chosen)
        paths = [folder, os.environ.get("PYTHONPATH", "")]
        try:
            done = subprocess.run(
                [*command, f"@{arguments}"],
                cwd=HERE.parent,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Tried(mutant, "time", len(chosen))
    if done.returncode in (1, 2, 3, 4) or done.returncode < 0:
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return Tried(mutant, failed[0].split(" - ")[0] if failed else "import", len(chosen))
    return Tried(mutant, "", len(chosen))


def _say(one: Tried, number: int, of: int) -> None:
    with open(BUILD / "tried.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(one)) + "\n")
    if not one.killer:
        old, new = one.mutant.lines()
        print(f"survived ({one.tests} tests) {one.mutant.file}:{one.mutant.line}", flush=True)
        print(f"  - {old}\n  + {new}", flush=True)
    elif number % 50 == 0:
        print(f"{number} of {of}", file=sys.stderr, flush=True)


def tried_before(mutants: Iterable[Mutant]) -> list[Tried]:
    """Those of the mutants that an interrupted run has tried already."""
    path = BUILD / "tried.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    wanted = set(mutants)
    found = [Tried(Mutant(**row.pop("mutant")), **row) for row in map(json.loads, lines)]
    return [one for one in found if one.mutant in wanted]


# The report.


def known_equivalent() -> set[tuple[str, str, str]]:
    """Changes that change nothing anybody can see, each with its reason: file, before, after."""
    if not EQUIVALENT.exists():
        return set()
    return {(one["file"], one["before"], one["after"]) for one in json.loads(read(EQUIVALENT))}


def report(tried: Iterable[Tried], seed: int) -> bool:
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    equivalent = known_equivalent()
    survivors = []
    for one in tried:
        if one.killer:
            outcome = "killed"
        elif (one.mutant.file, *one.mutant.lines()) in equivalent:
            outcome = "equivalent"
        else:
            outcome = "survived" if one.tests else "not covered"
            survivors.append(one)
        rooms[one.mutant.file.partition("/")[0]][outcome] += 1
    total: Counter[str] = sum(rooms.values(), Counter())
    for name, counts in [*sorted(rooms.items()), ("all", total)]:
        share = counts["killed"] / max(1, counts.total() - counts["equivalent"])
        more = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()) if what != "killed")
        print(f"{name:<11} {counts['killed']} of {counts.total()} killed ({share:.1%}); {more}")
    found = [
        {"file": one.mutant.file, "line": one.mutant.line, "before": before, "after": after}
        for one in survivors
        for before, after in [one.mutant.lines()]
    ]
    (BUILD / f"survivors-{seed}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return total["killed"] >= SHARE * (total.total() - total["equivalent"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", help="files whose path contains this")
    parser.add_argument("--reuse", action="store_true",
                        help="go on with an interrupted run of the same code")  # fmt: skip
    parser.add_argument("--report", action="store_true", help="only of what was tried so far")
    parser.add_argument("--fast", action="store_true", help="without tests that are marked slow")
    parser.add_argument("--tests", nargs="+", help="only these tests (default: all)")
    given = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    chosen = given.tests or [str(HERE)]
    chosen += ["-m", f"not browser and not engines{' and not slow' * given.fast}"]
    mutants = sample(given.mutants, given.seed, given.only or "")
    if given.report:
        return 0 if report(tried_before(mutants), given.seed) else 1
    if not given.reuse:
        (BUILD / "tried.jsonl").unlink(missing_ok=True)
        _in_fork(lambda: make_map(mutants, chosen))  # tracing must not slow the trials down
    found = json.loads((BUILD / "map.json").read_text(encoding="utf-8"))
    seconds: dict[str, float] = found["seconds"]
    tried = tried_before(mutants)
    done = {one.mutant for one in tried}
    warm, cold = [], []
    random.Random(given.seed).shuffle(mutants)  # so that a part of a run is a sample, too
    for one in mutants:
        if one in done:
            continue
        covering = found["covering"].get(one.file, {})
        inside = changed_functions(one)
        lines = {one.line} if inside else lines_of_interest(one)
        names = {name for line in lines for name in covering.get(str(line), [])}
        ordered = sorted(names, key=lambda name: seconds.get(name, 1.0))
        (warm if inside else cold).append((one, ordered))
    print(f"{len(mutants)} mutants: {len(warm)} of functions, {len(cold)} of imports", flush=True)
    runner = Runner(warm, given.jobs, seconds)
    pytest.main([*PYTEST, *chosen], plugins=[runner])
    tried += runner.tried
    tried += _all_cold(cold, given.jobs, seconds)
    return 0 if report(tried, given.seed) else 1


def _in_fork(work: Callable[[], None]) -> None:
    """Run in a process of its own, which has everything that this one has loaded."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("the tests could not be run")


def _all_cold(work: Sequence[tuple[Mutant, list[str]]], jobs: int, seconds: Any) -> list[Tried]:
    from concurrent.futures import ThreadPoolExecutor

    tried = []
    with ThreadPoolExecutor(jobs) as pool:
        trial: Callable[[Any], Tried] = lambda one: try_cold(*one, seconds)  # noqa: E731
        for number, one in enumerate(pool.map(trial, work), 1):
            tried.append(one)
            _say(one, number, len(work))
    return tried


if __name__ == "__main__":
    sys.exit(main())
