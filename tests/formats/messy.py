"""Ordinary files of one corpus, as people have them: a seeded generator of variations.

Every variation holds the same segmentations. What reads it must find the numbers of the clean
file, or refuse it.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

WORDS = ("rain", "sun", "we", "left", "home", "far", "road", "sea", "wind", "hill", "old", "grün",
         "café", "東京", "it", "was", "so")  # fmt: skip
SPELLINGS = {
    "0/1": ("0", "1"), "0.0/1.0": ("0.0", "1.0"), "0,0/1,0": ("0,0", "1,0"),
    "true/false": ("false", "true"), "TRUE/FALSE": ("FALSE", "TRUE"), "y/n": ("n", "y"),
    "yes/no": ("no", "yes"), "x": ("", "x"), "X/-": ("-", "X"), "B/I": ("I", "B"),
}  # fmt: skip


@dataclass
class Text:
    """One text: its sentences, and the sizes of two segmentations."""

    name: str
    units: list[str]
    ref: list[int]
    hyp: list[int]

    def marks(self, side: str, flags: str) -> list[int]:
        """0/1 per unit."""
        found: list[int] = []
        for size in getattr(self, side):
            found += [0] * (size - 1) + [1] if flags == "last" else [1] + [0] * (size - 1)
        return found

    def numbers(self, side: str) -> list[int]:
        """The number of its segment for each unit."""
        return [n for n, size in enumerate(getattr(self, side), 1) for _ in range(size)]


@dataclass
class Variation:
    """Files to write, the options of a command, and what was done to them."""

    files: dict[str, bytes] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


def corpus(rng: random.Random) -> list[Text]:
    """A few texts of several segments each; sizes are never all 1."""
    texts = []
    for number in range(rng.randint(3, 6)):
        units = rng.randint(8, 20)
        sentences = [
            " ".join(rng.choices(WORDS, k=rng.randint(2, 5))).capitalize() + f" {n}."
            for n in range(units)
        ]
        name = rng.choice(["d{}", "text {}", "00{}", "talk-{}.txt"]).format(number)
        texts.append(Text(name, sentences, sizes(rng, units), sizes(rng, units)))
    return texts


def sizes(rng: random.Random, units: int) -> list[int]:
    """At least two segments; the first has at least two units, and so has the last."""
    cuts = sorted(rng.sample(range(2, units - 1), rng.randint(1, 3)))
    return [b - a for a, b in zip([0, *cuts], [*cuts, units], strict=True)]


Row = dict[str, Any]


@dataclass
class Table:
    """Rows with named columns, before they are written; ``roles`` say what columns are for."""

    rows: list[Row]
    roles: dict[str, str]  # role -> name of the column
    flags: str | None = None

    def rename(self, role: str, name: str) -> None:
        """Call a column otherwise."""
        old = self.roles[role]
        self.rows = [{name if k == old else k: v for k, v in row.items()} for row in self.rows]
        self.roles[role] = name


def unit_table(texts: list[Text], rng: random.Random, words: str) -> Table:
    """One row per unit."""
    flags = rng.choice(["last", "last", "first"])
    kind = rng.choice([*SPELLINGS, "numbers"])
    no, yes = SPELLINGS.get(kind, ("0", "1"))
    rows: list[Row] = []
    for text in texts:
        if kind == "numbers":
            sides = [list(map(str, text.numbers(side))) for side in ("ref", "hyp")]
        else:
            sides = [[yes if m else no for m in text.marks(s, flags)] for s in ("ref", "hyp")]
        for n, (unit, ref, hyp) in enumerate(zip(text.units, *sides, strict=True), 1):
            own = {"text": text.name, "unit": n, words: unit, "ref": ref, "hyp": hyp}
            rows.append(own)
    roles = {"text": "text", "unit": "unit", "words": words, "ref": "ref", "hyp": "hyp"}
    if words == "token":  # a table of tokens has no numbers, and no numbers of segments
        rows = [{k: v for k, v in row.items() if k != "unit"} for row in rows]
        del roles["unit"]
    return Table(rows, roles, None if kind == "numbers" else flags)


def long_table(texts: list[Text], rng: random.Random) -> Table:
    """One row per text, annotator and unit."""
    flags = rng.choice(["last", "first"])
    rows = [
        {"text": text.name, "annotator": side, "unit": n, "cut": mark}
        for text in texts
        for side in ("ref", "hyp")
        for n, mark in enumerate(text.marks(side, flags), 1)
    ]
    return Table(rows, {"text": "text", "coder": "annotator", "unit": "unit"}, flags)


def text_table(texts: list[Text], rng: random.Random) -> Table:
    """One row per text; cells hold sizes, or one 0/1 per unit."""
    kind = rng.choice(["5 5", "[5, 5]", "5,5", "marks"])
    rows: list[Row] = []
    for text in texts:
        cells = []
        for side in ("ref", "hyp"):
            own = text.marks(side, "last") if kind == "marks" else getattr(text, side)
            written = json.dumps(own)
            cells.append(
                written if kind in ("[5, 5]", "marks") else written[1:-1].replace(
                    ", ", " " if kind == "5 5" else ",")
            )  # fmt: skip
        rows.append({"id": text.name, "ref": cells[0], "hyp": cells[1]})
    return Table(rows, {"text": "id", "ref": "ref", "hyp": "hyp"})


def records(texts: list[Text], rng: random.Random) -> Table:
    """One record per text, with a value of some kind."""
    kind = rng.choice(["sizes", "marks", "floats", "strings", "bools", "labels", "bits", "spans",
                       "B/I", "quoted"])  # fmt: skip
    flags = rng.choice(["last", "first"])
    rows: list[Row] = []
    for text in texts:
        row: Row = {"id": text.name}
        for side in ("ref", "hyp"):
            marks, own = text.marks(side, flags), getattr(text, side)
            ends = [sum(own[: n + 1]) for n in range(len(own))]
            row[side] = {
                "sizes": own, "marks": marks, "floats": [float(m) for m in marks],
                "strings": "".join(map(str, marks)), "bools": [bool(m) for m in marks],
                "labels": [f"topic{n}" for n in text.numbers(side)],
                "bits": "1".join("0" * (size - 1) for size in own),
                "spans": [[end - size, end] for end, size in zip(ends, own, strict=True)],
                "B/I": ["B" if m else "I" for m in text.marks(side, "first")],
                "quoted": [str(m) for m in marks],
            }[kind]  # fmt: skip
        if rng.random() < 0.4:
            row["units"] = text.units if rng.random() < 0.7 else len(text.units)
        rows.append(row)
    if any("units" in row for row in rows):  # all have units or none
        for row, text in zip(rows, texts, strict=True):
            row["units"] = text.units
    marked = kind in ("marks", "floats", "strings", "bools", "quoted")
    return Table(rows, {"text": "id", "ref": "ref", "hyp": "hyp"}, flags if marked else None)


# What happens to tables before they are written.

NAMES = {
    "text": ["doc", "doc_id", "Document", "ID", "item", "name", "file", "chapter", "Sitzung"],
    "unit": ["Sentence", "i", "nr", "index", "line", "satz"],
    "words": ["sent", "content", "Text", "utterance", "satztext"],
    "ref": ["gold", "reference", "anna", "Gold 1"],
    "hyp": ["pred", "system", "ben", "lstm_v2"],
    "coder": ["rater", "coder", "who"],
}


def rename(table: Table, rng: random.Random) -> str:
    """Call some columns otherwise."""
    roles = [role for role in table.roles if rng.random() < 0.6]
    for role in roles:
        name = rng.choice(NAMES[role])
        if name.lower() not in {n.lower() for n in table.roles.values()}:
            table.rename(role, name)
    return "renamed " + ",".join(f"{k}={v}" for k, v in table.roles.items())


def add_columns(table: Table, rng: random.Random) -> str:
    """Add columns that say something else."""
    makers: dict[str, Callable[[int], Any]] = {
        "n_words": lambda n: rng.randint(3, 30), "date": lambda n: f"2024-03-{n % 28 + 1:02d}",
        "speaker": lambda n: rng.choice(["A", "B"]), "notes": lambda n: rng.choice(["", "unsure"]),
        "duration": lambda n: round(rng.uniform(0.5, 9), 2), "model": lambda n: "v3",
        "confidence": lambda n: round(rng.uniform(0, 1), 3), "year": lambda n: 2024,
        "hash": lambda n: f"{rng.getrandbits(32):08x}",
    }  # fmt: skip
    if "unit" not in table.roles and "words" in table.roles:
        del makers["speaker"]  # tokens of several speakers are parallel tracks
    names = rng.sample(list(makers), rng.randint(1, 3))
    for n, row in enumerate(table.rows):
        row.update({name: makers[name](n) for name in names})
    return "extra " + ",".join(names)


def spoil_cell(table: Table, rng: random.Random) -> str:
    """Replace one cell of a segmentation by something odd; it must be noticed."""
    side = rng.choice([role for role in ("ref", "hyp") if role in table.roles] or [""])
    name = table.roles.get(side, "cut")
    row = rng.choice(table.rows)
    odd = rng.choice(["O", "2", "?", "l", "NA", "NaN", "null", "n/a", "-1", "0.5", "ja", "#REF!"])
    row[name] = odd
    return f"odd {odd!r} in {name}"


def shuffle_rows(table: Table, rng: random.Random) -> str:
    """Put rows in another order."""
    rng.shuffle(table.rows)
    return "shuffled"


def repeat_row(table: Table, rng: random.Random) -> str:
    """Have one row twice."""
    place = rng.randrange(len(table.rows))
    table.rows.insert(rng.choice([place, len(table.rows)]), dict(table.rows[place]))
    return "repeated row"


def number_rows(table: Table, rng: random.Random) -> str:
    """Add row names, as R and pandas write them."""
    start = rng.choice([0, 1])
    table.rows = [{"": n, **row} for n, row in enumerate(table.rows, start)]
    return "row names"


def add_spaces(table: Table, rng: random.Random) -> str:
    """Put white space around cells."""
    table.rows = [{k: f" {v} " if rng.random() < 0.3 else v for k, v in row.items()}
                  for row in table.rows]  # fmt: skip
    return "spaces"


Change = Callable[[Table, random.Random], str]


def write_table(table: Table, rng: random.Random) -> tuple[str, bytes, str]:
    """A CSV or TSV file: separator, quotation marks, ends of lines and encoding vary."""
    ending, delimiter = rng.choice([(".csv", ","), (".csv", ";"), (".tsv", "\t"), (".csv", "\t")])
    buffer = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(table.rows[0])
    writer.writerows(row.values() for row in table.rows)
    text = buffer.getvalue()
    done = f"{ending} {delimiter!r} {end!r}"
    if rng.random() < 0.1:
        text += end * 2
    if rng.random() < 0.1:
        text, done = text[: -rng.randint(1, 4)], done + " truncated"
    encoding = rng.choice(["utf-8"] * 4 + ["utf-8-sig", "utf-16", "latin-1"])
    return ending, text.encode(encoding, "replace"), f"{done} {encoding}"


def write_records(table: Table, rng: random.Random) -> tuple[str, bytes, str]:
    """JSON lines, or a JSON list."""
    lines = [json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in table.rows]
    if rng.random() < 0.3:
        return ".json", f"[{','.join(lines)}]".encode(), "json"
    text = "\n".join(lines) + rng.choice(["", "\n", "\n\n"])
    if rng.random() < 0.1:
        return ".jsonl", text[:-7].encode(), "jsonl truncated"
    return ".jsonl", text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig"])), "jsonl"


def write_parquet(table: Table, rng: random.Random) -> tuple[str, bytes, str]:
    """A Parquet file, with columns of the types that its values have."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(table.rows[0])
    columns = {name: [row.get(name) for row in table.rows] for name in names}
    for name, own in columns.items():
        if len({type(one) for one in own}) > 1:  # an odd cell makes a column of texts
            columns[name] = [str(one) for one in own]
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return ".parquet", buffer.getvalue(), "parquet"


