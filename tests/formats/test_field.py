"""What files from the field have that the samples have not: other tools, other years, damage."""

import re
import subprocess
import sys

import pytest

import fencepost as fp
from fencepost.formats import FormatError, read_bytes, read_text
from fencepost.metrics.signature import Signature
from support import run_apart


def masses(corpus):
    return {tuple(key): seg.masses for key, seg in corpus.entries.items()}


def only(corpus):
    """The sizes of the one segmentation."""
    (seg,) = corpus.entries.values()
    return seg.masses


def words(corpus):
    (found,) = corpus.tokens.values()
    return list(found)


def refuses(said, text, name, **choices):
    with pytest.raises(FormatError, match=said):
        read_text(text, name, **choices)


# CoNLL-U and DISRPT.


def rows(*given):
    """Lines as they are, and words as (number, word, mark)."""
    lines = [x if isinstance(x, str) else "\t".join([x[0], x[1], *"_" * 7, x[2]]) for x in given]
    return "\n".join(lines) + "\n\n"


B, NO = "Seg=B-seg", "Seg=O"


@pytest.mark.parametrize("mark", ["# newdoc", "# newdoc id =", "# newdoc id = ", "#newdoc_id="])
def test_a_document_of_conllu_without_an_id_begins_all_the_same(mark):
    words = ["\t".join([str(n), "so", *"_" * 8]) for n in (1, 2)]
    text = "\n".join(["# newdoc id = a", *words, "", mark, *words, ""])
    assert read_text(text, "x.conllu").texts == ["a", "x 2"]


@pytest.mark.parametrize("head", ["# newdoc id = ", "# newdoc_id = ", "#newdoc_id="])
def test_documents_are_kept_apart_however_their_line_is_written(head):
    one = [("1", "Rain", B), ("2", "fell", "_"), ("3", "while", B)]
    text = rows(f"{head}d1", *one, "", f"{head}d2", *one[:2], "", f"{head}d3", *one)
    found = masses(read_text(text, "x.tok"))
    assert found == {("d1", "", "1"): (2, 1), ("d2", "", "1"): (2,), ("d3", "", "1"): (2, 1)}


def test_ranges_may_have_fewer_columns_than_words():
    short = "\t".join(["2-3", "harbour's", *"_" * 7])
    text = rows(("1", "the", B), short, ("2", "harbour", NO), ("3", "'s", NO), ("4", "to", B))
    assert only(read_text(text, "x.tok")) == (3, 1)


def test_a_mark_on_a_range_is_that_of_its_first_word():
    text = rows(
        ("1", "so", "BeginSeg=Yes"), ("2-3", "it's", "_|BeginSeg=Yes"), ("2", "it", "_"),
        ("3", "'s", "_"), ("4", "wet", "_"),
    )  # fmt: skip
    assert only(read_text(text, "x.tok")) == (1, 3)
    both = text.replace("2\tit\t_\t_\t_\t_\t_\t_\t_\t_", "2\tit\t_\t_\t_\t_\t_\t_\t_\tBeginSeg=Yes")
    assert only(read_text(both, "x.tok")) == (1, 3)
    against = rows(("1", "so", B), ("2-3", "it's", B), ("2", "it", NO), ("3", "'s", NO))
    refuses(r"line 3: Seg=O, but the words written as one .* Seg=B-seg", against, "x.tok")
    lost = rows(("1", "so", B), ("7-8", "it's", B), ("2", "it", NO))
    refuses(r"line 2: 7-8 has a mark and follows word 1", lost, "x.tok")


def test_connectives_are_no_segments():
    text = rows(("1", "We", "_"), ("2", "left", "_"), ("3", "because", "Seg=B-Conn"))
    refuses(r"x.tok, line 3: Seg=B-Conn marks connectives.*--columns ref=", text, "x.tok")
    later = rows(("1", "We", "Conn=O"), ("2", "left", "Conn=O"), ("3", "so", "Conn=B-conn"))
    refuses(r"Conn= marks connectives.*sentences.* reads each document as one", later, "x.tok")
    refuses(r"line 3: Conn=B-conn marks connectives", later, "x.tok", field="Conn")
    assert only(read_text(later, "x.tok", field="sentences")) == (3,)
    assert only(read_text(later + later, "x.conllu")) == (3, 3)  # here sentences are apart


