"""Motions of systems from energies: invariants, closed forms, other formulations."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import nsmb
from nsmb import Constraint, Contact, ContactLaw, Friction, symbolic
from nsmb.symbolic import LagrangianSystem
from tests.support.interrupts import is_running

Array = NDArray[np.float64]
TIGHT = nsmb.EventDriven(rtol=1e-12)


def double_pendulum() -> LagrangianSystem:
    phi, psi = q = symbolic.coordinates("phi psi")
    p = symbolic.parameters(m=1.0, l=0.6, g=9.81)
    x = [p.l * sp.sin(phi), p.l * (sp.sin(phi) + sp.sin(psi))]
    y = [-p.l * sp.cos(phi), -p.l * (sp.cos(phi) + sp.cos(psi))]
    kinetic = p.m / 2 * sum(v**2 for v in symbolic.rate([*x, *y]))
    return LagrangianSystem(
        q, kinetic, p.m * p.g * sum(y), parameters=p, initial={phi: 2.0, psi: 2.5}
    )


def test_a_double_pendulum_keeps_its_energy() -> None:
    system = double_pendulum()
    solution = nsmb.simulate(system, 10.0, method=TIGHT)
    energy = [
        system.kinetic_energy(t, q, u) + system.potential_energy(t, q)
        for t, q, u in zip(solution.t.tolist(), solution.q, solution.u, strict=True)
    ]
    assert np.ptp(solution.q[:, 0]) > 2.0
    np.testing.assert_allclose(energy, energy[0], rtol=0.0, atol=1e-9)  # measured 3e-10 J


def test_a_driven_pendulum_follows_its_equation() -> None:
    """With the pivot at a cos Ωt, φ̈ = -(g/l - a Ω²/l cos Ωt) sin φ is integrated by SciPy."""
    phi = symbolic.coordinates("phi")
    p = symbolic.parameters(l=0.4, g=9.81, a=0.05, w=60.0)
    height = p.a * sp.cos(p.w * symbolic.time) - p.l * sp.cos(phi)
    velocities = symbolic.rate([p.l * sp.sin(phi), height])
    system = LagrangianSystem(
        [phi], sum(v**2 for v in velocities) / 2, p.g * height, parameters=p, initial={phi: 3.0}
    )
    solution = nsmb.simulate(system, 2.0, method=TIGHT)

    def equation(t: float, y: Array) -> list[float]:
        return [y[1], -(9.81 - 0.05 * 60.0**2 * np.cos(60.0 * t)) / 0.4 * np.sin(y[0])]

    expected = solve_ivp(equation, (0.0, 2.0), [3.0, 0.0], "DOP853", rtol=1e-12, atol=1e-12).y[
        :, -1
    ]
    assert abs(solution.q[-1, 0] - np.pi) < 0.5  # it is inverted
    np.testing.assert_allclose([solution.q[-1, 0], solution.u[-1, 0]], expected, atol=1e-8)


def test_a_harmonic_force_has_a_closed_form_whatever_its_sign() -> None:
    """m ÿ + k y = F cos(ωt + φ) + ramp, with ω negative, zero or positive by parameter."""
    y = symbolic.coordinates("y")
    p = symbolic.parameters(k=4.0, F=1.0, w=3.0, a=0.3)
    t = symbolic.time
    force = p.F * (2 * sp.cos(p.w * t + p.a) - sp.sin(p.w * t + p.a) / 3) + t / 5 + 1
    systems = [
        LagrangianSystem(
            [y], y.velocity**2 / 2, p.k * y**2 / 2, [force], parameters=p, linear=linear
        )
        for linear in (True, False)
    ]
    for w in (3.0, -3.0, 0.0, 1.1):
        ends = [
            nsmb.simulate(s.with_parameters(w=w), 3.0, q=[0.1], method=TIGHT).q[-1, 0]
            for s in systems
        ]
        assert ends[0] == pytest.approx(ends[1], abs=1e-10), w


def test_a_point_mass_on_a_circle_is_a_pendulum() -> None:
    """A bilateral constraint agrees with the minimal coordinate."""
    x, y = q = symbolic.coordinates("x y")
    p = symbolic.parameters(l=0.5, g=9.81)
    bound = LagrangianSystem(
        q,
        (x.velocity**2 + y.velocity**2) / 2,
        p.g * y,
        constraints=[Constraint(x**2 + y**2 - p.l**2, name="rod")],
        parameters=p,
        initial={x: p.l},
    )
    phi = symbolic.coordinates("phi")
    free = LagrangianSystem(
        [phi],
        p.l**2 * phi.velocity**2 / 2,
        -p.g * p.l * sp.cos(phi),
        parameters=p,
        initial={phi: sp.pi / 2},
    )
    assert bound.constraints == ("rod",)
    ends = [nsmb.simulate(system, 1.0, method=TIGHT).q[-1] for system in (bound, free)]
    angle = ends[1][0]
    np.testing.assert_allclose(ends[0], [0.5 * np.sin(angle), -0.5 * np.cos(angle)], atol=1e-8)


def test_a_skate_does_not_slide_sideways() -> None:
    """Without forces, the nonholonomic skate rotates and moves at constant rates."""
    q = symbolic.coordinates("x y phi")
    phi, (v, w, omega) = q[2], symbolic.velocities(*q)
    blade = Constraint(velocity=v * sp.sin(phi) - w * sp.cos(phi), name="blade")
    skate = LagrangianSystem(
        q,
        (v**2 + w**2 + omega**2) / 2,
        constraints=[blade],
        initial={omega: 2.0, v: 1.0},
    )
    end = nsmb.simulate(skate, 1.3, method=TIGHT)
    # Speed 1 along the blade, which rotates at 2 rad/s, gives a circle of radius 1/2.
    expected = [np.sin(2.6) / 2, (1 - np.cos(2.6)) / 2, 2.6]
    np.testing.assert_allclose(end.q[-1], expected, atol=1e-9)


def test_friction_with_a_bound_and_states_stops_like_the_functions_of_python() -> None:
    """The bound of a brake grows with the rate law of an internal state."""
    phi = symbolic.coordinates("phi")
    z = symbolic.states("z")
    p = symbolic.parameters(T=0.2, c=5.0)
    brake = Friction(phi.velocity, bound=sp.Rational(1, 2) + phi**2, name="brake")
    compiled = LagrangianSystem(
        [phi],
        phi.velocity**2 / 2,
        p.c * phi**2 / 2,
        [-z],
        contacts=[brake],
        states={z: (phi.velocity - z) / p.T},
        parameters=p,
        initial={phi: 2.0, z: 0.1},
    )
    slow = nsmb.CallbackSystem(
        ["phi"],
        [[1.0]],
        lambda t, q, u, x: -5.0 * q - x,
        [
            nsmb.Friction(
                w_T=lambda t, q: [1.0], bound=lambda t, q, u: 0.5 + q[0] ** 2, name="brake"
            )
        ],
        states=["z"],
        state_rates=lambda t, q, u, x: (u - x) / 0.2,
        initial_state=nsmb.State(0.0, np.array([2.0]), np.zeros(1), np.array([0.1])),
    )
    found, expected = (nsmb.simulate(s, 8.0, method=TIGHT).events for s in (compiled, slow))
    assert len(expected) >= 3
    assert found.kinds == expected.kinds
    np.testing.assert_allclose(found.t, expected.t, atol=1e-9)


def test_systems_are_pickled_and_changed_without_deriving_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = double_pendulum()
    data = pickle.dumps(system.with_parameters(l=0.3))
    monkeypatch.setattr("nsmb.symbolic.compiler._compile", None)
    monkeypatch.setattr("nsmb.symbolic.model.gradient", None)
    twin = pickle.loads(data)
    assert twin.parameters["l"] == 0.3
    assert twin.mass_matrix(0.0, [0.0, 0.0])[0, 0] == pytest.approx(2 * 0.3**2)
    assert system.parameters["l"] == 0.6
    ends = [nsmb.simulate(s, 1.0).q[-1] for s in (twin, system.with_parameters(l=0.3))]
    np.testing.assert_array_equal(ends[0], ends[1])


def test_a_start_given_by_parameters_follows_them() -> None:
    system = nsmb.systems.woodpecker.symbolic()
    before, after = system.initial_state.q, system.with_parameters(h_M=0.01).initial_state.q
    assert before[1] == pytest.approx(-0.6e-3 / 5.8e-3, rel=1e-12)
    assert after[1] == pytest.approx(-0.06, rel=1e-12)


def test_a_run_holds_no_lock_of_python() -> None:
    """Python code of another thread continues while the core runs."""
    runner = nsmb.Simulator(double_pendulum(), nsmb.EventDriven(rtol=1e-10, dense_output=False))
    done = threading.Event()

    def run() -> None:
        runner.advance(400.0)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    seen = 0
    while not done.is_set():
        seen += is_running(runner)
    thread.join()
    # In one call of the core with the lock held, this thread would wake only twice.
    assert seen > 10


def test_two_threads_share_one_system() -> None:
    system: Any = double_pendulum()
    expected = nsmb.simulate(system, 5.0).q
    found: list[Array] = []

    def run() -> None:
        found.append(nsmb.simulate(system, 5.0).q)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for q in found:
        np.testing.assert_array_equal(q, expected)


def test_a_contact_law_may_be_a_parameter() -> None:
    y = symbolic.coordinates("y")
    p = symbolic.parameters(e=0.5)
    ball = LagrangianSystem(
        [y],
        y.velocity**2 / 2,
        9.81 * y,
        contacts=[Contact(y, law=ContactLaw(e_N=p.e), name="floor")],
        parameters=p,
        initial={y: 1.0},
    )
    assert ball.with_parameters(e=0.8).contacts[0].law.e_N == 0.8
    with pytest.raises(ValueError, match="e_N: expected a number in"):
        ball.with_parameters(e=1.5)
