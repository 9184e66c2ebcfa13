"""A slider-crank with clearance in its guide: the benchmark of Flores, Leine & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._guide import add_guide

__all__ = ["SliderCrankParameters", "slider_crank"]

_PAPER = "Flores, Leine & Glocker, Multibody System Dynamics 23 (2010)"


@dataclass(frozen=True, kw_only=True)
class SliderCrankParameters(Parameters):
    """Data of the mechanism; index 1 is the crank, 2 the connecting rod, 3 the slider."""

    l_1: float = parameter(0.153, "m", "length of the crank", _PAPER, positive=True)
    l_2: float = parameter(0.306, "m", "length of the connecting rod", _PAPER, positive=True)
    a: float = parameter(0.05, "m", "half the length of the slider", _PAPER, positive=True)
    b: float = parameter(0.025, "m", "half the height of the slider", _PAPER, positive=True)
    c: float = parameter(
        1e-3, "m", "clearance on each side; 0: the guide is a bilateral constraint", _PAPER
    )
    m_1: float = parameter(0.038, "kg", "mass of the crank", _PAPER)
    m_2: float = parameter(0.038, "kg", "mass of the connecting rod", _PAPER)
    m_3: float = parameter(0.076, "kg", "mass of the slider", _PAPER)
    J_1: float = parameter(7.4e-5, "kg m²", "moment of inertia of the crank", _PAPER)
    J_2: float = parameter(5.9e-4, "kg m²", "moment of inertia of the connecting rod", _PAPER)
    J_3: float = parameter(2.7e-6, "kg m²", "moment of inertia of the slider", _PAPER)
    g: float = parameter(9.81, "m/s²", "gravity", _PAPER)
    mu: float = parameter(0.01, "-", "friction coefficient of all corners", _PAPER)
    e_N: float = parameter(0.4, "-", "normal restitution of all corners", _PAPER)
    omega_1: float = parameter(150.0, "rad/s", "angular velocity of the crank at the start", _PAPER)
    omega_2: float = parameter(-75.0, "rad/s", "that of the connecting rod", _PAPER)
    omega_3: float = parameter(0.0, "rad/s", "that of the slider", _PAPER)


# Newton restitution with Coulomb friction in impacts, as in the source
@parametric(SliderCrankParameters, recommended=Recommended(EventDriven(impact_law="moreau"), 2.0))
def slider_crank(p: SliderCrankParameters) -> MultibodySystem:
    """Slider-crank with clearance between slider and guide, built from bodies.

    ===========  =============================================================================
    coordinates  ``crank``, ``rod``, ``slider`` (rad), each relative to the previous body; the
                 angles of the source are their sums
    contacts     the corners of the slider at the guide: ``lower_left``, ``lower_right``,
                 ``upper_left``, ``upper_right``, where left is the side of the crank
    source       Flores, Leine & Glocker, Multibody System Dynamics 23 (2010), 165-190
    ===========  =============================================================================

    At the start all angles are zero, the slider is in the middle of the guide, and the crank is not
    driven. In flight no moment acts on the slider. With ``omega_3=0`` it therefore stays parallel
    to the guide, and both corners of a side hit simultaneously. Slip at the lower corners is
    positive if the slider moves away from the crank, and at the upper corners if it moves towards
    the crank. The source uses the Newton impact law with Coulomb friction. It is called ``moreau``
    here and is the default. The Poisson law gives different results if impacts of one corner move
    another corner in contact.

    With ``c=0`` there are no contacts: constraints keep the slider on its line.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    if p.c < 0.0:
        raise ValueError(f"parameter 'c': expected a number >= 0, got {p.c:g}")
    m = Model(gravity=(0.0, -p.g))
    crank = m.add_body("crank", mass=p.m_1, inertia=p.J_1, center=(0.5 * p.l_1, 0.0))
    rod = m.add_body("rod", mass=p.m_2, inertia=p.J_2, center=(0.5 * p.l_2, 0.0))
    slider = m.add_body("slider", mass=p.m_3, inertia=p.J_3)
    m.add_joint("crank", joints.Revolute(), m.ground, crank)
    m.add_joint("rod", joints.Revolute(), crank, rod, at=(p.l_1, 0.0))
    m.add_joint("slider", joints.Revolute(), rod, slider, at=(p.l_2, 0.0))
    for body, length in ((crank, p.l_1), (rod, p.l_2)):
        body.outline("link", _link(length))
    block = [(-p.a, -p.b), (p.a, -p.b), (p.a, p.b), (-p.a, p.b)]
    slider.outline("block", geometry.Polygon(block))
    velocities = {"crank": p.omega_1}
    if p.c > 0.0:
        add_guide(m, slider, (p.a, p.b), p.c, ContactLaw(mu=p.mu, e_N=p.e_N))
        velocities |= {"rod": p.omega_2 - p.omega_1, "slider": p.omega_3 - p.omega_2}
    else:
        m.add_loop("guide", joints.Prismatic((1.0, 0.0)), m.ground, slider)
    return m.build(
        velocities=velocities,
    )


def _link(length: float) -> geometry.Polygon:
    """Return a bar with round ends, for figures."""
    r = 0.03 * length
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    end = r * np.column_stack([np.cos(angle), np.sin(angle)])
    return geometry.Polygon(np.vstack([end + np.array([length, 0.0]), -end]))
