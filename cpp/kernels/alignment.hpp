// alignment.hpp -- A, Diaz & Ouyang (2022): align every segment with the segment of the other side
// that it overlaps most, then weigh the edges.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/boundary.hpp"
#include "support/common.hpp"

namespace fencepost {

enum class Weight : int { jaccard, dice, overlap, rand, intersect };
enum class Scoring : int { mean, best, fan_out };
enum class Label : Index { match, shift, split, merge, mixed };

struct AlignmentSettings {
    Weight weight = Weight::jaccard;
    Scoring scoring = Scoring::mean;
    bool directed = false;
    double threshold = 0;  // edges lighter than this count 0
};

struct AlignmentCounts {
    double weight = 0, edges = 0;
};

struct EdgeRow {
    Index ref, hyp;  // numbers of the two segments
    Index ref_start, ref_end, hyp_start, hyp_end;
    Label label;
    double weight;
};

// How alike two overlapping segments are; for `intersect` seen from the segment of size p.
inline double edge_weight(Weight kind, Index p, Index q, Index common) {
    const auto x = static_cast<double>(p), y = static_cast<double>(q), c = static_cast<double>(common);
    switch (kind) {
        case Weight::jaccard: return c / (x + y - c);
        case Weight::dice: return 2 * c / (x + y);
        case Weight::overlap: return c / std::min(x, y);
        case Weight::intersect: return c / x;
        case Weight::rand: break;
    }
    // Rand index of {p, rest} and {q, rest} on the units of their union: unit pairs with one
    // member in both segments and one in a single segment are told apart by one side only.
    const double all = x + y - c, pairs = all * (all - 1) / 2;
    return all == 1 ? 1.0 : (pairs - c * (x + y - 2 * c)) / pairs;
}

// The maximum likelihood alignment of one pair. Holds its scratch memory.
// Targets: largest overlap, then larger Jaccard index, then left-most. Segments that overlap are
// met in one sweep, at most segments - 1 of them: O(segments) time. The mean weight needs no
// memory; what looks at the edges of a segment needs O(segments).
template <class V>
class SegmentAligner {
public:
    AlignmentCounts count(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        if (s.scoring == Scoring::mean) return mean(p, s, stop);
        find_targets(p, stop);
        count_degrees(p, stop);
        return s.scoring == Scoring::best ? best(p, s, stop) : fan_out(p, s, stop);
    }

    // The edges in order, each once; in directed mode `weight` is seen from the reference.
    void list(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop, std::vector<EdgeRow>& edges) {
        edges.clear();
        find_targets(p, stop);
        count_degrees(p, stop);
        ref_label_.resize(ref_degree_.size()), hyp_label_.resize(hyp_degree_.size());
        label_hubs(p, stop);
        for_each_edge(p, stop, [&](std::size_t r, std::size_t h, Index common) {
            const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
            Label label = ref_degree_[r] > 1 ? ref_label_[r] : hyp_label_[h];
            if (ref_degree_[r] == 1 && hyp_degree_[h] == 1)
                label = ref.size(r) == common && hyp.size(h) == common ? Label::match : Label::shift;
            edges.push_back({static_cast<Index>(r), static_cast<Index>(h), ref.start(r), ref.end(r), hyp.start(h),
                             hyp.end(h), label, weigh(s, ref.size(r), hyp.size(h), common)});
        });
    }

private:
    // Calls see(r, h, common) for every two segments that overlap, from left to right.
    template <class See>
    static void for_each_overlap(const Pair<V>& p, const Stop& stop, See&& see) {
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        const std::size_t n = ref.count(), m = hyp.count();
        Index start = 0;
        for (std::size_t r = 0, h = 0; r < n && h < m;) {
            stop.check(r + h + 1);
            const Index r_end = ref.end(r), h_end = hyp.end(h), end = std::min(r_end, h_end);
            see(r, h, end - start);
            start = end;
            r += r_end == end, h += h_end == end;
        }
    }

    template <class See>
    void for_each_edge(const Pair<V>& p, const Stop& stop, See&& see) const {
        for_each_overlap(p, stop, [&](std::size_t r, std::size_t h, Index common) {
            if (ref_target_[r] == static_cast<V>(h) || hyp_target_[h] == static_cast<V>(r)) see(r, h, common);
        });
    }

    static double weigh(const AlignmentSettings& s, Index p, Index q, Index common) {
        const double w = edge_weight(s.weight, p, q, common);
        return w < s.threshold ? 0.0 : w;
    }

