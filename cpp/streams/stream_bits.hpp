// stream_bits.hpp -- Columns of the re-segmentation at unit costs, 64 rows in one machine word.
//
// Neighbours in a column differ by -1, 0 or 1, so a column is two bit vectors: where it rises and
// where it falls (Myers 1999; Hyyro 2003). The hypothesis is the column; one step takes one
// reference word. Any start column with such steps will do, and the minimum of two columns is one.
#pragma once

#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "streams/stream.hpp"
#include "streams/stream_limits.hpp"

// Nearly all time is spent in one step of a column. The compiler stops inlining it when the file
// around it grows, and then it takes a fifth longer.
#ifdef __GNUC__
#define FENCEPOST_INLINE __attribute__((always_inline))
#else
#define FENCEPOST_INLINE
#endif

namespace fencepost {

using Bits = std::uint64_t;

// Where each word stands in the hypothesis. Frequent words have a bit vector of their own; the rest
// are lists of positions, put into a bit vector when needed: O(words) memory.
class WordPlaces {
public:
    void load(std::span<const WordId> hyp, std::size_t vocabulary) {
        hyp_ = hyp;
        words_ = (hyp.size() + 63) / 64;
        if (slot_.size() < vocabulary) slot_.resize(vocabulary, -1);
        starts_.assign(1, 0);
        for (const WordId id : hyp) {
            std::int32_t& slot = slot_[static_cast<std::size_t>(id)];
            if (slot < 0) slot = static_cast<std::int32_t>(starts_.size()) - 1, starts_.push_back(0);
            ++starts_[static_cast<std::size_t>(slot) + 1];
        }
        for (std::size_t n = 1; n < starts_.size(); ++n) starts_[n] += starts_[n - 1];
        next_.assign(starts_.begin(), starts_.end() - 1);
        places_.resize(hyp.size());
        for (std::size_t i = 0; i < hyp.size(); ++i)
            places_[next_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(hyp[i])])]++] =
                static_cast<std::uint32_t>(i);
        collect_frequent();
    }

    // Leaves the table of words as it was found: it is as long as the vocabulary of all documents.
    void unload() {
        for (const WordId id : hyp_) slot_[static_cast<std::size_t>(id)] = -1;
        hyp_ = {};
    }

    // The bit vector of a frequent word from machine word `first` on, else nullptr.
    const Bits* frequent(WordId id, std::size_t first) const {
        const std::int32_t slot = slot_[static_cast<std::size_t>(id)];
        if (slot < 0 || dense_[static_cast<std::size_t>(slot)] < 0) return nullptr;
        return bits_.data() + static_cast<std::size_t>(dense_[static_cast<std::size_t>(slot)]) * words_ + first;
    }

    // The positions of a word from `first` to before `last`.
    std::span<const std::uint32_t> places(WordId id, std::size_t first, std::size_t last) const {
        const std::int32_t slot = slot_[static_cast<std::size_t>(id)];
        if (slot < 0) return {};
        const auto* from = places_.data() + starts_[static_cast<std::size_t>(slot)];
        const auto* to = places_.data() + starts_[static_cast<std::size_t>(slot) + 1];
        if (first > 0) from = std::lower_bound(from, to, first);
        if (last < hyp_.size()) to = std::lower_bound(from, to, last);
        return {from, to};
    }

private:
    void collect_frequent() {
        const std::size_t count = starts_.size() - 1;
        dense_.assign(count, -1);
        bits_.clear();
        const std::size_t often = std::max<std::size_t>(4, words_ / 8);
        std::int32_t used = 0;
        for (std::size_t slot = 0; slot < count; ++slot) {
            if (starts_[slot + 1] - starts_[slot] < often) continue;
            bits_.resize(bits_.size() + words_, 0);
            Bits* bits = bits_.data() + static_cast<std::size_t>(used) * words_;
            for (std::size_t n = starts_[slot]; n < starts_[slot + 1]; ++n)
                bits[places_[n] / 64] |= Bits{1} << (places_[n] % 64);
            dense_[slot] = used++;
        }
    }

    std::span<const WordId> hyp_;
    std::size_t words_ = 0;
    std::vector<std::int32_t> slot_;  // by word id: its number among the distinct words, or -1
    std::vector<std::size_t> starts_, next_;
    std::vector<std::uint32_t> places_;
    std::vector<std::int32_t> dense_;
    std::vector<Bits> bits_;
};

