"""Ctrl-C and exits during a user function act as between two steps, and are never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import joints
from nsmb.system.method import Method

LATE = 0.6  # s


class Late:
    """Function that raises once, after LATE."""

    def __init__(self, error: BaseException) -> None:
        self.error: BaseException | None = error

    def __call__(self, t: float) -> None:
        if t > LATE and self.error is not None:
            error, self.error = self.error, None
            raise error


def ball(late: Late, where: str) -> nsmb.System:
    def at(name: str, t: float) -> None:
        if name == where:
            late(t)

    def forces(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        at("forces", t)
        return [-9.81]

    def mass(t: float, q: np.ndarray) -> list[list[float]]:
        at("mass_matrix", t)
        return [[1.0]]

    def gap(t: float, q: np.ndarray) -> float:
        at("gap", t)
        return float(q[0])

    def w_N(t: float, q: np.ndarray) -> list[float]:
        at("w_N", t)
        return [1.0]

    floor = nsmb.Contact(gap, w_N=w_N, law=nsmb.ContactLaw(e_N=0.9), name="floor")
    start = nsmb.State(0.0, np.array([0.5]), np.array([0.0]))
    return nsmb.CallbackSystem(["y"], mass, forces, [floor], initial_state=start)


def event(late: Late, where: str) -> nsmb.When:
    def function(t: float, q: np.ndarray, u: np.ndarray) -> float:
        if where == "event":
            late(t)
        return t - LATE - 0.1

    def effect(now: Any) -> None:
        if where == "effect":
            late(now.t)

    return nsmb.When(function, effect=effect, name="mine")


PLACES = ["forces", "mass_matrix", "gap", "w_N", "event", "effect"]
METHODS: dict[str, Method] = {
    "dp853": nsmb.EventDriven(max_step=0.05),
    "cvode": nsmb.EventDriven(integrator="cvode", max_step=0.05),
    "midpoint": nsmb.Midpoint(5e-3),
    "hybrid": nsmb.Hybrid(5e-3),
}
CASES = [
    (method, place)
    for method in METHODS
    for place in PLACES
    if place not in ("event", "effect") or method in ("dp853", "cvode")
]


def run(method: str, place: str, error: BaseException, *, throw: bool) -> nsmb.Solution:
    late = Late(error)
    system = ball(late, place)
    events = [event(late, place)] if place in ("event", "effect") else []
    return nsmb.simulate(
        system, 2.0, method=METHODS[method], events=events, output_step=0.05, throw=throw
    )


def check_partial(solution: nsmb.Solution) -> None:
    """Check that at least the first impact is kept.

    `hybrid` loses the flight that was interrupted.
    """
    assert solution.status == "interrupted"
    assert 0.31 < solution.t[-1] <= LATE + 0.11
    flight = solution.t < np.sqrt(1.0 / 9.81)
    assert flight.sum() > 5
    np.testing.assert_allclose(
        solution.q[flight, 0], 0.5 - 4.905 * solution.t[flight] ** 2, rtol=0, atol=3e-2
    )


@pytest.mark.parametrize(("method", "place"), CASES)
def test_ctrl_c_in_a_function_ends_a_run_as_between_two_steps(method: str, place: str) -> None:
    check_partial(run(method, place, KeyboardInterrupt(), throw=False))
    with pytest.raises(nsmb.SimulationInterrupted) as caught:
        run(method, place, KeyboardInterrupt(), throw=True)
    check_partial(caught.value.solution)


@pytest.mark.parametrize(("method", "place"), CASES)
def test_an_exit_comes_out_with_the_partial_solution(method: str, place: str) -> None:
    leave = SystemExit(3)
    with pytest.raises(SystemExit) as caught:
        run(method, place, leave, throw=False)
    assert caught.value is leave
    check_partial(caught.value.solution)  # type: ignore[attr-defined]


def test_a_run_goes_on_behind_the_interrupt() -> None:
    late = Late(KeyboardInterrupt())
    simulator = nsmb.Simulator(ball(late, "forces"), METHODS["dp853"], output_step=0.0)
    with pytest.raises(nsmb.SimulationInterrupted):
        simulator.advance(1.0)
    assert simulator.t <= LATE + 0.11
    simulator.advance(1.0)
    whole = nsmb.simulate(ball(late, ""), 1.0, method=METHODS["dp853"], output_step=0.0)
    np.testing.assert_allclose(simulator.q, whole.q[-1], rtol=0, atol=1e-9)


def on_bodies(late: Late) -> nsmb.System:
    def pull(t: float, r: Any, A: Any, v: Any, Omega: Any) -> list[float]:
        late(t)
        return [1.0, 0.0, 0.0]

    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("rail", joints.Prismatic((1, 0, 0)), m.ground, body)
    m.add_load("pull", body, pull)
    return m.build()


def pushed(late: Late) -> nsmb.System:
    def force(t: float) -> list[float]:
        late(t)
        return [1.0]

    return nsmb.LinearSystem([[1.0]], force=force)


@pytest.mark.parametrize("build", [on_bodies, pushed])
def test_ctrl_c_in_other_functions_ends_a_run_too(build: Callable[[Late], nsmb.System]) -> None:
    method = nsmb.EventDriven(max_step=0.05)
    sol = nsmb.simulate(build(Late(KeyboardInterrupt())), 2.0, method=method, throw=False)
    assert sol.status == "interrupted"
    assert 0.5 < sol.t[-1] <= LATE + 0.05
