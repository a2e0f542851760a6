// solve.hpp -- Documents laid flat, and their re-segmentation with the engine that fits each.
#pragma once

#include <span>
#include <utility>

#include "streams/stream.hpp"
#include "streams/stream_bits.hpp"
#include "streams/stream_integers.hpp"

namespace fencepost {

// The columns of many documents, seen as streams. Positions of document d (0 to its length) begin
// at hyp_offsets[d] + d in `breaks` and `forbidden`, which may be empty.
struct Documents {
    std::span<const WordId> hyp;
    std::span<const Index> hyp_offsets;
    std::span<const WordId> words;
    std::span<const Index> reference_offsets, segment_offsets, document_offsets;
    std::span<const std::uint8_t> breaks, forbidden;

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
class StreamSolvers {
public:
    void solve(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        // Which places are optimal is a matter of costs alone, so breaks are left out of it.
        const bool apart = o.ambiguity && !s.breaks.empty();
        StreamSettings main = o;
        main.ambiguity = o.ambiguity && !apart;
        choose(s, main, vocabulary, stop, out);
        if (!apart) return;
        WordStream plain = s;
        plain.breaks = {};
        main.ambiguity = true, main.alignment = false;
        StreamResult all;
        choose(plain, main, vocabulary, stop, all);
        out.run_counts = std::move(all.run_counts), out.runs = std::move(all.runs);
        out.fewest_words = all.fewest_words, out.most_words = all.most_words;
    }

private:
    void choose(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        const bool unit = o.substitution == 1 && o.insertion == 1 && o.deletion == 1;
        if (unit && s.breaks.empty() && s.forbidden.empty() && !o.peer_row && !o.integers)
            bits_.solve(s, o, vocabulary, stop, out);
        else if (IntegerEngine<std::int32_t>::fits(s, o)) narrow_.solve(s, o, vocabulary, stop, out);
        else wide_.solve(s, o, vocabulary, stop, out);
    }

    StreamSolver<BitEngine> bits_;
    StreamSolver<IntegerEngine<std::int32_t>> narrow_;
    StreamSolver<IntegerEngine<std::int64_t>> wide_;
};

}  // namespace fencepost