// One column's step over 64 rows. Between blocks of a column only the last row's horizontal
// difference is handed on: up (it rises) and down (it falls).
struct ColumnStep {
    Bits up = 1, down = 0;  // row 0 rises by one with each reference word

    // same: rows whose word is the reference word; rise, fall: the column before, then the new one.
    // Returns the rows where the diagonal costs nothing; across: where the row rises.
    FENCEPOST_INLINE Bits operator()(Bits same, Bits& rise, Bits& fall, Bits& across) {
        same |= down;
        const Bits free = (((same & rise) + rise) ^ rise) | same | fall;
        across = fall | ~(free | rise);
        const Bits back = free & rise;
        const Bits above_up = across << 1 | up, above_down = back << 1 | down;
        up = across >> 63, down = back >> 63;
        rise = above_down | ~(free | above_up);
        fall = above_up & free;
        return free;
    }
};

// Takes N reference words in one pass over the rows, each column one block behind the one before:
// the chains of dependent operations run side by side.
template <std::size_t N>
void step_columns(const std::array<const Bits*, 4>& same, const Bits* rise_in, const Bits* fall_in, Bits* rise_out,
                  Bits* fall_out, std::size_t words) {
    std::array<ColumnStep, N> step;
    std::array<Bits, N> rise{}, fall{};
    Bits across;
    const auto one = [&](std::size_t n, std::size_t t) FENCEPOST_INLINE {
        rise[n] = n == 0 ? rise_in[t] : rise[n - 1];
        fall[n] = n == 0 ? fall_in[t] : fall[n - 1];
        step[n](same[n][t - n], rise[n], fall[n], across);
        if (n == N - 1) rise_out[t - n] = rise[n], fall_out[t - n] = fall[n];
    };
    std::size_t t = 0;
    for (; t + 1 < N && t < words + N - 1; ++t)
        for (std::size_t n = N; n-- > 0;)
            if (t >= n && t - n < words) one(n, t);
    for (; t < words; ++t)
        for (std::size_t n = N; n-- > 0;) one(n, t);
    for (; t < words + N - 1; ++t)
        for (std::size_t n = N; n-- > 0;)
            if (t >= n && t - n < words) one(n, t);
}

// A column in a band of rows.
struct BitColumn {
    const Bits *rise, *fall;

    BitColumn from(std::size_t word) const { return {rise + word, fall + word}; }

    // How much it rises from the row before the first bit over so many rows.
    Index rises(std::size_t rows) const { return rises(0, rows); }
    Index rises(std::size_t word, std::size_t rows) const {
        Index sum = 0;
        for (; rows >= 64; ++word, rows -= 64) sum += std::popcount(rise[word]) - std::popcount(fall[word]);
        if (rows == 0) return sum;
        const Bits mask = (Bits{1} << rows) - 1;
        return sum + std::popcount(rise[word] & mask) - std::popcount(fall[word] & mask);
    }

    // The last row at a machine word's start from which no best path leads to `row` over `length`
    // reference words, else 0.
    std::size_t lowest(std::size_t row, std::size_t length) const {
        Index above = 0;
        std::size_t w = row / 64;
        if (row % 64 != 0) above = static_cast<Index>(row % 64) - rises(w, row % 64);
        while (above <= static_cast<Index>(2 * length) && w > 0) --w, above += 64 - rises(w, 64);
        return 64 * w;
    }
};

