"""A given start replaces that of the system, and errors name the origin of the start."""

import numpy as np
import pytest

import nsmb
from nsmb.analysis.orbits.flow import Flow

PLAIN = nsmb.Contact(w_N=[1.0], gap=-1.0)


def covered() -> nsmb.LinearSystem:
    """Return a mass with an obstacle that covers the default start."""
    return nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[PLAIN])


def test_a_given_start_counts_where_that_of_the_system_penetrates() -> None:
    """The fall from 2 m to the obstacle at 1 m takes t = sqrt(2 / 9.81)."""
    sol = nsmb.simulate(covered(), 1.0, q=[2.0], u=[0.0])
    assert sol.status == "finished"
    assert sol.events.t[0] == pytest.approx(np.sqrt(2.0 / 9.81), rel=1e-14)
    assert sol.q[-1, 0] == pytest.approx(1.0, abs=1e-12)


def test_a_simulator_needs_no_start_before_it_runs() -> None:
    sim = nsmb.Simulator(covered(), output_step=0.0)
    sim.reset(q=[2.0])
    event = sim.step(1.0)
    assert event is not None
    assert event.kind.label == "impact"


def test_a_start_of_the_system_is_refused_where_it_is_used() -> None:
    sim = nsmb.Simulator(covered())
    message = (
        r"^initial_state\.q: expected g_N >= -1e-09 .*got g_N = -1\. "
        r"Pass another initial state as q\.$"
    )
    for use in (lambda: sim.t, lambda: sim.q, lambda: sim.advance(1.0), lambda: sim.solution):
        with pytest.raises(ValueError, match=message):
            use()
    with pytest.raises(ValueError, match=message):
        nsmb.simulate(covered(), 1.0, u=[0.0])
    sim.reset(q=[2.0])
    sim.advance(0.1)
    assert sim.t == 0.1


def test_a_given_start_that_penetrates_is_named_as_given() -> None:
    with pytest.raises(ValueError, match=r"^q: expected g_N >= -1e-09 .*-0\.5; the bodies overlap"):
        nsmb.simulate(covered(), 1.0, q=[0.5])


def test_a_refused_start_leaves_the_run_as_it_was() -> None:
    sim = nsmb.Simulator(covered())
    sim.reset(q=[2.0])
    sim.advance(0.2)
    with pytest.raises(ValueError, match=r"^q: expected g_N"):
        sim.reset(q=[0.5])
    sim.advance(0.3)
    assert sim.q[0] == pytest.approx(2.0 - 4.905 * 0.09, rel=1e-14)


def test_what_looks_at_motion_from_a_given_start_does_not_ask_for_that_of_the_system() -> None:
    flow = Flow(covered(), nsmb.EventDriven())
    end = flow.run(0.0, np.array([2.0, 0.0]), 0.1)
    assert end.y[0] == pytest.approx(2.0 - 4.905 * 0.01, rel=1e-14)
    assert flow.contact_state(0.0, np.array([1.0, 0.0])).tolist() == [int(nsmb.ContactState.STICK)]
