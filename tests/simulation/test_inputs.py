"""User functions whose values change between two calls of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import joints

INTEGRATORS = ["dp853", "cvode"]


class Input:
    """A force that a controller holds between two calls."""

    value = 0.0
    calls = 0

    def __call__(self, *_: Any) -> float:
        self.calls += 1
        return self.value


def callback(force: Input) -> nsmb.System:
    return nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [force()])


def linear(force: Input) -> nsmb.System:
    return nsmb.LinearSystem([[1.0]], force=lambda t: [force()])


def motor(force: Input) -> nsmb.System:
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, body)
    m.add_joint_force("motor", "x", force)
    return m.build()


def load(force: Input) -> nsmb.System:
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, body)
    m.add_load("push", body, lambda *_: [force(), 0.0, 0.0])
    return m.build()


def in_pieces(
    make: Callable[[Input], nsmb.System], name: str, forces: np.ndarray, h: float
) -> tuple[nsmb.Simulator, Input]:
    force = Input()
    force.value = forces[0]
    sim = nsmb.Simulator(make(force), nsmb.EventDriven(integrator=name), output_step=0.0)
    for k, value in enumerate(forces):
        force.value = value
        sim.advance((k + 1) * h)
    return sim, force


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("make", [callback, linear, motor, load])
def test_a_force_that_changes_between_two_calls_acts_at_once(
    make: Callable[[Input], nsmb.System], name: str
) -> None:
    """For constant forces, u and x are sums. Measured 2e-15; cvode 4e-12 (its tolerances)."""
    forces = np.random.default_rng(2).normal(size=300)
    h = 1e-3
    sim, _ = in_pieces(make, name, forces, h)
    u = np.concatenate([[0.0], np.cumsum(forces) * h])
    x = np.sum(u[:-1] * h + 0.5 * forces * h**2)
    tolerance = 1e-13 if name == "dp853" else 1e-9
    assert sim.u[0] == pytest.approx(u[-1], abs=tolerance)
    assert sim.q[0] == pytest.approx(x, abs=tolerance)


def test_a_force_that_does_not_change_is_not_begun_anew() -> None:
    """Restarts are counted.

    The steps of a call evaluate the force 12 times, its polynomial and the samples 13 times, and
    the tests for a change before and after 4 times.
    """
    sim, force = in_pieces(callback, "dp853", np.ones(100), 1e-3)
    assert sim.solution.stats["restarts"] == 0
    assert sim.solution.stats["steps"] <= 105
    assert force.calls <= 30 * 105
    changed, _ = in_pieces(callback, "dp853", np.arange(100.0), 1e-3)
    assert changed.solution.stats["restarts"] == 99


def test_history_is_kept_and_both_sides_are_samples() -> None:
    force = Input()
    sim = nsmb.Simulator(callback(force), output_step=0.0)
    sim.advance(1.0)
    force.value = 2.0
    sim.advance(2.0)
    sol = sim.solution
    assert sol.t.tolist() == [0.0, 1.0, 1.0, 2.0]
    assert sol.at(1.5).u[0] == pytest.approx(1.0, abs=1e-12)
    assert sol.at(0.5).u[0] == 0.0


def block(force: Input) -> nsmb.System:
    contact = nsmb.Contact(
        lambda t, q: q[1],
        w_N=lambda t, q: [0.0, 1.0],
        w_T=lambda t, q: [1.0, 0.0],
        law=nsmb.ContactLaw(mu=0.3),
        name="floor",
    )
    return nsmb.CallbackSystem(["x", "y"], np.eye(2), lambda t, q, u: [force(), -10.0], [contact])


def test_contacts_are_decided_anew() -> None:
    """Against 3 N of friction, 1 N does not move the block and 5 N move it at once."""
    force = Input()
    force.value = 1.0
    sim = nsmb.Simulator(block(force), output_step=0.0)
    sim.advance(1.0)
    force.value = 5.0
    sim.advance(1.5)
    events = sim.solution.events
    assert events.kinds == ["slip"]
    assert events.t[0] == 1.0
    assert sim.u[0] == pytest.approx(1.0, abs=1e-13)


def test_step_returns_the_event_that_an_input_makes() -> None:
    force = Input()
    sim = nsmb.Simulator(block(force), output_step=0.0)
    assert sim.step(1.0) is None
    force.value = 5.0
    event = sim.step(2.0)
    assert event is not None
    assert (event.kind.label, event.t) == ("slip", 1.0)
    assert sim.t == 1.0


def test_another_system_is_refused() -> None:
    sim = nsmb.Simulator(nsmb.systems.bouncing_ball())
    with pytest.raises(AttributeError, match=r"system: .*Create a new Simulator"):
        sim.system = nsmb.systems.woodpecker()  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"method: .*Create a new Simulator"):
        sim.method = nsmb.EventDriven(rtol=1e-3)  # type: ignore[misc]


def test_forces_are_read_in_a_loop_without_copies_of_the_run() -> None:
    """The forces that a loop reads are always the last rows of the tables of the run."""
    force = Input()
    sim = nsmb.Simulator(block(force), output_step=0.0)
    np.testing.assert_allclose(sim.lambda_N, [10.0], rtol=1e-14)  # before anything has moved
    rng = np.random.default_rng(4)
    for k in range(1, 40):
        force.value = float(rng.uniform(-6.0, 6.0))
        sim.advance(0.05 * k)
        run = sim.solution
        assert run.t[-1] == sim.t
        for name in ("g_N", "gamma_N", "gamma_T", "lambda_N", "lambda_T"):
            np.testing.assert_array_equal(getattr(sim, name), getattr(run, name)[-1], name)
    assert np.abs(run.lambda_T).max() == pytest.approx(3.0, rel=1e-12)
