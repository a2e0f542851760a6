// common.hpp -- What every kernel reads: one reference and one hypothesis over the same units.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace fencepost {

using Index = std::int64_t;  // units, places, distances and counts
using Kind = std::int32_t;   // index into the vocabulary of kinds

// One row of a table of pairs. V is the width of the stored places (32 or 64 bits).
// A cut at p lies after unit p. Cuts are sorted; with kinds, by (place, kind) and without
// repeats, else strictly increasing. Untyped rows have empty kind spans. Weights are above 0 and
// at most 1; rows without them have empty weight spans, and every cut weighs 1.
// The Python edge has checked all of this; kernels trust it.
template <class V>
struct Pair {
    std::span<const V> ref, hyp;
    std::span<const Kind> ref_kinds, hyp_kinds;
    std::span<const double> ref_weights, hyp_weights;
    Index units = 0;
};

struct Cancelled {};

// The flag that Ctrl-C raises. Loops that can run for long look at it now and then. A kernel that
// runs in the calling thread has nobody to raise it, and asks `go_on` instead.
class Stop {
public:
    Stop() = default;
    explicit Stop(std::function<bool()> go_on) : go_on_(std::move(go_on)) {}
    void request() noexcept { flag_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept { return flag_.load(std::memory_order_relaxed); }
    void check() const {
        if (requested() || (go_on_ && !go_on_())) throw Cancelled{};
    }
    // Cheap enough for an inner loop: looks at the flag once in 16,384 steps.
    void check(std::size_t step) const {
        if ((step & 0x3fff) == 0) [[unlikely]]
            check();
    }

private:
    std::atomic<bool> flag_{false};
    std::function<bool()> go_on_;
};

// Looks at the flag once in 65,536 steps where these come in bundles of any size.
class Patience {
public:
    explicit Patience(const Stop& stop) : stop_(stop) {}
    void spend(std::size_t steps) {
        if ((spent_ += steps) <= kSteps) return;
        spent_ = 0;
        stop_.check();
    }

private:
    static constexpr std::size_t kSteps = 1 << 16;
    const Stop& stop_;
    std::size_t spent_ = 0;
};

// Sorts, and stops when asked to: a hundred million numbers take seconds.
template <class Range, class Less = std::less<>>
void sort(Range& range, const Stop& stop, Less less = {}) {
    std::size_t compared = 0;
    std::sort(range.begin(), range.end(), [&](const auto& a, const auto& b) {
        stop.check(++compared);
        return less(a, b);
    });
}

// A sum of numbers in [0, 1] that does not depend on their order: 128-bit fixed point in
// steps of 2^-63. Exact for addends from 2^-10 up, truncated below 2^-63 otherwise.
class FixedSum {
public:
    void add(double x) noexcept {
        const auto step = static_cast<std::uint64_t>(x * 0x1p63);
        low_ += step;
        high_ += low_ < step;
    }
    // The same number several times.
    void add(double x, Index times) noexcept {
        const auto steps =
            static_cast<unsigned __int128>(static_cast<std::uint64_t>(x * 0x1p63)) * static_cast<unsigned __int128>(times);
        const auto low = static_cast<std::uint64_t>(steps);
        low_ += low;
        high_ += static_cast<std::uint64_t>(steps >> 64) + (low_ < low);
    }
    double value() const noexcept { return static_cast<double>(high_) * 2.0 + static_cast<double>(low_) * 0x1p-63; }

private:
    std::uint64_t low_ = 0, high_ = 0;
};

}  // namespace fencepost
