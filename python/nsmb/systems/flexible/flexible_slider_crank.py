"""A slider-crank with a flexible connecting rod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from nsmb import geometry
from nsmb.flexible import FlexibleBody, NodalFrame, beam
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._guide import add_guide

__all__ = ["FlexibleSliderCrankParameters", "flexible_slider_crank"]

_SIMEON = "printed: Simeon, Math. Modelling of Systems 2 (1996)"
_FLORES = "printed: Flores, Leine & Glocker (2010)"
_CHOSEN = "chosen: the source does not say"


@dataclass(frozen=True, kw_only=True)
class FlexibleSliderCrankParameters(Parameters):
    """Data of the mechanism; index 1 is the crank, 2 the connecting rod, 3 the slider."""

    l_1: float = parameter(0.15, "m", "length of the crank", _SIMEON, positive=True)
    l_2: float = parameter(0.3, "m", "length of the rod", _SIMEON, positive=True)
    m_1: float = parameter(0.36, "kg", "mass of the crank; it is driven", _SIMEON, positive=True)
    m_3: float = parameter(0.075552, "kg", "mass of the slider", _SIMEON, positive=True)
    d: float = parameter(8e-3, "m", "width and height of the rod", _SIMEON, positive=True)
    E: float = parameter(2e11, "Pa", "Young's modulus of the rod", _SIMEON, positive=True)
    rho: float = parameter(7870.0, "kg/m³", "density of the rod", _SIMEON, positive=True)
    zeta: float = parameter(0.0, "-", "share of critical damping of each mode", _SIMEON)
    omega: float = parameter(150.0, "rad/s", "angular velocity of the crank", _SIMEON)
    g: float = parameter(0.0, "m/s²", "gravity", _SIMEON)
    bending: int = parameter(2, "1", "half waves of sine that it bends by", _SIMEON, positive=True)
    n: int = parameter(100, "1", "elements of the rod", "chosen: 1e-4 of its stiffness")
    a: float = parameter(0.05, "m", "half the length of the slider", _FLORES, positive=True)
    b: float = parameter(0.025, "m", "half the height of the slider", _FLORES, positive=True)
    c: float = parameter(
        0.0, "m", "clearance on each side; 0: the guide is a bilateral constraint", _SIMEON
    )
    mu: float = parameter(0.01, "-", "friction coefficient of all corners", _FLORES)
    e_N: float = parameter(0.0, "-", "normal restitution of all corners", _CHOSEN)


@parametric(FlexibleSliderCrankParameters, recommended=Recommended(t_end=0.1))
def flexible_slider_crank(p: FlexibleSliderCrankParameters) -> MultibodySystem:
    """Slider-crank with a connecting rod that bends and stretches.

    ===========  =============================================================================
    coordinates  ``crank_pin`` (rad) of the line between the ends of the rod relative to the
                 crank; ``rod.q1``, ... (m): amplitudes of sine half waves, displacements of
                 its middle and of its end along the rod; ``wrist_pin`` (rad) of the slider
                 relative to the section at the end
    contacts     with c > 0 corners of the slider: ``lower_left``, ``lower_right``,
                 ``upper_left``, ``upper_right``, where left is the side of the crank
    source       Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs
                 and PDEs, Math. Modelling of Systems 2 (1996), 1-18
    ===========  =============================================================================

    The crank rotates at a prescribed rate. At the start all parts are in line. The elongation and
    the bending rate of the rod are those of a quasi-static response to its inertia, without
    vibration, as in the source. The model includes the rotary inertia of the rod, which the source
    omits. Both omit the stiffening of a bent rod under tension.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the clearance is negative.
    """
    if p.c < 0.0:
        raise ValueError(f"parameter 'c': expected a number >= 0, got {p.c:g}")
    m = Model(gravity=(0.0, -p.g), name="flexible_slider_crank")
    inertia = p.m_1 * p.l_1**2 / 12.0
    crank = m.add_body("crank", mass=p.m_1, inertia=inertia, center=(0.5 * p.l_1, 0.0))
    rod = m.add_elastic_body("rod", _rod(p))
    slider = m.add_body("slider", mass=p.m_3, inertia=p.m_3 / 3.0 * (p.a**2 + p.b**2))
    crank.outline("line", geometry.Polyline([(0.0, 0.0), (p.l_1, 0.0)]))
    block = [(-p.a, -p.b), (p.a, -p.b), (p.a, p.b), (-p.a, p.b)]
    slider.outline("block", geometry.Polygon(block))
    m.add_joint("crank", joints.Revolute(), m.ground, crank, motion=Polynomial([0.0, p.omega]))
    m.add_joint("crank_pin", joints.Revolute(), crank, rod, at=(p.l_1, 0.0))
    m.add_joint("wrist_pin", joints.Revolute(), rod, slider, at=p.n)
    if p.c > 0.0:
        add_guide(m, slider, (p.a, p.b), p.c, ContactLaw(mu=p.mu, e_N=p.e_N))
    else:
        m.add_loop("guide", joints.Prismatic((1.0, 0.0)), m.ground, slider)
    initial, velocities = _start(p)
    return m.build(initial=initial, velocities=velocities)


def _rod(p: FlexibleSliderCrankParameters) -> FlexibleBody:
    """Return the rod with a frame from end to end and the shape functions of the source."""
    s = np.linspace(0.0, 1.0, p.n + 1)
    x = np.column_stack([p.l_2 * s, np.zeros(p.n + 1)])
    elements = beam(x, E=p.E, density=p.rho, area=p.d**2, I_z=p.d**4 / 12.0)
    shapes = np.zeros((elements.unknowns, p.bending + 2))
    for k in range(1, p.bending + 1):
        shapes[4:-3:3, k - 1] = np.sin(k * np.pi * s[1:-1])
        shapes[2::3, k - 1] = k * np.pi / p.l_2 * np.cos(k * np.pi * s)
    shapes[::3, -2], shapes[::3, -1] = 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)
    frame = NodalFrame(0, along=p.n)
    return FlexibleBody.from_elements(elements, shapes, frame=frame, damping_ratio=p.zeta)


def _start(p: FlexibleSliderCrankParameters) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the initial state with the quasi-static response to the rigid-body motion."""
    r = p.l_1 / p.l_2
    mass, crank, rod = p.rho * p.d**2 * p.l_2, p.l_1 * p.omega**2, p.l_2 * (r * p.omega) ** 2

    def stretch(s: float) -> float:
        """Return u(s) of E A ∂u/∂x = N, where N accelerates the mass beyond s by crank + s rod."""
        own = mass * (crank * (s - s**2 / 2.0) + rod * (s / 2.0 - s**3 / 6.0))
        return p.l_2 / (p.E * p.d**2) * (p.m_3 * (crank + rod) * s + own)

    # E I ∂⁴w/∂x⁴ = -ρ A a, ∂a/∂t = -l_1 ω³ (1 + r) at the start, r times that at the end.
    k = np.arange(1, p.bending + 1)
    flexibility = 24.0 * p.rho * p.l_2**4 / (p.E * p.d**2 * (k * np.pi) ** 5)
    bends = flexibility * p.l_1 * p.omega**3 * (1.0 + r) * (1.0 - (-1.0) ** k * r)
    slope = float(bends @ (k * np.pi / p.l_2 * (-1.0) ** k))
    end = stretch(1.0)
    turn = -p.omega * p.l_1 / (p.l_2 + end)
    initial = {"rod": np.array([*np.zeros(p.bending), stretch(0.5), end])}
    velocities = {
        "crank_pin": turn - p.omega,
        "rod": np.array([*bends, 0.0, 0.0]),
        "wrist_pin": -turn - slope,
    }
    return initial, velocities
