"""Periodic orbits and Floquet multipliers agree with closed forms and differences."""

from __future__ import annotations

import doctest
import pickle

import numpy as np
import pytest
from hypothesis import given, settings

import nsmb
from nsmb import systems
from nsmb.analysis import AnalysisError, crossing, every, on_event, periodic_orbit
from nsmb.analysis.orbits import find_orbit
from nsmb.analysis.orbits.flow import Flow
from nsmb.analysis.orbits.newton import newton
from nsmb.analysis.results import PeriodicOrbit
from tests.analysis.orbit_systems import oscillator, response, rings
from tests.support.draws import numbers


@pytest.fixture(scope="module")
def woodpecker() -> PeriodicOrbit:
    return periodic_orbit(systems.woodpecker(), section=on_event("impact", "beak"))


def test_documentation_examples() -> None:
    assert doctest.testmod(find_orbit).failed == 0


@settings(max_examples=20, deadline=None)
@given(numbers(0.05, 1.0), numbers(0.5, 4.0), numbers(0.3, 3.0))
def test_forced_oscillator_has_its_steady_response(d: float, k: float, omega: float) -> None:
    orbit = periodic_orbit(oscillator(d=d, k=k, omega=omega), transient=5)
    assert orbit.y == pytest.approx(response(orbit.parameters, orbit.t), abs=1e-9)
    assert orbit.period == pytest.approx(2.0 * np.pi / omega, rel=1e-14)
    exponents = np.roots([1.0, d, k])
    expected = np.exp(exponents * orbit.period)
    # abs: a double root has the square root of the rounding error
    assert np.sort_complex(orbit.multipliers) == pytest.approx(np.sort_complex(expected), abs=1e-7)
    assert orbit.stable
    assert orbit.event_sequence == ()


def test_impact_oscillator_has_the_orbit_of_the_closed_form() -> None:
    exact = systems.impact_oscillator.orbits(F=0.6)[0]
    orbit = periodic_orbit(systems.impact_oscillator(F=0.6), section=on_event("impact", "stop"))
    assert orbit.multipliers == pytest.approx(exact.multipliers, abs=1e-10)  # measured 3e-13
    assert orbit.section_state == pytest.approx([1.0, -0.8 * exact.velocity], abs=1e-11)
    assert orbit.event_sequence == ("impact stop",)
    assert orbit.section_points == 1
    assert orbit.event_times[0] % orbit.period == pytest.approx(exact.t, abs=1e-10)


@pytest.mark.parametrize("which", [0, 1])
def test_stable_and_unstable_jumps_of_a_ball_alike(which: int) -> None:
    exact = systems.ball_on_table.orbits()[which]
    orbit = periodic_orbit(
        systems.ball_on_table(),
        section=on_event("impact", "table"),
        start=nsmb.State(exact.t, np.zeros(1), np.array([1.001 * exact.velocity])),
        section_points=1,
    )
    assert orbit.multipliers == pytest.approx(exact.multipliers, abs=1e-10)  # measured 4e-14
    assert orbit.section_state[1] == pytest.approx(exact.velocity, abs=1e-11)
    assert orbit.stable == (which == 0)
    assert orbit.iterations >= 1


def test_newton_converges_quadratically() -> None:
    exact = systems.ball_on_table.orbits()[0]
    orbit = periodic_orbit(
        systems.ball_on_table(),
        section=on_event("impact", "table"),
        start=nsmb.State(exact.t, np.zeros(1), np.array([1.02 * exact.velocity])),
        section_points=1,
    )
    first, second, third = orbit.residuals[:3]
    assert first > 1e-3
    # Measured C of r' <= C r² are 0.6 and 0.7. A difference quotient would give r' ~ r.
    assert second < 5.0 * first**2
    assert third < max(5.0 * second**2, 1e-12)


@pytest.mark.parametrize(("alpha", "impacts"), [(0.3, 2), (0.7, 3), (1.4, 4), (2.1, 5)])
def test_gear_rattling_has_the_periods_and_the_determinant_of_the_book(
    alpha: float, impacts: int
) -> None:
    """Windows are those of the book, and in det above (12.17) impact velocities cancel."""
    orbit = periodic_orbit(systems.gear_rattling(alpha=alpha))
    assert len(orbit.event_sequence) == impacts
    expected = 0.9 ** (2 * impacts) * np.exp(-0.1 * orbit.period)
    assert np.prod(orbit.multipliers) == pytest.approx(expected, rel=1e-9)  # measured 1e-13
    assert np.linalg.det(orbit.monodromy) == pytest.approx(expected, rel=1e-9)
    assert orbit.stable


