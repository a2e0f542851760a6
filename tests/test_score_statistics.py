"""Scores with intervals and comparisons: from texts, from counts, and on the command line."""

import csv
import io
import json
import math
import pickle
import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import fencepost as fp
from fencepost.scoring import MEAN_OF_REFERENCES
from fencepost.statistics import Estimate, adjusted, intervals, randomization


def masses(cuts, units):
    ends = [0, *sorted(cuts), units]
    return [b - a for a, b in pairwise(ends)]


def corpus(texts, seed, errors=(0.1, 0.4, 0.35)):
    """Texts with cuts, and systems that lose, move and add some."""
    rng = random.Random(seed)
    gold, systems = {}, {name: {} for name in "abc"[: len(errors)]}
    for i in range(texts):
        units = rng.randrange(15, 40)
        cuts = rng.sample(range(1, units), rng.randrange(2, 6))
        gold[f"d{i}"] = masses(cuts, units)
        for own, error in zip(systems.values(), errors, strict=True):
            kept = {
                min(units - 1, c + (rng.random() < error)) for c in cuts if rng.random() > error
            }
            kept |= {rng.randrange(1, units)} if rng.random() < error else set()
            own[f"d{i}"] = masses(kept, units)
    return gold, systems


GOLD, SYSTEMS = corpus(24, 1)
GROUPS = {text: f"g{i // 3}" for i, text in enumerate(GOLD)}
FAST = {"baselines": False, "resamples": 1000}


def per_text(table, system, metric):
    return np.array(table.part("per-text").where(system=system, metric=metric).column("value"))


def mean_of(values):
    return Estimate(np.column_stack((values, np.ones(len(values)))), lambda s: s[:, 0] / s[:, 1])


def of_counts(system, metric, texts=GOLD):
    recipe = fp.parse(metric)
    pairs = fp.Pairs.from_segmentations(
        [fp.Segmentation.from_masses(GOLD[t]) for t in texts],
        [fp.Segmentation.from_masses(SYSTEMS[system][t]) for t in texts],
    )
    return Estimate(recipe.count(pairs).astype(float), recipe.value)


def bounds(row):
    return row["low"], row["high"]


# Intervals.


def test_the_interval_of_a_mean_is_that_of_the_texts_values():
    table = fp.score(GOLD, SYSTEMS, **FAST)
    for row in table:
        values = per_text(table, row["system"], row["metric"])
        wanted = intervals([mean_of(values)], count=1000)[0]
        assert bounds(row) == pytest.approx((max(wanted.low, 0), min(wanted.high, 1)), abs=1e-9)
        assert row["low"] < row["value"] < row["high"]
        assert row["signature"].fields["bs"] == "t,1000"
        assert row["signature"].fields["seed"] == "12345"


def test_the_interval_of_pooled_counts_is_that_of_their_rows():
    table = fp.score(GOLD, SYSTEMS, average="micro", metrics=["F", "B", "pk"], **FAST)
    for row in table:
        wanted = intervals([of_counts(row["system"], row["metric"])], count=1000)[0]
        assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_every_metric_has_intervals():
    table = fp.score(GOLD, SYSTEMS, metrics=list(fp.METRICS), average="both", **FAST)
    for row in table:
        assert row["low"] < row["value"] < row["high"], row
    assert not any("interval" in note for note in table.notes)


def test_other_methods_stand_in_signature_and_notes():
    for method in ("percentile", "bca"):
        table = fp.score(GOLD, SYSTEMS, intervals=method, **FAST)
        assert table[0]["signature"].fields["bs"] == f"{method},1000"
        assert any(note.startswith(f"{method} intervals promise too much") for note in table.notes)
    table = fp.score(GOLD, SYSTEMS, intervals="normal", **FAST)
    assert table[0]["signature"].fields["bs"] == "normal"
    table = fp.score(GOLD, SYSTEMS, intervals=False, **FAST)
    assert {bounds(row) for row in table} == {(None, None)}
    assert "bs" not in table[0]["signature"].fields
    assert table.notes == fp.score(GOLD, SYSTEMS, **FAST).notes


