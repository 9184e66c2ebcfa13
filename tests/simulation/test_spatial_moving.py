"""Friction in a plane on moving and curved surfaces, against a general-purpose integrator."""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import nsmb

Array = np.ndarray
G = 9.81
MU, TURN = 0.3, 2.0
LIMIT = MU * G / TURN**2


def turntable(place: float, velocity: float) -> nsmb.System:
    """Point mass on a table that rotates at 2 rad/s: w̃_T is minus the velocity of the table."""
    table = nsmb.Contact(
        lambda t, q: q[2],
        w_N=lambda t, q: [0.0, 0.0, 1.0],
        w_T=lambda t, q: np.eye(3)[:, :2],
        law=nsmb.ContactLaw(mu=MU),
        name="table",
        w_tilde_T=lambda t, q: [TURN * q[1], -TURN * q[0]],
        tangents=2,
    )
    start = nsmb.State(0.0, np.array([place, 0.0, 0.0]), np.array([0.0, velocity, 0.0]))
    return nsmb.CallbackSystem(
        ["x", "y", "z"],
        np.eye(3),
        lambda t, q, u: [0.0, 0.0, -G],
        [table],
        initial_state=start,
    )


@pytest.mark.parametrize("place", [0.3, 0.999 * LIMIT])
def test_mass_inside_the_limit_circle_turns_with_the_table(place: float) -> None:
    """Friction carries m r Ω² up to r = mu g/Ω²."""
    sol = nsmb.simulate(turntable(place, TURN * place), 2.0, method=nsmb.EventDriven(rtol=1e-11))
    assert len(sol.events) == 0
    assert (sol.contact_state == nsmb.ContactState.STICK).all()
    angle = TURN * sol.t
    circle = place * np.array([np.cos(angle), np.sin(angle), np.zeros_like(angle)]).T
    np.testing.assert_allclose(sol.q, circle, atol=1e-10)
    force = np.hypot(*sol.lambda_T.T)
    np.testing.assert_allclose(force, place * TURN**2, rtol=1e-9)


def slide_on_table(z: Array, t_end: float) -> tuple[float, Array]:
    """Return the state at which the mass has the velocity of the table, or at t_end."""

    def slip(z: Array) -> Array:
        return np.array([z[2] + TURN * z[1], z[3] - TURN * z[0]])

    def rhs(_: float, z: Array) -> list[float]:
        v = slip(z)
        return [z[2], z[3], *(-MU * G * v / hypot(*v))]

    def rest(_: float, z: Array) -> float:
        return hypot(*slip(z)) - 1e-8

    rest.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(rhs, (0.0, t_end), z, "DOP853", events=rest, rtol=1e-12, atol=1e-13)
    return float(run.t[-1]), run.y[:, -1]


def test_mass_put_on_the_table_is_taken_along() -> None:
    """From rest at r = 0.3 the mass slides until it has the velocity of the table below it."""
    t, z = slide_on_table(np.array([0.3, 0.0, 0.0, 0.0]), 1.0)
    sol = nsmb.simulate(turntable(0.3, 0.0), 1.0, method=nsmb.EventDriven(rtol=1e-11))
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(t, abs=1e-7)  # the integrator stops at 1e-8 m/s
    np.testing.assert_allclose(sol.at(t).q[:2], z[:2], atol=1e-9)
    radius = np.hypot(*sol.q[sol.t > t, :2].T)
    np.testing.assert_allclose(radius, radius[0], rtol=1e-10)


def test_mass_outside_the_limit_circle_leaves() -> None:
    """Slip starts at once, radially; the reference is an integrator from slightly later."""
    sol = nsmb.simulate(turntable(1.0, TURN), 1.0, method=nsmb.EventDriven(rtol=1e-11))
    assert (sol.contact_state == nsmb.ContactState.SLIP).all()
    at = sol.at(0.05)
    t, z = slide_on_table(np.concatenate([at.q[:2], at.u[:2]]), 0.95)
    assert t == 0.95
    np.testing.assert_allclose(sol.q[-1, :2], z[:2], atol=1e-9)
    assert hypot(*z[:2]) > 1.5


def test_mass_in_a_bowl_slides_round_and_comes_to_rest() -> None:
    """Paraboloid z = r²: normal, friction and curvature in three dimensions, gap by differences."""
    k, mu = 2.0, 0.2

    def normal(q: Array) -> Array:
        return np.array([-k * q[0], -k * q[1], 1.0])

    def w_T(t: float, q: Array) -> Array:
        n, first = normal(q), np.array([1.0, 0.0, k * q[0]])
        first /= np.linalg.norm(first)
        return np.column_stack([first, np.cross(n / np.linalg.norm(n), first)])

    bowl = nsmb.Contact(
        lambda t, q: float((q[2] - 0.5 * k * (q[0] ** 2 + q[1] ** 2)) / np.linalg.norm(normal(q))),
        w_N=None,
        w_T=w_T,
        law=nsmb.ContactLaw(mu=mu),
        tangents=2,
    )
    place, velocity = np.array([0.5, 0.0, 0.25]), np.array([0.0, 1.2, 0.0])
    system = nsmb.CallbackSystem(
        ["x", "y", "z"],
        np.eye(3),
        lambda t, q, u: [0.0, 0.0, -G],
        [bowl],
        initial_state=nsmb.State(0.0, place, velocity),
    )
    sol = nsmb.simulate(system, 1.7, method=nsmb.EventDriven(rtol=1e-9))

    def rhs(_: float, z: Array) -> Array:
        q, u = z[:3], z[3:]
        n = normal(q)
        size = float(np.linalg.norm(n))
        force = (k * (u[0] ** 2 + u[1] ** 2) + G) / size
        return np.concatenate([u, [0.0, 0.0, -G] + force * (n / size - mu * u / np.linalg.norm(u))])

    def rest(_: float, z: Array) -> float:
        return float(np.linalg.norm(z[3:])) - 1e-7

    rest.terminal = True  # type: ignore[attr-defined]
    start = np.concatenate([place, velocity])
    run = solve_ivp(rhs, (0.0, 2.0), start, "DOP853", events=rest, rtol=1e-12, atol=1e-13)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(run.t[-1], abs=1e-6)  # 1e-7 m/s are left there
    np.testing.assert_allclose(sol.q[-1], run.y[:3, -1], atol=1e-7)
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-13)
