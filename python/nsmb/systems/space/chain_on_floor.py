"""A chain that falls on a floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["ChainOnFloorParameters", "chain_on_floor"]

_STEEL = "chosen: steel"
_CHOSEN = "chosen"


@dataclass(frozen=True, kw_only=True)
class ChainOnFloorParameters(Parameters):
    """Data of the links."""

    n: int = parameter(12, "1", "number of links", _CHOSEN, positive=True)
    l: float = parameter(0.06, "m", "length of a link, from joint to joint", _CHOSEN, positive=True)
    r: float = parameter(0.01, "m", "radius of its capsule", _CHOSEN, positive=True)
    rho: float = parameter(7800.0, "kg/m³", "density", _STEEL, positive=True)
    mu: float = parameter(0.3, "-", "friction coefficient", _STEEL)
    e_N: float = parameter(0.0, "-", "normal restitution", _CHOSEN)
    g: float = parameter(9.81, "m/s²", "gravity", _CHOSEN, positive=True)
    H: float = parameter(0.1, "m", "lowest place above the floor at the start", _CHOSEN)
    slope: float = parameter(1.2, "rad", "of the chain above the horizontal", _CHOSEN)


@parametric(ChainOnFloorParameters, recommended=in_steps(5e-4, 1.5))
def chain_on_floor(p: ChainOnFloorParameters) -> MultibodySystem:
    """Chain of capsules that falls on a floor and on itself.

    ===========  =========================================================================
    coordinates  ``l0.x``, ``l0.y``, ``l0.z`` (m) of the end of the first link, and its
                 quaternion; ``l1.qw``, ... of each other link relative to the previous one
    velocities   of that end, m/s, and ω of each link relative to the previous one, along its
                 own axes, rad/s
    contacts     where links and floor touch: `MultibodySystem.find_contacts`
    source       chosen: links with spherical joints
    ===========  =========================================================================

    It starts at rest in a straight line. Neighbouring links have no contact with each other. Joint
    coordinates form a tree, so that the links cannot drift apart.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    if not p.H >= 0.0:
        raise ValueError(f"parameter 'H': expected a number >= 0, got {p.H:g}")
    m = Model(gravity=(0, 0, -p.g), name="chain_on_floor")
    m.ground.shape("floor", geometry.HalfSpace())
    capsule = geometry.Capsule(p.r, p.l)
    mass = capsule.mass_properties(p.rho)
    middle = np.array([0.0, 0.0, 0.5 * p.l])
    before = None
    for k in range(p.n):
        link = m.add_body(f"l{k}", mass=mass.mass, inertia=mass.inertia, center=middle)
        link.shape("solid", capsule, at=middle)
        if before is None:
            m.add_joint("l0", joints.Free(), m.ground, link)
        else:
            m.add_joint(f"l{k}", joints.Spherical(), before, link, at=(0.0, 0.0, p.l))
        before = link
    m.collide(ContactLaw(mu=p.mu, e_N=p.e_N))
    # e_z of the links points along the chain, in the x-z plane.
    half = 0.5 * (0.5 * np.pi - p.slope)
    low = p.H + p.r + max(0.0, -p.n * p.l * np.sin(p.slope))
    return m.build(initial={"l0": (0.0, 0.0, low, np.cos(half), 0.0, np.sin(half), 0.0)})
