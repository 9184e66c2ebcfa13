"""Motion of models: conserved quantities of free flight, and contacts of bodies."""

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb._core.multibody import TreeEvaluation

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
    """Measured: momentum 3e-13, angular momentum about the mass centre 3e-13, energy 4e-14."""
    system = build()
    method = nsmb.EventDriven(rtol=1e-14, atol=1e-16)
    sol = nsmb.simulate(system, 1000.0, method=method, output_step=50.0)
    rows = list(zip(sol.q, sol.u, strict=True))
    tree = TreeEvaluation(system._assembly.tree)
    momenta = [tree.momentum(0.0, q, u) for q, u in rows]
    p = np.array([m.p for m in momenta])
    L = np.array([m.L - np.cross(m.center, m.p) for m in momenta])
    E = np.array([energy(system, q, u) for q, u in rows])
    assert np.abs(p - p[0]).max() < 1e-12 * np.linalg.norm(p[0])
    assert np.abs(L - L[0]).max() < 1e-12 * np.linalg.norm(L[0])
    assert np.abs(E / E[0] - 1.0).max() < 1e-12
    assert system.momentum(0.0, *rows[0])[0] == pytest.approx(p[0], abs=0)


@pytest.mark.parametrize("build", [top, chain])
def test_quaternions_have_length_one_behind_every_step(build) -> None:
    """The length is 1 to the rounding of four squares and a root.

    Without normalisation the error is 1e-9, within the tolerances.
    """
    system = build()
    sim = nsmb.Simulator(system, nsmb.EventDriven(rtol=1e-6), output_step=0.0)
    quaternions = [
        [k for k, name in enumerate(system.coordinates) if name.startswith(f"{joint}.q")]
        for joint in ("free", "ball")
    ]
    assert [len(places) for places in quaternions if places] in ([4], [4, 4])
    for t in np.linspace(0.0, 20.0, 101)[1:]:
        sim.advance(t)
        for places in filter(None, quaternions):
            assert abs(np.linalg.norm(sim.q[places]) - 1.0) <= 1e-15


def on_a_slope(contour, height, mu, slope, **start):
    m = nsmb.Model(gravity=(G * np.sin(slope), -G * np.cos(slope)))
    body = m.add_body("body", mass=2.0, inertia=0.5 * 2.0 * 0.1**2)
    m.add_joint("body", joints.Planar(), m.ground, body)
    floor = m.ground.contour("floor", geometry.Line())
    m.add_contact(body.contour("edge", contour), floor, nsmb.ContactLaw(mu=mu), "floor")
    return m.build({"body.y": height}, **start)


def test_disc_rolls_down_a_slope() -> None:
    """x = (2/3) g sin α t²/2 while tan α < 3 μ, and α = -x/R."""
    sol = nsmb.simulate(on_a_slope(geometry.Circle(0.1), 0.1, 0.3, 0.5), 1.0, rtol=1e-11)
    x = G * np.sin(0.5) / 3.0
    assert sol.q[-1] == pytest.approx([x, 0.1, -x / 0.1], abs=1e-9)
    assert len(sol.events) == 0


def test_box_slides_on_its_edge_and_stops() -> None:
    """Both corners touch, and a box does not tip while μ is below its aspect ratio."""
    box = geometry.Polygon([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])
    system = on_a_slope(box, 0.1, 0.4, 0.0, velocities={"body.x": 1.5})
    sol = nsmb.simulate(system, 1.0, rtol=1e-11)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t == pytest.approx([1.5 / (0.4 * G)], abs=1e-10)
    assert sol.q[-1] == pytest.approx([1.5**2 / (0.8 * G), 0.1, 0.0], abs=1e-10)
    assert sol.lambda_N[-1].sum() == pytest.approx(2.0 * G)
    touching = np.isfinite(sol.g_N[-1]) & (np.abs(sol.g_N[-1]) < 1e-10)
    assert touching.sum() == 2
