// sweep.hpp -- Counts of one text at every threshold: cuts are added by falling probability.
//
// A sweep reads the reference and all cuts that have a probability, the order in which they are
// added, and how many of them there are at each step; it writes one row of counts for each step.
// Every counter tells what one more cut changes, so that a step costs what is near its cuts.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/window.hpp"
#include "support/common.hpp"

namespace fencepost {

// The cuts of one text in the order in which they are added, as indexes from 0; `ends` has the
// number of cuts at each step. The first step has none.
struct Steps {
    std::span<const Index> order, ends;
};

// Sorts cuts by falling probability; among equal ones the left-most comes first. Probabilities are
// above 0, where the order of doubles is that of their bits.
class FallingOrder {
public:
    void sort(std::span<const double> weights, Index* order, const Stop& stop) {
        keys_.resize(weights.size());
        for (std::size_t i = 0; i < weights.size(); ++i)
            keys_[i] = {~std::bit_cast<std::uint64_t>(weights[i]), static_cast<Index>(i)};
        fencepost::sort(keys_, stop);
        for (std::size_t i = 0; i < weights.size(); ++i) order[i] = keys_[i].second;
    }

private:
    std::vector<std::pair<std::uint64_t, Index>> keys_;
};

// True positives, false positives and false negatives at every step, as MatchCounts has them.
//
// The sets of cuts that can be matched all at once form a transversal matroid: a cut raises the
// largest matching by one exactly if it fits beside those that raised it before, and else never.
// These are matched with the left-most reference cuts that fit, their slots. A new cut takes its
// slot, and those from there on move up until one is free. Cuts only ever move to the right, and
// slots that cannot move are marked for good; so all steps take O(cuts * slots within reach).
template <class V>
class MatchSweep {
public:
    static constexpr std::size_t width = 3;

    explicit MatchSweep(bool ends) : ends_(ends) {}

    void operator()(const Pair<V>& p, const Steps& steps, const Stop& stop, Index tolerance, Index* out) {
        start(p, tolerance);
        Index tp = 0;
        std::size_t at = 0;
        for (const Index end : steps.ends) {
            for (; at < static_cast<std::size_t>(end); ++at) {
                tp += add(p, static_cast<std::size_t>(steps.order[at]), tolerance);
                stop.check(at);
            }
            *out++ = tp + ends_;
            *out++ = end - tp;
            *out++ = static_cast<Index>(p.ref.size()) - tp;
        }
    }

private:
    void start(const Pair<V>& p, Index tolerance) {
        slots_.assign(p.ref.size(), 0);
        stuck_.assign(p.ref.size(), 0);
        first_.resize(p.hyp.size());
        std::size_t slot = 0;
        for (std::size_t i = 0; i < p.hyp.size(); ++i) {
            while (slot < p.ref.size() && Index{p.ref[slot]} < Index{p.hyp[i]} - tolerance) ++slot;
            first_[i] = static_cast<V>(slot);
        }
    }

    bool add(const Pair<V>& p, std::size_t cut, Index tolerance) {
        const std::size_t size = p.ref.size();
        const V place = p.hyp[cut];
        auto slot = static_cast<std::size_t>(first_[cut]);
        while (slot < size && slots_[slot] != 0 && slots_[slot] < place) ++slot;
        if (slot == size || Index{p.ref[slot]} - Index{place} > tolerance) return false;
        std::size_t last = slot;
        while (slots_[last] != 0) {
            const bool moves = !stuck_[last] && last + 1 < size && Index{p.ref[last + 1]} - Index{slots_[last]} <= tolerance;
            if (!moves) {
                std::fill(stuck_.begin() + static_cast<std::ptrdiff_t>(slot),
                          stuck_.begin() + static_cast<std::ptrdiff_t>(last) + 1, char{1});
                return false;
            }
            ++last;
        }
        for (; last > slot; --last) slots_[last] = slots_[last - 1];
        slots_[slot] = place;
        return true;
    }

    bool ends_;
    std::vector<V> slots_;     // the cut that each reference cut is matched with; 0 is none
    std::vector<V> first_;     // of each cut, the first reference cut within reach
    std::vector<char> stuck_;  // slots from which no cut can move up
};

// Windows that hold a cut of the hypothesis. A cut is the first or only one in the windows between
// its neighbours of the same step. Those are found by taking cuts away in the opposite order from
// a list that knows neighbours. O(cuts * log(reference cuts)), whatever the units and k are.
template <class V>
class PresenceSweep {
public:
    // Calls write(counts, cuts) for each step, with PresenceCounts and the number of cuts.
    template <class Write>
    void run(const Pair<V>& p, const Steps& steps, const Stop& stop, Windows w, Write&& write) {
        start(p, w);
        for (std::size_t at = steps.order.size(); at-- > 0;) {
            gains_[at] = remove(p, static_cast<std::size_t>(steps.order[at]), w);
            stop.check(at);
        }
        PresenceCounts now{present_, present_, 0, w.count() - present_};
        std::size_t at = 0;
        for (const Index end : steps.ends) {
            for (; at < static_cast<std::size_t>(end); ++at) {
                now.missed -= gains_[at].with_ref;
                now.alarms += gains_[at].windows - gains_[at].with_ref;
            }
            write(now);
        }
    }

private:
    struct Gain {
        V windows, with_ref;
    };

