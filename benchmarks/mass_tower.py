"""The tower on a shaking table (Pfeiffer & Glocker, section 1.3): cost of one contact decision.

A decision determines which of n masses stick, slip forwards or slip backwards, one of 3^n
combinations, and all forces.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks.harness import benchmark, exponents, timed
from benchmarks.lcp_siconos import stick_slip
from nsmb._core import complementarity, contact_laws

Floats = NDArray[np.float64]

SIZES = (10, 20, 50, 100, 200, 500, 1000)
FIT_FROM = 50  # masses, from which the exponent is fitted
LEMKE_UP_TO = 200
INSTANTS = (0.0, 0.19, 0.31, 0.46)  # s, of a period of 1 s: the table pulls either way, or not
STEPS, DT = 20, 1e-3  # s, consecutive decisions for warm starts
MOTION = 3.0  # s
COLLECT = {  # over the instants; otherwise the median
    "cold_pivots": np.mean,
    "warm_pivots": np.mean,
    "changes": np.mean,
    "violation": np.max,
    "unsolved": np.sum,
}


@dataclass(frozen=True)
class Decision:
    """The problem γ̇ = G λ + free, where every contact may stick or slip."""

    G: Floats
    free_N: Floats
    free_T: Floats
    mu: Floats


class Tower:
    """Build n masses at rest with springs in different directions, so that all states occur."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.system = nsmb.systems.mass_tower(n=n)
        zero = np.zeros(2 * n)
        k = self.system.contact_kinematics(0.0, zero, zero)
        self._W = np.hstack([k["W_N"], k["W_T"]])
        self._M_inv_W = np.linalg.solve(self.system.mass_matrix(0.0, zero), self._W)
        self.G = np.asfortranarray(self._W.T @ self._M_inv_W)
        self.mu = np.array([contact.law.mu for contact in self.system.contacts])
        p = self.system.parameters
        self.lambda_N = p["m"] * p["g"] * np.arange(n, 0, -1.0)  # the weight above each contact
        self._phase = np.random.default_rng(n).uniform(0.0, 2.0 * np.pi, n)

    def decision(self, t: float) -> Decision:
        """Return spring forces with random phases, 1.3 times as large as the largest friction."""
        needed = 1.3 * self.mu * self.lambda_N * np.cos(self._phase + 2.0 * np.pi * t)
        pull = needed - np.append(needed[1:], 0.0)
        q = np.concatenate([-pull / self.system.parameters["c"], np.zeros(self.n)])
        free = self._M_inv_W.T @ self.system.forces(t, q, np.zeros(2 * self.n))
        return Decision(self.G, free[: self.n], free[self.n :], self.mu)


def violation(p: Decision, lambda_N: Floats, lambda_T: Floats) -> float:
    """Return the error of forces in (6.10) and (6.11), relative to the largest force."""
    n = len(p.mu)
    rate = p.G @ np.concatenate([lambda_N, lambda_T]) + np.concatenate([p.free_N, p.free_T])
    rate /= np.diag(p.G)
    bound = p.mu * np.maximum(lambda_N, 0.0)
    normal = np.abs(np.minimum(lambda_N, rate[:n]))
    tangential = np.abs(lambda_T - np.clip(lambda_T - rate[n:], -bound, bound))
    return float(np.maximum(normal, tangential).max() / np.abs(lambda_N).max())


def enumerate_friction(p: Decision, lambda_N: Floats) -> tuple[Floats, int]:
    """Return all λ_T (found, n) that obey (6.11) with these normal forces, and the number tried."""
    n = len(p.mu)
    G, limit = p.G[n:, n:], p.mu * lambda_N
    modes = np.array(list(itertools.product((0, 1, -1), repeat=n)))  # sign of the slip
    sticks = modes == 0
    A = np.where(sticks[:, :, None], G, np.eye(n))
    right = np.where(sticks, -p.free_T, -modes * limit)
    lambda_T = np.linalg.solve(A, right[:, :, None])[:, :, 0]
    rate = lambda_T @ G + p.free_T
    tolerance = 1e-9 * limit.max()
    good = np.where(sticks, np.abs(lambda_T) <= limit + tolerance, modes * rate >= -tolerance)
    found = good.all(axis=1)
    return lambda_T[found], len(modes)


def effort(n: int) -> tuple[int, int]:
    """Return the number of measurements, and of repetitions within each."""
    return (11, 50) if n <= 20 else (7, 5) if n <= 100 else (3, 1) if n <= 200 else (1, 1)


