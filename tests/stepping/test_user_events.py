"""User events in steps: steps end at them, and effects change the motion after them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.support.methods import FORCE_SCHEMES, SCHEMES, stepping

G = 10.0
H = 0.01
EXACT_IN_FLIGHT = ("midpoint", "hybrid", "rk4-position", "rk4-velocity", "radau-velocity")
Instant = nsmb.results.EventInstant


def ball(e_N: float = 0.5, height: float = 1.0, speed: float = 0.0) -> nsmb.System:
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=e_N), name="floor")
    start = nsmb.State(0.0, np.array([height]), np.array([speed]))
    return nsmb.LinearSystem([[1.0]], force=[-G], contacts=[floor], initial_state=start)


def mass(speed: float = 0.0) -> nsmb.System:
    motor = nsmb.Input("motor", unit="N")
    start = nsmb.State(0.0, np.array([1.0]), np.array([speed]))
    force = nsmb.Force(inputs={motor: [1.0]})
    return nsmb.LinearSystem([[1.0]], force=force, initial_state=start)


# ---- where they are ------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", EXACT_IN_FLIGHT)
@pytest.mark.parametrize("level", [0.99, 0.7123, 0.3])
def test_the_time_is_that_of_the_motion(scheme: str, level: float) -> None:
    """These schemes integrate a parabola exactly, so that only the location has an error."""
    low = nsmb.When(lambda t, q, u: q[0] - level, "down", name="low")
    sol = nsmb.simulate(ball(e_N=0.0), 0.4, method=stepping(H, scheme), events=[low])
    events = sol.events.named("low")
    assert len(events) == 1
    assert abs(events.t[0] - np.sqrt(2.0 * (1.0 - level) / G)) < 2e-9 * H
    assert abs(events.q[0, 0] - level) < 1e-10
    assert sol.q[-1, 0] == pytest.approx(1.0 - 0.5 * G * 0.4**2, abs=1e-12)


@pytest.mark.parametrize("scheme", [*SCHEMES, *FORCE_SCHEMES])
def test_functions_of_time_and_given_times_are_met(scheme: str) -> None:
    events = [
        nsmb.When(lambda t, q, u: t - 0.1234567, "up", name="crossed"),
        nsmb.At([0.0, 0.0377, 0.2], name="given"),
        nsmb.At(every=0.015, name="tick"),
    ]
    sol = nsmb.simulate(mass(1.0), 0.2, method=stepping(H, scheme), events=events)
    assert abs(sol.events.named("crossed").t[0] - 0.1234567) < 2e-9 * H
    assert sol.events.named("given").t.tolist() == [0.0, 0.0377, 0.2]
    assert sol.events.named("tick").t.tolist() == [0.015 * k for k in range(14)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_two_zeros_within_one_step_are_both_found(scheme: str) -> None:
    """Thrown up at 1 m/s, for 0.1 s; the last 2 mm of the rise take 40 ms, a fraction of a step."""
    top = 1.0 + 1.0 / (2.0 * G)
    near = nsmb.When(lambda t, q, u: q[0] - (top - 2e-3), name="near")
    sol = nsmb.simulate(ball(speed=1.0), 0.25, method=stepping(0.25, scheme), events=[near])
    half = np.sqrt(2.0 * 2e-3 / G)
    assert sol.events.named("near").t == pytest.approx([0.1 - half, 0.1 + half], abs=1e-9)


def test_a_zero_that_is_touched_is_no_event() -> None:
    top = 1.0 + 1.0 / (2.0 * G)
    touched = nsmb.When(lambda t, q, u: q[0] - top - 1e-9, name="touched")
    sol = nsmb.simulate(ball(speed=1.0), 0.25, method=nsmb.Midpoint(0.03), events=[touched])
    assert len(sol.events) == 0


def test_a_velocity_that_jumps_over_zero_has_its_event_in_the_step_of_the_impact() -> None:
    turns = nsmb.When(lambda t, q, u: u[0], "up", name="turns")
    sol = nsmb.simulate(ball(), 0.6, method=nsmb.Midpoint(H), events=[turns])
    (event,) = sol.events.named("turns")
    assert abs(event.t - np.sqrt(2.0 / G)) < H
    assert event.u_minus[0] > 0.0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_steps_that_an_error_controls_end_at_events(scheme: str) -> None:
    events = [
        nsmb.When(lambda t, q, u: q[0] - 0.5, "down", name="low"),
        nsmb.When(lambda t, q, u: u[0], "down", name="top"),
        nsmb.At(every=0.07, name="tick"),
    ]
    exact = nsmb.simulate(ball(), 1.2, events=events)
    sol = nsmb.simulate(ball(), 1.2, method=stepping(0.02, scheme, error=1e-6), events=events)
    for name in ("low", "top", "tick"):
        expected = exact.events.named(name).t
        assert sol.events.named(name).t == pytest.approx(expected, abs=1e-5), name


def test_a_step_that_is_too_coarse_is_marked_at_an_event_too() -> None:
    """The error of the step is far above the requested one, but it must not be shorter."""
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    oscillator = nsmb.LinearSystem([[1.0]], K=[[100.0]], initial_state=start)
    low = nsmb.When(lambda t, q, u: q[0], name="low")
    method = nsmb.Midpoint(0.02, error=1e-12, min_step=0.02)
    sol = nsmb.simulate(oscillator, 1.0, method=method, events=[low])
    assert len(sol.events) == 3
    assert (sol.step_status == nsmb.results.StepStatus.COARSE).all()


def test_events_alone_do_not_change_the_motion() -> None:
    """A parabola is exact for any steps: both sides agree with the run without events."""
    events = [nsmb.When(lambda t, q, u: np.sin(40.0 * t) + 0.1), nsmb.At(every=0.0123)]
    times = np.linspace(0.0, 0.4, 41)
    seen = nsmb.simulate(ball(), 0.4, method=nsmb.Midpoint(H), events=events, output_step=H)
    assert len(seen.events) > 30
    assert np.abs(seen(times)[:, 0] - (1.0 - 0.5 * G * times**2)).max() < 1e-12


# ---- effects -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_ball_kicked_at_its_apex_falls_as_it_must(scheme: str) -> None:
    kick = nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": [-2.0]}, name="kick")
    method = stepping(1e-3, scheme)
    sol = nsmb.simulate(ball(speed=1.0), 0.3, method=method, events=[kick], output_step=0.05)
    (event,) = sol.events.named("kick")
    assert event.t == pytest.approx(0.1, abs=1e-11)
    assert (event.u_minus[0], event.u_plus[0]) == pytest.approx((0.0, -2.0), abs=1e-10)
    assert event.energy_loss == pytest.approx(-2.0, abs=1e-9)
    assert sol.q[-1, 0] == pytest.approx(1.05 - 2.0 * 0.2 - 0.5 * G * 0.2**2, abs=1e-10)
    here = np.flatnonzero(sol.t == event.t)
    assert sol.u[here, 0] == pytest.approx([0.0, -2.0], abs=1e-10)
    assert sol.energy.relative < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_kick_into_a_closed_contact_is_an_impact(scheme: str) -> None:
    push = nsmb.At([0.1], lambda now: {"u": [-1.0]}, "push")
    method = stepping(1e-3, scheme)
    sol = nsmb.simulate(ball(0.5, 0.0), 0.12, method=method, events=[push])
    assert sol.events.kinds == ["user", "impact"]
    assert sol.u[-1, 0] == pytest.approx(0.5 - G * 0.02, abs=1.5e-2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_kick_away_from_a_closed_contact_opens_it(scheme: str) -> None:
    push = nsmb.At([0.1], lambda now: {"u": [1.0]}, "push")
    sol = nsmb.simulate(ball(0.5, 0.0), 0.2, method=stepping(1e-3, scheme), events=[push])
    assert sol.events.of_kind("impact").t.size == 0
    assert sol.q[-1, 0] == pytest.approx(0.1 - 0.5 * G * 0.1**2, abs=1e-9)


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_box_of_shapes_is_kicked(sleeping: bool) -> None:
    """From rest on a floor, also while sleeping, the box flies by the closed form."""
    model = nsmb.Model(gravity=(0.0, 0.0, -G))
    model.ground.shape("floor", geometry.HalfSpace())
    box = model.add_solid("box", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
    model.add_joint("box", joints.Free(), model.ground, box)
    model.collide(nsmb.ContactLaw(mu=0.5))
    system = model.build(initial={"box": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)})
    kick = nsmb.At([0.2], lambda now: {"u": now.u + np.array([0.3, 0, 2, 0, 0, 0])}, "kick")
    method = nsmb.Midpoint(2e-3, sleeping=sleeping)
    sol = nsmb.simulate(system, 0.4, method=method, events=[kick], output_step=0.1)
    assert sol.q[-1, :3] == pytest.approx([0.06, 0.0, 0.1 + 0.4 - 0.2], abs=1e-9)


def test_trials_do_not_bring_bodies_to_sleep() -> None:
    """Each event takes some trial steps, but steps at rest are counted once."""

    def fallen_asleep(events: list[nsmb.When]) -> float:
        model = nsmb.Model(gravity=(0.0, 0.0, -G))
        model.ground.shape("floor", geometry.HalfSpace())
        box = model.add_solid("box", geometry.Box((0.2, 0.2, 0.2)), 1000.0)
        model.add_joint("box", joints.Free(), model.ground, box)
        model.collide(nsmb.ContactLaw(mu=0.5))
        system = model.build(initial={"box": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)})
        with nsmb.Simulator(system, nsmb.Midpoint(1e-3, sleeping=True), events=events) as sim:
            steps = 0
            while not sim.solution.stats["asleep"]:
                sim.step(1.0)
                steps += 1
            return steps

    plain = fallen_asleep([])
    assert plain > 10
    often = nsmb.When(lambda t, q, u: np.sin(4000.0 * t + 1.0))
    assert fallen_asleep([often]) == plain


def test_a_sampled_controller_is_its_discrete_time_closed_form() -> None:
    h = 0.05

    def control(now: Instant) -> dict[str, Any]:
        return {"inputs": {"motor": -2.0 * now.q[0] - 2.5 * now.u[0]}}

    tick = nsmb.At(every=h, effect=control, name="tick")
    sol = nsmb.simulate(mass(), 2.0, method=nsmb.Midpoint(0.02), events=[tick])
    state = np.array([1.0, 0.0])
    A, B = np.array([[1.0, h], [0.0, 1.0]]), np.array([0.5 * h * h, h])
    assert len(sol.events) == 41
    for event in sol.events:
        assert np.abs([event.q[0] - state[0], event.u_plus[0] - state[1]]).max() < 1e-12
        state = A @ state + B * (-2.0 * state[0] - 2.5 * state[1])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_parameters_change_at_an_event(scheme: str) -> None:
    """Gravity is halved at the apex of the ball: its flight is that of g/2."""

    def build(g: float) -> nsmb.System:
        floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5), name="floor")
        start = nsmb.State(0.0, np.array([1.0]), np.array([1.0]))
        return nsmb.LinearSystem(
            [[1.0]],
            force=[-g],
            contacts=[floor],
            initial_state=start,
            parameters={"g": g},
            rebuild=build,
        )

    halve = nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"parameters": {"g": 5.0}}, "top")
    method = stepping(1e-3, scheme)
    sol = nsmb.simulate(build(10.0), 0.5, method=method, events=[halve], output_step=0.1)
    assert sol.status == "finished"
    assert sol.q[-1, 0] == pytest.approx(1.05 - 0.5 * 5.0 * 0.4**2, abs=1e-9)
    assert set(sol.parameter_values["g"]) == {5.0, 10.0}


def test_effects_of_one_instant_see_each_other_and_functions_come_before_times() -> None:
    events = [
        nsmb.At([0.1], lambda now: {"u": now.u + 1.0}, "add"),
        nsmb.At([0.1], lambda now: {"u": now.u * 2.0}, "double"),
    ]
    sol = nsmb.simulate(mass(), 0.2, method=nsmb.Midpoint(H), events=events)
    assert [(e.name, e.u_minus[0], e.u_plus[0]) for e in sol.events] == [
        ("add", 0.0, 1.0),
        ("double", 1.0, 2.0),
    ]


# ---- ends, and trouble ---------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", [*SCHEMES, "rk4-velocity"])
def test_events_that_stop_end_the_run_and_it_can_go_on(scheme: str) -> None:
    top = nsmb.When(lambda t, q, u: u[0], "down", name="top", terminal=True)
    method = stepping(1e-3, scheme)
    sol = nsmb.simulate(ball(0.0, speed=1.0), 0.3, method=method, events=[top])
    assert (sol.status, sol.success) == ("stopped", True)
    assert "'top'" in sol.message
    assert sol.t[-1] == sol.events.t[-1] == pytest.approx(0.1, abs=1e-11)
    sim = nsmb.Simulator(ball(0.0, speed=1.0), method, output_step=0.0, events=[top])
    sim.advance(0.3)
    assert sim.t == sol.t[-1]
    sim.advance(0.3)
    assert sim.t == 0.3


def test_the_stepping_interface_returns_user_events() -> None:
    low = nsmb.When(lambda t, q, u: q[0] - 0.99995, name="low")
    sim = nsmb.Simulator(ball(), nsmb.Midpoint(H), output_step=0.0, events=[low])
    event = sim.step()
    assert event is not None
    assert (event.kind.label, event.name) == ("user", "low")
    assert event.t == sim.t < H
    assert sim.step() is None


def test_endless_events_of_one_instant_end_the_run_and_are_named() -> None:
    events = [
        nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": [1.0]}, "ping"),
        nsmb.When(lambda t, q, u: u[0] - 0.5, "up", lambda now: {"u": [-1.0]}, "pong"),
    ]
    start = nsmb.State(0.0, np.array([0.0]), np.array([1.0]))
    system = nsmb.LinearSystem([[1.0]], force=[-1.0], initial_state=start)
    sol = nsmb.simulate(system, 2.0, method=nsmb.Midpoint(H), events=events, throw=False)
    assert sol.status == "event_limit"
    assert "'ping'" in sol.message
    assert sol.t[-1] == pytest.approx(1.0, abs=1e-9)


class TroubleError(Exception):
    pass


@pytest.mark.parametrize("where", ["function", "effect", "timed effect"])
def test_what_functions_raise_leaves_the_run_to_go_on(where: str) -> None:
    fails = [True]

    def effect(now: Instant) -> Any:
        if where != "function" and fails[0]:
            raise TroubleError
        return {"u": [-1.0]}

    def function(t: float, q: Any, u: Any) -> float:
        if where == "function" and t > 0.05 and fails[0]:
            raise TroubleError
        return float(u[0])

    timed = where == "timed effect"
    event = nsmb.At([0.1], effect) if timed else nsmb.When(function, "down", effect)
    sim = nsmb.Simulator(ball(speed=1.0), nsmb.Midpoint(H), output_step=0.0, events=[event])
    with pytest.raises(TroubleError):
        sim.advance(0.2)
    assert 0.03 < sim.t < 0.11
    fails[0] = False
    sim.advance(0.2)
    assert sim.solution.events.kinds == ["user"]
    assert sim.q[0] == pytest.approx(1.05 - 0.1 - 0.5 * G * 0.1**2, abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_effect_that_raises_at_the_end_is_still_to_come(scheme: str) -> None:
    fails = [True]

    def effect(now: Instant) -> Any:
        if fails[0]:
            raise TroubleError
        return {"u": [-1.0]}

    last = nsmb.At([0.1], effect)
    sim = nsmb.Simulator(ball(speed=1.0), stepping(H, scheme), output_step=0.0, events=[last])
    with pytest.raises(TroubleError):
        sim.advance(0.1)
    with pytest.raises(ValueError, match=r"^copy: expected a run that can be continued"):
        sim.copy()
    fails[0] = False
    sim.advance(0.1)
    assert (sim.t, sim.u[0]) == (0.1, -1.0)
    assert sim.solution.events.kinds == ["user"]
