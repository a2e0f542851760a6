"""References and streams from files, their errors, and what is written for other tools."""

import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import support
from fencepost.formats.options import FormatError
from fencepost.model.checks import FencepostError
from fencepost.model.documents import Stream, StreamSet, TimedWord
from fencepost.streams.documents import StreamError, pair, skip_unshared
from fencepost.streams.inputs import describe, read_references, read_streams
from streaming import HEADER, delayed, instance, references_of, refs, refuses, step, texts


def timed(stream):
    return [(stream.text[w.first : w.last], w.start, w.end) for w in stream.words]


# Plain text.


def test_a_reference_is_one_segment_a_line(put):
    found = read_references(put("ref.txt", "hello\nthis is a meeting\n\ngood-bye\n"))
    assert references_of(found) == [("hello",), ("this is a meeting",), ("",), ("good-bye",)]
    assert [s.place for s in found.segments] == [0, 1, 2, 3]
    assert found.notes == ("1 of 4 segments are empty in all references",)
    assert describe(found) == "1 document, 4 segments, 1 reference"


def test_what_is_empty_in_some_files_is_no_reference_there(put):
    one = put("ref1.txt", "the cat sat\n\n  \nmat\n")
    two = put("ref2.txt", "a cat sat down\nupon\n\n\n")
    found = read_references([one, two])
    assert references_of(found) == [
        ("the cat sat", "a cat sat down"),
        (None, "upon"),
        ("", ""),
        ("mat", None),
    ]
    assert found.notes == (
        "2 of 4 segments lack some reference",
        "1 of 4 segments are empty in all references",
    )
    assert describe(found) == "1 document, 4 segments, 1 to 2 references"


def test_reference_files_of_different_length_are_an_error_that_says_where(put):
    one, two = put("ref1.txt", "a\nb\nc\n"), put("ref2.txt", "a\nb\n")
    sentence = (
        'ref1.txt has 3 segments, ref2.txt 2; ref1.txt, line 3: "c" is the first without a '
        "partner. References stand side by side, an empty line where one has nothing."
    )
    with refuses(sentence):
        read_references([one, two])


def test_a_hypothesis_keeps_its_spacing_and_its_line_ends_are_breaks(put):
    found = read_streams(put("hyp.txt", " hello  this\tis a\n\nmeeting \nbye\n"))
    (stream,) = found
    assert stream.text == " hello  this\tis a\n\nmeeting \nbye"
    assert [stream.text[:place] for place in stream.breaks] == [
        " hello  this\tis a",
        " hello  this\tis a\n",
        " hello  this\tis a\n\nmeeting ",
    ]
    assert (stream.id, stream.words) == (None, ())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_are_no_text(put, end, mark):
    path = put("x.txt", f"{mark}a b{end}c{end}")
    assert references_of(read_references(path)) == [("a b",), ("c",)]
    assert read_streams(path).streams[0].text == "a b\nc"


def test_signs_that_other_tools_take_for_something_are_text(put):
    line = "a </s> b \0 <unk> \u2028 c \x0b d \x85 e"
    path = put("x.txt", f"{line}\nf\n")
    assert references_of(read_references(path)) == [(line,), ("f",)]
    assert read_streams(path).streams[0].text == f"{line}\nf"


def test_a_no_break_space_is_a_space(put):
    lines = "\u00a0\n\u00a0Quoi\u00a0?\u202f\n"
    assert references_of(read_references(put("ref.txt", lines)))[0] == ("",)
    (stream,) = read_streams(put("hyp.txt", lines))
    start, end = stream.trimmed(0, len(stream.text))
    assert stream.text[start:end] == "Quoi\u00a0?"
    assert references_of(read_references(put("ref.stm", "t 1 s 0 1 \u00a0Oui\u00a0!\u00a0\n"))) == [
        ("Oui\u00a0!",)
    ]
    # Fields are divided by blanks and tabs: half of a number would be its confidence.
    words = put("hyp.ctm", "t 1 0 1 10\u00a0000 0.9\nt\t1 1 1 Euro\n")
    assert timed(read_streams(words).streams[0]) == [("10\u00a0000", 0, 1), ("Euro", 1, 2)]
    row = json.dumps([{"words": "a\u00a0b", "session_id": "\u00a0s\u00a0"}])
    assert texts(read_streams(put("x.json", row))) == {"s": "a\u00a0b"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            b"good\r\nbad \xff\r\n",
            "x.txt, line 2: not UTF-8 text: byte 0xff at offset 10; save the file as UTF-8",
        ),
        (
            "a\nb\n".encode("utf-16"),
            "x.txt, line 1: not UTF-8 text: byte 0xff at offset 0 (this looks like UTF-16); save "
            "the file as UTF-8",
        ),
        (
            b"a\n\xe2\x82",
            "x.txt, line 2: not UTF-8 text: byte 0xe2 at offset 2; save the file as UTF-8",
        ),
    ],
)
@pytest.mark.parametrize("read", [read_references, read_streams])
def test_bytes_that_are_not_utf8_are_named_with_file_and_line(put, read, content, sentence):
    with refuses(sentence):
        read(put("x.txt", content))


