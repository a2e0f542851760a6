// stream_limits.hpp -- Which rows of the hypothesis an optimum may need, and where it probably is.
#pragma once

#include <utility>

#include "streams/stream.hpp"

namespace fencepost {

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

private:
    Index rows_ = 0;
    std::vector<Index> shortest_, longest_;  // in front of each boundary
};

// Guesses where boundaries are: on straight lines between words that occur once in the hypothesis and
// once in the first references, as many as are in the same order in both.
class StreamGuide {
public:
    // only_row(word) is the row before the one place of a word in the hypothesis, or none.
    template <class OnlyRow>
    void load(const WordStream& s, const OnlyRow& only_row) {
        pairs_.clear(), starts_.clear();
        Index word = 0;
        for (std::size_t k = 0; k < s.segments(); ++k) {
            starts_.push_back(word);
            for (const WordId id : s.words_of(k, 0)) {
                if (const Index row = only_row(id); row != none) pairs_.push_back({row, word});
                ++word;
            }
        }
        std::sort(pairs_.begin(), pairs_.end());
        find_chain();
        chain_.push_back({static_cast<Index>(s.hyp.size()), word});
        starts_.push_back(word);
        find_rows();
    }

    // Where boundary k probably is.
    Index row(std::size_t k) const { return rows_[k]; }

    static constexpr Index none = -1;

private:
    using Pair = std::pair<Index, Index>;  // a row, and words of first references before it

    // The longest list of pairs in which both numbers grow, from (0, 0).
    void find_chain() {
        ends_.clear(), before_.assign(pairs_.size(), 0);
        for (std::size_t n = 0; n < pairs_.size(); ++n) {
            const bool again = (n > 0 && pairs_[n - 1].first == pairs_[n].first) ||
                               (n + 1 < pairs_.size() && pairs_[n + 1].first == pairs_[n].first);
            if (again) continue;
            const auto at = std::partition_point(ends_.begin(), ends_.end(),
                                                 [&](std::size_t end) { return pairs_[end].second < pairs_[n].second; });
            before_[n] = at == ends_.begin() ? n : *(at - 1);
            if (at == ends_.end()) ends_.push_back(n);
            else *at = n;
        }
        chain_.clear();
        for (std::size_t n = ends_.empty() ? 0 : ends_.back(), left = ends_.size(); left > 0; n = before_[n], --left)
            chain_.push_back(pairs_[n]);
        chain_.push_back({0, 0});
        std::reverse(chain_.begin(), chain_.end());
    }

    void find_rows() {
        rows_.clear();
        std::size_t next = 0;
        for (const Index word : starts_) {
            while (next + 1 < chain_.size() && chain_[next].second <= word) ++next;
            const auto [row, from] = chain_[next - 1];
            const auto [row_after, to] = chain_[next];
            rows_.push_back(to > from ? row + (row_after - row) * (word - from) / (to - from) : row);
        }
        rows_.front() = 0, rows_.back() = chain_.back().first;
    }

    std::vector<Pair> pairs_, chain_;
    std::vector<std::size_t> ends_, before_;  // by length: the last pair of a list; by pair: the one before it
    std::vector<Index> starts_, rows_;        // by boundary: words of first references before it, and its row
};

}  // namespace fencepost
