"""A block of one element that slides down an incline, through an arc and up another incline."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb.multibody import Model, MultibodySystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.flexible._block import (
    CHOSEN,
    THESIS,
    InclineParameters,
    add_block,
    inclines_and_arc,
    start_on_incline,
)

__all__ = ["ElasticBlockOnArcParameters", "elastic_block_on_arc"]


@dataclass(frozen=True, kw_only=True)
class ElasticBlockOnArcParameters(InclineParameters):
    """Data of block and foundation."""

    mu: float = parameter(0.1, "-", "friction coefficient; 0.2 in the second run", THESIS)
    e_N: float = parameter(0.0, "-", "normal restitution of a corner", CHOSEN)


@parametric(
    ElasticBlockOnArcParameters,
    recommended=Recommended(t_end=10.0),
    sets={"second_run": {"mu": 0.2}},
)
def elastic_block_on_arc(p: ElasticBlockOnArcParameters) -> MultibodySystem:
    """Elastic block that slides through an arc between two inclines.

    ===========  =========================================================================
    coordinates  ``frame.x``, ``frame.y`` (m) of node 4, its lower left corner,
                 ``frame.phi`` (rad) of the edge from there to node 1, its lower right one,
                 ``block.q1``, ..., ``block.q5`` (m): displacements of node 1 along the edge,
                 of nodes 2 and 3 along and across it; none if it is rigid
    contacts     ``node_4``, ``node_1``: lower corners on the foundation
    sets         ``second_run``: the larger friction of the source, with which the block comes
                 to rest
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 4.4, first example
    ===========  =========================================================================

    The block is one bilinear element with eight coordinates. The arc is centred at the origin.
    Inclines and arc are one curve whose curvature changes within 0.15 m of the joints. Damping,
    gravity and plane stress are not given in the source.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, -p.g), name="elastic_block_on_arc")
    base = m.ground.contour("base", inclines_and_arc(p))
    for corner in add_block(m, p)[1]:
        m.add_contact(base, corner, ContactLaw(mu=p.mu, e_N=p.e_N), corner.name, points=1)
    return m.build(initial={"frame": start_on_incline(p)})
