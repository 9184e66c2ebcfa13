"""A driven mass between rigid stops, event by event with `scipy.integrate.solve_ivp`.

This is a typical hand-written program for a bifurcation diagram. It has smooth motion by DOP853,
terminal events at the stops, Newton's impact law x' = -e x', and points of a Poincaré section after
a transient. The library under test is never imported. Motions that come to rest on a stop raise an
error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

# An impact slower than this share of the fastest one so far indicates a motion coming to rest.
SLOWEST = 1e-6
# The integrator misses pairs of events within one step.
STEPS_PER_PERIOD = 4


@dataclass(frozen=True)
class Oscillator:
    """The motion x'' = force(t, x, x') between stops, from `x`, `v` at t = 0 off the stops."""

    force: Callable[[float, float, float], float]
    stops: tuple[tuple[float, int], ...]
    """Position and side of each stop, +1 if the mass comes from below."""
    e: float
    period: float
    """Period of the force."""
    x: float
    v: float


def impact_oscillator(
    F: float, zeta: float = 0.05, omega: float = 0.8, sigma: float = 1.0, e: float = 0.8
) -> Oscillator:
    """Return x'' + 2 ζ x' + x = F cos ωt with a stop at σ, from rest."""

    def force(t: float, x: float, v: float) -> float:
        return F * math.cos(omega * t) - x - 2.0 * zeta * v

    return Oscillator(force, ((sigma, +1),), e, 2.0 * math.pi / omega, min(0.0, sigma), 0.0)


def gear_rattling(
    alpha: float, beta: float = 0.1, gamma: float = 0.1, e: float = 0.9
) -> Oscillator:
    """Return (12.14), s'' + β s' = ë + β ė + γ, ė = α cos τ, between s = -1 and s = 0."""

    def force(t: float, s: float, v: float) -> float:
        return gamma - alpha * math.sin(t) + beta * (alpha * math.cos(t) - v)

    return Oscillator(force, ((0.0, +1), (-1.0, -1)), e, 2.0 * math.pi, -0.5, 0.0)


def section_points(
    motion: Oscillator,
    section: str,
    transient: int,
    samples: int,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> Array:
    """Return t, x, x' of a section, shape (samples, 3).

    `section` is "period" (multiples of the period) or "impact" (just after impacts).
    """
    wanted = transient + samples
    strobe = section == "period"
    times = motion.period * np.arange(1, wanted + 1)
    end = float(times[-1]) if strobe else math.inf
    force = motion.force

    def rhs(t: float, y: Array) -> tuple[float, float]:
        return y[1], force(t, y[0], y[1])

    events = [_reach(place, side) for place, side in motion.stops]
    t, y, met, fastest = 0.0, [motion.x, motion.v], 0, 0.0
    rows: list[tuple[float, float, float]] = []
    while met < wanted:
        until = end if strobe else t + 1000.0 * motion.period
        run = solve_ivp(
            rhs, (t, until), y, "DOP853", t_eval=times[met:] if strobe else [], events=events,
            rtol=rtol, atol=atol, max_step=motion.period / STEPS_PER_PERIOD,
        )  # fmt: skip
        if strobe:
            late = max(0, transient - met)
            met += len(run.t)
            seen = np.transpose(run.y)[late:] if len(run.t) else ()
            rows += [(t, *state) for t, state in zip(run.t[late:], seen, strict=True)]
            if run.status == 0:
                break
        hit = next((k for k, found in enumerate(run.t_events) if found.size), None)
        if hit is None:
            raise ValueError(f"no impact for 1000 periods behind t = {t:g}")
        t = float(run.t_events[hit][0])
        v = float(run.y_events[hit][0, 1])
        fastest = max(fastest, abs(v))
        if abs(v) < SLOWEST * fastest:
            raise ValueError(f"the mass comes to rest on a stop at t = {t:g}")
        y = [motion.stops[hit][0], -motion.e * v]
        if not strobe:
            met += 1
            if met > transient:
                rows.append((t, y[0], y[1]))
    return np.array(rows)


def _reach(place: float, side: int) -> Callable[[float, Array], float]:
    def gap(t: float, y: Array) -> float:
        return float(y[0]) - place

    gap.terminal, gap.direction = True, side  # type: ignore[attr-defined]
    return gap