def test_a_word_has_one_mark_and_every_word_where_others_say_o():
    text = rows(("1", "so", B), ("2", "we", "Seg=B-seg|Seg=O"), ("3", "left", NO))
    refuses(r"line 2: the word has Seg=B-seg and Seg=O; a word has one", text, "x.tok")
    assert only(read_text(text.replace("Seg=B-seg|Seg=O", "Seg=O|Seg=O"), "x.tok")) == (3,)
    lost = rows(("1", "so", B), ("2", "we", "SpaceAfter=No"), ("3", "left", NO))
    refuses(r"line 2: no Seg= here, where other words .* have Seg=O", lost, "x.tok")
    bare = rows(("1", "so", B), ("2", "we", "O"), ("3", "left", B))
    assert only(read_text(bare, "x.tok")) == (2, 1)
    refuses(r"line 2: Seg= has no value", rows(("1", "so", B), ("2", "we", "Seg=")), "x.tok")


def test_a_mark_that_is_cut_inside_is_refused_and_a_missing_line_end_is_not():
    whole = rows(("1", "so", B), ("2", "we", NO), ("3", "left", B))
    assert only(read_text(whole.rstrip("\n"), "x.tok")) == (2, 1)
    for cut in range(1, len(B)):
        refuses(r"line 3: .*(cut short|columns|value)", whole.rstrip("\n")[:-cut], "x.tok")


def test_numbers_of_words_of_any_length():
    refuses(r"line 1: a number of 5000 digits is too large", rows(("1" * 5000, "so", B)), "x.tok")
    refuses(r"line 2: a number of 5000 digits", rows(("1", "so", B), ("2" * 5000 + "-3", "x", B)),
            "x.tok")  # fmt: skip


# ELAN.


def eaf(slots, *tiers):
    """An ELAN file: milliseconds (or None) by slot; tiers (name, parent, [(id, from, to, value)]).

    An annotation of three is one that depends on another: (id, on, value).
    """
    lines = ["<ANNOTATION_DOCUMENT>", "<TIME_ORDER>"]
    for name, value in slots.items():
        time = "" if value is None else f' TIME_VALUE="{value}"'
        lines.append(f'<TIME_SLOT TIME_SLOT_ID="{name}"{time}/>')
    lines.append("</TIME_ORDER>")
    for name, parent, annotations in tiers:
        above = f' PARENT_REF="{parent}"' if parent else ""
        lines.append(f'<TIER TIER_ID="{name}"{above}>')
        for id, *refs, value in annotations:
            kind = "ALIGNABLE_ANNOTATION" if len(refs) == 2 else "REF_ANNOTATION"
            names = ("TIME_SLOT_REF1", "TIME_SLOT_REF2") if len(refs) == 2 else ("ANNOTATION_REF",)
            given = " ".join(f'{n}="{r}"' for n, r in zip(names, refs, strict=True))
            lines.append(
                f'<ANNOTATION><{kind} ANNOTATION_ID="{id}" {given}>'
                f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></{kind}></ANNOTATION>"
            )
        lines.append("</TIER>")
    return "\n".join([*lines, "</ANNOTATION_DOCUMENT>"])


GRID = {"units": "seconds:0.1"}
UNALIGNED = {"s1": 0, "s2": 4000, "a": None, "b": None, "c": 4000, "d": 5500, "s3": 7000}


def test_slots_without_a_time_lie_evenly_along_the_annotations_of_a_tier():
    """c and d are slots of another tier that stand between those of this one."""
    own = ("words", None, [
        ("1", "s1", "s2", "so"), ("2", "s2", "a", "we"), ("3", "a", "b", "went"),
        ("4", "b", "s3", "out")])  # fmt: skip
    other = ("other", None, [("5", "s1", "c", "x"), ("6", "c", "d", "y"), ("7", "d", "s3", "z")])
    for tiers in ([own, other], [other, own]):
        found = read_text(eaf(UNALIGNED, *tiers), "x.eaf", **GRID, tiers="coders")
        assert masses(found) == {
            ("x", "", "words"): (40, 10, 10, 10), ("x", "", "other"): (40, 15, 15)}  # fmt: skip


def test_a_tier_below_another_divides_what_the_upper_one_has():
    """Were the lower tier read first, m would lie a third of the way and not half of it."""
    slots = {"s": 0, "n": None, "m": None, "e": 8000}
    lower = ("lower", "upper", [("3", "s", "n", "a"), ("4", "n", "m", "b"), ("5", "m", "e", "c")])
    upper = ("upper", None, [("1", "s", "m", "x"), ("2", "m", "e", "y")])
    text = eaf(slots, lower, upper)
    assert only(read_text(text, "x.eaf", **GRID, field="upper")) == (40, 40)
    assert only(read_text(text, "x.eaf", **GRID, field="lower")) == (20, 20, 40)


