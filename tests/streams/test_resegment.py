"""Re-segmentation from texts to scores: printed numbers, a peer's data, laws, and bad input."""

import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

import fencepost as fp
import support
from fencepost._version import VERSION
from fencepost.metrics import wer
from fencepost.metrics.signature import Signature
from fencepost.model.checks import FencepostError, MetricError
from fencepost.streams.alignment import align
from fencepost.streams.documents import (
    ReferenceDocument,
    ReferenceSet,
    Segment,
    Stream,
    StreamError,
    StreamSet,
    TimedWord,
)
from fencepost.streams.inputs import read_references, read_streams
from fencepost.streams.outputs import to_text
from fencepost.streams.placement import _shared_words, misplaced
from fencepost.streams.scoring import score_stream
from fencepost.streams.tokens import TokenError
from oracle import stream as oracle
from oracle import stream_measures as measures
from streaming import laid_out

# Golden numbers. Table 4 of Matusov et al. (2005): references, the segmentation people made, and
# the one the paper's algorithm found.

TABLE_4 = [
    ("that only leaves me", "the only thing left for me to do"),
    ("to invite Mister Barroso", "is to invite Mr Barroso"),
    ("but as soon as possible", "but as soon as possible"),
    ("they put to us", "a proposal"),
    ("a motion on whether Parliament", "on which the Parliament"),
]
MANUAL = [
    "I can only but that as soon as possible",
    "invite Mister Barroso",
    "but that as soon as possible",
    "we propose",
    "a proposal on which Parliament",
]
FOUND = [
    "I can only but that",
    "as soon as possible invite Mister Barroso",
    "but that as soon as possible we propose",
    "a proposal",
    "on which Parliament",
]
TOY = [("the cat sat", "a cat sat down"), ("on the mat", "upon the mat")]


def places(found):
    return [own.tolist() for own in found.ambiguity.places]


def own_words(found):
    """The words of the hypothesis' own lines, as they were compared."""
    cut = found.under("given")
    known = found.tokens.vocabulary
    return [[known[i] for i in cut.hyp[a:b].tolist()] for a, b in pairwise(cut.hyp_offsets)]


def own_texts(found):
    return found.under("given").texts[0]


def operations(found):
    return [found.operations(i) for i in range(len(found.pieces))]


def segmentation_error(found):
    return score_stream(found, "segmentation_error_rate")


def test_table_4_as_one_stream():
    found = fp.resegment(TABLE_4, " ".join(FOUND))
    assert (found.distance, found.reference_words) == (12, 19)
    assert f"{100 * found.as_wer.value:.4f}" == "63.1579"
    assert found.as_wer.value == 12 / 19
    assert found.segments == FOUND
    assert found.boundaries == [5, 12, 20, 22]
    assert places(found) == [[5, 6, 7, 8], [12], [18, 19, 20], [22]]
    assert (found.ambiguity.certain, len(found.ambiguity)) == (2, 4)
    assert found.ambiguity.as_wer == (12 / 19, 12 / 19)
    assert found.chosen == [1, 1, 1, 2, 2]
    assert (found.words_in, found.words_out, found.empty_segments) == (25, 25, 0)
    assert repr(found) == ("<Resegmentation of 25 words into 5 segments: 12 edits, AS-WER 0.6316>")
    counts = found.as_wer.counts
    assert counts["distance"] == 12 == sum(p.edits for p in found.pieces)
    assert [p.edits for p in found.pieces] == [4, 4, 3, 0, 1]


def test_table_4_against_the_manual_segmentation():
    found = fp.resegment(TABLE_4, MANUAL)
    assert to_text(found.pieces).splitlines() == FOUND
    assert found.has_own_lines
    assert own_words(found) == [line.lower().split() for line in MANUAL]
    assert own_texts(found) == MANUAL
    error = segmentation_error(found)
    assert error.value == 14 / 25
    assert error.counts["hypothesis_words"] == 25
    # The paper's example as the command line shows it.
    assert f"{score_stream(found, 'bleu'):.2f}" == "24.86"


@pytest.mark.parametrize("ties", ["earliest", "latest"])
def test_only_the_rule_of_the_rwth_tool_gives_table_4(ties):
    found = fp.resegment(TABLE_4, " ".join(FOUND), ties=ties)
    assert found.distance == 12
    assert found.segments != FOUND
    assert found.as_wer.signature.fields["ties"] == ties


def test_the_first_three_rows_of_table_4_in_lower_case():
    refs = [tuple(text.lower() for text in own) for own in TABLE_4[:3]]
    lines = [line.lower() for line in MANUAL[:3]]
    found = fp.resegment(refs, lines)
    assert found.words_in == 18
    assert (found.distance, found.reference_words) == (9, 13)
    assert score_stream(found, "per").value == 8 / 13
    assert f"{score_stream(found, 'bleu'):.2f}" == "26.78"
    assert f"{score_stream(found, 'nist'):.4f}" == "2.3968"
    assert segmentation_error(found).value == 8 / 18


def test_the_toy():
    found = fp.resegment(TOY, "the cat sat down on a mat")
    assert (found.distance, found.reference_words) == (2, 6)
    assert found.as_wer.value == 2 / 6
    # The same two edits are over six words or over seven: the second reference ties.
    assert found.ambiguity.as_wer == (2 / 7, 2 / 6)
    assert score_stream(found, "per").value == 2 / 7
    assert score_stream(found, "per").signature.fields["reading"] == "rate"
    assert f"{score_stream(found, 'bleu'):.2f}" == "64.35"
    assert f"{score_stream(found, 'nist'):.4f}" == "3.3671"


def test_a_leading_empty_segment_costs_what_it_should():
    found = fp.resegment(["a b", "c d"], "c d")
    assert (found.segments, found.distance, found.as_wer.value) == (["", "c d"], 2, 0.5)
    assert found.empty_segments == 1
    old = fp.resegment(["a b", "c d"], "c d", like="mwersegmenter")
    assert (old.segments, old.distance, old.as_wer.value) == (["c", "d"], 3, 0.75)
    assert old.as_wer.signature.fields["like"] == "mwersegmenter"