def test_an_empty_reference_is_an_error_and_an_empty_hypothesis_has_no_words(put):
    path = put("x.txt", "")
    with refuses("x.txt is empty: it has no segments"):
        read_references(path)
    found = read_streams(path)
    assert (found.streams, found.notes) == ((Stream(None, ""),), ("x.txt is empty: 0 words",))


@pytest.mark.parametrize("name", ["x.stm", "x.ctm", "x.jsonl", "x.json", "x.tsv"])
def test_empty_files_of_any_format(put, name):
    if name == "x.tsv":
        with pytest.raises(FormatError, match="no column of the header is called text"):
            read_streams(put(name, "\n"))
        return
    assert texts(read_streams(put(name, ""))) == {None: ""}
    with pytest.raises(FormatError, match=r"is empty: it has no segments|not references"):
        read_references(put(name, ""))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FormatError, match=r"nothing\.txt cannot be read: No such file"):
        read_references(tmp_path / "nothing.txt")
    with refuses("no file can have this name: 'a\\x00b'"):
        read_streams("a\0b")
    with refuses("a file is given by its path, found int 3"):
        read_streams(3)
    with refuses("no reference was given; re-segmentation needs at least one file"):
        read_references([])


# Documents.


def test_documents_by_id_come_back_in_the_order_of_the_lines(put):
    ref = put("ref.txt", "a\nb\nc\nd\n")
    found = read_references(ref, docids=put("docids.txt", "two\none\ntwo\none\n"))
    assert [(d.id, [s.place for s in d.segments]) for d in found] == [
        ("two", [0, 2]),
        ("one", [1, 3]),
    ]
    assert references_of(found) == [("a",), ("b",), ("c",), ("d",)]
    hyp = read_streams(put("hyp.txt", "a c\nb\nd\n"), docids=["two", "one", "one"])
    assert [(p.document.id, p.stream.text, p.stream.breaks) for p in pair(found, hyp)] == [
        ("two", "a c", ()),
        ("one", "b\nd", (1,)),
    ]


def test_without_ids_a_line_is_a_document_where_there_are_several(put):
    found = read_references(put("ref.txt", "a\nb\nc\n"), docids=["two", "one", "one"])
    hyp = read_streams(put("hyp.txt", "x y\n\n"), references=found)
    assert [(p.document.id, p.stream.text) for p in pair(found, hyp)] == [
        ("two", "x y"),
        ("one", ""),
    ]
    sentence = (
        "hyp.txt has 3 lines, ref.txt 2 documents. Without ids there must be one line for each "
        "document, in their order; or give the id of each line (--hyp-docids FILE)."
    )
    with refuses(sentence):
        read_streams(put("hyp.txt", "x\ny\nz\n"), references=found)


def test_ids_as_omnisteval_writes_them(put):
    ids = put("seg.txt", "docid=0,segid=0\ndocid=0,segid=1\ndocid=1,segid=0\n")
    found = read_references(put("ref.txt", "a\nb\nc\n"), docids=ids)
    assert [(d.id, len(d.segments)) for d in found] == [("0", 2), ("1", 1)]


def test_ids_must_be_there_for_each_line(put):
    ref = put("ref.txt", "a\nb\n")
    with refuses("ids.txt has 1 lines, ref.txt 2: each line needs the id of its document"):
        read_references(ref, docids=put("ids.txt", "x\n"))
    with refuses("ids.txt, line 2: an id is missing"):
        read_references(ref, docids=put("ids.txt", "x\n \ny\n"))
    sentence = "documents come from docids or from segments; give one of them"
    with refuses(sentence):
        read_references(ref, docids=["x", "y"], segments="seg.yaml")
    with refuses("the document of each line comes from docids or from lines; give one"):
        read_streams(ref, docids=["x", "y"], lines="breaks")
    with refuses("lines must be breaks or documents, found 'rows'"):
        read_streams(ref, lines="rows")


def hyps(*ids):
    return StreamSet(tuple(Stream(one, one or "") for one in ids), "hyp.ctm")


@pytest.mark.parametrize(
    ("ours", "theirs", "order"),
    [
        (["a", "b"], ["b", "a"], ["a", "b"]),
        (["talks/a.wav", "talks/b.wav"], ["b", "a"], ["a", "b"]),
        (["a.wav", "b.wav"], ["/x/b.wav", "/x/a.flac"], ["/x/a.flac", "/x/b.wav"]),
        (["en.1", "en.2"], ["en.2", "en.1"], ["en.1", "en.2"]),
        ([None], ["only"], ["only"]),
        (["a"], [None], [None]),  # which says nothing: an empty file
    ],
)
def test_pairs_go_by_id(ours, theirs, order):
    assert [p.stream.id for p in pair(refs(*ours), hyps(*theirs))] == order