def test_many_texts_have_percentiles():
    gold, systems = corpus(120, 2, errors=(0.3,))
    table = fp.score(gold, systems["a"], metrics="B", **FAST)
    assert table[0]["signature"].fields["bs"] == "percentile,1000"


def test_few_constant_and_undefined_texts_are_said():
    few = fp.score({"x": [5, 5]}, {"x": [4, 6]}, metrics="B")
    assert few.notes == ("one text: too few for an interval, which takes 5",)
    assert bounds(few[0]) == (None, None)
    same = fp.score(GOLD, GOLD, metrics=["B"], **FAST)
    assert same.notes == (
        "boundary_similarity of hypothesis is the same in all texts: no interval",
    )
    assert bounds(same[0]) == (None, None)
    # Two texts have no window: left out, and intervals are over the others.
    short = {**GOLD, "x": [1], "y": [1]}
    table = fp.score(
        short, {"s": {**SYSTEMS["a"], "x": [1], "y": [1]}}, metrics=["pk", "B"], **FAST
    )
    plain = fp.score(GOLD, {"s": SYSTEMS["a"]}, metrics=["pk"], **FAST)
    assert table[0]["undefined"] == 2
    assert bounds(table[0]) == bounds(plain[0])


def test_a_text_that_stands_out_alone_is_said():
    odd = {**GOLD, "d0": SYSTEMS["b"]["d0"]}
    table = fp.score(GOLD, odd, metrics=["B"], **FAST)
    assert table.notes[0].startswith("boundary_similarity of hypothesis differs in a few texts")
    assert table[0]["signature"].fields["bs"] == "percentile,1000"


