// unitizing.hpp -- Agreement on the segments themselves, as units of a continuum: alpha_U and gamma.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// A segment holds the units (start, end] of a text.
struct Segment {
    Index start, end;
    Kind category;
    Index size() const noexcept { return end - start; }
    friend auto operator<=>(const Segment&, const Segment&) = default;
};

// The segments of one annotator, in order, from the start of the text to its end.
using Segmented = std::span<const Segment>;

// Krippendorff's alpha_U (1995; 2004, section 11.6) of one text. A category divides the continuum of
// each annotator into units of that category and gaps between them. Sections of two annotators that
// overlap differ by the squares of the distances of their ends (two units), by the square of the
// unit's length (a unit inside a gap), or not at all. Observed is their sum, expected what it would be
// if every unit could be anywhere; both for one annotator against the mean of the others, times the
// number of annotators. O(segments * annotators) time for each category. Exact: texts have less than
// 2^32 units, which the Python edge has checked.
class UnitizingSums {
public:
    std::array<double, 2> add(std::span<const Segmented> rows, const Stop& stop) {
        std::array<double, 2> sums{0.0, 0.0};
        categories_.clear();
        for (const Segmented row : rows)
            for (const Segment& one : row) {
                stop.check(categories_.size());
                categories_.push_back(one.category);
            }
        sort(categories_, stop);
        categories_.erase(std::unique(categories_.begin(), categories_.end()), categories_.end());
        for (const Kind category : categories_) {
            divide(rows, category, stop);
            sums[0] += observed(stop);
            sums[1] += expected(rows.front().back().end, stop);
        }
        return sums;
    }

private:
    using Wide = __int128;  // sums of cubes of lengths

    struct Section {
        Index start, end;
        bool is_unit;
        Index size() const noexcept { return end - start; }
    };

    void divide(std::span<const Segmented> rows, Kind category, const Stop& stop) {
        sections_.clear();
        bounds_.assign(1, 0);
        for (const Segmented row : rows) {
            const std::size_t first = sections_.size();
            for (const Segment& one : row) {
                stop.check(static_cast<std::size_t>(&one - row.data()) + 1);
                const bool is_unit = one.category == category;
                if (!is_unit && sections_.size() > first && !sections_.back().is_unit) sections_.back().end = one.end;
                else sections_.push_back({one.start, one.end, is_unit});
            }
            bounds_.push_back(sections_.size());
        }
    }

    std::span<const Section> sections(std::size_t row) const {
        return std::span(sections_).subspan(bounds_[row], bounds_[row + 1] - bounds_[row]);
    }

    double observed(const Stop& stop) const {
        const std::size_t rows = bounds_.size() - 1;
        Wide sum = 0;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = i + 1; j < rows; ++j) {
                sum += difference(sections(i), sections(j), stop);
            }
        return static_cast<double>(2 * sum) / static_cast<double>(rows - 1);
    }

    static Wide difference(std::span<const Section> a, std::span<const Section> b, const Stop& stop) {
        Wide sum = 0;
        for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
            stop.check(i + j);
            const Section &one = a[i], &other = b[j];
            const Wide left = one.start - other.start, right = one.end - other.end;
            if (one.is_unit && other.is_unit) sum += left * left + right * right;
            else if (one.is_unit && left >= 0 && right <= 0) sum += Wide{one.size()} * one.size();
            else if (other.is_unit && left <= 0 && right >= 0) sum += Wide{other.size()} * other.size();
            i += right <= 0;
            j += right >= 0;
        }
        return sum;
    }

    double expected(Index units, const Stop& stop) {
        gaps_.clear();
        Wide alone = 0, pairs = 0, count = 0;
        for (const Section& one : sections_) {
            const Wide size = one.size();
            if (!one.is_unit) {
                gaps_.push_back(one.size());
                continue;
            }
            ++count;
            alone += size * (size - 1) * (2 * size - 1) / 3;
            pairs += size * (size - 1);
        }
        Wide sum = (count - 1) * alone;
        if (!gaps_.empty()) sum += in_gaps(stop);
        const Wide all = static_cast<Wide>(bounds_.size() - 1) * units;
        return 2.0 * static_cast<double>(all) * static_cast<double>(sum) / static_cast<double>(all * (all - 1) - pairs);
    }

    // For every unit, its squared length once for each place in each gap that can hold it.
    Wide in_gaps(const Stop& stop) {
        sort(gaps_, stop);
        longer_.assign(gaps_.size() + 1, 0);
        for (std::size_t i = gaps_.size(); i-- > 0;) longer_[i] = longer_[i + 1] + gaps_[i];
        Wide sum = 0;
        for (const Section& one : sections_) {
            stop.check(static_cast<std::size_t>(&one - sections_.data()));
            if (!one.is_unit) continue;
            const Wide size = one.size();
            const auto first =
                static_cast<std::size_t>(std::lower_bound(gaps_.begin(), gaps_.end(), one.size()) - gaps_.begin());
            sum += size * size * (longer_[first] - static_cast<Wide>(gaps_.size() - first) * (size - 1));
        }
        return sum;
    }

    std::vector<Kind> categories_;
    std::vector<Section> sections_;
    std::vector<std::size_t> bounds_;
    std::vector<Index> gaps_;
    std::vector<Wide> longer_;
};

