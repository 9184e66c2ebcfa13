"""Files of contact problems, bitwise as written, and files of other programs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from nsmb.complementarity import fclib, friction
from nsmb.complementarity.fclib import StoredData, StoredSolution
from tests.complementarity.stored_problems import global_problem, local_problem
from tests.oracles import natural_map

h5py = pytest.importorskip("h5py")

Make = Callable[[np.random.Generator, int, int, int], StoredData]
FORMS = pytest.mark.parametrize("make", [local_problem, global_problem])
DIMENSIONS = pytest.mark.parametrize("dimension", [2, 3, 5])


def assert_same(found: StoredData, expected: StoredData) -> None:
    assert (found.dimension, found.free) == (expected.dimension, expected.free)
    for name in ("mu", "mu_R", "f", "w", "W", "M", "H"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        if one is None:
            continue
        if scipy.sparse.issparse(one):
            assert one.format == "csc"
            one, other = one.toarray(), other.toarray()
        np.testing.assert_array_equal(one, other, err_msg=name)


@FORMS
@DIMENSIONS
@pytest.mark.parametrize("free", [0, 4])
def test_fclib_gives_back_every_bit(make: Make, dimension: int, free: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([dimension, free])
    problem = make(rng, dimension, 6, free)
    n = None if problem.M is None else problem.M.shape[0]

    def some() -> StoredSolution:
        y = rng.standard_normal(problem.w.size)
        y[len(y) - free :] = 0.0  # the layout cannot store them
        return StoredSolution(rng.standard_normal(y.size), y, n and rng.standard_normal(n))

    solution, guesses = some(), [some(), some()]
    path = tmp_path / "problem.hdf5"
    fclib.write(problem, path, solution=solution, guesses=guesses, title="Six contacts: Λ")
    found = fclib.read(path)
    assert_same(found.data, problem)
    assert (found.layout, found.title, found.description) == ("fclib", "Six contacts: Λ", "")
    for one, other in zip((found.solution, *found.guesses), (solution, *guesses), strict=True):
        assert one is not None
        np.testing.assert_array_equal(one.x, other.x)
        np.testing.assert_array_equal(one.y, other.y)
        if n is not None:
            np.testing.assert_array_equal(one.v, other.v)  # type: ignore[arg-type]


@FORMS
@DIMENSIONS
@pytest.mark.parametrize("storage", ["sparse", "dense", "blocks"])
def test_text_gives_back_every_bit(
    make: Make, dimension: int, storage: Any, tmp_path: Path
) -> None:
    if make is global_problem and storage == "blocks":
        storage = "sparse"  # blocks are rejected, below
    problem = make(np.random.default_rng(dimension), dimension, 5, 0)
    path = tmp_path / "problem.dat"
    fclib.write(problem, path, storage=storage)
    assert_same(fclib.read(path).data, problem)


@pytest.mark.parametrize("suffix", [".hdf5", ".dat"])
def test_a_step_without_contacts_is_a_problem_too(suffix: str, tmp_path: Path) -> None:
    problem = global_problem(np.random.default_rng(0), 2, 0)
    path = tmp_path / f"none{suffix}"
    fclib.write(problem, path)
    assert_same(fclib.read(path).data, problem)


def put_matrix(parent: h5py.Group, name: str, matrix: Any, nz: int, swapped: bool = False) -> None:
    """Write a matrix like other programs: columns, rows, or triplets with spare capacity."""
    group = parent.create_group(name)
    kept = {-1: matrix.tocsc, -2: matrix.tocsr}.get(nz, matrix.tocoo)()
    group["m"], group["n"] = [matrix.shape[0]], [matrix.shape[1]]
    group["nz"] = [nz if nz < 0 else kept.nnz]
    group["nzmax"] = [kept.nnz + 3]
    spare = [0, 0, 0]
    p, i = (kept.col, kept.row) if nz >= 0 else (kept.indptr, kept.indices)
    if swapped:
        p, i = i, p
    group["p"] = np.concatenate([p, spare]) if nz >= 0 else p
    group["i"] = np.concatenate([i, spare])
    group["x"] = np.concatenate([kept.data, spare])


@pytest.mark.parametrize("nz", [-2, -1, 0])
def test_all_storages_of_fclib_are_read(nz: int, tmp_path: Path) -> None:
    problem = global_problem(np.random.default_rng(1), 3, 4, 2)
    assert problem.H is not None
    path = tmp_path / "problem.hdf5"
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = 3  # a scalar instead of a list, as others may write it
        put_matrix(group, "M", problem.M, nz)
        put_matrix(group, "H", problem.H[:, :12], nz)
        put_matrix(group, "G", problem.H[:, 12:], nz)
        for name, values in (("f", problem.f), ("w", problem.w[:12]), ("b", problem.w[12:])):
            group[f"vectors/{name}"] = values
        group["vectors/mu"] = problem.mu
    found = fclib.read(path)
    assert_same(found.data, problem)
    assert (found.solution, found.guesses, found.title) == (None, (), "")


def test_triplets_as_the_header_of_fclib_describes_them_are_read_where_nothing_else_fits(
    tmp_path: Path,
) -> None:
    problem = global_problem(np.random.default_rng(2), 3, 2)
    path = tmp_path / "problem.hdf5"
    fclib.write(problem, path)
    with h5py.File(path, "r+") as file:
        del file["fclib_global/H"]
        put_matrix(file["fclib_global"], "H", problem.H, 0, swapped=True)
    assert_same(fclib.read(path).data, problem)


# Two contacts in a plane in each of the storages of Siconos. Entries that appear in several
# triplets are added.
W = np.array([[2.0, 0.0, -1.0, 0.5], [0.0, 3.0, 0.0, 0.0], [-1.0, 0.0, 4.0, 0.0], [0.5, 0, 0, 5]])
DENSE = "0\n4\n4\n4\t4\n" + "\n".join(f"{x:32.24e}" for x in W.T.ravel())
BLOCKS = """1
4
4
4
2
2
2\t4\t
2\t4\t
3
4
0\t2\t4\t
0\t1\t0\t1\t
0
 2.0
 0.0
 0.0
 3.0
