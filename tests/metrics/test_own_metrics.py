"""Metrics of users: functions in files, their direction, and metrics of installed packages."""

import json
import math
import os
from typing import Annotated

import numpy as np
import pytest

import fencepost as fp
from fencepost.metrics.functions import infer_better
from fencepost.metrics.registry import as_recipe, find, meant, parse
from fencepost.metrics.signature import Signature
from fencepost.metrics.single import compile_value
from support import csv_rows, ok, put, refused, run, run_apart

GOLD = {"a": [2, 3, 4, 3], "b": [5, 5, 2], "c": [1, 6, 3, 1, 2], "d": [4, 3, 4], "e": [2, 2, 2, 7]}
NEAR = {**GOLD, "a": [3, 2, 4, 3]}
FAR = {"a": [12], "b": [1] * 12, "c": [13], "d": [1] * 11, "e": [13]}
MINE = """
import numpy as np
import fencepost as fp

def dist(ref, hyp):
    "How many boundaries differ."
    return len(set(ref.cuts.tolist()) ^ set(hyp.cuts.tolist()))

def alike(ref, hyp):
    return -dist(ref, hyp)

def s(ref, hyp):
    return 1 / (1 + dist(ref, hyp))

def F1(ref, hyp):
    return 2 * s(ref, hyp)

@fp.metric(title="Halves", cite="here", counts=("share", "units"), better="lower",
           value=lambda share, units: share / units, aliases=("Hv",))
def halves(pairs, *, width: float = 0.5):
    "A share of the units that each side leaves alone."
    found = np.abs(pairs.ref.counts - pairs.hyp.counts) * width
    return np.column_stack((found, pairs.units)).astype(float)
"""


@pytest.fixture
def folder(tmp_path):
    for name, corpus in (("gold", GOLD), ("near", NEAR), ("far", FAR)):
        put(tmp_path, f"{name}.json", corpus)
    put(tmp_path, "mine.py", MINE)
    put(tmp_path, "other.py", MINE.replace("return len(", "return 10 * len("))
    return tmp_path


WORDS = ["score", "gold.json", "-i", "near.json", "far.json"]


def rows(folder, *words):
    return json.loads(ok(*WORDS, "--json", "--no-baselines", *words, cwd=folder, notes=True))[
        "rows"
    ]


# Direction.


def test_a_distance_is_known_to_be_lower_where_better(folder):
    out = ok(*WORDS, "-m", "mine.py:dist", "mine.py:alike", "--markdown", cwd=folder, notes=True)
    lines = out.splitlines()
    assert "dist ↓" in lines[0] and "alike ↑" in lines[0]
    near = next(line for line in lines if "near" in line)
    assert near.count("**") == 4  # both say that it is the best system
    assert "lower values of dist were taken as better, since equal texts have them" in out
    assert "write mine.py:dist:better=higher" in out
    assert "better:lower|" in out and "better:higher|" in out


def test_gates_of_a_distance_work_forwards(folder):
    gate = [*WORDS[:4], "-m", "mine.py:dist", "--gate"]
    assert run(*gate, "mine.py:dist=1", cwd=folder).returncode == 0
    done = run(*WORDS, "-m", "mine.py:dist", "--gate", "dist=1", cwd=folder)
    assert done.returncode == 3 and "far has dist" in done.stderr and "above 1" in done.stderr
    assert "near" not in done.stderr


def test_a_declared_direction_is_not_inferred(folder):
    declared = rows(folder, "-m", "mine.py:dist:better=lower")
    assert [row["value"] for row in declared] == [
        r["value"] for r in rows(folder, "-m", "mine.py:dist")
    ]
    out = ok(*WORDS, "-m", "mine.py:dist:better=higher", "--markdown", cwd=folder)
    assert "dist ↑" in out.splitlines()[0] and "taken as better" not in out
    assert "better must be lower or higher" in refused(
        2, *WORDS, "-m", "mine.py:dist:better=more", cwd=folder
    )


@pytest.mark.slow
def test_directions_are_inferred_from_equal_texts():
    def count(ref, hyp):
        return abs(len(ref.cuts) - len(hyp.cuts))

    def breaks(ref, hyp):
        raise SystemExit(1)

    assert infer_better(count) == "lower"
    assert infer_better(lambda ref, hyp: -count(ref, hyp)) == "higher"
    assert infer_better(lambda ref, hyp: 3.0) is infer_better(breaks) is None
    table = fp.score(GOLD, {"near": NEAR, "far": FAR}, metrics=[count], baselines=False)
    assert table.rows[0]["signature"].recipe.metric.better == "lower"
    assert fp.probe(count).better == "lower"
    count.better = "higher"
    table = fp.score(GOLD, NEAR, metrics=[count], baselines=False)
    assert "|better:higher|" in table.rows[0]["signature"]
    assert not any("taken as better" in note for note in table.notes)


