"""Whatever stops a command, files that it writes are whole or not there, and inputs unchanged.

The outputs are all options of all commands that are declared to write a file.
"""

import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fencepost as fp
from fencepost.cli import COMMANDS, PARTS
from fencepost.options import options_of
from support import put, run

OUTPUTS = {
    ("score", "output"): "score g.json -i h.json -o OUT",
    ("score", "save"): "score g.json -i h.json --save OUT.csv",
    ("score", "save Parquet"): "score g.json -i h.json --save OUT.parquet",
    ("score", "html"): "score g.json -i h.json --html OUT.html",
    ("agree", "output"): "agree c.json --draws 2 -o OUT",
    ("agree", "html"): "agree c.json --draws 2 --html OUT.html",
    ("agree", "html_per_coder"): "agree c.json --draws 2 --html-per-coder OUT",
    ("agree", "differences"): "agree c.json --draws 2 --differences OUT.csv",
    ("agree", "consensus"): "agree c.json --draws 2 --consensus OUT.json",
    ("edits", "output"): "edits g.json -i h.json -o OUT",
    ("diff", "output"): "diff s.csv s.csv -o OUT",
    ("look", "output"): "look g.json -o OUT",
    ("convert", "target"): "convert g.json OUT.jsonl",
    ("resegment", "write"): "resegment ref.txt -i hyp.txt -o OUT",
    ("resegment", "omnisteval"): "resegment ref.txt -i hyp.txt --omnisteval OUT",
    ("resegment", "save"): "resegment ref.txt -i hyp.txt --save OUT.csv",
    ("resegment", "html"): "resegment ref.txt -i hyp.txt --html OUT.html",
    ("simulate references", "output"): "simulate references -o OUT.json",
    ("simulate errors", "output"): "simulate errors g.json -o OUT.json",
    ("simulate coders", "output"): "simulate coders --texts 3 --units 30 -o OUT.json",
    ("simulate typed", "output"): "simulate typed t.csv -o OUT.csv",
    ("simulate stream", "output"): "simulate stream -o OUT",
    ("tune", "write"): "tune g.json -i p.jsonl -m F --folds 2 -o OUT.json",
    ("tune", "html"): "tune g.json -i p.jsonl -m F --folds 2 --html OUT.html",
    ("tune", "plot"): "tune g.json -i p.jsonl -m F --folds 2 --plot OUT.png",
    ("probe", "output"): "probe pk --properties symmetric -o OUT",
    ("probe", "html"): "probe pk --properties symmetric --html OUT.html",
    ("probe", "plot"): "probe pk --properties errors --plot OUT.png",
    ("reproduce", "output"): "reproduce pevzner2002 --item table1 -o OUT",
    ("reproduce", "html"): "reproduce pevzner2002 --item table1 --html OUT.html",
    ("reproduce", "plot"): 'reproduce fournier2012 --item "figure 5" --plot OUT.png',
}


def _inputs(folder: Path) -> None:
    rng = random.Random(4)
    texts = {f"d{i}": [rng.randint(1, 6) for _ in range(6)] for i in range(6)}
    other = {name: [a + b, *rest] for name, (a, b, *rest) in texts.items()}
    put(folder, "g.json", texts)
    put(folder, "h.json", other)
    scores = {
        name: [round(rng.uniform(0.1, 0.9), 3) for _ in range(sum(sizes) - 1)]
        for name, sizes in texts.items()
    }
    put(folder, "p.jsonl", "".join(
        json.dumps({"id": name, "hyp": own, "units": len(own) + 1}) + "\n"
        for name, own in scores.items()
    ))  # fmt: skip
    put(folder, "c.json", {name: {"a": texts[name], "b": other[name]} for name in texts})
    put(
        folder,
        "t.csv",
        "token,anna\n" + "".join(f"w{i},{'.' if i % 3 else ''}\n" for i in range(9)),
    )
    put(folder, "ref.txt", "so we went\nand then it rained\n")
    put(folder, "hyp.txt", "so we went and it rained\n")
    assert run("score", "g.json", "-i", "h.json", "--save", "s.csv", cwd=folder).returncode == 0


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}  # fmt: skip


def test_every_option_that_writes_a_file_is_tried_here():
    declared = {
        (command, one.name)
        for command in {*COMMANDS, *PARTS}
        for one in options_of(command)
        if one.file == "out"
    }
    assert declared == {(command, name.split()[0]) for command, name in OUTPUTS}