@pytest.mark.parametrize("nothing", ["", " \n\t", [], ["", ""]])
def test_an_empty_hypothesis_is_wrong_altogether(nothing):
    found = fp.resegment(["a b", "c"], nothing)
    assert (found.distance, found.as_wer.value) == (3, 1.0)
    assert found.segments == ["", ""]
    assert (found.words_in, found.words_out, found.empty_segments) == (0, 0, 2)
    assert [p.deletions for p in found.pieces] == [2, 1]
    assert score_stream(found, "per").value == 1.0
    assert score_stream(found, "nist").value == 0.0
    assert score_stream(found, "bleu").value == 0.0
    assert places(found) == [[0]]
    assert all(len(corpus) == 0 for corpus in found.segmentations())


@pytest.mark.parametrize("hypothesis", ["", "a b"])
def test_without_reference_words_rates_are_undefined(hypothesis):
    found = fp.resegment(["", ("", "")], hypothesis)
    assert math.isnan(found.as_wer.value)
    assert found.as_wer.counts["reference_words"] == 0
    assert all(math.isnan(value) for value in found.ambiguity.as_wer)
    assert all(math.isnan(score_stream(found, name).value) for name in ("per", "nist"))
    assert "AS-WER nan" in repr(found)
    assert "".join(found.segments).split() == hypothesis.split()


# The regression data of another tool: its texts and what it expects, run with our words.


@pytest.fixture
def regression():
    return support.data_folder("mweralign-regression")


def peer_case(folder, tokenizer):
    ids = folder / "docids.txt"
    refs = read_references(folder / "ref.txt", docids=ids if ids.exists() else None)
    hyp = read_streams(folder / "hyp.txt", references=refs)
    if "--score" in (folder / "cmd").read_text(encoding="utf-8"):  # a line is a segment
        hyp = (folder / "hyp.txt").read_text(encoding="utf-8").splitlines()
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    command = (folder / "cmd").read_text(encoding="utf-8")
    assert ("-m none" in command) == (tokenizer == "whitespace")
    return fp.resegment(refs, hyp, tokenizer=tokenizer), expected


@pytest.mark.parametrize("case", ["basic", "docids", "empty_ref", "whitespace_segment"])
def test_a_peer_cuts_words_at_the_same_places(regression, case):
    found, expected = peer_case(regression / case, "whitespace")
    assert to_text(found.pieces).splitlines() == [line.strip() for line in expected]


@pytest.mark.parametrize("case", ["cj", "cj_docids", "cj_errors", "cj_ja", "cj_underscore"])
def test_a_peer_cuts_characters_at_the_same_places(regression, case):
    found, expected = peer_case(regression / case, "words")
    assert to_text(found.pieces).splitlines() == [line.strip() for line in expected]


@pytest.mark.parametrize(
    ("case", "tokenizer"),
    [("score", "whitespace"), ("score_mixed", "whitespace"), ("score_cj", "words")],
)
def test_a_peer_counts_the_same_errors(regression, case, tokenizer):
    found, expected = peer_case(regression / case, tokenizer)
    rows = [
        tuple(int(re.search(rf"\b{name}=(\d+)", line)[1]) for name in "SIDN")
        for line in expected[:-1]
    ]
    counts = wer.recipe(segments="given").count(found)
    assert [tuple(row) for row in counts.tolist()] == rows
    errors, words = re.search(r"errors=(\d+) ref_words=(\d+)", expected[-1]).groups()
    total = score_stream(found, "wer:segments=given")
    assert total.value == int(errors) / int(words)
    assert found.distance <= int(errors)  # other boundaries may do better than the lines


# Laws.

