"""A rod of length 2 s sliding to the right on its end C (section 5.3; Génot, Brogliato 1999).

phi > 0 leans the rod down to the right, C = (x + s cos phi, y - s sin phi).  Sliding is
gddot_N = a lambda_N + b = 0, (5.31), (5.34), without complementarity solver.  (phi, phidot) do not
depend on the sliding velocity v.  With A = m a and the time scale d tau = dt/A the motion is

    phi' = A phidot,   phidot' = 3 b (cos phi - mu sin phi)/s,   t' = A,

smooth also at A = 0.  For mu > 4/3, A has the zeros phi_1 < phi_2.  Below phi_1 a motion with b < 0
cannot reach A = 0 except in the critical point P = (phi_1, sqrt(g/(s sin phi_1))), a node with rate
ratio r = 2 T^2/(4 - T^2), T = tan phi_1: near P, with eps = phi_1 - phi > 0,

    phidot - phidot_1 = -p eps/(1 - r) + C eps^r.

For mu > 8/(3 sqrt 3) = 1.5396 (r < 1), motions with C > 0 take off before P. Motions with C < 0
reach P, where lambda_N grows like eps^(r-1) without bound while its impulse stays finite. C = 0
separates them. For smaller mu every motion takes off (b = 0) first. States are ln eps and phidot -
phidot_1, so that P is approached without loss of digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import atan, cos, exp, inf, log, pi, sin, sqrt, tan

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

FRICTION_PAINLEVE = 4.0 / 3.0  # A has zeros above it
FRICTION_CRITICAL = 8.0 / (3.0 * sqrt(3.0))  # P attracts motions in contact above it


@dataclass(frozen=True)
class End:
    """The end of sliding.

    `kind` is "critical" (in P, lambda_N unbounded), "take-off" (b = 0, lambda_N = 0), "stop" (v =
    0), "flat" (the rod lies on the plane), "time" (t_end).
    """

    kind: str
    t: float
    phi: float
    phidot: float
    v: float
    x_C: float  # path of C
    Lambda_N: float  # integral of lambda_N
    lambda_N: float


@dataclass(frozen=True)
class Rod:
    mu: float
    m: float = 1.0
    s: float = 0.5
    g: float = 9.81

    def A(self, phi: float) -> float:
        """Return m a, (5.31)."""
        c, s = cos(phi), sin(phi)
        return 1.0 + 3.0 * c * (c - self.mu * s)

    def b(self, phi: float, phidot: float) -> float:
        return self.s * phidot**2 * sin(phi) - self.g

    @cached_property
    def angles(self) -> tuple[float, float]:
        """The angles phi_1 < phi_2 with A = 0, tan^2 - 3 mu tan + 4 = 0.

        Raises ValueError for mu < 4/3.
        """
        if self.mu < FRICTION_PAINLEVE:
            raise ValueError(f"mu: expected >= 4/3, got {self.mu}")
        larger = 1.5 * self.mu + sqrt(max(2.25 * self.mu**2 - 4.0, 0.0))
        return atan(4.0 / larger), atan(larger)

    @cached_property
    def critical_point(self) -> tuple[float, float]:
        phi = self.angles[0]
        return phi, sqrt(self.g / (self.s * sin(phi)))

    @cached_property
    def ratio(self) -> float:
        """The ratio r. b decreases towards P like eps^min(r, 1)."""
        square = tan(self.angles[0]) ** 2
        return 2.0 * square / (4.0 - square) if square < 4.0 else inf

    def solutions(self, phi: float, phidot: float) -> list[tuple[str, float, float]]:
        """Return all (name, lambda_N, gddot_N) while sliding right, the four cases of (5.35)."""
        a, b = self.A(phi) / self.m, self.b(phi, phidot)
        found = []
        if b > 0.0:
            found.append(("take-off", 0.0, b))
        if a != 0.0 and -b / a > 0.0:
            found.append(("slide", -b / a, 0.0))
        return found

    def sticking_forces(self, phi: float, phidot: float) -> tuple[float, float]:
        """Return (lambda_N, lambda_T) that keep C at rest, without friction limit."""
        c, s = cos(phi), sin(phi)
        free_N, free_T = self.b(phi, phidot), -self.s * phidot**2 * c
        k = 0.25 * self.m
        return (
            -k * ((1.0 + 3.0 * s * s) * free_N - 3.0 * s * c * free_T),
            -k * ((1.0 + 3.0 * c * c) * free_T - 3.0 * s * c * free_N),
        )

    def impact_without_collision(self, phi: float, v: float) -> tuple[float, float, float]:
        """Return (Lambda_N, Lambda_T, jump of phidot) that stop C, in the cone iff A <= 0."""
        c, s = cos(phi), sin(phi)
        k = 0.25 * self.m * v
        return 3.0 * k * s * c, -k * (1.0 + 3.0 * c * c), 0.75 * v * s / self.s

    def _rates(self, phi: float, phidot: float, b: float, a: float, v: float) -> list[float]:
        """Return phidot', v', t', x_C', Lambda_N' with d tau = dt/A and lambda_N = -m b/A."""
        c, s = cos(phi), sin(phi)
        arm = c - self.mu * s
        v_rate = (self.mu - 3.0 * s * arm) * b - a * self.s * phidot**2 * c  # (5.32)
        return [3.0 * b * arm / self.s, v_rate, a, a * v, -self.m * b]

    def _near(self, log_eps: float, w: float) -> tuple[float, float, float]:
        """Return (A, A/eps, b) at phi = phi_1 - eps, phidot = phidot_1 + w without cancellation."""
        phi, phidot = self.critical_point
        eps = exp(log_eps)
        slope = 3.0 * (sin(2.0 * phi - eps) + self.mu * cos(2.0 * phi - eps))
        quotient = sin(eps) / eps * slope if eps > 0.0 else slope
        drop = 2.0 * cos(phi - 0.5 * eps) * sin(0.5 * eps)  # sin(phi_1) - sin(phi_1 - eps)
        b = self.s * ((2.0 * phidot + w) * w * sin(phi - eps) - phidot**2 * drop)
        return sin(eps) * slope, quotient, b

    def slide(
        self, phi: float, phidot: float, v: float, t_end: float = inf, rtol: float = 1e-12
    ) -> End:
        """Slide from a > 0, b < 0, v > 0 and 0 < phi < pi until one of the kinds of End.

        "critical" is reported where phidot_1 - phidot is below 1e-12 of its size. Motions that
        close to the separating one (C = 0) also count as critical.
        """
        if not (self.A(phi) > 0.0 > self.b(phi, phidot) and v > 0.0 and 0.0 < phi < pi):
            raise ValueError("phi, phidot, v: expected a > 0, b < 0, v > 0, 0 < phi < pi")
        below = self.mu > FRICTION_PAINLEVE and phi < self.angles[0]
        phi_1, phidot_1 = self.critical_point if below else (0.0, 0.0)

        def place(z: Array) -> tuple[float, float, float, float]:
            """Return phi, A, b and the rate of the first state. The second is phidot - phidot_1."""
            if below:
                a, quotient, b = self._near(z[0], z[1])
                return phi_1 - exp(z[0]), a, b, -quotient * (phidot_1 + z[1])
            a = self.A(z[0])
            return z[0], a, self.b(z[0], z[1]), a * z[1]

        def rhs(_: float, z: Array) -> list[float]:
            angle, a, b, first = place(z)
            return [first, *self._rates(angle, phidot_1 + z[1], b, a, z[2])]

        # b separates the kinds like eps^|1 - r| and vanishes like eps^min(r, 1)
        near = -30.0 / max(min(self.ratio, 1.0, abs(1.0 - self.ratio)), 0.02) if below else -inf
        bounds: dict[str, Callable[[float, Array], float]] = {
            "take-off": lambda _, z: -place(z)[2],
            "stop": lambda _, z: z[2],
            "flat": lambda _, z: sin(place(z)[0]),
            "time": lambda _, z: min(t_end, 1e6) - z[3],
        }
        if below:
            bounds["critical"] = lambda _, z: z[0] - near
        for f in bounds.values():
            f.terminal, f.direction = True, -1.0  # type: ignore[attr-defined]
        z0 = [log(phi_1 - phi) if below else phi, phidot - phidot_1, v, 0.0, 0.0, 0.0]
        rate = sqrt(self.g / self.s)
        atol = 1e-3 * rtol * np.array([1.0, rate, v, 1.0 / rate, v / rate, self.m * v])
        atol[1] *= 1e-15  # the digits of small phidot - phidot_1 decide
        run = solve_ivp(
            rhs, (0.0, 1e9), z0, "DOP853", events=list(bounds.values()), rtol=rtol, atol=atol
        )
        if run.status != 1:
            raise RuntimeError(f"sliding does not end: {run.message}")
        kind = next(k for k, times in zip(bounds, run.t_events, strict=True) if len(times))
        z = [float(x) for x in run.y[:, -1]]
        angle, a, b, _ = place(run.y[:, -1])
        force = inf if kind == "critical" else -self.m * b / a
        return End(kind, z[3], angle, phidot_1 + z[1], z[2], z[4], z[5], float(force))

    def dividing_rate(self, phi: float, eps: float = 1e-12, rtol: float = 1e-12) -> float:
        """Return phidot at phi < phi_1 of the motion with C = 0.

        Motions below it reach P, motions above it take off.

        It is integrated backwards over ln eps from the eigenvector at P. Raises ValueError unless r
        < 1.
        """
        if not self.mu > FRICTION_CRITICAL:
            raise ValueError(f"mu: expected > 8/(3 sqrt 3), got {self.mu}")
        phi_1, phidot_1 = self.critical_point

        def rhs(log_eps: float, z: Array) -> list[float]:
            a, quotient, b = self._near(log_eps, z[0])
            phidot = phidot_1 + z[0]
            rate = self._rates(phi_1 - exp(log_eps), phidot, b, a, 0.0)[0]
            return [-rate / (quotient * phidot)]

        p = self.ratio * phidot_1 / (2.0 * tan(phi_1))
        start = [-p * eps / (1.0 - self.ratio)]
        span = (log(eps), log(phi_1 - phi))
        run = solve_ivp(rhs, span, start, "DOP853", rtol=rtol, atol=1e-12 * eps)
        return phidot_1 + float(run.y[0, -1])
