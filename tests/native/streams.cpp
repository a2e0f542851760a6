// streams.cpp -- Re-segmentation beside whole tables and every boundary, and its engines beside each other.
#include "streams/solve.hpp"

#include <map>
#include <set>

#include "kernels/random.hpp"
#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

using Words = std::vector<WordId>;
using Key = std::array<Index, 3>;  // cost, substitutions between a word and a mark, minus breaks

constexpr Index kNever = Index{1} << 50;

Key plus(const Key& x, const Key& y) { return {x[0] + y[0], x[1] + y[1], x[2] + y[2]}; }

struct Document {
    Words hyp;
    std::vector<std::vector<Words>> segments;  // by segment, by reference
    std::vector<std::uint8_t> breaks, forbidden, marks;
    WordId vocabulary = 1;
    StreamSettings settings;

    Key substitution(WordId x, WordId y) const {
        if (x == y) return {};
        const auto mark = [&](WordId word) { return !marks.empty() && marks[static_cast<std::size_t>(word)] != 0; };
        return {settings.substitution, mark(x) != mark(y), 0};
    }
    bool open(std::size_t i) const { return i == 0 || i == hyp.size() || forbidden.empty() || forbidden[i] == 0; }
    Key boundary(std::size_t i) const { return {0, 0, !breaks.empty() && breaks[i] != 0 ? -1 : 0}; }
    // By reference words, then by rows: the least sum from `start`.
    std::vector<std::vector<Key>> table(std::vector<Key> start, const Words& ref, std::size_t first = 0) const {
        std::vector<std::vector<Key>> columns{std::move(start)};
        const Key deleted{settings.deletion, 0, 0}, inserted{settings.insertion, 0, 0};
        for (const WordId word : ref) {
            const auto& last = columns.back();
            std::vector<Key> next{plus(last[0], deleted)};
            for (std::size_t i = 1; i < last.size(); ++i)
                next.push_back(std::min({plus(last[i], deleted), plus(next[i - 1], inserted),
                                         plus(last[i - 1], substitution(hyp[first + i - 1], word))}));
            columns.push_back(std::move(next));
        }
        return columns;
    }
};

struct Solution {
    std::vector<Index> ends, chosen;
    std::vector<std::array<Index, 3>> counts;
    std::vector<std::array<Index, 3>> steps;
};

// The rule of the RWTH tool at every cell of the whole table.
Solution by_cells(const Document& d) {
    const std::size_t size = d.hyp.size(), count = d.segments.size();
    const Key inserted{d.settings.insertion, 0, 0}, deleted{d.settings.deletion, 0, 0};
    std::vector<std::vector<Key>> end{std::vector<Key>(size + 1, Key{kNever, 0, 0})};
    end[0][0] = {};
    std::vector<std::vector<std::vector<std::vector<Key>>>> tables(count);
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<Key> start = end[k];
        for (std::size_t i = 1; i <= size; ++i) start[i] = std::min(start[i], plus(start[i - 1], inserted));
        std::vector<Key> column(size + 1, Key{kNever * 2, 0, 0});
        std::size_t longest = 0;
        for (const Words& ref : d.segments[k]) {
            longest = std::max(longest, ref.size());
            tables[k].push_back(d.table(start, ref));
            for (std::size_t i = 0; i <= size; ++i) column[i] = std::min(column[i], tables[k].back().back()[i]);
        }
        if (d.settings.peer_row) column[0] = plus(end[k][0], {static_cast<Index>(longest + 1) * d.settings.deletion, 0, 0});
        for (std::size_t i = 0; i <= size; ++i) column[i] = d.open(i) ? plus(column[i], d.boundary(i)) : Key{kNever, 0, 0};
        end.push_back(std::move(column));
    }
    Solution s;
    std::vector<std::vector<std::array<Index, 3>>> steps(count);
    s.ends.resize(count), s.chosen.resize(count), s.counts.resize(count);
    std::size_t i = size;
    for (std::size_t k = count; k-- > 0;) {
        std::size_t chosen = 0;
        for (std::size_t r = 1; r < tables[k].size(); ++r)
            if (tables[k][r].back()[i] < tables[k][chosen].back()[i]) chosen = r;
        if (d.settings.peer_row && i == 0) chosen = 0;
        const auto& table = tables[k][chosen];
        const Words& ref = d.segments[k][chosen];
        s.ends[k] = static_cast<Index>(i), s.chosen[k] = static_cast<Index>(chosen);
        std::size_t j = ref.size();
        while (j > 0 || (k == 0 ? i > 0 : end[k][i] != table[0][i])) {
            StreamOp op = StreamOp::insertion;
            if (j > 0 && (i == 0 || table[j][i] == plus(table[j - 1][i], deleted))) op = StreamOp::deletion;
            else if (j > 0 && table[j][i] != plus(table[j][i - 1], inserted))
                op = d.hyp[i - 1] == ref[j - 1] ? StreamOp::match : StreamOp::substitution;
            if (op != StreamOp::match) ++s.counts[k][static_cast<std::size_t>(op) - 1];
            const bool heard = op != StreamOp::deletion, read = op != StreamOp::insertion;
            steps[k].push_back(
                {static_cast<Index>(op), heard ? static_cast<Index>(i) - 1 : -1, read ? static_cast<Index>(j) - 1 : -1});
            i -= heard, j -= read;
        }
    }
    for (auto& own : steps) s.steps.insert(s.steps.end(), own.rbegin(), own.rend());
    return s;
}