def acceleration_law(p: Decision, role: contact_laws.ContactRole) -> dict[str, Any]:
    result: dict[str, Any] = contact_laws.solve_acceleration(
        p.G, p.free_N, p.free_T, p.mu, [role] * len(p.mu)
    )
    return result


def law_seconds(p: Decision) -> tuple[float, dict[str, Any]]:
    """Return the time of the law minus that of a call with open contacts, and its result."""
    roles = contact_laws.ContactRole
    work = effort(len(p.mu))
    result = acceleration_law(p, roles.Candidate)
    _, whole = timed(lambda: acceleration_law(p, roles.Candidate), *work)
    _, binding = timed(lambda: acceleration_law(p, roles.Absent), *work)
    return whole - binding, result


class TwoStages:
    """Solve with reused storage: normal forces, then friction within bounds."""

    def __init__(self, p: Decision) -> None:
        n = len(p.mu)
        self._A = [np.asfortranarray(p.G[:n, :n]), np.asfortranarray(p.G[n:, n:])]
        self._zero, self._inf = np.zeros(n), np.full(n, np.inf)
        self._options = complementarity.McpOptions()
        self._workspaces = [complementarity.McpWorkspace() for _ in range(2)]
        self._results = [complementarity.McpResult() for _ in range(2)]

    def solve(self, p: Decision, start: tuple[Floats, Floats] | None) -> None:
        normal, tangential = start if start is not None else (None, None)
        self._stage(0, p.free_N, self._zero, self._inf, normal)
        bound = p.mu * self._results[0].x
        self._stage(1, p.free_T, -bound, bound, tangential)

    def _stage(self, k: int, b: Floats, lower: Floats, upper: Floats, start: Floats | None) -> None:
        complementarity.solve_mcp(
            self._A[k], b, lower, upper, self._options, self._workspaces[k], self._results[k], start
        )

    @property
    def forces(self) -> tuple[Floats, Floats]:
        """Return copies, because the next solve overwrites the results."""
        return self._results[0].x.copy(), self._results[1].x.copy()

    @property
    def pivots(self) -> int:
        return sum(result.pivots for result in self._results)


def slip(p: Decision, forces: tuple[Floats, Floats]) -> Floats:
    """Return the sign of the onset of slip, 0 for sticking contacts, shape (n,)."""
    lambda_N, lambda_T = forces
    at_limit = np.abs(lambda_T) >= (1.0 - 1e-9) * p.mu * lambda_N
    return np.where(at_limit, -np.sign(lambda_T), 0.0)


def follow(tower: Tower, t: float) -> dict[str, float]:
    """Measure decisions `DT` apart, cold and warm: medians of time, means of pivots."""
    steps = STEPS if tower.n <= 100 else STEPS // 5
    repeat = effort(tower.n)[1]
    p = tower.decision(t)
    two = TwoStages(p)
    two.solve(p, None)
    start, slips, changes = two.forces, slip(p, two.forces), 0
    times, pivots, worst = np.empty((2, steps)), np.empty((2, steps)), 0.0
    for step in range(steps):
        p = tower.decision(t + DT * (step + 1))
        for kind, begin in enumerate((None, start)):
            _, times[kind, step] = timed(lambda p=p, s=begin: two.solve(p, s), loops=repeat)
            pivots[kind, step] = two.pivots
            worst = max(worst, violation(p, *two.forces))
        start, before = two.forces, slips
        slips = slip(p, start)
        changes += int((slips != before).sum())
    cold, warm = np.median(times, axis=1)
    cold_pivots, warm_pivots = pivots.mean(axis=1)
    return {
        "cold": float(cold),
        "warm": float(warm),
        "cold_pivots": float(cold_pivots),
        "warm_pivots": float(warm_pivots),
        "changes": changes / steps,
        "violation": worst,
    }


def lemke(p: Decision) -> dict[str, Any]:
    """Solve the full (6.35), five unknowns for each contact, by Lemke's method."""
    A, b = stick_slip(p.G, np.concatenate([p.free_N, p.free_T]), p.mu)
    A, n = np.asfortranarray(A), len(p.mu)
    result, taken = timed(lambda: complementarity.solve_lemke(A, b))
    x = result.x
    return {
        "seconds": taken,
        "pivots": result.pivots,
        "violation": violation(p, x[:n], x[n : 2 * n] - x[2 * n : 3 * n]),
    }


