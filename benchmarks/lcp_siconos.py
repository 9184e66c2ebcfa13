"""Linear complementarity problems: against Siconos, and warm against cold starts.

Times are processor times: a long measurement is interrupted by other programs more often than a
short one, which would falsify the ratio.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import allocations
import numpy as np
import siconos_process
from numpy.typing import NDArray

from nsmb._core import complementarity

Floats = NDArray[np.float64]
Problem = tuple[Floats, Floats]

SCRIPT = Path(__file__).with_name("siconos_lcp.py")
LOOP = Path(__file__).with_name("lcp_loop.c")
# n: problems per family, repeats of each within one measurement, measurements
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
    """(6.35) or (8.87): five unknowns (N, T⁺, T⁻, z⁺, z⁻) for each planar contact."""
    c = len(gamma) // 2
    one, zero, limit = np.eye(c), np.zeros((c, c)), np.diag(np.broadcast_to(mu, c))
    signs = np.block([[one, zero], [zero, one], [zero, -one]])
    A = np.zeros((5 * c, 5 * c))
    A[: 3 * c, : 3 * c] = signs @ G @ signs.T
    A[c : 3 * c, 3 * c :] = np.eye(2 * c)
    A[3 * c :, : 3 * c] = np.block([[limit, -one, zero], [limit, zero, -one]])
    return A, np.concatenate([signs @ gamma, np.zeros(2 * c)])


def mechanics(rng: np.random.Generator, coordinates: int, directions: int) -> Problem:
    """WᵀM⁻¹W and Wᵀu of a random mass matrix and random contact directions."""
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
    """A (n, n count) and b (n, count), as `solve_lemke_sequence` takes them."""
    A = np.hstack([A for A, _ in problems])
    return np.asfortranarray(A), np.asfortranarray(np.stack([b for _, b in problems], axis=1))


def solve(A: Floats, b: Floats, repeat: int, warm: bool = False) -> tuple[float, Any]:
    """(seconds per problem, outputs)."""
    begin = time.process_time()
    for _ in range(repeat):
        result = complementarity.solve_lemke_sequence(A, b, warm)
    return (time.process_time() - begin) / (repeat * b.shape[1]), result


def solved(result: Any) -> int:
    return sum(status == complementarity.LcpStatus.SOLVED for status in result.status)


def compare(interpreter: str | None) -> list[dict[str, Any]]:
    """Rows of the table; the measurements alternate between the programs."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        loop = allocations.compile_library(LOOP, folder)
        siconos = siconos_process.SiconosProcess(interpreter, SCRIPT) if interpreter else None
        for n, (count, repeat, measurements) in SIZES.items():
            for family, make in FAMILIES.items():
                if "friction" in family and n < 5:
                    continue
                rng = np.random.default_rng([n, len(family)])
                problems = [make(rng, n) for _ in range(count)]
                np.save(folder / "A.npy", np.stack([A for A, _ in problems]))
                np.save(folder / "b.npy", np.stack([b for _, b in problems]))
                run = {
                    "A": str(folder / "A.npy"),
                    "b": str(folder / "b.npy"),
                    "repeat": repeat,
                    "loop": None if loop is None else str(loop),
                }
                A, b = side_by_side(problems)
                ours, theirs = [], []
                for _ in range(measurements):
                    seconds, result = solve(A, b, repeat)
                    ours.append(seconds)
                    if siconos is not None:
                        theirs.append(siconos.run(**run))
                row: dict[str, Any] = {
                    "n": n,
                    "family": family,
                    "problems": count,
                    "solved": solved(result),
                    "pivots": float(np.mean(result.pivots)),
                    "seconds": float(np.median(ours)),
                    "siconos_seconds": None,
                }
                if theirs:
                    row["siconos_seconds"] = float(np.median([t["seconds"] for t in theirs]))
                    row["siconos_solved"] = theirs[0]["solved"]
                    row["faster"] = row["siconos_seconds"] / row["seconds"]
                rows.append(row)
        if siconos is not None:
            siconos.__exit__()
    return rows


def moving_contacts(rng: np.random.Generator, n: int) -> list[Problem]:
    """Contacts with friction whose directions and velocities turn once in `STEPS` steps."""
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


def warm_starts(measurements: int) -> list[dict[str, Any]]:
    """A slowly changing problem, each solved cold and from the solution before."""
    rows = []
    for n in (5, 10, 20, 50):
        A, b = side_by_side(moving_contacts(np.random.default_rng(n), n))
        cold = [solve(A, b, 1) for _ in range(measurements)]
        warm = [solve(A, b, 1, warm=True) for _ in range(measurements)]
        rows.append(
            {
                "n": n,
                "steps": STEPS,
                "solved": solved(warm[0][1]),
                "cold": float(np.median([seconds for seconds, _ in cold])),
                "warm": float(np.median([seconds for seconds, _ in warm])),
                "cold_pivots": float(np.mean(cold[0][1].pivots)),
                "warm_pivots": float(np.mean(warm[0][1].pivots)),
            }
        )
    return rows
