"""The first impact of freely flying bodies, found without nsmb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.campaign import shapes
from tests.campaign.body_check import place_of, shape_of, weight
from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.campaign.lagrange import Lagrangian

Array = NDArray[np.float64]
APART = 1e-6  # m at the start
GRAZING = 1e-3  # m/s


def check_first_touch(case: Case, sol: Any, found: Findings, notes: list[str]) -> None:
    """Compare the first event. Runs that start in contact are not judged."""
    if case.family == "energies" and "template" in case.spec:
        touch = of_energies(case)
    elif case.spec.get("kind") == "free" and not case.spec["belt"]:
        touch = of_bodies(case, sol)
    else:
        return
    if touch is None:
        return
    t, speed = touch
    if speed < GRAZING:
        return
    notes.append("first touch")
    first = sol.events.t[0] if len(sol.events) else np.inf
    if not np.isfinite(t):
        found.judge("an event in free flight", first <= sol.t[-1], 0.0, sol.t[-1])
        return
    rtol = case.method.get("rtol", 1e-8)
    # Positions are as accurate as the integration. Times are less so by the speed of approach.
    allowed = (1e-9 + 300.0 * rtol) * (1.0 + 1.0 / speed)
    if t < sol.t[-1] - allowed:
        found.judge("first touch differs from free flight", abs(first - t), allowed, t)


def search(gap: Callable[[Array], Array], t_end: float) -> tuple[float, float] | None:
    """Return the first zero of the least gap and its rate there, or None if closed at the start."""
    times = np.linspace(0.0, t_end, 2001)
    values = gap(times).min(axis=1)
    if values[0] < APART:
        return None
    below = np.flatnonzero(values <= 0.0)
    if not len(below):
        least = float(values.min())
        return (np.inf, np.inf) if least > 1e-4 else None  # near-grazing motion is not judged
    k = int(below[0])
    v = values[:k]
    dips = (v[1:-1] < v[:-2]) & (v[1:-1] < v[2:]) & (v[1:-1] < 1e-3)
    if dips.any():  # earlier near-grazing may happen between the sampled times
        return None
    root = brentq(lambda t: gap(np.array([t])).min(), times[k - 1], times[k], xtol=1e-15)
    h = 1e-6 * t_end
    rate = (gap(np.array([root - h])).min() - gap(np.array([root])).min()) / h
    return float(root), float(abs(rate))


def of_bodies(case: Case, sol: Any) -> tuple[float, float] | None:
    """Return the first touch of bodies with parabolic flight and steady rotation."""
    spec = case.spec
    start = np.concatenate([b["q"] for b in spec["bodies"]])
    speed = np.concatenate([b["u"] for b in spec["bodies"]])
    mass = np.concatenate([[b["mass"], b["mass"], 1.0] for b in spec["bodies"]])
    a = weight(spec) / mass

    def gap(t: Array) -> Array:
        q = start + np.outer(t, speed) + 0.5 * np.outer(t**2, a)
        return np.column_stack(
            [
                -shapes.penetration(
                    shape_of(spec, pair["first"]),
                    place_of(q, pair["first"]),
                    shape_of(spec, pair["second"]),
                    place_of(q, pair["second"]),
                )
                for pair in spec["pairs"]
            ]
        )

    return search(gap, float(sol.t[-1]) if sol.success else case.t_end)


def of_energies(case: Case) -> tuple[float, float] | None:
    """Integrate Hamilton's equations of the reference, in q and p, by SciPy."""
    ref = Lagrangian(case.spec)
    n, zero = ref.n, np.zeros(1)
    assert case.q is not None
    q, u = np.array(case.q), np.array(case.u)
    if ref.rows(zero, q[None]).g.min() < APART:
        return None

    def rate(t: float, y: Array) -> Array:
        M = ref.mass(zero, y[None, :n])[0]
        v = np.linalg.solve(M, y[n:])
        return np.concatenate([v, ref.momentum_rate(zero, y[None, :n], v[None])[0]])

    y0 = np.concatenate([q, ref.mass(zero, q[None])[0] @ u])
    span = (0.0, min(case.t_end, 1.0))

    def touching(t: float, y: Array) -> float:
        return float(ref.rows(zero, y[None, :n]).g.min())

    touching.terminal = True
    flight = solve_ivp(
        rate, span, y0, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True,
        max_step=0.05, events=touching,
    )  # fmt: skip
    end = float(flight.t[-1])
    if flight.status == 0 and end < case.t_end:
        return None  # no touch in the integrated interval
    found = search(lambda t: ref.rows(t, flight.sol(t).T[:, :n]).g, end * (1.0 + 1e-9))
    return found
