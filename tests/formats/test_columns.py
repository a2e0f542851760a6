"""Which column is what: roles that are declared, names that are known, and ids that match texts."""

import csv
import io
import itertools
import json
import random
import re
import shlex
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

import fencepost as fp
from fencepost.formats import FormatError, read_text
from support import run

SAMPLES = Path(__file__).parent.parent / "samples"
TIDY = {"text": "doc", "coder": "rater", "unit": "i", "words": "sent"}
WIDE = {"text": "story", "unit": "nr", "words": "sent"}
# What tidy.csv and columns.csv hold, as sizes by text and annotator.
TIDY_SIZES = {
    ("d1", "anna"): (2, 2), ("d1", "ben"): (1, 3), ("d2", "anna"): (1, 2), ("d2", "ben"): (2, 1),
}  # fmt: skip
GOLD, LSTM, BERT = (
    {"d1": (2, 2), "d2": (1, 2)},
    {"d1": (3, 1), "d2": (2, 1)},
    {"d1": (1, 3), "d2": (2, 1)},
)
WORDS = ["It rained.", "We left; then it stopped.", "Home was far.", "We slept."]


def sizes(corpus):
    return {(key.text, key.coder): seg.masses for key, seg in corpus.entries.items()}


def put(folder, name, content):
    (folder / name).write_text(content, encoding="utf-8")
    return str(folder / name)


def rows_of(name, delimiter):
    text = (SAMPLES / name).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def as_csv(rows, delimiter=","):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def values_of(table):
    """The scores of a run with --csv, by system and metric."""
    return {
        (row["system"], row["metric"]): row["value"] for row in csv.DictReader(io.StringIO(table))
    }


def scored(*words, cwd):
    done = run("score", *words, "--no-intervals", "--no-baselines", "--csv", "-q", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return values_of(done.stdout)


def shown(*words, cwd):
    """What score prints, in one line."""
    done = run("score", *words, "--no-intervals", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def pasted(message):
    """The commands in an error, as words; flags that it offers are added as --flags last."""
    found = re.findall(r"fencepost (look .*?)(?: \(add (--flags last).*)?$", message, re.MULTILINE)
    return [[*shlex.split(command), *flags.split()] for command, flags in found]


def told(message):
    """The command line's options in an error, to paste."""
    return re.search(r"--columns [\w.]+=\w+", message)[0].split()


# Declared roles.


def tidy_files(folder):
    """tidy.csv as people hold it: CSV, TSV, JSON, JSON lines, Parquet, shuffled, with a BOM."""
    rows = [{k: v for k, v in row.items() if k} for row in rows_of("tidy.csv", ";")]
    typed = [{**row, "i": int(row["i"]), "cut": int(row["cut"])} for row in rows]
    shuffled = random.Random(1).sample(rows, len(rows))
    put(folder, "a.csv", as_csv(rows))
    put(folder, "b.tsv", as_csv(rows, "\t"))
    put(folder, "c.csv", "\ufeff" + as_csv(rows, ";"))
    put(folder, "d.csv", as_csv(shuffled))
    put(folder, "e.json", json.dumps(typed, indent=1))
    put(folder, "f.jsonl", "".join(json.dumps(row) + "\n" for row in typed))
    put(folder, "g.csv", as_csv([{**row, "cut": row["cut"] + ",0"} for row in rows], ";"))
    put(folder, "h.csv", as_csv([{**row, "cut": bool(row["cut"])} for row in typed]))
    return sorted(path.name for path in folder.iterdir())


def test_a_tidy_table_is_read_whatever_holds_it(tmp_path):
    for name in [*tidy_files(tmp_path), SAMPLES / "tidy.csv"]:
        corpus = fp.read(tmp_path / name, columns=TIDY)
        assert sizes(corpus) == TIDY_SIZES, name
        assert corpus.tokens["d1", ""] == WORDS
        assert corpus.source.field == "cut"


def test_a_tidy_table_in_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{k: v for k, v in row.items() if k} for row in rows_of("tidy.csv", ";")]
    typed = [{**row, "i": int(row["i"]), "cut": int(row["cut"])} for row in rows]
    parquet.write_table(arrow.Table.from_pylist(typed), tmp_path / "t.parquet")
    assert sizes(fp.read(tmp_path / "t.parquet", columns=TIDY)) == TIDY_SIZES


def test_a_tidy_table_with_known_names_needs_no_option():
    text = (SAMPLES / "tidy.csv").read_text(encoding="utf-8")
    known = text.replace('"rater";"i";"sent"', '"annotator";"sentence";"content"')
    assert sizes(read_text(known, "t.csv")) == TIDY_SIZES


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "parquet"])
@pytest.mark.parametrize("long", [False, True])
def test_rows_of_units_with_known_names_are_read_from_any_file(tmp_path, kind, long):
    rows = [
        {"doc": r["doc"], "sentence": int(r["i"]), "annotator": r["rater"], "cut": int(r["cut"])}
        for r in rows_of("tidy.csv", ";")
    ]
    if not long:
        by_unit = {}
        for row in rows:
            own = {"doc": row["doc"], "sentence": row["sentence"]}
            by_unit.setdefault((row["doc"], row["sentence"]), own)[row["annotator"]] = row["cut"]
        rows = list(by_unit.values())
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    else:
        made = {"csv": as_csv(rows), "json": json.dumps(rows), "jsonl": records(rows)}
        put(tmp_path, path.name, made[kind])
    corpus = fp.read(path)
    assert sizes(corpus) == TIDY_SIZES and corpus.source.id_field == "doc"
    assert fp.read(path, without=["anna"]).coders == ["ben"]


def test_several_columns_may_be_the_boundaries_of_a_tidy_table():
    table = "doc,coder,unit,cut,score\nd,a,1,0,3\nd,a,2,1,4\nd,b,1,0,3\nd,b,2,1,4\n"
    with pytest.raises(FormatError, match="may be in cut or score: say which with --columns ref="):
        read_text(table, "t.csv", flags="last")
    assert sizes(read_text(table, "t.csv", flags="last", columns={"ref": "cut"})) == {
        ("d", "a"): (2,),
        ("d", "b"): (2,),
    }


def test_a_row_that_is_twice_in_a_tidy_table_is_refused():
    text = (SAMPLES / "tidy.csv").read_text(encoding="utf-8").replace('"ben";"4"', '"ben";"3"')
    with pytest.raises(FormatError, match="line 12: unit 3 of d1 by ben is given twice"):
        read_text(text, "t.csv", columns=TIDY)


def test_a_row_that_is_missing_in_a_tidy_table_is_refused():
    lines = (SAMPLES / "tidy.csv").read_text(encoding="utf-8").splitlines()
    with pytest.raises(FormatError, match="ben has NA here, but others in d1"):
        read_text("\n".join(lines[:9] + lines[10:]), "t.csv", columns=TIDY)


