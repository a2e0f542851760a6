// compat.cpp -- What drop-ins for other tools need: one pair of their texts straight to counts.
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "bind/python.hpp"
#include "bind/shapes.hpp"
#include "kernels/edit.hpp"
#include "kernels/shifts.hpp"
#include "kernels/window.hpp"

namespace fencepost {
namespace {

using Places = std::vector<Index>;

// Whether an item is the mark, as Python's == says.
class Mark {
public:
    explicit Mark(PyObject* boundary) : boundary_(boundary) {
        if (PyUnicode_CheckExact(boundary) && PyUnicode_GetLength(boundary) == 1)
            character_ = PyUnicode_ReadChar(boundary, 0);
    }

    bool is_character() const { return character_ != kNone; }

    bool equals(Py_UCS4 character) const { return character == character_; }

    bool equals(PyObject* item) const {
        if (is_character() && PyUnicode_CheckExact(item))
            return PyUnicode_GetLength(item) == 1 && PyUnicode_ReadChar(item, 0) == character_;
        const int equal = PyObject_RichCompareBool(item, boundary_, Py_EQ);
        if (equal < 0) nb::raise_python_error();
        return equal == 1;
    }

private:
    static constexpr Py_UCS4 kNone = 0xffffffff;  // no character
    PyObject* boundary_;
    Py_UCS4 character_ = kNone;
};

// A list or a tuple as it is, of other iterables a list; TypeError for what is none.
nb::object sequence_of(nb::handle given, const char* expected) {
    const nb::object made = nb::steal(PySequence_Fast(given.ptr(), expected));
    if (!made.is_valid()) nb::raise_python_error();
    return unshared(made);
}

// The items of a text of marks (a string, a list or a tuple) that are the boundary, from number 1 on:
// mark i stands between the units i and i+1.
Places marks_of(nb::handle text, nb::handle boundary, const Stop& stop) {
    Places found;
    const Mark mark(boundary.ptr());
    if (PyUnicode_Check(text.ptr())) {
        if (!mark.is_character()) return found;
        Characters(text.ptr()).view().read([&](auto characters) {
            for (std::size_t i = 0; i < characters.size(); ++i) {
                stop.check(i);
                if (mark.equals(Py_UCS4{characters[i]})) found.push_back(static_cast<Index>(i) + 1);
            }
        });
        return found;
    }
    const nb::object items = sequence_of(text, "a text of marks is a string, a list or a tuple");
    for (Py_ssize_t i = 0; i < length(items.ptr()); ++i) {  // == and signals may run code that shortens a list
        stop.check(static_cast<std::size_t>(i));
        if (i < length(items.ptr()) && mark.equals(nb::borrow(item(items.ptr(), i)).ptr())) found.push_back(i + 1);
    }
    return found;
}

// Boundaries of a list or tuple of segment sizes, each a whole number of at least 1; units is then
// their sum, and 0 where something else is given.
Places cuts_of_sizes(nb::handle sizes, Index& units) {
    constexpr Index most = Index{1} << 40;
    Places cuts;
    units = 0;
    if (!PyList_CheckExact(sizes.ptr()) && !PyTuple_CheckExact(sizes.ptr())) return cuts;
    Index sum = 0;
    const Py_ssize_t count = length(sizes.ptr());
    cuts.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* number = item(sizes.ptr(), i);
        int overflow = 0;
        const Index size = PyLong_CheckExact(number) ? PyLong_AsLongLongAndOverflow(number, &overflow) : 0;
        if (size < 1 || size > most || sum > most) return {};
        if (i > 0) cuts.push_back(sum);
        sum += size;
    }
    units = sum;
    return cuts;
}

// The ends of runs of equal neighbours (==), as itertools.groupby finds them; with `identical`, none where a label is
// equal to its neighbour and another object, or comes back later: segeval's windows compare labels by identity.
Places ends_of_runs(PyObject* labels, bool identical, Index& units, const Stop& stop) {
    Places ends;
    units = 0;
    std::vector<PyObject*> runs;
    const Py_ssize_t count = length(labels);
    nb::object last;
    for (Py_ssize_t i = 0; i < length(labels); ++i) {  // == and signals may run code that shortens a list
        stop.check(static_cast<std::size_t>(i));
        if (i >= length(labels)) break;
        nb::object label = nb::borrow(item(labels, i));
        if (i == 0 || label.ptr() != last.ptr()) {
            const int equal = i == 0 ? 0 : PyObject_RichCompareBool(last.ptr(), label.ptr(), Py_EQ);
            if (equal < 0) nb::raise_python_error();
            if (equal == 1 && identical) return {};
            if (equal == 0 && i > 0) ends.push_back(i);
            if (equal == 0 && identical) runs.push_back(label.ptr());
        }
        last = std::move(label);
    }
    std::sort(runs.begin(), runs.end());
    if (std::adjacent_find(runs.begin(), runs.end()) != runs.end() || length(labels) != count) return {};
    units = count;
    return ends;
}

// One text in a format of segeval: its boundaries, its units (0 where something is odd, which Python then looks at),
// and the type of all boundaries.
struct Written {
    Places cuts;
    Index units = 0;
    long long kind = 1;

