"""The motion between the impulses of a step: energy and momentum at any angular velocity."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import nsmb
from nsmb import geometry, joints, symbolic
from tests.support.methods import stepping

Array = NDArray[np.float64]

I = np.array([0.065, 0.05, 0.025])  # kg m², of the box below: it flips about its second axis
H = 1.0 / 240.0
G = 9.81


def run(system: nsmb.System, u: Array, steps: int, h: float = H, **options: float) -> nsmb.Solution:
    method = stepping(h, **options)
    t_end = steps * h
    ends = nsmb.simulate(system, t_end, u=u, method=method).step_t
    return nsmb.simulate(system, t_end, u=u, method=method, output_times=ends)


def box() -> nsmb.MultibodySystem:
    m = nsmb.Model()
    body = m.add_solid("box", geometry.Box((0.1, 0.2, 0.3)), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace(), at=(0, 0, -50.0))
    m.collide(nsmb.ContactLaw(mu=0.3))
    return m.build()


@pytest.mark.parametrize("turn", [0.5, 1.25, 5.0])
def test_a_free_body_keeps_energy_and_momentum(turn: float) -> None:
    """The body rotates about its middle axis, by `turn` radians in each of a thousand steps."""
    rate = turn / H
    u = np.array([0, 0, 0, 1e-3 * rate, rate, 1e-3 * rate])
    sol = run(box(), u, 1000)
    omega = sol.u[:, 3:]
    energy = (I * omega**2).sum(axis=1) / 2.0
    momentum = np.linalg.norm(I * omega, axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-12
    assert np.abs(momentum / momentum[0] - 1.0).max() < 1e-12
    assert not sol.step_status.any()


def test_a_free_body_turns_over_in_time() -> None:
    """Euler's equations, solved by SciPy, at a third of a radian per step.

    The body flips twice.
    """
    rate = 0.3 / H
    start = np.array([0.02 * rate, rate, 0.02 * rate])

    def euler(t: float, omega: Array) -> Array:
        return -np.cross(omega, I * omega) / I

    sol = run(box(), np.concatenate([np.zeros(3), start]), 120)
    truth = solve_ivp(euler, (0, sol.t[-1]), start, "DOP853", sol.t, rtol=1e-12, atol=1e-9).y.T
    assert (np.diff(np.sign(truth[:, 1])) != 0).sum() >= 2
    np.testing.assert_allclose(sol.u[:, 3:], truth, atol=1e-5 * rate)


def chain(n: int, root: joints.Joint, gravity: float = 0.0) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0, 0, -gravity))
    before: nsmb.Body = m.ground
    for i in range(n):
        body = m.add_body(f"b{i}", mass=1.0, inertia=np.diag([0.02, 0.03, 0.04]))
        at, at_2 = (0, 0, -0.3 if i else 0.0), (0, 0, 0.3)
        m.add_joint(f"j{i}", joints.Spherical() if i else root, before, body, at=at, at_2=at_2)
        before = body
    return m.build()


def momenta(system: nsmb.MultibodySystem, sol: nsmb.Solution) -> tuple[Array, Array]:
    rows = [system.momentum(t, q, u) for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)]
    return np.array([p for p, _ in rows]), np.array([L for _, L in rows])


@pytest.mark.parametrize(("n", "turn"), [(1, 5.0), (3, 0.5), (3, 5.0), (10, 1.25), (101, 0.02)])
def test_chains_keep_energy_and_momentum(n: int, turn: float) -> None:
    """Light links rotate by more than this within a step."""
    root = joints.Spherical() if n == 1 else joints.Free()
    system = chain(n, root)
    u = np.random.default_rng(1).normal(size=system.nu)
    u *= turn / H / np.abs(u).max()
    sol = run(system, u, 20)
    energy = sol.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-12
    assert not sol.step_status.any()
    p, L = momenta(system, sol)
    assert np.abs(L - L[0]).max() < 1e-6 * np.abs(L[0]).max()
    if n > 1:
        assert np.abs(p - p[0]).max() < 1e-6 * np.abs(p[0]).max()


def test_a_closed_loop_keeps_its_energy() -> None:
    """A body on a ball joint that closes a loop."""
    m = nsmb.Model()
    body = m.add_body("b", mass=1.0, inertia=np.diag([0.02, 0.03, 0.04]))
    m.add_joint("free", joints.Free(), m.ground, body)
    m.add_loop("ball", joints.Spherical(), m.ground, body, at_2=(0, 0, 0.3))
    system = m.build(initial={"free": (0, 0, -0.3, 1, 0, 0, 0)})
    rate = 1.25 / H
    omega = np.array([0.1, 1.0, 0.2]) * rate
    u = np.concatenate([-np.cross(omega, (0, 0, 0.3)), omega])
    sol = run(system, u, 100)
    energy = sol.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-10
    for t, q, u in zip(sol.t, sol.q, sol.u, strict=True):
        at = system.constraint_kinematics(t, q, u)
        assert np.abs(at["g"]).max() < 1e-12
        assert np.abs(at["W"].T @ u).max() < 1e-9 * rate


def test_what_turns_too_fast_for_its_integrator_is_marked_and_keeps_its_energy() -> None:
    system = chain(3, joints.Free())
    u = np.random.default_rng(1).normal(size=system.nu)
    sol = run(system, u * 300.0 / H / np.abs(u).max(), 5)
    assert sol.stats["coarse_steps"] == 5
    assert (sol.step_status == nsmb.results.StepStatus.COARSE).all()
    energy = sol.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-9


def test_a_heavy_top_precesses_at_five_radians_in_a_step() -> None:
    """m g l/(I_3 ω) of a fast top, against the event-driven motion; of second order."""
    m = nsmb.Model(gravity=(0, 0, -G))
    top = m.add_body("top", mass=1.0, inertia=np.diag([4e-3, 4e-3, 2e-3]))
    m.add_joint("tip", joints.Spherical(), m.ground, top, at_2=(0, 0, -0.1))
    tilt = 0.5
    system = m.build(initial={"tip": (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)})
    rate, t_end = 300.0, 0.2
    slow = 1.0 * G * 0.1 / (2e-3 * rate)
    u = np.array([0.0, slow * np.sin(tilt), rate + slow * np.cos(tilt)])

    def azimuth(sol: nsmb.Solution) -> float:
        w, x, y, z = sol.q[-1]
        return float(np.arctan2(2 * (y * z - w * x), 2 * (x * z + w * y)))

    options = {"t_end": t_end, "u": u}
    exact = azimuth(nsmb.simulate(system, method=nsmb.EventDriven(rtol=1e-11), **options))
    turned = exact - azimuth(nsmb.simulate(system, t_end=1e-9, u=u))
    errors = []
    for turn in (5.0, 2.5, 1.25):
        method = nsmb.Midpoint(turn / rate)
        errors.append(abs(azimuth(nsmb.simulate(system, method=method, **options)) - exact))
    assert errors[0] < 0.01 * abs(turned)
    assert errors[1] < 0.3 * errors[0]
    assert errors[2] < 0.3 * errors[1]


def test_a_chain_in_gravity_is_followed_to_second_order() -> None:
    system = chain(3, joints.Spherical(), gravity=G)
    u = np.array([2.0, 1.0, 3.0, -1.0, 2.0, 1.0, 0.5, -2.0, 1.0])
    exact = nsmb.simulate(system, 0.4, u=u, method=nsmb.EventDriven(rtol=1e-12)).q[-1]
    steps, errors = (8e-3, 4e-3, 2e-3), []
    for h in steps:
        q = nsmb.simulate(system, 0.4, u=u, method=nsmb.Midpoint(h)).q[-1]
        errors.append(np.abs(q - exact).max())
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)
    assert errors[0] < 1e-3


def test_a_model_and_its_energies_take_the_same_steps() -> None:
    """A double pendulum by bodies, which provide gyroscopic terms, and by energies, which do not.

    Weight is left out, because energies do not show if it is stiff.
    """
    m = nsmb.Model()
    one = m.add_body("one", mass=1.0, inertia=0.02)
    two = m.add_body("two", mass=0.5, inertia=0.01)
    m.add_joint("a", joints.Revolute(), m.ground, one, at_2=(0, 0.3, 0))
    m.add_joint("b", joints.Revolute(), one, two, at=(0, -0.3, 0), at_2=(0, 0.2, 0))
    bodies = m.build(initial={"a": 0.4, "b": -0.9})
    a, b = symbolic.coordinates("a b")
    va, vb = symbolic.velocities(a, b)
    x1, y1 = 0.3 * sympy.sin(a), -0.3 * sympy.cos(a)
    x2, y2 = 2 * x1 + 0.2 * sympy.sin(a + b), 2 * y1 - 0.2 * sympy.cos(a + b)

    def square(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
        return sum((sympy.diff(z, a) * va + sympy.diff(z, b) * vb) ** 2 for z in (x, y))

    kinetic = (square(x1, y1) + 0.02 * va**2 + 0.5 * square(x2, y2) + 0.01 * (va + vb) ** 2) / 2
    energies = symbolic.LagrangianSystem([a, b], kinetic, sympy.S.Zero, initial={a: 0.4, b: -0.9})
    ends = [
        nsmb.simulate(system, 0.3, u=np.array([9.0, -4.0]), method=nsmb.Midpoint(2e-3))
        for system in (bodies, energies)
    ]
    np.testing.assert_allclose(ends[1].q, ends[0].q, atol=1e-10)
    np.testing.assert_allclose(ends[1].u, ends[0].u, atol=1e-9)


def test_a_step_asks_for_the_masses_once_at_a_place() -> None:
    """Two slides coupled by a mass that depends on their distance."""
    places: list[tuple[float, ...]] = []

    def masses(t: float, q: Array) -> Array:
        places.append((t, *q))
        return np.array([[2.0, np.sin(q[1] - q[0])], [np.sin(q[1] - q[0]), 2.0]])

    system = nsmb.CallbackSystem(
        mass_matrix=masses,
        forces=lambda t, q, u: np.cos(q[1] - q[0]) * (u[1] - u[0]) * np.array([-u[1], u[0]]),
        coordinates=["a", "b"],
        initial_state=nsmb.State(0.0, np.array([0.0, 0.4]), np.array([1.0, -0.5])),
    )
    before = len(places)
    nsmb.simulate(system, 10 * H, method=nsmb.Midpoint(H), output_step=10 * H)
    asked = places[before:]
    assert all(a != b for a, b in itertools.pairwise(asked))
