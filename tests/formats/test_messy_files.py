"""Variations of ordinary files give exactly the numbers of the clean file, or are refused."""

import json

import pytest

import fencepost as fp
from formats.messy import variation
from support import run

METRICS = ("pk", "windowdiff", "boundary_f", "boundary_similarity")


def clean_numbers(texts):
    """The numbers of the texts themselves, without any file."""
    refs, hyps = ({text.name: getattr(text, side) for text in texts} for side in ("ref", "hyp"))
    table = fp.score(refs, hyps, metrics=list(METRICS), baselines=False, intervals=False)
    return [row["value"] for row in table]


def numbers_of(folder, made):
    """The numbers that a command finds in a variation; None where it is refused."""
    for name, data in made.files.items():
        (folder / name).write_bytes(data)
    done = run("score", *made.words, "-m", *METRICS, "--no-baselines", "--no-intervals", "--json",
               cwd=folder)  # fmt: skip
    if done.returncode == 0:
        return [row["value"] for row in json.loads(done.stdout)["rows"]], done
    assert done.returncode in (1, 2) and done.stderr.startswith("fencepost: "), done
    assert "Traceback" not in done.stderr and not done.stdout
    return None, done


def check(folder, seeds):
    read = 0
    for seed in seeds:
        texts, made = variation(seed)
        found, done = numbers_of(folder, made)
        if found is not None:
            read += 1
            assert found == clean_numbers(texts), (seed, made.done, made.words, done.stderr)
    return read


def test_a_few_variations_are_read_as_meant_or_refused(tmp_path):
    assert 15 < check(tmp_path, range(60)) < 60


@pytest.mark.slow
def test_six_hundred_variations_are_read_as_meant_or_refused(tmp_path):
    assert 200 < check(tmp_path, range(600)) < 600


def agreement_of(folder, *words):
    """Alpha and pi* of a file; None where it is refused."""
    done = run("agree", *words, "--no-intervals", "--draws", "2", "--json", cwd=folder)
    if done.returncode:
        assert done.stderr.startswith("fencepost: ") and "Traceback" not in done.stderr
        return None
    rows = json.loads(done.stdout)["rows"]
    return [row["value"] for row in rows if row["coefficient"] in ("alpha", "pi*")]


@pytest.mark.slow
def test_annotators_of_variations_are_those_of_the_clean_file_or_refused(tmp_path):
    """No option names the annotators here: extra columns must be known for what they are."""
    read = 0
    for seed in range(120):
        texts, made = variation(seed)
        if made.done[0] not in ("units", "tokens", "long"):
            continue
        (name, data), words = *made.files.items(), made.words[1:]
        (tmp_path / name).write_bytes(data)
        options = dict(zip(words[::2], words[1::2], strict=True))
        roles = options.pop("--columns", "").split(",")
        others = ",".join(one for one in roles if not one.startswith(("ref=", "hyp=")))
        options |= {"--columns": others} if others else {}
        found = agreement_of(tmp_path, name, *(word for pair in options.items() for word in pair))
        if found is not None:
            read += 1
            clean = {text.name: {"ref": text.ref, "hyp": text.hyp} for text in texts}
            (tmp_path / "clean.json").write_text(json.dumps(clean))
            assert found == agreement_of(tmp_path, "clean.json"), (seed, made.done)
    assert read > 15


def refused(tmp_path, content, *words, name="x.csv"):
    (tmp_path / name).write_text(content)
    done = run("score", name, "--columns", "ref=ref,hyp=hyp", *words, cwd=tmp_path)
    assert done.returncode in (1, 2) and not done.stdout
    return done.stderr


def test_numbers_of_segments_in_a_table_of_tokens_are_no_types(tmp_path):
    rows = [("so", 1, 1), ("we", 1, 1), ("went", 1, 2), ("home", 2, 2)]
    table = "token,ref,hyp\n" + "".join(f"{t},{r},{h}\n" for t, r, h in rows)
    said = refused(tmp_path, table)
    assert "--from units --columns words=TOKENS" in said
    done = run("score", "x.csv", "--from", "units", "--columns", "words=token,ref=ref,hyp=hyp",
               "-m", "F", "--no-baselines", "--no-intervals", "--json", cwd=tmp_path)  # fmt: skip
    assert json.loads(done.stdout)["rows"][0]["value"] == fp.boundary_f([3, 1], [2, 2]).value
    assert "holds numbers, but '#REF!'" in refused(tmp_path, table.replace("so,1", "so,#REF!"))


def test_a_row_with_one_mark_is_a_unit_and_no_text(tmp_path):
    for no, yes in (("0", "1"), ("n", "y"), ("0,0", "1,0")):
        cells = [(no, yes), (yes, no), (no, no), (yes, yes)]
        table = "satz;ref;hyp\n" + "".join(f"s{n};{r};{h}\n" for n, (r, h) in enumerate(cells))
        said = refused(tmp_path, table, "--flags", "last")
        assert "so a row is a unit" in said and "--columns unit=NAME" in said


def test_a_record_that_is_there_twice_is_refused(tmp_path):
    rows = ['{"part": "a", "ref": [3, 2], "hyp": [2, 3]}', '{"part": "b", "ref": [4], "hyp": [4]}']
    said = refused(tmp_path, "\n".join([*rows, rows[0]]), name="x.jsonl")
    assert "line 3: this is the same as x.jsonl, line 1" in said
    plain = '{"ref": [3, 2], "hyp": [2, 3]}\n' * 2  # texts without names may be alike
    (tmp_path / "y.jsonl").write_text(plain)
    assert run("score", "y.jsonl", "-m", "B", cwd=tmp_path).returncode == 0


def test_a_table_may_have_the_duration_of_recordings(tmp_path):
    (tmp_path / "x.csv").write_text("id,ref,hyp,duration\na,1 2,2 1,10.5\nb,1 2,1 2,9\n")
    done = run("score", "x.csv", "-m", "B", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        ("a\n\nb\n=====\nc\n", "===== between segments; empty lines are ignored; "),
        ("a\n\nb\n", "an empty line between segments; "),
        ("a\nb\n-----\nc\n", "----- between segments; "),
        ("a\nb\n", "========== (or ---, ###, --separator) or an empty line between segments; "),
    ],
)
def test_what_divides_a_plain_text_is_shown(tmp_path, content, shape):
    """One line for all files said that signs or empty lines divide, where only one of them does."""
    path = tmp_path / "x.ref"
    path.write_text(content, encoding="utf-8")
    assert fp.read(path).source.shape == f"one unit per line, {shape}the file is one text"
