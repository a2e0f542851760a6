"""Re-segmentation: the kernel computes few cells and in bits, the oracle all of them plainly."""

import random
import sys
from itertools import chain, product

import mweralign
import numpy as np
import pytest

import fencepost as fp
from fencepost.streams.alignment import NO_FLAGS, OPERATIONS, TIES, StreamError, Streams, align
from oracle import stream as oracle
from streaming import laid_out
from support import PEAK, python

ENGINES = ("auto", "integers", "plain")
NO_MEMORY, AMPLE = 0, 2**30
FIELDS = (
    "ends", "chosen", "substitutions", "insertions", "deletions", "distance", "words",
    "fewest_words", "most_words", "run_offsets", "runs", "step_offsets", "steps",
)  # fmt: skip


def drawn(rng, words=9, segments=4, references=4, length=4):
    """A small case: anything may be empty, and words repeat a lot."""
    vocabulary = rng.choice([2, 3, 5])
    most = rng.choice([1, 2, references])

    def text(size):
        return [rng.randrange(vocabulary) for _ in range(size)]

    hyp = text(rng.randint(0, words))
    return hyp, [
        [text(rng.randint(0, length)) for _ in range(rng.randint(1, most))]
        for _ in range(rng.randint(1, segments))
    ]


def flags(rng, hyp, share=0.4):
    return [rng.random() < share for _ in range(len(hyp) + 1)]


def positions(marks):
    return None if marks is None else [[i for i, mark in enumerate(marks) if mark]]


def costs(rng):
    return (rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 3))


def noisy(rng, words, vocabulary, rate):
    """Words with substitutions, insertions and deletions, a third each."""
    text = []
    for word in words:
        dice = rng.random() * 3
        if dice < rate:
            text.append(rng.randrange(vocabulary))
        elif dice < 2 * rate:
            text += [word, rng.randrange(vocabulary)]
        elif dice >= 3 * rate:
            text.append(word)
    return text


def long_case(rng):
    """Hundreds of words: several machine words, blocks and bands."""
    vocabulary = rng.choice([2, 5, 50, 400])
    most, rate = rng.choice([1, 2, 3]), rng.choice([0.1, 0.4, 0.8, 1.0])
    spoken, segments = [], []
    for _ in range(rng.randint(1, 100)):
        base = [rng.randrange(vocabulary) for _ in range(rng.choice([0, 3, 10, 30]))]
        segments.append([noisy(rng, base, vocabulary, 0.3) for _ in range(rng.randint(1, most))])
        spoken += base
    hyp = noisy(rng, spoken, vocabulary, rate)
    kind = rng.randrange(12)
    if kind == 0:
        hyp = [vocabulary] * len(hyp)  # nothing in common: every optimum there can be
    elif kind == 1:
        hyp = hyp[: len(hyp) // 3]
    elif kind == 2:
        hyp = hyp + hyp
    return hyp, segments


def assert_same(one, other):
    for name in FIELDS:
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None and b is None) or np.array_equal(a, b), name


