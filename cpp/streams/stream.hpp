// stream.hpp -- Cuts a stream of words where it fits segmented references best (matusov2005).
//
// C_k(i) is the least cost of the first i words of the hypothesis against the first k segments,
// each against its best reference. One segment is an ordinary edit distance that starts from the
// column C_k instead of 0, 1, 2, ...; C_{k+1} is the element-wise minimum of the last columns of
// its references. Two engines compute columns: one in bits (unit costs), one in integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

using WordId = std::int32_t;

// Neighbouring rows of a column, which are positions in the hypothesis, ends included.
struct Band {
    std::size_t first = 0, last = 0;

    Band within(const Band& other) const { return {std::max(first, other.first), std::min(last, other.last)}; }
};

// One document. Offsets are absolute: reference r owns words[reference[r] .. reference[r + 1]), and
// segment k owns the references segment[k] .. segment[k + 1], at least one.
struct WordStream {
    std::span<const WordId> hyp;
    const WordId* words = nullptr;
    const Index* reference = nullptr;
    std::span<const Index> segment;           // one more than there are segments, of which there is one
    std::span<const std::uint8_t> breaks;     // by position 0 .. hyp.size(): the hypothesis breaks here
    std::span<const std::uint8_t> forbidden;  // by position: no boundary here (but at both ends)
    std::span<const std::uint8_t> marks;      // by word number: it is a punctuation mark
    std::span<const Band> limits;             // by boundary from 0, or empty: it is in these rows

    std::size_t segments() const { return segment.size() - 1; }
    bool is_mark(WordId word) const { return marks[static_cast<std::size_t>(word)] != 0; }
    Band limit(std::size_t k) const { return limits.empty() ? Band{0, hyp.size()} : limits[k]; }
    Band rows(std::size_t k) const { return {limit(k).first, limit(k + 1).last}; }  // of segment k
    // All reference words of all segments.
    std::span<const WordId> all_words() const {
        return {words + reference[segment.front()], words + reference[segment.back()]};
    }
    std::size_t references(std::size_t k) const { return static_cast<std::size_t>(segment[k + 1] - segment[k]); }
    std::span<const WordId> words_of(std::size_t k, std::size_t r) const {
        const Index at = segment[k] + static_cast<Index>(r);
        return {words + reference[at], static_cast<std::size_t>(reference[at + 1] - reference[at])};
    }
    std::size_t longest(std::size_t k) const {
        std::size_t most = 0;
        for (std::size_t r = 0; r < references(k); ++r) most = std::max(most, words_of(k, r).size());
        return most;
    }
    std::size_t shortest(std::size_t k) const {
        std::size_t fewest = words_of(k, 0).size();
        for (std::size_t r = 1; r < references(k); ++r) fewest = std::min(fewest, words_of(k, r).size());
        return fewest;
    }
};

// Which way back among equals. rwth: at each cell a deletion, else an insertion, else the diagonal;
// a segment begins as late as it may, and the first of equal references is taken. earliest, latest:
// from the last boundary to the first, each at its earliest or latest place given those behind it;
// then the first reference.
enum class Ties { rwth, earliest, latest };

// A key behind the cost, for the range of N^: the fewest or the most words in the references.
enum class Words { any, fewest, most };

struct StreamSettings {
    Ties ties = Ties::rwth;
    Index substitution = 1, insertion = 1, deletion = 1;
    // Row 0 as the peers have it: an empty hypothesis before segment k costs the longest reference
    // of each segment so far, and one for each of them.
    bool peer_row = false;
    bool integers = false;  // the integer engine, even where bits would do
    bool plain = false;     // no special instructions
    bool ambiguity = false, alignment = false;
    Words words = Words::any;
    std::size_t memory = std::size_t{16} << 20;  // bytes for columns; more are computed again
};

enum class StreamOp : std::uint8_t { match, substitution, insertion, deletion };

struct StreamStep {
    StreamOp op;
    Index hyp, ref;  // index of the word in the hypothesis and in the reference, or -1
};