words = st.lists(st.sampled_from("abcd"), max_size=4).map(tuple)
references = st.lists(st.one_of(words, st.none()), min_size=1, max_size=3).filter(
    lambda own: any(ref is not None for ref in own)
)
segments = st.lists(references, min_size=1, max_size=4)
lines = st.lists(st.lists(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=4)
TIES = ("rwth", "earliest", "latest")


def as_texts(segments):
    return [
        tuple(None if ref is None else " ".join(ref) for ref in references)
        for references in segments
    ]


def as_lines(lines):
    return [" ".join(line) for line in lines]


def there(segments):
    return [[ref for ref in own if ref is not None] for own in segments]


def flat(lines):
    return [word for line in lines for word in line]


@given(segments, lines, st.sampled_from(TIES))
def test_what_was_found_is_the_least_and_adds_up(segments, lines, ties):
    hyp = flat(lines)
    found = fp.resegment(as_texts(segments), as_lines(lines), ties=ties)
    # The least, by the textbook and by the kernel.
    assert found.distance == oracle.columns(hyp, there(segments))[-1][-1]
    same = align(laid_out([(hyp, there(segments))]), ties=ties)
    assert found.distance == same.distance[0]
    assert found.reference_words == same.words[0]
    assert [*found.boundaries, len(hyp)] == same.ends.tolist()
    # Segment by segment.
    pieces = found.pieces
    assert len(pieces) == len(found.segments) == len(found.words) == len(segments)
    assert found.distance == sum(piece.edits for piece in pieces)
    assert all(a <= b for a, b in pairwise([0, *found.boundaries, len(hyp)]))
    assert flat(found.words) == hyp == flat(text.split() for text in found.segments)
    for piece, own, heard, reference in zip(
        pieces, found.words, found.segments, segments, strict=True
    ):
        assert own == hyp[piece.first_token : piece.last_token] == heard.split()
        chosen = reference[piece.chosen - 1]
        assert chosen is not None
        assert piece.reference == " ".join(chosen)
        distances = [oracle.edit_distance(own, ref) for ref in reference if ref is not None]
        assert piece.edits == min(distances) == oracle.edit_distance(own, chosen)
        assert piece.insertions - piece.deletions == len(own) - len(chosen)
    assert found.chosen == [piece.chosen for piece in pieces]
    assert found.reference_words == sum(len(piece.reference.split()) for piece in pieces)
    assert found.empty_segments == sum(not text for text in found.segments)
    assert (found.words_in, found.words_out) == (len(hyp), len(hyp))


@given(segments, lines)
def test_operations_lead_from_the_reference_to_the_words(segments, lines):
    hyp = flat(lines)
    found = fp.resegment(as_texts(segments), as_lines(lines))
    heard = []
    for piece, steps in zip(found.pieces, operations(found), strict=True):
        names = [what for what, _, _ in steps]
        assert names.count("substitution") == piece.substitutions
        assert names.count("insertion") == piece.insertions
        assert names.count("deletion") == piece.deletions
        reference = piece.reference.split()
        assert [r for _, _, r in steps if r is not None] == list(range(len(reference)))
        for what, h, r in steps:
            assert (h is None) == (what == "deletion")
            assert (r is None) == (what == "insertion")
            if h is not None and r is not None:
                assert (hyp[h] == reference[r]) == (what == "match")
        heard += [h for _, h, _ in steps if h is not None]
    assert heard == list(range(len(hyp)))


@given(segments, lines)
def test_ambiguity_is_every_optimum(segments, lines):
    hyp = flat(lines)[:7]
    found = fp.resegment(as_texts(segments), " ".join(hyp))
    every = oracle.Every(hyp, there(segments))
    optima = list(every.optima())
    assert (*found.boundaries, len(hyp)) in optima
    assert places(found) == [sorted({ends[k] for ends in optima}) for k in range(len(segments) - 1)]
    assert all(now in own for now, own in zip(found.boundaries, places(found), strict=True))
    assert found.ambiguity.certain == sum(len(own) == 1 for own in places(found))
    ranges = [every.words(ends) for ends in optima]
    fewest, most = min(low for low, _ in ranges), max(high for _, high in ranges)
    low, high = found.ambiguity.as_wer
    assert low == (found.distance / most if most else pytest.approx(math.nan, nan_ok=True))
    assert high == (found.distance / fewest if fewest else pytest.approx(math.nan, nan_ok=True))
    if fewest:
        assert low <= found.as_wer.value <= high


@given(segments, lines, st.sampled_from(TIES))
def test_breaks_are_preferred_among_optima_only(segments, lines, ties):
    hyp = flat(lines)[:7]

    ends = np.cumsum([len(line) for line in lines])[:-1].tolist()
    texts = as_lines([hyp[a:b] for a, b in pairwise([0, *ends, len(hyp)])])
    plain = fp.resegment(as_texts(segments), texts, ties=ties)
    preferred = fp.resegment(as_texts(segments), texts, ties=ties, prefer="breaks")
    assert preferred.distance == plain.distance
    own = {min(end, len(hyp)) for end in ends}

    def used(boundaries):
        return sum(place in own for place in boundaries)

    assert used(preferred.boundaries) >= used(plain.boundaries)
    optima = oracle.Every(hyp, there(segments)).optima()
    assert used(preferred.boundaries) == max(used(best[:-1]) for best in optima)
    assert preferred.as_wer.signature.fields["prefer"] == "breaks"
    assert "prefer" not in plain.as_wer.signature.fields
    # All optima count, whatever is preferred.
    assert places(preferred) == places(plain)


@pytest.mark.slow
@given(
    st.dictionaries(st.sampled_from("pqrs"), st.tuples(segments, lines), min_size=1),
    st.randoms(use_true_random=False),
)
def test_documents_in_any_order_are_the_single_documents(documents, random):
    refs = {name: as_texts(own) for name, (own, _) in documents.items()}
    names = list(documents)
    random.shuffle(names)
    found = fp.resegment(refs, {name: as_lines(documents[name][1]) for name in names})
    alone = {
        name: fp.resegment(as_texts(own), as_lines(heard))
        for name, (own, heard) in documents.items()
    }
    assert found.documents == [name for name, (own, _) in documents.items() for _ in own]
    for what in ("segments", "boundaries", "chosen", "words"):
        assert getattr(found, what) == flat(getattr(one, what) for one in alone.values())
    for what in ("distance", "reference_words", "words_in", "words_out", "empty_segments"):
        assert getattr(found, what) == sum(getattr(one, what) for one in alone.values())
    assert operations(found) == flat(operations(one) for one in alone.values())
    assert places(found) == flat(places(one) for one in alone.values())
    assert [p.number for p in found.pieces] == flat(
        range(1, len(own) + 1) for own, _ in documents.values()
    )
    assert found.has_own_lines == all(one.has_own_lines for one in alone.values())
    if found.has_own_lines:
        assert own_words(found) == flat(own_words(one) for one in alone.values())
        assert own_texts(found) == flat(own_texts(one) for one in alone.values())


# Spaces of all sorts, marks that are words or stick to words, capitals, Han, combining marks.
strange = st.text(st.sampled_from("abA 　\n\t.,!?…'-\"(«»)这是ä́\0</s>é_"), max_size=25)


@given(
    st.lists(st.lists(strange, min_size=1, max_size=2).map(tuple), min_size=1, max_size=4),
    st.one_of(strange, st.lists(strange, min_size=1, max_size=4)),
    st.sampled_from(("words", "characters", "whitespace", "13a")),
    st.sampled_from(("fold", "keep")),
    st.sampled_from(("keep", "remove")),
    st.sampled_from((None, "breaks")),
)
def test_what_goes_in_comes_out(refs, hypothesis, tokenizer, case, punctuation, prefer):
    text = hypothesis if isinstance(hypothesis, str) else "\n".join(hypothesis)

    try:
        found = fp.resegment(
            refs, hypothesis, tokenizer=tokenizer, case=case, punctuation=punctuation,
            prefer=prefer,
        )  # fmt: skip
    except TokenError:  # Han without spaces
        assert tokenizer in ("whitespace", "13a")
        return
    pieces = found.pieces
    assert len(pieces) == len(refs)
    assert "".join("".join(found.segments).split()) == "".join(text.split())
    assert [piece.text for piece in pieces] == [text[p.start : p.end] for p in pieces]
    assert all(piece.text == piece.text.strip() for piece in pieces)
    assert all(a.end <= b.start for a, b in pairwise(pieces))
    assert all(a.last_token == b.first_token for a, b in pairwise(pieces))
    assert found.words_in == found.words_out == len(found.tokens[0])
    assert found.distance == sum(piece.edits for piece in pieces)
    fields = found.as_wer.signature.fields
    assert (fields["tok"], fields["case"], fields["punct"]) == (tokenizer, case, punctuation)


@given(segments, lines)
def test_case_and_punctuation_change_what_is_equal(segments, lines):
    texts = as_texts(segments)
    plain = fp.resegment(texts, as_lines(lines))
    shouted = [" ".join(f"{word.upper()}!" for word in line) for line in lines]
    found = fp.resegment(texts, shouted, punctuation="remove")
    assert found.boundaries == plain.boundaries
    assert found.distance == plain.distance
    # The output keeps what was written.
    assert flat(text.split() for text in found.segments) == flat(text.split() for text in shouted)
    kept = fp.resegment(texts, shouted, punctuation="remove", case="keep")
    assert kept.distance >= found.distance
    marked = fp.resegment(texts, shouted, punctuation="keep")
    assert marked.words_in == 2 * plain.words_in
    assert marked.distance >= plain.distance


def test_case_folds_by_unicode():
    found = fp.resegment(["die Straße", "ΣΊΣΥΦΟΣ"], "DIE STRASSE σίσυφος")
    assert found.as_wer.value == 0
    assert found.segments == ["DIE STRASSE", "σίσυφος"]
    assert fp.resegment(["die Straße"], "DIE STRASSE", case="keep").as_wer.value == 1


def test_punctuation_that_is_not_compared_stays_with_its_words():
    refs = ["hello there", "what now", "nothing"]
    found = fp.resegment(refs, "Hello, there! «What now?» (nothing).", punctuation="remove")
    assert found.segments == ["Hello, there!", "«What now?»", "(nothing)."]
    assert found.as_wer.value == 0
    alone = fp.resegment(["a", "b"], "...", punctuation="remove")
    assert (sorted(alone.segments), alone.words_in) == (["", "..."], 0)


def test_no_boundary_falls_inside_a_word():
    found = fp.resegment(["ab", "cd"], "abcd", tokenizer="characters")
    assert sorted(found.segments) == ["", "abcd"]
    assert found.distance == 4
    by_function = fp.resegment(["a b", "c"], "a b c", tokenizer=str.split)
    assert by_function.segments == ["a b", "c"]
    assert by_function.as_wer.signature.fields["tok"] == "split"


def test_weighted_costs():
    # A substitution for the price of two steps is no longer the only way.
    found = fp.resegment(["a b", "c"], "a x c", costs=(5, 1, 1))
    assert found.distance == 2
    assert [(p.substitutions, p.insertions, p.deletions) for p in found.pieces] == [
        (0, 1, 1),
        (0, 0, 0),
    ]
    assert found.as_wer.signature.fields["costs"] == "5,1,1"


# What the stream itself says: lines, pauses, sentences, times.


@pytest.mark.parametrize(
    ("hypothesis", "preferred"),
    [
        (["a x", "b"], ["a x", "b"]),
        (["a", "x b"], ["a", "x b"]),
        ("a x. b", ["a x.", "b"]),
        ("a? x b", ["a?", "x b"]),
        ("a x!” b", ["a x!”", "b"]),
    ],
)
def test_breaks_are_line_ends_and_sentence_ends(hypothesis, preferred):
    settings = {"punctuation": "remove", "prefer": "breaks"}
    # x is extra and may stand on either side.
    for ties in TIES:
        found = fp.resegment(["a", "b"], hypothesis, ties=ties, **settings)
        assert places(found) == [[1, 2]]
        assert to_text(found.pieces).splitlines() == preferred


@pytest.mark.parametrize(
    ("silence", "segments"), [(0.5, ["a x", "b"]), (0.9, ["a x", "b"]), (0.4, None)]
)
def test_a_pause_is_a_break(silence, segments):
    times = (TimedWord(0, 1, 0, 1), TimedWord(2, 3, 1, 2), TimedWord(4, 5, 2 + silence, 4))
    stream = StreamSet((Stream(None, "a x b", (), times),))
    found = fp.resegment(["a", "b"], stream, prefer="breaks", ties="earliest")
    assert found.segments == (segments or ["a", "x b"])


@pytest.mark.parametrize(("end", "start"), [(None, 9.0), (1.0, None), (None, None)])
def test_there_is_no_pause_beside_a_word_without_times(end, start):
    times = (TimedWord(0, 1, 0, 1), TimedWord(2, 3, 1, end), TimedWord(4, 5, start, 12))
    stream = StreamSet((Stream(None, "a x b", (), times),))
    found = fp.resegment(["a", "b"], stream, prefer="breaks", ties="earliest")
    assert found.segments == ["a", "x b"]


@given(segments, lines)
def test_times_and_delays_go_with_their_words(segments, lines):
    hyp = flat(lines)
    text = "  ".join(hyp)
    known = tuple(
        TimedWord(3 * i, 3 * i + 1, i, i + 0.5, delay=i + 1, elapsed=i + 1.5, speaker=f"s{i % 2}")
        for i in range(len(hyp))
    )
    found = fp.resegment(as_texts(segments), StreamSet((Stream("t", text, (), known),)))
    assert flat(piece.words for piece in found.pieces) == list(known)
    for piece in found.pieces:
        assert piece.words == known[piece.first_token : piece.last_token]
        assert [text[w.first : w.last] for w in piece.words] == piece.text.split()


def test_a_line_that_is_timed_as_one_is_in_every_segment_it_reaches():
    known = (TimedWord(0, 3, 0, 1), TimedWord(4, 7, 1, 2))
    found = fp.resegment(["a", "b c", "d"], StreamSet((Stream(None, "a b c d", (4,), known),)))
    assert [[w.start for w in piece.words] for piece in found.pieces] == [[0], [0, 1], [1]]


def test_segments_keep_what_is_known_of_them():
    known = [Segment((text,), f"s{i}", i, i + 1, "anna") for i, text in enumerate(("a b", "c"))]
    document = ReferenceDocument("t", tuple(known), "t.wav")
    found = fp.resegment(ReferenceSet((document,)), {"x/t.wav": "a b c"})
    assert [piece.segment for piece in found.pieces] == known
    assert {piece.document for piece in found.pieces} == {"t"}
    assert found.table().column("hypothesis") == ["a b", "c"]
    assert found.table().column("edits") == [0, 0]


# Its own boundaries.

NO_LINES = "the hypothesis has no line of its own for each segment of the references"


def refuses(sentence, kind=StreamError):
    return pytest.raises(kind, match=re.escape(sentence))


@given(segments, lines)
def test_given_lines_are_there_where_they_match(segments, lines):
    found = fp.resegment(as_texts(segments), as_lines(lines))
    if len(lines) == len(segments):
        assert found.has_own_lines
        assert own_words(found) == lines
        assert own_texts(found) == as_lines(lines)
        error = segmentation_error(found)
        edits = sum(
            sum(measures.edits(own, line)) for own, line in zip(found.words, lines, strict=True)
        )
        hyp = flat(lines)
        if hyp:
            assert error.value == edits / len(hyp)
        else:
            assert math.isnan(error.value)
    else:
        assert not found.has_own_lines
        with refuses(NO_LINES, MetricError):
            found.under("given")
        for name in ("segmentation_error_rate", "wer:segments=given", "bleu:segments=given"):
            metric = name.partition(":")[0]
            with refuses(f"{metric}: {NO_LINES}", MetricError):
                score_stream(found, name)


@given(segments, lines)
def test_segmentations_are_over_the_words_of_the_hypothesis(segments, lines):
    hyp = flat(lines)
    found = fp.resegment(as_texts(segments), as_lines(lines))
    corpora = found.segmentations()
    if not hyp:
        assert [len(corpus) for corpus in corpora] == [0, 0]
        return
    ends = np.cumsum([len(line) for line in lines])[:-1].tolist()
    for corpus, places in zip(corpora, (found.boundaries, ends), strict=True):
        (one,) = corpus.entries.values()
        assert one.units == len(hyp)
        assert one.places.tolist() == sorted({p for p in places if 0 < p < len(hyp)})


@pytest.mark.parametrize("metric", ["windowdiff", "pk", "B", "A", "F"])
def test_own_boundaries_are_scored_against_the_found_ones(metric):
    refs = ["the cat sat", "on the mat", "and it slept"]
    found, own = fp.resegment(refs, ["a cat sat on", "the mat", "and slept it did"]).segmentations()
    perfect = 0 if metric in ("windowdiff", "pk") else 1

    def value(ref, hyp):
        return fp.score(ref, {"x": hyp}, metrics=[metric], baselines=False)[0]["value"]

    assert value(own, own) == value(found, found) == perfect
    assert value(found, own) != perfect
    right = fp.resegment(refs, ["a cat sat", "on the mat", "and slept it did"]).segmentations()
    assert value(*right) == perfect


# Metrics of words.


def whole(segments):
    """Document r of the references has the r-th of each segment, or its first."""
    size = max(map(len, segments))
    filled = []
    for own in segments:
        first = next(ref for ref in own if ref is not None)
        padded = [*own, *[None] * (size - len(own))]
        filled.append([first if ref is None else ref for ref in padded])
    return [[word for ref in column for word in ref] for column in zip(*filled, strict=True)]


def chopped(hyp, segments, even=False):
    lengths = [Fraction(sum(map(len, own)), len(own)) for own in there(segments)]
    if even or not any(lengths):
        lengths = [Fraction(1)] * len(lengths)
    return [hyp[a:b] for a, b in pairwise(measures.chopped(len(hyp), lengths))]


def same(score, expected):
    if expected is None or math.isnan(expected):
        return math.isnan(score.value)
    return score.value == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(st.tuples(segments, lines), min_size=1, max_size=3))