// All boundaries of a small document, with their least sums.
std::map<std::vector<std::size_t>, Key> every(const Document& d) {
    const std::size_t size = d.hyp.size(), count = d.segments.size();
    std::map<std::array<std::size_t, 3>, Key> known;
    const auto distance = [&](std::size_t k, std::size_t first, std::size_t last) {
        const auto [at, fresh] = known.try_emplace({k, first, last});
        if (!fresh) return at->second;
        std::vector<Key> start;
        for (std::size_t i = first; i <= last; ++i)
            start.push_back({static_cast<Index>(i - first) * d.settings.insertion, 0, 0});
        Key least{kNever, 0, 0};
        for (const Words& ref : d.segments[k]) least = std::min(least, d.table(start, ref, first).back().back());
        return at->second = least;
    };
    std::map<std::vector<std::size_t>, Key> found;
    std::vector<std::size_t> ends;
    const auto go = [&](auto&& self, std::size_t first, Key sum) -> void {
        const std::size_t k = ends.size();
        if (k + 1 == count) {
            ends.push_back(size);
            found[ends] = plus(sum, distance(k, first, size));
            ends.pop_back();
            return;
        }
        for (std::size_t last = first; last <= size; ++last) {
            if (!d.open(last)) continue;
            ends.push_back(last);
            self(self, last, plus(plus(sum, distance(k, first, last)), d.boundary(last)));
            ends.pop_back();
        }
    };
    go(go, 0, {});
    return found;
}

std::vector<std::vector<std::size_t>> optima(const Document& d) {
    const auto all = every(d);
    Key least{kNever, 0, 0};
    for (const auto& [ends, sum] : all) least = std::min(least, sum);
    std::vector<std::vector<std::size_t>> found;
    for (const auto& [ends, sum] : all)
        if (sum == least) found.push_back(ends);
    return found;
}

// The columns of a document, and its result.
StreamResult solve(const Document& d, const StreamSettings& o, StreamSolvers& solvers) {
    Words words;
    std::vector<Index> reference{0}, segment{0};
    for (const auto& references : d.segments) {
        for (const Words& ref : references) {
            words.insert(words.end(), ref.begin(), ref.end());
            reference.push_back(static_cast<Index>(words.size()));
        }
        segment.push_back(static_cast<Index>(reference.size()) - 1);
    }
    words = exactly(words);
    const Words hyp = exactly(d.hyp);
    const Index hyp_offsets[] = {0, static_cast<Index>(hyp.size())}, document[] = {0, static_cast<Index>(d.segments.size())};
    const Documents documents{hyp, hyp_offsets, words, reference, segment, document, d.breaks, d.forbidden, d.marks};
    StreamResult out;
    solvers.solve(documents[0], o, static_cast<std::size_t>(d.vocabulary), {}, out);
    return out;
}

Solution shown_of(const StreamResult& r) {
    Solution s{r.ends, r.chosen, {}, {}};
    for (const SegmentCounts& c : r.counts) s.counts.push_back({c.substitutions, c.insertions, c.deletions});
    for (const StreamStep& step : r.steps) s.steps.push_back({static_cast<Index>(step.op), step.hyp, step.ref});
    return s;
}

void check_equal(const Solution& found, const Solution& expected) {
    CHECK_SAME(found.ends, expected.ends);
    CHECK_SAME(found.chosen, expected.chosen);
    CHECK_SAME(found.counts, expected.counts);
    CHECK_SAME(found.steps, expected.steps);
}