def test_a_tidy_table_of_tokens_has_types():
    rows = [
        "t,a,1,so,",
        "t,a,2,we,",
        "t,a,3,went,major",
        "t,b,1,so,minor",
        "t,b,2,we,",
        "t,b,3,went,major",
    ]
    corpus = read_text(
        "\n".join(["doc,who,n,word,cut", *rows]), "t.csv", "tokens",
        columns={"coder": "who", "unit": "n", "words": "word"},
    )  # fmt: skip
    assert sizes(corpus) == {("t", "a"): (3,), ("t", "b"): (1, 2)}
    assert corpus.kind_names == ("major", "minor")
    assert corpus.tokens["t", ""] == ["so", "we", "went"]


def test_a_unit_decides_what_a_row_is():
    text = (SAMPLES / "tidy.csv").read_text(encoding="utf-8")
    for format in ("units", "table", None):
        assert sizes(read_text(text, "t.csv", format, columns=TIDY)) == TIDY_SIZES


def test_a_table_with_a_row_per_text_and_annotator():
    table = "work;judge_name;parts\nd1;anna;2 2\nd1;ben;1 3\nd2;anna;1 2\nd2;ben;2 1\n"
    columns = {"text": "work", "coder": "judge_name", "ref": "parts"}
    corpus = read_text(table, "t.csv", columns=columns)
    assert sizes(corpus) == TIDY_SIZES
    assert corpus.source.id_field == "work" and "judge_name" in corpus.source.shape


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_records_have_any_names(tmp_path, kind):
    rows = [
        {"work": "d1", "n": 4, "gold": [2, 2], "lstm": [3, 1]},
        {"work": "d2", "n": 3, "gold": [1, 2], "lstm": [2, 1]},
    ]
    if kind == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    else:
        content = {
            "csv": as_csv(rows),
            "jsonl": "\n".join(map(json.dumps, rows)),
            "json": json.dumps(rows),
        }[kind]
        put(tmp_path, f"x.{kind}", content)
    columns = {"text": "work", "units": "n"}
    gold = fp.read(tmp_path / f"x.{kind}", columns={**columns, "ref": "gold"})
    lstm = fp.read(tmp_path / f"x.{kind}", columns={**columns, "hyp": "lstm"})
    assert sizes(gold) == {(text, "1"): own for text, own in GOLD.items()}
    assert sizes(lstm) == {(text, "1"): own for text, own in LSTM.items()}
    assert gold.source.id_field == "work" and gold.source.ignored == ("lstm",)
    spelled = fp.read(tmp_path / f"x.{kind}", field="gold", id_field="work", units_field="n")
    assert spelled.source == gold.source and sizes(spelled) == sizes(gold)
    with pytest.raises(FormatError, match=r"no column 'doc' .*there are work, n, gold, lstm"):
        fp.read(tmp_path / f"x.{kind}", columns={"text": "doc", "ref": "gold"})


def test_records_have_one_field_per_annotator(tmp_path):
    wide = {"d1": {"anna": [2, 2], "ben": [1, 3]}, "d2": {"anna": [1, 2], "ben": [2, 1]}}
    records = [{"id": text, **own, "n": 3} for text, own in wide.items()]
    lines = "\n".join(map(json.dumps, records))
    cells = [{"doc": t, **{c: " ".join(map(str, m)) for c, m in own.items()}}
             for t, own in wide.items()]  # fmt: skip
    files = (
        (put(tmp_path, "w.jsonl", lines), {}),
        (put(tmp_path, "w.json", json.dumps(records)), {}),
        (put(tmp_path, "w.csv", as_csv(cells)), {"text": "doc"}),
    )
    for path, columns in files:
        corpus = fp.read(path, columns=columns, coders=["anna", "ben"])
        assert sizes(corpus) == TIDY_SIZES
        assert corpus.source.ignored == (() if columns else ("n",))
        said = run("look", path).stderr  # the command to paste names both
        assert "--coders anna ben" in said
    # An annotator who has nothing for a text is missing there; each field is judged alone.
    records[1]["ben"] = None
    corpus = fp.read(put(tmp_path, "m.jsonl", "\n".join(map(json.dumps, records))),
                     coders=["anna", "ben"])  # fmt: skip
    assert sizes(corpus) == {k: v for k, v in TIDY_SIZES.items() if k != ("d2", "ben")}


def test_one_file_has_both_sides_and_several_systems(tmp_path):
    columns = "text=story,unit=nr,words=sent,ref=gold,hyp=lstm,hyp=bert"
    said = shown("columns.csv", "--columns", columns, "--flags", "last", cwd=SAMPLES)
    start = "columns.csv (gold, lstm, bert): one row per unit (columns story, nr, sent);"
    assert said.startswith(start) and "ignored: notes" in said
    found = scored("columns.csv", "--columns", columns, "--flags", "last", cwd=SAMPLES)
    put(tmp_path, "gold.json", json.dumps(GOLD))
    put(tmp_path, "lstm.json", json.dumps(LSTM))
    put(tmp_path, "bert.json", json.dumps(BERT))
    assert found == scored("gold.json", "-i", "lstm.json", "bert.json", cwd=tmp_path)
    spelled = scored("columns.csv", "--columns", "text=story,unit=nr", "--flags", "last",
                     "--ref-field", "gold", "--hyp-field", "lstm", "bert", cwd=SAMPLES)  # fmt: skip
    assert spelled == found


def test_both_sides_in_one_parquet_file(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": text, "gold": list(GOLD[text]), "c256": list(LSTM[text]), "c512": list(BERT[text])}
        for text in GOLD
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "big.parquet")
    found = scored("big.parquet", "--columns", "ref=gold,hyp=c256,hyp=c512", cwd=tmp_path)
    put(tmp_path, "gold.json", json.dumps(GOLD))
    put(tmp_path, "c256.json", json.dumps(LSTM))
    put(tmp_path, "c512.json", json.dumps(BERT))
    assert found == scored("gold.json", "-i", "c256.json", "c512.json", cwd=tmp_path)


