"""A parabola that touches a straight line: section 4.6 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.system import State
from nsmb.system.callback import CallbackSystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import turned
from nsmb.systems._recommended import POISSON

__all__ = ["ParabolaOnLineParameters", "parabola_on_line", "parabola_on_line_bodies"]

Vector = NDArray[np.float64]
# chosen: z, phi, x, y and their velocities; a general pose above the line
_Q, _U = (0.1, 0.2, 0.3, -0.4), (0.3, 0.9, -0.2, 0.6)


@dataclass(frozen=True, kw_only=True)
class ParabolaOnLineParameters(Parameters):
    """Data of platform and damper; the book has no numbers."""

    m_1: float = parameter(2.0, "kg", "mass of the platform", "chosen")
    m_2: float = parameter(1.0, "kg", "mass of the damper", "chosen")
    J_2: float = parameter(0.1, "kg m²", "moment of inertia of the damper", "chosen")
    c: float = parameter(200.0, "N/m", "stiffness of the platform's support", "chosen", least=0.0)
    F: float = parameter(20.0, "N", "centrifugal force that presses the damper on", "chosen")
    a: float = parameter(0.7, "-", "slope of the line, cot γ", "chosen", positive=True)
    b: float = parameter(0.5, "m", "height of the line", "chosen")
    p_1: float = parameter(
        1.3, "1/m", "half the curvature of the parabola", "chosen", positive=True
    )
    p_2: float = parameter(0.8, "m", "height of its apex in the damper", "chosen", positive=True)
    mu: float = parameter(0.3, "-", "friction coefficient", "chosen")
    e_N: float = parameter(0.0, "-", "normal restitution", "chosen")


@parametric(ParabolaOnLineParameters, recommended=POISSON)
def parabola_on_line(p: ParabolaOnLineParameters) -> CallbackSystem:
    """Turbine blade damper with a parabolic contour under a platform (4.6).

    ===========  ==========================================================================
    coordinates  ``z`` platform (m), ``phi`` (rad), ``x``, ``y`` (m) damper
    contacts     ``contact`` of the parabola y = -p_1 x² + p_2 with the line y = a x + b
    source       Pfeiffer & Glocker, section 4.6, (4.48)-(4.55); all numbers chosen
    ===========  ==========================================================================

    Contour and line can have parallel tangents only if a sin φ + cos φ > 0.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    return _build(p)


@parametric(ParabolaOnLineParameters, recommended=POISSON)
def parabola_on_line_bodies(p: ParabolaOnLineParameters) -> MultibodySystem:
    """Turbine blade damper of :func:`parabola_on_line`, built from two bodies and their contours.

    Coordinates are ``z``, ``damper.x``, ``damper.y``, ``damper.phi``. Slip has the opposite sign:
    it is that of the platform relative to the damper.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model()
    platform = m.add_body("platform", mass=p.m_1)
    damper = m.add_body("damper", mass=p.m_2, inertia=p.J_2)
    m.add_joint("z", joints.Prismatic((1.0, 0.0)), m.ground, platform)
    m.add_joint("damper", joints.Planar(), m.ground, damper)
    m.add_torsion_spring("support", "z", c=p.c)
    m.add_torsion_spring("centrifugal", "damper.y", c=0.0, preload=p.F)
    m.add_contact(
        platform.contour("line", geometry.Line((0.0, p.b), (1.0, p.a))),
        damper.contour("parabola", geometry.Parabola(p.p_1, p.p_2)),
        ContactLaw(mu=p.mu, e_N=p.e_N),
        "contact",
    )
    z, phi, x, y = _Q
    z_dot, phi_dot, x_dot, y_dot = _U
    return m.build(
        initial={"z": z, "damper": [x, y, phi]},
        velocities={"z": z_dot, "damper": [x_dot, y_dot, phi_dot]},
    )


def _build(p: ParabolaOnLineParameters) -> CallbackSystem:
    """Build the system with closed-form kinematics; the sign of (4.55) follows from (4.46)."""
    root = np.sqrt(1.0 + p.a**2)
    J = 0.5 / p.p_1

    def place(q: Vector) -> tuple[float, float, float, float]:
        """Return p_1 σ_2², σ_2 (4.48), a c - s, a s + c."""
        cos, sin = np.cos(q[1]), np.sin(q[1])
        across, along = p.a * cos - sin, p.a * sin + cos
        sigma = -J * across / along
        return p.p_1 * sigma**2, sigma, across, along

    def gap(t: float, q: Vector) -> float:  # (4.49)
        depth, _, _, along = place(q)
        z, _, x, y = q
        return float((p.b - y + p.a * (x - z) - (depth + p.p_2) * along) / root)

    def w_N(t: float, q: Vector) -> list[float]:  # (4.50)
        depth, _, across, _ = place(q)
        return [-p.a / root, (J + depth - p.p_2) * across / root, p.a / root, -1.0 / root]

    def w_T(t: float, q: Vector) -> list[float]:  # (4.52)
        depth, _, _, along = place(q)
        return [-1.0 / root, -(depth + p.p_2) * along / root, 1.0 / root, p.a / root]

    def w_bar_N(t: float, q: Vector, u: Vector) -> float:  # (4.54)
        depth, _, _, along = place(q)
        bend = p.p_2 - J - depth * (3.0 + 8.0 * p.p_1 * depth)
        return float(u[1] ** 2 / root * along * bend)

    def w_bar_T(t: float, q: Vector, u: Vector) -> float:  # (4.55)
        depth, sigma, _, along = place(q)
        bend = 2.0 * p.p_1 * sigma * (p.p_2 - depth) - sigma
        return float(u[1] ** 2 / root * along * bend)

    system = CallbackSystem(
        ["z", "phi", "x", "y"],
        np.diag([p.m_1, p.J_2, p.m_2, p.m_2]),
        lambda t, q, u: [-p.c * q[0], 0.0, 0.0, p.F],
        [
            Contact(
                gap,
                w_N=w_N,
                w_T=w_T,
                law=ContactLaw(mu=p.mu, e_N=p.e_N),
                name="contact",
                w_tilde_N=lambda t, q: 0.0,  # (4.51)
                w_tilde_T=lambda t, q: 0.0,  # (4.53)
                w_bar_N=w_bar_N,
                w_bar_T=w_bar_T,
            )
        ],
        potential_energy=lambda t, q: float(0.5 * p.c * q[0] ** 2 - p.F * q[3]),
        coordinate_units=["m", "rad", "m", "m"],
        initial_state=State(0.0, np.array(_Q), np.array(_U)),
    )
    reach = np.linspace(-1.0, 1.0, 81) * np.sqrt(1.5 * p.p_2 / p.p_1)
    damper = np.column_stack([reach, p.p_2 - p.p_1 * reach**2])
    platform = np.array([(-1.0, p.b - p.a), (1.0, p.b + p.a)])

    def points(t: float, q: Vector) -> list[ArrayLike]:
        return [platform + np.array([q[0], 0.0]), damper @ turned(q[1]).T + q[2:]]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        depth, sigma, _, _ = place(q)
        point = turned(q[1]) @ (sigma, p.p_2 - depth) + q[2:]
        n = np.array([p.a, -1.0]) / root
        return [ContactFrame(point, n, (-n[1], n[0]))]

    system.scene = Scene.from_function(points, bodies=["platform", "damper"], contacts=contacts)
    return system