// Whether the steps lead through the hypothesis and the chosen references, at the stated distance.
void check_steps(const Document& d, const StreamResult& r) {
    Index i = 0, distance = 0, words = 0;
    std::size_t n = 0;
    for (std::size_t k = 0; k < d.segments.size(); ++k) {
        const Words& ref = d.segments[k][static_cast<std::size_t>(r.chosen[k])];
        words += static_cast<Index>(ref.size());
        Index j = 0;
        SegmentCounts counts;
        for (const std::size_t last = n + static_cast<std::size_t>(r.step_counts[k]); n < last; ++n) {
            const StreamStep& step = r.steps[n];
            CHECK_SAME(step.hyp, step.op == StreamOp::deletion ? -1 : i);
            CHECK_SAME(step.ref, step.op == StreamOp::insertion ? -1 : j);
            i += step.op != StreamOp::deletion, j += step.op != StreamOp::insertion;
            if (step.op == StreamOp::match || step.op == StreamOp::substitution)
                CHECK((d.hyp[static_cast<std::size_t>(step.hyp)] == ref[static_cast<std::size_t>(step.ref)]) ==
                      (step.op == StreamOp::match));
            counts.substitutions += step.op == StreamOp::substitution;
            counts.insertions += step.op == StreamOp::insertion, counts.deletions += step.op == StreamOp::deletion;
        }
        CHECK_SAME(j, static_cast<Index>(ref.size()));
        CHECK_SAME(i, r.ends[k]);
        CHECK_SAME(counts.substitutions, r.counts[k].substitutions);
        CHECK_SAME(counts.insertions, r.counts[k].insertions);
        CHECK_SAME(counts.deletions, r.counts[k].deletions);
        distance += counts.substitutions * d.settings.substitution + counts.insertions * d.settings.insertion +
                    counts.deletions * d.settings.deletion;
    }
    CHECK_SAME(r.distance, distance);
    CHECK_SAME(r.words, words);
}

// The places of every boundary over all optima by cost, and the range of the references' words.
void check_ambiguity(const Document& given, const StreamResult& r) {
    Document d = given;
    d.breaks.clear(), d.marks.clear();
    std::vector<std::set<std::size_t>> places(d.segments.size());
    Index fewest = kNever, most = 0;
    for (const auto& ends : optima(d)) {
        Index least = 0, greatest = 0;
        for (std::size_t k = 0, first = 0; k < ends.size(); first = ends[k++]) {
            places[k].insert(ends[k]);
            std::map<Key, std::set<Index>> sizes;
            std::vector<Key> start;
            for (std::size_t i = first; i <= ends[k]; ++i)
                start.push_back({static_cast<Index>(i - first) * d.settings.insertion, 0, 0});
            for (const Words& ref : d.segments[k])
                sizes[d.table(start, ref, first).back().back()].insert(static_cast<Index>(ref.size()));
            least += *sizes.begin()->second.begin(), greatest += *sizes.begin()->second.rbegin();
        }
        fewest = std::min(fewest, least), most = std::max(most, greatest);
    }
    CHECK_SAME(r.fewest_words, fewest);
    CHECK_SAME(r.most_words, most);
    std::size_t run = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
        std::set<std::size_t> found;
        for (Index n = r.run_counts[k]; n > 0; --n, ++run)
            for (std::size_t at = r.runs[run].first; at <= r.runs[run].last; ++at) found.insert(at);
        CHECK(found == places[k]);
    }
}

// Each boundary from the last to the first at its earliest or latest place, given those behind it.
void check_ties(const Document& d, const StreamResult& r) {
    auto all = optima(d);
    for (auto& ends : all) std::reverse(ends.begin(), ends.end());
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    std::vector<std::size_t> ends = d.settings.ties == Ties::earliest ? *least : *most;
    std::reverse(ends.begin(), ends.end());
    CHECK_SAME(r.ends, ends);
}

