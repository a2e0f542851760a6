"""Laws that every metric of words keeps; a new one is covered without an edit here."""

import doctest
import inspect
import json
import math
import pickle
import pydoc
import re
import shlex
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
from fencepost.metrics.bounds import Stated, outside
from fencepost.metrics.registry import add_counts, find
from fencepost.metrics.settings import Choice, Flag
from fencepost.metrics.signature import Context
from fencepost.model.checks import MetricError
from fencepost.model.pairs import Pairs
from fencepost.model.words import WordSegments
from support import DATA, PAIR_METRICS, WORD_METRICS, ok, put, refused, run

every_metric = pytest.mark.parametrize("metric", WORD_METRICS.values(), ids=WORD_METRICS)

words = st.lists(st.sampled_from("abcd"), max_size=6)


@st.composite
def corpora(draw, max_segments=4):
    """References of each segment (None among them) and hypotheses, as lists of words."""
    size = draw(st.integers(1, max_segments))
    references = st.lists(words | st.none(), min_size=1, max_size=3).filter(
        lambda own: any(one is not None for one in own)
    )
    sides = (
        st.lists(references, min_size=size, max_size=size),
        st.lists(words, min_size=size, max_size=size),
    )
    return draw(sides[0]), draw(sides[1])


SEVERAL = (
    [[["a", "b", "c", "d"], ["a", "b"]], [["c", "d", "a", "e", "f"], None], [["b"], ["c", "b"]]],
    [["a", "b", "x", "c", "d"], ["c", "d", "e", "f", "a"], ["b"]],
)


def fitting(metric, corpus):
    """The corpus as the metric takes it: texts, or the same words in other segments."""
    references, hypotheses = corpus
    if metric.lines:
        flat = [word for own in hypotheses for word in own]
        cuts = np.linspace(0, len(flat), len(hypotheses) + 1).astype(int).tolist()
        return [[flat[a:b]] for a, b in pairwise(cuts)], hypotheses
    if metric.peer is None:
        return corpus
    texts = [[None if one is None else " ".join(one) for one in own] for own in references]
    return texts, [" ".join(own) for own in hypotheses]


def segments_of(metric, corpus):
    """What the recipes of the metric count."""
    make = WordSegments.from_words if metric.peer is None else WordSegments.from_texts
    return make(*fitting(metric, corpus))


def same(x, y):
    return x == pytest.approx(y, rel=1e-12, abs=1e-12, nan_ok=True)


# What it gives.


@every_metric
@given(corpora())
def test_identical_words_are_perfect_or_declared_otherwise(metric, corpus):
    references, _ = corpus
    heard = [next(one for one in own if one is not None) for own in references]
    references, hypotheses = fitting(metric, (references, heard))
    if metric.lines:
        references = [[own] for own in hypotheses]
    value = metric(references, hypotheses).value
    if math.isnan(value):
        assert "undefined" in metric.doc and "never undefined" not in " ".join(metric.doc.split())
    elif metric.better == "lower":
        assert value == metric.range[0] == 0
    elif math.isinf(metric.range[1]):
        assert "without an upper end" in " ".join(metric.doc.split())
    elif value == 0:
        assert "0 where sacrebleu" in " ".join(metric.doc.split())
    else:
        assert value == pytest.approx(metric.range[1])


@every_metric
@given(corpora())
def test_the_value_is_within_the_declared_range(metric, corpus):
    value = metric(*fitting(metric, corpus)).value
    if math.isnan(value):
        assert "undefined" in metric.doc and "never undefined" not in " ".join(metric.doc.split())
    else:
        low, high = metric.range
        assert low <= value <= high + 1e-9


@every_metric
@given(corpora())
def test_true_counts_are_within_their_bounds(metric, corpus):
    """So that no saved row is refused."""
    segments = segments_of(metric, corpus)
    first = segments.reference_lengths[segments.segment_offsets[:-1]].astype(float)
    alone = np.ones(len(segments), dtype=bool)
    for settings in ({}, {"segments": "document"}, {"reading": "equation1"}):
        if settings.keys() <= metric.params.keys():
            recipe = metric.recipe(**settings)
            counts = recipe.count(segments)
            single = segments.reference_counts() == "1"
            rows = slice(len(counts))
            stated = Stated(first[rows], 0 * first[rows], alone[rows], own=single)
            for name, ends in recipe.bounds(counts, stated).items():
                column = counts[:, recipe.counts.index(name)].astype(float)
                assert not outside(column, *ends).any(), (name, column, ends)