@pytest.mark.parametrize(
    ("ours", "theirs", "sentence"),
    [
        (
            ["a", "b", "c"],
            ["b"],
            "hyp.ctm lacks 2 of the 3 documents of ref.txt (a, c). Skip them with "
            "--missing skip, or count them as empty with --missing whole",
        ),
        (
            ["a"],
            ["a", "b"],
            "hyp.ctm has 1 document that ref.txt lacks (b). Ids must be the same on both sides, or "
            "ignore these with --missing skip",
        ),
        (
            ["x/a.wav", "x/b.wav"],
            ["a", "c"],
            "hyp.ctm lacks 1 of the 2 documents of ref.txt (x/b.wav) and has 1 document that "
            "ref.txt lacks (c). Ids must be the same on both sides, or ignore these with --missing "
            "skip",
        ),
        (
            [None],
            ["a", "b"],
            "ref.txt does not say which segments belong to which document, and hyp.ctm has 2 "
            "documents (a, b). Say it with --docids or --segments.",
        ),
        (
            ["a", "b", "c"],
            [None, None],
            "hyp.ctm has 2 streams without ids, ref.txt has 3 documents (a, b, c). Without ids "
            "there must be one for each document, in their order.",
        ),
        (["a", "b"], ["a", None], "hyp.ctm: some documents have an id and some have none"),
        # Neither spelling is unique, so neither is tried.
        (
            ["x/a.wav", "y/a.wav"],
            ["a"],
            "hyp.ctm lacks 2 of the 2 documents of ref.txt (x/a.wav, y/a.wav) and has 1 document "
            "that ref.txt lacks (a). Ids must be the same on both sides",
        ),
    ],
)
def test_an_id_on_one_side_only_is_named(ours, theirs, sentence):
    with refuses(sentence):
        pair(refs(*ours), hyps(*theirs))


def test_a_missing_document_can_count_as_empty_but_no_stream_is_ignored_then():
    found = pair(refs("a", "b"), hyps("b.wav"), missing="whole")
    assert [(p.document.id, p.stream.text) for p in found] == [("a", ""), ("b", "b.wav")]
    with pytest.raises(StreamError, match=r"that ref\.txt lacks \(c\)"):
        pair(refs("a", "b"), hyps("b", "c"), missing="whole")
    for wrong in ("refuse", "empty"):
        with refuses(f"missing must be error, skip or whole, found '{wrong}'"):
            pair(refs("a"), hyps("a"), missing=wrong)


def test_documents_of_one_side_can_be_skipped_and_are_named():
    ours, theirs = refs("a", "b", "c"), hyps("x/b.wav", "x/d.wav")
    found = pair(ours, theirs, missing="skip")
    assert [(p.document.id, p.stream.id) for p in found] == [("b", "x/b.wav")]
    shared = skip_unshared(ours, {"one": theirs, "two": hyps("b", "c"), "all": hyps(*[None] * 3)})
    assert [document.id for document in shared.references] == ["b"]
    assert [[s.id for s in one] for one in shared.systems.values()] == [["b"]] * 3
    assert shared.notes == [
        "skipped 2 of 3 documents that hyp.ctm lacks (a, c)",
        "skipped 1 document of hyp.ctm that ref.txt lacks (x/d.wav)",
        "skipped 1 of 3 documents that hyp.ctm lacks (a)",
    ]
    all_there = hyps("a", "b", "c")
    assert skip_unshared(ours, {"one": all_there}) == (ours, {"one": all_there}, [])
    with refuses("no document of ref.txt is in every hypothesis", StreamError):
        skip_unshared(ours, {"one": hyps("a"), "two": hyps("b")})
    sentence = (
        "hyp.ctm lacks 1 of the 1 document of ref.txt (a) and has 1 document that ref.txt lacks "
        "(b). Ids must be the same on both sides"
    )
    with refuses(sentence, StreamError):
        pair(refs("a"), hyps("b"), missing="skip")


def test_an_empty_file_is_an_empty_hypothesis_of_every_document(put):
    ours, theirs = refs("a", "b"), read_streams(put("hyp.ctm", ""))
    found = pair(ours, theirs, missing="whole")
    assert [(p.document.id, p.stream.text) for p in found] == [("a", ""), ("b", "")]
    with pytest.raises(StreamError, match=r"hyp\.ctm has no words .* --missing whole"):
        pair(ours, theirs)


# IWSLT's segmentation.


YAML = """\
- {duration: 3.500000, offset: 12.610000, rW: 9, speaker_id: spk.767, uW: 0, wav: ted_767.wav}
- {duration: 4.1, offset: 16.2, speaker_id: spk.767, wav: ted_767.wav}
- {duration: 2, offset: 0, speaker: spk.1, wav: ted_1.wav}
"""


