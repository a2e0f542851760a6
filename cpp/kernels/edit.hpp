// edit.hpp -- Boundary edit distance: matches, transpositions (near misses), substitutions of
// kinds, and additions; one alignment that S (Fournier & Inkpen 2012) and B (Fournier 2013) price.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kernels/matching.hpp"
#include "support/common.hpp"

namespace fencepost {

enum class Op : Index { match, transposition, substitution, missing, extra };

// One edit. Places are 0 where a side has no cut, kinds are -1 there and on untyped rows.
struct EditRow {
    Op op;
    Index ref, hyp;
    Index ref_kind, hyp_kind;
    Index part;          // a substitution's price, in parts of an edit
    Index span = 0;      // of a transposition: the distance that it is priced by
    Index together = 1;  // and how many boundaries each side moves in it
};

struct EditCounts {
    Index matches = 0, missing = 0, extra = 0;
    Index transpositions = 0, distance = 0;
    Index te_parts = 0;  // transposition errors te = 2 - 2^(1-d), in steps of 2^-30
    Index substitutions = 0, substitution_parts = 0;
};

// How near misses pair up: at the least cost; nearest first, then left to right, as segeval pairs
// them; or by mirrored windows, as fournier2012 describes.
enum class Matching : int { optimal, greedy, windows };

struct EditSettings {
    Index n_t = 2;  // cuts up to n_t - 1 apart may pair
    Matching matching = Matching::optimal;
    // Price of substituting kind a by kind b: prices[a * kinds + b], in parts of an edit.
    std::span<const Index> prices;
    std::size_t kinds = 1;
};

// Transposition error of fournier2012 (equation 3, b = 2, n = d + 1) in steps of 2^-30. Exact up
// to d = 31; beyond that it is 2 to nine digits.
inline Index te_parts(Index distance) noexcept {
    constexpr Index two = Index{1} << 31;
    return distance > 31 ? two : two - (two >> distance);
}

// The same for a window of n = span + 1 places in which b = 2 * together boundaries are transposed:
// te(n, b) = b - (1/b)^(n-2). Rounded to a step if b is not a power of two.
inline Index window_te_parts(Index span, Index together) {
    if (together == 1) return te_parts(span);
    const auto b = static_cast<double>(2 * together);
    return static_cast<Index>(std::llround(0x1p30 * (b - std::pow(b, static_cast<double>(1 - span)))));
}

// Transpositions by mirrored windows, fournier2012 (section 3.3). In a window of 2 to n_t adjacent
// places one side is the mirror image of the other, and all boundaries of the window that only one
// side has are transposed at once. Windows do not overlap. Kept are those that transpose the most
// boundaries; then (the paper leaves it open) the least sum of te(n, b), the fewest windows, and the
// left-most ones. A window ends at boundaries of one side, so it begins at point i and ends at point
// j of the one-sided ones: O(points * n_t^2) time, O(points) memory.
template <class V>
class WindowMatcher {
public:
    // `points` are the places that one side alone has, those of the hypothesis negative; `matches`
    // are the places of both. Both sorted by place. Calls window(first, last) for points kept.
    template <class OnWindow>
    void windows(std::span<const V> points, std::span<const V> matches, Index n_t, const Stop& stop, OnWindow&& window) {
        const std::size_t n = points.size();
        best_.assign(n + 1, {});
        first_match_.resize(n + 1);
        for (std::size_t i = 0, m = 0; i < n; ++i) {
            while (m < matches.size() && Index{matches[m]} < place(points[i])) ++m;
            first_match_[i] = m;
        }
        Patience patience(stop);
        for (std::size_t i = n; i-- > 0;) {
            best_[i] = best_[i + 1];
            best_[i].last = i;  // no window begins here
            for (std::size_t j = i + 1; j < n && place(points[j]) - place(points[i]) < n_t; j += 2) {
                patience.spend(j - i);
                if (!mirrored(points, matches, i, j)) continue;
                const Index together = static_cast<Index>(j - i + 1) / 2;
                Sum sum = best_[j + 1];
                sum.points += 2 * together, ++sum.windows;
                sum.te += window_te_parts(place(points[j]) - place(points[i]), together);
                sum.last = j;
                // At a tie a window that begins here is more to the left than any later one.
                const bool none = best_[i].last == i;
                if (better(sum, best_[i]) || (none && !better(best_[i], sum))) best_[i] = sum;
            }
        }
        for (std::size_t i = 0; i < n; i = best_[i].last + 1)
            if (best_[i].last > i) window(i, best_[i].last);
    }

private:
    struct Sum {
        Index points = 0, te = 0, windows = 0;
        std::size_t last = 0;  // the point at which the window that begins here ends
    };