// The element-wise minimum of two columns, into the first. `ahead` is how much the first is above
// the second in the row before the first bit.
class ColumnMinimum {
public:
    ColumnMinimum() {
        for (unsigned bits = 0; bits < 256; ++bits) {
            Bits sums = 0;
            Bits sum = 0;
            for (unsigned n = 0; n < 8; ++n) sum += bits >> n & 1, sums |= sum << (8 * n);
            prefix_[bits] = sums;
        }
    }

    void operator()(Bits* rise, Bits* fall, const Bits* rise2, const Bits* fall2, Index ahead, std::size_t words) const {
        Bits was_first = ahead <= 0, was_equal = ahead == 0;
        for (std::size_t w = 0; w < words; ++w) {
            const Bits r = rise[w], f = fall[w], r2 = rise2[w], f2 = fall2[w];
            Bits first = 0, equal = 0;  // rows where the first is not above; where both are equal
            if (ahead > 128 || ahead < -128 || (r == r2 && f == f2)) {
                first = ahead <= 0 ? ~Bits{0} : 0, equal = ahead == 0 ? ~Bits{0} : 0;
                if (r != r2 || f != f2) ahead += std::popcount(r) - std::popcount(f) - std::popcount(r2) + std::popcount(f2);
            } else {
                compare(r, f, r2, f2, ahead, first, equal);
            }
            // Where the smaller one changes between two rows, both are equal on one side, and the
            // second one's step leads there; else they pass each other and the minimum stays.
            const Bits before = first << 1 | was_first, equal_before = equal << 1 | was_equal;
            const Bits from_first = first & before;
            const Bits from_second = (~first & ~before) | (first & ~before & equal) | (~first & before & equal_before);
            rise[w] = (r & from_first) | (r2 & from_second);
            fall[w] = (f & from_first) | (f2 & from_second);
            was_first = first >> 63, was_equal = equal >> 63;
        }
    }

    // The rows where two columns are equal.
    void equal_rows(BitColumn one, BitColumn other, Index ahead, std::size_t words, Bits* out) const {
        for (std::size_t w = 0; w < words; ++w) {
            Bits first = 0, equal = 0;
            if (one.rise[w] == other.rise[w] && one.fall[w] == other.fall[w]) equal = ahead == 0 ? ~Bits{0} : 0;
            else if (ahead > 128 || ahead < -128) ahead += one.rises(w, 64) - other.rises(w, 64);
            else compare(one.rise[w], one.fall[w], other.rise[w], other.fall[w], ahead, first, equal);
            out[w] = equal;
        }
    }

private:
    // Eight rows at a time: the differences of eight rows are the bytes of one machine word.
    void compare(Bits r, Bits f, Bits r2, Bits f2, Index& ahead, Bits& first, Bits& equal) const {
        constexpr Bits ones = 0x0101010101010101, high = ones << 7;
        for (unsigned n = 0; n < 64; n += 8) {
            if (ahead > 16 || ahead < -16) {
                first |= (ahead <= 0 ? Bits{255} : 0) << n;
                ahead += static_cast<Index>(prefix_[r >> n & 255] >> 56) - static_cast<Index>(prefix_[f >> n & 255] >> 56) -
                         static_cast<Index>(prefix_[r2 >> n & 255] >> 56) + static_cast<Index>(prefix_[f2 >> n & 255] >> 56);
                continue;
            }
            // Bytes hold 64 + difference: between 64 - 32 and 64 + 32, so none borrows from the next.
            const Bits d = ones * static_cast<Bits>(64 + ahead) + prefix_[r >> n & 255] + prefix_[f2 >> n & 255] -
                           prefix_[f >> n & 255] - prefix_[r2 >> n & 255];
            const Bits above = (d + ones * 63) & high;  // difference at least 1
            const Bits from = (d + ones * 64) & high;   // difference at least 0
            first |= gather(~above & high) << n;
            equal |= gather(from & ~above) << n;
            ahead = static_cast<Index>(d >> 56) - 64;
        }
    }

