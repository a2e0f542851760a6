// hierarchy.hpp -- The T-measure and the L-measure of hierarchical segmentations, McFee, Nieto &
// Bello (2015) and McFee et al. (2017), as mir_eval defines them on frames of one unit.
//
// Seen from a unit q, another unit is as near as the finest segment that holds both is deep. A side
// ranks two units if they are not equally near. Recall is, for every q, the share of the reference's
// ranked pairs that the hypothesis ranks alike; precision is the same with the sides exchanged.
//
// Each side has levels of its own in each text, those of its boundaries there: a level without a
// boundary has the segments of the next coarser one, and would be a layer that is there twice.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// The segments of all depths that hold the current unit: depth 0 is the whole text, depth d the
// segment between cuts of the d coarsest levels that have any. Kinds are levels, 0 the coarsest.
// Every depth has a pointer to its next cut, which only moves right: O(cuts * levels) for a whole text.
template <class V>
class SegmentChain {
public:
    void begin(std::span<const V> cuts, std::span<const Kind> kinds, Index units, std::size_t levels) {
        cuts_ = cuts, kinds_ = kinds, units_ = units, at_ = 0;
        const std::size_t own = rank(levels);
        start_.assign(own + 1, 0);
        end_.assign(own + 1, units);
        next_.assign(own + 1, 0);
        for (std::size_t d = 1; d <= own; ++d) find_end(d);
    }

    std::size_t depth() const noexcept { return start_.size() - 1; }
    Index start(std::size_t d) const noexcept { return start_[d]; }
    Index end(std::size_t d) const noexcept { return end_[d]; }
    Index finest_start() const noexcept { return start_.back(); }
    Index finest_end() const noexcept { return end_.back(); }

    // Goes on to the unit at `place`, which is not beyond the end of the finest segment.
    void reach(Index place) {
        for (; at_ < cuts_.size() && Index{cuts_[at_]} <= place; ++at_)
            for (std::size_t d = level(at_) + 1; d < start_.size(); ++d) {
                start_[d] = cuts_[at_];
                next_[d] = at_ + 1;
                find_end(d);
            }
    }

private:
    // Numbers the levels that a cut has, the coarsest first; returns how many there are.
    std::size_t rank(std::size_t levels) {
        if (kinds_.empty()) return cuts_.empty() ? 0 : 1;
        rank_.assign(levels, 0);
        for (const Kind kind : kinds_) rank_[static_cast<std::size_t>(kind)] = 1;
        std::size_t own = 0;
        for (std::size_t& one : rank_) own += std::exchange(one, own);
        return own;
    }
    std::size_t level(std::size_t cut) const noexcept {
        return kinds_.empty() ? 0 : rank_[static_cast<std::size_t>(kinds_[cut])];
    }
    void find_end(std::size_t d) {
        std::size_t& cut = next_[d];
        while (cut < cuts_.size() && level(cut) >= d) ++cut;
        end_[d] = cut < cuts_.size() ? Index{cuts_[cut]} : units_;
    }

    std::span<const V> cuts_;
    std::span<const Kind> kinds_;
    Index units_ = 0;
    std::size_t at_ = 0;  // the next cut of all
    std::vector<std::size_t> rank_;  // of each level among those of the cuts
    std::vector<Index> start_, end_;
    std::vector<std::size_t> next_;
};

struct RankingSettings {
    std::size_t levels = 1;
    bool transitive = false;  // rank by any number of levels; else by exactly one of the side's own
    Index window = 0;         // units before q, and one less after it; 0 is the whole text
};

// Sums of shares and numbers of units that have any: of the reference's ranked pairs, and of the
// hypothesis'. To the left and to the right of q, units only get farther away, so on each side they
// form at most 2 * levels + 1 runs that are equally near on both sides; what a run is ranked above
// is a difference of four intersections of segments. Units that share the finest segments of both
// sides have one share where the window is the whole text: O(cuts * levels) time. With a window w
// every unit has its own, but none where the window has no cut: O(min(units, cuts * w) * levels).
// O(levels) memory. Pairs are counted in 128 bits, so only shares are rounded.
template <class V>
class RankingCounts {
public:
    explicit RankingCounts(RankingSettings settings) : s_(settings) {}

