"""Effects of user events on systems with bilateral constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

M, J, ARM, G = 2.0, 0.3, 0.5, 9.81


def pendulum(*, wall: bool = False, e_N: float = 0.5) -> nsmb.System:
    """Pendulum of three coordinates, pinned at (0, 0), with a wall.

    The centre of mass is ARM below the pin, and the wall is to the left of the centre of mass.
    """
    m = nsmb.Model(gravity=(0, -G))
    rod = m.add_body("rod", mass=M, inertia=J)
    m.add_joint("free", joints.Planar(), m.ground, rod)
    m.add_loop("pin", joints.Revolute(), m.ground, rod, at_2=(0.0, ARM))
    if wall:
        left = m.ground.contour("wall", geometry.Line((0.0, 0.0), (0.0, 1.0)))
        center = rod.contour("center", geometry.Point((0.0, 0.0)))
        m.add_contact(left, center, nsmb.ContactLaw(e_N=e_N), "stop")
    return m.build({"free": (0.0, -ARM, 0.0)})


def speed_behind(kick: Any) -> float:
    """Return the angular velocity after an effect.

    The impulse of the pin has no moment about the pin: the rest of M v × r + J ω rotates the body.
    """
    return float((M * ARM * kick[0] + J * kick[2]) / (J + M * ARM**2))


@pytest.mark.parametrize("kick", [(0.4, 0.0, 0.0), (0.0, 1.5, -0.7), (-0.3, 0.2, 2.0)])
def test_velocities_off_the_constraints_are_held_by_their_impulses(kick: Any) -> None:
    events = [nsmb.At([0.1], lambda now: {"u": np.array(kick)}, "kick")]
    sol = nsmb.simulate(pendulum(), 0.1, events=events)
    omega = speed_behind(kick)
    event = sol.events[0]
    assert np.abs(event.u_plus - np.array([ARM * omega, 0.0, omega])).max() < 1e-13
    assert np.abs(sol.u[-1] - event.u_plus).max() < 1e-13
    # Momentum from the effect and the pin, starting from rest.
    assert event.energy_loss == pytest.approx(-0.5 * (J + M * ARM**2) * omega**2, abs=1e-13)
    assert sol.stats["rest_loss"] == pytest.approx(0.0, abs=1e-15)


def test_effects_of_one_instant_see_velocities_on_the_constraints() -> None:
    seen = []
    events = [
        nsmb.At([0.1], lambda now: {"u": np.array([0.4, 0.7, 0.0])}, "kick"),
        nsmb.At([0.1], lambda now: seen.append(now.u), "look"),
    ]
    nsmb.simulate(pendulum(), 0.1, events=events)
    omega = speed_behind((0.4, 0.7, 0.0))
    assert np.abs(seen[0] - np.array([ARM * omega, 0.0, omega])).max() < 1e-13


def test_contacts_are_decided_with_the_velocities_that_the_constraints_leave() -> None:
    """A kick towards the wall that the rotation of the rod cancels again is not an impact."""
    away = (-0.3, 0.0, 5.0)
    assert speed_behind(away) > 0.0
    system = pendulum(wall=True)
    sol = nsmb.simulate(system, 0.11, events=[nsmb.At([0.1], lambda now: {"u": np.array(away)})])
    assert sol.events.kinds == ["user", "detach"]
    omega = speed_behind(away)
    assert np.abs(sol.events[0].u_plus - np.array([ARM * omega, 0.0, omega])).max() < 1e-13
    # A kick away from the wall that the rotation reverses: e_N of the approach is returned.
    to = (0.3, 0.0, -5.0)
    sol = nsmb.simulate(system, 0.11, events=[nsmb.At([0.1], lambda now: {"u": np.array(to)})])
    assert sol.events.kinds == ["user", "impact"]
    assert sol.events[1].u_plus[2] == pytest.approx(-0.5 * speed_behind(to), abs=1e-13)


def test_the_derivative_follows_the_constraints_behind_an_effect() -> None:
    """u⁺ = -1.5 u plus a function of the angle, compared with differences of runs."""

    def kick(now: nsmb.results.EventInstant) -> Any:
        return {"u": np.array([-1.5 * now.u[0] + 0.1, 0.3 + now.q[0], 0.2 * now.u[2]])}

    def run(omega: float, **options: Any) -> Any:
        start = nsmb.State(0.0, np.array([0.0, -ARM, 0.0]), np.array([ARM * omega, 0.0, omega]))
        return nsmb.simulate(
            pendulum(), 0.5, start=start, events=[nsmb.At([0.2], kick)], rtol=1e-11, **options
        )  # fmt: skip

    sol = run(1.0, sensitivity=True)
    h = 1e-4
    plus, minus = run(1.0 + h), run(1.0 - h)
    expected = (np.r_[plus.q[-1], plus.u[-1]] - np.r_[minus.q[-1], minus.u[-1]]) / (2.0 * h)
    direction = np.array([0.0, 0.0, 0.0, ARM, 0.0, 1.0])
    # h² and 1e-11/h; measured below.
    assert np.abs(sol.sensitivity.state @ direction - expected).max() < 1e-6
