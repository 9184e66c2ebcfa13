"""Outcomes are statuses with the partial solution, misuse raises, and no run hangs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nsmb
from nsmb.simulation.simulator import run
from tests.simulation.systems import METHODS, oscillator, sliding_rod
from tests.support.interrupts import ctrl_c_once, is_running


def test_a_contact_problem_without_solution_names_time_contacts_and_remedy() -> None:
    """Painlevé: sliding rod at 60° with mu = 5/3 has a < 0, b < 0 (5.35)."""
    rod = sliding_rod(5.0 / 3.0, np.radians(60.0))
    with pytest.raises(
        nsmb.SimulationError,
        match=r"t = 0 s.*tip.*\(proven\).*on_inconsistent=.impact. to continue the run",
    ) as caught:
        nsmb.simulate(rod, 1.0)
    partial = caught.value.solution
    assert partial.status == "no_contact_solution"
    np.testing.assert_array_equal(partial.q, [[0.0, 0.0, 0.0]])
    silent = nsmb.simulate(rod, 1.0, throw=False)
    assert silent.status == "no_contact_solution"
    assert silent.message == str(caught.value)


@pytest.mark.parametrize("law", ["poisson", "newton", "moreau"])
@pytest.mark.parametrize("mu", [0.0, 0.8])
def test_walls_that_close_in_are_named_with_what_proves_it(law: str, mu: float) -> None:
    """A mass in a funnel whose lid comes down at 0.2 m/s.

    W_N y = 0 for y > 0, so that every impulse leaves y·gamma_N = y·w̃ < 0. With the funnel alone,
    it is an ordinary impact.
    """
    side, lid = np.array([0.6, 0.8]), np.array([0.0, -1.0])
    contacts = [
        nsmb.Contact(w_N=[s * side[0], side[1]], w_T=[side[1], -s * side[0]], gap=0.1,
                           law=nsmb.ContactLaw(mu=mu, e_N=0.3), name=name)
        for s, name in ((1.0, "left"), (-1.0, "right"))
    ]  # fmt: skip
    contacts.append(
        nsmb.Contact(
            w_N=lid,
            w_T=None,
            gap=0.3,
            law=nsmb.ContactLaw(mu=mu, e_N=0.3),
            w_tilde_N=-0.2,
            name="lid",
        )
    )
    system = nsmb.LinearSystem(np.eye(2), force=[0.0, -9.81], contacts=contacts)
    sol = nsmb.simulate(
        system, 4.0, method=nsmb.EventDriven(impact_law=law, max_events=5000), throw=False
    )
    # The sides hold the mass at y = -0.125 or above.
    assert sol.status == "no_impact_solution"
    assert sol.t[-1] == pytest.approx((0.3 + 0.125) / 0.2, abs=1e-9)
    assert "close in" in sol.message
    assert all(name in sol.message.rpartition(";")[2] for name in ("left", "right", "lid"))


def test_what_was_computed_before_the_trouble_is_kept() -> None:
    """The same rod, falling: the problem arises when it lands."""
    rod = sliding_rod(5.0 / 3.0, np.radians(60.0))
    fall = np.sqrt(2.0 * 0.2 / 10.0)
    sol = nsmb.simulate(rod, 1.0, q=[0.0, 0.2, 0.0], throw=False)
    assert sol.status in ("no_contact_solution", "finished")
    assert abs(sol.events.t[0] - fall) < 1e-14
    before = sol.t < fall
    np.testing.assert_allclose(sol.q[before, 1], 0.2 - 5.0 * sol.t[before] ** 2, atol=1e-15)


@pytest.mark.parametrize(("angle", "mu"), [(30.0, 5.0 / 3.0), (60.0, 1.0)])
def test_the_rod_slides_where_the_problem_is_well_posed(angle: float, mu: float) -> None:
    sol = nsmb.simulate(sliding_rod(mu, np.radians(angle)), 0.01)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    a = 1.0 + 3.0 * c * (c - mu * s)  # (5.34)
    np.testing.assert_allclose(sol.lambda_N[0, 0], 10.0 / a, rtol=1e-13)


def test_too_many_events_end_the_run_with_a_status() -> None:
    method = nsmb.EventDriven(max_events=5)
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 10.0, method=method, throw=False)
    assert sol.status == "event_limit"
    assert "max_events = 5" in sol.message
    assert len(sol.events) == 6


class Trouble(Exception):
    """Exception raised by the callbacks of the tests."""


@pytest.mark.parametrize("name", [m for m in METHODS if m != "auto"])
def test_what_a_callback_raises_comes_out_unchanged_with_the_partial_solution(name: str) -> None:
    trouble = Trouble("at the spring")

    def forces(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        if t > 0.5:
            raise trouble
        return [-9.81]

    ball = nsmb.CallbackSystem(
        ["y"],
        [[1.0]],
        forces,
        [nsmb.Contact(lambda t, q: q[0], law=nsmb.ContactLaw(e_N=0.5))],
        initial_state=nsmb.State(0.0, np.array([0.5]), np.array([0.0])),
    )
    with pytest.raises(Trouble) as caught:
        nsmb.simulate(ball, 1.0, method=nsmb.EventDriven(integrator=name, max_step=0.01))
    assert caught.value is trouble
    partial = caught.value.solution  # type: ignore[attr-defined]
    assert partial.status == "system_error"
    assert partial.events.kinds == ["impact"]
    assert 0.45 < partial.t[-1] <= 0.5
    flight = partial.t < np.sqrt(1.0 / 9.81)
    np.testing.assert_allclose(
        partial.q[flight, 0], 0.5 - 4.905 * partial.t[flight] ** 2, rtol=0, atol=1e-7
    )


def test_a_force_callback_of_a_linear_system_may_raise_too() -> None:
    def force(t: float) -> list[float]:
        raise Trouble

    with pytest.raises(Trouble):
        nsmb.simulate(nsmb.LinearSystem([[1.0]], force=force), 1.0)


def test_a_callback_that_returns_nan_ends_in_a_clear_error() -> None:
    system = nsmb.LinearSystem([[1.0]], force=lambda t: [np.nan])
    with pytest.raises(ValueError, match=r"force\.user\(t\): expected finite numbers, got nan"):
        nsmb.simulate(system, 1.0)


def test_motion_that_becomes_infinite_ends_with_a_status() -> None:
    """x' = x² from x = 1 ends at t = 1."""
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [2.0 * u[0] ** 1.5])
    sol = nsmb.simulate(system, 2.0, u=[1.0], throw=False)
    assert sol.status == "integration_failure"
    assert "Try a larger rtol" in sol.message
    assert 0.9 < sol.t[-1] < 1.001


