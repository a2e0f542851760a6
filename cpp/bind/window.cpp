// window.cpp -- Window metrics.
#include "kernels/window.hpp"

#include <string>

#include "bind/bind.hpp"
#include "bind/single.hpp"
#include "bind/windows.hpp"

namespace fencepost {
namespace {

// The width of each text's windows, from its units and the segments of its reference.
Array<Index> window_widths(Column<Index> units, Column<Index> segments, const std::string& rule, Index k, bool in_units) {
    check_length("segments", segments.shape(0), units.shape(0));
    for (const Index count : all(segments)) check_at_least("segments", count, Index{1});
    const Width own = width(rule, k, in_units);
    nb::capsule owner;
    Index* out = owned<Index>(units.shape(0), owner);
    run(units.shape(0), units.shape(0),
        [&](std::size_t row, const Stop&) { out[row] = own(units.data()[row], segments.data()[row]); });
    return Array<Index>(out, {units.shape(0)}, owner);
}

template <class V, Index alarm>
void bind_pk(nb::module_& m, const char* name) {
    m.def(
        name,
        [](const Rows<V>& rows, Column<Index> k, nb::str pad) {
            return count_windows(rows, PkCounts<V, alarm>{{padding(pad)}}, k);
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a);
}

template <class V>
void bind(nb::module_& m) {
    bind_pk<V, 1>(m, "pk");
    bind_pk<V, 2>(m, "pk_prime");
    m.def(
        "c_seg", [](const Rows<V>& rows, Column<Index> k) { return count_windows(rows, CSegCounts<V>{}, k); }, "rows"_a,
        "k"_a.noconvert());
    m.def(
        "window_diff",
        [](const Rows<V>& rows, Column<Index> k, nb::str pad, bool weighted) {
            return count_windows(rows, WindowDiffCounts<V>{padding(pad), weighted}, k);
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a, "weighted"_a);
    m.def(
        "winpr", [](const Rows<V>& rows, Column<Index> k) { return count_windows(rows, WinprRowCounts<V>{}, k); }, "rows"_a,
        "k"_a.noconvert());
}

template <Index alarm>
Single* single_pk(const std::string& rule, Index k, bool in_units, nb::str pad) {
    return single(PkCounts<Short, alarm>{{padding(pad)}}, width(rule, k, in_units));
}

Single* single_c_seg(const std::string& rule, Index k, bool in_units) {
    return single(CSegCounts<Short>{}, width(rule, k, in_units));
}

Single* single_window_diff(const std::string& rule, Index k, bool in_units, nb::str pad, bool weighted) {
    return single(WindowDiffCounts<Short>{padding(pad), weighted}, width(rule, k, in_units));
}

Single* single_winpr(const std::string& rule, Index k, bool in_units) {
    return single(WinprRowCounts<Short>{}, width(rule, k, in_units));
}

// Counts as the mean over levels has them, for the one level of a plain text.
Single* single_level_window_diff(const std::string& rule, Index k, bool in_units, nb::str pad) {
    const auto count = [own = WindowDiffCounts<Short>{padding(pad), false}](const Pair<Short>& p, const Stop& stop,
                                                                            Index places) mutable {
        const auto counts = own(p, stop, places);
        return std::array{static_cast<double>(counts[0]), static_cast<double>(counts[1])};
    };
    return single(count, width(rule, k, in_units));
}

}  // namespace

void bind_window(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("window_widths", &window_widths, "units"_a.noconvert(), "segments"_a.noconvert(), "rule"_a, "k"_a, "in_units"_a);
    m.def("single_pk", &single_pk<1>, "rule"_a, "k"_a, "in_units"_a, "pad"_a);
    m.def("single_pk_prime", &single_pk<2>, "rule"_a, "k"_a, "in_units"_a, "pad"_a);
    m.def("single_c_seg", &single_c_seg, "rule"_a, "k"_a, "in_units"_a);
    m.def("single_window_diff", &single_window_diff, "rule"_a, "k"_a, "in_units"_a, "pad"_a, "weighted"_a);
    m.def("single_level_window_diff", &single_level_window_diff, "rule"_a, "k"_a, "in_units"_a, "pad"_a);
    m.def("single_winpr", &single_winpr, "rule"_a, "k"_a, "in_units"_a);
}

}  // namespace fencepost
