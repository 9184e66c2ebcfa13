"""A straight guide with clearance for a block."""

from __future__ import annotations

from nsmb import geometry
from nsmb.multibody import Model
from nsmb.multibody.handles import Body
from nsmb.system.contact_laws import ContactLaw

__all__ = ["add_guide"]


def add_guide(m: Model, block: Body, half: tuple[float, float], c: float, law: ContactLaw) -> None:
    """Add contacts between the corners of a block and the two sides of a guide along x.

    `half` contains half the length and half the height of the block. The sides are unbounded and
    have the clearance c.
    """
    a, b = half
    for side, up in (("lower", -1.0), ("upper", 1.0)):
        line = geometry.Line((0.0, up * (b + c)), (up, 0.0))
        guide = m.ground.contour(side, line)
        for end, right in (("left", -1.0), ("right", 1.0)):
            name = f"{side}_{end}"
            corner = block.contour(name, geometry.Point(), at=(right * a, up * b))
            m.add_contact(corner, guide, law, name)
