"""Laws that every metric of the registry keeps; a new metric is covered without an edit here."""

import dataclasses
import doctest
import inspect
import math
import pickle
import pydoc
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fencepost as fp
import oracle
from fencepost import _core
from fencepost.metrics.bounds import Stated, outside
from fencepost.metrics.registry import Metric, Recipe, find
from fencepost.metrics.settings import Choice, Flag
from fencepost.metrics.single import Single
from fencepost.model.checks import MetricError
from fencepost.model.pairs import Column, Pairs, View
from strategies import KINDS, fitting, pairs, random_pairs, texts, typed_pairs, variants
from support import PAIR_METRICS

every_metric = pytest.mark.parametrize("metric", PAIR_METRICS.values(), ids=PAIR_METRICS)


def flat(pairs: Any, keys: Any = None) -> Pairs:
    refs, hyps = zip(*pairs, strict=True)
    return Pairs.from_segmentations(refs, hyps, keys)


def same(x: float, y: float) -> bool:
    return x == y or (math.isnan(x) and math.isnan(y))


def total(counts: np.ndarray) -> np.ndarray:
    """Sums of columns; those of float counts correctly rounded."""
    if counts.dtype.kind == "f":
        return np.array([[math.fsum(column) for column in counts.T]])
    return counts.sum(axis=0, keepdims=True)


def close(value: float, exact: Fraction) -> bool:
    """As close as a formula of a dozen floating-point steps can be.

    Counts are exact, or exact sums of correctly rounded weights; a value is made from them in at
    most twelve operations, each wrong by no more than 2^-53 of a number not larger than 1 (or the
    value, where that is larger). The families' own tests ask for equality where it can be had.
    """
    return abs(Fraction(value) - exact) <= 12 * Fraction(1, 2**53) * max(1, abs(exact))


@cache
def large_batch(sees: View, names: tuple[str, ...] | None) -> Pairs:
    """More work than is done in the calling thread, short and long texts together."""
    short, long = random_pairs(17, 2500, names=names), random_pairs(17, 4, (3000, 9000), names)
    batch = flat(fitting(sees, [*long, *short]))
    assert len(batch.ref.values) + len(batch.hyp.values) + len(batch) > 32768
    return batch


def kind_sets(metric: Metric[Any, Any]) -> list[tuple[str, ...] | None]:
    return [None] if metric.sees in ("positions", "weights") else [None, KINDS]


@pytest.fixture
def threads() -> Iterator[None]:
    before = _core.get_threads()
    yield
    fp.set_threads(before)


# What it gives.


@pytest.mark.slow
@every_metric
@given(data=st.data(), texts=texts())
def test_the_value_over_texts_is_that_of_its_oracle(metric, data, texts):
    formula = getattr(oracle, metric.name, None)
    assert formula is not None, f"{metric.name} needs its formula in tests/oracle"
    recipe = metric.recipe(**data.draw(variants(metric)))
    texts = fitting(metric.sees, texts)
    try:
        counts = recipe.count(flat(texts))
    except MetricError:  # settings that exclude each other
        recipe = metric.recipe()
        counts = recipe.count(flat(texts))
    value = float(recipe.value(total(counts))[0])
    exact = formula(texts, **recipe.settings)
    if exact is None:
        assert math.isnan(value)
    else:
        assert close(value, exact), (value, float(exact))


@every_metric
@given(st.one_of(pairs(), typed_pairs()))
def test_the_value_of_one_text_is_that_of_its_oracle(metric, pair):
    (pair,) = fitting(metric.sees, [pair])
    exact = getattr(oracle, metric.name)([pair], **metric.recipe().settings)
    if exact is None:
        assert math.isnan(metric(*pair))
    else:
        assert close(metric(*pair).value, exact)


