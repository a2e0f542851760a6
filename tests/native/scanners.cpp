// scanners.cpp -- Scanners of plain files on any bytes: nothing is read beyond the end, and what is
// found is well formed. tests/native/scanners.py compares what they find with the general readers.
#include <memory>

#include "native.hpp"
#include "parsing/delimited.hpp"
#include "parsing/json.hpp"
#include "parsing/jsonl.hpp"
#include "targets.hpp"

namespace native {
namespace {

// A copy of the bytes with the one byte behind them that scanners may read.
class Copy {
public:
    explicit Copy(std::string_view bytes) : size_(bytes.size()), memory_(new char[bytes.size() + 1]) {
        std::copy(bytes.begin(), bytes.end(), memory_.get());
        memory_[size_] = '\0';
    }
    const char* begin() const { return memory_.get(); }
    const char* end() const { return memory_.get() + size_; }

private:
    std::size_t size_;
    std::unique_ptr<char[]> memory_;
};

// The cuts of every text rise and lie in it, and every column has its length.
void check_found(const PlainTexts& t, bool by_line) {
    const std::size_t texts = t.units.size();
    CHECK_SAME(t.offsets.size(), texts + 1);
    CHECK_SAME(t.offsets.back(), static_cast<Index>(t.cuts.size()));
    CHECK_SAME(t.id_offsets.size(), texts + 1);
    CHECK_SAME(t.id_offsets.back(), static_cast<Index>(t.ids.size()));
    CHECK_SAME(t.word_offsets.back(), static_cast<Index>(t.words.size()));
    CHECK(t.coder_of.empty() || t.coder_of.size() == texts);
    CHECK(t.named >= 0 && static_cast<std::size_t>(t.named) <= texts);
    CHECK(t.known >= 0 && t.each <= t.known && t.between <= t.known);
    if (by_line) CHECK(t.lines.size() == texts && std::is_sorted(t.lines.begin(), t.lines.end()));
    for (const Index number : t.coder_of) CHECK(number >= -1 && number < static_cast<Index>(t.coders.size()));
    for (std::size_t text = 0; text < texts; ++text) {
        CHECK(t.units[text] >= 1 && t.units[text] <= Index{1} << 40);
        CHECK(t.id_offsets[text] <= t.id_offsets[text + 1]);
        Index before = 0;
        for (auto at = static_cast<std::size_t>(t.offsets[text]); at < static_cast<std::size_t>(t.offsets[text + 1]); ++at) {
            CHECK(t.cuts[at] > before);
            before = t.cuts[at];
        }
        CHECK(before <= t.units[text] - (t.form == Form::sizes));
    }
}

// Lines of nothing but sizes, digit by digit in wider numbers.
void check_sizes(std::string_view bytes, const PlainTexts& t) {
    std::size_t text = 0;
    for (std::size_t at = 0; at < bytes.size() && t.form == Form::sizes;) {
        const std::string_view line = bytes.substr(at, bytes.find('\n', at) - at);
        at += line.size() + 1;
        __int128 sum = 0, number = 0;
        bool any = false;
        for (const char c : line) {
            const bool digit = c >= '0' && c <= '9';
            any = any || digit;
            if (!digit) sum += number;
            number = digit ? std::min(number * 10 + (c - '0'), static_cast<__int128>(1) << 100) : 0;
        }
        if (any) CHECK(text < t.units.size() && sum + number == t.units[text++]);
    }
}

template <class Scan>
void scan_with(std::string_view bytes, Form form, Scan scan) {
    const Copy copy(bytes);
    PlainTexts out;
    out.form = form;
    if (scan(copy.begin(), copy.end(), out)) check_found(out, true);
}

}  // namespace

void check_scanners(Draws in) {
    const Index which = in.number(0, 4);
    const Form form = static_cast<Form>(in.number(0, 3));
    const bool first = in.coin(), second = in.coin(), third = in.coin();
    static constexpr char delimiters[] = {'\t', ',', ';', ' '};
    const char delimiter = in.any_of(delimiters);
    std::array<std::int64_t, 5> columns = {in.number(1, 5), 0, 0, 0, 0};
    for (std::size_t i = 1; i < columns.size(); ++i) columns[i] = in.number(i == 3 ? 0 : -1, columns[0] - 1);
    // As the edge has it: no column has two roles.
    for (const std::size_t i : {1u, 2u, 4u})
        for (std::size_t j = 1; j < columns.size(); ++j)
            if (i != j && columns[i] == columns[j]) columns[i] = -1;
    const std::size_t cuts = in.size(1, 9);
    const std::string_view bytes = in.rest();
    switch (which) {
        case 0:
            return scan_with(bytes, form, [&](const char* begin, const char* end, PlainTexts& out) {
                return JsonLinesScanner("id", "ref", "units", out).scan(begin, end);
            });
        case 1:
            return scan_with(bytes, form, [&](const char* begin, const char* end, PlainTexts& out) {
                return RowScanner(delimiter, first, second, third, out).scan(begin, end);
            });
        case 2:
            return scan_with(bytes, form, [&](const char* begin, const char* end, PlainTexts& out) {
                const bool plain = NumberLineScanner(first, out).scan(begin, end);
                if (plain && !first) check_sizes(bytes, out);
                return plain;
            });
        case 3:
            return scan_with(bytes, form, [&](const char* begin, const char* end, PlainTexts& out) {
                return TableScanner(delimiter, first, columns, out).scan(begin, end);
            });
        default: break;
    }
    const Copy copy(bytes);
    JsonTextsScanner scanner(copy.begin(), copy.end(), {"items", "ref"}, first, form);
    for (int part = 0; part < 20 && !scanner.done(); ++part) {
        PlainTexts out;
        if (!scanner.next(cuts, out)) return;
        check_found(out, false);
    }
}

}  // namespace native
