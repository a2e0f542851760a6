// quantify.hpp -- Section 5 of Diaz & Ouyang (2022): for one reference of at most 20 units, which
// metrics score two hypotheses exactly equal though one of them is clearly better?
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// A segmentation of a short text: bit p - 1 is a cut after unit p.
using Mask = std::uint32_t;

inline constexpr Index kMostUnits = 20;

// The three metrics on masks, in whole numbers, so that equal scores are equal.
struct ShortText {
    Index units, k;
    Mask ref;
    std::vector<Index> ref_ends;

    struct Fraction {
        std::int64_t part, whole;
        bool operator==(const Fraction& o) const noexcept { return part * o.whole == o.part * whole; }
    };

    // WindowDiff's k: half the mean segment, a half to the even number, at least 1.
    ShortText(Index n, Mask r) : units(n), ref(r), ref_ends(ends(r)) {
        const auto m = static_cast<Index>(ref_ends.size());
        const Index down = n / (2 * m), rest = n % (2 * m);
        k = std::max<Index>(1, down + (rest > m || (rest == m && down % 2 == 1)));
    }

    std::vector<Index> ends(Mask cuts) const {
        std::vector<Index> found;
        for (; cuts != 0; cuts &= cuts - 1) found.push_back(std::countr_zero(cuts) + 1);
        found.push_back(units);
        return found;
    }

    // Windows with different counts, of units + k - 2: k - 1 phantom units at both ends.
    Fraction window_diff(Mask hyp) const noexcept {
        const std::uint64_t window = (std::uint64_t{1} << k) - 1;
        const std::uint64_t r = std::uint64_t{ref} << (k - 1), h = std::uint64_t{hyp} << (k - 1);
        std::int64_t differ = 0;
        for (Index left = 0; left < units + k - 2; ++left)
            differ += std::popcount((r >> left) & window) != std::popcount((h >> left) & window);
        return {differ, units + k - 2};
    }

    // B at n_t 2: neighbours pair up from left to right at half the price of a cut left over.
    // The part is twice the cost.
    Fraction boundary_similarity(Mask hyp) const noexcept {
        Mask missing = ref & ~hyp, extra = hyp & ~ref;
        std::int64_t near = 0;
        for (Mask here = 1; here < Mask{1} << (units - 1); here <<= 1) {
            const Mask next = here << 1;
            if (((missing & here) && (extra & next)) || ((extra & here) && (missing & next))) {
                missing &= ~(here | next), extra &= ~(here | next);
                ++near;
            }
        }
        const std::int64_t full = std::popcount(missing) + std::popcount(extra);
        return {2 * full + near, full + near + std::popcount(ref & hyp)};
    }

    // A with Jaccard weights, each edge once, in parts of 1/lcm(1 .. 20).
    Fraction alignment_similarity(Mask hyp) const noexcept {
        constexpr std::int64_t parts = 232'792'560;
        std::array<Target, kMostUnits> of_ref{}, of_hyp{};
        std::array<Overlap, 2 * kMostUnits> overlaps;
        std::size_t count = 0;
        Index start = 0, r_start = 0, h_start = 0;
        for (std::size_t r = 0, h = 0; start < units;) {
            const Mask rest = hyp >> h_start;
            const Index r_end = ref_ends[r], h_end = rest == 0 ? units : h_start + std::countr_zero(rest) + 1;
            const Index end = std::min(r_end, h_end), common = end - start;
            const Index r_size = r_end - r_start, h_size = h_end - h_start;
            overlaps[count++] = {r, h, common, r_size + h_size - common};
            of_ref[r].see(h, common, h_size), of_hyp[h].see(r, common, r_size);
            start = end;
            if (r_end == end) ++r, r_start = end;
            if (h_end == end) ++h, h_start = end;
        }
        Fraction sum{0, 0};
        for (std::size_t i = 0; i < count; ++i) {
            const auto [r, h, common, all] = overlaps[i];
            if (of_ref[r].at == h || of_hyp[h].at == r) sum.part += parts / all * common, ++sum.whole;
        }
        return sum;
    }

private:
    struct Overlap {
        std::size_t r, h;
        Index common, all;
    };

