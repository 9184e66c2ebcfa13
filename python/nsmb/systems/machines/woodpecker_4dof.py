"""The woodpecker toy of Slavič & Boltežar: free to move sideways, with large angles."""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, atan2, hypot

import numpy as np

from nsmb import geometry
from nsmb.geometry import Frame
from nsmb.multibody import Body, ContourOnBody, Model, joints
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import POISSON

__all__ = ["Woodpecker4DofParameters", "woodpecker_4dof"]

_PAPER = "Slavič & Boltežar, section 4"
# View from behind: tangents on both sides of the pole then point upwards.
_BEHIND = ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))


@dataclass(frozen=True, kw_only=True)
class Woodpecker4DofParameters(Parameters):
    """Data of the toy; index M is the sleeve, S the bird."""

    m_M: float = parameter(3.0e-4, "kg", "mass of the sleeve", _PAPER)
    J_M: float = parameter(5.0e-9, "kg m²", "moment of inertia of the sleeve", _PAPER)
    m_S: float = parameter(4.5e-3, "kg", "mass of the bird", _PAPER)
    J_S: float = parameter(7.0e-7, "kg m²", "moment of inertia of the bird", _PAPER)
    c_phi: float = parameter(5.6e-3, "N m/rad", "stiffness of the spring", _PAPER, least=0.0)
    g: float = parameter(9.81, "m/s²", "gravity", _PAPER)
    r_0: float = parameter(2.5e-3, "m", "radius of the pole", _PAPER, positive=True)
    r_M: float = parameter(3.1e-3, "m", "inner radius of the sleeve", _PAPER, positive=True)
    h_M: float = parameter(5.8e-3, "m", "half the height of the sleeve", _PAPER, positive=True)
    l_M: float = parameter(1.0e-2, "m", "distance from the spring to the sleeve", _PAPER)
    l_G: float = parameter(
        1.5e-2, "m", "distance from the spring to the bird's mass centre", _PAPER
    )
    h_S: float = parameter(2.0e-2, "m", "height of the beak above the spring", _PAPER)
    l_S: float = parameter(2.01e-2, "m", "distance from the beak to the mass centre", _PAPER)
    r_S: float = parameter(
        2.0e-3,
        "m",
        "radius of the tip of the beak, which ends at l_S; 0: a point",
        f"{_PAPER}; chosen: what it is the radius of",
    )
    mu: float = parameter(0.3, "-", "friction coefficient of all contacts", _PAPER)
    e_beak: float = parameter(0.5, "-", "normal restitution of the beak", _PAPER)
    e_sleeve: float = parameter(0.0, "-", "normal restitution of the sleeve's corners", _PAPER)
    b_M: float = parameter(1.0e-3, "m", "thickness of the sleeve", "chosen", positive=True)
    l_0: float = parameter(1.0, "m", "length of a pole that is a polygon", "chosen", positive=True)
    polygons: int = parameter(
        0, "-", "1: sleeve and pole are polygons; 0: corners against lines", "chosen"
    )