def test_unforced_limit_cycle_of_a_smooth_system() -> None:
    orbit = periodic_orbit(rings(), section=crossing("b"), transient=5)
    r2 = 0.5 * (1.0 + np.sqrt(3.0))
    assert orbit.period == pytest.approx(np.pi, abs=1e-10)  # measured 1e-13
    assert np.sum(orbit.x**2) == pytest.approx(r2, abs=1e-10)
    kinds = dict(zip(orbit.multiplier_kinds, orbit.multipliers, strict=True))
    assert kinds["time"] == pytest.approx(1.0, abs=1e-8)
    # The oscillator z has the multipliers exp(π s), s² + s + 1 = 0.
    radial = np.exp(np.pi * 2.0 * r2 * (1.0 - 2.0 * r2))
    expected = [*np.exp(np.pi * np.roots([1.0, 1.0, 1.0])), radial]
    assert np.sort_complex(orbit.nontrivial) == pytest.approx(np.sort_complex(expected), abs=1e-8)


def test_orbit_without_section_from_a_guess_in_seconds() -> None:
    r = np.sqrt(0.5 * (1.0 + np.sqrt(3.0)))
    start = nsmb.State(0.0, np.zeros(1), np.zeros(1), np.array([1.05 * r, 0.0]))
    orbit = periodic_orbit(rings(), start=start, period=3.0)
    assert orbit.period == pytest.approx(np.pi, abs=1e-10)
    assert orbit.section_state.size == 0


def test_woodpecker_falls_and_comes_back(woodpecker: PeriodicOrbit) -> None:
    """Period and fall agree with an independent simulation to 14 and 12 digits."""
    assert woodpecker.period == pytest.approx(0.14597606514375, abs=1e-13)
    assert woodpecker.drift == pytest.approx([-0.0194453792847, 0, 0, 0, 0, 0], abs=1e-12)
    trivial = sorted(kind for kind in woodpecker.multiplier_kinds if kind)
    assert trivial == ["shift: y", "time"]
    assert woodpecker.stable
    assert woodpecker.differentiable
    assert "drift        y -0.01944537928" in woodpecker.to_text()


def test_woodpecker_multipliers_against_differences_of_runs(woodpecker: PeriodicOrbit) -> None:
    """The largest one, -0.8392, agrees with differences of runs.

    The others vanish in inelastic impacts of the sleeve.
    """
    flow = Flow(woodpecker.system, woodpecker.method)
    M = np.zeros((6, 6))
    for i in range(6):
        h = 1e-6 * np.eye(6)[i]
        ends = [flow.run(0.0, woodpecker.y + s * h, woodpecker.period).y for s in (1, -1)]
        M[:, i] = (ends[0] - ends[1]) / 2e-6
    assert woodpecker.monodromy == pytest.approx(M, abs=2e-6 * np.abs(M).max())  # measured 2e-7
    largest = woodpecker.nontrivial[0]
    values = np.linalg.eigvals(M)
    assert np.abs(values - largest).min() < 1e-5
    assert np.abs(woodpecker.nontrivial[1:]).max() < 1e-9


@pytest.mark.parametrize("segments", [2, 5])
def test_multiple_shooting_finds_the_same_orbit(woodpecker: PeriodicOrbit, segments: int) -> None:
    orbit = periodic_orbit(
        systems.woodpecker(), section=on_event("impact", "beak"), segments=segments
    )
    assert orbit.mesh is not None
    assert orbit.mesh.phases.size == segments
    assert orbit.period == pytest.approx(woodpecker.period, abs=1e-13)
    assert orbit.nontrivial[0] == pytest.approx(woodpecker.nontrivial[0], abs=1e-9)


