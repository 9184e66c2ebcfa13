"""A ball on a rotating table, and the circles on which it rolls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["RollingBallParameters", "rolling_ball"]

_CLOSED = "chosen: closed form"


@dataclass(frozen=True, kw_only=True)
class RollingBallParameters(Parameters):
    """Data of ball and table."""

    m: float = parameter(0.2, "kg", "mass of the ball", _CLOSED, positive=True)
    r: float = parameter(0.03, "m", "its radius", _CLOSED, positive=True)
    k: float = parameter(0.4, "-", "its moment of inertia over m r²", _CLOSED, positive=True)
    mu: float = parameter(0.5, "-", "friction coefficient", _CLOSED)
    g: float = parameter(9.81, "m/s²", "gravity", _CLOSED, positive=True)
    Omega: float = parameter(5.0, "rad/s", "turning speed of the table", _CLOSED)
    x_0: float = parameter(0.3, "m", "position at the start, from the axis", _CLOSED)
    v_0: float = parameter(0.2, "m/s", "velocity at the start, in space across x_0", _CLOSED)


@parametric(RollingBallParameters, recommended=TWO_SECONDS)
def rolling_ball(p: RollingBallParameters) -> MultibodySystem:
    """Ball that rolls on a rotating table.

    ===========  =========================================================================
    coordinates  ``ball.x``, ``ball.y``, ``ball.z`` (m) and its quaternion
    velocities   of its centre, m/s, and ω along axes fixed in the ball, rad/s
    contacts     ``table``, where it rolls without slip
    source       chosen: closed form, known since Earnshaw (1844)
    ===========  =========================================================================

    The ball rolls on a circle that is fixed in space, see :func:`rolling_ball.circle`, and does not
    leave the table.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="rolling_ball")
    table = m.add_body("table", mass=1.0, inertia=(1.0, 1.0, 1.0))
    turning = Polynomial([0.0, p.Omega])
    m.add_joint("axis", joints.Revolute(), m.ground, table, motion=turning)
    ball = m.add_body("ball", mass=p.m, inertia=p.k * p.m * p.r**2 * np.ones(3))
    m.add_joint("ball", joints.Free(), m.ground, ball)
    m.add_contact(
        table.shape("top", geometry.HalfSpace()),
        ball.shape("skin", geometry.Sphere(p.r)),
        ContactLaw(mu=p.mu),
        name="table",
    )
    # Rolling condition: v + ω × (-r e_z) = Ω e_z × x.
    slip = p.v_0 - p.Omega * p.x_0
    return m.build(
        initial={"ball": (p.x_0, 0.0, p.r, 1.0, 0.0, 0.0, 0.0)},
        velocities={"ball": (0.0, p.v_0, 0.0, -slip / p.r, 0.0, 0.0)},
    )


@rolling_ball.evaluation
def circle(**parameters: float) -> tuple[float, float, float]:
    """Return centre x on the line of the start and radius, m, and angular velocity, rad/s.

    Derivation: the friction force F accelerates the ball, m v̇ = F, k m r² ω̇ = -r e_z × F.
    Together with v = Ω e_z × x + r ω × e_z this gives (1 + 1/k) v̇ = Ω e_z × v. Hence v rotates
    with Ω k/(1 + k), 2/7 of the speed of the table for a solid ball.

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    p = from_keywords(RollingBallParameters, parameters)
    rate = p.Omega * p.k / (1.0 + p.k)
    return p.x_0 - p.v_0 / rate, abs(p.v_0 / rate), rate
