// jsonl.hpp -- JSON, as far as it is plain; and lines of it, straight into columns.
#pragma once

#include <string_view>
#include <vector>

#include "parsing/plain.hpp"

namespace fencepost {

class JsonScanner : protected PlainScanner {
protected:
    using PlainScanner::PlainScanner;

    void skip() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
    }

    bool take(char sign) {
        skip();
        if (at_ == end_ || *at_ != sign) return false;
        ++at_;
        return true;
    }

    // A string without escapes, as names of fields must be to be compared.
    bool string(std::string_view& text) {
        if (!take('"')) return false;
        const char* begin = at_;
        for (; at_ < end_ && *at_ != '"'; ++at_)
            if (*at_ == '\\' || static_cast<unsigned char>(*at_) < 0x20) return false;
        if (at_ == end_) return false;
        text = {begin, static_cast<std::size_t>(at_ - begin)};
        ++at_;
        return true;
    }

    bool key(std::string_view& text) { return string(text) && take(':'); }

    // A list of numbers, or a string of 0 and 1.
    bool text_value() {
        skip();
        if (at_ == end_) return false;
        if (out_->form == Form::unknown) {
            const auto* stop = static_cast<const char*>(std::memchr(at_, ']', static_cast<std::size_t>(end_ - at_)));
            out_->form = *at_ == '"' ? Form::bits : form_of(at_, stop ? stop : end_);
        }
        if (*at_ == '"') {
            ++at_;
            return bits() && at_ < end_ && *at_++ == '"';
        }
        if (!take('[')) return false;
        skip();
        return numbers([this] {
                   if (at_ < end_ && *at_ == ',') ++at_;
                   else if (!take(',')) return false;
                   skip();
                   return true;
               }) &&
               take(']');
    }

    // Units of a text as strings: kept as they stand, and counted.
    bool word_list(std::int64_t& count) {
        const char* begin = at_;
        if (!take('[')) return false;
        count = 0;
        do {
            skip();
            const char* word = at_;
            if (!any_string()) return false;
            if (++count <= 3 && std::memchr(word, ' ', static_cast<std::size_t>(at_ - word))) out_->spaced = true;
        } while (take(','));
        if (!take(']')) return false;
        out_->words.insert(out_->words.end(), begin, at_);
        return true;
    }

    // Any value that nobody asks for.
    bool other(int depth = 0) {
        skip();
        if (at_ == end_ || depth > 30) return false;
        if (*at_ == '"') return any_string();
        if (*at_ == '[') return list(depth);
        if (*at_ == '{') return object(depth);
        for (std::string_view word : {"true", "false", "null"})
            if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
                at_ += word.size();
                return true;
            }
        return real();
    }

private:
    bool any_string() {
        if (!take('"')) return false;
        for (; at_ < end_ && *at_ != '"'; ++at_) {
            if (static_cast<unsigned char>(*at_) < 0x20) return false;
            if (*at_ != '\\') continue;
            if (++at_ == end_ || !std::strchr("\"\\/bfnrt", *at_) || !*at_) return false;
        }
        return at_ < end_ && *at_++ == '"';
    }

    bool digits() {
        const char* begin = at_;
        while (*at_ >= '0' && *at_ <= '9') ++at_;
        return at_ > begin && at_ - begin <= 18;
    }

    bool real() {
        std::int64_t whole = 0;
        if (*at_ == '-') ++at_;
        if (!number(whole)) return false;
        if (*at_ == '.' && (++at_, !digits())) return false;
        if (*at_ != 'e' && *at_ != 'E') return true;
        ++at_;
        if (*at_ == '+' || *at_ == '-') ++at_;
        return digits();
    }

    bool list(int depth) {
        ++at_;
        if (take(']')) return true;
        do {
            if (!other(depth + 1)) return false;
        } while (take(','));
        return take(']');
    }

    bool object(int depth) {
        ++at_;
        if (take('}')) return true;
        std::vector<std::string_view> seen;
        std::string_view name;
        do {
            if (!key(name) || std::find(seen.begin(), seen.end(), name) != seen.end()) return false;
            seen.push_back(name);
            if (!other(depth + 1)) return false;
        } while (take(','));
        return take('}');
    }
};

// An object a line: an id, a text's value, its units or their number, and anything else.
class JsonLinesScanner : JsonScanner {
public:
    JsonLinesScanner(std::string_view id, std::string_view field, std::string_view units, PlainTexts& out)
        : JsonScanner(&out), id_(id), field_(field), units_(units) {}

    // Whole lines; false where one is not plain.
    bool scan(const char* begin, const char* end) {
        open(begin, end);
        while (begin < end) {
            const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
            const char* stop = found ? static_cast<const char*>(found) : end;
            out_->look(static_cast<std::size_t>(++out_->line_count));
            at_ = begin;
            end_ = stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
            if (std::memchr(begin, '\r', static_cast<std::size_t>(end_ - begin)) || !line()) return false;
            begin = stop + 1;
        }
        return true;
    }

private:
    std::string_view id_, field_, units_;
    std::vector<std::string_view> seen_;

    bool line() {
        skip();
        if (at_ == end_) return true;  // an empty line
        if (!take('{')) return false;
        seen_.clear();
        std::string_view name, own;
        bool has_value = false;
        std::int64_t given = -1;
        do {
            if (!key(name) || std::find(seen_.begin(), seen_.end(), name) != seen_.end()) return false;
            seen_.push_back(name);
            if (name == field_) {
                has_value = true;
                if (!text_value()) return false;
            } else if (name == id_) {
                if (!id(own)) return false;
            } else if (name == units_) {
                skip();
                if (*at_ == '[' ? !word_list(given) : !number(given)) return false;
                if (given < 1) return false;
            } else if (name == "duration" || !other()) {
                return false;
            }
        } while (take(','));
        if (!take('}')) return false;
        skip();
        if (at_ != end_ || !has_value || !finish(given)) return false;
        add_name(own);
        if (!own.empty()) {
            ++out_->named;
            out_->hashes.push_back(hash(own));
        }
        out_->word_offsets.push_back(static_cast<std::int64_t>(out_->words.size()));
        out_->lines.push_back(out_->line_count);
        return true;
    }

    // A name, or a number as it stands.
    bool id(std::string_view& text) {
        skip();
        if (at_ < end_ && *at_ == '"') return string(text) && is_name(text);
        const char* begin = at_;
        std::int64_t value = 0;
        if (!number(value)) return false;
        text = {begin, static_cast<std::size_t>(at_ - begin)};
        return true;
    }
};

}  // namespace fencepost
