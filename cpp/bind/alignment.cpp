// alignment.cpp -- Segment alignment, for A.
#include "kernels/alignment.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"

namespace fencepost {
namespace {

AlignmentSettings settings(int weight, int scoring, bool directed, double threshold, int closeness, int ties, bool global) {
    check_between("weight", weight, 0, static_cast<int>(Weight::given));
    check_between("scoring", scoring, 0, static_cast<int>(Scoring::fan_out));
    check_between("closeness", closeness, 0, static_cast<int>(Weight::given));
    check_between("ties", ties, 0, static_cast<int>(EdgeTies::right));
    return {static_cast<Weight>(weight),    static_cast<Scoring>(scoring), directed, threshold,
            static_cast<Weight>(closeness), static_cast<EdgeTies>(ties),   global,   {}};
}

// What functions say about the overlaps of the only row; empty if no function is used.
template <class V>
std::span<const Given> functions(const AlignmentSettings& s, const Grid<double>& given, const Rows<V>& rows) {
    std::size_t overlaps = 0;
    if (s.weight == Weight::given || s.closeness == Weight::given) {
        check_length("rows", rows.size(), 1);
        SegmentAligner<V>::for_each_overlap(rows[0], Stop(), [&](const Overlap&) { ++overlaps; });
    }
    check_length("given", given.shape(0), overlaps);
    check_length("a row of given", given.shape(1), sizeof(Given) / sizeof(double));
    return {reinterpret_cast<const Given*>(given.data()), overlaps};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "align_counts",
        [](const Rows<V>& rows, int weight, int scoring, bool directed, double threshold, int closeness, int ties,
           bool global, Grid<double> given) {
            AlignmentSettings s = settings(weight, scoring, directed, threshold, closeness, ties, global);
            s.given = functions(s, given, rows);
            return count_rows(rows, AlignmentRowCounts<V>{s});
        },
        "rows"_a, "weight"_a, "scoring"_a, "directed"_a, "threshold"_a, "closeness"_a, "ties"_a, "globally"_a,
        "given"_a.noconvert());
    m.def(
        "align_list",
        [](const Rows<V>& rows, int weight, double threshold, int closeness, int ties, bool global, Grid<double> given) {
            AlignmentSettings s = settings(weight, 0, false, threshold, closeness, ties, global);
            s.given = functions(s, given, rows);
            std::vector<Index> offsets;
            const auto edges = list_rows<EdgeRow>(
                rows, offsets, [&s, aligner = SegmentAligner<V>()](const Pair<V>& p, const Stop& stop, auto& out) mutable {
                    aligner.list(p, s, stop, out);
                });
            std::vector<double> weights(edges.size());
            std::ranges::transform(edges, weights.begin(), &EdgeRow::weight);
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
        "rows"_a, "weight"_a, "threshold"_a, "closeness"_a, "ties"_a, "globally"_a, "given"_a.noconvert());
}

// Functions are not called here: the general way knows them.
Single* single_alignment(int weight, int scoring, bool directed, double threshold, int closeness, int ties, bool global) {
    check_between("weight", weight, 0, static_cast<int>(Weight::intersect));
    check_between("closeness", closeness, 0, static_cast<int>(Weight::intersect));
    return single(AlignmentRowCounts<Short>{settings(weight, scoring, directed, threshold, closeness, ties, global)});
}

}  // namespace

void bind_alignment(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_alignment", &single_alignment, "weight"_a, "scoring"_a, "directed"_a, "threshold"_a, "closeness"_a,
          "ties"_a, "globally"_a);
}

}  // namespace fencepost