def test_ctrl_c_ends_a_run_with_the_partial_solution() -> None:
    method = nsmb.EventDriven(dense_output=False)
    sim = nsmb.Simulator(oscillator(2.0), method, output_step=0.0)
    with ctrl_c_once(lambda: is_running(sim)), pytest.raises(nsmb.SimulationInterrupted) as caught:
        sim.advance(1e8)  # minutes
    partial = caught.value.solution
    assert partial.status == "interrupted"
    assert partial.t[-1] < 1e8
    np.testing.assert_allclose(partial.q[-1, 0], np.cos(partial.t[-1]), atol=1e-6)


def test_an_interrupted_run_can_go_on() -> None:
    toy = nsmb.systems.woodpecker()
    sim = nsmb.Simulator(toy, nsmb.EventDriven(dense_output=False), output_step=0.0)

    def stop(t: float) -> None:
        raise Trouble

    with pytest.raises(Trouble):
        run(sim, 1000.0, one_event=False, monitor=stop)
    reached = sim.t
    assert 0.0 < reached < 1000.0
    assert sim.solution.status == "interrupted"
    sim.advance(reached + 1.0)
    whole = nsmb.simulate(toy, reached + 1.0, output_step=0)
    # Rounding of the cut at t = reached grows with the motion of the toy.
    np.testing.assert_allclose(sim.q, whole.q[-1], rtol=0, atol=1e-9)


def test_the_gil_is_free_while_integrating() -> None:
    """Another thread repeatedly observes the run in progress, and then stops it."""
    sim = nsmb.Simulator(oscillator(2.0), nsmb.EventDriven(dense_output=False), output_step=0.0)
    seen = 0

    def is_seen() -> bool:
        nonlocal seen
        seen += is_running(sim)
        return seen == 20

    # If the GIL were held, the thread would wake once or twice, and the run would reach its end.
    with ctrl_c_once(is_seen), pytest.raises(nsmb.SimulationInterrupted):
        sim.advance(1e7)
    assert seen == 20


@pytest.mark.parametrize("name", ["auto", "dp853", "cvode"])
def test_two_runs_give_the_same_bits(name: str) -> None:
    runs = [
        nsmb.simulate(
            nsmb.systems.woodpecker(mu=0.9),
            1.0,
            method=nsmb.EventDriven(integrator=name, rtol=1e-8),
        )
        for _ in range(2)
    ]
    first, second = runs
    for key in ("t", "q", "u", "g_N", "lambda_N", "lambda_T", "friction_loss", "contact_state"):
        assert getattr(first, key).tobytes() == getattr(second, key).tobytes()
    for key in ("t", "u_minus", "u_plus", "Lambda_N", "Lambda_T", "energy_loss"):
        assert getattr(first.events, key).tobytes() == getattr(second.events, key).tobytes()


def test_an_error_takes_its_solution_through_a_pickle() -> None:
    rod = sliding_rod(5.0 / 3.0, np.radians(60.0))
    with pytest.raises(nsmb.SimulationError) as caught:
        nsmb.simulate(rod, 1.0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.solution.status == "no_contact_solution"


def test_gap_that_jumps_deep_inside_is_not_taken_for_an_impact():
    law = nsmb.ContactLaw(e_N=0.5)
    cliff = nsmb.Contact(lambda t, q: 5.0 if q[0] > -1.0 else q[0] - 1.0, law=law, name="cliff")
    mass = nsmb.CallbackSystem(
        ["y"], [[1.0]], lambda t, q, u: [-9.81], contacts=[cliff], check=False
    )
    sol = nsmb.simulate(mass, t_end=2.0, throw=False)
    assert sol.status == "integration_failure"
    assert "'cliff' jumps to g_N = -2" in sol.message
    assert len(sol.events) == 0
    assert sol.q[-1, 0] == pytest.approx(-1.0, abs=1e-6)
