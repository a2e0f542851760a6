"""Statistics of fencepost score on the command line."""

import gzip
import json
import re
import subprocess
import sys

import pytest

import fencepost as fp
import support
from fencepost.report.grid import pivot
from fencepost.report.markup import to_latex, to_markdown
from fencepost.scoring.summary import MEAN_OF_REFERENCES
from scored import (
    FAST,
    GOLD,
    GROUPS,
    SYSTEMS,
    THREE,
    ok,
    run,
)
from support import parts_of, signatures_in


def test_the_page_shows_half_of_symmetric_intervals(folder):
    # Standard errors are symmetric by themselves.
    words = (*THREE, "--resamples", "1000", "--method", "normal", "-m", "B", "F")
    out = ok(folder, *words)
    row = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], method="normal", **FAST)[0]
    half = (row["high"] - row["low"]) / 2
    assert f"a                  {row['value']:.3f} ±{half:.3f}  " in out
    assert "\nmean over texts ± half of the 95% interval; ↑ higher is better\n" in out
    assert "[" not in out
    plain = ok(folder, *THREE, "--no-intervals")
    assert "±" not in plain and "[" not in plain and "bs:" not in plain


def test_the_page_shows_both_ends_of_intervals_that_are_not_symmetric(folder):
    out = ok(folder, *THREE, "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, **FAST)
    rows = list(table.where(system="a"))
    lines = out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("a  "))
    # Four metrics with both ends are wider than 80 columns: they stand below the values.
    assert lines[at].split() == ["a", *(f"{row['value']:.3f}" for row in rows)]
    ends = [f"[{row['low']:.3f}, {row['high']:.3f}]" for row in rows]
    assert lines[at + 1].strip().split("  ") == ends
    assert all(len(line) <= 80 for line in out.split("\n\n")[1].splitlines())
    assert "\nmean over texts [95% interval]; ↓ lower is better\n" in out
    assert "±" not in out
    shown = [*map(parts_of, signatures_in(out))]
    assert [parts_of(row["signature"]) for row in rows] == shown
    # Two have room beside them.
    row = table.where(system="a", metric="boundary_similarity")[0]
    beside = f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
    assert f"a                  {beside}  " in ok(
        folder, *THREE, "-m", "B", "F", "--resamples", "1000"
    )


