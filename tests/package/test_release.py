"""The wheel contains licences of linked libraries, and the sdist everything for `make test`."""

import inspect
import re
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest

import nsmb
from tests.repository.test_facts import tracked_files

ROOT = Path(__file__).resolve().parents[2]
# Libraries compiled into nsmb/_core, with words of their licences.
LINKED = {
    "SUNDIALS.txt": "Lawrence Livermore National Security and Southern Methodist University",
    "Eigen-MPL2.txt": "Mozilla Public License Version 2.0",
    "Eigen-BSD.txt": "Intel Corporation",
    "pybind11.txt": "Wenzel Jakob",
}


def installed() -> list[str]:
    """Return the files of the wheel under test."""
    files = metadata.files("nsmb")
    assert files is not None
    return [path.as_posix() for path in files]


def test_wheel_holds_the_licences_of_what_is_linked_into_it() -> None:
    folder = metadata.distribution("nsmb").locate_file(".")
    found = {Path(name).name: name for name in installed() if ".dist-info/licenses/" in name}
    assert found.keys() == LINKED.keys() | {"LICENSE"}
    for name, words in LINKED.items():
        assert words in Path(str(folder), found[name]).read_text("utf-8")
    said = metadata.metadata("nsmb").get_all("License-File") or []
    assert {Path(name).name for name in said} == found.keys()


def test_wheel_holds_the_package_and_nothing_else() -> None:
    """It has no header, library or CMake file of the C++ package."""
    others = [
        name
        for name in installed()
        if not re.match(r"(nsmb/|nsmb-[^/]*\.dist-info/|(\.\./)+bin/nsmb$)", name)
    ]
    assert others == []
    kinds = {Path(name).suffix for name in installed() if name.startswith("nsmb/")}
    assert not kinds & {".hpp", ".a", ".cmake", ".cpp"}


def test_wheel_holds_types_of_all_its_modules() -> None:
    """There are stubs for each submodule of the compiled core, which has no source."""
    found = {name for name in installed() if name.startswith("nsmb/_core/")}
    names = {name for name in vars(nsmb._core) if inspect.ismodule(getattr(nsmb._core, name))}
    assert len(names) >= 7
    assert {f"nsmb/_core/{name}.pyi" for name in names} <= found
    assert {"nsmb/py.typed", "nsmb/_core/__init__.pyi"} <= set(installed())


def test_wheel_needs_three_packages() -> None:
    needs = [line for line in metadata.requires("nsmb") or [] if "extra ==" not in line]
    assert [re.split(r"[^\w-]", line)[0] for line in needs] == ["numpy", "scipy", "tqdm"]


def test_wheel_says_where_its_project_is() -> None:
    said = metadata.metadata("nsmb")
    urls = dict(line.split(", ") for line in said.get_all("Project-URL") or [])
    assert urls.keys() == {"Homepage", "Repository", "Issues", "Changelog", "Documentation"}
    assert urls["Issues"] == f"{urls['Repository']}/issues"
    assert urls["Changelog"].startswith(f"{urls['Repository']}/blob/main/")
    assert said["Author"] == "The nsmb developers"
    assert "Programming Language :: Python :: 3.10" in (said.get_all("Classifier") or [])


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("sdist")
    code = f"from scikit_build_core.build import build_sdist; print(build_sdist({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(folder / done.stdout.split()[-1]) as archive:
        names = [Path(member.name) for member in archive if member.isfile()]
    return {Path(*name.parts[1:]).as_posix() for name in names}


@pytest.mark.parametrize(
    "folder",
    [
        ".ci",
        ".github",
        "benchmarks",
        "cmake",
        "cpp",
        "docs",
        "examples",
        "licenses",
        "notebooks",
        "paper",
        "python",
        "tests",
    ],
)
def test_sdist_holds_what_make_test_needs(sdist: set[str], folder: str) -> None:
    here = {
        path.relative_to(ROOT).as_posix()
        for path in tracked_files()
        if path.is_relative_to(ROOT / folder)
    }
    assert here
    assert here <= sdist


def test_sdist_holds_the_files_beside_them_and_nothing_built(sdist: set[str]) -> None:
    assert {".gitignore", ".clang-format", "Makefile", "LICENSE", "CONTRIBUTING.md"} <= sdist
    assert not [
        name for name in sdist if re.search(r"(^|/)(build|\.venv|__pycache__)/|\.so$", name)
    ]
