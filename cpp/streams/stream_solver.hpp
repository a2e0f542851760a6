// stream_solver.hpp -- Columns at segment ends, and the way back through them, with any engine.
#pragma once

#include <limits>
#include <memory>

#include "streams/stream.hpp"
#include "streams/stream_limits.hpp"

namespace fencepost {

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
// for any path, in a few rows around where boundaries may be: no optimum costs more. Then rows at both
// ends of a column are left out where what they cost and the least that is still to come are more
// than that. The first row left goes on by deletions alone, and behind the last one there are only
// insertions: whatever is computed is the cost of some path. No cell of an optimum is left out, so
// each has its least cost, by induction from the first one. Let a step from another cell to it be
// tight: then that cell has its least cost too, for with less it would lead to less, and is part of an
// optimum. So the same steps are tight at cells of optima as in whole columns, and the way back meets
// no other cells. The bound above holds with what was computed: f never rises there either, its row a
// is part of an optimum, and deleting from row i is a path.
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
        Index most = unknown;
        if constexpr (Engine::finds_limits) most = bound(s, stop);
        forward(s, most, stop);
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

    // Goes forward through rows that may be on a path of at most `most`, and finds the limits. Only now
    // and then it looks at the ends of a column, which takes a while.
    void forward(const WordStream& s, Index most, const Stop& stop) {
        Index top = 0, bottom = 0;
        std::size_t seen = 0;  // the boundary where `bottom` was found
        Cell* column = kept(0);
        engine_.first_column(column);
        if (most != unknown) limits_[0] = {0, 0};
        for (std::size_t k = 0; k + 1 < s.segments(); ++k) {
            stop.check();
            Cell* next = (k + 1) % every_ == 0 ? kept(k + 1) : block(k % 2);
            if (most != unknown) {
                const Index before = bottom - static_cast<Index>(limits_[seen].last);
                limits_[k + 1] = {limits_[k].first, lengths_.last_row(seen, k + 1, before, most)};
            }
            engine_.advance(k, column, next, s.rows(k), stop);
            column = next;
            if constexpr (Engine::finds_limits) {
                if (most == unknown) continue;
                top += lengths_.shortest(k);
                if (lengths_.longest(seen, k + 1) < 64) continue;
                seen = k + 1;
                const auto rest = [&](std::size_t row) { return lengths_.rest(seen, row); };
                limits_[seen] = engine_.trim(column, limits_[seen], rest, most, top, bottom);
            }
        }
        if (most != unknown) limits_.back().first = limits_[s.segments() - 1].first;
    }

    // The cost of some path, or `unknown` where looking for one is too much work.
    Index bound(const WordStream& s, const Stop& stop) {
        const std::size_t rows = s.hyp.size(), distance = std::max<std::size_t>(rows / 128, 64);
        if (rows < 48 * distance || s.segments() < 30) return unknown;
        const std::size_t whole = work(s);
        guide_.load(s, [&](WordId word) { return engine_.only_row(word); });
        for (std::size_t k = 0; k <= s.segments(); ++k) {
            const auto row = static_cast<std::size_t>(guide_.row(k));
            limits_[k] = {row > distance ? (row - distance) / 64 * 64 : 0, std::min(rows, (row + distance + 63) / 64 * 64)};
        }
        const bool worthwhile = work(s) < whole / 10;
        const Index cost = worthwhile ? near_guide(s, stop) : unknown;
        limits_.assign(limits_.size(), {0, rows});
        return cost;
    }

    // Machine words to compute within the limits, with one reference each.
    static std::size_t work(const WordStream& s) {
        std::size_t sum = 0;
        for (std::size_t k = 0; k < s.segments(); ++k)
            sum += s.words_of(k, 0).size() * ((s.rows(k).last - s.rows(k).first) / 64 + 1);
        return sum;
    }

    // The least cost within the limits.
    Index near_guide(const WordStream& s, const Stop& stop) {
        lengths_.load(s);
        Index top = 0;
        engine_.first_column(block(0));
        for (std::size_t k = 0; k < s.segments(); ++k) {
            stop.check();
            engine_.advance(k, block(k % 2), block((k + 1) % 2), s.rows(k), stop);
            top += lengths_.shortest(k) + engine_.rises(block((k + 1) % 2), {limits_[k].first, limits_[k + 1].first});
        }
        return top + engine_.rises(block(s.segments() % 2), limits_.back());
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
            const Band all{s.limit(first).first, highest};
            const Band band = engine_.band(first, kept(first), all, lowest, longest, last - first);
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
    StreamGuide guide_;
    std::vector<Band> limits_;
    std::vector<Band> places_;
    Walk walk_;
};

}  // namespace fencepost
