"""A sample of every format reads to what it says, and broken variants of each are refused."""

import json
import random
import re
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.formats import FORMATS, FormatError, read_bytes, read_text
from fencepost.formats.catalogue import names_giving
from fencepost.model.checks import FencepostError

SAMPLES = Path(__file__).parents[1] / "samples"

# file, format, choices, what is read ((text, stream, coder) -> sizes or marks), the signature.
EXPECTED = [
    ("masses.json", "json", {}, {
        ("harbour", "", "anna"): (3, 2, 4), ("harbour", "", "björn"): (3, 6),
        ("market", "", "anna"): (5, 2)}, {}),
    ("marks.jsonl", "jsonl", {},
     {("harbour", "", "1"): (3, 2), ("market", "", "1"): (1, 2)}, {"flags": "last"}),
    ("probabilities.jsonl", "jsonl", {"threshold": 0.5, "flags": "last"},
     {("harbour", "", "1"): (3, 2), ("market", "", "1"): (1, 2)},
     {"flags": "last", "threshold": "0.5"}),
    ("spans.jsonl", "jsonl", {"default_field": "hyp", "gaps": "join"},
     {("d1", "", "1"): (11, 17), ("d2", "", "1"): (10,)}, {"gaps": "join"}),
    ("times.jsonl", "jsonl", {"encoding": "times", "units": "seconds:0.1"},
     {("t1", "", "1"): (12, 9, 9)}, {"units": "0.1s", "encoding": "times"}),
    ("times.jsonl", "jsonl", {"encoding": "times", "units": "words:words"},
     {("t1", "", "1"): (3, 2, 1)}, {"units": "words:words", "encoding": "times"}),
    ("segeval.json", "segeval", {}, {
        ("stargazers", "", "1"): (2, 3, 3, 1, 3, 6, 3),
        ("stargazers", "", "2"): (2, 8, 2, 4, 2, 3)}, {}),
    ("segeval.tsv", "segeval", {}, {
        ("segeval", "", "1"): (2, 3, 3, 1, 3, 6, 3), ("segeval", "", "2"): (2, 8, 2, 4, 2, 3)}, {}),
    ("sizes.csv", "tsv", {}, {
        ("harbour", "", "anna"): (3, 2, 4), ("harbour", "", "björn"): (3, 6),
        ("market", "", "anna"): (5, 2)}, {}),
    ("nltk.bits", "lines", {},
     {("harbour", "", "1"): (3, 2, 4), ("market", "", "1"): (5, 3)}, {}),
    ("labels.masses", "lines", {"encoding": "labels"},
     {("harbour", "", "1"): (3, 2, 1), ("market", "", "1"): (2, 1)}, {}),
    ("choi.ref", "separated", {}, {("choi", "", "1"): (3, 2)}, {}),
    ("wiki727.txt", "wiki", {}, {("wiki727", "", "1"): ["", "2", "3", "", "2", ""]}, {}),
    ("wiki727.txt", "wiki", {"levels": "2"}, {("wiki727", "", "1"): (2, 3, 1)}, {"levels": "2"}),
    ("wiki727.txt", "wiki", {"levels": "all"},
     {("wiki727", "", "1"): (2, 1, 2, 1)}, {"levels": "all"}),
    ("cats.md", "markdown", {}, {("cats", "", "1"): ["", "2", "1", ""]}, {}),
    ("cats.md", "markdown", {"levels": "1"}, {("cats", "", "1"): (3, 1)}, {"levels": "1"}),
    ("cats.html", "html", {}, {("cats", "", "1"): ["", "2", "1", ""]}, {}),
    ("table.csv", "table", {}, {("harbour", "", "1"): (3, 2, 4), ("market", "", "1"): (5, 2)}, {}),
    ("table.csv", "table", {"default_field": "hyp"},
     {("harbour", "", "1"): (3, 6), ("market", "", "1"): (7,)}, {}),
    ("coders_table.csv", "table", {},
     {("harbour", "", "anna"): (3, 2, 5), ("harbour", "", "björn"): (3, 7)}, {}),
    ("masses.parquet", "parquet", {}, {
        ("harbour", "", "anna"): (3, 2, 4), ("harbour", "", "björn"): (3, 6),
        ("market", "", "anna"): (5, 2)}, {}),
    ("units.parquet", "parquet", {}, {
        ("h", "", "anna"): (2, 1), ("h", "", "björn"): (1, 2), ("m", "", "anna"): (2,)}, {}),
    ("paragraphs.csv", "units", {},
     {("paragraphs", "", "an1"): (3, 2), ("paragraphs", "", "an2"): (2, 2, 1)}, {}),
    ("units.tsv", "units", {}, {
        ("harbour", "", "anna"): (2, 1), ("harbour", "", "björn"): (2, 1),
        ("market", "", "anna"): (2,), ("market", "", "björn"): (1, 1)}, {}),
    ("columns.csv", "units", {"columns": {"text": "story", "unit": "nr", "ref": "gold"}},
     {("d1", "", "gold"): (2, 2), ("d2", "", "gold"): (1, 2)}, {"flags": "last"}),
    ("tidy.csv", "units", {"columns": {"text": "doc", "coder": "rater", "unit": "i", "ref": "cut"}},
     {("d1", "", "anna"): (2, 2), ("d2", "", "anna"): (1, 2), ("d1", "", "ben"): (1, 3),
      ("d2", "", "ben"): (2, 1)}, {"flags": "last"}),
    ("sheet_marks.csv", "units", {}, {
        ("harbour", "", "anna"): (2, 2), ("harbour", "", "ben"): (3, 1),
        ("market", "", "anna"): (2,), ("market", "", "ben"): (1, 1)}, {"flags": "last"}),
    ("sheet_x.csv", "units", {}, {
        ("harbour", "", "anna"): (2, 2), ("harbour", "", "ben"): (3, 1),
        ("market", "", "anna"): (2,), ("market", "", "ben"): (1, 1)}, {"flags": "last"}),
    ("token_marks.csv", "tokens", {}, {
        ("t1", "", "anna"): (2, 2), ("t1", "", "ben"): (3, 1), ("t2", "", "anna"): (2,)},
     {"flags": "last"}),
    ("talk.csv", "tokens", {}, {
        ("t1", "A", "an1"): ["", "", ",", "."], ("t1", "A", "an2"): ["", "", "", "."],
        ("t1", "B", "an1"): ["", "?"], ("t1", "B", "an2"): ["", ""]}, {}),
    ("boundary_strings.csv", "boundary-strings", {}, {
        ("t1", "A", "1"): ["", "", ",", "."], ("t1", "A", "2"): ["", "", "", "."],
        ("t1", "B", "1"): ["", "?"], ("t1", "B", "2"): ["", ""]}, {}),
    ("dialogue.txt", "punctuated", {}, {
        ("dialogue", "F", "1"): ["", "", ",", "", "", "", ".", "", "."],
        ("dialogue", "M", "1"): ["", "", "", "?"]}, {}),
    ("talk.TextGrid", "textgrid", {"units": "words:words", "tiers": "coders"}, {
        ("talk", "", "anna"): (3, 3), ("talk", "", "björn"): (2, 1, 3),
        ("talk", "", "clicks"): (2, 3, 1)}, {"units": "words:words"}),
    ("talk.TextGrid", "textgrid", {"units": "seconds:0.1", "field": "björn", "gaps": "segment"},
     {("talk", "", "1"): (7, 5, 3, 15)}, {"units": "0.1s", "gaps": "segment"}),
    ("talk.TextGrid", "textgrid", {"units": "seconds:0.1", "field": "björn", "gaps": "join"},
     {("talk", "", "1"): (7, 8, 15)}, {"units": "0.1s", "gaps": "join"}),
    ("talk.TextGrid", "textgrid", {"units": "text", "field": "anna"},
     {("talk", "", "1"): (3, 3)}, {"units": "text"}),
    ("short.TextGrid", "textgrid", {"units": "text", "tiers": "{speaker}@{coder}"},
     {("short", "A", "anna"): (3, 3), ("short", "A", "björn"): (6,)}, {"units": "text"}),
    ("short.TextGrid", "textgrid", {"units": "seconds:0.5", "tiers": "speakers"},
     {("short", "A@anna", "1"): (2, 4), ("short", "A@björn", "1"): (6,)}, {"units": "0.5s"}),
    ("talk.eaf", "elan", {"units": "words:words", "tiers": "coders"},
     {("talk", "", "anna"): (3, 1), ("talk", "", "björn"): (3, 1)}, {"units": "words:words"}),
    ("talk.eaf", "elan", {"units": "seconds:0.1", "field": "anna", "gaps": "join"},
     {("talk", "", "1"): (15, 15)}, {"units": "0.1s", "gaps": "join"}),
    ("talk.eaf", "elan", {"units": "seconds:0.25", "field": "björn"},
     {("talk", "", "1"): (6, 3, 3)}, {"units": "0.25s"}),
    ("eve.cha", "chat", {}, {("eve", "CHI", "1"): (2, 1, 1), ("eve", "MOT", "1"): (5,)}, {}),
    ("eve.cha", "chat", {"tiers": "one"}, {("eve", "", "1"): (2, 5, 1, 1)}, {"tiers": "one"}),
    ("chat.rez", "rezonator", {}, {("chat", "Dana", "1"): (3, 3), ("chat", "Eli", "1"): (1,)}, {}),
    ("chat.rez", "rezonator", {"tiers": "one", "ignore_tokens": "mhm"},
     {("chat", "", "1"): (3, 3)}, {"ignored": "mhm"}),
    ("news.conllu", "conllu", {},
     {("n1", "", "1"): (5, 3), ("n2", "", "1"): (2,)}, {"segments": "sentences"}),
    ("disrpt.tok", "conllu", {}, {("d1", "", "1"): (4, 3)}, {"segments": "Seg"}),
    ("disrpt.tok", "conllu", {"field": "sentences"},
     {("d1", "", "1"): (7,)}, {"segments": "sentences"}),
    ("labelstudio.json", "labelstudio", {"snap": True}, {
        ("11", "", "anna@example.org"): (15, 23), ("11", "", "björn@example.org"): (28, 10),
        ("12", "", "anna@example.org"): (6, 4)}, {"units": "chars", "snap": "space"}),
    ("labelstudio.json", "labelstudio", {"units": "words"}, {
        ("11", "", "anna@example.org"): (3, 4), ("11", "", "björn@example.org"): (5, 2),
        ("12", "", "anna@example.org"): (1, 1)}, {"units": "words"}),
    ("labelstudio.json", "labelstudio", {"gaps": "segment"}, {
        ("11", "", "anna@example.org"): (14, 1, 23), ("11", "", "björn@example.org"): (27, 1, 10),
        ("12", "", "anna@example.org"): (5, 1, 4)}, {"units": "chars", "gaps": "segment"}),
    ("chunks.json", "chunks", {}, {("chunks", "", "1"): (14, 13)}, {"overlap": "start"}),
    ("chunks.json", "chunks", {"overlap": "end"},
     {("chunks", "", "1"): (19, 8)}, {"overlap": "end"}),
    ("sentences.sents", "sentences", {}, {("sentences", "", "1"): (4, 5, 2)}, {}),
    ("sentences.sents", "sentences", {"units": "chars"},
     {("sentences", "", "1"): (15, 22, 9)}, {"units": "chars"}),
    ("film.srt", "srt", {}, {
        ("film", "", "1"): ["", "", "eol", "", "", "eob", "", "eob", "", "", "eob"]}, {}),
    ("film.srt", "srt", {"levels": "1"}, {("film", "", "1"): (6, 2, 3)}, {"levels": "1"}),
    ("film.srt", "srt", {"levels": "all"}, {("film", "", "1"): (3, 3, 2, 3)}, {"levels": "all"}),
    ("film.vtt", "vtt", {},
     {("film", "", "1"): ["", "", "eol", "", "", "eob", "", "eob"]}, {}),
    ("film.tagged.txt", "tagged", {}, {
        ("1", "", "1"): ["", "", "eol", "", "", "eob", "", "eob"],
        ("2", "", "1"): ["", "", "eob"]}, {}),
    ("talk.stm", "stm", {}, {("talk1", "", "1"): (3, 2, 1)}, {}),
    ("talk.stm", "stm", {"tiers": "speakers"},
     {("talk1", "anna", "1"): (3, 1), ("talk1", "björn", "1"): (2,)}, {"tiers": "speakers"}),
]  # fmt: skip
IDS = [f"{name} {choices}" for name, _, choices, *_ in EXPECTED]