def test_segments_give_documents_times_and_speakers(put):
    ref = put("ref.de", "Hallo\nWelt\nJa\n")
    found = read_references(ref, segments=put("seg.yaml", YAML))
    assert [(d.id, d.recording, len(d.segments)) for d in found] == [
        ("ted_767.wav", "ted_767.wav", 2),
        ("ted_1.wav", "ted_1.wav", 1),
    ]
    assert [(s.start, round(s.end, 6), s.speaker) for s in found.segments] == [
        (12.61, 16.11, "spk.767"),
        (16.2, 20.3, "spk.767"),
        (0, 2, "spk.1"),
    ]
    entries = [{"wav": "a.wav", "offset": n, "duration": 1} for n in (4, 2, 3)]
    found = read_references(ref, segments=put("seg.json", json.dumps(entries)))
    assert [s.place for s in found.documents[0].segments] == [1, 2, 0]
    assert references_of(found) == [("Hallo",), ("Welt",), ("Ja",)]
    assert found.notes == ("ref.de: 3 segments were put into the order of their times",)


@pytest.mark.parametrize(
    ("yaml", "sentence"),
    [
        ("- {wav: a, offset: 0, duration: 1}\n",
         "seg.yaml has 1 segments, ref.txt 2 lines: there must be one for each line"),
        ("- {wav: a, offset: 0}\n",
         'seg.yaml, segment 1: "duration" is missing, found {"wav": "a", "offset": 0}'),
        ("- {wav: a, offset: x, duration: 1}\n",
         'seg.yaml, segment 1: "offset" must be a number, found "x"'),
        ("- {wav: a, offset: .nan, duration: 1}\n",
         'seg.yaml, segment 1: "offset" must be a number, found NaN'),
        ("- {wav: a, offset: 5, duration: -1}\n",
         "seg.yaml, segment 1: a segment ends after it starts, at 0 or later; found 5 to 4"),
        ("- {wav: a, offset: 0}\n- wav: a\n  offset: 1\n  duration: 1\n  offset: 2\n",
         "seg.yaml, line 5: 'offset' is given twice in one segment"),
        ('- {wav: a, offset: 0, "wav": b}\n',
         "seg.yaml, line 1: 'wav' is given twice in one segment"),
        ("- {wav: a, <<: {offset: 1}, duration: 2}\n",
         "seg.yaml, line 1: << names nothing of a segment"),
        ("- {wav: a, [1]: 2}\n", "seg.yaml, line 1: a list or mapping names nothing of a segment"),
        *((f"- wav: a\n  offset: {odd}\n  duration: 1\n",
           f"seg.yaml, line 2: '{odd}' is not the same number to all programs; write a decimal "
           "number, or a text in quotation marks")
          for odd in ("1:30", "010", "1_000", "0x1F", "0b11", "1:30.5", "1_0.5")),
        ("- 3\n", "seg.yaml, segment 1: expected wav, offset and duration, found 3"),
        ("wav: a\n",
         "seg.yaml: a segmentation is a list of segments with wav, offset and duration, found "
         '{"wav": "a"}'),
        ("- !!python/object/apply:os.system ['true']\n",
         "seg.yaml, line 1: not YAML: could not determine a constructor for the tag "
         "'tag:yaml.org,2002:python/object/apply:os.system'"),
    ],
)  # fmt: skip
def test_segmentations_that_are_none(put, yaml, sentence):
    with refuses(sentence):
        read_references(put("ref.txt", "a\nb\n"), segments=put("seg.yaml", yaml))


def test_yaml_that_is_none(put):
    with pytest.raises(FormatError, match=r"^seg\.yaml, line \d: not YAML: "):
        read_references(put("ref.txt", "a\n"), segments=put("seg.yaml", "- {wav: a\n- b"))


def test_a_segmentation_is_no_reference(put):
    path = put("seg.yaml", YAML)
    with refuses(
        "seg.yaml has times but no texts; it goes with the references: --segments seg.yaml"
    ):
        read_references(path)
    stm = put("ref.stm", "t 1 s 0 1 hello\n")
    with refuses("ref.stm names its documents itself; seg.yaml is for plain text, so remove it"):
        read_references(stm, segments=path)


def test_sources_stand_beside_the_references(put):
    ref = put("ref.txt", "a\nb\n")
    found = read_references(ref, source=put("src.txt", "x\ny\n"))
    assert [s.source for s in found.segments] == ["x", "y"]
    sentence = "src.txt has 1 lines, ref.txt 2 segments: there must be one source for each segment"
    with refuses(sentence):
        read_references(ref, source=put("src.txt", "x\n"))


@pytest.mark.parametrize(("name", "package"), [("seg.yaml", "pyyaml"), ("ref.xml", "defusedxml")])
def test_a_package_that_is_not_there_is_named_with_the_way_to_get_it(
    put, monkeypatch, name, package
):
    for module in ("yaml", "defusedxml", "defusedxml.ElementTree"):
        monkeypatch.setitem(sys.modules, module, None)
    sentence = f"{name} needs {package}, which is not installed: pip install 'fencepost[formats]'"
    ref = put("ref.txt", "a\n")
    given = {"segments": put(name, YAML)} if name == "seg.yaml" else {}
    path = ref if given else put(name, "<?xml version='1.0'?><dataset/>")
    with pytest.raises(ImportError, match=re.escape(sentence)):
        read_references(path, **given)


# STM and CTM.