@every_metric
@given(corpora())
def test_the_value_is_that_of_added_counts(metric, corpus):
    recipe = metric.recipe()
    rows = recipe.count(segments_of(metric, corpus))
    assert rows.shape == (len(corpus[1]), len(recipe.counts))
    assert rows.dtype in (np.int64, np.float64)
    assert np.isfinite(rows).all() and (rows >= 0).all()
    total = add_counts(rows)
    score = metric(*fitting(metric, corpus))
    assert list(score.counts) == list(recipe.counts)
    assert list(score.counts.values()) == total.tolist()
    assert same(score.value, recipe.value(total[None, :])[0])


@every_metric
@given(corpora(), corpora())
def test_a_batch_of_documents_is_the_sum_of_its_parts(metric, first, second):
    recipe = metric.recipe()
    parts = [recipe.count(segments_of(metric, one)) for one in (first, second)]
    if metric.lines:  # words of a document stay in it
        sides = [fitting(metric, one) for one in (first, second)]
        together = WordSegments.from_words(*(a + b for a, b in zip(*sides, strict=True)))
    else:
        together = segments_of(metric, (first[0] + second[0], first[1] + second[1]))
    rows = recipe.count(together)
    if metric.name == "nist":  # whose weights are those of all references; its lengths add up
        counted = [i for i, name in enumerate(recipe.counts) if "information" not in name]
        rows, parts = rows[:, counted], [part[:, counted] for part in parts]
    np.testing.assert_allclose(rows, np.concatenate(parts), rtol=1e-12)


@every_metric
@given(corpora())
def test_the_order_of_segments_does_not_matter(metric, corpus):
    if metric.lines:
        return  # two segmentations of the same words, in their order
    backwards = corpus[0][::-1], corpus[1][::-1]
    rows = [metric.recipe().count(segments_of(metric, one)) for one in (corpus, backwards)]
    np.testing.assert_allclose(rows[0], rows[1][::-1], rtol=1e-12, atol=1e-12)


@every_metric
@given(corpora())
def test_a_document_as_one_segment_is_its_words_together(metric, corpus):
    if "segments" not in metric.params:
        return
    recipe = metric.recipe(segments="document")
    room = max(map(len, corpus[0]))
    filled = []
    for own in corpus[0]:
        first = next(one for one in own if one is not None)
        filled.append([first if one is None else one for one in [*own, *[None] * room][:room]])
    joined = [[word for own in filled for word in own[r]] for r in range(room)]
    whole = [joined], [[word for own in corpus[1] for word in own]]
    rows = recipe.count(segments_of(metric, corpus))
    assert rows.shape == (1, len(recipe.counts))
    if metric.peer is None:
        np.testing.assert_allclose(rows, metric.recipe().count(segments_of(metric, whole)))
    score = metric(*fitting(metric, corpus), segments="document")
    assert same(score.value, metric(*fitting(metric, whole)).value)


@every_metric
def test_a_stream_that_was_not_cut_has_no_other_segments(metric):
    if "segments" not in metric.params:
        return
    for segments in ("given", "chopped"):
        with pytest.raises(MetricError, match="is about a stream of words that was divided"):
            metric(*fitting(metric, SEVERAL), segments=segments)


@every_metric
def test_no_rows_have_no_values(metric):
    recipe = metric.recipe()
    assert recipe.value(np.zeros((0, len(recipe.counts)))).shape == (0,)


# NIST weighs n-grams by how often references have them.


def information(references):
    """Weights of n-grams by all references of a test set, by the formula."""
    times = Counter()
    for one in (one for own in references for one in own if one is not None):
        times[()] += len(one)
        for n in range(1, 6):
            times.update(tuple(one[i : i + n]) for i in range(len(one) - n + 1))
    return {gram: math.log2(times[gram[:-1]] / times[gram]) for gram in times if gram}


def slow_nist(segments, weights):
    """NIST of some segments with given weights."""
    gained, grams, length, mean = [0.0] * 5, [0] * 5, 0, 0.0
    for references, heard in segments:
        present = [one for one in references if one is not None]
        length += len(heard)
        mean += sum(map(len, present)) / len(present)
        for n in range(1, 6):
            own = Counter(tuple(heard[i : i + n]) for i in range(len(heard) - n + 1))
            most = Counter()
            for one in present:
                most |= Counter(tuple(one[i : i + n]) for i in range(len(one) - n + 1))
            grams[n - 1] += sum(own.values())
            gained[n - 1] += sum(weights[g] * times for g, times in (own & most).items())
    if not mean:
        return math.nan
    ratio = min(1.0, length / mean)
    beta = math.log(0.5) / math.log(1.5) ** 2
    penalty = math.exp(beta * math.log(ratio) ** 2) if ratio else 0.0
    return penalty * sum(g / n for g, n in zip(gained, grams, strict=True) if n)