@every_metric
@given(st.one_of(pairs(), typed_pairs()))
def test_identical_texts_are_perfect_or_declared_undefined(metric, pair):
    (pair,) = fitting(metric.sees, [pair])
    value = metric(pair[0], pair[0]).value
    if math.isnan(value):
        assert "undefined" in metric.doc
    else:
        assert value == metric.recipe().limits[0 if metric.better == "lower" else 1]


@every_metric
@given(st.one_of(pairs(), typed_pairs()))
def test_the_value_is_within_the_declared_range(metric, pair):
    (pair,) = fitting(metric.sees, [pair])
    value = metric(*pair).value
    if not math.isnan(value):
        assert metric.recipe().limits[0] <= value <= metric.recipe().limits[1]


# Settings that are numbers; the others are drawn by ``variants``.
NUMBERS = {"k": ["auto", "corpus", 1, 2, 7, "auto-nltk", "auto-segeval", "auto-fournier2012"],
           "n_t": [1, 2, 3, 5], "tolerance": [0, 1, 3, "20%"], "bins": [1, 2, 10],
           "draws": [1, 3]}  # fmt: skip


@pytest.mark.slow
@every_metric
@given(data=st.data(), texts=texts(), extra=st.integers(0, 4))
def test_true_counts_are_within_their_bounds(metric, data, texts, extra):
    """So that no saved row is refused: of one text, of speakers added, of several annotators."""
    numbers = {name: st.sampled_from(NUMBERS[name]) for name in NUMBERS if name in metric.params}
    settings = data.draw(variants(metric)) | data.draw(st.fixed_dictionaries(numbers))
    pairs = flat(fitting(metric.sees, texts))
    try:
        recipe = metric.recipe(**settings)
        counts = recipe.count(pairs)
    except MetricError:  # settings that exclude each other, or do not fit
        recipe = metric.recipe()
        counts = recipe.count(pairs)
    stated = Stated(
        pairs.units.astype(float),
        pairs.view("positions").ref.counts.astype(float),
        np.ones(len(pairs), dtype=bool),
        types=len(pairs.vocabulary or ()),
    )
    together = stated._replace(
        units=np.array([stated.units.sum()]),
        cuts=np.array([stated.cuts.sum()]),
        alone=np.array([len(pairs) == 1]),
    )
    for rows, told in ((counts, stated), (total(counts), together)):
        others = told._replace(own=False, cuts=told.cuts + extra)
        for known in (told, others):
            for name, ends in recipe.bounds(rows, known).items():
                column = rows[:, recipe.counts.index(name)].astype(float)
                assert not outside(column, *ends).any(), (name, column, ends)


@every_metric
def test_the_declared_range_is_finite_where_the_docs_name_a_worst(metric):
    low, high = metric.recipe().limits
    assert low < high
    assert math.isfinite(low if metric.better == "higher" else high) or "no worst" in metric.doc


@every_metric
@given(st.one_of(pairs(), typed_pairs()))
def test_a_symmetric_metric_is_the_same_both_ways(metric, pair):
    (pair,) = fitting(metric.sees, [pair])
    if metric.symmetric:
        assert same(metric(*pair).value, metric(*reversed(pair)).value)


@every_metric
def test_a_metric_that_is_symmetric_says_so(metric):
    if not metric.symmetric and metric.sees != "weights":  # these may be, for certain texts
        seeded = random_pairs(5, 400, units=(2, 30))
        assert any(not same(metric(a, b).value, metric(b, a).value) for a, b in seeded)


# How it counts.


@pytest.mark.slow
@every_metric
@pytest.mark.parametrize("names", [None, KINDS], ids=["plain", "typed"])
def test_one_by_one_equals_batch(metric, names):
    many = fitting(metric.sees, random_pairs(11, 300, names=names))
    recipe = metric.recipe()
    together = recipe.count(flat(many))
    assert together.shape == (len(many), len(metric.recipe().counts))
    for pair, row, value in zip(many, together, recipe.value(together), strict=True):
        score = metric(*pair)
        assert list(score.counts.values()) == row.tolist()
        assert same(score.value, value)


