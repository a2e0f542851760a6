// tokens.cpp -- Tokens of texts beside regular expressions, and their numbers beside a map.
#include "streams/tokens.hpp"

#include <map>
#include <regex>

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

// Signs that stand for kinds of characters; a sign can have several bits. J is the joiner.
constexpr std::string_view kSigns = "aBcu@m.!pPjJ-' \n([\x01";
constexpr std::array<CharacterBits, kSigns.size()> kBits = {
    kLetter | kSeen,              // a
    kLetter | kSeen,              // B
    kLetter | kLink | kSeen,      // c: part of a word on both accounts
    kUnspaced | kSeen,            // u
    kAttached | kSeen,            // @
    kAttached | kMark | kSeen,    // m
    kSign | kSeen,                // .
    kSign | kSeen,                // !
    kSign | kPicture | kSeen,     // p
    kPicture | kSeen,             // P
    kAttached | kMark,            // j: invisible
    kAttached,                    // J
    kSign | kLink | kSeen,        // -
    kSign | kLink | kSeen,        // '
    kSpace,                       // space
    kSpace,                       // line end
    kSign | kOpening | kSeen,     // (
    kSign | kOpening | kSeen,     // [
    0,                            // neither
};

std::uint32_t code_of(char sign, int plane) {
    return sign == 'J' ? 0x200D
                       : static_cast<std::uint32_t>(static_cast<unsigned char>(sign)) +
                             (sign == '\n' ? 0u : static_cast<std::uint32_t>(plane));
}

// The table of classes for signs in the lowest plane, the next and one beyond 16 bits.
const std::vector<CharacterBits>& classes() {
    static const std::vector<CharacterBits> made = [] {
        std::vector<CharacterBits> bits(kCodePoints, 0);
        for (std::size_t i = 0; i < kSigns.size(); ++i)
            for (const int plane : {0, 0x400, 0x10000}) bits[code_of(kSigns[i], plane)] = kBits[i];
        return bits;
    }();
    return made;
}

std::string with(CharacterBits bits) {
    std::string signs = "[";
    for (std::size_t i = 0; i < kSigns.size(); ++i)
        if (kBits[i] & bits) signs += std::string("\\") + (kSigns[i] == '\n' ? "n" : std::string(1, kSigns[i]));
    // Letters and digits behind a backslash would be classes of their own.
    std::string plain;
    for (std::size_t i = 0; i < signs.size(); ++i)
        if (signs[i] != '\\' || !(std::isalnum(static_cast<unsigned char>(signs[i + 1])) && signs[i + 1] != 'n'))
            plain += signs[i];
    return plain + "]";
}

std::string pattern(SplitRule rule) {
    const std::string letter = with(kLetter), attached = with(kAttached);
    const std::string word =
        letter + with(kLetter | kAttached) + "*(?:" + with(kLink) + letter + with(kLetter | kAttached) + "*)*";
    std::string repeated;
    for (std::size_t i = 0; i < kSigns.size(); ++i)
        if (kBits[i] & kSign) repeated += (repeated.empty() ? "" : "|") + std::string("[") + "\\" + kSigns[i] + "]+";
    // p is the only such sign that is a letter to a regular expression.
    for (std::size_t at; (at = repeated.find("\\p")) != std::string::npos;) repeated.erase(at, 1);
    const std::string sign = "(?:" + repeated + ")" + with(kMark) + "*(?:J" + with(kPicture) + with(kMark) + "*)*";
    switch (rule) {
        case SplitRule::words: return word + "|" + with(kUnspaced) + attached + "*|" + sign;
        case SplitRule::whitespace: return "[^ \\n]+";
        case SplitRule::characters: return with(kSeen) + attached + "*";
        case SplitRule::spaced_words: return word;
    }
    return "";
}

const std::regex& regex_of(SplitRule rule) {
    static const std::map<SplitRule, std::regex> made = [] {
        std::map<SplitRule, std::regex> all;
        for (const SplitRule one : {SplitRule::words, SplitRule::whitespace, SplitRule::characters, SplitRule::spaced_words})
            all.emplace(one, std::regex(pattern(one)));
        return all;
    }();
    return made.at(rule);
}

using Spans = std::vector<std::pair<Index, Index>>;

Spans by_regex(const std::string& text, SplitRule rule) {
    Spans found;
    for (std::sregex_iterator at(text.begin(), text.end(), regex_of(rule)), end; at != end; ++at)
        found.emplace_back(at->position(), at->position() + at->length());
    return found;
}

