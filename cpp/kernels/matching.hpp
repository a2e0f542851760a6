// matching.hpp -- Pairs up the points of two sorted lists on a line.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// What it costs to pair two points (per unit of distance, up to `reach`) or to leave one alone.
// The matcher asks through these functions, so that points can also have prices of their own.
// Among equal costs it takes the fewest edits if an edit counts +1, the most if it counts -1.
struct LineCosts {
    Index ref, hyp, per_unit, reach;

    static constexpr Index edit = 1;
    Index ref_alone(std::size_t) const noexcept { return ref; }
    Index hyp_alone(std::size_t) const noexcept { return hyp; }
    Index hyp_alone(std::size_t first, std::size_t last) const noexcept { return hyp * static_cast<Index>(last - first); }
    Index pair(std::size_t, std::size_t, Index distance) const noexcept { return per_unit * distance; }
};

// Cost first, then edits. Points paired or left alone are one edit each.
struct Bill {
    Index cost = 0, edits = 0;
};

// What a pairing saves over leaving all points alone, its number of pairs, and the sum of some
// value over them.
struct Savings {
    Index saved = 0, pairs = 0, sum = 0;
};

// Finds the cheapest non-crossing pairing of a and b (both strictly increasing, nothing shared). Among
// equal costs and edits it is the left-most: the first pair's left end is the smallest, then its
// right end, then the next pair's, and so on.
//
// S(i, j) are the best savings of a[i..] and b[j..]. Only points within reach can pair, so row i
// needs the columns [low, high] alone; left of them S(i, j) is S(i, low). Time O(cuts * reach).
template <class V, class Costs = LineCosts>
class LineMatcher {
public:
    explicit LineMatcher(Costs costs) : costs_(costs) {}
    void use(Costs costs) { costs_ = costs; }  // keeps the scratch memory

    // The savings of the cheapest pairing, with the sum of value(distance) over its pairs. One row is
    // held at a time: memory O(cuts).
    template <class Value>
    Savings savings(std::span<const V> a, std::span<const V> b, const Stop& stop, Value&& value) {
        return solve(a, b, stop, value, [](Step) {}, [](std::size_t, std::size_t, std::size_t) {});
    }

    // The least bill, without the pairs. Memory O(cuts).
    Bill bill(std::span<const V> a, std::span<const V> b, const Stop& stop) {
        const Savings s = savings(a, b, stop, [](Index) { return Index{0}; });
        Index cost = costs_.hyp_alone(0, b.size()) - s.saved;
        for (std::size_t i = 0; i < a.size(); ++i) cost += costs_.ref_alone(i);
        return {cost, Costs::edit * (static_cast<Index>(a.size() + b.size()) - s.pairs)};
    }

    // Calls pair(i, j) for the pairs of the cheapest pairing. A step is kept for each cell: memory
    // O(cuts * reach).
    template <class OnPair>
    void pairs(std::span<const V> a, std::span<const V> b, const Stop& stop, OnPair&& pair) {
        rows_.resize(a.size()), steps_.clear();
        solve(
            a, b, stop, [](Index) { return Index{0}; }, [&](Step step) { steps_.push_back(step); },
            [&](std::size_t i, std::size_t low, std::size_t high) { rows_[i] = {low, high, steps_.size() + high - 1}; });
        for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
            stop.check(i + j);
            const Row& row = rows_[i];
            const Step step = j < row.low ? Step::b_alone : j >= row.high ? Step::a_alone : steps_[row.steps - j];
            if (step == Step::pair) pair(i, j);
            i += step != Step::b_alone, j += step != Step::a_alone;
        }
    }

