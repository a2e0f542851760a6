// weighted.hpp -- A hypothesis against a reference whose boundaries have weights: the share of
// annotators who set them. A boundary of weight w is one for w of the annotators and none for the others.
// Counts are those of the metrics without weights, times kShares: where every weight is 1 the values
// are the same.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "kernels/matching.hpp"
#include "support/common.hpp"

namespace fencepost {

// Shares are parts of this number, which all numbers up to 20 divide.
inline constexpr Index kShares = 931'170'240;

// To leave a boundary of the reference alone costs its weight times `alone`; a pair saves another
// `alone` less `per_unit` times the distance, times the weight.
struct WeightedCosts {
    std::span<const Index> weights;
    Index alone, bonus, per_unit, reach;

    static constexpr Index edit = 1;
    Index ref_alone(std::size_t i) const noexcept { return weights[i] * alone; }
    Index hyp_alone(std::size_t) const noexcept { return 0; }
    Index hyp_alone(std::size_t, std::size_t) const noexcept { return 0; }
    Index pair(std::size_t i, std::size_t, Index distance) const noexcept {
        return weights[i] * (per_unit * distance - bonus);
    }
};

template <class V>
std::vector<Index> shares_of(const Pair<V>& p, const Stop& stop) {
    std::vector<Index> shares;
    shares.reserve(p.ref.size());
    for (std::size_t i = 0; i < p.ref.size(); ++i) {
        stop.check(i);
        shares.push_back(p.ref_weights.empty() ? kShares
                                               : static_cast<Index>(std::llround(p.ref_weights[i] * double{kShares})));
    }
    return shares;
}

// True and false positives, and false negatives: pairs within the tolerance have the largest sum of
// weights. Crossing pairs can be exchanged, so pairs in order are enough. O(cuts * tolerance).
template <class V>
struct WeightedMatches {
    bool ends;  // whether the end of the text is a boundary on both sides
    LineMatcher<V, WeightedCosts> matcher{WeightedCosts{}};

    std::array<Index, 3> operator()(const Pair<V>& p, const Stop& stop, Index tolerance) {
        const std::vector<Index> shares = shares_of(p, stop);
        matcher.use({shares, 1, 0, 0, tolerance});
        Index matched = matcher.savings(p.ref, p.hyp, stop, [](Index) { return Index{0}; }).saved;
        Index ref = 0, hyp = kShares * static_cast<Index>(p.hyp.size());
        for (const Index share : shares) ref += share;
        if (ends) matched += kShares, ref += kShares, hyp += kShares;
        return {matched, hyp - matched, ref - matched};
    }
};

// What B counts: boundaries at the same position match first; the others pair in order, up to n_t - 1
// apart, at the least cost. For the annotators who did not set a boundary its partner is extra. O(cuts * n_t).
template <class V>
struct WeightedEdits {
    Index n_t;
    LineMatcher<V, WeightedCosts> matcher{WeightedCosts{}};
    std::vector<V> ref = {}, hyp = {};
    std::vector<Index> shares = {};

    std::array<Index, 7> operator()(const Pair<V>& p, const Stop& stop) {
        const std::vector<Index> all = shares_of(p, stop);
        Index matches = 0, missing = 0, transpositions = 0, distance = 0;
        ref.clear(), hyp.clear(), shares.clear();
        std::size_t i = 0, j = 0;
        while (i < p.ref.size() || j < p.hyp.size()) {
            stop.check(i + j);
            const bool of_ref = j == p.hyp.size() || (i < p.ref.size() && p.ref[i] <= p.hyp[j]);
            const bool of_hyp = i == p.ref.size() || (j < p.hyp.size() && p.hyp[j] <= p.ref[i]);
            if (of_ref && of_hyp) matches += all[i];
            else if (of_ref) ref.push_back(p.ref[i]), shares.push_back(all[i]), missing += all[i];
            else hyp.push_back(p.hyp[j]);
            i += of_ref, j += of_hyp;
        }
        matcher.use({shares, n_t, n_t, 1, n_t - 1});
        matcher.pairs(ref, hyp, stop, [&](std::size_t a, std::size_t b) {
            transpositions += shares[a];
            distance += shares[a] * std::abs(Index{ref[a]} - Index{hyp[b]});
        });
        const Index extra = kShares * static_cast<Index>(p.hyp.size()) - matches - transpositions;
        return {matches, missing - transpositions, extra, transpositions, distance, 0, 0};
    }
};

}  // namespace fencepost
