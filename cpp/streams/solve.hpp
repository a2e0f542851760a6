// solve.hpp -- Documents laid flat, and their re-segmentation with the engine that fits each.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "streams/stream.hpp"
#include "streams/stream_bits.hpp"
#include "streams/stream_integers.hpp"
#include "streams/stream_solver.hpp"

namespace fencepost {

// The columns of many documents, seen as streams. Positions of document d (0 to its length) begin
// at hyp_offsets[d] + d in `breaks` and `forbidden`, which may be empty.
struct Documents {
    std::span<const WordId> hyp;
    std::span<const Index> hyp_offsets;
    std::span<const WordId> words;
    std::span<const Index> reference_offsets, segment_offsets, document_offsets;
    std::span<const std::uint8_t> breaks, forbidden;
    std::span<const std::uint8_t> marks;  // by word number, or empty

    std::size_t size() const { return hyp_offsets.size() - 1; }

    WordStream operator[](std::size_t d) const {
        const auto at = [d](std::span<const Index> offsets) { return static_cast<std::size_t>(offsets[d]); };
        const auto next = [d](std::span<const Index> offsets) { return static_cast<std::size_t>(offsets[d + 1]); };
        const std::size_t first = at(hyp_offsets), length = next(hyp_offsets) - first, segment = at(document_offsets);
        WordStream s;
        s.hyp = hyp.subspan(first, length);
        s.words = words.data(), s.reference = reference_offsets.data();
        s.segment = segment_offsets.subspan(segment, next(document_offsets) - segment + 1);
        if (!breaks.empty()) s.breaks = breaks.subspan(first + d, length + 1);
        if (!forbidden.empty()) s.forbidden = forbidden.subspan(first + d, length + 1);
        s.marks = marks;
        return s;
    }

    // Machine words to compute, in all documents.
    std::size_t work() const {
        std::size_t sum = 0;
        for (std::size_t d = 0; d < size(); ++d) {
            const WordStream s = (*this)[d];
            const Index count = s.reference[s.segment.back()] - s.reference[s.segment.front()];
            sum += (s.hyp.size() / 64 + 1) * static_cast<std::size_t>(count + 1);
        }
        return sum;
    }
};

// Solves documents with the engine that fits each.
//
// First all optima are found by cost alone, with their places. What is left to know is the range of
// N^ over them, and which of them has the fewest substitutions between a word and a mark and the
// most boundaries at breaks of the hypothesis. A boundary with one place is in every optimum, so it
// cuts the document into blocks that are looked at one by one, and no boundary is outside its places.
//
// Blocks and limits give what the whole document would. Call a step tight if it leads to its cell at
// the least sum of all keys. The way back takes tight steps only, so all it meets lies on an optimum,
// within the limits. A best way to such a cell is the beginning of an optimum, so it goes through the
// boundary before the block: the cell's sum in the document is its sum in the block plus one number,
// the same for the whole block. Hence the same steps are tight, and every tie rule chooses among them.
//
// A block stays as it is if nothing can beat it by the second keys: then each of its steps is tight
// with them too, and steps that are tight with them are tight by cost alone, so the rule that chose
// it among more steps chooses it again.
class StreamSolvers {
public:
    void solve(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        WordStream by_cost = s;
        by_cost.breaks = by_cost.marks = {};
        // The peers, whose row 0 peer_row is, know the cost alone.
        const bool keys = !o.peer_row && (!s.breaks.empty() || can_mix(s));
        StreamSettings first = o;
        first.ambiguity |= keys, first.alignment |= keys;
        choose(by_cost, first, vocabulary, stop, out);
        if (first.ambiguity) list_blocks(by_cost, o, out);
        if (o.ambiguity) find_range(by_cost, o, vocabulary, stop, out);
        if (keys) decide_blocks(s, o, vocabulary, stop, out);
        if (!o.ambiguity) out.run_counts.clear(), out.runs.clear();
        if (!o.alignment) out.step_counts.clear(), out.steps.clear();
    }

private:
    // Segments between two boundaries that are the same in all optima.
    struct Block {
        std::size_t first = 0, last = 0;  // segments
        std::size_t begin = 0, end = 0;   // words of the hypothesis
    };

