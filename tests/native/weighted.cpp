// weighted.cpp -- Weighted references beside the best of all pairings.
#include "kernels/weighted.hpp"

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

// The most that pairs of ref and hyp can be worth together: every set of hypothesis cuts that is
// taken, reference cut by reference cut. `worth` is below 0 where two cannot pair.
template <class Worth>
Index most_worth(std::size_t refs, std::size_t hyps, Worth worth) {
    std::vector<Index> best(std::size_t{1} << hyps, 0);
    for (std::size_t i = 0; i < refs; ++i)
        for (std::size_t taken = best.size(); taken-- > 0;)
            for (std::size_t j = 0; j < hyps; ++j) {
                const std::size_t bit = std::size_t{1} << j;
                if ((taken & bit) != 0 && worth(i, j) >= 0)
                    best[taken] = std::max(best[taken], best[taken ^ bit] + worth(i, j));
            }
    return *std::max_element(best.begin(), best.end());
}

// The same of pairs that do not cross: with weights, a crossing could be worth more.
template <class Worth>
Index most_in_order(std::size_t refs, std::size_t hyps, Worth worth, std::size_t i = 0, std::size_t j = 0) {
    if (i == refs || j == hyps) return 0;
    const auto from = [&](std::size_t a, std::size_t b) { return most_in_order(refs, hyps, worth, a, b); };
    const Index apart = std::max(from(i + 1, j), from(i, j + 1));
    return worth(i, j) < 0 ? apart : std::max(apart, worth(i, j) + from(i + 1, j + 1));
}

template <class V>
void check(const Drawn& d, const std::vector<double>& weights, Index tolerance, Index n_t, bool ends) {
    const TwoSides<V> texts = d.as<V>();
    Pair<V> p = texts.pair();
    p.ref_weights = weights;
    std::vector<Index> shares(d.ref.cuts.size(), kShares);
    for (std::size_t i = 0; i < weights.size(); ++i)
        shares[i] = static_cast<Index>(std::llround(weights[i] * double{kShares}));
    Index all = 0;
    for (const Index one : shares) all += one;
    const auto hyps = static_cast<Index>(d.hyp.cuts.size());
    const auto distance = [&](std::size_t i, std::size_t j) { return std::abs(d.ref.cuts[i] - d.hyp.cuts[j]); };

    const Index matched = most_worth(d.ref.cuts.size(), d.hyp.cuts.size(), [&](std::size_t i, std::size_t j) {
        return distance(i, j) <= tolerance ? shares[i] : -1;
    });
    WeightedMatches<V> matches{ends};
    const Index end = ends ? kShares : 0;
    for (int again = 0; again < 2; ++again)
        CHECK_SAME(matches(p, {}, tolerance), (std::array{matched + end, kShares * hyps - matched, all - matched}));

    // Equal positions match. A pair of others saves two edits, and costs its distance.
    std::vector<std::size_t> refs, others;
    Index same = 0;
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (std::binary_search(d.hyp.cuts.begin(), d.hyp.cuts.end(), d.ref.cuts[i])) same += shares[i];
        else refs.push_back(i);
    for (std::size_t j = 0; j < d.hyp.cuts.size(); ++j)
        if (!std::binary_search(d.ref.cuts.begin(), d.ref.cuts.end(), d.hyp.cuts[j])) others.push_back(j);
    const Index saved = most_in_order(refs.size(), others.size(), [&](std::size_t i, std::size_t j) {
        const Index far = distance(refs[i], others[j]);
        return far < n_t ? shares[refs[i]] * (2 * n_t - far) : -1;
    });
    const auto c = WeightedEdits<V>{n_t}(p, {});
    CHECK_SAME(c[0], same);
    CHECK_SAME(c[0] + c[1] + c[3], all);
    CHECK_SAME(c[0] + c[2] + c[3], kShares * hyps);
    CHECK_SAME(2 * n_t * c[3] - c[4], saved);
    CHECK(c[1] >= 0 && c[3] >= 0 && c[4] >= c[3] && c[5] == 0 && c[6] == 0);
}

}  // namespace

void check_weighted(Draws in) {
    Shape shape;
    shape.most_cuts = 7;
    const Drawn d = draw_texts(in, shape);
    const auto weights = in.rarely() ? std::vector<double>{} : draw_weights(in, d.ref.cuts.size(), in.number(1, 20));
    const Index tolerance = in.number(0, 6), n_t = in.number(1, 7);
    const bool ends = in.coin();
    check<std::int64_t>(d, weights, tolerance, n_t, ends);
    if (d.fits32()) check<std::int32_t>(d, weights, tolerance, n_t, ends);
}

}  // namespace native
