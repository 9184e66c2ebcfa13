"""Penalty contacts, tyres, bearings and helical teeth agree with closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import eigvals

import nsmb
from nsmb import symbolic
from nsmb.symbolic import elements
from nsmb.symbolic.elements import (
    bearing,
    helical_mesh,
    line_of_action,
    penalty_contact,
    penalty_stiffness,
    regularised_friction,
    slip_curve,
    tyre,
)
from tests.symbolic.slides import MASSES, by_energies, move_alike

M = MASSES[0]
v, g = symbolic.velocities(symbolic.coordinates("w")), symbolic.coordinates("g")

# ---- penalty --------------------------------------------------------------------------------


def stop(exponent: float = 1.0, zeta: float = 0.0, K: float = 2e5, **friction: Any) -> Any:
    return lambda q, u: penalty_contact(
        "stop", q[0], u[0], K=K, exponent=exponent, zeta=zeta,
        **({"slip": u[1]} | friction if friction else {}),
    )  # fmt: skip


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_a_stop_is_as_deep_as_its_stiffness_was_made_for(exponent: float) -> None:
    speed, depth = 2.0, 0.004
    K = float(penalty_stiffness(M, sp.oo, speed, depth, exponent))
    if exponent == 1.0:
        np.testing.assert_allclose(K, M * (speed / depth) ** 2)  # (3.8)
    sol = nsmb.simulate(
        by_energies(stop(exponent, K=K), a=0.01, a_dot=-speed),
        0.1,
        rtol=1e-12,
        events=[nsmb.When(lambda t, q, u: u[0], name="deepest")],
    )
    np.testing.assert_allclose(sol.events.named("deepest").q[0, 0], -depth, rtol=1e-9)
    np.testing.assert_allclose(sol.u[-1], speed, rtol=1e-9)
    if exponent == 1.0:
        lasts = np.diff(sol.events.at_element("stop.touches").t)
        np.testing.assert_allclose(lasts, np.pi * np.sqrt(M / K), rtol=1e-9)


def test_two_bodies_go_as_deep_as_their_reduced_mass_says() -> None:
    K = penalty_stiffness(M, MASSES[1], 1.0, 1e-3)
    reduced = M * MASSES[1] / (M + MASSES[1])
    np.testing.assert_allclose(float(K), reduced * 1e6)


def test_damping_that_grows_with_the_depth_begins_and_ends_without_force() -> None:
    zeta, speed = 4e4, 2.0
    system = by_energies(stop(1.5, zeta), a=0.0, a_dot=-speed)
    sol = nsmb.simulate(system, 0.05, rtol=1e-12, output_step=1e-5)
    force = np.array(
        [
            system.forces(t, q, u, x)[0]
            for t, q, u, x in zip(sol.t, sol.q, sol.u, sol.x, strict=True)
        ]
    )
    touches = sol.x[:, 0] == 1.0
    assert (force >= 0.0).all()
    assert not force[~touches].any()
    ends = sol.events.at_element("stop.touches")
    np.testing.assert_allclose(ends.q[-1], 0.0, atol=1e-9)
    # (3.9): v dv (1/(K + ζ v)) = -δ^e dδ/m gives the speed of return implicitly.
    K = 2e5
    left = float(-sol.u[-1, 0])

    def way(w: float) -> float:
        return w / zeta - K / zeta**2 * np.log(K + zeta * w)

    np.testing.assert_allclose(way(left), way(speed), rtol=1e-8)
    assert 0.3 < -left / speed < 0.95


def test_regularised_friction_is_continuous_with_its_slope() -> None:
    mu, N, eps = 0.3, 50.0, 0.01
    force = sp.lambdify(v, regularised_friction(v, mu, N, eps)[0])
    for slip in (eps, 2 * eps, -eps, -3.0):
        np.testing.assert_allclose(force(slip), -np.sign(slip) * mu * N, rtol=1e-12)
    h = 1e-9
    np.testing.assert_allclose((force(h) - force(-h)) / (2 * h), -2 * mu * N / eps, rtol=1e-5)
    assert abs(force(eps - h) - force(eps)) < 1e-9  # slope 0 there
    both = regularised_friction([v, g], mu, N, eps)
    plane = sp.lambdify((v, g), both)
    np.testing.assert_allclose(plane(0.3, 0.4), [-0.6 * mu * N, -0.8 * mu * N], rtol=1e-12)


def test_a_block_on_a_stop_slides_as_coulomb_says_until_it_creeps() -> None:
    friction = {"mu": 0.3, "v_eps": 1e-3}
    element = stop(**friction)
    depth = -M * 9.81 / 2e5
    # The second slide carries the friction of the first's normal force.
    sol = nsmb.simulate(by_energies(element, 2, weight=[9.81], a=depth, b_dot=2.0), 0.2, rtol=1e-10)
    slowed = 0.3 * M * 9.81 / MASSES[1] * 0.2
    np.testing.assert_allclose(sol.u[-1, 1], 2.0 - slowed, rtol=1e-7)
    move_alike(element, 0.2, 2, weight=[9.81], a=0.01, b_dot=2.0)


# ---- tyre -----------------------------------------------------------------------------------

STEPS: dict[str, Any] = {"stiffness": [1e4, 3e4, 9e4], "steps": [0.01, 0.03]}


def test_the_radial_force_is_continuous_with_slopes_in_steps() -> None:
    s = symbolic.coordinates("s")
    wheel = tyre("wheel", s, **STEPS)
    modes = list(wheel.watch)

    def at(way: float, closed: int) -> tuple[float, float]:
        known = {s: way} | {m: float(k < closed) for k, m in enumerate(modes)}
        return float(wheel.force.subs(known)), float(wheel.force.diff(s).subs(known))

    for k, (way, level) in enumerate(((0.0, 0.0), (0.01, 100.0), (0.03, 700.0))):
        assert at(way, k)[0] == pytest.approx(-level)
        assert at(way, k + 1)[0] == pytest.approx(-level)
        assert at(way, k + 1)[1] == pytest.approx(-STEPS["stiffness"][k])
    by_energy = float(wheel.energy.subs({s: 0.04} | dict.fromkeys(modes, 1.0)))
    assert by_energy == pytest.approx(0.5 + 8.0 + 0.01 * 700.0 + 4.5)


def test_a_tyre_bounces_without_loss() -> None:
    def wheel(q: Any, u: Any) -> Any:
        return tyre("wheel", -q[0], -u[0], **STEPS)

    sol = move_alike(wheel, 1.2, weight=[9.81], a=1.0)
    np.testing.assert_allclose(sol.energy.total, sol.energy.total[0], rtol=1e-8)
    switched = {name for e in sol.events for name in e.elements}
    assert switched == {"wheel.touches", "wheel.step_1", "wheel.step_2"}


R, SPEED, PRESSED, GRIP = 0.3, 20.0, 0.02, 0.4


def rolling(q: Any, u: Any) -> Any:
    """Return a tyre with compression, speed and spin from three slides."""
    return tyre(
        "wheel", -q[0], -u[0], **STEPS, speed=u[1], spin=u[2], radius=R,
        mu=lambda slip: GRIP * slip,
    )  # fmt: skip


def test_a_wheel_spins_up_exponentially_where_friction_is_linear() -> None:
    """By (14.66), (14.67) at constant speed and load, J φ̈ = r μ' SR F, SR = 1 - φ̇ r/v."""
    spin = symbolic.coordinates("phi")
    J, load = 0.8, 1e4 * 0.01 + 3e4 * 0.01
    p = symbolic.parameters(v=SPEED)
    element = tyre(
        "wheel", sp.Float(PRESSED) + 0 * spin, 0 * spin.velocity, **STEPS, speed=p.v,
        spin=spin.velocity, radius=R, mu=lambda slip: GRIP * slip,
    )  # fmt: skip
    system = symbolic.LagrangianSystem(
        [spin], J * spin.velocity**2 / 2, elements=[element], parameters=p
    )
    sol = nsmb.simulate(system, 3.0, rtol=1e-11)
    r = R - PRESSED
    rate = r**2 * GRIP * load / (J * SPEED)
    expected = SPEED / r * (1.0 - np.exp(-rate * sol.t))
    np.testing.assert_allclose(sol.u[:, 0], expected, rtol=1e-9, atol=1e-9)


