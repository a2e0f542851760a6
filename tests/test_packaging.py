"""What a release says of itself is said once, and the public names are those that were promised."""

import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml

import fencepost as fp
from fencepost.cli import COMMANDS

ROOT = Path(__file__).parent.parent
NAMES = Path(__file__).parent / "public_names.txt"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads(read("pyproject.toml"))


def test_the_version_and_the_date_are_the_same_everywhere(project):
    assert project["project"]["dynamic"] == ["version"]
    citation = yaml.safe_load(read("CITATION.cff"))
    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))
    heading = re.search(r"^## (\S+) \((\d+ \w+ \d{4})\)$", read("CHANGELOG.md"), re.M)
    released: date = citation["date-released"]
    assert heading.groups() == (fp.__version__, f"{released.day} {released:%B %Y}")
    assert citation["version"] == recipe["context"]["version"] == fp.__version__


def test_who_made_it_and_its_licence_are_the_same_everywhere(project):
    citation = yaml.safe_load(read("CITATION.cff"))
    metadata = project["project"]
    assert [one["name"] for one in citation["authors"]] == [
        one["name"] for one in metadata["authors"]
    ]
    assert citation["license"] == metadata["license"] == "MIT"
    assert {"evaluation", "WindowDiff", "boundary similarity"} <= {*citation["keywords"]} & {
        *metadata["keywords"]
    }


def test_the_conda_recipe_has_the_dependencies_of_the_package(project):
    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))["requirements"]
    ours = {word.replace(">=", " >=") for word in project["project"]["dependencies"]}
    assert set(recipe["run"]) == ours | {f"python {project['project']['requires-python']}"}
    assert {word.replace(">=", " >=") for word in project["build-system"]["requires"]} <= {
        *recipe["host"]
    }


def test_wheels_are_built_for_every_python_that_is_named(project):
    wheels = project["tool"]["cibuildwheel"]
    prefix = "Programming Language :: Python :: 3."
    named = {one.removeprefix(prefix) for one in project["project"]["classifiers"]
             if one.startswith(prefix)}  # fmt: skip
    built = {found[1] for one in wheels["build"] if (found := re.fullmatch(r"cp3(\d+)-\*", one))}
    assert built == named == {"11", "12", "13", "14"}
    assert "cp314t-*" in wheels["build"]
    assert "FREE_THREADED" in read("CMakeLists.txt")  # else that wheel switches the GIL on
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    jobs = yaml.safe_load(read(".github/workflows/wheels.yml"))["jobs"]
    systems = {one.partition("-")[0] for one in jobs["wheels"]["strategy"]["matrix"]["os"]}
    assert systems == {"ubuntu", "macos", "windows"}


def test_installed_packages_fit_each_other():
    done = subprocess.run(
        [sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "No broken requirements found.")


def test_public_names_are_those_that_are_listed():
    """A name that goes is announced for one minor version (docs/explanation/versions.md)."""
    names = [*fp.__all__, *(f"fencepost {command}" for command in COMMANDS)]
    assert sorted(names) == NAMES.read_text(encoding="utf-8").split("\n")[:-1]
