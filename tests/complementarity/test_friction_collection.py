"""1350 solvable friction problems without a wrong answer.

In most of them x and y are chosen to satisfy the laws, then b = y - A x. The others are impacts
with b = Wᵀu, which Coulomb friction always admits. The check (`violation`) is independent of the
solvers and of their residual. `python -m tests.complementarity.test_friction_collection` prints how
many are solved / left unsolved / wrongly called solved by each method.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from nsmb.complementarity import friction
from tests.complementarity.rigid_contacts import (
    Disc,
    Problem,
    body,
    body_problem,
    tower,
    violation,
)

Array = NDArray[np.float64]
Family = Callable[[np.random.Generator], Problem]

METHODS: list[friction.Method] = ["auto", "newton", "augmented_lagrangian", "gauss_seidel"]
TOL = 1e-9
WRONG = 1e-8  # the check weights the parts differently
COUNT = 150


def plant(rng: np.random.Generator, A: Array, normals: list[int], discs: list[Disc]) -> Problem:
    """Choose random states of the parts: open, sticking, sliding, and their borders."""
    n = len(A)
    x, y = np.zeros(n), np.zeros(n)
    free = set(range(n)) - set(normals) - {row for disc in discs for row in disc.rows}
    for i in normals:
        x[i], y[i] = [(rng.exponential(), 0.0), (0.0, rng.exponential()), (0.0, 0.0)][
            rng.choice(3, p=[0.65, 0.3, 0.05])
        ]
    for i in free:
        x[i] = rng.standard_normal()
    for disc in discs:
        rows = list(disc.rows)
        stretch = np.array([1.0, disc.aspect])[: len(rows)]
        radius = disc.bound + (disc.mu * x[disc.normal] if disc.normal is not None else 0.0)
        e = rng.standard_normal(len(rows))
        e /= np.linalg.norm(e)
        share, slip = [(rng.random(), 0.0), (1.0, rng.exponential()), (1.0, 0.0)][
            rng.choice(3, p=[0.45, 0.5, 0.05])
        ]
        if radius == 0.0:
            slip = rng.exponential()
        x[rows] = share * radius * e * stretch
        y[rows] = -slip * e / stretch
    return Problem(A, y - A @ x, normals, discs)


def spatial(rng: np.random.Generator, nc: int, largest_mu: float) -> tuple[list[int], list[Disc]]:
    normals = list(range(0, 3 * nc, 3))
    discs = [
        Disc((i + 1, i + 2), i, float(rng.uniform(0.0, largest_mu)), 0.0, 2.0 ** rng.uniform(-1, 1))
        for i in normals
    ]
    return normals, discs


def well_conditioned(rng: np.random.Generator) -> Problem:
    nc = int(rng.integers(1, 9))
    root = rng.standard_normal((3 * nc, 3 * nc))
    return plant(rng, root @ root.T / (3 * nc) + 0.3 * np.eye(3 * nc), *spatial(rng, nc, 0.8))


def dependent(rng: np.random.Generator) -> Problem:
    nc = int(rng.integers(2, 9))
    W, M_inv = body(rng, nc, on_floor=rng.random() < 0.5)
    return plant(rng, W.T @ M_inv @ W, *spatial(rng, nc, 0.8))


def bounds_only(rng: np.random.Generator) -> Problem:
    n = 2 * int(rng.integers(1, 8))
    root = rng.standard_normal((n, rng.integers(1, n + 1)))
    discs = [Disc((i, i + 1), bound=rng.exponential()) for i in range(0, n, 2)]
    return plant(rng, root @ root.T, [], discs)


def mixed(rng: np.random.Generator) -> Problem:
    """Return planar and spatial contacts, shared normal parts, torsion with a bound, free rows."""
    normals: list[int] = []
    discs: list[Disc] = []
    n = int(rng.integers(0, 3))
    for _ in range(rng.integers(1, 5)):
        normal = n
        normals.append(normal)
        discs.append(Disc((n + 1, n + 2), normal, rng.uniform(0.0, 0.8), aspect=0.7))
        discs.append(Disc((n + 3,), normal, 0.2 * rng.random(), 0.1 * rng.random()))
        n += 4
    discs.append(Disc((n,), bound=0.5))
    root = rng.standard_normal((n + 1, n + 1))
    return plant(rng, root @ root.T / n + 0.1 * np.eye(n + 1), normals, discs)


def large_friction(rng: np.random.Generator) -> Problem:
    nc = int(rng.integers(1, 9))
    W, M_inv = body(rng, nc, on_floor=rng.random() < 0.5)
    normals = list(range(0, 3 * nc, 3))
    discs = [Disc((i + 1, i + 2), i, float(rng.uniform(1.0, 3.0))) for i in normals]
    return plant(rng, W.T @ M_inv @ W, normals, discs)


def scaled(rng: np.random.Generator) -> Problem:
    problem = well_conditioned(rng) if rng.random() < 0.5 else dependent(rng)
    alpha, beta = 10.0 ** rng.uniform(-8.0, 8.0, 2)
    return Problem(alpha * problem.A, beta * problem.b, problem.normals, problem.discs)


def open_contacts(rng: np.random.Generator) -> Problem:
    problem = body_problem(rng, int(rng.integers(1, 9)))
    problem.b[problem.normals] += rng.uniform(0.0, 3.0, len(problem.normals))
    problem.b[problem.normals] = np.abs(problem.b[problem.normals])
    return problem


def degenerate(rng: np.random.Generator) -> Problem:
    """Return problems with b zero in some or all rows."""
    problem = body_problem(rng, int(rng.integers(1, 9)))
    problem.b *= rng.random(len(problem.b)) < rng.choice([0.0, 0.5])
    if rng.random() < 0.5:
        problem.b[problem.normals] = 0.0
    return plant(rng, problem.A, problem.normals, problem.discs) if problem.b.any() else problem


def towers(rng: np.random.Generator) -> Problem:
    return tower(rng, int(rng.integers(1, 6)), largest_mu=rng.choice([0.5, 3.0]))


FAMILIES: list[Family] = [
    well_conditioned,
    dependent,
    bounds_only,
    mixed,
    large_friction,
    scaled,
    open_contacts,
    degenerate,
    towers,
]


def table(family: Family, count: int) -> dict[friction.Method, tuple[int, int, int]]:
    """Count by method how many were solved, reported unsolved, and wrongly called solved."""
    rng = np.random.default_rng([17, 28, len(family.__name__)])
    counts = {method: [0, 0, 0] for method in METHODS}
    for _ in range(count):
        problem = family(rng)
        for method in METHODS:
            result = problem.solve(method, tol=TOL)
            right = violation(problem, result.x) < WRONG
            assert result.status != "no_solution"
            counts[method][0 if result.success and right else 2 if result.success else 1] += 1
    return {method: (c[0], c[1], c[2]) for method, c in counts.items()}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_planted_solutions_are_found_and_no_answer_is_wrong(family: Family) -> None:
    counts = table(family, COUNT)
    assert all(wrong == 0 for _, _, wrong in counts.values()), counts
    assert counts["auto"][0] == COUNT, counts
    assert counts["newton"][0] >= 0.9 * COUNT, counts


if __name__ == "__main__":
    print(f"{'':18}" + "".join(f"{method:>24}" for method in METHODS))
    for each in FAMILIES:
        row = table(each, COUNT)
        cells = "".join(f"{'{} / {} / {}'.format(*row[m]):>24}" for m in METHODS)
        print(f"{each.__name__:18}{cells}", flush=True)
