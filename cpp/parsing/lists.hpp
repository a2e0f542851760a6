// lists.hpp -- Rows of lists (positions, sizes, marks, spans) to rows of cuts, checked on the way.
//
// A row that is not a segmentation stops the walk: its number is returned, and the Python edge says
// in a sentence what is wrong with it. Every function is O(values); spans are sorted first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

inline constexpr Index kMaxUnits = Index{1} << 40;  // MAX_UNITS of checks.py
inline constexpr Index kNoRow = -1;

// Rows of cuts as they grow: text i owns values[offsets[i]] up to values[offsets[i + 1]].
template <class V>
struct CutLists {
    std::vector<V> values;
    std::vector<Index> offsets{0};
    std::vector<Index> units;
    Index wrong = kNoRow;  // the first row that is not a segmentation

    void end_row(Index row_units) {
        offsets.push_back(static_cast<Index>(values.size()));
        units.push_back(row_units);
    }
};

// The first row whose positions do not rise from 1 to below its units; -1 if all of them do.
template <class V>
Index first_wrong_row(std::span<const V> values, std::span<const Index> offsets, std::span<const Index> units,
                      const Stop& stop = {}) {
    for (std::size_t row = 0; row < units.size(); ++row) {
        if (units[row] < 1 || units[row] > kMaxUnits) return static_cast<Index>(row);
        Index before = 0;
        for (Index at = offsets[row]; at < offsets[row + 1]; ++at) {
            const Index cut = values[static_cast<std::size_t>(at)];
            stop.check(static_cast<std::size_t>(at));
            if (cut <= before || cut >= units[row]) return static_cast<Index>(row);
            before = cut;
        }
    }
    return kNoRow;
}

// Segment sizes: a cut after each segment but the last. A text has at least one segment.
template <class V>
CutLists<V> sizes_to_cuts(std::span<const V> sizes, std::span<const Index> offsets, const Stop& stop = {}) {
    const std::size_t rows = offsets.size() - 1;
    const Index most = std::min(kMaxUnits, static_cast<Index>(std::numeric_limits<V>::max()));
    CutLists<V> made;
    made.values.reserve(sizes.size());
    made.offsets.reserve(rows + 1);
    made.units.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        Index end = 0;
        for (Index at = offsets[row]; at < offsets[row + 1]; ++at) {
            const Index size = sizes[static_cast<std::size_t>(at)];
            stop.check(static_cast<std::size_t>(at));
            if (size < 1 || size > most - end) {
                made.wrong = static_cast<Index>(row);
                return made;
            }
            end += size;
            if (at + 1 < offsets[row + 1]) made.values.push_back(static_cast<V>(end));
        }
        if (end == 0) {
            made.wrong = static_cast<Index>(row);
            return made;
        }
        made.end_row(end);
    }
    return made;
}

// What a mark belongs to: a position between two units, the last unit of a segment, or the first.
enum class Mark { between, last, first };

// How many units the next eight marks are, if all of them are 0; -1 otherwise. Most marks are 0, and
// eight at once are one vector operation.
template <class T>
Index zeros(const T* marks, const std::uint8_t* mask) {
    T any{0};
    Index units = 0;
    for (int i = 0; i < 8; ++i) any = static_cast<T>(any | marks[i]);
    if (any != T{0}) return -1;
    if (mask == nullptr) return 8;
    for (int i = 0; i < 8; ++i) units += mask[i] != 0;
    return units;
}

