// probabilities.cpp -- Scores of probabilities beside positions, thresholds and draws one by one.
#include "kernels/probabilities.hpp"

#include <map>
#include <set>

#include "kernels/boundary.hpp"
#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

using Chances = std::map<Index, double>;  // of the positions with a cut

Chances chances_of(const std::vector<Index>& cuts, const std::vector<double>& weights) {
    Chances made;
    for (std::size_t i = 0; i < cuts.size(); ++i) made[cuts[i]] = weights.empty() ? 1 : weights[i];
    return made;
}

// The areas under precision: at each threshold, the largest matching of the cuts that reach it.
double area_of(const Drawn& d, const Chances& hyp, Index tolerance, bool lines) {
    std::set<double> thresholds{-1};  // at which every position is a boundary
    for (const auto& [cut, chance] : hyp) thresholds.insert(chance);
    long double area = 0;
    Index tp = 0, set = 0;
    for (auto at = thresholds.rbegin(); at != thresholds.rend(); ++at) {
        std::vector<Index> cuts;
        for (const auto& [cut, chance] : hyp)
            if (chance >= *at) cuts.push_back(cut);
        Pair<Index> p;
        p.ref = d.ref.cuts, p.hyp = cuts, p.units = d.units;
        const bool last = *at < 0;
        const auto found = last ? static_cast<Index>(d.ref.cuts.size()) : MatchCounts<Index>{}(p, {}, tolerance)[0];
        const Index all = last ? d.units - 1 : static_cast<Index>(cuts.size());
        const long double gained = static_cast<long double>(found - tp), more = static_cast<long double>(all - set);
        if (found > tp && (!lines || set == 0)) {
            area += gained * static_cast<long double>(found) / static_cast<long double>(all);
        } else if (found > tp) {
            // Simpson's rule over (tp + s) / (set + a s).
            const int parts = 4000;
            long double sum = 0;
            for (int i = 0; i <= parts; ++i) {
                const long double s = gained * i / parts;
                const long double y =
                    (static_cast<long double>(tp) + s) / (static_cast<long double>(set) + more / gained * s);
                sum += y * (i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2);
            }
            area += sum * gained / parts / 3;
        }
        tp = found, set = all;
    }
    return static_cast<double>(area);
}

template <class V>
void check_positions(const Pair<V>& p, const Chances& ref, const Chances& hyp, std::size_t bins) {
    const auto at = [](const Chances& side, Index position) {
        const auto found = side.find(position);
        return found == side.end() ? 0.0 : found->second;
    };
    double brier = 0;
    std::vector<double> table(3 * bins, 0.0), found(3 * bins, -1);
    for (Index position = 1; position < p.units; ++position) {
        const double r = at(ref, position), h = at(hyp, position);
        brier += (h - r) * (h - r);
        std::size_t bin = 0;  // a probability on an edge belongs to the bin above
        while (bin + 1 < bins && h * static_cast<double>(bins) >= static_cast<double>(bin + 1)) ++bin;
        table[3 * bin] += 1, table[3 * bin + 1] += h, table[3 * bin + 2] += r;
    }
    const auto counts = BrierCounts<V>{}(p, {});
    CHECK_NEAR(counts[0], brier);
    CHECK_SAME(counts[1], static_cast<double>(p.units - 1));
    count_bins(p, {}, bins, found.data());
    for (std::size_t i = 0; i < table.size(); ++i) CHECK_NEAR(found[i], table[i]);
}

