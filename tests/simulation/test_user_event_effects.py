"""Effects of user events, and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from tests.simulation.systems import block
from tests.simulation.user_event_scenes import ball, closeness, method, swing
from tests.support.interrupts import ctrl_c_once

# ---- effects -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_a_ball_kicked_at_each_apex_falls_as_it_must(name: str) -> None:
    """Kicked down at 2 m/s at height h, the ball hits at √(4 + 2 g h).

    It rises to e² (4/2g + h).
    """
    kick = nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": [-2.0]}, name="kick")
    sol = nsmb.simulate(ball(0.8, 1.0), 2.0, events=[kick], method=method(name))
    g, e, v = 10.0, 0.8, np.sqrt(20.0)
    times = [v / g]
    for _ in range(3):
        up = e * v
        h = up**2 / (2.0 * g)
        times.append(times[-1] + up / g)
        v = np.sqrt(4.0 + 2.0 * g * h)
        times.append(times[-1] + (v - 2.0) / g)
    n = min(len(times), len(sol.events))
    assert n >= 5
    assert sol.events.kinds[:4] == ["impact", "user", "impact", "user"]
    known = 1e-13 if name == "auto" else 1e-9
    assert np.abs(sol.events.t[:n] - times[:n]).max() < known
    kicks = sol.events.named("kick")
    assert kicks.energy_loss == pytest.approx([-2.0] * len(kicks), abs=1e-9)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_an_effect_that_turns_the_motion_back_makes_a_wall(name: str) -> None:
    """An effect at every zero of the height gives the same impacts as a contact."""
    fall = nsmb.LinearSystem(
        [[1.0]], force=[-10.0], coordinates=["y"], initial_state=ball().initial_state
    )
    wall = nsmb.When(lambda t, q, u: q[0], effect=lambda now: {"u": -0.5 * now.u})
    sol = nsmb.simulate(fall, 1.3, events=[wall], method=method(name))
    contact = nsmb.simulate(ball(0.5), 1.3, method=method(name))
    n = len(contact.events)
    assert n == 5
    assert np.abs(sol.events.t[:n] - contact.events.t).max() < closeness(name)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_a_thermostat_switches_where_its_closed_form_says(name: str) -> None:
    """T' = -T + P: from 2 with P = 0 it falls to 1 in ln 2; with P = 3 it rises to 2 in ln 2."""
    power = {"P": 0.0}
    plant = nsmb.CallbackSystem(
        ["z"],
        [[1.0]],
        lambda t, q, u, x: [0.0],
        states=["T"],
        state_rates=lambda t, q, u, x: [power["P"] - x[0]],
        initial_state=nsmb.State(0.0, np.zeros(1), np.zeros(1), np.array([2.0])),
    )

    def set_power(value: float) -> Any:
        def effect(now: nsmb.results.EventInstant) -> None:
            power["P"] = value

        return effect

    events = [
        nsmb.When(lambda t, q, u, x: x[0] - 1.0, "down", set_power(3.0), name="on"),
        nsmb.When(lambda t, q, u, x: x[0] - 2.0, "up", set_power(0.0), name="off"),
    ]
    chosen = method("dp853") if name == "auto" else method(name)
    sol = nsmb.simulate(plant, 4.0, events=events, method=chosen)
    assert [e.name for e in sol.events] == ["on", "off", "on", "off", "on"]
    assert np.abs(sol.events.t - np.log(2.0) * np.arange(1, 6)).max() < 1e-9


def test_a_sampled_controller_is_its_discrete_time_closed_form() -> None:
    """A double integrator with the force held between samples: (x, v) ↦ A (x, v) + B f, exactly."""
    h, held = 0.05, {"f": 0.0}
    system = nsmb.CallbackSystem(
        ["x"],
        [[1.0]],
        lambda t, q, u: [held["f"]],
        initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
    )

    def control(now: nsmb.results.EventInstant) -> None:
        held["f"] = -2.0 * now.q[0] - 2.5 * now.u[0]

    sol = nsmb.simulate(
        system, 2.0, events=[nsmb.At(every=h, effect=control)], method=method("dp853")
    )
    state = np.array([1.0, 0.0])
    A, B = np.array([[1.0, h], [0.0, 1.0]]), np.array([0.5 * h * h, h])
    assert len(sol.events) == 41
    for event in sol.events:
        # The force is constant between samples: the integrator is exact to rounding.
        assert np.abs([event.q[0] - state[0], event.u_plus[0] - state[1]]).max() < 1e-13
        state = A @ state + B * (-2.0 * state[0] - 2.5 * state[1])


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_parameters_change_at_an_event(name: str) -> None:
    """The first impact halves gravity: the flights after it are those of g/2."""
    seen = []

    def halve(now: nsmb.results.EventInstant) -> dict[str, Any]:
        seen.append(now.parameters["g"])
        return {"parameters": {"g": 5.0}}

    events = [nsmb.When(lambda t, q, u: u[0], "up", halve, "halve")]
    sol = nsmb.simulate(ball(0.5), 1.5, events=events, method=method(name))
    assert seen[0] == 10.0
    assert sol.status == "finished"
    v = 0.5 * np.sqrt(20.0)
    impacts = sol.events.of_kind("impact").t
    assert np.abs(impacts[:2] - [np.sqrt(0.2), np.sqrt(0.2) + 2.0 * v / 5.0]).max() < 1e-9