def test_metrics_of_words_on_every_sort_of_segments(documents):
    refs = {str(i): as_texts(own) for i, (own, _) in enumerate(documents)}
    found = fp.resegment(refs, {str(i): as_lines(own) for i, (_, own) in enumerate(documents)})
    segments = flat(own for own, _ in documents)
    sorts = {
        "found": (found.words, segments),
        "document": ([flat(own) for _, own in documents], [whole(own) for own, _ in documents]),
        "chopped": (flat(chopped(flat(h), own) for own, h in documents), segments),
        "chopped-mean": (flat(chopped(flat(h), own, True) for own, h in documents), segments),
    }
    if all(len(own) == len(heard) for own, heard in documents):
        sorts["given"] = (flat(heard for _, heard in documents), segments)
    else:
        with refuses(NO_LINES, MetricError):
            score_stream(found, "per:segments=given")
    for on, (hyps, own) in sorts.items():
        for name in ("wer", "per"):
            score = score_stream(found, f"{name}:segments={on}")
            assert same(score, measures.error_rate(name, hyps, own, "rate"))
            assert score.signature.fields["reading"] == "rate"
        assert same(score_stream(found, f"nist:segments={on}"), measures.nist(hyps, own))
    rate = measures.error_rate("wer", found.words, segments, "count")
    assert found.distance == sum(
        min(measures.d_wer(own, ref) for ref in refs if ref is not None)
        for own, refs in zip(found.words, segments, strict=True)
    )
    # Of equal references the alignment takes the first, as the reading does.
    assert same(found.as_wer, rate)
    assert same(score_stream(found, "as_wer"), rate)
    assert same(score_stream(found, "wer:reading=count"), rate)


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("refs", [TABLE_4, [*TABLE_4[:4], (TABLE_4[4][0], None)]])
def test_sacrebleu_has_the_say_over_its_metrics(name, refs):
    found = fp.resegment(refs, MANUAL)
    make = {"bleu": sacrebleu.BLEU, "chrf": sacrebleu.CHRF, "ter": sacrebleu.TER}[name]
    columns = [list(column) for column in zip(*refs, strict=True)]
    for on, texts in (("found", found.segments), ("given", MANUAL)):
        metric = make()
        expected = metric.corpus_score(texts, columns)
        recipe = fp.parse(f"{name}:segments={on}")
        score = score_stream(found, recipe)
        assert score.value == expected.score
        peer = recipe.metric.peer(recipe, found.context().refs)
        assert peer == f"{expected.name}|{metric.get_signature()}"
        assert "fencepost" not in peer
    # Documents: the first reference stands where there is no second.
    metric = make()
    filled = [[text or own[0] for text in own] for own in refs]
    documents = [[" ".join(column)] for column in zip(*filled, strict=True)]
    expected = metric.corpus_score([" ".join(MANUAL)], documents)
    assert score_stream(found, f"{name}:segments=document").value == expected.score


