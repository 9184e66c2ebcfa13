"""Park model of a synchronous machine with damper cage: Pfeiffer & Glocker, 11.2.5.

Quantities are per unit: voltages and currents relative to their rated peaks, reactances x = ω L/Z,
torque relative to rated power at synchronous speed. L of (11.58) is then symmetric for any
windings, and ω x⁻¹ replaces L⁻¹. The sign convention is that of a consumer: a positive torque
drives, and currents flow in.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["STATES", "SynchronousMachine", "loaded_start", "park_voltages"]

Row = Sequence[Any] | NDArray[Any]
"""Five numbers, expressions, or arrays over time."""

STATES = ("i_d", "i_q", "i_D", "i_Q", "i_E")
"""Currents of stator, damper cage and excitation (11.57)."""


@dataclass(frozen=True)
class SynchronousMachine:
    """Reactances and resistances, as numbers, arrays or expressions."""

    x_l: Any
    """Leakage reactance of the stator."""
    x_md: Any
    x_mq: Any
    """Main reactances of both axes."""
    x_D: Any
    x_Q: Any
    x_E: Any
    """Leakage reactances of damper cage and excitation."""
    R_S: Any
    R_D: Any
    R_Q: Any
    R_E: Any
    omega: Any
    """Frequency of the grid, rad/s."""

    def reactances(self) -> list[list[Any]]:
        """Return ω L of (11.58), symmetric, shape (5, 5)."""
        d, q, D, Q, E = self.x_l + self.x_md, self.x_l + self.x_mq, self.x_D, self.x_Q, self.x_E
        m_d, m_q = self.x_md, self.x_mq
        return [
            [d, 0, m_d, 0, m_d],
            [0, q, 0, m_q, 0],
            [m_d, 0, m_d + D, 0, m_d],
            [0, m_q, 0, m_q + Q, 0],
            [m_d, 0, m_d, 0, m_d + E],
        ]

    def impedances(self, n: Any) -> list[list[Any]]:
        """Return Z of (11.58) at the speed n relative to the synchronous speed, shape (5, 5)."""
        d, q = self.x_l + self.x_md, self.x_l + self.x_mq
        m_d, m_q = n * self.x_md, n * self.x_mq
        return [
            [self.R_S, -n * q, 0, -m_q, 0],
            [n * d, self.R_S, m_d, 0, m_d],
            [0, 0, self.R_D, 0, 0],
            [0, 0, 0, self.R_Q, 0],
            [0, 0, 0, 0, self.R_E],
        ]

    def fluxes(self, i: Row) -> tuple[Any, Any]:
        """Return ψ_Sd and ψ_Sq of (11.59)."""
        psi = _times(self.reactances()[:2], i)
        return psi[0], psi[1]

    def torque(self, i: Row) -> Any:
        """Return T_G of (11.59)."""
        psi_d, psi_q = self.fluxes(i)
        return psi_d * i[1] - psi_q * i[0]

    def driving(self, i: Row, u: Row, n: Any) -> list[Any]:
        """Return ω (u - Z i), which drives the currents in (11.57)."""
        drop = _times(self.impedances(n), i)
        return [self.omega * (a - b) for a, b in zip(u, drop, strict=True)]

    def stator_rates(self, i: Row, u: Row, n: Any) -> tuple[Any, Any]:
        """Return the rates of i_d and i_q on the grid, (11.57) with eliminated rotor currents."""
        v = self.driving(i, u, n)
        X = self.reactances()
        # Contribution of each rotor circuit; it reduces x_d and x_q to subtransient reactances.
        to_D, to_E = _solve2(X[2][2], X[2][4], X[4][4], X[0][2], X[0][4])
        to_Q = X[1][3] / X[3][3]
        x_d, x_q = self.subtransient()
        return (v[0] - to_D * v[2] - to_E * v[4]) / x_d, (v[1] - to_Q * v[3]) / x_q

    def subtransient(self) -> tuple[Any, Any]:
        """Return x_d'' and x_q''."""
        X = self.reactances()
        to_D, to_E = _solve2(X[2][2], X[2][4], X[4][4], X[0][2], X[0][4])
        return X[0][0] - to_D * X[0][2] - to_E * X[0][4], X[1][1] - X[1][3] ** 2 / X[3][3]

    def rotor_rates(self, i: Row, u: Row, n: Any, stator: tuple[Any, Any]) -> tuple[Any, Any, Any]:
        """Return the rates of i_D, i_Q and i_E for given rates of the stator currents."""
        v = self.driving(i, u, n)
        X = self.reactances()
        d, q = stator
        D, E = _solve2(X[2][2], X[2][4], X[4][4], v[2] - X[2][0] * d, v[4] - X[4][0] * d)
        return D, (v[3] - X[3][1] * q) / X[3][3], E

    def losses(self, i: Row) -> Any:
        """Return the losses P_V > 0 of (11.60) of all windings."""
        R = (self.R_S, self.R_S, self.R_D, self.R_Q, self.R_E)
        return sum(r * current**2 for r, current in zip(R, i, strict=True))

    def magnetic_energy(self, i: Row) -> Any:
        """Return ½ iᵀ L i, in units of rated power times s."""
        fluxes = _times(self.reactances(), i)
        return sum(a * b for a, b in zip(i, fluxes, strict=True)) / (2 * self.omega)


def _times(matrix: Sequence[Sequence[Any]], vector: Row) -> list[Any]:
    return [
        sum(entry * x for entry, x in zip(row, vector, strict=True) if not _is_zero(entry))
        for row in matrix
    ]


def _is_zero(entry: Any) -> bool:
    return isinstance(entry, int) and entry == 0


def _solve2(a: Any, b: Any, c: Any, f: Any, g: Any) -> tuple[Any, Any]:
    """Solve ((a, b), (b, c)) x = (f, g)."""
    determinant = a * c - b**2
    return (c * f - b * g) / determinant, (a * g - b * f) / determinant


def park_voltages(lag: Any, delta: Any, lost: Sequence[Any], cos: Any, sin: Any) -> tuple[Any, Any]:
    """Return u_d and u_q of a grid in which some phases have no voltage.

    Parameters
    ----------
    lag : float or expression
        Angle of phase a of the grid, whose voltage is cos(lag).
    delta : float or expression
        Angle by which the q-axis of the rotor leads the grid voltage.
    lost : three numbers or expressions
        1 if the phase has no voltage, otherwise 0.
    cos, sin : callable
        Functions of numbers, arrays or expressions.
    """
    u_d, u_q = sin(delta), cos(delta)
    for k, gone in enumerate(lost):
        turn = 2.0 * math.pi / 3.0 * k
        voltage = cos(lag - turn)
        # the d-axis lags the q-axis by a quarter of a period
        u_d = u_d - gone * 2 / 3 * voltage * sin(lag - turn + delta)
        u_q = u_q - gone * 2 / 3 * voltage * cos(lag - turn + delta)
    return u_d, u_q


def loaded_start(
    machine: SynchronousMachine, power: float, cos_phi: float
) -> tuple[float, tuple[float, float, float, float, float], float]:
    """Return load angle δ, currents and u_E at rated voltage and frequency, by the phasor diagram.

    Parameters
    ----------
    machine : SynchronousMachine
        Machine with numbers.
    power : float
        Mechanical power in units of the rated apparent power, > 0 for a generator.
    cos_phi : float
        Power factor, overexcited.
    """
    # The shaft power is that of the grid, I cos φ, plus the stator loss, R I².
    R = machine.R_S
    size = 2.0 * power / (cos_phi + (cos_phi**2 + 4.0 * R * power) ** 0.5)
    i = complex(-size * cos_phi, size * (1.0 - cos_phi**2) ** 0.5)
    # the voltage behind R + j x_q gives the q-axis
    induced = 1.0 - complex(R, machine.x_l + machine.x_mq) * i
    along_q = induced / abs(induced)
    i_d, i_q = -(i / along_q).imag, (i / along_q).real
    u_q = (1.0 / along_q).real
    i_E = (u_q - R * i_q - (machine.x_l + machine.x_md) * i_d) / machine.x_md
    return cmath.phase(along_q), (i_d, i_q, 0.0, 0.0, i_E), machine.R_E * i_E