def test_a_landing_wheel_is_the_same_between_bodies() -> None:
    sol = move_alike(rolling, 0.4, 3, weight=[9.81], a=0.02, b_dot=SPEED)
    assert sol.u[-1, 2] > 1.0  # the wheel rotates
    assert sol.u[-1, 1] < SPEED  # the axle is braked
    system = by_energies(rolling, 3, weight=[9.81], a=0.02, b_dot=SPEED)
    h = system.forces(0.0, [-PRESSED, 0, 0], [0.0, SPEED, 10.0], [1.0, 1.0, 0.0])
    r, pressed = R - PRESSED, 400.0
    force = GRIP * (1.0 - 10.0 * r / SPEED) * pressed
    np.testing.assert_allclose(h, [pressed - M * 9.81, -force, r * force], rtol=1e-12)


def test_a_slip_curve_goes_through_its_points_without_corners() -> None:
    points = [(0.0, 0.0), (0.08, 0.5), (0.15, 0.8), (0.4, 0.75), (1.0, 0.6)]
    slip = sp.Symbol("slip", real=True)
    curve = sp.lambdify(slip, slip_curve(points)(slip))
    for ratio, mu in points:
        assert curve(ratio) == pytest.approx(mu)
        assert curve(-ratio) == pytest.approx(-mu)
    assert curve(2.0) == pytest.approx(0.6)
    h = 1e-7
    for ratio in (0.08, 0.15, 0.4):
        left, right = (curve(ratio) - curve(ratio - h)) / h, (curve(ratio + h) - curve(ratio)) / h
        assert abs(left - right) < 1e-4
    with pytest.raises(ValueError, match=r"points: expected slip ratios that ascend from \(0, 0\)"):
        slip_curve([(0.0, 0.1), (1.0, 0.5)])


