// alignment.cpp -- Segment alignment, for A.
#include "kernels/alignment.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"

namespace fencepost {
namespace {

AlignmentSettings settings(int weight, int scoring, bool directed, double threshold) {
    check_between("weight", weight, 0, static_cast<int>(Weight::intersect));
    check_between("scoring", scoring, 0, static_cast<int>(Scoring::fan_out));
    return {static_cast<Weight>(weight), static_cast<Scoring>(scoring), directed, threshold};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "align_counts",
        [](const Rows<V>& rows, int weight, int scoring, bool directed, double threshold) {
            return count_rows(rows, AlignmentRowCounts<V>{settings(weight, scoring, directed, threshold)});
        },
        "rows"_a, "weight"_a, "scoring"_a, "directed"_a, "threshold"_a);
    m.def(
        "align_list",
        [](const Rows<V>& rows, int weight, double threshold) {
            const AlignmentSettings s = settings(weight, 0, false, threshold);
            std::vector<Index> offsets;
            const auto edges = list_rows<EdgeRow>(
                rows, offsets, [&s, aligner = SegmentAligner<V>()](const Pair<V>& p, const Stop& stop, auto& out) mutable {
                    aligner.list(p, s, stop, out);
                });
            std::vector<double> weights;
            for (const EdgeRow& e : edges) weights.push_back(e.weight);
            return std::tuple(
                to_array(offsets),
                to_matrix<7>(
                    edges,
                    [](const EdgeRow& e) {
                        return std::array{
                            e.ref, e.hyp, e.ref_start, e.ref_end, e.hyp_start, e.hyp_end, static_cast<Index>(e.label)};
                    }),
                to_array(weights));
        },
        "rows"_a, "weight"_a, "threshold"_a);
}

Single* single_alignment(int weight, int scoring, bool directed, double threshold) {
    return single(AlignmentRowCounts<Short>{settings(weight, scoring, directed, threshold)});
}

}  // namespace

void bind_alignment(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_alignment", &single_alignment, "weight"_a, "scoring"_a, "directed"_a, "threshold"_a);
}

}  // namespace fencepost
