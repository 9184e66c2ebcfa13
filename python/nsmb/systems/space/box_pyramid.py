"""A pyramid of stacked boxes."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["BoxPyramidParameters", "box_pyramid"]

_CHOSEN = "chosen: wooden cubes"


@dataclass(frozen=True, kw_only=True)
class BoxPyramidParameters(Parameters):
    """Data of the boxes."""

    rows: int = parameter(
        5, "1", "boxes of the lowest row; one less in each above", _CHOSEN, positive=True
    )
    a: float = parameter(0.2, "m", "edge of a box", _CHOSEN, positive=True)
    gap: float = parameter(0.04, "m", "between boxes of a row", _CHOSEN, positive=True)
    rho: float = parameter(600.0, "kg/m³", "density", _CHOSEN, positive=True)
    mu: float = parameter(0.5, "-", "friction coefficient", _CHOSEN)
    e_N: float = parameter(0.0, "-", "normal restitution", _CHOSEN)
    g: float = parameter(9.81, "m/s²", "gravity", _CHOSEN, positive=True)


@parametric(BoxPyramidParameters, recommended=in_steps(5e-3, 2.0))
def box_pyramid(p: BoxPyramidParameters) -> MultibodySystem:
    """Rows of boxes at rest, with each box on two boxes of the row below.

    ===========  =========================================================================
    coordinates  ``b0_0.x``, ``b0_0.y``, ``b0_0.z`` (m) and its quaternion, ``b0_1.x``, ...:
                 row from below, and position in the row
    velocities   of centres, m/s, and ω along axes fixed in each box, rad/s
    contacts     up to four corners where two boxes touch: `MultibodySystem.find_contacts`
    source       chosen: common test of stacks
    ===========  =========================================================================

    Two touching faces have four contact points. Only the sum of their forces is determined, not the
    distribution.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or a box stands on at most one other
        box.
    """
    if p.gap >= p.a:
        raise ValueError(f"parameter 'gap': expected less than a = {p.a:g} m, got {p.gap:g} m")
    m = Model(gravity=(0, 0, -p.g), name="box_pyramid")
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for row in range(p.rows):
        for k in range(p.rows - row):
            name = f"b{row}_{k}"
            box = m.add_solid(name, geometry.Box((p.a, p.a, p.a)), p.rho)
            m.add_joint(name, joints.Free(), m.ground, box)
            x = (p.a + p.gap) * (k - 0.5 * (p.rows - row - 1))
            initial[name] = (x, 0.0, p.a * (row + 0.5), 1.0, 0.0, 0.0, 0.0)
    m.collide(ContactLaw(mu=p.mu, e_N=p.e_N))
    return m.build(initial=initial)