    // The high bits of eight bytes, side by side.
    static Bits gather(Bits high) { return (high >> 7) * 0x0102040810204080 >> 56; }

    std::array<Bits, 256> prefix_;  // by eight bits: the number of ones up to each, as bytes
};

// All cells of one part of a reference in a band of rows: which steps lead to a cell at its cost.
struct BitCells {
    std::size_t first = 0, words = 0, length = 0;  // the row before the first bit; machine words a column
    std::vector<Bits> across, rise, diagonal_;     // by column from 1, then by machine word
    std::vector<Bits> rise_now, fall_now;          // while they are computed
    const Bits* start_rise = nullptr;              // column 0
    std::span<const WordId> hyp, ref;
    bool opening = false;  // the first segment: it starts at 0

    bool at(const std::vector<Bits>& bits, std::size_t i, std::size_t j) const {
        const std::size_t row = i - first - 1;
        return bits[(j - 1) * words + row / 64] >> (row % 64) & 1;
    }
    bool deletion(std::size_t i, std::size_t j) const { return at(across, i, j); }
    bool insertion(std::size_t i, std::size_t j) const {
        const std::size_t row = i - first - 1;
        return j == 0 ? start_rise[row / 64] >> (row % 64) & 1 : at(rise, i, j);
    }
    bool diagonal(std::size_t i, std::size_t j) const { return at(diagonal_, i, j); }
    bool same(std::size_t i, std::size_t j) const { return hyp[i - 1] == ref[j - 1]; }
    bool starts(std::size_t i) const { return !opening || i == 0; }
};

class BitEngine {
public:
    using Cell = Bits;  // a column: the rises, then the falls
    static constexpr bool finds_limits = true;

    void load(const WordStream& s, const StreamSettings& o, std::size_t vocabulary) {
        s_ = s, o_ = o;
        words_ = (s.hyp.size() + 63) / 64;
        places_.load(s.hyp, vocabulary);
        for (auto& one : scratch_) one.assign(words_, 0);
        other_.resize(width());
        extended_.resize(width());
    }
    void unload() { places_.unload(); }

    std::size_t width() const { return std::max<std::size_t>(1, 2 * words_); }

    void first_column(Bits* out) const {
        std::fill(out, out + words_, ~Bits{0});
        std::fill(out + words_, out + 2 * words_, Bits{0});
    }

    void advance(std::size_t k, const Bits* in, Bits* out, const Band& band, const Stop& stop) {
        const std::size_t from = band.first / 64, count = words_in(band);
        in = extended(k, in, band);
        Index top = 0;
        for (std::size_t r = 0; r < s_.references(k); ++r) {
            const auto ref = s_.words_of(k, r);
            const auto length = static_cast<Index>(ref.size());
            Bits* to = r == 0 ? out : other_.data();
            run(ref, column(in, from), to + from, to + words_ + from, from, count, stop);
            if (r > 0) minimum_(out + from, out + words_ + from, to + from, to + words_ + from, top - length, count);
            top = r > 0 ? std::min(top, length) : length;
        }
    }

    // The row before the only place of a word in the hypothesis, or StreamGuide::none.
    Index only_row(WordId word) const {
        const auto places = places_.places(word, 0, s_.hyp.size());
        return places.size() == 1 ? Index{places[0]} : StreamGuide::none;
    }

    // How much a column rises between two rows, of which the first is a machine word's start.
    Index rises(const Bits* in, const Band& rows) const { return column(in, rows.first / 64).rises(rows.last - rows.first); }