def test_a_tier_that_says_more_about_another_is_no_coder():
    slots = {"s1": 0, "s2": 1000, "s3": 2000}
    cuts = [("1", "s1", "s2", "so"), ("2", "s2", "s3", "we")]
    again = [(f"9{number}", *rest) for number, *rest in cuts]
    text = eaf(slots, ("an1", None, cuts), ("gloss", "an1", again))
    refuses(r"x.eaf: the tier 'gloss' depends on 'an1'.*--tiers 'coders except gloss'",
            text, "x.eaf", **GRID, tiers="coders")  # fmt: skip
    found = read_text(text, "x.eaf", **GRID, tiers="coders except gloss")
    assert masses(found) == {("x", "", "an1"): (10, 10)}


def test_words_of_another_speaker_are_not_those_of_a_tier():
    tiers = [("A-words", ["so", "we", "", ""]), ("B-words", ["", "", "oh", "no"]),
             ("A@an1", ["x", "y", "", ""]), ("B@an1", ["", "", "x", "y"])]  # fmt: skip
    text = textgrid(4, *((name, [(i, i + 1, w) for i, w in enumerate(own)]) for name, own in tiers))
    refuses(r"x.TextGrid, line \d+, tier B@an1: no word of --units words:A-words lies in 2 of the "
            r"2 segments.*'words:\{speaker\}-words'",
            text, "x.TextGrid", units="words:A-words", field="B@an1")  # fmt: skip
    found = read_text(text, "x.TextGrid", units="words:{speaker}-words", tiers="{speaker}@{coder}")
    assert masses(found) == {("x", "A", "an1"): (1, 1), ("x", "B", "an1"): (1, 1)}


def test_slots_that_no_annotation_leads_to():
    tier = ("t", None, [("1", "s1", "s2", "so"), ("2", "s2", "s3", "we")])
    slots = {"s1": 0, "s2": 1000, "s3": 2000, "spare": None}  # ELAN leaves such slots behind
    assert only(read_text(eaf(slots, tier), "x.eaf", **GRID)) == (10, 10)
    loose = ("t", None, [("1", "s1", "s2", "so"), ("2", "s2", "spare", "we")])
    refuses(r"x.eaf, line 10, tier t, annotation 2: the time slot spare has no TIME_VALUE",
            eaf(slots, loose), "x.eaf", **GRID)  # fmt: skip
    ring = ("t", None, [("1", "s1", "a", "so"), ("2", "a", "b", "we"), ("3", "b", "a", "go")])
    refuses(r"the time slot \w has no TIME_VALUE", eaf({"s1": 0, "a": None, "b": None}, ring),
            "x.eaf", **GRID)  # fmt: skip


def test_annotations_without_length_are_refused_where_they_count():
    slots = {"s1": 0, "s2": 1000, "s3": 1000, "s4": 2000}
    tier = ("t", None, [("1", "s1", "s2", "so"), ("2", "s2", "s3", "we"), ("3", "s3", "s4", "go")])
    text = eaf(slots, tier, ("u", None, [("4", "s1", "s4", "x")]))
    refuses(r"x.eaf, line 10, tier t, annotation 2: .*starts and ends at 1, so it has no length",
            text, "x.eaf", **GRID, field="t")  # fmt: skip
    assert only(read_text(text, "x.eaf", **GRID, field="u")) == (20,)
    assert only(read_text(text, "x.eaf", units="text", field="t")) == (1, 1, 1)


def test_annotations_without_a_value_are_annotations():
    slots = {"s1": 0, "s2": 1000, "s3": 2000}
    text = eaf(slots, ("t", None, [("1", "s1", "s2", "so"), ("2", "s2", "s3", "")]))
    found = read_text(text, "x.eaf", **GRID)
    assert only(found) == (10, 10) and found.source.choices == {"units": "0.1s"}


@pytest.mark.parametrize("value", ["²", "1" * 400, "1" * 5000, "1e3", "-5", "٣", ""])
def test_times_of_elan_are_milliseconds(value):
    text = eaf({"s1": 0, "s2": value}, ("t", None, [("1", "s1", "s2", "so")]))
    refuses(r"x.eaf, line 4, time slot s2: (TIME_VALUE must|a number of \d+ digits)", text, "x.eaf",
            **GRID)  # fmt: skip


