"""Cylinders that fall, roll, tip and come to rest on a plane, event by event."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81
R, L = 0.1, 0.02
FLAT = (1.0, 0.0, 0.0, 0.0)


def about_x(angle: float) -> tuple[float, float, float, float]:
    return (np.cos(0.5 * angle), np.sin(0.5 * angle), 0.0, 0.0)


def thrown(
    height: float,
    attitude: tuple[float, float, float, float],
    velocity: tuple[float, ...] = (0.0,) * 6,
    law: nsmb.ContactLaw = nsmb.ContactLaw(mu=0.3, e_N=0.3),  # noqa: B008 - immutable
    length: float = L,
) -> nsmb.System:
    model = nsmb.Model(gravity=(0.0, 0.0, -G))
    model.ground.shape("floor", geometry.HalfSpace())
    coin = model.add_solid("coin", geometry.Cylinder(R, length), 1000.0)
    model.add_joint("free", joints.Free(), model.ground, coin)
    model.collide(law)
    start = {"free": (0.0, 0.0, height, *attitude)}
    return model.build(initial=start, velocities={"free": velocity})


def lean(q: np.ndarray) -> np.ndarray:
    """Return the sine of the angle between the axis and the vertical."""
    w, x, y, z = q[..., 3], q[..., 4], q[..., 5], q[..., 6]
    return np.hypot(2.0 * (x * z + w * y), 2.0 * (y * z - w * x))


def lowest(q: np.ndarray, length: float = L) -> np.ndarray:
    """Return the height of the lowest point of a cylinder, without any code of the library."""
    sine = lean(q)
    return q[..., 2] - R * sine - 0.5 * length * np.sqrt(1.0 - sine**2)


@pytest.mark.parametrize("e_N", [0.0, 0.5])
def test_a_coin_that_falls_flat_bounces_like_a_ball_and_rests(e_N: float) -> None:
    height = 0.11
    law = nsmb.ContactLaw(mu=0.3, e_N=e_N)
    sol = nsmb.simulate(thrown(height, FLAT, law=law), 0.6)
    assert isinstance(sol.method, nsmb.EventDriven)
    impacts = sol.events.of_kind("impact")
    assert impacts.t[0] == pytest.approx(np.sqrt(2.0 * (height - 0.5 * L) / G), rel=1e-12)
    # Energy of all bounces: half of m v^2 (1 - e^2) at each.
    assert sol.stats["impact_loss"] == pytest.approx(
        1000.0 * np.pi * R**2 * L * G * (height - 0.5 * L), rel=1e-9
    )
    np.testing.assert_allclose(sol.q[-1], (0.0, 0.0, 0.5 * L, *FLAT), atol=1e-12)
    assert np.abs(sol.u[-1]).max() < 1e-12


def test_a_tilted_coin_comes_to_rest_on_its_cap() -> None:
    sol = nsmb.simulate(thrown(0.2, about_x(0.3)), 0.6)
    assert sol.q[-1, 2] == pytest.approx(0.5 * L, abs=1e-12)
    assert lean(sol.q[-1]) < 1e-9
    # On its feet, the rim between them is lower by up to (1 - cos 30°) R lean, lean <= 1e-6.
    assert lowest(sol.q).min() > -0.134e-6 * R
    assert sol.energy.relative < 1e-8


def test_a_coin_on_its_cap_slides_like_a_point() -> None:
    """Friction acts at the rim, so that a coin that does not spin does not turn either."""
    speed, mu = 0.8, 0.3
    start = thrown(0.5 * L, FLAT, (speed, 0.0, 0.0, 0.0, 0.0, 0.0), nsmb.ContactLaw(mu=mu))
    sol = nsmb.simulate(start, 1.0)
    assert sol.q[-1, 0] == pytest.approx(speed**2 / (2.0 * mu * G), rel=1e-7)
    assert sol.events.of_kind("stick").t[0] == pytest.approx(speed / (mu * G), rel=1e-7)
    assert lean(sol.q).max() < 1e-9


def test_a_spinning_coin_on_its_cap_stops_by_the_friction_of_its_rim() -> None:
    """Its moment is mu m g R: an angle omega^2 I / (2 mu m g R) with I = m R^2 / 2."""
    omega, mu = 5.0, 0.2
    start = thrown(0.5 * L, FLAT, (0.0, 0.0, 0.0, 0.0, 0.0, omega), nsmb.ContactLaw(mu=mu))
    sol = nsmb.simulate(start, 0.5)
    turned = 2.0 * np.arctan2(sol.q[-1, 6], sol.q[-1, 3])
    assert turned == pytest.approx(omega**2 * R / (4.0 * mu * G), rel=1e-7)


@pytest.mark.parametrize("length", [0.1, 0.4])
def test_a_can_that_leans_little_falls_back_on_its_cap(length: float) -> None:
    """It rocks; its center of mass is inside the rim while tan(lean) is below 2 R / length."""
    angle = 0.5 * np.arctan(2.0 * R / length)
    height = R * np.sin(angle) + 0.5 * length * np.cos(angle)
    law = nsmb.ContactLaw(mu=0.8)
    sol = nsmb.simulate(thrown(height, about_x(angle), law=law, length=length), 4.0)
    assert sol.q[-1, 2] == pytest.approx(0.5 * length, abs=1e-12)
    assert lean(sol.q[-1]) < 1e-11


def test_a_can_that_leans_far_falls_on_its_side() -> None:
    length = 0.4
    angle = 1.2 * np.arctan(2.0 * R / length)
    height = R * np.sin(angle) + 0.5 * length * np.cos(angle)
    law = nsmb.ContactLaw(mu=0.8)
    sol = nsmb.simulate(thrown(height, about_x(angle), law=law, length=length), 1.0)
    assert sol.q[-1, 2] == pytest.approx(R, abs=1e-9)
    assert lean(sol.q[-1]) == pytest.approx(1.0, abs=1e-9)


def test_feet_and_rim_agree_where_they_change() -> None:
    """A coin that leans by a little more or less than it takes to stand on feet falls alike."""
    runs = []
    for angle in (0.9e-6, 1.1e-6):
        height = R * np.sin(angle) + 0.5 * L * np.cos(angle)
        runs.append(nsmb.simulate(thrown(height, about_x(angle)), 1e-3))
    for sol in runs:
        assert sol.q[-1, 2] == pytest.approx(0.5 * L, abs=1e-9)
        assert lean(sol.q[-1]) < 1e-8
    assert sum(abs(sol.stats["impact_loss"]) for sol in runs) < 1e-5


def test_a_coin_passes_its_flat_attitude_in_flight() -> None:
    """The lowest point of the rim jumps to the other side there; the flight is a parabola."""
    height, omega = 1.0, 5.0
    sol = nsmb.simulate(thrown(height, about_x(0.3), (0.0, 0.0, 0.0, omega, 0.0, 0.0)), 0.4)
    assert sol.q[-1, 2] == pytest.approx(height - 0.5 * G * 0.4**2, rel=1e-12)
    assert not len(sol.events)


def test_a_spinning_coin_keeps_its_balance_of_energy() -> None:
    """Slip starts and ends again and again, in directions that turn with the contact point."""
    spin = (0.0, 0.0, 0.0, 0.0, 0.0, 8.0)
    start = thrown(0.105, about_x(1.2), spin, nsmb.ContactLaw(mu=0.3))
    sol = nsmb.simulate(start, 1.2)
    assert len(sol.events.of_kind("slip")) == 3
    assert sol.energy.relative < 1e-7
    assert lowest(sol.q).min() > -1e-8