def test_a_sampled_controller_of_an_input_is_its_discrete_time_closed_form() -> None:
    h, motor = 0.05, nsmb.Input("motor", unit="N")
    system = nsmb.LinearSystem(
        [[1.0]],
        force=nsmb.Force(inputs={motor: [1.0]}),
        initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
    )

    def control(now: nsmb.results.EventInstant) -> dict[str, Any]:
        return {"inputs": {"motor": -2.0 * now.q[0] - 2.5 * now.u[0]}}

    sol = nsmb.simulate(system, 2.0, events=[nsmb.At(every=h, effect=control, name="tick")])
    state = np.array([1.0, 0.0])
    A, B = np.array([[1.0, h], [0.0, 1.0]]), np.array([0.5 * h * h, h])
    assert len(sol.events) == 41
    for event in sol.events:
        assert np.abs([event.q[0] - state[0], event.u_plus[0] - state[1]]).max() < 1e-13
        state = A @ state + B * (-2.0 * state[0] - 2.5 * state[1])


def test_parameters_that_put_bodies_into_each_other_are_refused_with_the_event() -> None:
    def floor(height: float) -> nsmb.System:
        contact = nsmb.Contact(w_N=[1.0], gap=-height, name="floor")
        return nsmb.LinearSystem(
            [[1.0]],
            force=[-10.0],
            contacts=[contact],
            initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
            parameters={"height": height},
            rebuild=floor,
        )

    lift = nsmb.At([0.1], lambda now: {"parameters": {"height": 2.0}}, "lift")
    with pytest.raises(ValueError, match=r"effect of event 'lift'.*g_N") as caught:
        nsmb.simulate(floor(0.0), 1.0, events=[lift])
    assert caught.value.solution.t[-1] == 0.1  # type: ignore[attr-defined]


def test_a_kick_into_a_closed_contact_is_an_impact() -> None:
    """A block at rest is kicked down at 1 m/s: the impact returns e_N times that."""
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5), name="floor")
    system = nsmb.LinearSystem([[1.0]], force=[-10.0], contacts=[floor], coordinates=["y"])
    sol = nsmb.simulate(
        system, 0.12, events=[nsmb.At([0.1], lambda now: {"u": {"y": -1.0}}, "push")]
    )
    assert sol.events.kinds == ["user", "impact"]
    assert sol.events[0].u_plus[0] == -1.0
    assert sol.events[1].u_minus[0] == -1.0
    assert sol.events[1].u_plus[0] == 0.5
    assert sol.at(0.12).q[0] == pytest.approx(0.5 * 0.02 - 5.0 * 0.02**2, abs=1e-14)


def test_a_kick_away_from_a_closed_contact_opens_it() -> None:
    sol = nsmb.simulate(ball(0.0, 0.0), 0.15, events=[nsmb.At([0.1], lambda now: {"u": [1.0]})])
    assert sol.events.kinds == ["user", "detach"]
    assert sol.at(0.15).q[0] == pytest.approx(0.05 - 5.0 * 0.05**2, abs=1e-14)


def test_a_kick_along_a_contact_makes_it_slip() -> None:
    sol = nsmb.simulate(
        block([0.0, -10.0], mu=0.5), 1.0, events=[nsmb.At([0.1], lambda now: {"u": [1.0, 0.0]})]
    )
    assert sol.events.kinds == ["user", "slip", "stick"]
    assert sol.events.t[2] == pytest.approx(0.1 + 1.0 / 5.0, abs=1e-13)


def test_internal_states_jump_by_name_and_as_a_whole() -> None:
    system = nsmb.CallbackSystem(
        ["z"],
        [[1.0]],
        lambda t, q, u, x: [0.0],
        states=["a", "b"],
        state_rates=lambda t, q, u, x: [0.0, 0.0],
    )
    events = [
        nsmb.At([1.0], lambda now: {"x": {"b": 2.0}}),
        nsmb.At([2.0], lambda now: {"x": now.x + np.array([3.0, 4.0])}),
    ]
    sol = nsmb.simulate(system, 3.0, events=events)
    assert sol.at([0.5, 1.5, 2.5]).x.tolist() == [[0.0, 0.0], [0.0, 2.0], [3.0, 6.0]]


