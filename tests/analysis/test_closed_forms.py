"""Borders, orbits and sets of nsmb.analysis agree with textbook systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import nsmb
from nsmb import systems
from nsmb.analysis import (
    AnalysisError,
    PoincareMap,
    basins,
    bifurcation_diagram,
    continuation,
    equilibrium,
    every,
    lyapunov_spectrum,
    on_event,
    periodic_orbit,
)
from nsmb.analysis.results import OrbitBranch, PeriodicOrbit
from tests.support.draws import numbers

BALL = 80.0**2 / 9.81
"""Γ per unit of A."""


def impacting(n: int, F: float, which: int = 0, **data: float) -> PeriodicOrbit:
    """Return the closed-form orbit with one impact in n periods, starting after the impact."""
    exact = systems.impact_oscillator.orbits(n, F=F, **data)[which]
    system = systems.impact_oscillator(F=F, **data)
    p = system.parameters
    start = nsmb.State(exact.t, np.array([p["sigma"]]), np.array([-p["e"] * exact.velocity]))
    return periodic_orbit(system, section=on_event("impact", "stop"), start=start, section_points=1)


def jumping(n: int, e: float, gamma: float) -> PeriodicOrbit:
    exact = systems.ball_on_table.orbits(n, e=e, A=gamma / BALL)[0]
    start = nsmb.State(exact.t, np.zeros(1), np.array([exact.velocity]))
    system = systems.ball_on_table(e=e, A=gamma / BALL)
    return periodic_orbit(
        system, section=on_event("impact", "table"), start=start, section_points=1
    )


@pytest.fixture(scope="module")
def once() -> OrbitBranch:
    """Return the branch with one impact per period at ω = 1.4, through the fold to grazing."""
    return continuation(impacting(1, 0.5, omega=1.4), "F", (0.2, 1.2))


@pytest.mark.parametrize(
    "data",
    [{"omega": 1.4}, {"omega": 2.6, "zeta": 0.2}, {"omega": 0.7, "sigma": 0.3}],
)
def test_motion_without_impact_grazes_at_the_known_amplitude(data: dict[str, float]) -> None:
    """Grazing is at F = σ √((1 - ω²)² + (2 ζ ω)²)."""
    p = systems.impact_oscillator(**data).parameters
    stiffness = complex(1.0 - p["omega"] ** 2, 2.0 * p["zeta"] * p["omega"])
    exact = p["sigma"] * abs(stiffness)
    z = 0.7 * exact / stiffness  # an orbit with impacts may also attract
    start = nsmb.State(0.0, np.array([z.real]), np.array([-p["omega"] * z.imag]))
    system = systems.impact_oscillator(**data | {"F": 0.7 * exact})
    quiet = periodic_orbit(system, start=start, section_points=1)
    branch = continuation(quiet, "F", (0.5 * exact, 1.5 * exact), direction=1)
    grazing = branch.special_points[0]
    assert grazing.kind == "grazing"
    assert grazing.value == pytest.approx(exact, rel=1e-8)  # required: 1e-6; measured: 6e-10
    assert "stop" in grazing.message


def test_grazing_is_known_from_the_impacting_side_as_well(once: OrbitBranch) -> None:
    """It is extrapolated, as multipliers grow like 1/velocity until no orbit is found."""
    borders = systems.impact_oscillator.borders(omega=1.4)
    (grazing,) = once.of_kind("grazing")
    assert grazing.value == pytest.approx(borders.grazing, abs=1e-8)  # measured 1e-10
    assert grazing.bracket[0] <= borders.grazing <= grazing.bracket[1]
    assert grazing.accuracy < 1e-5
    assert "the approach velocity of the impact of stop vanishes" in grazing.message
    assert once.values[0] == pytest.approx(borders.grazing, abs=1e-5)
    assert np.abs(once.multipliers[1, 0]) > 1e4  # the last orbit may have no derivative


def test_orbits_between_fold_and_grazing_are_those_of_the_closed_form(once: OrbitBranch) -> None:
    """State and time of the impact and multipliers agree for stable and unstable orbits."""
    borders = systems.impact_oscillator.borders(omega=1.4)
    (fold,) = once.of_kind("fold")
    assert fold.value == pytest.approx(borders.fold, abs=1e-8)  # measured 5e-16
    turn = int(np.argmin(once.values))
    beyond = np.delete(np.arange(once.values.size), [0, turn])  # except the ends
    assert np.array_equal(once.stable[beyond], beyond > turn)
    assert (np.diff(once.values[: turn + 1]) < 0.0).all()  # from grazing to the fold
    compared = 0
    for k, orbit in enumerate(once.points):
        if not borders.fold + 1e-3 < once.values[k] < borders.grazing - 1e-3:
            continue
        both = systems.impact_oscillator.orbits(omega=1.4, F=float(once.values[k]))
        exact = both[0] if k > turn else both[1]
        assert orbit.section_state == pytest.approx([1.0, -0.8 * exact.velocity], abs=1e-8)
        assert orbit.event_times[0] % orbit.period == pytest.approx(exact.t, abs=1e-8)
        size = abs(exact.multipliers[0])
        assert orbit.multipliers == pytest.approx(exact.multipliers, abs=1e-7 * size)
        compared += 1
    assert compared > 30
    assert once.values[:turn][once.values[:turn] > 0.9].size > 3


def test_fold_flip_and_grazing_of_one_impact_in_two_periods() -> None:
    """At ω = 2.6 it is stable between fold and flip, and unstable between fold and grazing."""
    borders = systems.impact_oscillator.borders(2, omega=2.6)
    branch = continuation(impacting(2, 1.5, omega=2.6), "F", (0.5, 6.0))
    found = {point.kind: point for point in branch.special_points}
    assert set(found) == {"fold", "period doubling", "grazing"}
    assert found["fold"].value == pytest.approx(borders.fold, abs=1e-8)  # measured 3e-10
    assert found["period doubling"].value == pytest.approx(borders.flip, abs=1e-8)  # 1e-14
    assert found["grazing"].value == pytest.approx(borders.grazing, rel=1e-6)  # measured 3e-7
    turn = int(np.argmin(branch.values))
    inside = (np.arange(branch.values.size) > turn) & (branch.values < borders.flip)
    assert np.array_equal(branch.stable[turn + 1 :], inside[turn + 1 :])
    assert not branch.stable[1:turn].any()  # except the last orbit before grazing


@pytest.mark.parametrize(("n", "e"), [(1, 0.8), (1, 0.5), (2, 0.6)])
def test_fold_and_flip_of_a_jumping_ball(n: int, e: float) -> None:
    borders = systems.ball_on_table.borders(n, e)
    gamma = 0.5 * (borders.fold + borders.flip)
    limits = (0.8 * borders.fold / BALL, 1.1 * borders.flip / BALL)
    branch = continuation(jumping(n, e, gamma), "A", limits)
    (fold,), (flip,) = branch.of_kind("fold"), branch.of_kind("period doubling")
    assert fold.value * BALL == pytest.approx(borders.fold, abs=1e-8)  # measured 7e-13
    assert flip.value * BALL == pytest.approx(borders.flip, abs=1e-8)  # measured 8e-11
    assert branch.values.min() == pytest.approx(fold.value, rel=1e-2)


def jump_map(z: np.ndarray, A: float, e: float) -> list[float]:
    """Return the residual of periodicity of two jumps (t_1, v_1), (t_2, v_2).

    v is the ball's velocity after an impact: A sin ωt + v τ - g τ²/2 = A sin ωt', v' = (1 + e) A ω
    cos ωt' - e (v - g τ).
    """
    w, g = 80.0, 9.81
    t_1, v_1, t_2, v_2 = z
    missed = []
    for t, v, t_next, v_next in ((t_1, v_1, t_2, v_2), (t_2, v_2, t_1 + 4.0 * np.pi / w, v_1)):
        tau = t_next - t
        rise = v * tau - 0.5 * g * tau**2
        behind = (1.0 + e) * A * w * np.cos(w * t_next) - e * (v - g * tau)
        missed.append((rise - A * (np.sin(w * t_next) - np.sin(w * t))) / A)
        missed.append((v_next - behind) / (A * w))
    return missed


def test_the_branch_of_twice_the_period_is_that_of_the_exact_jump_map() -> None:
    """After the flip, jumps of two heights alternate, whose map needs no integration."""
    e = 0.5
    borders = systems.ball_on_table.borders(1, e)
    gamma = 0.5 * (borders.fold + borders.flip)
    limits = (0.9 * gamma / BALL, 1.1 * borders.flip / BALL)
    (flip,) = continuation(jumping(1, e, gamma), "A", limits).of_kind("period doubling")
    first = flip.switch_branch()
    assert first.parameters["A"] > flip.value
    assert first.stable
    doubled = continuation(first, "A", (flip.value, 1.03 * flip.value), direction=1)
    assert doubled.values[-1] == pytest.approx(1.03 * flip.value, rel=1e-12)
    for k in (len(doubled.points) // 2, -1):  # at the flip itself the equations are singular
        orbit = doubled.points[k]
        A = orbit.parameters["A"]
        assert orbit.event_sequence == ("impact table", "impact table")
        assert orbit.period == pytest.approx(4.0 * np.pi / 80.0, rel=1e-12)
        events = orbit.solution.events
        v = events.u_plus[:, 0] + A * 80.0 * np.cos(80.0 * events.t)
        seen = np.array([events.t[0], v[0], events.t[1], v[1]])
        exact = fsolve(jump_map, seen * (1.0 + 1e-3), (A, e), xtol=1e-11)
        assert seen == pytest.approx(exact, abs=1e-9)
        assert abs(v[0] - v[1]) > 1e-4  # not the original jump


def slip_of_the_belt(p: dict[str, float], x: float) -> tuple[float, float]:
    """Return duration and end position of the slip phase, by its integration alone.

    m x'' + d x' + c x = μ(v_B - x') m g.
    """
    m, c, d, g = p["m"], p["c"], p["d"], p["g"]
    late = 1e-6  # s; the start is a series with a slip speed of c v_B t²/(2 m)

    def rhs(_: float, y: np.ndarray) -> list[float]:
        slip = p["v_B"] - y[1]
        mu = p["mu_d"] + (p["mu_s"] - p["mu_d"]) * np.exp(min(-slip / p["v_s"], 5.0))
        return [y[1], mu * g - (c * y[0] + d * y[1]) / m]

    def stuck(_: float, y: np.ndarray) -> float:
        return float(p["v_B"] - y[1])

    stuck.terminal, stuck.direction = True, -1.0  # type: ignore[attr-defined]
    begin = [x + p["v_B"] * late, p["v_B"] - 0.5 * c / m * p["v_B"] * late**2]
    run = solve_ivp(rhs, (late, 10.0), begin, "DOP853", rtol=1e-12, atol=1e-14, events=stuck)
    return float(run.t_events[0][0]), float(run.y_events[0][0, 0])


@pytest.mark.parametrize("data", [{}, {"v_s": 0.001}, {"d": 0.5, "v_B": 0.1}])
def test_stick_slip_on_a_belt_has_the_period_of_its_slip_phase(data: dict[str, float]) -> None:
    """The period is that of slip and of the return on the belt. One multiplier is zero."""
    orbit = periodic_orbit(systems.belt_oscillator(**data), section=on_event("stick"), transient=3)
    p = dict(orbit.parameters)
    end = (p["mu_s"] * p["m"] * p["g"] - p["d"] * p["v_B"]) / p["c"]
    slipping, caught = slip_of_the_belt(p, end)
    assert orbit.period == pytest.approx(slipping + (end - caught) / p["v_B"], abs=1e-8)
    assert orbit.section_state[:3] == pytest.approx([caught, 0.0, p["v_B"]], abs=1e-8)
    assert orbit.event_sequence in (("stick belt", "slip belt"), ("slip belt", "stick belt"))
    assert {note.kind for note in orbit.notes} == {"rank"}
    kinds = dict(zip(orbit.multiplier_kinds, orbit.multipliers, strict=True))
    assert abs(kinds[""]) < 1e-6
    assert orbit.stable


def test_stick_slip_tends_to_the_closed_form_of_a_coefficient_that_jumps() -> None:
    """The error falls by 2.4 and 2.7 while v_s falls by 4."""
    exact = systems.belt_oscillator.cycle()
    errors = []
    for v_s in (0.04, 0.01, 0.0025):
        system = systems.belt_oscillator(v_s=v_s)
        orbit = periodic_orbit(system, section=on_event("stick"), transient=3)
        errors.append(orbit.period - exact.period)
    assert errors[2] < 0.01 * exact.period  # measured 0.0072
    assert 2.2 * errors[1] < errors[0]
    assert 2.5 * errors[2] < errors[1]


@pytest.mark.parametrize("data", [{"d": 0.5}, {"d": 0.2, "v_s": 0.1, "mu_s": 0.3}])
def test_steady_sliding_is_stable_above_the_belt_speed_of_the_closed_form(
    data: dict[str, float],
) -> None:
    exact = systems.belt_oscillator.sliding(v_B=0.4, **data)
    here = equilibrium(systems.belt_oscillator(v_B=0.4, **data))
    branch = continuation(here, "v_B", (0.02, 1.0))
    (hopf,) = branch.special_points
    assert hopf.kind == "Hopf"
    assert hopf.value == pytest.approx(exact.v_stable, abs=1e-8)  # measured 1e-10
    assert np.array_equal(branch.stable, branch.values > exact.v_stable)
    for point in branch.points[::10]:
        sliding = systems.belt_oscillator.sliding(**point.parameters)
        assert point.q[0] == pytest.approx(sliding.x, rel=1e-9)
        assert np.sort_complex(point.eigenvalues) == pytest.approx(
            np.sort_complex(sliding.eigenvalues), abs=1e-5
        )


@settings(max_examples=20, deadline=None, derandomize=True)
@given(numbers(0.05, 1.0), numbers(20.0, 500.0), numbers(0.1, 5.0))
def test_on_a_belt_at_rest_friction_holds_where_the_spring_is_weaker(
    mu_s: float, c: float, m: float
) -> None:
    """It holds for |c x| <= mu_s m g, and runs agree on both sides of the border."""
    system = systems.belt_oscillator(v_B=0.0, mu_s=mu_s, c=c, m=m)
    low, high = equilibrium(system).stick_set()["x"]
    border = mu_s * m * 10.0 / c
    assert (low, high) == pytest.approx((-border, border), rel=1e-9)
    for factor, moves in ((0.999, False), (-0.999, False), (1.001, True), (-1.001, True)):
        run = nsmb.simulate(system, 0.5, q=[factor * border, 0.0], u=[0.0, 0.0])
        assert (abs(run.q[-1, 0] - factor * border) > 1e-9) == moves


@pytest.fixture(scope="module")
def rod() -> nsmb.System:
    """Return a steep rough rod with Painlevé's paradox at the start."""
    return systems.sliding_rod(phi=np.radians(60.0), omega=1.0)