def test_what_is_wrong_in_elan_has_a_line():
    slots = {"s1": 0, "s2": 1000}
    one = ("t", None, [("1", "s1", "s2", "so")])
    for text, said in [
        (eaf({**slots}, one, one), "line 9: two tiers are called 't'"),
        (eaf(slots, one, ("u", None, [("1", "s1", "s2", "")])), "line 10, tier u, annotation 1: "
         "the ANNOTATION_ID is missing or given twice"),
        (eaf(slots, one, ("u", None, [("", "1", "")])), "line 10, tier u, annotation : the ANNOT"),
        (eaf(slots, one, ("u", None, [("2", "9", "")])), "line 10, .*: there is no annotation '9'"),
        (eaf(slots, one, ("u", None, [("2", "1", ""), ("3", "s1", "s2", "")])), "line 11, .* both"),
        (eaf(slots, ("t", None, [("1", "s2", "s1", "")])), "line 7, .*ends at 0, before it starts"),
        (eaf(slots, ("t", None, [("1", "s2", "s9", "")])), "line 7, .*not in TIME_ORDER .s9"),
        (eaf(slots, one).replace('SLOT_ID="s2"', 'SLOT_ID="s1"'),
         "line 4, time slot s1: the TIME_SLOT_ID is missing or given twice"),
        (eaf(slots, one).replace("</TIER>", "<ANNOTATION></ANNOTATION>\n</TIER>"),
         "line 8, tier t: an ANNOTATION holds one .*found nothing"),
        ("\n<!DOCTYPE a [\n<!ENTITY b 'c'>]>" + eaf(slots, one), "line 2: XML with a DOCTYPE"),
        ('<!DOCTYPE a SYSTEM "http://x/a.dtd">\n' + eaf(slots, one), "line 1: XML with a DOCTYPE"),
        (eaf(slots, one).replace("<TIME_ORDER>", '<HEADER TIME_UNITS="PAL-frames"/><TIME_ORDER>'),
         "line 2: TIME_UNITS must be milliseconds, found 'PAL-frames'; save"),
        (eaf(slots, one).replace('TIER_ID="t"', ""), "line 6: a tier has no TIER_ID"),
    ]:  # fmt: skip
        refuses(f"x.eaf, {said}", text, "x.eaf", format="elan", **GRID)


# Praat.


def textgrid(last, *tiers, head='File type = "ooTextFile"\nObject class = "TextGrid"'):
    """A TextGrid in the short form: tiers (name, [(from, to, label) or (at, label)])."""
    lines = [head, "", "0", str(last), "<exists>", str(len(tiers))]
    for name, items in tiers:
        points = bool(items) and len(items[0]) == 2
        lines += ['"TextTier"' if points else '"IntervalTier"', f'"{name}"', "0", str(last),
                  str(len(items))]  # fmt: skip
        for *times, label in items:
            lines += [*map(str, times), f'"{label}"']
    return "\n".join(lines) + "\n"


TALK = ("talk", [(0, 1, "så"), (1, 2.5, "gick")])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_praat_saves_utf_16(encoding, tmp_path):
    text = textgrid(2.5, TALK)
    data = f"\ufeff{text}".encode(encoding)
    (tmp_path / "x.TextGrid").write_bytes(data)
    found = fp.read(tmp_path / "x.TextGrid", units="text")
    assert only(found) == (1, 1) and words(found) == ["så", "gick"]
    for cut in (1, 7, 30, 31):
        with pytest.raises(FormatError, match=r"x.TextGrid, line \d+: .*(cut short|not closed)"):
            read_bytes(data[:-cut], "x.TextGrid", units="text")
    half = "\ud800".encode(encoding, "surrogatepass")
    lone = data.replace("å".encode(encoding), half)
    with pytest.raises(FormatError, match=r"x.TextGrid, line 15: not UTF-16 text.* at offset \d+"):
        read_bytes(lone, "x.TextGrid", units="text")
    with pytest.raises(FormatError, match=r"x.TextGrid is a binary file of Praat: save it"):
        read_bytes(b"ooBinaryFile\x08TextGrid\x00", "x.TextGrid", units="text")
    with pytest.raises(FormatError, match=r"line 1: not UTF-8 .*looks like UTF-16.*as UTF-8"):
        read_bytes("\ufeffso we | went".encode("utf-16-le"), "x.txt")


def test_the_header_that_other_aligners_write():
    text = textgrid(2.5, TALK, head='File type = "ooTextFile short"\n"TextGrid"')
    assert only(read_text(text, "x.TextGrid", **GRID)) == (10, 15)
    refuses("begins with", text.replace("short", "long"), "x.TextGrid", **GRID)


def test_a_tier_without_intervals_is_missing():
    text = textgrid(2.5, TALK, ("ben", []), ("cleo", [(0, 2.5, "x")]))
    found = read_text(text, "x.TextGrid", **GRID, tiers="coders")
    assert found.coders == ["talk", "cleo"]
    assert found.source.choices == {"units": "0.1s", "empty": "missing"}
    refuses(
        "no tier with segments: there is nothing in 'ben'", text, "x.TextGrid", **GRID, field="ben"
    )
    fields = Signature("windowdiff|empty:missing|repeats:dropped").context.fields()
    assert fields == {"empty": "missing", "repeats": "dropped"}


