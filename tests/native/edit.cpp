// edit.cpp -- Boundary edit distance beside the rules of the papers, tried out.
#include "kernels/edit.hpp"

#include <map>
#include <numeric>
#include <set>

#include "native.hpp"
#include "pairing.hpp"
#include "targets.hpp"

namespace native {
namespace {

constexpr Index kHalf = Index{1} << 29;  // of a step of te

struct Point {
    Index place;
    Kind kind;
    auto operator<=>(const Point&) const = default;
};

struct Edits {
    std::vector<EditRow> rows;
    EditCounts counts;
};

std::vector<Point> points(const Side& side) {
    std::vector<Point> found;
    for (std::size_t i = 0; i < side.cuts.size(); ++i)
        found.push_back({side.cuts[i], side.kinds.empty() ? Kind{0} : side.kinds[i]});
    return found;
}

// Pairs of places, per kind.
using Pairs = std::vector<std::pair<Index, Index>>;

Pairs optimal(const std::vector<Index>& a, const std::vector<Index>& b, Index n_t) {
    const Pairing found = best_pairing(
        a, b, true, [&](std::size_t) { return n_t; }, [&](std::size_t) { return n_t; },
        [&](std::size_t i, std::size_t j) {
            const Index distance = std::abs(a[i] - b[j]);
            return distance < n_t ? std::optional(distance) : std::nullopt;
        });
    Pairs pairs;
    for (const auto& [i, j] : found.pairs) pairs.emplace_back(a[i], b[j]);
    return pairs;
}

Pairs greedy(std::vector<Index> a, std::vector<Index> b, Index n_t) {
    std::vector<std::array<Index, 4>> near;
    for (const Index x : a)
        for (const Index y : b)
            if (std::abs(x - y) < n_t) near.push_back({std::abs(x - y), std::min(x, y), x, y});
    std::sort(near.begin(), near.end());
    Pairs pairs;
    for (const auto& [distance, left, x, y] : near) {
        const auto i = std::find(a.begin(), a.end(), x), j = std::find(b.begin(), b.end(), y);
        if (i == a.end() || j == b.end()) continue;
        a.erase(i), b.erase(j);
        pairs.emplace_back(x, y);
    }
    return pairs;
}

// Windows of 2 to n_t positions in which the sides differ and mirror each other.
struct Window {
    Index first, last, moved;  // positions at both ends; boundaries that one side alone has
};

std::vector<Window> mirrored(const std::set<Index>& a, const std::set<Index>& b, Index n_t) {
    std::set<Index> one_sided;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(one_sided, one_sided.end()));
    std::vector<Window> found;
    for (const Index first : one_sided)
        for (const Index last : one_sided) {
            if (last <= first || last - first >= n_t) continue;
            bool mirror = true;
            for (Index p = first; p <= last; ++p) mirror = mirror && a.contains(p) == b.contains(first + last - p);
            if (!mirror) continue;
            const Index moved =
                std::count_if(one_sided.begin(), one_sided.end(), [&](Index p) { return first <= p && p <= last; });
            found.push_back({first, last, moved});
        }
    return found;
}

// Of all sets of windows apart: the most boundaries moved, the least te, the fewest, the left-most.
std::vector<Window> chosen_windows(const std::vector<Window>& windows) {
    using Key = std::tuple<Index, Index, Index, std::vector<Index>>;
    const auto key = [](const std::vector<Window>& set) {
        Key made{0, 0, static_cast<Index>(set.size()), {}};
        for (const Window& w : set) {
            std::get<0>(made) -= w.moved;
            std::get<1>(made) += window_te_parts(w.last - w.first, w.moved / 2);
            std::get<3>(made).insert(std::get<3>(made).end(), {w.first, w.last});
        }
        return made;
    };
    // best[p]: of windows that begin behind position p; a map by the windows' ends.
    std::map<Index, std::vector<Window>> best;
    const auto find = [&](auto&& self, Index after) -> const std::vector<Window>& {
        if (const auto known = best.find(after); known != best.end()) return known->second;
        std::vector<Window> least;
        for (const Window& w : windows) {
            if (w.first <= after) continue;
            std::vector<Window> set{w};
            const auto& rest = self(self, w.last);
            set.insert(set.end(), rest.begin(), rest.end());
            if (least.empty() || key(set) < key(least)) least = std::move(set);
        }
        return best[after] = least;
    };
    return find(find, 0);
}

// The cheapest way to pair as many as possible, by trying all.
Index cheapest(const std::vector<Kind>& a, const std::vector<Kind>& b, const EditSettings& s) {
    const bool turned = a.size() > b.size();
    const auto &few = turned ? b : a, &many = turned ? a : b;
    std::vector<std::size_t> order(many.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Index least = std::numeric_limits<Index>::max();
    do {
        Index sum = 0;
        for (std::size_t i = 0; i < few.size(); ++i) {
            const Kind x = turned ? many[order[i]] : few[i], y = turned ? few[i] : many[order[i]];
            sum += s.prices[static_cast<std::size_t>(x) * s.kinds + static_cast<std::size_t>(y)];
        }
        least = std::min(least, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return least;
}

Edits align(const Drawn& d, const EditSettings& s) {
    Edits e;
    EditCounts& c = e.counts;
    std::vector<Point> ref = points(d.ref), hyp = points(d.hyp);
    const std::set<Point> all_ref(ref.begin(), ref.end()), all_hyp(hyp.begin(), hyp.end());
    std::erase_if(ref, [&](const Point& x) { return all_hyp.contains(x); });
    std::erase_if(hyp, [&](const Point& x) { return all_ref.contains(x); });
    const bool typed = d.kinds > 0 && (!d.ref.kinds.empty() || !d.hyp.kinds.empty());
    const auto shown_kind = [&](Kind kind) { return typed ? Index{kind} : Index{-1}; };
    for (const Point& x : all_ref)
        if (all_hyp.contains(x)) {
            ++c.matches;
            e.rows.push_back({Op::match, x.place, x.place, shown_kind(x.kind), shown_kind(x.kind), 0});
        }
    const auto move = [&](Index x, Index y, Kind kind, Index span, Index together) {
        std::erase(ref, Point{x, kind}), std::erase(hyp, Point{y, kind});
        e.rows.push_back({Op::transposition, x, y, shown_kind(kind), shown_kind(kind), 0, span, together});
    };
    for (Kind kind = 0; kind < static_cast<Kind>(s.kinds) && s.n_t > 1; ++kind) {
        std::vector<Index> a, b;
        for (const Point& x : ref)
            if (x.kind == kind) a.push_back(x.place);
        for (const Point& y : hyp)
            if (y.kind == kind) b.push_back(y.place);
        if (s.matching == Matching::windows && s.n_t > 2) {
            std::set<Index> of_ref, of_hyp;
            for (const Point& x : all_ref)
                if (x.kind == kind) of_ref.insert(x.place);
            for (const Point& y : all_hyp)
                if (y.kind == kind) of_hyp.insert(y.place);
            for (const Window& w : chosen_windows(mirrored(of_ref, of_hyp, s.n_t))) {
                const Index span = w.last - w.first, together = w.moved / 2;
                ++c.transpositions, c.distance += span, c.te_parts += window_te_parts(span, together);
                std::erase_if(a, [&](Index x) { return x < w.first; });
                std::erase_if(b, [&](Index y) { return y < w.first; });
                for (std::size_t n = 0; n < static_cast<std::size_t>(together); ++n) move(a[n], b[n], kind, span, together);
            }
            continue;
        }
        for (const auto& [x, y] : s.matching == Matching::greedy ? greedy(a, b, s.n_t) : optimal(a, b, s.n_t)) {
            const Index distance = std::abs(x - y);
            ++c.transpositions, c.distance += distance, c.te_parts += te_parts(distance);
            move(x, y, kind, distance, 1);
        }
    }
    std::map<Index, std::pair<std::vector<Kind>, std::vector<Kind>>> left;
    for (const Point& x : ref) left[x.place].first.push_back(x.kind);
    for (const Point& y : hyp) left[y.place].second.push_back(y.kind);
    c.missing = static_cast<Index>(ref.size()), c.extra = static_cast<Index>(hyp.size());
    for (const auto& [place, kinds] : left) {
        const auto& [a, b] = kinds;
        const auto pairs = static_cast<Index>(std::min(a.size(), b.size()));
        if (!typed || pairs == 0) continue;
        c.substitutions += pairs, c.missing -= pairs, c.extra -= pairs;
        c.substitution_parts += cheapest(a, b, s);
    }
    return e;
}

std::array<Index, 8> numbers(const EditCounts& c) {
    return {c.matches, c.missing, c.extra, c.transpositions, c.distance, c.te_parts, c.substitutions, c.substitution_parts};
}

using Row = std::array<Index, 8>;
Row numbers(const EditRow& e) {
    return {static_cast<Index>(e.op), e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.part, e.span, e.together};
}

// What is before what in a list: the left end, the operation, the right end, the kinds.
std::array<Index, 5> rank(const EditRow& e) {
    const Index left = e.ref == 0 ? e.hyp : e.hyp == 0 ? e.ref : std::min(e.ref, e.hyp);
    return {left, static_cast<Index>(e.op), std::max(e.ref, e.hyp), e.ref_kind, e.hyp_kind};
}

// The list says the same as the counts, has every cut once, and is in order.
void check_list(const Drawn& d, const EditSettings& s, const Edits& expected, const std::vector<EditRow>& rows) {
    std::vector<Row> sure, found;
    EditCounts c;
    std::vector<Point> ref, hyp;
    const bool typed = !d.ref.kinds.empty() || !d.hyp.kinds.empty();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const EditRow& e = rows[i];
        CHECK(i == 0 || rank(rows[i - 1]) < rank(e));
        if (e.ref != 0) ref.push_back({e.ref, static_cast<Kind>(std::max<Index>(0, e.ref_kind))});
        if (e.hyp != 0) hyp.push_back({e.hyp, static_cast<Kind>(std::max<Index>(0, e.hyp_kind))});
        CHECK((e.ref_kind >= 0) == (typed && e.ref != 0) && (e.hyp_kind >= 0) == (typed && e.hyp != 0));
        if (e.op == Op::substitution) {
            CHECK_SAME(e.part,
                       s.prices[static_cast<std::size_t>(e.ref_kind) * s.kinds + static_cast<std::size_t>(e.hyp_kind)]);
            CHECK(e.ref == e.hyp && e.ref_kind != e.hyp_kind);
            ++c.substitutions, c.substitution_parts += e.part;
        }
        c.missing += e.op == Op::missing, c.extra += e.op == Op::extra;
        CHECK(e.op != Op::missing || (e.ref != 0 && e.hyp == 0));
        CHECK(e.op != Op::extra || (e.ref == 0 && e.hyp != 0));
        if (e.op == Op::match || e.op == Op::transposition) found.push_back(numbers(e));
    }
    for (const EditRow& e : expected.rows) sure.push_back(numbers(e));
    std::sort(sure.begin(), sure.end()), std::sort(found.begin(), found.end());
    CHECK_SAME(found.size(), sure.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK_SAME(found[i], sure[i]);
    std::sort(ref.begin(), ref.end()), std::sort(hyp.begin(), hyp.end());
    CHECK(ref == points(d.ref) && hyp == points(d.hyp));
    CHECK_SAME(c.substitutions, expected.counts.substitutions);
    CHECK_SAME(c.substitution_parts, expected.counts.substitution_parts);
    CHECK_SAME(c.missing, expected.counts.missing);
    CHECK_SAME(c.extra, expected.counts.extra);
}

template <class V>
void check(const Drawn& d, const EditSettings& s, const Edits& expected) {
    const TwoSides<V> texts = d.as<V>();
    const Pair<V> p = texts.pair();
    EditAligner<V> aligner;
    std::vector<EditRow> rows{{Op::match, 1, 1, -1, -1, 0}};  // what was there is gone
    for (int again = 0; again < 2; ++again) {                  // scratch memory does not show
        CHECK_SAME(numbers(aligner.count(p, s, {})), numbers(expected.counts));
        CHECK_SAME(numbers(aligner.list(p, s, {}, rows)), numbers(expected.counts));
        check_list(d, s, expected, rows);
    }
    const EditCounts& c = expected.counts;
    CHECK_SAME((EditRowCounts<V, 9>{s}(p, {})),
               (std::array{c.matches, c.missing, c.extra, c.transpositions, c.distance, c.substitutions,
                           c.substitution_parts, c.te_parts, static_cast<Index>(s.kinds) * (d.units - 1)}));
}

}  // namespace

void check_edits(Draws in) {
    Shape shape;
    shape.most_cuts = 28;
    shape.most_kinds = 6;
    const Drawn d = draw_texts(in, shape);
    EditSettings s;
    s.n_t = in.rarely() ? in.number(1, 40) : in.number(1, 6);
    s.matching = static_cast<Matching>(in.number(0, 2));
    s.kinds = std::max<std::size_t>(1, d.kinds);
    std::vector<Index> prices(s.kinds * s.kinds);
    for (Index& price : prices) price = in.number(0, 5);
    s.prices = prices;
    // Windows are tried in all ways, so there may not be too many.
    if (s.matching == Matching::windows && s.n_t > 12) s.n_t = 12;
    const Edits expected = align(d, s);
    check<std::int64_t>(d, s, expected);
    if (d.fits32()) check<std::int32_t>(d, s, expected);
    CHECK_SAME(te_parts(1), 2 * kHalf);
}

}  // namespace native
