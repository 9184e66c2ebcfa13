"""Ten thousand random problems: no wrong answer, and all solvable ones are solved.

The residual is recomputed here with NumPy. Theory says which problems must be solved. Positive
definite matrices have exactly one solution. For positive semidefinite ones Lemke's algorithm finds
a solution whenever A x + b >= 0, x >= 0 can be satisfied. The compression phase of an impact (8.87)
has a matrix with xᵀA x >= 0 for x >= 0 and a b orthogonal to all x for which it vanishes.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from nsmb.complementarity import lcp

Array = NDArray[np.float64]
Problem = tuple[Array, Array]
Family = Callable[[np.random.Generator, int], Problem]

ACCEPT = 1e-9
FAILURES = {"ray", "pivot_limit", "inaccurate"}  # in addition to a proof that there is no solution


def residual(A: Array, b: Array, x: Array) -> float:
    miss = np.abs(np.minimum(x, A @ x + b)).max()
    return float(miss / max(1.0, np.abs(b).max()))


def is_feasible(A: Array, b: Array) -> bool:
    """Return True if some x >= 0 has A x + b >= 0, up to a margin of 1e-9."""
    n = len(b)
    program = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.column_stack([-A, np.ones(n)]),
        b_ub=b,
        bounds=[(0, None)] * n + [(None, 1.0)],
        method="highs",
    )
    return bool(program.status == 0 and -program.fun > -1e-9)


def definite(rng: np.random.Generator, n: int) -> Problem:
    root, skew = rng.standard_normal((2, n, n))
    return root @ root.T + 0.1 * np.eye(n) + skew - skew.T, 3.0 * rng.standard_normal(n)


def semidefinite_feasible(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, rng.integers(0, n + 1)))
    A = root @ root.T
    if rng.random() < 0.5:
        skew = rng.standard_normal((n, n))
        A += skew - skew.T
    x, y = np.maximum(rng.standard_normal((2, n)), 0.0)
    return A, y - A @ x


def semidefinite(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, rng.integers(0, n + 1)))
    return root @ root.T, rng.standard_normal(n)


def semidefinite_ties(rng: np.random.Generator, n: int) -> Problem:
    root = rng.integers(-1, 2, (n, rng.integers(1, n + 1))).astype(float)
    return root @ root.T, rng.integers(-1, 2, n).astype(float)


def ties(rng: np.random.Generator, n: int) -> Problem:
    A = rng.integers(-1, 2, (n, n)).astype(float)
    return A, rng.integers(-1, 2, n).astype(float)


def random_mass_inverse(rng: np.random.Generator, f: int) -> Array:
    """Return inverse masses of 1 to 1e3, so that the Delassus block dominates the unit blocks."""
    root = rng.standard_normal((f, f))
    return 10.0 ** rng.uniform(0.0, 3.0) * (root @ root.T + 0.1 * np.eye(f))


def compression(rng: np.random.Generator, n: int) -> Problem:
    """Return (8.87) with w̃ = 0: n_S contacts, f degrees of freedom, mostly dependent rows."""
    n_S = max(1, n // 5)
    f = int(rng.integers(1, 2 * n_S + 1))
    M_inv = random_mass_inverse(rng, f)
    W_N, W_T = rng.standard_normal((2, f, n_S))
    W = np.hstack([W_N, W_T, -W_T])
    mu = np.diag(rng.uniform(0.0, 1.5, n_S) * (rng.random(n_S) < 0.8))
    E, Z = np.eye(n_S), np.zeros((n_S, n_S))
    I = np.block([[Z, E, Z], [Z, Z, E]])
    N = np.block([[mu, Z, Z], [mu, Z, Z]])
    A = np.block([[W.T @ M_inv @ W, I.T], [N - I, np.zeros((2 * n_S, 2 * n_S))]])
    return A, np.concatenate([W.T @ rng.standard_normal(f), np.zeros(2 * n_S)])


def acceleration(rng: np.random.Generator, n: int) -> Problem:
    """Return (6.35) with sliding contacts and arbitrary w̄: solvable or not."""
    n_H = max(1, n // 5)
    n_N = n_H + int(rng.integers(0, 3))
    f = int(rng.integers(2, 2 * n_N + 1))
    M_inv = random_mass_inverse(rng, f)
    W_N, W_T = rng.standard_normal((2, f, n_N))
    mu = rng.uniform(0.0, 1.0, n_N)
    W_H = W_T[:, :n_H]
    N_G = np.zeros((f, n_N + 2 * n_H))
    N_G[:, n_H:n_N] = W_T[:, n_H:] * mu[n_H:] * rng.choice([-1.0, 1.0], n_N - n_H)
    W = np.hstack([W_N, W_H, -W_H])
    mu_H = np.zeros((n_H, n_N))
    mu_H[:, :n_H] = np.diag(mu[:n_H])
    E, Z, Z_N = np.eye(n_H), np.zeros((n_H, n_H)), np.zeros((n_H, n_N))
    I = np.block([[Z_N, E, Z], [Z_N, Z, E]])
    N_H = np.block([[mu_H, Z, Z], [mu_H, Z, Z]])
    A = np.block([[W.T @ M_inv @ (W + N_G), I.T], [N_H - I, np.zeros((2 * n_H, 2 * n_H))]])
    w_N, w_H = rng.standard_normal(n_N), rng.standard_normal(n_H)
    b = W.T @ M_inv @ rng.standard_normal(f) + np.concatenate([w_N, w_H, -w_H])
    return A, np.concatenate([b, np.zeros(2 * n_H)])


# family, number of problems; together 10,000
SOLVABLE: list[tuple[Family, int]] = [
    (definite, 1500),
    (semidefinite_feasible, 2000),
    (compression, 2500),
]
SEMIDEFINITE: list[tuple[Family, int]] = [(semidefinite, 1000), (semidefinite_ties, 1000)]
ARBITRARY: list[tuple[Family, int]] = [(ties, 1000), (acceleration, 1000)]


def problems(family: Family, count: int) -> list[Problem]:
    rng = np.random.default_rng([6, 27, count, len(family.__name__)])
    return [family(rng, int(rng.integers(1, 41))) for _ in range(count)]


def check_answer(A: Array, b: Array) -> lcp.LcpResult:
    result = lcp.solve(A, b, method="lemke")
    if result.success:
        assert (result.x >= 0.0).all()
        assert residual(A, b, result.x) < ACCEPT
    else:
        assert result.solutions == ()
        z = result.certificate
        if z is None:
            assert result.status in FAILURES
        else:
            assert result.status == "no_solution"
            assert (z >= 0.0).all()
            # zᵀ(A x + b) < 0 for all x >= 0 with a sum below 1e6, rounding of this line included
            assert b @ z < 0.0
            assert 1e6 * max(A.T @ z) <= -b @ z
    return result


def name(value: object) -> str:
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize(("family", "count"), SOLVABLE, ids=name)
def test_problems_solvable_by_theory_are_all_solved(family: Family, count: int) -> None:
    unsolved = [
        (i, len(b))
        for i, (A, b) in enumerate(problems(family, count))
        if not check_answer(A, b).success
    ]
    assert unsolved == []


@pytest.mark.parametrize(("family", "count"), SEMIDEFINITE, ids=name)
def test_semidefinite_problems_are_solved_whenever_feasible(family: Family, count: int) -> None:
    rejected = [(A, b) for A, b in problems(family, count) if not check_answer(A, b).success]
    assert 0.2 * count < len(rejected) < 0.8 * count
    assert not any(is_feasible(A, b) for A, b in rejected[:250])


@pytest.mark.parametrize(("family", "count"), ARBITRARY, ids=name)
def test_arbitrary_problems_are_never_answered_wrongly(family: Family, count: int) -> None:
    solved = sum(check_answer(A, b).success for A, b in problems(family, count))
    assert 0.05 * count < solved < count


@pytest.mark.parametrize(
    "family", [definite, semidefinite, semidefinite_ties, ties, compression, acceleration], ids=name
)
def test_enumeration_agrees_with_lemke(family: Family) -> None:
    rng = np.random.default_rng(len(family.__name__))
    for _ in range(60):
        A, b = family(rng, int(rng.integers(1, 13)))
        if len(b) > 12:
            continue
        lemke = lcp.solve(A, b, method="lemke")
        every = lcp.solve(A, b, method="enumeration")
        assert every.status in ("solved", "no_solution")
        for x in every.solutions:
            assert (x >= 0.0).all()
            assert residual(A, b, x) < ACCEPT
        if not lemke.success:
            continue
        assert every.success
        scale = max(1.0, float(np.abs(lemke.x).max()))
        distance = min(float(np.abs(lemke.x - x).max()) for x in every.solutions)
        if distance <= 1e-7 * scale:
            continue
        # Solutions in one cone are convex: x and a listed solution belong to one continuum.
        assert every.unique is False
        assert any(residual(A, b, 0.5 * (lemke.x + x)) < ACCEPT for x in every.solutions)


@pytest.mark.parametrize("family", [definite, compression], ids=name)
def test_two_hundred_unknowns_are_solved(family: Family) -> None:
    rng = np.random.default_rng(200)
    for _ in range(5):
        A, b = family(rng, 200)
        assert check_answer(A, b).success


def test_compression_restarts_without_pivots_when_the_velocity_changes_a_little() -> None:
    rng = np.random.default_rng(87)
    pivots = []
    for _ in range(200):
        A, b = compression(rng, 15)
        cold = lcp.solve(A, b, method="lemke")
        warm = lcp.solve(A, (1.0 + 1e-6) * b, method="lemke", x_start=cold.x)
        assert warm.success
        assert residual(A, (1.0 + 1e-6) * b, warm.x) < ACCEPT
        pivots.append(warm.pivots)
    assert pivots == [0] * 200
