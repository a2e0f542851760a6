"""Re-segmented words as files, and what other tools read of them."""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import fencepost as fp
from fencepost.model.documents import Segment, TimedWord
from fencepost.streams.documents import Piece, StreamError, pair
from fencepost.streams.inputs import read_references, read_streams
from fencepost.streams.outputs import (
    describe_late_words,
    timed_unit,
    to_omnisteval,
    to_table,
    to_text,
    write_pieces,
)
from streaming import instance, references_of, refuses

# Writing.


def pieces_of(ref, hyp, cuts):
    """Pieces cut by hand: for each document, how many words between spaces each segment takes."""
    made = []
    for (document, stream), sizes in zip(pair(ref, hyp), cuts, strict=True):
        spans = [m.span() for m in re.finditer(r"\S+", stream.text)]
        token = 0
        for number, (segment, size) in enumerate(zip(document.segments, sizes, strict=True), 1):
            own = spans[token : token + size]
            start, end = (own[0][0], own[-1][1]) if own else (len(stream.text),) * 2
            text = next(text for text in segment.references if text is not None)
            made.append(
                Piece(document.id, number, segment, stream.text[start:end], start, end, token,
                      token + size, 1, text, 1, 2, 3, stream.inside(start, end))
            )  # fmt: skip
            token += size
        assert token == len(spans)
    return made


def test_text_has_a_line_for_each_segment_in_the_order_of_the_references(put, tmp_path):
    ref = read_references(put("ref.txt", "a\nb\nc\nd\n"), docids=["x", "y", "x", "y"])
    hyp = read_streams(put("hyp.txt", "one  two\nthree\nfour\n"), docids=["x", "x", "y"])
    pieces = pieces_of(ref, hyp, [[1, 2], [0, 1]])
    assert to_text(pieces) == "one\n\ntwo three\nfour\n"
    assert write_pieces(pieces, tmp_path / "out.txt") == 4
    again = read_references(tmp_path / "out.txt")
    assert references_of(again) == [("one",), ("",), ("two three",), ("four",)]


def test_json_lines_have_offsets_times_and_errors(put, tmp_path):
    ref = read_references(put("ref.stm", "t 1 s 0 1.5 a x\nt 1 s 1.5 2 b\n"))
    hyp = read_streams(put("hyp.ctm", "t 1 0 1 a\nt 1 1 0.5 ü\nt 1 1.5 0.5 b\n"))
    pieces = pieces_of(ref, hyp, [[2, 1]])
    assert write_pieces(pieces, tmp_path / "out.jsonl") == 2
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert first == {
        "document": "t", "segment": 1, "text": "a ü", "reference": "a x", "chosen": 1,
        "start": 0, "end": 3, "first_token": 0, "last_token": 2,
        "substitutions": 1, "insertions": 2, "deletions": 3,
        "start_time": 0, "end_time": 1.5, "speaker": "s",
        "words": [
            {"text": "a", "start": 0, "end": 1, "start_time": 0, "end_time": 1},
            {"text": "ü", "start": 2, "end": 3, "start_time": 1, "end_time": 1.5},
        ],
    }  # fmt: skip
    assert "ü" in lines[0]
    text = hyp.streams[0].text
    assert [text[r["start"] : r["end"]] for r in map(json.loads, lines)] == ["a ü", "b"]


def test_the_table_is_tidy(put):
    ref = read_references(put("ref.txt", "a\nb\n"))
    table = to_table(pieces_of(ref, read_streams(put("hyp.txt", "x y z\n")), [[2, 1]]))
    assert table.columns == (
        "line", "document", "segment", "edits", "substitutions", "insertions", "deletions",
        "first_token", "last_token", "start", "end", "chosen", "hypothesis", "reference",
    )  # fmt: skip
    assert table.column("hypothesis") == ["x y", "z"]
    assert table.column("edits") == [6, 6]
    assert json.loads(table.to_json())["rows"][0]["document"] is None


def test_a_piece_is_what_stands_at_its_characters():
    with refuses(
        "segment 1: the text of a piece is what stands at its characters, found 1 of them for "
        "[0, 3)"
    ):
        Piece(None, 1, Segment(("a",)), "a", 0, 3, 0, 1, 1, "a", 0, 0, 0)


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(StreamError, match="cannot be written: No such file"):
        write_pieces([], tmp_path / "no" / "out.txt")
    with refuses("'srt' cannot be written; text, jsonl, omnisteval can"):
        write_pieces([], tmp_path / "out.txt", "srt")