def whole(tower: Tower, t: float) -> dict[str, float]:
    """Solve for all forces by `solve_friction`, cold and from the previous decision."""
    n = tower.n
    discs = [
        complementarity.FrictionDisc(n + i, 1, i, float(mu), 0.0, 1.0)
        for i, mu in enumerate(tower.mu)
    ]
    rows = complementarity.FrictionRows(list(range(n)), discs)
    workspace = complementarity.FrictionWorkspace()
    before, p = tower.decision(t - DT), tower.decision(t)

    def solve(p: Decision, start: Floats | None) -> complementarity.FrictionResult:
        b = np.concatenate([p.free_N, p.free_T])
        return complementarity.solve_friction(p.G, b, rows, x_start=start, workspace=workspace)

    start = solve(before, None).x
    work = effort(n) if n <= 100 else (1, 1)
    results = [solve(p, begin) for begin in (None, start)]
    return {
        "unsolved": sum(r.status != complementarity.LcpStatus.SOLVED for r in results),
        "cold": timed(lambda: solve(p, None), *work)[1],
        "warm": timed(lambda: solve(p, start), *work)[1],
        "violation": max(violation(p, r.x[:n], r.x[n:]) for r in results),
    }


def size_row(n: int) -> dict[str, Any]:
    tower = Tower(n)
    laws, followed, wholes, lemkes, sticking, worst = [], [], [], [], [], 0.0
    for t in INSTANTS[:: 1 if n < 1000 else 2]:  # these solves take long
        p = tower.decision(t)
        taken, result = law_seconds(p)
        laws.append(taken)
        worst = max(worst, violation(p, result["lambda_N"], result["lambda_T"]))
        slack = p.mu * tower.lambda_N - np.abs(result["lambda_T"])
        sticking.append(float((slack > 1e-9 * tower.lambda_N[0]).mean()))
        followed.append(follow(tower, t))
        if n <= LEMKE_UP_TO:
            wholes.append(whole(tower, t))
            lemkes.append(lemke(p))
    row: dict[str, Any] = {"n": n, "law": float(np.median(laws)), "violation": worst}
    row["sticking"] = [min(sticking), max(sticking)]
    for name, found in (("kept", followed), ("whole", wholes), ("lemke", lemkes)):
        for key in found[0] if found else ():
            collect = COLLECT.get(key, np.median)
            row[f"{name}_{key}"] = float(collect([f[key] for f in found]))
    return row


def ten_masses() -> dict[str, Any]:
    """Compare the law with all 59049 combinations, at all instants."""
    tower = Tower(10)
    laws, searches, difference, found, tried = [], [], 0.0, [], 0
    for t in INSTANTS:
        p = tower.decision(t)
        taken, result = law_seconds(p)
        laws.append(taken)
        (lambda_T, tried), taken = timed(lambda p=p: enumerate_friction(p, tower.lambda_N))
        searches.append(taken)
        found.append(len(lambda_T))
        # Two combinations at the sticking limit would have the same forces.
        miss = np.abs(lambda_T - result["lambda_T"]).max(initial=0.0)
        difference = max(difference, float(miss / tower.lambda_N[0]))
    return {
        "law": float(np.median(laws)),
        "enumeration": float(np.median(searches)),
        "combinations": tried,
        "found": found,
        "difference": difference,
    }


def motion() -> dict[str, Any]:
    """Measure an event-driven run of ten masses without output."""
    system, options = nsmb.systems.mass_tower(n=10), nsmb.EventDriven(dense_output=False)

    def run(simulator: nsmb.Simulator) -> nsmb.Simulator:
        simulator.advance(MOTION)
        return simulator

    simulator, taken = timed(
        run, repeats=5, prepare=lambda: nsmb.Simulator(system, options, output_step=0.0)
    )
    stats = simulator.solution.stats
    return {
        "seconds": taken,
        "motion": MOTION,
        "events": stats["events"],
        "contact_problems": stats["contact_problems"],
        "events_per_second": stats["events"] / taken,
    }


@benchmark("mass_tower", "Tower of masses on a shaking table: one decision of 3^n")
def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    rows = [size_row(n) for n in sizes]
    keys = ("law", "kept_cold", "kept_warm", "whole_cold", "lemke_seconds")
    fits = exponents(rows, keys, FIT_FROM)
    return {"ten": ten_masses(), "sizes": rows, "exponents": fits, "motion": motion()}
