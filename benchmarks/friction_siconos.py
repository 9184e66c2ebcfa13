"""Contact problems with friction discs, in nsmb and by the solvers of Siconos, in one run.

Each problem is the impact of a falling tower of bodies: x are impulses, y velocities, and A = Wᵀ
M⁻¹ W is singular if a body has three contacts. Both programs start from zero with the same matrices
and tolerance. Each problem is solved in turn by nsmb and by all solvers of Siconos. For Siconos,
the fastest successful solver counts.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Peer, PeerEndedError, alternate, benchmark, peer
from nsmb._core import complementarity

Floats = NDArray[np.float64]

TOWERS = ((1, 1), (1, 3), (2, 5), (10, 3), (33, 3), (55, 3))  # bodies, contacts below each
SOLVERS = {"NSGS": 10000, "NSN_AC": 200, "NSN_FB": 200, "NSN_NM": 200}  # iteration limits
TOLERANCE = 1e-10
PROBLEMS = 8
LARGE = 200  # unknowns, from which there are fewer problems and repetitions


def tower(rng: np.random.Generator, bodies: int, feet: int) -> tuple[Floats, Floats, Floats]:
    """Return (A, b, mu) of stacked unit cubes with contacts at random points."""
    columns = []
    for k in range(bodies):
        for _ in range(feet):
            place = rng.uniform(-0.5, 0.5, 2)
            for axis in np.eye(3)[[2, 0, 1]]:
                w = np.zeros(6 * bodies)
                w[6 * k : 6 * k + 6] = [*axis, *np.cross([*place, -0.5], axis)]
                if k > 0:
                    w[6 * k - 6 : 6 * k] = [*-axis, *np.cross([*place, 0.5], -axis)]
                columns.append(w)
    W = np.array(columns).T
    M_inv = np.tile([1.0, 1.0, 1.0, 6.0, 6.0, 6.0], bodies)
    M_inv *= np.repeat(rng.uniform(0.5, 2.0, bodies), 6)
    u = 0.3 * rng.standard_normal(6 * bodies)
    u[2::6] -= 1.0
    A = np.asfortranarray(W.T @ (M_inv[:, None] * W))
    return A, W.T @ u, rng.uniform(0.1, 0.8, bodies * feet)


def rows_of(mu: Floats) -> complementarity.FrictionRows:
    discs = [
        complementarity.FrictionDisc(3 * i + 1, 2, 3 * i, float(m), 0.0, 1.0)
        for i, m in enumerate(mu)
    ]
    return complementarity.FrictionRows(list(range(0, 3 * len(mu), 3)), discs)


def nsmb_times(
    problem: tuple[Floats, Floats, Floats], repetitions: int
) -> tuple[float, float, bool]:
    """Return the times from zero and from the solution, and whether it was solved."""
    A, b, mu = problem
    rows, workspace = rows_of(mu), complementarity.FrictionWorkspace()

    def solve(start: Floats | None) -> complementarity.FrictionResult:
        return complementarity.solve_friction(A, b, rows, x_start=start, workspace=workspace)

    result = solve(None)
    works = {"cold": lambda: solve(None), "warm": lambda: solve(result.x)}
    times = alternate(works, repetitions)
    solved = result.status == complementarity.LcpStatus.SOLVED
    return min(times["cold"]), min(times["warm"]), solved


def siconos_times(
    siconos: Peer, file: Path, problem: tuple[Floats, Floats, Floats], repetitions: int
) -> dict[str, float]:
    """Return the time of each solver, inf if it failed."""
    np.savez(file, A=problem[0], b=problem[1], mu=problem[2])
    found = dict.fromkeys(SOLVERS, np.inf)
    for solver, most in SOLVERS.items():
        order = {"file": str(file), "solver": f"FRICTION_3D_{solver}", "max_iterations": most}
        try:
            answer = siconos.run(**order, tolerance=TOLERANCE, repeats=repetitions)
        except PeerEndedError:  # due to a singular matrix
            continue
        if answer["solved"]:
            found[solver] = answer["time"]
    return found


def compare_size(bodies: int, feet: int, siconos: Peer | None, folder: str) -> dict[str, Any]:
    rng = np.random.default_rng([bodies, feet])
    n = 3 * bodies * feet
    count, repetitions = (PROBLEMS // 2, 1) if n > LARGE else (PROBLEMS, 11)
    problems = [tower(rng, bodies, feet) for _ in range(count)]
    ours, theirs = [], []
    for problem in problems:
        ours.append(nsmb_times(problem, max(repetitions, 3)))
        if siconos is not None:
            file = Path(folder) / "problem.npz"
            theirs.append(siconos_times(siconos, file, problem, repetitions))
    cold = np.array([row[0] for row in ours])
    row: dict[str, Any] = {
        "contacts": bodies * feet,
        "n": n,
        "problems": count,
        "solved": sum(row[2] for row in ours),
        "cold": float(np.median(cold)),
        "warm": float(np.median([row[1] for row in ours])),
        "siconos": {},
        "faster": None,
    }
    if theirs:
        best = np.array([min(times.values()) for times in theirs])
        row["faster"] = float(np.median(best / cold))
        for solver in SOLVERS:
            times = [t[solver] for t in theirs]
            found = [t for t in times if np.isfinite(t)]
            row["siconos"][solver] = {
                "time": float(np.median(found)) if found else np.nan,
                "solved": len(found),
            }
    return row


@benchmark("friction", "Contacts with friction discs: towers of falling bodies, tolerance 1e-10")
def compare(towers: tuple[tuple[int, int], ...] = TOWERS) -> list[dict[str, Any]]:
    """Measure one row per size."""
    with tempfile.TemporaryDirectory() as folder, peer("siconos", "siconos_contacts") as siconos:
        return [compare_size(*tower, siconos, folder) for tower in towers]
