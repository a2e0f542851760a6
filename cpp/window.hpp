// window.hpp -- Window metrics: slide (left, left + k] over the text and compare the two sides.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "common.hpp"

namespace fencepost {

// The windows of a text: left runs over [first, last). Unpadded that is [0, N-k); with k-1
// phantom units at both ends every place lies in exactly k windows.
struct Windows {
    Index k, first, last;
    Index count() const noexcept { return last - first; }
};

inline Windows plain_windows(Index units, Index k) noexcept { return {k, 0, units - k}; }
inline Windows padded_windows(Index units, Index k) noexcept { return {k, 1 - k, units - 1}; }
// segeval's variant of the padding: k phantom units at both ends, and it divides by N+k+1, one more
// than the windows it looks at. Three of these windows hold no place at all.
inline Windows segeval_windows(Index units, Index k) noexcept { return {k, -k, units + 1}; }

// Calls see(r, h, n) for every run of n windows that hold r reference and h hypothesis cuts.
//
// A cut at c enters the window at left = c-k and leaves it at left = c, so the two counts change
// at no more than 2 * cuts places, and four sorted streams of such places are merged. The cost
// depends on the number of cuts only, not on the units or on k. The heads of the streams are
// advanced by comparison results, without branches: which stream comes next is a coin toss that
// no branch predictor can learn. No allocation.
template <class V, class See>
void sweep(const Pair<V>& p, Windows w, const Stop& stop, See&& see) {
    constexpr Index never = std::numeric_limits<Index>::max() / 2;
    const V* const r = p.ref.data();
    const V* const h = p.hyp.data();
    const std::size_t n = p.ref.size(), m = p.hyp.size();
    std::size_t r_in = 0, r_out = 0, h_in = 0, h_out = 0;
    Index at = w.first;
    Index r_count = 0, h_count = 0;

    const auto advance = [&](Index ri, Index ro, Index hi, Index ho) {
        const Index next = std::min(std::min(ri, ro), std::min(hi, ho));
        const Index to = std::clamp(next, at, w.last);
        see(r_count, h_count, to - at);
        at = to;
        const bool r_enters = ri == next, r_leaves = ro == next;
        const bool h_enters = hi == next, h_leaves = ho == next;
        r_in += r_enters, r_out += r_leaves, h_in += h_enters, h_out += h_leaves;
        r_count += Index{r_enters} - Index{r_leaves};
        h_count += Index{h_enters} - Index{h_leaves};
    };

    // Cuts enter before they leave, so while both entering streams last, all four do.
    for (std::size_t step = 1; r_in < n && h_in < m; ++step) {
        advance(Index{r[r_in]} - w.k, Index{r[r_out]}, Index{h[h_in]} - w.k, Index{h[h_out]});
        stop.check(step);
    }
    for (std::size_t step = 1; (r_out < n || h_out < m) && at < w.last; ++step) {
        advance(r_in < n ? Index{r[r_in]} - w.k : never, r_out < n ? Index{r[r_out]} : never,
                h_in < m ? Index{h[h_in]} - w.k : never, h_out < m ? Index{h[h_out]} : never);
        stop.check(step);
    }
    see(r_count, h_count, w.last - at);
}

// WindowDiff, Pevzner & Hearst (2002): windows with different counts, and the sum of differences.
struct WindowDiffCounts {
    Index differing = 0, difference = 0;
};

template <class V>
WindowDiffCounts window_diff(const Pair<V>& p, Windows w, const Stop& stop) {
    WindowDiffCounts c;
    sweep(p, w, stop, [&](Index r, Index h, Index n) {
        c.differing += r != h ? n : 0;
        c.difference += std::abs(r - h) * n;
    });
    return c;
}

// The four ways two windows can hold cuts or not: Pk (Beeferman et al. 1999), P'k (Pevzner &
// Hearst 2002) and C_seg (TDT) are sums of these.
struct PresenceCounts {
    Index both = 0, ref_only = 0, hyp_only = 0, neither = 0;
};

template <class V>
PresenceCounts window_presence(const Pair<V>& p, Windows w, const Stop& stop) {
    PresenceCounts c;
    sweep(p, w, stop, [&](Index r, Index h, Index n) {
        c.ref_only += (r > 0 && h == 0) ? n : 0;
        c.hyp_only += (r == 0 && h > 0) ? n : 0;
        c.neither += (r == 0 && h == 0) ? n : 0;
    });
    c.both = w.count() - c.ref_only - c.hyp_only - c.neither;
    return c;
}

// WinPR, Scaiano & Inkpen (2012), on padded windows.
struct WinprCounts {
    Index tp = 0, fp = 0, fn = 0, tn = 0;
};

template <class V>
WinprCounts winpr(const Pair<V>& p, Windows w, const Stop& stop) {
    WinprCounts c;
    c.tn = -w.k * (w.k - 1);
    sweep(p, w, stop, [&](Index r, Index h, Index n) {
        const Index low = std::min(r, h), high = std::max(r, h);
        c.tp += low * n;
        c.fp += (h - low) * n;
        c.fn += (r - low) * n;
        c.tn += (w.k - high) * n;
    });
    return c;
}

}  // namespace fencepost
