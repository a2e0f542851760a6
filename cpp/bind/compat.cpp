// compat.cpp -- What drop-ins for other tools need: one pair of their texts straight to counts.
#include <string>

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
    const nb::object items = nb::steal(PySequence_Fast(text.ptr(), "a text of marks is a string, a list or a tuple"));
    if (!items.is_valid()) nb::raise_python_error();
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

// Two texts of segment sizes with the same units, or none.
struct Sizes {
    Places ref, hyp;
    Pair<Index> pair;

    Sizes(nb::handle a, nb::handle b) {
        Index other = 0;
        ref = cuts_of_sizes(a, pair.units), hyp = cuts_of_sizes(b, other);
        if (other != pair.units) pair.units = 0;
        pair.ref = ref, pair.hyp = hyp;
    }
};

// Differing windows, all windows and their width (segeval's rule if k is -1); None if something is odd.
nb::object windows_of_sizes(nb::handle ref, nb::handle hyp, Index k, bool pk) {
    const Sizes sizes(ref, hyp);
    const Index width = Width{k < 0 ? WidthRule::segeval : WidthRule::given, k}(sizes.pair);
    if (sizes.pair.units == 0 || width == 0) return nb::none();
    const auto counts = run_with_python([&](const Stop& stop) {
        return pk ? PkCounts<Index, 1>{}(sizes.pair, stop, width) : WindowDiffCounts<Index>{}(sizes.pair, stop, width);
    });
    return nb::make_tuple(counts[0], counts[1], width);
}

// Matches, boundaries of one side alone, near misses and their distances, nearest first; None if
// something is odd.
nb::object edits_of_sizes(nb::handle a, nb::handle b, Index n_t) {
    check_at_least<Index>("n_t", n_t, 1);
    const Sizes sizes(a, b);
    if (sizes.pair.units == 0) return nb::none();
    EditSettings settings{};
    settings.n_t = n_t, settings.matching = Matching::greedy, settings.kinds = 1;
    const auto counts =
        run_with_python([&](const Stop& stop) { return EditRowCounts<Index, 7>{settings}(sizes.pair, stop); });
    return nb::make_tuple(counts[0], counts[1] + counts[2], counts[3], counts[4]);
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

}  // namespace

void bind_compat(nb::module_& m) {
    m.def(
        "windows_of_marks",
        [](nb::handle ref, nb::handle hyp, nb::handle boundary, Index k, bool pk, bool weighted) {
            const auto units = static_cast<Index>(nb::len(ref)) + 1;
            return run_with_python([&](const Stop& stop) {
                const Places a = marks_of(ref, boundary, stop), b = marks_of(hyp, boundary, stop);
                return differing(a, b, units, k, pk, weighted, stop);
            });
        },
        "ref"_a, "hyp"_a, "boundary"_a.none(), "k"_a, "pk"_a, "weighted"_a);
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
    m.def("windows_of_sizes", &windows_of_sizes, "ref"_a.none(), "hyp"_a.none(), "k"_a, "pk"_a,
          nb::sig("def windows_of_sizes(ref: object, hyp: object, k: int, pk: bool) -> tuple[int, int, int] | None"));
    m.def("edits_of_sizes", &edits_of_sizes, "a"_a.none(), "b"_a.none(), "n_t"_a,
          nb::sig("def edits_of_sizes(a: object, b: object, n_t: int) -> tuple[int, int, int, int] | None"));
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
