// unitizing.cpp -- Agreement on segments: one row of numbers for each text, of all its annotators.
#include "kernels/unitizing.hpp"

#include "bind/bind.hpp"

namespace fencepost {
namespace {

// The segments of all annotators of all texts, laid end to end: where each ends, and its category;
// `offsets` divide them into annotators, `texts` divide the annotators into texts.
struct Annotated {
    Column<Index> ends, offsets, texts;
    std::span<const Kind> categories;

    std::size_t check() const {
        const std::size_t rows = count_rows_of("offsets", all(offsets));
        check_offsets("offsets", all(offsets), rows, ends.shape(0));
        check_rows("offsets", all(offsets), 1);
        check_optional_length("categories", categories.size(), ends.shape(0));
        const std::size_t count = count_rows_of("texts", all(texts));
        check_offsets("texts", all(texts), count, rows);
        check_rows("texts", all(texts), 2);
        return count;
    }

    // The annotators of one text; their segments are in `segments`.
    void rows(std::size_t text, std::vector<Segment>& segments, std::vector<Segmented>& found, const Stop& stop) const {
        const auto first = static_cast<std::size_t>(texts.data()[text]),
                   last = static_cast<std::size_t>(texts.data()[text + 1]);
        const auto start = static_cast<std::size_t>(offsets.data()[first]);
        segments.clear(), found.clear();
        for (std::size_t row = first; row < last; ++row) {
            Index before = 0;
            for (auto i = static_cast<std::size_t>(offsets.data()[row]);
                 i < static_cast<std::size_t>(offsets.data()[row + 1]); ++i) {
                const Index end = ends.data()[i];
                stop.check(i);
                segments.push_back({before, end, categories.empty() ? Kind{0} : categories[i]});
                before = end;
            }
        }
        for (std::size_t row = first; row < last; ++row) {
            const auto from = static_cast<std::size_t>(offsets.data()[row]),
                       to = static_cast<std::size_t>(offsets.data()[row + 1]);
            found.push_back(std::span(segments).subspan(from - start, to - from));
        }
    }
};

// A row of N numbers for each text: numbers(rows, stop) returns a std::array.
template <std::size_t N, class Numbers>
Matrix<double> each_text(const Annotated& given, Numbers numbers) {
    const std::size_t count = given.check();
    nb::capsule owner;
    double* out = owned<double>(count * N, owner);
    std::vector<Segment> segments;
    std::vector<Segmented> rows;
    run(count, given.ends.shape(0) * 64, [&given, out, numbers, segments, rows](std::size_t text, const Stop& stop) mutable {
        given.rows(text, segments, rows, stop);
        const std::array<double, N> found = numbers(std::span<const Segmented>(rows), stop);
        std::copy(found.begin(), found.end(), out + text * N);
    });
    return Matrix<double>(out, {count, N}, owner);
}

}  // namespace

void bind_unitizing(nb::module_& m) {
    m.def(
        "unitizing_sums",
        [](Column<Index> ends, Column<Index> offsets, Column<Kind> categories, Column<Index> texts) {
            return each_text<2>({ends, offsets, texts, all(categories)},
                                [sums = UnitizingSums()](std::span<const Segmented> rows, const Stop& stop) mutable {
                                    return sums.add(rows, stop);
                                });
        },
        "ends"_a.noconvert(), "offsets"_a.noconvert(), "categories"_a.noconvert(), "texts"_a.noconvert());
    m.def(
        "alignment_disorder",
        [](Column<Index> ends, Column<Index> offsets, Column<Index> texts) {
            return each_text<2>({ends, offsets, texts, {}},
                                [best = BestAlignment()](std::span<const Segmented> rows, const Stop& stop) mutable {
                                    const auto found = best.find(rows, stop);
                                    return std::array<double, 2>{found.disorder, found.bound};
                                });
        },
        "ends"_a.noconvert(), "offsets"_a.noconvert(), "texts"_a.noconvert());
}

}  // namespace fencepost