def test_a_contact_problem_without_solution_is_a_status_everywhere(rod: nsmb.System) -> None:
    section, status, hint = every(0.05), "no_contact_solution", "friction coefficients to"
    points = PoincareMap(rod, section).iterate(3)
    assert (points.status, hint in points.message) == (status, True)
    orbit = periodic_orbit(rod, section=section, transient=0, throw=False)
    assert (orbit.status, hint in orbit.message) == ("simulation_failed", True)
    with pytest.raises(AnalysisError, match=hint):
        periodic_orbit(rod, section=section, transient=0)
    diagram = bifurcation_diagram(
        rod, "mu", [0.5, 2.0], section=section, transient=0, samples=3, follow=None
    )
    assert diagram.status == ("finished", status)
    assert hint in diagram.messages[1]
    spectrum = lyapunov_spectrum(rod, section=section, count=10, transient=0)
    assert (spectrum.status, hint in spectrum.message) == (status, True)
    found = basins(rod, {"x": [0.0, 1.0]}, section=section)
    assert set(found.status) == {status}


def test_a_section_never_met_is_a_status_with_a_remedy() -> None:
    still = systems.belt_oscillator(v_B=0.0)
    orbit = periodic_orbit(still, section=on_event("stick"), transient=3, throw=False)
    assert orbit.status == "section_not_met"
    assert "Try another section" in orbit.message
    diagram = bifurcation_diagram(
        systems.impact_oscillator(), "F", [0.1, 0.6],
        section=on_event("impact", "stop"), transient=5, samples=3, t_max=100.0,
    )  # fmt: skip
    assert diagram.status == ("section_not_met", "finished")
    assert "pass a larger t_max" in diagram.messages[0]


