// lists.cpp -- Lists of positions, sizes, marks and spans as rows of cuts.
#include "parsing/lists.hpp"

#include "bind/bind.hpp"

namespace fencepost {
namespace {

template <class V>
using Cuts = std::tuple<Array<V>, Array<Index>, Array<Index>, Index>;

template <class V>
Cuts<V> to_arrays(const CutLists<V>& made) {
    return {to_array(made.values), to_array(made.offsets), to_array(made.units), made.wrong};
}

void check_lists(const Column<Index>& offsets, std::size_t values) {
    check_offsets("offsets", all(offsets), count_rows_of("offsets", all(offsets)), values);
    check_rows("offsets", all(offsets));
}

template <class V>
Index wrong_row(Column<V> values, Column<Index> offsets, Column<Index> units) {
    check_lists(offsets, values.shape(0));
    check_length("units", units.shape(0), offsets.shape(0) - 1);
    Index wrong = kNoRow;
    run([&](const Stop& stop) { wrong = first_wrong_row<V>(all(values), all(offsets), all(units), stop); });
    return wrong;
}

template <class V>
Cuts<V> cuts_of_sizes(Column<V> sizes, Column<Index> offsets) {
    check_lists(offsets, sizes.shape(0));
    CutLists<V> made;
    run([&](const Stop& stop) { made = sizes_to_cuts<V>(all(sizes), all(offsets), stop); });
    return to_arrays(made);
}

template <class T>
Cuts<std::int32_t> cuts_of_marks(Column<T> marks, Column<std::uint8_t> mask, Column<Index> offsets, int mark) {
    check_lists(offsets, marks.shape(0));
    check_optional_length("mask", mask.shape(0), marks.shape(0));
    check_between("mark", mark, 0, 2);
    CutLists<std::int32_t> made;
    run([&](const Stop& stop) {
        made = marks_to_cuts<T>(all(marks), all(mask), all(offsets), static_cast<Mark>(mark), stop);
    });
    return to_arrays(made);
}

std::tuple<Cuts<Index>, bool, bool> cuts_of_spans(Column<Index> starts, Column<Index> ends, Column<Index> offsets,
                                                  Column<Index> units, int gaps, int overlap) {
    check_lists(offsets, starts.shape(0));
    check_length("ends", ends.shape(0), starts.shape(0));
    check_optional_length("units", units.shape(0), offsets.shape(0) - 1);
    check_between("gaps", gaps, 0, 2);
    check_between("overlap", overlap, 0, 2);
    SpanCuts made;
    run([&](const Stop& stop) {
        made = spans_to_cuts(all(starts), all(ends), all(offsets), all(units), static_cast<Gaps>(gaps),
                             static_cast<OverlapRule>(overlap), stop);
    });
    return {to_arrays<Index>(made), made.has_gaps, made.has_overlaps};
}

template <class V>
void bind_values(nb::module_& m) {
    m.def("first_wrong_row", &wrong_row<V>, "values"_a.noconvert(), "offsets"_a.noconvert(), "units"_a.noconvert());
    m.def("cuts_of_sizes", &cuts_of_sizes<V>, "sizes"_a.noconvert(), "offsets"_a.noconvert());
}

template <class T>
void bind_marks(nb::module_& m) {
    m.def("cuts_of_marks", &cuts_of_marks<T>, "marks"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert(),
          "mark"_a);
}

}  // namespace

void bind_lists(nb::module_& m) {
    bind_values<std::int32_t>(m);
    bind_values<std::int64_t>(m);
    bind_marks<std::uint8_t>(m);
    bind_marks<std::int32_t>(m);
    bind_marks<std::int64_t>(m);
    m.def("cuts_of_spans", &cuts_of_spans, "starts"_a.noconvert(), "ends"_a.noconvert(), "offsets"_a.noconvert(),
          "units"_a.noconvert(), "gaps"_a, "overlap"_a);
}

}  // namespace fencepost
