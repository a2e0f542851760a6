// sweep.cpp -- Counts of the metrics at every threshold.
#include "kernels/sweep.hpp"

#include "bind/bind.hpp"
#include "bind/windows.hpp"
#include "kernels/sums.hpp"

namespace fencepost {
namespace {

// The cuts of each row by falling probability, as indexes within the row.
Array<Index> falling_order(Column<double> weights, Column<Index> offsets) {
    const std::size_t rows = count_rows_of("offsets", all(offsets));
    check_offsets("offsets", all(offsets), rows, weights.shape(0));
    check_rows("offsets", all(offsets));
    nb::capsule owner;
    Index* out = owned<Index>(weights.shape(0), owner);
    const double* from = weights.data();
    const Index* bounds = offsets.data();
    run(rows, weights.shape(0) + rows, [=, sorter = FallingOrder{}](std::size_t row, const Stop& stop) mutable {
        stop.check();
        const auto first = static_cast<std::size_t>(bounds[row]), last = static_cast<std::size_t>(bounds[row + 1]);
        sorter.sort({from + first, last - first}, out + first, stop);
    });
    return Array<Index>(out, {weights.shape(0)}, owner);
}

// One row of counts for each step of each text.
template <class V, class Sweep>
Matrix<Index> sweep_rows(const Rows<V>& rows, const Column<Index>& hyp_offsets, const Column<Index>& order,
                         const Column<Index>& step_offsets, const Column<Index>& ends, const Column<Index>& settings,
                         Sweep sweep) {
    check_offsets("hyp_offsets", all(hyp_offsets), rows.size(), order.shape(0));
    check_rows("hyp_offsets", all(hyp_offsets));
    check_offsets("step_offsets", all(step_offsets), rows.size(), ends.shape(0));
    check_rows("step_offsets", all(step_offsets), 1);
    check_length("settings", settings.shape(0), rows.size());
    check_each_at_least("settings", all(settings), Index{0});
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const Index cuts = hyp_offsets.data()[row + 1] - hyp_offsets.data()[row];
        check_length("the order of a row", static_cast<std::size_t>(cuts), rows[row].hyp.size());
        Index before = 0;
        for (Index at = step_offsets.data()[row]; at < step_offsets.data()[row + 1]; ++at) {
            check_between("ends of steps", ends.data()[at], before, cuts);
            before = ends.data()[at];
        }
        const auto own =
            all(order).subspan(static_cast<std::size_t>(hyp_offsets.data()[row]), static_cast<std::size_t>(cuts));
        check_below("order", own, static_cast<std::size_t>(cuts));
    }
    nb::capsule owner;
    Index* out = owned<Index>(ends.shape(0) * Sweep::width, owner);
    run(rows.size(), rows.work(), [&, out, sweep](std::size_t row, const Stop& stop) mutable {
        const auto first = static_cast<std::size_t>(step_offsets.data()[row]);
        const auto count = static_cast<std::size_t>(step_offsets.data()[row + 1]) - first;
        const Pair<V> pair = rows[row];
        const auto cut = static_cast<std::size_t>(hyp_offsets.data()[row]);
        const Steps steps{{order.data() + cut, pair.hyp.size()}, {ends.data() + first, count}};
        sweep(pair, steps, stop, settings.data()[row], out + first * Sweep::width);
    });
    return Matrix<Index>(out, {ends.shape(0), Sweep::width}, owner);
}

#define FENCEPOST_STEPS \
    "rows"_a, "hyp_offsets"_a.noconvert(), "order"_a.noconvert(), "step_offsets"_a.noconvert(), "ends"_a.noconvert()

template <class V>
void bind(nb::module_& m) {
    using Own = const Rows<V>&;
    using Ints = Column<Index>;
    m.def(
        "sweep_matches",
        [](Own rows, Ints offsets, Ints order, Ints step_offsets, Ints ends, Ints tolerance, bool with_ends) {
            return sweep_rows(rows, offsets, order, step_offsets, ends, tolerance, MatchSweep<V>{with_ends});
        },
        FENCEPOST_STEPS, "tolerance"_a.noconvert(), "with_ends"_a);
    m.def(
        "sweep_pk",
        [](Own rows, Ints offsets, Ints order, Ints step_offsets, Ints ends, Ints k, nb::str pad) {
            return sweep_rows(rows, offsets, order, step_offsets, ends, k, PkSweep<V, 1>{padding(pad)});
        },
        FENCEPOST_STEPS, "k"_a.noconvert(), "pad"_a);
    m.def(
        "sweep_pk_prime",
        [](Own rows, Ints offsets, Ints order, Ints step_offsets, Ints ends, Ints k, nb::str pad) {
            return sweep_rows(rows, offsets, order, step_offsets, ends, k, PkSweep<V, 2>{padding(pad)});
        },
        FENCEPOST_STEPS, "k"_a.noconvert(), "pad"_a);
    m.def(
        "sweep_c_seg",
        [](Own rows, Ints offsets, Ints order, Ints step_offsets, Ints ends, Ints k) {
            return sweep_rows(rows, offsets, order, step_offsets, ends, k, CSegSweep<V>{});
        },
        FENCEPOST_STEPS, "k"_a.noconvert());
    m.def(
        "sweep_window_diff",
        [](Own rows, Ints offsets, Ints order, Ints step_offsets, Ints ends, Ints k, nb::str pad, bool weighted) {
            return sweep_rows(rows, offsets, order, step_offsets, ends, k, WindowDiffSweep<V>{padding(pad), weighted});
        },
        FENCEPOST_STEPS, "k"_a.noconvert(), "pad"_a, "weighted"_a);
}

// The sum of the values of all texts after each step, and how many texts have one. A step replaces
// the value of its text: `before` and `after`, NaN where there is none. `order` says which step
// comes when, `ends` after how many of them the sums are wanted. Sums are rounded once, as
// math.fsum does.
std::tuple<Array<double>, Array<Index>> running_sums(Column<double> before, Column<double> after, Column<Index> order,
                                                     Column<Index> ends) {
    check_length("after", after.shape(0), before.shape(0));
    check_below("order", all(order), before.shape(0));
    Index last = 0;
    for (const Index end : all(ends)) {
        check_between("ends", end, last, static_cast<Index>(order.shape(0)));
        last = end;
    }
    nb::capsule owner, other;
    double* sums = owned<double>(ends.shape(0), owner);
    Index* texts = owned<Index>(ends.shape(0), other);
    run([&](const Stop& stop) { add_in_order(all(before), all(after), all(order), all(ends), sums, texts, stop); });
    return {Array<double>(sums, {ends.shape(0)}, owner), Array<Index>(texts, {ends.shape(0)}, other)};
}

}  // namespace

void bind_sweep(nb::module_& m) {
    m.def("falling_order", &falling_order, "weights"_a.noconvert(), "offsets"_a.noconvert());
    m.def("running_sums", &running_sums, "before"_a.noconvert(), "after"_a.noconvert(), "order"_a.noconvert(),
          "ends"_a.noconvert());
    bind<std::int32_t>(m);
    bind<std::int64_t>(m);
}

}  // namespace fencepost
