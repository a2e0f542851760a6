// sums.hpp -- Sums over rows that do not depend on how rows are cut into batches, and hashes of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/random.hpp"
#include "support/common.hpp"

namespace fencepost {

// The sum of values in steps of 2^-80, as 128 bits: exact for values that are whole numbers of such
// steps, whatever their order. Requires a sum of absolute values below 2^47, which the values of
// metrics are far from; `fits` tells.
struct StepSum {
    __int128 sum = 0;
    bool fits = true;
};

inline StepSum fixed_sum(std::span<const double> values) {
    constexpr double steps = 0x1p80, most = 0x1p46;
    StepSum made;
    double size = 0;
    for (const double value : values) {
        size += value < 0 ? -value : value;
        made.fits = made.fits && size < most;  // false for NaN, too
        if (made.fits) made.sum += static_cast<__int128>(value * steps);
    }
    return made;
}

// Products of every two columns, added over all rows: sums[i * width + j].
inline void add_products(std::span<const double> rows, std::size_t width, std::span<double> sums) {
    for (std::size_t at = 0; at < rows.size(); at += width)
        for (std::size_t i = 0; i < width; ++i)
            for (std::size_t j = 0; j < width; ++j) sums[i * width + j] += rows[at + i] * rows[at + j];
}

// 64 bits for each row: the sum of its values, each mixed with its place (hashing.py has the same).
template <class V>
void hash_rows(std::span<const V> values, std::span<const Index> offsets, std::span<std::uint64_t> hashes) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
    for (std::size_t row = 0; row < hashes.size(); ++row) {
        const auto first = static_cast<std::size_t>(offsets[row]), last = static_cast<std::size_t>(offsets[row + 1]);
        std::uint64_t sum = 0;
        for (std::size_t at = first; at < last; ++at)
            sum += Stream::mix(static_cast<std::uint64_t>(values[at]) + (at - first + 1) * golden);
        hashes[row] = Stream::mix(sum + (last - first));
    }
}

}  // namespace fencepost