# Names.


def test_functions_of_one_name_are_kept_apart(folder):
    found = rows(folder, "-m", "mine.py:dist", "other.py:dist")
    assert [row["value"] for row in found if row["system"] == "near"] == [0.4, 4.0]
    assert len({row["signature"] for row in found if row["system"] == "near"}) == 2
    out = ok(*WORDS, "-m", "mine.py:dist", "other.py:dist", "--per-text", cwd=folder, notes=True)
    assert "mine.py:dist ↓" in out and "other.py:dist ↓" in out
    done = run(*WORDS[:4], "-m", "mine.py:dist", "other.py:dist", "--gate", "other.py:dist=1",
               cwd=folder)  # fmt: skip
    assert done.returncode == 3 and done.stderr.count("gate:") == 1 and "4.000" in done.stderr
    message = refused(2, *WORDS, "-m", "mine.py:dist", "other.py:dist", "--gate", "dist=1",
                      cwd=folder)  # fmt: skip
    assert "--gate mine.py:dist:better=lower=1" in message
    signed = [row["signature"] for row in found if row["system"] == "near"]
    again = rows(folder, "--signature", *signed)
    assert [row["value"] for row in again] == [row["value"] for row in found]


@pytest.mark.slow
def test_report_cards_keep_functions_of_one_name_apart(folder):
    put(folder, "odd.py", "def dist(ref, hyp):\n    return float(len(ref.cuts) == len(hyp.cuts))\n")
    words = ["probe", "mine.py:dist", "odd.py:dist", "--properties", "symmetric"]
    out = ok(*words, cwd=folder)
    assert "mine.py:dist ↓" in out and "odd.py:dist ↑" in out


def test_functions_of_python_with_one_name_are_refused_or_told_apart():
    first, second = (lambda ref, hyp: 1.0), (lambda ref, hyp: 0.0)
    with pytest.raises(fp.MetricError, match="two functions are called <lambda>"):
        fp.score(GOLD, NEAR, metrics=[first, second])
    second.__module__ = "elsewhere"
    table = fp.score(GOLD, NEAR, metrics=[first, second], baselines=False, intervals=False)
    assert table.column("value") == [1.0, 0.0]


@pytest.mark.parametrize(("name", "own"), [("s", "S"), ("F1", "F")])
def test_a_function_named_like_a_short_name_is_found(folder, name, own):
    found = rows(folder, "-m", f"mine.py:{name}", own)
    by = {(row["system"], row["metric"]): row["value"] for row in found}
    assert by["near", name] != by["near", find(own).name]
    again = rows(folder, "--signature", *(row["signature"] for row in found[:2]))
    assert [row["value"] for row in again] == [row["value"] for row in found]
    out = ok("metrics", found[0]["signature"], cwd=folder)
    assert (
        out.rstrip()
        .splitlines()[-1]
        .startswith(f"fencepost score REF -i HYP -m mine.py:{name}:better=higher")
    )
    done = run(*WORDS, "-m", f"mine.py:{name}", own, "--gate", f"{name}=5", cwd=folder)
    assert done.returncode == 3 and f"has {name} " in done.stderr
    assert find(own).name not in done.stderr


def test_where_understands_what_the_command_line_does(folder):
    table = fp.score(GOLD, NEAR, metrics=["WD", "F", "F:tolerance=2", "SfB"], baselines=False)
    assert table.where(metric="WD").rows == table.where(metric="windowdiff").rows
    assert len(table.where(metric="wd")) == 1 and len(table.where(metric="F1")) == 2
    assert [row["value"] for row in table.where(metric="F:tolerance=2")] == [1.0]
    assert len(table.where(metric="SfB")) == 1 and len(table.where(metric="SfB:symmetric=no")) == 0
    assert len(table.where(metric="nothing")) == 0
    assert len(table.where(metric="WD", system="nobody")) == 0


def test_what_is_meant():
    plain, wide, strict = parse("F"), parse("F:tolerance=5"), parse("F:tolerance=0,ends=include")
    assert meant("F", [wide, plain]) == [plain] and meant("F1", [wide]) == [wide]
    assert meant("F:tolerance=5", [plain, wide]) == [wide]
    assert meant("F:tolerance=5", [plain]) == [] and meant("pk", [plain]) == []
    assert meant("F", [wide, strict]) == [wide, strict]
    assert meant(fp.boundary_f, [wide]) == [wide] and meant(wide, [plain]) == []


