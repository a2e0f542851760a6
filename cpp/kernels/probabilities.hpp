// probabilities.hpp -- Scores of probabilities: ranked, beside what happened, and on average.
//
// A cut without weights is certain. Positions without a cut have probability 0. The reference is
// certain in all of these but the Brier score.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/edit.hpp"
#include "kernels/random.hpp"
#include "kernels/sweep.hpp"
#include "kernels/window.hpp"
#include "support/common.hpp"

namespace fencepost {

inline double weight_at(std::span<const double> weights, std::size_t at) noexcept {
    return weights.empty() ? 1.0 : weights[at];
}

// A sum of doubles that carries what each addition lost (Neumaier 1974).
class CarriedSum {
public:
    void add(double x) noexcept {
        const double whole = sum_ + x;
        lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - whole) + x : (x - whole) + sum_;
        sum_ = whole;
    }
    double value() const noexcept { return sum_ + lost_; }

private:
    double sum_ = 0, lost_ = 0;
};

// x - log(1 + x) for x >= 0, without the cancellation of small x.
inline double beyond_log(double x) noexcept {
    if (x > 0x1p-3) return x - std::log1p(x);
    double power = x * x, sum = 0;
    for (int n = 2; n < 40 && power > sum * 0x1p-54; ++n) {
        sum += (n % 2 == 0 ? power : -power) / n;
        power *= x;
    }
    return sum;
}

// The boundaries found and the precision at every distinct probability, from the highest to 0, at
// which every position is a boundary. O(cuts * (log(cuts) + reference cuts within reach)).
//
// Both areas are given times the reference's boundaries, so that texts add up. Steps are the sum of
// the precision over the boundaries found at it (average precision). Between two thresholds the
// line of Davis & Goadrich (2006) lets false positives grow in step with true positives, so that
// precision is (tp + s) / (n + a s) after s more boundaries; its integral has two positive parts.
template <class V>
struct RankCounts {
    bool lines = false;  // else steps
    FallingOrder sorter = {};
    MatchSweep<V> matches = MatchSweep<V>(false);
    std::vector<Index> order = {}, ends = {}, counts = {};

    std::array<double, 2> operator()(const Pair<V>& p, const Stop& stop, Index tolerance) {
        if (p.ref.empty()) return {};
        sort(p, stop);
        counts.resize(ends.size() * MatchSweep<V>::width);
        matches(p, {order, ends}, stop, tolerance, counts.data());
        CarriedSum area;
        Index tp = 0, set = 0;
        const auto step = [&](Index found, Index cuts) {
            if (found > tp) area.add(lines ? line(tp, set, found, cuts) : rise(tp, found, cuts));
            tp = found, set = cuts;
        };
        for (std::size_t i = 0; i < ends.size(); ++i) step(counts[i * MatchSweep<V>::width], ends[i]);
        step(static_cast<Index>(p.ref.size()), p.units - 1);
        return {area.value(), static_cast<double>(p.ref.size())};
    }

private:
    void sort(const Pair<V>& p, const Stop& stop) {
        const std::size_t cuts = p.hyp.size();
        order.resize(cuts);
        ends.clear();
        if (p.hyp_weights.empty()) {
            for (std::size_t i = 0; i < cuts; ++i) order[i] = static_cast<Index>(i);
            if (cuts != 0) ends.push_back(static_cast<Index>(cuts));
            return;
        }
        sorter.sort(p.hyp_weights, order.data(), stop);
        for (std::size_t i = 0; i < cuts; ++i) {
            const double now = p.hyp_weights[static_cast<std::size_t>(order[i])];
            if (i + 1 == cuts || p.hyp_weights[static_cast<std::size_t>(order[i + 1])] != now)
                ends.push_back(static_cast<Index>(i) + 1);
        }
    }

    static double rise(Index tp, Index found, Index cuts) {
        return static_cast<double>(found - tp) * static_cast<double>(found) / static_cast<double>(cuts);
    }

    static double line(Index tp, Index set, Index found, Index cuts) {
        if (set == 0 || tp * cuts == found * set) return rise(tp, found, cuts);  // the same precision all along
        const double gained = static_cast<double>(found - tp), a = static_cast<double>(cuts - set) / gained;
        const double n = static_cast<double>(set), x = static_cast<double>(cuts - set) / n;
        return static_cast<double>(tp) / a * std::log1p(x) + n / (a * a) * beyond_log(x);
    }
};

