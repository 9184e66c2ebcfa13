"""Record of each step: order, processor time, and (6.19) of Ebrahimi (2007)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb.system.method import Method
from nsmb.systems import bouncing_ball

ORDERS = {
    "dp853": {8},
    "arkode_fehlberg78": {8},
    "arkode_verner56": {6},
    "arkode_dormand_prince45": {5},
    "arkode_bogacki_shampine23": {3},
    "cvode": {1, 2, 3, 4, 5},
}


def pendulum() -> nsmb.System:
    m = nsmb.Model(gravity=(0.0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=0.1)
    m.add_joint("phi", nsmb.joints.Revolute(), m.ground, rod, at_2=(0.0, 0.5))
    return m.build(initial={"phi": 1.0})


def logged(system: nsmb.System, method: Method, t_end: float = 1.0) -> nsmb.Solution:
    """Return a run with a log of its steps."""
    sol = nsmb.simulate(system, t_end, method=method)
    assert sol.step_order.shape == sol.step_seconds.shape == sol.step_t.shape
    assert sol.step_t.size > 0
    assert (sol.step_seconds >= 0.0).all()
    assert sol.step_seconds.sum() > 0.0
    lengths = np.diff(sol.step_t, prepend=sol.t[0])
    whole = np.dot(sol.real_time_factor, lengths)
    if "step_part" not in sol._data:
        assert whole == pytest.approx(sol.step_seconds.sum(), rel=1e-9)
    return sol


@pytest.mark.parametrize("integrator", ORDERS)
def test_orders_are_those_of_the_integrator(integrator: str) -> None:
    sol = logged(pendulum(), nsmb.EventDriven(integrator=integrator, step_log=True))
    used = set(sol.step_order.tolist())
    assert used <= ORDERS[integrator]
    if integrator == "cvode":
        assert min(used) == 1  # at the start
        assert max(used) >= 4
        grown = np.diff(sol.step_order.astype(int))
        assert grown.max() == 1  # one at a time


def test_motion_in_closed_form_and_stepped_motion_have_no_order() -> None:
    ball = bouncing_ball()
    flow = logged(ball, nsmb.EventDriven(integrator="linear_flow", step_log=True))
    assert not flow.step_order.any()
    stepped = logged(ball, nsmb.Midpoint(1e-3, step_log=True))
    assert not stepped.step_order.any()
    assert stepped.step_seconds.size == stepped.stats["steps"]
    controlled = nsmb.Midpoint(1e-2, error=1e-6, step_log=True)
    assert logged(ball, controlled).step_seconds.size > 0


def test_a_hybrid_run_logs_the_steps_between_events_too() -> None:
    method = nsmb.Hybrid(1e-3, step_log=True)
    sol = logged(bouncing_ball(), method, 3.0)
    assert (sol.step_seconds > 0.0).mean() > 0.9


@pytest.mark.parametrize("divide", [False, True])
def test_the_log_changes_no_bit_of_the_motion(divide: bool) -> None:
    contacts = [
        nsmb.Contact(w_N=np.eye(4)[k], law=nsmb.ContactLaw(e_N=0.5), name=f"floor {k}")
        for k in range(4)
    ]
    start = nsmb.State(0.0, 1.0 + 0.1 * np.arange(4), np.zeros(4))
    system = nsmb.LinearSystem(
        np.eye(4), force=np.full(4, -9.81), contacts=contacts, initial_state=start
    )
    method = nsmb.EventDriven(integrator="dp853", divide=divide)
    plain = nsmb.simulate(system, 1.0, method=method)
    sol = logged(system, nsmb.EventDriven(integrator="dp853", divide=divide, step_log=True))
    assert ("step_part" in sol._data) == divide
    for name in ("t", "y", "event_t", "step_end", "coefficients"):
        np.testing.assert_array_equal(sol._data[name], plain._data[name])
    assert set(sol.step_order.tolist()) == {8}


def test_the_log_is_saved_and_joined(tmp_path: Path) -> None:
    method = nsmb.EventDriven(integrator="dp853", step_log=True)
    first = logged(pendulum(), method)
    second = nsmb.simulate(pendulum(), 2.0, start=first, method=method)
    first.save(tmp_path / "run.h5")
    loaded = nsmb.Solution.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(loaded.step_seconds, first.step_seconds)
    np.testing.assert_array_equal(loaded.step_order, first.step_order)
    both = nsmb.join(first, second)
    assert both.step_seconds.size == first.step_seconds.size + second.step_seconds.size
    record = nsmb.to_hdf5(tmp_path / "long.h5", every=10)
    nsmb.simulate(pendulum(), 1.0, method=method, record=record)
    streamed = nsmb.Solution.load(tmp_path / "long.h5")
    assert streamed.step_order.tolist() == first.step_order.tolist()


def test_a_run_without_the_log_says_how_to_get_it() -> None:
    sol = nsmb.simulate(pendulum(), 0.1)
    for name in ("step_order", "step_seconds", "real_time_factor"):
        with pytest.raises(ValueError, match=r"must be read from a run with .*step_log=True"):
            getattr(sol, name)
    with pytest.raises(ValueError, match="step_log: must be False without dense output"):
        nsmb.EventDriven(step_log=True, dense_output=False)
    with pytest.raises(ValueError, match="step_log: expected True or False, got 1"):
        nsmb.EventDriven(step_log=1)
    with pytest.raises(ValueError, match="step_log: expected True or False, got 1"):
        nsmb.Midpoint(1.0, step_log=1)
    with pytest.raises(ValueError, match="record that keeps steps"):
        nsmb.simulate(pendulum(), 0.1, method=nsmb.EventDriven(step_log=True), record="events")
