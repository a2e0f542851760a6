"""Signatures: rendered from recipe and context, read back to both, and explained by a command."""

import json
import pickle
import shlex

import numpy as np
import pytest

import fencepost as fp
from fencepost._version import VERSION
from fencepost.metrics import METRICS, Choice, Flag, Number, Param, Whole, registry
from fencepost.metrics.boundary import Tolerance
from fencepost.metrics.edit import Substitution, TypeOrder
from fencepost.metrics.flexible import CostsParam
from fencepost.metrics.registry import Metric, parse
from fencepost.metrics.signature import READING, Context, Signature
from fencepost.metrics.window import Width
from fencepost.report.html.scores import score_page
from support import SAMPLES, ok, put, refused, run

# Several values of every kind of setting, the least and the odd ones among them.
VALUES = {
    Width: (1, 5, "auto", "corpus", "auto-segeval", "auto-nltk", "auto-fournier2012"),
    Tolerance: (0, 3, "5%", "2.5%"),
    Substitution: ("auto", "ordinal", "nominal", {("a", "b"): 0.5, ("b", "c"): 0.25}),
    TypeOrder: (None, "minor<major", ",<.<?", ["a", "b:c"]),
    CostsParam: (None, "positions", "lai2023", {("a", "b"): 0.5}),
    Whole: (1, 2, 7),
    Param: ("13a", "zh"),
    Number: (0, 1, 0.3, 1 / 3, 1e-7),
    Flag: (True, False),
}


def values(param):
    """Values to try: those of the nearest class that has some."""
    own = (VALUES[kind] for kind in type(param).__mro__ if kind in VALUES)
    return param.choices if isinstance(param, Choice) else next(own)


SETTINGS = [
    (metric, name, value)
    for metric in METRICS.values()
    for name, param in metric.params.items()
    for value in values(param)
] + [(METRICS["alignment_similarity"], "threshold", None)]  # fmt: skip

# A value of every field of a context; those of readers are any text.
FIELDS = {
    "chance": "shuffle,400", "counting": "cuts", "pooling": "pooled", "weighting": "positions",
    "coefficient": "kappa", "missing": "skip", "avg": "macro", "refs": "mean", "runs": "3",
    "interval": "texts,t,1000", "bs": "t,10000", "group": "part|one", "test": "randomization,500",
    "against": "bert: 100%", "pairs": "all", "adjust": "holm,4", "draws": "20", "seed": "7",
    "fencepost": "0.0.9",
    "folds": "5",
}  # fmt: skip
CONTEXTS = [
    Context(),
    *(Context(**{name: value}) for name, value in FIELDS.items()),
    *(Context(reading=((name, "0.5"),)) for name in sorted(READING)),
    Context(reading=(("ignored", r"\[.*?\]|%7C:"), ("flags", "last"))),
    Context(reading=(("of a plug-in: own", "x"), ("seed", "3")), seed="4"),
    Context(reading=(("flags", "last"),), **FIELDS),
]


@fp.metric(title="Clash", cite="here", counts=("a", "b"), value=lambda a, b: a / b, better="lower")
def clash(pairs, *, seed: int = 1, threshold: float = 0.123456789, flags: str = "x", avg: int = 2):
    """A metric whose settings have the names of context fields."""
    return np.tile([1, seed], (len(pairs), 1))


def again(signature):
    """The same text, as somebody else would give it."""
    found = Signature(str(signature))
    assert found._made is None
    return found


def test_every_field_of_the_context_is_tried():
    assert FIELDS.keys() | {"reading"} == set(Context._fields)
    given = [p for m in METRICS.values() for p in m.params.values()]
    # A plain Param alone says nothing about its values.
    assert all(
        isinstance(p, (*(VALUES.keys() - {Param}), Choice)) or type(p) is Param for p in given
    )


@pytest.mark.parametrize(("metric", "name", "value"), SETTINGS, ids=lambda one: str(one)[:30])
def test_settings_survive_signature_and_command_line(metric, name, value):
    recipe = metric.recipe(**{name: value})
    signature = recipe.signature()
    found = again(signature)
    assert (found.recipe, found.recipe.settings) == (recipe, recipe.settings)
    assert found.recipe.signature(found.context) == signature
    assert parse(str(recipe)) == recipe and hash(parse(str(recipe))) == hash(recipe)
    assert recipe.metric.params[name].meaning(recipe.settings[name])


