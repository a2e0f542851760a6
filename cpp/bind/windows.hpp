// windows.hpp -- Padding and widths of windows as bindings take them, by name.
#pragma once

#include <string>

#include "bind/bind.hpp"
#include "kernels/window.hpp"

namespace fencepost {

inline Padding padding(const nb::str& name) {
    const auto found = padding_named(name.c_str());
    if (!found) refuse(std::string("pad must be none, lamprier or segeval, found ") + name.c_str());
    return *found;
}

inline Width width(const std::string& rule, Index k, bool in_units) {
    for (std::size_t i = 0; i < width_rules.size(); ++i)
        if (rule == width_rules[i]) return {static_cast<WidthRule>(i), k, in_units};
    refuse("no rule for the width of windows is called " + rule);
}

template <class V, class Count>
auto count_windows(const Rows<V>& rows, Count count, const Column<Index>& k) {
    check_length("k", k.shape(0), rows.size());
    check_each_at_least("k", all(k), Index{0});
    return count_rows(rows, std::move(count), k);
}

}  // namespace fencepost