    Written(nb::handle given, std::string_view format, bool identical, const Stop& stop) {
        const nb::object text = unshared(given);
        const bool items = PyList_CheckExact(text.ptr()) || PyTuple_CheckExact(text.ptr());
        if (format == "mass") {
            cuts = cuts_of_sizes(text, units);
        } else if (format == "position" && items) {
            cuts = ends_of_runs(text.ptr(), identical, units, stop);
        } else if (format == "nltk" && PyUnicode_CheckExact(text.ptr())) {
            cuts = marks_of(text, nb::str("1"), stop);
            units = PyUnicode_GetLength(text.ptr()) + 1;
        } else if (format == "sets" && items) {
            read_sets(text.ptr(), stop);
        }
    }

private:
    // Sets of types, of which all that are not empty have one and the same.
    void read_sets(PyObject* sets, const Stop& stop) {
        constexpr long long least = -5, most = 256;  // there is one object for each of these numbers
        kind = least - 1;
        for (Py_ssize_t i = 0; i < length(sets); ++i) {
            stop.check(static_cast<std::size_t>(i));
            if (i >= length(sets)) return;
            PyObject* types = item(sets, i);
            if (!PyFrozenSet_CheckExact(types) && !PySet_CheckExact(types)) return;
            const Py_ssize_t size = PySet_Size(types);
            if (size == 0) continue;
            if (size > 1) return;
            const nb::object each = nb::steal(PyObject_GetIter(types));
            const nb::object one = each.is_valid() ? nb::steal(PyIter_Next(each.ptr())) : nb::object();
            if (!one.is_valid()) nb::raise_python_error();
            int overflow = 0;
            const long long number =
                PyLong_CheckExact(one.ptr()) ? PyLong_AsLongLongAndOverflow(one.ptr(), &overflow) : most + 1;
            if (overflow != 0 || number < least || number > most || (kind >= least && number != kind)) return;
            kind = number;
            cuts.push_back(i + 1);
        }
        units = length(sets) + 1;
    }
};

// Two texts with the same units and one type of boundaries, or none.
struct Texts {
    Written ref, hyp;
    Pair<Index> pair;
    long long kind;