struct SegmentCounts {
    Index substitutions = 0, insertions = 0, deletions = 0;
};

struct StreamResult {
    std::vector<Index> ends, chosen;    // by segment
    std::vector<SegmentCounts> counts;  // by segment
    Index distance = 0, words = 0;      // dL (at the given costs) and N^
    Index fewest_words = 0, most_words = 0;  // N^ over all optima
    std::vector<Index> run_counts;           // by segment: how many runs of places its end has
    std::vector<Band> runs;
    std::vector<Index> step_counts;  // by segment
    std::vector<StreamStep> steps;
};

// The way back through one segment, collected from its end.
struct Walk {
    std::size_t start = 0;
    SegmentCounts counts;
    std::vector<StreamStep> steps;

    void clear() { start = 0, counts = {}, steps.clear(); }
    void add(StreamOp op, std::size_t i, std::size_t j, bool listed) {
        counts.substitutions += op == StreamOp::substitution;
        counts.insertions += op == StreamOp::insertion;
        counts.deletions += op == StreamOp::deletion;
        if (!listed) return;
        steps.push_back({op, op == StreamOp::deletion ? -1 : static_cast<Index>(i) - 1,
                         op == StreamOp::insertion ? -1 : static_cast<Index>(j) - 1});
    }
};

// How many words of a reference have their cells in memory at once, and how many such parts it has.
// Of longer references the column at the end of each part is kept, and a part's cells are computed
// again when the way back gets there.
struct Parts {
    std::size_t size, count;

    explicit Parts(std::size_t length)
        : size(std::max<std::size_t>(256, 4 * static_cast<std::size_t>(std::sqrt(static_cast<double>(length))))),
          count(std::max<std::size_t>(1, (length + size - 1) / size)) {}

    std::span<const WordId> of(std::span<const WordId> ref, std::size_t part) const {
        return ref.subspan(part * size, std::min(size, ref.size() - part * size));
    }
};

// Walks from row i of the last column of a part to its first column, or to the start of the segment
// if it is the first part. cells.deletion(i, j), insertion and diagonal tell whether that step leads
// to cell (i, j) at its cost, cells.starts(i) whether the segment may begin at i; insertion(i, 0) is
// the step in front of the first reference word. Nothing comes from above row cells.first, which a way
// back gets to only if no boundary is before it. `before` reference words are in other parts.
template <class Cells>
void walk_back(const Cells& cells, Ties ties, std::size_t i, std::size_t before, bool listed, Walk& walk) {
    std::size_t j = cells.length;
    while (true) {
        if (j == 0 && before > 0) break;
        if (j == 0 && (ties == Ties::earliest ? i == cells.first || !cells.insertion(i, 0) : cells.starts(i))) break;
        StreamOp op;
        if (j == 0) op = StreamOp::insertion;
        else if (i == cells.first) op = StreamOp::deletion;
        else {
            const auto last = [&] { return cells.same(i, j) ? StreamOp::match : StreamOp::substitution; };
            switch (ties) {
                case Ties::rwth:
                    op = cells.deletion(i, j) ? StreamOp::deletion : cells.insertion(i, j) ? StreamOp::insertion : last();
                    break;
                case Ties::earliest:
                    op = cells.insertion(i, j) ? StreamOp::insertion : cells.diagonal(i, j) ? last() : StreamOp::deletion;
                    break;
                default:
                    op = cells.deletion(i, j) ? StreamOp::deletion : cells.diagonal(i, j) ? last() : StreamOp::insertion;
            }
        }
        walk.add(op, i, before + j, listed);
        i -= op != StreamOp::deletion, j -= op != StreamOp::insertion;
    }
    walk.start = i;
}

// Adds neighbouring places to a list, which joins those that meet.
inline void add_places(const Band& places, std::vector<Band>& list) {
    if (!list.empty() && list.back().last + 1 == places.first) list.back().last = places.last;
    else list.push_back(places);
}

}  // namespace fencepost
