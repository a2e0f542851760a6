// tokens.hpp -- Texts become tokens: where each one begins and ends, which of them are written
// alike, and where a boundary before each of them cuts its text.
//
// Cost: one pass over the characters, and one over those of the tokens. What a character is comes
// from a table with bits for each code point, which streams/tokens.py makes from Python's Unicode
// tables; tests/oracle/tokens.py has the same rules as regular expressions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

inline constexpr std::size_t kCodePoints = 0x110000;
inline constexpr std::size_t kPage = 256;  // code points that are looked up together

using TokenId = std::int32_t;
using CharacterBits = std::uint16_t;

// One character can have several bits. The same numbers are in streams/tokens.py.
inline constexpr CharacterBits kSpace = 1 << 0;
inline constexpr CharacterBits kLetter = 1 << 1;    // or digit, of a script with spaces between words
inline constexpr CharacterBits kUnspaced = 1 << 2;  // a letter of a script without them
inline constexpr CharacterBits kAttached = 1 << 3;  // stays with the letter before it
inline constexpr CharacterBits kMark = 1 << 4;      // combining, stays with any character before it
inline constexpr CharacterBits kSign = 1 << 5;      // begins a token that is no word
inline constexpr CharacterBits kPicture = 1 << 6;   // is one sign with what a joiner puts before it
inline constexpr CharacterBits kSeen = 1 << 7;      // neither space nor invisible
inline constexpr CharacterBits kLink = 1 << 8;      // between letters, part of the word
inline constexpr CharacterBits kOpening = 1 << 9;   // goes with what follows

// A text as Python stores it: 1, 2 or 4 bytes for each character.
struct TextView {
    const void* data = nullptr;
    std::size_t size = 0;
    int width = 1;

    // Calls body with the characters, whatever their width is.
    template <class Body>
    void read(Body&& body) const {
        if (width == 1) body(std::span(static_cast<const std::uint8_t*>(data), size));
        else if (width == 2) body(std::span(static_cast<const std::uint16_t*>(data), size));
        else body(std::span(static_cast<const std::uint32_t*>(data), size));
    }
};

// Tokens of many texts: those of text t are offsets[t] up to offsets[t + 1], and each is
// [start, end) in its own text.
struct TokenSpans {
    std::vector<Index> offsets{0}, starts, ends;
};

enum class SplitRule { words, whitespace, characters, spaced_words };
inline constexpr std::array<const char*, 4> split_rule_names = {"words", "whitespace", "characters", "spaced words"};

// The numbers of the pages that have a character of the texts, ascending.
inline std::vector<Index> used_pages(std::span<const TextView> texts, const Stop& stop = {}) {
    std::array<bool, kCodePoints / kPage> used{};
    for (const TextView& text : texts)
        text.read([&](auto characters) {
            if (sizeof(characters[0]) == 1) used[0] = used[0] || !characters.empty();
            else
                for (std::size_t i = 0; i < characters.size(); ++i) {
                    stop.check(i);
                    used[std::uint32_t{characters[i]} / kPage] = true;
                }
        });
    std::vector<Index> pages;
    for (std::size_t page = 0; page < used.size(); ++page)
        if (used[page]) pages.push_back(static_cast<Index>(page));
    return pages;
}

// Finds tokens in one text. Every function takes a place and returns the end of what begins there;
// the same place if nothing does.
template <class Character>
class TokenScanner {
public:
    TokenScanner(std::span<const Character> text, std::span<const CharacterBits> classes) : text_(text), classes_(classes) {}

    std::size_t token(std::size_t at, SplitRule rule) const {
        switch (rule) {
            case SplitRule::words: return word_or_sign(at);
            case SplitRule::whitespace: return printed(at);
            case SplitRule::characters: return is(at, kSeen) ? run(at + 1, kAttached) : at;
            case SplitRule::spaced_words: return spaced_word(at);
        }
        return at;
    }

private:
    static constexpr std::uint32_t kJoiner = 0x200D;

