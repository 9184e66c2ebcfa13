"""A mass over a spring-damper wall, (3.16)-(3.23) and E2, agrees with its exact motion."""

from __future__ import annotations

from math import acos, acosh, exp, pi, sqrt

import numpy as np
import pytest

import nsmb
from tests.oracles import spring_damper_wall as exact

M, C, D, G = 1.3, 400.0, 9.0, 9.81
V = 2.0
CRITICAL = 2.0 * sqrt(M * C)

# Numbers of the parameter `law`, with the names of the oracle.
LAWS = dict(enumerate(exact.LAWS))
ACCURATE = nsmb.EventDriven(rtol=1e-12)
ELASTIC, DAMPED, CLIPPED, CONSISTENT = LAWS

every_law = pytest.mark.parametrize("law", list(LAWS))


def collide(law: int = CONSISTENT, **parameters: float) -> nsmb.Solution:
    """Return a collision without gravity from a height of 0.1 m."""
    data = {"law": law, "g": 0.0, "H": 0.1, "v": V} | parameters
    return nsmb.simulate(nsmb.systems.spring_damper_wall(**data), 0.6, method=ACCURATE)


def side(solution: nsmb.Solution, event: int, after: bool) -> float:
    """Return the wall force on one side of an event, as both sides are samples."""
    rows = np.flatnonzero(solution.t == solution.events.t[event])
    return float(solution.element_force[rows[-1] if after else rows[0], 0])


def test_collision_of_the_sample() -> None:
    """All digits of E2 are met: ζ = 0.197338054, e, t_e, γ(t_e) and F_N(0+)."""
    assert pytest.approx(0.197338054, abs=5e-10) == D / CRITICAL
    sol = collide()
    assert sol.events.kinds == ["switch", "switch"]
    begin, end = sol.events
    assert begin.elements == end.elements == ("wall",)
    assert begin.t == pytest.approx(0.1 / V, rel=1e-15)
    assert end.t - begin.t == pytest.approx(0.159587900, abs=5e-10)
    assert end.u_minus[0] / V == pytest.approx(0.575555480, abs=5e-10)
    assert end.q[0] == pytest.approx(-0.025899997, abs=5e-10)
    assert side(sol, 0, after=True) == pytest.approx(18.0, rel=1e-14)
    assert side(sol, 0, after=False) == 0.0
    assert abs(side(sol, 1, after=False)) < 1e-11
    assert sol.element_mode[[0, -1], 0].tolist() == [0, 0]


@pytest.mark.parametrize("ratio", [1e-3, 0.2, 0.9, 1.0, 1.5, 3.0])
def test_restitution_for_every_damping(ratio: float) -> None:
    """E2 has closed forms below, at and above ζ = 1, here with arccos."""
    if ratio < 1.0:
        root = sqrt(1.0 - ratio**2)
        t_e = 2.0 * acos(ratio) / root
        e = exp(-ratio * t_e)
    elif ratio == 1.0:
        e, t_e = exp(-2.0), 2.0
    else:
        root = sqrt(ratio**2 - 1.0)
        t_e = 2.0 * acosh(ratio) / root
        e = exp(-ratio * t_e)
    omega_0 = sqrt(C / M)
    begin, end = collide(d=ratio * CRITICAL).events
    assert end.t - begin.t == pytest.approx(t_e / omega_0, rel=1e-11)
    assert end.u_plus[0] / V == pytest.approx(e, rel=1e-11)
    assert end.q[0] == pytest.approx(-2.0 * ratio * e * V / omega_0, rel=1e-10)


def test_damper_in_the_gap_jumps_at_touch_and_pulls_at_the_end() -> None:
    """In T3.1, (3.17) jumps to d v and ends after half a period at γ = 0 with -d γ̇ < 0."""
    sol = collide(DAMPED)
    begin, end = sol.events
    assert side(sol, 0, after=False) == 0.0
    assert side(sol, 0, after=True) == pytest.approx(D * V, rel=1e-14)
    assert end.t - begin.t == pytest.approx(pi / sqrt(C / M - (0.5 * D / M) ** 2), rel=1e-13)
    assert abs(end.q[0]) < 1e-15
    assert side(sol, 1, after=False) == pytest.approx(-D * end.u_minus[0], rel=1e-12)
    assert side(sol, 1, after=False) < 0.0 == side(sol, 1, after=True)