private:
    enum class Step : unsigned char { a_alone, b_alone, pair };

    struct Row {
        std::size_t low, high, steps;  // the step of column j is steps_[steps - j]
    };

    // S(i, j), and whether the left-most point of a[i..] and b[j..] is in a pair.
    struct Cell : Savings {
        bool first_pairs = false;
        Cell without_first() const noexcept { return {*this, false}; }
        bool beats(const Cell& other) const noexcept {
            // Without branches: which of two is better is hard to foresee.
            const bool fewer_edits = Costs::edit > 0 ? this->pairs > other.pairs : this->pairs < other.pairs;
            return (this->saved > other.saved) | ((this->saved == other.saved) & fewer_edits);
        }
    };

    // Returns S(0, 0). Before row i it calls on_row(i, low, high), and then on_step for each column,
    // from the last one to the first.
    template <class Value, class OnStep, class OnRow>
    Cell solve(std::span<const V> a, std::span<const V> b, const Stop& stop, Value&& value, OnStep&& on_step,
               OnRow&& on_row) {
        if (row_.size() <= b.size()) row_.resize(b.size() + 1);
        std::size_t low = b.size(), high = low, known = low;  // row_ holds S(i + 1, known ..)
        row_[known] = {};
        Patience patience(stop);
        for (std::size_t i = a.size(); i-- > 0;) {
            patience.spend(1 + high - std::min(low, high));
            const Index place = a[i], alone = costs_.ref_alone(i);
            while (high > 0 && Index{b[high - 1]} - place > costs_.reach) --high;
            while (low > 0 && place - Index{b[low - 1]} <= costs_.reach) --low;
            for (; known > low; --known) row_[known - 1] = row_[known].without_first();
            on_row(i, low, high);
            Cell diagonal = row_[high];
            row_[high] = diagonal.without_first();
            for (std::size_t j = high; j-- > low;) {
                const Index distance = std::abs(place - Index{b[j]});
                const Index saved = alone + costs_.hyp_alone(j) - costs_.pair(i, j, distance);
                const Cell paired{{diagonal.saved + saved, diagonal.pairs + 1, diagonal.sum + value(distance)}, true};
                diagonal = row_[j];
                on_step(choose(paired, &row_[j], place < Index{b[j]}));
            }
        }
        return row_[known];
    }

    // Puts the best of S(i, j) into row[0], which has a[i] alone; row[1] has b[j] alone. Among equals
    // the left-most of the two pairs with the other, or else with a later point if it can.
    static Step choose(const Cell& paired, Cell* row, bool a_first) noexcept {
        const Cell &later = row[a_first], &alone = row[!a_first];
        const bool pairs_later = later.first_pairs & !alone.beats(later);
        const bool b_alone = pairs_later == a_first;
        const Cell other = row[b_alone];
        const bool pair = !other.beats(paired);
        row[0] = {{pair ? paired.saved : other.saved, pair ? paired.pairs : other.pairs, pair ? paired.sum : other.sum},
                  pair || pairs_later};
        return pair ? Step::pair : b_alone ? Step::b_alone : Step::a_alone;
    }

    Costs costs_;
    std::vector<Cell> row_;
    std::vector<Row> rows_;
    std::vector<Step> steps_;
};

// The cuts that only one side has, from left to right. A point is the place of a cut, below 0 if it
// is the hypothesis' cut. One is written down at every step and kept if it is alone: which side
// comes next is a coin toss that no branch predictor can learn.
template <class V>
void one_sided(const Pair<V>& p, std::vector<V>& points, const Stop& stop) {
    const std::size_t n = p.ref.size(), m = p.hyp.size();
    points.resize(n + m);
    V* end = points.data();
    std::size_t i = 0, j = 0;
    for (std::size_t step = 1; i < n && j < m; ++step) {
        const V r = p.ref[i], h = p.hyp[j];
        const bool of_ref = r <= h, of_hyp = h <= r;
        *end = of_ref ? r : static_cast<V>(-h);
        end += of_ref != of_hyp;
        i += of_ref, j += of_hyp;
        stop.check(step);
    }
    for (; i < n; ++i) *end++ = p.ref[i];
    for (; j < m; ++j) *end++ = static_cast<V>(-p.hyp[j]);
    points.resize(static_cast<std::size_t>(end - points.data()));
}

template <class V>
Index place_of(V point) noexcept {
    return std::abs(Index{point});
}

template <class V>
bool of_both_sides(V x, V y) noexcept {
    return (x < 0) != (y < 0);
}