    bool is(std::size_t at, CharacterBits bits) const { return at < text_.size() && (classes_[text_[at]] & bits) != 0; }

    // The first place from `at` on whose character has none of the bits.
    std::size_t run(std::size_t at, CharacterBits bits) const {
        while (is(at, bits)) ++at;
        return at;
    }

    // What stands between spaces.
    std::size_t printed(std::size_t at) const {
        while (at < text_.size() && !is(at, kSpace)) ++at;
        return at;
    }

    std::size_t word_or_sign(std::size_t at) const {
        if (is(at, kLetter)) return spaced_word(at);
        if (is(at, kUnspaced)) return run(at + 1, kAttached);
        return is(at, kSign) ? sign(at) : at;
    }

    // Letters and digits with what is attached to them; an apostrophe or hyphen between two of them.
    std::size_t spaced_word(std::size_t at) const {
        if (!is(at, kLetter)) return at;
        at = run(at + 1, kLetter | kAttached);
        while (is(at, kLink) && is(at + 1, kLetter)) at = run(at + 2, kLetter | kAttached);
        return at;
    }

    // A mark repeated (... or --) is one token, and so are signs that a joiner makes one picture.
    std::size_t sign(std::size_t at) const {
        const Character first = text_[at];
        while (at < text_.size() && text_[at] == first) ++at;
        at = run(at, kMark);
        while (at < text_.size() && text_[at] == kJoiner && is(at + 1, kPicture)) at = run(at + 2, kMark);
        return at;
    }

    std::span<const Character> text_;
    std::span<const CharacterBits> classes_;
};

inline TokenSpans split_texts(std::span<const TextView> texts, std::span<const CharacterBits> classes, SplitRule rule,
                              const Stop& stop) {
    TokenSpans found;
    std::size_t step = 0;
    for (const TextView& text : texts) {
        text.read([&](auto characters) {
            const TokenScanner scanner(characters, classes);
            for (std::size_t at = 0; at < characters.size();) {
                stop.check(++step);
                const std::size_t end = scanner.token(at, rule);
                if (end == at) {
                    ++at;
                    continue;
                }
                found.starts.push_back(static_cast<Index>(at));
                found.ends.push_back(static_cast<Index>(end));
                at = end;
            }
        });
        found.offsets.push_back(static_cast<Index>(found.starts.size()));
    }
    return found;
}

// Numbers tokens by how they are written, in the order of their first appearance. Texts of other
// widths meet here, so every different token is kept as code points.
class TokenTable {
public:
    template <class Character>
    TokenId number(std::span<const Character> token) {
        const std::uint64_t key = hash(token);
        std::size_t at = key & (slots_.size() - 1);
        for (; slots_[at].number >= 0; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].key == key && is_written(slots_[at].number, token)) return slots_[at].number;
        const auto added = static_cast<TokenId>(size());
        slots_[at] = {key, added};
        codes_.insert(codes_.end(), token.begin(), token.end());
        ends_.push_back(codes_.size());
        if (2 * size() > slots_.size()) grow();
        return added;
    }

    std::size_t size() const { return ends_.size() - 1; }

    // How the token of a number is written.
    std::span<const std::uint32_t> operator[](std::size_t number) const {
        return {codes_.data() + ends_[number], ends_[number + 1] - ends_[number]};
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        TokenId number = -1;
    };

    template <class Character>
    static std::uint64_t hash(std::span<const Character> token) {
        std::uint64_t key = token.size();
        for (const Character code : token) key = (key ^ code) * 0x9E3779B97F4A7C15u;
        return key ^ (key >> 32);
    }

    template <class Character>
    bool is_written(TokenId number, std::span<const Character> token) const {
        return std::ranges::equal(token, (*this)[static_cast<std::size_t>(number)]);
    }

    void grow() {
        std::vector<Slot> larger(slots_.size() * 4);
        for (const Slot& slot : slots_) {
            if (slot.number < 0) continue;
            std::size_t at = slot.key & (larger.size() - 1);
            while (larger[at].number >= 0) at = (at + 1) & (larger.size() - 1);
            larger[at] = slot;
        }
        slots_ = std::move(larger);
    }

    std::vector<Slot> slots_ = std::vector<Slot>(1 << 10);
    std::vector<std::uint32_t> codes_;   // of all different tokens, end to end
    std::vector<std::size_t> ends_ = {0};  // of each in codes_, after a 0
};

