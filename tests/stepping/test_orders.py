"""Orders of the schemes against closed forms and event-driven motion.

Errors are those of coordinates and of graphs of velocities. The whole table is in
benchmarks/orders.py.
"""

from __future__ import annotations

import numpy as np

import nsmb
from tests.oracles.graph_distance import distance

G = 9.81
STEPS = [4e-3, 2e-3, 1e-3]
SECOND = 1.9


def order(errors: list[float], steps: list[float] = STEPS) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def stepped(step: float) -> nsmb.Midpoint:
    return nsmb.Midpoint(step)


def on_a_spring(mu: float, curve: nsmb.Stribeck | None = None) -> nsmb.System:
    """Mass that slides on a plane, pulled by a spring, and does not stop before 0.4 s."""
    law = nsmb.ContactLaw(mu=mu, curve=curve)
    plane = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="plane")
    start = nsmb.State(0.0, np.zeros(2), np.array([3.0, 0.0]))
    return nsmb.LinearSystem(
        np.eye(2), K=np.diag([40.0, 0.0]), force=[0.0, -G], contacts=[plane], initial_state=start
    )


def test_of_second_order_with_damping() -> None:
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    system = nsmb.LinearSystem([[1.0]], D=[[6.0]], K=[[409.0]], initial_state=start)
    errors = []
    for step in STEPS:
        q = nsmb.simulate(system, 0.4, method=stepped(step), output_step=0.0).q[-1, 0]
        exact = np.exp(-1.2) * (np.cos(8.0) + 0.15 * np.sin(8.0))
        errors.append(abs(q - exact))
    assert order(errors) > SECOND


def test_of_second_order_while_a_contact_slides() -> None:
    """ẍ + 40 x = -μ g: a cosine and a sine about -μ g/40."""
    w, centre = np.sqrt(40.0), -0.3 * G / 40.0
    exact = centre - centre * np.cos(0.2 * w) + 3.0 / w * np.sin(0.2 * w)
    errors = []
    for step in STEPS:
        sol = nsmb.simulate(on_a_spring(0.3), 0.2, method=stepped(step), output_step=0.0)
        errors.append(abs(sol.q[-1, 0] - exact))
    assert order(errors) > SECOND


def test_of_second_order_with_friction_that_falls_with_speed() -> None:
    """The coefficient is that of the mean speed of the step."""
    system = on_a_spring(0.3, nsmb.Stribeck(mu_d=0.2, v_s=0.5))
    exact = nsmb.simulate(system, 0.2, method=nsmb.EventDriven(rtol=1e-12)).q[-1, 0]
    errors = [
        abs(nsmb.simulate(system, 0.2, method=stepped(step)).q[-1, 0] - exact) for step in STEPS
    ]
    assert order(errors) > SECOND


def graph(sol: nsmb.Solution, t_end: float) -> np.ndarray:
    return np.column_stack([sol.t / t_end, sol.u / 8.0])


def test_graphs_of_velocities_approach_to_first_order_through_impacts() -> None:
    """Errors are means over drop heights, as a single impact may be well placed in its step."""
    t_end, steps = 1.2, [8e-3, 4e-3, 2e-3, 1e-3]
    errors = np.zeros(len(steps))
    for height in (0.8, 0.9, 1.0, 1.1):
        ball = nsmb.systems.bouncing_ball(H=height, e_N=0.8)
        exact = graph(nsmb.simulate(ball, t_end), t_end)
        for k, step in enumerate(steps):
            sol = nsmb.simulate(ball, t_end, method=stepped(step), output_step=step)
            errors[k] += distance(graph(sol, t_end), exact)
    assert 0.8 < order(list(errors), steps) < 1.3


def test_hybrid_is_exact_through_isolated_impacts() -> None:
    """The scheme is exact even if the motion is not polynomial: an oscillator on a stop."""
    stop = nsmb.Contact(w_N=[1.0], gap=0.3, law=nsmb.ContactLaw(e_N=0.7), name="stop")
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    system = nsmb.LinearSystem([[1.0]], D=[[0.2]], K=[[40.0]], contacts=[stop], initial_state=start)
    times = np.linspace(0.0, 2.0, 201)
    exact = nsmb.simulate(system, 2.0, method=nsmb.EventDriven(impact_law="moreau"))
    assert exact.stats["impacts"] > 2
    for step in STEPS:
        sol = nsmb.simulate(system, 2.0, method=nsmb.Hybrid(step))
        np.testing.assert_allclose(sol(times), exact(times), atol=1e-10)


def test_hybrid_is_of_second_order_through_accumulations() -> None:
    """A ball thrown along the floor: impacts with friction accumulate, it slides, and stops."""
    law = nsmb.ContactLaw(e_N=0.5, mu=0.2)
    floor = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="floor")
    start = nsmb.State(0.0, np.array([0.0, 0.5]), np.array([3.0, 0.0]))
    system = nsmb.LinearSystem(np.eye(2), force=[0.0, -G], contacts=[floor], initial_state=start)
    fine = nsmb.EventDriven(impact_law="moreau")
    exact = nsmb.simulate(system, 2.0, method=fine)
    times = np.linspace(0.0, 2.0, 4001)
    steps, errors = [3.2e-2, 1.6e-2, 8e-3, 4e-3], []
    for step in steps:
        sol = nsmb.simulate(system, 2.0, method=nsmb.Hybrid(step))
        errors.append(float(np.abs(sol(times)[:, :2] - exact(times)[:, :2]).mean()))
    assert order(errors, steps) > SECOND