    void choose(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        const bool unit = o.substitution == 1 && o.insertion == 1 && o.deletion == 1;
        const bool by_cost = s.breaks.empty() && s.marks.empty();
        if (unit && by_cost && s.forbidden.empty() && !o.peer_row && !o.integers) bits_.solve(s, o, vocabulary, stop, out);
        else if (narrow(s, o)) narrow_.solve(s, o, vocabulary, stop, out);
        else wide_.solve(s, o, vocabulary, stop, out);
    }

    // Whether sums fit into 32 bits.
    static bool narrow(const WordStream& s, const StreamSettings& o) {
        if (IntegerEngine<std::int32_t>::fits(s, o)) return true;
        if (!IntegerEngine<std::int64_t>::fits(s, o))
            throw std::overflow_error("costs are too large for so many words: divide all three by the same number");
        return false;
    }

    // Whether a word of one side can meet a mark of the other.
    static bool can_mix(const WordStream& s) {
        if (s.marks.empty()) return false;
        const auto kinds = [&](std::span<const WordId> words) {
            const bool marks = std::any_of(words.begin(), words.end(), [&](WordId word) { return s.is_mark(word); });
            const bool others = !std::all_of(words.begin(), words.end(), [&](WordId word) { return s.is_mark(word); });
            return std::pair(marks, others);
        };
        const auto [hyp_marks, hyp_words] = kinds(s.hyp);
        const auto [ref_marks, ref_words] = kinds(s.all_words());
        return (hyp_marks && ref_words) || (hyp_words && ref_marks);
    }

    // The peers' row 0 is about the whole document, which is then one block.
    void list_blocks(const WordStream& s, const StreamSettings& o, const StreamResult& out) {
        blocks_.clear();
        limits_.assign(1, {0, 0});
        Block block;
        std::span<const Band> runs = out.runs;
        for (std::size_t k = 0; k < s.segments(); ++k) {
            const auto count = static_cast<std::size_t>(out.run_counts[k]);
            limits_.push_back({runs.front().first, runs[count - 1].last});
            runs = runs.subspan(count);
            const bool certain = limits_.back().first == limits_.back().last;
            if (k + 1 < s.segments() && (!certain || o.peer_row)) continue;
            block.last = k + 1, block.end = limits_.back().last;
            blocks_.push_back(block);
            block = {k + 1, k + 1, block.end, block.end};
        }
    }

    // A block as a document.
    WordStream part_of(const WordStream& s, const Block& block) {
        const std::size_t length = block.end - block.begin;
        WordStream part = s;
        part.hyp = s.hyp.subspan(block.begin, length);
        part.segment = s.segment.subspan(block.first, block.last - block.first + 1);
        if (!s.breaks.empty()) part.breaks = s.breaks.subspan(block.begin, length + 1);
        if (!s.forbidden.empty()) part.forbidden = s.forbidden.subspan(block.begin, length + 1);
        if (!can_mix(part)) part.marks = {};
        part_limits_.assign(1, {0, 0});
        for (std::size_t k = block.first; k < block.last; ++k)
            part_limits_.push_back({limits_[k + 1].first - block.begin, limits_[k + 1].last - block.begin});
        part.limits = part_limits_;
        return part;
    }

    // The fewest and the most words of references over all optima: each a second key.
    void find_range(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop,
                    StreamResult& out) {
        for (const Block& block : blocks_) {
            Index shortest = 0, longest = 0;
            for (std::size_t k = block.first; k < block.last; ++k) {
                shortest += static_cast<Index>(s.shortest(k));
                longest += static_cast<Index>(s.longest(k));
            }
            if (const Index spread = longest - shortest; spread > 0) {
                const WordStream part = part_of(s, block);
                shortest += extra_words(part, o, Words::fewest, spread + 1, vocabulary, stop);
                longest -= extra_words(part, o, Words::most, spread + 1, vocabulary, stop);
            }
            out.fewest_words += shortest, out.most_words += longest;
        }
    }

