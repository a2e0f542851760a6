"""Boundary types have a declared order: the order of rows, texts and speakers changes nothing."""

import itertools
import json
import random

import pytest

import fencepost as fp
from fencepost import Corpus, Segmentation
from fencepost.model.checks import MetricError
from fencepost.model.corpus import CorpusBuilder, Key
from support import ok, put, refused

NAMES = ("minor", "major", "topic", "aside")
METRICS = ["B", "S:weights=scaled", "b_precision", "b_recall", "b_f", "Sf", "SfB"]


def typed_rows(names, seed=5, texts=("t1", "t2", "t3"), coders=("anna", "ben", "cleo")):
    """Rows whose kind_names are the types of that row alone, in the order they are met."""
    draw = random.Random(seed)
    rows = []
    for text, speaker, coder in itertools.product(texts, ("A", "B"), coders):
        places = sorted(draw.sample(range(1, 12), 6))
        used = [draw.choice(names) for _ in places]
        met = list(dict.fromkeys(used))
        seg = Segmentation(12, places, [met.index(name) + 1 for name in used], met)
        rows.append((Key(text, speaker, coder), seg))
    return rows


def corpus_of(rows):
    builder = CorpusBuilder()
    for key, seg in rows:
        builder.add(key, seg)
    return builder.build(name="typed")


def orders(rows):
    """The rows in many orders: texts, speakers and coders turned, and shuffled."""
    yield rows
    yield rows[::-1]
    for part in (0, 1, 2):
        yield sorted(rows, key=lambda row, part=part: row[0][part], reverse=True)
    for seed in range(8):
        yield random.Random(seed).sample(rows, len(rows))


def of_coder(rows, coder):
    return [(Key(key.text, key.stream, "1"), seg) for key, seg in rows if key.coder == coder]


@pytest.mark.parametrize("names", [NAMES, ("1", "2", "4", "10"), ("0.5", "-1", "2", "10")])
@pytest.mark.parametrize("types", [None, "declared"])
def test_scores_and_counts_do_not_depend_on_the_order_of_rows(names, types):
    rows = typed_rows(names)
    chosen = "<".join(names) if types else None
    found = set()
    for order in orders(rows):
        table = fp.score(
            corpus_of(of_coder(order, "anna")), corpus_of(of_coder(order, "ben")),
            metrics=METRICS, average="both", types=chosen, intervals=False,
        )  # fmt: skip
        values = tuple((row["signature"], row["system"], row["value"]) for row in table)
        # Rows have the number of their text; the first has the notes and how many rows there are.
        counts = sorted(
            str({k: v for k, v in row.items() if k not in ("number", "notes", "rows")})
            for row in table.part("counts").rows
        )
        per_text = sorted(str((r["text"], r["metric"], r["system"], r["value"]))
                          for r in table.part("per-text").rows)  # fmt: skip
        fingerprint = corpus_of(order).fingerprint()
        found.add((values, tuple(counts), tuple(per_text), fingerprint))
    assert len(found) == 1


@pytest.mark.parametrize("metric", ["B", "S:weights=scaled", "SfB"])
def test_agreement_and_consensus_do_not_depend_on_the_order_of_rows(metric):
    rows = typed_rows(NAMES)
    found, agreed = set(), set()
    for order in list(orders(rows))[::3]:
        corpus = corpus_of(order)
        # Of two annotators that are equally good the search starts from the first.
        listed = corpus_of(sorted(order, key=lambda row: row[0].coder))
        table = fp.agreement(corpus, metric=metric, chance="shuffle", draws=20, intervals=False)
        found.add(tuple((r["coefficient"], r["observed"], r["expected"]) for r in table))
        made = fp.consensus(listed, metric=metric)
        agreed.add(tuple(sorted(str(row) for row in made.table.rows)))
    assert len(found) == len(agreed) == 1


def token_table(names, texts, speakers):
    """One row per token; a file names its types in the order in which they are met."""
    draw = random.Random(7)
    rows = {
        (text, speaker): "".join(
            f"{text},{speaker},w{i},{draw.choice(names) * (draw.random() < 0.5)},"
            f"{draw.choice(names) * (draw.random() < 0.5)}\n"
            for i in range(12)
        )
        for text, speaker in itertools.product(("t1", "t2", "t3"), "AB")
    }
    return "text,speaker,token,anna,ben\n" + "".join(
        rows[key] for key in itertools.product(texts, speakers)
    )