STM = """\
;; CATEGORY "0" "" ""
AimeeMullins A Aimee_Mullins 17.82 28.81 <o,f0,female> i'd like to share with you
AimeeMullins A Aimee_Mullins 28.81 30.00 <o,,unknown> ignore_time_segment_in_scoring
AimeeMullins A Aimee_Mullins 30.00 40.11 <unk> a discovery </s> that i made
BillGates    A Bill_Gates    1 2
"""


def test_stm_references(put):
    found = read_references(put("ref.stm", STM))
    assert references_of(found) == [
        ("i'd like to share with you",),
        ("<unk> a discovery </s> that i made",),
        ("",),
    ]
    assert [(d.id, d.recording) for d in found] == [
        ("AimeeMullins", "AimeeMullins"),
        ("BillGates", "BillGates"),
    ]
    first = found.segments[0]
    assert (first.start, first.end, first.speaker) == (17.82, 28.81, "Aimee_Mullins")
    assert found.notes == (
        "ref.stm: ignored 1 segment marked ignore_time_segment_in_scoring",
        "1 of 3 segments are empty in all references",
    )


def test_stm_alternatives_are_references(put):
    found = read_references(
        put("ref.stm", "t 1 s 0 1 i've { um / uh / @ } seen it\nt 1 s 1 2 a { b\n")
    )
    assert references_of(found) == [
        ("i've um seen it", "i've uh seen it", "i've seen it"),
        ("a { b", None, None),
    ]


def test_a_stream_of_stm_goes_in_time_and_has_breaks(put):
    found = read_streams(put("h.stm", "t 1 b 2 3 you there\nt 1 a 0 1 hello\nu 1 a 0 1 x\n"))
    assert texts(found) == {"t": "hello\nyou there", "u": "x"}
    stream = found.streams[0]
    assert stream.breaks == (5,)
    assert timed(stream) == [("hello", 0, 1), ("you there", 2, 3)]
    assert [word.speaker for word in stream.words] == ["a", "b"]
    assert found.notes == ("h.stm: 2 lines were put into the order of their times",)


CTM = """\
;; a comment
talk A 0.00 0.30 hello 0.98
talk A 0.31 0.20 </s>
talk A * * <ALT_BEGIN>
talk A 0.60 0.10 uh-huh NA
talk A * * <ALT>
talk A 0.60 0.05 @
talk A * * <ALT_END>
talk A 0.55 0.05 you 0.5 lex spk1
talk B 0.00 0.10 yes
"""


def test_ctm_words_have_times_and_channels_are_documents(put):
    found = read_streams(put("hyp.ctm", CTM))
    assert texts(found) == {"talk/A": "hello </s> you uh-huh", "talk/B": "yes"}
    assert timed(found.streams[0]) == [
        ("hello", 0, 0.3),
        ("</s>", 0.31, 0.51),
        ("you", 0.55, pytest.approx(0.6)),
        ("uh-huh", 0.6, pytest.approx(0.7)),
    ]
    assert found.streams[0].breaks == ()
    assert found.streams[0].words[2].speaker == "spk1"
    assert found.notes == (
        "hyp.ctm: the first of several words was read at 1 position",
        "hyp.ctm: 2 lines were put into the order of their times",
    )


def test_one_channel_is_the_file(put):
    assert texts(read_streams(put("hyp.ctm", "t 1 0 1 a\nt 1 1 1 b\n"))) == {"t": "a b"}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("h.ctm", "t 1 0 1\n",
         'h.ctm, line 1: CTM has file, channel, start, duration and word, found "t 1 0 1"'),
        ("h.ctm", "t 1 0 1 new york\n",
         'h.ctm, line 1: the confidence after the word (field 6) must be a number, found "york"'),
        ("h.ctm", "t 1 x 1 a\n", 'h.ctm, line 1: the start must be a number, found "x"'),
        ("h.ctm", "t 1 0 inf a\n", 'h.ctm, line 1: the duration must be a number, found "inf"'),
        ("h.ctm", "t 1 * * <ALT_BEGIN>\nt 1 0 1 a\n",
         "h.ctm, line 1: <ALT_BEGIN> has no <ALT_END>"),
        ("h.stm", "\nt 1 s 0\n",
         "h.stm, line 2: STM has file, channel, speaker, start and end before the text, found "
         '"t 1 s 0"'),
        ("h.stm", "t 1 s 3 2 a\n",
         "h.stm, line 1: a segment ends after it starts, at 0 or later; found 3 to 2"),
    ],
)  # fmt: skip
def test_stm_and_ctm_that_are_none(put, name, content, sentence):
    with refuses(sentence):
        read_streams(put(name, content))


def test_a_ctm_is_no_reference(put):
    with refuses(
        "ref.ctm: files of the format ctm give streams, not references; tsv, stm, text, seglst, "
        "set give references"
    ):
        read_references(put("ref.ctm", CTM))


# SegLST and tables.


SEGLST = [
    {"session_id": "s1", "speaker": "A", "start_time": 2.5, "end_time": "4", "words": "you there"},
    {"session_id": "s1", "speaker": "B", "start_time": 0, "end_time": 1, "words": "hello"},
    {"session_id": "s2", "speaker": 3, "start_time": 0, "end_time": 1, "words": ["a", "b"]},
]