def declared(table: Table, rng: random.Random) -> list[str]:
    """Options that name the columns: all of them, or only the two sides."""
    own = {**table.roles, **({} if "ref" in table.roles else {"ref": "ref", "hyp": "hyp"})}
    if (table.roles.get("ref"), table.roles.get("hyp")) == ("ref", "hyp") and rng.random() < 0.4:
        return []
    roles = own if rng.random() < 0.5 else {k: own[k] for k in ("ref", "hyp")}
    return ["--columns", ",".join(f"{role}={name}" for role, name in roles.items())]


def variation(seed: int) -> tuple[list[Text], Variation]:
    """The texts, and a file of them in some shape with a few changes."""
    rng = random.Random(seed)
    texts = corpus(rng)
    shape = rng.choice(["units", "units", "tokens", "long", "texts", "records", "records"])
    table = {
        "units": lambda: unit_table(texts, rng, "content"),
        "tokens": lambda: unit_table(texts, rng, "token"),
        "long": lambda: long_table(texts, rng),
        "texts": lambda: text_table(texts, rng),
        "records": lambda: records(texts, rng),
    }[shape]()
    made = Variation(done=[shape])
    changes: list[Change] = [rename, add_columns, shuffle_rows, repeat_row, spoil_cell]
    if shape != "records":
        changes += [number_rows, add_spaces]
    if shape == "tokens":  # no number says where a token belongs
        changes = [one for one in changes if one not in (shuffle_rows, repeat_row)]
    if shape == "records":
        changes = [one for one in changes if one is not spoil_cell]
    chosen = rng.sample(changes, rng.choice([0, 1, 1, 2, 2, 3]))
    # Row names come last, as a tool adds them when it writes; a row twice is the same row.
    for change in sorted(chosen, key=lambda one: (one is number_rows, one is repeat_row)):
        made.done.append(change(table, rng))
    if table.flags and rng.random() < 0.5:
        made.words += ["--flags", table.flags]
    write = write_table if shape != "records" else write_records
    if shape in ("records", "units", "texts") and rng.random() < 0.15:
        write = write_parquet
    if shape in ("records", "texts") and rng.random() < 0.4:
        put_in_two_files(table, made, write, rng)
        return texts, made
    ending, data, how = write(table, rng)
    made.done.append(how)
    made.files[f"data{ending}"] = data
    made.words = [f"data{ending}", *declared(table, rng), *made.words]
    return texts, made