Document draw_document(Draws& in) {
    Document d;
    d.vocabulary = static_cast<WordId>(in.number(1, 6));
    const auto word = [&] { return static_cast<WordId>(in.number(0, d.vocabulary - 1)); };
    const std::size_t count = in.size(1, 4);
    for (std::size_t k = 0; k < count; ++k) {
        d.segments.emplace_back();
        for (std::size_t n = in.rarely() ? in.size(1, 3) : 1; n > 0; --n) {
            d.segments[k].emplace_back();
            for (std::size_t length = in.size(0, 4); length > 0; --length) d.segments[k].back().push_back(word());
        }
        for (const WordId own : d.segments[k][0])  // heard, misheard, or not at all
            if (const Index heard = in.number(0, 9); heard > 0) d.hyp.push_back(heard > 2 ? own : word());
        if (in.rarely()) d.hyp.push_back(word());
    }
    const auto flags = [&](std::size_t size) {
        std::vector<std::uint8_t> made(size);
        for (auto& one : made) one = in.coin();
        return made;
    };
    StreamSettings& o = d.settings;
    o.peer_row = in.rarely();
    if (in.rarely()) d.forbidden = flags(d.hyp.size() + 1);
    if (!o.peer_row && in.coin()) d.breaks = flags(d.hyp.size() + 1);
    if (!o.peer_row && in.coin()) d.marks = flags(static_cast<std::size_t>(d.vocabulary));
    if (in.coin()) o.substitution = in.number(1, 4), o.insertion = in.number(1, 4), o.deletion = in.number(1, 4);
    if (!o.peer_row) o.ties = static_cast<Ties>(in.number(0, 2));
    o.integers = in.rarely(), o.plain = in.coin(), o.ambiguity = in.coin(), o.alignment = true;
    o.memory = in.coin() ? 0 : std::size_t{1} << 20;
    return d;
}

void check_small(Draws& in) {
    const Document d = draw_document(in);
    StreamSolvers solvers;
    const StreamResult r = solve(d, d.settings, solvers);
    check_steps(d, r);
    if (d.settings.ties == Ties::rwth) check_equal(shown_of(r), by_cells(d));
    if (!d.settings.peer_row) {
        if (d.settings.ties != Ties::rwth) check_ties(d, r);
        if (d.settings.ambiguity) check_ambiguity(d, r);
    }
    check_equal(shown_of(solve(d, d.settings, solvers)), shown_of(r));  // scratch memory does not show
}

// Long documents: every engine, with and without limits, says the same.
void check_long(Draws& in) {
    Document d;
    Stream draws(in.raw(8));
    d.vocabulary = static_cast<WordId>(in.number(2, 2000));
    const auto word = [&] { return static_cast<WordId>(draws.below(static_cast<std::uint64_t>(d.vocabulary))); };
    const std::size_t count = in.size(1, 60), length = in.rarely() ? in.size(60, 110) : in.size(0, 12);
    const std::uint64_t noise = 2 + in.raw(1);
    for (std::size_t k = 0; k < count; ++k) {
        d.segments.emplace_back(1 + draws.below(8) / 7);
        for (Words& ref : d.segments[k])
            for (std::size_t n = draws.below(2 * length + 1); n > 0; --n) ref.push_back(word());
        for (const WordId own : d.segments[k].back())
            if (const auto heard = draws.below(noise); heard > 0) d.hyp.push_back(heard > 1 ? own : word());
    }
    d.settings.ties = static_cast<Ties>(in.number(0, 2));
    d.settings.alignment = d.settings.ambiguity = true;
    StreamSolvers solvers;
    const StreamResult bits = solve(d, d.settings, solvers);
    check_steps(d, bits);
    for (const int engine : {0, 1, 2}) {
        StreamSettings o = d.settings;
        o.integers = engine > 0, o.plain = engine > 1, o.memory = engine == 0 ? 0 : o.memory;
        const StreamResult other = solve(d, o, solvers);
        check_equal(shown_of(other), shown_of(bits));
        CHECK_SAME(other.run_counts, bits.run_counts);
        CHECK_SAME(other.fewest_words, bits.fewest_words);
        CHECK_SAME(other.most_words, bits.most_words);
        for (std::size_t n = 0; n < bits.runs.size(); ++n)
            CHECK(other.runs[n].first == bits.runs[n].first && other.runs[n].last == bits.runs[n].last);
    }
    // Three times the costs: the same boundaries, in wider numbers.
    StreamSettings o = d.settings;
    o.substitution = o.insertion = o.deletion = Index{1} << in.number(1, 31);
    const StreamResult wide = solve(d, o, solvers);
    check_equal(shown_of(wide), shown_of(bits));
    CHECK_SAME(wide.distance, bits.distance * o.deletion);
}

}  // namespace

void check_streams(Draws in) {
    if (in.number(0, 31) == 31) check_long(in);
    else check_small(in);
}

}  // namespace native