def test_the_page_of_a_comparison(folder):
    out = ok(folder, *THREE, "-m", "B", "F", "--paired", "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], paired="randomization", **FAST)
    for row in table.part("comparisons"):
        wanted = [f"{row['difference']:+.3f}", f"{row['low']:+.3f} to {row['high']:+.3f}",
                  f"{row['wins']}/{row['ties']}/{row['losses']}"]  # fmt: skip
        assert any(all(w in line for w in wanted) for line in out.splitlines())
    assert (
        "against a; paired randomization over texts, 1,000 random swaps, seed 12345;\n"
        "step-down min-p over the 4 comparisons of this table; intervals are unadjusted;\n"
        "null hypothesis: the two systems could be swapped in any text;\n"
        "p is about these trained models, not other runs of them\n" in out
    )
    assert "* differs from a at .05, ** at .01 (step-down min-p over the 4 comparisons" in out
    assert ok(folder, *THREE, "-m", "B", "F", "--baseline", "a", "--resamples", "1000") == out


def test_printed_signatures_have_the_test_and_its_family(folder):
    words = (*THREE, "-m", "B", "F", "--paired", "--resamples", "1000")
    table = fp.score(GOLD, SYSTEMS, metrics=["B", "F"], paired="randomization", **FAST)
    wanted = dict.fromkeys(row["signature"] for row in table.part("comparisons"))
    assert len(wanted) == 2
    for form in ((), ("--markdown",), ("--latex",)):
        lines = [line.strip("`% ") for line in ok(folder, *words, *form).splitlines()]
        assert [line for line in lines if "|fencepost:" in line] == list(wanted)
    assert all("|test:randomization,1000|against:a|adjust:minp,4|" in one for one in wanted)


def test_markdown_and_latex_have_bold_and_marks(folder):
    words = (*THREE, "-m", "B", "--no-baselines", "--resamples", "1000")
    out = ok(folder, *words, "--all-pairs", "--markdown")
    table = fp.score(GOLD, SYSTEMS, metrics="B", paired="randomization", all_pairs=True, **FAST)
    p = {r["system"]: r["p_adjusted"] for r in table.part("comparisons").where(against="a")}
    assert p["b"] <= 0.01
    value = {r["system"]: f"{r['value']:.3f}" for r in table}
    ends = {r["system"]: f"[{r['low']:.3f}, {r['high']:.3f}]" for r in table}
    assert f"| a | **{value['a']}** {ends['a']} |" in out
    assert f"| b | {value['b']}\\*\\* {ends['b']} |" in out
    assert "\\* differs from the best system at .05" in out
    latex = ok(folder, *words, "--paired", "--latex")
    assert latex.startswith("% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n")
    assert rf"a & \textbf{{{value['a']}}} {ends['a']} \\" in latex
    assert f"b & {value['b']}$^{{**}}$ {ends['b']} " in latex
    assert "\n\\par{\\footnotesize {}* differs from a at .05, ** at .01 (step-down" in latex
    # The differences: numbers to the right, minus signs that are as long as plus signs.
    assert "\n\\begin{tabular}{llrrrrr}\n" in latex
    row = table.part("comparisons").where(system="b", against="a")[0]
    assert f"& $-${-row['difference']:.3f} & $-${-row['low']:.3f} to $-$" in latex


def test_pasted_tables_say_what_was_tested_and_all_notes(folder, tmp_path):
    words = (*THREE, "-m", "B", "--paired", "bootstrap", "--group", "groups.csv", "--seed", "9",
             "--resamples", "200")  # fmt: skip
    how = (
        "against a; paired bootstrap of groups, 200 resamples, seed 9; "
        "Holm over the 2 comparisons of this table"
    )
    notes = ("8 groups are few to resample", "the paired bootstrap finds too much")
    for form in ("--markdown", "--latex"):
        done = run(folder, *words, form, "-o", tmp_path / "out")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        out = (tmp_path / "out").read_text(encoding="utf-8")
        assert how in out
        assert all(f"note: {note}" in out for note in notes)
    done = run(folder, *words, "--runs", "bc=b,c", "-o", tmp_path / "out")
    assert done.stderr == ""
    out = (tmp_path / "out").read_text(encoding="utf-8")
    assert all(f"note: {note}" in out for note in (*notes, "bc is the mean of 2 runs"))


ODD = ("a / b", "c*d*e", "_f_", "__g__", "[x] | `y` $1 & 2% #~^<z>", "{k}--l\\")


IN_MARKDOWN = ("a / b", r"c\*d\*e", r"\_f\_", r"\_\_g\_\_",
               r"\[x\] \| \`y\` \$1 \& 2% #\~^\<z>", "{k}--l\\\\")  # fmt: skip


IN_LATEX = ("a / b", "c*d*e", r"\_f\_", r"\_\_g\_\_",
            r"{}[x] \textbar{} \textasciigrave{}y\textasciigrave{} \$1 \& 2\% "
            r"\#\textasciitilde{}\textasciicircum{}\textless{}z\textgreater{}",
            r"\{k\}-{}-l\textbackslash{}")  # fmt: skip


def test_names_of_systems_are_only_names(folder, tmp_path):
    own = [SYSTEMS["a"], *[SYSTEMS["b"]] * 5]
    (tmp_path / "odd.json").write_text(json.dumps(dict(zip(ODD, own, strict=True))))
    words = ("gold.json", "-i", tmp_path / "odd.json", "-m", "B", "--paired", "--resamples", "200")
    lines = ok(folder, *words, "--markdown").splitlines()
    first = [line.removeprefix("| ").split(" | 0.")[0].split(" | **0.")[0] for line in lines[2:10]]
    assert first == [*IN_MARKDOWN, "no boundaries", "random boundaries"]
    assert lines[2].startswith("| a / b | **0.8")
    assert [line.split(" | B |")[0].removeprefix("| ") for line in lines if " | B | " in line] == [
        *IN_MARKDOWN[1:], *IN_MARKDOWN[1:]
    ]  # fmt: skip
    lines = ok(folder, *words, "--latex").splitlines()
    assert [line.split(" & ")[0] if i != 4 else line.split(" & 0.")[0]
            for i, line in enumerate(lines[5:11])] == [*IN_LATEX]  # fmt: skip
    page = ok(folder, *words, "-q").splitlines()
    assert [line for line in page[3:11] if line.startswith(("a / b ", "no b", "random"))] == [
        page[3], page[9], page[10]
    ]  # fmt: skip


def test_a_system_is_not_taken_for_a_system_against_one_reference():
    refs = {t: {"b": m, "r2": SYSTEMS["c"][t]} for t, m in GOLD.items()}
    table = fp.score(refs, {"a": SYSTEMS["b"], "a / b": SYSTEMS["a"]}, metrics="B", resamples=200)
    grid = pivot(table)
    assert [(line.label, line.kind) for line in grid.lines] == [
        ("a", "system"), ("a / b", "system"), ("human ceiling", "ceiling"),
        ("no boundaries", "baseline"), ("random boundaries", "baseline"), ("a / b", "reference"),
        ("a / r2", "reference"), ("a / b / b", "reference"), ("a / b / r2", "reference"),
        ("human ceiling / b", "reference"), ("human ceiling / r2", "reference"),
    ]  # fmt: skip
    values = {line.kind: line.cells[0].value for line in grid.lines if line.label == "a / b"}
    assert values == {
        "system": table.where(system="a / b", reference=MEAN_OF_REFERENCES)[0]["value"],
        "reference": table.where(system="a", reference="b")[0]["value"],
    }
    assert [line.label for line in grid.lines if line.cells[0].best] == ["a / b"]


def test_the_signature_of_a_column_holds_for_its_intervals():
    perfect = fp.score(GOLD, {"perfect": GOLD, **SYSTEMS}, metrics="B", **FAST)
    assert perfect[0]["low"] < perfect[0]["value"] == perfect[0]["high"] == 1
    assert pivot(perfect).signatures == (perfect.where(system="a")[0]["signature"],)
    # Where systems differ in how they were made, each is told.
    odd = {**GOLD, "d0": SYSTEMS["b"]["d0"]}
    mixed = fp.score(GOLD, {"odd": odd, **SYSTEMS}, metrics="B", runs={"bc": ["b", "c"]}, **FAST)
    assert pivot(mixed).signatures == tuple(dict.fromkeys(row["signature"] for row in mixed))
    assert [s.fields["bs"] for s in pivot(mixed).signatures] == ["t,1000"] * 2
    assert [s.fields.get("runs") for s in pivot(mixed).signatures] == [None, "2"]


def test_nothing_is_written_where_nothing_can_be_compared(folder, tmp_path):
    (tmp_path / "never.py").write_text("def never(ref, hyp):\n    return float('nan')\n")
    words = (*THREE, "-m", f"{tmp_path / 'never.py'}:never", "--paired")
    for form in ((), ("--markdown",), ("--latex",)):
        out = ok(folder, *words, *form)
        assert "tabular}{}" not in out and "|  |" not in out and "all swaps" not in out
        assert "never is undefined on 24 texts, ignored for all systems" in out
    empty = fp.Table((), ())
    assert (to_markdown(empty), to_latex(empty)) == ("", "")


def test_every_comparison_says_whether_all_swaps_were_tried(folder, tmp_path):
    near = {t: SYSTEMS["a"][t] if i < 21 else GOLD[t] for i, t in enumerate(GOLD)}
    (tmp_path / "near.json").write_text(json.dumps(near))
    words = ("gold.json", "-i", "a.json", "b.json", tmp_path / "near.json", "--paired",
             "--resamples", "1000")  # fmt: skip
    out = ok(folder, *words, "-m", "B")
    assert "all swaps for near in B, else 1,000 random swaps, seed 12345;" in " ".join(out.split())
    both = [line for line in out.splitlines() if "|test:" in line]
    assert [line.split("|test:")[1].split("|")[0] for line in both] == [
        "randomization,1000", "randomization,exact"
    ]  # fmt: skip
    systems = {"a": SYSTEMS["a"], "b": SYSTEMS["b"], "near": near}
    table = fp.score(GOLD, systems, metrics="B", baseline="a", **FAST)
    assert table.part("comparisons").facts["exact"] == 1
    many = ok(folder, *words)
    assert "all swaps for 4 of the comparisons (in --csv), else 1,000 random swaps" in " ".join(
        many.split()
    )


def test_csv_and_json_of_comparisons(folder):
    words = (*THREE, "-m", "B", "--paired", "--resamples", "1000")
    out = ok(folder, *words, "--csv", "--table", "comparisons")
    rows = support.csv_rows(out)
    table = fp.score(GOLD, SYSTEMS, metrics="B", paired="randomization", **FAST)
    assert [float(r["p"]) for r in rows] == table.part("comparisons").column("p")
    found = json.loads(ok(folder, *words, "--json"))
    assert found["comparisons"][0]["p"] == float(rows[0]["p"])
    assert found["facts"]["comparison"]["adjust"] == "minp"
    counts = ok(folder, *words, "--csv", "--table", "counts")
    assert counts.startswith("system,run,text,group,coder,draw,metric,value,matches,")


def test_groups_from_a_table_and_from_a_field(folder):
    words = ("-i", "a.json", "b.json", "-m", "B", "--resamples", "1000", "--csv")
    table = support.csv_rows(ok(folder, "gold.json", *words, "--group", "groups.csv"))
    field = support.csv_rows(ok(folder, "gold.jsonl", *words, "--group", "source"))
    assert [r["low"] for r in table] == [r["low"] for r in field]
    assert "group:groups" in table[0]["signature"] and "group:source" in field[0]["signature"]


@pytest.mark.parametrize("name", ["g.csv", "g.tsv", "g.parquet", "g.jsonl.gz", "g.jsonl.zst",
                                  "g.csv.gz", "g.jsonl", "nameless.jsonl"])  # fmt: skip
def test_groups_from_a_field_of_whatever_holds_records(folder, tmp_path, name):
    rows = [{"id": t, "ref": " ".join(map(str, m)), "source": GROUPS[t]} for t, m in GOLD.items()]
    if ".jsonl" in name:
        rows = [{**row, "ref": GOLD[row["id"]]} for row in rows]
        text = "\n".join(json.dumps(row) for row in rows)
    else:
        sep = "\t" if name == "g.tsv" else ","
        text = "\n".join(
            sep.join(map(str, line)) for line in [rows[0], *(r.values() for r in rows)]
        )
    data = text.encode()
    hyps = "a.json", "b.json"
    if name.endswith(".parquet"):
        pa, pq = (pytest.importorskip(n) for n in ("pyarrow", "pyarrow.parquet"))
        lists = [{**row, "ref": GOLD[row["id"]]} for row in rows]
        pq.write_table(pa.Table.from_pylist(lists), tmp_path / name)
    elif name == "nameless.jsonl":
        lines = [{k: v for k, v in row.items() if k != "id"} for row in rows]
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
        for system in "ab":
            own = [{"hyp": SYSTEMS[system][t]} for t in GOLD]
            (tmp_path / f"{system}.jsonl").write_text("\n".join(map(json.dumps, own)))
        hyps = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    else:
        packed = {"gz": gzip.compress, "zst": zst}.get(name.rpartition(".")[2], bytes)
        (tmp_path / name).write_bytes(packed(data))
    words = ("-i", *hyps, "-m", "B", "--resamples", "200", "--csv", "--no-baselines")
    found = support.csv_rows(ok(folder, tmp_path / name, *words, "--group", "source"))
    wanted = fp.score(GOLD, {s: SYSTEMS[s] for s in "ab"}, metrics="B", group=GROUPS,
                      baselines=False, resamples=200)  # fmt: skip
    rows = list(found)
    assert [float(row["low"]) for row in rows] == wanted.column("low")
    assert all("|group:source|" in row["signature"] for row in rows)


def zst(data):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


def test_a_text_has_one_group(folder, tmp_path):
    lines = ["id,coder,ref,source", *(f"d0,{c},5 5,{g}" for c, g in (("x", "one"), ("y", "two")))]
    (tmp_path / "g.csv").write_text("\n".join(lines))
    (tmp_path / "h.json").write_text(json.dumps({"d0": [5, 5]}))
    done = run(tmp_path, "g.csv", "-i", "h.json", "--group", "source")
    assert done.returncode == 1
    assert "d0 is in the groups one and two; a text has one" in done.stderr


def test_a_signature_brings_its_intervals(folder):
    first = ok(folder, *THREE, "-m", "B", "--method", "bca", "--resamples", "500", "--seed", "7",
               "--no-baselines", "--csv")  # fmt: skip
    signature = support.csv_rows(first)[0]["signature"]
    assert "|bs:bca,500|seed:7|" in signature
    assert ok(folder, *THREE, "--signature", signature, "--no-baselines", "--csv") == first


def test_a_signature_brings_its_groups_and_tests(folder):
    three = ("gold.jsonl", *THREE[1:])
    words = ("-m", "B", "F", "--paired", "--adjust", "bh", "--resamples", "300", "--seed", "7")
    page = ok(folder, *three, *words, "--group", "source")
    signatures = [line for line in page.splitlines() if "|fencepost:" in line]
    assert all("|group:source|" in one and "|adjust:bh,4|" in one for one in signatures)
    assert ok(folder, *three, "--signature", *signatures) == page
    one = ok(folder, *three, "--signature", signatures[0])
    assert "note: the signature adjusts p over 4 comparisons, here there are 2" in one
    # Groups of a table: the signature has its name, the command needs the file.
    named = ok(folder, *THREE, *words, "--group", "groups.csv")
    signatures = [line for line in named.splitlines() if "|fencepost:" in line]
    again = (*THREE, "--signature", *signatures)
    assert ok(folder, *again, "--group", "groups.csv") == named
    done = run(folder, *again)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "says group:groups: whole groups of texts were resampled, and these files do not have"
        in (" ".join(done.stderr.split()))
    )
    assert "give them with --group FILE" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "words",
    [
        ("--baseline", "c", "--adjust", "bh"),
        ("--all-pairs",),
        ("--baseline", "b", "--average", "both"),
        ("--paired", "--runs", "ab=a,b", "--average", "micro"),
        ("--all-pairs", "--group", "groups.csv"),
    ],
)
def test_a_signature_brings_what_was_compared_with_what(folder, words):
    asked = (*THREE, *words, "-m", "B", "F", "--resamples", "300")
    page = ok(folder, *asked)
    files = [w for k in ("--runs", "--group") if k in words for w in words[words.index(k) :][:2]]
    assert ok(folder, *THREE, *files, "--signature", *signatures_in(page)) == page