@pytest.mark.parametrize("lines", [False, True])
def test_seglst(put, lines):
    content = "\n".join(map(json.dumps, SEGLST)) if lines else json.dumps(SEGLST, indent=1)
    path = put("x.json", content)
    found = read_streams(path)
    assert texts(found) == {"s1": "hello\nyou there", "s2": "a b"}
    assert timed(found.streams[0]) == [("hello", 0, 1), ("you there", 2.5, 4)]
    ref = read_references(path)
    assert references_of(ref) == [("you there",), ("hello",), ("a b",)]
    assert [s.place for s in ref.documents[0].segments] == [1, 0]
    assert [s.speaker for s in ref.segments] == ["A", "B", "3"]


TSV = """\
wav\tstart\tduration\tspeaker\tsentence
b.wav\t0.5\t1\tx\tThe "cat
b.wav\t1.5\t\t\tsat on
a.wav\t\t\ty\t
"""


def test_tables_with_times(put):
    ref = read_references(put("r.tsv", TSV))
    assert references_of(ref) == [('The "cat',), ("sat on",), ("",)]
    assert [(s.start, s.end, s.speaker) for s in ref.segments] == [
        (0.5, 1.5, "x"),
        (1.5, None, None),
        (None, None, "y"),
    ]
    found = read_streams(put("h.tsv", TSV))
    assert texts(found) == {"b.wav": 'The "cat\nsat on', "a.wav": ""}
    words = "start\tend\tdelay\telapsed\tword\n0\t1\t1.5\t2\ta\n1\t2\t1.5\t2\tb\n"
    (stream,) = read_streams(put("w.tsv", words))
    assert (stream.text, stream.breaks) == ("a b", ())
    assert timed(stream) == [("a", 0, 1), ("b", 1, 2)]
    assert delayed(stream) == [("a", 1.5, 2), ("b", 1.5, 2)]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("h.tsv", "start\tend\n0\t1\n",
         "h.tsv, line 1: no column of the header is called text (or words, word, transcript, "
         "transcription, sentence, reference, hypothesis, prediction), found start, end"),
        ("h.tsv", "text\twords\na\tb\n",
         "h.tsv, line 1: text and words could both be the text; rename one of them"),
        ("h.tsv", "text\tstart\na\tb\tc\n",
         "h.tsv, line 2: 3 cells under a header of 2; a cell has no tab inside"),
        ("h.tsv", "text\tstart\na\tsoon\n",
         'h.tsv, line 2: the start must be a number, found "soon"'),
        ("h.tsv", "text\tdoc\na\tx\nb\t\n",
         "h.tsv: 1 of 2 segments have no document (the first: line 3)"),
        ("h.csv", "text\n", "h.csv, line 1: words are read from tables with tabs (.tsv)"),
        ("h.json", '[{"words": 3}]', 'h.json, line 1, segment 1: "words" must be a text, found 3'),
        ("h.json", '[{"words": "a"},\n\n 4]',
         'h.json, line 3, segment 2: a segment of SegLST is an object with "words", found 4'),
        ("h.json", '[{"words": "a",}]',
         "h.json, line 1: not JSON: Expecting property name enclosed in double quotes (column 16)"),
        ("h.json", '[{"words": "\\ud800"}]',
         "h.json, line 1, segment 1: '\\ud800' in \"words\" is half a character (a lone "
         "surrogate)"),
        ("h.json", '[{"words": "a", "start_time": true, "end_time": 1}]',
         "h.json, line 1, segment 1: the start must be a number, found true"),
        ("h.json", '{"text": "a"}',
         "h.json: JSON with text is no known format: simulstream has generated_tokens, simuleval "
         "has prediction, seglst has words"),
        ("h.jsonl", '{"prediction": "a"}\n[]\n',
         "h.jsonl, line 2: expected a JSON object, found []"),
    ],
)  # fmt: skip
def test_tables_and_json_that_are_none(put, name, content, sentence):
    with refuses(sentence):
        read_streams(put(name, content))


def test_numbers_and_nesting_beyond_reason(put):
    for content in (
        "[" * 100_000,
        '[{"words": ' + "[" * 100_000,
        '[{"words": "a", "x": ' + "9" * 5000 + "}]",
    ):
        with pytest.raises(FormatError, match=r"JSON|too large"):
            read_streams(put("h.json", content))


# Sets.


SGM = """\
<!DOCTYPE mteval SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd">
<refset setid="dev" srclang="any" trglang="en">
<DOC docid="n1" sysid="ref1">
<hl><seg id="1"> AT&T &amp; a < b &lt;s&gt; &#8364; </seg></hl>
<p>
<seg id="2">two</seg>
</DOC>
<DOC docid="n1" sysid="ref2">
<seg id="1"></seg>
<seg id="2">zwei </s> &copy</seg>
</DOC>
<DOC docid="n2" sysid="ref1"><seg id="1"></seg></DOC>
</refset>
"""