    void start(const Pair<V>& p, Windows w) {
        const std::size_t cuts = p.hyp.size();
        gains_.resize(cuts);
        before_.resize(cuts + 2);
        after_.resize(cuts + 2);
        for (std::size_t i = 0; i < cuts + 2; ++i) {  // of cut i, at i + 1
            before_[i] = static_cast<V>(i) - 1;
            after_[i] = static_cast<V>(i) + 1;
        }
        seen_.resize(p.ref.size() + 1);
        Index seen = 0, before = w.first;
        for (std::size_t i = 0; i < p.ref.size(); ++i) {
            seen_[i] = static_cast<V>(seen);
            seen += std::min(Index{p.ref[i]} - before, w.k);
            before = p.ref[i];
        }
        seen_[p.ref.size()] = static_cast<V>(seen);
        present_ = windows_with(p.ref, w);
    }

    Gain remove(const Pair<V>& p, std::size_t cut, Windows w) {
        const auto at = cut + 1;
        const auto left = static_cast<std::size_t>(before_[at]), right = static_cast<std::size_t>(after_[at]);
        after_[left] = static_cast<V>(right);
        before_[right] = static_cast<V>(left);
        const Index place = p.hyp[cut];
        Index from = std::max(place - w.k, w.first), to = std::min(place, w.last);
        if (left > 0) from = std::max(from, Index{p.hyp[left - 1]});
        if (right <= p.hyp.size()) to = std::min(to, Index{p.hyp[right - 1]} - w.k);
        if (to <= from) return {0, 0};
        return {static_cast<V>(to - from), static_cast<V>(seen_until(p, to, w) - seen_until(p, from, w))};
    }

    // The windows that begin before `left` and hold a cut of the reference; left is at most w.last.
    Index seen_until(const Pair<V>& p, Index left, Windows w) const noexcept {
        const auto next = static_cast<std::size_t>(std::upper_bound(p.ref.begin(), p.ref.end(), left) - p.ref.begin());
        Index seen = seen_[next];
        if (next < p.ref.size()) {
            const Index before = next == 0 ? w.first : Index{p.ref[next - 1]};
            seen += std::max<Index>(left - std::max(before, Index{p.ref[next]} - w.k), 0);
        }
        return seen;
    }

    std::vector<Gain> gains_;
    std::vector<V> before_, after_, seen_;
    Index present_ = 0;
};

// The windows in which the two sides have different numbers of cuts, and the sum of the
// differences. Windows that begin between the same cuts are one run; a cut adds one to the runs of
// its k windows. O(cuts * runs in k windows) time, of which there are at most k; O(cuts) memory. W
// is wide enough for where a window begins and for the number of windows.
template <class V, class W>
class DifferenceSweep {
public:
    // Calls write(count) for each step. `weighted` adds up the differences.
    template <class Write>
    void run(const Pair<V>& p, const Steps& steps, const Stop& stop, Windows w, bool weighted, Write&& write) {
        start(p, w, stop);
        Index count = 0;
        for (std::size_t i = 0; i < leads_.size(); ++i)
            count += Index{weighted ? -leads_[i] : W{leads_[i] != 0}} * sizes_[i];
        std::size_t at = 0;
        for (const Index end : steps.ends) {
            for (; at < static_cast<std::size_t>(end); ++at) {
                const auto cut = static_cast<std::size_t>(steps.order[at]);
                count += weighted ? add_weighted(cut) : add(cut);
                stop.check(at * 64);
            }
            write(count);
        }
    }

private:
    // Divides the windows where a cut enters or leaves, and counts how many more cuts of the
    // hypothesis there are in each run: none of them so far.
    void start(const Pair<V>& p, Windows w, const Stop& stop) {
        std::size_t steps = 0;
        const auto less = [&](W a, W b) {
            stop.check(++steps);
            return a < b;
        };
        bounds_.clear();
        bounds_.push_back(static_cast<W>(w.first));
        bounds_.push_back(static_cast<W>(w.last));
        for (const auto& side : {p.ref, p.hyp})
            for (const Index shift : {w.k, Index{0}}) {
                const std::size_t middle = bounds_.size();
                for (const V cut : side) stop.check(++steps), bounds_.push_back(inside(cut - shift, w));
                std::inplace_merge(bounds_.begin(), bounds_.begin() + static_cast<std::ptrdiff_t>(middle), bounds_.end(),
                                   less);
                stop.check();
                bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
            }
        const std::size_t runs = bounds_.size() - 1;
        sizes_.resize(runs);
        for (std::size_t i = 0; i < runs; ++i) sizes_[i] = bounds_[i + 1] - bounds_[i];
        leads_.assign(runs + 1, 0);
        from_.resize(std::max(p.ref.size(), p.hyp.size()));
        to_.resize(from_.size());
        find_runs(p.ref, w, stop);
        for (std::size_t i = 0; i < p.ref.size(); ++i) {
            stop.check(i);
            --leads_[static_cast<std::size_t>(from_[i])];
            ++leads_[static_cast<std::size_t>(to_[i])];
        }
        for (std::size_t i = 0; i < runs; ++i) leads_[i + 1] = static_cast<W>(leads_[i + 1] + leads_[i]);
        leads_.pop_back();
        find_runs(p.hyp, w, stop);
    }

