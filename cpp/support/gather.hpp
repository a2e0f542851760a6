// gather.hpp -- Rows of flat columns: picked in any order, and rows of counts added by group.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// Adds rows of counts to the row of `sums` that `groups` names. Whole numbers add exactly. Floats
// carry what each addition lost (Neumaier 1974), so that their order does not show.
template <class T>
void add_rows(std::span<const T> counts, std::span<const Index> groups, std::size_t width, std::span<T> sums) {
    std::vector<T> lost(std::is_floating_point_v<T> ? sums.size() : 0, T{0});
    for (std::size_t row = 0; row < groups.size(); ++row) {
        const std::size_t to = static_cast<std::size_t>(groups[row]) * width;
        for (std::size_t i = 0; i < width; ++i) {
            const T x = counts[row * width + i];
            T& sum = sums[to + i];
            if constexpr (std::is_floating_point_v<T>) {
                const T whole = sum + x;
                lost[to + i] += std::abs(sum) >= std::abs(x) ? (sum - whole) + x : (x - whole) + sum;
                sum = whole;
            } else {
                sum += x;
            }
        }
    }
    for (std::size_t i = 0; i < lost.size(); ++i) sums[i] += lost[i];
}

}  // namespace fencepost
