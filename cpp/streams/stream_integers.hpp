// stream_integers.hpp -- Columns of the re-segmentation at any whole costs, with forbidden places.
//
// Cells hold cost - insertion * row: then an insertion costs nothing, and a column is the running
// minimum of what comes from the left and along the diagonal. Further keys are digits of the same
// number (see Digits): cost, substitutions between a word and a mark, boundaries not at a break; or
// cost and words of the references.
#pragma once

#include <array>
#include <limits>

#include "streams/stream.hpp"
#include "streams/stream_step.hpp"

namespace fencepost {

// What one unit of cost and one substitution between a word and a mark count for, so that keys are
// compared in their order. A boundary at a break takes 1 off, at most once for each segment. Such a
// substitution takes a mark of the hypothesis or of a reference, each at most once. Where words are
// a key, a reference counts for how much it is longer than the shortest, or shorter than the longest.
struct Digits {
    Index cost = 1, mixed = 1;

    Digits(const WordStream& s, const StreamSettings& o) {
        for (std::size_t k = 0; o.words != Words::any && k < s.segments(); ++k)
            mixed += static_cast<Index>(s.longest(k) - s.shortest(k));
        if (!s.breaks.empty()) mixed *= static_cast<Index>(s.segments()) + 1;
        cost = mixed;
        if (s.marks.empty()) return;
        const auto count = [&](std::span<const WordId> words) {
            return std::count_if(words.begin(), words.end(), [&](WordId word) { return s.is_mark(word); });
        };
        cost *= 1 + count(s.hyp) + count(s.all_words());
    }
};

// All cells of one part of a reference in a band of rows.
template <class T>
struct IntegerCells {
    std::size_t first = 0, height = 0, length = 0;
    std::vector<T> cells;         // by column from 0, then by row
    const T* boundary = nullptr;  // by row: the segments before, if one ends here
    Band limit;                   // rows of that column
    const WordStream* stream = nullptr;
    std::span<const WordId> ref;
    T substitution = 0, mixed = 0, insertion_ = 0, deletion_ = 0;
    bool opening = false;

    const T& at(std::size_t i, std::size_t j) const { return cells[j * height + i - first]; }
    T& at(std::size_t i, std::size_t j) { return cells[j * height + i - first]; }
    bool same(std::size_t i, std::size_t j) const { return stream->hyp[i - 1] == ref[j - 1]; }
    bool mixes(std::size_t i, std::size_t j) const {
        return !stream->marks.empty() && stream->is_mark(stream->hyp[i - 1]) != stream->is_mark(ref[j - 1]);
    }
    T diagonal_cost(std::size_t i, std::size_t j) const {
        if (same(i, j)) return static_cast<T>(-insertion_);
        return static_cast<T>(substitution + (mixes(i, j) ? mixed : T{0}) - insertion_);
    }
    bool deletion(std::size_t i, std::size_t j) const { return at(i, j) == at(i, j - 1) + deletion_; }
    bool insertion(std::size_t i, std::size_t j) const { return at(i, j) == at(i - 1, j); }
    bool diagonal(std::size_t i, std::size_t j) const { return at(i, j) == at(i - 1, j - 1) + diagonal_cost(i, j); }
    bool starts(std::size_t i) const {
        if (opening) return i == 0;
        return i >= limit.first && i <= limit.last && boundary[i] == at(i, 0);
    }
};

template <class T>
class IntegerEngine {
public:
    using Cell = T;  // a column: by row the segments before, if one ends here
    static constexpr bool finds_limits = false;

    // Whether all cells are below `infinite`: they lie between -insertion * rows and the cost of
    // deleting every reference.
    static bool fits(const WordStream& s, const StreamSettings& o) {
        const auto scale = static_cast<double>(Digits(s, o).cost);
        double longest = 0;
        for (std::size_t k = 0; k < s.segments(); ++k) longest += static_cast<double>(s.longest(k)) + 1;
        const double most = static_cast<double>(std::max({o.substitution, o.insertion, o.deletion}));
        const double steps = std::max(static_cast<double>(s.hyp.size()), longest) + 4;
        return (steps * most + 2) * scale < static_cast<double>(infinite);
    }

