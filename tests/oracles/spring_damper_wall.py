"""The exact motion of a mass m above a massless wall with spring c and damper d (section 3.2.3).

gamma is the height of the mass, gamma_w that of the wall, and gravity acts downwards. In every
state the equations are linear with constant coefficients, so that the motion between events has a
closed form. So do the zeros of the derivative of an event function. Between them it is monotone,
and its root is bracketed. Without integrator and sampling, no event is missed. Laws:

- "elastic"     (3.16)        zeta = -c gamma while gamma < 0
- "damped"      (3.17)        zeta = -c gamma - d gammadot while gamma < 0; pulls at the end
- "clipped"     (3.18)        zeta = max(F_N, 0), F_N = -c gamma - d gammadot; acts above the wall
- "consistent"  (3.20)-(3.23) contact starts at gamma = gamma_w and ends at F_N = 0; the free wall
                relaxes as d gammadot_w = -c gamma_w and may be hit meanwhile

For the first three the wall has no state of its own, gamma_w = min(gamma, 0).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import acos, acosh, atan2, cos, cosh, exp, inf, log, log1p, pi, sin, sinh, sqrt

from scipy.optimize import brentq

Function = Callable[[float], float]

LAWS = ("elastic", "damped", "clipped", "consistent")


@dataclass(frozen=True)
class Collision:
    """A collision without gravity, with times from the onset of the force.

    Without separation t_e = inf, e = 0 and gamma_e is the limit.
    """

    e: float
    t_e: float
    gamma_e: float
    gamma_min: float
    F_begin: float


def collision(law: str, m: float, c: float, d: float, v: float) -> Collision:
    """Closed forms for g = 0 and approach with speed v, every damping ratio.

    With the clipped law, the force starts at gamma = d v/c. There gammaddot = 0, and gammaddot
    obeys the same equation. Hence the force ends after half a period, with the restitution of the
    damped law.
    """
    omega = sqrt(c / m)
    zeta = 0.0 if law == "elastic" else d / (2.0 * sqrt(c * m))
    w = omega * sqrt(abs((1.0 - zeta) * (1.0 + zeta))) or omega  # omega if critical
    if law == "consistent":
        angle = acos(zeta) if zeta < 1.0 else acosh(zeta) or 1.0
        t_e = 2.0 * angle / w
    else:
        t_e = pi / w if zeta < 1.0 else inf
    e = exp(-zeta * omega * t_e)
    if law == "clipped":
        lowest = -v / omega * exp(-zeta * omega * acos(-zeta) / w) if zeta < 1.0 else 0.0
        return Collision(e, t_e, -2.0 * zeta * e * v / omega, lowest, 0.0)
    t_deep = (acos(zeta) if zeta < 1.0 else acosh(zeta) or 1.0) / w
    lowest = -v / omega * exp(-zeta * omega * t_deep)
    gamma_e = -2.0 * zeta * e * v / omega if law == "consistent" else 0.0
    return Collision(e, t_e, gamma_e, lowest, 2.0 * zeta * omega * m * v)


class _Contact:
    """The solution of m gammaddot + d gammadot + c gamma = -m g from (gamma_0, v_0) at t = 0.

    Solutions of the homogeneous equation are p one(t) + q two(t), with one(0) = 1, two(0) = 0 and
    p, q the value and the rate + half p at t = 0.
    """

    def __init__(self, m: float, c: float, d: float, g: float, gamma_0: float, v_0: float) -> None:
        self.c, self.d = c, d
        self.half, self.square, self.rest = 0.5 * d / m, c / m, -m * g / c
        disc = self.square - self.half**2
        self.oscillates, self.w = disc > 0.0, sqrt(abs(disc))
        y, h, s = gamma_0 - self.rest, self.half, self.square
        a = -2.0 * h * v_0 - s * y
        self.pq_gamma = (y, v_0 + h * y)
        self.pq_v = (v_0, a + h * v_0)
        self.pq_a = (a, -h * a - s * v_0)

    def _value(self, pq: tuple[float, float], t: float) -> float:
        h, w = self.half, self.w
        if self.oscillates:
            one, two = exp(-h * t) * cos(w * t), exp(-h * t) * sin(w * t) / w
        elif w * t < 1.0:
            one, two = exp(-h * t) * cosh(w * t), exp(-h * t) * (sinh(w * t) / w if w else t)
        else:
            slow, fast = exp((w - h) * t), exp(-(w + h) * t)
            one, two = 0.5 * (slow + fast), 0.5 * (slow - fast) / w
        return pq[0] * one + pq[1] * two

    def _zeros(self, pq: tuple[float, float], t_end: float) -> list[float]:
        """Return the zeros in (0, t_end) of tan(w t)/w = -p/q, with tanh if overdamped."""
        (p, q), w = pq, self.w
        times: list[float] = []
        if self.oscillates:
            t = (atan2(-p * w, q) % pi) / w
            while t < t_end:
                times += [t] if t > 0.0 else []
                t += pi / w
        elif p * q < 0.0 and w * abs(p) < abs(q):
            x = -w * p / q
            t = 0.5 * (log1p(x) - log1p(-x)) / w if w else -p / q
            times += [t] if t < t_end else []
        return times

    def gamma(self, t: float) -> float:
        return self.rest + self._value(self.pq_gamma, t)

    def v(self, t: float) -> float:
        return self._value(self.pq_v, t)

    def force(self, t: float) -> float:
        """Return F_N = -c gamma - d gammadot."""
        return -self.c * self.gamma(t) - self.d * self.v(t)

    def turns(self, t_end: float) -> list[float]:
        """Return the zeros of gammadot."""
        return self._zeros(self.pq_v, t_end)

    def force_turns(self, t_end: float) -> list[float]:
        """Return the zeros of dF_N/dt = -c gammadot - d gammaddot."""
        (p, q), (r, s) = self.pq_v, self.pq_a
        return self._zeros((-self.c * p - self.d * r, -self.c * q - self.d * s), t_end)


@dataclass(frozen=True)
class _Flight:
    """The mass and the relaxing wall without contact."""

    g: float
    gamma_0: float
    v_0: float
    wall_0: float = 0.0
    rate: float = 0.0  # c/d

    def gamma(self, t: float) -> float:
        return self.gamma_0 + self.v_0 * t - 0.5 * self.g * t * t

    def v(self, t: float) -> float:
        return self.v_0 - self.g * t

    def wall(self, t: float) -> float:
        return self.wall_0 * exp(-self.rate * t)

    def gap(self, t: float) -> float:
        return self.gamma(t) - self.wall(t)

    def gap_rate(self, t: float) -> float:
        return self.v(t) + self.rate * self.wall(t)

    def meeting(self, t_end: float, just_left: bool) -> float | None:
        """Return the time at which the gap closes.

        Its curvature -g - rate^2 wall changes sign at most once, to negative.

        A flight that has just left the wall starts with gap = gap rate = 0 and positive curvature,
        so that the gap cannot close before this change.
        """
        pull = -(self.rate**2) * self.wall_0
        bend = 0.0
        if pull > self.g:
            bend = log(pull / self.g) / self.rate if self.g > 0.0 else inf
        if just_left:
            if bend >= t_end:
                return None
            return _first_fall(self.gap, self._turns(bend, t_end), bend, t_end)
        knots = [t for t in (bend,) if t < t_end]
        knots += self._turns(0.0, min(bend, t_end)) + self._turns(min(bend, t_end), t_end)
        return _first_fall(self.gap, knots, 0.0, t_end)

    def _turns(self, lo: float, hi: float) -> list[float]:
        """Return the zero of the gap rate where it is monotone."""
        if self.gap_rate(lo) * self.gap_rate(hi) >= 0.0:
            return []
        return [float(brentq(self.gap_rate, lo, hi, xtol=1e-16, rtol=1e-15))]


def _first_fall(f: Function, knots: Sequence[float], start: float, end: float) -> float | None:
    """Return the first sign change of f to < 0 in [start, end]. f is monotone between knots."""
    times = [start, *sorted(t for t in knots if start < t < end), end]
    left = max(f(start), 0.0)  # an initial zero has rounding errors
    for lo, hi in pairwise(times):
        right = f(hi)
        if right < 0.0:
            return float(brentq(f, lo, hi, xtol=1e-16, rtol=1e-15)) if left > 0.0 else lo
        left = right
    return None


@dataclass(frozen=True)
class Event:
    """The onset or end of the force, with F its value on the side where it acts."""

    t: float
    kind: str  # "begin", "end"
    gamma: float
    v: float
    gamma_w: float
    F: float


@dataclass(frozen=True)
class _Phase:
    t: float
    gamma: Function  # these four as functions of the time since t
    v: Function
    wall: Function
    force: Function


@dataclass(frozen=True)
class Motion:
    """The events in order, and the state at any time when called."""

    events: tuple[Event, ...]
    phases: tuple[_Phase, ...]

    def __call__(self, t: float) -> tuple[float, float, float, float]:
        """Return (gamma, gammadot, gamma_w, force on the mass), at an event the values after it."""
        p = self.phases[max(0, bisect_right([p.t for p in self.phases], t) - 1)]
        s = t - p.t
        return p.gamma(s), p.v(s), p.wall(s), p.force(s)


def _begins(law: str, c: float, d: float, g: float, gamma: float, v: float, wall: float) -> bool:
    """Return True if the force acts just after this state. Zeros defer to the next derivative."""
    if law == "consistent":
        rate = v + c / d * wall
        signs = (gamma - wall, rate, -g - (c / d) ** 2 * wall)
    elif law == "clipped":
        signs = (c * gamma + d * v, c * v - d * g, -c * g)
    else:
        signs = (gamma, v, -g)
    return next((s < 0.0 for s in signs if s != 0.0), False)


def simulate(
    law: str,
    m: float,
    c: float,
    d: float,
    g: float,
    gamma_0: float,
    v_0: float,
    t_end: float,
    wall_0: float = 0.0,
    max_events: int = 1000,
) -> Motion:
    """Return the motion from gamma_0 (not below the wall), v_0 at t = 0.

    The consistent law needs d > 0.

    `wall_0` is the initial position of the wall, for the consistent law only.
    """
    if law not in LAWS or (law == "consistent" and (d <= 0.0 or gamma_0 < wall_0)):
        raise ValueError(f"law: expected one of {LAWS}, with d > 0 and gamma_0 >= wall_0")
    d = 0.0 if law == "elastic" else d
    t, gamma, v, wall, just_left = 0.0, gamma_0, v_0, wall_0, False
    contact = _begins(law, c, d, g, gamma, v, wall)
    events: list[Event] = []
    phases: list[_Phase] = []
    while len(events) < max_events:
        left = t_end - t
        if contact:
            x = _Contact(m, c, d, g, gamma, v)
            wall_of = x.gamma if law == "consistent" else partial(_surface, x.gamma)
            phases.append(_Phase(t, x.gamma, x.v, wall_of, x.force))
            if law in ("clipped", "consistent"):
                s = _first_fall(x.force, x.force_turns(left), 0.0, left)
            else:
                s = _first_fall(lambda s, x=x: -x.gamma(s), x.turns(left), 0.0, left)
        else:
            y = _Flight(g, gamma, v, wall, c / d if law == "consistent" else 0.0)
            wall_of = y.wall if law == "consistent" else partial(_surface, y.gamma)
            phases.append(_Phase(t, y.gamma, y.v, wall_of, lambda s: 0.0))
            if law == "consistent":
                s = y.meeting(left, just_left)
            elif law == "clipped":
                knots = [(v - d * g / c) / g] if g > 0.0 else []
                s = _first_fall(lambda s, y=y: c * y.gamma(s) + d * y.v(s), knots, 0.0, left)
            else:
                s = _first_fall(y.gamma, [v / g] if g > 0.0 else [], 0.0, left)
        if s is None:
            break
        p = phases[-1]
        t, gamma, v, wall = t + s, p.gamma(s), p.v(s), p.wall(s)
        if law in ("elastic", "damped"):
            gamma = wall = 0.0
        elif law == "consistent" and not contact:
            gamma = wall  # equal at the root, up to rounding
        force = -c * gamma - d * v
        events.append(Event(t, "end" if contact else "begin", gamma, v, wall, force))
        contact, just_left = not contact, contact
    return Motion(tuple(events), tuple(phases))


def _surface(gamma: Function, t: float) -> float:
    return min(gamma(t), 0.0)
