"""The modules of the core depend on one another only along the arrows in CONTRIBUTING.md."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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
# Eigen's factorisations take seconds in every file that instantiates them. core/dense_*.hpp
# compiles them once. Fixed sizes are cheap. A file that needs one is listed here with the reason.
FACTORISATION = re.compile(
    r"#\s*include\s*<Eigen/(Cholesky|Dense|Eigenvalues|LU|QR|SVD)>"
    r"|\bEigen::(LLT|LDLT|PartialPivLU|FullPivLU|\w*QR|Complete\w+|\w*EigenSolver|\w+SVD)<"
    r"|\.(llt|ldlt|partialPivLu|fullPivLu|\w*[hH]ouseholderQr|completeOrthogonalDecomposition)\(\)"
)
FACTORISES: dict[str, str] = {}


def may_include(room: str) -> set[str]:
    """Return the room itself and all rooms from which arrows lead to it."""
    return {room}.union(*(may_include(source) for source in ARROWS[room]))


def sources(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in suffixes)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


CPP_FILES = sources(CPP, ".hpp", ".cpp")


def room_of(path: Path) -> str:
    parts = path.relative_to(CPP).parts
    return parts[1] if parts[0] == "nsmb" else parts[0]


def test_there_are_sources() -> None:
    """The tests below would pass on an empty tree."""
    assert {"core", "complementarity"} <= {room_of(path) for path in CPP_FILES}


def test_arrows_have_a_known_closure() -> None:
    assert may_include("contact_laws") == {"contact_laws", "complementarity", "system", "core"}
    assert "multibody" not in may_include("simulation")
    assert "simulation" not in may_include("multibody")
    assert may_include("bindings") == set(ARROWS) - {"browser"}
    assert may_include("browser") == may_include("simulation") | {"browser"}
    assert "stepping" not in may_include("simulation")


def test_includes_follow_the_arrows() -> None:
    assert {room_of(path) for path in CPP_FILES} == set(ARROWS)
    wrong = []
    for path in CPP_FILES:
        for include in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8"), re.M):
            target = CPP / include
            if not target.is_file():
                wrong.append(f"{name(path)}: {include} is not relative to cpp/")
            elif room_of(target) not in may_include(room_of(path)):
                wrong.append(f"{name(path)}: {room_of(path)} must not include {include}")
    assert wrong == []


def test_sundials_lives_in_integration_only() -> None:
    files = [path for path in CPP_FILES if SUNDIALS_INCLUDE.search(path.read_text("utf-8"))]
    assert {room_of(path) for path in files} == {"integration"}


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


def test_every_room_explains_itself() -> None:
    rooms = set(ARROWS) - {"bindings", "browser"}
    assert [room for room in sorted(rooms) if not (ROOMS / room / "README.md").is_file()] == []


def imported_modules(path: Path) -> list[str]:
    modules: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or "")
    return modules


def test_oracles_are_independent() -> None:
    """A reference that calls the code under test proves nothing."""
    oracles = sources(ROOT / "tests" / "oracles", ".py")
    assert len(oracles) > 30
    assert [
        f"{name(path)} imports {module}"
        for path in oracles
        for module in imported_modules(path)
        if module.split(".")[0] == "nsmb"
    ] == []
