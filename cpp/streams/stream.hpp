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
#include <limits>
#include <memory>
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

// Which rows a path of at most a given cost can go through, by lengths alone (Ukkonen 1985). At unit
// costs a path costs at least as much as its numbers of words differ by. How many reference words it
// has is known only between the shortest and the longest reference of each segment.
class StreamLengths {
public:
    void load(const WordStream& s) {
        rows_ = static_cast<Index>(s.hyp.size());
        shortest_.assign(1, 0), longest_.assign(1, 0);
        for (std::size_t k = 0; k < s.segments(); ++k) {
            shortest_.push_back(shortest_.back() + static_cast<Index>(s.shortest(k)));
            longest_.push_back(longest_.back() + static_cast<Index>(s.longest(k)));
        }
    }

    std::size_t most() const { return static_cast<std::size_t>(longest_.back()); }
    Index shortest(std::size_t k) const { return shortest_[k + 1] - shortest_[k]; }
    // The longest references between two boundaries, in words.
    Index longest(std::size_t from, std::size_t to) const { return longest_[to] - longest_[from]; }

    // The least cost from row i of boundary k to the end. Between neighbouring rows it differs by 1 at most.
    Index rest(std::size_t k, std::size_t i) const {
        const Index left = rows_ - static_cast<Index>(i);
        return std::max({Index{0}, left - (longest_.back() - longest_[k]), shortest_.back() - shortest_[k] - left});
    }

    // The last row of boundary k on a path of at most `most` that goes through boundary `from`, where
    // f (cost - row, see StreamSolver) is at least `before`: to row i such a path costs at least
    // before + i - longest(from, k). Rounded up to a whole machine word.
    std::size_t last_row(std::size_t from, std::size_t k, Index before, Index most) const {
        const Index reach = most - before + longest(from, k);
        const Index row = std::min(reach, (reach + rows_ - shortest_.back() + shortest_[k]) / 2);
        return static_cast<std::size_t>(std::clamp((row + 63) / 64 * 64, Index{0}, rows_));
    }

    // The rows near the place of boundary k if the hypothesis is about as long as the references everywhere.
    Band around(std::size_t k, std::size_t distance) const {
        const auto all = static_cast<double>(shortest_.back() + longest_.back());
        const double share = all > 0 ? static_cast<double>(shortest_[k] + longest_[k]) / all : 1;
        const auto row = static_cast<std::size_t>(share * static_cast<double>(rows_));
        const auto rows = static_cast<std::size_t>(rows_);
        return {row > distance ? (row - distance) / 64 * 64 : 0, std::min(rows, (row + distance + 63) / 64 * 64)};
    }

private:
    Index rows_ = 0;
    std::vector<Index> shortest_, longest_;  // in front of each boundary
};

// Computes the columns at segment ends, keeps some, and goes back segment by segment.
//
// Going back, a segment (or the few since the last kept column) is computed again, but only the
// rows that can matter. Let f(a) = C(a) - insertion * a, which never rises with a. A path from a to
// row i over L reference words costs at least insertion * (i - a - L), and deleting all of them
// from row i is possible, so no best path starts where f(a) > f(i) + (insertion + deletion) * L:
// a few rows for each reference word, as a rule. (A boundary at a break takes 1 off, so where breaks
// count there is 1 more for each segment.)
//
// An engine that finds limits goes forward only through rows that an optimum may need. First it looks
// for any path near the diagonal, in a few rows: no optimum costs more. Then a row is left out where
// what it has cost and the least that is still to come are more than that. Rows left out count as not
// there, so whatever is computed is the cost of some path. An optimum is never left out: its cells
// have their cost, by induction from the first one, and the others at least theirs. If a step from
// one cell to a cell of an optimum is tight, the first has the cost it should have, so it is part of
// an optimum too: the same steps are tight there as in whole columns, and nothing else is looked at
// on the way back. The bound on rows above holds as well, for it compares cells of optima with what
// deleting would cost.
template <class Engine>
class StreamSolver {
public:
    StreamSolver() = default;
    StreamSolver(const StreamSolver&) {}  // each thread has its own memory

