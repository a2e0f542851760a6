// gather.hpp -- Rows of flat columns: picked in any order, and rows of counts added by group.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// Adds rows of counts to the row of `sums` that `groups` names. Whole numbers add exactly. Floats
// carry what each addition lost (Neumaier 1974), so that their order does not show.
template <class T>
void add_rows(std::span<const T> counts, std::span<const Index> groups, std::size_t width, std::span<T> sums,
              const Stop& stop = {}) {
    std::vector<T> lost(std::is_floating_point_v<T> ? sums.size() : 0, T{0});
    Patience patience(stop);
    for (std::size_t row = 0; row < groups.size(); ++row) {
        patience.spend(width);
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

// Where each picked row begins when the rows that `index` names are laid end to end; one more at
// the end. Throws where a row does not exist: the loop reads every offset anyway.
inline std::vector<Index> gathered_offsets(std::span<const Index> offsets, std::span<const Index> index,
                                           const Stop& stop = {}) {
    const auto rows = static_cast<Index>(offsets.size()) - 1;
    std::vector<Index> starts(index.size() + 1, 0);
    for (std::size_t i = 0; i < index.size(); ++i) {
        const Index row = index[i];
        stop.check(i);
        if (row < 0 || row >= rows)
            throw std::invalid_argument("index must be from 0 to below " + std::to_string(rows) + ", found " +
                                        std::to_string(row));
        const auto from = static_cast<std::size_t>(row);
        const Index first = offsets[from], last = offsets[from + 1];
        if (first < 0 || last < first || last > offsets[offsets.size() - 1])
            throw std::invalid_argument("offsets must not fall, found " + std::to_string(first) + " and " +
                                        std::to_string(last) + " in row " + std::to_string(row));
        starts[i + 1] = starts[i] + last - first;
    }
    return starts;
}

}  // namespace fencepost
