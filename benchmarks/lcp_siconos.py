"""Linear complementarity problems: comparison with Siconos, and warm and cold starts."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Peer, alternate, benchmark, compile_library, peer, timed
from nsmb._core import complementarity

Floats = NDArray[np.float64]
Problem = tuple[Floats, Floats]

# n: problems per family, repetitions of each within one measurement, measurements
SIZES = {
    3: (200, 20, 11),
    5: (200, 20, 11),
    10: (200, 10, 11),
    20: (200, 2, 11),
    50: (100, 1, 11),
    200: (10, 1, 5),
    500: (2, 1, 3),
}
STEPS = 500


def stick_slip(G: Floats, gamma: Floats, mu: float | Floats) -> Problem:
    """Build (6.35) or (8.87): five unknowns (N, T⁺, T⁻, z⁺, z⁻) for each planar contact."""
    c = len(gamma) // 2
    one, zero, limit = np.eye(c), np.zeros((c, c)), np.diag(np.broadcast_to(mu, c))
    signs = np.block([[one, zero], [zero, one], [zero, -one]])
    A = np.zeros((5 * c, 5 * c))
    A[: 3 * c, : 3 * c] = signs @ G @ signs.T
    A[c : 3 * c, 3 * c :] = np.eye(2 * c)
    A[3 * c :, : 3 * c] = np.block([[limit, -one, zero], [limit, zero, -one]])
    return A, np.concatenate([signs @ gamma, np.zeros(2 * c)])


def mechanics(rng: np.random.Generator, coordinates: int, directions: int) -> Problem:
    """Build WᵀM⁻¹W and Wᵀu of a random mass matrix and random contact directions."""
    root = rng.standard_normal((coordinates, coordinates))
    M = root @ root.T + coordinates * np.eye(coordinates)
    W = rng.standard_normal((coordinates, directions))
    return W.T @ np.linalg.solve(M, W), W.T @ rng.standard_normal(coordinates)


def frictionless(rng: np.random.Generator, n: int) -> Problem:
    return mechanics(rng, 2 * n, n)


def friction(rng: np.random.Generator, n: int) -> Problem:
    c = n // 5
    return stick_slip(*mechanics(rng, 2 * c + 1, 2 * c), mu=0.3)


def dependent(rng: np.random.Generator, n: int) -> Problem:
    c = n // 5
    return stick_slip(*mechanics(rng, c + 1, 2 * c), mu=0.8)


def definite(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, n))
    return root @ root.T + np.eye(n), 3.0 * rng.standard_normal(n)


def semidefinite(rng: np.random.Generator, n: int) -> Problem:
    root = rng.standard_normal((n, max(1, n // 2)))
    A = root @ root.T
    x, y = np.maximum(rng.standard_normal((2, n)), 0.0)
    return A, y - A @ x


FAMILIES: dict[str, Callable[[np.random.Generator, int], Problem]] = {
    "contacts": frictionless,
    "with friction": friction,
    "dependent, friction": dependent,
    "definite": definite,
    "semidefinite": semidefinite,
}


def side_by_side(problems: list[Problem]) -> Problem:
    """Return A (n, n count) and b (n, count), as `solve_lemke_sequence` takes them."""
    A = np.hstack([A for A, _ in problems])
    return np.asfortranarray(A), np.asfortranarray(np.stack([b for _, b in problems], axis=1))


def solved(result: Any) -> int:
    return sum(status == complementarity.LcpStatus.SOLVED for status in result.status)


def siconos_lemke(
    siconos: Peer, folder: str, problems: list[Problem], **order: Any
) -> dict[str, Any]:
    """Return the results of Siconos' Lemke for problems of one size."""
    paths = {}
    for k, name in enumerate("Ab"):
        paths[name] = f"{folder}/{name}.npy"
        np.save(paths[name], np.stack([problem[k] for problem in problems]))
    return siconos.run(**paths, **order)


@benchmark("lcp_siconos", "Lemke against Siconos' lexicographic Lemke, from zero")
def compare(sizes: tuple[int, ...] = tuple(SIZES)) -> list[dict[str, Any]]:
    """Measure the rows of the table, alternating between the programs."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, peer("siconos", "siconos_lcp") as siconos:
        library = compile_library("lcp_loop.c", Path(folder))
        loop = None if library is None else str(library)
        for n in sizes:
            count, repeat, measurements = SIZES[n]
            for family, make in FAMILIES.items():
                if "friction" in family and n < 5:
                    continue
                rng = np.random.default_rng([n, len(family)])
                problems = [make(rng, n) for _ in range(count)]
                A, b = side_by_side(problems)
                ours, theirs = [], []
                for _ in range(measurements):
                    result, seconds = timed(
                        lambda A=A, b=b: complementarity.solve_lemke_sequence(A, b, False),
                        loops=repeat,
                    )
                    ours.append(seconds / count)
                    if siconos is not None:
                        order = {"repeat": repeat, "loop": loop}
                        theirs.append(siconos_lemke(siconos, folder, problems, **order))
                row: dict[str, Any] = {
                    "n": n,
                    "family": family,
                    "problems": count,
                    "solved": solved(result),
                    "pivots": float(np.mean(result.pivots)),
                    "seconds": min(ours),
                    "siconos_seconds": None,
                }
                if theirs:
                    row["siconos_seconds"] = min(answer["seconds"] for answer in theirs)
                    row["siconos_solved"] = theirs[0]["solved"]
                    row["faster"] = row["siconos_seconds"] / row["seconds"]
                rows.append(row)
    return rows


def moving_contacts(rng: np.random.Generator, n: int) -> list[Problem]:
    """Build frictional contacts whose directions and velocities rotate once in `STEPS` steps."""
    c = n // 5
    f = 2 * c + 1
    root = rng.standard_normal((f, f))
    M_inv = np.linalg.inv(root @ root.T + f * np.eye(f))
    W, swing = rng.standard_normal((2, f, 2 * c))
    u, turn = rng.standard_normal((2, f))
    problems = []
    for angle in np.linspace(0.0, 2.0 * np.pi, STEPS):
        W_now = W + 0.2 * np.sin(angle) * swing
        u_now = np.cos(angle) * u + np.sin(angle) * turn
        problems.append(stick_slip(W_now.T @ M_inv @ W_now, W_now.T @ u_now, mu=0.3))
    return problems


@benchmark("lcp_warm", "Warm starts: contacts with friction that turn once in some hundred steps")
def warm_starts(
    sizes: tuple[int, ...] = (5, 10, 20, 50), repeats: int = 11
) -> list[dict[str, Any]]:
    """Solve a slowly changing problem, cold and from the previous solution."""
    rows, solve = [], complementarity.solve_lemke_sequence
    for n in sizes:
        A, b = side_by_side(moving_contacts(np.random.default_rng(n), n))
        results = {"cold": solve(A, b, False), "warm": solve(A, b, True)}
        works = {key: functools.partial(solve, A, b, key == "warm") for key in results}
        times = alternate(works, repeats)
        rows.append(
            {
                "n": n,
                "steps": STEPS,
                "solved": solved(results["warm"]),
                **{key: min(taken) / STEPS for key, taken in times.items()},
                **{f"{key}_pivots": float(np.mean(r.pivots)) for key, r in results.items()},
            }
        )
    return rows
