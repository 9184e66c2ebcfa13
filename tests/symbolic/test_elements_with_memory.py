"""Hysteresis and backlash: energy loops, closed forms, alternative formulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

import nsmb
from nsmb import symbolic
from nsmb.symbolic.elements import backlash, hysteresis
from tests.symbolic.slides import MASSES, by_energies, move_alike

Array = NDArray[np.float64]
M = MASSES[0]
C1, C2, PLAY, C, D = 5e3, 2e4, 0.02, 4e3, 20.0


def pad(**changes: Any) -> Any:
    return lambda q, u: hysteresis("pad", q[0], u[0], **({"c1": C1, "c2": C2} | changes))


def law(g: Array, recovers: bool) -> Array:
    """Return the force over the gap g from (14.30) alone.

    It tracks the largest deflection since the last touch, and the position of the surface.
    """
    force, m, surface, touches = np.zeros_like(g), 0.0, 0.0, False
    for k in range(g.size):
        if not touches and g[k] < surface:
            touches = True
        if touches:
            m = min(m, g[k])
            force[k] = -C1 * m - C2 * (g[k] - m)
            if force[k] <= 0.0:
                touches, force[k], surface = False, 0.0, m * (1.0 - C1 / C2)
        if not touches and recovers:  # the surface rises with the body
            surface = max(surface, min(g[k], 0.0))
            m = surface / (1.0 - C1 / C2)
    return force


def test_a_body_returns_with_the_share_c1_over_c2_of_its_energy() -> None:
    v = 2.0
    system = by_energies(pad(), a=0.0, a_dot=-v)
    sol = nsmb.simulate(system, 0.2, rtol=1e-12)
    loading, unloading = (np.pi / 2.0 * np.sqrt(M / c) for c in (C1, C2))
    times = [loading, loading + unloading]
    deepest = -v * np.sqrt(M / C1)
    touches = sol.events.at_element("pad.touches")
    loads = sol.events.at_element("pad.loads")
    np.testing.assert_allclose(loads.t[-1], times[0], rtol=1e-9)
    np.testing.assert_allclose(touches.t[-1], times[1], rtol=1e-9)
    np.testing.assert_allclose(loads.q[-1], deepest, rtol=1e-10)
    np.testing.assert_allclose(touches.q[-1], deepest * (1.0 - C1 / C2), rtol=1e-9)  # -a
    np.testing.assert_allclose(sol.u[-1], v * np.sqrt(C1 / C2), rtol=1e-10)
    np.testing.assert_allclose(sol.energy.total[-1] / sol.energy.total[0], C1 / C2, rtol=1e-10)


def shaken(recovers: bool) -> Any:
    """Return a run of a shaken body on a pad, with detachments, returns and reversals."""
    y = symbolic.coordinates("y")
    element = hysteresis("pad", y, c1=C1, c2=C2, recovers=recovers)
    push = 40.0 * sp.sin(23.0 * symbolic.time) + 25.0 * sp.sin(61.0 * symbolic.time) - 20.0
    return symbolic.LagrangianSystem(
        [y], M * y.velocity**2 / 2, forces=[push], elements=[element], initial={y: 0.02}
    )


@pytest.mark.parametrize("recovers", [True, False])
def test_the_force_is_that_of_the_whole_history(recovers: bool) -> None:
    system = shaken(recovers)
    sol = nsmb.simulate(system, 4.0, rtol=1e-10, output_step=5e-5)
    force = np.array(
        [
            system.forces(t, q, u, x)[0] - system.forces(t, [1.0], u, sol.x[0])[0]
            for t, q, u, x in zip(sol.t, sol.q, sol.u, sol.x, strict=True)
        ]
    )
    expected = law(sol.q[:, 0], recovers)
    touches = np.sum(np.diff(expected > 0.0) != 0)
    turns = sol.events.at_element("pad.loads")
    assert touches > 10
    assert len(turns) > 10
    # The oracle lags by one sample: 5e-5 s · 0.6 m/s · c2 = 0.6 N of 300 N.
    assert expected.max() > 100.0
    np.testing.assert_allclose(force, expected, rtol=0.0, atol=0.6)


def test_nothing_comes_back_that_was_absorbed() -> None:
    sol = nsmb.simulate(by_energies(pad(), weight=[9.81], a=0.3), 1.5, rtol=1e-11)
    total = sol.energy.total
    assert (np.diff(total) <= 1e-8 * total[0]).all()  # measured 1.2e-9
    assert total[-1] < 0.05 * total[0]


def test_at_rest_a_body_swings_along_c2() -> None:
    sol = nsmb.simulate(by_energies(pad(), weight=[9.81], a=0.0, a_dot=-0.05), 1.0, rtol=1e-12)
    t = np.linspace(sol.events.t[-1] + 1e-3, 1.0, 4000)
    g = sol.at(t).q[:, 0]
    a = sol.x[-1, 0] * (C1 / C2 - 1.0)
    np.testing.assert_allclose(0.5 * (g.max() + g.min()), -a - M * 9.81 / C2, atol=1e-7)


def test_a_set_that_stays_moves_the_ground() -> None:
    sol = nsmb.simulate(by_energies(pad(recovers=False), a_dot=-2.0), 0.2, rtol=1e-12)
    a = 2.0 * np.sqrt(M / C1) * (1.0 - C1 / C2)
    system = sol.system
    assert system is not None
    back = nsmb.simulate(system, 1.0, q=[0.1], u=[-1.0], x=sol.x[-1], rtol=1e-12)
    np.testing.assert_allclose(back.events.t[0], 0.1 + a, rtol=1e-10)  # it meets -a at 1 m/s


def loaded(push: Any, force: float, deepest: float, **changes: Any) -> Any:
    """Return a body at rest under a force, on a pad that was pressed to a depth before."""
    y = symbolic.coordinates("y")
    element = hysteresis("pad", y, c1=C1, c2=C2, **changes)
    touches, loads = list(element.watch)[:2]
    (state,) = element.states
    g = deepest - (force + C1 * deepest) / C2  # on the second branch
    initial = {y: g, state: deepest, touches: True, loads: force == -C1 * deepest}
    return symbolic.LagrangianSystem(
        [y],
        M * y.velocity**2 / 2,
        forces=[push],
        elements=[element],
        initial=initial | ({list(element.watch)[2]: False} if len(element.watch) > 2 else {}),
    )


@pytest.mark.parametrize("recovers", [True, False])
@pytest.mark.parametrize("force", [50.0, 30.0])
def test_what_rests_stays_on_its_branch_and_at_the_point_of_reversal(
    force: float, recovers: bool
) -> None:
    """The pad is pressed to 0.01 m with c1 m = 50 N and released to 30 N, on either branch."""
    system = loaded(-force, force, -0.01, recovers=recovers)
    for start in (system.initial_state, nsmb.simulate(system, 0.5).at(0.5)):
        x = start.x.copy()
        for on_first in {0.0, float(force == 50.0)}:
            x[-2 if recovers else -1] = on_first  # pad.loads
            sol = nsmb.simulate(system, 1.0, q=start.q, u=start.u, x=x)
            assert len(sol.events) == 0
            assert np.abs(sol.q - system.initial_state.q).max() < 1e-14


def test_swings_slower_than_v_rest_stay_on_the_first_branch() -> None:
    """It acts as a spring, x = x_s + F/(c1 - M Ω²) (cos Ωt - cos ωt)."""
    amplitude, Omega, omega = 1e-4, 40.0, np.sqrt(C1 / M)
    push = -50.0 + amplitude * sp.cos(Omega * symbolic.time)
    t = np.linspace(0.0, 2.0, 2001)
    response = amplitude / (C1 - M * Omega**2)
    swing = response * (np.cos(Omega * t) - np.cos(omega * t))
    speed = response * (Omega + omega)
    kept = nsmb.simulate(loaded(push, 50.0, -0.01, v_rest=2 * speed), 2.0, rtol=1e-12)
    assert len(kept.events) == 0
    np.testing.assert_allclose(kept.at(t).q[:, 0], swing - 0.01, rtol=0.0, atol=1e-3 * response)
    slower = nsmb.simulate(loaded(push, 50.0, -0.01, v_rest=0.1 * speed), 2.0, rtol=1e-12)
    turns = slower.events.at_element("pad.loads")
    assert len(turns) > 0
    assert turns.u_minus[0, 0] == pytest.approx(0.1 * speed, rel=1e-6)


def test_blows_do_not_change_the_material() -> None:
    """Repeated bounces have the same energy balance.

    Between touch at g = 0 and the end of the force at -a, the weight does work, c2 (m - a)²/2 is
    returned and c1 m²/2 absorbed.
    """
    sol = nsmb.simulate(by_energies(pad(), weight=[9.81], a=0.5), 1.2, rtol=1e-11)
    touches = sol.events.at_element("pad.touches")
    met = np.flatnonzero(np.abs(touches.q[:-1, 0]) < 1e-9)
    assert len(met) >= 3
    for k in met[:3]:
        a = -touches.q[k + 1, 0]
        m = a / (1.0 - C1 / C2)
        gained = 0.5 * M * (touches.u_plus[k + 1, 0] ** 2 - touches.u_minus[k, 0] ** 2)
        worked = M * 9.81 * a + 0.5 * C2 * (m - a) ** 2 - 0.5 * C1 * m**2
        assert gained == pytest.approx(worked, rel=1e-7)


@pytest.mark.parametrize("recovers", [True, False])
def test_hysteresis_between_bodies_is_the_same(recovers: bool) -> None:
    sol = move_alike(pad(recovers=recovers), 1.0, weight=[9.81], a=0.3)
    assert len(sol.events) >= 8


def test_damping_of_both_ways_is_that_of_the_law() -> None:
    d1, d2 = 30.0, 10.0
    system = by_energies(pad(d1=d1, d2=d2), a_dot=-2.0)
    sol = nsmb.simulate(system, 0.2, rtol=1e-12)
    # m ẍ = -c x - d ẋ from (0, v), and from (deepest, 0) about -a.
    omega, delta = np.sqrt(C1 / M - (d1 / 2 / M) ** 2), d1 / 2 / M
    turn = np.arctan2(omega, delta) / omega
    deepest = -2.0 / omega * np.exp(-delta * turn) * np.sin(omega * turn)
    loads = sol.events.at_element("pad.loads")
    np.testing.assert_allclose([loads.t[-1], loads.q[-1, 0]], [turn, deepest], rtol=1e-8)
    leaves = sol.events.at_element("pad.touches")
    end = leaves.q[-1, 0] + (1 - C1 / C2) * -deepest
    np.testing.assert_allclose(-C2 * end - d2 * leaves.u_minus[-1, 0], 0.0, atol=1e-6)
    assert end < 0.0  # opened by its force, with residual deflection


@pytest.mark.parametrize("recovers", [True, False])
def test_the_force_of_a_damped_pad_jumps_only_where_it_is_met(recovers: bool) -> None:
    d = 40.0
    damped = {"d1": d, "d2": d, "recovers": recovers}
    system = by_energies(pad(**damped), weight=[30.0], a=0.05, a_dot=0.0)
    sol = nsmb.simulate(system, 1.0, rtol=1e-10, output_step=2e-5)
    assert sol.success, sol.message
    force = np.array(
        [
            system.forces(t, q, u, x)[0] + M * 30.0
            for t, q, u, x in zip(sol.t, sol.q, sol.u, sol.x, strict=True)
        ]
    )
    assert force.min() >= -1e-6
    # c2 v + d v̇ over a sample: (2e4 · 1.7 + 40 · 200) 2e-5 = 0.9 N, of 180 N
    jumps = np.flatnonzero(np.abs(np.diff(force)) > 1.0)
    met = sol.events.at_element("pad.touches")
    assert jumps.size >= 1
    for k in jumps:
        event = met[int(np.argmin(np.abs(met.t - sol.t[k])))]
        assert abs(event.t - sol.t[k]) < 3e-5
        np.testing.assert_allclose(force[k + 1] - force[k], -d * event.u_minus[0], atol=1.0)
    total = sol.energy.total
    assert (np.diff(total) <= 1e-8 * total[0]).all()
    move_alike(pad(**damped), 0.6, weight=[30.0], a=0.05)


def test_derivatives_of_a_blow_are_those_of_the_closed_form() -> None:
    y = symbolic.coordinates("y")
    v = y.velocity
    p = symbolic.parameters(c1=C1, c2=C2)
    element = hysteresis("pad", y, c1=p.c1, c2=p.c2)
    system = symbolic.LagrangianSystem(
        [y], M * v**2 / 2, elements=[element], parameters=p, initial={y: 0.1, v: -2.0}
    )
    sol = nsmb.simulate(system, 0.2, rtol=1e-11, sensitivity=["c1", "c2"])
    root = np.sqrt(C1 / C2)
    mine = sol.sensitivity.parameter[1]
    np.testing.assert_allclose(mine, [root / C1, -root / C2], rtol=1e-6)  # of 2 √(c1/c2)
    assert system.with_parameters(c1=1e3).parameters["c1"] == 1e3
    with pytest.raises(ValueError, match=r"element 'pad': c2 - c1: expected a positive number"):
        system.with_parameters(c1=3e4)


# ---- backlash -------------------------------------------------------------------------------


def mesh(**changes: Any) -> Any:
    given = {"play": PLAY, "c": C, "d": D} | changes
    return lambda q, u: backlash("mesh", q[0] - q[1], u[0] - u[1], **given)


def test_flanks_are_the_relaxing_walls_of_linear_systems() -> None:
    M2 = MASSES[1]
    law = nsmb.GapForce(C, D)
    by_hand = nsmb.LinearSystem(
        np.diag([M, M2]),
        elements=[
            nsmb.ForceElement(w=[-1.0, 1.0], law=law, gap=0.0, name="mesh.front"),
            nsmb.ForceElement(w=[1.0, -1.0], law=law, gap=PLAY, name="mesh.rear"),
        ],
        initial_state=nsmb.State(0.0, np.array([-0.01, 0.0]), np.array([1.0, 0.0])),
    )
    one = nsmb.simulate(by_energies(mesh(), 2, a=-0.01, a_dot=1.0), 2.0, rtol=1e-12)
    two = nsmb.simulate(by_hand, 2.0, rtol=1e-12)
    assert len(one.events) == len(two.events) > 8
    np.testing.assert_allclose(one.events.t, two.events.t, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(one.u[-1], two.u[-1], rtol=0.0, atol=1e-9)


def test_contact_closes_by_kinematics_and_opens_by_force() -> None:
    sol = nsmb.simulate(by_energies(mesh(), 2, a=-0.01, a_dot=1.0), 0.5, rtol=1e-12)
    front = sol.events.at_element("mesh.front")
    way, rate = front.q @ [1.0, -1.0], front.u_minus @ [1.0, -1.0]
    np.testing.assert_allclose(way[0], 0.0, atol=1e-12)  # (11.32)
    np.testing.assert_allclose(C * way[1] + D * rate[1], 0.0, atol=1e-8)  # (11.33)
    assert way[1] > 1e-3  # before the flanks part


@pytest.mark.parametrize("oil", [0.0, 15.0])
def test_backlash_between_bodies_is_the_same(oil: float) -> None:
    sol = move_alike(mesh(oil=oil), 0.6, 2, a=-0.01, a_dot=1.0)
    assert len(sol.events) >= 3


def test_oil_slows_down_as_its_work_says() -> None:
    d0, kappa = 6.0, 4.0
    element = lambda q, u: backlash(  # noqa: E731
        "mesh", q[0], u[0], play=PLAY, c=C, d=D, oil=d0, oil_decay=kappa
    )
    sol = nsmb.simulate(by_energies(element, a=-PLAY, a_dot=1.0), 0.1, rtol=1e-12)
    # m v dv = -d(γ) v dγ, with both films over the whole backlash
    work = 2.0 * d0 * PLAY / kappa * (1.0 - np.exp(-kappa))
    front = sol.events.at_element("mesh.front")
    np.testing.assert_allclose(front.u_minus[0, 0], 1.0 - work / M, rtol=1e-10)
