"""The oscillator on an oblique plane (Wösle & Pfeiffer 1996, section 7) and planar references.

Runs take seconds, so that the tests of this file share them.
"""

from __future__ import annotations

import functools
from itertools import pairwise
from math import cos, pi, sin

import numpy as np
import pytest
from scipy.optimize import brentq

import nsmb
from tests.oracles import oscillator_wosle_pfeiffer as exact
from tests.systems.examples import contact_errors, start, work

OMEGA = 19.6
PLANE = [0, 1, 5]  # x, y, gamma
SMALL = [2, 3, 4]  # z, alpha, beta
RTOL = 1e-10


@functools.cache
def run(
    t_end: float, solver: str = "auto", rtol: float = RTOL, **parameters: float
) -> nsmb.Solution:
    system = nsmb.systems.oblique_oscillator(**parameters)
    method = nsmb.EventDriven(rtol=rtol, solver=solver)  # type: ignore[arg-type]
    return nsmb.simulate(system, t_end, method=method, output_step=0.005)


@pytest.fixture(scope="module")
def sticking() -> nsmb.Solution:
    """Return a run with mu = 0.13, which is above tan(delta)."""
    return run(1.0, mu=0.13)


@pytest.fixture(scope="module")
def reference() -> exact.Motion:
    return exact.simulate(exact.Oscillator(mu=0.13), 1.0, rtol=1e-11)


@pytest.fixture(scope="module")
def central() -> nsmb.Solution:
    """Return a run with l_2 = 0, where the unbalance does not rotate the body."""
    return run(1.0, mu=0.13, l_2=0.0)


@pytest.fixture(scope="module")
def printed() -> nsmb.Solution:
    """Return a run with all data of the paper."""
    return run(1.0)


def times(solution: nsmb.Solution, kind: str) -> list[float]:
    return solution.events.of_kind(kind).t.tolist()


def test_without_lateral_offset_the_motion_is_the_scalar_one(central: nsmb.Solution) -> None:
    """m ẍ = load - friction limit has closed forms, with y = gamma = 0."""
    k, delta, mu = 55e-3 * 11e-3 * OMEGA**2 / 0.663, 0.115, 0.13
    slope = 9.81 * (sin(delta) - mu * cos(delta))

    def acceleration(t: float) -> float:
        return slope + k * (cos(OMEGA * t) + mu * sin(OMEGA * t))

    def velocity(t: float) -> float:
        return slope * t + k / OMEGA * (sin(OMEGA * t) - mu * cos(OMEGA * t))

    def place(t: float) -> float:
        wave = cos(OMEGA * t) + mu * sin(OMEGA * t)
        return 0.5 * slope * t**2 - k / OMEGA**2 * wave

    stops, starts, x = [], [0.0], 0.0
    for _ in range(3):
        t = starts[-1]
        stop = brentq(lambda s, t=t: velocity(s) - velocity(t), t + 0.05, t + 0.25, xtol=1e-16)
        x += place(stop) - place(t) - velocity(t) * (stop - t)
        stops.append(stop)
        starts.append(brentq(acceleration, stop, stop + 0.2, xtol=1e-16))
    t = starts[-1]
    x += place(1.0) - place(t) - velocity(t) * (1.0 - t)
    assert x == pytest.approx(4.73491e-3, abs=5e-9)
    assert central.events.kinds == ["stick", "slip"] * 3
    assert times(central, "stick") == pytest.approx(stops, abs=1e-8)
    # The law resolves loads to 1e-9, so that slip starts 1.5e-9 s late.
    assert times(central, "slip") == pytest.approx(starts[1:], abs=5e-9)
    assert central.q[-1, 0] == pytest.approx(x, abs=1e-9)
    np.testing.assert_allclose(central.q[:, 1:], 0.0, atol=1e-9)


def test_stops_starts_and_motion_are_those_of_the_planar_reference(
    sticking: nsmb.Solution, reference: exact.Motion
) -> None:
    """The reference uses limit analysis and linear equations of the normal forces.

    Measured errors are 2e-9 s in the starts and 1.5e-8 s in the stops.
    """
    assert sticking.status == "finished"
    assert sticking.events.kinds == ["stick", "slip"] * 3
    assert times(sticking, "stick") == pytest.approx(reference.stops, abs=5e-8)
    assert times(sticking, "slip") == pytest.approx(reference.starts, abs=1e-8)
    motion = np.array([reference(t) for t in sticking.t])
    np.testing.assert_allclose(sticking.q[:, :2], motion[:, :2], atol=1e-8)
    np.testing.assert_allclose(sticking.q[:, 5], motion[:, 2], atol=1e-6)
    np.testing.assert_allclose(sticking.u[:, PLANE], motion[:, 3:], atol=1e-5)