def test_chopping_cuts_texts_and_words_at_the_same_places():
    found = fp.resegment(TABLE_4, " ".join(FOUND))
    refs = [[text.lower().split() for text in own] for own in TABLE_4]
    parts = chopped(" ".join(FOUND).split(), refs)
    columns = [list(column) for column in zip(*TABLE_4, strict=True)]
    expected = sacrebleu.BLEU().corpus_score([" ".join(part) for part in parts], columns).score
    assert score_stream(found, "bleu:segments=chopped").value == expected


COMMON = {"tok": "words", "case": "fold", "punct": "keep", "norm": "nfkc"}


@pytest.mark.parametrize(
    ("metric", "name", "fields"),
    [
        ("as_wer", "as_wer", {}),
        ("per", "per", {"reading": "rate"}),
        ("as_per", "per", {"reading": "rate"}),
        ("nist", "nist", {}),
        ("wer:segments=given", "wer", {"reading": "rate", "segments": "given"}),
        ("nist:segments=given", "nist", {"segments": "given"}),
        ("wer:segments=document", "wer", {"reading": "rate", "segments": "document"}),
        ("per:segments=chopped", "per", {"reading": "rate", "segments": "chopped"}),
        ("seger", "segmentation_error_rate", {}),
    ],
)
def test_signatures_say_what_was_done(metric, name, fields):
    signature = score_stream(fp.resegment(TABLE_4, MANUAL), metric).signature
    assert isinstance(signature, Signature)
    assert signature.metric == name
    always = {"ties": "rwth", "refs": "2", "fencepost": VERSION}
    assert signature.fields == {**COMMON, **fields, **always}


