// window.hpp -- Window metrics: slide (left, left + k] over the text and compare the two sides.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "support/common.hpp"

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

enum class Padding { none, lamprier, segeval };

inline std::optional<Padding> padding_named(std::string_view name) noexcept {
    if (name == "none") return Padding::none;
    if (name == "lamprier") return Padding::lamprier;
    if (name == "segeval") return Padding::segeval;
    return std::nullopt;
}

inline Windows windows_for(Padding pad, Index units, Index k) noexcept {
    if (pad == Padding::lamprier) return padded_windows(units, k);
    if (pad == Padding::segeval) return segeval_windows(units, k);
    return plain_windows(units, k);
}

// How a window's width follows from the reference: half the mean segment, as the papers and the tools
// round it. `given` and `corpus` are widths for all texts alike.
enum class WidthRule { given, half_up, corpus, segeval, nltk, fournier2012 };

inline constexpr std::array<const char*, 6> width_rules = {"",          "auto-half-up",     "corpus-half-up", "auto-segeval",
                                                           "auto-nltk", "auto-fournier2012"};

// A quotient rounded to the nearest whole number, a half to the even one; exact.
inline Index half_even(Index numerator, Index denominator) noexcept {
    const Index quotient = numerator / denominator, rest = numerator % denominator;
    return quotient + (2 * rest > denominator || (2 * rest == denominator && quotient % 2 == 1));
}

struct Width {
    WidthRule rule = WidthRule::given;
    Index k = 1;            // where it is given
    bool in_units = false;  // k counts units, one more than the places between them

    // The width in places; 0 where no window fits into the text.
    Index operator()(Index units, Index segments) const noexcept {
        const Index width = by_rule(units, segments) - in_units;
        return width >= 1 && width < units ? width : 0;
    }

    template <class V>
    Index operator()(const Pair<V>& p) const noexcept {
        return (*this)(p.units, static_cast<Index>(p.ref.size()) + 1);
    }

private:
    Index by_rule(Index units, Index segments) const noexcept {
        const Index half_up = (units + segments) / (2 * segments);
        switch (rule) {
            case WidthRule::half_up: return std::min(half_up, std::max<Index>(units - 1, 1));
            case WidthRule::corpus: return std::max<Index>(half_up, 1);
            case WidthRule::segeval: return std::max<Index>(half_even(units, 2 * segments), 2);
            case WidthRule::fournier2012: return std::max<Index>(half_up, 2);
            // Places by cuts, and half the text where the reference has no cut.
            case WidthRule::nltk: return half_even(units - 1, 2 * std::max<Index>(segments - 1, 1));
            case WidthRule::given: break;
        }
        return k;
    }
};

// The windows that hold at least one of the cuts. A cut at c is seen from left = c-k up to c-1, so
// each cut adds its distance from the one before, but no more than k. In all three kinds of
// windows only the last cuts can be seen from beyond the last window, and those without a gap.
template <class V>
Index windows_with(std::span<const V> cuts, Windows w) noexcept {
    Index seen = 0, before = w.first;
    for (const V cut : cuts) {
        seen += std::min(Index{cut} - before, w.k);
        before = cut;
    }
    return seen - std::max<Index>(before - w.last, 0);
}

// The windows that hold a cut of either side. Which side comes next is a coin toss that no branch
// predictor can learn, so positions advance by comparison results. Then each step waits for the
// one before; walking from both ends towards the middle keeps two at work.
template <class V>
Index windows_with_either(const Pair<V>& p, Windows w, const Stop& stop) {
    if (p.ref.empty() || p.hyp.empty()) return windows_with(p.ref.empty() ? p.hyp : p.ref, w);
    const V *r = p.ref.data(), *h = p.hyp.data(), *r_end = r + p.ref.size(), *h_end = h + p.hyp.size();
    const Index last = std::max(r_end[-1], h_end[-1]);
    Index seen = 0, before = w.first, after = last;
    for (std::size_t step = std::min(p.ref.size(), p.hyp.size()); step > 0; --step) {
        const V a = *r, b = *h;
        const bool of_ref = a <= b;
        const Index left = of_ref ? a : b;
        seen += std::min(left - before, w.k);
        before = left;
        r += of_ref, h += !of_ref;

        const V c = r_end[-1], d = h_end[-1];
        const bool to_ref = c > d;
        const Index right = to_ref ? c : d;
        seen += std::min(after - right, w.k);
        after = right;
        r_end -= to_ref, h_end -= !to_ref;
        stop.check(step);
    }
    // The longer side has cuts left in the middle.
    while (r < r_end || h < h_end) {
        const Index left = h == h_end || (r < r_end && *r <= *h) ? *r++ : *h++;
        seen += std::min(left - before, w.k);
        before = left;
    }
    return seen + std::min(after - before, w.k) - std::max<Index>(last - w.last, 0);
}