    // Takes machine words off both ends of a column while no row in them can be on a path of at most
    // `most`: cost + rest(row) is more. That differs by at most 2 between neighbouring rows, so in 64
    // rows it is at least the mean of both ends less 64. `top` is the cost in the first row, then in
    // the new first row; `bottom` becomes the one in the new last row.
    template <class Rest>
    Band trim(const Bits* in, Band rows, const Rest& rest, Index most, Index& top, Index& bottom) const {
        const auto over = [&](Index cost, std::size_t row) { return cost + rest(row) - most; };
        bottom = top + rises(in, rows);
        while (rows.last > rows.first + 64) {
            const Index next = top + rises(in, {rows.first, rows.first + 64});
            if (over(top, rows.first) + over(next, rows.first + 64) <= 128) break;
            top = next, rows.first += 64;
        }
        while (rows.last > rows.first + 64) {
            const std::size_t row = (rows.last - 1) / 64 * 64;
            const Index next = bottom - rises(in, {row, rows.last});
            if (over(bottom, rows.last) + over(next, row) <= 128) break;
            bottom = next, rows.last = row;
        }
        return rows;
    }

    // The rows of `within` that can matter for paths to `row` over `length` words. (Behind the limit
    // of its boundary a column rises with every row.)
    Band band(std::size_t k, const Bits* in, const Band& within, std::size_t row, std::size_t length, std::size_t) const {
        row = std::min(row, s_.limit(k).last);
        return {within.first + column(in, within.first / 64).lowest(row - within.first, length), within.last};
    }

    std::size_t trace(std::size_t k, const Bits* in, const Band& within, std::size_t end, const Stop& stop, Walk& walk) {
        const Band rows = band(k, in, {within.first, end}, end, s_.longest(k), 1);
        const std::size_t references = s_.references(k);
        in = extended(k, in, rows);
        values_.clear();
        for (std::size_t r = 0; r < references; ++r) {
            compute_parts(k, r, in, rows, stop);
            values_.push_back(static_cast<Index>(s_.words_of(k, r).size()) + last_column(r, rows).rises(end - rows.first));
        }
        const Index least = *std::min_element(values_.begin(), values_.end());
        std::size_t chosen = references;
        for (std::size_t r = 0; r < references; ++r) {
            if (values_[r] > least || (chosen < references && o_.ties == Ties::rwth)) continue;
            walk_reference(k, r, in, rows, end, other_walk_);
            const bool better = o_.ties == Ties::earliest ? other_walk_.start < walk.start : other_walk_.start > walk.start;
            if (chosen < references && !better) continue;
            std::swap(walk, other_walk_);
            chosen = r;
        }
        return chosen;
    }

    // From the places where segment k may end to those where it may begin.
    void reach(std::size_t k, const Bits* in, const Band& within, std::vector<Band>& places, const Stop& stop) {
        const Band rows = band(k, in, {within.first, places.back().last}, places.front().first, s_.longest(k), 1);
        in = extended(k, in, rows);
        find_nearest(k, in, rows, stop);
        starts_.assign(words_in(rows), 0);
        starts_at_top_ = false;
        for (std::size_t r = 0; r < s_.references(k); ++r) reach_reference(k, r, in, rows, places, stop);
        places.clear();
        if (starts_at_top_) places.push_back({rows.first, rows.first});
        if (k == 0) return;  // the first segment begins at 0
        each_run(starts_, [&](const Band& run) { add_places({rows.first + run.first, rows.first + run.last}, places); });
    }

private:
    static std::size_t words_in(const Band& band) { return (band.last - band.first + 63) / 64; }
    BitColumn column(const Bits* in, std::size_t word) const { return {in + word, in + words_ + word}; }

    // The column of boundary k in these rows. Those behind its limit were not computed: no boundary is
    // there, so each is an insertion after the one before.
    const Bits* extended(std::size_t k, const Bits* in, const Band& rows) {
        const Band limit = s_.limit(k);
        if (limit.last >= rows.last) return in;
        const std::size_t from = rows.first / 64, known = std::max(from, limit.last / 64), end = from + words_in(rows);
        Bits *rise = extended_.data(), *fall = rise + words_;
        std::copy(in + from, in + known, rise + from);
        std::copy(in + words_ + from, in + words_ + known, fall + from);
        std::fill(rise + known, rise + end, ~Bits{0});
        std::fill(fall + known, fall + end, Bits{0});
        return rise;
    }

