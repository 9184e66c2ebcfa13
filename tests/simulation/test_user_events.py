"""User events at zero crossings of functions, and at given times."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.simulation.systems import METHODS, block
from tests.simulation.user_event_scenes import EPS, ball, closeness, method, swing

# ---- where functions cross zero ------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_zeros_of_the_motion_are_where_they_are(name: str, direction: str) -> None:
    sol = nsmb.simulate(
        swing(), 10.0, events=[nsmb.When(lambda t, q, u: q[0], direction)], method=method(name)
    )
    zeros = {"down": [0.5, 2.5], "up": [1.5], "both": [0.5, 1.5, 2.5]}[direction]
    assert sol.events.kinds == ["user"] * len(zeros)
    # CVODE starts at first order; the others are accurate to their tolerance.
    assert np.abs(sol.events.t - np.array(zeros) * np.pi).max() < closeness(name)


@pytest.mark.parametrize("name", ["auto", "dp853"])
@pytest.mark.parametrize("depth", [1e-2, 1e-5, 1e-8])
def test_two_zeros_close_together_within_one_step_are_both_found(name: str, depth: float) -> None:
    """cos t dips below -1 + depth around π."""
    sol = nsmb.simulate(
        swing(),
        6.0,
        output_step=0,
        method=method(name),
        events=[nsmb.When(lambda t, q, u: q[0] + 1.0 - depth)],
    )
    half = np.arccos(1.0 - depth)
    assert len(sol.events) == 2
    # x is accurate to 1e-16, or to the tolerance; the time follows with the slope √(2 depth).
    known = 1e-14 if name == "auto" else 1e-9
    assert np.abs(sol.events.t - [np.pi - half, np.pi + half]).max() < known / np.sqrt(depth)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_functions_of_time_alone_are_met_to_rounding(name: str) -> None:
    times = [0.1, 0.7, 1.3, 2.0]
    events = [nsmb.When(lambda t, q, u, c=c: t - c, "up", name=f"{c}") for c in times]
    sol = nsmb.simulate(swing(), 2.0, events=events, method=method(name))
    assert [event.name for event in sol.events] == ["0.1", "0.7", "1.3", "2.0"]
    assert np.abs(sol.events.t - times).max() <= 4.0 * EPS * 2.0


def test_a_fast_function_on_a_long_step_is_not_missed() -> None:
    """Free fall is one step of any length; the function crosses zero 200 times within it."""
    system = nsmb.LinearSystem([[1.0]], force=[-1.0], coordinates=["y"])
    events = [nsmb.When(lambda t, q, u: np.sin(2.0 * np.pi * t + 0.5), "up")]
    sol = nsmb.simulate(system, 200.0, events=events, output_step=0)
    expected = np.arange(1, 201) - 0.5 / (2.0 * np.pi)
    assert len(sol.events) == 200
    assert np.abs(sol.events.t - expected).max() < 1e-12


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_touching_zero_and_turning_back_is_no_event(name: str) -> None:
    def grazes(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float((t - 1.0) ** 2)

    def touches(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float(q[0])  # zero at the impacts of a ball, positive between them

    events = [nsmb.When(grazes, name="grazes"), nsmb.When(touches, name="touches")]
    sol = nsmb.simulate(ball(), 2.5, events=events, method=method(name))
    assert sol.events.count()["impact"] > 5
    assert "user" not in sol.events.count()


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_zero_at_the_start_is_no_crossing(name: str) -> None:
    """sin t starts from 0; only the later zeros are events."""
    system = swing()
    events = [nsmb.When(lambda t, q, u: -u[0])]
    sol = nsmb.simulate(system, 7.0, events=events, method=method(name))
    assert np.abs(sol.events.t - np.array([1.0, 2.0]) * np.pi).max() < 1e-9
    still = nsmb.simulate(block([0.0, -10.0]), 1.0, events=[nsmb.When(lambda t, q, u: q[1])])
    assert len(still.events) == 0


def test_a_function_that_jumps_over_zero_has_its_event_there() -> None:
    """The velocity at the impact of a ball, and a function of time with a jump."""
    switch = 0.3
    events = [
        nsmb.When(lambda t, q, u: u[0] - 1e-3, "up", name="turns"),
        nsmb.When(lambda t, q, u: 1.0 if t > switch else -1.0, name="jumps"),
    ]
    sol = nsmb.simulate(ball(), 0.6, events=events)
    assert [(e.kind.label, e.name) for e in sol.events] == [
        ("user", "jumps"),
        ("impact", ""),
        ("user", "turns"),
    ]
    assert sol.events.t[2] == sol.events.t[1]
    assert abs(sol.events.t[0] - switch) <= 2.0 * EPS
    assert sol.events[2].u_minus[0] > 0.0  # after the impact


def test_contacts_come_first_where_both_happen_at_one_instant() -> None:
    fall = np.sqrt(0.2)
    events = [nsmb.When(lambda t, q, u: t - fall, name="clock")]
    sol = nsmb.simulate(ball(), 0.6, events=events)
    assert sol.events.kinds == ["impact", "user"]
    assert np.ptp(sol.events.t) <= 4.0 * EPS
    assert sol.events[1].u_minus[0] > 0.0


@pytest.mark.parametrize("name", ["auto", "dp853"])
@pytest.mark.parametrize("t_end", [3.0, 3.7, np.pi])
def test_times_do_not_depend_on_the_end_of_the_run_nor_on_samples(name: str, t_end: float) -> None:
    events = [nsmb.When(lambda t, q, u: q[0] - 0.1 * t)]
    long = nsmb.simulate(swing(), 8.0, events=events, method=method(name))
    short = nsmb.simulate(swing(), t_end, events=events, method=method(name), output_step=0.37)
    n = len(short.events)
    assert n == int((long.events.t <= t_end).sum())
    assert np.abs(short.events.t - long.events.t[:n]).max() < closeness(name)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_a_zero_at_the_end_of_the_run_belongs_to_it_and_does_not_come_twice(name: str) -> None:
    sim = nsmb.Simulator(
        swing(),
        method(name),
        output_step=0.0,
        events=[nsmb.When(lambda t, q, u: t - 1.0)],
    )
    sim.advance(1.0)
    assert sim.solution.events.kinds == ["user"]
    sim.advance(2.0)
    assert sim.solution.events.kinds == ["user"]


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_without_effect_the_motion_is_the_same(name: str) -> None:
    plain = nsmb.simulate(ball(0.8), 3.0, method=method(name))
    events = [nsmb.When(lambda t, q, u: q[0] - 0.3), nsmb.At(every=0.11)]
    seen = nsmb.simulate(ball(0.8), 3.0, method=method(name), events=events)
    others = seen.events[seen.events.kind != nsmb.EventKind.USER]
    assert others.kinds == plain.events.kinds
    # Two bouncing motions of a few hundred impacts: times differ by rounding and by the tolerance.
    assert np.abs(others.t - plain.events.t).max() < (1e-13 if name == "auto" else 1e-9)
    t = np.linspace(0.0, 3.0, 50)
    assert np.abs(seen.at(t).q - plain.at(t).q).max() < (1e-12 if name == "auto" else 1e-8)


def test_both_sides_are_samples() -> None:
    top = nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": now.u - 1.0})
    sol = nsmb.simulate(ball(), 0.8, events=[top], output_step=0)
    event = sol.events.of_kind("user")[0]
    here = np.flatnonzero(sol.t == event.t)
    assert len(here) == 2
    assert sol.u[here[0]] == pytest.approx(event.u_minus, abs=1e-15)
    assert sol.u[here[1]] == pytest.approx(event.u_plus, abs=1e-15)


# ---- given times ---------------------------------------------------------------------------------


def test_given_times_are_met_exactly() -> None:
    times = [0.0, 0.1, 0.25, 1.0 / 3.0, 0.7]
    sol = nsmb.simulate(ball(), 0.7, events=[nsmb.At(times)])
    assert sol.events.of_kind("user").t.tolist() == times


def test_periodic_times_do_not_drift() -> None:
    period = 0.1
    sol = nsmb.simulate(
        nsmb.LinearSystem([[1.0]]),
        1e4,
        events=[nsmb.At(every=period)],
        method=nsmb.EventDriven(dense_output=False),
        output_step=0,
    )
    assert (sol.events.t == period * np.arange(100_001)).all()


def test_periodic_times_go_on_where_a_run_goes_on() -> None:
    sim = nsmb.Simulator(ball(), output_step=0.0, events=[nsmb.At(every=0.3, start=0.1)])
    for t in (0.05, 0.1, 0.4, 0.9, 1.3):
        sim.advance(t)
    ticks = sim.solution.events.of_kind("user").t
    assert ticks.tolist() == [0.1 + k * 0.3 for k in range(5)]
    sim.reset(t=0.2)
    sim.advance(0.75)
    assert sim.solution.events.of_kind("user").t.tolist() == [0.1 + k * 0.3 for k in (1, 2)]


def test_the_stepping_interface_stops_at_user_events() -> None:
    sim = nsmb.Simulator(ball(), output_step=0.0, events=[nsmb.At([0.2], name="look")])
    event = sim.step(5.0)
    assert event is not None
    assert (event.t, event.kind, event.name) == (0.2, nsmb.EventKind.USER, "look")
    event = sim.step(5.0)
    assert event is not None
    assert event.kind.label == "impact"