def test_effects_of_one_instant_see_each_other_in_the_order_of_the_list() -> None:
    events = [
        nsmb.At([0.1], lambda now: {"u": now.u + 1.0}, "add"),
        nsmb.At([0.1], lambda now: {"u": now.u * 2.0}, "double"),
    ]
    sol = nsmb.simulate(nsmb.LinearSystem([[1.0]]), 0.2, events=events)
    assert [(e.name, e.u_minus[0], e.u_plus[0]) for e in sol.events] == [
        ("add", 0.0, 1.0),
        ("double", 1.0, 2.0),
    ]


@pytest.mark.parametrize("stops", ["terminal", "effect"])
def test_events_that_stop_end_the_run_and_it_can_go_on(stops: str) -> None:
    terminal = stops == "terminal"
    effect = None if terminal else lambda now: {"stop": True}
    top = nsmb.When(lambda t, q, u: u[0], "down", effect, "top", terminal=terminal)
    sol = nsmb.simulate(ball(), 5.0, events=[top])
    assert (sol.status, sol.success) == ("stopped", True)
    assert "'top'" in sol.message
    assert sol.t[-1] == sol.events.t[-1] == pytest.approx(np.sqrt(0.2) * 1.5, abs=1e-13)
    sim = nsmb.Simulator(ball(), output_step=0.0, events=[top])
    sim.advance(5.0)
    first = sim.t
    sim.advance(5.0)
    assert first < sim.t < 5.0


@pytest.mark.parametrize("changes", ["parameters", "inputs"])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("stops", ["terminal", "effect", "itself"])
def test_an_event_that_stops_does_so_beside_one_that_sets_parameters(
    changes: str, order: int, stops: str
) -> None:
    motor = nsmb.Input("motor", unit="N")

    def build(g: float) -> nsmb.System:
        return nsmb.LinearSystem(
            [[1.0]],
            force=nsmb.Force([-g], inputs={motor: [1.0]}),
            parameters={"g": g},
            rebuild=build,
        )

    asked = {"parameters": {"g": 2.0}} if changes == "parameters" else {"inputs": {"motor": 8.0}}
    more = {"stop": True} if stops == "itself" else {}
    set_ = nsmb.At([0.5], lambda now: asked | more, "set")
    stop = nsmb.At(
        [0.5],
        (lambda now: {"stop": True}) if stops == "effect" else None,
        "halt",
        terminal=stops == "terminal",
    )
    sim = nsmb.Simulator(build(10.0), output_step=0.0, events=[set_, stop][::order])
    sim.advance(1.0)
    assert (sim.t, sim.solution.status) == (0.5, "stopped")
    assert "'halt'" in sim.solution.message
    assert sorted(e.name for e in sim.solution.events) == ["halt", "set"]
    # The values set apply when the run continues.
    sim.advance(1.0)
    assert sim.solution.status == "finished"
    assert sim.u[0] == pytest.approx(-5.0 - 1.0, abs=1e-13)


def test_endless_events_of_one_instant_end_the_run_and_are_named() -> None:
    """Two effects that throw the velocity back and forth across each other's limit."""
    events = [
        nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": [1.0]}, "ping"),
        nsmb.When(lambda t, q, u: u[0] - 0.5, "up", lambda now: {"u": [-1.0]}, "pong"),
    ]
    with pytest.raises(nsmb.SimulationError, match=r"more than 50 events.*'ping'") as caught:
        nsmb.simulate(
            nsmb.LinearSystem([[1.0]], force=[-1.0], initial_state=nsmb.State(0.0, [0.0], [1.0])),
            2.0,
            events=events,
            method=nsmb.EventDriven(max_events_per_instant=50),
        )
    assert caught.value.solution.status == "event_limit"
    assert caught.value.solution.t[-1] == pytest.approx(1.0, abs=1e-13)


def test_an_effect_that_goes_back_to_the_side_it_came_from_ends_at_once() -> None:
    """The remedy in the message about endless events: set to 1, taken back to 0.4, every 0.4 s."""
    events = [
        nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": [1.0]}, "ping"),
        nsmb.When(lambda t, q, u: u[0] - 0.5, "up", lambda now: {"u": [0.4]}, "pong"),
    ]
    start = nsmb.State(0.0, [0.0], [1.0])
    system = nsmb.LinearSystem([[1.0]], force=[-1.0], initial_state=start)
    sol = nsmb.simulate(system, 2.0, events=events)
    assert sol.events.named("ping").t == pytest.approx([1.0, 1.4, 1.8], abs=1e-12)
    assert sol.events.named("pong").t == pytest.approx([1.0, 1.4, 1.8], abs=1e-12)


