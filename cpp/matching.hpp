// matching.hpp -- Pairs up the points of two sorted lists on a line, at the least total cost.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <limits>
#include <vector>

#include "common.hpp"

namespace fencepost {

// What it costs to pair two points (per unit of distance, up to `reach`) or to leave one alone.
// The matcher asks through these functions, so that points can also have prices of their own.
// Among equal costs it takes the fewest edits if an edit counts +1, the most if it counts -1.
struct LineCosts {
    Index ref, hyp, per_unit, reach;

    static constexpr Index edit = 1;
    Index ref_alone(std::size_t) const noexcept { return ref; }
    Index hyp_alone(std::size_t) const noexcept { return hyp; }
    Index hyp_alone(std::size_t first, std::size_t last) const noexcept { return hyp * static_cast<Index>(last - first); }
    Index pair(std::size_t, std::size_t, Index distance) const noexcept { return per_unit * distance; }
};

// Cost first, then edits. Points paired or left alone are one edit each.
struct Bill {
    Index cost = 0, edits = 0;
    auto operator<=>(const Bill&) const = default;
    Bill plus(Index more_cost, Index more_edits) const noexcept { return {cost + more_cost, edits + more_edits}; }
};

// Finds the cheapest non-crossing pairing of a and b (both strictly increasing, nothing shared).
//
// S(i, j) is the least bill for a[i..] against b[j..]. Only points within reach can pair, so
// row i needs the columns [low_i, high_i + 1] alone; left of it every b is left alone, right of
// it a[i] is. Cost O(cuts * reach). One row is held at a time: memory O(cuts); with pairs() the
// rows are kept, O(cuts * reach) within a run of points that no gap wider than reach divides.
template <class V, class Costs = LineCosts>
class LineMatcher {
public:
    explicit LineMatcher(Costs costs) : costs_(costs) {}
    void use(Costs costs) { costs_ = costs; }  // keeps the scratch memory

    // The least bill, without the pairs.
    Bill bill(std::span<const V> a, std::span<const V> b, const Stop& stop) {
        Bill total;
        for_each_cluster(a, b, [&](std::span<const V> x, std::span<const V> y, std::size_t first_a, std::size_t first_b) {
            const Bill part = solve(x, y, first_a, first_b, false, stop);
            total = {total.cost + part.cost, total.edits + part.edits};
        });
        return total;
    }

    // Calls pair(i, j) for the pairs of the cheapest pairing. Among equal bills the pairs lie as
    // far left as possible: the first pair's left end is the smallest, then its right end, then
    // the next pair's, and so on.
    template <class OnPair>
    void pairs(std::span<const V> a, std::span<const V> b, const Stop& stop, OnPair&& pair) {
        for_each_cluster(a, b, [&](std::span<const V> x, std::span<const V> y, std::size_t first_a, std::size_t first_b) {
            if (x.empty() || y.empty()) return;
            solve(x, y, first_a, first_b, true, stop);
            trace(x, y, stop, [&](std::size_t i, std::size_t j) { pair(first_a + i, first_b + j); });
        });
    }

private:
    // A gap wider than reach, in the merged order of all points, divides the problem.
    template <class Body>
    void for_each_cluster(std::span<const V> a, std::span<const V> b, Body&& body) const {
        std::size_t i = 0, j = 0;
        while (i < a.size() || j < b.size()) {
            const std::size_t first_a = i, first_b = j;
            Index last = std::numeric_limits<Index>::max();
            while (i < a.size() || j < b.size()) {
                const bool from_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
                const Index point = from_a ? Index{a[i]} : Index{b[j]};
                if (last != std::numeric_limits<Index>::max() && point - last > costs_.reach) break;
                last = point;
                (from_a ? i : j) += 1;
            }
            body(a.subspan(first_a, i - first_a), b.subspan(first_b, j - first_b), first_a, first_b);
        }
    }

