"""Gears in models, and the same gears in the oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb import gears
from tests.oracles.gears import Wheel

Array = NDArray[np.float64]


def oracle(gear: gears.Gear) -> Wheel:
    return Wheel(gear.z, gear.m_n, gear.alpha_n, gear.x, gear.addendum, gear.dedendum)


def pose(
    r: Any, angle: float = 0.0, v: Any = (0, 0, 0), omega: float = 0.0
) -> tuple[Array, Array, Array, Array]:
    c, s = math.cos(angle), math.sin(angle)
    A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.array(r, float), A, np.array(v, float), np.array([0.0, 0.0, omega])


def contacts(pair: gears.GearPair, one: Any, two: Any, **options: Any) -> gears.GearContacts:
    """Return the contacts of two gears whose teeth 0 are on the x axes of the poses."""
    train = gears.GearTrain(
        gears={"a": pair.gear_1, "b": pair.gear_2}, meshes={"": ("a", "b", pair)}, **options
    )
    columns = (np.array(rows) for rows in zip(one, two, strict=True))
    return train.contacts(*columns, x=np.zeros(len(train.states)))


def turning(
    pair: gears.GearPair,
    inertias: tuple[float, float],
    omegas: tuple[float, float],
    phases: tuple[float, float],
    **options: Any,
) -> nsmb.MultibodySystem:
    """Both gears on their axes, the second one along x."""
    m = nsmb.Model(gravity=(0.0, 0.0))
    bodies = []
    for k, place in enumerate((0.0, pair.a_w)):
        body = m.add_body(f"gear_{k + 1}", mass=1.0, inertia=inertias[k])
        m.add_joint(f"phi_{k + 1}", nsmb.joints.Revolute(), m.ground, body, at=(place, 0.0))
        bodies.append(body)
    m.add_gear_pair("mesh", *bodies, pair, phases=phases, **options)
    return m.build(velocities={"phi_1": omegas[0], "phi_2": omegas[1]})