def test_each_file_may_have_columns_of_its_own(tmp_path):
    put(tmp_path, "gold.jsonl", records({"id": t, "ref": list(m)} for t, m in GOLD.items()))
    put(tmp_path, "a.jsonl", records({"call": t, "preds": list(m)} for t, m in LSTM.items()))
    put(tmp_path, "b.jsonl", records({"call": t, "out": list(m)} for t, m in BERT.items()))
    put(tmp_path, "gold.json", json.dumps(GOLD))
    put(tmp_path, "A.json", json.dumps(LSTM))
    put(tmp_path, "b.json", json.dumps(BERT))
    right = scored("gold.json", "-i", "A.json", "b.json", cwd=tmp_path)
    own = scored("gold.jsonl", "-i", "A=a.jsonl:hyp=preds,text=call", "b.jsonl:hyp=out,text=call",
                 cwd=tmp_path)  # fmt: skip
    assert own == right
    side = scored("gold.jsonl", "-i", "A=a.jsonl:hyp=preds", "b.jsonl:hyp=out",
                  "--hyp-columns", "text=call", cwd=tmp_path)  # fmt: skip
    assert side == right
    put(tmp_path, "odd:ref=x.json", json.dumps(GOLD))  # a file that is called so
    assert scored("odd:ref=x.json", "-i", "A.json", "b.json", cwd=tmp_path) == right


def records(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["columns.csv", "--columns", "doc=story"], "ROLE=NAME such as text=doc,ref=gold; roles a"),
        (["columns.csv", "--columns", "story"], "ROLE=NAME"),
        (["columns.csv", "--columns", "columns.csv:text=story"], "its name: FILE:ROLE=NAME"),
        (["columns.csv", "--columns", "text=nope,unit=nr"], "no column 'nope'"),
        (["columns.csv", "--columns", "text=story,unit=nr,hyp=lstm,hyp=lstm"], "named twice"),
        (["columns.csv", "--columns", "text=story", "--id-field", "nr"], "differ: give one of the"),
        (
            ["masses.json", "--columns", "unit=i", "-i", "masses.json"],
            "--columns unit=... does not",
        ),
        (
            ["masses.json", "--without", "zz", "-i", "masses.json"],
            "--without zz: no file has a col",
        ),
        (["masses.json:words=x,zz=3", "-i", "masses.json"], "ROLE=NAME"),
    ],
)
def test_columns_that_cannot_be_are_refused(words, said):
    done = run("score", *words, cwd=SAMPLES)
    assert done.returncode in (1, 2) and said in done.stderr, done.stderr


def test_commands_of_one_side_name_one_segmentation():
    done = run("look", "columns.csv", "--columns", "text=story,unit=nr,hyp=lstm", cwd=SAMPLES)
    assert done.returncode == 2 and "--columns ref=NAME" in done.stderr
    with pytest.raises(FormatError, match="one side is read at a time"):
        fp.read(SAMPLES / "columns.csv", columns={**WIDE, "ref": "gold", "hyp": "lstm"})


# Annotators and columns that are left out.


def test_only_these_annotators_are_read():
    corpus = fp.read(SAMPLES / "columns.csv", columns=WIDE, coders=["gold", "bert"])
    assert corpus.coders == ["gold", "bert"]
    assert corpus.source.ignored == ("lstm", "notes")
    corpus = fp.read(SAMPLES / "tidy.csv", columns=TIDY, coders=["ben"], flags="last")
    assert corpus.coders == ["ben"]
    corpus = fp.read(SAMPLES / "segeval.json")
    some = corpus.coders[1:]
    assert fp.read(SAMPLES / "segeval.json", coders=some).coders == some
    with pytest.raises(FormatError, match="no annotator 'zoe'; the annotators are"):
        fp.read(SAMPLES / "segeval.json", coders=["zoe"])


def test_a_chosen_annotator_may_have_any_name():
    table = "text,sentence,notes,date\nt,1,0,1\nt,2,1,0\nt,3,0,0\nt,4,1,1\n"
    corpus = read_text(table, "x.csv", coders=["notes", "date"], flags="last")
    assert sizes(corpus) == {("t", "notes"): (2, 2), ("t", "date"): (1, 3)}


def test_columns_are_ignored_on_request():
    corpus = fp.read(SAMPLES / "columns.csv", columns=WIDE, without=["lstm", "notes"])
    assert corpus.coders == ["gold", "bert"]
    corpus = fp.read(SAMPLES / "segeval.json")
    first, *others = corpus.coders
    assert fp.read(SAMPLES / "segeval.json", without=first).coders == others
    with pytest.raises(FormatError, match="no column or annotator 'zz' to ignore; there are"):
        fp.read(SAMPLES / "segeval.json", without=["zz"])
    jsonl = '{"id": "a", "draft": [2, 2], "final": [3, 1]}\n'
    with pytest.raises(FormatError, match="--columns ref="):
        read_text(jsonl, "x.jsonl")
    assert sizes(read_text(jsonl, "x.jsonl", without=["draft"])) == {("a", "1"): (3, 1)}


# What look suggests.


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("columns.csv", ["--columns", "text=story,unit=nr,words=sent"]),
        ("tidy.csv", ["--columns", "text=doc,coder=rater,unit=i,words=sent"]),
        ("sheet_marks.csv", []),
        ("segeval.json", []),
    ],
)
def test_the_command_that_look_suggests_gives_the_right_number(tmp_path, file, options):
    done = run("look", file, *options, "--json", cwd=SAMPLES)
    (look,) = json.loads(done.stdout)["files"]
    command = next(one for one in look["next"] if " score " in one)
    corpus = fp.read(SAMPLES / file, **(
        {"columns": dict(p.split("=") for p in options[1].split(","))} if options else {}
    ))  # fmt: skip
    first, second = corpus.coders[:2]
    found = scored(*shlex.split(command)[2:], cwd=SAMPLES)
    for coder in (first, second):
        fp.write(corpus.by(coder).rename_coders({(None, coder): "1"}), tmp_path / f"{coder}.json")
    assert found == scored(f"{first}.json", "-i", f"{second}.json", cwd=tmp_path)


# Which texts meet.

KNOWN_IDS = ["id", "doc_id", "docid", "document_id", "text_id", "uid", "item", "document", "doc",
             "key", "name", "filename", "file", "title", "source"]  # fmt: skip
TEXTS = {"a": [2, 2], "b": [1, 3], "c": [3, 2], "d": [2, 1, 1]}


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet"])
@pytest.mark.parametrize("column", KNOWN_IDS)
def test_known_ids_match_texts_in_any_order(tmp_path, column, kind):
    rows = [{column: name, "ref": parts} for name, parts in TEXTS.items()]
    for name, own in (("gold", rows), ("sys", rows[::-1])):
        own = own if name == "gold" else [{column: r[column], "hyp": r["ref"]} for r in own]
        if kind == "parquet":
            arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            parquet.write_table(arrow.Table.from_pylist(own), tmp_path / f"{name}.parquet")
            continue
        content = {"jsonl": records(own), "json": json.dumps(own), "csv": as_csv(own)}[kind]
        put(tmp_path, f"{name}.{kind}", content)
    gold, system = f"gold.{kind}", f"sys.{kind}"
    found = scored(gold, "-i", system, "-m", "F", cwd=tmp_path)
    assert set(found.values()) == {"1.0"}
    assert f"matched by {column}" in shown(gold, "-i", system, "-m", "F", cwd=tmp_path)


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.combinations(["id", "doc", "key", "title"], 2))
)
def test_ids_are_known_in_one_order(first, second):
    for names in ((first, second), (second, first)):
        row = {name: f"{name}-1" for name in names}
        corpus = read_text(records([row | {"ref": [2, 2]}]), "x.jsonl")
        assert corpus.source.id_field == first


