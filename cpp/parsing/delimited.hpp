// delimited.hpp -- A text a line: names and numbers between tabs, commas or spaces; tables with columns.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "parsing/plain.hpp"

namespace fencepost {

class LineScanner : protected PlainScanner {
public:
    // Whole lines; false where one is not plain.
    template <class Line>
    bool scan_lines(const char* begin, const char* end, std::string_view blank, Line line) {
        open(begin, end);
        while (begin < end) {
            const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
            const char* stop = found ? static_cast<const char*>(found) : end;
            out_->look(static_cast<std::size_t>(++out_->line_count));
            at_ = begin;
            end_ = stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
            begin = stop + 1;
            if (in(std::string_view(at_, static_cast<std::size_t>(end_ - at_)), blank)) continue;
            if (header_) {
                header_ = false;
                continue;
            }
            const char* first = at_;
            while (*first == ' ' || *first == '\t') ++first;
            if (*first == '=' || !line()) return false;  // = may divide segments in other files
            out_->lines.push_back(out_->line_count);
        }
        return true;
    }

protected:
    LineScanner(PlainTexts& out, bool header) : PlainScanner(&out), header_(header) {}

    static constexpr std::ptrdiff_t widest = 131072;  // Python's csv refuses cells beyond

    static bool in(std::string_view text, std::string_view signs) {
        return text.find_first_not_of(signs) == std::string_view::npos;
    }

    static std::string_view trimmed(const char* begin, const char* end) {
        while (begin < end && *begin == ' ') ++begin;
        while (begin < end && end[-1] == ' ') --end;
        return {begin, static_cast<std::size_t>(end - begin)};
    }

    bool add_names(std::string_view text, std::string_view by) {
        if (text.data() == nullptr || is_name(text)) add_name(text);
        else return false;
        out_->named += !text.empty();
        if (by.data() != nullptr) {
            if (!is_name(by)) return false;
            out_->coder_of.push_back(coder(by));
        }
        if (!text.empty() || !by.empty()) out_->hashes.push_back(hash(text, by));
        return true;
    }

    // The value in a cell or line: a string of 0 and 1, or numbers.
    template <class Next>
    bool value(std::string_view text, Next next) {
        at_ = text.data();
        end_ = at_ + text.size();
        if (out_->form == Form::unknown) {
            const bool string = text.size() > 1 && in(text, "01");
            out_->form = string ? Form::bits : form_of(at_, end_);
        }
        return (out_->form == Form::bits ? bits() : numbers(next)) && at_ == end_;
    }

    // Past signs that stand between two numbers; there must be one.
    template <char... Signs>
    bool past() {
        const char* begin = at_;
        while (at_ < end_ && ((*at_ == Signs) || ...)) ++at_;
        return at_ > begin;
    }

private:
    bool header_;
};

// Rows of names and numbers: text, coder (if there is one), sizes in cells or in one cell.
class RowScanner : public LineScanner {
public:
    // The names in a row are of the "text", of "text" and "coder", of the "coder", or none.
    RowScanner(char delimiter, bool text, bool coder, bool header, PlainTexts& out)
        : LineScanner(out, header), delimiter_(delimiter), text_(text), coder_(coder) {}

    bool scan(const char* begin, const char* end) {
        const char blank[] = {' ', '\t', delimiter_, '\0'};
        return scan_lines(begin, end, blank, [this] { return line(); });
    }

private:
    char delimiter_;
    bool text_, coder_;

    bool line() {
        std::string_view text, by;
        if (text_ && !cell(text)) return false;
        if (coder_ && !cell(by)) return false;
        const char* stop = end_;
        while (stop > at_ && (stop[-1] == ' ' || stop[-1] == delimiter_)) --stop;
        const std::string_view values = trimmed(at_, stop);
        const bool cells = values.find(delimiter_) != std::string_view::npos;
        if (!cells && static_cast<std::ptrdiff_t>(values.size()) > widest) return false;
        const auto next = [&] {
            const char* before = at_;
            skip();
            if (at_ == end_ || (cells ? *at_ != delimiter_ : at_ == before)) return false;
            at_ += cells;
            skip();
            return true;
        };
        return value(values, next) && finish(-1) && add_names(text, by);
    }

