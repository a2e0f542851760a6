// alignment.cpp -- A beside every segment compared with every other, in whole numbers.
#include "kernels/alignment.hpp"

#include <map>
#include <set>

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

struct Fraction {
    __int128 top = 0, bottom = 1;
    double value() const { return static_cast<double>(top) / static_cast<double>(bottom); }
    friend bool operator<(const Fraction& x, const Fraction& y) { return x.top * y.bottom < y.top * x.bottom; }
    friend bool operator==(const Fraction& x, const Fraction& y) { return x.top * y.bottom == y.top * x.bottom; }
};

struct Segment {
    Index start, end;
    Index size() const { return end - start; }
};

std::vector<Segment> segments(const std::vector<Index>& cuts, Index units) {
    std::vector<Segment> found;
    Index start = 0;
    for (const Index cut : cuts) found.push_back({start, cut}), start = cut;
    found.push_back({start, units});
    return found;
}

Index overlap(const Segment& p, const Segment& q) {
    return std::max<Index>(0, std::min(p.end, q.end) - std::max(p.start, q.start));
}

// How alike p is to q.
Fraction alike(Weight how, const Segment& p, const Segment& q) {
    const Index c = overlap(p, q), x = p.size(), y = q.size(), all = x + y - c;
    switch (how) {
        case Weight::jaccard: return {c, all};
        case Weight::dice: return {2 * c, x + y};
        case Weight::overlap: return {c, std::min(x, y)};
        case Weight::intersect: return {c, x};
        default: break;
    }
    // Pairs of units in p or q that one tells apart (it holds one of them) and the other does not: one
    // unit in both, one in only one of them.
    const Index pairs = all * (all - 1) / 2, differ = c * (all - c);
    return pairs == 0 ? Fraction{1, 1} : Fraction{pairs - differ, pairs};
}

using Edge = std::pair<std::size_t, std::size_t>;

struct Sides {
    std::vector<Segment> ref, hyp;
    std::vector<Edge> overlaps;
};

std::size_t closest(const Segment& p, const std::vector<Segment>& others, const AlignmentSettings& s) {
    std::size_t best = others.size();
    for (std::size_t n = 0; n < others.size(); ++n) {
        if (overlap(p, others[n]) == 0) continue;
        if (best == others.size()) {
            best = n;
            continue;
        }
        const Fraction x = alike(s.closeness, p, others[n]), y = alike(s.closeness, p, others[best]);
        const Fraction jx = alike(Weight::jaccard, p, others[n]), jy = alike(Weight::jaccard, p, others[best]);
        const bool by_jaccard = s.ties == EdgeTies::jaccard || s.ties == EdgeTies::jaccard_right;
        const bool right = s.ties == EdgeTies::jaccard_right || s.ties == EdgeTies::right;
        if (y < x || (x == y && ((by_jaccard && jy < jx) || ((!by_jaccard || jx == jy) && right)))) best = n;
    }
    return best;
}

double weigh(const AlignmentSettings& s, const Segment& p, const Segment& q) {
    const double weight = alike(s.weight, p, q).value();
    return weight < s.threshold ? 0 : weight;
}

// Every set of overlaps in which every segment has an edge: the largest mean weight, then the fewest
// edges, then the left-most.
std::vector<Edge> best_cover(const Sides& sides, const AlignmentSettings& s) {
    std::vector<Edge> best;
    double most = -1;
    const std::size_t n = sides.overlaps.size();
    for (std::uint32_t set = 1; set < 1u << n; ++set) {
        std::vector<Edge> edges;
        std::set<std::size_t> refs, hyps;
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (!(set >> i & 1)) continue;
            const auto [r, h] = sides.overlaps[i];
            edges.push_back(sides.overlaps[i]), refs.insert(r), hyps.insert(h);
            sum += weigh(s, sides.ref[r], sides.hyp[h]);
        }
        if (refs.size() < sides.ref.size() || hyps.size() < sides.hyp.size()) continue;
        const double mean = sum / static_cast<double>(edges.size());
        const bool tie = std::abs(mean - most) < 1e-10;
        const bool first = edges.size() < best.size() || (edges.size() == best.size() && edges < best);
        if ((!tie && mean > most) || (tie && first)) best = edges, most = tie ? most : mean;
    }
    return best;
}

std::vector<Edge> edges_of(const Sides& sides, const AlignmentSettings& s) {
    if (s.global) return best_cover(sides, s);
    std::set<Edge> edges;
    for (std::size_t r = 0; r < sides.ref.size(); ++r) edges.emplace(r, closest(sides.ref[r], sides.hyp, s));
    for (std::size_t h = 0; h < sides.hyp.size(); ++h) edges.emplace(closest(sides.hyp[h], sides.ref, s), h);
    return {edges.begin(), edges.end()};
}

struct Degrees {
    std::map<std::size_t, int> ref, hyp;
    explicit Degrees(const std::vector<Edge>& edges) {
        for (const auto& [r, h] : edges) ++ref[r], ++hyp[h];
    }
};

