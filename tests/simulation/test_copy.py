"""Copies of simulators continue independently from the state of the original."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.simulation.test_set_parameters import bounce_to_be_set, rocker
from tests.support.methods import Steps, stepping


def spheres() -> nsmb.System:
    """A small pile, computed with the sparse solver."""
    model = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    model.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(12):
        ball = model.add_solid(f"b{k}", geometry.Sphere(0.1), 1000.0)
        model.add_joint(f"b{k}", joints.Free(), model.ground, ball)
        x, y, z = 0.21 * (k % 2), 0.21 * (k // 2 % 2), 0.1 + 0.21 * (k // 4)
        initial[f"b{k}"] = (x + 0.03 * (k // 4), y, z, 1.0, 0.0, 0.0, 0.0)
    model.collide(nsmb.ContactLaw(mu=0.3, mu_R=1e-3))
    return model.build(initial=initial)


IN_STEPS: dict[str, tuple[Callable[[], nsmb.System], Steps]] = {
    "ball": (bounce_to_be_set, nsmb.Midpoint(1e-3)),
    "controlled": (bounce_to_be_set, nsmb.Midpoint(1e-2, error=1e-5)),
    "polygon": (rocker, nsmb.Midpoint(1e-3)),
    "pile": (spheres, nsmb.Midpoint(2e-3)),
    "asleep": (spheres, nsmb.Midpoint(2e-3, sleeping=True)),
    "forces": (nsmb.systems.stick_slip_oscillator, stepping(1e-3, "rk4-velocity")),
    "toy": (nsmb.systems.woodpecker, nsmb.Midpoint(1e-4)),
}


@pytest.mark.parametrize("case", IN_STEPS)
def test_a_copy_in_steps_goes_on_bit_by_bit(case: str) -> None:
    make, method = IN_STEPS[case]
    whole, first = (nsmb.Simulator(make(), method, output_step=0.01) for _ in range(2))
    whole.advance(0.1)
    first.advance(0.1)
    copy = first.copy()
    first.advance(0.2)  # does not affect the copy
    for simulator in (whole, copy):
        simulator.advance(0.2)
    expected, found = whole.solution, copy.solution
    later = expected.t >= 0.1
    assert np.array_equal(found.t, expected.t[later])
    for name in ("q", "u", "lambda_N", "lambda_T", "contact_state", "g_N"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)[later]), name
    assert len(found.events) == int((expected.events.t > 0.1).sum())


@pytest.mark.parametrize("method", [nsmb.EventDriven(), nsmb.Hybrid(1e-3)])
@pytest.mark.parametrize("make", [bounce_to_be_set, rocker, nsmb.systems.woodpecker])
def test_a_copy_event_by_event_goes_on_to_the_tolerance(
    make: Callable[[], nsmb.System], method: nsmb.EventDriven | nsmb.Hybrid
) -> None:
    whole = nsmb.Simulator(make(), method)
    whole.advance(0.35)
    copy = whole.copy()
    assert copy.t == 0.35
    assert np.array_equal(copy.q, whole.q)
    whole.advance(0.5)
    copy.advance(0.5)
    assert np.abs(copy.q - whole.q).max() < 1e-8
    assert copy.solution.t[0] == 0.35
    later = whole.solution.events.t > 0.35
    assert copy.solution.events.t == pytest.approx(whole.solution.events.t[later], abs=1e-8)


@pytest.mark.parametrize("method", [nsmb.EventDriven(), nsmb.Midpoint(1e-3), nsmb.Hybrid(1e-3)])
def test_inputs_parameters_and_times_go_on_and_are_of_one_alone(
    method: nsmb.EventDriven | nsmb.Midpoint | nsmb.Hybrid,
) -> None:
    tick = nsmb.At(every=0.03, name="tick")
    simulator = nsmb.Simulator(bounce_to_be_set(), method, events=[tick])
    simulator.set(motor=2.0)
    simulator.advance(0.1)
    simulator.set_parameters(m=2.0)
    copy = simulator.copy()
    assert (copy["motor"], copy.system.parameters["m"]) == (2.0, 2.0)
    copy.set(motor=20.0)
    copy.advance(0.2)
    simulator.advance(0.2)
    # First 8 m/s² for 0.1 s, then 9 m/s².
    assert simulator.u[0] == pytest.approx(-0.8 - 0.9, abs=1e-12)
    assert copy.u[0] == pytest.approx(-0.8, abs=1e-12)
    assert copy.solution.events.t == pytest.approx([0.12, 0.15, 0.18], abs=1e-15)


def test_a_simulator_that_has_not_begun_is_copied() -> None:
    simulator = nsmb.Simulator(bounce_to_be_set(), nsmb.Midpoint(1e-3))
    simulator.reset(q=[0.5])
    copy = simulator.copy()
    copy.advance(0.1)
    assert copy.q[0] == pytest.approx(0.45, abs=1e-12)
    assert simulator.t == 0.0


def test_what_cannot_be_copied_is_refused() -> None:
    followed = nsmb.Simulator(bounce_to_be_set(), sensitivity="m")
    with pytest.raises(ValueError, match=r"^copy: must be called on a run without sensitivities"):
        followed.copy()
    full = nsmb.Simulator(bounce_to_be_set(), nsmb.EventDriven(max_events=2))
    with pytest.raises(nsmb.SimulationError):
        full.advance(5.0)
    with pytest.raises(
        ValueError, match=r"^copy: expected a run that can be continued, got .*event_limit"
    ):
        full.copy()