def test_another_baseline_than_the_signatures_is_said(folder):
    page = ok(folder, *THREE, "--baseline", "c", "-m", "B", "--resamples", "300")
    signed = ("--signature", *signatures_in(page))
    other = ok(folder, *THREE, *signed, "--baseline", "b")
    assert "note: the signature compares with c, here it is b\n" in other
    assert "\nagainst b; " in other
    done = run(folder, *THREE, *signed, "--all-pairs")
    assert done.returncode == 2 and "against c or every two systems" in done.stderr
    done = run(folder, "gold.json", "-i", "a.json", "b.json", *signed)
    assert done.returncode == 2 and "no system 'c' to compare with; there are a, b" in done.stderr
    # A signature by hand may not say it.
    out = ok(folder, *THREE, "--signature", "B|bs:t,300|test:randomization,300|adjust:holm,2")
    said = "does not say which systems were compared: here all are compared with a"
    assert said in " ".join(out.split())


def test_signatures_of_tables_without_intervals_bring_none(folder):
    words = ("-m", "B", "F", "--resamples", "300")
    page = ok(folder, *THREE, *words, "--paired", "--no-intervals")
    signed = ("--signature", *signatures_in(page))
    note = "note: the signature has no intervals (no bs), so there are none here; --method"
    again = ok(folder, *THREE, *signed)
    assert note in again
    assert re.sub(rf"(?ms)^{re.escape(note)}.*?(?=^note: |\Z)", "", again) == page
    assert note not in ok(folder, *THREE, *signed, "--no-intervals")
    assert "95% interval" in ok(folder, *THREE, *signed, "--method", "t")
    # A bare recipe is about the metric alone.
    assert "95% interval" in ok(folder, *THREE, "--signature", str(fp.parse("B").signature()))


