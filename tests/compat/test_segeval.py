"""The drop-in for segeval: segeval's own tests, and random calls that both must answer alike."""

import importlib
import pkgutil
import random
import unittest
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import segeval as theirs

from fencepost.compat import segeval as ours

OWN_TESTS = [
    found.name
    for found in pkgutil.walk_packages(theirs.__path__, "segeval.")
    if found.name.endswith("test")
]
# What these tests look at is not public, or is segeval's way to import itself.
OF_THE_INSIDE = {
    "test_boundaries_exception": "calls segeval.agreement.__boundaries__",
    "test_potential_boundaries_exception": "calls segeval.agreement.__potential_boundaries__",
    "test_fnc_metric_missing_args": "calls segeval.util.__fnc_metric__",
    "test_input_linear_positions_tsv": "calls a reader that segeval does not export",
    "test_dir": "counts what segeval's lazy module lists",
    "test_get_attr": "asks for the name of the package",
    "test_import_data": "counts all names; five of them are samples that are not shipped here",
}
PUBLIC = {
    id(getattr(theirs, name)): getattr(ours, name) for name in theirs.__all__ if hasattr(ours, name)
}


def as_ours(found: Any) -> Any:
    """The drop-in's version of an object of segeval, or the object itself."""
    if found is theirs:
        return ours
    if isinstance(found, theirs.Dataset):
        items = {item: dict(own) for item, own in found.items()}
        return ours.Dataset(items, found.properties, found.boundary_types, found.boundary_format)
    if found in (importlib.import_module("segeval.util").SegmentationMetricError,):
        return ours.SegmentationMetricError
    if found in (importlib.import_module("segeval.data").DataIOError,):
        return ours.DataIOError
    return PUBLIC.get(id(found), found)


def cases(suite: Any) -> list[unittest.TestCase]:
    return [case for one in suite for case in (cases(one) if hasattr(one, "__iter__") else [one])]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files left open
@pytest.mark.parametrize("name", OWN_TESTS)
def test_segevals_own_tests(name, monkeypatch):
    module = importlib.import_module(name)
    for attribute, found in list(vars(module).items()):
        if not attribute.startswith("__"):
            monkeypatch.setattr(module, attribute, as_ours(found))
    result = unittest.TestResult()
    for case in cases(unittest.defaultTestLoader.loadTestsFromModule(module)):
        if case.id().split(".")[-1] not in OF_THE_INSIDE:
            case.run(result)
    wrong = [f"{case.id()}\n{text}" for case, text in result.failures + result.errors]
    assert not wrong, "\n".join(wrong)
    assert result.testsRun > 0


def test_every_public_name_is_there_or_says_why_not():
    missing = {name for name in theirs.__all__ if not hasattr(ours, name)}
    assert missing == {
        "KAZANTSEVA2012_G5", "KAZANTSEVA2012_G2", "COMPLETE_AGREEMENT", "LARGE_DISAGREEMENT",
        "HYPOTHESIS_STARGAZER",
    }  # fmt: skip
    with pytest.raises(AttributeError, match="not part of fencepost"):
        _ = ours.KAZANTSEVA2012_G5
    assert set(ours.__all__) == set(theirs.__all__) - missing


# Random calls.


def answer(function: Any, *args: Any, **settings: Any) -> Any:
    """What is returned, with types; sets and lists of edits in one order; or the exception."""
    try:
        return plain(function(*args, **settings))
    except Exception as error:
        return type(error).__name__