@pytest.mark.parametrize("metric", [*METRICS.values(), clash], ids=lambda one: one.name)
@pytest.mark.parametrize("context", CONTEXTS, ids=lambda one: str(one.fields())[:40])
def test_contexts_survive_beside_every_metric(metric, context):
    registry.as_metric(metric, "the test")
    recipe = metric.recipe()
    signature = recipe.signature(context)
    found = again(signature)
    assert (found.recipe, found.context) == (recipe, context)
    assert found.recipe.signature(found.context) == signature
    assert pickle.loads(pickle.dumps(signature)).context == context


def test_settings_and_context_of_one_name_are_written_apart():
    one = parse("A:threshold=0.3").signature(Context(reading=(("threshold", "0.5"),)))
    assert "|threshold:0.3|reading.threshold:0.5|" in one
    registry.as_metric(clash, "the test")
    made = clash.recipe(seed=5).signature(Context(seed="9", avg="micro"))
    assert "|seed:5|" in made and "|context.avg:micro|context.seed:9|" in made
    assert again(made).recipe.settings["seed"] == 5 and again(made).context.seed == "9"
    # Where nothing clashes the text is what it always was.
    plain = parse("pk").signature(Context(reading=(("threshold", "0.5"),), avg="macro"))
    assert plain == f"pk|k:auto-half-up|pad:none|threshold:0.5|avg:macro|fencepost:{VERSION}"


def test_a_threshold_of_the_metric_and_one_of_reading_are_both_kept(tmp_path):
    put(tmp_path, "gold.jsonl", '{"id": "a", "ref": [2, 3, 4]}\n{"id": "b", "ref": [5, 5]}\n')
    put(tmp_path, "hyp.jsonl",
        '{"id": "a", "hyp": [0.1, 0.6, 0.4, 0.1, 0.7, 0.2, 0, 0, 1]}\n'
        '{"id": "b", "hyp": [0.1, 0.2, 0, 0.9, 0.1, 0, 0, 0.6, 0.3, 1]}\n')  # fmt: skip
    words = ["score", "gold.jsonl", "-i", "hyp.jsonl", "--no-baselines", "--json"]

    def scored(*more):
        return json.loads(ok(*words, *more, cwd=tmp_path))["rows"][0]

    read = ("--threshold", "0.5", "--flags", "last")
    both = scored("-m", "A:threshold=0.3", *read)
    other = scored("-m", "A:threshold=0.9", *read)
    assert both["value"] != other["value"]
    assert "|threshold:0.3|flags:last|reading.threshold:0.5|" in both["signature"]
    out = ok("metrics", both["signature"])
    assert "threshold is 0.3: edges lighter than this count 0\n" in out
    assert "reading.threshold is 0.5: a probability of at least 0.5 was a boundary\n" in out
    assert scored(*options(out)) == both
    assert scored("--signature", both["signature"]) == both
    assert "threshold is none: every edge counts" in ok("metrics", parse("A").signature())


def options(explained):
    """The options of the command that an explanation ends with, after REF -i HYP."""
    words = shlex.split(explained.strip().rpartition("\n\n")[2])
    assert words[:5] == ["fencepost", "score", "REF", "-i", "HYP"], words
    return words[5:]


GOLD = {"a": [2, 3, 4, 3], "b": [5, 5, 2], "c": [1, 6, 3, 1, 2], "d": [4, 3, 4], "e": [2, 2, 2, 7]}
OURS = {"a": [3, 2, 4, 3], "b": [5, 7], "c": [2, 5, 4, 2], "d": [4, 3, 2, 2], "e": [1, 3, 2, 7]}
TYPED = [  # two texts, with boundary types that each kind of costs is for
    ("a", 9, [2, 6], [3, 6]), ("b", 8, [1, 4], [1, 5]),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("signatures")
    put(made, "gold.json", GOLD)
    put(made, "ours.json", OURS)
    for name, kinds in (("ab", ["a", "b"]), ("marks", [".", ","])):
        for side, at in (("gold", 2), ("ours", 3)):
            put(made, f"{side}-{name}.jsonl", "".join(
                json.dumps({"id": text[0], "ref": {"units": text[1], "cuts": text[at],
                                                   "kinds": kinds}}) + "\n"
                for text in TYPED))  # fmt: skip
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "name", "value"),
    [own for own in SETTINGS if own[0].input == "pairs"],
    ids=lambda one: str(one)[:30],
)
def test_an_explained_signature_gives_the_same_number(folder, metric, name, value):
    made = metric.recipe(**{name: value})
    files = ["gold.json", "-i", "ours.json"]
    if isinstance(value, dict) or value == "lai2023":  # costs of boundary types
        kinds = "ab" if isinstance(value, dict) else "marks"
        files = [f"gold-{kinds}.jsonl", "-i", f"ours-{kinds}.jsonl", "--hyp-field", "ref"]
    words = ["score", *files, "--json", "--no-baselines", "--no-intervals"]
    done = run(*words, "-m", str(made), cwd=folder)
    if done.returncode:  # settings that do not go together: intersect needs directed edges
        assert done.returncode == 2 and "weight" in done.stderr
        return
    (row,) = json.loads(done.stdout)["rows"]
    out = ok("metrics", row["signature"])
    assert json.loads(ok(*words, *options(out), cwd=folder))["rows"] == [row]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("k=auto-nltk", "NLTK's rule: the positions of each text divided by twice"),
        ("k=auto-segeval", "segeval's rule: half the mean reference segment"),
        ("k=auto-fournier2012", "the rule of Fournier and Inkpen (2012)"),
        ("k=corpus", "the same width in all texts"),
        ("k=auto", "half the mean reference segment of each text, a half rounded up"),
        ("k=5", "k is 5: window width\n"),
        ("pad=none", "pad is none: no phantom units"),
        ("pad=lamprier", "pad is lamprier: k - 1 phantom units at both ends"),
        ("weighted=no", "weighted is no: windows that differ are counted"),
    ],
)
def test_explanations_are_of_the_value_not_of_the_default(setting, words):
    out = ok("metrics", parse(f"windowdiff:{setting}").signature())
    assert " ".join(words.split()) in " ".join(out.split())
    rule = setting.partition("k=auto-")[2]
    assert "rounded half up" not in out.partition("pad is")[0] or not rule