def test_the_signature_of_as_wer_names_every_setting():
    refs = [("a", "b"), ("c", None)]
    found = fp.resegment(
        refs, "a c", ties="latest", prefer="breaks", costs=(2, 1, 1), tokenizer="whitespace",
        case="keep", punctuation="remove",
    )  # fmt: skip
    assert found.as_wer.signature == (
        "as_wer|ties:latest|prefer:breaks|costs:2,1,1|tok:whitespace|case:keep|punct:remove"
        f"|norm:nfkc|refs:1-2|fencepost:{VERSION}"
    )
    plain = fp.resegment(TABLE_4, " ".join(FOUND)).as_wer.signature
    assert plain == (
        f"as_wer|ties:rwth|tok:words|case:fold|punct:keep|norm:nfkc|refs:2|fencepost:{VERSION}"
    )
    error = segmentation_error(fp.resegment(TABLE_4, MANUAL)).signature
    assert (error.metric, error.fields["ties"]) == ("segmentation_error_rate", "rwth")


# Several systems: Table 2 of the paper.


def test_systems_beside_each_other():
    systems = {"stream": " ".join(FOUND), "people": MANUAL, "found": FOUND}
    metrics = ("as_wer", "wer", "per", "bleu", "nist", "segmentation_error_rate")
    table = fp.score_streams(TABLE_4, systems, metrics=metrics)
    assert table.columns == (
        "system", "reference", "metric", "value", "low", "high", "unit", "n", "undefined",
        "average", "segments", "detail", "sacrebleu", "signature",
    )  # fmt: skip
    for name, lines in systems.items():
        own = table.where(system=name)
        alone = fp.resegment(TABLE_4, lines)
        for metric in ("wer", "per", "bleu", "nist"):
            scale = 100 if metric in ("wer", "per") else 1
            for on in ("found", "given"):
                values = own.where(metric=metric, segments=on).column("value")
                if on == "given" and not alone.has_own_lines:
                    assert values == []
                else:
                    expected = score_stream(alone, f"{metric}:segments={on}")
                    assert values == [scale * expected.value]
        assert own.where(metric="as_wer").column("value") == [100 * 12 / 19]
    # Only where lines match the references is there something to compare.
    errors = table.where(metric="segmentation_error_rate")
    assert [row["system"] for row in errors] == ["people", "found"]
    assert errors.column("value") == [100 * (14 / 25), 0.0]
    assert {row["system"] for row in table.where(segments="given")} == {"people", "found"}
    units = {row["metric"]: row["unit"] for row in table}
    assert units == {
        **dict.fromkeys(("as_wer", "wer", "per", "segmentation_error_rate"), "%"),
        **dict.fromkeys(("bleu", "nist"), ""),
    }
    first = table[0]
    assert first["detail"] == "12 edits / 19 words of the references chosen"
    bleu = table.where(system="stream", metric="bleu")[0]
    assert bleu["detail"] == "60.0/35.0/20.0/9.1, BP 1.000"


def test_the_usual_metrics_of_a_table():
    table = fp.score_streams(TABLE_4, {"people": MANUAL})
    assert [(row["metric"], row["segments"]) for row in table] == [
        ("as_wer", "found"),
        *((name, on) for name in ("per", "bleu", "nist") for on in ("found", "given")),
    ]


def test_systems_on_every_sort_of_segments_and_with_settings():
    sorts = ("found", "given", "document", "chopped")
    table = fp.score_streams(
        TABLE_4, {"a": MANUAL}, metrics=["as_wer", "wer", "seger"], segments=sorts, case="keep",
        ties="latest",
    )  # fmt: skip
    assert table.column("segments") == ["found", *sorts, "found"]
    assert table.column("metric") == ["as_wer", *["wer"] * 4, "segmentation_error_rate"]
    assert {Signature(s).fields["case"] for s in table.column("signature")} == {"keep"}
    assert {Signature(s).fields["ties"] for s in table.column("signature")} == {"latest"}
    only = fp.score_streams(TABLE_4, {"a": MANUAL}, metrics=["wer"], segments=["found"])
    assert len(only) == 1
    ready = fp.resegment(TABLE_4, MANUAL)
    assert fp.score_streams(TABLE_4, {"a": ready}) == fp.score_streams(TABLE_4, {"a": MANUAL})
    named = fp.score_streams(TABLE_4, {"a": MANUAL}, metrics="per:segments=chopped")
    assert named.column("segments") == ["chopped"]


# Bad input.