    static W inside(Index left, Windows w) noexcept { return static_cast<W>(std::clamp(left, w.first, w.last)); }

    // The runs of the windows that hold each cut.
    void find_runs(std::span<const V> cuts, Windows w, const Stop& stop) {
        std::size_t from = 0, to = 0;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            stop.check(i);
            while (bounds_[from] < inside(cuts[i] - w.k, w)) ++from;
            while (bounds_[to] < inside(cuts[i], w)) ++to;
            from_[i] = static_cast<W>(from);
            to_[i] = static_cast<W>(to);
        }
    }

    Index add(std::size_t cut) noexcept {
        W more = 0;
        const auto to = static_cast<std::size_t>(to_[cut]);
        for (auto i = static_cast<std::size_t>(from_[cut]); i < to; ++i) {
            const W lead = leads_[i];
            more = static_cast<W>(more + (sizes_[i] & -W{lead == 0}) - (sizes_[i] & -W{lead == -1}));
            leads_[i] = lead + 1;
        }
        return more;
    }

    Index add_weighted(std::size_t cut) noexcept {
        W more = 0;
        const auto to = static_cast<std::size_t>(to_[cut]);
        for (auto i = static_cast<std::size_t>(from_[cut]); i < to; ++i) {
            const W lead = leads_[i];
            more = static_cast<W>(lead >= 0 ? more + sizes_[i] : more - sizes_[i]);
            leads_[i] = lead + 1;
        }
        return more;
    }

    std::vector<W> bounds_, sizes_, leads_, from_, to_;
};

// The rows of counts that the window metrics have at each step. A width of 0 marks a text without
// windows: its counts stay 0.

template <class V>
struct CSegSweep {
    static constexpr std::size_t width = 4;
    Padding pad = Padding::none;
    PresenceSweep<V> sweep = {};

    void operator()(const Pair<V>& p, const Steps& steps, const Stop& stop, Index k, Index* out) {
        if (k == 0) return void(std::fill_n(out, width * steps.ends.size(), Index{0}));
        sweep.run(p, steps, stop, windows_for(pad, p.units, k), [&out](const PresenceCounts& c) {
            for (const Index one : {c.missed, c.present, c.alarms, c.absent}) *out++ = one;
        });
    }
};

template <class V, Index alarm>
struct PkSweep {
    static constexpr std::size_t width = 2;
    Padding pad = Padding::none;
    PresenceSweep<V> sweep = {};

    void operator()(const Pair<V>& p, const Steps& steps, const Stop& stop, Index k, Index* out) {
        if (k == 0) return void(std::fill_n(out, width * steps.ends.size(), Index{0}));
        sweep.run(p, steps, stop, windows_for(pad, p.units, k), [&out](const PresenceCounts& c) {
            *out++ = c.missed + alarm * c.alarms;
            *out++ = c.present + c.absent;
        });
    }
};

template <class V>
struct WindowDiffSweep {
    static constexpr std::size_t width = 2;
    Padding pad = Padding::none;
    bool weighted = false;
    DifferenceSweep<V, V> narrow = {};
    DifferenceSweep<V, Index> wide = {};  // padding leads beyond the positions of long texts

    void operator()(const Pair<V>& p, const Steps& steps, const Stop& stop, Index k, Index* out) {
        if (k == 0) return void(std::fill_n(out, width * steps.ends.size(), Index{0}));
        const Windows w = windows_for(pad, p.units, k);
        const auto write = [&out, windows = w.count()](Index count) {
            *out++ = count;
            *out++ = windows;
        };
        const Index most = std::numeric_limits<V>::max();
        if (w.last <= most && w.count() <= most) narrow.run(p, steps, stop, w, weighted, write);
        else wide.run(p, steps, stop, w, weighted, write);
    }
};

}  // namespace fencepost