READ = [  # files of the samples, options of reading, and what the signature has of them
    ("marks.jsonl -i probabilities.jsonl --hyp-field probs", "--threshold 0.5 --flags last",
     {"flags": "last", "threshold": "0.5"}),
    ("chunks.json -i chunks.json", "--overlap end", {"overlap": "end"}),
    ("film.srt -i film.srt", "--levels 1", {"levels": "1"}),
    ("talk.eaf -i talk.eaf --ref-field anna --hyp-field anna", "--units seconds:0.1 --gaps join",
     {"units": "0.1s", "gaps": "join"}),
    ("talk.eaf -i talk.eaf --ref-field anna --hyp-field anna", "--units words:words",
     {"units": "words:words"}),
    ("chat.rez -i chat.rez", "--tiers one --ignore-tokens mhm|\\?", {"ignored": "mhm|\\?"}),
    ("eve.cha -i eve.cha", "--tiers one", {"tiers": "one"}),
    ("times.jsonl -i times.jsonl --hyp-field ref", "--encoding times --units words:words",
     {"encoding": "times"}),
    ("disrpt.tok -i disrpt.tok", "--ref-field sentences --hyp-field sentences",
     {"segments": "sentences"}),
    ("labelstudio.json -i labelstudio.json --ref-field anna@example.org --hyp-field "
     "anna@example.org", "--snap", {"snap": "space", "units": "chars"}),
]  # fmt: skip


@pytest.mark.parametrize(("files", "read", "fields"), READ, ids=[read for _, read, _ in READ])
def test_choices_of_reading_are_in_the_command(files, read, fields):
    words = ["score", *files.split(), "--json", "--no-baselines"]
    found = json.loads(ok(*words, *read.split(), "-m", "WD", cwd=SAMPLES))["rows"]
    context = Signature(found[0]["signature"]).context
    assert dict(context.reading).items() >= fields.items()
    again = json.loads(ok(*words, *options(ok("metrics", found[0]["signature"])), cwd=SAMPLES))
    assert again["rows"] == found
    if "segments" not in fields:  # which field holds them is not for signatures to say
        signed = json.loads(ok(*words, "--signature", found[0]["signature"], cwd=SAMPLES))
        assert signed["rows"] == found