@pytest.mark.parametrize("names", [NAMES, ("1", "2", "4", "10")])
def test_a_file_gives_the_same_numbers_with_its_texts_and_speakers_in_any_order(tmp_path, names):
    found = set()
    for texts, speakers in itertools.product(
        itertools.permutations(("t1", "t2", "t3")), itertools.permutations("AB")
    ):
        path = put(tmp_path, "talk.csv", token_table(names, texts, speakers))
        corpus = fp.read(path)
        gold, ours = (fp.read(path, field=name) for name in ("anna", "ben"))
        scores = fp.score(gold, {"ben": ours}, metrics=METRICS, average="both", intervals=False)
        agreed = fp.agreement(corpus, chance="shuffle", draws=20, intervals=False)
        by_type = fp.agreement(corpus, draws=20, intervals=False).part("types")
        found.add((
            corpus.fingerprint(),
            tuple((row["signature"], row["system"], row["value"]) for row in scores),
            tuple((row["observed"], row["expected"]) for row in agreed),
            str(by_type.rows),
            str(fp.confusions(corpus).rows),
        ))  # fmt: skip
    assert len(found) == 1


def test_types_of_arrow_tables_have_the_same_order_whatever_comes_first():
    arrow = pytest.importorskip("pyarrow")
    rows = [("a", 9, [2, 4, 4], ["y", "x", "z"]), ("b", 9, [3, 3, 7], ["z", "x", "y"])]
    made = []
    for order in (rows, rows[::-1]):
        columns = dict(
            zip(("text", "units", "cuts", "kinds"), zip(*order, strict=True), strict=True)
        )
        corpus = Corpus.from_arrow(arrow.table({k: list(v) for k, v in columns.items()}))
        assert corpus.kind_names == ("x", "y", "z")
        made.append((corpus.fingerprint(), corpus["a"]))
    assert made[0] == made[1]


# Prices.


def pair(a, b, names):
    return tuple(Segmentation(6, [3], [names.index(one) + 1], names) for one in (a, b))


def test_numbers_are_as_far_apart_as_their_values():
    names = ("1", "2", "4")
    for a, b in itertools.permutations(names, 2):
        score = fp.boundary_similarity(*pair(a, b, names))
        assert score.value == pytest.approx(1 - abs(int(a) - int(b)) / 4, abs=2**-53)
        assert score == fp.boundary_similarity(*pair(a, b, names), substitution="ordinal")
        assert fp.boundary_similarity(*pair(a, b, names), substitution="nominal").value == 0.5
    assert fp.boundary_similarity(*pair("-1", "0.5", ("-1", "0.5", "2"))).value == pytest.approx(
        1 - 1.5 / 4
    )


def test_names_without_an_order_are_equally_far_apart():
    for a, b in itertools.permutations(NAMES, 2):
        assert fp.boundary_similarity(*pair(a, b, NAMES)).value == 0.5


def test_a_declared_order_prices_by_rank():
    order = "minor<major<topic<aside"
    for a, b in itertools.permutations(NAMES, 2):
        expected = 1 - abs(NAMES.index(a) - NAMES.index(b)) / 4
        for kinds in (NAMES, NAMES[::-1]):
            assert fp.boundary_similarity(*pair(a, b, kinds), types=order).value == expected
    # The types of the task are those declared, whichever of them these texts have.
    assert fp.boundary_similarity(*pair("minor", "aside", ("aside", "minor")), types=order) == 0.25
    assert fp.boundary_similarity([2, 4], [3, 3], types=order).value == 0.5


def test_an_order_of_numbers_can_be_declared_too():
    names = ("1", "2", "4")
    score = fp.boundary_similarity(*pair("1", "4", names), types=["1", "4", "2"])
    assert score.value == pytest.approx(2 / 3, abs=2**-53)
    assert "|types:1<4<2|" in score.signature


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"substitution": "ordinal"},
            r"types have no order.*--types .* of aside major minor topic",
        ),
        ({"types": "minor<major"}, "'aside' is not in types minor<major"),
        ({"types": "minor<major", "substitution": "nominal"}, "types .* and substitution nominal"),
        ({"types": "minor"}, "types must be"),
        ({"types": "minor<minor"}, "types must be"),
        ({"types": "minor<<major"}, "types must be"),
        ({"types": 3}, "types must be"),
        ({"types": ["minor", 3]}, "types must be"),
    ],
)
def test_orders_that_do_not_fit_are_refused(settings, message):
    with pytest.raises(MetricError, match=message):
        fp.boundary_similarity(*pair("minor", "major", NAMES), **settings)


def test_like_segeval_prices_numbers_by_value_and_asks_for_the_order_of_names():
    assert fp.boundary_similarity(*pair("1", "2", ("1", "2", "4")), like="segeval") == 0.75
    with pytest.raises(MetricError, match="types have no order"):
        fp.boundary_similarity(*pair("minor", "major", NAMES), like="segeval")
    order = "minor<major<topic<aside"
    ours = fp.boundary_similarity(*pair("minor", "major", NAMES), like="segeval", types=order)
    assert ours == 0.75


# Signatures and the command line.


@pytest.mark.parametrize("types", [",<.<?", "a < b", "50%<100%", "x%3Cy<z", "b<c:d", "%<,"])
def test_orders_survive_signature_and_command_line(types):
    recipe = fp.boundary_similarity.recipe(types=types)
    assert fp.parse(str(recipe.signature())) == recipe
    assert fp.parse(str(recipe)) == recipe
    piped = fp.boundary_similarity.recipe(types="a|b<c:d")
    assert fp.parse(str(piped.signature())) == piped


