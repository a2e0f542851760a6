"""Choices of reading: those that say nothing are refused, and a field may be a coder."""

import json

import pytest

import fencepost as fp
from fencepost.formats import FORMATS, FormatError, read_text
from fencepost.formats.options import Reading
from fencepost.options import ROLES, find_option, options_for
from support import run

MADE = {
    "flags": "first", "encoding": "masses", "ignore_tokens": "zzz", "threshold": 0.3,
    "probabilities": True, "units": "seconds:0.25", "tiers": "speakers",
    "gaps": "join", "overlap": "end", "snap": True, "levels": "all", "raw": "nowhere.txt",
    "separator": "###", "empty": "skip",
}  # fmt: skip


def content(corpus):
    return dict(corpus.entries), dict(corpus.tokens), dict(corpus.source.choices)


def test_every_choice_is_tried():
    columns = {"columns", "coders", "without", "field", "id_field", "units_field"}  # below
    others = {"format", "path_pattern", "like", "unpack_limit"}  # not about what a file means
    assert set(options_for("read")) - others - columns == set(MADE)


TEXTS = [one for one in FORMATS.values() if one.read is not None and one.read_bytes is None]


@pytest.mark.parametrize("format", TEXTS, ids=lambda one: one.name)
def test_what_a_format_does_not_take_changes_nothing(format):
    """Asked directly, a reader pays no heed to the choices that are refused for its files."""
    usual = content(format.read(format.example, Reading("x.txt", **format.choices)))
    for name in set(MADE) - set(format.takes) - set(format.choices):
        choices = {**format.choices, name: MADE[name]}
        assert content(format.read(format.example, Reading("x.txt", **choices))) == usual, name
        if name == "levels" and any(seg.kinds is not None for seg in usual[0].values()):
            continue  # levels of boundary types: tests/formats/test_levels.py
        with pytest.raises(
            FormatError,
            match=rf"{find_option(name, 'read').flag} does not apply to .*{format.name}",
        ):
            read_text(format.example, "x.txt", format.name, **choices)


@pytest.mark.parametrize("format", TEXTS, ids=lambda one: one.name)
def test_roles_that_a_format_cannot_use_are_refused(format):
    for role in ROLES.keys() - {"ref", "hyp", *format.roles}:
        with pytest.raises(
            FormatError, match=rf"--columns {role}=name does not apply to .*{format.name}"
        ):
            read_text(
                format.example, "x.txt", format.name, columns={role: "name"}, **format.choices
            )


@pytest.mark.parametrize("format", TEXTS, ids=lambda one: one.name)
def test_a_role_that_names_no_column_is_refused(format):
    for role in ("ref", *format.roles):
        with pytest.raises(
            FormatError, match=r"no (column|field|coder|annotator|tier|tag|mark)|must|holds no rec"
        ):
            read_text(
                format.example, "x.txt", format.name, columns={role: "nowhere"}, **format.choices
            )


