// sums.hpp -- Sums over rows that do not depend on how rows are cut into batches, and hashes of rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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

inline StepSum fixed_sum(std::span<const double> values, const Stop& stop = {}) {
    constexpr double steps = 0x1p80, most = 0x1p46;
    StepSum made;
    double size = 0;
    for (std::size_t at = 0; at < values.size(); ++at) {
        const double value = values[at];
        stop.check(at);
        size += value < 0 ? -value : value;
        made.fits = made.fits && size < most;  // false for NaN, too
        if (made.fits) made.sum += static_cast<__int128>(value * steps);
    }
    return made;
}

// A sum of doubles that is rounded once, when it is asked for: whatever the order, and whatever was
// added and taken away in between. It is kept as parts that do not overlap (Shewchuk 1997).
class ExactSum {
public:
    void add(double x) {
        std::size_t kept = 0;
        for (double part : parts_) {
            if (std::abs(x) < std::abs(part)) std::swap(x, part);
            const double sum = x + part, lost = part - (sum - x);
            if (lost != 0) parts_[kept++] = lost;
            x = sum;
        }
        parts_.resize(kept);
        if (x != 0) parts_.push_back(x);
    }

    double value() const noexcept {
        std::size_t at = parts_.size();
        if (at == 0) return 0;
        double sum = parts_[--at], lost = 0;
        while (at > 0 && lost == 0) {
            const double part = parts_[--at], next = sum + part;
            lost = part - (next - sum);
            sum = next;
        }
        // Half way between two doubles, the parts that are left decide.
        if (at > 0 && lost != 0 && (lost < 0) == (parts_[at - 1] < 0)) {
            const double twice = 2 * lost, next = sum + twice;
            if (next - sum == twice) sum = next;
        }
        return sum;
    }

private:
    std::vector<double> parts_;
};

// The sum of the current values of all texts and the number of texts that have one, each time when
// as many steps as `ends` says were made. A step replaces `before` by `after`; NaN is no value.
inline void add_in_order(std::span<const double> before, std::span<const double> after, std::span<const Index> order,
                         std::span<const Index> ends, double* sums, Index* texts, const Stop& stop = {}) {
    ExactSum sum;
    Index count = 0;
    std::size_t at = 0;
    for (const Index end : ends) {
        for (; at < static_cast<std::size_t>(end); ++at) {
            const auto step = static_cast<std::size_t>(order[at]);
            stop.check(at);
            const double old = before[step], now = after[step];
            if (old == now) continue;
            if (old == old) sum.add(-old), --count;
            if (now == now) sum.add(now), ++count;
        }
        *sums++ = sum.value();
        *texts++ = count;
    }
}

// Products of every two columns, added over all rows: sums[i * width + j].
inline void add_products(std::span<const double> rows, std::size_t width, std::span<double> sums, const Stop& stop) {
    Patience patience(stop);
    for (std::size_t at = 0; at < rows.size(); at += width)
        for (std::size_t i = 0; i < width; ++i) {
            patience.spend(width);
            for (std::size_t j = 0; j < width; ++j) sums[i * width + j] += rows[at + i] * rows[at + j];
        }
}

// 64 bits for each row: the sum of its values, each mixed with its place (hashing.py has the same).
template <class V>
void hash_rows(std::span<const V> values, std::span<const Index> offsets, std::span<std::uint64_t> hashes,
               const Stop& stop = {}) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
    for (std::size_t row = 0; row < hashes.size(); ++row) {
        const auto first = static_cast<std::size_t>(offsets[row]), last = static_cast<std::size_t>(offsets[row + 1]);
        std::uint64_t sum = 0;
        for (std::size_t at = first; at < last; ++at) {
            stop.check(at);
            sum += Stream::mix(static_cast<std::uint64_t>(values[at]) + (at - first + 1) * golden);
        }
        hashes[row] = Stream::mix(sum + (last - first));
    }
}

}  // namespace fencepost
