// module.cpp -- The only file that knows Python: columns in, arrays of counts out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/alignment.hpp"
#include "kernels/boundary.hpp"
#include "support/gather.hpp"
#include "support/common.hpp"
#include "kernels/edit.hpp"
#include "kernels/flexible.hpp"
#include "parsing/json.hpp"
#include "parsing/jsonl.hpp"
#include "support/parallel.hpp"
#include "kernels/quantify.hpp"
#include "kernels/random.hpp"
#include "parsing/delimited.hpp"
#include "streams/stream.hpp"
#include "streams/stream_bits.hpp"
#include "streams/stream_integers.hpp"
#include "kernels/window.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fencepost {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

std::atomic<unsigned> thread_count{1};

// Memory that Python will own. Not cleared: the caller writes all of it.
template <class T>
T* owned(std::size_t size, nb::capsule& owner) {
    T* data = new T[size];
    owner = nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return data;
}

template <class T>
Array<T> to_array(const std::vector<T>& from) {
    nb::capsule owner;
    T* data = owned<T>(from.size(), owner);
    std::copy(from.begin(), from.end(), data);
    return Array<T>(data, {from.size()}, owner);
}

// The flat columns of a Pairs, seen as rows. Keeps the arrays alive.
template <class V>
class Rows {
public:
    Rows(Column<V> ref, Column<Index> ref_offsets, Column<V> hyp, Column<Index> hyp_offsets, Column<Index> units,
         Column<Kind> ref_kinds, Column<Kind> hyp_kinds)
        : ref_(ref), hyp_(hyp), ref_offsets_(ref_offsets), hyp_offsets_(hyp_offsets), units_(units),
          ref_kinds_(ref_kinds), hyp_kinds_(hyp_kinds) {}

    std::size_t size() const { return units_.shape(0); }
    std::size_t work() const { return ref_.shape(0) + hyp_.shape(0) + 4 * size(); }

    Pair<V> operator[](std::size_t row) const {
        Pair<V> p;
        cut(ref_, ref_offsets_, ref_kinds_, row, p.ref, p.ref_kinds);
        cut(hyp_, hyp_offsets_, hyp_kinds_, row, p.hyp, p.hyp_kinds);
        p.units = units_.data()[row];
        return p;
    }

private:
    static void cut(const Column<V>& values, const Column<Index>& offsets, const Column<Kind>& kinds, std::size_t row,
                    std::span<const V>& places, std::span<const Kind>& names) {
        const auto first = static_cast<std::size_t>(offsets.data()[row]);
        const auto count = static_cast<std::size_t>(offsets.data()[row + 1]) - first;
        places = {values.data() + first, count};
        if (kinds.shape(0) != 0) names = {kinds.data() + first, count};
    }

    Column<V> ref_, hyp_;
    Column<Index> ref_offsets_, hyp_offsets_, units_;
    Column<Kind> ref_kinds_, hyp_kinds_;
};

// Runs body(row, stop) over all rows without the GIL; Ctrl-C raises KeyboardInterrupt. Each thread
// works with its own copy of the body, so scratch memory is captured by value.
template <class Body>
void run(std::size_t rows, std::size_t work, const Body& body) {
    try {
        nb::gil_scoped_release release;
        for_each_row(rows, work, thread_count.load(), body, [] {
            nb::gil_scoped_acquire acquire;
            return PyErr_CheckSignals() == 0;
        });
    } catch (const Cancelled&) {
        throw nb::python_error();
    }
}

// One row of N counts for each pair: count(pair, row, stop) returns a std::array<T, N>.
template <std::size_t N, class T, class V, class Count>
Matrix<T> count_rows(const Rows<V>& rows, std::size_t work, Count count) {
    nb::capsule owner;
    T* out = owned<T>(rows.size() * N, owner);
    run(rows.size(), work, [&rows, out, count](std::size_t row, const Stop& stop) mutable {
        const std::array<T, N> counts = count(rows[row], row, stop);
        std::copy(counts.begin(), counts.end(), out + row * N);
    });
    return Matrix<T>(out, {rows.size(), N}, owner);
}

// A list of records for each pair, laid end to end, with offsets.
template <class Record, class V, class List>
std::vector<Record> list_rows(const Rows<V>& rows, std::size_t work, std::vector<Index>& offsets, List list) {
    std::vector<std::vector<Record>> lists(rows.size());
    run(rows.size(), work, [&rows, &lists, list](std::size_t row, const Stop& stop) mutable {
        list(rows[row], stop, lists[row]);
    });
    std::vector<Record> all;
    offsets.assign(1, 0);
    for (const auto& one : lists) {
        all.insert(all.end(), one.begin(), one.end());
        offsets.push_back(static_cast<Index>(all.size()));
    }
    return all;
}

