// lists.cpp -- Lists of positions, sizes, marks and spans beside one unit after another.
#include "parsing/lists.hpp"

#include <set>

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

// The cuts and units of a row, or nothing where it is no segmentation.
struct Row {
    bool right = true;
    std::vector<Index> cuts;
    Index units = 0;
};

template <class V>
void check_lists_are(const CutLists<V>& found, const std::vector<Row>& expected) {
    std::size_t row = 0;
    for (; row < expected.size() && expected[row].right; ++row) {
        CHECK(row < found.units.size());
        CHECK_SAME(found.units[row], expected[row].units);
        const auto first = found.values.begin() + found.offsets[row], last = found.values.begin() + found.offsets[row + 1];
        CHECK_SAME((std::vector<Index>(first, last)), expected[row].cuts);
    }
    CHECK_SAME(found.wrong, row < expected.size() ? static_cast<Index>(row) : kNoRow);
}

struct Columns {
    std::vector<Index> offsets{0};
    std::vector<std::vector<Index>> rows;
};

template <class Draw>
std::vector<Index> draw_columns(Draws& in, Columns& columns, Draw draw) {
    std::vector<Index> values;
    for (std::size_t rows = in.size(0, 4); rows > 0; --rows) {
        columns.rows.emplace_back();
        for (std::size_t n = in.size(0, 9); n > 0; --n) columns.rows.back().push_back(draw());
        values.insert(values.end(), columns.rows.back().begin(), columns.rows.back().end());
        columns.offsets.push_back(static_cast<Index>(values.size()));
    }
    return exactly(values);
}

template <class V>
std::vector<V> cast(const std::vector<Index>& values) {
    std::vector<V> made(values.size());
    std::transform(values.begin(), values.end(), made.begin(), [](Index value) { return static_cast<V>(value); });
    return made;
}

template <class V>
void check_sizes(Draws& in) {
    Columns columns;
    const Index most = std::min(kMaxUnits, Index{std::numeric_limits<V>::max()});
    const std::vector<Index> sizes = draw_columns(in, columns, [&] {
        if (in.rarely())
            return in.coin() ? in.number(-2, 0)
                             : in.number(most - 20, std::min(most + 3, Index{std::numeric_limits<V>::max()}));
        return in.number(1, 20);
    });
    std::vector<Row> expected;
    for (const auto& row : columns.rows) {
        Row made;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i] < 1 || made.units + row[i] > most) made.right = false;
            if (!made.right) break;
            made.units += row[i];
            if (i + 1 < row.size()) made.cuts.push_back(made.units);
        }
        made.right = made.right && !row.empty();
        expected.push_back(made);
    }
    const std::vector<V> narrow = cast<V>(sizes);
    check_lists_are(sizes_to_cuts<V>(narrow, columns.offsets), expected);
}

template <class V>
void check_positions(Draws& in) {
    Columns columns;
    Index before = 0;
    const std::vector<Index> cuts =
        draw_columns(in, columns, [&] { return before = in.rarely() ? in.number(-1, 50) : before + in.number(1, 9); });
    std::vector<Index> units;
    Index wrong = kNoRow;
    for (std::size_t row = 0; row < columns.rows.size(); ++row) {
        const auto& own = columns.rows[row];
        const std::set<Index> ordered(own.begin(), own.end());
        units.push_back(in.rarely() ? in.number(-1, kMaxUnits + 1) : (own.empty() ? 0 : own.back()) + in.number(0, 3));
        const bool rises = std::vector<Index>(ordered.begin(), ordered.end()) == own;
        const bool inside = own.empty() || (*ordered.begin() >= 1 && *ordered.rbegin() < units.back());
        if (wrong == kNoRow && !(rises && inside && units.back() >= 1 && units.back() <= kMaxUnits))
            wrong = static_cast<Index>(row);
    }
    const std::vector<V> narrow = cast<V>(cuts);
    CHECK_SAME(first_wrong_row<V>(narrow, columns.offsets, units), wrong);
}