1
-1.0
 0.0
 5.0e-01
 0.0
2
-1.0
 0.5
 0.0
 0.0
3
4 0 0 5"""
BANNER = "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016"
COLUMNS = f"""2
4
4
2
{BANNER}
4-by-4, nzmax: 9 nnz: 8, 1-norm: 5.5
    col 0 : locations 0 to 2
      0 : 2
      2 : -1
      3 : 0.5
    col 1 : locations 3 to 3
      1 : 3
    col 2 : locations 4 to 5
      0 : -1
      2 : 4
    col 3 : locations 6 to 7
      0 : 0.5
      3 : 5"""
ROWS = COLUMNS.replace("4-by-4", "csr: 4-by-4").replace("col ", "row ")
TRIPLETS = f"""2
4
4
1
{BANNER}
triplet: 4-by-4, nzmax: 20 nnz: 9
    0 0 : 2
    2 0 : -1
    3 0 : 0.5
    1 1 : 1
    1 1 : 2
    0 2 : -1
    2 2 : 4
    0 3 : 0.5
    3 3 : 5"""


@pytest.mark.parametrize("matrix", [DENSE, BLOCKS, COLUMNS, ROWS, TRIPLETS])
@pytest.mark.parametrize("flag", ["", "1\n"])
def test_every_storage_of_siconos_is_read(matrix: str, flag: str, tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text(f"2\n2\n{matrix}\n -1 2 3 -4.5\n 0.3 0.4\n{flag}")
    problem = fclib.read(path).data
    assert problem.W is not None
    np.testing.assert_array_equal(problem.W.toarray(), W)
    np.testing.assert_array_equal(problem.w, [-1.0, 2.0, 3.0, -4.5])
    np.testing.assert_array_equal(problem.mu, [0.3, 0.4])


def test_a_global_problem_of_siconos_is_read(tmp_path: Path) -> None:
    H = "2\n4\n2\n2\nCSparse\n4-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n col 0 : locations 0 to -1\n"
    H += " col 1 : locations 0 to 1\n 0 : 7\n 3 : 8\n"
    path = tmp_path / "global.dat"
    path.write_text(f"2\n1\n{TRIPLETS}\n{H} 1 2 3 4\n 5 6\n 0.5\n0\n")
    problem = fclib.read(path).data
    assert problem.M is not None
    assert problem.H is not None
    np.testing.assert_array_equal(problem.M.toarray(), W)
    np.testing.assert_array_equal(problem.H.toarray(), [[0, 7], [0, 0], [0, 0], [0, 8]])
    np.testing.assert_array_equal(problem.f, [1.0, 2.0, 3.0, 4.0])  # type: ignore[arg-type]
    np.testing.assert_array_equal(problem.w, [5.0, 6.0])


@FORMS
@DIMENSIONS
@pytest.mark.parametrize("free", [0, 2])
def test_problems_of_solvers_are_stored_and_come_back(
    make: Make, dimension: int, free: int, tmp_path: Path
) -> None:
    data = make(np.random.default_rng(7), dimension, 3, free)
    path, again = tmp_path / "a.hdf5", tmp_path / "b.hdf5"
    fclib.write(data, path)
    problem = fclib.read(path).problem
    assert problem.is_global == (make is global_problem)
    fclib.write(problem, again)
    assert_same(fclib.read(again).data, data)


def test_a_mass_matrix_that_is_not_symmetric_is_taken_as_it_stands(tmp_path: Path) -> None:
    # Far from symmetric, so that either triangle, or the mean of both, yields a different result.
    data = global_problem(np.random.default_rng(11), 3, 3)
    assert data.M is not None
    assert data.H is not None
    M = data.M.tolil()
    M[0, 1], M[1, 0] = 0.7, -0.3
    data = StoredData(3, mu=data.mu, M=M.tocsc(), H=data.H, f=data.f, w=data.w)
    path = tmp_path / "problem.hdf5"
    fclib.write(data, path)
    stored = fclib.read(path)
    result = friction.solve(stored.problem, tol=1e-10, impulse_scale=1.0)
    assert result.success
    inverse = np.linalg.inv(M.toarray())
    H = data.H.toarray()
    v = inverse @ (H @ result.x + data.f)
    q = H.T @ inverse @ data.f + data.w
    assert natural_map.error(result.x, H.T @ v + data.w, q, data.mu, rows=3) < 2e-10
    fclib.write(stored.data, path, solution=result)
    solution = fclib.read(path).solution
    assert solution is not None
    np.testing.assert_allclose(solution.v, v, atol=1e-12)