def test_a_column_that_is_not_different_everywhere_names_no_texts():
    rows = [{"source": "news", "ref": [2, 2]}, {"source": "news", "ref": [1, 3]}]
    assert read_text(records(rows), "x.jsonl").source.naming == "numbers"
    rows = [{"source": "news", "title": t, "ref": m} for t, m in TEXTS.items()]
    assert read_text(records(rows), "x.jsonl").source.id_field == "title"


def test_a_file_that_is_matched_by_line_says_so(tmp_path):
    put(tmp_path, "gold.jsonl", records({"ref": m} for m in TEXTS.values()))
    put(tmp_path, "sys.jsonl", records({"hyp": m} for m in TEXTS.values()))
    assert "matched by line" in shown("gold.jsonl", "-i", "sys.jsonl", "-m", "F", cwd=tmp_path)


@pytest.mark.parametrize("column", ["call", "n"])
def test_files_that_share_values_in_another_order_are_not_matched_by_line(tmp_path, column):
    rows = [{column: name if column == "call" else n, "ref": parts}
            for n, (name, parts) in enumerate(TEXTS.items(), start=7)]  # fmt: skip
    put(tmp_path, "gold.jsonl", records(rows))
    put(tmp_path, "sys.jsonl", records(rows[::-1]))
    done = run("score", "gold.jsonl", "-i", "sys.jsonl", "-m", "F", cwd=tmp_path)
    assert done.returncode == 1
    assert f"would be matched by line, but {column} and {column} have the same val" in done.stderr
    found = scored("gold.jsonl", "-i", "sys.jsonl", "-m", "F", *told(done.stderr), cwd=tmp_path)
    assert set(found.values()) == {"1.0"}
    by_line = run("score", "gold.jsonl", "-i", "sys.jsonl", "--without", column, cwd=tmp_path)
    assert by_line.returncode == 1 and "1: gold has 4 units, sys 4" not in by_line.stderr


def test_numbers_under_two_names_are_compared_too(tmp_path):
    rows = [(n, parts) for n, parts in enumerate(TEXTS.values(), start=40)]
    put(tmp_path, "gold.jsonl", records({"utt": n, "ref": m} for n, m in rows))
    put(tmp_path, "sys.jsonl", records({"nr": n, "hyp": m} for n, m in reversed(rows)))
    done = run("score", "gold.jsonl", "-i", "sys.jsonl", cwd=tmp_path)
    assert done.returncode == 1 and "utt and nr have the same values" in done.stderr
    gold, system = re.findall(r"\w+\.jsonl:text=\w+", done.stderr)
    assert set(scored(gold, "-i", system, "-m", "F", cwd=tmp_path).values()) == {"1.0"}


def test_the_same_order_needs_no_option(tmp_path):
    rows = [{"call": name, "ref": parts} for name, parts in TEXTS.items()]
    put(tmp_path, "gold.jsonl", records(rows))
    put(tmp_path, "sys.jsonl", records(rows))
    assert set(scored("gold.jsonl", "-i", "sys.jsonl", "-m", "F", cwd=tmp_path).values()) == {"1.0"}


def test_a_column_with_the_names_of_the_other_side_is_suggested(tmp_path):
    put(tmp_path, "gold.jsonl", records({"id": n, "ref": m} for n, m in TEXTS.items()))
    rows = [{"call": n, "hyp": m} for n, m in reversed(TEXTS.items())]
    put(tmp_path, "sys.jsonl", records(rows))
    done = run("score", "gold.jsonl", "-i", "sys.jsonl", "-m", "F", cwd=tmp_path)
    assert done.returncode == 1 and "add :text=call to the file" in done.stderr
    told = re.search(r"\S+:text=call", done.stderr)[0]
    assert set(scored("gold.jsonl", "-i", told, "-m", "F", cwd=tmp_path).values()) == {"1.0"}


def test_ids_that_never_match_show_names_of_both_sides(tmp_path):
    put(tmp_path, "gold.jsonl", records({"id": n, "ref": m} for n, m in TEXTS.items()))
    put(tmp_path, "sys.jsonl", records({"id": f"x{n}", "hyp": m} for n, m in TEXTS.items()))
    for missing in ("error", "skip", "whole"):
        done = run("score", "gold.jsonl", "-i", "sys.jsonl", "--missing", missing, cwd=tmp_path)
        assert done.returncode == 1
        assert "none of the 4 texts of gold (a, b, c and 1 more), but xa, xb, xc" in done.stderr
        assert "--columns text=NAME" in done.stderr


def test_a_column_with_the_document_names_no_texts(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    document = "It rained all day, and nobody thought of going out. " * 3
    rows = [{"text": f"{document} {n}", "ref": m} for n, m in TEXTS.items()]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    assert fp.read(tmp_path / "x.parquet").source.naming == "numbers"
    rows = [{"text": f"{document} {n}", "doc_id": n, "ref": m} for n, m in TEXTS.items()]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "y.parquet")
    assert fp.read(tmp_path / "y.parquet").source.id_field == "doc_id"


# Each column, and each annotator, alone.


def test_an_annotator_is_no_hypothesis():
    rows = [{"id": "d", "coder": "anna", "ref": [2, 2]}]
    corpus = read_text(records(rows), "x.jsonl", default_field="hyp")
    assert corpus.source.field == "ref" and sizes(corpus) == {("d", "1"): (2, 2)}


def test_a_word_of_every_token_is_no_boundary_type():
    tags = ["PRON", "VERB", "ADV", "CONJ", "PRON", "VERB"]
    cells = ["", "", "major", "", "", "major"]
    rows = [f"t,w{n},{tag},{cell}" for n, (tag, cell) in enumerate(zip(tags, cells, strict=True))]
    corpus = read_text("\n".join(["text,token,pos,anna", *rows]), "x.csv")
    assert corpus.coders == ["anna"] and corpus.source.ignored == ("pos",)
    chosen = read_text("\n".join(["text,token,pos,anna", *rows]), "x.csv", coders=["pos"])
    assert chosen.coders == ["pos"] and sizes(chosen) == {("t", "pos"): (1,) * 6}


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv"])
def test_what_a_1_marks_is_shown_by_each_annotator_alone(kind):
    """Together all texts end with 1 and not all begin with one; ben's all do both."""
    marks = {("s", "anna"): [0, 1, 1], ("s", "ben"): [1, 0, 1], ("t", "anna"): [0, 0, 1],
             ("t", "ben"): [1, 1, 1]}  # fmt: skip
    if kind == "json":
        text = json.dumps({t: {c: marks[t, c] for c in ("anna", "ben")} for t in ("s", "t")})
    elif kind == "jsonl":
        text = records({"id": t, "coder": c, "ref": m} for (t, c), m in marks.items())
    else:
        text = as_csv([{"id": t, "coder": c, "ref": m} for (t, c), m in marks.items()])
    with pytest.raises(FormatError, match=r"ben has marks .*--flags last"):
        read_text(text, f"x.{kind}")
    found = sizes(read_text(text, f"x.{kind}", flags="last"))
    assert found["s", "anna"] == (2, 1) and found["t", "ben"] == (1, 1, 1)


