"""Park's synchronous machine with smooth core and damper cage: Pfeiffer & Glocker, 11.2.5.

In units of the machine: voltages and currents of their rated peaks, reactances x = ω L/Z, torque of
rated power at synchronous speed. Then L of (11.58) is symmetric, whatever the windings are, and
ω x⁻¹ stands for L⁻¹. Consumer's convention: a positive torque drives, currents flow in.
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
    """Reactances and resistances; all may be numbers, arrays or expressions."""

    x_l: Any
    """Leakage of the stator."""
    x_md: Any
    x_mq: Any
    """Main reactances of both axes."""
    x_D: Any
    x_Q: Any
    x_E: Any
    """Leakage of damper cage and excitation."""
    R_S: Any
    R_D: Any
    R_Q: Any
    R_E: Any
    omega: Any
    """Frequency of the grid, rad/s."""

    def reactances(self) -> list[list[Any]]:
        """(5, 5) ω L of (11.58), symmetric."""
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
        """(5, 5) Z of (11.58) at the speed n, in units of the synchronous one."""
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
        """ψ_Sd and ψ_Sq of (11.59)."""
        psi = _times(self.reactances()[:2], i)
        return psi[0], psi[1]

    def torque(self, i: Row) -> Any:
        """T_G of (11.59)."""
        psi_d, psi_q = self.fluxes(i)
        return psi_d * i[1] - psi_q * i[0]

    def driving(self, i: Row, u: Row, n: Any) -> list[Any]:
        """ω (u - Z i), what changes the currents in (11.57)."""
        drop = _times(self.impedances(n), i)
        return [self.omega * (a - b) for a, b in zip(u, drop, strict=True)]

    def stator_rates(self, i: Row, u: Row, n: Any) -> tuple[Any, Any]:
        """Rates of i_d and i_q on the grid, by (11.57) with the rotor's currents eliminated."""
        v = self.driving(i, u, n)
        X = self.reactances()
        # Share of each rotor circuit; what is left of x_d and x_q are the subtransient reactances.
        to_D, to_E = _solve2(X[2][2], X[2][4], X[4][4], X[0][2], X[0][4])
        to_Q = X[1][3] / X[3][3]
        x_d, x_q = self.subtransient()
        return (v[0] - to_D * v[2] - to_E * v[4]) / x_d, (v[1] - to_Q * v[3]) / x_q

    def subtransient(self) -> tuple[Any, Any]:
        """x_d'' and x_q''."""
        X = self.reactances()
        to_D, to_E = _solve2(X[2][2], X[2][4], X[4][4], X[0][2], X[0][4])
        return X[0][0] - to_D * X[0][2] - to_E * X[0][4], X[1][1] - X[1][3] ** 2 / X[3][3]

    def rotor_rates(self, i: Row, u: Row, n: Any, stator: tuple[Any, Any]) -> tuple[Any, Any, Any]:
        """Rates of i_D, i_Q and i_E where those of the stator's currents are known."""
        v = self.driving(i, u, n)
        X = self.reactances()
        d, q = stator
        D, E = _solve2(X[2][2], X[2][4], X[4][4], v[2] - X[2][0] * d, v[4] - X[4][0] * d)
        return D, (v[3] - X[3][1] * q) / X[3][3], E

    def losses(self, i: Row) -> Any:
        """P_V > 0 of (11.60), of all windings."""
        R = (self.R_S, self.R_S, self.R_D, self.R_Q, self.R_E)
        return sum(r * current**2 for r, current in zip(R, i, strict=True))

    def magnetic_energy(self, i: Row) -> Any:
        """½ iᵀ L i, in rated power times s."""
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
    """Solution of ((a, b), (b, c)) x = (f, g)."""
    determinant = a * c - b**2
    return (c * f - b * g) / determinant, (a * g - b * f) / determinant


def park_voltages(lag: Any, delta: Any, lost: Sequence[Any], cos: Any, sin: Any) -> tuple[Any, Any]:
    """u_d and u_q of a grid some of whose phases have no voltage.

    Parameters
    ----------
    lag : float or expression
        Phase a of the grid, its voltage being cos(lag).
    delta : float or expression
        Angle of the rotor's q axis before the voltage of the grid.
    lost : three numbers or expressions
        1 where the phase has no voltage, else 0.
    cos, sin : callable
        Of numbers, arrays or expressions.
    """
    u_d, u_q = sin(delta), cos(delta)
    for k, gone in enumerate(lost):
        turn = 2.0 * math.pi / 3.0 * k
        voltage = cos(lag - turn)
        # the d axis is a quarter behind q
        u_d = u_d - gone * 2 / 3 * voltage * sin(lag - turn + delta)
        u_q = u_q - gone * 2 / 3 * voltage * cos(lag - turn + delta)
    return u_d, u_q


def loaded_start(
    machine: SynchronousMachine, power: float, cos_phi: float
) -> tuple[float, tuple[float, float, float, float, float], float]:
    """Load angle δ, currents and u_E at rated voltage and frequency: the diagram of phasors.

    Parameters
    ----------
    machine : SynchronousMachine
        Of numbers.
    power : float
        Mechanical, in units of the rated apparent power, > 0 where it generates.
    cos_phi : float
        Power factor, overexcited.
    """
    # The shaft gives what goes to the grid, I cos φ, and into the stator's resistance, R I².
    R = machine.R_S
    size = 2.0 * power / (cos_phi + (cos_phi**2 + 4.0 * R * power) ** 0.5)
    i = complex(-size * cos_phi, size * (1.0 - cos_phi**2) ** 0.5)
    # behind R + j x_q lies the q axis
    induced = 1.0 - complex(R, machine.x_l + machine.x_mq) * i
    along_q = induced / abs(induced)
    i_d, i_q = -(i / along_q).imag, (i / along_q).real
    u_q = (1.0 / along_q).real
    i_E = (u_q - R * i_q - (machine.x_l + machine.x_md) * i_d) / machine.x_md
    return cmath.phase(along_q), (i_d, i_q, 0.0, 0.0, i_E), machine.R_E * i_E