def test_intervals_of_several_references_resample_texts_with_all_of_them():
    refs = {t: {"r1": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items()}
    table = fp.score(refs, {"s": SYSTEMS["a"]}, metrics="B", average="both", **FAST)
    values = {r: np.array([fp.boundary_similarity(refs[t][r], SYSTEMS["a"][t]) for t in refs])
              for r in ("r1", "r2")}  # fmt: skip
    wanted = intervals([mean_of((values["r1"] + values["r2"]) / 2)], count=1000)[0]
    row = table.where(reference=MEAN_OF_REFERENCES, average="macro")[0]
    assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert len(table) == 6 and all(row["low"] < row["high"] for row in table)


def test_groups_are_resampled_whole():
    table = fp.score(GOLD, SYSTEMS, group=GROUPS, metrics=["B"], **FAST)
    values = per_text(table, "a", "boundary_similarity").reshape(8, 3)
    rows = np.column_stack((values.sum(axis=1), np.full(8, 3.0)))
    wanted = intervals([Estimate(rows, lambda s: s[:, 0] / s[:, 1], (0, 1))], count=1000)[0]
    assert bounds(table[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert table[0]["signature"].fields["group"] == "given"
    assert "8 groups are few to resample: take the intervals as rough" in table.notes
    alone = fp.score(GOLD, SYSTEMS, metrics=["B"], **FAST)
    assert table.column("value") == alone.column("value")
    one_each = fp.score(GOLD, SYSTEMS, group={t: t for t in GOLD}, metrics=["B"], **FAST)
    widths = [[r["high"] - r["low"] for r in t] for t in (one_each, alone)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)  # the same texts in another order


def test_texts_that_are_alike_within_groups_have_wider_intervals():
    gold = {f"{t} {i}": m for t, m in GOLD.items() for i in range(6)}
    hyp = {f"{t} {i}": SYSTEMS["b"][t] for t in GOLD for i in range(6)}
    group = {text: text.split()[0] for text in gold}
    whole = fp.score(gold, hyp, metrics="B", group=group, **FAST)[0]
    apart = fp.score(gold, hyp, metrics="B", **FAST)[0]
    single = fp.score(GOLD, SYSTEMS["b"], metrics="B", **FAST)[0]
    assert whole["high"] - whole["low"] > 2 * (apart["high"] - apart["low"])
    # Copies say nothing new.
    assert whole["high"] - whole["low"] == pytest.approx(single["high"] - single["low"], rel=0.15)


def test_runs_of_a_system_are_averaged():
    runs = {"bc": ["b", "c"]}
    table = fp.score(GOLD, SYSTEMS, runs=runs, metrics=["B"], average="both", **FAST)
    assert list(dict.fromkeys(table.column("system"))) == ["a", "bc"]
    both = fp.score(GOLD, SYSTEMS, metrics=["B"], **FAST)
    values = [per_text(both, s, "boundary_similarity") for s in "bc"]
    row = table.where(system="bc", average="macro")[0]
    assert row["value"] == pytest.approx((values[0] + values[1]).mean() / 2, abs=1e-12)
    wanted = intervals([mean_of((values[0] + values[1]) / 2)], count=1000)[0]
    assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert row["signature"].fields["runs"] == "2"
    assert "bc is the mean of 2 runs: b, c" in table.notes
    pooled = table.where(system="bc", average="micro")[0]["value"]
    rows = of_counts("b", "B").rows + of_counts("c", "B").rows
    assert pooled == fp.parse("B").value(rows.sum(axis=0)[None])[0]
    wide = fp.score(GOLD, SYSTEMS, runs=runs, metrics="B", resample="texts+runs", **FAST)
    row = wide.where(system="bc")[0]
    assert row["signature"].fields["bs"] == "percentile,1000,texts+runs"
    assert any("runs are few to resample" in note for note in wide.notes)


# Comparisons.


def test_comparisons_are_paired_and_adjusted_over_the_table():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", metrics=["pk", "B"], **FAST)
    part = table.part("comparisons")
    assert [(r["metric"], r["system"], r["against"]) for r in part] == [
        (metric, system, "a") for metric in ("pk", "boundary_similarity") for system in "bc"
    ]
    for row in part:
        a, b = (per_text(table, s, row["metric"]) for s in (row["against"], row["system"]))
        assert row["difference"] == pytest.approx((b - a).mean(), abs=1e-12)
        pair = [mean_of(b), mean_of(a)]
        wanted = intervals(pair, [(0, 1)], count=1000)[2]
        assert bounds(row) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
        assert row["p"] == randomization(pair, [(0, 1)], count=1000)[0].p
        better = (b < a) if row["metric"] == "pk" else (b > a)
        assert row["wins"] == better.sum()
        assert row["wins"] + row["ties"] + row["losses"] == row["n"] == 24
        fields = row["signature"].fields
        assert fields["test"] == "randomization,1000"
        assert fields["adjust"] == "holm,4"
        fp.parse(row["signature"])
    assert part.column("p_adjusted") == adjusted(part.column("p"), "holm")
    assert part.facts["family"] == 4


def test_all_pairs_another_baseline_and_other_adjustments():
    every = fp.score(GOLD, SYSTEMS, paired="randomization", all_pairs=True, metrics="B", **FAST)
    pairs = [(r["system"], r["against"]) for r in every.part("comparisons")]
    assert pairs == [("b", "a"), ("c", "a"), ("c", "b")]
    other = fp.score(GOLD, SYSTEMS, baseline="c", adjust="bh",
                     metrics="B", **FAST).part("comparisons")  # fmt: skip
    assert [(r["system"], r["against"]) for r in other] == [("a", "c"), ("b", "c")]
    assert other.column("p_adjusted") == adjusted(other.column("p"), "bh")
    assert other[0]["signature"].fields["adjust"] == "bh,2"


def test_pooled_counts_are_swapped_whole():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", average="micro", metrics="F", **FAST)
    for row in table.part("comparisons"):
        pair = [of_counts(row["system"], "F"), of_counts("a", "F")]
        assert row["p"] == randomization(pair, [(0, 1)], count=1000)[0].p


def test_groups_are_swapped_whole():
    table = fp.score(GOLD, SYSTEMS, paired="randomization", group=GROUPS, metrics="B", **FAST)
    a, b = (per_text(table, s, "boundary_similarity").reshape(8, 3).sum(axis=1) for s in "ab")
    signs = 1 - 2 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)
    sums = np.abs(signs @ (a - b))
    row = table.part("comparisons")[0]
    assert row["p"] == (sums >= abs((a - b).sum()) - 1e-9).mean()
    assert row["signature"].fields["test"] == "randomization,exact"
    assert row["signature"].fields["group"] == "given"


def test_few_texts_that_differ_cannot_be_significant():
    gold, systems = corpus(4, 3)
    table = fp.score(gold, systems, paired="randomization", metrics=["pk", "B"])
    assert all(row["p"] >= 0.125 for row in table.part("comparisons"))
    assert any("no p can be below" in note for note in table.notes)
    same = fp.score(GOLD, {"a": GOLD, "b": GOLD}, paired="randomization", metrics="B", **FAST)
    row = same.part("comparisons")[0]
    assert (row["p"], row["difference"], row["ties"], row["low"]) == (1.0, 0.0, 24, None)


def test_the_paired_bootstrap_comes_with_a_warning():
    table = fp.score(GOLD, SYSTEMS, paired="bootstrap", metrics="B", **FAST)
    assert any("the paired bootstrap finds too much" in note for note in table.notes)
    assert table.part("comparisons")[0]["signature"].fields["test"] == "bootstrap,1000"


def test_metrics_that_disagree_about_the_winner_are_named():
    gold = {f"t{i}": [6, 6] for i in range(8)}
    near = {t: [5, 7] for t in gold}  # a near miss: B gives half, F nothing
    some = {t: [6, 6] if i < 3 else [12] for i, t in enumerate(gold)}
    table = fp.score(gold, {"near": near, "some": some}, metrics=["F", "B"], baselines=False)
    said = [note for note in table.notes if "disagree" in note]
    assert said == [
        "the metrics disagree about the best system: some by boundary_f, near by "
        "boundary_similarity; Kendall's tau of their rankings is as low as -1.00"
    ]
    assert table.part("rankings").column("tau") == [-1.0]
    agreed = fp.score(GOLD, SYSTEMS, metrics=["F", "B"], **FAST)
    assert not any("disagree" in note for note in agreed.notes)


def test_tables_with_comparisons_survive_pickling():
    table = fp.score(GOLD, SYSTEMS, baseline="a", metrics=["B", "F"], **FAST)
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    for part in table.parts:
        assert again.part(part).rows == table.part(part).rows


def test_nothing_depends_on_threads():
    threads = fp.set_threads()
    found = []
    try:
        for n in (1, 2, 5):
            fp.set_threads(n)
            table = fp.score(GOLD, SYSTEMS, average="both", paired="randomization", **FAST)
            found.append((table.rows, table.part("comparisons").rows))
    finally:
        fp.set_threads(threads)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"intervals": "wide"}, "intervals must be t or percentile or bca or normal"),
        ({"resamples": 10}, "resamples must be a whole number from 100 to"),
        ({"resamples": 1e4}, "resamples must be a whole number"),
        ({"paired": "t-test"}, "paired must be randomization or bootstrap"),
        ({"adjust": "bonferroni"}, "adjust must be holm or bh or none"),
        ({"paired": "randomization", "baseline": "z"}, "no system 'z' to compare with; .* a, b, c"),
        ({"baseline": "a", "all_pairs": True}, "one of the two"),
        ({"group": {"d0": "x"}}, "no group is given for d1 and 22 more"),
        ({"group": dict.fromkeys(GOLD, "")}, "the group of d0 is empty"),
        ({"runs": {"x": ["b", "q"]}}, "no run 'q' of x; there are a, b, c"),
        ({"runs": {"x": ["b"], "y": ["b"]}}, "b is given as a run twice"),
        ({"runs": {"x": "b"}}, "a list of names"),
        ({"runs": {"a": ["b", "c"]}}, "a is a system of its own"),
        ({"resample": "texts+runs"}, "no system has several runs to resample"),
        ({"resample": "texts+runs", "intervals": "t"}, "intervals are of percentiles"),
        ({"resample": "words"}, "resample must be texts or texts\\+runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_resampled_is_refused(settings, message):
    with pytest.raises(fp.MetricError, match=message):
        fp.score(GOLD, SYSTEMS, metrics="B", **settings)


def test_one_system_cannot_be_compared():
    with pytest.raises(fp.MetricError, match="there is only one"):
        fp.score(GOLD, SYSTEMS["a"], metrics="B", paired="randomization")


# Counts, saved and read.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("statistics")
    for name, own in {"gold": GOLD, **SYSTEMS}.items():
        (path / f"{name}.json").write_text(json.dumps(own))
    lines = "".join(f"{t},{g}\n" for t, g in GROUPS.items())
    (path / "groups.csv").write_text("text,group\n" + lines)
    records = []
    for text, own in GOLD.items():
        bits = [int(i + 1 in np.cumsum(own)[:-1]) for i in range(sum(own) - 1)]
        records.append({"id": text, "ref": "".join(map(str, bits)), "source": GROUPS[text]})
    (path / "gold.jsonl").write_text("\n".join(map(json.dumps, records)))
    return path


def run(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "fencepost", "score", *map(str, words)],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def ok(folder, *words):
    done = run(folder, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


THREE = ("gold.json", "-i", "a.json", "b.json", "c.json")


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_saved_counts_give_the_same_table(folder, tmp_path, name):
    target = tmp_path / name
    settings = ("--paired", "--average", "both", "--resamples", "1000", "--json")
    metrics = ("-m", "WD", "F", "B", "A", "S", "--group", "groups.csv", "--runs", "bc=b,c")
    first = json.loads(ok(folder, *THREE, *metrics, *settings, "--save", target))
    again = json.loads(ok(folder, "--counts", target, *settings))
    for part in ("rows", "comparisons", "rankings"):
        assert first[part] == again[part]
    assert first["facts"] == again["facts"] | {"settings": first["facts"]["settings"]}


def test_saved_counts_print_the_same_page(folder, tmp_path):
    target = tmp_path / "counts.csv"
    words = (*THREE, "-m", "B", "pk:k=2", "--resamples", "1000")
    first = ok(folder, *words, "--save", target)
    assert ok(folder, "--counts", target, "--resamples", "1000") == first
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    texts = [r for r in rows if r["system"] == "a" and r["metric"] == "pk"]
    assert [r["text"] for r in texts] == list(GOLD)
    assert float(texts[0]["value"]) == int(texts[0]["disagreeing"]) / int(texts[0]["windows"])
    assert not {"words", "masses", "bits"} & set(rows[0])


def test_saved_counts_can_be_gated(folder, tmp_path):
    target = tmp_path / "counts.csv"
    ok(folder, *THREE, "-m", "covering", "--save", target)
    assert run(folder, "--counts", target, "--gate", "covering=0.1").returncode == 0
    done = run(folder, "--counts", target, "--gate", "covering=0.99")
    assert done.returncode == 3 and "gate: b has covering" in done.stderr
    assert run(folder, "--counts", target, "--gate", "pk=0.1").returncode == 2


def test_counts_of_several_references_and_streams_survive(tmp_path):
    refs = {(t, s): {"r1": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items() for s in "xy"}
    hyps = {(t, s): SYSTEMS["a" if s == "x" else "b"][t] for t in GOLD for s in "xy"}
    table = fp.score(refs, {"s": hyps}, average="both", resamples=200)
    again = fp.score_counts(table.part("counts"), average="both", resamples=200)
    assert again.rows == table.rows
    assert again.facts["units"] == table.facts["units"]


def change(rows, **cells):
    return [{**rows[0], **cells}, *rows[1:]]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows: [], "has no rows of counts"),
        (lambda rows: [{k: v for k, v in r.items() if k != "units"} for r in rows],
         "lacks the column units; a table of counts is made with"),
        (lambda rows: [{k: v for k, v in r.items() if k != "tp"} for r in rows],
         "lacks the column tp, a count of boundary_f"),
        (lambda rows: change(rows, tp="many"), "line 2: tp must be a number, found 'many'"),
        (lambda rows: change(rows, tp=math.nan), "line 2: tp must be a number"),
        (lambda rows: change(rows, system=""), "line 2: system is empty"),
        (lambda rows: [rows[0], *rows], "line 3: boundary_f of a on d0 is given twice"),
        (lambda rows: rows[1:], "boundary_f of d0 is there for one of a and b"),
        (lambda rows: change(rows, group="x"), "has another group or number of units"),
        (lambda rows: change(rows, signature="pkk|k:2"), 'no metric "pkk"'),
    ],
)  # fmt: skip
def test_spoilt_counts_are_refused_with_a_sentence(spoil, message):
    part = fp.score(GOLD, SYSTEMS, metrics="F", baselines=False, intervals=False).part("counts")
    rows = tuple(spoil(part.to_dicts()))
    with pytest.raises(fp.FencepostError, match=message):
        fp.score_counts(fp.Table(part.columns, rows, name="counts"))