def test_a_signature_gives_its_number_again(tmp_path):
    words = ("columns.csv", "--columns", "text=story,unit=nr,ref=gold,hyp=bert", "-m", "B",
             "--no-intervals")  # fmt: skip
    done = run("score", *words, "--flags", "last", cwd=SAMPLES)
    signature = re.search(r"^boundary_similarity\|.*$", done.stdout, re.MULTILINE)[0]
    again = run("score", *words[:3], "--signature", signature, cwd=SAMPLES)
    assert again.returncode == 0, again.stderr
    assert re.search(r"^bert +\S+", again.stdout, re.MULTILINE)[0] == re.search(
        r"^bert +\S+", done.stdout, re.MULTILINE
    )[0]  # fmt: skip


def test_a_type_after_every_token_is_not_written_as_a_table_of_tokens(tmp_path):
    table = "text,token,pos\n" + "".join(f"t,w{n},ADJ\n" for n in range(6))
    corpus = read_text(table, "x.csv", coders=["pos"])
    with pytest.raises(FormatError, match="pos has a boundary type after every token"):
        fp.write(corpus, tmp_path / "x.csv")


def test_rows_of_units_lead_to_the_roles_they_need():
    rows = [{"doc": "d", "n": n, "ref": n % 2} for n in range(1, 5)]
    for text, name in ((records(rows), "x.jsonl"), (as_csv(rows), "x.csv")):
        with pytest.raises(
            FormatError, match=r"d is given twice \(doc\).*--columns text=doc,unit=n"
        ):
            read_text(text, name)
        corpus = read_text(text, name, columns={"unit": "n"}, flags="first")
        assert sizes(corpus) == {("d", "ref"): (2, 2)}


@pytest.mark.parametrize("column", ["coder", "annotator", "rater", "judge"])
def test_a_column_of_annotators_is_known(column):
    rows = [{"doc_id": t, column: c, "ref": list(own)} for (t, c), own in TIDY_SIZES.items()]
    for text, name in ((records(rows), "x.jsonl"), (as_csv(rows), "x.csv")):
        assert sizes(read_text(text, name)) == TIDY_SIZES
        ben = read_text(text, name, columns={"ref": "ben"})
        assert sizes(ben) == {(t, "1"): own for (t, c), own in TIDY_SIZES.items() if c == "ben"}


