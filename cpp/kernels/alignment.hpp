// alignment.hpp -- A, Diaz & Ouyang (2022): align every segment with the closest segment of the other
// side, by default the one that it overlaps most, then weigh the edges.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/boundary.hpp"
#include "support/common.hpp"

namespace fencepost {

enum class Weight : int { jaccard, dice, overlap, rand, intersect, given };
enum class EdgeTies : int { jaccard, jaccard_right, left, right };
enum class Scoring : int { mean, best, fan_out };
enum class Label : Index { match, shift, split, merge, mixed };

// What a function of two segments says about an overlap, seen from the reference and from the
// hypothesis. Only columns of `Weight::given` are read.
struct Given {
    std::array<double, 2> closeness, weight;
};

struct AlignmentSettings {
    Weight weight = Weight::jaccard;
    Scoring scoring = Scoring::mean;
    bool directed = false;
    double threshold = 0;  // edges lighter than this count 0
    Weight closeness = Weight::intersect;
    EdgeTies ties = EdgeTies::jaccard;
    bool global = false;  // the edges with the largest mean weight, instead of each segment's closest
    std::span<const Given> given;  // of the overlaps of one pair, where functions are used

    // The closest segment is the one with the largest overlap, at equal overlap the smallest.
    bool by_overlap() const noexcept { return closeness == Weight::intersect && ties == EdgeTies::jaccard; }
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

// Two segments that overlap: their numbers, the number of the overlap, and sizes.
struct Overlap {
    std::size_t ref, hyp, number;
    Index ref_size, hyp_size, common;
    bool ref_ends, hyp_ends;
};

// How alike two overlapping segments are; for `intersect` seen from the segment of size p.
inline double edge_weight(Weight kind, Index p, Index q, Index common) {
    const auto x = static_cast<double>(p), y = static_cast<double>(q), c = static_cast<double>(common);
    if (kind == Weight::jaccard) return c / (x + y - c);  // the usual one
    switch (kind) {
        case Weight::dice: return 2 * c / (x + y);
        case Weight::overlap: return c / std::min(x, y);
        case Weight::intersect: return c / x;
        default: break;
    }
    // Rand index of {p, rest} and {q, rest} on the units of their union: unit pairs with one
    // member in both segments and one in a single segment are told apart by one side only.
    const double all = x + y - c, pairs = all * (all - 1) / 2;
    return all == 1 ? 1.0 : (pairs - c * (x + y - 2 * c)) / pairs;
}

// The alignment of one pair. Holds its scratch memory.
// Closest: every segment aims at the segment of largest closeness; ties as the settings say.
// Global: see find_cover. Segments that overlap are met in one sweep, at most segments - 1 of them:
// O(segments) time. The mean weight of closest segments needs no memory, everything else
// O(segments).
template <class V>
class SegmentAligner {
public:
    AlignmentCounts count(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        if (s.scoring == Scoring::mean && !s.global)
            return s.by_overlap() ? mean<true>(p, s, stop) : mean<false>(p, s, stop);
        find_edges(p, s, stop);
        count_degrees(p, stop);
        if (s.scoring == Scoring::mean) return mean_of_edges(p, s, stop);
        return s.scoring == Scoring::best ? best(p, s, stop) : fan_out(p, s, stop);
    }

    // The edges in order, each once; in directed mode `weight` is seen from the reference.
    void list(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop, std::vector<EdgeRow>& edges) {
        edges.clear();
        find_edges(p, s, stop);
        count_degrees(p, stop);
        ref_label_.resize(ref_degree_.size()), hyp_label_.resize(hyp_degree_.size());
        label_hubs(p, stop);
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        for_each_edge(p, stop, [&](const Overlap& o) {
            Label label = ref_degree_[o.ref] > 1 ? ref_label_[o.ref] : hyp_label_[o.hyp];
            if (ref_degree_[o.ref] == 1 && hyp_degree_[o.hyp] == 1)
                label = o.ref_size == o.common && o.hyp_size == o.common ? Label::match : Label::shift;
            edges.push_back({static_cast<Index>(o.ref), static_cast<Index>(o.hyp), ref.start(o.ref), ref.end(o.ref),
                             hyp.start(o.hyp), hyp.end(o.hyp), label, weigh(s, o)});
        });
    }

    // Calls see(overlap) for every two segments that overlap, from left to right.
    template <class See>
    static void for_each_overlap(const Pair<V>& p, const Stop& stop, See&& see) {
        const Segments<V> ref{p.ref, p.units}, hyp{p.hyp, p.units};
        const std::size_t n = ref.count(), m = hyp.count();
        Index start = 0;
        for (std::size_t r = 0, h = 0, number = 0; r < n && h < m; ++number) {
            stop.check(number + 1);
            const Index r_end = ref.end(r), h_end = hyp.end(h), end = std::min(r_end, h_end);
            see(Overlap{r, h, number, ref.size(r), hyp.size(h), end - start, r_end == end, h_end == end});
            start = end;
            r += r_end == end, h += h_end == end;
        }
    }

private:
    template <class See>
    void for_each_edge(const Pair<V>& p, const Stop& stop, See&& see) const {
        for_each_overlap(p, stop, [&](const Overlap& o) {
            if (is_edge_[o.number]) see(o);
        });
    }

