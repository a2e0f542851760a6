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

#include "stream.hpp"

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
            places_[next_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(hyp[i])])]++] = static_cast<std::uint32_t>(i);
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
    Bits operator()(Bits same, Bits& rise, Bits& fall, Bits& across) {
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
    const auto one = [&](std::size_t n, std::size_t t) {
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
                if (r != r2 || f != f2)
                    ahead += std::popcount(r) - std::popcount(f) - std::popcount(r2) + std::popcount(f2);
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

// All cells of one reference in a band of rows: which steps lead to a cell at its cost.
struct BitCells {
    std::size_t first = 0, words = 0, length = 0;  // the row before the first bit; machine words a column
    std::vector<Bits> across, rise, diagonal_;     // by column from 1, then by machine word
    std::vector<Bits> end_rise, end_fall;          // the last column
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

    void load(const WordStream& s, const StreamSettings& o, std::size_t vocabulary) {
        s_ = s, o_ = o;
        words_ = (s.hyp.size() + 63) / 64;
        places_.load(s.hyp, vocabulary);
        for (auto& one : scratch_) one.assign(words_, 0);
        other_.resize(width());
    }
    void unload() { places_.unload(); }

    std::size_t width() const { return std::max<std::size_t>(1, 2 * words_); }

    void first_column(Bits* out) const {
        std::fill(out, out + words_, ~Bits{0});
        std::fill(out + words_, out + 2 * words_, Bits{0});
    }

    void advance(std::size_t k, const Bits* in, Bits* out, const Band& band) {
        const std::size_t from = band.first / 64, count = words_in(band);
        Index top = 0;
        for (std::size_t r = 0; r < s_.references(k); ++r) {
            const auto ref = s_.words_of(k, r);
            const auto length = static_cast<Index>(ref.size());
            Bits* to = r == 0 ? out : other_.data();
            run(ref, in + from, in + words_ + from, to + from, to + words_ + from, from, count);
            if (r > 0) {
                minimum_(out + from, out + words_ + from, to + from, to + words_ + from, top - length, count);
                top = std::min(top, length);
            } else {
                top = length;
            }
        }
    }

    // The rows of `within` that can matter for paths to `row` over `length` words.
    Band band(const Bits* column, const Band& within, std::size_t row, std::size_t length, std::size_t) const {
        const auto slack = static_cast<Index>(2 * length);
        Index above = 0;
        std::size_t w = row / 64;
        const auto add = [&](std::size_t rows) {
            const Bits mask = rows == 64 ? ~Bits{0} : (Bits{1} << rows) - 1;
            above += static_cast<Index>(rows) - std::popcount(column[w] & mask) + std::popcount(column[words_ + w] & mask);
        };
        if (row % 64 != 0) add(row % 64);
        while (above <= slack && 64 * w > within.first) --w, add(64);
        return {64 * w, within.last};
    }

    std::size_t trace(std::size_t k, const Bits* column, const Band& within, std::size_t end, Walk& walk) {
        const Band rows = band(column, {within.first, end}, end, s_.longest(k), 1);
        std::size_t chosen = 0;
        Index least = 0;
        for (std::size_t r = 0; r < s_.references(k); ++r) {
            BitCells& cells = cells_of(0);
            record(k, r, column, rows, cells);
            const Index cost = value(cells, end);
            if (r > 0 && (cost > least || (cost == least && o_.ties == Ties::rwth))) continue;
            walk_back(cells, o_.ties, end, cells.length, o_.alignment, other_walk_);
            const bool better = o_.ties == Ties::earliest ? other_walk_.start < walk.start : other_walk_.start > walk.start;
            if (r > 0 && cost == least && !better) continue;
            std::swap(walk, other_walk_);
            chosen = r, least = cost;
        }
        return chosen;
    }

    // From the places where segment k may end to those where it may begin.
    void reach(std::size_t k, const Bits* column, const Band& within, std::vector<Place>& places, const Stop& stop) {
        const Band rows = band(column, {within.first, places.back().at}, places.front().at, s_.longest(k), 1);
        const std::size_t references = s_.references(k), count = places.size();
        least_.assign(count, std::numeric_limits<Index>::max());
        values_.resize(references * count);
        for (std::size_t r = 0; r < references; ++r) {
            BitCells& cells = cells_of(r);
            record(k, r, column, rows, cells);
            values(cells, places, values_.data() + r * count);
            for (std::size_t n = 0; n < count; ++n) least_[n] = std::min(least_[n], values_[r * count + n]);
            stop.check();
        }
        const std::size_t height = rows.last - rows.first + 1;
        fewest_.assign(height, std::numeric_limits<Index>::max());
        most_.assign(height, -1);
        order_.resize(count);
        for (std::size_t n = 0; n < count; ++n) order_[n] = n;
        const auto key = [&](std::size_t n) { return std::pair(places[n].fewest, places[n].most); };
        std::sort(order_.begin(), order_.end(), [&](std::size_t x, std::size_t y) { return key(x) < key(y); });
        for (std::size_t n = 0; n < count;) {
            std::size_t next = n;
            while (next < count && key(order_[next]) == key(order_[n])) ++next;
            for (std::size_t r = 0; r < references; ++r) reach_group(k, r, rows, places, n, next, stop);
            n = next;
        }
        places.clear();
        for (std::size_t n = 0; n < (k == 0 ? 1 : height); ++n)
            if (most_[n] >= 0) places.push_back({rows.first + n, fewest_[n], most_[n]});
    }

private:
    std::size_t words_in(const Band& band) const { return (band.last - band.first + 63) / 64; }

    BitCells& cells_of(std::size_t r) {
        if (cells_.size() <= r) cells_.resize(r + 1);
        return cells_[r];
    }

    // The bit vector of one reference word, in scratch memory if need be; release() clears that.
    const Bits* same(WordId id, std::size_t n, std::size_t from, std::size_t count) {
        if (const Bits* bits = places_.frequent(id, from)) return bits;
        Bits* bits = scratch_[n].data();
        for (const std::uint32_t at : places_.places(id, 64 * from, 64 * (from + count))) bits[at / 64 - from] |= Bits{1} << (at % 64);
        return bits;
    }
    void release(WordId id, std::size_t n, std::size_t from, std::size_t count) {
        if (places_.frequent(id, from)) return;
        for (const std::uint32_t at : places_.places(id, 64 * from, 64 * (from + count))) scratch_[n][at / 64 - from] = 0;
    }

    void run(std::span<const WordId> ref, const Bits* rise_in, const Bits* fall_in, Bits* rise_out, Bits* fall_out,
             std::size_t from, std::size_t count) {
        if (ref.empty()) {
            std::copy(rise_in, rise_in + count, rise_out);
            std::copy(fall_in, fall_in + count, fall_out);
        }
        for (std::size_t j = 0; j < ref.size();) {
            const std::size_t taken = std::min<std::size_t>(4, ref.size() - j);
            std::array<const Bits*, 4> bits{};
            for (std::size_t n = 0; n < taken; ++n) bits[n] = same(ref[j + n], n, from, count);
            switch (taken) {
                case 4: step_columns<4>(bits, rise_in, fall_in, rise_out, fall_out, count); break;
                case 3: step_columns<3>(bits, rise_in, fall_in, rise_out, fall_out, count); break;
                case 2: step_columns<2>(bits, rise_in, fall_in, rise_out, fall_out, count); break;
                default: step_columns<1>(bits, rise_in, fall_in, rise_out, fall_out, count);
            }
            for (std::size_t n = 0; n < taken; ++n) release(ref[j + n], n, from, count);
            rise_in = rise_out, fall_in = fall_out, j += taken;
        }
    }

    void record(std::size_t k, std::size_t r, const Bits* column, const Band& rows, BitCells& cells) {
        const std::size_t from = rows.first / 64, count = words_in(rows);
        const auto ref = s_.words_of(k, r);
        cells.first = rows.first, cells.words = count, cells.length = ref.size();
        cells.hyp = s_.hyp, cells.ref = ref, cells.opening = k == 0, cells.start_rise = column + from;
        for (auto* bits : {&cells.across, &cells.rise, &cells.diagonal_})
            if (bits->size() < ref.size() * count) bits->resize(ref.size() * count);
        cells.end_rise.assign(column + from, column + from + count);
        cells.end_fall.assign(column + words_ + from, column + words_ + from + count);
        for (std::size_t j = 0; j < ref.size(); ++j) {
            const Bits* bits = same(ref[j], 0, from, count);
            ColumnStep step;
            for (std::size_t w = 0; w < count; ++w) {
                Bits& across = cells.across[j * count + w];
                const Bits free = step(bits[w], cells.end_rise[w], cells.end_fall[w], across);
                cells.rise[j * count + w] = cells.end_rise[w];
                cells.diagonal_[j * count + w] = ~free | bits[w];
            }
            release(ref[j], 0, from, count);
        }
    }

    // The last column in one row, relative to the start column in the row before the band.
    static Index value(const BitCells& cells, std::size_t row) {
        const std::size_t rows = row - cells.first;
        Index sum = static_cast<Index>(cells.length);
        for (std::size_t w = 0; w < rows / 64; ++w) sum += std::popcount(cells.end_rise[w]) - std::popcount(cells.end_fall[w]);
        if (rows % 64 == 0) return sum;
        const Bits mask = (Bits{1} << (rows % 64)) - 1;
        return sum + std::popcount(cells.end_rise[rows / 64] & mask) - std::popcount(cells.end_fall[rows / 64] & mask);
    }

    // The same for many rows, in their order.
    static void values(const BitCells& cells, const std::vector<Place>& places, Index* out) {
        Index sum = static_cast<Index>(cells.length);
        std::size_t w = 0;
        for (std::size_t n = 0; n < places.size(); ++n) {
            const std::size_t rows = places[n].at - cells.first;
            for (; w < rows / 64; ++w) sum += std::popcount(cells.end_rise[w]) - std::popcount(cells.end_fall[w]);
            out[n] = sum;
            if (rows % 64 == 0) continue;
            const Bits mask = (Bits{1} << (rows % 64)) - 1;
            out[n] += std::popcount(cells.end_rise[w] & mask) - std::popcount(cells.end_fall[w] & mask);
        }
    }

    // Marks what leads to the places order_[n .. next), which have the same words behind them,
    // through reference r.
    void reach_group(std::size_t k, std::size_t r, const Band& rows, const std::vector<Place>& places, std::size_t n,
                     std::size_t next, const Stop& stop) {
        const BitCells& cells = cells_[r];
        const std::size_t count = cells.words;
        const Index* values = values_.data() + r * places.size();
        const Place& like = places[order_[n]];
        marks_.assign(count, 0);
        bool top = false, any = false;  // top: the row before the first bit, which only row 0 can be
        for (; n < next; ++n) {
            if (values[order_[n]] != least_[order_[n]]) continue;
            const std::size_t row = places[order_[n]].at - rows.first;
            any = true;
            if (row == 0) top = true;
            else marks_[(row - 1) / 64] |= Bits{1} << ((row - 1) % 64);
        }
        if (!any) return;
        for (std::size_t j = cells.length; j-- > 0;) {
            const Bits* rise = cells.rise.data() + j * count;
            const Bits* across = cells.across.data() + j * count;
            const Bits* diagonal = cells.diagonal_.data() + j * count;
            top |= fill(rise, count);
            Bits carry = 0;
            for (std::size_t w = count; w-- > 0;) {
                const Bits slanted = marks_[w] & diagonal[w];
                marks_[w] = (marks_[w] & across[w]) | slanted >> 1 | carry;
                carry = slanted << 63;
            }
            top |= carry != 0;
            stop.check();
        }
        top |= fill(cells.start_rise, count);
        const Index length = static_cast<Index>(cells.length);
        const auto mark = [&](std::size_t row) {
            fewest_[row] = std::min(fewest_[row], like.fewest + length);
            most_[row] = std::max(most_[row], like.most + length);
        };
        if (top) mark(0);
        if (k == 0) return;
        for (std::size_t w = 0; w < count; ++w)
            for (Bits bits = marks_[w]; bits != 0; bits &= bits - 1)
                mark(64 * w + static_cast<std::size_t>(std::countr_zero(bits)) + 1);
    }

    // Follows insertions from every mark to lower rows; tells whether that leads to the top.
    bool fill(const Bits* rise, std::size_t count) {
        Bits carry = 0;
        for (std::size_t w = count; w-- > 0;) {
            Bits marks = marks_[w] | carry;
            if (marks != 0) {
                Bits way = rise[w];
                for (unsigned shift = 1; shift < 64; shift *= 2) {
                    marks |= (marks & way) >> shift;
                    way &= way << shift;
                }
                marks_[w] = marks;
            }
            carry = (marks & rise[w]) << 63;
        }
        return carry != 0;
    }

    WordStream s_;
    StreamSettings o_;
    std::size_t words_ = 0;
    WordPlaces places_;
    ColumnMinimum minimum_;
    std::array<std::vector<Bits>, 4> scratch_;
    std::vector<Bits> other_, marks_;
    std::vector<BitCells> cells_;
    std::vector<Index> least_, values_, fewest_, most_;
    std::vector<std::size_t> order_;
    Walk other_walk_;
};

}  // namespace fencepost