    bool cell(std::string_view& name) {
        const auto* stop = static_cast<const char*>(std::memchr(at_, delimiter_, static_cast<std::size_t>(end_ - at_)));
        if (!stop || stop - at_ > widest) return false;
        name = trimmed(at_, stop);
        at_ = stop + 1;
        return name.find('"') == std::string_view::npos;
    }
};

// Numbers between spaces or commas, after a name and a tab where lines have one.
class NumberLineScanner : public LineScanner {
public:
    NumberLineScanner(bool named, PlainTexts& out) : LineScanner(out, false), named_(named) {}

    bool scan(const char* begin, const char* end) {
        return scan_lines(begin, end, " \t", [this] { return line(); });
    }

private:
    bool named_;

    bool line() {
        std::string_view text;
        if (named_) {
            const auto* tab = static_cast<const char*>(std::memchr(at_, '\t', static_cast<std::size_t>(end_ - at_)));
            if (!tab) return false;
            text = trimmed(at_, tab);
            if (text.find('|') != std::string_view::npos) return false;
            at_ = tab + 1;
        }
        past<' ', ','>();
        while (end_ > at_ && (end_[-1] == ' ' || end_[-1] == ',')) --end_;
        const std::string_view values(at_, static_cast<std::size_t>(end_ - at_));
        return value(values, [this] { return past<' ', ','>(); }) && finish(-1) && add_names(text, {});
    }
};

// A table with named columns: how many, and which hold the text, the coder, the value, the units.
class TableScanner : public LineScanner {
public:
    TableScanner(char delimiter, bool header, const std::array<std::int64_t, 5>& columns, PlainTexts& out)
        : LineScanner(out, header), delimiter_(delimiter), columns_(columns[0]), text_(columns[1]), coder_(columns[2]),
          value_(columns[3]), units_(columns[4]) {}

    bool scan(const char* begin, const char* end) {
        const char blank[] = {' ', '\t', delimiter_, '\0'};
        return scan_lines(begin, end, blank, [this] { return line(); });
    }

private:
    char delimiter_;
    std::int64_t columns_, text_, coder_, value_, units_;

    bool line() {
        const char* at = at_;
        const char* stop = end_;
        std::string_view text, by, content;
        std::int64_t given = -1;
        for (std::int64_t column = 0; column < columns_; ++column) {
            std::string_view own;
            if (at > stop || !cell(at, stop, own)) return false;
            if (column == text_) text = own;
            else if (column == coder_) by = own;
            else if (column == value_) content = own;
            else if (column == units_ ? !only_number(own, given) : !harmless(own)) return false;
        }
        if (at < stop && !in({at, static_cast<std::size_t>(stop - at)}, std::string_view(&delimiter_, 1))) return false;
        return list(content, true) && finish(given) && add_names(text, by);
    }

    // The next cell, without quotation marks around it.
    bool cell(const char*& at, const char* stop, std::string_view& own) const {
        const bool quoted = at < stop && *at == '"';
        const char* begin = at + quoted;
        const void* found = std::memchr(begin, quoted ? '"' : delimiter_, static_cast<std::size_t>(stop - begin));
        const char* end = found ? static_cast<const char*>(found) : stop;
        if ((quoted && !found) || end - begin > widest) return false;
        own = trimmed(begin, end);
        at = end + 1 + quoted;
        if (quoted && end + 1 < stop && end[1] != delimiter_) return false;
        return own.find('"') == std::string_view::npos;
    }

    // [5, 5, 1] or 5 5 1.
    bool list(std::string_view text, bool kept) {
        const bool brackets = text.size() > 1 && text.front() == '[' && text.back() == ']';
        if (brackets) text = trimmed(text.data() + 1, text.data() + text.size() - 1);
        const auto next = [&] {
            if (!brackets) return past<' ', ',', ';'>();
            skip();
            if (at_ == end_ || *at_ != ',') return false;
            ++at_;
            skip();
            return true;
        };
        if (kept) return !(brackets && out_->form == Form::bits) && value(text, next);
        at_ = text.data();
        end_ = at_ + text.size();
        std::int64_t one = 0;
        do {
            if (!number(one)) return false;
        } while (next());
        return at_ == end_;
    }

    bool only_number(std::string_view text, std::int64_t& number_) {
        at_ = text.data();
        end_ = at_ + text.size();
        return number(number_) && at_ == end_ && number_ > 0;
    }

    // A cell that nobody asks for: empty, words, or numbers that could be read.
    bool harmless(std::string_view text) {
        if (text.empty()) return true;
        if (!is_name(text)) return false;
        if (text.front() == '[') return text.back() == ']' && list(text, false);
        for (char c : text)
            if (((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && c != 'e' && c != 'E') return true;
        return list(text, false);
    }
};

}  // namespace fencepost