# Gates.


def test_a_gate_is_of_one_recipe(folder):
    words = [*WORDS[:4], "-m", "F", "F:tolerance=5"]
    plain, wide = (row["value"] for row in rows(folder, "-m", "F", "F:tolerance=5")[:2])
    assert plain < 0.95 < wide
    assert run(*words, "--gate", "F:tolerance=5=0.95", cwd=folder).returncode == 0
    done = run(*words, "--gate", "F=0.95", cwd=folder)
    assert done.returncode == 3 and done.stderr.count("gate:") == 1
    message = refused(
        2, *words[:5], "F:tolerance=4", "F:tolerance=5", "--gate", "F=0.5", cwd=folder
    )
    assert "write --gate boundary_f:tolerance=4=0.5 or --gate boundary_f:tolerance=5=0.5" in message
    assert "not scored" in refused(2, *words, "--gate", "F:tolerance=6=0.5", cwd=folder)


# Counts.


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric", ["mine.py:halves:width=0.123456789", "mine.py:dist", "mine.py:s"]
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_counts_of_own_metrics_are_read_back_by_another_process(folder, metric, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    save = [*WORDS, "-m", metric, "B", "--json", "--save", f"counts.{ending}", "--paired"]
    first = run_apart(*save, cwd=folder)
    assert first.returncode == 0, first.stderr
    trusted = ("-m", ":".join(metric.split(":")[:2])) if "dist" not in metric else ()
    again = run_apart(
        "score", "--counts", f"counts.{ending}", *trusted, "--json", "--paired", cwd=folder
    )
    assert again.returncode == 0, again.stderr
    expected = json.loads(first.stdout)
    assert len(expected["facts"].pop("reading_lines")) == 1  # counts do not know it
    assert json.loads(again.stdout) == expected


@pytest.mark.slow
def test_counts_need_the_file_of_a_metric_and_not_that_of_a_function(folder):
    for metric in ("halves", "dist"):
        ok(*WORDS, "-m", f"mine.py:{metric}", "--save", f"{metric}.csv", cwd=folder, notes=True)
    done = run_apart("score", "--counts", "halves.csv", cwd=folder)
    assert done.returncode == 1
    assert "halves.csv has counts of halves, which is needed to read them: if you trust the file " \
        "mine.py, add -m mine.py:halves" in " ".join(done.stderr.split())  # fmt: skip
    done = run_apart("score", "--counts", "halves.csv", "-m", "mine.py:halves", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert run("score", "--counts", "halves.csv", "-m", "pk", cwd=folder).returncode == 2
    (folder / "mine.py").unlink()
    done = run_apart("score", "--counts", "dist.csv", "--json", cwd=folder)
    assert done.returncode == 0 and json.loads(done.stdout)["rows"][0]["value"] == 0.4
    assert Signature(json.loads(done.stdout)["rows"][0]["signature"]).fields["better"] == "lower"


def test_a_changed_file_is_said(folder):
    (signature, *_) = (row["signature"] for row in rows(folder, "-m", "mine.py:halves"))
    assert "|from:mine.py@" in signature
    put(folder, "mine.py", MINE + "\n# another version\n")
    out = ok(*WORDS, "--signature", signature, cwd=folder)
    assert "the signature was written with mine.py " in " ".join(out.split())


# Packages.


@pytest.fixture
def site(tmp_path):
    package = tmp_path / "site"
    for name, version in (("plug", "1.5"), ("plug2", "2.0")):
        info = package / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        put(info, "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    entry = "[fencepost.metrics]\nhalving = plug:halves\nsame = plug:sameness\n"
    put(package / "plug-1.5.dist-info", "entry_points.txt", entry)
    put(
        package / "plug2-2.0.dist-info",
        "entry_points.txt",
        "[fencepost.metrics]\nthird = plug2:third\n",
    )
    body = MINE.replace('("Hv",)', '("Hv", "B", "Twice")')
    put(package, "plug.py", body + "\ndef sameness(ref, hyp):\n    return float(ref == hyp)\n")
    put(package, "plug2.py", body.replace("def halves(", "def third(").replace('"Hv", ', ""))
    return {"PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])}


@pytest.mark.slow
def test_a_plug_in_is_found_by_its_aliases_and_says_its_version(folder, site):
    def scored(*words):
        out = ok(*WORDS, "--json", "--no-baselines", *words, cwd=folder, env=site, notes=True)
        return json.loads(out)["rows"]

    by_name = scored("-m", "halving:width=0.25")
    assert by_name[0]["metric"] == "halves"
    assert "halves|width:0.25|from:plug@1.5|" in by_name[0]["signature"]
    assert scored("-m", "Hv:width=0.25") == scored("-m", "halves:width=0.25") == by_name
    assert "from:plug@1.5|" in scored("-m", "same")[0]["signature"]
    assert scored("--signature", by_name[0]["signature"], "--method", "t")[0] == by_name[0]
    assert scored("-m", "B")[0]["metric"] == "boundary_similarity"  # whose name it was before
    assert "from:plug2@2.0|" in scored("-m", "third")[0]["signature"]
    message = refused(2, *WORDS, "-m", "Twice", cwd=folder, env=site)
    assert (
        'several metrics are called "Twice"' in message
        and "halves" in message
        and "third" in message
    )


def test_a_signature_of_a_package_that_is_not_here_says_so(folder):
    message = refused(2, "metrics", "halves|width:0.25|from:plug@1.5|fencepost:0.1.0")
    assert "halves is a metric of plug, which is not here: install that package" in message


# The data line.


def test_every_system_has_a_fingerprint(folder):
    out = ok(*WORDS, cwd=folder, notes=True)
    facts = json.loads(ok(*WORDS, "--json", "--save", "c.csv", cwd=folder, notes=True))["facts"]
    prints = facts["fingerprints"]
    assert list(prints) == ["near", "far"] and len({facts["fingerprint"], *prints.values()}) == 3
    line = f"data: gold {facts['fingerprint']}, near {prints['near']}, far {prints['far']}"
    assert line in out
    again = json.loads(ok("score", "--counts", "c.csv", "--json", cwd=folder, notes=True))
    read = ["gold.json, near.json, far.json: segment sizes by text; matched by name"]
    assert {"reading_lines": read, **again["facts"]} == facts  # counts do not know it
    (row, *_) = csv_rows((folder / "c.csv").read_text())
    assert row["system_data"] == prints["near"]
    put(folder, "near.json", {**NEAR, "e": [13]})
    moved = json.loads(ok(*WORDS, "--json", cwd=folder, notes=True))["facts"]["fingerprints"]
    assert moved["near"] != prints["near"] and moved["far"] == prints["far"]
    assert fp.Corpus.from_dict(FAR).fingerprint() == prints["far"]


def test_systems_beside_annotators_have_a_fingerprint(folder):
    put(folder, "coders.json", {t: {"x": GOLD[t], "y": NEAR[t]} for t in GOLD})
    words = ["agree", "coders.json", "-i", "far.json"]
    facts = json.loads(ok(*words, "--json", cwd=folder, notes=True))["facts"]
    assert facts["fingerprints"] == {"far": fp.Corpus.from_dict(FAR).fingerprint()}
    out = ok(*words, cwd=folder, notes=True)
    assert f"data: coders {facts['fingerprint']}, far {facts['fingerprints']['far']}; " in out


def test_which_values_are_better_is_inferred_from_what_is_defined():
    def share(ref, hyp):
        if not len(ref.cuts):
            raise ValueError("no boundary")  # the first text has none
        return float(ref == hyp)

    assert infer_better(share) == "higher"
    assert infer_better(lambda ref, hyp: float(ref != hyp)) == "lower"
    assert infer_better(lambda ref, hyp: 1.0) is None
    assert infer_better(lambda ref, hyp: math.nan) is None


def test_a_function_has_no_range():
    recipe = as_recipe(lambda ref, hyp: 1e9, None)
    assert recipe.limits == (-math.inf, math.inf)


def test_settings_may_follow_the_presets_of_other_tools():
    @fp.metric(title="Ratio", cite="here", counts=("found", "units"), better="lower",
               value=lambda found, units: found / units)  # fmt: skip
    def ratio(
        pairs,
        *,
        width: float = 0.5,
        like: Annotated[str | None, fp.Presets(other={"width": 1.0, "least": 3})] = None,
        least: int = 2,
    ):
        "Count nothing."
        return np.column_stack((pairs.ref.counts, pairs.units))

    assert dict(ratio.recipe().settings) == {"width": 0.5, "least": 2}
    assert dict(ratio.recipe(least=4).settings) == {"width": 0.5, "least": 4}
    assert dict(ratio.recipe(like="other").settings) == {"width": 1.0, "least": 3}


def test_a_guarded_quotient_is_not_divided_where_an_outer_guard_holds():
    # One pair: the formula that is made of ``value`` divides only where both guards say so.
    def formula(a, b):
        return np.where(a == 0, 7.0, np.where(b == 2, 1 / a, 3.0) * 2)

    @fp.metric(title="Guarded", cite="here", counts=("a", "b"), better="lower", value=formula)
    def guarded(pairs):
        "Count nothing."
        return np.column_stack((pairs.ref.counts, pairs.hyp.counts))

    value = compile_value(guarded.recipe())
    assert [value(0, 2), value(4, 2), value(4, 1)] == [7.0, 0.5, 6.0]


def test_a_formula_that_symbols_cannot_follow_goes_the_general_way():
    for formula in (
        lambda a, b: np.where(a)[0] + b,  # another use of np.where
        lambda a, b: np.maximum(a, b),
        lambda a, b: a if a else b,
    ):
        made = fp.metric(title="Odd", cite="here", counts=("a", "b"), better="lower", value=formula)

        @made
        def odd(pairs):
            "Count nothing."
            return np.column_stack((pairs.ref.counts, pairs.hyp.counts))

        assert compile_value(odd.recipe()) is None


def test_a_setting_is_read_as_what_it_looks_like():
    read = fp.Param("a setting").read
    words = {"yes": True, "true": True, "True": True, "no": False, "FALSE": False, "None": None}
    for text, value in {**words, "3": 3, "-2.5": -2.5, "1e3": 1000.0, "auto": "auto"}.items():
        assert read(text) == value and type(read(text)) is type(value)


# Functions that fail in ways of their own.

FAILING = """
import numpy as np
import fencepost as fp

def function(ref, hyp):
    {function}

def declare(function):
    return fp.metric(title="x", cite="y", counts=("a", "b"), value={value}, better="higher",
                     range=(0, np.inf))(function)

@declare
def metric(pairs):
    rows = len(pairs)
    {counts}
"""
FINE = {"function": "return 0.5", "counts": "return np.ones((rows, 2))",
        "value": "lambda a, b: a / b"}  # fmt: skip
TOO_LARGE = "is too large to be averaged: give numbers from -1e+150 to 1e+150"


@pytest.mark.parametrize(
    ("part", "code", "said"),
    [
        ("function", "return 1e308", f"function gave 1e+308, which {TOO_LARGE}"),
        ("function", "return -1e308", f"function gave -1e+308, which {TOO_LARGE}"),
        ("function", "raise SystemExit", "function failed on text a: SystemExit"),
        ("function", "raise SystemExit(0)", "function failed on text a: SystemExit: 0"),
        ("function", "raise GeneratorExit", "function failed on text a: GeneratorExit"),
        ("counts", "return np.full((rows, 2), 1e308)", f"metric gave 1e+308, which {TOO_LARGE}"),
        ("counts", "raise SystemExit(3)", "metric failed: SystemExit: 3"),
        ("counts", "return 1 / 0", "metric failed: ZeroDivisionError: division by zero"),
        ("counts", "return np.ones((rows, 3))", "metric must return a row of 2 numbers (a, b) for "
         "each of 2 texts, found an array of float64 with the shape (2, 3)"),
        ("counts", "return [['a', 'b']] * rows", "metric must return a row of 2 numbers (a, b) for "
         "each of 2 texts, found an array of <U1 with the shape (2, 2)"),
        ("value", "lambda a, b: __import__('sys').exit()", "metric failed: SystemExit"),
        ("value", "lambda a, b: 1e200 * a", f"metric gave 1e+200, which {TOO_LARGE}"),
    ],
)  # fmt: skip
def test_whatever_a_function_does_is_one_sentence(tmp_path, part, code, said):
    put(tmp_path, "own.py", FAILING.format(**FINE | {part: code}))
    put(tmp_path, "g.json", {"a": [5, 5], "b": [3, 4]})
    name = "function" if part == "function" else "metric"
    averages = ["macro"] if part == "function" else ["macro", "micro"]  # it has no counts to add
    told = {refused(2, "score", "g.json", "-i", "g.json", "-m", f"own.py:{name}", "--average",
                    average, cwd=tmp_path) for average in averages}  # fmt: skip
    assert told == {said}


def test_an_infinite_value_of_a_metric_is_undefined(tmp_path):
    put(tmp_path, "own.py", FAILING.format(**FINE | {"value": "lambda a, b: a / (b - 1)"}))
    put(tmp_path, "g.json", {"a": [5, 5], "b": [3, 4]})
    (row, *_) = csv_rows(ok("score", "g.json", "-i", "g.json", "-m", "own.py:metric", "--csv", "-q",
                            cwd=tmp_path, notes=True))  # fmt: skip
    assert row["value"] == "" and row["undefined"] == "2"