def test_mteval_sgml_is_read_as_it_stands(put):
    found = read_references(put("ref.sgm", SGM))
    assert references_of(found) == [
        ("AT&T & a < b <s> €", None),
        ("two", "zwei </s> &copy"),
        ("", ""),
    ]
    assert [(d.id, [s.id for s in d.segments]) for d in found] == [
        ("n1", ["1", "2"]),
        ("n2", ["1"]),
    ]


def test_sgml_that_calls_itself_xml_is_sgml(put):
    content = '<?xml version="1.0"?><refset><doc docid="a"><seg id="1">R&D</seg></doc></refset>'
    assert references_of(read_references(put("ref.sgm", content))) == [("R&D",)]


def test_references_of_several_sets_go_by_id(put):
    one = '<refset><doc docid="a" sysid="r"><seg id="1">x</seg><seg id="2">y</seg></doc></refset>'
    two = '<refset><doc docid="a" sysid="r"><seg id="2">Y</seg><seg id="3">Z</seg></doc></refset>'
    found = read_references([put("1.sgm", one), put("2.sgm", two)])
    assert references_of(found) == [("x", None), ("y", "Y"), (None, "Z")]


WMT = """\
<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021.en-de">
  <doc origlang="en" id="abc.1">
    <src lang="en"><p><seg id="1">One.</seg><seg id="2">Two &amp; three.</seg></p></src>
    <ref lang="de" translator="A">
      <p><seg id="1">Eins.</seg><seg id="2">Zwei &amp; drei.</seg></p>
    </ref>
    <ref lang="de" translator="B"><p><seg id="1">Ein.</seg></p></ref>
    <hyp system="ours" language="de">
      <p><seg id="1">Eins!</seg></p><p><seg id="2">Drei.</seg></p>
    </hyp>
    <hyp system="theirs" language="de"><p><seg id="1">Nein</seg></p></hyp>
  </doc>
</dataset>
"""


def test_wmt_xml(put):
    path = put("set.xml", WMT)
    found = read_references(path)
    assert references_of(found) == [("Eins.", "Ein."), ("Zwei & drei.", None)]
    assert [s.source for s in found.segments] == ["One.", "Two & three."]
    hyp = read_streams(path, system="ours")
    assert texts(hyp) == {"abc.1": "Eins!\nDrei."}
    assert hyp.streams[0].breaks == (5,)
    with refuses("set.xml has 2 systems; choose one with --system: ours, theirs"):
        read_streams(path)
    with refuses("set.xml has no system other; choose one with --system: ours, theirs"):
        read_streams(path, system="other")


def test_mteval_xml(put):
    content = (
        '<?xml version="1.0"?><mteval><refset setid="s" refid="r1"><doc docid="d">'
        '<p><seg id="1">a</seg></p></doc></refset><refset setid="s" refid="r2">'
        '<doc docid="d"><p><seg id="1">b</seg></p></doc></refset></mteval>'
    )
    assert references_of(read_references(put("ref.xml", content))) == [("a", "b")]


BOMB = '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "b">]><dataset><doc id="x"/></dataset>'


OUTSIDE = (
    '<?xml version="1.0"?><dataset><doc id="x"><ref>lost words<seg>a</seg></ref></doc></dataset>'
)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.sgm", "<refset>\n<doc docid='a'>\n<seg id=1>a\n</doc>",
         "x.sgm, line 3: <seg> has no </seg>"),
        ("x.sgm", "<refset><doc docid='a'><seg id=1>a\n<seg id=2>b</seg></doc>",
         "x.sgm, line 1: <seg> inside a <seg>"),
        ("x.sgm", "<refset><doc docid='a'>\n\nlost words <seg id=1>a</seg></doc>",
         'x.sgm, line 3: "lost words" is outside of <seg>, so it belongs to no segment'),
        ("x.sgm", "<refset><doc docid='a'>\n<seg id=1>a</seg>\n<seg id=1>b</seg></doc>",
         "x.sgm, line 3: seg 1 of document a is given twice; several references need different "
         "refid, sysid or translator"),
        ("x.sgm", "<tstset><doc docid='a'><seg id=1>a</seg></doc></tstset>",
         "x.sgm has no references, only hypotheses"),
        ("x.xml", "<?xml version='1.0'?>\n<dataset><doc>",
         "x.xml, line 2: not XML: no element found (column 15)"),
        ("x.xml", BOMB,
         "x.xml, line 1: XML with entities is not read (EntitiesForbidden); remove that part"),
        ("x.xml", OUTSIDE,
         'x.xml, line 1: "lost words" in document x is outside of <seg>, so it belongs to no '
         "segment"),
        ("x.xml", "<?xml version='1.0'?><dataset/>",
         "x.xml has no <seg>, so it has no references"),
    ],
)  # fmt: skip
def test_sets_that_are_none(put, name, content, sentence):
    with refuses(sentence):
        read_references(put(name, content))


def test_files_that_stand_side_by_side_must_be_about_the_same(put):
    one, two = put("1.stm", "t 1 s 0 1 a\n"), put("2.stm", "t 1 s 0 2 a\n")
    with refuses(
        "1.stm, line 1 and 2.stm, line 1 stand side by side, but their end differs: 1.0 and 2.0"
    ):
        read_references([one, two])