// Calls body(first, cluster) for every run of several points that no gap wider than reach divides:
// points of different runs cannot pair. Most runs are short.
template <class V, class Body>
void for_each_cluster(std::span<const V> points, Index reach, const Stop& stop, Body&& body) {
    for (std::size_t first = 0, end = 0; first < points.size(); first = end) {
        do {
            stop.check(++end);
        } while (end < points.size() && place_of(points[end]) - place_of(points[end - 1]) <= reach);
        if (end - first > 1) body(first, points.subspan(first, end - first));
    }
}

// The cheapest pairing of one-sided cuts, all at the same prices. Time O(cuts * reach), memory O(cuts).
template <class V>
class NearMisses {
public:
    template <class Value>
    Savings savings(std::span<const V> points, LineCosts costs, const Stop& stop, Value&& value) {
        matcher_.use(costs);
        Savings all;
        for_each_cluster(points, costs.reach, stop, [&](std::size_t, std::span<const V> cluster) {
            if (cluster.size() == 2) {
                if (!of_both_sides(cluster[0], cluster[1])) return;
                const Index distance = std::abs(Index{cluster[0]} + Index{cluster[1]});
                all.saved += costs.ref + costs.hyp - costs.per_unit * distance;
                all.pairs += 1, all.sum += value(distance);
                return;
            }
            a_.clear(), b_.clear();
            for (const V point : cluster) (point > 0 ? a_ : b_).push_back(static_cast<V>(place_of(point)));
            const Savings s = matcher_.savings(a_, b_, stop, value);
            all.saved += s.saved, all.pairs += s.pairs, all.sum += s.sum;
        });
        return all;
    }

private:
    LineMatcher<V> matcher_{{1, 1, 1, 1}};
    std::vector<V> a_, b_;
};

// Pairs the nearest points first, no further than reach; among equal distances from left to right.
//
// The two nearest points are neighbours among those not yet paired; when they are taken out, the
// points beside them become neighbours. A heap for each cluster: O(cuts * log cuts) time and O(cuts)
// memory, whatever reach is.
template <class V>
class NearestMatcher {
public:
    // Calls pair(i, j) for each pair of points[i], a cut of the reference, and points[j].
    template <class OnPair>
    void pairs(std::span<const V> points, Index reach, const Stop& stop, OnPair&& pair) {
        for_each_cluster(points, reach, stop, [&](std::size_t first, std::span<const V> cluster) {
            const std::size_t size = cluster.size();
            if (size == 2) {
                if (of_both_sides(cluster[0], cluster[1])) pair(first + (cluster[0] < 0), first + (cluster[0] > 0));
                return;
            }
            before_.resize(size), after_.resize(size), taken_.assign(size, false);
            near_.clear();
            for (std::size_t i = 0; i < size; ++i) before_[i] = i - 1, after_[i] = i + 1;
            for (std::size_t i = 1; i < size; ++i) {
                stop.check(i);
                offer(cluster, i - 1, i, reach);
            }
            for (std::size_t step = 1; !near_.empty(); ++step) {
                stop.check(step);
                const std::size_t left = near_.front().left, right = near_.front().right;
                std::pop_heap(near_.begin(), near_.end(), comes_later), near_.pop_back();
                if (taken_[left] || taken_[right]) continue;
                taken_[left] = taken_[right] = true;
                pair(first + (cluster[left] > 0 ? left : right), first + (cluster[left] > 0 ? right : left));
                const std::size_t l = before_[left], r = after_[right];
                if (l < size) after_[l] = r;
                if (r < size) before_[r] = l;
                if (l < size && r < size) offer(cluster, l, r, reach);
            }
        });
    }

private:
    struct Near {
        Index distance;
        std::size_t left, right;
    };

    static bool comes_later(const Near& x, const Near& y) noexcept {
        return x.distance != y.distance ? x.distance > y.distance : x.left > y.left;
    }

    void offer(std::span<const V> cluster, std::size_t left, std::size_t right, Index reach) {
        const Index distance = place_of(cluster[right]) - place_of(cluster[left]);
        if (!of_both_sides(cluster[left], cluster[right]) || distance > reach) return;
        near_.push_back({distance, left, right});
        std::push_heap(near_.begin(), near_.end(), comes_later);
    }

    std::vector<std::size_t> before_, after_;
    std::vector<char> taken_;
    std::vector<Near> near_;
};

}  // namespace fencepost