    void solve(WordStream s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        if constexpr (Engine::finds_limits) {
            limits_.assign(s.segments() + 1, {0, s.hyp.size()});
            s.limits = limits_;
        }
        engine_.load(s, o, vocabulary);
        const std::size_t count = s.segments(), width = engine_.width();
        every_ = interval(count, width * sizeof(Cell), o.memory);
        kept_ = std::make_unique_for_overwrite<Cell[]>(((count - 1) / every_ + 1) * width);
        block_ = std::make_unique_for_overwrite<Cell[]>((every_ + 1) * width);
        if constexpr (Engine::finds_limits) forward_within(s, bound(s, stop), stop);
        else forward(s, stop);
        prepare(s, o, out);
        backward(s, o, stop, out);
        engine_.unload();
        kept_.reset(), block_.reset();
    }

    // The least sum of all keys, without the way back.
    Index least(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop) {
        engine_.load(s, o, vocabulary);
        block_ = std::make_unique_for_overwrite<Cell[]>(2 * engine_.width());
        engine_.first_column(block(0));
        for (std::size_t k = 0; k < s.segments(); ++k) {
            stop.check();
            engine_.advance(k, block(k % 2), block((k + 1) % 2), s.rows(k), stop);
        }
        const Index sum = engine_.last_value(block(s.segments() % 2));
        engine_.unload();
        block_.reset();
        return sum;
    }

private:
    using Cell = typename Engine::Cell;

