"""Ten blocks that topple like dominoes, rigid."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb import contours
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contacts import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["TopplingBlocksParameters", "toppling_blocks"]

_THESIS = "printed: Ebrahimi (2007), section 5.6"
_MISSING = "chosen: the source does not say"
_POINTS = 4  # an edge on an edge, and those to come and to go


@dataclass(frozen=True, kw_only=True)
class TopplingBlocksParameters(Parameters):
    """Data of the blocks."""

    n: int = parameter(10, "1", "number of blocks", _THESIS, positive=True)
    M: float = parameter(4.0, "kg", "mass of a block", _THESIS, positive=True)
    H: float = parameter(1.0, "m", "its height", _THESIS, positive=True)
    L: float = parameter(0.3, "m", "its width", _THESIS, positive=True)
    gap: float = parameter(0.4, "m", "between two blocks", _MISSING, positive=True)
    mu: float = parameter(0.25, "-", "friction coefficient", _THESIS)
    e_N: float = parameter(0.0, "-", "normal restitution", _MISSING)
    omega: float = parameter(4.0, "rad/s", "rate at which the first begins to topple", _THESIS)
    g: float = parameter(9.81, "m/s²", "gravity", _MISSING, positive=True)


@parametric(TopplingBlocksParameters, recommended=Recommended(t_end=3.0))
def toppling_blocks(p: TopplingBlocksParameters) -> MultibodySystem:
    """Blocks in a row of which each topples the next.

    ===========  =========================================================================
    coordinates  ``b1.x``, ``b1.y`` (m) of the middle of the first, ``b1.phi`` (rad),
                 counterclockwise, ``b2.x``, ...
    contacts     ``floor1[0]``, ...: corners of a block on the floor; ``hit1[0]``, ...: of
                 the first and the second block
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 5.6: elastic there
    ===========  =========================================================================

    The first turns about its right lower corner with `omega` at the start. Spacing and gravity are
    not in the source.

    Raises
    ------
    ValueError
        For an unknown parameter or a value out of range.
    """
    m = Model(gravity=(0, -p.g), name="toppling_blocks")
    floor = m.ground.contour("floor", contours.Line())
    law = ContactLaw(mu=p.mu, e_N=p.e_N)
    x, y = 0.5 * p.L, 0.5 * p.H
    outline = contours.Polygon([(-x, -y), (x, -y), (x, y), (-x, y)])
    initial, before = {}, None
    for k in range(1, p.n + 1):
        block = m.add_body(f"b{k}", mass=p.M, inertia=p.M / 12.0 * (p.H**2 + p.L**2))
        m.add_joint(f"b{k}", joints.Planar(), m.ground, block)
        sides = block.contour("sides", outline)
        m.add_contact(sides, floor, law, f"floor{k}", points=_POINTS)
        if before is not None:
            m.add_contact(before, sides, law, f"hit{k - 1}", points=_POINTS)
        initial[f"b{k}"] = ((k - 1) * (p.L + p.gap), y, 0.0)
        before = sides
    return m.build(initial=initial, velocities={"b1": (p.omega * y, p.omega * x, -p.omega)})
