"""A block that rocks on a floor from edge to edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["RockingBlockParameters", "rocking_block"]

_CLOSED = "chosen: closed form"


@dataclass(frozen=True, kw_only=True)
class RockingBlockParameters(Parameters):
    """Data of the block."""

    B: float = parameter(0.2, "m", "width, across the edges it rocks on", _CLOSED, positive=True)
    D: float = parameter(0.2, "m", "depth, along them", _CLOSED, positive=True)
    H: float = parameter(0.6, "m", "height", _CLOSED, positive=True)
    rho: float = parameter(2000.0, "kg/m³", "density", _CLOSED, positive=True)
    mu: float = parameter(0.6, "-", "friction coefficient", "chosen: edges do not slide")
    e_N: float = parameter(0.0, "-", "restitution coefficient", "Housner (1963), chosen as there")
    g: float = parameter(9.81, "m/s²", "gravity", _CLOSED, positive=True)
    theta: float = parameter(0.2, "rad", "slope at the start", _CLOSED)


@parametric(RockingBlockParameters, recommended=in_steps(5e-4, 3.0))
def rocking_block(p: RockingBlockParameters) -> MultibodySystem:
    """Block released on one of its edges.

    ===========  =========================================================================
    coordinates  ``block.x``, ``block.y``, ``block.z`` (m) and its quaternion
    velocities   of its centre, m/s, and ω along axes fixed in the block, rad/s
    contacts     where it touches the floor
    source       Housner (1963), Bull. Seism. Soc. Am. 53, 403
    ===========  =========================================================================

    At each change of the edge it keeps the fraction :func:`rocking_block.energy_ratio` of its
    energy.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="rocking_block")
    block = m.add_solid("block", geometry.Box((p.B, p.D, p.H)), p.rho)
    m.add_joint("block", joints.Free(), m.ground, block)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(ContactLaw(mu=p.mu, e_N=p.e_N))
    # It leans to +x, on the edge x = B/2 of its bottom, which is also at x = B/2 in space.
    sine, cosine, side = np.sin(p.theta), np.cos(p.theta), np.copysign(0.5 * p.B, p.theta)
    x = side - side * cosine + 0.5 * p.H * sine
    z = side * sine + 0.5 * p.H * cosine
    half = 0.5 * p.theta
    return m.build(initial={"block": (x, 0.0, z, np.cos(half), 0.0, np.sin(half), 0.0)})


def _slenderness(parameters: dict[str, float]) -> float:
    p = from_keywords(RockingBlockParameters, parameters)
    return float(np.arctan2(p.B, p.H))


@rocking_block.evaluation
def energy_ratio(**parameters: float) -> float:
    """Return the ratio of kinetic energies after and before a change of edge, (1 - 3/2 sin² α)².

    Here tan α = B/H. The block rotates about one edge before the impact and about the other edge
    after it. The impulse at the new edge conserves the angular momentum about that edge, and the
    old edge, which separates, has no impulse. This holds for e_N = 0, sin² α < 2/3, and friction
    above :func:`rocking_block.friction`. A less slender block comes to rest, with ratio 0.

    Source: Housner (1963), Bull. Seism. Soc. Am. 53, 403.

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    share = 1.0 - 1.5 * np.sin(_slenderness(parameters)) ** 2
    return float(max(share, 0.0) ** 2)


@rocking_block.evaluation
def friction(**parameters: float) -> float:
    """Return the friction coefficient above which the edge does not slip in the impact.

    The impulse is m H/2 (1 - r) ω along the floor and m B/2 (1 + r) ω normal to it, where r = 1 -
    3/2 sin² α is the remaining fraction of ω. This gives μ >= 3 sin α cos α/(4 - 3 sin² α).

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    alpha = _slenderness(parameters)
    sine = np.sin(alpha)
    return float(3.0 * sine * np.cos(alpha) / (4.0 - 3.0 * sine**2))
