// boundary.cpp -- Metrics of single cuts and of segments beside their definitions.
#include "kernels/boundary.hpp"

#include "kernels/shifts.hpp"
#include "native.hpp"
#include "pairing.hpp"
#include "targets.hpp"

namespace native {
namespace {

// The largest matching by augmenting paths.
Index most_pairs(const Drawn& d, Index tolerance) {
    const auto &ref = d.ref.cuts, &hyp = d.hyp.cuts;
    std::vector<std::size_t> partner(hyp.size(), ref.size());
    Index pairs = 0;
    for (std::size_t r = 0; r < ref.size(); ++r) {
        std::vector<bool> tried(hyp.size(), false);
        const auto find = [&](auto&& self, std::size_t own) -> bool {
            for (std::size_t h = 0; h < hyp.size(); ++h) {
                if (tried[h] || std::abs(ref[own] - hyp[h]) > tolerance) continue;
                tried[h] = true;
                if (partner[h] != ref.size() && !self(self, partner[h])) continue;
                partner[h] = own;
                return true;
            }
            return false;
        };
        pairs += find(find, r);
    }
    return pairs;
}

Index common(const Drawn& d) {
    return std::count_if(d.ref.cuts.begin(), d.ref.cuts.end(),
                         [&](Index cut) { return std::binary_search(d.hyp.cuts.begin(), d.hyp.cuts.end(), cut); });
}

// Starts and ends of segments.
std::vector<std::pair<Index, Index>> segments(const std::vector<Index>& cuts, Index units) {
    std::vector<std::pair<Index, Index>> found;
    Index start = 0;
    for (const Index cut : cuts) found.emplace_back(start, cut), start = cut;
    found.emplace_back(start, units);
    return found;
}

double covered(const Drawn& d) {
    double sum = 0;
    for (const auto& [a, b] : segments(d.ref.cuts, d.units)) {
        double best = 0;
        for (const auto& [c, e] : segments(d.hyp.cuts, d.units)) {
            const Index both = std::max<Index>(0, std::min(b, e) - std::max(a, c)), either = b - a + e - c - both;
            best = std::max(best, static_cast<double>(both) / static_cast<double>(either));
        }
        sum += best * static_cast<double>(b - a);
    }
    return sum;
}

std::array<Index, 3> sections(const Drawn& d, Index tolerance) {
    const auto all = segments(d.ref.cuts, d.units);
    const auto any = [&](Index low, Index high) {
        return std::any_of(d.hyp.cuts.begin(), d.hyp.cuts.end(), [&](Index cut) { return low <= cut && cut <= high; });
    };
    const auto missed = [&](Index end) { return end != 0 && end != d.units && !any(end - tolerance, end + tolerance); };
    Index cut = 0, joined = 0;
    for (const auto& [start, end] : all) {
        cut += any(start + tolerance + 1, end - tolerance - 1);
        joined += missed(start) || missed(end);
    }
    return {cut, joined, static_cast<Index>(all.size())};
}

Index hamming(const Drawn& d, LineCosts costs) {
    return best_pairing(
               d.ref.cuts, d.hyp.cuts, true, [&](std::size_t) { return costs.ref; }, [&](std::size_t) { return costs.hyp; },
               [&](std::size_t i, std::size_t j) {
                   return std::optional(costs.per_unit * std::abs(d.ref.cuts[i] - d.hyp.cuts[j]));
               })
        .cost;
}

template <class V>
void check(const Drawn& d, Index tolerance, LineCosts costs) {
    const TwoSides<V> texts = d.as<V>();
    const Pair<V> p = texts.pair();
    const Stop stop;
    const auto n = static_cast<Index>(d.ref.cuts.size()), m = static_cast<Index>(d.hyp.cuts.size());
    const Index tp = most_pairs(d, tolerance), same = common(d);
    CHECK_SAME((MatchCounts<V>{false}(p, stop, tolerance)), (std::array{tp, m - tp, n - tp}));
    CHECK_SAME((MatchCounts<V>{true}(p, stop, tolerance)), (std::array{tp + 1, m - tp, n - tp}));
    CHECK_SAME(AgreementCounts<V>{}(p, stop), (std::array{d.units - 1 - (n + m - 2 * same), d.units - 1}));
    CHECK_SAME(SectionCounts<V>{}(p, stop, tolerance), sections(d, tolerance));
    const auto [found, units] = CoveringCounts<V>{}(p, stop);
    CHECK_NEAR(found, covered(d));
    CHECK(units == static_cast<double>(d.units));
    CHECK(!(d.ref.cuts == d.hyp.cuts) || found == units);
    HammingCounts<V> counts{costs};
    CHECK_SAME(counts(p, stop), (std::array{hamming(d, costs), Index{1}}));
}

// The table as NLTK fills it, all of it kept.
double shifts(const std::vector<Index>& ref, const std::vector<Index>& hyp, const ShiftCosts& costs) {
    std::vector<std::vector<double>> table(hyp.size() + 1, std::vector<double>(ref.size() + 1));
    for (std::size_t j = 0; j <= ref.size(); ++j) table[0][j] = costs.insert * static_cast<double>(j);
    for (std::size_t i = 1; i <= hyp.size(); ++i) {
        table[i][0] = costs.remove * static_cast<double>(i);
        for (std::size_t j = 1; j <= ref.size(); ++j) {
            const Index h = hyp[i - 1], r = ref[j - 1];
            const double shift = costs.shift * static_cast<double>(std::abs(h - r)) + table[i - 1][j - 1];
            const double other = h == r  ? table[i - 1][j - 1]
                                 : h > r ? costs.remove + table[i - 1][j]
                                         : costs.insert + table[i][j - 1];
            table[i][j] = std::min(shift, other);
        }
    }
    return table.back().back();
}

}  // namespace

void check_boundaries(Draws in) {
    Shape shape;
    shape.most_cuts = 24;
    const Drawn d = draw_texts(in, shape);
    const Index tolerance = in.rarely() ? in.number(0, d.units) : in.number(0, 8);
    LineCosts costs{in.number(0, 20), in.number(0, 20), in.number(0, 4), 0};
    // As the edge finds it: further apart a pair costs no less than two cuts left alone.
    costs.reach = costs.per_unit == 0 ? Index{1} << 41 : (costs.ref + costs.hyp) / costs.per_unit;
    check<std::int64_t>(d, tolerance, costs);
    if (d.fits32()) check<std::int32_t>(d, tolerance, costs);

    const ShiftCosts prices{static_cast<double>(in.number(0, 30)) / 7, static_cast<double>(in.number(0, 30)) / 3,
                            static_cast<double>(in.number(0, 9)) / 11};
    CHECK(shift_distance(d.ref.cuts, d.hyp.cuts, prices, {}) == shifts(d.ref.cuts, d.hyp.cuts, prices));

    const Index numerator = in.number(0, 1000), denominator = in.number(1, 1000);
    const TwoSides<Index> texts = d.as<Index>();
    CHECK_SAME((Tolerance{numerator, 0}(texts.pair())), numerator);
    const Index share = Tolerance{numerator, denominator}(texts.pair());
    const auto segments = static_cast<Index>(d.ref.cuts.size()) + 1;
    const auto scaled = static_cast<__int128>(segments) * denominator;
    CHECK(share * scaled <= static_cast<__int128>(d.units) * numerator);
    CHECK((share + 1) * scaled > static_cast<__int128>(d.units) * numerator);
}

}  // namespace native
