// gather.cpp -- Rows picked in any order, and rows of counts added by group.
#include "support/gather.hpp"

#include "bind/bind.hpp"
#include "kernels/sums.hpp"

namespace fencepost {
namespace {

// The rows of a column that `index` names, in its order, laid end to end again.
template <class V>
std::tuple<Array<V>, Array<Index>, Array<Kind>, Array<double>> take_rows(Column<V> values, Column<Index> offsets,
                                                                         Column<Kind> kinds, Column<double> weights,
                                                                         Column<Index> index) {
    check_offsets("offsets", all(offsets), count_rows_of("offsets", all(offsets)), values.shape(0));
    check_optional_length("kinds", kinds.shape(0), values.shape(0));
    check_optional_length("weights", weights.shape(0), values.shape(0));
    const std::vector<Index> starts = gathered_offsets(all(offsets), all(index));
    const auto total = static_cast<std::size_t>(starts.back());
    const std::size_t rows = index.shape(0), kind_count = kinds.shape(0) != 0 ? total : 0;
    const std::size_t weight_count = weights.shape(0) != 0 ? total : 0;
    nb::capsule value_owner, kind_owner, weight_owner;
    V* places = owned<V>(total, value_owner);
    Kind* names = owned<Kind>(kind_count, kind_owner);
    double* numbers = owned<double>(weight_count, weight_owner);
    run(rows, total / 8 + rows, [&, steps = std::size_t{0}](std::size_t row, const Stop& stop) mutable {
        stop.check(++steps);
        const Index from = offsets.data()[index.data()[row]], count = starts[row + 1] - starts[row];
        std::copy_n(values.data() + from, count, places + starts[row]);
        if (kind_count != 0) std::copy_n(kinds.data() + from, count, names + starts[row]);
        if (weight_count != 0) std::copy_n(weights.data() + from, count, numbers + starts[row]);
    });
    return {Array<V>(places, {total}, value_owner), to_array(starts), Array<Kind>(names, {kind_count}, kind_owner),
            Array<double>(numbers, {weight_count}, weight_owner)};
}

// Rows of counts added by group: the sum of group g is row g.
template <class T>
Matrix<T> add_counts(Grid<T> counts, Column<Index> groups, std::size_t count) {
    const std::size_t width = counts.shape(1), size = check_size("the sums", count, width);
    check_length("groups", groups.shape(0), counts.shape(0));
    check_below("groups", all(groups), count);
    nb::capsule owner;
    T* out = owned<T>(size, owner);
    std::fill_n(out, size, T{0});
    run([&](const Stop& stop) { add_rows<T>(all(counts), all(groups), width, {out, size}, stop); });
    return Matrix<T>(out, {count, width}, owner);
}

// The sum in steps of 2^-80: its upper 64 bits, and the lower ones.
std::tuple<std::int64_t, std::uint64_t> add_fixed(Column<double> values) {
    StepSum made;
    run([&](const Stop& stop) { made = fixed_sum(all(values), stop); });
    if (!made.fits) refuse("values must add up to less than 2^46");
    return {static_cast<std::int64_t>(made.sum >> 64), static_cast<std::uint64_t>(made.sum)};
}

Matrix<double> products(Grid<double> rows) {
    const std::size_t width = rows.shape(1), size = check_size("the products", width, width);
    nb::capsule owner;
    double* out = owned<double>(size, owner);
    std::fill_n(out, size, 0.0);
    run([&](const Stop& stop) {
        if (width != 0) add_products(all(rows), width, {out, size}, stop);
    });
    return Matrix<double>(out, {width, width}, owner);
}

template <class V>
Array<std::uint64_t> row_hashes(Column<V> values, Column<Index> offsets) {
    const std::size_t rows = count_rows_of("offsets", all(offsets));
    check_offsets("offsets", all(offsets), rows, values.shape(0));
    check_rows("offsets", all(offsets));
    nb::capsule owner;
    std::uint64_t* out = owned<std::uint64_t>(rows, owner);
    run([&](const Stop& stop) { hash_rows<V>(all(values), all(offsets), {out, rows}, stop); });
    return Array<std::uint64_t>(out, {rows}, owner);
}

template <class V>
void bind_hashes(nb::module_& m) {
    m.def("row_hashes", &row_hashes<V>, "values"_a.noconvert(), "offsets"_a.noconvert());
}

template <class V>
void bind_take(nb::module_& m) {
    m.def("take_rows", &take_rows<V>, "values"_a.noconvert(), "offsets"_a.noconvert(), "kinds"_a.noconvert(),
          "weights"_a.noconvert(), "index"_a.noconvert());
}

template <class T>
void bind_add(nb::module_& m) {
    m.def("add_rows", &add_counts<T>, "counts"_a.noconvert(), "groups"_a.noconvert(), "count"_a);
}

}  // namespace

void bind_gather(nb::module_& m) {
    bind_take<std::int32_t>(m);
    bind_take<std::int64_t>(m);
    bind_add<std::int64_t>(m);
    bind_add<double>(m);
    bind_hashes<std::uint8_t>(m);
    bind_hashes<std::int32_t>(m);
    bind_hashes<std::int64_t>(m);
    m.def("fixed_sum", &add_fixed, "values"_a.noconvert());
    m.def("products", &products, "rows"_a.noconvert());
}

}  // namespace fencepost