def test_an_option_may_be_about_one_side_only(tmp_path):
    (tmp_path / "gold.json").write_text('{"talk": [4, 3]}')
    (tmp_path / "talk.TextGrid").write_text(
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n7\n<exists>\n1\n"IntervalTier"\n'
        '"s"\n0\n7\n2\n0\n4\n"a"\n4\n7\n"b"\n'
    )
    done = run("score", "gold.json", "-i", "talk.TextGrid", "--units", "seconds:1", "-m", "B",
               "--csv", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "talk,gold,boundary_similarity,1.0" in done.stdout
    done = run("score", "gold.json", "-i", "gold.json", "--units", "seconds:1", cwd=tmp_path)
    assert done.returncode == 2
    assert "--units does not apply: no file holds segments with a start and an end" in done.stderr
    for option in (
        ("--tiers", "coders"),
        ("--separator", "1"),
        ("--raw", "x"),
        ("--path-pattern", "{text}.x"),
    ):
        done = run("score", "gold.json", "-i", "talk.TextGrid", "--units", "seconds:1", "-m", "B",
                   *option, cwd=tmp_path)  # fmt: skip
        assert done.returncode == (0 if option[0] == "--tiers" else 2)
        assert ("does not apply to what was read" in done.stderr) == (option[0] != "--tiers")
    done = run("score", "gold.json", "-i", "talk.TextGrid", "--units", "seconds:1", "-m", "B",
               "--levels", "1", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 1 and "labels have no levels: --levels kinds" in done.stderr


@pytest.mark.parametrize("command", ["score", "edits", "agree", "convert"])
def test_every_command_refuses_what_says_nothing(tmp_path, command):
    (tmp_path / "a.json").write_text('{"d": {"x": [5, 5], "y": [4, 6]}}')
    (tmp_path / "h.json").write_text('{"d": [5, 5]}')
    rest = {"agree": [], "convert": ["o.json"]}.get(command, ["-i", "h.json"])
    done = run(command, "a.json", *rest, "--levels", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("fencepost: --levels does not apply")


def test_a_field_is_a_coder_where_files_have_no_fields(tmp_path):
    given = {"d1": {"an1": [5, 5], "an2": [4, 6]}, "d2": {"an1": [3], "an2": [1, 2]}}
    for name, data in {
        "c.json": given,
        "s.json": {"segmentation_type": "linear", "items": given},
    }.items():
        (tmp_path / name).write_text(json.dumps(data))
        found = fp.read(tmp_path / name, field="an2")
        assert [(k.text, k.coder, s.masses) for k, s in found.entries.items()] == [
            ("d1", "1", (4, 6)), ("d2", "1", (1, 2))
        ]  # fmt: skip
        with pytest.raises(
            FormatError, match="no field and no coder 'an3'; the annotators are an1, an2"
        ):
            fp.read(tmp_path / name, field="an3")
    done = run("score", "c.json", "--ref-field", "an1", "--hyp-field", "an2", "-m", "pk:k=2",
               "--csv", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    value = fp.score({"d1": [5, 5], "d2": [3]}, {"d1": [4, 6], "d2": [1, 2]}, metrics="pk:k=2")
    assert f"an2,an1,pk,{value[0]['value']!r}" in done.stdout


def test_lines_may_name_coders_and_leave_a_hypothesis_out(tmp_path):
    lines = [{"id": "d", "coder": "a", "ref": [5, 5]}, {"id": "d", "coder": "b", "ref": [4, 6]}]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = fp.read(tmp_path / "c.jsonl")
    assert {k.coder: s.masses for k, s in found.entries.items()} == {"a": (5, 5), "b": (4, 6)}
    both = [{"id": "d", "ref": [5, 5], "hyp": None}, {"id": "e", "ref": [2, 3], "hyp": [2, 3]}]
    (tmp_path / "n.jsonl").write_text("\n".join(map(json.dumps, both)))
    done = run("score", "n.jsonl", "-m", "B", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "hyp lacks 1 of the 2 texts in ref (d)" in done.stderr or "lacks 1 of the 2" in done.stderr
    )
    for missing, texts, value in (("skip", 1, 1.0), ("whole", 2, 0.5)):
        done = run("score", "n.jsonl", "-m", "B", "--missing", missing, "--json", cwd=tmp_path)
        row = json.loads(done.stdout)["rows"][0]
        assert (row["n"], row["value"]) == (texts, value)
    with pytest.raises(FormatError, match="line 1"):
        fp.read(tmp_path / "n.jsonl", field="hyp", default_field="ref")


def test_what_convert_writes_can_be_a_hypothesis(tmp_path):
    (tmp_path / "gold.json").write_text('{"d1": [5, 5], "d2": [3, 4]}')
    (tmp_path / "h.json").write_text('{"d1": [4, 6], "d2": [3, 4]}')
    assert run("convert", "h.json", "h.jsonl", cwd=tmp_path).returncode == 0
    done = run("score", "gold.json", "-i", "h.jsonl", "-m", "B", "--csv", cwd=tmp_path)
    assert "h,gold,boundary_similarity,0.75" in done.stdout
    done = run("score", "h.jsonl", cwd=tmp_path)  # no side is the other
    assert (done.returncode, done.stderr.partition(":")[2][:14]) == (2, " no hypothesis")


def test_words_that_differ_between_coders_are_said(tmp_path):
    for name, last in (("a", "wet."), ("b", "dry.")):
        (tmp_path / f"{name}.sents").write_text(f"It rained all day.\nThe road was {last}\n")
    done = run("agree", "a.sents", "b.sents", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'they part at word 8: "wet." / "dry."' in " ".join(done.stdout.split())
    (tmp_path / "b.sents").write_text("Cats sleep and purr.\nDogs bark at night.\n")
    done = run("agree", "a.sents", "b.sents", cwd=tmp_path)
    assert done.returncode == 1
    assert "hardly the same text" in done.stderr
    for name in ("a", "b"):
        (tmp_path / "study" / name).mkdir(parents=True)
        (tmp_path / "study" / name / "t.sents").write_text(
            f"It rained all day.\nThe road was {'wet.' if name == 'a' else 'dry.'}\n"
        )
    found = fp.read(tmp_path / "study", path_pattern="{coder}/{text}.sents")
    (note,) = found.source.notes
    assert "differ between a/t.sents and b/t.sents" in note


def test_marks_that_begin_segments_are_no_labels(tmp_path):
    (tmp_path / "b.jsonl").write_text('{"id": "d", "ref": ["B-seg", "O", "B-seg", "O", "O"]}')
    with pytest.raises(
        FormatError, match=r"line 1.*B begins a segment.*--flags first.*--encoding "
    ):
        fp.read(tmp_path / "b.jsonl")
    assert fp.read(tmp_path / "b.jsonl", encoding="labels")["d", "1"].masses == (1, 1, 1, 2)
    assert fp.read(tmp_path / "b.jsonl", flags="first")["d", "1"].masses == (2, 3)
    (tmp_path / "b.csv").write_text("unit,an1\n1,B\n2,I\n3,B\n4,O\n")
    with pytest.raises(FormatError, match=r"B begins a segment.*--flags first"):
        fp.read(tmp_path / "b.csv")
    assert fp.read(tmp_path / "b.csv", flags="first")["b", "an1"].masses == (2, 2)


def test_the_field_of_names_must_be_there(tmp_path):
    (tmp_path / "k.jsonl").write_text('{"id": "d", "ref": {"cuts": [2]}, "units": 5}')
    with pytest.raises(FormatError, match=r"no column 'doc'.*there are id, ref, units"):
        fp.read(tmp_path / "k.jsonl", id_field="doc")


@pytest.mark.parametrize("header", ["text,gold,pred", "text,start,end", "text,n_sentences,score"])
def test_columns_with_names_of_their_own_are_no_sizes(tmp_path, header):
    (tmp_path / "t.csv").write_text(f"{header}\nd1,3,2\nd2,3,7\n")
    with pytest.raises(FormatError, match=r"line 1: the names of the columns .*masses"):
        fp.read(tmp_path / "t.csv")


def test_numbers_of_lines_are_no_names(tmp_path):
    (tmp_path / "ids.jsonl").write_text("".join(
        f'{{"id": {n}, "ref": [{n}, 9]}}\n' for n in (2, 3, 1)))  # fmt: skip
    (tmp_path / "lines.jsonl").write_text("".join(
        f'{{"hyp": [{n}, 9]}}\n' for n in (2, 3, 1)))  # fmt: skip
    done = run("score", "ids.jsonl", "-i", "lines.jsonl", "-m", "F", cwd=tmp_path)
    assert done.returncode == 1
    assert "ids names its texts (2, 3, 1) and lines has no names" in done.stderr
    (tmp_path / "ids.jsonl").write_text("".join(
        f'{{"id": {i}, "ref": [{n}, 9]}}\n' for i, n in ((1, 2), (2, 3), (3, 1))))  # fmt: skip
    done = run("score", "ids.jsonl", "-i", "lines.jsonl", "-m", "F", "--csv", cwd=tmp_path)
    assert "lines,ids,boundary_f,1.0" in done.stdout


def test_texts_that_only_a_system_has_are_said(tmp_path):
    (tmp_path / "g.json").write_text('{"a": [5, 5]}')
    (tmp_path / "h.json").write_text('{"a": [5, 5], "zz": [3]}')
    done = run("score", "g.json", "-i", "h.json", "--missing", "skip", "-m", "B", cwd=tmp_path)
    assert "note: 1 text (zz) of h ignored: not in g" in done.stdout + done.stderr


def test_a_text_without_a_name_fits_any(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"id": "chapter", "ref": [2, 1], "units": ["a", "b", "c"]}')
    (tmp_path / "q.txt").write_text("a\nb\n==========\nc\n")
    done = run("score", "q.jsonl", "-i", "q.txt", "-m", "B", "--csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "q,q,boundary_similarity,1.0" in done.stdout


@pytest.mark.parametrize("field", ["ref", "labels", "boundaries", "flags"])
@pytest.mark.parametrize("command", ["score", "edits", "tune"])
def test_a_file_with_one_segmentation_is_not_its_own_hypothesis(tmp_path, command, field):
    """Fields with known names other than ref were read for both sides: F was 1."""
    (tmp_path / "one.jsonl").write_text(f'{{"id": "x", "{field}": [0, 1, 0, 1]}}\n')
    for words in ([], ["--columns", f"ref={field}"]):
        done = run(command, "one.jsonl", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "no hypothesis: give files after -i" in done.stderr
