"""The woodpecker as a one-dimensional map.

While the lower edge sticks only the bird swings, (J_S + m_S l_G²) φ̈_S = -c_φ (φ_S - φ_M) - m_S g
l_G. The edge slips where the required friction, linear in φ_S, reaches its limit, at a closed-form
angle. Hence a cycle passes only the speed of the bird at that angle to the next one.
"""

from __future__ import annotations

import math

import numpy as np

import nsmb
from nsmb.analysis import PoincareMap, on_event

LOCK = on_event("slip", "lower")
SPEED = "phi_S_dot"


class CycleMap:
    """The map of the bird's speed u (rad/s) at slip of the lower edge, over one or more cycles."""

    def __init__(self, **parameters: float) -> None:
        self.system = nsmb.systems.woodpecker(**parameters)
        p = self.system.parameters
        self.phi_M = -(p["r_M"] - p["r_0"]) / p["h_M"]
        self.rest = self.phi_M - p["m_S"] * p["g"] * p["l_G"] / p["c_phi"]
        self.omega_2 = p["c_phi"] / (p["J_S"] + p["m_S"] * p["l_G"] ** 2)
        # λ_N, λ_T = constant + slope (φ_S - rest), from the rows of y and φ_M
        weight, swing = p["m_S"] * p["g"], p["m_S"] * p["l_G"] * self.omega_2
        bend = weight * p["l_G"] + weight * p["l_M"]
        T = np.array([(p["m_S"] + p["m_M"]) * p["g"], -swing])
        N = (np.array([bend, -p["c_phi"] - swing * p["l_M"]]) - p["r_M"] * T) / p["h_M"]
        excess = T - p["mu"] * N
        self.angle = self.rest - excess[0] / excess[1]
        self.map = PoincareMap(self.system, LOCK, t_max=2.0)

    def start(self, u: float) -> nsmb.State:
        """Return a sticking state at the bird's rest that reaches the slip angle at speed u."""
        at_rest = math.sqrt(u**2 + self.omega_2 * (self.angle - self.rest) ** 2)
        return nsmb.State(0.0, np.array([0.0, self.phi_M, self.rest]), np.array([0, 0, at_rest]))

    def speeds(self, u: float, cycles: int) -> np.ndarray:
        """Return the speeds from u on, shape (cycles + 1,), or fewer if the toy comes to rest."""
        found: np.ndarray = self.map.iterate(cycles + 1, start=self.start(u))[SPEED]
        return found

    def __call__(self, u: float, cycles: int = 1) -> float:
        found = self.speeds(u, cycles)
        return float(found[cycles]) if found.size > cycles else math.nan

    def slope(self, u: float, cycles: int = 1, h: float = 1e-4) -> float:
        return (self(u + h, cycles) - self(u - h, cycles)) / (2.0 * h)