// The mean over all sets of cuts that can be drawn.
template <class V>
void check_windows_of_draws(const Pair<V>& p, const std::vector<double>& weights, Padding pad, Index k) {
    double pk = 0, difference = 0;
    for (std::size_t drawn = 0; drawn < std::size_t{1} << p.hyp.size(); ++drawn) {
        double chance = 1;
        std::vector<V> cuts;
        for (std::size_t i = 0; i < p.hyp.size(); ++i) {
            const double own = weights.empty() ? 1 : weights[i];
            const bool is_set = (drawn >> i & 1) != 0;
            chance *= is_set ? own : 1 - own;
            if (is_set) cuts.push_back(p.hyp[i]);
        }
        Pair<V> one = p;
        one.hyp = cuts, one.hyp_weights = {};
        pk += chance * static_cast<double>(PkCounts<V, 1>{{pad}}(one, {}, k)[0]);
        difference += chance * static_cast<double>(WindowDiffCounts<V>{pad, false}(one, {}, k)[0]);
    }
    const auto count = static_cast<double>(windows_for(pad, p.units, k).count());
    for (const bool by_presence : {true, false}) {
        ExpectedWindowCounts<V> expected{pad, by_presence};
        const auto found = expected(p, {}, k);
        CHECK_NEAR(found[0], by_presence ? pk : difference);
        CHECK_SAME(found[1], count);
        CHECK_SAME(expected(p, {}, 0), (std::array<double, 2>{}));
    }
}

// A cut with a probability is set in some of the draws, and the others are certain.
template <class V>
void check_drawn_edits(Pair<V> p, std::vector<double> weights, const EditSettings& settings, Index draws,
                       std::uint64_t seed) {
    const auto similarity = [&](const Pair<V>& one) {
        const auto found = ExpectedBCounts<V>{settings, 1, seed}(one, {});
        return found[0] / found[2];
    };
    for (std::size_t i = 1; i < weights.size(); ++i) weights[i] = 1;
    p.hyp_weights = weights;
    ExpectedBCounts<V> expected{settings, draws, seed};
    const auto found = expected(p, {});
    CHECK_SAME(found, expected(p, {}));
    CHECK_SAME(found[2], static_cast<double>(draws));
    Pair<V> with = p, without = p;
    with.hyp_weights = without.hyp_weights = {};
    if (!p.hyp.empty() && weights[0] < 1) without.hyp = p.hyp.subspan(1);
    const double a = similarity(with), b = similarity(without);
    bool possible = false;
    for (Index set = 0; set <= draws; ++set) {
        const auto times = static_cast<double>(set), rest = static_cast<double>(draws - set);
        possible |=
            std::abs(found[0] - times * a - rest * b) < 1e-9 && std::abs(found[1] - times * a * a - rest * b * b) < 1e-9;
    }
    CHECK(possible);
}

template <class V>
void check(const Drawn& d, const std::vector<double>& of_ref, const std::vector<double>& weights, Draws in) {
    const TwoSides<V> texts = d.as<V>();
    Pair<V> p = texts.pair();
    p.hyp_weights = weights;
    const Chances hyp = chances_of(d.hyp.cuts, weights);
    const Index tolerance = in.number(0, 4);
    for (const bool lines : {false, true}) {
        RankCounts<V> rank{lines};
        const auto found = rank(p, {}, tolerance);
        if (d.ref.cuts.empty()) CHECK_SAME(found, (std::array<double, 2>{}));
        else
            CHECK(std::abs(found[0] - area_of(d, hyp, tolerance, lines)) < 1e-6 &&
                  found[1] == static_cast<double>(d.ref.cuts.size()));
    }
    if (d.units < 2) return;
    static constexpr Padding pads[] = {Padding::none, Padding::lamprier, Padding::segeval};
    check_windows_of_draws(p, weights, in.any_of(pads), in.number(1, d.units - 1));
    EditSettings settings;
    const Index prices[] = {0};
    settings.n_t = in.number(1, 4), settings.prices = prices;
    if (!weights.empty()) check_drawn_edits(p, weights, settings, in.number(1, 9), in.raw(8));
    p.ref_weights = of_ref;
    check_positions(p, chances_of(d.ref.cuts, of_ref), hyp, in.size(1, 12));
}

}  // namespace

void check_probabilities(Draws in) {
    Shape shape;
    shape.most_cuts = 6;
    shape.most_units = 40;
    const Drawn d = draw_texts(in, shape);
    const auto some = [&](std::size_t count) {
        return in.rarely() ? std::vector<double>{} : draw_weights(in, count, in.number(1, 12));
    };
    const std::vector<double> of_ref = some(d.ref.cuts.size()), weights = some(d.hyp.cuts.size());
    check<std::int64_t>(d, of_ref, weights, in);
    check<std::int32_t>(d, of_ref, weights, in);
}

}  // namespace native
