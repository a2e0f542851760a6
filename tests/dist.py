"""Builds what a release consists of, and tries it where there is no compiler: ``make dist``.

The source distribution is built from the checkout, and from it a wheel for each Python from 3.11 on
that this machine has (one from 3.12 on serves every later version). Each wheel is installed from
wheels alone into an empty environment whose PATH has nothing else, for each Python that takes it:
``fencepost demo``, ``doctor``, ``pip check`` and some tests must pass there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
VERSIONS = range(11, 16)  # of Python 3
STABLE = 12  # from which on one wheel is for all
TRIED = ("tests/golden", "tests/model/test_segmentation.py", "tests/metrics/test_every_metric.py")


def pythons() -> dict[int, str]:
    """Return the interpreters of this machine, by their minor version."""
    found: dict[int, str] = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in VERSIONS:
        names = [f"python3.{minor}", *sorted(map(str, pyenv.glob(f"3.{minor}.*/bin/python")))]
        for name in filter(None, map(shutil.which, names)):
            code = "import sys; print(*sys.version_info[:2])"
            done = subprocess.run([name, "-c", code], capture_output=True, text=True, check=False)
            if done.stdout.split() == ["3", str(minor)]:
                found[minor] = name
                break
    return found


def call(*words: str | Path, alone: Path | None = None) -> str:
    """Run a command and return what it printed; ``alone`` is the only folder on its PATH."""
    env = None
    if alone is not None:
        kept = ("HOME", "FENCEPOST_DATA", "LANG")
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        env = {name: os.environ[name] for name in kept if name in os.environ} | pip
        env |= {"PATH": str(alone), "HYPOTHESIS_PROFILE": "quick"}
    done = subprocess.run(
        list(map(str, words)), cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def contents(path: Path) -> list[str]:
    """Return the names in an archive."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as archive:
        return archive.getnames()


def build(python: str, source: Path) -> Path:
    """Return the wheel that one interpreter builds of the source distribution."""
    with tempfile.TemporaryDirectory() as folder:
        call(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source)
        made = next(Path(folder).glob("*.whl"))
        shutil.copy(made, DIST / made.name)
        return DIST / made.name


def try_out(python: str, wheel: Path) -> str:
    """Install a wheel where nothing can be compiled, and return what its tests said."""
    with tempfile.TemporaryDirectory() as folder:
        call(python, "-m", "venv", folder)
        alone = Path(folder) / "bin"
        pip = (alone / "python", "-m", "pip", "install", "-q", "--only-binary", ":all:")
        call(*pip, wheel, alone=alone)
        assert shutil.which("cc", path=str(alone)) is None
        assert "WindowDiff" in call(alone / "fencepost", "demo", alone=alone)
        call(alone / "fencepost", "doctor", alone=alone)
        call(alone / "python", "-m", "pip", "check", alone=alone)
        call(*pip, "pytest", "hypothesis", "scipy", alone=alone)
        run = (alone / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        return call(*run, "-m", "not slow", *TRIED, alone=alone).strip().splitlines()[-1]


def main() -> None:
    """Build and try everything; the first failure ends it with what was printed."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    call(sys.executable, "-m", "pip", "install", "-q", "build")
    call(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    source = next(DIST.glob("*.tar.gz"))
    names = contents(source)
    print(f"{source.name}: {source.stat().st_size / 1e6:.2f} MB, {len(names)} files")
    assert any(name.endswith("/cpp/bind/module.cpp") for name in names)
    here = pythons()
    wheels: dict[int, Path] = {}
    for minor in sorted(here):
        if minor <= STABLE or STABLE not in here:
            wheels[minor] = build(here[minor], source)
            size = wheels[minor].stat().st_size / 1e6
            print(f"{wheels[minor].name}: {size:.2f} MB", flush=True)
    assert all("-abi3-" in wheel.name for minor, wheel in wheels.items() if minor >= STABLE)
    for minor, python in sorted(here.items()):
        wheel = wheels.get(minor, wheels.get(STABLE))
        assert wheel is not None
        print(f"3.{minor}: {wheel.name}: {try_out(python, wheel)}", flush=True)
    missing = [f"3.{minor}" for minor in VERSIONS[:-1] if minor not in here]
    if missing:
        print(f"not on this machine, so not tried: {', '.join(missing)}")


if __name__ == "__main__":
    main()