// A pair seen from the windows that hold a cut of the reference, and from those that do not. Pk
// (Beeferman et al. 1999), P'k (Pevzner & Hearst 2002) and C_seg (TDT) are sums of these.
struct PresenceCounts {
    Index missed = 0, present = 0, alarms = 0, absent = 0;
};

// O(cuts), whatever the units and k are; no memory.
template <class V>
PresenceCounts window_presence(const Pair<V>& p, Windows w, const Stop& stop) {
    const Index either = windows_with_either(p, w, stop);
    const Index ref = windows_with(p.ref, w), hyp = windows_with(p.hyp, w);
    return {either - hyp, ref, either - ref, w.count() - ref};
}

// WinPR, Scaiano & Inkpen (2012).
struct WinprCounts {
    Index tp = 0, fp = 0, fn = 0, tn = 0;
};

// Compares the numbers of cuts in the windows of one pair. Holds its scratch memory: one mark for
// each cut that only one side has.
//
// A cut at c enters the window at left = c-k and leaves it at left = c, so the result changes at no
// more than 2 * cuts places. Time and memory O(cuts), whatever the units and k are. Both the merge
// of the two sides and that of entering and leaving walk from both ends, without branches.
template <class V>
class WindowCounter {
public:
    // WindowDiff, Pevzner & Hearst (2002): the windows in which the sides have different counts.
    Index differing(const Pair<V>& p, Windows w, const Stop& stop) {
        // A mask: a conditional may be compiled to a branch.
        return sweep(p, w, stop, [](Index r, Index h, Index n) { return n & -Index{r != h}; });
    }

    // The weighted variant: the sum of the differences.
    Index difference(const Pair<V>& p, Windows w, const Stop& stop) {
        return sweep(p, w, stop, [](Index r, Index h, Index n) { return std::abs(r - h) * n; });
    }

    // On padded windows, where every cut is seen k times: with R and H the sums of the two counts
    // over the windows, the sum of min(r, h) is (R + H - sum |r - h|) / 2.
    WinprCounts winpr(const Pair<V>& p, Index k, const Stop& stop) {
        const Windows w = padded_windows(p.units, k);
        const Index ref = k * static_cast<Index>(p.ref.size()), hyp = k * static_cast<Index>(p.hyp.size());
        const Index tp = (ref + hyp - difference(p, w, stop)) / 2;
        return {tp, hyp - tp, ref - tp, k * w.count() - k * (k - 1) - (ref + hyp - tp)};
    }

private:
    // A cut, and how many more cuts the reference has to the left of it.
    struct Mark {
        V place, lead;
        Mark() noexcept {}  // memory is not cleared before it is written
        Mark(V p, Index l) noexcept : place(p), lead(static_cast<V>(l)) {}
    };