    std::array<double, 4> operator()(const Pair<V>& p, const Stop& stop) {
        ref_.begin(p.ref, p.ref_kinds, p.units, s_.levels);
        hyp_.begin(p.hyp, p.hyp_kinds, p.units, s_.levels);
        Sums sums;
        const bool whole = s_.window == 0 || s_.window >= p.units;
        std::size_t step = 0;
        for (Index q = 0; q < p.units;) {
            stop.check(++step);
            ref_.reach(q), hyp_.reach(q);
            const Index end = std::min(ref_.finest_end(), hyp_.finest_end());
            if (whole) {
                add(sums, q, 0, p.units, end - q);
                q = end;
                continue;
            }
            const Index low = std::max<Index>(0, q - s_.window), high = std::min(p.units, q + s_.window);
            const Index start = std::max(ref_.finest_start(), hyp_.finest_start());
            if (low >= start && high <= end) {  // nothing is ranked: on to where the window meets a cut
                q = end == p.units ? end : end - s_.window + 1;
                continue;
            }
            add(sums, q, low, high, 1);
            ++q;
        }
        return {sums.ref.value(), static_cast<double>(sums.ref_units), sums.hyp.value(),
                static_cast<double>(sums.hyp_units)};
    }

private:
    using Count = unsigned __int128;  // of pairs of units

    struct Sums {
        FixedSum ref, hyp;
        Index ref_units = 0, hyp_units = 0;
    };

    // The units from low to high as q sees them, q left out.
    struct View {
        const SegmentChain<V>&ref, &hyp;
        Index low, high;
        // Units that are at least this near.
        Index near(const SegmentChain<V>& side, std::size_t d) const noexcept {
            return std::min(side.end(d), high) - std::max(side.start(d), low) - 1;
        }
        Index near_both(std::size_t r, std::size_t h) const noexcept {
            return std::min({ref.end(r), hyp.end(h), high}) - std::max({ref.start(r), hyp.start(h), low}) - 1;
        }
        // Units that are farther away than r levels on one side and h levels on the other.
        Index far_both(std::size_t r, std::size_t h) const noexcept {
            return high - low - 1 - near(ref, r) - near(hyp, h) + near_both(r, h);
        }
    };

    struct Agreeing {
        Count ref = 0, hyp = 0;
    };

    void add(Sums& sums, Index q, Index low, Index high, Index times) const {
        const View v{ref_, hyp_, low, high};
        const Count of_ref = ranked(v, ref_), of_hyp = ranked(v, hyp_);
        if (of_ref == 0 && of_hyp == 0) return;
        const Agreeing alike = agreeing(v, q);
        if (of_ref != 0) sums.ref.add(share(alike.ref, of_ref), times), sums.ref_units += times;
        if (of_hyp != 0) sums.hyp.add(share(alike.hyp, of_hyp), times), sums.hyp_units += times;
    }

    static double share(Count part, Count all) noexcept { return static_cast<double>(part) / static_cast<double>(all); }

    // Pairs of units that one side ranks.
    Count ranked(const View& v, const SegmentChain<V>& side) const noexcept {
        Count sum = 0;
        Index nearer = 0;  // units at least as near as the depth below
        const Index all = v.high - v.low - 1;
        for (std::size_t d = side.depth(); d > 0; --d) {
            const Index near = v.near(side, d), own = near - nearer;
            const Index farther = s_.transitive ? all - near : v.near(side, d - 1) - near;
            sum += static_cast<Count>(own) * static_cast<Count>(farther);
            nearer = near;
        }
        return sum;
    }

    // Pairs of units that both sides rank alike, of those that each side ranks.
    Agreeing agreeing(const View& v, Index q) const noexcept {
        Agreeing sum;
        std::size_t r = ref_.depth(), h = hyp_.depth();
        for (Index at = q + 1; at < v.high;) {
            while (ref_.end(r) <= at) --r;
            while (hyp_.end(h) <= at) --h;
            const Index next = std::min({ref_.end(r), hyp_.end(h), v.high});
            add_run(sum, v, r, h, next - at);
            at = next;
        }
        r = ref_.depth(), h = hyp_.depth();
        for (Index at = q; at > v.low;) {
            while (ref_.start(r) >= at) --r;
            while (hyp_.start(h) >= at) --h;
            const Index next = std::max({ref_.start(r), hyp_.start(h), v.low});
            add_run(sum, v, r, h, at - next);
            at = next;
        }
        return sum;
    }

    // Pairs whose nearer unit is one of `units` at these depths.
    void add_run(Agreeing& sum, const View& v, std::size_t r, std::size_t h, Index units) const noexcept {
        if (r == 0 || h == 0) return;
        const Index far = v.far_both(r, h);
        if (s_.transitive) {
            const Count pairs = static_cast<Count>(units) * static_cast<Count>(far);
            sum.ref += pairs, sum.hyp += pairs;
            return;
        }
        sum.ref += static_cast<Count>(units) * static_cast<Count>(far - v.far_both(r - 1, h));
        sum.hyp += static_cast<Count>(units) * static_cast<Count>(far - v.far_both(r, h - 1));
    }

    RankingSettings s_;
    SegmentChain<V> ref_, hyp_;
};

}  // namespace fencepost