@given(corpora(), st.data())
def test_nist_keeps_the_weights_of_the_whole_set_over_resamples(corpus, data):
    nist = fp.METRICS["nist"].recipe()
    rows = nist.count(WordSegments.from_words(*corpus))
    size = len(corpus[1])
    drawn = data.draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
    segments = [(corpus[0][i], corpus[1][i]) for i in drawn]
    value = float(nist.value(add_counts(rows[drawn])[None, :])[0])
    assert same(value, slow_nist(segments, information(corpus[0])))


# What it refuses.


@every_metric
def test_pairs_of_segmentations_are_refused_with_the_command(metric):
    pairs = Pairs.from_segmentations([fp.Segmentation.from_masses([2, 3])] * 2, [
        fp.Segmentation.from_masses([1, 4])] * 2)  # fmt: skip
    with pytest.raises(MetricError) as error:
        metric.recipe().count(pairs)
    assert str(error.value) == (
        f"{metric.name} measures words against segmented references: fencepost resegment REF -i "
        f"HYP -m {metric.name} (fp.score_streams)"
    )
    gold = {"t": [2, 3]}
    with pytest.raises(MetricError, match="fencepost resegment REF -i HYP"):
        fp.score(gold, {"s": gold}, metrics=[metric.name])


@pytest.mark.parametrize("metric", PAIR_METRICS.values(), ids=PAIR_METRICS)
def test_metrics_of_segmentations_refuse_words(metric):
    sentence = (
        f"{metric.name} compares segmentations, not words: fencepost score REF -i HYP -m "
        f"{metric.name} (fp.score)"
    )
    with pytest.raises(MetricError) as error:
        metric.recipe().count(WordSegments.from_words(*SEVERAL))
    assert str(error.value) == sentence
    with pytest.raises(MetricError) as error:
        fp.score_streams(["a b"], {"s": "a"}, metrics=[metric])
    assert str(error.value) == sentence


@every_metric
@pytest.mark.parametrize(
    ("references", "hypotheses", "sentence"),
    [
        ([], [], "there is no segment to measure"),
        ("a", ["a"], "the references: expected a list, found str 'a'"),
        ([["a"]], "a", "the hypotheses: expected a list, found str 'a'"),
        (None, ["a"], "the references: expected a list, found NoneType None"),
        ([[["a"]], [["b"]]], [["a"]], "1 hypothesis segments need as many reference segments, "
            "found 2; if their boundaries differ, use fencepost resegment"),
        ([[None]], [[]], "segment 1 has no reference; an empty one is written as such"),
        ([["a"], ["b"]], [3, 3], "hypothesis of segment 1: expected "),
        (["a"], [[]], "references of segment 1: expected a list, found str 'a'"),
        ([[7]], [[]], "reference of segment 1: expected "),
    ],
)  # fmt: skip
def test_what_is_no_segments_is_named(metric, references, hypotheses, sentence):
    if metric.peer is not None and hypotheses == [[]]:
        hypotheses = [""]
    if metric.peer is not None and references == [[["a"]], [["b"]]]:
        references, hypotheses = [["a"], ["b"]], ["a"]
    with pytest.raises(MetricError) as error:
        metric(references, hypotheses)
    assert str(error.value).startswith(sentence)


@every_metric
def test_words_and_texts_are_not_taken_for_each_other(metric):
    if metric.peer is None:
        sides, said = ([["a b"]], ["a b"]), "expected a list of words, found str 'a b'; make tokens"
    else:
        sides, said = ([[["a"]]], [["a"]]), "expected its text, found list ['a']"
    with pytest.raises(MetricError, match=re.escape(f"hypothesis of segment 1: {said}")):
        metric(*sides)


@every_metric
def test_settings_that_are_none_are_refused_with_those_there_are(metric):
    with pytest.raises(MetricError) as error:
        metric(*fitting(metric, SEVERAL), wombat=3)
    assert str(error.value).startswith(f"{metric.name} has no setting 'wombat'; it has ")
    assert all(name in str(error.value) for name in metric.params)
    for name, param in metric.params.items():
        if isinstance(param, Choice):
            with pytest.raises(MetricError) as error:
                metric.recipe(**{name: "wombat"})
            assert f"{name} must be " in str(error.value)
            assert all(choice in str(error.value) for choice in param.choices)
    with pytest.raises(MetricError, match="takes references and hypotheses; settings go by name"):
        metric(*fitting(metric, SEVERAL), 3)


