"""Messages for files of contact problems that are damaged, incomplete or of another kind."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nsmb.complementarity import fclib
from nsmb.complementarity.fclib import StoredData, StoredSolution
from nsmb.complementarity.friction import ContactBlock, FrictionProblem
from tests.complementarity.stored_problems import global_problem, local_problem

h5py = pytest.importorskip("h5py")

from tests.complementarity.test_fclib import COLUMNS, DENSE  # noqa: E402 - needs it, too

RNG = np.random.default_rng(0)
TAIL = "\n-1 2 3 -4.5\n0.3 0.4\n"


def refused(path: Path, pattern: str) -> None:
    with pytest.raises(ValueError, match=pattern) as error:
        fclib.read(path)
    assert repr(str(path)) in str(error.value)


def test_a_pointer_of_git_lfs_is_told_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "Chute.hdf5"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n")
    refused(path, "pointer of Git LFS")


def test_missing_and_empty_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        fclib.read(tmp_path / "nothing.hdf5")
    path = tmp_path / "empty.dat"
    path.write_text(" \n")
    refused(path, "is empty")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_fclib_file(share: float, tmp_path: Path) -> None:
    path = tmp_path / "problem.hdf5"
    fclib.write(local_problem(RNG, 3, 6), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    refused(path, "cannot be read as FCLIB's layout")


@pytest.mark.parametrize("matrix", [DENSE, COLUMNS])
def test_a_truncated_text_is_refused_wherever_it_ends(matrix: str, tmp_path: Path) -> None:
    words = f"2\n2\n{matrix}{TAIL}".split(" ")
    path = tmp_path / "problem.dat"
    for end in range(1, len(words)):
        path.write_text(" ".join(words[:end]))
        refused(path, "cannot be read as Siconos' text format: .*expected")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("4\n1\n", "expected 2, 3 or 5 rows of a contact, got 4"),
        ("2\n-1\n", "number of contacts: expected numbers >= 0, got -1"),
        ("2\none\n", "number of contacts: expected whole numbers, got 'one'"),
        ("2\n1\n3\n2\n2\n", "first matrix: expected storage 0, 1 or 2, got 3"),
        ("2\n1\n0\n2\n2\n3\t3\n", r"must repeat its size \(2, 2\), got \(3, 3\)"),
        (f"2\n2\n{DENSE}\n-1 2 3 x\n0.3 0.4\n", "q: expected numbers, got '-1 2 3 x'"),
        (f"2\n2\n{DENSE}\n-1 2 3 inf\n0.3 0.4\n", "w: expected finite numbers"),
        (f"2\n2\n{DENSE}\n-1 2 3 4\n0.3 -0.4\n", "mu: expected numbers >= 0, got -0.4"),
        (f"2\n2\n{DENSE}{TAIL} 1 1", "second matrix"),
        (f"2\n2\n{COLUMNS.replace('4-by-4', '4-by-5')}{TAIL}", "expected 4-by-4, got 4-by-5"),
        (f"2\n2\n{COLUMNS.replace('3 : 5', '4 : 5')}{TAIL}", "entries outside of 4 x 4"),
        (f"2\n2\n{COLUMNS.replace('nnz: 8', 'nnz: 9')}{TAIL}", "expected 9 entries, got 8"),
        ("%PDF-1.4 something else", "expected whole numbers, got '%PDF-1.4'"),
    ],
)
def test_texts_that_do_not_fit(text: str, pattern: str, tmp_path: Path) -> None:
    path = tmp_path / "problem.dat"
    path.write_text(text)
    refused(path, pattern)


def changed(path: Path, name: str, value: Any) -> None:
    with h5py.File(path, "r+") as file:
        del file[name]
        if value is not None:
            file[name] = value


@pytest.mark.parametrize(
    ("name", "value", "pattern"),
    [
        ("spacedim", [4], "dimension: expected 2, 3 or 5, got 4"),
        ("spacedim", None, "/fclib_local: expected an entry 'spacedim'"),
        ("spacedim", [3.5], "spacedim: expected a whole number"),
        ("W", None, "/fclib_local: expected an entry 'W'"),
        ("W/p", [0, 1], "/fclib_local/W/p: expected 19 entries for 18 compressed rows, got 2"),
        ("W/x", [1.0], "/fclib_local/W/x: expected .* entries .*, got 1"),
        ("W/m", [-1], "expected sizes m, n >= 0"),
        ("W/nz", [10**6], "expected 1000000 entries"),
        ("vectors/q", np.zeros(17), "w: expected 18 entries .6 contacts of 3 rows., got 17"),
        ("vectors/q", np.full(18, np.nan), "w: expected finite numbers"),
        ("vectors/mu", np.zeros(5), "w: expected 15 entries"),
        ("vectors/mu_r", np.zeros(6), "mu_R: must be given if and only if contacts have five rows"),
    ],
)
def test_fclib_files_that_do_not_fit(name: str, value: Any, pattern: str, tmp_path: Path) -> None:
    path = tmp_path / "problem.hdf5"
    fclib.write(local_problem(RNG, 3, 6), path)
    with h5py.File(path, "r+") as file:
        if f"fclib_local/{name}" not in file:
            file[f"fclib_local/{name}"] = 0
    changed(path, f"fclib_local/{name}", value)
    refused(path, pattern)


def test_indices_outside_of_the_matrix(tmp_path: Path) -> None:
    path = tmp_path / "problem.hdf5"
    fclib.write(local_problem(RNG, 3, 6), path)
    with h5py.File(path, "r+") as file:
        file["fclib_local/W/i"][3] = 18
    refused(path, r"/fclib_local/W/i: expected indices 0 ... 17, got 0 ... 18")


def test_an_hdf5_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.hdf5"
    with h5py.File(path, "w") as file:
        file["numbers"] = [1.0]
    refused(path, "expected one of the groups fclib_local, .*, got numbers")


def test_a_guess_of_the_wrong_size(tmp_path: Path) -> None:
    path = tmp_path / "problem.hdf5"
    problem = local_problem(RNG, 3, 6)
    fclib.write(problem, path, guesses=[StoredSolution(np.zeros(18), np.zeros(18))])
    changed(path, "guesses/1/u", np.zeros(17))
    refused(path, "/guesses/1/u: expected 18 entries, got 17")


def test_nothing_is_written_where_arguments_do_not_fit(tmp_path: Path) -> None:
    local, whole = local_problem(RNG, 3, 2), global_problem(RNG, 3, 2, free=1)
    ones = StoredSolution(np.ones(6), np.ones(6))
    for problem, name, options, pattern in (
        (local, "a.mat", {}, r"path: expected a suffix .hdf5, .h5, .dat, .txt, got"),
        (local, "a.hdf5", {"solution": StoredSolution(np.ones(5), np.ones(6))}, "solution.x"),
        (whole, "a.hdf5", {"guesses": [ones]}, r"guesses.x: must have 7 entries"),
        (local, "a.dat", {"solution": ones}, "not support solutions. Write .hdf5"),
        (local, "a.dat", {"storage": "full"}, "storage: expected sparse, blocks or dense"),
        (global_problem(RNG, 3, 2), "a.dat", {"storage": "blocks"}, "got 'blocks'"),
        (whole, "a.dat", {}, "not support bilateral constraints, got 1 free rows"),
    ):
        with pytest.raises(ValueError, match=pattern):
            fclib.write(problem, tmp_path / name, **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_one_sided_coupling_of_bilateral_constraints_is_refused(tmp_path: Path) -> None:
    problem = local_problem(RNG, 3, 2, free=1)
    assert problem.W is not None
    problem.W[6, 0] += 1.0
    with pytest.raises(ValueError, match="bilateral constraints with symmetric W only"):
        fclib.write(problem, tmp_path / "a.hdf5")


def test_sizes_of_a_problem_are_checked() -> None:
    one = local_problem(RNG, 3, 1)
    with pytest.raises(ValueError, match="W: expected 6 x 6, got 3 x 3"):
        StoredData(3, mu=np.ones(2), W=one.W, w=np.ones(6))
    with pytest.raises(
        ValueError, match="mu_R: must be given if and only if contacts have five rows"
    ):
        StoredData(5, mu=np.ones(1), W=one.W, w=np.ones(5))


@pytest.mark.parametrize(
    "blocks",
    [
        [ContactBlock(mu=0.1), ContactBlock(mu=0.1, tangents=1)],
        [ContactBlock(mu=0.1, drilling=1)],
        [ContactBlock(mu=0.1, bound=1.0)],
        [ContactBlock(mu=0.1, aspect=2.0)],
        [ContactBlock(normal=False, tangents=0, free=1), ContactBlock(mu=0.1)],
        [ContactBlock(tangents=0)],
    ],
)
def test_blocks_that_files_cannot_hold(blocks: list[ContactBlock], tmp_path: Path) -> None:
    m = sum(block.rows for block in blocks)
    problem = FrictionProblem.local(np.eye(m), np.ones(m), blocks=blocks)
    with pytest.raises(ValueError, match="problem: files hold contacts of 2, 3 or 5 rows"):
        fclib.write(problem, tmp_path / "a.hdf5")
