"""Malformed inputs end in a result or in one sentence: what the campaign found, and a short run."""

import contextlib
import gzip
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import fencepost as fp
import fencepost.cli.look
import hostile
from fencepost import score_counts
from fencepost.compression import pieces
from fencepost.metrics.costs import Costs
from fencepost.scoring.counts import save
from support import ok, put, run, run_apart

HERE = Path(__file__).parent.parent
GOOD = '{"d1": [5, 5], "d2": [3, 4, 5]}'


@pytest.mark.slow
def test_a_short_campaign_finds_no_fault():
    command = [sys.executable, str(HERE / "hostile.py"), "--cases", "150", "--growth", "8"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "150 inputs" in done.stdout and "FAULT" not in done.stdout
    assert "growth: " in done.stdout and "memory" in done.stdout


@pytest.mark.slow
def test_every_command_of_the_campaign_succeeds_on_its_own_files(tmp_path):
    """A command that fails on a good file says little about spoilt ones."""
    hostile.warm_up()
    for number, (command, own) in enumerate(hostile.COMMANDS):
        for name in own:
            place = name if name == "run" else "shelf" if "X/*" in command else "file"
            data = b"" if name == "run" else hostile.seeds()[name]  # a run is made by the command
            case = hostile.Case(number, command, name, "as_it_is", place, data, name, "utf-8")
            done = hostile.run_case(case, tmp_path / f"{number}-{name}")
            assert (done.code, done.fault) == (0, ""), (command, name, done.words)


def test_a_small_file_that_needs_too_much_memory_is_a_fault(tmp_path):
    said = f"fencepost: {hostile.NO_MEMORY}: fencepost look FILE\n".encode()
    (tmp_path / "stdout").touch()
    for name, data in hostile.GOOD.items():
        (tmp_path / name).write_bytes(data)

    def fault(data, way="repeat"):
        case = hostile.Case(0, ("look", "X"), "a.txt", way, "file", data, "a.txt", "utf-8")
        return hostile._fault(case, tmp_path, 1, said, 0.1, 10**6)

    assert fault(b"5 5\n") == "a file of 4 bytes needs more than 1074 MB"
    assert fault(b"5" * 2_000_000) == fault(b"5", way="bomb") == ""


def _zstd(data: bytes) -> bytes:
    return bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(data))


@pytest.mark.parametrize("packed", [gzip.compress, _zstd])
def test_a_compressed_file_has_a_limit_that_can_be_raised(packed, tmp_path):
    path = tmp_path / "sizes.json.gz"
    text = '{"d1": [' + "1, " * 1_000_000 + "1]}"  # 3 MB, of which little is left when packed
    path.write_bytes(packed(text.encode()))
    with pytest.raises(fp.FencepostError, match=r"holds more than 2 MB.*--unpack-limit 8"):
        fp.read(path, unpack_limit=2)
    assert fp.read(path, unpack_limit=4)["d1"].units == 1_000_001
    done = run("look", path, "--unpack-limit", "1")
    code, err = done.returncode, done.stderr
    assert code == 1 and "more than 1 MB" in err and err.count("\n") == 1
    assert run("look", path).returncode == 0


def flat_parquet(path):
    """Twenty million zeros: 80 kB on the disk, gigabytes as rows."""
    import pyarrow

    return pyarrow.table({"anna": pyarrow.nulls(20_000_000, pyarrow.int8()).fill_null(0)})


def wordy_parquet(path):
    """One long text, ten thousand times."""
    import pyarrow

    text = pyarrow.DictionaryArray.from_arrays([0] * 10_000, ["x" * 100_000])
    return pyarrow.table({"id": [str(i) for i in range(10_000)], "ref": text})


def nested_parquet(path):
    import pyarrow

    text = pyarrow.array([["y" * 100_000] * 10_000])
    return pyarrow.table({"page_content": ["a"], "start_index": [0], "of": text})


