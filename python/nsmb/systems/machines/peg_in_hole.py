"""A peg that a gripper inserts into a hole: section 14.5 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import POISSON

__all__ = ["PegInHoleParameters", "hole_sides", "peg_in_hole"]

_BOOK = "Pfeiffer & Glocker, section 14.5"


@dataclass(frozen=True, kw_only=True)
class PegInHoleParameters(Parameters):
    """Data of peg, hole and gripper; the book gives only two times."""

    D: float = parameter(20e-3, "m", "width of the hole", "chosen", positive=True)
    depth: float = parameter(40e-3, "m", "depth of the hole", "chosen", positive=True)
    c: float = parameter(1e-3, "m", "height and width of its chamfer", "chosen", positive=True)
    # chosen: clearance of 0.1 mm
    d: float = parameter(19.9e-3, "m", "width of the peg", "chosen", positive=True)
    l: float = parameter(40e-3, "m", "length of the peg", "chosen", positive=True)
    # chosen: the hand of a small robot
    m: float = parameter(2.0, "kg", "mass of peg and gripper", "chosen")
    J: float = parameter(0.01, "kg m²", "their moment of inertia about the tip", "chosen")
    # chosen: 8 Hz and 7 Hz, joints under PD control
    k_x: float = parameter(5e3, "N/m", "lateral stiffness of the gripper", "chosen", least=0.0)
    k_y: float = parameter(5e3, "N/m", "its stiffness along the path", "chosen", least=0.0)
    k_phi: float = parameter(20.0, "N m/rad", "its angular stiffness", "chosen", least=0.0)
    zeta: float = parameter(0.3, "-", "its damping ratio in all directions", "chosen", least=0.0)
    mu: float = parameter(0.2, "-", "friction coefficient", "chosen")
    e_N: float = parameter(0.0, "-", "normal restitution", "chosen")
    # chosen: with these errors and this speed two points are in contact at 1.2 s, as in the book
    error: float = parameter(0.5e-3, "m", "lateral error of the path", "chosen")
    tilt: float = parameter(np.pi / 180.0, "rad", "angular error of the path", "chosen")
    v: float = parameter(20e-3, "m/s", "speed of the feed", "chosen", positive=True)
    t_hit: float = parameter(0.9, "s", "when the path first meets the chamfer", _BOOK)


@parametric(PegInHoleParameters, recommended=POISSON)
def peg_in_hole(p: PegInHoleParameters) -> MultibodySystem:
    """Peg held by springs and inserted into a chamfered hole with position and angle errors (14.5).

    ===========  =========================================================================
    coordinates  ``peg.x``, ``peg.y`` of the middle of the tip (m), ``peg.phi`` (rad):
                 deviations from the prescribed path
    contacts     ``left[i]``, ``right[i]``: peg and either side of the hole
    source       Pfeiffer & Glocker, section 14.5: chamfer hit at 0.9 s, two points touch at
                 1.2 s; all other numbers chosen
    ===========  =========================================================================

    The path is a straight line downwards at the speed v, shifted by `error` and rotated by `tilt`.
    The hole is along x = 0, and its mouth is at y = 0. Gripper forces are ``-k_x x - d_x ẋ`` and so
    on. The mass centre is assumed to be at the tip.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the peg is as wide as the hole.
    """
    if p.d >= p.D:
        raise ValueError(f"parameter 'd': expected a number < D = {p.D:g}, got {p.d:g}")
    m = Model()
    gripper = m.add_body("gripper")
    peg = m.add_body("peg", mass=p.m, inertia=p.J)
    feed = Polynomial([_height(p) + p.v * p.t_hit, -p.v])
    m.add_joint("feed", joints.Prismatic((0.0, 1.0)), m.ground, gripper, motion=feed)
    m.add_joint("peg", joints.Planar(), gripper, peg, at=(p.error, 0.0), angle_2=-p.tilt)
    for name, k, mass in (("x", p.k_x, p.m), ("y", p.k_y, p.m), ("phi", p.k_phi, p.J)):
        d = 2.0 * p.zeta * np.sqrt(k * mass)
        m.add_torsion_spring(f"gripper.{name}", f"peg.{name}", c=k, d=d)
    half = 0.5 * p.d
    corners = [(-half, 0.0), (half, 0.0), (half, p.l), (-half, p.l)]
    outline = peg.contour("outline", geometry.Polygon(corners))
    law = ContactLaw(mu=p.mu, e_N=p.e_N)
    for side, edge in zip(("left", "right"), hole_sides(p.D, p.c, p.depth), strict=True):
        m.add_contact(outline, m.ground.contour(side, edge), law, side)
    return m.build()


def _height(p: PegInHoleParameters) -> float:
    """Return the height of the tip when the corner on the side of the error is on the chamfer."""
    side = -1.0 if p.error < 0.0 else 1.0
    beyond = abs(p.error) + 0.5 * p.d * np.cos(p.tilt) - 0.5 * p.D
    return float(beyond - p.c - side * 0.5 * p.d * np.sin(p.tilt))


def hole_sides(D: float, c: float, depth: float) -> tuple[geometry.Polyline, geometry.Polyline]:
    """Return both sides of a through hole, each with its chamfer and part of the plate."""
    half = 0.5 * D
    right = np.array([(2.0 * D, 0.0), (half + c, 0.0), (half, -c), (half, -depth)])
    left = right[::-1] * [-1.0, 1.0]
    return geometry.Polyline(left), geometry.Polyline(right)
