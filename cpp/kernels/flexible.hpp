// flexible.hpp -- Flexible segmentation similarity, Lai et al. (2023): boundaries of several kinds
// with free costs of substituting, adding, deleting and moving them.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/matching.hpp"
#include "support/common.hpp"

namespace fencepost {

enum class Step : Index { match, substitution, move, move_substitution, deletion, insertion };

struct StepRow {
    Step step;
    Index ref, hyp;            // places, 0 where a side has no boundary
    Index ref_kind, hyp_kind;  // -1 there
    Index cost;
};

struct FlexibleCounts {
    Index cost = 0, edits = 0, matches = 0;
};

// Prices as whole numbers, by kind: deleting one of the first annotator's boundaries, inserting
// one of the second's, substituting a by b and moving by one unit (both at a * kinds + b).
struct FlexiblePrices {
    std::span<const Index> deletion, insertion, substitution, moving;
    std::size_t kinds = 1;
    Index reach = 0;  // no pair further apart can be cheaper than a deletion and an insertion
};

// What the matcher asks for within one block. Among equal costs the most edits win: the paper
// moves a boundary only where that is cheaper than deleting and inserting one.
struct BlockCosts {
    const FlexiblePrices* prices = nullptr;
    std::span<const Kind> ref_kinds, hyp_kinds;  // empty where there is one kind only
    const Index* inserted = nullptr;             // inserted[j]: inserting the first j boundaries
    Index reach = 0;

    static constexpr Index edit = -1;
    static std::size_t kind(std::span<const Kind> kinds, std::size_t i) {
        return kinds.empty() ? 0 : static_cast<std::size_t>(kinds[i]);
    }
    std::size_t cell(std::size_t i, std::size_t j) const { return kind(ref_kinds, i) * prices->kinds + kind(hyp_kinds, j); }
    Index ref_alone(std::size_t i) const { return prices->deletion[kind(ref_kinds, i)]; }
    Index hyp_alone(std::size_t j) const { return prices->insertion[kind(hyp_kinds, j)]; }
    Index hyp_alone(std::size_t first, std::size_t last) const { return inserted[last] - inserted[first]; }
    Index pair(std::size_t i, std::size_t j, Index distance) const {
        return prices->moving[cell(i, j)] * distance + prices->substitution[cell(i, j)];
    }
};

// Aligns one stream of one pair. Holds its scratch memory.
//
// Where both annotators have a boundary, that is one pair: a match or a substitution. These places
// cut the stream into blocks, and within a block the cheapest non-crossing pairing is found
// exactly (crossing could be cheaper where kinds come in opposite order; it is not offered).
// O(boundaries * reach) time, O(boundaries) memory; with the list of steps the rows of one block
// are kept. Each place holds at most one boundary of each annotator.
template <class V>
class FlexibleAligner {
public:
    FlexibleCounts count(const Pair<V>& p, const FlexiblePrices& prices, const Stop& stop) {
        FlexibleCounts c;
        walk(
            p, prices, stop, [&](std::size_t i, std::size_t j) { together(c, p, prices, i, j, nullptr); },
            [&](std::span<const V> a, std::span<const V> b, std::size_t, std::size_t) {
                const Bill bill = matcher_.bill(a, b, stop);
                c.cost += bill.cost;
                c.edits -= bill.edits;
            });
        return c;
    }

    FlexibleCounts list(const Pair<V>& p, const FlexiblePrices& prices, const Stop& stop, std::vector<StepRow>& steps) {
        steps.clear();
        FlexibleCounts c;
        walk(
            p, prices, stop, [&](std::size_t i, std::size_t j) { together(c, p, prices, i, j, &steps); },
            [&](std::span<const V> a, std::span<const V> b, std::size_t first_a, std::size_t first_b) {
                list_block(c, p, prices, a, b, first_a, first_b, stop, steps);
            });
        sort(steps, stop,
             [](const StepRow& x, const StepRow& y) { return std::pair(left(x), x.ref) < std::pair(left(y), y.ref); });
        return c;
    }

private:
    static Index left(const StepRow& s) { return s.ref == 0 ? s.hyp : s.hyp == 0 ? s.ref : std::min(s.ref, s.hyp); }