@pytest.mark.slow
@pytest.mark.parametrize("make", [flat_parquet, wordy_parquet, nested_parquet])
def test_a_small_parquet_file_may_not_hold_gigabytes(make, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "bomb.parquet"
    parquet.write_table(make(path), path, compression="zstd")
    assert path.stat().st_size < 500_000
    for chosen in ([], ["--from", "parquet"], ["--from", "chunks"]):
        done = run("look", path, *chosen)
        assert done.returncode == 1
        said = "bomb.parquet: the compressed file holds more than 256 MB. Raise the limit with "
        assert said in done.stderr and "--unpack-limit 1024" in done.stderr


def test_a_parquet_file_within_the_limit_is_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    long = pyarrow.DictionaryArray.from_arrays([0] * 30, ["z" * 30_000])
    notes = [[{"by": "anna", "said": "w" * 20_000}]] * 30
    table = pyarrow.table({"id": [f"d{i}" for i in range(30)], "ref": [[3, 4]] * 30,
                           "words": long, "notes": notes})  # fmt: skip
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd")
    given = {"unpack_limit": 2, "without": ["words", "notes"]}
    assert len(fp.read(tmp_path / "t.parquet", **given).texts) == 30
    with pytest.raises(fp.FencepostError, match="holds more than 1 MB"):
        fp.read(tmp_path / "t.parquet", **given | {"unpack_limit": 1})


@pytest.mark.parametrize("packed", [gzip.compress, _zstd])
def test_a_bomb_is_never_unpacked_in_one_piece(packed, tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(packed(b"0 " * (1 << 23)) * 40)
    found: list[int] = []
    with path.open("rb") as stream, pytest.raises(fp.FencepostError, match="more than 20 MB"):
        found.extend(len(piece) for piece in pieces(stream, "bomb.gz", limit=20))
    assert max(found) <= 16 << 20 and sum(found) <= 20_000_000


@pytest.mark.parametrize("packed", [gzip.compress, _zstd])
def test_several_compressed_parts_are_one_file(packed, tmp_path):
    path = tmp_path / "two.txt.gz"
    path.write_bytes(packed(b"3 4\n") + packed(b"5 6\n"))
    assert [one.masses for one in fp.read(path, "lines").entries.values()] == [(3, 4), (5, 6)]
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(fp.FencepostError, match="damaged or cut short"):
        fp.read(path, "lines")


def test_a_pipe_is_read_once_and_looked_at_twice(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    feed = threading.Thread(target=pipe.write_text, args=(GOOD,), daemon=True)
    feed.start()
    done = run_apart("score", pipe, "-i", pipe)
    assert done.returncode == 0 and "2 texts" in done.stdout, done.stderr


@pytest.mark.parametrize("option", ["-o", "--html"])
def test_standard_output_has_a_name_in_a_pipe(option, tmp_path):
    """What /dev/stdout leads to is called pipe:[5], which no folder has."""
    put(tmp_path, "good.json", GOOD)
    done = run_apart("score", "good.json", "-i", "good.json", option, "/dev/stdout", cwd=tmp_path)
    assert done.returncode == 0 and "Pk" in done.stdout, done.stderr


@pytest.mark.parametrize("columns", ["1", "5", "19", "25"])
def test_no_terminal_is_too_narrow(columns, tmp_path):
    """A row of edits that was folded had more lines than texts."""
    put(tmp_path, "a.json", {"d": [100_000, 5]})
    put(tmp_path, "b.json", {"d": [100_001, 4]})
    env = {"COLUMNS": columns}
    done = run("edits", "a.json", "-i", "b.json", cwd=tmp_path, env=env)
    assert done.returncode == 0 and "100000 → 100001" in done.stdout
    done = run("simulate", "references", "--help", env=env)
    assert done.returncode == 0 and "--segments" in done.stdout


def test_devices_and_loops_of_links_are_refused(tmp_path):
    done = run("look", "/dev/zero")
    code, err = done.returncode, done.stderr
    assert code == 1 and "is a device" in err
    loop = tmp_path / "loop.json"
    loop.symlink_to(loop)
    for command in (["score", loop, "-i", loop], ["convert", loop, tmp_path / "x.json"]):
        done = run(*command)
        code, err = done.returncode, done.stderr
        assert code in (1, 2) and err.count("\n") == 1 and "loop.json" in err


def test_damaged_parquet_is_one_sentence(tmp_path):
    pytest.importorskip("pyarrow")
    table = fp.score({"d1": [5, 5]}, {"d1": [4, 6]}, intervals=False)
    from fencepost.scoring.counts import save

    path = tmp_path / "counts.parquet"
    save(table.part("counts"), path)
    path.write_bytes(path.read_bytes()[:-40] + b"x" * 40)
    for command in (["score", "--counts", path], ["look", path, "--from", "chunks"],
                    ["look", path, "--from", "parquet"], ["diff", path, path]):  # fmt: skip
        done = run(*command)
        code, err = done.returncode, done.stderr
        assert code in (1, 2) and err.count("\n") == 1, (command, err)
        assert "counts.parquet" in err


@pytest.mark.parametrize("value", ["[]", "0", "null", '""', "{}"])
def test_lines_of_json_without_fields_are_refused(value, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(value, encoding="utf-8")
    for command in (["convert", path, tmp_path / "y.json"], ["score", path, "-i", path]):
        done = run(*command)
        code, err = done.returncode, done.stderr
        assert code == 1 and err.count("\n") == 1, err


def test_costs_that_are_too_long_or_too_deep_are_refused(tmp_path):
    path = tmp_path / "costs.csv"
    for text in ('"' + "a" * 200_000 + '",b\n', '{"a":' * 100_000):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(fp.FencepostError, match=r"costs\.csv"):
            Costs.read(path)


def test_yaml_with_aliases_or_deep_lists_is_refused(tmp_path):
    refs = tmp_path / "refs.txt"
    refs.write_text("a b\n", encoding="utf-8")
    path = tmp_path / "segments.yaml"
    aliases = "- &a [x, x]\n" + "".join(f"- &{b} [*{a}, *{a}]\n" for a, b in ("ab", "bc", "cd"))
    for text, what in (
        (aliases, "found \\*a"),
        ("- " * 100_000, "levels"),
        ("[" * 100_000, "levels"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(fp.FencepostError, match=what):
            fp.read_references(refs, segments=path)


def test_line_breaks_in_names_stay_in_one_sentence(tmp_path):
    path = tmp_path / "a\x1b[31m\nb.json"
    path.write_text("[", encoding="utf-8")
    done = run("look", path)
    code, err = done.returncode, done.stderr
    assert code == 1 and err.count("\n") == 1 and "\x1b" not in err


@pytest.mark.parametrize("form", ["--markdown", "--csv", "--json", "--latex"])
def test_forms_for_programs_are_utf8_in_any_locale(form, tmp_path):
    path = tmp_path / "good.json"
    path.write_text('{"caf\u00e9 \u65e5": [5, 5], "d2": [3, 4, 5]}', encoding="utf-8")
    env = os.environ | {"PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "fencepost", "score", path, "-i", path, form, "--quiet"]
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode("utf-8") and b"Traceback" not in done.stderr


def _inputs(folder: Path) -> None:
    (folder / "good.json").write_text(GOOD, encoding="utf-8")
    (folder / "coders.json").write_text('{"d1": {"anna": [5, 5], "ben": [4, 6]}}', encoding="utf-8")
    (folder / "talks").mkdir()
    (folder / "talks" / "a.txt").write_text("3 4\n", encoding="utf-8")
    for name in ("table.csv", "report.rest.json"):
        (folder / name).write_text(GOOD, encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [
        "score good.json -i good.json --group table.csv -o table.csv",
        "score good.json -i good.json -m Sf --costs table.csv -o table.csv",
        "score good.json -i good.json -m Sf --learn-costs coders.json -o coders.json",
        "score good.json -i good.json --raw table.csv -o table.csv",
        "score good.json -i good.json --gate table.csv -o table.csv",
        "score good.json -i good.json -o good.json",
        "score good.json -i good.json --save good.json",
        "score report.rest.json -i good.json --html report.html",
        "agree coders.json --rename table.csv -o table.csv",
        "agree coders.json --consensus coders.json",
        "score talks -i talks -o talks/a.txt",
        "score talks -i talks --html talks/page.html",
        "convert talks talks/b.txt",
        "convert good.json good.json",
    ],
)
def test_no_output_takes_the_place_of_an_input(command, tmp_path):
    _inputs(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = run(*command.split(), cwd=tmp_path)
    assert done.returncode == 2 and "would " in done.stderr, done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- >&- 2>&-", ">&-"])
def test_closed_streams_are_no_fault(closed, tmp_path):
    _inputs(tmp_path)
    program = f"{sys.executable} -m fencepost"
    for words, code in (("score good.json -i good.json", 0), ("score none.json -i good.json", 1)):
        command = f"{program} {words} {closed}"
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    done = subprocess.run(
        ["sh", "-c", f"{program} look - <&-"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "command",
    [
        "look n.json",
        "score n.json -i h.json --per-text",
        "score n.json -i h.json --ref-field \u00e4nna --sentence",
        "edits h.json -i h.json",
        "agree n.json --all --draws 2",
        "simulate errors h.json",
        "simulate coders h.json",
        "convert h.json - --to lines",
        "diff c.json c.json",
        "metrics S",
        "metrics",
        "formats",
        "findings",
        "probe pk --properties symmetric",
    ],
)
def test_a_terminal_without_unicode_ends_no_command(encoding, command, tmp_path):
    name = "caf\u00e9 \u65e5"
    both = {"\u00e4nna": [5, 5], "b": [4, 6]}
    put(tmp_path, "n.json", {name: both, "d": both})
    put(tmp_path, "h.json", {name: [5, 5], "d": [4, 6]})
    ok("score", "h.json", "-i", "h.json", "--json", "-o", "c.json", cwd=tmp_path)
    done = run(*command.split(), cwd=tmp_path, encoding=encoding)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and done.stdout


HALF = "t\\ud800"  # half of a pair, as JSON may write it


@pytest.mark.parametrize(
    "command",
    [
        "score X -i X --json",
        "score X -i X --csv --table per-text",
        "score X -i X --html p.html",
        "score X -i X --save c.csv -o o.txt",
        "score X -i X --save c.parquet",
        "agree c.json --json --draws 2",
        "agree c.json --html p.html --differences d.csv --draws 2",
        "edits X -i X",
        "resegment w.txt -i w.txt --json",
    ],
)
@pytest.mark.parametrize("name", ["half.json", os.fsdecode(b"caf\xe9.json")])
def test_names_that_are_no_unicode_can_be_written(name, command, tmp_path):
    put(tmp_path, name, f'{{"{HALF}": [5, 5], "b": [4, 6]}}')
    put(tmp_path, "c.json", f'{{"{HALF}": {{"a": [5, 5], "{HALF}": [4, 6]}}}}')
    put(tmp_path, "w.txt", "a b\nc d\n")
    done = run(*(name if word == "X" else word for word in command.split()), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if "--json" in command:
        json.loads(done.stdout)
    for saved in tmp_path.glob("c.[cp]*[vt]"):
        assert score_counts(saved).facts["texts"] == 2


def test_carriage_returns_in_names_come_back_from_saved_counts(tmp_path):
    texts = {"a\rb": [5, 5], "c\nd": [4, 6], "e": [3, 7]}
    for ending in ("csv", "parquet"):
        path = tmp_path / f"c.{ending}"
        save(fp.score(texts, texts, metrics="pk").part("counts"), path)
        assert {*score_counts(path).part("per-text").column("text")} == {*texts}


def test_sizes_that_no_memory_holds_are_one_sentence(tmp_path, monkeypatch):
    put(tmp_path, "g.json", GOOD)
    monkeypatch.setattr(fencepost.cli.look, "run", _no_memory)
    done = run("look", "g.json", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("fencepost: the memory does not suffice")


def _no_memory(args):
    raise MemoryError


def test_two_thousand_systems_are_not_searched_one_by_one(tmp_path):
    texts = {f"d{i}": [2, 3, i + 1] for i in range(3)}
    systems = {f"s{i}": {name: [5, *sizes[2:]] for name, sizes in texts.items()}
               for i in range(2000)}  # fmt: skip
    put(tmp_path, "g.json", texts)
    put(tmp_path, "h.json", systems)
    began = time.process_time()
    out = ok("score", "g.json", "-i", "h.json", "-m", "pk", "-q", cwd=tmp_path, notes=True)
    assert out.count("\ns") >= 2000
    assert time.process_time() - began < 15  # it was 35 s; now 2 s


def test_systems_in_one_file_have_the_types_that_they_use():
    def typed(units, *cuts):
        names = sorted({name for _, name in cuts})
        kinds = [names.index(name) + 1 for _, name in cuts]
        return fp.Segmentation(units, [cut for cut, _ in cuts], kinds, names)

    plain = fp.Segmentation
    given = {
        "a": {"d": typed(9, (3, "1")), "e": typed(9, (3, "2"), (5, "3"))},
        "b": {"d": typed(9, (4, "1")), "e": plain(9, [])},
        "c": {"d": plain(9, [4]), "e": plain(9, [2])},
    }
    made = fp.Corpus.from_dict(given).by_text()
    for name, own in made.items():
        alone = fp.Corpus.from_dict(given[name])
        assert own.vocabulary == alone.vocabulary, name
        assert {k.text: s for k, s in own.entries.items()} == {
            k.text: s for k, s in alone.entries.items()
        }


@pytest.mark.parametrize("metric", ["B", "S", "Sf", "SfB"])
def test_more_types_than_pairs_of_them_have_prices_are_refused(metric, tmp_path):
    def sheet(types):
        rows = (f"w{i},t{i},t{i}\n" for i in range(types))
        put(tmp_path, "t.csv", "token,anna,ben\n" + "".join(rows) + "end,,\n")
        return run("score", "t.csv", "--columns", "ref=anna,hyp=ben", "-m", metric, cwd=tmp_path)

    assert sheet(300).returncode == 0
    done = sheet(2_001)
    assert done.returncode == 2 and "2,001 boundary types" in done.stderr, done.stderr
    assert run("look", "t.csv", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", sorted(hostile.seeds()))
def test_any_number_of_any_file_may_be_another(name, tmp_path):
    data = hostile.seeds()[name]
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?", data))
    for one in random.Random(name).sample(found, min(6, len(found))):
        for number in ("9" * 5000, "\u00b2", "-1", "1e999", "[]", "0x10"):
            spoilt = data[: one.start()] + number.encode() + data[one.end() :]
            with contextlib.suppress(fp.FencepostError):
                fp.read(put(tmp_path, name, spoilt))