def test_words_that_are_no_words_are_left_out_of_the_units():
    aligned = ("words", [(0, 0.5, "sp"), (0.5, 1, "so"), (1, 1.5, "{OOV}"), (1.5, 2, "we"),
                         (2, 2.5, "go")])  # fmt: skip
    text = textgrid(2.5, aligned, ("an", [(0, 1.5, "a"), (1.5, 2.5, "b")]))
    assert only(read_text(text, "x.TextGrid", units="words:words")) == (3, 2)
    found = read_text(text, "x.TextGrid", units="words:words", ignore_tokens=r"^(sp|\{.*\})$")
    assert only(found) == (1, 2) and words(found) == ["so", "we", "go"]
    assert found.source.choices == {"units": "words:words", "ignored": r"^(sp|\{.*\})$"}
    refuses("no interval has a word that --ignore-tokens leaves in", text, "x.TextGrid",
            units="words:words", ignore_tokens=".")  # fmt: skip
    talk = textgrid(2.5, ("an", [(0, 1, "so um"), (1, 2, "um"), (2, 2.5, "we go")]))
    assert only(read_text(talk, "x.TextGrid", units="text", ignore_tokens="^um$")) == (1, 2)


@pytest.mark.parametrize("units", ["seconds:0.1", "words:talk"])
def test_times_outside_the_recording_are_refused(units):
    text = textgrid(2.5, TALK, ("p", [(1, "x"), (99, "y")]))
    refuses(r"line 26, tier p: 99 does not lie inside the recording, .* 0 to 2.5", text,
            "x.TextGrid", units=units, field="p")  # fmt: skip
    late = textgrid(2.5, TALK, ("p", [(0, 2.5, "x"), (98, 99, "y")]))
    refuses("98 to 99 does not lie inside", late, "x.TextGrid", units=units, field="p")
    at_end = textgrid(2.5, TALK, ("p", [(1, "x"), (2.5004, "y")]))  # rounded by a tool
    assert len(only(read_text(at_end, "x.TextGrid", units=units, field="p"))) == 2


def test_a_grid_too_coarse_for_a_point_is_refused():
    text = textgrid(3, ("p", [(0, "start"), (1.2, "x"), (2.9, "y"), (3, "end")]))
    assert only(read_text(text, "x.TextGrid", **GRID)) == (12, 17, 1)
    refuses("the boundary at 2.9 is less than half a unit of --units seconds:1 from the end", text,
            "x.TextGrid", units="seconds:1")  # fmt: skip


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 400, "1e308"])
def test_numbers_of_praat_of_any_size(number):
    for old in ("\n2.5\n", "\n2\n", "\n1\n"):
        text = textgrid(2.5, TALK, ("b", [(0, 2.5, "x")])).replace(old, f"\n{number}\n", 1)
        refuses("x.TextGrid", text, "x.TextGrid", **GRID, field="talk")


def test_tiers_that_do_not_fit_a_pattern_are_refused_or_left_out_by_name():
    tiers = [(name, [(0, 1, "a b"), (1, 2.5, "c")]) for name in ("A@ann", "A-ben", "words")]
    text = textgrid(2.5, *tiers)
    refuses(r"x.TextGrid: 'A-ben' is not named like '\{speaker\}@\{coder\}'; .*except A-ben'",
            text, "x.TextGrid", units="words:words", tiers="{speaker}@{coder}")  # fmt: skip
    refuses("'A-ben', 'words' are not named", text, "x.TextGrid", units="text",
            tiers="{speaker}@{coder}")  # fmt: skip
    for rule in (
        "{speaker}@{coder} except A-ben, words",
        "{speaker}@{coder} except A-{coder},words",
    ):
        found = read_text(text, "x.TextGrid", units="text", tiers=rule)
        assert masses(found) == {("x", "A", "ann"): (2, 1)}
    found = read_text(text, "x.TextGrid", units="words:words", tiers="coders except A-ben")
    assert found.coders == ["A@ann"]
    for odd in ({"tiers": "coders except {x}{x}", "units": "text"},
                {"tiers": "coders", "units": "words:{x}-{x}"}):  # fmt: skip
        refuses(r"no tier '\{x\}-?\{x\}'", text, "x.TextGrid", **odd)
    refuses(r"no tier '\{1\}'", text, "x.TextGrid", units="words:{1}", tiers="coders")
    refuses("no tier 'notes' to ignore; there are 'A@ann'", text, "x.TextGrid", units="text",
            tiers="coders except notes")  # fmt: skip
    refuses(r"\(for 'A@ann': \{speaker\}@\{coder\}\), found 'A@ann'", text, "x.TextGrid",
            units="text", tiers="A@ann")  # fmt: skip


# Captions.


