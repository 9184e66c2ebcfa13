"""A block of one element that slides off the end of an arc and falls onto a floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.flexible._block import (
    CHOSEN,
    InclineParameters,
    add_block,
    start_on_incline,
)

__all__ = ["BlockLeavingFoundationParameters", "block_leaving_foundation"]


@dataclass(frozen=True, kw_only=True)
class BlockLeavingFoundationParameters(InclineParameters):
    """Data of block, foundation and floor."""

    mu: float = parameter(0.0, "-", "friction coefficient", "printed: Ebrahimi (2007), section 5.6")
    e_N: float = parameter(0.0, "-", "normal restitution of a corner", CHOSEN)


@parametric(BlockLeavingFoundationParameters, recommended=Recommended(t_end=6.0))
def block_leaving_foundation(p: BlockLeavingFoundationParameters) -> MultibodySystem:
    """Elastic block that slides off an arc and falls onto a floor.

    ===========  =========================================================================
    coordinates  as of :func:`nsmb.systems.elastic_block_on_arc`
    contacts     ``incline_4``, ``arc_4``, ``floor_4``, ``incline_1``, ...: lower corners on
                 the pieces of the foundation and on the floor
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 5.6, second example
    ===========  =========================================================================

    Only corners touch, as in the source: the edge between them passes through the end of the arc
    when node 1 is beyond it. The geometry after the arc is not given in the source. Here a floor
    starts at the end of the arc, which is consistent with the times of leaving and touching in the
    source.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, -p.g), name="block_leaving_foundation")
    sine, cosine = p.r * np.sin(p.alpha), p.r * np.cos(p.alpha)
    bottom, top = -0.5 * np.pi - p.alpha, -0.5 * np.pi + p.alpha
    # The incline extends beyond its upper end, where node 4 starts.
    way = (p.run + p.L) * np.array([-np.cos(p.alpha), np.sin(p.alpha)])
    pieces = {
        "incline": geometry.Segment((-sine, -cosine), (way[0] - sine, way[1] - cosine)),
        "arc": geometry.Arc(p.r, top, bottom),
        "floor": geometry.Segment((sine + 100.0 * p.r, -cosine), (sine, -cosine)),
    }
    ground = [m.ground.contour(name, piece) for name, piece in pieces.items()]
    law = ContactLaw(mu=p.mu, e_N=p.e_N)
    for corner in add_block(m, p)[1]:
        for piece in ground:
            m.add_contact(piece, corner, law, f"{piece.name}_{corner.name[-1]}", points=1)
    return m.build(initial={"frame": start_on_incline(p)})