// The number of each token.
inline std::vector<TokenId> number_tokens(std::span<const TextView> texts, std::span<const Index> offsets,
                                          std::span<const Index> starts, std::span<const Index> ends, TokenTable& table,
                                          const Stop& stop) {
    std::vector<TokenId> numbers(starts.size());
    for (std::size_t t = 0; t < texts.size(); ++t)
        texts[t].read([&](auto characters) {
            for (auto i = static_cast<std::size_t>(offsets[t]); i < static_cast<std::size_t>(offsets[t + 1]); ++i) {
                stop.check(i);
                numbers[i] = table.number(
                    characters.subspan(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(ends[i] - starts[i])));
            }
        });
    return numbers;
}

// What lies between two tokens stays with the token before it, except for marks that open
// something.
template <class Character>
class Gap {
public:
    Gap(std::span<const Character> characters, std::span<const CharacterBits> classes)
        : characters_(characters), classes_(classes) {}

    // How many characters at its end go with what follows. A line end that comes last may be
    // overlooked, whichever way takes more.
    std::size_t opening() const {
        const std::size_t size = characters_.size();
        if (run_before(size, kSpace) == 0) return 0;
        std::size_t first = opening_before(size);
        if (characters_[size - 1] == '\n') first = std::min(first, opening_before(size - 1));
        return size - first;
    }

private:
    bool is(std::size_t at, CharacterBits bits) const { return (classes_[characters_[at]] & bits) != 0; }

    // Where the run of characters with one of the bits begins that ends at `end`.
    std::size_t run_before(std::size_t end, CharacterBits bits) const {
        while (end > 0 && is(end - 1, bits)) --end;
        return end;
    }

    // After a space: marks that open, or whatever is attached to what follows. Without one: marks
    // that open. A German closing mark counts as opening to Unicode, so the space decides.
    std::size_t opening_before(std::size_t end) const {
        std::size_t attached = end;
        while (attached > 0 && !is(attached - 1, kSpace)) --attached;
        if (attached == 0) return run_before(end, kOpening);
        for (std::size_t at = run_before(attached, kOpening | kSpace) + 1; at < attached; ++at)
            if (is(at - 1, kSpace) && is(at, kOpening)) return at;
        return attached;
    }

    std::span<const Character> characters_;
    std::span<const CharacterBits> classes_;
};

// Where a boundary before each token cuts its text, and the end of the text: one more for each
// text than it has tokens. The first token takes everything before it.
inline std::vector<Index> cut_places(std::span<const TextView> texts, std::span<const Index> offsets,
                                     std::span<const Index> starts, std::span<const Index> ends,
                                     std::span<const CharacterBits> classes, const Stop& stop) {
    std::vector<Index> places;
    places.reserve(starts.size() + texts.size());
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const auto first = static_cast<std::size_t>(offsets[t]), last = static_cast<std::size_t>(offsets[t + 1]);
        texts[t].read([&](auto characters) {
            for (std::size_t i = first; i < last; ++i) {
                stop.check(i);
                if (i == first) {
                    places.push_back(0);
                    continue;
                }
                const auto before = static_cast<std::size_t>(ends[i - 1]), after = static_cast<std::size_t>(starts[i]);
                const std::size_t back =
                    after > before ? Gap(characters.subspan(before, after - before), classes).opening() : 0;
                places.push_back(static_cast<Index>(after - back));
            }
        });
        places.push_back(static_cast<Index>(texts[t].size));
    }
    return places;
}

}  // namespace fencepost