def test_files_that_are_no_counts_are_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    for name, message in (
        ("none.csv", "cannot be read"),
        ("x.csv", "is not a table of counts"),
        ("x.parquet", "is not a table of counts"),
    ):
        with pytest.raises(fp.FencepostError, match=message):
            fp.score_counts(tmp_path / name)


# The command line.


def test_the_page_shows_half_of_the_interval(folder):
    out = ok(folder, *THREE, "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, **FAST)
    row = table.where(system="a", metric="pk")[0]
    half = (row["high"] - row["low"]) / 2
    assert f"a              {row['value']:.3f} ±{half:.3f}  " in out
    assert "\nmean over texts ± half of the 95% interval; ↓ lower is better\n" in out
    assert row["signature"] in out.splitlines()
    table = out.split("\n\n")[1].splitlines()
    assert all(len(line) <= 80 for line in table)
    columns = [i for i, c in enumerate(table[0]) if c != " " and table[0][i - 1 : i] == " "]
    assert all(line[i - 2 : i] == "  " for line in table for i in columns[::2])
    plain = ok(folder, *THREE, "--no-intervals")
    assert "±" not in plain and "bs:" not in plain


def test_the_page_of_a_comparison(folder):
    out = ok(folder, *THREE, "-m", "B", "F", "--paired", "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], paired="randomization", **FAST)
    for row in table.part("comparisons"):
        wanted = [f"{row['difference']:+.3f}", f"{row['low']:+.3f} to {row['high']:+.3f}",
                  f"{row['wins']}/{row['ties']}/{row['losses']}"]  # fmt: skip
        assert any(all(w in line for w in wanted) for line in out.splitlines())
    assert (
        "against a; paired randomization over texts, 1,000 random swaps;\n"
        "Holm over the 4 comparisons of this table\n" in out
    )
    assert "* differs from a at .05, ** at .01 (Holm over the 4 comparisons" in out
    assert ok(folder, *THREE, "-m", "B", "F", "--baseline", "a", "--resamples", "1000") == out


def test_markdown_and_latex_have_bold_and_marks(folder):
    words = (*THREE, "-m", "B", "--no-baselines", "--resamples", "1000")
    out = ok(folder, *words, "--all-pairs", "--markdown")
    table = fp.score(GOLD, SYSTEMS, metrics="B", paired="randomization", all_pairs=True, **FAST)
    p = {r["system"]: r["p_adjusted"] for r in table.part("comparisons").where(against="a")}
    assert p["b"] <= 0.01
    cells = {r["system"]: f"{r['value']:.3f} ±{(r['high'] - r['low']) / 2:.3f}" for r in table}
    assert f"| a | **{cells['a']}** |" in out
    assert f"| b | {cells['b']}\\*\\* |" in out
    assert "\\* differs from the best system at .05" in out
    latex = ok(folder, *words, "--paired", "--latex")
    tex = {system: cell.replace("±", r"$\pm$ ") for system, cell in cells.items()}
    assert rf"a & \textbf{{{tex['a']}}} \\" in latex
    assert f"b & {tex['b']}$^{{**}}$" in latex


def test_csv_and_json_of_comparisons(folder):
    words = (*THREE, "-m", "B", "--paired", "--resamples", "1000")
    out = ok(folder, *words, "--csv", "--table", "comparisons")
    rows = list(csv.DictReader(io.StringIO(out)))
    table = fp.score(GOLD, SYSTEMS, metrics="B", paired="randomization", **FAST)
    assert [float(r["p"]) for r in rows] == table.part("comparisons").column("p")
    found = json.loads(ok(folder, *words, "--json"))
    assert found["comparisons"][0]["p"] == float(rows[0]["p"])
    assert found["facts"]["comparison"]["adjust"] == "holm"
    counts = ok(folder, *words, "--csv", "--table", "counts")
    assert counts.startswith("system,run,text,group,coder,draw,metric,value,matches,")


def test_groups_from_a_table_and_from_a_field(folder):
    words = ("-i", "a.json", "b.json", "-m", "B", "--resamples", "1000", "--csv")
    table = list(
        csv.DictReader(io.StringIO(ok(folder, "gold.json", *words, "--group", "groups.csv")))
    )
    field = list(csv.DictReader(io.StringIO(ok(folder, "gold.jsonl", *words, "--group", "source"))))
    assert [r["low"] for r in table] == [r["low"] for r in field]
    assert "group:groups" in table[0]["signature"] and "group:source" in field[0]["signature"]


def test_a_signature_brings_its_intervals(folder):
    first = ok(folder, *THREE, "-m", "B", "--method", "bca", "--resamples", "500", "--seed", "7",
               "--no-baselines", "--csv")  # fmt: skip
    signature = next(csv.DictReader(io.StringIO(first)))["signature"]
    assert "|bs:bca,500|seed:7|" in signature
    assert ok(folder, *THREE, "--signature", signature, "--no-baselines", "--csv") == first


def test_a_signature_of_a_comparison_is_explained(folder):
    table = fp.score(GOLD, SYSTEMS, baseline="a", group=GROUPS, metrics="B", **FAST)
    signature = table.part("comparisons")[0]["signature"]
    done = subprocess.run(
        [sys.executable, "-m", "fencepost", "metrics", signature],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert "bs is t,1000: 95% intervals by the bootstrap-t over texts" in done.stdout
    assert "test is randomization,exact: p by swapping the two systems" in done.stdout
    assert "adjust is holm,2: p adjusted by Holm's method" in done.stdout
    assert done.stdout.rstrip().endswith(
        "--average macro --group given --method t --resamples 1000 --paired randomization "
        "--adjust holm --seed 12345"
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((*THREE, "--group", "nothing"), 1, "no such file, and no record of gold.json has a field"),
        ((*THREE, "--group", "gold.json"), 1, "needs the columns text,group"),
        ((*THREE, "--runs", "bc"), 2, "--runs is written SYSTEM=A,B,..., found 'bc'"),
        ((*THREE, "--runs", "x=a", "x=b"), 2, "--runs names x twice"),
        ((*THREE, "--no-intervals", "--method", "t"), 2, "--no-intervals leaves them out"),
        ((*THREE, "--conventions", "--paired"), 2, "--conventions compares conventions"),
        ((*THREE, "--save", "gold.json"), 2, "would overwrite another file"),
        ((*THREE, "--save", "x.csv", "-o", "x.csv"), 2, "would overwrite another file"),
        (("--counts", "c.csv", "-o", "c.csv"), 2, "would overwrite an input file"),
        ((*THREE, "--save", "no/where.csv"), 1, "no/where.csv cannot be written"),
        ((*THREE, "--counts", "c.csv"), 2, "--counts has texts, systems and metrics in it already"),
        (("--counts", "c.csv"), 1, "c.csv cannot be read"),
        ((*THREE, "--csv", "--table", "comparisons"), 2, "systems are compared with --paired"),
        (("gold.json", "-i", "a.json", "--paired"), 2, "there is only one"),
        ((*THREE, "--resamples", "3"), 2, "resamples must be a whole number from 100"),
        ((*THREE, "--all-pairs", "--baseline", "a"), 2, "one of the two"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_sentence(folder, words, code, message):
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
