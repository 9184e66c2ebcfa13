"""Sensitivities and stiff integrators, with and without the Jacobians of bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81


def rolling(model: nsmb.Model) -> dict[str, float]:
    """Disc with a pendulum that falls on a hill, bounces, rolls and slides."""
    disc = model.add_body("disc", mass=1.0, inertia=0.005)
    rod = model.add_body("rod", mass=0.4, inertia=0.01, center=(0.3, 0))
    model.add_joint("disc", joints.Planar(), model.ground, disc)
    model.add_joint("rod", joints.Revolute(), disc, rod)
    hill = model.ground.contour("hill", geometry.Ellipse(4.0, 1.0))
    rim = disc.contour("rim", geometry.Circle(radius=0.1))
    law = nsmb.ContactLaw(mu=0.4, e_N=0.3)
    model.add_contact(hill, rim, name="touch", law=law, search_distance=0.2, skin=0.05)
    return {"disc.x": 0.5, "disc.y": 1.3, "rod": 0.4}


def chain(model: nsmb.Model) -> dict[str, float]:
    """Four bars, a spring to the ground, and a pin that closes the loop."""
    last = model.ground
    for k in range(4):
        bar = model.add_body(f"bar_{k}", mass=1.0, inertia=0.02, center=(0.25, 0))
        model.add_joint(f"bar_{k}", joints.Revolute(), last, bar, at=(0.5, 0) if k else (0, 0))
        last = bar
    model.add_loop("pin", joints.Revolute(), model.ground, last, at=(1.2, 0.1), at_2=(0.5, 0))
    return {"bar_0": 1.0, "bar_1": -0.6, "bar_2": -0.7, "bar_3": -0.9}


def top(model: nsmb.Model) -> dict[str, float]:
    """Body on a ball joint, with its mass off the axes."""
    body = model.add_body("top", mass=1.0, inertia=(0.1, 0.2, 0.15), center=(0.1, 0.05, 0.3))
    model.add_joint("top", joints.Spherical(), model.ground, body)
    return {}


def build(make: Callable[[nsmb.Model], dict[str, float]], *, by_differences: bool) -> nsmb.System:
    model = nsmb.Model(gravity=(0, -G))
    start = make(model)
    if by_differences:  # a load is a user function without derivative
        model.add_load(
            "none", model.bodies[0], lambda t, r, A, v, Omega: (np.zeros(3), np.zeros(3))
        )
    return model.build({"bar_0": 1.0}, guess=start) if make is chain else model.build(start)


@pytest.mark.parametrize("make", [rolling, chain, top])
def test_monodromy_is_the_same_by_differences(make: Callable[..., dict[str, float]]) -> None:
    found, expected = (
        nsmb.simulate(build(make, by_differences=by), 1.2, sensitivity=True) for by in (False, True)
    )
    assert found.status == expected.status == "finished"
    assert found.events.kinds == expected.events.kinds
    assert found.sensitivity is not None
    assert expected.sensitivity is not None
    size = np.abs(expected.sensitivity.state).max()
    assert size > 1.0
    # Differences of ẏ occasionally lose half the digits; measured 1e-6.
    np.testing.assert_allclose(
        found.sensitivity.state, expected.sensitivity.state, 0.0, 1e-5 * size
    )


@pytest.mark.parametrize("make", [rolling, top])
def test_cvode_is_given_the_jacobian(make: Callable[..., dict[str, float]]) -> None:
    method = nsmb.EventDriven(integrator="cvode", rtol=1e-9)
    found = nsmb.simulate(build(make, by_differences=False), 0.5, method=method)
    expected = nsmb.simulate(build(make, by_differences=False), 0.5)
    differences = nsmb.simulate(build(make, by_differences=True), 0.5, method=method)
    # The number of bounces until all speeds are below rest_velocity depends on rounding.
    assert found.status == expected.status == "finished"
    np.testing.assert_allclose(found.q[-1], expected.q[-1], atol=1e-5)
    # otherwise one evaluation per column
    assert found.stats["rhs_evaluations"] < differences.stats["rhs_evaluations"]
    assert found.stats["jacobian_evaluations"] > 0
