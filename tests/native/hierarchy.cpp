// hierarchy.cpp -- The T-measure and the L-measure beside every triple of units.
#include "kernels/hierarchy.hpp"

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

using Layer = std::vector<Index>;  // cuts

// The layers of a side as they would be handed to mir_eval: one that is there already is no other.
std::vector<Layer> layers_of(const Side& side, std::size_t levels) {
    std::vector<Layer> layers{{}};  // the whole text, which ranks nothing
    for (std::size_t level = 0; level < levels; ++level) {
        Layer own;
        for (std::size_t i = 0; i < side.cuts.size(); ++i)
            if (side.kinds.empty() || static_cast<std::size_t>(side.kinds[i]) <= level) own.push_back(side.cuts[i]);
        if (own != layers.back()) layers.push_back(own);
    }
    return layers;
}

// On how many layers two units are in one segment.
Index nearness(const std::vector<Layer>& layers, Index a, Index b) {
    Index near = 0;
    for (const Layer& cuts : layers) {
        bool apart = false;
        for (const Index cut : cuts) apart |= std::min(a, b) <= cut && cut < std::max(a, b);
        near += !apart;
    }
    return near;
}

// The sum of shares of all units that rank anything, and how many these are.
std::pair<double, double> shares(const Side& wanted, const Side& other, Index units, const RankingSettings& s) {
    double sum = 0, count = 0;
    const Index reach = s.window == 0 ? units : s.window;
    const std::vector<Layer> own = layers_of(wanted, s.levels), others = layers_of(other, s.levels);
    for (Index q = 1; q <= units; ++q) {
        Index ranked = 0, alike = 0;
        for (Index i = std::max<Index>(1, q - reach); i <= std::min(units, q + reach - 1); ++i)
            for (Index j = std::max<Index>(1, q - reach); j <= std::min(units, q + reach - 1); ++j) {
                if (i == q || j == q) continue;
                const Index ni = nearness(own, q, i), nj = nearness(own, q, j);
                if (s.transitive ? ni <= nj : ni != nj + 1) continue;
                ++ranked;
                alike += nearness(others, q, i) > nearness(others, q, j);
            }
        if (ranked == 0) continue;
        sum += static_cast<double>(alike) / static_cast<double>(ranked), ++count;
    }
    return {sum, count};
}

template <class V>
std::array<double, 4> counts_of(const Drawn& d, const RankingSettings& s) {
    const TwoSides<V> texts = d.as<V>();
    RankingCounts<V> counts(s);
    counts(texts.pair(), {});
    return counts(texts.pair(), {});
}

}  // namespace

void check_hierarchy(Draws in) {
    Shape shape;
    shape.most_cuts = 9;
    shape.most_kinds = 3;
    shape.most_units = 14;
    shape.several_at_one = false;  // a boundary of a coarse level is one of all finer ones
    const Drawn d = draw_texts(in, shape);
    RankingSettings s;
    s.levels = std::max<std::size_t>(1, d.kinds) + in.size(0, 1);
    s.transitive = in.coin();
    s.window = in.coin() ? 0 : in.number(1, d.units + 1);
    const auto [recall, of_ref] = shares(d.ref, d.hyp, d.units, s);
    const auto [precision, of_hyp] = shares(d.hyp, d.ref, d.units, s);
    const std::array expected{recall, of_ref, precision, of_hyp};
    for (const auto& found : {counts_of<std::int32_t>(d, s), counts_of<std::int64_t>(d, s)})
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK_NEAR(found[i], expected[i]);
}

}  // namespace native