def outcome(metric: Metric[Any, Any], ref: Any, hyp: Any, settings: Any) -> tuple[Any, ...]:
    """What a call gives: value, counts, signature and edits to the last bit, or its error."""
    try:
        score = metric(ref, hyp, **settings)
    except (ValueError, TypeError) as error:
        return type(error), str(error)
    counts = [(name, type(count), count) for name, count in score.counts.items()]
    edits = score.edits if metric.edits else ()
    return score.value.hex(), counts, str(score.signature), edits, repr(score)


def general(metric: Metric[Any, Any]) -> Metric[Any, Any]:
    """The metric without its short way for single pairs."""
    return dataclasses.replace(metric, single=None)


def test_all_metrics_declare_a_short_way_for_single_pairs():
    assert [metric.name for metric in PAIR_METRICS.values() if metric.single is None] == []


@every_metric
def test_a_short_way_that_is_declared_is_taken(metric):
    counts = Single(metric.recipe()).counts([5, 5], [4, 6], fp.Segmentation)
    assert (counts is None) == (metric.single is None)
    assert Single(general(metric).recipe()).counts([5, 5], [4, 6], fp.Segmentation) is None


@every_metric
@given(data=st.data(), pair=pairs())
def test_the_short_way_of_one_pair_is_the_general_one(metric, data, pair):
    settings = data.draw(variants(metric))
    expected = outcome(general(metric), *pair, settings)
    sizes = [list(seg.masses) for seg in pair]
    forms = (pair, sizes, [tuple(one) for one in sizes], [np.array(one) for one in sizes])
    for ref, hyp in (*forms, *forms):  # twice: then the recipe is a kept one
        assert outcome(metric, ref, hyp, settings) == expected


@every_metric
@pytest.mark.parametrize(
    "text",
    [
        [],
        [0, 10],
        [-1, 11],
        [10.0],
        [True, 9],
        ["10"],
        [[10]],
        [None],
        "10",
        10,
        None,
        [9],
        [2**50],
    ],
    ids=repr,
)
def test_the_short_way_refuses_what_the_general_one_refuses(metric, text):
    for ref, hyp in ((text, [5, 5]), ([5, 5], text), (text, text)):
        assert outcome(metric, ref, hyp, {}) == outcome(general(metric), ref, hyp, {})


@every_metric
def test_the_short_way_ends_where_texts_are_long_or_typed(metric):
    typed = fp.Segmentation.from_marks(["", ",", "", "", "", "."])
    long = [1, 2] * 600
    for ref, hyp in ((typed, typed), (typed, [3, 3]), (long, long[::-1]), ([1], [1])):
        assert outcome(metric, ref, hyp, {}) == outcome(general(metric), ref, hyp, {})


@every_metric
def test_settings_that_are_equal_are_not_always_the_same(metric):
    """A kept recipe of k=1 is not that of k=True."""
    for key, default in metric.recipe().settings.items():
        for value in (1, True, 1.0, np.int64(1), 0, False, 0.0, default, None, [1], "1"):
            given = outcome(metric, [5, 5], [4, 6], {key: value})
            assert given == outcome(general(metric), [5, 5], [4, 6], {key: value})


@every_metric
@pytest.mark.parametrize("names", [None, KINDS], ids=["plain", "typed"])
def test_narrow_and_wide_columns_give_identical_counts(metric, names):
    wide = flat(fitting(metric.sees, random_pairs(13, 300, names=names)))
    narrow = Pairs(
        *(Column(c.values.astype(np.int32), c.offsets, c.kinds) for c in (wide.ref, wide.hyp)),
        wide.units,
        vocabulary=wide.vocabulary,
    )
    assert isinstance(wide.rows, _core.Rows64)
    assert isinstance(narrow.rows, _core.Rows32)
    counts = metric.recipe().count(wide)
    np.testing.assert_array_equal(metric.recipe().count(narrow), counts, strict=True)


