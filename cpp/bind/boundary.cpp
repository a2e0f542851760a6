// boundary.cpp -- Metrics that compare boundaries, or the segments between them, one by one.
#include "kernels/boundary.hpp"

#include "bind/bind.hpp"

namespace fencepost {
namespace {

template <class V>
void bind(nb::module_& m) {
    m.def(
        "matches_within",
        [](const Rows<V>& rows, Column<Index> tolerance) {
            check_length("tolerance", tolerance.shape(0), rows.size());
            check_each_at_least("tolerance", all(tolerance), Index{0});
            return count_rows(rows, MatchCounts<V>{}, tolerance);
        },
        "rows"_a, "tolerance"_a.noconvert());
    m.def(
        "hamming",
        [](const Rows<V>& rows, Index ref_alone, Index hyp_alone, Index per_unit, Index reach) {
            check_at_least("ref_alone", ref_alone, Index{0});
            check_at_least("hyp_alone", hyp_alone, Index{0});
            check_at_least("per_unit", per_unit, Index{0});
            check_at_least("reach", reach, Index{0});
            return count_rows(rows, HammingCounts<V>{{ref_alone, hyp_alone, per_unit, reach}});
        },
        "rows"_a, "ref_alone"_a, "hyp_alone"_a, "per_unit"_a, "reach"_a);
    m.def("covered_units", [](const Rows<V>& rows) { return count_rows(rows, CoveringCounts<V>{}); }, "rows"_a);
}

}  // namespace

void bind_boundary(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
}

}  // namespace fencepost