    // The closest target of a segment so far. It is mutual if the target has ended and aims at it.
    struct Target {
        Index common = 0, size = 0;
        std::size_t number = 0;  // of the overlap
        bool mutual = false;
        double closeness = 0, jaccard = 0;
    };

    // The weight of the edge from a segment of this size.
    static double weigh(const AlignmentSettings& s, Index size, const Target& t, bool from_hyp) {
        const double w =
            s.weight == Weight::given ? s.given[t.number].weight[from_hyp] : edge_weight(s.weight, size, t.size, t.common);
        return w < s.threshold ? 0.0 : w;
    }
    static double weigh(const AlignmentSettings& s, const Overlap& o) {
        return weigh(s, o.ref_size, {o.common, o.hyp_size, o.number}, false);
    }

    // Aims at this overlap if it is closer than what was met before.
    template <bool ByOverlap>
    static bool aim(Target& t, const AlignmentSettings& s, const Overlap& o, bool from_hyp) {
        const Index own = from_hyp ? o.hyp_size : o.ref_size, other = from_hyp ? o.ref_size : o.hyp_size;
        if constexpr (ByOverlap) {
            // At equal overlap the smaller partner has the larger Jaccard index.
            const bool closer = o.common > t.common || (o.common == t.common && other < t.size);
            if (closer) t = {o.common, other, o.number};
            return closer;
        }
        const double closeness = s.closeness == Weight::given ? s.given[o.number].closeness[from_hyp]
                                                              : edge_weight(s.closeness, own, other, o.common);
        const bool by_jaccard = s.ties == EdgeTies::jaccard || s.ties == EdgeTies::jaccard_right;
        const double jaccard = by_jaccard ? edge_weight(Weight::jaccard, own, other, o.common) : 0.0;
        const bool right = s.ties == EdgeTies::right || s.ties == EdgeTies::jaccard_right;
        const bool tie = closeness == t.closeness && (jaccard > t.jaccard || (jaccard == t.jaccard && right));
        const bool closer = t.common == 0 || closeness > t.closeness || tie;  // t.common 0: nothing was met before
        if (closer) t = {o.common, other, o.number, false, closeness, jaccard};
        return closer;
    }

    // Each segment's edge is counted when the segment ends, by when its target is known. An edge
    // that goes both ways is left out the second time, unless edges have a direction.
    template <bool ByOverlap>
    static AlignmentCounts mean(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        FixedSum sum;
        Index edges = 0;
        const auto count = [&](const Target& target, Index size, bool from_hyp) {
            if (target.mutual && !s.directed) return;
            sum.add(weigh(s, size, target, from_hyp));
            ++edges;
        };
        aim_all<ByOverlap>(p, s, stop, count);
        return {sum.value(), static_cast<double>(edges)};
    }

    // Calls found(target, size, from_hyp) for every segment, when it ends.
    template <bool ByOverlap, class Found>
    static void aim_all(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop, Found&& found) {
        Target of_ref, of_hyp;  // of the two segments that overlap
        for_each_overlap(p, stop, [&](const Overlap& o) {
            const bool r_aims = aim<ByOverlap>(of_ref, s, o, false), h_aims = aim<ByOverlap>(of_hyp, s, o, true);
            if (o.ref_ends) {
                found(of_ref, o.ref_size, false);
                of_ref = {};
                of_hyp.mutual |= r_aims && h_aims;
            }
            if (o.hyp_ends) {
                found(of_hyp, o.hyp_size, true);
                of_hyp = {};
                of_ref.mutual |= r_aims && h_aims;
            }
        });
    }

    // Marks which overlaps are edges.
    void find_edges(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        is_edge_.assign(p.ref.size() + p.hyp.size() + 1, 0);
        if (s.global) return find_cover(p, s, stop);
        const auto mark = [&](const Target& target, Index, bool) { is_edge_[target.number] = 1; };
        if (s.by_overlap()) aim_all<true>(p, s, stop, mark);
        else aim_all<false>(p, s, stop, mark);
    }

    // Our construction of a global alignment: of all sets of overlaps in which every segment has an
    // edge, the one with the largest mean weight; then the fewest edges, then the left-most ones.
    // (Overlaps of two segmentations form a forest already, so a maximum spanning tree has them all.)
    // Dinkelbach's method: a mean above m exists if and only if some set has a sum of w - m above 0.
    // Each round is a dynamic program over the sweep and raises m; a handful of rounds is enough.
    void find_cover(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        steps_.clear();
        FixedSum sum;
        for_each_overlap(p, stop, [&](const Overlap& o) {
            steps_.push_back({weigh(s, o), o.ref_ends, o.hyp_ends});
            sum.add(steps_.back().weight);
        });
        double mean = sum.value() / static_cast<double>(steps_.size());  // of all overlaps
        for (double before = -1; mean > before + 1e-12;) {
            before = mean;
            mean = cover_above(mean, stop);
        }
    }