// Marks of 0 and 1. Marks whose `mask` is 0 (padding, parts of words) are no units; an empty mask
// keeps all of them.
template <class T>
CutLists<std::int32_t> marks_to_cuts(std::span<const T> marks, std::span<const std::uint8_t> mask,
                                     std::span<const Index> offsets, Mark mark, const Stop& stop = {}) {
    const std::size_t rows = offsets.size() - 1;
    std::size_t steps = 0;
    CutLists<std::int32_t> made;
    made.offsets.reserve(rows + 1);
    made.units.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto first = static_cast<std::size_t>(offsets[row]), last = static_cast<std::size_t>(offsets[row + 1]);
        Index seen = 0;
        std::size_t single = first;  // marks before it are looked at one by one
        for (std::size_t at = first; at < last; ++at) {
            stop.check(++steps);
            while (at >= single && last - at >= 8) {
                stop.check(++steps);
                const Index units = zeros<T>(&marks[at], mask.empty() ? nullptr : &mask[at]);
                if (units < 0) {
                    single = at + 8;
                } else {
                    seen += units;
                    at += 8;
                }
            }
            if (at == last) break;
            if (!mask.empty() && mask[at] == 0) continue;
            const T value = marks[at];
            if (value == T{0}) {
                ++seen;
                continue;
            }
            if (value != T{1} || seen >= std::numeric_limits<std::int32_t>::max() - 1) {
                made.wrong = static_cast<Index>(row);
                return made;
            }
            // The first unit of a segment follows the cut; every text starts with one.
            const Index cut = mark == Mark::first ? seen : seen + 1;
            if (cut > 0) made.values.push_back(static_cast<std::int32_t>(cut));
            ++seen;
        }
        const Index units = mark == Mark::between ? seen + 1 : seen;
        if (units == 0) {
            made.wrong = static_cast<Index>(row);
            return made;
        }
        // A mark on the last unit is the end of the text, which is no cut.
        if (mark == Mark::last && static_cast<Index>(made.values.size()) > made.offsets.back() &&
            made.values.back() == units)
            made.values.pop_back();
        made.end_row(units);
    }
    return made;
}

// What is done about units that no span covers, and about spans that cover each other.
enum class Gaps { refuse, segment, join };
enum class OverlapRule { refuse, start, end };

struct SpanCuts : CutLists<Index> {
    bool has_gaps = false, has_overlaps = false;
};

// Spans from a start up to an end, in any order; rows without units end with their last span.
// formats/intervals.py has the same rules for one text, in words.
inline SpanCuts spans_to_cuts(std::span<const Index> starts, std::span<const Index> ends, std::span<const Index> offsets,
                              std::span<const Index> units, Gaps gaps, OverlapRule overlap, const Stop& stop) {
    const std::size_t rows = offsets.size() - 1;
    SpanCuts made;
    std::vector<std::pair<Index, Index>> spans;
    std::vector<Index> cuts;
    for (std::size_t row = 0; row < rows; ++row) {
        spans.clear();
        cuts.clear();
        Index furthest = 0, previous = -1, end = 0;
        bool right = offsets[row] < offsets[row + 1];  // a text has at least one segment
        for (auto at = static_cast<std::size_t>(offsets[row]); at < static_cast<std::size_t>(offsets[row + 1]); ++at) {
            right = right && starts[at] >= 0 && ends[at] > starts[at];
            stop.check(at);
            furthest = std::max(furthest, ends[at]);
            spans.emplace_back(starts[at], ends[at]);
        }
        const Index size = units.empty() ? furthest : units[row];
        right = right && size >= 1 && size <= kMaxUnits && furthest <= size;
        sort(spans, stop);
        const auto gap = [&](Index from, Index to, bool at_end) {
            made.has_gaps = true;
            if (gaps == Gaps::refuse) right = false;
            if (gaps == Gaps::segment) cuts.insert(cuts.end(), {from, to});
            if (gaps == Gaps::join && from != 0 && !at_end) cuts.push_back(to);
        };
        for (const auto& [first, last] : spans) {
            if (previous >= 0 && first < end) {
                made.has_overlaps = true;
                if (overlap == OverlapRule::refuse || first == previous) right = false;
                cuts.push_back(overlap == OverlapRule::end ? end : first);
            } else if (first > end) {
                gap(end, first, false);
            } else {
                cuts.push_back(first);
            }
            end = std::max(end, last);
            previous = first;
        }
        if (end < size) gap(end, size, true);
        if (!right) {
            made.wrong = static_cast<Index>(row);
            return made;
        }
        sort(cuts, stop);
        Index before = 0;
        for (const Index cut : cuts) {
            if (cut > before && cut < size) made.values.push_back(cut);
            before = std::max(before, cut);
        }
        made.end_row(size);
    }
    return made;
}

}  // namespace fencepost
