"""What annotation tools and chunkers really write: read as meant, or refused with the way out."""

import json
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.formats import FormatError, read_text
from fencepost.metrics.signature import Signature
from fencepost.model.checks import FencepostError

NAN, ENDLESS = float("nan"), float("inf")


def content(corpus):
    return {tuple(key): seg.masses for key, seg in corpus.entries.items()}


def refused(text, said, name="x.json", format=None, **choices):
    given = text if isinstance(text, str) else json.dumps(text, indent=1)
    with pytest.raises(FormatError, match=said) as caught:
        read_text(given, name, format, **choices)
    assert f"{name}, line " in str(caught.value)


# Label Studio.


def region(start, end, id="a", **more):
    return {"id": id, "value": {"start": start, "end": end, **more}}


def task(*result, data=None, **annotation):
    made = {"id": 1, "completed_by": 2, "result": list(result), **annotation}
    return {"id": 7, "data": data or {"text": "It rained. We left."}, "annotations": [made]}


TEXT = [region(0, 11), region(11, 19, "b")]
DIALOGUE = {"dialogue": [{"text": "Dont you hate that?"}, {"text": "Hate what?"}]}


def test_who_labelled_nothing_left_a_gap():
    choice = {"id": "c", "type": "choices", "value": {"choices": ["English"]}}
    relation = {"type": "relation", "from_id": "a", "to_id": "b"}
    for result in ([], [choice], [relation, choice]):
        refused([task(*result)], "line .*task 7, annotation 1 by 2: nothing is labelled: --gaps")
        for rule in ("segment", "join"):
            corpus = read_text(json.dumps([task(*result)]), "x.json", gaps=rule)
            assert content(corpus) == {("7", "", "2"): (19,)}
            assert corpus.source.choices == {"units": "chars", "gaps": rule}
    silent = task(data={"audio": "a.wav"})
    refused([silent], "original_length", units="seconds:0.1", gaps="join")
    silent["annotations"].append(
        {"id": 2, "completed_by": 3, "result": [{**region(0, 1.5), "original_length": 1.5}]}
    )
    corpus = read_text(json.dumps([silent]), "x.json", units="seconds:0.5", gaps="join")
    assert content(corpus) == {("7", "", "2"): (3,), ("7", "", "3"): (3,)}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (["x", "y"], 'result 1 must be an object, found the text "x"'),
        ([TEXT[0], "oops"], "result 2 must be an object"),
        ([TEXT[0], {"id": "b", "value": {"start": 11}}], 'region b: .*found no "end"'),
        ([TEXT[0], {"id": "b", "value": {"end": 19}}], 'region b: .*found no "start"'),
        ([TEXT[0], {"id": "b", "type": "labels", "value": {"labels": ["S"]}}], 'no "start"'),
        ([{"id": "b", "type": "rectanglelabels", "value": {"x": 1, "y": 2}}], 'no "start"'),
        ([TEXT[0], {"id": "b", "value": 5}], 'region b: "value" must be an object'),
        ([region(NAN, 19)], '"start" must be a whole number from 0, found the number NaN'),
        ([region(0, ENDLESS)], '"end" must be a whole number'),
        ([region(0, 10.7)], '"end" must be a whole number from 0, found the number 10.7'),
        ([region(0, True)], '"end" must be a whole number'),
        ([region(0, 10**400)], '"end" must be a whole number'),
        ([region(5, 5)], "region a: the region starts at 5 and ends at 5"),
        ([region(5, 3)], "region a: the region starts at 5 and ends at 3"),
        ([region(0, 20)], "ends at 20, the text has 19"),
    ],
)
def test_results_that_are_no_regions_are_refused_under_every_rule(result, said):
    for gaps in (None, "join", "segment"):
        refused([task(*result)], said, gaps=gaps)


@pytest.mark.parametrize("length", ["3", "abc", ENDLESS, NAN, 0, -1, True, 10**400])
def test_the_length_of_a_recording_is_a_number(length):
    one = {**region(0.0, 1.2), "original_length": length}
    refused([task(one)], '"original_length" must be seconds', units="seconds:0.1")


@pytest.mark.parametrize("odd", ["false", 0, None, [], 1])
def test_cancelled_is_true_or_false(odd):
    other = {**task(*TEXT), "id": 8}
    refused(
        [task(*TEXT, was_cancelled=odd), other],
        'line 8, task 7, annotation 1: "was_cancelled" must be true or',
    )
    kept = read_text(json.dumps([task(*TEXT, was_cancelled=True), other]), "x.json")
    assert content(kept) == {("8", "", "2"): (11, 8)}


