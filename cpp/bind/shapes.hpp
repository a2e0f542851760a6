// shapes.hpp -- The checks at the native edge. What comes in has the right shape, or a ValueError
// says in one sentence what was given and what was expected.
//
// Shapes are checked in O(1) on every call. Elements are trusted, because checks.py looked at them,
// unless the module is built with FENCEPOST_CHECK.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

#include "support/common.hpp"

namespace fencepost {

#ifdef FENCEPOST_CHECK
inline constexpr bool kCheckElements = true;
#else
inline constexpr bool kCheckElements = false;
#endif

// nanobind turns std::invalid_argument into a ValueError.
[[noreturn]] inline void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

inline std::string number(auto value) { return std::to_string(value); }

inline void check_length(const char* what, std::size_t found, std::size_t expected) {
    if (found != expected) refuse(std::string(what) + " must have length " + number(expected) + ", found " + number(found));
}

inline void check_optional_length(const char* what, std::size_t found, std::size_t expected) {
    if (found != 0 && found != expected)
        refuse(std::string(what) + " must be empty or have length " + number(expected) + ", found " + number(found));
}

template <class T>
void check_between(const char* what, T found, T low, T high) {
    if (found < low || found > high)
        refuse(std::string(what) + " must be from " + number(low) + " to " + number(high) + ", found " + number(found));
}

template <class T>
void check_at_least(const char* what, T found, T low) {
    if (found < low) refuse(std::string(what) + " must be at least " + number(low) + ", found " + number(found));
}

// The number of elements of a matrix, if that many fit into memory at all.
inline std::size_t check_size(const char* what, std::size_t rows, std::size_t columns) {
    constexpr std::size_t most = std::size_t{1} << 48;
    if (columns != 0 && rows > most / columns)
        refuse(std::string(what) + " would have " + number(rows) + " x " + number(columns) + " numbers, which is too many");
    return rows * columns;
}

// Offsets of `rows` rows: one more than rows, from 0 to the number of values.
inline void check_offsets(const char* what, std::span<const Index> offsets, std::size_t rows, std::size_t values) {
    check_length(what, offsets.size(), rows + 1);
    if (offsets.front() != 0 || offsets.back() != static_cast<Index>(values))
        refuse(std::string(what) + " must run from 0 to " + number(values) + ", found " + number(offsets.front()) + " to " +
               number(offsets.back()));
}

// The number of rows that offsets divide something into.
inline std::size_t count_rows_of(const char* what, std::span<const Index> offsets) {
    if (offsets.empty()) refuse(std::string(what) + " must have at least one number, found none");
    return offsets.size() - 1;
}

// Every row has at least `least` values. O(rows).
inline void check_rows(const char* what, std::span<const Index> offsets, Index least = 0) {
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
        if (offsets[row + 1] < offsets[row] || offsets[row + 1] - offsets[row] < least)
            refuse(std::string(what) + " must rise by at least " + number(least) + " in each row, found " +
                   number(offsets[row]) + " and " + number(offsets[row + 1]) + " in row " + number(row));
}

// Every value is in [0, count). O(values), and quick: one pass without branches.
template <class T>
void check_below(const char* what, std::span<const T> values, std::size_t count) {
    T least = 0, most = -1;
    for (const T value : values) least = value < least ? value : least, most = value > most ? value : most;
    if (least < 0 || (most >= 0 && static_cast<std::size_t>(most) >= count))
        refuse(std::string(what) + " must be from 0 to below " + number(count) + ", found " +
               number(least < 0 ? least : most));
}

// The checks below look at every element, and only with FENCEPOST_CHECK.

template <class T>
void check_each_below(const char* what, std::span<const T> values, std::size_t count) {
    if constexpr (kCheckElements) check_below(what, values, count);
}

template <class T>
void check_each_at_least(const char* what, std::span<const T> values, T low) {
    if constexpr (kCheckElements)
        for (const T value : values) check_at_least(what, value, low);
}

// Cuts rise and lie before the end of the text; with kinds several may share a place, ordered by
// kind, and one may be at the end.
template <class V>
void check_each_cut(const std::string& side, std::span<const V> values, std::span<const Index> offsets,
                    std::span<const Kind> kinds, std::span<const Index> units) {
    for (std::size_t row = 0; row < units.size(); ++row) {
        check_at_least("units", units[row], Index{1});
        const Index last = units[row] - kinds.empty();
        for (auto i = static_cast<std::size_t>(offsets[row]); i < static_cast<std::size_t>(offsets[row + 1]); ++i) {
            const auto in_row = " of " + side + " in row " + number(row);
            check_between(("cuts" + in_row).c_str(), Index{values[i]}, Index{1}, last);
            if (!kinds.empty()) check_at_least(("kinds" + in_row).c_str(), kinds[i], Kind{0});
            if (i == static_cast<std::size_t>(offsets[row])) continue;
            const bool same = values[i] == values[i - 1] && !kinds.empty();
            if (values[i] < values[i - 1] || (same ? kinds[i] <= kinds[i - 1] : values[i] == values[i - 1]))
                refuse("cuts" + in_row + " must rise, found " + number(values[i - 1]) + " before " + number(values[i]));
        }
    }
}

// The weights of one side: one for each cut or none.
inline void check_weights(const char* what, std::span<const double> weights, std::size_t cuts) {
    check_optional_length(what, weights.size(), cuts);
    if constexpr (kCheckElements)
        for (const double weight : weights)
            if (!(weight > 0 && weight <= 1))
                refuse(std::string(what) + " must be above 0 and at most 1, found " + number(weight));
}

// One side of a table of pairs.
template <class V>
void check_cuts(const std::string& side, std::span<const V> values, std::span<const Index> offsets,
                std::span<const Kind> kinds, std::span<const Index> units) {
    check_offsets((side + "_offsets").c_str(), offsets, units.size(), values.size());
    check_optional_length((side + "_kinds").c_str(), kinds.size(), values.size());
    if constexpr (kCheckElements) {
        check_rows((side + "_offsets").c_str(), offsets);
        check_each_cut(side, values, offsets, kinds, units);
    }
}

}  // namespace fencepost