    void load(const WordStream& s, const StreamSettings& o, std::size_t) {
        s_ = s, o_ = o;
        rows_ = s.hyp.size() + 1;
        const Digits digits(s, o);
        substitution_ = static_cast<T>(o.substitution * digits.cost), mixed_ = static_cast<T>(digits.mixed);
        insertion_ = static_cast<T>(o.insertion * digits.cost);
        deletion_ = static_cast<T>(o.deletion * digits.cost);
        for (auto* column : {&start_, &here_, &ahead_}) column->resize(rows_);
        load_substitutions();
        if (!o.peer_row) return;
        tops_.assign(1, 0);
        for (std::size_t k = 0; k < s.segments(); ++k)
            tops_.push_back(static_cast<T>(tops_.back() + static_cast<T>(s.longest(k) + 1) * deletion_));
    }
    void unload() {}

    std::size_t width() const { return rows_; }

    void first_column(T* out) const {
        std::fill(out, out + rows_, infinite);
        out[0] = 0;
    }

    void advance(std::size_t k, const T* in, T* out, const Band& band, const Stop& stop) {
        const std::size_t first = band.first, height = band.last - band.first + 1;
        close(k, in, band);
        std::fill(out + first, out + first + height, std::numeric_limits<T>::max());
        for (std::size_t r = 0; r < s_.references(k); ++r) {
            const T* end = run(s_.words_of(k, r), start_.data(), first, height, stop);
            const T extra = extra_words(k, r);
            for (std::size_t i = 0; i < height; ++i)
                out[first + i] = std::min(out[first + i], static_cast<T>(end[i] + extra));
        }
        if (o_.peer_row && first == 0) out[0] = tops_[k + 1];
        for (std::size_t i = first; !s_.breaks.empty() && i <= band.last; ++i)
            out[i] = static_cast<T>(out[i] - (s_.breaks[i] != 0));
        for (std::size_t i = std::max<std::size_t>(first, 1); !s_.forbidden.empty() && i <= band.last && i + 1 < rows_; ++i)
            if (s_.forbidden[i]) out[i] = infinite;
    }

    // The sum of all keys at the end of the last column.
    Index last_value(const T* column) const {
        return Index{column[rows_ - 1]} + Index{insertion_} * static_cast<Index>(rows_ - 1);
    }

    Band band(std::size_t k, const T* column, const Band& within, std::size_t row, std::size_t length,
              std::size_t segments) {
        close(k, column, {within.first, row});
        return {within.first + lowest(start_.data(), row - within.first, length, segments), within.last};
    }

    std::size_t trace(std::size_t k, const T* column, const Band& within, std::size_t end, const Stop& stop, Walk& walk) {
        const Band rows = band(k, column, {within.first, end}, end, s_.longest(k), 1);
        const std::size_t references = s_.references(k);
        close(k, column, rows);
        values_.clear();
        for (std::size_t r = 0; r < references; ++r) values_.push_back(value(compute_parts(k, r, rows, stop), rows, end));
        const T least = *std::min_element(values_.begin(), values_.end());
        std::size_t chosen = references;
        for (std::size_t r = 0; r < references; ++r) {
            if (values_[r] > least || (chosen < references && o_.ties == Ties::rwth)) continue;
            walk_reference(k, r, column, rows, end, other_walk_);
            const bool better = o_.ties == Ties::earliest ? other_walk_.start < walk.start : other_walk_.start > walk.start;
            if (chosen < references && !better) continue;
            std::swap(walk, other_walk_);
            chosen = r;
        }
        return chosen;
    }

    // From the places where segment k may end to those where it may begin.
    void reach(std::size_t k, const T* column, const Band& within, std::vector<Band>& places, const Stop& stop) {
        const Band rows = band(k, column, {within.first, places.back().last}, places.front().first, s_.longest(k), 1);
        const std::size_t height = rows.last - rows.first + 1, references = s_.references(k);
        close(k, column, rows);
        least_.assign(height, std::numeric_limits<T>::max());
        for (std::size_t r = 0; r < references; ++r) {
            const T* end = compute_parts(k, r, rows, stop);
            for (std::size_t n = 0; n < height; ++n) least_[n] = std::min(least_[n], value(end, rows, rows.first + n));
        }
        starts_.assign(height, 0);
        for (std::size_t r = 0; r < references; ++r) {
            const T* end = part_start(r, Parts(s_.words_of(k, r).size()).count, rows);
            reached_.assign(height, 0);
            for (const Band& run : places)
                for (std::size_t row = run.first; row <= run.last; ++row)
                    reached_[row - rows.first] = value(end, rows, row) == least_[row - rows.first];
            reach_reference(k, r, column, rows, stop);
        }
        places.clear();
        for (std::size_t n = 0; n < height; ++n)
            if (starts_[n]) add_places({rows.first + n, rows.first + n}, places);
    }

private:
    static constexpr T infinite = std::numeric_limits<T>::max() / 2;