def srt(*texts):
    return "".join(
        f"{i}\n00:00:{i:02},000 --> 00:00:{i:02},900\n{text}\n\n" for i, text in enumerate(texts, 1)
    )


ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:01.000 --> 00:00:02.990 align:start position:0%
 
so<00:00:01.200><c> this</c><00:00:01.400><c> is</c><00:00:01.600><c> it</c>

00:00:02.990 --> 00:00:03.000 align:start position:0%
so this is it
 

00:00:03.000 --> 00:00:05.990 align:start position:0%
so this is it
and<00:00:03.300><c> then</c><00:00:03.500><c> it</c>

00:00:05.990 --> 00:00:06.000 align:start position:0%
and then it
 

00:00:06.000 --> 00:00:07.990 align:start position:0%
and then it
rained
"""  # noqa: W293


def test_captions_that_roll_are_read_once():
    found = read_text(ROLLING, "x.vtt")
    assert words(found) == ["so", "this", "is", "it", "and", "then", "it", "rained"]
    assert only(found) == (4, 3, 1) and found.source.choices == {"repeats": "dropped"}
    grown = ROLLING.replace("\nso this is it\n", "\nso this is it then\n")
    assert only(read_text(grown, "x.vtt")) == (5, 3, 1)  # a line that grows is the longer one


def test_people_may_repeat_themselves():
    found = read_text(srt("No.", "No.", "No!", "Yes,\nyes.", "Yes.", "Go.\nGo."), "x.srt")
    assert sum(only(found)) == 8 and found.source.choices == {}


def test_only_an_empty_line_ends_a_cue():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n \nso we\n\t\nwent\n\n00:03.000 --> 00:04.000\nout\n"
    found = read_text(text, "x.vtt")
    assert found["x", "1"].marks == ["", "eol", "eob", "eob"]


def test_times_begin_a_cue_where_no_empty_line_is_before_them():
    text = "WEBVTT\n00:01.000 --> 00:02.000\nso we\n00:02.000 --> 00:03.000\nwent\n"
    assert only(read_text(text, "x.vtt")) == (2, 1)
    noted = text.replace("00:02.000 --> 00:03", "\nNOTE one\ntwo\n00:02.000 --> 00:03")
    assert only(read_text(noted, "x.vtt")) == (2, 1)
    numbered = text.replace("00:02.000 --> 00:03", "7\n00:02.000 --> 00:03")
    refuses("line 5: an empty line is missing before these times", numbered, "x.vtt")


def test_times_of_one_digit_entities_and_voices():
    text = (
        "WEBVTT\n\n0:0:0.0 --> 0:0:0.570\n<v Ana B.>You &amp; me,&nbsp;&gt;&gt; now</v>\n\n"
        "0:0:0.210 --> 0:0:1.130\n<v.loud Cai>2 < 3 > 1</v> <v Ana B.>Oh?\n\n"
        "0:0:2.0 --> 0:0:3.0\n<v Cai>Yes</v>\n"
    )
    assert words(read_text(text, "x.vtt")) == [
        "You",
        "&",
        "me,",
        ">>",
        "now",
        "2",
        "<",
        "3",
        ">",
        "1",
        "Oh?",
        "Yes",
    ]
    found = read_text(text, "x.vtt", tiers="speakers")
    assert masses(found) == {("x", "Ana B.", "1"): (5, 1), ("x", "Cai", "1"): (5, 1)}
    silent = text.replace("<v Cai>Yes</v>", "Yes")
    refuses("line 9: --tiers speakers, but no <v Name>", silent, "x.vtt", tiers="speakers")
    refuses("line 2: --tiers speakers, but no <v Name>", srt("So"), "x.srt", tiers="speakers")


def test_an_empty_line_inside_a_caption_is_none_where_numbers_prove_it():
    text = srt("So we\n\nwent out", "It rained")
    assert read_text(text, "x.srt")["x", "1"].marks == ["", "eol", "", "eob", "", "eob"]
    refuses("line 5: a caption begins with its times.*'went out'; if this belongs to the caption "
            "above, take the empty line out", text.replace("\n2\n", "\n3\n"), "x.srt")  # fmt: skip
    refuses("line 9: a caption begins with", srt("So", "It\n\nrained"), "x.srt")  # at the end
    refuses("line 10: this caption starts before the one above it.*sort them",
            srt("a", "b", "c").replace("00:00:03,000", "00:00:00,000"), "x.srt")  # fmt: skip


def test_captions_cut_short_behind_their_times_are_refused():
    text = srt("So we went", "It rained")
    times = text.index("It rained")
    for cut in range(text.index("2\n") + 1, times + 1):
        refuses("line [567]: ", text[:cut], "x.srt")
    refuses("line 6: the file ends after these times; is it cut short", text[:times], "x.srt")
    assert only(read_text(text[:times] + "\n", "x.srt")) == (3,)  # an empty caption, and its end
    assert only(read_text(text.rstrip("\n"), "x.srt")) == (3, 2)
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\nso\n\n00:02.000 --> 00:03.000\n"
    refuses("line 6: the file ends after these times", vtt, "x.vtt")
    for tag in ("<", "</", "</i", "<i", "<c.red", "<v Ana", "<00:01"):
        refuses("line 7: the file ends inside a tag", f"{vtt}so we{tag}", "x.vtt")
    assert words(read_text(f"{vtt}love <3", "x.vtt")) == ["so", "love", "<3"]
    for cut in range(1, len("<eob>")):
        refuses(
            "line 1: the file ends inside a tag", "so <eol> we <eob>"[:-cut], "x", format="tagged"
        )
    assert words(read_text("a <eol> b", "x", "tagged")) == ["a", "b"]


@pytest.mark.parametrize("digits", [400, 5000])
def test_hours_of_any_length(digits):
    text = srt("So", "It").replace("00:00:02,000", "9" * digits + ":00:02,000")
    refuses(f"x.srt, line 6: a number of {digits} digits is too large", text, "x.srt")


# Transcripts.


def chat(*lines, head="@Languages:\teng\n@Participants:\tMAR Mark Adult"):
    return "\n".join(["@UTF8", "@Begin", head, *lines, "@End", ""])


def test_chat_in_ca_mode_needs_no_terminators():
    lines = ["*MAR:\t⌊yeah⌋", "*MAR:\tso we (0.4) went", "*MAR:\t(2.0)"]
    head = "@Languages:\teng,\n\tdeu\n@Participants:\tMAR Mark Adult\n@Options:\tCA"
    found = read_text(chat(*lines, head=head), "x.cha")
    assert only(found) == (1, 3) and words(found) == ["yeah", "so", "we", "went"]
    refuses("line 5: not CHAT: .*terminator", chat(*lines), "x.cha")


@pytest.mark.parametrize("backtrace", ["0", "1", "full"])
def test_nothing_but_our_sentence_is_seen_of_a_real_panic(tmp_path, backtrace):
    (tmp_path / "x.cha").write_text(chat("*MAR:\tso .", "*MAR:\t<<< ."), encoding="utf-8")
    done = run_apart("look", "x.cha", cwd=tmp_path, env={"RUST_BACKTRACE": backtrace})
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"fencepost: x\.cha, line 6: not CHAT: [^\n]+\n", done.stderr)


def test_what_others_write_while_chat_is_read_is_written(tmp_path):
    (tmp_path / "x.cha").write_text(chat("*MAR:\tso .", "*MAR:\t<<< ."), encoding="utf-8")
    code = (
        "import os, fencepost.formats.chat as chat\n"
        "with chat._without_panics():\n"
        "    os.write(2, b'another thread\\n')\n"
        "os.close(2)\n"
        "with chat._without_panics():\n"
        "    pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr == b"another thread\n"


@pytest.mark.parametrize(("name", "word"), [("@Languages", "eng"), ("@Options", "CA")])
def test_headers_of_chat_that_are_read_beside_every_utterance_are_short(name, word):
    text = chat("*MAR:\tso .", head=f"{name}:\t" + f"{word}, " * 5000 + word)
    assert only(read_text(text, "x.cha")) == (1,)
    many = ", ".join(f"l{number}" for number in range(101))
    refuses(f"x.cha, line 3: {name}: has at most 100 words", chat("*MAR:\tso .",
            head=f"{name}:\t{many}"), "x.cha")  # fmt: skip


def test_a_panic_of_the_parser_is_a_sentence(monkeypatch):
    """pylangacq's core is no Python: where it fails, no Exception is raised."""
    import pylangacq

    class Panic(BaseException):
        pass

    class Broken:
        failures = iter([Panic("index 3 is out of bounds"), Panic(), KeyboardInterrupt()])

        @classmethod
        def from_strs(cls, given):
            raise next(cls.failures)

    monkeypatch.setattr(pylangacq, "CHAT", Broken)
    text = chat("*MAR:\tso .")
    refuses("x.cha, line 5: not CHAT: index 3", text, "x.cha")
    refuses("x.cha, line 5: not CHAT: Panic", text, "x.cha")
    with pytest.raises(KeyboardInterrupt):
        read_text(text, "x.cha")