std::pair<double, double> score(const Sides& sides, const AlignmentSettings& s) {
    double sum = 0, divisor = 0;
    if (s.directed && s.scoring == Scoring::mean && !s.global) {
        for (const Segment& p : sides.ref) sum += weigh(s, p, sides.hyp[closest(p, sides.hyp, s)]);
        for (const Segment& q : sides.hyp) sum += weigh(s, q, sides.ref[closest(q, sides.ref, s)]);
        return {sum, static_cast<double>(sides.ref.size() + sides.hyp.size())};
    }
    const std::vector<Edge> edges = edges_of(sides, s);
    Degrees degrees(edges);
    std::map<std::size_t, double> ref_best, hyp_best;
    for (const auto& [r, h] : edges) {
        const double weight = weigh(s, sides.ref[r], sides.hyp[h]);
        ref_best[r] = std::max(ref_best[r], weight), hyp_best[h] = std::max(hyp_best[h], weight);
        sum += weight;
        divisor += s.scoring == Scoring::fan_out ? std::exp2(std::max(degrees.ref[r], degrees.hyp[h]) - 1) : 1;
    }
    if (s.scoring != Scoring::best) return {sum, divisor};
    sum = 0;
    for (const auto* side : {&ref_best, &hyp_best})
        for (const auto& [number, weight] : *side) sum += weight;
    return {sum, static_cast<double>(sides.ref.size() + sides.hyp.size())};
}

// What an edge is, from everything that it hangs together with.
Label label_of(const Edge& edge, const std::vector<Edge>& edges, const Sides& sides) {
    std::set<Edge> together{edge};
    for (std::size_t before = 0; before < together.size();) {
        before = together.size();
        for (const Edge& one : edges)
            if (std::any_of(together.begin(), together.end(),
                            [&](const Edge& e) { return e.first == one.first || e.second == one.second; }))
                together.insert(one);
    }
    std::set<std::size_t> refs, hyps;
    for (const auto& [r, h] : together) refs.insert(r), hyps.insert(h);
    if (refs.size() == 1 && hyps.size() == 1) {
        const Segment &p = sides.ref[edge.first], &q = sides.hyp[edge.second];
        return p.start == q.start && p.end == q.end ? Label::match : Label::shift;
    }
    return refs.size() == 1 ? Label::split : hyps.size() == 1 ? Label::merge : Label::mixed;
}

template <class V>
void check(const Drawn& d, const Sides& sides, const AlignmentSettings& s) {
    const TwoSides<V> texts = d.as<V>();
    AlignmentRowCounts<V> counts{s};
    const auto [weight, divisor] = score(sides, s);
    for (int again = 0; again < 2; ++again) {
        const auto [found, edges] = counts(texts.pair(), {});
        CHECK_NEAR(found, weight);
        CHECK_NEAR(edges, divisor);
    }
    if (s.directed || s.scoring != Scoring::mean) return;
    SegmentAligner<V> aligner;
    std::vector<EdgeRow> rows;
    aligner.list(texts.pair(), s, {}, rows);
    const std::vector<Edge> edges = edges_of(sides, s);
    CHECK_SAME(rows.size(), edges.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Segment &p = sides.ref[edges[i].first], &q = sides.hyp[edges[i].second];
        const EdgeRow& e = rows[i];
        CHECK_SAME((std::array{e.ref, e.hyp, e.ref_start, e.ref_end, e.hyp_start, e.hyp_end}),
                   (std::array{static_cast<Index>(edges[i].first), static_cast<Index>(edges[i].second), p.start, p.end,
                               q.start, q.end}));
        CHECK_SAME(e.label, label_of(edges[i], edges, sides));
        CHECK_NEAR(e.weight, weigh(s, p, q));
    }
}

}  // namespace

void check_alignment(Draws in) {
    AlignmentSettings s;
    s.weight = static_cast<Weight>(in.number(0, 4));
    s.scoring = static_cast<Scoring>(in.number(0, 2));
    s.ties = static_cast<EdgeTies>(in.number(0, 3));
    s.closeness = in.coin() ? Weight::intersect : static_cast<Weight>(in.number(0, 4));
    s.global = in.rarely();
    s.directed = in.coin() || s.weight == Weight::intersect;
    if (s.directed) s.global = false, s.scoring = Scoring::mean;  // as the edge has it
    static constexpr double thresholds[] = {0, 0, 0, 0.5, 0.75, 1.0 / 3, 5e-324};
    s.threshold = in.any_of(thresholds);
    Shape shape;
    shape.most_cuts = s.global ? 4 : 24;
    // Pairs of units of two segments are counted exactly in a double.
    shape.most_units = s.weight == Weight::rand || s.closeness == Weight::rand ? 3000 : Index{1} << 40;
    const Drawn d = draw_texts(in, shape);
    Sides sides{segments(d.ref.cuts, d.units), segments(d.hyp.cuts, d.units), {}};
    for (std::size_t r = 0; r < sides.ref.size(); ++r)
        for (std::size_t h = 0; h < sides.hyp.size(); ++h)
            if (overlap(sides.ref[r], sides.hyp[h]) > 0) sides.overlaps.emplace_back(r, h);
    check<std::int64_t>(d, sides, s);
    if (d.fits32()) check<std::int32_t>(d, sides, s);
}

}  // namespace native
