// threads.cpp -- Rows over several threads: the same counts, one failure told, and a stop that is heard.
#include "support/parallel.hpp"

#include <stdexcept>

#include "kernels/alignment.hpp"
#include "kernels/edit.hpp"
#include "kernels/hierarchy.hpp"
#include "kernels/window.hpp"
#include "native.hpp"
#include "streams/solve.hpp"
#include "targets.hpp"

namespace native {
namespace {

constexpr std::size_t kMuch = std::size_t{1} << 20;  // work for which threads are started

template <class Counts, class Count>
std::vector<Counts> rows_of(const std::vector<TwoSides<Index>>& texts, unsigned threads, const Count& count) {
    std::vector<Counts> out(texts.size());
    Counts* to = out.data();
    for_each_row(
        texts.size(), kMuch, threads,
        [&texts, to, own = Count(count)](std::size_t row, const Stop& stop) mutable {
            to[row] = own(texts[row].pair(), stop);
        },
        [] { return true; });
    return out;
}

template <class Counts, class Count>
void check_same_rows(const std::vector<TwoSides<Index>>& texts, const Count& count) {
    const auto one = rows_of<Counts>(texts, 1, count);
    CHECK(rows_of<Counts>(texts, 2, count) == one);
    CHECK(rows_of<Counts>(texts, 5, count) == one);
}

void check_failure(std::size_t rows, unsigned threads, std::size_t bad) {
    std::atomic<std::size_t> done{0};
    bool thrown = false;
    try {
        for_each_row(
            rows, kMuch, threads,
            [&](std::size_t row, const Stop&) {
                if (row == bad) throw std::runtime_error("bad row");
                ++done;
            },
            [] { return true; });
    } catch (const std::runtime_error& error) {
        thrown = std::string_view(error.what()) == "bad row";
    }
    CHECK(thrown == (bad < rows));
    CHECK(done.load() <= rows && (bad < rows || done.load() == rows));
}

// A body that never ends by itself ends when poll says so.
void check_stop(std::size_t rows, unsigned threads) {
    bool cancelled = false;
    try {
        for_each_row(
            rows, kMuch, threads,
            [](std::size_t, const Stop& stop) {
                for (std::size_t step = 0;; ++step) stop.check(step);
            },
            [] { return false; });
    } catch (const Cancelled&) {
        cancelled = true;
    }
    CHECK(cancelled);
}

// Rows that are all done while poll says so are cancelled, too: Python's error is set by then.
void check_late_stop(std::size_t rows, unsigned threads) {
    std::atomic<bool> asked{false};
    std::atomic<std::size_t> done{0};
    bool cancelled = false;
    try {
        for_each_row(
            rows, kMuch, threads,
            [&](std::size_t, const Stop&) {
                while (!asked) std::this_thread::yield();
                ++done;
            },
            [&] {
                asked = true;
                while (done < rows) std::this_thread::yield();
                return false;
            });
    } catch (const Cancelled&) {
        cancelled = true;
    }
    CHECK(cancelled);
}

}  // namespace

void check_threads(Draws in) {
    std::vector<TwoSides<Index>> texts;
    Shape shape;
    shape.most_units = Index{1} << 30;
    for (std::size_t n = in.size(1, 40); n > 0; --n) texts.push_back(draw_texts(in, shape).as<Index>());
    EditSettings optimal;
    const std::vector<Index> price{1};
    optimal.n_t = 4, optimal.prices = price;
    check_same_rows<std::array<Index, 9>>(texts, EditRowCounts<Index, 9>{optimal});
    AlignmentSettings best;
    best.scoring = Scoring::best;
    check_same_rows<std::array<double, 2>>(texts, AlignmentRowCounts<Index>{best});
    check_same_rows<std::array<double, 4>>(texts, RankingCounts<Index>({1, true, 0}));
    check_same_rows<std::array<Index, 5>>(texts,
                                          [c = WinprRowCounts<Index>{}](const Pair<Index>& p, const Stop& stop) mutable {
                                              return c(p, stop, p.units > 1 ? 1 + (p.units - 1) % 7 : 0);
                                          });
    check_failure(in.size(1, 200), static_cast<unsigned>(in.number(1, 4)), in.size(0, 210));
    if (in.rarely() && in.rarely()) check_stop(in.size(1, 3), static_cast<unsigned>(in.number(1, 3)));
    if (in.rarely() && in.rarely()) check_late_stop(in.size(2, 9), static_cast<unsigned>(in.number(2, 3)));
}

}  // namespace native