def test_a_task_without_a_text_says_what_it_has():
    elsewhere = task(*TEXT, data={"recipe": "It rained. We left.", "tags": ["a", "b"]})
    refused(
        [elsewhere],
        'task 7, .*no text in "text"; its data has "recipe", "tags": .*--columns units=',
    )
    corpus = read_text(json.dumps([elsewhere]), "x.json", units_field="recipe")
    assert content(corpus) == {("7", "", "2"): (11, 8)}
    refused([task(data={"text": " "})], "task 1: the text of the task is empty", gaps="join")
    refused([task(data={"dialogue": []})], "task 1: the text of the task is empty", gaps="join")


def test_json_min_is_known_and_refused():
    least = [{"id": 1, "text": "It rained.", "label": [{"start": 0, "end": 10}], "annotator": 1,
              "annotation_id": 9, "lead_time": 4.2}]  # fmt: skip
    refused(least, "line 2, task 1: this is Label Studio's JSON-MIN, .*export as JSON")


def paragraph(first, start, last, end, id="a"):
    return region(str(first), str(last), id, startOffset=start, endOffset=end)


def test_regions_inside_paragraphs_need_units_of_their_own():
    whole = [paragraph(0, 0, 0, 19), paragraph(1, 0, 1, 10, "b")]
    assert content(read_text(json.dumps([task(*whole, data=DIALOGUE)]), "x.json")) == {
        ("7", "", "2"): (1, 1)
    }
    # A region that stops before the first character of a paragraph does not hold it.
    to_next = [paragraph(0, 0, 1, 0), paragraph(0, 19, 1, 10, "b")]
    assert content(read_text(json.dumps([task(*to_next, data=DIALOGUE)]), "x.json")) == {
        ("7", "", "2"): (1, 1)
    }
    parts = [paragraph(0, 0, 0, 4), paragraph(0, 4, 1, 4, "b"), paragraph(1, 4, 1, 10, "c")]
    made = [task(*parts, data=DIALOGUE)]
    refused(made, r"region a: .*ends inside paragraph 0 \(at character 4 of 19\).*--units chars")
    chars = read_text(json.dumps(made), "x.json", units="chars")
    assert content(chars) == {("7", "", "2"): (4, 19, 6)} and chars.unit == "character"
    words = read_text(json.dumps(made), "x.json", units="words")
    assert content(words) == {("7", "", "2"): (1, 4, 1)}
    assert words.tokens["7", ""] == ["Dont", "you", "hate", "that?", "Hate", "what?"]
    begins = [paragraph(0, 9, 0, 19)]
    refused([task(*begins, data=DIALOGUE)], "region a: .*begins inside paragraph 0", gaps="join")


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (paragraph("²", 0, 1, 10), '"start" must be a whole number from 0, found the text "²"'),
        (paragraph("9" * 5000, 0, 1, 10), "a number of 5000 digits is too large"),
        (paragraph(0, 0, 2, 3), '"end" is paragraph 2, and there are 2, counted from 0'),
        (paragraph(0, 0, 1, 11), '"endOffset" must be a position in the paragraph, from 0 to 10'),
        (paragraph(0, -1, 1, 10), '"startOffset" must be a position'),
        (paragraph(0, "0", 1, 10), '"startOffset" must be a position'),
    ],
)
def test_places_in_paragraphs_are_checked(one, said):
    refused([task(one, data=DIALOGUE)], said)


def test_a_paragraph_without_a_text_is_refused():
    data = {"dialogue": [{"utterance": "so"}]}
    refused([task(paragraph(0, 0, 0, 2), data=data)], 'paragraph 0 must be a text or have a "text"')


# Rezonator.


def rez(units=None, tokens=None, **root):
    """Units with the numbers of their tokens, and the tags of each token."""
    nodes = {}
    for id, (speaker, entries) in (units or {"u1": ("A", [1, 2]), "u2": ("B", [3])}).items():
        tags = speaker if isinstance(speaker, dict) else {"speaker": speaker}
        nodes[id] = {"type": "unit", "unitSeq": int(id[1:]), "tagMap": tags, "participantID": "p",
                     "entryList": [f"e{n}" for n in entries]}  # fmt: skip
    for n, tags in enumerate(tokens or ["so", "we", "went"], start=1):
        nodes[f"e{n}"] = {"type": "entry", "token": f"t{n}"}
        own = tags if isinstance(tags, dict) else {"word": tags}
        nodes[f"t{n}"] = {"type": "token", "tagMap": own}
    return {"ROOT": [{"nodeMap": nodes, **root}]}


def read_rez(data, **choices):
    return read_text(json.dumps(data), "x.rez", **choices)


