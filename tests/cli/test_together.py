"""Many commands at once into one folder: no file is lost, mixed up or half written."""

import json
import subprocess
import sys

import pytest

from support import DATA, ok

RUNS = 32


@pytest.mark.slow
def test_32_commands_into_one_folder_neither_corrupt_nor_lose_a_file(tmp_path):
    systems = ["careful.jsonl", "hasty.jsonl"]

    def words(number: int) -> list[str]:
        return [
            "score", "gold.jsonl", "-i", systems[number % 2], "--json",
            "-o", str(tmp_path / "same.json"),
            "--save", str(tmp_path / f"counts{number}.csv"),
            "--html", str(tmp_path / "same.html"),
        ]  # fmt: skip

    running = [
        subprocess.Popen(
            [sys.executable, "-m", "fencepost", *words(number)], cwd=DATA,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for number in range(RUNS)
    ]  # fmt: skip
    ends = [(one.communicate(timeout=300), one.returncode) for one in running]
    assert [code for _, code in ends] == [0] * RUNS, ends
    alone = {name: ok("score", "gold.jsonl", "-i", name, "--json", cwd=DATA) for name in systems}
    saved = {
        name: ok("score", "gold.jsonl", "-i", name, "--json", "--save", tmp_path / f"{name}.csv",
                 cwd=DATA) and (tmp_path / f"{name}.csv").read_bytes()
        for name in systems
    }  # fmt: skip
    for number in range(RUNS):
        assert (tmp_path / f"counts{number}.csv").read_bytes() == saved[systems[number % 2]]
    # The last to rename wins, and its file is whole.
    assert (tmp_path / "same.json").read_text(encoding="utf-8") in alone.values()
    assert json.loads((tmp_path / "same.json").read_text(encoding="utf-8"))["rows"]
    assert (tmp_path / "same.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
