"""Bodies that slide and roll over flush tiles: no seam is an obstacle."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81


def tiles(seed: int) -> tuple[np.ndarray, float, float]:
    """Tiles: their start and end in m, friction, and a speed."""
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.uniform(-1.5, 2.0, int(rng.integers(3, 9))))
    mu = float(rng.choice([0.0, 0.1, 0.3]))
    return np.concatenate([[-2.0], inner, [4.0]]), mu, float(rng.uniform(0.5, 2.5))


def slid(v: float, mu: float, t: np.ndarray) -> np.ndarray:
    """Return the distance in m from a speed v on, until friction stops the body."""
    stop = v / (mu * G) if mu > 0.0 else np.inf
    t = np.minimum(t, stop)
    return v * t - 0.5 * mu * G * t**2


@pytest.mark.parametrize("rolls", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_body_passes_over_flush_polygons(seed: int, rolls: bool) -> None:
    edges, mu, v = tiles(seed)
    m = nsmb.Model(gravity=(0, -G))
    body = m.add_body("b", mass=1.0, inertia=0.005)
    m.add_joint("j", joints.Planar(), m.ground, body)
    outline: geometry.Contour = geometry.Circle(0.05)
    if not rolls:
        outline = geometry.Polygon([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)])
    own = body.contour("c", outline)
    for k, (a, b) in enumerate(pairwise(edges.tolist())):
        tile = geometry.Polygon([(a, -0.3), (b, -0.3), (b, 0.0), (a, 0.0)])
        m.add_contact(m.ground.contour(f"t{k}", tile), own, nsmb.ContactLaw(mu=mu), f"c{k}")
    spin = -v / 0.05 if rolls else 0.0
    system = m.build({"j": (-1.0, 0.05, 0.0)}, velocities={"j": (v, 0.0, spin)})
    sol = nsmb.simulate(system, 1.0, method=nsmb.Midpoint(1e-3), output_step=0.01)
    way = v * sol.t if rolls else slid(v, mu, sol.t)
    np.testing.assert_allclose(sol.q[:, 0] + 1.0, way, atol=5e-4)
    np.testing.assert_allclose(sol.q[:, 1], 0.05, atol=1e-8)
    if not rolls:
        assert np.abs(sol.q[:, 2]).max() < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_a_box_slides_over_flush_boxes(seed: int) -> None:
    edges, mu, v = tiles(seed)
    m = nsmb.Model(gravity=(0, 0, -G))
    body = m.add_solid("b", geometry.Box((0.2, 0.15, 0.1)), 1000.0)
    m.add_joint("j", joints.Free(), m.ground, body)
    for k, (a, b) in enumerate(pairwise(edges.tolist())):
        m.ground.shape(f"t{k}", geometry.Box((b - a, 1.0, 0.3)), at=(0.5 * (a + b), 0.0, -0.15))
    m.collide(nsmb.ContactLaw(mu=mu))
    start = {"j": (-1.0, 0.0, 0.05, 1, 0, 0, 0)}
    system = m.build(start, velocities={"j": (v, 0, 0, 0, 0, 0)})
    sol = nsmb.simulate(system, 0.5, method=nsmb.Midpoint(1e-3), output_step=0.01)
    np.testing.assert_allclose(sol.q[:, 0] + 1.0, slid(v, mu, sol.t), atol=5e-4)
    np.testing.assert_allclose(sol.q[:, 2], 0.05, atol=1e-8)
    assert sol.stats["missed_steps"] == 0


def test_a_trunk_on_bent_legs_does_not_walk() -> None:
    """The trunk has springs in its hips: after settling, nothing creeps."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    trunk = m.add_solid("trunk", geometry.Box((0.4, 0.2, 0.05)), 1000.0)
    m.add_joint("trunk", joints.Free(), m.ground, trunk)
    for k, (x, y) in enumerate([(0.15, 0.08), (0.15, -0.08), (-0.15, 0.08), (-0.15, -0.08)]):
        leg = m.add_body(f"leg{k}", mass=0.5, inertia=1e-3 * np.eye(3))
        m.add_joint(f"hip{k}", joints.Revolute((0, 1, 0)), trunk, leg, at=(x, y, 0))
        leg.shape("foot", geometry.Sphere(0.02), at=(0.05, 0, -0.2))
        m.add_torsion_spring(f"spring{k}", f"hip{k}", c=100.0, d=2.0)
    m.collide(nsmb.ContactLaw(mu=0.6))
    system = m.build(initial={"trunk": (0, 0, 0.22, 1, 0, 0, 0)})
    method = nsmb.Midpoint(4e-3)
    settled = nsmb.simulate(system, 10.0, method=method)
    later = nsmb.simulate(system, 12.0, start=settled, method=method)
    assert np.abs(later.q[-1] - settled.q[-1]).max() < 1e-10
    assert np.abs(later.u[-1]).max() < 1e-8