    // How many words the references have at least above the shortest, or below the longest.
    Index extra_words(const WordStream& s, StreamSettings o, Words words, Index digit, std::size_t vocabulary,
                      const Stop& stop) {
        o.words = words;
        return (narrow(s, o) ? narrow_.least(s, o, vocabulary, stop) : wide_.least(s, o, vocabulary, stop)) % digit;
    }

    void decide_blocks(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop,
                       StreamResult& out) {
        steps_.clear();
        std::span<const StreamStep> steps = out.steps;
        for (const Block& block : blocks_) {
            std::size_t count = 0;
            for (std::size_t k = block.first; k < block.last; ++k) count += static_cast<std::size_t>(out.step_counts[k]);
            const std::span<const StreamStep> own = steps.first(count);
            if (can_improve(s, block, own, out)) decide(s, o, block, vocabulary, stop, out);
            else steps_.insert(steps_.end(), own.begin(), own.end());
            steps = steps.subspan(count);
        }
        out.words = 0;
        for (std::size_t k = 0; k < s.segments(); ++k)
            out.words += static_cast<Index>(s.words_of(k, static_cast<std::size_t>(out.chosen[k])).size());
        std::swap(out.steps, steps_);
    }

    // Whether a block has a boundary that is not at a break, or substitutes a word for a mark.
    static bool can_improve(const WordStream& s, const Block& block, std::span<const StreamStep> steps,
                            const StreamResult& out) {
        for (std::size_t k = block.first; !s.breaks.empty() && k + 1 < block.last; ++k)
            if (s.breaks[static_cast<std::size_t>(out.ends[k])] == 0) return true;
        for (std::size_t k = block.first, n = 0; !s.marks.empty() && k < block.last; ++k) {
            const auto ref = s.words_of(k, static_cast<std::size_t>(out.chosen[k]));
            for (const std::size_t end = n + static_cast<std::size_t>(out.step_counts[k]); n < end; ++n) {
                if (steps[n].op != StreamOp::substitution) continue;
                const WordId heard = s.hyp[static_cast<std::size_t>(steps[n].hyp)];
                if (s.is_mark(heard) != s.is_mark(ref[static_cast<std::size_t>(steps[n].ref)])) return true;
            }
        }
        return false;
    }

    // Solves a block with all keys, in place of what was found by cost.
    void decide(const WordStream& s, const StreamSettings& o, const Block& block, std::size_t vocabulary, const Stop& stop,
                StreamResult& out) {
        const WordStream part = part_of(s, block);
        StreamSettings all_keys = o;
        all_keys.ambiguity = false;
        choose(part, all_keys, vocabulary, stop, part_);
        const auto begin = static_cast<Index>(block.begin);
        for (std::size_t k = block.first; k < block.last; ++k) {
            const std::size_t n = k - block.first;
            out.ends[k] = part_.ends[n] + begin, out.chosen[k] = part_.chosen[n], out.counts[k] = part_.counts[n];
            if (o.alignment) out.step_counts[k] = part_.step_counts[n];
        }
        for (StreamStep step : part_.steps) {
            if (step.hyp >= 0) step.hyp += begin;
            steps_.push_back(step);
        }
    }

    StreamSolver<BitEngine> bits_;
    StreamSolver<IntegerEngine<std::int32_t>> narrow_;
    StreamSolver<IntegerEngine<std::int64_t>> wide_;
    std::vector<Block> blocks_;
    std::vector<Band> limits_, part_limits_;  // by boundary from 0, of the document and of a block
    StreamResult part_;
    std::vector<StreamStep> steps_;
};

}  // namespace fencepost