    struct Step {
        double weight;
        bool ref_ends, hyp_ends;
    };
    // What the overlaps from some step on add, and with how many edges.
    struct Rest {
        double gain;
        Index edges;
        bool allowed;
    };

    // Sums of weights that are equal but for rounding are ties.
    static int compare(const Rest& x, const Rest& y) noexcept {
        if (x.allowed != y.allowed) return x.allowed ? 1 : -1;
        if (std::abs(x.gain - y.gain) > 1e-9) return x.gain > y.gain ? 1 : -1;
        return x.edges == y.edges ? 0 : x.edges < y.edges ? 1 : -1;
    }

    // Marks the set with the largest sum of w - mean, and returns its own mean. The state is a bit
    // for each of the two segments that overlap: whether it has an edge already.
    double cover_above(double mean, const Stop& stop) {
        constexpr unsigned both = 3;
        const std::size_t n = steps_.size();
        takes_.assign(n, 0);  // a bit for each state: whether the overlap is an edge then
        std::array<Rest, 4> rest, next;
        rest.fill({0, 0, true});
        for (std::size_t i = n; i-- > 0;) {
            stop.check(i + 1);
            const Step& step = steps_[i];
            const unsigned ends = (step.ref_ends ? 1u : 0u) | (step.hyp_ends ? 2u : 0u);
            const auto then = [&](unsigned now) {
                Rest found = rest[now & ~ends];
                found.allowed &= (now & ends) == ends;
                return found;
            };
            Rest with = then(both);
            with.gain += step.weight - mean, ++with.edges;
            for (unsigned state = 0; state <= both; ++state) {
                const Rest without = then(state);
                const bool take = compare(with, without) >= 0;
                takes_[i] |= static_cast<unsigned char>(take << state);
                next[state] = take ? with : without;
            }
            rest = next;
        }
        FixedSum sum;
        Index edges = 0;
        unsigned state = 0;
        for (std::size_t i = 0; i < n; ++i) {
            stop.check(i + 1);
            const bool take = takes_[i] >> state & 1;
            is_edge_[i] = take;
            if (take) state = both, sum.add(steps_[i].weight), ++edges;
            if (steps_[i].ref_ends) state &= 2;
            if (steps_[i].hyp_ends) state &= 1;
        }
        return sum.value() / static_cast<double>(edges);
    }

    void count_degrees(const Pair<V>& p, const Stop& stop) {
        ref_degree_.assign(p.ref.size() + 1, 0), hyp_degree_.assign(p.hyp.size() + 1, 0);
        for_each_edge(p, stop, [&](const Overlap& o) { ++ref_degree_[o.ref], ++hyp_degree_[o.hyp]; });
    }

    // A segment with several edges is a split (of a reference segment) or a merge (into a
    // hypothesis segment) if all its partners are aligned with it alone; else it is mixed.
    void label_hubs(const Pair<V>& p, const Stop& stop) {
        std::fill(ref_label_.begin(), ref_label_.end(), Label::split);
        std::fill(hyp_label_.begin(), hyp_label_.end(), Label::merge);
        for_each_edge(p, stop, [&](const Overlap& o) {
            if (ref_degree_[o.ref] > 1 && hyp_degree_[o.hyp] > 1) ref_label_[o.ref] = hyp_label_[o.hyp] = Label::mixed;
        });
    }

    AlignmentCounts mean_of_edges(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) const {
        FixedSum sum;
        Index edges = 0;
        for_each_edge(p, stop, [&](const Overlap& o) { sum.add(weigh(s, o)), ++edges; });
        return {sum.value(), static_cast<double>(edges)};
    }

    // Mean over all segments of the heaviest edge at each.
    AlignmentCounts best(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) {
        ref_best_.assign(p.ref.size() + 1, 0.0), hyp_best_.assign(p.hyp.size() + 1, 0.0);
        for_each_edge(p, stop, [&](const Overlap& o) {
            const double w = weigh(s, o);
            ref_best_[o.ref] = std::max(ref_best_[o.ref], w), hyp_best_[o.hyp] = std::max(hyp_best_[o.hyp], w);
        });
        FixedSum sum;
        for (double w : ref_best_) sum.add(w);
        for (double w : hyp_best_) sum.add(w);
        return {sum.value(), static_cast<double>(ref_best_.size() + hyp_best_.size())};
    }

    // An edge counts 2^(degree-1) times in the divisor, by the higher degree of its two ends.
    AlignmentCounts fan_out(const Pair<V>& p, const AlignmentSettings& s, const Stop& stop) const {
        FixedSum sum;
        double divisor = 0;
        for_each_edge(p, stop, [&](const Overlap& o) {
            sum.add(weigh(s, o));
            divisor += std::exp2(static_cast<double>(std::max(ref_degree_[o.ref], hyp_degree_[o.hyp])) - 1);
        });
        return {sum.value(), divisor};
    }

    std::vector<char> is_edge_;  // by number of the overlap
    std::vector<V> ref_degree_, hyp_degree_;
    std::vector<double> ref_best_, hyp_best_;
    std::vector<Label> ref_label_, hyp_label_;
    std::vector<Step> steps_;
    std::vector<unsigned char> takes_;
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