    static Index place(V point) noexcept { return std::abs(Index{point}); }

    static bool better(const Sum& x, const Sum& y) noexcept {
        if (x.points != y.points) return x.points > y.points;
        if (x.te != y.te) return x.te < y.te;
        return x.windows < y.windows;
    }

    bool mirrored(std::span<const V> points, std::span<const V> matches, std::size_t i, std::size_t j) const {
        const Index sum = place(points[i]) + place(points[j]);
        for (std::size_t left = i, right = j; left < right; ++left, --right)
            if ((points[left] < 0) == (points[right] < 0) || place(points[left]) + place(points[right]) != sum) return false;
        for (std::size_t left = first_match_[i], right = first_match_[j]; left < right; ++left, --right)
            if (Index{matches[left]} + Index{matches[right - 1]} != sum) return false;
        return true;
    }

    std::vector<Sum> best_;
    std::vector<std::size_t> first_match_;  // the first match to the right of each point
};

// Least-cost assignment of rows to columns (rows <= columns), by shortest augmenting paths.
// O(rows^2 * columns); used on the few kinds that differ at one place.
class Assignment {
public:
    // result[r] is the column of row r.
    template <class Cost>
    const std::vector<std::size_t>& solve(std::size_t rows, std::size_t columns, const Stop& stop, Cost&& cost) {
        Patience patience(stop);
        constexpr Index inf = std::numeric_limits<Index>::max() / 4;
        u_.assign(rows + 1, 0), v_.assign(columns + 1, 0);
        row_of_.assign(columns + 1, 0);
        for (std::size_t r = 1; r <= rows; ++r) {
            row_of_[0] = r;
            best_.assign(columns + 1, inf), way_.assign(columns + 1, 0), seen_.assign(columns + 1, 0);
            std::size_t c = 0;
            do {
                patience.spend(columns);
                seen_[c] = 1;
                const std::size_t row = row_of_[c];
                Index delta = inf;
                std::size_t next = 0;
                for (std::size_t k = 1; k <= columns; ++k) {
                    if (seen_[k]) continue;
                    const Index slack = cost(row - 1, k - 1) - u_[row] - v_[k];
                    if (slack < best_[k]) best_[k] = slack, way_[k] = c;
                    if (best_[k] < delta) delta = best_[k], next = k;
                }
                for (std::size_t k = 0; k <= columns; ++k) {
                    if (seen_[k]) u_[row_of_[k]] += delta, v_[k] -= delta;
                    else best_[k] -= delta;
                }
                c = next;
            } while (row_of_[c] != 0);
            for (; c != 0; c = way_[c]) row_of_[c] = row_of_[way_[c]];
        }
        column_of_.assign(rows, 0);
        for (std::size_t k = 1; k <= columns; ++k)
            if (row_of_[k] != 0) column_of_[row_of_[k] - 1] = k - 1;
        return column_of_;
    }

private:
    std::vector<Index> u_, v_, best_;
    std::vector<std::size_t> row_of_, way_, column_of_;
    std::vector<char> seen_;
};

// Aligns the cuts of one pair. Holds its scratch memory, so one aligner serves many rows.
//
// Order of the papers: (1) the same kind at the same place is a match; (2) per kind, cuts that
// only one side has pair up within n_t - 1 places: least total cost with d/n_t a pair and 1 a cut
// left over, then fewest edits, then left-most; (3) kinds left over at one place pair up as
// substitutions by least total price; (4) the rest are additions, missing from the hypothesis or
// extra in it. O(cuts * n_t) time.
//
// Memory is O(cuts) for the counts of untyped rows. Who is paired with whom must be known for the
// list of edits and for several kinds (step 3 needs to know which cuts are left): O(cuts * n_t).
template <class V>
class EditAligner {
public:
    EditCounts count(const Pair<V>& p, const EditSettings& s, const Stop& stop) {
        const bool windows = s.matching == Matching::windows && s.n_t > 2;  // with 2 all are the same
        if (windows || !p.ref_kinds.empty() || !p.hyp_kinds.empty()) return align(p, s, stop, nullptr);
        EditCounts c = s.n_t <= 2 ? neighbours(p, s, stop) : near_misses(p, s, stop);
        c.missing = static_cast<Index>(p.ref.size()) - c.matches - c.transpositions;
        c.extra = static_cast<Index>(p.hyp.size()) - c.matches - c.transpositions;
        return c;
    }

