"""Full disks, folders that cannot be written, closed pipes: one sentence, and nothing half done."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fencepost.batch.runs import MANIFEST
from strategies import random_pairs
from support import run

pytestmark = pytest.mark.slow
PARTS = 8


@pytest.fixture
def place():
    """A folder that other users can read, too, with a file of eight row groups."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        pairs = list(random_pairs(1, 800, (5, 40)))
        table = pa.table(
            {
                "id": [f"d{i}" for i in range(800)],
                "gold": [list(ref.masses) for ref, _ in pairs],
                "a": [list(hyp.masses) for _, hyp in pairs],
            }
        )
        pq.write_table(table, folder / "x.parquet", row_group_size=800 // PARTS)
        yield folder


def command(place: Path, *more: str) -> list[str]:
    columns = ["--columns", "ref=gold,hyp=a,text=id", "--encoding", "masses", "-m", "windowdiff"]
    return ["score", f"{place}/*.parquet", *columns, "--json", *more]


def apart(arguments: list[str], before: str = "", **settings) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that executes some code first; one thread, so in order."""
    code = (
        "import sys, os, resource\nimport fencepost.cli, fencepost.batch.runs\n"
        "import fencepost.cli.score_files, fencepost.formats, pyarrow.parquet, pyarrow.fs\n"
        f"import fencepost as fp\nfp.set_threads(1)\n{before}\n"
        "sys.exit(fencepost.cli.main(sys.argv[1:]))"
    )
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    return subprocess.run([sys.executable, "-c", code, *arguments], text=True, check=False, **given)


def check_resumed(place: Path, saved: Path) -> None:
    """What is there is whole; a resumed run is that of an undisturbed one."""
    for part in saved.glob("part-*"):
        pq.read_table(part)
    again = run(*command(place, "--save", str(saved), "--resume"))
    assert again.returncode == 0, again.stderr
    assert again.stdout == run(*command(place)).stdout
    assert len(list(saved.glob("part-*"))) == PARTS
    assert not list(saved.glob(".*"))


def whole_run(place: Path) -> Path:
    """Return the folder of a run that nothing disturbed."""
    run(*command(place, "--save", str(place / "whole")))
    return place / "whole"


@pytest.mark.parametrize("share", [0.1, 0.99])
def test_a_part_that_does_not_fit_is_not_there(place, share):
    limit = int(min(path.stat().st_size for path in whole_run(place).glob("part-*")) * share)
    assert limit > 300
    saved = place / "saved"
    full = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    done = apart(command(place, "--save", str(saved)), full)
    assert done.returncode == 1 and done.stdout == ""
    assert re.search(r"part-0+-0+-\w+\.parquet cannot be written: File too large", done.stderr)
    assert len(done.stderr.splitlines()) == 1
    assert not list(saved.glob("part-*")) and not list(saved.glob(".*"))
    check_resumed(place, saved)


def test_a_manifest_that_does_not_fit_ends_before_the_line_that_was_cut(place):
    saved = place / "saved"
    saved.mkdir()
    # Padded with empty space in front of the plan, so that it is larger than any part.
    head, *lines = (whole_run(place) / MANIFEST).read_bytes().splitlines(keepends=True)
    wide = head.replace(b"{", b"{" + b" " * 20_000, 1)
    (saved / MANIFEST).write_bytes(wide + b"".join(lines[:2]))
    limit = len(wide) + len(b"".join(lines[:3])) + 40
    code = (
        "import fencepost.batch.runs as runs\n"
        "runs.write_whole = lambda path, data: None\n"  # keeps the wide manifest as it is
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    )
    done = apart(command(place, "--save", str(saved), "--resume"), code)
    assert done.returncode == 1
    assert f"{MANIFEST} cannot be written: File too large" in done.stderr
    assert not (saved / MANIFEST).read_bytes().endswith(b"\n")  # the cut line
    check_resumed(place, saved)


# Root may write anywhere, so it becomes somebody else, who may not be able to import anything:
# a run before, and one that fails, import all there is.
NOBODY = """
given = sys.argv[1 : sys.argv.index("--save")]
whole = os.path.join(os.path.dirname(given[1]), "whole")
error, sys.stderr = sys.stderr, open(os.devnull, "w")
fencepost.cli.main([*given, "-o", os.devnull, "--save", whole, "--resume"])
fencepost.cli.main([*given, "-o", os.devnull, "--save", whole])
sys.stderr = error
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
"""


def test_a_folder_that_cannot_be_written_is_named(place):
    whole_run(place)
    place.chmod(0o555)
    saved = place / "saved"
    done = apart(command(place, "--save", str(saved)), NOBODY)
    assert done.returncode in (1, 2) and done.stdout == ""
    assert f"{saved} cannot be written" in done.stderr and len(done.stderr.splitlines()) == 1
    place.chmod(0o755)
    assert run(*command(place, "--save", str(saved))).returncode == 0
    sorted(saved.glob("part-*"))[3].unlink()
    before = (saved / MANIFEST).read_bytes()
    saved.chmod(0o555)
    done = apart(command(place, "--save", str(saved), "--resume"), NOBODY)
    assert done.returncode in (1, 2) and "cannot be written: Permission denied" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (saved / MANIFEST).read_bytes() == before
    saved.chmod(0o755)
    check_resumed(place, saved)


def test_a_closed_pipe_leaves_a_whole_run(place):
    saved = place / "saved"
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = apart(command(place, "--save", str(saved)), stdout=pipe)
    assert done.returncode == 0 and done.stderr == ""  # head and less have seen enough
    assert len(list(saved.glob("part-*"))) == PARTS
    check_resumed(place, saved)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a disk that is always full")
def test_a_table_that_cannot_be_written_is_an_error_and_the_run_is_saved(place):
    saved = place / "saved"
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = apart(command(place, "--save", str(saved)), stdout=full)
    assert done.returncode == 1
    assert done.stderr == "fencepost: the output cannot be written: No space left on device\n"
    check_resumed(place, saved)


def test_what_a_killed_run_was_writing_is_removed(place):
    saved = place / "saved"
    code = (
        "from pyarrow import parquet\n"
        "write = parquet.ParquetWriter.write_table\n"
        "def kill(self, table):\n"
        "    write(self, table)\n"
        f"    if sum(name.startswith('part-') for name in os.listdir({str(saved)!r})) == 3:\n"
        "        os.kill(os.getpid(), 9)\n"
        "parquet.ParquetWriter.write_table = kill"
    )
    done = apart(command(place, "--save", str(saved)), code)
    assert done.returncode == -9
    assert len(list(saved.glob("part-*"))) == 3 and len(list(saved.glob(".part-*"))) == 1
    check_resumed(place, saved)