    // Segments are numbered in V: there is at most one more than there are cuts.
    void find_targets(const Pair<V>& p, const Stop& stop) {
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        ref_target_.resize(ref.count()), hyp_target_.resize(hyp.count());
        std::size_t last_r = static_cast<std::size_t>(-1), last_h = last_r;
        Index r_common = 0, r_other = 0, h_common = 0, h_other = 0;  // of the best target so far
        for_each_overlap(p, stop, [&](std::size_t r, std::size_t h, Index common) {
            const Index r_size = ref.size(r), h_size = hyp.size(h);
            // At equal overlap the smaller partner has the larger Jaccard index.
            const bool for_r = r != last_r || common > r_common || (common == r_common && h_size < r_other);
            const bool for_h = h != last_h || common > h_common || (common == h_common && r_size < h_other);
            if (for_r) ref_target_[r] = static_cast<V>(h), r_common = common, r_other = h_size;
            if (for_h) hyp_target_[h] = static_cast<V>(r), h_common = common, h_other = r_size;
            last_r = r, last_h = h;
        });
    }

    void count_degrees(const Pair<V>& p, const Stop& stop) {
        ref_degree_.assign(p.ref.size() + 1, 0), hyp_degree_.assign(p.hyp.size() + 1, 0);
        for_each_edge(p, stop, [&](std::size_t r, std::size_t h, Index) { ++ref_degree_[r], ++hyp_degree_[h]; });
    }

    // A segment with several edges is a split (of a reference segment) or a merge (into a
    // hypothesis segment) if all its partners are aligned with it alone; else it is mixed.
    void label_hubs(const Pair<V>& p, const Stop& stop) {
        std::fill(ref_label_.begin(), ref_label_.end(), Label::split);
        std::fill(hyp_label_.begin(), hyp_label_.end(), Label::merge);
        for_each_edge(p, stop, [&](std::size_t r, std::size_t h, Index) {
            if (ref_degree_[r] > 1 && hyp_degree_[h] > 1) ref_label_[r] = hyp_label_[h] = Label::mixed;
        });
    }

    // The best target of a segment so far. It is mutual if the target has ended and aims at it.
    struct Target {
        Index common = 0, size = 0;
        bool mutual = false;
        // At equal overlap the smaller partner has the larger Jaccard index.
        bool takes(Index common_here, Index size_here) noexcept {
            const bool better = common_here > common || (common_here == common && size_here < size);
            if (better) *this = {common_here, size_here, false};
            return better;
        }
    };

    // Each segment's edge is counted when the segment ends, by when its target is known. An edge
    // that goes both ways is left out the second time, unless edges have a direction.
    static AlignmentCounts mean(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        FixedSum sum;
        Index edges = 0;
        const auto count = [&](const Target& target, Index size) {
            if (target.mutual && !s.directed) return;
            sum.add(weigh(s, size, target.size, target.common));
            ++edges;
        };
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        Target of_ref, of_hyp;  // of the two segments that overlap
        for_each_overlap(p, stop, [&](std::size_t r, std::size_t h, Index common) {
            const Index r_size = ref.size(r), h_size = hyp.size(h);
            const bool r_takes = of_ref.takes(common, h_size), h_takes = of_hyp.takes(common, r_size);
            const Index r_end = ref.end(r), h_end = hyp.end(h);
            if (r_end <= h_end) {
                count(of_ref, r_size);
                of_ref = {};
                of_hyp.mutual |= r_takes && h_takes;
            }
            if (h_end <= r_end) {
                count(of_hyp, h_size);
                of_hyp = {};
                of_ref.mutual |= r_takes && h_takes;
            }
        });
        return {sum.value(), static_cast<double>(edges)};
    }

    // Mean over all segments of the heaviest edge at each.
    AlignmentCounts best(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        ref_best_.assign(ref.count(), 0.0), hyp_best_.assign(hyp.count(), 0.0);
        for_each_edge(p, stop, [&](std::size_t r, std::size_t h, Index common) {
            const double w = weigh(s, ref.size(r), hyp.size(h), common);
            ref_best_[r] = std::max(ref_best_[r], w), hyp_best_[h] = std::max(hyp_best_[h], w);
        });
        FixedSum sum;
        for (double w : ref_best_) sum.add(w);
        for (double w : hyp_best_) sum.add(w);
        return {sum.value(), static_cast<double>(ref.count() + hyp.count())};
    }

    // An edge counts 2^(degree-1) times in the divisor, by the higher degree of its two ends.
    AlignmentCounts fan_out(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) const {
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        FixedSum sum;
        double divisor = 0;
        for_each_edge(p, stop, [&](std::size_t r, std::size_t h, Index common) {
            sum.add(weigh(s, ref.size(r), hyp.size(h), common));
            divisor += std::exp2(static_cast<double>(std::max(ref_degree_[r], hyp_degree_[h])) - 1);
        });
        return {sum.value(), divisor};
    }

    std::vector<V> ref_target_, hyp_target_;
    std::vector<V> ref_degree_, hyp_degree_;
    std::vector<double> ref_best_, hyp_best_;
    std::vector<Label> ref_label_, hyp_label_;
};

// What A counts in one pair.
template <class V>
struct AlignmentRowCounts {
    AlignmentSettings settings;
    SegmentAligner<V> aligner = {};

    std::array<double, 2> operator()(const Pair<V>& p, const Stop& stop) {
        const AlignmentCounts c = aligner.count(p, settings, stop);
        return {c.weight, c.edges};
    }
};

}  // namespace fencepost
