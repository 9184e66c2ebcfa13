"""The rooms of the house know each other only along the arrows drawn in CONTRIBUTING.md."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CPP = ROOT / "cpp"
ROOMS = CPP / "nsmb"

# room: the rooms with an arrow into it
ARROWS: dict[str, set[str]] = {
    "core": set(),
    "complementarity": {"core"},
    "geometry": {"core"},
    "integration": {"core"},
    "system": {"core"},
    "contact_laws": {"complementarity", "system"},
    "simulation": {"contact_laws", "integration"},
    "stepping": {"simulation"},
    "multibody": {"geometry", "system"},
    "bindings": {"stepping", "multibody"},
    "browser": {"simulation"},
}

SUNDIALS_INCLUDE = re.compile(
    r"#\s*include\s*[<\"](arkode|cvodes?|idas?|kinsol|nvector|sun(dials|matrix|linsol|nonlinsol))[/_]"
)
# Eigen's factorisations take seconds in every file that instantiates them: core/dense_*.hpp has
# them compiled. Fixed sizes are cheap; a file that needs one stands here with the reason.
FACTORISATION = re.compile(
    r"#\s*include\s*<Eigen/(Cholesky|Dense|Eigenvalues|LU|QR|SVD)>"
    r"|\bEigen::(LLT|LDLT|PartialPivLU|FullPivLU|\w*QR|Complete\w+|\w*EigenSolver|\w+SVD)<"
    r"|\.(llt|ldlt|partialPivLu|fullPivLu|\w*[hH]ouseholderQr|completeOrthogonalDecomposition)\(\)"
)
FACTORISES: dict[str, str] = {}
LONGEST_FILE = 500  # lines; aim at 400


def may_include(room: str) -> set[str]:
    """The room itself and every room from which arrows lead to it."""
    return {room}.union(*(may_include(source) for source in ARROWS[room]))


def sources(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in suffixes)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


CPP_FILES = sources(CPP, ".hpp", ".cpp")
PYTHON_FILES = sources(ROOT / "python", ".py", ".pyi")


def room_of(path: Path) -> str:
    parts = path.relative_to(CPP).parts
    return parts[1] if parts[0] == "nsmb" else parts[0]


def test_there_are_sources() -> None:
    """The tests below would pass on an empty tree."""
    assert {"core", "complementarity"} <= {room_of(path) for path in CPP_FILES}
    assert PYTHON_FILES


def test_arrows_have_a_known_closure() -> None:
    assert may_include("contact_laws") == {"contact_laws", "complementarity", "system", "core"}
    assert "multibody" not in may_include("simulation")
    assert "simulation" not in may_include("multibody")
    assert may_include("bindings") == set(ARROWS) - {"browser"}
    assert may_include("browser") == may_include("simulation") | {"browser"}
    assert "stepping" not in may_include("simulation")


@pytest.mark.parametrize("path", CPP_FILES, ids=name)
def test_includes_follow_the_arrows(path: Path) -> None:
    room = room_of(path)
    assert room in ARROWS, f"{room} is not a room of the architecture"
    for include in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8"), re.M):
        target = CPP / include
        assert target.is_file(), f"{include}: write includes relative to cpp/"
        assert room_of(target) in may_include(room), f"{room} must not know {include}"


@pytest.mark.parametrize("path", CPP_FILES, ids=name)
def test_sundials_lives_in_integration_only(path: Path) -> None:
    if room_of(path) != "integration":
        assert not SUNDIALS_INCLUDE.search(path.read_text("utf-8"))


def test_sundials_pattern_matches_its_headers() -> None:
    for header in ("cvode/cvode.h", "arkode/arkode_erkstep.h", "sunmatrix/sunmatrix_dense.h"):
        assert SUNDIALS_INCLUDE.search(f"#include <{header}>")
    assert not SUNDIALS_INCLUDE.search('#include "nsmb/integration/arkode.hpp"')


def test_factorisations_are_compiled_once() -> None:
    found = {
        name(path)
        for path in CPP_FILES
        if FACTORISATION.search(path.read_text("utf-8"))
        and not (room_of(path) == "core" and path.name.startswith("dense_"))
    }
    assert found == set(FACTORISES)


def test_factorisation_pattern_matches_its_uses() -> None:
    for file in ("dense_lu.hpp", "dense_qr.hpp", "dense_cholesky.hpp", "dense_eigen.cpp"):
        assert FACTORISATION.search((ROOMS / "core" / file).read_text("utf-8"))
    for use in ("#include <Eigen/Dense>", "x = H.colPivHouseholderQr().solve(b);", "A.ldlt()"):
        assert FACTORISATION.search(use)
    for other in ("#include <Eigen/Core>", "Eigen::SimplicialLLT<M> a;", "s.cwiseInverse()"):
        assert not FACTORISATION.search(other)


@pytest.mark.parametrize(
    "room", sorted({room_of(path) for path in CPP_FILES} - {"bindings", "browser"})
)
def test_room_explains_itself(room: str) -> None:
    assert (ROOMS / room / "README.md").is_file()


@pytest.mark.parametrize("path", CPP_FILES + PYTHON_FILES, ids=name)
def test_file_is_short_enough(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", sources(ROOT / "tests" / "oracles", ".py"), ids=name)
def test_oracles_are_independent(path: Path) -> None:
    """A reference that calls the code under test proves nothing."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        assert not any(module.split(".")[0] == "nsmb" for module in modules)