    // What a segment aims at: the largest overlap, then the smaller partner (the larger Jaccard
    // index), then the left-most.
    struct Target {
        std::size_t at = 0;
        Index common = 0, size = 0;
        void see(std::size_t here, Index common_here, Index size_here) noexcept {
            if (common_here > common || (common_here == common && size_here < size)) *this = {here, common_here, size_here};
        }
    };
};

// Which errors a reference allows, three bits for each: WindowDiff, B, A.
// Bits 0-2 constant cost, 3-5 cross-boundary, 6-8 vanishing.
//
// A move of the cut between segments of sizes L and R by s leaves Jaccard indexes (L-|s|)/L and
// R/(R+|s|) for s < 0, L/(L+s) and (R-s)/R for s > 0. It is soft if both are above 1/2, and hard if
// both are below. O(n) hypotheses for a reference of n units, each scored once.
class Misbehaviours {
public:
    std::uint16_t find(Index units, Mask ref) {
        const ShortText text(units, ref);
        moves_.clear(), crossings_.clear();
        const std::vector<Index>& ends = text.ref_ends;
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            const Index left = size(ends, i), right = size(ends, i + 1);
            for (Index s = 1 - left; s < right; ++s)
                if (s != 0) moves_.push_back(moved(text, i, s, left, right));
            // Over the whole next segment into the one after it, and the same to the left.
            if (i + 2 < ends.size())
                for (Index c = 1; c < size(ends, i + 2); ++c) crossings_.push_back(moved(text, i, right + c, left, right));
            if (i > 0)
                for (Index c = 1; c < size(ends, i - 1); ++c) crossings_.push_back(moved(text, i, -left - c, left, right));
        }
        std::uint16_t flags = 0;
        for (const Move& h1 : moves_) {
            if (!h1.soft) continue;
            for (const Move& h2 : moves_) {
                if (h2.hard && h1.distance == h2.distance) flags |= equal(h1, h2);
                if (h2.cut == h1.cut && h1.distance < h2.distance) flags |= static_cast<std::uint16_t>(equal(h1, h2) << 6);
            }
            for (const Move& h2 : crossings_)
                if (h1.distance == h2.distance) flags |= static_cast<std::uint16_t>(equal(h1, h2) << 3);
        }
        return flags;
    }

private:
    struct Move {
        std::size_t cut;
        Index distance;
        bool soft, hard;
        std::array<ShortText::Fraction, 3> scores;
    };

    static Index size(const std::vector<Index>& ends, std::size_t i) { return ends[i] - (i == 0 ? 0 : ends[i - 1]); }

    // A cut that crosses another leaves no segment to call soft or hard: its flags are not read.
    static Move moved(const ShortText& text, std::size_t cut, Index s, Index left, Index right) {
        const Index from = text.ref_ends[cut], d = std::abs(s);
        const Index shrinks = s < 0 ? left : right, grows = s < 0 ? right : left;
        // (shrinks - d)/shrinks and grows/(grows + d) against 1/2.
        const bool soft = 2 * d < shrinks && grows > d, hard = 2 * d > shrinks && grows < d;
        const Mask hyp = (text.ref & ~(Mask{1} << (from - 1))) | Mask{1} << (from + s - 1);
        return {cut, d, soft, hard, {text.window_diff(hyp), text.boundary_similarity(hyp), text.alignment_similarity(hyp)}};
    }

    static std::uint16_t equal(const Move& a, const Move& b) noexcept {
        std::uint16_t bits = 0;
        for (std::size_t metric = 0; metric < 3; ++metric)
            bits |= static_cast<std::uint16_t>((a.scores[metric] == b.scores[metric]) << metric);
        return bits;
    }

    std::vector<Move> moves_, crossings_;
};

}  // namespace fencepost
