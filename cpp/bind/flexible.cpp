// flexible.cpp -- Flexible segmentation similarity, for S_f.
#include "kernels/flexible.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"

namespace fencepost {
namespace {

FlexiblePrices prices(const Column<Index>& deletion, const Column<Index>& insertion, const Column<Index>& substitution,
                      const Column<Index>& moving, Index reach) {
    const std::size_t kinds = deletion.shape(0);
    check_at_least("the length of deletion", kinds, std::size_t{1});
    check_length("insertion", insertion.shape(0), kinds);
    check_length("substitution", substitution.shape(0), kinds * kinds);
    check_length("moving", moving.shape(0), kinds * kinds);
    check_at_least("reach", reach, Index{0});
    return {all(deletion), all(insertion), all(substitution), all(moving), kinds, reach};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "flexible_counts",
        [](const Rows<V>& rows, Column<Index> deletion, Column<Index> insertion, Column<Index> substitution,
           Column<Index> moving, Index reach) {
            rows.check_kinds(deletion.shape(0));
            return count_rows(rows, FlexibleRowCounts<V>{prices(deletion, insertion, substitution, moving, reach)});
        },
        "rows"_a, "deletion"_a.noconvert(), "insertion"_a.noconvert(), "substitution"_a.noconvert(), "moving"_a.noconvert(),
        "reach"_a);
    m.def(
        "flexible_list",
        [](const Rows<V>& rows, Column<Index> deletion, Column<Index> insertion, Column<Index> substitution,
           Column<Index> moving, Index reach) {
            rows.check_kinds(deletion.shape(0));
            const FlexiblePrices s = prices(deletion, insertion, substitution, moving, reach);
            std::vector<Index> offsets;
            const auto steps = list_rows<StepRow>(
                rows, offsets, [&s, aligner = FlexibleAligner<V>()](const Pair<V>& p, const Stop& stop, auto& out) mutable {
                    aligner.list(p, s, stop, out);
                });
            return std::tuple(to_array(offsets), to_matrix<6>(steps, [](const StepRow& e) {
                                  return std::array{
                                      static_cast<Index>(e.step), e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.cost};
                              }));
        },
        "rows"_a, "deletion"_a.noconvert(), "insertion"_a.noconvert(), "substitution"_a.noconvert(), "moving"_a.noconvert(),
        "reach"_a);
}

Single* single_flexible(Index deletion, Index insertion, Index substitution, Index moving, Index reach) {
    check_at_least("reach", reach, Index{0});
    return single(UntypedFlexibleCounts<Short>{{deletion, insertion, substitution, moving}, reach});
}

}  // namespace

void bind_flexible(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_flexible", &single_flexible, "deletion"_a, "insertion"_a, "substitution"_a, "moving"_a, "reach"_a);
}

}  // namespace fencepost