@parametric(Woodpecker4DofParameters, recommended=POISSON)
def woodpecker_4dof(p: Woodpecker4DofParameters) -> System:
    """Woodpecker toy on its pole, free to move sideways, with large angles.

    ===========  ==========================================================================
    coordinates  ``sleeve.x``, ``sleeve.y`` (m), ``sleeve.phi``, ``bird`` (rad, against sleeve)
    contacts     ``beak``, corners of the sleeve ``LR``, ``UR``, ``LL``, ``UL`` (lower, upper;
                 right, left side of the pole), tangents upwards; with ``polygons=1`` ``beak``,
                 ``right[0]`` ... and ``left[0]`` ..., points that appear and disappear
    source       Slavič & Boltežar, "Non-smooth dynamics of rigid bodies with polygonal contours"
    ===========  ==========================================================================

    With the printed data it falls 13.0 mm in a cycle of 0.1398 s. The chosen initial state is
    jammed by two corners, which slide down.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0.0, -p.g))
    sleeve = m.add_body("sleeve", mass=p.m_M, inertia=p.J_M)
    bird = m.add_body("bird", mass=p.m_S, inertia=p.J_S, center=(p.l_G, 0.0))
    m.add_joint("sleeve", joints.Planar(), m.ground, sleeve)
    m.add_joint("bird", joints.Revolute(), sleeve, bird, at=(p.l_M, 0.0))
    m.add_torsion_spring("spring", "bird", c=p.c_phi)
    law = ContactLaw(mu=p.mu, e_N=p.e_sleeve)
    beak = ContactLaw(mu=p.mu, e_N=p.e_beak)
    if p.polygons:
        pole = m.ground.contour("pole", _rectangle(-p.r_0, p.r_0, 0.1 * p.l_0 - p.l_0, 0.1 * p.l_0))
        m.add_contact(pole, _tip(p, bird), beak, "beak", points=2, search_distance=p.r_M - p.r_0)
        for name, sign in (("right", 1.0), ("left", -1.0)):
            inner, outer = sign * p.r_M, sign * (p.r_M + p.b_M)
            block = _rectangle(min(inner, outer), max(inner, outer), -p.h_M, p.h_M)
            wall = sleeve.contour(name, block)
            m.add_contact(pole, wall, law, name, points=4, search_distance=p.r_M - p.r_0)
    else:
        right = m.ground.contour("right", geometry.Line((-p.r_0, 0), (0, -1)), Frame(A=_BEHIND))
        left = m.ground.contour("left", geometry.Line((-p.r_0, 0), (0, -1)))
        m.add_contact(right, _tip(p, bird, behind=True), beak, "beak")
        for name, side, x, y in (
            ("LR", right, p.r_M, -p.h_M),
            ("UR", right, p.r_M, p.h_M),
            ("LL", left, -p.r_M, -p.h_M),
            ("UL", left, -p.r_M, p.h_M),
        ):
            place = Frame((x, y), _BEHIND) if side is right else Frame((x, y))
            m.add_contact(side, sleeve.contour(name, geometry.Point(), place), law, name)
        _draw(p, sleeve, m.ground)
    _draw_bird(p, bird)
    # chosen: the corners LR and UL touch, r_M cos φ + h_M sin φ = r_0 at x = 0, and slide down
    if not p.r_0 < p.r_M:
        raise ValueError(f"parameter 'r_M': expected a number > r_0 = {p.r_0}, got {p.r_M}")
    phi_M = atan2(p.h_M, p.r_M) - acos(p.r_0 / hypot(p.r_M, p.h_M))
    return m.build(
        initial={"sleeve": [0.0, 0.0, phi_M], "bird": -0.2788 - phi_M},
        velocities={"sleeve": [0.0, -0.3411, 0.0], "bird": -7.4583},
    )


def _tip(p: Woodpecker4DofParameters, bird: Body, *, behind: bool = False) -> ContourOnBody:
    """Return a disc that ends at l_S, or a point."""
    tip = geometry.Circle(p.r_S) if p.r_S > 0.0 else geometry.Point()
    place = p.l_G - p.l_S + p.r_S, p.h_S
    return bird.contour("beak", tip, Frame(place, _BEHIND) if behind else Frame(place))


def _rectangle(left: float, right: float, low: float, high: float) -> geometry.Polygon:
    return geometry.Polygon([(left, low), (right, low), (right, high), (left, high)])


def _draw(p: Woodpecker4DofParameters, sleeve: Body, ground: Body) -> None:
    for name, low in (("wall right", p.r_M), ("wall left", -p.r_M - p.b_M)):
        sleeve.outline(name, _rectangle(low, low + p.b_M, -p.h_M, p.h_M))
    ground.outline("pole", _rectangle(-p.r_0, p.r_0, 0.1 * p.l_0 - p.l_0, 0.1 * p.l_0))


def _draw_bird(p: Woodpecker4DofParameters, bird: Body) -> None:
    """Draw the belly about the mass centre, the neck, and a head that ends in the beak."""
    x, y, h = p.l_G - p.l_S, p.h_S, p.h_S
    turn = np.linspace(-2.0, 1.6, 15)
    belly = np.array([p.l_G, 0.0]) + 0.35 * h * np.column_stack([np.cos(turn), np.sin(turn)])
    head = [
        (x + 0.4 * h, y - 0.1 * h),
        (x + 0.25 * h, y + 0.12 * h),
        (x, y),
        (x + 0.2 * h, 0.75 * h),
    ]
    bird.outline("body", geometry.Polygon(np.vstack([belly, head])))