@pytest.mark.slow
@every_metric
def test_commands_about_segmentations_refuse_it_in_one_sentence(metric):
    name = metric.name
    two = (DATA / "gold.jsonl", "-i", DATA / "hasty.jsonl")
    words = f"{name} measures words against segmented references: fencepost resegment REF -i HYP"
    assert refused(2, "score", *two, "-m", name).startswith(words)
    assert refused(2, "score", *two, "-m", "B", name).startswith(words)
    assert refused(2, "score", *two, "-m", name, "--conventions").startswith(words)
    assert refused(2, "score", *two, "--signature", metric.recipe().signature()).startswith(words)
    assert refused(2, "probe", name).startswith(words)
    assert refused(2, "probe", "B", "--against", name).startswith(words)
    assert refused(2, "edits", *two, "-m", name) == f"{name} keeps no edits; S, B and A do: -m B"
    assert refused(2, "agree", DATA / "stargazers.json", "-m", name) == (
        "agreement needs a symmetric similarity such as B, S, A, F or Sf, or T or L of "
        f"hierarchies; {name} is not"
    )


# What it says about itself.


@every_metric
def test_the_docstring_has_formula_weakness_example_and_source(metric):
    assert ".. math::" in metric.doc
    assert ">>> " in metric.doc
    assert re.search(r"Known\s+weakness:\s", metric.doc)
    assert "undefined" in metric.doc
    assert re.search(r"0\s+is\s+perfect|0 says that|igher\s+is\s+better", metric.doc)
    assert re.search(r"\(\d{4}\)|Post \d{4}", metric.cite)
    assert metric.__doc__.startswith(metric.doc)  # and then its settings


@every_metric
def test_the_example_of_the_docstring_runs(metric):
    test = doctest.DocTestParser().get_doctest(
        metric.doc, dict(fp.METRICS), metric.name, None, None
    )
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.tries > 0
    assert runner.failures == 0


@every_metric
def test_help_shows_the_call_and_every_setting(metric):
    text = pydoc.plain(pydoc.render_doc(metric))
    assert f"\n    {metric.name}(references, hypotheses" in text
    assert ("is a text" if metric.peer else "is a list of words") in text
    for name, param in metric.params.items():
        kind = inspect.signature(metric).parameters[name].annotation
        assert re.search(
            rf"\n    {name}: [^\n]+ = {re.escape(repr(metric.defaults[name]))}\n", text
        )
        assert param.help in text
        assert kind is bool or param.accepts() in text
    parameters = inspect.signature(metric).parameters
    assert list(parameters) == ["references", "hypotheses", *metric.params]
    for name, default in metric.defaults.items():
        assert parameters[name].default == default
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def recipes(metric):
    """The default, and every listed value of every setting."""
    yield metric.recipe()
    for name, param in metric.params.items():
        values = param.choices if isinstance(param, Choice) else ()
        for value in (True, False) if isinstance(param, Flag) else values:
            yield metric.recipe(**{name: value})


@every_metric
def test_the_signature_parses_back_to_the_same_recipe(metric):
    for recipe in recipes(metric):
        for context in (Context(), Context(refs="1-2", reading=(("ties", "rwth"),))):
            signature = recipe.signature(context)
            assert signature.metric == metric.name
            assert signature.endswith(f"|fencepost:{fp.__version__}")
            again = fp.parse(signature)
            assert again == recipe
            assert signature.context == again.signature(context).context
            assert again.signature(context) == signature
        assert fp.parse(str(recipe)) == recipe
        written = ",".join(f"{key}={value}" for key, value in recipe.written().items())
        assert fp.parse(f"{metric.name}:{written}") == recipe
        assert fp.parse(f"{metric.name}({written})") == recipe


@every_metric
def test_segments_stand_in_the_signature_and_the_title_unless_they_were_found(metric):
    if "segments" not in metric.params:
        return
    plain = metric.recipe()
    assert "segments" not in plain.signature().fields
    assert plain.title == metric.title
    for segments, said in (
        ("given", "own lines"),
        ("document", "documents"),
        ("chopped", "chopped"),
    ):
        recipe = metric.recipe(segments=segments)
        assert recipe.signature().fields["segments"] == segments
        assert recipe.title == f"{metric.title}, {said}"
        assert recipe.needs_lines == (segments == "given")


