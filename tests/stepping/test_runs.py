"""Features of stepped runs shared with all runs: outputs, events, inputs, files, statuses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb

BALL = nsmb.systems.bouncing_ball()


def method(**options: Any) -> nsmb.Midpoint:
    return nsmb.Midpoint(**({"step": 1e-3} | options))


def test_samples_are_where_they_are_asked_for() -> None:
    sol = nsmb.simulate(BALL, 1.0, method=method(), output_times=[0.0, 0.1234, 0.5, 1.0])
    np.testing.assert_array_equal(sol.t, [0.0, 0.1234, 0.5, 1.0])
    np.testing.assert_allclose(sol.q[1, 0], 1.0 - 0.5 * 9.81 * 0.1234**2, atol=1e-12)


def test_the_last_step_ends_at_the_end() -> None:
    sol = nsmb.simulate(BALL, 0.01234, method=method())
    assert sol.t[-1] == 0.01234
    assert sol.stats["steps"] == 13


def test_dense_output_goes_through_the_steps() -> None:
    sol = nsmb.simulate(BALL, 1.0, method=method())
    times = np.linspace(0.0, 0.44, 50)
    np.testing.assert_allclose(sol(times)[:, 0], 1.0 - 0.5 * 9.81 * times**2, atol=1e-12)
    assert not nsmb.simulate(BALL, 1.0, method=method(dense_output=False)).has_dense_output


def test_energy_adds_up() -> None:
    """The missing energy is the loss of impacts and friction, to the error of a step."""
    sol = nsmb.simulate(BALL, 2.0, method=method())
    assert sol.energy.relative < 1e-3
    np.testing.assert_allclose(
        sol.energy.impact_loss[-1], sol.energy.total[0] - sol.energy.total[-1], atol=1e-2
    )


def test_a_simulator_takes_one_step_at_a_time() -> None:
    sim = nsmb.Simulator(BALL, method())
    assert sim.step() is None
    assert math.isclose(sim.t, 1e-3)
    events = [sim.step() for _ in range(600)]
    (impact,) = [event for event in events if event is not None]
    assert impact.kind.label == "impact"
    sim.advance(1.0)
    assert sim.t == 1.0


def test_inputs_hold_until_they_are_set_anew() -> None:
    motor = nsmb.Input("motor", unit="N")
    cart = nsmb.LinearSystem([[2.0]], force=nsmb.Force(inputs={motor: [1.0]}))
    sim = nsmb.Simulator(cart, method(), output_step=0.0)
    sim.set(motor=4.0)
    sim.advance(1.0)
    sim.set(motor=-4.0)
    sim.advance(2.0)
    np.testing.assert_allclose([sim.q[0], sim.u[0]], [2.0, 0.0], atol=1e-12)
    assert sim.solution.inputs[:, 0].tolist()[-1] == -4.0


def test_discontinuities_end_steps() -> None:
    """A pulse of 1 N from 0.30005 s to 0.70005 s is exact, even with steps of 10 ms."""
    pulse = nsmb.Force(pulses=[nsmb.Pulse([1.0], start=0.30005, end=0.70005)])
    sol = nsmb.simulate(nsmb.LinearSystem([[1.0]], force=pulse), 1.0, method=method(step=1e-2))
    np.testing.assert_allclose(sol.u[-1, 0], 0.4, atol=1e-12)


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_file_holds_the_run(tmp_path: Path, suffix: str) -> None:
    if suffix == ".h5":
        pytest.importorskip("h5py")
    sol = nsmb.simulate(BALL, 1.0, method=method(tol=1e-9))
    sol.save(tmp_path / f"run{suffix}")
    read = nsmb.Solution.load(tmp_path / f"run{suffix}")
    np.testing.assert_array_equal(read.q, sol.q)
    np.testing.assert_array_equal(read.step_status, sol.step_status)
    np.testing.assert_array_equal(read.step_residual, sol.step_residual)
    assert isinstance(read.method, nsmb.Midpoint)
    assert read.method.tol == 1e-9


def test_a_run_goes_on_where_another_has_ended() -> None:
    whole = nsmb.simulate(BALL, 1.0, method=method())
    first = nsmb.simulate(BALL, 0.5, method=method())
    second = nsmb.simulate(BALL, 1.0, method=method(), start=first)
    joined = nsmb.join(first, second)
    np.testing.assert_allclose(joined.q[-1], whole.q[-1], rtol=1e-9)
    assert joined.step_status.size == whole.step_status.size
    assert joined.stats["steps"] == whole.stats["steps"]


def two_feet() -> nsmb.LinearSystem:
    """Mass between two feet that share its weight, pushed along."""
    law = nsmb.ContactLaw(mu=0.3)
    contacts = [
        nsmb.Contact(w_N=[0.0, 1.0, arm], w_T=[1.0, 0.0, 0.2], law=law, name=name)
        for name, arm in (("left", -0.5), ("right", 0.5))
    ]
    return nsmb.LinearSystem(np.diag([1.0, 1.0, 0.1]), force=[1.0, -9.81, 0.1], contacts=contacts)


def test_a_step_that_misses_its_tolerance_says_so() -> None:
    """No solver reaches a residual of zero."""
    sol = nsmb.simulate(two_feet(), 0.1, method=method(tol=1e-30))
    missed = sol.step_status != nsmb.results.StepStatus.SOLVED
    assert sol.status == "finished"
    assert missed.sum() == sol.stats["missed_steps"] > 0
    assert (sol.step_residual[missed] > 0.0).all()
    assert sol.step_residual.max() == sol.stats["largest_residual"] < 1e-12
    fine = nsmb.simulate(two_feet(), 0.1, method=method())
    assert fine.stats["missed_steps"] == 0
    assert not fine.step_status.any()


def test_a_step_that_misses_its_tolerance_may_end_the_run() -> None:
    stopping = method(tol=1e-30, on_failure="stop")
    sol = nsmb.simulate(two_feet(), 0.1, method=stopping, throw=False)
    assert sol.status == "no_contact_solution"
    assert "'left'" in sol.message
    assert "above tol = 1e-30" in sol.message


def test_a_value_that_is_none_names_its_coordinate() -> None:
    """An unstable spring, 1e4 times faster than the step, overflows and affects all values."""
    start = nsmb.State(0.0, np.array([0.0, 1e-3]), np.zeros(2))
    system = nsmb.LinearSystem(
        np.eye(2), K=np.diag([1.0, -1e14]), coordinates=["a", "b"], initial_state=start
    )
    sol = nsmb.simulate(system, 1.0, method=method(), throw=False)
    assert sol.status == "integration_failure"
    assert "gives no finite value of the velocity of 'a'" in sol.message
    assert np.isfinite(sol.q).all()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"step": 0.0}, "step"),
        ({"step": -1.0}, "step"),
        ({"step": math.nan}, "step"),
        ({"step": math.inf}, "step"),
        ({"step": None}, "step"),
        ({"step": "fast"}, "step"),
        ({"tol": 0.0}, "tol"),
        ({"impact_law": "hertz"}, "impact_law"),
        ({"solver": "polyhedral"}, "solver"),
        ({"threads": 0}, "threads"),
        ({"max_time": 0.0}, "max_time"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"on_failure": "pray"}, "on_failure"),
        ({"gap_tolerance": -1.0}, "gap_tolerance"),
        ({"dense_output": 1}, "dense_output"),
        ({"max_memory": 0.0}, "max_memory"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: (expected|must)"):
        method(**options)


def test_what_only_the_event_driven_method_can_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^sensitivity: expected .*EventDriven"):
        nsmb.simulate(BALL, 1.0, method=method(), sensitivity=True)
    with pytest.raises(ValueError, match=r"^check: must be called on a run"):
        nsmb.simulate(BALL, 0.1, method=method()).check()
    with pytest.raises(ValueError, match=r"^step_status: must be read from a run with"):
        _ = nsmb.simulate(BALL, 0.1).step_status


def test_a_start_that_penetrates_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^q: expected g_N"):
        nsmb.simulate(BALL, 1.0, q=[-0.1], method=method())


def test_memory_has_its_limit() -> None:
    sol = nsmb.simulate(BALL, 10.0, method=method(step=1e-4, max_memory=1e5), throw=False)
    assert sol.status == "memory_limit"