    EditCounts list(const Pair<V>& p, const EditSettings& s, const Stop& stop, std::vector<EditRow>& edits) {
        edits.clear();
        const EditCounts counts = align(p, s, stop, &edits);
        std::sort(edits.begin(), edits.end(), [&, step = std::size_t{0}](const EditRow& x, const EditRow& y) mutable {
            stop.check(++step);
            return key(x) < key(y);
        });
        return counts;
    }

private:
    struct Cut {
        V place;
        Kind kind;
        bool paired;
    };

    static std::array<Index, 5> key(const EditRow& e) {
        const Index left = e.ref == 0 ? e.hyp : e.hyp == 0 ? e.ref : std::min(e.ref, e.hyp);
        return {left, static_cast<Index>(e.op), std::max(e.ref, e.hyp), e.ref_kind, e.hyp_kind};
    }

    static Kind kind_at(std::span<const Kind> kinds, std::size_t i) { return kinds.empty() ? 0 : kinds[i]; }

    // Matches and transpositions at n_t up to 2, in one pass and without branches. Only neighbours
    // can pair, all at one price, so from left to right is cheapest and left-most.
    static EditCounts neighbours(const Pair<V>& p, const EditSettings& s, const Stop& stop) {
        const std::size_t n = p.ref.size(), m = p.hyp.size();
        Index matches = 0, pairs = 0;
        Index wanted = 0;  // the place that would pair with the last cut; below 0 if of the hypothesis
        std::size_t i = 0, j = 0;
        for (std::size_t step = 1; i < n && j < m; ++step) {
            const Index r = p.ref[i], h = p.hyp[j];
            const bool of_ref = r <= h, of_hyp = h <= r;
            const Index side = Index{of_ref} - Index{of_hyp}, place = side * std::min(r, h);
            const bool pair = (side != 0) & (place == wanted);
            wanted = pair ? 0 : -(place + side);
            matches += of_ref & of_hyp, pairs += pair;
            i += of_ref, j += of_hyp;
            stop.check(step);
        }
        pairs += (i < n && Index{p.ref[i]} == wanted) || (j < m && -Index{p.hyp[j]} == wanted);
        if (s.n_t < 2) pairs = 0;
        EditCounts c;
        c.matches = matches, c.transpositions = c.distance = pairs, c.te_parts = pairs * te_parts(1);
        return c;
    }

    // The same for any n_t.
    EditCounts near_misses(const Pair<V>& p, const EditSettings& s, const Stop& stop) {
        EditCounts c;
        one_sided(p, points_, stop);
        c.matches = static_cast<Index>((p.ref.size() + p.hyp.size() - points_.size()) / 2);
        if (s.matching == Matching::greedy) {
            nearest_.pairs(points_, s.n_t - 1, stop, [&](std::size_t i, std::size_t j) {
                add_transposition(c, std::abs(Index{points_[i]} + Index{points_[j]}));
            });
        } else {
            const Savings found = near_misses_.savings(points_, costs(s), stop, te_parts);
            c.transpositions = found.pairs, c.te_parts = found.sum;
            c.distance = 2 * s.n_t * found.pairs - found.saved;
        }
        return c;
    }