def put_in_two_files(table: Table, made: Variation, write: Any, rng: random.Random) -> None:
    """The system has a file of its own, often in another order and with other names."""
    ref, hyp = table.roles["ref"], table.roles["hyp"]
    rows = [{k: v for k, v in row.items() if k not in (ref, "units")} for row in table.rows]
    system = Table(rows, {"text": table.roles["text"], "hyp": hyp})
    table.rows = [{k: v for k, v in row.items() if k != hyp} for row in table.rows]
    if rng.random() < 0.6:
        made.done.append("system " + shuffle_rows(system, rng))
    if rng.random() < 0.3:
        name = rng.choice([n for n in NAMES["text"] if n not in system.rows[0]])
        system.rename("text", name)
        made.done.append(f"system calls texts {name}")
    files = []
    for name, own in (("gold", table), ("system", system)):
        ending, data, how = write(own, rng)
        made.done.append(how)
        made.files[name + ending] = data
        files.append(name + ending)
    words = ["--columns", f"ref={ref}", "--hyp-columns", f"hyp={hyp}"]
    if rng.random() < 0.4:
        words = ["--columns", f"ref={ref},text={table.roles['text']}",
                 "--hyp-columns", f"hyp={hyp},text={system.roles['text']}"]  # fmt: skip
    made.words = [files[0], "-i", files[1], *words, *made.words]
