"""A block of one element in a half circle, whose middle is guided along a curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.flexible._block import CHOSEN, THESIS, BlockParameters, add_block

__all__ = ["ConstrainedBlockParameters", "constrained_block"]

_ROUNDING = 4.0 * np.finfo(float).eps


@dataclass(frozen=True, kw_only=True)
class ConstrainedBlockParameters(BlockParameters):
    """Data of block, foundation and guide."""

    mu: float = parameter(0.5, "-", "friction coefficient", THESIS)
    e_N: float = parameter(0.0, "-", "normal restitution of a corner", CHOSEN)
    guide: int | str = parameter(
        "circle", "1", "what guides the middle of the block", THESIS, choices=("circle", "ellipse")
    )
    squeeze: float = parameter(
        0.002,
        "m",
        "by which the guide is nearer to the foundation than half the height: of the circle "
        "everywhere, of the ellipse at the bottom",
        CHOSEN,
    )
    theta_0: float = parameter(
        -1.2, "rad", "slope at the start", "chosen: sticks at 8.2 s, as the source does"
    )


@parametric(ConstrainedBlockParameters, recommended=Recommended(t_end=10.0))
def constrained_block(p: ConstrainedBlockParameters) -> MultibodySystem:
    """Elastic block that slides in a half circle and is pressed against it by a guide.

    ===========  =========================================================================
    coordinates  as of :func:`nsmb.systems.elastic_block_on_arc`
    contacts     ``node_4``, ``node_1``: lower corners on the half circle
    constraint   ``guide``: the mean of the four nodes is on a circle, or on an ellipse that
                 comes nearer to the foundation at the bottom
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 4.4, second example
    ===========  =========================================================================

    Initial state and guide are not given in the source. With a guide circle of radius
    :math:`\\sqrt{r^2 - L^2/4} - H/2` the block is unstressed. The guide then carries the weight,
    and the forces at the corners are due to the motion only.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the start is not on the half circle.
    """
    if 2.0 * p.r <= p.L:
        raise ValueError(f"L: expected a block shorter than the half circle, got {p.L} m")
    most = 0.5 * np.pi - np.arcsin(0.5 * p.L / p.r)
    if not abs(p.theta_0) < most:
        raise ValueError(
            f"theta_0: expected both corners on the half circle, |theta_0| < {most:.4g} rad, "
            f"got {p.theta_0}"
        )
    m = Model(gravity=(0, -p.g), name="constrained_block")
    base = m.ground.contour("base", geometry.Arc(p.r, 0.0, -np.pi))
    block, corners = add_block(m, p)
    for corner in corners:
        m.add_contact(base, corner, ContactLaw(mu=p.mu, e_N=p.e_N), corner.name, points=1)
    height = np.sqrt(p.r**2 - 0.25 * p.L**2)
    free = height - 0.5 * p.H
    bottom = free + p.squeeze
    circle = p.choice("guide") == "circle"
    curve = geometry.Circle(bottom) if circle else geometry.Ellipse(free, bottom)
    middle = (0.5 * p.L, 0.5 * p.H) if p.choice("material") == "rigid" else "middle"
    m.add_loop("guide", joints.OnCurve(curve), m.ground, block, at_2=middle)
    c, s = np.cos(p.theta_0), np.sin(p.theta_0)
    node_4 = np.array([[c, -s], [s, c]]) @ [-0.5 * p.L, -height] * (1.0 - _ROUNDING)
    return m.build(initial={"frame": [*node_4, p.theta_0]})
