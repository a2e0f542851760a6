// edit.cpp -- Boundary edit distance, for S and B.
#include "kernels/edit.hpp"

#include "bind/bind.hpp"

namespace fencepost {
namespace {

template <class V>
EditSettings settings(const Rows<V>& rows, Index n_t, bool greedy, const Column<Index>& prices, std::size_t kinds) {
    check_at_least("n_t", n_t, Index{1});
    check_at_least("kinds", kinds, std::size_t{1});
    check_length("prices", prices.shape(0), check_size("prices", kinds, kinds));
    rows.check_kinds(kinds);
    return {n_t, greedy, all(prices), kinds};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "edit_counts",
        [](const Rows<V>& rows, Index n_t, bool greedy, Column<Index> prices, std::size_t kinds) {
            return count_rows(rows, EditRowCounts<V>{settings(rows, n_t, greedy, prices, kinds)});
        },
        "rows"_a, "n_t"_a, "greedy"_a, "prices"_a.noconvert(), "kinds"_a);
    m.def(
        "edit_list",
        [](const Rows<V>& rows, Index n_t, bool greedy, Column<Index> prices, std::size_t kinds) {
            const EditSettings s = settings(rows, n_t, greedy, prices, kinds);
            std::vector<Index> offsets;
            const auto edits = list_rows<EditRow>(
                rows, offsets, [&s, aligner = EditAligner<V>()](const Pair<V>& p, const Stop& stop, auto& out) mutable {
                    aligner.list(p, s, stop, out);
                });
            return std::tuple(to_array(offsets), to_matrix<6>(edits, [](const EditRow& e) {
                                  return std::array{static_cast<Index>(e.op), e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.part};
                              }));
        },
        "rows"_a, "n_t"_a, "greedy"_a, "prices"_a.noconvert(), "kinds"_a);
}

}  // namespace

void bind_edit(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
}

}  // namespace fencepost
