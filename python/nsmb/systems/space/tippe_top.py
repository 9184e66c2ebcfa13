"""The tippe top: a ball with a low centre of mass and a stem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["TippeTopParameters", "tippe_top"]

_SLIDES = "chosen: with the source's 0.3 and friction at a point it rolls before it stands"
_LEINE = "Leine & Glocker (2003), Eur. J. Mech. A/Solids 22, 193"


@dataclass(frozen=True, kw_only=True)
class TippeTopParameters(Parameters):
    """Data of the top."""

    m: float = parameter(6e-3, "kg", "mass", _LEINE, positive=True)
    I_1: float = parameter(8e-7, "kg m²", "inertia across the axis", _LEINE, positive=True)
    I_3: float = parameter(7e-7, "kg m²", "about the axis", _LEINE, positive=True)
    R_1: float = parameter(1.5e-2, "m", "radius of the ball", _LEINE, positive=True)
    R_2: float = parameter(0.5e-2, "m", "radius of the end of the stem", _LEINE, positive=True)
    a_1: float = parameter(0.3e-2, "m", "middle of the ball above the centre of mass", _LEINE)
    a_2: float = parameter(1.6e-2, "m", "middle of the end of the stem above it", _LEINE)
    mu: float = parameter(0.1, "-", "friction coefficient", _SLIDES)
    g: float = parameter(9.81, "m/s²", "gravity", _LEINE, positive=True)
    theta: float = parameter(0.1, "rad", "slope of the axis at the start", _LEINE)
    spin: float = parameter(180.0, "rad/s", "ω about the vertical at the start", _LEINE)


@parametric(TippeTopParameters, recommended=Recommended(EventDriven(rtol=1e-8), 6.0))
def tippe_top(p: TippeTopParameters) -> MultibodySystem:
    """Top that inverts and spins on its stem.

    ===========  =========================================================================
    coordinates  ``top.x``, ``top.y``, ``top.z`` (m) of its centre of mass, and its quaternion
    velocities   of its centre of mass, m/s, and ω along axes fixed in the top, rad/s
    contacts     ``ball`` and ``stem`` on the floor
    source       Leine & Glocker (2003), here with Coulomb friction at a point
    ===========  =========================================================================

    Sliding friction lifts it. It inverts if :func:`tippe_top.turns_over` returns True, and
    conserves :func:`tippe_top.jellett` while only the ball touches the floor.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="tippe_top")
    top = m.add_body("top", mass=p.m, inertia=(p.I_1, p.I_1, p.I_3))
    m.add_joint("top", joints.Free(), m.ground, top)
    floor = m.ground.shape("floor", geometry.HalfSpace())
    law = ContactLaw(mu=p.mu)
    for name, radius, place in (("ball", p.R_1, p.a_1), ("stem", p.R_2, p.a_2)):
        shape = top.shape(name, geometry.Sphere(radius), at=(0, 0, place))
        m.add_contact(floor, shape, law, name=name)
    height = p.R_1 - p.a_1 * np.cos(p.theta)
    half = 0.5 * p.theta
    spin = (-p.spin * np.sin(p.theta), 0.0, p.spin * np.cos(p.theta))
    return m.build(
        initial={"top": (0.0, 0.0, height, np.cos(half), 0.0, np.sin(half), 0.0)},
        velocities={"top": (0.0, 0.0, 0.0, *spin)},
    )


@tippe_top.evaluation
def jellett(q: ArrayLike, u: ArrayLike, **parameters: float) -> float:
    """Return the Jellett integral L·(R_1 e_z - a_1 e), N m s, with e along the axis.

    It is constant while only the ball touches the floor.

    The force acts at r = a_1 e - R_1 e_z relative to the centre of mass. Therefore L̇ = r × F is
    perpendicular to r, and L·ṙ = a_1 L·ė = a_1 L·(ω × e) is zero for two equal moments of inertia.

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    p = from_keywords(TippeTopParameters, parameters)
    _, _, _, w, x, y, z = np.asarray(q, dtype=np.float64)
    up = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z])
    L = np.array([p.I_1, p.I_1, p.I_3]) * np.asarray(u, dtype=np.float64)[3:]
    return float(L @ (p.R_1 * up - p.a_1 * np.array([0.0, 0.0, 1.0])))


@tippe_top.evaluation
def turns_over(**parameters: float) -> bool:
    """Return True if a fast top inverts completely, 1 - ε < I_1/I_3 < 1 + ε with ε = a_1/R_1.

    Source: Bou-Rabee, Marsden & Romero (2004), SIAM J. Appl. Dyn. Syst. 3, 352.

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    p = from_keywords(TippeTopParameters, parameters)
    share = p.a_1 / p.R_1
    return bool(1.0 - share < p.I_1 / p.I_3 < 1.0 + share)