# OmniSTEval, by running it.


def talk(put, reference="a b\nc d e f\n", **fields):
    """Two segments of 2 and 4 seconds; the words a b | c d e."""
    segments = "- {wav: t.wav, offset: 1, duration: 2}\n- {wav: t.wav, offset: 3, duration: 4}\n"
    ref = read_references(put("ref.txt", reference), segments=put("seg.yaml", segments))
    record = {"prediction": "a b c d e", "source": ["x/t.wav"], **fields}
    hyp = read_streams(put("instances.log", instance(**record)))
    return pieces_of(ref, hyp, [[2, 3]])


@pytest.mark.parametrize(("timed", "unit"), [(2, "word"), (4, "word"), (5, "char")])
def test_a_log_times_characters_where_it_times_more_than_two_to_a_word(put, timed, unit):
    ref = read_references(put("ref.txt", "abc de\n"))
    (piece,) = pieces_of(ref, read_streams(put("hyp.txt", "abc de\n")), [[2]])
    words = tuple(TimedWord(at, at + 1, delay=1.0) for at in range(timed))
    assert timed_unit([replace(piece, words=words)]) == unit


def scores(path, unit="--word_level"):
    return omnisteval(path.parent / "scores", "--resegmented_hypothesis", path, unit)


def omnisteval(out, *words):
    code = "from omnisteval.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "longform", *map(str, words), "--output_folder", str(out)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = (out / "scores.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {name: float(value) for name, value in (row.split("\t") for row in rows)}


DELAYS = [2000, 2500, 4000, 5000, 8000]


ELAPSED = [2100, 2600, 4100, 5100, 8100]


def test_omnisteval_gets_delays_from_the_start_of_each_segment(put):
    lines = to_omnisteval(talk(put, delays=DELAYS, elapsed=ELAPSED)).splitlines()
    assert list(map(json.loads, lines)) == [
        {
            "index": 0, "docid": "t.wav", "segid": 1, "prediction": "a b", "reference": "a b",
            "source_length": 2000, "delays": [1000, 1500], "elapsed": [1100, 1600],
            "time_to_recording_end": 6000,
        },
        {
            "index": 1, "docid": "t.wav", "segid": 2, "prediction": "c d e",
            "reference": "c d e f", "source_length": 4000, "delays": [1000, 2000, 5000],
            "elapsed": [1100, 2100, 5100], "time_to_recording_end": 4000,
        },
    ]  # fmt: skip


@pytest.mark.slow
def test_omnisteval_finds_the_latency_that_follows_by_hand(put, tmp_path):
    write_pieces(talk(put, delays=DELAYS, elapsed=ELAPSED), tmp_path / "o.jsonl", "omnisteval")
    found = scores(tmp_path / "o.jsonl")
    # A word's lag is its delay less the time at which an even speaker would have said it: words
    # come every 2000/2 and 4000/4 ms.
    first = (1000 + (1500 - 1000)) / 2
    second = (1000 + (2000 - 1000) + (5000 - 2000)) / 3
    assert found["LongYAAL (CU)"] == pytest.approx((first + second) / 2, abs=5e-5)
    assert found["LongYAAL (CA)"] == pytest.approx((first + second) / 2 + 100, abs=5e-5)
    assert math.isfinite(found["BLEU"])