@pytest.mark.slow
@every_metric
@pytest.mark.parametrize("names", [None, KINDS], ids=["plain", "typed"])
def test_counts_are_bit_identical_for_any_number_of_threads(metric, names, threads):
    counted = {}
    for count in (1, 2, 3, 8):
        assert fp.set_threads(count) == count
        counts = metric.recipe().count(large_batch(metric.sees, names))
        counted[count] = counts.tobytes()
    assert len(set(counted.values())) == 1


@every_metric
@pytest.mark.parametrize("names", [None, KINDS], ids=["plain", "typed"])
def test_the_order_of_texts_does_not_matter(metric, names):
    many = fitting(metric.sees, random_pairs(7, 40, names=names))
    recipe = metric.recipe()
    forwards, backwards = recipe.count(flat(many)), recipe.count(flat(many[::-1]))
    np.testing.assert_array_equal(forwards, backwards[::-1], strict=True)


@every_metric
def test_no_texts_give_no_counts(metric):
    counts = metric.recipe().count(Pairs.from_segmentations([], []))
    assert counts.shape == (0, len(metric.recipe().counts))
    assert metric.recipe().value(counts).shape == (0,)


@every_metric
def test_counts_are_whole_numbers_or_weights(metric):
    counts = metric.recipe().count(flat(random_pairs(7, 40)))
    assert counts.dtype in (np.int64, np.float64)
    assert np.isfinite(counts).all()


@every_metric
@given(st.one_of(pairs(), typed_pairs()))
def test_edits_are_kept_by_those_that_say_so(metric, pair):
    (pair,) = fitting(metric.sees, [pair])
    score = metric(*pair)
    if metric.edits is None:
        with pytest.raises(AttributeError, match="keeps no edits"):
            score.edits  # noqa: B018
    else:
        assert isinstance(score.edits, tuple)
        assert score.edits == metric.recipe().edits(flat([pair]))[0]


# What it says about itself.


@every_metric
def test_the_docstring_has_formula_weakness_example_and_source(metric):
    assert ".. math::" in metric.doc
    assert ">>> " in metric.doc
    assert "Known weakness" in " ".join(metric.doc.split())
    assert "perfect" in metric.doc
    assert metric.cite
    assert metric.__doc__.startswith(metric.doc)  # and then its settings


@every_metric
def test_the_example_of_the_docstring_runs(metric):
    test = doctest.DocTestParser().get_doctest(metric.doc, {}, metric.name, None, None)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.tries > 0
    assert runner.failures == 0


@every_metric
def test_help_shows_the_call_and_every_setting_with_type_default_and_values(metric):
    text = pydoc.plain(pydoc.render_doc(metric))
    assert f"\n    {metric.name}(ref, hyp" in text
    for name, param in metric.params.items():
        kind = inspect.signature(metric).parameters[name].annotation
        shown = kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")
        assert f"\n    {name}: {shown} = {metric.defaults[name]!r}\n        {param.help}" in text
        assert kind is bool or param.accepts() in text
    for tool in metric.presets:
        assert tool in text.partition("like: str | None = None")[2]


@every_metric
def test_defaults_stand_in_the_public_signature(metric):
    parameters = inspect.signature(metric).parameters
    assert list(parameters)[:2] == ["ref", "hyp"]
    for name, default in metric.defaults.items():
        assert parameters[name].default == default
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def recipes(metric: Metric[Any, Any]) -> Iterator[Recipe]:
    """The default, every preset, and every listed value of every setting."""
    yield metric.recipe()
    for tool in metric.presets:
        yield metric.recipe(like=tool)
    for name, param in metric.params.items():
        values: tuple[Any, ...] = ()
        if isinstance(param, Choice):
            values = param.choices
        elif isinstance(param, Flag):
            values = (True, False)
        for value in values:
            yield metric.recipe(**{name: value})


