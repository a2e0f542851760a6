"""Files that grow by names, columns, tiers, speakers or depth, not by one repeated piece.

What is repeated alike is often found again at once; what has a name of its own must be compared
with all names before it, unless a reader is careful.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple


class Growing(NamedTuple):
    """Text of a format with n pieces of their own, and what the reader must be told."""

    format: str
    what: str
    make: Callable[[int], str]
    choices: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        return f"{self.format}, {self.what}"

    def sized(self, size: int) -> str:
        """Return a file of about this number of bytes."""
        low, high = 4, 8
        while len(self.make(high)) < size:
            low, high = high, 2 * high
        while high - low > low // 20 + 1:
            middle = (low + high) // 2
            low, high = (middle, high) if len(self.make(middle)) < size else (low, middle)
        return self.make(high)

    def seconds(self, text: str) -> float:
        """Return the time in which the format reads a text, or refuses it."""
        from fencepost import FencepostError
        from fencepost.formats import find_format, read_bytes
        from fencepost.formats.options import Reading

        data, format = text.encode(), find_format(self.format)
        began = time.process_time()
        with suppress(FencepostError):
            format.looks_like(text)
            if "segmentations" in format.gives:
                read_bytes(data, "x", self.format, **self.choices)
            else:
                wanted = "references" if format.references else "streams"
                reader = format.references or format.streams
                assert reader is not None
                choices = {**format.choices, **self.choices}
                reader(text, Reading("x", function=f"read_{wanted}", **choices))
        return time.process_time() - began

    def exponent(self, size: int) -> tuple[float, float]:
        """Return the exponent of time between half a size and the whole, and the seconds.

        Each is the least of three times; below a tenth of a second it is once, and no exponent.
        """
        whole = self.sized(size)
        seconds = self.seconds(whole)
        if seconds < 0.1:
            return 0.0, seconds
        half = self.sized(size // 2)
        times = [min(self.seconds(text) for _ in range(3)) for text in (half, whole)]
        return math.log2(times[1] / max(times[0], 1e-6)), times[1]


def lines(*given: Iterable[object]) -> str:
    return "".join(f"{line}\n" for part in given for line in part)


def each(n: int, pattern: str) -> list[str]:
    """Return the pattern n times, with its number for # and the number before for ~."""
    return [pattern.replace("#", str(i)).replace("~", str(i - 1)) for i in range(1, n + 1)]


def row(*given: Iterable[object], mark: str = ",") -> str:
    return mark.join(str(cell) for part in given for cell in part)


def columns(n: int, *before: str, rows: tuple[str, ...], mark: str = ",") -> str:
    """Return a table with n columns of their own behind those that stand before."""
    heads = row(before, each(n, "c#"), mark=mark)
    made = [row([f"a{number}"] * len(before), [cell] * n, mark=mark)
            for number, cell in enumerate(rows)]  # fmt: skip
    return lines([heads], made)


def as_json(n: int, pattern: str) -> str:
    return "[" + ",\n".join(each(n, pattern)) + "]"


def textgrid(tiers: int, intervals: int = 1) -> str:
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", 0, intervals, "<exists>"]
    items = [one for i in range(intervals) for one in (i, i + 1, f'"w{i}"')]
    made = [
        one
        for tier in range(tiers)
        for one in ('"IntervalTier"', f'"t{tier}"', 0, intervals, intervals, *items)
    ]
    return lines(head, [tiers], made)


def long_textgrid(tiers: int) -> str:
    made = [
        f'    item [{i}]:\n        class = "IntervalTier"\n        name = "t{i}"\n'
        "        xmin = 0\n        xmax = 1\n        intervals: size = 1\n        intervals [1]:\n"
        '            xmin = 0\n            xmax = 1\n            text = "a"\n'
        for i in range(1, tiers + 1)
    ]
    head = ('File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 1\n'
            f"tiers? <exists>\nsize = {tiers}\nitem []:\n")  # fmt: skip
    return head + "".join(made)


def elan(slots: Iterable[str], tiers: Iterable[str]) -> str:
    return (
        "<ANNOTATION_DOCUMENT><TIME_ORDER>" + "".join(slots) + "</TIME_ORDER>" + "".join(tiers)
        + "</ANNOTATION_DOCUMENT>"
    )  # fmt: skip