    // The bit vector of one reference word, in scratch memory if need be; release() clears that.
    const Bits* same(WordId id, std::size_t n, std::size_t from, std::size_t count) {
        if (const Bits* bits = places_.frequent(id, from)) return bits;
        Bits* bits = scratch_[n].data();
        for (const std::uint32_t at : places_.places(id, 64 * from, 64 * (from + count)))
            bits[at / 64 - from] |= Bits{1} << (at % 64);
        return bits;
    }
    void release(WordId id, std::size_t n, std::size_t from, std::size_t count) {
        if (places_.frequent(id, from)) return;
        for (const std::uint32_t at : places_.places(id, 64 * from, 64 * (from + count))) scratch_[n][at / 64 - from] = 0;
    }

    void run(std::span<const WordId> ref, BitColumn in, Bits* rise, Bits* fall, std::size_t from, std::size_t count,
             const Stop& stop) {
        if (ref.empty()) {
            std::copy(in.rise, in.rise + count, rise);
            std::copy(in.fall, in.fall + count, fall);
        }
        for (std::size_t j = 0; j < ref.size();) {
            const std::size_t taken = std::min<std::size_t>(4, ref.size() - j);
            std::array<const Bits*, 4> bits{};
            for (std::size_t n = 0; n < taken; ++n) bits[n] = same(ref[j + n], n, from, count);
            switch (taken) {
                case 4: step_columns<4>(bits, in.rise, in.fall, rise, fall, count); break;
                case 3: step_columns<3>(bits, in.rise, in.fall, rise, fall, count); break;
                case 2: step_columns<2>(bits, in.rise, in.fall, rise, fall, count); break;
                default: step_columns<1>(bits, in.rise, in.fall, rise, fall, count);
            }
            for (std::size_t n = 0; n < taken; ++n) release(ref[j + n], n, from, count);
            in = {rise, fall}, j += taken;
            if (j % 1024 == 0) stop.check();
        }
    }

    // The columns at the ends of all parts of a reference, into parts_[r].
    void compute_parts(std::size_t k, std::size_t r, const Bits* in, const Band& rows, const Stop& stop) {
        const std::size_t count = words_in(rows), from = rows.first / 64;
        const auto ref = s_.words_of(k, r);
        const Parts parts(ref.size());
        if (parts_.size() <= r) parts_.resize(r + 1);
        if (parts_[r].size() < 2 * count * parts.count) parts_[r].resize(2 * count * parts.count);
        for (std::size_t part = 0; part < parts.count; ++part) {
            Bits* out = parts_[r].data() + 2 * count * part;
            run(parts.of(ref, part), part_start(r, part, in, rows), out, out + count, from, count, stop);
        }
        part_count_.resize(parts_.size());
        part_count_[r] = parts.count;
    }

    // The column before a part, and the one at the end of the reference.
    BitColumn part_start(std::size_t r, std::size_t part, const Bits* in, const Band& rows) const {
        if (part == 0) return column(in, rows.first / 64);
        const std::size_t count = words_in(rows);
        const Bits* bits = parts_[r].data() + 2 * count * (part - 1);
        return {bits, bits + count};
    }
    BitColumn last_column(std::size_t r, const Band& rows) const { return part_start(r, part_count_[r], nullptr, rows); }

