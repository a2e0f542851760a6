"""Every door to scores takes and refuses the same: fp.score, frames, plans and accumulators."""

import pyarrow as pa
import pytest

import fencepost as fp
from support import run

REF, HYP = [[5, 5], [1, 30]], [[4, 6], [30, 1]]
SIGNED = "windowdiff|k:auto-half-up|pad:none|avg:micro|fencepost:0.2.0"


def difference(ref: fp.Segmentation, hyp: fp.Segmentation) -> float:
    return float(abs(len(ref.cuts) - len(hyp.cuts)))


def score(ref, hyp, **settings):
    (row,) = fp.score(ref, hyp, baselines=False, **settings)
    return row["value"], row["signature"].context.avg


def score_frame(ref, hyp, **settings):
    table = pa.table({"gold": ref, "sys": hyp})
    (row,) = fp.score_frame(table, "gold", "sys", encoding="masses", **settings).to_pylist()
    return row["value"], row["average"]


def score_plan(ref, hyp, **settings):
    plan = fp.Plan("gold", "sys", encoding="masses", **settings)
    plan = fp.Plan.from_json(plan.to_json())
    counted = list(fp.score_batches(pa.table({"gold": ref, "sys": hyp}), plan))
    assert sum(len(one) for one in counted) == len(ref)
    return None, plan.signatures()[0].context.avg


def accumulate(ref, hyp, **settings):
    scores = fp.Accumulator(**settings)
    for pair in zip(ref, hyp, strict=True):
        scores.update(*pair)
    (found,) = scores.compute().values()
    return float(found), found.signature.context.avg


DOORS = [score, score_frame, score_plan, accumulate]
every_door = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)


@every_door
def test_a_signature_among_the_metrics_brings_its_average(door):
    value, average = door(REF, HYP, metrics=[SIGNED])
    # Pooled are 4 of 30 windows; the mean over texts is another number.
    assert average == "micro" and value in (None, pytest.approx(4 / 30))
    assert door(REF, HYP, metrics=[SIGNED], average="macro")[1] == "macro"


@every_door
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metrics": [difference], "average": "micro"}, "difference is a plain function without"),
        ({"metrics": []}, "no metric is given"),
        ({"metrics": "B", "like": "nope"}, "no preset 'nope'; there are segeval, nltk"),
        ({"metrics": "B", "average": "mean"}, "average must be macro, micro or both"),
        ({"metrics": "B", "types": "a<b"}, "these texts have none: remove it"),
        ({"metrics": "pk", "types": "a<b"}, "none of them is asked for"),
        ({"metrics": [SIGNED, "B|avg:macro"]}, "the signatures differ in avg"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_every_door_refuses_the_same(door, settings, message):
    with pytest.raises(fp.FencepostError, match=message):
        door(REF, HYP, **settings)


@every_door
def test_a_text_without_a_number_in_another_tool_is_refused(door):
    message = "segeval has no WindowDiff for .*divides 0 by 0 where the window is as wide"
    with pytest.raises(fp.FencepostError, match=message):
        door([[5, 5], [2]], [[4, 6], [2]], metrics="windowdiff", like="segeval")


def test_one_accumulator_has_one_average():
    both = [SIGNED, SIGNED.replace("micro", "macro")]
    with pytest.raises(fp.FencepostError, match="one average, macro or micro"):
        fp.Accumulator(both)


def test_plain_functions_are_pooled_by_no_run(tmp_path):
    (tmp_path / "mine.py").write_text("def diff(ref, hyp):\n    return abs(len(ref.cuts))\n")
    for number in range(2):
        (tmp_path / f"{number}.jsonl").write_text('{"gold": [5, 5], "sys": [4, 6]}\n')
    columns = ("--columns", "ref=gold,hyp=sys", "--encoding", "masses", "-m", "mine.py:diff")
    done = run("score", "*.jsonl", *columns, "--average", "micro", cwd=tmp_path)
    assert done.returncode == 2 and "diff is a plain function without counts" in done.stderr


def test_a_metric_that_is_a_signature_has_its_average_on_the_command_line(tmp_path):
    for number, (ref, hyp) in enumerate(zip(REF, HYP, strict=True)):
        (tmp_path / f"{number}.jsonl").write_text(f'{{"gold": {ref}, "sys": {hyp}}}\n')
    asked = ("--columns", "ref=gold,hyp=sys", "--encoding", "masses", "-m", SIGNED, "--csv")
    of_run = run("score", "*.jsonl", *asked, cwd=tmp_path)
    whole = "".join((tmp_path / f"{number}.jsonl").read_text() for number in range(2))
    (tmp_path / "whole.txt").write_text(whole)
    alone = run("score", "whole.txt", *asked, "--from", "jsonl", "--no-baselines", cwd=tmp_path)
    assert ",micro," in of_run.stdout and of_run.stdout == alone.stdout


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_a_signature_has_one_order_whatever_was_needed_first(order, tmp_path):
    overlap = [[0, 6], [4, 12]]
    gap = [[0, 6], [8, 12]]
    rows = {"a": overlap, "b": gap}
    table = pa.table({"gold": [[[0, 12]]], **{name: [rows[name]] for name in order}})
    settings = {"gaps": "join", "overlap": "start", "metrics": "B"}
    frame = fp.score_frame(table, "gold", list(order), encoding="spans", **settings)
    assert {"|gaps:join|overlap:start|" in one for one in frame["signature"].to_pylist()} == {True}
    (tmp_path / "t.jsonl").write_text(str({"gold": [[0, 12]], **rows}).replace("'", '"') + "\n")
    asked = ("--columns", "ref=gold," + ",".join(f"hyp={name}" for name in order))
    options = ("--encoding", "spans", "--gaps", "join", "--overlap", "start", "-m", "B")
    done = run("score", "t.jsonl", *asked, *options, cwd=tmp_path)
    assert "|gaps:join|overlap:start|" in done.stdout