@pytest.mark.parametrize(
    "more",
    [
        ("--average", "micro"),
        ("--method", "bca", "--resamples", "500", "--seed", "3"),
        ("--missing", "skip"),
        ("--paired", "bootstrap", "--adjust", "bh", "--resamples", "500"),
        ("--all-pairs", "--resamples", "500"),
        ("--group", "groups.csv"),
    ],
    ids=" ".join,
)
def test_how_texts_were_combined_is_in_the_command(folder, more):
    put(folder, "theirs.json", {**OURS, "f": [3, 3]} if "skip" in more else GOLD)
    put(folder, "groups.csv", "text,group\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\n")
    words = ["score", "gold.json", "-i", "ours.json", "theirs.json", "--json", "--no-baselines"]
    first = json.loads(ok(*words, *more, "-m", "B", cwd=folder))
    part = first.get("comparisons") or first["rows"]
    found = options(ok("metrics", part[0]["signature"]))
    found = ["groups.csv" if word == "GROUPS" else word for word in found]
    again = json.loads(ok(*words, *found, cwd=folder))
    assert (again["rows"], again.get("comparisons")) == (first["rows"], first.get("comparisons"))


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--chance", "bernoulli", "--draws", "50", "--seed", "5"),
        ("--chance", "fournier2012", "--counting", "segments", "--weighting", "units"),
        ("--interval", "coders"),
        ("--interval", "texts", "--method", "percentile", "--resamples", "100"),
    ],
    ids=" ".join,
)
def test_an_explained_coefficient_gives_the_same_number(tmp_path, more):
    coders = {t: {"x": GOLD[t], "y": OURS[t], "z": [sum(GOLD[t])]} for t in GOLD}
    put(tmp_path, "coders.json", coders)
    found = json.loads(ok("agree", "coders.json", "--json", "-m", "B", *more, cwd=tmp_path))
    row = found["rows"][0]
    words = shlex.split(ok("metrics", row["signature"]).strip().rpartition("\n\n")[2])
    assert words[:3] == ["fencepost", "agree", "FILE"]
    again = json.loads(ok("agree", "coders.json", "--json", *words[3:], cwd=tmp_path))
    assert row in again["rows"]


def test_runs_are_named_in_the_command(folder):
    put(folder, "theirs.json", GOLD)
    words = ["score", "gold.json", "-i", "ours.json", "theirs.json", "--json", "--no-baselines"]
    first = json.loads(ok(*words, "--runs", "both=ours,theirs", "-m", "B", cwd=folder))
    out = ok("metrics", first["rows"][0]["signature"])
    assert "runs is 2: values are means over this number of runs of a system" in out
    found = ["both=ours,theirs" if word == "SYSTEM=RUN,RUN" else word for word in options(out)]
    assert json.loads(ok(*words, *found, cwd=folder))["rows"] == first["rows"]


def test_files_read_in_different_ways_are_said_not_to_fit_one_command():
    signature = parse("pk").signature(Context(reading=(("flags", "first+last"),), avg="macro"))
    out = ok("metrics", signature)
    assert "--flags" not in out and "read in different ways (flags first+last)" in out


def test_a_field_given_twice_is_refused(folder):
    with pytest.raises(fp.MetricError, match=r"k is given twice in the signature pk\|k:3\|k:5"):
        fp.parse("pk|k:3|k:5")
    message = refused(2, "score", "gold.json", "-i", "ours.json", "--signature",
                      "pk|k:3|avg:macro|avg:micro", cwd=folder)  # fmt: skip
    assert "avg is given twice" in message
    assert "given twice" in refused(2, "metrics", "pk|k:3|k:3")


def test_a_setting_cannot_have_the_name_of_the_version():
    with pytest.raises(TypeError, match="a setting cannot be called fencepost"):

        @fp.metric(title="x", cite="x", counts=("a",), value=lambda a: a, better="lower")
        def odd(pairs, *, fencepost: int = 1):
            """Say nothing."""


def test_tables_are_printed_without_parsing(monkeypatch):
    systems = dict.fromkeys(("w", "x", "y", "z"), OURS)
    metrics = ["pk", "WD:k=3", "WD:k=2", "B"]
    table = fp.score(GOLD, systems, metrics=metrics, paired="randomization", resamples=100)

    def fail(text):
        raise AssertionError(f"{text} was parsed")

    monkeypatch.setattr(registry, "parse_signature", fail)
    assert "WindowDiff k=3" in str(table)
    assert len(table.where(metric="WD")) == 12 and len(table.where(metric="WD:k=3")) == 6
    assert fp.score_counts(table.part("counts")).column("value") == table.column("value")
    corpora = {name: fp.Corpus.from_dict(OURS, name) for name in systems}
    assert score_page(table, fp.Corpus.from_dict(GOLD, "gold"), corpora).title


def test_rows_carry_recipe_and_context():
    table = fp.score(GOLD, OURS, metrics="WD:k=3", average="micro", intervals=False)
    signature = table.rows[0]["signature"]
    assert signature.recipe == parse("WD:k=3") and signature.context == Context(avg="micro")
    assert isinstance(signature.recipe.metric, Metric)
    assert table.to_dicts()[0]["signature"] == str(signature)
    assert json.loads(table.to_json())["rows"][0]["signature"] == str(signature)


def test_another_version_is_said():
    out = ok("metrics", "pk|k:3|fencepost:0.0.1")
    assert f"the signature was written by fencepost 0.0.1; this is {VERSION}" in out
