// tokens.cpp -- Tokens of texts: found, numbered, and where boundaries before them cut.
#include "streams/tokens.hpp"

#include "bind/bind.hpp"
#include "bind/python.hpp"

namespace fencepost {
namespace {

using Texts = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using Strings = nb::typed<nb::list, nb::str>;

// The characters of texts; the tuple keeps the texts alive.
class Views {
public:
    explicit Views(const Texts& texts) {
        for (const nb::handle text : texts) {
            if (!PyUnicode_Check(text.ptr()))
                refuse("texts must be str, found another type in text " + number(views_.size()));
            characters_.emplace_back(text.ptr());
            views_.push_back(characters_.back().view());
        }
    }

    operator std::span<const TextView>() const { return views_; }

private:
    std::vector<Characters> characters_;
    std::vector<TextView> views_;
};

SplitRule rule_of(const std::string& name) {
    for (std::size_t i = 0; i < split_rule_names.size(); ++i)
        if (name == split_rule_names[i]) return static_cast<SplitRule>(i);
    refuse("rule must be words, whitespace, characters or spaced words, found " + name);
}

void check_classes(const Column<CharacterBits>& classes) { check_length("classes", classes.shape(0), kCodePoints); }

// Every span is looked at: a wrong one would read beyond its text.
void check_spans(std::span<const TextView> texts, const Column<Index>& offsets, const Column<Index>& starts,
                 const Column<Index>& ends) {
    check_offsets("offsets", all(offsets), texts.size(), starts.shape(0));
    check_rows("offsets", all(offsets));
    check_length("ends", ends.shape(0), starts.shape(0));
    for (std::size_t t = 0; t < texts.size(); ++t)
        for (Index i = offsets.data()[t]; i < offsets.data()[t + 1]; ++i) {
            check_at_least("starts", starts.data()[i], Index{0});
            check_between("ends", ends.data()[i], starts.data()[i], static_cast<Index>(texts[t].size));
        }
}

Array<Index> bound_pages(const Texts& texts) {
    const Views given(texts);
    std::vector<Index> pages;
    run([&](const Stop& stop) { pages = used_pages(given, stop); });
    return to_array(pages);
}

// Offsets by text, and [start, end) of each token.
std::tuple<Array<Index>, Array<Index>, Array<Index>> bound_split(const Texts& texts, Column<CharacterBits> classes,
                                                                 const std::string& rule) {
    check_classes(classes);
    const SplitRule how = rule_of(rule);
    const Views given(texts);
    TokenSpans found;
    run([&](const Stop& stop) { found = split_texts(given, all(classes), how, stop); });
    return {to_array(found.offsets), to_array(found.starts), to_array(found.ends)};
}

// The different tokens as str.
Strings written(const TokenTable& table) {
    Strings tokens;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::span<const std::uint32_t> codes = table[i];
        tokens.append(string_of(codes.data(), codes.size()));
    }
    return tokens;
}

// The number of each token, and how the token of each number is written.
std::tuple<Array<TokenId>, Strings> bound_numbers(const Texts& texts, Column<Index> offsets, Column<Index> starts,
                                                  Column<Index> ends) {
    const Views given(texts);
    check_spans(given, offsets, starts, ends);
    TokenTable table;
    std::vector<TokenId> numbers;
    run([&](const Stop& stop) { numbers = number_tokens(given, all(offsets), all(starts), all(ends), table, stop); });
    return {to_array(numbers), written(table)};
}

Array<Index> bound_cuts(const Texts& texts, Column<Index> offsets, Column<Index> starts, Column<Index> ends,
                        Column<CharacterBits> classes) {
    check_classes(classes);
    const Views given(texts);
    check_spans(given, offsets, starts, ends);
    std::vector<Index> places;
    run([&](const Stop& stop) { places = cut_places(given, all(offsets), all(starts), all(ends), all(classes), stop); });
    return to_array(places);
}

}  // namespace

void bind_tokens(nb::module_& m) {
    m.def("used_pages", &bound_pages, "texts"_a);
    m.def("split_texts", &bound_split, "texts"_a, "classes"_a.noconvert(), "rule"_a);
    m.def("number_tokens", &bound_numbers, "texts"_a, "offsets"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert());
    m.def("cut_places", &bound_cuts, "texts"_a, "offsets"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert(),
          "classes"_a.noconvert());
}

}  // namespace fencepost