@pytest.mark.slow
def test_omnisteval_finds_the_latency_of_its_own_reading_of_the_log(put, tmp_path):
    words = [f"w{n}" for n in range(120)]
    lines = [" ".join(words[n : n + 12]) for n in range(0, 120, 12)]
    times = [f"- {{wav: t.wav, offset: {4 * n}, duration: 4.0}}\n" for n in range(9)]
    ref = put("ref.txt", "".join(f"{line}\n" for line in lines))
    seg = put("seg.yaml", "".join([*times, "- {wav: t.wav, offset: 36, duration: 14.0}\n"]))
    delays = [1000.0 * (n // 3) + 1500 for n in range(120)]
    totals = np.cumsum([700.0 * (n % 3 == 0) + 41 * (n % 7) for n in range(120)]).tolist()
    record = {
        "prediction": " ".join(words), "source": ["t.wav"], "source_length": 50000.0,
        "delays": delays, "elapsed": [a + b for a, b in zip(delays, totals, strict=True)],
    }  # fmt: skip
    log = put("t.log", instance(**record))
    pieces = fp.resegment(read_references(ref, segments=seg), read_streams(log)).pieces
    write_pieces(pieces, tmp_path / "o.jsonl", "omnisteval")
    assert describe_late_words(pieces) == []
    given = ("--speech_segmentation", seg, "--ref_sentences_file", ref, "--hypothesis_file", log,
             "--hypothesis_format", "jsonl", "--lang", "en", "--word_level")  # fmt: skip
    own = omnisteval(tmp_path / "own", *given, "--fix_simuleval_emission_ca")
    found = scores(tmp_path / "o.jsonl")
    for name in ("LongYAAL (CU)", "LongYAAL (CA)"):
        assert found[name] == pytest.approx(own[name], abs=1e-3)
    assert found["LongYAAL (CA)"] > found["LongYAAL (CU)"] + 100
    # Without its correction omnisteval adds up all computing since the start of the recording.
    assert omnisteval(tmp_path / "sums", *given)["LongYAAL (CA)"] > 5 * found["LongYAAL (CA)"]


def test_words_after_the_end_of_the_recording_are_counted_in_a_note(put):
    assert describe_late_words(talk(put, delays=DELAYS)) == [
        "1 word came out at the end of the recording or after it: omnisteval counts such words in "
        "segments, but not where it reads the log itself, so its latencies differ a little"
    ]
    assert describe_late_words(talk(put, delays=[1000, 2000, 3000, 4000, 5000])) == []
    assert describe_late_words(talk(put)) == []


def test_a_no_break_space_is_a_space_in_what_is_written(put):
    words = "a\u00a0b c d e"
    pieces = talk(put, prediction=words, delays=[2000, 4000, 5000, 8000])
    first = json.loads(to_omnisteval(pieces).splitlines()[0])
    assert (first["prediction"], first["delays"]) == ("a b", [1000, 1000])
    assert to_text(pieces).splitlines()[0] == "a\u00a0b"  # the text is as it was


@pytest.mark.slow
def test_omnisteval_scores_an_empty_reference_and_characters(put, tmp_path):
    pieces = talk(put, "a  b\n\n", delays=DELAYS)
    write_pieces(pieces, tmp_path / "o.jsonl", "omnisteval")
    # The empty reference counts as one word there; three words were said in 4000 ms.
    first, third = 750, 4000 / 3
    second = (1000 + (2000 - third) + (5000 - 2 * third)) / 3
    found = scores(tmp_path / "o.jsonl")
    assert found["LongYAAL (CU)"] == pytest.approx((first + second) / 2, abs=5e-5)
    (tmp_path / "c.jsonl").write_text(to_omnisteval(pieces, "char"), encoding="utf-8")
    assert json.loads(to_omnisteval(pieces, "char").splitlines()[0])["reference"] == "ab"
    found = scores(tmp_path / "c.jsonl", "--char_level")
    assert found["LongYAAL (CU)"] == pytest.approx((first + second) / 2, abs=5e-5)


@pytest.mark.slow
def test_without_delays_omnisteval_scores_quality(put, tmp_path):
    write_pieces(talk(put), tmp_path / "o.jsonl", "omnisteval")
    found = scores(tmp_path / "o.jsonl")
    assert found["chrF"] > 0
    assert "LongYAAL (CU)" not in found


def test_what_omnisteval_could_not_score_is_refused(put):
    ref = read_references(put("ref.txt", "a b\nc\n"))
    hyp = read_streams(put("x.jsonl", instance(prediction="a b c", delays=[1, 2, 3])))
    with refuses(
        "segment 1 has no times, and delays count from its start: give the times of the segments "
        "with --segments"
    ):
        to_omnisteval(pieces_of(ref, hyp, [[2, 1]]))
    table = "doc\tstart\tend\ttext\nt\t0\t1\ta b\nt\t1\t1\tc\n"
    ref = read_references(put("ref.tsv", table))
    with refuses(
        "segment 2 of t has words but lasts no time (1 to 1), so its latency cannot be scored"
    ):
        to_omnisteval(pieces_of(ref, hyp, [[2, 1]]))
    hyp = read_streams(put("w.tsv", "delay\ttext\n1\ta\n\tb\n2\tc\n"))
    with refuses('segment 1 of t: the word "b" has no delay, but others have one'):
        to_omnisteval(pieces_of(ref, hyp, [[3, 0]]))
    with refuses("a unit is word or char, found 'spm'"):
        to_omnisteval([], "spm")