def plain(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    if isinstance(found, (set, frozenset)):
        return sorted(map(repr, found))
    if isinstance(found, (list, tuple)):
        shown = [repr(one) if isinstance(one, tuple) else plain(one) for one in found]
        return sorted(shown) if found and isinstance(found[0], tuple) else shown
    return type(found).__name__, found


def masses(r: random.Random, units: int) -> tuple[int, ...]:
    rate, sizes = r.choice([0.05, 0.3, 0.8]), [1]
    for _ in range(units - 1):
        if r.random() < rate:
            sizes.append(1)
        else:
            sizes[-1] += 1
    return tuple(sizes)


def written(r: random.Random, sizes: tuple[int, ...], form: str, kinds: int) -> Any:
    if form == "position":
        return ours.convert_masses_to_positions(sizes)
    if form == "nltk":
        return "1".join("0" * (size - 1) for size in sizes)
    if form == "sets":
        rate = r.choice([0.2, 0.6])
        return tuple(
            frozenset(kind for kind in range(1, kinds + 1) if r.random() < rate)
            for _ in range(sum(sizes) - 1)
        )
    return sizes


@pytest.mark.parametrize("form", ["mass", "position", "nltk", "sets"])
def test_random_pairs(form):
    r = random.Random(form)
    for _ in range(700):
        units = r.choice([1, 2, 5, 12, 40])
        other = units if r.random() < 0.97 else units + 1
        kinds = r.choice([1, 1, 2, 3, 4])
        pair = [written(r, masses(r, n), form, kinds) for n in (units, other)]
        common: dict[str, Any] = {} if form == "mass" else {"boundary_format": form}
        for flag in ("one_minus", "return_parts"):
            if r.random() < 0.2:
                common[flag] = True
        for name in ("pk", "window_diff"):
            settings = dict(common)
            if r.random() < 0.3:
                settings["window_size"] = r.choice([0, 1, 2, 3, units - 1, units, units + 1])
            if name == "window_diff" and r.random() < 0.3:
                settings["lamprier_et_al_2007_fix"] = True
            assert_same(name, pair, settings)
        n_t = {"n_t": r.choice([0, 1, 2, 3, 4, 5, 8])} if r.random() < 0.6 else {}
        for name in ("boundary_similarity", "segmentation_similarity"):
            assert_same(name, pair, {**common, **n_t})
        form_only = {key: value for key, value in common.items() if key == "boundary_format"}
        for name in ("boundary_statistics", "boundary_confusion_matrix"):
            assert_same(name, pair, {**form_only, **n_t})


ODD_SIZES = [-3, -2, -1, 0, 1, True, False, 2.0, 0.5, "2", Decimal(2), 255, 256, 257, 300, 1000]
ODD_LIMITS = [-2, -1, 0, 1, 2, 30, True, 2.0, "2", None]
# segeval has all of them somewhere, but no function takes all.
KEYWORDS = {
    "windowsize": 3, "window_size": 2, "n_t": 3, "nt": 5, "lamprier_et_al_2007_fix": True,
    "permuted": True, "weight": (ours.weight_a, ours.weight_s, ours.weight_t), "fnc_round": int,
    "boundary_types": [1], "one_minus": True, "return_parts": True, "hypothesis": (3, 2),
    "segs_a": (3, 2), "fnc_compare": None, "boundary_format": "mass",
}  # fmt: skip
OF_PAIRS = [
    "pk", "window_diff", "boundary_similarity", "segmentation_similarity", "boundary_statistics",
    "boundary_confusion_matrix",
]  # fmt: skip
OF_DATA_SETS = [
    "actual_agreement_linear", "fleiss_pi_linear", "fleiss_kappa_linear",
    "artstein_poesio_bias_linear",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_PAIRS)
def test_a_keyword_that_segeval_refuses_is_refused(name):
    r = random.Random(name)
    for keyword, value in KEYWORDS.items():
        for form in ("mass", "position", "nltk", "sets", "other"):
            pair = [written(r, masses(r, 12), form, 2) for _ in range(2)]
            settings = {"boundary_format": form, keyword: value}
            assert_same(name, pair, settings)
        items = {"i": {"a": (2, 3), "b": (3, 2)}}
        found = [
            answer(getattr(module, name), module.Dataset(items), **{keyword: value})
            for module in (ours, theirs)
        ]
        assert found[0] == found[1], (name, keyword)


@pytest.mark.parametrize("name", OF_DATA_SETS)
def test_a_keyword_that_segeval_refuses_is_refused_for_data_sets(name):
    items = {"i": {"a": (2, 3), "b": (3, 2)}, "j": {"a": (1, 4), "b": (1, 4)}}
    for keyword, value in KEYWORDS.items():
        if keyword == "fnc_compare":
            continue
        found = [
            answer(getattr(module, name), module.Dataset(items), **{keyword: value})
            for module in (ours, theirs)
        ]
        if name == "actual_agreement_linear" and keyword == "return_parts":
            assert sorted(map(str, found[0])) == sorted(map(str, found[1]))
        else:
            assert found[0] == found[1], (name, keyword)


@pytest.mark.parametrize("form", ["mass", "position", "nltk", "sets"])
@pytest.mark.parametrize("fix", [False, True])
def test_odd_window_sizes(form, fix):
    r = random.Random(form)
    for size in ODD_SIZES:
        for units in (1, 2, 12, 300):
            pair = [written(r, masses(r, units), form, 1) for _ in range(2)]
            for flag in ({}, {"one_minus": True}, {"return_parts": True}):
                settings = {"boundary_format": form, "window_size": size, **flag}
                assert_same("pk", pair, settings)
                assert_same("window_diff", pair, {**settings, "lamprier_et_al_2007_fix": fix})


@pytest.mark.parametrize("kinds", [1, 3])
def test_odd_limits_of_near_misses(kinds):
    r = random.Random(kinds)
    for limit in ODD_LIMITS:
        for form in ("mass", "position", "nltk", "sets"):
            pair = [written(r, masses(r, 12), form, kinds) for _ in range(2)]
            for name in OF_PAIRS[2:]:
                assert_same(name, pair, {"boundary_format": form, "n_t": limit})


def test_positions_whose_labels_come_back_or_are_equal_but_not_identical():
    r = random.Random(8)
    for _ in range(300):
        labels = r.choice([(1, 2), (0, 1, 2), (1, 1.0, 2), (1, True, 2.0), ("a", "b"), (None, 0)])
        container = r.choice([tuple, tuple, list])
        pair = [container(r.choice(labels) for _ in range(9)) for _ in range(2)]
        settings = {"boundary_format": "position", "lamprier_et_al_2007_fix": r.random() < 0.5}
        assert_same("window_diff", pair, settings)
        del settings["lamprier_et_al_2007_fix"]
        for name in ("pk", *OF_PAIRS[2:]):
            assert_same(name, pair, settings)


@pytest.mark.parametrize("form", ["mass", "position", "nltk", "sets"])
def test_data_sets_in_every_format(form):
    r = random.Random(form)
    for _ in range(40):
        kinds = r.choice([1, 3])
        items = {
            item: {
                coder: written(r, masses(r, 12), form, kinds) for coder in "abc"[: 2 + kinds // 3]
            }
            for item in ("i", "j")
        }
        for name in (*OF_PAIRS, *OF_DATA_SETS):
            found = [
                answer(getattr(module, name), module.Dataset(items, boundary_format=form))
                for module in (ours, theirs)
            ]
            if name in OF_DATA_SETS and not isinstance(found[0], str):
                assert abs(found[0][1] - found[1][1]) < Decimal("1e-24"), (name, items)
            else:
                assert found[0] == found[1], (name, items)


def test_other_containers_of_sizes():
    for name in OF_PAIRS:
        for make in (np.array, list, lambda sizes: [np.int64(one) for one in sizes],
                     lambda sizes: [float(one) for one in sizes], iter, set,
                     lambda sizes: [str(one) for one in sizes]):  # fmt: skip
            found = [
                answer(getattr(module, name), make([3, 4, 2]), make([2, 4, 3]))
                for module in (ours, theirs)
            ]
            assert found[0] == found[1] or isinstance(found[0], str), (name, make)


def test_windows_of_data():
    r = random.Random(9)
    for _ in range(200):
        sizes = masses(r, 30)
        assert_same("compute_window_size", [sizes], {})
        assert_same("compute_window_size", [{"i": {"a": sizes, "b": list(sizes)}}], {})
        labels = ours.convert_masses_to_positions(sizes)
        assert_same("compute_window_size", [labels], {"boundary_format": "position"})
    for odd in ([], ["3", "5"], [2.5, 4], [Decimal("2.5")], "35", 7, None, [None]):
        assert_same("compute_window_size", [odd], {})
    for keyword, value in KEYWORDS.items():
        assert_same("compute_window_size", [[5, 9]], {keyword: value})


def test_formats_turned_into_each_other():
    r = random.Random(10)
    for _ in range(300):
        sizes = masses(r, r.choice([1, 2, 30]))
        labels = [r.choice((1, 1.0, 2, "a", None)) for _ in range(r.randrange(9))]
        for given in (labels, tuple(labels), "".join(map(str, labels))):
            assert_same("convert_positions_to_masses", [given], {})
        for given in (sizes, list(sizes), np.array(sizes)):
            assert_same("convert_masses_to_positions", [given], {})
            assert_same("boundary_string_from_masses", [given], {})
        marks = "".join(r.choice("01x") for _ in range(r.randrange(9)))
        for symbol in ("1", "x", "01", ""):
            assert_same("convert_nltk_to_masses", [marks, symbol], {})
    for odd in (7, None, [1, "2"], [2.0], []):
        assert_same("convert_masses_to_positions", [odd], {})
    for odd in (7, None, b"0100", [1]):
        assert_same("convert_nltk_to_masses", [odd], {})
        assert_same("convert_positions_to_masses", [odd], {})


def test_classes_that_were_only_read_do_not_count():
    found = []
    for module in (ours, theirs):
        matrix = module.ConfusionMatrix()
        matrix["p"]["f"] += 2
        matrix["p"]["p"] += 3
        first = [module.recall(matrix, version=module.Average.macro), module.precision(matrix, "q")]
        again = module.recall(matrix, version=module.Average.macro)
        matrix["f"]["f"] += 1
        found.append([*first, again, sorted(matrix.classes())])
    assert found[0] == found[1]


def test_names_are_where_segeval_has_them():
    prefix = "fencepost.compat.segeval"
    placed = set()
    for found in pkgutil.walk_packages(ours.__path__, f"{prefix}."):
        own = importlib.import_module(found.name)
        peer = importlib.import_module(found.name.replace(prefix, "segeval", 1))
        for name in set(getattr(own, "__all__", ())) - {"__getattr__"}:
            assert hasattr(peer, name), (found.name, name)
            placed.add(name)
    assert placed >= set(ours.__all__)
    util, data = (importlib.import_module(f"{prefix}.{room}") for room in ("util", "data"))
    assert ours.util is util
    assert util.SegmentationMetricError is ours.SegmentationMetricError
    assert data.DataIOError is ours.DataIOError
    with pytest.raises(ours.util.SegmentationMetricError):
        ours.pk([2, 2, 7], [2, 2, 8])
    samples = importlib.import_module(f"{prefix}.data.samples")
    assert samples.HEARST_1997_STARGAZER is ours.HEARST_1997_STARGAZER
    with pytest.raises(AttributeError, match="not part of fencepost"):
        _ = samples.KAZANTSEVA2012_G5


def assert_same(name: str, pair: list[Any], settings: dict[str, Any]) -> None:
    both = [answer(getattr(module, name), *pair, **settings) for module in (ours, theirs)]
    assert both[0] == both[1], (name, pair, settings)


def test_precision_recall_and_f_of_random_pairs():
    r = random.Random(5)
    for _ in range(200):
        pair = [written(r, masses(r, 12), "sets", 3) for _ in range(2)]
        try:
            matrices = [
                module.boundary_confusion_matrix(*pair, boundary_format="sets")
                for module in (ours, theirs)
            ]
        except ValueError:  # no boundary at all
            continue
        for name in ("precision", "recall", "fmeasure"):
            for version in (0, 1):
                found = [
                    answer(getattr(module, name), matrix, version=version)
                    for module, matrix in zip((ours, theirs), matrices, strict=True)
                ]
                # Classes are a set, added up in its order: the last digit of 28 may differ.
                assert found[0][0] == found[1][0]
                if isinstance(found[0], tuple):
                    assert abs(Decimal(found[0][1]) - Decimal(found[1][1])) < Decimal("1e-25")


@pytest.mark.parametrize(
    "name",
    ["actual_agreement_linear", "fleiss_pi_linear", "fleiss_kappa_linear",
     "artstein_poesio_bias_linear"],
)  # fmt: skip
def test_random_data_sets(name):
    r = random.Random(name)
    for _ in range(150):
        items = {
            f"i{i}": {coder: masses(r, 12) for coder in "abc"} for i in range(r.choice([1, 3]))
        }
        n_t = {"n_t": r.choice([2, 3, 5])} if r.random() < 0.5 else {}
        found = [
            answer(getattr(module, name), module.Dataset(items), **n_t) for module in (ours, theirs)
        ]
        if isinstance(found[0], str):
            assert found[0] == found[1]
        else:  # coders are a set, added up in its order: the last digit of 28 may differ
            assert found[0][0] == found[1][0]
            assert abs(found[0][1] - found[1][1]) < Decimal("1e-24")


@pytest.mark.parametrize("parts", [{}, {"return_parts": True}])
def test_certain_agreement_by_chance_has_no_parts_either(parts):
    # A boundary at every position of both: what is expected is 1, and 0 / 0 is asked for.
    items = {"i": {"a": (1, 1), "b": (1, 1)}}
    for name in ("fleiss_pi_linear", "fleiss_kappa_linear", "artstein_poesio_bias_linear"):
        found = [answer(getattr(m, name), m.Dataset(items), **parts) for m in (ours, theirs)]
        assert found == ["InvalidOperation"] * 2, name


@pytest.mark.parametrize("name", ["pk", "window_diff", "boundary_similarity"])
def test_all_pairs_of_a_data_set(name):
    items = ours.HEARST_1997_STARGAZER
    found, expected = (getattr(module, name)(module.Dataset(items)) for module in (ours, theirs))
    assert by_pair(found).keys() == by_pair(expected).keys()
    if name == "boundary_similarity":  # symmetric; the others depend on who comes first
        assert by_pair(found) == by_pair(expected)
    assert len(found) == 21 if name == "boundary_similarity" else len(found) == len(expected)


def by_pair(found: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    return {tuple(sorted(key.split(","))): value for key, value in found.items()}


# What differs on purpose.


def test_sizes_below_one_are_refused():
    with pytest.raises(ours.SegmentationMetricError, match="at least 1, found 0"):
        ours.boundary_similarity([0, 3, 2], [3, 2])


def test_types_above_256_are_refused():
    pair = (frozenset([300]), frozenset()), (frozenset(), frozenset([300]))
    with pytest.raises(ours.SegmentationMetricError, match="256"):
        ours.boundary_similarity(*pair, boundary_format=ours.BoundaryFormat.sets)


def test_nine_types_at_one_position_are_refused():
    pair = (frozenset(range(1, 10)),), (frozenset(range(10, 13)),)
    with pytest.raises(ours.SegmentationMetricError, match="8"):
        ours.boundary_similarity(*pair, boundary_format=ours.BoundaryFormat.sets)
