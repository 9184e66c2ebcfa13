"""A body with three feet on an oblique plane, excited by an unbalance (Wösle & Pfeiffer 1996)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["ObliqueOscillatorParameters", "oblique_oscillator"]

_PAPER = "Wösle & Pfeiffer 1996, Appendix C"


@dataclass(frozen=True, kw_only=True)
class ObliqueOscillatorParameters(Parameters):
    """Data of the oscillator; lengths relative to the mass centre, feet 2 and 3 downhill."""

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
    m_E: float = parameter(55.0e-3, "kg", "unbalance", _PAPER, least=0.0)
    r_E: float = parameter(11.0e-3, "m", "eccentricity of the unbalance", _PAPER)
    Omega: float = parameter(19.6, "rad/s", "angular frequency of the unbalance", _PAPER)


@parametric(ObliqueOscillatorParameters, recommended=TWO_SECONDS)
def oblique_oscillator(p: ObliqueOscillatorParameters) -> System:
    """Oscillator with three feet on an oblique plane (Wösle & Pfeiffer 1996, section 7).

    Coordinates ``x`` (downhill), ``y`` (across), ``z`` (normal), and the Cardan angles ``alpha``,
    ``beta``, ``gamma``; contacts ``foot_1``, ``foot_2``, ``foot_3`` with friction in the plane. The
    friction forces of the sticking feet are threefold indeterminate.

    The printed friction coefficient 0.098 is below tan(delta), so that the body slides down and
    never sticks. ``oblique_oscillator(mu=0.13)`` sticks once in each period of the excitation, as
    in the paper.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    system = _template().with_parameters(**p.values())
    system.scene = _scene(p)
    return system


def _scene(p: ObliqueOscillatorParameters) -> Scene:
    """Return the triangle of the feet on the plane, seen from above."""

    def feet(t: float, q: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y, z, alpha, beta, gamma = q
        along = np.array([-p.a_1, p.a_2, p.a_2]) - p.da * np.cos(p.Omega * t)
        across = np.array([p.b_1, -p.b_2, p.b_3])
        c, s = np.cos(gamma), np.sin(gamma)
        X, Y = along * c - across * s, along * s + across * c
        return np.column_stack([x + X, y + Y, z - beta * X + alpha * Y])

    def contacts(t: float, q: NDArray[np.float64]) -> list[ContactFrame | None]:
        return [ContactFrame(foot, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)) for foot in feet(t, q)]

    return Scene.from_function(
        lambda t, q: [feet(t, q)[[0, 1, 2, 0]]], bodies=["body"], contacts=contacts
    )


@functools.cache
def _template() -> System:
    """Derive the system with the default parameters once.

    Matrices, forces and feet are those of section 7 and Appendix C, for small z, alpha, beta.
    """
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    data = ObliqueOscillatorParameters()
    p: Any = symbolic.parameters(**data.values())
    q = symbolic.coordinates("x y z alpha beta gamma")
    _, _, z, alpha, beta, gamma = q
    v_x, v_y, _, w_alpha, w_beta, w_gamma = symbolic.velocities(*q)
    c, s = sympy.cos(gamma), sympy.sin(gamma)
    turning = p.Omega * symbolic.time
    cos, sin = sympy.cos(turning), sympy.sin(turning)
    F_0 = p.m_E * p.r_E * p.Omega**2
    l_1, l_3 = p.l_1 - p.da * cos, p.l_3 + p.dh * sin
    mixed = (p.A - p.B) * c * s
    M = sympy.diag(p.m, p.m, p.m, p.A * c**2 + p.B * s**2, p.A * s**2 + p.B * c**2, p.C)
    M[3, 4] = M[4, 3] = mixed
    M[3, 5] = M[5, 3] = p.C * beta
    difference = (p.A - p.B) * (1 - 2 * c**2)
    forces = [
        p.m * p.g * sympy.sin(p.delta) + F_0 * (c * cos + beta * sin),
        F_0 * (s * cos - alpha * sin),
        -p.m * p.g * sympy.cos(p.delta) + F_0 * (alpha * s * cos - beta * c * cos + sin),
        F_0 * (l_1 * s * sin + p.l_2 * (beta * cos - c * sin) + l_3 * s * cos)
        + w_beta * w_gamma * (difference - p.C)
        + 2 * w_alpha * w_gamma * mixed,
        -F_0 * (l_1 * c * sin + p.l_2 * s * sin + l_3 * c * cos)
        + w_alpha * w_gamma * (difference + p.C)
        - 2 * w_beta * w_gamma * mixed,
        F_0 * p.l_2 * cos,
    ]
    height = p.h_S + p.dh * sin

    def foot(name: str, place: Any, across: Any) -> Contact:
        """Return the contact of a foot at (place - da cos Ωt, across) in the body."""
        along = place - p.da * cos
        X, Y = along * c - across * s, along * s + across * c
        slip = (v_x - height * w_beta - Y * w_gamma, v_y + height * w_alpha + X * w_gamma)
        return Contact(gap=z - beta * X + alpha * Y, slip=slip, law=ContactLaw(mu=p.mu), name=name)

    return symbolic.from_equations(
        q,
        M,
        forces,
        [
            foot("foot_1", -p.a_1, p.b_1),
            foot("foot_2", p.a_2, -p.b_2),
            foot("foot_3", p.a_2, p.b_3),
        ],
        parameters=p,
        name="oblique_oscillator",
        coordinate_units=["m", "m", "m", "rad", "rad", "rad"],
        parameter_info=data.info(),
    )
