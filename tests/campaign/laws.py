"""Random problems for the contact laws and solvers: ``python -m tests.campaign.laws --count N``.

Each problem follows from (seed, number) alone. A problem counts as

- ``solved``: the judge finds no error, row by row from the original data;
- ``proven``: reported unsolvable, with a certificate that is verified here, or where enumeration
  here finds no solution either;
- ``unsolved``: no solution was found, and none is guaranteed;
- ``wrong``, ``false proof``: a failure, printed with the command that repeats it;
- ``missed``: unsolved, although enumeration here finds the velocities of a small
  planar impact, for which theory guarantees a solution.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from nsmb._core import complementarity as core
from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw
from tests.campaign.law_problems import Accelerations, Impact, random_accelerations, random_impact

Array = NDArray[np.float64]
FAILURES = ("wrong", "false proof", "missed")


# Linear complementarity problems ----------------------------------------------------------------


def random_lcp(rng: np.random.Generator) -> tuple[Array, Array]:
    n = int(rng.integers(1, 11))
    root = rng.standard_normal((n, n))
    kind = int(rng.integers(0, 8))
    A = {
        0: root @ root.T + 0.01 * np.eye(n),
        1: root[:, : n // 2 + 1] @ root[:, : n // 2 + 1].T,
        2: root @ root.T + (root - root.T),
        3: root - root.T,
        4: np.eye(n) * n - np.abs(rng.uniform(0, 1, (n, n))),
        5: rng.integers(-3, 4, (n, n)).astype(float),
        6: root,
        7: np.where(rng.random((n, n)) < 0.6, 0.0, root),
    }[kind]
    b = rng.standard_normal(n)
    way = rng.random()
    if way < 0.4:  # with a known solution, some of it degenerate
        x = np.where(rng.random(n) < 0.5, rng.uniform(0, 1, n), 0.0)
        y = np.where((x == 0.0) & (rng.random(n) < 0.8), rng.uniform(0, 1, n), 0.0)
        b = y - A @ x
    elif way < 0.5:  # infeasible: zᵀA <= 0, zᵀb < 0
        A = -np.abs(A)
        b[int(rng.integers(n))] = -1.0
    if rng.random() < 0.3:
        D, E = 10.0 ** rng.uniform(-6, 6, (2, n))
        A, b = D[:, None] * A * E, D * b
    return A, b * 10.0 ** rng.choice([0, 0, 0, -9, 9])


def certifies(A: Array, b: Array, z: Array) -> bool:
    """Return True if z >= 0, bᵀz < 0 and Aᵀz <= 0 in rational arithmetic.

    Rounding may leave a positive entry of Aᵀz. Then a linear program must find no x >= 0 with A x +
    b >= 0 either.
    """
    if len(z) == 0 or (z < 0).any():
        return False
    exact = [Fraction(float(v)) for v in z]

    def dot(a: Array) -> Fraction:
        return sum((Fraction(float(v)) * w for v, w in zip(a, exact, strict=True)), Fraction(0))

    if dot(b) >= 0:
        return False
    if all(dot(column) <= 0 for column in A.T):
        return True
    # An empty row requires 0 >= -b, whatever x is.
    rows = np.abs(A).max(axis=1)
    if (b[rows == 0.0] < 0.0).any():
        return True
    A, b, rows = A[rows > 0.0], b[rows > 0.0], rows[rows > 0.0]
    columns = (np.abs(A) / rows[:, None]).max(axis=0, initial=1e-300)
    scaled, right = A / rows[:, None] / columns, b / rows
    right = right / np.abs(right).max()
    found = linprog(np.ones(A.shape[1]), A_ub=-scaled, b_ub=right, bounds=(0, 1e9), method="highs")
    if found.x is None:
        return True
    # The tolerance of the solver is 1e-7. A point feasible to rounding would refute the proof.
    x = np.maximum(found.x, 0.0)
    return bool((scaled @ x + right < -1e-13 * (np.abs(scaled) @ x + np.abs(right))).any())


def lcp_problem(rng: np.random.Generator) -> tuple[str, str]:
    A, b = random_lcp(rng)
    r = core.solve_lemke(A, b)
    scale = max(1.0, float(np.abs(b).max()))
    if r.status == LcpStatus.SOLVED:
        left = np.abs(np.minimum(r.x, A @ r.x + b)).max() / scale
        # The solver sums in another order.
        slack = 1e-15 * len(b) * float((np.abs(A) @ r.x).max()) / scale
        return ("solved", "") if left <= 1e-9 + slack else ("wrong", f"residual {left:.1e}")
    if r.status == LcpStatus.NO_SOLUTION:
        if not certifies(A, b, r.certificate):
            return "false proof", "the certificate does not hold"
        return "proven", ""
    if len(b) > 6:
        return "unsolved", r.status.name
    every = core.solve_enumeration(A, b)
    named = "solvable" if every.first.status == LcpStatus.SOLVED else "not known to be solvable"
    return "unsolved", named


def mcp_problem(rng: np.random.Generator) -> tuple[str, str]:
    n = int(rng.integers(1, 10))
    root = rng.standard_normal((n, n))
    family = int(rng.integers(0, 4))
    A = {
        0: root @ root.T + 0.01 * np.eye(n),
        1: root[:, : n // 2 + 1] @ root[:, : n // 2 + 1].T,
        2: root @ root.T + (root - root.T),
        3: root,
    }[family]
    ends = np.sort(rng.standard_normal((2, n)), axis=0)
    lower = np.where(rng.random(n) < 0.2, -np.inf, ends[0])
    upper = np.where(rng.random(n) < 0.2, np.inf, ends[1])
    upper = np.where(rng.random(n) < 0.1, lower, upper)
    upper = np.where(np.isinf(upper) & (upper < 0), np.inf, upper)
    b = rng.standard_normal(n) * 10.0 ** rng.choice([0, 0, -9, 6])
    r, w = core.McpResult(), core.McpWorkspace()
    core.solve_mcp(A, b, lower, upper, core.McpOptions(), w, r)
    if r.status == LcpStatus.SOLVED:
        x, F = r.x, A @ r.x + b
        left = np.abs(x - np.clip(x - F, lower, upper)).max() / max(1.0, float(np.abs(b).max()))
        slack = 1e-15 * n * float((np.abs(A) @ np.abs(x)).max())
        return ("solved", "") if left <= 1e-9 + slack else ("wrong", f"residual {left:.1e}")
    bounded = np.isfinite(lower).all() and np.isfinite(upper).all()
    if r.status == LcpStatus.NO_SOLUTION:
        return ("false proof", "bounds are finite") if bounded else ("proven", "")
    return ("missed", "bounds are finite") if bounded else ("unsolved", r.status.name)


# Contact laws -----------------------------------------------------------------------------------


def judge_impact(impact: Impact) -> tuple[str, str]:
    r = impact.solve()
    planar = all(dim == 1 for dim in impact.contacts.dims)
    if r["status"] == LcpStatus.SOLVED:
        wrong = impact.judge(r)
        if impact.kind == ImpactLaw.Poisson and impact.left_approaching(r):
            wrong.append("approach left")
        return ("wrong", "; ".join(wrong)) if wrong else ("solved", "")
    solvable = planar and impact.kind == ImpactLaw.Poisson and not r["in_expansion"]
    if r["status"] == LcpStatus.NO_SOLUTION:
        if solvable and impact.has_compression():
            return "false proof", "compression has a solution"
        return "proven", ""
    if solvable and impact.has_compression():
        return "missed", f"compression, {r['status'].name}"
    return "unsolved", ("expansion " if r["in_expansion"] else "") + r["status"].name


def judge_accelerations(problem: Accelerations) -> tuple[str, str]:
    r = problem.solve()
    if r["status"] == LcpStatus.SOLVED:
        wrong = problem.judge(r)
        return ("wrong", "; ".join(wrong)) if wrong else ("solved", "")
    exists = problem.has_solution()
    if r["status"] == LcpStatus.NO_SOLUTION:
        return ("false proof", "there is a solution") if exists else ("proven", "")
    return "unsolved", f"{r['status'].name}, {'solvable' if exists else 'not known to be solvable'}"


FAMILIES = {
    "lcp": lcp_problem,
    "mcp": mcp_problem,
    "poisson": lambda rng: judge_impact(random_impact(rng, ImpactLaw.Poisson, False)),
    "moreau": lambda rng: judge_impact(random_impact(rng, ImpactLaw.Moreau, False)),
    "newton": lambda rng: judge_impact(random_impact(rng, ImpactLaw.Newton, False)),
    "spatial poisson": lambda rng: judge_impact(random_impact(rng, ImpactLaw.Poisson, True)),
    "spatial moreau": lambda rng: judge_impact(random_impact(rng, ImpactLaw.Moreau, True)),
    "accelerations": lambda rng: judge_accelerations(random_accelerations(rng)),
}


def outcome(seed: int, number: int) -> tuple[str, str, str]:
    """Return the family, how the problem ended, and details."""
    family = list(FAMILIES)[number % len(FAMILIES)]
    rng = np.random.default_rng([seed, number])
    return family, *FAMILIES[family](rng)


def run(seed: int, first: int, count: int, show: int = 20) -> Counter[tuple[str, str, str]]:
    """Count the outcomes of each family. At most `show` failures are printed."""
    ends: Counter[tuple[str, str, str]] = Counter()
    for number in range(first, first + count):
        family, end, what = outcome(seed, number)
        rough = what if end == "unsolved" else ""
        ends[family, end, rough] += 1
        if end not in FAILURES:
            continue
        if show > 0:
            print(f"{end}: {family}: {what}")
            print(f"  python -m tests.campaign.laws --seed {seed} --first {number} --count 1")
        show -= 1
    return ends


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000, help="problems, families in turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    arguments = parser.parse_args()
    ends = run(arguments.seed, arguments.first, arguments.count)
    for (family, end, what), number in sorted(ends.items()):
        print(f"{family:16} {end:12} {number:8d}  {what}")
    failures = sum(number for (_, end, _), number in ends.items() if end in FAILURES)
    print(f"{arguments.count} problems, {failures} failures")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