# What is wrong with a whole file has no line, nor has a file without lines.
OF_THE_FILE = re.compile(
    r"is empty|has no (words|rows|captions|text)|the format is not clear|say --from|two tiers are"
    r"|the tiers (are )?'|no tier |no mark |--tiers speakers \(|--units words or chars"
    r"|does not apply to files"
)
NO_LINES = {"parquet"}


def names(error, name, format, lines):
    """The sentence says which file is wrong, and on which of its lines."""
    message = str(error)
    assert name in message
    if format not in NO_LINES and not OF_THE_FILE.search(message):
        line = re.search(rf"{re.escape(name)}, line (\d+)", message)
        assert line, message
        assert 1 <= int(line[1]) <= lines + 1


def segments(found):
    """All segments of a corpus, of all texts together."""
    return sum(
        len(one) if isinstance(one, tuple) else sum(map(bool, one)) for one in found.values()
    )


def content(corpus):
    return {
        tuple(key): seg.masses if seg.kinds is None else seg.marks
        for key, seg in corpus.entries.items()
    }


@pytest.mark.parametrize(("name", "format", "choices", "expected", "reading"), EXPECTED, ids=IDS)
def test_samples_read_to_what_they_say(name, format, choices, expected, reading):
    for given in (None, format):  # detected, and told
        corpus = fp.read(SAMPLES / name, given, **choices)
        assert content(corpus) == expected
        assert corpus.source.choices == reading