    // Calls both(i, j) where both have a boundary, and block(a, b, first_a, first_b) between.
    template <class Both, class Block>
    void walk(const Pair<V>& p, const FlexiblePrices& prices, const Stop& stop, Both&& both, Block&& block) {
        inserted_.resize(p.hyp.size() + 1);
        inserted_[0] = 0;
        for (std::size_t j = 0; j < p.hyp.size(); ++j)
            inserted_[j + 1] = inserted_[j] + prices.insertion[BlockCosts::kind(p.hyp_kinds, j)];
        std::size_t i = 0, j = 0, first_a = 0, first_b = 0;
        const auto close = [&] {
            if (first_a == i && first_b == j) return;
            matcher_.use(block_costs(p, prices, first_a, first_b));
            block(p.ref.subspan(first_a, i - first_a), p.hyp.subspan(first_b, j - first_b), first_a, first_b);
        };
        for (std::size_t step = 1; i < p.ref.size() && j < p.hyp.size(); ++step) {
            stop.check(step);
            if (p.ref[i] != p.hyp[j]) {
                (p.ref[i] < p.hyp[j] ? i : j) += 1;
                continue;
            }
            close();
            both(i, j);
            first_a = ++i, first_b = ++j;
        }
        i = p.ref.size(), j = p.hyp.size();
        close();
    }

    BlockCosts block_costs(const Pair<V>& p, const FlexiblePrices& prices, std::size_t first_a, std::size_t first_b) const {
        const auto from = [](std::span<const Kind> kinds, std::size_t first) {
            return kinds.empty() ? kinds : kinds.subspan(first);
        };
        return {&prices, from(p.ref_kinds, first_a), from(p.hyp_kinds, first_b), inserted_.data() + first_b, prices.reach};
    }

    static void together(FlexibleCounts& c, const Pair<V>& p, const FlexiblePrices& prices, std::size_t i, std::size_t j,
                         std::vector<StepRow>* steps) {
        const std::size_t x = BlockCosts::kind(p.ref_kinds, i), y = BlockCosts::kind(p.hyp_kinds, j);
        const Index cost = x == y ? 0 : prices.substitution[x * prices.kinds + y];
        c.cost += cost;
        (x == y ? c.matches : c.edits) += 1;
        if (steps)
            steps->push_back({x == y ? Step::match : Step::substitution, Index{p.ref[i]}, Index{p.hyp[j]},
                              static_cast<Index>(x), static_cast<Index>(y), cost});
    }

    void list_block(FlexibleCounts& c, const Pair<V>& p, const FlexiblePrices& prices, std::span<const V> a,
                    std::span<const V> b, std::size_t first_a, std::size_t first_b, const Stop& stop,
                    std::vector<StepRow>& steps) {
        a_paired_.assign(a.size(), 0), b_paired_.assign(b.size(), 0);
        const BlockCosts costs = block_costs(p, prices, first_a, first_b);
        const auto add = [&](StepRow row) {
            c.cost += row.cost;
            ++c.edits;
            steps.push_back(row);
        };
        matcher_.pairs(a, b, stop, [&](std::size_t i, std::size_t j) {
            a_paired_[i] = b_paired_[j] = 1;
            const std::size_t x = BlockCosts::kind(costs.ref_kinds, i), y = BlockCosts::kind(costs.hyp_kinds, j);
            const Index distance = std::abs(Index{a[i]} - Index{b[j]});
            add({x == y ? Step::move : Step::move_substitution, Index{a[i]}, Index{b[j]}, static_cast<Index>(x),
                 static_cast<Index>(y), costs.pair(i, j, distance)});
        });
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!a_paired_[i])
                add({Step::deletion, Index{a[i]}, 0, static_cast<Index>(BlockCosts::kind(costs.ref_kinds, i)), -1,
                     costs.ref_alone(i)});
        for (std::size_t j = 0; j < b.size(); ++j)
            if (!b_paired_[j])
                add({Step::insertion, 0, Index{b[j]}, -1, static_cast<Index>(BlockCosts::kind(costs.hyp_kinds, j)),
                     costs.hyp_alone(j)});
    }

    LineMatcher<V, BlockCosts> matcher_{BlockCosts{}};
    std::vector<Index> inserted_;
    std::vector<char> a_paired_, b_paired_;
};

// What S_f counts in one pair; the last number is that of its units.
template <class V>
struct FlexibleRowCounts {
    FlexiblePrices prices;
    FlexibleAligner<V> aligner = {};

    std::array<Index, 4> operator()(const Pair<V>& p, const Stop& stop) { return count(p, prices, stop); }

    std::array<Index, 4> count(const Pair<V>& p, const FlexiblePrices& own, const Stop& stop) {
        const FlexibleCounts c = aligner.count(p, own, stop);
        return {c.cost, c.edits, c.matches, p.units};
    }
};

// The same where boundaries have no kinds: one price each, held here.
template <class V>
struct UntypedFlexibleCounts {
    std::array<Index, 4> costs;  // of deleting, inserting, substituting and moving
    Index reach = 0;
    FlexibleRowCounts<V> counts = {};

    std::array<Index, 4> operator()(const Pair<V>& p, const Stop& stop) {
        const auto one = [this](std::size_t i) { return std::span<const Index>(&costs[i], 1); };
        return counts.count(p, {one(0), one(1), one(2), one(3), 1, reach}, stop);
    }
};

}  // namespace fencepost