def test_signatures_of_systems_with_and_without_runs_come_back_together(folder):
    words = (*THREE, "--runs", "bc=b,c")
    for over in ("texts+runs", "texts"):
        page = ok(folder, *words, "-m", "B", "--resamples", "300", "--resample", over)
        signed = signatures_in(page)
        assert any("|runs:2|bs:t,300" + ",texts" * (over == "texts") + "|" in s for s in signed)
        assert ok(folder, *words, "--signature", *signed) == page


def test_a_comparison_with_runs_says_so_in_one_signature(folder):
    page = ok(folder, *THREE, "--runs", "ab=a,b", "--paired", "-m", "B", "--resamples", "300")
    (signature,) = signatures_in(page)
    assert "|avg:macro|runs:2|bs:t,300|seed:12345|test:" in signature
    four = {**SYSTEMS, "d": SYSTEMS["b"], "e": SYSTEMS["c"]}
    table = fp.score(GOLD, four, runs={"x": ["a", "b"], "y": ["c", "d", "e"]}, metrics="B",
                     baseline="x", **FAST)  # fmt: skip
    assert table.part("comparisons")[0]["signature"].fields["runs"] == "3,2"


def test_a_page_keeps_all_its_notes_statistics_first(folder):
    words = (*THREE, "--runs", "bc=b,c", "--group", "groups.csv", "--resamples", "300")
    done = run(folder, *words, "--paired", "bootstrap", "--method", "percentile", "--resample",
               "texts")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
    starts = ("the paired bootstrap finds", "8 groups are few", "percentile intervals promise")
    for note, start in zip(notes, starts, strict=False):
        assert note.startswith(f"note: {start}")
    assert "note: bc is the mean of 2 runs: b, c" in notes


