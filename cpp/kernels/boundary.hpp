// boundary.hpp -- Metrics that compare cuts, or the segments between them, one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "kernels/matching.hpp"
#include "support/common.hpp"

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

// Generalized Hamming distance, Bookstein, Kulyukin & Raita (2002): the cheapest way to turn the
// hypothesis into the reference by insertions, deletions and shifts. A cut both sides have stays:
// shifting it away never pays, by the triangle inequality. O(cuts * reach) time, O(cuts) memory.
template <class V>
class HammingCounter {
public:
    Index cost(const Pair<V>& p, LineCosts costs, const Stop& stop) {
        one_sided(p, points_, stop);
        const Index hyp = std::count_if(points_.begin(), points_.end(), [](V point) { return point < 0; });
        const Index ref = static_cast<Index>(points_.size()) - hyp;
        const auto nothing = [](Index) { return Index{0}; };
        return costs.ref * ref + costs.hyp * hyp - near_misses_.savings(points_, costs, stop, nothing).saved;
    }

private:
    std::vector<V> points_;
    NearMisses<V> near_misses_;
};

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
        stop.check(r);
        double best = 0;
        for (;; ++h) {
            const Index common = std::min(ref.end(r), hyp.end(h)) - std::max(ref.start(r), hyp.start(h));
            const Index all = ref.size(r) + hyp.size(h) - common;
            best = std::max(best, static_cast<double>(common) / static_cast<double>(all));
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

// A tolerance in units, or a share of the mean reference segment, rounded down.
struct Tolerance {
    Index numerator = 0, denominator = 0;  // no share if the denominator is 0

    template <class V>
    Index operator()(const Pair<V>& p) const noexcept {
        if (denominator == 0) return numerator;
        return p.units * numerator / ((static_cast<Index>(p.ref.size()) + 1) * denominator);
    }
};

// What the metrics above count in one pair: true positives, false positives and false negatives.
// Both texts end after the same unit. Matching the two ends with each other is never worse than
// anything else, so ends that count as boundaries add one match.
template <class V>
struct MatchCounts {
    bool ends = false;

    std::array<Index, 3> operator()(const Pair<V>& p, const Stop& stop, Index tolerance) const {
        const Index tp = matches_within(p, tolerance, stop);
        return {tp + ends, static_cast<Index>(p.hyp.size()) - tp, static_cast<Index>(p.ref.size()) - tp};
    }
};

// Places on which both sides agree, and all places.
template <class V>
struct AgreementCounts {
    std::array<Index, 2> operator()(const Pair<V>& p, const Stop& stop) const {
        const Index both = matches_within(p, 0, stop), places = p.units - 1;
        return {places - static_cast<Index>(p.ref.size() + p.hyp.size()) + 2 * both, places};
    }
};

// Sections of the reference, by what a chunker does to them. A section is cut through if a boundary
// of the hypothesis is inside it, more than `tolerance` from both of its ends. It is joined with a
// neighbour if no boundary of the hypothesis is within `tolerance` of the end that they share. Both
// lists are sorted and the looked-for ranges only move right: O(cuts), no allocation.
template <class V>
struct SectionCounts {
    std::array<Index, 3> operator()(const Pair<V>& p, const Stop& stop, Index tolerance) const {
        const Segments<V> sections{p.ref, p.units};
        Index cut = 0, joined = 0;
        std::size_t inside = 0, near = 0;  // the first boundary behind the left end of either range
        bool left_missed = false;          // the text's own ends are never missed
        for (std::size_t s = 0; s < sections.count(); ++s) {
            stop.check(s);
            const Index start = sections.start(s), end = sections.end(s);
            while (inside < p.hyp.size() && Index{p.hyp[inside]} <= start + tolerance) ++inside;
            cut += inside < p.hyp.size() && Index{p.hyp[inside]} < end - tolerance;
            while (near < p.hyp.size() && Index{p.hyp[near]} < end - tolerance) ++near;
            const bool met = near < p.hyp.size() && Index{p.hyp[near]} <= end + tolerance;
            const bool right_missed = s + 1 < sections.count() && !met;
            joined += left_missed || right_missed;
            left_missed = right_missed;
        }
        return {cut, joined, static_cast<Index>(sections.count())};
    }
};

// The cost, and one text.
template <class V>
struct HammingCounts {
    LineCosts costs;
    HammingCounter<V> counter = {};

    std::array<Index, 2> operator()(const Pair<V>& p, const Stop& stop) { return {counter.cost(p, costs, stop), 1}; }
};

template <class V>
struct CoveringCounts {
    std::array<double, 2> operator()(const Pair<V>& p, const Stop& stop) const {
        return {covered_units(p, stop), static_cast<double>(p.units)};
    }
};

}  // namespace fencepost