def counts(found):
    edits = (found.substitutions, found.insertions, found.deletions)
    return list(zip(*(column.tolist() for column in edits), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_rwth_is_the_cell_rule_boundary_by_boundary(seed):
    rng = random.Random(seed)
    for _ in range(400):
        hyp, segments = drawn(rng)
        streams = laid_out([(hyp, segments)])
        expected = oracle.by_cells(hyp, segments)
        for engine, memory in product(ENGINES, (NO_MEMORY, AMPLE)):
            found = align(streams, engine=engine, memory=memory, alignment=True)
            assert found.ends.tolist() == expected.ends
            assert found.chosen.tolist() == expected.chosen
            assert counts(found) == expected.counts
            assert [found.operations(k) for k in range(len(segments))] == expected.steps
            assert found.words[0] == sum(len(segments[k][r]) for k, r in enumerate(expected.chosen))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_the_cost_is_the_least_and_every_optimum_is_known(seed):
    rng = random.Random(seed)
    for _ in range(150):
        hyp, segments = drawn(rng)
        forbidden = flags(rng, hyp) if rng.random() < 0.4 else None
        price = (1, 1, 1) if rng.random() < 0.5 else costs(rng)
        every = oracle.Every(hyp, segments, price, forbidden)
        optima = list(every.optima())
        words = [every.words(ends) for ends in optima]
        streams = laid_out([(hyp, segments)], forbidden=positions(forbidden))
        for ties, engine in product(TIES, ENGINES):
            found = align(streams, ties=ties, costs=price, engine=engine, ambiguity=True)
            ends = tuple(found.ends.tolist())
            assert found.distance[0] == every.cost
            assert ends in optima
            nearest = every.references(ends)
            if ties == "rwth":
                assert all(r in near for r, near in zip(found.chosen, nearest, strict=True))
            else:
                pick = min if ties == "earliest" else max
                assert ends == pick(optima, key=lambda ends: ends[::-1])
                assert found.chosen.tolist() == [near[0] for near in nearest]
            for k in range(len(segments)):
                assert found.places(k).tolist() == sorted({ends[k] for ends in optima})
            assert found.place_counts.tolist() == [
                len({ends[k] for ends in optima}) for k in range(len(segments))
            ]
            assert found.fewest_words[0] == min(fewest for fewest, _ in words)
            assert found.most_words[0] == max(most for _, most in words)


def test_with_one_reference_earliest_and_latest_hold_for_every_boundary_at_once():
    rng = random.Random(3)
    for _ in range(500):
        hyp, segments = drawn(rng, references=1)
        streams = laid_out([(hyp, [one[:1] for one in segments])])
        for ties, place in (("earliest", 0), ("latest", -1)):
            found = align(streams, ties=ties, ambiguity=True)
            assert found.ends.tolist() == [found.places(k)[place] for k in range(len(segments))]


@pytest.mark.parametrize("seed", range(4))
def test_weights_and_forbidden_places_follow_the_cell_rule_too(seed):
    rng = random.Random(seed)
    for _ in range(300):
        hyp, segments = drawn(rng)
        forbidden, price = flags(rng, hyp), costs(rng)
        streams = laid_out([(hyp, segments)], forbidden=positions(forbidden))
        expected = oracle.by_cells(hyp, segments, price, forbidden)
        for memory in (NO_MEMORY, AMPLE):
            found = align(streams, costs=price, memory=memory, alignment=True)
            assert found.ends.tolist() == expected.ends
            assert found.chosen.tolist() == expected.chosen
            assert [found.operations(k) for k in range(len(segments))] == expected.steps
            inner = [i for i in expected.ends if 0 < i < len(hyp)]
            assert not any(forbidden[i] for i in inner)


@pytest.mark.parametrize("seed", range(4))
def test_breaks_decide_among_optima_before_the_tie_rule(seed):
    rng = random.Random(seed)
    for _ in range(150):
        hyp, segments = drawn(rng)
        breaks = flags(rng, hyp)
        streams = laid_out([(hyp, segments)], breaks=positions(breaks))
        optima = list(oracle.Every(hyp, segments).optima())

        def kept(ends, breaks=breaks):
            return sum(breaks[i] for i in ends[:-1])

        most = max(map(kept, optima))
        pool = [ends for ends in optima if kept(ends) == most]
        expected = oracle.by_cells(hyp, segments, breaks=breaks)
        for ties in TIES:
            found = align(streams, ties=ties, prefer="breaks", ambiguity=True)
            ends = tuple(found.ends.tolist())
            assert ends in pool
            if ties == "rwth":
                assert (list(ends), found.chosen.tolist()) == (expected.ends, expected.chosen)
            else:
                pick = min if ties == "earliest" else max
                assert ends == pick(pool, key=lambda ends: ends[::-1])
            for k in range(len(segments)):  # ambiguity is of the cost alone
                assert found.places(k).tolist() == sorted({ends[k] for ends in optima})


def marked(rng, hyp, segments):
    """A case with marks: sometimes none, sometimes all words, and other keys at random."""
    marks = {word for word in range(5) if rng.random() < rng.choice([0.2, 0.5, 0.9])}
    keys = {
        "costs": (1, 1, 1) if rng.random() < 0.5 else costs(rng),
        "forbidden": flags(rng, hyp) if rng.random() < 0.3 else None,
        "breaks": flags(rng, hyp) if rng.random() < 0.3 else None,
        "marks": marks,
    }
    streams = laid_out(
        [(hyp, segments)],
        breaks=positions(keys["breaks"]),
        forbidden=positions(keys["forbidden"]),
        marks=marks,
    )
    settings = {"costs": keys["costs"], "prefer": "breaks" if keys["breaks"] else None}
    return oracle.Keys(hyp, segments, **keys), streams, settings


def mixed(found, hyp, segments, marks):
    """How often a word was put for a mark, or a mark for a word."""
    return sum(
        op == "substitution" and (hyp[i] in marks) != (references[found.chosen[k]][j] in marks)
        for k, references in enumerate(segments)
        for op, i, j in found.operations(k)
    )


@pytest.mark.parametrize("seed", range(4))
def test_marks_decide_among_optima_before_breaks_and_the_tie_rule(seed):
    rng = random.Random(seed)
    for _ in range(200):
        hyp, segments = drawn(rng)
        keys, streams, settings = marked(rng, hyp, segments)
        expected = keys.by_cells()
        for engine, memory in product(ENGINES, (NO_MEMORY, AMPLE)):
            found = align(streams, engine=engine, memory=memory, alignment=True, **settings)
            assert found.ends.tolist() == expected.ends
            assert found.chosen.tolist() == expected.chosen
            assert counts(found) == expected.counts
            assert [found.operations(k) for k in range(len(segments))] == expected.steps
            assert found.words[0] == sum(len(segments[k][r]) for k, r in enumerate(expected.chosen))


@pytest.mark.parametrize("seed", range(4))
def test_marks_and_the_earliest_or_latest_places_against_every_boundary(seed):
    rng = random.Random(seed)
    for _ in range(60):
        hyp, segments = drawn(rng, words=7, segments=4, references=3)
        keys, streams, settings = marked(rng, hyp, segments)
        every = keys.every()
        least = min(every.values())
        pool = [ends for ends, total in every.items() if total == least]
        for ties, pick in (("earliest", min), ("latest", max)):
            found = align(streams, ties=ties, alignment=True, **settings)
            ends = pick(pool, key=lambda ends: ends[::-1])
            assert found.ends.tolist() == list(ends)
            for k, (first, last) in enumerate(zip((0, *ends), ends, strict=False)):
                values = keys.distances(k, first, last)
                assert found.chosen[k] == values.index(min(values))
            assert (found.distance[0], mixed(found, hyp, segments, keys.marks)) == least[:2]


@pytest.mark.parametrize("seed", range(2))
def test_marks_change_neither_cost_nor_places(seed):
    rng = random.Random(seed)
    for case in range(60):
        hyp, segments = long_case(rng) if case % 6 == 0 else drawn(rng, words=30, segments=12)
        marks = {word for word in range(500) if rng.random() < 0.3}
        plain = laid_out([(hyp, segments)])
        streams = laid_out([(hyp, segments)], marks=marks)
        for ties in TIES:
            wanted = {"ties": ties, "ambiguity": True, "alignment": True}
            without, found = align(plain, **wanted), align(streams, **wanted)
            for name in ("distance", "fewest_words", "most_words", "run_offsets", "runs"):
                assert np.array_equal(getattr(found, name), getattr(without, name)), name
            assert all(at in found.places(k) for k, at in enumerate(found.ends))
            before = mixed(without, hyp, segments, marks)
            assert mixed(found, hyp, segments, marks) <= before
            if before == 0:
                assert_same(found, without)
            for engine, memory in product(ENGINES, (NO_MEMORY, AMPLE)):
                assert_same(found, align(streams, engine=engine, memory=memory, **wanted))


@pytest.mark.slow
def test_marks_on_long_streams_are_those_of_the_cell_rule():
    rng = random.Random(10)
    for _ in range(8):
        hyp, segments = long_case(rng)
        marks = {word for word in range(400) if rng.random() < 0.3}
        expected = oracle.Keys(hyp, segments, marks=marks).by_cells()
        found = align(laid_out([(hyp, segments)], marks=marks), alignment=True)
        assert (found.ends.tolist(), found.chosen.tolist()) == (expected.ends, expected.chosen)
        assert [found.operations(k) for k in range(len(segments))] == expected.steps


def test_a_word_is_not_put_for_a_full_stop_of_the_segment_before():
    segments = [[["a", "b", "."]], [["x", "c"]]]
    hyp = ["a", "b", "y", "c"]
    assert align(laid_out([(hyp, segments)])).ends.tolist() == [3, 4]
    found = align(laid_out([(hyp, segments)], marks={"."}), alignment=True)
    assert found.ends.tolist() == [2, 4]
    assert found.operations(0)[2] == ("deletion", -1, 2)
    assert found.operations(1)[0] == ("substitution", 2, 0)


@pytest.mark.parametrize("marks", [set(), {"?"}, {"a", "b", "y", "c", "x", "."}])
def test_marks_that_cannot_meet_a_word_change_nothing(marks):
    document = (["a", "b", "y", "c"], [[["a", "b", "."]], [["x", "c"]]])
    found = align(laid_out([document], marks=marks), alignment=True)
    assert_same(found, align(laid_out([document]), alignment=True))


@pytest.mark.parametrize("like", [None, "mwersegmenter"])
def test_the_words_of_the_result_are_within_their_range(like):
    rng = random.Random(7)
    for case in range(150):
        document = long_case(rng) if case % 15 == 0 else drawn(rng, words=30, segments=12)
        streams = laid_out([document], marks={0, 3})
        for ties in TIES:
            found = align(streams, ties=ties, like=like, ambiguity=True)
            assert found.fewest_words[0] <= found.words[0] <= found.most_words[0]
            assert all(at in found.places(k) for k, at in enumerate(found.ends))


def test_sums_beyond_64_bits_are_refused():
    """The command allows costs up to 10,000, for which no document is long enough."""
    size = 70_000  # each word a mark, against one word
    with pytest.raises(OverflowError, match="costs are too large for so many words"):
        fp._core.resegment(
            np.zeros(size, np.int32), np.array([0, size]), np.ones(1, np.int32), np.array([0, 1]),
            np.array([0, 1]), np.array([0, 1]), NO_FLAGS, NO_FLAGS, np.array([1, 0], np.uint8),
            vocabulary=2, ties=0, costs=(2**31, 2**31, 2**31), peer_row=False, integers=False,
            plain=False, ambiguity=False, alignment=False, memory=0,
        )  # fmt: skip


def test_the_peers_row_0_knows_no_marks():
    document = (["a", "b", "y", "c"], [[["a", "b", "."]], [["x", "c"]]])
    found = align(laid_out([document], marks={"."}), like="mwersegmenter")
    assert found.ends.tolist() == [3, 4]


def test_marks_follow_large_word_numbers():
    big = 2**22  # y; the full stop is 5
    marks = np.zeros(big + 1)
    marks[5] = 1
    columns = ([1, 2, big, 3], [0, 4], [1, 2, 5, 4, 3], [0, 3, 5], [0, 1, 2], [0, 2])
    streams = Streams(*map(np.array, columns), marks=marks)
    assert align(streams).ends.tolist() == [2, 4]


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [1, 3, 300])
def test_references_of_many_words_are_taken_in_parts(vocabulary):
    """Cells of more than 256 reference words are not held at once."""
    rng = random.Random(vocabulary)
    spoken = [[rng.randrange(vocabulary) for _ in range(size)] for size in (3, 600, 0, 260, 40)]
    segments = [[text, noisy(rng, text, vocabulary, 0.3)] for text in spoken]
    hyp = noisy(rng, chain.from_iterable(spoken), vocabulary, 0.4)
    streams = laid_out([(hyp, segments)])
    expected = oracle.by_cells(hyp, segments)
    for engine, ties in product(ENGINES, TIES):
        wanted = {"ties": ties, "ambiguity": True, "alignment": True}
        plain = align(streams, memory=AMPLE, **wanted)
        assert_same(plain, align(streams, engine=engine, memory=NO_MEMORY, **wanted))
        for k, at in enumerate(plain.ends):
            assert at in plain.places(k)
    found = align(streams, alignment=True)
    assert (found.ends.tolist(), found.chosen.tolist()) == (expected.ends, expected.chosen)
    assert [found.operations(k) for k in range(len(segments))] == expected.steps
    # A boundary may be where the costs from both sides add up to the least.
    front = oracle.columns(hyp, segments)
    turned = [[ref[::-1] for ref in references] for references in segments[::-1]]
    back = oracle.columns(hyp[::-1], turned)[::-1]
    every = align(streams, ambiguity=True)
    for k in range(1, len(segments)):
        both = [a + b for a, b in zip(front[k], back[k][::-1], strict=True)]
        assert min(both) == every.distance[0]
        assert every.places(k - 1).tolist() == [
            i for i, sum_ in enumerate(both) if sum_ == min(both)
        ]


def test_many_numbers_of_words_behind_one_boundary():
    """Nothing in common, and references of different length: N^ differs from place to place."""
    rng = random.Random(12)
    segments = [[[1] * rng.randint(1, 9) for _ in range(2)] for _ in range(60)]
    streams = laid_out([([0] * 700, segments)])
    found = align(streams, ambiguity=True)
    assert found.most_words[0] - found.fewest_words[0] > 50
    assert_same(found, align(streams, ambiguity=True, engine="integers"))


@pytest.mark.parametrize("seed", range(2))
def test_mweralign_finds_the_same_with_its_row_0_and_never_less(seed):
    """With as many references in each segment, none of them empty: else it crashes."""
    rng = random.Random(seed)
    above = 0
    for _ in range(400):
        hyp, _ = drawn(rng)
        hyp = hyp or [0]
        number, count = rng.choice([1, 2, 3]), rng.randint(1, 4)
        segments = [
            [[rng.randrange(4) for _ in range(rng.randint(1, 4))] for _ in range(number)]
            for _ in range(count)
        ]
        lines = [" ### ".join(" ".join(f"w{w}" for w in ref) for ref in refs) for refs in segments]
        out = mweralign.align_texts("\n".join(lines), " ".join(f"w{w}" for w in hyp))
        sizes = [len(line.split()) for line in out.split("\n")][:count]
        sizes += [0] * (count - len(sizes))
        streams = laid_out([(hyp, segments)])
        theirs = align(streams, like="mwersegmenter")
        assert theirs.ends.tolist() == np.cumsum(sizes).tolist()
        ours = align(streams).distance[0]
        assert ours <= theirs.distance[0]
        above += ours < theirs.distance[0]
    assert above > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_bits_integers_and_little_memory_agree_on_long_streams(seed):
    rng = random.Random(seed)
    for _ in range(12):
        streams = laid_out([long_case(rng)])
        for ties in TIES:
            wanted = {"ties": ties, "ambiguity": True, "alignment": True}
            plain = align(streams, memory=AMPLE, **wanted)
            for engine, memory in product(ENGINES, (NO_MEMORY, 20_000, AMPLE)):
                assert_same(plain, align(streams, engine=engine, memory=memory, **wanted))


def spoken_case(rng, words, vocabulary):
    """What was said, and two references for each ten words of it, the first without an error."""
    spoken = [rng.randrange(vocabulary) for _ in range(words)]
    parts = [spoken[k : k + 10] for k in range(0, words, 10)]
    return spoken, [[part, noisy(rng, part, vocabulary, 0.2)] for part in parts]


def assert_integers_agree(hyp, segments, ties, memories=(NO_MEMORY, AMPLE)):
    streams = laid_out([(hyp, segments)])
    wanted = {"ties": ties, "ambiguity": True, "alignment": True}
    expected = align(streams, engine="integers", **wanted)
    for memory in memories:
        assert_same(expected, align(streams, memory=memory, **wanted))


# In the large vocabulary many words occur once and lead to a path near the optimum. In the small
# one hardly any does, and the path found first may be far away.
@pytest.mark.parametrize("vocabulary", [300, 20_000])
@pytest.mark.parametrize("gap", [0, 2_000, 4_000])
def test_parts_are_missing_or_added_and_the_optimum_is_far_from_the_diagonal(gap, vocabulary):
    rng = random.Random(gap)
    spoken, segments = spoken_case(rng, 6_000, vocabulary)
    other = [rng.randrange(vocabulary) for _ in range(2_000)]
    for hyp in (spoken[:gap] + spoken[gap + 2_000 :], spoken[:gap] + other + spoken[gap:]):
        assert_integers_agree(noisy(rng, hyp, vocabulary, 0.3), segments, rng.choice(TIES))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_rows_are_left_out_and_integers_agree(seed):
    rng = random.Random(seed)
    for _ in range(4):
        vocabulary = rng.choice([2, 50, 900, 20_000])
        spoken, segments = spoken_case(rng, rng.randrange(3_000, 7_000), vocabulary)
        hyp = noisy(rng, spoken, vocabulary, rng.choice([0, 0.1, 0.4, 0.8]))
        cut = rng.randrange(len(hyp) + 1)
        nothing = [vocabulary] * len(hyp)
        hyp = rng.choice([hyp, hyp[cut:] + hyp[:cut], hyp + hyp, hyp[:cut], hyp[::2], nothing])
        assert_integers_agree(hyp, segments, rng.choice(TIES), (NO_MEMORY, 100_000, AMPLE))


@pytest.mark.slow
def test_long_streams_are_those_of_the_cell_rule():
    rng = random.Random(9)
    for _ in range(8):
        hyp, segments = long_case(rng)
        expected = oracle.by_cells(hyp, segments)
        for memory in (NO_MEMORY, AMPLE):
            found = align(laid_out([(hyp, segments)]), memory=memory)
            assert found.ends.tolist() == expected.ends
            assert found.chosen.tolist() == expected.chosen
            assert counts(found) == expected.counts


def test_documents_stand_alone_whatever_the_threads():
    rng = random.Random(4)
    documents = [long_case(rng) if n % 3 else drawn(rng) for n in range(30)]
    streams = laid_out(documents)
    wanted = {"ambiguity": True, "alignment": True}
    before = fp._core.get_threads()
    try:
        fp.set_threads(1)
        one = align(streams, **wanted)
        fp.set_threads(3)
        assert_same(one, align(streams, **wanted))
    finally:
        fp.set_threads(before)
    for n, document in enumerate(documents):
        alone = align(laid_out([document]), **wanted)
        first, last = streams.document_offsets[n : n + 2]
        assert one.ends[first:last].tolist() == alone.ends.tolist()
        assert one.starts[first:last].tolist() == alone.starts.tolist()
        assert one.distance[n] == alone.distance[0]
        assert one.operations(int(last) - 1) == alone.operations(len(document[1]) - 1)


def test_the_alignment_uses_every_word_once():
    rng = random.Random(6)
    for _ in range(20):
        hyp, segments = long_case(rng)
        found = align(laid_out([(hyp, segments)]), alignment=True)
        heard = []
        for k, references in enumerate(segments):
            steps = found.operations(k)
            ref = references[found.chosen[k]]
            assert [j for _, _, j in steps if j >= 0] == list(range(len(ref)))
            heard += [i for _, i, _ in steps if i >= 0]
            for op, i, j in steps:
                assert op in OPERATIONS
                assert (op == "match") == (i >= 0 and j >= 0 and hyp[i] == ref[j])
        assert heard == list(range(len(hyp)))


# Matusov et al. (2005), Table 4: references 1 and 2 of five segments, and the hypothesis.
TABLE_4 = [
    ("that only leaves me", "the only thing left for me to do"),
    ("to invite Mister Barroso", "is to invite Mr Barroso"),
    ("but as soon as possible", "but as soon as possible"),
    ("they put to us", "a proposal"),
    ("a motion on whether Parliament", "on which the Parliament"),
]
TABLE_4_FOUND = [
    "I can only but that",
    "as soon as possible invite Mister Barroso",
    "but that as soon as possible we propose",
    "a proposal",
    "on which Parliament",
]


def test_table_4_of_the_paper():
    hyp = " ".join(TABLE_4_FOUND).split()
    segments = [[ref.split() for ref in refs] for refs in TABLE_4]
    found = align(laid_out([(hyp, segments)]), ambiguity=True)
    cut = zip(found.starts, found.ends, strict=True)
    assert [" ".join(hyp[first:last]) for first, last in cut] == TABLE_4_FOUND
    assert (found.distance[0], found.words[0]) == (12, 19)
    assert [found.places(k).tolist() for k in range(4)] == [[5, 6, 7, 8], [12], [18, 19, 20], [22]]
    streams = laid_out([(hyp, segments)])
    for ties in ("earliest", "latest"):
        assert align(streams, ties=ties).ends.tolist() != found.ends.tolist()


def test_the_first_rows_of_table_4_in_lower_case():
    """In the paper's own rows "we propose" is in the fourth."""
    hyp = " ".join(TABLE_4_FOUND).lower().split()[:18]
    segments = [[ref.lower().split() for ref in refs] for refs in TABLE_4[:3]]
    found = align(laid_out([(hyp, segments)]))
    assert (found.distance[0], found.words[0]) == (9, 13)


def test_references_that_tie_leave_the_number_of_words_open():
    hyp = ["the", "cat", "sat", "down", "on", "a", "mat"]
    refs = (("the cat sat", "a cat sat down"), ("on the mat", "upon the mat"))
    segments = [[ref.split() for ref in both] for both in refs]
    found = align(laid_out([(hyp, segments)]), ambiguity=True)
    assert (found.distance[0], found.words[0]) == (2, 6)
    assert (found.fewest_words[0], found.most_words[0]) == (6, 7)


def test_row_0_is_the_optimum_and_on_request_the_peers():
    streams = laid_out([(["c", "d"], [[["a", "b"]], [["c", "d"]]])])
    ours, theirs = align(streams), align(streams, like="mwersegmenter")
    assert (ours.ends.tolist(), ours.distance[0]) == ([0, 2], 2)
    assert (theirs.ends.tolist(), theirs.distance[0]) == ([1, 2], 3)


@pytest.mark.slow
def test_the_peers_row_0_is_the_oracles():
    rng = random.Random(8)
    for _ in range(1500):
        hyp, segments = drawn(rng)
        expected = oracle.by_cells(hyp, segments, peer_row=True)
        streams = laid_out([(hyp, segments)])
        for memory in (NO_MEMORY, AMPLE):
            found = align(streams, like="mwersegmenter", memory=memory)
            assert found.ends.tolist() == expected.ends
            assert found.chosen.tolist() == expected.chosen


# A leading segment without words costs mweralign 1.4.1 one edit: it prints 25, 50 and 75 percent.
@pytest.mark.parametrize(
    ("refs", "hyp", "edits"),
    [
        (["", "a b", "c d"], "a b c d", 1),
        (["", "", "a b", "c d"], "a b c d", 2),
        (["", "", "a b", "c d"], "a b c x", 3),
    ],
)
def test_what_the_peers_charge_for_leading_empty_segments(refs, hyp, edits):
    streams = laid_out([(hyp.split(), [[ref.split()] for ref in refs])])
    found = align(streams, like="mwersegmenter")
    assert found.distance[0] + found.charged[0] == edits
    assert align(streams).charged[0] == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_empty_sides(engine):
    hyp = laid_out([([], [[["a", "b"], ["c"]], [[]]]), (["a"], [[[]], [[]]])])
    found = align(hyp, engine=engine, ambiguity=True, alignment=True)
    assert found.ends.tolist() == [0, 0, 1, 1]
    assert found.chosen.tolist() == [1, 0, 0, 0]
    assert found.distance.tolist() == [1, 1]
    assert found.words.tolist() == [1, 0]
    assert found.places(2).tolist() == [0, 1]


def test_large_word_numbers_need_no_large_table():
    big = 2**31 - 1
    streams = Streams(
        np.array([big, 7]), np.array([0, 2]), np.array([big, 7]), np.array([0, 1, 2]),
        np.array([0, 1, 2]), np.array([0, 2]),
    )  # fmt: skip
    assert align(streams).ends.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hyp": np.array([-1])}, "word numbers from 0"),
        ({"hyp": np.array([0.5])}, "word numbers"),
        ({"hyp_offsets": np.array([0, 2])}, "hyp_offsets must run from 0 to 1"),
        ({"segment_offsets": np.array([0, 0, 1])}, "segment 0 has no reference"),
        ({"document_offsets": np.array([0, 0, 1])}, "document 0 has no segment"),
        ({"reference_offsets": np.array([0, 2, 1])}, "must not go down"),
        ({"hyp_offsets": np.array([0, 0, 1])}, "1 documents and 2 hypotheses"),
        ({"breaks": np.zeros(1)}, "2 in all, found 1"),
        ({"marks": np.zeros(0)}, "a flag for each word number, 0 to 0, found 0"),
    ],
)
def test_columns_that_fit_together_or_a_word_about_it(change, message):
    columns = {
        "hyp": np.array([0]),
        "hyp_offsets": np.array([0, 1]),
        "words": np.array([0]),
        "reference_offsets": np.array([0, 1]),
        "segment_offsets": np.array([0, 1]),
        "document_offsets": np.array([0, 1]),
    }
    Streams(**columns)
    if "reference_offsets" in change:
        columns["segment_offsets"] = np.array([0, 2])
    with pytest.raises(StreamError, match=message):
        Streams(**{**columns, **change})


