// plain.hpp -- What plain files hold, as columns: names, and texts as sizes, marks or bit strings.
//
// Scanners (jsonl.hpp, json.hpp, delimited.hpp) read only what is plain and give up on anything else:
// the caller then takes the general reader, which knows every form and every error. They are given
// valid UTF-8, and the byte behind the end can be read and is no digit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

// What the values of all texts are: 5 5 1 3, 0 0 1 0 1, or 00101.
enum class Form { unknown, sizes, marks, bits };

inline constexpr std::array<const char*, 4> form_names = {"", "sizes", "marks", "bits"};

struct PlainTexts {
    std::vector<std::int64_t> cuts;     // of all texts, end to end; of marks, the places of every 1
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> units;    // of marks, their number
    std::vector<std::int64_t> lines;    // the number of each text's line within the piece
    std::vector<char> ids;              // of all texts, end to end
    std::vector<std::int64_t> id_offsets{0};
    std::vector<std::string> coders;    // their different names
    std::vector<std::int64_t> coder_of; // which of them each text has; -1 for none
    std::vector<char> words;            // lists of units, as they stand in the file
    std::vector<std::int64_t> word_offsets{0};
    std::vector<std::int64_t> hashes;   // of names that must all differ

    std::int64_t line_count = 0;
    std::int64_t named = 0;             // texts that have an id
    Form form = Form::unknown;
    bool all_rise = true;               // every list may be numbers of segments: 1 1 2 3
    bool all_start = true, all_end = true;  // every text's first, or last, mark is 1
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 0;  // values a text
    std::int64_t known = 0;             // marks of texts whose number of units is given,
    std::int64_t each = 0, between = 0; // one for each unit, or for each place between two
    bool spaced = false;                // one of a text's first three units has a space

    const Stop* stop = nullptr;         // while a scanner is at work
    void look(std::size_t step) const {
        if (stop != nullptr) stop->check(step);
    }
};

class PlainScanner {
protected:
    explicit PlainScanner(PlainTexts* out) : out_(out) {}

    PlainTexts* out_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;

    void open(const char* begin, const char* end) {
        at_ = begin;
        end_ = end;
        const auto bytes = static_cast<std::size_t>(end - begin);
        out_->cuts.reserve(std::min(bytes / 2 + 1, std::size_t{1} << 22));
    }

    void skip() {
        while (at_ < end_ && *at_ == ' ') ++at_;
    }

    // A whole number from 0, of at most 18 digits, without zeros before it.
    bool number(std::int64_t& value) {
        const char* begin = at_;
        std::uint64_t sum = 0;
        for (unsigned digit = 0; (digit = static_cast<unsigned char>(*at_) - unsigned{'0'}) <= 9; ++at_)
            sum = sum * 10 + digit;
        value = static_cast<std::int64_t>(sum);
        const auto length = at_ - begin;
        return length > 0 && length <= 18 && (length == 1 || *begin != '0');
    }

    // The values of one text. `next` goes on to the following number, if there is one.
    template <class Next>
    bool numbers(Next next) {
        return out_->form == Form::sizes ? sizes(next) : out_->form == Form::marks && marks(next);
    }

    // A string of 0 and 1, eight at a time.
    bool bits() {
        if (out_->form != Form::bits) return false;
        const char* begin = at_;
        if constexpr (std::endian::native == std::endian::little) {
            constexpr std::uint64_t ones = 0x0101010101010101;
            for (std::uint64_t eight = 0; end_ - at_ >= 8; at_ += 8) {
                out_->look(static_cast<std::size_t>(at_ - begin) / 8 + 1);
                std::memcpy(&eight, at_, 8);
                if ((eight & ~ones) != '0' * ones) break;
                for (eight &= ones; eight; eight &= eight - 1)
                    out_->cuts.push_back(at_ - begin + 1 + std::countr_zero(eight) / 8);
            }
        }
        for (; at_ < end_ && (*at_ == '0' || *at_ == '1'); ++at_)
            if (*at_ == '1') out_->cuts.push_back(at_ - begin + 1);
        return at_ > begin && marked(at_ - begin, *begin == '1');
    }

    // Ends a text; -1 where the number of its units is not given.
    bool finish(std::int64_t given) {
        if (out_->form == Form::sizes) {
            if (given >= 0 && given != total_) return false;
        } else if (given >= 0) {
            ++out_->known;
            out_->each += total_ == given;
            out_->between += total_ + 1 == given;
        }
        out_->units.push_back(total_);
        out_->offsets.push_back(static_cast<std::int64_t>(out_->cuts.size()));
        return true;
    }