def test_a_rezonator_file_says_which_tags_it_shows():
    tags = [{"word": "w", "lit": "so"}, {"word": "w", "lit": "we"}, {"word": "w", "lit": "went"}]
    names = {"u1": ({"Name": "Dana", "speaker": "x"}, [1, 2]), "u2": ({"Name": "Eli"}, [3])}
    data = rez(names, tags, displayTokenField="lit", participantField="Name")
    corpus = read_rez(data)
    assert content(corpus) == {("x", "Dana", "1"): (2,), ("x", "Eli", "1"): (1,)}
    assert corpus.tokens["x", "Dana"] == ["so", "we"]
    assert read_rez(data, units_field="word").tokens["x", "Eli"] == ["w"]
    stale = rez(displayTokenField="gone", participantField="gone")
    assert content(read_rez(stale)) == {("x", "A", "1"): (2,), ("x", "B", "1"): (1,)}


def test_what_was_not_said_is_left_out():
    units = {"u1": ("A", [1, 2, 3]), "u2": ("A", [4]), "u3": ("A", [5])}
    corpus = read_rez(rez(units, ["so", "<0>", "we", "", "went"]))
    assert content(corpus) == {("x", "A", "1"): (2, 1)}
    assert corpus.tokens["x", "A"] == ["so", "we", "went"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (rez({"u1": ("A", [1, 1, 2]), "u2": ("A", [3])}), "unit u1: the token t1 is listed twice"),
        (rez({"u1": ("A", [1, 2]), "u2": ("A", [2, 3])}), "unit u2: the token t2 is also in"),
        (rez({"u1": ("A", [1]), "u2": ("A", [3])}), "token t2: 1 token belong to no unit"),
        (rez(tokens=["so", {"lit": "x"}, "went"]), 'token t2: the tag "word" .*it has none'),
        (rez(tokens=["so", {"word": None}, "went"]), 'token t2: the tag "word" .*found null'),
        (rez({"u1": ("A", [1, 2]), "u2": ({}, [3])}), 'unit u2: the tag "speaker".*it has none'),
        (rez({"u1": ("A", [1, 2]), "u2": ({"speaker": [1]}, [3])}), "unit u2: .*found a list"),
        ({"ROOT": [{"dynaWordGrid": [[1.0]]}]}, "old version .*save it with a current Rezonator"),
        ({"ROOT": [{"nodeMap": 3}]}, 'line 4: .*"nodeMap", found the number 3'),
        ({"ROOT": []}, '"nodeMap", found none'),
    ],
)
def test_broken_rezonator_files_are_refused(data, said):
    refused(data, said, "x.rez")


@pytest.mark.parametrize("odd", [NAN, ENDLESS, -ENDLESS, 10**400, True, "1", None])
def test_the_order_of_units_is_a_number(odd):
    data = rez()
    data["ROOT"][0]["nodeMap"]["u2"]["unitSeq"] = odd
    refused(data, 'unit u2: "unitSeq" must be a number', "x.rez")


def test_units_between_others_keep_their_order():
    data = rez({"u1": ("A", [1]), "u2": ("A", [2, 3])})
    nodes = data["ROOT"][0]["nodeMap"]
    nodes["u1"]["unitSeq"], nodes["u2"]["unitSeq"] = 1.7, 1.2
    assert content(read_rez(data)) == {("x", "A", "1"): (2, 1)}


# Chunks.


def llama(document, start, end, **more):
    return {"id_": "n", "relationships": {"1": {"node_id": document, "node_type": "4"}},
            "start_char_idx": start, "end_char_idx": end, "text": "", **more}  # fmt: skip


def page(number, start, text, source="a.pdf"):
    inside = {"source": source, "page": number, "start_index": start}
    return {"page_content": text, "metadata": inside}


def test_llamaindex_names_the_document_of_a_node():
    two = [llama("A", 0, 5), llama("A", 5, 9), llama("B", 0, 6), llama("B", 6, 8)]
    expected = {("A", "", "1"): (5, 4), ("B", "", "1"): (6, 2)}
    assert content(read_text(json.dumps(two), "x.json")) == expected
    # Starts that never coincide would have made one text of two.
    apart = [llama("A", 0, 5), llama("B", 2, 9)]
    refused(apart, "line .*chunk 2: 2 units before this segment are in no segment")
    only = read_text(json.dumps(two[:2]), "x.json")
    assert not only.source.is_named  # its one name is made up, and pairs with any other text
    files = [
        llama("A", 0, 5, metadata={"file_name": "a.txt"}),
        llama("A", 5, 9, metadata={"file_name": "b.txt"}),
    ]
    corpus = read_text(json.dumps(files), "x.json", id_field="metadata.file_name", gaps="join")
    assert content(corpus) == {("a.txt", "", "1"): (5,), ("b.txt", "", "1"): (9,)}
    refused(files, '"metadata.file" must name the document .*none', id_field="metadata.file")


