"""Logs of simultaneous systems: SimulEval and simulstream."""

import pytest

from fencepost.streams.documents import pair
from fencepost.streams.inputs import read_streams
from streaming import HEADER, delayed, instance, refs, refuses, step, texts


def test_simuleval_logs_have_a_delay_for_each_word(put):
    log = instance(
        index=1,
        prediction="Hallo  Welt .",
        delays=[1000.0, 2000, 2000],
        elapsed=[1500, 2600.5, 2700],
        prediction_length=3,
        reference="Hallo Welt.",
        source=["/data/ted_2.wav", "samplerate: 16000"],
        source_length=3000.0,
    ) + instance(index=0, prediction="", delays=[], elapsed=[], source=["/data/ted_1.wav"])
    found = read_streams(put("instances.log", log))
    assert texts(found) == {"/data/ted_2.wav": "Hallo  Welt .", "/data/ted_1.wav": ""}
    # 500, 600.5 and 700 ms of computing in all: 100.5 and 99.5 ms for the second and third word,
    # which cannot come out before the second.
    assert delayed(found.streams[0]) == [
        ("Hallo", 1, 1.5),
        ("Welt", 2, pytest.approx(2.1005)),
        (".", 2, pytest.approx(2.1005)),
    ]
    ref = refs("ted_1.wav", "ted_2.wav")
    assert [p.stream.text for p in pair(ref, found)] == ["", "Hallo  Welt ."]


def test_simulevals_total_of_computing_becomes_the_computing_of_each_word(put):
    delays, totals = [1000, 2000, 2000, 4000], [300, 500, 500, 1400]
    elapsed = [delay + total for delay, total in zip(delays, totals, strict=True)]
    log = instance(prediction="a b c d", delays=delays, elapsed=elapsed)
    found = read_streams(put("x.log", log))
    assert [e for _, _, e in delayed(found.streams[0])] == pytest.approx([1.3, 2.2, 2.2, 4.9])
    assert found.notes == ()


def test_computing_that_is_no_total_stays_as_it_is(put):
    fallen = instance(prediction="a b", delays=[1000, 2000], elapsed=[1500, 2100])
    found = read_streams(put("x.log", fallen))
    assert delayed(found.streams[0]) == [("a", 1, 1.5), ("b", 2, 2.1)]
    assert found.notes == (
        'x.log: "elapsed" minus "delays" falls within a document, so "elapsed" was taken as the '
        "time of each word, not as SimulEval's total of all computing",
    )
    even = instance(prediction="a b", delays=[1000, 2000], elapsed=[1100, 2100])
    found = read_streams(put("x.log", even))
    assert (delayed(found.streams[0]), found.notes) == ([("a", 1, 1.1), ("b", 2, 2.1)], ())


def test_a_no_break_space_in_a_log_may_be_part_of_a_word_for_its_tool(put):
    log = instance(prediction="Quoi\u00a0? Oui", delays=[1000, 2000])
    assert delayed(read_streams(put("x.log", log)).streams[0]) == [
        ("Quoi\u00a0?", 1, None),
        ("Oui", 2, None),
    ]
    log = instance(prediction="Quoi\u00a0? Oui", delays=[1000, 1500, 2000])
    assert delayed(read_streams(put("x.log", log)).streams[0]) == [
        ("Quoi", 1, None),
        ("?", 1.5, None),
        ("Oui", 2, None),
    ]
    log = HEADER + step(["Quoi\u00a0", "? "]) + step(["! "], ["? "], time=4.0)
    assert delayed(read_streams(put("m.jsonl", log)).streams[0]) == [
        ("Quoi", 2, 2.5),
        ("!", 4, 4.5),
    ]


def test_simuleval_logs_with_a_delay_for_each_character(put):
    log = instance(prediction="你 好", delays=[1000, 1000, 2000])
    assert delayed(read_streams(put("x.jsonl", log)).streams[0]) == [
        ("你", 1, None),
        ("好", 2, None),
    ]
    log = instance(prediction="你好 吗", delays=[1000, 1500, 2000], elapsed=[1, 2, 3])
    assert [d for _, d, _ in delayed(read_streams(put("x.jsonl", log)).streams[0])] == [1, 1.5, 2]


def test_simuleval_logs_of_text_go_by_index(put):
    log = instance(index=1, prediction="b", source="a sentence.") + instance(
        index=0, prediction="a", source="another one"
    )
    found = read_streams(put("instances.log", log))
    assert [(s.id, s.text) for s in found] == [(None, "a"), (None, "b")]


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (instance(prediction="a b", delays=[1, 2, 3, 4]),
         'x.jsonl, line 1: "delays" has 4 values for 2 words (3 characters) of "prediction"; one '
         "for each is needed"),
        (instance(prediction="a b", delays=[1, None]),
         'x.jsonl, line 1: each of "delays" must be a number, found null'),
        (instance(prediction="a b", delays="12"),
         "x.jsonl, line 1: \"delays\" must be a list, found \"12\""),
        (instance(prediction=3), 'x.jsonl, line 1: "prediction" must be a text, found 3'),
        (instance(prediction="a") + instance(delays=[]),
         'x.jsonl, line 2: an instance of SimulEval has a "prediction", found ["delays"]'),
        (instance(prediction="a", source=["t.wav"]) * 2,
         "x.jsonl, line 2: a document called t.wav begins on line 1 already"),
    ],
)  # fmt: skip
def test_simuleval_logs_that_are_none(put, log, sentence):
    with refuses(sentence):
        read_streams(put("x.jsonl", log))