def stm(*lines):
    return "".join(f"talk 1 {'ab'[i % 2]} {i} {i + 1} {line}\n" for i, line in enumerate(lines))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (stm("<M> so we", "<F> went"), ["so", "we", "went"]),
        (stm("<o,f0,male> so we", "<F0_M> went", "out"), ["so", "we", "went", "out"]),
        (';; LABEL "M" "Male" ""\n' + stm("<m> so we", "went"), ["so", "we", "went"]),
        (stm("<M> so we", "went"), ["<M>", "so", "we", "went"]),  # not on all lines
        (stm("<unk> so", "<unk> we"), ["<unk>", "so", "<unk>", "we"]),  # words that were not heard
        (stm("<um> so <um>", "<um> we"), ["<um>", "so", "<um>", "<um>", "we"]),
        (stm("<M>", "<M> we"), ["we"]),
    ],
)  # fmt: skip
def test_labels_of_stm_are_no_words(text, found):
    assert words(read_text(text, "x.stm")) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("and {then / than} home", ["and", "then", "home"]),
        ("and { then / than } home", ["and", "then", "home"]),
        ("{um / @} yes {or / {but / and}}", ["um", "yes", "or"]),
        ("so {laugh} we {a / b}", ["so", "{laugh}", "we", "a"]),
        ("x_{a / b} {then/than}", ["x_{a", "/", "b}", "{then/than}"]),  # no alternatives
    ],
)
def test_alternatives_of_stm_with_and_without_spaces(text, found):
    assert words(read_text(stm(text), "x.stm")) == found