def test_pages_that_count_anew_are_texts_of_their_own():
    pages = [page(0, 0, "First."), page(0, 6, " More."), page(1, 1, "Second.")]
    refused(pages, "line .*chunk 3: chunks of page 1 and of page 0 .*metadata.source,metadata.page")
    fields = "metadata.source,metadata.page"
    corpus = read_text(json.dumps(pages), "x.json", id_field=fields, gaps="join")
    assert content(corpus) == {("a.pdf, 0", "", "1"): (6, 6), ("a.pdf, 1", "", "1"): (8,)}


@pytest.mark.parametrize(
    ("chunks", "said"),
    [
        ([{"page_content": "a", "metadata": {}}], "chunk 1: .*add_start_index=True"),
        ([llama("A", 0, 5), llama("A", None, None)], "chunk 2: this chunk has no position: .*null"),
        ([llama("A", 0, 5), llama("A", 0, 9)], "chunk 2: two segments start at 0"),
        (
            [llama("A", 0, 5), llama("A", -1, 9)],
            "chunk 2: .* no position: its start is -1",
        ),
        ([llama("A", 0, 5), llama("A", -2, 9)], "chunk 2 is no interval"),
        ([llama("A", 0, 5), llama("A", 5, 10**400)], "chunk 2 is no interval .* 2.40 units"),
        ([llama("A", 0, 5), llama("A", 5.5, 9)], "chunk 2: start and end must be whole numbers"),
        ({"docstore/data": {}, "docstore/metadata": {}}, "line 1: this is a LlamaIndex docstore"),
        (
            [{"start_index": 0, "end_index": 5, "doc_id": "a"}, {"start_index": 5, "end_index": 9}],
            "chunk 2: some chunks name their document and others do not",
        ),
        ([{"start_index": 0, "end_index": 5, "doc_id": True}], 'chunk 1: "doc_id" must name'),
    ],
)
def test_chunks_that_cannot_be_placed_are_refused(chunks, said):
    refused(chunks, said)


def test_dumps_of_langchain_are_unwrapped():
    inside = page(0, 0, "First.")
    dumped = [{"lc": 1, "type": "constructor", "id": ["langchain", "Document"], "kwargs": inside}]
    assert content(read_text(json.dumps(dumped), "x.json")) == {("a.pdf", "", "1"): (6,)}


# Records and tables.


@pytest.mark.parametrize(
    ("more", "units", "said"),
    [
        ({"words": 5}, "words:words", '"words" must be a list .*found the number 5'),
        ({"words": {"a": 1}}, "words:words", '"words" must be a list'),
        ({"words": []}, "words:words", '"words" must be a list'),
        ({"words": [[0, 1], [NAN, 2]]}, "words:words", "number 2 is a list"),
        ({"words": [[0, 1], [3, 2]]}, "words:words", "number 2 is a list"),
        ({}, "words:words", 'no field "words"'),
        *(({"duration": d}, "seconds:0.1", '"duration" must be seconds')
          for d in (NAN, ENDLESS, 10**400, -3, 0, True, "3")),
    ],
)  # fmt: skip
def test_times_of_words_and_recordings_are_checked(more, units, said):
    record = json.dumps({"id": "a", "ref": [1.2, 2.0], **more})
    refused(record, f"line 1: .*{said}", "x.jsonl", encoding="times", units=units)