def typed_file(folder, name, coder, rows):
    lines = []
    for key, seg in rows:
        if key.coder == coder and key.stream == "A":
            kinds = [seg.kind_names[kind - 1] for kind in seg.kinds.tolist()]
            one = {"units": seg.units, "cuts": seg.cuts.tolist(), "kinds": kinds}
            lines.append(json.dumps({"id": key.text, "ref": one}))
    put(folder, name, "\n".join(lines) + "\n")


@pytest.fixture
def files(tmp_path):
    rows = typed_rows(NAMES)
    for number, order in enumerate((rows, rows[::-1])):
        typed_file(tmp_path, f"gold{number}.jsonl", "anna", order)
        typed_file(tmp_path, f"hyp{number}.jsonl", "ben", order)
    return tmp_path


ORDER = "minor<major<topic<aside"


def scored(folder, *more, number=0):
    words = ["score", f"gold{number}.jsonl", "-i", f"hyp{number}.jsonl", "--hyp-field", "ref"]
    words += ["--no-baselines", "--no-intervals", "--json", *more]
    return json.loads(ok(*words, cwd=folder))


def test_the_order_stands_in_the_signature_and_comes_back_from_it(files):
    names = ["-m", "B", "S:weights=scaled", "pk"]
    for more in ([], ["--types", ORDER]):
        one, other = (scored(files, *names, *more, number=n)["rows"] for n in (0, 1))
        assert [r["value"] for r in one] == [r["value"] for r in other]
    assert f"|types:{ORDER}|" in one[0]["signature"]
    assert f"|types:{ORDER}|" in one[1]["signature"]
    assert "types" not in one[2]["signature"]
    again = scored(files, "--signature", one[0]["signature"])["rows"]
    assert again[0]["value"] == one[0]["value"]
    nominal = scored(files, "-m", "B")["rows"][0]
    assert nominal["value"] != one[0]["value"] and "types" not in nominal["signature"]
    out = ok("metrics", one[0]["signature"])
    assert f"types is {ORDER}: the order of boundary types" in out
    assert f"-m 'boundary_similarity:n_t=2,matching=optimal,types={ORDER}'" in out


def test_a_gate_and_edits_know_the_order(files):
    scored(files, "-m", "B", "--types", ORDER, "--gate", "B=0.0")
    words = ["edits", "gold0.jsonl", "-i", "hyp0.jsonl", "--hyp-field", "ref"]
    plain, ordered = (ok(*words, *more, cwd=files) for more in ([], ["--types", ORDER]))
    assert f"types:{ORDER}" in ordered and "types:" not in plain


def test_agree_takes_the_order(files):
    words = ["agree", "gold0.jsonl", "hyp0.jsonl", "--field", "ref", "--json", "--draws", "20"]
    rows = json.loads(ok(*words, "--types", ORDER, cwd=files))["rows"]
    assert any(f"|types:{ORDER}|" in row["signature"] for row in rows)
    wrong = refused(2, *words, "--types", ORDER, "-m", "A", cwd=files)
    assert "--types" in wrong and "-m B" in wrong


def test_types_that_cannot_apply_are_refused(files):
    words = ["score", "gold0.jsonl", "-i", "hyp0.jsonl", "--hyp-field", "ref"]
    assert "-m B" in refused(2, *words, "-m", "pk", "--types", ORDER, cwd=files)
    assert "minor<major" in refused(2, *words, "--types", "minor", cwd=files)
    for name in ("one.json", "two.json"):
        put(files, name, {"t1": [2, 3], "t2": [4, 1]})
    for plain in ("score one.json -i two.json", "edits one.json -i two.json",
                  "agree one.json two.json"):  # fmt: skip
        wrong = refused(2, *plain.split(), "--types", ORDER, cwd=files)
        assert "these texts have none" in wrong
    with pytest.raises(MetricError, match="these texts have none"):
        fp.agreement({"t": {"x": [2, 3], "y": [3, 2]}}, types=ORDER)
    signature = scored(files, "-m", "B")["rows"][0]["signature"]
    wrong = refused(2, *words, "--signature", signature, "--types", ORDER, cwd=files)
    assert "remove --types" in wrong


def test_a_note_says_that_names_have_no_order(files):
    notes = " ".join(scored(files, "-m", "B")["notes"])
    assert "boundary types have no declared order" in notes
    assert '--types "LEAST<...<GREATEST" (types= in Python) of aside major minor topic' in notes
    for more in (["-m", "B", "--types", ORDER], ["-m", "S"], ["-m", "B:substitution=nominal"]):
        assert "declared order" not in " ".join(scored(files, *more).get("notes", []))


def test_none_in_a_signature_is_no_order():
    recipe = fp.parse("segmentation_similarity:types=none")
    assert recipe.settings["types"] is None
    assert fp.parse("segmentation_similarity:types=minor<major").settings["types"] == "minor<major"