    void walk_reference(std::size_t k, std::size_t r, const Bits* in, const Band& rows, std::size_t end, Walk& walk) {
        const auto ref = s_.words_of(k, r);
        const Parts parts(ref.size());
        walk.clear();
        walk.start = end;
        for (std::size_t part = parts.count; part-- > 0;) {
            const auto words = parts.of(ref, part);
            record(k, words, part_start(r, part, in, rows), {rows.first, walk.start}, walk.start);
            walk_back(cells_, o_.ties, walk.start, part * parts.size, o_.alignment, walk);
        }
    }

    // The cells of one part that can matter for paths to `row` and higher ones, into cells_.
    void record(std::size_t k, std::span<const WordId> ref, BitColumn start, const Band& rows, std::size_t row) {
        const std::size_t skipped = start.lowest(row - rows.first, ref.size());
        const Band band{rows.first + skipped, rows.last};
        const std::size_t from = band.first / 64, count = words_in(band);
        start = start.from(skipped / 64);
        BitCells& c = cells_;
        c.first = band.first, c.words = count, c.length = ref.size();
        c.hyp = s_.hyp, c.ref = ref, c.opening = k == 0, c.start_rise = start.rise;
        for (auto* bits : {&c.across, &c.rise, &c.diagonal_})
            if (bits->size() < ref.size() * count) bits->resize(ref.size() * count);
        c.rise_now.assign(start.rise, start.rise + count);
        c.fall_now.assign(start.fall, start.fall + count);
        for (std::size_t j = 0; j < ref.size(); ++j) {
            const Bits* bits = same(ref[j], 0, from, count);
            ColumnStep step;
            for (std::size_t w = 0; w < count; ++w) {
                const Bits free = step(bits[w], c.rise_now[w], c.fall_now[w], c.across[j * count + w]);
                c.rise[j * count + w] = c.rise_now[w];
                c.diagonal_[j * count + w] = ~free | bits[w];
            }
            release(ref[j], 0, from, count);
        }
    }

    // Where each reference is the nearest, or as near, into nearest_[r].
    void find_nearest(std::size_t k, const Bits* in, const Band& rows, const Stop& stop) {
        const std::size_t references = s_.references(k), count = words_in(rows);
        Index top = 0;
        for (std::size_t r = 0; r < references; ++r) {
            compute_parts(k, r, in, rows, stop);
            const BitColumn end = last_column(r, rows);
            const auto length = static_cast<Index>(s_.words_of(k, r).size());
            if (r == 0) {
                std::copy(end.rise, end.rise + count, other_.begin());
                std::copy(end.fall, end.fall + count, other_.begin() + static_cast<std::ptrdiff_t>(count));
            } else {
                minimum_(other_.data(), other_.data() + count, end.rise, end.fall, top - length, count);
            }
            top = r > 0 ? std::min(top, length) : length;
        }
        nearest_.resize(std::max(nearest_.size(), references));
        nearest_at_top_.resize(nearest_.size());
        for (std::size_t r = 0; r < references; ++r) {
            const auto length = static_cast<Index>(s_.words_of(k, r).size());
            nearest_[r].resize(count);
            nearest_at_top_[r] = length == top;
            minimum_.equal_rows(last_column(r, rows), {other_.data(), other_.data() + count}, length - top, count,
                                nearest_[r].data());
        }
    }

    // Adds what leads to the places through reference r to starts_.
    void reach_reference(std::size_t k, std::size_t r, const Bits* in, const Band& rows, std::span<const Band> places,
                         const Stop& stop) {
        reached_.assign(words_in(rows), 0);
        top_ = false;
        for (const Band& run : places) {
            if (run.first == rows.first) top_ = nearest_at_top_[r] != 0;
            set_bits(std::max(run.first, rows.first + 1) - rows.first - 1, run.last - rows.first);
        }
        bool any = top_;
        for (std::size_t w = 0; w < reached_.size(); ++w) any |= (reached_[w] &= nearest_[r][w]) != 0;
        if (!any) return;
        const auto ref = s_.words_of(k, r);
        const Parts parts(ref.size());
        for (std::size_t part = parts.count; part-- > 0;) {
            record(k, parts.of(ref, part), part_start(r, part, in, rows), rows, lowest_reached(rows));
            lead_back((cells_.first - rows.first) / 64, stop);
        }
        top_ |= fill(reached_.data() + (cells_.first - rows.first) / 64, cells_.start_rise, cells_.words);
        starts_at_top_ |= top_;
        for (std::size_t w = 0; w < starts_.size(); ++w) starts_[w] |= reached_[w];
    }