def test_a_table_without_intervals_has_no_column_for_them(folder):
    words = (*THREE, "-m", "B", "--no-intervals", "--paired", "--resamples", "300")
    for form in ((), ("--markdown",), ("--latex",)):
        out = ok(folder, *words, *form)
        assert "interval" not in out and "difference" in out


@pytest.mark.parametrize(
    ("signed", "words", "message"),
    [
        ("B|bs:percentile,500,texts+runs", ("--no-intervals",), "--no-intervals removes them"),
        ("B|avg:macro F|avg:micro", (), "differ in avg (macro, micro): give signatures"),
        ("B|avg:macro", ("--average", "both"), "says avg:macro, --average says both"),
        ("B|bs:t,500|seed:7", ("--method", "bca"), "the signature says bs:t, --method says bca"),
        ("B|bs:t,500", ("--resamples", "300"),
         "the signature says resamples:500, --resamples says 300"),
        ("B|bs:t,500", ("--no-intervals",), "the signature says bs:t, --no-intervals removes them"),
        ("B|bs:t,500", ("--group", "groups.csv"), "the signature resamples texts, --group"),
        ("B|bs:t,500|group:x", ("--group", "groups.csv"), "says group:x, --group says groups.csv"),
        ("B|bs:wide,500", (), "bs:wide, which is no method of intervals"),
        ("B|bs:t,some", (), "'some' resamples, which is no number"),
        ("B|test:bootstrap,500|adjust:holm,1", ("--paired",), "says test:bootstrap, --paired says"),
        ("B|test:bootstrap,500|adjust:bh,1", ("--adjust", "holm", "--paired", "bootstrap"),
         "the signature says adjust:bh, --adjust says holm"),
        ("B|bs:t,500 F|bs:bca,500", (), "the signatures differ in bs (bca, t)"),
        ("B|bs:t,500 F|bs:t,600", (), "differ in the number of resamples (500, 600)"),
        ("B|bs:t,500 F|bs:t,500|group:x", (), "the signatures differ in group (none, x)"),
    ],
)  # fmt: skip
def test_what_a_signature_says_is_not_silently_dropped(folder, signed, words, message):
    done = run(folder, *THREE, "--signature", *signed.split(), *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_intervals_that_a_signature_promises_and_texts_do_not_have_are_said(tmp_path):
    for name in ("gold", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"x": [5, 5], "y": [3, 4]}))
    out = ok(tmp_path, "gold.json", "-i", "a.json", "--signature", "B|bs:t,500|seed:7")
    assert "note: the signature has intervals by t, which these texts do not allow" in out