Windows windows_for(const std::string_view pad, Index units, Index k) {
    if (pad == "lamprier") return padded_windows(units, k);
    if (pad == "segeval") return segeval_windows(units, k);
    return plain_windows(units, k);
}

EditSettings edit_settings(Index n_t, bool greedy, const Column<Index>& prices, std::size_t kinds) {
    return {n_t, greedy, {prices.data(), prices.shape(0)}, kinds};
}

FlexiblePrices flexible_prices(const Column<Index>& deletion, const Column<Index>& insertion,
                               const Column<Index>& substitution, const Column<Index>& moving, Index reach) {
    const auto all = [](const Column<Index>& column) { return std::span(column.data(), column.shape(0)); };
    return {all(deletion), all(insertion), all(substitution), all(moving), deletion.shape(0), reach};
}

template <class V>
void bind(nb::module_& m, const char* name) {
    nb::class_<Rows<V>>(m, name)
        .def(nb::init<Column<V>, Column<Index>, Column<V>, Column<Index>, Column<Index>, Column<Kind>, Column<Kind>>(),
             "ref"_a.noconvert(), "ref_offsets"_a.noconvert(), "hyp"_a.noconvert(), "hyp_offsets"_a.noconvert(),
             "units"_a.noconvert(), "ref_kinds"_a.noconvert(), "hyp_kinds"_a.noconvert());

    // In the window kernels a width of 0 marks a row without windows: its counts stay 0.
    m.def(
        "window_diff",
        [](const Rows<V>& rows, Column<Index> k, nb::str pad, bool weighted) {
            return count_rows<2, Index>(rows, rows.work(), [=, k = k.data(), pad = std::string_view(pad.c_str()),
                                                            counter = WindowCounter<V>()](
                                                               const Pair<V>& p, std::size_t row, const Stop& stop) mutable {
                if (k[row] == 0) return std::array<Index, 2>{};
                const Windows w = windows_for(pad, p.units, k[row]);
                return std::array{weighted ? counter.difference(p, w, stop) : counter.differing(p, w, stop), w.count()};
            });
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a, "weighted"_a);

    m.def(
        "window_presence",
        [](const Rows<V>& rows, Column<Index> k, nb::str pad) {
            return count_rows<4, Index>(rows, rows.work(), [k = k.data(), pad = std::string_view(pad.c_str())](
                                                               const Pair<V>& p, std::size_t row, const Stop& stop) {
                if (k[row] == 0) return std::array<Index, 4>{};
                const PresenceCounts c = window_presence(p, windows_for(pad, p.units, k[row]), stop);
                return std::array{c.missed, c.present, c.alarms, c.absent};
            });
        },
        "rows"_a, "k"_a.noconvert(), "pad"_a);

    m.def(
        "winpr",
        [](const Rows<V>& rows, Column<Index> k) {
            return count_rows<5, Index>(rows, rows.work(), [k = k.data(), counter = WindowCounter<V>()](
                                                               const Pair<V>& p, std::size_t row, const Stop& stop) mutable {
                if (k[row] == 0) return std::array<Index, 5>{};
                const WinprCounts c = counter.winpr(p, k[row], stop);
                return std::array{c.tp, c.fp, c.fn, c.tn, padded_windows(p.units, k[row]).count()};
            });
        },
        "rows"_a, "k"_a.noconvert());

    m.def(
        "matches_within",
        [](const Rows<V>& rows, Column<Index> tolerance) {
            return count_rows<3, Index>(
                rows, rows.work(), [t = tolerance.data()](const Pair<V>& p, std::size_t row, const Stop& stop) {
                    const Index tp = matches_within(p, t[row], stop);
                    return std::array{tp, static_cast<Index>(p.hyp.size()) - tp, static_cast<Index>(p.ref.size()) - tp};
                });
        },
        "rows"_a, "tolerance"_a.noconvert());

    m.def(
        "hamming",
        [](const Rows<V>& rows, Index ref_alone, Index hyp_alone, Index per_unit, Index reach) {
            const LineCosts costs{ref_alone, hyp_alone, per_unit, reach};
            return count_rows<1, Index>(rows, rows.work(), [costs, counter = HammingCounter<V>()](
                                                               const Pair<V>& p, std::size_t, const Stop& stop) mutable {
                return std::array{counter.cost(p, costs, stop)};
            });
        },
        "rows"_a, "ref_alone"_a, "hyp_alone"_a, "per_unit"_a, "reach"_a);

    m.def(
        "covered_units",
        [](const Rows<V>& rows) {
            return count_rows<1, double>(rows, rows.work(), [](const Pair<V>& p, std::size_t, const Stop& stop) {
                return std::array{covered_units(p, stop)};
            });
        },
        "rows"_a);

    m.def(
        "edit_counts",
        [](const Rows<V>& rows, Index n_t, bool greedy, Column<Index> prices, std::size_t kinds) {
            const EditSettings s = edit_settings(n_t, greedy, prices, kinds);
            return count_rows<9, Index>(rows, rows.work(), [&s, aligner = EditAligner<V>()](
                                                               const Pair<V>& p, std::size_t, const Stop& stop) mutable {
                const EditCounts c = aligner.count(p, s, stop);
                const Index places = static_cast<Index>(s.kinds) * (p.units - 1);
                return std::array{c.matches,       c.missing,            c.extra,    c.transpositions, c.distance,
                                  c.substitutions, c.substitution_parts, c.te_parts, places};
            });
        },
        "rows"_a, "n_t"_a, "greedy"_a, "prices"_a.noconvert(), "kinds"_a);

    m.def(
        "edit_list",
        [](const Rows<V>& rows, Index n_t, bool greedy, Column<Index> prices, std::size_t kinds) {
            const EditSettings s = edit_settings(n_t, greedy, prices, kinds);
            std::vector<Index> offsets;
            const auto all = list_rows<EditRow>(
                rows, rows.work(), offsets, [&s, aligner = EditAligner<V>()](const Pair<V>& p, const Stop& stop,
                                                                std::vector<EditRow>& edits) mutable {
                    aligner.list(p, s, stop, edits);
                });
            nb::capsule owner;
            Index* out = owned<Index>(all.size() * 6, owner);
            Index* at = out;
            for (const EditRow& e : all)
                for (Index value : {static_cast<Index>(e.op), e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.part}) *at++ = value;
            return std::tuple(to_array(offsets), Matrix<Index>(out, {all.size(), 6}, owner));
        },
        "rows"_a, "n_t"_a, "greedy"_a, "prices"_a.noconvert(), "kinds"_a);

    m.def(
        "align_counts",
        [](const Rows<V>& rows, int weight, int scoring, bool directed, double threshold) {
            const AlignmentSettings s{static_cast<Weight>(weight), static_cast<Scoring>(scoring), directed, threshold};
            return count_rows<2, double>(rows, rows.work(), [&s, aligner = SegmentAligner<V>()](
                                                                const Pair<V>& p, std::size_t, const Stop& stop) mutable {
                const AlignmentCounts c = aligner.count(p, s, stop);
                return std::array{c.weight, c.edges};
            });
        },
        "rows"_a, "weight"_a, "scoring"_a, "directed"_a, "threshold"_a);

    m.def(
        "align_list",
        [](const Rows<V>& rows, int weight, double threshold) {
            const AlignmentSettings s{static_cast<Weight>(weight), Scoring::mean, false, threshold};
            std::vector<Index> offsets;
            const auto all = list_rows<EdgeRow>(
                rows, rows.work(), offsets, [&s, aligner = SegmentAligner<V>()](const Pair<V>& p, const Stop& stop,
                                                                   std::vector<EdgeRow>& edges) mutable {
                    aligner.list(p, s, stop, edges);
                });
            nb::capsule owner;
            Index* out = owned<Index>(all.size() * 7, owner);
            Index* at = out;
            std::vector<double> weights;
            for (const EdgeRow& e : all) {
                for (Index value : {e.ref, e.hyp, e.ref_start, e.ref_end, e.hyp_start, e.hyp_end, static_cast<Index>(e.label)})
                    *at++ = value;
                weights.push_back(e.weight);
            }
            return std::tuple(to_array(offsets), Matrix<Index>(out, {all.size(), 7}, owner), to_array(weights));
        },
        "rows"_a, "weight"_a, "threshold"_a);

    m.def(
        "flexible_counts",
        [](const Rows<V>& rows, Column<Index> deletion, Column<Index> insertion, Column<Index> substitution,
           Column<Index> moving, Index reach) {
            const FlexiblePrices prices = flexible_prices(deletion, insertion, substitution, moving, reach);
            return count_rows<3, Index>(rows, rows.work(), [&prices, aligner = FlexibleAligner<V>()](
                                                               const Pair<V>& p, std::size_t, const Stop& stop) mutable {
                const FlexibleCounts c = aligner.count(p, prices, stop);
                return std::array{c.cost, c.edits, c.matches};
            });
        },
        "rows"_a, "deletion"_a.noconvert(), "insertion"_a.noconvert(), "substitution"_a.noconvert(),
        "moving"_a.noconvert(), "reach"_a);

    m.def(
        "flexible_list",
        [](const Rows<V>& rows, Column<Index> deletion, Column<Index> insertion, Column<Index> substitution,
           Column<Index> moving, Index reach) {
            const FlexiblePrices prices = flexible_prices(deletion, insertion, substitution, moving, reach);
            std::vector<Index> offsets;
            const auto all = list_rows<StepRow>(
                rows, rows.work(), offsets, [&prices, aligner = FlexibleAligner<V>()](
                                                const Pair<V>& p, const Stop& stop, std::vector<StepRow>& steps) mutable {
                    aligner.list(p, prices, stop, steps);
                });
            nb::capsule owner;
            Index* out = owned<Index>(all.size() * 6, owner);
            Index* at = out;
            for (const StepRow& e : all)
                for (Index value : {static_cast<Index>(e.step), e.ref, e.hyp, e.ref_kind, e.hyp_kind, e.cost}) *at++ = value;
            return std::tuple(to_array(offsets), Matrix<Index>(out, {all.size(), 6}, owner));
        },
        "rows"_a, "deletion"_a.noconvert(), "insertion"_a.noconvert(), "substitution"_a.noconvert(),
        "moving"_a.noconvert(), "reach"_a);
}

// Sorted random places for each text, laid end to end: offsets tell how many each text wants.
Array<Index> draw_places(Column<Index> offsets, Column<Index> units, Column<std::uint64_t> keys) {
    const auto total = static_cast<std::size_t>(offsets.data()[units.shape(0)]);
    nb::capsule owner;
    Index* out = owned<Index>(total, owner);
    run(units.shape(0), total + units.shape(0), [&](std::size_t row, const Stop&) {
        const auto first = static_cast<std::size_t>(offsets.data()[row]);
        const auto last = static_cast<std::size_t>(offsets.data()[row + 1]);
        random_places(std::span(out + first, last - first), units.data()[row] - 1, keys.data()[row]);
    });
    return Array<Index>(out, {total}, owner);
}

// Puts the kinds of each text into a random order.
Array<Kind> shuffle_kinds(Column<Index> offsets, Column<Kind> kinds, Column<std::uint64_t> keys) {
    nb::capsule owner;
    Kind* out = owned<Kind>(kinds.shape(0), owner);
    std::copy(kinds.data(), kinds.data() + kinds.shape(0), out);
    run(keys.shape(0), kinds.shape(0) + keys.shape(0), [&](std::size_t row, const Stop&) {
        const auto first = static_cast<std::size_t>(offsets.data()[row]);
        const auto last = static_cast<std::size_t>(offsets.data()[row + 1]);
        shuffle(std::span(out + first, last - first), keys.data()[row]);
    });
    return Array<Kind>(out, {kinds.shape(0)}, owner);
}

// Independent random boundaries for each row: its number of places, its distribution (a row of
// `limits`) and its key. Counted first and drawn again to be written: no row waits for another.
std::tuple<Array<Index>, Array<Index>, Array<Kind>> draw_boundaries(Column<Index> places, Column<Index> distribution,
                                                                    nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> limits,
                                                                    Column<std::uint64_t> keys) {
    const std::size_t rows = places.shape(0), width = limits.shape(1);
    std::size_t work = rows;
    for (std::size_t row = 0; row < rows; ++row) work += static_cast<std::size_t>(places.data()[row]);
    const auto draw = [&](std::size_t row, auto&& hit) {
        const std::span own(limits.data() + static_cast<std::size_t>(distribution.data()[row]) * width, width);
        random_boundaries(places.data()[row], own, keys.data()[row], hit);
    };
    std::vector<Index> offsets(rows + 1, 0);
    run(rows, work, [&](std::size_t row, const Stop&) {
        Index count = 0;
        draw(row, [&](Index, Kind) { ++count; });
        offsets[row + 1] = count;
    });
    for (std::size_t row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
    const auto total = static_cast<std::size_t>(offsets[rows]);
    nb::capsule value_owner, kind_owner;
    Index* values = owned<Index>(total, value_owner);
    Kind* kinds = owned<Kind>(total, kind_owner);
    run(rows, work, [&](std::size_t row, const Stop&) {
        auto at = static_cast<std::size_t>(offsets[row]);
        draw(row, [&](Index place, Kind kind) { values[at] = place, kinds[at] = kind, ++at; });
    });
    return {to_array(offsets), Array<Index>(values, {total}, value_owner), Array<Kind>(kinds, {total}, kind_owner)};
}

// The rows of a column that `index` names, in its order, laid end to end again.
template <class V>
std::tuple<Array<V>, Array<Index>, Array<Kind>> take_rows(Column<V> values, Column<Index> offsets, Column<Kind> kinds,
                                                          Column<Index> index) {
    const std::size_t rows = index.shape(0);
    nb::capsule offset_owner, value_owner, kind_owner;
    Index* starts = owned<Index>(rows + 1, offset_owner);
    starts[0] = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const Index from = index.data()[row];
        starts[row + 1] = starts[row] + offsets.data()[from + 1] - offsets.data()[from];
    }
    const auto total = static_cast<std::size_t>(starts[rows]);
    const bool typed = kinds.shape(0) != 0;
    V* places = owned<V>(total, value_owner);
    Kind* names = owned<Kind>(typed ? total : 0, kind_owner);
    run(rows, total / 8 + rows, [&](std::size_t row, const Stop&) {
        const Index from = offsets.data()[index.data()[row]], count = starts[row + 1] - starts[row];
        std::copy_n(values.data() + from, count, places + starts[row]);
        if (typed) std::copy_n(kinds.data() + from, count, names + starts[row]);
    });
    return {Array<V>(places, {total}, value_owner), Array<Index>(starts, {rows + 1}, offset_owner),
            Array<Kind>(names, {typed ? total : 0}, kind_owner)};
}

// Rows of counts added by group: the sum of group g is row g.
template <class T>
Matrix<T> add_counts(nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu> counts, Column<Index> groups,
                     std::size_t count) {
    const std::size_t width = counts.shape(1);
    nb::capsule owner;
    T* out = owned<T>(count * width, owner);
    std::fill_n(out, count * width, T{0});
    nb::gil_scoped_release release;
    add_rows<T>({counts.data(), counts.shape(0) * width}, {groups.data(), groups.shape(0)}, width,
                {out, count * width});
    nb::gil_scoped_acquire acquire;
    return Matrix<T>(out, {count, width}, owner);
}

// A row of random numbers for each of `count` resamples, the first of which is number `first`.
template <void (*fill)(std::span<double>, Stream) noexcept>
Matrix<double> random_rows(std::uint64_t seed, std::uint64_t first, std::size_t count, std::size_t texts) {
    nb::capsule owner;
    double* out = owned<double>(count * texts, owner);
    run(count, count * texts, [&](std::size_t row, const Stop&) {
        fill({out + row * texts, texts}, row_stream(seed, first + row));
    });
    return Matrix<double>(out, {count, texts}, owner);
}

// The columns of many documents, seen as streams. Positions of document d (0 to its length) begin
// at hyp_offsets[d] + d in `breaks` and `forbidden`, which may be empty.
struct Streams {
    Column<WordId> hyp;
    Column<Index> hyp_offsets;
    Column<WordId> words;
    Column<Index> reference_offsets, segment_offsets, document_offsets;
    Column<std::uint8_t> breaks, forbidden;

    std::size_t size() const { return hyp_offsets.shape(0) - 1; }

    WordStream operator[](std::size_t d) const {
        const auto at = [d](const Column<Index>& offsets) { return static_cast<std::size_t>(offsets.data()[d]); };
        const auto next = [d](const Column<Index>& offsets) { return static_cast<std::size_t>(offsets.data()[d + 1]); };
        const std::size_t first = at(hyp_offsets), length = next(hyp_offsets) - first, segment = at(document_offsets);
        WordStream s;
        s.hyp = {hyp.data() + first, length};
        s.words = words.data(), s.reference = reference_offsets.data();
        s.segment = {segment_offsets.data() + segment, next(document_offsets) - segment + 1};
        if (breaks.shape(0) != 0) s.breaks = {breaks.data() + first + d, length + 1};
        if (forbidden.shape(0) != 0) s.forbidden = {forbidden.data() + first + d, length + 1};
        return s;
    }

    // Machine words to compute, in all documents.
    std::size_t work() const {
        std::size_t sum = 0;
        for (std::size_t d = 0; d < size(); ++d) {
            const WordStream s = (*this)[d];
            const Index count = s.reference[s.segment.back()] - s.reference[s.segment.front()];
            sum += (s.hyp.size() / 64 + 1) * static_cast<std::size_t>(count + 1);
        }
        return sum;
    }
};

// Solves documents with the engine that fits each.
class StreamSolvers {
public:
    void solve(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        // Which places are optimal is a matter of costs alone, so breaks are left out of it.
        const bool apart = o.ambiguity && !s.breaks.empty();
        StreamSettings main = o;
        main.ambiguity = o.ambiguity && !apart;
        choose(s, main, vocabulary, stop, out);
        if (!apart) return;
        WordStream plain = s;
        plain.breaks = {};
        main.ambiguity = true, main.alignment = false;
        StreamResult all;
        choose(plain, main, vocabulary, stop, all);
        out.run_counts = std::move(all.run_counts), out.runs = std::move(all.runs);
        out.fewest_words = all.fewest_words, out.most_words = all.most_words;
    }

private:
    void choose(const WordStream& s, const StreamSettings& o, std::size_t vocabulary, const Stop& stop, StreamResult& out) {
        const bool unit = o.substitution == 1 && o.insertion == 1 && o.deletion == 1;
        if (unit && s.breaks.empty() && s.forbidden.empty() && !o.peer_row && !o.integers) bits_.solve(s, o, vocabulary, stop, out);
        else if (IntegerEngine<std::int32_t>::fits(s, o)) narrow_.solve(s, o, vocabulary, stop, out);
        else wide_.solve(s, o, vocabulary, stop, out);
    }

    StreamSolver<BitEngine> bits_;
    StreamSolver<IntegerEngine<std::int32_t>> narrow_;
    StreamSolver<IntegerEngine<std::int64_t>> wide_;
};

// Lays rows of N numbers end to end: each(result, push) hands over one row at a time.
template <std::size_t N, class Each>
Matrix<Index> stack(const std::vector<StreamResult>& results, Each each) {
    std::vector<Index> flat;
    for (const StreamResult& one : results) each(one, [&](const std::array<Index, N>& row) { flat.insert(flat.end(), row.begin(), row.end()); });
    nb::capsule owner;
    Index* out = owned<Index>(flat.size(), owner);
    std::copy(flat.begin(), flat.end(), out);
    return Matrix<Index>(out, {flat.size() / N, N}, owner);
}

// Segments (end, chosen reference, substitutions, insertions, deletions), documents (distance,
// words, fewest and most words), runs of places (by segment how many; first, last), and steps (by
// segment how many; operation, hypothesis word, reference word).
using StreamArrays = std::tuple<Matrix<Index>, Matrix<Index>, Array<Index>, Matrix<Index>, Array<Index>, Matrix<Index>>;

StreamArrays resegment(Column<WordId> hyp, Column<Index> hyp_offsets, Column<WordId> words, Column<Index> reference_offsets,
                       Column<Index> segment_offsets, Column<Index> document_offsets, Column<std::uint8_t> breaks,
                       Column<std::uint8_t> forbidden, std::size_t vocabulary, int ties, std::array<Index, 3> costs,
                       bool peer_row, bool integers, bool plain, bool ambiguity, bool alignment, std::size_t memory) {
    const Streams streams{hyp, hyp_offsets, words, reference_offsets, segment_offsets, document_offsets, breaks, forbidden};
    const std::size_t count = streams.size();
    StreamSettings o;
    o.ties = static_cast<Ties>(ties);
    o.substitution = costs[0], o.insertion = costs[1], o.deletion = costs[2];
    o.peer_row = peer_row, o.integers = integers, o.plain = plain, o.ambiguity = ambiguity, o.alignment = alignment;
    o.memory = memory / std::clamp<std::size_t>(count, 1, thread_count.load());
    std::vector<StreamResult> results(count);
    run(count, streams.work(), [&, solvers = StreamSolvers()](std::size_t d, const Stop& stop) mutable {
        solvers.solve(streams[d], o, vocabulary, stop, results[d]);
    });
    std::vector<Index> run_counts, step_counts;
    for (const StreamResult& one : results) {
        run_counts.insert(run_counts.end(), one.run_counts.begin(), one.run_counts.end());
        step_counts.insert(step_counts.end(), one.step_counts.begin(), one.step_counts.end());
    }
    return {stack<5>(results, [](const StreamResult& one, auto&& push) {
                for (std::size_t k = 0; k < one.ends.size(); ++k) {
                    const SegmentCounts& c = one.counts[k];
                    push({one.ends[k], one.chosen[k], c.substitutions, c.insertions, c.deletions});
                }
            }),
            stack<4>(results, [](const StreamResult& one, auto&& push) {
                push({one.distance, one.words, one.fewest_words, one.most_words});
            }),
            to_array(run_counts),
            stack<2>(results, [](const StreamResult& one, auto&& push) {
                for (const Run& places : one.runs) push({places.first, places.last});
            }),
            to_array(step_counts),
            stack<3>(results, [](const StreamResult& one, auto&& push) {
                for (const StreamStep& step : one.steps) push({static_cast<Index>(step.op), step.hyp, step.ref});
            })};
}

// The misbehaviours of every reference of this many units; the reference is the index, as a mask.
Array<std::uint16_t> misbehaviours(Index units) {
    const std::size_t count = std::size_t{1} << (units - 1);
    nb::capsule owner;
    std::uint16_t* out = owned<std::uint16_t>(count, owner);
    run(count, count * 64, [out, units, finder = Misbehaviours()](std::size_t row, const Stop&) mutable {
        out[row] = finder.find(units, static_cast<Mask>(row));
    });
    return Array<std::uint16_t>(out, {count}, owner);
}

constexpr const char* form_names[] = {"", "sizes", "marks", "bits"};

Form form_of(const std::string& name) {
    for (int i = 0; i < 4; ++i)
        if (name == form_names[i]) return static_cast<Form>(i);
    return Form::unknown;
}

// What a scanner finds in a piece of a file, or None where something is not plain.
template <class Scan>
nb::object plain_texts(Form form, Scan scan) {
    auto out = std::make_unique<PlainTexts>();
    out->form = form;
    bool plain = false;
    {
        nb::gil_scoped_release release;
        plain = scan(*out);
    }
    if (!plain) return nb::none();
    return nb::cast(out.release(), nb::rv_policy::take_ownership);
}

template <class Scanner, class... Args>
nb::object scan_piece(const nb::bytes& data, const std::string& form, const Args&... args) {
    return plain_texts(form_of(form), [&](PlainTexts& out) {
        return Scanner(args..., out).scan(data.c_str(), data.c_str() + data.size());
    });
}

nb::object scan_json_lines(nb::bytes data, const std::string& form, const std::string& id, const std::string& field,
                           const std::string& units) {
    return scan_piece<JsonLinesScanner>(data, form, id, field, units);
}

nb::object scan_rows(nb::bytes data, const std::string& form, const std::string& delimiter, bool text, bool coder,
                     bool header) {
    return scan_piece<RowScanner>(data, form, delimiter.at(0), text, coder, header);
}

nb::object scan_number_lines(nb::bytes data, const std::string& form, bool named) {
    return scan_piece<NumberLineScanner>(data, form, named);
}

nb::object scan_table(nb::bytes data, const std::string& form, const std::string& delimiter, bool header,
                      std::array<std::int64_t, 5> columns) {
    return scan_piece<TableScanner>(data, form, delimiter.at(0), header, columns);
}

// One object of texts, taken apart a part at a time. Keeps the bytes alive.
class JsonTexts {
public:
    JsonTexts(nb::bytes data, const std::string& form, std::vector<std::string> apart, bool items)
        : data_(std::move(data)),
          scanner_(data_.c_str(), data_.c_str() + data_.size(), std::move(apart), items, form_of(form)) {}

    nb::object next(std::size_t cuts) {
        return plain_texts(Form::unknown, [&](PlainTexts& out) { return scanner_.next(cuts, out); });
    }

    bool done() const { return scanner_.done(); }

private:
    nb::bytes data_;
    JsonTextsScanner scanner_;
};

template <auto Member>
auto column(const PlainTexts& texts) {
    return to_array(texts.*Member);
}

template <auto Member>
nb::bytes raw(const PlainTexts& texts) {
    return nb::bytes((texts.*Member).data(), (texts.*Member).size());
}

// Lists of whole numbers end to end, and their offsets; None where something else is among them.
nb::object flat_numbers(nb::typed<nb::list, nb::object> lists) {
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(lists.size() + 1);
    for (nb::handle one : lists) {
        if (!PyList_CheckExact(one.ptr())) return nb::none();
        offsets.push_back(offsets.back() + PyList_GET_SIZE(one.ptr()));
    }
    nb::capsule owner;
    const auto size = static_cast<std::size_t>(offsets.back());
    std::int64_t* values = owned<std::int64_t>(size, owner);
    std::int64_t* to = values;
    for (nb::handle one : lists)
        for (nb::handle number : nb::borrow<nb::list>(one)) {
            int overflow = 0;
            if (!PyLong_CheckExact(number.ptr())) return nb::none();
            *to++ = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
            if (overflow) return nb::none();
        }
    return nb::make_tuple(Array<std::int64_t>(values, {size}, owner), to_array(offsets));
}

void bind_plain(nb::module_& m) {
    nb::class_<PlainTexts>(m, "PlainTexts")
        .def_prop_ro("cuts", &column<&PlainTexts::cuts>, nb::rv_policy::move)
        .def_prop_ro("offsets", &column<&PlainTexts::offsets>, nb::rv_policy::move)
        .def_prop_ro("units", &column<&PlainTexts::units>, nb::rv_policy::move)
        .def_prop_ro("lines", &column<&PlainTexts::lines>, nb::rv_policy::move)
        .def_prop_ro("ids", &raw<&PlainTexts::ids>)
        .def_prop_ro("id_offsets", &column<&PlainTexts::id_offsets>, nb::rv_policy::move)
        .def_ro("coders", &PlainTexts::coders)
        .def_prop_ro("coder_of", &column<&PlainTexts::coder_of>, nb::rv_policy::move)
        .def_prop_ro("words", &raw<&PlainTexts::words>)
        .def_prop_ro("word_offsets", &column<&PlainTexts::word_offsets>, nb::rv_policy::move)
        .def_prop_ro("hashes", &column<&PlainTexts::hashes>, nb::rv_policy::move)
        .def_prop_ro("form", [](const PlainTexts& t) { return form_names[static_cast<int>(t.form)]; })
        .def_prop_ro("count", [](const PlainTexts& t) { return t.units.size(); })
        .def_ro("line_count", &PlainTexts::line_count)
        .def_ro("named", &PlainTexts::named)
        .def_ro("all_rise", &PlainTexts::all_rise)
        .def_ro("all_start", &PlainTexts::all_start)
        .def_ro("all_end", &PlainTexts::all_end)
        .def_ro("shortest", &PlainTexts::shortest)
        .def_ro("longest", &PlainTexts::longest)
        .def_ro("known", &PlainTexts::known)
        .def_ro("each", &PlainTexts::each)
        .def_ro("between", &PlainTexts::between)
        .def_ro("spaced", &PlainTexts::spaced);
    nb::class_<JsonTexts>(m, "JsonTexts")
        .def(nb::init<nb::bytes, const std::string&, std::vector<std::string>, bool>(), "data"_a, "form"_a, "apart"_a,
             "items"_a)
        .def("next", &JsonTexts::next, "cuts"_a)
        .def_prop_ro("done", &JsonTexts::done);
    m.def("flat_numbers", &flat_numbers, "lists"_a);
    m.def("scan_json_lines", &scan_json_lines, "data"_a, "form"_a, "id"_a, "field"_a, "units"_a);
    m.def("scan_rows", &scan_rows, "data"_a, "form"_a, "delimiter"_a, "text"_a, "coder"_a, "header"_a);
    m.def("scan_number_lines", &scan_number_lines, "data"_a, "form"_a, "named"_a);
    m.def("scan_table", &scan_table, "data"_a, "form"_a, "delimiter"_a, "header"_a, "columns"_a);
}

}  // namespace
}  // namespace fencepost