    Texts(nb::handle a, nb::handle b, std::string_view format, bool identical, const Stop& stop)
        : ref(a, format, identical, stop), hyp(b, format, identical, stop), kind(ref.cuts.empty() ? hyp.kind : ref.kind) {
        const bool same = ref.cuts.empty() || hyp.cuts.empty() || ref.kind == hyp.kind;
        pair.units = ref.units == hyp.units && same ? ref.units : 0;
        pair.ref = ref.cuts, pair.hyp = hyp.cuts;
    }
};

// Differing windows, all windows and their width (segeval's rule if k is -1), for WindowDiff also between phantom
// segments as segeval counts them; None if something is odd.
nb::object windows_of_texts(nb::handle ref, nb::handle hyp, std::string_view format, Index k, bool pk, bool padded,
                            const Stop& stop) {
    const Texts texts(ref, hyp, format, true, stop);
    const Index width = Width{k < 0 ? WidthRule::segeval : WidthRule::given, k}(texts.pair);
    if (texts.pair.units == 0 || width == 0) return nb::none();
    const auto padding = padded ? Padding::segeval : Padding::none;
    const auto counts =
        pk ? PkCounts<Index, 1>{}(texts.pair, stop, width) : WindowDiffCounts<Index>{padding}(texts.pair, stop, width);
    return nb::make_tuple(counts[0], counts[1], width);
}

EditSettings nearest_first(Index n_t) {
    check_at_least<Index>("n_t", n_t, 1);
    EditSettings settings{};
    settings.n_t = n_t, settings.matching = Matching::greedy, settings.kinds = 1;
    return settings;
}

// Matches, boundaries of one side alone, near misses, their distances, and units; None if something is odd.
nb::object edits_of_texts(nb::handle a, nb::handle b, std::string_view format, Index n_t, const Stop& stop) {
    const EditSettings settings = nearest_first(n_t);
    const Texts texts(a, b, format, false, stop);
    if (texts.pair.units == 0) return nb::none();
    const auto counts = EditRowCounts<Index, 7>{settings}(texts.pair, stop);
    return nb::make_tuple(counts[0], counts[1] + counts[2], counts[3], counts[4], texts.pair.units);
}

// The edits themselves, of boundaries numbered from 0: of each boundary of one side alone whether it is b's, the two
// ends of each near miss, nearest first; then matches, boundaries, units and their type. None if something is odd.
nb::object edit_lists_of_texts(nb::handle a, nb::handle b, std::string_view format, Index n_t, const Stop& stop) {
    const EditSettings settings = nearest_first(n_t);
    const Texts texts(a, b, format, false, stop);
    if (texts.pair.units == 0) return nb::none();
    std::vector<EditRow> edits;
    EditAligner<Index>().list(texts.pair, settings, stop, edits);
    std::vector<std::pair<Index, bool>> additions;
    std::vector<std::pair<Index, Index>> moves;  // the distance, and where it starts
    for (const EditRow& e : edits) {
        if (e.ref == 0 || e.hyp == 0) additions.emplace_back(std::max(e.ref, e.hyp), e.ref == 0);
        else if (e.ref != e.hyp) moves.emplace_back(std::abs(e.ref - e.hyp), std::min(e.ref, e.hyp) - 1);
    }
    std::sort(additions.begin(), additions.end());
    std::sort(moves.begin(), moves.end());
    nb::list sides, ends;
    for (const auto& one : additions) sides.append(one.second);
    for (const auto& [distance, first] : moves) ends.append(nb::make_tuple(first, first + distance));
    const auto boundaries = static_cast<Index>(texts.pair.ref.size() + texts.pair.hyp.size());
    const auto differing = static_cast<Index>(additions.size() + 2 * moves.size());
    return nb::make_tuple(sides, ends, (boundaries - differing) / 2, boundaries, texts.pair.units, texts.kind);
}

// A tuple of numbers.
template <class Numbers>
nb::object tuple_of(const Numbers& numbers) {
    const nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
    if (!made.is_valid()) nb::raise_python_error();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        PyObject* number = PyLong_FromLongLong(numbers[i]);
        if (number == nullptr) nb::raise_python_error();
        PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), number);
    }
    return made;
}

// Segment sizes between these boundaries.
nb::object sizes_between(Places cuts, Index units) {
    cuts.push_back(units);
    std::adjacent_difference(cuts.begin(), cuts.end(), cuts.begin());
    return tuple_of(cuts);
}