@pytest.mark.parametrize(
    ("references", "sentence"),
    [
        ([], "has no segments"),
        ({}, "the references are empty"),
        ({"d": []}, "document d has no segments"),
        ("a b", "references are a list of segments, each a text or a list of texts, found str"),
        (None, "references are a list of segments, each a text or a list of texts, found NoneType"),
        (7, "references are a list of segments, each a text or a list of texts, found int"),
        (["a", None], "segment 2: a reference is a text (or None), found None"),
        (["a", (None, None)], "segment 2 has no reference; an empty segment is an empty text"),
        (["a", ()], "segment 2: a reference is a text (or None), found ()"),
        ([b"a"], "segment 1: a reference is a text (or None), found b'a'"),
        ([["a", 3]], "segment 1: a reference is a text (or None), found ['a', 3]"),
    ],
)
def test_references_that_are_none(references, sentence):
    with refuses(sentence):
        fp.resegment(references, "a")


@pytest.mark.parametrize("hypothesis", [None, 3, b"a", ["a", None], {"d": 3}, [["a"]]])
def test_hypotheses_that_are_none(hypothesis):
    with refuses("a hypothesis is a text or a list of lines, found"):
        fp.resegment(["a"], hypothesis)


@pytest.mark.parametrize(
    ("references", "hypothesis", "sentence"),
    [
        ({"a": ["x"], "b": ["y"]}, {"a": "x"}, "lacks 1 of the 2 documents of the references (b)"),
        ({"a": ["x"]}, {"a": "x", "b": "y"}, "has 1 document that the references lacks (b)"),
        ({"a": ["x"], "b": ["y"]}, "x y", "has 1 stream without ids"),
        (["x", "y"], {"a": "x", "b": "y"}, "does not say which segments belong to which document"),
    ],
)
def test_documents_on_one_side_only(references, hypothesis, sentence):
    with refuses(sentence):
        fp.resegment(references, hypothesis)


def test_documents_that_nobody_heard_can_count_as_empty():
    refs = {"a": ["x"], "b": ["y z"]}
    found = fp.resegment(refs, {"a": "x"}, missing="whole")
    assert (found.segments, found.distance) == (["x", ""], 2)
    found = fp.resegment(refs, {"a": "x", "c": "y"}, missing="skip")
    assert (found.segments, found.distance) == (["x"], 0)
    with refuses("missing must be error, skip or whole, found 'empty'"):
        fp.resegment(refs, {"a": "x"}, missing="empty")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"ties": "first"}, "ties must be one of 'rwth', 'earliest', 'latest', found 'first'"),
        ({"ties": None}, "ties must be one of"),
        ({"prefer": "pauses"}, "prefer must be one of None, 'breaks', found 'pauses'"),
        ({"like": "mweralign"}, "like must be one of None, 'mwersegmenter', found 'mweralign'"),
        ({"costs": (0, 1, 1)}, "costs must be three whole numbers from 1 to 10,000"),
        ({"costs": (1, 1)}, "costs must be three whole numbers from 1 to 10,000"),
        ({"costs": (1.5, 1, 1)}, "costs must be three whole numbers from 1 to 10,000"),
        ({"case": "lower"}, "case must be fold or keep, found 'lower'"),
        ({"punctuation": "strip"}, "punctuation must be auto, keep or remove, found 'strip'"),
        ({"tokenizer": "mosess"}, 'no tokenizer "mosess"; there are words, whitespace, characters'),
        (
            {"tokenizer": 3},
            "a tokenizer is a name, the path of a SentencePiece model or",
        ),
        ({"like": "mwersegmenter", "costs": (2, 1, 1)}, "knows unit costs and no preference"),
        ({"like": "mwersegmenter", "prefer": "breaks"}, "knows unit costs and no preference"),
    ],
)
def test_settings_that_are_none(settings, sentence):
    with refuses(sentence, FencepostError):
        fp.resegment(["a"], "a", **settings)


def test_metrics_that_are_none():
    found = fp.resegment(["a"], "a")
    with refuses('no metric "blue"; did you mean bleu?', MetricError):
        score_stream(found, "blue")
    with refuses('no metric "blue"', MetricError):
        fp.score_streams(["a"], {"s": "a"}, metrics=["as_wer", "blue"])
    with refuses("windowdiff compares segmentations, not words", MetricError):
        score_stream(found, "windowdiff")
    with refuses("windowdiff compares segmentations, not words", MetricError):
        fp.score_streams(["a"], {"s": "a"}, metrics=["as_wer", "windowdiff"])
    with refuses("no metric is given", MetricError):
        fp.score_streams(["a"], {"s": "a"}, metrics=[])
    for systems, said in (({}, "an empty one"), ("a", "str"), (None, "NoneType"), (["a"], "list")):
        with refuses(f"systems are a dict of hypotheses by name, found {said}"):
            fp.score_streams(["a"], systems)


def test_systems_of_other_references_are_refused():
    ready = fp.resegment(["a b"], "a b")
    with refuses("t was aligned with other references than the systems before"):
        fp.score_streams(["a c"], {"s": "a c", "t": ready})


# sacrebleu has a list of lines for each reference, fencepost a list of references for each line.


@pytest.mark.parametrize("make", [list, tuple])
def test_lists_by_reference_are_refused(make):
    columns = make([list(column) for column in zip(*TABLE_4, strict=True)])
    with refuses(
        "found 2 lists of 5 texts: if each list is one reference, as sacrebleu has them, give "
        "list(zip(*references)); if each list is one segment with several references, give "
        "[tuple(one) for one in references]"
    ):
        fp.resegment(columns, " ".join(FOUND))
    with refuses("found 2 lists of 5 texts"):
        fp.score_streams(columns, {"a": MANUAL})
    with refuses("found 1 lists of 5 texts"):
        fp.resegment([columns[0]], " ".join(FOUND))
    turned = fp.resegment(list(zip(*columns, strict=True)), " ".join(FOUND))
    assert turned.as_wer.value == 12 / 19


def test_many_references_of_few_segments_are_tuples():
    own = ("a b", "a c", "a d")
    found = fp.resegment([own, own], "a c a d")
    assert (found.distance, found.chosen) == (0, [2, 3])
    # As many lists as texts in each are segments.
    assert len(fp.resegment([["a", "b"], ["c", "d"]], "a c").segments) == 2
    with refuses("found 2 lists of up to 3 texts"):
        fp.resegment([["a", "b", "c"], ["d"]], "a d")
    with refuses("found 3 lists of single words"):
        fp.resegment([["the", "cat"], ["sat"], ["on", "the", "mat"]], "the cat sat on a mat")
    # In a document of its own the same holds.
    with refuses("found 1 lists of 2 texts"):
        fp.resegment({"p": [["a", "b"]]}, {"p": "a b"})