// Calls use(r, h) for every position at which one of the sides has a cut, with both weights.
template <class V, class Use>
void each_position(const Pair<V>& p, const Stop& stop, Use&& use) {
    for (std::size_t i = 0, j = 0; i < p.ref.size() || j < p.hyp.size();) {
        const bool of_ref = j == p.hyp.size() || (i < p.ref.size() && p.ref[i] <= p.hyp[j]);
        const bool of_hyp = i == p.ref.size() || (j < p.hyp.size() && p.hyp[j] <= p.ref[i]);
        use(of_ref ? weight_at(p.ref_weights, i) : 0.0, of_hyp ? weight_at(p.hyp_weights, j) : 0.0);
        i += of_ref, j += of_hyp;
        stop.check(i + j);
    }
}

// Brier (1950): the sum of squared differences, and the number of positions. O(cuts).
template <class V>
struct BrierCounts {
    std::array<double, 2> operator()(const Pair<V>& p, const Stop& stop) const {
        CarriedSum sum;
        each_position(p, stop, [&](double r, double h) { sum.add((h - r) * (h - r)); });
        return {sum.value(), static_cast<double>(p.units - 1)};
    }
};

// For each bin of equal width: positions, the sum of their probabilities, and the boundaries of the
// reference among them. A probability on an edge belongs to the bin above; 1 to the last. O(cuts).
template <class V>
void count_bins(const Pair<V>& p, const Stop& stop, std::size_t bins, double* out) {
    std::vector<CarriedSum> sums(bins);
    std::fill_n(out, 3 * bins, 0.0);
    double rest = static_cast<double>(p.units - 1);
    each_position(p, stop, [&](double r, double h) {
        const auto bin = std::min(static_cast<std::size_t>(h * static_cast<double>(bins)), bins - 1);
        ++out[3 * bin];
        sums[bin].add(h);
        out[3 * bin + 2] += r;
        --rest;
    });
    out[0] += rest;
    for (std::size_t bin = 0; bin < bins; ++bin) out[3 * bin + 1] = sums[bin].value();
}

// How many cuts a window holds if each is drawn by its own probability: the Poisson-binomial
// distribution, of counts up to a limit. Windows are cut in two at multiples of their width, so
// that each is the end of one block and the start of the next. All that happens is multiplication
// and addition of numbers that are not negative: nothing cancels, and a probability is wrong by no
// more than 2 * width + 2 roundings of 2^-53. O(windows * (limit + 1)) time, O(width * (limit + 1)
// + units) memory.
class WindowDistribution {
public:
    // Calls use(window, chance) for the windows in order; chance(c) is the probability of c cuts.
    template <class V, class Use>
    void run(const Pair<V>& p, Windows w, std::size_t limit, const Stop& stop, Use&& use) {
        const auto k = static_cast<std::size_t>(w.k), windows = static_cast<std::size_t>(w.count());
        size_ = limit + 1;
        chances_.assign(windows + 2 * k, 0.0);
        for (std::size_t i = 0; i < p.hyp.size(); ++i)
            chances_[static_cast<std::size_t>(p.hyp[i] - w.first - 1)] = weight_at(p.hyp_weights, i);
        start_.resize(size_);
        Patience patience(stop);
        for (ends_.reserve(k * size_); ends_.size() < k * size_;) {  // gigabytes of zeros take a second
            const std::size_t more = std::min<std::size_t>(k * size_ - ends_.size(), 1 << 20);
            ends_.resize(ends_.size() + more);
            patience.spend(more);
        }
        for (std::size_t i = 0; i < windows; ++i) {
            const std::size_t place = i % k;
            if (place == 0) begin_block(i, k, patience);
            use(i, [&](std::size_t cuts) { return chance(ends_.data() + place * size_, cuts); });
            add(start_.data(), chances_[i + k]);
            patience.spend(size_);
        }
    }

private:
    // The distributions of all ends of a block, the last position alone up to the whole block.
    void begin_block(std::size_t first, std::size_t k, Patience& patience) {
        std::fill(start_.begin(), start_.end(), 0.0);
        start_[0] = 1;
        const double* before = start_.data();
        for (std::size_t place = k; place-- > 0;) {
            double* own = ends_.data() + place * size_;
            std::copy_n(before, size_, own);
            add(own, chances_[first + place]);
            before = own;
            patience.spend(size_);
        }
    }

    void add(double* counts, double chance) const noexcept {
        if (chance == 0) return;
        for (std::size_t c = size_ - 1; c > 0; --c) counts[c] = counts[c] * (1 - chance) + counts[c - 1] * chance;
        counts[0] *= 1 - chance;
    }

