"""Checks of the motion between events against contact laws, from the dense output alone.

Over a short interval without events, the contact impulse is the residual of the equations of
motion. It must lie in the cone of forces that the contact states admit. This combines
complementarity, the friction cone, the direction of slip and the equations of motion. No force
reported by the run is used.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.findings import NEGATIVE, OPEN, POSITIVE, STICK, Findings, Tolerances
from tests.oracles.least_squares import nonnegative

Array = NDArray[np.float64]
GAUSS_X, GAUSS_W = np.polynomial.legendre.leggauss(8)
MOST_PIECES = 160


def pieces(sol: Any, cuts: list[float], longest: float) -> Array:
    """Return intervals (m, 2) between events and `cuts`, none longer than `longest`."""
    first, last = sol.t_span
    borders = np.unique(np.concatenate([sol.t[[0]], sol.events.t, cuts, [last]]))
    borders = borders[(borders >= first) & (borders <= last)]
    found = []
    for a, b in itertools.pairwise(borders):
        if b - a > 64.0 * np.spacing(max(abs(a), abs(b), 1e-300)):
            parts = np.linspace(a, b, 1 + max(1, min(2000, int(np.ceil((b - a) / longest)))))
            found.append(np.column_stack([parts[:-1], parts[1:]]))
    return np.concatenate(found) if found else np.zeros((0, 2))


def some(intervals: Array, most: int) -> Array:
    """Return at most `most` of the intervals, evenly spread."""
    if len(intervals) <= most:
        return intervals
    return intervals[np.unique(np.linspace(0, len(intervals) - 1, most).astype(int))]


def inner_times(intervals: Array) -> Array:
    """Return the Gauss points of all intervals, shape (m, 8)."""
    a, b = intervals[:, :1], intervals[:, 1:]
    return 0.5 * (a + b) + 0.5 * (b - a) * GAUSS_X


def check_gaps(ref: Any, sol: Any, intervals: Array, tol: Tolerances, found: Findings) -> None:
    """Check gaps between and at samples: no penetration, and no gap at closed contacts."""
    times = np.unique(np.concatenate([inner_times(intervals).ravel(), sol.t]))
    here = sol.at(times)
    rows = ref.rows(times, here.q)
    found.judge("penetration", -rows.g, tol.gap, times)
    closed = here.contact_state != OPEN
    found.judge("closed contact apart", np.where(closed, np.abs(rows.g), 0.0), tol.gap, times)
    normal = np.abs(rows.normal(here.u))
    found.judge("closed contact moves", np.where(closed, normal, 0.0), tol.velocity, times)
    slip = rows.tangential(here.u)
    rough = ref.laws.mu > 0.0
    sticks = (here.contact_state == STICK) & rough
    size = np.linalg.norm(slip, axis=2)
    found.judge("sticking contact slips", np.where(sticks, size, 0.0), tol.velocity, times)
    for state, sign in ((POSITIVE, -1.0), (NEGATIVE, 1.0)):
        wrong = np.where((here.contact_state == state) & rough, sign * slip[:, :, 0], 0.0)
        found.judge("slip against its sign", wrong, tol.velocity, times)


FACETS = 32
RIM = np.column_stack([f(2.0 * np.pi * np.arange(FACETS) / FACETS) for f in (np.cos, np.sin)])


def edges(W_N: Array, W_T: Array, state: Array, laws: Any, slip: Array, slow: float) -> Array:
    """Return columns whose nonnegative combinations are the admissible forces.

    With two tangential directions, a polyhedral cone encloses the cone of a sticking contact.
    """
    columns: list[Array] = []
    mu = laws.mu
    for i in np.flatnonzero(state != OPEN):
        normal, tangent = W_N[:, i], W_T[:, i, 0]
        if mu[i] == 0.0:
            columns.append(normal)
            continue
        if W_T.shape[2] == 2:
            axes = mu[i] * np.array([1.0, laws.aspect[i]])
            if state[i] == STICK or np.linalg.norm(slip[i]) < slow:
                rim = RIM / np.cos(np.pi / FACETS) * axes
            else:  # against the normal of the rim
                rim = -(axes**2 * slip[i] / np.linalg.norm(axes * slip[i]))[None]
            columns.extend(normal + W_T[:, i] @ r for r in rim)
            continue
        if state[i] != NEGATIVE:  # λ_T = -μ λ_N
            columns.append(normal - mu[i] * tangent)
        if state[i] != POSITIVE:
            columns.append(normal + mu[i] * tangent)
    return np.array(columns).T.reshape(len(W_N), -1)


def impulses(ref: Any, sol: Any, intervals: Array) -> tuple[Array, Array, Array]:
    """Return residual impulses of the equations of motion, initial momenta, and magnitudes."""
    times = inner_times(intervals)
    flat = times.ravel()
    here = sol.at(flat)
    width = np.diff(intervals, axis=1)[:, 0]
    rate = ref.momentum_rate(flat, here.q, here.u).reshape(*times.shape, -1)
    begin, end = sol.at(intervals[:, 0], "right"), sol.at(intervals[:, 1], "left")
    p = [
        np.einsum("mij,mj->mi", ref.mass(t, s.q), s.u)
        for t, s in ((intervals[:, 0], begin), (intervals[:, 1], end))
    ]
    half = 0.5 * width[:, None]
    impulse = p[1] - p[0] - half * np.einsum("mgi,g->mi", rate, GAUSS_W)
    return impulse, p[0], half * np.einsum("mgi,g->mi", np.abs(rate), GAUSS_W)


PANELS = 128


def off_cone(E: Array, right: Array) -> float:
    """Return the distance of a vector from the nonnegative combinations of the columns."""
    return nonnegative(E, right)[1]


def finer_impulse(ref: Any, sol: Any, interval: Array) -> Array:
    """Return the impulse on one interval by a finer quadrature."""
    borders = np.linspace(interval[0], interval[1], PANELS + 1)
    parts = np.column_stack([borders[:-1], borders[1:]])
    return np.asarray(impulses(ref, sol, parts)[0].sum(axis=0))


def check_forces(ref: Any, sol: Any, intervals: Array, tol: Tolerances, found: Findings) -> None:
    """Check that the contact impulse lies in the cone of its state."""
    intervals = some(intervals, MOST_PIECES)
    if not len(intervals):
        return
    width = np.diff(intervals, axis=1)[:, 0]
    impulse, momentum, gathered = impulses(ref, sol, intervals)
    middle = intervals.mean(axis=1)
    state = sol.at(middle).contact_state
    rows = ref.rows(middle, sol.at(middle).q)
    slip = rows.tangential(sol.at(middle).u)
    mass = ref.mass(middle, sol.at(middle).q)
    # Measured in the norm of kinetic energy, which is independent of the units of coordinates.
    size = np.zeros(len(middle))
    allowed = np.zeros(len(middle))
    for m in range(len(middle)):
        inverse = np.linalg.inv(np.linalg.cholesky(mass[m]))
        turn = 100.0 * tol.velocity + 30.0 * width[m] * (1.0 + tol.speed)
        E = inverse @ edges(rows.W_N[m], rows.W_T[m], state[m], ref.laws, slip[m], turn)
        scale = np.linalg.norm(inverse @ momentum[m]) + np.linalg.norm(inverse @ gathered[m])
        bend = getattr(ref, "bend", 0.0)  # the cone rotates while the body moves
        allowed[m] = tol.relative * (1.0 + scale) + bend * width[m] * np.linalg.norm(
            inverse @ impulse[m]
        )
        size[m] = off_cone(E, inverse @ impulse[m])
        if size[m] > allowed[m]:
            # Where load shifts between contacts without an event, the rate has a kink. Its
            # quadrature error falls with the square of the width.
            size[m] = off_cone(E, inverse @ finer_impulse(ref, sol, intervals[m]))
    found.judge("force outside the cone of its state", size, allowed, middle)


def check_reported(ref: Any, sol: Any, tol: Tolerances, found: Findings) -> None:
    """Check sampled forces: sign, complementarity, friction cone, power of friction."""
    force = np.abs(sol.lambda_N).max(initial=0.0)
    allowed = 1e-7 * (1e-3 + force) + tol.relative * force
    state = sol.contact_state
    # The instant of an undeclared switch may belong to either side.
    quiet = np.ones(len(sol.t), bool)
    for cut in getattr(ref, "switch_times", ()):
        quiet &= np.abs(sol.t - cut) > 1e-6
    found.judge("negative normal force", -sol.lambda_N * quiet[:, None], allowed, sol.t)
    is_open = np.where(state == OPEN, np.abs(sol.lambda_N), 0.0)
    found.judge("force of an open contact", is_open, 0.0, sol.t)
    friction = np.abs(sol.lambda_T)
    if friction.shape == sol.lambda_N.shape:
        bound = ref.laws.mu * np.abs(sol.lambda_N)
        found.judge(
            "friction beyond its bound", (friction - bound) * quiet[:, None], allowed, sol.t
        )
        sliding = (state >= POSITIVE) & (ref.laws.mu > 0.0)
        short = np.where(sliding & quiet[:, None], np.abs(friction - bound), 0.0)
        found.judge("sliding friction off its bound", short, allowed, sol.t)
        power = sol.lambda_T * sol.gamma_T * quiet[:, None]
        found.judge("friction gives power", power, allowed * (1.0 + tol.speed), sol.t)