def test_every_format_has_a_sample():
    assert {format for _, format, *_ in EXPECTED} == set(names_giving("segmentations"))
    assert {name for name, *_ in EXPECTED} == {path.name for path in SAMPLES.iterdir()}


@pytest.mark.parametrize("name", sorted({name for name, *_ in EXPECTED}))
def test_compressed_samples_are_the_same(name, tmp_path):
    import gzip

    import zstandard

    _, format, choices, expected, _ = next(one for one in EXPECTED if one[0] == name)
    data = (SAMPLES / name).read_bytes()
    packed = {
        ".gz": gzip.compress(data[:9]) + gzip.compress(data[9:]),
        ".zst": zstandard.compress(data),
    }
    for ending, stored in packed.items():
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(stored)
        assert content(fp.read(path, **choices)) == expected
        assert content(read_bytes(stored, path.name, format, **choices)) == expected
        for cut in (len(stored) - 1, len(stored) // 2):
            with pytest.raises(FencepostError, match=r"damaged or cut short|is empty"):
                read_bytes(stored[:cut], path.name, **choices)


# Files that say where they end are never read in part.
SELF_CONTAINED = {
    "json", "segeval", "parquet", "textgrid", "elan", "chat", "rezonator", "labelstudio", "chunks",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "format", "choices", "expected", "reading"), EXPECTED, ids=IDS)
