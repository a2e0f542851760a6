"""--like nltk and --like segeval give what these tools print for the same files, or say why not."""

import json
import math
import random
import warnings

import pytest

from support import run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import segeval
    from nltk.metrics.segmentation import ghd, pk, windowdiff


def random_sizes(rng, units):
    """Segment sizes of a text; now and then it has no boundary, or one unit per segment."""
    rate = rng.choice([0, 0.1, 0.3, 0.6, 1])
    sizes = [1]
    for _ in range(units - 1):
        if rng.random() < rate:
            sizes.append(1)
        else:
            sizes[-1] += 1
    return sizes


def random_texts(rng, least=1):
    """Sizes of references and hypotheses by text."""
    units = [rng.choice([1, 2, 3, rng.randint(4, 60)]) for _ in range(rng.randint(1, 6))]
    units = [max(least, one) for one in units]
    return [(random_sizes(rng, one), random_sizes(rng, one)) for one in units]


def ours(folder, content, *words):
    """The means of a command by metric, or what it says where it refuses."""
    (folder / "x.jsonl").write_text("".join(json.dumps(one) + "\n" for one in content))
    done = run("score", "x.jsonl", *words, "--no-baselines", "--no-intervals", "--json",
               cwd=folder)  # fmt: skip
    if done.returncode:
        return done.stderr
    return {row["metric"]: row["value"] for row in json.loads(done.stdout)["rows"]}


def mean(values):
    return math.fsum(map(float, values)) / len(values)


def as_flags(sizes, mark):
    rows = [[0] * (size - 1) + [1] if mark == "last" else [1] + [0] * (size - 1) for size in sizes]
    return [one for row in rows for one in row]


def nltk_means(strings):
    """What a script prints that calls NLTK for each text; windowdiff has the k of NLTK's pk."""
    found = []
    for ref, hyp in strings:
        k = round(len(ref) / (max(ref.count("1"), 1) * 2.0))
        found.append((pk(ref, hyp), windowdiff(ref, hyp, k), ghd(ref, hyp)))
    means = [mean(column) for column in zip(*found, strict=True)]
    names = ("pk", "windowdiff", "generalized_hamming")
    return dict(zip(names, means, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["sizes", "strings", "last", "first"])
def test_nltk_prints_the_same_for_the_same_files(tmp_path, shape):
    rng = random.Random(f"nltk {shape}")
    for number in range(40):
        texts = random_texts(rng, least=2 if shape == "strings" else 1)
        texts.append(([2, 3], [4, 1]))  # so that no column is 1s alone, which may be sizes
        if shape in ("last", "first"):  # each unit has a sign, and the string is these signs
            values = [tuple(as_flags(side, shape) for side in pair) for pair in texts]
            strings = [tuple("".join(map(str, side)) for side in pair) for pair in values]
        else:  # a sign between two units
            strings = [tuple("1".join("0" * (n - 1) for n in side) for side in pair)
                       for pair in texts]  # fmt: skip
            values = strings if shape == "strings" else texts
        records = [{"id": str(n), "ref": list(r) if shape != "strings" else r,
                    "hyp": list(h) if shape != "strings" else h}
                   for n, (r, h) in enumerate(values)]  # fmt: skip
        declared = ["--encoding", "masses"] if shape == "sizes" else []
        found = ours(tmp_path, records, "--like", "nltk", "-m", "pk", "WD", "ghd", *declared)
        expected = nltk_means(strings)
        assert found == pytest.approx(expected, abs=1e-12), (number, records)


SEGEVAL = {
    "pk": segeval.pk,
    "windowdiff": segeval.window_diff,
    "segmentation_similarity": segeval.segmentation_similarity,
    "boundary_similarity": segeval.boundary_similarity,
}


@pytest.mark.slow
def test_segeval_prints_the_same_for_the_same_files_or_stops_and_so_do_we(tmp_path):
    rng = random.Random("segeval")
    stopped = 0
    for _ in range(60):
        texts = random_texts(rng)
        records = [{"id": str(n), "ref": r, "hyp": h} for n, (r, h) in enumerate(texts)]
        for name, theirs in SEGEVAL.items():
            found = ours(tmp_path, records, "--like", "segeval", "-m", name, "--encoding", "masses")
            try:
                expected = mean([theirs(tuple(h), tuple(r)) for r, h in texts])
            except (ArithmeticError, ValueError):
                stopped += 1
                assert "segeval has no" in found and "first" in found, (name, texts)
                continue
            assert found == pytest.approx({name: expected}, abs=1e-12), (name, texts)
    assert 20 < stopped < 200  # both kinds of files were tried


def test_without_metrics_a_tool_has_those_that_it_knows(tmp_path):
    records = [{"id": "a", "ref": [3, 4, 5], "hyp": [4, 3, 2, 3]}]
    assert list(ours(tmp_path, records, "--like", "nltk")) == ["pk", "windowdiff"]
    known = ["pk", "windowdiff", "boundary_similarity"]
    assert list(ours(tmp_path, records, "--like", "segeval")) == known


def test_strings_of_nltk_are_not_scored_with_metrics_that_it_lacks(tmp_path):
    records = [{"id": "a", "ref": [0, 0, 1, 0, 1], "hyp": [0, 1, 0, 0, 1]}]
    said = ours(tmp_path, records, "--like", "nltk", "-m", "pk", "B")
    assert "Score B without --like, or declare --flags" in said
    assert set(ours(tmp_path, records, "--like", "nltk", "-m", "pk", "B", "--flags", "last")) == {
        "pk", "boundary_similarity"}  # fmt: skip


def test_a_sheet_of_marks_is_a_string_of_nltk_too(tmp_path):
    rows = zip("00100101", "01000101", strict=True)
    sheet = "text,unit,ref,hyp\n" + "".join(f"a,{n},{r},{h}\n" for n, (r, h) in enumerate(rows, 1))
    (tmp_path / "s.csv").write_text(sheet)
    done = run("score", "s.csv", "--ref-field", "ref", "--hyp-field", "hyp", "--like", "nltk",
               "-m", "pk", "--no-baselines", "--no-intervals", "--json", cwd=tmp_path)  # fmt: skip
    assert json.loads(done.stdout)["rows"][0]["value"] == pk("00100101", "01000101")
    (tmp_path / "t.csv").write_text(sheet.replace("text,unit", "text,token"))
    done = run("score", "t.csv", "--ref-field", "ref", "--hyp-field", "hyp", "--like", "nltk",
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 1 and "Add --flags last or --flags first" in done.stderr
