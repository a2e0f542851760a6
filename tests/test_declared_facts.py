"""What other rooms want to know of a metric is declared in ``@metric``, not asked by its name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.metrics import METRICS
from fencepost.metrics.registry import parse

SOURCE = Path(fp.__file__).parent
NAMES = {metric.name for metric in METRICS.values()}
# Papers compare the labels of their own printed tables.
ELSEWHERE = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0] != "metrics" and "papers" not in path.parts
]


def _strings(node: ast.AST) -> set[str]:
    return {
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def _named(tree: ast.Module) -> set[str]:
    """The names of a module's constants that hold names of metrics."""
    return {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _strings(node.value) & NAMES
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _asked(path: Path) -> Iterator[str]:
    """Every comparison with the name of a metric, or with a constant that holds such names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = _named(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Compare, ast.MatchValue)):
            used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if _strings(node) & NAMES or used & constants or _of_recipe(node):
                line = getattr(node, "lineno", 0)
                yield f"{path.relative_to(SOURCE)}:{line}: {ast.unparse(node)}"


def _of_recipe(node: ast.AST) -> bool:
    """Whether ``recipe.name`` or ``metric.name`` is compared with a text or a constant."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    name = any(ast.unparse(side).endswith(("recipe.name", "metric.name")) for side in sides)
    return name and any(isinstance(side, (ast.Constant, ast.Name, ast.Tuple)) for side in sides)


def test_no_room_but_metrics_asks_for_the_name_of_a_metric() -> None:
    assert [line for path in ELSEWHERE for line in _asked(path)] == []


def test_the_search_finds_what_it_looks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(
        'KNOWN = ("pk", "windowdiff")\n'
        "def f(recipe, row, other):\n"
        '    a = recipe.name == "flexible_similarity"\n'
        '    b = row["metric"] in KNOWN\n'
        "    c = recipe.name == OTHER\n"
        '    return "windowdiff" if a and b and c else "pk"\n'
    )
    assert [line.split(":")[1] for line in _asked(module)] == ["3", "4", "5"]


@pytest.mark.parametrize(
    ("text", "drawn", "divisor", "reach", "separable", "two_categories"),
    [
        ("pk", "windows", None, None, False, False),
        ("winpr_f", "windows", None, None, False, False),
        ("boundary_f", "sides", None, None, False, False),
        ("boundary_agreement", "sides", "places", 0, True, True),
        ("S", "edits", "places", 1, True, False),
        ("S:n_t=1", "edits", "places", 0, True, False),
        ("B:n_t=4", "edits", None, 3, False, False),
        ("A", "edges", None, None, False, False),
        ("Sf", "edits", "units", None, False, False),
        ("SfB", "edits", None, None, False, False),
    ],
)
def test_what_the_metrics_declare(
    text: str, drawn: str, divisor: str | None, reach: int | None, separable: bool,
    two_categories: bool,
) -> None:  # fmt: skip
    recipe = parse(text)
    assert recipe.metric.drawn == drawn
    assert (recipe.divisor, recipe.reach) == (divisor, reach)
    assert (recipe.separable, recipe.two_categories) == (separable, two_categories)


def test_only_s_f_prices_boundary_types_and_has_chances_of_its_own() -> None:
    assert [m.name for m in METRICS.values() if m.kind_costs] == ["flexible_similarity"]
    assert parse("Sf").metric.chances == ("bernoulli", "uniform", "uniform-types")
    assert all(not m.chances for m in METRICS.values() if not m.kind_costs)