    // Every how many columns one is kept, so that kept columns and those of one block fit.
    static std::size_t interval(std::size_t count, std::size_t bytes, std::size_t memory) {
        const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(count))) + 1;
        std::size_t every = 1;
        while (every < root && (count / every + 1 + every) * bytes > memory) ++every;
        return every;
    }

    Cell* kept(std::size_t k) { return kept_.get() + k / every_ * engine_.width(); }
    Cell* block(std::size_t n) { return block_.get() + n * engine_.width(); }

    void forward(const WordStream& s, const Stop& stop) {
        const Cell* column = kept(0);
        engine_.first_column(kept(0));
        for (std::size_t k = 0; k + 1 < s.segments(); ++k) {
            stop.check();
            Cell* next = (k + 1) % every_ == 0 ? kept(k + 1) : block(k % 2);
            engine_.advance(k, column, next, s.rows(k), stop);
            column = next;
        }
    }

    // The cost of some path, or `unknown` where it takes too long to find one that is of use: it goes
    // near the diagonal, and in a wider band if that is hardly better than one that matches nothing.
    Index bound(const WordStream& s, const Stop& stop) {
        lengths_.load(s);
        const std::size_t rows = s.hyp.size(), whole = work(s);
        const auto poor = lengths_.rest(0, 0) + static_cast<Index>(0.6 * static_cast<double>(std::min(rows, lengths_.most())));
        Index least = unknown;
        for (const std::size_t part : {std::size_t{128}, std::size_t{32}}) {
            for (std::size_t k = 0; k <= s.segments(); ++k) limits_[k] = lengths_.around(k, std::max<std::size_t>(rows / part, 64));
            if (work(s) > whole / 10) break;
            least = std::min(least, near_diagonal(s, stop));
            if (least < poor) break;
        }
        limits_.assign(limits_.size(), {0, rows});
        return least;
    }

    // Machine words to compute within the limits.
    static std::size_t work(const WordStream& s) {
        std::size_t sum = 0;
        for (std::size_t k = 0; k < s.segments(); ++k)
            sum += s.words_of(k, 0).size() * ((s.rows(k).last - s.rows(k).first) / 64 + 1);
        return sum;
    }

    Index near_diagonal(const WordStream& s, const Stop& stop) {
        Index top = 0;
        engine_.first_column(block(0));
        for (std::size_t k = 0; k < s.segments(); ++k) {
            stop.check();
            engine_.advance(k, block(k % 2), block((k + 1) % 2), s.rows(k), stop);
            top += lengths_.shortest(k) + engine_.rises(block((k + 1) % 2), {limits_[k].first, limits_[k + 1].first});
        }
        return top + engine_.rises(block(s.segments() % 2), limits_.back());
    }

    // Goes forward through rows that may be on a path of at most `most`, and finds the limits. Only now
    // and then it looks at the ends of a column, which takes a while.
    void forward_within(const WordStream& s, Index most, const Stop& stop) {
        if (most == unknown) return forward(s, stop);
        Index top = 0, bottom = 0;
        std::size_t seen = 0;  // the boundary where `bottom` was found
        limits_[0] = {0, 0};
        Cell* column = kept(0);
        engine_.first_column(column);
        for (std::size_t k = 0; k + 1 < s.segments(); ++k) {
            stop.check();
            const Index before = bottom - static_cast<Index>(limits_[seen].last);
            limits_[k + 1] = {limits_[k].first, lengths_.last_row(seen, k + 1, before, most)};
            Cell* next = (k + 1) % every_ == 0 ? kept(k + 1) : block(k % 2);
            engine_.advance(k, column, next, s.rows(k), stop);
            column = next;
            top += lengths_.shortest(k);
            if (lengths_.longest(seen, k + 1) < 64) continue;
            const auto rest = [&](std::size_t row) { return lengths_.rest(k + 1, row); };
            seen = k + 1;
            limits_[seen] = engine_.trim(column, limits_[seen], rest, most, top, bottom);
        }
        limits_.back().first = limits_[s.segments() - 1].first;
    }

    static void prepare(const WordStream& s, const StreamSettings& o, StreamResult& out) {
        const std::size_t count = s.segments();
        out = {};
        out.ends.resize(count), out.chosen.resize(count), out.counts.resize(count);
        if (o.ambiguity) out.run_counts.resize(count);
        if (o.alignment) out.step_counts.resize(count);
    }

    void backward(const WordStream& s, const StreamSettings& o, const Stop& stop, StreamResult& out) {
        std::size_t end = s.hyp.size();
        places_.assign(1, {end, end});
        for (std::size_t last = s.segments(); last > 0;) {
            const std::size_t first = (last - 1) / every_ * every_;
            std::size_t longest = 0;
            for (std::size_t k = first; k < last; ++k) longest += s.longest(k);
            const std::size_t lowest = o.ambiguity ? places_.front().first : end;
            const std::size_t highest = o.ambiguity ? places_.back().last : end;
            const Band band = engine_.band(first, kept(first), {s.limit(first).first, highest}, lowest, longest, last - first);
            for (std::size_t k = first; k + 1 < last; ++k)
                engine_.advance(k, k == first ? kept(k) : block(k - first), block(k + 1 - first), band.within(s.rows(k)),
                                stop);
            for (std::size_t k = last; k-- > first;) {
                stop.check();
                const Cell* column = k == first ? kept(k) : block(k - first);
                if (o.ambiguity) list_places(k, out);
                const Band rows = band.within(s.rows(k));
                end = trace(s, o, k, column, rows, end, stop, out);
                if (o.ambiguity) engine_.reach(k, column, rows, places_, stop);
            }
            last = first;
        }
        std::reverse(out.runs.begin(), out.runs.end());
        std::reverse(out.steps.begin(), out.steps.end());
    }

    std::size_t trace(const WordStream& s, const StreamSettings& o, std::size_t k, const Cell* column, const Band& band,
                      std::size_t end, const Stop& stop, StreamResult& out) {
        const std::size_t r = engine_.trace(k, column, band, end, stop, walk_);
        const SegmentCounts& c = walk_.counts;
        out.ends[k] = static_cast<Index>(end), out.chosen[k] = static_cast<Index>(r), out.counts[k] = c;
        out.words += static_cast<Index>(s.words_of(k, r).size());
        out.distance += c.substitutions * o.substitution + c.insertions * o.insertion + c.deletions * o.deletion;
        if (o.alignment) {
            out.step_counts[k] = static_cast<Index>(walk_.steps.size());
            out.steps.insert(out.steps.end(), walk_.steps.begin(), walk_.steps.end());
        }
        return walk_.start;
    }

    // The places of one boundary, from the last: the whole list is turned round at the end.
    void list_places(std::size_t k, StreamResult& out) {
        out.runs.insert(out.runs.end(), places_.rbegin(), places_.rend());
        out.run_counts[k] = static_cast<Index>(places_.size());
    }

    static constexpr Index unknown = std::numeric_limits<Index>::max();

    Engine engine_;
    std::size_t every_ = 1;
    std::unique_ptr<Cell[]> kept_, block_;
    StreamLengths lengths_;
    std::vector<Band> limits_;
    std::vector<Band> places_;
    Walk walk_;
};

}  // namespace fencepost
