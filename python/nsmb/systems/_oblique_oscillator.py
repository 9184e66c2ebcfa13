"""A body shaken by an unbalance, on three feet on an oblique plane (Wösle & Pfeiffer 1996)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.callback_system import CallbackSystem
from nsmb.contacts import CallbackContact, UnilateralContact
from nsmb.system import State, System
from nsmb.systems._parameters import Parameters, from_keywords, parameter, ready_made

__all__ = ["ObliqueOscillatorParameters", "oblique_oscillator"]

Vector = NDArray[np.float64]
_PAPER = "Wösle & Pfeiffer 1996, Appendix C"


@dataclass(frozen=True)
class ObliqueOscillatorParameters(Parameters):
    """Data of the oscillator; lengths from the mass centre, feet 2 and 3 downhill."""

    m: float = parameter(0.663, "kg", "mass", _PAPER)
    A: float = parameter(0.85e-3, "kg m²", "moment of inertia about x", _PAPER)
    B: float = parameter(1.6e-3, "kg m²", "moment of inertia about y", _PAPER)
    C: float = parameter(1.75e-3, "kg m²", "moment of inertia about z", _PAPER)
    g: float = parameter(9.81, "m/s²", "gravity", _PAPER)
    mu: float = parameter(0.098, "-", "friction; sticks only above tan(delta) = 0.1155", _PAPER)
    a_1: float = parameter(42.4e-3, "m", "foot 1 uphill", _PAPER)
    a_2: float = parameter(49.6e-3, "m", "feet 2 and 3 downhill", _PAPER)
    da: float = parameter(3.5e-3, "m", "amplitude of a_1, a_2 and l_1", _PAPER)
    b_1: float = parameter(1.0e-3, "m", "foot 1 across", _PAPER)
    b_2: float = parameter(25.0e-3, "m", "foot 2 across, negative side", _PAPER)
    b_3: float = parameter(31.0e-3, "m", "foot 3 across", _PAPER)
    h_S: float = parameter(37.4e-3, "m", "height of the mass centre", _PAPER)
    dh: float = parameter(4.5e-3, "m", "amplitude of h_S and l_3", _PAPER)
    l_1: float = parameter(10.4e-3, "m", "axis of the unbalance downhill", _PAPER)
    l_2: float = parameter(43.0e-3, "m", "axis of the unbalance across, negative side", _PAPER)
    l_3: float = parameter(16.5e-3, "m", "axis of the unbalance below", _PAPER)
    delta: float = parameter(0.115, "rad", "inclination of the plane", _PAPER)
    m_E: float = parameter(55.0e-3, "kg", "unbalance", _PAPER)
    r_E: float = parameter(11.0e-3, "m", "eccentricity of the unbalance", _PAPER)
    Omega: float = parameter(19.6, "rad/s", "angular frequency of the unbalance", _PAPER)


def oblique_oscillator(**parameters: float) -> System:
    """Oscillator with three feet on an oblique plane (Wösle & Pfeiffer 1996, section 7).

    Coordinates ``x`` (downhill), ``y`` (across), ``z`` (normal), and the Kardan angles ``alpha``,
    ``beta``, ``gamma``; contacts ``foot_1``, ``foot_2``, ``foot_3`` with friction in the plane. The
    friction forces of the sticking feet are threefold indeterminate.

    The printed friction 0.098 lies below tan(delta): such a body slides down and never sticks.
    ``oblique_oscillator(mu=0.13)`` sticks once in each period of the excitation, as in the paper.

    Raises
    ------
    ValueError
        For an unknown parameter or a value out of range.
    """
    return ready_made(_build(from_keywords(ObliqueOscillatorParameters, parameters)))


@dataclass(frozen=True)
class _Foot:
    """Contact kinematics of one foot; it stands at (place - da cos Ωt, across) in the body."""

    p: ObliqueOscillatorParameters
    place: float
    across: float

    def position(self, t: float, q: Vector) -> tuple[float, float]:
        """(X, Y): the foot in the plane, from the mass centre."""
        x = self.place - self.p.da * np.cos(self.p.Omega * t)
        c, s = np.cos(q[5]), np.sin(q[5])
        return x * c - self.across * s, x * s + self.across * c

    def height(self, t: float) -> float:
        return float(self.p.h_S + self.p.dh * np.sin(self.p.Omega * t))

    def drift(self, t: float) -> float:
        """Velocity of the foot in the body, along its x."""
        return float(self.p.da * self.p.Omega * np.sin(self.p.Omega * t))

    def gap(self, t: float, q: Vector) -> float:
        X, Y = self.position(t, q)
        return float(q[2] - q[4] * X + q[3] * Y)

    def w_N(self, t: float, q: Vector) -> list[float]:
        X, Y = self.position(t, q)
        return [0.0, 0.0, 1.0, Y, -X, q[4] * Y + q[3] * X]

    def w_tilde_N(self, t: float, q: Vector) -> float:
        return self.drift(t) * float(q[3] * np.sin(q[5]) - q[4] * np.cos(q[5]))

    def _rates(self, t: float, q: Vector, u: Vector) -> tuple[float, float]:
        X, Y = self.position(t, q)
        drift = self.drift(t)
        return -Y * u[5] + drift * np.cos(q[5]), X * u[5] + drift * np.sin(q[5])

    def w_bar_N(self, t: float, q: Vector, u: Vector) -> float:
        """Second derivative of the gap without u̇; the paper leaves out the mixed term."""
        X, Y = self.position(t, q)
        dX, dY = self._rates(t, q, u)
        c, s = np.cos(q[5]), np.sin(q[5])
        drift, Omega = self.drift(t), self.p.Omega
        acceleration = self.p.da * Omega**2 * np.cos(Omega * t)
        turning = (u[4] * Y + q[4] * dY + u[3] * X + q[3] * dX) * u[5]
        mixed = drift * (u[3] * s + q[3] * c * u[5] - u[4] * c + q[4] * s * u[5])
        return float(dY * u[3] - dX * u[4] + turning + acceleration * (q[3] * s - q[4] * c) + mixed)

    def w_T(self, t: float, q: Vector) -> Vector:
        X, Y = self.position(t, q)
        H = self.height(t)
        return np.array([[1.0, 0.0, 0.0, 0.0, -H, -Y], [0.0, 1.0, 0.0, H, 0.0, X]]).T

    def w_bar_T(self, t: float, q: Vector, u: Vector) -> list[float]:
        dX, dY = self._rates(t, q, u)
        dH = self.p.dh * self.p.Omega * np.cos(self.p.Omega * t)
        return [-u[5] * dY - u[4] * dH, u[5] * dX + u[3] * dH]

    def contact(self, name: str) -> CallbackContact:
        return CallbackContact(
            self.gap,
            w_N=self.w_N,
            w_T=self.w_T,
            law=UnilateralContact(mu=self.p.mu),
            name=name,
            w_tilde_N=self.w_tilde_N,
            w_bar_N=self.w_bar_N,
            w_bar_T=self.w_bar_T,
            tangents=2,
        )


def _mass_matrix(p: ObliqueOscillatorParameters) -> Callable[[float, Vector], Vector]:
    def mass_matrix(t: float, q: Vector) -> Vector:
        c, s = np.cos(q[5]), np.sin(q[5])
        M = np.diag([p.m, p.m, p.m, p.A * c**2 + p.B * s**2, p.A * s**2 + p.B * c**2, p.C])
        M[3, 4] = M[4, 3] = (p.A - p.B) * c * s
        M[3, 5] = M[5, 3] = p.C * q[4]
        return M

    return mass_matrix


def _forces(p: ObliqueOscillatorParameters) -> Callable[[float, Vector, Vector], Vector]:
    F_0 = p.m_E * p.r_E * p.Omega**2

    def forces(t: float, q: Vector, u: Vector) -> Vector:
        c, s = np.cos(p.Omega * t), np.sin(p.Omega * t)
        c6, s6 = np.cos(q[5]), np.sin(q[5])
        l_1, l_3 = p.l_1 - p.da * c, p.l_3 + p.dh * s
        difference = (p.A - p.B) * (1.0 - 2.0 * c6**2)
        return np.array(
            [
                p.m * p.g * np.sin(p.delta) + F_0 * (c6 * c + q[4] * s),
                F_0 * (s6 * c - q[3] * s),
                -p.m * p.g * np.cos(p.delta) + F_0 * (q[3] * s6 * c - q[4] * c6 * c + s),
                F_0 * (l_1 * s6 * s + p.l_2 * (q[4] * c - c6 * s) + l_3 * s6 * c)
                + u[4] * u[5] * (difference - p.C)
                + 2.0 * u[3] * u[5] * (p.A - p.B) * c6 * s6,
                -F_0 * (l_1 * c6 * s + p.l_2 * s6 * s + l_3 * c6 * c)
                + u[3] * u[5] * (difference + p.C)
                + 2.0 * u[4] * u[5] * (p.B - p.A) * c6 * s6,
                F_0 * p.l_2 * c,
            ]
        )

    return forces


def _build(p: ObliqueOscillatorParameters) -> CallbackSystem:
    """Matrices, forces and feet as in section 7 and Appendix C; small z, alpha, beta."""
    feet = [
        _Foot(p, -p.a_1, p.b_1).contact("foot_1"),
        _Foot(p, p.a_2, -p.b_2).contact("foot_2"),
        _Foot(p, p.a_2, p.b_3).contact("foot_3"),
    ]
    return CallbackSystem(
        ["x", "y", "z", "alpha", "beta", "gamma"],
        _mass_matrix(p),
        _forces(p),
        feet,
        coordinate_units=["m", "m", "m", "rad", "rad", "rad"],
        initial_state=State(0.0, np.zeros(6), np.zeros(6)),
        name="oblique_oscillator",
        parameters=p.values(),
        parameter_info=p.info(),
        rebuild=oblique_oscillator,
        scale=[0.01, 0.01, 0.01, 1.0, 1.0, 1.0],
    )