    static LineCosts costs(const EditSettings& s) { return {s.n_t, s.n_t, 1, s.n_t - 1}; }

    static void add_transposition(EditCounts& c, Index span, Index together = 1) {
        ++c.transpositions;
        c.distance += span;
        c.te_parts += window_te_parts(span, together);
    }

    EditCounts align(const Pair<V>& p, const EditSettings& s, const Stop& stop, std::vector<EditRow>* edits) {
        EditCounts c;
        const bool typed = !p.ref_kinds.empty() || !p.hyp_kinds.empty();
        const auto shown = [typed](Kind kind) { return typed ? Index{kind} : Index{-1}; };
        a_.clear(), b_.clear(), both_.clear();
        const bool windows = s.matching == Matching::windows;
        split(
            p, stop,
            [&](std::size_t i, std::size_t j) {
                ++c.matches;
                if (windows) both_.push_back({p.ref[i], kind_at(p.ref_kinds, i), true});
                if (edits) {
                    const Index kind = shown(kind_at(p.ref_kinds, i));
                    edits->push_back({Op::match, Index{p.ref[i]}, Index{p.hyp[j]}, kind, kind, 0});
                }
            },
            [&](std::size_t i) { a_.push_back({p.ref[i], kind_at(p.ref_kinds, i), false}); },
            [&](std::size_t j) { b_.push_back({p.hyp[j], kind_at(p.hyp_kinds, j), false}); });

        // A window's transposition is counted once, and listed boundary by boundary.
        const auto move = [&](std::size_t i, std::size_t j, Index span, Index together) {
            a_[i].paired = b_[j].paired = true;
            if (edits) {
                const Index kind = shown(a_[i].kind);
                edits->push_back({Op::transposition, Index{a_[i].place}, Index{b_[j].place}, kind, kind, 0, span, together});
            }
        };
        const auto transpose = [&](std::size_t i, std::size_t j) {
            const Index distance = std::abs(Index{a_[i].place} - Index{b_[j].place});
            add_transposition(c, distance);
            move(i, j, distance, 1);
        };
        const auto transpose_kind = [&](std::span<const std::size_t> a, std::span<const std::size_t> b) {
            if (windows && s.n_t > 2) transpose_windows(c, s, a, b, stop, move);
            else transpose_pairs(s, a, b, stop, transpose);
        };
        if (s.n_t > 1) transpose_all(typed, stop, transpose_kind);
        if (typed) substitute(c, s, stop, edits);

        for (const Cut& cut : a_) {
            if (cut.paired) continue;
            ++c.missing;
            if (edits) edits->push_back({Op::missing, Index{cut.place}, 0, shown(cut.kind), -1, 0});
        }
        for (const Cut& cut : b_) {
            if (cut.paired) continue;
            ++c.extra;
            if (edits) edits->push_back({Op::extra, 0, Index{cut.place}, -1, shown(cut.kind), 0});
        }
        return c;
    }

    // Step 1: one merge over both sides.
    template <class Both, class RefOnly, class HypOnly>
    void split(const Pair<V>& p, const Stop& stop, Both&& both, RefOnly&& ref_only, HypOnly&& hyp_only) {
        std::size_t i = 0, j = 0;
        for (std::size_t step = 1; i < p.ref.size() && j < p.hyp.size(); ++step) {
            stop.check(step);
            const V r = p.ref[i], h = p.hyp[j];
            const Kind kr = kind_at(p.ref_kinds, i), kh = kind_at(p.hyp_kinds, j);
            if (r == h && kr == kh) both(i++, j++);
            else if (r < h || (r == h && kr < kh)) ref_only(i++);
            else hyp_only(j++);
        }
        while (i < p.ref.size()) ref_only(i++);
        while (j < p.hyp.size()) hyp_only(j++);
    }

