"""Equal results for every description of a problem and for every storage used by the solver."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

from nsmb.complementarity import friction
from nsmb.complementarity.friction import ContactBlock, FrictionProblem
from tests.complementarity.sparse_piles import directions, frame, tower
from tests.oracles import friction_cones as cones

Array = NDArray[np.float64]
Data = dict[str, Any]
TOL = 1e-10
ATOL = 1e-8
STORAGES: tuple[friction.Storage, ...] = ("auto", "dense", "sparse")


def contacts(seed: int, count: int) -> Data:
    """Return M, H, f, w, mu: contacts of pairs of bodies, more degrees of freedom than rows.

    With small mu and independent rows the solution is unique.
    """
    rng = np.random.default_rng([seed, count])
    bodies = count + 1
    M = np.zeros((6 * bodies, 6 * bodies))
    for k in range(bodies):
        root = rng.normal(size=(3, 3))
        at = 6 * k
        M[at : at + 3, at : at + 3] = rng.uniform(0.5, 2.0) * np.eye(3)
        M[at + 3 : at + 6, at + 3 : at + 6] = 0.1 * root @ root.T + 0.2 * np.eye(3)
    H = np.zeros((6 * bodies, 3 * count))
    for k in range(count):
        axes = frame(np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=3))
        for body, sign in ((rng.integers(k + 1), -1.0), (k + 1, 1.0)):
            arm = rng.uniform(-1.0, 1.0, 3)
            H[6 * body : 6 * body + 6, 3 * k : 3 * k + 3] += sign * directions(arm, axes)
    f = M @ rng.normal(size=6 * bodies)
    mu = rng.uniform(0.05, 0.3, count)
    return {"M": M, "H": H, "f": f, "w": 0.1 * rng.normal(size=3 * count), "mu": mu}


def described(data: Data) -> tuple[list[FrictionProblem], Array, Array]:
    """Describe the problem by dense and sparse W, by dense and sparse bodies; W and q."""
    M, H, f, w, mu = data.values()
    inverse = np.linalg.solve(M, np.column_stack([H, f]))
    W, q = H.T @ inverse[:, :-1], H.T @ inverse[:, -1] + w
    sparse_M, sparse_H = (scipy.sparse.coo_array(matrix) for matrix in (M, H))
    problems = [
        FrictionProblem.local(W, q, mu),
        FrictionProblem.local(scipy.sparse.csr_array(W), q, mu),
        FrictionProblem.from_bodies(M, H, f, w, mu),
        FrictionProblem.from_bodies(sparse_M, sparse_H, f, w, mu),
    ]
    return problems, W, q


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 9, 13, 14, 18, 22, 26, 30])
@pytest.mark.parametrize("seed", range(2))
def test_descriptions_and_matrices_have_one_solution_and_one_residual(
    seed: int, count: int
) -> None:
    data = contacts(seed, count)
    problems, W, q = described(data)
    away = np.random.default_rng(seed).normal(size=q.size)
    parts = [part.reshape(-1, 3) for part in (away, W @ away + q)]
    means = np.diag(W).reshape(-1, 3).mean(axis=1)
    misses = [
        cones.natural_map(cones.coulomb(1, mu), *part)
        for mu, *part in zip(data["mu"], *parts, means, strict=True)
    ]
    far = np.linalg.norm(misses) / np.linalg.norm(q)
    found: list[Array] = []
    for problem in problems:
        assert friction.residual(problem, away) == pytest.approx(far, rel=1e-9)
        results = [friction.solve(problem, storage=kind, tol=TOL) for kind in STORAGES]
        assert results[0].storage == ("dense" if 3 * count <= 40 else "sparse")
        for result in results:
            assert result.success, result.message
            judged = friction.residual(problem, result.x)
            assert result.residual == pytest.approx(judged, rel=1e-6, abs=1e-15)
            assert result.residual <= TOL
            found.append(result.x)
            y = W @ result.x + q
            np.testing.assert_allclose(result.y, y, atol=1e-12 * np.linalg.norm(q))
            if result.v is not None:
                np.testing.assert_allclose(data["H"].T @ result.v + data["w"], y, atol=1e-12)
    np.testing.assert_allclose(found, np.tile(found[0], (len(found), 1)), atol=ATOL)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_every_kind_of_row_obeys_its_law_with_either_matrices(storage: friction.Storage) -> None:
    """A block pushed, rolled and drilled into its support, beside friction alone and a free row."""
    blocks = [
        ContactBlock(mu=0.5, rolling=2, drilling=1, mu_R=0.1, mu_D=0.2),
        ContactBlock(normal=False, tangents=1, mu=0.3, normal_of=0),
        ContactBlock(normal=False, tangents=0, free=1),
    ]
    q = [-2.0, 3.0, 4.0, 0.05, 0.0, -5.0, 1.0, 7.0]
    result = friction.solve(FrictionProblem.local(np.eye(8), q, blocks=blocks), storage=storage)
    assert result.success
    expected = [2.0, -0.6, -0.8, -0.05, 0.0, 0.4, -0.6, -7.0]
    np.testing.assert_allclose(result.x, expected, atol=1e-7)


BLOCK = FrictionProblem.local(np.eye(3), [-10.0, 1.0, 1.0], mu=0.1)
LARGE = FrictionProblem.local(np.eye(42), np.tile([-10.0, 1.0, 1.0], 14), mu=0.1)


@pytest.mark.parametrize(
    ("problem", "options", "storage", "reason"),
    [
        (BLOCK, {}, "dense", "3 rows, at most 40"),
        (LARGE, {}, "sparse", "42 rows, more than 40"),
        (BLOCK, {"max_time": 1.0}, "sparse", "max_time is given"),
        (LARGE, {"facets": 8}, "dense", "facets is given"),
        (BLOCK, {"method": "admm"}, "sparse", "method='admm'"),
        (LARGE, {"method": "polyhedral"}, "dense", "method='polyhedral'"),
        (BLOCK, {"storage": "sparse"}, "sparse", "storage='sparse'"),
        (LARGE, {"method": "newton", "storage": "dense"}, "dense", "storage='dense'"),
    ],
)
def test_a_result_says_which_matrices_were_used_and_why(
    problem: FrictionProblem, options: Data, storage: str, reason: str
) -> None:
    result = friction.solve(problem, **options)
    assert (result.storage, result.reason) == (storage, reason)
    assert f"{storage} matrices: {reason}" in result.message


def test_sparse_matrices_are_tried_where_dense_ones_fail() -> None:
    """A cube of 1e6 kg on one of 1 kg."""
    problem = tower(2, masses=(1.0, 1e6)).bodies()
    result = friction.solve(problem)
    assert result.success
    assert result.storage == "sparse"
    assert result.reason.startswith("dense ones left a residual of ")
    assert not friction.solve(problem, storage="dense", max_iterations=100).success


@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("impulse_scale", [None, 1.0, 1e-3])
def test_both_are_judged_by_the_residual_asked_for(
    storage: friction.Storage, impulse_scale: float | None
) -> None:
    problem = described(contacts(7, 4))[0][-1]
    for scale in (0.0, 1e3):
        measure: Data = {"impulse_scale": impulse_scale, "scale": scale}
        result = friction.solve(problem, storage=storage, **measure)
        assert result.success
        judged = friction.residual(problem, result.x, **measure)
        assert result.residual == pytest.approx(judged, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("start", [None, [10.0, -np.sqrt(0.5), -np.sqrt(0.5)]])
def test_a_start_within_the_tolerance_is_returned(
    storage: friction.Storage, start: list[float] | None
) -> None:
    given = BLOCK if start else FrictionProblem.local(np.eye(3), [1.0, 0.0, 0.0], mu=0.1)
    result = friction.solve(given, x_start=start, storage=storage)
    assert (result.method, result.iterations) == ("start", 0)
    np.testing.assert_allclose(result.x, start or np.zeros(3), rtol=1e-15)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_a_mass_matrix_must_be_positive_definite(storage: friction.Storage) -> None:
    problem = FrictionProblem.from_bodies(-np.eye(3), np.eye(3), np.ones(3), np.zeros(3), 0.1)
    calls: list[Callable[[], object]] = [
        lambda: friction.solve(problem, storage=storage),
        lambda: friction.residual(problem, np.zeros(3)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="M: expected a positive definite"):
            call()


def test_a_problem_does_not_follow_changes_of_its_data() -> None:
    W, q = scipy.sparse.csc_array(np.eye(3)), np.array([-10.0, 1.0, 1.0])
    problem = FrictionProblem.local(W, q, 0.1)
    W.data[:], q[:] = 7.0, 0.0
    np.testing.assert_array_equal(friction.solve(problem).x, friction.solve(BLOCK).x)
