// edit.cpp -- Boundary edit distance, for S and B.
#include "kernels/edit.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"

namespace fencepost {
namespace {

template <class V>
EditSettings settings(const Rows<V>& rows, Index n_t, int matching, const Column<Index>& prices, std::size_t kinds) {
    check_at_least("n_t", n_t, Index{1});
    check_between("matching", matching, 0, static_cast<int>(Matching::windows));
    check_at_least("kinds", kinds, std::size_t{1});
    check_length("prices", prices.shape(0), check_size("prices", kinds, kinds));
    rows.check_kinds(kinds);
    return {n_t, static_cast<Matching>(matching), all(prices), kinds};
}

template <class V, std::size_t N>
void bind_counts(nb::module_& m, const char* name) {
    m.def(
        name,
        [](const Rows<V>& rows, Index n_t, int matching, Column<Index> prices, std::size_t kinds) {
            return count_rows(rows, EditRowCounts<V, N>{settings(rows, n_t, matching, prices, kinds)});
        },
        "rows"_a, "n_t"_a, "matching"_a, "prices"_a.noconvert(), "kinds"_a);
}

template <class V>
void bind(nb::module_& m) {
    bind_counts<V, 9>(m, "s_counts");
    bind_counts<V, 7>(m, "b_counts");
    m.def(
        "edit_list",
        [](const Rows<V>& rows, Index n_t, int matching, Column<Index> prices, std::size_t kinds) {
            const EditSettings s = settings(rows, n_t, matching, prices, kinds);
            std::vector<Index> offsets;
            const auto edits = list_rows<EditRow>(
                rows, offsets, [&s, aligner = EditAligner<V>()](const Pair<V>& p, const Stop& stop, auto& out) mutable {
                    aligner.list(p, s, stop, out);
                });
            return std::tuple(
                to_array(offsets), to_matrix<8>(edits, [](const EditRow& e) {
                    return std::array{
                        static_cast<Index>(e.op), e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.part, e.span, e.together};
                }));
        },
        "rows"_a, "n_t"_a, "matching"_a, "prices"_a.noconvert(), "kinds"_a);
}

// Without kinds nothing is substituted, and there are no prices.
template <std::size_t N>
Single* single_counts(Index n_t, int matching) {
    check_at_least("n_t", n_t, Index{1});
    check_between("matching", matching, 0, static_cast<int>(Matching::windows));
    return single(EditRowCounts<Short, N>{{n_t, static_cast<Matching>(matching), {}, 1}});
}

}  // namespace

void bind_edit(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_s", &single_counts<9>, "n_t"_a, "matching"_a);
    m.def("single_b", &single_counts<7>, "n_t"_a, "matching"_a);
}

}  // namespace fencepost
