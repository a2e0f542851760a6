// sweep.cpp -- Counts at every threshold beside counts of the cuts that are left at each.
#include "kernels/sweep.hpp"

#include "kernels/boundary.hpp"
#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

struct Swept {
    std::vector<Index> order, ends;
};

// Any order: equal probabilities may come in any, and steps may add nothing.
Swept draw_steps(Draws& in, std::size_t cuts) {
    const std::vector<double> weights = draw_weights(in, cuts, in.number(1, 9));
    Swept made{std::vector<Index>(cuts), {0}};
    FallingOrder().sort(weights, made.order.data(), {});
    for (std::size_t i = 1; i < cuts; ++i) {
        const auto a = static_cast<std::size_t>(made.order[i - 1]), b = static_cast<std::size_t>(made.order[i]);
        CHECK(weights[a] > weights[b] || (weights[a] == weights[b] && a < b));
    }
    for (std::size_t i = cuts; i > 1 && in.coin(); --i) std::swap(made.order[i - 1], made.order[in.size(0, i - 1)]);
    const auto last = static_cast<Index>(cuts);
    while (made.ends.back() < last && in.coin()) made.ends.push_back(in.number(made.ends.back(), last));
    made.ends.push_back(last);
    return made;
}

// What a metric counts in the cuts of every step.
template <class V, class Count>
std::vector<Index> step_by_step(const Pair<V>& p, const Swept& steps, Count count) {
    std::vector<Index> all;
    for (const Index end : steps.ends) {
        std::vector<V> cuts;
        for (Index i = 0; i < end; ++i)
            cuts.push_back(p.hyp[static_cast<std::size_t>(steps.order[static_cast<std::size_t>(i)])]);
        std::sort(cuts.begin(), cuts.end());
        Pair<V> one = p;
        one.hyp = cuts;
        for (const Index number : count(one)) all.push_back(number);
    }
    return all;
}

template <class V, class Sweep, class Count>
void same_counts(const Pair<V>& p, const Swept& steps, Index setting, Sweep sweep, Count count) {
    for (int again = 0; again < 2; ++again) {
        std::vector<Index> found(steps.ends.size() * Sweep::width, -1);
        sweep(p, {steps.order, steps.ends}, {}, setting, found.data());
        CHECK_SAME(found, step_by_step(p, steps, count));
    }
}

template <class V>
void check(const Drawn& d, const Swept& steps, Index tolerance, Index k) {
    const TwoSides<V> texts = d.as<V>();
    const Pair<V> p = texts.pair();
    const Stop stop;
    for (const bool ends : {false, true})
        same_counts(p, steps, tolerance, MatchSweep<V>(ends),
                    [&](const Pair<V>& one) { return MatchCounts<V>{ends}(one, stop, tolerance); });
    if (d.units < 2) return;
    for (const Padding pad : {Padding::none, Padding::lamprier, Padding::segeval}) {
        const CSegCounts<V> presence{pad};
        same_counts(p, steps, k, CSegSweep<V>{pad}, [&](const Pair<V>& one) { return presence(one, stop, k); });
        same_counts(p, steps, k, PkSweep<V, 1>{pad},
                    [&](const Pair<V>& one) { return PkCounts<V, 1>{presence}(one, stop, k); });
        same_counts(p, steps, k, PkSweep<V, 2>{pad},
                    [&](const Pair<V>& one) { return PkCounts<V, 2>{presence}(one, stop, k); });
        for (const bool weighted : {false, true})
            same_counts(p, steps, k, WindowDiffSweep<V>{pad, weighted},
                        [&](const Pair<V>& one) { return WindowDiffCounts<V>{pad, weighted}(one, stop, k); });
    }
}

}  // namespace

void check_sweeps(Draws in) {
    Shape shape;
    shape.most_cuts = 14;
    const Drawn d = draw_texts(in, shape);
    const Swept steps = draw_steps(in, d.hyp.cuts.size());
    const Index tolerance = in.number(0, 8);
    const Index most = std::max<Index>(1, d.units - 1);
    const Index k = in.rarely() ? 0 : in.coin() ? in.number(1, std::min<Index>(most, 12)) : in.number(1, most);
    check<std::int64_t>(d, steps, tolerance, k);
    if (d.fits32()) check<std::int32_t>(d, steps, tolerance, k);
}

}  // namespace native