SLOT = '<TIME_SLOT TIME_SLOT_ID="s#" TIME_VALUE="#000"/>'
UNTIMED = '<TIME_SLOT TIME_SLOT_ID="u#"/>'
ENDS = '<TIME_SLOT TIME_SLOT_ID="u0" TIME_VALUE="0"/>'


def tier(name: str, *annotations: str, above: str = "") -> str:
    parent = f' PARENT_REF="{above}"' if above else ""
    inside = "".join(f"<ANNOTATION>{one}</ANNOTATION>" for one in annotations)
    return f'<TIER TIER_ID="{name}"{parent}>{inside}</TIER>'


def timed(id: str, first: str, last: str) -> str:
    return (
        f'<ALIGNABLE_ANNOTATION ANNOTATION_ID="{id}" TIME_SLOT_REF1="{first}" '
        f'TIME_SLOT_REF2="{last}"><ANNOTATION_VALUE>w</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION>'
    )


def dependent(id: str, above: str, before: str = "") -> str:
    previous = f' PREVIOUS_ANNOTATION="{before}"' if before else ""
    return (
        f'<REF_ANNOTATION ANNOTATION_ID="{id}" ANNOTATION_REF="{above}"{previous}>'
        "<ANNOTATION_VALUE>w</ANNOTATION_VALUE></REF_ANNOTATION>"
    )


TWO = [SLOT.replace("#", "1"), SLOT.replace("#", "2")]


def deep_elan(n: int, step: int) -> str:
    """Return tiers that depend on each other n deep, in their order or (-1) the other way round."""
    chain = [tier("t0", timed("a0", "s1", "s2"))]
    chain += [tier(f"t{i}", dependent(f"a{i}", f"a{i - 1}"), above=f"t{i - 1}")
              for i in range(1, n)]  # fmt: skip
    return elan(TWO, chain[::step])


def chained_slots(n: int) -> str:
    """Return annotations that follow each other over slots of which only the ends have a time."""
    slots = [ENDS, *each(n, UNTIMED), '<TIME_SLOT TIME_SLOT_ID="last" TIME_VALUE="9000"/>']
    own = [timed(f"a{i}", f"u{i}", f"u{i + 1}") for i in range(n)]
    return elan(slots, [tier("t", *own, timed("z", f"u{n}", "last"))])


def merging_slots(n: int) -> str:
    """Return annotations that all lead into one chain of slots, which leads nowhere."""
    slots = [*each(n, SLOT), *each(n, UNTIMED)]
    own = [timed(f"a{i}", f"s{i}", "u1") for i in range(1, n + 1)]
    own += [timed(f"b{i}", f"u{i}", f"u{i + 1}") for i in range(1, n)]
    return elan(slots, [tier("t", *own)])


def chat(*body: str, head: str = "@Languages:\teng\n") -> str:
    return f"@UTF8\n@Begin\n{head}{''.join(body)}@End\n"


def rezonator(n: int) -> str:
    nodes: dict[str, Any] = {}
    for i in range(n):
        nodes[f"u{i}"] = {"type": "unit", "unitSeq": i + 1, "entryList": [f"e{i}"],
                          "tagMap": {"speaker": f"S{i}"}}  # fmt: skip
        nodes[f"e{i}"] = {"type": "entry", "unit": f"u{i}", "token": f"t{i}"}
        nodes[f"t{i}"] = {"type": "token", "tagMap": {"word": f"w{i}", f"tag{i}": "x"}}
    return json.dumps({"ROOT": [{"nodeMap": nodes}]})


def labelstudio(tasks: int, annotations: int = 1, regions: int = 1) -> str:
    def region(i: int) -> dict[str, Any]:
        value = {"start": 2 * i, "end": 2 * i + 2, "labels": [f"L{i}"]}
        return {"id": f"r{i}", "type": "labels", "from_name": "l", "to_name": "t", "value": value}

    made = [{"id": f"a{i}", "completed_by": i, "result": [region(r) for r in range(regions)]}
            for i in range(annotations)]  # fmt: skip
    return json.dumps([{"id": i, "data": {"text": "ab" * regions}, "annotations": made}
                       for i in range(tasks)])  # fmt: skip