@every_metric
def test_the_signature_parses_back_to_the_same_metric_and_settings(metric):
    for recipe in recipes(metric):
        signature = recipe.signature()
        assert signature.metric == metric.name
        assert signature.endswith(f"|fencepost:{fp.__version__}")
        again = fp.parse(signature)
        assert again == recipe
        assert again.signature() == signature


@every_metric
def test_a_score_carries_the_signature_of_its_recipe(metric):
    pair = (fp.Segmentation.from_masses([5, 5, 1, 3]), fp.Segmentation.from_masses([5, 4, 1, 4]))
    score = metric(*pair)
    assert score.signature == metric.recipe().signature()
    assert score.metric == metric.name
    assert list(score.counts) == list(metric.recipe().counts)
    assert all(type(count) in (int, float) for count in score.counts.values())


@every_metric
def test_settings_are_written_and_read_in_words(metric):
    for recipe in recipes(metric):
        written = ",".join(f"{key}={value}" for key, value in recipe.written().items())
        assert fp.parse(f"{metric.name}:{written}") == recipe
        assert fp.parse(f"{metric.name}({written})") == recipe


@every_metric
def test_names_and_aliases_are_found_in_any_case_and_belong_to_one_metric(metric):
    for name in (metric.name, *metric.aliases):
        for written in (name, name.lower(), name.upper(), name.replace("_", "-")):
            assert find(written) is metric
            assert fp.parse(written).metric is metric
    others = [
        word.lower()
        for other in PAIR_METRICS.values()
        for word in (other.name, *other.aliases)
        if other is not metric
    ]
    assert not {word.lower() for word in (metric.name, *metric.aliases)} & set(others)


@every_metric
def test_pickling_gives_the_same_metric_recipe_and_score(metric):
    assert pickle.loads(pickle.dumps(metric)) is metric
    for recipe in recipes(metric):
        assert pickle.loads(pickle.dumps(recipe)) == recipe
    score = metric([5, 5, 1, 3], [5, 4, 1, 4])
    again = pickle.loads(pickle.dumps(score))
    assert type(again) is fp.Score
    assert (again.value, again.counts, again.signature) == (
        score.value,
        score.counts,
        score.signature,
    )
    if metric.edits is not None:
        assert again.edits == score.edits


@every_metric
def test_a_batch_can_be_pickled_and_counted_elsewhere(metric):
    for names in kind_sets(metric):
        batch = flat(fitting(metric.sees, random_pairs(19, 20, names=names)))
        again = pickle.loads(pickle.dumps(batch))
        np.testing.assert_array_equal(metric.recipe().count(again), metric.recipe().count(batch))


@every_metric
def test_an_unknown_setting_is_refused_with_those_there_are(metric):
    with pytest.raises(MetricError) as error:
        metric([2, 2], [2, 2], wombat=3)
    assert str(error.value).startswith(f"{metric.name} has no setting 'wombat'; it has ")
    for name in metric.params:
        assert name in str(error.value)


@every_metric
def test_a_value_out_of_the_list_is_refused_with_the_list(metric):
    for name, param in metric.params.items():
        if isinstance(param, Choice):
            with pytest.raises(MetricError) as error:
                metric.recipe(**{name: "wombat"})
            assert f"{name} must be " in str(error.value)
            assert all(choice in str(error.value) for choice in param.choices)


@every_metric
def test_the_docstring_has_the_call_with_every_setting(metric):
    (call,) = [line for line in metric.__doc__.splitlines() if line.endswith(" -> Score")]
    settings = [f"{name}={metric.defaults[name]!r}" for name in metric.params]
    settings += ["like=None"] if metric.presets else []
    sides = ["ref, hyp", "*"] if settings else ["ref, hyp"]
    assert call == f"{metric.name}({', '.join([*sides, *settings])}) -> Score"
