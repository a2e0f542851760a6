// unitizing.cpp -- alpha_U beside sections and places looked at one by one, gamma beside every alignment.
#include "kernels/unitizing.hpp"

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

using Segments = std::vector<Segment>;

Segments draw_segments(Draws& in, Index units, std::size_t most, Kind categories) {
    Segments made;
    for (Index at = 0; at < units;) {
        const Index end = made.size() + 1 == most ? units : std::min(units, at + in.number(1, units));
        made.push_back({at, end, static_cast<Kind>(in.number(0, categories - 1))});
        at = end;
    }
    return made;
}

// The category that a segment has; neighbours that do not have it are one gap.
struct Piece {
    Index start, end;
    bool is_unit;
};

std::vector<Piece> pieces_of(const Segments& row, Kind category) {
    std::vector<Piece> pieces;
    for (const Segment& one : row) {
        const bool is_unit = one.category == category;
        if (!is_unit && !pieces.empty() && !pieces.back().is_unit) pieces.back().end = one.end;
        else pieces.push_back({one.start, one.end, is_unit});
    }
    return pieces;
}

double square(Index x) { return static_cast<double>(x) * static_cast<double>(x); }

double between(const Piece& a, const Piece& b) {
    if (std::max(a.start, b.start) >= std::min(a.end, b.end)) return 0;
    if (a.is_unit && b.is_unit) return square(a.start - b.start) + square(a.end - b.end);
    if (a.is_unit && b.start <= a.start && a.end <= b.end) return square(a.end - a.start);
    if (b.is_unit && a.start <= b.start && b.end <= a.end) return square(b.end - b.start);
    return 0;
}

std::array<double, 2> disagreement(const std::vector<Segments>& rows, Kind categories) {
    std::array<double, 2> sums{0, 0};
    const auto n = static_cast<double>(rows.size());
    const double units = static_cast<double>(rows[0].back().end), whole = n * units;
    for (Kind category = 0; category < categories; ++category) {
        std::vector<std::vector<Piece>> all;
        for (const Segments& row : rows) all.push_back(pieces_of(row, category));
        double observed = 0, count = 0, expected = 0, taken = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = 0; j < all.size(); ++j)
                for (const Piece& a : all[i])
                    for (const Piece& b : all[j]) observed += i == j ? 0 : between(a, b);
        for (const auto& row : all)
            for (const Piece& one : row) count += one.is_unit;
        for (const auto& row : all)
            for (const Piece& one : row) {
                if (!one.is_unit) continue;
                const Index size = one.end - one.start;
                taken += static_cast<double>(size * (size - 1));
                // Beside another unit that overlaps it by any number of places, and in every gap.
                for (Index shift = 1; shift < size; ++shift) expected += (count - 1) * 2 * square(shift);
                for (const auto& other : all)
                    for (const Piece& gap : other)
                        for (Index at = gap.start; !gap.is_unit && at + size <= gap.end; ++at) expected += square(size);
            }
        if (count == 0) continue;
        sums[0] += observed / (n - 1);
        sums[1] += 2 * whole * expected / (whole * (whole - 1) - taken);
    }
    return sums;
}

double apart(const Segment& a, const Segment& b) {
    const double ratio = static_cast<double>(std::abs(a.start - b.start) + std::abs(a.end - b.end)) /
                         static_cast<double>(a.size() + b.size());
    return ratio * ratio;
}

// The least disorder of all alignments: the segments of each annotator in turn join any of the
// unitary alignments so far, or begin one.
class EveryAlignment {
public:
    explicit EveryAlignment(const std::vector<Segments>& rows) : rows_(rows) { place(0, 0); }
    double least() const { return least_; }

private:
    void place(std::size_t row, std::size_t at) {
        if (row == rows_.size()) return void(least_ = std::min(least_, disorder()));
        if (at == rows_[row].size()) return place(row + 1, 0);
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            if (columns_[column][row] != nullptr) continue;
            columns_[column][row] = &rows_[row][at];
            place(row, at + 1);
            columns_[column][row] = nullptr;
        }
        columns_.emplace_back(rows_.size(), nullptr);
        columns_.back()[row] = &rows_[row][at];
        place(row, at + 1);
        columns_.pop_back();
    }

    double disorder() const {
        double sum = 0, pairs = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) pairs += static_cast<double>(i);
        for (const auto& column : columns_)
            for (std::size_t i = 0; i < rows_.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) sum += column[i] && column[j] ? apart(*column[i], *column[j]) : 1;
        return sum / pairs;
    }

    const std::vector<Segments>& rows_;
    std::vector<std::vector<const Segment*>> columns_;
    double least_ = 1e300;
};

}  // namespace

void check_unitizing(Draws in) {
    const Index units = in.number(1, 40);
    const auto categories = static_cast<Kind>(in.number(1, 3));
    const std::size_t annotators = in.size(2, 3), most = annotators == 2 ? 5 : 3;
    std::vector<Segments> rows;
    for (std::size_t i = 0; i < annotators; ++i) rows.push_back(exactly(draw_segments(in, units, most, categories)));
    std::vector<Segmented> seen(rows.begin(), rows.end());
    UnitizingSums sums;
    if (units > 1) {  // the edge refuses texts in which nothing could be elsewhere
        const std::array expected = disagreement(rows, categories), found = sums.add(seen, {});
        const double size = square(units) * static_cast<double>(annotators);
        for (std::size_t i = 0; i < 2; ++i) CHECK(std::abs(found[i] - expected[i]) <= 1e-9 * size);
    }
    BestAlignment best;
    const auto found = best.find(seen, {});
    const double least = EveryAlignment(rows).least();
    CHECK(found.disorder >= least - 1e-9 && found.bound <= least + 1e-9);
    if (annotators == 2) CHECK_NEAR(found.disorder, least);
    std::reverse(seen.begin(), seen.end());
    CHECK_SAME(best.find(seen, {}).disorder, found.disorder);
}

}  // namespace native