def word_line(number: int, marks: str = "_") -> str:
    return "\t".join([str(number), "so", *"_" * 7, marks])


CODERS = {"units": "seconds:0.1", "tiers": "coders", "gaps": "segment"}
GRID = {"units": "seconds:0.1", "columns": {"ref": "t0"}, "gaps": "segment"}
LABELS = {"units": "text", "columns": {"ref": "t0"}}
SPANNED = {"encoding": "spans", "units": "chars"}

GROWING = (
    Growing("json", "texts", lambda n: "{" + ",\n".join(each(n, '"t#": [5, 5]')) + "}"),
    Growing("json", "annotators", lambda n: '{"a": {' + ",".join(each(n, '"c#": [5, 5]')) + "}}"),
    Growing("json", "texts and annotators",
            lambda n: "{" + ",\n".join(each(n, '"t#": {"c#": [5, 5]}')) + "}"),
    Growing("json", "records", lambda n: as_json(n, '{"id": "t#", "ref": [5, 5]}')),
    Growing("json", "records with other fields",
            lambda n: as_json(n, '{"id": "t#", "ref": [5, 5], "f#": 1}')),
    Growing("json", "fields of a record",
            lambda n: '[{"id": "t", "ref": [5, 5], ' + ",".join(each(n, '"f#": [1, #]')) + "}]"),
    Growing("json", "numbered texts", lambda n: as_json(n, '{"ref": [5, 5], "title": "n#"}')),
    Growing("json", "labels",
            lambda n: '{"a": [' + ",".join(each(n, '"l#"')) + "]}", {"encoding": "labels"}),
    Growing("json", "spans",
            lambda n: '[{"id": "a", "ref": [' + ",".join(f"[{2 * i}, {2 * i + 2}]"
            for i in range(n)) + '], "text": "' + "ab" * n + '"}]', SPANNED),
    Growing("json", "nested spans",
            lambda n: '[{"id": "a", "ref": [' + ",".join(f"[{i}, {2 * n - i}]"
            for i in range(n)) + '], "text": "' + "ab" * n + '"}]',
            {**SPANNED, "levels": "nested", "gaps": "segment"}),
    Growing("jsonl", "texts", lambda n: lines(each(n, '{"id": "t#", "ref": [5, 5]}'))),
    Growing("jsonl", "texts and annotators",
            lambda n: lines(each(n, '{"id": "t", "coder": "c#", "ref": [5, 5]}'))),
    Growing("jsonl", "other fields",
            lambda n: lines(each(n, '{"id": "t#", "ref": [5, 5], "f#": [5, 5]}'))),
    Growing("jsonl", "boundary types", lambda n: lines(
            each(n, '{"id": "t#", "units": 9, "ref": {"cuts": [3], "kinds": ["k#"]}}'))),
    Growing("jsonl", "boundary types of a text", lambda n: json.dumps(
            {"id": "t", "units": 2 * n, "ref": {"cuts": list(range(1, n + 1)),
             "kinds": [f"k{i}" for i in range(n)]}}) + "\n"),
    Growing("jsonl", "units", lambda n: lines(each(
            n, '{"text": "t", "unit": #, "sentence": "s#", "anna": 0, "ben": 1}')),
            {"flags": "last"}),
    Growing("segeval", "items", lambda n: '{"items": {' + ",\n".join(
            each(n, '"t#": {"c#": [5, 5]}')) + "}}"),
    Growing("segeval", "annotators of a text", lambda n: '{"items": {"t": {' + ",\n".join(
            each(n, '"c#": [5, 5]')) + "}}}"),
    Growing("tsv", "texts", lambda n: lines(["text\tmasses"], each(n, "t#\t5\t5"))),
    Growing("tsv", "annotators", lambda n: lines(["text\tcoder\tmasses"], each(n, "t\tc#\t5\t5"))),
    Growing("tsv", "labels", lambda n: lines(["text\tlabels"], [f"t\t{row(each(n, 'l#'))}"])),
    Growing("lines", "texts", lambda n: lines(each(n, "t#\t0010"))),
    Growing("separated", "segments", lambda n: lines(each(n, "so we went #.\n=========="))),
    Growing("wiki", "headings", lambda n: lines(each(n, "========,1,Title #.\nThey eat."))),
    Growing("wiki", "levels", lambda n: lines(each(n, "========,#,Title #.\nThey eat."))),
    Growing("markdown", "headings", lambda n: lines(each(n, "# Title #\n\nThey eat.\n"))),
    Growing("markdown", "depth of lists",
            lambda n: "# a\n\n" + "".join(" " * min(i, 60) + f"- x{i}\n" for i in range(n))),
    Growing("markdown", "depth of quotations", lambda n: "# a\n\n" + ">" * n + "x\n\n# b\n\ny\n"),
    Growing("markdown", "references to links",
            lambda n: lines(["# a", ""], each(n, "[a#][l#]"), [""], each(n, "[l#]: http://x/#"))),
    Growing("html", "headings", lambda n: lines(each(n, "<h1>T#</h1><p>They eat.</p>"))),
    Growing("html", "depth", lambda n: "<h1>a</h1>" + "<div>" * n + "x" + "</div>" * n),
    Growing("html", "depth of other tags",
            lambda n: "<h1>a</h1>" + "".join(each(n, "<t#>")) + "x" + "".join(each(n, "</t#>"))),
    Growing("html", "attributes",
            lambda n: "<h1>a</h1><p " + row(each(n, 'a#="#"'), mark=" ") + ">x</p>"),
    Growing("table", "texts", lambda n: lines(["id,ref,hyp"], each(n, "t#,5 5,5 5"))),
    Growing("table", "annotators", lambda n: lines(["id,coder,ref"], each(n, "t,c#,5 5"))),
    Growing("table", "columns", lambda n: lines([f"id,ref,{row(each(n, 'c#'))}"],
            [f"a,5 5,{row(['x'] * n)}", f"b,2 8,{row(['y'] * n)}"])),
    Growing("table", "titles", lambda n: lines(["title,ref"], each(n, "n#,5 5"))),
    Growing("units", "annotators",
            lambda n: columns(n, "text", "unit", rows=("1", "2", "2")), {"encoding": "labels"}),
    Growing("units", "annotators with marks",
            lambda n: columns(n, "text", "unit", rows=("1", "0", "1")), {"flags": "last"}),
    Growing("units", "marks without a text",
            lambda n: lines([row(each(n, "c#"))], [row(["1"] * n), row(["2"] * n)])),
    Growing("units", "levels",
            lambda n: lines([row(each(n, "level#"))], [row(["0"] * n), row(["1"] * n)])),
    Growing("units", "texts",
            lambda n: lines(["text,unit,anna"], each(n, "t#,1,1"), each(n, "t#,2,2"))),
    Growing("units", "annotators of rows",
            lambda n: lines(["text,unit,coder,boundary"], each(n, "t,#,c#,1"))),
    Growing("units", "annotators and units of rows", lambda n: lines(
            ["text,unit,coder,boundary"], *(each(n // 2, f"t,{u},c#,{u}") for u in (1, 2)))),
    Growing("tokens", "annotators",
            lambda n: columns(n, "token", rows=(".", "", "."))),
    Growing("tokens", "boundary types", lambda n: lines(["token,anna"], each(n, "w#,k#"), ["w,"])),
    Growing("tokens", "speakers",
            lambda n: lines(["speaker,token,anna"], each(n, "s#,w#,."), ["s,w,"])),
    Growing("tokens", "texts", lambda n: lines(["text,token,anna"], each(n, "t#,w#,."), ["t,w,"])),
    Growing("boundary-strings", "annotators",
            lambda n: lines(["text,annotator,boundaries"], each(n, 't,c#," , ."'))),
    Growing("boundary-strings", "texts and speakers", lambda n: lines(
            ["text,annotator,speaker,boundaries"], each(n, 't#,1,s#," , ."'))),
    Growing("boundary-strings", "columns", lambda n: lines(
            [f"text,annotator,boundaries,{row(each(n, 'c#'))}"], [f'a,1," , .",{row(["x"] * n)}'])),
    Growing("punctuated", "speakers", lambda n: lines(each(n, "S#: so we went , and then ."))),
    Growing("punctuated", "words", lambda n: "F: " + row(each(n, "w# ,"), mark=" ") + " .\n"),
    Growing("textgrid", "tiers", textgrid, CODERS),
    Growing("textgrid", "tiers beside one", textgrid, GRID),
    Growing("textgrid", "tiers in the long form", long_textgrid, CODERS),
    Growing("textgrid", "speakers of tiers", textgrid, {**CODERS, "tiers": "speakers"}),
    Growing("textgrid", "intervals", lambda n: textgrid(1, n), GRID),
    Growing("textgrid", "words", lambda n: textgrid(2, n),
            {"units": "words:t0", "columns": {"ref": "t1"}}),
    Growing("elan", "tiers", lambda n: elan(TWO, [tier(f"t{i}", timed(f"a{i}", "s1", "s2"))
            for i in range(n)]), CODERS),
    Growing("elan", "tiers beside one", lambda n: elan(TWO, [tier(f"t{i}",
            timed(f"a{i}", "s1", "s2")) for i in range(n)]), GRID),
    Growing("elan", "depth", lambda n: deep_elan(n, 1), GRID),
    Growing("elan", "depth, the other way round", lambda n: deep_elan(n, -1), GRID),
    Growing("elan", "tiers of one parent", lambda n: elan(TWO, [tier("t0",
            timed("a0", "s1", "s2")), *(tier(f"t{i}", dependent(f"a{i}", "a0"), above="t0")
            for i in range(1, n))]), GRID),
    Growing("elan", "annotations of one parent", lambda n: elan(TWO, [tier("t",
            timed("a", "s1", "s2")), tier("t0", *(dependent(f"a{i}", "a", f"a{i - 1}" * (i > 0))
            for i in range(n)), above="t")]), LABELS),
    Growing("elan", "slots without a time", chained_slots, {**LABELS, "columns": {"ref": "t"}}),
    Growing("elan", "slots that lead nowhere", merging_slots, {**GRID, "columns": {"ref": "t"}}),
    Growing("chat", "speakers", lambda n: chat(*each(n, "*S#:\tso we went .\n"))),
    Growing("chat", "utterances behind languages", lambda n: chat("*A:\ta .\n" * n,
            head="@Languages:\t" + row(each(n, "l#"), mark=", ") + "\n")),
    Growing("chat", "utterances behind one language", lambda n: chat("*A:\ta .\n" * n,
            head="@Languages:\t" + "eng, " * n + "eng\n")),
    Growing("chat", "lines of an utterance", lambda n: chat("*A:\t", *each(n, "w#\n\t"), "b .\n")),
    Growing("chat", "lines of a header", lambda n: chat("*A:\tb .\n",
            head="@Languages:\teng\n" + "\teng\n" * n)),
    Growing("chat", "tiers that depend",
            lambda n: chat("*A:\tb .\n", *each(n, "%x#:\tnote #\n"))),
    Growing("rezonator", "speakers, units and tags", rezonator),
    Growing("conllu", "documents",
            lambda n: lines(f"# newdoc id = d{i}\n{word_line(1)}\n" for i in range(n))),
    Growing("conllu", "documents without a name",
            lambda n: lines(f"# newdoc\n{word_line(1)}\n" for i in range(n))),
    Growing("conllu", "marks", lambda n: lines(word_line(i, f"M{i}=x") for i in range(1, n + 1))),
    Growing("conllu", "marks of a word",
            lambda n: lines([word_line(1, row(each(n, "M#=x"), mark="|")), word_line(2)])),
    Growing("conllu", "one mark with many values",
            lambda n: lines([word_line(1, row(each(n, "M=#"), mark="|")), word_line(2)])),
    Growing("conllu", "labels",
            lambda n: lines(word_line(i, f"Seg=L{i}") for i in range(1, n + 1))),
    Growing("labelstudio", "tasks", labelstudio),
    Growing("labelstudio", "annotators", lambda n: labelstudio(1, n)),
    Growing("labelstudio", "regions", lambda n: labelstudio(1, 1, n)),
    Growing("labelstudio", "regions as levels", lambda n: labelstudio(1, 1, n),
            {"levels": "kinds"}),
    Growing("chunks", "documents", lambda n: as_json(
            n, '{"doc_id": "d#", "start_index": 0, "end_index": 5, "text": "It ra"}')),
    Growing("chunks", "chunks", lambda n: json.dumps([{"text": "ab", "start_index": 2 * i,
            "end_index": 2 * i + 2} for i in range(n)])),
    Growing("chunks", "chunks without ends", lambda n: as_json(n, '{"text": "It rained #. "}')),
    Growing("chunks", "other fields", lambda n: as_json(n, '{"text": "ab", "f#": {"m#": 1}}')),
    Growing("sentences", "sentences", lambda n: lines(each(n, "It rained #."))),
    Growing("srt", "captions", lambda n: lines(
            f"{i + 1}\n{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d},000 --> "
            f"{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d},500\nw{i}\n"
            for i in range(n))),
    Growing("vtt", "speakers", lambda n: "WEBVTT\n\n" + lines(
            f"00:{i // 60 % 60:02d}:{i % 60:02d}.000 --> 00:59:59.500\n<v S{i}>w{i}</v>\n"
            for i in range(n)), {"tiers": "speakers"}),
    Growing("tagged", "words", lambda n: row(each(n, "w# <eol> v# <eob>"), mark=" ")),
    Growing("stm", "speakers", lambda n: lines(f"talk 1 s{i} {i} {i + 1} w{i}" for i in range(n))),
    Growing("stm", "recordings", lambda n: lines(f"talk{i} 1 s 0 1 w{i}" for i in range(n))),
    Growing("ctm", "recordings", lambda n: lines(f"talk{i} 1 0.0 0.3 w{i} 0.9" for i in range(n))),
    Growing("ctm", "words", lambda n: lines(f"talk 1 {i}.0 0.3 w{i} 0.9" for i in range(n))),
    Growing("text", "lines", lambda n: lines(each(n, "so we went #"))),
    Growing("seglst", "recordings and speakers", lambda n: as_json(n, '{"session_id": "t#", '
            '"speaker": "s#", "start_time": 0.0, "end_time": 1.2, "words": "w#"}')),
    Growing("seglst", "speakers", lambda n: as_json(n, '{"session_id": "t", "speaker": "s#", '
            '"start_time": #.0, "end_time": #.5, "words": "w#"}')),
    Growing("simuleval", "documents", lambda n: lines(each(
            n, '{"prediction": "so w#", "delays": [1000, 2000], "elapsed": [1100, 2250]}'))),
    Growing("simuleval", "words", lambda n: json.dumps({"prediction": row(each(n, "w#"), mark=" "),
            "delays": list(range(n)), "elapsed": list(range(n))}) + "\n"),
    Growing("simulstream", "recordings", lambda n: lines(
            each(n, '{"id": #, "metadata": {"wav_name": "t#.wav"}}'),
            each(n, '{"id": #, "total_audio_processed": 2.0, "computation_time": 0.5, '
                    '"generated_tokens": ["\u2581so"], "deleted_tokens": []}'))),
    Growing("simulstream", "outputs that delete all words", lambda n: lines(
            ['{"id": 1, "metadata": {"wav_name": "t.wav"}}'],
            (json.dumps({"id": 1, "total_audio_processed": i / 1.0, "computation_time": 0.5,
                         "generated_tokens": ["\u2581so"], "deleted_tokens": []})
             for i in range(1, n + 1)))),
    Growing("set", "documents", lambda n: '<mteval><refset setid="n" refid="r">' + "".join(
            each(n, '<doc docid="d#"><seg id="1">w#</seg></doc>')) + "</refset></mteval>",
            {}),
    Growing("set", "segments", lambda n: '<mteval><refset setid="n" refid="r"><doc docid="d">'
            + "".join(each(n, '<seg id="#">w#</seg>')) + "</doc></refset></mteval>"),
    Growing("set", "references", lambda n: "<mteval>" + "".join(each(
            n, '<refset setid="n" refid="r#"><doc docid="d"><seg id="1">w</seg></doc></refset>'))
            + "</mteval>"),
    Growing("set", "depth", lambda n: '<refset setid="n" refid="r"><doc docid="d">' + "<p>" * n
            + '<seg id="1">w</seg>' + "</p>" * n + "</doc></refset>"),
)  # fmt: skip