// Segment sizes from the segment of each unit.
nb::object sizes_of_labels(nb::handle given, const Stop& stop) {
    const nb::object labels = sequence_of(given, "the segments of units are a sequence");
    Index units = 0;
    Places cuts = ends_of_runs(labels.ptr(), false, units, stop);
    return units == 0 ? tuple_of(Places{}) : sizes_between(std::move(cuts), units);
}

// Segment sizes from a string of marks between units; None for other objects.
nb::object sizes_of_marks(nb::handle text, nb::handle boundary, const Stop& stop) {
    if (!PyUnicode_CheckExact(text.ptr()) || !Mark(boundary.ptr()).is_character()) return nb::none();
    return sizes_between(marks_of(text, boundary, stop), PyUnicode_GetLength(text.ptr()) + 1);
}

// The segment of each unit, from 1 on; None for other objects than lists and tuples of sizes from 1 on.
nb::object labels_of_sizes(nb::handle sizes, const Stop& stop) {
    Index units = 0;
    const Places cuts = cuts_of_sizes(unshared(sizes), units);
    if (units == 0) return nb::none();
    nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(units)));
    if (!made.is_valid()) nb::raise_python_error();
    Index at = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        const nb::object label = nb::int_(i + 1);
        for (const Index end = i < cuts.size() ? cuts[i] : units; at < end; ++at) {
            stop.check(static_cast<std::size_t>(at));
            PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(at), nb::object(label).release().ptr());
        }
    }
    return made;
}

// Whether a text is marks as kernels read them. Classes of others, derived from these, may count as they like.
bool has_marks(PyObject* text, PyObject* boundary) {
    if (PyUnicode_CheckExact(text)) return Mark(boundary).is_character();
    return PyList_CheckExact(text) || PyTuple_CheckExact(text);
}

// How many windows of k positions differ, 1 <= k < units; all differences added up if weighted.
Index differing(const Places& ref, const Places& hyp, Index units, Index k, bool pk, bool weighted, const Stop& stop) {
    if (k < 1 || k >= units)
        refuse("k must be at least 1 and below " + std::to_string(units) + ", found " + std::to_string(k));
    Pair<Index> p;
    p.ref = ref, p.hyp = hyp, p.units = units;
    if (pk) return PkCounts<Index, 1>{}(p, stop, k)[0];
    return WindowDiffCounts<Index>{Padding::none, weighted}(p, stop, k)[0];
}

// The same of two texts of marks; None if something is odd, which Python then looks at.
nb::object windows_of_marks(nb::handle ref, nb::handle hyp, nb::handle boundary, nb::handle k, bool pk, nb::handle weighted,
                            const Stop& stop) {
    if (!has_marks(ref.ptr(), boundary.ptr()) || !has_marks(hyp.ptr(), boundary.ptr()) || !PyIndex_Check(k.ptr()))
        return nb::none();
    const auto size = static_cast<Index>(nb::len(ref));
    const auto width = static_cast<Index>(PyNumber_AsSsize_t(k.ptr(), nullptr));
    const int summed = PyObject_IsTrue(weighted.ptr());
    if (PyErr_Occurred()) nb::raise_python_error();
    if (static_cast<Index>(nb::len(hyp)) != size || width < 1 || width > size) return nb::none();
    const Places a = marks_of(ref, boundary, stop), b = marks_of(hyp, boundary, stop);
    return nb::int_(differing(a, b, size + 1, width, pk, summed == 1, stop));
}

}  // namespace

