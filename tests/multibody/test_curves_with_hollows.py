"""Smooth curves with hollows: contact points that come into being, and ones that vanish.

A wheel wider than a trough touches both sides of it. The second point does not exist until the
centre of the wheel crosses the evolute of the curve. The judge measures distances to points on a
fine grid.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints

Array = NDArray[np.float64]
G = 9.81


def thrown(ground: Any, outline: Any, mu: float, start: Any, velocity: Any) -> nsmb.System:
    model = nsmb.Model(gravity=(0, -G))
    body = model.add_body("body", mass=1.0, inertia=0.015)
    model.add_joint("free", joints.Planar(), model.ground, body)
    floor = model.ground.contour("ground", ground)
    model.add_contact(floor, body.contour("rim", outline), nsmb.ContactLaw(mu=mu), name="c")
    return model.build({"free": start}, {"free": velocity})


def wave(amplitude: float = 0.02, number: float = 9.0) -> geometry.Spline:
    x = np.linspace(-4.0, 4.0, 241)
    points = np.column_stack([x, amplitude * np.cos(number * x)])
    return geometry.Spline(points[::-1], closed=False)


def least_gap(sol: nsmb.Solution, radius: float, number: float = 9.0) -> float:
    """Return the least distance of the wheel to the wave at all samples, in m."""
    x = np.linspace(-4.0, 4.0, 40001)
    y = 0.02 * np.cos(number * x)
    gaps = [np.hypot(x - q[0], y - q[1]).min() - radius for q in sol.q[::10]]
    return float(min(gaps))


@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
@pytest.mark.parametrize("radius", [0.7, 1.0, 1.4])
def test_a_wheel_bridges_the_troughs_of_a_washboard(radius: float, rtol: float) -> None:
    start = (-1.5, radius + 0.05, 0.0)
    system = thrown(wave(), geometry.Circle(radius), 0.3, start, (1.5, 0.0, 0.0))
    sol = nsmb.simulate(system, 0.45, method=nsmb.EventDriven(rtol=rtol))
    assert least_gap(sol, radius) > -2e-6
    assert (sol.contact_state > 0).sum(axis=1).max() == 2
    assert rtol > 1e-7 or sol.check()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("lobes", "depth"), [(2, 0.5), (3, 0.15), (4, 0.08)])
def test_a_body_with_lobes_rolls_from_one_to_the_next(lobes: int, depth: float, seed: int) -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    radius = 0.2 * (1.0 + depth * np.cos(lobes * angle))
    outline = geometry.Spline(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]))
    turn = np.random.default_rng(seed).uniform(-3.0, 3.0)
    system = thrown(geometry.Line(), outline, 0.5, (0.0, 0.4, turn), (0.5, 0.0, -6.0))
    sol = nsmb.simulate(system, 1.0)
    points = np.asarray(outline.points())
    height = sol.q[:, 1:2] + np.sin(sol.q[:, 2:]) * points[:, 0]
    height += np.cos(sol.q[:, 2:]) * points[:, 1]
    assert height.min() > -1e-7


@pytest.mark.parametrize("seed", [6, 11, 17, 23])
@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
def test_a_rod_goes_on_after_it_has_hit_a_hump(seed: int, rtol: float) -> None:
    """A step that is too long leads to the far side of the ellipse; the next one starts anew."""
    rod = geometry.Polygon([(-0.3, -0.01), (0.3, -0.01), (0.3, 0.01), (-0.3, 0.01)])
    rng = np.random.default_rng(seed)
    start = (0.0, 0.8, rng.uniform(-3.0, 3.0))
    velocity = rng.uniform(-1.0, 1.0, 3) * [2.0, 1.0, 8.0]
    system = thrown(geometry.Ellipse(1.0, 0.4), rod, 0.0, start, velocity)
    sol = nsmb.simulate(system, 1.5, method=nsmb.EventDriven(rtol=rtol))
    assert sol.events.count()["impact"] > 0
    energy = sol.energy.total
    assert np.diff(energy).max() < 10.0 * rtol * energy[0]


@pytest.mark.parametrize("height", [0.4, 0.6, 0.9])
def test_a_body_flies_over_a_wavy_curve(height: float) -> None:
    """Far below it, nearest points disappear where they meet furthest ones."""
    triangle = geometry.Polygon([(-0.1, -0.1), (0.1, -0.1), (0.0, 0.15)])
    system = thrown(wave(0.05, 6.0), triangle, 0.0, (-2.0, height, 0.3), (6.0, 0.5, 4.0))
    sol = nsmb.simulate(system, 0.25)
    assert len(sol.events) == 0
    np.testing.assert_allclose(sol.q[-1, 0], -2.0 + 6.0 * 0.25, rtol=1e-12)
    np.testing.assert_allclose(sol.q[-1, 1], height + 0.125 - 0.5 * G * 0.0625, atol=1e-9)
