// boundary.cpp -- Metrics that compare boundaries, or the segments between them, one by one.
#include "kernels/boundary.hpp"

#include "kernels/weighted.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"

namespace fencepost {
namespace {

LineCosts line_costs(Index ref_alone, Index hyp_alone, Index per_unit, Index reach) {
    check_at_least("ref_alone", ref_alone, Index{0});
    check_at_least("hyp_alone", hyp_alone, Index{0});
    check_at_least("per_unit", per_unit, Index{0});
    check_at_least("reach", reach, Index{0});
    return {ref_alone, hyp_alone, per_unit, reach};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "matches_within",
        [](const Rows<V>& rows, Column<Index> tolerance, bool ends) {
            check_length("tolerance", tolerance.shape(0), rows.size());
            check_each_at_least("tolerance", all(tolerance), Index{0});
            return count_rows(rows, MatchCounts<V>{ends}, tolerance);
        },
        "rows"_a, "tolerance"_a.noconvert(), "ends"_a);
    m.def(
        "weighted_matches",
        [](const Rows<V>& rows, Column<Index> tolerance, bool ends) {
            check_length("tolerance", tolerance.shape(0), rows.size());
            check_each_at_least("tolerance", all(tolerance), Index{0});
            return count_rows(rows, WeightedMatches<V>{ends}, tolerance);
        },
        "rows"_a, "tolerance"_a.noconvert(), "ends"_a);
    m.def(
        "weighted_b_counts",
        [](const Rows<V>& rows, Index n_t) {
            check_at_least("n_t", n_t, Index{1});
            return count_rows(rows, WeightedEdits<V>{n_t});
        },
        "rows"_a, "n_t"_a);
    m.def(
        "sections",
        [](const Rows<V>& rows, Column<Index> tolerance) {
            check_length("tolerance", tolerance.shape(0), rows.size());
            check_each_at_least("tolerance", all(tolerance), Index{0});
            return count_rows(rows, SectionCounts<V>{}, tolerance);
        },
        "rows"_a, "tolerance"_a.noconvert());
    m.def("boundary_agreement", [](const Rows<V>& rows) { return count_rows(rows, AgreementCounts<V>{}); }, "rows"_a);
    m.def(
        "hamming",
        [](const Rows<V>& rows, Index ref_alone, Index hyp_alone, Index per_unit, Index reach) {
            return count_rows(rows, HammingCounts<V>{line_costs(ref_alone, hyp_alone, per_unit, reach)});
        },
        "rows"_a, "ref_alone"_a, "hyp_alone"_a, "per_unit"_a, "reach"_a);
    m.def("covering", [](const Rows<V>& rows) { return count_rows(rows, CoveringCounts<V>{}); }, "rows"_a);
}

// A tolerance in units if the denominator is 0, else a share of the mean reference segment. The
// bounds keep the products of a short text within 64 bits.
Tolerance tolerance_of(Index numerator, Index denominator) {
    check_between("numerator", numerator, Index{0}, Index{1} << (denominator == 0 ? 40 : 20));
    check_between("denominator", denominator, Index{0}, Index{1} << 40);
    return {numerator, denominator};
}

Single* single_matches(Index numerator, Index denominator, bool ends) {
    return single(MatchCounts<Short>{ends}, tolerance_of(numerator, denominator));
}

Single* single_sections(Index numerator, Index denominator) {
    return single(SectionCounts<Short>{}, tolerance_of(numerator, denominator));
}

Single* single_hamming(Index ref_alone, Index hyp_alone, Index per_unit, Index reach) {
    return single(HammingCounts<Short>{line_costs(ref_alone, hyp_alone, per_unit, reach)});
}

}  // namespace

void bind_boundary(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_matches", &single_matches, "numerator"_a, "denominator"_a, "ends"_a);
    m.def("single_sections", &single_sections, "numerator"_a, "denominator"_a);
    m.def("single_agreement", [] { return single(AgreementCounts<Short>{}); });
    m.def("single_hamming", &single_hamming, "ref_alone"_a, "hyp_alone"_a, "per_unit"_a, "reach"_a);
    m.def("single_covering", [] { return single(CoveringCounts<Short>{}); });
}

}  // namespace fencepost