def test_feet_stay_closed_and_the_body_stays_level(sticking: nsmb.Solution) -> None:
    """Take-off is impossible, as the unbalance lifts only 3.6 % of the weight."""
    assert sticking.contact_state.min() > nsmb.ContactState.OPEN
    np.testing.assert_allclose(sticking.q[:, SMALL], 0.0, atol=1e-12)
    np.testing.assert_allclose(sticking.g_N, 0.0, atol=1e-13)
    between = ~np.isin(sticking.t, sticking.events.t)
    assert sticking.lambda_N[between].min() > 1.0


def test_stiction_recurs_with_the_excitation_at_all_feet_together(
    sticking: nsmb.Solution,
) -> None:
    """gamma drifts, so that periods differ by 1e-5 of that of the excitation."""
    assert sticking.events.contacts.all()
    stops, starts = times(sticking, "stick"), times(sticking, "slip")
    for a, b in (*pairwise(starts), *pairwise(stops[1:])):
        assert b - a == pytest.approx(2 * pi / OMEGA, rel=1e-4)
    sticks = (sticking.contact_state == nsmb.ContactState.STICK).all(axis=1)
    slides = (sticking.contact_state == nsmb.ContactState.SLIP).all(axis=1)
    assert (sticks ^ slides).all()
    np.testing.assert_allclose(sticking.u[sticks], 0.0, atol=1e-13)
    for stop, begin in zip(stops, starts, strict=True):
        np.testing.assert_allclose(sticking.at(begin).q, sticking.at(stop).q, atol=1e-13)


def test_forces_obey_coulombs_law(sticking: nsmb.Solution) -> None:
    """|λ_T| <= μ λ_N in sticking, and λ_T = -μ λ_N γ_T/|γ_T| in sliding after its onset."""
    between = ~np.isin(sticking.t, sticking.events.t)
    force = sticking.lambda_T[between].reshape(-1, 3, 2)
    slip = sticking.gamma_T[between].reshape(-1, 3, 2)
    bound = 0.13 * sticking.lambda_N[between]
    assert (np.linalg.norm(force, axis=2) <= bound * (1 + 1e-9)).all()
    speed = np.linalg.norm(slip, axis=2)
    fast = speed > 1e-4
    assert fast.sum() > 200
    law = -(bound / np.where(fast, speed, 1.0))[..., None] * slip
    np.testing.assert_allclose(force[fast], law[fast], rtol=0.0, atol=1e-9)


def test_normal_forces_at_rest() -> None:
    """They follow from 1.8 of the notes, gamma = 0, unique while friction balances the load."""
    system = nsmb.systems.oblique_oscillator(mu=0.5)
    sol = nsmb.simulate(system, 0.1, output_step=0.1)
    assert len(sol.events) == 0
    assert sol.lambda_N[0] == pytest.approx([2.88136, 2.03308, 1.54663], abs=6e-6)
    assert sol.lambda_N[-1] == pytest.approx([3.16787, 1.59544, 1.48273], abs=6e-6)
    oracle = exact.Oscillator(mu=0.5)
    for row, t in ((0, 0.0), (-1, 0.1)):
        np.testing.assert_allclose(
            sol.lambda_N[row], oracle.normal_forces_at_rest(t, 0.0), rtol=1e-12
        )
    assert sol.stats["dependent_contacts"] > 0


def test_printed_data_slide_for_ever_and_faster_than_the_bounds(printed: nsmb.Solution) -> None:
    """The total friction on the body is at most μ Σ λ_N (1.11 of the notes)."""
    assert len(printed.events) == 0
    assert (printed.contact_state == nsmb.ContactState.SLIP).all()
    k, mu, delta = 55e-3 * 11e-3 / 0.663, 0.098, 0.115
    slope = 9.81 * (sin(delta) - mu * cos(delta))
    t = printed.t[1:]
    w = OMEGA * t
    speed = slope * t + k * OMEGA * (np.sin(w) + mu * (1 - np.cos(w)))
    place = 0.5 * slope * t**2 + k * (1 - np.cos(w) + mu * (w - np.sin(w)))
    assert (printed.u[1:, 0] >= speed).all()
    assert (printed.q[1:, 0] >= place).all()
    assert speed.min() > 0
    assert printed.at(0.5).q[0] > 24.0e-3
    assert printed.q[-1, 0] > 87.2e-3
    reference = exact.simulate(exact.Oscillator(mu=mu), 1.0, rtol=1e-11)
    np.testing.assert_allclose(printed.q[-1, PLANE], reference(1.0)[:3], atol=1e-8)