# ---- bearings, teeth ------------------------------------------------------------------------

STIFF = np.array([[3e4, 8e3], [-6e3, 5e4]])
DAMP = np.array([[20.0, 3.0], [3.0, 40.0]])


def journal(q: Any, u: Any) -> Any:
    return bearing("journal", q, u, stiffness=STIFF, damping=DAMP)


def test_a_bearing_is_its_matrices() -> None:
    system = by_energies(journal, 2, a=1e-3)
    assert system.is_linear
    q, u = np.array([1e-3, -2e-3]), np.array([0.3, 0.1])
    np.testing.assert_allclose(system.forces(0.0, q, u), -(STIFF @ q + DAMP @ u), rtol=1e-12)
    sol = nsmb.simulate(system, 0.3)
    masses = np.diag(MASSES[:2])
    A = np.block(
        [[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(masses, np.hstack([STIFF, DAMP]))]]
    )
    w, V = np.linalg.eig(A)
    start = np.linalg.solve(V, np.array([1e-3, 0.0, 0.0, 0.0]))
    end = (V * np.exp(w * 0.3)) @ start
    np.testing.assert_allclose(sol.q[-1], end[:2].real, atol=1e-14)
    assert eigvals(A).real.max() < 0.0


def test_bearings_between_bodies_are_the_same() -> None:
    move_alike(journal, 0.3, 2, a=1e-3, b_dot=0.1)
    with pytest.raises(ValueError, match=r"element 'b': stiffness: expected shape \(2, 2\)"):
        bearing("b", [g, v], [v, v], stiffness=[[1.0]])
    with pytest.raises(ValueError, match=r"element 'b': velocity: expected 2 expressions, got 1"):
        bearing("b", [g, v], [v], stiffness=1.0)


def test_helical_teeth_press_along_the_line_of_action() -> None:
    alpha, beta, r1, r2 = 0.35, 0.2, 0.1, 0.3
    e = np.array(line_of_action(alpha, beta), dtype=float).ravel()
    np.testing.assert_allclose(np.linalg.norm(e), 1.0, rtol=1e-15)  # (11.55)
    p = sp.symbols("p0:12", real=True)
    way = helical_mesh(p[:6], p[6:], r1=r1, r2=r2, alpha=alpha, beta=beta)
    slopes = np.array([float(way.diff(x)) for x in p])
    # The first wheel has the force -e at the pitch point and its moments r x e.
    np.testing.assert_allclose(slopes[:3], -e)
    np.testing.assert_allclose(slopes[6:9], e)
    np.testing.assert_allclose(slopes[[5, 11]], [r1 * e[0], -r2 * e[0]], rtol=1e-12)  # driving
    np.testing.assert_allclose(slopes[[3, 9]], [-r1 * e[2], r2 * e[2]], rtol=1e-12)  # tilting
    assert slopes[4] == slopes[10] == 0.0
    # Torques of a tooth force are proportional to the radii.
    np.testing.assert_allclose(slopes[11] / slopes[5], -r2 / r1)
    with pytest.raises(ValueError, match="first: expected 6 displacements, got 2"):
        helical_mesh(p[:2], p[6:], r1=r1, r2=r2, alpha=alpha)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: elements.hysteresis("e", g, c1=None, c2=1), "'e': c1: expected an expression"),
        (lambda: elements.hysteresis("e", g, c1=1, c2=[2]), "'e': c2: expected an expression"),
        (lambda: elements.backlash("e", g, play="x", c=1, d=1), "'e': play: .* got 'x'"),
        (lambda: elements.penalty_contact("e", g, K=None), "'e': K: expected an expression"),
        (
            lambda: elements.penalty_contact("e", g, K=1, slip=v, mu=None),
            "'e': mu: expected a coefficient with slip, got none",
        ),
        (lambda: elements.penalty_stiffness(1, 1, None, 1), "speed: expected an expression"),
        (lambda: elements.tyre("e", g, stiffness=5), "'e': stiffness: expected a sequence"),
        (lambda: elements.tyre("e", g, stiffness=[None]), "'e': stiffness: expected an expr"),
        (lambda: elements.tyre("e", g, stiffness=[1], damping=[1]), "'e': damping: expected an e"),
        (lambda: elements.bearing("e", [g], stiffness=None), "'e': stiffness: expected an expr"),
        (
            lambda: elements.air_cushion("e", g, area=None, length_0=1, pressure=1),
            "'e': area: expected an expression, got None",
        ),
        (
            lambda: elements.gas_spring(
                "e", g, area=1, volume_1=1, pressure_1=1, exponent=1.3, oil_in=None
            ),
            "'e': oil_in: expected an expression, got None",
        ),
    ],
)
def test_numbers_that_are_none_are_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