    // Lays the cuts that only one side has in one row; those of both make no difference. After the
    // last mark comes one without a place, for its lead.
    void merge(const Pair<V>& p, const Stop& stop) {
        const std::size_t n = p.ref.size(), m = p.hyp.size();
        if (marks_.size() <= n + m) marks_.resize(n + m + 1);
        const V *r = p.ref.data(), *h = p.hyp.data(), *r_end = r + n, *h_end = h + m;
        Mark *mark = marks_.data(), *const last = mark + n + m, *mark_end = last;
        Index lead = 0, end_lead = static_cast<Index>(n) - static_cast<Index>(m);
        *last = {0, end_lead};
        for (std::size_t step = 1; r < r_end && h < h_end; ++step) {
            const V a = *r, b = *h;
            const bool of_ref = a <= b, of_hyp = b <= a;
            *mark = {std::min(a, b), lead};
            mark += of_ref != of_hyp;  // else it is written over
            lead += Index{of_ref} - Index{of_hyp};
            r += of_ref, h += of_hyp;
            if (r == r_end || h == h_end) break;

            const V c = r_end[-1], d = h_end[-1];
            const bool to_ref = c >= d, to_hyp = d >= c;
            end_lead -= Index{to_ref} - Index{to_hyp};
            mark_end[-1] = {std::max(c, d), end_lead};
            mark_end -= to_ref != to_hyp;
            r_end -= to_ref, h_end -= to_hyp;
            stop.check(step);
        }
        while (r < r_end) *mark++ = {*r++, lead++};
        while (h < h_end) *mark++ = {*h++, lead--};
        size_ = static_cast<std::size_t>((mark - marks_.data()) + (last - mark_end));
        std::move(mark_end, last + 1, mark);
    }

    // Adds up value(x, y, n) over all runs of n windows that hold the same cuts; x - y is how
    // many more cuts of the reference than of the hypothesis these are.
    template <class Value>
    Index sweep(const Pair<V>& p, Windows w, const Stop& stop, Value&& value) {
        merge(p, stop);
        const Mark *in = marks_.data(), *out = in;          // the next marks to enter and to leave
        const Mark *in_end = in + size_, *out_end = in_end;  // the same, from the right
        Index left = w.first, right = w.last, sum = 0;       // windows not yet looked at
        for (std::size_t step = 1; step <= size_; ++step) {
            const Index enters = Index{in->place} - w.k, leaves = out->place;
            const bool one_enters = enters <= leaves;
            const Index next = std::clamp(one_enters ? enters : leaves, left, w.last);
            sum += value(in->lead, out->lead, next - left);
            left = next;
            in += one_enters, out += !one_enters;

            const Index entered = Index{in_end[-1].place} - w.k, went = out_end[-1].place;
            const bool one_entered = entered > went;
            const Index last = std::clamp(one_entered ? entered : went, w.first, right);
            sum += value(in_end->lead, out_end->lead, right - last);
            right = last;
            in_end -= one_entered, out_end -= !one_entered;
            stop.check(step);
        }
        return sum + value(in->lead, out->lead, right - left);
    }

    std::vector<Mark> marks_;
    std::size_t size_ = 0;
};

// What the window metrics count in one pair. A width of 0 marks a pair without windows: its counts
// stay 0.
template <class V>
struct WindowDiffCounts {
    Padding pad = Padding::none;
    bool weighted = false;
    WindowCounter<V> counter = {};

    std::array<Index, 2> operator()(const Pair<V>& p, const Stop& stop, Index k) {
        if (k == 0) return {};
        const Windows w = windows_for(pad, p.units, k);
        return {weighted ? counter.difference(p, w, stop) : counter.differing(p, w, stop), w.count()};
    }
};

template <class V>
struct CSegCounts {
    Padding pad = Padding::none;

    std::array<Index, 4> operator()(const Pair<V>& p, const Stop& stop, Index k) const {
        if (k == 0) return {};
        const PresenceCounts c = window_presence(p, windows_for(pad, p.units, k), stop);
        return {c.missed, c.present, c.alarms, c.absent};
    }
};

// Pk, and P'k, where a false alarm counts twice.
template <class V, Index alarm>
struct PkCounts {
    CSegCounts<V> presence;

    std::array<Index, 2> operator()(const Pair<V>& p, const Stop& stop, Index k) const {
        const auto [missed, present, alarms, absent] = presence(p, stop, k);
        return {missed + alarm * alarms, present + absent};
    }
};

template <class V>
struct WinprRowCounts {
    WindowCounter<V> counter = {};

    std::array<Index, 5> operator()(const Pair<V>& p, const Stop& stop, Index k) {
        if (k == 0) return {};
        const WinprCounts c = counter.winpr(p, k, stop);
        return {c.tp, c.fp, c.fn, c.tn, padded_windows(p.units, k).count()};
    }
};

}  // namespace fencepost