def test_turns_without_words_cover_nothing():
    text = "t 1 a 0 9 <o,f0,male>\nt 1 b 1 2 <o,f0,male> so we\nt 1 c 2 3 <o,f0,male> went\n"
    assert only(read_text(text, "x.stm")) == (2, 1)
    cut = text[: text.rindex(" went")]
    refuses("line 3: the file ends before the words; is it cut short", cut, "x.stm")
    assert only(read_text(f"{cut}\n", "x.stm")) == (2,)  # a line end: nobody spoke


# Folders.


def test_errors_in_folders_name_the_path(tmp_path):
    for coder, last in (("anna", 2.5), ("bo", "soon")):
        (tmp_path / coder).mkdir()
        (tmp_path / coder / "t.TextGrid").write_text(textgrid(last, TALK), encoding="utf-8")
    with pytest.raises(FormatError, match=r"^bo/t\.TextGrid, line \d+: expected a number"):
        fp.read(tmp_path, path_pattern="{coder}/{text}.TextGrid", **GRID)


@pytest.mark.parametrize("column", ["id", "name", "Doc Name"])
def test_names_of_texts_in_a_table_are_names_not_numbers(column):
    table = f"{column},ref\n042,5 5\n42,3 3\n+7,4 4\n"
    corpus = read_text(table, "x.csv", id_field=column)
    assert corpus.texts == ["042", "42", "+7"]


# Tiers that nobody asked for are not checked.

GAPPED = [(0, 1, "a"), (1.5, 2.5, "c")]  # a pause between words is in no segment


@pytest.mark.parametrize(
    "choices", [{"without": ["words"]}, {"coders": ["ann", "ben"]}, {"coders": ["ben", "ann"]}]
)
def test_tiers_that_are_ignored_need_no_rule_for_gaps(choices):
    whole = [(0, 1, "x"), (1, 2.5, "y")]
    text = textgrid(2.5, ("ann", whole), ("ben", whole), ("words", GAPPED))
    tiers = {"units": "seconds:0.1", "tiers": "coders"}
    found = read_text(text, "x.TextGrid", **tiers, **choices)
    assert masses(found) == {("x", "", coder): (10, 15) for coder in ("ann", "ben")}
    assert "gaps" not in found.source.choices
    assert found.source.ignored == ("words",)
    refuses("--tiers 'coders except words'", text, "x.TextGrid", **tiers)
    refuses("no annotator 'cid'; the annotators are ann, ben, words", text, "x.TextGrid",
            coders=["cid"], **tiers)  # fmt: skip
    refuses("no column or annotator 'cid'", text, "x.TextGrid", without=["cid"],
            gaps="join", **tiers)  # fmt: skip
    refuses("no annotator is left", text, "x.TextGrid", without=["ann", "ben", "words"], **tiers)


def test_annotators_of_a_pattern_are_ignored_before_their_gaps():
    whole = [(0, 1, "x"), (1, 2.5, "y")]
    text = textgrid(2.5, ("A@ann", whole), ("A@ben", GAPPED), ("notes", GAPPED))
    tiers = {"units": "seconds:0.1", "tiers": "{speaker}@{coder}"}
    for out in ({"without": ["ben", "notes"]}, {"without": ["notes"], "coders": ["ann"]}):
        found = read_text(text, "x.TextGrid", **tiers, **out)
        assert masses(found) == {("x", "A", "ann"): (10, 15)}
