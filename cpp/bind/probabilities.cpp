// probabilities.cpp -- Scores of probabilities.
#include "kernels/probabilities.hpp"

#include "bind/bind.hpp"
#include "bind/single.hpp"
#include "bind/windows.hpp"
#include "kernels/boundary.hpp"

namespace fencepost {
namespace {

template <class V>
Matrix<double> bin_counts(const Rows<V>& rows, std::size_t bins) {
    check_between("bins", bins, std::size_t{1}, std::size_t{1} << 20);
    const std::size_t width = 3 * bins;
    nb::capsule owner;
    double* out = owned<double>(check_size("the bins", rows.size(), width), owner);
    run(rows.size(), rows.work() + rows.size() * bins,
        [&, out](std::size_t row, const Stop& stop) { count_bins(rows[row], stop, bins, out + row * width); });
    return Matrix<double>(out, {rows.size(), width}, owner);
}

template <class V>
ExpectedBCounts<V> expected_b(Index n_t, int matching, Index draws, std::uint64_t seed) {
    check_at_least("n_t", n_t, Index{1});
    check_between("matching", matching, 0, static_cast<int>(Matching::windows));
    check_at_least("draws", draws, Index{1});
    return {{n_t, static_cast<Matching>(matching), {}, 1}, draws, seed};
}

template <class V>
void bind(nb::module_& m) {
    m.def(
        "rank_counts",
        [](const Rows<V>& rows, Column<Index> tolerance, bool lines) {
            check_length("tolerance", tolerance.shape(0), rows.size());
            check_each_at_least("tolerance", all(tolerance), Index{0});
            return count_rows(rows, RankCounts<V>{lines}, tolerance);
        },
        "rows"_a, "tolerance"_a.noconvert(), "lines"_a);
    m.def("brier_counts", [](const Rows<V>& rows) { return count_rows(rows, BrierCounts<V>{}); }, "rows"_a);
    m.def("bin_counts", &bin_counts<V>, "rows"_a, "bins"_a);
    m.def(
        "expected_windows",
        [](const Rows<V>& rows, Column<Index> k, nb::str pad, bool by_presence) {
            return count_windows(rows, ExpectedWindowCounts<V>{padding(pad), by_presence}, k);
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a, "by_presence"_a);
    m.def(
        "expected_b",
        [](const Rows<V>& rows, Index n_t, int matching, Index draws, std::uint64_t seed) {
            return count_rows(rows, expected_b<V>(n_t, matching, draws, seed));
        },
        "rows"_a, "n_t"_a, "matching"_a, "draws"_a, "seed"_a);
}

// One pair of plain texts, in which every cut is certain.

Single* single_rank(Index numerator, Index denominator, bool lines) {
    check_at_least("numerator", numerator, Index{0});
    check_at_least("denominator", denominator, Index{0});
    return single(RankCounts<Short>{lines}, Tolerance{numerator, denominator});
}

Single* single_expected_windows(const std::string& rule, Index k, bool in_units, nb::str pad, bool by_presence) {
    return single(ExpectedWindowCounts<Short>{padding(pad), by_presence}, width(rule, k, in_units));
}

class SingleBins final : public Single {
public:
    explicit SingleBins(std::size_t bins) : counts_(3 * bins) {}

private:
    nb::object count(const Pair<Short>& p) override {
        count_bins(p, stop_, counts_.size() / 3, counts_.data());
        nb::list made;
        for (const double one : counts_) made.append(one);
        return nb::tuple(made);
    }

    std::unique_ptr<Single> copy() const override { return std::make_unique<SingleBins>(counts_.size() / 3); }

    std::vector<double> counts_;
    Stop stop_;
};

}  // namespace

void bind_probabilities(nb::module_& m) {
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
    m.def("single_rank", &single_rank, "numerator"_a, "denominator"_a, "lines"_a);
    m.def("single_brier", [] { return single(BrierCounts<Short>{}); });
    m.def(
        "single_bins",
        [](std::size_t bins) -> Single* {
            check_between("bins", bins, std::size_t{1}, std::size_t{1} << 20);
            return new SingleBins(bins);
        },
        "bins"_a);
    m.def("single_expected_windows", &single_expected_windows, "rule"_a, "k"_a, "in_units"_a, "pad"_a, "by_presence"_a);
    m.def(
        "single_expected_b",
        [](Index n_t, int matching, Index draws, std::uint64_t seed) {
            return single(expected_b<Short>(n_t, matching, draws, seed));
        },
        "n_t"_a, "matching"_a, "draws"_a, "seed"_a);
}

}  // namespace fencepost