def test_work_of_the_forces_is_kinetic_energy_and_friction(sticking: nsmb.Solution) -> None:
    """As w̃_T = 0, the contacts transmit no other power."""
    system = sticking.system
    assert system is not None

    def force(t: np.ndarray) -> np.ndarray:
        at = sticking.at(t)
        return np.array([system.forces(*row) for row in zip(t.tolist(), at.q, at.u, strict=True)])

    lost = sticking.friction_loss[-1].sum()
    gained = work(sticking, force)
    assert gained > 1e-3
    kinetic = system.kinetic_energy(1.0, sticking.q[-1], sticking.u[-1])
    assert kinetic + lost == pytest.approx(gained, abs=1e-8 * gained)


@pytest.mark.parametrize(("solver", "t_end"), [("newton", 1.0), ("augmented_lagrangian", 0.35)])
def test_solvers_of_the_friction_problems_give_the_same_motion(
    sticking: nsmb.Solution, solver: str, t_end: float
) -> None:
    other = run(t_end, solver, mu=0.13)
    np.testing.assert_allclose(other.events.t[:2], sticking.events.t[:2], atol=1e-9)
    np.testing.assert_allclose(other.at(0.35).q, sticking.at(0.35).q, atol=1e-9)
    np.testing.assert_allclose(other.q[-1], sticking.at(t_end).q, atol=1e-6)
    assert other.events.kinds == sticking.events[sticking.events.t < t_end].kinds


@pytest.mark.parametrize("solver", ["augmented_lagrangian", "newton", "polyhedral"])
def test_projection_cone_and_polygons_reach_the_place_of_the_planar_reference(
    reference: exact.Motion, solver: str
) -> None:
    """Measured errors are 2e-9 m, 7e-9 rad, or 6e-8 m, 2e-7 rad with polygons of 64 facets."""
    other = run(1.0, solver, *(() if solver == "newton" else (1e-8,)), mu=0.13)
    assert other.status == "finished"
    place = reference(1.0)
    np.testing.assert_allclose(other.q[-1, :2], place[:2], atol=1e-6)
    np.testing.assert_allclose(other.q[-1, 5], place[2], atol=1e-5)


def test_gauss_seidel_gives_the_same_motion_until_the_limit_is_near(
    sticking: nsmb.Solution,
) -> None:
    """There its convergence is slow, as three feet share three loads by nine forces."""
    other = run(0.26, "gauss_seidel", mu=0.13)
    assert other.events.kinds == ["stick"]
    np.testing.assert_allclose(other.events.t, sticking.events.t[:1], atol=1e-9)
    np.testing.assert_allclose(other.q[-1], sticking.at(0.26).q, atol=1e-9)


def test_contact_terms_are_derivatives_along_the_motion(sticking: nsmb.Solution) -> None:
    """(8) of the paper holds with the missing mixed term, for level and tilted bodies."""
    system = sticking.system
    assert system is not None
    for t in (0.05, 0.3, 0.7):
        at = sticking.at(t)
        assert contact_errors(system, t, at.q, at.u).max() < 1e-8
        tilted = at.q + np.array([0.0, 0.0, 1e-3, 0.02, -0.03, 0.4])
        turning = at.u + np.array([0.0, 0.0, 0.01, 0.5, -0.3, 0.7])
        assert contact_errors(system, t, tilted, turning).max() < 1e-7


def test_body_that_carries_the_load_at_the_start_begins_later() -> None:
    """By limit analysis of the first instant, mu = 0.1553 holds and 0.13 does not."""
    holds = start(nsmb.systems.oblique_oscillator(mu=0.1553))
    assert (holds.contact_state[-1] == nsmb.ContactState.STICK).all()
    slides = start(nsmb.systems.oblique_oscillator(mu=0.13))
    assert (slides.contact_state[-1] == nsmb.ContactState.SLIP).all()
    assert exact.Oscillator(mu=0.1553).limit(0.0, 0.0)[0] < 1.0
    assert exact.Oscillator(mu=0.13).limit(0.0, 0.0)[0] > 1.0
