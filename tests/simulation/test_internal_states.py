"""Internal first-order states beside contacts: actuators and filters."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import nsmb

Array = np.ndarray
ACCURATE = nsmb.EventDriven(rtol=1e-12)
TAU, M, WEIGHT, MU = 0.2, 2.0, 20.0, 0.3


def actuator(command: float) -> nsmb.System:
    """Block on a floor, pushed by a force x that follows its command: τ ẋ = command - x."""
    floor = nsmb.Contact(
        lambda t, q: q[1],
        w_N=lambda t, q: [0.0, 1.0],
        w_T=lambda t, q: [1.0, 0.0],
        law=nsmb.ContactLaw(mu=MU),
        name="floor",
    )
    return nsmb.CallbackSystem(
        ["x", "y"],
        M * np.eye(2),
        lambda t, q, u, x: [x[0], -WEIGHT],
        [floor],
        states=["force"],
        state_rates=lambda t, q, u, x: [(command - x[0]) / TAU],
    )


def test_block_starts_when_the_actuator_has_built_up_its_force() -> None:
    """x = C (1 - exp(-t/τ)): slip at t = -τ ln(1 - mu W/C), then m ẍ = x - mu W."""
    C, limit = 10.0, MU * WEIGHT
    sol = nsmb.simulate(actuator(C), 1.0, method=ACCURATE)
    assert sol.states == ("force",)
    slip = -TAU * log(1.0 - limit / C)
    assert sol.events.kinds == ["slip"]
    assert sol.events.t[0] == pytest.approx(slip, abs=1e-9)
    assert sol.events.x[0, 0] == pytest.approx(limit, abs=1e-7)
    np.testing.assert_allclose(sol.x[:, 0], C * (1.0 - np.exp(-sol.t / TAU)), atol=1e-11)
    v = (C - limit) * (1.0 - slip) - C * TAU * (exp(-slip / TAU) - exp(-1.0 / TAU))
    assert sol.u[-1, 0] == pytest.approx(v / M, abs=1e-9)


def test_state_is_continuous_at_impacts_and_can_be_evaluated_anywhere() -> None:
    """A filter follows the height of a bouncing ball and never jumps."""
    e_N, g = 0.6, 9.81
    ball = nsmb.CallbackSystem(
        ["y"],
        [[1.0]],
        lambda t, q, u, x: [-g],
        [
            nsmb.Contact(
                lambda t, q: q[0],
                w_N=lambda t, q: [1.0],
                law=nsmb.ContactLaw(e_N=e_N),
                name="floor",
                w_tilde_N=lambda t, q: 0.0,
                w_bar_N=lambda t, q, u: 0.0,
            )
        ],
        states=["filtered", "unused"],
        state_rates=lambda t, q, u, x: [(q[0] - x[0]) / TAU, 0.0],
        initial_state=nsmb.State(0.0, np.array([1.0]), np.zeros(1), np.array([0.5, 7.0])),
    )
    sol = nsmb.simulate(ball, 3.0, method=nsmb.EventDriven(rtol=1e-11))
    impacts = sol.events.of_kind("impact")
    assert len(impacts) > 20
    for t in impacts.t[:5]:
        left, right = sol.at(t, side="left"), sol.at(t)
        assert left.u[0] * right.u[0] < 0.0
        np.testing.assert_allclose(left.x, right.x, rtol=0.0, atol=1e-12)
        rows = np.flatnonzero(sol.t == t)
        np.testing.assert_array_equal(sol.x[rows[0]], sol.x[rows[-1]])
    # The flights are parabolas, through which the filter is integrated separately.
    z, t, v = 0.5, 0.0, 0.0
    y, times = 1.0, impacts.t.tolist()
    for end in [*times[:12], None]:
        stop = 3.0 if end is None else end
        if end is None:
            break

        def rate(s: float, x: Array, t: float = t, y: float = y, v: float = v) -> list[float]:
            height = y + v * (s - t) - 0.5 * g * (s - t) ** 2
            return [(height - x[0]) / TAU]

        run = solve_ivp(rate, (t, stop), [z], "DOP853", rtol=1e-12, atol=1e-14)
        z, t = float(run.y[0, -1]), stop
        y, v = 0.0, float(impacts.u_plus[times.index(stop), 0])
        assert sol.at(stop).x[0] == pytest.approx(z, abs=1e-9)
    np.testing.assert_array_equal(sol.x[:, 1], 7.0)


def test_position_control_with_stick_slip_agrees_with_an_integrator() -> None:
    """PI control of a block against dry friction: the integral builds up while it sticks."""
    k_P, k_I, goal, limit = 30.0, 40.0, 1.0, MU * WEIGHT

    def push(x: float, integral: float) -> float:
        return k_P * (goal - x) + k_I * integral

    floor = nsmb.Contact(
        lambda t, q: q[1],
        w_N=lambda t, q: [0.0, 1.0],
        w_T=lambda t, q: [1.0, 0.0],
        law=nsmb.ContactLaw(mu=MU),
    )
    system = nsmb.CallbackSystem(
        ["x", "y"],
        M * np.eye(2),
        lambda t, q, u, x: [push(q[0], x[0]), -WEIGHT],
        [floor],
        states=["integral"],
        state_rates=lambda t, q, u, x: [goal - q[0]],
    )
    sol = nsmb.simulate(system, 4.0, method=ACCURATE)

    # z = x, v, integral; friction `sign`, with 0 for sticking
    t, z, sign, found = 0.0, np.zeros(3), 1.0, []
    while True:

        def rhs(_: float, z: Array, sign: float = sign) -> list[float]:
            force = push(z[0], z[2]) - sign * limit
            return [z[1], force / M if sign else 0.0, goal - z[0]]

        def event(_: float, z: Array, sign: float = sign) -> float:
            return float(sign * z[1]) if sign else limit - abs(push(z[0], z[2]))

        event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        run = solve_ivp(
            rhs, (t, 4.0), z, "DOP853", events=event, rtol=1e-12, atol=1e-13, max_step=0.02
        )
        if run.status == 0:
            break
        t, z = float(run.t[-1]), run.y[:, -1].copy()
        force = push(z[0], z[2])
        if sign:
            z[1] = 0.0
            found.append(("stick" if abs(force) < limit else "reversal", t))
            sign = 0.0 if abs(force) < limit else float(np.sign(force))
        else:
            found.append(("slip", t))
            sign = float(np.sign(force))
    assert [kind for kind, _ in found] == sol.events.kinds
    assert len(found) >= 3
    np.testing.assert_allclose(sol.events.t, [t for _, t in found], atol=1e-9)
    state = [sol.q[-1, 0], sol.u[-1, 0], sol.x[-1, 0]]
    np.testing.assert_allclose(state, run.y[:, -1], atol=1e-9)


def test_start_of_the_states_can_be_given_to_a_run_and_to_a_simulator() -> None:
    sol = nsmb.simulate(actuator(0.0), 0.5, x=[4.0], method=ACCURATE)
    np.testing.assert_allclose(sol.x[:, 0], 4.0 * np.exp(-sol.t / TAU), atol=1e-12)
    simulator = nsmb.Simulator(actuator(0.0), ACCURATE)
    simulator.reset(x=[4.0])
    simulator.advance(0.5)
    assert simulator.x[0] == pytest.approx(4.0 * exp(-0.5 / TAU), abs=1e-12)


def test_states_and_walls_of_force_elements_stand_side_by_side() -> None:
    """A heated mass over a relaxing wall: its own state comes first, the wall is unaffected."""
    wall = nsmb.ForceElement(
        lambda t, q: q[0], nsmb.GapForce(400.0, 9.0), w=lambda t, q: [1.0], name="wall"
    )
    system = nsmb.CallbackSystem(
        ["gamma"],
        [[1.3]],
        lambda t, q, u, x: [-1.3 * 9.81],
        elements=[wall],
        states=["age"],
        state_rates=lambda t, q, u, x: [1.0],
        initial_state=nsmb.State(0.0, np.array([0.3]), np.zeros(1)),
    )
    assert system.states == ("age", "wall.wall")
    sol = nsmb.simulate(system, 1.5, method=ACCURATE)
    alone = nsmb.simulate(nsmb.systems.spring_damper_wall(), 1.5, method=ACCURATE)
    np.testing.assert_allclose(sol.x[:, 0], sol.t, atol=1e-13)
    np.testing.assert_allclose(sol.events.t, alone.events.t, atol=1e-10)
    times = np.linspace(0.0, 1.5, 61)
    np.testing.assert_allclose(sol.at(times).x[:, 1], alone.at(times).x[:, 0], atol=1e-9)