    // Lets segment k begin with insertions, into start_. Rows outside the limits of its first
    // column are not read: they may not have been computed.
    void close(std::size_t k, const T* in, const Band& rows) {
        const Band limit = s_.limit(k).within(rows);
        const std::size_t after = rows.last + 1;
        T* out = start_.data();
        T least = infinite;
        std::size_t i = rows.first;
        for (const std::size_t end = std::min(limit.first, after); i < end; ++i) *out++ = infinite;
        for (; i <= limit.last; ++i) *out++ = least = std::min(least, in[i]);
        for (; i < after; ++i) *out++ = least;
    }

    T extra_words(std::size_t k, std::size_t r) const {
        if (o_.words == Words::any) return 0;
        const std::size_t length = s_.words_of(k, r).size();
        return static_cast<T>(o_.words == Words::fewest ? length - s_.shortest(k) : s_.longest(k) - length);
    }

    // What a word and a mark cost in the place of each word of the hypothesis.
    void load_substitutions() {
        for (std::size_t mark = 0; !s_.marks.empty() && mark < 2; ++mark) {
            others_[mark].resize(s_.hyp.size());
            for (std::size_t i = 0; i < s_.hyp.size(); ++i)
                others_[mark][i] =
                    static_cast<T>(substitution_ - insertion_ + (s_.is_mark(s_.hyp[i]) != (mark == 1) ? mixed_ : T{0}));
        }
    }

    void step(WordId word, const T* from, T* to, std::size_t first, std::size_t height) {
        StepCosts<T> cost{deletion_, static_cast<T>(-insertion_), static_cast<T>(substitution_ - insertion_)};
        if (s_.marks.empty()) return step_column<false>(o_.plain, s_.hyp.data() + first, word, from, to, height, cost);
        cost.others = others_[s_.is_mark(word) ? 1 : 0].data() + first;
        step_column<true>(o_.plain, s_.hyp.data() + first, word, from, to, height, cost);
    }

    // The last row from which no best path leads to `row` over `length` reference words, else 0.
    std::size_t lowest(const T* column, std::size_t row, std::size_t length, std::size_t segments) const {
        const Index slack = static_cast<Index>(length) * (Index{insertion_} + deletion_) + static_cast<Index>(segments);
        const Index limit = Index{column[row]} + slack;
        const T* at = std::partition_point(column, column + row, [&](T value) { return value > limit; });
        return at > column ? static_cast<std::size_t>(at - column) - 1 : 0;
    }

    // The last column of a reference or a part of it.
    const T* run(std::span<const WordId> ref, const T* from, std::size_t first, std::size_t height, const Stop& stop) {
        for (const WordId word : ref) {
            T* to = from == here_.data() ? ahead_.data() : here_.data();
            step(word, from, to, first, height);
            from = to;
            stop.check();
        }
        return from;
    }

    // The columns at the ends of all parts of a reference from start_, into parts_[r]; the last one.
    const T* compute_parts(std::size_t k, std::size_t r, const Band& rows, const Stop& stop) {
        const std::size_t height = rows.last - rows.first + 1;
        const auto ref = s_.words_of(k, r);
        const Parts parts(ref.size());
        if (parts_.size() <= r) parts_.resize(r + 1);
        if (parts_[r].size() < height * parts.count) parts_[r].resize(height * parts.count);
        const T* from = start_.data();
        for (std::size_t part = 0; part < parts.count; ++part) {
            T* out = parts_[r].data() + height * part;
            const T* end = run(parts.of(ref, part), from, rows.first, height, stop);
            std::copy(end, end + height, out);
            from = out;
        }
        return from;
    }

    // In the peers' row 0 all references are as long as the longest.
    T value(const T* end, const Band& rows, std::size_t row) const {
        return o_.peer_row && row == 0 ? T{0} : end[row - rows.first];
    }