// How many characters at the end of what is between two tokens go with the token behind it.
Index opening(const std::string& gap) {
    const auto is = [](char sign, CharacterBits bits) { return (kBits[kSigns.find(sign)] & bits) != 0; };
    if (gap.empty() || std::none_of(gap.begin(), gap.end(), [&](char sign) { return !is(sign, kSpace); })) return 0;
    Index most = 0;
    for (const std::size_t end : {gap.size(), gap.size() - (gap.back() == '\n')}) {
        // Behind the last space: everything, if a space is before it; else marks that open.
        std::size_t attached = end;
        while (attached > 0 && !is(gap[attached - 1], kSpace)) --attached;
        std::size_t first = end;
        if (attached == 0) {
            while (first > 0 && is(gap[first - 1], kOpening)) --first;
        } else {
            // Of openings and spaces before it, from the first opening that follows a space.
            std::size_t run = attached;
            while (run > 0 && is(gap[run - 1], kOpening | kSpace)) --run;
            first = attached;
            for (std::size_t at = attached; at-- > run + 1;)
                if (is(gap[at], kOpening) && is(gap[at - 1], kSpace)) first = at;
        }
        most = std::max(most, static_cast<Index>(gap.size() - first));
    }
    return most;
}

struct Text {
    std::string signs;
    std::vector<std::uint8_t> narrow;
    std::vector<std::uint16_t> middle;
    std::vector<std::uint32_t> wide;
    int width = 1;

    TextView view() const {
        if (width == 1) return {narrow.data(), narrow.size(), 1};
        if (width == 2) return {middle.data(), middle.size(), 2};
        return {wide.data(), wide.size(), 4};
    }
};

Text draw_text(Draws& in) {
    Text text;
    static constexpr int widths[] = {1, 2, 4};
    text.width = in.any_of(widths);
    for (std::size_t n = in.size(0, 24); n > 0; --n) {
        char sign = kSigns[in.size(0, kSigns.size() - 1)];
        if (text.width == 1 && sign == 'J') sign = 'a';  // not one byte wide
        text.signs += sign;
        const auto code = code_of(sign, text.width == 1 ? 0 : text.width == 2 ? 0x400 : 0x10000);
        if (text.width == 1) text.narrow.push_back(static_cast<std::uint8_t>(code));
        else if (text.width == 2) text.middle.push_back(static_cast<std::uint16_t>(code));
        else text.wide.push_back(code);
    }
    text.narrow = exactly(text.narrow), text.middle = exactly(text.middle), text.wide = exactly(text.wide);
    return text;
}

std::vector<std::uint32_t> codes(const Text& text) {
    std::vector<std::uint32_t> made;
    text.view().read([&](auto characters) { made.assign(characters.begin(), characters.end()); });
    return made;
}

}  // namespace

void check_tokens(Draws in) {
    std::vector<Text> texts;
    for (std::size_t n = in.size(0, 4); n > 0; --n) texts.push_back(draw_text(in));
    std::vector<TextView> views;
    for (const Text& text : texts) views.push_back(text.view());

    std::vector<Index> pages;
    for (const Text& text : texts)
        for (const std::uint32_t code : codes(text)) pages.push_back(text.width == 1 ? 0 : code / 256);
    std::sort(pages.begin(), pages.end());
    pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
    CHECK_SAME(used_pages(views), pages);

    for (const SplitRule rule : {SplitRule::words, SplitRule::whitespace, SplitRule::characters, SplitRule::spaced_words}) {
        const TokenSpans found = split_texts(views, classes(), rule, {});
        TokenTable table;
        const std::vector<TokenId> numbers = number_tokens(views, found.offsets, found.starts, found.ends, table, {});
        const std::vector<Index> cuts = cut_places(views, found.offsets, found.starts, found.ends, classes(), {});
        std::map<std::vector<std::uint32_t>, TokenId> known;
        std::size_t n = 0, cut = 0;
        CHECK_SAME(found.offsets.size(), texts.size() + 1);
        for (std::size_t t = 0; t < texts.size(); ++t) {
            const Spans expected = by_regex(texts[t].signs, rule);
            CHECK_SAME(found.offsets[t + 1] - found.offsets[t], expected.size());
            const std::vector<std::uint32_t> all = codes(texts[t]);
            Index before = 0;
            for (std::size_t i = 0; i < expected.size(); ++i, ++n) {
                const auto [start, end] = expected[i];
                CHECK_SAME((std::array{found.starts[n], found.ends[n]}), (std::array{start, end}));
                const std::vector<std::uint32_t> token(all.begin() + start, all.begin() + end);
                const auto number = known.try_emplace(token, static_cast<TokenId>(known.size())).first->second;
                CHECK_SAME(numbers[n], number);
                CHECK_SAME(table[static_cast<std::size_t>(number)], token);
                const std::string gap =
                    texts[t].signs.substr(static_cast<std::size_t>(before), static_cast<std::size_t>(start - before));
                CHECK_SAME(cuts[cut++], i == 0 ? 0 : start - opening(gap));
                before = end;
            }
            CHECK_SAME(cuts[cut++], static_cast<Index>(all.size()));
        }
        CHECK_SAME(table.size(), known.size());
        CHECK_SAME(cuts.size(), cut);
    }
}

}  // namespace native