template <class T>
void check_marks(Draws& in) {
    Columns columns;
    const std::vector<Index> marks =
        draw_columns(in, columns, [&] { return in.rarely() && in.rarely() ? in.number(0, 3) : in.number(0, 1); });
    std::vector<std::uint8_t> mask(in.coin() ? marks.size() : 0);
    for (auto& one : mask) one = static_cast<std::uint8_t>(in.number(0, 2));
    const std::vector<T> narrow = cast<T>(marks);
    for (const Mark mark : {Mark::between, Mark::last, Mark::first}) {
        std::vector<Row> expected;
        std::size_t at = 0;
        for (const auto& row : columns.rows) {
            std::vector<Index> seen;
            for (const Index value : row) {
                const bool counts = mask.empty() || mask[at] != 0;
                ++at;
                if (counts) seen.push_back(value);
            }
            Row made;
            made.units = static_cast<Index>(seen.size()) + (mark == Mark::between);
            made.right = made.units > 0;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                made.right = made.right && (seen[i] == 0 || seen[i] == 1);
                const Index cut = static_cast<Index>(i) + (mark != Mark::first);
                if (seen[i] == 1 && cut > 0 && cut < made.units) made.cuts.push_back(cut);
            }
            expected.push_back(made);
        }
        check_lists_are(marks_to_cuts<T>(narrow, mask, columns.offsets, mark), expected);
    }
}

// Spans in order, each beside what was covered before it.
Row cuts_of_spans(std::vector<std::pair<Index, Index>> spans, Index units, Gaps gaps, OverlapRule rule, bool& has_gaps,
                  bool& has_overlaps) {
    Row made;
    made.units = units;
    for (const auto& [start, end] : spans) made.right = made.right && 0 <= start && start < end && end <= units;
    made.right = made.right && !spans.empty() && units >= 1 && units <= kMaxUnits;
    std::sort(spans.begin(), spans.end());
    std::set<Index> cuts;
    Index covered = 0, last_start = -1;
    for (const auto& [start, end] : spans) {
        if (start < covered) {
            has_overlaps = true;
            made.right = made.right && rule != OverlapRule::refuse && start != last_start;
            cuts.insert(rule == OverlapRule::end ? covered : start);
        } else if (start > covered) {
            has_gaps = true;
            made.right = made.right && gaps != Gaps::refuse;
            if (gaps == Gaps::segment) cuts.insert({covered, start});
            if (gaps == Gaps::join && covered > 0) cuts.insert(start);
        } else {
            cuts.insert(start);
        }
        covered = std::max(covered, end), last_start = start;
    }
    if (covered < units) {
        has_gaps = true;
        made.right = made.right && gaps != Gaps::refuse;
        if (gaps == Gaps::segment) cuts.insert(covered);
    }
    for (const Index cut : cuts)
        if (0 < cut && cut < units) made.cuts.push_back(cut);
    return made;
}

void check_spans(Draws& in) {
    std::vector<Index> starts, ends, offsets{0}, units;
    std::vector<std::vector<std::pair<Index, Index>>> rows;
    for (std::size_t row = in.size(0, 3); row > 0; --row) {
        rows.emplace_back();
        Index at = 0;
        for (std::size_t n = in.size(0, 6); n > 0; --n) {
            const Index start = in.number(0, 3) > 0 ? at : std::max<Index>(-1, at + in.number(-3, 3));
            at = start + (in.rarely() ? in.number(-1, 0) : in.number(1, 5));
            rows.back().emplace_back(start, at);
        }
        if (in.coin()) std::reverse(rows.back().begin(), rows.back().end());
        for (const auto& [start, end] : rows.back()) starts.push_back(start), ends.push_back(end);
        offsets.push_back(static_cast<Index>(starts.size()));
        units.push_back(std::max<Index>(0, at) + in.number(-1, 3));
    }
    const bool given = in.coin();
    for (const Gaps gaps : {Gaps::refuse, Gaps::segment, Gaps::join})
        for (const OverlapRule rule : {OverlapRule::refuse, OverlapRule::start, OverlapRule::end}) {
            std::vector<Row> expected;
            bool has_gaps = false, has_overlaps = false;
            for (std::size_t row = 0; row < rows.size(); ++row) {
                Index size = 0;
                for (const auto& [start, end] : rows[row]) size = std::max(size, end);
                expected.push_back(cuts_of_spans(rows[row], given ? units[row] : size, gaps, rule, has_gaps, has_overlaps));
                if (!expected.back().right) break;
            }
            const SpanCuts found = spans_to_cuts(
                starts, ends, offsets, given ? std::span<const Index>(units) : std::span<const Index>(), gaps, rule, {});
            check_lists_are(found, expected);
            if (found.wrong == kNoRow) CHECK(found.has_gaps == has_gaps && found.has_overlaps == has_overlaps);
        }
}

}  // namespace

void check_lists(Draws in) {
    check_sizes<std::int32_t>(in);
    check_sizes<Index>(in);
    check_positions<std::int32_t>(in);
    check_positions<Index>(in);
    check_marks<std::uint8_t>(in);
    check_marks<Index>(in);
    check_spans(in);
}

}  // namespace native
