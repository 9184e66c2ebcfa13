"""Numerical forces on the landing airplane, (14.61)-(14.67), (14.73)-(14.88)."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator

from nsmb.systems.machines.landing_gear_data import LandingGearParameters, Strut
from nsmb.systems.machines.landing_gear_equations import SLIP_CURVE

_SLIPS = [slip for slip, _ in SLIP_CURVE]
_CUBICS = PchipInterpolator(*np.array(SLIP_CURVE).T).c.T.tolist()


def air_forces(
    p: LandingGearParameters, alpha: float, v: float, pitch_rate: float
) -> tuple[float, float, float]:
    """Return the forward and downward air forces and the nose-down moment at x_1 = 0."""
    pressure = 0.5 * p.rho * v**2 * p.F_B
    c_A = p.c_A_alpha * (alpha - p.alpha_0)
    c_W = p.a_0 + p.a_1 * alpha + p.a_2 * alpha**2
    c_M = p.c_M0 + p.c_M_A * c_A + p.c_M_q * p.l_mu * pitch_rate / v
    thrust = p.F_S0 - p.k * v
    return thrust - pressure * c_W, -pressure * c_A - thrust * p.alpha_0, -pressure * c_M * p.l_mu


@dataclass(frozen=True)
class Undercarriage:
    """The forces of all legs of a kind on a flat runway without brakes."""

    p: LandingGearParameters
    gear: Strut

    def _data(self, *names: str) -> list[float]:
        return [getattr(self.p, f"{name}{self.gear.index}") for name in names]

    def strut(self, stroke: float, rate: float) -> float:
        """Return the force (14.86) without friction, against the stroke."""
        K, V_1, V_2, p_1, p_2 = self._data("K_", "V_1", "V_2", "p_1", "p_2")
        n_p = self.p.n_p
        (oil,) = self._data("oil_in" if rate > 0.0 else "oil_out")
        left = V_1 * (p_1 / p_2) ** (1.0 / n_p)
        gas = p_1 * (V_1 / max(V_1 - K * stroke, left)) ** n_p
        if V_1 - K * stroke < left:
            gas = p_2 * ((left + V_2) / (V_1 + V_2 - K * stroke)) ** n_p  # (14.84), both chambers
        return float(self.gear.count * (K * gas + oil * rate * abs(rate)))

    def tyre(self, pressed: float, speed: float, spin: float) -> tuple[float, float, float]:
        """Return F_R, F_Sp and the lever arm of F_Sp on the wheel, (14.64)-(14.67)."""
        c, steps = self._data("c_1", "c_2", "c_3"), self._data("s_1", "s_2")
        F_R = 0.0
        for k, (start, end) in zip(c, pairwise([0.0, *steps, math.inf]), strict=True):
            F_R += self.gear.count * k * min(max(pressed - start, 0.0), end - start)
        lever = self._data("r_")[0] - pressed
        return F_R, self.p.mu_Sp * _share(1.0 - spin * lever / speed) * F_R, lever

    def bound(self, pressed: float, speed: float, spin: float) -> float:
        """Return the friction bound (14.87), (14.88)."""
        F_R, F_Sp, _ = self.tyre(pressed, speed, spin)
        k, l_g, a_g = self._data("k_", "l_g", "a_g")
        across = abs(k * F_R + self.gear.rake * F_Sp) / math.hypot(1.0, k)
        return float(self.p.mu_G * (l_g + a_g) / (l_g - a_g) * across)


def _share(slip: float) -> float:
    """Return the share of the largest coefficient, Fig. 14.24."""
    size = min(abs(slip), _SLIPS[-1])
    k = min(bisect.bisect_right(_SLIPS, size), len(_SLIPS) - 1) - 1
    d, (a, b, c, e) = size - _SLIPS[k], _CUBICS[k]
    return math.copysign(((a * d + b) * d + c) * d + e, slip)