    // Step 2, kind by kind: calls transpose(a, b) with one kind's cuts, as indexes into a_ and b_ in
    // the order of places.
    template <class Transpose>
    void transpose_all(bool typed, const Stop& stop, Transpose&& transpose) {
        if (!typed) {
            order(a_, order_a_), order(b_, order_b_);
            if (!a_.empty() && !b_.empty())
                transpose(std::span<const std::size_t>(order_a_), std::span<const std::size_t>(order_b_));
            return;
        }
        by_kind(a_, order_a_, stop), by_kind(b_, order_b_, stop);
        std::size_t i = 0, j = 0;
        while (i < order_a_.size() && j < order_b_.size()) {
            const Kind x = a_[order_a_[i]].kind, y = b_[order_b_[j]].kind;
            std::size_t i_end = i, j_end = j;
            while (x <= y && i_end < order_a_.size() && a_[order_a_[i_end]].kind == x) ++i_end;
            while (y <= x && j_end < order_b_.size() && b_[order_b_[j_end]].kind == y) ++j_end;
            if (x == y) transpose(std::span(order_a_).subspan(i, i_end - i), std::span(order_b_).subspan(j, j_end - j));
            i = i_end, j = j_end;
        }
    }

    template <class OnPair>
    void transpose_pairs(const EditSettings& s, std::span<const std::size_t> a, std::span<const std::size_t> b,
                         const Stop& stop, OnPair&& pair) {
        if (s.n_t == 2) {
            // Only neighbours can pair, all at one price: left to right is cheapest and left-most.
            std::size_t i = 0, j = 0;
            for (std::size_t step = 1; i < a.size() && j < b.size(); ++step) {
                stop.check(step);
                const Index gap = Index{a_[a[i]].place} - Index{b_[b[j]].place};
                if (gap == 1 || gap == -1) pair(a[i++], b[j++]);
                else (gap < 0 ? i : j) += 1;
            }
            return;
        }
        if (s.matching == Matching::greedy) return transpose_nearest(s.n_t, a, b, stop, pair);
        places_a_.clear(), places_b_.clear();
        for (std::size_t i : a) places_a_.push_back(a_[i].place);
        for (std::size_t j : b) places_b_.push_back(b_[j].place);
        matcher_.use(costs(s));
        matcher_.pairs(places_a_, places_b_, stop, [&](std::size_t i, std::size_t j) { pair(a[i], b[j]); });
    }

    // Greedy, as segeval does.
    template <class OnPair>
    void transpose_nearest(Index n_t, std::span<const std::size_t> a, std::span<const std::size_t> b, const Stop& stop,
                           OnPair&& pair) {
        merge(a, b);
        nearest_.pairs(points_, n_t - 1, stop, [&](std::size_t i, std::size_t j) { pair(owners_[i], owners_[j]); });
    }

    // By windows, as the 2012 paper does. Boundaries of one window are paired from left to right.
    template <class Move>
    void transpose_windows(EditCounts& c, const EditSettings& s, std::span<const std::size_t> a,
                           std::span<const std::size_t> b, const Stop& stop, Move&& move) {
        merge(a, b);
        places_a_.clear();
        for (const Cut& cut : both_)
            if (cut.kind == a_[a[0]].kind) places_a_.push_back(cut.place);
        windows_.windows(points_, places_a_, s.n_t, stop, [&](std::size_t first, std::size_t last) {
            const Index span = std::abs(Index{points_[last]}) - std::abs(Index{points_[first]});
            const Index together = static_cast<Index>(last - first + 1) / 2;
            add_transposition(c, span, together);
            std::size_t i = first, j = first;
            for (Index n = 0; n < together; ++n, ++i, ++j) {
                while (points_[i] < 0) ++i;
                while (points_[j] > 0) ++j;
                move(owners_[i], owners_[j], span, together);
            }
        });
    }

    // Both sides' cuts as points in the order of places, those of the hypothesis negative.
    void merge(std::span<const std::size_t> a, std::span<const std::size_t> b) {
        points_.clear(), owners_.clear();
        for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
            const bool of_ref = j == b.size() || (i < a.size() && a_[a[i]].place < b_[b[j]].place);
            owners_.push_back(of_ref ? a[i++] : b[j++]);
            points_.push_back(of_ref ? a_[owners_.back()].place : static_cast<V>(-b_[owners_.back()].place));
        }
    }

