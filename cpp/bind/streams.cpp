// streams.cpp -- Re-segmentation of word streams.
#include "bind/bind.hpp"
#include "streams/solve.hpp"

namespace fencepost {
namespace {

// Lays rows of N numbers end to end: each(result, push) hands over one row at a time.
template <std::size_t N, class Each>
Matrix<Index> stack(const std::vector<StreamResult>& results, Each each) {
    std::vector<std::array<Index, N>> rows;
    for (const StreamResult& one : results) each(one, [&](const std::array<Index, N>& row) { rows.push_back(row); });
    return to_matrix<N>(rows, [](const std::array<Index, N>& row) { return row; });
}

template <auto Member>
Array<Index> join(const std::vector<StreamResult>& results) {
    std::vector<Index> joined;
    for (const StreamResult& one : results) joined.insert(joined.end(), (one.*Member).begin(), (one.*Member).end());
    return to_array(joined);
}

// Every offset and word is looked at: that is little beside the alignment.
void check_documents(const Documents& d, std::size_t vocabulary) {
    const std::size_t documents = count_rows_of("hyp_offsets", d.hyp_offsets);
    check_offsets("hyp_offsets", d.hyp_offsets, documents, d.hyp.size());
    check_offsets("document_offsets", d.document_offsets, documents, count_rows_of("segment_offsets", d.segment_offsets));
    check_offsets("segment_offsets", d.segment_offsets, d.segment_offsets.size() - 1,
                  count_rows_of("reference_offsets", d.reference_offsets));
    check_offsets("reference_offsets", d.reference_offsets, d.reference_offsets.size() - 1, d.words.size());
    check_rows("hyp_offsets", d.hyp_offsets);
    check_rows("document_offsets", d.document_offsets, 1);
    check_rows("segment_offsets", d.segment_offsets, 1);
    check_rows("reference_offsets", d.reference_offsets);
    check_optional_length("breaks", d.breaks.size(), d.hyp.size() + documents);
    check_optional_length("forbidden", d.forbidden.size(), d.hyp.size() + documents);
    check_optional_length("marks", d.marks.size(), vocabulary);
    check_below("hyp", d.hyp, vocabulary);
    check_below("words", d.words, vocabulary);
}

// Segments (end, chosen reference, substitutions, insertions, deletions), documents (distance,
// words, fewest and most words), runs of places (by segment how many; first, last), and steps (by
// segment how many; operation, hypothesis word, reference word).
using StreamArrays = std::tuple<Matrix<Index>, Matrix<Index>, Array<Index>, Matrix<Index>, Array<Index>, Matrix<Index>>;

StreamArrays resegment(Column<WordId> hyp, Column<Index> hyp_offsets, Column<WordId> words, Column<Index> reference_offsets,
                       Column<Index> segment_offsets, Column<Index> document_offsets, Column<std::uint8_t> breaks,
                       Column<std::uint8_t> forbidden, Column<std::uint8_t> marks, std::size_t vocabulary, int ties,
                       std::array<Index, 3> costs, bool peer_row, bool integers, bool plain, bool ambiguity, bool alignment,
                       std::size_t memory) {
    const Documents documents{
        all(hyp),    all(hyp_offsets), all(words), all(reference_offsets), all(segment_offsets), all(document_offsets),
        all(breaks), all(forbidden),   all(marks)};
    check_documents(documents, vocabulary);
    check_between("ties", ties, 0, static_cast<int>(Ties::latest));
    for (const Index cost : costs) check_between("costs", cost, Index{1}, Index{1} << 31);
    const std::size_t count = documents.size();
    StreamSettings o;
    o.ties = static_cast<Ties>(ties);
    o.substitution = costs[0], o.insertion = costs[1], o.deletion = costs[2];
    o.peer_row = peer_row, o.integers = integers, o.plain = plain, o.ambiguity = ambiguity, o.alignment = alignment;
    o.memory = memory / std::clamp<std::size_t>(count, 1, thread_count.load());
    std::vector<StreamResult> results(count);
    run(count, documents.work(), [&, solvers = StreamSolvers()](std::size_t d, const Stop& stop) mutable {
        solvers.solve(documents[d], o, vocabulary, stop, results[d]);
    });
    return {stack<5>(results,
                     [](const StreamResult& one, auto&& push) {
                         for (std::size_t k = 0; k < one.ends.size(); ++k) {
                             const SegmentCounts& c = one.counts[k];
                             push({one.ends[k], one.chosen[k], c.substitutions, c.insertions, c.deletions});
                         }
                     }),
            stack<4>(results, [](const StreamResult& one,
                                 auto&& push) { push({one.distance, one.words, one.fewest_words, one.most_words}); }),
            join<&StreamResult::run_counts>(results),
            stack<2>(results,
                     [](const StreamResult& one, auto&& push) {
                         for (const Band& run : one.runs)
                             push({static_cast<Index>(run.first), static_cast<Index>(run.last)});
                     }),
            join<&StreamResult::step_counts>(results),
            stack<3>(results, [](const StreamResult& one, auto&& push) {
                for (const StreamStep& step : one.steps) push({static_cast<Index>(step.op), step.hyp, step.ref});
            })};
}

}  // namespace

void bind_streams(nb::module_& m) {
    m.def("resegment", &resegment, "hyp"_a.noconvert(), "hyp_offsets"_a.noconvert(), "words"_a.noconvert(),
          "reference_offsets"_a.noconvert(), "segment_offsets"_a.noconvert(), "document_offsets"_a.noconvert(),
          "breaks"_a.noconvert(), "forbidden"_a.noconvert(), "marks"_a.noconvert(), "vocabulary"_a, "ties"_a, "costs"_a,
          "peer_row"_a, "integers"_a, "plain"_a, "ambiguity"_a, "alignment"_a, "memory"_a);
}

}  // namespace fencepost