def test_truncated_samples_are_refused_or_read_the_same(name, format, choices, expected, reading):
    data = (SAMPLES / name).read_bytes()
    cuts = range(0, len(data), max(1, len(data) // 60))
    for cut in cuts:
        try:
            found = content(read_bytes(data[:cut], name, format, **choices))
        except FencepostError as error:
            names(error, name, format, data[:cut].count(b"\n") + 1)
            continue
        assert found and len(found) <= len(expected)
        assert segments(found) <= segments(expected) + 1  # a word cut in two has no mark yet
        if format in SELF_CONTAINED and name != "segeval.tsv":
            assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize(("name", "format", "choices", "expected", "reading"), EXPECTED, ids=IDS)
def test_damaged_samples_are_refused_or_lose_no_more_than_the_damage(
    name, format, choices, expected, reading
):
    data = (SAMPLES / name).read_bytes()
    rng = random.Random(7)
    for _ in range(60):
        spoiled = bytearray(data)
        damages = rng.randint(1, 3)
        for _ in range(damages):
            spoiled[rng.randrange(len(spoiled))] = rng.choice(b'0129 \n\t,."<>[]{}x-')
        for given in (format, None):
            try:
                found = content(read_bytes(bytes(spoiled), name, given, **choices))
            except FencepostError as error:
                names(error, name, format, spoiled.count(b"\n") + 1)
            else:
                if given is None and name == "dialogue.txt":
                    continue  # without its speakers it is any text, a unit a line
                assert len(found) >= len(expected) - damages
                assert segments(found) >= segments(expected) - 2 * damages


TEXTS = sorted({n for n, f, *_ in EXPECTED if not FORMATS[f].read_bytes})


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_lines_that_are_moved_or_doubled_lose_no_more_than_the_line(name):
    _, format, choices, expected, _ = next(one for one in EXPECTED if one[0] == name)
    lines = (SAMPLES / name).read_bytes().split(b"\n")
    rng = random.Random(8)
    for _ in range(60):
        own = list(lines)
        i, j = rng.randrange(len(own)), rng.randrange(len(own))
        change = rng.choice(["swap", "drop", "double"])
        if change == "swap":
            own[i], own[j] = own[j], own[i]
        elif change == "drop":
            del own[i]
        else:
            own.insert(i, own[j])
        try:
            found = content(read_bytes(b"\n".join(own), name, format, **choices))
        except FencepostError as error:
            names(error, name, format, len(own))
            continue
        # A line may hold a whole text, and a NOTE in front of a caption takes it away.
        most = max(segments({key: one}) for key, one in expected.items())
        assert len(found) >= len(expected) - (change != "double")
        assert segments(found) >= segments(expected) - most


@pytest.mark.parametrize("name", ["marks.jsonl", "nltk.bits", "labels.masses", "sizes.csv"])
def test_a_line_is_a_text_whatever_stands_around_it(name):
    _, format, choices, expected, _ = next(one for one in EXPECTED if one[0] == name)
    if name == "marks.jsonl":
        choices = {"flags": "last"}  # one text alone may not prove it
    lines = sample(name).splitlines()
    head, rows = lines[: len(lines) - len(expected)], lines[len(lines) - len(expected) :]
    keys = list(expected)
    swapped = "\n".join([*head, *reversed(rows)])
    assert content(read_text(swapped, name, format, **choices)) == expected
    for number in range(len(rows)):
        fewer = "\n".join([*head, *rows[:number], *rows[number + 1 :]])
        rest = {key: one for key, one in expected.items() if key != keys[number]}
        assert content(read_text(fewer, name, format, **choices)) == rest
        doubled = "\n".join([*head, *rows, rows[number]])
        with pytest.raises(FormatError, match=f"{name}, line {len(lines) + 1}: .*given twice"):
            read_text(doubled, name, format, **choices)


@pytest.mark.parametrize("name", TEXTS)
def test_line_ends_and_a_byte_order_mark_change_nothing(name):
    _, format, choices, expected, _ = next(one for one in EXPECTED if one[0] == name)
    data = (SAMPLES / name).read_bytes()
    for same in (
        data.replace(b"\n", b"\r\n"),
        data.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + data,
        data + b"\n",
        data.rstrip(b"\n"),
    ):
        assert content(read_bytes(same, name, format, **choices)) == expected


def test_a_heading_without_its_level_does_not_cost_the_levels_of_the_others():
    text = changed("wiki727.txt", "========,3,Earthquake.", "======== Earthquake")
    with pytest.raises(FormatError, match=r"wiki727.txt, line 6: .* '======== Earthquake'"):
        read_text(text, "wiki727.txt")
    corpus = read_text(text, "wiki727.txt", "separated")
    assert content(corpus) == {("wiki727", "", "1"): (2, 1, 2, 1)}


@pytest.mark.parametrize("name", TEXTS)
def test_another_encoding_is_refused_with_line_and_byte(name):
    _, format, choices, _, _ = next(one for one in EXPECTED if one[0] == name)
    text = (SAMPLES / name).read_text(encoding="utf-8")
    middle = text.index("\n", len(text) // 2)
    latin = (text[:middle] + "\u00e9" + text[middle:]).encode("cp1252", "replace")
    first = next(i for i, byte in enumerate(latin) if byte > 127)
    line = latin[:first].count(b"\n") + 1
    with pytest.raises(FormatError, match=f"{name}, line {line}: not UTF-8 .*byte 0x"):
        read_bytes(latin, name, format, **choices)
    if format == "textgrid":
        return  # Praat writes UTF-16 itself
    with pytest.raises(FormatError, match="looks like UTF-16"):
        read_bytes(text.encode("utf-16"), name, format, **choices)


def sample(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


def changed(name, old, new, count=1):
    text = sample(name)
    assert old in text
    return text.replace(old, new, count)


TG = {"units": "words:words", "tiers": "coders"}
BROKEN = [
    # Duplicated names.
    ("masses.json", {}, '{"a": [1], "a": [2]}', '"a" is given twice'),
    ("marks.jsonl", {}, changed("marks.jsonl", "market", "harbour"), "line 2: .*given twice"),
    ("sizes.csv", {}, changed("sizes.csv", "björn", "anna"), "line 3: .*given twice"),
    ("table.csv", {}, changed("table.csv", "market", "harbour"), "line 3: .*given twice"),
    ("coders_table.csv", {}, changed("coders_table.csv", "björn", "anna"), "line 3: .*by anna"),
    ("nltk.bits", {}, changed("nltk.bits", "market", "harbour"), "line 2: .*given twice"),
    ("boundary_strings.csv", {}, changed("boundary_strings.csv", "t1,2,A", "t1,1,A"),
     "line 3: .*t"),
    ("news.conllu", {}, changed("news.conllu", "id = n2", "id = n1"), "line 16: .*given twice"),
    ("labelstudio.json", {"snap": True}, changed("labelstudio.json", '"id": 12', '"id": 11'),
     "task 2: the task 11 is given twice"),
    ("labelstudio.json", {"snap": True},
     changed("labelstudio.json", "björn@example.org", "anna@example.org"),
     "task 11, annotation 2 by anna@example.org: this person annotated the task before"),
    ("talk.TextGrid", TG, changed("talk.TextGrid", '"björn"', '"anna"'), "two tiers are called"),
    ("talk.eaf", TG, changed("talk.eaf", 'ANNOTATION_ID="a4"', 'ANNOTATION_ID="a1"'),
     "tier björn, annotation a1: .*given twice"),
    ("chat.rez", {}, changed("chat.rez", '"unitSeq": 3', '"unitSeq": 1'), "unit u3: .*u1"),
    # Overlaps and gaps.
    ("spans.jsonl", {"default_field": "hyp"}, sample("spans.jsonl"),
     "line 1: span 2: 1 unit before this segment is in no segment: this is white space: --snap"),
    ("chunks.json", {}, changed("chunks.json", '"start_index": 14', '"start_index": 0'),
     "two segments start at 0"),
    ("labelstudio.json", {"snap": True}, changed(
        "labelstudio.json", '"start": 15,\n       "end": 38,\n       "text": "Gulls',
        '"start": 9,\n       "end": 38,\n       "text": "e in. Gulls'),
     "region r2: .*overlaps the one before.*--overlap start"),
    ("talk.eaf", {"units": "seconds:0.1", "field": "anna"},
     changed("talk.eaf", 'TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts5"',
             'TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts5"'),
              "annotation a2: two segments start at 0"),
    ("talk.TextGrid", {"units": "seconds:0.1", "field": "björn"}, sample("talk.TextGrid"),
     "line .*tier björn: 3 units before this segment are in no segment"),
    ("film.srt", {}, changed("film.srt", "00:00:04,200", "00:00:00,200"),
     "line 11: .*order of time"),
    ("talk.stm", {}, changed("talk.stm", "1.20 2.50", "1.00 2.50"), "line 3: .*--tiers speakers"),
    # Wrong types and forms.
    ("masses.json", {}, '{"a": [1, "x"]}', "whole numbers"),
    ("probabilities.jsonl", {}, sample("probabilities.jsonl"),
     "line 1: .*probabilities: give --probabilities .* or --threshold 0.5"),
    ("probabilities.jsonl", {"threshold": 0.5}, '{"id": "a", "probs": [0.1, 1.5]}',
     "line 1, text a: .*number 2 .*1.5"),
    ("times.jsonl", {"encoding": "times"}, sample("times.jsonl"), "line 1: times need units"),
    ("times.jsonl", {"encoding": "times", "units": "seconds:0.1"},
     '{"id": "a", "ref": [1.2], "words": []}', "line 1: the length of the recording"),
    ("paragraphs.csv", {}, changed("paragraphs.csv", "\n4,2,2,", ""), "line 5: unit 5 where 4"),
    ("paragraphs.csv", {}, changed("paragraphs.csv", "3,1,2,", "3,,2,"),
     "line 4: an1 has no value"),
    ("paragraphs.csv", {}, "unit,an1\n1,0\n2,1\n", "line 2, an1: .*--encoding labels.*--flags"),
    ("paragraphs.csv", {}, "unit,an1\n1,0.2\n2,0.9\n", "line 2, an1: .*--threshold"),
    ("dialogue.txt", {}, changed("dialogue.txt", "M: did", "did"), "line 2: .*speaker and a colon"),
    ("dialogue.txt", {}, "F: a . ,\nM: b .\n", "line 1: two marks"),
    ("dialogue.txt", {}, "F: . a .\nM: b .\n", "line 1: the mark '.' has no word"),
    ("talk.TextGrid", {}, sample("talk.TextGrid"), "--units words:TIER"),
    ("talk.TextGrid", {"units": "text"}, sample("talk.TextGrid"), "--tiers coders"),
    ("talk.TextGrid", {"units": "words:nope", "tiers": "coders"}, sample("talk.TextGrid"),
     "no tier 'nope' for the words; there are 'words'"),
    ("talk.TextGrid", {"units": "text", "field": "nope"}, sample("talk.TextGrid"),
     "no tier 'nope'"),
    ("talk.TextGrid", {"units": "text", "tiers": "{coder}!"}, sample("talk.TextGrid"),
     "named like"),
    ("talk.TextGrid", TG, changed("talk.TextGrid", "xmax = 1.3", "xmax = soon"),
     "line 5.*: expected"),
    ("talk.TextGrid", TG, changed("talk.TextGrid", "intervals: size = 2", "intervals: size = 3"),
     "line .*: expected a number"),
    ("talk.TextGrid", TG, changed("talk.TextGrid", "intervals: size = 2", "intervals: size = 1"),
     "line .*: expected a text"),
    ("talk.TextGrid", {"units": "seconds:2", "field": "anna", "gaps": "join"},
     changed("talk.TextGrid", "xmax = 1.3", "xmax = 0.3"), "shorter than half a unit"),
    ("talk.eaf", TG, changed("talk.eaf", 'TIME_VALUE="1200"', 'TIME_VALUE="soon"'),
     "time slot ts2"),
    ("talk.eaf", TG, changed("talk.eaf", 'TIME_SLOT_REF2="ts3"', 'TIME_SLOT_REF2="ts9"'),
     "tier björn, annotation a3: its time slots"),
    ("talk.eaf", TG, changed("talk.eaf", 'ANNOTATION_REF="a2"', 'ANNOTATION_REF="a77"'),
     "tier words, annotation a9: there is no annotation 'a77'"),
    ("talk.eaf", TG, changed("talk.eaf", "</HEADER>", ""), "line .*not XML: mismatched"),
    ("talk.eaf", TG, changed("talk.eaf", "<ANNOTATION_DOCUMENT",
                             '<!DOCTYPE a [<!ENTITY b "c">]><ANNOTATION_DOCUMENT'), "DOCTYPE"),
    ("eve.cha", {}, changed("eve.cha", "*CHI:\tyes", "*CHI yes"), "line 11: .*begins with \\*NAME"),
    ("eve.cha", {}, changed("eve.cha", "cookie !", "cookie"), "line 12: not CHAT: .*terminator"),
    ("eve.cha", {}, changed("eve.cha", "@End", ""), "line 13: .*@End.*cut short"),
    ("eve.cha", {}, changed("eve.cha", "*CHI:\tyes", "yes"), "line 11: a line begins with"),
    ("chat.rez", {}, changed("chat.rez", '"token": "t3"', '"token": "t33"'), "unit u1: the entry"),
    ("chat.rez", {}, changed("chat.rez", '"e4"\n', '"e3"\n'), "unit u2: the token t3 is also in"),
    ("chat.rez", {"units_field": "gloss"}, sample("chat.rez"), "no tag gloss; there are lit, word"),
    ("chat.rez", {"tiers": "coders"}, sample("chat.rez"), "--tiers speakers"),
    ("news.conllu", {}, changed("news.conllu", "4\twait\t_", "4\twait"), "line 8: .*10 columns"),
    ("news.conllu", {}, changed("news.conllu", "4\twait", "5\twait"),
     "line 8: word 5 follows word 3"),
    ("disrpt.tok", {"field": "Entity"}, sample("disrpt.tok"), "no mark Entity=.*there are Seg"),
    ("disrpt.tok", {}, changed("disrpt.tok", "Seg=O", "Seg=X"), "line 3: Seg=X"),
    ("labelstudio.json", {"snap": True}, changed("labelstudio.json", '"end": 14', '"end": "14"'),
     "task 11, annotation 1 by .*region r1"),
    ("labelstudio.json", {"snap": True}, changed("labelstudio.json", '"end": 38', '"end": 380'),
     "region r2: the segment ends at 380, the text has 38"),
    ("labelstudio.json", {}, sample("labelstudio.json"), "this is white space: --snap"),
    ("chunks.json", {}, '[{"text": "a", "start_index": "x", "end_index": 3}]', "chunk 1"),
    ("film.srt", {}, changed("film.srt", "00:00:03,000 -->", "00:00:03,000 ->"), "line 7: .*times"),
    ("film.srt", {}, changed("film.srt", "café.\n\n2\n", "café.\n"), "line 5: an empty line"),
    ("film.vtt", {}, changed("film.vtt", "WEBVTT", "WEB"), "line 1: .*begins with WEBVTT"),
    ("film.tagged.txt", {}, "<eob> a\n", "line 1: <eob> has no word"),
    ("talk.stm", {}, changed("talk.stm", "1.20 2.50", "1.20 x"), "line 3: .*number"),
    ("sentences.sents", {"units": "seconds:1"}, sample("sentences.sents"),
     "--units words or chars"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "choices", "text", "said"), BROKEN, ids=[f"{i}-{b[0]}" for i, b in enumerate(BROKEN)]
)
def test_what_is_wrong_is_said_with_the_place(name, choices, text, said):
    format = next(format for one, format, *_ in EXPECTED if one == name)
    with pytest.raises(FormatError, match=said) as caught:
        read_text(text, name, format, **choices)
    names(caught.value, name, format, text.count("\n") + 1)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"threshold": 0}, "above 0 and at most 1"),
        ({"units": "metres"}, "units must be words:TIER"),
        ({"levels": "x"}, "levels must be kinds"),
        ({"tiers": "{who}"}, "tiers must be coders"),
        ({"gaps": "x"}, "gaps must be segment or join"),
        ({"overlap": "x"}, "overlap must be start or end"),
    ],
)
def test_choices_that_no_file_could_have_are_refused(choices, said):
    with pytest.raises(FormatError, match=said):
        fp.read(SAMPLES / "masses.json", **choices)