def test_closed_contacts_at_the_start_take_directions_away() -> None:
    """Two blocks that always touch keep four of eight directions, one of which may drift."""
    orbit = periodic_orbit(systems.stick_slip_oscillator())
    kinds = sorted(orbit.multiplier_kinds)
    assert kinds == ["", "", "", *["constraint"] * 4, "shift: x_2"]
    values = np.sort(np.abs(orbit.nontrivial))
    # Sticking on the ground and on each other takes one direction each.
    assert values[:2] == pytest.approx([0.0, 0.0], abs=1e-7)
    assert 1e-4 < values[2] < 1.0
    assert orbit.drift == pytest.approx(np.zeros(8), abs=1e-10)
    sections = periodic_orbit(systems.stick_slip_oscillator(), segments=3)
    assert sections.nontrivial[0] == pytest.approx(orbit.nontrivial[0], abs=1e-8)


def test_stick_slip_cycle_on_a_belt() -> None:
    """Sticking removes disturbances, so that the multiplier is zero."""
    exact = systems.belt_oscillator.cycle()
    orbit = periodic_orbit(systems.belt_oscillator(), section=on_event("stick"), transient=5)
    # The closed form is the limit v_s -> 0. Measured: 3.4e-2 s at v_s = 0.05, 2.3e-3 s at 0.001.
    assert orbit.period == pytest.approx(exact.period, abs=5e-2)
    assert orbit.event_sequence == ("stick belt", "slip belt")
    assert np.abs(orbit.nontrivial) == pytest.approx([0.0], abs=1e-6)


def test_an_orbit_seen_twice_is_cut_to_one() -> None:
    gear = systems.gear_rattling(alpha=1.4)
    for orbit in (
        periodic_orbit(gear, section=every(4.0 * np.pi), transient=50),
        periodic_orbit(gear, section_points=3, transient=50),
        periodic_orbit(gear, section=on_event("impact"), section_points=8, transient=50),
    ):
        assert orbit.period == pytest.approx(2.0 * np.pi, rel=1e-14)
        assert len(orbit.event_sequence) == 4


def test_orbits_can_be_pickled(woodpecker: PeriodicOrbit) -> None:
    copy = pickle.loads(pickle.dumps(woodpecker))
    assert np.array_equal(copy.multipliers, woodpecker.multipliers)
    assert copy.solution.events.t == pytest.approx(woodpecker.solution.events.t, abs=0.0)


def test_solution_closes(woodpecker: PeriodicOrbit) -> None:
    solution = woodpecker.solution
    end = np.concatenate([solution.q[-1], solution.u[-1]])
    # The residual is below 1e-10 of each component, the largest of which is 25 rad/s.
    assert end - woodpecker.y == pytest.approx(woodpecker.drift, abs=2.5e-9)
    assert tuple(solution.events.kinds) == tuple(
        label.split()[0] for label in woodpecker.event_sequence
    )


def test_chaos_is_no_orbit() -> None:
    """Newton's method may start from a near return, but does not converge."""
    with pytest.raises(AnalysisError, match="give") as caught:
        periodic_orbit(systems.gear_rattling(alpha=3.0))
    assert caught.value.result.status in ("no_recurrence", "no_convergence")
    assert not caught.value.result.stable


def test_a_section_never_met_is_a_status() -> None:
    orbit = periodic_orbit(
        systems.impact_oscillator(F=0.1), section=on_event("impact", "stop"), throw=False
    )
    assert orbit.status == "section_not_met"
    assert "another section" in orbit.message
    with pytest.raises(ValueError, match="expected a converged orbit"):
        _ = orbit.solution


def test_a_run_that_fails_is_a_status() -> None:
    """Painlevé's rod jams."""
    rod = systems.sliding_rod(phi=np.radians(60.0), omega=1.0)
    orbit = periodic_orbit(rod, start=rod.initial_state, period=1.0, throw=False)
    assert orbit.status == "simulation_failed"
    assert "no_contact_solution" in orbit.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"section": None}, "section: expected one for the autonomous system 'woodpecker'"),
        ({"section": on_event("impact", "tail")}, "section: contact 'tail'"),
        ({"section": "beak"}, "section: expected on_event"),
        ({"period": 1.5}, "period: must be None with a section, got 1.5"),
        ({"section_points": 0}, "section_points: expected a whole number >= 1"),
        ({"transient": -1}, "transient: expected a whole number >= 0"),
        ({"segments": 0}, "segments: expected a whole number >= 1"),
        ({"tol": 2.0}, "tol: expected a number between 0 and 1"),
        ({"start": 3.0}, "start: must be a nsmb.State"),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    arguments = {"section": on_event("impact", "beak")} | change
    with pytest.raises(ValueError, match=message):
        periodic_orbit(systems.woodpecker(), **arguments)  # type: ignore[arg-type]