    // One cluster; its points are number first_a and first_b onwards for the costs.
    Bill solve(std::span<const V> a, std::span<const V> b, std::size_t first_a, std::size_t first_b, bool keep,
               const Stop& stop) {
        const std::size_t n = a.size(), m = b.size();
        first_a_ = first_a, first_b_ = first_b;
        row_.resize(m + 1);
        row_[m] = {};
        // row_ is right from column `known` on; what lies left of it is filled on demand.
        std::size_t known = m, low = m, high = m;
        if (keep) {
            starts_.assign(n + 1, 0);
            lows_.assign(n + 1, m);
            kept_.clear();
            kept_.push_back(row_[m]);
        }
        std::size_t steps = 0;
        for (std::size_t i = n; i-- > 0;) {
            if ((steps += 1 + high - std::min(low, high)) > kPatience) stop.check(), steps = 0;
            while (high > 0 && Index{b[high - 1]} - Index{a[i]} > costs_.reach) --high;
            while (low > 0 && Index{a[i]} - Index{b[low - 1]} <= costs_.reach) --low;
            // Now b[low .. high) is within reach of a[i]; row_ holds S(i+1, known ..).
            for (; known > low; --known) row_[known - 1] = row_[known].plus(hyp_alone(known - 1), Costs::edit);
            const Index a_alone = ref_alone(i);
            Bill diagonal = row_[high];
            row_[high] = row_[high].plus(a_alone, Costs::edit);
            for (std::size_t j = high; j-- > low;) {
                const Index distance = std::abs(Index{a[i]} - Index{b[j]});
                const Bill paired = diagonal.plus(costs_.pair(first_a + i, first_b + j, distance), Costs::edit);
                diagonal = row_[j];
                row_[j] = std::min(paired, std::min(row_[j].plus(a_alone, Costs::edit),
                                                    row_[j + 1].plus(hyp_alone(j), Costs::edit)));
            }
            known = low;
            if (keep) {
                starts_[i] = kept_.size();
                lows_[i] = low;
                kept_.insert(kept_.end(), row_.begin() + static_cast<std::ptrdiff_t>(low),
                             row_.begin() + static_cast<std::ptrdiff_t>(high) + 1);
            }
        }
        return row_[known].plus(hyp_alone(0, known), Costs::edit * static_cast<Index>(known));
    }

    Index ref_alone(std::size_t i) const { return costs_.ref_alone(first_a_ + i); }
    Index hyp_alone(std::size_t j) const { return costs_.hyp_alone(first_b_ + j); }
    Index hyp_alone(std::size_t first, std::size_t last) const { return costs_.hyp_alone(first_b_ + first, first_b_ + last); }

    // S(i, j) from the kept rows, for j up to the end of row i's band: the only ones asked for,
    // since the bands move right with i.
    Bill kept(std::size_t i, std::size_t j) const {
        if (j >= lows_[i]) return kept_[starts_[i] + (j - lows_[i])];
        return kept_[starts_[i]].plus(hyp_alone(j, lows_[i]), Costs::edit * static_cast<Index>(lows_[i] - j));
    }

    template <class OnPair>
    void trace(std::span<const V> a, std::span<const V> b, const Stop& stop, OnPair&& pair) const {
        std::size_t i = 0, j = 0, step = 0;
        Bill left = kept(0, 0);  // S(i, j), carried along
        while (i < a.size() && j < b.size()) {
            const bool a_first = a[i] < b[j];
            // Does the left-most point take part in a cheapest pairing, and with whom?
            std::size_t x = i, y = j;
            Bill skipped;
            bool found = false;
            while (x < a.size() && y < b.size()) {
                stop.check(++step);
                const Index distance = std::abs(Index{a[x]} - Index{b[y]});
                if (distance > costs_.reach) break;
                const Bill rest = kept(x + 1, y + 1);
                const Index price = costs_.pair(first_a_ + x, first_b_ + y, distance);
                const Bill whole = rest.plus(skipped.cost + price, skipped.edits + Costs::edit);
                if (whole == left) {
                    pair(x, y);
                    i = x + 1, j = y + 1, left = rest, found = true;
                    break;
                }
                if (a_first) {
                    skipped = skipped.plus(hyp_alone(y++), Costs::edit);
                } else {
                    skipped = skipped.plus(ref_alone(x++), Costs::edit);
                }
            }
            if (found) continue;
            if (a_first) {
                left = left.plus(-ref_alone(i++), -Costs::edit);
            } else {
                left = left.plus(-hyp_alone(j++), -Costs::edit);
            }
        }
    }

    static constexpr std::size_t kPatience = 1 << 16;  // cells between two looks at the flag

    Costs costs_;
    std::size_t first_a_ = 0, first_b_ = 0;
    std::vector<Bill> row_, kept_;
    std::vector<std::size_t> starts_, lows_;
};

}  // namespace fencepost
