// random.cpp -- Random boundaries and resamples.
#include "kernels/random.hpp"

#include "bind/bind.hpp"

namespace fencepost {
namespace {

// The part of `out` that belongs to a row.
template <class T>
std::span<T> row_of(T* out, const Column<Index>& offsets, std::size_t row) {
    const Index first = offsets.data()[row], last = offsets.data()[row + 1];
    return {out + first, static_cast<std::size_t>(last - first)};
}

// Sorted random places for each text, laid end to end: offsets tell how many each text wants.
// `fill` draws those of one row: (part of the output, number of places, row, stop).
template <class Fill>
Array<Index> fill_places(Column<Index> offsets, Column<Index> units, Column<std::uint64_t> keys, Fill&& fill) {
    const std::size_t rows = units.shape(0);
    check_length("keys", keys.shape(0), rows);
    check_length("offsets", offsets.shape(0), rows + 1);
    const Index total = offsets.data()[rows];
    check_at_least("the last offset", total, Index{0});
    check_offsets("offsets", all(offsets), rows, static_cast<std::size_t>(total));
    check_rows("offsets", all(offsets));
    nb::capsule owner;
    Index* out = owned<Index>(static_cast<std::size_t>(total), owner);
    run(rows, static_cast<std::size_t>(total) + rows, [&](std::size_t row, const Stop& stop) {
        const auto own = row_of(out, offsets, row);
        const Index places = units.data()[row] - 1;
        check_between("the number of places to draw", static_cast<Index>(own.size()), Index{0}, std::max<Index>(places, 0));
        fill(own, places, row, stop);
    });
    return Array<Index>(out, {static_cast<std::size_t>(total)}, owner);
}

Array<Index> draw_places(Column<Index> offsets, Column<Index> units, Column<std::uint64_t> keys) {
    return fill_places(offsets, units, keys, [&](std::span<Index> own, Index places, std::size_t row, const Stop& stop) {
        random_places(own, places, keys.data()[row], stop);
    });
}

// The same where some parts of a text are preferred: `distribution` is each row's row of `limits`.
Array<Index> draw_preferred_places(Column<Index> offsets, Column<Index> units, Column<Index> distribution,
                                   Grid<std::uint64_t> limits, Column<std::uint64_t> keys) {
    check_length("distribution", distribution.shape(0), units.shape(0));
    check_at_least("the number of columns of limits", limits.shape(1), std::size_t{1});
    check_below("distribution", all(distribution), limits.shape(0));
    const std::size_t width = limits.shape(1);
    return fill_places(offsets, units, keys, [&](std::span<Index> own, Index places, std::size_t row, const Stop& stop) {
        const auto part = all(limits).subspan(static_cast<std::size_t>(distribution.data()[row]) * width, width);
        preferred_places(own, places, part, keys.data()[row], stop);
    });
}

// Puts the kinds of each text into a random order.
Array<Kind> shuffle_kinds(Column<Index> offsets, Column<Kind> kinds, Column<std::uint64_t> keys) {
    check_offsets("offsets", all(offsets), keys.shape(0), kinds.shape(0));
    check_rows("offsets", all(offsets));
    nb::capsule owner;
    Kind* out = owned<Kind>(kinds.shape(0), owner);
    std::copy(kinds.data(), kinds.data() + kinds.shape(0), out);
    run(keys.shape(0), kinds.shape(0) + keys.shape(0),
        [&](std::size_t row, const Stop& stop) { shuffle(row_of(out, offsets, row), keys.data()[row], stop); });
    return Array<Kind>(out, {kinds.shape(0)}, owner);
}

// Independent random boundaries for each row: its number of places, its distribution (a row of
// `limits`) and its key. Counted first and drawn again to be written: no row waits for another.
std::tuple<Array<Index>, Array<Index>, Array<Kind>> draw_boundaries(Column<Index> places, Column<Index> distribution,
                                                                    Grid<std::uint64_t> limits, Column<std::uint64_t> keys) {
    const std::size_t rows = places.shape(0);
    check_length("distribution", distribution.shape(0), rows);
    check_length("keys", keys.shape(0), rows);
    check_at_least("the number of columns of limits", limits.shape(1), std::size_t{1});
    check_below("distribution", all(distribution), limits.shape(0));
    for (const Index count : all(places)) check_at_least("places", count, Index{0});
    const BoundaryDraws draws{all(places), all(distribution), all(limits), limits.shape(1), all(keys)};
    std::vector<Index> offsets(rows + 1, 0);
    run(rows, draws.work(),
        [&](std::size_t row, const Stop& stop) { draws.draw(row, stop, [&](Index, Kind) { ++offsets[row + 1]; }); });
    for (std::size_t row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
    const auto total = static_cast<std::size_t>(offsets[rows]);
    nb::capsule value_owner, kind_owner;
    Index* values = owned<Index>(total, value_owner);
    Kind* kinds = owned<Kind>(total, kind_owner);
    run(rows, draws.work(), [&](std::size_t row, const Stop& stop) {
        auto at = static_cast<std::size_t>(offsets[row]);
        draws.draw(row, stop, [&](Index place, Kind kind) { values[at] = place, kinds[at] = kind, ++at; });
    });
    return {to_array(offsets), Array<Index>(values, {total}, value_owner), Array<Kind>(kinds, {total}, kind_owner)};
}

// A row of random numbers for each of `count` resamples, the first of which is number `first`.
template <void (*fill)(std::span<double>, Stream, const Stop&)>
Matrix<double> random_rows(std::uint64_t seed, std::uint64_t first, std::size_t count, std::size_t texts) {
    const std::size_t size = check_size("the resamples", count, texts);
    nb::capsule owner;
    double* out = owned<double>(size, owner);
    run(count, size,
        [&](std::size_t row, const Stop& stop) { fill({out + row * texts, texts}, row_stream(seed, first + row), stop); });
    return Matrix<double>(out, {count, texts}, owner);
}

}  // namespace

void bind_random(nb::module_& m) {
    m.def("random_places", &draw_places, "offsets"_a.noconvert(), "units"_a.noconvert(), "keys"_a.noconvert());
    m.def("preferred_places", &draw_preferred_places, "offsets"_a.noconvert(), "units"_a.noconvert(),
          "distribution"_a.noconvert(), "limits"_a.noconvert(), "keys"_a.noconvert());
    m.def("shuffle_kinds", &shuffle_kinds, "offsets"_a.noconvert(), "kinds"_a.noconvert(), "keys"_a.noconvert());
    m.def("random_boundaries", &draw_boundaries, "places"_a.noconvert(), "distribution"_a.noconvert(),
          "limits"_a.noconvert(), "keys"_a.noconvert());
    m.def("resamples", &random_rows<resample>, "seed"_a, "first"_a, "count"_a, "texts"_a);
    m.def("tosses", &random_rows<toss>, "seed"_a, "first"_a, "count"_a, "texts"_a);
}

}  // namespace fencepost