def test_a_cancelled_annotation_is_missing_and_a_prediction_is_no_coder():
    corpus = fp.read(SAMPLES / "labelstudio.json", snap=True)
    assert corpus.coders == ["anna@example.org", "björn@example.org"]
    assert ("12", "", "björn@example.org") not in corpus.entries


def test_words_and_units_come_along():
    corpus = fp.read(SAMPLES / "talk.TextGrid", units="words:words", tiers="coders")
    assert corpus.tokens["talk", ""] == ["so", "we", "went", "and", "it", "rained"]
    assert fp.read(SAMPLES / "eve.cha").tokens["eve", "CHI"] == ["more", "cookie", "yes", "cookie"]
    assert fp.read(SAMPLES / "film.srt").tokens["film", ""][:4] == ["So", "we", "went", "to"]
    assert fp.read(SAMPLES / "news.conllu").tokens["n1", ""][:3] == ["Ships", "do", "n't"]


def test_praatio_pympi_and_conllu_read_the_same_tiers():
    """Our own strict readers against the packages of each field."""
    import conllu
    import pympi
    from praatio import textgrid

    from fencepost.formats import elan
    from fencepost.formats import textgrid as ours
    from fencepost.formats.options import Reading

    seen = {}

    def keep(tiers, first, last, reading):
        seen.update({t.name: [(s.start, s.end, s.label) for s in t.stretches] for t in tiers})
        return fp.Corpus.from_entries({})

    theirs = textgrid.openTextgrid(str(SAMPLES / "talk.TextGrid"), includeEmptyIntervals=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours, "corpus_of_tiers", keep)
        ours.read_textgrid(sample("talk.TextGrid"), Reading("talk.TextGrid"))
    for name in ("words", "anna", "björn"):
        assert seen[name] == [tuple(entry) for entry in theirs.getTier(name).entries]
    seen.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elan, "corpus_of_tiers", keep)
        elan.read_elan(sample("talk.eaf"), Reading("talk.eaf"))
    eaf = pympi.Elan.Eaf(str(SAMPLES / "talk.eaf"))
    found = [(a / 1000, b / 1000, text) for a, b, text in eaf.get_annotation_data_for_tier("anna")]
    assert seen["anna"] == sorted(found)
    words = [token["form"] for s in conllu.parse(sample("disrpt.tok")) for token in s]
    assert fp.read(SAMPLES / "disrpt.tok").tokens["d1", ""] == words