    // Names begin and end with a sign that is no white space, and hold none that acts.
    static bool is_name(std::string_view text) {
        for (char c : text)
            if (static_cast<unsigned char>(c) < 0x20) return false;
        return !text.empty() && !white(text.substr(0, 3), true) &&
               !white(text.substr(text.size() < 3 ? 0 : text.size() - 3), false);
    }

    void add_name(std::string_view text) {
        out_->ids.insert(out_->ids.end(), text.begin(), text.end());
        out_->id_offsets.push_back(static_cast<std::int64_t>(out_->ids.size()));
    }

    std::int64_t coder(std::string_view name) {
        const auto [found, fresh] = coders_.try_emplace(std::string(name), static_cast<std::int64_t>(out_->coders.size()));
        if (fresh) out_->coders.emplace_back(name);
        return found->second;
    }

    void forget_coders() { coders_.clear(); }

    static std::int64_t hash(std::string_view text, std::string_view by = {}) {
        const std::hash<std::string_view> one;
        return static_cast<std::int64_t>(one(text) * 0x9E3779B97F4A7C15u + one(by));
    }

    // Numbers with a 0 among them are marks.
    Form form_of(const char* begin, const char* end) const {
        const auto digit = [](char c) { return c >= '0' && c <= '9'; };
        for (const char* p = begin; p < end; ++p) {
            out_->look(static_cast<std::size_t>(p - begin));
            if (*p == '0' && (p == begin || !digit(p[-1])) && (p + 1 == end || !digit(p[1]))) return Form::marks;
        }
        return Form::sizes;
    }

private:
    static constexpr std::int64_t most = std::int64_t{1} << 40;

    std::int64_t total_ = 0;  // units of the text at hand, or its marks
    std::unordered_map<std::string, std::int64_t> coders_;

    void counted(std::int64_t count) {
        out_->shortest = std::min(out_->shortest, count);
        out_->longest = std::max(out_->longest, count);
    }

    template <class Next>
    bool sizes(Next next) {
        const std::size_t start = out_->cuts.size();
        std::int64_t size = 0, before = 0;
        if (!number(size) || size < 1 || size > most) return false;
        const std::int64_t first = before = size;
        bool rises = size == 1;
        std::int64_t total = size;
        while (next()) {
            if (!number(size) || size < 1) return false;
            out_->look(out_->cuts.size());
            out_->cuts.push_back(total);
            rises = rises && (size == before || size == before + 1);
            before = size;
            total += size;
            if (total > most) return false;
        }
        total_ = total;
        if (!(rises && before > first)) out_->all_rise = false;
        counted(static_cast<std::int64_t>(out_->cuts.size() - start) + 1);
        return true;
    }

    template <class Next>
    bool marks(Next next) {
        const bool starts = *at_ == '1';
        std::int64_t count = 0;
        do {
            if (*at_ != '0' && *at_ != '1') return false;
            out_->look(static_cast<std::size_t>(++count));
            if (*at_++ == '1') out_->cuts.push_back(count);
        } while (next());
        return marked(count, starts);
    }

    bool marked(std::int64_t count, bool starts) {
        const auto& cuts = out_->cuts;
        total_ = count;
        out_->all_start = out_->all_start && starts;
        out_->all_end = out_->all_end && !cuts.empty() && cuts.back() == count &&
                        static_cast<std::int64_t>(cuts.size()) > out_->offsets.back();
        counted(count);
        return true;
    }

    // Whether the first, or the last, of these bytes are what Python's str.strip takes away.
    static bool white(std::string_view text, bool first) {
        const auto is = [&](std::string_view sign) { return first ? text.starts_with(sign) : text.ends_with(sign); };
        if (is(" ") || is("\xc2\x85") || is("\xc2\xa0") || is("\xe1\x9a\x80") || is("\xe3\x80\x80")) return true;
        const std::string_view three = first ? text : text.substr(text.size() < 3 ? 0 : text.size() - 3);
        if (three.size() < 3 || three[0] != '\xe2') return false;
        const auto last = static_cast<unsigned char>(three[2]);  // U+2000 to 200A, 2028, 2029, 202F, 205F
        if (three[1] == '\x81') return last == 0x9f;
        return three[1] == '\x80' && (last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf);
    }
};

}  // namespace fencepost
