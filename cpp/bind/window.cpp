// window.cpp -- Window metrics.
#include "kernels/window.hpp"

#include <string>

#include "bind/bind.hpp"

namespace fencepost {
namespace {

Padding padding(const nb::str& name) {
    const auto found = padding_named(name.c_str());
    if (!found) refuse(std::string("pad must be none, lamprier or segeval, found ") + name.c_str());
    return *found;
}

template <class V>
void check_widths(const Rows<V>& rows, const Column<Index>& k) {
    check_length("k", k.shape(0), rows.size());
    check_each_at_least("k", all(k), Index{0});
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "window_diff",
        [](const Rows<V>& rows, Column<Index> k, nb::str pad, bool weighted) {
            check_widths(rows, k);
            return count_rows(rows, WindowDiffCounts<V>{padding(pad), weighted}, k);
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a, "weighted"_a);
    m.def(
        "window_presence",
        [](const Rows<V>& rows, Column<Index> k, nb::str pad) {
            check_widths(rows, k);
            return count_rows(rows, WindowPresenceCounts<V>{padding(pad)}, k);
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a);
    m.def(
        "winpr",
        [](const Rows<V>& rows, Column<Index> k) {
            check_widths(rows, k);
            return count_rows(rows, WinprRowCounts<V>{}, k);
        },
        "rows"_a, "k"_a.noconvert());
}

}  // namespace

void bind_window(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
}

}  // namespace fencepost