    const T* part_start(std::size_t r, std::size_t part, const Band& rows) const {
        return part == 0 ? start_.data() : parts_[r].data() + (rows.last - rows.first + 1) * (part - 1);
    }

    void walk_reference(std::size_t k, std::size_t r, const T* column, const Band& rows, std::size_t end, Walk& walk) {
        const auto ref = s_.words_of(k, r);
        const Parts parts(ref.size());
        walk.clear();
        walk.start = end;
        for (std::size_t part = parts.count; part-- > 0;) {
            record(k, parts.of(ref, part), column, part_start(r, part, rows), {rows.first, walk.start}, walk.start);
            walk_back(cells_, o_.ties, walk.start, part * parts.size, o_.alignment, walk);
        }
    }

    // The cells of one part that can matter for paths to `row` and higher ones, into cells_.
    void record(std::size_t k, std::span<const WordId> ref, const T* column, const T* start, const Band& rows,
                std::size_t row) {
        const std::size_t skipped = lowest(start, row - rows.first, ref.size(), 1);
        IntegerCells<T>& c = cells_;
        c.first = rows.first + skipped, c.height = rows.last - c.first + 1, c.stream = &s_, c.ref = ref;
        c.length = ref.size(), c.boundary = column, c.limit = s_.limit(k), c.opening = k == 0;
        c.substitution = substitution_, c.mixed = mixed_, c.insertion_ = insertion_, c.deletion_ = deletion_;
        if (c.cells.size() < (c.length + 1) * c.height) c.cells.resize((c.length + 1) * c.height);
        std::copy(start + skipped, start + skipped + c.height, c.cells.data());
        for (std::size_t j = 0; j < c.length; ++j)
            step(ref[j], c.cells.data() + j * c.height, c.cells.data() + (j + 1) * c.height, c.first, c.height);
    }

    // Takes the rows reached in a reference's last column to the segment's start, into starts_.
    void reach_reference(std::size_t k, std::size_t r, const T* column, const Band& rows, const Stop& stop) {
        const auto ref = s_.words_of(k, r);
        const Parts parts(ref.size());
        for (std::size_t part = parts.count; part-- > 0;) {
            const auto lowest = std::find(reached_.begin(), reached_.end(), 1);
            if (lowest == reached_.end()) return;
            const std::size_t row = rows.first + static_cast<std::size_t>(lowest - reached_.begin());
            record(k, parts.of(ref, part), column, part_start(r, part, rows), rows, row);
            lead_back(rows, part == 0, stop);
        }
        for (std::size_t n = 0; n < reached_.size(); ++n) starts_[n] |= reached_[n] && cells_.starts(rows.first + n);
    }

    // Takes the rows reached from the last column of cells_ to its column 0, through all steps that
    // lead to a cell at its cost. reached_[n] is row rows.first + n.
    void lead_back(const Band& rows, bool first_part, const Stop& stop) {
        const std::size_t low = cells_.first - rows.first, high = rows.last - rows.first;
        for (std::size_t j = cells_.length;; --j) {
            for (std::size_t n = high; (j > 0 || first_part) && n > low; --n)
                reached_[n - 1] |= reached_[n] && cells_.insertion(rows.first + n, j);
            if (j == 0) return;
            stop.check();
            // From low rows to high ones: a row gets what its own deletion and the next one's diagonal bring.
            for (std::size_t n = low; n <= high; ++n) {
                reached_[n] &= n == low || (reached_[n] && cells_.deletion(rows.first + n, j));
                reached_[n] |= n < high && reached_[n + 1] && cells_.diagonal(rows.first + n + 1, j);
            }
        }
    }

    WordStream s_;
    StreamSettings o_;
    std::size_t rows_ = 1;
    T substitution_ = 1, mixed_ = 1, insertion_ = 1, deletion_ = 1;
    std::array<std::vector<T>, 2> others_;  // by row, against a word and against a mark
    std::vector<T> start_, here_, ahead_, tops_, least_, values_;
    std::vector<std::vector<T>> parts_;
    IntegerCells<T> cells_;
    std::vector<std::uint8_t> reached_, starts_;  // by row of a band
    Walk other_walk_;
};

}  // namespace fencepost
