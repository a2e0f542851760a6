// window.cpp -- Window metrics beside windows looked at one by one.
#include "kernels/window.hpp"

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

struct Seen {
    Index differing = 0, difference = 0, missed = 0, present = 0, alarms = 0, absent = 0;
    WinprCounts winpr;
};

Index inside(const std::vector<Index>& cuts, Index left, Index k) {
    return std::count_if(cuts.begin(), cuts.end(), [&](Index cut) { return left < cut && cut <= left + k; });
}

// Windows one by one; or, in long texts, one of each run of windows between two places where a cut
// enters or leaves.
Seen look(const Drawn& d, Windows w) {
    std::vector<Index> begins{w.first, w.last};
    for (const auto* side : {&d.ref.cuts, &d.hyp.cuts})
        for (const Index cut : *side) begins.push_back(cut), begins.push_back(cut - w.k);
    if (w.count() <= 300)
        for (Index left = w.first; left < w.last; ++left) begins.push_back(left);
    std::sort(begins.begin(), begins.end());
    Seen seen;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        const Index left = std::max(begins[i], w.first), n = std::min(begins[i + 1], w.last) - left;
        if (n <= 0) continue;
        const Index r = inside(d.ref.cuts, left, w.k), h = inside(d.hyp.cuts, left, w.k);
        seen.differing += r != h ? n : 0, seen.difference += std::abs(r - h) * n;
        (r > 0 ? seen.present : seen.absent) += n;
        if (r > 0 && h == 0) seen.missed += n;
        if (r == 0 && h > 0) seen.alarms += n;
        seen.winpr.tp += std::min(r, h) * n;
        seen.winpr.fp += std::max<Index>(0, h - r) * n, seen.winpr.fn += std::max<Index>(0, r - h) * n;
    }
    return seen;
}

template <class V>
void check(const Drawn& d, Index k) {
    const TwoSides<V> texts = d.as<V>();
    const Pair<V> p = texts.pair();
    const Stop stop;
    for (const Padding pad : {Padding::none, Padding::lamprier, Padding::segeval}) {
        const Windows w = windows_for(pad, d.units, k);
        const Seen seen = look(d, w);
        WindowDiffCounts<V> plain{pad, false}, weighted{pad, true};
        CHECK_SAME(plain(p, stop, k), (std::array{seen.differing, w.count()}));
        CHECK_SAME(weighted(p, stop, k), (std::array{seen.difference, w.count()}));
        const CSegCounts<V> presence{pad};
        CHECK_SAME(presence(p, stop, k), (std::array{seen.missed, seen.present, seen.alarms, seen.absent}));
        CHECK_SAME((PkCounts<V, 1>{presence}(p, stop, k)), (std::array{seen.missed + seen.alarms, w.count()}));
        CHECK_SAME((PkCounts<V, 2>{presence}(p, stop, k)), (std::array{seen.missed + 2 * seen.alarms, w.count()}));
    }
    if (k * 2 > (Index{1} << 62) / d.units) return;  // the edge refuses it
    const Windows w = padded_windows(d.units, k);
    const WinprCounts c = look(d, w).winpr;
    // Each of the N - 1 positions is in k windows: what is neither of the three is a true negative.
    const Index tn = k * (d.units - 1) - c.tp - c.fp - c.fn;
    CHECK_SAME(WinprRowCounts<V>{}(p, stop, k), (std::array{c.tp, c.fp, c.fn, tn, w.count()}));
}

// The whole number nearest to a / b; of two the even one, or the larger.
Index nearest(Index a, Index b, bool even) {
    Index below = a / b;
    const Index twice = 2 * (a - below * b);
    return twice > b || (twice == b && (!even || below % 2 == 1)) ? below + 1 : below;
}

void check_widths(Index units, Index segments, Index k, bool in_units) {
    const auto width = [&](WidthRule rule) { return Width{rule, k, in_units}(units, segments); };
    const auto fitting = [&](Index wanted) {
        wanted -= in_units;
        return wanted >= 1 && wanted < units ? wanted : 0;
    };
    const Index half = nearest(units, 2 * segments, false);
    CHECK_SAME(width(WidthRule::given), fitting(k));
    CHECK_SAME(width(WidthRule::half_up), fitting(std::min(half, std::max<Index>(1, units - 1))));
    CHECK_SAME(width(WidthRule::corpus), fitting(std::max<Index>(1, half)));
    CHECK_SAME(width(WidthRule::fournier2012), fitting(std::max<Index>(2, half)));
    CHECK_SAME(width(WidthRule::segeval), fitting(std::max<Index>(2, nearest(units, 2 * segments, true))));
    const Index cuts = std::max<Index>(1, segments - 1);
    CHECK_SAME(width(WidthRule::nltk), fitting(nearest(units - 1, 2 * cuts, true)));
}

}  // namespace

void check_windows(Draws in) {
    const Drawn d = draw_texts(in, {});
    check_widths(d.units, static_cast<Index>(d.ref.cuts.size()) + 1, in.number(0, 9), in.coin());
    if (d.units < 2) return;
    // Widths of any size: small ones, those near the whole text, and any.
    const Index most = d.units - 1;
    const Index k = in.coin()   ? in.number(1, std::min<Index>(most, 12))
                    : in.coin() ? most - in.number(0, std::min<Index>(most - 1, 3))
                                : in.number(1, most);
    check<std::int64_t>(d, k);
    if (d.fits32()) check<std::int32_t>(d, k);
    // Without windows all counts are 0.
    const TwoSides<Index> texts = d.as<Index>();
    CHECK_SAME(WindowDiffCounts<Index>{}(texts.pair(), {}, 0), (std::array<Index, 2>{}));
    CHECK_SAME(WinprRowCounts<Index>{}(texts.pair(), {}, 0), (std::array<Index, 5>{}));
}

}  // namespace native