def test_points_of_a_section_need_a_section() -> None:
    mass = nsmb.LinearSystem([[1.0]], [[1.0]], initial_state=nsmb.State(0.0, [1.0], [0.0]))
    with pytest.raises(ValueError, match="section_points: must be None without a section"):
        periodic_orbit(mass, period=2.0 * np.pi, section_points=1)


def test_a_system_that_depends_on_time_without_a_period_asks_for_it() -> None:
    driven = nsmb.LinearSystem(
        [[1.0]], [[2.0]], [[0.2]], force=lambda t: [np.cos(1.3 * t)], coordinates=["x"]
    )
    with pytest.raises(ValueError, match=r"every\(period\)"):
        periodic_orbit(driven, section=crossing("x"))
    orbit = periodic_orbit(driven, section=every(2.0 * np.pi / 1.3), transient=20)
    expected = response({"d": 0.2, "k": 2.0, "F": 1.0, "omega": 1.3}, orbit.t)
    assert orbit.y == pytest.approx(expected, abs=1e-8)


def test_a_start_at_rest_is_no_orbit_and_comes_back_at_once() -> None:
    rest = nsmb.LinearSystem([[1.0]], [[1.0]], [[0.1]], coordinates=["x"])
    orbit = periodic_orbit(rest, period=6.5, throw=False)
    assert orbit.status == "no_convergence"
    assert "at rest" in orbit.message
    assert "equilibrium()" in orbit.message


def test_newton_says_so_where_the_derivative_is_not_finite() -> None:
    class Nothing:
        F, J = np.array([1.0]), np.array([[np.nan]])

    found = newton(lambda _: Nothing(), np.zeros(1), tol=1e-10, max_iterations=5)
    assert found.status == "no_convergence"
    assert "not finite" in found.message


def _forced(*omegas: float, period: float | None = None) -> nsmb.System:
    return nsmb.CallbackSystem(
        ["x"],
        [[1.0]],
        lambda t, q, u: [sum(np.cos(w * t) for w in omegas) - 0.2 * u[0] - 2.0 * q[0]],
        period=period,
    )


def test_a_system_that_does_not_repeat_after_its_period_is_refused() -> None:
    with pytest.raises(ValueError, match=r"period: .* 5 given .* does not repeat after 5 s"):
        periodic_orbit(_forced(1.0, period=5.0))
    two = _forced(1.0, np.sqrt(2.0))
    with pytest.raises(ValueError, match=r"section: .* does not repeat after 6.28"):
        periodic_orbit(two, section=every(2.0 * np.pi), section_points=1, transient=50)
    with pytest.raises(ValueError, match="depends on time"):
        periodic_orbit(two)
    # The section may be finer than the system's period: two points per period are one orbit.
    orbit = periodic_orbit(_forced(1.0), section=every(np.pi), section_points=2, transient=20)
    assert orbit.period == pytest.approx(2.0 * np.pi, rel=1e-12)


@pytest.mark.parametrize("turns", [2, 6, 7])
def test_an_orbit_run_through_several_times_is_cut_to_one(turns: int) -> None:
    once = periodic_orbit(rings(mu=0.0), section=crossing("b"), transient=5)
    start = nsmb.State(once.t, once.q, once.u, once.x)
    orbit = periodic_orbit(rings(mu=0.0), start=start, period=turns * once.period)
    assert orbit.period == pytest.approx(once.period, rel=1e-9)


@pytest.mark.parametrize("start", [np.zeros(2), 0, "start"])
def test_start_of_another_type_is_named(start: object) -> None:
    with pytest.raises(ValueError, match=r"start: must be a nsmb.State"):
        periodic_orbit(systems.impact_oscillator(), start=start)  # type: ignore[arg-type]