    void set_bits(std::size_t first, std::size_t last) {  // last excluded
        for (std::size_t bit = first; bit < last;) {
            const std::size_t count = std::min<std::size_t>(64 - bit % 64, last - bit);
            reached_[bit / 64] |= (count == 64 ? ~Bits{0} : (Bits{1} << count) - 1) << (bit % 64);
            bit += count;
        }
    }

    // Calls with the rows (from 1) of every run of ones within a machine word.
    template <class Call>
    static void each_run(const std::vector<Bits>& rows, Call&& call) {
        for (std::size_t w = 0; w < rows.size(); ++w)
            for (Bits bits = rows[w]; bits != 0;) {
                const auto first = static_cast<std::size_t>(std::countr_zero(bits));
                const auto count = static_cast<std::size_t>(std::countr_one(bits >> first));
                call(Band{64 * w + first + 1, 64 * w + first + count});
                if (first + count >= 64) break;
                bits &= ~Bits{0} << (first + count);
            }
    }

    std::size_t lowest_reached(const Band& rows) const {
        std::size_t w = 0;
        while (!top_ && w + 1 < reached_.size() && reached_[w] == 0) ++w;
        return top_ ? rows.first : rows.first + 64 * w + 1 + static_cast<std::size_t>(std::countr_zero(reached_[w]));
    }

    // Takes the rows reached from the last column of cells_ to column 0.
    void lead_back(std::size_t offset, const Stop& stop) {
        const std::size_t count = cells_.words;
        Bits* reached = reached_.data() + offset;
        for (std::size_t j = cells_.length; j-- > 0;) {
            const Bits* across = cells_.across.data() + j * count;
            const Bits* diagonal = cells_.diagonal_.data() + j * count;
            top_ |= fill(reached, cells_.rise.data() + j * count, count);
            Bits carry = 0;
            for (std::size_t w = count; w-- > 0;) {
                const Bits slanted = reached[w] & diagonal[w];
                reached[w] = (reached[w] & across[w]) | slanted >> 1 | carry;
                carry = slanted << 63;
            }
            top_ |= carry != 0;
            if (j % 64 == 0) stop.check();
        }
    }

    // Follows insertions from every row reached to lower ones; tells whether that leads to the top.
    static bool fill(Bits* reached, const Bits* rise, std::size_t count) {
        Bits carry = 0;
        for (std::size_t w = count; w-- > 0;) {
            Bits here = reached[w] | carry;
            if (here != 0) {
                Bits way = rise[w];
                for (unsigned shift = 1; shift < 64; shift *= 2) {
                    here |= (here & way) >> shift;
                    way &= way << shift;
                }
                reached[w] = here;
            }
            carry = (here & rise[w]) << 63;
        }
        return carry != 0;
    }

    WordStream s_;
    StreamSettings o_;
    std::size_t words_ = 0;
    WordPlaces places_;
    ColumnMinimum minimum_;
    std::array<std::vector<Bits>, 4> scratch_;
    std::vector<Bits> other_, extended_, reached_, starts_;
    bool top_ = false, starts_at_top_ = false;  // the row before the first bit
    std::vector<std::vector<Bits>> parts_;
    std::vector<std::size_t> part_count_;
    BitCells cells_;
    std::vector<Index> values_;
    std::vector<std::vector<Bits>> nearest_;
    std::vector<char> nearest_at_top_;
    Walk other_walk_;
};

}  // namespace fencepost
