// jsonl.hpp -- JSON lines of segment sizes, straight into columns.
//
// Reads what is plain: objects of an id, a list of sizes, the number of units, and other fields
// that are ASCII strings, whole numbers or lists of whole numbers. Anything else is not judged
// here: the caller gives it to the general reader, which knows every form and every error.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace fencepost {

struct SizeLines {
    std::vector<std::int64_t> cuts;     // of all texts, end to end
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> units;
    std::vector<std::int64_t> lines;    // the number of each text's line within the piece
    std::vector<char> ids;              // of all texts, end to end
    std::vector<std::int64_t> id_offsets{0};
    std::int64_t line_count = 0;
    std::int64_t named = 0;             // texts that have an id
    bool all_rise = true;               // every list may be numbers of segments: 1 1 2 3
};

class SizeLinesParser {
public:
    SizeLinesParser(std::string_view id, std::string_view field, std::string_view units, SizeLines& out)
        : id_(id), field_(field), units_(units), out_(out) {}

    // Whole lines; false where one is not plain.
    bool parse(const char* begin, const char* end) {
        while (begin < end) {
            const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
            const char* stop = found ? static_cast<const char*>(found) : end;
            const char* last = stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
            ++out_.line_count;
            if (!line(begin, last)) return false;
            begin = stop + 1;
        }
        return true;
    }

private:
    static constexpr std::int64_t most = std::int64_t{1} << 40;

    std::string_view id_, field_, units_;
    SizeLines& out_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::vector<std::string_view> seen_;

    bool line(const char* begin, const char* end) {
        at_ = begin;
        end_ = end;
        skip();
        if (at_ == end_) return true;  // an empty line
        if (!take('{')) return false;
        seen_.clear();
        bool has_id = false, has_sizes = false;
        std::int64_t total = 0, given = -1;
        do {
            std::string_view key;
            if (!string(key, true) || !take(':')) return false;
            for (std::string_view other : seen_)
                if (other == key) return false;
            seen_.push_back(key);
            skip();
            if (key == field_) {
                if (!sizes(total)) return false;
                has_sizes = true;
            } else if (key == id_) {
                if (!name()) return false;
                has_id = true;
            } else if (key == units_) {
                if (!number(given)) return false;
            } else if (key == "duration" || !other()) {
                return false;
            }
        } while (take(','));
        if (!take('}')) return false;
        skip();
        if (at_ != end_ || !has_sizes || (given >= 0 && given != total)) return false;
        if (!has_id) out_.id_offsets.push_back(static_cast<std::int64_t>(out_.ids.size()));
        out_.named += has_id;
        out_.units.push_back(total);
        out_.lines.push_back(out_.line_count);
        out_.offsets.push_back(static_cast<std::int64_t>(out_.cuts.size()));
        return true;
    }

    void skip() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    }

    bool take(char sign) {
        skip();
        if (at_ == end_ || *at_ != sign) return false;
        ++at_;
        return true;
    }

    bool string(std::string_view& text, bool any) {
        if (!take('"')) return false;
        const char* begin = at_;
        for (; at_ < end_ && *at_ != '"'; ++at_) {
            const auto byte = static_cast<unsigned char>(*at_);
            if (byte == '\\' || byte < 0x20 || (!any && byte > 0x7f)) return false;
        }
        if (at_ == end_) return false;
        text = {begin, static_cast<std::size_t>(at_ - begin)};
        ++at_;
        return !any || ascii_or_wanted(text);
    }

    // Names of fields are compared, so those that are not asked for must be valid text too.
    bool ascii_or_wanted(std::string_view key) const {
        if (key == id_ || key == field_ || key == units_) return true;
        for (char c : key)
            if (static_cast<unsigned char>(c) > 0x7f) return false;
        return true;
    }

    // A whole number from 0, of at most 18 digits, as JSON has it.
    bool number(std::int64_t& value) {
        const char* begin = at_;
        std::int64_t sum = 0;
        while (at_ < end_) {
            const auto digit = static_cast<unsigned>(*at_ - '0');
            if (digit > 9) break;
            sum = sum * 10 + static_cast<std::int64_t>(digit);
            if (++at_ - begin > 18) return false;
        }
        value = sum;
        if (at_ == begin || (*begin == '0' && at_ - begin > 1)) return false;
        return at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E');
    }

    bool sizes(std::int64_t& total) {
        if (!take('[')) return false;
        std::int64_t before = 0, first = 0;
        bool rises = true;
        do {
            skip();
            std::int64_t size = 0;
            if (!number(size) || size < 1) return false;
            if (total > 0) {
                out_.cuts.push_back(total);
                rises = rises && (size == before || size == before + 1);
            } else {
                first = size;
                rises = size == 1;
            }
            before = size;
            total += size;
            if (total > most) return false;
        } while (take(','));
        if (!(rises && before > first)) out_.all_rise = false;
        return take(']');
    }

    bool name() {
        const std::size_t size = out_.ids.size();
        if (at_ < end_ && *at_ == '"') {
            ++at_;
            const char* begin = at_;
            for (; at_ < end_ && *at_ != '"'; ++at_)
                if (*at_ == '\\' || static_cast<unsigned char>(*at_) < 0x20) return false;
            if (at_ == end_ || at_ == begin) return false;
            out_.ids.insert(out_.ids.end(), begin, at_);
            ++at_;
        } else {
            const char* begin = at_;
            std::int64_t value = 0;
            if (!number(value)) return false;
            out_.ids.insert(out_.ids.end(), begin, at_);
        }
        out_.id_offsets.push_back(static_cast<std::int64_t>(out_.ids.size()));
        return out_.ids.size() > size;
    }

    // A field that nobody asks for.
    bool other() {
        std::string_view text;
        std::int64_t value = 0;
        if (at_ < end_ && *at_ == '"') return string(text, false);
        if (at_ < end_ && *at_ != '[') return number(value);
        if (!take('[')) return false;
        skip();
        if (at_ < end_ && *at_ == ']') return take(']');
        do {
            skip();
            if (!number(value)) return false;
        } while (take(','));
        return take(']');
    }
};

}  // namespace fencepost