def test_sentences_are_checked_against_the_raw_text(tmp_path):
    raw = tmp_path / "raw.txt"
    raw.write_text("The ships  came in. Gulls cried\nover the café. It rained.\n", encoding="utf-8")
    path = SAMPLES / "sentences.sents"
    corpus = fp.read(path, raw=str(raw))
    assert content(corpus) == {("sentences", "", "1"): (4, 5, 2)}
    inside = '["The ships came in. Gu", "lls cried over the café. It rained."]'
    with pytest.raises(FormatError, match=r"sentence 1: .*inside a word.*--units chars"):
        read_text(inside, "x.sents", raw=str(raw))
    chars = read_text(inside, "x.sents", raw=str(raw), units="chars")
    assert content(chars) == {("x", "", "1"): (22, 36)}  # and white space
    with pytest.raises(FormatError, match=r"line 2: .*part .* at character 20.*resegment"):
        read_text("The ships came in.\nCulls cried.\n", "x.sents", raw=str(raw))
    with pytest.raises(FormatError, match=r"line 1: .*goes on"):
        read_text("The ships came in.\n", "x.sents", raw=str(raw))
    with pytest.raises(FormatError, match="cannot be read"):
        fp.read(path, raw=str(tmp_path / "none.txt"))


def test_chunks_of_other_tools_and_the_raw_text(tmp_path):
    langchain = [
        {"page_content": "It rained. ", "metadata": {"start_index": 0, "source": "a"}},
        {"page_content": "We left.", "metadata": {"start_index": 11, "source": "a"}},
        {"page_content": "Sun.", "metadata": {"start_index": 0, "source": "b"}},
    ]
    corpus = read_text(json.dumps(langchain), "x.json")
    assert content(corpus) == {("a", "", "1"): (11, 8), ("b", "", "1"): (4,)}
    llama = [{"start_char_idx": 0, "end_char_idx": 10}, {"start_char_idx": 11, "end_char_idx": 19}]
    raw = tmp_path / "raw.txt"
    raw.write_text("It rained. We left.\n", encoding="utf-8")
    corpus = read_text(json.dumps(llama), "x.json", "chunks", raw=str(raw), snap=True)
    assert content(corpus) == {("x", "", "1"): (11, 9)}
    assert corpus.source.choices == {"snap": "space"}
    with pytest.raises(FormatError, match="--snap looks at the text"):
        read_text(json.dumps(llama), "x.json", "chunks", snap=True)


