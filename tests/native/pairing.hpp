// pairing.hpp -- The cheapest non-crossing pairing of two sorted lists, by the whole table.
#pragma once

#include <optional>

#include "native.hpp"

namespace native {

struct Pairing {
    Index cost = 0, edits = 0;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

// alone_a(i), alone_b(j) and together(i, j) are prices; without a price two points cannot pair. Among
// equal costs the fewest edits win, or the most; then the left-most pairs (by left end, then by right
// end, then the next pair).
template <class AloneA, class AloneB, class Together>
Pairing best_pairing(const std::vector<Index>& a, const std::vector<Index>& b, bool fewest, AloneA alone_a, AloneB alone_b,
                     Together together) {
    const auto order = [&](const Pairing& x) {
        std::vector<Index> ends;
        for (const auto& [i, j] : x.pairs) ends.insert(ends.end(), {std::min(a[i], b[j]), std::max(a[i], b[j])});
        return ends;
    };
    const auto better = [&](const Pairing& x, const Pairing& y) {
        if (x.cost != y.cost) return x.cost < y.cost;
        if (x.edits != y.edits) return fewest ? x.edits < y.edits : x.edits > y.edits;
        return order(x) < order(y);
    };
    std::vector<std::vector<Pairing>> best(a.size() + 1, std::vector<Pairing>(b.size() + 1));
    for (std::size_t i = a.size() + 1; i-- > 0;)
        for (std::size_t j = b.size() + 1; j-- > 0;) {
            std::optional<Pairing> least;
            const auto offer = [&](const Pairing& rest, Index price, bool pair) {
                Pairing one = rest;
                one.cost += price, ++one.edits;
                if (pair) one.pairs.insert(one.pairs.begin(), {i, j});
                if (!least || better(one, *least)) least = std::move(one);
            };
            if (i < a.size()) offer(best[i + 1][j], alone_a(i), false);
            if (j < b.size()) offer(best[i][j + 1], alone_b(j), false);
            if (i < a.size() && j < b.size())
                if (const std::optional<Index> price = together(i, j)) offer(best[i + 1][j + 1], *price, true);
            if (least) best[i][j] = std::move(*least);
        }
    return best[0][0];
}

}  // namespace native