    // Step 3: kinds left over at one place on both sides.
    void substitute(EditCounts& c, const EditSettings& s, const Stop& stop, std::vector<EditRow>* edits) {
        std::size_t i = 0, j = 0;
        while (i < a_.size() && j < b_.size()) {
            if (a_[i].place != b_[j].place) {
                (a_[i].place < b_[j].place ? i : j) += 1;
                continue;
            }
            const V place = a_[i].place;
            here_a_.clear(), here_b_.clear();
            for (; i < a_.size() && a_[i].place == place; ++i)
                if (!a_[i].paired) here_a_.push_back(i);
            for (; j < b_.size() && b_[j].place == place; ++j)
                if (!b_[j].paired) here_b_.push_back(j);
            if (here_a_.empty() || here_b_.empty()) continue;
            const bool turned = here_a_.size() > here_b_.size();
            const auto& few = turned ? here_b_ : here_a_;
            const auto& many = turned ? here_a_ : here_b_;
            const auto price = [&](std::size_t x, std::size_t y) {
                const Cut& ref = a_[turned ? many[y] : few[x]];
                const Cut& hyp = b_[turned ? few[x] : many[y]];
                return s.prices[static_cast<std::size_t>(ref.kind) * s.kinds + static_cast<std::size_t>(hyp.kind)];
            };
            const auto& columns = assignment_.solve(few.size(), many.size(), stop, price);
            for (std::size_t x = 0; x < few.size(); ++x) {
                Cut& ref = a_[turned ? many[columns[x]] : few[x]];
                Cut& hyp = b_[turned ? few[x] : many[columns[x]]];
                ref.paired = hyp.paired = true;
                const Index part = price(x, columns[x]);
                ++c.substitutions;
                c.substitution_parts += part;
                if (edits)
                    edits->push_back({Op::substitution, Index{place}, Index{place}, Index{ref.kind}, Index{hyp.kind}, part});
            }
        }
    }

    static void order(const std::vector<Cut>& cuts, std::vector<std::size_t>& out) {
        out.resize(cuts.size());
        for (std::size_t i = 0; i < cuts.size(); ++i) out[i] = i;
    }

    static void by_kind(const std::vector<Cut>& cuts, std::vector<std::size_t>& out, const Stop& stop) {
        order(cuts, out);
        std::stable_sort(out.begin(), out.end(), [&, step = std::size_t{0}](std::size_t x, std::size_t y) mutable {
            stop.check(++step);
            return cuts[x].kind < cuts[y].kind;
        });
    }

    std::vector<Cut> a_, b_, both_;
    std::vector<std::size_t> order_a_, order_b_, here_a_, here_b_;
    std::vector<std::size_t> owners_;  // the numbers of points_ in a_ or b_
    std::vector<V> points_, places_a_, places_b_;
    NearMisses<V> near_misses_;
    LineMatcher<V> matcher_{{2, 2, 1, 1}};
    NearestMatcher<V> nearest_;
    WindowMatcher<V> windows_;
    Assignment assignment_;
};

// What S counts in one pair; B counts the first seven. The last number is that of the potential
// boundaries, of all kinds.
template <class V, std::size_t N>
struct EditRowCounts {
    EditSettings settings;
    EditAligner<V> aligner = {};

    std::array<Index, N> operator()(const Pair<V>& p, const Stop& stop) {
        const EditCounts c = aligner.count(p, settings, stop);
        const std::array<Index, 9> counts = {c.matches,
                                             c.missing,
                                             c.extra,
                                             c.transpositions,
                                             c.distance,
                                             c.substitutions,
                                             c.substitution_parts,
                                             c.te_parts,
                                             static_cast<Index>(settings.kinds) * (p.units - 1)};
        std::array<Index, N> wanted;
        std::copy_n(counts.begin(), N, wanted.begin());
        return wanted;
    }
};

}  // namespace fencepost
