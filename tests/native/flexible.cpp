// flexible.cpp -- Flexible segmentation similarity beside the whole table of each block.
#include "kernels/flexible.hpp"

#include <set>

#include "native.hpp"
#include "pairing.hpp"
#include "targets.hpp"

namespace native {
namespace {

using Row = std::array<Index, 6>;

struct Found {
    FlexibleCounts counts;
    std::vector<Row> rows;
};

Found align(const Drawn& d, const FlexiblePrices& prices) {
    Found found;
    const auto kind_of = [](const Side& side, Index place) {
        const auto at = std::lower_bound(side.cuts.begin(), side.cuts.end(), place) - side.cuts.begin();
        return side.kinds.empty() ? std::size_t{0} : static_cast<std::size_t>(side.kinds[static_cast<std::size_t>(at)]);
    };
    const auto add = [&](Step step, Index a, Index b, Index cost) {
        found.counts.cost += cost;
        (step == Step::match ? found.counts.matches : found.counts.edits) += 1;
        found.rows.push_back({static_cast<Index>(step), a, b, a ? static_cast<Index>(kind_of(d.ref, a)) : -1,
                              b ? static_cast<Index>(kind_of(d.hyp, b)) : -1, cost});
    };
    const auto change = [&](Index a, Index b) {
        return prices.substitution[kind_of(d.ref, a) * prices.kinds + kind_of(d.hyp, b)];
    };
    std::vector<Index> both{0};
    std::set_intersection(d.ref.cuts.begin(), d.ref.cuts.end(), d.hyp.cuts.begin(), d.hyp.cuts.end(),
                          std::back_inserter(both));
    for (std::size_t n = 1; n < both.size(); ++n) {
        const Index p = both[n];
        const bool same = kind_of(d.ref, p) == kind_of(d.hyp, p);
        add(same ? Step::match : Step::substitution, p, p, same ? 0 : change(p, p));
    }
    for (std::size_t n = 0; n < both.size(); ++n) {
        const Index low = both[n], high = n + 1 < both.size() ? both[n + 1] : d.units + 1;
        std::vector<Index> a, b;
        for (const Index p : d.ref.cuts)
            if (low < p && p < high) a.push_back(p);
        for (const Index p : d.hyp.cuts)
            if (low < p && p < high) b.push_back(p);
        const auto together = [&](std::size_t i, std::size_t j) {
            const Index step = prices.moving[kind_of(d.ref, a[i]) * prices.kinds + kind_of(d.hyp, b[j])];
            return step * std::abs(a[i] - b[j]) + change(a[i], b[j]);
        };
        const Pairing best = best_pairing(
            a, b, false, [&](std::size_t i) { return prices.deletion[kind_of(d.ref, a[i])]; },
            [&](std::size_t j) { return prices.insertion[kind_of(d.hyp, b[j])]; },
            [&](std::size_t i, std::size_t j) { return std::optional(together(i, j)); });
        std::set<Index> moved_a, moved_b;
        for (const auto& [i, j] : best.pairs) {
            moved_a.insert(a[i]), moved_b.insert(b[j]);
            const bool same = kind_of(d.ref, a[i]) == kind_of(d.hyp, b[j]);
            add(same ? Step::move : Step::move_substitution, a[i], b[j], together(i, j));
        }
        for (const Index p : a)
            if (!moved_a.contains(p)) add(Step::deletion, p, 0, prices.deletion[kind_of(d.ref, p)]);
        for (const Index p : b)
            if (!moved_b.contains(p)) add(Step::insertion, 0, p, prices.insertion[kind_of(d.hyp, p)]);
    }
    // From left to right; where both sides have a boundary of their own, the hypothesis' own one first.
    std::sort(found.rows.begin(), found.rows.end(), [](const Row& x, const Row& y) {
        const auto left = [](const Row& r) { return r[1] == 0 ? r[2] : r[2] == 0 ? r[1] : std::min(r[1], r[2]); };
        return std::pair(left(x), x[1]) < std::pair(left(y), y[1]);
    });
    return found;
}

template <class V>
void check(const Drawn& d, const FlexiblePrices& prices, const Found& expected) {
    const TwoSides<V> texts = d.as<V>();
    const FlexibleCounts& c = expected.counts;
    FlexibleRowCounts<V> counts{prices};
    FlexibleAligner<V> aligner;
    std::vector<StepRow> rows{{Step::match, 1, 1, 0, 0, 0}};
    for (int again = 0; again < 2; ++again) {
        CHECK_SAME(counts(texts.pair(), {}), (std::array{c.cost, c.edits, c.matches, d.units}));
        const FlexibleCounts listed = aligner.list(texts.pair(), prices, {}, rows);
        CHECK_SAME((std::array{listed.cost, listed.edits, listed.matches}), (std::array{c.cost, c.edits, c.matches}));
        CHECK_SAME(rows.size(), expected.rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const StepRow& r = rows[i];
            CHECK_SAME((Row{static_cast<Index>(r.step), r.ref, r.hyp, r.ref_kind, r.hyp_kind, r.cost}), expected.rows[i]);
        }
    }
    if (d.kinds > 1) return;
    UntypedFlexibleCounts<V> untyped{{prices.deletion[0], prices.insertion[0], prices.substitution[0], prices.moving[0]},
                                     prices.reach};
    CHECK_SAME(untyped(texts.pair(), {}), (std::array{c.cost, c.edits, c.matches, d.units}));
}

}  // namespace

void check_flexible(Draws in) {
    Shape shape;
    shape.most_cuts = 20;
    shape.most_kinds = 4;
    shape.several_at_one = false;
    shape.most_units = Index{1} << 36;
    const Drawn d = draw_texts(in, shape);
    const std::size_t kinds = std::max<std::size_t>(1, d.kinds);
    std::vector<Index> deletion(kinds), insertion(kinds), substitution(kinds * kinds), moving(kinds * kinds);
    for (auto* one : {&deletion, &insertion})
        for (Index& price : *one) price = in.number(0, 12);
    for (Index& price : substitution) price = in.number(0, 8);
    for (Index& price : moving) price = in.number(0, 3);
    for (std::size_t kind = 0; kind < kinds; ++kind) substitution[kind * kinds + kind] = 0;
    // The largest distance over which a pair can be cheaper than a deletion and an insertion.
    Index reach = 0;
    for (std::size_t x = 0; x < kinds; ++x)
        for (std::size_t y = 0; y < kinds; ++y) {
            const Index gain = deletion[x] + insertion[y] - substitution[x * kinds + y], step = moving[x * kinds + y];
            if (gain > 0) reach = std::max(reach, step > 0 ? (gain - 1) / step : Index{1} << 41);
        }
    const FlexiblePrices prices{deletion, insertion, substitution, moving, kinds, reach};
    const Found expected = align(d, prices);
    check<std::int64_t>(d, prices, expected);
    if (d.fits32()) check<std::int32_t>(d, prices, expected);
}

}  // namespace native
