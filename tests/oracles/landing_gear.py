"""The rigid landing airplane of Pfeiffer & Glocker, section 14.4, with regularised laws.

It uses the printed matrix (14.50) and vector (14.48). Friction by tanh(Δẏ/ε) and stops by stiff
springs and dampers replace set-valued laws. SciPy integrates implicitly.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

Array = NDArray[np.float64]

LEGS = (("2", 2, 1.0, 3), ("3", 1, -1.0, 4))
"""Index, number, sign in (14.87), (14.88), and position of y_2,i of each leg."""


class SmoothLanding:
    """The airplane, with parameter names as in `nsmb.systems.landing_gear`."""

    def __init__(
        self, p: Mapping[str, float], slip_curve: Array, epsilon: float, stiffness: float
    ) -> None:
        self.p, self.epsilon, self.stiffness = dict(p), epsilon, stiffness
        self.damping = 2.0 * np.sqrt(100.0 * stiffness)  # critical for 100 kg
        self.curve, self.last = PchipInterpolator(*slip_curve.T), slip_curve[-1, 0]
        self.M = self._mass_matrix()

    def _mass_matrix(self) -> Array:
        """Return the mass matrix (14.50)."""
        p = self.p
        m_2, m_3 = p["m_2o"] + p["m_2u"], p["m_3o"] + p["m_3u"]
        low_2, low_3 = p["m_4"] + p["m_2u"], p["m_5"] + p["m_3u"]
        m_ges = p["m_1"] + 2 * (p["m_2o"] + low_2) + p["m_3o"] + low_3
        shift = (2 * p["m_2o"] * p["x_12"] + p["m_3o"] * p["x_13"]) / p["m_1"]
        M = np.diag([m_ges, m_ges - 2 * low_2 - low_3, 0, 2 * low_2, low_3, 2 * p["I_4"], p["I_5"]])
        M[0, 2] = M[2, 0] = (m_2 + 2 * p["m_4"]) * p["l_02"] + (0.5 * m_3 + p["m_5"]) * p["l_03"]
        M[2, 2] = p["m_1"] * (p["l_1"] ** 2 / 12 + shift**2) + p["I_1z"] * p["l_1"]
        for i, n, m, wheel in (("2", 2, m_2, p["m_4"]), ("3", 1, m_3, p["m_5"])):
            l_0 = p[f"l_0{i}"]
            M[2, 2] += n * (p[f"m_{i}o"] * p[f"x_1{i}"] ** 2 + (wheel + m / 3) * l_0**2)
            M[2, 2] += n * p[f"I_{i}z"] * l_0
        return M

    def leg(
        self, i: str, rake: float, place: int, q: Array, u: Array
    ) -> tuple[Array, Array, Array]:
        """Return F_1, F_R and F_Sp of one leg."""
        p = self.p
        stroke = q[1] - p[f"x_1{i}"] * q[2] - q[place]
        rate = u[1] - p[f"x_1{i}"] * u[2] - u[place]
        K, V_1, p_1, p_2 = (p[f"{name}{i}"] for name in ("K_", "V_1", "p_1", "p_2"))
        left = V_1 * (p_1 / p_2) ** (1 / p["n_p"])
        change = (V_1 - left) / K  # (14.79)
        first = p_1 / (1 - K * np.minimum(stroke, change) / V_1) ** p["n_p"]
        more = K * np.maximum(stroke - change, 0.0) / (left + p[f"V_2{i}"])
        gas = K * np.where(stroke < change, first, p_2 / (1 - more) ** p["n_p"])  # (14.86)
        oil = np.where(rate > 0, p[f"oil_in{i}"], p[f"oil_out{i}"]) * rate * np.abs(rate)
        s, s_1, s_2 = q[place], p[f"s_1{i}"], p[f"s_2{i}"]
        F_R = p[f"c_1{i}"] * np.clip(s, 0.0, s_1)  # (14.64)
        F_R = F_R + p[f"c_2{i}"] * np.clip(s - s_1, 0.0, s_2 - s_1)
        F_R = F_R + p[f"c_3{i}"] * np.maximum(s - s_2, 0.0)
        spin = u[5 if i == "2" else 6]
        slip = 1 - spin * (p[f"r_{i}"] - s) / (u[0] + p[f"l_0{i}"] * u[2])  # (14.67)
        share = np.sign(slip) * self.curve(np.minimum(np.abs(slip), self.last))
        F_Sp = p["mu_Sp"] * share * F_R  # (14.66)
        k, l_g, a_g = (p[f"{name}{i}"] for name in ("k_", "l_g", "a_g"))
        normal = np.abs(k * F_R + rake * F_Sp) / np.hypot(1.0, k)
        friction = p["mu_G"] * (l_g + a_g) / (l_g - a_g) * normal * np.tanh(rate / self.epsilon)
        return gas + oil + friction + self._stops(i, stroke, rate), F_R, F_Sp

    def _stops(self, i: str, stroke: Array, rate: Array) -> Array:
        """Return the forces of the stops, which do not pull."""
        force = np.zeros_like(stroke)
        for sign, end in ((1.0, self.p[f"y_max{i}"]), (-1.0, self.p[f"y_min{i}"])):
            deep = sign * (stroke - end)
            push = self.stiffness * deep + self.damping * sign * rate
            force = force + sign * np.where(deep > 0, np.maximum(push, 0.0), 0.0)
        return force

    def forces(self, q: Array, u: Array) -> Array:
        """Return (14.48) with g in rows 4 and 5, without brakes."""
        p = self.p
        pressure = 0.5 * p["rho"] * u[0] ** 2 * p["F_B"]
        c_A = p["c_A_alpha"] * (q[2] - p["alpha_0"])  # (14.62)
        c_W = p["a_0"] + p["a_1"] * q[2] + p["a_2"] * q[2] ** 2
        c_M = p["c_M0"] + p["c_M_A"] * c_A + p["c_M_q"] * p["l_mu"] * u[2] / u[0]
        F_S = p["F_S0"] - p["k"] * u[0]
        h = np.zeros_like(q)
        h[0] = F_S - pressure * c_W
        h[1] = self.M[1, 1] * p["g"] - pressure * c_A - F_S * p["alpha_0"]
        h[2] = pressure * c_M * p["l_mu"]
        for i, n, rake, place in LEGS:
            F_1, F_R, F_Sp = self.leg(i, rake, place, q, u)
            h[0] -= n * F_Sp
            h[1] -= n * F_1
            h[2] += n * (p[f"x_1{i}"] * F_1 - p[f"l_0{i}"] * F_Sp)
            h[place] = n * (F_1 - F_R) + self.M[place, place] * p["g"]
            h[place + 2] = n * (p[f"r_{i}"] - q[place]) * F_Sp
        return h

    def land(self, times: Array) -> tuple[Array, Array]:
        """Return positions and velocities, shape (n, 7) each."""
        p = self.p
        y = p["x_12"] * p["alpha"] + p["y_min2"]
        q = [0.0, y, p["alpha"], 0.0, y - p["x_13"] * p["alpha"] - p["y_min3"], 0.0, 0.0]
        u = [p["v_x"], p["v_sink"], 0.0, p["v_sink"], p["v_sink"], 0.0, 0.0]
        inverse = np.linalg.inv(self.M)

        def rates(t: float, state: Array) -> Array:
            return np.concatenate([state[7:], inverse @ self.forces(state[:7], state[7:])])

        found = solve_ivp(
            rates, (0.0, times[-1]), [*q, *u], "Radau", times, rtol=1e-6, atol=1e-8, max_step=2e-3
        )
        return found.y[:7].T, found.y[7:].T
