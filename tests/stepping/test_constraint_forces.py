"""Forces of closed loops in steps: those due to loads, and those that change velocities."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import joints

G, M, L, J = 10.0, 2.0, 0.5, 0.1


def pendulum() -> nsmb.System:
    """Free body in a plane, held by a loop at one point, with its start beside that point."""
    model = nsmb.Model(gravity=(0.0, -G))
    rod = model.add_body("rod", mass=M, inertia=J)
    model.add_joint("free", joints.Planar(), model.ground, rod)
    model.add_loop("pin", joints.Revolute(), model.ground, rod, at_2=(-L, 0.0))
    return model.build({"free": (L, 0.0, 0.0)})


def driven_linkage() -> nsmb.System:
    """A four-bar linkage whose crank has a prescribed rotation."""
    model = nsmb.Model(gravity=(0.0, -G))
    crank = model.add_body("crank", mass=0.2, inertia=1e-4)
    model.add_joint(
        "shaft", joints.Revolute(), model.ground, crank, motion=np.polynomial.Polynomial([0.3, 9.0])
    )
    coupler = model.add_body("coupler", mass=0.5, inertia=2e-3, center=(0.1, 0.0))
    model.add_joint("knee", joints.Revolute(), crank, coupler, at=(0.05, 0.0))
    rocker = model.add_body("rocker", mass=0.4, inertia=1e-3, center=(0.0, 0.075))
    model.add_joint("pivot", joints.Revolute(), model.ground, rocker, at=(0.2, 0.0))
    model.add_loop("pin", joints.Revolute(), coupler, rocker, at=(0.2, 0.0), at_2=(0.0, 0.15))
    return model.build(guess={"knee": 0.6, "pivot": 0.2})


def test_a_pendulum_pulls_at_its_pin_with_weight_and_centripetal_force() -> None:
    sol = nsmb.simulate(pendulum(), 0.8, method=nsmb.Midpoint(1e-3), output_step=1e-3)
    phi, omega = sol["free.phi"], sol["free.phi_dot"]
    # The forces of a physical pendulum follow from its energy and the moment about the pin.
    angle = M * L / (J + M * L**2)
    np.testing.assert_allclose(omega**2, -2.0 * angle * G * np.sin(phi), atol=1e-4)
    turning = -angle * G * np.cos(phi)
    along = M * (-L * omega**2 + G * np.sin(phi))
    across = M * (L * turning + G * np.cos(phi))
    e_r = np.stack([np.cos(phi), np.sin(phi)])
    e_t = np.stack([-np.sin(phi), np.cos(phi)])
    force = (along * e_r + across * e_t).T
    mean = 0.5 * (force[1:] + force[:-1])  # forces of steps are means
    found = np.abs(sol.lambda_B[1:, :2])  # in the plane, along e_x and e_y
    np.testing.assert_allclose(found, np.abs(mean), atol=2e-4 * M * G)


@pytest.mark.parametrize("error", [None, 1e-5])
def test_forces_of_a_driven_loop_are_those_of_an_event_driven_run(error: float | None) -> None:
    system, step = driven_linkage(), 2e-3
    method = nsmb.Midpoint(step, error=error)
    sol = nsmb.simulate(system, 0.6, method=method, output_step=0.1)
    ends = sol.step_t
    middle = 0.5 * (ends + np.append(0.0, ends[:-1]))
    exact = nsmb.simulate(system, 0.6, output_times=middle)
    # A sample at the end of a step has the mean force of this step.
    last = np.searchsorted(ends, sol.t[1:] - 1e-9)
    expected = exact.at(middle[last]).lambda_B
    np.testing.assert_allclose(sol.lambda_B[1:], expected, atol=1e-6 * np.abs(expected).max())
    assert sol.energy.relative < 1e-5
