"""The installed C++ package suffices for other programs: headers, library, dependencies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nsmb

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "cpp"
LAUNCHER = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []

EVERY_HEADER = """
cmake_minimum_required(VERSION 3.18...4.0)
project(every_header LANGUAGES CXX)
find_package(nsmb REQUIRED)
add_library(every_header OBJECT every_header.cpp)
target_link_libraries(every_header PRIVATE nsmb::nsmb)
target_compile_options(every_header PRIVATE -Wall -Wextra -Werror)
"""


def call(*command: object, **environment: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def cache(build: Path) -> dict[str, str]:
    lines = (build / "CMakeCache.txt").read_text("utf-8").splitlines()
    entries = [line.partition("=") for line in lines if ":" in line and line[0] not in "#/"]
    return {name.partition(":")[0]: value for name, _, value in entries}


def is_usable(build: Path) -> bool:
    """Return True for a build of these sources for this interpreter with existing tools."""
    entries = cache(build)
    return (
        Path(entries["CMAKE_HOME_DIRECTORY"]) == ROOT
        and entries.get("NSMB_SANITIZE") == "OFF"
        and all(Path(entries[tool]).exists() for tool in ("CMAKE_COMMAND", "CMAKE_MAKE_PROGRAM"))
        and f"cp{sys.version_info[0]}{sys.version_info[1]}-" in build.name
    )


# They build the library unless the wheel has just been built.
pytestmark = pytest.mark.slow


def library() -> tuple[Path, str]:
    """Return the build folder with the library and its cmake.

    The build of the wheel already contains it, otherwise it is compiled.
    """
    folders = [path.parent for path in ROOT.glob("build/*/CMakeCache.txt")]
    usable = [folder for folder in folders if is_usable(folder)]
    if usable:
        build = max(usable, key=lambda folder: folder.stat().st_mtime)
        cmake = cache(build)["CMAKE_COMMAND"]
    else:
        build, cmake = ROOT / "build" / "cpp", shutil.which("cmake") or "cmake"
        call(cmake, "-S", ROOT, "-B", build, "-DNSMB_PYTHON=OFF", *LAUNCHER)
    call(cmake, "--build", build, "--target", "nsmb_core", "--parallel", 2)
    return build, cmake


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the prefix of the moved package and its cmake, as the package is relocatable."""
    folder = tmp_path_factory.mktemp("package")
    build, cmake = library()
    call(cmake, "--install", build, "--component", "nsmb_cpp", "--prefix", folder / "first")
    return (folder / "first").rename(folder / "prefix"), cmake


def configure(source: Path, build: Path, prefix: Path, cmake: str) -> None:
    call(cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", *LAUNCHER)


@pytest.fixture(scope="module")
def examples(package: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix, cmake = package
    build = tmp_path_factory.mktemp("examples")
    source = build / "source"  # outside of the repository, like a user's
    shutil.copytree(EXAMPLES, source)
    configure(source, build, prefix, cmake)
    call(cmake, "--build", build, "--parallel", 2)
    return build


# Name of the line and allowed relative error to the closed form. Measured errors are below a tenth
# of it.
PRINTED = {
    "own_system": {
        "first impact, s": 1e-13,
        "third impact, s": 1e-12,
        "rest, s": 1e-10,  # impacts below rest_velocity are omitted: 2 (1e-11 m/s)/g
        "lambda_N at rest, N": 1e-14,
    },
    "own_capabilities": {
        "a, m": 1e-9,
        "b, m": 1e-9,
        "sensor, m/s": 1e-9,
        "without states": 0.0,
        "without constraints": 0.0,
        "without rates of q": 0.0,
    },
    "own_force_element": {
        "switches": 0.0,
        "first switch, s": 1e-9,
        "last switch, s": 1e-9,
        "place, m": 1e-8,
        "spring, m": 1e-8,
        "stroke, m": 1e-8,
    },
    "own_contour": {
        "impact, s": 1e-10,
        "Lambda_N, N s": 1e-10,
        "fall after it, m/s": 1e-10,
        "turn after it, rad/s": 1e-10,
        "drift after it, m/s": 1e-13,
    },
}


def test_every_program_is_checked() -> None:
    assert set(PRINTED) == {path.stem for path in EXAMPLES.glob("*.cpp")}


@pytest.mark.parametrize("program", PRINTED)
def test_programs_outside_find_their_closed_forms(examples: Path, program: str) -> None:
    status, *lines = call(examples / program).splitlines()
    assert status == "finished"
    printed = {line[:24].strip(): [float(number) for number in line[24:].split()] for line in lines}
    assert printed.keys() == PRINTED[program].keys()
    for name, (simulated, expected) in printed.items():
        assert simulated == pytest.approx(expected, rel=PRINTED[program][name], abs=0.0), name


def test_every_installed_header_compiles(package: tuple[Path, str], tmp_path: Path) -> None:
    prefix, cmake = package
    include = prefix / "include"
    headers = sorted(path.relative_to(include) for path in include.glob("nsmb/*/*.hpp"))
    rooms = {path.parts[1] for path in headers}
    assert rooms == {path.name for path in (ROOT / "cpp" / "nsmb").iterdir()}
    text = "".join(f"#include <{header.as_posix()}>\n" for header in headers)
    (tmp_path / "every_header.cpp").write_text(text)
    (tmp_path / "CMakeLists.txt").write_text(EVERY_HEADER)
    configure(tmp_path, tmp_path / "build", prefix, cmake)
    call(cmake, "--build", tmp_path / "build")


def test_version_of_the_headers_is_that_of_the_package(package: tuple[Path, str]) -> None:
    text = (package[0] / "include" / "nsmb" / "version.hpp").read_text("utf-8")
    assert f'#define NSMB_VERSION "{nsmb.__version__}"' in text