// The disorder of the best alignment of several annotators' segments, for gamma (Mathet, Widlöcher &
// Métivier 2015). A unitary alignment has at most one segment of each annotator; its disorder is the
// mean, over all pairs of annotators, of ((distance of starts + distance of ends) / (sum of sizes))^2,
// or 1 where a segment is missing. An alignment gives every segment to one unitary alignment, and its
// disorder is their sum: the number of unitary alignments, less what pairs in them gain.
//
// The best alignment of n annotators is NP-hard. Here annotators are added one after the other, each in
// the best way (an assignment problem: exact for two annotators), and then each is taken out and added
// again as long as that helps; this from up to eight starts. What is found is a local optimum: `bound`
// is a disorder that no alignment is below. Annotators are sorted by what they did, so that their order
// changes nothing. O(segments^3 + segments^2 * annotators) for each turn: an
// assignment takes a path through all places for each segment.
class BestAlignment {
public:
    struct Found {
        double disorder, bound;
    };

    Found find(std::span<const Segmented> rows, const Stop& stop) {
        rows_.assign(rows.begin(), rows.end());
        std::sort(rows_.begin(), rows_.end(), [](Segmented a, Segmented b) {
            return a.size() != b.size() ? a.size() < b.size()
                                        : std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
        });
        const auto n = static_cast<double>(rows_.size());
        share_ = 2.0 / (n * (n - 1.0));
        const double least = by_turns(stop);
        return {least, rows_.size() == 2 ? least : std::min(least, bound(stop))};
    }

private:
    static constexpr std::size_t kMostStarts = 8, kTurns = 32;  // of many annotators there are fewer starts
    static constexpr int kMostRounds = 100;
    static constexpr double kRounding = 1e-9;

    static double difference(const Segment& a, const Segment& b) {
        const double apart = static_cast<double>(std::abs(a.start - b.start) + std::abs(a.end - b.end));
        const double ratio = apart / static_cast<double>(a.size() + b.size());
        return ratio * ratio;
    }

    // What a pair in one unitary alignment saves.
    double gain(const Segment& a, const Segment& b) const { return (1.0 - difference(a, b)) * share_; }

    // Columns are unitary alignments: the number of each annotator's segment, or -1.

    double by_turns(const Stop& stop) {
        double least = 1e300;
        const std::size_t starts = std::clamp<std::size_t>(kTurns / width(), 1, std::min(width(), kMostStarts));
        for (std::size_t first = 0; first < starts; ++first) {
            columns_.clear();
            for (std::size_t turn = 0; turn < width(); ++turn) {
                put_in((first + turn) % width(), stop);
            }
            least = std::min(least, improved(stop));
        }
        return least;
    }

    // Takes out and adds each annotator again as long as that helps.
    double improved(const Stop& stop) {
        double least = disorder();
        for (int round = 0; round < kMostRounds; ++round) {
            const double before = least;
            for (std::size_t row = 0; row < width(); ++row) {
                kept_ = columns_;
                take_out(row);
                put_in(row, stop);
                const double now = disorder();
                if (now < least - kRounding) least = now;
                else columns_ = kept_;
            }
            if (least >= before - kRounding) break;
        }
        return least;
    }

    std::size_t width() const { return rows_.size(); }
    std::size_t height() const { return columns_.size() / width(); }

    double joining(std::size_t column, const Segment& one) const {
        double sum = 1.0;  // one unitary alignment less
        for (std::size_t row = 0; row < width(); ++row) {
            const int other = columns_[column * width() + row];
            if (other >= 0) sum += gain(rows_[row][static_cast<std::size_t>(other)], one);
        }
        return sum;
    }