def test_groups_are_found_by_the_same_names(tmp_path):
    rows = [{"call": n, "ref": m, "set": n in "ab"} for n, m in TEXTS.items()]
    put(tmp_path, "gold.jsonl", records({**r, "set": str(r["set"])} for r in rows))
    put(tmp_path, "sys.jsonl", records({"id": r["call"], "hyp": r["ref"]} for r in rows))
    done = run("score", "gold.jsonl:text=call", "-i", "sys.jsonl", "--group", "set", "--by",
               "group", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_every_command_takes_columns(tmp_path):
    columns = ("--columns", "text=story,unit=nr,words=sent")
    chosen = (*columns, "--coders", "gold", "bert")
    for words in (
        ("agree", "columns.csv", *chosen, "--draws", "20"),
        ("convert", "columns.csv", str(tmp_path / "out.json"), *chosen),
        ("edits", "columns.csv", "--columns", f"{columns[1]},ref=gold,hyp=bert", "--flags", "last"),
        ("agree", "columns.csv", *chosen, "-i", "tidy.csv:text=doc,unit=i,coder=rater,hyp=ben",
         "--draws", "20"),
    ):  # fmt: skip
        done = run(*words, cwd=SAMPLES)
        assert done.returncode == 0, (words, done.stderr)
    assert json.loads((tmp_path / "out.json").read_text()) == {
        text: {"gold": list(GOLD[text]), "bert": list(BERT[text])} for text in GOLD
    }
    look = fp.look(SAMPLES / "columns.csv", columns=WIDE, coders=["gold", "bert"])
    assert [one.name for one in look.annotators] == ["gold", "bert"]
    assert "--columns text=story,unit=nr,words=sent,ref=gold,hyp=bert" in look.next[1]


def test_probabilities_with_decimal_commas_in_a_long_table():
    rows = rows_of("tidy.csv", ";")
    table = as_csv([{**r, "cut": "0,9" if r["cut"] == "1" else "0,2"} for r in rows], ";")
    corpus = read_text(table, "x.csv", columns=TIDY, threshold=0.5, flags="last")
    assert sizes(corpus) == TIDY_SIZES


def test_spans_have_any_names(tmp_path):
    rows = [
        {"d": "a", "von": 0, "bis": 4, "s": "Rain"},
        {"d": "a", "von": 4, "bis": 9, "s": " all."},
    ]
    columns = {"text": "d", "start": "von", "end": "bis", "words": "s"}
    for text, name in ((as_csv(rows), "x.csv"), (json.dumps(rows), "x.json")):
        assert sizes(read_text(text, name, columns=columns)) == {("a", "1"): (4, 5)}
        with pytest.raises(FormatError, match="no column 'to'"):
            read_text(text, name, columns={**columns, "end": "to"})
    body = {"id": "a", "body": "Rain all.", "ref": [[0, 4], [4, 9]]}
    corpus = read_text(records([body]), "x.jsonl", columns={"raw": "body"}, snap=True)
    assert sizes(corpus) == {("a", "1"): (5, 4)} and corpus.source.choices == {"snap": "space"}


@pytest.mark.parametrize(
    "name", ["Größe", "a b", "a, b", "x=y", "C:d", "text", "ref", "notes", "1"]
)
@pytest.mark.parametrize("role", ["text", "unit", "words", "ref"])
def test_a_column_may_have_any_name(tmp_path, role, name):
    columns = {**WIDE, "ref": "gold"}
    rows = [
        {name if column == columns[role] else column: row[column] for column in list(row)[:-1]}
        for row in rows_of("columns.csv", ",")
    ]
    columns[role] = name
    corpus = read_text(as_csv(rows), "x.csv", columns=columns)
    assert [seg.masses for seg in corpus.entries.values()] == list(GOLD.values())
    assert corpus.tokens["d1", ""][0] == "It rained."
    put(tmp_path, "x.csv", as_csv(rows))
    said = ",".join(f"{role}={own}" for role, own in columns.items())
    for words in (["x.csv", "--columns", said], [f"x.csv:{said}"]):
        done = run("convert", *words, "out.json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        made = fp.read(tmp_path / "out.json")
        assert [seg.masses for seg in made.entries.values()] == list(GOLD.values())


def test_units_of_annotators_are_the_same():
    lines = (SAMPLES / "tidy.csv").read_text(encoding="utf-8").splitlines()
    columns = {role: name for role, name in TIDY.items() if role != "unit"} | {"ref": "cut"}
    without_numbers = read_text("\n".join(lines), "x.csv", columns=columns, without=["i"])
    assert sizes(without_numbers) == TIDY_SIZES
    lines[8], lines[9] = lines[9], lines[8]
    with pytest.raises(FormatError, match=r"line 9: unit 1 of d1 is 'We left.*--columns unit=NAME"):
        read_text("\n".join(lines), "x.csv", columns=columns, without=["i"])
    assert sizes(read_text("\n".join(lines), "x.csv", columns=TIDY)) == TIDY_SIZES


def test_a_declared_column_has_no_other_role():
    table = "text,sentence,line,doc\nt,1,0,0\nt,2,1,1\nt,3,1,1\n"
    corpus = read_text(table, "x.csv", coders=["line", "doc"], flags="last")
    assert sizes(corpus) == {("t", "line"): (2, 1), ("t", "doc"): (2, 1)}
    table = "doc,line,sentence\nt,0,1\nt,1,2\nt,1,3\n"
    corpus = read_text(table, "x.csv", columns={"ref": "line"}, flags="last")
    assert sizes(corpus) == {("t", "line"): (2, 1)}


# Names that are not known: what the columns hold, and the command that reads them.

LENGTHS = {"d1": 5, "d2": 3, "d3": 6}


def marks_of_annotators(lengths, annotators, seed=4):
    draw = random.Random(seed)
    return {
        (text, who): [int(draw.random() < 0.4) for _ in range(units - 1)] + [1]
        for text, units in lengths.items()
        for who in annotators
    }


def sizes_of(marks):
    ends = [0, *(n for n, mark in enumerate(marks, start=1) if mark)]
    return tuple(after - before for before, after in itertools.pairwise(ends))


def long_rows(marks, text="story", who="judge_name", unit="nr", cut="cut", **more):
    return [
        {text: d, who: w, unit: n, cut: mark} | {name: own(d, n) for name, own in more.items()}
        for (d, w), own_marks in marks.items()
        for n, mark in enumerate(own_marks, start=1)
    ]


def wide_rows(marks, lengths=LENGTHS, first=("story", "nr"), **more):
    whose = dict.fromkeys(w for _, w in marks)
    return [
        {first[0]: d, first[1]: n + 1}
        | {name: own(d, n) for name, own in more.items()}
        | {w: marks[d, w][n] for w in whose}
        for d, units in lengths.items()
        for n in range(units)
    ]


def sentence(text, n):
    return f"Sentence {n} of {text}."


LONG = marks_of_annotators(LENGTHS, ["anna", "ben"])
SHEET = marks_of_annotators(LENGTHS, ["gold", "lstm", "bert"])
UNKNOWN = {
    "a long table of R": long_rows(LONG, "document", "annotator", "sentence_no", "boundary"),
    "a long table": long_rows(LONG),
    "a long table in another order": random.Random(1).sample(long_rows(LONG), len(long_rows(LONG))),
    "a long table by unit": sorted(long_rows(LONG), key=lambda row: (row["story"], row["nr"])),
    "a long table with more columns": long_rows(
        LONG, genre=lambda d, n: "news" if d == "d1" else "blog", prob=lambda d, n: n / 10,
        date=lambda d, n: "2024-05-01", sent=sentence,
    ),
    "a long table without numbers": [
        {name: cell for name, cell in row.items() if name != "nr"}
        for row in long_rows(LONG, "doc", sent=sentence)
    ],
    "a sheet": wide_rows(SHEET, sent=sentence),
    "a sheet with a number of each row": [
        {"row": n, **row} for n, row in enumerate(wide_rows(SHEET), start=1)
    ],
    "a sheet with numbers that go on": [
        {**row, "nr": n} for n, row in enumerate(wide_rows(SHEET, first=("doc", "nr")), start=1)
    ],
    "a sheet with probabilities and notes": wide_rows(
        SHEET, score=lambda d, n: "0,25", notes=lambda d, n: "" if n else "ok"
    ),
    "a sheet without numbers": [
        {name: cell for name, cell in row.items() if name != "nr"}
        for row in wide_rows(SHEET, first=("doc", "nr"))
    ],
}  # fmt: skip


# Records of units need a number or words; rows of a table may go without.
KINDS = {
    shape: ["csv", "semicolons", "row names"]
    + ["jsonl", "parquet"] * (shape != "a sheet without numbers")
    for shape, rows in UNKNOWN.items()
}


@pytest.mark.parametrize(("shape", "kind"), [(s, k) for s, kinds in KINDS.items() for k in kinds])
def test_the_command_for_unknown_names_reads_the_table(tmp_path, shape, kind):
    rows = UNKNOWN[shape]
    name = {"jsonl": "x.jsonl", "parquet": "x.parquet"}.get(kind, "x.csv")
    if kind == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / name)
    elif kind == "jsonl":
        put(tmp_path, name, records(rows))
    else:
        numbered = [{"": n, **row} for n, row in enumerate(rows)]
        delimiter = ";" if kind == "semicolons" else ","
        put(tmp_path, name, as_csv(numbered if kind == "row names" else rows, delimiter))
    done = run("look", name, cwd=tmp_path)
    assert done.returncode == 1
    (command,) = pasted(done.stderr)
    assert run(*command, cwd=tmp_path).returncode == 0
    done = run("convert", name, "out.json", *command[2:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    wanted = LONG if "long" in shape else SHEET
    assert sizes(fp.read(tmp_path / "out.json")) == {k: sizes_of(v) for k, v in wanted.items()}


@pytest.mark.parametrize(
    ("rows", "commands"),
    [
        (
            long_rows(marks_of_annotators({"a": 4, "b": 4}, ["x1", "x2"])),
            ["text=story,coder=judge_name,unit=nr,ref=cut",
             "text=judge_name,coder=story,unit=nr,ref=cut"],
        ),
        (
            long_rows(LONG, sure=lambda d, n: n % 2),
            ["text=story,coder=judge_name,unit=nr,ref=cut",
             "text=story,coder=judge_name,unit=nr,ref=sure"],
        ),
        (
            [{"topic": "rain" if n < 3 else "sun", "i": n, "gold": n % 2} for n in range(1, 6)],
            ["text=topic,unit=i", "unit=i --without topic"],
        ),
        (
            [{"topic": "rain" if n < 3 else "sun", "gold": n % 2} for n in range(1, 6)],
            ["--from units --columns text=topic", "--from units --without topic"],
        ),
        ([{"work": "a", "gold": "2 3", "pred": "5"}, {"work": "b", "gold": "4", "pred": "1 3"}],
         ["text=work --coders gold pred", "text=work,ref=gold", "text=work,ref=pred"]),
        (
            [{"topic": "rain" if n < 3 else "sun", "s": f"So {n}.", "gold": 1} for n in range(5)],
            ["text=topic,words=s", "words=s --without topic"],
        ),
        (
            [{"story": "d", "nr": n, "anna": "IB"[n % 2]} for n in range(1, 6)],
            ["text=story,unit=nr --flags first"],
        ),
        ([{"code": f"d{n // 4}_{n}", "gold": n % 2} for n in range(8)], ["unit=NAME,text=NAME"]),
    ],
)  # fmt: skip
def test_where_names_and_cells_leave_it_open_all_ways_are_shown(tmp_path, rows, commands):
    put(tmp_path, "x.csv", as_csv(rows))
    done = run("look", "x.csv", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.count("fencepost look") == len(commands)
    for command in commands:
        assert f"{command}\n" in done.stderr or f"{command} (" in done.stderr or "NAME" in command
    for command in pasted(done.stderr):
        if "NAME" not in commands[0]:
            assert run(*command, cwd=tmp_path).returncode == 0, command


def test_a_command_for_unknown_names_has_the_path_of_the_file(tmp_path):
    (tmp_path / "my data").mkdir()
    put(tmp_path, "my data/x.csv", as_csv(UNKNOWN["a sheet"]))
    done = run("look", "my data/x.csv", cwd=tmp_path)
    (command,) = pasted(done.stderr)
    assert run(*command, cwd=tmp_path).returncode == 0


def test_numbers_of_units_may_go_on_through_the_file():
    table = "text,sentence,anna\nd,1,0\nd,2,1\ne,3,1\ne,4,0\ne,5,1\n"
    assert sizes(read_text(table, "x.csv")) == {("d", "anna"): (2,), ("e", "anna"): (1, 2)}
    with pytest.raises(FormatError, match="line 4: unit 4 where 1 should follow"):
        read_text(table.replace("e,3,1\n", ""), "x.csv")


@pytest.mark.parametrize("chapter", ["ch{}", "{}"])
def test_a_column_behind_the_units_may_name_texts(chapter):
    marks = [0, 1, 0, 1, 0, 0, 1, 0, 1]
    rows = [
        {"line": n, "anna": mark, "ben": mark, "chapter": chapter.format(1 + n // 5)}
        for n, mark in enumerate(marks, start=1)
    ]
    columns = {"ref": "anna"}
    with pytest.raises(FormatError, match=r"chapter has blocks .*--columns text=chapter, or --wit"):
        read_text(as_csv(rows), "x.csv", columns=columns)
    named = read_text(as_csv(rows), "x.csv", columns={**columns, "text": "chapter"})
    assert [seg.masses for seg in named.entries.values()] == [(2, 2), (3, 2)]
    whole = read_text(as_csv(rows), "x.csv", columns=columns, without=["chapter"])
    assert [seg.masses for seg in whole.entries.values()] == [(2, 2, 3, 2)]


def test_labels_in_blocks_are_an_annotators():
    table = "sentence,anna\n1,rain\n2,rain\n3,sun\n4,sun\n5,snow\n"
    assert sizes(read_text(table, "x.csv")) == {("x", "anna"): (2, 2, 1)}
    table = "sentence,anna,ben\n1,1,1\n2,1,1\n3,2,1\n4,2,1\n"  # ben has one segment
    assert sizes(read_text(table, "x.csv")) == {("x", "anna"): (2, 2), ("x", "ben"): (4,)}


def test_marks_between_the_elements_of_a_field_lead_to_it():
    rows = [{"id": t, "ref": [0, 1, 0, 0], "sentences": ["A b."] * 5} for t in "ab"]
    with pytest.raises(FormatError, match=r"4 marks, one fewer .*--columns units=sentences"):
        read_text(records(rows), "x.jsonl")
    corpus = read_text(records(rows), "x.jsonl", columns={"units": "sentences"})
    assert sizes(corpus) == {("a", "1"): (2, 3), ("b", "1"): (2, 3)}


def test_a_list_of_sentences_is_no_segmentation():
    rows = [{"url": t, "gold": [2, 3], "sentences": ["A b."] * 5} for t in "ab"]
    assert sizes(read_text(records(rows), "x.jsonl", columns={"text": "url"})) == {
        ("a", "1"): (2, 3), ("b", "1"): (2, 3),
    }  # fmt: skip


@pytest.mark.parametrize(
    "cell", ["[0 1 0 0 1]", "[ 0  1 0 0 1 ]", "[0. 1. 0. 0. 1.]", "[0.0 1.0 0. 0. 1.]"]
)
def test_arrays_of_numpy_are_lists(cell):
    table = f"id,ref\na,{cell}\nb,{cell}\n"
    assert sizes(read_text(table, "x.csv")) == {("a", "1"): (2, 3), ("b", "1"): (2, 3)}


def test_annotators_in_one_file_are_compared_by_name(tmp_path):
    put(tmp_path, "x.json", json.dumps({"a": {"gold": [2, 3], "sys": [1, 4]}}))
    done = run("score", "x.json", cwd=tmp_path)
    assert done.returncode == 2 and "--columns ref=gold,hyp=sys" in done.stderr
    assert scored("x.json", "--columns", "ref=gold,hyp=sys", "-m", "F", cwd=tmp_path)


def test_look_shows_annotators_with_other_units(tmp_path):
    put(
        tmp_path,
        "x.json",
        json.dumps({"gold": {"a": [2, 3], "b": [4]}, "sys": {"a": [5], "b": [1, 3]}}),
    )
    done = run("look", "x.json", cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert "annotators of gold have different numbers of units" in said and "way round" in said


def test_a_1_beside_empty_cells_leads_to_0():
    table = "text,sentence,anna\nd,1,\nd,2,1\nd,3,\nd,4,1\n"
    with pytest.raises(FormatError, match=r"line 2: anna has no value here.*write 0 for no bound"):
        read_text(table, "x.csv")


def test_texts_of_segments_are_no_labels(tmp_path):
    """Each would be a unit of its own, so that two systems with as many segments were the same."""
    texts = {
        "a": ["It rained. We left.", "Home was far."],
        "b": ["Sun.", "We stayed. It was late."],
    }
    for name, given in (
        ("x.jsonl", records({"id": t, "segments": own} for t, own in texts.items())),
        ("x.json", json.dumps(texts)),
    ):
        with pytest.raises(FormatError, match=r"no label that is repeated.*--from sentences"):
            read_text(given, name, columns={"ref": "segments"} if name == "x.jsonl" else {})
    found = read_text(json.dumps(texts), "x.json", "sentences")
    assert sizes(found) == {("a", "1"): (4, 3), ("b", "1"): (1, 5)}


def test_spans_with_unknown_names_lead_to_their_columns(tmp_path):
    rows = [
        {"work": "a", "begin": 0, "stop": 11, "passage": "It rained. "},
        {"work": "a", "begin": 11, "stop": 19, "passage": "We left."},
        {"work": "b", "begin": 0, "stop": 5, "passage": "Sun. "},
        {"work": "b", "begin": 5, "stop": 9, "passage": "Snow"},
    ]
    put(tmp_path, "x.csv", as_csv(rows))
    (command,) = pasted(run("look", "x.csv", cwd=tmp_path).stderr)
    assert command[2:] == ["--columns", "text=work,start=begin,end=stop,words=passage"]
    columns = dict(pair.split("=") for pair in command[3].split(","))
    found = fp.read(tmp_path / "x.csv", columns=columns)
    assert sizes(found) == {("a", "1"): (11, 8), ("b", "1"): (5, 4)}


def test_rows_that_are_the_same_may_be_units(tmp_path):
    rows = [
        {"file": "a", "word": word, "gold": "EOS" if word == "home" else "O", "sys": "O"}
        for word in ("so", "we", "went", "home", "and", "we", "left", "now")
    ]
    put(tmp_path, "x.csv", as_csv(rows))
    done = run("look", "x.csv", "--columns", "ref=gold", cwd=tmp_path)
    assert done.returncode == 1 and "or a row is a unit" in done.stderr


def test_the_annotator_of_a_record_is_part_of_the_command(tmp_path):
    rows = [{"doc_id": t, "worker": w, "labels": list(m)} for (t, w), m in TIDY_SIZES.items()]
    put(tmp_path, "x.jsonl", records(rows))
    (command,) = pasted(run("look", "x.jsonl", cwd=tmp_path).stderr)
    assert command[2:] == ["--columns", "text=doc_id,coder=worker,ref=labels"]
    assert run(*command, cwd=tmp_path).returncode == 0
    assert sizes(fp.read(tmp_path / "x.jsonl", columns={"coder": "worker"})) == TIDY_SIZES


def test_a_column_that_does_not_show_its_marks_may_be_ignored():
    table = "text,sentence,anna,same\nd,1,0,1\nd,2,1,0\nd,3,0,0\nd,4,1,1\n"
    with pytest.raises(FormatError, match=r"same has marks.*--flags last.*or --without same"):
        read_text(table, "x.csv")
    assert sizes(read_text(table, "x.csv", without=["same"])) == {("d", "anna"): (2, 2)}


# Columns that names of texts may be in.

LONG_NAME = "n" * 101


@pytest.mark.parametrize("column", ["text", "doc", "title"])
@pytest.mark.parametrize("odd", [LONG_NAME, "chapter\none"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_a_column_that_names_some_texts_and_not_others_is_refused(column, odd, ending, tmp_path):
    if (column == "text" and ending.startswith("json")) or ("\n" in odd and ending == "csv"):
        return  # in JSON, text is the document; a cell of a table is one line
    rows = [{column: "a", "ref": "2 8"}, {column: odd, "ref": "5 5"}]
    sized = [{**row, "ref": [int(size) for size in row["ref"].split()]} for row in rows]
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(sized), path)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in sized)
        made = {"csv": as_csv(rows), "jsonl": lines, "json": json.dumps(sized)}[ending]
        path.write_text(made, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        fp.read(path)
    ways = f"--columns text={column} if it names the texts, or --without {column}"
    assert ways in str(error.value)
    assert re.search(r"t\.\w+, (line \d|record 2)", str(error.value))
    assert fp.read(path, columns={"text": column}).texts == ["a", odd]
    assert fp.read(path, without=[column]).texts == ["1", "2"]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [(LONG_NAME, "m" * 101, "title has no names"), ("a", "a", "several texts have the same title")],
)
def test_a_column_that_names_no_texts_is_shown(first, second, why, tmp_path):
    rows = [{"title": first, "ref": "2 8"}, {"title": second, "ref": "5 5"}]
    for name in ("a.csv", "b.csv"):
        put(tmp_path, name, as_csv(rows))
    assert f"matched by line ({why}" in shown("a.csv", "-i", "b.csv", cwd=tmp_path)


@hypothesis.given(st.data())
def test_a_row_per_unit_and_annotator_is_a_column_per_annotator(data):
    """Annotators who lack texts are those of a wide table with NA there."""
    coders, texts = ["anna", "ben", "carl"], ["a", "b", "c", "d"]
    length = {text: data.draw(st.integers(2, 5)) for text in texts}
    who = st.lists(st.sampled_from(coders), min_size=1, unique=True)
    own = {text: data.draw(who) for text in texts}
    cells = {}
    for text, size in length.items():
        marks = st.lists(st.sampled_from("01"), min_size=size - 1, max_size=size - 1)
        cells |= {(text, coder): [*data.draw(marks), "1"] for coder in own[text]}
    hypothesis.assume(any("0" in one for one in cells.values()))
    units = [(text, n) for text, size in length.items() for n in range(size)]
    long = [
        {"text": text, "unit": n + 1, "coder": coder, "boundary": cells[text, coder][n]}
        for text, n in units
        for coder in own[text]
    ]
    there = [coder for coder in coders if any(coder in mine for mine in own.values())]
    wide = [
        {"text": text, "unit": n + 1}
        | {coder: cells[text, coder][n] if coder in own[text] else "NA" for coder in there}
        for text, n in units
    ]
    found = [read_text(as_csv(rows), "x.csv", flags="last") for rows in (long, wide)]
    assert sizes(found[0]) == sizes(found[1])
    assert found[0].texts == found[1].texts == texts


def test_the_first_unit_that_an_annotator_lacks_is_told():
    rows = [{"text": text, "unit": unit, "coder": coder, "boundary": int(unit == 3)}
            for text in "ab" for unit in (1, 2, 3) for coder in ("anna", "ben")
            if (text, unit, coder) != ("b", 2, "ben")]  # fmt: skip
    with pytest.raises(FormatError, match=r"line 10: ben has NA here.* in b \(this is unit 2\)"):
        read_text(as_csv(rows), "x.csv", flags="last")
