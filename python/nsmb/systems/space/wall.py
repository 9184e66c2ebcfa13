"""A brick wall, and a ball that hits it."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["WallParameters", "wall"]

_BRICK = "chosen: a brick of 240 x 115 x 71 mm"
_CHOSEN = "chosen"
_MORTAR = "chosen: dry bricks"


@dataclass(frozen=True, kw_only=True)
class WallParameters(Parameters):
    """Data of bricks and ball."""

    rows: int = parameter(6, "1", "number of rows", _CHOSEN, positive=True)
    columns: int = parameter(5, "1", "bricks of the lowest row", _CHOSEN, positive=True)
    l: float = parameter(0.24, "m", "length of a brick", _BRICK, positive=True)
    w: float = parameter(0.115, "m", "its width", _BRICK, positive=True)
    h: float = parameter(0.071, "m", "its height", _BRICK, positive=True)
    joint: float = parameter(2e-3, "m", "air between bricks of a row", _MORTAR, positive=True)
    rho: float = parameter(1800.0, "kg/m³", "density of the bricks", _BRICK, positive=True)
    mu: float = parameter(0.6, "-", "friction coefficient", _MORTAR)
    e_N: float = parameter(0.0, "-", "normal restitution", _CHOSEN)
    g: float = parameter(9.81, "m/s²", "gravity", _CHOSEN, positive=True)
    v: float = parameter(0.0, "m/s", "speed of the ball; 0: there is none", _CHOSEN)
    R: float = parameter(0.08, "m", "radius of the ball", _CHOSEN, positive=True)
    rho_ball: float = parameter(7800.0, "kg/m³", "its density", "chosen: steel", positive=True)


@parametric(WallParameters, recommended=in_steps(2e-3, 1.0, tol=1e-6))
def wall(p: WallParameters) -> MultibodySystem:
    """Wall of dry bricks in running bond, which a ball can hit.

    ===========  =========================================================================
    coordinates  ``b0_0.x``, ``b0_0.y``, ``b0_0.z`` (m) and its quaternion, ``b0_1.x``, ...:
                 row from below, and position in the row; ``ball.x``, ... with ``v > 0``
    velocities   of centres, m/s, and ω along axes fixed in each body, rad/s
    contacts     where two bodies touch: `MultibodySystem.find_contacts`
    source       chosen: bricks of 240 x 115 x 71 mm
    ===========  =========================================================================

    The wall is along x, and every second row starts and ends with half a brick. The ball flies from
    the side of negative y to the middle of the wall, within a hundredth of a second.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="wall")
    m.ground.shape("floor", geometry.HalfSpace())
    initial, velocities = {}, {}
    for row in range(p.rows):
        for k, (x, length) in enumerate(_bricks(p, row)):
            name = f"b{row}_{k}"
            brick = m.add_solid(name, geometry.Box((length, p.w, p.h)), p.rho)
            m.add_joint(name, joints.Free(), m.ground, brick)
            initial[name] = (x, 0.0, p.h * (row + 0.5), 1.0, 0.0, 0.0, 0.0)
    if p.v > 0.0:
        ball = m.add_solid("ball", geometry.Sphere(p.R), p.rho_ball)
        m.add_joint("ball", joints.Free(), m.ground, ball)
        y = -0.5 * p.w - p.R - 0.01 * p.v
        initial["ball"] = (0.0, y, max(p.R, 0.5 * p.rows * p.h), 1.0, 0.0, 0.0, 0.0)
        velocities["ball"] = (0.0, p.v, 0.0, 0.0, 0.0, 0.0)
    m.collide(ContactLaw(mu=p.mu, e_N=p.e_N))
    return m.build(initial=initial, velocities=velocities)


def _bricks(p: WallParameters, row: int) -> list[tuple[float, float]]:
    """Return the middle along x and the length of each brick of a row; rows are equally long."""
    pitch = p.l + p.joint
    whole = [(pitch * (k - 0.5 * (p.columns - 1)), p.l) for k in range(p.columns)]
    if row % 2 == 0:
        return whole
    half = 0.5 * (p.l - p.joint)
    end = 0.5 * (p.columns * pitch - p.joint - half)
    inner = [(pitch * (k - 0.5 * (p.columns - 2)), p.l) for k in range(p.columns - 1)]
    return [(-end, half), *inner, (end, half)]
