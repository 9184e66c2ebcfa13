"""``nsmb fclib`` solves problems with known solutions and rejects other files."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from nsmb import cli
from nsmb.complementarity import fclib
from nsmb.complementarity.fclib import StoredData
from tests.complementarity.stored_problems import global_problem
from tests.oracles import natural_map

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["fclib", *(str(argument) for argument in arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def three_blocks(tmp_path: Path) -> Path:
    """Return a problem: one flies, one sticks (|W x_T| = 0.5 < mu 2), one slides (3 > mu 2)."""
    q = np.array([1.0, 0.3, 0.0, -2.0, 0.5, 0.0, -2.0, 0.0, 3.0])
    problem = StoredData(3, mu=np.full(3, 0.4), W=scipy.sparse.eye_array(9, format="csc"), w=q)
    path = tmp_path / "blocks.dat"
    fclib.write(problem, path)
    return path


def test_a_problem_with_a_known_answer(three_blocks: Path, capsys: Capture) -> None:
    target = three_blocks.with_name("solved.hdf5")
    code, out, err = run(capsys, three_blocks, "--save", target)
    assert (code, err) == (0, "")
    assert "blocks.dat: Siconos' text format, local form y = W x + q" in out
    assert "3 contacts (N, T1, T2), mu 0.4" in out
    assert "9 impulses; W has rank 9 and 11.1 % of its entries" in out
    assert "1 open, 1 sticking, 1 sliding" in out
    assert "solved by " in out
    stored = fclib.read(target)
    assert stored.solution is not None
    expected = [0, 0, 0, 2, -0.5, 0, 2, 0, -0.8]
    np.testing.assert_allclose(stored.solution.x, expected, atol=3e-8)  # tol times norm of q
    np.testing.assert_allclose(stored.solution.y, stored.data.w + stored.solution.x, atol=1e-15)


def test_several_files_and_one_that_is_none(
    three_blocks: Path, tmp_path: Path, capsys: Capture
) -> None:
    pointer = tmp_path / "large.hdf5"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\n")
    problem = global_problem(np.random.default_rng(3), 3, 4)
    fclib.write(problem, tmp_path / "bodies.hdf5", title="Four contacts")
    folder = tmp_path / "solved"
    folder.mkdir()
    files = (three_blocks, pointer, tmp_path / "bodies.hdf5")
    code, out, err = run(capsys, *files, "--save", folder, "--tol", "1e-9")
    assert code == 1  # due to the pointer
    assert "pointer of Git LFS" in err
    assert len(err.splitlines()) == 1
    assert "global form M v = H x + f, y = Hᵀ v + w, 'Four contacts'" in out
    assert "12 impulses, 36 velocities; W has rank 12" in out
    assert sorted(path.name for path in folder.iterdir()) == ["blocks.hdf5", "bodies.hdf5"]
    solution = fclib.read(folder / "bodies.hdf5").solution
    assert solution is not None
    assert problem.M is not None
    assert problem.H is not None
    inverse = np.linalg.inv(problem.M.toarray())
    v = inverse @ (problem.H @ solution.x + problem.f)
    q = problem.H.T @ inverse @ problem.f + problem.w
    error = natural_map.error(solution.x, problem.H.T @ v + problem.w, q, problem.mu, rows=3)
    assert error < 2e-9  # tol, with another factorization of M
    np.testing.assert_allclose(solution.v, v, atol=1e-12)


def test_a_problem_without_solution_is_not_called_solved(tmp_path: Path, capsys: Capture) -> None:
    nothing = scipy.sparse.csc_array((3, 3))
    path = tmp_path / "held.hdf5"
    fclib.write(StoredData(3, mu=np.ones(1), W=nothing, w=np.array([-1.0, 0.0, 0.0])), path)
    code, out, _ = run(capsys, path, "--max-time", "5")
    assert code == 1
    assert "solved by" not in out
    assert "residual" in out


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (["--method", "magic"], "method: expected one of auto"),
        (["--tol", "-1"], "tol"),
        (["--save", "solved.npz"], "--save: expected a folder or a suffix .hdf5 or .h5"),
        (["--save", "nowhere/a.hdf5"], "no directory nowhere"),
        (["--save", "a.hdf5", "first.dat"], "expected a folder for several files"),
    ],
)
def test_wrong_usage(
    arguments: list[str], pattern: str, three_blocks: Path, capsys: Capture
) -> None:
    code, _, err = run(capsys, *arguments, three_blocks)
    assert code == 2
    assert pattern in err


def test_help_shows_examples(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["fclib", "--help"])
    assert stop.value.code == 0
    assert "nsmb fclib Capsules-i101-404.dat" in capsys.readouterr().out