def test_ranges_that_leave_what_a_system_admits_end_with_a_status() -> None:
    """The limits are μ < 0 and e > 1."""
    cycle = periodic_orbit(systems.belt_oscillator(), section=on_event("stick"), transient=3)
    orbits = continuation(cycle, "mu_d", (-0.1, 0.3), direction=-1, max_step=0.2)
    resting = equilibrium(systems.belt_oscillator(v_B=0.0))
    rests = continuation(resting, "mu_s", (-0.2, 1.0), direction=-1)
    for branch in (orbits, rests):
        assert branch.status == "inadmissible"
        assert "expected a number >= 0, got -" in branch.message
        (end,) = branch.of_kind("end")
        assert end.value == pytest.approx(0.0, abs=1e-8)
        assert branch.values.min() == pytest.approx(0.0, abs=1e-8)
    bouncing = continuation(jumping(1, 0.8, 0.6), "e", (0.75, 1.2), direction=1)
    assert bouncing.values.max() <= 1.0
    diagram = bifurcation_diagram(
        systems.impact_oscillator(F=0.6), "e", [0.9, 1.1], section=on_event("impact", "stop"),
        transient=5, samples=3,
    )  # fmt: skip
    assert diagram.status == ("finished", "failed")
    assert "e_N: expected a number in [0, 1], got 1.1" in diagram.messages[1]


def test_parameters_a_system_lacks_are_named() -> None:
    resting = equilibrium(systems.belt_oscillator(v_B=0.0))
    for run in (
        lambda: continuation(jumping(1, 0.8, 0.6), "mu", (0.0, 1.0)),
        lambda: continuation(resting, "mu", (0.0, 1.0)),
        lambda: bifurcation_diagram(systems.impact_oscillator(), "mu", [0.1]),
    ):
        with pytest.raises(ValueError, match="parameter 'mu': expected one of"):
            run()