def test_columns_may_be_lists_of_numbers():
    columns = [[0, 1, 0, 2], [0, 3, 4], [0, 1, 2], [0, 2, 2, 3], [0, 1, 3], [0, 1, 2]]
    lists, arrays = (align(Streams(*map(made, columns))) for made in (list, np.array))
    for field in FIELDS:
        assert np.array_equal(getattr(lists, field), getattr(arrays, field)), field


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ties": "first"}, "ties must be one of"),
        ({"costs": (0, 1, 1)}, "whole numbers from 1"),
        ({"costs": (1, 1)}, "three whole numbers"),
        ({"prefer": "breaks"}, "give breaks"),
        ({"like": "mweralign"}, "like must be one of"),
        ({"like": "mwersegmenter", "costs": (2, 1, 1)}, "unit costs"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    streams = laid_out([(["a"], [[["a"]]])])
    with pytest.raises(StreamError, match=message):
        align(streams, **settings)


def test_the_range_of_costs_widens_where_it_must():
    hyp = [0, 1] * 40
    segments = [[[0, 1, 0]]] * 30
    streams = laid_out([(hyp, segments)], breaks=[range(0, 81, 3)])
    small = align(streams, prefer="breaks", costs=(3, 2, 2))
    large = align(streams, prefer="breaks", costs=(9_999, 6_666, 6_666))
    assert small.ends.tolist() == large.ends.tolist()
    assert large.distance[0] == 3_333 * small.distance[0]


MEMORY = """
import numpy as np
import fencepost as fp
from fencepost.streams.alignment import Streams, align

fp.set_threads(1)
def streams(words, segments):
    rng = np.random.default_rng(1)
    ref = rng.integers(0, 3000, words).astype(np.int32)
    hyp = np.where(rng.random(words) < 0.3, rng.integers(0, 3000, words), ref).astype(np.int32)
    ends = np.linspace(0, words, segments + 1).astype(np.int64)
    every = np.arange(segments + 1)
    return Streams(hyp, np.array([0, words]), ref, ends, every, np.array([0, segments]))
small, large = streams(1000, 100), streams(40_000, 4000)
align(small)
before = peak()
align(large, memory=4 * 2**20)
print((peak() - before) // 2**20)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells it in /proc")
def test_columns_are_computed_again_rather_than_kept():
    """All 4,000 columns would take 40 MB."""
    assert int(python(PEAK + MEMORY, timeout=60)) < 16