def _apart(words, folder, before, **settings):
    """Run a command in a process that first executes some code."""
    code = f"import os, resource, signal, sys\nfrom fencepost import cli\n{before}\n"
    code += "sys.exit(cli.main())"
    return subprocess.run(
        [sys.executable, "-c", code, *shlex.split(words)], cwd=folder, capture_output=True,
        text=True, check=False, **settings,
    )  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    _inputs(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("words", OUTPUTS.values(), ids=str)
def test_a_full_disk_leaves_what_was_there(words, inputs, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(inputs, folder)
    before = _files(folder)
    words = words.replace("OUT", "out")
    # 5 bytes fit into a file; rich and matplotlib may not write their caches either.
    limit = (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5, 5))"
    )
    done = _apart(words, folder, limit, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert _files(folder) == before
    assert done.returncode in (1, 2), (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr and "cannot be written" in done.stderr, done.stderr
    again = run(*shlex.split(words), cwd=folder)
    assert again.returncode == 0, again.stderr
    whole = _files(folder)
    assert {name: whole[name] for name in before} == before and len(whole) > len(before)
    done = _apart(words, folder, limit)  # a second time: the old outputs stay whole
    assert done.returncode in (1, 2) and _files(folder) == whole


KILLED = """
import fencepost.files
real = os.replace
def kill(*given):
    os.kill(os.getpid(), signal.{how})
    signal.pause()
fencepost.files.os.replace = kill
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL", "SIGINT"])
@pytest.mark.parametrize("words", [one for key, one in OUTPUTS.items() if "OUT" in one][::3])
def test_a_signal_before_the_last_step_leaves_what_was_there(words, how, inputs, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(inputs, folder)
    before = _files(folder)
    done = _apart(words.replace("OUT", "out"), folder, KILLED.format(how=how))
    assert "Traceback" not in done.stderr
    assert done.returncode in {"SIGTERM": (143,), "SIGKILL": (-9,), "SIGINT": (130,)}[how]
    after = _files(folder)
    left = after.keys() - before.keys()
    assert {name: after[name] for name in before} == before
    assert all(Path(name).name.startswith(".") and name.endswith(".part") for name in left)
    assert how == "SIGKILL" or not left


TO_STDOUT = ("score g.json -i h.json", "agree c.json --draws 2", "look g.json",
             "simulate errors g.json", "convert g.json - --to jsonl",
             "resegment ref.txt -i hyp.txt", "metrics", "formats")  # fmt: skip


def _unprivileged():
    """Return the words before a command that may not write where it is not allowed to.

    Root may write everywhere, unless it gives that capability up.
    """
    if os.geteuid() != 0:
        return []
    drop = "-dac_override,-dac_read_search"
    words = ["setpriv", "--inh-caps", drop, "--bounding-set", drop]
    if not shutil.which("setpriv"):
        pytest.skip("root may write everywhere, and setpriv is not there to give that up")
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root may write everywhere, and this machine does not let it give that up")
    return words


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "old content"])
@pytest.mark.parametrize("words", OUTPUTS.values())
def test_a_read_only_folder_is_one_sentence(words, before, inputs, tmp_path):
    if "--plot" in words:
        pytest.importorskip("matplotlib")
    folder = tmp_path / "closed"
    folder.mkdir()
    found = shlex.split(words.replace("OUT", f"{folder}/made"))
    name = Path(next(word for word in found if word.startswith(str(folder))))
    if before:
        name.write_text(before)
    folder.chmod(0o555)
    try:
        done = subprocess.run(
            [*_unprivileged(), sys.executable, "-m", "fencepost", *found], cwd=inputs,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        folder.chmod(0o755)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("fencepost: ")
    assert "cannot be written" in done.stderr or "cannot be made" in done.stderr
    assert [one.name for one in folder.iterdir()] == [name.name] * bool(before)
    assert not before or name.read_text() == before


@pytest.mark.parametrize("words", TO_STDOUT)
def test_a_pipe_that_nobody_reads_and_a_full_device(words, inputs):
    command = [sys.executable, "-m", "fencepost", *words.split()]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, cwd=inputs, stdout=writing, stderr=subprocess.PIPE, text=True,
                          check=False)  # fmt: skip
    os.close(writing)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=inputs, stdout=full, stderr=subprocess.PIPE, text=True,
                              check=False)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "fencepost: the output cannot be written: No space left on device"
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "xx_YY.UTF-8", "de_DE.ISO-8859-1", ""])
def test_a_missing_locale_changes_nothing(locale, inputs):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    command = [sys.executable, "-m", "fencepost", "score", "g.json", "-i", "h.json", "--json"]
    env["LC_ALL"] = locale
    done = subprocess.run(command, cwd=inputs, env=env, capture_output=True, check=False)
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.decode() == run("score", "g.json", "-i", "h.json", "--json",
                                       cwd=inputs).stdout  # fmt: skip


# Processes and threads.

SHARED = """
import multiprocessing, sys, threading
import fencepost as fp

texts = {f"d{i}": [i % 5 + 1, 4, i % 7 + 2, 3] for i in range(300)}
other = {name: [a + b, *rest] for name, (a, b, *rest) in texts.items()}

def result(_=0):
    return fp.score(texts, {"s": other}, metrics=["pk", "B", "A", "F"], resamples=200).to_json()

def main():
    fp.set_threads(4)
    wanted = result()  # threads have run before the fork
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(2) as pool:
            assert pool.map_async(result, range(4)).get(120) == [wanted] * 4, how
    print("equal")

if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
def test_processes_that_are_forked_or_spawned_give_the_same(tmp_path):
    path = put(tmp_path, "shared.py", SHARED)
    done = subprocess.run([sys.executable, "-W", "ignore", path], capture_output=True, text=True,
                          timeout=240, check=False)  # fmt: skip
    assert done.stdout == "equal\n", done.stderr


@pytest.mark.slow
def test_sixteen_threads_on_the_same_objects():
    rng = random.Random(6)
    made = {f"d{i}": {c: [rng.randint(1, 6) for _ in range(7)] for c in "ab"} for i in range(60)}
    for own in made.values():
        own["b"][-1] += sum(own["a"]) - sum(own["b"]) + 40
        own["a"][-1] += 40
    corpus = fp.Corpus.from_dict(made)
    ref, hyp = ([own[c] for own in made.values()] for c in "ab")
    pairs = fp.Pairs.from_segmentations(*[[fp.Segmentation.from_masses(m) for m in side]
                                          for side in (ref, hyp)])  # fmt: skip
    recipes = [fp.METRICS[name].recipe() for name in ("pk", "windowdiff", "boundary_similarity",
               "alignment_similarity", "flexible_similarity")]  # fmt: skip

    def work(number):
        order = recipes[number % 5 :] + recipes[: number % 5]
        counts = {one.name: one.count(pairs).tobytes() for one in order}
        agreed = fp.agreement(corpus, draws=20).to_json()
        scores = fp.score(
            dict(enumerate(ref)), {"s": dict(enumerate(hyp))}, resamples=100
        ).to_json()
        single = [fp.windowdiff(a, b) == fp.windowdiff(a, b) for a, b in zip(ref, hyp, strict=True)]
        return (
            sorted(counts.items()),
            agreed,
            scores,
            single,
            str(corpus.tokens),
            corpus.fingerprint,
        )

    wanted = work(0)
    start = threading.Barrier(16)

    def together(number):
        start.wait()
        return work(number)

    with ThreadPoolExecutor(16) as pool:
        assert all(found == wanted for found in pool.map(together, range(16)))


LEFT = """
import os, shlex, sys
from fencepost.cli import main
from fencepost import set_threads
set_threads(4)

def left():
    fds = {os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
           if os.path.exists(f"/proc/self/fd/{n}")}
    return {one for one in fds if one.startswith("/") and os.getcwd() in one}

for words in sys.argv[1].split(";"):
    assert main(shlex.split(words)) in (0, 1, 2), words
    assert not left(), (words, left())
count = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
for words in sys.argv[1].split(";"):
    main(shlex.split(words))
assert (len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))) == count
print("none", file=sys.stderr)
"""


@pytest.mark.slow
def test_no_file_and_no_thread_is_left_open(inputs, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(inputs, folder)
    put(folder, "bad.json", "[")
    commands = [words.replace("OUT", "out") for words in OUTPUTS.values() if "plot" not in words]
    commands += ["score bad.json -i g.json", "score g.json -i none.json", "look bad.json"]
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-c", LEFT,
         ";".join(commands)], cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr.endswith("none\n") and "ResourceWarning" not in done.stderr, done.stderr