def test_clipped_force_never_pulls_but_acts_before_the_touch() -> None:
    """In T3.2, (3.18) starts at γ = d v/c > 0 and ends below 0, both without a jump."""
    sol = collide(CLIPPED)
    begin, end = sol.events
    assert begin.q[0] == pytest.approx(D * V / C, rel=1e-13)
    assert end.q[0] < 0.0
    assert sol.element_force.min() >= -1e-12
    assert sol.element_force[sol.t > begin.t].max() > 1.0
    before_touch = (sol.t > begin.t) & (sol.q[:, 0] > 0.0)
    assert sol.element_force[before_touch].min() > -1e-12
    assert sol.element_force[before_touch].max() > 1.0
    for event in (0, 1):
        for after in (False, True):
            assert abs(side(sol, event, after)) < 1e-11


def test_consistent_law_jumps_at_the_touch_and_ends_below_it_and_the_wall_relaxes() -> None:
    """In T3.3, γ_w(t) = γ_w(t_0) exp(-c (t - t_0)/d) after contact and γ_w = γ during it."""
    sol = collide()
    assert sol.states == ("wall.wall",)
    begin, end = sol.events
    assert abs(begin.q[0]) < 1e-15
    assert end.q[0] < -0.02
    times = np.linspace(0.0, 0.6, 241)
    at = sol.at(times)
    wall = np.where(times < begin.t, 0.0, at.q[:, 0])
    wall = np.where(times > end.t, end.q[0] * np.exp(-C / D * (times - end.t)), wall)
    np.testing.assert_allclose(at.x[:, 0], wall, atol=1e-14)  # measured 2e-17
    assert sol.element_force.min() > -1e-11


def test_elastic_wall_returns_the_speed() -> None:
    """With (3.16) contact lasts half a period of √(c/m), independent of the damper."""
    begin, end = collide(ELASTIC).events
    assert end.t - begin.t == pytest.approx(pi / sqrt(C / M), rel=1e-13)
    assert end.u_plus[0] == pytest.approx(V, rel=1e-13)


@pytest.mark.parametrize("d", [4.0, 9.0, 30.0])
@every_law
def test_bounces_under_gravity_are_the_exact_ones(law: int, d: float) -> None:
    """Event times, positions, forces on the acting side and the motion between events agree.

    Measured: 2e-12 s, 4e-12 m, 6e-11 m/s, 2e-9 N, as late bounces lose digits.
    """
    t_end = 3.0
    reference = exact.simulate(LAWS[law], M, C, d, G, 0.5, -1.0, t_end)
    system = nsmb.systems.spring_damper_wall(law=law, d=d, H=0.5, v=1.0)
    sol = nsmb.simulate(system, t_end, method=ACCURATE)
    assert sol.events.kinds == ["switch"] * len(reference.events)
    begins = [event.kind == "begin" for event in reference.events]
    np.testing.assert_allclose(sol.events.t, [e.t for e in reference.events], atol=1e-9)
    np.testing.assert_allclose(sol.events.q[:, 0], [e.gamma for e in reference.events], atol=1e-9)
    np.testing.assert_allclose(sol.events.u_plus[:, 0], [e.v for e in reference.events], atol=1e-9)
    forces = [side(sol, i, after=begin) for i, begin in enumerate(begins)]
    np.testing.assert_allclose(forces, [e.F for e in reference.events], atol=1e-8)
    for i, begin in enumerate(begins):
        assert side(sol, i, after=not begin) == 0.0
    between = ~np.isin(sol.t, sol.events.t)
    motion = np.array([reference(t) for t in sol.t[between]])
    np.testing.assert_allclose(sol.q[between, 0], motion[:, 0], atol=1e-9)
    np.testing.assert_allclose(sol.u[between, 0], motion[:, 1], atol=1e-9)
    np.testing.assert_allclose(sol.element_force[between, 0], motion[:, 3], atol=1e-8)
    if law == CONSISTENT:
        np.testing.assert_allclose(sol.x[between, 0], motion[:, 2], atol=1e-9)