def test_segmentations_of_recordings_and_paragraphs_in_label_studio():
    task = {
        "id": 1,
        "data": {"audio": "a.wav"},
        "annotations": [
            {
                "id": 1,
                "completed_by": 2,
                "result": [
                    {"id": "a", "original_length": 3.0, "value": {"start": 0, "end": 1.2}},
                    {"id": "b", "original_length": 3.0, "value": {"start": 1.2, "end": 3.0}},
                    {"id": "c", "type": "choices", "value": {"choices": ["x"]}},
                    {"id": "a", "type": "choices", "value": {"start": 0, "end": 1.2}},
                ],
            }
        ],
    }
    found = read_text(json.dumps([task]), "ls.json", units="seconds:0.1")
    assert content(found) == {("1", "", "2"): (12, 18)}
    task["data"] = {"dialogue": [{"author": "A", "text": "so"}, {"author": "B", "text": "mhm"}]}
    task["annotations"][0]["result"] = [
        {"id": "a", "value": {"start": "0", "end": "0", "startOffset": 0, "endOffset": 2}},
        {"id": "b", "value": {"start": "1", "end": "1", "startOffset": 0, "endOffset": 3}},
    ]
    found = read_text(json.dumps([task]), "ls.json")
    assert content(found) == {("1", "", "2"): (1, 1)}
    assert found.tokens["1", ""] == ["so", "mhm"] and found.unit == "paragraph"


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    import sys

    for package, name, extra in (
        ("defusedxml", "talk.eaf", "formats"),
        ("pylangacq", "eve.cha", "formats"),
        ("pyarrow", "masses.parquet", "arrow"),
    ):
        with monkeypatch.context() as patch:
            for loaded in [m for m in sys.modules if m.partition(".")[0] == package]:
                patch.delitem(sys.modules, loaded)
            patch.setitem(sys.modules, package, None)
            with pytest.raises(ImportError, match=rf"needs {package}.*fencepost\[{extra}\]"):
                fp.read(SAMPLES / name)


def test_no_room_of_formats_unpickles():
    folder = Path(fp.__file__).parent / "formats"
    assert not [p.name for p in folder.glob("*.py") if "pickle" in p.read_text(encoding="utf-8")]