    double chance(const double* end, std::size_t cuts) const noexcept {
        double sum = 0;
        for (std::size_t c = 0; c <= cuts; ++c) sum += end[c] * start_[cuts - c];
        return sum;
    }

    std::size_t size_ = 1;
    std::vector<double> chances_, ends_, start_;
};

// The expected number of windows that Pk (by_presence) or WindowDiff counts as wrong.
template <class V>
struct ExpectedWindowCounts {
    Padding pad = Padding::none;
    bool by_presence = false;
    WindowDistribution distribution = {};
    std::vector<std::size_t> held = {};  // boundaries of the reference in each window

    std::array<double, 2> operator()(const Pair<V>& p, const Stop& stop, Index k) {
        if (k == 0) return {};
        const Windows w = windows_for(pad, p.units, k);
        hold(p, w);
        const std::size_t limit = by_presence ? 0 : *std::max_element(held.begin(), held.end());
        CarriedSum wrong;
        distribution.run(p, w, limit, stop, [&](std::size_t i, const auto& chance) {
            if (!by_presence) return wrong.add(1 - chance(held[i]));
            wrong.add(held[i] > 0 ? chance(0) : 1 - chance(0));
        });
        return {std::max(wrong.value(), 0.0), static_cast<double>(w.count())};
    }

private:
    void hold(const Pair<V>& p, Windows w) {
        held.assign(static_cast<std::size_t>(w.count()), 0);
        std::size_t entered = 0, left = 0;
        for (Index i = w.first; i < w.last; ++i) {
            while (entered < p.ref.size() && Index{p.ref[entered]} <= i + w.k) ++entered;
            while (left < p.ref.size() && Index{p.ref[left]} <= i) ++left;
            held[static_cast<std::size_t>(i - w.first)] = entered - left;
        }
    }
};

// The mean of B (Fournier 2013) over hypotheses that are drawn from the probabilities: the sum of
// B, that of its squares, and the number of draws. The stream of random numbers is that of the
// text's own content, the seed and the number of the draw, so it depends neither on other texts nor
// on threads. A certain hypothesis is counted once for all draws. O(draws * B).
template <class V>
struct ExpectedBCounts {
    EditSettings settings;
    Index draws = 1;
    std::uint64_t seed = 0;
    EditAligner<V> aligner = {};
    std::vector<V> drawn = {};

    std::array<double, 3> operator()(const Pair<V>& p, const Stop& stop) {
        const bool certain = std::all_of(p.hyp_weights.begin(), p.hyp_weights.end(), [](double w) { return w >= 1; });
        const auto times = static_cast<double>(draws);
        Pair<V> one = p;
        one.hyp_weights = one.ref_weights = {};
        if (certain) {
            const double b = similarity(one, stop);
            return {b * times, b * b * times, times};
        }
        const std::uint64_t key = key_of(p);
        CarriedSum sum, squares;
        for (Index draw = 0; draw < draws; ++draw) {
            Stream stream(Stream::mix(key + static_cast<std::uint64_t>(draw)));
            drawn.clear();
            for (std::size_t i = 0; i < p.hyp.size(); ++i)
                if (static_cast<double>(stream.next() >> 11) * 0x1p-53 < p.hyp_weights[i]) drawn.push_back(p.hyp[i]);
            one.hyp = drawn;
            const double b = similarity(one, stop);
            sum.add(b);
            squares.add(b * b);
            stop.check();
        }
        return {sum.value(), squares.value(), times};
    }

private:
    double similarity(const Pair<V>& p, const Stop& stop) {
        const EditCounts c = aligner.count(p, settings, stop);
        const Index all = c.matches + c.transpositions + c.missing + c.extra;
        if (all == 0) return 1;
        const Index credit = (c.matches + c.transpositions) * settings.n_t - c.distance;
        return static_cast<double>(credit) / static_cast<double>(all * settings.n_t);
    }

    std::uint64_t key_of(const Pair<V>& p) const noexcept {
        std::uint64_t key = Stream::mix(seed ^ Stream::mix(static_cast<std::uint64_t>(p.units)));
        const auto add = [&](std::uint64_t x) { key = Stream::mix(key + 0x9e3779b97f4a7c15u + x); };
        for (const V cut : p.ref) add(static_cast<std::uint64_t>(cut));
        add(0);  // between the sides: no position is 0
        for (std::size_t i = 0; i < p.hyp.size(); ++i) {
            add(static_cast<std::uint64_t>(p.hyp[i]));
            add(std::bit_cast<std::uint64_t>(p.hyp_weights[i]));
        }
        return key;
    }
};

}  // namespace fencepost