    // Adds an annotator's segments to the columns, each to one or as a new one, in the best way.
    void put_in(std::size_t row, const Stop& stop) {
        const std::size_t columns = height(), own = rows_[row].size(), places = columns + own;
        cost_.assign(own * places, 0.0);  // the last places are new columns
        Patience patience(stop);
        for (std::size_t y = 0; y < own; ++y) {
            patience.spend(columns * width());
            for (std::size_t x = 0; x < columns; ++x) cost_[y * places + x] = std::min(0.0, -joining(x, rows_[row][y]));
        }
        assign(own, places, stop);
        for (std::size_t x = 0; x < places; ++x) {
            if (taken_[x + 1] == 0) continue;
            const std::size_t y = taken_[x + 1] - 1;
            const bool joins = x < columns && cost_[y * places + x] < 0.0;
            const std::size_t column = joins ? x : height();
            if (!joins) columns_.resize(columns_.size() + width(), -1);
            columns_[column * width() + row] = static_cast<int>(y);
        }
    }

    // The cheapest places of all segments, one each, by shortest augmenting paths (Kuhn 1955; Jonker &
    // Volgenant 1987): taken_[place + 1] is the number of a segment from 1, or 0.
    void assign(std::size_t own, std::size_t places, const Stop& stop) {
        Patience patience(stop);
        taken_.assign(places + 1, 0), from_.assign(places + 1, 0);
        left_.assign(own + 1, 0.0), right_.assign(places + 1, 0.0);
        for (std::size_t row = 1; row <= own; ++row) {
            slack_.assign(places + 1, kFar), used_.assign(places + 1, 0);
            taken_[0] = row;
            std::size_t at = 0;
            do {
                patience.spend(places);
                used_[at] = 1;
                const std::size_t segment = taken_[at];
                const double* costs = cost_.data() + (segment - 1) * places;
                double step = kFar;
                std::size_t next = 0;
                for (std::size_t x = 1; x <= places; ++x) {
                    if (used_[x] != 0) continue;
                    const double reduced = costs[x - 1] - left_[segment] - right_[x];
                    if (reduced < slack_[x]) slack_[x] = reduced, from_[x] = at;
                    if (slack_[x] < step) step = slack_[x], next = x;
                }
                for (std::size_t x = 0; x <= places; ++x) {
                    if (used_[x] != 0) left_[taken_[x]] += step, right_[x] -= step;
                    else slack_[x] -= step;
                }
                at = next;
            } while (taken_[at] != 0);
            for (; at != 0; at = from_[at]) taken_[at] = taken_[from_[at]];
        }
    }

    void take_out(std::size_t row) {
        made_.clear();
        for (std::size_t column = 0; column < height(); ++column) {
            columns_[column * width() + row] = -1;
            const auto first = columns_.begin() + static_cast<std::ptrdiff_t>(column * width());
            const auto last = first + static_cast<std::ptrdiff_t>(width());
            if (std::any_of(first, last, [](int one) { return one >= 0; })) made_.insert(made_.end(), first, last);
        }
        columns_ = made_;
    }

    double disorder() const {
        const std::size_t pairs = width() * (width() - 1) / 2;
        double sum = 0.0;
        for (std::size_t column = 0; column < height(); ++column) {
            std::size_t missing = pairs;
            for (std::size_t i = 0; i < width(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const int one = columns_[column * width() + i], other = columns_[column * width() + j];
                    if (one < 0 || other < 0) continue;
                    --missing;
                    sum += difference(rows_[i][static_cast<std::size_t>(one)], rows_[j][static_cast<std::size_t>(other)]);
                }
            sum += static_cast<double>(missing);
        }
        return sum * share_;
    }

    // No alignment has less: it has a unitary alignment for each segment of the annotator with most of
    // them, and every two annotators gain at most what they would gain alone. Only segments that
    // overlap gain anything, and pairs of these never cross.
    double bound(const Stop& stop) {
        std::size_t most = 0;
        double gains = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            most = std::max(most, rows_[i].size());
            for (std::size_t j = 0; j < i; ++j) {
                gains += most_gained(rows_[i], rows_[j], stop);
            }
        }
        return static_cast<double>(most) - gains;
    }

    double most_gained(Segmented a, Segmented b, const Stop& stop) {
        Patience patience(stop);
        cost_.assign(b.size() + 1, 0.0);
        for (const Segment& one : a) {
            patience.spend(b.size());
            double diagonal = 0.0;
            for (std::size_t j = 1; j <= b.size(); ++j) {
                const double joined = diagonal + gain(one, b[j - 1]);
                diagonal = cost_[j];
                cost_[j] = std::max({cost_[j], cost_[j - 1], joined});
            }
        }
        return cost_.back();
    }

    static constexpr double kFar = 1e300;

    std::vector<Segmented> rows_;
    std::vector<double> cost_, left_, right_, slack_;
    std::vector<std::size_t> taken_, from_;
    std::vector<unsigned char> used_;
    std::vector<int> columns_, kept_, made_;
    double share_ = 1.0;
};

}  // namespace fencepost