def test_simulstream_logs_keep_what_was_not_taken_back(put):
    log = (
        HEADER
        + step(["▁Guar", "date", "▁il", "▁video", "."])
        + step([",", "▁se"], ["."], time=4.0, computation=1.0)
        + step(["▁vi"], ["▁se"], time=6.0)
        + step(["va"], time=8.0)
    )
    (stream,) = read_streams(put("metrics.jsonl", log))
    assert (stream.id, stream.text) == ("d/ted_1.wav", "Guardate il video, viva")
    assert delayed(stream) == [
        ("Guardate", 2, 2.5),
        ("il", 2, 2.5),
        ("video,", 4, 5),
        ("viva", 8, 8.5),
    ]


def test_a_word_that_lost_its_end_is_as_late_as_the_loss(put):
    log = HEADER + step(["▁video", "s"]) + step(["▁vi"], ["s"], time=4.0)
    (stream,) = read_streams(put("metrics.jsonl", log))
    assert delayed(stream) == [("video", 4, 4.5), ("vi", 4, 4.5)]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        # The word before is complete, with its space at the end or in the token taken back.
        ([["a ", "b "], (["c "], ["b "])], [("a", 2, 2.5), ("c", 4, 4.5)]),
        ([["a", " b"], ([" c"], [" b"])], [("a", 2, 2.5), ("c", 4, 4.5)]),
        ([["a ", "b"], (["c "], ["b"])], [("a", 2, 2.5), ("c", 4, 4.5)]),
        # It went on in what was taken back.
        ([["a", "b "], (["c "], ["b "])], [("ac", 4, 4.5)]),
        ([["x ", "a", "b "], ([" c"], ["b "])], [("x", 2, 2.5), ("a", 4, 4.5), ("c", 4, 4.5)]),
        # Tokens without a character change nothing.
        ([["a ", ""], ([" c"], [""])], [("a", 2, 2.5), ("c", 4, 4.5)]),
        # SentencePiece can have its mark at the end, too.
        ([["a▁", "b▁"], (["c▁"], ["b▁"])], [("a", 2, 2.5), ("c", 4, 4.5)]),
    ],
)
def test_a_complete_word_keeps_its_delay_when_what_follows_is_taken_back(put, steps, expected):
    """What LogReader of simulstream 1.0.0 says; it needs torch, so it is not run here.

    4,000 random logs with spaces before, behind and around tokens were the same there.
    """
    first, (new, old) = steps
    log = HEADER + step(first) + step(new, old, time=4.0)
    (stream,) = read_streams(put("metrics.jsonl", log))
    assert delayed(stream) == expected


@pytest.mark.parametrize(
    ("tokens", "choice", "text"),
    [
        (["Hello", "Ġwor", "ld"], None, "Hello world"),
        (["ä½ł", "å¥", "½Ġok"], None, "你好 ok"),
        (["Hello", " wor", "ld"], None, "Hello world"),
        (["Hello", "world"], "words", "Hello world"),
        (["你", "好"], "pieces", "你好"),
        (["Hello"], None, "Hello"),
    ],
)
def test_simulstream_tokens(put, tokens, choice, text):
    (stream,) = read_streams(put("m.jsonl", HEADER + step(tokens)), tokens=choice)
    assert stream.text == text
    assert [word for word, _, _ in delayed(stream)] == text.split()


@pytest.mark.parametrize(
    ("log", "choices", "sentence"),
    [
        (HEADER + step(["▁a"]) + step([], ["▁b"]), {},
         'm.jsonl, line 4: "deleted_tokens" are ["▁b"], but what was said ends in ["▁a"]'),
        (HEADER + step(["a", "b"]), {},
         "m.jsonl: no token has a mark where words begin or end (▁, Ġ or a space), so tokens may "
         "be words or parts of words. Give --tokens words (a space between them) or --tokens "
         "pieces (nothing between them)"),
        (HEADER + step(["a", "b"]), {"tokens": "bpe"},
         "tokens must be spm, bytes, words or pieces, found 'bpe'"),
        (HEADER + step(["▁a"], time=None), {},
         'm.jsonl, line 3: "total_audio_processed" must be a number, found null'),
        (HEADER + instance(id=7), {},
         'm.jsonl, line 3: "generated_tokens" must be a list, found null'),
        (HEADER + HEADER, {},
         "m.jsonl, line 4: a document called d/ted_1.wav begins on line 2 already"),
    ],
)  # fmt: skip
def test_simulstream_logs_that_are_none(put, log, choices, sentence):
    with refuses(sentence):
        read_streams(put("m.jsonl", log), **choices)


def test_formats_that_name_their_documents_take_no_ids(put):
    with refuses(
        "m.jsonl is simulstream and names its documents itself; docids and lines are for plain text"
    ):
        read_streams(put("m.jsonl", HEADER + step(["▁a"])), docids=["x"])
    with refuses(
        "x.txt: files of the format srt give segmentations, not streams; fencepost score reads "
        "them; tsv, stm, ctm, text, seglst, simuleval, simulstream, set give streams"
    ):
        read_streams(put("x.txt", "a"), format="srt")