def test_chinese_needs_a_tokenizer_that_reads_it():
    refs, hyp = ["这是第一句话今天", "今天天气很好"], "这是第一句话今天今天天气很好"
    with refuses(
        "the hypothesis is 100% Han characters with almost no spaces, so whitespace finds 1 word. "
        "Use --tokenizer words.",
        TokenError,
    ):
        fp.resegment(refs, hyp, tokenizer="whitespace")
    found = fp.resegment(refs, hyp)
    assert (found.segments, found.as_wer.value) == (refs, 0.0)


@pytest.mark.parametrize("mark", ["</s>", "<s>", "\0", "###", "￭", "▁"])
@pytest.mark.parametrize("tokenizer", ["words", "whitespace", "characters"])
def test_marks_of_other_tools_are_text_like_any_other(mark, tokenizer):
    refs = [f"a {mark} b", "c"]
    found = fp.resegment(refs, f"a {mark} b c", tokenizer=tokenizer)
    assert (found.segments, found.as_wer.value) == (refs, 0.0)


def test_two_streams_of_each_others_documents_are_noted():
    words = [f"w{i}" for i in range(40)]
    x, y = " ".join(words[:20]), " ".join(words[20:])
    found = fp.resegment({"x": [x], "y": [y]}, {"x": y, "y": x})
    assert [note.partition(" (")[0] for note in found.notes] == [
        "the hypothesis of document x has more words of document y",
        "the hypothesis of document y has more words of document x",
    ]
    assert not fp.resegment({"x": [x], "y": [y]}, {"x": x, "y": y}).notes


def test_asking_twice_gives_the_same():
    found = fp.resegment(TOY, "the cat sat down on a mat")
    first = [found.as_wer, found.segments, places(found), operations(found)]
    fp.resegment(TABLE_4, " ".join(FOUND))
    assert [found.as_wer, found.segments, places(found), operations(found)] == first


def test_empty_stream_with_prefer():
    assert fp.resegment(["a", "b"], "", prefer="breaks").distance == 2


def test_one_empty_document_of_two():
    assert (
        fp.resegment({"x": ["a"], "y": ["b"]}, {"x": "a", "y": ""}, prefer="breaks").distance == 1
    )


@pytest.mark.parametrize("on", ["x", "chop", None])
def test_unknown_segments(on):
    with refuses("segments must be found or given or document or chopped or", MetricError):
        score_stream(fp.resegment(["a"], "a b"), f"per:segments={on}")
    known = "found, given, document, chopped, chopped-mean"
    with refuses(f"segments are {known}, found {on!r}", MetricError):
        fp.score_streams(["a"], {"s": "a b"}, segments=[on])


def test_one_sort_of_segments_needs_no_list():
    rows = fp.score_streams(["a"], {"s": "a"}, metrics=["wer"], segments="found")
    assert rows.column("segments") == ["found"]


@pytest.mark.parametrize("segments", [[1, 2], [1.5]])
def test_segments_that_are_numbers(segments):
    with pytest.raises(FencepostError):
        fp.resegment(segments, "a")


@pytest.mark.parametrize("costs", [3, None])
def test_costs_that_are_no_list(costs):
    with pytest.raises(FencepostError):
        fp.resegment(["a"], "a", costs=costs)


def test_a_segment_that_is_a_dict_or_a_set():
    for bad in ({"a": 1}, {"a", "b"}):
        with pytest.raises(FencepostError):
            fp.resegment([bad], "a")


def test_hypothesis_is():
    with pytest.raises(FencepostError, match="the hypothesis is empty"):
        fp.resegment(["a"], {})


def test_empty_piece_has_no_words():
    s = Stream(None, "hello world", (), (TimedWord(0, 11, 0.0, 1.0),))
    assert [len(p.words) for p in fp.resegment(["hello", "", "world"], StreamSet((s,))).pieces] == [
        1,
        0,
        1,
    ]


def test_equal_costs_scale_nothing():
    assert fp.resegment(["a b", "c"], "a x c", costs=(3, 3, 3)).as_wer.value == 1 / 3


def test_a_silent_document_has_no_boundaries_and_the_next_ones_have():
    refs = {"a": ["one two", "three"], "b": ["four", "five six"], "c": ["seven", "eight"]}
    found = fp.resegment(refs, {"a": "", "b": "four five six", "c": "seven eight"})
    for corpus in found.segmentations():
        assert corpus.texts == ["b", "c"]


def test_a_word_that_few_documents_have_counts_more():
    # Three documents; a word in d of them weighs log(3/d), one that no reference has log 3.
    words = [0, 1, 2, 0, 1, 3, 0, 4, 5]
    hyp = [3, 1, 9, 0, 2, 0]
    fits = _shared_words(np.array(hyp), np.array([0, 3, 3, 6]), np.array(words),
                         np.array([0, 3, 6, 9]), 10)  # fmt: skip
    rare, two, one = math.log(3), math.log(3 / 2), 0.0
    first = rare + two + rare  # words 3, 1 and 9
    assert fits == pytest.approx(np.array([
        [two / first, (rare + two) / first, 0.0],
        [0.0, 0.0, 0.0],
        [(one + rare) / rare, 0.0, 0.0],
    ]))  # fmt: skip
    # The second stream has no rare words; the other two are told, with their shares.
    names, lost = ("one", None, "three"), f"({100 * (rare + two) / first:.0f}% of its rare words)"
    said = list(misplaced(names, np.array(hyp), np.array([0, 3, 3, 6]), np.array(words),
                          np.array([0, 3, 6, 9]), 10))  # fmt: skip
    end = "are the documents in another order?"
    assert said == [
        f"the hypothesis of document one has more words of document 2 {lost} than of its own "
        f"({100 * two / first:.0f}%): {end}",
        "the hypothesis of document three has more words of document one (100% of its rare words) "
        f"than of its own (0%): {end}",
    ]
