"""Files are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fencepost import FencepostError
from fencepost.files import write_whole, writing
from support import ok, run


def test_a_block_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    target = tmp_path / "scores.csv"
    target.write_text("old\n")

    def write_half(failure):
        with writing(target, text=True) as stream:
            stream.write("half of")
            stream.flush()
            raise failure

    for failure in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(failure):
            write_half(failure)
        assert target.read_text() == "old\n"
        assert os.listdir(tmp_path) == ["scores.csv"]


def test_a_file_keeps_its_permissions_and_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_other_new_files(tmp_path):
    write_whole(tmp_path / "ours", b"")
    (tmp_path / "theirs").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


def test_a_device_is_written_directly():
    write_whole(os.devnull, b"gone")
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(FencepostError, match=r"x\.csv cannot be written: No such file"):
        write_whole(tmp_path / "no" / "x.csv", b"")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_program_that_is_stopped_while_it_writes_leaves_the_old_file(tmp_path, how):
    target = tmp_path / "page.html"
    target.write_text("old")
    program = (
        "import sys, time\n"
        "from fencepost import cli\nfrom fencepost.files import writing\n"
        "def run(words):\n"
        f"    with writing({str(target)!r}, text=True) as stream:\n"
        "        stream.write('half of')\n        stream.flush()\n"
        "        print('ready', flush=True)\n        time.sleep(60)\n"
        "cli._run = run\nsys.exit(cli.main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(0.05)
        process.send_signal(how)
        _, said = process.communicate(timeout=30)
    assert target.read_text() == "old"
    assert b"Traceback" not in said
    # Nothing can tidy up after SIGKILL: what it leaves has a name of its own.
    beside = [name for name in os.listdir(tmp_path) if name != "page.html"]
    assert all(name.startswith(".page.html.") and name.endswith(".part") for name in beside)
    assert how == signal.SIGKILL or beside == []


def test_names_from_files_cannot_act_on_a_terminal(tmp_path):
    nasty = "an\\u001b[31mna\\u009b1A\\u0007"
    (tmp_path / "n.json").write_text(f'{{"te\\u001b]0;xt": {{"{nasty}": [5, 5], "ben": [4, 6]}}}}')
    commands = (("agree", "n.json"), ("agree", "n.json", "--all"), ("look", "n.json"),
                ("score", "n.json", "-i", "n.json"), ("score", "n.json", "-i", "gone.json"),
                ("edits", "n.json", "-i", "n.json"))  # fmt: skip
    for command in commands:
        done = run(*command, cwd=tmp_path)
        written = done.stdout + done.stderr
        assert not any(sign in written for sign in "\x1b\x9b\x07"), command
    assert "an·[31mna·1A·" in ok("agree", "n.json", cwd=tmp_path)