void bind_compat(nb::module_& m) {
    m.def(
        "windows_of_marks",
        [](nb::handle ref, nb::handle hyp, nb::handle boundary, nb::handle k, bool pk, nb::handle weighted) {
            return run_with_python(
                [&](const Stop& stop) { return windows_of_marks(ref, hyp, boundary, k, pk, weighted, stop); });
        },
        "ref"_a.none(), "hyp"_a.none(), "boundary"_a.none(), "k"_a.none(), "pk"_a, "weighted"_a.none(),
        nb::sig("def windows_of_marks(ref: object, hyp: object, boundary: object, k: object, pk: bool, "
                "weighted: object) -> int | None"));
    m.def(
        "windows_of_cuts",
        [](Column<Index> ref, Column<Index> hyp, Index units, Index k, bool pk) {
            const auto places = [units](const Column<Index>& one) {
                Places cuts(one.data(), one.data() + one.shape(0));
                for (std::size_t i = 0; i < cuts.size(); ++i)
                    check_between<Index>("a cut", cuts[i], i == 0 ? 1 : cuts[i - 1] + 1, units - 1);
                return cuts;
            };
            return run_with_python(
                [&](const Stop& stop) { return differing(places(ref), places(hyp), units, k, pk, false, stop); });
        },
        "ref"_a.noconvert(), "hyp"_a.noconvert(), "units"_a, "k"_a, "pk"_a);
    m.def(
        "windows_of_texts",
        [](nb::handle ref, nb::handle hyp, std::string_view format, Index k, bool pk, bool padded) {
            return run_with_python(
                [&](const Stop& stop) { return windows_of_texts(ref, hyp, format, k, pk, padded, stop); });
        },
        "ref"_a.none(), "hyp"_a.none(), "format"_a, "k"_a, "pk"_a, "padded"_a,
        nb::sig("def windows_of_texts(ref: object, hyp: object, format: str, k: int, pk: bool, padded: bool) -> "
                "tuple[int, int, int] | None"));
    m.def(
        "edits_of_texts",
        [](nb::handle a, nb::handle b, std::string_view format, Index n_t) {
            return run_with_python([&](const Stop& stop) { return edits_of_texts(a, b, format, n_t, stop); });
        },
        "a"_a.none(), "b"_a.none(), "format"_a, "n_t"_a,
        nb::sig("def edits_of_texts(a: object, b: object, format: str, n_t: int) -> "
                "tuple[int, int, int, int, int] | None"));
    m.def(
        "edit_lists_of_texts",
        [](nb::handle a, nb::handle b, std::string_view format, Index n_t) {
            return run_with_python([&](const Stop& stop) { return edit_lists_of_texts(a, b, format, n_t, stop); });
        },
        "a"_a.none(), "b"_a.none(), "format"_a, "n_t"_a,
        nb::sig("def edit_lists_of_texts(a: object, b: object, format: str, n_t: int) -> "
                "tuple[list[bool], list[tuple[int, int]], int, int, int, int] | None"));
    m.def(
        "sizes_of_labels",
        [](nb::handle labels) { return run_with_python([&](const Stop& stop) { return sizes_of_labels(labels, stop); }); },
        "labels"_a.none(), nb::sig("def sizes_of_labels(labels: object) -> tuple[int, ...]"));
    m.def(
        "sizes_of_marks",
        [](nb::handle text, nb::handle boundary) {
            return run_with_python([&](const Stop& stop) { return sizes_of_marks(text, boundary, stop); });
        },
        "text"_a.none(), "boundary"_a.none(),
        nb::sig("def sizes_of_marks(text: object, boundary: object) -> tuple[int, ...] | None"));
    m.def(
        "labels_of_sizes",
        [](nb::handle sizes) { return run_with_python([&](const Stop& stop) { return labels_of_sizes(sizes, stop); }); },
        "sizes"_a.none(), nb::sig("def labels_of_sizes(sizes: object) -> tuple[int, ...] | None"));
    m.def(
        "marks_of",
        [](nb::handle text, nb::handle boundary) {
            return run_with_python([&](const Stop& stop) { return marks_of(text, boundary, stop); });
        },
        "text"_a, "boundary"_a.none());
    m.def(
        "shift_distance",
        [](const Places& ref, const Places& hyp, double insert, double remove, double shift) {
            double cost = 0;
            run([&](const Stop& stop) { cost = shift_distance(ref, hyp, {insert, remove, shift}, stop); });
            return cost;
        },
        "ref"_a, "hyp"_a, "insert"_a, "remove"_a, "shift"_a);
}

}  // namespace fencepost