NB_MODULE(_core, m) {
    using namespace fencepost;
    m.doc() = "Kernels of fencepost: trusted columns in, counts out.";
    m.attr("version") = FENCEPOST_VERSION;
    m.def("set_threads", [](unsigned n) { thread_count = n < 1 ? 1 : n; }, "n"_a);
    m.def("get_threads", [] { return thread_count.load(); });
    m.def("random_places", &draw_places, "offsets"_a.noconvert(), "units"_a.noconvert(), "keys"_a.noconvert());
    m.def("shuffle_kinds", &shuffle_kinds, "offsets"_a.noconvert(), "kinds"_a.noconvert(), "keys"_a.noconvert());
    m.def("random_boundaries", &draw_boundaries, "places"_a.noconvert(), "distribution"_a.noconvert(),
          "limits"_a.noconvert(), "keys"_a.noconvert());
    m.def("take_rows", &take_rows<std::int32_t>, "values"_a.noconvert(), "offsets"_a.noconvert(), "kinds"_a.noconvert(),
          "index"_a.noconvert());
    m.def("take_rows", &take_rows<std::int64_t>, "values"_a.noconvert(), "offsets"_a.noconvert(), "kinds"_a.noconvert(),
          "index"_a.noconvert());
    m.def("add_rows", &add_counts<std::int64_t>, "counts"_a.noconvert(), "groups"_a.noconvert(), "count"_a);
    m.def("add_rows", &add_counts<double>, "counts"_a.noconvert(), "groups"_a.noconvert(), "count"_a);
    m.def("resamples", &random_rows<resample>, "seed"_a, "first"_a, "count"_a, "texts"_a);
    m.def("tosses", &random_rows<toss>, "seed"_a, "first"_a, "count"_a, "texts"_a);
    bind<std::int32_t>(m, "Rows32");
    bind<std::int64_t>(m, "Rows64");
    bind_plain(m);
    m.def("resegment", &resegment, "hyp"_a.noconvert(), "hyp_offsets"_a.noconvert(), "words"_a.noconvert(),
          "reference_offsets"_a.noconvert(), "segment_offsets"_a.noconvert(), "document_offsets"_a.noconvert(),
          "breaks"_a.noconvert(), "forbidden"_a.noconvert(), "vocabulary"_a, "ties"_a, "costs"_a, "peer_row"_a,
          "integers"_a, "plain"_a, "ambiguity"_a, "alignment"_a, "memory"_a);
    m.def("misbehaviours", &misbehaviours, "units"_a);  // 2 to 20
}