@pytest.mark.parametrize("note", ["- -", "e e", "1.2.3 4", "+ 1", "1e 2", ". ."])
def test_cells_that_only_look_like_numbers_are_text(note, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"id,ref,note\nd1,5 5,{note}\n", encoding="utf-8")
    assert content(fp.read(path)) == {("d1", "", "1"): (5, 5)}
    path.write_text(f"id,ref\nd1,{note}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"t.csv, line 2: "):
        fp.read(path)


def test_a_wrong_digit_in_a_column_of_marks_makes_no_sizes_of_it():
    text = "id,coder,ref\nd1,an1,1010001\nd1,an2,0000000\n"
    assert set(content(read_text(text, "x.csv", "table")).values()) == {(1, 2, 4, 1), (8,)}
    refused(
        text.replace("0001", "0002"), 'line 2: "ref" must be 0 and 1, found "2"', "x.csv", "table"
    )


def test_real_numbers_in_cells_are_read():
    text = "id,ref\nd1,.2 9e-1 +0.1 1.\n"
    corpus = read_text(text, "x.csv", "table", threshold=0.5, flags="last")
    assert content(corpus) == {("d1", "", "1"): (2, 2)}


# Pairing and signatures.


def lines(*records):
    return read_text("\n".join(map(json.dumps, records)), "x.jsonl")


def words(text, ref, id="d1"):
    return lines({"id": id, "ref": ref, "units": text.split()})


def test_another_text_of_the_same_length_is_refused():
    reference = words("so we went to the sea", "00100")
    with pytest.raises(
        FencepostError, match=r"d1: 100% .*hardly the same text.*resegment.*convert"
    ):
        fp.score(reference, words("it rained all day in town", "00100"), metrics=["pk"])
    half = fp.score(reference, words("so they walked to a sea", "00100"), metrics=["pk"])
    assert "resegment" in " ".join(half.notes) and '"we" / "they"' in " ".join(half.notes)
    spelled = fp.score(reference, words("So, WE went to the sea!", "00100"), metrics=["pk"])
    assert "resegment" not in " ".join(spelled.notes) and "differ between" in " ".join(
        spelled.notes
    )
    numbered = fp.score(reference, words("1 2 3 4 5 6", "00100"), metrics=["pk"])
    assert "resegment" not in " ".join(numbered.notes)
    few = fp.score(words("a b c", "01"), words("x y z", "01"), metrics=["pk"])
    assert "resegment" in " ".join(few.notes)


def test_ids_on_one_side_only_are_said_to_be_so():
    named, numbered = lines({"id": "d1", "ref": "00100"}), lines({"ref": "00100"})
    for one, other in ((named, numbered), (numbered, named)):
        with pytest.raises(FencepostError, match=r"names its texts \(d1\) and .* has no names"):
            fp.score(one, {"system": other}, metrics=["pk"])
    other = lines({"id": "d2", "ref": "00100"})
    with pytest.raises(FencepostError, match=r"none of the 1 text of x \(d1\), but d2"):
        fp.score(named, {"system": other}, metrics=["pk"])


def test_how_values_were_read_is_known_where_it_changes_them():
    same = read_text("5 5\n", "x.masses", encoding="masses")
    assert same.source.choices == {}
    text = '{"id": "a", "ref": [1, 1, 2, 2, 3, 3, 3]}'
    for encoding, sizes in (("labels", (2, 2, 3)), ("masses", (1, 1, 2, 2, 3, 3, 3))):
        corpus = read_text(text, "x.jsonl", encoding=encoding)
        assert content(corpus) == {("a", "", "1"): sizes}
        assert corpus.source.choices == {"encoding": encoding}
    table = "unit,an1\n1,0\n2,1\n3,1\n4,0\n"
    assert read_text(table, "x.csv", encoding="labels").source.choices == {"encoding": "labels"}


def test_a_choice_of_streams_is_known_where_there_are_several():
    talk = "F: so we went , and then .\nM: did you ?\n"
    assert read_text(talk, "x.txt", "punctuated", tiers="one").source.choices == {"tiers": "one"}
    assert read_text(talk, "x.txt", "punctuated", tiers="speakers").source.choices == {}
    alone = "F: so we went , and then .\n"
    assert read_text(alone, "x.txt", "punctuated", tiers="one").source.choices == {}
    assert read_rez(rez(), tiers="one").source.choices == {"tiers": "one"}
    assert read_rez(rez({"u1": ("A", [1, 2, 3])}), tiers="one").source.choices == {}


def test_a_signature_brings_its_choices_of_reading_along(tmp_path):
    from fencepost.cli import main

    ref, hyp, out = tmp_path / "r.jsonl", tmp_path / "h.jsonl", tmp_path / "out.json"
    ref.write_text('{"id": "a", "ref": [1, 1, 2, 2, 3, 3, 3]}\n', encoding="utf-8")
    hyp.write_text('{"id": "a", "hyp": [1, 1, 1, 2, 3, 3, 3]}\n', encoding="utf-8")
    start = ["score", str(ref), "-i", str(hyp), "--json", "--no-intervals", "-o", str(out)]
    assert main([*start, "-m", "pk", "--encoding", "labels"]) == 0
    row = json.loads(out.read_text(encoding="utf-8"))["rows"][0]
    assert "|encoding:labels|" in row["signature"]
    assert main([*start, "--signature", row["signature"]]) == 0
    again = json.loads(out.read_text(encoding="utf-8"))["rows"][0]
    assert (again["value"], again["signature"]) == (row["value"], row["signature"])
    assert main([*start, "--signature", row["signature"], "--encoding", "masses"]) == 2


# What files say twice must agree.

RAW = "It rained. We left.\n\nHome was far."
SPANS = [(0, 11), (11, 21), (21, 34)]


def chonkie(raw=RAW):
    return [{"text": raw[a:b], "start_index": a, "end_index": b} for a, b in SPANS]


@pytest.fixture
def raw(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text(RAW, encoding="utf-8")
    return str(path)


def masses(corpus):
    ((_, seg),) = corpus.entries.items()
    return seg.masses


def test_chunks_are_compared_to_the_raw_text(raw, tmp_path):
    assert masses(read_text(json.dumps(chonkie()), "x.json", raw=raw)) == (11, 10, 13)
    changed = chonkie()
    changed[1]["text"] = "We lost.\n\n"
    refused(changed, "chunk 2: the chunk parts from the text x at character 15: 'Welost", raw=raw)
    other = tmp_path / "other.txt"
    other.write_text(RAW.replace("rained", "snowed"), encoding="utf-8")
    refused(chonkie(), "chunk 1: .*at character 3: 'Itrained.' / 'It snowed", raw=str(other))
    other.write_bytes(RAW.replace("\n", "\r\n").encode())
    refused(chonkie(), "chunk 3: .*the same line ends", raw=str(other))
    stripped = [{**one, "text": one["text"].strip()} for one in chonkie()]
    assert masses(read_text(json.dumps(stripped), "x.json", raw=raw)) == (11, 10, 13)


def test_chunks_without_places_are_looked_for_in_the_raw_text(raw):
    parts = [{"page_content": RAW[a:b], "metadata": {}} for a, b in SPANS]
    corpus = read_text(json.dumps(parts), "x.json", raw=raw)
    assert masses(corpus) == (11, 10, 13)
    assert corpus.source.choices == {"places": "found"}
    stripped = [{"text": RAW[a:b].strip()} for a, b in SPANS]
    corpus = read_text(json.dumps(stripped), "x.json", "chunks", raw=raw, snap=True)
    assert masses(corpus) == (11, 10, 13)
    overlapping = [{"page_content": RAW[a:b]} for a, b in [(0, 11), (3, 21), (21, 34)]]
    assert masses(read_text(json.dumps(overlapping), "x.json", raw=raw)) == (3, 18, 13)
    refused(parts, "chunk 1: .*add_start_index=True, or --raw FILE names the text")
    refused([*parts[:1], {"page_content": "Gone."}], "chunk 2: .*is not in the text x", raw=raw)
    refused([{"page_content": "e"}], "chunk 1: .*more than once", raw=raw)
    nowhere = [llama("x", 0, 11), llama("x", None, None)]
    refused(nowhere, "chunk 2: this chunk has no position: .*--raw FILE")


@pytest.mark.parametrize(
    "given",
    [
        [[0, 11], [11, 34]],
        [{"start": 0, "end": 11, "text": "x"}, {"start": 11, "end": 34, "text": "y"}],
        [{"start": 0, "end": 11}, {"start": 11, "end": 34}],
    ],
)
def test_lists_of_spans_are_one_text(given):
    corpus = read_text(json.dumps(given), "talk.json")
    assert content(corpus) == {("talk", "", "1"): (11, 23)}
    assert corpus.unit == "character"
    assert content(read_text(json.dumps(given), "talk.json", "chunks", encoding="spans")) == (
        content(corpus)
    )


def test_records_with_start_and_end_stay_records():
    record = {"id": "a", "start": 0, "end": 9, "ref": [3, 2]}
    assert content(read_text(json.dumps([record]), "x.json")) == {("a", "", "1"): (3, 2)}


def test_seconds_are_no_characters():
    refused([{"start": 0.0, "end": 3.4, "text": "so"}], "chunk 1: .*whole numbers.*--units seconds")


def test_chunks_and_sentences_of_one_text_count_the_same(raw):
    sentences = "It rained.\nWe left.\nHome was far.\n"
    for units, sizes in (("chars", (11, 10, 13)), ("words", (2, 2, 3))):
        chunks = read_text(
            json.dumps(chonkie()), "x.json", raw=raw, units=units, snap=units == "chars"
        )
        lines = read_text(sentences, "x.sents", raw=raw, units=units)
        assert masses(chunks) == masses(lines) == sizes
        assert list(chunks.tokens.values()) == list(lines.tokens.values())
        assert chunks.unit == lines.unit
        assert chunks.source.choices["units"] == units
    # Without the raw text white space between sentences is not known.
    assert masses(read_text(sentences, "x.sents", units="chars")) == (9, 7, 11)


def test_chunks_of_the_raw_text_are_compared_whatever_they_call_it(raw):
    sources = [{**one, "metadata": {"source": "docs/raw.txt"}} for one in chonkie()]
    chunks = read_text(json.dumps(sources), "x.json", raw=raw, units="words")
    lines = read_text("It rained. We left.\nHome was far.", "s.sents", raw=raw, units="words")
    assert not chunks.source.is_named and not lines.source.is_named
    assert read_text(json.dumps(sources), "x.json").source.is_named


def test_a_folder_of_raw_texts_has_a_file_for_each(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(RAW, encoding="utf-8")
    chunks = [{**one, "doc_id": doc} for doc in ("docs/a.txt", "b") for one in chonkie()]
    corpus = read_text(json.dumps(chunks), "x.json", raw=str(tmp_path), units="words")
    assert {seg.masses for seg in corpus.entries.values()} == {(2, 2, 3)}
    assert corpus.texts == ["docs/a.txt", "b"] and corpus.source.is_named
    lost = [{**one, "doc_id": "c"} for one in chonkie()]
    with pytest.raises(FormatError, match="has 0 files for the text c"):
        read_text(json.dumps(lost), "x.json", raw=str(tmp_path))


EXAMPLES = """{"id": "talk1", "ref": [1.2, 2.1], "duration": 3.0}
{"id": "talk2", "ref": [[0.0, 1.2], [1.2, 2.4]]}"""
WORDS = '{"id": "talk1", "ref": [1.2], "words": [[0.0, 0.4], [0.5, 1.1], [1.3, 2.0]]}'


def test_the_times_of_the_page_of_formats_are_read():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    assert f"```text\n{EXAMPLES}\n```" in page and f"```text\n{WORDS}\n```" in page
    corpus = read_text(EXAMPLES, "x.jsonl", encoding="times", units="seconds:0.1")
    assert [seg.masses for seg in corpus.entries.values()] == [(12, 9, 9), (12, 12)]
    assert masses(read_text(WORDS, "x.jsonl", encoding="times", units="words:words")) == (2, 1)


def test_a_chunk_that_cuts_a_word_ends_at_the_nearer_side(raw):
    for cut, sizes in ((5, (1, 6)), (6, (1, 6)), (7, (2, 5)), (9, (2, 5)), (10, (2, 5))):
        corpus = read_text(f"[[0, {cut}], [{cut}, 34]]", "x.json", raw=raw, units="words")
        assert masses(corpus) == sizes
    refused(chonkie(), "--units words counts the words of the text.*--raw FILE", units="words")
    with pytest.raises(FormatError, match="chunks have --units chars, words or lines"):
        read_text(json.dumps(chonkie()), "x.json", raw=raw, units="seconds:1")


def test_texts_of_regions_are_compared():
    text = "It rained. We left."
    fitting = [region(0, 11, text=text[:11]), region(11, 19, "b", text=text[11:])]
    shifted = [region(0, 12, text=text[:11]), region(12, 19, "b", text=text[12:])]
    assert masses(read_text(json.dumps([task(*fitting)]), "x.json")) == (11, 8)
    said = "region a: the region says that its text is 'It rained. ', but characters 0 to 12"
    refused([task(*shifted)], said)
    empty = [region(0, 11, text=""), region(11, 19, "b")]
    assert masses(read_text(json.dumps([task(*empty)]), "x.json")) == (11, 8)
    # Ends of lines stand as two signs in what Label Studio says of a region.
    lines = {"text": "It rained.\nWe left."}
    escaped = [region(0, 14, text="It rained.\\nWe "), region(14, 19, "b", text="left.")]
    assert masses(read_text(json.dumps([task(*escaped, data=lines)]), "x.json")) == (14, 5)


def test_offsets_in_utf_16_are_read_as_such():
    data = {"text": "\N{GRINNING FACE} It rained. We left."}
    points = [
        region(0, 13, text="\N{GRINNING FACE} It rained. "),
        region(13, 21, "b", text="We left."),
    ]
    units = [
        region(0, 14, text="\N{GRINNING FACE} It rained. "),
        region(14, 22, "b", text="We left."),
    ]
    corpus = read_text(json.dumps([task(*points, data=data)]), "x.json")
    again = read_text(json.dumps([task(*units, data=data)]), "x.json")
    assert masses(corpus) == masses(again) == (13, 8)
    assert "offsets" not in corpus.source.choices
    assert again.source.choices["offsets"] == "utf-16"
    whole = [region(0, 22, text=data["text"])]  # ends behind the characters of the text
    assert masses(read_text(json.dumps([task(*whole, data=data)]), "x.json")) == (21,)
    refused([task(region(0, 99, text="It"), data=data)], "region a: the segment ends at 99")


def of_page(start, end, text, id="a"):
    path = "/p[1]/text()[1]"
    value = {"start": path, "end": path, "startOffset": 0, "endOffset": 1, "text": text}
    offsets = {"start": start, "end": end}
    return {"id": id, "type": "hypertextlabels", "value": {**value, "globalOffsets": offsets}}


def test_the_text_of_a_page_is_counted_without_tags():
    data = {"text": "<p>It rained &amp; <b>poured</b>. We left.</p>"}
    regions = [of_page(0, 20, "It rained & poured. "), of_page(20, 28, "We left.", "b")]
    corpus = read_text(json.dumps([task(*regions, data=data)]), "x.json")
    assert masses(corpus) == (20, 8)
    assert "".join(corpus.tokens["7", ""]) == "It rained & poured. We left."
    refused([task(of_page(3, 20, "It rained"), data=data)], "region a: the region says")


@pytest.mark.parametrize("counts", [0, 1])
def test_whether_a_line_break_counts_is_seen_by_the_texts(counts):
    data = {"text": "It rained.<br>We left.<br/>Home."}
    ends = [0, 10 + counts, 18 + 2 * counts, 23 + 2 * counts]
    texts = ["It rained.", "We left.", "Home."]
    regions = [of_page(ends[n], ends[n + 1], text, str(n)) for n, text in enumerate(texts)]
    corpus = read_text(json.dumps([task(*regions, data=data)]), "x.json")
    assert masses(corpus) == (10 + counts, 8 + counts, 5)
    bare = [of_page(ends[n], ends[n + 1], "", str(n)) for n in range(3)]
    refused([task(*bare, data=data)], "task 1: the text has <br>")


def test_tasks_that_nobody_annotated_are_said_to_be_missing():
    other = {**task(*TEXT), "id": 8, "annotations": []}
    corpus = read_text(json.dumps([task(*TEXT), other]), "x.json")
    assert corpus.texts == ["7"]
    assert corpus.source.choices == {"units": "chars", "unannotated": "missing"}
    cancelled = {**task(*TEXT, was_cancelled=True), "id": 8}
    assert "unannotated" in read_text(json.dumps([task(*TEXT), cancelled]), "x.json").source.choices
    fields = Signature(
        "windowdiff|unannotated:missing|offsets:utf-16|places:found"
    ).context.fields()
    assert list(fields) == ["unannotated", "offsets", "places"]
    assert "unannotated" not in read_text(json.dumps([task(*TEXT)]), "x.json").source.choices


def test_a_grid_too_coarse_for_a_cut_is_refused():
    record = [{"id": "t", "ref": [1.2, 2.2], "duration": 3.0}]
    choices = {"encoding": "times", "units": "seconds:5"}
    refused(record, "the boundary at 1.2 is less than half a unit of --units seconds:5", **choices)
    refused(
        [{"id": "t", "ref": [1.2, 2.9], "duration": 3.0}],
        "the boundary at 2.9 .* from the end of the recording",
        **{**choices, "units": "seconds:1"},
    )
    # The ends of the recording are no cuts, also where a tool rounded them.
    ends = [{"id": "t", "ref": [0.0, 1.2, 2.9995], "duration": 3.0}]
    corpus = read_text(json.dumps(ends), "x.json", encoding="times", units="seconds:0.1")
    assert masses(corpus) == (12, 18)


# One raw file is one text.

SPANS_OF_TWO = [("d1", 0, 10), ("d1", 11, 19), ("d2", 0, 5), ("d2", 6, 12)]


def spans_of_two():
    rows = [{"doc_id": d, "start_index": a, "end_index": b} for d, a, b in SPANS_OF_TWO]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_one_raw_file_is_not_the_text_of_several(tmp_path):
    (tmp_path / "d1.txt").write_text("It rained. We left.", encoding="utf-8")
    (tmp_path / "d2.txt").write_text("The long rain.", encoding="utf-8")
    several = r"x\.jsonl has 2 texts, and --raw .*d1\.txt is one file; give a folder"
    choices = {"units": "words", "gaps": "join"}
    with pytest.raises(FormatError, match=several):
        read_text(spans_of_two(), "x.jsonl", raw=str(tmp_path / "d1.txt"), **choices)
    with pytest.raises(FormatError, match=several.replace("jsonl", "json", 1)):
        read_text('{"a": ["It rained."], "b": ["We left."]}', "x.json", "sentences",
                  raw=str(tmp_path / "d1.txt"))  # fmt: skip
    corpus = read_text(spans_of_two(), "x.jsonl", raw=str(tmp_path), **choices)
    assert [seg.units for seg in corpus.entries.values()] == [4, 3]
    assert f"of the texts in {tmp_path.name}/" in corpus.source.shape


def test_the_raw_file_is_in_the_line_on_reading(raw):
    assert "of raw.txt" in read_text(json.dumps(chonkie()), "x.json", raw=raw).source.shape
    sentences = read_text("It rained.\nWe left.\nHome was far.\n", "x.sents", raw=raw)
    assert "of raw.txt" in sentences.source.shape


@pytest.mark.parametrize("name", ["raw.json", "raw.JSONL", "raw.ndjson"])
def test_raw_texts_are_not_json(tmp_path, name):
    path = tmp_path / name
    path.write_text(json.dumps({"d1": "It rained. We left."}), encoding="utf-8")
    with pytest.raises(FormatError, match="is JSON, and --raw expects the text itself"):
        read_text(spans_of_two(), "x.jsonl", raw=str(path), units="words", gaps="join")
