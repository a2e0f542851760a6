// hierarchy.cpp -- The T-measure and the L-measure, and WindowDiff over levels for one pair.
#include "kernels/hierarchy.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"

namespace fencepost {
namespace {

RankingSettings settings(Index levels, bool transitive, Index window) {
    check_at_least("levels", levels, Index{1});
    check_at_least("window", window, Index{0});
    return {static_cast<std::size_t>(levels), transitive, window};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "ranking_counts",
        [](const Rows<V>& rows, Index levels, bool transitive, Index window) {
            const RankingSettings s = settings(levels, transitive, window);
            rows.check_kinds(s.levels);
            return count_rows(rows, RankingCounts<V>(s));
        },
        "rows"_a, "levels"_a, "transitive"_a, "window"_a);
}

// Plain texts have one level.
Single* single_ranking(bool transitive, Index window) {
    return single(RankingCounts<Short>(settings(1, transitive, window)));
}

}  // namespace

void bind_hierarchy(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_ranking", &single_ranking, "transitive"_a, "window"_a);
}

}  // namespace fencepost