def test_next_contact_begins_before_a_slow_wall_has_relaxed() -> None:
    """γ_w is kept, so that (3.21) is met at γ_w < 0 (3.2.3)."""
    reference = exact.simulate("consistent", M, C, 15.0, G, 0.3, 0.0, 2.0)
    sol = nsmb.simulate(nsmb.systems.spring_damper_wall(d=15.0), 2.0, method=ACCURATE)
    assert len(sol.events) == len(reference.events) == 3
    end, again = sol.events[1], sol.events[2]
    assert again.t == pytest.approx(reference.events[2].t, abs=1e-11)
    assert again.q[0] == pytest.approx(reference.events[2].gamma_w, abs=1e-12)
    assert again.q[0] < 0.25 * end.q[0] < 0.0
    assert again.x[0] == pytest.approx(end.q[0] * exp(-C / 15.0 * (again.t - end.t)), rel=1e-10)
    assert side(sol, 2, after=True) == pytest.approx(reference.events[2].F, rel=1e-10)
    assert side(sol, 2, after=True) > 0.0 == side(sol, 2, after=False)


def test_start_above_a_wall_that_is_still_pressed_in() -> None:
    reference = exact.simulate("consistent", M, C, 40.0, G, 0.02, -1.0, 1.0, wall_0=-0.2)
    system = nsmb.systems.spring_damper_wall(d=40.0, H=0.02, v=1.0)
    sol = nsmb.simulate(system, 1.0, x=[-0.2], method=ACCURATE)
    np.testing.assert_allclose(sol.events.t, [e.t for e in reference.events], atol=1e-11)
    assert sol.events.q[0, 0] < -0.01
    assert sol.events.q[0, 0] == pytest.approx(reference.events[0].gamma_w, rel=1e-10)


@every_law
def test_mass_comes_to_rest_on_the_wall(law: int) -> None:
    """γ = -m g/c for every law with damping. Without it, energy is conserved."""
    sol = nsmb.simulate(nsmb.systems.spring_damper_wall(law=law), 8.0, method=ACCURATE)
    if law != ELASTIC:
        assert sol.q[-1, 0] == pytest.approx(-M * G / C, abs=1e-10)
        assert sol.element_force[-1, 0] == pytest.approx(M * G, abs=1e-8)
        return
    assert len(sol.events) > 20
    spring = 0.5 * C * np.minimum(sol.q[:, 0], 0.0) ** 2
    energy = 0.5 * M * sol.u[:, 0] ** 2 + M * G * sol.q[:, 0] + spring
    np.testing.assert_allclose(energy, M * G * 0.3, rtol=1e-10)  # measured 1.3e-11


@every_law
@pytest.mark.parametrize("integrator", ["arkode_verner56", "arkode_dormand_prince45"])
def test_integrators_agree(law: int, integrator: str) -> None:
    """Two Runge-Kutta families agree, the second with a tolerance near its limit."""
    system = nsmb.systems.spring_damper_wall(law=law)
    first = nsmb.simulate(system, 1.5, method=ACCURATE)
    method = nsmb.EventDriven(rtol=1e-12, integrator=integrator)
    second = nsmb.simulate(system, 1.5, method=method)
    np.testing.assert_allclose(second.events.t, first.events.t, atol=1e-9)
    times = np.linspace(0.0, 1.5, 301)
    np.testing.assert_allclose(second.at(times).q, first.at(times).q, atol=1e-9)


def test_wrong_law_and_height_are_refused() -> None:
    for law in (-1, 4, 0.5):
        with pytest.raises(ValueError, match=rf"'relaxing_wall' \(3\), got {law}"):
            nsmb.systems.spring_damper_wall(law=law)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parameter 'H': expected a number >= 0"):
        nsmb.systems.spring_damper_wall(H=-0.1)
