// boundary.hpp -- Metrics that compare cuts, or the segments between them, one by one.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common.hpp"
#include "matching.hpp"

namespace fencepost {

// The largest number of one-to-one pairs of cuts at most `tolerance` apart. Both lists are
// sorted, so taking the left-most cuts that fit is optimal: whatever a better pairing did with
// them can be exchanged without loss. O(cuts), no allocation.
template <class V>
Index matches_within(const Pair<V>& p, Index tolerance, const Stop& stop) {
    std::size_t i = 0, j = 0;
    Index matches = 0;
    for (std::size_t step = 1; i < p.ref.size() && j < p.hyp.size(); ++step) {
        const Index gap = Index{p.ref[i]} - Index{p.hyp[j]};
        const bool fits = gap <= tolerance && -gap <= tolerance;
        matches += fits;
        i += fits || gap < 0;
        j += fits || gap > 0;
        stop.check(step);
    }
    return matches;
}

// Puts the cuts that only one side has into a and b.
template <class V>
void one_sided(const Pair<V>& p, std::vector<V>& a, std::vector<V>& b, const Stop& stop) {
    a.clear(), b.clear();
    std::size_t i = 0, j = 0;
    for (std::size_t step = 1; i < p.ref.size() && j < p.hyp.size(); ++step) {
        const V r = p.ref[i], h = p.hyp[j];
        if (r < h) a.push_back(r);
        if (h < r) b.push_back(h);
        i += r <= h, j += h <= r;
        stop.check(step);
    }
    a.insert(a.end(), p.ref.begin() + static_cast<std::ptrdiff_t>(i), p.ref.end());
    b.insert(b.end(), p.hyp.begin() + static_cast<std::ptrdiff_t>(j), p.hyp.end());
}

// Generalized Hamming distance, Bookstein, Kulyukin & Raita (2002): the cheapest way to turn the
// hypothesis into the reference by insertions, deletions and shifts. A cut both sides have stays:
// shifting it away never pays, by the triangle inequality. O(cuts * reach).
template <class V>
Index hamming(const Pair<V>& p, LineCosts costs, const Stop& stop) {
    std::vector<V> a, b;
    one_sided(p, a, b, stop);
    return LineMatcher<V>(costs).bill(a, b, stop).cost;
}

// Start and end of segment number s, as places: the segment holds units (start, end].
template <class V>
struct Segments {
    std::span<const V> cuts;
    Index units;
    std::size_t count() const noexcept { return cuts.size() + 1; }
    Index start(std::size_t s) const noexcept { return s == 0 ? 0 : Index{cuts[s - 1]}; }
    Index end(std::size_t s) const noexcept { return s == cuts.size() ? units : Index{cuts[s]}; }
    Index size(std::size_t s) const noexcept { return end(s) - start(s); }
};

// Segmentation covering: sum over reference segments of size times the best Jaccard index with a
// hypothesis segment. Every pair of overlapping segments is met once: O(cuts), no allocation.
template <class V>
double covered_units(const Pair<V>& p, const Stop& stop) {
    const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
    double sum = 0, lost = 0;  // Neumaier's compensated sum
    std::size_t h = 0;
    for (std::size_t r = 0; r < ref.count(); ++r) {
        double best = 0;
        for (;; ++h) {
            const Index common = std::min(ref.end(r), hyp.end(h)) - std::max(ref.start(r), hyp.start(h));
            const Index all = ref.size(r) + hyp.size(h) - common;
            best = std::max(best, static_cast<double>(common) / static_cast<double>(all));
            stop.check(r + h);
            if (hyp.end(h) >= ref.end(r)) break;
        }
        if (hyp.end(h) == ref.end(r)) ++h;
        const double term = best * static_cast<double>(ref.size(r));
        const double next = sum + term;
        lost += sum >= term ? (sum - next) + term : (term - next) + sum;
        sum = next;
    }
    return sum + lost;
}

}  // namespace fencepost