# Nothing is lost.


LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=8)


@given(st.lists(LINE, min_size=1, max_size=6))
def test_the_words_of_a_text_are_all_there(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("x") / "x.txt"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8"))
    if lines[0].startswith("\ufeff"):
        lines = [lines[0][1:], *lines[1:]]
    (stream,) = read_streams(path)
    assert stream.text == "\n".join(lines)
    assert [0, *stream.breaks] == sorted([0, *stream.breaks])
    assert len(stream.breaks) == len(lines) - 1  # an empty line is one too
    assert all(place <= len(stream.text) for place in stream.breaks)
    ref = read_references(path)
    assert [s.references[0].strip() for s in ref.segments] == [line.strip() for line in lines]


@given(st.binary(max_size=60), st.sampled_from(
    ["x.txt", "x.stm", "x.ctm", "x.json", "x.jsonl", "x.tsv", "x.sgm", "x.xml", "x.log"]
))  # fmt: skip
def test_any_bytes_are_read_or_refused_in_a_sentence(tmp_path_factory, data, name):
    path = tmp_path_factory.mktemp("x") / name
    path.write_bytes(data)
    for read in (read_references, read_streams):
        try:
            read(path)
        except FencepostError as error:
            assert str(error)  # noqa: PT017


SAMPLES = {
    "x.stm": STM,
    "x.ctm": CTM,
    "x.json": json.dumps(SEGLST),
    "x.tsv": TSV,
    "x.log": instance(index=0, prediction="a b", delays=[1, 2], elapsed=[3, 4], source=["t.wav"]),
    "x.jsonl": HEADER + step(["▁a", "b"]) + step(["▁c"], ["b"], time=4.0),
    "x.sgm": SGM,
    "x.xml": WMT,
}


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_files_are_read_or_refused_in_a_sentence(tmp_path_factory, name, data):
    text = SAMPLES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        first = data.draw(st.integers(0, len(text)))
        last = data.draw(st.integers(first, min(len(text), first + 9)))
        new = data.draw(
            st.sampled_from(["", " ", "\n", "\t", '"', "null", "{}", "[", "<", "9e999", "x"])
        )
        text = text[:first] + new + text[last:]
    path = tmp_path_factory.mktemp("x") / name
    path.write_bytes(text.encode("utf-8"))
    ref = tmp_path_factory.mktemp("x") / "ref.txt"
    ref.write_text("a\nb\nc\n", encoding="utf-8")
    for read in (
        read_references,
        read_streams,
        lambda path: read_references(ref, segments=path),
        lambda path: read_streams(path, system="ours"),
    ):
        try:
            read(path)
        except FencepostError as error:
            assert str(error)  # noqa: PT017


def test_words_inside_and_trimmed():
    stream = Stream("a", " ab  cd ", (), (TimedWord(1, 3, 0, 1), TimedWord(5, 7, 1, 2)))
    assert [w.first for w in stream.inside(0, 8)] == [1, 5]
    assert [w.first for w in stream.inside(2, 5)] == [1]
    assert stream.inside(3, 5) == ()
    assert stream.trimmed(0, 5) == (1, 3)
    assert stream.trimmed(3, 5) == (5, 5)


# The regression data of another tool.


@pytest.fixture
def regression():
    return support.data_folder("mweralign-regression")


def test_the_regression_data_is_read_as_it_was_meant(regression):
    cases = [folder for folder in sorted(regression.iterdir()) if folder.is_dir()]
    assert len(cases) == 14
    for case in cases:
        ids = case / "docids.txt"
        ref = read_references(case / "ref.txt", docids=ids if ids.exists() else None)
        hyp = read_streams(case / "hyp.txt", references=ref)
        lines = (case / "ref.txt").read_text(encoding="utf-8").splitlines()
        assert [s.references for s in ref.segments] == [(line,) for line in lines]
        pairs = pair(ref, hyp)
        words = " ".join(p.stream.text for p in pairs).split()
        assert words == (case / "hyp.txt").read_text(encoding="utf-8").split()
        if not (case / "cmd").read_text(encoding="utf-8").startswith("--score"):
            expected = (case / "expected.txt").read_text(encoding="utf-8")
            assert "".join(words) == "".join(expected.split())
            assert len(ref.segments) == len(expected.splitlines())
    found = read_references(
        regression / "docids" / "ref.txt", docids=regression / "docids" / "docids.txt"
    )
    assert [(d.id, len(d.segments)) for d in found] == [
        ("en_fr_CLIENT-02_default_2021-01-10-60_doc01", 4),
        ("parstoday-en.7759", 6),
    ]


def test_options_of_other_formats_are_named(put):
    found = read_streams(put("hyp.txt", "a b\n"), tokens="spm", system="ours")
    assert found.notes == (
        "--tokens does not apply to hyp.txt, a file of the format text",
        "--system does not apply to hyp.txt, a file of the format text",
    )
