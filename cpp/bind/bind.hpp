// bind.hpp -- What every binding shares: columns from Python, arrays to Python, and rows of pairs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <tuple>
#include <vector>

#include "bind/shapes.hpp"
#include "support/common.hpp"
#include "support/parallel.hpp"

namespace fencepost {

namespace nb = nanobind;
using namespace nb::literals;

// What comes in: read-only, C-contiguous, of exactly this type. nanobind refuses anything else
// with a TypeError.
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// What goes out.
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

inline std::atomic<unsigned> thread_count{1};

template <class T>
std::span<const T> all(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

template <class T>
std::span<const T> all(const Grid<T>& grid) {
    return {grid.data(), grid.size()};
}

// Memory that Python will own. Not cleared: the caller writes all of it.
template <class T>
T* owned(std::size_t size, nb::capsule& owner) {
    T* data = new T[size];
    owner = nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return data;
}

template <class T>
Array<T> to_array(const std::vector<T>& from) {
    nb::capsule owner;
    T* data = owned<T>(from.size(), owner);
    std::copy(from.begin(), from.end(), data);
    return Array<T>(data, {from.size()}, owner);
}

// The flat columns of a Pairs, seen as rows. Keeps the arrays alive.
template <class V>
class Rows {
public:
    Rows(Column<V> ref, Column<Index> ref_offsets, Column<V> hyp, Column<Index> hyp_offsets, Column<Index> units,
         Column<Kind> ref_kinds, Column<Kind> hyp_kinds, Column<double> ref_weights, Column<double> hyp_weights)
        : ref_(ref), hyp_(hyp), ref_offsets_(ref_offsets), hyp_offsets_(hyp_offsets), units_(units), ref_kinds_(ref_kinds),
          hyp_kinds_(hyp_kinds), ref_weights_(ref_weights), hyp_weights_(hyp_weights) {
        check_cuts("ref", all(ref_), all(ref_offsets_), all(ref_kinds_), all(units_));
        check_cuts("hyp", all(hyp_), all(hyp_offsets_), all(hyp_kinds_), all(units_));
        check_weights("ref_weights", all(ref_weights_), ref_.shape(0));
        check_weights("hyp_weights", all(hyp_weights_), hyp_.shape(0));
    }

    std::size_t size() const { return units_.shape(0); }
    std::size_t work() const { return ref_.shape(0) + hyp_.shape(0) + 4 * size(); }

    // Kinds must be below `count`, the number of kinds that prices are given for.
    void check_kinds(std::size_t count) const {
        check_each_below("ref_kinds", all(ref_kinds_), count);
        check_each_below("hyp_kinds", all(hyp_kinds_), count);
    }

    Pair<V> operator[](std::size_t row) const {
        Pair<V> p;
        cut(ref_, ref_offsets_, ref_kinds_, ref_weights_, row, p.ref, p.ref_kinds, p.ref_weights);
        cut(hyp_, hyp_offsets_, hyp_kinds_, hyp_weights_, row, p.hyp, p.hyp_kinds, p.hyp_weights);
        p.units = units_.data()[row];
        return p;
    }

private:
    static void cut(const Column<V>& values, const Column<Index>& offsets, const Column<Kind>& kinds,
                    const Column<double>& numbers, std::size_t row, std::span<const V>& places, std::span<const Kind>& names,
                    std::span<const double>& weights) {
        const auto first = static_cast<std::size_t>(offsets.data()[row]);
        const auto count = static_cast<std::size_t>(offsets.data()[row + 1]) - first;
        places = {values.data() + first, count};
        if (kinds.shape(0) != 0) names = {kinds.data() + first, count};
        if (numbers.shape(0) != 0) weights = {numbers.data() + first, count};
    }

    Column<V> ref_, hyp_;
    Column<Index> ref_offsets_, hyp_offsets_, units_;
    Column<Kind> ref_kinds_, hyp_kinds_;
    Column<double> ref_weights_, hyp_weights_;
};

// Runs body(row, stop) over all rows without the GIL; Ctrl-C raises KeyboardInterrupt. Each thread
// works with its own copy of the body, so scratch memory is captured by value.
template <class Body>
void run(std::size_t rows, std::size_t work, const Body& body) {
    try {
        nb::gil_scoped_release release;
        for_each_row(rows, work, thread_count.load(), body, [] {
            nb::gil_scoped_acquire acquire;
            return PyErr_CheckSignals() == 0;
        });
    } catch (const Cancelled&) {
        throw nb::python_error();
    }
}

// The same for one body that is no row: body(stop).
template <class Body>
void run(const Body& body) {
    run(1, 1, [&body](std::size_t, const Stop& stop) { body(stop); });
}

// The same for what reads objects of Python on its way, and so keeps the GIL.
template <class Body>
auto run_with_python(Body&& body) {
    try {
        return body(Stop([] { return PyErr_CheckSignals() == 0; }));
    } catch (const Cancelled&) {
        throw nb::python_error();
    }
}

// One row of N numbers for each record: numbers(record) returns a std::array. There may be millions.
template <std::size_t N, class Record, class Numbers>
Matrix<Index> to_matrix(const std::vector<Record>& records, Numbers numbers) {
    nb::capsule owner;
    Index* out = owned<Index>(records.size() * N, owner);
    run_with_python([&records, &numbers, at = out, step = std::size_t{0}](const Stop& stop) mutable {
        for (const Record& record : records) {
            stop.check(++step);
            const std::array<Index, N> row = numbers(record);
            at = std::copy(row.begin(), row.end(), at);
        }
    });
    return Matrix<Index>(out, {records.size(), N}, owner);
}

// One row of counts for each pair: count(pair, stop, settings[row]...) returns a std::array. The
// settings are columns with one number for each row.
template <class V, class Count, class... Settings>
auto count_rows(const Rows<V>& rows, Count count, const Column<Settings>&... settings) {
    using Counts = decltype(count(rows[0], std::declval<const Stop&>(), *settings.data()...));
    using T = typename Counts::value_type;
    constexpr std::size_t width = std::tuple_size_v<Counts>;
    nb::capsule owner;
    T* out = owned<T>(rows.size() * width, owner);
    run(rows.size(), rows.work(), [&, out, count](std::size_t row, const Stop& stop) mutable {
        const Counts counts = count(rows[row], stop, settings.data()[row]...);
        std::copy(counts.begin(), counts.end(), out + row * width);
    });
    return Matrix<T>(out, {rows.size(), width}, owner);
}

// A list of records for each pair, laid end to end, with offsets: list(pair, stop, records).
template <class Record, class V, class List>
std::vector<Record> list_rows(const Rows<V>& rows, std::vector<Index>& offsets, List list) {
    std::vector<std::vector<Record>> lists(rows.size());
    run(rows.size(), rows.work(),
        [&rows, &lists, list](std::size_t row, const Stop& stop) mutable { list(rows[row], stop, lists[row]); });
    std::vector<Record> records;
    offsets = {0};
    for (auto& one : lists) {
        if (records.empty()) records = std::move(one);  // millions of one pair are not copied
        else records.insert(records.end(), one.begin(), one.end());
        offsets.push_back(static_cast<Index>(records.size()));
    }
    return records;
}

// One function for each file of this folder; module.cpp calls them all.
void bind_pairs(nb::module_& m);
void bind_single(nb::module_& m);
void bind_window(nb::module_& m);
void bind_boundary(nb::module_& m);
void bind_edit(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_flexible(nb::module_& m);
void bind_hierarchy(nb::module_& m);
void bind_sweep(nb::module_& m);
void bind_unitizing(nb::module_& m);
void bind_probabilities(nb::module_& m);
void bind_random(nb::module_& m);
void bind_gather(nb::module_& m);
void bind_streams(nb::module_& m);
void bind_tokens(nb::module_& m);
void bind_parsing(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_compat(nb::module_& m);

}  // namespace fencepost