def test_a_system_in_parts_is_one_with_user_events() -> None:
    balls = nsmb.LinearSystem(
        np.eye(6),
        force=[-10.0] * 6,
        contacts=[nsmb.Contact(w_N=np.eye(6)[i], gap=1.0 + 0.1 * i) for i in range(6)],
    )
    sim = nsmb.Simulator(balls, events=[nsmb.When(lambda t, q, u: q[0] - q[5], name="meet")])
    sim.advance(2.0)
    assert sim._core.part_count == 0


# ---- trouble -------------------------------------------------------------------------------------


class TroubleError(Exception):
    pass


@pytest.mark.parametrize("where", ["function", "effect", "timed effect"])
def test_exceptions_keep_the_partial_solution_and_the_run_can_go_on(where: str) -> None:
    fails = [True]

    def effect(now: nsmb.results.EventInstant) -> Any:
        if where != "function" and fails[0]:
            raise TroubleError
        return {"u": [-1.0]}

    def function(t: float, q: Any, u: Any) -> float:
        if where == "function" and t > 0.5 and fails[0]:
            raise TroubleError
        return float(u[0])

    fall = np.sqrt(0.2)
    event = (
        nsmb.At([1.5 * fall], effect, "top")
        if where == "timed effect"
        else nsmb.When(function, "down", effect, "top")
    )
    sim = nsmb.Simulator(ball(), output_step=0.0, events=[event])
    with pytest.raises(TroubleError) as caught:
        sim.advance(0.85)
    solution = caught.value.solution  # type: ignore[attr-defined]
    assert solution.status == "system_error"
    assert solution.events.kinds == ["impact"]
    fails[0] = False
    sim.advance(0.85)
    whole = nsmb.simulate(ball(), 0.85, events=[event])
    assert sim.solution.events.kinds == whole.events.kinds == ["impact", "user", "impact"]
    assert np.abs(sim.solution.events.t - whole.events.t).max() < 1e-14


def test_ctrl_c_inside_of_an_effect_keeps_the_partial_solution() -> None:
    seen = []

    def slow(now: nsmb.results.EventInstant) -> None:
        seen.append(now.t)

    with ctrl_c_once(lambda: len(seen) > 3), pytest.raises(nsmb.SimulationInterrupted) as caught:
        nsmb.simulate(swing(), 1e9, events=[nsmb.At(every=0.1, effect=slow)], output_step=0)
    assert 0.3 <= caught.value.solution.t[-1] < 1e9


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nsmb.When(3.0), "function: expected a function of"),
        (lambda: nsmb.When(lambda t: t), "function: expected a function of .*lambda"),
        (lambda: nsmb.When(lambda t, q, u: 0.0, "upward"), "direction: expected one of"),
        (lambda: nsmb.When(lambda t, q, u: 0.0, effect=1), "effect: expected a function"),
        (lambda: nsmb.At(), "times: expected times or every"),
        (lambda: nsmb.At([1.0], every=1.0), "times: expected times or every"),
        (lambda: nsmb.At(every=0.0), "every: expected a number > 0"),
        (lambda: nsmb.At([np.nan]), "times"),
    ],
)
def test_wrong_events_are_refused_where_they_are_made(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"v": [1.0]},
            "effect of event 'e': change 'v': expected one of u, x, modes, inputs, parameters",
        ),
        ([1.0], "effect of event 'e': expected a mapping"),
        ({"u": [1.0, 2.0]}, "effect of event 'e': u"),
        ({"u": [np.nan]}, "effect of event 'e': u"),
        ({"u": {"z": 1.0}}, "effect of event 'e': u 'z'.*y"),
        ({"modes": {"z": True}}, "force element 'z'"),
    ],
)
def test_wrong_changes_are_refused_with_the_name_of_the_event(changes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        nsmb.simulate(ball(), 1.0, events=[nsmb.At([0.1], lambda now: changes, "e")])
    assert caught.value.solution.t[-1] == 0.1  # type: ignore[attr-defined]


def test_wrong_lists_are_refused() -> None:
    tick = nsmb.At([1.0], name="a")
    with pytest.raises(ValueError, match="events: expected a list"):
        nsmb.simulate(ball(), 1.0, events=tick)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="events: expected a list"):
        nsmb.simulate(ball(), 1.0, events=[3.0])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="'a' twice"):
        nsmb.simulate(ball(), 1.0, events=[tick, tick])
    with pytest.raises(ValueError, match="function of event 'f': expected a finite number"):
        nsmb.simulate(ball(), 1.0, events=[nsmb.When(lambda t, q, u: np.nan, name="f")])
