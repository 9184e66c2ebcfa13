"""Motion of models: what free flight keeps, and contacts of bodies."""

import numpy as np
import pytest

import nsmb
from nsmb import joints

G = 9.81


def top():
    m = nsmb.Model()
    body = m.add_body("top", mass=2.0, inertia=(0.3, 0.4, 0.6), center=(0.05, -0.1, 0.2))
    m.add_joint("free", joints.Free(), m.ground, body)
    return m.build(velocities={"free": [0.02, -0.03, 0.01, 0.3, 2.0, 0.2]})


def chain():
    """Three bars and a ball joint, thrown."""
    m = nsmb.Model()
    bars = [
        m.add_body(f"bar_{k}", mass=1.0 + 0.2 * k, inertia=(0.01, 0.02, 0.02), center=(0.2, 0, 0))
        for k in range(3)
    ]
    m.add_joint("free", joints.Free(), m.ground, bars[0])
    m.add_joint("ball", joints.Spherical(), bars[0], bars[1], at=(0.4, 0, 0))
    m.add_joint("pin", joints.Revolute((0, 1, 1)), bars[1], bars[2], at=(0.4, 0, 0))
    velocities = {"free": [0.01, 0.02, 0, 0.4, 0.5, 0.7], "ball": [0.1, 0.6, -0.4], "pin": 0.8}
    return m.build(velocities=velocities)


def energy(system, q, u):
    return system.kinetic_energy(0.0, q, u) + system.potential_energy(0.0, q)


@pytest.mark.parametrize("build", [top, chain])
def test_free_flight_of_a_thousand_seconds(build) -> None:
    system = build()
    method = nsmb.EventDriven(rtol=1e-13, atol=1e-15)
    sol = nsmb.simulate(system, 1000.0, method=method, output_step=50.0)
    rows = list(zip(sol.q, sol.u, strict=True))
    p = np.array([system.momentum(0.0, q, u)[0] for q, u in rows])
    L = np.array([system.momentum(0.0, q, u)[1] for q, u in rows])
    E = np.array([energy(system, q, u) for q, u in rows])
    print(
        np.abs(p - p[0]).max() / np.abs(p[0]).max(),
        np.abs(L - L[0]).max() / np.abs(L[0]).max(),
        np.abs(E / E[0] - 1).max(),
    )
    assert np.abs(p - p[0]).max() < 1e-12 * np.abs(p[0]).max()
    assert np.abs(L - L[0]).max() < 1e-12 * np.abs(L[0]).max()
    assert np.abs(E / E[0] - 1.0).max() < 1e-12
