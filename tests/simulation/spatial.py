"""Bodies with friction in a plane, shared by the tests of this folder."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

import nsmb

Array = NDArray[np.float64]
G = 9.81


def turned(angle: float) -> Array:
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def point(
    delta: float,
    velocity: ArrayLike,
    law: nsmb.ContactLaw,
    height: float = 0.0,
    basis: ArrayLike = ((1.0, 0.0), (0.0, 1.0)),
    m: float = 1.0,
) -> nsmb.System:
    """Point mass on a plane with slope delta: x downhill, y across, z along the normal."""
    w_T = np.vstack([np.asarray(basis), np.zeros((1, 2))])
    return nsmb.LinearSystem(
        m * np.eye(3),
        force=[m * G * sin(delta), 0.0, -m * G * cos(delta)],
        contacts=[nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=w_T, law=law, name="plane")],
        coordinates=["x", "y", "z"],
        initial_state=nsmb.State(0.0, np.array([0.0, 0.0, height]), np.asarray(velocity)),
    )


def block(delta: float, mu: float, feet: int, velocity: ArrayLike = (0.0,) * 6) -> nsmb.System:
    """Rigid block on feet on an inclined plane, linear because its rotations are small."""
    m, h = 2.0, 0.1
    places = np.array([(-0.3, -0.2), (0.3, -0.25), (0.25, 0.3), (-0.2, 0.35)])[:feet]
    contacts = [
        nsmb.Contact(
            w_N=[0.0, 0.0, 1.0, y, -x, 0.0],
            w_T=np.array([[1.0, 0.0, 0.0, 0.0, -h, -y], [0.0, 1.0, 0.0, h, 0.0, x]]).T,
            law=nsmb.ContactLaw(mu=mu),
            name=f"foot_{i + 1}",
        )
        for i, (x, y) in enumerate(places)
    ]
    return nsmb.LinearSystem(
        np.diag([m, m, m, 0.08, 0.1, 0.15]),
        force=[m * G * sin(delta), 0.0, -m * G * cos(delta), 0.0, 0.0, 0.0],
        contacts=contacts,
        coordinates=["x", "y", "z", "alpha", "beta", "gamma"],
        initial_state=nsmb.State(0.0, np.zeros(6), np.asarray(velocity)),
    )


M_BALL, R_BALL = 0.7, 0.2
J_BALL = 0.4 * M_BALL * R_BALL**2


def ball(
    velocity: ArrayLike,
    spin: ArrayLike,
    law: nsmb.ContactLaw,
    height: float = 0.0,
    weight: float = M_BALL * G,
) -> nsmb.System:
    """Homogeneous ball over a floor, z upwards.

    Its velocities are those of the centre and ω. The coordinates of ω are quasi-coordinates, which
    a ball does not need.
    """
    r = R_BALL
    w_T = np.array([[1.0, 0.0, 0.0, 0.0, -r, 0.0], [0.0, 1.0, 0.0, r, 0.0, 0.0]]).T
    floor = nsmb.Contact(w_N=[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], w_T=w_T, law=law, name="floor")
    q, u = np.zeros(6), np.concatenate([np.asarray(velocity), np.asarray(spin)])
    q[2] = height
    return nsmb.LinearSystem(
        np.diag([M_BALL] * 3 + [J_BALL] * 3),
        force=[0.0, 0.0, -weight, 0.0, 0.0, 0.0],
        contacts=[floor],
        coordinates=["x", "y", "z", "a", "b", "c"],
        initial_state=nsmb.State(0.0, q, u),
    )