@every_metric
def test_a_score_carries_the_signature_of_its_recipe(metric):
    references, hypotheses = fitting(metric, SEVERAL)
    score = metric(references, hypotheses)
    sizes = [sum(one is not None for one in own) for own in references]
    refs = str(sizes[0]) if len(set(sizes)) == 1 else f"{min(sizes)}-{max(sizes)}"
    assert score.signature == metric.recipe().signature(Context(refs=refs))
    assert score.metric == metric.name
    assert all(type(count) in (int, float) for count in score.counts.values())


@every_metric
def test_names_and_aliases_belong_to_one_metric(metric):
    for name in (metric.name, *metric.aliases):
        for written in (name, name.lower(), name.upper(), name.replace("_", "-")):
            assert find(written) is metric
            assert fp.parse(written).metric is metric
    others = {
        word.lower()
        for other in fp.METRICS.values()
        for word in (other.name, *other.aliases)
        if other is not metric
    }
    assert not {word.lower() for word in (metric.name, *metric.aliases)} & others


@every_metric
def test_pickling_gives_the_same_metric_recipe_and_score(metric):
    assert pickle.loads(pickle.dumps(metric)) is metric
    for recipe in recipes(metric):
        assert pickle.loads(pickle.dumps(recipe)) == recipe
    score = metric(*fitting(metric, SEVERAL))
    again = pickle.loads(pickle.dumps(score))
    assert type(again) is fp.Score
    assert (again.value, again.counts) == (score.value, score.counts)
    assert again.signature == score.signature


@every_metric
def test_units_say_what_tables_show(metric):
    recipe = metric.recipe()
    rows = recipe.count(segments_of(metric, SEVERAL))
    scale = 100 if metric.percent else 1
    np.testing.assert_array_equal(recipe.shown(rows), scale * recipe.value(rows))
    assert recipe.unit == ("%" if metric.better == "lower" else "")
    assert recipe.range == (scale * metric.range[0], scale * metric.range[1])


# The command line about it.


@every_metric
def test_the_command_explains_it(metric):
    out = ok("metrics", metric.name)
    assert out.startswith(f"{metric.name} ({metric.title}")
    assert "Known weakness" in " ".join(out.split())
    assert metric.cite in out
    for name in metric.params:
        assert re.search(rf"\b{name}\b", out)
    for alias in metric.aliases:
        assert ok("metrics", alias) == out
    listed = ok("metrics")
    assert re.search(rf"^ *{metric.name}\b", listed, re.MULTILINE)


FILES = {
    "REF1": "That only leaves me.\nto invite Mister Barroso\nbut as soon as possible\nthey put to "
    "us\na motion on whether Parliament\n",
    "REF2": "The only thing left for me to do\nis to invite Mr Barroso\n\na proposal\non which the "
    "Parliament\n",
    "HYP": "I can only but that as soon as possible\ninvite Mister Barroso\nbut that. As soon as "
    "possible\nwe propose\na proposal on which Parliament\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        put(tmp_path, name, text)
    return tmp_path


def rows_of(folder, *words):
    """The rows of a command, by signature."""
    done = run("resegment", "REF1", "REF2", "-i", "HYP", *words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return {row["signature"]: row for row in json.loads(done.stdout)["rows"]}


@pytest.mark.slow
@every_metric
@pytest.mark.parametrize(
    "words",
    [
        ("--no-intervals",),
        ("--ties", "latest", "--tokenizer", "13a", "--case", "keep", "--resamples", "200"),
        ("--prefer", "breaks", "--costs", "2", "1", "1", "--punctuation", "remove", "--seed", "7"),
        ("--like", "mwersegmenter", "--document", "--chop", "--method", "percentile"),
    ],
    ids=" ".join,
)
def test_the_command_of_a_signature_gives_the_same_number(metric, words, folder):
    rows = rows_of(folder, "-m", metric.name, *words)
    own = {signature: row for signature, row in rows.items() if row["metric"] == metric.name}
    assert own
    for signature, row in own.items():
        command = ok("metrics", signature).rstrip("\n").splitlines()[-1]
        assert command.startswith(f"fencepost resegment REF -i HYP -m {metric.name}")
        more = shlex.split(command)[5:]
        bare = () if "|bs:" in signature else ("--no-intervals",)
        assert rows_of(folder, *more, *bare)[signature] == row
        assert rows_of(folder, "--signature", signature, *bare) == {signature: row}