@pytest.mark.slow
def test_a_signature_of_a_comparison_is_explained(folder):
    table = fp.score(GOLD, SYSTEMS, baseline="a", group=GROUPS, metrics="B", **FAST)
    signature = table.part("comparisons")[0]["signature"]
    done = subprocess.run(
        [sys.executable, "-m", "fencepost", "metrics", signature],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert (
        "bs is t,1000: 95% intervals by the bootstrap-t and Student's t over groups\n"
        in done.stdout
    )
    assert (
        "test is randomization,exact: p by swapping the two systems in every group or not "
        "against is a: the system that others were compared with" in " ".join(done.stdout.split())
    )
    assert "adjust is minp,2: p adjusted by step-down min-p" in done.stdout
    assert done.stdout.rstrip().endswith(
        "--average macro --group GROUPS --method t --resamples 1000 --paired randomization "
        "--baseline a --adjust minp --seed 12345"
    )
    assert (
        "group is given: whole groups of texts were resampled and swapped; GROUPS is the field"
        in " ".join(done.stdout.split())
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((*THREE, "--group", "nothing"), 1, "no such file, and no record of gold.json has a field"),
        ((*THREE, "--group", "gold.json"), 1, "needs the columns text,group"),
        ((*THREE, "--runs", "bc"), 2, "--runs is written SYSTEM=A,B,..., found 'bc'"),
        ((*THREE, "--runs", "x=a", "x=b"), 2, "--runs names x twice"),
        ((*THREE, "--no-intervals", "--method", "t"), 2, "--no-intervals removes them"),
        ((*THREE, "--conventions", "--paired"), 2, "--conventions compares conventions"),
        ((*THREE, "--adjust", "bh"), 2, "--adjust is about the p of comparisons: add --paired"),
        ((*THREE, "--adjust", "holm"), 2, "--adjust is about the p of comparisons: add --paired"),
        ((*THREE, "--save", "gold.json"), 2, "would overwrite the input file"),
        ((*THREE, "--save", "x.csv", "-o", "x.csv"), 2, "--save and -o cannot both be x.csv"),
        (("--counts", "c.csv", "-o", "c.csv"), 2, "would overwrite the input file c.csv"),
        ((*THREE, "--save", "no/where.csv"), 2, "no/where.csv cannot be written"),
        ((*THREE, "--counts", "c.csv"), 2, "--counts has texts, systems and metrics in it already"),
        (("--counts", "c.csv"), 1, "c.csv cannot be read"),
        ((*THREE, "--csv", "--table", "comparisons"), 2, "systems are compared with --paired"),
        (("gold.json", "-i", "a.json", "--paired"), 2, "there is only one"),
        ((*THREE, "--resamples", "3"), 2, "resamples must be a whole number from 100"),
        ((*THREE, "--all-pairs", "--baseline", "a"), 2, "one of the two"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_sentence(folder, words, code, message):
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
